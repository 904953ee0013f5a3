/* bayes_entries.c -- counts of sparse rows.
 *
 * The rows of a class are added in their order, whatever the threads.  Classes are dealt out to as
 * many tasks as run at the same time, and a task reads its rows in the order in which they lie in
 * memory, which takes two thirds of the time of class after class.  Where there are few classes,
 * each is cut into pieces instead, whose counts are added in order. */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "learn/bayes/bayes.h"

#include <math.h>
#include <string.h>

enum { FEWEST_TASKS = 8, SMALL = 4096, AHEAD = 4 };

/* What some row has: a value that is not finite or not above 0; one that is not 1. */
enum { NOT_PLAIN = 1, NOT_ONES = 2 };

struct counting {
    const struct smr_bayes_params *p;
    const smr_data *data; /* in memory */
    struct smr_bayes_state *s;
    int64_t n_groups;       /* of classes that follow each other                      */
    int64_t *group;         /* n_classes: its group                                   */
    int64_t *order, *begin; /* rows group by group; where each begins, n_groups + 1   */
    int64_t pieces;         /* of a group; more than 1: a group is a class            */
    double *count;          /* n_classes x pieces x n_cells                           */
    double *absent;         /* n_classes x pieces x n_features: weight of the gaps; bits only */
    unsigned *seen;         /* n_groups x pieces; NULL: what is no count is refused           */
};

/* As many rows for each group as classes allow. */
static void deal_classes(struct counting *w, const int64_t *rows)
{
    double before = 0, n = (double)w->data->n_rows;
    for (int64_t k = 0; k < w->data->n_classes; k++) {
        double middle = before + 0.5 * (double)rows[k];
        w->group[k] = w->pieces > 1 ? k : (int64_t)((double)w->n_groups * middle / n);
        w->group[k] = SMR_MIN(w->group[k], w->n_groups - 1);
        before += (double)rows[k];
    }
}

