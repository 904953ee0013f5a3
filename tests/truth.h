/* truth.h -- what models must answer, recorded by the scripts of tests/truth (CONTRIBUTING.md).
 *
 * A script prints a header of figures: plain arrays, which a test compares with what it computes
 * itself, or answers, which check_answers() compares with those of a model. */
#ifndef SMR_TESTS_TRUTH_H
#define SMR_TESTS_TRUTH_H

#include "pipeline.h"

#include "data/read.h"

struct answers {
    const char *sentence, *table, *target;
    const char *ignore;     /* columns that are no inputs, or NULL   */
    bool weighted, grouped; /* by the columns `weight` and `part`    */
    smr_output output;
    int64_t every; /* rows 0, every, 2 every ...            */
    double within;
    int64_t n; /* values of all these rows */
    const double *value;
};

/* Trains on the whole table, and is asked about the rows; two-sided, as check_near. */
static inline void check_answers_of(const struct answers *a)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = NULL;
    smr_model *m = NULL;
    smr_set_opts opts = {.target = a->target,
                         .ignore = a->ignore,
                         .weight = a->weighted ? "weight" : NULL,
                         .group = a->grouped ? "part" : NULL,
                         .keep_all = true};
    if (a->target) opts.task = a->output == SMR_OUTPUT_VALUE ? SMR_TASK_REGRESS : SMR_TASK_CLASSIFY;
    if (a->output == SMR_OUTPUT_TRANSFORM) opts.task = SMR_TASK_NONE;
    check_ok(ctx, smr_table_open(ctx, a->table, NULL, &t));
    smr_status st = try_train(ctx, a->sentence, t, &opts, &m);
    if (st != SMR_OK) fail_msg("%s: %s", a->sentence, smr_ctx_message(ctx));
    int64_t width = smr_model_width(m, a->output);
    int64_t rows = (t->n_rows + a->every - 1) / a->every;
    if (rows * width != a->n)
        fail_msg("%s: %d values, %d recorded", a->sentence, (int)(rows * width), (int)a->n);
    double *out = apply(ctx, m, t, a->output);
    for (int64_t i = 0; i < a->n; i++) {
        double got = out[i / width * a->every * width + i % width];
        char what[400];
        snprintf(what, sizeof what, "%s on %s, row %d", a->sentence, a->table,
                 (int)(i / width * a->every));
        check_near(what, got, a->value[i], a->within);
    }
    smr_free(out);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static inline void check_answers(const struct answers *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++) check_answers_of(&a[i]);
}

#endif
