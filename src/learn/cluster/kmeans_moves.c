/* kmeans_moves.c -- empty clusters, and moves that iterations alone do not make.
 *
 * An empty cluster gets the row that is furthest from its centre (of those that tie the first),
 * the next one the row that is then furthest, and so on; rows that are alone in their cluster stay.
 * Where every row lies at its centre, clusters stay empty: the rows have fewer places than there
 * are clusters.
 *
 * A split and a merge: with E_c the error of cluster c and W_c its weight,
 *
 *     merging a and b adds    W_a W_b / (W_a + W_b) |c_a - c_b|^2                               (1)
 *     splitting c takes away  E_c less the errors of its two parts, found by iterations on its
 *                             rows from the row furthest from the centre, and its mirror image
 *
 * The one of the FEW worst clusters whose split takes away most is split where that is more than
 * (1) of the cheapest pair apart from it adds; then all iterate again, and the result is kept if
 * its error is lower.  So the error never rises.  (Cosine: 1 - cosine throughout, which is half the
 * squared distance of rows of length 1.) */
#include "kernel/kernel.h"
#include "learn/cluster/kmeans.h"

#include <math.h>
#include <string.h>

enum { FEW = 4, HALVES = 10, TASK_ROWS = 2048 };

/* ---- empty clusters --------------------------------------------------------------------- */

struct apart {
    const struct smr_km_work *w;
    double *distance;  /* n */
    const double *new; /* the centre that joined last; NULL: distances from the row's own */
    double *square;
};

static smr_status apart_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct apart *a = arg;
    const struct smr_km_work *w = a->w;
    const struct smr_km_rows *r = &w->rows;
    (void)ctx;
    for (int64_t i = task * TASK_ROWS; i < smr_block_end(r->n, TASK_ROWS, task); i++) {
        int64_t c = w->label[i];
        const double *at = a->new ? a->new : w->centre + c * r->d;
        double D = smr_km_distance(r, i, at, a->square[a->new ? w->k : c], w->lanes[lane].row);
        a->distance[i] = a->new ? smr_fmin(a->distance[i], D) : D;
    }
    return SMR_OK;
}

static smr_status measure_apart(smr_ctx *ctx, struct apart *a)
{
    return smr_parallel(ctx, NULL, smr_block_count(a->w->rows.n, TASK_ROWS), apart_task, a);
}

static int64_t furthest(const struct smr_km_work *w, const double *distance)
{
    int64_t far = -1;
    for (int64_t i = 0; i < w->rows.n; i++)
        if (w->count[w->label[i]] > 1 && smr_km_weight(&w->rows, i) > 0 && distance[i] > 0 &&
            (far < 0 || distance[i] > distance[far]))
            far = i;
    return far;
}

static bool any_empty(const struct smr_km_work *w)
{
    bool empty = false;
    for (int64_t c = 0; c < w->k; c++) empty |= w->count[c] == 0;
    return empty;
}

smr_status smr_km_repair(smr_ctx *ctx, struct smr_km_work *w)
{
    smr_status st = SMR_OK;
    struct apart a = {.w = w};
    double *row = NULL;
    int64_t d = w->rows.d;
    if (!any_empty(w)) return SMR_OK;
    TRY_NEW(a.distance, w->rows.n);
    TRY_NEW(a.square, w->k + 1);
    TRY_NEW(row, d);
    for (int64_t c = 0; c < w->k; c++) a.square[c] = smr_sumsq_f64(d, w->centre + c * d, 0);
    TRY(measure_apart(ctx, &a));
    for (int64_t c = 0; c < w->k; c++) {
        if (w->count[c] > 0) continue;
        int64_t i = furthest(w, a.distance);
        if (i < 0) break;
        w->lanes[0].move[0] = (smr_row_move){i, w->label[i], (int32_t)c};
        smr_km_count_moves(&w->rows, 1, &w->lanes[0]);
        w->label[i] = (int32_t)c;
        TRY(smr_km_gather(ctx, w));
        memcpy(row, smr_km_row(&w->rows, i, w->rows.work), (size_t)d * sizeof *row);
        a.new = row;
        a.square[w->k] = smr_sumsq_f64(d, row, 0);
        TRY(measure_apart(ctx, &a));
    }
    smr_km_bounds_forget(w->bounds);
out:
    smr_free(a.distance);
    smr_free(a.square);
    smr_free(row);
    return st;
}

