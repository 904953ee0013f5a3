/* test_coordinate.c -- elastic least squares by Gram matrix and by columns, and smooth losses by
 * columns: optimality conditions, certificates, paths. */
#include "unit/math/objectives.h"

#include "kernel/kernel.h"
#include "math/optimize/coordinate.h"

#include <float.h>

enum { N = 61, D = 23 };

/* Rows with correlated columns, a constant column (9) and an empty one (17), and targets. */
struct rows {
    double X[D * N]; /* by columns */
    double y[N], G[D * D], c[D], yy;
    int64_t start[D + 1];
    int32_t row[D * N];
    double value[D * N];
};

/* The columns of X without their zeros. */
static void pack(struct rows *r)
{
    int64_t used = 0;
    for (int j = 0; j < D; j++) {
        r->start[j] = used;
        for (int i = 0; i < N; i++) {
            if (r->X[j * N + i] == 0) continue;
            r->row[used] = i;
            r->value[used++] = r->X[j * N + i];
        }
    }
    r->start[D] = used;
}

static void make_rows(struct rows *r, bool is_sparse)
{
    memset(r, 0, sizeof *r);
    for (int j = 0; j < D; j++) {
        for (int i = 0; i < N; i++) {
            uint64_t a = (uint64_t)j, b = (uint64_t)i;
            double x = normal(a, b) + (j % 4 ? 0.9 * normal(a - a % 4, b) : 0);
            if (is_sparse && smr_random_unit(3, SMR_STREAM_TEST, a, b) > 0.2) x = 0;
            if (j == 9) x = 1.5;
            if (j == 17) x = 0;
            r->X[j * N + i] = x;
        }
    }
    pack(r);
    for (int i = 0; i < N; i++)
        r->y[i] =
            2.1 * r->X[i] - 1.3 * r->X[5 * N + i] + 0.4 * r->X[9 * N + i] + normal(99, (uint64_t)i);
    for (int j = 0; j < D; j++) {
        r->c[j] = smr_dot_f64(N, r->X + j * N, r->y);
        for (int k = 0; k < D; k++) r->G[j * D + k] = smr_dot_f64(N, r->X + j * N, r->X + k * N);
    }
    r->yy = smr_dot_f64(N, r->y, r->y);
}

static smr_gram_problem gram_of(const struct rows *r)
{
    return (smr_gram_problem){D, r->G, D, r->c, r->yy};
}

static smr_columns dense_of(const struct rows *r)
{
    return (smr_columns){.n_rows = N, .n_cols = D, .dense = r->X, .stride = N};
}

/* The rows without their zeros, from the last to the first. */
struct csr {
    int64_t start[N + 1], rows[N];
    int32_t column[D * N];
    double value[D * N];
    smr_csr csr;
};

static void turn(const struct rows *r, struct csr *s)
{
    int64_t used = 0;
    for (int i = 0; i < N; i++) {
        s->start[i] = used;
        s->rows[i] = N - 1 - i;
        for (int j = 0; j < D; j++) {
            double x = r->X[j * N + N - 1 - i];
            if (x == 0) continue;
            s->column[used] = j;
            s->value[used++] = x;
        }
    }
    s->start[N] = used;
    s->csr = (smr_csr){N, D, s->start, s->column, s->value};
}

static smr_columns sparse_of(const struct rows *r)
{
    return (smr_columns){
        .n_rows = N, .n_cols = D, .start = r->start, .row = r->row, .value = r->value};
}

/* The largest violation of the conditions of optimality. */
static double violation(const struct rows *r, const double *b, double l1, double l2,
                        const double *factor)
{
    double worst = 0;
    for (int j = 0; j < D; j++) {
        double q = 0, c = l1 * (factor ? factor[j] : 1);
        for (int i = 0; i < N; i++) {
            double z = r->y[i];
            for (int k = 0; k < D; k++) z -= b[k] != 0 ? r->X[k * N + i] * b[k] : 0;
            q += r->X[j * N + i] * z;
        }
        double u = q - l2 * b[j];
        worst = fmax(worst, b[j] > 0 ? fabs(u - c) : b[j] < 0 ? fabs(u + c) : fmax(fabs(u) - c, 0));
    }
    return worst;
}

