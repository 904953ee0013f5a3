/* Learning from a stream: the same model however it is cut, by any threads, stopped and resumed
 * anywhere; memory that does not grow with the rows; bad rows. */
#include "said.h"

#include "core/rng.h"
#include "core/text.h"
#include "model/model_file.h"
#include "study/stream.h"

#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 1203 };

static double draw(uint64_t a, uint64_t b)
{
    return (double)smr_random_below(5, SMR_STREAM_TEST, a, b, 1 << 30) / (1 << 29) - 1;
}

/* x, y, a colour, a gap now and then, a weight, two classes. */
static void write_rows(FILE *f, int64_t from, int64_t to)
{
    static const char *const colours[] = {"red", "green", "\"bl,ue\""};
    for (int64_t i = from; i < to; i++) {
        double x = draw((uint64_t)i, 1), y = draw((uint64_t)i, 2);
        int64_t c = (i * 7) % 3;
        bool yes = x + 0.5 * y + (c == 0) + 0.3 * draw((uint64_t)i, 3) > 0.3;
        if (i % 17 == 5)
            fprintf(f, ",");
        else
            fprintf(f, "%.17g,", x);
        fprintf(f, "%.9f,%s,%d,%s\n", 10 * y, colours[c], (int)(i % 3), yes ? "yes" : "no");
    }
}

static const char *make_file(int64_t rows, const char *bad, int64_t bad_at)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/smr-stream-%d.csv", (int)getpid());
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("x,y,colour,w,label\n", f);
    write_rows(f, 0, bad_at);
    fputs(bad, f);
    write_rows(f, bad_at, rows);
    fclose(f);
    return path;
}

static char *model_path(const char *name)
{
    static char paths[4][64];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, 64, "/tmp/smr-stream-%d-%s.smr", (int)getpid(), name);
    return path;
}

static const char *sentence; /* of the stream; NULL: the model's own */

static smr_stream_ask ask_for(const char *data, const char *output)
{
    sentence = "impute | standardize | onehot | sgd loss=logistic";
    return (smr_stream_ask){.data = data,
                            .output = output,
                            .pieces = {.read.header = -1, .warm_rows = 100, .piece_bytes = 5000},
                            .about = {.target = "label", .weight = "w"}};
}

static smr_status run(smr_ctx *ctx, const smr_stream_ask *ask, double *error)
{
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_create(ctx, &doc));
    smr_spec *spec = sentence ? parsed(ctx, sentence) : NULL;
    smr_stream_ask with = *ask;
    with.spec = spec;
    smr_status st = smr_stream_run(ctx, &with, smr_json_root(doc));
    smr_spec_free(spec);
    const smr_json *m = smr_json_get(smr_json_root(doc), "measures");
    if (error) *error = smr_json_get_number(m, "error", NAN);
    smr_json_free(doc);
    return st;
}

static void check_same_file(const char *a, const char *b)
{
    char x[100000], y[100000];
    FILE *f = fopen(a, "rb"), *g = fopen(b, "rb");
    assert_non_null(f);
    assert_non_null(g);
    size_t n = fread(x, 1, sizeof x, f), m = fread(y, 1, sizeof y, g);
    fclose(f);
    fclose(g);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
}

static void cutting_and_threads_do_not_change_a_byte(void **state)
{
    const char *data = make_file(ROWS, "", 0), *first = model_path("a"), *other = model_path("b");
    double error, again;
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_stream_ask ask = ask_for(data, first);
    check_ok(ctx, run(ctx, &ask, &error));
    assert_true(error < 0.2);
    check_ctx_end(ctx);
    for (int k = 0; k < 4; k++) {
        static const int64_t pieces[] = {60, 333, 20001, 1 << 20};
        ctx = check_ctx(1 + k);
        ask.output = other;
        ask.pieces.piece_bytes = pieces[k];
        ask.save_every = k == 1 ? 77 : 0;
        check_ok(ctx, run(ctx, &ask, &again));
        assert_true(error == again);
        check_same_file(first, other);
        check_ctx_end(ctx);
    }
    unlink(first);
    unlink(other);
    unlink(data);
}