/* ---- splits and merges ------------------------------------------------------------------ */

struct halves {
    struct smr_km_work *w;
    int64_t cluster, n;
    int64_t *row;   /* of the cluster's rows */
    bool *second;   /* n */
    double *centre; /* 2 x d */
    double square[2], error;
};

static void find_rows(struct halves *h)
{
    h->n = 0;
    for (int64_t i = 0; i < h->w->rows.n; i++)
        if (h->w->label[i] == h->cluster && smr_km_weight(&h->w->rows, i) > 0) h->row[h->n++] = i;
}

/* The row furthest from the centre, and its mirror image. */
static void first_halves(struct halves *h)
{
    const struct smr_km_rows *r = &h->w->rows;
    const double *mean = h->w->centre + h->cluster * r->d;
    double square = smr_sumsq_f64(r->d, mean, 0), far = -1;
    for (int64_t e = 0; e < h->n; e++) {
        double D = smr_km_distance(r, h->row[e], mean, square, h->w->lanes[0].row);
        if (!(D > far)) continue;
        far = D;
        memmove(h->centre, smr_km_row(r, h->row[e], r->work), (size_t)r->d * sizeof *mean);
    }
    for (int64_t j = 0; j < r->d; j++) h->centre[r->d + j] = 2 * mean[j] - h->centre[j];
}

/* Halves the cluster; h->error: what is left of its error. */
static void iterate_halves(struct halves *h)
{
    const struct smr_km_rows *r = &h->w->rows;
    double *work = h->w->lanes[0].row;
    for (int turn = 0; turn < HALVES; turn++) {
        int64_t changed = 0;
        double weight[2] = {0, 0};
        h->error = 0;
        for (int s = 0; s < 2; s++) h->square[s] = smr_sumsq_f64(r->d, h->centre + s * r->d, 0);
        for (int64_t e = 0; e < h->n; e++) {
            double D[2];
            for (int s = 0; s < 2; s++)
                D[s] = smr_km_distance(r, h->row[e], h->centre + s * r->d, h->square[s], work);
            bool second = D[1] < D[0];
            changed += second != h->second[e];
            h->second[e] = second;
            h->error += smr_km_weight(r, h->row[e]) * D[second];
        }
        if (turn && changed == 0) return;
        memset(h->centre, 0, 2 * (size_t)r->d * sizeof *h->centre);
        for (int64_t e = 0; e < h->n; e++) {
            double w = smr_km_weight(r, h->row[e]);
            weight[h->second[e]] += w;
            smr_axpy_f64(r->d, w, smr_km_row(r, h->row[e], work), h->centre + h->second[e] * r->d);
        }
        for (int s = 0; s < 2; s++) {
            for (int64_t j = 0; j < r->d && weight[s] > 0; j++)
                h->centre[s * r->d + j] /= weight[s];
            if (h->w->p->metric == SMR_KM_COSINE) smr_kmeans_unit(r->d, h->centre + s * r->d);
        }
    }
}

/* What (1) comes to for the cheapest pair without `without`. */
static double cheapest_pair(const struct smr_km_work *w, int64_t without, int64_t pair[2])
{
    int64_t d = w->rows.d;
    double least = INFINITY;
    for (int64_t a = 0; a < w->k; a++)
        for (int64_t b = 0; b < a; b++) {
            double Wa = smr_km_cluster_weight(w, a), Wb = smr_km_cluster_weight(w, b);
            if (a == without || b == without || !(Wa + Wb > 0)) continue;
            double adds =
                Wa * Wb / (Wa + Wb) * smr_l2sq_f64(d, w->centre + a * d, w->centre + b * d);
            if (!(adds < least)) continue;
            least = adds;
            pair[0] = b;
            pair[1] = a;
        }
    return least;
}

