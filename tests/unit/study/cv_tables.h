/* cv_tables.h -- tables for the tests of cross-validation and comparison. */
#ifndef SMR_TESTS_CV_TABLES_H
#define SMR_TESTS_CV_TABLES_H

#include "pipeline.h"

#include "study/cv.h"

/* n rows: numbers a, b, c (c with gaps), a category d, a regression target y = 2 a - b + noise, a
 * class target k of three uneven classes told by a, a group g of n/4 values, weights w 1..3 and a
 * time s. */
static inline smr_table *cv_table(smr_ctx *ctx, int64_t n)
{
    static const char *const names[] = {"low", "mid", "top"}, *const colours[] = {"red", "tan"};
    smr_table *t = new_table(ctx, n, 9);
    double *x = smr_alloc(ctx, n * 7, sizeof *x);
    const char **d = smr_alloc(ctx, n * 2, sizeof *d), **k = d + n;
    for (int64_t i = 0; i < n; i++) {
        double a = noise(i, 1), b = noise(i, 2);
        x[i] = a;
        x[n + i] = 10 * b;
        x[2 * n + i] = i % 7 == 3 ? NAN : noise(i, 3) * 1e-3;
        x[3 * n + i] = 2 * a - b + 0.3 * noise(i, 4);
        x[4 * n + i] = (double)(i * 13 % SMR_MAX(2, n / 4));
        x[5 * n + i] = (double)(1 + i % 3);
        x[6 * n + i] = 1000 * noise(i, 5);
        d[i] = i % 11 == 5 ? NULL : colours[i % 5 < 2];
        k[i] = names[a + 0.2 * noise(i, 6) < -0.2 ? 0 : a < 0.8 ? 1 : 2];
    }
    put_numbers(ctx, t, 0, "a", x);
    put_numbers(ctx, t, 1, "b", x + n);
    put_numbers(ctx, t, 2, "c", x + 2 * n);
    put_strings(ctx, t, 3, "d", d);
    put_numbers(ctx, t, 4, "y", x + 3 * n);
    put_strings(ctx, t, 5, "k", k);
    put_numbers(ctx, t, 6, "g", x + 4 * n);
    put_numbers(ctx, t, 7, "w", x + 5 * n);
    put_numbers(ctx, t, 8, "s", x + 6 * n);
    smr_free(x);
    smr_free(d);
    return t;
}

/* The set with target y or k; what is not a feature is left out. */
static inline smr_train_set *cv_set(smr_ctx *ctx, const smr_table *t, const char *target,
                                    const char *group, const char *weight)
{
    smr_train_set *set = NULL;
    char ignore[32];
    snprintf(ignore, sizeof ignore, "%s,s%s%s", strcmp(target, "y") == 0 ? "k" : "y",
             group ? "" : ",g", weight ? "" : ",w");
    smr_set_opts opts = {
        .target = target, .group = group, .weight = weight, .ignore = ignore, .keep_all = true};
    check_ok(ctx, said_set(ctx, t, "knn", &opts, &set));
    return set;
}

static inline smr_cv_plan *cv_plan(smr_ctx *ctx, const smr_train_set *set, smr_cv_opts opts)
{
    smr_cv_plan *plan = NULL;
    check_ok(ctx, smr_cv_plan_create(ctx, set, &opts, &plan));
    return plan;
}

#endif
