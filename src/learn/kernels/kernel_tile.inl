/* kernel_tile.inl -- see kernel_tile.h.  The including file binds
 *     real, K(name), PRODUCT, PANELS_SIZE, EXP, RBF, L1, CHI2, ENTRIES, ENTRIES_PRODUCT, SQRT. */

/* ---- products --------------------------------------------------------------------------- */

/* Writes the elements of row r into lane l of a panel, or clears them. */
static void K(spread_rows)(const smr_kernel_side *A, int64_t r, int l, bool clear, real *panel)
{
    const smr_rows *rows = A->rows;
    if (rows->form == SMR_FORM_SPARSE) {
        for (int64_t e = rows->start[r]; e < rows->start[r + 1]; e++)
            panel[SMR_TILE_GROUP * (int64_t)rows->column[e] + l] = clear ? 0 : (real)rows->value[e];
        return;
    }
    for (int64_t j = 0; j < rows->d; j++)
        panel[SMR_TILE_GROUP * j + l] = clear ? 0 : (real)smr_rows_number(rows, r, j);
}

static void K(spread)(const smr_kernel_side *A, int64_t r, int l, bool clear, real *panel)
{
    const real *value = A->value;
    int64_t at = smr_side_at(A, r);
    if (A->rows) {
        K(spread_rows)(A, at, l, clear, panel);
        return;
    }
    for (int64_t e = A->start[at]; e < A->start[at + 1]; e++)
        panel[SMR_TILE_GROUP * (int64_t)A->column[e] + l] = clear ? 0 : value[e];
}

/* Sparse points: 16 rows at a time lie side by side, and every point runs through them once. */
static void K(sparse_products)(const smr_kernel_tile *t, real *out, int64_t ld)
{
    const smr_kernel_side *B = t->B;
    const real *value = B->value;
    real *panel = t->work, sum[SMR_TILE_GROUP];
    for (int64_t a = 0; a < t->m; a += SMR_TILE_GROUP) {
        int n = (int)SMR_MIN(SMR_TILE_GROUP, t->m - a);
        for (int l = 0; l < n; l++) K(spread)(t->A, t->row + a + l, l, false, panel);
        for (int64_t b = 0; b < t->w; b++) {
            int64_t at = smr_side_at(B, t->column + b), from = B->start[at];
            ENTRIES(B->start[at + 1] - from, B->column + from, value + from, panel, sum);
            for (int l = 0; l < n; l++) out[(a + l) * ld + b] = sum[l];
        }
        for (int l = 0; l < n; l++) K(spread)(t->A, t->row + a + l, l, true, panel);
    }
}

/* The entries of row r of A at `to`; returns how many. */
static int64_t K(take_entries)(const smr_kernel_side *A, int64_t r, int32_t *column, real *value)
{
    const smr_rows *rows = A->rows;
    int64_t at = smr_side_at(A, r), n = 0;
    if (rows && rows->form != SMR_FORM_SPARSE) {
        for (int64_t j = 0; j < rows->d; j++) {
            double x = smr_rows_number(rows, at, j);
            column[n] = (int32_t)j;
            value[n] = (real)x;
            n += x != 0;
        }
        return n;
    }
    int64_t from = rows ? rows->start[at] : A->start[at];
    n = (rows ? rows->start[at + 1] : A->start[at + 1]) - from;
    memcpy(column, (rows ? rows->column : A->column) + from, (size_t)n * sizeof *column);
    for (int64_t e = 0; e < n; e++)
        value[e] = rows ? (real)rows->value[from + e] : ((const real *)A->value)[from + e];
    return n;
}

/* Sparse points in panels: the entries of the tile's rows run through them. */
static void K(entry_products)(const smr_kernel_tile *t, const void *panels, real *out, int64_t ld)
{
    int64_t *start = t->work, d = t->points->d;
    real *value = (real *)(void *)(start + SMR_TILE_ROWS + 1);
    int32_t *column = (int32_t *)(void *)(value + SMR_TILE_ROWS * d);
    start[0] = 0;
    for (int64_t a = 0; a < t->m; a++)
        start[a + 1] =
            start[a] + K(take_entries)(t->A, t->row + a, column + start[a], value + start[a]);
    smr_entry_rows rows = {t->m, start, column, value};
    ENTRIES_PRODUCT(&rows, t->w, d, panels, out, ld);
}

