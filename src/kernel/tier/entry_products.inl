/* entry_products.inl -- entry_products.c for one type.  The including file binds  real,  K(name)
 * and  PRODUCT. */
enum { K(PANEL) = 128 / (int)sizeof(real) };

/* The first `count` numbers of a row of C. */
INLINE void K(put)(K(vec) sum, int64_t count, real *to)
{
    if (count >= K(LANES))
        K(store)(to, sum);
    else if (count > 0)
        K(store_part)(to, (int)count, sum);
}

/* One row against `panels` of them. */
INLINE void K(meet)(const int panels, int64_t n, const int32_t *column, const real *value,
                    const real *b, int64_t panel_size, int64_t columns, real *to)
{
    enum { V = K(PANEL) / K(LANES) };
    K(vec) sum[2 * V];
    UNROLL
    for (int v = 0; v < panels * V; v++) sum[v] = K(zero)();
    for (int64_t e = 0; e < n; e++) {
        const real *x = b + (int64_t)column[e] * K(PANEL);
        K(vec) own = K(splat)(value[e]);
        UNROLL
        for (int v = 0; v < panels * V; v++)
            sum[v] = K(fma)(own, K(load)(x + v / V * panel_size + v % V * K(LANES)), sum[v]);
    }
    UNROLL
    for (int v = 0; v < panels * V; v++) K(put)(sum[v], columns - v * K(LANES), to + v * K(LANES));
}

void PRODUCT(const smr_entry_rows *A, int64_t n, int64_t k, const void *panels, real *C,
             int64_t ldc)
{
    const real *b = panels, *value = A->value;
    int64_t size = k * K(PANEL);
    for (int64_t j = 0; j < n; j += 2 * K(PANEL), b += 2 * size)
        for (int64_t i = 0; i < A->m; i++) {
            int64_t at = A->start[i], count = A->start[i + 1] - at;
            if (n - j > K(PANEL))
                K(meet)(2, count, A->column + at, value + at, b, size, n - j, C + i * ldc + j);
            else
                K(meet)(1, count, A->column + at, value + at, b, size, n - j, C + i * ldc + j);
        }
}
