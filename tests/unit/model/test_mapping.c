/* Loading maps large files and copies no array; what learns afterwards owns its arrays. */
#include "check.h"

#include "core/rng.h"
#include "data/image.h"
#include "learn/model.h"
#include "learn/state.h"
#include "model/model_file.h"

#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 20000, COLS = 50, ASKED = 37 };

static double *numbers(int64_t n, uint64_t seed)
{
    double *x = malloc((size_t)n * sizeof *x);
    for (int64_t i = 0; i < n; i++) x[i] = smr_random_unit(seed, SMR_STREAM_TEST, 0, (uint64_t)i);
    return x;
}

static smr_model *train(smr_ctx *ctx, const char *sentence, int64_t rows, int64_t cols)
{
    double *X = numbers(rows * cols, 5), *y = numbers(rows, 6);
    smr_table *t = NULL;
    smr_model *m = NULL;
    check_ok(ctx, smr_table_from_matrix(ctx, X, rows, cols, y, &t));
    smr_train_opts opts = {
        .size = sizeof opts, .target = "y", .keep_all = true, .task = SMR_TASK_REGRESS};
    check_ok(ctx, smr_train(ctx, sentence, t, &opts, &m));
    smr_table_free(t);
    free(X);
    free(y);
    return m;
}

static int64_t save(smr_ctx *ctx, const smr_model *m, char *path)
{
    struct stat info;
    close(mkstemp(path));
    check_ok(ctx, smr_model_save(ctx, m, path));
    assert_int_equal(stat(path, &info), 0);
    return info.st_size;
}

static void a_large_model_is_loaded_without_a_copy(void **state)
{
    char path[] = "/tmp/samara-mapping-XXXXXX";
    smr_ctx *ctx = check_ctx(2), *other = check_ctx(2);
    smr_model *m = train(ctx, "knn 3", ROWS, COLS), *back = NULL;
    int64_t length = save(ctx, m, path), peak = 0;
    double *X = numbers(ASKED * COLS, 9), said[ASKED], says[ASKED];
    (void)state;
    assert_true(length > 8 * ROWS * COLS);
    check_ok(other, smr_model_load(other, path, &back));
    /* Neither now nor on the way: what knn derives is a few numbers per row. */
    assert_true(smr_ctx_memory(other, &peak) < length / 20);
    assert_true(peak < length / 20);
    assert_true(smr_image_is_mapped(smr_model_last(back)->image));
    check_ok(ctx, smr_predict_matrix(ctx, m, X, ASKED, COLS, SMR_OUTPUT_VALUE, said));
    check_ok(other, smr_predict_matrix(other, back, X, ASKED, COLS, SMR_OUTPUT_VALUE, says));
    assert_memory_equal(said, says, sizeof said);

    /* Another model takes the file's place, as samara saves, and then it is removed. */
    smr_model *small = train(ctx, "ridge", 40, COLS);
    check_ok(ctx, smr_model_save(ctx, small, path));
    check_ok(other, smr_predict_matrix(other, back, X, ASKED, COLS, SMR_OUTPUT_VALUE, says));
    assert_memory_equal(said, says, sizeof said);
    unlink(path);
    check_ok(other, smr_predict_matrix(other, back, X, ASKED, COLS, SMR_OUTPUT_VALUE, says));
    assert_memory_equal(said, says, sizeof said);

    free(X);
    smr_model_free(small);
    smr_model_free(m);
    smr_model_free(back);
    check_ctx_end(ctx);
    check_ctx_end(other);
}

/* From memory there is one copy, and no second one of the arrays. */
static void a_model_from_memory_is_copied_once(void **state)
{
    smr_ctx *ctx = check_ctx(1), *other = check_ctx(1);
    smr_model *m = train(ctx, "knn 3", 2000, COLS), *back = NULL;
    char *bytes = NULL;
    int64_t length, peak = 0;
    (void)state;
    check_ok(ctx, smr_model_write(ctx, m, &bytes, &length));
    check_ok(other, smr_model_read(other, bytes, length, &back));
    assert_true(smr_ctx_memory(other, &peak) < length + length / 5);
    assert_true(peak < length + length / 5);
    smr_string_free(bytes);
    smr_model_free(m);
    smr_model_free(back);
    check_ctx_end(ctx);
    check_ctx_end(other);
}

