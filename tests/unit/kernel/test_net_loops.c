/* Inner loops of networks: the same bits on every tier, however the work is cut; near libm's
 * functions in double; pools and steps against their formulas. */
#include "numbers.h"

#include "kernel/net_kernels.h"

enum { N = 1003 };

static const struct {
    smr_bend kind;
    double a;
} bends[] = {{SMR_BEND_THRESHOLD, 1}, {SMR_BEND_SIGMOID, 1}, {SMR_BEND_SIGMOID, 2.5},
             {SMR_BEND_TANH, 1},      {SMR_BEND_RELU, 1},    {SMR_BEND_LEAKY, 0.125},
             {SMR_BEND_ELU, 1},       {SMR_BEND_ELU, 0.75}};

static double wanted(smr_bend kind, double a, double x)
{
    switch (kind) {
    case SMR_BEND_THRESHOLD: return x > 0;
    case SMR_BEND_SIGMOID: return 1 / (1 + exp(-a * x));
    case SMR_BEND_TANH: return tanh(x);
    case SMR_BEND_RELU: return fmax(x, 0);
    case SMR_BEND_LEAKY: return x > 0 ? x : a * x;
    case SMR_BEND_ELU: return x > 0 ? x : a * expm1(x);
    }
    return NAN;
}

static void fill(float *x)
{
    static const float edges[] = {0,      -0.0f, 1e-38f, -1e-38f,   1e-45f, 0.34f,
                                  -0.35f, 17,    -17,    88.7f,     -88.7f, 104,
                                  -104,   1e30f, -1e30f, 0x1p-126f, 1e-7f,  -1e-7f};
    for (int64_t i = 0; i < N; i++) x[i] = (float)number((uint64_t)i) / (i % 3 ? 20.0f : 1.0f);
    memcpy(x, edges, sizeof edges);
}

static void activations_are_near_those_of_doubles(void **state)
{
    (void)state;
    float x[N], y[N];
    double wide[N], high[N];
    fill(x);
    for (int64_t i = 0; i < N; i++) wide[i] = (double)x[i];
    for (int64_t k = 0; k < SMR_COUNT(bends); k++) {
        smr_bend_f32(bends[k].kind, bends[k].a, N, x, y);
        smr_bend_f64(bends[k].kind, bends[k].a, N, wide, high);
        for (int64_t i = 0; i < N; i++) {
            double want = wanted(bends[k].kind, bends[k].a, wide[i]);
            /* A few ulp: the exponential has one, what is made of it some more; where a x is
             * rounded, its error is that of the exponent. */
            double ulps = bends[k].a == 1 ? 4 : 4 + fabs(bends[k].a * wide[i]);
            if (fabs((double)y[i] - want) > ulps * 0x1p-24 * fabs(want) + 0x1p-140)
                fail_msg("activation %d of %a is %a, wanted %a", (int)bends[k].kind, wide[i],
                         (double)y[i], want);
            if (fabs(high[i] - want) > 2 * ulps * 0x1p-53 * fabs(want) + 0x1p-1000)
                fail_msg("activation %d of %a is %a, wanted %a", (int)bends[k].kind, wide[i],
                         high[i], want);
        }
    }
}

static void activations_pass_on_what_is_not_a_number(void **state)
{
    (void)state;
    for (int64_t k = 0; k < SMR_COUNT(bends); k++) {
        float x = NAN, y = 0;
        smr_bend_f32(bends[k].kind, bends[k].a, 1, &x, &y);
        assert_true(isnan(y) || bends[k].kind == SMR_BEND_THRESHOLD);
    }
}

static void every_tier_has_the_same_bits(void **state)
{
    (void)state;
    float x[N], y[N], want[N], dy[N], back[N], want_back[N];
    fill(x);
    for (int64_t i = 0; i < N; i++) dy[i] = (float)number((uint64_t)(5000 + i));
    for (int64_t k = 0; k < SMR_COUNT(bends); k++) {
        /* One by one is the plain form. */
        for (int64_t i = 0; i < N; i++) {
            want_back[i] = (float)i;
            smr_bend_f32(bends[k].kind, bends[k].a, 1, x + i, want + i);
            smr_bend_back_f32(bends[k].kind, bends[k].a, 1, x + i, want + i, dy + i, want_back + i);
        }
        on_every_tier({
            for (int64_t i = 0; i < N; i++) back[i] = (float)i;
            smr_bend_f32(bends[k].kind, bends[k].a, N, x, y);
            smr_bend_back_f32(bends[k].kind, bends[k].a, N, x, y, dy, back);
            for (int64_t i = 0; i < N; i++) {
                check_same_f32("activation", i, y[i], want[i]);
                check_same_f32("derivative", i, back[i], want_back[i]);
            }
        });
    }
}