static void K(products)(const smr_kernel_tile *t, real *out, int64_t ld)
{
    int64_t d = t->points->d;
    if (t->B->start && !t->B->panels) {
        K(sparse_products)(t, out, ld);
        return;
    }
    const char *panels = (const char *)t->B->panels + PANELS_SIZE(t->column, d);
    if (t->B->start) {
        K(entry_products)(t, panels, out, ld);
        return;
    }
    PRODUCT(t->m, t->w, d, (const real *)t->A->x + t->row * d, d, panels, out, ld);
}

/* ---- words ------------------------------------------------------------------------------ */

static real K(power)(real x, int64_t n)
{
    real y = 1;
    for (; n > 0; n >>= 1, x *= x)
        if (n & 1) y *= x;
    return y;
}

/* The formulas of products: t (w) holds u v; a and b are squared lengths, a[i * step]. */
static void K(formula)(const smr_kernel_node *node, real gamma, int64_t w, const real *a, int step,
                       const real *b, real *t)
{
    const struct smr_kernel_params *p = node->params;
    real r = (real)p->coef0;
    switch (node->kind) {
    case SMR_KERNEL_QUADRATIC:
        for (int64_t i = 0; i < w; i++) t[i] = (t[i] + r) * (t[i] + r);
        break;
    case SMR_KERNEL_POLY:
        for (int64_t i = 0; i < w; i++) t[i] = K(power)(gamma * t[i] + r, p->degree);
        break;
    case SMR_KERNEL_RBF:
        if (step == 0)
            RBF(w, gamma, *a, b, t);
        else
            for (int64_t i = 0; i < w; i++) t[i] = 1;
        break;
    case SMR_KERNEL_SIGMOID:
        for (int64_t i = 0; i < w; i++) t[i] = (real)smr_tanh((double)(gamma * t[i] + r));
        break;
    case SMR_KERNEL_COSINE:
        for (int64_t i = 0; i < w; i++) {
            real both = a[i * step] == b[i] ? b[i] : SQRT(a[i * step]) * SQRT(b[i]);
            t[i] = both > 0 ? t[i] / both : 0;
        }
        break;
    default: break; /* linear */
    }
}

/* sum |u - v| or sum (u - v)^2 / (u + v) of sparse rows, over ascending columns. */
static real K(merge)(smr_kernel_kind kind, const smr_kernel_side *A, int64_t a,
                     const smr_kernel_side *B, int64_t b)
{
    real sum = 0;
    int64_t i = A->start[a], m = A->start[a + 1], j = B->start[b], n = B->start[b + 1];
    const real *u = A->value, *v = B->value;
    while (i < m || j < n) {
        int32_t left = i < m ? A->column[i] : INT32_MAX, right = j < n ? B->column[j] : INT32_MAX;
        real x = left <= right ? u[i++] : 0, y = right <= left ? v[j++] : 0;
        sum += kind == SMR_KERNEL_CHI2 ? CHI2(1, &x, &y) : L1(1, &x, &y);
    }
    return sum;
}

/* Rows of prediction against sparse points: the row lies in lane 0 of the panel. */
static real K(merge_spread)(smr_kernel_kind kind, const smr_kernel_tile *t, const real *panel,
                            int64_t b)
{
    real sum = 0;
    const real *v = t->B->value;
    int64_t j = t->B->start[b], n = t->B->start[b + 1];
    for (int64_t c = 0; c < t->points->d; c++) {
        real x = panel[SMR_TILE_GROUP * c], y = 0;
        if (j < n && t->B->column[j] == c) y = v[j++];
        if (x != 0 || y != 0) sum += kind == SMR_KERNEL_CHI2 ? CHI2(1, &x, &y) : L1(1, &x, &y);
    }
    return sum;
}

