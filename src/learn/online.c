/* online.c -- see online.h; the judging of rows is online_rows.c's. */
#include "learn/online.h"

#include "learn/chain.h"
#include "learn/member.h"
#include "learn/online_parts.h"
#include "learn/spec.h"
#include "learn/stages.h"
#include "learn/state.h"

#include <math.h>
#include <string.h>

/* ---- beginning -------------------------------------------------------------------------- */

static smr_status read_sentence(smr_ctx *ctx, const char *sentence, smr_model *m)
{
    smr_status st = SMR_OK;
    TRY(smr_spec_parse(ctx, sentence, &m->stages, &m->n_stages));
    if (strcmp(m->stages[0].learner->word->name, "columns") != 0)
        TRY(smr_stages_insert(ctx, &m->stages, &m->n_stages, 0, "columns"));
    for (int64_t s = 1; s < m->n_stages; s++) TRY(smr_stage_check_stream(ctx, &m->stages[s]));
    if (smr_model_columns(m)->target == SMR_TARGET_STANDARDIZE)
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                     "columns target=standardize needs all rows at once; on a stream the target is "
                     "learned as it is"));
    if (m->n_stages == 1 || smr_transforms(smr_model_last(m)->learner))
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "a stream is learned by a learner, and '%s' ends with the transform %s",
                     sentence, smr_model_last(m)->learner->word->name));
out:
    return st;
}

smr_status smr_online_check(smr_ctx *ctx, const char *sentence)
{
    smr_status st = SMR_OK;
    smr_model *m = NULL;
    TRY_NEW(m, 1);
    TRY(read_sentence(ctx, sentence, m));
out:
    smr_model_free(m);
    return st;
}

static void look_like(const smr_model *m, const smr_train_set *set, smr_data *like)
{
    *like = (smr_data){.size = sizeof *like,
                       .n_features = m->n_features,
                       .features = m->features,
                       .sparse = m->schema.n_sparse ? &set->table->sparse : NULL,
                       .task = m->target.task,
                       .n_outputs = m->target.n,
                       .n_classes = m->target.classes.n,
                       .weight = set->weight};
    for (int64_t j = 0; j < m->schema.n_inputs; j++) {
        const smr_input *in = &m->schema.inputs[j];
        like->gaps_in_numbers |= in->has_missing && in->kind != SMR_CATEGORY;
        like->gaps_in_categories |= in->has_missing && in->kind == SMR_CATEGORY;
    }
}

smr_status smr_online_begin(smr_ctx *ctx, const char *sentence, const smr_train_set *set,
                            smr_model **out)
{
    smr_status st = SMR_OK;
    smr_model *m = NULL;
    smr_data like;
    *out = NULL;
    TRY_NEW(m, 1);
    TRY(read_sentence(ctx, sentence, m));
    TRY(smr_schema_copy(ctx, &set->schema, &m->schema));
    TRY(smr_target_copy(ctx, &set->target, &m->target));
    m->seed = ctx->seed;
    m->fit = (smr_fit_report){.objective = NAN, .converged = true};
    TRY(smr_schema_features(ctx, &m->schema, smr_model_columns(m), &m->features, &m->n_features));
    look_like(m, set, &like);
    TRY(smr_stages_begin(ctx, &m->stages, &m->n_stages, 1, m->features, &like));
    *out = m;
    m = NULL;
out:
    smr_model_free(m);
    return st;
}

/* ---- room ------------------------------------------------------------------------------- */

static smr_status check_model(smr_ctx *ctx, const smr_model *m, bool only_predict)
{
    smr_status st = SMR_OK;
    for (int64_t s = 1; !only_predict && s < m->n_stages; s++)
        TRY(smr_stage_check_stream(ctx, &m->stages[s]));
    if (m->target.task == SMR_TASK_NONE)
        TRY(smr_fail(ctx, SMR_ERR_PARAM, "this model predicts nothing: it has no target"));
    if (m->target.mean)
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                     "this model was fitted on standardised targets and cannot read a stream"));
out:
    return st;
}

