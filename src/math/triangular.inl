/* triangular.inl -- triangular solves in one precision.
 * The including file binds  real,  K(name),  GRID,  UPDATE,  RUN,  SOLVE  and  PANEL. */

/* A block of the triangle, the unknowns in the order in which they are found. */
typedef struct {
    int64_t n;     /* of the block                                    */
    int64_t pitch; /* minus: row j has -T_jk, k < j                   */
    real *minus, *diagonal;
    real *B;           /* at the first unknown                            */
    int64_t step, ldb; /* to the next unknown (1 or -1), to the next column */
    int64_t n_rhs;
    real *panels; /* lanes x n x PANEL                               */
} K(block);

/* T_jk is at[j * down + k * across]; in the order of the unknowns, so the distances may be
 * negative. */
typedef struct {
    const real *at;
    int64_t down, across;
    bool unit;
} K(view);

static K(view) K(view_of)(smr_side side, int64_t n, const real *T, int64_t ldt)
{
    K(view) v = {T, side.transpose ? ldt : 1, side.transpose ? 1 : ldt, side.unit};
    if (side.upper == side.transpose) return v; /* forwards */
    v.at += (n - 1) * (ldt + 1);
    v.down = -v.down;
    v.across = -v.across;
    return v;
}

static void K(take_triangle)(K(view) v, int64_t first, K(block) * b)
{
    const real *at = v.at + first * (v.down + v.across);
    for (int64_t j = 0; j < b->n; j++) {
        for (int64_t k = 0; k < j; k++) b->minus[j * b->pitch + k] = -at[j * v.down + k * v.across];
        b->diagonal[j] = v.unit ? 1 : at[j * (v.down + v.across)];
    }
}

/* Columns c0 .. c1 of B, at most PANEL. */
static void K(solve_panel)(const K(block) * b, int64_t c0, int64_t c1, real *panel)
{
    for (int64_t c = c0; c < c0 + PANEL; c++) {
        const real *from = b->B + c * b->ldb;
        for (int64_t j = 0; j < b->n; j++)
            panel[j * PANEL + c - c0] = c < c1 ? from[j * b->step] : 0;
    }
    K(smr_solve)(b->n, b->minus, b->pitch, b->diagonal, panel);
    for (int64_t c = c0; c < c1; c++) {
        real *to = b->B + c * b->ldb;
        for (int64_t j = 0; j < b->n; j++) to[j * b->step] = panel[j * PANEL + c - c0];
    }
}

static smr_status K(solve_task)(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx;
    const K(block) *b = arg;
    int64_t c0 = task * PANEL;
    K(solve_panel)(b, c0, SMR_MIN(b->n_rhs, c0 + PANEL), b->panels + lane * b->n * PANEL);
    return SMR_OK;
}

static smr_status K(solve_block)(smr_ctx *ctx, K(block) * b)
{
    int64_t n_tasks = smr_block_count(b->n_rhs, PANEL);
    if ((double)b->n * (double)b->n * (double)b->n_rhs > SMR_SOLVE_FEW)
        return smr_parallel(ctx, NULL, n_tasks, K(solve_task), b);
    for (int64_t t = 0; t < n_tasks; t++) (void)K(solve_task)(ctx, b, t, 0);
    return SMR_OK;
}

/* The unknowns after first .. next lose what those contribute. */
static smr_status K(pass_on)(smr_ctx *ctx, smr_side side, int64_t n, const K(view) * v,
                             int64_t first, int64_t next, const K(block) * b)
{
    int64_t rest = n - next, size = next - first;
    UPDATE u = {.m = rest, .n = b->n_rhs, .k = size, .ldc = b->ldb, .minus = true};
    u.A = (GRID){v->at + next * v->down + first * v->across, v->down, v->across};
    u.B = (GRID){b->B, 1, b->ldb};
    u.C = b->B + size * b->step;
    if (side.upper != side.transpose) { /* backwards: each begins at its other end */
        u.A.at += (rest - 1) * v->down + (size - 1) * v->across;
        u.A.down = -v->down;
        u.A.across = -v->across;
        u.B.at -= size - 1;
        u.C -= rest - 1;
    }
    return RUN(ctx, &u);
}

/* `b` has room for a block. */
static smr_status K(solve_all)(smr_ctx *ctx, smr_side side, int64_t n, const real *T, int64_t ldt,
                               K(block) * b)
{
    smr_status st = SMR_OK;
    bool forwards = side.upper == side.transpose;
    K(view) v = K(view_of)(side, n, T, ldt);
    for (int64_t j = 0; j < n && !side.unit; j++)
        if (T[j * (ldt + 1)] == 0)
            TRY(smr_fail(ctx, SMR_ERR_NUMERIC, "triangular solve: the diagonal is zero at row %lld",
                         (long long)j + 1));
    if (!forwards) b->B += n - 1;
    b->step = forwards ? 1 : -1;
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t next = SMR_MIN(n, first + BLOCK);
        b->n = next - first;
        K(take_triangle)(v, first, b);
        TRY(K(solve_block)(ctx, b));
        if (next < n) TRY(K(pass_on)(ctx, side, n, &v, first, next, b));
        b->B += b->n * b->step;
    }
out:
    return st;
}

smr_status SOLVE(smr_ctx *ctx, smr_side side, int64_t n, int64_t n_rhs, const real *T, int64_t ldt,
                 real *B, int64_t ldb)
{
    smr_status st = SMR_OK;
    real small[FEW * (FEW + PANEL + 1)] __attribute__((aligned(64))), *room = NULL;
    K(block) b = {.B = B, .ldb = ldb, .n_rhs = n_rhs, .panels = small};
    TRY(smr_check_shape(ctx, "triangular solve", n, n, ldt));
    TRY(smr_check_shape(ctx, "triangular solve", n, n_rhs, ldb));
    if (n == 0 || n_rhs == 0) return SMR_OK;
    int64_t most = SMR_MIN(n, BLOCK), lanes = 1;
    bool is_small = n <= FEW && (double)(n * n) * (double)n_rhs <= SMR_SOLVE_FEW;
    b.pitch = is_small ? most : PITCH;
    if (!is_small) {
        lanes = smr_lanes(ctx);
        room = smr_alloc_raw(ctx, most * (lanes * PANEL + PITCH + 1), sizeof(real));
        if (!room) return SMR_ERR_NOMEM;
        b.panels = room;
    }
    b.minus = b.panels + lanes * most * PANEL;
    b.diagonal = b.minus + most * b.pitch;
    TRY(K(solve_all)(ctx, side, n, T, ldt, &b));
out:
    smr_free(room);
    return st;
}
