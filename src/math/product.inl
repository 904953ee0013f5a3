/* product.inl -- products that continue, in one precision.
 * The including file binds  real,  K(name),  GRID,  UPDATE,  RUN,  RUN_IN  and  PANEL. */

/* What the tasks of a region share: rows i0 .. i1, columns j0 .. j1 and steps k0 .. k0 + steps of
 * the update. */
typedef struct {
    const UPDATE *u;
    int64_t i0, i1, j0, j1, k0, steps;
    int64_t rows, columns; /* of a task */
    real *panels, *turned; /* turned: B's columns, `pitch` apart; NULL: B is read in place */
    int64_t pitch;
    int64_t lane_room; /* packs_alone: each lane has this much of `panels` */
    bool packs_alone;  /* tasks are whole rows and pack their own                     */
} K(part);

/* Rows lo .. hi (lo a multiple of PANEL after i0) into their panels, negated for a difference. */
static void K(pack_rows)(const K(part) * p, int64_t lo, int64_t hi)
{
    GRID A = p->u->A;
    real *to = p->panels + (lo - p->i0) * p->steps;
    const real *from = A.at + lo * A.down + p->k0 * A.across;
    if (A.down == 1) {
        K(smr_pack_columns)(hi - lo, p->steps, from, A.across, p->u->minus ? -1 : 1, to);
        return;
    }
    K(smr_pack)(hi - lo, p->steps, from, A.down, to);
    int64_t n = smr_block_count(hi - lo, PANEL) * PANEL * p->steps;
    for (int64_t i = 0; i < n && p->u->minus; i++) to[i] = -to[i];
}

/* Columns lo .. hi of B, each at its place in `turned`; pieces of 64 x 8, of whole lines. */
static void K(turn_columns)(const K(part) * p, int64_t lo, int64_t hi)
{
    GRID B = p->u->B;
    const real *from = B.at + p->k0 * B.down;
    for (int64_t j0 = lo; j0 < hi; j0 += 64) {
        int64_t j1 = SMR_MIN(hi, j0 + 64);
        for (int64_t k0 = 0; k0 < p->steps; k0 += 8) {
            int64_t k1 = SMR_MIN(p->steps, k0 + 8);
            for (int64_t j = j0; j < j1; j++) {
                real *to = p->turned + (j - p->j0) * p->pitch;
                for (int64_t k = k0; k < k1; k++) to[k] = from[k * B.down + j * B.across];
            }
        }
    }
}

/* C += A B on rows lo .. hi and columns a .. b; lo is the first row of a panel. */
static void K(multiply)(const K(part) * p, int64_t lo, int64_t hi, int64_t a, int64_t b, real *C,
                        int64_t ldc)
{
    GRID B = p->u->B;
    if (lo >= hi || a >= b) return;
    const real *rows =
        p->turned ? p->turned + (a - p->j0) * p->pitch : B.at + p->k0 * B.down + a * B.across;
    K(smr_product_add)
    (b - a, hi - lo, p->steps, rows, p->turned ? p->pitch : B.across,
     p->panels + (lo - p->i0) * p->steps, C, ldc);
}

/* The rows of some columns that share panels with the diagonal, through a copy. */
static void K(multiply_diagonal)(const K(part) * p, int64_t lo, int64_t hi, int64_t a, int64_t b)
{
    real copy[DIAGONAL_ROWS * DIAGONAL], *C = p->u->C;
    int64_t ldc = p->u->ldc;
    memset(copy, 0, sizeof copy);
    for (int64_t j = a; j < b; j++)
        for (int64_t i = SMR_MAX(j, lo); i < hi; i++)
            copy[(j - a) * DIAGONAL_ROWS + i - lo] = C[i + j * ldc];
    K(multiply)(p, lo, hi, a, b, copy, DIAGONAL_ROWS);
    for (int64_t j = a; j < b; j++)
        for (int64_t i = SMR_MAX(j, lo); i < hi; i++)
            C[i + j * ldc] = copy[(j - a) * DIAGONAL_ROWS + i - lo];
}

/* The first row >= i of the part that begins a panel. */
static int64_t K(panel_from)(const K(part) * p, int64_t i)
{
    return i <= p->i0 ? p->i0 : p->i0 + (i - p->i0 + PANEL - 1) / PANEL * PANEL;
}

/* Rows lo .. hi and columns a .. b of the lower triangle, lo the first row of a panel. */
static void K(multiply_lower)(const K(part) * p, int64_t lo, int64_t hi, int64_t a, int64_t b)
{
    real *C = p->u->C;
    int64_t ldc = p->u->ldc;
    for (int64_t j = a; j < b; j += DIAGONAL) {
        int64_t end = SMR_MIN(b, j + DIAGONAL);
        int64_t from =
            SMR_MAX(lo, K(panel_from)(p, j - PANEL + 1)); /* the panel that holds row j */
        int64_t below = SMR_MIN(hi, SMR_MAX(lo, K(panel_from)(p, end - 1)));
        if (from < below) K(multiply_diagonal)(p, from, below, j, end);
        K(multiply)(p, below, hi, j, end, C + below + j * ldc, ldc);
    }
}

