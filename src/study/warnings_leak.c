/* warnings_leak.c -- columns that know the answer: see warnings.h.
 *
 * A column is screened on some rows, evenly spaced over the set, and a suspect is looked at on all
 * of them.  Numbers against classes: sorted once, each pair of classes has its area from a walk
 * that counts the rows of every class above; the column's figure is the smallest over the pairs,
 * whichever way the column runs, so that one class set apart (a flower unlike the others) raises no
 * suspicion.  Categories against classes: a row is predicted by the majority of the other rows of
 * its level, so that a level of one row knows nothing.  Where half of the columns would be suspects
 * the classes are easy to tell apart, and none is. */
#include "core/parallel.h"
#include "core/sort.h"
#include "math/association.h"
#include "study/warnings.h"

#include <math.h>
#include <string.h>

enum {
    LEAST_CLASS_ROWS = 10, /* of a class, to be judged                */
    MOST_CLASSES = 20,     /* pairs of more are not counted           */
    SCREEN_MOST = 20000,   /* rows of the screening                   */
    SCREEN_LEAST = 2000,
    MOST_NAMED = 5,
    MOST_COLUMNS = 100000,
};

static const double SCREEN_VALUES = 2e6; /* rows x columns of the screening */
static const double AREA = 0.99, CORRELATION = 0.999, LOOSE = 0.2;

struct leak_job {
    const smr_target *target;
    const smr_data *data; /* bound to the rows that are looked at */
    const int32_t *label; /* of these rows, or NULL               */
    const double *y;      /* n x targets, or NULL                 */
    double *figure;       /* n_features: in [0, 1]; NaN: unknown */
};

/* ---- against classes -------------------------------------------------------------------- */

/* area[j * K + k] = weight of pairs (row of j below, or level with, row of k), of the first n rows
 * of the order; missing values, which are its last, are one level. */
static void count_pairs(int64_t n, const double *x, const int64_t *order, const int32_t *label,
                        int64_t K, double *count, double *area)
{
    double level[MOST_CLASSES];
    memset(count, 0, (size_t)K * sizeof *count);
    memset(area, 0, (size_t)(K * K) * sizeof *area);
    for (int64_t r = 0, end; r < n; r = end) {
        bool gone = isnan(x[order[r]]);
        memset(level, 0, sizeof level);
        for (end = r; end < n && (gone || x[order[end]] == x[order[r]]); end++)
            level[label[order[end]]]++;
        for (int64_t k = 0; k < K; k++) {
            if (level[k] == 0) continue;
            for (int64_t j = 0; j < K; j++)
                area[j * K + k] += level[k] * (count[j] + 0.5 * level[j]);
        }
        for (int64_t k = 0; k < K; k++) count[k] += level[k];
    }
}

static double smallest_area(int64_t K, const double *count, const double *area)
{
    double least = NAN;
    for (int64_t j = 0; j < K; j++)
        for (int64_t k = j + 1; k < K; k++) {
            if (count[j] < LEAST_CLASS_ROWS || count[k] < LEAST_CLASS_ROWS) continue;
            double a = area[j * K + k] / count[j] / count[k];
            least = smr_fmin(least, smr_fmax(a, 1 - a));
        }
    return least;
}

/* By the values that are not missing; or, where some are, with these as a level of their own: a
 * column that is filled in for one class only knows it as well. */
static smr_status number_against_classes(smr_ctx *ctx, const struct leak_job *job, const double *x,
                                         double *figure)
{
    double count[MOST_CLASSES], area[MOST_CLASSES * MOST_CLASSES];
    int64_t *order = NULL, n = job->data->n_rows, there = n, K = job->target->classes.n;
    smr_status st = SMR_OK;
    if (K > MOST_CLASSES) return SMR_OK;
    TRY_NEW(order, n);
    TRY(smr_argsort_f64(ctx, n, x, order));
    while (there > 0 && isnan(x[order[there - 1]])) there--;
    count_pairs(there, x, order, job->label, K, count, area);
    *figure = smallest_area(K, count, area);
    if (there == n || *figure > AREA) goto out;
    count_pairs(n, x, order, job->label, K, count, area);
    *figure = smr_fmax(*figure, smallest_area(K, count, area));
out:
    smr_free(order);
    return st;
}

/* How well the levels name the classes: 1 for no mistakes, 0 where they are at the limit of 1 % and
 * of a tenth of the baseline's or beyond, NaN where the baseline makes too few to tell. */
