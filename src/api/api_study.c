/* api_study.c -- the public functions that show how a model behaves: check, dispatch, nothing
 * else. */
#include "api/api_parts.h"
#include "study/bias_variance.h"
#include "study/curve.h"
#include "study/explain.h"
#include "study/steps.h"

static bool is(const char *what, const char *word)
{
    return strcmp(what, word) == 0;
}

/* What a way of explaining does not read. */
static smr_status check_explain(smr_ctx *ctx, const char *what, const smr_explain_opts *o)
{
    bool importance = is(what, "importance"), dependence = is(what, "dependence");
    bool regions = is(what, "regions"), shapley = is(what, "shapley");
    bool path = is(what, "path"), proximity = is(what, "proximity"), maps = is(what, "maps");
    const smr_unread list[] = {
        {o->columns && (path || proximity), "columns", "trees ask about the columns they choose"},
        {o->columns && maps, "columns", "a net reads all columns"},
        {o->measure && !importance, "measure", "importance is measured, and nothing else"},
        {o->positive && (regions || path || proximity || maps), "positive",
         "it is for importance, dependence and shapley"},
        {o->weight && (regions || path || proximity || maps), "weight",
         "no mean over rows is taken; it is for importance, dependence and shapley"},
        {o->repeats && !importance, "repeats", "it is for importance"},
        {o->grid && !dependence && !regions, "grid", "it is for dependence and regions"},
        {o->single_rows && !dependence, "single_rows", "it is for dependence"},
        {o->most_rows && (path || regions), "most_rows", "all that is shown depends on the model"},
        {o->most_rows && maps, "most_rows", "one row is explained"},
        {o->most_rows && o->row && shapley, "most_rows", "one row is explained"},
        {o->row && !path && !shapley && !proximity && !maps, "row",
         "it is for path, shapley, proximity and maps"},
        {o->nearest && !proximity, "nearest", "it is for proximity"},
        {o->tree && !path, "tree", "it is for path"},
        {o->layer && !maps, "layer", "it is for maps"},
    };
    return smr_api_refuse(ctx, list, SMR_COUNT(list));
}

smr_status smr_explain(smr_ctx *ctx, const char *what, const smr_model *model,
                       const smr_table *table, const smr_explain_opts *opts, char **json)
{
    smr_explain_opts o = {.size = sizeof o};
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    double *weight = NULL;
    smr_begin_call(ctx);
    *json = NULL;
    TRY(SMR_TAKE_OPTS(ctx, smr_explain_opts, opts, &o));
    TRY(smr_explain_check_word(ctx, what));
    TRY(check_explain(ctx, what, &o));
    smr_explain_how how = {.columns = o.columns,
                           .measures = o.measure,
                           .positive = o.positive,
                           .repeats = o.repeats,
                           .grid = o.grid,
                           .single_rows = o.single_rows,
                           .most_rows = o.most_rows,
                           .row = o.row,
                           .nearest = o.nearest,
                           .has_tree = o.tree > 0,
                           .tree = o.tree - 1,
                           .layer = o.layer};
    TRY(smr_weights_named(ctx, table, o.weight, &weight));
    smr_sample sample = {.table = table, .weight = weight};
    TRY(smr_json_create(ctx, &doc));
    TRY(smr_explain_fill(ctx, what, model, &sample, &how, smr_json_root(doc)));
    TRY(smr_api_hand_over(ctx, doc, json));
out:
    smr_json_free(doc);
    smr_free(weight);
    return st;
}

smr_status smr_explain_check(smr_ctx *ctx, const char *what)
{
    smr_begin_call(ctx);
    return smr_explain_check_word(ctx, what);
}

smr_status smr_curve_check(smr_ctx *ctx, const char *what)
{
    smr_begin_call(ctx);
    return smr_curve_check_word(ctx, what);
}

