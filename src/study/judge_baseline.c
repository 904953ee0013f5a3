/* judge_baseline.c -- what clusters, sequences and densities are compared with: see judge.h.
 *
 *     cluster    each row in one of two clusters by a throw of a coin; measured among its numbers,
 *                each less its mean over its deviation in the fitted rows, gaps at the mean
 *     sequence   every step has the class that most fitted steps have
 *     density    sum over columns of log N(x_j; m_j, s_j^2), moments of the fitted rows; a gap adds
 *                nothing.  There is none where some column is no number: it has no density */
#include "core/rng.h"
#include "core/sort.h"
#include "kernel/kernel.h"
#include "study/judge.h"

#include <math.h>
#include <string.h>

const char *smr_judge_baseline_name(const smr_target *t)
{
    const smr_judge_facts *facts = smr_judge_of(t->task);
    return t->n ? facts->baseline : facts->baseline_alone;
}

void smr_judge_constant_name(const smr_measure *measure, smr_text *out)
{
    double level = measure ? measure->level : 0;
    if (!(level > 0)) {
        smr_text_add(out, "mean");
    } else if (level == 0.5) {
        smr_text_add(out, "median");
    } else {
        smr_text_rounded(out, level, 4);
        smr_text_add(out, "-quantile");
    }
}

smr_status smr_judge_quantile(smr_ctx *ctx, double level, int64_t n, const double *y,
                              int64_t stride, const double *weight, double *out)
{
    smr_status st = SMR_OK;
    double *x = NULL, all = 0, below = 0;
    int64_t *order = NULL, k = 0;
    *out = NAN;
    TRY_NEW(x, n + 1);
    TRY_NEW(order, n + 1);
    for (int64_t i = 0; i < n; i++) {
        x[i] = y[i * stride];
        all += weight ? weight[i] : 1;
    }
    TRY(smr_argsort_f64(ctx, n, x, order));
    for (; k < n; k++) {
        below += weight ? weight[order[k]] : 1;
        if (below >= level * all) break;
    }
    if (k == n) goto out;
    *out = x[order[k]];
    if (below == level * all && k + 1 < n) *out = *out / 2 + x[order[k + 1]] / 2;
out:
    smr_free(x);
    smr_free(order);
    return st;
}

/* ---- the numbers of a table ------------------------------------------------------------- */

/* Rows with the columns that are numbers. */
struct numbers {
    int64_t n, d;
    bool all; /* columns are */
    double *x;
};

static smr_status read_numbers(smr_ctx *ctx, const smr_baseline *b, const int64_t *rows, int64_t n,
                               struct numbers *out)
{
    enum { BLOCK = 256 };
    smr_status st = SMR_OK;
    smr_binding binding = {0};
    smr_reader *reader = NULL;
    int64_t *at = NULL;
    TRY(smr_schema_bind(ctx, b->schema, b->columns, b->table, &binding));
    smr_data *data = &binding.data;
    TRY_NEW(at, data->n_features + 1);
    for (int64_t j = 0; j < data->n_features; j++)
        if (data->features[j].kind == SMR_NUMBER) at[out->d++] = j;
    out->all = out->d == data->n_features && out->d > 0;
    out->n = data->n_rows = n;
    data->rows = rows;
    TRY_NEW(out->x, n * out->d + 1);
    TRY(smr_reader_open(ctx, data, SMR_FORM_F64, BLOCK, &reader));
    for (int64_t lo = 0; lo < n; lo += BLOCK) {
        smr_rows block;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(lo + BLOCK, n), &block));
        for (int64_t i = 0; i < block.n; i++)
            for (int64_t j = 0; j < out->d; j++)
                out->x[(lo + i) * out->d + j] = ((const double *)block.x)[i * block.stride + at[j]];
    }
out:
    smr_reader_close(reader);
    smr_binding_release(&binding);
    smr_free(at);
    return st;
}

/* Mean and deviation of each column, without gaps; weight: of the table's rows. */
static void find_moments(const struct numbers *of, const smr_baseline *b, double *mean, double *sd)
{
    for (int64_t j = 0; j < of->d; j++) {
        double total = 0, square = 0;
        mean[j] = 0;
        for (int64_t i = 0; i < of->n; i++) {
            double x = of->x[i * of->d + j], w = b->weight ? b->weight[b->fitted[i]] : 1;
            if (isnan(x) || !(w > 0)) continue;
            total += w;
            double off = x - mean[j];
            mean[j] += off * (w / total);
            square += w * off * (x - mean[j]);
        }
        double least = 1e-6 * (1 + fabs(mean[j])); /* a constant has a deviation, too */
        sd[j] = total > 0 ? smr_fmax(least, sqrt(square / total)) : 1;
    }
}

