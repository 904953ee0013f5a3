/* target.c -- see target.h. */
#include "learn/target.h"

#include "core/number.h"
#include "core/text.h"
#include "data/vocab.h"
#include "learn/learner.h"

#include <math.h>
#include <string.h>

enum { FEW_CLASSES = 20, MOST_CLASSES = 10000 };

static bool holds_strings(const smr_column *col)
{
    return col->kind == SMR_CATEGORY || col->kind == SMR_TEXT;
}

/* At most FEW_CLASSES distinct values, all whole. */
static bool few_whole_numbers(const smr_column *col, int64_t n_rows)
{
    double seen[FEW_CLASSES];
    int64_t n = 0;
    for (int64_t i = 0; i < n_rows; i++) {
        double x = smr_column_number(col, i);
        if (isnan(x)) continue;
        if (x != floor(x)) return false;
        int64_t k = 0;
        while (k < n && seen[k] != x) k++;
        if (k < n) continue;
        if (n == FEW_CLASSES) return false;
        seen[n++] = x;
    }
    return true;
}

/* The row of a number that is not whole; -1: there is none. */
static int64_t find_fraction(const smr_column *col, int64_t n_rows)
{
    for (int64_t i = 0; !holds_strings(col) && i < n_rows; i++) {
        double x = smr_column_number(col, i);
        if (isfinite(x) && x != floor(x)) return i;
    }
    return -1;
}

/* Whole numbers of a file of labels are classes, however many. */
static bool are_labels(const smr_column *col, int64_t n_rows)
{
    return col->names_classes && col->kind == SMR_NUMBER && find_fraction(col, n_rows) < 0;
}

/* Numbers for a learner that only classifies, where they were not said to be classes. */
static bool in_doubt(const smr_column *col, const smr_target_opts *opts)
{
    return !holds_strings(col) && !col->names_classes && opts->forced == SMR_TASK_NONE &&
           !opts->classes && !(opts->tasks & SMR_DOES_REGRESS);
}

/* This many are seldom meant as classes; fractions never. */
static smr_status doubt_classes(smr_ctx *ctx, const smr_table *table, const smr_column *col,
                                const smr_target_opts *opts, int64_t n_classes)
{
    char text[SMR_NUMBER_MAX];
    if (!in_doubt(col, opts) || n_classes <= FEW_CLASSES) return SMR_OK;
    int64_t row = find_fraction(col, table->n_rows);
    if (row < 0) {
        smr_warn(ctx,
                 "the target '%s' holds %lld different numbers, and %s takes each as a class; "
                 "use linear or ridge to predict numbers, or --task classify if classes are meant",
                 col->name, (long long)n_classes, opts->learner);
        return SMR_OK;
    }
    smr_format_double(smr_column_number(col, row), text);
    return smr_fail(ctx, SMR_ERR_DATA,
                    "the target '%s' holds numbers (%s in row %lld), and %s classifies; choose a "
                    "learner that predicts numbers, such as linear, or say --task classify",
                    col->name, text, (long long)row + 1, opts->learner);
}

static smr_status decide_task(smr_ctx *ctx, const smr_table *table, const smr_column *col,
                              int64_t n_targets, const smr_target_opts *opts, smr_task *out)
{
    const char *learner = opts->learner;
    smr_task forced = opts->forced;
    bool classify = opts->tasks & SMR_DOES_CLASSIFY, regress = opts->tasks & SMR_DOES_REGRESS;
    bool strings = holds_strings(col);
    if (forced == SMR_TASK_CLASSIFY && !classify)
        return smr_fail(ctx, SMR_ERR_PARAM, "%s does not classify; it predicts numbers", learner);
    if (forced == SMR_TASK_REGRESS && !regress)
        return smr_fail(ctx, SMR_ERR_PARAM, "%s does not predict numbers; it classifies", learner);
    if (strings && classify && forced == SMR_TASK_REGRESS)
        return smr_fail(
            ctx, SMR_ERR_PARAM,
            "the target '%s' holds text, which cannot be predicted as a number; leave out "
            "--task regress",
            col->name);
    if (strings && !classify)
        return smr_fail(
            ctx, SMR_ERR_DATA,
            "the target '%s' holds text, and %s predicts numbers; choose a learner that "
            "classifies, such as logistic or knn",
            col->name, learner);
    if (n_targets > 1 && (strings || !regress || forced == SMR_TASK_CLASSIFY))
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "several targets are for predicting numbers; '%s' is to be classified",
                        col->name);
    if (forced != SMR_TASK_NONE)
        *out = forced;
    else if (!classify || !regress)
        *out = classify ? SMR_TASK_CLASSIFY : SMR_TASK_REGRESS;
    else if (strings || (n_targets == 1 && are_labels(col, table->n_rows)))
        *out = SMR_TASK_CLASSIFY;
    else if (n_targets == 1 && col->kind == SMR_NUMBER && !opts->numbers_first &&
             few_whole_numbers(col, table->n_rows))
        *out = SMR_TASK_CLASSIFY;
    else
        *out = SMR_TASK_REGRESS;
    return SMR_OK;
}

