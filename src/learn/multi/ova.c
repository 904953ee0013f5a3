/* ova.c -- one against all: many classes from any learner for two.
 *
 * For each class c a member is fitted on all rows, c against the others.  The class with the
 * highest score wins, among equals the lowest class.  Scores are the members' decisions, or their
 * probabilities less 1/2; PROBA is the members' probabilities divided by their sum, equal shares
 * where all are 0.  Scores of members are comparable only as far as they share a scale: a margin
 * in one problem need not be a margin in another.  A class without rows has probability 0 and the
 * lowest score less 1; where one class alone has rows it has score 1 and the others -1.  Cost: k
 * fits of all n rows; members are fitted side by side.  Memory: 12 n bytes per fit.  Reference:
 * Rifkin & Klautau, JMLR 5:101-141, 2004. */
#include "learn/multi/multi.h"

#include <math.h>

struct ova_params {
    smr_specs of;
};

static const smr_param params[] = {
    {SMR_FIELD(struct ova_params, of), .grammar = &smr_sentences, .least = 1, .most = 1,
     .member_tasks = SMR_DOES_CLASSIFY,
     .doc = "The learner that separates one class from the others."},
};

static const smr_state state[] = {SMR_MULTI_STATE};

/* ---- fit -------------------------------------------------------------------------------- */

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct ova_params *p = params_;
    return smr_multi_fit(ctx, "ova", &p->of, data, false, state_, report);
}

/* ---- predict ---------------------------------------------------------------------------- */

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    (void)params_, (void)shape;
    return smr_multi_check(ctx, "ova", state_, false);
}

static unsigned gives_with(const void *params_, const void *state_)
{
    (void)params_;
    return state_ && !smr_multi_gives(state_, SMR_OUTPUT_PROBA) ? ~(unsigned)SMR_GIVES_PROBA : ~0u;
}

static int64_t scratch(const void *params_, const void *state_, int64_t n)
{
    (void)params_;
    return smr_multi_scratch(state_, n);
}

/* Scores or probabilities of the classes that have members -> of all. */
static void finish_row(const struct smr_multi_state *s, smr_output output, double *row)
{
    double least = INFINITY, sum = 0;
    int64_t k = s->n_classes;
    bool is_proba = output == SMR_OUTPUT_PROBA;
    for (int64_t c = 0; c < k; c++) {
        if (s->n_members == 0) row[c] = s->present[c] ? 1 : is_proba ? 0 : -1;
        if (!s->present[c]) continue;
        least = smr_fmin(least, row[c]);
        sum += row[c];
    }
    for (int64_t c = 0; c < k && s->n_members > 0; c++) {
        if (!s->present[c])
            row[c] = is_proba ? 0 : least - 1;
        else if (is_proba)
            row[c] = sum > 0 ? row[c] / sum : 1 / (double)s->n_members;
    }
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch_)
{
    const struct smr_multi_state *s = state_;
    smr_status st = SMR_OK;
    (void)params_;
    if (s->as_it_is) return smr_multi_hand_on(ctx, s, rows, output, out, scratch_);
    for (int64_t m = 0; m < s->n_members; m++)
        TRY(smr_multi_score(ctx, s, m, rows, output, out + s->second[m], s->n_classes, scratch_));
    for (int64_t i = 0; i < rows->n; i++) finish_row(s, output, out + i * s->n_classes);
out:
    return st;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "ova",
    .synonyms = "ovr one_vs_rest OneVsRestClassifier",
    .family = "multi",
    .title = "One against all",
    .brief = "Extends a two-class learner to many classes: each class against all others.",
    .objective = "the class whose own learner gives the highest score",
    .details =
        "One member is fitted for each class that has rows. Probabilities, if the learner gives "
        "them, are divided by their sum; in a tie the lowest class wins. A class without rows is "
        "never chosen. With two classes the learner is used as it is. In tune the learner's "
        "parameters are addressed as of.l2. From four classes on the members are fitted in "
        "parallel, each with one thread.",
    .reference = "Rifkin & Klautau, JMLR 5 (2004)",
    .example =
        "samara train \"standardize | ova of=(sgd logistic)\" data/iris.csv --target species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct ova_params),
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

const smr_learner smr_ova = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY,
    .takes = SMR_TAKES_ANYTHING & ~SMR_TAKES_MANY_TARGETS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
};