/* One row of a tile of laplacian or chi2. */
static void K(apart)(const smr_kernel_tile *t, const smr_kernel_node *node, real gamma, int64_t a,
                     real *out)
{
    int64_t d = t->points->d, row = t->row + a;
    bool chi2 = node->kind == SMR_KERNEL_CHI2;
    const real *x = t->A->x ? (const real *)t->A->x + row * d : NULL;
    if (t->A->rows) K(spread)(t->A, row, 0, false, t->work);
    for (int64_t b = 0; b < t->w; b++) {
        int64_t at = t->B->start ? smr_side_at(t->B, t->column + b) : 0;
        const real *y = x ? (const real *)t->B->x + (t->column + b) * d : NULL;
        real sum = t->A->rows ? K(merge_spread)(node->kind, t, t->work, at)
                   : !x       ? K(merge)(node->kind, t->A, smr_side_at(t->A, row), t->B, at)
                   : chi2     ? CHI2(d, x, y)
                              : L1(d, x, y);
        out[b] = -gamma * sum;
    }
    EXP(t->w, out, out);
    if (t->A->rows) K(spread)(t->A, row, 0, true, t->work);
}

static smr_status K(texts)(smr_ctx *ctx, const smr_kernel_tile *t, const smr_kernel_node *node,
                           real *out, int64_t ld)
{
    smr_status st = SMR_OK;
    int32_t row[SMR_TILE_ROWS], column[SMR_TILE_COLUMNS];
    double *value = NULL;
    size_t used = t->room ? t->room->used : 0;
    TRY_TAKE(t->room, value, t->m * t->w + 1);
    for (int64_t a = 0; a < t->m; a++) row[a] = (int32_t)smr_side_at(t->A, t->row + a);
    for (int64_t b = 0; b < t->w; b++) column[b] = (int32_t)smr_side_at(t->B, t->column + b);
    TRY(smr_text_values(ctx, &(smr_text_tile){.node = node,
                                              .A = &t->A->text[node->leaf],
                                              .B = &t->B->text[node->leaf],
                                              .m = t->m,
                                              .w = t->w,
                                              .row = row,
                                              .column = column,
                                              .lower = t->lower,
                                              .out = value,
                                              .ld = t->w,
                                              .room = t->room}));
    for (int64_t a = 0; a < t->m; a++)
        for (int64_t b = 0; b < t->w; b++) out[a * ld + b] = (real)value[a * t->w + b];
out:
    smr_text_give(t->room, value);
    smr_text_rewind(t->room, used);
    return st;
}

static smr_status K(word)(smr_ctx *ctx, const smr_kernel_tile *t, const smr_kernel_node *node,
                          real *out, int64_t ld)
{
    real gamma = (real)t->points->gamma[node->leaf];
    if (smr_kernel_is_of_text(node->kind)) return K(texts)(ctx, t, node, out, ld);
    bool apart = node->kind == SMR_KERNEL_LAPLACIAN || node->kind == SMR_KERNEL_CHI2;
    bool given = node->kind == SMR_KERNEL_PRECOMPUTED;
    if (!apart && !given) K(products)(t, out, ld);
    for (int64_t a = 0; a < t->m; a++) {
        real *row = out + a * ld;
        const real *x = given ? (const real *)t->A->x + (t->row + a) * t->points->d : NULL;
        for (int64_t b = 0; given && b < t->w; b++) row[b] = x[t->B->place[t->column + b]];
        if (apart) K(apart)(t, node, gamma, a, row);
        if (apart || given) continue;
        const real *norm = (const real *)t->A->norm + t->row + a;
        K(formula)(node, gamma, t->w, norm, 0, (const real *)t->B->norm + t->column, row);
    }
    return SMR_OK;
}

/* ---- the expression --------------------------------------------------------------------- */

/* A value on the way: a tile, or a number that stands for one. */
typedef struct {
    real *tile;
    int64_t ld;
    bool is_number;
    real number;
} K(value);