static double objective(const struct rows *r, const double *b, double l1, double l2)
{
    double sum = 0;
    for (int i = 0; i < N; i++) {
        double z = r->y[i];
        for (int k = 0; k < D; k++) z -= r->X[k * N + i] * b[k];
        sum += 0.5 * z * z;
    }
    for (int k = 0; k < D; k++) sum += l1 * fabs(b[k]) + 0.5 * l2 * b[k] * b[k];
    return sum;
}

static const double strengths[] = {0, 0.013, 0.7, 9.1, 48, 160, 1e5};

static void gram_answers_are_optimal_to_rounding(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    static struct rows r;
    make_rows(&r, false);
    smr_gram_problem p = gram_of(&r);
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 4; k++) {
            double b[D] = {0}, l1 = strengths[i], l2 = strengths[k];
            smr_elastic_result out;
            smr_elastic_opts opts = {.l1 = l1, .l2 = l2, .tol = 1e-12};
            check_ok(ctx, smr_elastic_gram(ctx, &p, &opts, b, &out));
            assert_true(out.converged && out.gap <= 1e-12 * 0.5 * r.yy);
            double off = violation(&r, b, l1, l2, NULL);
            if (off > 1e-10) fail_msg("l1 = %g, l2 = %g: off by %g", l1, l2, off);
            check_near("objective", out.objective, objective(&r, b, l1, l2), 1e-12);
            assert_true(b[17] == 0);
        }
    check_ctx_end(ctx);
}

static void columns_agree_with_gram_dense_and_sparse(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(2);
    static struct rows r;
    for (int sparse = 0; sparse < 2; sparse++) {
        make_rows(&r, sparse);
        smr_gram_problem p = gram_of(&r);
        smr_columns X[2] = {dense_of(&r), sparse_of(&r)};
        for (int i = 1; i < 7; i++)
            for (int form = 0; form < 2; form++) {
                double b[D] = {0}, want[D] = {0};
                smr_elastic_result out, exact;
                smr_elastic_opts opts = {.l1 = strengths[i], .l2 = i % 2 ? 0.3 : 0, .tol = 1e-14};
                check_ok(ctx, smr_elastic_gram(ctx, &p, &opts, want, &exact));
                check_ok(ctx, smr_elastic_columns(ctx, &X[form], r.y, &opts, b, &out));
                if (!out.converged)
                    fail_msg("l1 = %g, form %d, sparse %d: gap %g of %g after %d", opts.l1, form,
                             sparse, out.gap, 0.5 * r.yy, (int)out.sweeps);
                for (int j = 0; j < D; j++) check_near("weight", b[j], want[j], 1e-7);
                check_near("objective", out.objective, exact.objective, 1e-13);
                double off = violation(&r, b, opts.l1, opts.l2, NULL);
                if (off > 1e-6 * sqrt(r.yy)) fail_msg("l1 = %g: off by %g", opts.l1, off);
            }
    }
    check_ctx_end(ctx);
}

/* P(b) - gap <= P(best) <= P(b), also far from the end. */
static void gaps_are_bounds_at_any_time(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    static struct rows r;
    make_rows(&r, false);
    smr_columns X = dense_of(&r);
    smr_gram_problem p = gram_of(&r);
    for (int k = 0; k < 2; k++) {
        double best[D] = {0};
        smr_elastic_result exact, out;
        smr_elastic_opts opts = {.l1 = 7.3, .l2 = k ? 0.9 : 0, .tol = 1e-14};
        check_ok(ctx, smr_elastic_gram(ctx, &p, &opts, best, &exact));
        for (int64_t sweeps = 1; sweeps < 12; sweeps++) {
            double b[D] = {0};
            opts.max_sweeps = sweeps;
            check_ok(ctx, smr_elastic_columns(ctx, &X, r.y, &opts, b, &out));
            check_near("objective", out.objective, objective(&r, b, opts.l1, opts.l2), 1e-12);
            assert_true(out.objective >= exact.objective - 1e-10);
            assert_true(out.objective - out.gap <= exact.objective + 1e-10);
            assert_true(out.sweeps <= sweeps && !out.converged);
        }
    }
    check_ctx_end(ctx);
}

