/* Kernels of vectors: formulas, algebra, forms, threads and tiers, prediction as training. */
#include "kernel_data.h"

#include "kernel/kernel.h"

/* ---- formulas --------------------------------------------------------------------------- */

static double dot(const double *u, const double *v)
{
    double sum = 0;
    for (int j = 0; j < D; j++) sum += u[j] * v[j];
    return sum;
}

/* Kernels with gamma = 0.3 and r = 0.7, straight from their formulas. */
static double formula(const char *name, const double *u, const double *v)
{
    double l2 = 0, l1 = 0, chi2 = 0, uv = dot(u, v);
    for (int j = 0; j < D; j++) {
        double e = u[j] - v[j], s = u[j] + v[j];
        l2 += e * e;
        l1 += fabs(e);
        chi2 += s > 0 ? e * e / s : 0;
    }
    if (!strcmp(name, "linear")) return uv;
    if (!strcmp(name, "quadratic(coef0=0.7)")) return (uv + 0.7) * (uv + 0.7);
    if (!strcmp(name, "poly(degree=3 gamma=0.3 coef0=0.7)")) return pow(0.3 * uv + 0.7, 3);
    if (!strcmp(name, "rbf(gamma=0.3)")) return exp(-0.3 * l2);
    if (!strcmp(name, "laplacian(gamma=0.3)")) return exp(-0.3 * l1);
    if (!strcmp(name, "sigmoid(gamma=0.3 coef0=0.7)")) return tanh(0.3 * uv + 0.7);
    if (!strcmp(name, "cosine")) return uv / sqrt(dot(u, u) * dot(v, v));
    if (!strcmp(name, "chi2(gamma=0.3)")) return exp(-0.3 * chi2);
    return NAN;
}

static const char *const words[] = {
    "linear",         "quadratic(coef0=0.7)", "poly(degree=3 gamma=0.3 coef0=0.7)",
    "rbf(gamma=0.3)", "laplacian(gamma=0.3)", "sigmoid(gamma=0.3 coef0=0.7)",
    "cosine",         "chi2(gamma=0.3)",
};

static void values_are_those_of_the_formulas(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    struct rows r;
    (void)state;
    positive_rows(&r);
    for (int w = 0; w < SMR_COUNT(words); w++) {
        double *K = gram_of(ctx, words[w], &r.data, SMR_KERNEL_F64);
        float *k = floats_of(ctx, words[w], &r.data);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                double want = formula(words[w], r.x[i], r.x[j]);
                /* a dozen roundings of numbers up to 100 */
                check_near(words[w], K[i * N + j], want, 1e-13);
                check_near(words[w], (double)k[i * N + j], want, 4e-6);
                assert_true(K[i * N + j] == K[j * N + i] && k[i * N + j] == k[j * N + i]);
            }
        smr_free(K);
        smr_free(k);
    }
    check_ctx_end(ctx);
}

/* phi of (x x')^2 and (1 + x x')^2 in two variables. */
static void quadratic_kernels_are_products_of_features(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct rows r;
    const double s = sqrt(2);
    (void)state;
    signed_rows(&r);
    r.data.n_features = 2;
    double *K = gram_of(ctx, "quadratic(coef0=0)", &r.data, SMR_KERNEL_F64);
    double *L = gram_of(ctx, "quadratic", &r.data, SMR_KERNEL_F64);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            const double *u = r.x[i], *v = r.x[j];
            double three = u[0] * u[0] * v[0] * v[0] + s * u[0] * u[1] * s * v[0] * v[1] +
                           u[1] * u[1] * v[1] * v[1];
            check_near("three features", K[i * N + j], three, 1e-13);
            check_near("six features", L[i * N + j],
                       1 + s * u[0] * s * v[0] + s * u[1] * s * v[1] + three, 1e-13);
        }
    smr_free(K);
    smr_free(L);
    check_ctx_end(ctx);
}

/* ---- algebra ---------------------------------------------------------------------------- */

