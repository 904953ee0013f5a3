/* present.c -- see present.h. */
#include "learn/present.h"

smr_status smr_present_find(smr_ctx *ctx, const smr_data *data, smr_present *p)
{
    smr_status st = SMR_OK;
    int64_t k = data->n_classes;
    *p = (smr_present){.data = *data, .is_all = true, .share = 1};
    TRY_NEW(p->place, SMR_MAX(1, k));
    for (int64_t i = 0; i < data->n_rows; i++)
        if (data->label[i] >= 0 && smr_data_weight(data, i) > 0) p->place[data->label[i]] = 1;
    for (int64_t c = 0; c < k; c++) p->place[c] = p->place[c] ? (int32_t)p->n++ : -1;
    if (p->n == k || p->n < 2 || k <= 2) goto out;
    TRY_NEW(p->label, data->n_rows);
    for (int64_t i = 0; i < data->n_rows; i++)
        p->label[i] = data->label[i] < 0 ? -1 : SMR_MAX(0, p->place[data->label[i]]);
    p->is_all = false;
    p->data.label = p->label;
    p->data.n_classes = p->n;
    p->data.classes = NULL;
out:
    return st;
}

void smr_present_release(smr_present *p)
{
    smr_free(p->place);
    smr_free(p->label);
    *p = (smr_present){0};
}

/* Which score of the smaller problem class c has, and its factor. */
static int64_t score_of(const smr_present *p, int64_t c, double *factor)
{
    *factor = p->n > 2 ? 1 : p->place[c] == 1 ? p->share : -p->share;
    return p->n > 2 ? p->place[c] : 0;
}

void smr_present_spread(const smr_present *p, int64_t n_classes, int64_t d, const double *coef,
                        const double *intercept, double absent, double *all_coef,
                        double *all_intercept)
{
    for (int64_t c = 0; c < n_classes; c++) {
        double factor;
        int64_t at = score_of(p, c, &factor);
        bool is = p->place[c] >= 0;
        all_intercept[c] = is ? factor * intercept[at] : absent;
        for (int64_t j = 0; j < d; j++) all_coef[c * d + j] = is ? factor * coef[at * d + j] : 0;
    }
}

void smr_present_gather(const smr_present *p, int64_t n_scores, int64_t d, const double *all_coef,
                        const double *all_intercept, double *coef, double *intercept)
{
    for (int64_t c = 0; c < n_scores; c++) {
        double factor = 1;
        int64_t at = p->is_all ? c : score_of(p, c, &factor);
        if (!p->is_all && (p->place[c] < 0 || (p->n == 2 && p->place[c] == 0))) continue;
        intercept[at] = all_intercept[c] == SMR_ABSENT ? 0 : all_intercept[c] / factor;
        for (int64_t j = 0; j < d; j++) coef[at * d + j] = all_coef[c * d + j] / factor;
    }
}
