/* test_best_subset.c -- best subsets: brute force, closed forms, collinear columns, where greedy
 * fails.
 */
#include "check.h"

#include "core/rng.h"
#include "math/best_subset.h"

enum { MOST_D = 48 };

struct problem {
    int64_t d;
    double G[MOST_D * MOST_D], c[MOST_D];
    smr_gram_problem gram;
};

static double normal(uint64_t a, uint64_t b)
{
    double s = -6;
    for (uint64_t k = 0; k < 12; k++) s += smr_random_unit(a, SMR_STREAM_TEST, k, b);
    return s;
}

/* X'X and so on of rows x (n x d). */
static void products(struct problem *p, int64_t n, int64_t d, const double *x, const double *y,
                     const double *weight)
{
    memset(p, 0, sizeof *p);
    p->d = d;
    double yy = 0;
    for (int64_t i = 0; i < n; i++) {
        double w = weight ? weight[i] : 1;
        yy += w * y[i] * y[i];
        for (int64_t j = 0; j < d; j++) {
            p->c[j] += w * x[i * d + j] * y[i];
            for (int64_t k = 0; k < d; k++) p->G[j * d + k] += w * x[i * d + j] * x[i * d + k];
        }
    }
    p->gram = (smr_gram_problem){.d = d, .G = p->G, .stride = d, .c = p->c, .yy = yy};
}

/* Rows of correlated noise, and y from some of the columns. */
static void random_problem(struct problem *p, int64_t n, int64_t d, uint64_t seed, double effect)
{
    double x[200 * MOST_D], y[200];
    assert_true(n <= 200 && d <= MOST_D);
    for (int64_t i = 0; i < n; i++) {
        double common = normal(seed, (uint64_t)(7919 * i + 1));
        y[i] = normal(seed + 1, (uint64_t)i);
        for (int64_t j = 0; j < d; j++) {
            x[i * d + j] =
                (normal(seed + 2, (uint64_t)(i * d + j)) + 0.9 * common) * (1 + 3.7 * (double)j);
            if (j % 3 == 1)
                y[i] += effect * x[i * d + j] / (1 + 3.7 * (double)j) * (j % 2 ? 1 : -1.3);
        }
    }
    products(p, n, d, x, y, NULL);
}

/* RSS of a set of columns by Gaussian elimination on the normal equations: another way. */
static double rss_of(const struct problem *p, unsigned set)
{
    int64_t index[MOST_D], k = 0, d = p->d;
    double A[16 * 16], b[16];
    for (int64_t j = 0; j < d; j++)
        if (set >> j & 1) index[k++] = j;
    for (int64_t i = 0; i < k; i++) {
        b[i] = p->c[index[i]];
        for (int64_t j = 0; j < k; j++) A[i * 16 + j] = p->G[index[i] * d + index[j]];
    }
    double rss = p->gram.yy;
    for (int64_t i = 0; i < k; i++) {
        if (A[i * 16 + i] <= 1e-10 * p->G[index[i] * d + index[i]]) return INFINITY;
        for (int64_t r = i + 1; r < k; r++) {
            double f = A[r * 16 + i] / A[i * 16 + i];
            for (int64_t j = i; j < k; j++) A[r * 16 + j] -= f * A[i * 16 + j];
            b[r] -= f * b[i];
        }
        rss -= b[i] * b[i] / A[i * 16 + i];
    }
    return rss;
}

/* The least RSS of each size, by trying all; *which: its set. */
static void brute_force(const struct problem *p, double *best, unsigned *which)
{
    for (int64_t k = 0; k <= p->d; k++) best[k] = INFINITY;
    for (unsigned set = 0; set < 1u << p->d; set++) {
        int k = __builtin_popcount(set);
        double rss = rss_of(p, set);
        if (rss < best[k]) {
            best[k] = rss;
            which[k] = set;
        }
    }
}

static unsigned set_of(const smr_subsets *s, int64_t k)
{
    unsigned set = 0;
    for (int64_t i = 0; i < k; i++) set |= 1u << smr_subset_columns(s, k)[i];
    return set;
}

