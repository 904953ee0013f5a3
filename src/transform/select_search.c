/* select_search.c -- search and score: subsets of features, judged by a learner's error.
 *
 *     forward     d, d - 1, ... candidates per step, each the features so far and one more
 *     backward    the features so far, less one
 *     exhaustive  all 2^d - 1 subsets, or all of k features
 *
 * The score of a subset is its error (select_judge.h) and `penalty` for each feature.  Without k
 * the search goes on while the score gets better by more than `improve` (backward: while it gets
 * worse by no more), and `patience` steps longer; the best subset on the way is kept, among equals
 * the smaller.  The candidates of a step are judged in parallel, each on its own; of equal ones the
 * first feature is added, the last one dropped. */
#include "core/parallel.h"
#include "core/span.h"
#include "transform/select_judge.h"

#include <math.h>
#include <string.h>

struct searching {
    const struct smr_select_params *p;
    struct smr_select_state *s;
    struct smr_judge judge;
    int64_t d, n;
    bool *in;       /* d: in the subset */
    int32_t *trial; /* d: candidates of a step */
    double *score;  /* of each */
    uint32_t *mask; /* exhaustive: the subsets */
    int64_t n_trials;
};

static const char WHAT[] = "trying features";

/* ---- judging a step --------------------------------------------------------------------- */

/* The subset with feature c the other way. */
static smr_status judge_change(smr_ctx *ctx, void *arg, int64_t t, int lane)
{
    struct searching *f = arg;
    smr_status st = SMR_OK;
    int32_t *column = NULL;
    int64_t n = 0;
    (void)lane;
    TRY_NEW(column, f->d + 1);
    for (int64_t j = 0; j < f->d; j++) {
        bool in = f->mask ? f->mask[t] >> j & 1 : f->in[j] != (j == f->trial[t]);
        if (in) column[n++] = (int32_t)j;
    }
    if (f->mask)
        TRY(smr_judge_score(ctx, &f->judge, n, column, &f->score[t]));
    else
        TRY(smr_judge_change(ctx, &f->judge, f->trial[t], n, column, &f->score[t]));
out:
    smr_free(column);
    return st;
}

static smr_status judge_trials(smr_ctx *ctx, struct searching *f)
{
    f->s->n_fits += f->n_trials * f->judge.fits;
    return smr_parallel(ctx, WHAT, f->n_trials, judge_change, f);
}

/* Candidates: the features that are in, or those that are not; the judge knows what is in. */
static smr_status list_trials(smr_ctx *ctx, struct searching *f, bool in)
{
    smr_status st = SMR_OK;
    int32_t *column = NULL;
    int64_t n = 0;
    TRY_NEW(column, f->d + 1);
    f->n_trials = 0;
    for (int64_t j = 0; j < f->d; j++) {
        if (f->in[j] == in) f->trial[f->n_trials++] = (int32_t)j;
        if (f->in[j]) column[n++] = (int32_t)j;
    }
    TRY(smr_judge_fix(ctx, &f->judge, n, column));
out:
    smr_free(column);
    return st;
}

static int64_t best_trial(const struct searching *f, bool last_of_equals)
{
    int64_t best = 0;
    for (int64_t t = 1; t < f->n_trials; t++) {
        bool better = f->score[t] < f->score[best];
        if (better || (last_of_equals && f->score[t] == f->score[best])) best = t;
    }
    return best;
}

/* ---- forward and backward --------------------------------------------------------------- */

/* The features whose loss raises the score most score highest; in a search's first step each
 * feature has the score of that step. */
static void keep_scores(struct searching *f)
{
    if (f->s->n_steps > 0) return;
    for (int64_t t = 0; t < f->n_trials; t++) f->s->score[f->trial[t]] = f->score[t];
}

/* Trials of a search from the features that are in to `last` of them. */
static int64_t count_trials(const struct searching *f, bool forward, int64_t last)
{
    int64_t n = 0;
    for (int64_t k = f->n; forward ? k < last : k > last; k += forward ? 1 : -1)
        n += forward ? f->d - k : k;
    return n;
}