/* What a kind of curve does not read. */
static smr_status check_curve(smr_ctx *ctx, const char *what, const smr_curve_opts *o,
                              const smr_fold_opts *f)
{
    bool elbow = is(what, "elbow"), training = is(what, "training") || elbow;
    const char *whole = elbow ? "an elbow is that of fits on all rows"
                              : "a curve of training is that of one fit on all rows";
    const smr_unread list[] = {
        {o->sizes && !is(what, "learning"), "sizes", "it is for learning curves"},
        {o->over && !is(what, "validation") && !elbow, "over",
         "it is for validation and elbow curves"},
        {f->confidence != 0, "confidence", "a curve shows standard deviations, no intervals"},
        {f->measure && is(what, "threshold"), "measure", "a curve of thresholds has all rates"},
        {training && f->folds, "folds", whole},
        {training && f->repeats, "repeats", whole},
        {training && f->leave_one_out, "leave_one_out", whole},
        {training && f->ordered, "ordered", whole},
        {training && f->unstratified, "unstratified", whole},
        {training && f->stratified, "stratified", whole},
        {training && f->order_by, "order_by", whole},
        {training && f->measure, "measure", whole},
    };
    return smr_api_refuse(ctx, list, SMR_COUNT(list));
}

smr_status smr_curve(smr_ctx *ctx, const char *what, const char *sentence, const smr_table *table,
                     const smr_train_opts *how, const smr_curve_opts *opts, char **json)
{
    smr_curve_opts o = {.size = sizeof o};
    smr_fold_opts folds = {.size = sizeof folds};
    smr_status st = SMR_OK;
    smr_set_opts about;
    smr_api_work work = {0};
    smr_begin_call(ctx);
    *json = NULL;
    TRY(SMR_TAKE_OPTS(ctx, smr_curve_opts, opts, &o));
    TRY(SMR_TAKE_OPTS(ctx, smr_fold_opts, o.folds, &folds));
    TRY(smr_curve_check_word(ctx, what));
    TRY(check_curve(ctx, what, &o, &folds));
    TRY(smr_api_refuse_league(ctx, &folds));
    TRY(smr_api_set_opts(ctx, how, &folds, &about));
    smr_curve_how asked = {
        .ask = smr_api_ask(&folds), .sizes = o.sizes, .over = o.over, .positive = about.positive};
    if (strcmp(what, "threshold") != 0) asked.ask.positive = about.positive;
    TRY(smr_api_open(ctx, sentence, table, &about, &work));
    TRY(smr_curve_fill(ctx, what, work.spec, work.set, &asked, work.root));
    TRY(smr_api_hand_over(ctx, work.doc, json));
out:
    smr_api_close(&work);
    return st;
}

smr_status smr_trace_steps(smr_ctx *ctx, const char *sentence, const smr_table *table,
                           const smr_train_opts *how, const smr_trace_opts *opts, char **json)
{
    smr_trace_opts o = {.size = sizeof o};
    smr_status st = SMR_OK;
    smr_set_opts about;
    smr_api_work work = {0};
    smr_begin_call(ctx);
    *json = NULL;
    TRY(SMR_TAKE_OPTS(ctx, smr_trace_opts, opts, &o));
    TRY(smr_api_set_opts(ctx, how, NULL, &about));
    const smr_unread list[] = {{about.positive, "positive", "no steps depend on it"}};
    TRY(smr_api_refuse(ctx, list, SMR_COUNT(list)));
    smr_steps_how asked = {.most = o.steps, .row = o.row};
    TRY(smr_api_open(ctx, sentence, table, &about, &work));
    TRY(smr_steps_fill(ctx, work.spec, work.set, &asked, work.root));
    TRY(smr_api_hand_over(ctx, work.doc, json));
out:
    smr_api_close(&work);
    return st;
}

