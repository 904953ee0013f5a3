/* kperceptron_stream.c -- the kernel perceptron row by row; see kperceptron.c.
 *
 * A row is answered, and if it is a mistake it becomes a point.  What is carried along are the last
 * coefficients and, of averaged, the changes times the rows before them; both meet the same values
 * of K.  Cost: m values of K for a row, m the points so far, and as much again for a mistake. */
#include "kernel/kernel.h"
#include "learn/kernels/kperceptron.h"
#include "learn/linear/scores.h"

#include <math.h>
#include <string.h>

smr_status smr_kperceptron_begin(smr_ctx *ctx, const void *params_, const smr_shape *shape,
                                 void *state_)
{
    const struct smr_kperceptron_params *p = params_;
    struct smr_kperceptron_state *s = state_;
    smr_status st = SMR_OK;
    s->n_classes = shape->n_classes;
    s->n_scores = smr_scores_of(shape->n_classes);
    s->n_sums = p->variant == SMR_KPERCEPTRON_AVERAGED ? 2 * s->n_scores : 0;
    s->radius = s->margin = NAN;
    TRY_NEW(s->coef, 0);
    TRY_NEW(s->intercept, s->n_scores);
    if (s->n_sums > 0) {
        TRY_NEW(s->sums, 0);
        TRY_NEW(s->sum_intercept, s->n_sums);
    }
    if (p->budget != SMR_UNSET_INT) {
        TRY_NEW(s->touched, 0);
        TRY_NEW(s->self, 0);
    }
    TRY(smr_kernel_begin(ctx, "kperceptron", &p->kernel, shape, &s->points));
out:
    return st;
}

struct streaming {
    const struct smr_kperceptron_params *p;
    struct smr_kperceptron_state *s;
    int64_t n; /* n_sums, or n_scores */
    double *f; /* n                   */
    void *scratch;
};

/* The last coefficients, of averaged with their lag after them. */
static double *sums_of(const struct smr_kperceptron_state *s)
{
    return s->sums ? s->sums : s->coef;
}

static double *intercepts_of(const struct smr_kperceptron_state *s)
{
    return s->sums ? s->sum_intercept : s->intercept;
}

/* ---- columns of coefficients ------------------------------------------------------------ */

/* *out = q rows of m + 1, the last 0, from rows of m. */
static smr_status one_wider(smr_ctx *ctx, int64_t q, int64_t m, const double *a, double **out)
{
    smr_status st = SMR_OK;
    TRY_NEW(*out, q * (m + 1));
    for (int64_t c = 0; c < q; c++) memcpy(*out + c * (m + 1), a + c * m, (size_t)m * sizeof *a);
out:
    return st;
}

/* Takes column j out of q rows of m. */
static void one_narrower(int64_t q, int64_t m, int64_t j, double *a)
{
    for (int64_t c = 0, to = 0; a && c < q * m; c++)
        if (c % m != j) a[to++] = a[c];
}

