/* test_svm_kernel.c -- svm with kernels: worked figures, meanings of weights and nu, many classes,
 * numbers, one class, probabilities, bad input. */
#include "learn/matrix_data.h"
#include "learn/spec.h"

#include "learn/svm/svm_parts.h"
#include "truth/kernel_machines.h"

extern const smr_learner smr_svm;

enum { N = 60, D = 3 };

struct rows {
    double x[2 * N * D], y[2 * N], weight[2 * N];
    int32_t label[2 * N];
    struct matrix_data m;
};

/* As tests/truth/kernel_machines.py has them, with classes or numbers of a curve. */
static void make_rows(struct rows *r, int n_classes)
{
    for (int i = 0; i < N; i++) {
        double z = 0.4 * sin(5.1 * i);
        for (int j = 0; j < D; j++)
            r->x[i * D + j] = sin(1.3 * i + 2.1 * j) + 0.3 * cos(0.7 * i * (j + 1));
        z += r->x[i * D] * r->x[i * D] - r->x[i * D + 1];
        r->y[i] = z;
        r->label[i] = n_classes == 2 ? z > 0.3 : z > 0.9 ? 2 : z > -0.2;
        r->weight[i] = 1 + i % 3;
    }
    matrix_data(&r->m, N, D, n_classes ? 0 : 1, r->x, n_classes ? NULL : r->y, NULL);
    if (!n_classes) return;
    r->m.data.task = SMR_TASK_CLASSIFY;
    r->m.data.n_outputs = 1;
    r->m.data.n_classes = n_classes;
    r->m.data.label = r->label;
}

static void make_one_class(struct rows *r)
{
    make_rows(r, 0);
    matrix_data(&r->m, N, D, 0, r->x, NULL, NULL);
    r->m.data.task = SMR_TASK_CLUSTER;
}

/* A kernel's words have no blanks here; fitted and prepared. */
static struct fitted fit_svm(const char *words, const smr_data *data, int threads)
{
    struct fitted f = fit_matrix(&smr_svm, words, data, threads);
    check_ok(f.ctx, smr_svm.fitted->prepare(f.ctx, f.params, f.state));
    return f;
}

static void answer(const struct fitted *f, const double *x, int64_t n, int64_t d, smr_output output,
                   double *out)
{
    smr_rows rows = {.n = n, .d = d, .form = SMR_FORM_F64, .x = x, .stride = d};
    void *scratch = smr_alloc(f->ctx, smr_svm.fitted->scratch(f->params, f->state, n) + 64, 1);
    assert_non_null(scratch);
    check_ok(f->ctx,
             smr_svm.fitted->predict(f->ctx, f->params, f->state, &rows, output, out, scratch));
    smr_free(scratch);
}

static double told(const struct fitted *f, const smr_data *data, const char *name)
{
    smr_json_doc *doc = describe_fitted(f, data);
    double value = smr_json_get_number(smr_json_root(doc), name, NAN);
    smr_json_free(doc);
    return value;
}

static void end(struct fitted *f)
{
    smr_svm.fitted->release(f->state);
    end_fitted(f);
}

