/* ovo.c -- one against one: many classes from a learner for two, fitted for each pair of classes.
 *
 * votes: class c has as many votes as pairs that it wins (the lower class of a pair where its score
 * is 0), and the sum s of its scores decides among equals:
 *
 *     decision_c = votes_c + s_c / (3 (|s_c| + 1))                                              (1)
 *
 * coupling: with r_ab = P(a | a or b, x) of the members, the probabilities p that sum to 1 and
 * minimise sum_{a != b} (r_ba p_a - r_ab p_b)^2 (Wu, Lin & Weng's second method): with
 * Q_aa = sum_{b != a} r_ba^2, Q_ab = -r_ba r_ab they solve
 *
 *     Q p + e u = 0,  e'p = 1                                                                   (2)
 *
 * by elimination with pivots, k^3 / 3 multiply-adds per row.  r is kept 1e-7 away from 0 and 1, so
 * that Q is positive definite on sums of 0 and p >= 0.
 * A class without rows has no votes: decision -1, probability 0.  Two classes are passed on as they
 * are.  Cost: k (k - 1) / 2 fits, of 2 / k of the rows each.  Reference: Wu, Lin & Weng, JMLR
 * 5:975-1005, 2004. */
#include "learn/multi/multi.h"

#include <math.h>
#include <string.h>

enum { BY_COUPLING, BY_VOTES };

struct ovo_params {
    smr_specs of;
    int by;
};

static const smr_choice ways[] = {
    {"coupling",
     "the probabilities that agree best with those of the pairs, if learners give them"},
    {"votes", "the class that wins the most pairs"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct ovo_params, of), .grammar = &smr_sentences, .least = 1, .most = 1,
     .member_tasks = SMR_DOES_CLASSIFY, .doc = "The learner that separates two classes."},
    {SMR_FIELD(struct ovo_params, by), .choices = ways, .search = SMR_SEARCH_VALUES,
     .doc = "How the pairwise decisions are combined."},
};

static const smr_state state[] = {SMR_MULTI_STATE};

/* ---- fit -------------------------------------------------------------------------------- */

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct ovo_params *p = params_;
    return smr_multi_fit(ctx, "ovo", &p->of, data, true, state_, report);
}

/* ---- votes: (1) ------------------------------------------------------------------------- */

/* Pairs' scores of a row -> decisions. */
static void count_votes(const struct smr_multi_state *s, const double *pair, double *out)
{
    for (int64_t c = 0; c < s->n_classes; c++) {
        double votes = 0, sum = 0;
        for (int64_t m = 0; m < s->n_members; m++) {
            bool is_first = s->first[m] == c, is_second = s->second[m] == c;
            if (is_first) {
                votes += !(pair[m] > 0);
                sum -= pair[m];
            } else if (is_second) {
                votes += pair[m] > 0;
                sum += pair[m];
            }
        }
        out[c] = s->present[c] ? votes + sum / (3 * (fabs(sum) + 1)) : -1;
    }
}

/* ---- coupling: (2) ---------------------------------------------------------------------- */

/* Q and the border of ones, n + 1 columns and the right side, from the pairs' probabilities of
 * their second class; place[c]: the position of class c among those present. */
static void fill_system(const struct smr_multi_state *s, const double *pair, int64_t n,
                        const int64_t *place, double *a)
{
    int64_t w = n + 2;
    memset(a, 0, (size_t)((n + 1) * w) * sizeof *a);
    for (int64_t m = 0; m < s->n_members; m++) {
        int64_t i = place[s->first[m]], j = place[s->second[m]];
        double r_ji = smr_fmin(smr_fmax(pair[m], 1e-7), 1 - 1e-7), r_ij = 1 - r_ji;
        a[i * w + i] += r_ji * r_ji;
        a[j * w + j] += r_ij * r_ij;
        a[i * w + j] = a[j * w + i] = -r_ji * r_ij;
    }
    for (int64_t i = 0; i < n; i++) a[i * w + n] = a[n * w + i] = 1;
    a[n * w + n + 1] = 1;
}

/* Solves the rows of a (n x (n + 1)) in place; the answers end up in the last column. */
static void solve(int64_t n, double *a)
{
    int64_t w = n + 1;
    for (int64_t c = 0; c < n; c++) {
        int64_t p = c;
        for (int64_t i = c + 1; i < n; i++)
            if (fabs(a[i * w + c]) > fabs(a[p * w + c])) p = i;
        for (int64_t j = c; j < w && p != c; j++) {
            double t = a[c * w + j];
            a[c * w + j] = a[p * w + j];
            a[p * w + j] = t;
        }
        for (int64_t i = c + 1; i < n; i++) {
            double by = a[i * w + c] / a[c * w + c];
            for (int64_t j = c; j < w && by != 0; j++) a[i * w + j] -= by * a[c * w + j];
        }
    }
    for (int64_t c = n - 1; c >= 0; c--) {
        double x = a[c * w + n];
        for (int64_t j = c + 1; j < n; j++) x -= a[c * w + j] * a[j * w + n];
        a[c * w + n] = x / a[c * w + c];
    }
}

