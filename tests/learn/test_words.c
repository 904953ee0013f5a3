/* test_words.c -- bags of words: recorded values of scikit-learn, texts beside other columns,
 * sparse all the way, hashing, and what cannot be. */
#include "pipeline.h"

#include "data/keep.h"
#include "data/row_subset.h"
#include "learn/chain.h"
#include "learn/member.h"
#include "learn/registry.h"
#include "learn/state.h"
#include "model/model_file.h"
#include "transform/words.h"
#include "truth/features.h"

enum { N = 5 };
static const char *const *const texts = words_texts;

static smr_table *text_table(smr_ctx *ctx, const char *const *x, int64_t n)
{
    smr_table *t = new_table(ctx, n, 1);
    put_strings(ctx, t, 0, "text", x);
    return t;
}

static void check_rows(const char *sentence, const char *const *names, int64_t width,
                       const double *wanted)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = text_table(ctx, texts, N);
    smr_model *m = train_on(ctx, sentence, t, NULL);
    double *out = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
    assert_int_equal(m->stages[0].n_out, width);
    for (int64_t k = 0; k < width; k++)
        assert_string_equal(m->stages[0].features[k].name, names[k]);
    for (int64_t i = 0; i < N * width; i++) check_near(sentence, out[i], wanted[i], 1e-15);
    smr_free(out);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static const char *const *const all = words_counts_names;

static void counts_agree_with_scikit_learn(void **state)
{
    (void)state;
    check_rows("words", all, 12, words_counts[0]);
    check_rows("words text", all, 12, words_counts[0]);
    check_rows("words max_n=2 min_count=2 max_share=0.6", words_pairs_names, 5, words_pairs[0]);
    check_rows("words min_n=2 max_n=3 max_features=2", words_most_names, 2, words_most[0]);
}

static void tfidf_agrees_with_scikit_learn(void **state)
{
    (void)state;
    check_rows("words weight=tfidf", all, 12, words_tfidf[0]);
    check_rows("words weight=tfidf norm=l1", all, 12, words_tfidf_l1[0]);
}

/* By hand: the first text has 6 words, "the" twice. */
static void other_weights_are_what_they_say(void **state)
{
    double tf[N][12] = {{0, 0, 1 / 6., 0, 0, 0, 0, 1 / 6., 1 / 6., 1 / 6., 0, 2 / 6.},
                        {0, 0, 1 / 7., 1 / 7., 1 / 7., 1 / 7., 0, 0, 0, 0, 1 / 7., 2 / 7.},
                        {0},
                        {3 / 9., 2 / 9., 1 / 9., 0, 0, 1 / 9., 1 / 9., 0, 0, 0, 0, 1 / 9.},
                        {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}};
    static const char *const two[] = {"cat", "mat"};
    double logs[N][2] = {{1, 1}, {1, 0}, {0}, {1, 0}, {0, 1 + log(3)}};
    double binary[N][2] = {{1, 1}, {1, 0}, {0}, {1, 0}, {0, 1}};
    double unit[N][2] = {{sqrt(0.5), sqrt(0.5)}, {1, 0}, {0}, {1, 0}, {0, 1}};
    const char *stop = "stop='the, a SAT on did didn''t sit dog bird flew'";
    char sentence[200];
    (void)state;
    check_rows("words weight=tf", all, 12, tf[0]);
    snprintf(sentence, sizeof sentence, "words weight=log %s", stop);
    check_rows(sentence, two, 2, logs[0]);
    snprintf(sentence, sizeof sentence, "words weight=binary %s", stop);
    check_rows(sentence, two, 2, binary[0]);
    snprintf(sentence, sizeof sentence, "words norm=l2 %s", stop);
    check_rows(sentence, two, 2, unit[0]);
}

static void english_function_words_are_a_list(void **state)
{
    static const char *const left[] = {"bird", "cat", "didn't", "dog", "flew", "mat", "sat", "sit"};
    static const double counts[N][8] = {{0, 1, 0, 0, 0, 1, 1, 0},
                                        {0, 1, 1, 1, 0, 0, 0, 1},
                                        {0},
                                        {2, 1, 0, 1, 1, 0, 0, 0},
                                        {0, 0, 0, 0, 0, 3, 0, 0}};
    (void)state;
    check_rows("words stop=english", left, 8, counts[0]);
}

/* ---- beside other columns --------------------------------------------------------------- */

