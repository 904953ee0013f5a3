/* Rows of every type, and files that older versions of a learner wrote: see docs/model-file.md,
 * "What may change". */
#include "check.h"

#include "stand_in.h"
#include "state_rules.h"

#include "learn/model.h"
#include "learn/spec.h"
#include "learn/versions.h"
#include "model/model_file.h"
#include "model/safetensors.h"

enum { ROWS = 12, COLS = 3 };

static void fill(double *X, double *y)
{
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLS; j++) X[COLS * i + j] = 0.37 * i + 0.11 * (i % 5) - 0.7 * j;
        X[COLS * i] = i; /* a user of `store` */
        y[i] = 1.3 * X[COLS * i + 1] + 0.05 * (i % 4);
    }
}

static smr_model *train(smr_ctx *ctx, const char *sentence)
{
    double X[ROWS * COLS], y[ROWS];
    smr_table *t = NULL;
    smr_model *m = NULL;
    fill(X, y);
    check_ok(ctx, smr_table_from_matrix(ctx, X, ROWS, COLS, y, &t));
    smr_train_opts opts = {
        .size = sizeof opts, .target = "y", .keep_all = true, .task = SMR_TASK_REGRESS};
    check_ok(ctx, smr_train(ctx, sentence, t, &opts, &m));
    smr_table_free(t);
    return m;
}

static void answer(smr_ctx *ctx, const smr_model *m, double *out)
{
    double X[ROWS * COLS], y[ROWS];
    fill(X, y);
    check_ok(ctx, smr_predict_matrix(ctx, m, X, ROWS, COLS, SMR_OUTPUT_VALUE, out));
}

/* The file of a model that the given version of `meter` makes, and what that version answers. */
static char *file_of(smr_ctx *ctx, int version, const char *sentence, int64_t *length, double *said)
{
    char *bytes = NULL;
    stand_in_version = version;
    smr_model *m = train(ctx, sentence);
    if (said) answer(ctx, m, said);
    check_ok(ctx, smr_model_write(ctx, m, &bytes, length));
    smr_model_free(m);
    return bytes;
}

static void check_sentence(smr_ctx *ctx, const smr_model *m, const char *want)
{
    smr_text text = {.ctx = ctx};
    smr_stages_write(NULL, m->stages, m->n_stages, &text);
    assert_string_equal(text.bytes, want);
    smr_text_release(&text);
}

/* ---- every type ------------------------------------------------------------------------- */

static void every_type_of_row_comes_back(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *back = NULL;
    int64_t n, n_again;
    double said[ROWS], says[ROWS];
    char *bytes = file_of(ctx, 3, "store users=9", &n, said), *again = NULL;
    (void)state;
    check_ok(ctx, smr_model_read(ctx, bytes, n, &back));
    answer(ctx, back, says);
    assert_memory_equal(said, says, sizeof said);
    assert_true(said[1] != said[2] && said[1] != said[0]); /* users are told apart */
    check_ok(ctx, smr_model_write(ctx, back, &again, &n_again));
    assert_int_equal(n, n_again);
    assert_memory_equal(bytes, again, (size_t)n);

    const struct store_state *s = smr_model_last(back)->state;
    assert_int_equal(s->users.n, 9);
    assert_int_equal(s->notes.n, 2);
    assert_memory_equal(s->notes.bytes, "\xff\xfe", 2);
    assert_int_equal(s->layers.n, 11);
    for (int64_t k = 0; k < 11; k++) { /* the order they were given in */
        char name[32];
        snprintf(name, sizeof name, "dense-%d.weight", (int)(7 * k % 11));
        assert_string_equal(s->layers.tensor[k].name, name);
        assert_int_equal(s->layers.tensor[k].rank, k % 5);
    }
    assert_ptr_equal(smr_tensors_find(&s->layers, "dense-10.weight"), &s->layers.tensor[3]);
    assert_null(smr_tensors_find(&s->layers, "dense-11.weight"));
    smr_string_free(bytes);
    smr_string_free(again);
    smr_model_free(back);
    check_ctx_end(ctx);
}

