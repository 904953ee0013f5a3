/* kmeans_keys.c -- blocks of rows against all centres.
 *
 * The label of a row is the centre with the smallest distance, computed in double and in one way
 * alone (smr_km_distance), the first of those that tie.  Products find it: with T the row and C the
 * centre from a common origin, in units in which no row is longer than 1,
 *
 *     |T - C|^2 - |T|^2 = |C|^2 - 2 T C                                                         (1)
 *
 * is computed with an error that is bounded, and where another centre's key is not above the least
 * one by more than that, distances in double decide among those within it.
 *
 * Floats: t and c are T and C rounded, u = 2^-24, and the sum of d products and |C|^2 in one chain:
 * for E = (d + 24) u 1.05
 *
 *     |key - (1)| <= E (|T|^2 + |C|^2),   |C|^2 (1 - E) in place of |C|^2:
 *     key <= (1) + E |T|^2,   (1) <= key + E |T|^2 + 2 E |C|^2
 *
 * so a centre can beat the one with the least key only if its key is within
 * 2 E (|T|^2 + |C_least|^2) of that.
 *
 * Bytes: c is rounded to 256ths, high and low byte, whose products with the row are exact.  That
 * leaves 2 |x| |c - rounded c|, and roundings of the sum of three terms, E = 8 u.  Where rows are
 * off their bytes, two keys differ by at most 2 off |c - c'| more.
 *
 * Few columns, or few centres, leave room in the registers for the two least keys, and the keys are
 * not kept. */
#include "kernel/kernel.h"
#include "learn/cluster/kmeans.h"

#include <math.h>
#include <string.h>

#define U 0x1p-24

enum {
    FEW_CENTRES = 12,
    PART = 1 << 12, /* floats of the panels that are made at once, about */
    FEW_UNCLEAR = 8 /* rows of a block that are compared with all centres in double */
};

/* ---- centres ---------------------------------------------------------------------------- */

static double error_of(const struct smr_km_rows *r)
{
    return r->way == SMR_KM_BYTES ? 8 * U : ((double)r->d + 24) * U * 1.05;
}

smr_status smr_km_centres_create(smr_ctx *ctx, const struct smr_km_rows *r, int64_t k,
                                 struct smr_km_centres *c)
{
    smr_status st = SMR_OK;
    *c = (struct smr_km_centres){.k = k, .d = r->d, .ld = (k + 7) / 8 * 8};
    TRY_NEW(c->square, k);
    TRY_NEW(c->slack, k);
    if (r->way == SMR_KM_FLOATS) TRY_NEW(c->floats, k * (r->d + 1));
    if (r->way == SMR_KM_ENTRIES) TRY_NEW(c->turned, r->d * c->ld);
    if (r->way == SMR_KM_BYTES) {
        TRY_NEW(c->high, k * r->d);
        TRY_NEW(c->low, k * r->d);
        TRY_NEW(c->base, k);
    }
out:
    if (st != SMR_OK) smr_km_centres_release(c);
    return st;
}

void smr_km_centres_release(struct smr_km_centres *c)
{
    smr_free(c->square);
    smr_free(c->slack);
    smr_free(c->floats);
    smr_free(c->turned);
    smr_free(c->high);
    smr_free(c->low);
    smr_free(c->base);
    *c = (struct smr_km_centres){0};
}

static void set_floats(const struct smr_km_rows *r, struct smr_km_centres *c, int64_t at)
{
    const double *from = c->at + at * c->d;
    float *to = c->floats + at * (c->d + 1);
    double sum = 0, E = error_of(r);
    for (int64_t j = 0; j < c->d; j++) {
        double x = (from[j] - r->shift[j]) * r->unit;
        to[j] = -2 * (float)x;
        sum += x * x;
    }
    c->square[at] = sum;
    c->slack[at] = 2 * E * sum;
    to[c->d] = (float)(sum * (1 - E));
}

