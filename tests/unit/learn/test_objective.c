/* The loss of a linear model over all rows: against plain loops, finite differences, every form. */
#include "check.h"
#include "computed.h"

#include "core/rng.h"
#include "learn/linear/objective.h"

enum { N = 397, D = 11, MOST = 8 * (D + 1) };

/* A table of small whole numbers, mostly zeros, that every form holds exactly. */
struct table {
    double f64[N * D];
    float f32[N * D];
    uint8_t u8[N * D];
    int64_t start[N + 1];
    int32_t column[N * D];
    double value[N * D];
    smr_csr csr;
    smr_feature features[D];
    double y[N], positive[N], sign[N], weight[N];
    int32_t label[N];
};

static double draw(uint64_t i)
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

static struct table *make_table(double share)
{
    struct table *t = calloc(1, sizeof *t);
    int64_t e = 0;
    assert_non_null(t);
    for (int64_t i = 0; i < N; i++) {
        t->start[i] = e;
        for (int64_t j = 0; j < D; j++) {
            uint64_t at = (uint64_t)(i * D + j);
            double x = draw(2 * at) < share ? floor(1 + 6 * draw(2 * at + 1)) : 0;
            t->f64[at] = x, t->f32[at] = (float)x, t->u8[at] = (uint8_t)x;
            if (x != 0) t->column[e] = (int32_t)j, t->value[e++] = x;
        }
        t->y[i] = 4 * draw((uint64_t)i + 99991) - 2;
        t->positive[i] = floor(5 * draw((uint64_t)i + 77773)) + 0.5;
        t->sign[i] = draw((uint64_t)i + 55557) < 0.4 ? -1 : 1;
        t->label[i] = (int32_t)(5 * draw((uint64_t)i + 33331));
        t->weight[i] = floor(3 * draw((uint64_t)i + 11113));
    }
    t->start[N] = e;
    t->csr = (smr_csr){N, D, t->start, t->column, t->value};
    return t;
}

static smr_data table_data(struct table *t, smr_dtype dtype)
{
    const void *x = dtype == SMR_F64   ? (const void *)t->f64
                    : dtype == SMR_F32 ? (const void *)t->f32
                                       : (const void *)t->u8;
    for (int64_t j = 0; j < D; j++)
        t->features[j] =
            (smr_feature){.kind = SMR_NUMBER,
                          .dtype = dtype,
                          .values = (const char *)x + j * (int64_t)smr_dtype_size(dtype),
                          .stride = D};
    return (smr_data){.size = sizeof(smr_data),
                      .n_rows = N,
                      .n_features = D,
                      .features = t->features,
                      .refuse_missing = true,
                      .n_outputs = 1,
                      .y = t->y,
                      .label = t->label,
                      .n_classes = 5,
                      .weight = t->weight};
}

static const double *targets(const struct table *t, const smr_loss *loss)
{
    return loss->kind == SMR_LOSS_LOG_LINK ? t->positive
           : loss->kind == SMR_LOSS_MARGIN ? t->sign
                                           : t->y;
}

/* (1) of objective.h by plain loops. */
static double plain(const struct table *t, const smr_linear_problem *p, int64_t k, const double *w,
                    double *g)
{
    double f = 0, score[8], slope[8];
    for (int64_t c = 0; c < k * (D + p->fit_intercept); c++) g[c] = c < k * D ? p->l2 * w[c] : 0;
    for (int64_t c = 0; c < k * D; c++) f += p->l2 / 2 * w[c] * w[c];
    for (int64_t i = 0; i < N; i++) {
        for (int64_t c = 0; c < k; c++) {
            score[c] = p->fit_intercept ? w[k * D + c] : 0;
            for (int64_t j = 0; j < D; j++) score[c] += w[c * D + j] * t->f64[i * D + j];
        }
        double value;
        if (p->loss->kind == SMR_LOSS_CLASSES) {
            smr_loss_classes(p->loss, 1, k, &t->label[i], score, &value, slope);
        } else {
            smr_loss_point at = smr_loss_at(p->loss, p->param, targets(t, p->loss)[i], score[0]);
            value = at.value, slope[0] = at.slope;
        }
        f += t->weight[i] * value;
        for (int64_t c = 0; c < k; c++) {
            for (int64_t j = 0; j < D; j++)
                g[c * D + j] += t->weight[i] * slope[c] * t->f64[i * D + j];
            if (p->fit_intercept) g[k * D + c] += t->weight[i] * slope[c];
        }
    }
    return f;
}

