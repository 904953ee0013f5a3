/* learners.c -- see learners.h. */
#include "report/learners.h"

#include "core/params.h"
#include "learn/columns.h"
#include "learn/registry.h"
#include "learn/spec.h"
#include "learn/task_params.h"

#include <string.h>

struct named_bit {
    unsigned bit;
    const char *name;
};

static const struct named_bit tasks[] = {
    {SMR_DOES_CLASSIFY, "classify"},   {SMR_DOES_REGRESS, "regress"},
    {SMR_DOES_TRANSFORM, "transform"}, {SMR_DOES_CLUSTER, "cluster"},
    {SMR_DOES_SEQUENCE, "sequence"},   {SMR_DOES_RECOMMEND, "recommend"},
    {SMR_DOES_DENSITY, "density"},     {SMR_DOES_OUTLIERS, "outliers"}};
static const struct named_bit takes[] = {{SMR_TAKES_F64, "double"},
                                         {SMR_TAKES_F32, "float"},
                                         {SMR_TAKES_U8, "bytes"},
                                         {SMR_TAKES_SPARSE, "sparse"},
                                         {SMR_TAKES_CODES, "categories"},
                                         {SMR_TAKES_TEXT, "texts"},
                                         {SMR_TAKES_MISSING, "missing"},
                                         {SMR_TAKES_WEIGHTS, "weights"},
                                         {SMR_TAKES_MANY_TARGETS, "several targets"},
                                         {SMR_TAKES_UNLABELLED, "rows without a target"},
                                         {SMR_TAKES_SEQUENCES, "sequences"},
                                         {SMR_TAKES_ROLES, "users and items"}};
static const struct named_bit gives[] = {
    {SMR_GIVES_VALUE, "value"},       {SMR_GIVES_PROBA, "proba"},
    {SMR_GIVES_DECISION, "decision"}, {SMR_GIVES_TRANSFORM, "transform"},
    {SMR_GIVES_INTERVAL, "interval"}, {SMR_GIVES_SET, "set"},
    {SMR_GIVES_LABEL, "label"},       {SMR_GIVES_SCORE, "score"}};

static void add_bits(smr_json *into, const char *key, unsigned bits, const struct named_bit *names,
                     int64_t n)
{
    smr_json *list = smr_json_add_array(into, key);
    for (int64_t i = 0; i < n; i++)
        if (bits & names[i].bit) smr_json_add_string(list, NULL, names[i].name);
}

static const char *type_name(const smr_param *p)
{
    static const char *const names[] = {"real", "int", "bool", "choice", "reals", "string"};
    return p->grammar ? p->grammar->noun : names[p->type];
}

static void add_default(const smr_param *p, smr_json *row, smr_text *text)
{
    if (p->unset) {
        smr_json_add_null(row, "default");
        smr_json_add_bool(row, "unset", true);
    } else if (p->type == SMR_PARAM_BOOL) {
        smr_json_add_bool(row, "default", p->def != 0);
    } else if (p->type == SMR_PARAM_PHRASE) {
        smr_json_add_string(row, "default", p->def_text ? p->def_text : "");
    } else if (p->choices || p->type == SMR_PARAM_STRING) {
        text->length = 0;
        smr_param_write_default(p, text);
        smr_json_add_string(row, "default", text->bytes ? text->bytes : "");
    } else {
        smr_json_add_number(row, "default", p->def);
    }
}

