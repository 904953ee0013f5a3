/* tile.inl -- the register tile that products and Gram matrices are made of.
 *
 *     C[i][j] <- C[i][j] + sum_k A(i, k) B(k, j),    0 <= i < rows,  0 <= j < vectors * LANES
 *
 * Each entry is one chain of fused multiply-adds over ascending k, from the value that C holds or,
 * at the first block of k, from zero.  Nothing else enters an entry, so neither the tile's shape
 * nor where k is cut changes a bit.
 *
 * `rows`, `vectors` and `does_fetch` are constants where it is called: the accumulators live in
 * registers.
 * The including file binds  real  and  K(name), and includes simd.h before. */
enum { K(TILE_ROWS) = 14, K(TILE_VECTORS) = 4 }; /* the most of each */

/* A(i, k) is at a[i * row + k * step], lane j of vector v of B's row k at b[v * vector + k * next
 * + j]. */
typedef struct {
    const real *a;
    int64_t row, step;
    const real *b;
    int64_t vector, next;
    const real *fetch; /* does_fetch: with step k, memory at fetch + k * fetch_step is fetched */
    int64_t fetch_step;
} K(operands);

/* Where C is, and how many of the tile's columns exist there. */
typedef struct {
    real *c;
    int64_t ld, columns;
    bool from_zero;
} K(target);

INLINE int K(lanes_left)(int64_t columns, int vector)
{
    int64_t left = columns - (int64_t)vector * K(LANES);
    return left < 0 ? 0 : left > K(LANES) ? (int)K(LANES) : (int)left;
}

INLINE void K(tile)(const int rows, const int vectors, const bool does_fetch, int64_t n_steps,
                    K(operands) in, K(target) to)
{
    K(vec) sum[K(TILE_ROWS)][K(TILE_VECTORS)];
    const bool is_whole = to.columns >= (int64_t)vectors * K(LANES);
    UNROLL
    for (int i = 0; i < rows; i++) {
        UNROLL
        for (int v = 0; v < vectors; v++) {
            const real *c = to.c + i * to.ld + v * K(LANES);
            if (to.from_zero)
                sum[i][v] = K(zero)();
            else if (is_whole)
                sum[i][v] = K(load)(c);
            else
                sum[i][v] = K(load_part)(c, K(lanes_left)(to.columns, v), K(zero)());
        }
    }
    const real *a = in.a, *b = in.b, *fetch = in.fetch;
    for (int64_t k = 0; k < n_steps; k++) {
        K(vec) right[K(TILE_VECTORS)];
        UNROLL
        for (int v = 0; v < vectors; v++) right[v] = K(load)(b + v * in.vector);
        UNROLL
        for (int i = 0; i < rows; i++) {
            K(vec) left = K(splat)(a[i * in.row]);
            UNROLL
            for (int v = 0; v < vectors; v++) sum[i][v] = K(fma)(left, right[v], sum[i][v]);
        }
        a += in.step;
        b += in.next;
        if (does_fetch) {
            __builtin_prefetch(fetch, 0, 2); /* to the second level: the first is in use */
            fetch += in.fetch_step;
        }
    }
    UNROLL
    for (int i = 0; i < rows; i++) {
        UNROLL
        for (int v = 0; v < vectors; v++) {
            real *c = to.c + i * to.ld + v * K(LANES);
            if (is_whole)
                K(store)(c, sum[i][v]);
            else
                K(store_part)(c, K(lanes_left)(to.columns, v), sum[i][v]);
        }
    }
}