/* FIGURES F4: XOR on -1 and 1 under (1 + x'z)^2: a = 1/8 each, f = -x1 x2, width 2 sqrt 2. */
static void xor_has_the_worked_machine(void **unused)
{
    (void)unused;
    static const double x[8] = {-1, -1, -1, 1, 1, -1, 1, 1};
    static const int32_t label[4] = {0, 1, 1, 0};
    static const char *const words[] = {"kernel=quadratic margin=hard tol=1e-9",
                                        "kernel=poly(degree=2,gamma=1,coef0=1) C=inf tol=1e-9",
                                        "kernel=(1+linear)^2 C=100 tol=1e-9"};
    struct matrix_data m;
    matrix_data(&m, 4, 2, 0, x, NULL, NULL);
    m.data.task = SMR_TASK_CLASSIFY;
    m.data.n_outputs = 1;
    m.data.n_classes = 2;
    m.data.label = label;
    for (int way = 0; way < 3; way++) {
        struct fitted f = fit_svm(words[way], &m.data, 1);
        double out[8];
        answer(&f, x, 4, 2, SMR_OUTPUT_DECISION, out);
        for (int i = 0; i < 4; i++) {
            check_near("f", out[2 * i + 1], -x[2 * i] * x[2 * i + 1], 1e-6);
            check_near("alpha", state_array(&f, "alpha")[i], 0.125, 1e-6);
        }
        check_near("width", told(&f, &m.data, "width"), 2 * sqrt(2), 1e-6);
        check_near("support", told(&f, &m.data, "support_vectors"), 4, 0);
        check_near("bounded", told(&f, &m.data, "bounded"), 0, 0);
        check_near("slack", told(&f, &m.data, "slack_0"), 4, 0);
        end(&f);
    }
}

/* With kernel=linear machines over points (nu, pairs) say what the linear model says. */
static void a_linear_kernel_is_the_linear_model(void **unused)
{
    (void)unused;
    struct rows r;
    double one[2 * N], other[2 * N];
    make_rows(&r, 2);
    struct fitted f = fit_svm("C=2 tol=1e-9", &r.m.data, 1);
    struct fitted g = fit_svm("C=2 tol=1e-7 multi=ovo", &r.m.data, 1);
    answer(&f, r.x, N, D, SMR_OUTPUT_DECISION, one);
    answer(&g, r.x, N, D, SMR_OUTPUT_DECISION, other);
    for (int i = 0; i < 2 * N; i++) check_near("f", other[i], one[i], 1e-4);
    check_near("width", told(&g, &r.m.data, "width"), told(&f, &r.m.data, "width"), 1e-4);
    check_near("objective", told(&g, &r.m.data, "objective"), told(&f, &r.m.data, "objective"),
               1e-5);
    end(&f), end(&g);
}

/* Weight 2 is the row twice: the same machine, to tol. */
static void weights_are_repetitions(void **unused)
{
    (void)unused;
    static const char *const words[] = {"kernel=rbf(gamma=0.5) tol=1e-7",
                                        "kernel=rbf(gamma=0.5) nu=0.3 tol=1e-7",
                                        "kernel=rbf(gamma=0.5) epsilon=0.2 tol=1e-7"};
    for (int k = 0; k < 3; k++) {
        struct rows r, twice;
        double one[2 * N], other[2 * N];
        int64_t n = N;
        bool numbers = k == 2;
        make_rows(&r, numbers ? 0 : 2);
        make_rows(&twice, numbers ? 0 : 2);
        for (int i = 0; i < N; i++) {
            r.weight[i] = 1 + (i % 2);
            if (i % 2 == 0) continue;
            memcpy(twice.x + n * D, r.x + i * D, D * sizeof *r.x);
            twice.y[n] = r.y[i];
            twice.label[n++] = r.label[i];
        }
        r.m.data.weight = r.weight;
        twice.m.data.n_rows = n;
        struct fitted f = fit_svm(words[k], &r.m.data, 1);
        struct fitted g = fit_svm(words[k], &twice.m.data, 1);
        smr_output output = numbers ? SMR_OUTPUT_VALUE : SMR_OUTPUT_DECISION;
        answer(&f, r.x, N, D, output, one);
        answer(&g, r.x, N, D, output, other);
        for (int i = 0; i < (numbers ? N : 2 * N); i++) check_near("f", other[i], one[i], 1e-4);
        end(&f), end(&g);
    }
}

/* Rows that are the same are one variable.  Beside them the same rows whose last number is -0 in
 * the copy: to the kernel as before, but no longer the same bits, so variables of their own. */
