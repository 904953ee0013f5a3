/* cholesky.inl -- the factor, in one precision.
 * The including file binds  real,  K(name),  UPDATE,  RUN,  FACTOR,  SQRT  and  PANEL. */

typedef struct {
    int64_t n, pitch;       /* of the block; row j of minus has -L_jk, k < j                   */
    real *minus, *diagonal; /* diagonal: L_jj                                               */
    real *panels;           /* lanes x BLOCK x PANEL                                           */
    real *A;                /* the block's columns, at the first row below it                  */
    int64_t lda, below;     /* rows there                                                      */
} K(columns);

/* (1) for the PANEL rows of a panel whose columns before them are done: p[c] is column first + c.
 * Answers the first pivot that fails, or -1. */
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

/* The block's triangle at D; fills minus and diagonal, too. */
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
    real *p = b->panels + lane * BLOCK * PANEL;
    int64_t lo = task * TASK_ROWS, hi = SMR_MIN(b->below, lo + TASK_ROWS);
    for (int64_t i = lo; i < hi; i += PANEL) {
        int64_t rows = SMR_MIN(PANEL, hi - i);
        if (rows < PANEL) memset(p, 0, (size_t)(b->n * PANEL) * sizeof(real));
        for (int64_t j = 0; j < b->n; j++)
            memcpy(p + j * PANEL, b->A + i + j * b->lda, (size_t)rows * sizeof(real));
        K(smr_solve)(b->n, b->minus, b->pitch, b->diagonal, p);
        for (int64_t j = 0; j < b->n; j++)
            memcpy(b->A + i + j * b->lda, p + j * PANEL, (size_t)rows * sizeof(real));
    }
    return SMR_OK;
}

static smr_status K(factor_columns)(smr_ctx *ctx, int64_t n, real *A, int64_t lda, int64_t block,
                                    K(columns) * b, int64_t *failed_at)
{
    smr_status st = SMR_OK;
    *failed_at = -1;
    for (int64_t j = 0; j < n; j += b->n) {
        real *D = A + j + j * lda;
        b->n = SMR_MIN(block, n - j);
        int64_t failed = K(factor_triangle)(b, D, lda);
        if (failed >= 0) {
            *failed_at = j + failed;
            return SMR_OK;
        }
        b->below = n - j - b->n;
        if (b->below == 0) break;
        b->A = D + b->n;
        b->lda = lda;
        TRY(smr_parallel(ctx, NULL, smr_block_count(b->below, TASK_ROWS), K(rows_below), b));
        UPDATE u = {b->below, b->below, b->n, {b->A, 1, lda}, {b->A, lda, 1}, b->A + b->n * lda,
                    lda,      true,     true};
        TRY(smr_tick(ctx, "factoring", j, n, NAN));
        TRY(RUN(ctx, &u));
    }
out:
    return st;
}

smr_status FACTOR(smr_ctx *ctx, int64_t n, real *A, int64_t lda, int64_t *failed_at)
{
    smr_status st = SMR_OK;
    real small[FEW * (FEW + 1) + 2 * PANEL * PANEL] __attribute__((aligned(64))), *room = NULL;
    K(columns) b = {.panels = small, .n = n};
    TRY(smr_check_shape(ctx, "cholesky", n, n, lda));
    int64_t block = n <= SMALL ? SMALL_BLOCK : BLOCK, lanes = 1, wide = 2 * PANEL;
    b.pitch = FEW;
    if (n > FEW) {
        lanes = smr_lanes(ctx);
        b.pitch = BLOCK + 8;
        wide = BLOCK;
        room = smr_alloc_raw(ctx, lanes * BLOCK * PANEL + BLOCK * (b.pitch + 1), sizeof(real));
        if (!room) return SMR_ERR_NOMEM;
        b.panels = room;
    }
    b.minus = b.panels + lanes * wide * PANEL;
    b.diagonal = b.minus + (n > FEW ? BLOCK : FEW) * b.pitch;
    TRY(K(factor_columns)(ctx, n, A, lda, block, &b, failed_at));
out:
    smr_free(room);
    return st;
}
