/* bayesnet_data.c -- training rows as levels.
 *
 * A number is cut: where it has at most `bins` distinct values, between them; else at the quantiles
 * 1/bins, 2/bins ..., which count weights, or where half a bin to the left and to the right of one
 * there is a gap wider than half of that range, in the gap's middle.  Bin b holds
 * cut_b <= x < cut_(b+1).  A cut becomes the shortest decimal between the values that it divides,
 * since it names the bins. */
#include "core/number.h"
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

/* The middle of the widest gap that meets (lo, hi), if it is wider than half of it; else `cut`. */
static double move_to_gap(const double *x, const int64_t *order, int64_t n, double lo, double hi,
                          double cut)
{
    double widest = (hi - lo) / 2;
    for (int64_t i = 1; i < n; i++) {
        double a = x[order[i - 1]], b = x[order[i]];
        if (!(b > lo) || !(a < hi) || !(b - a > widest)) continue;
        widest = b - a;
        cut = a / 2 + b / 2;
    }
    return cut;
}

/* Quantiles j/(2 bins), of which every second is a cut, and its neighbours the range around it. */
static smr_status cut_by_rank(smr_ctx *ctx, const double *x, const double *weight,
                              const int64_t *order, int64_t n, int64_t bins, double *cut,
                              int64_t *n_cuts)
{
    smr_status st = SMR_OK;
    double *q = NULL, *at = NULL;
    int64_t m = 0, n_q = 2 * bins - 1;
    TRY_NEW(q, n_q);
    TRY_NEW(at, n_q);
    for (int64_t j = 0; j < n_q; j++) q[j] = (double)(j + 1) / (double)(2 * bins);
    TRY(smr_quantiles(ctx, n, x, weight, n_q, q, at));
    for (int64_t j = 1; j < n_q; j += 2) {
        double c = move_to_gap(x, order, n, at[j - 1], at[j + 1], at[j]);
        if (c > (m ? cut[m - 1] : x[order[0]]) && c <= x[order[n - 1]]) cut[m++] = c;
    }
    *n_cuts = m;
out:
    smr_free(q);
    smr_free(at);
    return st;
}

/* The shortest decimal in (lo, hi], from the digits of the cut that lies there. */
static double shorten(double cut, double lo, double hi)
{
    char text[SMR_NUMBER_MAX];
    double value;
    for (int digits = 1; digits < 17; digits++) {
        int length = smr_format_rounded(cut, digits, text);
        if (smr_parse_double(text, text + length, &value) == text + length && value > lo &&
            value <= hi)
            return value;
    }
    return cut;
}

/* Every cut, between its neighbours among the values; of two in one gap the first is left. */
static int64_t shorten_all(const double *x, const int64_t *order, int64_t n, int64_t n_cuts,
                           double *cut)
{
    int64_t i = 0, m = 0;
    for (int64_t k = 0; k < n_cuts; k++) {
        while (i < n && x[order[i]] < cut[k]) i++;
        double c = i > 0 && i < n ? shorten(cut[k], x[order[i - 1]], x[order[i]]) : cut[k];
        if (m == 0 || c > cut[m - 1]) cut[m++] = c;
    }
    return m;
}

static smr_status find_cuts(smr_ctx *ctx, const smr_data *data, const double *x, int64_t bins,
                            double *cut, int64_t *n_cuts)
{
    smr_status st = SMR_OK;
    double *value = NULL, *weight = NULL;
    int64_t *order = NULL;
    *n_cuts = 0;
    TRY_NEW(value, data->n_rows);
    TRY_NEW(weight, data->n_rows);
    TRY_NEW(order, data->n_rows);
    int64_t n = gather(data, x, value, weight);
    if (n == 0) goto out;
    TRY(smr_argsort_f64(ctx, n, value, order));
    *n_cuts = cut_between(value, order, n, bins, cut);
    if (*n_cuts == 0 && value[order[n - 1]] > value[order[0]])
        TRY(cut_by_rank(ctx, value, weight, order, n, bins, cut, n_cuts));
    *n_cuts = shorten_all(value, order, n, *n_cuts, cut);
out:
    smr_free(value);
    smr_free(weight);
    smr_free(order);
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

/* Classes that no row has are no levels: they change nothing. */
static smr_status encode_target(smr_ctx *ctx, const smr_data *data, struct smr_bayesnet_state *s,
                                struct smr_bn_rows *rows)
{
    smr_status st = SMR_OK;
    int32_t *code = rows->code + s->n_features * rows->n, *level = NULL;
    TRY_NEW(level, s->n_classes);
    TRY_NEW(s->present, s->n_classes);
    for (int64_t i = 0; i < rows->n; i++)
        if (smr_bn_weight(rows, i) > 0) level[data->label[i]] = 1;
    for (int64_t k = 0; k < s->n_classes; k++) {
        if (level[k]) s->present[s->n_present] = (int32_t)k;
        level[k] = level[k] ? (int32_t)s->n_present++ : -1;
    }
    for (int64_t i = 0; i < rows->n; i++) {
        code[i] = level[data->label[i]];
        rows->total += smr_bn_weight(rows, i);
    }
    if (!(rows->total > 0))
        TRY(smr_fail(ctx, SMR_ERR_DATA, "bayesnet: there are no training rows"));
    int32_t *present = smr_realloc(ctx, s->present, s->n_present, sizeof *present);
    if (!present) TRY(SMR_ERR_NOMEM);
    s->present = present;
    s->levels[s->n_features] = s->n_present;
out:
    smr_free(level);
    return st;
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
    s->cut_at[d + 1] = s->n_cuts;
    TRY(encode_target(ctx, data, s, rows));
    cut = smr_realloc(ctx, s->cut, s->n_cuts, sizeof *cut);
    if (!cut) TRY(SMR_ERR_NOMEM);
    s->cut = cut;
out:
    smr_free(x);
    smr_keep_release(&keep);
    return st;
}
