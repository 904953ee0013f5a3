/* select_filter.c -- how far each feature, alone, goes with the target: one pass over the rows.
 *
 * Numbers, with S sums over the rows where feature x is present, weight w, y the target around its
 * mean, x around a value of its own:
 *
 *     |r| = |S wxy - S wx S wy / W| / sqrt((S wx^2 - (S wx)^2 / W) (S wy^2 - (S wy)^2 / W))     (1)
 *     eta^2 = (sum_c (S_c wx)^2 / W_c - (S wx)^2 / W) / (S wx^2 - (S wx)^2 / W)    classes c    (2)
 *
 * with Student's t of r, and Fisher's F of eta (which for two classes is t^2, and eta = |r| with
 * the indicator).  Categories: eta of the target by level, or with classes Cramer's V and its
 * chi-square.  Several targets: the largest |r|, its p times their number.
 *
 * Sparse rows are summed entry by entry, around 0.  Rows are cut into chunks whose sums are added
 * in order: the same bits at any thread count.  Memory: a few times targets x d numbers per
 * chunk. */
#include "core/parallel.h"
#include "learn/chain.h"
#include "math/association.h"
#include "math/special.h"
#include "transform/select.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256, CHUNKS = 64, BUDGET = 1 << 22 /* numbers of all chunks, about */ };

/* Sums of a chunk: planes of d numbers.  Class or output t has the plane CROSS + t; planes about
 * missing values are there only where there may be some. */
struct summing {
    const smr_data *data;
    int64_t d, T; /* outputs, or classes */
    int64_t chunk, chunks, planes;
    bool classes, gaps, sparse;
    double *shift;  /* d */
    double *y;      /* n x T: targets around their means; NULL for classes */
    double *sums;   /* chunks x planes x d */
    double *total;  /* planes x d */
    double *weight; /* T: weight of each class; or W */
    double *square; /* T: sum w y^2 */
    double W;
};

/* The planes: S wx^2; S wx (regression); S wx y_t or S_c wx; and over the rows where x is missing
 * S w, S w y_t or S_c w, and S w y_t^2. */
static int64_t plane_x(const struct summing *s)
{
    return s->classes ? -1 : 1;
}
static int64_t plane_cross(const struct summing *s)
{
    return s->classes ? 1 : 2;
}
static int64_t plane_gone(const struct summing *s)
{
    return plane_cross(s) + s->T;
}

static void add_dense(const struct summing *s, const smr_rows *rows, double *sums)
{
    int64_t d = s->d;
    double *restrict square = sums, *restrict sum = sums + d;
    for (int64_t i = 0; i < rows->n; i++) {
        int64_t r = rows->first + i;
        const double *restrict x = (const double *)rows->x + i * rows->stride;
        const double *restrict shift = s->shift;
        double w = smr_data_weight(s->data, r);
        if (w == 0) continue;
        if (s->classes) {
            double *restrict of_class = sums + (plane_cross(s) + s->data->label[r]) * d;
            for (int64_t j = 0; j < d; j++) {
                double v = x[j] - shift[j], wv = w * v;
                square[j] += wv * v;
                of_class[j] += wv;
            }
            continue;
        }
        for (int64_t j = 0; j < d; j++) {
            double v = x[j] - shift[j], wv = w * v;
            square[j] += wv * v;
            sum[j] += wv;
        }
        for (int64_t t = 0; t < s->T; t++) {
            double *restrict cross = sums + (plane_cross(s) + t) * d, wy = w * s->y[r * s->T + t];
            for (int64_t j = 0; j < d; j++) cross[j] += wy * (x[j] - shift[j]);
        }
    }
}

