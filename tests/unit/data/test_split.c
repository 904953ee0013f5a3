/* Splits: every row once, strata and groups kept, the same for the same seed, and clear
 * refusals. */
#include "check.h"

#include "core/rng.h"
#include "data/split.h"

enum { N = 1009, K = 4, GROUPS = 61 };

static int32_t label[N];
static int64_t group[N];

static void fill(void)
{
    for (uint64_t i = 0; i < N; i++) {
        static const int32_t skewed[] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 2};
        uint64_t bits = smr_random_bits(1, SMR_STREAM_TEST, 0, i);
        label[i] = bits % 97 == 0 ? 3 : skewed[bits % 10];
        double u = smr_random_unit(1, SMR_STREAM_TEST, 1, i);
        group[i] =
            ((int64_t)(u * u * GROUPS) - 30) * INT64_C(1000000007); /* uneven, some negative */
    }
}

static smr_split_rows rows_of(bool stratified, bool grouped, uint64_t seed)
{
    fill();
    return (smr_split_rows){.n = N,
                            .label = stratified ? label : NULL,
                            .n_classes = K,
                            .group = grouped ? group : NULL,
                            .seed = seed};
}

/* Each row in exactly one part, ascending; smr_parts_without is the complement. */
static void check_partition(const smr_parts *p, int64_t n, int64_t n_parts)
{
    int64_t *part_of = calloc((size_t)n, sizeof *part_of),
            *others = malloc((size_t)n * sizeof *others);
    assert_int_equal(p->n_rows, n);
    assert_int_equal(p->n_parts, n_parts);
    assert_int_equal(p->start[0], 0);
    assert_int_equal(p->start[n_parts], n);
    for (int64_t k = 0; k < n_parts; k++) {
        assert_true(smr_part_size(p, k) > 0);
        for (int64_t r = 0; r < smr_part_size(p, k); r++) {
            int64_t row = smr_part_rows(p, k)[r];
            assert_true(row >= 0 && row < n && part_of[row] == 0);
            part_of[row] = k + 1;
            assert_true(p->by_time || r == 0 || row > smr_part_rows(p, k)[r - 1]);
        }
    }
    for (int64_t k = 0; k < SMR_MIN(n_parts, 9); k++) {
        int64_t m = smr_parts_without(p, k, others), seen = 0;
        assert_int_equal(m, n - smr_part_size(p, k));
        for (int64_t r = 0; r < m; r++) {
            assert_true(part_of[others[r]] != k + 1);
            assert_true(p->by_time || r == 0 || others[r] > others[r - 1]);
            seen += others[r];
        }
        for (int64_t r = 0; r < smr_part_size(p, k); r++) seen += smr_part_rows(p, k)[r];
        assert_int_equal(seen, n * (n - 1) / 2);
    }
    free(part_of);
    free(others);
}

static int64_t class_count(const smr_parts *p, int64_t part, int32_t c)
{
    int64_t n = 0;
    for (int64_t r = 0; r < smr_part_size(p, part); r++) n += label[smr_part_rows(p, part)[r]] == c;
    return n;
}

static void check_whole_groups(const smr_parts *p)
{
    for (int64_t a = 0; a < p->n_parts; a++)
        for (int64_t b = a + 1; b < p->n_parts; b++)
            for (int64_t r = 0; r < smr_part_size(p, a); r++)
                for (int64_t s = 0; s < smr_part_size(p, b); s++)
                    assert_true(group[smr_part_rows(p, a)[r]] != group[smr_part_rows(p, b)[s]]);
}

static bool same_parts(const smr_parts *a, const smr_parts *b)
{
    return a->n_parts == b->n_parts &&
           !memcmp(a->start, b->start, (size_t)(a->n_parts + 1) * sizeof *a->start) &&
           !memcmp(a->rows, b->rows, (size_t)a->n_rows * sizeof *a->rows);
}

/* ---- folds ---------------------------------------------------------------------------- */

static void folds_are_a_partition_of_even_sizes(void **state)
{
    (void)state;
    static const int64_t folds[] = {2, 3, 5, 10, 100, N};
    smr_ctx *ctx = check_ctx(1);
    for (int64_t f = 0; f < SMR_COUNT(folds); f++)
        for (int stratified = 0; stratified < 2; stratified++)
            for (int in_order = 0; in_order < 2; in_order++) {
                smr_split_rows of = rows_of(stratified, false, 7);
                smr_parts p;
                of.in_order = in_order;
                check_ok(ctx, smr_split_folds(ctx, &of, folds[f], &p));
                check_partition(&p, N, folds[f]);
                for (int64_t k = 0; k < folds[f]; k++)
                    assert_true(smr_part_size(&p, k) >= N / folds[f] &&
                                smr_part_size(&p, k) <= N / folds[f] + 1);
                smr_parts_release(&p);
            }
    check_ctx_end(ctx);
}

