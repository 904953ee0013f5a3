/* draw_read.c -- a figure's JSON as arrays, checked.
 *
 * All numbers of a figure lie in one block.  What is missing is filled in: positions 0, 1, 2 ...
 * for a missing x, names for an axis of names that has none.  Nothing is taken on trust: arrays
 * may be short, long, of other types, and numbers may be any double. */
#include "report/draw_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_NAMES = 100000, MOST_SERIES = 1000 };

const char *const smr_plot_kinds[PLOT_KINDS] = {"line",  "step",    "points", "band", "bars",
                                                "hbars", "hpoints", "cells",  "rings"};

bool smr_plot_is_across(enum plot_kind kind)
{
    return kind == PLOT_HBARS || kind == PLOT_HPOINTS;
}

/* A block that smr_plot_release frees. */
static void *new_block(smr_ctx *ctx, struct plot *p, int64_t n, size_t size)
{
    void *block = smr_alloc(ctx, n, size);
    if (block) p->blocks[p->n_blocks++] = block;
    return block;
}

#define TRY_BLOCK(ptr, n)                              \
    do {                                               \
        (ptr) = new_block(ctx, p, (n), sizeof *(ptr)); \
        if (!(ptr)) {                                  \
            st = SMR_ERR_NOMEM;                        \
            goto out;                                  \
        }                                              \
    } while (0)

void smr_plot_release(struct plot *p)
{
    for (int i = 0; i < p->n_blocks; i++) smr_free(p->blocks[i]);
    p->n_blocks = 0;
}

static smr_status no_figure(smr_ctx *ctx, const struct plot *p, const char *what, const char *word)
{
    char name[64] = "";
    memcpy(name, p->name.at, (size_t)SMR_MIN(p->name.n, (int64_t)sizeof name - 1));
    return smr_fail(ctx, SMR_ERR_PARAM, "figure '%s' cannot be drawn: %s '%.40s'", name, what,
                    word);
}

static const smr_json *array_of(const smr_json *object, const char *key)
{
    const smr_json *a = smr_json_get(object, key);
    return a && a->type == SMR_JSON_ARRAY ? a : NULL;
}

/* ---- axes ------------------------------------------------------------------------------- */

static smr_status read_axis(smr_ctx *ctx, struct plot *p, const smr_json *json, struct plot_axis *a)
{
    static const char *const scales[] = {"linear", "log", "names"}; /* enum plot_scale */
    smr_status st = SMR_OK;
    const char *scale = smr_json_get_string(json, "scale", "linear");
    const smr_json *names = array_of(json, "names");
    a->label = smr_words_json(smr_json_get(json, "label"));
    a->min = smr_json_get_number(json, "min", NAN);
    a->max = smr_json_get_number(json, "max", NAN);
    a->equal = smr_json_get_bool(json, "equal", false);
    while (a->scale <= SCALE_NAMES && strcmp(scale, scales[a->scale]) != 0) a->scale++;
    if (a->scale > SCALE_NAMES)
        return no_figure(ctx, p, "a scale is linear, log or names, not", scale);
    if (a->scale == SCALE_NAMES && names && names->n > 0) {
        TRY_BLOCK(a->names, names->n);
        for (const smr_json *e = names->first; e; e = e->next)
            a->names[a->n_names++] = smr_words_json(e);
    }
out:
    return st;
}

/* ---- series ----------------------------------------------------------------------------- */

static int64_t length_of(const smr_json *series, const char *key)
{
    const smr_json *a = array_of(series, key);
    return a ? a->n : 0;
}

static bool is_cells(const smr_json *series)
{
    return strcmp(smr_json_get_string(series, "kind", ""), "cells") == 0;
}

