/* bayesnet_data.c -- training rows as levels.
 *
 * A number is cut: where it has at most `bins` distinct values, between them; else at the quantiles
 * 1/bins, 2/bins ..., which count weights.  Bin b holds cut_b <= x < cut_(b+1). */
#include "core/sort.h"
#include "data/keep.h"
#include "learn/graphical/bayesnet.h"
#include "math/stats.h"

/* The values that are there and count, with their weights. */
static int64_t gather(const smr_data *data, const double *x, double *value, double *weight)
{
    int64_t n = 0;
    for (int64_t i = 0; i < data->n_rows; i++) {
        double w = smr_data_weight(data, i);
        if (x[i] != x[i] || !(w > 0)) continue;
        value[n] = x[i];
        weight[n++] = w;
    }
    return n;
}

/* Between distinct values, if they are few: at most `bins`; else 0. */
static int64_t cut_between(const double *x, const int64_t *order, int64_t n, int64_t bins,
                           double *cut)
{
    int64_t m = 0;
    for (int64_t i = 1; i < n; i++) {
        double a = x[order[i - 1]], b = x[order[i]];
        if (!(b > a)) continue;
        if (m + 1 == bins) return 0;
        double middle = a / 2 + b / 2;
        cut[m++] = middle > a ? middle : b;
    }
    return m;
}

static smr_status find_cuts(smr_ctx *ctx, const smr_data *data, const double *x, int64_t bins,
                            double *cut, int64_t *n_cuts)
{
    smr_status st = SMR_OK;
    double *value = NULL, *weight = NULL, *q = NULL;
    int64_t *order = NULL, m = 0;
    *n_cuts = 0;
    TRY_NEW(value, data->n_rows);
    TRY_NEW(weight, data->n_rows);
    TRY_NEW(order, data->n_rows);
    TRY_NEW(q, bins);
    int64_t n = gather(data, x, value, weight);
    if (n == 0) goto out;
    TRY(smr_argsort_f64(ctx, n, value, order));
    m = cut_between(value, order, n, bins, cut);
    double least = value[order[0]];
    if (m == 0 && value[order[n - 1]] > least) {
        for (int64_t k = 1; k < bins; k++) q[k - 1] = (double)k / (double)bins;
        TRY(smr_quantiles(ctx, n, value, weight, bins - 1, q, cut));
        for (int64_t k = 0; k + 1 < bins; k++)
            if (cut[k] > (m ? cut[m - 1] : least)) cut[m++] = cut[k];
    }
    *n_cuts = m;
out:
    smr_free(value);
    smr_free(weight);
    smr_free(order);
    smr_free(q);
    return st;
}

static smr_status encode_column(smr_ctx *ctx, const struct smr_bayesnet_params *p,
                                const smr_data *data, int64_t j, double *x,
                                struct smr_bayesnet_state *s, struct smr_bn_rows *rows)
{
    smr_status st = SMR_OK;
    const smr_feature *f = data->features ? &data->features[j] : NULL;
    int64_t n_cuts = 0;
    TRY(smr_data_column(ctx, data, j, x));
    if (f && f->kind == SMR_CATEGORY) {
        s->levels[j] = SMR_MAX(1, f->n_levels);
    } else {
        TRY(find_cuts(ctx, data, x, p->bins, s->cut + s->n_cuts, &n_cuts));
        s->n_cuts += n_cuts;
        s->levels[j] = n_cuts + 1;
    }
    s->cut_at[j + 1] = s->n_cuts;
    int32_t *code = rows->code + j * rows->n;
    for (int64_t i = 0; i < rows->n; i++) {
        code[i] = n_cuts || (f && f->kind == SMR_CATEGORY) ? smr_bn_level(s, j, x[i])
                  : x[i] != x[i]                           ? -1
                                                           : 0;
        rows->gaps = rows->gaps || (code[i] < 0 && smr_bn_weight(rows, i) > 0);
    }
out:
    return st;
}

static void encode_target(const smr_data *data, const struct smr_bayesnet_state *s,
                          struct smr_bn_rows *rows)
{
    int32_t *code = rows->code + s->n_features * rows->n;
    for (int64_t i = 0; i < rows->n; i++) {
        code[i] = data->label[i];
        rows->total += smr_bn_weight(rows, i);
        rows->gaps = rows->gaps || (code[i] < 0 && smr_bn_weight(rows, i) > 0);
    }
}

smr_status smr_bn_encode(smr_ctx *ctx, const struct smr_bayesnet_params *p, const smr_data *data,
                         struct smr_bayesnet_state *s, struct smr_bn_rows *rows)
{
    smr_status st = SMR_OK;
    smr_data kept = *data;
    smr_keep keep = {0};
    double *x = NULL, *cut;
    int64_t d = data->n_features;
    s->n_features = d;
    s->n_classes = data->n_classes;
    s->n_nodes = d + 1;
    s->n_starts = d + 2;
    rows->n = data->n_rows;
    rows->n_nodes = s->n_nodes;
    rows->weight = data->weight;
    TRY_NEW(s->levels, s->n_nodes);
    TRY_NEW(s->cut_at, s->n_starts);
    TRY_NEW(s->cut, d * (p->bins - 1) + 1);
    TRY_NEW(rows->code, s->n_nodes * rows->n);
    TRY_NEW(x, rows->n);
    rows->levels = s->levels;
    TRY(smr_data_keep(ctx, &kept, SMR_FORM_F64, true, &keep));
    for (int64_t j = 0; j < d; j++) {
        TRY(smr_tick(ctx, "levels", j, d, NAN));
        TRY(encode_column(ctx, p, &kept, j, x, s, rows));
    }
    s->levels[d] = s->n_classes;
    s->cut_at[d + 1] = s->n_cuts;
    encode_target(data, s, rows);
    cut = smr_realloc(ctx, s->cut, s->n_cuts, sizeof *cut);
    if (!cut) TRY(SMR_ERR_NOMEM);
    s->cut = cut;
out:
    smr_free(x);
    smr_keep_release(&keep);
    return st;
}
