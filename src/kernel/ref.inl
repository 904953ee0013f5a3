/* ref.inl -- the plain kernels that exist in both precisions.
 * The including file binds  real,  K(name)  and  FMA. */

/* A vector's elements in lanes: 256 bytes of them (kernel/tier/reduce.inl). */
enum { K(LANES) = 256 / (int)sizeof(real), K(CHUNK) = 64 / (int)sizeof(real) };

static int64_t K(padded)(int64_t n)
{
    return (n + K(CHUNK) - 1) / K(CHUNK) * K(CHUNK);
}

static real K(fold)(real *lane)
{
    for (int half = K(LANES) / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) lane[l] += lane[l + half];
    return lane[0];
}

real K(smr_ref_dot)(int64_t n, const real *x, const real *y)
{
    real lane[K(LANES)] = {0};
    for (int64_t i = 0; i < K(padded)(n); i++) {
        real *sum = &lane[i % K(LANES)];
        *sum = FMA(i < n ? x[i] : 0, i < n ? y[i] : 0, *sum);
    }
    return K(fold)(lane);
}

real K(smr_ref_l2sq)(int64_t n, const real *x, const real *y)
{
    real lane[K(LANES)] = {0};
    for (int64_t i = 0; i < K(padded)(n); i++) {
        real *sum = &lane[i % K(LANES)], d = i < n ? x[i] - y[i] : 0;
        *sum = FMA(d, d, *sum);
    }
    return K(fold)(lane);
}

void K(smr_ref_axpy)(int64_t n, real a, const real *x, real *y)
{
    for (int64_t i = 0; i < n; i++) y[i] = FMA(a, x[i], y[i]);
}

/* lint: allow arguments, the shape of a BLAS product. */
void K(smr_ref_product_add)(int64_t m, int64_t n, int64_t k, const real *A, int64_t lda,
                            const real *B, int64_t ldb, real *C, int64_t ldc)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t t = 0; t < k; t++)
                C[i * ldc + j] = FMA(A[i * lda + t], B[j * ldb + t], C[i * ldc + j]);
}

/* lint: allow arguments, the shape of a BLAS product. */
void K(smr_ref_product)(int64_t m, int64_t n, int64_t k, const real *A, int64_t lda, const real *B,
                        int64_t ldb, real *C, int64_t ldc)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) C[i * ldc + j] = 0;
    K(smr_ref_product_add)(m, n, k, A, lda, B, ldb, C, ldc);
}

void K(smr_ref_solve)(int64_t n, const real *minus, int64_t ld, const real *diagonal, real *panel)
{
    int64_t width = 128 / (int)sizeof(real);
    for (int64_t j = 0; j < n; j++)
        for (int64_t c = 0; c < width; c++) {
            real sum = panel[j * width + c];
            for (int64_t k = 0; k < j; k++) sum = FMA(minus[j * ld + k], panel[k * width + c], sum);
            panel[j * width + c] = sum / diagonal[j];
        }
}
