/* Model files: what a right checksum must not get past the loader, and the round trip to disk. */
#include "check.h"

#include "learn/model.h"
#include "model/model_file.h"
#include "model/safetensors.h"

#include <dirent.h>
#include <unistd.h>

/* y = 2 a + colour: numbers, a category, a gap. */
static smr_model *make_model(smr_ctx *ctx, const char *sentence)
{
    double X[24], y[12];
    smr_table *t = NULL;
    smr_model *m = NULL;
    for (int i = 0; i < 12; i++) {
        X[2 * i] = 0.37 * i + 0.11 * (i % 5);
        X[2 * i + 1] = 2.1 - 0.4 * (i % 3) + 0.01 * i * i;
        y[i] = 1.3 * X[2 * i] - 0.7 * X[2 * i + 1] + 0.05 * (i % 4);
    }
    check_ok(ctx, smr_table_from_matrix(ctx, X, 12, 2, y, &t));
    smr_train_opts opts = {.size = sizeof opts, .target = "y", .keep_all = true};
    check_ok(ctx, smr_train(ctx, sentence, t, &opts, &m));
    smr_table_free(t);
    return m;
}

struct opened {
    char *block;
    smr_safetensors file;
    smr_file_meta meta[32];
    smr_file_tensor tensors[64];
};

/* A model's file taken apart, so that a test can change a piece and put it together again. */
static void open_model(smr_ctx *ctx, const char *sentence, struct opened *o)
{
    smr_model *m = make_model(ctx, sentence);
    int64_t n;
    char *bytes = NULL;
    check_ok(ctx, smr_model_write(ctx, m, &bytes, &n));
    o->block = bytes;
    check_ok(ctx, smr_safetensors_read(ctx, o->block, n, &o->file));
    int64_t kept = 0;
    for (int64_t i = 0; i < o->file.n_meta; i++)
        if (strcmp(o->file.meta[i].key, "sha256") != 0) o->meta[kept++] = o->file.meta[i];
    o->file.n_meta = kept;
    for (int64_t i = 0; i < o->file.n_tensors; i++) o->tensors[i] = o->file.tensors[i];
    smr_model_free(m);
}

static void close_model(struct opened *o)
{
    smr_safetensors_release(&o->file);
    smr_free(o->block);
}

static smr_status reload(smr_ctx *ctx, const struct opened *o, int64_t n_tensors)
{
    void *bytes = NULL;
    int64_t n = 0;
    smr_model *m = NULL;
    check_ok(ctx, smr_safetensors_bytes(ctx, o->tensors, n_tensors, o->meta, o->file.n_meta, &bytes,
                                        &n));
    smr_status st = smr_model_read(ctx, bytes, n, &m);
    smr_model_free(m);
    smr_free(bytes);
    return st;
}

static void set_meta(struct opened *o, const char *key, const char *value)
{
    for (int64_t i = 0; i < o->file.n_meta; i++)
        if (strcmp(o->meta[i].key, key) == 0) {
            o->meta[i].value = value;
            return;
        }
    fail_msg("no metadata %s", key);
}

static smr_file_tensor *find(struct opened *o, const char *name)
{
    for (int64_t i = 0; i < o->file.n_tensors; i++)
        if (strcmp(o->tensors[i].name, name) == 0) return &o->tensors[i];
    fail_msg("no tensor %s", name);
    return NULL;
}

static void an_unchanged_file_put_together_again_loads(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct opened o = {0};
    (void)state;
    open_model(ctx, "standardize | poly 2 | ridge 0.1,1", &o);
    check_ok(ctx, reload(ctx, &o, o.file.n_tensors));
    close_model(&o);
    check_ctx_end(ctx);
}

/* Earlier versions kept values in the sentence that were not read. */
static void sentences_of_earlier_versions_load(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct opened o = {0};
    (void)state;
    open_model(ctx, "standardize | ridge path=7", &o);
    set_meta(&o, "spec",
             "columns unseen=missing dates=days target=as_is | standardize center=yes scale=yes | "
             "ridge l2=1 path=7 fit_intercept=yes");
    check_ok(ctx, reload(ctx, &o, o.file.n_tensors));
    close_model(&o);
    check_ctx_end(ctx);
}

