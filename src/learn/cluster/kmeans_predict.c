/* kmeans_predict.c -- the nearest centre of rows that come, and their distances.
 *
 * Where all distances are wanted, or of few centres, they are computed as they are defined.  Else
 * the nearest centre comes from products, as in a fit (kmeans_keys.c): the rows of a block are
 * floats from the mean of the centres, in units in which no centre is further than 1 from it, and
 * distances in double decide where the products leave doubt.  A row so far away that floats do not
 * hold it is in doubt, so that both ways give the same answer. */
#include "kernel/kernel.h"
#include "learn/cluster/kmeans.h"

#include <math.h>
#include <string.h>

enum {
    PRODUCTS_FROM = 12, /* centres                                  */
    MOST_ROWS = 256,    /* of a block                               */
    KEYS = 1 << 16,     /* and a row's, of a block                  */
    FLOATS = 1 << 17    /* of a block's panels                      */
};

/* Centres as products read them: the rows' part is that of a call. */
struct smr_km_ahead {
    struct smr_km_rows rows;
    struct smr_km_centres centres;
};

/* ---- before rows come ------------------------------------------------------------------- */

void smr_kmeans_release(void *state_)
{
    struct smr_kmeans_state *s = state_;
    if (!s->ahead) return;
    smr_km_centres_release(&s->ahead->centres);
    smr_free(s->ahead->rows.shift);
    smr_free(s->ahead);
    s->ahead = NULL;
}

/* The mean of the centres; the length of the longest from there. */
static double find_mean(const struct smr_kmeans_state *s, double *mean)
{
    int64_t d = s->n_features;
    double longest = 0;
    for (int64_t c = 0; c < s->n_clusters; c++)
        smr_axpy_f64(d, 1 / (double)s->n_clusters, s->centre + c * d, mean);
    for (int64_t c = 0; c < s->n_clusters; c++)
        longest = smr_fmax(longest, sqrt(smr_l2sq_f64(d, s->centre + c * d, mean)));
    return longest;
}

smr_status smr_kmeans_prepare(smr_ctx *ctx, const void *params_, void *state_)
{
    struct smr_kmeans_state *s = state_;
    smr_status st = SMR_OK;
    int64_t d = s->n_features, k = s->n_clusters, rows = SMR_MIN(KEYS / k, FLOATS / (d + 1));
    int exponent = 0;
    (void)params_;
    if (k < PRODUCTS_FROM || s->n_wait > 0) return SMR_OK;
    TRY_NEW(s->ahead, 1);
    struct smr_km_rows *r = &s->ahead->rows;
    TRY_NEW(r->shift, d);
    double longest = find_mean(s, r->shift);
    if (!(longest > 1e-140 && longest < 1e140) || (double)d > 0x1p17) {
        smr_kmeans_release(s);
        return SMR_OK;
    }
    frexp(longest, &exponent);
    r->d = d;
    r->way = SMR_KM_FLOATS;
    r->form = SMR_FORM_F64;
    r->unit = ldexp(1, -exponent);
    r->panel_bytes = smr_panels_size_f32(SMR_KM_PANEL, d + 1);
    r->block = SMR_MAX(SMR_KM_PANEL, SMR_MIN(MOST_ROWS, rows / SMR_KM_PANEL * SMR_KM_PANEL));
    TRY(smr_km_centres_create(ctx, r, k, &s->ahead->centres));
    smr_km_centres_set(r, s->centre, &s->ahead->centres);
out:
    if (st != SMR_OK) smr_kmeans_release(s);
    return st;
}

/* ---- distances -------------------------------------------------------------------------- */

/* Squared distances of a row from all centres, or 1 - cosine.  row: d. */
static void distances(const struct smr_kmeans_state *s, const smr_rows *rows, int64_t i,
                      double *row, double *out)
{
    int64_t d = s->n_features;
    bool cosine = s->metric == SMR_KM_COSINE;
    if (rows->form == SMR_FORM_SPARSE) {
        int64_t from = rows->start[i], n = rows->start[i + 1] - from;
        const int32_t *column = rows->column + from;
        memcpy(row, rows->value + from, (size_t)n * sizeof *row);
        if (cosine) smr_kmeans_unit(n, row);
        for (int64_t c = 0; c < s->n_clusters; c++) {
            const double *centre = s->centre + c * d;
            double sum = smr_sumsq_f64(d, centre, 0);
            for (int64_t e = 0; e < n; e++) sum += row[e] * (row[e] - 2 * centre[column[e]]);
            out[c] = smr_fmax(sum, 0) * (cosine ? 0.5 : 1);
        }
        return;
    }
    const double *x = (const double *)rows->x + i * rows->stride;
    if (cosine) {
        memcpy(row, x, (size_t)d * sizeof *row);
        smr_kmeans_unit(d, row);
        x = row;
    }
    for (int64_t c = 0; c < s->n_clusters; c++)
        out[c] = smr_l2sq_f64(d, x, s->centre + c * d) * (cosine ? 0.5 : 1);
}

static int64_t nearest(const struct smr_kmeans_state *s, const double *distance)
{
    int64_t at = 0;
    for (int64_t c = 1; c < s->n_clusters; c++)
        if (distance[c] < distance[at]) at = c;
    return at;
}

/* ---- the nearest of a block ------------------------------------------------------------- */

