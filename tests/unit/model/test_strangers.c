/* Files in which a stranger changed one thing and mended the checksum: each was once loaded, and
 * then read or written outside its memory, or overflowed.  They are the fuzz target's seeds. */
#include "check.h"

#include "core/mem.h"
#include "learn/stages.h"
#include "learn/state.h"
#include "model/model_file.h"

struct opened {
    char *block;
    smr_safetensors file;
    smr_file_meta meta[32];
    smr_file_tensor tensors[256];
    int64_t n_meta, n_tensors;
};

static void open_seed(smr_ctx *ctx, const char *name, struct opened *o)
{
    char path[256];
    snprintf(path, sizeof path, "tests/fuzz/corpus/model/%s", name);
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s is not there", path);
    assert_non_null(o->block = smr_alloc(ctx, 1 << 20, 1));
    int64_t n = (int64_t)fread(o->block, 1, 1 << 20, f);
    fclose(f);
    check_ok(ctx, smr_safetensors_read(ctx, o->block, n, &o->file));
    assert_true(o->file.n_tensors <= SMR_COUNT(o->tensors) && o->file.n_meta < 32);
    for (int64_t i = 0; i < o->file.n_meta; i++)
        if (strcmp(o->file.meta[i].key, "sha256") != 0) o->meta[o->n_meta++] = o->file.meta[i];
    for (int64_t i = 0; i < o->file.n_tensors; i++) o->tensors[o->n_tensors++] = o->file.tensors[i];
}

static smr_status reload(smr_ctx *ctx, const struct opened *o)
{
    void *bytes = NULL;
    int64_t n = 0;
    smr_model *m = NULL;
    check_ok(ctx,
             smr_safetensors_bytes(ctx, o->tensors, o->n_tensors, o->meta, o->n_meta, &bytes, &n));
    smr_status st = smr_model_read(ctx, bytes, n, &m);
    smr_model_free(m);
    smr_free(bytes);
    return st;
}

/* The tensor whose name ends so. */
static int64_t find(const struct opened *o, const char *end)
{
    for (int64_t i = 0; i < o->n_tensors; i++) {
        size_t n = strlen(o->tensors[i].name), m = strlen(end);
        if (n >= m && strcmp(o->tensors[i].name + n - m, end) == 0) return i;
    }
    fail_msg("no tensor ends with %s", end);
    return -1;
}

static void drop(struct opened *o, int64_t k)
{
    o->tensors[k] = o->tensors[--o->n_tensors];
}

enum { DROP = -1 };

static const struct {
    const char *seed, *tensor;
    int64_t at, value; /* of whole numbers; at DROP: the tensor is gone */
    const char *message;
} cases[] = {
    {"boost", ".boost.n_classes", 0, 5, "boost has 5 classes where 0 are the model's"},
    {"boost_three", ".boost.n_classes", 0, 2, "boost has 2 classes where 3 are the model's"},
    {"svm", ".svm.listed", DROP, 0, "svm: its listed is missing (n_listed)"},
    {"svm", ".svm.alpha", DROP, 0, "svm: its alpha is missing (n_listed)"},
    {"logistic_infer", ".logistic.intercept_error", DROP, 0,
     "logistic: its intercept_error is missing (std_error)"},
    {"stream_sgd", ".standardize.middle", DROP, 0, "standardize: its middle is missing (seen)"},
    {"stream_sgd", ".standardize.seen", DROP, 0,
     "standardize: its middle is there where it should not be (seen)"},
    {"onehot", ".onehot.first", 1, INT64_MAX, "of its first is 9223372036854775807"},
    {"onehot", ".onehot.offset", 1, INT64_MIN, "of its offset is -9223372036854775808"},
    {"onehot", ".onehot.slot", 0, 99, "number 1 of its slot is 99"},
    {"words", ".words.start", 1, INT64_MIN, "of its start is -9223372036854775808"},
    {"words", ".words.first", 1, 1, "its first does not begin at 0 and end"},
    {"lasso", ".lasso.chosen", 0, 3, "number 1 of its chosen is 3, and must lie from 0 to 2"},
    {"stream_kmeans", ".kmeans.n_waiting", 0, 50, "rows wait for a start"},
    {"kmeans", ".kmeans.x_feature", 0, 2, "its x_feature is 2, and must be below 2 (features)"},
    {"softkmeans", ".softkmeans.y_feature", 0, 9, "its y_feature is 9, and must be below"},
    {"lasso", ".lasso.path_column", 0, -1, "number 1 of its path_column is -1"},
    {"knn", ".knn.label", 3, 3, "number 4 of its label is 3, and must lie from 0 to 2"},
    {"subspace", ".subspace.kept", 0, 5, "number 1 of its kept is 5"},
    {"perceptron", ".perceptron.n_classes", 0, 2, "perceptron has 2 classes where 3 are"},
    {"ovo", ".ovo.second", 0, 7, "number 1 of its second is 7"},
};

