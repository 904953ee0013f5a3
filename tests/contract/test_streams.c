/* Every registry entry that learns from a stream keeps that part of the contract: blocks and saving
 * leave no trace, answers come before the learning, failing allocations are survived.
 *
 * Nothing here knows a learner by name, but each is also tried with the sentences of `further`,
 * whose parameters choose other ways through its code. */
#include "fixtures.h"

#include "core/params.h"
#include "core/text.h"
#include "data/vocab.h"
#include "learn/chain.h"
#include "learn/member.h"
#include "learn/spec.h"
#include "learn/stages.h"
#include "learn/state.h"
#include "whole_check.h"

#include <math.h>

enum { ROWS = 61, COLS = 5, WIDEST = 64 };

static const struct {
    const char *sentence;
    unsigned tasks;
    bool not_by_default; /* with its defaults the learner refuses streams, and says why */
} further[] = {
    {"sgd hinge l1=0.5", SMR_DOES_CLASSIFY, false},
    {"sgd method=momentum batch=7", SMR_DOES_CLASSIFY, false},
    {"sgd method=adagrad l1=0.01 average=yes offset=3", SMR_DOES_CLASSIFY, false},
    {"sgd method=adam schedule=constant", SMR_DOES_CLASSIFY, false},
    {"sgd batch=4 average=yes", SMR_DOES_CLASSIFY, false},
    {"sgd hinge_max schedule=inverse fit_intercept=no", SMR_DOES_CLASSIFY, false},
    {"perceptron averaged", SMR_DOES_CLASSIFY, false},
    {"perceptron voted", SMR_DOES_CLASSIFY, false},
    {"perceptron margin margin=0.5 fit_intercept=no", SMR_DOES_CLASSIFY, false},
    {"kperceptron kernel=rbf(gamma=0.3)", SMR_DOES_CLASSIFY, true},
    {"kperceptron kernel=normalize(quadratic) fit_intercept=no", SMR_DOES_CLASSIFY, true},
    {"kperceptron plain kernel=linear", SMR_DOES_CLASSIFY, true},
    {"kperceptron plain budget=4 kernel=laplacian(gamma=auto)", SMR_DOES_CLASSIFY, true},
    {"kperceptron plain budget=4 forget=oldest kernel=poly(gamma=auto)", SMR_DOES_CLASSIFY, true},
    {"linear solver=sgd", SMR_DOES_CLASSIFY | SMR_DOES_REGRESS, true},
    {"linear solver=sgd batch=4 average=yes fit_intercept=no", SMR_DOES_CLASSIFY | SMR_DOES_REGRESS,
     true},
    {"majority of=(sgd),(perceptron),(standardize | sgd hinge)", SMR_DOES_CLASSIFY, false},
    {"majority random beta=0.8 of=(sgd),(perceptron voted)", SMR_DOES_CLASSIFY, false},
    {"majority hedge of=(sgd),(majority of=(perceptron))", SMR_DOES_CLASSIFY, false},
    {"majority hedge horizon=50 of=(sgd),(logistic)", SMR_DOES_CLASSIFY, false},
    {"clip low=-0.5 high=1", SMR_DOES_TRANSFORM, true},
    {"bin edges=-0.2,0.4", SMR_DOES_TRANSFORM, true},
    {"bin edges=0 code=onehot", SMR_DOES_TRANSFORM, true},
    {"kmeans 2", SMR_DOES_TRANSFORM, false},
    {"kmeans 3 gives=nearest", SMR_DOES_TRANSFORM, false},
    {"log shift=20.5", SMR_DOES_TRANSFORM, false},
    {"pca 2", SMR_DOES_TRANSFORM, true},
    {"pca 5 whiten=yes", SMR_DOES_TRANSFORM, true},
    {"scale maxabs", SMR_DOES_TRANSFORM, false},
    {"scale low=-1 high=3", SMR_DOES_TRANSFORM, false},
};

