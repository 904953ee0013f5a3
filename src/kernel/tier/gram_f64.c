/* gram_f64.c -- the upper triangle of X' X.
 *
 * X's columns are cut into strips of L, as many as a vector has lanes; the last columns, if fewer,
 * are the edge.  For a block of rows, in any order (each entry is one chain over the rows):
 *
 *     strip I with strips J > I   tiles of L rows and up to 3 vectors of G (tile.inl)
 *     strip I with itself         L/2 + 1 products of the strip with itself, rotated by s lanes:
 *                                 lane l holds entry (l, l + s mod L), so hardly a lane is wasted
 *     edge with strips            tiles whose rows are the edge's columns; G's entries are their
 *                                 transpose
 *
 * Few columns are read where they are; with many, a block of rows is first copied strip by strip,
 * so that a tile reads consecutive memory.  The edge is always copied, zeros to its right.  Where
 * X is read in place, tiles fetch the next block's strips: one vector per row is not an access that
 * the processor predicts.  With the last block they fetch what the caller says it reads next.
 * Cost: n d (d + 1) / 2 multiply-adds, nearly all of them in full vectors.  Work: one block. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

#define real double
#define K(name) name##_f64
#include "kernel/tier/tile.inl"

enum { L = LANES_f64, ROTATIONS = L / 2 + 1, FEW_COLUMNS = 160 };

/* Columns of the block's rows: row r has its L values at `at + r * step`. */
typedef struct {
    const double *at;
    int64_t step;
} strip;

struct block {
    int64_t n_rows, n_strips, n_edge; /* n_edge: columns after the last strip, < L */
    strip first, edge;
    int64_t distance;  /* from a strip to the next, in elements */
    smr_ahead next;    /* rows that are fetched meanwhile; at NULL: none */
    int64_t n_fetched; /* strips of them */
    double *G;
    int64_t ldg;
};

static inline strip strip_at(const struct block *b, int64_t s)
{
    return s < b->n_strips ? (strip){b->first.at + s * b->distance, b->first.step} : b->edge;
}

/* The next strip to fetch, or `here` if there is nothing left to fetch. */
static inline strip next_fetch(struct block *b, strip here)
{
    if (!b->next.at || b->n_fetched * L >= b->n_strips * L + b->n_edge) return here;
    return (strip){b->next.at + L * b->n_fetched++, b->next.stride};
}

/* Lane l takes lane l + s mod L. */
INLINE vec_f64 rotate(vec_f64 v, const int s)
{
#if defined(SIMD_AVX512)
    switch (s) {
    case 1: return (vec_f64)_mm512_alignr_epi64((__m512i)v, (__m512i)v, 1);
    case 2: return (vec_f64)_mm512_alignr_epi64((__m512i)v, (__m512i)v, 2);
    case 3: return (vec_f64)_mm512_alignr_epi64((__m512i)v, (__m512i)v, 3);
    case 4: return (vec_f64)_mm512_alignr_epi64((__m512i)v, (__m512i)v, 4);
    default: return v;
    }
#elif defined(SIMD_AVX2)
    switch (s) {
    case 1: return (vec_f64)_mm256_permute4x64_pd((__m256d)v, 0x39);
    case 2: return (vec_f64)_mm256_permute4x64_pd((__m256d)v, 0x4e);
    default: return v;
    }
#else
    return s ? (vec_f64){v[1], v[0]} : v;
#endif
}

/* The entry of G that lane l holds after a rotation by s, for the strip that begins at `column`. */
static inline double *rotated_entry(const struct block *b, int64_t column, int s, int l)
{
    int other = (l + s) % L, low = l < other ? l : other, high = l < other ? other : l;
    return b->G + (column + low) * b->ldg + column + high;
}

