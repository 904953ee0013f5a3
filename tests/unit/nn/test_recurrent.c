/* Layers of sequences: against PyTorch's recorded figures, and against plain loops; sequences that
 * are shorter than others, cut, or empty; what weights begin with. */
#include "check.h"
#include "pipeline.h"

#include "core/rng.h"
#include "nn/begin.h"
#include "nn/machine.h"
#include "truth/recurrent.h"

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

static void fill(smr_real real, void *to, const double *from, int64_t n)
{
    for (int64_t i = 0; i < n; i++) put(real, to, i, from[i]);
}

static double draw(uint64_t a, uint64_t i)
{
    return 2 * smr_random_unit(5, SMR_STREAM_TEST, a, i) - 1;
}

static void fill_weights(struct built *b)
{
    for (int64_t i = 0; i < b->graph.n; i++)
        for (int64_t k = 0; k < b->graph.node[i].layout.n_weights; k++)
            for (int64_t e = 0; e < smr_nn_weights_size(&b->graph.node[i].layout.weights[k]); e++)
                put(b->machine->real, b->machine->w.tensor[i * SMR_LAYER_WEIGHTS + k], e,
                    0.7 * draw(100 + (uint64_t)(16 * i + k), (uint64_t)e));
}

/* ---- PyTorch ---------------------------------------------------------------------------- */

enum { B = 3, T = 5, D = 3, H = 4 };

static void compare(smr_real real, const char *what, const void *got, const double *want, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        check_near(what, get(real, got, i), want[i], real == SMR_REAL_F32 ? 3e-6 : 1e-11);
}

static void check_case(smr_ctx *ctx, int64_t c, smr_real real)
{
    char net[80];
    struct built b;
    int64_t out = (1 + recurrent_cases[c].both) * H, at = 0;
    snprintf(net, sizeof net, "%s 4%s", recurrent_cases[c].kind,
             recurrent_cases[c].both ? " direction=both" : "");
    start(ctx, net, (smr_nn_item){T, 1, D, true}, real, B, true, &b);
    const smr_nn_layout *layout = &b.graph.node[0].layout;
    for (int64_t k = 0; k < layout->n_weights; k++) {
        int64_t n = smr_nn_weights_size(&layout->weights[k]);
        fill(real, b.machine->w.tensor[k], recurrent_cases[c].w + at, n);
        at += n;
    }
    void *x = smr_alloc(ctx, B * T * D, 8), *dx = smr_alloc(ctx, B * T * D, 8);
    fill(real, x, recurrent_x, B * T * D);
    check_ok(ctx, smr_nn_pack(ctx, b.machine));
    b.machine->given = recurrent_cases[c].lengths ? recurrent_lengths : NULL;
    check_ok(ctx, smr_nn_forward(ctx, b.machine, x, B, 0, 0));
    compare(real, net, smr_nn_answers(b.machine), recurrent_cases[c].y, B * T * out);
    fill(real, smr_nn_slopes(b.machine), recurrent_cases[c].slopes, B * T * out);
    check_ok(ctx, smr_nn_backward(ctx, b.machine, dx));
    compare(real, net, dx, recurrent_cases[c].dx, B * T * D);
    for (int64_t k = 0, from = 0; k < layout->n_weights; k++) {
        int64_t n = smr_nn_weights_size(&layout->weights[k]);
        compare(real, layout->weights[k].name, b.machine->g.tensor[k], recurrent_cases[c].g + from,
                n);
        from += n;
    }
    smr_free(x);
    smr_free(dx);
    end(&b);
}

static void sequences_are_those_of_pytorch(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    for (int64_t c = 0; c < SMR_COUNT(recurrent_cases); c++) {
        check_case(ctx, c, SMR_REAL_F64);
        check_case(ctx, c, SMR_REAL_F32);
    }
    check_ctx_end(ctx);
}

