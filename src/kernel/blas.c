/* blas.c -- see blas.h.
 *
 * One thread, whatever the flavour (facts found by measurement and from the sources):
 *
 *     OpenBLAS, own threads   one process-wide count.  The first caller in saves it and sets 1, the
 *                             last one out restores it; in between any number may call.
 *     OpenBLAS with OpenMP    asks the calling thread's omp_get_max_threads() at every call, and
 *                             goes parallel inside a team of one: that setting belongs to the
 *                             thread, so each call sets and restores its own.
 *     OpenBLAS, serial        not thread-safe (shared buffers): one call at a time.
 *     MKL                     a setting per thread, as with OpenMP.
 *     anything else           assumed serial and not thread-safe: one call at a time.
 *
 * The control functions are looked up at run time: Debian switches the library under a linked
 * program through its alternatives. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "kernel/blas.h"

#include "kernel/blas_call.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* ---- LAPACK's names; hidden lengths of character arguments follow the arguments ---- */

void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
             const int *lwork, int *info);
void dgeqp3_(const int *m, const int *n, double *a, const int *lda, int *jpvt, double *tau,
             double *work, const int *lwork, int *info);
void dormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k,
             const double *a, const int *lda, const double *tau, double *c, const int *ldc,
             double *work, const int *lwork, int *info, size_t, size_t);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t);
void dpocon_(const char *uplo, const int *n, const double *a, const int *lda, const double *anorm,
             double *rcond, double *work, int *iwork, int *info, size_t);
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void dgecon_(const char *norm, const int *n, const double *a, const int *lda, const double *anorm,
             double *rcond, double *work, int *iwork, int *info, size_t);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *ipiv, double *b, const int *ldb, int *info, size_t);
void dgetri_(const int *n, double *a, const int *lda, const int *ipiv, double *work,
             const int *lwork, int *info);
void dtrtrs_(const char *uplo, const char *trans, const char *diag, const int *n, const int *nrhs,
             const double *a, const int *lda, double *b, const int *ldb, int *info, size_t, size_t,
             size_t);
void dtrcon_(const char *norm, const char *uplo, const char *diag, const int *n, const double *a,
             const int *lda, double *rcond, double *work, int *iwork, int *info, size_t, size_t,
             size_t);
void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t,
             size_t);
void dgesdd_(const char *jobz, const int *m, const int *n, double *a, const int *lda, double *s,
             double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork,
             int *iwork, int *info, size_t);

/* ---- which library, and how to keep it on one thread ---- */

enum flavour { UNKNOWN, OPENBLAS_SERIAL, OPENBLAS_THREADS, OPENBLAS_OPENMP, MKL };

static struct {
    enum flavour flavour;
    void (*set_global)(int); /* openblas_set_num_threads        */
    int (*get_global)(void); /* openblas_get_num_threads        */
    void (*omp_set)(int);
    int (*omp_get)(void);
    int (*mkl_set_local)(int); /* answers the thread's old value */
    char info[160];
} library;

/* lint: allow global, the library's thread count belongs to the process, so must what guards it */
static pthread_once_t found = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n_inside;    /* callers inside a threaded OpenBLAS; guarded by lock */
static int outer_count; /* its thread count before the first of them           */

/* ISO C has no cast from an object pointer to a function pointer; POSIX promises equal sizes. */
static void look_up(const char *name, void *function)
{
    void *address = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &address, sizeof address);
}