/* c[0] A op c[1] B, and what is done to it. */
static void composition_is_the_algebra_of_matrices(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    struct rows r;
    (void)state;
    signed_rows(&r);
    double *a = gram_of(ctx, "rbf(gamma=0.4)", &r.data, SMR_KERNEL_F64);
    double *b = gram_of(ctx, "poly(degree=2 gamma=0.2 coef0=0.5)", &r.data, SMR_KERNEL_F64);
#define A "rbf(gamma=0.4)"
#define B "poly(degree=2 gamma=0.2 coef0=0.5)"
    static const char *const text[] = {
        "2.5*" A " + " B,
        A "*" B,
        "exp(0.1*" B ")",
        "(" A " + 3)^3",
        "normalize(" B ")",
        "soften(" B ")",
        "damp(" B ")",
        A " - 0.5*" B,
        "2*3*" A,
        "(1 + 2)*" A,
        "normalize(" A " + 2*" B ")*" A,
    };
#undef A
#undef B
    for (int t = 0; t < SMR_COUNT(text); t++) {
        double *K = gram_of(ctx, text[t], &r.data, SMR_KERNEL_F64);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                double x = a[i * N + j], y = b[i * N + j], yi = b[i * N + i], yj = b[j * N + j];
                double want[] = {
                    2.5 * x + y,
                    x * y,
                    exp(0.1 * y),
                    pow(x + 3, 3),
                    y / sqrt(yi * yj),
                    y / sqrt((1 + yi) * (1 + yj)),
                    y * exp(-(yi + yj) / 2),
                    x - 0.5 * y,
                    6 * x,
                    3 * x,
                    (x + 2 * y) / sqrt((1 + 2 * yi) * (1 + 2 * yj)) * x,
                };
                check_near(text[t], K[i * N + j], want[t], 1e-13);
            }
        smr_free(K);
    }
    smr_free(a);
    smr_free(b);
    check_ctx_end(ctx);
}

/* exp(-|u - v|^2 / 2) = exp(u v) / sqrt(exp(u u) exp(v v)). */
static void the_gaussian_is_a_normalised_exponential(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct rows r;
    (void)state;
    signed_rows(&r);
    double *K = gram_of(ctx, "normalize(exp(linear))", &r.data, SMR_KERNEL_F64);
    double *L = gram_of(ctx, "rbf(gamma=0.5)", &r.data, SMR_KERNEL_F64);
    for (int i = 0; i < N * N; i++) check_near("gaussian", K[i], L[i], 1e-12);
    smr_free(K);
    smr_free(L);
    check_ctx_end(ctx);
}

/* ---- gamma ------------------------------------------------------------------------------ */

static double gamma_found(smr_ctx *ctx, const char *text, const smr_data *data)
{
    smr_kernel kernel = {0};
    smr_kernel_set set = {0};
    check_ok(ctx, smr_kernel_read(ctx, text, &kernel));
    check_ok(ctx, smr_kernel_open(ctx, "test", &kernel, data, SMR_KERNEL_F64, &set));
    double gamma = set.points.gamma[0];
    smr_kernel_close(&set);
    smr_kernel_free(&kernel);
    return gamma;
}

static int ascending(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static void gamma_is_what_the_rows_say(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct rows r;
    double mean = 0, var = 0, away[N * (N - 1) / 2];
    int n = 0;
    (void)state;
    signed_rows(&r);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < D; j++) mean += r.x[i][j] / (N * D);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < D; j++) var += (r.x[i][j] - mean) * (r.x[i][j] - mean) / (N * D);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < i; k++, n++) {
            away[n] = 0;
            for (int j = 0; j < D; j++) away[n] += pow(r.x[i][j] - r.x[k][j], 2);
        }
    qsort(away, (size_t)n, sizeof *away, ascending);
    double m = (sqrt(away[(n - 1) / 2]) + sqrt(away[n / 2])) / 2;
    check_near("scale", gamma_found(ctx, "rbf", &r.data), 1 / (D * var), 1e-13);
    check_near("auto", gamma_found(ctx, "rbf(gamma=auto)", &r.data), 1.0 / D, 0);
    check_near("median", gamma_found(ctx, "rbf(gamma=median)", &r.data), 1 / (2 * m * m), 1e-13);
    check_near("given", gamma_found(ctx, "rbf(gamma=0.25)", &r.data), 0.25, 0);
    r.data.n_rows = 1;
    check_near("a single row", gamma_found(ctx, "rbf(gamma=median)", &r.data), 1, 0);
    check_ctx_end(ctx);
}

