/* member_stream.c -- members that learn from a stream: see member.h. */
#include "learn/member.h"

#include "core/number.h"
#include "learn/chain.h"
#include "learn/spec.h"
#include "learn/stages.h"
#include "learn/state.h"

/* ---- beginning -------------------------------------------------------------------------- */

/* Features that are numbers, named by their position. */
static smr_status number_features(smr_ctx *ctx, int64_t n, smr_feature **out)
{
    smr_status st = SMR_OK;
    TRY_NEW(*out, n + 1);
    for (int64_t j = 0; j < n; j++) {
        char name[SMR_NUMBER_MAX];
        smr_format_double((double)j, name);
        (*out)[j] = (smr_feature){.kind = SMR_NUMBER, .stride = 1};
        (*out)[j].name = smr_strdup(ctx, name);
        if (!(*out)[j].name) return SMR_ERR_NOMEM;
    }
out:
    return st;
}

smr_status smr_member_begin(smr_ctx *ctx, const char *sentence, const smr_shape *shape,
                            smr_member *member)
{
    static const double some = 1; /* there will be weights; none is read */
    smr_status st = SMR_OK;
    smr_member m = {.shape = {.n_features = shape->n_features,
                              .task = shape->task,
                              .n_outputs = shape->n_outputs,
                              .n_classes = shape->n_classes}};
    smr_feature *numbers = NULL;
    smr_data like = {.size = sizeof like,
                     .n_features = shape->n_features,
                     .features = shape->features,
                     .task = shape->task,
                     .n_outputs = shape->n_outputs,
                     .n_classes = shape->n_classes,
                     .gaps_in_numbers = shape->gaps_in_numbers,
                     .gaps_in_categories = shape->gaps_in_categories,
                     .weight = shape->weighted ? &some : NULL};
    if (!shape->features) TRY(number_features(ctx, shape->n_features, &numbers));
    if (!shape->features) like.features = numbers;
    TRY(smr_spec_parse(ctx, sentence, &m.stages, &m.n_stages));
    TRY(smr_stages_begin(ctx, &m.stages, &m.n_stages, 0, like.features, &like));
    *member = m;
    m = (smr_member){0};
out:
    smr_features_free(numbers, shape->n_features);
    smr_member_release(&m);
    return st;
}

bool smr_member_learns(const smr_member *m)
{
    for (int64_t s = 0; s < m->n_stages; s++)
        if (!m->stages[s].learner->stream) return false;
    return true;
}

smr_output smr_member_answer(const smr_member *m)
{
    unsigned gives = smr_member_gives(m);
    if (m->shape.task != SMR_TASK_CLASSIFY) return SMR_OUTPUT_VALUE;
    return gives & SMR_GIVES_PROBA ? SMR_OUTPUT_PROBA : SMR_OUTPUT_DECISION;
}

/* ---- learning --------------------------------------------------------------------------- */

/* What a stage hands to the next: a dense block or sparse rows. */
struct handed {
    double *dense;
    smr_entries sparse;
};

static void release_handed(struct handed *h)
{
    smr_free(h->dense);
    smr_entries_release(&h->sparse);
    *h = (struct handed){0};
}

static bool hands_sparse(const smr_member *m, int64_t s, bool from_sparse)
{
    return smr_stage_is_sparse(&m->stages[s], from_sparse) &&
           (smr_stage_takes(&m->stages[s + 1]) & SMR_TAKES_SPARSE);
}

/* Sparse rows of a transform, each learned before it is answered. */
static smr_status pass_sparse(smr_ctx *ctx, const smr_member *m, int64_t s, smr_rows *rows,
                              const smr_truths *truths, struct handed *to)
{
    smr_status st = SMR_OK;
    const smr_stage *stage = &m->stages[s];
    const smr_learner *l = stage->learner;
    char *scratch = NULL;
    TRY_NEW(scratch,
            (l->fitted->scratch ? l->fitted->scratch(stage->params, stage->state, 1) : 0) + 1);
    TRY(smr_entries_begin(ctx, &to->sparse, rows->n));
    for (int64_t i = 0; i < rows->n; i++) {
        smr_rows one = smr_rows_slice(rows, i, i + 1);
        smr_truths its = {.y = truths->y ? truths->y + i * m->shape.n_outputs : NULL,
                          .label = truths->label ? truths->label + i : NULL,
                          .weight = truths->weight ? truths->weight + i : NULL};
        TRY(l->stream->learn(ctx, stage->params, stage->state, &one, &its, NULL));
        TRY(l->fitted->transform->append(ctx, stage->params, stage->state, &one, &to->sparse,
                                         scratch));
    }
    rows->form = SMR_FORM_SPARSE;
    rows->start = to->sparse.start;
    rows->column = to->sparse.column;
    rows->value = to->sparse.value;
    rows->d = stage->n_out;
out:
    smr_free(scratch);
    return st;
}

static smr_status pass_dense(smr_ctx *ctx, const smr_member *m, int64_t s, smr_rows *rows,
                             const smr_truths *truths, struct handed *to)
{
    smr_status st = SMR_OK;
    const smr_stage *stage = &m->stages[s];
    TRY_NEW(to->dense, SMR_MAX(1, rows->n * stage->n_out));
    TRY(stage->learner->stream->learn(ctx, stage->params, stage->state, rows, truths, to->dense));
    rows->form = SMR_FORM_F64;
    rows->x = to->dense;
    rows->d = rows->stride = stage->n_out;
out:
    return st;
}

smr_status smr_member_learn(smr_ctx *ctx, smr_member *m, const smr_rows *rows_,
                            const smr_truths *truths, double *out)
{
    smr_status st = SMR_OK;
    smr_rows rows = *rows_;
    const smr_stage *last = smr_member_last(m);
    struct handed handed[2] = {0};
    double *converted = NULL;
    smr_form form = smr_stage_form_of(&m->stages[0], rows.form);
    if (form != rows.form) {
        TRY_NEW(converted, SMR_MAX(1, rows.n * rows.d));
        smr_rows_convert(&rows, form, converted);
    }
    for (int64_t s = 0; s + 1 < m->n_stages; s++) {
        struct handed *to = &handed[s % 2]; /* what the stage before wrote is still read */
        release_handed(to);
        if (hands_sparse(m, s, rows.form == SMR_FORM_SPARSE))
            TRY(pass_sparse(ctx, m, s, &rows, truths, to));
        else
            TRY(pass_dense(ctx, m, s, &rows, truths, to));
    }
    TRY(last->learner->stream->learn(ctx, last->params, last->state, &rows, truths, out));
out:
    release_handed(&handed[0]);
    release_handed(&handed[1]);
    smr_free(converted);
    return st;
}