static bool all_missing(const smr_column *col, int64_t n_rows)
{
    for (int64_t i = 0; i < n_rows; i++)
        if (holds_strings(col) ? smr_column_code(col, i) >= 0 : !isnan(smr_column_number(col, i)))
            return false;
    return true;
}

static smr_status refuse_infinite(smr_ctx *ctx, const smr_column *col, int64_t n_rows)
{
    for (int64_t i = 0; !holds_strings(col) && i < n_rows; i++)
        if (isinf(smr_column_number(col, i)))
            return smr_fail(ctx, SMR_ERR_DATA, "the target '%s' is infinite in row %lld", col->name,
                            (long long)i + 1);
    return SMR_OK;
}

/* "a,b,c" as sorted classes. */
static smr_status list_classes(smr_ctx *ctx, const char *list, smr_strings *out)
{
    smr_status st = SMR_OK;
    smr_vocab words = {0};
    int64_t *order = NULL;
    int32_t code;
    for (const char *at = list; *at;) {
        int64_t n = (int64_t)strcspn(at, ","), known = words.strings.n;
        TRY(smr_vocab_add(ctx, &words, at, n, &code));
        if (n == 0 || code < known)
            TRY(smr_fail(ctx, SMR_ERR_PARAM, "--classes %s: %s", list,
                         n ? "a class is named twice" : "a class has no name"));
        at += n + (at[n] == ',');
    }
    TRY_NEW(order, words.strings.n + 1);
    TRY(smr_levels_sort(ctx, &words.strings, order));
    TRY(smr_strings_copy(ctx, &words.strings, order, out));
out:
    smr_free(order);
    smr_vocab_release(&words);
    return st;
}

/* All rows have the same; a number is called a class only where classes were asked for. */
static smr_status refuse_constant(smr_ctx *ctx, const smr_column *col, const smr_target_opts *opts,
                                  int length, const char *only)
{
    bool number = length > 0 && !holds_strings(col) && !col->names_classes && !opts->classes &&
                  opts->forced == SMR_TASK_NONE;
    if (!number)
        return smr_fail(
            ctx, SMR_ERR_DATA,
            "the target '%s' has one class only, '%.*s': there is nothing to tell apart", col->name,
            length, only);
    return smr_fail(
        ctx, SMR_ERR_DATA,
        "the target '%s' is %.*s in every row that has one: there is nothing to learn%s", col->name,
        length, only,
        opts->tasks & SMR_DOES_REGRESS ? "; --task regress takes it as a number all the same" : "");
}

static smr_status find_classes(smr_ctx *ctx, const smr_table *table, const smr_column *col,
                               const smr_target_opts *opts, smr_target *t)
{
    smr_status st = SMR_OK;
    int32_t *codes = NULL;
    const char *positive = opts->positive;
    if (opts->classes)
        TRY(list_classes(ctx, opts->classes, &t->classes));
    else if (holds_strings(col))
        TRY(smr_strings_copy(ctx, &col->levels, NULL, &t->classes));
    else
        TRY(smr_codes_from_numbers(ctx, col, table->n_rows, MOST_CLASSES, &t->classes, &codes));
    TRY(doubt_classes(ctx, table, col, opts, t->classes.n));
    if (t->classes.n < (opts->compared ? 1 : 2)) {
        int64_t length = 0;
        const char *only = t->classes.n ? smr_strings_get(&t->classes, 0, &length) : "";
        st = refuse_constant(ctx, col, opts, (int)length, only);
        goto out;
    }
    t->positive = t->classes.n - 1;
    if (positive) {
        t->positive = smr_strings_find(&t->classes, positive, (int64_t)strlen(positive));
        if (t->positive < 0)
            st = smr_fail(ctx, SMR_ERR_PARAM,
                          "the target '%s' has no class '%s' to be the positive one", col->name,
                          positive);
    }
out:
    smr_free(codes);
    return st;
}

