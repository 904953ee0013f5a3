/* judge.c -- the public functions that fit again and again: check, dispatch, nothing else. */
#include "api/parts.h"
#include "select/compare.h"
#include "select/cv_report.h"

smr_set_opts smr_api_set_opts(const smr_train_opts *how, const smr_fold_opts *folds)
{
    smr_train_opts o = {.size = sizeof o};
    if (how) TAKE_OPTS(o, how);
    return (smr_set_opts){.target = o.target,
                          .weight = o.weight,
                          .group = folds->group,
                          .ignore = o.ignore,
                          .types = o.types,
                          .positive = o.positive,
                          .task = o.task,
                          .keep_all = o.keep_all};
}

smr_cv_ask smr_api_ask(const smr_fold_opts *o)
{
    return (smr_cv_ask){.folds = o->folds,
                        .repeats = o->repeats,
                        .leave_one_out = o->leave_one_out,
                        .ordered = o->ordered,
                        .order_by = o->order_by,
                        .no_strata = o->unstratified,
                        .measure = o->measure,
                        .confidence = o->confidence};
}

smr_status smr_api_hand_over(smr_ctx *ctx, smr_json_doc *doc, char **json)
{
    smr_text text = {.ctx = ctx};
    smr_status st = SMR_OK;
    TRY(smr_json_done(doc));
    smr_json_write(smr_json_root(doc), 2, &text);
    TRY(smr_text_done(&text));
    *json = text.bytes;
    text.bytes = NULL;
out:
    smr_text_release(&text);
    return st;
}

smr_status smr_cross_validate(smr_ctx *ctx, const char *sentence, const smr_table *table,
                              const smr_train_opts *how, const smr_fold_opts *opts, char **json)
{
    smr_fold_opts o = {.size = sizeof o};
    smr_status st = SMR_OK;
    smr_train_set *set = NULL;
    smr_json_doc *doc = NULL;
    smr_begin(ctx);
    *json = NULL;
    if (opts) TAKE_OPTS(o, opts);
    smr_set_opts about = smr_api_set_opts(how, &o);
    smr_cv_ask ask = smr_api_ask(&o);
    TRY(smr_train_set_create(ctx, table, sentence, &about, &set));
    TRY(smr_json_create(ctx, &doc));
    TRY(smr_cv_report(ctx, sentence, set, &ask, smr_json_root(doc), NULL));
    TRY(smr_api_hand_over(ctx, doc, json));
out:
    smr_json_free(doc);
    smr_train_set_free(set);
    return st;
}

smr_status smr_compare(smr_ctx *ctx, const char *const *sentences, int64_t n,
                       const smr_table *table, const smr_train_opts *how, const smr_fold_opts *opts,
                       char **json)
{
    smr_fold_opts o = {.size = sizeof o};
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    smr_begin(ctx);
    *json = NULL;
    if (opts) TAKE_OPTS(o, opts);
    smr_set_opts about = smr_api_set_opts(how, &o);
    smr_compare_ask ask = {.cv = smr_api_ask(&o), .sentences = sentences, .n = n, .all = n == 0};
    TRY(smr_json_create(ctx, &doc));
    TRY(smr_compare_report(ctx, table, &about, &ask, smr_json_root(doc)));
    TRY(smr_api_hand_over(ctx, doc, json));
out:
    smr_json_free(doc);
    return st;
}