/* Fitted rows give the moments, rows the numbers. */
static smr_status read_both(smr_ctx *ctx, const smr_baseline *b, const int64_t *rows, int64_t n,
                            struct numbers *out, double **mean, double **sd)
{
    smr_status st = SMR_OK;
    struct numbers fitted = {0};
    TRY(read_numbers(ctx, b, b->fitted, b->n_fitted, &fitted));
    TRY(read_numbers(ctx, b, rows, n, out));
    TRY_NEW(*mean, out->d + 1);
    TRY_NEW(*sd, out->d + 1);
    find_moments(&fitted, b, *mean, *sd);
out:
    smr_free(fitted.x);
    return st;
}

/* ---- each task -------------------------------------------------------------------------- */

static smr_status at_random(smr_ctx *ctx, const smr_baseline *b, smr_found *f)
{
    smr_status st = SMR_OK;
    struct numbers of = {0};
    double *mean = NULL, *sd = NULL;
    TRY(read_both(ctx, b, f->rows, f->in.n, &of, &mean, &sd));
    for (int64_t i = 0; i < of.n; i++)
        for (int64_t j = 0; j < of.d; j++) {
            double *x = &of.x[i * of.d + j];
            *x = isnan(*x) ? 0 : (*x - mean[j]) / sd[j];
        }
    TRY_NEW(f->found, f->in.n + 1);
    for (int64_t i = 0; i < f->in.n; i++)
        f->found[i] =
            (int32_t)smr_random_below(b->seed, SMR_STREAM_BASELINE, 0, (uint64_t)f->rows[i], 2);
    f->in.found = f->found;
    f->in.n_found = 2;
    f->in.d = of.d;
    if (of.d) f->in.x = f->x = of.x;
    if (of.d) of.x = NULL;
out:
    smr_free(of.x);
    smr_free(mean);
    smr_free(sd);
    return st;
}

static smr_status most_frequent(smr_ctx *ctx, const smr_baseline *b, smr_found *f)
{
    smr_status st = SMR_OK;
    double *count = NULL;
    int64_t best = 0;
    if (!b->label || !b->n_classes) return SMR_OK;
    TRY_NEW(count, b->n_classes);
    for (int64_t i = 0; i < b->n_fitted; i++) {
        int64_t row = b->fitted[i];
        if (b->label[row] >= 0) count[b->label[row]] += b->weight ? b->weight[row] : 1;
    }
    for (int64_t k = 1; k < b->n_classes; k++)
        if (count[k] > count[best]) best = k;
    TRY_NEW(f->found, f->in.n + 1);
    for (int64_t i = 0; i < f->in.n; i++) f->found[i] = (int32_t)best;
    f->in.found = f->found;
    f->in.n_found = b->n_classes;
    TRY(smr_found_sequences(ctx, b->schema, b->table, f));
out:
    smr_free(count);
    return st;
}

static smr_status gaussians(smr_ctx *ctx, const smr_baseline *b, smr_found *f)
{
    static const double LOG_TWO_PI = 1.8378770664093454836;
    smr_status st = SMR_OK;
    struct numbers of = {0};
    double *mean = NULL, *sd = NULL;
    TRY(read_both(ctx, b, f->rows, f->in.n, &of, &mean, &sd));
    if (!of.all) goto out;
    TRY_NEW(f->score, f->in.n + 1);
    for (int64_t i = 0; i < of.n; i++)
        for (int64_t j = 0; j < of.d; j++) {
            double z = (of.x[i * of.d + j] - mean[j]) / sd[j];
            if (!isnan(z)) f->score[i] -= 0.5 * (z * z + LOG_TWO_PI) + smr_log(sd[j]);
        }
    f->in.score = f->score;
out:
    smr_free(of.x);
    smr_free(mean);
    smr_free(sd);
    return st;
}

smr_status smr_found_by_baseline(smr_ctx *ctx, smr_task task, const smr_baseline *b,
                                 const int64_t *rows, int64_t n, smr_found *out)
{
    static smr_status (*const finds[SMR_TASKS])(smr_ctx * ctx, const smr_baseline *b,
                                                smr_found *f) = {
        [SMR_TASK_CLUSTER] = at_random,
        [SMR_TASK_SEQUENCE] = most_frequent,
        [SMR_TASK_DENSITY] = gaussians,
        [SMR_TASK_OUTLIERS] = gaussians,
    };
    smr_status st = SMR_OK;
    TRY(smr_found_begin(ctx, rows, n, b->label, b->weight, out));
    out->in.n_classes = b->n_classes;
    out->in.outlying = b->outlying;
    out->in.seed = b->seed;
    if (finds[task]) TRY(finds[task](ctx, b, out));
out:
    return st;
}
