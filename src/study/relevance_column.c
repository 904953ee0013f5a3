/* relevance_column.c -- one column against the target: see relevance.h.
 *
 * The best split of a number walks its sorted values once.  With f(w) = w log w, left and right the
 * weights of the classes on either side,
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

enum { FEW_LEVELS = 30, AHEAD = 16 };

static const double MOST_CELLS = 2e7, LN2 = 0.69314718055994530942;

void smr_bin(int64_t n, const double *x, const double *weight, const int64_t *order, int64_t bins,
             int32_t *code)
{
    double total = 0, below = 0;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(x[i])) total += weight ? weight[i] : 1;
    for (int64_t r = 0, end; r < n; r = end) {
        double level = 0, v = x[order ? order[r] : r];
        for (end = r; end < n; end++) {
            int64_t i = order ? order[end] : end;
            if (x[i] != v && !isnan(v)) break;
            level += weight ? weight[i] : 1;
        }
        int64_t b = (int64_t)((double)bins * (below + 0.5 * level) / total);
        int32_t bin = isnan(v) ? -1 : (int32_t)SMR_MIN(b, bins - 1);
        for (int64_t k = r; k < end; k++) code[order ? order[k] : k] = bin;
        below += level;
    }
}

double smr_share_told(const smr_information *info, double r, double s, double weight)
{
    double chance = (r - 1) * (s - 1) / (2 * weight * LN2);
    if (!(info->y > 0)) return NAN;
    return smr_fmin(1, smr_fmax(0, (info->gain - chance) / info->y));
}

/* count[x * n_y + y] of the rows whose code is not negative. */
static void count_pairs(const struct relating *with, const int32_t *x, const int32_t *y,
                        const double *weight, int64_t n, double *count)
{
    for (int64_t i = 0; i < n; i++)
        if (x[i] >= 0) count[(int64_t)x[i] * with->n_y + y[i]] += weight ? weight[i] : 1;
}

/* Information of a table, and the strength where the target is classes. */
static void inform(const struct relating *with, int64_t n_x, const double *count,
                   smr_relevance *out)
{
    double r = 0, s = 0;
    out->info = smr_information_of(n_x, with->n_y, count);
    for (int64_t i = 0; i < n_x; i++) {
        double row = 0;
        for (int64_t j = 0; j < with->n_y; j++) row += count[i * with->n_y + j];
        r += row > 0;
        out->n += row;
    }
    for (int64_t j = 0; j < with->n_y; j++) {
        double column = 0;
        for (int64_t i = 0; i < n_x; i++) column += count[i * with->n_y + j];
        s += column > 0;
    }
    out->n_bins = (int64_t)r;
    if (!with->y && r > 1) out->strength = smr_share_told(&out->info, r, s, out->n);
}

/* ---- categories ------------------------------------------------------------------------- */

/* Levels of one row know their row's class and nothing else: for the strength they are one level
 * together, at the expense of `count`, which is no longer read. */
static void pool_single_rows(const struct relating *with, int64_t levels, double *count,
                             smr_relevance *out)
{
    smr_relevance pooled = {.strength = NAN};
    double *into = NULL;
    for (int64_t l = 0; l < levels; l++) {
        double *row = count + l * with->n_y, weight = 0;
        for (int64_t j = 0; j < with->n_y; j++) weight += row[j];
        if (!(weight > 0 && weight <= 1)) continue;
        for (int64_t j = 0; into && j < with->n_y; j++) {
            into[j] += row[j];
            row[j] = 0;
        }
        if (!into) into = row;
    }
    inform(with, levels, count, &pooled);
    out->strength = pooled.n_bins > 1 ? pooled.strength : 0;
}

static smr_status tell_levels(smr_ctx *ctx, const struct relating *with, int64_t n_levels,
                              const double *count, smr_relevance *out)
{
    smr_status st = SMR_OK;
    TRY_NEW(out->level_weight, n_levels);
    TRY_NEW(out->level_entropy, n_levels);
    for (int64_t l = 0; l < n_levels; l++) {
        const double *row = count + l * with->n_y;
        for (int64_t j = 0; j < with->n_y; j++) out->level_weight[l] += row[j];
        out->level_entropy[l] = smr_entropy(with->n_y, row);
    }
    out->n_levels = n_levels;
out:
    return st;
}