static void a_loaded_state_lies_in_its_image_until_it_is_owned(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = NULL;
    int64_t n;
    double said[ROWS], says[ROWS];
    char *bytes = file_of(ctx, 3, "store", &n, said);
    (void)state;
    check_ok(ctx, smr_model_read(ctx, bytes, n, &m));
    smr_stage *stage = &m->stages[0];
    struct store_state *s = stage->state;
    assert_true(smr_image_has(stage->image, s->cube));
    assert_true(smr_image_has(stage->image, s->users.bytes));
    assert_true(smr_image_has(stage->image, s->layers.tensor[4].values));
    for (int64_t k = 0, done = 0; !done; k++) { /* each refusal leaves a model that predicts */
        smr_memory_fail_at(ctx, k);
        smr_status st = smr_stage_own(ctx, stage);
        smr_memory_fail_at(ctx, -1);
        smr_ctx_clear(ctx);
        done = st == SMR_OK;
        answer(ctx, m, says);
        assert_memory_equal(said, says, sizeof said);
    }
    assert_false(smr_image_has(stage->image, s->cube));
    assert_false(smr_image_has(stage->image, s->factor));
    assert_false(smr_image_has(stage->image, s->users.bytes));
    assert_false(smr_image_has(stage->image, s->users.start));
    assert_false(smr_image_has(stage->image, s->layers.tensor[4].values));
    s->cube = smr_realloc(ctx, s->cube, 100, sizeof *s->cube);
    assert_non_null(s->cube);
    smr_string_free(bytes);
    smr_model_free(m);
    check_ctx_end(ctx);
}

static void tensors_have_good_names_once(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_tensors list = {0};
    int64_t shape[] = {2, 3};
    (void)state;
    static const char *const bad[] = {"", "a b", "\xc3\xa9", "a/b", "a\"", "first"};
    check_ok(ctx, smr_tensors_create(ctx, 2, &list));
    check_ok(ctx, smr_tensors_set(ctx, &list, 0, "first", SMR_BF16, 2, shape));
    for (int64_t i = 0; i < SMR_COUNT(bad); i++)
        check_fails(ctx, smr_tensors_set(ctx, &list, 1, bad[i], SMR_F64, 1, shape),
                    SMR_ERR_INTERNAL, "a name that is taken or may not be");
    check_fails(ctx, smr_tensors_set(ctx, &list, 1, "b", SMR_F64, 7, shape), SMR_ERR_INTERNAL,
                "more than 6 dimensions");
    assert_int_equal(smr_tensor_count(&list.tensor[0]), 6);
    struct {
        smr_tensors of;
    } holder = {list};
    smr_state row = {.type = SMR_STATE_TENSORS};
    smr_state_clear(&row, &holder, NULL);
    assert_int_equal(holder.of.n, 0);
    check_ctx_end(ctx);
}

static void the_stand_ins_keep_the_rules(void **state)
{
    (void)state;
    check_state_rules(&meter_1);
    check_state_rules(&meter_2);
    check_state_rules(&meter_3);
    check_state_rules(&store);
}

/* ---- older files ------------------------------------------------------------------------ */

static const char *const meter_of[] = {NULL, "meter k=7 mode=fast warm=yes",
                                       "meter size=7 mode=quick warm=no",
                                       "meter size=7 mode=quick steps=9"};

