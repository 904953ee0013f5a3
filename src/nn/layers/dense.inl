/* dense.inl -- the body of dense.c, for one type of number. */

static smr_nn_needs L(needs)(const smr_nn_node *node, const smr_nn_item *in, int64_t chunk,
                             int64_t rows, bool training)
{
    int64_t units = node->layout.weights[0].dim[0], d = smr_nn_step_size(in[0]);
    smr_nn_needs needs = {.packed = round_up(K(panels_size)(units, d))};
    int64_t steps = smr_nn_steps(in[0]);
    int64_t pieces = is_maxout(node) ? steps * units * (int64_t)sizeof(R) : 0;
    rows *= steps;
    if (!training) {
        needs.scratch = chunk * pieces;
        return needs;
    }
    needs.packed += K(panels_size)(d, units);
    needs.kept = pieces;
    needs.collected = round_up(rows * units * (int64_t)sizeof(R)) + K(panels_size)(d, rows);
    needs.collects = 1 + smr_block_count(d, COLUMNS);
    needs.tiles = smr_block_count(units, TILE);
    return needs;
}

static void L(pack)(const smr_nn_pass *p)
{
    int64_t units = p->node->layout.weights[0].dim[0], d = smr_nn_step_size(p->in[0]);
    K(pack)(units, d, p->w[0], d, p->packed);
    if (!p->training) return;
    K(pack_columns)
    (d, units, p->w[0], d, 1, (char *)p->packed + round_up(K(panels_size)(units, d)));
}

/* Rows of the pass: each step is one. */
static int64_t L(rows_of)(const smr_nn_pass *p)
{
    return p->n * smr_nn_steps(p->in[0]);
}

/* The values of all units, of all pieces where there are some. */
static void L(multiply)(const smr_nn_pass *p, R *z)
{
    int64_t units = p->node->layout.weights[0].dim[0], d = smr_nn_step_size(p->in[0]);
    if (p->node->layout.n_weights < 2) {
        K(product)(L(rows_of)(p), units, d, p->x[0], d, p->packed, z, units);
        return;
    }
    K(put_rows)(L(rows_of)(p), units, p->w[1], z);
    K(product_add)(L(rows_of)(p), units, d, p->x[0], d, p->packed, z, units);
}

static void L(forward)(const smr_nn_pass *p)
{
    L(multiply)(p, p->y);
}

static void L(backward)(const smr_nn_pass *p)
{
    int64_t units = p->node->layout.weights[0].dim[0], d = smr_nn_step_size(p->in[0]);
    const char *back = (const char *)p->packed + round_up(K(panels_size)(units, d));
    if (p->dx[0]) K(product_add)(L(rows_of)(p), d, units, p->dy, units, back, p->dx[0], d);
}

/* The rows of the batch as panels, some columns a task; and dz with the rows of a unit side by
 * side. */
static void L(collect_from)(const smr_nn_pass *p, const R *dz, int64_t task)
{
    int64_t units = p->node->layout.weights[0].dim[0], d = smr_nn_step_size(p->in[0]);
    int64_t n = L(rows_of)(p), lo = (task - 1) * COLUMNS;
    R *turned = p->collected;
    R *panels = smr_nn_beyond(p->collected, round_up(n * units * (int64_t)sizeof(R)));
    if (task > 0) {
        K(pack_columns)
        (SMR_MIN(COLUMNS, d - lo), n, (const R *)p->x[0] + lo, d, 1, panels + lo * n);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t u = 0; u < units; u++) turned[u * n + i] = dz[i * units + u];
    if (p->node->layout.n_weights < 2) return;
    memset(p->g[1], 0, (size_t)units * sizeof(R));
    K(add_rows)(n, units, dz, p->g[1]);
}

static void L(collect)(const smr_nn_pass *p, int64_t task)
{
    L(collect_from)(p, p->dy, task);
}

static void L(gradient)(const smr_nn_pass *p, int64_t tile)
{
    int64_t units = p->node->layout.weights[0].dim[0], d = smr_nn_step_size(p->in[0]);
    int64_t lo = tile * TILE, hi = smr_block_end(units, TILE, tile), n = L(rows_of)(p);
    const R *turned = p->collected;
    const char *panels = (const char *)p->collected + round_up(n * units * (int64_t)sizeof(R));
    K(product)(hi - lo, d, n, turned + lo * n, n, panels, (R *)p->g[0] + lo * d, d);
}

static const smr_nn_code L(code) = {
    .needs = L(needs),
    .pack = L(pack),
    .forward = L(forward),
    .backward = L(backward),
    .collect = L(collect),
    .gradient = L(gradient),
};

/* ---- maxout: the largest piece of each unit --------------------------------------------- */

static int64_t L(best_piece)(const R *z, int64_t pieces)
{
    int64_t best = 0;
    for (int64_t k = 1; k < pieces; k++) best = z[k] > z[best] ? k : best;
    return best;
}

static void L(forward_maxout)(const smr_nn_pass *p)
{
    const struct dense_params *params = p->node->params;
    R *z = p->training ? p->kept : p->scratch, *y = p->y;
    L(multiply)(p, z);
    for (int64_t i = 0; i < L(rows_of)(p) * params->units; i++, z += params->pieces)
        y[i] = z[L(best_piece)(z, params->pieces)];
}

/* What was kept becomes the derivative in each piece. */
static void L(backward_maxout)(const smr_nn_pass *p)
{
    const struct dense_params *params = p->node->params;
    int64_t all = params->units * params->pieces, d = smr_nn_step_size(p->in[0]);
    const R *dy = p->dy;
    R *z = p->kept;
    for (int64_t i = 0; i < L(rows_of)(p) * params->units; i++, z += params->pieces) {
        int64_t best = L(best_piece)(z, params->pieces);
        for (int64_t k = 0; k < params->pieces; k++) z[k] = k == best ? dy[i] : 0;
    }
    const char *back = (const char *)p->packed + round_up(K(panels_size)(all, d));
    if (p->dx[0]) K(product_add)(L(rows_of)(p), d, all, p->kept, all, back, p->dx[0], d);
}

static void L(collect_maxout)(const smr_nn_pass *p, int64_t task)
{
    L(collect_from)(p, p->kept, task);
}

static const smr_nn_code L(code_maxout) = {
    .needs = L(needs),
    .pack = L(pack),
    .forward = L(forward_maxout),
    .backward = L(backward_maxout),
    .collect = L(collect_maxout),
    .gradient = L(gradient),
};
