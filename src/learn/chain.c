/* chain.c -- see chain.h. */
#include "learn/chain.h"

#include "learn/flow.h"
#include "learn/member.h"
#include "learn/state.h"
#include "learn/task.h"
#include "transform/kept.h"

#include <string.h>

enum { BLOCK_ROWS = 256 };

/* ---- what a stage takes ----------------------------------------------------------------- */

unsigned smr_stage_takes(const smr_stage *stage)
{
    unsigned takes = smr_nature_of(stage->learner, stage->params).takes;
    unsigned sparse = 0, missing = SMR_TAKES_MISSING;
    bool nested = false;
    for (int64_t i = 0; stage->state && i < stage->learner->fitted->n_state; i++) {
        const smr_members *m = smr_state_members(&stage->learner->fitted->state[i], stage->state);
        for (int64_t k = 0; m && k < m->n; k++) {
            if (!smr_member_reads_parent(&m->member[k])) continue; /* only others' answers */
            unsigned its = smr_stage_takes(&m->member[k].stages[0]);
            nested = true;
            sparse |= its & SMR_TAKES_SPARSE;
            missing &= its;
        }
    }
    if (!nested) return takes;
    unsigned derived = SMR_TAKES_SPARSE | SMR_TAKES_MISSING;
    return (takes & ~derived) | (takes & (sparse | missing));
}

int64_t smr_stage_rows_liked(const smr_stage *stage)
{
    int64_t rows =
        stage->learner->fitted->block_rows ? stage->learner->fitted->block_rows : BLOCK_ROWS;
    for (int64_t i = 0; stage->state && i < stage->learner->fitted->n_state; i++) {
        const smr_members *m = smr_state_members(&stage->learner->fitted->state[i], stage->state);
        for (int64_t k = 0; m && k < m->n; k++) {
            const smr_member *one = &m->member[k];
            rows = SMR_MAX(rows, smr_stage_rows_liked(&one->stages[one->n_stages - 1]));
        }
    }
    return rows;
}

static bool has_members(const smr_stage *stage)
{
    for (int64_t i = 0; i < stage->learner->fitted->n_state; i++)
        if (stage->learner->fitted->state[i].type == SMR_STATE_MEMBERS) return true;
    return false;
}

/* Members convert what they are given, each to its own form: they get what there is. */
smr_form smr_stage_form_of(const smr_stage *stage, smr_form natural)
{
    const smr_learner *learner = stage->learner;
    if (natural == SMR_FORM_SPARSE)
        return smr_stage_takes(stage) & SMR_TAKES_SPARSE ? SMR_FORM_SPARSE : SMR_FORM_F64;
    smr_form wanted = SMR_FORM_F64;
    if (has_members(stage))
        wanted = natural;
    else if (learner->fitted->form && stage->state)
        wanted = learner->fitted->form(stage->state);
    smr_nature is = smr_nature_of(learner, stage->params);
    bool enough = wanted <= natural || (wanted == SMR_FORM_F32 && is.traits & SMR_ROUNDS_TO_FLOAT);
    if (enough && (is.takes & 1u << wanted)) return wanted;
    return is.takes & 1u << natural ? natural : SMR_FORM_F64;
}

smr_form smr_stage_form(const smr_stage *stage, const smr_data *data)
{
    if (smr_data_is_sparse(data) && (smr_stage_takes(stage) & SMR_TAKES_SPARSE))
        return SMR_FORM_SPARSE;
    return smr_stage_form_of(stage, smr_data_natural_form(data));
}

smr_form smr_stage_form_out(const smr_stage *stage, smr_form form)
{
    const smr_can_transform *t = stage->learner->fitted->transform;
    if (t->keeps) return form == SMR_FORM_SPARSE ? SMR_FORM_F64 : form;
    return t->form_out ? t->form_out(stage->params, stage->state, form) : SMR_FORM_F64;
}

/* ---- data through a stage --------------------------------------------------------------- */

bool smr_stage_is_sparse(const smr_stage *stage, bool from_sparse)
{
    const smr_can_transform *t = stage->learner->fitted->transform;
    if (!t || t->keeps) return t && from_sparse;
    return t->is_sparse && t->is_sparse(stage->params, stage->state, from_sparse);
}

smr_status smr_stage_append(smr_ctx *ctx, const smr_stage *stage, const smr_rows *rows,
                            smr_entries *out, void *scratch)
{
    const smr_can_transform *t = stage->learner->fitted->transform;
    if (!t->keeps) return t->append(ctx, stage->params, stage->state, rows, out, scratch);
    smr_kept kept = t->keeps(stage->state);
    return smr_kept_append(ctx, &kept, rows, out);
}

smr_status smr_stage_transform(smr_ctx *ctx, const smr_stage *stage, const smr_rows *rows,
                               smr_form form, void *out, void *scratch)
{
    const smr_fitted *f = stage->learner->fitted;
    if (f->transform->keeps) {
        smr_kept kept = f->transform->keeps(stage->state);
        smr_kept_take(&kept, rows, form, out);
        return SMR_OK;
    }
    if (form != SMR_FORM_F64)
        return f->transform->rows(ctx, stage->params, stage->state, rows, form, out, scratch);
    return f->predict(ctx, stage->params, stage->state, rows, SMR_OUTPUT_TRANSFORM, out, scratch);
}

