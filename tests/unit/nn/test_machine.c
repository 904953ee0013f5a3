/* Networks that compute: gradients against differences, in double; floats against doubles; the
 * same bits at any number of threads, of one row and of many, trained and predicting. */
#include "check.h"
#include "pipeline.h"

#include "core/rng.h"
#include "nn/machine.h"

struct built {
    smr_nn_chain chain;
    smr_nn_graph graph;
    smr_nn_machine *machine;
};

static void start(smr_ctx *ctx, const char *net, smr_nn_item in, smr_real real, int64_t rows,
                  bool training, struct built *b)
{
    *b = (struct built){0};
    check_ok(ctx, smr_nn_chain_read(ctx, net, &b->chain));
    check_ok(ctx, smr_nn_graph_build(ctx, &b->chain, in, 3, false, &b->graph));
    check_ok(ctx, smr_nn_machine_create(ctx, &b->graph, real, rows, training, &b->machine));
}

static void end(struct built *b)
{
    smr_nn_machine_free(b->machine);
    smr_nn_graph_release(&b->graph);
    smr_nn_chain_release(&b->chain);
}

static double draw(uint64_t a, uint64_t i)
{
    return 2 * smr_random_unit(5, SMR_STREAM_TEST, a, i) - 1;
}

static void put(smr_real real, void *to, int64_t i, double x)
{
    if (real == SMR_REAL_F32)
        ((float *)to)[i] = (float)x;
    else
        ((double *)to)[i] = x;
}

static double get(smr_real real, const void *from, int64_t i)
{
    return real == SMR_REAL_F32 ? (double)((const float *)from)[i] : ((const double *)from)[i];
}

/* Weights in (-1/2, 1/2), scales around 1, variances above 0. */
static void fill_weights(struct built *b)
{
    for (int64_t i = 0; i < b->graph.n; i++)
        for (int64_t k = 0; k < b->graph.node[i].layout.n_weights; k++) {
            const smr_nn_weights *w = &b->graph.node[i].layout.weights[k];
            double base = w->begin == SMR_BEGIN_ONE ? 1 : 0;
            for (int64_t e = 0; e < smr_nn_weights_size(w); e++)
                put(b->machine->real, b->machine->w.tensor[i * SMR_LAYER_WEIGHTS + k], e,
                    base + (double)(float)(0.5 * draw(100 + (uint64_t)(16 * i + k), (uint64_t)e)));
        }
}

static void *inputs(smr_ctx *ctx, smr_real real, smr_nn_item in, int64_t n)
{
    int64_t size = n * smr_nn_item_size(in);
    void *x = smr_alloc(ctx, size, smr_real_size(real));
    for (int64_t i = 0; i < size; i++) put(real, x, i, (double)(float)draw(7, (uint64_t)i));
    return x;
}

/* The loss of the checks: sum_i c_i y_i + 1/2 y_i^2 over all answers, with its slopes. */
static double loss_of(struct built *b, int64_t n, bool slopes)
{
    smr_nn_machine *m = b->machine;
    int64_t size = n * smr_nn_item_size(b->graph.node[b->graph.n - 1].layout.out);
    const void *y = smr_nn_answers(m);
    double sum = 0, lost = 0; /* of all the roundings */
    for (int64_t i = 0; i < size; i++) {
        double c = draw(9, (uint64_t)i), v = get(m->real, y, i);
        double term = c * v + 0.5 * v * v - lost, more = sum + term;
        lost = (more - sum) - term;
        sum = more;
        if (slopes) put(m->real, smr_nn_slopes(m), i, c + v);
    }
    return sum;
}

static double run(smr_ctx *ctx, struct built *b, const void *x, int64_t n)
{
    check_ok(ctx, smr_nn_pack(ctx, b->machine));
    check_ok(ctx, smr_nn_forward(ctx, b->machine, x, n, 3, 17));
    return loss_of(b, n, false);
}

static double loss_at(smr_ctx *ctx, struct built *b, double *x, int64_t n, double *at, double to)
{
    double was = *at;
    *at = to;
    double loss = run(ctx, b, x, n);
    *at = was;
    return loss;
}

/* Of the fourth order: the error of rounding, 1e-13 / h, and that of the formula, h^4, are both
 * below 1e-9. */
