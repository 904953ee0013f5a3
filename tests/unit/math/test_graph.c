/* test_graph.c -- graphs: two triangles and a bridge, identities of Laplacians, parts, cuts. */
#include "check.h"

#include "core/rng.h"
#include "math/graph.h"

#include <math.h>

/* Two triangles, 0 1 2 and 3 4 5, and the bridge 2 - 3. */
static const int32_t from[] = {0, 0, 1, 3, 3, 4, 2}, to[] = {1, 2, 2, 4, 5, 5, 3};

static void two_triangles_and_a_bridge(void **unused)
{
    static const double plain[] = {0, (5 - 4.12310562561766) / 2, 3, 3,
                                   3, (5 + 4.12310562561766) / 2};
    static const double scaled[] = {0, 0.2047, 1.1667, 1.5, 1.5, 1.6287};
    const int32_t label[] = {0, 0, 0, 1, 1, 1};
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_graph g;
    smr_graph_vectors v;
    smr_cut_values cut;
    int32_t part[6];
    int64_t n_parts;
    check_ok(ctx, smr_graph_of_edges(ctx, 6, 7, from, to, NULL, &g));
    check_ok(ctx, smr_graph_parts(ctx, &g, part, &n_parts));
    assert_int_equal(n_parts, 1);
    for (int kind = SMR_LAPLACIAN_WALK; kind <= SMR_LAPLACIAN_PLAIN; kind++) {
        const double *want = kind == SMR_LAPLACIAN_PLAIN ? plain : scaled;
        check_ok(ctx, smr_graph_spectrum(ctx, &g, (smr_laplacian)kind, part, 1, 6, 1e-12, &v));
        for (int k = 0; k < 6; k++)
            check_near("eigenvalue", v.value[k], want[k],
                       kind == SMR_LAPLACIAN_PLAIN ? 1e-9 : 5e-5); /* four digits are given */
        for (int i = 1; i < 6; i++)
            check_near("Fiedler's signs", v.vector[6 + i] > 0, (v.vector[6] > 0) == (i < 3), 0);
        smr_graph_vectors_release(&v);
    }
    check_ok(ctx, smr_graph_cuts(ctx, &g, 2, label, &cut));
    check_near("cut", cut.cut, 1, 0);
    check_near("RatioCut", cut.ratio, 2.0 / 3, 1e-15);
    check_near("Ncut", cut.normalised, 2.0 / 7, 1e-15);
    check_near("MinMaxCut", cut.min_max, 1.0 / 3, 1e-15);
    double q[6];
    for (int i = 0; i < 6; i++) q[i] = label[i] ? -1 : 1;
    check_near("q'Lq = 4 cut", smr_graph_form(&g, q), 4 * cut.cut, 0);
    smr_graph_release(&g);
    check_ctx_end(ctx);
}

/* A random graph with several parts, and nodes without edges. */
static void random_graph(smr_ctx *ctx, int64_t n, int64_t m, uint64_t seed, smr_graph *g)
{
    int32_t *a = malloc((size_t)m * sizeof *a), *b = malloc((size_t)m * sizeof *b);
    double *w = malloc((size_t)m * sizeof *w);
    for (int64_t e = 0; e < m; e++) {
        a[e] = (int32_t)smr_random_below(seed, SMR_STREAM_TEST, 1, (uint64_t)e, n);
        b[e] = (int32_t)smr_random_below(seed, SMR_STREAM_TEST, 2, (uint64_t)e, n);
        w[e] = 0.1 + smr_random_unit(seed, SMR_STREAM_TEST, 3, (uint64_t)e);
    }
    check_ok(ctx, smr_graph_of_edges(ctx, n, m, a, b, w, g));
    free(a);
    free(b);
    free(w);
}

