/* fold_grams.c -- see fold_grams.h. */
#include "learn/linear/fold_grams.h"

#include "learn/linear/held_rows.h"

#include <math.h>
#include <string.h>

smr_status smr_fold_gram_create(smr_ctx *ctx, int64_t m, smr_fold_gram *part)
{
    smr_status st = SMR_OK;
    TRY_NEW(part->mean, m);
    TRY_NEW(part->gram, m * m);
out:
    return st;
}

void smr_fold_gram_release(smr_fold_gram *part)
{
    smr_free(part->mean);
    smr_free(part->gram);
    *part = (smr_fold_gram){0};
}

/* fold[i] = the part that row i is in. */
static smr_status number_rows(smr_ctx *ctx, const smr_parts *parts, int32_t **fold)
{
    smr_status st = SMR_OK;
    TRY_NEW(*fold, parts->n_rows);
    for (int64_t p = 0; p < parts->n_parts; p++)
        for (int64_t i = 0; i < smr_part_size(parts, p); i++)
            (*fold)[smr_part_rows(parts, p)[i]] = (int32_t)p;
out:
    return st;
}

smr_status smr_fold_grams_create(smr_ctx *ctx, const char *learner, const smr_data *data,
                                 const smr_parts *parts, bool centre, smr_fold_grams *g)
{
    smr_status st = SMR_OK;
    smr_held_rows rows = {0};
    int32_t *fold = NULL;
    int64_t d = data->n_features, q = data->n_outputs;
    *g = (smr_fold_grams){.n = parts ? parts->n_parts : 1, .d = d, .q = q, .m = d + q};
    if (d > SMR_GRAM_MOST)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "%s: %lld features are too many for a matrix of all pairs, at most %d; put "
                        "select by=correlation k=%d before it",
                        learner, (long long)d, SMR_GRAM_MOST, 1000);
    TRY(smr_held_source(ctx, learner, data, &rows));
    if (parts) TRY(number_rows(ctx, parts, &fold));
    TRY(smr_gram_folds_compute(ctx, &rows.source, centre, fold, g->n, &g->parts));
out:
    smr_free(fold);
    smr_held_close(&rows);
    if (st != SMR_OK) smr_fold_grams_release(g);
    return st;
}

void smr_fold_grams_release(smr_fold_grams *g)
{
    smr_gram_folds_release(&g->parts);
    *g = (smr_fold_grams){0};
}

void smr_fold_grams_sum(const smr_fold_grams *g, int64_t without, smr_fold_gram *sum)
{
    sum->weight = smr_gram_folds_join(&g->parts, without, sum->mean, sum->gram);
}

/* X'y is the output's row of the matrix, which is symmetric. */
smr_gram_problem smr_fold_grams_problem(const smr_fold_grams *g, const smr_fold_gram *sum,
                                        int64_t k)
{
    const double *row = sum->gram + (g->d + k) * g->m;
    return (smr_gram_problem){
        .d = g->d, .G = sum->gram, .stride = g->m, .c = row, .yy = row[g->d + k]};
}

/* smr_gram_folds_error for a few columns: with u = x - shift, the residual of a row is
 * (y - shift_y) - origin - u'w. */
double smr_fold_grams_error(const smr_fold_grams *g, const smr_fold_gram *sum, int64_t p, int64_t k,
                            int64_t n, const int32_t *column, const double *w)
{
    const smr_gram_folds *parts = &g->parts;
    int64_t m = g->m, width = m + 1, at = g->d + k;
    const double *S = parts->sums + p * width * width, *y = S + at * width;
    double origin = sum->mean[at] - parts->shift[at], error = 0;
    for (int64_t i = 0; i < n; i++)
        origin += w[i] * (parts->shift[column[i]] - sum->mean[column[i]]);
    for (int64_t i = 0; i < n; i++) {
        const double *row = S + column[i] * width;
        double others = 0;
        for (int64_t j = 0; j < n; j++) others += w[j] * row[column[j]];
        error += w[i] * (others - 2 * y[column[i]] + 2 * origin * row[m]);
    }
    error += y[at] - 2 * origin * y[m] + origin * origin * parts->weight[p];
    return smr_fmax(error, 0);
}
