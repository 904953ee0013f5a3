/* test_net.c -- networks that are trained: against a loop of its own, early stopping, weights,
 * memory, what cannot be, and files that lie.
 *
 * Truth: tests/truth/nets.py has the steps of every method and the optima of lbfgs (test_truth.c);
 * here a net with a hidden layer is trained again by a plain loop over gradients that
 * tests/unit/nn/test_machine.c has checked. */
#include "pipeline.h"

#include "kernel/kernel.h"
#include "learn/neural/net.h"
#include "learn/state.h"

/* ---- tables ----------------------------------------------------------------------------- */

/* n rows of three numbers and a target: "no" and "yes" by a curved border, or a curved number. */
static smr_table *curved(smr_ctx *ctx, int64_t n, bool classes)
{
    smr_text text = {.ctx = ctx};
    smr_text_add(&text, "a,b,c,w,y\n");
    for (int64_t i = 0; i < n; i++) {
        double a = noise(i, 1), b = noise(i, 2), c = noise(i, 3);
        double y = sin(3 * a) + b * b - 0.5 * c * a;
        smr_text_printf(&text, "%.9g,%.9g,%.9g,%lld,", a, b, c, (long long)(i % 4));
        if (classes)
            smr_text_printf(&text, "%s\n", y > 0.4 ? "yes" : "no");
        else
            smr_text_printf(&text, "%.9g\n", 1000 + 50 * y);
    }
    check_ok(ctx, smr_text_done(&text));
    smr_table *t = table_of(ctx, text.bytes);
    smr_text_release(&text);
    return t;
}

static const struct smr_net_state *state_of(const smr_model *m)
{
    return m->stages[m->n_stages - 1].state;
}

static smr_model *fit(smr_ctx *ctx, const char *sentence, const smr_table *t, bool classes,
                      const char *weight)
{
    smr_model *m = NULL;
    smr_set_opts opts = {.target = "y",
                         .task = classes ? SMR_TASK_CLASSIFY : SMR_TASK_REGRESS,
                         .ignore = weight ? NULL : "w",
                         .weight = weight,
                         .keep_all = true};
    check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
    return m;
}

static void refuse(const char *sentence, bool classes, smr_status status, const char *says)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = curved(ctx, 40, classes);
    smr_model *m = NULL;
    smr_set_opts opts = {.target = "y",
                         .task = classes ? SMR_TASK_CLASSIFY : SMR_TASK_REGRESS,
                         .ignore = "w",
                         .keep_all = true};
    check_fails(ctx, try_train(ctx, sentence, t, &opts, &m), status, says);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- the same by a plain loop ------------------------------------------------------------ */

enum { ROWS = 90, EPOCHS = 25 };

/* The net of two layers (3 - h - 1), its weights in doubles, trained on all rows at once. */
struct plain {
    int64_t h;
    double w1[8][3], b1[8], w2[8], b2;
};

static double forward(const struct plain *p, const double *x, double *hidden)
{
    double f = p->b2;
    for (int64_t u = 0; u < p->h; u++) {
        double z = p->b1[u];
        for (int64_t j = 0; j < 3; j++) z += p->w1[u][j] * x[j];
        hidden[u] = tanh(z);
        f += p->w2[u] * hidden[u];
    }
    return f;
}

/* w -= rate (mean gradient + decay w), biases without decay. */
static void descend(struct plain *p, const double *x, const double *label, double rate,
                    double decay)
{
    struct plain g = {0};
    double hidden[8];
    for (int64_t i = 0; i < ROWS; i++) {
        double f = forward(p, x + 3 * i, hidden), d = (1 / (1 + exp(-f)) - label[i]) / ROWS;
        g.b2 += d;
        for (int64_t u = 0; u < p->h; u++) {
            double back = d * p->w2[u] * (1 - hidden[u] * hidden[u]);
            g.w2[u] += d * hidden[u];
            g.b1[u] += back;
            for (int64_t j = 0; j < 3; j++) g.w1[u][j] += back * x[3 * i + j];
        }
    }
    p->b2 -= rate * g.b2;
    for (int64_t u = 0; u < p->h; u++) {
        p->w2[u] -= rate * (g.w2[u] + decay * p->w2[u]);
        p->b1[u] -= rate * g.b1[u];
        for (int64_t j = 0; j < 3; j++) p->w1[u][j] -= rate * (g.w1[u][j] + decay * p->w1[u][j]);
    }
}