static void find_openblas(void)
{
    int (*parallel)(void) = NULL;
    char *(*config)(void) = NULL;
    look_up("openblas_get_parallel", &parallel);
    look_up("openblas_get_config", &config);
    look_up("openblas_set_num_threads", &library.set_global);
    look_up("openblas_get_num_threads", &library.get_global);
    look_up("omp_set_num_threads", &library.omp_set);
    look_up("omp_get_max_threads", &library.omp_get);

    const char *how = "serial";
    switch (parallel()) {
    case 0: library.flavour = OPENBLAS_SERIAL; break;
    case 1:
        library.flavour = library.set_global && library.get_global ? OPENBLAS_THREADS : UNKNOWN;
        how = "threads, used on one";
        break;
    default:
        library.flavour = library.omp_set && library.omp_get ? OPENBLAS_OPENMP : UNKNOWN;
        how = "OpenMP, used on one thread";
        break;
    }
    /* "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...": name and version are enough */
    char version[48] = "OpenBLAS";
    if (config && config()) {
        const char *text = config();
        size_t end = strcspn(text, " ");
        if (text[end] == ' ') end += 1 + strcspn(text + end + 1, " ");
        snprintf(version, sizeof version, "%.*s", (int)SMR_MIN(end, sizeof version - 1), text);
    }
    snprintf(library.info, sizeof library.info, "%s (%s)", version, how);
}

static void find_library(void)
{
    int (*openblas)(void) = NULL;
    look_up("openblas_get_parallel", &openblas);
    look_up("MKL_Set_Num_Threads_Local", &library.mkl_set_local);
    if (openblas) {
        find_openblas();
    } else if (library.mkl_set_local) {
        library.flavour = MKL;
        snprintf(library.info, sizeof library.info, "MKL (used on one thread)");
    } else {
        snprintf(library.info, sizeof library.info, "LAPACK (one call at a time)");
    }
}

const char *smr_blas_info(void)
{
    pthread_once(&found, find_library);
    return library.info;
}

void smr_blas_claim(void)
{
    int (*end_threads)(void) = NULL;
    pthread_once(&found, find_library);
    look_up("blas_thread_shutdown_", &end_threads);
    if (library.flavour != OPENBLAS_THREADS || !end_threads) return;
    pthread_mutex_lock(&lock);
    if (n_inside == 0) {
        library.set_global(1); /* first: to set a count starts the threads again */
        (void)end_threads();
    }
    pthread_mutex_unlock(&lock);
}

/* Answers what leave() must restore for this thread. */
static int enter(void)
{
    pthread_once(&found, find_library);
    int mine = 0;
    switch (library.flavour) {
    case OPENBLAS_THREADS:
        pthread_mutex_lock(&lock);
        if (n_inside++ == 0) {
            outer_count = library.get_global();
            if (outer_count != 1) library.set_global(1);
        }
        pthread_mutex_unlock(&lock);
        break;
    case OPENBLAS_OPENMP:
        mine = library.omp_get();
        library.omp_set(1);
        break;
    case MKL: mine = library.mkl_set_local(1); break;
    case UNKNOWN:
    case OPENBLAS_SERIAL: pthread_mutex_lock(&lock); break;
    }
    return mine;
}

static void leave(int mine)
{
    switch (library.flavour) {
    case OPENBLAS_THREADS:
        pthread_mutex_lock(&lock);
        if (--n_inside == 0 && outer_count != 1) library.set_global(outer_count);
        pthread_mutex_unlock(&lock);
        break;
    case OPENBLAS_OPENMP: library.omp_set(mine); break;
    case MKL: (void)library.mkl_set_local(mine); break;
    case UNKNOWN:
    case OPENBLAS_SERIAL: pthread_mutex_unlock(&lock); break;
    }
}

/* ---- checks and workspace ---- */

/* LAPACK counts in int, and multiplies sizes in it: products of two must fit too. */
static smr_status check_size(smr_ctx *ctx, const char *what, int64_t m, int64_t n)
{
    if (m >= 0 && n >= 0 && m <= SMR_MAX_DIM && n <= SMR_MAX_DIM) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_SHAPE, "%s: a %lld x %lld matrix is past what LAPACK can count",
                    what, (long long)m, (long long)n);
}