static void set_bytes(const struct smr_km_rows *r, struct smr_km_centres *c, int64_t at)
{
    const double *from = c->at + at * c->d;
    double away = 0, sum = 0, E = error_of(r);
    for (int64_t j = 0; j < c->d; j++) {
        double x = (from[j] - r->low) * r->unit, whole = floor(x * 256 + 0.5);
        int32_t q = whole < 0 ? 0 : whole > 65535 ? 65535 : (int32_t)whole;
        double off = x - q / 256.0;
        c->high[at * c->d + j] = (uint8_t)(q >> 8);
        c->low[at * c->d + j] = (uint8_t)(q & 255);
        away += off * off;
        sum += x * x;
    }
    c->square[at] = sum;
    c->slack[at] = 2 * E * sum;
    c->base[at] = (float)(sum * (1 - E));
    c->away = smr_fmax(c->away, sqrt(away));
}

void smr_km_centres_set(const struct smr_km_rows *r, const double *at, struct smr_km_centres *c)
{
    c->at = at;
    c->away = c->most_slack = 0;
    for (int64_t i = 0; i < c->k; i++) {
        if (r->way == SMR_KM_FLOATS) {
            set_floats(r, c, i);
        } else if (r->way == SMR_KM_BYTES) {
            set_bytes(r, c, i);
        } else {
            c->square[i] = smr_sumsq_f64(c->d, at + i * c->d, 0);
            for (int64_t j = 0; c->turned && j < c->d; j++)
                c->turned[j * c->ld + i] = at[i * c->d + j];
        }
        c->most_slack = smr_fmax(c->most_slack, c->slack[i]);
    }
}

/* ---- lanes ------------------------------------------------------------------------------ */

static smr_status lane_create(smr_ctx *ctx, const struct smr_km_rows *r, int64_t k, bool sums,
                              struct smr_km_lane *l)
{
    smr_status st = SMR_OK;
    int64_t block = r->block, most = SMR_MAX(k, SMR_KM_DRAWN);
    TRY_NEW(l->key, most * block);
    TRY_NEW(l->exact, (most + 7) / 8 * 8);
    TRY_NEW(l->least, block);
    TRY_NEW(l->second, block);
    TRY_NEW(l->at, block);
    TRY_NEW(l->row, r->d);
    TRY_NEW(l->move, block);
    TRY_NEW(l->list, block);
    TRY_NEW(l->close, block);
    TRY_NEW(l->far, block);
    TRY_NEW(l->square, block);
    if (r->way == SMR_KM_BYTES) {
        TRY_NEW(l->high, most * block);
        TRY_NEW(l->low, most * block);
    }
    if (r->way == SMR_KM_FLOATS) {
        l->panels = smr_alloc(ctx, block / SMR_KM_PANEL * r->panel_bytes, 1);
        if (!l->panels) TRY(SMR_ERR_NOMEM);
    }
    if (sums) {
        TRY_NEW(l->sum, k * r->d);
        TRY_NEW(l->count, k);
        TRY_NEW(l->mass, k);
    }
out:
    return st;
}

smr_status smr_km_lanes_create(smr_ctx *ctx, const struct smr_km_rows *r, int64_t k, bool sums,
                               struct smr_km_lane **out)
{
    smr_status st = SMR_OK;
    const int64_t panels = r->block / SMR_KM_PANEL;
    int lanes = smr_lanes(ctx);
    struct smr_km_lane *all = NULL;
    double each =
        (double)SMR_MAX(k, SMR_KM_DRAWN) * (4 + 8 * (r->way == SMR_KM_BYTES)) * (double)r->block;
    if (r->way == SMR_KM_FLOATS) each += (double)(panels * r->panel_bytes);
    if (sums) each += 8 * (double)k * (double)r->d;
    TRY(smr_km_check_memory(ctx, r, each * lanes, "work of each thread",
                            "use fewer clusters or threads"));
    TRY_NEW(all, lanes);
    for (int l = 0; l < lanes; l++) TRY(lane_create(ctx, r, k, sums, &all[l]));
out:
    if (st != SMR_OK) {
        smr_km_lanes_release(ctx, all);
        all = NULL;
    }
    *out = all;
    return st;
}

