/* model_describe.c -- what a model learned, as one JSON object: see model.h. */
#include "core/number.h"
#include "core/params.h"
#include "learn/draw_weights.h"
#include "learn/model.h"
#include "learn/model_trees.h"
#include "learn/spec.h"
#include "learn/state.h"
#include "learn/target_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void describe_inputs(const smr_schema *schema, smr_json *into)
{
    static const char *const kinds[] = {"number", "category", "text", "date"};
    smr_json *list = smr_json_add_array(into, "columns");
    for (int64_t j = 0; j < schema->n_inputs; j++) {
        const smr_input *in = &schema->inputs[j];
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "name", in->name);
        smr_json_add_string(row, "kind", kinds[in->kind]);
        if (in->kind == SMR_CATEGORY) smr_strings_to_json(row, "levels", &in->levels);
        if (in->has_missing) smr_json_add_bool(row, "missing", true);
    }
    if (schema->n_sparse) smr_json_add_number(into, "sparse_features", (double)schema->n_sparse);
    smr_json *aside = schema->n_aside ? smr_json_add_array(into, "set_aside") : NULL;
    for (int64_t j = 0; j < schema->n_aside; j++)
        smr_json_add_string(aside, NULL, schema->aside[j]);
}

static void describe_target(const smr_target *t, smr_json *into)
{
    smr_json_add_string(into, "task", smr_task_name(t->task));
    smr_json *names = t->n ? smr_json_add_array(into, "target") : NULL;
    for (int64_t j = 0; j < t->n; j++) smr_json_add_string(names, NULL, t->names[j]);
    if (t->task == SMR_TASK_CLASSIFY) smr_strings_to_json(into, "classes", &t->classes);
    if (t->has_threshold) {
        int64_t length;
        const char *positive =
            t->task == SMR_TASK_CLASSIFY ? smr_strings_get(&t->classes, t->positive, &length) : "";
        smr_json *threshold = smr_json_add_object(into, "threshold");
        smr_json_add_number(threshold, "value", t->threshold);
        if (t->task == SMR_TASK_CLASSIFY)
            smr_json_add_bytes(threshold, "positive", positive, length);
        if (t->threshold_how) smr_json_add_string(threshold, "chosen", t->threshold_how);
    }
    if (t->mean) {
        smr_json *scale = smr_json_add_object(into, "target_scale");
        smr_json *mean = smr_json_add_array(scale, "mean"), *sd = smr_json_add_array(scale, "sd");
        for (int64_t j = 0; j < t->n; j++) {
            smr_json_add_number(mean, NULL, t->mean[j]);
            smr_json_add_number(sd, NULL, t->sd[j]);
        }
    }
}

/* ---- names of classes ------------------------------------------------------------------- */

static void name_class(smr_json *value, const smr_strings *classes)
{
    int64_t length;
    if (value->type != SMR_JSON_NUMBER || !(value->number >= 0) ||
        value->number >= (double)classes->n)
        return;
    const char *name = smr_strings_get(classes, (int64_t)value->number, &length);
    smr_json_set_bytes(value, name, length);
}

/* Learners know classes by their numbers: the members "class" and "against" of the rows of a
 * stage's tables get their names.  classes NULL: they are not those of the target. */
static void name_classes(const smr_json *stage, const smr_strings *classes)
{
    for (const smr_json *table = classes ? stage->first : NULL; table; table = table->next)
        for (const smr_json *row = table->first; row; row = row->next)
            for (smr_json *m = row->first; m; m = m->next)
                if (m->key && (strcmp(m->key, "class") == 0 || strcmp(m->key, "against") == 0))
                    name_class(m, classes);
}

/* Users and items, which recommenders know by their numbers, get theirs. */
static void name_roles(const smr_json *stage, smr_role role, const smr_strings *names)
{
    for (const smr_json *table = stage->first; table; table = table->next)
        for (const smr_json *row = table->first; row; row = row->next)
            for (smr_json *m = row->first; m; m = m->next)
                if (m->key && strcmp(m->key, smr_role_name(role)) == 0) name_class(m, names);
}

