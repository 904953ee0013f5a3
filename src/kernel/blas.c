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

/* ---- factorisations ---- */

smr_status smr_lapack_qr(smr_ctx *ctx, int64_t m, int64_t n, double *A, double *tau)
{
    smr_status st = SMR_OK;
    double *work = NULL, size = 1;
    int im = (int)m, in = (int)n, il = leading(m), query = -1, info = 0;
    TRY(check_size(ctx, "qr", m, n));
    dgeqrf_(&im, &in, A, &il, tau, &size, &query, &info);
    int lwork = asked(size);
    TRY_NEW(work, lwork);
    int mine = enter();
    dgeqrf_(&im, &in, A, &il, tau, work, &lwork, &info);
    leave(mine);
    TRY(answer(ctx, "qr", info));
out:
    smr_free(work);
    return st;
}

smr_status smr_lapack_qr_pivoted(smr_ctx *ctx, int64_t m, int64_t n, double *A, int64_t *pivot,
                                 double *tau)
{
    smr_status st = SMR_OK;
    double *work = NULL, size = 1;
    int *order = NULL;
    int im = (int)m, in = (int)n, il = leading(m), query = -1, info = 0;
    TRY(check_size(ctx, "pivoted qr", m, n));
    TRY_NEW(order, SMR_MAX(n, 1));
    dgeqp3_(&im, &in, A, &il, order, tau, &size, &query, &info);
    int lwork = asked(size);
    TRY_NEW(work, lwork);
    int mine = enter();
    dgeqp3_(&im, &in, A, &il, order, tau, work, &lwork, &info);
    leave(mine);
    TRY(answer(ctx, "pivoted qr", info));
    for (int64_t k = 0; k < n; k++) pivot[k] = order[k] - 1;
out:
    smr_free(work);
    smr_free(order);
    return st;
}

smr_status smr_lapack_qr_apply(smr_ctx *ctx, bool transpose, int64_t m, int64_t n, int64_t k,
                               const double *A, const double *tau, double *C)
{
    smr_status st = SMR_OK;
    double *work = NULL, size = 1;
    const char *trans = transpose ? "T" : "N";
    int im = (int)m, in = (int)n, ik = (int)k, il = leading(m), ic = leading(m);
    int query = -1, info = 0;
    TRY(check_size(ctx, "qr", m, SMR_MAX(n, k)));
    dormqr_("L", trans, &im, &in, &ik, A, &il, tau, C, &ic, &size, &query, &info, 1, 1);
    int lwork = asked(size);
    TRY_NEW(work, lwork);
    int mine = enter();
    dormqr_("L", trans, &im, &in, &ik, A, &il, tau, C, &ic, work, &lwork, &info, 1, 1);
    leave(mine);
    TRY(answer(ctx, "qr", info));
out:
    smr_free(work);
    return st;
}

smr_status smr_lapack_cholesky(smr_ctx *ctx, int64_t n, double *A, bool *positive)
{
    int in = (int)n, il = leading(n), info = 0;
    smr_status st = check_size(ctx, "cholesky", n, n);
    if (st != SMR_OK) return st;
    int mine = enter();
    dpotrf_("L", &in, A, &il, &info, 1);
    leave(mine);
    *positive = info == 0;
    for (int64_t j = 0; j < n && *positive; j++) *positive = A[j + j * n] > 0; /* not NaN */
    return answer(ctx, "cholesky", info);
}

smr_status smr_lapack_cholesky_rcond(smr_ctx *ctx, int64_t n, const double *L, double norm,
                                     double *rcond)
{
    smr_status st = SMR_OK;
    double *work = NULL;
    int *iwork = NULL;
    int in = (int)n, il = leading(n), info = 0;
    TRY(check_size(ctx, "cholesky", n, n));
    TRY_NEW(work, 3 * n + 1);
    TRY_NEW(iwork, n + 1);
    int mine = enter();
    dpocon_("L", &in, L, &il, &norm, rcond, work, iwork, &info, 1);
    leave(mine);
    TRY(answer(ctx, "cholesky", info));
out:
    smr_free(iwork);
    smr_free(work);
    return st;
}

smr_status smr_lapack_lu(smr_ctx *ctx, int64_t n, double *A, int32_t *pivot, int64_t *singular_at)
{
    int in = (int)n, il = leading(n), info = 0;
    smr_status st = check_size(ctx, "lu", n, n);
    if (st != SMR_OK) return st;
    int mine = enter();
    dgetrf_(&in, &in, A, &il, pivot, &info);
    leave(mine);
    *singular_at = info > 0 ? info - 1 : -1;
    return answer(ctx, "lu", info);
}

smr_status smr_lapack_lu_rcond(smr_ctx *ctx, int64_t n, const double *LU, double norm,
                               double *rcond)
{
    smr_status st = SMR_OK;
    double *work = NULL;
    int *iwork = NULL;
    int in = (int)n, il = leading(n), info = 0;
    TRY(check_size(ctx, "lu", n, n));
    TRY_NEW(work, 4 * n + 1);
    TRY_NEW(iwork, n + 1);
    int mine = enter();
    dgecon_("1", &in, LU, &il, &norm, rcond, work, iwork, &info, 1);
    leave(mine);
    TRY(answer(ctx, "lu", info));
out:
    smr_free(iwork);
    smr_free(work);
    return st;
}