static void files_of_older_versions_answer_as_they_did(void **state)
{
    static const char *const today[] = {NULL, "meter k=7 mode=fast warm=yes",
                                        "meter size=7 mode=quick warm=",
                                        "meter size=7 mode=quick "
                                        "steps=1"};
    (void)state;
    for (int writer = 1; writer <= 2; writer++)
        for (int reader = writer; reader <= 3; reader++) {
            smr_ctx *ctx = check_ctx(1);
            smr_model *m = NULL;
            int64_t n, n_again;
            double said[ROWS], says[ROWS];
            char want[64], *again = NULL;
            char *bytes = file_of(ctx, writer, meter_of[writer], &n, said);
            stand_in_version = reader;
            check_ok(ctx, smr_model_read(ctx, bytes, n, &m));
            answer(ctx, m, says);
            assert_memory_equal(said, says, sizeof said);
            snprintf(want, sizeof want, "%s%s", today[reader],
                     reader != 2   ? ""
                     : writer == 1 ? "yes"
                                   : "no");
            check_sentence(ctx, m, want);
            /* Rows that are gone are freed, and saved again it is a file of today. */
            const struct meter_state *s = smr_model_last(m)->state;
            assert_true((s->tally != NULL) == (reader == 1));
            check_ok(ctx, smr_model_write(ctx, m, &again, &n_again));
            smr_model_free(m);
            check_ok(ctx, smr_model_read(ctx, again, n_again, &m));
            answer(ctx, m, says);
            assert_memory_equal(said, says, sizeof said);
            smr_string_free(bytes);
            smr_string_free(again);
            smr_model_free(m);
            check_ctx_end(ctx);
        }
}

static void members_and_sentences_in_parameters_are_upgraded_too(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = NULL;
    int64_t n;
    double said[ROWS], says[ROWS];
    (void)state;
    char *bytes =
        file_of(ctx, 1, "vote of=(standardize | meter k=7 mode=fast),(bag 2 of=(meter))", &n, said);
    stand_in_version = 3;
    check_ok(ctx, smr_model_read(ctx, bytes, n, &m));
    answer(ctx, m, says);
    assert_memory_equal(said, says, sizeof said);
    smr_text text = {.ctx = ctx};
    smr_stages_write(NULL, m->stages, m->n_stages, &text);
    assert_non_null(strstr(text.bytes, "meter size=7 mode=quick steps=1)"));
    assert_non_null(strstr(text.bytes, "of=(meter size=5 mode=slow steps=1)"));
    smr_text_release(&text);
    smr_string_free(bytes);

    check_ok(ctx, smr_model_write(ctx, m, &bytes, &n));
    smr_model_free(m);
    check_ok(ctx, smr_model_read(ctx, bytes, n, &m));
    answer(ctx, m, says);
    assert_memory_equal(said, says, sizeof said);
    smr_string_free(bytes);
    smr_model_free(m);
    check_ctx_end(ctx);
}

static const char *meta_of(smr_ctx *ctx, char *bytes, int64_t n, const char *key, char *to)
{
    smr_safetensors file;
    check_ok(ctx, smr_safetensors_read(ctx, bytes, n, &file));
    const char *value = smr_safetensors_meta(&file, key);
    snprintf(to, 200, "%s", value ? value : "none");
    smr_safetensors_release(&file);
    return to;
}

static void a_file_has_the_lowest_format_that_holds_it(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    char text[200];
    int64_t n;
    (void)state;
    static const struct {
        int version;
        const char *sentence, *format, *versions;
    } cases[] = {
        {1, "meter", "samara 1", "none"},
        {2, "meter", "samara 2", "{\"meter\":2}"},
        {3, "store", "samara 1", "none"},
        {3, "standardize | meter", "samara 2", "{\"meter\":3}"},
        {3, "bag 2 of=(meter)", "samara 2", "{\"meter\":3}"},
    };
    for (int64_t i = 0; i < SMR_COUNT(cases); i++) {
        char *bytes = file_of(ctx, cases[i].version, cases[i].sentence, &n, NULL);
        assert_string_equal(meta_of(ctx, bytes, n, "format", text), cases[i].format);
        assert_string_equal(meta_of(ctx, bytes, n, "versions", text), cases[i].versions);
        smr_string_free(bytes);
    }
    check_ctx_end(ctx);
}

static void files_of_newer_versions_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    int64_t n;
    (void)state;
    for (int reader = 1; reader < 3; reader++) {
        char part[100];
        smr_model *m = NULL;
        char *bytes = file_of(ctx, 3, "bag 2 of=(meter)", &n, NULL);
        stand_in_version = reader;
        snprintf(part, sizeof part, "knows up to version %d: use a newer samara", reader);
        check_fails(ctx, smr_model_read(ctx, bytes, n, &m), SMR_ERR_FORMAT, part);
        check_fails(ctx, smr_model_read(ctx, bytes, n, &m), SMR_ERR_FORMAT,
                    "the model file was written by version 3 of meter");
        assert_null(m);
        smr_string_free(bytes);
    }
    check_ctx_end(ctx);
}