struct stream {
    const smr_learner *learner;
    void *params;
    smr_shape shape;
    smr_form form;
    double x[ROWS * COLS], y[ROWS], weight[ROWS];
    int32_t label[ROWS];
    int64_t start[ROWS + 1];
    int32_t column[ROWS * COLS];
    double value[ROWS * COLS];
};

/* ---- a stream --------------------------------------------------------------------------- */

static void fill(struct stream *s, int64_t n_classes)
{
    int64_t n = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        double sum = 0.3;
        for (int64_t j = 0; j < COLS; j++) {
            double u = smr_random_unit(4, SMR_STREAM_TEST, (uint64_t)j, (uint64_t)i);
            double x = u < 0.3 ? 0 : (u - 0.6) * (double)(1 + j);
            s->x[i * COLS + j] = x;
            sum += x * cos((double)j);
            if (x == 0) continue;
            s->column[n] = (int32_t)j;
            s->value[n++] = x;
        }
        s->start[i + 1] = n;
        s->y[i] = 2 + sum;
        s->label[i] = (int32_t)(sum < 0 ? 0 : sum < 0.5 || n_classes < 3 ? 1 : 2);
        s->weight[i] = i % 9 == 4 ? 0 : 0.5 + (double)(i % 3);
    }
}

static smr_rows rows_of(const struct stream *s, int64_t lo, int64_t hi)
{
    smr_rows r = {.first = lo, .n = hi - lo, .d = COLS, .form = s->form};
    if (s->form == SMR_FORM_SPARSE) {
        r.start = s->start + lo;
        r.column = s->column;
        r.value = s->value;
    } else {
        r.x = s->x + lo * COLS;
        r.stride = COLS;
    }
    return r;
}

static smr_stage stage_of(const struct stream *s, void *state)
{
    return (smr_stage){.learner = s->learner, .params = s->params, .state = state, .n_in = COLS};
}

/* What learn writes to its `out`. */
static smr_output output_of(const struct stream *s, void *state)
{
    smr_stage stage = stage_of(s, state);
    unsigned gives = smr_stage_gives(&stage);
    if (gives & SMR_GIVES_TRANSFORM) return SMR_OUTPUT_TRANSFORM;
    if (s->shape.task != SMR_TASK_CLASSIFY) return SMR_OUTPUT_VALUE;
    return gives & SMR_GIVES_PROBA ? SMR_OUTPUT_PROBA : SMR_OUTPUT_DECISION;
}

static int64_t width_of(const struct stream *s, void *state)
{
    const smr_can_transform *t = s->learner->fitted->transform;
    smr_stage stage = stage_of(s, state);
    if (t && t->n_out) stage.n_out = t->n_out(s->params, state, COLS);
    int64_t width = smr_output_width(&stage, &s->shape, output_of(s, state));
    assert_true(width <= WIDEST);
    return width;
}

static smr_status try_begin(smr_ctx *ctx, const struct stream *s, void **state)
{
    smr_status st = smr_state_create(ctx, s->learner, state);
    if (st == SMR_OK) st = s->learner->stream->begin(ctx, s->params, &s->shape, *state);
    if (st == SMR_OK && s->learner->fitted->prepare)
        st = s->learner->fitted->prepare(ctx, s->params, *state);
    return st;
}

static void *begin(smr_ctx *ctx, const struct stream *s)
{
    void *state = NULL;
    check_ok(ctx, try_begin(ctx, s, &state));
    return state;
}

static smr_status try_learn(smr_ctx *ctx, const struct stream *s, void *state, int64_t lo,
                            int64_t hi, double *out)
{
    smr_rows rows = rows_of(s, lo, hi);
    bool weighted = s->learner->takes & SMR_TAKES_WEIGHTS;
    smr_truths truths = {.weight = weighted ? s->weight + lo : NULL};
    if (s->shape.task == SMR_TASK_CLASSIFY) truths.label = s->label + lo;
    if (s->shape.task == SMR_TASK_REGRESS) truths.y = s->y + lo;
    return s->learner->stream->learn(ctx, s->params, state, &rows, &truths, out);
}