static double named_share(int64_t n_levels, int64_t K, const int64_t *count)
{
    int64_t all = 0, largest = 0, wrong = 0;
    for (int64_t k = 0; k < K; k++) {
        int64_t rows = 0;
        for (int64_t l = 0; l < n_levels; l++) rows += count[l * K + k];
        all += rows;
        largest = SMR_MAX(largest, rows);
    }
    for (int64_t l = 0; l < n_levels; l++) {
        int64_t most = 0, total = 0;
        for (int64_t k = 0; k < K; k++) {
            total += count[l * K + k];
            most = SMR_MAX(most, count[l * K + k]);
        }
        wrong += most == 1 ? total : total - most;
    }
    double limit = smr_fmin(0.01 * (double)all, 0.1 * (double)(all - largest));
    if (all - largest < LEAST_CLASS_ROWS) return NAN;
    return (double)wrong < limit ? 1 - (double)wrong / (double)all : 0;
}

/* As for numbers: by the levels that are not missing, or with the missing as one more. */
static smr_status category_against_classes(smr_ctx *ctx, const struct leak_job *job,
                                           const double *x, int64_t n_levels, double *figure)
{
    int64_t *count = NULL, K = job->target->classes.n, n = job->data->n_rows;
    smr_status st = SMR_OK;
    if ((double)n_levels * (double)K > 1e7) return SMR_OK;
    TRY_NEW(count, (n_levels + 1) * K);
    for (int64_t i = 0; i < n; i++) {
        int64_t level = isnan(x[i]) || x[i] < 0 ? n_levels : (int64_t)x[i];
        count[level * K + job->label[i]]++;
    }
    *figure = smr_fmax(named_share(n_levels, K, count), named_share(n_levels + 1, K, count));
out:
    smr_free(count);
    return st;
}

/* ---- against numbers -------------------------------------------------------------------- */

/* The correlation of the ranks of the rows that have a value: 1 for whatever rises with the target,
 * be it its logarithm. */
static smr_status rank_correlation(smr_ctx *ctx, int64_t n, const double *x, const double *y,
                                   double *out)
{
    smr_status st = SMR_OK;
    double *work = NULL;
    int64_t m = 0;
    TRY_NEW(work, 4 * n);
    double *a = work, *b = work + n, *rank_a = work + 2 * n, *rank_b = work + 3 * n;
    for (int64_t i = 0; i < n; i++) {
        if (isnan(x[i]) || isnan(y[i])) continue;
        a[m] = x[i];
        b[m++] = y[i];
    }
    TRY(smr_midranks(ctx, m, a, NULL, NULL, rank_a));
    TRY(smr_midranks(ctx, m, b, NULL, NULL, rank_b));
    *out = fabs(smr_pairwise_correlation(m, rank_a, rank_b));
out:
    smr_free(work);
    return st;
}

/* The largest over the targets of |r|, of the values or of their ranks (numbers), or of the
 * adjusted correlation ratio (categories), on the scale of |r|.  Ranks are only looked at where the
 * values move together at all. */
static smr_status against_numbers(smr_ctx *ctx, const struct leak_job *job, const double *x,
                                  const smr_feature *f, double *figure)
{
    int64_t n = job->data->n_rows, t = job->target->n;
    double *y = NULL;
    int32_t *code = NULL;
    smr_status st = SMR_OK;
    TRY_NEW(y, n);
    if (f->kind == SMR_CATEGORY) {
        TRY_NEW(code, n);
        for (int64_t i = 0; i < n; i++) code[i] = isnan(x[i]) ? -1 : (int32_t)x[i];
    }
    for (int64_t j = 0; j < t; j++) {
        for (int64_t i = 0; i < n; i++) y[i] = job->y[i * t + j];
        if (code) {
            smr_anova a;
            TRY(smr_anova_of(ctx, n, code, f->n_levels, y, NULL, &a));
            if (10 * f->n_levels <= n) *figure = smr_fmax(*figure, sqrt(smr_fmax(0, a.adjusted)));
        } else {
            double r = fabs(smr_pairwise_correlation(n, x, y)), ranks = NAN;
            if (r > LOOSE && !(r > CORRELATION)) TRY(rank_correlation(ctx, n, x, y, &ranks));
            *figure = smr_fmax(*figure, smr_fmax(r, ranks));
        }
    }
out:
    smr_free(y);
    smr_free(code);
    return st;
}

/* ---- columns ---------------------------------------------------------------------------- */