static smr_status check_finite(smr_ctx *ctx, const char *what, int64_t m, int64_t n,
                               const double *A)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            if (!isfinite(A[i + j * m]))
                return smr_fail(ctx, SMR_ERR_DATA,
                                "%s: the value at row %lld, column %lld is not finite", what,
                                (long long)i + 1, (long long)j + 1);
    return SMR_OK;
}

/* A negative info names a wrong argument: samara's mistake. */
static smr_status answer(smr_ctx *ctx, const char *what, int info)
{
    if (info >= 0) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_INTERNAL, "%s: LAPACK refused argument %d", what, -info);
}

/* Divide and conquer multiplies the order's square by up to 8 in int. */
static smr_status check_order(smr_ctx *ctx, const char *what, int64_t n)
{
    if (n <= 16000) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_SHAPE, "%s: order %lld is past LAPACK's limit of 16000", what,
                    (long long)n);
}

/* The workspace that a query asked for; at least 1. */
static int asked(double work)
{
    return work >= 1 && work < INT32_MAX ? (int)work : 1;
}

static int leading(int64_t ld)
{
    return (int)SMR_MAX(ld, 1);
}

/* ---- calls ---- */

/* One call: the arguments of all routines, each taking what it knows. */
struct lapack {
    smr_call call;
    void (*routine)(struct lapack *l);
    const char *what; /* in words, for messages */
    const char *trans, *uplo;
    int m, n, k, lda, ldb, lwork, liwork, info;
    double *A, *tau, *B, *C, *D, *work;
    int *pivot, *iwork;
    double norm, rcond;
};

static void run_alone(smr_call *call)
{
    struct lapack *l = (struct lapack *)call;
    int mine = enter();
    l->routine(l);
    leave(mine);
}

/* Brings the workspace that the routine asks for. */
static smr_status bring_work(smr_ctx *ctx, struct lapack *l)
{
    smr_status st = SMR_OK;
    double size = 1;
    int isize = 1, *iwork = l->iwork;
    l->lwork = l->liwork = -1;
    l->work = &size;
    if (!iwork) l->iwork = &isize;
    l->routine(l);
    l->lwork = SMR_MAX(asked(size), l->n);
    l->liwork = SMR_MAX(isize, 1);
    l->work = NULL;
    l->iwork = iwork;
    TRY_NEW(l->work, l->lwork);
    if (!iwork) TRY_NEW(l->iwork, l->liwork);
out:
    return st;
}

static void drop_work(struct lapack *l)
{
    smr_free(l->work);
    smr_free(l->iwork);
    l->work = NULL;
    l->iwork = NULL;
}

/* Runs the routine, of about so many operations, and releases its workspace. */
static smr_status run(smr_ctx *ctx, struct lapack *l, double flops)
{
    const void *blocks[SMR_CALL_BLOCKS] = {l->A, l->tau,  l->B,     l->C,
                                           l->D, l->work, l->pivot, l->iwork};
    l->call = (smr_call){.run = run_alone, .size = sizeof *l, .flops = flops};
    memcpy(l->call.blocks, blocks, sizeof blocks);
    smr_status st = smr_call_run(ctx, &l->call);
    drop_work(l);
    return st == SMR_OK ? answer(ctx, l->what, l->info) : st;
}

/* For routines whose workspace is given: n_work doubles and as many integers as the order. */
static smr_status run_with(smr_ctx *ctx, struct lapack *l, int64_t n_work, double flops)
{
    smr_status st = SMR_OK;
    TRY_NEW(l->work, n_work + 1);
    TRY_NEW(l->iwork, l->n + 1);
    return run(ctx, l, flops);
out:
    drop_work(l);
    return st;
}

static double cube(int64_t m, int64_t n, int64_t k)
{
    return (double)m * (double)n * (double)k;
}

/* ---- qr ---- */

static void geqrf(struct lapack *l)
{
    dgeqrf_(&l->m, &l->n, l->A, &l->lda, l->tau, l->work, &l->lwork, &l->info);
}

