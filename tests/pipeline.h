/* pipeline.h -- small tables, a context that remembers its warnings, and the way from a table to a
 * model in one call: for the tests of everything between a file and a prediction. */
#ifndef SMR_TESTS_PIPELINE_H
#define SMR_TESTS_PIPELINE_H

#include "check.h"
#include "said.h"

#include "core/rng.h"
#include "core/text.h"
#include "data/vocab.h"
#include "learn/model.h"
#include "learn/spec.h"
#include "unit/data/check_csv.h"

/* ---- warnings --------------------------------------------------------------------------- */

struct heard {
    int n;
    char text[16384]; /* one sentence per line */
};

static inline void hear(void *user, smr_log_level level, const char *message)
{
    struct heard *h = user;
    size_t used = strlen(h->text);
    (void)level;
    h->n++;
    snprintf(h->text + used, sizeof h->text - used, "%s\n", message);
}

/* A context whose log goes to `heard`. */
static inline smr_ctx *hearing_ctx(struct heard *heard)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .log = hear, .log_user = heard};
    *heard = (struct heard){0};
    assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_OK);
    return ctx;
}

#define check_heard(heard, part)                                                \
    do {                                                                        \
        if (!strstr((heard)->text, (part)))                                     \
            fail_msg("no warning with '%s' among:\n%s", (part), (heard)->text); \
    } while (0)

static inline void check_silent(const struct heard *heard)
{
    if (heard->n) fail_msg("unexpected warnings:\n%s", heard->text);
}

/* ---- tables ----------------------------------------------------------------------------- */

static inline smr_table *new_table(smr_ctx *ctx, int64_t n_rows, int64_t n_cols)
{
    smr_table *t = NULL;
    check_ok(ctx, smr_table_new(ctx, n_rows, n_cols, &t));
    return t;
}

static inline smr_column *name_col(smr_ctx *ctx, smr_table *t, int64_t j, const char *name)
{
    smr_column *col = &t->cols[j];
    col->name = smr_strdup(ctx, name);
    assert_non_null(col->name);
    col->stride = 1;
    col->owns_values = true;
    return col;
}

/* Column j = doubles; NaN is missing. */
static inline smr_column *put_numbers(smr_ctx *ctx, smr_table *t, int64_t j, const char *name,
                                      const double *x)
{
    smr_column *col = name_col(ctx, t, j, name);
    double *copy = smr_alloc(ctx, t->n_rows, sizeof *copy);
    memcpy(copy, x, (size_t)t->n_rows * sizeof *x);
    col->kind = SMR_NUMBER;
    col->dtype = SMR_F64;
    col->values = copy;
    for (int64_t i = 0; i < t->n_rows; i++) col->n_missing += isnan(x[i]);
    return col;
}

/* Column j = categories with sorted levels; NULL is missing. */
static inline smr_column *put_strings(smr_ctx *ctx, smr_table *t, int64_t j, const char *name,
                                      const char *const *x)
{
    smr_column *col = name_col(ctx, t, j, name);
    int32_t *codes = smr_alloc(ctx, t->n_rows, sizeof *codes), *recode;
    smr_vocab v = {0};
    for (int64_t i = 0; i < t->n_rows; i++) {
        codes[i] = -1;
        if (x[i]) check_ok(ctx, smr_vocab_add(ctx, &v, x[i], (int64_t)strlen(x[i]), &codes[i]));
        col->n_missing += !x[i];
    }
    recode = smr_alloc(ctx, v.strings.n, sizeof *recode);
    check_ok(ctx, smr_vocab_sorted(ctx, &v, &col->levels, recode));
    for (int64_t i = 0; i < t->n_rows; i++) codes[i] = codes[i] < 0 ? -1 : recode[codes[i]];
    smr_free(recode);
    smr_vocab_release(&v);
    col->kind = SMR_CATEGORY;
    col->dtype = SMR_I32;
    col->values = codes;
    return col;
}