static void the_same_rows_are_one_variable(void **unused)
{
    (void)unused;
    enum { W = D + 1 };
    static const char *const words[] = {
        "kernel=rbf(gamma=0.5) C=2 tol=1e-7", "kernel=rbf(gamma=0.5) C=2 tol=1e-7 multi=ova",
        "kernel=rbf(gamma=0.5) nu=0.3 tol=1e-7", "kernel=rbf(gamma=0.5) nu=0.2 tol=1e-7",
        "kernel=rbf(gamma=0.5) epsilon=0.2 tol=1e-7"};
    /* Three classes twice, two, one class, numbers. */
    for (int k = 0; k < SMR_COUNT(words); k++)
        for (int weighted = 0; weighted < 2; weighted++) {
            struct rows r;
            double x[2][2 * N * W], f[2][6 * N], n_points[2], objective[2];
            int n_classes = k == 2 ? 2 : k < 2 ? 3 : 0;
            make_rows(&r, n_classes);
            smr_data data = r.m.data;
            for (int i = 0; i < 2 * N; i++) {
                int from = i % N;
                for (int way = 0; way < 2; way++) {
                    memcpy(x[way] + i * W, r.x + from * D, D * sizeof *r.x);
                    x[way][i * W + D] = way && i >= N ? -0.0 : 0;
                }
                r.y[i] = r.y[from];
                r.label[i] = r.label[from];
                r.weight[i] = 0.5 + i % 3;
            }
            for (int way = 0; way < 2; way++) {
                matrix_data(&r.m, 2 * N, W, k == 4 ? 1 : 0, x[way], k == 4 ? r.y : NULL,
                            weighted ? r.weight : NULL);
                r.m.data.task = k == 3 ? SMR_TASK_CLUSTER : data.task;
                r.m.data.n_outputs = data.n_outputs;
                r.m.data.n_classes = data.n_classes;
                r.m.data.label = data.label;
                struct fitted g = fit_svm(words[k], &r.m.data, 2);
                answer(&g, x[0], N, W,
                       k == 4   ? SMR_OUTPUT_VALUE
                       : k == 3 ? SMR_OUTPUT_SCORE
                                : SMR_OUTPUT_DECISION,
                       f[way]);
                n_points[way] = told(&g, &r.m.data, "points");
                objective[way] = told(&g, &r.m.data, "objective");
                end(&g);
            }
            for (int i = 0; i < N * (n_classes ? n_classes : 1); i++)
                check_near("f", f[0][i], f[1][i], 1e-4);
            if (n_classes < 3) check_near("objective", objective[0], objective[1], 1e-4);
            assert_true(n_points[0] < n_points[1]);
        }
}

/* Points in the order of their classes: a machine's columns as two spans, and one by one. */
static void spans_do_not_show(void **unused)
{
    (void)unused;
    struct rows r;
    make_rows(&r, 3);
    smr_ctx *ctx = check_ctx(2);
    void *params = make_params(ctx, &smr_svm, "kernel=rbf(gamma=0.5)");
    smr_svm_points points = {0};
    int32_t of[N], n_first = 0;
    float K[2][N * N] = {{0}};
    double diagonal[N];
    int64_t n = 0;
    check_ok(ctx, smr_svm_points_open(ctx, params, &r.m.data, &points));
    for (int32_t i = 0; i < N; i++) {
        int32_t label = r.label[points.row[i]];
        if (i > 0) assert_true(label >= r.label[points.row[i - 1]]);
        if (label != 1) of[n++] = i;
        n_first += label == 0;
    }
    smr_svm_view view = smr_svm_view_of(&points, of, n);
    assert_int_equal(view.base.n, n);
    assert_int_equal(view.n_first, n_first);
    for (int k = 0; k < 2; k++) {
        check_ok(ctx, view.base.block(ctx, &view.base, of, 5, NULL, n, K[k], n));
        view.n_first = 0;
    }
    assert_memory_equal(K[0], K[1], sizeof K[0]);
    check_ok(ctx, view.base.diagonal(ctx, &view.base, diagonal));
    for (int64_t i = 0; i < n; i++) assert_true(diagonal[i] == 1);
    of[1] = of[0]; /* neighbours no more */
    assert_int_equal(smr_svm_view_of(&points, of, n).n_first, 0);
    smr_svm_points_close(&points);
    smr_params_free(smr_svm.word, params);
    check_ctx_end(ctx);
}

