/* fixtures.c -- see fixtures.h. */
#include "fixtures.h"
#include "said.h"

#include "data/vocab.h"
#include "learn/schema.h"

enum { SEED = 20 };

/* A number with high entropy for row i, feature j. */
static double number_at(int64_t i, int64_t j)
{
    double u = smr_random_unit(SEED, SMR_STREAM_TEST, (uint64_t)j + 1, (uint64_t)i);
    double scale = (double)(1 + j * j);
    return (u - 0.37) * scale + 0.1 * (double)j;
}

static double noise_at(int64_t i)
{
    return smr_random_unit(SEED, SMR_STREAM_TEST, 1000, (uint64_t)i) - 0.5;
}

static double value_at(unsigned with, int64_t i, int64_t j)
{
    if (with & AS_BYTES)
        return (double)smr_random_below(SEED, SMR_STREAM_TEST, (uint64_t)j + 50, (uint64_t)i, 256);
    double x = number_at(i, j);
    if (with & (AS_SPARSE | SPARSE_AS_DENSE))
        return smr_random_below(SEED, SMR_STREAM_TEST, (uint64_t)j + 90, (uint64_t)i, 3) ? 0 : x;
    return with & AS_FLOATS ? (double)(float)x : x;
}

static void name_column(smr_ctx *ctx, smr_column *col, const char *name)
{
    col->name = smr_strdup(ctx, name);
    assert_non_null(col->name);
    col->stride = 1;
}

static void set_levels(smr_ctx *ctx, smr_column *col, const char *const *names, int64_t n)
{
    int64_t bytes = 0;
    col->kind = SMR_CATEGORY;
    col->dtype = SMR_I32;
    col->levels.n = n;
    col->levels.start = smr_alloc(ctx, n + 1, sizeof(int64_t));
    for (int64_t k = 0; k < n; k++) bytes += (int64_t)strlen(names[k]);
    col->levels.bytes = smr_alloc(ctx, bytes + 1, 1);
    for (int64_t k = 0; k < n; k++) {
        int64_t length = (int64_t)strlen(names[k]);
        memcpy(col->levels.bytes + col->levels.start[k], names[k], (size_t)length);
        col->levels.start[k + 1] = col->levels.start[k] + length;
    }
}

static void fill_target(smr_ctx *ctx, smr_column *col, unsigned with, int64_t n, int64_t d)
{
    static const char *const classes[] = {"a", "b", "c"};
    name_column(ctx, col, "t");
    col->owns_values = true;
    if (with & WITH_CLASSES) {
        int32_t *codes = smr_alloc(ctx, n, sizeof *codes);
        set_levels(ctx, col, classes, 3);
        for (int64_t i = 0; i < n; i++) {
            double s = number_at(i, 0) + 0.4 * number_at(i, d > 1 ? 1 : 0) + 0.2 * noise_at(i);
            codes[i] = s < 0 ? 0 : s < 0.35 ? 1 : 2;
        }
        if (n > 3) codes[0] = 0, codes[1] = 1, codes[2] = 2;
        col->values = codes;
        return;
    }
    double *y = smr_alloc(ctx, n, sizeof *y);
    for (int64_t i = 0; i < n; i++) {
        double z = 3.25 + noise_at(i);
        for (int64_t j = 0; j < d; j++) z += (1.7 - 0.6 * (double)j) * number_at(i, j);
        y[i] = 60 + 50 * z / (50 + fabs(z)); /* above 0: some learners take nothing else */
    }
    col->kind = SMR_NUMBER;
    col->dtype = SMR_F64;
    col->values = y;
}

/* Features in one row-major block of floats or bytes. */
static void fill_block(smr_ctx *ctx, smr_table *t, unsigned with, int64_t d)
{
    smr_dtype dtype = with & AS_BYTES ? SMR_U8 : SMR_F32;
    char *block = smr_alloc(ctx, t->n_rows * d, smr_dtype_size(dtype));
    check_ok(ctx, smr_table_own(ctx, t, block));
    for (int64_t i = 0; i < t->n_rows; i++)
        for (int64_t j = 0; j < d; j++) {
            double x = value_at(with, i, j);
            if (dtype == SMR_U8)
                ((uint8_t *)block)[i * d + j] = (uint8_t)x;
            else
                ((float *)(void *)block)[i * d + j] = (float)x;
        }
    for (int64_t j = 0; j < d; j++) {
        t->cols[j].kind = SMR_NUMBER;
        t->cols[j].dtype = dtype;
        t->cols[j].values = block + (size_t)j * smr_dtype_size(dtype);
        t->cols[j].stride = d;
    }
}