smr_status smr_lapack_lu_solve(smr_ctx *ctx, bool transpose, int64_t n, int64_t n_rhs,
                               const double *LU, const int32_t *pivot, double *B)
{
    int in = (int)n, ir = (int)n_rhs, il = leading(n), ib = leading(n), info = 0;
    smr_status st = check_size(ctx, "solve", n, n_rhs);
    if (st != SMR_OK) return st;
    int mine = enter();
    dgetrs_(transpose ? "T" : "N", &in, &ir, LU, &il, pivot, B, &ib, &info, 1);
    leave(mine);
    return answer(ctx, "solve", info);
}

smr_status smr_lapack_lu_inverse(smr_ctx *ctx, int64_t n, double *LU, const int32_t *pivot)
{
    smr_status st = SMR_OK;
    double *work = NULL, size = 1;
    int in = (int)n, il = leading(n), query = -1, info = 0;
    TRY(check_size(ctx, "inverse", n, n));
    dgetri_(&in, LU, &il, pivot, &size, &query, &info);
    int lwork = SMR_MAX(asked(size), in);
    TRY_NEW(work, lwork + 1);
    int mine = enter();
    dgetri_(&in, LU, &il, pivot, work, &lwork, &info);
    leave(mine);
    TRY(answer(ctx, "inverse", info));
out:
    smr_free(work);
    return st;
}

smr_status smr_lapack_triangular_solve(smr_ctx *ctx, bool upper, bool transpose, int64_t n,
                                       int64_t n_rhs, const double *T, double *B, int64_t ld)
{
    int in = (int)n, ir = (int)n_rhs, il = leading(ld), info = 0;
    smr_status st = check_size(ctx, "triangular solve", n, n_rhs);
    if (st != SMR_OK) return st;
    int mine = enter();
    dtrtrs_(upper ? "U" : "L", transpose ? "T" : "N", "N", &in, &ir, T, &il, B, &il, &info, 1, 1,
            1);
    leave(mine);
    if (info > 0)
        return smr_fail(ctx, SMR_ERR_NUMERIC, "triangular solve: the diagonal is zero at row %d",
                        info);
    return answer(ctx, "triangular solve", info);
}

smr_status smr_lapack_triangular_rcond(smr_ctx *ctx, bool upper, int64_t n, const double *T,
                                       double *rcond)
{
    smr_status st = SMR_OK;
    double *work = NULL;
    int *iwork = NULL;
    int in = (int)n, il = leading(n), info = 0;
    TRY(check_size(ctx, "condition", n, n));
    TRY_NEW(work, 3 * n + 1);
    TRY_NEW(iwork, n + 1);
    int mine = enter();
    dtrcon_("1", upper ? "U" : "L", "N", &in, T, &il, rcond, work, iwork, &info, 1, 1, 1);
    leave(mine);
    TRY(answer(ctx, "condition", info));
out:
    smr_free(iwork);
    smr_free(work);
    return st;
}

smr_status smr_lapack_eigen(smr_ctx *ctx, int64_t n, double *A, double *w)
{
    smr_status st = SMR_OK;
    double *work = NULL, size = 1;
    int *iwork = NULL, isize = 1;
    int in = (int)n, il = leading(n), query = -1, info = 0;
    TRY(check_size(ctx, "eigen decomposition", n, n));
    TRY(check_order(ctx, "eigen decomposition", n));
    TRY(check_finite(ctx, "eigen decomposition", n, n, A));
    dsyevd_("V", "L", &in, A, &il, w, &size, &query, &isize, &query, &info, 1, 1);
    int lwork = asked(size), liwork = SMR_MAX(isize, 1);
    TRY_NEW(work, lwork);
    TRY_NEW(iwork, liwork);
    int mine = enter();
    dsyevd_("V", "L", &in, A, &il, w, work, &lwork, iwork, &liwork, &info, 1, 1);
    leave(mine);
    if (info > 0) TRY(smr_fail(ctx, SMR_ERR_NUMERIC, "eigen decomposition: did not converge"));
    TRY(answer(ctx, "eigen decomposition", info));
out:
    smr_free(iwork);
    smr_free(work);
    return st;
}

smr_status smr_lapack_svd(smr_ctx *ctx, int64_t m, int64_t n, double *A, double *s, double *U,
                          double *Vt)
{
    smr_status st = SMR_OK;
    double *work = NULL, size = 1;
    int *iwork = NULL;
    int im = (int)m, in = (int)n, il = leading(m), iu = leading(m), iv = leading(SMR_MIN(m, n));
    int query = -1, info = 0;
    TRY(check_size(ctx, "singular values", m, n));
    TRY(check_order(ctx, "singular values", SMR_MIN(m, n)));
    TRY(check_finite(ctx, "singular values", m, n, A));
    TRY_NEW(iwork, 8 * SMR_MIN(m, n) + 1);
    dgesdd_("S", &im, &in, A, &il, s, U, &iu, Vt, &iv, &size, &query, iwork, &info, 1);
    int lwork = asked(size);
    TRY_NEW(work, lwork);
    int mine = enter();
    dgesdd_("S", &im, &in, A, &il, s, U, &iu, Vt, &iv, work, &lwork, iwork, &info, 1);
    leave(mine);
    if (info > 0) TRY(smr_fail(ctx, SMR_ERR_NUMERIC, "singular values: did not converge"));
    TRY(answer(ctx, "singular values", info));
out:
    smr_free(work);
    smr_free(iwork);
    return st;
}