static smr_linear_problem problem_of(const struct table *t, const smr_data *data,
                                     const smr_loss *loss)
{
    return (smr_linear_problem){.data = data,
                                .loss = loss,
                                .param = loss->param ? loss->param_default : 0,
                                .y = loss->kind == SMR_LOSS_CLASSES ? NULL : targets(t, loss),
                                .l2 = 0.37,
                                .fit_intercept = true,
                                .second_order = true};
}

static void some_weights(int64_t n, double *w)
{
    for (int64_t i = 0; i < n; i++) w[i] = (draw((uint64_t)i + 424243) - 0.5) * 0.4;
}

/* Twice the source's numbers and one more, as a stage would compute them. */
static smr_status twice(smr_ctx *ctx, const smr_rows *in, double *out)
{
    (void)ctx;
    for (int64_t i = 0; i < in->n; i++)
        for (int64_t j = 0; j < in->d; j++)
            out[i * in->d + j] = 2 * ((const double *)in->x)[i * in->stride + j] + 1;
    return SMR_OK;
}

static void check_against_plain(smr_ctx *ctx, const struct table *t, const smr_linear_problem *p)
{
    smr_linear_objective *o = NULL;
    double w[MOST], g[MOST], want[MOST], f;
    check_ok(ctx, smr_linear_objective_open(ctx, "test", p, &o));
    int64_t k = smr_linear_n_scores(o), n = smr_linear_function(o)->n;
    assert_int_equal(n, k * (D + p->fit_intercept));
    some_weights(n, w);
    check_ok(ctx, smr_linear_function(o)->evaluate(ctx, o, w, &f, g));
    check_near(p->loss->name, f, plain(t, p, k, w, want), 1e-12);
    for (int64_t i = 0; i < n; i++) check_near(p->loss->name, g[i], want[i], 1e-11);
    smr_linear_objective_close(o);
}

static void every_loss_and_form_agrees_with_plain_loops(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    static const double shares[] = {0.15, 0.8};
    for (int s = 0; s < 2; s++) {
        struct table *t = make_table(shares[s]);
        for (int l = 0; l < SMR_LOSS_COUNT; l++)
            for (int form = 0; form < 4; form++) {
                smr_data data = table_data(t, form < 3 ? (smr_dtype)form : SMR_F64);
                if (form == 3) data.features = NULL, data.sparse = &t->csr;
                smr_linear_problem p = problem_of(t, &data, &smr_losses[l]);
                check_against_plain(ctx, t, &p);
                p.fit_intercept = false;
                check_against_plain(ctx, t, &p);
            }
        free(t);
    }
    check_ctx_end(ctx);
}

static void rows_that_a_stage_computes_are_read_as_they_come(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    struct table *t = make_table(0.5);
    smr_data source = table_data(t, SMR_F32), data = source;
    static const struct computed doubling = {twice};
    compute_data(&data, &source, &doubling, SMR_FORM_F64);
    smr_linear_problem p = problem_of(t, &data, smr_loss_find("logistic"));
    struct table *computed = make_table(0.5);
    for (int64_t i = 0; i < N * D; i++) computed->f64[i] = 2 * t->f64[i] + 1;
    check_against_plain(ctx, computed, &p);
    p.loss = smr_loss_find("cross_entropy");
    check_against_plain(ctx, computed, &p);
    free(computed), free(t);
    check_ctx_end(ctx);
}

/* H against differences of the gradient; H v and diag H against H. */
static void check_hessian(smr_ctx *ctx, const smr_linear_problem *p)
{
    smr_linear_objective *o = NULL;
    check_ok(ctx, smr_linear_objective_open(ctx, "test", p, &o));
    const smr_objective *f = smr_linear_function(o);
    int64_t n = f->n;
    double w[MOST], g[MOST], up[MOST], down[MOST], v[MOST], Hv[MOST], h[MOST], value;
    double *H = malloc((size_t)(n * n) * sizeof *H);
    assert_non_null(H);
    some_weights(n, w);
    check_ok(ctx, f->evaluate(ctx, f->self, w, &value, g));
    check_ok(ctx, f->prepare(ctx, f->self, w));
    check_ok(ctx, f->hessian(ctx, f->self, w, H));
    check_ok(ctx, f->hessian_diagonal(ctx, f->self, w, h));
    for (int64_t i = 0; i < n; i++) v[i] = draw((uint64_t)i + 7) - 0.5;
    check_ok(ctx, f->hessian_times(ctx, f->self, w, v, Hv));
    for (int64_t i = 0; i < n; i++) {
        double sum = 0, step = 1e-6, at = w[i];
        for (int64_t j = 0; j < n; j++) sum += H[i * n + j] * v[j];
        check_near("H v", Hv[i], sum, 1e-10);
        check_near("diag H", h[i], H[i * n + i], 1e-10);
        w[i] = at + step;
        check_ok(ctx, f->evaluate(ctx, f->self, w, &value, up));
        w[i] = at - step;
        check_ok(ctx, f->evaluate(ctx, f->self, w, &value, down));
        w[i] = at;
        for (int64_t j = 0; j < n; j++)
            check_near(p->loss->name, H[i * n + j], (up[j] - down[j]) / (2 * step), 2e-5);
    }
    free(H);
    smr_linear_objective_close(o);
}

