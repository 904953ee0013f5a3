/* Steps along chains of hidden states: bits of their plain forms on every tier, for every number of
 * states from 1 to 40, in both directions. */
#include "check.h"

#include "core/rng.h"
#include "kernel/ref.h"

enum { MOST = 40, STEPS = 19, ROWS = 53, D = 5 };

static double unit(int a, int64_t i)
{
    return smr_random_unit(3, SMR_STREAM_TEST, (uint64_t)a, (uint64_t)i);
}

struct tables {
    double move[MOST * MOST], log_move[MOST * MOST], emit[STEPS * MOST], log_emit[STEPS * MOST];
    const double *row[STEPS], *log_row[STEPS];
    double from[MOST], after[2][STEPS * MOST], before[2][STEPS * MOST], sum[2][STEPS];
    double a[2][STEPS * MOST], p[2][STEPS * MOST];
    int32_t path[2][STEPS];
};

static void fill(struct tables *t, int64_t n, int64_t width)
{
    memset(t, 0, sizeof *t);
    for (int64_t i = 0; i < n; i++) {
        t->from[i] = unit(1, i);
        for (int64_t j = 0; j < n; j++)
            t->move[i * width + j] = (i + j) % 7 == 3 ? 0 : unit(2, i * n + j);
    }
    for (int64_t s = 0; s < STEPS; s++) {
        for (int64_t j = 0; j < n; j++) t->emit[s * width + j] = unit(3, s * n + j);
        t->row[s] = t->emit + s * width;
        t->log_row[s] = t->log_emit + s * width;
    }
    for (int64_t k = 0; k < n * width; k++) t->log_move[k] = log(t->move[k]);
    for (int64_t k = 0; k < STEPS * width; k++) t->log_emit[k] = log(t->emit[k]);
}

static smr_chain chain_of(struct tables *t, int64_t n, int64_t width, int64_t order, int which)
{
    int64_t at = order > 0 ? 0 : STEPS - 1;
    return (smr_chain){.n = n,
                       .width = width,
                       .move = t->move,
                       .emit = t->row + at,
                       .order = order,
                       .before = t->before[which] + at * width,
                       .after = t->after[which] + at * width,
                       .sum = t->sum[which] + at};
}

static void check_bits_of(const char *what, int64_t n, const void *a, const void *b, size_t size)
{
    if (memcmp(a, b, size) != 0) fail_msg("%s of %lld states: other bits", what, (long long)n);
}

static void check_steps(struct tables *t, int64_t n, int64_t order)
{
    int64_t width = (n + 7) / 8 * 8;
    size_t rows = (size_t)(STEPS * width) * sizeof(double);
    double next[STEPS];
    fill(t, n, width);
    smr_chain c = chain_of(t, n, width, order, 0), r = chain_of(t, n, width, order, 1);
    assert_int_equal(smr_chain_sum_f64(STEPS, &c, t->from, 0.7, 1e-200), STEPS);
    assert_int_equal(smr_ref_chain_sum_f64(STEPS, &r, t->from, 0.7, 1e-200), STEPS);
    check_bits_of("sums", n, t->after[0], t->after[1], rows);
    check_bits_of("rows before", n, t->before[0], t->before[1], rows);
    check_bits_of("their sums", n, t->sum[0], t->sum[1], sizeof t->sum[0]);
    for (int k = 0; k < 2; k++) memcpy(t->a[k], t->after[0], rows);
    for (int s = 0; s < STEPS; s++) next[s] = 0.3 + unit(5, s);
    assert_int_equal(
        smr_chain_meet_f64(STEPS, width, 1.25, 1e-200, next, t->a[0], t->before[0], t->p[0]),
        STEPS);
    smr_ref_chain_meet_f64(STEPS, width, 1.25, 1e-200, next, t->a[1], t->before[0], t->p[1]);
    check_bits_of("posteriors", n, t->p[0], t->p[1], rows);
    check_bits_of("what meets them", n, t->a[0], t->a[1], rows);
    c.move = r.move = t->log_move;
    c.emit = r.emit = t->log_row + (order > 0 ? 0 : STEPS - 1);
    smr_chain_max_f64(STEPS, &c, t->from);
    smr_ref_chain_max_f64(STEPS, &r, t->from);
    check_bits_of("maxima", n, t->after[0], t->after[1], rows);
    int64_t last = order > 0 ? STEPS - 1 : 0;
    const double *table = t->after[0] + last * width;
    smr_chain_trace_f64(STEPS, width, -order, table, t->log_move, n - 1, t->path[0] + last);
    smr_ref_chain_trace_f64(STEPS, width, -order, table, t->log_move, n - 1, t->path[1] + last);
    check_bits_of("the way back", n, t->path[0], t->path[1], sizeof t->path[0]);
}

