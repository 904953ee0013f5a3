/* gram_parts.c -- see gram_parts.h. */
#include "learn/linear/gram_parts.h"

#include "data/subset.h"
#include "learn/linear/affine.h"

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

/* The matrix of some data, in the units of the first part that had any weight. */
static void take(smr_fold_grams *p, const smr_gram *gram, smr_fold_gram *part)
{
    int64_t m = p->m;
    if (!(p->scale[0] > 0)) memcpy(p->scale, gram->scale, (size_t)m * sizeof *p->scale);
    part->weight = gram->weight;
    for (int64_t i = 0; i < m; i++) {
        double a = p->scale[i] / gram->scale[i]; /* a power of two: exact */
        part->mean[i] = gram->mean[i] * p->scale[i];
        for (int64_t j = 0; j < m; j++)
            part->gram[i * m + j] = gram->gram[i * m + j] * a * (p->scale[j] / gram->scale[j]);
    }
}

static bool has_weight(const smr_data *data)
{
    for (int64_t i = 0; i < data->n_rows; i++)
        if (smr_data_weight(data, i) > 0) return true;
    return false;
}

static smr_status add_part(smr_ctx *ctx, const char *learner, const smr_data *data,
                           smr_fold_grams *p, smr_fold_gram *part)
{
    smr_status st = SMR_OK;
    smr_affine_rows rows = {0};
    smr_gram gram = {0};
    if (!has_weight(data)) return SMR_OK;
    TRY(smr_affine_open(ctx, learner, data, &rows));
    TRY(smr_gram_compute(ctx, &rows.source, p->centred, &gram));
    take(p, &gram, part);
out:
    smr_gram_release(&gram);
    smr_affine_close(&rows);
    return st;
}

smr_status smr_fold_grams_create(smr_ctx *ctx, const char *learner, const smr_data *data,
                                 const smr_parts *parts, bool centre, smr_fold_grams *p)
{
    smr_status st = SMR_OK;
    smr_subset subset = {0};
    int64_t n = parts ? parts->n_parts : 1, d = data->n_features, q = data->n_outputs;
    *p = (smr_fold_grams){.d = d, .q = q, .m = d + q, .centred = centre};
    if (d > SMR_GRAM_MOST)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "%s: %lld features are too many for a matrix of all pairs, at most %d; put "
                        "select by=correlation k=%d before it",
                        learner, (long long)d, SMR_GRAM_MOST, 1000);
    if (!has_weight(data))
        return smr_fail(ctx, SMR_ERR_DATA, "%s: no row has a weight above 0", learner);
    TRY_NEW(p->scale, p->m);
    TRY_NEW(p->part, n);
    for (p->n = 0; p->n < n; p->n++) {
        smr_fold_gram *part = &p->part[p->n];
        TRY(smr_fold_gram_create(ctx, p->m, part));
        if (!parts) {
            TRY(add_part(ctx, learner, data, p, part));
            continue;
        }
        smr_subset_release(&subset);
        TRY(smr_subset_make(ctx, data, smr_part_rows(parts, p->n), smr_part_size(parts, p->n), NULL,
                            &subset));
        TRY(add_part(ctx, learner, &subset.data, p, part));
    }
out:
    if (st != SMR_OK && p->part && p->n < n) p->n++; /* the one that was being made */
    smr_subset_release(&subset);
    if (st != SMR_OK) smr_fold_grams_release(p);
    return st;
}

void smr_fold_gram_release(smr_fold_gram *part)
{
    smr_free(part->mean);
    smr_free(part->gram);
    *part = (smr_fold_gram){0};
}

void smr_fold_grams_release(smr_fold_grams *p)
{
    for (int64_t i = 0; i < p->n; i++) smr_fold_gram_release(&p->part[i]);
    smr_free(p->part);
    smr_free(p->scale);
    *p = (smr_fold_grams){0};
}

/* (2): the sum with one more part. */
static void merge(const smr_fold_grams *p, const smr_fold_gram *part, smr_fold_gram *sum)
{
    int64_t m = p->m;
    double both = sum->weight + part->weight;
    if (!(part->weight > 0)) return;
    for (int64_t i = 0; i < m; i++) {
        double a = p->centred ? sum->weight * part->weight / both : 0;
        double step = a * (part->mean[i] - sum->mean[i]);
        for (int64_t j = 0; j < m; j++)
            sum->gram[i * m + j] += part->gram[i * m + j] + step * (part->mean[j] - sum->mean[j]);
    }
    for (int64_t i = 0; i < m; i++)
        sum->mean[i] += part->weight / both * (part->mean[i] - sum->mean[i]);
    sum->weight = both;
}

void smr_fold_grams_sum(const smr_fold_grams *p, int64_t without, smr_fold_gram *sum)
{
    sum->weight = 0;
    memset(sum->mean, 0, (size_t)p->m * sizeof *sum->mean);
    memset(sum->gram, 0, (size_t)(p->m * p->m) * sizeof *sum->gram);
    for (int64_t i = 0; i < p->n; i++)
        if (i != without) merge(p, &p->part[i], sum);
}

/* X'y is the output's row of the matrix, which is symmetric. */
smr_gram_problem smr_fold_grams_problem(const smr_fold_grams *p, const smr_fold_gram *sum,
                                        int64_t k)
{
    const double *row = sum->gram + (p->d + k) * p->m;
    return (smr_gram_problem){
        .d = p->d, .G = sum->gram, .stride = p->m, .c = row, .yy = row[p->d + k]};
}

double smr_fold_grams_error(const smr_fold_grams *p, const smr_fold_gram *sum, int64_t part,
                            int64_t k, int64_t n, const int32_t *column, const double *w)
{
    const smr_fold_gram *of = &p->part[part];
    const double *y = of->gram + (p->d + k) * p->m;
    double error = y[p->d + k], shift = of->mean[p->d + k] - sum->mean[p->d + k];
    if (!(of->weight > 0)) return 0;
    for (int64_t i = 0; i < n; i++) {
        const double *row = of->gram + column[i] * p->m;
        double s = 0;
        for (int64_t j = 0; j < n; j++) s += row[column[j]] * w[j];
        error += w[i] * (s - 2 * y[column[i]]);
        shift -= w[i] * (of->mean[column[i]] - sum->mean[column[i]]);
    }
    return fmax(0, error) + of->weight * shift * shift;
}
