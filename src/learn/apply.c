/* apply.c -- predicting with a model: blocks of rows in parallel.
 *
 * The rows flow through the stages a block at a time; every lane has its own reader and flow.
 * A block's size depends on the model alone, and a learner's answer for a row does not depend on
 * its block, so one row at a time gives the same bits as all at once. */
#include "learn/apply_parts.h"

#include "core/parallel.h"
#include "learn/chain.h"
#include "learn/target_map.h"

#include <math.h>
#include <string.h>

unsigned smr_model_gives(const smr_model *m)
{
    unsigned gives = smr_task_gives(m->target.task, smr_stage_gives(smr_model_last(m)));
    bool tells = m->target.task == SMR_TASK_OUTLIERS && m->target.has_threshold;
    return tells && gives & SMR_GIVES_SCORE ? gives | SMR_GIVES_LABEL : gives;
}

int64_t smr_model_width(const smr_model *m, smr_output output)
{
    smr_shape shape = smr_model_shape(m);
    return smr_output_width(smr_model_last(m), &shape, output);
}

/* ---- setting up ------------------------------------------------------------------------- */

smr_status smr_model_check_output(smr_ctx *ctx, const smr_model *m, smr_output output)
{
    static const char *const names[] = {"values",   "labels",    "probabilities", "scores",
                                        "features", "intervals", "sets",          "scores of rows"};
    if ((unsigned)output >= SMR_COUNT(names))
        return smr_fail(ctx, SMR_ERR_PARAM, "there is no output %d; smr_output lists them", output);
    if (smr_model_gives(m) & 1u << output) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_UNSUPPORTED, "%s %s model gives no %s",
                    smr_article(smr_model_last(m)->learner->word->name),
                    smr_model_last(m)->learner->word->name, names[output]);
}

/* What makes the log-density of the last stage's features one of those that came in, whatever
 * transforms scaled them on the way: models with other scales can then be compared. */
static double log_volume(const smr_model *m, smr_output output)
{
    double volume = 0;
    if (output != SMR_OUTPUT_SCORE || !smr_task_of(m->target.task)->of_features) return 0;
    for (int64_t s = 0; s + 1 < m->n_stages; s++) {
        const smr_can_transform *t = m->stages[s].learner->fitted->transform;
        if (t->log_volume) volume += t->log_volume(m->stages[s].params, m->stages[s].state);
    }
    return volume;
}

smr_status smr_apply_set_up(smr_ctx *ctx, const smr_model *m, const smr_data *first,
                            smr_output output, struct smr_applying *a)
{
    int64_t n;
    const smr_stage *stages = smr_model_stages(m, &n);
    a->model = m;
    a->output = output;
    a->asked = smr_output_asked(smr_model_last(m), output);
    if (output == SMR_OUTPUT_LABEL && m->target.task == SMR_TASK_OUTLIERS)
        a->asked = SMR_OUTPUT_SCORE;
    a->width = smr_model_width(m, output);
    a->asked_width = smr_model_width(m, a->asked);
    a->log_volume = log_volume(m, output);
    a->data = *first;
    smr_chain_guard(&a->data, stages);
    a->block = smr_flow_answers(smr_flow_block(stages, n, first->n_features),
                                SMR_MAX(a->width, a->asked_width));
    return smr_model_check_output(ctx, m, output);
}

smr_status smr_apply_open(smr_ctx *ctx, struct smr_applying *a, struct smr_lane *lane, int64_t rows)
{
    smr_status st = SMR_OK;
    int64_t n;
    const smr_stage *stages = smr_model_stages(a->model, &n);
    TRY(smr_reader_open(ctx, &a->data, smr_stage_form(stages, &a->data), rows, &lane->reader));
    smr_flow_plan(stages, n, 0, rows, true, &lane->flow);
    lane->flow.in = a->data.features;
    lane->flow.refuse_gaps = lane->flow.as_asked = true;
    TRY(smr_flow_open(ctx, &lane->flow));
    if (a->asked != a->output) TRY_NEW(lane->scores, rows * a->asked_width);
    if (a->model->target_map && a->output == SMR_OUTPUT_INTERVAL)
        TRY_NEW(lane->ends, a->model->target.n);
    if (a->ordered.rows) TRY_NEW(lane->answers, rows * a->width);
out:
    return st;
}

void smr_apply_close(struct smr_lane *lane)
{
    smr_reader_close(lane->reader);
    smr_flow_close(&lane->flow);
    smr_free(lane->scores);
    smr_free(lane->ends);
    smr_free(lane->answers);
}

