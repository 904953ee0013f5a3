/* Chains of hidden states.
 *
 * Truth: sums and maxima over all paths of tiny chains; for long ones the recursions as they are
 * written in books, in long double, with every row kept; the model of rainy days
 * (tests/truth/hidden_states.py). */
#include "pipeline.h"

#include "core/rng.h"
#include "kernel/kernel.h"
#include "math/hidden_chain.h"

#include "truth/hidden_states.h"

enum { SYMBOLS = 5, TINY = 6 };

/* A chain over symbols, -1: a gap. */
struct model {
    int64_t n;
    double *start, *move, *emit; /* n; n x n; SYMBOLS x n */
    const int8_t *seen;
    double *table, *log_table, *gap, *log_gap;
    int64_t width;
    smr_hidden *h;
    smr_hidden_seen how;
};

static double unit(int a, int64_t i)
{
    return smr_random_unit(5, SMR_STREAM_TEST, (uint64_t)a, (uint64_t)i);
}

static void tell(const void *of, int64_t lo, int64_t hi, bool logs, void *room, const double **row,
                 double *shift)
{
    const struct model *m = of;
    (void)room;
    for (int64_t i = lo; i < hi; i++) {
        int symbol = m->seen[i];
        shift[i - lo] = 0;
        if (symbol < 0)
            row[i - lo] = logs ? m->log_gap : m->gap;
        else
            row[i - lo] = (logs ? m->log_table : m->table) + symbol * m->width;
    }
}

static void ready(smr_ctx *ctx, struct model *m)
{
    check_ok(ctx, smr_hidden_create(ctx, m->n, &m->h));
    m->width = m->h->width;
    m->gap = m->h->gap;
    m->log_gap = m->h->log_gap;
    m->table = calloc((size_t)(SYMBOLS * m->width), sizeof *m->table);
    m->log_table = calloc((size_t)(SYMBOLS * m->width), sizeof *m->table);
    for (int64_t s = 0; s < SYMBOLS; s++)
        for (int64_t j = 0; j < m->n; j++) m->table[s * m->width + j] = m->emit[s * m->n + j];
    smr_log_f64(SYMBOLS * m->width, m->table, m->log_table);
    smr_hidden_set(m->h, m->start, m->move);
    m->how = (smr_hidden_seen){.of = m, .width = m->width, .room = 8, .tell = tell};
}

static void random_model(smr_ctx *ctx, struct model *m, int64_t n, int seed)
{
    *m = (struct model){.n = n};
    m->start = calloc((size_t)n, sizeof *m->start);
    m->move = calloc((size_t)(n * n), sizeof *m->move);
    m->emit = calloc((size_t)(n * SYMBOLS), sizeof *m->emit);
    for (int64_t i = -1; i < n; i++) {
        double sum = 0, *row = i < 0 ? m->start : m->move + i * n;
        for (int64_t j = 0; j < n; j++)
            sum += row[j] = (i + j) % 5 == 2 ? 0 : 0.1 + unit(seed, i * n + j + 9);
        for (int64_t j = 0; j < n; j++) row[j] /= sum;
    }
    for (int64_t k = 0; k < n * SYMBOLS; k++) m->emit[k] = 0.01 + unit(seed + 1, k);
    ready(ctx, m);
}

static void drop(struct model *m)
{
    smr_hidden_free(m->h);
    free(m->start);
    free(m->move);
    free(m->emit);
    free(m->table);
    free(m->log_table);
}

static int8_t *random_symbols(int64_t n, int seed)
{
    int8_t *seen = calloc((size_t)n + 1, 1);
    for (int64_t i = 0; i < n; i++)
        seen[i] = (int8_t)(unit(seed, i) < 0.05 ? -1 : (int)(unit(seed + 1, i) * SYMBOLS));
    return seen;
}

/* What a run says: log-likelihoods, paths, posteriors and counts of moves. */
struct said {
    double *likely, *visited, *posterior, *moves;
    int32_t *path;
    int64_t n;
};

struct noting {
    const struct model *m;
    struct said *to;
    double *part; /* n_tasks x n x n */
};