static void laplacians_are_what_they_are(void **unused)
{
    enum { N = 83 };
    double f[N], y[N], one[N];
    (void)unused;
    smr_ctx *ctx = check_ctx(2);
    smr_graph g;
    random_graph(ctx, N, 190, 4, &g);
    for (int i = 0; i < N; i++) {
        f[i] = smr_random_unit(5, SMR_STREAM_TEST, 4, (uint64_t)i) - 0.5;
        one[i] = 1;
        double sum = 0;
        for (int64_t e = g.start[i]; e < g.start[i + 1]; e++) {
            sum += g.weight[e];
            assert_true(g.to[e] != i && g.weight[e] > 0);
            if (e > g.start[i]) assert_true(g.to[e] > g.to[e - 1]);
        }
        check_near("degree", g.degree[i], sum, 1e-12);
    }
    smr_graph_times(&g, SMR_LAPLACIAN_PLAIN, one, y);
    for (int i = 0; i < N; i++) check_near("L 1", y[i], 0, 1e-12);
    smr_graph_times(&g, SMR_LAPLACIAN_WALK, one, y);
    for (int i = 0; i < N; i++) check_near("walk 1", y[i], 0, 1e-12);
    smr_graph_times(&g, SMR_LAPLACIAN_PLAIN, f, y);
    double product = 0;
    for (int i = 0; i < N; i++) product += f[i] * y[i];
    check_near("f'L f", product, smr_graph_form(&g, f), 1e-12 * fabs(product));
    smr_graph_release(&g);
    check_ctx_end(ctx);
}

static void eigenvectors_satisfy_their_equations(void **unused)
{
    static const struct {
        int64_t n, m;
        double tol;
    } cases[] = {{60, 110, 1e-10}, {700, 1500, 1e-8}, {3001, 9000, 1e-7}};
    (void)unused;
    for (int64_t c = 0; c < SMR_COUNT(cases); c++) {
        smr_ctx *ctx = check_ctx(2);
        int64_t n = cases[c].n, n_parts, k;
        int32_t *part = malloc((size_t)n * sizeof *part);
        double *y = malloc((size_t)n * sizeof *y);
        smr_graph g;
        random_graph(ctx, n, cases[c].m, 10 + (uint64_t)c, &g);
        check_ok(ctx, smr_graph_parts(ctx, &g, part, &n_parts));
        assert_true(n_parts >= 1);
        k = n_parts + 4;
        for (int kind = SMR_LAPLACIAN_WALK; kind <= SMR_LAPLACIAN_PLAIN; kind++) {
            smr_graph_vectors v;
            double top = 2;
            for (int64_t i = 0; i < n && kind == SMR_LAPLACIAN_PLAIN; i++)
                top = fmax(top, 2 * g.degree[i]);
            check_ok(ctx, smr_graph_spectrum(ctx, &g, (smr_laplacian)kind, part, n_parts, k,
                                             cases[c].tol, &v));
            assert_true(v.converged);
            for (int64_t j = 0; j < k; j++) {
                const double *u = v.vector + j * n;
                double square = 0, length = 0;
                smr_graph_times(&g, (smr_laplacian)kind, u, y);
                for (int64_t i = 0; i < n; i++) {
                    double d = kind == SMR_LAPLACIAN_WALK && g.degree[i] > 0 ? g.degree[i] : 1;
                    square += d * (y[i] - v.value[j] * u[i]) * (y[i] - v.value[j] * u[i]);
                    length += d * u[i] * u[i];
                }
                check_near("residual", sqrt(square / length), 0, 3 * cases[c].tol * top);
                if (j > 0) assert_true(v.value[j] >= v.value[j - 1] - 1e-9);
                check_near("zeros", v.value[j] < 1e-9, j < n_parts, 0);
            }
            smr_graph_vectors_release(&v);
        }
        smr_graph_release(&g);
        free(part);
        free(y);
        check_ctx_end(ctx);
    }
}

static void edges_add_up_and_loops_are_left_out(void **unused)
{
    const int32_t a[] = {0, 1, 2, 0, 3}, b[] = {1, 0, 2, 1, 1};
    const double w[] = {1, 2, 9, 0.5, 4};
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_graph g;
    int32_t part[5];
    int64_t n_parts;
    check_ok(ctx, smr_graph_of_edges(ctx, 5, 5, a, b, w, &g));
    assert_int_equal(g.n_loops, 1);
    assert_int_equal(g.start[5], 4);
    check_near("0 - 1", g.weight[0], 3.5, 0);
    check_near("degree of 1", g.degree[1], 7.5, 0);
    check_ok(ctx, smr_graph_parts(ctx, &g, part, &n_parts));
    const int32_t want[] = {0, 0, 1, 0, 2};
    assert_memory_equal(part, want, sizeof want);
    assert_int_equal(n_parts, 3);
    smr_graph_release(&g);
    check_ctx_end(ctx);
}