static void paths_equal_cold_starts(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    static struct rows r;
    enum { K = 40 };
    static double B[K * D], C[K * D], l1[K];
    static smr_elastic_result out[K], by_columns[K];
    make_rows(&r, true);
    smr_gram_problem p = gram_of(&r);
    smr_columns X = sparse_of(&r);
    double top = smr_elastic_l1_max(D, r.c, NULL);
    for (int k = 0; k < K; k++) l1[k] = top * pow(1e-3, k / (K - 1.0));
    smr_elastic_opts opts = {.l2 = 0.01, .tol = 1e-14};
    smr_elastic_path path = {K, l1, NULL};
    check_ok(ctx, smr_elastic_gram_path(ctx, &p, &opts, &path, B, out));
    check_ok(ctx, smr_elastic_columns_path(ctx, &X, r.y, &opts, &path, C, by_columns));
    assert_int_equal(out[0].n_nonzero, 0); /* at l1_max nothing has entered yet */
    int64_t screened = 0;
    for (int k = 0; k < K; k++) {
        double b[D] = {0};
        smr_elastic_result cold;
        opts.l1 = l1[k];
        check_ok(ctx, smr_elastic_gram(ctx, &p, &opts, b, &cold));
        assert_true(out[k].converged && by_columns[k].converged);
        for (int j = 0; j < D; j++) {
            check_near("warm is cold", B[k * D + j], b[j], 1e-11);
            check_near("columns are gram", C[k * D + j], b[j], 1e-6);
        }
        assert_true(violation(&r, B + k * D, l1[k], 0.01, NULL) < 1e-10);
        screened += by_columns[k].n_screened;
    }
    assert_true(screened > K); /* beyond the empty column of each step */
    check_ctx_end(ctx);
}

/* Centring without filling equals centring by hand; with weights as roots and their unit vector. */
static void sparse_columns_are_centred_implicitly(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    static struct rows r, full;
    make_rows(&r, true);
    full = r;
    double mean[D], unit[N], y[N], uu = 0, uy = 0;
    for (int i = 0; i < N; i++) {
        unit[i] = sqrt(0.3 + 0.1 * (i % 5));
        uu += unit[i] * unit[i];
    }
    for (int j = 0; j < D; j++) { /* rows times the root of their weight */
        for (int64_t e = r.start[j]; e < r.start[j + 1]; e++) r.value[e] *= unit[r.row[e]];
        for (int i = 0; i < N; i++) full.X[j * N + i] *= unit[i];
        mean[j] = smr_dot_f64(N, full.X + j * N, unit) / uu;
        for (int i = 0; i < N; i++) full.X[j * N + i] -= mean[j] * unit[i];
    }
    for (int i = 0; i < N; i++) uy += unit[i] * unit[i] * r.y[i];
    for (int i = 0; i < N; i++) y[i] = unit[i] * (r.y[i] - uy / uu);
    smr_columns implicit = sparse_of(&r), explicit = dense_of(&full);
    implicit.mean = mean;
    implicit.unit = unit;
    double b[D] = {0}, want[D] = {0}, q[D], q_want[D];
    smr_elastic_result out, exact;
    smr_elastic_opts opts = {.l1 = 1.1, .l2 = 0.2, .tol = 1e-15};
    check_ok(ctx, smr_elastic_columns(ctx, &implicit, y, &opts, b, &out));
    check_ok(ctx, smr_elastic_columns(ctx, &explicit, y, &opts, want, &exact));
    assert_true(out.converged && exact.converged && exact.n_nonzero > 3);
    for (int j = 0; j < D; j++) check_near("weight", b[j], want[j], 1e-7);
    check_near("objective", out.objective, exact.objective, 1e-12);
    check_near("a constant column", b[9], 0, 0); /* centred away, to the last digit */
    check_ok(ctx, smr_columns_times(ctx, &implicit, r.y, q));
    check_ok(ctx, smr_columns_times(ctx, &explicit, r.y, q_want));
    for (int j = 0; j < D; j++) check_near("products", q[j], q_want[j], 1e-12);
    check_ctx_end(ctx);
}

static void factors_free_and_weigh_columns(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    static struct rows r;
    make_rows(&r, false);
    smr_gram_problem p = gram_of(&r);
    smr_columns X = dense_of(&r);
    double factor[D], b[D] = {0}, c[D] = {0};
    for (int j = 0; j < D; j++) factor[j] = j == 3 || j == 9 ? 0 : 0.5 + 0.1 * j;
    smr_elastic_result out;
    smr_elastic_opts opts = {.l1 = 300, .l1_factor = factor, .tol = 1e-14};
    check_ok(ctx, smr_elastic_gram(ctx, &p, &opts, b, &out));
    check_ok(ctx, smr_elastic_columns(ctx, &X, r.y, &opts, c, &out));
    assert_true(out.converged && b[3] != 0 && b[9] != 0 && b[0] == 0);
    assert_true(violation(&r, b, 300, 0, factor) < 1e-10);
    for (int j = 0; j < D; j++) check_near("columns", c[j], b[j], 1e-6);
    check_ctx_end(ctx);
}