static smr_status K(pack_task)(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const K(part) *p = arg;
    int64_t lo = p->i0 + task * PACK_ROWS;
    K(pack_rows)(p, lo, SMR_MIN(p->i1, lo + PACK_ROWS));
    return SMR_OK;
}

static smr_status K(turn_task)(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const K(part) *p = arg;
    int64_t lo = p->j0 + task * TURN_COLUMNS;
    K(turn_columns)(p, lo, SMR_MIN(p->j1, lo + TURN_COLUMNS));
    return SMR_OK;
}

static smr_status K(multiply_task)(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const K(part) *p = arg;
    int64_t across = smr_block_count(p->j1 - p->j0, p->columns);
    int64_t lo = p->i0 + task / across * p->rows, hi = SMR_MIN(p->i1, lo + p->rows);
    int64_t a = p->j0 + task % across * p->columns, b = SMR_MIN(p->j1, a + p->columns);
    if (p->u->lower && hi <= a) return SMR_OK;
    if (p->u->lower && lo < b)
        K(multiply_lower)(p, lo, hi, a, SMR_MIN(b, hi));
    else
        K(multiply)(p, lo, hi, a, b, p->u->C + lo + a * p->u->ldc, p->u->ldc);
    return SMR_OK;
}

/* A task that packs its rows, where no other needs them. */
static smr_status K(rows_task)(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const K(part) *whole = arg;
    K(part) p = *whole;
    p.i0 = whole->i0 + task * whole->rows;
    p.i1 = SMR_MIN(whole->i1, p.i0 + whole->rows);
    p.panels = whole->panels + lane * whole->lane_room;
    K(pack_rows)(&p, p.i0, p.i1);
    return K(multiply_task)(ctx, &p, 0, lane);
}

/* All tasks of one part on the caller's thread. */
static void K(run_part_alone)(K(part) * p, bool turns)
{
    if (turns) K(turn_columns)(p, p->j0, p->j1);
    K(pack_rows)(p, p->i0, p->i1);
    p->rows = p->i1 - p->i0;
    p->columns = p->j1 - p->j0;
    (void)K(multiply_task)(NULL, p, 0, 0);
}

/* Tasks are smaller where there would be few; by the sizes alone. */
static void K(cut)(K(part) * p)
{
    int64_t m = p->i1 - p->i0, n = p->j1 - p->j0;
    p->rows = 512;
    p->columns = 112;
    while (p->rows > 128 && smr_block_count(m, p->rows) * smr_block_count(n, p->columns) < 12) {
        p->rows /= 2;
        p->columns = SMR_MAX(p->columns / 2, 28);
    }
}

static smr_status K(run_part)(smr_ctx *ctx, K(part) * p, bool turns)
{
    smr_status st = SMR_OK;
    int64_t m = p->i1 - p->i0, n = p->j1 - p->j0;
    double flops = 2.0 * (double)m * (double)n * (double)p->steps;
    if (!p->packs_alone && (flops < FEW_FLOPS || smr_lanes(ctx) == 1)) {
        if (flops > 1e7) TRY(smr_tick(ctx, NULL, 0, 1, 0));
        K(run_part_alone)(p, turns);
        return SMR_OK;
    }
    if (turns && n * p->steps > 16384)
        TRY(smr_parallel(ctx, NULL, smr_block_count(n, TURN_COLUMNS), K(turn_task), p));
    else if (turns)
        K(turn_columns)(p, p->j0, p->j1);
    if (p->packs_alone) {
        p->rows = ALONE_ROWS;
        p->columns = n;
        int64_t n_rows = smr_block_count(m, p->rows);
        if (flops >= FEW_FLOPS) return smr_parallel(ctx, NULL, n_rows, K(rows_task), p);
        for (int64_t t = 0; t < n_rows; t++) (void)K(rows_task)(ctx, p, t, 0);
        return SMR_OK;
    }
    K(cut)(p);
    TRY(smr_parallel(ctx, NULL, smr_block_count(m, PACK_ROWS), K(pack_task), p));
    int64_t n_tasks = smr_block_count(m, p->rows) * smr_block_count(n, p->columns);
    TRY(smr_parallel(ctx, NULL, n_tasks, K(multiply_task), p));
out:
    return st;
}

/* All parts of the update; `p` has the memory for the largest and its steps. */
static smr_status K(run_parts)(smr_ctx *ctx, K(part) * p)
{
    smr_status st = SMR_OK;
    const UPDATE *u = p->u;
    int64_t most = p->steps, tall = p->packs_alone ? u->m : TALL;
    for (p->j0 = 0; p->j0 < u->n; p->j0 = p->j1) {
        p->j1 = SMR_MIN(u->n, p->j0 + WIDE);
        for (p->k0 = 0; p->k0 < u->k; p->k0 += p->steps) {
            bool turns = p->turned != NULL;
            p->steps = SMR_MIN(u->k - p->k0, most);
            for (p->i0 = u->lower ? p->j0 : 0; p->i0 < u->m; p->i0 = p->i1) {
                p->i1 = SMR_MIN(u->m, p->i0 + tall);
                TRY(K(run_part)(ctx, p, turns));
                turns = false;
            }
        }
    }
out:
    return st;
}

