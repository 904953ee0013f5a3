/* ovo.c -- one against one: many classes from a learner for two, fitted for each pair of classes.
 *
 * The pairs' answers become those of the classes by votes or by coupling (couple.h).
 * A class without rows has no votes: decision -1, probability 0.  Two classes are passed on as they
 * are.  Cost: k (k - 1) / 2 fits, of 2 / k of the rows each. */
#include "learn/multi/couple.h"
#include "learn/multi/multi.h"

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
    smr_class_pairs pairs = {k, n, s->first, s->second};
    for (int64_t i = 0; i < rows->n; i++) {
        if (n == 0)
            alone(s, output, out + i * k);
        else if (output == SMR_OUTPUT_PROBA)
            smr_pairs_couple(&pairs, pair + i * n, place, system, out + i * k);
        else
            smr_pairs_vote(&pairs, pair + i * n, out + i * k);
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