static smr_output output_of(const smr_model *m)
{
    unsigned gives = smr_stage_gives(smr_model_last(m));
    if (m->target.task != SMR_TASK_CLASSIFY) return SMR_OUTPUT_VALUE;
    return gives & SMR_GIVES_PROBA ? SMR_OUTPUT_PROBA : SMR_OUTPUT_DECISION;
}

/* Which gaps reach a stage that cannot take them. */
static void find_refusals(const smr_model *m, smr_online *o)
{
    bool numbers = true, categories = false;
    for (int64_t j = 0; j < m->n_features; j++) categories |= m->features[j].kind == SMR_CATEGORY;
    for (int64_t s = 1; s < m->n_stages; s++) {
        const smr_stage *stage = &m->stages[s];
        bool takes = smr_stage_takes(stage) & SMR_TAKES_MISSING, left = false;
        o->refuses_numbers |= numbers && !takes;
        o->refuses_categories |= categories && !takes;
        unsigned fills = smr_stage_fills(stage);
        if (fills & SMR_FILLS_NUMBERS) numbers = false;
        if (fills & SMR_FILLS_CATEGORIES) categories = false;
        for (int64_t j = 0; j < stage->n_out; j++) left |= stage->features[j].kind == SMR_CATEGORY;
        categories = categories && left;
    }
}

/* Sparse rows stay sparse where the next stage takes them. */
static bool hands_sparse(const smr_model *m, int64_t s, bool from_sparse)
{
    return s + 1 < m->n_stages && smr_stage_is_sparse(&m->stages[s], from_sparse) &&
           smr_stage_takes(&m->stages[s + 1]) & SMR_TAKES_SPARSE;
}

static smr_status make_room(smr_ctx *ctx, smr_online *o)
{
    smr_status st = SMR_OK;
    smr_model *m = o->model;
    int64_t scratch = 1;
    bool sparse = m->schema.n_sparse && smr_stage_takes(&m->stages[1]) & SMR_TAKES_SPARSE;
    TRY_NEW(o->buffer, m->n_stages);
    TRY_NEW(o->entries, m->n_stages);
    TRY_NEW(o->gives_sparse, m->n_stages);
    for (int64_t s = 1; s < m->n_stages; s++) {
        const smr_stage *stage = &m->stages[s];
        const smr_learner *l = stage->learner;
        o->gives_sparse[s] = sparse = hands_sparse(m, s, sparse);
        if (s + 1 < m->n_stages && !sparse) {
            TRY(smr_memory_check(ctx, 8.0 * SMR_ONLINE_BLOCK * (double)stage->n_out, l->word->name,
                                 "use fewer features"));
            TRY_NEW(o->buffer[s], SMR_ONLINE_BLOCK * SMR_MAX(1, stage->n_out));
        }
        if (l->fitted->scratch)
            scratch =
                SMR_MAX(scratch, l->fitted->scratch(stage->params, stage->state, SMR_ONLINE_BLOCK));
    }
    TRY_NEW(o->scratch, scratch);
out:
    return st;
}

smr_status smr_online_create(smr_ctx *ctx, smr_model *m, const smr_online_opts *opts,
                             smr_online **out)
{
    smr_status st = SMR_OK;
    smr_online *o = NULL;
    *out = NULL;
    TRY(check_model(ctx, m, opts && opts->only_predict));
    for (int64_t s = 1; !(opts && opts->only_predict) && s < m->n_stages; s++)
        TRY(smr_stage_own(ctx, &m->stages[s])); /* learning changes, resizes and frees arrays */
    TRY_NEW(o, 1);
    o->model = m;
    if (opts) o->opts = *opts;
    o->rows.output = output_of(m);
    o->rows.width = smr_model_width(m, o->rows.output);
    find_refusals(m, o);
    TRY(make_room(ctx, o));
    *out = o;
    o = NULL;
out:
    smr_online_free(o);
    return st;
}

