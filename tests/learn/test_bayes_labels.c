/* test_bayes_labels.c -- labels of counts: those of the scores, however they were found.
 *
 * Truth: the first of the largest scores in doubles. */
#include "pipeline.h"

#include "learn/bayes/bayes.h"

enum { ROWS = 700, WORDS = 90, MOST = 40, CLASSES = 67 };

static int64_t start[ROWS + 1];
static int32_t column[ROWS * MOST];
static double value[ROWS * MOST], y[ROWS];

static uint64_t drawn(uint64_t i)
{
    i = (i ^ i >> 31) * 0x9e3779b97f4a7c15u;
    i = (i ^ i >> 29) * 0xbf58476d1ce4e5b9u;
    return i ^ i >> 32;
}

/* Rows of 0 to MOST - 1 words, each once.  Rows are clear, by words of the class, or not at all, so
 * that scores lie close; some of `odd` have a count that is large, or a part. */
static void write_rows(int64_t classes, bool clear, bool odd)
{
    int64_t at = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        y[i] = (double)(i % classes);
        int64_t n = (int64_t)(drawn((uint64_t)i) % MOST);
        for (int64_t e = 0; e < n; e++) {
            bool own = clear && e % 2;
            column[at] = (int32_t)(2 * e + (own ? i % classes % 2
                                                : (int64_t)(drawn((uint64_t)(i * 977 + e)) % 2)));
            value[at] = 1 + (double)(drawn((uint64_t)(i * 31 + e)) % 9 / 6) +
                        (own && e / 2 % classes == i % classes ? 6 : 0);
            if (odd && i % 5 == 0 && e == 1) value[at] = 300;
            if (odd && i % 7 == 0 && e == 2) value[at] = 70000;
            if (odd && i % 11 == 0 && e == 3) value[at] = 2.5;
            if (odd && i % 13 == 0 && e == 4) value[at] = 4294967296.0;
            at++;
        }
        start[i + 1] = at;
    }
}

/* How many rows are told by bytes; those of a model that cannot: 0. */
static int64_t check_labels(smr_ctx *ctx, const char *sentence, int64_t classes)
{
    smr_table *t = NULL;
    smr_model *m = NULL;
    smr_set_opts how = {.target = "y", .keep_all = true, .task = SMR_TASK_CLASSIFY};
    check_ok(ctx, smr_table_from_csr(ctx, ROWS, WORDS, start, column, value, y, &t));
    check_ok(ctx, try_train(ctx, sentence, t, &how, &m));
    const struct smr_bayes_state *s = smr_model_last(m)->state;
    double *score = apply(ctx, m, t, SMR_OUTPUT_DECISION),
           *label = apply(ctx, m, t, SMR_OUTPUT_LABEL);
    smr_rows rows = {.form = SMR_FORM_SPARSE,
                     .n = ROWS,
                     .d = WORDS,
                     .start = start,
                     .column = column,
                     .value = value};
    int64_t quick = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t best = 0;
        for (int64_t k = 1; k < classes; k++)
            if (score[i * classes + k] > score[i * classes + best]) best = k;
        assert_int_equal((int64_t)label[i], best);
        int told = s->tables->ldq > 0 ? smr_bayes_quick_label(s, &rows, i) : -1;
        if (told < 0) continue;
        assert_int_equal(told, best);
        quick++;
    }
    smr_free(score);
    smr_free(label);
    smr_model_free(m);
    smr_table_free(t);
    return quick;
}

static void labels_are_those_of_the_scores(void **unused)
{
    static const int64_t classes[] = {2, 3, 8, 9, 16, 17, 32, 33, CLASSES};
    static const char *const sentences[] = {
        "bayes model=multinomial",      "bayes 0.01 model=multinomial",
        "bayes 1e-9 model=multinomial", "bayes 20 model=multinomial prior=uniform",
        "bayes model=complement",       "bayes 1e-6 model=complement"};
    smr_ctx *ctx = check_ctx(2);
    (void)unused;
    for (size_t c = 0; c < sizeof classes / sizeof *classes; c++)
        for (size_t p = 0; p < sizeof sentences / sizeof *sentences; p++)
            for (int kind = 0; kind < 4; kind++) {
                write_rows(classes[c], kind % 2, kind / 2);
                int64_t quick = check_labels(ctx, sentences[p], classes[c]);
                if (kind == 1 && p == 0) assert_true(quick > ROWS / 3);
                if (kind == 2 && p == 0) assert_true(quick < ROWS); /* parts are not for bytes */
            }
    check_ctx_end(ctx);
}

/* Classes of the same rows have the same scores: the first one's label. */
static void equal_scores_are_not_told_by_bytes(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    for (int64_t i = 0; i < ROWS; i++) {
        y[i] = (double)(i % 2);
        start[i + 1] = start[i] + 3;
        for (int64_t e = 0; e < 3; e++) {
            column[start[i] + e] = (int32_t)(e * 20 + i / 2 % 20);
            value[start[i] + e] = (double)(2 + e);
        }
    }
    assert_int_equal(check_labels(ctx, "bayes model=multinomial", 2), 0);
    assert_int_equal(check_labels(ctx, "bayes 0 model=multinomial", 2), 0);
    check_ctx_end(ctx);
}

/* 256 classes are the most that bytes tell. */
static void very_many_classes_are_scored_in_doubles(void **unused)
{
    smr_ctx *ctx = check_ctx(1);
    (void)unused;
    write_rows(256, true, false);
    assert_true(check_labels(ctx, "bayes model=multinomial", 256) > 0);
    write_rows(257, true, false);
    assert_int_equal(check_labels(ctx, "bayes model=multinomial", 257), 0);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_those_of_the_scores),
        cmocka_unit_test(equal_scores_are_not_told_by_bytes),
        cmocka_unit_test(very_many_classes_are_scored_in_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