/* Values that machines have in common, and the same computed for each. */
static void shared_values_do_not_show(void **unused)
{
    (void)unused;
    struct rows r;
    make_rows(&r, 6);
    for (int i = 0; i < N; i++) r.label[i] = i % 6;
    smr_ctx *ctx = check_ctx(2);
    void *params = make_params(ctx, &smr_svm, "kernel=rbf(gamma=0.5)");
    smr_svm_points points = {0};
    int32_t of[N], some[7] = {0};
    float K[4][N * N] = {{0}};
    int64_t n = 0;
    double used;
    check_ok(ctx, smr_svm_points_open(ctx, params, &r.m.data, &points));
    for (int32_t i = 0; i < N; i++) {
        int32_t label = r.label[points.row[i]];
        if (label == 2 || label == 4) of[n++] = i;
    }
    for (int k = 0; k < 7; k++) some[k] = (int32_t)((11 * k + 3) % n);
    check_ok(ctx, smr_svm_share(ctx, &points, 1, &used));
    assert_true(used == 0 && !points.within);
    for (int shared = 0; shared < 2; shared++) {
        smr_svm_view v = smr_svm_view_of(&points, of, n);
        assert_true(shared == (v.within[0] && v.within[1]));
        check_ok(ctx, v.base.block(ctx, &v.base, some, 7, NULL, n, K[shared], n + 1));
        check_ok(ctx, v.base.block(ctx, &v.base, some, 7, some, 7, K[2 + shared], 9));
        if (!shared) check_ok(ctx, smr_svm_share(ctx, &points, 1e6, &used));
    }
    assert_true(used > 0);
    assert_memory_equal(K[0], K[1], sizeof K[0]);
    assert_memory_equal(K[2], K[3], sizeof K[2]);
    smr_svm_points_close(&points);
    smr_params_free(smr_svm.word, params);
    check_ctx_end(ctx);
}

/* nu: at most that share costs something, at least that share are support vectors. */
static void nu_is_a_share(void **unused)
{
    (void)unused;
    struct rows r;
    for (int k = 0; k < 3; k++) {
        if (k == 2)
            make_one_class(&r);
        else
            make_rows(&r, k == 0 ? 2 : 0);
        struct fitted f = fit_svm("kernel=rbf(gamma=0.5) nu=0.3 tol=1e-6", &r.m.data, 1);
        double cost = *state_array(&f, "n_inside") + *state_array(&f, "n_wrong");
        assert_true(cost <= 0.3 * N + 1e-9);
        assert_true(*state_array(&f, "n_support") >= 0.3 * N - 1e-9);
        end(&f);
    }
}

static void one_class_is_the_recorded_one(void **unused)
{
    (void)unused;
    struct rows r;
    double score[N], decision[2 * N];
    make_one_class(&r);
    struct fitted f = fit_svm("kernel=rbf(gamma=0.5) nu=0.3 tol=1e-8", &r.m.data, 2);
    answer(&f, r.x, N, D, SMR_OUTPUT_SCORE, score);
    answer(&f, r.x, N, D, SMR_OUTPUT_DECISION, decision);
    for (int i = 0; i < N; i++) {
        check_near("score", score[i], one_class[i], 1e-5);
        check_near("inside", decision[2 * i + 1], score[i], 0);
    }
    end(&f);
}

