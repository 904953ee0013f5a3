/* ref_alike.inl -- one type of ref_alike.c.  The including file binds  real,  NAME  and  FMA. */
static real NAME(in_lanes)(int64_t n, const real *x, const real *y, bool chi2)
{
    real sum[16] = {0};
    for (int64_t i = 0; i < n; i++) {
        real d = x[i] - y[i], s = x[i] + y[i];
        sum[i % 16] += !chi2 ? (d < 0 ? -d : d) : s > 0 ? d * d / s : d * d;
    }
    for (int half = 8; half > 0; half /= 2)
        for (int l = 0; l < half; l++) sum[l] += sum[l + half];
    return sum[0];
}

real NAME(l1_sum)(int64_t n, const real *x, const real *y)
{
    return NAME(in_lanes)(n, x, y, false);
}

real NAME(chi2_sum)(int64_t n, const real *x, const real *y)
{
    return NAME(in_lanes)(n, x, y, true);
}

void NAME(entries_panel)(int64_t n, const int32_t *column, const real *value, const real *panel,
                         real *out)
{
    for (int l = 0; l < 16; l++) {
        out[l] = 0;
        for (int64_t e = 0; e < n; e++) out[l] = FMA(value[e], panel[16 * column[e] + l], out[l]);
    }
}

real NAME(square_chain)(int64_t n, const real *x)
{
    real sum = 0;
    for (int64_t i = 0; i < n; i++) sum = FMA(x[i], x[i], sum);
    return sum;
}
