/* relevance_number.c -- a column of numbers against the target: see relevance.h.
 *
 * The values are sorted once, and the column's summary is read from them too where every value
 * takes part; all but the order of the values is read in the order of the table.  The best split
 * walks the values.  With f(w) = w log w, left and right the weights of the classes on either side,
 *
 *     W H(Y|split) = f(sum left) - sum_k f(left_k) + f(sum right) - sum_k f(right_k)          (1)
 *
 * in which a row moves two terms; without weights f is a table.
 *
 * Memory of a lane: 24 bytes per row; 8 more where the values are not read in place; where some are
 * missing, up to 28 more, and with weights up to 48. */
#include "core/sort.h"
#include "kernel/kernel.h"
#include "math/stats.h"
#include "study/relevance_parts.h"

#include <math.h>
#include <string.h>

enum { AHEAD = 48 };

void smr_column_pairs_release(struct pairs *p)
{
    smr_free(p->order);
    smr_free(p->room);
    smr_free(p->bin);
    smr_free(p->value);
    smr_free(p->y);
    smr_free(p->weight);
    smr_free(p->rank);
    smr_free(p->own_rank);
    smr_free(p->code);
    smr_free(p->centred);
    smr_free(p->row);
    *p = (struct pairs){0};
}

/* Memory for n rows, unless it is there; it is filled at once and need not be cleared first. */
static smr_status have(smr_ctx *ctx, void *array, int64_t n, size_t size)
{
    void *block;
    memcpy(&block, array, sizeof block);
    if (block) return SMR_OK;
    block = smr_alloc_raw(ctx, n + 1, size);
    memcpy(array, &block, sizeof block);
    return block ? SMR_OK : SMR_ERR_NOMEM;
}

/* p->x = the values of the rows that have a target, in place where that can be; all of them, also
 * those that are missing. */
static smr_status read_values(smr_ctx *ctx, const struct relating *with, const smr_column *col,
                              struct pairs *p)
{
    smr_status st = SMR_OK;
    bool all = with->n == with->table->n_rows;
    p->n = with->n;
    p->x = col->values;
    if (all && col->dtype == SMR_F64 && col->stride == 1) return SMR_OK;
    TRY(have(ctx, &p->value, with->n, sizeof *p->value));
    if (all) smr_column_numbers(col, 0, with->n, p->value);
    for (int64_t i = 0; !all && i < with->n; i++)
        p->value[i] = smr_column_number(col, with->rows[i]);
    p->x = p->value;
out:
    return st;
}

/* Leaves out what is not finite, and says in p->row which rows are left. */
static smr_status leave_out(smr_ctx *ctx, const struct relating *with, struct pairs *p,
                            int64_t *infinite)
{
    smr_status st = SMR_OK;
    TRY(have(ctx, &p->value, with->n, sizeof *p->value));
    TRY(have(ctx, &p->row, with->n, sizeof *p->row));
    p->n = 0;
    for (int64_t i = 0; i < with->n; i++) {
        double v = p->x[i];
        p->value[p->n] = v;
        p->row[p->n] = (uint32_t)i;
        p->n += isfinite(v) != 0;
        *infinite += isinf(v) != 0;
    }
    p->x = p->value;
out:
    return st;
}

/* Ranks of the target among the rows that are left. */
static smr_status rank_left(smr_ctx *ctx, const struct relating *with, struct pairs *p)
{
    smr_status st = SMR_OK;
    int32_t *place = (int32_t *)(void *)p->room;
    if (with->aims.weight) {
        TRY(have(ctx, &p->rank, with->n, sizeof *p->rank));
        p->aims.rank = p->rank;
        return smr_midranks(ctx, p->n, p->y, p->weight, NULL, p->rank);
    }
    TRY(have(ctx, &p->centred, with->n, sizeof *p->centred));
    for (int64_t i = 0; i < with->n; i++) place[i] = -1;
    for (int64_t k = 0; k < p->n; k++) place[p->row[k]] = (int32_t)k;
    p->aims.centred_squares = smr_centre_ranks(with->n, with->order, place, p->n, p->centred);
    p->aims.centred = p->centred;
    if (p->n > 0) smr_moments_of(p->n, p->y, &p->of_y);
    p->aims.moment = &p->of_y;
out:
    return st;
}