/* Weight 2 means the row twice. */
static void weights_count_in_gamma(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct rows r;
    double weight[N];
    int64_t twice[N + 1];
    (void)state;
    signed_rows(&r);
    for (int i = 0; i < N; i++) weight[i] = i == 7 ? 2 : 1;
    for (int i = 0; i <= N; i++) twice[i] = i < N ? i : 7;
    smr_data weighted = r.data, repeated = r.data;
    weighted.weight = weight;
    repeated.rows = twice;
    repeated.n_rows = N + 1;
    check_near("scale", gamma_found(ctx, "rbf", &weighted), gamma_found(ctx, "rbf", &repeated),
               1e-13);
    check_ctx_end(ctx);
}

/* ---- blocks, threads, tiers ------------------------------------------------------------- */

static const char *const composed = "2*rbf(gamma=0.3) + poly(2)*normalize(linear + 1) + cosine";

static void bits_do_not_depend_on_threads_tiers_or_blocks(void **state)
{
    static const char *const tiers[] = {"base", "v3", "v4"};
    static const int32_t row[] = {31, 2, 2, 17}, column[] = {5, 36, 0};
    struct rows r;
    (void)state;
    signed_rows(&r);
    smr_ctx *one = check_ctx(1);
    float *want = floats_of(one, composed, &r.data);
    double *wide = gram_of(one, composed, &r.data, SMR_KERNEL_F64);
    for (int t = 0; t < SMR_COUNT(tiers); t++) {
        if (!smr_kernel_use(tiers[t])) continue;
        for (int threads = 1; threads <= 7; threads += threads == 1 ? 1 : 5) {
            smr_ctx *ctx = check_ctx(threads);
            struct opened o;
            open_kernel(ctx, composed, &r.data, SMR_KERNEL_F32, &o);
            float *got = floats_of(ctx, composed, &r.data), part[4 * 3];
            double *G = gram_of(ctx, composed, &r.data, SMR_KERNEL_F64);
            assert_memory_equal(got, want, sizeof *got * N * N);
            assert_memory_equal(G, wide, sizeof *G * N * N);
            check_ok(ctx, o.set.rows.block(ctx, &o.set.rows, row, 4, column, 3, part, 3));
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < 3; b++)
                    assert_true(part[a * 3 + b] == want[row[a] * N + column[b]]);
            smr_free(got);
            smr_free(G);
            close_kernel(&o);
            check_ctx_end(ctx);
        }
    }
    smr_free(want);
    smr_free(wide);
    check_ctx_end(one);
}

static void the_diagonal_is_that_of_the_block(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    struct rows r;
    double diagonal[N];
    (void)state;
    signed_rows(&r);
    for (int precision = SMR_KERNEL_F32; precision <= SMR_KERNEL_F64; precision++) {
        struct opened o;
        open_kernel(ctx, composed, &r.data, (smr_kernel_precision)precision, &o);
        double *K = gram_of(ctx, composed, &r.data, (smr_kernel_precision)precision);
        check_ok(ctx, smr_kernel_diagonal(ctx, &o.set, diagonal));
        for (int i = 0; i < N; i++) assert_true(diagonal[i] == K[i * N + i]);
        smr_free(K);
        close_kernel(&o);
    }
    check_ctx_end(ctx);
}

/* Rows far from the origin, and so near to each other that floats of |x|^2 would hide it. */
static void a_far_origin_costs_no_digits(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct rows r;
    (void)state;
    signed_rows(&r);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < D; j++) r.x[i][j] += 4096;
    double *K = gram_of(ctx, "rbf(gamma=0.3)", &r.data, SMR_KERNEL_F64);
    float *k = floats_of(ctx, "rbf(gamma=0.3)", &r.data);
    float *sum = floats_of(ctx, "rbf(gamma=0.3) + 0*linear", &r.data);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            check_near("float", (double)k[i * N + j], formula(words[3], r.x[i], r.x[j]), 4e-6);
            check_near("not centred", (double)sum[i * N + j], formula(words[3], r.x[i], r.x[j]),
                       4e-6);
            check_near("double", K[i * N + j], formula(words[3], r.x[i], r.x[j]), 1e-11);
            assert_true(i != j || k[i * N + j] == 1);
        }
    smr_free(K);
    smr_free(k);
    smr_free(sum);
    check_ctx_end(ctx);
}

