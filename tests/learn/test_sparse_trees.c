/* test_sparse_trees.c -- trees of sparse rows: the very bits of those of a dense copy. */
#include "learn/matrix_data.h"

#include "learn/trees/bins_sparse.h"
#include "learn/trees/boost.h"

extern const smr_learner smr_boost, smr_tree, smr_stump;

/* ---- a sparse table and its dense copy -------------------------------------------------- */

struct twins {
    int64_t n, d;
    double *x, *value, *y, *weight;
    int64_t *start;
    int32_t *column, *label, *code;
    smr_feature *features;
    smr_csr csr;
    smr_data dense, sparse;
};

enum { NUMBERS = 0, GAPS = 1, CATEGORIES = 2, ONE_SIGN = 4 };

static int64_t draw(uint64_t seed, int64_t i, int64_t j, int64_t n)
{
    return smr_random_below(seed, SMR_STREAM_TEST, (uint64_t)i, (uint64_t)j, n);
}

/* Column j of row i: few values in some columns, many in others, rare ones in some. */
static double cell_of(int64_t i, int64_t j, int with, uint64_t seed)
{
    if (draw(seed, i, j, j % 7 == 5 ? 90 : 14)) return 0;
    if (with & GAPS && draw(seed + 1, i, j, 9) == 0) return NAN;
    if (with & CATEGORIES && j % 4 == 3)
        return (double)draw(seed + 2, i, j, j == 3 ? 300 : 6); /* a code, 0 among them */
    double v = smr_random_unit(seed + 3, SMR_STREAM_TEST, (uint64_t)i, (uint64_t)j);
    if (j % 3 == 0) v = (double)(1 + draw(seed + 4, i, j, 5));
    return !(with & ONE_SIGN) && j % 5 < 2 && draw(seed + 5, i, j, 3) ? -v : v;
}

static void fill(struct twins *t, int with, uint64_t seed)
{
    int64_t e = 0;
    for (int64_t i = 0; i < t->n; i++) {
        double f = 0;
        for (int64_t j = 0; j < t->d; j++) {
            double v = t->x[i * t->d + j] = cell_of(i, j, with, seed);
            if (v == 0 && draw(seed + 6, i, j, 200)) continue; /* else an entry that is 0 */
            t->column[e] = (int32_t)j;
            t->value[e++] = v;
            if (!isnan(v)) f += j % 2 ? 2 * v : -v * v;
        }
        t->start[i + 1] = e;
        t->y[i] = f + 0.3 * smr_random_unit(seed + 7, SMR_STREAM_TEST, 0, (uint64_t)i);
        t->weight[i] = i % 11 ? 0.25 + smr_random_unit(seed, SMR_STREAM_TEST, 9, (uint64_t)i) : 0;
        t->label[i] = t->y[i] < -1 ? 0 : t->y[i] < 0.5 ? 1 : 2;
    }
}

static struct twins *make_twins(int64_t n, int64_t d, int with, uint64_t seed)
{
    struct twins *t = calloc(1, sizeof *t);
    assert_non_null(t);
    size_t cells = (size_t)(n * d), rows = (size_t)n;
    t->n = n, t->d = d;
    t->x = calloc(cells, sizeof *t->x);
    t->value = calloc(cells, sizeof *t->value);
    t->column = calloc(cells, sizeof *t->column);
    t->start = calloc(rows + 1, sizeof *t->start);
    t->y = calloc(rows, sizeof *t->y);
    t->weight = calloc(rows, sizeof *t->weight);
    t->label = calloc(rows, sizeof *t->label);
    t->features = calloc((size_t)d, sizeof *t->features);
    t->code = calloc(cells, sizeof *t->code);
    fill(t, with, seed);
    for (int64_t j = 0; j < d; j++) {
        bool codes = with & CATEGORIES && j % 4 == 3;
        t->features[j] = (smr_feature){
            .name = "x", .kind = SMR_NUMBER, .dtype = SMR_F64, .values = t->x + j, .stride = d};
        if (!codes) continue;
        for (int64_t i = 0; i < n; i++)
            t->code[i * d + j] = isnan(t->x[i * d + j]) ? -1 : (int32_t)t->x[i * d + j];
        t->features[j].kind = SMR_CATEGORY;
        t->features[j].dtype = SMR_I32;
        t->features[j].values = t->code + j;
        t->features[j].n_levels = j == 3 ? 300 : 6;
    }
    t->dense = (smr_data){.size = sizeof t->dense,
                          .n_rows = n,
                          .n_features = d,
                          .features = t->features,
                          .task = SMR_TASK_REGRESS,
                          .n_outputs = 1,
                          .y = t->y};
    t->csr = (smr_csr){
        .n_rows = n, .n_cols = d, .start = t->start, .column = t->column, .value = t->value};
    t->sparse = t->dense;
    t->sparse.features = with & CATEGORIES ? t->features : NULL;
    t->sparse.sparse = &t->csr;
    return t;
}

