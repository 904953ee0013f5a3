/* product_float.inl -- C = A B' with the rows of B packed into panels (kernel/pack.c).
 *
 * A panel holds PANEL = 128 bytes' worth of B's rows as columns, k after k.  The loops, outermost
 * first: a group of panels that fits the second-level cache; a block of k; a tile of A's rows,
 * copied to the stack so that its row stride is a constant and hits no two rows on one cache set
 * (rows that lie so already are read in place); the group's panels.  With few rows (one, above all)
 * the copy has room for all of k, and a panel is read once, from its first byte to its last.
 *
 * Every entry of C is the chain that tile.inl describes.  The including file binds  real,  K(name)
 * and includes tile.inl before. */
enum {
    K(PANEL) = 128 / (int)sizeof(real),      /* columns */
    K(COPY) = 44 * 1024 / (int)sizeof(real), /* elements of A in a tile's copy */
    K(GROUP_BYTES) = 512 * 1024,
#if defined(SIMD_AVX512)
    K(MOST_ROWS) = 14
#elif defined(SIMD_AVX2)
    K(MOST_ROWS) = 6
#else
    K(MOST_ROWS) = 4
#endif
};

/* The copy's row stride for a tile of this many rows: an odd number of cache lines. */
INLINE int64_t K(copy_stride)(const int rows)
{
    const int line = 64 / (int)sizeof(real), lines = K(COPY) / line / rows;
    return (int64_t)line * (lines % 2 ? lines : lines - 1);
}

#ifdef SIMD_AVX512
_Static_assert(44 * 1024 / 64 / K(MOST_ROWS) == SMR_PRODUCT_PITCH / 64 + 1,
               "rows that far apart are not copied");
#endif

/* The tile against one panel: at once where the registers suffice, else in halves; half of it where
 * no more columns exist. */
INLINE void K(panel)(const int rows, int64_t n_steps, const real *a, const real *b, K(target) to)
{
    enum { whole = K(PANEL) / K(LANES), registers = SIMD_BYTES == 64 ? 32 : 16 };
    const int vectors = (rows + 1) * whole < registers ? whole : whole / 2;
    K(operands) in = {a, K(copy_stride)(rows), 1, b, K(LANES), K(PANEL), NULL, 0};
    if (to.columns <= K(PANEL) / 2) {
        K(tile)(rows, whole / 2, false, n_steps, in, to);
        return;
    }
    UNROLL
    for (int v = 0; v < whole; v += vectors) {
        K(tile)(rows, vectors, false, n_steps, in, to);
        in.b += vectors * K(LANES);
        to.c += vectors * K(LANES);
        to.columns -= (int64_t)vectors * K(LANES);
    }
}

/* A block of k, for one tile of rows and the panels of a group. */
typedef struct {
    const real *a, *panels; /* at the block's first k */
    int64_t lda, panel_size, n_steps, n_panels;
    int64_t n_next; /* rows of the tile after this one */
    K(target) to;   /* columns: of the whole group */
} K(work);

/* Fetches the next tile's rows, a share with each panel: long ones may come from far. */
INLINE void K(fetch_next)(const int rows, const K(work) * w, int64_t panel)
{
    const int line = 64 / (int)sizeof(real);
    if (w->n_steps < 16 * line || w->n_next == 0) return;
    int64_t lines = (w->n_steps + line - 1) / line;
    int64_t share = (w->n_next * lines + w->n_panels - 1) / w->n_panels;
    int64_t i = panel * share / lines, l = panel * share % lines;
    const real *next = w->a + (rows + i) * w->lda;
    for (int64_t n = 0; n < share && i < w->n_next; n++) {
        __builtin_prefetch(next + l * line, 0, 2);
        if (++l < lines) continue;
        l = 0;
        i++;
        next += w->lda;
    }
}