/* A row that leaves nothing ends the steps; ties go to the first. */
static void check_ends(struct tables *t, int64_t n)
{
    int64_t width = (n + 7) / 8 * 8;
    int32_t path = 7;
    fill(t, n, width);
    for (int64_t i = 0; i < n; i++) t->move[i * width] = 0.5;
    for (int64_t j = 0; j < width; j++) t->emit[4 * width + j] = 0;
    smr_chain c = chain_of(t, n, width, 1, 0);
    assert_int_equal(smr_chain_sum_f64(STEPS, &c, t->from, 0.7, 1e-200), 4);
    for (int64_t j = 0; j < width; j++) t->from[j] = j < n ? 1.5 : -INFINITY;
    memset(t->log_move, 0, sizeof t->log_move);
    smr_chain_trace_f64(1, width, 1, t->from, t->log_move, 0, &path);
    assert_int_equal(path, 0);
}

/* Two chains in turn are the two one after the other; where one ends, both do. */
static void check_both(struct tables *t, int64_t n, int64_t ends)
{
    int64_t width = (n + 7) / 8 * 8;
    struct tables *u = malloc(sizeof *u);
    const double sums[2] = {0.7, 1.3};
    double other[MOST];
    fill(t, n, width);
    for (int64_t j = 0; j < width; j++) other[j] = j < n ? unit(9, j) : 0;
    for (int64_t j = 0; ends >= 0 && j < width; j++) t->emit[ends * width + j] = 0;
    *u = *t;
    for (int64_t s = 0; s < STEPS; s++) u->row[s] = u->emit + s * width;
    const double *const from[2] = {t->from, other};
    smr_chain a = chain_of(t, n, width, 1, 0), b = chain_of(t, n, width, -1, 1);
    smr_chain c = chain_of(u, n, width, 1, 0), d = chain_of(u, n, width, -1, 1);
    int64_t made = smr_chain_both_f64(STEPS, &a, &b, from, sums, 1e-200);
    assert_int_equal(made, smr_ref_chain_both_f64(STEPS, &c, &d, from, sums, 1e-200));
    assert_int_equal(made, ends < 0 ? STEPS : SMR_MIN(ends, STEPS - 1 - ends));
    size_t rows = (size_t)(made * width) * sizeof(double);
    int64_t at = STEPS - made;
    check_bits_of("the first of two", n, t->after[0], u->after[0], rows);
    check_bits_of("the second of two", n, t->after[1] + at * width, u->after[1] + at * width, rows);
    check_bits_of("rows before", n, t->before[0], u->before[0], rows);
    check_bits_of("rows before", n, t->before[1] + at * width, u->before[1] + at * width, rows);
    check_bits_of("sums", n, t->sum[0], u->sum[0], (size_t)made * sizeof(double));
    check_bits_of("sums", n, t->sum[1] + at, u->sum[1] + at, (size_t)made * sizeof(double));
    free(u);
}