/* Series that belong to a class, in the figures after the first `known`, take its name. */
static void name_series(smr_json *figures, int64_t known, const smr_strings *classes)
{
    const smr_json *figure = classes ? figures->first : NULL;
    for (; figure && known > 0; known--) figure = figure->next;
    for (; figure; figure = figure->next) {
        const smr_json *list = smr_json_get(figure, "series");
        for (const smr_json *one = list ? list->first : NULL; one; one = one->next) {
            const smr_json *class = smr_json_get(one, "class");
            int64_t c = class ? (int64_t) class->number : -1, length;
            for (smr_json *m = one->first; m && c >= 0 && c < classes->n; m = m->next)
                if (m->key && strcmp(m->key, "name") == 0) {
                    const char *name = smr_strings_get(classes, c, &length);
                    smr_json_set_bytes(m, name, length);
                }
        }
    }
}

/* Titles of a member's figures, those after the first `known`, end in the way to it: "of.0". */
static smr_status name_member(smr_ctx *ctx, smr_json *figures, int64_t known, const char *prefix)
{
    smr_status st = SMR_OK;
    smr_text title = {.ctx = ctx};
    size_t length = strlen(prefix);
    const smr_json *figure = length && figures ? figures->first : NULL;
    for (; figure && known > 0; known--) figure = figure->next;
    for (; figure; figure = figure->next)
        for (smr_json *m = figure->first; m; m = m->next) {
            if (!m->key || strcmp(m->key, "title") != 0 || m->type != SMR_JSON_STRING) continue;
            title.length = 0;
            smr_text_printf(&title, "%s: ", m->string);
            smr_text_add_bytes(&title, prefix, (int64_t)length - 1);
            TRY(smr_text_done(&title));
            smr_json_set_bytes(m, title.bytes, title.length);
        }
out:
    smr_text_release(&title);
    return st;
}

/* The classes that a member tells apart, where they are those of the whole. */
static const smr_strings *classes_of(const smr_member *m, const smr_strings *classes)
{
    bool same = classes && m->shape.task == SMR_TASK_CLASSIFY && m->shape.n_classes == classes->n;
    return same ? classes : NULL;
}

/* ---- stages ----------------------------------------------------------------------------- */

/* Members that are described in full; of more than MANY, the first FEW are drawn. */
enum { MOST_MEMBERS = 20, MANY_MEMBERS = 8, FEW_MEMBERS = 3 };

static smr_status describe_stage(smr_ctx *ctx, const smr_stage *stage, const smr_feature *in,
                                 const smr_strings *classes, smr_json *row);

static smr_status describe_member(smr_ctx *ctx, const smr_member *m, const smr_feature *in,
                                  const smr_strings *classes, smr_json *row)
{
    smr_text sentence = {.ctx = ctx};
    smr_status st = SMR_OK;
    smr_stages_write(NULL, m->stages, m->n_stages, &sentence);
    TRY(smr_text_done(&sentence));
    smr_json_add_string(row, "sentence", sentence.bytes);
    smr_json *list = smr_json_add_array(row, "stages");
    for (int64_t s = 0; s < m->n_stages; s++) {
        const smr_feature *its = s ? m->stages[s - 1].features : m->features ? m->features : in;
        smr_json *one = smr_json_add_object(list, NULL);
        TRY(describe_stage(ctx, &m->stages[s], its, classes_of(m, classes), one));
        TRY(smr_describe_member_tree(ctx, &m->stages[s], its, classes_of(m, classes), one));
    }
out:
    smr_text_release(&sentence);
    return st;
}

static smr_status describe_members(smr_ctx *ctx, const smr_stage *stage, const smr_feature *in,
                                   const smr_strings *classes, smr_json *row)
{
    smr_status st = SMR_OK;
    smr_json *list = NULL;
    for (int64_t i = 0; i < stage->learner->fitted->n_state; i++) {
        const smr_state *kept = &stage->learner->fitted->state[i];
        const smr_members *members = smr_state_members(kept, stage->state);
        if (!members || members->n == 0) continue;
        if (!list) list = smr_json_add_array(row, "members");
        for (int64_t k = 0; k < SMR_MIN(members->n, MOST_MEMBERS); k++) {
            char name[128];
            smr_json *one = smr_json_add_object(list, NULL);
            snprintf(name, sizeof name, "%s.%lld", kept->name, (long long)k);
            smr_json_add_string(one, "member", name);
            TRY(describe_member(ctx, &members->member[k], in, classes, one));
        }
        if (members->n > MOST_MEMBERS)
            smr_json_add_number(row, "members_not_shown", (double)(members->n - MOST_MEMBERS));
    }
out:
    return st;
}

