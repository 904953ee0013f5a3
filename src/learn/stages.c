/* stages.c -- see stages.h. */
#include "learn/stages.h"

#include "core/text.h"
#include "data/keep.h"
#include "data/row_subset.h"
#include "learn/chain.h"
#include "learn/checkpoint.h"
#include "learn/member.h"
#include "learn/registry.h"
#include "learn/state.h"
#include "learn/state_check.h"
#include "learn/task_params.h"
#include "learn/trace.h"
#include "learn/views.h"
#include "transform/kept.h"

#include <math.h>
#include <string.h>

/* ---- adapters --------------------------------------------------------------------------- */

/* An array with room for one more. */
static smr_status place_stage(smr_ctx *ctx, smr_stage *stages, int64_t *n, int64_t at,
                              const smr_learner *learner)
{
    smr_status st = SMR_OK;
    smr_stage stage = {.learner = learner, .inserted = true};
    TRY(smr_params_create(ctx, learner->word, &stage.params));
    memmove(stages + at + 1, stages + at, (size_t)(*n - at) * sizeof *stages);
    stages[at] = stage;
    (*n)++;
out:
    return st;
}

/* What a stage needs that the data do not give it. */
static smr_need need_of(const smr_stage *stage, const smr_data *data)
{
    smr_nature its = smr_nature_of(stage->learner, stage->params);
    unsigned takes = its.takes;
    bool gaps = data->gaps_in_numbers || (data->gaps_in_categories && (takes & SMR_TAKES_CODES));
    bool fills = !(takes & SMR_TAKES_MISSING) && !(its.traits & SMR_FILLS_NO_GAPS);
    if (gaps && fills) return SMR_NEED_FILLED;
    if (smr_data_has_categories(data) && !(takes & SMR_TAKES_CODES)) return SMR_NEED_NUMBERS;
    if (smr_data_has_texts(data) && !(takes & SMR_TAKES_TEXT)) return SMR_NEED_WORDS;
    return SMR_NEED_NONE;
}

/* Does the first stage from s on that does not pass the question on have this trait? */
static bool is_before(const smr_stage *stages, int64_t n, int64_t s, unsigned trait)
{
    while (s + 1 < n && smr_stage_has(&stages[s], SMR_PASSES_CONTRASTS)) s++;
    return s < n && smr_stage_has(&stages[s], trait);
}

/* Inserts before stage s, and before what is inserted there, as long as something is needed. */
static smr_status insert_adapters(smr_ctx *ctx, smr_stage *stages, int64_t *n, int64_t s,
                                  const smr_data *data)
{
    smr_status st = SMR_OK;
    smr_need need;
    while ((need = need_of(&stages[s], data)) != SMR_NEED_NONE) {
        const smr_learner *adapter = smr_registry_adapter(need);
        TRY(place_stage(ctx, stages, n, s, adapter));
        unsigned takes = smr_nature_of(stages[s + 1].learner, stages[s + 1].params).takes;
        smr_tailor next = {.codes = takes & SMR_TAKES_CODES,
                           .gaps_in_categories = data->gaps_in_categories,
                           .contrasts = is_before(stages, *n, s + 1, SMR_WANTS_CONTRASTS)};
        if (adapter->fitted->transform->tailor)
            adapter->fitted->transform->tailor(stages[s].params, &next);
    }
out:
    return st;
}

/* ---- one stage -------------------------------------------------------------------------- */

/* Is the stage one for these data, and are its parameters ones for the task? */
static bool has_number(const smr_data *data)
{
    for (int64_t j = 0; j < data->n_features && data->features; j++)
        if (data->features[j].kind != SMR_CATEGORY) return true;
    return !data->features;
}

static smr_status check_takes(smr_ctx *ctx, const smr_stage *stage, const smr_data *data)
{
    const smr_learner *l = stage->learner;
    unsigned takes = smr_nature_of(l, stage->params).takes;
    bool learns = !smr_transforms(l);
    if (learns && data->n_outputs > 1 && !(takes & SMR_TAKES_MANY_TARGETS))
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "%s predicts one target at a time; %lld were named", l->word->name,
                        (long long)data->n_outputs);
    if (data->weight && !(takes & SMR_TAKES_WEIGHTS))
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED, "%s does not take row weights", l->word->name);
    if (data->n_features == 0 && !(takes & SMR_TAKES_ROLES))
        return smr_fail(ctx, SMR_ERR_DATA, "no features are left for %s", l->word->name);
    if (data->n_classes > 0 || data->y) {
        smr_status st = smr_target_check_params(ctx, l->word, stage->params);
        if (st != SMR_OK) return st;
    }
    if (!has_number(data)) {
        smr_status st = smr_numbers_check_params(ctx, l->word, stage->params);
        if (st != SMR_OK) return st;
    }
    return smr_task_check_params(ctx, l->word, stage->params, data->task);
}