smr_status smr_lapack_qr(smr_ctx *ctx, int64_t m, int64_t n, double *A, double *tau)
{
    smr_status st = SMR_OK;
    struct lapack l = {.routine = geqrf, .what = "qr", .m = (int)m, .n = (int)n};
    l.A = A;
    l.tau = tau;
    l.lda = leading(m);
    TRY(check_size(ctx, l.what, m, n));
    TRY(bring_work(ctx, &l));
    return run(ctx, &l, 2 * cube(m, n, SMR_MIN(m, n)));
out:
    drop_work(&l);
    return st;
}

static void geqp3(struct lapack *l)
{
    dgeqp3_(&l->m, &l->n, l->A, &l->lda, l->pivot, l->tau, l->work, &l->lwork, &l->info);
}

smr_status smr_lapack_qr_pivoted(smr_ctx *ctx, int64_t m, int64_t n, double *A, int64_t *pivot,
                                 double *tau)
{
    smr_status st = SMR_OK;
    struct lapack l = {.routine = geqp3, .what = "pivoted qr", .m = (int)m, .n = (int)n};
    int *order = NULL;
    l.A = A;
    l.tau = tau;
    l.lda = leading(m);
    TRY(check_size(ctx, l.what, m, n));
    TRY_NEW(order, SMR_MAX(n, 1));
    l.pivot = order;
    TRY(bring_work(ctx, &l));
    TRY(run(ctx, &l, 8 * cube(m, n, SMR_MIN(m, n)))); /* half of it at the memory's speed */
    for (int64_t k = 0; k < n; k++) pivot[k] = order[k] - 1;
out:
    drop_work(&l);
    smr_free(order);
    return st;
}

static void ormqr(struct lapack *l)
{
    dormqr_("L", l->trans, &l->m, &l->n, &l->k, l->A, &l->lda, l->tau, l->C, &l->ldb, l->work,
            &l->lwork, &l->info, 1, 1);
}

smr_status smr_lapack_qr_apply(smr_ctx *ctx, bool transpose, int64_t m, int64_t n, int64_t k,
                               const double *A, const double *tau, double *C)
{
    smr_status st = SMR_OK;
    struct lapack l = {.routine = ormqr, .what = "qr", .m = (int)m, .n = (int)n, .k = (int)k};
    l.trans = transpose ? "T" : "N";
    l.A = (double *)(uintptr_t)A; /* read only */
    l.tau = (double *)(uintptr_t)tau;
    l.C = C;
    l.lda = l.ldb = leading(m);
    TRY(check_size(ctx, l.what, m, SMR_MAX(n, k)));
    TRY(bring_work(ctx, &l));
    return run(ctx, &l, 4 * cube(m, n, k));
out:
    drop_work(&l);
    return st;
}

/* ---- cholesky ---- */

static void potrf(struct lapack *l)
{
    dpotrf_("L", &l->n, l->A, &l->lda, &l->info, 1);
}

smr_status smr_lapack_cholesky(smr_ctx *ctx, int64_t n, double *A, bool *positive)
{
    smr_status st = SMR_OK;
    struct lapack l = {.routine = potrf, .what = "cholesky", .n = (int)n, .A = A};
    l.lda = leading(n);
    TRY(check_size(ctx, l.what, n, n));
    TRY(run(ctx, &l, cube(n, n, n) / 3));
    *positive = l.info == 0;
    for (int64_t j = 0; j < n && *positive; j++) *positive = A[j + j * n] > 0; /* not NaN */
out:
    return st;
}

static void pocon(struct lapack *l)
{
    dpocon_("L", &l->n, l->A, &l->lda, &l->norm, &l->rcond, l->work, l->iwork, &l->info, 1);
}