static void K(combine)(smr_kernel_op op, int64_t m, int64_t w, K(value) * x, K(value) * y)
{
    bool sum = op == SMR_KERNEL_SUM;
    if (x->is_number && y->is_number) {
        x->number = sum ? x->number + y->number : x->number * y->number;
        return;
    }
    K(value) to = x->is_number ? *y : *x;
    for (int64_t a = 0; a < m; a++) {
        real *t = to.tile + a * to.ld;
        const real *s = y->tile + a * y->ld;
        real c = x->is_number ? x->number : y->number;
        bool number = x->is_number || y->is_number;
        for (int64_t b = 0; b < w; b++) {
            real other = number ? c : s[b];
            t[b] = sum ? t[b] + other : t[b] * other;
        }
    }
    if (x->is_number) { /* each keeps a tile of its own */
        K(value) rest = *x;
        *x = to;
        y->tile = rest.tile;
        y->ld = rest.ld;
    }
}

/* exp, a power, or a scaling, whose factors are fa of the row and fb (w) of the columns. */
static void K(change)(const smr_kernel_node *node, int64_t w, real fa, const real *fb, real *t)
{
    if (node->op == SMR_KERNEL_EXP)
        EXP(w, t, t);
    else if (node->op == SMR_KERNEL_POWER)
        for (int64_t b = 0; b < w; b++) t[b] = K(power)(t[b], node->power);
    else
        for (int64_t b = 0; b < w; b++) t[b] *= fa * fb[b];
}

static void K(change_number)(const smr_kernel_node *node, real *c)
{
    if (node->op == SMR_KERNEL_EXP) EXP(1, c, c);
    if (node->op == SMR_KERNEL_POWER) *c = K(power)(*c, node->power);
}

static void K(fill)(K(value) * v, int64_t m, int64_t w)
{
    for (int64_t a = 0; v->is_number && a < m; a++)
        for (int64_t b = 0; b < w; b++) v->tile[a * v->ld + b] = v->number;
    v->is_number = false;
}

/* Where the values on the way lie: the first in the result itself. */
static void K(lay_out)(const smr_kernel_tile *t, K(value) * stack, int64_t depth)
{
    int64_t room = smr_tile_room(t->points);
    for (int64_t k = 0; k < depth; k++)
        stack[k] = (K(value)){.tile = (real *)t->work + room + k * SMR_TILE_ROWS * SMR_TILE_COLUMNS,
                              .ld = SMR_TILE_COLUMNS};
    stack[0].tile = t->out;
    stack[0].ld = t->ld;
}

static void K(scale)(const smr_kernel_tile *t, int64_t node, K(value) * v)
{
    const smr_kernel_node *n = &t->kernel->node[node];
    int64_t s = n->op == SMR_KERNEL_SCALING ? smr_scaling_number(t->kernel, node) : 0;
    const real *fa = t->A->f ? (const real *)t->A->f + s * t->A->f_stride + t->row : NULL;
    const real *fb = t->B->f ? (const real *)t->B->f + s * t->B->f_stride + t->column : NULL;
    for (int64_t a = 0; a < t->m; a++) K(change)(n, t->w, fa ? fa[a] : 1, fb, v->tile + a * v->ld);
}

smr_status K(smr_tile)(smr_ctx *ctx, const smr_kernel_tile *t)
{
    smr_status st = SMR_OK;
    K(value) stack[SMR_KERNEL_DEPTH];
    int64_t top = -1;
    K(lay_out)(t, stack, t->points->ready->depth);
    for (int64_t i = 0; i < t->kernel->n; i++) {
        const smr_kernel_node *node = &t->kernel->node[i];
        bool binary = node->op == SMR_KERNEL_SUM || node->op == SMR_KERNEL_PRODUCT;
        if (node->op == SMR_KERNEL_WORD) {
            top++;
            stack[top].is_number = false;
            TRY(K(word)(ctx, t, node, stack[top].tile, stack[top].ld));
        } else if (node->op == SMR_KERNEL_CONSTANT) {
            stack[++top].is_number = true;
            stack[top].number = (real)node->number;
        } else if (binary) {
            top--;
            K(combine)(node->op, t->m, t->w, &stack[top], &stack[top + 1]);
        } else if (stack[top].is_number && node->op != SMR_KERNEL_SCALING) {
            K(change_number)(node, &stack[top].number);
        } else {
            K(fill)(&stack[top], t->m, t->w);
            K(scale)(t, i, &stack[top]);
        }
    }
    K(fill)(&stack[0], t->m, t->w);
    for (int64_t a = 0; stack[0].tile != t->out && a < t->m; a++)
        memcpy((real *)t->out + a * t->ld, stack[0].tile + a * stack[0].ld,
               (size_t)t->w * sizeof(real));
out:
    return st;
}