static void arrows_both_ways_weigh_more(void **unused)
{
    /* 0 and 1 point at each other, 2 points at 1 */
    const int32_t arrow[] = {1, -1, 0, -1, 1, -1};
    const double w[] = {0.8, 0, 0.8, 0, 0.6, 0}, share[] = {1, 1, 0.25, 1, 0.5, 1};
    smr_arrows arrows = {3, 2, arrow, w, NULL};
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_graph g;
    check_ok(ctx, smr_graph_of_arrows(ctx, &arrows, false, &g));
    assert_int_equal(g.start[3], 4);
    check_near("0 - 1", g.weight[0], 0.8, 0);
    check_near("2 - 1", g.weight[3], 0.3, 0);
    smr_graph_release(&g);
    check_ok(ctx, smr_graph_of_arrows(ctx, &arrows, true, &g));
    assert_int_equal(g.start[3], 2);
    smr_graph_release(&g);
    arrows.share = share;
    check_ok(ctx, smr_graph_of_arrows(ctx, &arrows, false, &g));
    check_near("0 - 1, of parts", g.weight[0], 0.8 * 0.625, 1e-15);
    check_near("2 - 1, of parts", g.weight[3], 0.6 * 0.25, 1e-15);
    smr_graph_release(&g);
    check_ok(ctx, smr_graph_of_arrows(ctx, &arrows, true, &g));
    check_near("0 - 1, both", g.weight[0], 0.8 * 0.25, 1e-15);
    smr_graph_release(&g);
    check_ctx_end(ctx);
}

/* Nodes that stand for 1 to 3, linked among each other, against the graph of them all. */
static void a_node_may_stand_for_many(void **unused)
{
    enum { N = 40, M = 100, MOST = 3 * N, K = 6 };
    double mass[N], own[N], f[N], y[N];
    int32_t of[MOST], label[N], labels[MOST], *a = malloc(9 * (M + N) * 4),
                                              *b = malloc(9 * (M + N) * 4);
    double *w = malloc(9 * (M + N) * 8);
    int64_t n = 0, m = 0, first[N];
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_graph g, all;
    random_graph(ctx, N, M, 31, &g);
    for (int i = 0; i < N; i++) {
        first[i] = n;
        mass[i] = 1 + i % 3;
        own[i] = mass[i] * (mass[i] - 1) * 0.7;
        label[i] = i * 7 / 5 % 3;
        for (int c = 0; c < mass[i]; c++) of[n++] = i;
    }
    for (int i = 0; i < N; i++) {
        for (int64_t e = g.start[i]; e < g.start[i + 1]; e++)
            for (int c = 0; g.to[e] > i && c < mass[i] * mass[g.to[e]]; c++, m++) {
                a[m] = (int32_t)(first[i] + c % (int)mass[i]);
                b[m] = (int32_t)(first[g.to[e]] + c / (int)mass[i]);
                w[m] = g.weight[e];
            }
        for (int c = 0; c < mass[i]; c++)
            for (int d = c + 1; d < mass[i]; d++, m++) {
                a[m] = (int32_t)first[i] + c;
                b[m] = (int32_t)first[i] + d;
                w[m] = 0.7;
            }
    }
    check_ok(ctx, smr_graph_of_edges(ctx, n, m, a, b, w, &all));
    check_ok(ctx, smr_graph_weigh(ctx, &g, mass, own));
    smr_cut_values few, many;
    for (int64_t i = 0; i < n; i++) labels[i] = label[of[i]];
    check_ok(ctx, smr_graph_cuts(ctx, &g, 3, label, &few));
    check_ok(ctx, smr_graph_cuts(ctx, &all, 3, labels, &many));
    check_near("cut", few.cut, many.cut, 1e-12 * many.cut);
    check_near("RatioCut", few.ratio, many.ratio, 1e-12 * many.ratio);
    check_near("Ncut", few.normalised, many.normalised, 1e-13);
    check_near("MinMaxCut", few.min_max, many.min_max, 1e-12 * many.min_max);
    for (int kind = SMR_LAPLACIAN_WALK; kind <= SMR_LAPLACIAN_PLAIN; kind++) {
        int32_t part[MOST];
        int64_t n_parts, n_again;
        smr_graph_vectors v, u;
        check_ok(ctx, smr_graph_parts(ctx, &g, part, &n_parts));
        check_ok(ctx,
                 smr_graph_spectrum(ctx, &g, (smr_laplacian)kind, part, n_parts, K, 1e-12, &v));
        check_ok(ctx, smr_graph_parts(ctx, &all, part, &n_again));
        assert_int_equal(n_parts, n_again);
        check_ok(ctx,
                 smr_graph_spectrum(ctx, &all, (smr_laplacian)kind, part, n_parts, K, 1e-12, &u));
        for (int k = 0; k < K; k++) {
            check_near("value", v.value[k], u.value[k], 1e-9);
            for (int64_t i = 0; k >= n_parts && i < n; i++)
                check_near("vector", v.vector[of[i] + k * N], u.vector[i + k * n], 1e-6);
            memcpy(f, v.vector + k * N, sizeof f);
            smr_graph_times(&g, (smr_laplacian)kind, f, y);
            for (int i = 0; i < N; i++) check_near("L f", y[i], v.value[k] * f[i], 1e-8);
        }
        smr_graph_vectors_release(&v);
        smr_graph_vectors_release(&u);
    }
    smr_graph_release(&g);
    smr_graph_release(&all);
    free(a);
    free(b);
    free(w);
    check_ctx_end(ctx);
}

