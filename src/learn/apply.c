/* apply.c -- predicting with a model: blocks of rows in parallel, or one row without allocating.
 *
 * The rows flow through the stages a block at a time; every lane has its own reader and flow.
 * A block's size depends on the model alone, and a learner's answer for a row does not depend on
 * its block, so one row at a time gives the same bits as all at once. */
#include "core/parallel.h"
#include "learn/chain.h"
#include "learn/flow.h"
#include "learn/model.h"

#include <math.h>
#include <string.h>

/* What one lane needs: a reader of the table's rows, the flow through the stages, and room for
 * probabilities when labels are derived from them. */
struct lane {
    smr_reader *reader;
    smr_flow flow;
    double *scores;
    double *answers; /* of a block, where rows are read in another order than they are asked for */
};

/* A model bound to data. */
struct applying {
    const smr_model *model;
    smr_data data;       /* what the first stage reads */
    smr_ordered ordered; /* the rows as they are read, where some column has a role */
    int64_t *start;      /* n_blocks + 1: rows of the data where blocks begin */
    int64_t n_blocks;
    smr_output output;
    smr_output asked; /* of the learner: PROBA or DECISION when labels are wanted */
    int64_t width, asked_width;
    int64_t block; /* rows of the longest */
    int64_t round; /* predict after the first so many; SMR_ALL_ROUNDS: what the model says */
    double *out;
    struct lane *lanes;
    int n_lanes;
};

unsigned smr_model_gives(const smr_model *m)
{
    return smr_task_gives(m->target.task, smr_stage_gives(smr_model_last(m)));
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
        return smr_fail(ctx, SMR_ERR_PARAM, "there is no output %d; smr_output has them", output);
    if (smr_model_gives(m) & 1u << output) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_UNSUPPORTED, "%s %s model gives no %s",
                    smr_article(smr_model_last(m)->learner->word->name),
                    smr_model_last(m)->learner->word->name, names[output]);
}

static smr_status set_up(smr_ctx *ctx, const smr_model *m, const smr_data *first, smr_output output,
                         struct applying *a)
{
    int64_t n;
    const smr_stage *stages = smr_model_stages(m, &n);
    a->model = m;
    a->output = output;
    a->asked = smr_output_asked(smr_model_last(m), output);
    a->width = smr_model_width(m, output);
    a->asked_width = smr_model_width(m, a->asked);
    a->data = *first;
    smr_chain_guard(&a->data, stages);
    a->block = smr_flow_block(stages, n, first->n_features);
    return smr_model_check_output(ctx, m, output);
}

static smr_status open_lane(smr_ctx *ctx, struct applying *a, struct lane *lane, int64_t rows)
{
    smr_status st = SMR_OK;
    int64_t n;
    const smr_stage *stages = smr_model_stages(a->model, &n);
    TRY(smr_reader_open(ctx, &a->data, smr_stage_form(stages, &a->data), rows, &lane->reader));
    smr_flow_plan(stages, n, 0, rows, true, &lane->flow);
    lane->flow.in = a->data.features;
    lane->flow.refuse_gaps = true;
    TRY(smr_flow_open(ctx, &lane->flow));
    if (a->asked != a->output) TRY_NEW(lane->scores, rows * a->asked_width);
    if (a->ordered.rows) TRY_NEW(lane->answers, rows * a->width);
out:
    return st;
}

static void close_lane(struct lane *lane)
{
    smr_reader_close(lane->reader);
    smr_flow_close(&lane->flow);
    smr_free(lane->scores);
    smr_free(lane->answers);
}

static void tear_down(struct applying *a)
{
    for (int i = 0; a->lanes && i < a->n_lanes; i++) close_lane(&a->lanes[i]);
    smr_free(a->lanes);
    smr_free(a->start);
    smr_ordered_release(&a->ordered);
}

/* ---- rows ------------------------------------------------------------------------------- */

