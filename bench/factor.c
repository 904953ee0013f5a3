/* factor.c -- one factorisation of a random matrix, by samara or by OpenBLAS.
 *
 *     factor --work WORK --rows M --cols N [--side samara|openblas] [--threads N] [--seed N]
 *
 * WORK: cholesky, lu, qr, pivoted, eigen or svd (all vectors).  Prints the median of several runs
 * (more of short ones), the residual of the last against the matrix itself, over what rounding
 * explains (max(m, n) eps |A|, on one random vector), and a sum that both sides must share:
 * log |R_kk|, eigenvalues or singular values.  OpenBLAS is opened here, never linked. */
#include "math/factor.h"
#include "bench.h"
#include "core/rng.h"
#include "kernel/kernel.h"

#include <dlfcn.h>
#include <float.h>
#include <math.h>

enum { MOST_RUNS = 2001 };
static const double LEAST_SECONDS = 1.0, MOST_SECONDS = 30;

/* A (m x n) is kept; W is what a run works on.  The rest is what it leaves. */
struct job {
    smr_ctx *ctx;
    int64_t m, n;
    double *A, *W, *tau, *values, *U, *Vt;
    int64_t *order;
    int32_t *pivot;
    smr_tall_qr *tall;
    void *library;
    int threads;
};

static void *need(struct job *j, int64_t n, size_t size)
{
    void *p = smr_alloc(j->ctx, n + 1, size);
    if (!p) bench_check(j->ctx, SMR_ERR_NOMEM);
    return p;
}

/* ---- samara ----------------------------------------------------------------------------- */

static smr_status ours_cholesky(struct job *j)
{
    int64_t failed = -1;
    return smr_cholesky(j->ctx, j->n, j->W, j->n, &failed);
}

static smr_status ours_lu(struct job *j)
{
    int64_t singular = -1;
    return smr_lu(j->ctx, j->n, j->W, j->n, j->pivot, &singular);
}

/* Tall ones by the tree: R goes where dgeqrf would have left it. */
static smr_status ours_qr(struct job *j)
{
    if (j->m < 20 * j->n) return smr_qr(j->ctx, j->m, j->n, j->W, j->m, j->tau);
    smr_tall_qr_release(j->tall);
    j->tall = NULL;
    return smr_tall_qr_create(j->ctx, j->m, j->n, j->W, j->m, j->U, j->n, &j->tall);
}

static smr_status ours_pivoted(struct job *j)
{
    return smr_qr_pivoted(j->ctx, j->m, j->n, j->W, j->m, j->order, j->tau);
}

static smr_status ours_eigen(struct job *j)
{
    return smr_eigen(j->ctx, j->n, j->W, j->n, j->values);
}

static smr_status ours_svd(struct job *j)
{
    return smr_svd(j->ctx, j->m, j->n, j->W, j->m, j->values, j->U, j->m, j->Vt, j->n);
}

/* ---- OpenBLAS --------------------------------------------------------------------------- */

static void look_up(struct job *j, const char *name, void *function)
{
    void *address = dlsym(j->library, name);
    memcpy(function, &address, sizeof address);
    if (!address) {
        printf("{\"absent\": \"OpenBLAS without %s\"}\n", name);
        exit(0);
    }
}

static double *work;
static int work_size, *int_work, int_size;

/* Room that the first, asking call (size -1) named. */
static void take_room(struct job *j, double asked, int ints)
{
    if (work_size == -1) {
        work_size = (int)asked;
        int_size = ints;
        work = need(j, work_size, sizeof *work);
        int_work = need(j, int_size, sizeof *int_work);
    }
}

static smr_status theirs_cholesky(struct job *j)
{
    void (*dpotrf)(const char *, int *, double *, int *, int *, size_t) = NULL;
    int n = (int)j->n, info = 0;
    look_up(j, "dpotrf_", &dpotrf);
    dpotrf("L", &n, j->W, &n, &info, 1);
    return SMR_OK;
}

