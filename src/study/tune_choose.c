/* tune_choose.c -- which trial wins: see tune.h.
 *
 * Of equal scores the simplest wins, and of equally simple ones the first.  Means that differ in
 * their last digits only are equal: they are sums of the same numbers in another order.
 *
 * The one-standard-error rule (Breiman, Friedman, Olshen & Stone 1984, 3.4.3): scores that differ
 * by less than their noise are equal, and among equals the simplest is taken.  The noise is that of
 * the best trial, sd / sqrt(rounds).  Simplicity is a number: each searched parameter that has a
 * simpler side adds its place between the simplest (0) and the least simple value tried (1), on the
 * scale it is searched on. */
#include "core/number.h"
#include "kernel/kernel.h"
#include "study/tune_parts.h"

#include <math.h>
#include <string.h>

static const double EQUAL = 1e-12; /* relative */

int64_t smr_tune_ties(const smr_tuning *t)
{
    const smr_rung *rung = &t->rungs[t->winner->rung];
    int64_t n = 0;
    for (int64_t i = 0; i < rung->n; i++) {
        const smr_trial *trial = &t->trials[rung->first + i];
        n += trial->state == SMR_TRIAL_DONE &&
             fabs(trial->mean - t->winner->mean) <= EQUAL * fabs(t->winner->mean);
    }
    return n;
}

const smr_trial *smr_tune_best(const smr_tuning *t)
{
    const smr_trial *best = NULL;
    for (int64_t r = t->n_rungs - 1; r >= 0 && !best; r--)
        for (int64_t i = 0; i < t->rungs[r].n; i++) {
            const smr_trial *trial = &t->trials[t->rungs[r].first + i];
            if (trial->state == SMR_TRIAL_DONE && (!best || smr_trial_better(t, trial, best)))
                best = trial;
        }
    return best;
}

bool smr_tune_can_simplify(const smr_space *space)
{
    for (int64_t d = 0; d < space->n_dims; d++)
        if (smr_address_last(space->dims[d].address)->param->simpler != SMR_SIMPLER_NONE)
            return true;
    return false;
}

/* The value of dim d on its scale; NaN where it is not read or not a number. */
static double place(const smr_space *space, const smr_space_point *point, int64_t d)
{
    const char *text = point->value[d];
    double x;
    if (!text || smr_parse_double(text, text + strlen(text), &x) != text + strlen(text)) return NAN;
    return space->dims[d].scale == SMR_SEARCH_LOG && x > 0 ? smr_log(x) : x;
}

/* Where the values tried lie, on the dim's scale. */
struct extent {
    double low, high;
};

static void measure_extents(const smr_tuning *t, struct extent *extents)
{
    for (int64_t d = 0; d < t->space->n_dims; d++) {
        extents[d] = (struct extent){INFINITY, -INFINITY};
        for (int64_t i = 0; i < t->points.n; i++) {
            double x = place(t->space, &t->points.at[i], d);
            if (isnan(x)) continue;
            extents[d].low = smr_fmin(extents[d].low, x);
            extents[d].high = smr_fmax(extents[d].high, x);
        }
    }
}

static double complexity(const smr_tuning *t, const smr_trial *trial, const struct extent *extents)
{
    double sum = 0;
    for (int64_t d = 0; d < t->space->n_dims; d++) {
        smr_simpler side = smr_address_last(t->space->dims[d].address)->param->simpler;
        double low = extents[d].low, high = extents[d].high, x = place(t->space, trial->point, d);
        if (side == SMR_SIMPLER_NONE || isnan(x) || !(high > low)) continue;
        double u = (x - low) / (high - low);
        sum += side == SMR_SIMPLER_LOW ? u : 1 - u;
    }
    return sum;
}

smr_status smr_tune_simplest(smr_ctx *ctx, const smr_tuning *t, const smr_trial *best,
                             const smr_trial **out)
{
    const smr_rung *rung = &t->rungs[best->rung];
    smr_status st = SMR_OK;
    struct extent *extents = NULL;
    *out = best;
    TRY_NEW(extents, t->space->n_dims);
    measure_extents(t, extents);
    double least = complexity(t, best, extents), within = EQUAL * fabs(best->mean);
    if (t->opts.one_se && !isnan(best->se)) within = best->se;
    for (int64_t i = 0; i < rung->n; i++) {
        const smr_trial *trial = &t->trials[rung->first + i];
        if (trial->state != SMR_TRIAL_DONE || !(fabs(trial->mean - best->mean) <= within)) continue;
        double c = complexity(t, trial, extents);
        if (c < least || (c == least && smr_trial_better(t, trial, *out))) {
            least = c;
            *out = trial;
        }
    }
out:
    smr_free(extents);
    return st;
}