static smr_status find_in_place(smr_ctx *ctx, smr_stage *stage)
{
    smr_status st = SMR_OK;
    int64_t *from = NULL, n = stage->n_out;
    stage->in_place = n == stage->n_in;
    if (!stage->in_place) return SMR_OK;
    TRY_NEW(from, n + 1);
    smr_stage_origins(stage, n, from, n);
    for (int64_t j = 0; j < n; j++) stage->in_place &= from[j] == j;
out:
    smr_free(from);
    return st;
}

/* Features have names, which take memory that a short sentence can ask for many times. */
static smr_status take_room(smr_ctx *ctx, const smr_stage *stage, int64_t n_out, int64_t *room)
{
    if (!room) return SMR_OK;
    if (n_out > *room)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "%s gives %lld features, and the stages of a file of this size have room "
                        "for %lld more",
                        stage->learner->word->name, (long long)n_out, (long long)*room);
    *room -= n_out;
    return SMR_OK;
}

static smr_status link_stage(smr_ctx *ctx, smr_stage *stage, const smr_feature *in, int64_t n_in,
                             int64_t *room)
{
    const smr_learner *l = stage->learner;
    smr_status st = SMR_OK;
    stage->n_in = n_in;
    if (!smr_transforms(l)) return SMR_OK;
    const smr_can_transform *t = l->fitted->transform;
    smr_kept kept = t->keeps ? t->keeps(stage->state) : (smr_kept){0};
    int64_t n_out = t->keeps ? kept.n : n_in;
    if (t->n_out) n_out = t->n_out(stage->params, stage->state, n_in);
    TRY(take_room(ctx, stage, n_out, room));
    TRY_NEW(stage->features, n_out + 1);
    stage->n_out = n_out;
    if (t->keeps) {
        TRY(smr_kept_outputs(ctx, &kept, in, stage->features));
    } else if (t->outputs) {
        TRY(t->outputs(ctx, stage->params, stage->state, in, n_in, stage->features, n_out));
    } else {
        for (int64_t j = 0; j < n_out; j++) {
            stage->features[j].kind = SMR_NUMBER;
            stage->features[j].name = smr_strdup(ctx, in[j].name);
            if (!stage->features[j].name) return SMR_ERR_NOMEM;
        }
    }
    for (int64_t j = 0; j < n_out; j++) stage->features[j].stride = 1;
    TRY(find_in_place(ctx, stage));
out:
    return st;
}

/* The data without what the learner does not take: borders, roles, rows without a label. */
static smr_status leave_out(smr_ctx *ctx, const smr_stage *stage, smr_data *data, smr_subset *some)
{
    smr_status st = SMR_OK;
    const smr_learner *l = stage->learner;
    smr_nature is = smr_nature_of(l, stage->params);
    bool transforms = is.tasks == SMR_DOES_TRANSFORM || is.traits & SMR_TRANSFORMS_FIRST;
    bool reads_target = !transforms || is.traits & SMR_NEEDS_TARGET;
    int64_t *rows = NULL, n = 0;
    if (!(is.takes & SMR_TAKES_SEQUENCES)) data->border = NULL;
    if (!(is.takes & SMR_TAKES_ROLES)) data->roles = (smr_roles){0};
    if (!data->n_unlabelled || !reads_target || is.takes & SMR_TAKES_UNLABELLED) return SMR_OK;
    TRY_NEW(rows, data->n_rows);
    for (int64_t i = 0; i < data->n_rows; i++)
        if (smr_data_is_labelled(data, i)) rows[n++] = i;
    if (n == 0) TRY(smr_fail(ctx, SMR_ERR_DATA, "%s: no row has a target", l->word->name));
    TRY(smr_subset_make(ctx, data, rows, n, NULL, some));
    *data = some->data;
out:
    smr_free(rows);
    return st;
}