static void begin_as(smr_ctx *ctx, const struct smr_net *net, struct plain *p)
{
    smr_nn_values first;
    check_ok(ctx, smr_nn_values_create(ctx, &net->graph, SMR_REAL_F32, &first));
    check_ok(ctx, smr_nn_begin(ctx, &net->graph, SMR_NN_START_AUTO, 0, &first));
    const float *w1 = first.tensor[0], *w2 = first.tensor[2 * SMR_LAYER_WEIGHTS];
    for (int64_t u = 0; u < p->h; u++) {
        p->w2[u] = (double)w2[u];
        for (int64_t j = 0; j < 3; j++) p->w1[u][j] = (double)w1[3 * u + j];
    }
    smr_nn_values_release(&first);
}

static void a_hidden_layer_is_trained_as_a_plain_loop_trains_it(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = curved(ctx, ROWS, true);
    smr_model *m = fit(ctx,
                       "net (dense 6 | tanh) method=sgd rate=0.7 decay=0.02 batch=90 epochs=25 "
                       "tol=0",
                       t, true, NULL);
    struct plain p = {.h = 6};
    double x[3 * ROWS], label[ROWS], hidden[8];
    begin_as(ctx, state_of(m)->net, &p);
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t j = 0; j < 3; j++) x[3 * i + j] = noise(i, j + 1);
        double a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];
        label[i] = sin(3 * a) + b * b - 0.5 * c * a > 0.4;
    }
    for (int e = 0; e < EPOCHS; e++) descend(&p, x, label, 0.7, 0.02);
    double *proba = apply(ctx, m, t, SMR_OUTPUT_PROBA);
    for (int64_t i = 0; i < ROWS; i++) /* floats: 25 steps of 1e-7 each */
        check_near("probability", proba[2 * i + 1], 1 / (1 + exp(-forward(&p, x + 3 * i, hidden))),
                   1e-5);
    smr_free(proba);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- what layers can do ------------------------------------------------------------------ */

static double accuracy(smr_ctx *ctx, const char *sentence, const smr_table *t)
{
    smr_model *m = fit(ctx, sentence, t, true, NULL);
    double *label = apply(ctx, m, t, SMR_OUTPUT_LABEL), right = 0;
    const smr_column *y = &t->cols[4];
    const int32_t *codes = y->values;
    for (int64_t i = 0; i < t->n_rows; i++) right += label[i] == (double)codes[i];
    smr_free(label);
    smr_model_free(m);
    return right / (double)t->n_rows;
}

