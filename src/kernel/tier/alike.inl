/* alike.inl -- the functions of alike.c for one type.  The including file binds  real,  NAME , EXP1
 * and  FMA. */
INLINE void NAME(rbf_block)(real gamma, real a, const real *restrict b, real *restrict t)
{
    for (int l = 0; l < BLOCK; l++) {
        real square = (a + b[l]) - 2 * t[l];
        square = square > 0 ? square : 0;
        t[l] = EXP1(-gamma * square);
    }
}

void NAME(rbf)(int64_t n, real gamma, real a, const real *b, real *t)
{
    real block[BLOCK] = {0}, other[BLOCK] = {0};
    int64_t i = 0;
    for (; i + BLOCK <= n; i += BLOCK) NAME(rbf_block)(gamma, a, b + i, t + i);
    size_t size = sizeof(real) * (size_t)(n - i);
    memcpy(block, t + i, size);
    memcpy(other, b + i, size);
    if (i < n) NAME(rbf_block)(gamma, a, other, block);
    memcpy(t + i, block, size);
}

/* Element i belongs to lane i mod 16, which takes its elements in ascending order; then lane l
 * takes lane l + 8, and so on. */
enum { NAME(LANES) = 16 };

INLINE real NAME(fold)(real *sum)
{
    for (int half = NAME(LANES) / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) sum[l] += sum[l + half];
    return sum[0];
}

INLINE real NAME(away)(real x, real y)
{
    real d = x - y;
    return d < 0 ? -d : d;
}

INLINE real NAME(chi2_term)(real x, real y)
{
    real s = x + y, d = x - y, by = s > 0 ? s : 1;
    return d * d / by;
}

real NAME(l1_sum)(int64_t n, const real *x, const real *y)
{
    real sum[NAME(LANES)] = {0};
    int64_t i = 0;
    for (; i + NAME(LANES) <= n; i += NAME(LANES))
        for (int l = 0; l < NAME(LANES); l++) sum[l] += NAME(away)(x[i + l], y[i + l]);
    for (int l = 0; i + l < n; l++) sum[l] += NAME(away)(x[i + l], y[i + l]);
    return NAME(fold)(sum);
}

real NAME(chi2_sum)(int64_t n, const real *x, const real *y)
{
    real sum[NAME(LANES)] = {0};
    int64_t i = 0;
    for (; i + NAME(LANES) <= n; i += NAME(LANES))
        for (int l = 0; l < NAME(LANES); l++) sum[l] += NAME(chi2_term)(x[i + l], y[i + l]);
    for (int l = 0; i + l < n; l++) sum[l] += NAME(chi2_term)(x[i + l], y[i + l]);
    return NAME(fold)(sum);
}

/* Entry e is a step of 16 chains. */
void NAME(entries_panel)(int64_t n, const int32_t *column, const real *value, const real *panel,
                         real *out)
{
    real sum[16] = {0};
    for (int64_t e = 0; e < n; e++) {
        const real *x = panel + 16 * (int64_t)column[e], v = value[e];
        for (int l = 0; l < 16; l++) sum[l] = FMA(v, x[l], sum[l]);
    }
    for (int l = 0; l < 16; l++) out[l] = sum[l];
}

/* One chain, as the products have. */
real NAME(square_chain)(int64_t n, const real *x)
{
    real sum = 0;
    for (int64_t i = 0; i < n; i++) sum = FMA(x[i], x[i], sum);
    return sum;
}