static void a_stream_that_was_cut_off_goes_on_bit_by_bit(void **state)
{
    static const int64_t cuts[] = {101, 250, 777, ROWS};
    const char *first = model_path("a"), *other = model_path("b");
    double error, again;
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_stream_ask ask = ask_for(make_file(ROWS, "", 0), first);
    check_ok(ctx, run(ctx, &ask, &error));
    for (int k = 0; k < 4; k++) {
        ask = ask_for(make_file(cuts[k], "", 0), other);
        check_ok(ctx, run(ctx, &ask, NULL));
        ask.data = make_file(ROWS, "", 0);
        sentence = NULL;
        ask.from = other;
        ask.resume = true;
        ask.about.target = NULL;
        check_ok(ctx, run(ctx, &ask, &again));
        assert_true(error == again);
        check_same_file(first, other);
    }
    unlink(first);
    unlink(other);
    unlink(ask.data);
    check_ctx_end(ctx);
}

static void a_bad_row_ends_the_stream_and_the_model_is_saved(void **state)
{
    static const struct {
        const char *row, *message;
    } bad[] = {{"1,2\n", ":802: wanted 5 fields"},
               {"1,two,red,1,yes\n", ":802: column 'y' must hold numbers"},
               {"x,y,colour,w,label\n", ":802: the header occurs again"},
               {"1,2,red,1,maybe\n", "row 801: the target 'label' has the class 'maybe'"},
               {"1,2,red,-1,yes\n", "row 801: the weight in column 'w'"},
               {"1,inf,red,1,yes\n", "row 801: column 'y' is infinite"}};
    const char *first = model_path("a"), *other = model_path("b");
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    smr_stream_ask ask = ask_for(make_file(800, "", 0), first);
    check_ok(ctx, run(ctx, &ask, NULL));
    for (int64_t k = 0; k < SMR_COUNT(bad); k++)
        for (int64_t piece = 200; piece < 100000; piece *= 20) {
            ask = ask_for(make_file(ROWS, bad[k].row, 800), other);
            ask.pieces.piece_bytes = piece;
            smr_status st = run(ctx, &ask, NULL);
            assert_true(st == SMR_ERR_DATA || st == SMR_ERR_FORMAT);
            assert_non_null(strstr(smr_ctx_message(ctx), other));
            check_fails(ctx, st, st, bad[k].message);
            check_same_file(first, other);
            ask.pieces.skip_bad = true;
            check_ok(ctx, run(ctx, &ask, NULL));
        }
    unlink(first);
    unlink(other);
    unlink(ask.data);
    check_ctx_end(ctx);
}

static void a_gap_that_no_stage_fills_is_named(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_stream_ask ask = ask_for(make_file(ROWS, "", 0), NULL);
    (void)state;
    ask.pieces.warm_rows = 4; /* the first gap comes in row 6 */
    sentence = "standardize | onehot | sgd logistic";
    check_fails(ctx, run(ctx, &ask, NULL), SMR_ERR_DATA,
                "row 6: the value of column 'x' is missing");
    unlink(ask.data);
    check_ctx_end(ctx);
}

static void learners_that_need_all_rows_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_stream_ask ask = ask_for(make_file(200, "", 0), NULL);
    (void)state;
    sentence = "standardize | knn";
    check_fails(ctx, run(ctx, &ask, NULL), SMR_ERR_UNSUPPORTED, "these can:");
    sentence = "impute median | sgd logistic";
    check_fails(ctx, run(ctx, &ask, NULL), SMR_ERR_UNSUPPORTED, "impute median needs all rows");
    sentence = "impute | standardize";
    check_fails(ctx, run(ctx, &ask, NULL), SMR_ERR_PARAM, "ends with the transform standardize");
    unlink(ask.data);
    check_ctx_end(ctx);
}

static void a_class_may_come_late_when_it_was_named(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_stream_ask ask = ask_for(make_file(ROWS, "0.1,0.2,red,1,maybe\n", 600), NULL);
    (void)state;
    ask.about.classes = "yes,maybe,no";
    check_ok(ctx, run(ctx, &ask, NULL));
    ask.about.classes = "yes,no,yes";
    check_fails(ctx, run(ctx, &ask, NULL), SMR_ERR_PARAM, "named twice");
    unlink(ask.data);
    check_ctx_end(ctx);
}