void smr_km_lanes_release(smr_ctx *ctx, struct smr_km_lane *lanes)
{
    for (int i = 0; lanes && i < smr_lanes(ctx); i++) {
        struct smr_km_lane *l = &lanes[i];
        smr_free(l->key);
        smr_free(l->exact);
        smr_free(l->least);
        smr_free(l->second);
        smr_free(l->at);
        smr_free(l->row);
        smr_free(l->move);
        smr_free(l->list);
        smr_free(l->close);
        smr_free(l->far);
        smr_free(l->square);
        smr_free(l->high);
        smr_free(l->low);
        smr_free(l->sum);
        smr_free(l->count);
        smr_free(l->mass);
        smr_free(l->gather);
        smr_free(l->panels);
    }
    smr_free(lanes);
}

/* ---- keys ------------------------------------------------------------------------------- */

static void exact_keys(const struct smr_km_rows *r, const struct smr_km_centres *c, int64_t i,
                       struct smr_km_lane *l)
{
    if (r->way == SMR_KM_ENTRIES) {
        int64_t from = r->csr.start[i], n = r->csr.start[i + 1] - from;
        smr_entries_times_f64(n, r->csr.column + from, r->csr.value + from, c->k, c->turned, c->ld,
                              l->exact);
        for (int64_t j = 0; j < c->k; j++) l->exact[j] = c->square[j] - 2 * l->exact[j];
        return;
    }
    const double *x = smr_km_row(r, i, l->row);
    for (int64_t j = 0; j < c->k; j++) l->exact[j] = smr_l2sq_f64(c->d, x, c->at + j * c->d);
}

static void gather_bytes(const struct smr_km_rows *r, const int64_t *list, int64_t n, uint8_t *to)
{
    const void *x = r->dense.values;
    for (int64_t e = 0; e < n; e++, to += r->d) {
        int64_t at = list[e] * r->dense.stride;
        if (r->form == SMR_FORM_F64)
            smr_bytes_near_f64(r->d, (const double *)x + at, r->low, r->unit, to);
        else if (r->form == SMR_FORM_F32)
            smr_bytes_near_f32(r->d, (const float *)x + at, r->low, r->unit, to);
        else
            memcpy(to, (const uint8_t *)x + at, (size_t)r->d);
    }
}

/* Panels of the n rows of the list, or from lo on. */
static const void *panels_of(const struct smr_km_rows *r, int64_t lo, const int64_t *list,
                             int64_t n, struct smr_km_lane *l)
{
    if (r->panels && !list) return (const char *)r->panels + lo / SMR_KM_PANEL * r->panel_bytes;
    if (r->way == SMR_KM_BYTES) {
        gather_bytes(r, list, n, l->gather);
        smr_pack_u8(n, r->d, l->gather, r->d, l->panels);
    } else {
        smr_km_pack(r, lo, list, n, l->panels);
    }
    return l->panels;
}

static void keys_of_panels(const struct smr_km_rows *r, const struct smr_km_centres *c, int64_t n,
                           const void *panels, struct smr_km_lane *l)
{
    int64_t ld = r->block;
    if (r->way == SMR_KM_FLOATS) {
        smr_product_f32(c->k, n, c->d + 1, c->floats, c->d + 1, panels, l->key, ld);
        return;
    }
    smr_product_u8(c->k, n, c->d, c->high, c->d, panels, l->high, ld);
    smr_product_u8(c->k, n, c->d, c->low, c->d, panels, l->low, ld);
    for (int64_t j = 0; j < c->k; j++)
        smr_byte_keys_f32(n, c->base[j], l->high + j * ld, l->low + j * ld, l->key + j * ld);
}