static void tear_down(struct smr_applying *a)
{
    for (int i = 0; a->lanes && i < a->n_lanes; i++) smr_apply_close(&a->lanes[i]);
    smr_free(a->lanes);
    smr_free(a->start);
    smr_ordered_release(&a->ordered);
    smr_watch_close(&a->watch);
}

/* ---- rows ------------------------------------------------------------------------------- */

/* What the threshold says, or the class with the highest score; of equal ones the lower. */
static void choose_labels(const struct smr_applying *a, const double *scores, int64_t n,
                          double *out)
{
    const smr_target *target = &a->model->target;
    if (target->task == SMR_TASK_OUTLIERS) {
        for (int64_t i = 0; i < n; i++) out[i] = scores[i] < target->threshold;
        return;
    }
    if (!smr_target_names_classes(target)) {
        smr_choose_labels(scores, n, a->asked_width, out);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        out[i] = (double)smr_target_label(target, scores + i * a->asked_width);
}

void smr_apply_undo_standardizing(const smr_target *t, int64_t n, int64_t per, double *out)
{
    for (int64_t i = 0; t->mean && i < n; i++)
        for (int64_t j = 0; j < t->n; j++)
            for (int64_t k = 0; k < per; k++) {
                double *x = out + (i * t->n + j) * per + k;
                *x = fma(*x, t->sd[j], t->mean[j]);
            }
}

smr_status smr_apply_block(smr_ctx *ctx, const struct smr_applying *a, struct smr_lane *lane,
                           const smr_rows *rows, double *out)
{
    double *asked = lane->scores ? lane->scores : out;
    smr_status st = smr_flow_predict(ctx, &lane->flow, rows, a->asked, a->round, asked);
    if (st != SMR_OK) return st;
    if (lane->scores) choose_labels(a, asked, rows->n, out);
    for (int64_t i = 0; a->log_volume != 0 && i < rows->n; i++) out[i] += a->log_volume;
    if (a->output == SMR_OUTPUT_VALUE)
        smr_apply_undo_standardizing(&a->model->target, rows->n, 1, out);
    if (a->output == SMR_OUTPUT_INTERVAL)
        smr_apply_undo_standardizing(&a->model->target, rows->n, 2, out);
    const smr_stage *map = a->model->target_map;
    if (map && a->output == SMR_OUTPUT_VALUE) return smr_target_map_back(ctx, map, rows->n, out);
    if (!map || a->output != SMR_OUTPUT_INTERVAL) return SMR_OK;
    return smr_target_map_back_ends(ctx, map, rows->n, out, lane->ends);
}

smr_status smr_apply_rows(smr_ctx *ctx, struct smr_applying *a, struct smr_lane *lane, int64_t lo,
                          int64_t hi, double *out)
{
    smr_rows rows;
    bool whole = false;
    smr_status st = SMR_OK;
    TRY(smr_reader_rows(ctx, lane->reader, lo, hi, &rows));
    if (a->watch.d) whole = smr_watch_rows(&a->watch, (int)(lane - a->lanes), &rows);
    if (a->completes && !whole) TRY(smr_rows_complete(ctx, &rows, a->data.features));
    TRY(smr_apply_block(ctx, a, lane, &rows, out));
out:
    return st;
}

static smr_status predict_block(smr_ctx *ctx, void *arg, int64_t block, int lane_index)
{
    struct smr_applying *a = arg;
    struct smr_lane *lane = &a->lanes[lane_index];
    int64_t lo = a->start[block], hi = a->start[block + 1], width = a->width;
    smr_status st = SMR_OK;
    if (!lane->reader) TRY(smr_apply_open(ctx, a, lane, a->block));
    if (!lane->answers) {
        TRY(smr_apply_rows(ctx, a, lane, lo, hi, a->out + lo * width));
        return SMR_OK;
    }
    TRY(smr_apply_rows(ctx, a, lane, lo, hi, lane->answers));
    for (int64_t i = lo; i < hi; i++)
        memcpy(a->out + a->ordered.place[i] * width, lane->answers + (i - lo) * width,
               (size_t)width * sizeof *a->out);
out:
    return st;
}

/* Blocks of the data; of whole sequences where some stage takes them. */
static smr_status cut_blocks(smr_ctx *ctx, struct smr_applying *a)
{
    smr_status st = SMR_OK;
    int64_t n, most = a->block;
    const smr_stage *stages = smr_model_stages(a->model, &n);
    if (!smr_flow_of_sequences(stages, n)) a->data.border = NULL;
    TRY_NEW(a->start, a->data.n_rows / most + a->data.n_sequences + 2);
    for (int64_t lo = 0; lo < a->data.n_rows; lo = a->start[a->n_blocks])
        a->start[++a->n_blocks] = smr_data_block_end(&a->data, lo, most);
    a->block = smr_data_longest_block(&a->data, most);
out:
    return st;
}

/* Doubles are screened for gaps by the watch, which reads them anyhow. */
static smr_status open_watch(smr_ctx *ctx, const smr_table *table, struct smr_applying *a)
{
    smr_status st = SMR_OK;
    int64_t n;
    smr_data *data = &a->data;
    TRY(smr_watch_open(ctx, a->model, table, data->n_features, a->n_lanes, &a->watch));
    if (!a->watch.d || smr_stage_form(smr_model_stages(a->model, &n), data) != SMR_FORM_F64)
        goto out;
    a->completes = data->refuse_missing;
    data->refuse_missing = false;
out:
    return st;
}

/* a: what is asked for beyond the output, and where the answers go. */
static smr_status apply_rows(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                             const int64_t *rows, int64_t n_rows, smr_output output,
                             struct smr_applying *a)
{
    smr_status st = SMR_OK;
    smr_binding binding = {0};
    TRY(smr_schema_bind_as(ctx, &m->schema, smr_model_columns(m), table, m->features, m->n_features,
                           &binding));
    if (rows) {
        binding.data.rows = rows;
        binding.data.n_rows = n_rows;
    }
    if (smr_roles_any(m->schema.roles)) {
        TRY(smr_roles_order(ctx, m->schema.roles, table, rows, n_rows, &a->ordered));
        smr_ordered_apply(&a->ordered, m->schema.roles, &binding.data);
    }
    TRY(smr_apply_set_up(ctx, m, &binding.data, output, a));
    TRY(cut_blocks(ctx, a));
    a->n_lanes = smr_lanes(ctx);
    TRY_NEW(a->lanes, a->n_lanes);
    if (a->watches) TRY(open_watch(ctx, table, a));
    TRY(smr_parallel(ctx, "predicting", a->n_blocks, predict_block, a));
    if (a->watch.d) TRY(smr_watch_tell(ctx, &a->watch));
out:
    tear_down(a);
    smr_binding_release(&binding);
    return st;
}

smr_status smr_model_apply(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                           const int64_t *rows, int64_t n_rows, smr_output output, double *out)
{
    struct smr_applying a = {.out = out, .round = SMR_ALL_ROUNDS};
    return apply_rows(ctx, m, table, rows, n_rows, output, &a);
}

smr_status smr_model_predict(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                             smr_output output, const int64_t *round, double *out)
{
    struct smr_applying a = {.out = out, .round = round ? *round : SMR_ALL_ROUNDS, .watches = true};
    smr_foreign_warn_of_gaps(ctx, m, table);
    smr_status st = round ? smr_model_check_round(ctx, m, *round) : SMR_OK;
    return st == SMR_OK ? apply_rows(ctx, m, table, NULL, 0, output, &a) : st;
}

int64_t smr_model_rounds(const smr_model *m)
{
    const smr_stage *last = smr_model_last(m);
    return last->learner->fitted->rounds
               ? last->learner->fitted->rounds->count(last->params, last->state)
               : 0;
}

smr_status smr_model_check_round(smr_ctx *ctx, const smr_model *m, int64_t round)
{
    const char *name = smr_model_last(m)->learner->word->name;
    int64_t n = smr_model_rounds(m);
    if (!smr_model_last(m)->learner->fitted->rounds)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "%s %s model does not grow in rounds; boosting, forests and bagging do",
                        smr_article(name), name);
    if (round >= 0 && round <= n) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM, "this %s model has %lld round%s, not %lld", name,
                    (long long)n, smr_plural(n, "", "s"), (long long)round);
}

smr_status smr_model_apply_after(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                                 const int64_t *rows, int64_t n_rows, smr_output output,
                                 int64_t round, double *out)
{
    struct smr_applying a = {.out = out, .round = round};
    smr_status st = smr_model_check_round(ctx, m, round);
    return st == SMR_OK ? apply_rows(ctx, m, table, rows, n_rows, output, &a) : st;
}
