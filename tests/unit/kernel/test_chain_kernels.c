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
