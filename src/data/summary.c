/* summary.c -- see summary.h.
 *
 * A column of numbers is copied, without its missing values, and sorted by radix (core/sort.h).
 * With c the median, s = max |x - c| and d = (x - c) / s,
 *
 *     mean = c + s sum(d) / n,   then with e = (x - mean) / s:
 *     m2 = sum(e^2) - sum(e)^2 / n,   sd = s sqrt(m2 / (n-1)),
 *     skewness = sqrt(n) sum(e^3) / m2^(3/2)
 *
 * Columns that are neighbours in a row-major block are copied eight at a time: a row's cache line
 * is fetched once for them.  Cost O(n) per column; memory 16 bytes per row and lane, 72 for such
 * neighbours.
 *
 * Reference: Chan, Golub & LeVeque, The American Statistician 37(3):242-247, 1983. */
#include "data/summary.h"

#include "core/parallel.h"
#include "core/sort.h"

#include <math.h>
#include <string.h>

enum { TOGETHER = 8 };

static bool is_coded(const smr_column *c)
{
    return c->kind == SMR_CATEGORY || c->kind == SMR_TEXT;
}

/* ---- numbers ---------------------------------------------------------------------------- */

/* Between the two values at place f (n - 1) of the sorted ones. */
static double quantile(const double *sorted, int64_t n, double f)
{
    double place = f * (double)(n - 1), low = floor(place);
    double a = sorted[(int64_t)low], b = sorted[SMR_MIN((int64_t)low + 1, n - 1)];
    return a == b || place == low ? a : a + (place - low) * (b - a);
}

static void take_moments(const double *x, int64_t n, smr_column_summary *s)
{
    double c = s->median, scale = smr_fmax(s->max - c, c - s->min), sum = 0;
    s->mean = c;
    s->sd = n > 1 ? 0 : NAN;
    s->skewness = NAN;
    if (scale == 0) return;
    if (!(scale < INFINITY)) {
        s->mean = s->max < INFINITY    ? (s->min > -INFINITY ? c : -INFINITY)
                  : s->min > -INFINITY ? INFINITY
                                       : NAN;
        s->sd = NAN;
        return;
    }
    for (int64_t i = 0; i < n; i++) sum += (x[i] - c) / scale;
    s->mean = c + scale * (sum / (double)n);
    double s1 = 0, s2 = 0, s3 = 0;
    for (int64_t i = 0; i < n; i++) {
        double e = (x[i] - s->mean) / scale;
        s1 += e;
        s2 += e * e;
        s3 += e * e * e;
    }
    double m2 = s2 - s1 * s1 / (double)n;
    s->sd = n > 1 ? scale * sqrt(m2 / (double)(n - 1)) : NAN;
    s->skewness = sqrt((double)n) * s3 / (m2 * sqrt(m2));
}

/* From the n >= 1 sorted values. */
static void read_sorted(const double *x, int64_t n, smr_column_summary *s)
{
    s->min = x[0];
    s->max = x[n - 1];
    s->q1 = quantile(x, n, 0.25);
    s->median = quantile(x, n, 0.5);
    s->q3 = quantile(x, n, 0.75);
    s->is_whole = true;
    s->n_distinct = 1;
    for (int64_t i = 0; i < n; i++) {
        s->n_distinct += i > 0 && x[i] != x[i - 1];
        s->n_zero += x[i] == 0;
        s->n_infinite += isinf(x[i]) != 0;
        s->is_whole &= x[i] == floor(x[i]) && !isinf(x[i]);
    }
    take_moments(x, n, s);
}

void smr_sorted_summarize(smr_kind kind, int64_t n, const double *sorted, int64_t n_rows,
                          smr_column_summary *s)
{
    *s = (smr_column_summary){.kind = kind, .n = n, .n_missing = n_rows - n};
    s->mean = s->sd = s->skewness = s->min = s->q1 = s->median = s->q3 = s->max = NAN;
    if (n > 0) read_sorted(sorted, n, s);
}

/* ---- categories ------------------------------------------------------------------------- */

static smr_status count_levels(smr_ctx *ctx, const smr_column *c, int64_t n_rows,
                               smr_column_summary *s)
{
    smr_status st = SMR_OK;
    *s = (smr_column_summary){.kind = c->kind};
    s->n_levels = c->levels.n;
    s->most_frequent = -1;
    s->mean = s->sd = s->skewness = s->min = s->q1 = s->median = s->q3 = s->max = NAN;
    TRY_NEW(s->level_count, c->levels.n);
    for (int64_t i = 0; i < n_rows; i++) {
        int32_t code = smr_column_code(c, i);
        if (code >= 0) s->level_count[code]++;
        s->n += code >= 0;
    }
    s->n_missing = n_rows - s->n;
    for (int64_t k = 0; k < c->levels.n; k++) {
        int64_t most = s->most_frequent < 0 ? 0 : s->level_count[s->most_frequent];
        if (s->level_count[k] > most) s->most_frequent = (int32_t)k;
        s->n_distinct += s->level_count[k] > 0;
    }
out:
    return st;
}

/* ---- columns ---------------------------------------------------------------------------- */

struct job {
    const smr_table *table;
    smr_column_summary *columns;
    const smr_column_summary *known;
    const int64_t *first; /* task k takes columns first[k] .. first[k+1]-1 */
};

/* Copies the values of `width` columns that are not missing; n[k] of column k. */
static void copy_values(const smr_column *c, int64_t width, int64_t n_rows, double *x, int64_t *n)
{
    for (int64_t k = 0; k < width; k++) n[k] = 0;
    for (int64_t i = 0; i < n_rows; i++)
        for (int64_t k = 0; k < width; k++) {
            double v = smr_column_number(&c[k], i);
            if (!isnan(v)) x[k * n_rows + n[k]++] = v;
        }
}