/* Conditions and gap are those of the report; threads do not show. */
static void reports_are_true_and_threads_do_not_show(void **unused)
{
    (void)unused;
    struct rows r;
    double first[3 * N], out[3 * N];
    for (int threads = 1; threads <= 7; threads += 3) {
        make_rows(&r, 3);
        struct fitted f = fit_svm("kernel=rbf(gamma=0.5) C=3 proba=yes", &r.m.data, threads);
        assert_true(f.report.converged);
        for (int k = 0; k < 3; k++) {
            assert_true(state_array(&f, "violation")[k] <= 1e-3);
            assert_true(state_array(&f, "gap")[k] <= 1e-2 * state_array(&f, "objective")[k]);
        }
        answer(&f, r.x, N, D, SMR_OUTPUT_PROBA, out);
        if (threads == 1) memcpy(first, out, sizeof out);
        assert_memory_equal(first, out, sizeof out);
        for (int i = 0; i < N; i++) {
            double sum = out[3 * i] + out[3 * i + 1] + out[3 * i + 2];
            check_near("sum", sum, 1, 1e-12);
            answer(&f, r.x + i * D, 1, D, SMR_OUTPUT_PROBA, out + 3 * i);
        }
        assert_memory_equal(first, out, sizeof out);
        end(&f);
    }
}

/* Probabilities of two classes rise with the score, and are those of rows left out: not surer than
 * the score deserves. */
static void probabilities_rise_with_scores(void **unused)
{
    (void)unused;
    struct rows r;
    double p[2 * N], s[2 * N], q[3 * N];
    make_rows(&r, 2);
    struct fitted f = fit_svm("kernel=rbf(gamma=0.5) proba=yes", &r.m.data, 1);
    answer(&f, r.x, N, D, SMR_OUTPUT_PROBA, p);
    answer(&f, r.x, N, D, SMR_OUTPUT_DECISION, s);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (s[2 * i + 1] < s[2 * j + 1]) assert_true(p[2 * i + 1] <= p[2 * j + 1]);
    end(&f);
    make_rows(&r, 3);
    f = fit_svm("kernel=rbf(gamma=0.5) multi=ova proba=yes", &r.m.data, 1);
    answer(&f, r.x, N, D, SMR_OUTPUT_PROBA, q);
    for (int i = 0; i < N; i++) check_near("sum", q[3 * i] + q[3 * i + 1] + q[3 * i + 2], 1, 1e-12);
    end(&f);
}

/* A class that no row has is never chosen. */
static void absent_classes_are_never_chosen(void **unused)
{
    (void)unused;
    struct rows r;
    static const char *const words[] = {"kernel=rbf multi=ovo", "kernel=rbf multi=ova"};
    for (int k = 0; k < 2; k++) {
        double out[5 * N];
        make_rows(&r, 3);
        r.m.data.n_classes = 5;
        for (int i = 0; i < N; i++) r.label[i] = r.label[i] == 1 ? 4 : r.label[i];
        struct fitted f = fit_svm(words[k], &r.m.data, 1);
        answer(&f, r.x, N, D, SMR_OUTPUT_DECISION, out);
        for (int i = 0; i < N; i++)
            for (int c = 1; c < 4; c += 2) {
                if (c == 3 || c == 1)
                    assert_true(out[5 * i + c] <
                                fmax(out[5 * i], fmax(out[5 * i + 2], out[5 * i + 4])));
            }
        end(&f);
    }
}

static const char *refused(const char *words, const smr_data *data, smr_status expected)
{
    static char message[1024];
    smr_ctx *ctx = check_ctx(1);
    void *params = make_params(ctx, &smr_svm, words), *state = NULL;
    smr_fit_report report = {0};
    check_ok(ctx, smr_state_create(ctx, &smr_svm, &state));
    smr_status st = smr_svm.word->check_params(ctx, params);
    if (st == SMR_OK) st = smr_learner_fit(ctx, &smr_svm, params, data, state, &report);
    assert_int_equal(st, expected);
    snprintf(message, sizeof message, "%s", smr_ctx_message(ctx));
    smr_fit_report_release(&report);
    smr_state_free(&smr_svm, state);
    smr_params_free(smr_svm.word, params);
    check_ctx_end(ctx);
    return message;
}