static void couple(const struct smr_multi_state *s, const double *pair, int64_t *place, double *a,
                   double *out)
{
    int64_t n = 0;
    double sum = 0;
    for (int64_t c = 0; c < s->n_classes; c++) place[c] = s->present[c] ? n++ : -1;
    fill_system(s, pair, n, place, a);
    solve(n + 1, a);
    for (int64_t c = 0; c < s->n_classes; c++) {
        out[c] = s->present[c] ? smr_fmax(0, a[place[c] * (n + 2) + n + 1]) : 0;
        sum += out[c];
    }
    for (int64_t c = 0; c < s->n_classes; c++) out[c] /= sum;
}

/* ---- predict ---------------------------------------------------------------------------- */

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    (void)params_, (void)shape;
    return smr_multi_check(ctx, "ovo", state_, true);
}

static unsigned gives_with(const void *params_, const void *state_)
{
    const struct ovo_params *p = params_;
    bool no = p->by == BY_VOTES || (state_ && !smr_multi_gives(state_, SMR_OUTPUT_PROBA));
    return no ? ~(unsigned)SMR_GIVES_PROBA : ~0u;
}

static int64_t round_up(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* The pairs' answers of n rows, places of the classes and the system of one row, the members'. */
static int64_t scratch(const void *params_, const void *state_, int64_t n)
{
    const struct smr_multi_state *s = state_;
    int64_t k = s->n_classes;
    (void)params_;
    return round_up(8 * n * s->n_members) + round_up(8 * k) + round_up(8 * (k + 1) * (k + 2)) +
           smr_multi_scratch(s, n);
}

static void alone(const struct smr_multi_state *s, smr_output output, double *out)
{
    for (int64_t c = 0; c < s->n_classes; c++)
        out[c] = s->present[c] ? 1 : output == SMR_OUTPUT_PROBA ? 0 : -1;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch_)
{
    const struct smr_multi_state *s = state_;
    smr_status st = SMR_OK;
    int64_t k = s->n_classes, n = s->n_members;
    double *pair = scratch_;
    char *rest = (char *)scratch_ + round_up(8 * rows->n * n);
    int64_t *place = (int64_t *)(void *)rest;
    double *system = (double *)(void *)(rest += round_up(8 * k));
    rest += round_up(8 * (k + 1) * (k + 2));
    (void)params_;
    if (s->as_it_is) return smr_multi_hand_on(ctx, s, rows, output, out, rest);
    for (int64_t m = 0; m < n; m++)
        TRY(smr_multi_score(ctx, s, m, rows, output, pair + m, n, rest));
    for (int64_t i = 0; i < rows->n; i++) {
        if (n == 0)
            alone(s, output, out + i * k);
        else if (output == SMR_OUTPUT_PROBA)
            couple(s, pair + i * n, place, system, out + i * k);
        else
            count_votes(s, pair + i * n, out + i * k);
    }
out:
    return st;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "ovo",
    .synonyms = "one_vs_one OneVsOneClassifier",
    .family = "multi",
    .title = "One against one",
    .brief = "Extends a two-class learner to many classes: one learner for each pair of classes.",
    .objective =
        "the class with the most votes of the pairs, or the probabilities p with the least sum "
        "(r_ba p_a - r_ab p_b)^2",
    .details =
        "One member is fitted for each pair of classes that have rows, on the rows of these two. "
        "If the learner gives probabilities, those of the classes are coupled from the pairs and "
        "decide; otherwise, and with by=votes, the class that wins the most pairs does, among "
        "equals the one with the highest sum of scores. A class without rows is never chosen. "
        "With two classes the learner is used as it is. In tune the learner's parameters are "
        "addressed as of.l2. From four pairs on the members are fitted in parallel, each with "
        "one thread.",
    .reference = "Wu, Lin & Weng, JMLR 5 (2004)",
    .example = "samara train \"ovo of=(standardize | sgd hinge)\" data/iris.csv --target species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct ovo_params),
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_multi_state),
    .gives = SMR_GIVES_PROBA | SMR_GIVES_DECISION,
    .gives_with = gives_with,
    .check = check,
    .predict = predict,
    .scratch = scratch,
    .describe = smr_multi_describe,
};

const smr_learner smr_ovo = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY,
    .takes = SMR_TAKES_ANYTHING & ~SMR_TAKES_MANY_TARGETS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
};