void smr_online_free(smr_online *o)
{
    if (!o) return;
    smr_online_rest(o);
    for (int64_t s = 0; o->buffer && s < o->model->n_stages; s++) smr_free(o->buffer[s]);
    for (int64_t s = 0; o->entries && s < o->model->n_stages; s++)
        smr_entries_release(&o->entries[s]);
    smr_free(o->buffer);
    smr_free(o->entries);
    smr_free(o->gives_sparse);
    smr_free(o->scratch);
    smr_free(o->class_value);
    smr_free(o->label);
    smr_free(o->y);
    smr_free(o->weight);
    smr_free(o->state);
    smr_free(o->rows.score);
    smr_free(o);
}

/* ---- rows ------------------------------------------------------------------------------- */

/* Sparse rows of a stage that is not the last; each is learned before it is answered. */
static smr_status pass_sparse(smr_ctx *ctx, smr_online *o, int64_t s, smr_rows *rows,
                              const smr_truths *truths, bool learn)
{
    smr_status st = SMR_OK;
    const smr_stage *stage = &o->model->stages[s];
    const smr_learner *l = stage->learner;
    smr_entries *to = &o->entries[s];
    TRY(smr_entries_begin(ctx, to, rows->n));
    for (int64_t i = 0; learn && i < rows->n; i++) {
        smr_rows one = smr_rows_slice(rows, i, i + 1);
        smr_truths its = {.y = truths->y ? truths->y + i * o->model->target.n : NULL,
                          .label = truths->label ? truths->label + i : NULL,
                          .weight = truths->weight ? truths->weight + i : NULL};
        TRY(l->stream->learn(ctx, stage->params, stage->state, &one, &its, NULL));
        TRY(l->fitted->transform->append(ctx, stage->params, stage->state, &one, to, o->scratch));
    }
    if (!learn)
        TRY(l->fitted->transform->append(ctx, stage->params, stage->state, rows, to, o->scratch));
    rows->form = SMR_FORM_SPARSE;
    rows->start = to->start;
    rows->column = to->column;
    rows->value = to->value;
    rows->d = stage->n_out;
out:
    return st;
}

/* Rows [lo, hi), at most a block of them, through all stages.  learn: those in between learn from
 * each row before they answer it, and the last one after. */
static smr_status pass(smr_ctx *ctx, smr_online *o, int64_t lo, int64_t hi, bool learn)
{
    smr_status st = SMR_OK;
    const smr_model *m = o->model;
    smr_rows rows;
    smr_truths truths = {.y = o->y ? o->y + lo * m->target.n : NULL,
                         .label = o->label ? o->label + lo : NULL,
                         .weight = o->weight ? o->weight + lo : NULL};
    TRY(smr_reader_rows(ctx, o->reader, lo, hi, &rows));
    for (int64_t s = 1; s < m->n_stages; s++) {
        const smr_stage *stage = &m->stages[s];
        const smr_learner *l = stage->learner;
        bool last = s + 1 == m->n_stages;
        if (o->gives_sparse[s]) {
            TRY(pass_sparse(ctx, o, s, &rows, &truths, learn));
            continue;
        }
        double *out = last ? o->rows.score + lo * o->rows.width : o->buffer[s];
        if (learn)
            TRY(l->stream->learn(ctx, stage->params, stage->state, &rows, &truths, out));
        else
            TRY(l->fitted->predict(ctx, stage->params, stage->state, &rows,
                                   last ? o->rows.output : SMR_OUTPUT_TRANSFORM, out, o->scratch));
        rows.form = SMR_FORM_F64;
        rows.x = out;
        rows.d = rows.stride = stage->n_out;
    }
    if (learn) o->model->n_rows += hi - lo;
out:
    return st;
}

smr_status smr_online_go(smr_ctx *ctx, smr_online *o, int64_t lo, int64_t hi)
{
    smr_status st = SMR_OK;
    while (lo < hi) {
        uint8_t state = o->state[lo];
        int64_t end = lo + 1;
        while (end < hi && end - lo < SMR_ONLINE_BLOCK && o->state[end] == state) end++;
        if (state == SMR_ROW_BAD)
            for (int64_t i = lo * o->rows.width; i < end * o->rows.width; i++)
                o->rows.score[i] = NAN;
        else
            TRY(pass(ctx, o, lo, end, state == SMR_ROW_LEARN && !o->opts.only_predict));
        lo = end;
    }
out:
    return st;
}
