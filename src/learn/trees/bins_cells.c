/* bins_cells.c -- the bin of each value: see bins_parts.h for the four ways to find it. */
#include "learn/trees/bins_parts.h"

#include <math.h>
#include <string.h>

enum {
    MOST_BUCKETS = 1024,
    MOST_STEPS = 4,
    SEARCHED = 256,                   /* cuts of a search, with what fills them up */
    CUT_ROOM = SEARCHED + MOST_STEPS, /* steps from the last piece look past these */
    BLOCK = 256                       /* values at a time                          */
};

/* Before a loop that is to become its eight steps. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

/* ---- making finders --------------------------------------------------------------------- */

static int64_t buckets_of(int64_t n_cuts)
{
    int64_t n = 16;
    while (n < 4 * n_cuts && n < MOST_BUCKETS) n *= 2;
    return n;
}

static int64_t piece_of(const struct smr_bin_finder *f, double x)
{
    double t = (x - f->lo) * f->scale;
    t = t > 0 ? t : 0;
    t = t < f->last ? t : f->last;
    return (int64_t)t;
}

/* Fills the table, and returns how many steps are left; more than MOST_STEPS: it does not pay. */
static int32_t fill_table(struct smr_bin_finder *f, const double *cut, int64_t n, uint8_t *table)
{
    int64_t n_buckets = buckets_of(n), k = 0;
    int32_t most = 0;
    f->lo = n > 0 ? cut[0] : 0;
    double range = n > 1 ? cut[n - 1] - f->lo : 1;
    f->last = (double)(n_buckets - 1);
    f->scale = f->last / range;
    if (!isfinite(f->lo) || !isfinite(f->scale) || !(range > 0)) return MOST_STEPS + 1;
    for (int64_t b = 0; b < n_buckets; b++) {
        int32_t here = 0;
        table[b] = (uint8_t)k;
        for (; k < n && piece_of(f, cut[k]) == b; k++) here++;
        most = SMR_MAX(most, here);
    }
    return most;
}

static void make_number(const smr_bins *bins, int64_t j, struct smr_bin_finder *f, uint8_t *table,
                        double *cuts)
{
    const double *cut = bins->cut + bins->first[j];
    int64_t n = bins->n_bins[j] - 1;
    memcpy(cuts, cut, (size_t)n * sizeof *cuts);
    for (int64_t k = n; k < CUT_ROOM; k++) cuts[k] = INFINITY;
    f->cut = cuts;
    f->table = table;
    f->steps = fill_table(f, cut, n, table);
    f->how = f->steps <= MOST_STEPS ? SMR_FIND_TABLE : SMR_FIND_SEARCH;
}

static void make_byte(const smr_bins *bins, int64_t j, struct smr_bin_finder *f, uint8_t *table)
{
    const double *cut = bins->cut + bins->first[j];
    int32_t n = bins->n_bins[j] - 1, b = 0;
    for (int v = 0; v < 256; v++) {
        while (b < n && (double)v > cut[b]) b++;
        table[v] = (uint8_t)b;
    }
    f->how = SMR_FIND_BYTE;
    f->table = table;
}

smr_status smr_bin_finders_make(smr_ctx *ctx, const smr_bins *bins, bool bytes,
                                struct smr_bin_finders *out)
{
    smr_status st = SMR_OK;
    int64_t d = bins->n_features, room = bytes ? 256 : MOST_BUCKETS;
    *out = (struct smr_bin_finders){0};
    TRY_NEW(out->find, d);
    TRY_NEW(out->tables, d * room);
    if (!bytes) TRY_NEW(out->cuts, d * CUT_ROOM);
    for (int64_t j = 0; j < d; j++) {
        struct smr_bin_finder *f = &out->find[j];
        f->n_bins = bins->n_bins[j];
        if (bins->is_category[j]) {
            f->how = SMR_FIND_CODE;
            f->n_levels = bins->n_levels[j];
            f->table = bins->level_bin[j];
        } else if (bytes) {
            make_byte(bins, j, f, out->tables + j * room);
        } else {
            make_number(bins, j, f, out->tables + j * room, out->cuts + j * CUT_ROOM);
        }
    }
out:
    if (st != SMR_OK) smr_bin_finders_release(out);
    return st;
}