static smr_status theirs_lu(struct job *j)
{
    void (*dgetrf)(int *, int *, double *, int *, int *, int *) = NULL;
    int n = (int)j->n, info = 0;
    look_up(j, "dgetrf_", &dgetrf);
    dgetrf(&n, &n, j->W, &n, j->pivot, &info);
    for (int k = 0; k < n; k++) j->pivot[k]--;
    return SMR_OK;
}

static smr_status theirs_qr(struct job *j)
{
    void (*dgeqrf)(int *, int *, double *, int *, double *, double *, int *, int *) = NULL;
    int m = (int)j->m, n = (int)j->n, info = 0;
    double asked = 0;
    look_up(j, "dgeqrf_", &dgeqrf);
    for (int ask = work_size == -1; ask >= 0; ask--) {
        dgeqrf(&m, &n, j->W, &m, j->tau, work ? work : &asked, &work_size, &info);
        take_room(j, asked, 1);
    }
    return SMR_OK;
}

static smr_status theirs_pivoted(struct job *j)
{
    void (*dgeqp3)(int *, int *, double *, int *, int *, double *, double *, int *, int *) = NULL;
    int m = (int)j->m, n = (int)j->n, info = 0;
    double asked = 0;
    look_up(j, "dgeqp3_", &dgeqp3);
    for (int ask = work_size == -1; ask >= 0; ask--) {
        memset(j->pivot, 0, (size_t)n * sizeof *j->pivot);
        dgeqp3(&m, &n, j->W, &m, j->pivot, j->tau, work ? work : &asked, &work_size, &info);
        take_room(j, asked, 1);
    }
    for (int k = 0; k < n; k++) j->order[k] = j->pivot[k] - 1;
    return SMR_OK;
}

static smr_status theirs_eigen(struct job *j)
{
    void (*dsyevd)(const char *, const char *, int *, double *, int *, double *, double *, int *,
                   int *, int *, int *, size_t, size_t) = NULL;
    int n = (int)j->n, info = 0, ints = 0;
    double asked = 0;
    look_up(j, "dsyevd_", &dsyevd);
    for (int ask = work_size == -1; ask >= 0; ask--) {
        dsyevd("V", "L", &n, j->W, &n, j->values, work ? work : &asked, &work_size,
               int_work ? int_work : &ints, &int_size, &info, 1, 1);
        take_room(j, asked, ints);
    }
    return SMR_OK;
}

static smr_status theirs_svd(struct job *j)
{
    void (*dgesdd)(const char *, int *, int *, double *, int *, double *, double *, int *, double *,
                   int *, double *, int *, int *, int *, size_t) = NULL;
    int m = (int)j->m, n = (int)j->n, info = 0;
    double asked = 0;
    look_up(j, "dgesdd_", &dgesdd);
    for (int ask = work_size == -1; ask >= 0; ask--) {
        dgesdd("S", &m, &n, j->W, &m, j->values, j->U, &m, j->Vt, &n, work ? work : &asked,
               &work_size, int_work, &info, 1);
        take_room(j, asked, 8 * n);
    }
    return SMR_OK;
}

static void open_library(struct job *j)
{
    void (*set_threads)(int) = NULL;
    j->library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!j->library) {
        printf("{\"absent\": \"no libopenblas.so.0\"}\n");
        exit(0);
    }
    look_up(j, "openblas_set_num_threads", &set_threads);
    set_threads(j->threads);
}

/* ---- the residual ----------------------------------------------------------------------- */

/* y = A x or A' x; part: entries with `low <= i - j <= high` count, the diagonal as 1 if unit. */
struct part {
    int64_t low, high;
    bool unit;
};
static const struct part ALL = {INT32_MIN, INT32_MAX, false}, LOWER = {0, INT32_MAX, false};
static const struct part UPPER = {INT32_MIN, 0, false}, BELOW = {0, INT32_MAX, true};

static void times(const double *A, int64_t m, int64_t n, int64_t ld, struct part p, const double *x,
                  double *y)
{
    memset(y, 0, (size_t)m * sizeof *y);
    for (int64_t j = 0; j < n; j++) {
        int64_t lo = SMR_MAX(0, j + p.low), hi = SMR_MIN(m, j + p.high + 1);
        if (p.unit) {
            y[j] += x[j];
            lo = j + 1;
        }
        if (lo < hi) smr_axpy_f64(hi - lo, x[j], A + lo + j * ld, y + lo);
    }
}