static void stratified_folds_share_each_class_to_one_row(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    for (uint64_t seed = 0; seed < 20; seed++) {
        smr_split_rows of = rows_of(true, false, seed);
        smr_parts p;
        check_ok(ctx, smr_split_folds(ctx, &of, 7, &p));
        for (int32_t c = 0; c < K; c++) {
            int64_t least = N, most = 0;
            for (int64_t k = 0; k < 7; k++) {
                least = SMR_MIN(least, class_count(&p, k, c));
                most = SMR_MAX(most, class_count(&p, k, c));
            }
            assert_true(most - least <= 1);
        }
        smr_parts_release(&p);
    }
    check_ctx_end(ctx);
}

static void unshuffled_folds_are_consecutive_blocks(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_split_rows of = {.n = 11, .in_order = true};
    smr_parts p;
    check_ok(ctx, smr_split_folds(ctx, &of, 4, &p));
    static const int64_t start[] = {0, 3, 6, 9, 11};
    assert_memory_equal(p.start, start, sizeof start);
    for (int64_t i = 0; i < 11; i++) assert_int_equal(p.rows[i], i);
    smr_parts_release(&p);
    check_ctx_end(ctx);
}

static void grouped_folds_keep_groups_whole_and_sizes_close(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    for (int stratified = 0; stratified < 2; stratified++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            smr_split_rows of = rows_of(stratified, true, seed);
            int64_t size_of[GROUPS] = {0}, largest = 0, least = N, most = 0;
            for (int64_t i = 0; i < N; i++) {
                int64_t s = ++size_of[group[i] / INT64_C(1000000007) + 30];
                largest = SMR_MAX(largest, s);
            }
            smr_parts p;
            check_ok(ctx, smr_split_folds(ctx, &of, 5, &p));
            check_partition(&p, N, 5);
            check_whole_groups(&p);
            for (int64_t k = 0; k < 5; k++) {
                least = SMR_MIN(least, smr_part_size(&p, k));
                most = SMR_MAX(most, smr_part_size(&p, k));
            }
            assert_true(most - least <= largest); /* greedy: never worse than one group */
            if (stratified)                       /* the commonest class is spread too */
                for (int64_t k = 0; k < 5; k++)
                    assert_true(llabs(class_count(&p, k, 0) * 5 - 600) < 200);
            smr_parts_release(&p);
        }
    check_ctx_end(ctx);
}

/* ---- holdout -------------------------------------------------------------------------- */

static void holdout_shares_are_exact_to_less_than_a_row(void **state)
{
    (void)state;
    static const double fractions[][3] = {{0.2}, {0.013}, {0.97}, {0.25, 0.15}, {0.3, 0.3, 0.3}};
    static const int64_t n_fractions[] = {1, 1, 1, 2, 3};
    smr_ctx *ctx = check_ctx(1);
    for (int64_t f = 0; f < SMR_COUNT(fractions); f++)
        for (uint64_t seed = 0; seed < 20; seed++)
            for (int stratified = 0; stratified < 2; stratified++) {
                smr_split_rows of = rows_of(stratified, false, seed);
                smr_parts p;
                check_ok(ctx, smr_split_holdout(ctx, &of, fractions[f], n_fractions[f], &p));
                check_partition(&p, N, n_fractions[f] + 1);
                for (int64_t k = 0; k < n_fractions[f]; k++) {
                    double want = fractions[f][k] * N;
                    assert_true(fabs((double)smr_part_size(&p, k + 1) - want) <
                                (stratified ? 2 : 1));
                    for (int32_t c = 0; stratified && c < K; c++) {
                        int64_t all = 0;
                        for (int64_t i = 0; i < N; i++) all += label[i] == c;
                        double share = fractions[f][k] * (double)all;
                        assert_true(fabs((double)class_count(&p, k + 1, c) - share) < 1);
                    }
                }
                smr_parts_release(&p);
            }
    check_ctx_end(ctx);
}