static void a_row_that_nothing_makes_is_told(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = NULL;
    int64_t n;
    char *bytes = file_of(ctx, 2, "meter", &n, NULL);
    (void)state;
    stand_in_version = 3;
    stand_in_forgets = true;
    check_fails(ctx, smr_model_read(ctx, bytes, n, &m), SMR_ERR_INTERNAL,
                "version 2 of meter had no 'offset', and nothing made it for version 3");
    stand_in_forgets = false;
    smr_string_free(bytes);
    check_ctx_end(ctx);
}

/* ---- damage ----------------------------------------------------------------------------- */

struct opened {
    char *block;
    smr_safetensors file;
    smr_file_meta meta[32];
    int64_t n_meta;
    smr_file_tensor tensors[64];
    int64_t n;
};

static void open_file(smr_ctx *ctx, int version, const char *sentence, struct opened *o)
{
    int64_t n;
    *o = (struct opened){.block = file_of(ctx, version, sentence, &n, NULL)};
    check_ok(ctx, smr_safetensors_read(ctx, o->block, n, &o->file));
    for (int64_t i = 0; i < o->file.n_meta; i++)
        if (strcmp(o->file.meta[i].key, "sha256") != 0) o->meta[o->n_meta++] = o->file.meta[i];
    o->n = o->file.n_tensors;
    for (int64_t i = 0; i < o->n; i++) o->tensors[i] = o->file.tensors[i];
}

static void set_meta(struct opened *o, const char *key, const char *value)
{
    int64_t i = 0;
    while (i < o->n_meta && strcmp(o->meta[i].key, key) != 0) i++;
    if (!value) {
        o->meta[i] = o->meta[--o->n_meta];
        return;
    }
    if (i == o->n_meta) o->n_meta++;
    o->meta[i] = (smr_file_meta){key, value};
}

static smr_file_tensor *find(struct opened *o, const char *name)
{
    for (int64_t i = 0; i < o->n; i++)
        if (strcmp(o->tensors[i].name, name) == 0) return &o->tensors[i];
    fail_msg("no tensor %s", name);
    return NULL;
}

/* Puts it together again, with a right checksum, and loads it with version 3; closes it. */
static smr_status reload(smr_ctx *ctx, struct opened *o)
{
    void *bytes = NULL;
    int64_t n = 0;
    smr_model *m = NULL;
    check_ok(ctx, smr_safetensors_bytes(ctx, o->tensors, o->n, o->meta, o->n_meta, &bytes, &n));
    smr_safetensors_release(&o->file);
    smr_string_free(o->block);
    stand_in_version = 3;
    smr_status st = smr_model_read(ctx, bytes, n, &m);
    assert_true((m != NULL) == (st == SMR_OK));
    smr_model_free(m);
    smr_free(bytes);
    return st;
}