/* ---- a row with itself ------------------------------------------------------------------ */

static void K(self_word)(const smr_kernel_tile *t, const smr_kernel_node *node, real *out)
{
    const real *norm = t->B->norm ? (const real *)t->B->norm + t->column : NULL;
    real gamma = (real)t->points->gamma[node->leaf];
    bool one = node->kind == SMR_KERNEL_LAPLACIAN || node->kind == SMR_KERNEL_CHI2;
    if (smr_kernel_is_of_text(node->kind)) {
        for (int64_t b = 0; b < t->w; b++)
            out[b] = (real)smr_text_self(node, &t->B->text[node->leaf],
                                         smr_side_at(t->B, t->column + b));
    } else if (node->kind == SMR_KERNEL_PRECOMPUTED) {
        for (int64_t b = 0; b < t->w; b++)
            out[b] = ((const real *)
                          t->B->x)[(t->column + b) * t->points->d + t->B->place[t->column + b]];
    } else {
        for (int64_t b = 0; b < t->w; b++) out[b] = one ? 1 : norm[b];
        if (!one) K(formula)(node, gamma, t->w, norm, 1, norm, out);
    }
}

/* f of s = K(x, x). */
static void K(factors)(smr_kernel_scaling f, int64_t w, const real *s, real *out)
{
    for (int64_t b = 0; b < w; b++)
        out[b] = f == SMR_KERNEL_NORMALIZE ? (s[b] > 0 ? 1 / SQRT(s[b]) : 0)
                 : f == SMR_KERNEL_SOFTEN  ? 1 / SQRT(1 + (s[b] > 0 ? s[b] : 0))
                                           : -s[b] / 2;
    if (f == SMR_KERNEL_DAMP) EXP(w, out, out);
}

smr_status K(smr_self)(smr_ctx *ctx, const smr_kernel_tile *t, void *f_)
{
    real *f = f_, *own = NULL;
    K(value) stack[SMR_KERNEL_DEPTH];
    int64_t top = -1;
    (void)ctx;
    K(lay_out)(t, stack, t->points->ready->depth);
    for (int64_t i = 0; i < t->kernel->n; i++) {
        const smr_kernel_node *node = &t->kernel->node[i];
        bool binary = node->op == SMR_KERNEL_SUM || node->op == SMR_KERNEL_PRODUCT;
        if (node->op == SMR_KERNEL_WORD) {
            stack[++top].is_number = false;
            K(self_word)(t, node, stack[top].tile);
        } else if (node->op == SMR_KERNEL_CONSTANT) {
            stack[++top].is_number = true;
            stack[top].number = (real)node->number;
        } else if (binary) {
            top--;
            K(combine)(node->op, 1, t->w, &stack[top], &stack[top + 1]);
        } else {
            K(fill)(&stack[top], 1, t->w);
            if (node->op != SMR_KERNEL_SCALING) {
                K(change)(node, t->w, 1, NULL, stack[top].tile);
                continue;
            }
            own = f + smr_scaling_number(t->kernel, i) * t->B->f_stride + t->column;
            K(factors)(node->f, t->w, stack[top].tile, own);
            for (int64_t b = 0; b < t->w; b++) stack[top].tile[b] *= own[b] * own[b];
        }
    }
    K(fill)(&stack[0], 1, t->w);
    if (stack[0].tile != t->out) memcpy(t->out, stack[0].tile, (size_t)t->w * sizeof(real));
    return SMR_OK;
}