/* The target of the rows that are left. */
static smr_status aim(smr_ctx *ctx, const struct relating *with, struct pairs *p)
{
    smr_status st = SMR_OK;
    p->aims = with->aims;
    if (p->n == with->n) return SMR_OK;
    TRY(have(ctx, &p->code, with->n, sizeof *p->code));
    for (int64_t k = 0; k < p->n; k++) p->code[k] = with->aims.code[p->row[k]];
    p->aims.code = p->code;
    if (with->aims.weight) {
        TRY(have(ctx, &p->weight, with->n, sizeof *p->weight));
        for (int64_t k = 0; k < p->n; k++) p->weight[k] = with->aims.weight[p->row[k]];
        p->aims.weight = p->weight;
    }
    if (!with->aims.y) return SMR_OK;
    TRY(have(ctx, &p->y, with->n, sizeof *p->y));
    for (int64_t k = 0; k < p->n; k++) p->y[k] = with->aims.y[p->row[k]];
    p->aims.y = p->y;
    TRY(rank_left(ctx, with, p));
out:
    return st;
}

static smr_status gather_pairs(smr_ctx *ctx, const struct relating *with, const smr_column *col,
                               struct pairs *p, smr_column_summary *summary)
{
    smr_status st = SMR_OK;
    int64_t infinite = 0, distinct = 0;
    p->of_y = (smr_moments){.min = NAN, .max = NAN};
    TRY(have(ctx, &p->room, 2 * with->n, sizeof *p->room));
    TRY(have(ctx, &p->order, with->n, sizeof *p->order));
    TRY(have(ctx, &p->bin, with->n, sizeof *p->bin));
    TRY(read_values(ctx, with, col, p));
    smr_moments_of(p->n, p->x, &p->moments);
    if (!isfinite(p->moments.mean)) { /* a value is not */
        TRY(leave_out(ctx, with, p, &infinite));
        p->moments = (smr_moments){.min = NAN, .max = NAN};
        if (p->n > 0) smr_moments_of(p->n, p->x, &p->moments);
    }
    TRY(aim(ctx, with, p));
    TRY(smr_tick(ctx, NULL, 0, 1, NAN));
    if (p->n > 0) distinct = smr_sort_rows(p->n, p->x, p->order, p->room);
    TRY(smr_tick(ctx, NULL, 0, 1, NAN));
    if (summary && with->n == with->table->n_rows && infinite == 0) {
        smr_summary_begin(col->kind, p->n, p->x, with->n, &p->moments, summary);
        smr_summary_end(p->x, p->order, distinct, summary);
    }
out:
    return st;
}

/* ---- the best split --------------------------------------------------------------------- */

static int64_t row_at(const struct pairs *p, int64_t r)
{
    return (int64_t)(p->order[r] & ~SMR_NEW_VALUE);
}

static bool may_cut_after(const struct pairs *p, int64_t r)
{
    return (p->order[r + 1] & SMR_NEW_VALUE) != 0;
}

/* Where (1) is least: after this place of the order; -1: nowhere.  sides: 2 K counts of the classes
 * on the left and on the right, at first all on the right. */
static int64_t walk_plainly(const struct relating *with, const struct pairs *p, int64_t *sides)
{
    const double *f = with->xlogx;
    int64_t *left = sides, *right = sides + with->n_y, best = -1;
    double least = INFINITY, sum_left = 0, sum_right = 0;
    for (int64_t k = 0; k < with->n_y; k++) sum_right += f[right[k]];
    for (int64_t r = 0; r + 1 < p->n; r++) {
        if (r + AHEAD < p->n) __builtin_prefetch(&p->aims.code[row_at(p, r + AHEAD)]);
        int32_t k = p->aims.code[row_at(p, r)];
        sum_left = sum_left - f[left[k]] + f[left[k] + 1];
        sum_right = sum_right - f[right[k]] + f[right[k] - 1];
        left[k]++;
        right[k]--;
        double mixed = f[r + 1] - sum_left + f[p->n - r - 1] - sum_right;
        if (mixed < least && may_cut_after(p, r)) {
            least = mixed;
            best = r;
        }
    }
    return best;
}

static double xlogx(double w)
{
    return w > 0 ? w * smr_log(w) : 0;
}

/* Moves weight w of class k from one side to the other in (1). */
static void move(double *side, double *sum, int64_t k, double w)
{
    *sum -= xlogx(side[k]);
    side[k] += w;
    *sum += xlogx(smr_fmax(0, side[k]));
}

/* The same with weights. */
static int64_t walk_weighted(const struct relating *with, const struct pairs *p, double *sides)
{
    double *left = sides, *right = sides + with->n_y, wl = 0, wr = 0;
    double least = INFINITY, sum_left = 0, sum_right = 0;
    int64_t best = -1;
    for (int64_t k = 0; k < with->n_y; k++) {
        sum_right += xlogx(right[k]);
        wr += right[k];
    }
    for (int64_t r = 0; r + 1 < p->n; r++) {
        int64_t row = row_at(p, r), k = p->aims.code[row];
        double w = p->aims.weight[row];
        move(left, &sum_left, k, w);
        move(right, &sum_right, k, -w);
        wl += w;
        wr -= w;
        if (!may_cut_after(p, r)) continue;
        double mixed = xlogx(wl) - sum_left + xlogx(smr_fmax(0, wr)) - sum_right;
        if (mixed < least) {
            least = mixed;
            best = r;
        }
    }
    return best;
}

