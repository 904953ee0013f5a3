/* tree_sparse.c -- codes of sparse rows: only the cells that are not 0 are kept.
 *
 * Codes are those of tree_codes.c: where a feature has at most 255 values, its bins
 * (bins_sparse.h); else the ranks among its values, 0 among them.  Entries are kept twice: by
 * column, in the order of their codes, for searching; and by row, for finding out where a row goes.
 * A row without an entry has the code of 0.  Nodes search a column by going through its entries and
 * passing over the rows of others; subtrees work with the entries of their own rows (tree_part.c).
 *
 * Serves all criteria except absolute error, numbers but no categories, and missing=direction; else
 * the rows are made dense.  Cost: n log n of the entries; 16 bytes per entry. */
#include "learn/trees/tree_sparse.h"

#include <math.h>
#include <string.h>

enum { BYTES = 256 };

bool smr_tree_sparse_serves(const struct smr_tree_params *p, int criterion, const smr_data *data)
{
    if (!smr_data_is_sparse(data) || criterion == SMR_TREE_ABSOLUTE ||
        p->missing == SMR_TREE_FRACTION)
        return false;
    for (int64_t j = 0; data->features && j < data->n_features; j++)
        if (data->features[j].kind == SMR_CATEGORY) return false;
    return true;
}

void smr_tree_sparse_free(smr_tree_sparse *s)
{
    if (!s) return;
    if (!s->is_part) {
        smr_free(s->zero);
        smr_free(s->is_wide);
    }
    smr_free(s->of_column);
    smr_free(s->row);
    smr_free(s->code);
    smr_free(s->of_row);
    smr_free(s->column);
    smr_free(s->cell);
    smr_free(s);
}

/* ---- wide columns ----------------------------------------------------------------------- */

struct wide {
    smr_tree_codes *codes;
    int64_t *start, *end; /* of a feature in these; narrow ones have none */
    int32_t *row;
    double *value;
    uint32_t *code;
};

static void take_wide(void *arg, int64_t row, int32_t j, double value)
{
    struct wide *w = arg;
    if (!w->codes->sparse->is_wide[j]) return;
    w->row[w->end[j]] = (int32_t)row;
    w->value[w->end[j]++] = value;
}

/* All 256 values of a byte and no other, none missing: a dense copy has their codes in bytes. */
static bool is_bytes(const smr_tree_codes *c, int64_t j, const double *x, int64_t n)
{
    if (c->n_codes[j] != BYTES) return false;
    for (int64_t e = 0; e < n; e++)
        if (!(x[e] >= 0 && x[e] < BYTES && x[e] == floor(x[e]))) return false;
    return true;
}

/* Ranks of a column's values among themselves and, where some rows have no entry, 0. */
static smr_status rank(smr_ctx *ctx, void *arg, int64_t j, int lane)
{
    struct wide *w = arg;
    smr_tree_codes *c = w->codes;
    smr_status st = SMR_OK;
    int64_t lo = w->start[j], n = w->end[j] - lo, *order = NULL, k = 0;
    const double *x = w->value + lo;
    bool zero = n < c->n;
    (void)lane;
    if (!c->sparse->is_wide[j]) return SMR_OK;
    TRY_NEW(order, n);
    TRY_NEW(c->value[j], n + 1);
    double *value = c->value[j];
    TRY(smr_argsort_f64(ctx, n, x, order));
    for (int64_t i = 0; i <= n; i++) {
        double v = i < n ? x[order[i]] : NAN;
        if (zero && !(v < 0)) {
            c->sparse->zero[j] = (uint32_t)k;
            value[k++] = 0;
            zero = false;
        }
        if (i == n) break;
        if (!isnan(v) && (k == 0 || v > value[k - 1])) value[k++] = v;
        w->code[lo + order[i]] = isnan(v) ? UINT32_MAX : (uint32_t)(k - 1);
    }
    c->n_codes[j] = k;
    for (int64_t e = lo; e < lo + n; e++)
        if (w->code[e] == UINT32_MAX) w->code[e] = (uint32_t)k;
    c->sparse->is_wide[j] = !is_bytes(c, j, x, n);
out:
    smr_free(order);
    return st;
}

