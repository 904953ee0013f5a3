/* product_u8.inl -- C = A B' of bytes, exact, with the rows of B in panels (kernel/pack.c).
 *
 * A step is four bytes of k.  Panels hold B - 128, so
 *
 *     sum_k A[i][k] B[j][k] = sum_k A[i][k] (B[j][k] - 128) + 128 sum_k A[i][k].             (1)
 *
 * Sums are taken modulo 2^32; k <= 33000 keeps the result below 2^31, so nothing is lost.  Rows of
 * A are copied to the stack in the tile's own form, zeros after their end; loops are as in
 * product_float.inl.
 *
 * The including file binds  cell (A's copied element),  K(name),  TARGET (an attribute) and
 * MOST_ROWS, and defines  K(tile)(rows, n_steps, a, row, panel, sum)  before, which sets
 * sum[i * 32 + j] to the first sum of (1). */
enum {
    K(COPY) = 28 * 1024 / (int)sizeof(cell), /* elements of A in a tile's copy */
    K(STEP_SIZE) = SMR_PANEL_U8 * SMR_STEP_U8,
    K(GROUP_BYTES) = 512 * 1024
};

/* A block of k, for one tile of rows and the panels of a group. */
typedef struct {
    const uint8_t *a; /* at the block's first k */
    const int8_t *panels;
    int64_t lda, panel_size, n_bytes, n_panels;
    int32_t *c;
    int64_t ldc, columns;
    bool from_zero;
} K(work);

INLINE int64_t K(copy_stride)(const int rows)
{
    const int line = 64 / (int)sizeof(cell), lines = K(COPY) / line / rows;
    return (int64_t)line * (lines % 2 ? lines : lines - 1);
}

/* Copies the rows of A, and gives 128 times the sum of each. */
INLINE void K(copy_rows)(const int rows, const K(work) * w, cell *copy, uint32_t *shift)
{
    for (int i = 0; i < rows; i++) {
        const uint8_t *from = w->a + i * w->lda;
        cell *to = copy + i * K(copy_stride)(rows);
        uint32_t total = 0;
        for (int64_t k = 0; k < w->n_bytes; k++) to[k] = from[k];
        for (int64_t k = 0; k < w->n_bytes; k++) total += from[k];
        for (int64_t k = w->n_bytes; k % SMR_STEP_U8; k++) to[k] = 0;
        shift[i] = 128 * total;
    }
}

TARGET INLINE void K(rows)(const int rows, const K(work) * w)
{
    cell copy[K(COPY)] __attribute__((aligned(64)));
    uint32_t sum[MOST_ROWS * SMR_PANEL_U8] __attribute__((aligned(64))), shift[MOST_ROWS];
    K(copy_rows)(rows, w, copy, shift);
    int64_t n_steps = (w->n_bytes + SMR_STEP_U8 - 1) / SMR_STEP_U8;
    for (int64_t p = 0; p < w->n_panels; p++) {
        int64_t first = p * SMR_PANEL_U8, left = w->columns - first;
        int64_t width = left < SMR_PANEL_U8 ? left : SMR_PANEL_U8;
        K(tile)(rows, n_steps, copy, K(copy_stride)(rows), w->panels + p * w->panel_size, sum);
        for (int i = 0; i < rows; i++) {
            int32_t *c = w->c + i * w->ldc + first;
            const uint32_t *s = sum + i * SMR_PANEL_U8;
            if (w->from_zero)
                for (int64_t j = 0; j < width; j++) c[j] = (int32_t)(s[j] + shift[i]);
            else
                for (int64_t j = 0; j < width; j++)
                    c[j] = (int32_t)((uint32_t)c[j] + s[j] + shift[i]);
        }
    }
}

#define ROWS(count)                                                                 \
    TARGET static __attribute__((noinline)) void K(rows_##count)(const K(work) * w) \
    {                                                                               \
        K(rows)(count, w);                                                          \
    }
ROWS(1)
ROWS(2)
ROWS(3)
ROWS(4)
#if MOST_ROWS > 4
ROWS(5)
ROWS(6)
#endif
#if MOST_ROWS > 6
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
#if MOST_ROWS > 4
    K(rows_5), K(rows_6),
#endif
#if MOST_ROWS > 6
    K(rows_7), K(rows_8), K(rows_9), K(rows_10), K(rows_11), K(rows_12), K(rows_13), K(rows_14),
#endif
};

static int64_t K(least)(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Bytes of k in a block: the copy has room for them; a multiple of a step. */
static int64_t K(block_bytes)(int64_t m, int64_t k)
{
    int64_t room = K(copy_stride)((int)K(least)(m, MOST_ROWS)), n_blocks = (k + room - 1) / room;
    if (n_blocks <= 1) return room;
    int64_t n_steps = (k + SMR_STEP_U8 * n_blocks - 1) / (SMR_STEP_U8 * n_blocks);
    return n_steps * SMR_STEP_U8;
}

void TIER(K(product))(int64_t m, int64_t n, int64_t k, const uint8_t *A, int64_t lda,
                      const void *panels, int32_t *C, int64_t ldc)
{
    if (m <= 0 || n <= 0) return;
    int64_t block = K(block_bytes)(m, k), n_panels = (n + SMR_PANEL_U8 - 1) / SMR_PANEL_U8;
    int64_t group = K(GROUP_BYTES) / (SMR_PANEL_U8 * K(least)(block, k + 1)) + 1;
    int64_t n_steps = (k + SMR_STEP_U8 - 1) / SMR_STEP_U8;
    K(work) w = {.lda = lda, .panel_size = n_steps * K(STEP_SIZE), .ldc = ldc};
    for (int64_t p = 0; p < n_panels; p += group) {
        w.n_panels = K(least)(group, n_panels - p);
        w.columns = n - p * SMR_PANEL_U8;
        int64_t at = 0;
        do {
            w.n_bytes = K(least)(block, k - at);
            w.from_zero = at == 0;
            w.panels = (const int8_t *)panels + p * w.panel_size + at / SMR_STEP_U8 * K(STEP_SIZE);
            for (int64_t i = 0, rows; i < m; i += rows) {
                rows = K(least)(MOST_ROWS, m - i);
                w.a = A + i * lda + at;
                w.c = C + i * ldc + p * SMR_PANEL_U8;
                K(rows_of)[rows](&w);
            }
            at += block;
        } while (at < k);
    }
}