/* ---- prediction ------------------------------------------------------------------------- */

/* Keeps every third point, and compares the rows of training with them. */
static void check_prediction(smr_ctx *ctx, const char *text, const smr_data *data,
                             smr_kernel_precision precision)
{
    struct opened o;
    open_kernel(ctx, text, data, precision, &o);
    smr_kernel_points kept = {0};
    int32_t index[N];
    int64_t n = 0, total = data->n_rows;
    double *K = gram_of(ctx, text, data, precision), out[N], coef[2][N], both[2], one[2];
    for (int32_t i = 0; i < total; i += 3) {
        coef[0][n] = 1.0 / (i + 2);
        index[n++] = i;
    }
    memcpy(&coef[0][n], coef[0], sizeof(double) * (size_t)n); /* the second output is the first */
    check_ok(ctx, smr_kernel_keep(ctx, &o.set, index, n, &kept));
    check_ok(ctx, smr_kernel_prepare(ctx, &o.kernel, &kept));
    void *scratch = smr_alloc(ctx, smr_kernel_scratch(&o.kernel, &kept, 64, 2), 1);
    smr_reader *reader = NULL;
    smr_rows rows;
    check_ok(ctx, smr_reader_open(ctx, data, smr_kernel_form(&kept), N, &reader));
    check_ok(ctx, smr_reader_rows(ctx, reader, 0, total, &rows));
    for (int64_t i = 0; i < total; i++) {
        smr_rows row = smr_rows_slice(&rows, i, i + 1);
        check_ok(ctx, smr_kernel_cross(ctx, &o.kernel, &kept, &row, 0, n, out, N, scratch));
        for (int64_t j = 0; j < n; j++)
            if (out[j] != K[i * total + index[j]])
                fail_msg("%s: K(%d, %d) is %.17g and was %.17g", text, (int)i, (int)index[j],
                         out[j], K[i * total + index[j]]);
        check_ok(ctx, smr_kernel_apply(ctx, &o.kernel, &kept, &row, coef[0], 2, one, scratch));
        double *all = smr_alloc(ctx, 2 * total, sizeof *all), sum = 0;
        check_ok(ctx, smr_kernel_apply(ctx, &o.kernel, &kept, &rows, coef[0], 2, all, scratch));
        memcpy(both, all + 2 * i, sizeof both);
        smr_free(all);
        for (int64_t j = 0; j < n; j++) sum += coef[0][j] * out[j];
        assert_memory_equal(one, both, sizeof one);
        assert_true(one[0] == one[1]);
        check_near("sum", one[0], sum, 1e-13);
    }
    smr_reader_close(reader);
    smr_free(scratch);
    smr_free(K);
    smr_kernel_set bin = {.points = kept};
    smr_kernel_close(&bin);
    close_kernel(&o);
}

static void prediction_has_the_bits_of_training(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct rows r;
    (void)state;
    positive_rows(&r);
    for (int w = 0; w < SMR_COUNT(words); w++) {
        check_prediction(ctx, words[w], &r.data, SMR_KERNEL_F32);
        check_prediction(ctx, words[w], &r.data, SMR_KERNEL_F64);
    }
    check_prediction(ctx, composed, &r.data, SMR_KERNEL_F32);
    check_prediction(ctx, "rbf(gamma=2000)", &r.data, SMR_KERNEL_F32); /* in double inside */
    check_ctx_end(ctx);
}

/* ---- sparse rows ------------------------------------------------------------------------ */