static void exhaustive_search_finds_what_brute_force_finds(void **unused)
{
    (void)unused;
    static struct problem p;
    for (uint64_t seed = 0; seed < 40; seed++) {
        smr_ctx *ctx = check_ctx(1);
        smr_subsets s = {0};
        int64_t d = 1 + (int64_t)(seed % 10);
        double best[16];
        unsigned which[16];
        random_problem(&p, 37, d, 100 * seed, seed % 4 ? 0.21 * (double)(seed % 4) : 0);
        brute_force(&p, best, which);
        check_ok(ctx, smr_subsets_search(ctx, &p.gram, SMR_SUBSET_EXHAUSTIVE, d, &s));
        assert_int_equal(s.most, d);
        for (int64_t k = 0; k <= d; k++) {
            check_near("RSS", s.rss[k], best[k], 1e-9);
            assert_int_equal(set_of(&s, k), which[k]);
        }
        smr_subsets_release(&s);
        check_ctx_end(ctx);
    }
}

/* With dependent columns (a copy, a sum, a constant 0) every size up to the rank is right. */
static void collinear_columns_never_enter_together(void **unused)
{
    (void)unused;
    enum { N = 31, D = 8 };
    double x[N * D], y[N], best[16];
    unsigned which[16];
    static struct problem p;
    static const smr_subset_method methods[] = {SMR_SUBSET_EXHAUSTIVE, SMR_SUBSET_FORWARD,
                                                SMR_SUBSET_BACKWARD, SMR_SUBSET_SWAP};
    for (int64_t i = 0; i < N; i++) {
        double *row = x + i * D;
        for (int64_t j = 0; j < D; j++) row[j] = normal(3, (uint64_t)(i * D + j));
        row[2] = -2.5 * row[0];
        row[5] = row[1] + 3 * row[4];
        row[7] = 0;
        y[i] = row[0] - 0.7 * row[4] + 0.4 * row[5] + 0.3 * normal(4, (uint64_t)i);
    }
    products(&p, N, D, x, y, NULL);
    brute_force(&p, best, which);
    for (int64_t m = 0; m < SMR_COUNT(methods); m++) {
        smr_ctx *ctx = check_ctx(1);
        smr_subsets s = {0};
        check_ok(ctx, smr_subsets_search(ctx, &p.gram, methods[m], D, &s));
        assert_int_equal(s.most, 5);
        for (int64_t k = 0; k <= s.most; k++) {
            unsigned set = set_of(&s, k);
            assert_true(isfinite(rss_of(&p, set)));
            check_near("own RSS", s.rss[k], rss_of(&p, set), 1e-9);
            if (methods[m] == SMR_SUBSET_EXHAUSTIVE) check_near("best", s.rss[k], best[k], 1e-9);
        }
        smr_subsets_release(&s);
        check_ctx_end(ctx);
    }
}

/* Orthogonal columns: the best k are those with the largest c_j^2 / G_jj, by every method. */
static void orthogonal_columns_come_in_the_order_of_their_effects(void **unused)
{
    (void)unused;
    enum { N = 16, D = 7 };
    double x[N * D], y[N];
    static struct problem p;
    for (int64_t i = 0; i < N; i++) {
        y[i] = 1.3 * normal(9, (uint64_t)i);
        for (int64_t j = 0; j < D; j++) /* Walsh functions, each of another length */
            x[i * D + j] =
                (__builtin_popcount((unsigned)(i & (j + 1))) % 2 ? 1 : -1) * (0.3 + (double)j);
    }
    products(&p, N, D, x, y, NULL);
    for (int m = SMR_SUBSET_EXHAUSTIVE; m <= SMR_SUBSET_SWAP; m++) {
        smr_ctx *ctx = check_ctx(1);
        smr_subsets s = {0};
        check_ok(ctx, smr_subsets_search(ctx, &p.gram, (smr_subset_method)m, D, &s));
        double rss = p.gram.yy;
        bool used[D] = {false};
        unsigned set = 0;
        for (int64_t k = 1; k <= D; k++) {
            int64_t best = -1;
            double most = -1;
            for (int64_t j = 0; j < D; j++) {
                double g = p.c[j] * p.c[j] / p.G[j * D + j];
                if (!used[j] && g > most) {
                    most = g;
                    best = j;
                }
            }
            used[best] = true;
            set |= 1u << best;
            rss -= most;
            check_near("RSS", s.rss[k], rss, 1e-12);
            assert_int_equal(set_of(&s, k), set);
        }
        smr_subsets_release(&s);
        check_ctx_end(ctx);
    }
}