/* lane[s] <- lane[s] + sum over rows of the strip times itself rotated by s, for s < `count`. */
INLINE void rotate_rows(const int count, int64_t n_rows, strip x, strip fetch,
                        double lane[ROTATIONS][L])
{
    vec_f64 sum[ROTATIONS];
    UNROLL
    for (int s = 0; s < count; s++) sum[s] = load_f64(lane[s]);
    for (int64_t i = 0; i < n_rows; i++) {
        vec_f64 v = load_f64(x.at + i * x.step);
        __builtin_prefetch(fetch.at + i * fetch.step, 0, 2);
        UNROLL
        for (int s = 0; s < count; s++) sum[s] = fma_f64(v, rotate(v, s), sum[s]);
    }
    UNROLL
    for (int s = 0; s < count; s++) store_f64(lane[s], sum[s]);
}

/* Functions of their own, so that the sums are kept in registers. */
static __attribute__((noinline)) void rotate_all(int64_t n_rows, strip x, strip fetch,
                                                 double lane[ROTATIONS][L])
{
    rotate_rows(ROTATIONS, n_rows, x, fetch, lane);
}

static __attribute__((noinline)) void rotate_two(int64_t n_rows, strip x, strip fetch,
                                                 double lane[ROTATIONS][L])
{
    rotate_rows(2, n_rows, x, fetch, lane);
}

/* Strip s, of which `width` columns exist, with itself. */
static void add_diagonal(struct block *b, int64_t s, int width)
{
    double lane[ROTATIONS][L] = {{0}};
    for (int r = 0; r < ROTATIONS; r++)
        for (int l = 0; l < width; l++)
            if ((l + r) % L < width) lane[r][l] = *rotated_entry(b, s * L, r, l);
    strip x = strip_at(b, s);
    /* Wide matrices have tiles enough to fetch in, where memory has more time. */
    strip fetch = b->n_strips < 5 ? next_fetch(b, x) : x;
    (width <= 2 ? rotate_two : rotate_all)(b->n_rows, x, fetch, lane);
    for (int r = 0; r < ROTATIONS; r++)
        for (int l = 0; l < width; l++)
            if ((l + r) % L < width) *rotated_entry(b, s * L, r, l) = lane[r][l];
}

INLINE operands_f64 strips(const struct block *b, strip left, int64_t right)
{
    strip x = strip_at(b, right);
    return (operands_f64){left.at, 1, left.step, x.at, b->distance, x.step, x.at, x.step};
}

/* Fetches the part of G that add_strips(b, i, j, 3) begins with, while other work is done. */
static inline void fetch_entries(const struct block *b, int64_t i, int64_t j)
{
    const double *G = b->G + i * L * b->ldg + j * L;
    for (int r = 0; r < L; r++)
        for (int l = 0; l < 3 * L; l += 8) __builtin_prefetch(G + r * b->ldg + l, 1);
}

/* Strip i with the strips from j on, `count` of them. */
static void add_strips(struct block *b, int64_t i, int64_t j, int64_t count)
{
    operands_f64 in = strips(b, strip_at(b, i), j);
    strip fetch = next_fetch(b, (strip){in.b, in.next});
    in.fetch = fetch.at, in.fetch_step = fetch.step;
    target_f64 to = {b->G + i * L * b->ldg + j * L, b->ldg, count * L, false};
    switch (count) {
    case 1: tile_f64(L, 1, true, b->n_rows, in, to); break;
    case 2: tile_f64(L, 2, true, b->n_rows, in, to); break;
    default: tile_f64(L, 3, true, b->n_rows, in, to); break;
    }
}

