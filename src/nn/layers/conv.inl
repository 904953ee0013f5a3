/* conv.inl -- the body of conv.c, for one type of number. */

/* ---- pictures with their border --------------------------------------------------------- */

static void L(add_border)(const struct conv_shape *s, const R *x, R *to)
{
    int64_t line = s->wide * s->in.c;
    memset(to, 0, (size_t)(s->tall * line) * sizeof *to);
    for (int64_t r = 0; r < s->in.h; r++)
        memcpy(to + (r + s->w.pad[0]) * line + s->w.pad[1] * s->in.c, x + r * s->in.w * s->in.c,
               (size_t)(s->in.w * s->in.c) * sizeof *to);
}

/* Adds the picture inside the border to dx. */
static void L(take_border)(const struct conv_shape *s, const R *from, R *dx)
{
    int64_t line = s->wide * s->in.c;
    for (int64_t r = 0; r < s->in.h; r++) K(add)
    (s->in.w * s->in.c, from + (r + s->w.pad[0]) * line + s->w.pad[1] * s->in.c,
     dx + r * s->in.w * s->in.c);
}

/* ---- filters as panels ------------------------------------------------------------------ */

/* Weight of filter f for channel c of its group, at (i, j). */
static R L(at)(const struct conv_shape *s, const R *w, int64_t f, int64_t c, int64_t i, int64_t j)
{
    return w[((f * s->each + c) * s->w.size[0] + i) * s->w.size[1] + j];
}

/* Tap t of group q: each of its filters over what a tap spans. */
static void L(pack_tap)(const struct conv_shape *s, const R *w, int64_t q, int64_t t, R *room,
                        void *panel)
{
    int64_t across = s->by_rows ? s->w.size[1] : 1;
    for (int64_t f = 0; f < s->share; f++)
        for (int64_t a = 0; a < across; a++)
            for (int64_t c = 0; c < s->each; c++) {
                int64_t i = s->by_rows ? t : t / s->w.size[1],
                        j = s->by_rows ? a : t % s->w.size[1];
                room[f * s->span + a * s->each + c] = L(at)(s, w, q * s->share + f, c, i, j);
            }
    K(pack)(s->share, s->span, room, s->span, panel);
}

/* Place (i, j) of group q, for the way back: each channel over the filters. */
static void L(pack_back)(const struct conv_shape *s, const R *w, int64_t q, int64_t place, R *room,
                         void *panel)
{
    int64_t i = place / s->w.size[1], j = place % s->w.size[1];
    for (int64_t c = 0; c < s->each; c++)
        for (int64_t f = 0; f < s->share; f++)
            room[c * s->share + f] = L(at)(s, w, q * s->share + f, c, i, j);
    K(pack)(s->each, s->share, room, s->share, panel);
}

static int64_t L(tap_bytes)(const struct conv_shape *s)
{
    return round_up(K(panels_size)(s->share, s->span));
}

static int64_t L(back_bytes)(const struct conv_shape *s)
{
    return round_up(K(panels_size)(s->each, s->share));
}

static int64_t L(filter_bytes)(const struct conv_shape *s)
{
    return round_up(s->share * SMR_MAX(s->span, s->each) * (int64_t)sizeof(R));
}

/* What came back, with the places of a filter side by side: kept after the picture. */
static int64_t L(turned_bytes)(const struct conv_shape *s)
{
    return round_up(smr_nn_item_size(s->out) * (int64_t)sizeof(R));
}

static int64_t L(kept_bytes)(const struct conv_shape *s)
{
    int64_t picture = round_up(s->tall * s->wide * s->in.c * (int64_t)sizeof(R));
    return (s->has_border ? picture : 0) + L(turned_bytes)(s);
}

static smr_nn_needs L(needs)(const smr_nn_node *node, const smr_nn_item *in, int64_t chunk,
                             int64_t rows, bool training)
{
    struct conv_shape s = shape_of(node, in);
    int64_t picture = round_up(s.tall * s.wide * s.in.c * (int64_t)sizeof(R));
    smr_nn_needs needs = {0};
    (void)chunk;
    (void)rows;
    needs.packed = s.groups * s.taps * L(tap_bytes)(&s) + L(filter_bytes)(&s);
    needs.scratch = s.has_border ? picture : 0;
    if (!training) return needs;
    int64_t places = s.w.size[0] * s.w.size[1], pixels = s.out.h * s.out.w;
    needs.packed += s.groups * places * L(back_bytes)(&s);
    needs.kept = L(kept_bytes)(&s);
    needs.collects = 1;
    needs.tiles = s.groups * s.taps;
    int64_t tile = round_up(pixels * s.span * (int64_t)sizeof(R)) +
                   round_up(K(panels_size)(s.span, pixels)) +
                   round_up(s.share * s.span * (int64_t)sizeof(R));
    needs.scratch = SMR_MAX(picture, tile);
    return needs;
}