/* Which of the worst clusters gains most by a split; its halves are in `best`. */
static int64_t best_split(struct halves *h, const double *error, double *gain, double *best)
{
    const struct smr_km_work *w = h->w;
    int64_t d = w->rows.d, found = -1, tried[FEW];
    double half = w->p->metric == SMR_KM_COSINE ? 0.5 : 1;
    *gain = 0;
    for (int64_t t = 0; t < SMR_MIN(FEW, w->k); t++) {
        int64_t worst = -1;
        for (int64_t c = 0; c < w->k; c++) {
            bool done = false;
            for (int64_t e = 0; e < t; e++) done |= tried[e] == c;
            if (!done && (worst < 0 || error[c] > error[worst])) worst = c;
        }
        tried[t] = h->cluster = worst;
        find_rows(h);
        if (h->n < 2) continue;
        memset(h->second, 0, (size_t)h->n * sizeof *h->second);
        first_halves(h);
        iterate_halves(h);
        if (!(error[worst] - half * h->error > *gain)) continue;
        *gain = error[worst] - half * h->error;
        found = worst;
        memcpy(best, h->centre, 2 * (size_t)d * sizeof *best);
    }
    return found;
}

/* Puts the centres of a split and a merge in place; false: none is worth it. */
static bool change_centres(struct halves *h, const double *error, double *best)
{
    struct smr_km_work *w = h->w;
    int64_t d = w->rows.d, pair[2] = {-1, -1};
    double gain, half = w->p->metric == SMR_KM_COSINE ? 0.5 : 1;
    int64_t split = best_split(h, error, &gain, best);
    if (split < 0) return false;
    double adds = half * cheapest_pair(w, split, pair);
    if (!(gain > adds * (1 + 1e-9))) return false;
    double Wa = smr_km_cluster_weight(w, pair[0]), Wb = smr_km_cluster_weight(w, pair[1]);
    for (int64_t j = 0; j < d; j++) {
        double *a = w->centre + pair[0] * d + j;
        *a = (Wa * *a + Wb * w->centre[pair[1] * d + j]) / (Wa + Wb);
    }
    if (w->p->metric == SMR_KM_COSINE) smr_kmeans_unit(d, w->centre + pair[0] * d);
    memcpy(w->centre + split * d, best, (size_t)d * sizeof *best);
    memcpy(w->centre + pair[1] * d, best + d, (size_t)d * sizeof *best);
    return true;
}

smr_status smr_km_split_and_merge(smr_ctx *ctx, struct smr_km_work *w)
{
    smr_status st = SMR_OK;
    struct halves h = {.w = w};
    int64_t size = w->k * w->rows.d;
    double *by_cluster = NULL, *best = NULL, *before = NULL, now = 0, error = 0;
    if (w->k < 3) return SMR_OK;
    TRY_NEW(h.row, w->rows.n);
    TRY_NEW(h.second, w->rows.n);
    TRY_NEW(h.centre, 2 * w->rows.d);
    TRY_NEW(best, 2 * w->rows.d);
    TRY_NEW(by_cluster, w->k);
    TRY_NEW(before, size);
    for (int64_t m = 0; m < w->p->moves; m++) {
        TRY(smr_km_errors(ctx, w, by_cluster, &error));
        memcpy(before, w->centre, (size_t)size * sizeof *before);
        if (!change_centres(&h, by_cluster, best)) break;
        smr_km_bounds_forget(w->bounds);
        TRY(smr_km_iterate(ctx, w));
        TRY(smr_km_errors(ctx, w, NULL, &now));
        if (now < error) continue;
        memcpy(w->centre, before, (size_t)size * sizeof *before);
        smr_km_bounds_forget(w->bounds);
        TRY(smr_km_assign(ctx, w));
        break;
    }
out:
    smr_free(h.row);
    smr_free(h.second);
    smr_free(h.centre);
    smr_free(best);
    smr_free(by_cluster);
    smr_free(before);
    return st;
}
