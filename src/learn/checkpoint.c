/* checkpoint.c -- see checkpoint.h. */
#include "learn/checkpoint.h"

#include "core/sha256.h"
#include "core/text.h"
#include "learn/member.h"
#include "learn/registry.h"
#include "learn/state.h"

#include <string.h>

/* ---- what is kept, as a stage --------------------------------------------------------------- */

/* A learner of the same name whose state is what a fit keeps: so that the code that saves, loads,
 * shapes and frees states does it for these too. */
struct keeper {
    smr_fitted fitted;
    smr_learner learner;
    smr_stage stage;
};

static void make_keeper(const smr_learner *l, const smr_checkpoint *c, struct keeper *k)
{
    *k = (struct keeper){.fitted = {.state = l->resume->state,
                                    .n_state = l->resume->n_state,
                                    .state_size = l->resume->state_size}};
    k->learner = (smr_learner){.word = l->word, .fitted = &k->fitted};
    k->stage.learner = &k->learner;
    k->stage.params = (void *)(uintptr_t)c->params; /* read only */
}

/* ---- taking up ------------------------------------------------------------------------------ */

smr_status smr_checkpoint_begin(smr_ctx *ctx, smr_fit_report *report, void *work)
{
    smr_checkpoint *c = report->checkpoint;
    smr_status st = SMR_OK;
    struct keeper k;
    bool found = false;
    if (!c) return SMR_OK;
    c->last = smr_now();
    if (!c->is_waiting) return SMR_OK;
    make_keeper(report->learner, c, &k);
    TRY(c->store->take(ctx, c, &k.stage, report, &found));
    if (!found) goto out;
    TRY(report->learner->resume->resume(ctx, k.stage.state, work));
    c->is_waiting = false;
out:
    if (k.stage.state) smr_stage_release_state(&k.stage);
    return st;
}

/* ---- keeping -------------------------------------------------------------------------------- */

/* Arrays of the state belong to the work: only the struct is freed. */
static smr_status keep(smr_ctx *ctx, smr_fit_report *report, int64_t done, int64_t total,
                       void *work)
{
    smr_checkpoint *c = report->checkpoint;
    smr_status st = SMR_OK;
    struct keeper k;
    make_keeper(report->learner, c, &k);
    TRY(smr_state_create(ctx, &k.learner, &k.stage.state));
    TRY(report->learner->resume->suspend(ctx, work, k.stage.state));
    TRY(c->store->put(ctx, c, &k.stage, report, done, total));
    c->n_put++;
out:
    smr_free(k.stage.state);
    return st;
}

/* A failure is reported and forgotten: the fit matters more. */
static bool keep_or_warn(smr_ctx *ctx, smr_fit_report *report, int64_t done, int64_t total,
                         void *work)
{
    smr_checkpoint *c = report->checkpoint;
    smr_status st = keep(ctx, report, done, total, work);
    c->last = smr_now();
    if (st == SMR_OK) return true;
    if (!c->warned)
        smr_warn(ctx, "no checkpoint could be written, and the fit goes on without one: %.700s",
                 ctx->message);
    c->warned = true;
    smr_begin(ctx);
    return false;
}

smr_status smr_checkpoint_at(smr_ctx *ctx, smr_fit_report *report, int64_t done, int64_t total,
                             void *work)
{
    smr_checkpoint *c = report->checkpoint;
    if (!c || c->is_waiting || smr_now() - c->last < c->seconds) return SMR_OK;
    keep_or_warn(ctx, report, done, total, work);
    return SMR_OK;
}

smr_status smr_checkpoint_end(smr_ctx *ctx, smr_fit_report *report, smr_status st, int64_t done,
                              int64_t total, void *work)
{
    smr_checkpoint *c = report->checkpoint;
    if (!c || c->is_waiting || st != SMR_ERR_CANCELLED) return st;
    smr_begin(ctx);
    if (!keep_or_warn(ctx, report, done, total, work))
        return smr_fail(ctx, st, "cancelled, and no checkpoint could be written");
    return smr_fail(
        ctx, st,
        "cancelled after %lld of %lld rounds of %s, which are kept: --resume continues from there",
        (long long)done, (long long)total, report->learner->word->name);
}

/* ---- fits ----------------------------------------------------------------------------------- */