static smr_status open_wide(smr_ctx *ctx, const int64_t *count, smr_tree_codes *c, struct wide *w)
{
    smr_status st = SMR_OK;
    *w = (struct wide){.codes = c};
    TRY_NEW(w->start, c->d + 1);
    TRY_NEW(w->end, SMR_MAX(1, c->d));
    for (int64_t j = 0; j < c->d; j++) {
        w->end[j] = w->start[j];
        w->start[j + 1] = w->start[j] + (c->sparse->is_wide[j] ? count[j] : 0);
    }
    int64_t n = SMR_MAX(1, w->start[c->d]);
    TRY_NEW(w->row, n);
    TRY_NEW(w->value, n);
    TRY_NEW(w->code, n);
out:
    return st;
}

static void close_wide(struct wide *w)
{
    smr_free(w->start);
    smr_free(w->end);
    smr_free(w->row);
    smr_free(w->value);
    smr_free(w->code);
}

/* ---- rows and columns ------------------------------------------------------------------- */

/* Entries by row, their columns ascending, from columns whose rows ascend. */
static smr_status turn(smr_ctx *ctx, int64_t n, int64_t d, smr_tree_sparse *s)
{
    smr_status st = SMR_OK;
    int64_t all = s->of_column[d];
    TRY_NEW(s->of_row, n + 2);
    TRY_NEW(s->column, SMR_MAX(1, all));
    TRY_NEW(s->cell, SMR_MAX(1, all));
    int64_t *at = s->of_row + 1;
    for (int64_t e = 0; e < all; e++) at[s->row[e] + 1]++;
    for (int64_t i = 0; i < n; i++) at[i + 1] += at[i];
    for (int64_t j = 0; j < d; j++)
        for (int64_t e = s->of_column[j]; e < s->of_column[j + 1]; e++) {
            int64_t to = at[s->row[e]]++;
            s->column[to] = (int32_t)j;
            s->cell[to] = s->code[e];
        }
out:
    return st;
}

struct sorting {
    smr_tree_sparse *s;
    const int64_t *n_codes;
    uint64_t **key; /* of a lane: 2 x most */
    int64_t most;
};

enum { COLUMNS = 256 }; /* of a task */

/* Columns in the order of their codes, rows of one code ascending. */
static smr_status sort_columns(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct sorting *q = arg;
    smr_tree_sparse *s = q->s;
    int64_t hi = SMR_MIN(s->d, (task + 1) * COLUMNS);
    if (!q->key[lane]) q->key[lane] = smr_alloc_raw(ctx, 2 * q->most, sizeof **q->key);
    if (!q->key[lane]) return SMR_ERR_NOMEM;
    for (int64_t j = task * COLUMNS; j < hi; j++) {
        int64_t lo = s->of_column[j], n = s->of_column[j + 1] - lo;
        uint64_t *key = q->key[lane];
        for (int64_t e = 0; e < n; e++)
            key[e] = (uint64_t)s->code[lo + e] << 32 | (uint32_t)s->row[lo + e];
        key = smr_tree_sort(key, key + q->most, n, q->n_codes[j]);
        for (int64_t e = 0; e < n; e++) {
            s->code[lo + e] = (uint32_t)(key[e] >> 32);
            s->row[lo + e] = (int32_t)(uint32_t)key[e];
        }
    }
    return SMR_OK;
}

static smr_status sort_all(smr_ctx *ctx, smr_tree_sparse *s, const int64_t *n_codes)
{
    smr_status st = SMR_OK;
    struct sorting q = {.s = s, .n_codes = n_codes, .most = 1};
    int lanes = smr_lanes(ctx);
    for (int64_t j = 0; j < s->d; j++)
        q.most = SMR_MAX(q.most, s->of_column[j + 1] - s->of_column[j]);
    TRY_NEW(q.key, lanes);
    TRY(smr_parallel(ctx, NULL, smr_block_count(s->d, COLUMNS), sort_columns, &q));
out:
    for (int l = 0; l < lanes && q.key; l++) smr_free(q.key[l]);
    smr_free(q.key);
    return st;
}

/* ---- all rows --------------------------------------------------------------------------- */

