/* cholesky.inl -- the factor, in one precision.
 * The including file binds  real,  K(name),  GRID,  UPDATE,  RUN,  FACTOR,  SQRT  and  PANEL. */

typedef struct {
    int64_t n, pitch;       /* of the block; row j of minus has -L_jk, k < j                   */
    real *minus, *diagonal; /* diagonal: L_jj                                               */
    real *panels;           /* lanes x BLOCK x PANEL                                           */
    real *A;                /* the block's columns, at the first row below it                  */
    int64_t lda, below;     /* rows there                                                      */
} K(columns);

typedef struct {
    int64_t n;
    real *A;
    int64_t lda, block, group; /* columns of a block, of the blocks that are passed on together */
    smr_room *room;
} K(whole);

/* (1) for the PANEL rows of a panel whose columns before them are done: p[c] is column first + c.
 * Returns the first pivot that fails, or -1. */
static int64_t K(finish_panel)(K(columns) * b, int64_t first, int64_t rows, real *p)
{
    for (int64_t c = 0; c < rows; c++) {
        real pivot = p[c * PANEL + c], root = SQRT(pivot);
        if (!(pivot > 0) || !isfinite(pivot)) return first + c;
        b->diagonal[first + c] = root;
        for (int64_t r = c + 1; r < rows; r++) {
            p[c * PANEL + r] /= root;
            b->minus[(first + r) * b->pitch + first + c] = -p[c * PANEL + r];
        }
        p[c * PANEL + c] = root;
        for (int64_t e = c + 1; e < rows; e++) K(smr_axpy)
        (rows - e, b->minus[(first + e) * b->pitch + first + c], p + c * PANEL + e,
         p + e * PANEL + e);
    }
    return -1;
}

/* The block's triangle at D; also fills minus and diagonal. */
static int64_t K(factor_triangle)(K(columns) * b, real *D, int64_t lda)
{
    for (int64_t first = 0; first < b->n; first += PANEL) {
        int64_t rows = SMR_MIN(PANEL, b->n - first), end = first + rows;
        real *p = b->panels;
        for (int64_t j = 0; j < end; j++) {
            int64_t above = SMR_MAX(j - first, 0); /* not A's: above the diagonal */
            memset(p + j * PANEL, 0, PANEL * sizeof(real));
            memcpy(p + j * PANEL + above, D + first + above + j * lda,
                   (size_t)(rows - above) * sizeof(real));
        }
        K(smr_solve)(first, b->minus, b->pitch, b->diagonal, p);
        for (int64_t r = 0; r < rows; r++)
            for (int64_t k = 0; k < first; k++)
                b->minus[(first + r) * b->pitch + k] = -p[k * PANEL + r];
        K(smr_product_add)
        (rows, rows, first, b->minus + first * b->pitch, b->pitch, p, p + first * PANEL, PANEL);
        int64_t failed = K(finish_panel)(b, first, rows, p + first * PANEL);
        if (failed >= 0) return failed;
        for (int64_t j = 0; j < end; j++) {
            int64_t above = SMR_MAX(j - first, 0);
            memcpy(D + first + above + j * lda, p + j * PANEL + above,
                   (size_t)(rows - above) * sizeof(real));
        }
    }
    return -1;
}

/* TASK_ROWS rows below the block. */
static smr_status K(rows_below)(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx;
    const K(columns) *b = arg;
    real *p = b->panels + lane * BLOCK * TASK_ROWS;
    int64_t lo = task * TASK_ROWS, hi = SMR_MIN(b->below, lo + TASK_ROWS);
    K(smr_pack_columns)(hi - lo, b->n, b->A + lo, b->lda, 1, p);
    for (int64_t i = 0; i < hi - lo; i += PANEL)
        K(smr_solve)(b->n, b->minus, b->pitch, b->diagonal, p + i * b->n);
    for (int64_t j = 0; j < b->n; j++)
        for (int64_t i = lo; i < hi; i += PANEL)
            memcpy(b->A + i + j * b->lda, p + ((i - lo) * b->n + j * PANEL),
                   (size_t)SMR_MIN(PANEL, hi - i) * sizeof(real));
    return SMR_OK;
}

/* The entries after columns from .. to, as far as `end` goes, lose what those contribute. */
static smr_status K(pass_on)(smr_ctx *ctx, const K(whole) * w, int64_t from, int64_t to,
                             int64_t end)
{
    const real *L = w->A + to + from * w->lda;
    UPDATE u = {.m = w->n - to, .n = end - to, .k = to - from, .ldc = w->lda};
    u.A = (GRID){L, 1, w->lda};
    u.B = (GRID){L, w->lda, 1};
    u.C = w->A + to + to * w->lda;
    u.minus = u.lower = true;
    return RUN(ctx, &u, w->room);
}

/* Columns first .. end, whose sums over the columns before are taken, a block at a time. */
static smr_status K(factor_columns)(smr_ctx *ctx, const K(whole) * w, int64_t first, int64_t end,
                                    K(columns) * b, int64_t *failed_at)
{
    smr_status st = SMR_OK;
    for (int64_t j = first; j < end; j += b->n) {
        real *D = w->A + j + j * w->lda;
        b->n = SMR_MIN(w->block, end - j);
        int64_t failed = K(factor_triangle)(b, D, w->lda);
        if (failed >= 0) {
            *failed_at = j + failed;
            return SMR_OK;
        }
        b->below = w->n - j - b->n;
        b->A = D + b->n;
        b->lda = w->lda;
        TRY(smr_tick(ctx, "factoring", j, w->n, NAN));
        if (b->below > 0)
            TRY(smr_parallel(ctx, NULL, smr_block_count(b->below, TASK_ROWS), K(rows_below), b));
        TRY(K(pass_on)(ctx, w, j, j + b->n, end));
    }
out:
    return st;
}

static smr_status K(factor_all)(smr_ctx *ctx, const K(whole) * w, K(columns) * b,
                                int64_t *failed_at)
{
    smr_status st = SMR_OK;
    *failed_at = -1;
    for (int64_t j = 0, end; j < w->n && *failed_at < 0; j = end) {
        end = SMR_MIN(w->n, j + w->group);
        TRY(K(factor_columns)(ctx, w, j, end, b, failed_at));
        if (*failed_at < 0) TRY(K(pass_on)(ctx, w, j, end, w->n));
    }
out:
    return st;
}

smr_status FACTOR(smr_ctx *ctx, int64_t n, real *A, int64_t lda, int64_t *failed_at)
{
    smr_status st = SMR_OK;
    real small[FEW * (PANEL + FEW + 1)] __attribute__((aligned(64))), *room = NULL;
    smr_room products = {0};
    K(whole) w = {n, A, lda, BLOCK, GROUP, &products};
    TRY(smr_check_shape(ctx, "cholesky", n, n, lda));
    if (n <= SMALL) w.block = w.group = SMALL_BLOCK;
    int64_t n_panels = FEW * PANEL, most = FEW;
    if (n > FEW) {
        most = BLOCK;
        n_panels = smr_lanes(ctx) * BLOCK * TASK_ROWS;
        room = smr_alloc_raw(ctx, n_panels + BLOCK * (PITCH + 1), sizeof(real));
        if (!room) return SMR_ERR_NOMEM;
    }
    K(columns) b = {.panels = room ? room : small, .pitch = room ? PITCH : FEW};
    b.minus = b.panels + n_panels;
    b.diagonal = b.minus + most * b.pitch;
    TRY(K(factor_all)(ctx, &w, &b, failed_at));
out:
    smr_free(products.bytes);
    smr_free(room);
    return st;
}