static smr_status note(smr_ctx *ctx, void *arg, int64_t task, const smr_hidden_block *b)
{
    struct noting *t = arg;
    int64_t n = t->m->n, width = t->m->width;
    (void)ctx;
    for (int64_t i = 0; i < b->n; i++)
        memcpy(t->to->posterior + (b->lo + i) * n, b->posterior + i * width,
               (size_t)n * sizeof(double));
    for (int64_t t_ = 0; t_ < b->n_moves; t_++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                t->part[(task * n + i) * n + j] +=
                    t->m->move[i * n + j] * b->from[t_ * width + i] * b->to[t_ * width + j];
    return SMR_OK;
}

static struct said ask(smr_ctx *ctx, const struct model *m, int64_t n_sequences,
                       const int64_t *border)
{
    int64_t rows = border[n_sequences], tasks = 5, n = m->n;
    struct said s = {.n = n_sequences};
    smr_hidden_run *run = NULL;
    s.likely = calloc((size_t)n_sequences + 1, 8);
    s.visited = calloc((size_t)n_sequences + 1, 8);
    s.posterior = calloc((size_t)(rows * n) + 1, 8);
    s.path = calloc((size_t)rows + 1, sizeof *s.path);
    s.moves = calloc((size_t)(n * n), 8);
    struct noting t = {m, &s, calloc((size_t)(tasks * n * n), 8)};
    check_ok(ctx, smr_hidden_open(ctx, m->h, &m->how, n_sequences, border, &run));
    check_ok(ctx, smr_hidden_score(ctx, run, s.likely));
    check_ok(ctx, smr_hidden_path(ctx, run, s.path));
    check_ok(ctx, smr_hidden_visit(ctx, run, tasks, NULL, note, &t, s.visited));
    for (int64_t k = 0; k < tasks * n * n; k++) s.moves[k % (n * n)] += t.part[k];
    free(t.part);
    smr_hidden_close(run);
    return s;
}

static void forget(struct said *s)
{
    free(s->likely);
    free(s->visited);
    free(s->posterior);
    free(s->path);
    free(s->moves);
}

static long double shown(const struct model *m, int64_t t, int64_t j)
{
    return m->seen[t] < 0 ? 1 : m->emit[m->seen[t] * m->n + j];
}

/* ---- all paths -------------------------------------------------------------------------- */

/* The probability of path number k of T steps with the observations from lo on. */
static long double path_probability(const struct model *m, int64_t lo, int64_t T, int64_t k)
{
    long double p = 1;
    int64_t last = -1;
    for (int64_t t = 0; t < T; t++, k /= m->n) {
        int64_t j = k % m->n;
        p *= (last < 0 ? m->start[j] : m->move[last * m->n + j]) * shown(m, lo + t, j);
        last = j;
    }
    return p;
}

static void check_against_all_paths(const struct model *m, const struct said *s, int64_t q,
                                    int64_t lo, int64_t T)
{
    int64_t paths = 1, best = 0, n = m->n, mine = 0, scale = 1;
    long double total = 0, top = -1, at[TINY * 4] = {0};
    for (int64_t t = 0; t < T; t++) paths *= n;
    for (int64_t k = 0; k < paths; k++) {
        long double p = path_probability(m, lo, T, k);
        total += p;
        if (p > top) {
            top = p;
            best = k;
        }
        for (int64_t t = 0, rest = k; t < T; t++, rest /= n) at[t * n + rest % n] += p;
    }
    check_near("log-likelihood", s->likely[q], (double)logl(total), 1e-13);
    check_near("visited", s->visited[q], (double)logl(total), 1e-13);
    for (int64_t t = 0; t < T; t++, scale *= n) mine += s->path[lo + t] * scale;
    check_near("path", (double)path_probability(m, lo, T, mine), (double)top, 1e-14);
    (void)best;
    for (int64_t k = 0; k < T * n; k++)
        check_near("posterior", s->posterior[lo * n + k], (double)(at[k] / total), 1e-13);
}

static void tiny_chains_are_sums_over_all_paths(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t n = 1; n <= 4; n++) {
        struct model m;
        int64_t border[] = {0, 1, 1, 1 + TINY, 4 + TINY, 9 + TINY};
        random_model(ctx, &m, n, (int)(10 + n));
        int8_t *seen = random_symbols(border[5], (int)(20 + n));
        m.seen = seen;
        struct said s = ask(ctx, &m, 5, border);
        for (int64_t q = 0; q < 5; q++)
            if (border[q] < border[q + 1])
                check_against_all_paths(&m, &s, q, border[q], border[q + 1] - border[q]);
        assert_true(s.likely[1] == 0 && s.visited[1] == 0); /* the empty one */
        double moves = 0;
        for (int64_t k = 0; k < n * n; k++) moves += s.moves[k];
        check_near("moves", moves, (double)(border[5] - 4), 1e-13);
        forget(&s);
        drop(&m);
        free(seen);
    }
    check_ctx_end(ctx);
}

/* ---- rainy days ------------------------------------------------------------------------- */