#define check_refused(words, data, status, part)                                 \
    do {                                                                         \
        const char *said_ = refused((words), (data), (status));                  \
        if (!strstr(said_, (part))) fail_msg("'%s' is not '%s'", said_, (part)); \
    } while (0)

/* A parameter that a sentence gives and that is not read, and one of which it is read. */
static void check_unread(const char *sentence, const char *expected, const char *read)
{
    smr_ctx *ctx = check_ctx(1);
    smr_spec *spec = NULL;
    assert_int_equal(smr_spec_parse(ctx, sentence, &spec), SMR_ERR_PARAM);
    assert_string_equal(smr_ctx_message(ctx), expected);
    check_ok(ctx, smr_spec_parse(ctx, read, &spec));
    smr_spec_free(spec);
    check_ctx_end(ctx);
}

static void what_linear_models_alone_read_is_refused(void **unused)
{
    (void)unused;
    check_unread("svm kernel=rbf loss=hinge", "svm: loss is used only with kernel=linear",
                 "svm kernel=linear loss=hinge");
    check_unread("svm kernel=2*linear loss=squared_hinge",
                 "svm: loss is used only with kernel=linear", "svm loss=squared_hinge");
    check_unread("svm kernel=poly(2) solver=dual", "svm: solver is used only with kernel=linear",
                 "svm solver=dual multi=sum");
    check_unread("svm multi=ovo solver=dual",
                 "svm: solver is not used with multi=ovo; leave it out",
                 "svm multi=ova solver=dual");
    check_unread("svm nu=0.1 loss=squared_hinge",
                 "svm: loss and nu are both given; give one of them", "svm nu=0.1");
    check_unread("svm proba=yes fit_intercept=no", "svm: fit_intercept is used only with proba=no",
                 "svm fit_intercept=no");
}

static void what_makes_no_sense_is_refused(void **unused)
{
    (void)unused;
    struct rows r;
    make_rows(&r, 2);
    const smr_data *data = &r.m.data;
    check_refused("kernel=rbf multi=max", data, SMR_ERR_PARAM,
                  "multi=max is for kernel=linear, and not with another kernel");
    check_refused("proba=yes multi=sum", data, SMR_ERR_PARAM, "and not with proba=yes");
    check_refused("nu=0.1 multi=max", data, SMR_ERR_PARAM, "and not with nu");
    check_refused("kernel=rbf C=0", data, SMR_ERR_PARAM,
                  "C=0 is for kernel=linear, and not with another kernel");
    check_refused("kernel=rbf l2=inf", data, SMR_ERR_PARAM, "l2=inf is for kernel=linear");
    check_refused("multi=ovo C=0", data, SMR_ERR_PARAM,
                  "C=0 is for kernel=linear, and not with "
                  "multi=ovo");
    check_refused("kernel=rbf C=inf class_weight=balanced", data, SMR_ERR_PARAM,
                  "a hard margin weighs no class");
    check_refused("kernel=rbf nu=0.2 C=3", data, SMR_ERR_PARAM, "nu takes the place of C");
    check_refused("kernel=rbf nu=0.99", data, SMR_ERR_DATA, "the smaller class has room for");
    memcpy(r.x + 7 * D, r.x + 40 * D, D * sizeof *r.x);
    r.label[7] = !r.label[40];
    check_refused("kernel=rbf margin=hard", data, SMR_ERR_DATA, "not separable: row 8 of class ");
    check_refused("kernel=rbf margin=hard", data, SMR_ERR_DATA, "same to the kernel");
    const char *said = refused("kernel=rbf C=inf", data, SMR_ERR_DATA);
    assert_true(strstr(said, " 8 ") && strstr(said, " 41 "));
    make_rows(&r, 0);
    check_refused("kernel=rbf C=inf", &r.m.data, SMR_ERR_PARAM, "numbers need a finite C");
    make_one_class(&r);
    check_refused("kernel=rbf C=3", &r.m.data, SMR_ERR_PARAM, "one class has nu and no C");
}