static smr_status summarize(smr_ctx *ctx, const smr_column *c, int64_t width, int64_t n_rows,
                            smr_column_summary *s)
{
    smr_status st = SMR_OK;
    double *x = NULL, *spare = NULL;
    int64_t n[TOGETHER];
    if (is_coded(c)) return count_levels(ctx, c, n_rows, s);
    x = smr_alloc_raw(ctx, width * n_rows, sizeof *x);
    spare = x ? smr_alloc_raw(ctx, n_rows, sizeof *spare) : NULL;
    if (!spare) TRY(SMR_ERR_NOMEM);
    copy_values(c, width, n_rows, x, n);
    for (int64_t k = 0; k < width; k++)
        smr_sorted_summarize(c[k].kind, n[k], smr_sort_f64(n[k], x + k * n_rows, spare), n_rows,
                             &s[k]);
out:
    smr_free(spare);
    smr_free(x);
    return st;
}

smr_status smr_column_summarize(smr_ctx *ctx, const smr_column *col, int64_t n_rows,
                                smr_column_summary *out)
{
    smr_status st = summarize(ctx, col, 1, n_rows, out);
    if (st != SMR_OK) {
        smr_free(out->level_count);
        out->level_count = NULL;
    }
    return st;
}

static smr_status summarize_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct job *j = arg;
    int64_t lo = j->first[task], hi = j->first[task + 1];
    bool known = j->known != NULL;
    (void)lane;
    for (int64_t k = lo; known && k < hi; k++)
        known = j->known[k].n + j->known[k].n_missing == j->table->n_rows;
    if (known && j->table->n_rows > 0) {
        memcpy(&j->columns[lo], &j->known[lo], (size_t)(hi - lo) * sizeof *j->columns);
        return SMR_OK;
    }
    return summarize(ctx, &j->table->cols[lo], hi - lo, j->table->n_rows, &j->columns[lo]);
}

static bool are_neighbours(const smr_column *a, const smr_column *b)
{
    return !is_coded(a) && !is_coded(b) && a->dtype == b->dtype && a->stride == b->stride &&
           a->stride > 1 &&
           (const char *)b->values == (const char *)a->values + smr_dtype_size(a->dtype);
}

/* first[0 .. n_tasks]: where the tasks' columns begin. */
static int64_t cut_tasks(const smr_table *t, int64_t *first)
{
    int64_t n = 0;
    for (int64_t j = 0; j < t->n_cols; n++) {
        first[n] = j++;
        while (j < t->n_cols && j - first[n] < TOGETHER &&
               are_neighbours(&t->cols[j - 1], &t->cols[j]))
            j++;
    }
    first[n] = t->n_cols;
    return n;
}

static smr_status summarize_sparse(smr_ctx *ctx, const smr_csr *x, smr_summary *s)
{
    smr_status st = SMR_OK;
    bool *seen = NULL;
    s->sparse_min = s->sparse_max = NAN;
    s->n_entries = x->start[x->n_rows];
    TRY_NEW(seen, x->n_cols);
    for (int64_t e = 0; e < s->n_entries; e++) {
        seen[x->column[e]] = true;
        s->n_sparse_missing += isnan(x->value[e]) != 0;
        s->sparse_min = smr_fmin(s->sparse_min, x->value[e]);
        s->sparse_max = smr_fmax(s->sparse_max, x->value[e]);
    }
    for (int64_t j = 0; j < x->n_cols; j++) s->n_empty_features += !seen[j];
    for (int64_t i = 0; i < x->n_rows; i++) s->n_empty_rows += x->start[i] == x->start[i + 1];
out:
    smr_free(seen);
    return st;
}

smr_status smr_table_summarize(smr_ctx *ctx, const smr_table *t, const smr_column_summary *known,
                               smr_summary **out)
{
    smr_status st = SMR_OK;
    smr_summary *s = NULL;
    int64_t *first = NULL;
    *out = NULL;
    TRY_NEW(s, 1);
    s->n_rows = t->n_rows;
    s->n_cols = t->n_cols;
    TRY_NEW(s->columns, t->n_cols);
    TRY_NEW(first, t->n_cols + 1);
    int64_t n_tasks = cut_tasks(t, first);
    struct job j = {.table = t, .columns = s->columns, .known = known, .first = first};
    TRY(smr_parallel(ctx, "describing", n_tasks, summarize_task, &j));
    if (t->sparse.n_cols) TRY(summarize_sparse(ctx, &t->sparse, s));
    TRY(smr_summary_warn(ctx, t, s));
    *out = s;
    s = NULL;
out:
    smr_free(first);
    smr_summary_free(s);
    return st;
}

void smr_summary_free(smr_summary *s)
{
    if (!s) return;
    for (int64_t j = 0; s->columns && j < s->n_cols; j++) smr_free(s->columns[j].level_count);
    smr_free(s->columns);
    for (int64_t k = 0; k < s->n_warnings; k++) smr_free(s->warnings[k]);
    smr_free(s->warnings);
    smr_free(s);
}

/* ---- single facts ----------------------------------------------------------------------- */

bool smr_column_is_whole(const smr_column *c, int64_t n_rows)
{
    if (c->dtype == SMR_U8 || c->dtype == SMR_I32) return !is_coded(c);
    for (int64_t i = 0; i < n_rows; i++) {
        double x = smr_column_number(c, i);
        if (!isnan(x) && (x != floor(x) || isinf(x))) return false;
    }
    return true;
}