/* Narrow columns from the bins, wide ones from their ranks. */
static smr_status join(smr_ctx *ctx, const smr_sparse_bins *b, const struct wide *w,
                       smr_tree_codes *c)
{
    smr_status st = SMR_OK;
    smr_tree_sparse *s = c->sparse;
    TRY_NEW(s->of_column, c->d + 1);
    for (int64_t j = 0; j < c->d; j++) {
        int64_t wide = w->end[j] - w->start[j];
        s->of_column[j + 1] =
            s->of_column[j] + (c->value[j] ? wide : b->of_column[j + 1] - b->of_column[j]);
    }
    TRY_NEW(s->row, SMR_MAX(1, s->of_column[c->d]));
    TRY_NEW(s->code, SMR_MAX(1, s->of_column[c->d]));
    for (int64_t j = 0; j < c->d; j++) {
        int64_t at = s->of_column[j], n = s->of_column[j + 1] - at, zero = b->zero[j];
        for (int64_t e = 0; e < n; e++) {
            int64_t from = (c->value[j] ? w->start[j] : b->of_column[j]) + e;
            int64_t cell = c->value[j] ? 0 : b->column_cell[from];
            s->row[at + e] = c->value[j] ? w->row[from] : b->row[from];
            s->code[at + e] =
                c->value[j] ? w->code[from] : (uint32_t)(cell <= zero ? cell - 1 : cell);
        }
    }
out:
    return st;
}

smr_status smr_tree_sparse_make(smr_ctx *ctx, const smr_data *data, bool by_bins,
                                const int64_t *count, smr_tree_codes *c)
{
    smr_status st = SMR_OK;
    smr_sparse_bins b = {0};
    struct wide w = {0};
    smr_tree_sparse *s = NULL;
    TRY_NEW(s, 1);
    c->sparse = s;
    s->d = c->d;
    TRY_NEW(s->zero, SMR_MAX(1, c->d));
    TRY_NEW(s->is_wide, SMR_MAX(1, c->d));
    TRY(smr_sparse_bins_build(ctx, data, SMR_BINS_MOST, count, &b));
    for (int64_t j = 0; j < c->d; j++) {
        c->n_codes[j] = b.bins.n_bins[j];
        s->zero[j] = (uint32_t)b.zero[j];
        c->n_rounded += by_bins && !b.bins.is_exact[j];
        s->is_wide[j] = !by_bins && !b.bins.is_exact[j];
    }
    TRY(open_wide(ctx, count, c, &w));
    TRY(smr_sparse_each(ctx, data, take_wide, &w));
    TRY(smr_parallel(ctx, "sorting features", c->d, rank, &w));
    TRY(join(ctx, &b, &w, c));
    TRY(turn(ctx, c->n, c->d, s));
    TRY(sort_all(ctx, s, c->n_codes));
    c->bins = b.bins; /* for the cuts */
    b.bins = (smr_bins){0};
out:
    close_wide(&w);
    smr_sparse_bins_release(&b);
    return st;
}

/* ---- some rows -------------------------------------------------------------------------- */

smr_status smr_tree_sparse_part(smr_ctx *ctx, const smr_tree_codes *from, const int32_t *row,
                                int64_t n, const int32_t *active, int64_t n_active,
                                smr_tree_sparse **out)
{
    smr_status st = SMR_OK;
    const smr_tree_sparse *f = from->sparse;
    smr_tree_sparse *s = NULL;
    bool *is_active = NULL;
    int64_t all = 0;
    TRY_NEW(s, 1);
    *s = (smr_tree_sparse){.d = f->d, .is_part = true, .zero = f->zero, .is_wide = f->is_wide};
    TRY_NEW(is_active, SMR_MAX(1, f->d));
    TRY_NEW(s->of_column, f->d + 2);
    for (int64_t a = 0; a < n_active; a++) is_active[active[a]] = true;
    int64_t *at = s->of_column + 1;
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = f->of_row[row[i]]; e < f->of_row[row[i] + 1]; e++)
            if (is_active[f->column[e]]) at[f->column[e] + 1]++, all++;
    for (int64_t j = 0; j < f->d; j++) at[j + 1] += at[j];
    TRY_NEW(s->row, SMR_MAX(1, all));
    TRY_NEW(s->code, SMR_MAX(1, all));
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = f->of_row[row[i]]; e < f->of_row[row[i] + 1]; e++) {
            if (!is_active[f->column[e]]) continue;
            int64_t to = at[f->column[e]]++;
            s->row[to] = (int32_t)i;
            s->code[to] = f->cell[e];
        }
    TRY(turn(ctx, n, f->d, s));
    TRY(sort_all(ctx, s, from->n_codes));
    *out = s;
    s = NULL;
out:
    smr_free(is_active);
    smr_tree_sparse_free(s);
    return st;
}