static void learn(smr_ctx *ctx, const struct stream *s, void *state, int64_t lo, int64_t hi,
                  double *out)
{
    check_ok(ctx, try_learn(ctx, s, state, lo, hi, out));
}

static void predict(smr_ctx *ctx, const struct stream *s, void *state, int64_t lo, int64_t hi,
                    double *out)
{
    const smr_learner *l = s->learner;
    smr_rows rows = rows_of(s, lo, hi);
    int64_t bytes = l->fitted->scratch ? l->fitted->scratch(s->params, state, hi - lo) : 0;
    void *scratch = smr_alloc(ctx, bytes + 64, 1);
    check_ok(ctx,
             l->fitted->predict(ctx, s->params, state, &rows, output_of(s, state), out, scratch));
    smr_free(scratch);
}

/* What a model file keeps of a state, read back: the table's numbers and arrays, and the members by
 * their sentence, their shape and their own states. */
static void *copy_state(smr_ctx *ctx, const smr_learner *l, const void *state);

static void copy_members(smr_ctx *ctx, const smr_members *from, smr_members *to)
{
    check_ok(ctx, smr_members_create(ctx, from->n, to));
    for (int64_t k = 0; k < from->n; k++) {
        const smr_member *a = &from->member[k];
        smr_member *b = &to->member[k];
        smr_text sentence = {.ctx = ctx};
        smr_stages_write(NULL, a->stages, a->n_stages, &sentence);
        check_ok(ctx, smr_text_done(&sentence));
        smr_spec *spec = parsed(ctx, sentence.bytes);
        check_ok(ctx, smr_stages_load(ctx, spec, &b->stages, &b->n_stages));
        smr_spec_free(spec);
        smr_text_release(&sentence);
        assert_int_equal(a->n_stages, b->n_stages);
        b->shape = a->shape;
        for (int64_t i = 0; i < b->n_stages; i++)
            b->stages[i].state = copy_state(ctx, a->stages[i].learner, a->stages[i].state);
    }
}

static void *copy_state(smr_ctx *ctx, const smr_learner *l, const void *state)
{
    void *back = NULL;
    check_ok(ctx, smr_state_create(ctx, l, &back));
    for (int64_t i = 0; i < l->fitted->n_state; i++) {
        const smr_state *row = &l->fitted->state[i];
        int64_t shape[SMR_RANK_MAX], count = 1;
        const void *from = smr_state_values(row, state);
        const smr_members *members = smr_state_members(row, state);
        char *to = (char *)back + row->offset;
        if (members) {
            copy_members(ctx, members, smr_state_members(row, back));
            continue;
        }
        if (smr_state_strings(row, state)) {
            check_ok(ctx, smr_strings_copy(ctx, smr_state_strings(row, state), NULL,
                                           smr_state_strings(row, back)));
            continue;
        }
        size_t size = smr_dtype_size(smr_state_dtype(row));
        if (smr_state_is_scalar(row)) {
            memcpy(to, from, size);
        } else if (from) {
            smr_state_shape(l, row, state, shape, &count);
            void *array = smr_alloc(ctx, count, size);
            memcpy(array, from, (size_t)count * size);
            memcpy(to, &array, sizeof array);
        }
    }
    return back;
}

static void *saved_and_loaded(smr_ctx *ctx, const struct stream *s, void *state)
{
    smr_feature features[COLS];
    void *back = copy_state(ctx, s->learner, state);
    smr_stage stage = stage_of(s, back);
    for (int64_t j = 0; j < COLS; j++)
        features[j] = (smr_feature){.name = "x", .kind = SMR_NUMBER, .stride = 1};
    check_ok(ctx, smr_members_link(ctx, &stage, features, &(smr_shape){.n_features = COLS}));
    check_ok(ctx, whole_check(ctx, s->learner, s->params, back, &s->shape));
    if (s->learner->fitted->prepare)
        check_ok(ctx, s->learner->fitted->prepare(ctx, s->params, back));
    return back;
}

