/* pool.inl -- the body of pool.c, for one type of number. */

static smr_nn_needs L(needs)(const smr_nn_node *node, const smr_nn_item *in, int64_t chunk,
                             int64_t rows, bool training)
{
    (void)in;
    (void)chunk;
    (void)rows;
    bool keeps = training && node->layer == &smr_layer_maxpool;
    return (smr_nn_needs){
        .kept = keeps ? smr_nn_item_size(node->layout.out) * (int64_t)sizeof(int32_t) : 0};
}

static void L(forward_max)(const smr_nn_pass *p)
{
    smr_nn_pool pool = pool_of(p);
    int64_t size = smr_nn_item_size(p->in[0]), one = smr_nn_item_size(p->node->layout.out);
    for (int64_t r = 0; r < p->n; r++) K(pool_max)
    (&pool, (const R *)p->x[0] + r * size, (R *)p->y + r * one,
     p->training ? (int32_t *)p->kept + r * one : NULL);
}

static void L(backward_max)(const smr_nn_pass *p)
{
    int64_t size = smr_nn_item_size(p->in[0]), one = smr_nn_item_size(p->node->layout.out);
    int64_t c = p->in[0].c;
    const int32_t *at = p->kept;
    const R *dy = p->dy;
    for (int64_t r = 0; p->dx[0] && r < p->n; r++, at += one, dy += one) {
        R *dx = (R *)p->dx[0] + r * size;
        for (int64_t i = 0; i < one; i += c)
            for (int64_t k = 0; k < c; k++) dx[at[i + k] * c + k] += dy[i + k];
    }
}

static void L(forward_mean)(const smr_nn_pass *p)
{
    smr_nn_pool pool = pool_of(p);
    int64_t size = smr_nn_item_size(p->in[0]), one = smr_nn_item_size(p->node->layout.out);
    for (int64_t r = 0; r < p->n; r++)
        K(pool_mean)(&pool, (const R *)p->x[0] + r * size, (R *)p->y + r * one);
}

static void L(backward_mean)(const smr_nn_pass *p)
{
    smr_nn_pool pool = pool_of(p);
    int64_t size = smr_nn_item_size(p->in[0]), one = smr_nn_item_size(p->node->layout.out);
    for (int64_t r = 0; p->dx[0] && r < p->n; r++)
        K(pool_mean_back)(&pool, (const R *)p->dy + r * one, (R *)p->dx[0] + r * size);
}

static const smr_nn_code L(code_max) = {
    .needs = L(needs), .forward = L(forward_max), .backward = L(backward_max)};
static const smr_nn_code L(code_mean) = {
    .needs = L(needs), .forward = L(forward_mean), .backward = L(backward_mean)};
