/* Every learner and transform that learns from a stream keeps the contract of learner.h: other
 * blocks give the same bytes, so does saving in between, and what is said of a row is what predict
 * says before it is learned (to rounding: weights may carry a common factor).  Transforms know
 * after a stream what a fit of all rows knows. */
#include "check.h"
#include "said.h"

#include "core/text.h"
#include "data/pieces.h"
#include "learn/online.h"
#include "learn/registry.h"
#include "learn/state.h"

enum { ROWS = 531, COLS = 3 };

struct made {
    double X[ROWS * COLS], y[ROWS];
};

static void make(struct made *m, bool classes)
{
    for (int i = 0; i < ROWS; i++) {
        double *x = m->X + i * COLS, s = 0;
        for (int j = 0; j < COLS; j++) {
            x[j] = sin(1.3 * i * (j + 1) + 0.1 * j * i * i) * (j + 1) + j;
            s += (j - 0.7) * x[j];
        }
        m->y[i] = classes ? (s > 0.5) + (s > 2) : s + 0.1 * sin(0.7 * i * i);
    }
}

static smr_table *table_of(smr_ctx *ctx, const struct made *m, int64_t lo, int64_t hi)
{
    smr_table *t = NULL;
    check_ok(ctx, smr_table_from_matrix(ctx, m->X + lo * COLS, hi - lo, COLS, m->y + lo, &t));
    return t;
}

static smr_model *begin(smr_ctx *ctx, const char *sentence, const struct made *m, bool classes)
{
    smr_table *t = table_of(ctx, m, 0, ROWS);
    smr_train_set *set = NULL;
    smr_model *model = NULL;
    smr_set_opts how = {
        .target = "y", .keep_all = true, .task = classes ? SMR_TASK_CLASSIFY : SMR_TASK_REGRESS};
    check_ok(ctx, said_set(ctx, t, sentence, &how, &set));
    check_ok(ctx, said_online(ctx, sentence, set, &model));
    smr_train_set_free(set);
    smr_table_free(t);
    return model;
}

/* Learns rows in blocks of `block`, saving and loading after each where `reload`; checks what is
 * said against predict where `asked`. */
static smr_model *learn(smr_ctx *ctx, smr_model *model, const struct made *m, int64_t block,
                        bool reload, bool asked)
{
    for (int64_t lo = 0; lo < ROWS; lo += block) {
        int64_t hi = SMR_MIN(ROWS, lo + block);
        smr_table *t = table_of(ctx, m, lo, hi);
        smr_online *o = NULL;
        const smr_online_rows *rows;
        double before[8] = {0};
        check_ok(ctx, smr_online_create(ctx, model, NULL, &o));
        check_ok(ctx, smr_online_take(ctx, o, t, lo, &rows));
        bool alone = model->n_stages == 1; /* a transform's answer has the row in it */
        if (asked && alone && hi - lo == 1)
            check_ok(ctx, smr_model_apply(ctx, model, t, NULL, 0, rows->output, before));
        check_ok(ctx, smr_online_go(ctx, o, 0, hi - lo));
        for (int64_t k = 0; asked && alone && hi - lo == 1 && k < rows->width; k++)
            check_near(smr_model_last(model)->learner->word->name, rows->score[k], before[k],
                       1e-12);
        smr_online_free(o);
        smr_table_free(t);
        if (!reload) continue;
        char *bytes = NULL;
        int64_t n;
        check_ok(ctx, smr_model_write(ctx, model, &bytes, &n));
        smr_model_free(model);
        check_ok(ctx, smr_model_read(ctx, bytes, n, &model));
        smr_string_free(bytes);
    }
    return model;
}

static void check_same(smr_ctx *ctx, const char *what, const smr_model *a, const smr_model *b)
{
    char *x = NULL, *y = NULL;
    int64_t n, m;
    check_ok(ctx, smr_model_write(ctx, a, &x, &n));
    check_ok(ctx, smr_model_write(ctx, b, &y, &m));
    if (n != m || memcmp(x, y, (size_t)n)) fail_msg("%s: the models differ", what);
    smr_string_free(x);
    smr_string_free(y);
}

