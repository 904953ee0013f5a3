/* Progress of work that is made of parts: each name goes from 0 to its total once, whatever the
 * parts report, so that a bar and the time that is left mean something. */
#include "cv_tables.h"
#include "said_study.h"

enum { MOST_NAMES = 16, ROWS = 160 };

/* The work that was heard of, in order. */
struct watch {
    smr_ctx *ctx;
    int n, n_back;
    const char *what[MOST_NAMES];
    int64_t done[MOST_NAMES], total[MOST_NAMES];
};

static int see(void *user, const char *what, int64_t done, int64_t total, double figure)
{
    struct watch *w = user;
    int k = 0;
    (void)figure;
    while (k < w->n && strcmp(w->what[k], what) != 0) k++;
    if (k == w->n) {
        assert_true(w->n < MOST_NAMES);
        w->what[w->n] = what;
        w->done[w->n] = 0;
        w->total[w->n++] = total;
    }
    if (done < w->done[k] || done > total || total != w->total[k]) {
        print_error("%s: %d of %d after %d of %d\n", what, (int)done, (int)total, (int)w->done[k],
                    (int)w->total[k]);
        w->n_back++;
    }
    w->done[k] = done;
    w->ctx->progress_last = -1e9; /* every tick reports */
    return 0;
}

static void begin(struct watch *w, smr_ctx *ctx)
{
    *w = (struct watch){.ctx = ctx};
    ctx->progress = see;
    ctx->progress_user = w;
    ctx->progress_last = -1e9;
}

/* The work named `what` came nearly to its end, and nothing went back or was named `barred`.  The
 * first of several threads reports, and others may do what comes last. */
static void check(struct watch *w, const char *label, const char *what, int64_t total,
                  const char *barred)
{
    int k = 0;
    assert_ptr_equal(w->ctx->progress_user, w);
    w->ctx->progress = NULL;
    while (k < w->n && strcmp(w->what[k], what) != 0) k++;
    for (int i = 0; i < w->n; i++)
        if (w->n_back || k == w->n || (barred && strcmp(w->what[i], barred) == 0))
            print_error("%s: %s, %d of %d\n", label, w->what[i], (int)w->done[i], (int)w->total[i]);
    assert_int_equal(w->n_back, 0);
    assert_true(k < w->n);
    assert_int_equal(w->total[k], total);
    assert_true(w->ctx->n_threads > 1 || w->done[k] >= total - SMR_MAX(1, total / 4));
    for (int i = 0; i < w->n && barred; i++) assert_string_not_equal(w->what[i], barred);
}

static void learners_made_of_parts_count_them(void **state)
{
    static const struct {
        const char *sentence, *what;
        int64_t total;
        const char *barred;
    } cases[] = {
        {"forest 90", "trees", 90, NULL},
        {"boost 30", "boosting", 30, NULL},
        {"bag 9 of=(tree)", "fitting bags", 9, "growing"},
        {"bag 9 of=(forest 40)", "fitting bags", 9, "trees"},
        {"bag 3 of=(bag 5 of=(tree))", "fitting bags", 3, "growing"},
        {"adaboost 12 of=(tree 2)", "boosting", 12, "growing"},
        {"adaboost 4 of=(adaboost 9)", "boosting", 4, NULL},
        {"adaboost 4 of=(boost 9)", "boosting", 4, NULL},
        {"stack of=(forest 20),(tree),(boost 7)", "fitting learners", 3, "trees"},
        {"vote of=(forest 20),(tree),(knn),(boost 7)", "fitting learners", 4, "trees"},
        {"tree prune=cost folds=5", "cross-validating", 5, NULL},
        {"select by=forward k=2 | tree", "trying features", 7, NULL},
    };
    (void)state;
    for (int threads = 1; threads < 4; threads += 2)
        for (int c = 0; c < SMR_COUNT(cases); c++) {
            smr_ctx *ctx = check_ctx(threads);
            smr_table *t = cv_table(ctx, ROWS);
            smr_train_set *set = cv_set(ctx, t, "k", NULL, NULL);
            struct watch w;
            smr_model *m = NULL;
            begin(&w, ctx);
            check_ok(ctx, said_fit(ctx, cases[c].sentence, set, NULL, 0, &m));
            check(&w, cases[c].sentence, cases[c].what, cases[c].total, cases[c].barred);
            smr_model_free(m);
            smr_train_set_free(set);
            smr_table_free(t);
            check_ctx_end(ctx);
        }
}

static smr_status tune(smr_ctx *ctx, const smr_table *t, const smr_train_set *set, smr_json *into)
{
    smr_cv_ask ask = {.folds = 4};
    smr_tune_how how = {.ask = &ask};
    smr_tune_opts opts = {.over = "k=3,5,7", .holdout = 0.2};
    (void)t;
    return said_tune(ctx, "impute | knn", set, &opts, &how, into);
}

static smr_status learning(smr_ctx *ctx, const smr_table *t, const smr_train_set *set,
                           smr_json *into)
{
    smr_curve_how how = {.ask = {.folds = 4}, .sizes = "30,60,90"};
    (void)t;
    return said_learning(ctx, "forest 20", set, &how, into);
}

static smr_status validation(smr_ctx *ctx, const smr_table *t, const smr_train_set *set,
                             smr_json *into)
{
    smr_curve_how how = {.ask = {.folds = 4}, .over = "trees=5,9,17"};
    (void)t;
    return said_validation(ctx, "forest", set, &how, into);
}

static smr_status compare(smr_ctx *ctx, const smr_table *t, const smr_train_set *set,
                          smr_json *into)
{
    static const char *const models[] = {"forest 20", "tree", "boost 5"};
    smr_set_opts how = {.target = "k", .ignore = "y,s,g,w", .keep_all = true};
    smr_compare_ask ask = {.cv = {.folds = 4}, .names = models, .n = 3};
    (void)set;
    return said_compare(ctx, t, &how, &ask, into);
}

static void studies_count_the_rounds_of_all_their_models(void **state)
{
    static const struct {
        const char *what;
        smr_status (*run)(smr_ctx *ctx, const smr_table *t, const smr_train_set *set,
                          smr_json *into);
        int64_t total;
        const char *barred;
    } cases[] = {{"learning curve", learning, 12, "trees"},
                 {"validation curve", validation, 12, "trees"},
                 {"comparing", compare, 12, "trees"},
                 {"tuning", tune, 16, NULL}}; /* with the start */
    (void)state;
    for (int threads = 1; threads < 4; threads += 2)
        for (int c = 0; c < SMR_COUNT(cases); c++) {
            smr_ctx *ctx = check_ctx(threads);
            smr_table *t = cv_table(ctx, ROWS);
            smr_train_set *set = cv_set(ctx, t, "k", NULL, NULL);
            smr_json_doc *doc = NULL;
            struct watch w;
            check_ok(ctx, smr_json_create(ctx, &doc));
            begin(&w, ctx);
            check_ok(ctx, cases[c].run(ctx, t, set, smr_json_root(doc)));
            check(&w, cases[c].what, cases[c].what, cases[c].total, cases[c].barred);
            smr_json_free(doc);
            smr_train_set_free(set);
            smr_table_free(t);
            check_ctx_end(ctx);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learners_made_of_parts_count_them),
        cmocka_unit_test(studies_count_the_rounds_of_all_their_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
