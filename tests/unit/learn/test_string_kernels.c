/* Kernels of texts: worked figures, brute force over subsequences and words, threads and tiers,
 * prediction as training, texts beside numbers. */
#include "kernel_data.h"

#include "kernel/alike.h"
#include "kernel/kernel.h"

#define TEXTS 23

/* Texts of up to 12 letters of `letters`, empty ones among them. */
struct texts {
    char bytes[TEXTS * 16];
    int64_t start[TEXTS + 1];
    int32_t code[TEXTS];
    smr_strings strings;
    const smr_strings *list[1];
    smr_feature feature[2];
    double number[TEXTS];
    smr_data data;
};

static void put_text(struct texts *t, int64_t i, const char *text, int64_t n)
{
    memcpy(t->bytes + t->start[i], text, (size_t)n);
    t->start[i + 1] = t->start[i] + n;
    t->code[i] = (int32_t)i;
}

static void link_texts(struct texts *t, int64_t n)
{
    t->strings = (smr_strings){.n = n, .start = t->start, .bytes = t->bytes};
    t->list[0] = &t->strings;
    t->feature[0] = (smr_feature){
        .name = "seq", .kind = SMR_TEXT, .dtype = SMR_I32, .values = t->code, .stride = 1};
    t->feature[1] = (smr_feature){
        .name = "age", .kind = SMR_NUMBER, .dtype = SMR_F64, .values = t->number, .stride = 1};
    t->data = (smr_data){.size = sizeof t->data,
                         .n_rows = n,
                         .n_features = 1,
                         .features = t->feature,
                         .texts = t->list,
                         .n_texts = 1};
}

static void random_texts(struct texts *t, const char *letters)
{
    int64_t n = (int64_t)strlen(letters);
    *t = (struct texts){0};
    for (int64_t i = 0; i < TEXTS; i++) {
        char text[16];
        int64_t length = i % 13;
        for (int64_t k = 0; k < length; k++)
            text[k] = letters[smr_random_below(3, SMR_STREAM_TEST, (uint64_t)i, (uint64_t)k, n)];
        put_text(t, i, text, length);
        t->number[i] = smr_random_unit(5, SMR_STREAM_TEST, (uint64_t)i, 1);
    }
    link_texts(t, TEXTS);
}

static void given_texts(struct texts *t, const char *const *text, int64_t n)
{
    *t = (struct texts){0};
    for (int64_t i = 0; i < n; i++) put_text(t, i, text[i], (int64_t)strlen(text[i]));
    link_texts(t, n);
}

static const char *text_at(const struct texts *t, int64_t i, int64_t *n)
{
    return smr_strings_get(&t->strings, i, n);
}

/* ---- brute force ------------------------------------------------------------------------ */

/* (9) of kernel_words.c by all pairs of index lists, one list for each set bit. */
static double all_subsequences(const char *s, int64_t m, const char *t, int64_t n, int length,
                               double decay)
{
    double sum = 0;
    for (unsigned a = 0; a < 1u << m; a++) {
        if (__builtin_popcount(a) != length) continue;
        for (unsigned b = 0; b < 1u << n; b++) {
            if (__builtin_popcount(b) != length) continue;
            bool same = true;
            for (unsigned i = a, j = b; i; i &= i - 1, j &= j - 1)
                same = same && s[__builtin_ctz(i)] == t[__builtin_ctz(j)];
            int span =
                64 - __builtin_clz(a) - __builtin_ctz(a) - __builtin_clz(b) - __builtin_ctz(b);
            if (same) sum += pow(decay, span);
        }
    }
    return sum;
}

/* The textbook programme over |s| |t| cells, level by level: kept as the reference. */
static double plain_programme(const char *s, int64_t m, const char *t, int64_t n, int length,
                              double decay)
{
    double *below = calloc((size_t)((m + 1) * (n + 1)), sizeof *below), sum = 0;
    double *level = calloc((size_t)((m + 1) * (n + 1)), sizeof *level);
    for (int64_t i = 0; i < (m + 1) * (n + 1); i++) below[i] = 1;
    for (int k = 1; k <= length; k++) {
        sum = 0;
        memset(level, 0, sizeof *level * (size_t)((m + 1) * (n + 1)));
        for (int64_t a = 1; a <= m; a++) {
            double run = 0;
            for (int64_t b = 1; b <= n; b++) {
                bool same = s[a - 1] == t[b - 1];
                double match = same ? decay * decay * below[(a - 1) * (n + 1) + b - 1] : 0;
                run = decay * run + match;
                level[a * (n + 1) + b] = decay * level[(a - 1) * (n + 1) + b] + run;
                sum += match;
            }
        }
        double *swap = below;
        below = level;
        level = swap;
    }
    free(below);
    free(level);
    return sum;
}

