/* Measures of classes against scikit-learn (tests/truth/measures.py),
 * hand-worked figures, and the rules: weight 2 is the row twice, undefined is NaN, the same at
 * any thread count. */
#include "check.h"

#include "core/rng.h"
#include "metric/metric.h"

#include "truth/measures.h"

/* ---- against scikit-learn ------------------------------------------------------------- */

static void check_against(const char *set, const smr_classify_input *in,
                          const struct expected *want, int64_t n_want)
{
    smr_ctx *ctx = check_ctx(2);
    int64_t n_measures, n_classify = 0;
    const smr_measure *measure = smr_measures(&n_measures);
    for (int64_t m = 0; m < n_measures; m++) n_classify += measure[m].task == SMR_TASK_CLASSIFY;
    assert_int_equal(n_want, n_classify); /* each measure is in the reference */
    for (int64_t e = 0; e < n_want; e++) {
        char what[64];
        double got;
        measure = smr_measure_find(want[e].name, SMR_TASK_CLASSIFY);
        snprintf(what, sizeof what, "%s %s", set, want[e].name);
        if (!measure) fail_msg("%s is not in the list of measures", what);
        check_ok(ctx, smr_measure_classify(ctx, measure, in, &got));
        check_near(what, got, want[e].value, 1e-14);
    }
    check_ctx_end(ctx);
}

static void check_tables(const smr_classify_input *in, const double *confusion, const double *rates)
{
    smr_ctx *ctx = check_ctx(1);
    double matrix[49];
    smr_tally t;
    check_ok(ctx, smr_confusion(ctx, in, matrix));
    for (int64_t c = 0; c < in->n_classes * in->n_classes; c++)
        check_near("confusion", matrix[c], confusion[c], 1e-14);
    check_ok(ctx, smr_tally_make(ctx, in, &t));
    for (int64_t k = 0; k < in->n_classes; k++) {
        check_near("precision", smr_tally_rate(&t, SMR_RATE_PRECISION, k), rates[4 * k], 1e-14);
        check_near("recall", smr_tally_rate(&t, SMR_RATE_RECALL, k), rates[4 * k + 1], 1e-14);
        check_near("f1", smr_tally_rate(&t, SMR_RATE_F1, k), rates[4 * k + 2], 1e-14);
        check_near("support", t.support[k], rates[4 * k + 3], 1e-14);
    }
    smr_tally_release(&t);
    check_ctx_end(ctx);
}