/* Two equal columns: G is singular; any split of the weight is optimal for l2 = 0, and the even one
 * for l2 > 0. */
static void equal_columns_are_no_trouble(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    static struct rows r;
    make_rows(&r, false);
    memcpy(r.X + N, r.X, N * sizeof *r.X); /* column 1 = column 0 */
    for (int j = 0; j < D; j++) {
        r.c[j] = smr_dot_f64(N, r.X + j * N, r.y);
        for (int k = 0; k < D; k++) r.G[j * D + k] = smr_dot_f64(N, r.X + j * N, r.X + k * N);
    }
    smr_gram_problem p = gram_of(&r);
    double b[D] = {0};
    smr_elastic_result out;
    smr_elastic_opts opts = {.l1 = 2.5, .tol = 1e-12};
    check_ok(ctx, smr_elastic_gram(ctx, &p, &opts, b, &out));
    assert_true(out.converged && violation(&r, b, 2.5, 0, NULL) < 1e-4);
    opts = (smr_elastic_opts){.l1 = 2.5, .l2 = 0.7, .tol = -1};
    check_ok(ctx, smr_elastic_gram(ctx, &p, &opts, b, &out));
    check_near("even split", b[0], b[1], 1e-10);
    assert_true(out.converged && violation(&r, b, 2.5, 0.7, NULL) < 1e-10);
    check_ctx_end(ctx);
}

static void threads_do_not_change_bits(void **unused)
{
    (void)unused;
    static struct rows r;
    make_rows(&r, true);
    smr_columns X = sparse_of(&r);
    double b[3][D] = {{0}};
    const int threads[3] = {1, 2, 7};
    for (int t = 0; t < 3; t++) {
        smr_ctx *ctx = check_ctx(threads[t]);
        smr_elastic_result out;
        smr_elastic_opts opts = {.l1 = 1.7};
        check_ok(ctx, smr_elastic_columns(ctx, &X, r.y, &opts, b[t], &out));
        check_ctx_end(ctx);
    }
    assert_memory_equal(b[0], b[1], sizeof b[0]);
    assert_memory_equal(b[0], b[2], sizeof b[0]);
}

/* ---- smooth losses by columns ---- */

static double glm_violation(const smr_glm *m, const struct rows *r, const double *b, double offset,
                            double l1, double l2)
{
    double slope[N], worst = 0, total = 0;
    for (int i = 0; i < N; i++) {
        double z = offset;
        for (int k = 0; k < D; k++) z += r->X[k * N + i] * b[k];
        slope[i] =
            smr_loss_at(m->loss, m->param, m->y[i], z).slope * (m->weight ? m->weight[i] : 1);
        total += slope[i];
    }
    for (int j = 0; j < D; j++) {
        double g = smr_dot_f64(N, r->X + j * N, slope) + l2 * b[j];
        worst = fmax(worst, b[j] > 0   ? fabs(g + l1)
                            : b[j] < 0 ? fabs(g - l1)
                                       : fmax(fabs(g) - l1, 0));
    }
    return m->has_offset ? fmax(worst, fabs(total)) : worst;
}