/* Words w of k letters over the alphabet within m of a word of s: how many places, for all w. */
static double all_words(const char *s, int64_t ns, const char *t, int64_t nt, int k, int m,
                        const char *letters)
{
    int64_t A = (int64_t)strlen(letters), words = 1;
    double sum = 0;
    for (int i = 0; i < k; i++) words *= A;
    for (int64_t w = 0; w < words; w++) {
        double count[2] = {0, 0};
        for (int side = 0; side < 2; side++) {
            const char *text = side ? t : s;
            for (int64_t at = 0; at + k <= (side ? nt : ns); at++) {
                int differ = 0;
                int64_t rest = w;
                for (int i = 0; i < k; i++, rest /= A) differ += text[at + i] != letters[rest % A];
                count[side] += differ <= m;
            }
        }
        sum += count[0] * count[1];
    }
    return sum;
}

/* ---- figures ---------------------------------------------------------------------------- */

static void cat_and_car_share_a_sixteenth(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct texts t;
    (void)state;
    given_texts(&t, (const char *const[]){"cat", "car"}, 2);
    double *K = gram_of(ctx, "subsequence(length=2 decay=0.5 normal=no)", &t.data, SMR_KERNEL_F64);
    check_near("K(cat, car)", K[1], 1.0 / 16, 0);
    check_near("K(cat, cat)", K[0], 9.0 / 64, 0);
    double *L = gram_of(ctx, "subsequence(length=2 decay=0.5)", &t.data, SMR_KERNEL_F64);
    check_near("normalised", L[1], 4.0 / 9, 1e-15);
    check_near("with itself", L[0], 1, 0);
    smr_free(K);
    smr_free(L);
    check_ctx_end(ctx);
}

static void subsequences_are_those_of_brute_force(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    struct texts t;
    (void)state;
    random_texts(&t, "acgt");
    for (int length = 1; length <= 9; length += length < 4 ? 1 : 5) {
        char text[80];
        snprintf(text, sizeof text, "subsequence(%d decay=0.7 normal=no)", length);
        double *K = gram_of(ctx, text, &t.data, SMR_KERNEL_F64);
        for (int i = 0; i < TEXTS; i++)
            for (int j = 0; j <= i; j++) {
                int64_t m, n;
                const char *u = text_at(&t, i, &m), *v = text_at(&t, j, &n);
                double plain = plain_programme(u, m, v, n, length, 0.7);
                if (m <= 8 && n <= 8)
                    check_near("all", K[i * TEXTS + j], all_subsequences(u, m, v, n, length, 0.7),
                               1e-12);
                check_near("programme", K[i * TEXTS + j], plain, 1e-12 * fmin(1, plain));
                assert_true(K[i * TEXTS + j] == K[j * TEXTS + i]);
            }
        smr_free(K);
    }
    check_ctx_end(ctx);
}

static void spectra_are_those_of_brute_force(void **state)
{
    static const char letters[] = "acgt";
    smr_ctx *ctx = check_ctx(2);
    struct texts t;
    (void)state;
    random_texts(&t, letters);
    for (int k = 1; k <= 4; k++)
        for (int m = 0; m < k && m < 3; m++) {
            char text[80];
            snprintf(text, sizeof text, "spectrum(k=%d mismatch=%d normal=no)", k, m);
            double *K = gram_of(ctx, text, &t.data, SMR_KERNEL_F64);
            for (int i = 0; i < TEXTS; i++)
                for (int j = 0; j < TEXTS; j++) {
                    int64_t a, b;
                    const char *u = text_at(&t, i, &a), *v = text_at(&t, j, &b);
                    check_near(text, K[i * TEXTS + j], all_words(u, a, v, b, k, m, letters), 0);
                }
            smr_free(K);
        }
    check_ctx_end(ctx);
}

/* b_k = 2 (length - k + 1) / (length (length + 1)). */
static void wspectrum_is_the_weighted_sum_of_spectra(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct texts t;
    (void)state;
    random_texts(&t, "ab");
    double *K = gram_of(ctx, "wspectrum(3 normal=no)", &t.data, SMR_KERNEL_F64);
    double *L = gram_of(ctx,
                        "0.5*spectrum(1 normal=no) + 0.3333333333333333*spectrum(2 normal=no) + "
                        "0.16666666666666666*spectrum(3 normal=no)",
                        &t.data, SMR_KERNEL_F64);
    for (int i = 0; i < TEXTS * TEXTS; i++) check_near("sum", K[i], L[i], 1e-14);
    smr_free(K);
    smr_free(L);
    check_ctx_end(ctx);
}