static bool by_products(const struct smr_km_rows *r)
{
    return r->way == SMR_KM_FLOATS || r->way == SMR_KM_BYTES;
}

void smr_km_keys(const struct smr_km_rows *r, const struct smr_km_centres *c, int64_t lo,
                 int64_t hi, struct smr_km_lane *l)
{
    if (by_products(r)) {
        keys_of_panels(r, c, hi - lo, panels_of(r, lo, NULL, hi - lo, l), l);
        return;
    }
    for (int64_t i = lo; i < hi; i++) {
        exact_keys(r, c, i, l);
        for (int64_t j = 0; j < c->k; j++) l->key[j * r->block + i - lo] = (float)l->exact[j];
    }
}

double smr_km_of_key(const struct smr_km_rows *r, int64_t i, double key)
{
    if (r->way == SMR_KM_DIRECT) return smr_fmax(0, key);
    return smr_fmax(0, (double)r->square[i] + key) / (r->unit * r->unit);
}

/* Of rows that are off their bytes: rows and centres lie in the bytes' cube, but for `away`. */
static double doubt_of_bytes(const struct smr_km_rows *r, const struct smr_km_centres *c)
{
    return r->off > 0 ? 4 * r->off * (256 * sqrt((double)r->d) + c->away) : 0;
}

double smr_km_doubt(const struct smr_km_rows *r, const struct smr_km_centres *c, int64_t i,
                    int64_t at)
{
    double square = (double)r->square[i] * (1 + 4 * U), least = (double)c->d * 0x1p-130;
    if (r->way == SMR_KM_FLOATS) return 2 * error_of(r) * square + c->slack[at] + least;
    return 8 * U * square + 4.001 * c->away * sqrt(square) + c->slack[at] + doubt_of_bytes(r, c) +
           least;
}

float smr_km_doubt_f32(const struct smr_km_rows *r, const struct smr_km_centres *c, float square,
                       int64_t at)
{
    float slack = (float)(c->slack[at] + doubt_of_bytes(r, c)) * 1.001f + 0x1p-100f;
    if (r->way == SMR_KM_FLOATS) return (float)(2.001 * error_of(r)) * square + slack;
    return 0x1.01p-21f * square + (float)(4.002 * c->away) * sqrtf(square) + slack;
}

/* ---- the nearest ------------------------------------------------------------------------ */

/* Row i: of the centres whose keys, ld apart, are near the least, or of all (NULL), the one that is
 * nearest in double. */
static int32_t decide(const struct smr_km_rows *r, const struct smr_km_centres *c, int64_t i,
                      const float *key, double limit, double *row)
{
    double best = INFINITY;
    int32_t at = 0;
    const double *x = smr_km_row(r, i, row);
    for (int64_t j = 0; j < c->k; j++) {
        if (key && (double)key[j * r->block] > limit) continue;
        double distance = smr_l2sq_f64(c->d, x, c->at + j * c->d);
        if (distance >= best) continue;
        best = distance;
        at = (int32_t)j;
    }
    return at;
}

/* Labels of n rows whose two least keys are there: those of the list, or from lo on.  What no doubt
 * is as large as settles most rows.  At most `most` are decided without keys: whether that was
 * enough. */