static void fill_columns(smr_ctx *ctx, smr_table *t, unsigned with, int64_t d)
{
    for (int64_t j = 0; j < d; j++) {
        double *x = smr_alloc(ctx, t->n_rows, sizeof *x);
        smr_column *col = &t->cols[j];
        for (int64_t i = 0; i < t->n_rows; i++) {
            x[i] = value_at(with, i, j);
            if ((with & WITH_GAPS) && (i + 3 * j) % 11 == 4) {
                x[i] = NAN;
                col->n_missing++;
            }
        }
        col->kind = SMR_NUMBER;
        col->dtype = SMR_F64;
        col->values = x;
        col->owns_values = true;
        col->stride = 1;
    }
}

static void fill_sparse(smr_ctx *ctx, smr_table *t, unsigned with, int64_t d)
{
    int64_t *start = smr_alloc(ctx, t->n_rows + 1, sizeof *start);
    int32_t *column = smr_alloc(ctx, t->n_rows * d, sizeof *column);
    double *value = smr_alloc(ctx, t->n_rows * d, sizeof *value);
    int64_t at = 0;
    for (int64_t i = 0; i < t->n_rows; i++) {
        for (int64_t j = 0; j < d; j++) {
            double x = value_at(with, i, j);
            if (x == 0) continue;
            column[at] = (int32_t)j;
            value[at++] = x;
        }
        start[i + 1] = at;
    }
    t->sparse = (smr_csr){
        .n_rows = t->n_rows, .n_cols = d, .start = start, .column = column, .value = value};
}

static void fill_colour(smr_ctx *ctx, smr_column *col, int64_t n)
{
    static const char *const names[] = {"blue", "green", "red"};
    int32_t *codes = smr_alloc(ctx, n, sizeof *codes);
    name_column(ctx, col, "colour");
    set_levels(ctx, col, names, 3);
    for (int64_t i = 0; i < n; i++) codes[i] = (int32_t)((i * i + i / 3) % 3);
    col->values = codes;
    col->owns_values = true;
}

/* What the target is made of, without noise. */
static double signal_at(unsigned with, int64_t i, int64_t d)
{
    double z = 0;
    if (with & WITH_CLASSES) return number_at(i, 0) + 0.4 * number_at(i, d > 1 ? 1 : 0);
    for (int64_t j = 0; j < d; j++) z += (1.7 - 0.6 * (double)j) * number_at(i, j);
    return z;
}

/* Levels that tell of the target, in another order than its own; the later ones are rare. */
static void fill_place(smr_ctx *ctx, smr_column *col, unsigned with, int64_t n, int64_t d)
{
    double low = INFINITY, high = -INFINITY;
    static const char *const names[] = {"a1", "b2", "c3", "d4",  "e5", "f6",
                                        "g7", "h8", "i9", "j10", "k11"};
    int32_t *codes = smr_alloc(ctx, n, sizeof *codes);
    name_column(ctx, col, "place");
    set_levels(ctx, col, names, 11);
    for (int64_t i = 0; i < n; i++) {
        low = fmin(low, signal_at(with, i, d));
        high = fmax(high, signal_at(with, i, d));
    }
    for (int64_t i = 0; i < n; i++) {
        double s = 2 * (signal_at(with, i, d) - low) / (high - low) - 1; /* -1 .. 1 */
        codes[i] = (int32_t)(5 * s * s) + (s > 0 ? 5 : 0);
    }
    col->values = codes;
    col->owns_values = true;
}

/* Words with and without capitals, repeated, of all lengths, and some that say nothing. */
static void fill_said(smr_ctx *ctx, smr_column *col, int64_t n)
{
    static const char *const names[] = {
        "A green apple and the other green apple",
        "the Apple fell",
        "no pear is like another pear",
        "Pears, plums and an apple; and plums",
        "we ate the last plum of them all",
        "Green is the colour of hope hope hope",
        "x y z",
        "the the the the colour",
    };
    int32_t *codes = smr_alloc(ctx, n, sizeof *codes);
    name_column(ctx, col, "said");
    set_levels(ctx, col, names, 8);
    for (int64_t i = 0; i < n; i++) codes[i] = (int32_t)((i * i + i / 5) % 8);
    col->values = codes;
    col->owns_values = true;
}

static void fill_weights(smr_ctx *ctx, smr_column *col, int64_t n)
{
    double *w = smr_alloc(ctx, n, sizeof *w);
    name_column(ctx, col, "w");
    for (int64_t i = 0; i < n; i++) w[i] = (double)(1 + (i * 7) % 3);
    col->kind = SMR_NUMBER;
    col->dtype = SMR_F64;
    col->values = w;
    col->owns_values = true;
}