static smr_status fit_stage(smr_ctx *ctx, smr_stage *stage, const smr_feature *in,
                            const smr_data *all, smr_fit_report *report)
{
    const smr_learner *l = stage->learner;
    smr_status st = SMR_OK;
    smr_subset some = {0};
    smr_data given = *all, *data = &given;
    if (!l->fit)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED, "%s cannot be fitted by this build",
                        l->word->name);
    TRY(check_takes(ctx, stage, data));
    TRY(smr_task_fill_params(ctx, l->word, stage->params, data->task));
    TRY(leave_out(ctx, stage, data, &some));
    TRY(smr_state_create(ctx, l, &stage->state));
    smr_fit_report_release(report);
    *report = (smr_fit_report){.learner = l,
                               .tells = report->tells,
                               .keep_left_out = report->keep_left_out,
                               .is_free = report->is_free,
                               .checkpoint = report->checkpoint,
                               .warm = report->warm,
                               .trace = report->trace,
                               .objective = NAN,
                               .converged = true};
    double began = smr_now();
    if (report->trace) TRY(smr_trace_open(ctx, report->trace, data));
    TRY(smr_learner_fit(ctx, l, stage->params, data, stage->state, report));
    if (report->tells)
        smr_info(ctx, "%s: fitted to %lld row%s of %lld feature%s in %lld ms", l->word->name,
                 (long long)data->n_rows, smr_plural(data->n_rows, "", "s"),
                 (long long)data->n_features, smr_plural(data->n_features, "", "s"),
                 (long long)(1000 * (smr_now() - began) + 0.5));
    if (l->fitted->prepare) TRY(l->fitted->prepare(ctx, stage->params, stage->state));
    TRY(link_stage(ctx, stage, in, data->n_features, NULL));
out:
    smr_subset_release(&some);
    return st;
}

/* The training rows after a stage, for those after it: computed when they are read, unless they are
 * sparse or not what the stage gives for other rows; these are computed once and kept. */
static smr_status pass_rows(smr_ctx *ctx, smr_stage *stage, const smr_data *from, smr_data *to,
                            smr_keep *kept)
{
    smr_status st = SMR_OK;
    const smr_can_transform *t = stage->learner->fitted->transform;
    smr_chain(from, stage, to);
    if (t->training) TRY(t->training(ctx, stage->params, stage->state, from));
    if (smr_data_is_sparse(to))
        TRY(smr_data_keep(ctx, to, SMR_FORM_SPARSE, true, kept));
    else if (t->training)
        TRY(smr_data_keep(ctx, to, SMR_FORM_F64, true, kept));
out:
    if (t->training) t->training(ctx, stage->params, stage->state, NULL);
    return st;
}

/* ---- all of them ------------------------------------------------------------------------ */

/* A stage gets at most three adapters: an imputation, a coding, and a bag of words. */
enum { WITH_ADAPTERS = 4 };

static smr_status fit_all(smr_ctx *ctx, smr_stage *stages, int64_t *n, const smr_feature *in,
                          smr_data *data, smr_keep *kept, smr_fit_report *report)
{
    smr_status st = SMR_OK;
    const smr_table *spend = data[0].spend;
    const smr_warm_start *warm = report->warm; /* of the last stage, as is */
    struct smr_trace *trace = report->trace;
    bool is_free = report->is_free; /* what comes after all of them */
    for (int64_t s = 0; s < *n; s++) {
        st = insert_adapters(ctx, stages, n, s, &data[s]); /* stage s is then the adapter */
        bool keeps = smr_stage_has(&stages[s], SMR_KEEPS_DATA) &&
                     s + 1 == *n; /* the rows are not read after this */
        data[s].spend = keeps ? spend : NULL;
        smr_checkpoint_stage(report->checkpoint, s + 1, &stages[s], s ? stages[s - 1].features : in,
                             &data[s]);
        report->warm = s + 1 == *n ? warm : NULL;
        report->is_free = is_free || is_before(stages, *n, s + 1, SMR_FITS_FREELY);
        report->trace = s + 1 == *n ? trace : NULL;
        if (st == SMR_OK)
            st = fit_stage(ctx, &stages[s], s ? stages[s - 1].features : in, &data[s], report);
        if (st != SMR_OK && st != SMR_ERR_CANCELLED && *n > 1 && !strstr(ctx->message, "(while"))
            smr_while(ctx, "fitting stage %lld, %s", (long long)(s + 1),
                      stages[s].learner->word->name);
        if (st != SMR_OK) break;
        if (s + 1 == *n) break;
        st = pass_rows(ctx, &stages[s], &data[s], &data[s + 1], &kept[s + 1]);
        if (st != SMR_OK) break;
    }
    return st;
}