static void smooth_losses_by_columns_are_optimal(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    static struct rows r;
    const smr_loss_id ids[] = {SMR_LOSS_LOGISTIC, SMR_LOSS_POISSON, SMR_LOSS_GAMMA,
                               SMR_LOSS_SQUARED,  SMR_LOSS_HUBER,   SMR_LOSS_SQUARED_HINGE};
    static struct csr by_row;
    for (int k = 0; k < 6; k++)
        for (int sparse = 0; sparse < 3; sparse++) {
            make_rows(&r, sparse);
            turn(&r, &by_row);
            smr_columns X = sparse ? sparse_of(&r) : dense_of(&r);
            double y[N], weight[N], b[D] = {0}, offset = 0;
            for (int i = 0; i < N; i++) {
                weight[i] = 0.5 + 0.25 * (i % 4);
                y[i] = r.y[i];
                if (smr_losses[ids[k]].kind == SMR_LOSS_MARGIN) y[i] = r.y[i] > 0 ? 1 : -1;
                if (ids[k] == SMR_LOSS_POISSON) y[i] = fmax(0, floor(r.y[i]));
                if (ids[k] == SMR_LOSS_GAMMA) y[i] = 0.1 + fabs(r.y[i]);
            }
            smr_glm m = {.X = &X,
                         .loss = &smr_losses[ids[k]],
                         .param = smr_losses[ids[k]].param_default,
                         .y = y,
                         .weight = weight,
                         .has_offset = true};
            if (sparse == 2) m.X = NULL, m.sparse = &by_row.csr, m.rows = by_row.rows, m.n_rows = N;
            smr_elastic_opts penalty = {.l1 = 1.9, .l2 = 0.3};
            smr_optimize_opts opts = {.tol = 1e-12, .max_iter = 300};
            smr_optimize_result out;
            check_ok(ctx, smr_glm_columns(ctx, &m, &penalty, &opts, b, &offset, &out));
            double off = glm_violation(&m, &r, b, offset, 1.9, 0.3);
            if (off > 1e-8)
                fail_msg("%s, sparse %d: off by %g (%s after %d)", m.loss->name, sparse, off,
                         smr_why_words(out.why), (int)out.iterations);
            int zeros = 0;
            for (int j = 0; j < D; j++) zeros += b[j] == 0;
            assert_true(zeros >= 2 && zeros < D);
        }
    check_ctx_end(ctx);
}

/* Columns that are equal, or nearly so, make sweeps crawl: the Gram matrix of the columns in play
 * takes over.  Without it these take tens of thousands of sweeps.  The columns from 11 on have few
 * entries: the matrix is made of heavy columns and others; a wrong one takes more iterations. */
static void nearly_equal_columns_are_solved_jointly(void **unused)
{
    (void)unused;
    static struct rows r;
    static struct csr by_row;
    double b[6][D] = {{0}}, offset[6] = {0}, y[N];
    const int threads[6] = {1, 2, 7, 1, 2, 7};
    make_rows(&r, true);
    for (int i = 0; i < N; i++) {
        r.X[1 * N + i] = r.X[0 * N + i];
        for (int j = 3; j < 6; j++) r.X[j * N + i] = r.X[2 * N + i] * (1 + 1e-3 * ((i * j) % 7));
        for (int j = 11; j < D; j++)
            if (i >= N / 3) r.X[j * N + i] = 0;
        for (int j = 13; j < 16; j++) r.X[j * N + i] = r.X[12 * N + i] * (1 + 1e-3 * ((i * j) % 5));
        y[i] = r.y[i] + 2 * r.X[2 * N + i] - r.X[12 * N + i] > 0 ? 1 : -1;
    }
    pack(&r);
    turn(&r, &by_row);
    assert_true(r.start[3] - r.start[2] >= N / 8 && r.start[13] - r.start[12] < N / 8);
    smr_columns X = sparse_of(&r);
    smr_glm m = {.X = &X, .loss = &smr_losses[SMR_LOSS_LOGISTIC], .y = y, .has_offset = true};
    smr_elastic_opts penalty = {.l1 = 0.02};
    smr_optimize_opts opts = {.tol = 1e-11, .max_iter = 300};
    for (int t = 0; t < 6; t++) {
        if (t == 3) m.X = NULL, m.sparse = &by_row.csr, m.rows = by_row.rows, m.n_rows = N;
        smr_ctx *ctx = check_ctx(threads[t]);
        smr_optimize_result out;
        check_ok(ctx, smr_glm_columns(ctx, &m, &penalty, &opts, b[t], &offset[t], &out));
        double off = glm_violation(&m, &r, b[t], offset[t], 0.02, 0);
        if (off > 1e-8 || out.iterations > 14 || out.products > 5 * out.iterations)
            fail_msg("off by %g (%s after %d, %d sweeps)", off, smr_why_words(out.why),
                     (int)out.iterations, (int)out.products);
        check_ctx_end(ctx);
    }
    for (int t = 0; t < 6; t++) assert_memory_equal(b[t / 3 * 3], b[t], sizeof b[0]);
}

/* Texts: a word is rarer the higher its number.  Far more words would move at first than matter in
 * the end, so they come into play, and are copied, some at a time; the matrix is kept, and words
 * that it does not have are swept.  `counts`: of several entries a sum over a part of the rows. */
enum { TEXTS = 1500, WORDS = 4000, LENGTH = 60 };