smr_table *fixture_sized(smr_ctx *ctx, unsigned with, int64_t n, int64_t d)
{
    smr_table *t = NULL;
    int64_t dense = with & AS_SPARSE ? 0 : d;
    int64_t extra = 1 + !!(with & WITH_CATEGORY) + !!(with & WITH_WEIGHTS) +
                    !!(with & WITH_LEVELS) + !!(with & WITH_TEXT);
    int64_t at = dense;
    check_ok(ctx, smr_table_new(ctx, n, dense + extra, &t));
    for (int64_t j = 0; j < dense; j++) {
        char name[32];
        snprintf(name, sizeof name, "x%d", (int)j);
        name_column(ctx, &t->cols[j], name);
    }
    if (with & AS_SPARSE)
        fill_sparse(ctx, t, with, d);
    else if (with & (AS_FLOATS | AS_BYTES))
        fill_block(ctx, t, with, d);
    else
        fill_columns(ctx, t, with, d);
    if (with & WITH_CATEGORY) fill_colour(ctx, &t->cols[at++], n);
    if (with & WITH_LEVELS) fill_place(ctx, &t->cols[at++], with, n, d);
    if (with & WITH_TEXT) fill_said(ctx, &t->cols[at++], n);
    if (with & WITH_WEIGHTS) fill_weights(ctx, &t->cols[at++], n);
    fill_target(ctx, &t->cols[at], with, n, d);
    return t;
}

smr_table *fixture(smr_ctx *ctx, unsigned with)
{
    return fixture_sized(ctx, with, FIXTURE_ROWS, FIXTURE_COLS);
}

smr_table *fixture_copy(smr_ctx *ctx, const smr_table *from, const int64_t *rows, int64_t n,
                        const int64_t *cols, int64_t n_cols)
{
    smr_table *t = NULL;
    check_ok(ctx, smr_table_new(ctx, n, n_cols, &t));
    for (int64_t j = 0; j < n_cols; j++) {
        const smr_column *old = &from->cols[cols ? cols[j] : j];
        smr_column *col = &t->cols[j];
        size_t size = smr_dtype_size(old->dtype);
        char *values = smr_alloc(ctx, n, size);
        for (int64_t i = 0; i < n; i++)
            memcpy(values + (size_t)i * size,
                   (const char *)old->values + (size_t)((rows ? rows[i] : i) * old->stride) * size,
                   size);
        name_column(ctx, col, old->name);
        col->kind = old->kind;
        col->dtype = old->dtype;
        col->values = values;
        col->owns_values = true;
        for (int64_t i = 0; i < n && old->kind == SMR_NUMBER; i++)
            col->n_missing += isnan(smr_column_number(col, i));
        if (old->kind == SMR_CATEGORY)
            check_ok(ctx, smr_strings_copy(ctx, &old->levels, NULL, &col->levels));
    }
    return t;
}

smr_task fixture_task(const smr_learner *l, int which)
{
    smr_task tasks[2];
    int n = 0;
    bool fitted_to_target = l->traits & SMR_NEEDS_TARGET;
    if (fitted_to_target || (l->tasks & SMR_DOES_CLASSIFY)) tasks[n++] = SMR_TASK_CLASSIFY;
    if (fitted_to_target || (l->tasks & SMR_DOES_REGRESS)) tasks[n++] = SMR_TASK_REGRESS;
    if (l->tasks == SMR_DOES_SEQUENCE) tasks[n++] = SMR_TASK_SEQUENCE;
    if (l->tasks == SMR_DOES_RECOMMEND) tasks[n++] = SMR_TASK_RECOMMEND;
    unsigned alone = l->tasks & ~(unsigned)SMR_DOES_OUTLIERS; /* many find these besides */
    if (alone == SMR_DOES_DENSITY) tasks[n++] = SMR_TASK_DENSITY;
    if (alone == 0) tasks[n++] = SMR_TASK_OUTLIERS;
    return which < n ? tasks[which] : SMR_TASK_NONE;
}

unsigned fixture_for(smr_task task)
{
    return task == SMR_TASK_CLASSIFY || task == SMR_TASK_SEQUENCE ? WITH_CLASSES : 0;
}

smr_model *fixture_train(smr_ctx *ctx, const char *sentence, const smr_table *table, smr_task task,
                         const char *weight)
{
    smr_set_opts opts = {.weight = weight, .task = task, .keep_all = true};
    smr_train_set *set = NULL;
    smr_model *model = NULL;
    char ignored[4096] = "";
    if (task == SMR_TASK_NONE || task == SMR_TASK_DENSITY || task == SMR_TASK_OUTLIERS)
        opts.ignore = "t";
    else if (task == SMR_TASK_SEQUENCE)
        opts.roles[SMR_ROLE_SEQUENCE] = "t"; /* rows of one class are a sequence */
    else
        opts.target = "t";
    if (task == SMR_TASK_RECOMMEND) { /* numbers are names of users and items */
        opts.roles[SMR_ROLE_USER] = "x0";
        opts.roles[SMR_ROLE_ITEM] = "x1";
        opts.ignore = ignored;
        for (int64_t j = 0; j < table->n_cols; j++) {
            const char *name = table->cols[j].name;
            size_t used = strlen(ignored);
            if (!strcmp(name, "x0") || !strcmp(name, "x1") || !strcmp(name, "t")) continue;
            if (weight && !strcmp(name, weight)) continue;
            snprintf(ignored + used, sizeof ignored - used, "%s%s", used ? "," : "", name);
        }
        if (!*ignored) opts.ignore = NULL;
    }
    if (said_set(ctx, table, sentence, &opts, &set) == SMR_OK)
        (void)said_fit(ctx, sentence, set, NULL, 0, &model);
    smr_train_set_free(set);
    return model;
}