/* Numbers that the series needs room for: n values, or n each of x and y, and its edges. */
static int64_t room_of(const smr_json *series, int64_t *n)
{
    int64_t x = length_of(series, "x"), y = length_of(series, "y");
    int64_t low = length_of(series, "low"), high = length_of(series, "high");
    *n = is_cells(series) ? length_of(series, "value") : SMR_MAX(SMR_MAX(x, y), SMR_MIN(low, high));
    return is_cells(series) ? *n : *n * (low && high ? 4 : 2);
}

/* Copies the numbers; anything else, and what is not there, is a gap. */
static void read_numbers(const smr_json *array, int64_t n, double *out)
{
    const smr_json *e = array ? array->first : NULL;
    for (int64_t i = 0; i < n; i++) {
        bool good = e && e->type == SMR_JSON_NUMBER && isfinite(e->number);
        out[i] = good ? e->number : NAN;
        if (e) e = e->next;
    }
}

static void read_or_count(const smr_json *array, int64_t n, double *out)
{
    read_numbers(array, n, out);
    for (int64_t i = 0; i < n && !array; i++) out[i] = (double)i;
}

static smr_status read_cells(smr_ctx *ctx, const struct plot *p, const smr_json *json,
                             struct plot_series *s)
{
    double nx = smr_json_get_number(json, "nx", 0), ny = smr_json_get_number(json, "ny", 0);
    const smr_json *names = array_of(json, "names");
    if (!(nx >= 1 && nx <= 10000 && ny >= 1 && ny <= 10000) || nx != floor(nx) || ny != floor(ny) ||
        nx * ny != (double)s->n)
        return no_figure(ctx, p, "nx times ny is not the number of values in", "cells");
    s->nx = (int64_t)nx;
    s->ny = (int64_t)ny;
    s->classes = names && names->n > 0 ? names : NULL;
    s->text = smr_json_get_bool(json, "text", false);
    read_numbers(array_of(json, "value"), s->n, s->y);
    return SMR_OK;
}

static smr_status read_series(smr_ctx *ctx, const struct plot *p, const smr_json *json,
                              struct plot_series *s, double **numbers)
{
    const char *kind = smr_json_get_string(json, "kind", "line");
    int k = 0;
    while (k < PLOT_KINDS && strcmp(kind, smr_plot_kinds[k]) != 0) k++;
    if (k == PLOT_KINDS) return no_figure(ctx, p, "there is no kind of series", kind);
    s->kind = (enum plot_kind)k;
    s->name = smr_words_json(smr_json_get(json, "name"));
    int64_t room = room_of(json, &s->n);
    s->y = *numbers;
    *numbers += room;
    if (s->kind == PLOT_CELLS) return read_cells(ctx, p, json, s);
    s->x = s->y + s->n;
    if (room == 4 * s->n) {
        s->low = s->x + s->n;
        s->high = s->low + s->n;
        read_numbers(array_of(json, "low"), s->n, s->low);
        read_numbers(array_of(json, "high"), s->n, s->high);
    }
    bool across = smr_plot_is_across(s->kind);
    const smr_json *x = array_of(json, "x"), *y = array_of(json, "y");
    if (across) {
        read_numbers(x, s->n, s->x);
        read_or_count(y, s->n, s->y);
    } else {
        read_or_count(x, s->n, s->x);
        read_numbers(y, s->n, s->y);
    }
    return SMR_OK;
}

static bool same_words(smr_words a, smr_words b)
{
    return a.n == b.n && memcmp(a.at, b.at, (size_t)a.n) == 0;
}

/* Series of one name share a colour; those without a name have their own. */
static void give_colours(struct plot *p)
{
    for (int64_t i = 0; i < p->n_series; i++) {
        struct plot_series *s = &p->series[i];
        if (s->kind == PLOT_CELLS) continue;
        int64_t j = 0;
        while (j < i && (p->series[j].kind == PLOT_CELLS || s->name.n == 0 ||
                         !same_words(s->name, p->series[j].name)))
            j++;
        s->heads = j == i;
        s->colour = j < i ? p->series[j].colour : p->n_colours++;
    }
}

