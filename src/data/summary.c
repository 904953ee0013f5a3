/* summary.c -- see summary.h.
 *
 * A column of numbers is copied, without its missing values, for its moments, and sorted by radix
 * (core/sort.h).  Columns that are neighbours in a row-major block are copied eight at a time: a
 * row's cache line is fetched once for them.  Cost O(n) per column; memory 16 bytes per row and
 * lane, 72 for such neighbours. */
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

/* The values in ascending order, wherever they lie. */
struct sorted {
    const double *x;
    const uint32_t *order; /* NULL: x is in order */
    int64_t n;
};

static double at(const struct sorted *s, int64_t r)
{
    return s->order ? s->x[s->order[r] & ~SMR_NEW_VALUE] + 0.0 : s->x[r]; /* -0 becomes 0 */
}

/* Between the two values at place f (n - 1). */
static double quantile(const struct sorted *s, double f)
{
    double place = f * (double)(s->n - 1), low = floor(place);
    double a = at(s, (int64_t)low), b = at(s, SMR_MIN((int64_t)low + 1, s->n - 1));
    return a == b || place == low ? a : a + (place - low) * (b - a);
}

/* How many values are below v, or, with equals, not above it. */
static int64_t count_below(const struct sorted *s, double v, bool equals)
{
    int64_t lo = 0, hi = s->n;
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        double x = at(s, middle);
        if (x < v || (equals && x == v))
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* Of infinite values the mean says on which side they are. */
static double infinite_mean(double min, double max, double median)
{
    if (max < INFINITY) return min > -INFINITY ? median : -INFINITY;
    return min > -INFINITY ? INFINITY : NAN;
}

void smr_summary_begin(smr_kind kind, int64_t n, const double *x, int64_t n_rows,
                       const smr_moments *m, smr_column_summary *s)
{
    *s = (smr_column_summary){.kind = kind, .n = n, .n_missing = n_rows - n, .is_whole = n > 0};
    s->mean = s->sd = s->skewness = s->min = s->q1 = s->median = s->q3 = s->max = NAN;
    for (int64_t i = 0; i < n && s->is_whole; i++)
        s->is_whole = x[i] == floor(x[i]) && !isinf(x[i]);
    if (n == 0) return;
    s->mean = m->mean;
    s->sd = m->sd;
    s->skewness = m->skewness;
}

void smr_summary_end(const double *x, const uint32_t *order, int64_t n_distinct,
                     smr_column_summary *s)
{
    struct sorted sorted = {x, order, s->n};
    s->n_distinct = n_distinct;
    if (s->n == 0) return;
    s->min = at(&sorted, 0);
    s->max = at(&sorted, s->n - 1);
    s->q1 = quantile(&sorted, 0.25);
    s->median = quantile(&sorted, 0.5);
    s->q3 = quantile(&sorted, 0.75);
    s->n_zero = count_below(&sorted, 0, true) - count_below(&sorted, 0, false);
    s->n_infinite =
        s->n - count_below(&sorted, INFINITY, false) + count_below(&sorted, -INFINITY, true);
    if (s->n_infinite == 0) return;
    s->mean = infinite_mean(s->min, s->max, s->median);
    s->sd = s->skewness = NAN;
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

static int64_t count_distinct(const double *sorted, int64_t n)
{
    int64_t distinct = n > 0;
    for (int64_t i = 1; i < n; i++) distinct += sorted[i] != sorted[i - 1];
    return distinct;
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
    for (int64_t k = 0; k < width; k++) {
        double *values = x + k * n_rows;
        smr_moments m = {0};
        if (n[k] > 0) smr_moments_of(n[k], values, &m);
        smr_summary_begin(c[k].kind, n[k], values, n_rows, &m, &s[k]);
        values = smr_sort_f64(n[k], values, spare);
        smr_summary_end(values, NULL, count_distinct(values, n[k]), &s[k]);
    }
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