/* One value of row r: present, or missing. */
static void add_value(const struct summing *s, int64_t r, int64_t j, double x, double *sums)
{
    int64_t d = s->d;
    double w = smr_data_weight(s->data, r), v = x - s->shift[j];
    if (isnan(x)) {
        double *gone = sums + plane_gone(s) * d + j;
        if (!s->gaps) return;
        gone[0] += w;
        for (int64_t t = 0; t < s->T; t++) {
            double y = s->classes ? s->data->label[r] == t : s->y[r * s->T + t];
            gone[(1 + t) * d] += w * y;
            if (!s->classes) gone[(1 + s->T + t) * d] += w * y * y;
        }
        return;
    }
    sums[j] += w * v * v;
    if (s->classes) {
        sums[(plane_cross(s) + s->data->label[r]) * d + j] += w * v;
        return;
    }
    sums[plane_x(s) * d + j] += w * v;
    for (int64_t t = 0; t < s->T; t++)
        sums[(plane_cross(s) + t) * d + j] += w * v * s->y[r * s->T + t];
}

static void add_rows(const struct summing *s, const smr_rows *rows, double *sums)
{
    if (rows->form != SMR_FORM_SPARSE && !s->gaps) {
        add_dense(s, rows, sums);
        return;
    }
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        if (rows->form == SMR_FORM_SPARSE)
            for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
                add_value(s, rows->first + i, rows->column[e], rows->value[e], sums);
        else
            for (int64_t j = 0; j < s->d; j++) add_value(s, rows->first + i, j, x[j], sums);
    }
}

static smr_status sum_chunk(smr_ctx *ctx, void *arg, int64_t c, int lane)
{
    const struct summing *s = arg;
    int64_t hi = smr_block_end(s->data->n_rows, s->chunk, c);
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    (void)lane;
    TRY(smr_reader_open(ctx, s->data, s->sparse ? SMR_FORM_SPARSE : SMR_FORM_F64, BLOCK, &reader));
    for (int64_t lo = c * s->chunk; lo < hi; lo += BLOCK) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(hi, lo + BLOCK), &rows));
        add_rows(s, &rows, s->sums + c * s->planes * s->d);
    }
out:
    smr_reader_close(reader);
    return st;
}

/* shift[j] = mean of the first rows where x_j is present; 0 for sparse rows. */
static smr_status find_shifts(smr_ctx *ctx, struct summing *s)
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    smr_rows rows;
    int64_t n = SMR_MIN(s->data->n_rows, BLOCK);
    if (s->sparse) return SMR_OK;
    TRY(smr_reader_open(ctx, s->data, SMR_FORM_F64, BLOCK, &reader));
    TRY(smr_reader_rows(ctx, reader, 0, n, &rows));
    for (int64_t j = 0; j < s->d; j++) {
        double sum = 0, count = 0, first = NAN;
        bool same = true;
        for (int64_t i = 0; i < n; i++) {
            double x = ((const double *)rows.x)[i * rows.stride + j];
            if (isnan(x)) continue;
            if (isnan(first)) first = x;
            same = same && x == first;
            sum += x / (double)n;
            count++;
        }
        s->shift[j] = count == 0 ? 0 : same ? first : sum * ((double)n / count);
    }
out:
    smr_reader_close(reader);
    return st;
}

static smr_status sum_all(smr_ctx *ctx, struct summing *s)
{
    smr_status st = SMR_OK;
    int64_t size = (s->planes = plane_gone(s) + (s->gaps ? 1 + (2 - s->classes) * s->T : 0)) * s->d;
    int64_t most = SMR_MAX(1, SMR_MIN(CHUNKS, BUDGET / SMR_MAX(1, size)));
    s->chunk = SMR_MAX(BLOCK, smr_block_count(s->data->n_rows, most));
    s->chunks = smr_block_count(s->data->n_rows, s->chunk);
    TRY_NEW(s->sums, s->chunks * size);
    TRY_NEW(s->total, size);
    TRY(smr_parallel(ctx, "reading", s->chunks, sum_chunk, s));
    for (int64_t c = 0; c < s->chunks; c++)
        for (int64_t k = 0; k < size; k++) s->total[k] += s->sums[c * size + k];
out:
    return st;
}