static void add_param(const smr_param *p, smr_json *list, smr_text *text)
{
    static const char *const scales[] = {"none", "linear", "log", "values"};
    smr_json *row = smr_json_add_object(list, NULL);
    bool number =
        p->type == SMR_PARAM_REAL || p->type == SMR_PARAM_INT || p->type == SMR_PARAM_REALS;
    smr_json_add_string(row, "name", p->name);
    smr_json_add_string(row, "type", type_name(p));
    add_default(p, row, text);
    if (number && (p->min != 0 || p->max != 0)) {
        smr_json_add_number(row, "min", p->min);
        smr_json_add_number(row, "max", p->max);
        smr_json_add_bool(row, "min_open", p->min_open);
        smr_json_add_bool(row, "max_open", p->max_open);
    }
    if (p->whole) smr_json_add_bool(row, "whole", true);
    if (p->choices) {
        smr_json *choices = smr_json_add_array(row, "choices");
        for (const smr_choice *c = p->choices; c->name; c++) {
            smr_json *choice = smr_json_add_object(choices, NULL);
            smr_json_add_string(choice, "name", c->name);
            smr_json_add_string(choice, "doc", c->doc);
        }
    }
    if (p->type == SMR_PARAM_PHRASE) {
        smr_json_add_number(row, "least", (double)p->least);
        smr_json_add_number(row, "most", (double)p->most);
        smr_json_add_bool(row, "required", p->least > 0 && !p->def_text);
        if (p->member_tasks)
            add_bits(row, "member_tasks", p->member_tasks, tasks, SMR_COUNT(tasks));
    }
    if (p->when) smr_json_add_string(row, "when", p->when);
    if (p->tasks) add_bits(row, "tasks", p->tasks, tasks, SMR_COUNT(tasks));
    if (p->fit_only) smr_json_add_bool(row, "fit_only", true);
    if (p->no_target) smr_json_add_bool(row, "no_target", true);
    if (p->but_when) smr_json_add_string(row, "but_when", p->but_when);
    if (p->of_numbers) smr_json_add_bool(row, "of_numbers", true);
    if (p->primary) smr_json_add_bool(row, "primary", true);
    if (p->search != SMR_SEARCH_NONE) {
        smr_json_add_string(row, "search", scales[p->search]);
        if (p->search != SMR_SEARCH_VALUES) {
            smr_json_add_number(row, "search_min", p->search_min);
            smr_json_add_number(row, "search_max", p->search_max);
        }
    }
    if (p->simpler != SMR_SIMPLER_NONE)
        smr_json_add_string(row, "simpler", p->simpler == SMR_SIMPLER_LOW ? "low" : "high");
    smr_json_add_string(row, "doc", p->doc);
}

static void add_state(const smr_learner *l, smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "state");
    for (int64_t i = 0; i < l->fitted->n_state; i++) {
        if (l->fitted->state[i].until) continue; /* of older versions */
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "name", l->fitted->state[i].name);
        smr_json *shape = smr_json_add_array(row, "shape");
        for (int k = 0; k < SMR_RANK_MAX && l->fitted->state[i].dims[k]; k++)
            smr_json_add_string(shape, NULL, l->fitted->state[i].dims[k]);
        smr_json_add_string(row, "doc", l->fitted->state[i].doc);
    }
}

static void add_about(const smr_word *word, smr_json *into)
{
    smr_json_add_string(into, "name", word->name);
    smr_json_add_string(into, "family", word->family);
    smr_json_add_string(into, "title", word->title);
    smr_json_add_string(into, "brief", word->brief);
    smr_json_add_string(into, "objective", word->objective);
    if (word->details) smr_json_add_string(into, "details", word->details);
    if (word->reference) smr_json_add_string(into, "reference", word->reference);
    smr_json_add_string(into, "example", word->example);
}

static smr_status add_params(smr_ctx *ctx, const smr_word *word, smr_json *into)
{
    smr_text text = {.ctx = ctx};
    smr_json *params = smr_json_add_array(into, "params");
    for (int64_t i = 0; i < word->n_params; i++) add_param(&word->params[i], params, &text);
    smr_status st = smr_text_done(&text);
    smr_text_release(&text);
    return st;
}

smr_status smr_report_word(smr_ctx *ctx, const smr_word *word, smr_json *into)
{
    add_about(word, into);
    return add_params(ctx, word, into);
}

