/* reduce.inl -- sums and maxima over vectors, with one result for every tier.
 *
 * Element i belongs to lane i mod L, L = 256 bytes' worth of elements; a lane takes its elements in
 * ascending order from 0.  The vectors are thought to go on, up to a multiple of 64 bytes, with
 * elements that add nothing.  At the end lane l takes lane l + L/2, then l + L/4, ... until one is
 * left.  So AVX-512 has four chains of 8 doubles in flight, AVX2 eight of 4, and all agree.
 *
 * The including file binds  real  and  K(name), and includes simd.h before. */
enum {
    K(CHUNK) = 64 / (int)sizeof(real), /* elements */
    K(PARTS) = 64 / SIMD_BYTES         /* vectors */
};

/* 64 bytes of elements, or as many lanes. */
typedef struct {
    K(vec) part[K(PARTS)];
} K(chunk);

enum reduction { SUM, PRODUCTS, SQUARED_DIFFERENCES, ABSOLUTE_DIFFERENCES, LARGEST_DIFFERENCE };

/* The larger one; NaN once there is one. */
INLINE K(vec) K(larger)(K(vec) a, K(vec) b)
{
    return K(select)((b > a) | (b != b), b, a);
}

INLINE K(vec) K(step)(enum reduction kind, K(vec) sum, K(vec) x, K(vec) y)
{
    K(vec) d = x - y;
    switch (kind) {
    case SUM: return sum + x;
    case PRODUCTS: return K(fma)(x, y, sum);
    case SQUARED_DIFFERENCES: return K(fma)(d, d, sum);
    case ABSOLUTE_DIFFERENCES: return sum + K(abs)(d);
    case LARGEST_DIFFERENCE: return K(larger)(sum, K(abs)(d));
    }
    return sum;
}

INLINE K(chunk) K(step_chunk)(enum reduction kind, K(chunk) sum, K(chunk) x, K(chunk) y)
{
    UNROLL
    for (int v = 0; v < K(PARTS); v++)
        sum.part[v] = K(step)(kind, sum.part[v], x.part[v], y.part[v]);
    return sum;
}

INLINE K(chunk) K(join_chunks)(enum reduction kind, K(chunk) a, K(chunk) b)
{
    UNROLL
    for (int v = 0; v < K(PARTS); v++)
        a.part[v] =
            kind == LARGEST_DIFFERENCE ? K(larger)(a.part[v], b.part[v]) : a.part[v] + b.part[v];
    return a;
}

INLINE K(chunk) K(splat_chunk)(real x)
{
    K(chunk) chunk;
    UNROLL
    for (int v = 0; v < K(PARTS); v++) chunk.part[v] = K(splat)(x);
    return chunk;
}

INLINE K(chunk) K(load_chunk)(const real *p)
{
    K(chunk) chunk;
    UNROLL
    for (int v = 0; v < K(PARTS); v++) chunk.part[v] = K(load)(p + v * K(LANES));
    return chunk;
}

INLINE int K(clamp)(int64_t count)
{
    return count < 0 ? 0 : count > K(LANES) ? (int)K(LANES) : (int)count;
}

/* The first `count` elements, or as many as a chunk has, and `fill` after them. */
INLINE K(chunk) K(load_chunk_part)(const real *p, int64_t count, K(chunk) fill)
{
    UNROLL
    for (int v = 0; v < K(PARTS); v++) {
        int64_t at = v * K(LANES);
        fill.part[v] = K(load_part)(p + at, K(clamp)(count - at), fill.part[v]);
    }
    return fill;
}

INLINE real K(fold)(enum reduction kind, K(chunk) a, K(chunk) b, K(chunk) c, K(chunk) d)
{
    a = K(join_chunks)(kind, K(join_chunks)(kind, a, c), K(join_chunks)(kind, b, d));
    real lane[K(CHUNK)];
    memcpy(lane, &a, sizeof lane);
    UNROLL
    for (int half = K(CHUNK) / 2; half > 0; half /= 2) {
        UNROLL
        for (int l = 0; l < half; l++) {
            real p = lane[l], q = lane[l + half];
            lane[l] = kind != LARGEST_DIFFERENCE ? p + q : q > p || q != q ? q : p;
        }
    }
    return lane[0];
}

/* Takes a whole chunk of x and, if there is a y, of y; else `other` stands in for y. */
INLINE K(chunk) K(take)(enum reduction kind, K(chunk) sum, const real *x, const real *y, bool has_y,
                        K(chunk) other)
{
    return K(step_chunk)(kind, sum, K(load_chunk)(x), has_y ? K(load_chunk)(y) : other);
}

/* As K(take) with the first `count` elements; `other` stands in for what is missing. */
INLINE K(chunk) K(take_part)(enum reduction kind, K(chunk) sum, const real *x, const real *y,
                             bool has_y, K(chunk) other, int64_t count)
{
    K(chunk) right = has_y ? K(load_chunk_part)(y, count, other) : other;
    return K(step_chunk)(kind, sum, K(load_chunk_part)(x, count, other), right);
}

/* Reduces x with y or, without y (which is then any valid pointer), with `fixed` in place of it. */
INLINE real K(reduce)(enum reduction kind, bool has_y, int64_t n, const real *x, const real *y,
                      real fixed)
{
    enum { STEP = K(CHUNK) };
    K(chunk) a = K(splat_chunk)(0), b = a, c = a, d = a, other = K(splat_chunk)(fixed);
    int64_t i = 0;
    for (; i + 4 * STEP <= n; i += 4 * STEP) {
        const real *p = x + i, *q = y + i;
        a = K(take)(kind, a, p, q, has_y, other);
        b = K(take)(kind, b, p + STEP, q + STEP, has_y, other);
        c = K(take)(kind, c, p + 2 * STEP, q + 2 * STEP, has_y, other);
        d = K(take)(kind, d, p + 3 * STEP, q + 3 * STEP, has_y, other);
    }
    const real *p = x + i, *q = y + i;
    int64_t left = n - i;
    if (left > 0) a = K(take_part)(kind, a, p, q, has_y, other, left);
    if (left > STEP) b = K(take_part)(kind, b, p + STEP, q + STEP, has_y, other, left - STEP);
    if (left > 2 * STEP)
        c = K(take_part)(kind, c, p + 2 * STEP, q + 2 * STEP, has_y, other, left - 2 * STEP);
    if (left > 3 * STEP)
        d = K(take_part)(kind, d, p + 3 * STEP, q + 3 * STEP, has_y, other, left - 3 * STEP);
    return K(fold)(kind, a, b, c, d);
}

real TIER(K(dot))(int64_t n, const real *x, const real *y)
{
    return K(reduce)(PRODUCTS, true, n, x, y, 0);
}

real TIER(K(l2sq))(int64_t n, const real *x, const real *y)
{
    return K(reduce)(SQUARED_DIFFERENCES, true, n, x, y, 0);
}

/* y <- y + a x, one fma an element. */
void TIER(K(axpy))(int64_t n, real a, const real *x, real *y)
{
    K(vec) factor = K(splat)(a);
    int64_t i = 0;
    for (; i + K(LANES) <= n; i += K(LANES))
        K(store)(y + i, K(fma)(factor, K(load)(x + i), K(load)(y + i)));
    if (i == n) return;
    int count = (int)(n - i);
    K(vec) p = K(load_part)(x + i, count, K(zero)()), q = K(load_part)(y + i, count, K(zero)());
    K(store_part)(y + i, count, K(fma)(factor, p, q));
}