static void swap(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

/* Row i becomes a point with coefficients of 0. */
static smr_status add_point(smr_ctx *ctx, struct streaming *w, const smr_rows *row)
{
    smr_status st = SMR_OK;
    struct smr_kperceptron_state *s = w->s;
    int64_t m = s->points.n;
    double *coef = NULL, *sums = NULL, *touched = NULL, *self = NULL;
    TRY(one_wider(ctx, s->n_scores, m, s->coef, &coef));
    if (s->sums) TRY(one_wider(ctx, s->n_sums, m, s->sums, &sums));
    if (s->self) {
        TRY(one_wider(ctx, 1, m, s->touched, &touched));
        TRY(one_wider(ctx, 1, m, s->self, &self));
        TRY(smr_kernel_self(ctx, &w->p->kernel, &s->points, row, self + m, w->scratch));
        touched[m] = s->mistakes;
    }
    TRY(smr_kernel_add(ctx, "kperceptron", &w->p->kernel, row, 0, &s->points));
    swap(&s->coef, &coef);
    if (s->sums) swap(&s->sums, &sums);
    if (s->self) {
        swap(&s->touched, &touched);
        swap(&s->self, &self);
    }
out:
    smr_free(coef);
    smr_free(sums);
    smr_free(touched);
    smr_free(self);
    return st;
}

/* ---- the budget ------------------------------------------------------------------------- */

static double size_of(const struct smr_kperceptron_state *s, int64_t j)
{
    double sum = 0;
    for (int64_t c = 0; c < s->n_scores; c++) {
        double a = s->coef[c * s->points.n + j]; /* a budget goes with plain */
        sum += a * a;
    }
    return sum * s->self[j];
}

/* One goes: never the newest, which is last. */
static void forget(struct streaming *w)
{
    struct smr_kperceptron_state *s = w->s;
    int64_t worst = 0, m = s->points.n;
    for (int64_t t = 1; t < m - 1; t++) {
        bool worse = w->p->forget == SMR_KPERCEPTRON_OLDEST ? s->touched[t] < s->touched[worst]
                                                            : size_of(s, t) < size_of(s, worst);
        if (worse) worst = t;
    }
    one_narrower(s->n_sums, m, worst, s->sums);
    one_narrower(s->n_scores, m, worst, s->coef);
    one_narrower(1, m, worst, s->touched);
    one_narrower(1, m, worst, s->self);
    smr_kernel_drop(&s->points, worst);
    s->forgotten++;
}

/* ---- rows ------------------------------------------------------------------------------- */

/* The coefficients of the newest point, for class c. */
static void change(struct streaming *w, int64_t c, double by)
{
    struct smr_kperceptron_state *s = w->s;
    int64_t m = s->points.n, q = s->n_scores;
    double moved[2] = {by, s->rows * by};
    for (int64_t k = 0; k < w->n / q; k++) {
        sums_of(s)[(k * q + c) * m + m - 1] += moved[k];
        if (w->p->fit_intercept) intercepts_of(s)[k * q + c] += moved[k];
    }
}

static smr_status learn_mistake(smr_ctx *ctx, struct streaming *w, const smr_rows *row,
                                int32_t label, int32_t rival, double weight)
{
    smr_status st = SMR_OK;
    struct smr_kperceptron_state *s = w->s;
    s->mistakes++;
    TRY(add_point(ctx, w, row));
    if (s->n_scores == 1) {
        change(w, 0, label == 1 ? weight : -weight);
    } else {
        change(w, label, weight);
        change(w, rival, -weight);
    }
    if (s->self && s->points.n > w->p->budget) forget(w);
    TRY(smr_kernel_prepare(ctx, &w->p->kernel, &s->points));
out:
    return st;
}

/* Scores of one row, in f; what predict would give, in out. */
static smr_status answer(smr_ctx *ctx, struct streaming *w, const smr_rows *row, double *out)
{
    smr_status st = SMR_OK;
    const struct smr_kperceptron_state *s = w->s;
    int64_t q = s->n_scores;
    TRY(smr_kernel_apply(ctx, &w->p->kernel, &s->points, row, sums_of(s), w->n, w->f, w->scratch));
    for (int64_t c = 0; c < w->n; c++) w->f[c] += intercepts_of(s)[c];
    if (!out) goto out;
    for (int64_t c = 0; c < q; c++)
        out[c] = w->f[c] - (s->sums && s->rows > 0 ? w->f[q + c] / s->rows : 0);
    smr_classifier_spread(s->n_classes, 1, SMR_OUTPUT_DECISION, out);
out:
    return st;
}

static smr_status learn_row(smr_ctx *ctx, struct streaming *w, const smr_rows *row, int32_t label,
                            double weight)
{
    smr_status st = SMR_OK;
    struct smr_kperceptron_state *s = w->s;
    int32_t rival = -1;
    double lead = s->n_scores == 1 ? (label == 1 ? w->f[0] : -w->f[0]) : w->f[label];
    for (int32_t c = 0; s->n_scores > 1 && c < s->n_scores; c++)
        if (c != label && (rival < 0 || w->f[c] > w->f[rival])) rival = c;
    if (rival >= 0) lead -= w->f[rival];
    if (!isfinite(lead))
        return smr_fail(ctx, SMR_ERR_DATA,
                        "kperceptron: the score of a row is not finite: the kernel's values are "
                        "too large; rescale the columns");
    if (!(lead > 0)) TRY(learn_mistake(ctx, w, row, label, rival, weight)); /* so is a tie */
    s->rows += weight;
out:
    return st;
}

/* What predict reads. */
static void settle(struct smr_kperceptron_state *s)
{
    int64_t q = s->n_scores, n = q * s->points.n;
    if (!s->sums || !(s->rows > 0)) return;
    for (int64_t k = 0; k < n; k++) s->coef[k] = s->sums[k] - s->sums[n + k] / s->rows;
    for (int64_t c = 0; c < q; c++)
        s->intercept[c] = s->sum_intercept[c] - s->sum_intercept[q + c] / s->rows;
}

smr_status smr_kperceptron_learn(smr_ctx *ctx, const void *params_, void *state_,
                                 const smr_rows *rows, const smr_truths *truths, double *out)
{
    struct smr_kperceptron_state *s = state_;
    struct streaming w = {.p = params_, .s = s};
    smr_status st = SMR_OK;
    bool averaged = w.p->variant == SMR_KPERCEPTRON_AVERAGED;
    bool limited = w.p->budget != SMR_UNSET_INT;
    if (averaged != (s->sums != NULL) || limited != (s->touched != NULL))
        return smr_fail(ctx, SMR_ERR_STATE,
                        "kperceptron: an older samara wrote this model, without what a stream "
                        "needs to go on; train it again");
    w.n = averaged ? s->n_sums : s->n_scores;
    TRY(smr_kernel_prepare(ctx, &w.p->kernel, &s->points));
    TRY_NEW(w.f, w.n);
    w.scratch = smr_alloc(ctx, smr_kernel_scratch(&w.p->kernel, &s->points, 1, w.n) + 1, 1);
    if (!w.scratch) TRY(SMR_ERR_NOMEM);
    for (int64_t i = 0; i < rows->n; i++) {
        smr_rows row = smr_rows_slice(rows, i, i + 1);
        double weight = truths->weight ? truths->weight[i] : 1;
        TRY(answer(ctx, &w, &row, out ? out + i * s->n_classes : NULL));
        if (weight > 0) TRY(learn_row(ctx, &w, &row, truths->label[i], weight));
    }
out:
    settle(s);
    smr_free(w.f);
    smr_free(w.scratch);
    return st;
}