/* Nothing is in an empty text: its row is 0, and no value is NaN. */
static void empty_texts_are_alike_to_none(void **state)
{
    static const char *const kernels[] = {"subsequence", "spectrum", "wspectrum",
                                          "spectrum(2 mismatch=1)", "normalize(spectrum)"};
    smr_ctx *ctx = check_ctx(1);
    struct texts t;
    (void)state;
    given_texts(&t, (const char *const[]){"", "abcabc", "b", ""}, 4);
    for (int k = 0; k < SMR_COUNT(kernels); k++) {
        double *K = gram_of(ctx, kernels[k], &t.data, SMR_KERNEL_F64);
        for (int i = 0; i < 4; i++) assert_true(K[i] == 0 && K[i * 4] == 0);
        check_near(kernels[k], K[5], 1, 0);
        smr_free(K);
    }
    check_ctx_end(ctx);
}

/* ---- bits ------------------------------------------------------------------------------- */

static const char *const composed = "subsequence(4 column=seq) + 2*spectrum(2)*rbf(gamma=3) + "
                                    "wspectrum(3)^2 + spectrum(3 mismatch=1)";

static void bits_do_not_depend_on_threads_or_tiers(void **state)
{
    static const char *const tiers[] = {"base", "v3", "v4"};
    struct texts t;
    (void)state;
    random_texts(&t, "acgt");
    t.data.n_features = 2;
    smr_ctx *one = check_ctx(1);
    double *want = gram_of(one, composed, &t.data, SMR_KERNEL_F32);
    for (int k = 0; k < SMR_COUNT(tiers); k++) {
        if (!smr_kernel_use(tiers[k])) continue;
        for (int threads = 1; threads <= 7; threads += threads == 1 ? 1 : 5) {
            smr_ctx *ctx = check_ctx(threads);
            double *got = gram_of(ctx, composed, &t.data, SMR_KERNEL_F32);
            assert_memory_equal(got, want, sizeof *got * TEXTS * TEXTS);
            smr_free(got);
            check_ctx_end(ctx);
        }
    }
    smr_free(want);
    check_ctx_end(one);
}

/* Rows of prediction come from another table, whose codes mean other strings; some hold words that
 * no point holds.  A text no longer than those of the points asks for no memory. */
static void prediction_has_the_bits_of_training(void **state)
{
    static const char *const kernels[] = {"subsequence(4 column=seq) + 2*spectrum(2)*rbf(gamma=3)",
                                          "normalize(subsequence(2 normal=no)*linear + wspectrum)",
                                          "spectrum(2 mismatch=1 normal=no) + poly(2)"};
    smr_ctx *ctx = check_ctx(1);
    struct texts t, other;
    (void)state;
    random_texts(&t, "acgt");
    other = t;
    link_texts(&other, TEXTS);
    for (int64_t i = 0; i < TEXTS; i++) { /* the same texts in another order of codes */
        int64_t n, k = (i * 7 + 3) % TEXTS;
        const char *text = text_at(&t, k, &n);
        put_text(&other, i, text, n);
    }
    for (int32_t i = 0; i < TEXTS; i++) other.code[(i * 7 + 3) % TEXTS] = i;
    t.data.n_features = other.data.n_features = 2;
    for (int k = 0; k < SMR_COUNT(kernels); k++) {
        struct opened o;
        double *K = gram_of(ctx, kernels[k], &t.data, SMR_KERNEL_F64), out[5];
        smr_kernel_points kept = {0};
        smr_reader *reader = NULL;
        smr_rows rows;
        const int32_t index[] = {2, 5, 9, 11, 20};
        open_kernel(ctx, kernels[k], &t.data, SMR_KERNEL_F64, &o);
        check_ok(ctx, smr_kernel_keep(ctx, &o.set, index, 5, &kept));
        check_ok(ctx, smr_kernel_prepare(ctx, &o.kernel, &kept));
        void *scratch = smr_alloc(ctx, smr_kernel_scratch(&o.kernel, &kept, 1, 1), 1);
        check_ok(ctx, smr_reader_open(ctx, &other.data, SMR_FORM_F64, TEXTS, &reader));
        check_ok(ctx, smr_reader_rows(ctx, reader, 0, TEXTS, &rows));
        int64_t longest = 0, n, n_short = 0;
        for (int j = 0; j < 5; j++) {
            text_at(&t, index[j], &n);
            longest = SMR_MAX(longest, n);
        }
        for (int64_t i = 0; i < TEXTS; i++) {
            smr_rows row = smr_rows_slice(&rows, i, i + 1);
            int64_t before = atomic_load(&ctx->memory->requests);
            check_ok(ctx, smr_kernel_cross(ctx, &o.kernel, &kept, &row, 0, 5, out, 5, scratch));
            for (int j = 0; j < 5; j++)
                if (out[j] != K[i * TEXTS + index[j]])
                    fail_msg("%s: %d, %d: %.17g, %.17g", kernels[k], (int)i, j, out[j],
                             K[i * TEXTS + index[j]]);
            check_ok(ctx, smr_kernel_self(ctx, &o.kernel, &kept, &row, out, scratch));
            assert_true(out[0] == K[i * TEXTS + i]);
            text_at(&t, i, &n);
            n_short += n <= longest;
            if (n <= longest) assert_int_equal(atomic_load(&ctx->memory->requests), before);
        }
        assert_true(n_short > TEXTS / 2 && n_short < TEXTS);
        smr_reader_close(reader);
        smr_free(scratch);
        smr_free(K);
        smr_kernel_set bin = {.points = kept};
        smr_kernel_close(&bin);
        close_kernel(&o);
    }
    check_ctx_end(ctx);
}