static void sparse_rows_are_dense_rows(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    (void)state;
    /* Ten entries a row: points that become dense, that are thin, that are wide. */
    static const int64_t width[] = {20, 50, 3000};
    for (int k = 0; k < SMR_COUNT(width); k++) {
        struct sparse_rows s;
        fill_sparse(ctx, width[k], &s);
        for (int w = 0; w < SMR_COUNT(words); w++) {
            float *a = floats_of(ctx, words[w], &s.data), *b = floats_of(ctx, words[w], &s.dense);
            double *A = gram_of(ctx, words[w], &s.data, SMR_KERNEL_F64);
            double *B = gram_of(ctx, words[w], &s.dense, SMR_KERNEL_F64);
            for (int i = 0; i < N * N; i++) {
                check_near(words[w], A[i], B[i], 1e-13);
                check_near(words[w], (double)a[i], (double)b[i], 4e-6);
                assert_true(w == 3 || w == 4 || w == 7 || a[i] == b[i]); /* not of differences */
            }
            smr_free(a);
            smr_free(b);
            smr_free(A);
            smr_free(B);
            check_prediction(ctx, words[w], &s.data, SMR_KERNEL_F32);
        }
        check_prediction(ctx, composed, &s.data, SMR_KERNEL_F64);
        release_sparse(&s);
    }
    check_ctx_end(ctx);
}

/* ---- some points ------------------------------------------------------------------------ */

/* K of the points `index`, as the whole set has it, is `got`. */
static void check_some(smr_ctx *ctx, const smr_kernel_set *got, const float *K,
                       const int32_t *index)
{
    int64_t n = got->rows.n;
    float *k = smr_alloc(ctx, n * n + 1, sizeof *k);
    double *diagonal = smr_alloc(ctx, n + 1, sizeof *diagonal);
    check_ok(ctx, got->rows.block(ctx, &got->rows, NULL, n, NULL, n, k, n));
    check_ok(ctx, got->rows.diagonal(ctx, &got->rows, diagonal));
    for (int64_t i = 0; i < n; i++) {
        assert_true((float)diagonal[i] == K[index[i] * N + index[i]]);
        for (int64_t j = 0; j < n; j++) assert_true(k[i * n + j] == K[index[i] * N + index[j]]);
    }
    smr_free(k);
    smr_free(diagonal);
}

/* Columns from any one on, into a wider block. */
static void check_spans(smr_ctx *ctx, const smr_kernel_set *set, const float *K)
{
    const int32_t rows[3] = {N - 1, 0, 7};
    for (int64_t first = 0; first < N; first += 13) {
        int64_t n = SMR_MIN(N - first, 40);
        float span[3 * 50];
        for (int i = 0; i < 3 * 50; i++) span[i] = -3;
        check_ok(ctx, smr_kernel_span(ctx, set, rows, 3, first, n, span, 50));
        for (int a = 0; a < 3; a++)
            for (int64_t b = 0; b < 50; b++)
                assert_true(span[a * 50 + b] == (b < n ? K[rows[a] * N + first + b] : -3));
    }
}

static void some_points_have_the_bits_of_all(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    struct sparse_rows s;
    int32_t index[N];
    int64_t n = 0;
    (void)state;
    fill_sparse(ctx, 50, &s);
    for (int32_t i = 0; i < N; i += 1 + i % 4) index[n++] = i;
    for (int64_t i = 0; i + 1 < n; i += 3) {
        int32_t other = index[i];
        index[i] = index[i + 1];
        index[i + 1] = other;
    }
    for (int w = 0; w < SMR_COUNT(words); w++)
        for (int dense = 0; dense < 2; dense++) {
            struct opened o;
            const smr_data *data = dense ? &s.dense : &s.data;
            float *K = floats_of(ctx, words[w], data);
            open_kernel(ctx, words[w], data, SMR_KERNEL_F32, &o);
            assert_true(smr_kernel_is_of_numbers(&o.set));
            check_spans(ctx, &o.set, K);
            close_kernel(&o);
            o = (struct opened){0};
            check_ok(ctx, smr_kernel_read(ctx, words[w], &o.kernel));
            check_ok(ctx, smr_kernel_collect(ctx, "test", &o.kernel, data, SMR_KERNEL_F32, &o.set));
            check_ok(ctx, smr_kernel_narrow(ctx, &o.set, index, n));
            check_ok(ctx, smr_kernel_start(ctx, "test", &o.set, index));
            check_some(ctx, &o.set, K, index);
            close_kernel(&o);
            smr_free(K);
        }
    release_sparse(&s);
    check_ctx_end(ctx);
}