/* Stages with the learners and parameters of a spec, and room for others; their states are NULL. */
static smr_status make_stages(smr_ctx *ctx, const smr_spec *spec, int64_t room, smr_stage **out)
{
    smr_status st = SMR_OK;
    smr_stage *stages = NULL;
    TRY_NEW(stages, room);
    for (int64_t s = 0; s < spec->n; s++) {
        stages[s].learner = spec->steps[s].learner;
        TRY(smr_params_copy(ctx, stages[s].learner->word, spec->steps[s].params,
                            &stages[s].params));
    }
    *out = stages;
    stages = NULL;
out:
    smr_stages_free(stages, spec->n);
    return st;
}

smr_status smr_stages_load(smr_ctx *ctx, const smr_spec *spec, smr_stage **stages, int64_t *n)
{
    smr_status st = make_stages(ctx, spec, spec->n, stages);
    *n = st == SMR_OK ? spec->n : 0;
    return st;
}

void smr_stages_free(smr_stage *stages, int64_t n)
{
    if (!stages) return;
    for (int64_t s = 0; s < n; s++) {
        smr_stage *stage = &stages[s];
        if (!stage->learner) continue;
        smr_stage_release_state(stage);
        smr_params_free(stage->learner->word, stage->params);
        smr_features_free(stage->features, stage->n_out);
    }
    smr_free(stages);
}

/* Stages and data stay in place while later stages are computed from them. */
smr_status smr_stages_fit(smr_ctx *ctx, const smr_spec *spec, const smr_feature *in,
                          const smr_data *given, smr_fit_report *report, smr_stage **out,
                          int64_t *n_out)
{
    smr_status st = SMR_OK;
    smr_stage *stages = NULL;
    smr_data *data = NULL;
    smr_keep *kept = NULL;
    int64_t n = spec->n, room = WITH_ADAPTERS * n + 1;
    *out = NULL;
    *n_out = 0;
    TRY_NEW(data, room);
    TRY_NEW(kept, room);
    TRY(make_stages(ctx, spec, room, &stages));
    data[0] = *given;
    TRY(fit_all(ctx, stages, &n, in, data, kept, report));
    *out = stages;
    *n_out = n;
    stages = NULL;
out:
    for (int64_t s = 0; kept && s < room; s++) smr_keep_release(&kept[s]);
    smr_free(kept);
    smr_free(data);
    smr_stages_free(stages, n);
    return st;
}

/* ---- from a stream ---------------------------------------------------------------------- */

static smr_status begin_stage(smr_ctx *ctx, smr_stage *stage, const smr_feature *in,
                              const smr_data *like)
{
    const smr_learner *l = stage->learner;
    smr_status st = SMR_OK;
    smr_shape shape = {.learner = l,
                       .n_features = like->n_features,
                       .task = like->task,
                       .n_outputs = like->n_outputs,
                       .n_classes = like->n_classes,
                       .features = in,
                       .gaps_in_numbers = like->gaps_in_numbers,
                       .gaps_in_categories = like->gaps_in_categories,
                       .weighted = like->weight != NULL};
    memcpy(shape.item_shape, like->item_shape, sizeof shape.item_shape);
    TRY(smr_check_stream(ctx, l));
    TRY(check_takes(ctx, stage, like));
    TRY(smr_stream_check_params(ctx, l->word, stage->params));
    TRY(smr_state_create(ctx, l, &stage->state));
    TRY(l->stream->begin(ctx, stage->params, &shape, stage->state));
    st = smr_state_check(ctx, stage, &shape);
    if (st == SMR_OK && l->fitted->check)
        st = l->fitted->check(ctx, stage->params, stage->state, &shape);
    if (st == SMR_ERR_FORMAT) st = ctx->status = SMR_ERR_INTERNAL; /* no file had a part in it */
    TRY(st);
    if (l->fitted->prepare) TRY(l->fitted->prepare(ctx, stage->params, stage->state));
    TRY(link_stage(ctx, stage, in, like->n_features, NULL));
out:
    return st;
}

