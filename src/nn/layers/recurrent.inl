/* recurrent.inl -- the body of recurrent.c, for one type of number.
 *
 * Arrays of rows and steps are told by where they begin, how far rows and how far steps are apart,
 * in numbers: while training all steps are kept, while predicting a block of them, or one. */

typedef struct {
    R *at;
    int64_t row, step;
} L(grid);

static R *L(in_grid)(L(grid) g, int64_t row, int64_t step)
{
    return g.at + row * g.row + step * g.step;
}

/* One direction of a pass. */
typedef struct {
    const smr_nn_pass *p;
    struct sizes s;
    int64_t side;
    bool back; /* steps are taken from the last to the first */
    L(grid) z, c, y;
    R *last; /* give=last: where its row 0 goes */
    const R *zeros;
    int64_t block; /* steps of z */
} L(side);

/* ---- memory ----------------------------------------------------------------------------- */

/* Packed, for each side: the bias of z, panels of W (of gru's n apart) and U; training: those of
 * their transposes. */
typedef struct {
    const R *bias;
    const char *w, *w_apart, *u, *w_back, *w_back_apart, *u_back;
    int64_t bytes;
} L(panels);

static L(panels)
    L(panels_of)(const struct sizes *s, const void *packed, int64_t side, bool training)
{
    const int64_t apart = s->gates - joined(s);
    const int64_t bytes[7] = {round_up(s->z * (int64_t)sizeof(R)),
                              K(panels_size)(joined(s), s->d),
                              K(panels_size)(apart, s->d),
                              K(panels_size)(s->gates, s->h),
                              training ? K(panels_size)(s->d, joined(s)) : 0,
                              training ? K(panels_size)(s->d, apart) : 0,
                              training ? K(panels_size)(s->h, s->gates) : 0};
    int64_t sum = 0;
    for (int i = 0; i < 7; i++) sum += round_up(bytes[i]);
    const char *at = packed ? (const char *)packed + side * sum : NULL, *part[7] = {NULL};
    for (int i = 0; at && i < 7; i++) {
        part[i] = at;
        at += round_up(bytes[i]);
    }
    return (L(panels)){(const R *)(const void *)part[0],
                       part[1],
                       part[2],
                       part[3],
                       part[4],
                       part[5],
                       part[6],
                       sum};
}

/* Of z, c and, where not all is given, y; of a row. */
static void L(kept_sizes)(const struct sizes *s, int64_t size[3])
{
    size[0] = s->T * s->z;
    size[1] = s->cell->kind == SMR_CELL_LSTM ? s->T * s->h : 0;
    size[2] = s->params->give == LAST ? s->T * s->h : 0;
}

static smr_nn_needs L(needs)(const smr_nn_node *node, const smr_nn_item *in, int64_t chunk,
                             int64_t rows, bool training)
{
    struct sizes s = sizes_of(node, in);
    int64_t size[3], R_ = (int64_t)sizeof(R), h = s.h * R_;
    smr_nn_needs needs = {.packed = s.sides * L(panels_of)(&s, NULL, 0, training).bytes};
    L(kept_sizes)(&s, size);
    if (!training) {
        int64_t block = SMR_MIN(BLOCK, s.T);
        needs.scratch = chunk * (block * s.z * R_ + 2 * h) + h + 256;
        needs.state = s.params->direction == FORWARD ? 2 * h : 0;
        return needs;
    }
    needs.kept = s.sides * (size[0] + size[1] + size[2]) * R_;
    int64_t turned = TILE * (rows * s.T + 2) * R_;
    needs.scratch = SMR_MAX(2 * chunk * h + h + 256, round_up(turned));
    needs.collected = round_up(K(panels_size)(s.d, rows * s.T)) +
                      s.sides * round_up(K(panels_size)(s.h, rows * s.T));
    needs.collects = smr_block_count(s.d, COLUMNS) + s.sides * smr_block_count(s.h, COLUMNS);
    needs.tiles = s.sides * s.cell->gates * smr_block_count(s.h, TILE);
    return needs;
}

/* While training: array number i of side `side`, those of all rows one after the other. */
static L(grid) L(kept)(const smr_nn_pass *p, const struct sizes *s, int64_t side, int i)
{
    int64_t size[3], before = 0, all;
    L(kept_sizes)(s, size);
    all = size[0] + size[1] + size[2];
    for (int k = 0; k < i; k++) before += size[k];
    R *base = (R *)p->kept - s->sides * all * p->first;
    R *at = base + (side * all + before) * p->n_batch + size[i] * p->first;
    return (L(grid)){at, size[i], size[i] / s->T};
}