static bool takes_part(const smr_spec *spec)
{
    for (int64_t s = 0; s < spec->n; s++)
        if (spec->steps[s].learner->resume) return true;
    return false;
}

smr_status smr_checkpoint_check(smr_ctx *ctx, const smr_spec *spec)
{
    smr_text names = {.ctx = ctx};
    int64_t n, count = 0;
    const smr_learner *const *all = smr_registry(&n);
    if (takes_part(spec)) return SMR_OK;
    for (int64_t k = 0; k < n; k++)
        if (all[k]->resume)
            smr_text_printf(&names, "%s%s", count++ ? ", " : "", all[k]->word->name);
    smr_status st = smr_text_done(&names);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_PARAM,
                      "%s cannot stop in the middle of its work and go on, so there is nothing to "
                      "keep in a checkpoint; learners that can: %s",
                      smr_spec_last(spec)->learner->word->name, names.bytes);
    smr_text_release(&names);
    return st;
}

static void hash_rows(const smr_data *data, char out[SMR_CHECKPOINT_HASH])
{
    smr_sha256 s;
    smr_sha256_begin(&s);
    smr_sha256_add(&s, &data->n_rows, sizeof data->n_rows);
    if (data->rows) smr_sha256_add(&s, data->rows, (size_t)data->n_rows * sizeof *data->rows);
    smr_sha256_hex(&s, out);
}

static void hash_columns(const smr_data *data, char out[SMR_CHECKPOINT_HASH])
{
    smr_sha256 s;
    smr_sha256_begin(&s);
    for (int64_t j = 0; j < data->n_features; j++) {
        const smr_feature *f = &data->features[j];
        int64_t about[2] = {(int64_t)f->kind, f->n_levels};
        smr_sha256_add(&s, about, sizeof about);
        if (f->name) smr_sha256_add(&s, f->name, strlen(f->name) + 1);
    }
    smr_sha256_hex(&s, out);
}

static void hash_target(const smr_data *data, char out[SMR_CHECKPOINT_HASH])
{
    smr_sha256 s;
    size_t n = (size_t)data->n_rows;
    int64_t about[6] = {(int64_t)data->task,  data->n_outputs,     data->n_classes,
                        data->weight != NULL, data->group != NULL, data->label != NULL};
    smr_sha256_begin(&s);
    smr_sha256_add(&s, about, sizeof about);
    if (data->y) smr_sha256_add(&s, data->y, n * (size_t)data->n_outputs * sizeof *data->y);
    if (data->label) smr_sha256_add(&s, data->label, n * sizeof *data->label);
    if (data->weight) smr_sha256_add(&s, data->weight, n * sizeof *data->weight);
    if (data->group) smr_sha256_add(&s, data->group, n * sizeof *data->group);
    smr_sha256_hex(&s, out);
}

smr_status smr_checkpoint_open(smr_ctx *ctx, smr_checkpoint *c, const smr_spec *spec,
                               const smr_data *data, const char *data_hash)
{
    smr_status st = SMR_OK;
    smr_checkpoint_key *key = &c->key;
    TRY(smr_checkpoint_check(ctx, spec));
    smr_free(key->spec);
    key->spec = NULL;
    TRY(smr_spec_text(ctx, spec, &key->spec));
    key->seed = ctx->seed;
    size_t n = SMR_MIN(strlen(data_hash), sizeof key->data - 1);
    memcpy(key->data, data_hash, n);
    key->data[n] = '\0';
    key->rows[0] = key->columns[0] = key->target[0] = '\0';
    if (data) {
        hash_rows(data, key->rows);
        hash_columns(data, key->columns);
        hash_target(data, key->target);
    }
    c->is_waiting = false;
    c->last = smr_now();
    TRY(c->store->open(ctx, c));
out:
    return st;
}

void smr_checkpoint_stage(smr_checkpoint *c, int64_t place, const smr_stage *stage,
                          const smr_feature *in, const smr_data *data)
{
    if (!c) return;
    c->place = place;
    c->params = stage->params;
    c->in = in;
    c->shape = (smr_shape){.n_features = data->n_features,
                           .features = in,
                           .task = data->task,
                           .n_outputs = data->n_outputs,
                           .n_classes = data->task == SMR_TASK_CLASSIFY ? data->n_classes : 0};
    memcpy(c->shape.item_shape, data->item_shape, sizeof data->item_shape);
}
