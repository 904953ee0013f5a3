/* warnings.c -- findings about a set and about predictions: see warnings.h. */
#include "study/warnings.h"

#include "core/number.h"
#include "data/hash.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TINY_TEST = 30, NAME_SHOWN = 60 };

static const double IMBALANCE = 0.9, CONFIDENCE = 0.95;

void smr_advise(smr_ctx *ctx, smr_json *advice, const char *kind, const char *column,
                const char *format, ...)
{
    char message[SMR_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    smr_json *finding = smr_json_add_object(advice, NULL);
    smr_json_add_string(finding, "kind", kind);
    smr_json_add_string(finding, "message", message);
    if (column) smr_json_add_string(finding, "column", column);
    smr_warn(ctx, "%s", message);
}

bool smr_advised(const smr_json *advice, const char *kind)
{
    for (const smr_json *a = advice ? advice->first : NULL; a; a = a->next)
        if (strcmp(smr_json_get_string(a, "kind", ""), kind) == 0) return true;
    return false;
}

const char *smr_advise_number(double x, char *room)
{
    int n = smr_format_rounded(x, 3, room);
    room[n] = '\0';
    return room;
}

/* ---- about a set ------------------------------------------------------------------------ */

/* The largest class of the counts; *total receives their sum. */
static int64_t largest_class(int64_t K, const double *count, double *total)
{
    int64_t best = 0;
    *total = 0;
    for (int64_t k = 0; k < K; k++) {
        *total += count[k];
        if (count[k] > count[best]) best = k;
    }
    return best;
}

static void advise_imbalance(smr_ctx *ctx, const smr_strings *names, int64_t K, const double *count,
                             smr_json *advice)
{
    double total;
    char percent[32];
    int64_t k = largest_class(K, count, &total), length = 0;
    if (!(count[k] >= IMBALANCE * total) || count[k] == total) return;
    const char *name = names ? smr_strings_get(names, k, &length) : "";
    smr_advise(ctx, advice, "imbalance", NULL,
               "always answering '%.*s' would be right for %s %% of the rows: judge by recall, "
               "precision and auc rather than by accuracy%s",
               (int)SMR_MIN(length, NAME_SHOWN), name,
               smr_advise_number(100 * count[k] / total, percent),
               K == 2 ? ", and consider --threshold" : "");
}

smr_status smr_advise_set(smr_ctx *ctx, const smr_train_set *set, smr_json *advice)
{
    smr_status st = SMR_OK;
    double *count = NULL;
    int64_t d = set->schema.n_inputs + set->schema.n_sparse;
    if (!smr_task_of(set->target.task)->needs_target) return SMR_OK;
    TRY(smr_advise_leakage(ctx, set, advice));
    if (set->label) {
        TRY_NEW(count, set->target.classes.n);
        for (int64_t i = 0; i < set->n_rows; i++)
            count[set->label[smr_train_set_row(set, i)]] +=
                set->weight ? set->weight[smr_train_set_row(set, i)] : 1;
        advise_imbalance(ctx, &set->target.classes, set->target.classes.n, count, advice);
    }
    TRY(smr_advise_conflicts(ctx, set, advice));
    if (d > set->n_rows)
        smr_advise(ctx, advice, "wide", NULL,
                   "there are %lld features and %lld row%s: a model can fit these rows by chance; "
                   "trust only rows it did not see, and prefer a penalty or fewer columns",
                   (long long)d, (long long)set->n_rows, smr_plural(set->n_rows, "", "s"));
out:
    smr_free(count);
    return st;
}

smr_status smr_advice_json(smr_ctx *ctx, const smr_train_set *set, smr_json *into,
                           smr_json **advice)
{
    *advice = smr_json_add_array(into, "advice");
    return *advice ? smr_advise_set(ctx, set, *advice) : SMR_ERR_NOMEM;
}

/* ---- about predictions ------------------------------------------------------------------ */

static void advise_tiny(smr_ctx *ctx, const smr_classify_input *in, const smr_tally *t,
                        smr_json *advice)
{
    char low[32], high[32];
    if (in->n >= TINY_TEST) return;
    smr_interval i =
        smr_wilson(smr_fmin(t->total, smr_tally_accuracy(t) * t->total), t->total, CONFIDENCE);
    smr_advise(ctx, advice, "tiny_test", NULL,
               "%lld %s measured: the true accuracy lies anywhere between %s %% and %s %% "
               "(95 %% interval); measure on more rows, or with samara cv",
               (long long)in->n, smr_plural(in->n, "row was", "rows were"),
               smr_advise_number(100 * i.low, low), smr_advise_number(100 * i.high, high));
}

smr_status smr_advise_classified(smr_ctx *ctx, const smr_classify_input *in, bool alone,
                                 smr_json *advice)
{
    smr_status st = SMR_OK;
    smr_tally t = {0};
    int64_t n_predicted = 0, n_there = 0, only = 0, length = 0, absent = -1;
    TRY(smr_tally_make(ctx, in, &t));
    for (int64_t k = 0; k < in->n_classes; k++) {
        n_there += t.support[k] > 0;
        if (t.support[k] == 0 && absent < 0) absent = k;
        if (t.predicted[k] > 0) {
            n_predicted++;
            only = k;
        }
    }
    const char *name = in->class_names ? smr_strings_get(in->class_names, only, &length) : "";
    int64_t positive = in->positive < 0 ? in->n_classes - 1 : in->positive;
    if (n_predicted == 1 && n_there > 1)
        smr_advise(ctx, advice, "constant", NULL,
                   "every row was predicted as '%.*s': the model does not tell the classes apart; "
                   "try other "
                   "parameters or another learner%s",
                   (int)SMR_MIN(length, NAME_SHOWN), name,
                   in->n_classes != 2 ? ""
                   : only == positive ? ", or a higher --threshold"
                                      : ", or a lower --threshold");
    advise_tiny(ctx, in, &t, advice);
    if (!alone) goto out;
    advise_imbalance(ctx, in->class_names, in->n_classes, t.support, advice);
    if (absent >= 0) {
        name = in->class_names ? smr_strings_get(in->class_names, absent, &length) : "";
        smr_advise(ctx, advice, "no_rows", NULL,
                   "the class '%.*s' has no rows here: nothing is measured about it",
                   (int)SMR_MIN(length, NAME_SHOWN), name);
    }
out:
    smr_tally_release(&t);
    return st;
}

smr_status smr_advise_regressed(smr_ctx *ctx, const smr_regress_input *in, smr_json *advice)
{
    for (int64_t j = 0; j < in->n_outputs; j++) {
        bool same = true, answers = false;
        for (int64_t i = 1; i < in->n; i++) {
            same &= in->predicted[i * in->n_outputs + j] == in->predicted[j];
            answers |= in->y[i * in->n_outputs + j] != in->y[j];
        }
        if (in->n > 1 && same && answers)
            smr_advise(ctx, advice, "constant", in->output_names ? in->output_names[j] : NULL,
                       "every row has the same prediction: the model has learned one number for "
                       "all and nothing from the columns; lower its penalty, or try another "
                       "learner");
    }
    if (in->n < TINY_TEST)
        smr_advise(ctx, advice, "tiny_test", NULL,
                   "%lld %s measured: figures from so few rows are unreliable; measure on more "
                   "rows, or with samara cv",
                   (long long)in->n, smr_plural(in->n, "row was", "rows were"));
    return smr_json_done(advice->doc);
}

void smr_advise_fitted(smr_ctx *ctx, const char *so, smr_json *advice)
{
    smr_advise(ctx, advice, "training_rows", NULL,
               "these are the rows that the model was fitted on: %s",
               so ? so : "the figures flatter it; measure on other rows, or with samara cv");
}

smr_status smr_advise_same_data(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                                const char *so, smr_json *advice)
{
    uint64_t hash[2];
    char digits[33];
    if (!m->data_hash[0]) return SMR_OK;
    smr_status st = smr_table_hash(ctx, table, hash);
    if (st != SMR_OK) return st;
    for (int i = 0; i < 32; i++)
        digits[i] = "0123456789abcdef"[hash[i / 16] >> (60 - 4 * (i % 16)) & 15];
    digits[32] = '\0';
    if (strcmp(digits, m->data_hash) == 0) smr_advise_fitted(ctx, so, advice);
    return smr_json_done(advice->doc);
}