static double slope_by_differences(smr_ctx *ctx, struct built *b, double *x, int64_t n, double *at)
{
    double h = 1e-5 * fmax(1, fabs(*at));
    double near = loss_at(ctx, b, x, n, at, *at + h) - loss_at(ctx, b, x, n, at, *at - h);
    double far = loss_at(ctx, b, x, n, at, *at + 2 * h) - loss_at(ctx, b, x, n, at, *at - 2 * h);
    /* A kink between: the function has no derivative that differences show. */
    if (fabs(2 * near - far) > 1e-5 * fabs(far) + 1e-7 * h) return NAN;
    return (8 * near - far) / (12 * h);
}

struct tried {
    int64_t n, kinks;
    bool wants_broken, broken;
};

static void agree(const char *net, const char *what, int64_t i, double got, double want,
                  struct tried *tried)
{
    tried->n++;
    tried->kinks += isnan(want);
    if (isnan(want)) return;
    double size = fmax(fmax(fabs(got), fabs(want)), 1e-2);
    if (fabs(got - want) <= 1e-6 * size) return;
    if (tried->wants_broken) {
        tried->broken = true;
        return;
    }
    fail_msg("%s: derivative in %s[%lld] is %.12g, by differences %.12g", net, what, (long long)i,
             got, want);
}

/* spoil: 1 is added to one derivative, which must be noticed. */
static void check_gradients(smr_ctx *ctx, const char *net, smr_nn_item in, int64_t n, bool spoil)
{
    struct built b;
    struct tried tried = {.wants_broken = spoil};
    start(ctx, net, in, SMR_REAL_F64, n, true, &b);
    fill_weights(&b);
    double *x = inputs(ctx, SMR_REAL_F64, in, n);
    double *dx = smr_alloc(ctx, n * smr_nn_item_size(in), sizeof *dx);
    run(ctx, &b, x, n);
    loss_of(&b, n, true);
    check_ok(ctx, smr_nn_backward(ctx, b.machine, dx));
    smr_nn_values g;
    check_ok(ctx, smr_nn_values_create(ctx, &b.graph, SMR_REAL_F64, &g));
    for (int64_t t = 0; t < b.graph.n * SMR_LAYER_WEIGHTS; t++)
        if (g.tensor[t]) {
            const smr_nn_node *node = &b.graph.node[t / SMR_LAYER_WEIGHTS];
            int64_t size = smr_nn_weights_size(&node->layout.weights[t % SMR_LAYER_WEIGHTS]);
            memcpy(g.tensor[t], b.machine->g.tensor[t], (size_t)size * sizeof(double));
            if (spoil) ((double *)g.tensor[t])[size / 2] += 1;
        }
    for (int64_t t = 0; t < b.graph.n * SMR_LAYER_WEIGHTS; t++) {
        const smr_nn_node *node = &b.graph.node[t / SMR_LAYER_WEIGHTS];
        if (!g.tensor[t]) continue;
        const smr_nn_weights *w = &node->layout.weights[t % SMR_LAYER_WEIGHTS];
        if (!w->counted) continue;
        double *value = b.machine->w.tensor[t], *slope = g.tensor[t];
        /* Of many weights some; the first and every so many, so that all units have their turn. */
        int64_t size = smr_nn_weights_size(w), by = size > 500 ? size / 200 | 1 : 1;
        for (int64_t e = 0; e < size; e += by)
            agree(net, w->name, e, slope[e], slope_by_differences(ctx, &b, x, n, &value[e]),
                  &tried);
    }
    for (int64_t e = 0; e < n * smr_nn_item_size(in); e++)
        agree(net, "x", e, dx[e], slope_by_differences(ctx, &b, x, n, &x[e]), &tried);
    if (spoil) assert_true(tried.broken);
    if (tried.kinks * 50 > tried.n)
        fail_msg("%s: %lld of %lld derivatives lie at kinks", net, (long long)tried.kinks,
                 (long long)tried.n);
    smr_nn_values_release(&g);
    smr_free(x);
    smr_free(dx);
    end(&b);
}