smr_status smr_lapack_cholesky_rcond(smr_ctx *ctx, int64_t n, const double *L, double norm,
                                     double *rcond)
{
    smr_status st = SMR_OK;
    struct lapack l = {.routine = pocon, .what = "cholesky", .n = (int)n, .norm = norm};
    l.A = (double *)(uintptr_t)L; /* read only */
    l.lda = leading(n);
    TRY(check_size(ctx, l.what, n, n));
    TRY(run_with(ctx, &l, 3 * n, 0));
    *rcond = l.rcond;
out:
    return st;
}

/* ---- lu ---- */

static void getrf(struct lapack *l)
{
    dgetrf_(&l->n, &l->n, l->A, &l->lda, l->pivot, &l->info);
}

smr_status smr_lapack_lu(smr_ctx *ctx, int64_t n, double *A, int32_t *pivot, int64_t *singular_at)
{
    smr_status st = SMR_OK;
    struct lapack l = {.routine = getrf, .what = "lu", .n = (int)n, .A = A, .pivot = pivot};
    l.lda = leading(n);
    TRY(check_size(ctx, l.what, n, n));
    TRY(run(ctx, &l, cube(n, n, n) * 2 / 3));
    *singular_at = l.info > 0 ? l.info - 1 : -1;
out:
    return st;
}

static void gecon(struct lapack *l)
{
    dgecon_("1", &l->n, l->A, &l->lda, &l->norm, &l->rcond, l->work, l->iwork, &l->info, 1);
}

smr_status smr_lapack_lu_rcond(smr_ctx *ctx, int64_t n, const double *LU, double norm,
                               double *rcond)
{
    smr_status st = SMR_OK;
    struct lapack l = {.routine = gecon, .what = "lu", .n = (int)n, .norm = norm};
    l.A = (double *)(uintptr_t)LU; /* read only */
    l.lda = leading(n);
    TRY(check_size(ctx, l.what, n, n));
    TRY(run_with(ctx, &l, 4 * n, 0));
    *rcond = l.rcond;
out:
    return st;
}

static void getrs(struct lapack *l)
{
    dgetrs_(l->trans, &l->n, &l->k, l->A, &l->lda, l->pivot, l->B, &l->ldb, &l->info, 1);
}

smr_status smr_lapack_lu_solve(smr_ctx *ctx, bool transpose, int64_t n, int64_t n_rhs,
                               const double *LU, const int32_t *pivot, double *B)
{
    smr_status st = SMR_OK;
    struct lapack l = {.routine = getrs, .what = "solve", .n = (int)n, .k = (int)n_rhs, .B = B};
    l.trans = transpose ? "T" : "N";
    l.A = (double *)(uintptr_t)LU; /* read only, as the pivots */
    l.pivot = (int *)(uintptr_t)pivot;
    l.lda = l.ldb = leading(n);
    TRY(check_size(ctx, l.what, n, n_rhs));
    TRY(run(ctx, &l, 2 * cube(n, n, n_rhs)));
out:
    return st;
}

static void getri(struct lapack *l)
{
    dgetri_(&l->n, l->A, &l->lda, l->pivot, l->work, &l->lwork, &l->info);
}

smr_status smr_lapack_lu_inverse(smr_ctx *ctx, int64_t n, double *LU, const int32_t *pivot)
{
    smr_status st = SMR_OK;
    struct lapack l = {.routine = getri, .what = "inverse", .n = (int)n, .A = LU};
    l.pivot = (int *)(uintptr_t)pivot; /* read only */
    l.lda = leading(n);
    TRY(check_size(ctx, l.what, n, n));
    TRY(bring_work(ctx, &l));
    return run(ctx, &l, cube(n, n, n) * 4 / 3);
out:
    drop_work(&l);
    return st;
}

/* ---- triangles ---- */

static void trtrs(struct lapack *l)
{
    dtrtrs_(l->uplo, l->trans, "N", &l->n, &l->k, l->A, &l->lda, l->B, &l->lda, &l->info, 1, 1, 1);
}