smr_status smr_report_learner(smr_ctx *ctx, const smr_learner *l, smr_json *into)
{
    smr_nature is;
    smr_status by_default = smr_nature_by_default(ctx, l, &is);
    if (by_default != SMR_OK) return by_default;
    add_about(l->word, into);
    add_bits(into, "tasks", l->tasks, tasks, SMR_COUNT(tasks));
    add_bits(into, "takes", l->takes, takes, SMR_COUNT(takes));
    if (is.tasks != l->tasks || is.takes != l->takes) {
        smr_json *defaults = smr_json_add_object(into, "with_defaults");
        add_bits(defaults, "tasks", is.tasks, tasks, SMR_COUNT(tasks));
        add_bits(defaults, "takes", is.takes, takes, SMR_COUNT(takes));
    }
    add_bits(into, "gives", l->fitted->gives, gives, SMR_COUNT(gives));
    smr_json_add_bool(into, "streams", l->stream != NULL);
    smr_status st = add_params(ctx, l->word, into);
    add_state(l, into);
    return st;
}

smr_status smr_report_learners(smr_ctx *ctx, smr_json *into)
{
    smr_status st = SMR_OK;
    int64_t n;
    const smr_learner *const *all = smr_registry(&n);
    TRY(smr_report_word(ctx, &smr_columns_word, smr_json_add_object(into, "head")));
    smr_json *list = smr_json_add_array(into, "learners");
    for (int64_t i = 0; i < n; i++)
        TRY(smr_report_learner(ctx, all[i], smr_json_add_object(list, NULL)));
out:
    return st;
}

/* ---- help ------------------------------------------------------------------------------- */

int64_t smr_help_width(const smr_text *out)
{
    enum { WIDEST = 88 };
    return out->width ? SMR_MIN(WIDEST, out->width) : WIDEST;
}

/* The first line begins where the text has got to, `indent` columns in as the others. */
static void add_hanging(smr_text *out, int indent, const char *words)
{
    smr_text_wrap(out, words, indent, indent, smr_help_width(out));
    smr_text_add(out, "\n");
}

static void add_wrapped(smr_text *out, int indent, const char *words)
{
    smr_text_printf(out, "%*s", indent, "");
    add_hanging(out, indent, words);
}

/* What was written in `line`, then empty again. */
static void add_line(smr_text *out, int indent, smr_text *line)
{
    if (line->bytes) add_hanging(out, indent, line->bytes);
    if (smr_text_done(line) != SMR_OK) out->failed = true;
    smr_text_release(line);
}

static void name_bits(smr_text *out, unsigned bits, const struct named_bit *names, int64_t n)
{
    int64_t shown = 0;
    for (int64_t i = 0; i < n; i++)
        if (bits & names[i].bit) smr_text_printf(out, "%s%s", shown++ ? ", " : "", names[i].name);
}

/* bits: by default; others: with other parameters. */
static void add_words(smr_text *out, const char *title, unsigned bits, unsigned others,
                      const struct named_bit *names, int64_t n)
{
    smr_text line = {.ctx = out->ctx};
    smr_text_printf(out, "  %-10s", title);
    smr_text_add(&line, "");
    name_bits(&line, bits, names, n);
    if (others) smr_text_printf(&line, "%swith other parameters: ", bits ? "; " : "");
    name_bits(&line, others, names, n);
    add_line(out, 12, &line);
}

/* Where `samara tune --over auto` looks. */
static void help_search(const smr_param *p, smr_text *out)
{
    if (p->search == SMR_SEARCH_NONE) return;
    smr_text_printf(out, "%*stune ", 18, "");
    if (p->search == SMR_SEARCH_VALUES) {
        smr_text_add(out, "tries all its values");
    } else {
        smr_text_add(out, "searches from ");
        smr_text_number(out, p->search_min);
        smr_text_add(out, " to ");
        smr_text_number(out, p->search_max);
        if (p->search == SMR_SEARCH_LOG) smr_text_add(out, " on a logarithmic scale");
    }
    if (p->simpler != SMR_SIMPLER_NONE)
        smr_text_printf(out, "; %s is simpler", p->simpler == SMR_SIMPLER_LOW ? "lower" : "higher");
    smr_text_add(out, "\n");
}