smr_status smr_relate_category(smr_ctx *ctx, const struct relating *with, const smr_column *col,
                               smr_relevance *out)
{
    int64_t levels = col->levels.n + 1; /* the last: missing */
    smr_status st = SMR_OK;
    int32_t *code = NULL;
    double *count = NULL;
    if ((double)levels * (double)with->n_y > MOST_CELLS) return SMR_OK;
    TRY_NEW(code, with->n);
    TRY_NEW(count, levels * with->n_y);
    for (int64_t i = 0; i < with->n; i++) {
        int32_t c = smr_column_code(col, with->rows[i]);
        out->n_missing += c < 0;
        code[i] = c < 0 ? (int32_t)(levels - 1) : c;
    }
    TRY(smr_tick(ctx, NULL, 0, 1, NAN));
    count_pairs(with, code, with->code, with->weight, with->n, count);
    TRY(smr_tick(ctx, NULL, 0, 1, NAN));
    inform(with, levels, count, out);
    TRY(smr_tick(ctx, NULL, 0, 1, NAN));
    if (with->y) {
        TRY(smr_anova_of(ctx, with->n, code, levels, with->y, with->weight, &out->anova));
        if (!isnan(out->anova.adjusted)) out->strength = smr_fmax(0, out->anova.adjusted);
    } else {
        TRY(smr_chi_square_of(ctx, levels, with->n_y, count, &out->chi));
        TRY(smr_tick(ctx, NULL, 0, 1, NAN));
        if (levels - 1 <= FEW_LEVELS) TRY(tell_levels(ctx, with, levels, count, out));
        if (out->n_bins > 1) pool_single_rows(with, levels, count, out);
    }
out:
    smr_free(code);
    smr_free(count);
    return st;
}

/* ---- numbers ---------------------------------------------------------------------------- */

void smr_sorted_pairs_release(struct pairs *p)
{
    smr_free(p->x);
    smr_free(p->y);
    smr_free(p->rank);
    smr_free(p->weight);
    smr_free(p->own);
    smr_free(p->code);
    smr_free(p->bin);
    smr_free(p->room);
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

static smr_status gather_pairs(smr_ctx *ctx, const struct relating *with, const smr_column *col,
                               struct pairs *p)
{
    smr_status st = SMR_OK;
    TRY(make_room(ctx, with, p));
    p->n = 0;
    for (int64_t i = 0; i < with->n; i++) {
        double v = smr_column_number(col, with->rows[i]);
        if (isfinite(v)) p->room[p->n++] = (smr_placed){smr_sort_key(v), i};
    }
    TRY(smr_tick(ctx, NULL, 0, 1, NAN));
    const smr_placed *sorted = smr_sort_placed(p->n, p->room);
    TRY(smr_tick(ctx, NULL, 0, 1, NAN));
    for (int64_t r = 0; r < p->n; r++) {
        if (r + AHEAD < p->n) __builtin_prefetch(&with->known[sorted[r + AHEAD].row]);
        const struct known *k = &with->known[sorted[r].row];
        p->x[r] = smr_sort_value(sorted[r].key);
        p->code[r] = k->code;
        if (p->y) p->y[r] = k->y;
        if (p->rank) p->rank[r] = k->rank;
        if (p->weight) p->weight[r] = k->weight;
    }
    if (p->rank && p->n < with->n) TRY(smr_midranks(ctx, p->n, p->y, p->weight, NULL, p->rank));
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
        for (end = r; end < n && x[end] == x[r]; end++) level += weight ? weight[end] : 1;
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
    out->spearman = smr_correlation(p->n, p->own, p->rank, p->weight);
    out->spearman_p = smr_correlation_p(out->spearman, out->n);
    TRY(smr_anova_of(ctx, p->n, p->bin, SMR_BINS, p->y, p->weight, &out->anova));
    double linear = out->pearson * out->pearson, monotone = out->spearman * out->spearman;
    if (!isnan(linear))
        out->strength = smr_fmax(smr_fmax(linear, monotone), smr_fmax(0, out->anova.adjusted));
out:
    return st;
}

smr_status smr_relate_number(smr_ctx *ctx, const struct relating *with, const smr_column *col,
                             struct pairs *p, smr_relevance *out)
{
    smr_status st = SMR_OK;
    double *count = NULL;
    TRY(gather_pairs(ctx, with, col, p));
    out->n_missing = with->n - p->n;
    TRY_NEW(count, SMR_BINS * with->n_y);
    TRY(smr_tick(ctx, NULL, 0, 1, NAN));
    smr_bin(p->n, p->x, p->weight, NULL, SMR_BINS, p->bin);
    count_pairs(with, p->bin, p->code, p->weight, p->n, count);
    inform(with, SMR_BINS, count, out);
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
