/* relevance_number.c -- a column of numbers against the target: see relevance.h.
 *
 * The values are sorted once, and the column's summary is read from them too where every value
 * takes part.  The best split walks them.  With f(w) = w log w, left and right the weights of the
 * classes on either side,
 *
 *     W H(Y|split) = f(sum left) - sum_k f(left_k) + f(sum right) - sum_k f(right_k)          (1)
 *
 * in which a row moves two terms; without weights f is a table. */
#include "core/sort.h"
#include "kernel/kernel.h"
#include "math/stats.h"
#include "study/relevance_parts.h"

#include <math.h>
#include <string.h>

enum { AHEAD = 16 };

void smr_sorted_pairs_release(struct pairs *p)
{
    smr_free(p->value);
    smr_free(p->row);
    smr_free(p->x);
    smr_free(p->y);
    smr_free(p->rank);
    smr_free(p->weight);
    smr_free(p->own);
    smr_free(p->code);
    smr_free(p->bin);
    smr_free(p->room);
    smr_free(p->placed);
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

static smr_status make_room(smr_ctx *ctx, const struct relating *with, struct pairs *p)
{
    smr_status st = SMR_OK;
    int64_t n = with->n;
    TRY(have(ctx, &p->room, 2 * n, sizeof *p->room));
    TRY(have(ctx, &p->value, n, sizeof *p->value));
    TRY(have(ctx, &p->row, n, sizeof *p->row));
    TRY(have(ctx, &p->x, n, sizeof *p->x));
    TRY(have(ctx, &p->code, n, sizeof *p->code));
    TRY(have(ctx, &p->bin, n, sizeof *p->bin));
    if (with->y) TRY(have(ctx, &p->y, n, sizeof *p->y));
    if (with->y) TRY(have(ctx, &p->rank, n, sizeof *p->rank));
    if (with->y) TRY(have(ctx, &p->own, n, sizeof *p->own));
    if (with->weight) TRY(have(ctx, &p->weight, n, sizeof *p->weight));
out:
    return st;
}

/* The finite values of the rows that have a target, in their order; how many are infinite. */
static int64_t collect_values(const struct relating *with, const smr_column *col, struct pairs *p)
{
    int64_t infinite = 0;
    p->n = 0;
    if (with->n == with->table->n_rows) smr_column_numbers(col, 0, with->n, p->value);
    for (int64_t i = 0; with->n < with->table->n_rows && i < with->n; i++)
        p->value[i] = smr_column_number(col, with->rows[i]);
    for (int64_t i = 0; i < with->n; i++) {
        double v = p->value[i];
        p->value[p->n] = v;
        p->row[p->n] = i;
        p->n += isfinite(v) != 0;
        infinite += isinf(v) != 0;
    }
    return infinite;
}

/* p->x = the sorted values; returns the place of each among the collected ones. */
static smr_status sort_values(smr_ctx *ctx, struct pairs *p, int64_t n, uint64_t **places)
{
    uint64_t *keys = (uint64_t *)(void *)p->x;
    smr_status st = SMR_OK;
    *places = smr_sort_rows(p->n, p->value, keys, p->room);
    if (!*places) {
        TRY(have(ctx, &p->placed, 2 * n, sizeof *p->placed));
        for (int64_t i = 0; i < p->n; i++)
            p->placed[i] = (smr_placed){smr_sort_key(p->value[i]), i};
        const smr_placed *sorted = smr_sort_placed(p->n, p->placed);
        *places = p->room;
        for (int64_t r = 0; r < p->n; r++) {
            keys[r] = sorted[r].key;
            p->room[r] = (uint64_t)sorted[r].row;
        }
    }
    for (int64_t r = 0; r < p->n; r++) {
        double v = smr_sort_value(keys[r]);
        memcpy(&keys[r], &v, sizeof v);
    }
out:
    return st;
}

/* What is known of the rows, in the order of the values. */
static void follow(const struct relating *with, uint64_t *row, struct pairs *p)
{
    int64_t n = p->n;
    for (int64_t r = 0; n < with->n && r < n; r++) row[r] = (uint64_t)p->row[row[r]];
    for (int64_t r = 0; !with->y && r < n; r++) {
        if (r + AHEAD < n) __builtin_prefetch(&with->code[row[r + AHEAD]]);
        p->code[r] = with->code[row[r]];
    }
    for (int64_t r = 0; with->y && r < n; r++) {
        if (r + AHEAD < n) __builtin_prefetch(&with->known[row[r + AHEAD]]);
        const struct known *k = &with->known[row[r]];
        p->code[r] = k->code;
        p->y[r] = k->y;
        p->rank[r] = k->rank;
    }
    for (int64_t r = 0; with->weight && r < n; r++) p->weight[r] = with->weight[row[r]];
}

static smr_status gather_pairs(smr_ctx *ctx, const struct relating *with, const smr_column *col,
                               struct pairs *p, smr_column_summary *summary)
{
    smr_status st = SMR_OK;
    uint64_t *places;
    TRY(make_room(ctx, with, p));
    int64_t infinite = collect_values(with, col, p);
    TRY(smr_tick(ctx, NULL, 0, 1, NAN));
    TRY(sort_values(ctx, p, with->n, &places));
    TRY(smr_tick(ctx, NULL, 0, 1, NAN));
    follow(with, places, p);
    if (p->rank && p->n < with->n) TRY(smr_midranks(ctx, p->n, p->y, p->weight, NULL, p->rank));
    if (summary && with->n == with->table->n_rows && infinite == 0)
        smr_sorted_summarize(col->kind, p->n, p->x, with->n, summary);
out:
    return st;
}

static double xlogx(const struct relating *with, double w)
{
    if (with->xlogx) return with->xlogx[(int64_t)w];
    return w > 0 ? w * smr_log(w) : 0;
}

/* Moves weight w of class k from one side to the other in (1). */
static void move(const struct relating *with, double *side, double *sum, int64_t k, double w)
{
    *sum -= xlogx(with, side[k]);
    side[k] += w;
    *sum += xlogx(with, smr_fmax(0, side[k]));
}

static smr_status find_split(smr_ctx *ctx, const struct relating *with, const struct pairs *p,
                             smr_relevance *out)
{
    smr_status st = SMR_OK;
    double *left = NULL, *right, least = INFINITY, sum_left = 0, sum_right = 0, wl = 0, wr = 0;
    int64_t K = with->n_y, best = -1;
    TRY_NEW(left, 2 * K);
    right = left + K;
    for (int64_t i = 0; i < p->n; i++) right[p->code[i]] += p->weight ? p->weight[i] : 1;
    for (int64_t k = 0; k < K; k++) {
        sum_right += xlogx(with, right[k]);
        wr += right[k];
    }
    for (int64_t r = 0; r + 1 < p->n; r++) {
        double w = p->weight ? p->weight[r] : 1;
        move(with, left, &sum_left, p->code[r], w);
        move(with, right, &sum_right, p->code[r], -w);
        wl += w;
        wr -= w;
        if (p->x[r + 1] == p->x[r]) continue;
        double mixed = xlogx(with, wl) - sum_left + xlogx(with, smr_fmax(0, wr)) - sum_right;
        if (mixed < least) {
            least = mixed;
            best = r;
        }
    }
    if (best < 0) goto out;
    double a = p->x[best], b = p->x[best + 1];
    out->split = a + 0.5 * (b - a);
    if (!(out->split > a)) out->split = b;
    /* once more, without the walk's rounding */
    memset(left, 0, (size_t)(2 * K) * sizeof *left);
    for (int64_t i = 0; i < p->n; i++)
        left[(p->x[i] < out->split ? 0 : K) + p->code[i]] += p->weight ? p->weight[i] : 1;
    out->split_gain = smr_information_of(2, K, left).gain;
out:
    smr_free(left);
    return st;
}

/* smr_midranks of ascending values. */
static void rank_sorted(int64_t n, const double *x, const double *weight, double *rank)
{
    double below = 0;
    for (int64_t r = 0, end; r < n; r = end) {
        double level = 0;
        for (end = r; end < n && x[end] == x[r]; end++) level += weight ? weight[end] : 0;
        if (!weight) level = (double)(end - r);
        for (int64_t k = r; k < end; k++) rank[k] = below + 0.5 * (level + 1);
        below += level;
    }
}

static smr_status relate_to_number(smr_ctx *ctx, const struct pairs *p, smr_relevance *out)
{
    smr_status st = SMR_OK;
    rank_sorted(p->n, p->x, p->weight, p->own);
    out->pearson = smr_correlation(p->n, p->x, p->y, p->weight);
    out->pearson_p = smr_correlation_p(out->pearson, out->n);
    out->spearman = p->weight ? smr_correlation(p->n, p->own, p->rank, p->weight)
                              : smr_rank_correlation(p->n, p->own, p->rank);
    out->spearman_p = smr_correlation_p(out->spearman, out->n);
    TRY(smr_anova_of(ctx, p->n, p->bin, SMR_BINS, p->y, p->weight, &out->anova));
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
    TRY(smr_tick(ctx, NULL, 0, 1, NAN));
    smr_bin(p->n, p->x, p->weight, NULL, SMR_BINS, p->bin);
    smr_count_pairs(with, p->bin, p->code, p->weight, p->n, count);
    smr_inform(with, SMR_BINS, count, out);
    TRY(smr_tick(ctx, NULL, 0, 1, NAN));
    if (with->y) {
        TRY(relate_to_number(ctx, p, out));
    } else {
        TRY(find_split(ctx, with, p, out));
        TRY(smr_anova_of(ctx, p->n, p->code, with->n_y, p->x, p->weight, &out->anova));
    }
out:
    smr_free(count);
    return st;
}