static bool has_kind(const smr_data *data, smr_kind kind)
{
    for (int64_t j = 0; data->features && j < data->n_features; j++)
        if (data->features[j].kind == kind) return true;
    return false;
}

bool smr_data_has_categories(const smr_data *data)
{
    return has_kind(data, SMR_CATEGORY);
}

bool smr_data_has_texts(const smr_data *data)
{
    return has_kind(data, SMR_TEXT);
}

unsigned smr_stage_fills(const smr_stage *stage)
{
    const smr_can_transform *t = stage->learner->fitted->transform;
    return t && t->fills ? t->fills(stage->params) : 0;
}

void smr_stage_items(const smr_stage *stage, const int64_t in[4], int64_t out[4])
{
    const smr_can_transform *t = stage->learner->fitted->transform;
    int64_t shape[4] = {0}, n = 1;
    if (in[0] && t->items)
        t->items(stage->params, stage->state, in, shape);
    else if (in[0] && stage->in_place)
        memcpy(shape, in, sizeof shape);
    for (int k = 0; k < 4 && shape[k]; k++) n *= shape[k];
    bool whole = shape[0] && n == stage->n_out;
    for (int k = 0; k < 4; k++) out[k] = whole ? shape[k] : 0;
}

/* Stages that lie one after another are one run, which a reader passes in one go. */
void smr_chain(const smr_data *source, const smr_stage *stage, smr_data *out)
{
    unsigned fills = smr_stage_fills(stage);
    bool extends = source->source && source->stages + source->n_stages == stage;
    smr_form form = smr_stage_form(stage, source);
    *out = *source;
    out->n_features = stage->n_out;
    out->features = stage->features;
    out->sparse = NULL;
    smr_stage_items(stage, source->item_shape, out->item_shape);
    out->shared = NULL; /* what is kept there depends on other features */
    out->by = &smr_flow_computing;
    if (extends) {
        out->n_stages++;
    } else {
        out->source = source;
        out->stages = stage;
        out->n_stages = 1;
        out->source_form = form;
    }
    out->computed_form = smr_stage_is_sparse(stage, form == SMR_FORM_SPARSE)
                             ? SMR_FORM_SPARSE
                             : smr_stage_form_out(stage, form);
    out->refuse_missing = false;
    out->gaps_in_numbers = source->gaps_in_numbers && !(fills & SMR_FILLS_NUMBERS);
    out->gaps_in_categories = source->gaps_in_categories && !(fills & SMR_FILLS_CATEGORIES) &&
                              smr_data_has_categories(out);
}

void smr_chain_guard(smr_data *data, const smr_stage *next)
{
    data->refuse_missing = !(smr_stage_takes(next) & SMR_TAKES_MISSING);
}

/* ---- outputs ---------------------------------------------------------------------------- */

unsigned smr_stage_gives(const smr_stage *stage)
{
    const smr_learner *l = stage->learner;
    return l->fitted->gives_with
               ? l->fitted->gives & l->fitted->gives_with(stage->params, stage->state)
               : l->fitted->gives;
}

unsigned smr_task_gives(smr_task task, unsigned gives)
{
    if (gives & (SMR_GIVES_PROBA | SMR_GIVES_DECISION)) gives |= SMR_GIVES_LABEL;
    return gives & smr_task_of(task)->gives;
}

int64_t smr_stage_classes(const smr_stage *stage, const smr_shape *shape)
{
    const smr_can_cluster *c = stage->learner->fitted->clusters;
    if (shape->n_classes || !c) return shape->n_classes;
    return c->count(stage->params, stage->state);
}

int64_t smr_output_width(const smr_stage *stage, const smr_shape *shape, smr_output output)
{
    switch (output) {
    case SMR_OUTPUT_VALUE: return SMR_MAX(1, shape->n_outputs);
    case SMR_OUTPUT_INTERVAL: return 2 * SMR_MAX(1, shape->n_outputs);
    case SMR_OUTPUT_LABEL:
    case SMR_OUTPUT_SCORE: return 1;
    case SMR_OUTPUT_PROBA:
    case SMR_OUTPUT_DECISION:
    case SMR_OUTPUT_SET: return smr_stage_classes(stage, shape);
    case SMR_OUTPUT_TRANSFORM: return stage->n_out;
    }
    return 0;
}

smr_output smr_output_asked(const smr_stage *stage, smr_output output)
{
    unsigned gives = smr_stage_gives(stage);
    if (output != SMR_OUTPUT_LABEL || gives & SMR_GIVES_LABEL) return output;
    return gives & SMR_GIVES_PROBA ? SMR_OUTPUT_PROBA : SMR_OUTPUT_DECISION;
}

void smr_choose_labels(const double *scores, int64_t n, int64_t n_classes, double *out)
{
    for (int64_t i = 0; i < n; i++) {
        const double *row = scores + i * n_classes;
        int64_t best = 0;
        for (int64_t k = 1; k < n_classes; k++)
            if (row[k] > row[best]) best = k;
        out[i] = (double)best;
    }
}