static void shares_sum_to_one_and_survive_large_scores(void **state)
{
    (void)state;
    enum { C = 7, ROWS = 40 };
    float x[ROWS * C], y[ROWS * C];
    float first[ROWS * C];
    for (int64_t i = 0; i < ROWS * C; i++) x[i] = (float)number((uint64_t)i) * 3;
    x[3] = 3e38f;
    smr_shares_f32(ROWS, C, x, first);
    on_every_tier({
        smr_shares_f32(ROWS, C, x, y);
        assert_memory_equal(y, first, sizeof y);
    });
    assert_true(y[3] == 1.0f && y[2] == 0.0f);
    for (int64_t r = 1; r < ROWS; r++) {
        double sum = 0, most = -INFINITY, all = 0;
        for (int64_t k = 0; k < C; k++) most = fmax(most, (double)x[r * C + k]);
        for (int64_t k = 0; k < C; k++) all += exp((double)x[r * C + k] - most);
        for (int64_t k = 0; k < C; k++) {
            double want = exp((double)x[r * C + k] - most) / all;
            sum += (double)y[r * C + k];
            check_near("share", (double)y[r * C + k], want, 1e-6);
        }
        check_near("sum", sum, 1.0, 1e-6);
    }
}

static void pools_are_those_of_the_formula(void **state)
{
    (void)state;
    static const smr_nn_pool pools[] = {
        {.h = 4, .w = 6, .c = 3, .out_h = 2, .out_w = 3, .size = {2, 2}, .stride = {2, 2}},
        {.h = 5,
         .w = 4,
         .c = 19,
         .out_h = 3,
         .out_w = 2,
         .size = {3, 3},
         .stride = {2, 2},
         .pad = {1, 1}},
        {.h = 5,
         .w = 7,
         .c = 1,
         .out_h = 2,
         .out_w = 3,
         .size = {3, 2},
         .stride = {3, 3},
         .padding = true},
    };
    for (int64_t k = 0; k < SMR_COUNT(pools); k++) {
        const smr_nn_pool *p = &pools[k];
        float x[1000], y[1000];
        float mean[1000];
        int32_t at[1000];
        for (int64_t i = 0; i < p->h * p->w * p->c; i++) x[i] = (float)number((uint64_t)i);
        smr_pool_max_f32(p, x, y, at);
        smr_pool_mean_f32(p, x, mean);
        for (int64_t o = 0; o < p->out_h * p->out_w * p->c; o++) {
            int64_t c = o % p->c, s = o / p->c % p->out_w, r = o / p->c / p->out_w, n = 0;
            float most = -INFINITY;
            double sum = 0;
            for (int64_t i = r * p->stride[0] - p->pad[0], e = i + p->size[0]; i < e; i++)
                for (int64_t j = s * p->stride[1] - p->pad[1], f = j + p->size[1]; j < f; j++) {
                    if (i < 0 || i >= p->h || j < 0 || j >= p->w) continue;
                    float v = x[(i * p->w + j) * p->c + c];
                    most = fmaxf(most, v);
                    sum += (double)v;
                    n++;
                }
            assert_true(y[o] == most && x[at[o] * p->c + c] == most);
            check_near("mean", (double)mean[o],
                       sum / (double)(p->padding ? p->size[0] * p->size[1] : n), 1e-5);
        }
    }
}