/* A row amid four of the other class, and a cloud that no conic divides: with a million passes to
 * go, it is the hulls that tell. */
static void hulls_that_meet_have_no_hard_margin(void **unused)
{
    (void)unused;
    double x[12] = {-1.5, -1.25, 1.5, -1, 1.75, 1.5, -1.25, 1.5, 0.125, 0.0625, 9, 9};
    double weight[6] = {1, 1, 1, 1, 1, 1};
    static const int32_t label[6] = {0, 0, 0, 0, 1, 1};
    struct matrix_data m;
    struct rows r;
    matrix_data(&m, 6, 2, 0, x, NULL, NULL);
    m.data.task = SMR_TASK_CLASSIFY;
    m.data.n_outputs = 1;
    m.data.n_classes = 2;
    m.data.label = label;
    m.data.weight = weight;
    const char *ovo = "kernel=linear multi=ovo C=inf max_iter=1000000";
    check_refused(ovo, &m.data, SMR_ERR_DATA, "not separable: to the kernel, row 5 of class 1 is");
    check_refused(ovo, &m.data, SMR_ERR_DATA, "of class 0; take margin=soft");
    weight[4] = 0;
    struct fitted f = fit_svm(ovo, &m.data, 1);
    assert_true(told(&f, &m.data, "geometric_margin") > 0);
    end(&f);
    make_rows(&r, 2);
    for (int i = 0; i < N; i++) r.label[i] = sin(7.7 * i) > 0;
    check_refused("kernel=quadratic C=inf max_iter=1000000", &r.m.data, SMR_ERR_DATA,
                  "not separable: to the kernel, a mixture of rows");
    f = fit_svm("kernel=rbf(gamma=30) C=inf", &r.m.data, 1);
    assert_true(told(&f, &r.m.data, "functional_margin") == 1);
    end(&f);
}

/* Two rings whose gap is a hundredth of them, which the solver does not divide in its first
 * passes. */
static void thin_margins_are_not_refused(void **unused)
{
    (void)unused;
    static double x[2 * 300];
    static int32_t label[300];
    struct matrix_data m;
    for (int i = 0; i < 300; i++) {
        double radius = i % 2 ? 1.01 : 1;
        label[i] = i % 2;
        x[2 * i] = radius * cos(0.7 * i);
        x[2 * i + 1] = radius * sin(0.7 * i);
    }
    matrix_data(&m, 300, 2, 0, x, NULL, NULL);
    m.data.task = SMR_TASK_CLASSIFY;
    m.data.n_outputs = 1;
    m.data.n_classes = 2;
    m.data.label = label;
    static const char *const words[] = {"kernel=quadratic C=inf", "kernel=rbf(gamma=1) C=inf",
                                        "kernel=rbf(gamma=20) C=inf"};
    for (int k = 0; k < SMR_COUNT(words); k++) {
        struct fitted f = fit_svm(words[k], &m.data, 1);
        assert_true(told(&f, &m.data, "functional_margin") == 1);
        end(&f);
    }
}

static int64_t size_of(const struct fitted *f, const char *name)
{
    return *(const int64_t *)(const void *)state_array(f, name);
}

/* w and b of numbers, as the machine over points (a product of 1 with the kernel is no linear word)
 * finds them; rows of either form. */