static void wrong_versions_are_refused(void **state)
{
    static const struct {
        int writer;
        const char *sentence, *format, *versions, *part;
    } cases[] = {
        {2, "meter", "samara 2", "{\"meter\":2}", NULL}, /* as it is */
        {2, "meter", "samara 1", "{\"meter\":2}", "the versions of its learners"},
        {2, "meter", "samara 2", NULL, "the versions of its learners"},
        {2, "meter", "samara 2", "{}", "the versions of its learners"},
        {2, "meter", "samara 2", "[2]", "the versions of its learners"},
        {2, "meter", "samara 2", "{\"meter\":1}", "the version of meter"},
        {2, "meter", "samara 2", "{\"meter\":2.5}", "the version of meter"},
        {2, "meter", "samara 2", "{\"meter\":\"2\"}", "the version of meter"},
        {2, "meter", "samara 2", "{\"meter\":1e300}", "the version of meter"},
        {2, "meter", "samara 2", "{\"meter\":2,\"meter\":2}", ""},
        {2, "meter", "samara 2", "{\"meter\":4}", "version 4 of meter"},
        {2, "meter", "samara 2", "{\"bag\":2}", "version 2 of bag"},
        {2, "meter", "samara 2", "{\"sieve\":2}", "holds sieve, which this samara"},
        {3, "store", "samara 2", "{\"meter\":2}", "versions of learners that it does not hold"},
        /* A file of one version that says it is of another. */
        {1, "meter", "samara 2", "{\"meter\":2}", "meter has no parameter 'k'"},
        {2, "meter", "samara 1", NULL, "1.meter.w is not there"},
        {2, "meter", "samara 2", "{\"meter\":3}", "meter has no parameter 'warm'"},
        {3, "meter", "samara 2", "{\"meter\":2}", "meter: steps is given twice"},
    };
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(cases); i++) {
        struct opened o;
        open_file(ctx, cases[i].writer, cases[i].sentence, &o);
        set_meta(&o, "format", cases[i].format);
        set_meta(&o, "versions", cases[i].versions);
        if (cases[i].part)
            check_fails(ctx, reload(ctx, &o), SMR_ERR_FORMAT, cases[i].part);
        else
            check_ok(ctx, reload(ctx, &o));
    }
    check_ctx_end(ctx);
}

/* A row of another version than the file's is a tensor that nothing explains, or is missed. */
static void rows_of_other_versions_are_refused(void **state)
{
    static const double numbers[] = {1, 2, 3};
    static const struct {
        const char *was, *is, *part;
    } cases[] = {
        {"1.meter.w", "1.meter.weights", "1.meter.w is not there"},
        {"1.meter.tally", "1.meter.total", "1.meter.tally is not there"},
        {NULL, "1.meter.shrink", "does not explain"},
        {"1.meter.offset", "1.meter.offsets", "1.meter.offset is not there"},
    };
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(cases); i++) {
        struct opened o;
        open_file(ctx, 1, "meter", &o);
        if (cases[i].was)
            find(&o, cases[i].was)->name = cases[i].is;
        else
            o.tensors[o.n++] = (smr_file_tensor){
                .name = cases[i].is, .dtype = SMR_F64, .n_dims = 0, .data = numbers};
        check_fails(ctx, reload(ctx, &o), SMR_ERR_FORMAT, cases[i].part);
    }
    check_ctx_end(ctx);
}

static void damaged_strings_are_refused(void **state)
{
    static const int64_t down[] = {0, 9, 8, 20}, early[] = {1, 7, 14, 21}, past[] = {0, 7, 14, 22};
    static const int64_t negative[] = {0, -7, 14, 21};
    static const struct {
        const int64_t *start;
        const char *bytes, *part;
    } cases[] = {
        {NULL, NULL, NULL},
        {down, NULL, "1.store.users has strings whose starts do not ascend"},
        {early, NULL, "starts do not ascend"},
        {past, NULL, "starts do not ascend"},
        {negative, NULL, "starts do not ascend"},
        {NULL, "us\xc3\xa9r 3us\xc3\xa9r 3us\xc3\xa9r 1", "1.store.users has a string twice"},
        {NULL, "us\xc3r 34us\xc3\xa9r 2us\xc3\xa9r 1",
         "1.store.users has a string that is not UTF-8"},
    };
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(cases); i++) {
        struct opened o;
        open_file(ctx, 3, "store users=3", &o);
        if (cases[i].start) find(&o, "1.store.users.start")->data = cases[i].start;
        if (cases[i].bytes) find(&o, "1.store.users.bytes")->data = cases[i].bytes;
        if (cases[i].part)
            check_fails(ctx, reload(ctx, &o), SMR_ERR_FORMAT, cases[i].part);
        else
            check_ok(ctx, reload(ctx, &o));
    }
    check_ctx_end(ctx);
}

