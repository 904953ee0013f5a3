/* boost_hist.c -- histograms: for each cell of each column the sums of its rows' gradients.
 *
 * The loop that boosting spends its time in.  A row's cells lie together (one cache line of up to
 * 64 columns); its word is added to one place of each column's part of the histogram.  Rows come
 * in runs of RUN, columns in groups of eight, whose histograms (16 KB) stay in the nearest cache
 * while a run goes through them.  Cells of rows far apart are fetched while the words are gathered.
 * Cost: one addition to memory per row and column, 0.5 ns where the cells are in the cache. */
#include "learn/trees/boost.h"

#include <string.h>

enum {
    RUN = 1024,
    SPILL = SMR_BOOST_HEAVIEST * RUN, /* rows in a narrow histogram: 2^17 times that fits 31 bits */
    AHEAD = 64,                       /* rows whose words are fetched meanwhile, from far */
    NEAR = 24                         /* rows whose cells are, from the second cache to the first */
};

/* Rows of one call: numbered, or in a row. */
struct run {
    const uint8_t *cell;
    int64_t stride;
    const int32_t *row; /* NULL: from, from + 1 ... */
    int64_t from, n;
};

static inline int64_t row_of(const struct run *r, int64_t i)
{
    return r->row ? r->row[i] : r->from + i;
}

/* ---- narrow ----------------------------------------------------------------------------- */

/* Eight columns from `lo` on of all rows of a run: their histograms begin at part[0 .. 7]. */
static inline __attribute__((always_inline)) void add_eight_of(const struct run *r, int64_t lo,
                                                               const int64_t *word,
                                                               int64_t *const *part,
                                                               const bool is_listed)
{
    int64_t *a = part[0], *b = part[1], *c = part[2], *d = part[3];
    int64_t *e = part[4], *f = part[5], *g = part[6], *h = part[7];
    int64_t n = r->n, stride = r->stride;
    const int32_t *row = r->row;
    const uint8_t *cell = r->cell + lo, *x = cell + (is_listed ? 0 : r->from * stride);
    for (int64_t i = 0; i < n; i++) {
        int64_t v = word[i];
        if (is_listed) {
            x = cell + row[i] * stride;
            if (i + NEAR < n) __builtin_prefetch(cell + row[i + NEAR] * stride);
        }
        a[x[0]] += v;
        b[x[1]] += v;
        c[x[2]] += v;
        d[x[3]] += v;
        e[x[4]] += v;
        f[x[5]] += v;
        g[x[6]] += v;
        h[x[7]] += v;
        x += stride;
    }
}

static void add_eight(const struct run *r, int64_t lo, const int64_t *word, int64_t *const *part)
{
    if (r->row)
        add_eight_of(r, lo, word, part, true);
    else
        add_eight_of(r, lo, word, part, false);
}

static void add_four(const struct run *r, int64_t lo, const int64_t *word, int64_t *const *part)
{
    int64_t *a = part[0], *b = part[1], *c = part[2], *d = part[3];
    const uint8_t *cell = r->cell + lo;
    for (int64_t i = 0; i < r->n; i++) {
        const uint8_t *x = cell + row_of(r, i) * r->stride;
        int64_t v = word[i];
        a[x[0]] += v;
        b[x[1]] += v;
        c[x[2]] += v;
        d[x[3]] += v;
    }
}

static void add_one(const struct run *r, int64_t column, const int64_t *word, int64_t *part)
{
    for (int64_t i = 0; i < r->n; i++) part[r->cell[row_of(r, i) * r->stride + column]] += word[i];
}

static void add_narrow(const smr_boost_cells *cells, const int32_t *columns, int64_t n_columns,
                       const struct run *r, const int64_t *word, int64_t *hist)
{
    int64_t *part[8], c = 0;
    bool is_dense = n_columns == cells->n_columns; /* then column c is columns[c] */
    while (c < n_columns) {
        int64_t m = is_dense ? SMR_MIN(8, n_columns - c) : 1;
        if (m < 8) m = m >= 4 ? 4 : 1;
        for (int64_t k = 0; k < m; k++) part[k] = hist + cells->start[columns[c + k]];
        if (m == 8)
            add_eight(r, c, word, part);
        else if (m == 4)
            add_four(r, c, word, part);
        else
            add_one(r, columns[c], word, part[0]);
        c += m;
    }
}

