/* test_compare.c -- the league table: ranks, corrected differences, baseline, failures. */
#include "cv_tables.h"
#include "said_study.h"

#include "learn/registry.h"
#include "study/compare.h"
#include "truth/stats.h"

/* ---- ranking ---------------------------------------------------------------------------- */

enum { ROUNDS = 5 };

static double A[ROUNDS], B[ROUNDS], C[ROUNDS], D[ROUNDS];

/* The scores of tests/truth/stats.py: a contender's are not constant. */
static int take_scores(void **state)
{
    (void)state;
    memcpy(A, league[0], sizeof A);
    memcpy(B, league[1], sizeof B);
    memcpy(C, league[2], sizeof C);
    memcpy(D, league[3], sizeof D);
    return 0;
}

static const smr_contender *find(const smr_contender *list, int64_t n, const char *model)
{
    for (int64_t i = 0; i < n; i++)
        if (strcmp(list[i].model, model) == 0) return &list[i];
    fail_msg("no %s in the league", model);
    return NULL;
}

static smr_status rank(smr_ctx *ctx, smr_contender *list, int64_t n, int64_t rounds, bool higher)
{
    smr_league_rounds of = {.n = rounds,
                            .per_repeat = rounds,
                            .higher_is_better = higher,
                            .test_over_train = 0.25,
                            .confidence = 0.95};
    return smr_compare_rank(ctx, list, n, &of);
}

static void differences_are_those_of_scipy(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_contender list[] = {{.model = "c", .score = C},
                            {.model = "b", .score = B},
                            {.model = "failed"},
                            {.model = "a", .score = A},
                            {.model = "d", .score = D}};
    (void)state;
    check_ok(ctx, rank(ctx, list, 5, ROUNDS, true));
    static const char *const order[] = {"a", "d", "b", "c", "failed"};
    for (int i = 0; i < 5; i++) assert_string_equal(list[i].model, order[i]);
    const smr_contender *b = find(list, 5, "b"), *c = find(list, 5, "c"), *d = find(list, 5, "d");
    check_near("behind b", b->behind.mean, league_behind[0], 1e-14);
    check_near("se b", b->behind.se, league_error[0], 1e-12);
    check_near("p b", b->p, league_holm[0], 1e-10);
    check_near("behind c", c->behind.mean, league_behind[1], 1e-14);
    check_near("p c", c->p, league_holm[1], 1e-10);
    check_near("p d", d->p, league_holm[2], 1e-10);
    assert_true(isnan(list[0].p));
    assert_string_equal(smr_compare_verdict(&list[0], 0.95), "best");
    assert_string_equal(smr_compare_verdict(b, 0.95), "within noise");
    assert_string_equal(smr_compare_verdict(b, 0.75), "worse");
    assert_string_equal(smr_compare_verdict(c, 0.95), "worse");
    assert_string_equal(smr_compare_verdict(d, 0.95), "within noise");
    /* best in rounds 1, 3, 5; d in 2 and 4 */
    assert_int_equal(list[0].wins, 3);
    assert_int_equal(d->wins, 2);
    assert_int_equal(b->wins + c->wins, 0);
    check_ctx_end(ctx);
}

/* As above, without the times 3. */
static void the_baseline_is_no_part_of_the_correction(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_contender list[] = {{.model = "c", .score = C, .is_baseline = true},
                            {.model = "b", .score = B},
                            {.model = "a", .score = A},
                            {.model = "d", .score = D}};
    (void)state;
    check_ok(ctx, rank(ctx, list, 4, ROUNDS, true));
    check_near("p c", find(list, 4, "c")->p, league_p[1], 1e-10);
    check_near("p b", find(list, 4, "b")->p, league_holm_of_two[0], 1e-10);
    check_near("p d", find(list, 4, "d")->p, league_holm_of_two[1], 1e-10);
    check_ctx_end(ctx);
}

static void lower_may_be_better(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_contender list[] = {{.model = "a", .score = A}, {.model = "c", .score = C}};
    (void)state;
    check_ok(ctx, rank(ctx, list, 2, ROUNDS, false));
    assert_string_equal(list[0].model, "c");
    check_near("behind", list[1].behind.mean, 0.198, 1e-14);
    assert_true(list[1].behind.low > 0);
    assert_int_equal(list[0].wins, 5);
    check_ctx_end(ctx);
}

static void a_baseline_is_never_the_yardstick_of_others(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_contender list[] = {{.model = "c", .score = C},
                            {.model = "base", .score = A, .is_baseline = true}};
    (void)state;
    check_ok(ctx, rank(ctx, list, 2, ROUNDS, true));
    assert_string_equal(list[0].model, "base");
    assert_string_equal(smr_compare_verdict(&list[0], 0.95), "better");
    assert_string_equal(smr_compare_verdict(&list[1], 0.95), "best");
    check_near("behind", list[0].behind.mean, -0.198, 1e-14);
    check_ctx_end(ctx);
}