/* give=last is PyTorch's h_n: of the way back the first step. */
static void last_steps_are_those_of_pytorch(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    for (int64_t c = 0; c < SMR_COUNT(recurrent_cases); c++) {
        char net[80];
        struct built b;
        int64_t at = 0;
        snprintf(net, sizeof net, "%s 4 give=last%s", recurrent_cases[c].kind,
                 recurrent_cases[c].both ? " direction=both" : "");
        start(ctx, net, (smr_nn_item){T, D, 1, false}, SMR_REAL_F32, B, false, &b);
        const smr_nn_layout *layout = &b.graph.node[0].layout;
        for (int64_t k = 0; k < layout->n_weights; k++) {
            int64_t n = smr_nn_weights_size(&layout->weights[k]);
            fill(SMR_REAL_F32, b.machine->w.tensor[k], recurrent_cases[c].w + at, n);
            at += n;
        }
        float x[B * T * D];
        fill(SMR_REAL_F32, x, recurrent_x, B * T * D);
        check_ok(ctx, smr_nn_pack(ctx, b.machine));
        void *scratch = smr_alloc(ctx, smr_nn_scratch(b.machine), 1);
        const void *y = smr_nn_answer_on(
            b.machine, x, B, recurrent_cases[c].lengths ? recurrent_lengths : NULL, NULL, scratch);
        compare(SMR_REAL_F32, net, y, recurrent_cases[c].last,
                B * (1 + recurrent_cases[c].both) * H);
        smr_free(scratch);
        end(&b);
    }
    check_ctx_end(ctx);
}

/* ---- plain loops ------------------------------------------------------------------------ */

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* One row through one direction of a cell, straight from the formulas. */
static void plain(const char *kind, int64_t n, int64_t d, int64_t h, const double *const w[4],
                  const double *x, double *y)
{
    int64_t gates = strcmp(kind, "rnn") == 0 ? 1 : strcmp(kind, "lstm") == 0 ? 4 : 3;
    double was[16] = {0}, c[16] = {0}, a[64], u[64];
    for (int64_t t = 0; t < n; t++) {
        for (int64_t g = 0; g < gates * h; g++) {
            a[g] = w[2][g];
            u[g] = gates == 3 && g >= 2 * h ? w[3][g - 2 * h] : 0;
            for (int64_t j = 0; j < d; j++) a[g] += w[0][g * d + j] * x[t * d + j];
            for (int64_t j = 0; j < h; j++) u[g] += w[1][g * h + j] * was[j];
        }
        for (int64_t k = 0; k < h; k++) {
            double *out = y + t * h + k;
            if (gates == 1) {
                *out = tanh(a[k] + u[k]);
            } else if (gates == 4) {
                c[k] = sigmoid(a[h + k] + u[h + k]) * c[k] +
                       sigmoid(a[k] + u[k]) * tanh(a[2 * h + k] + u[2 * h + k]);
                *out = sigmoid(a[3 * h + k] + u[3 * h + k]) * tanh(c[k]);
            } else {
                double r = sigmoid(a[k] + u[k]), z = sigmoid(a[h + k] + u[h + k]);
                *out = (1 - z) * tanh(a[2 * h + k] + r * u[2 * h + k]) + z * was[k];
            }
        }
        memcpy(was, y + t * h, (size_t)h * sizeof *was);
    }
}

static void steps_are_those_of_the_formulas(void **state)
{
    (void)state;
    static const char *const kinds[] = {"rnn", "lstm", "gru"};
    enum { N = 4, STEPS = 37, IN = 3, UNITS = 11 };
    smr_ctx *ctx = check_ctx(2);
    for (int64_t k = 0; k < SMR_COUNT(kinds); k++) {
        char net[40];
        struct built b;
        double x[N * STEPS * IN], y[STEPS * UNITS];
        snprintf(net, sizeof net, "%s 11", kinds[k]);
        start(ctx, net, (smr_nn_item){STEPS, 1, IN, true}, SMR_REAL_F64, N, true, &b);
        fill_weights(&b);
        for (int64_t i = 0; i < N * STEPS * IN; i++) x[i] = draw(3, (uint64_t)i);
        check_ok(ctx, smr_nn_pack(ctx, b.machine));
        check_ok(ctx, smr_nn_forward(ctx, b.machine, x, N, 0, 0));
        const double *got = smr_nn_answers(b.machine);
        const double *w[4];
        for (int i = 0; i < 4; i++) w[i] = b.machine->w.tensor[i];
        for (int64_t i = 0; i < N; i++) {
            plain(kinds[k], STEPS, IN, UNITS, w, x + i * STEPS * IN, y);
            for (int64_t e = 0; e < STEPS * UNITS; e++)
                check_near(kinds[k], got[i * STEPS * UNITS + e], y[e], 1e-12);
        }
        end(&b);
    }
    check_ctx_end(ctx);
}