/* The threshold's say, or the class with the highest score: of equal ones the lower. */
static void choose_labels(const struct applying *a, const double *scores, int64_t n, double *out)
{
    const smr_target *target = &a->model->target;
    if (!smr_target_names_classes(target)) {
        smr_choose_labels(scores, n, a->asked_width, out);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        out[i] = (double)smr_target_label(target, scores + i * a->asked_width);
}

/* per: values of each target, 1, or 2 for intervals. */
static void undo_standardizing(const smr_target *t, int64_t n, int64_t per, double *out)
{
    for (int64_t i = 0; t->mean && i < n; i++)
        for (int64_t j = 0; j < t->n; j++)
            for (int64_t k = 0; k < per; k++) {
                double *x = out + (i * t->n + j) * per + k;
                *x = fma(*x, t->sd[j], t->mean[j]);
            }
}

static smr_status predict_rows(smr_ctx *ctx, const struct applying *a, struct lane *lane,
                               int64_t lo, int64_t hi, double *out)
{
    smr_status st = SMR_OK;
    smr_rows rows;
    double *asked = lane->scores ? lane->scores : out;
    TRY(smr_reader_rows(ctx, lane->reader, lo, hi, &rows));
    TRY(smr_flow_predict(ctx, &lane->flow, &rows, a->asked, a->round, asked));
    if (lane->scores) choose_labels(a, asked, hi - lo, out);
    if (a->output == SMR_OUTPUT_VALUE) undo_standardizing(&a->model->target, hi - lo, 1, out);
    if (a->output == SMR_OUTPUT_INTERVAL) undo_standardizing(&a->model->target, hi - lo, 2, out);
out:
    return st;
}

static smr_status predict_block(smr_ctx *ctx, void *arg, int64_t block, int lane_index)
{
    struct applying *a = arg;
    struct lane *lane = &a->lanes[lane_index];
    int64_t lo = a->start[block], hi = a->start[block + 1], width = a->width;
    smr_status st = SMR_OK;
    if (!lane->reader) TRY(open_lane(ctx, a, lane, a->block));
    if (!lane->answers) {
        TRY(predict_rows(ctx, a, lane, lo, hi, a->out + lo * width));
        return SMR_OK;
    }
    TRY(predict_rows(ctx, a, lane, lo, hi, lane->answers));
    for (int64_t i = lo; i < hi; i++)
        memcpy(a->out + a->ordered.place[i] * width, lane->answers + (i - lo) * width,
               (size_t)width * sizeof *a->out);
out:
    return st;
}

/* Blocks of the data; of whole sequences where some stage takes them. */
static smr_status cut_blocks(smr_ctx *ctx, struct applying *a)
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

static smr_status apply_rows(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                             const int64_t *rows, int64_t n_rows, smr_output output, int64_t round,
                             double *out)
{
    smr_status st = SMR_OK;
    struct applying a = {.out = out, .round = round};
    smr_binding binding = {0};
    TRY(smr_schema_bind(ctx, &m->schema, smr_model_columns(m), table, &binding));
    if (rows) {
        binding.data.rows = rows;
        binding.data.n_rows = n_rows;
    }
    if (smr_roles_any(m->schema.roles)) {
        TRY(smr_roles_order(ctx, m->schema.roles, table, rows, n_rows, &a.ordered));
        smr_ordered_apply(&a.ordered, m->schema.roles, &binding.data);
    }
    TRY(set_up(ctx, m, &binding.data, output, &a));
    TRY(cut_blocks(ctx, &a));
    a.n_lanes = smr_lanes(ctx);
    TRY_NEW(a.lanes, a.n_lanes);
    TRY(smr_parallel(ctx, "predicting", a.n_blocks, predict_block, &a));
out:
    tear_down(&a);
    smr_binding_release(&binding);
    return st;
}

smr_status smr_model_apply(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                           const int64_t *rows, int64_t n_rows, smr_output output, double *out)
{
    return apply_rows(ctx, m, table, rows, n_rows, output, SMR_ALL_ROUNDS, out);
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
        return smr_fail(ctx, SMR_ERR_STATE,
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
    smr_status st = smr_model_check_round(ctx, m, round);
    return st == SMR_OK ? apply_rows(ctx, m, table, rows, n_rows, output, round, out) : st;
}

/* ---- one row ---------------------------------------------------------------------------- */

struct smr_predictor {
    smr_ctx *ctx;
    struct applying a;
    struct lane lane;
    smr_data first;
    smr_feature *features; /* over `x`; names are the model's */
    double *x;             /* one value for each input column */
    int64_t n_inputs;
    const smr_schema *schema;
    bool has_categories;
};

/* Features as the table's would be, but over the predictor's own row: codes are numbers here. */
static smr_status lay_out_row(smr_ctx *ctx, const smr_model *m, smr_predictor *p)
{
    smr_status st = SMR_OK;
    int64_t at = 0;
    if (smr_roles_any(m->schema.roles))
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "this model reads sequences, or users and items, which a row of numbers "
                        "cannot hold; predict from a table with smr_predict");
    p->n_inputs = m->schema.n_sparse ? m->schema.n_sparse : m->schema.n_inputs;
    p->schema = &m->schema;
    for (int64_t j = 0; j < m->schema.n_inputs; j++) {
        const smr_input *in = &m->schema.inputs[j];
        if (in->kind == SMR_TEXT)
            return smr_fail(
                ctx, SMR_ERR_UNSUPPORTED,
                "input '%s' is text, which a row of numbers cannot hold; predict from a "
                "table with smr_predict",
                in->name);
        p->has_categories |= in->kind == SMR_CATEGORY;
    }
    TRY_NEW(p->x, p->n_inputs + 1);
    TRY_NEW(p->features, m->n_features + 1);
    memcpy(p->features, m->features, (size_t)m->n_features * sizeof *p->features);
    for (int64_t j = 0; j < m->n_features; j++) {
        bool next = j > 0 && p->features[j].part <= SMR_PART_DAYS; /* parts share their column */
        at += next;
        p->features[j].kind = SMR_NUMBER;
        p->features[j].dtype = SMR_F64;
        p->features[j].values = p->x + at;
        p->features[j].stride = p->n_inputs;
    }
    p->first = (smr_data){
        .size = sizeof p->first, .n_rows = 1, .n_features = m->n_features, .features = p->features};
out:
    return st;
}

smr_status smr_predictor_create(smr_ctx *ctx, const smr_model *m, smr_output output,
                                smr_predictor **out)
{
    smr_status st = SMR_OK;
    smr_predictor *p = NULL;
    smr_begin(ctx);
    *out = NULL;
    TRY_NEW(p, 1);
    p->ctx = ctx;
    p->a.round = SMR_ALL_ROUNDS;
    TRY(lay_out_row(ctx, m, p));
    TRY(set_up(ctx, m, &p->first, output, &p->a));
    TRY(open_lane(ctx, &p->a, &p->lane, 1));
    *out = p;
    p = NULL;
out:
    smr_predictor_free(p);
    return st;
}

static smr_status check_codes(const smr_predictor *p, const double *x)
{
    for (int64_t j = 0; j < p->schema->n_inputs; j++) {
        const smr_input *in = &p->schema->inputs[j];
        bool known = x[j] >= 0 && x[j] < (double)in->levels.n && x[j] == floor(x[j]);
        if (in->kind == SMR_CATEGORY && !known && !isnan(x[j]))
            return smr_fail(p->ctx, SMR_ERR_DATA, "input '%s' has codes 0 to %lld, or NaN",
                            in->name, (long long)in->levels.n - 1);
    }
    return SMR_OK;
}

smr_status smr_predictor_row(smr_predictor *p, const double *x, double *out)
{
    smr_begin(p->ctx);
    if (p->has_categories) {
        smr_status st = check_codes(p, x);
        if (st != SMR_OK) return st;
    }
    memcpy(p->x, x, (size_t)p->n_inputs * sizeof *x);
    return predict_rows(p->ctx, &p->a, &p->lane, 0, 1, out);
}

void smr_predictor_free(smr_predictor *p)
{
    if (!p) return;
    close_lane(&p->lane);
    smr_free(p->features);
    smr_free(p->x);
    smr_free(p);
}
