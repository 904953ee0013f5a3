/* test_judged.c -- what clusters, sequences and densities are compared with, and what is drawn for
 * them: for every learner of such a task, and figures worked out by hand. */
#include "standins.h"
#include "tables.h"

#include "core/json.h"
#include "study/compare.h"
#include "study/cv_report.h"
#include "study/evaluate.h"
#include "study/figures.h"
#include "study/judge.h"

/* All that is reported about a model on its own training rows. */
static smr_json_doc *judge(smr_ctx *ctx, const smr_model *m, const smr_table *t,
                           const smr_train_set *fitted)
{
    smr_json_doc *doc = NULL;
    smr_sample sample = {.table = t, .n_rows = t->n_rows};
    smr_judging how = {.figures = true, .fitted = fitted};
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_judge(ctx, m, &sample, &how, smr_json_root(doc)));
    return doc;
}

static const smr_json *figure(smr_json_doc *doc, const char *name)
{
    const smr_json *list = smr_json_get(smr_json_root(doc), "figures");
    for (const smr_json *f = list ? list->first : NULL; f; f = f->next)
        if (strcmp(smr_json_get_string(f, "name", ""), name) == 0) return f;
    return NULL;
}

/* One cluster alone has none, which is what the measure says. */
static bool has_silhouettes(smr_json_doc *doc, smr_task task)
{
    const smr_json *measures = smr_json_get(smr_json_root(doc), "measures");
    return task == SMR_TASK_CLUSTER && isfinite(smr_json_get_number(measures, "silhouette", NAN));
}

static void told(smr_ctx *ctx, const struct subject *s)
{
    const smr_judge_facts *facts = smr_judge_of(s->task);
    if (facts->as != SMR_JUDGED_AS_FOUND) return;
    smr_table *t = task_table(ctx, NULL, false, false);
    smr_train_set *set = NULL;
    smr_model *m = must_train(ctx, s, t);
    check_ok(ctx, said_set(ctx, t, s->learner->word->name, &s->opts, &set));
    smr_json_doc *docs[] = {judge(ctx, m, t, set), judge(ctx, m, t, NULL)};
    bool labels = smr_model_gives(m) & SMR_GIVES_LABEL;
    for (int k = 0; k < 2; k++) {
        const smr_json *base = smr_json_get(smr_json_root(docs[k]), "baseline");
        const char *name = smr_judge_baseline_name(&set->target);
        assert_int_equal(base != NULL, name != NULL);
        if (base) {
            assert_string_equal(smr_json_get_string(base, "what", ""), name + strlen("baseline: "));
            assert_string_equal(smr_json_get_string(base, "from", ""),
                                k ? "the measured rows" : "the fitted rows");
            assert_true(isfinite(
                smr_json_get_number(base, s->opts.target ? facts->usual : facts->alone, NAN)));
        }
        assert_int_equal(figure(docs[k], "sizes") != NULL, labels);
        assert_int_equal(figure(docs[k], "contingency") != NULL, labels && s->opts.target);
        assert_int_equal(figure(docs[k], "silhouettes") != NULL, has_silhouettes(docs[k], s->task));
        assert_int_equal(figure(docs[k], "row_scores") != NULL, s->task != SMR_TASK_CLUSTER);
        smr_json_free(docs[k]);
    }
    smr_train_set_free(set);
    smr_model_free(m);
    smr_table_free(t);
}

static void every_task_has_figures_and_most_a_baseline(void **state)
{
    (void)state;
    assert_true(each_subject(told) >= 9);
}

/* ---- compare ---------------------------------------------------------------------------- */