/* ---- wide ------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) void
add_fields(const smr_boost_cells *cells, const int32_t *columns, int64_t n_columns,
           const smr_boost_gradients *of, const struct run *r, const int fields, int64_t *hist)
{
    for (int64_t i = 0; i < r->n; i++) {
        int64_t row = row_of(r, i);
        const uint8_t *x = r->cell + row * r->stride;
        int64_t g = of->pair[row].whole.g, h = of->pair[row].whole.h;
        int64_t w = of->weight ? of->weight[row] : 1;
        if (of->is_once) g *= w, h *= w;
        if (r->row && i + AHEAD < r->n) {
            __builtin_prefetch(&of->pair[r->row[i + AHEAD]]);
            __builtin_prefetch(r->cell + r->row[i + AHEAD] * r->stride);
        }
        for (int64_t c = 0; c < n_columns; c++) {
            int64_t *at = hist + fields * (cells->start[columns[c]] + x[columns[c]]);
            at[0] += g;
            at[1] += h;
            if (fields == 3) at[2] += w;
        }
    }
}

static void add_wide(const smr_boost_cells *cells, const int32_t *columns, int64_t n_columns,
                     const smr_boost_gradients *of, const struct run *r, int64_t *hist)
{
    if (of->counts)
        add_fields(cells, columns, n_columns, of, r, 3, hist);
    else
        add_fields(cells, columns, n_columns, of, r, 2, hist);
}

/* ---- both ------------------------------------------------------------------------------- */

/* Unpacks the narrow sums of all cells into the wide ones. */
static void spill(smr_boost_lane *lane, int64_t n_cells)
{
    for (int64_t i = 0; i < n_cells; i++) {
        int64_t v = lane->narrow[i], h = (int64_t)(uint32_t)v;
        lane->wide[2 * i] += (v - h) >> 32;
        lane->wide[2 * i + 1] += h;
        lane->narrow[i] = 0;
    }
    lane->pending = 0;
    lane->is_spilled = true;
}

/* The words of the run's rows: as they lie, or gathered into `room`. */
static const int64_t *words_of(const smr_boost_pair *pair, const struct run *r, int64_t *room)
{
    if (!r->row) return &pair[r->from].word;
    for (int64_t i = 0; i < r->n; i++) {
        if (i + AHEAD < r->n) __builtin_prefetch(&pair[r->row[i + AHEAD]], 0, 1);
        const uint8_t *x = r->cell + r->row[i] * r->stride;
        __builtin_prefetch(x, 0, 1); /* a row may lie in two lines */
        __builtin_prefetch(x + r->stride - 1, 0, 1);
        room[i] = pair[r->row[i]].word;
    }
    return room;
}

void smr_boost_hist_add(const smr_boost_cells *cells, const int32_t *columns, int64_t n_columns,
                        const smr_boost_gradients *of, const int32_t *row, int64_t from, int64_t n,
                        smr_boost_lane *lane)
{
    int64_t word[RUN], n_cells = cells->start[cells->n_columns];
    for (int64_t lo = 0; lo < n; lo += RUN) {
        struct run r = {cells->cell, cells->stride, row ? row + lo : NULL, from + lo,
                        SMR_MIN(RUN, n - lo)};
        lane->is_used = true;
        if (!of->is_narrow) {
            add_wide(cells, columns, n_columns, of, &r, lane->wide);
            lane->is_spilled = true;
            continue;
        }
        int64_t rows = r.n * of->heaviest;
        if (lane->pending + rows > SPILL) spill(lane, n_cells);
        add_narrow(cells, columns, n_columns, &r, words_of(of->pair, &r, word), lane->narrow);
        lane->pending += rows;
    }
}

void smr_boost_hist_sum(const smr_boost_lane *lane, int64_t lo, int64_t hi, int fields,
                        smr_boost_sums *sums)
{
    for (int64_t i = lo; i < hi; i++) {
        const int64_t *wide = lane->wide + i * fields;
        int64_t v = lane->pending > 0 ? lane->narrow[i] : 0, h = (int64_t)(uint32_t)v;
        sums->g += wide[0] + ((v - h) >> 32);
        sums->h += wide[1] + h;
        if (fields == 3) sums->w += wide[2];
    }
}

void smr_boost_hist_take(smr_boost_lane *lanes, int n_lanes, int64_t lo, int64_t hi, int fields,
                         int64_t *out)
{
    memset(out + lo * fields, 0, (size_t)((hi - lo) * fields) * sizeof *out);
    for (int l = 0; l < n_lanes; l++) {
        smr_boost_lane *lane = &lanes[l];
        if (!lane->is_used) continue;
        if (lane->is_spilled) {
            for (int64_t i = lo * fields; i < hi * fields; i++) out[i] += lane->wide[i];
            memset(lane->wide + lo * fields, 0, (size_t)((hi - lo) * fields) * sizeof *out);
        }
        if (lane->pending == 0) continue;
        for (int64_t i = lo; i < hi; i++) {
            int64_t v = lane->narrow[i], h = (int64_t)(uint32_t)v;
            out[2 * i] += (v - h) >> 32;
            out[2 * i + 1] += h;
        }
        memset(lane->narrow + lo, 0, (size_t)(hi - lo) * sizeof *lane->narrow);
    }
}