static void hessians_are_the_derivatives_of_gradients(void **state)
{
    (void)state;
    static const char *const names[] = {"squared", "squared_hinge", "logistic", "exponential",
                                        "poisson", "gamma",         "huber",    "cross_entropy"};
    smr_ctx *ctx = check_ctx(2);
    struct table *t = make_table(0.25);
    for (size_t l = 0; l < sizeof names / sizeof *names; l++)
        for (int form = 0; form < 2; form++) {
            smr_data data = table_data(t, SMR_F64);
            if (form == 1) data.features = NULL, data.sparse = &t->csr;
            smr_linear_problem p = problem_of(t, &data, smr_loss_find(names[l]));
            check_hessian(ctx, &p);
            p.fit_intercept = false;
            p.l2 = 0;
            p.pinned = p.pinned_weights = true;
            check_hessian(ctx, &p);
        }
    free(t);
    check_ctx_end(ctx);
}

/* Value, gradient and Hessian of one pass against those of an evaluation and a pass of its own. */
static void check_one_pass(smr_ctx *ctx, const smr_linear_problem *p)
{
    smr_linear_objective *o = NULL, *wanting = NULL;
    double w[MOST], g[MOST], g1[MOST], f, f1;
    static double H[MOST * MOST], H1[MOST * MOST];
    check_ok(ctx, smr_linear_objective_open(ctx, "test", p, &o));
    check_ok(ctx, smr_linear_objective_open(ctx, "test", p, &wanting));
    const smr_objective *F = smr_linear_function(o), *F1 = smr_linear_function(wanting);
    size_t size = (size_t)F->n * sizeof *w;
    for (int64_t i = 0; i < F->n; i++) w[i] = 0.3 * draw((uint64_t)i + 424243) - 0.15;
    check_ok(ctx, F->evaluate(ctx, F->self, w, &f, g));
    check_ok(ctx, smr_linear_hessian_at(ctx, o, w, H));
    assert_false(smr_linear_has_hessian(o, w));
    smr_linear_want_hessian(wanting);
    check_ok(ctx, F1->evaluate(ctx, F1->self, w, &f1, g1));
    assert_true(smr_linear_has_hessian(wanting, w));
    check_ok(ctx, smr_linear_hessian_at(ctx, wanting, w, H1));
    assert_memory_equal(&f, &f1, sizeof f);
    assert_memory_equal(g, g1, size);
    assert_memory_equal(H, H1, size * (size_t)F->n);
    w[0] += 0.125;
    assert_false(smr_linear_has_hessian(wanting, w));
    smr_linear_objective_close(wanting);
    smr_linear_objective_close(o);
}

static void a_hessian_made_while_evaluating_has_the_same_bits(void **state)
{
    (void)state;
    static const char *const names[] = {"logistic", "poisson", "cross_entropy"};
    smr_ctx *ctx = check_ctx(2);
    struct table *t = make_table(0.25);
    for (int l = 0; l < 3; l++)
        for (int form = 0; form < 2; form++) {
            smr_data data = table_data(t, SMR_F64);
            if (form == 1) data.features = NULL, data.sparse = &t->csr;
            smr_linear_problem p = problem_of(t, &data, smr_loss_find(names[l]));
            check_one_pass(ctx, &p);
        }
    free(t);
    check_ctx_end(ctx);
}