static void compared(smr_ctx *ctx, const struct subject *s)
{
    smr_json_doc *doc = NULL;
    smr_spec *spec = parsed(ctx, s->learner->word->name);
    const smr_spec *specs[] = {spec};
    smr_compare_ask ask = {.specs = specs, .n = 1, .cv = {.folds = 3}};
    smr_target target = {.task = s->task, .n = s->opts.target != NULL};
    if (!smr_judge_can(&target)) {
        smr_spec_free(spec);
        return;
    }
    const char *const names[] = {s->learner->word->name};
    ask.names = names;
    smr_table *t = task_table(ctx, NULL, false, false);
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_compare_report(ctx, t, &s->opts, &ask, smr_json_root(doc)));
    const char *name = smr_judge_baseline_name(&target);
    const smr_json *league = smr_json_get(smr_json_root(doc), "league"), *base = NULL;
    for (const smr_json *row = league->first; row; row = row->next)
        if (strncmp(smr_json_get_string(row, "model", ""), "baseline", 8) == 0) base = row;
    assert_int_equal(base != NULL, name != NULL);
    if (base) assert_string_equal(smr_json_get_string(base, "model", ""), name);
    if (base) assert_true(isfinite(smr_json_get_number(base, "mean", NAN)));
    smr_json_free(doc);
    smr_spec_free(spec);
    smr_table_free(t);
}

static void comparisons_have_the_baseline_of_the_task(void **state)
{
    (void)state;
    each_subject(compared);
}

/* Cross-validation holds the same baseline against a model as a comparison on the same folds. */
static void validated(smr_ctx *ctx, const struct subject *s)
{
    smr_json_doc *docs[2] = {NULL};
    smr_train_set *set = NULL;
    smr_spec *spec = parsed(ctx, s->learner->word->name);
    smr_cv_ask folds = {.folds = 3};
    const char *const names[] = {s->learner->word->name};
    const smr_spec *specs[] = {spec};
    smr_compare_ask ask = {.specs = specs, .names = names, .n = 1, .cv = folds};
    smr_table *t = task_table(ctx, NULL, false, false);
    check_ok(ctx, said_set(ctx, t, s->learner->word->name, &s->opts, &set));
    if (smr_judge_can(&set->target)) {
        for (int k = 0; k < 2; k++) check_ok(ctx, smr_json_create(ctx, &docs[k]));
        check_ok(ctx, smr_cv_report(ctx, spec, set, &folds, smr_json_root(docs[0]), NULL));
        check_ok(ctx, smr_compare_report(ctx, t, &s->opts, &ask, smr_json_root(docs[1])));
        const char *name = smr_judge_baseline_name(&set->target);
        const char *measure = smr_json_get_string(smr_json_root(docs[1]), "measure", "");
        const smr_json *base = smr_json_get(smr_json_root(docs[0]), "baseline");
        assert_int_equal(base != NULL, name != NULL);
        for (const smr_json *row = smr_json_get(smr_json_root(docs[1]), "league")->first;
             base && row; row = row->next)
            if (strcmp(smr_json_get_string(row, "model", ""), name) == 0)
                check_near(measure, smr_json_get_number(base, measure, NAN),
                           smr_json_get_number(row, "mean", NAN), 1e-14);
    }
    smr_json_free(docs[0]);
    smr_json_free(docs[1]);
    smr_train_set_free(set);
    smr_spec_free(spec);
    smr_table_free(t);
}

static void cross_validations_have_the_baseline_of_the_task(void **state)
{
    (void)state;
    each_subject(validated);
}

/* ---- worked figures --------------------------------------------------------------------- */

static smr_baseline baseline_of(const smr_train_set *set, const int64_t *fitted, int64_t n)
{
    static const struct smr_columns_params columns = {0};
    return (smr_baseline){.schema = &set->schema,
                          .columns = &columns,
                          .table = set->table,
                          .fitted = fitted,
                          .n_fitted = n,
                          .label = set->label,
                          .n_classes = set->target.classes.n,
                          .weight = set->weight};
}