#define INPUT(set, classes)                                                      \
    {                                                                            \
        .n = SMR_COUNT(set##_label), .n_classes = classes, .label = set##_label, \
        .predicted = set##_predicted, .proba = set##_proba, .positive = -1       \
    }

#define CHECK_SET(set, classes)                                             \
    do {                                                                    \
        smr_classify_input in_ = INPUT(set, classes);                       \
        check_against(#set, &in_, set##_0, SMR_COUNT(set##_0));             \
        check_tables(&in_, set##_confusion_0, set##_per_class_0);           \
        in_.weight = set##_weight;                                          \
        check_against(#set " weighted", &in_, set##_1, SMR_COUNT(set##_1)); \
        check_tables(&in_, set##_confusion_1, set##_per_class_1);           \
    } while (0)

static void two_classes_match_scikit_learn(void **state)
{
    (void)state;
    CHECK_SET(binary, 2);
}

static void more_classes_match_scikit_learn(void **state)
{
    (void)state;
    CHECK_SET(many, 4);
    CHECK_SET(wide, 7);
}

static void check_curve(const double *weight, const double *fpr, const double *tpr,
                        const double *threshold, int64_t n, const double *pr_precision,
                        const double *pr_recall, int64_t n_pr)
{
    smr_ctx *ctx = check_ctx(1);
    smr_ranking r;
    check_ok(ctx, smr_ranking_make(ctx, SMR_COUNT(binary_label), binary_proba + 1, 2, binary_label,
                                   1, weight, &r));
    assert_int_equal(r.n, n);
    assert_true(r.threshold[0] == INFINITY && r.tp[0] == 0 && r.fp[0] == 0);
    for (int64_t i = 0; i < n; i++) {
        check_near("fpr", r.fp[i] / r.negatives, fpr[i], 1e-14);
        check_near("tpr", r.tp[i] / r.positives, tpr[i], 1e-14);
        if (i == 0) continue;
        assert_true(r.threshold[i] == threshold[i - 1]);
        smr_threshold_row row = smr_ranking_at(&r, r.threshold[i]);
        assert_true(row.tp == r.tp[i] && row.fp == r.fp[i]);
        row = smr_ranking_at(&r, r.threshold[i] + 1e-9); /* just above: the point before */
        assert_true(row.tp == r.tp[i - 1] && row.fp == r.fp[i - 1]);
    }
    for (int64_t i = 0; i < n_pr; i++) {
        smr_threshold_row row = smr_ranking_at(&r, r.threshold[i + 1]);
        check_near("pr precision", row.precision, pr_precision[i], 1e-14);
        check_near("pr recall", row.tpr, pr_recall[i], 1e-14);
    }
    smr_ranking_release(&r);
    check_ctx_end(ctx);
}

static void curves_match_scikit_learn(void **state)
{
    (void)state;
    check_curve(NULL, binary_fpr_0, binary_tpr_0, binary_threshold_0, SMR_COUNT(binary_fpr_0),
                binary_pr_precision_0, binary_pr_recall_0, SMR_COUNT(binary_pr_recall_0));
    check_curve(binary_weight, binary_fpr_1, binary_tpr_1, binary_threshold_1,
                SMR_COUNT(binary_fpr_1), binary_pr_precision_1, binary_pr_recall_1,
                SMR_COUNT(binary_pr_recall_1));
}

/* ---- worked by hand ------------------------------------------------------------------- */

static double measured(smr_ctx *ctx, const char *name, const smr_classify_input *in)
{
    double got;
    check_ok(ctx, smr_measure_classify(ctx, smr_measure_find(name, SMR_TASK_CLASSIFY), in, &got));
    return got;
}

/* 3 true positives, 1 false positive, 2 false negatives, 4 true negatives. */
static void a_table_of_ten_rows_is_measured_as_by_hand(void **state)
{
    (void)state;
    const int32_t label[] = {1, 1, 1, 0, 1, 1, 0, 0, 0, 0},
                  predicted[] = {1, 1, 1, 1, 0, 0, 0, 0, 0, 0};
    smr_classify_input in = {
        .n = 10, .n_classes = 2, .label = label, .predicted = predicted, .positive = -1};
    smr_ctx *ctx = check_ctx(1);
    check_near("accuracy", measured(ctx, "accuracy", &in), 0.7, 1e-15);
    check_near("error", measured(ctx, "error", &in), 0.3, 1e-15);
    check_near("precision", measured(ctx, "precision", &in), 3.0 / 4, 1e-15);
    check_near("recall", measured(ctx, "recall", &in), 3.0 / 5, 1e-15);
    check_near("f1", measured(ctx, "f1", &in), 6.0 / 9, 1e-15);
    check_near("matthews", measured(ctx, "matthews", &in), (12 - 2) / sqrt(4 * 5 * 5 * 6), 1e-15);
    check_near("kappa", measured(ctx, "kappa", &in), (0.7 - 0.5) / (1 - 0.5), 1e-15);
    check_near("balanced", measured(ctx, "balanced_accuracy", &in), (0.6 + 0.8) / 2, 1e-15);
    assert_true(isnan(measured(ctx, "auc", &in)) && isnan(measured(ctx, "log_loss", &in)));
    in.positive = 0; /* the other class's point of view */
    check_near("precision of 0", measured(ctx, "precision", &in), 4.0 / 6, 1e-15);
    check_near("recall of 0", measured(ctx, "recall", &in), 4.0 / 5, 1e-15);
    check_ctx_end(ctx);
}

/* Scores 0.9 0.8 0.8 0.3 with labels 1 1 0 0: of the 4 pairs 3 are right and one is level:
 * 3.5/4. */
static void ties_count_half_in_the_area(void **state)
{
    (void)state;
    const int32_t label[] = {1, 1, 0, 0};
    const double score[] = {0.9, 0.8, 0.8, 0.3};
    smr_ctx *ctx = check_ctx(1);
    smr_ranking r;
    check_ok(ctx, smr_ranking_make(ctx, 4, score, 1, label, 1, NULL, &r));
    assert_int_equal(r.n, 4); /* infinity and three distinct scores */
    check_near("auc", smr_ranking_auc(&r), 3.5 / 4, 0);
    check_near("average precision", smr_ranking_average_precision(&r), 0.5 * 1 + 0.5 * 2 / 3,
               1e-15);
    smr_ranking_release(&r);
    const double same[] = {0.4, 0.4, 0.4, 0.4};
    check_ok(ctx, smr_ranking_make(ctx, 4, same, 1, label, 1, NULL, &r));
    check_near("no order at all", smr_ranking_auc(&r), 0.5, 0);
    smr_ranking_release(&r);
    check_ctx_end(ctx);
}

/* Moving the threshold down never loses a true positive and never removes a false one. */
static void lowering_the_threshold_trades_misses_for_false_alarms(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_ranking r;
    check_ok(ctx, smr_ranking_make(ctx, SMR_COUNT(binary_label), binary_proba + 1, 2, binary_label,
                                   1, binary_weight, &r));
    smr_threshold_row before = smr_ranking_at(&r, 2);
    assert_true(before.tp == 0 && before.fp == 0 && isnan(before.precision));
    for (double t = 1; t >= -0.01; t -= 0.01) {
        smr_threshold_row row = smr_ranking_at(&r, t);
        double tp = 0, fp = 0;
        for (int64_t i = 0; i < SMR_COUNT(binary_label); i++)
            if (binary_proba[2 * i + 1] >= t) *(binary_label[i] ? &tp : &fp) += binary_weight[i];
        check_near("tp", row.tp, tp, 1e-13);
        check_near("fp", row.fp, fp, 1e-13);
        check_near("all rows", row.tp + row.fp + row.tn + row.fn, r.positives + r.negatives, 1e-14);
        check_near("accuracy", row.accuracy * (r.positives + r.negatives), row.tp + row.tn, 1e-14);
        assert_true(row.tp >= before.tp && row.fp >= before.fp);
        before = row;
    }
    assert_true(before.tpr == 1 && before.fpr == 1);
    smr_ranking_release(&r);
    check_ctx_end(ctx);
}

static void one_certain_mistake_costs_36_nats(void **state)
{
    (void)state;
    const int32_t label[] = {0, 1, 1};
    const double proba[] = {1, 0, 1, 0, 0.25, 0.75};
    smr_classify_input in = {
        .n = 3, .n_classes = 2, .label = label, .proba = proba, .positive = -1};
    smr_ctx *ctx = check_ctx(1);
    check_near("log loss", measured(ctx, "log_loss", &in), (52 * log(2) - log(0.75)) / 3, 1e-14);
    check_near("brier", measured(ctx, "brier", &in), (0 + 1 + 0.0625) / 3, 1e-15);
    check_ctx_end(ctx);
}

/* Bins of a quarter: {0.1, 0.2} one of two true, {0.6} true, {0.75, 1} both true. */
static void calibration_bins_hold_their_rows(void **state)
{
    (void)state;
    const int32_t label[] = {0, 1, 1, 1, 1};
    const double proba[] = {0.9, 0.1, 0.8, 0.2, 0.4, 0.6, 0.25, 0.75, 0, 1};
    smr_classify_input in = {.n = 5, .n_classes = 2, .label = label, .proba = proba, .positive = 1};
    smr_ctx *ctx = check_ctx(1);
    smr_calibration_bin bin[4];
    double ece;
    check_ok(ctx, smr_calibration(ctx, &in, 4, bin, &ece));
    check_near("weight", bin[0].weight, 2, 0);
    check_near("predicted", bin[0].predicted, 0.15, 1e-15);
    check_near("observed", bin[0].observed, 0.5, 0);
    assert_true(bin[1].weight == 0 && isnan(bin[1].predicted) && isnan(bin[1].observed));
    check_near("edge goes up", bin[3].weight, 2, 0);
    check_near("last", bin[3].predicted, 0.875, 1e-15);
    check_near("ece", ece, (0.7 + 0.4 + 0.25) / 5, 1e-15);
    check_near("edges", bin[2].lo + bin[2].hi, 1.25, 0);
    check_fails(ctx, smr_calibration(ctx, &in, 0, bin, &ece), SMR_ERR_PARAM, "from 1 to 1000000");
    check_ctx_end(ctx);
}

static void top_k_breaks_ties_by_the_lower_class(void **state)
{
    (void)state;
    const int32_t label[] = {2, 1, 3};
    const double decision[] = {-1, 5, 5, 5, 3, 3, 3, 3, 9, 8, -7, 0};
    smr_classify_input in = {
        .n = 3, .n_classes = 4, .label = label, .decision = decision, .positive = -1};
    smr_ctx *ctx = check_ctx(1);
    double e[5];
    for (int64_t k = 1; k <= 4; k++) check_ok(ctx, smr_top_k_error(ctx, &in, k, &e[k]));
    check_near("top 1", e[1], 1, 0); /* first rows: class 1, then class 0 */
    check_near("top 2", e[2], 1.0 / 3, 1e-15);
    check_near("top 3", e[3], 0, 0);
    assert_true(isnan(e[4]));
    check_near("top 1 is the error of the largest score", measured(ctx, "error", &in), e[1], 0);
    check_fails(ctx, smr_top_k_error(ctx, &in, 0, e), SMR_ERR_PARAM, "at least 1");
    check_ctx_end(ctx);
}

/* ---- rules ---------------------------------------------------------------------------- */

enum { N = 211, MAX_ROWS = 4 * N };

struct random_set {
    int32_t label[MAX_ROWS], predicted[MAX_ROWS];
    double proba[5 * MAX_ROWS], weight[MAX_ROWS];
};

/* Five classes of which the fourth never occurs as a label; weights 0 .. 3. */
static void fill(struct random_set *s)
{
    for (int64_t i = 0; i < N; i++) {
        uint64_t bits = smr_random_bits(5, SMR_STREAM_TEST, 1, (uint64_t)i);
        static const int32_t classes[] = {0, 1, 2, 4};
        double sum = 0;
        s->label[i] = classes[bits % 4];
        s->predicted[i] = bits % 3 ? s->label[i] : (int32_t)(bits / 16 % 5);
        s->weight[i] = (double)(bits / 1024 % 4);
        for (uint64_t k = 0; k < 5; k++) {
            double u = smr_random_unit(5, SMR_STREAM_TEST, 2 + k, (uint64_t)i);
            sum += s->proba[5 * i + (int64_t)k] =
                floor(16 * u) + 1 + 9 * (s->label[i] == (int32_t)k);
        }
        for (int k = 0; k < 5; k++) s->proba[5 * i + k] /= sum;
    }
}

static int64_t repeat_rows(const struct random_set *s, struct random_set *out)
{
    int64_t n = 0;
    for (int64_t i = 0; i < N; i++)
        for (int c = 0; c < (int)s->weight[i]; c++, n++) {
            out->label[n] = s->label[i];
            out->predicted[n] = s->predicted[i];
            memcpy(out->proba + 5 * n, s->proba + 5 * i, 5 * sizeof(double));
        }
    return n;
}

static smr_classify_input input_of(const struct random_set *s, int64_t n, bool weighted)
{
    return (smr_classify_input){.n = n,
                                .n_classes = 5,
                                .label = s->label,
                                .predicted = s->predicted,
                                .proba = s->proba,
                                .weight = weighted ? s->weight : NULL,
                                .positive = -1};
}

static void weight_two_is_the_row_twice_in_every_measure(void **state)
{
    (void)state;
    static struct random_set s, repeated;
    fill(&s);
    int64_t n = repeat_rows(&s, &repeated), n_measures;
    smr_classify_input a = input_of(&s, N, true), b = input_of(&repeated, n, false);
    const smr_measure *measure = smr_measures(&n_measures);
    smr_ctx *ctx = check_ctx(1);
    for (int64_t m = 0; m < n_measures; m++) {
        double x, y;
        if (measure[m].task != SMR_TASK_CLASSIFY) continue;
        check_ok(ctx, smr_measure_classify(ctx, &measure[m], &a, &x));
        check_ok(ctx, smr_measure_classify(ctx, &measure[m], &b, &y));
        check_near(measure[m].name, x, y, 1e-14);
        if (strcmp(measure[m].name, "top5_error")) assert_true(!isnan(x));
    }
    check_ctx_end(ctx);
}

static void order_of_rows_and_threads_do_not_matter(void **state)
{
    (void)state;
    static struct random_set s, turned;
    fill(&s);
    for (int64_t i = 0; i < N; i++) { /* the rows from the last to the first */
        turned.label[i] = s.label[N - 1 - i];
        turned.predicted[i] = s.predicted[N - 1 - i];
        turned.weight[i] = s.weight[N - 1 - i];
        memcpy(turned.proba + 5 * i, s.proba + 5 * (N - 1 - i), 5 * sizeof(double));
    }
    smr_classify_input a = input_of(&s, N, true), b = input_of(&turned, N, true);
    int64_t n_measures;
    const smr_measure *measure = smr_measures(&n_measures);
    for (int64_t m = 0; m < n_measures; m++) {
        double at[3], back;
        if (measure[m].task != SMR_TASK_CLASSIFY) continue;
        for (int t = 0; t < 3; t++) {
            static const int threads[] = {1, 2, 7};
            smr_ctx *ctx = check_ctx(threads[t]);
            check_ok(ctx, smr_measure_classify(ctx, &measure[m], &a, &at[t]));
            check_ok(ctx, smr_measure_classify(ctx, &measure[m], &b, &back));
            check_near(measure[m].name, back, at[t], 1e-14);
            check_ctx_end(ctx);
        }
        assert_memory_equal(&at[0], &at[1], sizeof at[0]);
        assert_memory_equal(&at[0], &at[2], sizeof at[0]);
    }
}

static void undefined_measures_are_nan(void **state)
{
    (void)state;
    const int32_t label[] = {1, 1, 1}, predicted[] = {1, 1, 1}, none[] = {0, 0, 0};
    const double proba[] = {0.2, 0.8, 0.4, 0.6, 0.7, 0.3}, zero[] = {0, 0, 0};
    smr_classify_input in = {.n = 3,
                             .n_classes = 2,
                             .label = label,
                             .predicted = predicted,
                             .proba = proba,
                             .positive = -1};
    smr_ctx *ctx = check_ctx(1);
    assert_true(isnan(measured(ctx, "auc", &in)) && isnan(measured(ctx, "auc_ovo", &in)));
    assert_true(isnan(measured(ctx, "matthews", &in)) && isnan(measured(ctx, "kappa", &in)));
    check_near("average precision", measured(ctx, "average_precision", &in), 1, 0);
    in.predicted = none;
    assert_true(isnan(measured(ctx, "precision", &in)));
    check_near("recall", measured(ctx, "recall", &in), 0, 0);
    check_near("macro counts it as 0", measured(ctx, "precision_macro", &in), 0, 0);
    in.positive = 0;
    check_near("precision of 0", measured(ctx, "precision", &in), 0, 0);
    assert_true(isnan(measured(ctx, "recall", &in)));
    int64_t n_measures;
    const smr_measure *measure = smr_measures(&n_measures);
    for (int empty = 0; empty < 2; empty++) { /* no row, and rows without weight */
        if (empty)
            in.n = 0;
        else
            in.weight = zero;
        for (int64_t m = 0; m < n_measures; m++)
            if (measure[m].task == SMR_TASK_CLASSIFY)
                assert_true(isnan(measured(ctx, measure[m].name, &in)));
    }
    check_ctx_end(ctx);
}

static void bad_input_is_named(void **state)
{
    (void)state;
    const int32_t label[] = {0, 1, 2}, wrong[] = {0, 1, 3}, missing[] = {0, -1, 2};
    double proba[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, weight[] = {1, -2, 1}, out;
    smr_classify_input in = {
        .n = 3, .n_classes = 3, .label = label, .predicted = label, .proba = proba, .positive = -1};
    smr_ctx *ctx = check_ctx(1);
    const smr_measure *log_loss = smr_measure_find("log_loss", SMR_TASK_CLASSIFY);
    smr_classify_input bad = in;
    bad.label = missing;
    check_fails(ctx, smr_measure_classify(ctx, log_loss, &bad, &out), SMR_ERR_DATA,
                "the label of row 1 is class -1, and classes run from 0 to 2");
    bad = in;
    bad.predicted = wrong;
    check_fails(ctx, smr_measure_classify(ctx, log_loss, &bad, &out), SMR_ERR_DATA,
                "the prediction of row 2 is class 3");
    bad = in;
    bad.weight = weight;
    check_fails(ctx, smr_measure_classify(ctx, log_loss, &bad, &out), SMR_ERR_DATA,
                "the weight of row 1 is negative");
    bad = in;
    bad.positive = 3;
    check_fails(ctx, smr_measure_classify(ctx, log_loss, &bad, &out), SMR_ERR_PARAM,
                "has number 3");
    bad = in;
    bad.predicted = NULL;
    bad.proba = NULL;
    check_fails(ctx, smr_measure_classify(ctx, log_loss, &bad, &out), SMR_ERR_PARAM, "neither");
    bad = in;
    bad.n_classes = 0;
    check_fails(ctx, smr_measure_classify(ctx, log_loss, &bad, &out), SMR_ERR_SHAPE, "0 classes");
    proba[7] = NAN;
    check_fails(ctx, smr_log_loss(ctx, &in, &out), SMR_ERR_NUMERIC,
                "the probability of row 2 for class 1 is not a number");
    proba[7] = 1.5;
    check_fails(ctx, smr_brier(ctx, &in, &out), SMR_ERR_NUMERIC, "not between 0 and 1");
    check_fails(ctx,
                smr_measure_classify(ctx, smr_measure_find("mse", SMR_TASK_REGRESS), &in, &out),
                SMR_ERR_PARAM, "mse measures numbers");
    check_ctx_end(ctx);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    static struct random_set s;
    fill(&s);
    smr_classify_input in = input_of(&s, N, true);
    smr_ctx *ctx = check_ctx(3);
    smr_status st = SMR_ERR_NOMEM;
    int64_t n = 0;
    for (; st != SMR_OK; n++) {
        smr_json_doc *doc = NULL;
        smr_ctx_clear(ctx);
        smr_memory_fail_at(ctx, n);
        st = smr_json_create(ctx, &doc);
        if (st == SMR_OK) st = smr_metric_classify(ctx, &in, smr_json_root(doc));
        if (st == SMR_OK) st = smr_metric_curves(ctx, &in, smr_json_root(doc));
        assert_true(st == SMR_OK || st == SMR_ERR_NOMEM);
        smr_json_free(doc);
    }
    assert_true(n > 10);
    smr_memory_fail_at(ctx, -1);
    check_ctx_end(ctx);
}

/* ---- JSON ----------------------------------------------------------------------------- */

static void json_holds_measures_classes_and_confusion(void **state)
{
    (void)state;
    const int32_t label[] = {1, 1, 1, 0, 1, 1, 0, 0, 0, 0},
                  predicted[] = {1, 1, 1, 1, 0, 0, 0, 0, 0, 0};
    int64_t start[] = {0, 2, 5};
    smr_strings names = {.n = 2, .start = start, .bytes = (char[]){"noyes"}};
    smr_classify_input in = {.n = 10,
                             .n_classes = 2,
                             .label = label,
                             .predicted = predicted,
                             .positive = -1,
                             .class_names = &names};
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc;
    smr_text text = {.ctx = ctx};
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_metric_classify(ctx, &in, smr_json_root(doc)));
    smr_json_write(smr_json_root(doc), 0, &text);
    const char *wanted[] = {
        "\"accuracy\":0.7",
        "\"precision\":0.75",
        "\"confusion\":[[4,1],[2,3]]",
        "\"classes\":[{\"name\":\"no\",\"precision\":0.6666666666666666,\"recall\":0.8,",
        "\"name\":\"yes\"",
        "\"support\":5",
        "\"averages\":{\"macro\":{\"precision\":",
    };
    for (int64_t w = 0; w < SMR_COUNT(wanted); w++)
        if (!strstr(text.bytes, wanted[w])) fail_msg("%s is not in %s", wanted[w], text.bytes);
    assert_null(strstr(text.bytes, "auc")); /* there are no scores */
    smr_text_release(&text);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

static void curves_are_thinned_and_keep_their_ends(void **state)
{
    (void)state;
    enum { ROWS = 20011 };
    static int32_t label[ROWS];
    static double proba[2 * ROWS];
    for (uint64_t i = 0; i < ROWS; i++) {
        double u = smr_random_unit(9, SMR_STREAM_TEST, 0, i);
        label[i] = smr_random_unit(9, SMR_STREAM_TEST, 1, i) < u;
        proba[2 * i + 1] = u;
        proba[2 * i] = 1 - u;
    }
    smr_classify_input in = {
        .n = ROWS, .n_classes = 2, .label = label, .proba = proba, .positive = -1};
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *doc;
    check_ok(ctx, smr_json_create(ctx, &doc));
    check_ok(ctx, smr_metric_curves(ctx, &in, smr_json_root(doc)));
    const smr_json *roc = smr_json_get(smr_json_root(doc), "roc")->first;
    const smr_json *tpr = smr_json_get(roc, "tpr"), *fpr = smr_json_get(roc, "fpr");
    assert_true(tpr->n > 300 && tpr->n <= 402 && fpr->n == tpr->n);
    assert_true(tpr->first->number == 0 && tpr->last->number == 1 && fpr->last->number == 1);
    double area = 0;
    for (const smr_json *t = tpr->first, *f = fpr->first; t->next; t = t->next, f = f->next)
        area += (f->next->number - f->number) * (t->number + t->next->number) / 2;
    check_near("area of the thinned curve", area, smr_json_get_number(roc, "area", 0), 1e-4);
    /* P(label | u) = u: the area is 5/6, the calibration error is noise */
    check_near("area", area, 5.0 / 6, 0.01);
    assert_true(smr_json_get_number(smr_json_get(smr_json_root(doc), "calibration"), "ece", 1) <
                0.02);
    const smr_json *sweep = smr_json_get(smr_json_root(doc), "sweep");
    assert_int_equal(sweep->n, 21);
    assert_true(smr_json_get_number(sweep->first, "fn", -1) == 0);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

static void measures_have_names_formulas_and_one_meaning(void **state)
{
    (void)state;
    int64_t n;
    const smr_measure *m = smr_measures(&n);
    for (int64_t i = 0; i < n; i++) {
        assert_true(m[i].name && m[i].title && m[i].formula && m[i].doc);
        assert_true(smr_measure_find(m[i].name, m[i].task) == &m[i]); /* no name twice */
        bool numbers = m[i].task == SMR_TASK_REGRESS || m[i].task == SMR_TASK_RECOMMEND;
        assert_int_equal((m[i].classify != NULL) + (m[i].found != NULL), !numbers);
        assert_true(!m[i].needs_proba || m[i].needs_scores);
    }
    assert_null(smr_measure_find("accuracy", SMR_TASK_REGRESS));
    assert_null(smr_measure_find("acuracy", SMR_TASK_CLASSIFY));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_classes_match_scikit_learn),
        cmocka_unit_test(more_classes_match_scikit_learn),
        cmocka_unit_test(curves_match_scikit_learn),
        cmocka_unit_test(a_table_of_ten_rows_is_measured_as_by_hand),
        cmocka_unit_test(ties_count_half_in_the_area),
        cmocka_unit_test(lowering_the_threshold_trades_misses_for_false_alarms),
        cmocka_unit_test(one_certain_mistake_costs_36_nats),
        cmocka_unit_test(calibration_bins_hold_their_rows),
        cmocka_unit_test(top_k_breaks_ties_by_the_lower_class),
        cmocka_unit_test(weight_two_is_the_row_twice_in_every_measure),
        cmocka_unit_test(order_of_rows_and_threads_do_not_matter),
        cmocka_unit_test(undefined_measures_are_nan),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(json_holds_measures_classes_and_confusion),
        cmocka_unit_test(curves_are_thinned_and_keep_their_ends),
        cmocka_unit_test(measures_have_names_formulas_and_one_meaning),
    };
    return cmocka_run_group_tests_name("metric_classify", tests, NULL, NULL);
}