/* The map of the targets is stage 0, and the sentence says whether there is one. */
static void a_map_of_the_targets_must_fit_the_sentence(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct opened o = {0};
    (void)state;
    open_model(ctx, "columns target=power | linear", &o);
    check_ok(ctx, reload(ctx, &o, o.file.n_tensors));
    double lambda = NAN;
    smr_file_tensor *t = find(&o, "0.power.lambda");
    const void *was = t->data;
    t->data = &lambda;
    check_fails(ctx, reload(ctx, &o, o.file.n_tensors), SMR_ERR_FORMAT,
                "power: number 1 of its lambda is nan, and must be finite");
    t->data = was;
    t->name = "0.power.other";
    check_fails(ctx, reload(ctx, &o, o.file.n_tensors), SMR_ERR_FORMAT, "0.power.lambda");
    t->name = "0.power.lambda";
    static const char *const targets[] = {
        "{\"task\":\"regress\",\"names\":[\"y\",\"z\"],\"classes\":[],\"positive\":0}",
        "{\"task\":\"regress\",\"names\":[\"y\"],\"classes\":[],\"positive\":0,\"mean\":[1],"
        "\"sd\":[2]}",
        "{\"task\":\"classify\",\"names\":[\"y\"],\"classes\":[\"a\",\"b\"],\"positive\":1}",
    };
    for (int64_t k = 0; k < SMR_COUNT(targets); k++) {
        set_meta(&o, "target", targets[k]);
        check_fails(ctx, reload(ctx, &o, o.file.n_tensors), SMR_ERR_FORMAT,
                    k ? "its target is not what its sentence says" : "");
    }
    close_model(&o);
    o = (struct opened){0};
    open_model(ctx, "columns target=log1p | linear", &o);
    set_meta(&o, "spec", "columns unseen=missing dates=days target=as_is | linear");
    check_fails(ctx, reload(ctx, &o, o.file.n_tensors), SMR_ERR_FORMAT, "");
    close_model(&o);
    check_ctx_end(ctx);
}

/* Optional, so that older files load; what is there must be a range of numbers. */
static void a_range_of_a_column_is_checked(void **state)
{
    static const char *const ranges[] = {"[2,1]",     "[1]",      "[1,2,3]", "{}",
                                         "[\"1\",2]", "[1,null]", "3",       "[-1e999,1]"};
    smr_ctx *ctx = check_ctx(1);
    struct opened o = {0};
    char schema[256];
    (void)state;
    open_model(ctx, "linear", &o);
    set_meta(&o, "schema",
             "{\"columns\":[{\"name\":\"0\",\"kind\":\"number\",\"missing\":false},{\"name\":"
             "\"1\",\"kind\":\"number\",\"missing\":false,\"range\":[-2.5,-2.5]}],\"sparse\":0,"
             "\"aside\":[],\"item_shape\":[]}");
    check_ok(ctx, reload(ctx, &o, o.file.n_tensors));
    for (int64_t k = 0; k < SMR_COUNT(ranges); k++) {
        snprintf(schema, sizeof schema,
                 "{\"columns\":[{\"name\":\"0\",\"kind\":\"number\",\"range\":%s},{\"name\":"
                 "\"1\",\"kind\":\"number\"}],\"sparse\":0,\"aside\":[],\"item_shape\":[]}",
                 ranges[k]);
        set_meta(&o, "schema", schema);
        check_fails(ctx, reload(ctx, &o, o.file.n_tensors), SMR_ERR_FORMAT,
                    k < 7 ? "the range of a column" : "");
    }
    set_meta(&o, "schema",
             "{\"columns\":[{\"name\":\"0\",\"kind\":\"date\",\"range\":[1,2]},{\"name\":"
             "\"1\",\"kind\":\"number\"}],\"sparse\":0,\"aside\":[],\"item_shape\":[]}");
    check_fails(ctx, reload(ctx, &o, o.file.n_tensors), SMR_ERR_FORMAT, "the range of a column");
    close_model(&o);
    check_ctx_end(ctx);
}