static const double size_of[N] = {1.5, 0, -2, NAN, 7};
static const char *const colour[N] = {"red", "blue", "red", NULL, "red"};
static const char *const title[N] = {"cat", "dog cat", NULL, "bird", "dog"};

static smr_table *rich_table(smr_ctx *ctx)
{
    smr_table *t = new_table(ctx, N, 4);
    put_numbers(ctx, t, 0, "size", size_of);
    put_strings(ctx, t, 1, "body", texts);
    put_strings(ctx, t, 2, "colour", colour);
    put_strings(ctx, t, 3, "title", title);
    return t;
}

static void check_value(const smr_model *m, const double *out, int64_t row, const char *name,
                        double wanted)
{
    const smr_stage *last = smr_model_last(m);
    for (int64_t j = 0; j < last->n_out; j++)
        if (strcmp(last->features[j].name, name) == 0) {
            check_near(name, out[row * last->n_out + j], wanted, 1e-15);
            return;
        }
    fail_msg("there is no feature '%s'", name);
}

/* Gaps and categories are dealt with before; each text has words of its own. */
static void other_columns_pass_in_front(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = rich_table(ctx);
    smr_model *m = train_on(ctx, "words 'body,title'", t, NULL);
    (void)state;
    assert_string_equal(stages_of(m), "impute* onehot* words");
    double *out = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
    const smr_stage *last = smr_model_last(m);
    assert_int_equal(last->n_out, 1 + 2 + 12 + 3);
    assert_string_equal(last->features[0].name, "size");
    check_value(m, out, 3, "size", (1.5 + 0 - 2 + 7) / 4);
    check_value(m, out, 1, "colour=blue", 1);
    check_value(m, out, 3, "colour=blue", 0.25); /* a gap, and too few to learn from */
    check_value(m, out, 3, "body=bird", 2);
    check_value(m, out, 3, "title=bird", 1);
    check_value(m, out, 1, "title=cat", 1);
    check_value(m, out, 2, "title=cat", 0); /* missing: an empty text */
    smr_free(out);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* A second stage reads the text that the first left: through sparse rows. */
static void texts_pass_through_other_words(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = rich_table(ctx);
    smr_model *m =
        train_on(ctx, "standardize scale=no center=no | words title | words body", t, NULL);
    smr_model *both = train_on(ctx, "words 'title,body'", t, NULL);
    (void)state;
    double *a = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM),
           *b = apply(ctx, both, t, SMR_OUTPUT_TRANSFORM);
    assert_int_equal(smr_model_last(m)->n_out, smr_model_last(both)->n_out);
    check_value(m, a, 3, "body=bird", 2);
    check_value(m, a, 1, "title=cat", 1);
    check_value(m, a, 0, "body=cat", 1);
    check_value(both, b, 0, "body=cat", 1);
    smr_free(a);
    smr_free(b);
    smr_model_free(both);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* The new table has other texts, so other codes. */
static void new_texts_are_read_from_their_own_table(void **state)
{
    static const char *const others[] = {"zebra", "a cat", "mat cat cat", NULL};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = text_table(ctx, texts, N), *other = text_table(ctx, others, 4);
    smr_model *m = train_on(ctx, "standardize center=no scale=no | words", t, NULL), *back = NULL;
    char *bytes = NULL;
    int64_t n = 0;
    (void)state;
    check_ok(ctx, smr_model_write(ctx, m, &bytes, &n));
    check_ok(ctx, smr_model_read(ctx, bytes, n, &back));
    double *out = apply(ctx, back, other, SMR_OUTPUT_TRANSFORM);
    double sum = 0;
    for (int64_t i = 0; i < 4 * 12; i++) sum += out[i];
    assert_true(sum == 5);
    check_value(back, out, 1, "a", 1);
    check_value(back, out, 1, "cat", 1);
    check_value(back, out, 2, "cat", 2);
    check_value(back, out, 2, "mat", 1);
    smr_free(out);
    smr_free(bytes);
    smr_model_free(back);
    smr_model_free(m);
    smr_table_free(other);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void words_are_inserted_before_what_cannot_read(void **state)
{
    static const double y[N] = {1, 2, 0, 4, 3};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, N, 3);
    smr_model *m = NULL;
    (void)state;
    put_strings(ctx, t, 0, "text", texts);
    put_numbers(ctx, t, 1, "size", size_of);
    put_numbers(ctx, t, 2, "y", y);
    smr_set_opts opts = {.target = "y", .types = "text=text", .keep_all = true};
    check_ok(ctx, try_train(ctx, "ridge 1", t, &opts, &m));
    assert_string_equal(stages_of(m), "impute* words* ridge");
    smr_model_free(m);
    check_ok(ctx, try_train(ctx, "poly 2 | ridge 1", t, &opts, &m));
    assert_string_equal(stages_of(m), "impute* words* poly ridge");
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- sparse all the way ----------------------------------------------------------------- */

enum { MANY = 700 };

/* Texts of a few words out of many, by chance. */
static smr_table *many_texts(smr_ctx *ctx, bool classes)
{
    static char text[MANY][160];
    static const char *x[MANY], *kind[MANY];
    static double y[MANY], z[MANY];
    smr_table *t = new_table(ctx, MANY, 3);
    for (int64_t i = 0; i < MANY; i++) {
        int64_t n = smr_random_below(3, SMR_STREAM_TEST, 1, (uint64_t)i, 14), second = 0;
        text[i][0] = '\0';
        for (int64_t k = 0; k < n; k++) {
            int64_t w = smr_random_below(3, SMR_STREAM_TEST, 2 + (uint64_t)k, (uint64_t)i, 40);
            w = w * w % 997;
            second += w % 7 == 1;
            snprintf(text[i] + strlen(text[i]), sizeof text[i] - strlen(text[i]), "w%d ", (int)w);
        }
        x[i] = i % 31 == 5 ? NULL : text[i];
        y[i] = (double)second + noise(i, 1);
        z[i] = noise(i, 2);
        kind[i] = y[i] > 1 ? "b" : "a";
    }
    put_strings(ctx, t, 0, "text", x);
    put_numbers(ctx, t, 1, "z", z);
    if (classes)
        put_strings(ctx, t, 2, "y", kind);
    else
        put_numbers(ctx, t, 2, "y", y);
    return t;
}

/* A reader of sparse rows, one of dense rows, the stage's own dense rows, and the stored rows: the
 * same bits, for any rows in any order. */
static void sparse_and_dense_rows_are_the_same(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = many_texts(ctx, false);
    smr_model *m = train_on(ctx, "words text weight=tfidf max_n=2 | standardize center=no", t, "y");
    smr_binding binding = {0};
    smr_data data[3];
    smr_keep kept = {0};
    int64_t rows[MANY / 2];
    (void)state;
    for (int64_t i = 0; i < MANY / 2; i++) rows[i] = (i * 389 + 7) % MANY;
    check_ok(ctx, smr_schema_bind(ctx, &m->schema, smr_model_columns(m), t, &binding));
    data[0] = binding.data;
    data[0].rows = rows;
    data[0].n_rows = MANY / 2;
    smr_chain(&data[0], &m->stages[0], &data[1]);
    smr_chain(&data[1], &m->stages[1], &data[2]);
    assert_true(smr_data_is_sparse(&data[2]));
    int64_t d = data[2].n_features, n = data[2].n_rows;
    double *own = smr_alloc(ctx, MANY * d, sizeof *own);
    check_ok(ctx, smr_model_apply(ctx, m, t, rows, n, SMR_OUTPUT_TRANSFORM, own));
    for (int stored = 0; stored < 2; stored++) {
        smr_reader *sparse = NULL, *dense = NULL, *floats = NULL;
        if (stored) check_ok(ctx, smr_data_keep(ctx, &data[2], SMR_FORM_SPARSE, true, &kept));
        check_ok(ctx, smr_reader_open(ctx, &data[2], SMR_FORM_SPARSE, 19, &sparse));
        check_ok(ctx, smr_reader_open(ctx, &data[2], SMR_FORM_F64, 19, &dense));
        check_ok(ctx, smr_reader_open(ctx, &data[2], SMR_FORM_F32, 19, &floats));
        for (int64_t lo = 0; lo < n; lo += 19) {
            smr_rows a, b, c;
            int64_t hi = SMR_MIN(n, lo + 19);
            check_ok(ctx, smr_reader_rows(ctx, sparse, lo, hi, &a));
            check_ok(ctx, smr_reader_rows(ctx, dense, lo, hi, &b));
            check_ok(ctx, smr_reader_rows(ctx, floats, lo, hi, &c));
            for (int64_t i = 0; i < a.n; i++) {
                const double *x = (const double *)b.x + i * b.stride;
                const float *f = (const float *)c.x + i * c.stride;
                int64_t e = a.start[i];
                for (int64_t j = 0; j < d; j++) {
                    bool there = e < a.start[i + 1] && a.column[e] == j;
                    if (there) assert_true(a.value[e] != 0);
                    assert_true(x[j] == (there ? a.value[e++] : 0));
                    assert_true(x[j] == own[(lo + i) * d + j]);
                    assert_true(f[j] == (float)x[j]);
                }
                assert_int_equal(e, a.start[i + 1]);
            }
        }
        smr_reader_close(sparse);
        smr_reader_close(dense);
        smr_reader_close(floats);
    }
    smr_keep_release(&kept);
    smr_free(own);
    smr_binding_release(&binding);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* As a model and as a member of another, with sparse rows between the stages. */
static void members_read_texts(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_table *t = many_texts(ctx, true);
    const char *sentence = "words text | standardize center=no | knn 5";
    smr_model *plain = train_on(ctx, sentence, t, "y");
    smr_model *nested =
        train_on(ctx, "calibrate of=(words text | standardize center=no | knn 5)", t, "y");
    const smr_members *members = NULL;
    const smr_stage *last = smr_model_last(nested);
    (void)state;
    for (int64_t i = 0; i < last->learner->fitted->n_state && !members; i++)
        if (last->learner->fitted->state[i].type == SMR_STATE_MEMBERS)
            members =
                (const void *)((const char *)last->state + last->learner->fitted->state[i].offset);
    assert_non_null(members);
    smr_binding binding = {0};
    check_ok(ctx, smr_schema_bind(ctx, &nested->schema, smr_model_columns(nested), t, &binding));
    double *a = apply(ctx, plain, t, SMR_OUTPUT_PROBA);
    double *b = smr_alloc(ctx, 2 * MANY, sizeof *b);
    /* The member that was fitted on all rows is the last. */
    check_ok(ctx, smr_member_apply(ctx, &members->member[members->n - 1], &binding.data,
                                   SMR_OUTPUT_PROBA, b));
    assert_memory_equal(a, b, 2 * MANY * sizeof *a);
    smr_free(a);
    smr_free(b);
    smr_binding_release(&binding);
    smr_model_free(nested);
    smr_model_free(plain);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static char *model_bytes(int threads, const char *sentence, int64_t *n)
{
    smr_ctx *ctx = check_ctx(threads);
    smr_table *t = many_texts(ctx, false);
    smr_model *m = train_on(ctx, sentence, t, "y");
    char *bytes = NULL, *copy = NULL;
    check_ok(ctx, smr_model_write(ctx, m, &bytes, n));
    copy = malloc((size_t)*n);
    memcpy(copy, bytes, (size_t)*n);
    smr_free(bytes);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
    return copy;
}

static void threads_do_not_change_a_byte(void **state)
{
    static const char *const sentences[] = {"words text max_n=3 min_count=2 weight=tfidf | ridge 1",
                                            "words text hash=97 weight=tfidf | ridge 1"};
    (void)state;
    for (int64_t s = 0; s < (CHECK_RACES ? 1 : SMR_COUNT(sentences)); s++) {
        int64_t n, m;
        char *one = model_bytes(1, sentences[s], &n);
        for (int threads = CHECK_LESS ? 7 : 2; threads <= 7; threads += 5) {
            char *more = model_bytes(threads, sentences[s], &m);
            assert_int_equal(n, m);
            assert_memory_equal(one, more, n);
            free(more);
        }
        free(one);
    }
}

/* What the rows of a fold do not hold is not in its vocabulary. */
static void the_vocabulary_comes_from_the_training_rows(void **state)
{
    static const char *const x[] = {"alpha beta", "beta gamma", "gamma delta", "delta epsilon"};
    static const int64_t rows[] = {0, 2};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = text_table(ctx, x, 4);
    smr_train_set *set = NULL;
    smr_model *m = NULL;
    (void)state;
    check_ok(ctx, said_set(ctx, t, "words", &(smr_set_opts){.keep_all = true}, &set));
    check_ok(ctx, said_fit(ctx, "words", set, rows, 2, &m));
    assert_int_equal(m->stages[0].n_out, 4);
    assert_string_equal(m->stages[0].features[0].name, "alpha");
    assert_string_equal(m->stages[0].features[3].name, "gamma");
    smr_model_free(m);
    smr_train_set_free(set);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void weight_two_means_the_text_twice(void **state)
{
    static const char *const x[] = {"one two", "two three", "three"};
    static const double w[] = {1, 2, 1};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, 3, 2);
    smr_model *m = NULL;
    (void)state;
    put_strings(ctx, t, 0, "text", x);
    put_numbers(ctx, t, 1, "w", w);
    smr_set_opts opts = {.weight = "w", .keep_all = true};
    check_ok(ctx, try_train(ctx, "words min_count=3", t, &opts, &m));
    assert_int_equal(m->stages[0].n_out, 2); /* three, two */
    const struct smr_words_state *s = m->stages[0].state;
    assert_true(s->rows == 4 && s->documents[0] == 3 && s->documents[1] == 3);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- hashing ---------------------------------------------------------------------------- */

/* The bits of the hash are for ever: models depend on them. */
static void buckets_stay_the_same(void **state)
{
    (void)state;
    assert_true(smr_word_hash("", 0) == UINT64_C(0x2ad0938b4c26d017));
    assert_true(smr_word_hash("a", 1) == UINT64_C(0xce0b061d95e803e7));
    assert_true(smr_word_hash("words", 5) == UINT64_C(0xb53983fca17ff445));
    assert_true(smr_word_hash("nine bytes", 10) == UINT64_C(0xe7f7b16417d56677));
}

static void hashed_rows_are_signed_sums(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = text_table(ctx, texts, N);
    smr_model *words = train_on(ctx, "words", t, NULL), *m = train_on(ctx, "words hash=5", t, NULL);
    double *a = apply(ctx, words, t, SMR_OUTPUT_TRANSFORM),
           *b = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
    (void)state;
    assert_int_equal(m->stages[0].n_out, 5);
    assert_string_equal(m->stages[0].features[4].name, "#4");
    for (int64_t i = 0; i < N; i++) {
        double sum[5] = {0};
        for (int64_t w = 0; w < 12; w++) {
            uint64_t h = smr_word_hash(all[w], (int32_t)strlen(all[w]));
            sum[(h >> 32) * 5 >> 32] += h & 1 ? -a[i * 12 + w] : a[i * 12 + w];
        }
        for (int64_t k = 0; k < 5; k++) assert_true(b[i * 5 + k] == sum[k]);
    }
    smr_free(a);
    smr_free(b);
    smr_model_free(m);
    smr_model_free(words);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* A stream begins without any row, and gives what fit gives. */
static void a_stream_can_begin_with_buckets(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = text_table(ctx, texts, N);
    smr_model *m = train_on(ctx, "words hash=64 weight=log", t, NULL);
    smr_spec *spec = parsed(ctx, "words hash=64 weight=log");
    smr_binding binding = {0};
    smr_reader *reader = NULL;
    smr_rows rows;
    double out[N * 64];
    (void)state;
    const smr_learner *l = spec->steps[0].learner;
    void *s = smr_alloc(ctx, 1, l->fitted->state_size);
    smr_shape shape = {.n_features = 1, .features = m->features};
    check_ok(ctx, l->stream->begin(ctx, spec->steps[0].params, &shape, s));
    check_ok(ctx, smr_schema_bind(ctx, &m->schema, smr_model_columns(m), t, &binding));
    check_ok(ctx, smr_reader_open(ctx, &binding.data, SMR_FORM_F64, N, &reader));
    check_ok(ctx, smr_reader_rows(ctx, reader, 0, N, &rows));
    check_ok(ctx, l->stream->learn(ctx, spec->steps[0].params, s, &rows, NULL, out));
    double *whole = apply(ctx, m, t, SMR_OUTPUT_TRANSFORM);
    assert_memory_equal(out, whole, sizeof out);
    smr_state_free(l, s);
    smr_spec_free(spec);
    spec = parsed(ctx, "words");
    s = smr_alloc(ctx, 1, l->fitted->state_size);
    check_fails(ctx, l->stream->begin(ctx, spec->steps[0].params, &shape, s), SMR_ERR_UNSUPPORTED,
                "hash=");
    smr_free(s);
    smr_spec_free(spec);
    smr_free(whole);
    smr_reader_close(reader);
    smr_binding_release(&binding);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

/* ---- what cannot be --------------------------------------------------------------------- */

static void refuse(const char *sentence, const char *const *x, smr_status status, const char *part)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = text_table(ctx, x, N);
    smr_model *m = NULL;
    check_fails(ctx, try_train(ctx, sentence, t, &(smr_set_opts){0}, &m), status, part);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void mistakes_are_told(void **state)
{
    static const char *const marks[N] = {"!", "?", "...", "--", "\xf0\x9f\x98\x80"};
    static const char *const rare[N] = {"b", "b", "b", "b", "b"};
    (void)state;
    refuse("words", marks, SMR_ERR_DATA, "hold no word at all");
    refuse("words min_count=4", texts, SMR_ERR_DATA, "none of the 12 distinct words is left");
    refuse("words", rare, SMR_ERR_DATA, "no column is taken as text");
    refuse("words txet", texts, SMR_ERR_PARAM, "text");
    refuse("words min_n=3 max_n=2", texts, SMR_ERR_PARAM, "min_n=3 is more than max_n=2");
    refuse("words hash=8 min_count=2", texts, SMR_ERR_PARAM, "hash= keeps no vocabulary");
    refuse("words unit=char min_length=2", texts, SMR_ERR_PARAM, "unit=word");
    refuse("words max_share=0", texts, SMR_ERR_PARAM, "max_share");
    refuse("words stop='the a cat dog bird mat sat sit on did didn''t flew'", texts, SMR_ERR_DATA,
           "no word at all but stop words");
}

static void a_row_of_numbers_cannot_hold_a_text(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = text_table(ctx, texts, N);
    smr_model *m = train_on(ctx, "words", t, NULL);
    smr_predictor *p = NULL;
    (void)state;
    double x = 0, *out = smr_alloc(ctx, smr_model_width(m, SMR_OUTPUT_TRANSFORM), sizeof *out);
    assert_non_null(out);
    check_ok(ctx, smr_predictor_create(ctx, m, SMR_OUTPUT_TRANSFORM, &p));
    check_fails(ctx, smr_predictor_row(p, &x, out), SMR_ERR_UNSUPPORTED,
                "input 'text' is text, which a row of numbers cannot hold");
    smr_predictor_free(p);
    smr_free(out);
    smr_model_free(m);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static smr_status whole_life(smr_ctx *ctx, void *arg)
{
    const smr_table *t = arg;
    smr_model *m = NULL, *back = NULL;
    char *bytes = NULL;
    int64_t n = 0;
    double out[2 * MANY];
    smr_set_opts opts = {.target = "y", .task = SMR_TASK_REGRESS, .keep_all = true};
    smr_status st = try_train(
        ctx, "words text max_n=2 stop=english | standardize center=no | knn 3", t, &opts, &m);
    if (st == SMR_OK) st = smr_model_write(ctx, m, &bytes, &n);
    if (st == SMR_OK) st = smr_model_read(ctx, bytes, n, &back);
    if (st == SMR_OK) st = smr_model_apply(ctx, back, t, NULL, 0, SMR_OUTPUT_VALUE, out);
    smr_free(bytes);
    smr_model_free(m);
    smr_model_free(back);
    return st;
}

static void failing_allocations_leave_nothing(void **state)
{
    static const double y[N] = {1, 2, 0, 4, 3};
    smr_ctx *ctx = check_ctx(1);
    smr_table *t = new_table(ctx, N, 2);
    (void)state;
    put_strings(ctx, t, 0, "text", texts);
    put_numbers(ctx, t, 1, "y", y);
    assert_true(fail_each_allocation(ctx, whole_life, t) > 50);
    smr_table_free(t);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_agree_with_scikit_learn),
        cmocka_unit_test(tfidf_agrees_with_scikit_learn),
        cmocka_unit_test(other_weights_are_what_they_say),
        cmocka_unit_test(english_function_words_are_a_list),
        cmocka_unit_test(other_columns_pass_in_front),
        cmocka_unit_test(texts_pass_through_other_words),
        cmocka_unit_test(new_texts_are_read_from_their_own_table),
        cmocka_unit_test(words_are_inserted_before_what_cannot_read),
        cmocka_unit_test(sparse_and_dense_rows_are_the_same),
        cmocka_unit_test(members_read_texts),
        cmocka_unit_test(threads_do_not_change_a_byte),
        cmocka_unit_test(the_vocabulary_comes_from_the_training_rows),
        cmocka_unit_test(weight_two_means_the_text_twice),
        cmocka_unit_test(buckets_stay_the_same),
        cmocka_unit_test(hashed_rows_are_signed_sums),
        cmocka_unit_test(a_stream_can_begin_with_buckets),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(a_row_of_numbers_cannot_hold_a_text),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
