/* online.c -- see online.h; online_rows.c judges the rows. */
#include "learn/online.h"

#include "learn/chain.h"
#include "learn/member.h"
#include "learn/online_parts.h"
#include "learn/spec.h"
#include "learn/stages.h"
#include "learn/state.h"
#include "learn/target_map.h"

#include <math.h>
#include <string.h>

/* ---- beginning -------------------------------------------------------------------------- */

smr_status smr_online_check(smr_ctx *ctx, const smr_spec *spec)
{
    smr_status st = SMR_OK;
    smr_text sentence = {.ctx = ctx};
    const smr_learner *last = smr_spec_last(spec)->learner;
    for (int64_t s = 0; s < spec->n; s++) TRY(smr_check_stream(ctx, spec->steps[s].learner));
    if (!smr_target_map_streams(spec->head.columns.target))
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                     "columns target=%s is fitted to all rows at once, which a stream does not "
                     "have; take target=log or target=log1p, or learn the target as it is",
                     smr_target_how(spec->head.columns.target)));
    if (smr_transforms(last) && !(last->tasks & SMR_DOES_CLUSTER)) {
        smr_specs_name(spec, &sentence);
        TRY(smr_text_done(&sentence));
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "a stream is learned by a learner, and '%s' ends with the transform %s",
                     sentence.bytes, last->word->name));
    }
out:
    smr_text_release(&sentence);
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
        if (in->kind == SMR_TEXT) continue; /* a missing text is an empty one */
        like->gaps_in_numbers |= in->has_missing && in->kind != SMR_CATEGORY;
        like->gaps_in_categories |= in->has_missing && in->kind == SMR_CATEGORY;
    }
}

smr_status smr_online_begin(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                            smr_model **out)
{
    smr_status st = SMR_OK;
    smr_model *m = NULL;
    smr_data like;
    *out = NULL;
    TRY(smr_online_check(ctx, spec));
    TRY_NEW(m, 1);
    TRY(smr_head_copy(ctx, &spec->head, &m->head));
    TRY(smr_schema_copy(ctx, &set->schema, &m->schema));
    TRY(smr_target_copy(ctx, &set->target, &m->target));
    m->seed = ctx->seed;
    m->fit = (smr_fit_report){.objective = NAN, .converged = true};
    TRY(smr_schema_features(ctx, &m->schema, smr_model_columns(m), &m->features, &m->n_features));
    look_like(m, set, &like);
    TRY(smr_target_map_begin(ctx, spec->head.columns.target, &m->target, &m->target_map));
    TRY(smr_stages_begin(ctx, spec, m->features, &like, &m->stages, &m->n_stages));
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
    for (int64_t s = 0; !only_predict && s < m->n_stages; s++)
        TRY(smr_check_stream(ctx, m->stages[s].learner));
    if (m->target.task == SMR_TASK_NONE)
        TRY(smr_fail(ctx, SMR_ERR_PARAM, "this model predicts nothing: it has no target"));
    bool finds = smr_online_finds(m->target.task) && smr_model_last(m)->learner->stream;
    if (!smr_task_of(m->target.task)->needs_target && !finds)
        TRY(smr_fail(
            ctx, SMR_ERR_UNSUPPORTED,
            "a stream is for predicting classes and numbers and for kmeans, and this model %s",
            smr_task_of(m->target.task)->verb));
    if (m->target.mean || !smr_target_map_streams(smr_model_columns(m)->target))
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                     "this model was fitted with columns target=%s and cannot read a stream; those "
                     "with target=log or target=log1p can",
                     smr_target_how(smr_model_columns(m)->target)));
out:
    return st;
}

static smr_output output_of(const smr_model *m)
{
    unsigned gives = smr_stage_gives(smr_model_last(m));
    if (smr_online_finds(m->target.task)) return SMR_OUTPUT_LABEL;
    if (m->target.task != SMR_TASK_CLASSIFY) return SMR_OUTPUT_VALUE;
    return gives & SMR_GIVES_PROBA ? SMR_OUTPUT_PROBA : SMR_OUTPUT_DECISION;
}

