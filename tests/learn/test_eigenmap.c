/* test_eigenmap.c -- a circle comes out as a circle, a rolled sheet as a sheet; new rows; what is
 * said. */
#include "learn/cluster_data.h"

extern const smr_learner smr_eigenmap;

static void ask_map(const struct fitted *f, int64_t n, int64_t d, const double *x, double *out)
{
    ask_clusters(f, n, d, x, SMR_OUTPUT_TRANSFORM, out);
}

/* n points evenly on a circle: the eigenvectors are sin and cos of the angle, of weight n / 2. */
static void a_circle_is_a_circle(void **unused)
{
    enum { N = 90 };
    static const char *const words[] = {"neighbors=2", "neighbors=4 laplacian=symmetric",
                                        "neighbors=2 laplacian=unnormalised sigma=0.1",
                                        "graph=epsilon eps=0.2"};
    double x[2 * N], map[2 * N];
    (void)unused;
    for (int i = 0; i < N; i++) {
        x[2 * i] = cos(6.283185307179586 * i / N);
        x[2 * i + 1] = sin(6.283185307179586 * i / N);
    }
    for (int w = 0; w < 4; w++) {
        struct fitted f = fit_clusters(&smr_eigenmap, words[w], N, 2, x, NULL, 2);
        ask_map(&f, N, 2, x, map);
        for (int i = 0; i < N; i++) {
            int j = (i + 1) % N;
            double dx = map[2 * i] - map[2 * j], dy = map[2 * i + 1] - map[2 * j + 1];
            check_near("radius", map[2 * i] * map[2 * i] + map[2 * i + 1] * map[2 * i + 1], 2,
                       1e-6);
            check_near("step", dx * dx + dy * dy, 2 * (2 - 2 * cos(6.283185307179586 / N)), 1e-6);
        }
        end_fitted(&f);
    }
}

/* A sheet that is rolled up: the first coordinate goes along it. */
static void a_rolled_sheet_is_unrolled(void **unused)
{
    enum { N = 1200 };
    double x[3 * N], along[N], map[2 * N];
    int64_t wrong = 0, all = 0;
    (void)unused;
    for (int i = 0; i < N; i++) {
        along[i] = 4.7 + 9.4 * smr_random_unit(6, SMR_STREAM_TEST, 1, (uint64_t)i);
        x[3 * i] = along[i] * cos(along[i]);
        x[3 * i + 1] = 6 * smr_random_unit(6, SMR_STREAM_TEST, 2, (uint64_t)i);
        x[3 * i + 2] = along[i] * sin(along[i]);
    }
    struct fitted f = fit_clusters(&smr_eigenmap, "neighbors=8", N, 3, x, NULL, 1);
    ask_map(&f, N, 3, x, map);
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j += 7, all++)
            wrong += (map[2 * i] < map[2 * j]) != (along[i] < along[j]);
    wrong = SMR_MIN(wrong, all - wrong); /* either way round */
    if (wrong > all / 50) fail_msg("%d of %d pairs are in the wrong order", (int)wrong, (int)all);
    end_fitted(&f);
}

static void new_rows_lie_among_their_neighbours(void **unused)
{
    enum { N = 40 };
    double x[N], map[N], at[3], mean = 0;
    const double q[] = {7, 7.5, 1000};
    (void)unused;
    for (int i = 0; i < N; i++) x[i] = i;
    struct fitted f = fit_clusters(&smr_eigenmap, "k=1 neighbors=4", N, 1, x, NULL, 1);
    ask_map(&f, N, 1, x, map);
    ask_map(&f, 3, 1, q, at);
    check_near("a training row", at[0], map[7], 0);
    for (int i = 6; i < 10; i++) mean += map[i] / 4;
    check_near("between", at[1], mean, 1e-12);
    check_near("far away", at[2], (map[36] + map[37] + map[38] + map[39]) / 4, 1e-12);
    end_fitted(&f);
}

