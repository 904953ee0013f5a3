/* bayes_entries.c -- counts of sparse rows.
 *
 * The rows of each class are visited together, in their order: the counts of one class, a number
 * for each word, then stay in the cache.  Classes are tasks of their own; where there are few, each
 * is cut into pieces, whose counts are added in order. */
#include "core/parallel.h"
#include "data/keep.h"
#include "learn/bayes/bayes.h"

#include <math.h>

enum { FEWEST_TASKS = 8, SMALL = 4096 };

struct counting {
    const struct smr_bayes_params *p;
    const smr_data *data; /* in memory */
    struct smr_bayes_state *s;
    int64_t *order, *begin; /* rows class by class; where each begins, n_classes + 1 */
    int64_t pieces;         /* of a class                                            */
    double *count;          /* n_classes x pieces x n_cells                          */
    double *absent;         /* n_classes x pieces x n_features: weight of the gaps; bits only */
};

static smr_status sort_by_class(smr_ctx *ctx, struct counting *w)
{
    smr_status st = SMR_OK;
    const smr_data *data = w->data;
    int64_t *next = NULL, k = data->n_classes;
    TRY_NEW(w->order, data->n_rows);
    TRY_NEW(w->begin, k + 1);
    TRY_NEW(next, k + 1);
    for (int64_t i = 0; i < data->n_rows; i++) w->begin[data->label[i] + 1]++;
    for (int64_t c = 0; c < k; c++) next[c + 1] = w->begin[c + 1] += w->begin[c];
    for (int64_t i = 0; i < data->n_rows; i++) w->order[next[data->label[i]]++] = i;
out:
    smr_free(next);
    return st;
}

/* One row's entries; the first that cannot be a count is refused. */
static smr_status count_row(smr_ctx *ctx, const struct counting *w, int64_t i, double *count,
                            double *absent)
{
    const smr_csr *x = w->data->sparse;
    int64_t row = w->data->rows ? w->data->rows[i] : i;
    double weight = smr_data_weight(w->data, i), least = 0;
    bool bits = absent != NULL;
    for (int64_t e = x->start[row]; e < x->start[row + 1]; e++) {
        int64_t j = x->column[e];
        double v = x->value[e];
        if (bits) {
            if (!isfinite(v))
                absent[j] += weight;
            else if (v > w->p->threshold)
                count[2 * j + 1] += weight;
            continue;
        }
        if (!isfinite(v)) continue;
        count[j] += weight * v;
        least = v < least ? v : least;
    }
    for (int64_t e = x->start[row]; e < x->start[row + 1] && least < 0; e++)
        if (x->value[e] < 0)
            return smr_bayes_refuse_count(ctx, w->data->features, row, x->column[e], x->value[e]);
    return SMR_OK;
}

static smr_status count_piece(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct counting *w = arg;
    smr_status st = SMR_OK;
    int64_t k = task / w->pieces, piece = task % w->pieces, n = w->begin[k + 1] - w->begin[k];
    int64_t lo = w->begin[k] + n * piece / w->pieces,
            hi = w->begin[k] + n * (piece + 1) / w->pieces;
    double *absent = w->absent ? w->absent + task * w->s->n_features : NULL;
    (void)lane;
    for (int64_t i = lo; i < hi; i++) {
        TRY(count_row(ctx, w, w->order[i], w->count + task * w->s->n_cells, absent));
        if (i % SMALL == SMALL - 1) TRY(smr_tick(ctx, NULL, i - lo, hi - lo, NAN));
    }
out:
    return st;
}

/* The pieces of each class, in order; a bit that is neither 1 nor a gap is 0. */
static void fold(const struct counting *w, struct smr_bayes_state *s)
{
    for (int64_t k = 0; k < s->n_classes; k++) {
        double *to = s->count + k * s->n_cells;
        for (int64_t piece = 0; piece < w->pieces && w->count != s->count; piece++) {
            const double *from = w->count + (k * w->pieces + piece) * s->n_cells;
            for (int64_t c = 0; c < s->n_cells; c++) to[c] += from[c];
        }
        for (int64_t j = 0; j < s->n_features && w->absent; j++) {
            double gaps = 0;
            for (int64_t piece = 0; piece < w->pieces; piece++)
                gaps += w->absent[(k * w->pieces + piece) * s->n_features + j];
            to[2 * j] = smr_fmax(0, s->weight[k] - to[2 * j + 1] - gaps);
        }
    }
}

smr_status smr_bayes_count_entries(smr_ctx *ctx, const struct smr_bayes_params *p,
                                   const smr_data *data, struct smr_bayes_state *s)
{
    smr_status st = SMR_OK;
    smr_data own = *data;
    smr_keep keep = {0};
    struct counting w = {.p = p, .data = &own, .s = s, .pieces = 1, .count = s->count};
    own.spend = NULL;
    TRY(smr_data_keep(ctx, &own, SMR_FORM_SPARSE, true, &keep));
    TRY(sort_by_class(ctx, &w));
    if (s->n_classes < FEWEST_TASKS && own.n_rows > SMALL)
        w.pieces = (FEWEST_TASKS + s->n_classes - 1) / s->n_classes;
    if (w.pieces > 1) TRY_NEW(w.count, s->n_classes * w.pieces * s->n_cells);
    if (!smr_bayes_counts(s)) TRY_NEW(w.absent, s->n_classes * w.pieces * s->n_features);
    TRY(smr_parallel(ctx, "counting", s->n_classes * w.pieces, count_piece, &w));
    fold(&w, s);
out:
    if (w.count != s->count) smr_free(w.count);
    smr_free(w.absent);
    smr_free(w.order);
    smr_free(w.begin);
    smr_keep_release(&keep);
    return st;
}
