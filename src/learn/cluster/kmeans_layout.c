/* kmeans_layout.c -- the rows of a fit as products read them: what is multiplied, panels, squares.
 *
 * Products read panels.  Those of bytes are laid out once; those of floats (x - s) u, u a power of
 * two that brings the longest row near 1, with a 1 after each row, are made of a block at a time,
 * in cache, which costs less than memory for all rows.
 *
 * Numbers that lie on a lattice of at most 256, as those of pictures do, are multiplied as the
 * bytes that count its steps, wherever there are many columns; sums and exact distances are those
 * of the numbers. */
#include "kernel/kernel.h"
#include "kernel/kernel_table.h"
#include "learn/cluster/kmeans.h"

#include <math.h>

enum {
    PANEL = SMR_KM_PANEL,
    BYTES_WIDTH = 33000, /* sums of products stay within 31 bits */
    TRIED = 64           /* rows that a lattice is tried on */
};

/* ---- rows as products have them --------------------------------------------------------- */

const uint8_t *smr_km_bytes(const struct smr_km_rows *r, int64_t i, uint8_t *to, double *off)
{
    int64_t at = i * r->dense.stride;
    const void *x = r->dense.values;
    *off = 0;
    if (r->form == SMR_FORM_U8) return (const uint8_t *)x + at;
    bool is_bytes = r->form == SMR_FORM_F64
                        ? smr_bytes_of_f64(r->d, (const double *)x + at, r->low, r->unit, to, off)
                        : smr_bytes_of_f32(r->d, (const float *)x + at, r->low, r->unit, to, off);
    return is_bytes ? to : NULL;
}

void smr_km_pack(const struct smr_km_rows *r, int64_t lo, const int64_t *list, int64_t n, void *to)
{
    const smr_from_mean by = {r->shift, r->unit};
    int64_t ld = r->dense.stride, from = list ? 0 : lo * ld;
    const void *x = r->dense.values;
    if (r->form == SMR_FORM_F64)
        smr_pack_near_f64(n, list, r->d, (const double *)x + from, ld, &by, to);
    else
        smr_pack_near_f32(n, list, r->d, (const float *)x + from, ld, &by, to);
}

/* ---- lattices ---------------------------------------------------------------------------- */

bool smr_km_find_lattice(struct smr_km_rows *r, double least, double greatest, uint8_t *to)
{
    int64_t m = SMR_MIN(r->n, TRIED);
    double range = greatest - least, off;
    if (!(range > 1e-25 && range < 1e25 && fabs(least) < 1e25)) return false;
    r->low = least;
    for (int steps = 1; steps <= UINT8_MAX; steps++) {
        int64_t t = 0;
        r->unit = steps / range;
        while (t < m && smr_km_bytes(r, t * r->n / m, to, &off)) t++;
        if (t == m) return true;
    }
    return false;
}

/* ---- how rows are multiplied ------------------------------------------------------------ */

/* Floats as they are, or not at all where they would not hold what is multiplied. */
static void set_floats(struct smr_km_rows *r, double longest)
{
    bool narrow = r->form == SMR_FORM_F32;
    bool held = longest > (narrow ? 1e-35 : 1e-140) && (!narrow || longest < 1e35);
    int exponent = 0;
    r->way = held && (double)r->d <= 0x1p17 ? SMR_KM_FLOATS : SMR_KM_DIRECT;
    r->unit = 1;
    if (r->way != SMR_KM_FLOATS) return;
    frexp(longest, &exponent);
    r->unit = ldexp(1, -exponent);
}

static void choose_way(struct smr_km_rows *r, double longest, bool is_lattice)
{
    if (r->form == SMR_FORM_F64 || r->form == SMR_FORM_F32) {
        if (is_lattice && r->d <= BYTES_WIDTH)
            r->way = SMR_KM_BYTES;
        else
            set_floats(r, longest);
        return;
    }
    bool is_sparse = r->form == SMR_FORM_SPARSE;
    r->unit = 1;
    r->way = is_sparse ? SMR_KM_ENTRIES : r->d <= BYTES_WIDTH ? SMR_KM_BYTES : SMR_KM_DIRECT;
}

/* ---- what products need ----------------------------------------------------------------- */

struct layout {
    struct smr_km_rows *r;
    double *squares; /* of each block: sum of w |x - shift|^2 */
    double *off;     /* of each block: the largest distance from bytes, squared; NaN: no bytes */
    float *longest;  /* of each block: the largest square */
    double *far;     /* lanes x block */
    uint8_t *bytes;  /* lanes x block x d: of numbers on a lattice */
    uint8_t *zeros;  /* d */
};

static void lay_out_bytes(const struct layout *l, int64_t block, int64_t lo, int64_t hi, int lane)
{
    struct smr_km_rows *r = l->r;
    uint8_t *room = l->bytes ? l->bytes + lane * r->block * r->d : NULL;
    const uint8_t *first = r->dense.values;
    int64_t stride = room ? r->d : r->dense.stride;
    first = room ? room : first + lo * stride;
    for (int64_t i = lo; i < hi; i++) {
        double off;
        const uint8_t *x = smr_km_bytes(r, i, room ? room + (i - lo) * r->d : NULL, &off);
        if (!x) {
            l->off[block] = NAN;
            return;
        }
        l->off[block] = smr_fmax(l->off[block], off);
        r->square[i] = (float)smr_l2sq_u8(r->d, x, l->zeros);
    }
    smr_pack_u8(hi - lo, r->d, first, stride, (char *)r->panels + lo / PANEL * r->panel_bytes);
}