static void wrong_metadata_is_refused(void **state)
{
    static const struct {
        const char *key, *value, *part;
    } cases[] = {
        {"format", "samara 3", "reads up to 2: use a newer samara"},
        {"format", "samara 2", "the versions of its learners"},
        {"format", "samara x", "format number"},
        {"format", "pickle 1", "not a samara model"},
        {"spec", "standardize | knn", "sentence"},
        {"spec", "columns | standardise | linear", "there is no learner"},
        {"spec", "columns | standardize | linear fit_intercept=perhaps method=auto",
         "is not yes or no"},
        {"spec", "columns", "no stage after columns"},
        {"inserted", "1", "sentence"},
        {"schema", "{}", "schema"},
        {"schema", "{\"columns\":[],\"sparse\":0,\"aside\":[],\"item_shape\":[]}", "no inputs"},
        {"schema",
         "{\"columns\":[{\"name\":\"a\",\"kind\":\"colour\"}],\"sparse\":0,\"aside\":[],\"item_"
         "shape\":[]}",
         "kind"},
        {"schema",
         "{\"columns\":[{\"name\":\"a\",\"kind\":\"number\"}],\"sparse\":0,\"aside\":[],\"item_"
         "shape\":[]}",
         "features"},
        {"target", "{\"task\":\"guess\"}", "target"},
        {"target", "{\"task\":\"classify\",\"names\":[\"y\"],\"classes\":[\"a\"],\"positive\":0}",
         "classes"},
        {"target", "not json", ""},
        {"seed", "-1", "seed"},
        {"seed", "99999999999999999999", "seed"},
        {"rows", "many", "rows"},
        {"fit", "0 nan maybe", "fit"},
    };
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    for (int64_t i = 0; i < SMR_COUNT(cases); i++) {
        struct opened o = {0};
        open_model(ctx, "standardize | linear", &o);
        set_meta(&o, cases[i].key, cases[i].value);
        check_fails(ctx, reload(ctx, &o, o.file.n_tensors), SMR_ERR_FORMAT, cases[i].part);
        close_model(&o);
    }
    check_ctx_end(ctx);
}

static void wrong_tensors_are_refused(void **state)
{
    static const int64_t absurd = INT64_C(1) << 40, two = 2;
    static const double numbers[4] = {1, 2, 3, 4};
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    for (int which = 0; which < 6; which++) {
        struct opened o = {0};
        open_model(ctx, "standardize | linear", &o);
        int64_t n = o.file.n_tensors;
        smr_file_tensor *t =
            find(&o, which < 3 ? "1.standardize.mean" : "1.standardize.n_features");
        if (which == 0) t->shape[0] = 1;
        if (which == 1) t->dtype = SMR_I64;
        if (which == 2) t->name = "1.standardize.median";
        if (which == 3) t->data = &absurd;
        if (which == 4)
            *t = (smr_file_tensor){
                .name = t->name, .dtype = SMR_I64, .n_dims = 1, .shape = {1}, .data = &two};
        if (which == 5)
            o.tensors[n++] = (smr_file_tensor){
                .name = "9.extra", .dtype = SMR_F64, .n_dims = 1, .shape = {4}, .data = numbers};
        check_fails(ctx, reload(ctx, &o, n), SMR_ERR_FORMAT,
                    which == 5 ? "does not explain" : "1.standardize");
        close_model(&o);
    }
    check_ctx_end(ctx);
}

static void references_between_arrays_are_checked(void **state)
{
    static const int64_t three = 3;
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    struct opened o = {0};
    open_model(ctx, "poly 2 | linear", &o);
    find(&o, "1.poly.n_features")->data = &three; /* the schema has two */
    check_fails(ctx, reload(ctx, &o, o.file.n_tensors), SMR_ERR_FORMAT,
                "poly has 3 features where 2 come in");
    close_model(&o);
    check_ctx_end(ctx);
}