/* Rows that are not taken weigh nothing. */
static void every_third_run_of_rows_counts_alone(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    struct table *t = make_table(0.9);
    smr_data data = table_data(t, SMR_F64);
    smr_linear_problem p = problem_of(t, &data, smr_loss_find("logistic"));
    smr_linear_objective *o = NULL;
    double w[MOST], g[MOST], want[MOST], f;
    int64_t count = 0;
    static double H[MOST * MOST], all[MOST * MOST];
    check_ok(ctx, smr_linear_objective_open(ctx, "test", &p, &o));
    const smr_objective *F = smr_linear_function(o);
    for (int64_t i = 0; i < F->n; i++) w[i] = 0.3 * draw((uint64_t)i + 31) - 0.15;
    check_ok(ctx, smr_linear_hessian_at(ctx, o, w, all));
    int64_t taken = smr_linear_take_every(o, 3), run = smr_linear_run(o);
    check_ok(ctx, F->evaluate(ctx, F->self, w, &f, g));
    check_ok(ctx, smr_linear_hessian_at(ctx, o, w, H));
    assert_true(run < N && H[0] < 0.9 * all[0]);
    smr_linear_objective_close(o);

    for (int64_t i = 0; i < N; i++)
        if (i / run % 3 == 0)
            count++;
        else
            t->weight[i] = 0;
    assert_int_equal(taken, count);
    check_near("value", f, plain(t, &p, 1, w, want), 1e-13);
    for (int64_t i = 0; i < D + 1; i++) check_near("slope", g[i], want[i], 1e-11);
    check_ok(ctx, smr_linear_objective_open(ctx, "test", &p, &o));
    check_ok(ctx, smr_linear_hessian_at(ctx, o, w, all));
    for (int64_t i = 0; i < (D + 1) * (D + 1); i++) check_near("bend", H[i], all[i], 1e-11);
    smr_linear_objective_close(o);
    free(t);
    check_ctx_end(ctx);
}

static void moments_are_those_of_the_weighted_columns(void **state)
{
    (void)state;
    static const char *const losses[] = {"logistic", "cross_entropy"};
    smr_ctx *ctx = check_ctx(2);
    struct table *t = make_table(0.2);
    for (int l = 0; l < 2; l++) {
        smr_data data = table_data(t, SMR_F32);
        smr_linear_problem p = problem_of(t, &data, smr_loss_find(losses[l]));
        smr_linear_objective *o = NULL;
        double mean[D], square[D], total;
        check_ok(ctx, smr_linear_objective_open(ctx, "test", &p, &o));
        check_ok(ctx, smr_linear_moments(ctx, o, mean, square, &total));
        for (int64_t j = 0; j < D; j++) {
            double sum = 0, squares = 0, W = 0;
            for (int64_t i = 0; i < N; i++) {
                double x = t->f64[i * D + j];
                W += t->weight[i], sum += t->weight[i] * x, squares += t->weight[i] * x * x;
            }
            check_near("weight", total, W, 1e-14);
            check_near("mean", mean[j], sum / W, 1e-13);
            check_near("square", square[j], squares / W, 1e-13);
        }
        smr_linear_objective_close(o);
    }
    free(t);
    check_ctx_end(ctx);
}

static void a_loss_without_slope_everywhere_has_no_hessian(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    struct table *t = make_table(0.5);
    smr_data data = table_data(t, SMR_F64);
    smr_linear_problem p = problem_of(t, &data, smr_loss_find("hinge_max"));
    smr_linear_objective *o = NULL;
    check_ok(ctx, smr_linear_objective_open(ctx, "test", &p, &o));
    assert_null(smr_linear_function(o)->hessian);
    smr_linear_objective_close(o);
    free(t);
    check_ctx_end(ctx);
}