/* far: squared distances from the shift, in the units of the data. */
static void set_squares(struct smr_km_rows *r, int64_t lo, int64_t hi, const double *far,
                        float *longest)
{
    double by = r->unit * r->unit;
    float *square = r->square, most = 0;
    for (int64_t i = lo; i < hi && r->way != SMR_KM_BYTES; i++)
        square[i] = (float)(far[i - lo] * by);
    for (int64_t i = lo; i < hi; i++) most = square[i] > most ? square[i] : most;
    *longest = most;
}

static smr_status layout_task(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    const struct layout *l = arg;
    struct smr_km_rows *r = l->r;
    int64_t lo = block * r->block, hi = smr_block_end(r->n, r->block, block);
    double *far = l->far + lane * r->block, sum = 0;
    (void)ctx;
    if (r->way == SMR_KM_BYTES) lay_out_bytes(l, block, lo, hi, lane);
    if (r->form == SMR_FORM_SPARSE)
        for (int64_t i = lo; i < hi; i++)
            far[i - lo] = smr_sumsq_f64(r->csr.start[i + 1] - r->csr.start[i],
                                        r->csr.value + r->csr.start[i], 0);
    else
        smr_km_distances(r, lo, hi, NULL, r->shift, NULL, r->work + lane * r->d, far);
    for (int64_t i = 0; i < hi - lo; i++) sum += smr_km_weight(r, lo + i) * far[i];
    if (r->square) set_squares(r, lo, hi, far, &l->longest[block]);
    l->squares[block] = sum;
    return SMR_OK;
}

static smr_status make_room(smr_ctx *ctx, struct smr_km_rows *r, struct layout *l)
{
    smr_status st = SMR_OK;
    int64_t panels = smr_block_count(r->n, PANEL);
    if (r->way == SMR_KM_FLOATS) r->panel_bytes = smr_panels_size_f32(PANEL, r->d + 1);
    if (r->way == SMR_KM_BYTES) {
        r->panel_bytes = smr_panels_size_u8(PANEL, r->d);
        TRY(smr_km_check_memory(ctx, r, (double)panels * (double)r->panel_bytes,
                                "rows laid out for products",
                                "use fewer rows, or learn them as a stream"));
        r->panels = smr_alloc_raw(ctx, panels * r->panel_bytes, 1);
        if (!r->panels) TRY(SMR_ERR_NOMEM);
        if (r->form != SMR_FORM_U8) TRY_NEW(l->bytes, smr_lanes(ctx) * r->block * r->d);
    }
    if (r->way != SMR_KM_DIRECT && !r->square) TRY_NEW(r->square, r->n);
    if (!l->squares) {
        TRY_NEW(l->squares, r->n_blocks);
        TRY_NEW(l->off, r->n_blocks);
        TRY_NEW(l->longest, r->n_blocks);
        TRY_NEW(l->far, smr_lanes(ctx) * r->block);
        TRY_NEW(l->zeros, r->d);
    }
out:
    return st;
}

/* Whether rows that were to be bytes are. */
static bool are_bytes(struct smr_km_rows *r, const struct layout *l)
{
    double off = 0;
    for (int64_t b = 0; b < r->n_blocks && r->way == SMR_KM_BYTES; b++) {
        if (!(l->off[b] >= 0)) return false;
        off = smr_fmax(off, l->off[b]);
    }
    /* Roundings of what is rounded to bytes come to less than 2^-40 in each column. */
    r->off = r->form == SMR_FORM_U8 ? 0 : sqrt(off) * 1.001 + (double)r->d * 0x1p-40;
    return true;
}

smr_status smr_km_lay_out(smr_ctx *ctx, struct smr_km_rows *r, double longest, bool is_lattice)
{
    smr_status st = SMR_OK;
    struct layout l = {.r = r};
    float most = 0;
    choose_way(r, longest, is_lattice);
    TRY(make_room(ctx, r, &l));
    TRY(smr_parallel(ctx, "laying out rows", r->n_blocks, layout_task, &l));
    if (!are_bytes(r, &l)) {
        smr_free(r->panels);
        r->panels = NULL;
        set_floats(r, longest);
        TRY(make_room(ctx, r, &l));
        TRY(smr_parallel(ctx, "laying out rows", r->n_blocks, layout_task, &l));
    }
    for (int64_t b = 0; b < r->n_blocks; b++) {
        r->squares += l.squares[b];
        most = l.longest[b] > most ? l.longest[b] : most;
    }
    r->longest = sqrtf(most) * (1 + 0x1p-20f);
out:
    smr_free(l.squares);
    smr_free(l.off);
    smr_free(l.longest);
    smr_free(l.far);
    smr_free(l.bytes);
    smr_free(l.zeros);
    return st;
}