/* What must hold of the stages that change features one by one is said in their tables. */
static void stages_over_each_feature_are_checked(void **state)
{
    static const double none[2] = {NAN, 1}, zero[2] = {1, 0}, high[2] = {1, 1e9};
    static const int64_t start[3] = {1, 1, 1};
    static const uint8_t twice[2] = {1, 2};
    static const struct {
        const char *sentence, *tensor, *part;
        const void *data;
    } cases[] = {
        {"scale | ridge", "1.scale.unit", "scale: number 2 of its unit is 0, and must be", zero},
        {"scale | ridge", "1.scale.middle", "scale: number 1 of its middle is nan", none},
        {"power | ridge", "1.power.least", "power: the least value of feature 2 is above its",
         high},
        {"ranks | ridge", "1.ranks.start", "ranks: its start does not begin at 0 and end", start},
        {"bin 3 | ridge", "1.bin.start", "bin: its start does not begin at 0 and end", start},
        {"bin 3 | ridge", "1.bin.changed", "bin: number 2 of its changed is 2, and must", twice},
        {"clip 0.1 | ridge", "1.clip.low", "clip: number 1 of its low is nan, and must be", none},
        {"log | ridge", "1.log.changed", "log: number 2 of its changed is 2, and must lie", twice},
        {"hash 4 | ridge", "1.hash.offset", "hash: number 1 of its offset is 1, and must lie",
         start},
    };
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(cases); i++) {
        struct opened o = {0};
        open_model(ctx, cases[i].sentence, &o);
        check_ok(ctx, reload(ctx, &o, o.file.n_tensors));
        find(&o, cases[i].tensor)->data = cases[i].data;
        check_fails(ctx, reload(ctx, &o, o.file.n_tensors), SMR_ERR_FORMAT, cases[i].part);
        close_model(&o);
    }
    struct opened o = {0};
    open_model(ctx, "log shift=3 | ridge", &o);
    set_meta(&o, "schema",
             "{\"columns\":[{\"name\":\"0\",\"kind\":\"category\",\"levels\":[\"a\"]},{"
             "\"name\":\"1\",\"kind\":\"number\"}],\"sparse\":0,\"aside\":[],\"item_shape\":"
             "[]}");
    check_fails(ctx, reload(ctx, &o, o.file.n_tensors), SMR_ERR_FORMAT,
                "log changes numbers, and feature 1 that comes in is none");
    close_model(&o);
    o = (struct opened){0};
    open_model(ctx, "log shift=3 | ridge", &o);
    set_meta(&o, "spec", "columns | log | ridge l2=1 path=0");
    check_fails(ctx, reload(ctx, &o, o.file.n_tensors), SMR_ERR_FORMAT,
                "log: its least is there where it should not be (shift!=none)");
    close_model(&o);
    check_ctx_end(ctx);
}

static void a_file_is_saved_and_loaded(void **state)
{
    char path[] = "/tmp/samara-test-XXXXXX";
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_model *m = make_model(ctx, "standardize | knn 2"), *back = NULL;
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    check_ok(ctx, smr_model_save(ctx, m, path));
    check_ok(ctx, smr_model_load(ctx, path, &back));
    assert_int_equal(smr_model_n_inputs(back), 2);
    assert_string_equal(smr_model_input_name(back, 1), "1");
    unlink(path);
    smr_model_free(back);
    back = NULL;
    check_fails(ctx, smr_model_load(ctx, path, &back), SMR_ERR_IO, path);
    smr_model_free(m);
    check_ctx_end(ctx);
}

static int64_t files_in(const char *folder)
{
    int64_t n = 0;
    DIR *list = opendir(folder);
    assert_non_null(list);
    while (readdir(list)) n++;
    closedir(list);
    return n - 2;
}

/* The old file stays, and nothing beside it; what keeps the work is written all the same. */
static void a_save_that_is_cancelled_leaves_no_file(void **state)
{
    char folder[] = "/tmp/samara-test-XXXXXX", path[64];
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = make_model(ctx, "knn 2"), *other = make_model(ctx, "linear"), *back = NULL;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.smr", folder);
    smr_ctx_cancel(ctx);
    check_fails(ctx, smr_model_save(ctx, m, path), SMR_ERR_CANCELLED, "cancelled");
    assert_int_equal(files_in(folder), 0);
    smr_ctx_clear(ctx);
    check_ok(ctx, smr_model_save(ctx, other, path));
    smr_cancel_at(ctx, 3); /* of two tensors at least, each hashed, then written */
    check_fails(ctx, smr_model_save(ctx, m, path), SMR_ERR_CANCELLED, "cancelled");
    smr_cancel_at(ctx, 0);
    assert_int_equal(files_in(folder), 1);
    smr_ctx_clear(ctx);
    check_ok(ctx, smr_model_load(ctx, path, &back));
    assert_string_equal(back->stages[0].learner->word->name, "linear");
    smr_model_free(back);
    smr_ctx_cancel(ctx);
    check_ok(ctx, smr_model_keep(ctx, m, path));
    smr_ctx_clear(ctx);
    check_ok(ctx, smr_model_load(ctx, path, &back));
    assert_string_equal(back->stages[0].learner->word->name, "knn");
    unlink(path);
    rmdir(folder);
    smr_model_free(back);
    smr_model_free(other);
    smr_model_free(m);
    check_ctx_end(ctx);
}