static void help_param(const smr_param *p, smr_text *out)
{
    smr_text line = {.ctx = out->ctx};
    smr_param_write_range(p, &line);
    if (p->type == SMR_PARAM_PHRASE && p->least > 0 && !p->def_text) {
        smr_text_add(&line, "; must be given");
    } else {
        smr_text_add(&line, ", default ");
        smr_param_write_default(p, &line);
    }
    if (p->primary) smr_text_add(&line, "; may be given without its name");
    if (p->when) smr_text_add(&line, "; ");
    smr_param_write_when(p, &line);
    if (p->tasks) smr_text_printf(&line, "; for %s", smr_tasks_learn(p->tasks));
    if (p->fit_only) smr_text_add(&line, "; not in a stream");
    if (p->no_target) smr_text_add(&line, "; without a target");
    if (p->but_when) smr_text_printf(&line, ", or if %s", p->but_when);
    if (p->of_numbers) smr_text_add(&line, "; for columns of numbers");
    smr_text_printf(out, "  %-15s ", p->name);
    add_line(out, 18, &line);
    add_wrapped(out, 18, p->doc);
    for (const smr_choice *c = p->choices; c && c->name; c++) {
        smr_text_printf(&line, "%s: %s", c->name, c->doc);
        smr_text_printf(out, "%*s", 20, "");
        add_line(out, 22, &line);
    }
    help_search(p, out);
}

static void help_about(const smr_word *word, smr_text *out)
{
    smr_text_printf(out, "%s - %s\n\n", word->name, word->title);
    add_wrapped(out, 2, word->brief);
    smr_text_add(out, "\n");
    add_wrapped(out, 6, word->objective);
    smr_text_add(out, "\n");
    if (word->details) add_wrapped(out, 2, word->details);
}

static void help_params(const smr_word *word, smr_text *out)
{
    if (word->n_params) smr_text_add(out, "\nParameters\n");
    for (int64_t i = 0; i < word->n_params; i++) help_param(&word->params[i], out);
}

static smr_status help_end(const smr_word *word, smr_text *out)
{
    smr_text_printf(out, "\nExample\n  %s\n", word->example);
    if (word->reference) {
        smr_text_add(out, "\nReference\n");
        add_wrapped(out, 2, word->reference);
    }
    return smr_text_done(out);
}

smr_status smr_report_word_help(const smr_word *word, smr_text *out)
{
    help_about(word, out);
    help_params(word, out);
    return help_end(word, out);
}

smr_status smr_report_help(smr_ctx *ctx, const smr_learner *l, smr_text *out)
{
    smr_nature is;
    smr_status st = smr_nature_by_default(ctx, l, &is);
    if (st != SMR_OK) return st;
    help_about(l->word, out);
    smr_text_add(out, "\n");
    add_words(out, "does", is.tasks, l->tasks & ~is.tasks, tasks, SMR_COUNT(tasks));
    add_words(out, "takes", is.takes, l->takes & ~is.takes, takes, SMR_COUNT(takes));
    add_words(out, "gives", l->fitted->gives, 0, gives, SMR_COUNT(gives));
    if (l->stream) smr_text_add(out, "  learns    from a stream too (samara stream)\n");
    help_params(l->word, out);
    if (l->fitted->n_state) smr_text_add(out, "\nWhat the model keeps\n");
    for (int64_t i = 0; i < l->fitted->n_state; i++) {
        if (l->fitted->state[i].until) continue; /* of older versions */
        smr_text_printf(out, "  %-15s ", l->fitted->state[i].name);
        add_hanging(out, 18, l->fitted->state[i].doc);
    }
    return help_end(l->word, out);
}