static void check_sentence(const char *sentence, bool classes)
{
    static struct made m;
    smr_ctx *ctx = check_ctx(1);
    make(&m, classes);
    smr_model *whole = learn(ctx, begin(ctx, sentence, &m, classes), &m, ROWS, false, false);
    assert_int_equal(whole->n_rows, ROWS);
    smr_model *rows = learn(ctx, begin(ctx, sentence, &m, classes), &m, 1, false, true);
    check_same(ctx, sentence, whole, rows);
    smr_model *kept = learn(ctx, begin(ctx, sentence, &m, classes), &m, 37, true, false);
    check_same(ctx, sentence, whole, kept);
    smr_model_free(whole);
    smr_model_free(rows);
    smr_model_free(kept);
    check_ctx_end(ctx);
}

/* With another solver it may refuse streams. */
static bool has_solver_sgd(const smr_learner *l)
{
    for (int64_t i = 0; i < l->word->n_params; i++) {
        const smr_choice *c = l->word->params[i].choices;
        if (strcmp(l->word->params[i].name, "solver") != 0) continue;
        for (; c && c->name; c++)
            if (strcmp(c->name, "sgd") == 0) return true;
    }
    return false;
}

static bool has_members(const smr_learner *l)
{
    for (int64_t i = 0; i < l->word->n_params; i++)
        if (l->word->params[i].type == SMR_PARAM_PHRASE) return true;
    return false;
}

/* What must be given to it for streams: with its defaults it looks at all rows. */
static const char *given_to(const char *name)
{
    static const char *const needs[][2] = {
        {"bin", "bin edges=0"}, {"clip", "clip low=-1 high=1"}, {"pca", "pca 2"}};
    for (int k = 0; k < SMR_COUNT(needs); k++)
        if (strcmp(name, needs[k][0]) == 0) return needs[k][1];
    return name;
}

static void every_learner_of_streams_keeps_the_contract(void **state)
{
    int64_t n, checked = 0;
    const smr_learner *const *all = smr_registry(&n);
    (void)state;
    for (int64_t i = 0; i < n; i++) {
        const smr_learner *l = all[i];
        char sentence[128];
        if (l->stream) assert_true(l->stream->begin && l->stream->learn);
        if (!l->stream || l->texts) continue;
        bool transform = l->fitted->gives & SMR_GIVES_TRANSFORM;
        const char *form = transform           ? "%s | sgd"
                           : has_solver_sgd(l) ? "%s solver=sgd"
                           : has_members(l)    ? "%s of=(perceptron),(sgd logistic)"
                                               : "%s";
        snprintf(sentence, sizeof sentence, form, given_to(l->word->name));
        if (transform || l->tasks & SMR_DOES_REGRESS) check_sentence(sentence, false);
        snprintf(sentence, sizeof sentence, transform ? "%s | sgd logistic" : form,
                 given_to(l->word->name));
        if (transform || l->tasks & SMR_DOES_CLASSIFY) check_sentence(sentence, true);
        checked++;
    }
    assert_true(checked >= 5);
}

static const double *array_of(const smr_model *m, int64_t stage, const char *name)
{
    const smr_stage *s = &m->stages[stage];
    for (int64_t i = 0; i < s->learner->fitted->n_state; i++)
        if (strcmp(s->learner->fitted->state[i].name, name) == 0)
            return smr_state_values(&s->learner->fitted->state[i], s->state);
    fail_msg("no state %s", name);
    return NULL;
}

static void running_means_and_deviations_are_those_of_a_fit(void **state)
{
    static struct made m;
    smr_ctx *ctx = check_ctx(1);
    smr_train_set *set = NULL;
    smr_model *fitted = NULL;
    (void)state;
    make(&m, false);
    for (int i = 7; i < ROWS; i += 31) m.X[i * COLS + 1] = NAN;
    for (int i = 0; i < ROWS; i++)
        m.X[i * COLS] += 1e6; /* far from 0: sums of squares would fail */
    smr_table *t = table_of(ctx, &m, 0, ROWS);
    smr_set_opts how = {.target = "y", .keep_all = true};
    const char *sentence = "standardize | impute | sgd";
    check_ok(ctx, said_set(ctx, t, sentence, &how, &set));
    check_ok(ctx, said_fit(ctx, "standardize | impute | ridge", set, NULL, 0, &fitted));
    smr_model *streamed = learn(ctx, begin(ctx, sentence, &m, false), &m, 50, false, false);
    for (int j = 0; j < COLS; j++) {
        check_near("mean", array_of(streamed, 0, "mean")[j], array_of(fitted, 0, "mean")[j], 1e-13);
        check_near("sd", array_of(streamed, 0, "sd")[j], array_of(fitted, 0, "sd")[j], 1e-9);
    }
    smr_train_set_free(set);
    smr_table_free(t);
    smr_model_free(fitted);
    smr_model_free(streamed);
    check_ctx_end(ctx);
}