/* Takes bytes of the scratch; NULL first, to know how many there are. */
static void *take(char *scratch, int64_t *used, int64_t bytes)
{
    void *at = scratch ? scratch + *used : NULL;
    *used += (bytes + 63) / 64 * 64;
    return at;
}

struct room {
    double *row, *distance, *units; /* units: of cosine, block x d */
    float *square;
    struct smr_km_lane lane;
};

static int64_t lay_out(const struct smr_kmeans_state *s, char *scratch, struct room *room)
{
    int64_t used = 0, k = s->n_clusters, d = s->n_features;
    int64_t block = s->ahead ? s->ahead->rows.block : 0;
    room->row = take(scratch, &used, 8 * d);
    room->distance = take(scratch, &used, 8 * k);
    if (!s->ahead) return used;
    if (s->metric == SMR_KM_COSINE) room->units = take(scratch, &used, 8 * block * d);
    room->square = take(scratch, &used, 4 * block);
    room->lane.row = room->row;
    room->lane.key = take(scratch, &used, 4 * k * block);
    room->lane.least = take(scratch, &used, 4 * block);
    room->lane.second = take(scratch, &used, 4 * block);
    room->lane.at = take(scratch, &used, 4 * block);
    room->lane.close = take(scratch, &used, 8 * block);
    room->lane.far = take(scratch, &used, 8 * block);
    room->lane.panels = take(scratch, &used, block / SMR_KM_PANEL * s->ahead->rows.panel_bytes);
    return used;
}

int64_t smr_kmeans_scratch(const void *params_, const void *state_, int64_t n)
{
    struct room room = {0};
    (void)params_, (void)n;
    return lay_out(state_, NULL, &room) + 64;
}

/* Of rows lo .. hi, at most a block, into room->lane.at. */
static void nearest_by_products(const struct smr_kmeans_state *s, const smr_rows *rows, int64_t lo,
                                int64_t hi, struct room *room)
{
    struct smr_km_rows r = s->ahead->rows;
    int64_t d = r.d;
    const double *x = (const double *)rows->x + lo * rows->stride;
    r.n = hi - lo;
    r.square = room->square;
    r.dense = (smr_dense){.values = x, .stride = rows->stride};
    if (s->metric == SMR_KM_COSINE) {
        for (int64_t i = 0; i < r.n; i++) {
            memcpy(room->units + i * d, x + i * rows->stride, (size_t)d * sizeof *x);
            smr_kmeans_unit(d, room->units + i * d);
        }
        r.dense = (smr_dense){.values = room->units, .stride = d};
    }
    smr_km_distances(&r, 0, r.n, NULL, r.shift, NULL, room->row, room->lane.far);
    for (int64_t i = 0; i < r.n; i++)
        room->square[i] = (float)(room->lane.far[i] * r.unit * r.unit);
    smr_km_nearest(&r, &s->ahead->centres, 0, r.n, &room->lane);
}

/* ---- answers ---------------------------------------------------------------------------- */

static void answer_nearest(const struct smr_kmeans_state *s, smr_output output, int64_t i,
                           int64_t at, double *out)
{
    int64_t d = s->n_features;
    if (output == SMR_OUTPUT_LABEL)
        out[i] = (double)at;
    else
        memcpy(out + i * d, s->centre + at * d, (size_t)d * sizeof *out);
}

/* From all distances of row i. */
static void answer(const struct smr_kmeans_state *s, bool nearest_centre, smr_output output,
                   int64_t i, const double *distance, double *out)
{
    int64_t k = s->n_clusters, at = nearest(s, distance);
    if (output == SMR_OUTPUT_SCORE) {
        out[i] = -distance[at];
    } else if (output == SMR_OUTPUT_DECISION) {
        for (int64_t c = 0; c < k; c++) out[i * k + c] = -distance[c];
    } else if (output == SMR_OUTPUT_LABEL || nearest_centre) {
        answer_nearest(s, output, i, at, out);
    } else {
        for (int64_t c = 0; c < k; c++)
            out[i * k + c] = s->metric == SMR_KM_COSINE ? distance[c] : sqrt(distance[c]);
    }
}

smr_status smr_kmeans_predict(smr_ctx *ctx, const void *params_, const void *state_,
                              const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct smr_kmeans_params *p = params_;
    const struct smr_kmeans_state *s = state_;
    struct room room = {0};
    bool nearest_centre = p->gives == SMR_KM_NEAREST;
    bool one = output == SMR_OUTPUT_LABEL || (output == SMR_OUTPUT_TRANSFORM && nearest_centre);
    int64_t aligned = (64 - (int64_t)((uintptr_t)scratch % 64)) % 64, block;
    (void)ctx;
    lay_out(s, (char *)scratch + aligned, &room);
    if (s->ahead && one && rows->form == SMR_FORM_F64 && rows->n > 1) {
        block = s->ahead->rows.block;
        for (int64_t lo = 0; lo < rows->n; lo += block) {
            int64_t hi = SMR_MIN(rows->n, lo + block);
            nearest_by_products(s, rows, lo, hi, &room);
            for (int64_t i = lo; i < hi; i++)
                answer_nearest(s, output, i, room.lane.at[i - lo], out);
        }
        return SMR_OK;
    }
    for (int64_t i = 0; i < rows->n; i++) {
        distances(s, rows, i, room.row, room.distance);
        answer(s, nearest_centre, output, i, room.distance, out);
    }
    return SMR_OK;
}