static void cuts_of_groups_without_links(void **unused)
{
    const int32_t label[] = {0, 0, 0, 1, 1, 2}; /* 5 alone: links, but none within */
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    smr_graph g;
    smr_cut_values cut;
    check_ok(ctx, smr_graph_of_edges(ctx, 6, 7, from, to, NULL, &g));
    check_ok(ctx, smr_graph_cuts(ctx, &g, 4, label, &cut)); /* group 3 is empty */
    check_near("cut", cut.cut, 3, 0);
    check_near("RatioCut", cut.ratio, 1.0 / 3 + 3.0 / 2 + 2, 1e-15);
    check_near("Ncut", cut.normalised, 1.0 / 7 + 3.0 / 5 + 2.0 / 2, 1e-15);
    assert_true(isinf(cut.min_max));
    smr_graph_release(&g);
    check_ctx_end(ctx);
}

static void every_number_of_threads_gives_the_same(void **unused)
{
    enum { N = 5000, K = 6 };
    double first[K * N];
    (void)unused;
    for (int threads = 1; threads <= 7; threads += 3) {
        smr_ctx *ctx = check_ctx(threads);
        int32_t part[N];
        int64_t n_parts;
        smr_graph g;
        smr_graph_vectors v;
        random_graph(ctx, N, 60000, 21, &g);
        check_ok(ctx, smr_graph_parts(ctx, &g, part, &n_parts));
        check_ok(ctx, smr_graph_spectrum(ctx, &g, SMR_LAPLACIAN_WALK, part, n_parts, K, 1e-6, &v));
        if (threads == 1) memcpy(first, v.vector, sizeof first);
        assert_memory_equal(v.vector, first, sizeof first);
        smr_graph_vectors_release(&v);
        smr_graph_release(&g);
        check_ctx_end(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_triangles_and_a_bridge),
        cmocka_unit_test(laplacians_are_what_they_are),
        cmocka_unit_test(eigenvectors_satisfy_their_equations),
        cmocka_unit_test(edges_add_up_and_loops_are_left_out),
        cmocka_unit_test(arrows_both_ways_weigh_more),
        cmocka_unit_test(a_node_may_stand_for_many),
        cmocka_unit_test(cuts_of_groups_without_links),
        cmocka_unit_test(every_number_of_threads_gives_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