static void check_same_learned(const smr_learner *l, void *a, void *b)
{
    for (int64_t i = 0; i < l->fitted->n_state; i++) {
        const smr_state *row = &l->fitted->state[i];
        int64_t shape[SMR_RANK_MAX], n = 1, m = 1;
        const smr_members *p = smr_state_members(row, a), *q = smr_state_members(row, b);
        for (int64_t k = 0; p && k < p->n; k++)
            for (int64_t t = 0; t < p->member[k].n_stages; t++)
                check_same_learned(p->member[k].stages[t].learner, p->member[k].stages[t].state,
                                   q->member[k].stages[t].state);
        const void *x = smr_state_values(row, a), *y = smr_state_values(row, b);
        if (!x != !y) fail_msg("%s is there in one state only", row->name);
        if (!x) continue;
        if (!smr_state_is_scalar(row)) {
            smr_state_shape(l, row, a, shape, &n);
            smr_state_shape(l, row, b, shape, &m);
        }
        if (n != m || memcmp(x, y, (size_t)n * smr_dtype_size(smr_state_dtype(row))) != 0)
            fail_msg("%s: %s differs", l->word->name, row->name);
    }
}

static void check_same_state(const struct stream *s, void *a, void *b)
{
    check_same_learned(s->learner, a, b);
}

/* ---- checks ----------------------------------------------------------------------------- */

static void blocks_leave_no_trace(smr_ctx *ctx, const struct stream *s)
{
    static const int64_t sizes[] = {1, 2, 7, 40};
    static double whole[ROWS * WIDEST], parts[ROWS * WIDEST];
    void *one = begin(ctx, s);
    int64_t width = width_of(s, one);
    learn(ctx, s, one, 0, ROWS, whole);
    for (int k = 0; k < 4; k++) {
        void *other = begin(ctx, s);
        for (int64_t lo = 0; lo < ROWS; lo += sizes[k])
            learn(ctx, s, other, lo, SMR_MIN(ROWS, lo + sizes[k]), parts + lo * width);
        check_same_state(s, one, other);
        check_same_bits("answers in other blocks", whole, parts, ROWS * width);
        smr_state_free(s->learner, other);
    }
    smr_state_free(s->learner, one);
}

static void answers_may_be_left_out(smr_ctx *ctx, const struct stream *s)
{
    static double out[ROWS * WIDEST];
    void *one = begin(ctx, s), *other = begin(ctx, s);
    learn(ctx, s, one, 0, ROWS, out);
    learn(ctx, s, other, 0, ROWS, NULL);
    check_same_state(s, one, other);
    smr_state_free(s->learner, one);
    smr_state_free(s->learner, other);
}

static void saving_in_between_leaves_no_trace(smr_ctx *ctx, const struct stream *s)
{
    void *one = begin(ctx, s), *other = begin(ctx, s);
    learn(ctx, s, one, 0, ROWS, NULL);
    for (int64_t lo = 0; lo < ROWS; lo += 11) {
        void *back = saved_and_loaded(ctx, s, other);
        smr_state_free(s->learner, other);
        other = back;
        learn(ctx, s, other, lo, SMR_MIN(ROWS, lo + 11), NULL);
    }
    check_same_state(s, one, other);
    smr_state_free(s->learner, one);
    smr_state_free(s->learner, other);
}

/* A learner answers before it learns the row, to rounding; a transform with what it learned from
 * it, unless that was the target. */