static void set(smr_file_tensor *t, int64_t at, int64_t value)
{
    void *data = (void *)(uintptr_t)t->data;
    assert_true(at < t->n && (t->dtype == SMR_I64 || t->dtype == SMR_I32));
    if (t->dtype == SMR_I64)
        ((int64_t *)data)[at] = value;
    else
        ((int32_t *)data)[at] = (int32_t)value;
}

static void what_a_stranger_changed_is_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(cases); i++) {
        static struct opened o;
        o = (struct opened){0};
        open_seed(ctx, cases[i].seed, &o);
        check_ok(ctx, reload(ctx, &o));
        int64_t k = find(&o, cases[i].tensor);
        if (cases[i].at == DROP)
            drop(&o, k);
        else
            set(&o.tensors[k], cases[i].at, cases[i].value);
        check_fails(ctx, reload(ctx, &o), SMR_ERR_FORMAT, cases[i].message);
        smr_safetensors_release(&o.file);
        smr_free(o.block);
    }
    check_ctx_end(ctx);
}

static const struct {
    const char *seed, *key, *value, *message;
} metadata[] = {
    {"stream_sgd", "rows", "9223372036854775807", "the model file is damaged: rows"},
    {"stream_sgd", "rows", "9007199254740993", "the model file is damaged: rows"},
    {"stream_sgd", "fit", "9007199254740993 0 yes", "its report of the fit"},
    {"bag", "members", "[]", "the model file is damaged: members are not there"},
    {"bag", "members", "{}", "members are not there"},
    {"standardize", "inserted", "11", "which of its stages were inserted"},
    {"standardize", "inserted", "x0", "which of its stages were inserted"},
    {"perceptron", "spec", "columns | perceptron variant=plain",
     "perceptron: a mean of the weights belongs to variant=averaged alone"},
    {"bayesnet_naive", "spec", "columns | bayesnet naive inference=sampling samples=1e9",
     "bayesnet: samples = 1e9 is outside [1, 100000]"},
    {"baseline", "schema", "{\"columns\":[],\"sparse\":2147483647,\"aside\":[],\"item_shape\":[]}",
     "the model reads 2147483647 sparse columns, and a file of this size has room for 178"},
};

static void what_a_stranger_wrote_in_the_metadata_is_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(metadata); i++) {
        static struct opened o;
        int64_t k = 0;
        o = (struct opened){0};
        open_seed(ctx, metadata[i].seed, &o);
        while (k < o.n_meta && strcmp(o.meta[k].key, metadata[i].key) != 0) k++;
        assert_true(k < o.n_meta);
        o.meta[k].value = metadata[i].value;
        check_fails(ctx, reload(ctx, &o), SMR_ERR_FORMAT, metadata[i].message);
        smr_safetensors_release(&o.file);
        smr_free(o.block);
    }
    check_ctx_end(ctx);
}

