/* solve.inl -- a triangle against a panel: forward substitution for as many right-hand sides as a
 * panel is wide.
 *
 *     p_j <- (p_j - sum_{k<j} T_jk p_k) / T_jj        for ascending j, p_j a row of the panel
 *
 * The caller gives -T below the diagonal, so that each entry is the chain of a product (tile.inl)
 * over ascending k, then one division.  Rows are taken SOLVE_ROWS at a time: what
 * the rows before contribute is a tile; among themselves they are finished in registers.
 * The including file binds  real,  K(name)  and includes tile.inl before. */
enum {
    K(SOLVE_PANEL) = 128 / (int)sizeof(real),
    K(SOLVE_VECTORS) = SIMD_BYTES == 64   ? 2
                       : SIMD_BYTES == 32 ? 2
                                          : 4,
    K(SOLVE_ROWS) = SIMD_BYTES == 64   ? 8
                    : SIMD_BYTES == 32 ? 6
                                       : 3
};

/* `rows` rows at `to` among themselves: a is -T at their first diagonal entry. */
INLINE void K(finish)(const int rows, const real *a, int64_t ld, const real *diagonal, real *to)
{
    K(vec) x[K(SOLVE_ROWS)][K(SOLVE_VECTORS)];
    UNROLL
    for (int i = 0; i < rows; i++) {
        UNROLL
        for (int v = 0; v < K(SOLVE_VECTORS); v++)
            x[i][v] = K(load)(to + i * K(SOLVE_PANEL) + v * K(LANES));
    }
    UNROLL
    for (int j = 0; j < rows; j++) {
        K(vec) by = K(splat)(diagonal[j]);
        UNROLL
        for (int v = 0; v < K(SOLVE_VECTORS); v++) x[j][v] = x[j][v] / by;
        UNROLL
        for (int i = j + 1; i < rows; i++) {
            K(vec) left = K(splat)(a[i * ld + j]);
            UNROLL
            for (int v = 0; v < K(SOLVE_VECTORS); v++) x[i][v] = K(fma)(left, x[j][v], x[i][v]);
        }
    }
    UNROLL
    for (int i = 0; i < rows; i++) {
        UNROLL
        for (int v = 0; v < K(SOLVE_VECTORS); v++)
            K(store)(to + i * K(SOLVE_PANEL) + v * K(LANES), x[i][v]);
    }
}

/* Rows j .. j + rows - 1 of one strip of the panel. */
INLINE void K(solve_rows)(const int rows, int64_t j, const real *a, int64_t ld,
                          const real *diagonal, real *strip)
{
    K(operands) in = {a + j * ld, ld, 1, strip, K(LANES), K(SOLVE_PANEL), NULL, 0};
    real *to = strip + j * K(SOLVE_PANEL);
    K(tile)
    (rows, K(SOLVE_VECTORS), false, j, in, (K(target)){to, K(SOLVE_PANEL), K(SOLVE_PANEL), false});
    K(finish)(rows, a + j * ld + j, ld, diagonal + j, to);
}

void TIER(K(solve))(int64_t n, const real *minus, int64_t ld, const real *diagonal, real *panel)
{
    for (int v = 0; v < K(SOLVE_PANEL); v += K(SOLVE_VECTORS) * K(LANES)) {
        int64_t j = 0;
        for (; j + K(SOLVE_ROWS) <= n; j += K(SOLVE_ROWS))
            K(solve_rows)(K(SOLVE_ROWS), j, minus, ld, diagonal, panel + v);
        for (; j < n; j++) K(solve_rows)(1, j, minus, ld, diagonal, panel + v);
    }
}