/* x2 = x0 + x1 + noise goes best with y = x0 + x1 alone, and forward never gives it back: only
 * exchanges, or all subsets, find x0 and x1. */
static void forward_is_caught_by_a_decoy_and_swaps_are_not(void **unused)
{
    (void)unused;
    enum { N = 53, D = 5 };
    double x[N * D], y[N], rss[4];
    static struct problem p;
    for (int64_t i = 0; i < N; i++) {
        double *row = x + i * D;
        for (int64_t j = 0; j < D; j++) row[j] = normal(21, (uint64_t)(i * D + j));
        row[2] = row[0] + row[1] + 0.5 * row[2];
        y[i] = row[0] + row[1] + 0.01 * normal(22, (uint64_t)i);
    }
    products(&p, N, D, x, y, NULL);
    for (int m = SMR_SUBSET_EXHAUSTIVE; m <= SMR_SUBSET_SWAP; m++) {
        smr_ctx *ctx = check_ctx(1);
        smr_subsets s = {0};
        check_ok(ctx, smr_subsets_search(ctx, &p.gram, (smr_subset_method)m, 3, &s));
        if (m != SMR_SUBSET_BACKWARD) assert_int_equal(set_of(&s, 1), 1u << 2);
        rss[m] = s.rss[2];
        if (m == SMR_SUBSET_FORWARD)
            assert_true(set_of(&s, 2) & 1u << 2);
        else
            assert_int_equal(set_of(&s, 2), 3);
        smr_subsets_release(&s);
        check_ctx_end(ctx);
    }
    assert_true(rss[SMR_SUBSET_FORWARD] > 100 * rss[SMR_SUBSET_EXHAUSTIVE]);
    check_near("swap", rss[SMR_SUBSET_SWAP], rss[SMR_SUBSET_EXHAUSTIVE], 1e-10);
}

/* No method beats the exhaustive one; swaps are at least as good as forward and backward. */
static void swaps_stand_between_greedy_and_exhaustive(void **unused)
{
    (void)unused;
    static struct problem p;
    int met = 0, of = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        smr_ctx *ctx = check_ctx(1);
        smr_subsets s[4] = {{0}};
        int64_t d = 17;
        random_problem(&p, 61, d, 1000 + 10 * seed, 0.15);
        for (int m = 0; m < 4; m++)
            check_ok(ctx, smr_subsets_search(ctx, &p.gram, (smr_subset_method)m, d, &s[m]));
        for (int64_t k = 0; k <= d; k++) {
            double noise = 1e-9 * p.gram.yy;
            for (int m = 1; m < 4; m++)
                assert_true(s[SMR_SUBSET_EXHAUSTIVE].rss[k] <= s[m].rss[k] + noise);
            for (int m = 1; m < 3; m++)
                assert_true(s[SMR_SUBSET_SWAP].rss[k] <= s[m].rss[k] + noise);
            met += s[SMR_SUBSET_SWAP].rss[k] <= s[SMR_SUBSET_EXHAUSTIVE].rss[k] + noise;
            of++;
        }
        for (int m = 0; m < 4; m++) smr_subsets_release(&s[m]);
        check_ctx_end(ctx);
    }
    assert_true(met >= of * 9 / 10); /* the local search finds nearly all optima here */
}

