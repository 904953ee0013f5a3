/* model_trees.c -- see model_trees.h. */
#include "learn/model_trees.h"

#include "learn/chain.h"
#include "learn/schema.h"
#include "learn/state.h"

#include <string.h>

/* ---- counting --------------------------------------------------------------------------- */

smr_tree_view smr_stage_trees(const smr_stage *stage)
{
    smr_tree_view view = {0};
    if (smr_explains(stage->learner)->trees && stage->state)
        view = smr_explains(stage->learner)->trees(stage->params, stage->state);
    return view;
}

static int64_t count_trees(const smr_stage *stage, int64_t level)
{
    smr_tree_view view = smr_stage_trees(stage);
    int64_t n = 0;
    if (view.trees) return view.trees->n_trees;
    for (int64_t i = 0;
         stage->state && level < SMR_MEMBER_DEPTH && i < stage->learner->fitted->n_state; i++) {
        const smr_members *list =
            smr_state_members(&stage->learner->fitted->state[i], stage->state);
        for (int64_t k = 0; list && k < list->n; k++)
            if (list->member[k].n_stages > 0)
                n += count_trees(smr_member_last(&list->member[k]), level + 1);
    }
    return n;
}

int64_t smr_model_count_trees(const smr_model *model)
{
    return count_trees(smr_model_last(model), 0);
}

/* ---- finding ---------------------------------------------------------------------------- */

/* Tree number *left of the stage, whose features are `in`; counts *left down on the way. */
static bool find(const smr_stage *stage, const smr_feature *in, int64_t *left, smr_model_tree *out)
{
    smr_tree_view view = smr_stage_trees(stage);
    if (view.trees) {
        out->view = view;
        out->tree = *left;
        out->names.in = in;
        out->names.n_in = stage->n_in;
        *left -= view.trees->n_trees;
        return *left < 0;
    }
    if (out->n_way == SMR_MEMBER_DEPTH) return false;
    for (int64_t i = 0; stage->state && i < stage->learner->fitted->n_state; i++) {
        const smr_members *list =
            smr_state_members(&stage->learner->fitted->state[i], stage->state);
        for (int64_t k = 0; list && k < list->n; k++) {
            const smr_member *m = &list->member[k];
            int64_t n = m->n_stages;
            if (n == 0) continue;
            const smr_feature *its = m->features ? m->features : in;
            out->way[out->n_way++] = m;
            if (find(&m->stages[n - 1], n > 1 ? m->stages[n - 2].features : its, left, out))
                return true;
            out->n_way--;
        }
    }
    return false;
}

static const smr_feature *features_of(const smr_model *m)
{
    return m->n_stages == 1 ? m->features : m->stages[m->n_stages - 2].features;
}

/* Whose values were missing in training is known where trees read the columns as they are. */
static smr_status find_gaps(smr_ctx *ctx, const smr_model *m, smr_model_tree *t)
{
    smr_status st = SMR_OK;
    if (m->n_stages != 1 || t->names.in != m->features) return SMR_OK;
    TRY_NEW(t->gaps, m->n_features + 1);
    for (int64_t j = 0; j < m->n_features; j++)
        for (int64_t i = 0; i < m->schema.n_inputs; i++)
            if (strcmp(m->schema.inputs[i].name, m->features[j].name) == 0)
                t->gaps[j] = m->schema.inputs[i].has_missing;
    t->names.has_gaps = t->gaps;
out:
    return st;
}

/* The classes that a tree tells apart are the model's, unless a member was given others. */
static void name_classes(const smr_model *m, smr_model_tree *t)
{
    bool same = m->target.task == SMR_TASK_CLASSIFY;
    for (int64_t k = 0; k < t->n_way; k++)
        same &= t->way[k]->shape.task == SMR_TASK_CLASSIFY &&
                t->way[k]->shape.n_classes == m->target.classes.n;
    if (same) t->names.classes = &m->target.classes;
    if (m->target.task == SMR_TASK_REGRESS && t->n_way == 0) {
        t->names.mean = m->target.mean;
        t->names.sd = m->target.sd;
    }
}

smr_status smr_model_find_tree(smr_ctx *ctx, const smr_model *m, int64_t number,
                               smr_model_tree *out)
{
    smr_status st = SMR_OK;
    int64_t left = number, n = smr_model_count_trees(m);
    *out = (smr_model_tree){0};
    if (n == 0)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "the model ends in '%s', which is not made of trees; tree, forest and "
                        "boost are",
                        smr_model_last(m)->learner->word->name);
    if (number < 0 || !find(smr_model_last(m), features_of(m), &left, out))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "there is no tree %lld; the model has %lld, counted from 0",
                        (long long)number, (long long)n);
    name_classes(m, out);
    TRY(find_gaps(ctx, m, out));
out:
    return st;
}

void smr_model_tree_release(smr_model_tree *t)
{
    smr_free(t->gaps);
    *t = (smr_model_tree){0};
}

/* ---- a row ------------------------------------------------------------------------------ */

/* data[n_data - 1] flows through all stages except the last, which reads what comes out. */
static void chain_stages(smr_data *data, int64_t *n_data, const smr_stage *stages, int64_t n)
{
    for (int64_t s = 0; s < n; s++) {
        smr_chain_guard(&data[*n_data - 1], &stages[s]);
        if (s + 1 == n) return;
        smr_chain(&data[*n_data - 1], &stages[s], &data[*n_data]);
        ++*n_data;
    }
}

smr_status smr_model_tree_row(smr_ctx *ctx, const smr_model *m, const smr_model_tree *t,
                              const smr_table *table, int64_t row, double **x)
{
    smr_status st = SMR_OK;
    smr_binding binding = {0};
    smr_data *data = NULL;
    smr_reader *reader = NULL;
    smr_rows rows;
    int64_t n_data = 1, room = m->n_stages + 1;
    *x = NULL;
    for (int64_t k = 0; k < t->n_way; k++) {
        room += t->way[k]->n_stages;
        if (t->way[k]->features)
            return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                            "that tree reads other members' answers, not the columns of a table");
    }
    TRY_NEW(data, room);
    TRY(smr_schema_bind(ctx, &m->schema, smr_model_columns(m), table, &binding));
    data[0] = binding.data;
    data[0].rows = &row;
    data[0].n_rows = 1;
    chain_stages(data, &n_data, m->stages, m->n_stages);
    for (int64_t k = 0; k < t->n_way; k++)
        chain_stages(data, &n_data, t->way[k]->stages, t->way[k]->n_stages);
    TRY(smr_reader_open(ctx, &data[n_data - 1], SMR_FORM_F64, 1, &reader));
    TRY(smr_reader_rows(ctx, reader, 0, 1, &rows));
    TRY_NEW(*x, rows.d + 1);
    memcpy(*x, rows.x, (size_t)rows.d * sizeof **x);
out:
    smr_reader_close(reader);
    smr_binding_release(&binding);
    smr_free(data);
    return st;
}