smr_status smr_target_infer(smr_ctx *ctx, const smr_table *table, const int64_t *cols, int64_t n,
                            const smr_target_opts *opts, smr_target *out)
{
    smr_status st = SMR_OK;
    smr_target t = {0};
    TRY_NEW(t.names, n + 1);
    while (t.n < n) {
        const smr_column *col = &table->cols[cols[t.n]];
        char *name = smr_strdup(ctx, col->name);
        if (!name) {
            st = SMR_ERR_NOMEM;
            goto out;
        }
        t.names[t.n++] = name;
        TRY(refuse_infinite(ctx, col, table->n_rows));
        if (all_missing(col, table->n_rows)) {
            st = smr_fail(ctx, SMR_ERR_DATA, "the target '%s' is missing in all %lld row%s",
                          col->name, (long long)table->n_rows, smr_plural(table->n_rows, "", "s"));
            goto out;
        }
        TRY(decide_task(ctx, table, col, n, opts, &t.task));
    }
    if (t.task == SMR_TASK_CLASSIFY) TRY(find_classes(ctx, table, &table->cols[cols[0]], opts, &t));
    *out = t;
    return SMR_OK;
out:
    smr_target_release(&t);
    return st;
}

smr_status smr_target_copy(smr_ctx *ctx, const smr_target *from, smr_target *to)
{
    smr_status st = SMR_OK;
    smr_target t = {.task = from->task,
                    .held = from->held,
                    .positive = from->positive,
                    .has_threshold = from->has_threshold,
                    .threshold = from->threshold};
    TRY_NEW(t.names, from->n + 1);
    for (; t.n < from->n; t.n++) {
        t.names[t.n] = smr_strdup(ctx, from->names[t.n]);
        if (!t.names[t.n]) {
            st = SMR_ERR_NOMEM;
            goto out;
        }
    }
    TRY(smr_strings_copy(ctx, &from->classes, NULL, &t.classes));
    if (from->mean) {
        TRY_NEW(t.mean, from->n);
        TRY_NEW(t.sd, from->n);
        memcpy(t.mean, from->mean, (size_t)from->n * sizeof *t.mean);
        memcpy(t.sd, from->sd, (size_t)from->n * sizeof *t.sd);
    }
    if (from->threshold_how) {
        t.threshold_how = smr_strdup(ctx, from->threshold_how);
        if (!t.threshold_how) TRY(SMR_ERR_NOMEM);
    }
    *to = t;
    return SMR_OK;
out:
    smr_target_release(&t);
    return st;
}

void smr_target_release(smr_target *t)
{
    for (int64_t j = 0; t->names && j < t->n; j++) smr_free(t->names[j]);
    smr_free(t->names);
    smr_strings_release(&t->classes);
    smr_free(t->mean);
    smr_free(t->sd);
    smr_free(t->threshold_how);
    *t = (smr_target){0};
}

smr_status smr_target_set_threshold(smr_ctx *ctx, smr_target *t, double threshold, const char *how)
{
    char *copy = how ? smr_strdup(ctx, how) : NULL;
    if (how && !copy) return SMR_ERR_NOMEM;
    smr_free(t->threshold_how);
    t->threshold_how = copy;
    t->threshold = threshold;
    t->has_threshold = true;
    return SMR_OK;
}

bool smr_target_names_classes(const smr_target *t)
{
    return t->classes.n > 0 && !t->held;
}

int64_t smr_target_label(const smr_target *t, const double *scores)
{
    int64_t best = 0;
    if (t->has_threshold)
        return scores[t->positive] >= t->threshold ? t->positive : 1 - t->positive;
    for (int64_t k = 1; k < t->classes.n; k++)
        if (scores[k] > scores[best]) best = k;
    return best;
}