/* A table of doubles, n x d, row-major, with these names. */
static inline smr_table *matrix_table(smr_ctx *ctx, int64_t n, int64_t d, const double *x,
                                      const char *const *names)
{
    smr_table *t = new_table(ctx, n, d);
    double *column = smr_alloc(ctx, n, sizeof *column);
    for (int64_t j = 0; j < d; j++) {
        for (int64_t i = 0; i < n; i++) column[i] = x[i * d + j];
        put_numbers(ctx, t, j, names[j], column);
    }
    smr_free(column);
    return t;
}

/* A number with high entropy for row i, column j. */
static inline double noise(int64_t i, int64_t j)
{
    return 2 * smr_random_unit(9, SMR_STREAM_TEST, (uint64_t)j + 1, (uint64_t)i) - 0.9;
}

static inline void check_string(const smr_strings *s, int64_t i, const char *wanted)
{
    int64_t n = 0;
    assert_true(i < s->n);
    const char *text = smr_strings_get(s, i, &n);
    if (n != (int64_t)strlen(wanted) || memcmp(text, wanted, (size_t)n))
        fail_msg("string %d is '%.*s', wanted '%s'", (int)i, (int)n, text, wanted);
}

/* ---- models ----------------------------------------------------------------------------- */

static inline smr_status try_train(smr_ctx *ctx, const char *sentence, const smr_table *table,
                                   const smr_set_opts *opts, smr_model **model)
{
    smr_train_set *set = NULL;
    *model = NULL;
    smr_status st = said_set(ctx, table, sentence, opts, &set);
    if (st == SMR_OK) st = said_fit(ctx, sentence, set, NULL, 0, model);
    smr_train_set_free(set);
    return st;
}

/* Every column is an input; target NULL: none. */
static inline smr_model *train_on(smr_ctx *ctx, const char *sentence, const smr_table *table,
                                  const char *target)
{
    smr_model *model = NULL;
    smr_set_opts opts = {.target = target, .keep_all = true};
    check_ok(ctx, try_train(ctx, sentence, table, &opts, &model));
    return model;
}

/* "impute* linear": an inserted stage has a star. */
static inline const char *stages_of(const smr_model *m)
{
    static char text[512];
    text[0] = '\0';
    for (int64_t s = 0; s < m->n_stages; s++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s%s", s > 0 ? " " : "",
                 m->stages[s].learner->word->name, m->stages[s].inserted ? "*" : "");
    }
    return text;
}

/* What the model says for every row of the table; the caller releases it with smr_free. */
static inline double *apply(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                            smr_output output)
{
    int64_t width = smr_model_width(m, output);
    double *out = smr_alloc(ctx, table->n_rows * width + 1, sizeof *out);
    assert_non_null(out);
    check_ok(ctx, smr_model_apply(ctx, m, table, NULL, 0, output, out));
    return out;
}

/* Makes the n-th allocation of `attempt` fail, for n = 0, 1, ... until it succeeds: each failure is
 * SMR_ERR_NOMEM and leaves nothing behind.  Returns the number of failures. */
static inline int64_t
fail_each_allocation(smr_ctx *ctx, smr_status (*attempt)(smr_ctx *ctx, void *arg), void *arg)
{
    int64_t held = smr_ctx_memory(ctx, NULL);
    for (int64_t n = 0;; n++) {
        smr_memory_fail_at(ctx, n);
        smr_status st = attempt(ctx, arg);
        smr_memory_fail_at(ctx, -1);
        if (smr_ctx_memory(ctx, NULL) != held)
            fail_msg("allocation %d failed, and %d bytes are left", (int)n,
                     (int)(smr_ctx_memory(ctx, NULL) - held));
        if (st == SMR_OK) return n;
        if (st != SMR_ERR_NOMEM)
            fail_msg("allocation %d failed with '%s'", (int)n, smr_ctx_message(ctx));
        smr_ctx_clear(ctx);
    }
}

#endif