static bool settle(const struct smr_km_rows *r, const struct smr_km_centres *c, int64_t lo,
                   const int64_t *list, int64_t n, const float *key, struct smr_km_lane *l)
{
    const smr_two_least two = {l->least, l->second, l->at};
    const float *square = r->square + lo;
    double away = r->way == SMR_KM_BYTES ? 5 * c->away * (double)r->longest : 0;
    float share = (float)(3 * error_of(r));
    float rest = (float)(2 * (c->most_slack + doubt_of_bytes(r, c)) + away) + 0x1p-100f;
    if (list) {
        for (int64_t e = 0; e < n; e++) l->square[e] = r->square[list[e]];
        square = l->square;
    }
    int64_t close = smr_close_keys_f32(n, &two, square, share, rest, l->close), unclear = 0;
    for (int64_t t = 0; t < close; t++) {
        int64_t e = l->close[t], i = list ? list[e] : lo + e;
        double doubt = smr_km_doubt(r, c, i, l->at[e]);
        if ((double)l->second[e] - (double)l->least[e] > doubt) continue; /* else: or infinities */
        if (!key && ++unclear > FEW_UNCLEAR) return false;
        l->at[e] = decide(r, c, i, key ? key + e : NULL, (double)l->least[e] + doubt, l->row);
    }
    return true;
}

/* The two least keys of n rows: those of the list, or from lo on; a part at a time, which stays in
 * the first-level cache. */
static void least_of_few(const struct smr_km_rows *r, const struct smr_km_centres *c, int64_t lo,
                         const int64_t *list, int64_t n, struct smr_km_lane *l)
{
    int64_t part = SMR_MAX(1, PART / (r->d + 1) / SMR_KM_PANEL) * SMR_KM_PANEL;
    for (int64_t e = 0; e < n; e += part) {
        smr_two_least two = {l->least + e, l->second + e, l->at + e};
        int64_t m = SMR_MIN(part, n - e);
        const void *panels = panels_of(r, lo + e, list ? list + e : NULL, m, l);
        smr_least_of_panels_f32(c->k, m, c->d + 1, c->floats, panels, &two);
    }
}

/* Labels of n rows: those of the list, or from lo on. */
static void label(const struct smr_km_rows *r, const struct smr_km_centres *c, int64_t lo,
                  const int64_t *list, int64_t n, struct smr_km_lane *l)
{
    smr_two_least two = {l->least, l->second, l->at};
    if (r->way == SMR_KM_FLOATS && (c->d <= SMR_KM_NARROW || c->k <= FEW_CENTRES)) {
        least_of_few(r, c, lo, list, n, l);
        if (settle(r, c, lo, list, n, NULL, l)) return;
    }
    keys_of_panels(r, c, n, panels_of(r, lo, list, n, l), l);
    smr_two_least_f32(c->k, n, l->key, r->block, &two);
    (void)settle(r, c, lo, list, n, l->key, l);
}

static int32_t first_least(int64_t k, const double *key)
{
    int64_t at = 0;
    for (int64_t j = 1; j < k; j++)
        if (key[j] < key[at]) at = j;
    return (int32_t)at;
}

void smr_km_nearest(const struct smr_km_rows *r, const struct smr_km_centres *c, int64_t lo,
                    int64_t hi, struct smr_km_lane *l)
{
    if (by_products(r)) {
        label(r, c, lo, NULL, hi - lo, l);
        return;
    }
    for (int64_t i = lo; i < hi; i++) {
        exact_keys(r, c, i, l);
        l->at[i - lo] = first_least(c->k, l->exact);
    }
}

void smr_km_nearest_of(const struct smr_km_rows *r, const struct smr_km_centres *c, int64_t n,
                       struct smr_km_lane *l)
{
    if (n == 0) return;
    label(r, c, 0, l->list, n, l);
}

smr_status smr_km_lanes_gather(smr_ctx *ctx, const struct smr_km_rows *r, struct smr_km_lane *lanes)
{
    smr_status st = SMR_OK;
    for (int t = 0; r->way == SMR_KM_BYTES && t < smr_lanes(ctx); t++) {
        TRY_NEW(lanes[t].gather, r->block * r->d);
        lanes[t].panels = smr_alloc(ctx, r->block / SMR_KM_PANEL * r->panel_bytes, 1);
        if (!lanes[t].panels) TRY(SMR_ERR_NOMEM);
    }
out:
    return st;
}