static void end_twins(struct twins *t)
{
    free(t->x);
    free(t->value);
    free(t->column);
    free(t->start);
    free(t->y);
    free(t->weight);
    free(t->label);
    free(t->code);
    free(t->features);
    free(t);
}

static void to_classes(struct twins *t, int64_t k)
{
    smr_data *both[] = {&t->dense, &t->sparse};
    for (int64_t i = 0; i < t->n; i++) t->label[i] = (int32_t)SMR_MIN(t->label[i], k - 1);
    for (int b = 0; b < 2; b++) {
        both[b]->task = SMR_TASK_CLASSIFY;
        both[b]->label = t->label;
        both[b]->n_classes = k;
        both[b]->y = NULL;
        both[b]->n_outputs = 0;
    }
}

static void with_weights(struct twins *t)
{
    t->dense.weight = t->sparse.weight = t->weight;
}

/* ---- comparing -------------------------------------------------------------------------- */

/* Every number and array of the two states, bit for bit. */
static void check_same_state(const struct fitted *a, const struct fitted *b, const char *words)
{
    const smr_learner *l = a->learner;
    for (int64_t i = 0; i < l->fitted->n_state; i++) {
        const smr_state *row = &l->fitted->state[i];
        int64_t shape[SMR_RANK_MAX], n = 0, m = 0;
        smr_state_shape(l, row, a->state, shape, &n);
        smr_state_shape(l, row, b->state, shape, &m);
        const void *x = smr_state_values(row, a->state), *y = smr_state_values(row, b->state);
        if (n != m || !x != !y ||
            (x && memcmp(x, y, (size_t)n * smr_dtype_size(smr_state_dtype(row)))))
            fail_msg("%s %s: %s differs between dense and sparse rows", l->word->name, words,
                     row->name);
    }
}

/* Answers for the sparse rows, in blocks of `block`, against those for the dense ones. */
static void check_same_answers(const struct fitted *f, const struct twins *t, smr_output output,
                               int64_t width, int64_t block)
{
    const smr_learner *l = f->learner;
    double *a = calloc((size_t)(t->n * width), sizeof *a), *b = calloc((size_t)(t->n * width), 8);
    char *scratch = malloc((size_t)l->fitted->scratch(f->params, f->state, block) + 1);
    memset(scratch, 0x5a, (size_t)l->fitted->scratch(f->params, f->state, block) + 1);
    smr_rows rows = {.n = t->n, .d = t->d, .form = SMR_FORM_F64, .x = t->x, .stride = t->d};
    check_ok(f->ctx, l->fitted->predict(f->ctx, f->params, f->state, &rows, output, a, scratch));
    for (int64_t lo = 0; lo < t->n; lo += block) {
        rows = (smr_rows){.n = SMR_MIN(block, t->n - lo),
                          .d = t->d,
                          .form = SMR_FORM_SPARSE,
                          .start = t->start + lo,
                          .column = t->column,
                          .value = t->value};
        check_ok(f->ctx, l->fitted->predict(f->ctx, f->params, f->state, &rows, output,
                                            b + lo * width, scratch));
    }
    assert_memory_equal(a, b, (size_t)(t->n * width) * sizeof *a);
    free(scratch);
    free(a);
    free(b);
}