/* Members are looked up, wherever in the list they are. */
static void members_may_be_listed_in_any_order(void **state)
{
    static struct opened o;
    static char turned[8192];
    smr_ctx *ctx = check_ctx(1);
    int64_t k = 0;
    (void)state;
    open_seed(ctx, "bag", &o);
    while (strcmp(o.meta[k].key, "members") != 0) k++;
    const char *list = o.meta[k].value, *second = strstr(list, "\"1.bag.of.1\":");
    assert_non_null(second);
    size_t first = (size_t)(second - list) - 2, rest = strlen(second) - 1;
    assert_true(first + rest + 4 < sizeof turned);
    snprintf(turned, sizeof turned, "{%.*s,%.*s}", (int)rest, second, (int)first, list + 1);
    o.meta[k].value = turned;
    check_ok(ctx, reload(ctx, &o));
    turned[2]++; /* "2.bag.of.1" */
    check_fails(ctx, reload(ctx, &o), SMR_ERR_FORMAT, "member 1.bag.of.1 is not there");
    smr_safetensors_release(&o.file);
    smr_free(o.block);
    check_ctx_end(ctx);
}

/* The last category of a file of a thousand bytes had a hundred million levels. */
static void a_coding_has_no_more_features_than_levels(void **state)
{
    static struct opened o;
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    open_seed(ctx, "onehot", &o);
    o.tensors[find(&o, ".onehot.weight")] = o.tensors[--o.n_tensors];
    o.tensors[find(&o, ".onehot.known")] = o.tensors[--o.n_tensors];
    check_ok(ctx, reload(ctx, &o));
    set(&o.tensors[find(&o, ".onehot.n_outputs")], 0, 1 << 27);
    check_fails(ctx, reload(ctx, &o), SMR_ERR_FORMAT,
                "its n_outputs is 134217728, and must be at most 5 (n_slots + n_features)");
    smr_safetensors_release(&o.file);
    smr_free(o.block);
    check_ctx_end(ctx);
}

/* Names of features take memory, and each of the stages of a short sentence may ask for a million:
 * there is room for as many as the file has bytes, and some more. */
static void stages_make_no_more_features_than_there_is_room_for(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = NULL;
    (void)state;
    check_ok(ctx, smr_model_load(ctx, "tests/fuzz/corpus/model/impute", &m));
    int64_t needs = 0;
    for (int64_t s = 0; s < m->n_stages; s++) needs += m->stages[s].n_out;
    assert_true(m->n_stages > 1 && needs > 3);
    for (int64_t short_of = 1; short_of >= 0; short_of--) {
        for (int64_t s = 0; s < m->n_stages; s++) {
            smr_features_free(m->stages[s].features, m->stages[s].n_out);
            m->stages[s].features = NULL;
            m->stages[s].n_out = 0;
        }
        int64_t room = needs - short_of;
        smr_shape shape = smr_model_shape(m);
        shape.room = &room;
        smr_status st = smr_stages_link(ctx, m->stages, m->n_stages, m->features, &shape);
        if (short_of)
            check_fails(ctx, st, SMR_ERR_FORMAT,
                        "features, and the stages of a file of this size have room for");
        else
            check_ok(ctx, st);
        assert_int_equal(room >= 0, true);
    }
    smr_model_free(m);
    check_ctx_end(ctx);
}

/* Rows of a picture without features to draw them by. */
static void a_picture_has_features_or_no_rows(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    static const char *const seeds[] = {"dbscan", "agglomerate"};
    for (int64_t i = 0; i < SMR_COUNT(seeds); i++) {
        static struct opened o;
        o = (struct opened){0};
        open_seed(ctx, seeds[i], &o);
        set(&o.tensors[find(&o, ".n_axes")], 0, 0);
        drop(&o, find(&o, ".axis"));
        drop(&o, find(&o, ".shown"));
        check_fails(ctx, reload(ctx, &o), SMR_ERR_FORMAT, "n_shown");
        smr_safetensors_release(&o.file);
        smr_free(o.block);
    }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_stranger_changed_is_refused),
        cmocka_unit_test(a_picture_has_features_or_no_rows),
        cmocka_unit_test(what_a_stranger_wrote_in_the_metadata_is_refused),
        cmocka_unit_test(members_may_be_listed_in_any_order),
        cmocka_unit_test(a_coding_has_no_more_features_than_levels),
        cmocka_unit_test(stages_make_no_more_features_than_there_is_room_for)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