static void a_constant_feature_and_one_row_stay_finite(void **state)
{
    static struct made m;
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    make(&m, false);
    for (int i = 0; i < ROWS; i++) m.X[i * COLS + 2] = 0.1;
    smr_model *a = learn(ctx, begin(ctx, "standardize | sgd", &m, false), &m, 1, false, false);
    assert_true(array_of(a, 0, "sd")[2] == 1);
    check_near("mean", array_of(a, 0, "mean")[2], 0.1, 1e-15);
    smr_model_free(a);
    check_ctx_end(ctx);
}

/* Texts become sparse rows, which stay sparse on their way. */
static void texts_are_learned_from_a_stream(void **state)
{
    static const char *const words[] = {"good", "bad", "film", "plot", "bright", "dull"};
    smr_ctx *ctx = check_ctx(1);
    smr_text text = {.ctx = ctx};
    double errors[2];
    (void)state;
    smr_text_add(&text, "review,label\n");
    for (int i = 0; i < 400; i++) {
        int k = (i * i * 7 + i) % 11 < 5;
        smr_text_printf(&text, "%s %s number%d %s,%d\n", words[k ? 0 : 1], words[2 + i % 2], i,
                        words[k ? 4 : 5], k);
    }
    for (int pieces = 0; pieces < 2; pieces++) {
        smr_feed *feed = NULL;
        smr_pieces *p = NULL;
        smr_table *t = NULL;
        smr_train_set *set = NULL;
        smr_model *model = NULL;
        smr_online *o = NULL;
        const smr_online_rows *rows;
        const char *sentence = "words hash=4096 weight=count | sgd logistic";
        smr_set_opts how = {.target = "label", .task = SMR_TASK_CLASSIFY};
        smr_pieces_opts opts = {.read.header = -1, .warm_rows = 100, .piece_bytes = 700};
        if (!pieces) opts.warm_rows = 1000;
        check_ok(ctx, smr_feed_memory(ctx, "t.csv", text.bytes, text.length, 0, &feed));
        check_ok(ctx, smr_pieces_of(ctx, feed, NULL, &opts, &p));
        int64_t wrong = 0, n = 0;
        for (;;) {
            check_ok(ctx, smr_pieces_next(ctx, p, NULL, NULL, &t));
            if (!t) break;
            if (!model) {
                check_ok(ctx, said_set(ctx, t, sentence, &how, &set));
                check_ok(ctx, said_online(ctx, sentence, set, &model));
                check_ok(ctx, smr_online_create(ctx, model, NULL, &o));
            }
            check_ok(ctx, smr_online_take(ctx, o, t, n, &rows));
            check_ok(ctx, smr_online_go(ctx, o, 0, rows->n));
            for (int64_t i = 0; i < rows->n; i++)
                wrong += (rows->score[2 * i + 1] > 0.5) != rows->label[i];
            n += rows->n;
            smr_online_rest(o);
            smr_table_free(t);
        }
        assert_int_equal(n, 400);
        errors[pieces] = (double)wrong / 400;
        smr_online_free(o);
        smr_model_free(model);
        smr_train_set_free(set);
        smr_pieces_close(p);
    }
    assert_true(errors[0] == errors[1] && errors[0] < 0.05);
    smr_text_release(&text);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_learned_from_a_stream),
        cmocka_unit_test(every_learner_of_streams_keeps_the_contract),
        cmocka_unit_test(running_means_and_deviations_are_those_of_a_fit),
        cmocka_unit_test(a_constant_feature_and_one_row_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