static void a_linear_machine_of_numbers_keeps_weights(void **unused)
{
    (void)unused;
    static const char *const words[][2] = {
        {"C=2 tol=1e-8", "kernel=1*linear C=2 tol=1e-8"},
        {"nu=0.3 C=5 tol=1e-8", "kernel=1*linear nu=0.3 C=5 tol=1e-8"}};
    struct rows r;
    double one[N], other[N];
    make_rows(&r, 0);
    for (int k = 0; k < SMR_COUNT(words); k++) {
        struct fitted f = fit_svm(words[k][0], &r.m.data, 1);
        struct fitted g = fit_svm(words[k][1], &r.m.data, 1);
        assert_int_equal(size_of(&f, "n_points"), 0);
        assert_int_equal(size_of(&f, "n_scores"), 1);
        assert_true(size_of(&g, "n_points") > 0);
        answer(&f, r.x, N, D, SMR_OUTPUT_VALUE, one);
        answer(&g, r.x, N, D, SMR_OUTPUT_VALUE, other);
        for (int i = 0; i < N; i++) check_near("f", one[i], other[i], 1e-5); /* floats */
        const double *w = state_array(&f, "coef"), *b = state_array(&f, "intercept");
        for (int i = 0; i < N; i++) {
            double sum = b[0];
            for (int j = 0; j < D; j++) sum += w[j] * r.x[i * D + j];
            check_near("b + w x", one[i], sum, 1e-12);
        }
        end(&f), end(&g);
    }
}

/* Rows in units of 2^power: with gamma=scale, and where lengths cancel, the same machine.  Squares
 * of the outer ones are 0 or infinite in floats. */
static void check_units(const char *words, double tolerance)
{
    static const int powers[] = {0, -330, -60, 55, 70, 400};
    struct rows r;
    double first[2 * N], decision[2 * N], x[N * D];
    for (int u = 0; u < SMR_COUNT(powers); u++) {
        make_rows(&r, 2);
        for (int i = 0; i < N * D; i++) x[i] = r.x[i] = ldexp(r.x[i], powers[u]);
        struct fitted f = fit_svm(words, &r.m.data, 1);
        assert_true(f.report.converged);
        answer(&f, x, N, D, SMR_OUTPUT_DECISION, u ? decision : first);
        for (int i = 0; u && i < 2 * N; i++)
            check_near("decision", decision[i], first[i], tolerance);
        end(&f);
    }
}

static void units_of_the_rows_do_not_matter(void **unused)
{
    (void)unused;
    struct rows r;
    check_units("kernel=rbf C=10", 2e-3);
    check_units("kernel=rbf(gamma=median) C=10", 2e-3);
    check_units("kernel=laplacian C=10", 2e-3);
    check_units("kernel=cosine", 2e-3);
    check_units("kernel=poly(2)", 2e-3);
    make_rows(&r, 2);
    for (int i = 0; i < N * D; i++) r.x[i] = ldexp(r.x[i], 510);
    check_refused("kernel=rbf", &r.m.data, SMR_ERR_NUMERIC, "rescale the columns");
    check_refused("kernel=laplacian", &r.m.data, SMR_ERR_NUMERIC, "rescale the columns");
}

static void fits_survive_every_failing_allocation(void **unused)
{
    (void)unused;
    check_no_races();
    struct rows r;
    make_rows(&r, 3);
    check_failing_fits(&smr_svm, "kernel=rbf proba=yes", &r.m.data);
    make_rows(&r, 0);
    check_failing_fits(&smr_svm, "kernel=linear", &r.m.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xor_has_the_worked_machine),
        cmocka_unit_test(hulls_that_meet_have_no_hard_margin),
        cmocka_unit_test(thin_margins_are_not_refused),
        cmocka_unit_test(a_linear_machine_of_numbers_keeps_weights),
        cmocka_unit_test(a_linear_kernel_is_the_linear_model),
        cmocka_unit_test(weights_are_repetitions),
        cmocka_unit_test(the_same_rows_are_one_variable),
        cmocka_unit_test(spans_do_not_show),
        cmocka_unit_test(shared_values_do_not_show),
        cmocka_unit_test(nu_is_a_share),
        cmocka_unit_test(one_class_is_the_recorded_one),
        cmocka_unit_test(reports_are_true_and_threads_do_not_show),
        cmocka_unit_test(probabilities_rise_with_scores),
        cmocka_unit_test(absent_classes_are_never_chosen),
        cmocka_unit_test(what_linear_models_alone_read_is_refused),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(units_of_the_rows_do_not_matter),
        cmocka_unit_test(fits_survive_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