/* States as lanes, also where one is far away, and where all are impossible; padding is 0. */
static void check_normals(int64_t n, int64_t d)
{
    enum { MANY = 300, LONG = D + 2 };
    int64_t width = (n + 7) / 8 * 8;
    static double X[MANY * LONG], out[2][MANY * MOST], p[MANY * MOST];
    double mean[D * MOST] = {0}, scale[D * MOST] = {0}, peak[MOST], top[2][MANY];
    double sum[2][D * MOST], square[2][D * MOST], all[2][MOST];
    smr_normals of = {d, n, width, mean, scale, peak};
    for (int64_t k = 0; k < MANY * LONG; k++) X[k] = unit(10, k) * 4 - 2;
    X[7 * LONG] = 1e5; /* far from all states, but from one farther than from another */
    for (int64_t j = 0; j < width; j++) peak[j] = j < n ? -unit(11, j) : -INFINITY;
    for (int64_t k = 0; k < d; k++)
        for (int64_t j = 0; j < n; j++) {
            mean[k * width + j] = unit(12, k * n + j) * 3;
            scale[k * width + j] = 0.5 + unit(13, k * n + j) * (double)(j % 3 ? 1 : 9);
        }
    for (int64_t k = 0; k < MANY * width; k++) p[k] = k % width < n ? unit(14, k) : 0;
    for (int which = 0; which < 2; which++)
        for (int64_t k = 0; k < D * MOST; k++) sum[which][k] = square[which][k] = unit(15, k);
    memset(all, 0, sizeof all);
    for (int64_t rows = MANY - 1; rows > MANY - 3; rows--) {
        size_t size = (size_t)(rows * width) * sizeof(double);
        smr_normals_logs_f64(rows, &of, X, LONG, out[0]);
        smr_ref_normals_logs_f64(rows, &of, X, LONG, out[1]);
        check_bits_of("log-densities", n, out[0], out[1], size);
        memset(out, 0x7f, sizeof out);
        smr_normals_rows_f64(rows, &of, X, LONG, out[0], top[0]);
        smr_ref_normals_rows_f64(rows, &of, X, LONG, out[1], top[1]);
        check_bits_of("densities", n, out[0], out[1], size);
        check_bits_of("their largest", n, top[0], top[1], (size_t)rows * sizeof(double));
    }
    smr_normals_moments_f64(MANY, &of, X, LONG, p, sum[0], square[0]);
    smr_ref_normals_moments_f64(MANY, &of, X, LONG, p, sum[1], square[1]);
    check_bits_of("moments", n, sum[0], sum[1], sizeof sum[0]);
    check_bits_of("squares", n, square[0], square[1], sizeof square[0]);
    smr_lanes_sum_f64(MANY, width, p, all[0]);
    smr_ref_lanes_sum_f64(MANY, width, p, all[1]);
    check_bits_of("sums of lanes", n, all[0], all[1], (size_t)width * sizeof(double));
}

static void check_densities(int64_t n)
{
    double X[D * ROWS], mean[D], scale[D * D], got[ROWS], want[ROWS];
    for (int64_t k = 0; k < D * ROWS; k++) X[k] = unit(6, k) * 4 - 2;
    for (int64_t k = 0; k < D; k++) mean[k] = unit(7, k);
    for (int64_t k = 0; k < D * D; k++) scale[k] = unit(8, k);
    smr_gauss_plain_f64(n, D, X, ROWS, mean, scale, -1.5, got);
    smr_ref_gauss_plain_f64(n, D, X, ROWS, mean, scale, -1.5, want);
    assert_memory_equal(got, want, (size_t)n * sizeof *got);
    smr_gauss_full_f64(n, D, X, ROWS, mean, scale, -1.5, got);
    smr_ref_gauss_full_f64(n, D, X, ROWS, mean, scale, -1.5, want);
    assert_memory_equal(got, want, (size_t)n * sizeof *got);
}

static void every_tier_has_the_bits_of_the_plain_forms(void **state)
{
    static const char *const tiers[] = {"base", "v3", "v4"};
    struct tables *t = malloc(sizeof *t);
    (void)state;
    for (int k = 0; k < 3; k++) {
        if (!smr_kernel_use(tiers[k])) continue;
        for (int64_t n = 1; n <= MOST; n++) {
            check_steps(t, n, 1);
            check_steps(t, n, -1);
            check_ends(t, n);
            check_both(t, n, -1);
            check_both(t, n, 6);
            for (int64_t d = 1; d <= D; d++) check_normals(n, d);
        }
        for (int64_t n = 1; n <= ROWS; n++) check_densities(n);
    }
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tier_has_the_bits_of_the_plain_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