struct texts {
    int64_t start[TEXTS + 1];
    int32_t column[TEXTS * LENGTH];
    double value[TEXTS * LENGTH], y[TEXTS];
    smr_csr csr;
};

static void write_texts(struct texts *t, bool counts)
{
    int64_t used = 0, words = counts ? WORDS / 20 : WORDS;
    bool has[WORDS];
    for (int i = 0; i < TEXTS; i++) {
        double score = 0;
        t->start[i] = used;
        memset(has, 0, sizeof has);
        for (uint64_t k = 0; k < LENGTH; k++) {
            double u = smr_random_unit(11, SMR_STREAM_TEST, (uint64_t)i, k);
            has[(int)(pow((double)words, u) - 1)] = true;
        }
        for (int j = 0; j < words; j++) {
            if (!has[j]) continue;
            t->column[used] = j;
            t->value[used] = 0.2 + 0.1 * (j % 3);
            score += (j % 7 == 0 ? 3 : j % 11 == 0 ? -3 : 0) * t->value[used++];
        }
        t->y[i] = score + normal((uint64_t)i, 77) > 0.5 ? 1 : -1;
    }
    t->start[TEXTS] = used;
    t->csr = (smr_csr){TEXTS, words, t->start, t->column, t->value};
}

/* The largest violation of the conditions of optimality. */
static double text_violation(const struct texts *t, const double *b, double offset, double l1)
{
    static double g[WORDS];
    double worst = 0, total = 0;
    memset(g, 0, sizeof g);
    for (int i = 0; i < TEXTS; i++) {
        double z = offset;
        for (int64_t e = t->start[i]; e < t->start[i + 1]; e++) z += t->value[e] * b[t->column[e]];
        double slope = -t->y[i] / (1 + exp(t->y[i] * z));
        total += slope;
        for (int64_t e = t->start[i]; e < t->start[i + 1]; e++)
            g[t->column[e]] += t->value[e] * slope;
    }
    for (int64_t j = 0; j < t->csr.n_cols; j++)
        worst = fmax(worst, b[j] > 0   ? fabs(g[j] + l1)
                            : b[j] < 0 ? fabs(g[j] - l1)
                                       : fmax(fabs(g[j]) - l1, 0));
    return fmax(worst, fabs(total));
}

static void words_of_texts_come_into_play_some_at_a_time(void **unused)
{
    (void)unused;
    static struct texts t;
    static double b[3][WORDS];
    const int threads[3] = {1, 2, 7};
    for (int round = 0; round < 4; round++) {
        bool counts = round % 2;
        double l1 = round < 2 ? 0.05 : 0.4; /* then words are missed by a matrix that is kept */
        write_texts(&t, counts);
        smr_glm m = {.loss = &smr_losses[SMR_LOSS_LOGISTIC],
                     .y = t.y,
                     .has_offset = true,
                     .sparse = &t.csr,
                     .n_rows = TEXTS};
        smr_elastic_opts penalty = {.l1 = l1};
        smr_optimize_opts opts = {.tol = 1e-10, .max_iter = 100};
        memset(b, 0, sizeof b);
        for (int k = 0; k < 3; k++) {
            smr_ctx *ctx = check_ctx(threads[k]);
            smr_optimize_result out;
            double offset = 0;
            int64_t n = 0;
            check_ok(ctx, smr_glm_columns(ctx, &m, &penalty, &opts, b[k], &offset, &out));
            double off = text_violation(&t, b[k], offset, l1);
            for (int j = 0; j < WORDS; j++) n += b[k][j] != 0;
            if (off > 1e-7 || !out.converged || out.iterations > 30)
                fail_msg("off by %g (%s after %d)", off, smr_why_words(out.why),
                         (int)out.iterations);
            assert_true(n > (round == 0 ? 500 : 50) && n < t.csr.n_cols);
            /* from the answer it is over at once */
            opts.scale = 1e4;
            check_ok(ctx, smr_glm_columns(ctx, &m, &penalty, &opts, b[k], &offset, &out));
            assert_true(out.converged && out.iterations == 0);
            opts.scale = 0;
            check_ctx_end(ctx);
        }
        assert_memory_equal(b[0], b[1], sizeof b[0]);
        assert_memory_equal(b[0], b[2], sizeof b[0]);
    }
}