/* What the sentence says at a place: the word there, and its parameters. */
static smr_status describe_word(smr_ctx *ctx, const smr_word *word, const void *params,
                                bool inserted, smr_json *row)
{
    smr_text sentence = {.ctx = ctx};
    smr_status st = SMR_OK;
    smr_word_write(word, params, &sentence);
    TRY(smr_text_done(&sentence));
    smr_json_add_string(row, "stage", word->name);
    smr_json_add_string(row, "title", word->title);
    smr_json_add_string(row, "sentence", sentence.bytes);
    smr_json_add_bool(row, "inserted", inserted);
out:
    smr_text_release(&sentence);
    return st;
}

/* in: the features that it reads. */
static smr_status describe_stage(smr_ctx *ctx, const smr_stage *stage, const smr_feature *in,
                                 const smr_strings *classes, smr_json *row)
{
    smr_status st = SMR_OK;
    TRY(describe_word(ctx, stage->learner->word, stage->params, stage->inserted, row));
    if (stage->learner->fitted->describe)
        TRY(stage->learner->fitted->describe(ctx, stage->params, stage->state, in, stage->n_in,
                                             row));
    name_classes(row, classes);
    TRY(describe_members(ctx, stage, in, classes, row));
out:
    return st;
}

static const smr_strings *known_classes(const smr_model *m)
{
    return m->target.task == SMR_TASK_CLASSIFY ? &m->target.classes : NULL;
}

/* What was fitted in place of the targets: coefficients, leaves and losses are in its unit. */
static smr_status describe_target_map(smr_ctx *ctx, const smr_model *m, smr_json *head)
{
    smr_status st = SMR_OK;
    smr_feature *features = NULL;
    const smr_stage *map = m->target_map;
    if (!map) return SMR_OK;
    smr_json_add_string(head, "fitted_to", smr_target_map_words(smr_model_columns(m)->target));
    TRY_NEW(features, map->n_in);
    for (int64_t j = 0; j < map->n_in; j++) features[j].name = m->target.names[j];
    TRY(map->learner->fitted->describe(ctx, map->params, map->state, features, map->n_in,
                                       smr_json_add_object(head, "target_map")));
out:
    smr_free(features);
    return st;
}

static smr_status describe_stages(smr_ctx *ctx, const smr_model *m, const smr_tree_how *how,
                                  smr_json *into)
{
    smr_status st = SMR_OK;
    smr_json *list = smr_json_add_array(into, "stages"), *head = smr_json_add_object(list, NULL);
    TRY(describe_word(ctx, &smr_columns_word, &m->head.columns, !m->head.written, head));
    name_classes(head, known_classes(m));
    describe_inputs(&m->schema, head);
    TRY(describe_target_map(ctx, m, head));
    for (int64_t s = 0; s < m->n_stages; s++) {
        smr_json *row = smr_json_add_object(list, NULL);
        const smr_feature *in = s == 0 ? m->features : m->stages[s - 1].features;
        TRY(describe_stage(ctx, &m->stages[s], in, known_classes(m), row));
        for (int r = SMR_ROLE_USER; r < SMR_ROLES && m->stages[s].learner->fitted->rank; r++)
            name_roles(row, (smr_role)r, &m->schema.roles[r].levels);
        if (s + 1 == m->n_stages) TRY(smr_describe_tree(ctx, m, how, row));
    }
out:
    return st;
}

/* ---- figures ---------------------------------------------------------------------------- */

