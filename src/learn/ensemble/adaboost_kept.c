/* adaboost_kept.c -- what boosting keeps of its rounds in a checkpoint: members, what is reported
 * about them, and the weights and scores of the rows. */
#include "learn/checkpoint.h"
#include "learn/ensemble/adaboost.h"

#include <string.h>

struct kept {
    int64_t n_rows, n_classes, n_rounds, n_marks, n_levels;
    double shift, reach;
    double *ln_weight, *score;
    double *alpha, *error, *ln_loss, *ln_bound, *train_error, *largest;
    int64_t *mark;
    double *margin;
    smr_members of;
};

#define ROUNDS(field_, doc_)                                                               \
    {                                                                                      \
        SMR_KEPT(struct kept, field_), .dims = {"n_rounds"}, .optional = true, .doc = doc_ \
    }

static const smr_state state[] = {
    {SMR_KEPT(struct kept, n_rows), .min = 1, .doc = "Rows."},
    {SMR_KEPT(struct kept, n_classes), .is = "classes", .doc = "Classes; 0: it predicts numbers."},
    {SMR_KEPT(struct kept, n_rounds), .min = 1, .doc = "Rounds that are done."},
    {SMR_KEPT(struct kept, n_marks), .max = SMR_ADABOOST_MARKS, .doc = "Rounds with margins."},
    {SMR_KEPT(struct kept, n_levels), .doc = "Quantiles of the margins."},
    {SMR_KEPT(struct kept, shift), .doc = "What ln_weight leaves out of the loss."},
    {SMR_KEPT(struct kept, reach), .doc = "By which margins are divided."},
    {SMR_KEPT(struct kept, ln_weight), .dims = {"n_rows"}, .doc = "Logarithms of the weights."},
    {SMR_KEPT(struct kept, score), .with = "classes", .dims = {"n_rows", "n_classes"},
     .optional = true, .doc = "Scores of the rows."},
    ROUNDS(alpha, "Weight of each member."),
    ROUNDS(error, "Its weighted error."),
    ROUNDS(ln_loss, "ln of the mean exponential loss after it."),
    ROUNDS(ln_bound, "ln of the product of the Z."),
    ROUNDS(train_error, "Of all members so far."),
    ROUNDS(largest, "Numbers: the largest error of the member."),
    {SMR_KEPT(struct kept, mark), .with = "classes", .dims = {"n_marks"}, .optional = true,
     .doc = "Rounds whose margins are kept."},
    {SMR_KEPT(struct kept, margin), .with = "classes", .dims = {"n_marks", "n_levels"},
     .optional = true, .doc = "Their quantiles."},
    {SMR_KEPT(struct kept, of), .same = true, .dims = {"n_rounds"}, .doc = "The members."},
};

static smr_status suspend(smr_ctx *ctx, void *work, void *kept_)
{
    const struct smr_boosting *b = work;
    const struct smr_adaboost_state *s = b->state;
    (void)ctx;
    *(struct kept *)kept_ = (struct kept){.n_rows = b->n,
                                          .n_classes = s->n_classes,
                                          .n_rounds = s->n_rounds,
                                          .n_marks = s->n_marks,
                                          .n_levels = s->n_levels,
                                          .shift = b->shift,
                                          .reach = b->reach,
                                          .ln_weight = b->ln_weight,
                                          .score = b->score,
                                          .alpha = s->alpha,
                                          .error = s->error,
                                          .ln_loss = s->ln_loss,
                                          .ln_bound = s->ln_bound,
                                          .train_error = s->train_error,
                                          .largest = s->largest,
                                          .mark = s->mark,
                                          .margin = s->margin,
                                          .of = {s->n_rounds, s->of.member}};
    return SMR_OK;
}

static bool fits(const struct kept *k, const struct smr_boosting *b)
{
    const struct smr_adaboost_state *s = b->state;
    bool classes = s->n_classes > 0;
    bool same = k->n_rows == b->n && k->n_classes == s->n_classes && k->n_levels == s->n_levels &&
                k->n_rounds < b->params->rounds && k->alpha && k->error && !k->largest == classes &&
                !k->ln_loss == !classes && !k->ln_bound == !classes &&
                !k->train_error == !classes && !k->mark == !classes && !k->margin == !classes &&
                !k->score == !classes;
    for (int64_t t = 0; t < k->of.n && same; t++) {
        const smr_shape *shape = &k->of.member[t].shape;
        same = shape->n_features == b->data->n_features && shape->task == b->data->task &&
               shape->n_outputs == b->data->n_outputs && shape->n_classes == s->n_classes;
    }
    return same;
}

static void copy(void *to, const void *from, int64_t n)
{
    if (to && n > 0) memcpy(to, from, (size_t)n * 8);
}

static smr_status resume(smr_ctx *ctx, void *kept_, void *work)
{
    struct smr_boosting *b = work;
    struct smr_adaboost_state *s = b->state;
    struct kept *k = kept_;
    if (!fits(k, b))
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "adaboost: the rounds of the checkpoint do not fit the data");
    s->n_rounds = k->n_rounds;
    s->n_marks = k->n_marks;
    b->shift = k->shift;
    b->reach = k->reach;
    copy(b->ln_weight, k->ln_weight, b->n);
    copy(b->score, k->score, b->n * s->n_classes);
    copy(s->alpha, k->alpha, s->n_rounds);
    copy(s->error, k->error, s->n_rounds);
    copy(s->ln_loss, k->ln_loss, s->n_rounds);
    copy(s->ln_bound, k->ln_bound, s->n_rounds);
    copy(s->train_error, k->train_error, s->n_rounds);
    copy(s->largest, k->largest, s->n_rounds);
    copy(s->mark, k->mark, s->n_marks);
    copy(s->margin, k->margin, s->n_marks * s->n_levels);
    memcpy(s->of.member, k->of.member, (size_t)k->of.n * sizeof *s->of.member);
    memset(k->of.member, 0, (size_t)k->of.n * sizeof *s->of.member);
    smr_adaboost_weigh(b);
    return SMR_OK;
}

const smr_can_resume smr_adaboost_resume = {.state = state,
                                            .n_state = SMR_COUNT(state),
                                            .state_size = sizeof(struct kept),
                                            .suspend = suspend,
                                            .resume = resume};