/* A few columns: nothing is packed but them.  C' += B' A' with the rows of A, or column by column
 * of A. */
static smr_status K(thin_task)(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    const K(part) *p = arg;
    const UPDATE *u = p->u;
    int64_t lo = task * THIN_ROWS, hi = SMR_MIN(u->m, lo + THIN_ROWS);
    real copy[THIN_ROWS * THIN];
    if (u->A.down == 1) {
        K(THIN_ADD)
        (u->k, hi - lo, u->n, u->A.at + lo, u->A.across, p->turned, u->C + lo, u->ldc);
        return SMR_OK;
    }
    for (int64_t i = lo; i < hi; i++)
        for (int64_t j = 0; j < u->n; j++) copy[(i - lo) * u->n + j] = u->C[i + j * u->ldc];
    K(smr_product_add)
    (hi - lo, u->n, u->k, u->A.at + lo * u->A.down, u->A.down, p->panels, copy, u->n);
    for (int64_t i = lo; i < hi; i++)
        for (int64_t j = 0; j < u->n; j++) u->C[i + j * u->ldc] = copy[(i - lo) * u->n + j];
    return SMR_OK;
}

static smr_status K(run_thin)(smr_ctx *ctx, const UPDATE *u)
{
    smr_status st = SMR_OK;
    real small[SMALL_BYTES / sizeof(real)] __attribute__((aligned(64)));
    bool by_columns = u->A.down == 1;
    int64_t room = u->k * (by_columns ? u->n : PANEL);
    real *B = small;
    if (room * (int64_t)sizeof(real) > SMALL_BYTES) B = smr_alloc_raw(ctx, room, sizeof(real));
    if (!B) return SMR_ERR_NOMEM;
    int64_t pitch = by_columns ? u->n : PANEL;
    for (int64_t k = 0; k < u->k; k++)
        for (int64_t j = 0; j < pitch; j++) {
            real b = j < u->n ? u->B.at[k * u->B.down + j * u->B.across] : 0;
            B[k * pitch + j] = u->minus ? -b : b;
        }
    K(part) p = {.u = u, .panels = B, .turned = B};
    int64_t n_tasks = smr_block_count(u->m, THIN_ROWS);
    if ((double)u->m * (double)u->k < 3e4)
        for (int64_t t = 0; t < n_tasks; t++) (void)K(thin_task)(ctx, &p, t, 0);
    else
        st = smr_parallel(ctx, NULL, n_tasks, K(thin_task), &p);
    if (B != small) smr_free(B);
    return st;
}

smr_status RUN_IN(smr_ctx *ctx, const UPDATE *u, smr_room *room)
{
    real small[SMALL_BYTES / sizeof(real)] __attribute__((aligned(64)));
    if (u->m <= 0 || u->n <= 0 || u->k <= 0) return SMR_OK;
    if (u->n <= THIN && !u->lower) return K(run_thin)(ctx, u);
    K(part) p = {.u = u, .packs_alone = u->n <= ALONE_COLUMNS && u->m > 2 * ALONE_ROWS};
    bool turns = u->B.down != 1;
    int64_t tall = p.packs_alone ? ALONE_ROWS : SMR_MIN(u->m, TALL);
    int64_t padded = smr_block_count(tall, PANEL) * PANEL;
    p.steps = SMR_MAX(ROOM / SMR_MAX(padded, turns ? SMR_MIN(u->n, WIDE) : 1), STEPS);
    p.steps = SMR_MIN(u->k, p.packs_alone ? STEPS : p.steps);
    p.pitch = (p.steps + 15) / 16 * 16 + 8; /* columns do not share sets of the cache */
    p.pitch = SMR_MAX(p.pitch, SMR_PRODUCT_PITCH / (int64_t)sizeof(real));
    p.lane_room = padded * p.steps;
    int64_t n_panels = p.lane_room * (p.packs_alone ? smr_lanes(ctx) : 1);
    int64_t n_turned = turns ? SMR_MIN(u->n, WIDE) * p.pitch : 0;
    if ((n_panels + n_turned) * (int64_t)sizeof(real) <= SMALL_BYTES) {
        p.panels = small;
        p.turned = turns ? small + n_panels : NULL;
        return K(run_parts)(ctx, &p);
    }
    int64_t aligned = (n_panels + PANEL - 1) / PANEL * PANEL;
    p.panels = take_room(ctx, room, (aligned + n_turned) * (int64_t)sizeof(real));
    if (!p.panels) return SMR_ERR_NOMEM;
    if (turns) p.turned = p.panels + aligned;
    return K(run_parts)(ctx, &p);
}

smr_status RUN(smr_ctx *ctx, const UPDATE *u)
{
    smr_room room = {0};
    smr_status st = RUN_IN(ctx, u, &room);
    smr_free(room.bytes);
    return st;
}