/* At any thread count, on enough rows for many chunks. */
static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    enum { ROWS = 20011, WIDE = 23, K = 6 };
    double *x = malloc(sizeof(double) * ROWS * WIDE), w[K * (WIDE + 1)];
    int32_t *label = malloc(sizeof(int32_t) * ROWS);
    smr_feature features[WIDE];
    static const int threads[] = {1, 2, 7};
    for (int64_t i = 0; i < ROWS * WIDE; i++) x[i] = draw((uint64_t)i) - 0.5;
    for (int64_t i = 0; i < ROWS; i++) label[i] = (int32_t)(K * draw((uint64_t)i + 5));
    for (int64_t j = 0; j < WIDE; j++)
        features[j] =
            (smr_feature){.kind = SMR_NUMBER, .dtype = SMR_F64, .values = x + j, .stride = WIDE};
    smr_data data = {.size = sizeof data,
                     .n_rows = ROWS,
                     .n_features = WIDE,
                     .features = features,
                     .label = label,
                     .n_classes = K};
    some_weights(K * (WIDE + 1), w);
    for (int l = 0; l < 2; l++) {
        smr_linear_problem p = {.data = &data,
                                .loss = smr_loss_find(l ? "cross_entropy" : "logistic"),
                                .l2 = 1,
                                .fit_intercept = true,
                                .second_order = true};
        int64_t n = (l ? K : 1) * (WIDE + 1);
        double *all = calloc((size_t)(3 * (n * n + 2 * n + 1)), sizeof *all);
        for (int t = 0; t < 3; t++) {
            smr_ctx *ctx = check_ctx(threads[t]);
            smr_linear_objective *o = NULL;
            double *f = all + t * (n * n + 2 * n + 1), *g = f + 1, *h = g + n, *H = h + n;
            check_ok(ctx, smr_linear_objective_open(ctx, "test", &p, &o));
            const smr_objective *fn = smr_linear_function(o);
            check_ok(ctx, fn->evaluate(ctx, o, w, f, g));
            check_ok(ctx, fn->prepare(ctx, o, w));
            check_ok(ctx, fn->hessian_times(ctx, o, w, w, h));
            check_ok(ctx, fn->hessian(ctx, o, w, H));
            smr_linear_objective_close(o);
            check_ctx_end(ctx);
            assert_memory_equal(f, all, (size_t)(n * n + 2 * n + 1) * sizeof *f);
        }
        free(all);
    }
    free(x), free(label);
}

/* The same entries among many empty columns: sums are then taken column by column. */
enum { WIDEST = 20011, APART = 1801, MANY = 5 * (WIDEST + 1) };

static int64_t place_of(int64_t at)
{
    int64_t c = at / D, j = at % D;
    return at < 5 * D ? c * WIDEST + APART * j + 3 : 5 * WIDEST + at - 5 * D;
}

/* value, gradient, product and diagonal; mean and mean square of the features. */
static void all_of(smr_ctx *ctx, const smr_linear_problem *p, const double *w, double *f, double *g,
                   double *v, double *h, double *moments)
{
    smr_linear_objective *o = NULL;
    double total;
    check_ok(ctx, smr_linear_objective_open(ctx, "test", p, &o));
    const smr_objective *fn = smr_linear_function(o);
    check_ok(ctx, fn->evaluate(ctx, o, w, f, g));
    check_ok(ctx, fn->prepare(ctx, o, w));
    check_ok(ctx, fn->hessian_times(ctx, o, w, w, v));
    check_ok(ctx, fn->hessian_diagonal(ctx, o, w, h));
    int64_t d = p->data->n_features;
    check_ok(ctx, smr_linear_moments(ctx, o, moments, moments + d, &total));
    smr_linear_objective_close(o);
}

static void columns_without_entries_change_nothing(void **state)
{
    struct table *t = make_table(0.3);
    static const int threads[] = {1, 2, 7};
    double w[MOST], g[MOST], v[MOST], h[MOST], m[2 * D], f;
    double *room = calloc(6 * MANY, sizeof *room), *wide = room, *out = room + MANY, at, first = 0;
    (void)state;
    for (int k = 0; k < 3; k++) {
        smr_ctx *ctx = check_ctx(threads[k]);
        smr_data data = table_data(t, SMR_F64);
        data.sparse = &t->csr;
        smr_linear_problem p = problem_of(t, &data, smr_loss_find("cross_entropy"));
        if (k == 0) {
            some_weights(5 * (D + 1), w);
            all_of(ctx, &p, w, &f, g, v, h, m);
            for (int64_t i = 0; i < 5 * (D + 1); i++) wide[place_of(i)] = w[i];
            for (int64_t e = 0; e < t->start[N]; e++) t->column[e] = APART * t->column[e] + 3;
            t->csr.n_cols = WIDEST;
        }
        data.n_features = WIDEST;
        all_of(ctx, &p, wide, &at, out, out + MANY, out + 2 * MANY, out + 3 * MANY);
        if (k == 0) first = at;
        assert_true(at == first);
        check_near("value", at, f, 1e-13);
        for (int64_t i = 0; i < 5 * (D + 1); i++) {
            check_near("gradient", out[place_of(i)], g[i], 1e-12);
            check_near("product", out[MANY + place_of(i)], v[i], 1e-12);
            check_near("diagonal", out[2 * MANY + place_of(i)], h[i], 1e-12);
        }
        for (int64_t j = 0; j < D; j++) {
            check_near("mean", out[3 * MANY + APART * j + 3], m[j], 1e-12);
            check_near("square", out[3 * MANY + WIDEST + APART * j + 3], m[D + j], 1e-12);
        }
        double *kept = out + 4 * MANY; /* the gradient's bits */
        if (k == 0) memcpy(kept, out, MANY * sizeof *kept);
        assert_memory_equal(kept, out, MANY * sizeof *kept);
        check_ctx_end(ctx);
    }
    free(room);
    free(t);
}

