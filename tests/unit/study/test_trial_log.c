/* The log of a search: a search that ended in the middle and is resumed gives what an uninterrupted
 * one gives, wherever it ended; a log that does not fit is refused with the reason. */
#include "cv_tables.h"
#include "said_study.h"

#include "study/trial_log.h"
#include "study/tune.h"

#include <unistd.h>

enum { ROWS = 61 };
static const char LOG[] = "test_trial_log.log";

/* ---- files ------------------------------------------------------------------------------ */

static char *read_file(const char *path, size_t *n)
{
    static char bytes[1 << 18];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    *n = fread(bytes, 1, sizeof bytes - 1, f);
    bytes[*n] = '\0';
    fclose(f);
    return bytes;
}

static void write_file(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

/* Lines without their seconds, sorted: what a log says, in whatever order trials ended. */
static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sorted_lines(const char *text, char *out, size_t room)
{
    char *copy = strdup(text), *lines[256];
    int n = 0;
    for (char *line = copy, *next; *line; line = next) {
        next = strchr(line, '\n');
        assert_non_null(next);
        *next++ = '\0';
        char *seconds = strstr(line, ",\"seconds\":");
        if (seconds) *seconds = '\0';
        lines[n++] = line;
    }
    qsort(lines, (size_t)n, sizeof *lines, by_text);
    size_t used = 0;
    for (int i = 0; i < n; i++) used += (size_t)snprintf(out + used, room - used, "%s\n", lines[i]);
    free(copy);
}

/* ---- searches --------------------------------------------------------------------------- */

struct stage {
    smr_ctx *ctx;
    smr_table *table;
    smr_train_set *set;
    const char *sentence;
    smr_tune_opts opts;
};

static struct stage begin(int threads, const char *sentence, smr_tune_opts opts)
{
    struct stage s = {.ctx = check_ctx(threads), .sentence = sentence, .opts = opts};
    s.table = cv_table(s.ctx, ROWS);
    s.set = cv_set(s.ctx, s.table, "k", NULL, NULL);
    return s;
}

static void end(struct stage *s)
{
    smr_train_set_free(s->set);
    smr_table_free(s->table);
    check_ctx_end(s->ctx);
    unlink(LOG);
}

static smr_status run(struct stage *s, const char *log, const char *resume, char **text)
{
    smr_ctx *ctx = s->ctx;
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    smr_text out = {.ctx = ctx};
    smr_tune_opts opts = s->opts;
    opts.log = log;
    opts.resume = resume;
    *text = NULL;
    TRY(smr_json_create(ctx, &doc));
    TRY(said_tune(ctx, s->sentence, s->set, &opts, NULL, smr_json_root(doc)));
    smr_json_write(smr_json_root(doc), 2, &out);
    TRY(smr_text_done(&out));
    static const char *const keys[] = {"seconds\":", "from_log\":"};
    for (int64_t k = 0; k < SMR_COUNT(keys); k++)
        for (char *at = out.bytes; (at = strstr(at, keys[k]));) {
            at += strlen(keys[k]);
            char *stop = at + strcspn(at, ",\n}");
            memmove(at, stop, strlen(stop) + 1);
        }
    *text = out.bytes;
    out.bytes = NULL;
out:
    smr_text_release(&out);
    smr_json_free(doc);
    return st;
}

/* ---- resuming --------------------------------------------------------------------------- */

/* Cuts the log at every line's end, and between them at every `stride`-th byte. */
static void check_resumable(struct stage s, size_t stride)
{
    static char whole[1 << 18], lines[1 << 18], again[1 << 18];
    char *uninterrupted = NULL, *text = NULL;
    size_t n = 0;
    unlink(LOG);
    check_ok(s.ctx, run(&s, LOG, NULL, &uninterrupted));
    memcpy(whole, read_file(LOG, &n), sizeof whole);
    sorted_lines(whole, lines, sizeof lines);
    write_file(LOG, whole, 0);
    check_fails(s.ctx, run(&s, NULL, LOG, &text), SMR_ERR_FORMAT, "no search to continue");
    for (size_t cut = 1; cut <= n; cut++) {
        bool at_end = whole[cut - 1] == '\n', near_end = whole[cut] == '\n';
        if (!at_end && !near_end && cut % stride != 0) continue;
        write_file(LOG, whole, cut);
        check_ok(s.ctx, run(&s, NULL, LOG, &text));
        if (strcmp(text, uninterrupted) != 0) fail_msg("cut at byte %d: another result", (int)cut);
        size_t m;
        sorted_lines(read_file(LOG, &m), again, sizeof again);
        if (strcmp(lines, again) != 0) fail_msg("cut at byte %d: another log", (int)cut);
        smr_free(text);
    }
    smr_free(uninterrupted);
    end(&s);
}

static void a_resumed_search_gives_what_an_uninterrupted_one_gives(void **state)
{
    (void)state;
    check_resumable(begin(2, "knn", (smr_tune_opts){.over = "k=1..4 weight=*", .folds = 3}), 101);
    check_resumable(
        begin(1, "calibrate of=(knn)",
              (smr_tune_opts){.over = "of.k=2,5 folds=2,800", .folds = 3, .measure = "log_loss"}),
        149);
}

static void a_resumed_halving_gives_what_an_uninterrupted_one_gives(void **state)
{
    struct stage s =
        begin(2, "knn", (smr_tune_opts){.over = "k=1..12", .search = "halving", .folds = 3});
    (void)state;
    smr_train_set_free(s.set);
    smr_table_free(s.table);
    s.table = cv_table(s.ctx, 331);
    s.set = cv_set(s.ctx, s.table, "k", NULL, NULL);
    check_resumable(s, 997);
}

/* More draws continue a shorter search. */
static void a_random_search_may_be_prolonged(void **state)
{
    struct stage s = begin(1, "knn", (smr_tune_opts){.search = "random", .trials = 5, .folds = 3});
    char *text = NULL, *at_once = NULL;
    (void)state;
    unlink(LOG);
    check_ok(s.ctx, run(&s, LOG, NULL, &text));
    smr_free(text);
    s.opts.trials = 9;
    check_ok(s.ctx, run(&s, NULL, LOG, &text));
    check_ok(s.ctx, run(&s, NULL, NULL, &at_once));
    assert_string_equal(text, at_once);
    smr_free(text);
    smr_free(at_once);
    end(&s);
}

/* Asked at every step, not ten times a second; says stop when 10 rounds are done, 3 of
 * them the start's. */
static int stop_after(void *user, const char *what, int64_t done, int64_t total, double figure)
{
    smr_ctx *ctx = user;
    (void)what, (void)total, (void)figure;
    ctx->progress_last = 0;
    return done >= 10;
}

static void a_cancelled_search_says_how_to_go_on(void **state)
{
    struct stage s = begin(1, "knn", (smr_tune_opts){.over = "k=6..14", .folds = 3});
    char *uninterrupted = NULL, *text = NULL;
    size_t n;
    (void)state;
    unlink(LOG);
    check_ok(s.ctx, run(&s, NULL, NULL, &uninterrupted));
    s.ctx->progress = stop_after;
    s.ctx->progress_user = s.ctx;
    assert_int_equal(run(&s, LOG, NULL, &text), SMR_ERR_CANCELLED);
    assert_non_null(strstr(smr_ctx_message(s.ctx), "after 2 of 9 trials"));
    assert_non_null(strstr(smr_ctx_message(s.ctx), "--resume test_trial_log.log"));
    smr_ctx_clear(s.ctx);
    s.ctx->progress = NULL;
    assert_non_null(strstr(read_file(LOG, &n), "\"samara\":\"tune\""));
    check_ok(s.ctx, run(&s, NULL, LOG, &text));
    assert_string_equal(text, uninterrupted);
    smr_free(text);
    smr_free(uninterrupted);
    end(&s);
}

/* ---- what is refused -------------------------------------------------------------------- */

static void the_log_of_another_search_is_refused(void **state)
{
    static const struct {
        const char *sentence;
        smr_tune_opts opts;
        uint64_t seed;
        const char *part;
    } cases[] = {
        {"knn 6", {.over = "k=1..3", .folds = 3}, 0, "its sentence is"},
        {"knn", {.over = "k=1..4", .folds = 3}, 0, "its space is \"knn.k=log(1..3)\""},
        {"knn", {.over = "k=1..3", .folds = 4}, 0, "its scoring is"},
        {"knn", {.over = "k=1..3", .folds = 3, .repeats = 2}, 0, "its scoring is"},
        {"knn", {.over = "k=1..3", .validation = 0.3}, 0, "its scoring is"},
        {"knn", {.over = "k=1..3", .folds = 3, .measure = "auc"}, 0, "its measure is \"accuracy\""},
        {"knn",
         {.over = "k=1..3", .folds = 3, .holdout = 0.5},
         0,
         "its number of held-out rows is"},
        {"knn", {.over = "k=1..3", .folds = 3, .search = "halving"}, 0, "its search is \"grid\""},
        {"knn", {.over = "k=1..3", .folds = 3}, 5, "its seed is \"0\", and now it is \"5\""},
    };
    struct stage s = begin(1, "knn", (smr_tune_opts){.over = "k=1..3", .folds = 3});
    char *text = NULL;
    (void)state;
    unlink(LOG);
    check_ok(s.ctx, run(&s, LOG, NULL, &text));
    smr_free(text);
    for (int64_t i = 0; i < SMR_COUNT(cases); i++) {
        struct stage other = s;
        other.sentence = cases[i].sentence;
        other.opts = cases[i].opts;
        s.ctx->seed = cases[i].seed;
        check_fails(s.ctx, run(&other, NULL, LOG, &text), SMR_ERR_STATE, cases[i].part);
    }
    s.ctx->seed = 0;
    ((double *)s.table->cols[0].values)[7] += 1e-9;
    struct stage other = s;
    other.set = cv_set(s.ctx, s.table, "k", NULL, NULL);
    check_fails(s.ctx, run(&other, NULL, LOG, &text), SMR_ERR_STATE, "its hash of the data is");
    smr_train_set_free(other.set);
    end(&s);
}

/* The same table with other weights, groups or inputs is another search. */
static void other_roles_of_the_columns_are_noticed(void **state)
{
    static const struct {
        const char *group, *weight;
    } cases[] = {{"g", NULL}, {NULL, "w"}};
    struct stage s = begin(1, "knn", (smr_tune_opts){.over = "k=1..3", .folds = 3});
    char *text = NULL;
    (void)state;
    unlink(LOG);
    check_ok(s.ctx, run(&s, LOG, NULL, &text));
    smr_free(text);
    for (int64_t i = 0; i < SMR_COUNT(cases); i++) {
        struct stage other = s;
        other.set = cv_set(s.ctx, s.table, "k", cases[i].group, cases[i].weight);
        check_fails(s.ctx, run(&other, NULL, LOG, &text), SMR_ERR_STATE, "cannot be resumed");
        smr_train_set_free(other.set);
    }
    end(&s);
}

static void a_damaged_log_is_refused_with_its_line(void **state)
{
    static const struct {
        const char *line;
        const char *part;
    } cases[] = {
        {"{\"trial\":1,", "line 2: the log is damaged: it is not a JSON object"},
        {"[1,2]", "it is not a JSON object"},
        {"{}", "it is not a trial"},
        {"{\"sentence\":\"knn\",\"share\":1}", "it is not a trial"},
        {"{\"sentence\":\"knn\",\"share\":0,\"scores\":[1,1,1]}", "it is not a trial"},
        {"{\"sentence\":\"knn\",\"share\":1,\"scores\":[1,1,1],\"error\":\"x\"}",
         "it is not a trial"},
        {"{\"sentence\":\"knn\",\"share\":1,\"scores\":[1,1]}", "one score for each round"},
        {"{\"sentence\":\"knn\",\"share\":1,\"scores\":[1,1,\"1\"]}", "one score for each round"},
        {"{\"sentence\":\"knn\",\"share\":1,\"scores\":3}", "one score for each round"},
    };
    struct stage s = begin(1, "knn", (smr_tune_opts){.over = "k=1..3", .folds = 3});
    static char bytes[1 << 16];
    char *text = NULL;
    size_t n = 0;
    (void)state;
    unlink(LOG);
    check_ok(s.ctx, run(&s, LOG, NULL, &text));
    smr_free(text);
    char *header = strdup(read_file(LOG, &n));
    *strchr(header, '\n') = '\0';
    for (int64_t i = 0; i < SMR_COUNT(cases); i++) {
        int length = snprintf(bytes, sizeof bytes, "%s\n%s\n", header, cases[i].line);
        write_file(LOG, bytes, (size_t)length);
        check_fails(s.ctx, run(&s, NULL, LOG, &text), SMR_ERR_FORMAT, cases[i].part);
        size_t m;
        assert_string_equal(read_file(LOG, &m), bytes); /* and left as it was */
    }
    free(header);
    end(&s);
}

static void a_file_that_is_no_log_is_refused_and_left_alone(void **state)
{
    static const char *const files[] = {
        "a,b\n1,2\n", "no line ends here", "{\"samara\":\"cv\"}\n", "{\"samara\":\"tune\"}\n",
        "\n",         "{\"samara\":\"tunX"};
    struct stage s = begin(1, "knn", (smr_tune_opts){.over = "k=1..3", .folds = 3});
    char *text = NULL;
    size_t n;
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(files); i++) {
        write_file(LOG, files[i], strlen(files[i]));
        smr_status st = run(&s, NULL, LOG, &text);
        if (st != SMR_ERR_FORMAT && st != SMR_ERR_STATE) fail_msg("'%s' was taken", files[i]);
        assert_non_null(strstr(smr_ctx_message(s.ctx), LOG));
        smr_ctx_clear(s.ctx);
        assert_string_equal(read_file(LOG, &n), files[i]);
    }
    unlink(LOG);
    check_fails(s.ctx, run(&s, NULL, LOG, &text), SMR_ERR_IO, "cannot be opened to resume");
    end(&s);
}