/* ---- columns ---------------------------------------------------------------------------- */

static void refused(smr_ctx *ctx, const char *text, const smr_data *data, const char *part)
{
    smr_kernel kernel = {0};
    smr_kernel_set set = {0};
    check_ok(ctx, smr_kernel_read(ctx, text, &kernel));
    check_fails(ctx, smr_kernel_open(ctx, "svm", &kernel, data, SMR_KERNEL_F32, &set), SMR_ERR_DATA,
                part);
    smr_kernel_close(&set);
    smr_kernel_free(&kernel);
}

static void columns_that_no_kernel_reads_are_named(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct texts t;
    (void)state;
    random_texts(&t, "acgt");
    refused(ctx, "spectrum(column=dna)", &t.data,
            "svm: the kernel spectrum reads the text 'dna', which is not there");
    refused(ctx, "linear", &t.data,
            "svm: no kernel reads the text 'seq'; add one, or leave the column out");
    refused(ctx, "spectrum*rbf", &t.data, "svm: a kernel reads numbers, but no column holds them");
    t.data.n_features = 2;
    refused(ctx, "spectrum", &t.data,
            "svm: the kernel reads texts alone, and these columns are numbers; add a kernel that "
            "reads them, as rbf, or leave them out: 'age'");
    smr_feature two[] = {t.feature[0], t.feature[0]};
    two[1].name = "other";
    t.data.features = two;
    refused(ctx, "spectrum", &t.data, "where there are several: 'seq', 'other'");
    check_ctx_end(ctx);
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct texts t;
    smr_kernel kernel = {0};
    smr_status st = SMR_ERR_NOMEM;
    double *K = smr_alloc(ctx, TEXTS * TEXTS, sizeof *K);
    (void)state;
    random_texts(&t, "acgt");
    t.data.n_features = 2;
    check_ok(ctx, smr_kernel_read(ctx, composed, &kernel));
    for (int64_t at = 0; st != SMR_OK; at++) {
        smr_kernel_set set = {0};
        smr_kernel_points kept = {0};
        smr_memory_fail_at(ctx, at);
        st = smr_kernel_open(ctx, "test", &kernel, &t.data, SMR_KERNEL_F32, &set);
        if (st == SMR_OK) st = smr_kernel_gram(ctx, &set, K, TEXTS);
        if (st == SMR_OK) st = smr_kernel_keep(ctx, &set, (const int32_t[]){1, 5}, 2, &kept);
        if (st == SMR_OK) st = smr_kernel_prepare(ctx, &kernel, &kept);
        smr_memory_fail_at(ctx, -1);
        assert_true(st == SMR_OK || st == SMR_ERR_NOMEM);
        smr_ctx_clear(ctx);
        smr_kernel_set bin = {.points = kept};
        smr_kernel_close(&bin);
        smr_kernel_close(&set);
    }
    smr_kernel_free(&kernel);
    smr_free(K);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cat_and_car_share_a_sixteenth),
        cmocka_unit_test(subsequences_are_those_of_brute_force),
        cmocka_unit_test(spectra_are_those_of_brute_force),
        cmocka_unit_test(wspectrum_is_the_weighted_sum_of_spectra),
        cmocka_unit_test(empty_texts_are_alike_to_none),
        cmocka_unit_test(bits_do_not_depend_on_threads_or_tiers),
        cmocka_unit_test(prediction_has_the_bits_of_training),
        cmocka_unit_test(columns_that_no_kernel_reads_are_named),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