/* Which gaps reach a stage that cannot take them. */
static void find_refusals(const smr_model *m, smr_online *o)
{
    bool numbers = true, categories = false;
    for (int64_t j = 0; j < m->n_features; j++) categories |= m->features[j].kind == SMR_CATEGORY;
    for (int64_t s = 0; s < m->n_stages; s++) {
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

static smr_status make_room(smr_ctx *ctx, smr_online *o)
{
    int64_t n;
    const smr_stage *stages = smr_model_stages(o->model, &n);
    smr_flow_plan(stages, n, 0, SMR_ONLINE_BLOCK, true, &o->flow);
    smr_status st =
        smr_memory_check(ctx, (double)o->flow.bytes, "the stream", "use fewer features");
    return st == SMR_OK ? smr_flow_open(ctx, &o->flow) : st;
}

smr_status smr_online_create(smr_ctx *ctx, smr_model *m, const smr_online_opts *opts,
                             smr_online **out)
{
    smr_status st = SMR_OK;
    smr_online *o = NULL;
    *out = NULL;
    TRY(check_model(ctx, m, opts && opts->only_predict));
    for (int64_t s = 0; !(opts && opts->only_predict) && s < m->n_stages; s++)
        TRY(smr_stage_own(ctx, &m->stages[s])); /* learning changes, resizes and frees arrays */
    if (m->target_map && !(opts && opts->only_predict)) TRY(smr_stage_own(ctx, m->target_map));
    TRY_NEW(o, 1);
    o->model = m;
    if (opts) o->opts = *opts;
    if (m->target_map) TRY_NEW(o->z, SMR_ONLINE_BLOCK * m->target.n);
    o->rows.output = output_of(m);
    o->rows.width = smr_online_finds(m->target.task) ? 2 : smr_model_width(m, o->rows.output);
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
    smr_flow_close(&o->flow);
    smr_free(o->class_value);
    smr_free(o->label);
    smr_free(o->y);
    smr_free(o->z);
    smr_free(o->weight);
    smr_free(o->state);
    smr_free(o->rows.score);
    smr_free(o);
}

/* ---- rows ------------------------------------------------------------------------------- */

/* Clusters and scores of rows, at most a block of them, from which nothing is learned. */
static smr_status find(smr_ctx *ctx, smr_online *o, const smr_rows *rows, double *out)
{
    static const smr_output asked[] = {SMR_OUTPUT_LABEL, SMR_OUTPUT_SCORE};
    smr_status st = SMR_OK;
    double answer[SMR_ONLINE_BLOCK];
    for (int a = 0; a < 2; a++) {
        TRY(smr_flow_predict(ctx, &o->flow, rows, asked[a], SMR_ALL_ROUNDS, answer));
        for (int64_t i = 0; i < rows->n; i++) out[2 * i + a] = answer[i];
    }
out:
    return st;
}

/* Rows [lo, hi), at most a block of them, through all stages.  learn: those in between learn from
 * each row before they answer it, and the last one after. */
static smr_status pass(smr_ctx *ctx, smr_online *o, int64_t lo, int64_t hi, bool learn)
{
    smr_status st = SMR_OK;
    int64_t n_outputs = o->model->target.n;
    double *out = o->rows.score + lo * o->rows.width;
    smr_rows rows;
    smr_truths truths = {.y = o->y ? o->y + lo * n_outputs : NULL,
                         .label = o->label ? o->label + lo : NULL,
                         .weight = o->weight ? o->weight + lo : NULL};
    smr_stage *map = o->model->target_map;
    TRY(smr_reader_rows(ctx, o->reader, lo, hi, &rows));
    if (learn && map) {
        TRY(smr_target_map_learn(ctx, map, hi - lo, truths.y, truths.weight, o->z));
        truths.y = o->z;
    }
    if (smr_online_finds(o->model->target.task))
        TRY(learn ? smr_flow_learn_found(ctx, &o->flow, &rows, &truths, out)
                  : find(ctx, o, &rows, out));
    else if (learn)
        TRY(smr_flow_learn(ctx, &o->flow, &rows, &truths, n_outputs, out));
    else
        TRY(smr_flow_predict(ctx, &o->flow, &rows, o->rows.output, SMR_ALL_ROUNDS, out));
    if (smr_online_finds(o->model->target.task) && o->model->n_rows == 0) out[1] = NAN;
    if (map) TRY(smr_target_map_back(ctx, map, hi - lo, out));
    if (learn) o->model->n_rows = SMR_MIN(SMR_MOST_COUNTED, o->model->n_rows + hi - lo);
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