static void L(pack)(const smr_nn_pass *p)
{
    struct sizes s = sizes_of(p->node, p->in);
    int64_t at = joined(&s), apart = s.gates - at;
    for (int64_t side = 0; side < s.sides; side++) {
        void *const *w = p->w + side * s.cell->parts;
        const R *W = w[0], *U = w[1], *b = w[2];
        L(panels) to = L(panels_of)(&s, p->packed, side, p->training);
        R *bias = smr_nn_beyond(p->packed, side * to.bytes);
        memcpy(bias, b, (size_t)at * sizeof(R));
        if (apart) {
            memcpy(bias + at, w[3], (size_t)s.h * sizeof(R));
            memcpy(bias + at + s.h, b + at, (size_t)s.h * sizeof(R));
            K(pack)(apart, s.d, W + at * s.d, s.d, (void *)(uintptr_t)to.w_apart);
        }
        K(pack)(at, s.d, W, s.d, (void *)(uintptr_t)to.w);
        K(pack)(s.gates, s.h, U, s.h, (void *)(uintptr_t)to.u);
        if (!p->training) continue;
        K(pack_columns)(s.d, at, W, s.d, 1, (void *)(uintptr_t)to.w_back);
        if (apart) K(pack_columns)
        (s.d, apart, W + at * s.d, s.d, 1, (void *)(uintptr_t)to.w_back_apart);
        K(pack_columns)(s.h, s.gates, U, s.h, 1, (void *)(uintptr_t)to.u_back);
    }
}

/* ---- forward ---------------------------------------------------------------------------- */

/* What steps lo .. lo + n - 1 of the sequence give z, b and all: as one product where they are all
 * steps, else a row at a time. */
static void L(take_input)(const L(side) * r, const L(panels) * from, int64_t lo, int64_t n)
{
    const struct sizes *s = &r->s;
    bool whole = n == s->T && r->z.row == s->T * s->z;
    int64_t rows = whole ? r->p->n * n : n, at = joined(s), apart = s->gates - at;
    for (int64_t b = 0; b < (whole ? 1 : r->p->n); b++) {
        const R *x = (const R *)r->p->x[0] + (b * s->T + lo) * s->d;
        R *z = L(in_grid)(r->z, b, 0);
        K(put_rows)(rows, s->z, from->bias, z);
        K(product_add)(rows, at, s->d, x, s->d, from->w, z, s->z);
        if (apart) K(product_add)(rows, apart, s->d, x, s->d, from->w_apart, z + at + s->h, s->z);
    }
}

/* Step t, which lies at place i of z; y and c of the step before, rows `row` apart. */
static void L(go_step)(const L(side) * r, const L(panels) * from, int64_t t, int64_t i,
                       L(grid) was_y, L(grid) was_c)
{
    const struct sizes *s = &r->s;
    const smr_nn_pass *p = r->p;
    if (was_y.at) K(product_add)
    (p->n, s->gates, s->h, was_y.at, was_y.row, from->u, L(in_grid)(r->z, 0, i), r->z.row);
    bool lstm = s->cell->kind == SMR_CELL_LSTM;
    for (int64_t b = 0; b < p->n; b++) {
        L(grid) was = lstm ? was_c : was_y;
        R *y = L(in_grid)(r->y, b, t), *c = lstm ? L(in_grid)(r->c, b, t) : NULL;
        int64_t n = counted(p, s, b);
        if (t < n) K(cell)
        (s->cell->kind, s->h, L(in_grid)(r->z, b, i), was.at ? was.at + b * was.row : r->zeros, c,
         y);
        else memset(y, 0, (size_t)s->h * sizeof(R));
        if (t >= n && lstm) memset(c, 0, (size_t)s->h * sizeof(R));
        if (r->last && t == (r->back ? 0 : n - 1))
            memcpy(r->last + b * s->sides * s->h, y, (size_t)s->h * sizeof(R));
        if (!p->state || t != n - 1) continue;
        R *state = (R *)(void *)(p->state + b * p->state_row);
        memcpy(state, y, (size_t)s->h * sizeof(R));
        if (lstm) memcpy(state + s->h, c, (size_t)s->h * sizeof(R));
    }
}

static void L(run_side)(const L(side) * r)
{
    const struct sizes *s = &r->s;
    const smr_nn_pass *p = r->p;
    L(panels) from = L(panels_of)(s, p->packed, r->side, p->training);
    int64_t apart = p->state_row / (int64_t)sizeof(R);
    L(grid) y = {(R *)(void *)p->state, apart, 0}, c = {p->state ? y.at + s->h : NULL, apart, 0};
    for (int64_t lo = 0; lo < s->T; lo += r->block) {
        int64_t n = SMR_MIN(r->block, s->T - lo), first = r->back ? s->T - lo - n : lo;
        L(take_input)(r, &from, first, n);
        for (int64_t k = 0; k < n; k++) {
            int64_t i = r->back ? n - 1 - k : k, t = first + i;
            L(go_step)(r, &from, t, i, y, c);
            y = (L(grid)){L(in_grid)(r->y, 0, t), r->y.row, 0};
            c = (L(grid)){r->c.at ? L(in_grid)(r->c, 0, t) : NULL, r->c.row, 0};
        }
    }
}