static void ends_of_sequences_are_those_of_the_formulas(void **state)
{
    (void)state;
    static const int32_t lengths[] = {4, 2, 1, 0};
    static const double x[] = {1, 5, -2, 3,  4,  9,  -7, 8,  3, -1, 2, -2, 50, 60, 70, 80,
                               6, 1, 90, 90, 90, 90, 90, 90, 1, 1,  1, 1,  1,  1,  1,  1};
    static const double want[] = {-7, 8, -1, 6.25, 4, 9, 2, -2, 2.5, -1.5, 3, -1,
                                  6,  1, 6,  1,    6, 1, 0, 0,  0,   0,    0, 0};
    smr_ctx *ctx = check_ctx(1);
    struct built b;
    start(ctx, "concat (last),(mean),(max)", (smr_nn_item){4, 1, 2, true}, SMR_REAL_F64, 4, true,
          &b);
    b.machine->given = lengths;
    check_ok(ctx, smr_nn_forward(ctx, b.machine, x, 4, 0, 0));
    const double *y = smr_nn_answers(b.machine);
    for (int64_t i = 0; i < SMR_COUNT(want); i++) check_near("end", y[i], want[i], 0);
    end(&b);
    check_ctx_end(ctx);
}

/* ---- padding, and sequences that are cut ------------------------------------------------- */

/* Symbols filled up at their end are answered as shorter rows are. */
static void padding_does_not_count(void **state)
{
    (void)state;
    static const char *const ends[] = {
        "embed 5 3 | lstm 4 direction=both | gru 3 give=last", "embed 5 3 | rnn 4 | last",
        "embed 5 3 | gru 4 direction=backward | concat (mean),(max),(last)",
        "embed 5 3 pad=4 | lstm 4 direction=both give=last"};
    static const float shorter[] = {3, 0, 2}, longer[] = {3, 0, 2, -1, -1, -1, -1};
    static const float other[] = {3, 0, 2, 4, 4, -1, 77};
    smr_ctx *ctx = check_ctx(1);
    for (int64_t k = 0; k < SMR_COUNT(ends); k++) {
        struct built a, b;
        start(ctx, ends[k], (smr_nn_item){1, 1, 3, false}, SMR_REAL_F32, 1, false, &a);
        start(ctx, ends[k], (smr_nn_item){1, 1, 7, false}, SMR_REAL_F32, 1, false, &b);
        fill_weights(&a);
        fill_weights(&b);
        check_ok(ctx, smr_nn_pack(ctx, a.machine));
        check_ok(ctx, smr_nn_pack(ctx, b.machine));
        void *one = smr_alloc(ctx, smr_nn_scratch(a.machine), 1);
        void *two = smr_alloc(ctx, smr_nn_scratch(b.machine), 1);
        size_t bytes =
            (size_t)smr_nn_item_size(a.graph.node[a.graph.n - 1].layout.out) * sizeof(float);
        const float *rest = k == 3 ? other : longer;
        assert_memory_equal(smr_nn_answer(a.machine, shorter, 1, one),
                            smr_nn_answer(b.machine, rest, 1, two), bytes);
        smr_free(one);
        smr_free(two);
        end(&a);
        end(&b);
    }
    check_ctx_end(ctx);
}

/* A row without any step is answered by what comes after the sequence alone. */
static void an_empty_sequence_gives_zeros(void **state)
{
    (void)state;
    static const float none[] = {-1, -1, -1, -1};
    smr_ctx *ctx = check_ctx(1);
    struct built b;
    start(ctx, "embed 5 3 | lstm 4 direction=both | concat (last),(mean),(max),(gru 2 give=last)",
          (smr_nn_item){1, 1, 4, false}, SMR_REAL_F32, 1, false, &b);
    fill_weights(&b);
    check_ok(ctx, smr_nn_pack(ctx, b.machine));
    void *scratch = smr_alloc(ctx, smr_nn_scratch(b.machine), 1);
    const float *y = smr_nn_answer(b.machine, none, 1, scratch);
    for (int64_t i = 0; i < 26; i++) assert_true(y[i] == 0);
    smr_free(scratch);
    end(&b);
    check_ctx_end(ctx);
}