/* The edge's columns, `rows` of them, with `count` strips from j on. */
INLINE void add_edge_rows(struct block *b, const int rows, int64_t j, int64_t count)
{
    double entry[L][3 * L]; /* [edge column][strip column] */
    double *G = b->G + j * L * b->ldg + b->n_strips * L;
    for (int64_t l = 0; l < count * L; l++)
        for (int e = 0; e < rows; e++) entry[e][l] = G[l * b->ldg + e];
    operands_f64 in = strips(b, b->edge, j);
    target_f64 to = {entry[0], 3 * L, count * L, false};
    switch (count) {
    case 1: tile_f64(rows, 1, false, b->n_rows, in, to); break;
    case 2: tile_f64(rows, 2, false, b->n_rows, in, to); break;
    default: tile_f64(rows, 3, false, b->n_rows, in, to); break;
    }
    for (int64_t l = 0; l < count * L; l++)
        for (int e = 0; e < rows; e++) G[l * b->ldg + e] = entry[e][l];
}

static void add_edge(struct block *b, int64_t j, int64_t count)
{
    switch (b->n_edge) {
    case 1: add_edge_rows(b, 1, j, count); break;
#if SIMD_BYTES > 16
    case 2: add_edge_rows(b, 2, j, count); break;
    case 3: add_edge_rows(b, 3, j, count); break;
#endif
#if SIMD_BYTES > 32
    case 4: add_edge_rows(b, 4, j, count); break;
    case 5: add_edge_rows(b, 5, j, count); break;
    case 6: add_edge_rows(b, 6, j, count); break;
    case 7: add_edge_rows(b, 7, j, count); break;
#endif
    default: break;
    }
}

static void add_block(struct block *b)
{
    for (int64_t j = 0; j < b->n_strips; j += 3) {
        int64_t width = b->n_strips - j < 3 ? b->n_strips - j : 3;
        for (int64_t i = 0; i < j; i++) {
            if (i + 1 < j) fetch_entries(b, i + 1, j);
            add_strips(b, i, j, width);
        }
        for (int64_t i = j; i < j + width; i++) {
            add_diagonal(b, i, L);
            if (i + 1 < j + width) add_strips(b, i, i + 1, j + width - i - 1);
        }
        add_edge(b, j, width);
    }
    if (b->n_edge) add_diagonal(b, b->n_strips, (int)b->n_edge);
}

/* Columns [column, column + width) of the rows, L per row, zeros after them. */
static void copy_strip(int64_t n, const double *X, int64_t ldx, int64_t column, int width,
                       double *to)
{
    for (int64_t r = 0; r < n; r++)
        store_f64(to + r * L, load_part_f64(X + r * ldx + column, width, zero_f64()));
}

/* lint: allow arguments, those of a BLAS product and what comes next. */
void TIER(gram_f64)(int64_t n, int64_t d, const double *X, int64_t ldx, double *G, int64_t ldg,
                    void *work, const smr_ahead *next)
{
    double *copy = work;
    struct block b = {.n_strips = d / L, .n_edge = d % L, .G = G, .ldg = ldg};
    bool is_copied = d > FEW_COLUMNS;
    b.distance = is_copied ? SMR_GRAM_ROWS * L : L;
    b.edge = (strip){copy + (is_copied ? b.n_strips * b.distance : 0), L};
    for (int64_t from = 0; from < n; from += SMR_GRAM_ROWS) {
        const double *x = X + from * ldx;
        b.n_rows = n - from < SMR_GRAM_ROWS ? n - from : SMR_GRAM_ROWS;
        b.n_fetched = 0;
        b.next = (smr_ahead){NULL, 0};
        if (from + SMR_GRAM_ROWS >= n && next) b.next = *next;
        if (!is_copied && n - from >= 2 * SMR_GRAM_ROWS)
            b.next = (smr_ahead){x + SMR_GRAM_ROWS * ldx, ldx};
        b.first = is_copied ? (strip){copy, L} : (strip){x, ldx};
        for (int64_t s = 0; s < b.n_strips && is_copied; s++)
            copy_strip(b.n_rows, x, ldx, s * L, L, copy + s * b.distance);
        if (b.n_edge)
            copy_strip(b.n_rows, x, ldx, b.n_strips * L, (int)b.n_edge, copy + (b.edge.at - copy));
        add_block(&b);
    }
}