enum { WIDE = 30000, FEW = 6 }; /* enough columns to make the file large */

/* Goes on with a stream from a mapped file; the same bytes as without saving in between. */
static void a_mapped_model_learns_on(void **state)
{
    static const char *const sentences[] = {"sgd", "standardize | sgd method=adam",
                                            "linear "
                                            "solver=sgd"};
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(sentences); i++) {
        char path[] = "/tmp/samara-mapping-XXXXXX", end[] = "/tmp/samara-mapping-XXXXXX";
        smr_ctx *ctx = check_ctx(1);
        double *X = numbers((int64_t)FEW * WIDE, 3), *y = numbers(FEW, 4);
        smr_table *t = NULL;
        smr_streamer *one = NULL, *two = NULL;
        smr_train_opts how = {
            .size = sizeof how, .target = "y", .keep_all = true, .task = SMR_TASK_REGRESS};
        check_ok(ctx, smr_table_from_matrix(ctx, X, FEW, WIDE, y, &t));
        check_ok(ctx, smr_stream_begin(ctx, sentences[i], t, &how, &one));
        check_ok(ctx, smr_stream_learn(ctx, one, t, NULL));
        close(mkstemp(path));
        close(mkstemp(end));
        check_ok(ctx, smr_stream_save(ctx, one, path));
        check_ok(ctx, smr_stream_load(ctx, path, NULL, &two));
        smr_model *mapped = NULL;
        check_ok(ctx, smr_model_load(ctx, path, &mapped));
        assert_true(smr_image_is_mapped(smr_model_last(mapped)->image));
        check_ok(ctx, smr_stream_learn(ctx, one, t, NULL));
        check_ok(ctx, smr_stream_learn(ctx, two, t, NULL));

        char *a = NULL, *b = NULL;
        int64_t n, m;
        check_ok(ctx, smr_model_write(ctx, smr_stream_model(one), &a, &n));
        check_ok(ctx, smr_model_write(ctx, smr_stream_model(two), &b, &m));
        assert_int_equal(n, m);
        assert_memory_equal(a, b, (size_t)n);
        assert_null(smr_model_last(smr_stream_model(two))->image);
        smr_string_free(a);
        smr_string_free(b);
        smr_model_free(mapped);
        smr_stream_free(one);
        smr_stream_free(two);
        smr_table_free(t);
        free(X);
        free(y);
        unlink(path);
        unlink(end);
        check_ctx_end(ctx);
    }
}

/* Whether a file is mapped or read makes no difference to what is refused. */
static void a_damaged_large_file_is_refused(void **state)
{
    char path[] = "/tmp/samara-mapping-XXXXXX";
    smr_ctx *ctx = check_ctx(1);
    smr_model *m = train(ctx, "knn 3", 4000, COLS), *back = NULL;
    int64_t length = save(ctx, m, path);
    (void)state;
    FILE *f = fopen(path, "r+b");
    assert_int_equal(fseek(f, (long)length / 2, SEEK_SET), 0);
    int c = fgetc(f);
    assert_int_equal(fseek(f, (long)length / 2, SEEK_SET), 0);
    fputc(c ^ 1, f);
    fclose(f);
    check_fails(ctx, smr_model_load(ctx, path, &back), SMR_ERR_FORMAT, "do not match its checksum");
    assert_null(back);
    assert_int_equal(truncate(path, length - 1000), 0);
    check_fails(ctx, smr_model_load(ctx, path, &back), SMR_ERR_FORMAT, "do not match its checksum");
    unlink(path);
    smr_model_free(m);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_model_is_loaded_without_a_copy),
        cmocka_unit_test(a_model_from_memory_is_copied_once),
        cmocka_unit_test(a_mapped_model_learns_on),
        cmocka_unit_test(a_damaged_large_file_is_refused),
    };
    return cmocka_run_group_tests_name("mapping", tests, NULL, NULL);
}