static const struct {
    const char *net;
    smr_nn_item in;
} nets[] = {
    {"dense 5", {1, 1, 4, false}},
    {"dense 5 bias=no | tanh | dense 3", {2, 3, 2, false}},
    {"maxout 4 pieces=3 | out", {1, 1, 5, false}},
    {"dense 7 | sigmoid", {1, 1, 4, false}},
    {"dense 7 | logistic 2.5", {1, 1, 4, false}},
    {"dense 7 | relu", {1, 1, 4, false}},
    {"dense 7 | leaky 0.3", {1, 1, 4, false}},
    {"dense 7 | elu 0.7", {1, 1, 4, false}},
    {"dense 7 | softmax", {1, 1, 4, false}},
    {"conv 3 2 | softmax", {4, 3, 2, false}},
    {"conv 3 3", {6, 5, 2, false}},
    {"conv 4 3,2 stride=2,1 pad=1", {6, 5, 2, false}},
    {"conv 4 3 pad=2 groups=2 bias=no", {5, 4, 6, false}},
    {"conv 2 3 stride=3 round=up", {7, 8, 2, false}},
    {"conv 2 1 stride=2 round=down | tanh | conv 3 2", {6, 6, 3, false}},
    {"deconv 3 4 stride=2 pad=1", {3, 4, 2, false}},
    {"deconv 2 3,2 stride=1,3 bias=no | tanh | conv 2 2", {3, 4, 3, false}},
    {"maxpool 2", {4, 6, 3, false}},
    {"conv 3 2 | maxpool 3 stride=2 round=up", {7, 6, 2, false}},
    {"conv 3 2 | maxpool 3 stride=1 pad=1", {5, 4, 2, false}},
    {"maxpool global | dense 2", {5, 4, 3, false}},
    {"avgpool 2", {4, 6, 3, false}},
    {"avgpool 3 stride=2 pad=1", {5, 7, 2, false}},
    {"avgpool 3 stride=2 pad=1 padding=yes", {5, 7, 2, false}},
    {"conv 3 2 | avgpool global", {4, 5, 2, false}},
    {"dense 4 | norm", {1, 1, 3, false}},
    {"conv 4 2 | norm | tanh | conv 2 2 | norm affine=no", {5, 4, 2, false}},
    {"conv 18 1 | norm", {2, 2, 3, false}},
    {"lrn 3 1 0.5 0.75", {2, 3, 5, false}},
    {"lrn 4 2 0.3", {1, 2, 7, false}},
    {"dense 9 | dropout 0.4 | dense 2", {1, 1, 5, false}},
    {"flatten | dropout 0", {2, 2, 3, false}},
    {"residual (dense 6 | tanh)", {1, 1, 6, false}},
    {"residual (conv 4 3 pad=1 | sigmoid) skip=(conv 4 1) | tanh", {4, 3, 2, false}},
    {"concat (conv 2 1),(conv 3 3 pad=1 | tanh),() | conv 2 2", {4, 3, 2, false}},
    {"residual (concat (dense 2),(residual (tanh) | dense 3))", {1, 1, 5, false}},
    {"basic 3 | avgpool global | out", {4, 4, 3, false}},
    {"inception 2 2,3 1,2 2 | out", {4, 4, 2, false}},
    {"rnn 5", {4, 3, 1, false}},
    {"lstm 5", {4, 3, 1, false}},
    {"gru 5", {4, 3, 1, false}},
    {"rnn 3 direction=backward | dense 2", {5, 1, 2, true}},
    {"lstm 3 direction=backward | tanh | out", {5, 1, 2, true}},
    {"gru 3 direction=backward give=last", {5, 1, 2, true}},
    {"lstm 4 direction=both | gru 3 direction=both | rnn 2 give=last", {6, 1, 2, true}},
    {"rnn 3 direction=both give=last | dense 2", {4, 2, 2, false}},
    {"lstm 70 give=last", {3, 1, 2, true}},
    {"gru 4 | last", {1, 1, 3, true}},
    {"lstm 3 | mean", {7, 1, 2, true}},
    {"gru 3 | max | dense 2", {7, 1, 2, true}},
    {"maxout 3 pieces=2 | dropout 0.3 | rnn 3 | flatten | dense 2", {4, 1, 3, true}},
    {"conv 3 3,1 pad=1,0 | norm | gru 2 | last", {6, 1, 3, true}},
    {"embed 3 4 | lstm 3 direction=both give=last", {1, 1, 6, false}},
    {"embed 2 3 | gru 4 direction=both | mean", {1, 1, 7, false}},
    {"embed 3 2 pad=0 | rnn 3 | concat (last),(mean),(max)", {1, 1, 9, false}},
    {"embed 2 3 | dense 2", {3, 1, 2, true}},
};

static void every_layer_passes_a_gradient_check(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    for (int64_t i = 0; i < SMR_COUNT(nets); i++)
        check_gradients(ctx, nets[i].net, nets[i].in, i % 3 == 0 ? 19 : 3, false);
    check_ctx_end(ctx);
}

