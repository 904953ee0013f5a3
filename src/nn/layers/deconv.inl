/* deconv.inl -- the body of the transposed convolution, for one type of number.
 *
 * Forward is what convolution does on its way back, and the other way round; the weights are
 * (channel in, filter out, height, width). */

static smr_nn_needs L(needs_spread)(const smr_nn_node *node, const smr_nn_item *in, int64_t chunk,
                                    int64_t rows, bool training)
{
    struct spread_shape s = spread_of(node, in);
    int64_t places = s.w.size[0] * s.w.size[1], pixels = s.in.h * s.in.w;
    int64_t picture = round_up(s.tall * s.wide * s.out.c * (int64_t)sizeof(R));
    smr_nn_needs needs = {.scratch = picture};
    (void)chunk;
    (void)rows;
    needs.packed = round_up(s.in.c * s.out.c * (int64_t)sizeof(R)) +
                   places * round_up(K(panels_size)(s.out.c, s.in.c));
    if (!training) return needs;
    needs.packed += places * round_up(K(panels_size)(s.in.c, s.out.c));
    needs.collects = 1;
    needs.tiles = places;
    needs.scratch += round_up(pixels * s.out.c * (int64_t)sizeof(R)) +
                     round_up(pixels * s.in.c * (int64_t)sizeof(R)) +
                     round_up(K(panels_size)(s.out.c, pixels)) +
                     round_up(s.in.c * s.out.c * (int64_t)sizeof(R));
    return needs;
}

static void L(pack_spread)(const smr_nn_pass *p)
{
    struct spread_shape s = spread_of(p->node, p->in);
    int64_t places = s.w.size[0] * s.w.size[1], a = s.in.c, f = s.out.c;
    const R *w = p->w[0];
    R *room = p->packed;
    char *to = (char *)p->packed + round_up(a * f * (int64_t)sizeof(R));
    for (int64_t k = 0; k < places; k++, to += round_up(K(panels_size)(f, a))) {
        for (int64_t u = 0; u < f; u++)
            for (int64_t c = 0; c < a; c++) room[u * a + c] = w[(c * f + u) * places + k];
        K(pack)(f, a, room, a, to);
    }
    for (int64_t k = 0; p->training && k < places; k++, to += round_up(K(panels_size)(a, f))) {
        for (int64_t c = 0; c < a; c++)
            for (int64_t u = 0; u < f; u++) room[c * f + u] = w[(c * f + u) * places + k];
        K(pack)(a, f, room, f, to);
    }
}

/* The picture without its border, or with zeros there. */
static void L(crop)(const struct spread_shape *s, const R *from, const R *bias, R *y)
{
    for (int64_t r = 0; r < s->out.h; r++, y += s->out.w * s->out.c) {
        const R *line = from + ((r + s->w.pad[0]) * s->wide + s->w.pad[1]) * s->out.c;
        if (bias)
            K(put_rows)(s->out.w, s->out.c, bias, y);
        else
            memset(y, 0, (size_t)(s->out.w * s->out.c) * sizeof *y);
        K(add)(s->out.w * s->out.c, line, y);
    }
}

static void L(uncrop)(const struct spread_shape *s, const R *dy, R *to)
{
    memset(to, 0, (size_t)(s->tall * s->wide * s->out.c) * sizeof *to);
    for (int64_t r = 0; r < s->out.h; r++)
        memcpy(to + ((r + s->w.pad[0]) * s->wide + s->w.pad[1]) * s->out.c,
               dy + r * s->out.w * s->out.c, (size_t)(s->out.w * s->out.c) * sizeof *to);
}

static void L(forward_spread)(const smr_nn_pass *p)
{
    struct spread_shape s = spread_of(p->node, p->in);
    int64_t places = s.w.size[0] * s.w.size[1];
    const char *first = (const char *)p->packed + round_up(s.in.c * s.out.c * (int64_t)sizeof(R));
    int64_t step = round_up(K(panels_size)(s.out.c, s.in.c));
    const R *bias = p->node->layout.n_weights > 1 ? p->w[1] : NULL;
    for (int64_t row = 0; row < p->n; row++) {
        const R *x = (const R *)p->x[0] + row * smr_nn_item_size(s.in);
        R *to = p->scratch;
        memset(to, 0, (size_t)(s.tall * s.wide * s.out.c) * sizeof *to);
        for (int64_t r = 0; r < s.in.h; r++)
            for (int64_t k = 0; k < places; k++) {
                int64_t i = k / s.w.size[1], j = k % s.w.size[1];
                K(product_add)
                (s.in.w, s.out.c, s.in.c, x + r * s.in.w * s.in.c, s.in.c, first + k * step,
                 to + ((r * s.w.stride[0] + i) * s.wide + j) * s.out.c, s.w.stride[1] * s.out.c);
            }
        L(crop)(&s, to, bias, (R *)p->y + row * smr_nn_item_size(s.out));
    }
}