static void the_model_of_rainy_days(void **state)
{
    double start[] = {0.6, 0.4}, move[] = {0.7, 0.3, 0.4, 0.6};
    double emit[SYMBOLS * 2] = {0.5, 0.1, 0.4, 0.3, 0.1, 0.6};
    static const int8_t seen[] = {0, 1, 2};
    int64_t border[] = {0, 3};
    struct model m = {.n = 2, .start = start, .move = move, .emit = emit, .seen = seen};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    ready(ctx, &m);
    struct said s = ask(ctx, &m, 1, border);
    check_near("P(O)", exp(s.likely[0]), 0.03628, 1e-14);
    check_near("P(O)", exp(s.likely[0]), RAINY_SUM, 1e-14);
    check_near("best",
               (double)path_probability(&m, 0, 3, s.path[0] + 2 * s.path[1] + 4 * s.path[2]),
               0.01512, 1e-15);
    check_near("best", RAINY_BEST, 0.01512, 1e-15);
    for (int t = 0; t < 3; t++) assert_int_equal(s.path[t], RAINY_PATH[t]);
    forget(&s);
    smr_hidden_free(m.h);
    free(m.table);
    free(m.log_table);
    check_ctx_end(ctx);
}

/* ---- long sequences --------------------------------------------------------------------- */

/* Forward, backward and Viterbi as books have them, of one sequence. */
static void check_against_books(const struct model *m, const struct said *s, int64_t T)
{
    int64_t n = m->n;
    long double *a = calloc((size_t)(T * n), sizeof *a), *b = calloc((size_t)(T * n), sizeof *b);
    long double likely = 0;
    for (int64_t t = 0; t < T; t++) {
        long double sum = 0;
        for (int64_t j = 0; j < n; j++) {
            long double p = t ? 0 : m->start[j];
            for (int64_t i = 0; t && i < n; i++) p += a[(t - 1) * n + i] * m->move[i * n + j];
            sum += a[t * n + j] = p * shown(m, t, j);
        }
        for (int64_t j = 0; j < n; j++) a[t * n + j] /= sum;
        likely += logl(sum);
    }
    /* Sums of thousands of rounded logarithms. */
    check_near("score", s->likely[0], (double)likely, 1e-13);
    check_near("visit", s->visited[0], (double)likely, 1e-13);
    for (int64_t t = T - 1; t >= 0; t--) {
        long double sum = 0, both = 0;
        for (int64_t i = 0; i < n; i++) {
            long double p = t == T - 1;
            for (int64_t j = 0; t < T - 1 && j < n; j++)
                p += m->move[i * n + j] * shown(m, t + 1, j) * b[(t + 1) * n + j];
            sum += b[t * n + i] = p;
        }
        for (int64_t i = 0; i < n; i++) both += a[t * n + i] * (b[t * n + i] /= sum);
        for (int64_t i = 0; i < n; i++)
            check_near("posterior", s->posterior[t * n + i],
                       (double)(a[t * n + i] * b[t * n + i] / both), 1e-12);
    }
    /* The path is as likely as the best, to rounding. */
    long double mine = 0;
    for (int64_t t = 0; t < T; t++) {
        int64_t j = s->path[t];
        mine += logl((t ? m->move[s->path[t - 1] * n + j] : m->start[j]) * shown(m, t, j));
        for (int64_t k = 0; k < n; k++) {
            long double best = t ? -INFINITY : logl(m->start[k]);
            for (int64_t i = 0; t && i < n; i++)
                best = fmaxl(best, a[(t - 1) * n + i] + logl(m->move[i * n + k]));
            b[k] = best + logl(shown(m, t, k));
        }
        memcpy(a + t * n, b, (size_t)n * sizeof *a);
    }
    long double best = -INFINITY;
    for (int64_t k = 0; k < n; k++) best = fmaxl(best, a[(T - 1) * n + k]);
    check_near("the best path", (double)mine, (double)best, 1e-13);
    free(a);
    free(b);
}

static void long_sequences_are_as_in_books(void **state)
{
    static const int64_t sizes[] = {1, 2, 3, 8, 9, 16, 17, 40};
    smr_ctx *ctx = check_ctx(2);
    (void)state;
    for (int k = 0; k < SMR_COUNT(sizes); k++) {
        struct model m;
        random_model(ctx, &m, sizes[k], 30 + k);
        int64_t T = 3 * smr_hidden_block_length(m.width) + 77, border[] = {0, T};
        int8_t *seen = random_symbols(T, 50 + k);
        m.seen = seen;
        struct said s = ask(ctx, &m, 1, border);
        check_against_books(&m, &s, T);
        forget(&s);
        drop(&m);
        free(seen);
    }
    check_ctx_end(ctx);
}

static void threads_do_not_change_a_bit(void **state)
{
    static const int threads[] = {1, 2, 7};
    struct said said[3];
    int64_t border[] = {0, 5000, 5001, 5001, 9000, 9100, 14000};
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct model m;
        smr_ctx *ctx = check_ctx(threads[k]);
        random_model(ctx, &m, 11, 70);
        int8_t *seen = random_symbols(border[6], 80);
        m.seen = seen;
        said[k] = ask(ctx, &m, 6, border);
        drop(&m);
        free(seen);
        check_ctx_end(ctx);
    }
    for (int k = 1; k < 3; k++) {
        assert_memory_equal(said[0].likely, said[k].likely, 6 * 8);
        assert_memory_equal(said[0].visited, said[k].visited, 6 * 8);
        assert_memory_equal(said[0].path, said[k].path, 14000 * sizeof(int32_t));
        assert_memory_equal(said[0].posterior, said[k].posterior, 14000 * 11 * 8);
        assert_memory_equal(said[0].moves, said[k].moves, 11 * 11 * 8);
    }
    for (int k = 0; k < 3; k++) forget(&said[k]);
}