smr_status smr_model_curve(smr_ctx *ctx, const char *what, const smr_model *model,
                           const smr_table *table, const smr_model_curve_opts *opts, char **json)
{
    smr_model_curve_opts o = {.size = sizeof o};
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    double *weight = NULL;
    smr_begin_call(ctx);
    *json = NULL;
    TRY(SMR_TAKE_OPTS(ctx, smr_model_curve_opts, opts, &o));
    TRY(smr_curve_check_word(ctx, what));
    const smr_unread list[] = {
        {o.weight && !table, "weight", "a curve of training needs no rows"},
        {o.measure && !is(what, "rounds"), "measure", "it is for curves of rounds"},
        {o.positive && !is(what, "threshold"), "positive", "it is for curves of thresholds"}};
    TRY(smr_api_refuse(ctx, list, SMR_COUNT(list)));
    smr_curve_how how = {.ask = {.measure = o.measure}, .positive = o.positive};
    if (table) TRY(smr_weights_named(ctx, table, o.weight, &weight));
    smr_sample sample = {.table = table, .weight = weight};
    TRY(smr_json_create(ctx, &doc));
    TRY(smr_curve_of_model(ctx, what, model, table ? &sample : NULL, &how, smr_json_root(doc)));
    TRY(smr_api_hand_over(ctx, doc, json));
out:
    smr_json_free(doc);
    smr_free(weight);
    return st;
}

/* A generator brings its columns and its target along; a table has no settings. */
static smr_status check_generator(smr_ctx *ctx, const smr_bias_variance_opts *o,
                                  const smr_train_opts *how)
{
    static const char why[] = "the generator brings its columns and its target along";
    smr_train_opts h = {.size = sizeof h};
    smr_status st = SMR_TAKE_OPTS(ctx, smr_train_opts, how, &h);
    bool drawn = o->generator != NULL;
    const smr_unread list[] = {
        {!drawn && o->n_settings, "settings", "they are a generator's"},
        {!o->settings && o->n_settings, "n_settings", "there are no settings"},
        {!drawn && h.positive, "positive", "the loss is the same for all classes"},
        {!drawn && h.classes, "classes", "samples have the classes that the table has"},
        {drawn && o->group, "group", why},
        {drawn && h.target, "target", why},
        {drawn && h.task != SMR_TASK_NONE, "task", why},
        {drawn && h.weight, "weight", why},
        {drawn && h.ignore, "ignore", why},
        {drawn && h.types, "types", why},
        {drawn && h.positive, "positive", why},
        {drawn && h.classes, "classes", why},
        {drawn && h.keep_all, "keep_all", why},
        {drawn && h.sequence, "sequence", why},
        {drawn && h.time, "time", why},
        {drawn && h.user, "user", why},
        {drawn && h.item, "item", why},
    };
    return st == SMR_OK ? smr_api_refuse(ctx, list, SMR_COUNT(list)) : st;
}

smr_status smr_bias_variance(smr_ctx *ctx, const char *sentence, const smr_table *table,
                             const smr_train_opts *how, const smr_bias_variance_opts *opts,
                             char **json)
{
    smr_bias_variance_opts o = {.size = sizeof o};
    smr_fold_opts folds = {.size = sizeof folds};
    smr_status st = SMR_OK;
    smr_set_opts about;
    smr_api_work work = {0};
    smr_settings settings = {0};
    smr_begin_call(ctx);
    *json = NULL;
    TRY(SMR_TAKE_OPTS(ctx, smr_bias_variance_opts, opts, &o));
    if (!o.generator == !table)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "samples come from a generator or from a table: give one of the two");
    TRY(check_generator(ctx, &o, how));
    folds.group = o.group;
    TRY(smr_settings_parse(ctx, o.settings, o.n_settings, &settings));
    TRY(smr_api_set_opts(ctx, how, &folds, &about));
    TRY(smr_api_open(ctx, sentence, table, &about, &work));
    smr_bias_how asked = {.generator = o.generator,
                          .settings = settings.list,
                          .n_settings = settings.n,
                          .samples = o.samples,
                          .rows = o.rows,
                          .test_rows = o.test_rows,
                          .bag = o.bag,
                          .over = o.over};
    TRY(smr_bias_variance_fill(ctx, work.spec, work.set, &asked, work.root));
    TRY(smr_api_hand_over(ctx, work.doc, json));
out:
    smr_api_close(&work);
    smr_settings_release(&settings);
    return st;
}