static void answers_are_what_predict_gives(smr_ctx *ctx, const struct stream *s)
{
    double before[WIDEST], out[WIDEST];
    void *state = begin(ctx, s);
    bool after = output_of(s, state) == SMR_OUTPUT_TRANSFORM;
    after = after && !(s->learner->traits & SMR_NEEDS_TARGET);
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t width = width_of(s, state);
        if (!after) predict(ctx, s, state, i, i + 1, before);
        learn(ctx, s, state, i, i + 1, out);
        if (after) predict(ctx, s, state, i, i + 1, before);
        for (int64_t k = 0; k < width; k++) assert_true(isfinite(out[k]));
        check_all_near("an answer of learn", out, before, width, 1e-12);
    }
    smr_state_free(s->learner, state);
}

static void rows_of_weight_zero_teach_nothing(smr_ctx *ctx, const struct stream *s)
{
    double before[WIDEST], after[WIDEST];
    if (!(s->learner->takes & SMR_TAKES_WEIGHTS)) return;
    void *state = begin(ctx, s);
    for (int64_t i = 0; i < ROWS; i++) {
        if (s->weight[i] == 0) predict(ctx, s, state, 0, 1, before);
        learn(ctx, s, state, i, i + 1, NULL);
        if (s->weight[i] > 0) continue;
        predict(ctx, s, state, 0, 1, after);
        check_same_bits("after a row of weight 0", before, after, width_of(s, state));
    }
    smr_state_free(s->learner, state);
}

static void failing_allocations_are_survived(smr_ctx *unused, const struct stream *s)
{
    smr_ctx *ctx = check_ctx(1);
    int64_t held = smr_ctx_memory(ctx, NULL), n = 0;
    static double out[ROWS * WIDEST];
    (void)unused;
    for (bool done = false; !done; n++) {
        void *state = NULL;
        smr_memory_fail_at(ctx, n);
        smr_status st = try_begin(ctx, s, &state);
        if (st == SMR_OK) st = try_learn(ctx, s, state, 0, 17, out);
        if (st == SMR_OK) st = try_learn(ctx, s, state, 17, ROWS, out);
        smr_memory_fail_at(ctx, -1);
        smr_state_free(s->learner, state);
        if (smr_ctx_memory(ctx, NULL) != held) fail_msg("allocation %lld leaks", (long long)n);
        done = st == SMR_OK;
        if (!done) assert_int_equal(st, SMR_ERR_NOMEM);
        smr_ctx_clear(ctx);
    }
    assert_true(n > 1);
    check_ctx_end(ctx);
}

/* ---- running ---------------------------------------------------------------------------- */

struct stream_check {
    const char *name;
    void (*run)(smr_ctx *ctx, const struct stream *s);
};

#define CHECK(f) \
    {            \
#f, f    \
    }
static const struct stream_check checks[] = {
    CHECK(blocks_leave_no_trace),
    CHECK(answers_may_be_left_out),
    CHECK(saving_in_between_leaves_no_trace),
    CHECK(answers_are_what_predict_gives),
    CHECK(rows_of_weight_zero_teach_nothing),
    CHECK(failing_allocations_are_survived),
};

struct stream_job {
    char sentence[128], name[224];
    smr_task task;
    int64_t n_classes;
    smr_form form;
    const struct stream_check *check;
};

/* Says why it cannot learn from a stream as it is: with its defaults some stages cannot. */
static bool is_refused(smr_ctx *ctx, const struct stream *s)
{
    void *state = NULL;
    smr_status st = try_begin(ctx, s, &state);
    smr_state_free(s->learner, state);
    if (st != SMR_OK) assert_true(strlen(smr_ctx_message(ctx)) > 20);
    smr_ctx_clear(ctx);
    return st != SMR_OK;
}

static void run_job(void **state)
{
    struct stream_job *job = *state;
    smr_ctx *ctx = check_ctx(1);
    struct stream s = {.form = job->form};
    smr_spec *spec = parsed(ctx, job->sentence);
    s.learner = smr_spec_last(spec)->learner;
    s.params = smr_spec_last(spec)->params;
    s.shape = (smr_shape){.n_features = COLS,
                          .task = job->task,
                          .n_outputs = job->task == SMR_TASK_NONE ? 0 : 1,
                          .n_classes = job->n_classes};
    fill(&s, job->n_classes);
    if (job->check)
        job->check->run(ctx, &s);
    else
        assert_true(is_refused(ctx, &s));
    smr_spec_free(spec);
    check_ctx_end(ctx);
}