static void a_new_log_replaces_nothing(void **state)
{
    struct stage s = begin(1, "knn", (smr_tune_opts){.over = "k=1..3", .folds = 3});
    char *text = NULL;
    size_t n;
    (void)state;
    write_file(LOG, "mine\n", 5);
    check_fails(s.ctx, run(&s, LOG, NULL, &text), SMR_ERR_IO, "there is a log already; --resume");
    assert_string_equal(read_file(LOG, &n), "mine\n");
    check_fails(s.ctx, run(&s, "no/such/folder/log", NULL, &text), SMR_ERR_IO, "cannot be written");
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_resumed_search_gives_what_an_uninterrupted_one_gives),
        cmocka_unit_test(a_resumed_halving_gives_what_an_uninterrupted_one_gives),
        cmocka_unit_test(a_random_search_may_be_prolonged),
        cmocka_unit_test(a_cancelled_search_says_how_to_go_on),
        cmocka_unit_test(the_log_of_another_search_is_refused),
        cmocka_unit_test(other_roles_of_the_columns_are_noticed),
        cmocka_unit_test(a_damaged_log_is_refused_with_its_line),
        cmocka_unit_test(a_file_that_is_no_log_is_refused_and_left_alone),
        cmocka_unit_test(a_new_log_replaces_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