static void a_holdout_is_a_fair_draw(void **state)
{
    (void)state;
    enum { ROWS = 25, DRAWS = 4000 };
    int64_t times[ROWS] = {0};
    double fifth = 0.2;
    smr_ctx *ctx = check_ctx(1);
    for (int64_t r = 0; r < DRAWS; r++) {
        smr_split_rows of = {.n = ROWS, .seed = 3, .repetition = r};
        smr_parts p;
        check_ok(ctx, smr_split_holdout(ctx, &of, &fifth, 1, &p));
        assert_int_equal(smr_part_size(&p, 1), 5);
        for (int64_t i = 0; i < 5; i++) times[smr_part_rows(&p, 1)[i]]++;
        smr_parts_release(&p);
    }
    for (int i = 0; i < ROWS; i++) /* binomial(4000, 0.2): within 5 deviations */
        assert_true(fabs((double)times[i] - DRAWS * 0.2) < 5 * sqrt(DRAWS * 0.16));
    check_ctx_end(ctx);
}

static void small_tables_leave_no_part_empty(void **state)
{
    (void)state;
    static const int32_t few[] = {0, 1, 1, 2, 2};
    double fractions[] = {0.01, 0.01};
    smr_ctx *ctx = check_ctx(1);
    for (int64_t n = 3; n <= 5; n++)
        for (int stratified = 0; stratified < 2; stratified++) {
            smr_split_rows of = {.n = n, .label = stratified ? few : NULL, .n_classes = 3};
            smr_parts p;
            check_ok(ctx, smr_split_holdout(ctx, &of, fractions, 2, &p));
            check_partition(&p, n, 3);
            assert_int_equal(smr_part_size(&p, 0), n - 2);
            smr_parts_release(&p);
        }
    check_ctx_end(ctx);
}

static void grouped_holdout_keeps_groups_whole(void **state)
{
    (void)state;
    double fractions[] = {0.25, 0.1};
    smr_ctx *ctx = check_ctx(1);
    for (uint64_t seed = 0; seed < 10; seed++) {
        smr_split_rows of = rows_of(seed & 1, true, seed);
        smr_parts p;
        check_ok(ctx, smr_split_holdout(ctx, &of, fractions, 2, &p));
        check_partition(&p, N, 3);
        check_whole_groups(&p);
        assert_true(fabs((double)smr_part_size(&p, 1) / N - 0.25) < 0.1);
        assert_true(fabs((double)smr_part_size(&p, 2) / N - 0.1) < 0.1);
        smr_parts_release(&p);
    }
    /* two groups, two parts: each its own, however small the fraction */
    static const int64_t two[] = {5, 5, 5, 5, 5, 5, 5, 5, -3};
    smr_split_rows of = {.n = 9, .group = two};
    smr_parts p;
    fractions[0] = 0.001;
    check_ok(ctx, smr_split_holdout(ctx, &of, fractions, 1, &p));
    check_partition(&p, 9, 2);
    smr_parts_release(&p);
    check_ctx_end(ctx);
}

/* ---- one out, time -------------------------------------------------------------------- */

static void each_row_or_group_is_left_out_once(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_split_rows of = {.n = 13};
    smr_parts p;
    check_ok(ctx, smr_split_each(ctx, &of, &p));
    check_partition(&p, 13, 13);
    for (int64_t i = 0; i < 13; i++) assert_int_equal(smr_part_rows(&p, i)[0], i);
    smr_parts_release(&p);

    static const int64_t groups[] = {7, -2, 7, INT64_MAX, -2, 7, INT64_MIN};
    of = (smr_split_rows){.n = 7, .group = groups};
    check_ok(ctx, smr_split_each(ctx, &of, &p));
    check_partition(&p, 7, 4);
    static const int64_t rows[] = {6, 1, 4, 0, 2, 5, 3}, start[] = {0, 1, 3, 6, 7};
    assert_memory_equal(p.rows, rows, sizeof rows);
    assert_memory_equal(p.start, start, sizeof start);
    smr_parts_release(&p);
    check_ctx_end(ctx);
}

/* The part that the i-th place belongs to. */
static int64_t part_of(const smr_parts *p, int64_t i)
{
    int64_t k = 0;
    while (i >= p->start[k + 1]) k++;
    return k;
}