/* A sequence may be cut anywhere where layers carry what they need: the bits stay. */
static void sequences_go_on_where_they_were_cut(void **state)
{
    (void)state;
    enum { STEPS = 40, IN = 2, N = 3 };
    static const char net[] =
        "lstm 5 | dense 4 | tanh | gru 3 | residual (rnn 3) | dropout 0.3 | dense 2";
    smr_ctx *ctx = check_ctx(1);
    struct built whole, one;
    start(ctx, net, (smr_nn_item){STEPS, 1, IN, true}, SMR_REAL_F32, N, false, &whole);
    start(ctx, net, (smr_nn_item){1, 1, IN, true}, SMR_REAL_F32, N, false, &one);
    assert_true(smr_nn_graph_carries(&whole.graph) && smr_nn_graph_carries(&one.graph));
    fill_weights(&whole);
    fill_weights(&one);
    check_ok(ctx, smr_nn_pack(ctx, whole.machine));
    check_ok(ctx, smr_nn_pack(ctx, one.machine));
    float x[N * STEPS * IN], step[N * IN];
    for (int64_t i = 0; i < N * STEPS * IN; i++) x[i] = (float)draw(3, (uint64_t)i);
    void *a = smr_alloc(ctx, smr_nn_scratch(whole.machine), 1);
    void *b = smr_alloc(ctx, smr_nn_scratch(one.machine), 1);
    void *carried = smr_alloc(ctx, N, (size_t)one.machine->state_bytes);
    const float *y = smr_nn_answer(whole.machine, x, N, a);
    for (int64_t t = 0; t < STEPS; t++) {
        for (int64_t i = 0; i < N * IN; i++) step[i] = x[(i / IN * STEPS + t) * IN + i % IN];
        const float *now = smr_nn_answer_on(one.machine, step, N, NULL, carried, b);
        for (int64_t i = 0; i < N; i++)
            assert_memory_equal(now + 2 * i, y + 2 * (i * STEPS + t), 2 * sizeof *y);
    }
    smr_free(a);
    smr_free(b);
    smr_free(carried);
    end(&whole);
    end(&one);
    check_ctx_end(ctx);
}

static void what_looks_ahead_does_not_carry(void **state)
{
    (void)state;
    static const char *const nets[] = {"gru 3 direction=both | dense 2", "rnn 3 direction=backward",
                                       "conv 2 3,1 pad=1,0 | rnn 2"};
    smr_ctx *ctx = check_ctx(1);
    for (int64_t k = 0; k < SMR_COUNT(nets); k++) {
        struct built b;
        start(ctx, nets[k], (smr_nn_item){6, 1, 2, true}, SMR_REAL_F32, 1, false, &b);
        assert_false(smr_nn_graph_carries(&b.graph));
        end(&b);
    }
    check_ctx_end(ctx);
}

/* Training keeps all steps, predicting a few: the answers are the same bits. */
static void training_and_predicting_agree(void **state)
{
    (void)state;
    enum { N = 19, STEPS = 43 };
    static const char net[] = "lstm 6 direction=both | gru 5 | maxout 3 | rnn 4 direction=backward "
                              "give=last | out";
    smr_ctx *ctx = check_ctx(2);
    struct built a, b;
    start(ctx, net, (smr_nn_item){STEPS, 1, 2, true}, SMR_REAL_F32, N, true, &a);
    start(ctx, net, (smr_nn_item){STEPS, 1, 2, true}, SMR_REAL_F32, N, false, &b);
    fill_weights(&a);
    fill_weights(&b);
    float *x = smr_alloc(ctx, N * STEPS * 2, sizeof *x);
    int32_t lengths[N];
    for (int64_t i = 0; i < N * STEPS * 2; i++) x[i] = (float)draw(8, (uint64_t)i);
    for (int i = 0; i < N; i++) lengths[i] = (17 * i) % (STEPS + 1);
    check_ok(ctx, smr_nn_pack(ctx, a.machine));
    check_ok(ctx, smr_nn_pack(ctx, b.machine));
    void *scratch = smr_alloc(ctx, smr_nn_scratch(b.machine), 1);
    a.machine->given = lengths;
    check_ok(ctx, smr_nn_forward(ctx, a.machine, x, N, 0, 0));
    assert_true(b.machine->chunk >= N);
    assert_memory_equal(smr_nn_answers(a.machine),
                        smr_nn_answer_on(b.machine, x, N, lengths, NULL, scratch),
                        N * 3 * sizeof(float));
    smr_free(scratch);
    smr_free(x);
    end(&a);
    end(&b);
    check_ctx_end(ctx);
}

/* ---- what weights begin with ------------------------------------------------------------- */