static void check_twins(const smr_learner *l, const struct twins *t, const char *words)
{
    bool classes = t->dense.task == SMR_TASK_CLASSIFY;
    smr_output output = classes ? SMR_OUTPUT_PROBA : SMR_OUTPUT_VALUE;
    int64_t width = classes ? t->dense.n_classes : 1;
    struct fitted dense = fit_matrix(l, words, &t->dense, 2);
    int64_t *count = NULL;
    check_ok(dense.ctx, smr_sparse_bins_pay(dense.ctx, &t->sparse, &count));
    if (t->n > 1) assert_non_null(count); /* else the dense copy is compared with itself */
    smr_free(count);
    for (int threads = 1; threads <= 7; threads += 3) {
        struct fitted sparse = fit_matrix(l, words, &t->sparse, threads);
        check_same_state(&dense, &sparse, words);
        check_ok(sparse.ctx, l->fitted->prepare(sparse.ctx, sparse.params, sparse.state));
        check_same_answers(&sparse, t, output, width, threads == 1 ? 1 : 27);
        end_fitted(&sparse);
    }
    end_fitted(&dense);
}

/* ---- bins ------------------------------------------------------------------------------- */

static void check_bins(struct twins *t, int64_t max_bins)
{
    smr_ctx *ctx = check_ctx(3);
    smr_bins bins;
    smr_sparse_bins sparse;
    int64_t *count = NULL;
    check_ok(ctx, smr_bins_build(ctx, &t->dense, max_bins, SMR_BINS_BY_ROW, &bins));
    check_ok(ctx, smr_sparse_bins_pay(ctx, &t->sparse, &count));
    assert_non_null(count);
    check_ok(ctx, smr_sparse_bins_build(ctx, &t->sparse, max_bins, count, &sparse));
    size_t d = (size_t)t->d;
    assert_memory_equal(bins.n_bins, sparse.bins.n_bins, d * sizeof *bins.n_bins);
    assert_memory_equal(bins.first, sparse.bins.first, (d + 1) * sizeof *bins.first);
    assert_memory_equal(bins.is_exact, sparse.bins.is_exact, d);
    assert_memory_equal(bins.has_missing, sparse.bins.has_missing, d);
    assert_memory_equal(bins.cut, sparse.bins.cut, (size_t)bins.first[d] * sizeof *bins.cut);
    for (int64_t i = 0; i < t->n; i++)
        for (int32_t j = 0; j < t->d; j++) {
            int32_t cell = smr_sparse_cell(&sparse, i, j), zero = sparse.zero[j];
            int32_t bin = cell == 0 ? zero : cell <= zero ? cell - 1 : cell;
            assert_int_equal(bin, bins.cell[i * bins.stride + j]);
        }
    for (int64_t j = 0, e = 0; j < t->d; j++) /* the same entries, by column */
        for (; e < sparse.of_column[j + 1]; e++)
            assert_int_equal(sparse.column_cell[e],
                             smr_sparse_cell(&sparse, sparse.row[e], (int32_t)j));
    assert_int_equal(sparse.of_column[t->d], sparse.of_row[t->n]);
    smr_free(count);
    smr_bins_release(&bins);
    smr_sparse_bins_release(&sparse);
    check_ctx_end(ctx);
}

static void bins_are_those_of_the_dense_copy(void **unused)
{
    (void)unused;
    struct twins *t = make_twins(3001, 53, GAPS, 1);
    check_bins(t, 255);
    check_bins(t, 7);
    end_twins(t);
    t = make_twins(977, 41, GAPS | CATEGORIES, 2);
    check_bins(t, 255);
    check_bins(t, 30);
    with_weights(t);
    check_bins(t, 30);
    end_twins(t);
}

