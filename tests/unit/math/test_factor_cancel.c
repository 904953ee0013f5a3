/* test_factor_cancel.c -- a factorisation of order 5000 that is cancelled returns within 100 ms and
 * leaves nothing behind, at whatever moment.
 *
 * What is measured is the processor time that it still spends: the machine may be busy with other
 * tests.  Smaller ones are cancelled all along their way, so that every stage is met. */
#include "matrices.h"

#include <pthread.h>
#include <time.h>

struct run {
    smr_ctx *ctx;
    int64_t m, n;
    double *A, *tau, *U, *Vt;
    int64_t *order;
    int32_t *pivot;
};

static smr_status run_cholesky(struct run *r)
{
    int64_t at = 0;
    return smr_cholesky(r->ctx, r->n, r->A, r->m, &at);
}

static smr_status run_lu(struct run *r)
{
    int64_t at = 0;
    return smr_lu(r->ctx, r->n, r->A, r->m, r->pivot, &at);
}

static smr_status run_qr(struct run *r)
{
    return smr_qr(r->ctx, r->m, r->n, r->A, r->m, r->tau);
}

static smr_status run_pivoted(struct run *r)
{
    return smr_qr_pivoted(r->ctx, r->m, r->n, r->A, r->m, r->order, r->tau);
}

static smr_status run_eigen(struct run *r)
{
    return smr_eigen(r->ctx, r->n, r->A, r->m, r->tau);
}

static smr_status run_svd(struct run *r)
{
    return smr_svd(r->ctx, r->m, r->n, r->A, r->m, r->tau, r->U, r->m, r->Vt, r->n);
}

static const struct {
    const char *name;
    smr_status (*run)(struct run *r);
} works[] = {{"cholesky", run_cholesky}, {"lu", run_lu},       {"qr", run_qr},
             {"pivoted", run_pivoted},   {"eigen", run_eigen}, {"svd", run_svd}};

static double spent(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct cancel {
    smr_ctx *ctx;
    double after;        /* seconds of processor time */
    _Atomic double from; /* spent when it was cancelled; 0: not yet */
    _Atomic bool is_over;
};

static void *cancel_later(void *arg)
{
    struct cancel *c = arg;
    struct timespec moment = {0, 200000};
    double begin = spent();
    while (spent() - begin < c->after && !c->is_over) nanosleep(&moment, NULL);
    if (c->is_over) return NULL;
    c->from = spent();
    smr_ctx_cancel(c->ctx);
    return NULL;
}

/* Cancels the work after this many seconds of processor time; returns false when it was done
 * before. */
static bool cancel_after(struct run *r, int64_t w, double after, double most)
{
    pthread_t thread;
    struct cancel c = {.ctx = r->ctx, .after = after};
    int64_t before = smr_ctx_memory(r->ctx, NULL);
    matrix_fill(MATRIX_RANDOM, r->m, r->n, r->A, r->m, 1);
    for (int64_t j = 0; j < r->n && w == 0; j++) r->A[j + j * r->m] += (double)r->n;
    assert_int_equal(pthread_create(&thread, NULL, cancel_later, &c), 0);
    smr_status st = works[w].run(r);
    double end = spent(), from = c.from;
    c.is_over = true;
    pthread_join(thread, NULL);
    assert_true(smr_ctx_memory(r->ctx, NULL) == before);
    smr_ctx_clear(r->ctx);
    if (st == SMR_OK) return false;
    assert_int_equal(st, SMR_ERR_CANCELLED);
    if (end - from > most)
        fail_msg("%s cancelled after %.3f s: %.3f s more were spent", works[w].name, after,
                 end - from);
    return true;
}

static struct run prepare(smr_ctx *ctx, int64_t m, int64_t n)
{
    struct run r = {ctx, m, n, matrix_new(m * n), matrix_new(m), NULL, NULL, NULL, NULL};
    r.U = matrix_new(m * n);
    r.Vt = matrix_new(n * n);
    r.order = calloc((size_t)n, sizeof *r.order);
    r.pivot = calloc((size_t)n, sizeof *r.pivot);
    smr_update u = {300, 300, 300, {r.U, 1, 300}, {r.U, 1, 300}, r.A, 300, false, false};
    check_ok(ctx, smr_update_run(ctx, &u)); /* the pool's threads are there, and stay */
    return r;
}

static void end(struct run *r)
{
    free(r->A), free(r->tau), free(r->U), free(r->Vt), free(r->order), free(r->pivot);
}

static void order_5000_returns_within_100_ms(void **state)
{
    (void)state;
    if (CHECK_MEMORY || CHECK_RACES) skip(); /* they slow everything down */
    smr_ctx *ctx = check_ctx(2);
    struct run r = prepare(ctx, 5000, 5000);
    for (int64_t w = 0; w < SMR_COUNT(works); w++)
        assert_true(cancel_after(&r, w, 0.15, 2 * 0.1)); /* two threads spend twice */
    end(&r);
    check_ctx_end(ctx);
}

static void every_stage_can_be_left(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    struct run r = prepare(ctx, 700, 700);
    if (CHECK_MEMORY || CHECK_RACES) r.m = r.n = 200;
    for (int64_t w = 0; w < SMR_COUNT(works); w++)
        for (double after = 0.0005; after < 2 && cancel_after(&r, w, after, 0.2);)
            after *= CHECK_MEMORY || CHECK_RACES ? 4 : 1.4;
    end(&r);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_5000_returns_within_100_ms),
        cmocka_unit_test(every_stage_can_be_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