/* binned: weights of the classes in each bin of the column, which is no longer read. */
static smr_status find_split(smr_ctx *ctx, const struct relating *with, const struct pairs *p,
                             const double *binned, smr_relevance *out)
{
    smr_status st = SMR_OK;
    double *counts = NULL;
    int64_t *sides = NULL, best;
    TRY_NEW(counts, 2 * with->n_y);
    TRY_NEW(sides, 2 * with->n_y);
    for (int64_t b = 0; b < SMR_BINS; b++)
        for (int64_t k = 0; k < with->n_y; k++) counts[with->n_y + k] += binned[b * with->n_y + k];
    for (int64_t k = 0; k < with->n_y; k++) sides[with->n_y + k] = (int64_t)counts[with->n_y + k];
    best = p->aims.weight ? walk_weighted(with, p, counts) : walk_plainly(with, p, sides);
    if (best < 0) goto out;
    double a = p->x[row_at(p, best)] + 0.0, b = p->x[row_at(p, best + 1)] + 0.0;
    out->split = a + 0.5 * (b - a);
    if (!(out->split > a)) out->split = b;
    smr_bins_f64(p->n, p->x, 1, &out->split, p->bin); /* once more, without the walk's rounding */
    memset(counts, 0, (size_t)(2 * with->n_y) * sizeof *counts);
    smr_count_pairs(with, 2, p->bin, p->aims.code, p->aims.weight, p->n, counts);
    out->split_gain = smr_information_of(2, with->n_y, counts).gain;
out:
    smr_free(counts);
    smr_free(sides);
    return st;
}

/* ---- numbers ---------------------------------------------------------------------------- */

static smr_status correlate(smr_ctx *ctx, const struct relating *with, struct pairs *p,
                            smr_relevance *out)
{
    smr_status st = SMR_OK;
    const struct aims *aims = &p->aims;
    if (aims->weight) {
        TRY(have(ctx, &p->own_rank, with->n, sizeof *p->own_rank));
        smr_weigh_ranks(p->n, p->order, aims->weight, p->own_rank);
        out->pearson = smr_correlation(p->n, p->x, aims->y, aims->weight);
        out->spearman = smr_correlation(p->n, p->own_rank, aims->rank, aims->weight);
    } else {
        out->pearson = smr_moments_correlation(p->n, p->x, &p->moments, aims->y, aims->moment);
        out->spearman = smr_rank_correlation(p->n, p->order, aims);
    }
    out->pearson_p = smr_correlation_p(out->pearson, out->n);
    out->spearman_p = smr_correlation_p(out->spearman, out->n);
out:
    return st;
}

static smr_status relate_to_number(smr_ctx *ctx, const struct relating *with, struct pairs *p,
                                   smr_relevance *out)
{
    smr_status st = SMR_OK;
    TRY(correlate(ctx, with, p, out));
    TRY(smr_anova_of(ctx, p->n, p->bin, SMR_BINS, p->aims.y, p->aims.weight, &out->anova));
    double linear = out->pearson * out->pearson, monotone = out->spearman * out->spearman;
    if (!isnan(linear))
        out->strength = smr_fmax(smr_fmax(linear, monotone), smr_fmax(0, out->anova.adjusted));
out:
    return st;
}

smr_status smr_relate_number(smr_ctx *ctx, const struct relating *with, const smr_column *col,
                             struct pairs *p, smr_relevance *out, smr_column_summary *summary)
{
    smr_status st = SMR_OK;
    double *count = NULL;
    TRY(gather_pairs(ctx, with, col, p, summary));
    out->n_missing = with->n - p->n;
    TRY_NEW(count, SMR_BINS * with->n_y);
    smr_bin(p->n, p->x, p->aims.weight, p->order, p->bin);
    smr_count_pairs(with, SMR_BINS, p->bin, p->aims.code, p->aims.weight, p->n, count);
    smr_inform(with, SMR_BINS, count, out);
    TRY(smr_tick(ctx, NULL, 0, 1, NAN));
    if (with->aims.y) {
        TRY(relate_to_number(ctx, with, p, out));
    } else {
        TRY(find_split(ctx, with, p, count, out));
        TRY(smr_anova_of(ctx, p->n, p->aims.code, with->n_y, p->x, p->aims.weight, &out->anova));
    }
out:
    smr_free(count);
    return st;
}