static void time_splits_train_on_the_past_only(void **state)
{
    (void)state;
    double time[N];
    for (uint64_t i = 0; i < N; i++)
        time[i] = floor(20 * smr_random_unit(2, SMR_STREAM_TEST, 0, i)); /* many at one time */
    smr_split_rows of = {.n = N, .time = time};
    int64_t before[N];
    smr_ctx *ctx = check_ctx(1);
    smr_parts p;
    check_ok(ctx, smr_split_time(ctx, &of, 6, &p));
    check_partition(&p, N, 6);
    for (int64_t k = 1; k < 6; k++) {
        int64_t n = smr_parts_before(&p, k, before);
        assert_int_equal(n, p.start[k]);
        for (int64_t r = 0; r < smr_part_size(&p, k); r++)
            for (int64_t b = 0; b < n; b++)
                assert_true(time[before[b]] < time[smr_part_rows(&p, k)[r]]);
    }
    smr_parts_release(&p);
    check_ok(ctx, smr_split_time(ctx, &of, 20, &p)); /* a block for each time */
    for (int64_t i = 0; i < N; i++)
        assert_true(time[p.rows[i]] == time[p.rows[0]] + (double)part_of(&p, i));
    smr_parts_release(&p);
    check_fails(ctx, smr_split_time(ctx, &of, 21, &p), SMR_ERR_DATA,
                "21 blocks in order of time cannot be made of 20 different times");
    of.time = NULL;
    check_ok(ctx, smr_split_time(ctx, &of, 6, &p));
    for (int64_t i = 0; i < N; i++) assert_int_equal(p.rows[i], i);
    smr_parts_release(&p);
    time[17] = NAN;
    of.time = time;
    check_fails(ctx, smr_split_time(ctx, &of, 6, &p), SMR_ERR_DATA, "row 17 has no time");
    check_ctx_end(ctx);
}

/* ---- determinism, refusals, memory ---------------------------------------------------- */

static void the_seed_alone_decides_at_any_thread_count(void **state)
{
    (void)state;
    double fractions[] = {0.2, 0.1};
    for (int kind = 0; kind < 8; kind++) {
        smr_parts at[4] = {{0}};
        static const int threads[] = {1, 2, 7, 1};
        for (int t = 0; t < 4; t++) {
            smr_ctx *ctx = check_ctx(threads[t]);
            smr_split_rows of = rows_of(kind & 1, kind & 2, t == 3 ? 12 : 11);
            if (kind & 4)
                check_ok(ctx, smr_split_folds(ctx, &of, 5, &at[t]));
            else
                check_ok(ctx, smr_split_holdout(ctx, &of, fractions, 2, &at[t]));
            smr_ctx_destroy(ctx); /* the parts outlive it */
        }
        assert_true(same_parts(&at[0], &at[1]) && same_parts(&at[0], &at[2]));
        assert_false(same_parts(&at[0], &at[3]));
        for (int t = 0; t < 4; t++) smr_parts_release(&at[t]);
    }
    smr_ctx *ctx = check_ctx(1);
    smr_split_rows of = rows_of(true, false, 11);
    smr_parts first, second;
    check_ok(ctx, smr_split_folds(ctx, &of, 5, &first));
    of.repetition = 1;
    check_ok(ctx, smr_split_folds(ctx, &of, 5, &second));
    assert_false(same_parts(&first, &second));
    smr_parts_release(&first);
    smr_parts_release(&second);
    check_ctx_end(ctx);
}

static void collect(void *user, smr_log_level level, const char *message)
{
    if (level == SMR_LOG_WARNING) snprintf(user, 200, "%s", message);
}

static void a_class_with_fewer_rows_than_folds_is_a_warning(void **state)
{
    (void)state;
    static const int32_t few[] = {0, 0, 0, 0, 0, 1, 1, 0, 0};
    char heard[200] = "";
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .log = collect, .log_user = heard};
    assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_OK);
    smr_split_rows of = {.n = 9, .label = few, .n_classes = 3};
    smr_parts p;
    check_ok(ctx, smr_split_folds(ctx, &of, 3, &p));
    assert_string_equal(
        heard, "class 1 has 2 rows for 3 folds: some folds have none of it; use fewer folds");
    check_partition(&p, 9, 3);
    smr_parts_release(&p);
    char names[] = "ashelmoak";
    int64_t ends[] = {0, 3, 6, 9};
    smr_strings classes = {.n = 3, .bytes = names, .start = ends};
    of.classes = &classes;
    check_ok(ctx, smr_split_folds(ctx, &of, 3, &p));
    assert_string_equal(
        heard, "class 'elm' has 2 rows for 3 folds: some folds have none of it; use fewer folds");
    smr_parts_release(&p);
    check_ctx_end(ctx);
}