smr_status smr_lapack_triangular_solve(smr_ctx *ctx, bool upper, bool transpose, int64_t n,
                                       int64_t n_rhs, const double *T, double *B, int64_t ld)
{
    smr_status st = SMR_OK;
    struct lapack l = {.routine = trtrs, .what = "triangular solve", .n = (int)n, .B = B};
    l.k = (int)n_rhs;
    l.uplo = upper ? "U" : "L";
    l.trans = transpose ? "T" : "N";
    l.A = (double *)(uintptr_t)T; /* read only */
    l.lda = leading(ld);
    TRY(check_size(ctx, l.what, n, n_rhs));
    TRY(run(ctx, &l, cube(n, n, n_rhs)));
    if (l.info > 0)
        TRY(smr_fail(ctx, SMR_ERR_NUMERIC, "triangular solve: the diagonal is zero at row %d",
                     l.info));
out:
    return st;
}

static void trcon(struct lapack *l)
{
    dtrcon_("1", l->uplo, "N", &l->n, l->A, &l->lda, &l->rcond, l->work, l->iwork, &l->info, 1, 1,
            1);
}

smr_status smr_lapack_triangular_rcond(smr_ctx *ctx, bool upper, int64_t n, const double *T,
                                       double *rcond)
{
    smr_status st = SMR_OK;
    struct lapack l = {.routine = trcon, .what = "condition", .n = (int)n};
    l.uplo = upper ? "U" : "L";
    l.A = (double *)(uintptr_t)T; /* read only */
    l.lda = leading(n);
    TRY(check_size(ctx, l.what, n, n));
    TRY(run_with(ctx, &l, 3 * n, 0));
    *rcond = l.rcond;
out:
    return st;
}

/* ---- eigen, svd ---- */

static void syevd(struct lapack *l)
{
    dsyevd_("V", "L", &l->n, l->A, &l->lda, l->B, l->work, &l->lwork, l->iwork, &l->liwork,
            &l->info, 1, 1);
}

smr_status smr_lapack_eigen(smr_ctx *ctx, int64_t n, double *A, double *w)
{
    smr_status st = SMR_OK;
    struct lapack l = {.routine = syevd, .what = "eigen decomposition", .n = (int)n, .A = A};
    l.B = w;
    l.lda = leading(n);
    TRY(check_size(ctx, l.what, n, n));
    TRY(check_order(ctx, l.what, n));
    TRY(check_finite(ctx, l.what, n, n, A));
    TRY(bring_work(ctx, &l));
    TRY(run(ctx, &l, 20 * cube(n, n, n)));
    if (l.info > 0) TRY(smr_fail(ctx, SMR_ERR_NUMERIC, "eigen decomposition: did not converge"));
out:
    drop_work(&l);
    return st;
}

static void gesdd(struct lapack *l)
{
    dgesdd_("S", &l->m, &l->n, l->A, &l->lda, l->B, l->C, &l->lda, l->D, &l->ldb, l->work,
            &l->lwork, l->iwork, &l->info, 1);
}

smr_status smr_lapack_svd(smr_ctx *ctx, int64_t m, int64_t n, double *A, double *s, double *U,
                          double *Vt)
{
    smr_status st = SMR_OK;
    int64_t k = SMR_MIN(m, n);
    struct lapack l = {.routine = gesdd, .what = "singular values", .m = (int)m, .n = (int)n};
    l.A = A;
    l.B = s;
    l.C = U;
    l.D = Vt;
    l.lda = leading(m);
    l.ldb = leading(k);
    TRY(check_size(ctx, l.what, m, n));
    TRY(check_order(ctx, l.what, k));
    TRY(check_finite(ctx, l.what, m, n, A));
    TRY_NEW(l.iwork, 8 * k + 1);
    TRY(bring_work(ctx, &l));
    TRY(run(ctx, &l, 8 * cube(m, n, k) + 20 * cube(k, k, k)));
    if (l.info > 0) TRY(smr_fail(ctx, SMR_ERR_NUMERIC, "singular values: did not converge"));
out:
    drop_work(&l);
    return st;
}