/* Figures of stages and of their members, whose names begin with the way to them: "of.0.map". */
static smr_status draw_stages(smr_ctx *ctx, const smr_stage *stages, int64_t n,
                              const smr_feature *in, const smr_strings *classes, const char *prefix,
                              smr_json *figures)
{
    smr_status st = SMR_OK;
    smr_text path = {.ctx = ctx};
    for (int64_t s = 0; s < n; s++) {
        const smr_learner *l = stages[s].learner;
        int64_t known = figures ? figures->n : 0;
        const smr_feature *its = s ? stages[s - 1].features : in;
        if (l->fitted->draw && stages[s].state)
            TRY(l->fitted->draw(ctx, stages[s].params, stages[s].state, its, stages[s].n_in, prefix,
                                figures));
        TRY(smr_draw_weights(ctx, &stages[s], its, classes, prefix, figures));
        if (figures) name_series(figures, known, classes);
        TRY(name_member(ctx, figures, known, prefix));
        for (int64_t i = 0; i < l->fitted->n_state; i++) {
            const smr_members *list = smr_state_members(&l->fitted->state[i], stages[s].state);
            int64_t drawn = !list ? 0 : list->n > MANY_MEMBERS ? FEW_MEMBERS : list->n;
            for (int64_t k = 0; k < drawn; k++) {
                path.length = 0;
                smr_text_printf(&path, "%s%s.%lld.", prefix, l->fitted->state[i].name,
                                (long long)k);
                TRY(smr_text_done(&path));
                const smr_member *m = &list->member[k];
                TRY(draw_stages(ctx, m->stages, m->n_stages, m->features ? m->features : its,
                                classes_of(m, classes), path.bytes, figures));
            }
        }
    }
out:
    smr_text_release(&path);
    return st;
}

static bool draws(const smr_stage *stages, int64_t n)
{
    for (int64_t s = 0; s < n; s++) {
        const smr_learner *l = stages[s].learner;
        if (l->fitted->draw || smr_weights_are_drawn(&stages[s])) return true;
        for (int64_t i = 0; stages[s].state && i < l->fitted->n_state; i++) {
            const smr_members *list = smr_state_members(&l->fitted->state[i], stages[s].state);
            for (int64_t k = 0; list && k < list->n; k++)
                if (draws(list->member[k].stages, list->member[k].n_stages)) return true;
        }
    }
    return false;
}

/* The measures that were kept when it was trained. */
static smr_status describe_summary(smr_ctx *ctx, const smr_model *m, smr_json *into)
{
    smr_json_doc *doc = NULL;
    if (!m->summary) return SMR_OK;
    smr_status st = smr_json_parse(ctx, m->summary, (int64_t)strlen(m->summary), &doc);
    if (st == SMR_OK) smr_json_add_copy(into, "measured", smr_json_root(doc));
    smr_json_free(doc);
    return st;
}

/* A number is exact up to 2^53: beyond that the digits are given as text. */
static void add_seed(smr_json *into, uint64_t seed)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, seed);
    if (seed <= UINT64_C(1) << 53)
        smr_json_add_number(into, "seed", (double)seed);
    else
        smr_json_add_string(into, "seed", digits);
}

smr_status smr_model_describe(smr_ctx *ctx, const smr_model *m, smr_json *into)
{
    return smr_model_describe_as(ctx, m, NULL, into);
}

smr_status smr_model_describe_as(smr_ctx *ctx, const smr_model *m, const smr_tree_how *how,
                                 smr_json *into)
{
    static const smr_tree_how usual = {-1, -1, -1};
    smr_status st = SMR_OK;
    smr_text sentence = {.ctx = ctx};
    if (!how) how = &usual;
    smr_stages_write(&m->head, m->stages, m->n_stages, &sentence);
    TRY(smr_text_done(&sentence));
    smr_json_add_string(into, "spec", sentence.bytes);
    describe_target(&m->target, into);
    smr_json_add_number(into, "rows", (double)m->n_rows);
    smr_json_add_number(into, "features", (double)(m->schema.n_inputs + m->schema.n_sparse));
    add_seed(into, m->seed);
    if (m->data_hash[0]) smr_json_add_string(into, "data_hash", m->data_hash);
    if (m->fit.n_iter) smr_fit_report_json(&m->fit, smr_json_add_object(into, "fit"));
    TRY(describe_summary(ctx, m, into));
    TRY(describe_stages(ctx, m, how, into));
    if (draws(m->stages, m->n_stages) || smr_tree_is_drawn(m, how)) {
        smr_json *figures = smr_json_add_array(into, "figures");
        if (smr_tree_is_drawn(m, how)) TRY(smr_draw_tree(ctx, m, how, figures));
        TRY(draw_stages(ctx, m->stages, m->n_stages, m->features, known_classes(m), "", figures));
    }
out:
    smr_text_release(&sentence);
    return st;
}