static void recurrent_weights_begin_orthogonal(void **state)
{
    (void)state;
    enum { UNITS = 24 };
    smr_ctx *ctx = check_ctx(1);
    struct built b;
    start(ctx, "lstm 24 forget=1.5 | gru 24 direction=both", (smr_nn_item){4, 1, 3, true},
          SMR_REAL_F32, 2, true, &b);
    check_ok(ctx, smr_nn_begin(ctx, &b.graph, SMR_NN_START_AUTO, 3, &b.machine->w));
    const float *const U[] = {b.machine->w.tensor[1], b.machine->w.tensor[SMR_LAYER_WEIGHTS + 5]};
    for (int k = 0; k < 2; k++)
        for (int64_t gate = 0; gate < 4 - k; gate++)
            for (int64_t i = 0; i < UNITS; i++)
                for (int64_t j = 0; j <= i; j++) {
                    double dot = 0;
                    const float *block = U[k] + gate * UNITS * UNITS;
                    for (int64_t e = 0; e < UNITS; e++)
                        dot += (double)block[i * UNITS + e] * (double)block[j * UNITS + e];
                    check_near("angle", dot, i == j, 1e-6);
                }
    assert_memory_not_equal(U[0], U[0] + UNITS * UNITS, UNITS * UNITS * sizeof(float));
    const float *bias = b.machine->w.tensor[2];
    for (int64_t i = 0; i < 4 * UNITS; i++)
        assert_true(bias[i] == (i >= UNITS && i < 2 * UNITS ? 1.5F : 0));
    check_ok(ctx, smr_nn_begin(ctx, &b.graph, SMR_NN_START_FAN_IN, 3, &b.machine->w));
    for (int64_t i = 0; i < 4 * UNITS * UNITS; i++)
        assert_true(fabs((double)U[0][i]) <= 1 / sqrt(UNITS));
    end(&b);
    check_ctx_end(ctx);
}

static void what_does_not_fit_is_told_with_shapes(void **state)
{
    (void)state;
    static const struct {
        const char *net;
        smr_nn_item in;
        const char *says;
    } wrong[] = {
        {"lstm 5",
         {1, 1, 30, false},
         "layer 1 (lstm units=5 direction=forward give=all "
         "forget=1), on 30: a vector of 30 numbers is no sequence"},
        {"gru 5 give=last | last", {4, 3, 1, false}, "layer 2 (last), on 5: it ends a sequence"},
        {"mean", {1, 1, 3, false}, "embed, rnn, lstm and gru make sequences"},
        {"embed 5 2 pad=5", {1, 1, 3, false}, "pad=5 is not among the symbols 0 .. 4"},
        {"rnn 2 | residual (rnn 3)", {4, 1, 3, true}, "chain 1 gives 4 x 1 x 3 in time"},
    };
    smr_ctx *ctx = check_ctx(1);
    for (int64_t k = 0; k < SMR_COUNT(wrong); k++) {
        smr_nn_chain chain = {0};
        smr_nn_graph graph = {0};
        check_ok(ctx, smr_nn_chain_read(ctx, wrong[k].net, &chain));
        check_fails(ctx, smr_nn_graph_build(ctx, &chain, wrong[k].in, 3, false, &graph),
                    SMR_ERR_PARAM, wrong[k].says);
        smr_nn_chain_release(&chain);
    }
    check_ctx_end(ctx);
}

/* PyTorch's counts, less its second biases. */
static void shapes_and_counts(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    struct built b;
    start(ctx, "embed 65 256 | lstm 256 | gru 128 direction=both | rnn 32 give=last | out",
          (smr_nn_item){1, 1, 50, false}, SMR_REAL_F32, 1, false, &b);
    static const int64_t want[] = {65 * 256, 4 * 256 * 513, 2 * (3 * 128 * 385 + 128), 32 * 289,
                                   3 * 33};
    for (int64_t i = 0; i < b.graph.n; i++)
        assert_int_equal(smr_nn_node_weights(&b.graph.node[i]), want[i]);
    assert_int_equal(b.graph.node[2].layout.out.h, 50);
    assert_int_equal(b.graph.node[2].layout.out.c, 256);
    assert_true(b.graph.node[2].layout.out.in_time && !b.graph.node[3].layout.out.in_time);
    check_near("products", b.graph.node[1].layout.products, 50.0 * 4 * 256 * 512, 0);
    check_near("products", b.graph.node[2].layout.products, 50.0 * 2 * 3 * 128 * 384, 0);
    end(&b);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_are_those_of_pytorch),
        cmocka_unit_test(last_steps_are_those_of_pytorch),
        cmocka_unit_test(steps_are_those_of_the_formulas),
        cmocka_unit_test(ends_of_sequences_are_those_of_the_formulas),
        cmocka_unit_test(padding_does_not_count),
        cmocka_unit_test(an_empty_sequence_gives_zeros),
        cmocka_unit_test(sequences_go_on_where_they_were_cut),
        cmocka_unit_test(what_looks_ahead_does_not_carry),
        cmocka_unit_test(training_and_predicting_agree),
        cmocka_unit_test(recurrent_weights_begin_orthogonal),
        cmocka_unit_test(what_does_not_fit_is_told_with_shapes),
        cmocka_unit_test(shapes_and_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
