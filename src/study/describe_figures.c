/* describe_figures.c -- how the values of columns are distributed: see describe.h.
 *
 * A number or a date is a histogram of equal bins, of which there are about 2 n^(1/3) (Rice's
 * rule); whole numbers of a small range have a bar each.  A category is a bar for each of its most
 * frequent levels, and one for all others together.  Texts have no figure. */
#include "core/figure.h"
#include "core/parallel.h"
#include "core/sort.h"
#include "core/text.h"
#include "data/formats.h"
#include "study/describe_parts.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 1024, MOST_FIGURES = 24, LEAST_BINS = 6, MOST_BINS = 30, SHOWN_LEVELS = 10 };

static smr_json *open_figure(smr_ctx *ctx, const smr_column *col, const char *note,
                             smr_json *figures)
{
    smr_text name = {.ctx = ctx};
    smr_text_printf(&name, "distribution-%s", col->name);
    smr_json *figure = NULL;
    if (smr_text_done(&name) == SMR_OK)
        figure = smr_figure_add(figures, name.bytes, col->name, note);
    smr_text_release(&name);
    return figure;
}

static void add_gaps(const smr_column_summary *s, smr_text *note)
{
    if (s->n_missing == 0) return;
    smr_text_printf(note, "%s%lld row%s %s a gap.", note->length ? " " : "",
                    (long long)s->n_missing, smr_plural(s->n_missing, "", "s"),
                    s->n_missing == 1 ? "has" : "have");
}

/* ---- numbers and dates ------------------------------------------------------------------ */

struct bins {
    double from, width; /* the first bin begins at `from` */
    int64_t n;
};

static struct bins choose_bins(const smr_column_summary *s, double lo, double hi)
{
    struct bins b = {.from = lo, .n = LEAST_BINS};
    while (b.n < MOST_BINS && (double)(b.n * b.n * b.n) < 8 * (double)s->n) b.n++;
    if (!(hi > lo)) { /* one value: one bar, of any width */
        b = (struct bins){.from = lo - 0.5, .width = 1, .n = 1};
    } else if (s->is_whole && s->kind == SMR_NUMBER && hi - lo < 9e15) {
        double each = hi - lo < MOST_BINS ? 1 : ceil((hi - lo + 1) / (double)b.n);
        b = (struct bins){.from = lo - 0.5, .width = each};
        b.n = (int64_t)ceil((hi - lo + 1) / each);
    } else {
        b.width = hi / (double)b.n - lo / (double)b.n;
    }
    return b;
}

/* Finite values only; dates as years. */
static double shown(const smr_column *col, double v)
{
    if (!isfinite(v)) return NAN;
    return col->kind == SMR_DATE ? smr_year_of(v) : v;
}

/* The bars of one column. */
struct histogram {
    struct bins bins; /* n = 0: no value is finite */
    double count[MOST_BINS + 1];
};

/* Rows in blocks, read once for the extremes, where these are not known, and once for the bars. */
static void find_extremes(const smr_column *col, int64_t n_rows, double *lo, double *hi)
{
    double x[BLOCK];
    *lo = INFINITY;
    *hi = -INFINITY;
    for (int64_t at = 0, n; at < n_rows; at += n) {
        n = SMR_MIN(BLOCK, n_rows - at);
        smr_column_numbers(col, at, n, x);
        for (int64_t i = 0; i < n; i++) {
            double v = shown(col, x[i]);
            if (v < *lo) *lo = v;
            if (v > *hi) *hi = v;
        }
    }
}

/* A gap counts in the place after the last bar. */
static void count_bars(const smr_column *col, int64_t n_rows, struct histogram *h)
{
    int64_t count[2][MOST_BINS + 2] = {{0}}, last = h->bins.n - 1;
    double x[BLOCK], from = h->bins.from, width = h->bins.width, most = (double)last;
    for (int64_t at = 0, n; at < n_rows; at += n) {
        n = SMR_MIN(BLOCK, n_rows - at);
        smr_column_numbers(col, at, n, x);
        for (int64_t i = 0; i < n && col->kind == SMR_DATE; i++) x[i] = shown(col, x[i]);
        for (int64_t i = 0; i < n; i++) {
            bool there = isfinite(x[i]);
            double place = there ? (x[i] - from) / width : most; /* not negative */
            int64_t bar = place < most ? (int64_t)place : last;
            count[i & 1][there ? bar : MOST_BINS + 1]++;
        }
    }
    for (int64_t k = 0; k <= last; k++) h->count[k] = (double)(count[0][k] + count[1][k]);
}

static void count_values(const smr_column *col, const smr_column_summary *s, int64_t n_rows,
                         struct histogram *h)
{
    double lo = s->min, hi = s->max;
    if (s->n_infinite || s->kind == SMR_DATE) find_extremes(col, n_rows, &lo, &hi);
    if (lo > hi) return;
    h->bins = choose_bins(s, lo, hi);
    count_bars(col, n_rows, h);
}

static smr_status draw_histogram(smr_ctx *ctx, const smr_column *col, const smr_column_summary *s,
                                 const struct histogram *h, smr_json *figures)
{
    smr_status st = SMR_OK;
    const struct bins *b = &h->bins;
    double centre[MOST_BINS + 1];
    int64_t infinite = s->n_infinite;
    smr_text note = {.ctx = ctx};
    if (b->n == 0) return SMR_OK;
    for (int64_t k = 0; k < b->n; k++) centre[k] = b->from + ((double)k + 0.5) * b->width;
    add_gaps(s, &note);
    if (infinite)
        smr_text_printf(&note, "%s%lld infinite value%s left out.", note.length ? " " : "",
                        (long long)infinite, smr_plural(infinite, " is", "s are"));
    TRY(smr_text_done(&note));
    smr_json *figure = open_figure(ctx, col, note.length ? note.bytes : NULL, figures);
    if (!figure) TRY(SMR_ERR_NOMEM);
    smr_figure_axis(figure, "x", col->kind == SMR_DATE ? "year" : "", "linear");
    smr_json_add_number(smr_figure_axis(figure, "y", "rows", "linear"), "min", 0);
    smr_figure_series(figure, "rows", "bars", b->n, centre, h->count);
out:
    smr_text_release(&note);
    return st;
}