smr_output fixture_output(const smr_model *m)
{
    unsigned gives = smr_model_gives(m);
    if (gives & 1u << SMR_OUTPUT_PROBA) return SMR_OUTPUT_PROBA;
    if (gives & 1u << SMR_OUTPUT_DECISION) return SMR_OUTPUT_DECISION;
    if (gives & 1u << SMR_OUTPUT_VALUE) return SMR_OUTPUT_VALUE;
    return gives & 1u << SMR_OUTPUT_TRANSFORM ? SMR_OUTPUT_TRANSFORM : SMR_OUTPUT_SCORE;
}

double *fixture_predict(smr_ctx *ctx, const smr_model *m, const smr_table *table, int64_t *n)
{
    smr_output output = fixture_output(m);
    *n = table->n_rows * smr_model_width(m, output);
    double *out = smr_alloc(ctx, *n + 1, sizeof *out);
    assert_non_null(out);
    check_ok(ctx, smr_model_apply(ctx, m, table, NULL, 0, output, out));
    return out;
}

smr_model *must_train(smr_ctx *ctx, const struct subject *s, const smr_table *table,
                      const char *weight)
{
    smr_model *m = fixture_train(ctx, s->sentence, table, s->task, weight);
    if (!m) fail_msg("%s: %s", s->sentence, smr_ctx_message(ctx));
    return m;
}

struct job {
    struct subject subject;
    const struct check *check;
    int threads;
};

static void run_job(void **state)
{
    const struct job *job = *state;
    smr_ctx *ctx = check_ctx(job->threads);
    job->check->run(ctx, &job->subject);
    check_ctx_end(ctx);
}

/* A test for each check and task of the learner; how many these are. */
static int64_t add_jobs(const struct suite *suite, const smr_learner *l, struct job *jobs,
                        struct CMUnitTest *tests)
{
    int64_t n = 0;
    for (int64_t c = 0; c < suite->n_checks; c++)
        for (int which = 0; which < (suite->once ? 1 : 2); which++) {
            smr_task task = fixture_task(l, which);
            const struct check *check = &suite->checks[c];
            if (which && task == SMR_TASK_NONE) continue;
            if (task == SMR_TASK_SEQUENCE && !suite->once && !suite->of_sequences) continue;
            if (suite->is_for && !suite->is_for(check, l, task)) continue;
            struct job *job = &jobs[n];
            *job = (struct job){{.learner = l, .task = task}, check, suite->threads};
            sentence_of(l, task, job->subject.sentence, sizeof job->subject.sentence);
            snprintf(job->subject.name, sizeof job->subject.name, "%s%s%s: %s", l->word->name,
                     suite->once ? "" : " ",
                     suite->once             ? ""
                     : task == SMR_TASK_NONE ? "transform"
                                             : smr_task_name(task),
                     check->name);
            tests[n++] = (struct CMUnitTest){job->subject.name, run_job, NULL, NULL, job};
        }
    return n;
}

int run_suite(const struct suite *suite)
{
    int64_t n_learners, n = suite->n_others;
    const smr_learner *const *all = smr_registry(&n_learners);
    size_t most = (size_t)(n + 2 * n_learners * suite->n_checks);
    struct job *jobs = calloc(most, sizeof *jobs);
    struct CMUnitTest *tests = calloc(most, sizeof *tests);
    for (int64_t i = 0; i < n; i++) tests[i] = suite->others[i];
    for (int64_t i = 0; i < n_learners; i++) n += add_jobs(suite, all[i], jobs + n, tests + n);
    if (n == 0) fprintf(stderr, "%s: there is nothing to test\n", suite->name);
    int failed = n > 0 ? _cmocka_run_group_tests(suite->name, tests, (size_t)n, NULL, NULL) : 1;
    free(tests);
    free(jobs);
    return failed;
}

void check_same_bits(const char *what, const double *a, const double *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0)
            fail_msg("%s: value %lld is %.17g and %.17g", what, (long long)i, a[i], b[i]);
}

void check_all_near(const char *what, const double *a, const double *b, int64_t n, double tolerance)
{
    for (int64_t i = 0; i < n; i++) check_near(what, a[i], b[i], tolerance);
}