static void what_no_fit_can_use_is_named(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    struct table *t = make_table(0.9);
    smr_data data = table_data(t, SMR_F64);
    smr_linear_problem p = problem_of(t, &data, smr_loss_find("logistic"));
    smr_linear_objective *o = NULL;
    double w[D + 1] = {0}, g[D + 1], f;
    t->f64[3 * D + 2] = INFINITY;
    check_ok(ctx, smr_linear_objective_open(ctx, "test", &p, &o));
    check_fails(ctx, smr_linear_function(o)->evaluate(ctx, o, w, &f, g), SMR_ERR_DATA,
                "row 4, column '2': the value is not finite");
    smr_linear_objective_close(o);
    t->f64[3 * D + 2] = (double)NAN;
    check_ok(ctx, smr_linear_objective_open(ctx, "test", &p, &o));
    check_fails(ctx, smr_linear_function(o)->evaluate(ctx, o, w, &f, g), SMR_ERR_DATA, "row 4");
    smr_linear_objective_close(o);
    t->weight[5] = -1;
    check_fails(ctx, smr_linear_objective_open(ctx, "test", &p, &o), SMR_ERR_DATA,
                "test: the weight of row 6");
    memset(t->weight, 0, sizeof t->weight);
    check_fails(ctx, smr_linear_objective_open(ctx, "test", &p, &o), SMR_ERR_DATA,
                "all weights are 0");
    p.loss = smr_loss_find("poisson"), p.y = t->y, data.weight = NULL;
    check_fails(ctx, smr_linear_objective_open(ctx, "test", &p, &o), SMR_ERR_DATA, "row");
    data.n_rows = 0;
    check_fails(ctx, smr_linear_objective_open(ctx, "test", &p, &o), SMR_ERR_DATA, "test: no rows");
    free(t);
    check_ctx_end(ctx);
}

static void refused_memory_is_survived(void **state)
{
    (void)state;
    struct table *t = make_table(0.2);
    smr_data data = table_data(t, SMR_U8);
    smr_linear_problem p = problem_of(t, &data, smr_loss_find("cross_entropy"));
    for (int64_t n = 0, done = 0; !done; n++) {
        smr_ctx *ctx = check_ctx(2);
        smr_linear_objective *o = NULL;
        double w[MOST] = {0}, g[MOST], f, *H = malloc(sizeof(double) * MOST * MOST);
        smr_memory_fail_at(ctx, n);
        smr_status st = smr_linear_objective_open(ctx, "test", &p, &o);
        if (st == SMR_OK) st = smr_linear_function(o)->evaluate(ctx, o, w, &f, g);
        if (st == SMR_OK) st = smr_linear_function(o)->prepare(ctx, o, w);
        if (st == SMR_OK) st = smr_linear_function(o)->hessian(ctx, o, w, H);
        if (st == SMR_OK) smr_linear_want_hessian(o);
        if (st == SMR_OK) st = smr_linear_function(o)->evaluate(ctx, o, w, &f, g);
        assert_true(st == SMR_OK || st == SMR_ERR_NOMEM);
        done = st == SMR_OK;
        smr_linear_objective_close(o);
        free(H);
        check_ctx_end(ctx);
    }
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_loss_and_form_agrees_with_plain_loops),
        cmocka_unit_test(rows_that_a_stage_computes_are_read_as_they_come),
        cmocka_unit_test(hessians_are_the_derivatives_of_gradients),
        cmocka_unit_test(a_hessian_made_while_evaluating_has_the_same_bits),
        cmocka_unit_test(every_third_run_of_rows_counts_alone),
        cmocka_unit_test(moments_are_those_of_the_weighted_columns),
        cmocka_unit_test(a_loss_without_slope_everywhere_has_no_hessian),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(columns_without_entries_change_nothing),
        cmocka_unit_test(what_no_fit_can_use_is_named),
        cmocka_unit_test(refused_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