/* Every fifth row again, and again with another mark: twins are those of the same mark. */
static void twins_are_found(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct sparse_rows s;
    int32_t first[N];
    double mark[N];
    int64_t rows[N];
    (void)state;
    fill_sparse(ctx, 50, &s);
    for (int i = 0; i < N; i++) {
        rows[i] = i % 5 ? i : i / 15 * 15; /* rows 0, 5 and 10 are row 0 ... */
        mark[i] = i % 15 == 10 ? 2 : 1;
    }
    s.data.rows = s.dense.rows = rows;
    for (int dense = 0; dense < 2; dense++) {
        struct opened o;
        open_kernel(ctx, "rbf(gamma=0.3)", dense ? &s.dense : &s.data, SMR_KERNEL_F32, &o);
        check_ok(ctx, smr_kernel_twins(ctx, &o.set, mark, first));
        for (int i = 0; i < N; i++) assert_int_equal(first[i], i % 15 == 5 ? i - 5 : i);
        close_kernel(&o);
    }
    release_sparse(&s);
    check_ctx_end(ctx);
}

/* ---- precomputed ------------------------------------------------------------------------ */

static void a_matrix_is_taken_as_given(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct rows r;
    (void)state;
    signed_rows(&r);
    double *K = gram_of(ctx, "rbf(gamma=0.3)", &r.data, SMR_KERNEL_F64);
    struct matrix m;
    fill_matrix(&m, K, N, N);
    check_prediction(ctx, "precomputed", &m.data, SMR_KERNEL_F64);
    double *G = gram_of(ctx, "precomputed^2 + 1", &m.data, SMR_KERNEL_F64);
    for (int i = 0; i < N * N; i++) check_near("given", G[i], K[i] * K[i] + 1, 1e-15);
    smr_free(G);
    int64_t some[] = {4, 9, 30, 12}; /* a fold: rows know their numbers in the table */
    smr_data fold = m.data;
    fold.rows = some;
    fold.n_rows = 4;
    G = gram_of(ctx, "precomputed", &fold, SMR_KERNEL_F64);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) assert_true(G[i * 4 + j] == K[some[i] * N + some[j]]);
    smr_free(G);
    smr_free(K);
    check_ctx_end(ctx);
}

/* ---- what is refused -------------------------------------------------------------------- */

static void refused(smr_ctx *ctx, const char *text, const smr_data *data, smr_status status,
                    const char *part)
{
    smr_kernel kernel = {0};
    smr_kernel_set set = {0};
    check_ok(ctx, smr_kernel_read(ctx, text, &kernel));
    check_fails(ctx, smr_kernel_open(ctx, "svm", &kernel, data, SMR_KERNEL_F32, &set), status,
                part);
    smr_kernel_close(&set);
    smr_kernel_free(&kernel);
}

static void bad_values_are_refused_by_name(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct rows r;
    (void)state;
    signed_rows(&r);
    refused(ctx, "chi2", &r.data, SMR_ERR_DATA,
            "svm: row 1 has a value below 0 in column 'c', and chi2 is for histograms");
    refused(ctx, "spectrum", &r.data, SMR_ERR_DATA,
            "svm: the kernel spectrum reads a text, but no column is one");
    r.x[3][2] = NAN;
    refused(ctx, "rbf", &r.data, SMR_ERR_DATA, "svm: row 4 has no value in column 'c'");
    r.x[3][2] = INFINITY;
    refused(ctx, "rbf", &r.data, SMR_ERR_DATA, "svm: row 4 has an infinite value in column 'c'");
    r.x[3][2] = 1e30;
    refused(ctx, "poly(5 gamma=1)", &r.data, SMR_ERR_NUMERIC,
            "svm: K(x, x) of row 4 is too large; scale the features");
    struct matrix m;
    fill_matrix(&m, (const double[]){1, 2, 3, 4, 5, 6}, 2, 3);
    refused(ctx, "precomputed", &m.data, SMR_ERR_SHAPE, "there are 2 rows and 3 columns");
    fill_matrix(&m, (const double[]){1, 2, 2.5, 1}, 2, 2);
    refused(ctx, "precomputed", &m.data, SMR_ERR_DATA,
            "svm: the precomputed matrix is not symmetric: K(2, 1) is 2.5 and K(1, 2) is 2");
    check_ctx_end(ctx);
}

