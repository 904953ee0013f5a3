/* test_gram_folds.c -- Gram matrices of parts of the rows against one matrix for each. */
#include "unit/math/rows_of.h"

#include "math/gram_folds.h"

enum { N = 2777, D = 5, Q = 2, M = D + Q, PARTS = 4 };

struct problem {
    double *x, *y, *weight;
    int32_t part[N];
};

static struct problem make_problem(double offset)
{
    struct problem p = {
        random_numbers(N * D, 1), random_numbers(N * Q, 2), random_numbers(N, 3), {0}};
    for (int i = 0; i < N; i++) {
        p.part[i] = (int32_t)smr_random_below(9, SMR_STREAM_TEST, 7, (uint64_t)i, PARTS);
        p.weight[i] = i % 17 == 0 ? 0 : fabs(p.weight[i]);
        for (int j = 0; j < D; j++) p.x[i * D + j] += offset * (j + 1);
    }
    return p;
}

static void end_problem(struct problem *p)
{
    free(p->x);
    free(p->y);
    free(p->weight);
}

/* The rows that are not in a part, by weights of 0. */
static void check_joined(smr_ctx *ctx, const struct problem *p, const smr_gram_folds *parts,
                         int64_t without, bool centre, double slack)
{
    double weight[N], mean[M], gram[M * M];
    struct matrix m = {N, D, D, p->x};
    smr_gram truth = {0};
    for (int i = 0; i < N; i++) weight[i] = p->part[i] == without ? 0 : p->weight[i];
    smr_row_source rows = rows_of(&m, Q, p->y, weight);
    check_ok(ctx, smr_gram_compute(ctx, &rows, centre, &truth));
    double total = smr_gram_folds_join(parts, without, mean, gram);
    check_near("weight", total, truth.weight, 1e-12);
    for (int i = 0; i < M; i++) {
        check_near("mean", mean[i], truth.mean[i], slack);
        for (int j = 0; j < M; j++)
            check_near("gram", gram[i * M + j] / total,
                       truth.gram[i * M + j] / truth.scale[i] / truth.scale[j] / total, slack);
    }
    smr_gram_release(&truth);
}

static void all_but_one_part_are_what_their_rows_give(void **unused)
{
    (void)unused;
    static const double offsets[] = {0, 1e6};
    for (int o = 0; o < 2; o++)
        for (int centre = 0; centre < 2; centre++) {
            smr_ctx *ctx = check_ctx(2);
            struct problem p = make_problem(offsets[o]);
            struct matrix m = {N, D, D, p.x};
            smr_row_source rows = rows_of(&m, Q, p.y, p.weight);
            smr_gram_folds parts = {0};
            check_ok(ctx, smr_gram_folds_compute(ctx, &rows, centre, p.part, PARTS, &parts));
            for (int64_t without = -1; without < PARTS; without++)
                check_joined(ctx, &p, &parts, without, centre, 1e-9);
            smr_gram_folds_release(&parts);
            end_problem(&p);
            check_ctx_end(ctx);
        }
}

static void errors_are_those_of_the_parts_rows(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    struct problem p = make_problem(3);
    struct matrix m = {N, D, D, p.x};
    smr_row_source rows = rows_of(&m, Q, p.y, p.weight);
    smr_gram_folds parts = {0};
    double w[D] = {0.5, 0, -1.25, 2, 0}, b = -0.75;
    check_ok(ctx, smr_gram_folds_compute(ctx, &rows, true, p.part, PARTS, &parts));
    for (int part = 0; part < PARTS; part++)
        for (int k = 0; k < Q; k++) {
            double truth = 0;
            for (int i = 0; i < N; i++) {
                double r = p.y[i * Q + k] - b;
                for (int j = 0; j < D; j++) r -= w[j] * p.x[i * D + j];
                if (p.part[i] == part) truth += p.weight[i] * r * r;
            }
            check_near("error", smr_gram_folds_error(&parts, part, D, k, w, b) / truth, 1, 1e-11);
        }
    smr_gram_folds_release(&parts);
    end_problem(&p);
    check_ctx_end(ctx);
}

static void bits_do_not_depend_on_threads(void **unused)
{
    (void)unused;
    static const int threads[] = {1, 2, 7};
    struct problem p = make_problem(0.25);
    struct matrix m = {N, D, D, p.x};
    smr_row_source rows = rows_of(&m, Q, p.y, p.weight);
    double first[PARTS * (M + 1) * (M + 1)];
    for (int t = 0; t < 3; t++) {
        smr_ctx *ctx = check_ctx(threads[t]);
        smr_gram_folds parts = {0};
        check_ok(ctx, smr_gram_folds_compute(ctx, &rows, true, p.part, PARTS, &parts));
        if (t == 0) memcpy(first, parts.sums, sizeof first);
        assert_memory_equal(first, parts.sums, sizeof first);
        smr_gram_folds_release(&parts);
        check_ctx_end(ctx);
    }
    end_problem(&p);
}

static void a_value_that_is_not_finite_is_named(void **unused)
{
    (void)unused;
    smr_ctx *ctx = check_ctx(1);
    struct problem p = make_problem(0);
    p.x[1234 * D + 3] = INFINITY;
    struct matrix m = {N, D, D, p.x};
    smr_row_source rows = rows_of(&m, Q, p.y, p.weight);
    smr_gram_folds parts = {0};
    assert_int_equal(smr_gram_folds_compute(ctx, &rows, true, p.part, PARTS, &parts), SMR_ERR_DATA);
    assert_non_null(strstr(smr_ctx_message(ctx), "column 4 of row 1235 is not finite"));
    smr_ctx_clear(ctx);
    end_problem(&p);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_but_one_part_are_what_their_rows_give),
        cmocka_unit_test(errors_are_those_of_the_parts_rows),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(a_value_that_is_not_finite_is_named),
    };
    return cmocka_run_group_tests_name("gram_folds", tests, NULL, NULL);
}