/* A tensor renamed, or with another rank or type. */
static void damaged_lists_are_refused(void **state)
{
    static const struct {
        const char *name, *now, *part;
    } cases[] = {
        {"1.store.users.start", "1.store.users.begin", "1.store.users.start is not there"},
        {"1.store.users.bytes", "1.store.users.begin", "1.store.users.bytes is not there"},
        {"1.store.notes.start", "1.store.notes.begin", "does not explain"},
        {"1.store.layers.4.dense-6.weight", "1.store.layers.44.dense-6.weight",
         "1.store.layers has 4 tensors, and should have 11"},
        {"1.store.layers.4.dense-6.weight", "1.store.layers.4.", "a name that no tensor may have"},
        {"1.store.layers.4.dense-6.weight", "1.store.layers.4.a b",
         "a name that no tensor may have"},
        {"1.store.layers.4.dense-6.weight", "1.store.layers.3.dense-6.weight",
         "is in another's place"},
        {"1.store.layers.4.dense-6.weight", "1.store.layers.4.dense-0.weight",
         "has the name of another in its list"},
        {"1.store.layers.4.dense-6.weight", "1.store.layers.4.dense-66.weight", NULL},
        {"1.store.extra.0.x", "1.store.extra.1.x", "does not explain"},
        {"1.store.extra.0.x", "1.store.extra.0.y", NULL},
    };
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(cases); i++) {
        struct opened o;
        open_file(ctx, 3, "store", &o);
        find(&o, cases[i].name)->name = cases[i].now;
        if (cases[i].part)
            check_fails(ctx, reload(ctx, &o), SMR_ERR_FORMAT, cases[i].part);
        else
            check_ok(ctx, reload(ctx, &o));
    }
    for (int which = 0; which < 6; which++) {
        struct opened o;
        static const int64_t one = 1, huge = INT32_MAX;
        static const char *const part[] = {"1.store.cube does not have the shape",
                                           "1.store.factor is of another type",
                                           "1.store.users.start does not have the shape",
                                           "1.store.users.bytes does not have the shape",
                                           "1.store.layers has 1 tensors, and should have",
                                           "1.store.layers has 11 tensors, and should have"};
        open_file(ctx, 3, "store", &o);
        smr_file_tensor *t = find(&o, which == 0   ? "1.store.cube"
                                      : which == 1 ? "1.store.factor"
                                      : which == 3 ? "1.store.users.bytes"
                                                   : "1.store.users.start");
        if (which == 0) t->shape[3] = 1, t->shape[4] = 3;
        if (which == 1) t->dtype = SMR_BF16;
        if (which == 2 || which == 3) t->shape[t->n_dims++] = 1;
        if (which == 4) { /* fewer than there are: the rest is not explained */
            find(&o, "1.store.n_layers")->data = &one;
            check_fails(ctx, reload(ctx, &o), SMR_ERR_FORMAT, "does not explain");
            continue;
        }
        if (which == 5) find(&o, "1.store.n_layers")->data = &huge;
        check_fails(ctx, reload(ctx, &o), SMR_ERR_FORMAT, part[which]);
    }
    check_ctx_end(ctx);
}

static void every_refused_allocation_is_survived(void **state)
{
    static const char *const sentences[] = {"store", "vote of=(meter k=7),(bag 2 of=(meter))"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        smr_ctx *ctx = check_ctx(1);
        int64_t n;
        char *bytes = file_of(ctx, 1, sentences[i], &n, NULL);
        smr_status st = SMR_ERR_NOMEM;
        stand_in_version = 3;
        for (int64_t k = 0; st != SMR_OK && k < 10000; k++) {
            smr_model *m = NULL;
            smr_memory_fail_at(ctx, k);
            st = smr_model_read(ctx, bytes, n, &m);
            smr_memory_fail_at(ctx, -1);
            if (st != SMR_OK) assert_int_equal(st, SMR_ERR_NOMEM);
            if (st == SMR_OK) { /* and written again */
                smr_status wrote = SMR_ERR_NOMEM;
                for (int64_t j = 0; wrote != SMR_OK && j < 10000; j++) {
                    char *again = NULL;
                    int64_t length;
                    smr_memory_fail_at(ctx, j);
                    wrote = smr_model_write(ctx, m, &again, &length);
                    smr_memory_fail_at(ctx, -1);
                    smr_string_free(again);
                    smr_ctx_clear(ctx);
                }
                assert_int_equal(wrote, SMR_OK);
            }
            smr_ctx_clear(ctx);
            smr_model_free(m);
        }
        assert_int_equal(st, SMR_OK);
        smr_string_free(bytes);
        check_ctx_end(ctx);
    }
}