/* Where y and c of all steps are: kept, or those of one step in scratch. */
static L(side) L(side_of)(const smr_nn_pass *p, int64_t side)
{
    struct sizes s = sizes_of(p->node, p->in);
    int64_t out = s.sides * s.h;
    L(side) r = {.p = p, .s = s, .side = side, .back = goes_back(s.params, side), .block = s.T};
    bool last = s.params->give == LAST;
    if (last) r.last = (R *)p->y + side * s.h;
    r.y = (L(grid)){(R *)p->y + side * s.h, s.T * out, out};
    if (p->training) {
        r.z = L(kept)(p, &s, side, 0);
        if (s.cell->kind == SMR_CELL_LSTM) r.c = L(kept)(p, &s, side, 1);
        if (last) r.y = L(kept)(p, &s, side, 2);
        return r;
    }
    r.block = SMR_MIN(BLOCK, s.T);
    R *at = p->scratch;
    r.zeros = at;
    at += s.h;
    r.c = (L(grid)){at, s.h, 0};
    at += p->n * s.h;
    if (last) r.y = (L(grid)){at, s.h, 0};
    at += p->n * s.h;
    r.z = (L(grid)){at, r.block * s.z, s.z};
    return r;
}

static void L(forward)(const smr_nn_pass *p)
{
    struct sizes s = sizes_of(p->node, p->in);
    memset(p->scratch, 0, (size_t)s.h * sizeof(R));
    if (s.params->give == LAST) memset(p->y, 0, (size_t)(p->n * s.sides * s.h) * sizeof(R));
    for (int64_t side = 0; side < s.sides; side++) {
        L(side) r = L(side_of)(p, side);
        r.zeros = p->scratch;
        L(run_side)(&r);
    }
}

/* ---- backward --------------------------------------------------------------------------- */

/* dy: what later steps and the layers after it say, of each row; dc: of c. */
static void L(step_back)(const L(side) * r, int64_t t, bool first, R *dy, R *dc)
{
    const struct sizes *s = &r->s;
    const smr_nn_pass *p = r->p;
    int64_t out = s->sides * s->h, was = r->back ? t + 1 : t - 1;
    bool lstm = s->cell->kind == SMR_CELL_LSTM;
    for (int64_t b = 0; b < p->n; b++) {
        int64_t n = counted(p, s, b), h = s->h;
        R *z = L(in_grid)(r->z, b, t), *d = dy + b * h;
        const R *from = (const R *)p->dy + r->side * h;
        if (t >= n) {
            memset(z, 0, (size_t)s->z * sizeof(R));
            memset(d, 0, (size_t)h * sizeof(R));
            memset(dc + b * h, 0, (size_t)h * sizeof(R));
            continue;
        }
        if (!r->last)
            K(add)(h, from + (b * s->T + t) * out, d);
        else if (t == (r->back ? 0 : n - 1))
            K(add)(h, from + b * out, d);
        const R *before = first ? r->zeros : L(in_grid)(lstm ? r->c : r->y, b, was);
        K(cell_back)
        (s->cell->kind, h, z, before, L(in_grid)(lstm ? r->c : r->y, b, t), d, dc + b * h);
    }
}

static void L(backward)(const smr_nn_pass *p)
{
    struct sizes s = sizes_of(p->node, p->in);
    int64_t rows = p->n * s.T, at = joined(&s), apart = s.gates - at;
    R *zeros = p->scratch, *dy = zeros + s.h, *dc = dy + p->n * s.h;
    for (int64_t side = 0; side < s.sides; side++) {
        L(side) r = L(side_of)(p, side);
        L(panels) from = L(panels_of)(&s, p->packed, side, true);
        memset(zeros, 0, (size_t)((2 * p->n + 1) * s.h) * sizeof(R));
        r.zeros = zeros;
        for (int64_t k = s.T - 1; k >= 0; k--) {
            int64_t t = r.back ? s.T - 1 - k : k;
            L(step_back)(&r, t, k == 0, dy, dc);
            if (k > 0) K(product_add)
            (p->n, s.h, s.gates, L(in_grid)(r.z, 0, t), r.z.row, from.u_back, dy, s.h);
        }
        R *dx = p->dx[0];
        if (!dx) continue;
        K(product_add)(rows, s.d, at, r.z.at, s.z, from.w_back, dx, s.d);
        if (apart) K(product_add)
        (rows, s.d, apart, r.z.at + at + s.h, s.z, from.w_back_apart, dx, s.d);
    }
}