void smr_bin_finders_release(struct smr_bin_finders *finders)
{
    smr_free(finders->find);
    smr_free(finders->tables);
    smr_free(finders->cuts);
    *finders = (struct smr_bin_finders){0};
}

/* ---- finding ---------------------------------------------------------------------------- */

static bool find_codes(const struct smr_bin_finder *f, const double *x, int64_t n, uint8_t *cell)
{
    bool missing = false;
    for (int64_t i = 0; i < n; i++) {
        bool known = x[i] >= 0 && x[i] < (double)f->n_levels;
        int64_t code = known ? (int64_t)x[i] : 0;
        int32_t bin = f->table ? f->table[code] : (int32_t)code;
        cell[i] = (uint8_t)(known ? bin : f->n_bins);
        missing |= !known;
    }
    return missing;
}

static inline __attribute__((always_inline)) void step(const struct smr_bin_finder *f,
                                                       const double *x, int64_t n,
                                                       const int32_t *piece, int steps,
                                                       uint8_t *cell)
{
    const double *cut = f->cut;
    for (int64_t i = 0; i < n; i++) {
        int64_t first = f->table[piece[i]];
        int64_t b = first;
        for (int s = 0; s < steps; s++) b += x[i] > cut[first + s];
        cell[i] = (uint8_t)b;
    }
}

static void find_in_table(const struct smr_bin_finder *f, const double *x, int64_t n, uint8_t *cell)
{
    int32_t piece[BLOCK];
    for (int64_t i = 0; i < n; i++) {
        double t = (x[i] - f->lo) * f->scale; /* as piece_of */
        t = t > 0 ? t : 0;
        t = t < f->last ? t : f->last;
        piece[i] = (int32_t)t;
    }
    if (f->steps <= 1)
        step(f, x, n, piece, 1, cell);
    else if (f->steps == 2)
        step(f, x, n, piece, 2, cell);
    else
        step(f, x, n, piece, MOST_STEPS, cell);
}

static void search(const struct smr_bin_finder *f, const double *x, int64_t n, uint8_t *cell)
{
    const double *cut = f->cut;
    for (int64_t i = 0; i < n; i++) {
        int64_t b = 0;
        UNROLL for (int64_t half = SEARCHED / 2; half > 0; half /= 2) b +=
            x[i] > cut[b + half - 1] ? half : 0;
        cell[i] = (uint8_t)b;
    }
}

static bool mark_missing(const struct smr_bin_finder *f, const double *x, int64_t n, uint8_t *cell)
{
    int any = 0;
    for (int64_t i = 0; i < n; i++) any |= x[i] != x[i];
    for (int64_t i = 0; any && i < n; i++)
        if (isnan(x[i])) cell[i] = (uint8_t)f->n_bins;
    return any != 0;
}

static bool is_strange(const struct smr_bin_finder *f, const double *x, int64_t n,
                       const uint8_t *cell)
{
    int any = 0;
    for (int64_t i = 0; i < n; i++) any |= cell[i] < f->n_bins && x[i] != f->value[cell[i]];
    return any != 0;
}

void smr_bins_find(const struct smr_bin_finder *find, const double *x, int64_t n, uint8_t *cell,
                   bool *missing, bool *strange)
{
    for (int64_t lo = 0; lo < n; lo += BLOCK, x += BLOCK, cell += BLOCK) {
        int64_t m = SMR_MIN(BLOCK, n - lo);
        if (find->how == SMR_FIND_CODE) {
            *missing |= find_codes(find, x, m, cell);
            continue;
        }
        if (find->how == SMR_FIND_TABLE)
            find_in_table(find, x, m, cell);
        else
            search(find, x, m, cell);
        *missing |= mark_missing(find, x, m, cell);
        if (find->value) *strange |= is_strange(find, x, m, cell);
    }
}