static void one_round_or_undefined_scores_decide_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    double none[] = {NAN, NAN, NAN, NAN, NAN};
    smr_contender list[] = {
        {.model = "none", .score = none}, {.model = "b", .score = B}, {.model = "a", .score = A}};
    (void)state;
    check_ok(ctx, rank(ctx, list, 3, ROUNDS, true));
    assert_string_equal(list[2].model, "none");
    assert_string_equal(smr_compare_verdict(&list[2], 0.95), "unknown");
    check_near("p of one comparison", list[1].p, league_p[0], 1e-10);
    check_ok(ctx, rank(ctx, list, 3, 1, true));
    assert_string_equal(list[0].model, "a");
    assert_string_equal(smr_compare_verdict(&list[1], 0.95), "unknown");
    check_ctx_end(ctx);
}

/* One round in which a model goes astray hides from the t test that it lost every round; and that
 * another, which won four, is not simply worse.  Five of five is what a coin does 1 time in 32. */
static void one_wild_round_hides_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    double best[] = {26.1, 27.4, 25.9, 26.6, 26.2}, astray[] = {26.9, 28.1, 3e6, 27.3, 26.8},
           gifted[] = {25.1, 26.2, 3e6, 25.4, 25.0}, noisy[] = {26.4, 27.2, 26.3, 26.5, 26.4},
           base[] = {60.2, 61.7, 59.8, 60.6, 60.1};
    smr_contender list[] = {{.model = "gifted", .score = gifted},
                            {.model = "astray", .score = astray},
                            {.model = "base", .score = base, .is_baseline = true},
                            {.model = "noisy", .score = noisy},
                            {.model = "best", .score = best}};
    (void)state;
    check_ok(ctx, rank(ctx, list, 5, ROUNDS, false));
    assert_string_equal(list[0].model, "best");
    const smr_contender *a = find(list, 5, "astray"), *g = find(list, 5, "gifted"),
                        *n = find(list, 5, "noisy"), *b = find(list, 5, "base");
    assert_true(a->p > 0.3 && g->p > 0.3); /* what the t test makes of them */
    assert_string_equal(smr_compare_verdict(a, 0.95), "worse");
    assert_int_equal(a->lost, 5);
    assert_int_equal(a->won, 0);
    check_near("5 of 5", a->p_lost, 1.0 / 32, 1e-15);
    assert_string_equal(smr_compare_verdict(a, 0.99), "too variable");
    assert_string_equal(smr_compare_verdict(g, 0.95), "too variable");
    assert_int_equal(g->won, 4);
    check_near("1 of 5", g->p_lost, 31.0 / 32, 1e-15);
    assert_string_equal(smr_compare_verdict(n, 0.95), "within noise");
    assert_int_equal(n->won, 2);
    assert_string_equal(smr_compare_verdict(b, 0.95), "worse");
    check_ctx_end(ctx);
}

/* Twice the same five folds are no more evidence than once. */
static void repetitions_do_not_multiply_lost_rounds(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    double best[10], wild[10];
    (void)state;
    for (int r = 0; r < 10; r++) {
        best[r] = 26 + noise(r, 0) / 10;
        wild[r] = r == 3 ? 9e4 : best[r] + (r == 7 ? -1 : 1);
    }
    smr_contender list[] = {{.model = "wild", .score = wild}, {.model = "best", .score = best}};
    smr_league_rounds of = {.n = 10, .per_repeat = 5, .test_over_train = 0.25, .confidence = 0.95};
    check_ok(ctx, smr_compare_rank(ctx, list, 2, &of));
    assert_int_equal(list[1].lost, 9); /* of ten folds it would be 11 of 1024 */
    check_near("4 of 5", list[1].p_lost, 6.0 / 32, 1e-15);
    assert_string_equal(smr_compare_verdict(&list[1], 0.95), "too variable");
    of.per_repeat = 10;
    check_ok(ctx, smr_compare_rank(ctx, list, 2, &of));
    check_near("9 of 10", list[1].p_lost, 11.0 / 1024, 1e-15);
    assert_string_equal(smr_compare_verdict(&list[1], 0.95), "worse");
    check_ctx_end(ctx);
}

/* A best that never errs has no spread; a little more than none is still little. */
static void a_small_spread_is_not_wild(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    double best[] = {1, 1, 1, 1, 1}, near[] = {1, 0.97, 1, 1, 1},
           base[] = {0.5, 0.5, 0.5, 0.5, 0.5}, lucky[] = {0.6, 0.7, 0.2, 0.9, 0.4};
    smr_contender list[] = {{.model = "near", .score = near}, {.model = "best", .score = best}};
    (void)state;
    check_ok(ctx, rank(ctx, list, 2, ROUNDS, true));
    assert_string_equal(list[1].model, "near");
    assert_string_equal(smr_compare_verdict(&list[1], 0.95), "within noise");
    assert_int_equal(list[1].lost, 1);
    /* beside a baseline that does not spread, the best may be the wild one */
    smr_contender two[] = {{.model = "base", .score = base, .is_baseline = true},
                           {.model = "lucky", .score = lucky}};
    check_ok(ctx, rank(ctx, two, 2, ROUNDS, true));
    assert_string_equal(two[1].model, "base");
    assert_string_equal(smr_compare_verdict(&two[1], 0.95), "too variable");
    check_ctx_end(ctx);
}

/* ---- the baseline ----------------------------------------------------------------------- */

/* The weighted loss of a constant, at this level: |y - c| counts 1 - q below and q above. */
static double loss_of(const smr_train_set *set, const int64_t *rows, int64_t n, double q, double c)
{
    double loss = 0, all = 0;
    for (int64_t i = 0; i < n; i++) {
        double w = set->weight[rows[i]], e = set->y[rows[i]] - c;
        loss += w * (e > 0 ? q * e : (q - 1) * e);
        all += w;
    }
    return loss / all;
}