static void L(backward_spread)(const smr_nn_pass *p)
{
    struct spread_shape s = spread_of(p->node, p->in);
    int64_t places = s.w.size[0] * s.w.size[1];
    const char *first = (const char *)p->packed + round_up(s.in.c * s.out.c * (int64_t)sizeof(R)) +
                        places * round_up(K(panels_size)(s.out.c, s.in.c));
    int64_t step = round_up(K(panels_size)(s.in.c, s.out.c));
    for (int64_t row = 0; p->dx[0] && row < p->n; row++) {
        R *dx = (R *)p->dx[0] + row * smr_nn_item_size(s.in), *from = p->scratch;
        L(uncrop)(&s, (const R *)p->dy + row * smr_nn_item_size(s.out), from);
        for (int64_t r = 0; r < s.in.h; r++)
            for (int64_t k = 0; k < places; k++) {
                int64_t i = k / s.w.size[1], j = k % s.w.size[1];
                K(product_add)
                (s.in.w, s.in.c, s.out.c, from + ((r * s.w.stride[0] + i) * s.wide + j) * s.out.c,
                 s.w.stride[1] * s.out.c, first + k * step, dx + r * s.in.w * s.in.c, s.in.c);
            }
    }
}

static void L(collect_spread)(const smr_nn_pass *p, int64_t task)
{
    (void)task;
    struct spread_shape s = spread_of(p->node, p->in);
    if (p->node->layout.n_weights < 2) return;
    memset(p->g[1], 0, (size_t)s.out.c * sizeof(R));
    K(add_rows)(p->n * s.out.h * s.out.w, s.out.c, p->dy, p->g[1]);
}

/* Place k of all filters: one chain over the pixels of all pictures for each weight. */
static void L(gradient_spread)(const smr_nn_pass *p, int64_t tile)
{
    struct spread_shape s = spread_of(p->node, p->in);
    int64_t places = s.w.size[0] * s.w.size[1], pixels = s.in.h * s.in.w;
    int64_t i = tile / s.w.size[1], j = tile % s.w.size[1], a = s.in.c, f = s.out.c;
    R *picture = p->scratch;
    R *seen = smr_nn_beyond(picture, round_up(s.tall * s.wide * f * (int64_t)sizeof(R)));
    R *turned = smr_nn_beyond(seen, round_up(pixels * f * (int64_t)sizeof(R)));
    char *panels = (char *)turned + round_up(pixels * a * (int64_t)sizeof(R));
    R *sum = smr_nn_beyond(panels, round_up(K(panels_size)(f, pixels)));
    memset(sum, 0, (size_t)(a * f) * sizeof *sum);
    for (int64_t row = 0; row < p->n; row++) {
        const R *x = (const R *)p->x[0] + row * smr_nn_item_size(s.in);
        L(uncrop)(&s, (const R *)p->dy + row * smr_nn_item_size(s.out), picture);
        for (int64_t k = 0; k < pixels; k++) {
            int64_t r = k / s.in.w * s.w.stride[0] + i, c = k % s.in.w * s.w.stride[1] + j;
            memcpy(seen + k * f, picture + (r * s.wide + c) * f, (size_t)f * sizeof *seen);
            for (int64_t u = 0; u < a; u++) turned[u * pixels + k] = x[k * a + u];
        }
        K(pack_columns)(f, pixels, seen, f, 1, panels);
        K(product_add)(a, f, pixels, turned, pixels, panels, sum, f);
    }
    R *g = p->g[0];
    for (int64_t c = 0; c < a; c++)
        for (int64_t u = 0; u < f; u++) g[(c * f + u) * places + tile] = sum[c * f + u];
}

static const smr_nn_code L(code_spread) = {
    .needs = L(needs_spread),
    .pack = L(pack_spread),
    .forward = L(forward_spread),
    .backward = L(backward_spread),
    .collect = L(collect_spread),
    .gradient = L(gradient_spread),
};