static void times_turned(const double *A, int64_t m, int64_t n, int64_t ld, struct part p,
                         const double *x, double *y)
{
    for (int64_t j = 0; j < n; j++) {
        int64_t lo = SMR_MAX(0, j + p.low), hi = SMR_MIN(m, j + p.high + 1);
        y[j] = lo < hi ? smr_dot_f64(hi - lo, A + lo + j * ld, x + lo) : 0;
    }
}

/* `got` and `want` on one random vector x, in room for 3 max(m, n) each. */
static void both_sides(struct job *j, const char *what, double *x, double *got, double *want)
{
    int64_t m = j->m, n = j->n;
    double *t = need(j, SMR_MAX(m, n), sizeof *t), *u = need(j, SMR_MAX(m, n), sizeof *u);
    times(j->A, m, n, m, ALL, x, want);
    if (!strcmp(what, "cholesky")) {
        times_turned(j->W, n, n, n, LOWER, x, t);
        times(j->W, n, n, n, LOWER, t, got);
    } else if (!strcmp(what, "lu")) {
        times(j->W, n, n, n, UPPER, x, t);
        times(j->W, n, n, n, BELOW, t, got);
        for (int64_t k = n - 1; k >= 0; k--) {
            double swap = got[k];
            got[k] = got[j->pivot[k]];
            got[j->pivot[k]] = swap;
        }
    } else if (!strcmp(what, "eigen")) {
        times_turned(j->W, n, n, n, ALL, x, t);
        for (int64_t k = 0; k < n; k++) t[k] *= j->values[k];
        times(j->W, n, n, n, ALL, t, got);
    } else if (!strcmp(what, "svd")) {
        times(j->Vt, n, n, n, ALL, x, t);
        for (int64_t k = 0; k < n; k++) t[k] *= j->values[k];
        times(j->U, m, n, m, ALL, t, got);
    } else { /* R'R x = A'A x, the columns in their order */
        const double *R = j->tall ? j->U : j->W;
        int64_t ld = j->tall ? n : m;
        memcpy(u, want, (size_t)m * sizeof *u);
        times_turned(j->A, m, n, m, ALL, u, want);
        for (int64_t k = 0; k < n; k++) t[k] = j->order ? x[j->order[k]] : x[k];
        times(R, n, n, ld, UPPER, t, u);
        times_turned(R, n, n, ld, UPPER, u, t);
        for (int64_t k = 0; k < n; k++) got[j->order ? j->order[k] : k] = t[k];
    }
    smr_free(t);
    smr_free(u);
}

static double residual(struct job *j, const char *what)
{
    int64_t size = SMR_MAX(j->m, j->n);
    double *x = need(j, size, sizeof *x), *got = need(j, size, sizeof *got), off = 0, all = 0;
    double *want = need(j, size, sizeof *want);
    for (int64_t k = 0; k < size; k++)
        x[k] = 2 * smr_random_unit(9, SMR_STREAM_TEST, 1, (uint64_t)k) - 1;
    both_sides(j, what, x, got, want);
    bool by_columns = !strcmp(what, "qr") || !strcmp(what, "pivoted");
    for (int64_t k = 0; k < (by_columns ? j->n : j->m); k++) {
        off = fmax(off, fabs(got[k] - want[k]));
        all = fmax(all, fabs(want[k]));
    }
    smr_free(x), smr_free(got), smr_free(want);
    return off / all / DBL_EPSILON / (double)size;
}

static double shared_sum(const struct job *j, const char *what)
{
    double sum = 0;
    bool is_values = !strcmp(what, "eigen") || !strcmp(what, "svd");
    const double *R = j->tall ? j->U : j->W;
    for (int64_t k = 0; k < j->n; k++)
        sum += is_values ? fabs(j->values[k]) : smr_log(fabs(R[k + k * (j->tall ? j->n : j->m)]));
    return sum;
}