smr_status smr_stages_begin(smr_ctx *ctx, const smr_spec *spec, const smr_feature *in,
                            const smr_data *like, smr_stage **out, int64_t *n_out)
{
    smr_status st = SMR_OK;
    smr_stage *stages = NULL;
    smr_data *data = NULL;
    int64_t n = spec->n, room = WITH_ADAPTERS * n + 1;
    *out = NULL;
    *n_out = 0;
    TRY_NEW(data, room);
    TRY(make_stages(ctx, spec, room, &stages));
    data[0] = *like;
    for (int64_t s = 0; s < n; s++) {
        TRY(insert_adapters(ctx, stages, &n, s, &data[s])); /* stage s is then the adapter */
        TRY(begin_stage(ctx, &stages[s], s ? stages[s - 1].features : in, &data[s]));
        if (s + 1 < n) smr_chain(&data[s], &stages[s], &data[s + 1]);
    }
    *out = stages;
    *n_out = n;
    stages = NULL;
out:
    smr_free(data);
    smr_stages_free(stages, n);
    return st;
}

static void name_streamers(bool transforms, smr_text *out)
{
    int64_t n, shown = 0;
    const smr_learner *const *all = smr_registry(&n);
    for (int64_t i = 0; i < n; i++) {
        bool fits = transforms ? smr_transforms(all[i])
                               : !smr_transforms(all[i]) || all[i]->tasks & SMR_DOES_CLUSTER;
        if (!all[i]->stream || !fits) continue;
        smr_text_printf(out, "%s%s", shown++ ? ", " : "", all[i]->word->name);
    }
    if (!shown) smr_text_add(out, "none");
}

smr_status smr_check_stream(smr_ctx *ctx, const smr_learner *l)
{
    smr_status st = SMR_OK;
    smr_text names = {.ctx = ctx};
    if (l->stream) return SMR_OK;
    name_streamers(smr_transforms(l), &names);
    TRY(smr_text_done(&names));
    st = smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                  "%s needs all rows at once and cannot learn from a stream; these can: %s",
                  l->word->name, names.bytes);
out:
    smr_text_release(&names);
    return st;
}

/* ---- checking and linking --------------------------------------------------------------- */

/* What the stage after this one gets. */
static void pass_on(const smr_stage *stage, smr_shape *shape)
{
    if (smr_transforms(stage->learner))
        smr_stage_items(stage, shape->item_shape, shape->item_shape);
    shape->features = stage->features;
    shape->n_features = stage->n_out;
}

smr_status smr_stages_link(smr_ctx *ctx, smr_stage *stages, int64_t n, const smr_feature *in,
                           const smr_shape *of)
{
    smr_status st = SMR_OK;
    smr_shape shape = *of;
    shape.features = in;
    for (int64_t s = 0; s < n; s++) {
        smr_stage *stage = &stages[s];
        const smr_learner *l = shape.learner = stage->learner;
        TRY(smr_stage_check_place(ctx, stage, s + 1 == n, &shape));
        TRY(smr_state_check(ctx, stage, &shape));
        TRY(smr_members_link(ctx, stage, shape.features, &shape));
        if (l->fitted->check) TRY(l->fitted->check(ctx, stage->params, stage->state, &shape));
        if (l->fitted->prepare) TRY(l->fitted->prepare(ctx, stage->params, stage->state));
        TRY(link_stage(ctx, stage, shape.features, shape.n_features, shape.room));
        pass_on(stage, &shape);
    }
out:
    return st;
}

smr_status smr_stages_check(smr_ctx *ctx, const smr_stage *stages, int64_t n, const smr_feature *in,
                            const smr_shape *of)
{
    smr_status st = SMR_OK;
    smr_shape shape = *of;
    shape.features = in;
    for (int64_t s = 0; s < n; s++) {
        const smr_stage *stage = &stages[s];
        const smr_learner *l = shape.learner = stage->learner;
        TRY(smr_stage_check_place(ctx, stage, s + 1 == n, &shape));
        TRY(smr_state_check(ctx, stage, &shape));
        TRY(smr_members_check(ctx, stage, &shape));
        if (l->fitted->check) TRY(l->fitted->check(ctx, stage->params, stage->state, &shape));
        pass_on(stage, &shape);
    }
out:
    return st;
}
