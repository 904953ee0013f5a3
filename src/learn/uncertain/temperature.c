/* temperature.c -- see maps.h. */
#include "learn/uncertain/maps.h"

#include "kernel/kernel.h"

#include <math.h>

enum { MOST_STEPS = 200 };
static const double TOLERANCE = 1e-12;

void smr_softmax(int64_t k, const double *z, double beta, double *out)
{
    double most = z[0], sum = 0;
    for (int64_t c = 1; c < k; c++) most = smr_fmax(most, z[c]);
    for (int64_t c = 0; c < k; c++) {
        out[c] = smr_exp(beta * (z[c] - most));
        sum += out[c];
    }
    for (int64_t c = 0; c < k; c++) out[c] /= sum;
}

/* With d_c = z_c - z_label: loss = log sum_c exp(beta d_c), slope = E[d], curvature = Var[d]. */
double smr_temperature_loss(const smr_logits *r, double beta, double *slope, double *curvature)
{
    double loss = 0;
    *slope = *curvature = 0;
    for (int64_t i = 0; i < r->n; i++) {
        const double *row = r->z + i * r->k;
        double right = row[r->label[i]], most = row[0], sum = 0, first = 0, second = 0;
        double w = r->weight ? r->weight[i] : 1;
        for (int64_t c = 1; c < r->k; c++) most = smr_fmax(most, row[c]);
        for (int64_t c = 0; c < r->k; c++) {
            double d = row[c] - right, e = smr_exp(beta * (row[c] - most));
            sum += e;
            first += e * d;
            second += e * d * d;
        }
        first /= sum;
        loss += w * (beta * (most - right) + smr_log(sum));
        *slope += w * first;
        *curvature += w * smr_fmax(0, second / sum - first * first);
    }
    return loss;
}

/* The least positive distance from the right score to the highest other one; 0 when some row is
 * wrong, INFINITY when no two scores differ. */
static double least_margin(const smr_logits *r)
{
    double least = INFINITY;
    for (int64_t i = 0; i < r->n; i++) {
        if (r->weight && !(r->weight[i] > 0)) continue;
        const double *row = r->z + i * r->k;
        double other = -INFINITY;
        for (int64_t c = 0; c < r->k; c++)
            if (c != r->label[i]) other = smr_fmax(other, row[c]);
        if (other > row[r->label[i]]) return 0;
        if (row[r->label[i]] > other) least = smr_fmin(least, row[r->label[i]] - other);
    }
    return least;
}

/* Newton inside [lo, hi], where the slope changes its sign; hi is found by doubling. */
smr_status smr_temperature_fit(smr_ctx *ctx, const smr_logits *r, double *beta, smr_step_fn step,
                               void *user)
{
    smr_status st = SMR_OK;
    double total = 0, slope, curvature, lo = 0, hi = INFINITY, at = 1;
    for (int64_t i = 0; i < r->n; i++) total += r->weight ? r->weight[i] : 1;
    double margin = least_margin(r);
    double loss = smr_temperature_loss(r, 0, &slope, &curvature);
    if (margin > 0 || slope >= 0) {
        *beta = margin == INFINITY ? 1 : margin > 0 ? smr_log(total + 1) / margin : 0;
        loss = smr_temperature_loss(r, *beta, &slope, &curvature);
        return step ? step(ctx, user, loss) : SMR_OK;
    }
    for (int t = 0; t < MOST_STEPS; t++) {
        loss = smr_temperature_loss(r, at, &slope, &curvature);
        if (step) TRY(step(ctx, user, loss));
        if (slope < 0)
            lo = at;
        else
            hi = at;
        double next = at - slope / curvature;
        if (!(next > lo && next < hi)) next = hi < INFINITY ? lo + (hi - lo) / 2 : 2 * at;
        if (fabs(next - at) <= TOLERANCE * at || slope == 0) break;
        at = next;
    }
    *beta = at;
out:
    return st;
}