/* The targets around their means, with their weights and squares. */
static smr_status take_targets(smr_ctx *ctx, struct summing *s)
{
    smr_status st = SMR_OK;
    const smr_data *data = s->data;
    int64_t T = s->T;
    TRY_NEW(s->weight, T);
    TRY_NEW(s->square, T);
    for (int64_t i = 0; i < data->n_rows; i++) s->W += smr_data_weight(data, i);
    for (int64_t i = 0; i < data->n_rows && s->classes; i++)
        s->weight[data->label[i]] += smr_data_weight(data, i);
    if (s->classes) return SMR_OK;
    s->y = smr_alloc_raw(ctx, data->n_rows * T, sizeof *s->y);
    if (!s->y) return SMR_ERR_NOMEM;
    for (int64_t t = 0; t < T; t++) {
        double mean = 0, origin = data->y[t];
        for (int64_t i = 0; i < data->n_rows; i++)
            mean += smr_data_weight(data, i) * (data->y[i * T + t] - origin);
        mean = origin + (s->W > 0 ? mean / s->W : 0);
        for (int64_t i = 0; i < data->n_rows; i++) {
            double v = s->y[i * T + t] = data->y[i * T + t] - mean;
            s->square[t] += smr_data_weight(data, i) * v * v;
            s->weight[t] += smr_data_weight(data, i) * v; /* S wy: rounding alone */
        }
    }
out:
    return st;
}

/* ---- scores ----------------------------------------------------------------------------- */

/* Squares around the shift, turned into squares around the mean; 0 where that is rounding. */
static double around_mean(double square, double sum, double W, double shift)
{
    double left = square - sum * sum / W, eps = 4e-16 * fabs(shift);
    return left > 1e-13 * square && left > W * eps * eps ? left : 0;
}

static void score_classes(const struct summing *s, int64_t j, double *score, double *p)
{
    const double *at = s->total + j, *gone = at + plane_gone(s) * s->d;
    double W = s->W - (s->gaps ? gone[0] : 0), sum = 0, between = 0;
    int64_t groups = 0;
    for (int64_t t = 0; t < s->T; t++) sum += at[(plane_cross(s) + t) * s->d];
    double all = around_mean(at[0], sum, W, s->shift[j]);
    for (int64_t t = 0; t < s->T; t++) {
        double weight = s->weight[t] - (s->gaps ? gone[(1 + t) * s->d] : 0);
        double of_class = at[(plane_cross(s) + t) * s->d];
        if (!(weight > 0)) continue;
        double off = of_class - weight * (sum / W);
        between += off * off / weight;
        groups++;
    }
    double df = W - (double)groups, within = smr_fmax(0, all - between);
    *score = all > 0 ? sqrt(smr_fmin(1, between / all)) : 0;
    if (all > 0 && groups > 1 && df > 0)
        *p = within > 0 ? smr_f_upper(between / (double)(groups - 1) / (within / df),
                                      (double)(groups - 1), df)
                        : 0;
}

static void score_numbers(const struct summing *s, int64_t j, double *score, double *p)
{
    const double *at = s->total + j, *gone = at + plane_gone(s) * s->d;
    double W = s->W - (s->gaps ? gone[0] : 0), sum = at[plane_x(s) * s->d];
    double all = around_mean(at[0], sum, W, s->shift[j]);
    *score = 0;
    for (int64_t t = 0; t < s->T && all > 0; t++) {
        double sy = s->weight[t] - (s->gaps ? gone[(1 + t) * s->d] : 0);
        double yy = s->square[t] - (s->gaps ? gone[(1 + s->T + t) * s->d] : 0);
        double left = yy - sy * sy / W;
        double r = left > 1e-13 * yy
                       ? (at[(plane_cross(s) + t) * s->d] - sum * sy / W) / sqrt(all * left)
                       : 0;
        if (left > 1e-13 * yy && fabs(r) >= *score) {
            *score = smr_fmin(1, fabs(r));
            *p = W > 2 ? smr_fmin(1, (double)s->T * smr_correlation_p(*score, W)) : NAN;
        }
    }
}