static smr_status go(smr_ctx *ctx, struct searching *f, bool forward, double start, bool *kept)
{
    smr_status st = SMR_OK;
    double best = start;
    int64_t stale = 0, tried = 0, last = f->p->k > 0 ? f->p->k : forward ? f->d : 1;
    smr_span span;
    smr_span_open(ctx, &span, WHAT, count_trials(f, forward, last));
    memcpy(kept, f->in, (size_t)f->d * sizeof *kept);
    while (forward ? f->n < last : f->n > last) {
        TRY(list_trials(ctx, f, !forward));
        TRY(smr_span_from(ctx, &span, tried, best));
        TRY(judge_trials(ctx, f));
        tried += f->n_trials;
        keep_scores(f);
        int64_t t = best_trial(f, !forward);
        int32_t j = f->trial[t];
        f->in[j] = forward;
        f->n += forward ? 1 : -1;
        TRY(smr_select_note(ctx, f->s, forward ? j : -1 - j, f->n, f->score[t]));
        bool better =
            forward ? f->score[t] < best - f->p->improve : f->score[t] <= best + f->p->improve;
        if (better || f->p->k > 0) {
            best = forward ? f->score[t] : smr_fmin(best, f->score[t]);
            stale = 0;
            memcpy(kept, f->in, (size_t)f->d * sizeof *kept);
        } else if (++stale > f->p->patience) {
            break;
        }
    }
out:
    smr_span_close(ctx, &span);
    return st;
}

static smr_status go_backward(smr_ctx *ctx, struct searching *f, bool *kept)
{
    smr_status st = SMR_OK;
    int32_t *all = NULL;
    double start = 0;
    TRY_NEW(all, f->d);
    for (int64_t j = 0; j < f->d; j++) {
        all[j] = (int32_t)j;
        f->in[j] = true;
    }
    f->n = f->d;
    TRY(smr_judge_score(ctx, &f->judge, f->d, all, &start));
    f->s->n_fits += f->judge.fits;
    TRY(go(ctx, f, false, start, kept));
out:
    smr_free(all);
    return st;
}

/* ---- all subsets ------------------------------------------------------------------------ */

static int64_t size_of(uint32_t mask)
{
    int64_t n = 0;
    for (; mask; mask &= mask - 1) n++;
    return n;
}

/* The best subset of each size is a step of the path; the best of all, among equals the smaller, is
 * kept. */
static smr_status take_best(smr_ctx *ctx, struct searching *f, bool *kept)
{
    smr_status st = SMR_OK;
    int64_t best = -1;
    for (int64_t k = 1; k <= f->d; k++) {
        int64_t of_size = -1;
        for (int64_t t = 0; t < f->n_trials; t++) {
            if (size_of(f->mask[t]) != k) continue;
            if (of_size < 0 || f->score[t] < f->score[of_size]) of_size = t;
        }
        if (of_size < 0) continue;
        TRY(smr_select_note(ctx, f->s, (int32_t)f->mask[of_size], k, f->score[of_size]));
        if (best < 0 || f->score[of_size] < f->score[best]) best = of_size;
    }
    for (int64_t t = 0; t < f->n_trials; t++)
        for (int64_t j = 0; j < f->d; j++)
            if (f->mask[t] == 1u << j) f->s->score[j] = f->score[t]; /* each alone */
    for (int64_t j = 0; j < f->d; j++) kept[j] = f->mask[best] >> j & 1;
out:
    return st;
}

static smr_status try_all(smr_ctx *ctx, struct searching *f, bool *kept)
{
    smr_status st = SMR_OK;
    if (f->d > SMR_SELECT_EXHAUSTIVE_MOST)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "select: exhaustive tries all subsets of up to %d features, and there are "
                        "%lld; use forward or backward",
                        SMR_SELECT_EXHAUSTIVE_MOST, (long long)f->d);
    uint32_t end = 1u << f->d;
    TRY_NEW(f->mask, end);
    for (uint32_t m = 1; m < end; m++)
        if (f->p->k == 0 || size_of(m) == f->p->k) f->mask[f->n_trials++] = m;
    smr_free(f->score);
    TRY_NEW(f->score, f->n_trials);
    TRY(judge_trials(ctx, f));
    TRY(take_best(ctx, f, kept));
out:
    return st;
}

smr_status smr_select_search(smr_ctx *ctx, const struct smr_select_params *p, const smr_data *data,
                             struct smr_select_state *s, bool *kept)
{
    smr_status st = SMR_OK;
    struct searching f = {.p = p, .s = s, .d = data->n_features};
    TRY_NEW(f.in, f.d);
    TRY_NEW(f.trial, f.d);
    TRY_NEW(f.score, f.d);
    TRY(smr_judge_create(ctx, p, data, &f.judge));
    s->baseline = f.judge.baseline;
    if (p->by == SMR_SELECT_FORWARD)
        TRY(go(ctx, &f, true, f.judge.baseline, kept));
    else if (p->by == SMR_SELECT_BACKWARD)
        TRY(go_backward(ctx, &f, kept));
    else
        TRY(try_all(ctx, &f, kept));
out:
    smr_judge_release(&f.judge);
    smr_free(f.in);
    smr_free(f.trial);
    smr_free(f.score);
    smr_free(f.mask);
    return st;
}