/* ---- categories ------------------------------------------------------------------------- */

static int more_rows(const void *items, int64_t i, int64_t j)
{
    const int64_t *count = items;
    return count[i] > count[j] ? -1 : count[i] < count[j];
}

static smr_status draw_levels(smr_ctx *ctx, const smr_column *col, const smr_column_summary *s,
                              smr_json *figures)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL, n = SMR_MIN(s->n_distinct, SHOWN_LEVELS), left = s->n_distinct - n;
    double count[SHOWN_LEVELS + 1] = {0};
    smr_text note = {.ctx = ctx}, others = {.ctx = ctx};
    if (n == 0) return SMR_OK;
    TRY_NEW(order, s->n_levels);
    TRY(smr_argsort(ctx, s->n_levels, more_rows, s->level_count, order));
    if (left)
        smr_text_printf(&note, "The %lld most frequent of %lld levels.", (long long)n,
                        (long long)s->n_distinct);
    smr_text_printf(&others, "%lld other%s", (long long)left, smr_plural(left, "", "s"));
    add_gaps(s, &note);
    TRY(smr_text_done(&others));
    TRY(smr_text_done(&note));
    smr_json *figure = open_figure(ctx, col, note.length ? note.bytes : NULL, figures);
    if (!figure) TRY(SMR_ERR_NOMEM);
    smr_json_add_number(smr_figure_axis(figure, "x", "rows", "linear"), "min", 0);
    smr_json *names = smr_json_add_array(smr_figure_axis(figure, "y", "", "names"), "names");
    for (int64_t k = 0; k < n; k++) {
        int64_t length;
        const char *level = smr_strings_get(&col->levels, order[k], &length);
        smr_json_add_bytes(names, NULL, level, length);
        count[k] = (double)s->level_count[order[k]];
    }
    for (int64_t k = n; k < s->n_levels; k++) count[n] += (double)s->level_count[order[k]];
    if (left) smr_json_add_string(names, NULL, others.bytes);
    smr_figure_series(figure, "rows", "hbars", n + (left > 0), count, NULL);
out:
    smr_free(order);
    smr_text_release(&note);
    smr_text_release(&others);
    return st;
}

/* ---- which ------------------------------------------------------------------------------ */

/* The target first, then the others as relevance ranks them; without a target as they come. */
static int64_t choose_columns(const smr_table *t, const smr_relevances *r, int64_t *cols)
{
    int64_t n = 0;
    for (int64_t j = 0; r && j < t->n_cols; j++)
        for (int64_t k = 0; k < r->target.n; k++)
            if (t->cols[j].kind != SMR_TEXT && strcmp(t->cols[j].name, r->target.names[k]) == 0)
                cols[n++] = j;
    for (int64_t j = 0; j < (r ? r->n_cols : t->n_cols); j++) {
        int64_t col = r ? r->columns[j].col : j;
        if (t->cols[col].kind != SMR_TEXT) cols[n++] = col;
    }
    return n;
}

struct counting {
    const smr_table *table;
    const smr_summary *summary;
    const int64_t *cols;
    struct histogram *histograms;
};

static smr_status count_column(smr_ctx *ctx, void *arg, int64_t k, int lane)
{
    const struct counting *job = arg;
    int64_t j = job->cols[k];
    const smr_column *col = &job->table->cols[j];
    (void)ctx, (void)lane;
    if (col->kind != SMR_CATEGORY)
        count_values(col, &job->summary->columns[j], job->table->n_rows, &job->histograms[k]);
    return SMR_OK;
}

smr_status smr_describe_draw(smr_ctx *ctx, const smr_table *t, const smr_summary *s,
                             const smr_relevances *r, smr_json *into, smr_json *figures)
{
    smr_status st = SMR_OK;
    int64_t *cols = NULL, drawn = 0;
    struct counting job = {.table = t, .summary = s};
    TRY_NEW(cols, t->n_cols + 1);
    int64_t n = choose_columns(t, r, cols);
    for (int64_t k = 0; k < n && drawn < MOST_FIGURES; k++)
        if (s->columns[cols[k]].n > 0) cols[drawn++] = cols[k];
    TRY_NEW(job.histograms, drawn + 1);
    job.cols = cols;
    TRY(smr_parallel(ctx, NULL, drawn, count_column, &job));
    for (int64_t k = 0; k < drawn; k++) {
        const smr_column *col = &t->cols[cols[k]];
        const smr_column_summary *of = &s->columns[cols[k]];
        if (col->kind == SMR_CATEGORY)
            TRY(draw_levels(ctx, col, of, figures));
        else
            TRY(draw_histogram(ctx, col, of, &job.histograms[k], figures));
    }
    if (drawn) {
        smr_json *told = smr_json_add_object(into, "distributions");
        smr_json_add_number(told, "shown", (double)drawn);
        smr_json_add_number(told, "of", (double)t->n_cols);
        smr_json_add_string(told, "order", r ? "relevance" : "table");
    }
out:
    smr_free(job.histograms);
    smr_free(cols);
    return st;
}