/* ---- runs ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    smr_status (*ours)(struct job *j);
    smr_status (*theirs)(struct job *j);
} works[] = {{"cholesky", ours_cholesky, theirs_cholesky},
             {"lu", ours_lu, theirs_lu},
             {"qr", ours_qr, theirs_qr},
             {"pivoted", ours_pivoted, theirs_pivoted},
             {"eigen", ours_eigen, theirs_eigen},
             {"svd", ours_svd, theirs_svd}};

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Symmetric for cholesky (and dominant) and eigen. */
static void fill(struct job *j, const char *what, uint64_t seed)
{
    bool definite = !strcmp(what, "cholesky"), symmetric = definite || !strcmp(what, "eigen");
    for (int64_t i = 0; i < j->m * j->n; i++)
        j->A[i] = 2 * smr_random_unit(seed, SMR_STREAM_TEST, 0, (uint64_t)i) - 1;
    for (int64_t c = 0; c < j->n && symmetric; c++) {
        for (int64_t i = 0; i < c; i++) j->A[i + c * j->n] = j->A[c + i * j->n];
        if (definite) j->A[c + c * j->n] += (double)j->n;
    }
}

static double median_run(struct job *j, smr_status (*run)(struct job *j))
{
    static double seconds[MOST_RUNS];
    double total = 0;
    int n = 0;
    while (n < MOST_RUNS && (n < 3 || total < LEAST_SECONDS) && total < MOST_SECONDS) {
        memcpy(j->W, j->A, (size_t)(j->m * j->n) * sizeof *j->W);
        double start = smr_now();
        bench_check(j->ctx, run(j));
        total += seconds[n++] = smr_now() - start;
    }
    qsort(seconds, (size_t)n, sizeof *seconds, ascending);
    return seconds[n / 2];
}

int main(int argc, char **argv)
{
    const char *what = bench_option(argc, argv, "--work", "cholesky");
    bool theirs = !strcmp(bench_option(argc, argv, "--side", "samara"), "openblas");
    struct job j = {.m = atoll(bench_option(argc, argv, "--rows", "500")),
                    .n = atoll(bench_option(argc, argv, "--cols", "500")),
                    .threads = atoi(bench_option(argc, argv, "--threads", "2"))};
    uint64_t seed = strtoull(bench_option(argc, argv, "--seed", "0"), NULL, 10);
    size_t w = 0;
    while (w < sizeof works / sizeof *works && strcmp(works[w].name, what)) w++;
    if (w == sizeof works / sizeof *works || j.m < j.n || j.n < 1) {
        fprintf(stderr, "factor: --work is not known, or --rows is below --cols\n");
        return 2;
    }
    j.ctx = bench_ctx(argc, argv);
    if (theirs) open_library(&j);
    work_size = int_size = -1;
    j.A = need(&j, j.m * j.n, sizeof *j.A);
    j.W = need(&j, j.m * j.n, sizeof *j.W);
    j.tau = need(&j, j.n, sizeof *j.tau);
    j.values = need(&j, j.n, sizeof *j.values);
    j.U = need(&j, !strcmp(what, "svd") ? j.m * j.n : j.n * j.n, sizeof *j.U);
    j.Vt = need(&j, j.n * j.n, sizeof *j.Vt);
    j.order = !strcmp(what, "pivoted") ? need(&j, j.n, sizeof *j.order) : NULL;
    j.pivot = need(&j, j.n, sizeof *j.pivot);
    int_work = !strcmp(what, "svd") && theirs ? need(&j, 8 * j.n, sizeof *int_work) : NULL;
    fill(&j, what, seed);
    double seconds = median_run(&j, theirs ? works[w].theirs : works[w].ours);
    printf("{\"seconds\": {\"factor\": %.9f}, \"residual\": %.6g, \"sum\": %.17g, "
           "\"peak_memory_bytes\": %lld}\n",
           seconds, residual(&j, what), shared_sum(&j, what), bench_memory("VmHWM"));
    smr_tall_qr_release(j.tall);
    smr_free(j.A), smr_free(j.W), smr_free(j.tau), smr_free(j.values), smr_free(j.U);
    smr_free(j.Vt), smr_free(j.order), smr_free(j.pivot), smr_free(work), smr_free(int_work);
    smr_ctx_destroy(j.ctx);
    return 0;
}