static smr_status read_all_series(smr_ctx *ctx, const smr_json *list, struct plot *p)
{
    smr_status st = SMR_OK;
    double *numbers = NULL;
    int64_t room = 0, n = 0;
    if (!list || list->n == 0) return SMR_OK;
    if (list->n > MOST_SERIES) return no_figure(ctx, p, "too many series:", "more than 1000");
    for (const smr_json *e = list->first; e; e = e->next) room += room_of(e, &n);
    TRY_BLOCK(p->series, list->n);
    TRY_BLOCK(numbers, room);
    for (const smr_json *e = list->first; e; e = e->next) {
        if (e->type != SMR_JSON_OBJECT) return no_figure(ctx, p, "a series is an", "object");
        TRY(read_series(ctx, p, e, &p->series[p->n_series], &numbers));
        p->n_series++;
    }
    give_colours(p);
out:
    return st;
}

/* ---- marks and shades ------------------------------------------------------------------- */

static smr_status read_marks(smr_ctx *ctx, const smr_json *list, struct plot *p)
{
    static const char *const kinds[] = {"vline", "hline", "diagonal"};
    smr_status st = SMR_OK;
    if (!list || list->n == 0) return SMR_OK;
    TRY_BLOCK(p->marks, list->n);
    for (const smr_json *e = list->first; e; e = e->next) {
        struct plot_mark m = {.at = smr_json_get_number(e, "at", NAN),
                              .label = smr_words_json(smr_json_get(e, "label"))};
        const char *kind = smr_json_get_string(e, "kind", "");
        int k = 0;
        while (k < 3 && strcmp(kind, kinds[k]) != 0) k++;
        if (k == 3) return no_figure(ctx, p, "there is no mark", kind);
        m.kind = (enum mark_kind)k;
        if (m.kind == MARK_DIAGONAL || isfinite(m.at)) p->marks[p->n_marks++] = m;
    }
out:
    return st;
}

static smr_status read_shades(smr_ctx *ctx, const smr_json *list, struct plot *p)
{
    smr_status st = SMR_OK;
    if (!list || list->n == 0) return SMR_OK;
    TRY_BLOCK(p->shades, list->n);
    for (const smr_json *e = list->first; e; e = e->next) {
        struct plot_shade s = {.from = smr_json_get_number(e, "from", NAN),
                               .to = smr_json_get_number(e, "to", NAN),
                               .label = smr_words_json(smr_json_get(e, "label"))};
        if (s.from < s.to) p->shades[p->n_shades++] = s;
    }
out:
    return st;
}

/* ---- ranges ----------------------------------------------------------------------------- */

struct range {
    double lo, hi;
    bool broken; /* some value is not a whole number */
};

static void take(struct range *r, const struct plot_axis *a, double v, int64_t *dropped)
{
    if (isnan(v)) return;
    if (a->scale == SCALE_LOG && !(v > 0)) {
        if (dropped) ++*dropped;
        return;
    }
    r->lo = smr_fmin(r->lo, v);
    r->hi = smr_fmax(r->hi, v);
    r->broken |= v != floor(v);
}

static void take_series(struct plot *p, const struct plot_series *s, struct range *x,
                        struct range *y)
{
    bool across = smr_plot_is_across(s->kind), drawn = false;
    for (int64_t i = 0; i < s->n && s->kind != PLOT_CELLS; i++) {
        const struct plot_axis *edges = across ? &p->x : &p->y;
        bool band = s->kind == PLOT_BAND && s->low;
        if (isnan(s->x[i]) || (isnan(s->y[i]) && !band)) continue;
        take(x, &p->x, s->x[i], &p->n_dropped);
        if (!band) take(y, &p->y, s->y[i], &p->n_dropped);
        if (s->low) {
            take(across ? x : y, edges, s->low[i], NULL);
            take(across ? x : y, edges, s->high[i], NULL);
        }
        drawn = true;
    }
    if (s->kind == PLOT_CELLS && s->n > 0) drawn = true;
    if (s->kind == PLOT_BARS && drawn) take(y, &p->y, 0, NULL);
    if (s->kind == PLOT_HBARS && drawn) take(x, &p->x, 0, NULL);
    p->has_data |= drawn;
    p->has_cells |= s->kind == PLOT_CELLS;
    p->has_bars |= s->kind == PLOT_BARS;
    p->has_hbars |= s->kind == PLOT_HBARS;
    p->across |= across;
}