static void a_wrong_gradient_does_not_pass(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    check_gradients(ctx, "dense 3", (smr_nn_item){1, 1, 2, false}, 3, true);
    check_gradients(ctx, "conv 2 2 | norm", (smr_nn_item){3, 3, 2, false}, 3, true);
    check_gradients(ctx, "lstm 3 direction=both", (smr_nn_item){4, 1, 2, true}, 3, true);
    check_gradients(ctx, "gru 3 | mean", (smr_nn_item){4, 1, 2, true}, 3, true);
    check_ctx_end(ctx);
}

/* Floats see the same weights and rows, which are floats. */
static void floats_are_near_doubles(void **state)
{
    (void)state;
    enum { N = 21 };
    smr_ctx *ctx = check_ctx(2);
    for (int64_t k = 0; k < SMR_COUNT(nets); k++) {
        struct built one, two;
        start(ctx, nets[k].net, nets[k].in, SMR_REAL_F32, N, true, &one);
        start(ctx, nets[k].net, nets[k].in, SMR_REAL_F64, N, true, &two);
        fill_weights(&one);
        fill_weights(&two);
        void *x = inputs(ctx, SMR_REAL_F32, nets[k].in, N);
        void *wide = inputs(ctx, SMR_REAL_F64, nets[k].in, N);
        run(ctx, &one, x, N);
        run(ctx, &two, wide, N);
        loss_of(&one, N, true);
        loss_of(&two, N, true);
        check_ok(ctx, smr_nn_backward(ctx, one.machine, NULL));
        check_ok(ctx, smr_nn_backward(ctx, two.machine, NULL));
        int64_t size = N * smr_nn_item_size(one.graph.node[one.graph.n - 1].layout.out);
        for (int64_t i = 0; i < size; i++)
            check_near(nets[k].net, get(SMR_REAL_F32, smr_nn_answers(one.machine), i),
                       get(SMR_REAL_F64, smr_nn_answers(two.machine), i), 2e-5);
        for (int64_t t = 0; t < one.graph.n * SMR_LAYER_WEIGHTS; t++) {
            const smr_nn_node *node = &one.graph.node[t / SMR_LAYER_WEIGHTS];
            if (!one.machine->g.tensor[t]) continue;
            const smr_nn_weights *w = &node->layout.weights[t % SMR_LAYER_WEIGHTS];
            for (int64_t e = 0; w->counted && e < smr_nn_weights_size(w); e++)
                check_near(nets[k].net, get(SMR_REAL_F32, one.machine->g.tensor[t], e),
                           get(SMR_REAL_F64, two.machine->g.tensor[t], e), 2e-3);
        }
        smr_free(x);
        smr_free(wide);
        end(&one);
        end(&two);
    }
    check_ctx_end(ctx);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    enum { N = 53 };
    static const int threads[] = {1, 2, 7};
    for (int64_t k = 0; k < SMR_COUNT(nets); k++) {
        float *first = NULL;
        int64_t n_first = 0;
        for (int t = 0; t < SMR_COUNT(threads); t++) {
            smr_ctx *ctx = check_ctx(threads[t]);
            struct built b;
            start(ctx, nets[k].net, nets[k].in, SMR_REAL_F32, N, true, &b);
            fill_weights(&b);
            void *x = inputs(ctx, SMR_REAL_F32, nets[k].in, N);
            run(ctx, &b, x, N);
            loss_of(&b, N, true);
            check_ok(ctx, smr_nn_backward(ctx, b.machine, NULL));
            int64_t n = b.machine->g.n;
            if (t == 0) {
                n_first = n;
                first = calloc((size_t)n + 1, sizeof *first);
            }
            assert_int_equal(n, n_first);
            float *at = first;
            for (int64_t e = 0; e < b.graph.n * SMR_LAYER_WEIGHTS; e++) {
                if (!b.machine->g.tensor[e]) continue;
                const smr_nn_node *node = &b.graph.node[e / SMR_LAYER_WEIGHTS];
                const smr_nn_weights *w = &node->layout.weights[e % SMR_LAYER_WEIGHTS];
                size_t bytes = (size_t)smr_nn_weights_size(w) * sizeof(float);
                if (t == 0)
                    memcpy(at, b.machine->g.tensor[e], bytes);
                else
                    assert_memory_equal(at, b.machine->g.tensor[e], bytes);
                at += smr_nn_weights_size(w);
            }
            smr_free(x);
            end(&b);
            check_ctx_end(ctx);
        }
        free(first);
    }
}