/* What the rows of the state table cannot say of a stranger's file. */
static void damaged_points_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct rows r;
    struct opened o;
    const smr_shape shape = {.n_features = D};
    (void)state;
    signed_rows(&r);
    open_kernel(ctx, "rbf + linear", &r.data, SMR_KERNEL_F32, &o);
    const smr_kernel_points *good = &o.set.points;
    check_ok(ctx, smr_kernel_check(ctx, "svm", &o.kernel, good, &shape));
    smr_kernel_points bad = *good;
    bad.x_f32 = NULL;
    check_fails(ctx, smr_kernel_check(ctx, "svm", &o.kernel, &bad, &shape), SMR_ERR_FORMAT,
                "svm: the points must be there in one form");
    bad.n = 0; /* a model without support vectors */
    check_ok(ctx, smr_kernel_check(ctx, "svm", &o.kernel, &bad, &shape));
    bad = *good;
    bad.n_words = 1;
    check_fails(ctx, smr_kernel_check(ctx, "svm", &o.kernel, &bad, &shape), SMR_ERR_FORMAT,
                "do not fit the kernel's expression");
    bad = *good;
    bad.d = D - 1;
    check_fails(ctx, smr_kernel_check(ctx, "svm", &o.kernel, &bad, &shape), SMR_ERR_FORMAT,
                "do not have the features that come in");
    bad = *good;
    bad.word_text = (int32_t[]){0, -1};
    check_fails(ctx, smr_kernel_check(ctx, "svm", &o.kernel, &bad, &shape), SMR_ERR_FORMAT,
                "a kernel reads a text that it cannot");
    bad = *good;
    bad.place = (int32_t[]){0};
    check_fails(ctx, smr_kernel_check(ctx, "svm", &o.kernel, &bad, &shape), SMR_ERR_FORMAT,
                "places are for a precomputed kernel alone");
    bad = *good;
    bad.n_starts = bad.n + 1;
    check_fails(ctx, smr_kernel_check(ctx, "svm", &o.kernel, &bad, &shape), SMR_ERR_FORMAT,
                "sparse points must have starts, columns and values");
    bad.n_starts = 3;
    check_fails(ctx, smr_kernel_check(ctx, "svm", &o.kernel, &bad, &shape), SMR_ERR_FORMAT,
                "one start more than there are points");
    close_kernel(&o);
    check_ctx_end(ctx);
}

static void failing_allocations_leave_nothing(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct rows r;
    smr_kernel kernel = {0};
    smr_status st = SMR_ERR_NOMEM;
    double *K = smr_alloc(ctx, N * N, sizeof *K);
    (void)state;
    signed_rows(&r);
    check_ok(ctx, smr_kernel_read(ctx, "rbf(gamma=median)*normalize(linear + 2)", &kernel));
    for (int64_t at = 0; st != SMR_OK; at++) {
        smr_kernel_set set = {0};
        smr_kernel_points kept = {0};
        smr_memory_fail_at(ctx, at);
        st = smr_kernel_open(ctx, "test", &kernel, &r.data, SMR_KERNEL_F32, &set);
        if (st == SMR_OK) st = smr_kernel_gram(ctx, &set, K, N);
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
        cmocka_unit_test(values_are_those_of_the_formulas),
        cmocka_unit_test(quadratic_kernels_are_products_of_features),
        cmocka_unit_test(composition_is_the_algebra_of_matrices),
        cmocka_unit_test(the_gaussian_is_a_normalised_exponential),
        cmocka_unit_test(gamma_is_what_the_rows_say),
        cmocka_unit_test(weights_count_in_gamma),
        cmocka_unit_test(bits_do_not_depend_on_threads_tiers_or_blocks),
        cmocka_unit_test(the_diagonal_is_that_of_the_block),
        cmocka_unit_test(a_far_origin_costs_no_digits),
        cmocka_unit_test(prediction_has_the_bits_of_training),
        cmocka_unit_test(sparse_rows_are_dense_rows),
        cmocka_unit_test(some_points_have_the_bits_of_all),
        cmocka_unit_test(twins_are_found),
        cmocka_unit_test(a_matrix_is_taken_as_given),
        cmocka_unit_test(bad_values_are_refused_by_name),
        cmocka_unit_test(damaged_points_are_refused),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