/* 10 times as many rows take no more memory: a pipe that the test fills as it is read. */
static void memory_does_not_grow_with_the_rows(void **state)
{
    int64_t peak[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        int ends[2];
        smr_ctx *ctx = check_ctx(2);
        char path[32];
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
            close(ends[0]);
            FILE *f = fdopen(ends[1], "w");
            fputs("x,y,colour,w,label\n", f);
            for (int i = 0; i < (k ? 200 : 20); i++) write_rows(f, 0, ROWS);
            fclose(f);
            _exit(0);
        }
        close(ends[1]);
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        smr_stream_ask ask = ask_for(path, NULL);
        ask.pieces.piece_bytes = 50000;
        check_ok(ctx, run(ctx, &ask, NULL));
        smr_ctx_memory(ctx, &peak[k]);
        close(ends[0]);
        check_ctx_end(ctx);
    }
    if (peak[1] > peak[0] + 100000)
        fail_msg("%lld bytes grew to %lld", (long long)peak[0], (long long)peak[1]);
}

/* The writer goes on only when the rows it has written were answered: a reader that waits for more
 * of them would wait for ever. */
struct live {
    int64_t rows;
    int back; /* a byte goes here when 150 rows are answered */
};

static smr_status count_rows(smr_ctx *ctx, void *user, const char *bytes, int64_t n)
{
    struct live *l = user;
    (void)ctx;
    int64_t before = l->rows;
    for (int64_t i = 0; i < n; i++) l->rows += bytes[i] == '\n';
    if (before < 151 && l->rows >= 151) assert_int_equal(write(l->back, "x", 1), 1); /* a header */
    return SMR_OK;
}

static void rows_of_a_pipe_that_pauses_are_answered(void **state)
{
    int there[2], back[2];
    char path[32], byte;
    smr_ctx *ctx = check_ctx(2);
    (void)state;
    assert_int_equal(pipe(there), 0);
    assert_int_equal(pipe(back), 0);
    pid_t child = fork();
    if (child == 0) {
        close(there[0]);
        FILE *f = fdopen(there[1], "w");
        fputs("x,y,colour,w,label\n", f);
        write_rows(f, 0, 150);
        fputs("0.25,1", f); /* half a row */
        fflush(f);
        alarm(60);
        if (read(back[0], &byte, 1) != 1) _exit(1);
        fputs(",red,1,yes\n", f);
        write_rows(f, 151, 160);
        fclose(f);
        _exit(0);
    }
    close(there[1]);
    alarm(120);
    snprintf(path, sizeof path, "/dev/fd/%d", there[0]);
    struct live l = {.back = back[1]};
    smr_stream_ask ask = ask_for(path, NULL);
    ask.put = count_rows;
    ask.user = &l;
    ask.pieces.latency = 0.01;
    check_ok(ctx, run(ctx, &ask, NULL));
    alarm(0);
    assert_int_equal(l.rows, 161);
    close(there[0]);
    close(back[0]);
    close(back[1]);
    check_ctx_end(ctx);
}

static void every_failing_allocation_is_survived(void **state)
{
    const char *data = make_file(300, "1,2\n", 150), *output = model_path("a");
    (void)state;
    for (int64_t n = 0;; n++) {
        smr_ctx *ctx = check_ctx(1);
        smr_json_doc *doc = NULL;
        check_ok(ctx, smr_json_create(ctx, &doc));
        smr_stream_ask ask = ask_for(data, output);
        ask.pieces.skip_bad = true;
        smr_spec *spec = parsed(ctx, sentence);
        ask.spec = spec;
        smr_memory_fail_at(ctx, n);
        smr_status st = smr_stream_run(ctx, &ask, smr_json_root(doc));
        smr_memory_fail_at(ctx, -1);
        smr_spec_free(spec);
        assert_true(st == SMR_OK || st == SMR_ERR_NOMEM);
        smr_json_free(doc);
        check_ctx_end(ctx);
        if (st == SMR_OK) break;
    }
    unlink(data);
    unlink(output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cutting_and_threads_do_not_change_a_byte),
        cmocka_unit_test(a_stream_that_was_cut_off_goes_on_bit_by_bit),
        cmocka_unit_test(a_bad_row_ends_the_stream_and_the_model_is_saved),
        cmocka_unit_test(a_gap_that_no_stage_fills_is_named),
        cmocka_unit_test(learners_that_need_all_rows_are_refused),
        cmocka_unit_test(a_class_may_come_late_when_it_was_named),
        cmocka_unit_test(memory_does_not_grow_with_the_rows),
        cmocka_unit_test(rows_of_a_pipe_that_pauses_are_answered),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