static void L(pack)(const smr_nn_pass *p)
{
    struct conv_shape s = shape_of(p->node, p->in);
    int64_t places = s.w.size[0] * s.w.size[1];
    char *to = p->packed;
    R *room = p->packed;
    to += L(filter_bytes)(&s);
    for (int64_t q = 0; q < s.groups; q++)
        for (int64_t t = 0; t < s.taps; t++, to += L(tap_bytes)(&s))
            L(pack_tap)(&s, p->w[0], q, t, room, to);
    for (int64_t q = 0; p->training && q < s.groups; q++)
        for (int64_t k = 0; k < places; k++, to += L(back_bytes)(&s))
            L(pack_back)(&s, p->w[0], q, k, room, to);
}

/* ---- forward ---------------------------------------------------------------------------- */

/* One row of outputs of a group: a product for each tap, each continuing the chains. */
static void L(forward_line)(const struct conv_shape *s, const R *picture, const char *panels,
                            int64_t r, int64_t q, R *y)
{
    int64_t line = s->wide * s->in.c;
    for (int64_t t = 0; t < s->taps; t++, panels += L(tap_bytes)(s)) {
        int64_t i = s->by_rows ? t : t / s->w.size[1], j = s->by_rows ? 0 : t % s->w.size[1];
        const R *from = picture + (r * s->w.stride[0] + i) * line + j * s->in.c + q * s->each;
        K(product_add)
        (s->out.w, s->share, s->span, from, s->w.stride[1] * s->in.c, panels, y + q * s->share,
         s->out.c);
    }
}

static void L(forward)(const smr_nn_pass *p)
{
    struct conv_shape s = shape_of(p->node, p->in);
    int64_t one = smr_nn_item_size(s.out);
    const char *panels = (const char *)p->packed + L(filter_bytes)(&s);
    int64_t bytes = L(kept_bytes)(&s);
    R *y = p->y;
    if (p->node->layout.n_weights > 1)
        K(put_rows)(p->n * s.out.h * s.out.w, s.out.c, p->w[1], y);
    else
        memset(y, 0, (size_t)(p->n * one) * sizeof *y);
    for (int64_t row = 0; row < p->n; row++, y += one) {
        const R *x = (const R *)p->x[0] + row * smr_nn_item_size(s.in);
        if (s.has_border) {
            R *to = p->training ? smr_nn_beyond(p->kept, row * bytes) : p->scratch;
            L(add_border)(&s, x, to);
            x = to;
        }
        for (int64_t q = 0; q < s.groups; q++)
            for (int64_t r = 0; r < s.out.h; r++) L(forward_line)
        (&s, x, panels + q * s.taps * L(tap_bytes)(&s), r, q, y + r * s.out.w * s.out.c);
    }
}

/* ---- back ------------------------------------------------------------------------------- */

/* What one row of outputs hands to a picture with its border, place by place. */
static void L(backward_line)(const struct conv_shape *s, const R *dy, const char *panels, int64_t r,
                             int64_t q, R *picture)
{
    int64_t line = s->wide * s->in.c, places = s->w.size[0] * s->w.size[1];
    for (int64_t k = 0; k < places; k++, panels += L(back_bytes)(s)) {
        int64_t i = k / s->w.size[1], j = k % s->w.size[1];
        R *to = picture + (r * s->w.stride[0] + i) * line + j * s->in.c + q * s->each;
        K(product_add)
        (s->out.w, s->each, s->share, dy + q * s->share, s->out.c, panels, to,
         s->w.stride[1] * s->in.c);
    }
}

static void L(turn)(const struct conv_shape *s, const R *dy, R *turned)
{
    int64_t pixels = s->out.h * s->out.w, c = s->out.c;
    for (int64_t k = 0; k < pixels; k++)
        for (int64_t f = 0; f < c; f++) turned[f * pixels + k] = dy[k * c + f];
}