smr_status smr_target_find_outliers(smr_ctx *ctx, const smr_table *table, const char *positive,
                                    smr_target *t)
{
    smr_status st = SMR_OK;
    int32_t *label = NULL;
    int64_t count[2] = {0, 0};
    if (positive) return SMR_OK; /* found among the classes already */
    t->positive = t->classes.n;
    if (t->classes.n != 2) return SMR_OK;
    TRY_NEW(label, table->n_rows + 1);
    TRY(smr_target_labels(ctx, t, table, label));
    for (int64_t i = 0; i < table->n_rows; i++)
        if (label[i] >= 0) count[label[i]]++;
    t->positive = count[0] < count[1] ? 0 : 1;
out:
    smr_free(label);
    return st;
}

bool smr_target_present(const smr_target *t, const smr_table *table)
{
    for (int64_t j = 0; j < t->n; j++)
        if (smr_table_find(table, t->names[j]) < 0) return false;
    return true;
}

static smr_status need_column(smr_ctx *ctx, const smr_target *t, int64_t j, const smr_table *table,
                              const smr_column **out)
{
    int64_t at = smr_table_find(table, t->names[j]);
    if (at < 0)
        return smr_fail(ctx, SMR_ERR_STATE, "%s has no column '%s', the model's target",
                        table->source ? table->source : "the table", t->names[j]);
    *out = &table->cols[at];
    return SMR_OK;
}

smr_status smr_target_labels(smr_ctx *ctx, const smr_target *t, const smr_table *table,
                             int32_t *labels)
{
    smr_status st = SMR_OK;
    const smr_column *col = NULL;
    const smr_strings *levels = NULL;
    smr_strings made = {0};
    int32_t *codes = NULL, *map = NULL;
    TRY(need_column(ctx, t, 0, table, &col));
    levels = &col->levels;
    if (!holds_strings(col)) {
        TRY(smr_codes_from_numbers(ctx, col, table->n_rows, MOST_CLASSES, &made, &codes));
        levels = &made;
    }
    TRY_NEW(map, levels->n + 1);
    TRY(smr_strings_places(ctx, levels, &t->classes, map));
    for (int64_t k = 0; k < levels->n; k++) {
        if (map[k] < 0) {
            int64_t length;
            const char *level = smr_strings_get(levels, k, &length);
            st = smr_fail(ctx, SMR_ERR_DATA,
                          "%s: the target '%s' has a class '%.*s' that the model does not know; "
                          "samara inspect shows those it knows",
                          table->source ? table->source : "the table", col->name,
                          (int)SMR_MIN(length, 60), level);
            goto out;
        }
    }
    for (int64_t i = 0; i < table->n_rows; i++) {
        int32_t code = codes ? codes[i] : smr_column_code(col, i);
        labels[i] = code < 0 ? -1 : map[code];
    }
out:
    smr_free(codes);
    smr_free(map);
    smr_strings_release(&made);
    return st;
}

/* The column of target j, which holds finite numbers or nothing. */
static smr_status need_numbers(smr_ctx *ctx, const smr_target *t, int64_t j, const smr_table *table,
                               const smr_column **out)
{
    smr_status st = SMR_OK;
    TRY(need_column(ctx, t, j, table, out));
    if (holds_strings(*out))
        return smr_fail(ctx, SMR_ERR_DATA, "the target '%s' holds text where numbers are predicted",
                        (*out)->name);
    TRY(refuse_infinite(ctx, *out, table->n_rows));
out:
    return st;
}

smr_status smr_target_view(smr_ctx *ctx, const smr_target *t, const smr_table *table,
                           const double **y)
{
    const smr_column *col = NULL;
    *y = NULL;
    if (t->n != 1) return SMR_OK;
    smr_status st = need_numbers(ctx, t, 0, table, &col);
    if (st == SMR_OK && col->dtype == SMR_F64 && col->stride == 1) *y = col->values;
    return st;
}

smr_status smr_target_values(smr_ctx *ctx, const smr_target *t, const smr_table *table, double *y)
{
    smr_status st = SMR_OK;
    for (int64_t j = 0; j < t->n; j++) {
        const smr_column *col = NULL;
        TRY(need_numbers(ctx, t, j, table, &col));
        for (int64_t i = 0; i < table->n_rows; i++) y[i * t->n + j] = smr_column_number(col, i);
    }
out:
    return st;
}
