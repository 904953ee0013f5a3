/* majority_round.c -- the rounds of weighted majority and of hedge, and what they promise.
 *
 * With L_i the mistakes of expert i so far, counted by the rows' weights, its weight is
 *
 *     majority, random   beta^(L_i)                                                        (1)
 *     hedge              exp(-eta L_i),  eta = fixed, or 2 sqrt(ln k / (S + 1))             (2)
 *
 * so that the losses are all that must be kept, and nothing underflows: weights are taken relative
 * to the best expert's.  S is the sum of the squared weights of the rows so far (their number).
 *
 * Promises, for any sequence of rows and answers; m the least L_i, M the master's mistakes:
 *
 *     majority   M <= (log2 k + m log2(1/beta)) / log2(2 / (1 + beta))                      (3)
 *     random     E M <= (ln k + m ln(1/beta)) / (1 - beta)                                  (4)
 *     hedge      E M <= m + ln k / eta_T + sum_t eta_t w_t^2 / 8                            (5)
 *
 * (3) and (4) need row weights of at most 1.  With a largest weight B they hold for the weights
 * w / B and the factor beta^B, which are the same rounds: that is the bound that is shown.  (3)
 * holds for many classes too: where the plurality errs, the right class has at most half of the
 * weight.  (5) is sqrt(T ln k / 2) above m at the fixed rate sqrt(8 ln k / T), and at most
 * sqrt(T ln k) at the falling one.
 * Reference: Littlestone & Warmuth 1994; Freund & Schapire 1997; de Rooij, van Erven, Gruenwald &
 * Koolen, JMLR 15 (2014), lemma 2 for (5) with falling rates. */
#include "kernel/kernel.h"
#include "learn/ensemble/majority.h"

#include <math.h>
#include <string.h>

/* ---- weights ---------------------------------------------------------------------------- */

/* beta^x; for whole x by multiplications, so that halves stay exact and ties are ties. */
static double power(double beta, double x)
{
    if (x != floor(x) || x > 4096) return smr_pow(beta, x);
    double result = 1;
    for (int64_t n = (int64_t)x; n > 0; n /= 2) {
        if (n % 2) result *= beta;
        beta *= beta;
    }
    return result;
}

double smr_majority_rate(const struct smr_majority_params *p, const struct smr_majority_state *s)
{
    if (p->method != SMR_MAJORITY_HEDGE) return -smr_log(p->beta);
    if (s->fixed_rate > 0) return s->fixed_rate;
    return 2 * sqrt(smr_log((double)s->n_experts) / (s->squares + 1));
}

double smr_majority_best(const struct smr_majority_state *s, int64_t *which)
{
    int64_t best = 0;
    for (int64_t e = 1; e < s->n_experts; e++)
        if (s->loss[e] < s->loss[best]) best = e;
    if (which) *which = best;
    return s->loss[best];
}

void smr_majority_weights(const struct smr_majority_params *p, const struct smr_majority_state *s,
                          double *weight)
{
    double least = smr_majority_best(s, NULL), sum = 0, rate = smr_majority_rate(p, s);
    for (int64_t e = 0; e < s->n_experts; e++) {
        double behind = s->loss[e] - least;
        weight[e] =
            p->method == SMR_MAJORITY_HEDGE ? smr_exp(-rate * behind) : power(p->beta, behind);
        sum += weight[e];
    }
    for (int64_t e = 0; e < s->n_experts; e++) weight[e] /= sum;
}

void smr_majority_votes(const struct smr_majority_state *s, const double *weight,
                        const double *answers, double *votes)
{
    memset(votes, 0, (size_t)s->n_classes * sizeof *votes);
    for (int64_t e = 0; e < s->n_experts; e++) votes[(int64_t)answers[e]] += weight[e];
}

/* ---- a round ---------------------------------------------------------------------------- */

smr_status smr_majority_begin(smr_ctx *ctx, int64_t n_classes, int64_t n_experts,
                              struct smr_majority_state *s)
{
    smr_status st = SMR_OK;
    s->n_classes = n_classes;
    s->n_experts = n_experts;
    s->every = 1;
    s->room = SMR_MAJORITY_ROOM;
    s->n_curves = n_experts + 1;
    TRY_NEW(s->loss, n_experts);
    TRY_NEW(s->curve, s->room * s->n_curves);
out:
    return st;
}

/* When the room is full every other point goes. */
static void add_point(const struct smr_majority_params *p, struct smr_majority_state *s)
{
    size_t bytes = (size_t)s->n_curves * sizeof *s->curve;
    if (s->rounds % s->every) return;
    if (s->n_points == s->room) {
        s->n_points /= 2;
        for (int64_t i = 0; i < s->n_points; i++)
            memcpy(s->curve + i * s->n_curves, s->curve + (2 * i + 1) * s->n_curves, bytes);
        memset(s->curve + s->n_points * s->n_curves, 0, (size_t)(s->room - s->n_points) * bytes);
        s->every *= 2;
        if (s->rounds % s->every) return;
    }
    double *point = s->curve + s->n_points++ * s->n_curves;
    memcpy(point, s->loss, (size_t)s->n_experts * sizeof *point);
    point[s->n_experts] = p->method == SMR_MAJORITY_VOTE ? s->mistakes : s->expected;
}

void smr_majority_round(const struct smr_majority_params *p, struct smr_majority_state *s,
                        const double *answers, int32_t truth, double w, double *room, double *votes)
{
    int64_t chosen = 0;
    double rate = smr_majority_rate(p, s);
    smr_majority_weights(p, s, room);
    smr_majority_votes(s, room, answers, votes);
    if (w == 0) return;
    for (int64_t c = 1; c < s->n_classes; c++)
        if (votes[c] > votes[chosen]) chosen = c;
    s->mistakes += chosen != truth ? w : 0;
    s->expected += w * smr_fmax(0, 1 - votes[truth]);
    for (int64_t e = 0; e < s->n_experts; e++) s->loss[e] += (int64_t)answers[e] != truth ? w : 0;
    if (p->method == SMR_MAJORITY_HEDGE) {
        s->last_rate = rate;
        s->spread += rate * w * w;
    }
    s->total += w;
    s->squares += w * w;
    s->heaviest = smr_fmax(s->heaviest, w);
    s->rounds++;
    add_point(p, s);
}

/* ---- (3), (4), (5) ---------------------------------------------------------------------- */

double smr_majority_bound(const struct smr_majority_params *p, const struct smr_majority_state *s)
{
    double m = smr_majority_best(s, NULL), spread = smr_log((double)s->n_experts);
    if (s->rounds == 0) return 0;
    if (p->method == SMR_MAJORITY_HEDGE)
        return s->n_experts == 1 ? m : m + spread / s->last_rate + s->spread / 8;
    double B = s->heaviest, beta = smr_pow(p->beta, B);
    double potential = spread - m / B * smr_log(beta);
    if (p->method == SMR_MAJORITY_RANDOM) return B * potential / (1 - beta);
    return B * potential / smr_log(2 / (1 + beta));
}