static void impossible_splits_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const int32_t wrong[] = {0, 1, 2};
    static const int64_t groups[] = {1, 1, 2}, one[] = {4, 4, 4};
    double bad[] = {0, 1, 1.5, -0.1, NAN}, half[] = {0.5, 0.5}, fifth = 0.2;
    smr_split_rows of = {.n = 3};
    smr_ctx *ctx = check_ctx(1);
    smr_parts p;
    check_fails(ctx, smr_split_folds(ctx, &of, 4, &p), SMR_ERR_DATA,
                "4 parts cannot be made of 3 rows; ask for at most 3");
    check_fails(ctx, smr_split_folds(ctx, &of, 1, &p), SMR_ERR_PARAM, "at least 2 parts, not 1");
    for (int64_t f = 0; f < SMR_COUNT(bad); f++)
        check_fails(ctx, smr_split_holdout(ctx, &of, &bad[f], 1, &p), SMR_ERR_PARAM,
                    "part 1 of the split is not a fraction between 0 and 1");
    check_fails(ctx, smr_split_holdout(ctx, &of, half, 2, &p), SMR_ERR_PARAM,
                "leave no rows to train on");
    of.group = groups;
    check_fails(ctx, smr_split_folds(ctx, &of, 3, &p), SMR_ERR_DATA,
                "3 parts cannot be made of 2 groups");
    of.group = one;
    check_fails(ctx, smr_split_each(ctx, &of, &p), SMR_ERR_DATA, "all rows are in one group");
    of = (smr_split_rows){.n = 3, .label = wrong, .n_classes = 2};
    check_fails(ctx, smr_split_folds(ctx, &of, 2, &p), SMR_ERR_DATA, "row 2 has class 2");
    of = (smr_split_rows){.n = 1};
    check_fails(ctx, smr_split_holdout(ctx, &of, &fifth, 1, &p), SMR_ERR_DATA,
                "one row cannot be divided into parts");
    of.n = 0;
    check_fails(ctx, smr_split_each(ctx, &of, &p), SMR_ERR_DATA, "no rows to split");
    check_fails(ctx, smr_split_time(ctx, &of, 2, &p), SMR_ERR_DATA, "no rows to split");
    check_ctx_end(ctx);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    double fifth = 0.2;
    smr_ctx *ctx = check_ctx(1);
    for (int kind = 0; kind < 6; kind++) {
        smr_split_rows of = rows_of(kind != 1, kind == 2 || kind == 3 || kind == 5, 1);
        smr_status st = SMR_ERR_NOMEM;
        int64_t n = 0;
        for (; st != SMR_OK; n++) {
            smr_parts p = {0};
            smr_ctx_clear(ctx);
            smr_memory_fail_at(ctx, n);
            if (kind == 4)
                st = smr_split_time(ctx, &of, 5, &p);
            else if (kind == 5)
                st = smr_split_each(ctx, &of, &p);
            else if (kind & 1)
                st = smr_split_folds(ctx, &of, 5, &p);
            else
                st = smr_split_holdout(ctx, &of, &fifth, 1, &p);
            assert_true(st == SMR_OK || st == SMR_ERR_NOMEM);
            smr_parts_release(&p);
        }
        assert_true(n > 2);
        smr_memory_fail_at(ctx, -1);
    }
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_are_a_partition_of_even_sizes),
        cmocka_unit_test(stratified_folds_share_each_class_to_one_row),
        cmocka_unit_test(unshuffled_folds_are_consecutive_blocks),
        cmocka_unit_test(grouped_folds_keep_groups_whole_and_sizes_close),
        cmocka_unit_test(holdout_shares_are_exact_to_less_than_a_row),
        cmocka_unit_test(a_holdout_is_a_fair_draw),
        cmocka_unit_test(small_tables_leave_no_part_empty),
        cmocka_unit_test(grouped_holdout_keeps_groups_whole),
        cmocka_unit_test(each_row_or_group_is_left_out_once),
        cmocka_unit_test(time_splits_train_on_the_past_only),
        cmocka_unit_test(the_seed_alone_decides_at_any_thread_count),
        cmocka_unit_test(a_class_with_fewer_rows_than_folds_is_a_warning),
        cmocka_unit_test(impossible_splits_are_refused_with_a_reason),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("split", tests, NULL, NULL);
}
