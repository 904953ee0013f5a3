/* api_parts.c -- see api_parts.h. */
#include "api/api_parts.h"

smr_status smr_api_refuse(smr_ctx *ctx, const smr_unread *list, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (list[i].given)
            return smr_fail(ctx, SMR_ERR_PARAM, "'%s' is not used here: %s", list[i].name,
                            list[i].why);
    return SMR_OK;
}

smr_status smr_api_refuse_league(smr_ctx *ctx, const smr_fold_opts *folds)
{
    const smr_unread list[] = {
        {folds->all_learners, "all_learners", "one sentence is judged; smr_compare takes more"},
        {folds->league, "league", "it is for smr_compare"},
    };
    return smr_api_refuse(ctx, list, SMR_COUNT(list));
}

/* What only smr_train can keep a promise about. */
static smr_status refuse_training(smr_ctx *ctx, const smr_train_opts *o)
{
    static const char kept[] = "it is for smr_train";
    const smr_unread list[] = {
        {o->threshold, "threshold", kept},
        {o->checkpoint, "checkpoint", kept},
        {o->checkpoint_seconds != 0, "checkpoint_seconds", kept},
        {o->resume, "resume", kept},
        {o->warm_start, "warm_start",
         "judged on rows that the old model may have seen, a fit that begins at it would look "
         "better than it is; it is for smr_train"},
    };
    return smr_api_refuse(ctx, list, SMR_COUNT(list));
}

smr_status smr_api_set_opts(smr_ctx *ctx, const smr_train_opts *how, const smr_fold_opts *folds,
                            smr_set_opts *out)
{
    smr_train_opts o = {.size = sizeof o};
    smr_status st = SMR_TAKE_OPTS(ctx, smr_train_opts, how, &o);
    *out = (smr_set_opts){.target = o.target,
                          .weight = o.weight,
                          .group = folds ? folds->group : NULL,
                          .ignore = o.ignore,
                          .types = o.types,
                          .positive = o.positive,
                          .classes = o.classes,
                          .roles = {[SMR_ROLE_SEQUENCE] = o.sequence,
                                    [SMR_ROLE_TIME] = o.time,
                                    [SMR_ROLE_USER] = o.user,
                                    [SMR_ROLE_ITEM] = o.item},
                          .task = o.task,
                          .keep_all = o.keep_all};
    return st == SMR_OK ? refuse_training(ctx, &o) : st;
}

smr_status smr_api_open(smr_ctx *ctx, const char *sentence, const smr_table *table,
                        const smr_set_opts *about, smr_api_work *work)
{
    smr_status st = SMR_OK;
    TRY(smr_spec_parse(ctx, sentence, &work->spec));
    if (table) TRY(smr_train_set_create(ctx, table, work->spec, about, &work->set));
    TRY(smr_json_create(ctx, &work->doc));
    work->root = smr_json_root(work->doc);
out:
    return st;
}

void smr_api_close(smr_api_work *work)
{
    smr_json_free(work->doc);
    smr_train_set_free(work->set);
    smr_spec_free(work->spec);
}

smr_cv_ask smr_api_ask(const smr_fold_opts *o)
{
    return (smr_cv_ask){.folds = o->folds,
                        .repeats = o->repeats,
                        .leave_one_out = o->leave_one_out,
                        .ordered = o->ordered,
                        .order_by = o->order_by,
                        .no_strata = o->unstratified,
                        .strata = o->stratified,
                        .measure = o->measure,
                        .confidence = o->confidence};
}

static smr_status hand_over(smr_ctx *ctx, smr_json_doc *doc, bool to_the_end, char **json)
{
    smr_text text = {.ctx = ctx};
    smr_status st = SMR_OK;
    TRY(smr_json_done(doc));
    if (to_the_end)
        smr_json_write(smr_json_root(doc), 2, &text);
    else
        TRY(smr_json_write_long(smr_json_root(doc), 2, &text));
    TRY(smr_text_done(&text));
    *json = text.bytes;
    text.bytes = NULL;
out:
    smr_text_release(&text);
    return st;
}

smr_status smr_api_hand_over(smr_ctx *ctx, smr_json_doc *doc, char **json)
{
    return hand_over(ctx, doc, false, json);
}

smr_status smr_api_hand_over_kept(smr_ctx *ctx, smr_json_doc *doc, char **json)
{
    return hand_over(ctx, doc, true, json);
}