/* Bars of a histogram need half a bar more on each side. */
static void make_room_for_bars(const struct plot *p, struct range *x)
{
    double gap = INFINITY;
    for (int64_t k = 0; k < p->n_series; k++) {
        const struct plot_series *s = &p->series[k];
        for (int64_t i = 1; i < s->n && s->kind == PLOT_BARS; i++)
            if (s->x[i] > s->x[i - 1]) gap = smr_fmin(gap, s->x[i] - s->x[i - 1]);
    }
    if (!isfinite(gap) || p->x.scale != SCALE_LINEAR) return;
    x->lo -= gap / 2;
    x->hi += gap / 2;
}

/* Names that the figure does not give: as many as there are positions. */
static void count_names(struct plot_axis *a, const struct range *r, int64_t cells)
{
    if (a->scale != SCALE_NAMES || a->n_names > 0) return;
    double most = smr_fmax(r->hi + 1, (double)cells);
    a->n_names = most >= 1 && most <= MOST_NAMES ? (int64_t)most : 1;
    a->names = NULL;
}

static void set_ranges(struct plot *p)
{
    struct range x = {INFINITY, -INFINITY, false}, y = x;
    int64_t nx = 0, ny = 0;
    for (int64_t k = 0; k < p->n_series; k++) {
        take_series(p, &p->series[k], &x, &y);
        nx = SMR_MAX(nx, p->series[k].nx);
        ny = SMR_MAX(ny, p->series[k].ny);
    }
    for (int64_t m = 0; m < p->n_marks; m++) {
        if (p->marks[m].kind == MARK_VLINE) take(&x, &p->x, p->marks[m].at, NULL);
        if (p->marks[m].kind == MARK_HLINE) take(&y, &p->y, p->marks[m].at, NULL);
    }
    if (p->has_bars) make_room_for_bars(p, &x);
    count_names(&p->x, &x, nx);
    count_names(&p->y, &y, ny);
    p->x.whole = p->x.scale == SCALE_LINEAR && x.lo <= x.hi && !x.broken;
    p->y.whole = p->y.scale == SCALE_LINEAR && y.lo <= y.hi && !y.broken;
    p->y.down = p->y.scale == SCALE_NAMES;
    smr_axis_fit(&p->x, x.lo, x.hi);
    smr_axis_fit(&p->y, y.lo, y.hi);
}

smr_status smr_plot_read(smr_ctx *ctx, const smr_json *figure, struct plot *p)
{
    smr_status st = SMR_OK;
    *p = (struct plot){0};
    if (!figure || figure->type != SMR_JSON_OBJECT)
        return smr_fail(ctx, SMR_ERR_PARAM, "a figure is a JSON object");
    p->name = smr_words_json(smr_json_get(figure, "name"));
    p->title = smr_words_json(smr_json_get(figure, "title"));
    p->note = smr_words_json(smr_json_get(figure, "note"));
    if (!array_of(figure, "series")) return no_figure(ctx, p, "there is no list of", "series");
    TRY(read_axis(ctx, p, smr_json_get(figure, "x"), &p->x));
    TRY(read_axis(ctx, p, smr_json_get(figure, "y"), &p->y));
    TRY(read_all_series(ctx, array_of(figure, "series"), p));
    TRY(read_marks(ctx, array_of(figure, "marks"), p));
    TRY(read_shades(ctx, array_of(figure, "shades"), p));
    set_ranges(p);
out:
    return st;
}