/* Two of four corners: no line divides them, two hidden units do. */
static void xor_takes_a_hidden_layer(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = table_of(ctx, "a,b,c,w,y\n0,0,1,1,even\n0,1,1,1,odd\n1,0,1,1,odd\n1,1,1,1,even\n"
                                 "0,0,1,1,even\n0,1,1,1,odd\n1,0,1,1,odd\n1,1,1,1,even\n");
    assert_true(accuracy(ctx, "net () method=lbfgs epochs=500 decay=0", t) <= 0.75);
    assert_true(accuracy(ctx, "net (dense 4) method=lbfgs epochs=500 decay=0", t) <= 0.75);
    assert_true(accuracy(ctx, "net (dense 4 | tanh) method=lbfgs epochs=500 decay=0", t) == 1);
    assert_true(accuracy(ctx, "net (dense 8 | tanh) rate=0.05 epochs=400 decay=0", t) == 1);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* Without a function between them, layers are one linear layer: they come to the line of ridge. */
static void linear_layers_collapse(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = curved(ctx, 120, false);
    const char *sentences[] = {"linear", "net () method=lbfgs decay=0 tol=1e-9 epochs=3000",
                               "net (dense 5 | dense 4) method=lbfgs decay=0 tol=1e-9 epochs=3000"};
    double *said[3];
    for (int k = 0; k < 3; k++) {
        smr_model *m = fit(ctx, sentences[k], t, false, NULL);
        said[k] = apply(ctx, m, t, SMR_OUTPUT_VALUE);
        smr_model_free(m);
    }
    for (int64_t i = 0; i < 120; i++) { /* of numbers near 1000, that vary by 50 */
        check_near("one layer", said[1][i], said[0][i], 1e-6);
        check_near("three layers", said[2][i], said[0][i], 1e-5);
    }
    for (int k = 0; k < 3; k++) smr_free(said[k]);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- stopping, parts, weights ------------------------------------------------------------ */

/* The weights that are kept are those of the best epoch: as if training had ended there. */
static void early_stopping_keeps_the_best_weights(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = curved(ctx, 140, true);
    char sentence[160];
    smr_model *m =
        fit(ctx, "net (dense 30 | relu | norm) rate=0.03 patience=4 decay=0", t, true, NULL);
    const struct smr_net_state *s = state_of(m);
    assert_true(s->best < s->n_epochs && s->n_epochs < 200 && s->n_epochs == s->best + 4);
    for (int64_t e = 0; e < s->n_epochs; e++)
        assert_true(s->held_loss[e] >= s->held_loss[s->best - 1]);
    assert_int_equal(s->n_held, 14);
    assert_true(m->fit.converged);
    snprintf(sentence, sizeof sentence,
             "net (dense 30 | relu | norm) rate=0.03 patience=100000 decay=0 epochs=%d",
             (int)s->best);
    smr_model *ended = fit(ctx, sentence, t, true, NULL);
    const struct smr_net_state *last = state_of(ended);
    assert_false(ended->fit.converged);
    for (int64_t k = 0; k < s->weights.n; k++)
        assert_memory_equal(s->weights.tensor[k].values, last->weights.tensor[k].values,
                            (size_t)smr_tensor_count(&s->weights.tensor[k]) * sizeof(float));
    smr_model_free(m);
    smr_model_free(ended);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void training_ends_where_the_loss_no_longer_falls(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = curved(ctx, 100, false);
    smr_model *m = fit(ctx, "net (dense 3 | tanh) tol=0.01 epochs=5000", t, false, NULL);
    smr_model *on = fit(ctx, "net (dense 3 | tanh) tol=0 epochs=400", t, false, NULL);
    assert_true(m->fit.converged && state_of(m)->n_epochs < 400);
    assert_true(!on->fit.converged && state_of(on)->n_epochs == 400);
    assert_int_equal(m->fit.n_iter, state_of(m)->n_epochs);
    smr_model_free(m);
    smr_model_free(on);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* On all rows at once weight 3 is three rows, and weight 0 none. */
static void a_weight_is_so_many_rows(void **state)
{
    (void)state;
    enum { N = 41 };
    smr_ctx *ctx = check_ctx(1);
    const char *sentence = "net (dense 4 | tanh) method=sgd batch=1000 epochs=30 rate=0.5 tol=0 "
                           "decay=0.01";
    for (int classes = 0; classes < 2; classes++) {
        smr_table *t = curved(ctx, N, classes);
        smr_text text = {.ctx = ctx};
        smr_text_add(&text, "a,b,c,w,y\n");
        for (int64_t i = 0; i < N; i++)
            for (int64_t k = 0; k < i % 4; k++) {
                double a = noise(i, 1), b = noise(i, 2), c = noise(i, 3);
                double y = sin(3 * a) + b * b - 0.5 * c * a;
                smr_text_printf(&text, "%.9g,%.9g,%.9g,1,", a, b, c);
                if (classes)
                    smr_text_printf(&text, "%s\n", y > 0.4 ? "yes" : "no");
                else
                    smr_text_printf(&text, "%.9g\n", 1000 + 50 * y);
            }
        smr_table *repeated = table_of(ctx, text.bytes);
        smr_model *one = fit(ctx, sentence, t, classes, "w");
        smr_model *two = fit(ctx, sentence, repeated, classes, NULL);
        smr_output output = classes ? SMR_OUTPUT_PROBA : SMR_OUTPUT_VALUE;
        double *a = apply(ctx, one, t, output), *b = apply(ctx, two, t, output);
        for (int64_t i = 0; i < N * (1 + classes); i++) check_near("answer", a[i], b[i], 1e-5);
        smr_free(a);
        smr_free(b);
        smr_model_free(one);
        smr_model_free(two);
        smr_table_free(t);
        smr_table_free(repeated);
        smr_text_release(&text);
    }
    check_ctx_end(ctx);
}

struct counting {
    smr_ctx *ctx;
    int64_t total;
};

static int count_steps(void *user, const char *what, int64_t done, int64_t total, double figure)
{
    struct counting *c = user;
    (void)done, (void)figure;
    c->ctx->progress_last = 0; /* every tick is reported, whatever the time */
    if (strcmp(what, "training") == 0) c->total = total;
    return 0;
}

/* 2000 rows in batches of 500 are four steps an epoch. */
static void steps_are_counted_by_batches(void **state)
{
    (void)state;
    struct counting c = {0};
    smr_ctx *ctx = check_ctx(1);
    c.ctx = ctx;
    smr_ctx_set_progress(ctx, count_steps, &c);
    smr_table *t = curved(ctx, 2000, true);
    smr_model *m = fit(ctx, "net (dense 2 | relu) batch=500 epochs=3", t, true, NULL);
    assert_int_equal(c.total, 12);
    assert_int_equal(state_of(m)->batch, 500);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- rows that training changes ---------------------------------------------------------- */

/* Is `to` the picture 7 x 5 `from`, moved by (down, right), mirrored or not? */
static bool is_moved(const float *from, const float *to, int64_t down, int64_t right, bool mirrored)
{
    for (int64_t r = 0; r < 7; r++)
        for (int64_t s = 0; s < 5; s++) {
            int64_t row = r - down, column = (mirrored ? 4 - s : s) - right;
            bool inside = row >= 0 && row < 7 && column >= 0 && column < 5;
            if (to[5 * r + s] != (inside ? from[5 * row + column] : 0)) return false;
        }
    return true;
}

/* Every move comes up, and a row is changed alike in whatever batch it is. */
static void pictures_are_moved_and_mirrored_by_seed_epoch_and_row(void **state)
{
    (void)state;
    enum { N = 40, D = 35, SHIFT = 2 };
    static float x[N * D], to[N * D], alone[D];
    int64_t numbers[N], seen[5][5][2] = {{{0}}}, moved = 0;
    smr_ctx *ctx = check_ctx(2);
    for (int64_t i = 0; i < N; i++) numbers[i] = N - 1 - i;
    for (int64_t i = 0; i < N * D; i++) x[i] = (float)noise(i, 1) + 3;
    struct smr_net_rows rows = {.x = x, .stride = D};
    struct smr_net_change change = {{7, 5, 1, false}, SHIFT, true, 0, 11, 0};
    for (change.epoch = 0; change.epoch < 30; change.epoch++) {
        struct smr_net_batch all = {numbers, N, D, SMR_REAL_F32, to, &change};
        check_ok(ctx, smr_net_rows_gather(ctx, &rows, &all));
        for (int64_t i = 0; i < N; i++) {
            struct smr_net_batch one = {numbers + i, 1, D, SMR_REAL_F32, alone, &change};
            check_ok(ctx, smr_net_rows_gather(ctx, &rows, &one));
            assert_memory_equal(alone, to + i * D, sizeof alone);
            for (int64_t k = 0; k < 50; k++)
                if (is_moved(x + numbers[i] * D, alone, k / 10 - 2, k / 2 % 5 - 2, k % 2)) {
                    seen[k / 10][k / 2 % 5][k % 2]++;
                    moved++;
                }
        }
    }
    assert_int_equal(moved, 30 * N);
    for (int64_t k = 0; k < 50; k++) /* 24 each on average */
        assert_in_range(seen[k / 10][k / 2 % 5][k % 2], 6, 50);
    check_ctx_end(ctx);
}

static void noise_has_the_deviation_that_is_asked_for(void **state)
{
    (void)state;
    enum { N = 50, D = 40 };
    static float x[N * D], to[N * D];
    int64_t numbers[N];
    double sum = 0, square = 0;
    smr_ctx *ctx = check_ctx(1);
    for (int64_t i = 0; i < N; i++) numbers[i] = i;
    for (int64_t i = 0; i < N * D; i++) x[i] = (float)noise(i, 1);
    struct smr_net_rows rows = {.x = x, .stride = D};
    struct smr_net_change change = {{1, 1, D, false}, 0, false, 0.3, 5, 2};
    struct smr_net_batch all = {numbers, N, D, SMR_REAL_F32, to, &change};
    check_ok(ctx, smr_net_rows_gather(ctx, &rows, &all));
    for (int64_t i = 0; i < N * D; i++) {
        double e = (double)to[i] - (double)x[i];
        sum += e;
        square += e * e;
    }
    /* 2000 draws: four standard errors of a mean and of a deviation. */
    assert_true(fabs(sum / (N * D)) < 4 * 0.3 / sqrt(N * D));
    assert_true(fabs(sqrt(square / (N * D)) - 0.3) < 4 * 0.3 / sqrt(2.0 * N * D));
    check_ctx_end(ctx);
}

/* ---- one row ----------------------------------------------------------------------------- */

static void one_row_is_answered_without_memory_and_with_the_same_bits(void **state)
{
    (void)state;
    enum { N = 33 };
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = curved(ctx, N, true);
    smr_model *m = fit(ctx, "net (concat (dense 9 | tanh),() | norm | dense 5 | relu) epochs=4", t,
                       true, NULL);
    smr_predictor *one = NULL;
    double *all = apply(ctx, m, t, SMR_OUTPUT_PROBA), p[2];
    check_ok(ctx, smr_predictor_create(ctx, m, SMR_OUTPUT_PROBA, &one));
    smr_memory_fail_at(ctx, 0);
    for (int64_t i = 0; i < N; i++) {
        double x[3];
        for (int64_t j = 0; j < 3; j++) x[j] = ((const double *)t->cols[j].values)[i];
        check_ok(ctx, smr_predictor_row(one, x, p));
        assert_memory_equal(p, all + 2 * i, sizeof p);
    }
    smr_memory_fail_at(ctx, -1);
    smr_predictor_free(one);
    smr_free(all);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- memory ------------------------------------------------------------------------------ */

/* Refused before the first step, with the batch that fits; and that one does. */
static void memory_is_told_before_training(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = curved(ctx, 3000, true);
    smr_set_opts opts = {.target = "y", .ignore = "w", .keep_all = true};
    char sentence[100];
    smr_model *m = NULL;
    long long fits = 0;
    int64_t held = smr_ctx_memory(ctx, NULL);
    check_ok(ctx, smr_ctx_set_memory_limit(ctx, held + (4 << 20)));
    smr_status st = try_train(ctx, "net (dense 300 | relu) batch=2500 epochs=1", t, &opts, &m);
    assert_int_equal(st, SMR_ERR_NOMEM);
    const char *at = strstr(smr_ctx_message(ctx), "; batch=");
    assert_non_null(strstr(smr_ctx_message(ctx), "net: training with batches of 2500 rows needs"));
    assert_true(at && sscanf(at, "; batch=%lld fits", &fits) == 1 && fits > 10 && fits < 2500);
    smr_ctx_clear(ctx);
    snprintf(sentence, sizeof sentence, "net (dense 300 | relu) batch=%lld epochs=1", fits);
    check_ok(ctx, try_train(ctx, sentence, t, &opts, &m));
    smr_model_free(m);
    st = try_train(ctx, "net (dense 30000 | dense 300) epochs=1", t, &opts, &m);
    assert_int_equal(st, SMR_ERR_NOMEM);
    assert_non_null(strstr(smr_ctx_message(ctx), "no batch fits: take smaller layers"));
    smr_ctx_clear(ctx);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- what cannot be ---------------------------------------------------------------------- */

static void what_cannot_be_trained_is_refused_by_name(void **state)
{
    (void)state;
    refuse("net (dense 8 | relu | dense 4 | tanh) method=sgd rate=1e30", true, SMR_ERR_NUMERIC,
           "net: the loss is not finite after 2 steps (epoch 1): layer 1 (dense1) gives numbers "
           "that floats do not hold; take a smaller rate, say rate=1e29, cut long gradients with "
           "clip=1, or scale the features (standardize)");
    refuse("net (conv 4 3 | relu)", true, SMR_ERR_PARAM, "layer 1 (conv");
    refuse(
        "net lenet5", true, SMR_ERR_PARAM,
        "pad= adds zeros around them (while taking rows as vectors: input=28,28 makes pictures of "
        "28 x 28 of them)");
    refuse("net shift=1", true, SMR_ERR_PARAM,
           "net: shift changes pictures, and these rows are vectors of 3 numbers; input=28,28");
    refuse("net flip=yes", true, SMR_ERR_PARAM, "net: flip changes pictures");
    refuse("net input=2,2", true, SMR_ERR_PARAM,
           "net: input says that a row has 4 numbers, and it has 3 features");
    refuse("net input=1,1,3,1", true, SMR_ERR_PARAM, "net: input has 4 numbers");
    refuse("net input=1.5,2", true, SMR_ERR_PARAM, "net: input=1.5 is not a whole number");
    refuse("net decay=1,2,3", true, SMR_ERR_PARAM,
           "net: decay has 3 numbers, and 2 layers have weights");
    refuse("net (dense 3 | dropout 0.5) method=lbfgs", true, SMR_ERR_PARAM,
           "layer 2 (dropout1) draws random numbers, and method=lbfgs needs a loss that stays");
    refuse("net (dense 3 | norm) method=lbfgs", true, SMR_ERR_PARAM,
           "layer 2 (norm1) looks at a batch, and method=lbfgs has none");
    refuse("net loss=hinge_sum", false, SMR_ERR_PARAM, "net");
    refuse("net loss=squared", true, SMR_ERR_PARAM, "net");
    refuse("net method=lbfgs rate=1", true, SMR_ERR_PARAM, "rate");
    refuse("net (dense 1000000 | dense 1000000 | dense 1000000)", true, SMR_ERR_PARAM,
           "multiply-adds, and at most 1e12 are allowed");
}

static void large_batches_are_told(void **state)
{
    (void)state;
    struct heard heard;
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *two = curved(ctx, 30, true);
    smr_model *m = fit(ctx, "net batch=100 epochs=1", two, true, NULL);
    check_heard(&heard, "net: batch=100 is more than the 30 rows that are trained on; each step "
                        "takes all of them");
    smr_model_free(m);
    smr_table_free(two);
    check_ctx_end(ctx);
}

/* ---- files that lie ---------------------------------------------------------------------- */

/* Of a model in memory: what is wrong in it is a matter of numbers, in a file of the format. */
static void weights_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = curved(ctx, 30, true);
    smr_model *m = fit(ctx, "net (dense 4 | tanh) epochs=1", t, true, NULL);
    struct smr_net_state *s = m->stages[m->n_stages - 1].state;
    check_ok(ctx, smr_model_check(ctx, m));
    float *w = s->weights.tensor[0].values, was = w[3];
    w[3] = NAN;
    check_fails(ctx, smr_model_check(ctx, m), SMR_ERR_NUMERIC, "dense1.weight are not all finite");
    w[3] = INFINITY;
    check_fails(ctx, smr_model_check(ctx, m), SMR_ERR_NUMERIC, "dense1.weight are not all finite");
    w[3] = was;
    s->weights.tensor[0].shape[0] = 2;
    check_fails(ctx, smr_model_check(ctx, m), SMR_ERR_NUMERIC,
                "dense1.weight do not have the shape that the layers say");
    s->weights.tensor[0].shape[0] = 4;
    s->weights.n--;
    check_fails(ctx, smr_model_check(ctx, m), SMR_ERR_NUMERIC, "out1 are missing");
    s->weights.n++;
    s->height = 1 << 30;
    check_fails(ctx, smr_model_check(ctx, m), SMR_ERR_NUMERIC, "its pictures have");
    s->height = 1;
    s->place[1] = -1;
    check_fails(ctx, smr_model_check(ctx, m), SMR_ERR_NUMERIC, "not those of its classes");
    s->place[1] = 1;
    s->best = 5;
    check_fails(ctx, smr_model_check(ctx, m), SMR_ERR_NUMERIC, "best");
    s->best = 1;
    s->n_nodes = 2;
    check_fails(ctx, smr_model_check(ctx, m), SMR_ERR_NUMERIC, "net");
    s->n_nodes = 3;
    check_ok(ctx, smr_model_check(ctx, m));
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hidden_layer_is_trained_as_a_plain_loop_trains_it),
        cmocka_unit_test(xor_takes_a_hidden_layer),
        cmocka_unit_test(linear_layers_collapse),
        cmocka_unit_test(early_stopping_keeps_the_best_weights),
        cmocka_unit_test(training_ends_where_the_loss_no_longer_falls),
        cmocka_unit_test(a_weight_is_so_many_rows),
        cmocka_unit_test(steps_are_counted_by_batches),
        cmocka_unit_test(pictures_are_moved_and_mirrored_by_seed_epoch_and_row),
        cmocka_unit_test(noise_has_the_deviation_that_is_asked_for),
        cmocka_unit_test(one_row_is_answered_without_memory_and_with_the_same_bits),
        cmocka_unit_test(memory_is_told_before_training),
        cmocka_unit_test(what_cannot_be_trained_is_refused_by_name),
        cmocka_unit_test(large_batches_are_told),
        cmocka_unit_test(weights_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
