/* relevance_column.c -- a category against the target, and what categories and numbers share: see
 * relevance.h. */
#include "study/relevance_parts.h"

#include <math.h>
#include <string.h>

enum { FEW_LEVELS = 30, FEW_CELLS = 512 };

static const double MOST_CELLS = 2e7, LN2 = 0.69314718055994530942;

double smr_share_told(const smr_information *info, double r, double s, double weight)
{
    double chance = (r - 1) * (s - 1) / (2 * weight * LN2);
    if (!(info->y > 0)) return NAN;
    return smr_fmin(1, smr_fmax(0, (info->gain - chance) / info->y));
}

/* Into four tables in turn, since the same cell is often counted twice in a row. */
static void count_plainly(int64_t n_y, const int32_t *x, const int32_t *y, int64_t n,
                          int64_t n_cells, double *count)
{
    int64_t cell[4][FEW_CELLS], i = 0;
    for (int t = 0; t < 4; t++) memset(cell[t], 0, (size_t)n_cells * sizeof **cell);
    for (; i + 3 < n; i += 4)
        for (int t = 0; t < 4; t++) cell[t][x[i + t] * n_y + y[i + t]]++;
    for (; i < n; i++) cell[0][x[i] * n_y + y[i]]++;
    for (int64_t c = 0; c < n_cells; c++)
        count[c] += (double)(cell[0][c] + cell[1][c] + cell[2][c] + cell[3][c]);
}

void smr_count_pairs(const struct relating *with, int64_t n_x, const int32_t *x, const int32_t *y,
                     const double *weight, int64_t n, double *count)
{
    if (!weight && n_x * with->n_y <= FEW_CELLS) {
        count_plainly(with->n_y, x, y, n, n_x * with->n_y, count);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        count[(int64_t)x[i] * with->n_y + y[i]] += weight ? weight[i] : 1;
}

void smr_inform(const struct relating *with, int64_t n_x, const double *count, smr_relevance *out)
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
    if (!with->aims.y && r > 1) out->strength = smr_share_told(&out->info, r, s, out->n);
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
    smr_inform(with, levels, count, &pooled);
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
    smr_count_pairs(with, levels, code, with->aims.code, with->aims.weight, with->n, count);
    TRY(smr_tick(ctx, NULL, 0, 1, NAN));
    smr_inform(with, levels, count, out);
    TRY(smr_tick(ctx, NULL, 0, 1, NAN));
    if (with->aims.y) {
        TRY(smr_anova_of(ctx, with->n, code, levels, with->aims.y, with->aims.weight, &out->anova));
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