/* ---- kept files ------------------------------------------------------------------------- */

#define FOLDER "tests/files/format-2/"
static const struct {
    int version;
    const char *name, *sentence;
} kept[] = {
    {2, "meter", "standardize | meter size=7 mode=quick warm=no"},
    {2, "members", "vote of=(meter size=3),(tree 2)"},
    {3, "store", "vote of=(store),(meter)"},
};

/* Made once with `test_versions record`: files of format 2, and what they answer. */
static void record(void)
{
    smr_ctx *ctx = check_ctx(1);
    for (int64_t i = 0; i < SMR_COUNT(kept); i++) {
        char path[100];
        double said[ROWS];
        int64_t n;
        char *bytes = file_of(ctx, kept[i].version, kept[i].sentence, &n, said);
        snprintf(path, sizeof path, FOLDER "%s.model", kept[i].name);
        FILE *f = fopen(path, "wb");
        fwrite(bytes, 1, (size_t)n, f);
        fclose(f);
        snprintf(path, sizeof path, FOLDER "%s.txt", kept[i].name);
        f = fopen(path, "w");
        for (int r = 0; r < ROWS; r++) fprintf(f, "%a\n", said[r]);
        fclose(f);
        smr_string_free(bytes);
    }
    check_ctx_end(ctx);
}

static void files_of_format_2_load_and_answer_as_recorded(void **state)
{
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(kept); i++)
        for (int reader = kept[i].version; reader <= 3; reader++) {
            smr_ctx *ctx = check_ctx(1);
            smr_model *m = NULL;
            char path[100];
            double says[ROWS];
            stand_in_version = reader;
            snprintf(path, sizeof path, FOLDER "%s.model", kept[i].name);
            check_ok(ctx, smr_model_load(ctx, path, &m));
            answer(ctx, m, says);
            snprintf(path, sizeof path, FOLDER "%s.txt", kept[i].name);
            FILE *f = fopen(path, "r");
            assert_non_null(f);
            for (int r = 0; r < ROWS; r++) {
                double said = NAN;
                assert_int_equal(fscanf(f, "%la", &said), 1);
                if (said != says[r]) fail_msg("%s, row %d: %a, not %a", path, r, says[r], said);
            }
            fclose(f);
            smr_model_free(m);
            check_ctx_end(ctx);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_of_row_comes_back),
        cmocka_unit_test(a_loaded_state_lies_in_its_image_until_it_is_owned),
        cmocka_unit_test(tensors_have_good_names_once),
        cmocka_unit_test(the_stand_ins_keep_the_rules),
        cmocka_unit_test(files_of_older_versions_answer_as_they_did),
        cmocka_unit_test(members_and_sentences_in_parameters_are_upgraded_too),
        cmocka_unit_test(a_file_has_the_lowest_format_that_holds_it),
        cmocka_unit_test(files_of_newer_versions_are_refused),
        cmocka_unit_test(a_row_that_nothing_makes_is_told),
        cmocka_unit_test(wrong_versions_are_refused),
        cmocka_unit_test(rows_of_other_versions_are_refused),
        cmocka_unit_test(damaged_strings_are_refused),
        cmocka_unit_test(damaged_lists_are_refused),
        cmocka_unit_test(every_refused_allocation_is_survived),
        cmocka_unit_test(files_of_format_2_load_and_answer_as_recorded),
    };
    if (argc > 1 && strcmp(argv[1], "record") == 0) {
        record();
        return 0;
    }
    return cmocka_run_group_tests_name("versions", tests, NULL, NULL);
}