static struct stream_job jobs[10000];
static struct CMUnitTest tests[10000];
static int n_jobs;

/* With its defaults a learner may refuse streams where another sentence of it takes them. */
static bool may_refuse(const smr_learner *l)
{
    size_t n = strlen(l->word->name);
    for (int64_t i = 0; i < SMR_COUNT(further); i++)
        if (further[i].not_by_default && strncmp(further[i].sentence, l->word->name, n) == 0 &&
            further[i].sentence[n] == ' ')
            return true;
    return false;
}

static void add_job(const char *sentence, const struct stream_job *what, const char *says)
{
    struct stream_job *job = &jobs[n_jobs];
    *job = *what;
    snprintf(job->sentence, sizeof job->sentence, "%s", sentence);
    snprintf(job->name, sizeof job->name, "%s%s, %d classes: %s", sentence,
             job->form == SMR_FORM_SPARSE ? ", sparse" : "", (int)job->n_classes, says);
    tests[n_jobs++] = (struct CMUnitTest){job->name, run_job, NULL, NULL, job};
}

static void add_jobs(const char *sentence, const smr_learner *l, smr_task task, int64_t n_classes)
{
    static const smr_form forms[] = {SMR_FORM_F64, SMR_FORM_SPARSE};
    bool refuses = !strchr(sentence, ' ') && may_refuse(l);
    for (int f = 0; f < 2; f++) {
        struct stream_job job = {.task = task, .n_classes = n_classes, .form = forms[f]};
        if (!(l->takes & 1u << forms[f])) continue;
        if (refuses) add_job(sentence, &job, "streams_are_refused_in_words");
        for (int64_t c = 0; c < SMR_COUNT(checks) && !refuses; c++) {
            job.check = &checks[c];
            /* members' transforms answer a row with what they learned from it */
            if (checks[c].run == answers_are_what_predict_gives && strchr(sentence, '|')) continue;
            add_job(sentence, &job, checks[c].name);
        }
    }
}

static bool has_members(const smr_learner *l)
{
    for (int64_t i = 0; i < l->fitted->n_state; i++)
        if (l->fitted->state[i].type == SMR_STATE_MEMBERS) return true;
    return false;
}

static void add_tasks(const char *sentence, const smr_learner *l, unsigned tasks)
{
    if (!l->stream) return;
    if (reads_a_text(l)) return; /* test_words.c: these rows have no texts */
    if (!strchr(sentence, ' ') && has_members(l)) return; /* which ones is said in `further` */
    if (tasks & SMR_DOES_CLASSIFY) add_jobs(sentence, l, SMR_TASK_CLASSIFY, 2);
    if (tasks & SMR_DOES_CLASSIFY) add_jobs(sentence, l, SMR_TASK_CLASSIFY, 3);
    if (tasks & SMR_DOES_REGRESS) add_jobs(sentence, l, SMR_TASK_REGRESS, 0);
    if (tasks & SMR_DOES_TRANSFORM) add_jobs(sentence, l, SMR_TASK_NONE, 0);
}

int main(void)
{
    int64_t n_learners;
    const smr_learner *const *all = smr_registry(&n_learners);
    for (int64_t i = 0; i < n_learners; i++) add_tasks(all[i]->word->name, all[i], all[i]->tasks);
    for (int64_t i = 0; i < SMR_COUNT(further); i++) {
        char name[32] = "";
        sscanf(further[i].sentence, "%31s", name);
        add_tasks(further[i].sentence, smr_registry_find(name), further[i].tasks);
    }
    return _cmocka_run_group_tests("streams", tests, (size_t)n_jobs, NULL, NULL);
}