static void logistic_by_columns_reaches_recorded_answer(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    double X[LOGISTIC_D * LOGISTIC_N], b[LOGISTIC_D] = {0}, offset = 0;
    for (int i = 0; i < LOGISTIC_N; i++)
        for (int j = 0; j < LOGISTIC_D; j++) X[j * LOGISTIC_N + i] = logistic_X[i * LOGISTIC_D + j];
    smr_columns columns = {
        .n_rows = LOGISTIC_N, .n_cols = LOGISTIC_D, .dense = X, .stride = LOGISTIC_N};
    smr_glm m = {.X = &columns, .loss = &smr_losses[SMR_LOSS_LOGISTIC], .y = logistic_y};
    smr_optimize_opts opts = {.tol = 1e-13};
    smr_optimize_result out;
    check_ok(ctx,
             smr_glm_columns(ctx, &m, &(smr_elastic_opts){.l2 = 0.7}, &opts, b, &offset, &out));
    for (int j = 0; j < LOGISTIC_D; j++) check_near("weight", b[j], logistic_w[j], 1e-12);
    check_near("objective", out.f, logistic_f, 1e-14);
    assert_true(offset == 0);
    const double zero[LOGISTIC_N] = {0};
    m.y = zero;
    check_fails(ctx,
                smr_glm_columns(ctx, &m, &(smr_elastic_opts){.l2 = 1}, &opts, b, &offset, &out),
                SMR_ERR_DATA, "must be -1 or 1");
    check_ctx_end(ctx);
}

static void bad_penalties_and_failing_allocations_are_survived(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    static struct rows r;
    static double B[3 * D];
    make_rows(&r, true);
    smr_gram_problem p = gram_of(&r);
    smr_columns X = sparse_of(&r);
    double y[N], b[D] = {0}, offset = 0;
    const double l1[3] = {50, 5, 0.5}, bad[3] = {50, NAN, 1};
    for (int i = 0; i < N; i++) y[i] = r.y[i] > 0 ? 1 : -1;
    static struct csr by_row;
    turn(&r, &by_row);
    smr_glm m = {.X = &X, .loss = &smr_losses[SMR_LOSS_LOGISTIC], .y = y, .has_offset = true};
    smr_elastic_result out[3];
    smr_optimize_result done;
    smr_elastic_opts opts = {0};
    smr_elastic_path path = {3, l1, NULL}, wrong = {3, bad, NULL};
    check_fails(ctx, smr_elastic_gram_path(ctx, &p, &opts, &wrong, B, out), SMR_ERR_PARAM,
                "a penalty is nan; it must be 0 or more and finite");
    check_fails(ctx, smr_elastic_columns(ctx, &X, r.y, &(smr_elastic_opts){.l2 = -2}, b, out),
                SMR_ERR_PARAM, "a penalty is -2");
    for (int k = 0; k < 4; k++)
        for (int64_t n = 0;; n++) {
            if (k == 3) m.X = NULL, m.sparse = &by_row.csr, m.rows = by_row.rows, m.n_rows = N;
            smr_memory_fail_at(ctx, n);
            smr_status st = k == 0   ? smr_elastic_gram_path(ctx, &p, &opts, &path, B, out)
                            : k == 1 ? smr_elastic_columns_path(ctx, &X, r.y, &opts, &path, B, out)
                                     : smr_glm_columns(ctx, &m, &(smr_elastic_opts){.l1 = 2}, NULL,
                                                       b, &offset, &done);
            smr_memory_fail_at(ctx, -1);
            smr_ctx_clear(ctx);
            if (st == SMR_OK) break;
            assert_int_equal(st, SMR_ERR_NOMEM);
            assert_true(n < 1000);
        }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gram_answers_are_optimal_to_rounding),
        cmocka_unit_test(columns_agree_with_gram_dense_and_sparse),
        cmocka_unit_test(gaps_are_bounds_at_any_time),
        cmocka_unit_test(paths_equal_cold_starts),
        cmocka_unit_test(sparse_columns_are_centred_implicitly),
        cmocka_unit_test(factors_free_and_weigh_columns),
        cmocka_unit_test(equal_columns_are_no_trouble),
        cmocka_unit_test(threads_do_not_change_bits),
        cmocka_unit_test(smooth_losses_by_columns_are_optimal),
        cmocka_unit_test(nearly_equal_columns_are_solved_jointly),
        cmocka_unit_test(words_of_texts_come_into_play_some_at_a_time),
        cmocka_unit_test(logistic_by_columns_reaches_recorded_answer),
        cmocka_unit_test(bad_penalties_and_failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