/* Category j: eta of the target by level, or Cramer's V. */
static smr_status score_category(smr_ctx *ctx, const struct summing *s, int64_t j, double *score,
                                 double *p)
{
    smr_status st = SMR_OK;
    const smr_data *data = s->data;
    int64_t n = data->n_rows, levels = SMR_MAX(1, data->features[j].n_levels);
    double *column = NULL, *count = NULL, *y = NULL;
    int32_t *code = NULL;
    TRY_NEW(column, n);
    TRY(smr_data_column(ctx, data, j, column));
    *score = 0;
    if (s->classes) {
        smr_chi_square chi;
        TRY_NEW(count, levels * s->T);
        for (int64_t i = 0; i < n; i++)
            if (column[i] >= 0)
                count[(int64_t)column[i] * s->T + data->label[i]] += smr_data_weight(data, i);
        TRY(smr_chi_square_of(ctx, levels, s->T, count, &chi));
        *score = isnan(chi.v) ? 0 : chi.v;
        *p = chi.p;
        goto out;
    }
    TRY_NEW(code, n);
    TRY_NEW(y, n);
    for (int64_t i = 0; i < n; i++) code[i] = column[i] >= 0 ? (int32_t)column[i] : -1;
    for (int64_t t = 0; t < s->T; t++) {
        smr_anova anova;
        for (int64_t i = 0; i < n; i++) y[i] = s->y[i * s->T + t];
        TRY(smr_anova_of(ctx, n, code, levels, y, data->weight, &anova));
        if (!(sqrt(anova.eta2) >= *score)) continue;
        *score = sqrt(anova.eta2);
        *p = smr_fmin(1, (double)s->T * anova.p);
    }
out:
    smr_free(column);
    smr_free(count);
    smr_free(y);
    smr_free(code);
    return st;
}

static bool has_nan(const struct summing *s)
{
    for (int64_t j = 0; j < s->d; j++)
        if (isnan(s->total[j])) return true;
    return false;
}

smr_status smr_select_correlation(smr_ctx *ctx, const smr_data *data, struct smr_select_state *out)
{
    smr_status st = SMR_OK;
    bool classes = data->task == SMR_TASK_CLASSIFY;
    struct summing s = {.data = data,
                        .d = data->n_features,
                        .T = classes ? data->n_classes : data->n_outputs,
                        .classes = classes,
                        .sparse = smr_data_is_sparse(data),
                        .gaps = data->gaps_in_numbers || data->gaps_in_categories};
    TRY_NEW(out->p_value, s.d);
    TRY_NEW(s.shift, s.d);
    TRY(take_targets(ctx, &s));
    TRY(find_shifts(ctx, &s));
    TRY(sum_all(ctx, &s));
    if (!s.gaps && has_nan(&s)) { /* a gap that was not announced */
        smr_free(s.sums);
        smr_free(s.total);
        s.sums = s.total = NULL;
        s.gaps = true;
        TRY(sum_all(ctx, &s));
    }
    for (int64_t j = 0; j < s.d; j++) {
        out->p_value[j] = NAN;
        if (data->features && !s.sparse && data->features[j].kind == SMR_CATEGORY)
            TRY(score_category(ctx, &s, j, &out->score[j], &out->p_value[j]));
        else if (classes)
            score_classes(&s, j, &out->score[j], &out->p_value[j]);
        else
            score_numbers(&s, j, &out->score[j], &out->p_value[j]);
    }
out:
    smr_free(s.shift);
    smr_free(s.y);
    smr_free(s.sums);
    smr_free(s.total);
    smr_free(s.weight);
    smr_free(s.square);
    return st;
}