/* Weights 1, 2, 3, 1, 2, 3 ...: shares and means of the fitted rows are counted here anew, and for
 * measures of quantiles the best of all constants is looked for. */
static void the_baseline_knows_the_targets_only(void **state)
{
    enum { N = 61, CASES = 5 };
    static const char *const names[CASES] = {"accuracy", "mse", "mae", "pinball_90", "pinball_37"};
    static const double level[CASES] = {0, 0, 0.5, 0.9, 0.37};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cv_table(ctx, N);
    (void)state;
    for (int k = 0; k < CASES; k++) {
        bool classify = k == 0;
        smr_train_set *set = cv_set(ctx, t, classify ? "k" : "y", NULL, "w");
        smr_cv_plan *plan = cv_plan(ctx, set, (smr_cv_opts){.folds = 4});
        const smr_measure *m =
            smr_measure_find(names[k], classify ? SMR_TASK_CLASSIFY : SMR_TASK_REGRESS);
        double score[4];
        int64_t train[N], n_train, n_test;
        const int64_t *test;
        assert_non_null(m);
        check_ok(ctx, smr_compare_baseline(ctx, set, plan, m, score));
        for (int64_t r = 0; r < 4; r++) {
            double share[3] = {0}, W = 0, sum = 0, right = 0, off = 0, V = 0;
            smr_cv_round(plan, r, train, &n_train, &test, &n_test);
            for (int64_t i = 0; i < n_train; i++) {
                double w = set->weight[train[i]];
                W += w;
                if (classify) share[set->label[train[i]]] += w;
                if (!classify) sum += w * set->y[train[i]];
            }
            int32_t most = share[1] > share[0] ? 1 : 0;
            if (share[2] > share[most]) most = 2;
            for (int64_t i = 0; i < n_test; i++) {
                double w = set->weight[test[i]];
                V += w;
                if (classify) right += w * (set->label[test[i]] == most);
                if (!classify) off += w * pow(set->y[test[i]] - sum / W, 2);
            }
            double wanted = classify ? right / V : off / V, best = INFINITY, lo = 0, hi = 0;
            for (int64_t i = 0; level[k] > 0 && i < n_train; i++) {
                double y = set->y[train[i]], loss = loss_of(set, train, n_train, level[k], y);
                if (loss < best - 1e-12) lo = hi = y;
                if (loss <= best + 1e-12) lo = fmin(lo, y), hi = fmax(hi, y);
                best = fmin(best, loss);
            }
            if (level[k] > 0) /* the middle of those that are equally good */
                wanted = loss_of(set, test, n_test, level[k], (lo + hi) / 2) * (k == 2 ? 2 : 1);
            check_near(names[k], score[r], wanted, 1e-12);
        }
        smr_cv_plan_free(plan);
        smr_train_set_free(set);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- the report ------------------------------------------------------------------------- */

static const smr_set_opts CLASSES = {.target = "k", .ignore = "y,s,g,w", .keep_all = true};
static const smr_set_opts NUMBERS = {.target = "y", .ignore = "k,s,g,w", .keep_all = true};

static smr_json_doc *report(smr_ctx *ctx, const smr_table *t, const smr_set_opts *how,
                            smr_compare_ask ask)
{
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, said_compare(ctx, t, how, &ask, smr_json_root(doc)));
    return doc;
}

static const smr_json *league_row(const smr_json_doc *doc, const char *list, const char *model)
{
    const smr_json *rows = smr_json_get(smr_json_root((smr_json_doc *)doc), list);
    for (const smr_json *r = rows->first; r; r = r->next)
        if (strcmp(smr_json_get_string(r, "model", ""), model) == 0) return r;
    fail_msg("no '%s' in %s", model, list);
    return NULL;
}

static void a_failing_model_does_not_stop_the_others(void **state)
{
    static const char *const models[] = {"ridge", "knn 3", "standardize", "standardize | knn 3"};
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = cv_table(ctx, 97);
    smr_json_doc *doc = report(ctx, t, &CLASSES, (smr_compare_ask){.names = models, .n = 4});
    const smr_json *root = smr_json_root(doc);
    (void)state;
    assert_int_equal(smr_json_get(root, "league")->n, 3);
    assert_int_equal(smr_json_get(root, "failed")->n, 2);
    assert_string_equal(smr_json_get_string(league_row(doc, "failed", "ridge"), "message", ""),
                        "ridge does not classify; it predicts numbers");
    assert_non_null(
        strstr(smr_json_get_string(league_row(doc, "failed", "standardize"), "message", ""),
               "standardize predicts nothing that could be measured"));
    assert_string_equal(
        smr_json_get_string(league_row(doc, "league", "standardize | knn 3"), "spec", ""),
        "standardize center=yes scale=yes | knn k=3 metric=euclidean "
        "weight=uniform algorithm=auto");
    assert_string_equal(smr_json_get_string(root, "measure", ""), "accuracy");
    const smr_json *base = league_row(doc, "league", "baseline: most frequent class");
    assert_true(isnan(smr_json_get(base, "rank")->number)); /* null when written */
    assert_true(smr_json_get_number(base, "mean", 0) < 0.9);
    /* by_round has a score for each row of the league, whose means they give */
    double sum = 0;
    const smr_json *rounds = smr_json_get(root, "by_round");
    for (const smr_json *r = rounds->first; r; r = r->next) {
        assert_int_equal(smr_json_get(r, "scores")->n, 3);
        sum += smr_json_get(r, "scores")->first->number;
    }
    check_near("mean", smr_json_get_number(smr_json_get(root, "league")->first, "mean", 0), sum / 5,
               1e-14);
    const smr_json *figure = smr_json_get(root, "figures")->first;
    assert_string_equal(smr_json_get_string(figure, "name", ""), "league");
    assert_int_equal(smr_json_get(smr_json_get(figure, "y"), "names")->n, 3);
    smr_json_free(doc);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Dots with intervals around the models' means, the baseline marked; what is far off is named. */
static void the_picture_of_a_league_shows_differences(void **state)
{
    static const char *const models[] = {"ridge", "ridge 0.5", "knn 3", "poly 9 | linear"};
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = cv_table(ctx, 97);
    (void)state;
    for (int64_t n = 3; n <= 4; n++) {
        smr_json_doc *doc = report(ctx, t, &NUMBERS, (smr_compare_ask){.names = models, .n = n});
        const smr_json *root = smr_json_root(doc), *f = smr_json_get(root, "figures")->first;
        const smr_json *series = smr_json_get(f, "series")->first, *x = smr_json_get(f, "x");
        const smr_json *row = smr_json_get(root, "league")->first;
        const char *note = smr_json_get_string(f, "note", "");
        assert_string_equal(smr_json_get_string(series, "kind", ""), "hpoints");
        const smr_json *mean = smr_json_get(series, "x")->first;
        const smr_json *low = smr_json_get(series, "low")->first;
        for (; row; row = row->next, mean = mean->next, low = low->next) {
            assert_true(mean->number == smr_json_get_number(row, "mean", 0));
            assert_true(low->number == smr_json_get_number(row, "low", 0));
        }
        const smr_json *base = league_row(doc, "league", "baseline: mean");
        assert_true(smr_json_get_number(smr_json_get(f, "marks")->first, "at", 0) ==
                    smr_json_get_number(base, "mean", 1));
        double worst = smr_json_get_number(smr_json_get(root, "league")->last, "mean", 0);
        assert_non_null(strstr(note, "the line its 95 % interval; lower is better."));
        if (n == 3) { /* nothing is far off: the axis is the data's */
            assert_null(strstr(note, "Off the scale"));
        } else {
            assert_non_null(strstr(note, " Off the scale: poly 9 | linear ("));
            assert_true(smr_json_get_number(x, "max", INFINITY) < worst);
            assert_true(smr_json_get_number(x, "max", 0) > smr_json_get_number(base, "mean", 0));
        }
        smr_json_free(doc);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void all_takes_what_suits_the_task(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = cv_table(ctx, 90);
    int64_t n;
    const smr_learner *const *learners = smr_registry(&n);
    (void)state;
    for (int classify = 0; classify < 2; classify++) {
        smr_json_doc *doc = report(ctx, t, classify ? &CLASSES : &NUMBERS,
                                   (smr_compare_ask){.all = true, .cv = {.folds = 3}});
        int64_t suited = 0;
        for (int64_t i = 0; i < n; i++) {
            char model[128];
            smr_spec *spec = NULL;
            smr_nature is;
            if (!(learners[i]->tasks & (classify ? SMR_DOES_CLASSIFY : SMR_DOES_REGRESS))) continue;
            if (learners[i]->comparing && learners[i]->comparing->stands_aside)
                continue; /* its better-known self is */
            if (!classify && learners[i]->traits & SMR_REFUSES_NEGATIVE)
                continue; /* y is below 0 somewhere   */
            smr_status st = smr_spec_parse(ctx, learners[i]->word->name, &spec);
            smr_spec_free(spec);
            smr_ctx_clear(ctx);
            if (st != SMR_OK) continue; /* made of others, which must be named */
            check_ok(ctx, smr_nature_by_default(ctx, learners[i], &is));
            snprintf(model, sizeof model, "%s%s",
                     is.traits & SMR_SCALE_MATTERS ? "standardize | " : "",
                     learners[i]->word->name);
            league_row(doc, "league", model);
            suited++;
        }
        assert_int_equal(smr_json_get(smr_json_root(doc), "league")->n, suited + 1);
        assert_int_equal(smr_json_get(smr_json_root(doc), "failed")->n, 0);
        smr_json_free(doc);
    }
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Where it is said not to matter by default, one feature in other units changes no answer; else it
 * does. */
static void scale_matters_where_it_is_said(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    int64_t n;
    const smr_learner *const *learners = smr_registry(&n);
    (void)state;
    for (int64_t i = 0; i < n; i++) {
        const smr_learner *l = learners[i];
        bool classify = l->tasks & SMR_DOES_CLASSIFY;
        smr_spec *spec = NULL;
        if (!(l->tasks & (SMR_DOES_CLASSIFY | SMR_DOES_REGRESS))) continue;
        smr_nature is;
        smr_status st = smr_spec_parse(ctx, l->word->name, &spec);
        smr_spec_free(spec);
        smr_ctx_clear(ctx);
        if (st != SMR_OK) continue;
        check_ok(ctx, smr_nature_by_default(ctx, l, &is));
        double *answer[2], worst = 0;
        smr_output output = classify ? SMR_OUTPUT_PROBA : SMR_OUTPUT_VALUE;
        for (int scaled = 0; scaled < 2; scaled++) {
            smr_table *t = cv_table(ctx, 70);
            for (int64_t r = 0; scaled && r < 70; r++) ((double *)t->cols[0].values)[r] *= 1024;
            double *y = t->cols[smr_table_find(t, "y")].values;
            for (int64_t r = 0; l->traits & SMR_REFUSES_NEGATIVE && r < 70; r++)
                y[r] = exp(y[r] / 4);
            smr_model *m = NULL;
            check_ok(ctx, try_train(ctx, l->word->name, t, classify ? &CLASSES : &NUMBERS, &m));
            if (!(smr_model_gives(m) & 1u << output)) output = SMR_OUTPUT_DECISION;
            answer[scaled] = apply(ctx, m, t, output);
            smr_model_free(m);
            smr_table_free(t);
        }
        for (int64_t r = 0; r < 70; r++) worst = fmax(worst, fabs(answer[0][r] - answer[1][r]));
        if (!(is.traits & SMR_SCALE_MATTERS) != !(worst > 1e-8))
            fail_msg("%s: scale %s, and answers differ by %g", l->word->name,
                     is.traits & SMR_SCALE_MATTERS ? "matters" : "does not matter", worst);
        smr_free(answer[0]);
        smr_free(answer[1]);
    }
    check_ctx_end(ctx);
}

/* The rmse of one row is |error|, whose mean is the mae: the mse decides, and a named rmse gets a
 * warning.  With folds the rmse decides as usual. */
static void leaving_one_row_out_is_decided_by_the_squared_error(void **state)
{
    static const char *const models[] = {"impute | ridge", "impute | knn 4"};
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *t = cv_table(ctx, 40);
    smr_compare_ask ask = {.names = models, .n = 2, .cv = {.leave_one_out = true}};
    (void)state;
    smr_json_doc *doc = report(ctx, t, &NUMBERS, ask);
    assert_string_equal(smr_json_get_string(smr_json_root(doc), "measure", ""), "mse");
    smr_json_free(doc);
    ask.cv.measure = "rmse";
    doc = report(ctx, t, &NUMBERS, ask);
    check_heard(&heard, "so the mean decides like mae");
    smr_json_free(doc);
    ask.cv = (smr_cv_ask){0};
    doc = report(ctx, t, &NUMBERS, ask);
    assert_string_equal(smr_json_get_string(smr_json_root(doc), "measure", ""), "rmse");
    smr_json_free(doc);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void what_cannot_be_compared_is_refused(void **state)
{
    static const char *const models[] = {"ridge", "linear"}, *const wrong[] = {"knn", "rigde"},
                             *const numbers[] = {"ridge", "lasso"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cv_table(ctx, 40);
    smr_json_doc *doc = NULL;
    (void)state;
    check_ok(ctx, smr_json_create(ctx, &doc));
#define REFUSED(how, status, part, ...)                                                         \
    check_fails(ctx,                                                                            \
                said_compare(ctx, t, how, &(smr_compare_ask){__VA_ARGS__}, smr_json_root(doc)), \
                status, part)
    REFUSED(&CLASSES, SMR_ERR_DATA, "the target 'k' holds text", .names = numbers, .n = 2);
    REFUSED(&NUMBERS, SMR_ERR_PARAM, "there is nothing to compare; name models", .n = 0);
    REFUSED(&NUMBERS, SMR_ERR_PARAM, "did you mean 'ridge'?", .names = wrong, .n = 2);
    REFUSED(&NUMBERS, SMR_ERR_PARAM, "one measure decides; 2 are named", .names = models, .n = 2,
            .cv = {.measure = "r2,mae"});
    REFUSED(&NUMBERS, SMR_ERR_PARAM, "accuracy measures predicted classes, and the task is to",
            .names = models, .n = 2, .cv = {.measure = "accuracy"});
    REFUSED(&NUMBERS, SMR_ERR_PARAM, "the confidence lies between 0 and 1", .names = models, .n = 2,
            .cv = {.confidence = 95});
    REFUSED(&NUMBERS, SMR_ERR_DATA, "41 folds cannot be made of 40 rows", .names = models, .n = 2,
            .cv = {.folds = 41});
    static const char *const none[] = {"poly 2", "standardize | poly 2"};
    REFUSED(&NUMBERS, SMR_ERR_DATA,
            "no model could be measured; poly 2: poly predicts nothing that could be measured",
            .names = none, .n = 2);
#undef REFUSED
    smr_json_free(doc);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void warnings_name_the_model(void **state)
{
    static const char *const models[] = {"linear"};
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *t = cv_table(ctx, 60);
    (void)state;
    for (int64_t r = 0; r < 60; r++) {
        ((double *)t->cols[1].values)[r] = 3;                /* constant                */
        ((double *)t->cols[4].values)[r] = 9 * noise(r, 33); /* nothing predicts the target */
    }
    smr_json_doc *doc = report(ctx, t, &NUMBERS, (smr_compare_ask){.names = models, .n = 1});
    check_heard(&heard, "linear: ");
    check_heard(&heard, "(in every round)");
    check_heard(&heard, "no model is clearly better than the baseline");
    smr_json_free(doc);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void threads_do_not_change_the_league(void **state)
{
    static const char *const models[] = {"knn 3", "ridge", "poly 2 | ridge 0.1"};
    static const char *const keys[] = {"mean", "low", "behind", "behind_high", "p"};
    static const int threads[] = {1, 2, 7};
    double figures[3][64];
    (void)state;
    for (int64_t i = 0; i < 3; i++) {
        smr_ctx *ctx = check_ctx(threads[i]);
        smr_table *t = cv_table(ctx, 150);
        smr_json_doc *doc = report(
            ctx, t, &NUMBERS, (smr_compare_ask){.names = models, .n = 3, .cv = {.repeats = 2}});
        int64_t n = 0;
        for (const smr_json *r = smr_json_get(smr_json_root(doc), "league")->first; r; r = r->next)
            for (int64_t k = 0; k < SMR_COUNT(keys); k++)
                figures[i][n++] = smr_json_get_number(r, keys[k], -1);
        assert_int_equal(n, 20);
        assert_memory_equal(figures[i], figures[0], (size_t)n * sizeof(double));
        smr_json_free(doc);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

/* Each model is gone when the next is fitted, knn's with its rows. */
static void no_more_than_two_copies_of_the_data_are_held(void **state)
{
    check_no_sanitizer();
    enum { N = 120001, WIDTH = 40 };
    static const char *const models[] = {"knn 1 algorithm=tree", "ridge"};
    static double x[N], u[N], v[N];
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = new_table(ctx, N, WIDTH + 1);
    char name[16];
    (void)state;
    for (int64_t i = 0; i < N; i++) {
        u[i] = noise(i, 0);
        v[i] = noise(i, 1);
    }
    for (int64_t j = 0; j <= WIDTH; j++) {
        for (int64_t i = 0; i < N; i++) /* on a plane, where neighbours are soon found */
            x[i] = u[i] * (double)(j + 1) + v[i] * (double)(7 * j % 11);
        snprintf(name, sizeof name, "x%d", (int)j);
        put_numbers(ctx, t, j, name, x);
    }
    smr_set_opts how = {.target = "x40", .keep_all = true};
    int64_t data = smr_ctx_memory(ctx, NULL), peak;
    smr_json_doc *doc =
        report(ctx, t, &how, (smr_compare_ask){.names = models, .n = 2, .cv = {.folds = 5}});
    smr_json_free(doc);
    smr_ctx_memory(ctx, &peak);
    if (peak > 2 * data)
        fail_msg("%.1f MB at most, and the data have %.1f", (double)peak / 1e6, (double)data / 1e6);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void cancelling_stops_the_comparison(void **state)
{
    static const char *const models[] = {"knn 3", "ridge"};
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = cv_table(ctx, 80);
    smr_json_doc *doc = NULL;
    smr_compare_ask ask = {.names = models, .n = 2};
    (void)state;
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_ctx_cancel(ctx);
    check_fails(ctx, said_compare(ctx, t, &NUMBERS, &ask, smr_json_root(doc)), SMR_ERR_CANCELLED,
                "cancelled");
    smr_json_free(doc);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- time, logs, and what is stopped ----------------------------------------------------- */

static const char LOG[] = "test_compare.log";

/* y is noise: a full tree errs by sqrt(2) times the baseline's error, in the large. */
static smr_table *noise_table(smr_ctx *ctx)
{
    smr_table *t = cv_table(ctx, 160);
    for (int64_t r = 0; r < 160; r++) ((double *)t->cols[4].values)[r] = 9 * noise(r, 33);
    return t;
}

static void check_alike(const smr_json *a, const smr_json *b, const char *list, const char *key)
{
    const smr_json *x = smr_json_get(a, list)->first, *y = smr_json_get(b, list)->first;
    for (; x && y; x = x->next, y = y->next) {
        double u = smr_json_get_number(x, key, -1), v = smr_json_get_number(y, key, -1);
        assert_string_equal(smr_json_get_string(x, "model", ""),
                            smr_json_get_string(y, "model", ""));
        assert_true(u == v || (isnan(u) && isnan(v)));
    }
    assert_true(!x && !y);
}

/* Stopped are those, and only those, whose error is a tenth above the baseline's in both of their
 * first rounds, as their own cross-validation has it; the others have the scores that they have
 * without the rule, at any number of threads. */
static void hopeless_learners_are_stopped_by_their_own_scores(void **state)
{
    static const int threads[] = {1, 7};
    (void)state;
    for (int i = CHECK_LESS ? 1 : 0; i < 2; i++) {
        smr_ctx *ctx = check_ctx(threads[i]);
        smr_table *t = noise_table(ctx);
        smr_json_doc *whole =
            report(ctx, t, &NUMBERS, (smr_compare_ask){.all = true, .no_stop = true});
        smr_json_doc *doc = report(ctx, t, &NUMBERS, (smr_compare_ask){.all = true});
        const smr_json *root = smr_json_root(doc), *all = smr_json_root(whole);
        int64_t stopped = smr_json_get(root, "stopped")->n, n = 0, base = 0;
        assert_int_equal(smr_json_get(all, "stopped")->n, 0);
        assert_true(stopped > 0);
        assert_int_equal(smr_json_get(root, "league")->n + stopped, smr_json_get(all, "league")->n);
        for (const smr_json *r = smr_json_get(all, "league")->first; r; r = r->next, base++)
            if (!smr_json_get_string(r, "spec", NULL)) break;
        for (const smr_json *r = smr_json_get(all, "league")->first; r; r = r->next, n++) {
            const smr_json *round = smr_json_get(all, "by_round")->first;
            const char *model = smr_json_get_string(r, "model", "");
            bool hopeless = n != base, is_stopped = false;
            for (int k = 0; k < 2; k++, round = round->next) {
                const smr_json *mine = smr_json_get(round, "scores")->first, *its = mine;
                for (int64_t j = 0; j < n; j++) mine = mine->next;
                for (int64_t j = 0; j < base; j++) its = its->next;
                hopeless &= mine->number > 1.1 * its->number;
            }
            for (const smr_json *q = smr_json_get(root, "stopped")->first; q; q = q->next)
                is_stopped |= strcmp(smr_json_get_string(q, "model", ""), model) == 0;
            if (hopeless != is_stopped) fail_msg("%s: hopeless %d", model, hopeless);
            if (!hopeless)
                assert_true(smr_json_get_number(r, "mean", -1) ==
                            smr_json_get_number(league_row(doc, "league", model), "mean", -2));
        }
        smr_json_free(doc);
        smr_json_free(whole);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

/* One that is named is run to the end; and where all are hopeless, so are they. */
static void a_named_model_is_not_stopped(void **state)
{
    static const char *const models[] = {"tree"};
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = noise_table(ctx);
    (void)state;
    smr_json_doc *doc =
        report(ctx, t, &NUMBERS, (smr_compare_ask){.names = models, .n = 1, .all = true});
    league_row(doc, "league", "tree");
    smr_json_free(doc);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Wherever a log was cut, going on from it gives the league of an uninterrupted run. */
static void a_resumed_comparison_is_as_if_never_interrupted(void **state)
{
    static const char *const models[] = {"knn 3", "linear", "standardize", "tree"};
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = cv_table(ctx, 80);
    char bytes[1 << 14], message[64];
    (void)state;
    for (int64_t r = 0; r < 80; r++) ((double *)t->cols[1].values)[r] = 3; /* linear warns */
    smr_compare_ask ask = {.names = models, .n = 4, .log = LOG};
    remove(LOG);
    smr_json_doc *whole = report(ctx, t, &NUMBERS, ask);
    assert_int_equal(smr_json_get(smr_json_root(whole), "notes")->n, 1);
    FILE *f = fopen(LOG, "rb");
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    assert_true(n > 500 && n < sizeof bytes);
    for (size_t cut = 40; cut <= n; cut += 97) {
        f = fopen(LOG, "wb");
        assert_int_equal(fwrite(bytes, 1, cut, f), cut);
        fclose(f);
        ask.log = NULL;
        ask.resume = LOG;
        smr_json_doc *doc = report(ctx, t, &NUMBERS, ask);
        snprintf(message, sizeof message, "cut at %zu", cut);
        static const char *const keys[] = {"mean", "p", "won", "behind_low"};
        for (int k = 0; k < 4; k++)
            check_alike(smr_json_root(whole), smr_json_root(doc), "league", keys[k]);
        assert_int_equal(smr_json_get(smr_json_root(doc), "failed")->n, 1);
        assert_int_equal(smr_json_get(smr_json_root(doc), "notes")->n, 1);
        smr_json_free(doc);
    }
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_create(ctx, &doc));
    ask.cv.folds = 4;
    check_fails(ctx, said_compare(ctx, t, &NUMBERS, &ask, smr_json_root(doc)), SMR_ERR_STATE,
                "is the log of another comparison and cannot be resumed: its scoring is");
    ask.log = "other.log";
    check_fails(ctx, said_compare(ctx, t, &NUMBERS, &ask, smr_json_root(doc)), SMR_ERR_PARAM,
                "a resumed comparison continues its own log; give one of the two");
    smr_json_free(doc);
    smr_json_free(whole);
    smr_table_free(t);
    remove(LOG);
    check_ctx_end(ctx);
}

struct listener {
    smr_ctx *ctx;
    int n, most;
};

static void count_models(void *user, const smr_league_entry *e)
{
    struct listener *l = user;
    assert_int_equal(e->n_done, ++l->n);
    assert_int_equal(e->n_all, 3);
    assert_string_equal(e->outcome, "done");
    assert_true(e->mean > 0 && e->seconds >= 0);
    if (l->n == l->most) smr_ctx_cancel(l->ctx);
}

/* What was finished before it was cancelled has the scores that it would have had. */
static void what_is_finished_outlives_being_cancelled(void **state)
{
    static const char *const models[] = {"linear", "knn 3", "tree"};
    (void)state;
    for (int most = 1; most <= 3; most++) {
        smr_ctx *ctx = check_ctx(2);
        smr_table *t = cv_table(ctx, 80);
        smr_json_doc *whole = NULL, *doc = NULL;
        struct listener heard = {.ctx = ctx, .most = most};
        smr_compare_ask ask = {.names = models, .n = 3};
        whole = report(ctx, t, &NUMBERS, ask);
        ask.heard = count_models;
        ask.heard_user = &heard;
        check_ok(ctx, smr_json_create(ctx, &doc));
        smr_status st = said_compare(ctx, t, &NUMBERS, &ask, smr_json_root(doc));
        assert_int_equal(st, most < 3 ? SMR_ERR_CANCELLED : SMR_OK);
        if (most < 3) assert_non_null(strstr(ctx->message, "of 3 models; with --log FILE"));
        const smr_json *root = smr_json_root(doc);
        assert_int_equal(smr_json_get(root, "league")->n, most + 1);
        assert_int_equal(smr_json_get(root, "left_out")->n, 3 - most);
        for (int k = 0; k < most; k++)
            assert_true(smr_json_get_number(league_row(doc, "league", models[k]), "mean", 0) ==
                        smr_json_get_number(league_row(whole, "league", models[k]), "mean", 1));
        smr_ctx_clear(ctx);
        smr_json_free(doc);
        smr_json_free(whole);
        smr_table_free(t);
        check_ctx_end(ctx);
    }
}

/* No time at all: what a log has is shown, and the others are named. */
static void without_time_the_others_are_left_out(void **state)
{
    static const char *const models[] = {"linear", "knn 3", "tree"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cv_table(ctx, 80);
    smr_compare_ask ask = {.names = models, .n = 1, .log = LOG}, late = {.n = 3, .seconds = 1e-9};
    (void)state, remove(LOG);
    smr_json_doc *doc = report(ctx, t, &NUMBERS, ask);
    late.names = models;
    check_fails(ctx, said_compare(ctx, t, &NUMBERS, &late, smr_json_root(doc)), SMR_ERR_CANCELLED,
                "the time was up before a model was finished; allow more (--time), or");
    smr_json_free(doc);
    late.resume = LOG;
    doc = report(ctx, t, &NUMBERS, late);
    assert_int_equal(smr_json_get(smr_json_root(doc), "league")->n, 2);
    assert_int_equal(smr_json_get(smr_json_root(doc), "left_out")->n, 2);
    assert_true(smr_json_get_bool(smr_json_root(doc), "out_of_time", false));
    remove(LOG);
    smr_json_free(doc);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* A model that gets no memory is a model that fails: the comparison may go on.  So the loop ends
 * with the first n that no request reaches. */
static void failing_allocations_leave_nothing(void **state)
{
    check_no_races();
    static const char *const models[] = {"knn 3", "ridge"};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = cv_table(ctx, 24);
    int64_t held = smr_ctx_memory(ctx, NULL), refused = 0, listed = 0;
    (void)state;
    for (int64_t n = 0;; n++) {
        smr_json_doc *doc = NULL;
        smr_compare_ask ask = {.names = models, .n = 2, .cv = {.folds = 2}};
        smr_memory_fail_at(ctx, n);
        smr_status st = smr_json_create(ctx, &doc);
        if (st == SMR_OK) st = said_compare(ctx, t, &NUMBERS, &ask, smr_json_root(doc));
        bool reached = atomic_load(&ctx->memory->fail_at) < 0 ||
                       atomic_load(&ctx->memory->requests) > atomic_load(&ctx->memory->fail_at);
        smr_memory_fail_at(ctx, -1);
        if (st == SMR_OK && doc) listed += smr_json_get(smr_json_root(doc), "failed")->n > 0;
        refused += st == SMR_ERR_NOMEM;
        if (st != SMR_OK && st != SMR_ERR_NOMEM) fail_msg("%d: %s", (int)n, ctx->message);
        smr_json_free(doc);
        smr_ctx_clear(ctx);
        assert_int_equal(smr_ctx_memory(ctx, NULL), held);
        if (!reached) break;
        assert_true(n < 100000);
    }
    assert_true(refused > 50 && listed > 20);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_those_of_scipy),
        cmocka_unit_test(hopeless_learners_are_stopped_by_their_own_scores),
        cmocka_unit_test(a_named_model_is_not_stopped),
        cmocka_unit_test(a_resumed_comparison_is_as_if_never_interrupted),
        cmocka_unit_test(what_is_finished_outlives_being_cancelled),
        cmocka_unit_test(without_time_the_others_are_left_out),
        cmocka_unit_test(one_wild_round_hides_nothing),
        cmocka_unit_test(repetitions_do_not_multiply_lost_rounds),
        cmocka_unit_test(a_small_spread_is_not_wild),
        cmocka_unit_test(the_baseline_is_no_part_of_the_correction),
        cmocka_unit_test(lower_may_be_better),
        cmocka_unit_test(a_baseline_is_never_the_yardstick_of_others),
        cmocka_unit_test(one_round_or_undefined_scores_decide_nothing),
        cmocka_unit_test(the_baseline_knows_the_targets_only),
        cmocka_unit_test(a_failing_model_does_not_stop_the_others),
        cmocka_unit_test(the_picture_of_a_league_shows_differences),
        cmocka_unit_test(all_takes_what_suits_the_task),
        cmocka_unit_test(scale_matters_where_it_is_said),
        cmocka_unit_test(leaving_one_row_out_is_decided_by_the_squared_error),
        cmocka_unit_test(what_cannot_be_compared_is_refused),
        cmocka_unit_test(warnings_name_the_model),
        cmocka_unit_test(threads_do_not_change_the_league),
        cmocka_unit_test(no_more_than_two_copies_of_the_data_are_held),
        cmocka_unit_test(cancelling_stops_the_comparison),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, take_scores, NULL);
}