static smr_status sort_by_group(smr_ctx *ctx, struct counting *w)
{
    smr_status st = SMR_OK;
    const smr_data *data = w->data;
    int64_t *next = NULL, *rows = NULL, k = data->n_classes;
    TRY_NEW(w->order, data->n_rows);
    TRY_NEW(w->group, k);
    TRY_NEW(w->begin, w->n_groups + 1);
    TRY_NEW(next, w->n_groups + 1);
    TRY_NEW(rows, k);
    for (int64_t i = 0; i < data->n_rows; i++) rows[data->label[i]]++;
    deal_classes(w, rows);
    for (int64_t c = 0; c < k; c++) w->begin[w->group[c] + 1] += rows[c];
    for (int64_t g = 0; g < w->n_groups; g++) next[g + 1] = w->begin[g + 1] += w->begin[g];
    for (int64_t i = 0; i < data->n_rows; i++) w->order[next[w->group[data->label[i]]]++] = i;
out:
    smr_free(next);
    smr_free(rows);
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

/* Counts at once, and says what was among them; what is no count is added too. */
static unsigned add_and_look(int64_t n, const int32_t *column, const double *value, double *count)
{
    double span[4]; /* sum, NaNs, least, greatest */
    smr_span_f64(n, value, 1, span);
    for (int64_t e = 0; e < n; e++) count[column[e]] += value[e];
    bool plain = n == 0 || (isfinite(span[0]) && span[2] > 0);
    return (plain ? 0u : NOT_PLAIN) | (n == 0 || (span[2] == 1 && span[3] == 1) ? 0u : NOT_ONES);
}

/* One row's entries; the first that cannot be a count is refused. */
static smr_status count_row(smr_ctx *ctx, const struct counting *w, int64_t i, double *count,
                            double *absent, unsigned *seen)
{
    const smr_csr *x = w->data->sparse;
    int64_t row = row_of(w->data, i), lo = x->start[row], end = x->start[row + 1];
    double weight = smr_data_weight(w->data, i);
    if (absent) {
        count_bits(w, row, weight, count, absent);
        return SMR_OK;
    }
    if (w->seen) {
        *seen |= add_and_look(end - lo, x->column + lo, x->value + lo, count);
        return SMR_OK;
    }
    for (int64_t e = lo; e < end; e++) {
        double v = x->value[e];
        if (v >= 0 && v < INFINITY)
            count[x->column[e]] += weight * v;
        else if (v < 0)
            return smr_bayes_refuse_count(ctx, w->data->features, row, x->column[e], v);
    }
    return SMR_OK;
}

/* Rows are apart in memory: one that is soon to come is fetched meanwhile. */
static void fetch_row(const struct counting *w, int64_t i)
{
    const smr_csr *x = w->data->sparse;
    int64_t row = row_of(w->data, i);
    for (int64_t e = x->start[row]; e < x->start[row + 1]; e += 8) {
        __builtin_prefetch(x->value + e);
        if (e % 16 < 8) __builtin_prefetch(x->column + e);
    }
}

/* Fresh memory that is read before it is written would be taken from the system twice, page by
 * page: a write to each page comes first. */
static void touch(const struct counting *w, int64_t group, int64_t piece)
{
    enum { PAGE = 4096 / sizeof(double) };
    for (int64_t k = 0; k < w->s->n_classes; k++) {
        double *count = w->count + (k * w->pieces + piece) * w->s->n_cells;
        for (int64_t c = 0; c < w->s->n_cells && w->group[k] == group; c += PAGE) count[c] = 0;
    }
}

static smr_status count_piece(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct counting *w = arg;
    const struct smr_bayes_state *s = w->s;
    smr_status st = SMR_OK;
    int64_t g = task / w->pieces, piece = task % w->pieces, n = w->begin[g + 1] - w->begin[g];
    int64_t lo = w->begin[g] + n * piece / w->pieces,
            hi = w->begin[g] + n * (piece + 1) / w->pieces;
    unsigned seen = 0;
    (void)lane;
    touch(w, g, piece);
    for (int64_t i = lo; i < hi; i++) {
        int64_t row = w->order[i], at = w->data->label[row] * w->pieces + piece;
        if (i + AHEAD < hi) fetch_row(w, w->order[i + AHEAD]);
        TRY(count_row(ctx, w, row, w->count + at * s->n_cells,
                      w->absent ? w->absent + at * s->n_features : NULL, &seen));
        if (i % SMALL == SMALL - 1) TRY(smr_tick(ctx, NULL, i - lo, hi - lo, NAN));
    }
    if (w->seen) w->seen[task] = seen;
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
                                   const smr_data *data, struct smr_bayes_state *s, bool *plain)
{
    smr_status st = SMR_OK;
    struct counting w = {.p = p, .data = data, .s = s, .pieces = 1, .count = s->count};
    unsigned seen = 0;
    w.n_groups = SMR_MIN(s->n_classes, smr_lanes_at_once(ctx));
    if (s->n_classes < FEWEST_TASKS && data->n_rows > SMALL) {
        w.pieces = (FEWEST_TASKS + s->n_classes - 1) / s->n_classes;
        w.n_groups = s->n_classes;
    }
    TRY(sort_by_group(ctx, &w));
    if (w.pieces > 1) TRY_NEW(w.count, s->n_classes * w.pieces * s->n_cells);
    if (!smr_bayes_counts(s)) TRY_NEW(w.absent, s->n_classes * w.pieces * s->n_features);
    if (plain) TRY_NEW(w.seen, w.n_groups * w.pieces);
    TRY(smr_parallel(ctx, "counting", w.n_groups * w.pieces, count_piece, &w));
    fold(&w, s);
    for (int64_t task = 0; task < w.n_groups * w.pieces && plain; task++) seen |= w.seen[task];
    if (plain) *plain = !(seen & NOT_PLAIN) && seen & NOT_ONES;
out:
    if (w.count != s->count) smr_free(w.count);
    smr_free(w.absent);
    smr_free(w.seen);
    smr_free(w.group);
    smr_free(w.order);
    smr_free(w.begin);
    return st;
}