/* ---- gradients -------------------------------------------------------------------------- */

/* Panels of x and of each side's y, whose rows are the steps of all rows. */
static char *L(panels_at)(const smr_nn_pass *p, const struct sizes *s, int64_t which)
{
    int64_t n = p->n * s->T;
    char *at = p->collected;
    if (which == 0) return at;
    at += round_up(K(panels_size)(s->d, n));
    return at + (which - 1) * round_up(K(panels_size)(s->h, n));
}

static void L(collect)(const smr_nn_pass *p, int64_t task)
{
    struct sizes s = sizes_of(p->node, p->in);
    int64_t n = p->n * s.T, of_x = smr_block_count(s.d, COLUMNS);
    int64_t each = smr_block_count(s.h, COLUMNS), side = task < of_x ? 0 : (task - of_x) / each;
    int64_t block = task < of_x ? task : (task - of_x) % each, lo = block * COLUMNS;
    int64_t width = task < of_x ? s.d : s.h, ld = s.d;
    const R *from = p->x[0];
    if (task >= of_x) {
        smr_nn_pass mine = *p;
        L(grid) y = L(side_of)(&mine, side).y;
        from = y.at;
        ld = y.step;
    }
    R *to = (R *)(void *)L(panels_at)(p, &s, task < of_x ? 0 : 1 + side);
    K(pack_columns)(SMR_MIN(COLUMNS, width - lo), n, from + lo, ld, 1, to + lo * n);
}

/* Columns at .. at + units - 1 of z, each as a row of n numbers with one before and one after. */
static void L(turn)(const R *z, int64_t ld, int64_t n, int64_t units, R *to)
{
    for (int64_t i = 0; i < n; i += AHEAD) {
        int64_t some = SMR_MIN(AHEAD, n - i);
        for (int64_t u = 0; u < units; u++)
            for (int64_t k = 0; k < some; k++) to[u * (n + 2) + 1 + i + k] = z[(i + k) * ld + u];
    }
}

static void L(sum_columns)(const R *z, int64_t ld, int64_t n, int64_t units, R *to)
{
    memset(to, 0, (size_t)units * sizeof(R));
    for (int64_t i = 0; i < n; i++)
        for (int64_t u = 0; u < units; u++) to[u] += z[i * ld + u];
}

/* A step's z is multiplied by the y of the step before: y's place is then that of the next step,
 * and what would come from another row is 0. */
static void L(shift)(const struct sizes *s, int64_t n, int64_t units, bool back, R *turned)
{
    for (int64_t u = 0; u < units; u++, turned += n + 2) {
        turned[0] = turned[n + 1] = 0;
        for (int64_t i = back ? s->T - 1 : 0; i < n; i += s->T) turned[1 + i] = 0;
    }
}

static void L(gradient)(const smr_nn_pass *p, int64_t tile)
{
    struct sizes s = sizes_of(p->node, p->in);
    int64_t blocks = smr_block_count(s.h, TILE), lo = tile % blocks * TILE;
    int64_t gate = tile / blocks % s.cell->gates, side = tile / blocks / s.cell->gates;
    int64_t n = p->n * s.T, units = smr_block_end(s.h, TILE, tile % blocks) - lo;
    int64_t row = gate * s.h + lo;
    bool apart = gate * s.h >= joined(&s), back = goes_back(s.params, side);
    void *const *g = p->g + side * s.cell->parts;
    const R *z = L(kept)(p, &s, side, 0).at + row, *of_x = z + (apart ? s.h : 0);
    R *turned = p->scratch;
    L(turn)(of_x, s.z, n, units, turned);
    K(product)
    (units, s.d, n, turned + 1, n + 2, L(panels_at)(p, &s, 0), (R *)g[0] + row * s.d, s.d);
    L(sum_columns)(of_x, s.z, n, units, (R *)g[2] + row);
    if (apart) {
        L(turn)(z, s.z, n, units, turned);
        L(sum_columns)(z, s.z, n, units, (R *)g[3] + lo);
    }
    L(shift)(&s, n, units, back, turned);
    K(product)
    (units, s.h, n, turned + (back ? 0 : 2), n + 2, L(panels_at)(p, &s, 1 + side),
     (R *)g[1] + row * s.h, s.h);
}

static const smr_nn_code L(code) = {
    .needs = L(needs),
    .pack = L(pack),
    .forward = L(forward),
    .backward = L(backward),
    .collect = L(collect),
    .gradient = L(gradient),
};