/* Searches go from subset to subset by few sweeps, and their RSS from prefix to prefix: what comes
 * out is what each subset has by itself, and no single exchange of columns improves it. */
static void what_a_long_search_hands_over_is_right(void **unused)
{
    (void)unused;
    static struct problem p;
    enum { D = 43 };
    smr_ctx *ctx = check_ctx(1);
    random_problem(&p, 190, D, 77, 0.05);
    for (int m = SMR_SUBSET_FORWARD; m <= SMR_SUBSET_SWAP; m++) {
        smr_subsets s = {0};
        check_ok(ctx, smr_subsets_search(ctx, &p.gram, (smr_subset_method)m, D, &s));
        assert_int_equal(s.most, D);
        for (int64_t k = 1; k <= D; k++) {
            double w[D], rss;
            int32_t column[D];
            bool in[D] = {false};
            memcpy(column, smr_subset_columns(&s, k), (size_t)k * sizeof *column);
            for (int64_t i = 0; i < k; i++) {
                assert_true(i == 0 || column[i - 1] < column[i]);
                in[column[i]] = true;
            }
            check_ok(ctx, smr_subset_solve(ctx, &p.gram, k, column, w, NULL, &rss));
            check_near("rss", s.rss[k], rss, 1e-10 * p.gram.yy); /* rounding of 43 columns */
            for (int64_t i = 0; m == SMR_SUBSET_SWAP && k % 7 == 3 && i < k; i++)
                for (int32_t j = 0; j < D; j++) {
                    int32_t kept = column[i];
                    if (in[j]) continue;
                    column[i] = j;
                    check_ok(ctx, smr_subset_solve(ctx, &p.gram, k, column, w, NULL, &rss));
                    assert_true(rss >= s.rss[k] * (1 - 1e-9));
                    column[i] = kept;
                }
        }
        smr_subsets_release(&s);
    }
    check_ctx_end(ctx);
}

static void a_perfect_fit_stays_one_when_columns_are_added(void **unused)
{
    (void)unused;
    enum { N = 29, D = 6 };
    double x[N * D], y[N];
    static struct problem p;
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < D; j++) x[i * D + j] = normal(33, (uint64_t)(i * D + j));
        y[i] = 2.5 * x[i * D + 1] - 0.75 * x[i * D + 4];
    }
    products(&p, N, D, x, y, NULL);
    for (int m = SMR_SUBSET_EXHAUSTIVE; m <= SMR_SUBSET_SWAP; m++) {
        smr_ctx *ctx = check_ctx(1);
        smr_subsets s = {0};
        check_ok(ctx, smr_subsets_search(ctx, &p.gram, (smr_subset_method)m, D, &s));
        assert_int_equal(s.most, D);
        assert_int_equal(set_of(&s, 2), 1u << 1 | 1u << 4);
        for (int64_t k = 2; k <= D; k++) {
            assert_true(s.rss[k] < 1e-12 * p.gram.yy);
            assert_int_equal(__builtin_popcount(set_of(&s, k)), k);
            assert_true(isfinite(rss_of(&p, set_of(&s, k))));
        }
        smr_subsets_release(&s);
        check_ctx_end(ctx);
    }
}

static void solving_gives_weights_and_inverse(void **unused)
{
    (void)unused;
    static struct problem p;
    smr_ctx *ctx = check_ctx(1);
    int32_t column[] = {4, 1, 3};
    double w[3], inverse[3], rss;
    random_problem(&p, 41, 6, 77, 0.4);
    check_ok(ctx, smr_subset_solve(ctx, &p.gram, 3, column, w, inverse, &rss));
    for (int i = 0; i < 3; i++) { /* X'X w = X'y */
        double s = 0;
        for (int j = 0; j < 3; j++) s += p.G[column[i] * 6 + column[j]] * w[j];
        check_near("normal equations", s / p.c[column[i]], 1, 1e-10);
    }
    check_near("RSS", rss, rss_of(&p, 1u << 4 | 1u << 1 | 1u << 3), 1e-10);
    /* 1 / inverse_ii = what the others leave of column i */
    double a = p.G[1 * 6 + 1], b = p.G[1 * 6 + 3], c = p.G[3 * 6 + 3];
    double u = p.G[4 * 6 + 1], v = p.G[4 * 6 + 3], det = a * c - b * b;
    double left = p.G[4 * 6 + 4] - (c * u * u - 2 * b * u * v + a * v * v) / det;
    check_near("inverse", inverse[0] * left, 1, 1e-9);
    check_ctx_end(ctx);
}

