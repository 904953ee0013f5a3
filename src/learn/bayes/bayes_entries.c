/* bayes_entries.c -- counts of sparse rows.
 *
 * The rows of each class are visited together, in their order: the counts of one class, a number
 * for each word, then stay in the cache.  Classes are tasks of their own; where there are few, each
 * is cut into pieces, whose counts are added in order. */
#include "core/parallel.h"
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

static int64_t row_of(const smr_data *data, int64_t i)
{
    return data->rows ? data->rows[i] : i;
}

static void count_bits(const struct counting *w, int64_t row, double weight, double *count,
                       double *absent)
{
    const smr_csr *x = w->data->sparse;
    for (int64_t e = x->start[row]; e < x->start[row + 1]; e++) {
        int64_t j = x->column[e];
        if (!isfinite(x->value[e]))
            absent[j] += weight;
        else if (x->value[e] > w->p->threshold)
            count[2 * j + 1] += weight;
    }
}

/* One row's entries; the first that cannot be a count is refused. */
static smr_status count_row(smr_ctx *ctx, const struct counting *w, int64_t i, double *count,
                            double *absent)
{
    const smr_csr *x = w->data->sparse;
    int64_t row = row_of(w->data, i), end = x->start[row + 1];
    double weight = smr_data_weight(w->data, i);
    if (absent) {
        count_bits(w, row, weight, count, absent);
        return SMR_OK;
    }
    for (int64_t e = x->start[row]; e < end; e++) {
        double v = x->value[e];
        if (v >= 0 && v < INFINITY)
            count[x->column[e]] += weight * v;
        else if (v < 0)
            return smr_bayes_refuse_count(ctx, w->data->features, row, x->column[e], v);
    }
    return SMR_OK;
}

/* Rows of a class are apart in memory: the next one is fetched meanwhile. */
static void fetch_row(const struct counting *w, int64_t i)
{
    const smr_csr *x = w->data->sparse;
    int64_t row = row_of(w->data, i);
    for (int64_t e = x->start[row]; e < x->start[row + 1]; e += 8) {
        __builtin_prefetch(x->value + e);
        if (e % 16 < 8) __builtin_prefetch(x->column + e);
    }
}

/* Fresh memory that is read before it is written would be taken from the system twice, page by page:
 * a write to each page comes first. */
static void touch(double *count, int64_t n)
{
    enum { PAGE = 4096 / sizeof *count };
    for (int64_t c = 0; c < n; c += PAGE) count[c] = 0;
}

static smr_status count_piece(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct counting *w = arg;
    smr_status st = SMR_OK;
    int64_t k = task / w->pieces, piece = task % w->pieces, n = w->begin[k + 1] - w->begin[k];
    int64_t lo = w->begin[k] + n * piece / w->pieces,
            hi = w->begin[k] + n * (piece + 1) / w->pieces;
    double *absent = w->absent ? w->absent + task * w->s->n_features : NULL;
    double *count = w->count + task * w->s->n_cells;
    (void)lane;
    touch(count, w->s->n_cells);
    for (int64_t i = lo; i < hi; i++) {
        if (i + 1 < hi) fetch_row(w, w->order[i + 1]);
        TRY(count_row(ctx, w, w->order[i], count, absent));
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
    struct counting w = {.p = p, .data = data, .s = s, .pieces = 1, .count = s->count};
    TRY(sort_by_class(ctx, &w));
    if (s->n_classes < FEWEST_TASKS && data->n_rows > SMALL)
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
    return st;
}