/* More rows than the sample that cuts are made of: values that it does not show change the bins. */
static void bins_of_many_rows_are_those_of_the_dense_copy(void **unused)
{
    (void)unused;
    check_no_races();
    struct twins *t = make_twins(SMR_BINS_SAMPLE + 5003, 9, GAPS, 3);
    int64_t rare = 0;
    for (int64_t i = 0; i < t->n; i++)
        for (int64_t e = t->start[i]; e < t->start[i + 1]; e++) {
            int32_t j = t->column[e];
            if (j != 6 || isnan(t->value[e])) continue;
            double v = rare++ % 3000 == 0 ? 100.5 + (double)rare : floor(4 * t->value[e]);
            t->value[e] = t->x[i * t->d + j] = v;
        }
    check_bins(t, 255);
    check_bins(t, 16);
    with_weights(t);
    check_bins(t, 255);
    check_bins(t, 16);
    end_twins(t);
}

static void dense_rows_are_left_dense(void **unused)
{
    (void)unused;
    struct twins *t = make_twins(300, 3, ONE_SIGN, 4);
    smr_ctx *ctx = check_ctx(1);
    int64_t *count = NULL;
    for (int64_t i = 0; i <= t->n; i++) t->start[i] = 3 * i; /* every cell an entry */
    for (int64_t e = 0; e < 3 * t->n; e++) t->column[e] = (int32_t)(e % 3), t->value[e] = 2.5;
    check_ok(ctx, smr_sparse_bins_pay(ctx, &t->sparse, &count));
    assert_null(count);
    check_ok(ctx, smr_sparse_bins_pay(ctx, &t->dense, &count));
    assert_null(count);
    check_ctx_end(ctx);
    end_twins(t);
}

/* ---- boost ------------------------------------------------------------------------------ */

static void boosted_numbers_are_those_of_the_dense_copy(void **unused)
{
    (void)unused;
    check_no_races();
    static const char *const words[] = {"rounds=8",
                                        "rounds=5 growth=level max_depth=4 l1=0.3",
                                        "rounds=5 rows=0.6 columns=0.5 features=0.4",
                                        "rounds=6 loss=huber min_leaf=5",
                                        "rounds=9 patience=3 max_bins=9",
                                        "rounds=4 loss=absolute max_leaves=0 min_leaf=12"};
    for (int w = 0; w < SMR_COUNT(words); w++) {
        int with = w % 2 ? GAPS : w == 4 ? GAPS | CATEGORIES : NUMBERS;
        struct twins *t = make_twins(1703, 61, with, 10 + (uint64_t)w);
        if (w % 3 == 1) with_weights(t);
        check_twins(&smr_boost, t, words[w]);
        end_twins(t);
    }
}

static void boosted_classes_are_those_of_the_dense_copy(void **unused)
{
    (void)unused;
    check_no_races();
    static const char *const words[] = {
        "rounds=7", "rounds=5 min_leaf=20", "rounds=15 sampling=goss rate=0.4",
        "rounds=4 loss=exponential l2=0 min_child=0", "rounds=4 min_child=0 l2=0 max_leaves=200"};
    for (int w = 0; w < SMR_COUNT(words); w++)
        for (int64_t k = CHECK_LESS ? 3 - w % 2 : 2; k <= (w % 2 && (CHECK_LESS || w == 3) ? 2 : 3);
             k++) {
            int with = w % 2 ? GAPS | CATEGORIES : ONE_SIGN;
            struct twins *t = make_twins(1301, 83, with, 30 + (uint64_t)w);
            to_classes(t, k);
            if (w % 2 == 0) with_weights(t);
            check_twins(&smr_boost, t, words[w]);
            end_twins(t);
        }
}

/* Enough rows for narrow numbers, and for several tasks of rows and columns. */
static void boosting_many_rows_gives_the_trees_of_the_dense_copy(void **unused)
{
    (void)unused;
    struct twins *t = make_twins(20011, CHECK_LESS ? 31 : 139, NUMBERS, 50);
    check_twins(&smr_boost, t, "rounds=3 max_leaves=63");
    to_classes(t, 2);
    check_twins(&smr_boost, t, "rounds=3 rows=0.8");
    end_twins(t);
}

