/* draw_table.c -- the numbers of a figure as rows: for those who do not see the drawing, and for
 * those who want the figures themselves.
 *
 *     lines, points, bars   one row for each position, one column for each series (and for its
 *                           low and high); a series with several points at a position has as
 *                           many rows there
 *     cells alone           one row for each row of cells, where there are at most 40 columns
 *     otherwise             one row for each number: series, x, y, value */
#include "core/sort.h"
#include "report/draw_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_ACROSS = 40 };

/* ---- keys ------------------------------------------------------------------------------- */

struct column {
    char *key; /* owned */
    int64_t series;
    const double *values;
};

struct columns {
    int64_t n;
    struct column *at;
};

static void release_columns(struct columns *c)
{
    for (int64_t i = 0; i < c->n; i++) smr_free(c->at[i].key);
    smr_free(c->at);
}

/* A key that no column before has, nor `taken`. */
static smr_status add_column(smr_ctx *ctx, struct columns *c, smr_words name, const char *suffix,
                             const char *taken)
{
    smr_text key = {.ctx = ctx};
    for (int64_t copy = 1;; copy++) {
        key.length = 0;
        smr_text_add_bytes(&key, name.at, name.n);
        smr_text_add(&key, suffix);
        if (copy > 1) smr_text_printf(&key, " (%lld)", (long long)copy);
        if (smr_text_done(&key) != SMR_OK) {
            smr_text_release(&key);
            return SMR_ERR_NOMEM;
        }
        bool used = strcmp(key.bytes, taken) == 0;
        for (int64_t i = 0; i < c->n && !used; i++) used = strcmp(c->at[i].key, key.bytes) == 0;
        if (!used) break;
    }
    c->at[c->n++] = (struct column){.key = key.bytes};
    return SMR_OK;
}

static smr_words words_or(smr_words words, const char *other)
{
    return words.n && words.at[0] ? words : smr_words_of(other);
}

/* Adds the position v of an axis: its name where it has one. */
static void add_position(smr_json *row, const char *key, const struct plot_axis *a, double v)
{
    bool named =
        a->scale == SCALE_NAMES && a->names && v >= 0 && v < (double)a->n_names && v == floor(v);
    if (!named) {
        smr_json_add_number(row, key, v);
        return;
    }
    smr_words name = a->names[(int64_t)v];
    smr_json_add_bytes(row, key, name.at, name.n);
}

/* ---- one row for each position ---------------------------------------------------------- */

static smr_status series_columns(smr_ctx *ctx, const struct plot *p, const char *head,
                                 struct columns *c)
{
    smr_status st = SMR_OK;
    TRY_NEW(c->at, 3 * p->n_series + 1);
    for (int64_t i = 0; i < p->n_series; i++) {
        const struct plot_series *s = &p->series[i];
        smr_words name = words_or(s->name, smr_plot_kinds[s->kind]);
        const double *values[3] = {smr_plot_is_across(s->kind) ? s->x : s->y, s->low, s->high};
        static const char *const suffix[] = {"", " low", " high"};
        for (int k = s->kind == PLOT_BAND && s->low ? 1 : 0; k < 3; k++) {
            if (!values[k]) continue;
            TRY(add_column(ctx, c, name, suffix[k], head));
            c->at[c->n - 1].series = i;
            c->at[c->n - 1].values = values[k];
        }
    }
out:
    return st;
}

/* Points of all series by position; those of one series stay in their order. */
struct entries {
    int64_t n;
    double *at;
    int64_t *series, *index, *order;
    int64_t *first, *count; /* for each series: its entries in the group */
};

static smr_status sort_entries(smr_ctx *ctx, const struct plot *p, struct entries *e)
{
    smr_status st = SMR_OK;
    int64_t n = 0;
    for (int64_t i = 0; i < p->n_series; i++) n += p->series[i].n;
    TRY_NEW(e->at, n);
    TRY_NEW(e->series, n);
    TRY_NEW(e->index, n);
    TRY_NEW(e->order, n);
    TRY_NEW(e->first, p->n_series);
    TRY_NEW(e->count, p->n_series);
    for (int64_t i = 0; i < p->n_series; i++) {
        const struct plot_series *s = &p->series[i];
        for (int64_t k = 0; k < s->n; k++) {
            double at = smr_plot_is_across(s->kind) ? s->y[k] : s->x[k];
            if (isnan(at)) continue;
            e->at[e->n] = at;
            e->series[e->n] = i;
            e->index[e->n++] = k;
        }
    }
    TRY(smr_argsort_f64(ctx, e->n, e->at, e->order));
out:
    return st;
}

static void release_entries(struct entries *e)
{
    smr_free(e->at);
    smr_free(e->series);
    smr_free(e->index);
    smr_free(e->order);
    smr_free(e->first);
    smr_free(e->count);
}

/* The rows of one position, entries [from, to) of the order. */
static void add_group(const struct plot *p, struct entries *e, const struct columns *c,
                      const char *head, const int64_t span[2], smr_json *rows)
{
    int64_t most = 0;
    memset(e->count, 0, (size_t)p->n_series * sizeof *e->count);
    for (int64_t k = span[0]; k < span[1]; k++) {
        int64_t s = e->series[e->order[k]];
        if (e->count[s]++ == 0) e->first[s] = k;
        most = SMR_MAX(most, e->count[s]);
    }
    for (int64_t r = 0; r < most; r++) {
        smr_json *row = smr_json_add_object(rows, NULL);
        add_position(row, head, p->across ? &p->y : &p->x, e->at[e->order[span[0]]]);
        for (int64_t j = 0; j < c->n; j++) {
            int64_t s = c->at[j].series;
            if (r < e->count[s])
                smr_json_add_number(row, c->at[j].key,
                                    c->at[j].values[e->index[e->order[e->first[s] + r]]]);
            else
                smr_json_add_null(row, c->at[j].key);
        }
    }
}