static void L(backward)(const smr_nn_pass *p)
{
    struct conv_shape s = shape_of(p->node, p->in);
    int64_t picture = s.tall * s.wide * s.in.c, one = smr_nn_item_size(s.out);
    int64_t places = s.w.size[0] * s.w.size[1];
    const char *panels =
        (const char *)p->packed + L(filter_bytes)(&s) + s.groups * s.taps * L(tap_bytes)(&s);
    const R *dy = p->dy;
    for (int64_t row = 0; row < p->n; row++) L(turn)
    (&s, dy + row * one,
     smr_nn_beyond(p->kept, (row + 1) * L(kept_bytes)(&s) - L(turned_bytes)(&s)));
    if (!p->dx[0]) return;
    for (int64_t row = 0; row < p->n; row++, dy += one) {
        R *dx = (R *)p->dx[0] + row * smr_nn_item_size(s.in);
        R *to = p->scratch;
        memset(to, 0, (size_t)picture * sizeof *to);
        for (int64_t q = 0; q < s.groups; q++)
            for (int64_t r = 0; r < s.out.h; r++) L(backward_line)
        (&s, dy + r * s.out.w * s.out.c, panels + q * places * L(back_bytes)(&s), r, q, to);
        L(take_border)(&s, to, dx);
    }
}

/* The biases: one chain over all places of the batch for each. */
static void L(collect)(const smr_nn_pass *p, int64_t task)
{
    (void)task;
    struct conv_shape s = shape_of(p->node, p->in);
    if (p->node->layout.n_weights < 2) return;
    memset(p->g[1], 0, (size_t)s.out.c * sizeof(R));
    K(add_rows)(p->n * s.out.h * s.out.w, s.out.c, p->dy, p->g[1]);
}

/* The windows of a tap as panels, one a place.  Where a window fits into one panel, those of a line
 * are packed from where they lie. */
static void L(pack_windows)(const struct conv_shape *s, const R *x, R *windows, char *panels)
{
    int64_t line = s->w.stride[0] * s->wide * s->in.c, step = s->w.stride[1] * s->in.c;
    int64_t panel = K(panels_size)(1, 1), pixels = s->out.h * s->out.w;
    if (s->span * (int64_t)sizeof(R) <= panel) {
        for (int64_t r = 0; r < s->out.h; r++, panels += s->out.w * panel)
            K(pack_columns)(s->span, s->out.w, x + r * line, step, 1, panels);
        return;
    }
    for (int64_t r = 0; r < s->out.h; r++)
        for (int64_t c = 0; c < s->out.w; c++)
            memcpy(windows + (r * s->out.w + c) * s->span, x + r * line + c * step,
                   (size_t)s->span * sizeof *x);
    K(pack_columns)(s->span, pixels, windows, s->span, 1, panels);
}

/* Tap t of group q: the windows of a picture side by side, times what came back, added over the
 * pictures: one chain for each weight. */
static void L(gradient)(const smr_nn_pass *p, int64_t tile)
{
    struct conv_shape s = shape_of(p->node, p->in);
    int64_t q = tile / s.taps, t = tile % s.taps, pixels = s.out.h * s.out.w;
    int64_t i = s.by_rows ? t : t / s.w.size[1], j = s.by_rows ? 0 : t % s.w.size[1];
    int64_t line = s.wide * s.in.c, bytes = L(kept_bytes)(&s);
    R *windows = p->scratch;
    char *panels = (char *)windows + round_up(pixels * s.span * (int64_t)sizeof(R));
    R *sum = smr_nn_beyond(panels, round_up(K(panels_size)(s.span, pixels)));
    memset(sum, 0, (size_t)(s.share * s.span) * sizeof *sum);
    for (int64_t row = 0; row < p->n; row++) {
        const R *x = s.has_border ? smr_nn_beyond(p->kept, row * bytes)
                                  : (const R *)p->x[0] + row * smr_nn_item_size(s.in);
        const R *turned =
            (const R *)smr_nn_beyond(p->kept, (row + 1) * bytes - L(turned_bytes)(&s)) +
            q * s.share * pixels;
        L(pack_windows)
        (&s, x + i * line + j * s.in.c + q * s.each, windows, panels);
        K(product_add)(s.share, s.span, pixels, turned, pixels, panels, sum, s.span);
    }
    int64_t across = s.by_rows ? s.w.size[1] : 1;
    R *g = p->g[0];
    for (int64_t f = 0; f < s.share; f++)
        for (int64_t a = 0; a < across; a++)
            for (int64_t c = 0; c < s.each; c++)
                g[(((q * s.share + f) * s.each + c) * s.w.size[0] + i) * s.w.size[1] + j + a] =
                    sum[f * s.span + a * s.each + c];
}

static const smr_nn_code L(code) = {
    .needs = L(needs),
    .pack = L(pack),
    .forward = L(forward),
    .backward = L(backward),
    .collect = L(collect),
    .gradient = L(gradient),
};