static void monotone_sparse_columns_are_those_of_the_dense_copy(void **unused)
{
    (void)unused;
    struct twins *t = make_twins(1201, 53, ONE_SIGN, 60);
    static char names[64][24];
    for (int64_t j = 0; j < t->d; j++) {
        snprintf(names[j], sizeof names[j], "x%lld", (long long)j);
        t->features[j].name = names[j];
    }
    t->sparse.features = t->features;
    check_twins(&smr_boost, t, "rounds=6 monotone=+x1,-x2,-x10");
    end_twins(t);
}

static void odd_sparse_tables_are_boosted(void **unused)
{
    (void)unused;
    struct twins *t = make_twins(40, 31, NUMBERS, 70);
    check_twins(&smr_boost, t, "rounds=3");
    memset(t->start, 0, (size_t)(t->n + 1) * sizeof *t->start); /* no entry at all */
    memset(t->x, 0, (size_t)(t->n * t->d) * sizeof *t->x);
    check_twins(&smr_boost, t, "rounds=3");
    end_twins(t);
    t = make_twins(1, 20, NUMBERS, 71);
    check_twins(&smr_boost, t, "rounds=3");
    end_twins(t);
    t = make_twins(500, 40, ONE_SIGN, 72);
    for (int64_t e = 0; e < t->start[t->n]; e++) /* infinite values are values */
        if (t->value[e] > 0 && e % 37 == 0) t->value[e] = INFINITY;
    for (int64_t i = 0; i < t->n; i++)
        for (int64_t e = t->start[i]; e < t->start[i + 1]; e++)
            t->x[i * t->d + t->column[e]] = t->value[e];
    check_twins(&smr_boost, t, "rounds=3");
    end_twins(t);
}

/* ---- tree and stump --------------------------------------------------------------------- */

static void trees_of_classes_are_those_of_the_dense_copy(void **unused)
{
    (void)unused;
    check_no_races();
    static const char *const words[] = {"min_leaf=1",
                                        "criterion=entropy max_leaves=40",
                                        "criterion=error max_depth=6",
                                        "min_leaf=4 ties=random",
                                        "criterion=gain_ratio min_split=9",
                                        "search=histogram prune=cost",
                                        "prune=reduced",
                                        "missing=fraction max_depth=5",
                                        "class_weight=balanced chi2=0.3",
                                        "prune=pessimistic"};
    for (int w = 0; w < SMR_COUNT(words); w++)
        for (int64_t k = CHECK_LESS ? 2 + w % 2 : 2; k <= (CHECK_LESS ? 2 + w % 2 : 3); k++) {
            struct twins *t = make_twins(1409, 57,
                                         w % 3    ? GAPS
                                         : w == 3 ? NUMBERS
                                                  : ONE_SIGN,
                                         100 + (uint64_t)w);
            to_classes(t, k);
            if (w % 2 && w != 5) with_weights(t);
            check_twins(&smr_tree, t, words[w]);
            check_twins(&smr_stump, t, w % 2 ? "criterion=entropy" : "min_leaf=3");
            end_twins(t);
        }
}

static void trees_of_numbers_are_those_of_the_dense_copy(void **unused)
{
    (void)unused;
    check_no_races();
    static const char *const words[] = {"min_leaf=1", "min_leaf=3 max_leaves=50", "prune=cost",
                                        "criterion=absolute max_depth=4", "search=histogram"};
    for (int w = 0; w < SMR_COUNT(words); w++) {
        struct twins *t = make_twins(1511, 47,
                                     w % 2    ? GAPS
                                     : w == 4 ? CATEGORIES
                                              : NUMBERS,
                                     120 + (uint64_t)w);
        if (w % 2) with_weights(t);
        check_twins(&smr_tree, t, words[w]);
        check_twins(&smr_stump, t, "min_leaf=3");
        end_twins(t);
    }
}