INLINE void K(rows)(const int rows, const K(work) * w)
{
    real copy[K(COPY)] __attribute__((aligned(64)));
    const real *a = w->lda == K(copy_stride)(rows) ? w->a : copy;
    for (int i = 0; i < rows && a == copy; i++)
        memcpy(copy + i * K(copy_stride)(rows), w->a + i * w->lda,
               (size_t)w->n_steps * sizeof(real));
    K(target) to = w->to;
    for (int64_t p = 0; p < w->n_panels; p++) {
        for (int i = 0; i < rows; i++) { /* the next panel's part of C */
            __builtin_prefetch(to.c + i * to.ld + K(PANEL), 1);
            __builtin_prefetch(to.c + i * to.ld + K(PANEL) + K(PANEL) / 2, 1);
        }
        K(fetch_next)(rows, w, p);
        K(panel)(rows, w->n_steps, a, w->panels + p * w->panel_size, to);
        to.c += K(PANEL);
        to.columns -= K(PANEL);
    }
}

#define ROWS(count)                                                          \
    static __attribute__((noinline)) void K(rows_##count)(const K(work) * w) \
    {                                                                        \
        K(rows)(count, w);                                                   \
    }
ROWS(1)
ROWS(2)
ROWS(3)
ROWS(4)
#if SIMD_BYTES > 16
ROWS(5)
ROWS(6)
#endif
#if SIMD_BYTES > 32
ROWS(7)
ROWS(8)
ROWS(9)
ROWS(10)
ROWS(11)
ROWS(12)
ROWS(13)
ROWS(14)
#endif
#undef ROWS

static void (*const K(rows_of)[])(const K(work) *) = {
    NULL,      K(rows_1), K(rows_2), K(rows_3),  K(rows_4),
#if SIMD_BYTES > 16
    K(rows_5), K(rows_6),
#endif
#if SIMD_BYTES > 32
    K(rows_7), K(rows_8), K(rows_9), K(rows_10), K(rows_11), K(rows_12), K(rows_13), K(rows_14),
#endif
};

static int64_t K(least)(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Steps of k in a block: the copy has room for them, and the blocks are about equal. */
static int64_t K(block_steps)(int64_t m, int64_t k)
{
    int64_t room = K(copy_stride)((int)K(least)(m, K(MOST_ROWS)));
    int64_t n_blocks = (k + room - 1) / room;
    return n_blocks ? (k + n_blocks - 1) / n_blocks : 0;
}

static void K(multiply)(int64_t m, int64_t n, int64_t k, const real *A, int64_t lda,
                        const void *panels, K(target) to)
{
    if (m <= 0 || n <= 0) return;
    int64_t steps = K(block_steps)(m, k), n_panels = (n + K(PANEL) - 1) / K(PANEL);
    int64_t group = K(GROUP_BYTES) / (128 * (steps + 1)) + 1;
    K(work) w = {.lda = lda, .panel_size = k * K(PANEL), .to = to};
    for (int64_t p = 0; p < n_panels; p += group) {
        w.n_panels = K(least)(group, n_panels - p);
        w.to.columns = n - p * K(PANEL);
        int64_t at = 0;
        do {
            w.n_steps = K(least)(steps, k - at);
            w.to.from_zero = to.from_zero && at == 0;
            w.panels = (const real *)panels + p * w.panel_size + at * K(PANEL);
            for (int64_t i = 0, rows; i < m; i += rows) {
                rows = K(least)(K(MOST_ROWS), m - i);
                w.a = A + i * lda + at;
                w.n_next = K(least)(K(MOST_ROWS), m - i - rows);
                w.to.c = to.c + i * to.ld + p * K(PANEL);
                K(rows_of)[rows](&w);
            }
            at += steps;
        } while (at < k);
    }
}

void TIER(K(product))(int64_t m, int64_t n, int64_t k, const real *A, int64_t lda,
                      const void *panels, real *C, int64_t ldc)
{
    K(multiply)(m, n, k, A, lda, panels, (K(target)){C, ldc, 0, true});
}

void TIER(K(product_add))(int64_t m, int64_t n, int64_t k, const real *A, int64_t lda,
                          const void *panels, real *C, int64_t ldc)
{
    if (k > 0) K(multiply)(m, n, k, A, lda, panels, (K(target)){C, ldc, 0, false});
}
