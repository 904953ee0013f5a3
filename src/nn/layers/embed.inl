/* embed.inl -- the body of embed.c, for one type of number. */

static smr_nn_needs L(needs)(const smr_nn_node *node, const smr_nn_item *in, int64_t chunk,
                             int64_t rows, bool training)
{
    const struct embed_params *p = node->params;
    (void)in, (void)chunk, (void)rows;
    return (smr_nn_needs){.tiles = training ? smr_block_count(p->units, TILE) : 0};
}

static void L(forward)(const smr_nn_pass *p)
{
    const struct embed_params *params = p->node->params;
    int64_t n = p->n * smr_nn_item_size(p->in[0]), units = params->units;
    const R *x = p->x[0], *E = p->w[0];
    R *y = p->y;
    for (int64_t i = 0; i < n; i++, y += units) {
        int64_t s = symbol_of(params, (double)x[i]);
        if (s < 0)
            memset(y, 0, (size_t)units * sizeof(R));
        else
            memcpy(y, E + s * units, (size_t)units * sizeof(R));
    }
}

/* Symbols have no derivative. */
static void L(backward)(const smr_nn_pass *p)
{
    (void)p;
}

static void L(gradient)(const smr_nn_pass *p, int64_t tile)
{
    const struct embed_params *params = p->node->params;
    int64_t n = p->n * smr_nn_item_size(p->in[0]), units = params->units;
    int64_t lo = tile * TILE, some = smr_block_end(units, TILE, tile) - lo;
    const R *x = p->x[0], *dy = (const R *)p->dy + lo;
    R *g = (R *)p->g[0] + lo;
    for (int64_t s = 0; s < params->symbols; s++)
        memset(g + s * units, 0, (size_t)some * sizeof(R));
    for (int64_t i = 0; i < n; i++) {
        int64_t s = symbol_of(params, (double)x[i]);
        if (s >= 0) K(add)(some, dy + i * units, g + s * units);
    }
}

static const smr_nn_code L(code) = {
    .needs = L(needs), .forward = L(forward), .backward = L(backward), .gradient = L(gradient)};