/* One state and one symbol of probability p: T log p, with no underflow on the way. */
static void a_million_steps_do_not_underflow(void **state)
{
    enum { T = 1000000 };
    double start[] = {0.5, 0.5}, move[] = {0.5, 0.5, 0.5, 0.5}, emit[SYMBOLS * 2];
    int8_t *seen = calloc(T, 1);
    int64_t border[] = {0, T};
    smr_ctx *ctx = check_ctx(2);
    struct model m = {.n = 2, .start = start, .move = move, .emit = emit, .seen = seen};
    (void)state;
    for (int k = 0; k < SYMBOLS * 2; k++) emit[k] = 1e-9;
    ready(ctx, &m);
    struct said s = ask(ctx, &m, 1, border);
    check_near("a million steps", s.likely[0], T * log(1e-9), 1e-13);
    check_near("and visited", s.visited[0], T * log(1e-9), 1e-13);
    for (int64_t i = 0; i < 2 * T; i += 999) check_near("half", s.posterior[i], 0.5, 1e-12);
    forget(&s);
    smr_hidden_free(m.h);
    free(m.table);
    free(m.log_table);
    free(seen);
    check_ctx_end(ctx);
}

/* ---- what leaves nothing ---------------------------------------------------------------- */

/* A state that is certain shows something that others show 1e300 times as often: the step is made
 * in logarithms.  And what no state can show is a gap, with a score of -infinity. */
static void steps_that_leave_nothing_are_made_in_logarithms(void **state)
{
    double start[] = {1, 0}, move[] = {1, 0, 0, 1};
    double emit[SYMBOLS * 2] = {0.5, 0.5, 1e-280, 1, 0, 1, 0, 0};
    static const int8_t seen[] = {0, 1, 0, 1, 1, 0, 0, 2, 0, 3};
    int64_t border[] = {0, 6, 8, 10};
    struct model m = {.n = 2, .start = start, .move = move, .emit = emit, .seen = seen};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    ready(ctx, &m);
    struct said s = ask(ctx, &m, 3, border);
    check_near("certain and unlikely", s.likely[0], 3 * log(0.5) + 3 * log(1e-280), 1e-14);
    assert_true(s.visited[0] == s.likely[0]);
    for (int64_t t = 0; t < 10; t++) {
        assert_int_equal(s.path[t], 0);
        check_near("certain", s.posterior[2 * t], 1, 1e-15);
    }
    assert_true(s.likely[1] == -INFINITY && s.likely[2] == -INFINITY);
    assert_true(s.visited[1] == -INFINITY && s.visited[2] == -INFINITY);
    forget(&s);
    smr_hidden_free(m.h);
    free(m.table);
    free(m.log_table);
    check_ctx_end(ctx);
}

struct attempt {
    const struct model *m;
};

static smr_status run_all(smr_ctx *ctx, void *arg)
{
    const struct attempt *a = arg;
    static const int64_t border[] = {0, 3, 4500};
    smr_status st;
    smr_hidden *h = NULL;
    smr_hidden_run *run = NULL;
    double likely[2];
    int32_t *path = calloc(4500, sizeof *path);
    st = smr_hidden_create(ctx, a->m->n, &h);
    if (st == SMR_OK) {
        smr_hidden_set(h, a->m->start, a->m->move);
        st = smr_hidden_open(ctx, h, &a->m->how, 2, border, &run);
    }
    if (st == SMR_OK) st = smr_hidden_score(ctx, run, likely);
    if (st == SMR_OK) st = smr_hidden_path(ctx, run, path);
    smr_hidden_close(run);
    smr_hidden_free(h);
    free(path);
    return st;
}

static void every_allocation_may_fail(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    struct model m;
    (void)state;
    random_model(ctx, &m, 3, 90);
    int8_t *seen = random_symbols(4500, 91);
    m.seen = seen;
    struct attempt a = {&m};
    assert_true(fail_each_allocation(ctx, run_all, &a) > 20);
    drop(&m);
    free(seen);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiny_chains_are_sums_over_all_paths),
        cmocka_unit_test(the_model_of_rainy_days),
        cmocka_unit_test(long_sequences_are_as_in_books),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(a_million_steps_do_not_underflow),
        cmocka_unit_test(steps_that_leave_nothing_are_made_in_logarithms),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