static smr_status table_of_series(smr_ctx *ctx, const struct plot *p, const char *head,
                                  smr_json *rows)
{
    smr_status st = SMR_OK;
    struct columns c = {0};
    struct entries e = {0};
    TRY(series_columns(ctx, p, head, &c));
    TRY(sort_entries(ctx, p, &e));
    for (int64_t from = 0; from < e.n;) {
        int64_t to = from + 1;
        while (to < e.n && e.at[e.order[to]] == e.at[e.order[from]]) to++;
        const int64_t span[2] = {from, to};
        add_group(p, &e, &c, head, span, rows);
        from = to;
    }
out:
    release_entries(&e);
    release_columns(&c);
    return st;
}

/* ---- cells ------------------------------------------------------------------------------ */

static double middle(const struct plot_axis *a, int64_t i, int64_t n)
{
    if (a->scale == SCALE_NAMES) return (double)i;
    return a->from + ((double)i + 0.5) / (double)n * (a->to - a->from);
}

/* A number, or the name of the class that it is. */
static void add_cell(smr_json *row, const char *key, const struct plot_series *s, double v)
{
    const smr_json *name = s->classes && v >= 0 ? s->classes->first : NULL;
    for (double k = 1; k <= v && name; k++) name = name->next;
    if (name && name->type == SMR_JSON_STRING)
        smr_json_add_bytes(row, key, name->string, name->n);
    else if (isnan(v))
        smr_json_add_null(row, key);
    else
        smr_json_add_number(row, key, v);
}

static smr_status table_of_cells(smr_ctx *ctx, const struct plot *p, const struct plot_series *s,
                                 const char *head, smr_json *rows)
{
    smr_status st = SMR_OK;
    struct columns c = {0};
    char number[TICK_TEXT];
    TRY_NEW(c.at, s->nx);
    for (int64_t j = 0; j < s->nx; j++) {
        bool named = p->x.scale == SCALE_NAMES && p->x.names && j < p->x.n_names;
        smr_plot_number(middle(&p->x, j, s->nx), number);
        smr_words name = named ? words_or(p->x.names[j], number) : smr_words_of(number);
        TRY(add_column(ctx, &c, name, "", head));
    }
    for (int64_t i = 0; i < s->ny; i++) {
        smr_json *row = smr_json_add_object(rows, NULL);
        add_position(row, head, &p->y, middle(&p->y, i, s->ny));
        for (int64_t j = 0; j < s->nx; j++) add_cell(row, c.at[j].key, s, s->y[i * s->nx + j]);
    }
out:
    release_columns(&c);
    return st;
}

/* ---- one row for each number ------------------------------------------------------------ */

static void add_long_row(const struct plot *p, const struct plot_series *s, int64_t i,
                         smr_json *rows)
{
    smr_json *row = smr_json_add_object(rows, NULL);
    bool cells = s->kind == PLOT_CELLS;
    smr_words name = words_or(s->name, smr_plot_kinds[s->kind]);
    smr_json_add_bytes(row, "series", name.at, name.n);
    add_position(row, "x", &p->x, cells ? middle(&p->x, i % s->nx, s->nx) : s->x[i]);
    add_position(row, "y", &p->y, cells ? middle(&p->y, i / s->nx, s->ny) : s->y[i]);
    if (cells) add_cell(row, "value", s, s->y[i]);
    if (s->low) {
        smr_json_add_number(row, "low", s->low[i]);
        smr_json_add_number(row, "high", s->high[i]);
    }
}

/* The points come before the cells, of which there are many. */
static void table_of_all(const struct plot *p, smr_json *rows)
{
    for (int cells = 0; cells < 2; cells++)
        for (int64_t k = 0; k < p->n_series; k++)
            for (int64_t i = 0; i < p->series[k].n; i++)
                if ((p->series[k].kind == PLOT_CELLS) == cells)
                    add_long_row(p, &p->series[k], i, rows);
}

smr_status smr_figure_table(smr_ctx *ctx, const smr_json *figure, smr_json *rows)
{
    smr_status st = SMR_OK;
    struct plot p = {0};
    char *head = NULL;
    if (smr_figure_is_tree(figure)) return smr_tree_table(ctx, figure, rows);
    if (smr_figure_is_graph(figure)) return smr_graph_table(ctx, figure, rows);
    if (smr_figure_is_tiles(figure)) return smr_tiles_table(ctx, figure, rows);
    TRY(smr_plot_read(ctx, figure, &p));
    bool cells = p.has_cells, alone = cells && p.n_series == 1 && p.series[0].nx <= MOST_ACROSS;
    bool down = cells || p.across;
    smr_words label = words_or(down ? p.y.label : p.x.label, p.across ? "name" : down ? "y" : "x");
    head = smr_strndup(ctx, label.at, (size_t)label.n);
    if (!head) {
        st = SMR_ERR_NOMEM;
        goto out;
    }
    if (alone)
        TRY(table_of_cells(ctx, &p, &p.series[0], head, rows));
    else if (cells)
        table_of_all(&p, rows);
    else
        TRY(table_of_series(ctx, &p, head, rows));
    TRY(smr_json_done(rows->doc));
out:
    smr_free(head);
    smr_plot_release(&p);
    return st;
}