/* Two columns: 0, 2, 4 (mean 2, variance 8/3) and a constant; the fourth row is not fitted. */
static void a_gaussian_for_each_column_is_its_density(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    static const char *const names[] = {"a", "b"};
    const double x[] = {0, 7, 2, 7, 4, 7, 10, 7};
    smr_table *t = matrix_table(ctx, 4, 2, x, names);
    const int64_t fitted[] = {0, 1, 2}, rows[] = {1, 3};
    smr_set_opts opts = {.keep_all = true};
    smr_train_set *set = NULL;
    smr_found f = {0};
    (void)state;
    check_ok(ctx, said_set(ctx, t, "z_density", &opts, &set));
    smr_baseline b = baseline_of(set, fitted, 3);
    check_ok(ctx, smr_found_by_baseline(ctx, SMR_TASK_DENSITY, &b, rows, 2, &f));
    double a = -0.5 * log(6.283185307179586 * 8 / 3);
    double constant = -0.5 * log(6.283185307179586) - log(1e-6 * 8);
    check_near("at the mean", f.in.score[0], a + constant, 1e-9);
    check_near("8 away", f.in.score[1], a + constant - 0.5 * 64 / (8.0 / 3), 1e-9);
    smr_found_release(&f);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void a_category_has_no_density(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = task_table(ctx, NULL, false, false);
    smr_train_set *set = NULL;
    smr_model *m = NULL;
    smr_set_opts opts = {.ignore = "walk,minute,who,what,rating,w"};
    (void)state;
    check_ok(ctx, said_set(ctx, t, "z_density", &opts, &set));
    check_ok(ctx, said_fit(ctx, "z_density", set, NULL, 0, &m));
    smr_json_doc *doc = judge(ctx, m, t, set);
    assert_null(smr_json_get(smr_json_root(doc), "baseline"));
    smr_json_free(doc);
    smr_model_free(m);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Steps of the fitted rows: class b is the most frequent among them, though a is among all. */
static void the_most_frequent_class_is_that_of_fitted_steps(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = task_table(ctx, NULL, false, false);
    struct subject s = subject_of(smr_registry_find("z_steps"), SMR_TASK_SEQUENCE, true);
    smr_train_set *set = NULL;
    int64_t some[ROWS], n = 0, rows[ROWS];
    double right = 0, accuracy = NAN;
    smr_found f = {0};
    (void)state;
    check_ok(ctx, said_set(ctx, t, "z_steps", &s.opts, &set));
    for (int64_t i = 0; i < ROWS; i++) {
        rows[i] = i;
        if (set->label[i] == 1) some[n++] = i;
        right += set->label[i] == 1;
    }
    smr_baseline b = baseline_of(set, some, n);
    check_ok(ctx, smr_found_by_baseline(ctx, SMR_TASK_SEQUENCE, &b, rows, ROWS, &f));
    const smr_measure *measure = smr_judge_usual(SMR_TASK_SEQUENCE, true);
    check_ok(ctx, smr_measures_found(ctx, &measure, 1, &f.in, &accuracy));
    check_near("accuracy", accuracy, right / ROWS, 1e-15);
    assert_int_equal(f.in.n_sequences, WALKS);
    smr_found_release(&f);
    b.label = NULL; /* nothing is known: there is no such class */
    check_ok(ctx, smr_found_by_baseline(ctx, SMR_TASK_SEQUENCE, &b, rows, ROWS, &f));
    assert_null(f.in.found);
    smr_found_release(&f);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The coin of a row is its own, whatever rows are beside it; about half fall on each side. */
static void random_clusters_are_the_rows_own(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = task_table(ctx, NULL, false, false);
    struct subject s = subject_of(smr_registry_find("z_cluster"), SMR_TASK_CLUSTER, false);
    smr_train_set *set = NULL;
    int64_t rows[ROWS], ones = 0;
    smr_found all = {0}, odd = {0};
    (void)state;
    check_ok(ctx, said_set(ctx, t, "z_cluster", &s.opts, &set));
    for (int64_t i = 0; i < ROWS; i++) rows[i] = i;
    smr_baseline b = baseline_of(set, rows, ROWS);
    check_ok(ctx, smr_found_by_baseline(ctx, SMR_TASK_CLUSTER, &b, rows, ROWS, &all));
    for (int64_t i = 0; i < ROWS / 2; i++) rows[i] = 2 * i + 1;
    check_ok(ctx, smr_found_by_baseline(ctx, SMR_TASK_CLUSTER, &b, rows, ROWS / 2, &odd));
    for (int64_t i = 0; i < ROWS / 2; i++) assert_int_equal(odd.found[i], all.found[2 * i + 1]);
    for (int64_t i = 0; i < ROWS; i++) ones += all.found[i];
    assert_true(ones > ROWS / 4 && ones < 3 * ROWS / 4);
    assert_int_equal(all.in.d, 2);
    smr_found_release(&all);
    smr_found_release(&odd);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- densities in the columns' units ---------------------------------------------------- */

static void scaling_does_not_change_a_density(void **state)
{
    static const char *const sentences[] = {"standardize | z_density",
                                            "standardize scale=no | z_density",
                                            "standardize | standardize center=no | z_density"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = task_table(ctx, NULL, false, false);
    smr_set_opts opts = {.ignore = "class,walk,minute,who,what,rating,w"};
    smr_model *m = NULL;
    smr_predictor *p = NULL;
    (void)state;
    check_ok(ctx, try_train(ctx, "z_density", t, &opts, &m));
    double *plain = apply(ctx, m, t, SMR_OUTPUT_SCORE);
    smr_model_free(m);
    for (int64_t k = 0; k < SMR_COUNT(sentences); k++) {
        check_ok(ctx, try_train(ctx, sentences[k], t, &opts, &m));
        double *scaled = apply(ctx, m, t, SMR_OUTPUT_SCORE), one;
        for (int64_t i = 0; i < ROWS; i++) check_near(sentences[k], scaled[i], plain[i], 1e-7);
        const double row[] = {smr_column_number(&t->cols[X], 5), smr_column_number(&t->cols[Y], 5)};
        check_ok(ctx, smr_predictor_create(ctx, m, SMR_OUTPUT_SCORE, &p));
        check_ok(ctx, smr_predictor_row(p, row, &one));
        check_bits("one row", &one, &scaled[5], 1);
        smr_predictor_free(p);
        smr_free(scaled);
        smr_model_free(m);
    }
    smr_free(plain);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- drawing ---------------------------------------------------------------------------- */

/* Two clusters of two rows each on a line: 0, 1 and 10, 11; and a row that scores -inf. */
static void what_is_drawn_is_what_was_found(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = NULL;
    const int32_t found[] = {0, 0, 1, 1}, label[] = {0, 0, 0, -1};
    const double x[] = {0, 1, 10, 11}, score[] = {-1, -2, -INFINITY, -4}, weight[] = {1, 2, 1, 1};
    smr_found_input in = {.n = 4,
                          .found = found,
                          .n_found = 2,
                          .label = label,
                          .n_classes = 1,
                          .score = score,
                          .x = x,
                          .d = 1,
                          .weight = weight};
    int64_t start[] = {0, 5};
    char bytes[] = "alone";
    const smr_strings known = {1, start, bytes};
    (void)state;
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *list = smr_json_add_array(smr_json_root(doc), "figures");
    check_ok(ctx, smr_figures_found(ctx, &in, "cluster", NULL, &known, list));
    const smr_json *bars = smr_json_get(figure(doc, "sizes"), "series")->first;
    assert_true(smr_json_get(bars, "x")->first->number == 3);
    assert_true(smr_json_get(bars, "x")->first->next->number == 2);
    const smr_json *axis = smr_json_get(figure(doc, "sizes"), "y");
    assert_string_equal(smr_json_get(axis, "names")->first->next->string, "1");
    const smr_json *cells = smr_json_get(figure(doc, "contingency"), "series")->first;
    assert_true(smr_json_get(cells, "value")->first->number == 3); /* of the class, in cluster 0 */
    assert_true(smr_json_get(cells, "value")->first->next->number == 1);
    const smr_json *lines = smr_json_get(figure(doc, "silhouettes"), "series");
    assert_string_equal(smr_json_get_string(lines->first, "name", ""), "cluster 0");
    const smr_json *y = smr_json_get(lines->first, "y");
    assert_true(y->first->number > y->first->next->number); /* the largest first */
    const smr_json *steps = smr_json_get(figure(doc, "row_scores"), "series")->first;
    double sum = 0;
    for (const smr_json *v = smr_json_get(steps, "y")->first; v->next; v = v->next)
        sum += v->number;
    assert_true(sum == 4); /* the impossible row is not drawn */
    smr_json_free(doc);
    check_ctx_end(ctx);
}

static void what_cannot_be_drawn_is_left_out(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc = NULL;
    const int32_t found[] = {0, 0, 0};
    const double x[] = {0, 1, 10}, score[] = {-2, -2, -2};
    smr_found_input none = {.n = 3},
                    one = {.n = 3, .found = found, .n_found = 1, .score = score, .x = x, .d = 1},
                    many = {.n = 3, .found = found, .n_found = 1000, .x = x, .d = 1};
    (void)state;
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_json *list = smr_json_add_array(smr_json_root(doc), "figures");
    check_ok(ctx, smr_figures_found(ctx, &none, "cluster", NULL, NULL, list));
    check_ok(ctx, smr_figures_found(ctx, &many, "cluster", NULL, NULL, list));
    assert_null(list->first);
    check_ok(ctx, smr_figures_found(ctx, &one, "cluster", NULL, NULL, list));
    assert_non_null(figure(doc, "sizes"));
    assert_null(figure(doc, "silhouettes")); /* one cluster has none */
    assert_null(figure(doc, "row_scores"));  /* all are alike         */
    smr_json_free(doc);
    check_ctx_end(ctx);
}

/* ---- memory ----------------------------------------------------------------------------- */

struct attempt {
    const smr_model *model;
    const smr_table *table;
};

static smr_status try_judging(smr_ctx *ctx, void *arg)
{
    const struct attempt *a = arg;
    smr_json_doc *doc = NULL;
    smr_sample sample = {.table = a->table, .n_rows = a->table->n_rows};
    smr_judging how = {.figures = true};
    smr_status st = smr_json_create(ctx, &doc);
    if (st == SMR_OK) st = smr_judge(ctx, a->model, &sample, &how, smr_json_root(doc));
    smr_json_free(doc);
    return st;
}

static void memory(smr_ctx *ctx, const struct subject *s)
{
    if (smr_judge_of(s->task)->as != SMR_JUDGED_AS_FOUND) return;
    smr_table *t = task_table(ctx, NULL, false, false);
    smr_model *m = must_train(ctx, s, t);
    struct attempt a = {m, t};
    assert_true(fail_each_allocation(ctx, try_judging, &a) > 10);
    smr_model_free(m);
    smr_table_free(t);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    each_subject(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_has_figures_and_most_a_baseline),
        cmocka_unit_test(comparisons_have_the_baseline_of_the_task),
        cmocka_unit_test(cross_validations_have_the_baseline_of_the_task),
        cmocka_unit_test(a_gaussian_for_each_column_is_its_density),
        cmocka_unit_test(a_category_has_no_density),
        cmocka_unit_test(the_most_frequent_class_is_that_of_fitted_steps),
        cmocka_unit_test(random_clusters_are_the_rows_own),
        cmocka_unit_test(scaling_does_not_change_a_density),
        cmocka_unit_test(what_is_drawn_is_what_was_found),
        cmocka_unit_test(what_cannot_be_drawn_is_left_out),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