static void one_row_is_answered_as_many_are(void **state)
{
    (void)state;
    enum { N = 41 };
    smr_ctx *ctx = check_ctx(1);
    for (int64_t k = 0; k < SMR_COUNT(nets); k++) {
        struct built b;
        start(ctx, nets[k].net, nets[k].in, SMR_REAL_F32, N, false, &b);
        fill_weights(&b);
        check_ok(ctx, smr_nn_pack(ctx, b.machine));
        float *x = inputs(ctx, SMR_REAL_F32, nets[k].in, N);
        void *scratch = smr_alloc(ctx, smr_nn_scratch(b.machine), 1);
        int64_t in = smr_nn_item_size(nets[k].in);
        int64_t out = smr_nn_item_size(b.graph.node[b.graph.n - 1].layout.out);
        float *all = smr_alloc(ctx, N * out, sizeof *all);
        for (int64_t i = 0; i < N; i += b.machine->chunk) {
            int64_t n = SMR_MIN(b.machine->chunk, N - i);
            memcpy(all + i * out, smr_nn_answer(b.machine, x + i * in, n, scratch),
                   (size_t)(n * out) * sizeof *all);
        }
        for (int64_t i = 0; i < N; i++)
            assert_memory_equal(all + i * out, smr_nn_answer(b.machine, x + i * in, 1, scratch),
                                (size_t)out * sizeof *all);
        smr_free(all);
        smr_free(scratch);
        smr_free(x);
        end(&b);
    }
    check_ctx_end(ctx);
}

/* Without layers that differ in training, a trained machine's answers are a predicting one's. */
static void training_and_predicting_agree(void **state)
{
    (void)state;
    enum { N = 5 };
    const char *net = "conv 4 3 pad=1 | relu | maxpool 2 | concat (conv 3 1),(avgpool 3 stride=1 "
                      "pad=1) | residual (conv 7 3 pad=1 | tanh) | out";
    smr_nn_item in = {6, 6, 2, false};
    smr_ctx *ctx = check_ctx(2);
    struct built one, two;
    start(ctx, net, in, SMR_REAL_F32, N, true, &one);
    start(ctx, net, in, SMR_REAL_F32, N, false, &two);
    fill_weights(&one);
    fill_weights(&two);
    float *x = inputs(ctx, SMR_REAL_F32, in, N);
    void *scratch = smr_alloc(ctx, smr_nn_scratch(two.machine), 1);
    run(ctx, &one, x, N);
    check_ok(ctx, smr_nn_pack(ctx, two.machine));
    assert_memory_equal(smr_nn_answers(one.machine), smr_nn_answer(two.machine, x, N, scratch),
                        N * 3 * sizeof(float));
    smr_free(scratch);
    smr_free(x);
    end(&one);
    end(&two);
    check_ctx_end(ctx);
}

/* Exclusive or by units of given weights: h1 = [a + b > 1/2], h2 = [a + b > 3/2], and the answer
 * [h1 - 2 h2 > 1/2]. */
static void threshold_units_compute_exclusive_or(void **state)
{
    (void)state;
    static const float corners[] = {0, 0, 0, 1, 1, 0, 1, 1}, truth[] = {0, 1, 1, 0};
    static const float w1[] = {1, 1, 1, 1}, b1[] = {-0.5F, -1.5F}, w2[] = {1, -2}, b2[] = {-0.5F};
    smr_ctx *ctx = check_ctx(1);
    struct built b;
    start(ctx, "dense 2 | threshold | dense 1 | threshold", (smr_nn_item){1, 1, 2, false},
          SMR_REAL_F32, 4, false, &b);
    void **w = b.machine->w.tensor;
    memcpy(w[0], w1, sizeof w1);
    memcpy(w[1], b1, sizeof b1);
    memcpy(w[2 * SMR_LAYER_WEIGHTS], w2, sizeof w2);
    memcpy(w[2 * SMR_LAYER_WEIGHTS + 1], b2, sizeof b2);
    check_ok(ctx, smr_nn_pack(ctx, b.machine));
    void *scratch = smr_alloc(ctx, smr_nn_scratch(b.machine), 1);
    assert_memory_equal(smr_nn_answer(b.machine, corners, 4, scratch), truth, sizeof truth);
    smr_free(scratch);
    end(&b);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layer_passes_a_gradient_check),
        cmocka_unit_test(a_wrong_gradient_does_not_pass),
        cmocka_unit_test(floats_are_near_doubles),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(one_row_is_answered_as_many_are),
        cmocka_unit_test(training_and_predicting_agree),
        cmocka_unit_test(threshold_units_compute_exclusive_or),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