/* Exactly, where no neighbour is needed in part. */
static void weights_are_rows_repeated(void **unused)
{
    static const char *const words[] = {
        "graph=full sigma=1", "graph=epsilon eps=1.5", "graph=full laplacian=symmetric",
        "graph=full sigma=1 laplacian=unnormalised", "neighbors=60 sigma=1"};
    enum { N = 30, M = 2 * N };
    double *x = random_matrix(2 * N, 17), all[2 * M], w[N], map[2 * N], want[2 * M], q[6], a[6],
           b[6];
    (void)unused;
    for (int i = 0; i < N; i++) {
        w[i] = 1 + i % 3;
        x[2 * i] += 3.0 * i / N;
    }
    int64_t n = 0, of[M];
    for (int i = 0; i < N; i++)
        for (int c = 0; c < w[i]; c++) {
            memcpy(all + 2 * n, x + 2 * i, 2 * sizeof *x);
            of[n++] = i;
        }
    for (int i = 0; i < 6; i++) q[i] = x[2 * i] + 0.1;
    for (int c = 0; c < SMR_COUNT(words); c++) {
        struct fitted f = fit_clusters(&smr_eigenmap, words[c], N, 2, x, w, 2);
        struct fitted g = fit_clusters(&smr_eigenmap, words[c], n, 2, all, NULL, 2);
        ask_map(&f, N, 2, x, map);
        ask_map(&g, n, 2, all, want);
        for (int64_t i = 0; i < n; i++)
            for (int j = 0; j < 2; j++)
                check_near(words[c], map[2 * of[i] + j], want[2 * i + j], 1e-7);
        ask_map(&f, 3, 2, q, a);
        ask_map(&g, 3, 2, q, b);
        for (int i = 0; i < 6; i++) check_near(words[c], a[i], b[i], 1e-7);
        end_fitted(&f);
        end_fitted(&g);
    }
    free(x);
}

static void the_order_of_rows_does_not_matter(void **unused)
{
    enum { N = 70 };
    double *x = random_matrix(2 * N, 23), turned[2 * N], a[2 * N], b[2 * N];
    int64_t order[N];
    (void)unused;
    smr_random_permutation(5, SMR_STREAM_TEST, 7, N, order);
    for (int i = 0; i < N; i++) memcpy(turned + 2 * i, x + 2 * order[i], 2 * sizeof *x);
    struct fitted f = fit_clusters(&smr_eigenmap, "", N, 2, x, NULL, 2);
    struct fitted g = fit_clusters(&smr_eigenmap, "", N, 2, turned, NULL, 2);
    ask_map(&f, N, 2, x, a);
    ask_map(&g, N, 2, x, b);
    for (int i = 0; i < 2 * N; i++) check_near("map", b[i], a[i], 1e-8);
    end_fitted(&f);
    end_fitted(&g);
    free(x);
}

static void what_makes_no_map_is_said(void **unused)
{
    double x[] = {1, 2, 3, 50, 51, 52};
    struct matrix_data m;
    struct heard heard;
    (void)unused;
    cluster_data(&m, 2, 1, x, NULL);
    check_refused(
        &smr_eigenmap, "", &m.data, 0,
        "eigenmap: 2 rows cannot have k=2 coordinates; give a k below the number of rows");
    cluster_data(&m, 6, 1, x, NULL);
    check_refused(&smr_eigenmap, "graph=epsilon eps=0.5", &m.data, 0,
                  "eigenmap: no two rows are within eps 0.5 of each other");
    smr_ctx *ctx = hearing_ctx(&heard);
    smr_table *t = new_table(ctx, 6, 1);
    put_numbers(ctx, t, 0, "x", x);
    smr_model_free(train_on(ctx, "eigenmap neighbors=2", t, NULL));
    check_heard(&heard, "eigenmap: the graph is in 2 parts without links between them, and the "
                        "first coordinates only tell these apart; raise neighbors, or eps");
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void memory_that_fails_is_survived(void **unused)
{
    double *x = heaps(60, 2, 3, 6);
    struct matrix_data m;
    (void)unused;
    cluster_data(&m, 60, 2, x, NULL);
    check_failing_fits(&smr_eigenmap, "", &m.data);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_circle_is_a_circle),
        cmocka_unit_test(a_rolled_sheet_is_unrolled),
        cmocka_unit_test(new_rows_lie_among_their_neighbours),
        cmocka_unit_test(weights_are_rows_repeated),
        cmocka_unit_test(the_order_of_rows_does_not_matter),
        cmocka_unit_test(what_makes_no_map_is_said),
        cmocka_unit_test(memory_that_fails_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