static void steps_follow_their_formulas(void **state)
{
    (void)state;
    enum { M = 67 };
    double g[M], w[M], v[M], u[M], want[M], want_v[M], want_u[M];
    for (int kind = SMR_STEP_SGD; kind <= SMR_STEP_ADAM; kind++) {
        smr_nn_step s = {.kind = (smr_step_kind)kind,
                         .rate = 0.1,
                         .a = 0.9,
                         .b = 0.99,
                         .eps = 1e-8,
                         .grow = 1.5,
                         .scale = 0.5,
                         .decay = 0.01,
                         .l1 = 0.02,
                         .shrink = 0.003};
        for (int i = 0; i < M; i++) {
            g[i] = number((uint64_t)i);
            w[i] = number((uint64_t)(100 + i));
            v[i] = number((uint64_t)(200 + i));
            u[i] = fabs(number((uint64_t)(300 + i)));
            double d = g[i] * s.scale + s.decay * w[i] + (w[i] > 0 ? s.l1 : -s.l1);
            want[i] = w[i] - s.shrink * w[i];
            want_v[i] = v[i];
            want_u[i] = u[i];
            bool has_v = kind == SMR_STEP_MOMENTUM || kind == SMR_STEP_NESTEROV;
            if (has_v) want_v[i] = s.a * v[i] + d;
            if (kind == SMR_STEP_SGD) want[i] -= s.rate * d;
            if (kind == SMR_STEP_MOMENTUM) want[i] -= s.rate * want_v[i];
            if (kind == SMR_STEP_NESTEROV) want[i] -= s.rate * (d + s.a * want_v[i]);
            if (kind == SMR_STEP_ADAGRAD) want_u[i] = u[i] + d * d;
            if (kind == SMR_STEP_RMSPROP || kind == SMR_STEP_ADAM)
                want_u[i] = s.b * u[i] + (1 - s.b) * d * d;
            if (kind == SMR_STEP_ADAGRAD || kind == SMR_STEP_RMSPROP)
                want[i] -= s.rate * d / (sqrt(want_u[i]) + s.eps);
            if (kind == SMR_STEP_ADAM) {
                want_v[i] = s.a * v[i] + (1 - s.a) * d;
                want[i] -= s.rate * want_v[i] / (sqrt(want_u[i] * s.grow) + s.eps);
            }
        }
        smr_step_f64(&s, M, g, w, v, u);
        for (int i = 0; i < M; i++) {
            check_near("weight", w[i], want[i], 1e-13);
            check_near("first memory", v[i], want_v[i], 1e-13);
            check_near("second memory", u[i], want_u[i], 1e-13);
        }
    }
}

/* ---- steps in time ---------------------------------------------------------------------- */

enum { UNITS = 37 };

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static void cells_follow_their_formulas_on_every_tier(void **state)
{
    (void)state;
    for (int kind = SMR_CELL_RNN; kind <= SMR_CELL_GRU; kind++) {
        float z[4 * UNITS], was[UNITS], c[UNITS], y[UNITS], dy[UNITS], dc[UNITS];
        float first[4 * UNITS + 4 * UNITS], got[4 * UNITS + 4 * UNITS];
        for (int tier = 0; tier < 2; tier++) {
            on_every_tier({
                for (int i = 0; i < 4 * UNITS; i++) z[i] = (float)number((uint64_t)i);
                for (int i = 0; i < UNITS; i++) was[i] = (float)number((uint64_t)(900 + i)) / 4;
                for (int i = 0; i < UNITS; i++) dy[i] = (float)number((uint64_t)(700 + i));
                for (int i = 0; i < UNITS; i++) dc[i] = (float)number((uint64_t)(500 + i));
                memset(c, 0, sizeof c);
                smr_cell_f32((smr_cell_kind)kind, UNITS, z, was, c, y);
                memcpy(got + 4 * UNITS, y, sizeof y);
                memcpy(got + 5 * UNITS, c, sizeof c);
                smr_cell_back_f32((smr_cell_kind)kind, UNITS, z, was, kind == SMR_CELL_LSTM ? c : y,
                                  dy, dc);
                memcpy(got, z, sizeof z);
                memcpy(got + 6 * UNITS, dy, sizeof dy);
                memcpy(got + 7 * UNITS, dc, sizeof dc);
                if (tier == 0) memcpy(first, got, sizeof got);
                assert_memory_equal(got, first, sizeof got);
            });
        }
        for (int k = 0; k < UNITS; k++) {
            double a = number((uint64_t)k), b = number((uint64_t)(UNITS + k));
            double g = number((uint64_t)(2 * UNITS + k)), o = number((uint64_t)(3 * UNITS + k));
            double before = (double)was[k], now = tanh(a);
            if (kind == SMR_CELL_LSTM)
                now = sigmoid(o) * tanh(sigmoid(b) * before + sigmoid(a) * tanh(g));
            if (kind == SMR_CELL_GRU)
                now = (1 - sigmoid(b)) * tanh(o + sigmoid(a) * g) + sigmoid(b) * before;
            check_near("cell", (double)y[k], now, 2e-6);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activations_are_near_those_of_doubles),
        cmocka_unit_test(activations_pass_on_what_is_not_a_number),
        cmocka_unit_test(every_tier_has_the_same_bits),
        cmocka_unit_test(shares_sum_to_one_and_survive_large_scores),
        cmocka_unit_test(pools_are_those_of_the_formula),
        cmocka_unit_test(steps_follow_their_formulas),
        cmocka_unit_test(cells_follow_their_formulas_on_every_tier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