static smr_status judge_column(smr_ctx *ctx, void *arg, int64_t j, int lane)
{
    const struct leak_job *job = arg;
    const smr_feature *f = &job->data->features[j];
    double *x = NULL;
    smr_status st = SMR_OK;
    (void)lane;
    if (isinf(job->figure[j])) return SMR_OK; /* not asked for */
    job->figure[j] = NAN;
    TRY_NEW(x, job->data->n_rows);
    TRY(smr_data_column(ctx, job->data, j, x));
    if (job->y)
        TRY(against_numbers(ctx, job, x, f, &job->figure[j]));
    else if (f->kind == SMR_CATEGORY)
        TRY(category_against_classes(ctx, job, x, f->n_levels, &job->figure[j]));
    else
        TRY(number_against_classes(ctx, job, x, &job->figure[j]));
out:
    smr_free(x);
    return st;
}

smr_status smr_column_figures(smr_ctx *ctx, const smr_target *target, const smr_data *data,
                              const int32_t *label, const double *y, double *figure)
{
    struct leak_job job = {
        .target = target, .data = data, .label = label, .y = y, .figure = figure};
    return smr_parallel(ctx, NULL, data->n_features, judge_column, &job);
}

/* The figures of the columns whose figure is not infinite, on n of the set's rows. */
static smr_status judge_columns(smr_ctx *ctx, const smr_train_set *set, smr_binding *binding,
                                int64_t n, double *figure)
{
    smr_status st = SMR_OK;
    int64_t *rows = NULL, t = set->target.n;
    int32_t *label = NULL;
    double *y = NULL;
    TRY_NEW(rows, n);
    if (set->label) TRY_NEW(label, n);
    if (!set->label) TRY_NEW(y, n * t);
    for (int64_t k = 0; k < n; k++) {
        rows[k] = smr_train_set_row(set, (int64_t)((double)k * ((double)set->n_rows / (double)n)));
        if (label) label[k] = set->label[rows[k]];
        if (y) memcpy(y + k * t, set->y + rows[k] * t, (size_t)t * sizeof *y);
    }
    binding->data.rows = rows;
    binding->data.n_rows = n;
    TRY(smr_column_figures(ctx, &set->target, &binding->data, label, y, figure));
out:
    binding->data.rows = NULL;
    smr_free(rows);
    smr_free(label);
    smr_free(y);
    return st;
}

static void tell(smr_ctx *ctx, const smr_train_set *set, const smr_feature *f, double figure,
                 smr_json *advice)
{
    char number[32];
    const char *measure =
        set->label ? f->kind == SMR_CATEGORY ? "accuracy" : "area" : "correlation";
    smr_advise(
        ctx, advice, "leakage", f->name,
        "'%s' alone predicts '%s' almost perfectly (%s %s): if it is not known before the answer "
        "is, leave it out with --ignore",
        f->name, set->target.names[0], measure,
        figure >= 0.9995 && figure < 1 ? "0.999" : smr_advise_number(figure, number));
}

smr_status smr_advise_leakage(smr_ctx *ctx, const smr_train_set *set, smr_json *advice)
{
    static const struct smr_columns_params as_they_are = {0};
    smr_status st = SMR_OK;
    smr_binding binding = {0};
    double *figure = NULL, limit = set->label ? AREA : CORRELATION;
    int64_t told = 0, suspects = 0, n = set->n_rows;
    if (set->schema.n_sparse || n < 2 * LEAST_CLASS_ROWS) return SMR_OK;
    TRY(smr_schema_bind(ctx, &set->schema, &as_they_are, set->table, &binding));
    int64_t d = binding.data.n_features;
    if (d > MOST_COLUMNS) goto out;
    TRY_NEW(figure, d + 1);
    double budget = SCREEN_VALUES / (double)SMR_MAX(1, d);
    int64_t screen = budget < SCREEN_LEAST  ? SCREEN_LEAST
                     : budget > SCREEN_MOST ? SCREEN_MOST
                                            : (int64_t)budget;
    TRY(judge_columns(ctx, set, &binding, SMR_MIN(n, screen), figure));
    for (int64_t j = 0; j < d; j++) {
        suspects += figure[j] > limit;
        if (!(figure[j] > limit)) figure[j] = INFINITY; /* not looked at again */
    }
    if (suspects > 1 && 2 * suspects >= d) goto out; /* easy classes, not a column that leaks */
    if (suspects && n > screen) TRY(judge_columns(ctx, set, &binding, n, figure));
    for (int64_t j = 0; j < d && told < MOST_NAMED; j++) {
        if (isinf(figure[j]) || !(figure[j] > limit)) continue;
        told++;
        tell(ctx, set, &binding.data.features[j], figure[j], advice);
    }
out:
    smr_free(figure);
    smr_binding_release(&binding);
    return st;
}