/* What the file says about the member of "conformal 0.5 of=(ridge)", changed piece by piece. */
#define MEMBER(spec, inserted, rest) \
    "{\"1.conformal.of.0\":{\"spec\":\"" spec "\",\"inserted\":\"" inserted "\"," rest "}}"
#define RIDGE "ridge l2=1 path=0 fit_intercept=yes"
#define SHAPE "\"task\":\"regress\",\"inputs\":2,\"outputs\":1,\"classes\":0"

static void members_are_checked(void **state)
{
    static const struct {
        const char *members, *part;
    } cases[] = {
        {MEMBER(RIDGE, "0", SHAPE), NULL}, /* as it is */
        {"{}", "members are not there"},
        {"[]", "members are not there"},
        {"{\"1.conformal.of.1\":{}}", "member 1.conformal.of.0 is not there"},
        {MEMBER("rigde", "0", SHAPE), "there is no learner 'rigde'"},
        {MEMBER(RIDGE, "00", SHAPE), "its sentence"},
        {MEMBER("columns | " RIDGE, "00", SHAPE), "its sentence"},
        {MEMBER(RIDGE " | knn", "00", SHAPE), "can only be at the end"},
        {MEMBER("linear", "0", SHAPE), "1.conformal.of.0.0.linear"},
        {MEMBER(RIDGE, "0", "\"task\":\"guess\",\"inputs\":2,\"outputs\":1,\"classes\":0"),
         "the shape of a member"},
        {MEMBER(RIDGE, "0", "\"task\":\"classify\",\"inputs\":2,\"outputs\":1,\"classes\":1"),
         "the shape of a member"},
        {MEMBER(RIDGE, "0", "\"task\":\"regress\",\"inputs\":2.5,\"outputs\":1,\"classes\":0"),
         "the shape of a member"},
        {MEMBER(RIDGE, "0", "\"task\":\"regress\",\"inputs\":3,\"outputs\":1,\"classes\":0"),
         "a member of 3 features where 2 come in"},
        {MEMBER(RIDGE, "0", "\"task\":\"regress\",\"inputs\":2,\"outputs\":2,\"classes\":0"),
         "conformal: number 1 of its of answers something else than the model"},
        {MEMBER(RIDGE, "0", SHAPE ",\"features\":[\"a\",\"b\",\"c\"]"), "the features of a member"},
        {MEMBER(RIDGE, "0", SHAPE ",\"features\":[]"), "the features of a member"},
        {MEMBER(RIDGE, "0", SHAPE ",\"features\":[\"a\"]"), /* its own and the parent's 2 are 3 */
         "number 1 of its of reads features of its own"},
        {MEMBER(RIDGE, "0", SHAPE ",\"features\":[\"a\",\"b\"]"),
         "number 1 of its of reads features of its own"},
        {"{\"1.conformal.of.0\":{\"spec\":\"" RIDGE "\",\"inserted\":\"0\"," SHAPE "},\"more\":{}}",
         "members that its sentence does not explain"},
    };
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(cases); i++) {
        struct opened o = {0};
        open_model(ctx, "conformal 0.5 of=(ridge)", &o);
        set_meta(&o, "members", cases[i].members);
        if (cases[i].part)
            check_fails(ctx, reload(ctx, &o, o.file.n_tensors), SMR_ERR_FORMAT, cases[i].part);
        else
            check_ok(ctx, reload(ctx, &o, o.file.n_tensors));
        close_model(&o);
    }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unchanged_file_put_together_again_loads),
        cmocka_unit_test(sentences_of_earlier_versions_load),
        cmocka_unit_test(a_map_of_the_targets_must_fit_the_sentence),
        cmocka_unit_test(a_range_of_a_column_is_checked),
        cmocka_unit_test(wrong_metadata_is_refused),
        cmocka_unit_test(wrong_tensors_are_refused),
        cmocka_unit_test(references_between_arrays_are_checked),
        cmocka_unit_test(stages_over_each_feature_are_checked),
        cmocka_unit_test(a_file_is_saved_and_loaded),
        cmocka_unit_test(a_save_that_is_cancelled_leaves_no_file),
        cmocka_unit_test(members_are_checked),
    };
    return cmocka_run_group_tests_name("model file", tests, NULL, NULL);
}
