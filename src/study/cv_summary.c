/* cv_summary.c -- mean, spread and interval of the rounds' scores: see cv.h.
 *
 * The rounds of a cross-validation share training rows, so that their scores are not independent
 * and sd / sqrt(n) is too small.  With r the ratio of measured to fitted rows,
 *
 *     se = sd * sqrt(1/n + r)
 *
 * makes up for the correlation that cannot be estimated from the rounds.
 * Reference: Nadeau & Bengio, "Inference for the generalization error", Machine Learning 52,
 * 2003. */
#include "math/special.h"
#include "study/cv_plan.h"

#include <math.h>
#include <string.h>

/* Mean and standard deviation of the defined values among n, `stride` apart; returns how many. */
static int64_t moments(const double *x, int64_t n, int64_t stride, double *mean, double *sd)
{
    int64_t used = 0;
    double sum = 0, error = 0, square = 0;
    for (int64_t i = 0; i < n; i++) {
        double v = x[i * stride];
        if (isnan(v)) continue;
        used++;
        sum += v;
    }
    *mean = used ? sum / (double)used : NAN;
    for (int64_t i = 0; i < n; i++) {
        double d = x[i * stride] - *mean;
        if (isnan(d)) continue;
        error += d;
        square += d * d;
    }
    *sd = used > 1 && isfinite(*mean)
              ? sqrt(smr_fmax(0, (square - error * error / (double)used) / (double)(used - 1)))
              : NAN;
    return used;
}

smr_cv_summary smr_cv_summary_of(const double *x, int64_t n, int64_t stride, double test_over_train,
                                 double confidence)
{
    smr_cv_summary s = {.se = NAN, .low = NAN, .high = NAN};
    s.n = moments(x, n, stride, &s.mean, &s.sd);
    if (s.n < 2) return s;
    s.se = s.sd * sqrt(1 / (double)s.n + test_over_train);
    double half = s.se == 0 ? 0 : s.se * smr_t_quantile(0.5 + confidence / 2, (double)(s.n - 1));
    s.low = s.mean - half;
    s.high = s.mean + half;
    return s;
}

void smr_cv_summary_bound(smr_cv_summary *s, const smr_measure *measure)
{
    double least, most;
    smr_measure_bounds(measure, &least, &most);
    if (s->low < least) s->low = least;
    if (s->high > most) s->high = most;
}

smr_cv_summary smr_cv_summarize(const smr_cv_plan *plan, const smr_cv_scores *scores,
                                int64_t measure, double confidence)
{
    smr_cv_summary s = smr_cv_summary_of(scores->score + measure, scores->n_rounds,
                                         scores->n_measures, plan->test_over_train, confidence);
    smr_cv_summary_bound(&s, scores->measures[measure]);
    return s;
}

double smr_cv_test_over_train(const smr_cv_plan *plan)
{
    return plan->test_over_train;
}

int64_t smr_cv_find(const smr_cv_scores *scores, const char *name)
{
    for (int64_t m = 0; m < scores->n_measures; m++)
        if (strcmp(scores->measures[m]->name, name) == 0) return m;
    return -1;
}

void smr_cv_scores_release(smr_cv_scores *s)
{
    smr_free(s->measures);
    smr_free(s->score);
    smr_free(s->fitted);
    smr_free(s->train_score);
    smr_free(s->pooled);
    smr_free(s->n_test);
    smr_free(s->fit_seconds);
    smr_free(s->predict_seconds);
    smr_free(s->prediction);
    smr_free(s->round_of);
    *s = (smr_cv_scores){0};
}