static void too_many_columns_for_all_subsets_are_refused(void **unused)
{
    (void)unused;
    static struct problem p;
    smr_ctx *ctx = check_ctx(1);
    smr_subsets s;
    random_problem(&p, 60, 41, 5, 0.2);
    check_fails(ctx, smr_subsets_search(ctx, &p.gram, SMR_SUBSET_EXHAUSTIVE, 3, &s), SMR_ERR_PARAM,
                "up to 40 columns; 41 are given: use swap");
    check_ctx_end(ctx);
}

static void forty_columns_are_searched_in_full(void **unused)
{
    (void)unused;
    static struct problem p;
    smr_ctx *ctx = check_ctx(1);
    smr_subsets all = {0}, swap = {0};
    random_problem(&p, 199, 40, 55, 0.5);
    check_ok(ctx, smr_subsets_search(ctx, &p.gram, SMR_SUBSET_EXHAUSTIVE, 40, &all));
    check_ok(ctx, smr_subsets_search(ctx, &p.gram, SMR_SUBSET_SWAP, 40, &swap));
    for (int64_t k = 0; k <= 40; k++) assert_true(all.rss[k] <= swap.rss[k] + 1e-9 * p.gram.yy);
    print_message("# 40 columns: %lld subsets\n", (long long)all.n_seen);
    smr_subsets_release(&all);
    smr_subsets_release(&swap);
    check_ctx_end(ctx);
}

static void failing_allocations_and_cancelling_are_survived(void **unused)
{
    (void)unused;
    static struct problem p;
    random_problem(&p, 41, 7, 13, 0.3);
    for (int m = 0; m < 4; m++) {
        smr_ctx *ctx = check_ctx(1);
        smr_status st = SMR_ERR_NOMEM;
        for (int64_t n = 0; st == SMR_ERR_NOMEM; n++) {
            smr_subsets s = {0};
            smr_memory_fail_at(ctx, n);
            st = smr_subsets_search(ctx, &p.gram, (smr_subset_method)m, 7, &s);
            smr_memory_fail_at(ctx, -1);
            smr_subsets_release(&s);
            assert_int_equal(smr_ctx_memory(ctx, NULL), 0);
            smr_ctx_clear(ctx);
        }
        assert_int_equal(st, SMR_OK);
        smr_subsets s = {0};
        smr_ctx_cancel(ctx);
        assert_int_equal(smr_subsets_search(ctx, &p.gram, (smr_subset_method)m, 7, &s),
                         SMR_ERR_CANCELLED);
        smr_subsets_release(&s);
        check_ctx_end(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exhaustive_search_finds_what_brute_force_finds),
        cmocka_unit_test(collinear_columns_never_enter_together),
        cmocka_unit_test(orthogonal_columns_come_in_the_order_of_their_effects),
        cmocka_unit_test(forward_is_caught_by_a_decoy_and_swaps_are_not),
        cmocka_unit_test(swaps_stand_between_greedy_and_exhaustive),
        cmocka_unit_test(what_a_long_search_hands_over_is_right),
        cmocka_unit_test(a_perfect_fit_stays_one_when_columns_are_added),
        cmocka_unit_test(solving_gives_weights_and_inverse),
        cmocka_unit_test(too_many_columns_for_all_subsets_are_refused),
        cmocka_unit_test(forty_columns_are_searched_in_full),
        cmocka_unit_test(failing_allocations_and_cancelling_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