/* More values in a column than a byte has: ranks; and subtrees with entries of their own. */
static void trees_of_many_rows_are_those_of_the_dense_copy(void **unused)
{
    (void)unused;
    struct twins *t = make_twins(9001, CHECK_LESS ? 17 : 43, GAPS, 140);
    check_twins(&smr_tree, t, "min_leaf=2");
    to_classes(t, 2);
    check_twins(&smr_tree, t, "min_leaf=1");
    with_weights(t);
    check_twins(&smr_stump, t, "min_leaf=1");
    end_twins(t);
    t = make_twins(8009, CHECK_LESS ? 13 : 31, ONE_SIGN, 141);
    to_classes(t, 2);
    with_weights(t);
    check_twins(&smr_stump, t, "min_leaf=1");
    check_twins(&smr_tree, t, "max_depth=7");
    end_twins(t);
}

/* Counts 0 .. 255, all of them. */
static void bytes_in_sparse_rows_are_those_of_the_dense_copy(void **unused)
{
    (void)unused;
    check_no_races();
    struct twins *t = make_twins(6007, 29, ONE_SIGN, 150);
    for (int64_t i = 0, k = 0; i < t->n; i++)
        for (int64_t e = t->start[i]; e < t->start[i + 1]; e++) {
            int32_t j = t->column[e];
            if (j % 4 == 1) t->value[e] = t->x[i * t->d + j] = (double)(1 + (k++ * 7) % 255);
        }
    to_classes(t, 3);
    check_twins(&smr_tree, t, "min_leaf=1");
    end_twins(t);
}

static void odd_sparse_tables_grow_trees(void **unused)
{
    (void)unused;
    struct twins *t = make_twins(40, 31, NUMBERS, 160);
    check_twins(&smr_tree, t, "min_leaf=1");
    memset(t->start, 0, (size_t)(t->n + 1) * sizeof *t->start);
    memset(t->x, 0, (size_t)(t->n * t->d) * sizeof *t->x);
    check_twins(&smr_tree, t, "min_leaf=1");
    check_twins(&smr_stump, t, "min_leaf=1");
    end_twins(t);
    t = make_twins(1, 20, NUMBERS, 161);
    check_twins(&smr_tree, t, "min_leaf=1");
    end_twins(t);
}

static void failing_allocations_are_survived(void **unused)
{
    (void)unused;
    check_no_races();
    struct twins *t = make_twins(350, 37, GAPS, 80);
    check_failing_fits(&smr_boost, "rounds=2", &t->sparse);
    to_classes(t, 3);
    check_failing_fits(&smr_boost, "rounds=2 rows=0.5 min_leaf=2", &t->sparse);
    check_failing_fits(&smr_stump, "min_leaf=2", &t->sparse);
    end_twins(t);
    t = make_twins(5003, CHECK_LESS ? 7 : 23, GAPS, 81); /* ranks, and parts */
    check_failing_fits(&smr_tree, "max_depth=7 min_leaf=9", &t->sparse);
    end_twins(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bins_are_those_of_the_dense_copy),
        cmocka_unit_test(bins_of_many_rows_are_those_of_the_dense_copy),
        cmocka_unit_test(dense_rows_are_left_dense),
        cmocka_unit_test(boosted_numbers_are_those_of_the_dense_copy),
        cmocka_unit_test(boosted_classes_are_those_of_the_dense_copy),
        cmocka_unit_test(boosting_many_rows_gives_the_trees_of_the_dense_copy),
        cmocka_unit_test(monotone_sparse_columns_are_those_of_the_dense_copy),
        cmocka_unit_test(odd_sparse_tables_are_boosted),
        cmocka_unit_test(trees_of_classes_are_those_of_the_dense_copy),
        cmocka_unit_test(trees_of_numbers_are_those_of_the_dense_copy),
        cmocka_unit_test(trees_of_many_rows_are_those_of_the_dense_copy),
        cmocka_unit_test(bytes_in_sparse_rows_are_those_of_the_dense_copy),
        cmocka_unit_test(odd_sparse_tables_grow_trees),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
