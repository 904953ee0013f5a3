/* space_points.c -- see space.h: the values of a dim, and the points of a space. */
#include "core/number.h"
#include "core/rng.h"
#include "data/vocab.h"
#include "kernel/kernel.h"
#include "study/space_parts.h"

#include <math.h>
#include <string.h>

enum { USUAL_POINTS = 7, MOST_WHOLE = 64, GRID_DIGITS = 6, DRAWN_DIGITS = 4, MOST_MISSES = 200 };

static bool is_whole(const smr_dim *dim)
{
    return smr_param_is_whole(smr_address_last(dim->address)->param);
}

/* ---- the grid's values ------------------------------------------------------------------ */

/* Takes the text; one that is already there is dropped. */
static smr_status take_value(smr_ctx *ctx, smr_dim *dim, char *text)
{
    if (!text) return SMR_ERR_NOMEM;
    for (int64_t i = 0; i < dim->n_values; i++)
        if (strcmp(dim->values[i], text) == 0) {
            smr_free(text);
            return SMR_OK;
        }
    char **more = smr_realloc(ctx, dim->values, dim->n_values + 1, sizeof *more);
    if (!more) {
        smr_free(text);
        return SMR_ERR_NOMEM;
    }
    dim->values = more;
    dim->values[dim->n_values++] = text;
    return SMR_OK;
}

/* The number as text, rounded to `digits` unless it is whole or an end of the range. */
static smr_status take_number(smr_ctx *ctx, smr_dim *dim, const smr_space_part *part, double x,
                              int digits)
{
    char text[SMR_NUMBER_MAX];
    if (is_whole(dim)) x = floor(x + 0.5);
    x = smr_fmin(smr_fmax(x, part->from), part->to);
    if (is_whole(dim) || x == part->from || x == part->to)
        smr_format_double(x, text);
    else
        smr_format_rounded(x, digits, text);
    return take_value(ctx, dim, smr_strdup(ctx, text));
}

/* The place u in [0, 1] of the range, on its scale. */
static double at_share(const smr_space_part *part, double from, double to, double u)
{
    if (u <= 0) return from;
    if (u >= 1) return to;
    if (part->scale == SMR_SEARCH_LOG) return from * smr_exp(u * smr_log(to / from));
    return from + u * (to - from);
}

static smr_status take_range(smr_ctx *ctx, smr_dim *dim, const smr_space_part *part)
{
    smr_status st = SMR_OK;
    double step = part->step;
    int64_t n = part->count ? part->count : USUAL_POINTS;
    if (step == 0 && !part->count && is_whole(dim) && part->to - part->from < MOST_WHOLE) step = 1;
    if (step > 0) n = (int64_t)floor((part->to - part->from) / step * (1 + 0x1p-40)) + 1;
    for (int64_t i = 0; i < n; i++) {
        double u = (double)i / (double)(n - 1);
        double x =
            step > 0 ? part->from + (double)i * step : at_share(part, part->from, part->to, u);
        TRY(take_number(ctx, dim, part, x, step > 0 ? 15 : GRID_DIGITS));
    }
out:
    return st;
}

smr_status smr_dim_finish(smr_ctx *ctx, smr_dim *dim)
{
    smr_status st = SMR_OK;
    dim->scale = smr_address_last(dim->address)->param->search;
    for (int64_t i = dim->n_parts - 1; i >= 0; i--)
        if (!dim->parts[i].value) dim->scale = dim->parts[i].scale;
    for (int64_t i = 0; i < dim->n_parts; i++)
        TRY(dim->parts[i].value ? take_value(ctx, dim, smr_strdup(ctx, dim->parts[i].value))
                                : take_range(ctx, dim, &dim->parts[i]));
out:
    return st;
}

/* ---- conditions ------------------------------------------------------------------------- */

/* Is `other` the parameter that `dim` depends on, in the same stage? */
static bool decides(const smr_dim *other, const smr_dim *dim)
{
    const smr_address *a = other->address, *b = dim->address;
    if (a->n_steps != b->n_steps) return false;
    for (int64_t i = 0; i < a->n_steps; i++)
        if (a->step[i].phrase != b->step[i].phrase || a->step[i].place != b->step[i].place ||
            (i + 1 < a->n_steps && a->step[i].param != b->step[i].param))
            return false;
    const char *name = smr_address_last(a)->param->name;
    size_t n = strlen(name);
    for (const char *when = smr_address_last(b)->param->when; when;
         when = strchr(when, '&') ? strchr(when, '&') + 1 : NULL)
        if (strcspn(when, SMR_WHEN_SIGNS) == n && memcmp(name, when, n) == 0) return true;
    return false;
}

static smr_status read_with(smr_ctx *ctx, const smr_space *space, const smr_dim *dim,
                            const smr_dim *other, bool *is_read)
{
    smr_status st = SMR_OK;
    smr_spec *changed = NULL;
    smr_text value = {.ctx = ctx};
    for (int64_t i = 0; i < other->n_parts && !*is_read; i++) {
        const char *set = other->parts[i].value;
        if (!set) continue;
        smr_spec_free(changed);
        TRY(smr_address_set(ctx, space->spec, 1, &other->address, &set, &changed));
        TRY(smr_address_get(ctx, changed, dim->address, is_read, &value));
    }
out:
    smr_spec_free(changed);
    smr_text_release(&value);
    return st;
}

smr_status smr_dim_is_read(smr_ctx *ctx, const smr_space *space, int64_t d, bool *is_read)
{
    const smr_dim *dim = &space->dims[d];
    smr_status st = SMR_OK;
    smr_text value = {.ctx = ctx};
    *is_read = true;
    if (!smr_address_last(dim->address)->param->when) return SMR_OK;
    TRY(smr_address_get(ctx, space->spec, dim->address, is_read, &value));
    for (int64_t e = 0; e < space->n_dims && !*is_read; e++)
        if (e != d && decides(&space->dims[e], dim))
            TRY(read_with(ctx, space, dim, &space->dims[e], is_read));
out:
    smr_text_release(&value);
    return st;
}

/* ---- text ------------------------------------------------------------------------------- */

static bool is_plain(const char *value)
{
    if (!*value || *value == '*' || strstr(value, "..") || !strncmp(value, "log(", 4) ||
        !strncmp(value, "linear(", 7))
        return false;
    return strcspn(value, " \t\r\n,'\"()") == strlen(value);
}

/* "(tree),(knn)": more than one sentence. */
static bool are_several(const char *value)
{
    int depth = 0;
    for (const char *c = value; *c; c++) {
        depth += (*c == '(') - (*c == ')');
        if (*c == ',' && depth == 0) return true;
    }
    return false;
}

static void write_part(const smr_dim *dim, const smr_space_part *part, smr_text *out)
{
    const smr_grammar *grammar = smr_address_last(dim->address)->param->grammar;
    if (part->value && grammar && !grammar->expression) {
        bool wrap = are_several(part->value);
        smr_text_printf(out, "%s%s%s", wrap ? "(" : "", part->value, wrap ? ")" : "");
        return;
    }
    if (part->value) {
        bool quote = !is_plain(part->value) && strpbrk(part->value, "'\"()");
        const char *mark = quote && strchr(part->value, '\'') ? "\"" : "'";
        bool wrap = !quote && !is_plain(part->value);
        smr_text_add(out, quote ? mark : wrap ? "(" : "");
        smr_text_add(out, part->value);
        smr_text_add(out, quote ? mark : wrap ? ")" : "");
        return;
    }
    smr_text_add(out, part->scale == SMR_SEARCH_LOG ? "log(" : "linear(");
    smr_text_number(out, part->from);
    smr_text_add(out, "..");
    smr_text_number(out, part->to);
    if (part->step > 0) smr_text_add(out, ":");
    if (part->step > 0) smr_text_number(out, part->step);
    if (part->count) smr_text_printf(out, "/%lld", (long long)part->count);
    smr_text_add(out, ")");
}

smr_status smr_space_write(smr_ctx *ctx, const smr_space *space, char **out)
{
    smr_text text = {.ctx = ctx};
    for (int64_t d = 0; d < space->n_dims; d++) {
        smr_text_printf(&text, "%s%s=", d ? " " : "", space->dims[d].address->text);
        for (int64_t i = 0; i < space->dims[d].n_parts; i++) {
            if (i) smr_text_add(&text, ",");
            write_part(&space->dims[d], &space->dims[d].parts[i], &text);
        }
    }
    smr_status st = smr_text_done(&text);
    *out = st == SMR_OK ? text.bytes : NULL;
    if (st != SMR_OK) smr_text_release(&text);
    return st;
}

/* ---- points ----------------------------------------------------------------------------- */

/* Points under way: the list, the sentences that are in it, and the values being set. */
struct gathering {
    const smr_space *space;
    smr_space_points *points;
    smr_vocab seen;
    const smr_address **address;
    const char **value;
};

static smr_status begin_points(smr_ctx *ctx, const smr_space *space, smr_space_points *out,
                               struct gathering *g)
{
    smr_status st = SMR_OK;
    *out = (smr_space_points){.n_dims = space->n_dims};
    *g = (struct gathering){.space = space, .points = out};
    TRY_NEW(g->address, space->n_dims);
    TRY_NEW(g->value, space->n_dims);
    for (int64_t d = 0; d < space->n_dims; d++) g->address[d] = space->dims[d].address;
out:
    return st;
}

static void end_points(struct gathering *g, smr_status st)
{
    smr_vocab_release(&g->seen);
    smr_free(g->address);
    smr_free(g->value);
    if (st != SMR_OK) smr_space_points_release(g->points);
}

static void release_point(smr_space_point *point, int64_t n_dims)
{
    for (int64_t d = 0; point->value && d < n_dims; d++) smr_free(point->value[d]);
    smr_free(point->value);
    smr_spec_free(point->spec);
    smr_free(point->sentence);
    smr_free(point->refusal);
}

void smr_space_points_release(smr_space_points *points)
{
    for (int64_t i = 0; i < points->n; i++) release_point(&points->at[i], points->n_dims);
    smr_free(points->at);
    *points = (smr_space_points){0};
}

/* The values as the sentence has them; as they were set where it was refused. */
static smr_status keep_values(smr_ctx *ctx, const struct gathering *g, smr_space_point *point)
{
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    TRY_NEW(point->value, g->space->n_dims);
    for (int64_t d = 0; d < g->space->n_dims; d++) {
        bool is_read = !point->sentence;
        text.length = 0;
        if (point->sentence) TRY(smr_address_get(ctx, point->spec, g->address[d], &is_read, &text));
        if (!is_read) continue;
        point->value[d] = smr_strdup(ctx, point->sentence ? text.bytes : g->value[d]);
        if (!point->value[d]) {
            st = SMR_ERR_NOMEM;
            goto out;
        }
    }
out:
    smr_text_release(&text);
    return st;
}

/* Sets the values.  A refusal by the rules between parameters belongs to the point. */
static smr_status make_sentence(smr_ctx *ctx, const struct gathering *g, smr_space_point *point)
{
    smr_status st =
        smr_address_set(ctx, g->space->spec, g->space->n_dims, g->address, g->value, &point->spec);
    if (st == SMR_OK) {
        st = smr_spec_text(ctx, point->spec, &point->sentence);
    } else if (st == SMR_ERR_PARAM) {
        char message[SMR_MESSAGE_MAX];
        memcpy(message, ctx->message, sizeof message);
        smr_begin(ctx);
        point->refusal = smr_strdup(ctx, message);
        st = point->refusal ? SMR_OK : SMR_ERR_NOMEM;
    }
    return st;
}

/* Is the point a new one?  Told by its sentence, or by its values where there is none. */
static smr_status look_up(smr_ctx *ctx, struct gathering *g, const smr_space_point *point,
                          bool *is_new)
{
    smr_text key = {.ctx = ctx};
    smr_status st = SMR_OK;
    int32_t code = 0;
    int64_t before = g->seen.strings.n;
    if (point->sentence) {
        smr_text_add(&key, point->sentence);
    } else {
        for (int64_t d = 0; d < g->space->n_dims; d++) smr_text_printf(&key, "\n%s", g->value[d]);
    }
    TRY(smr_text_done(&key));
    TRY(smr_vocab_add(ctx, &g->seen, key.bytes, key.length, &code));
    *is_new = g->seen.strings.n > before;
out:
    smr_text_release(&key);
    return st;
}

/* Adds the point of the current values, unless its sentence is already there. */
static smr_status add_point(smr_ctx *ctx, struct gathering *g, bool *is_new)
{
    smr_space_points *points = g->points;
    smr_status st = SMR_OK;
    smr_space_point point = {0};
    *is_new = false;
    TRY(make_sentence(ctx, g, &point));
    TRY(look_up(ctx, g, &point, is_new));
    if (!*is_new) {
        points->n_same++;
        goto out;
    }
    TRY(keep_values(ctx, g, &point));
    if (points->n == points->room) {
        int64_t room = points->room ? 2 * points->room : 16;
        smr_space_point *more = smr_realloc(ctx, points->at, room, sizeof *more);
        if (!more) {
            st = SMR_ERR_NOMEM;
            goto out;
        }
        points->at = more;
        points->room = room;
    }
    points->at[points->n++] = point;
    point = (smr_space_point){0};
out:
    release_point(&point, points->n_dims);
    return st;
}

smr_status smr_space_grid(smr_ctx *ctx, const smr_space *space, smr_space_points *out)
{
    smr_status st = SMR_OK;
    struct gathering g;
    double size = 1;
    for (int64_t d = 0; d < space->n_dims; d++) size *= (double)space->dims[d].n_values;
    *out = (smr_space_points){0};
    if (size > SMR_GRID_MOST)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "the grid has more than %d points; search fewer values, or --search random",
                        (int)SMR_GRID_MOST);
    TRY(begin_points(ctx, space, out, &g));
    for (int64_t i = 0; i < (int64_t)size; i++) {
        bool is_new;
        int64_t rest = i;
        for (int64_t d = space->n_dims - 1; d >= 0; d--) {
            g.value[d] = space->dims[d].values[rest % space->dims[d].n_values];
            rest /= space->dims[d].n_values;
        }
        TRY(add_point(ctx, &g, &is_new));
    }
out:
    end_points(&g, st);
    return st;
}

/* ---- drawing ---------------------------------------------------------------------------- */

/* A number from a range without steps: whole ones with equal chances (or log-uniformly), others
 * rounded to four digits so that people can read them. */
static void draw_number(const smr_dim *dim, const smr_space_part *part, double u,
                        char out[SMR_NUMBER_MAX])
{
    if (is_whole(dim)) {
        double x = floor(at_share(part, part->from, part->to + 1, u));
        smr_format_double(smr_fmin(smr_fmax(x, part->from), part->to), out);
        return;
    }
    double x = at_share(part, part->from, part->to, u), rounded = x;
    int n = smr_format_rounded(x, DRAWN_DIGITS, out);
    smr_parse_double(out, out + n, &rounded);
    if (rounded < part->from) smr_format_double(part->from, out);
    if (rounded > part->to) smr_format_double(part->to, out);
}

/* The value of dim d in draw i: an element, with equal chances, and a place in it if it is a
 * range. */
static const char *draw_value(const smr_ctx *ctx, const smr_space *space, int64_t i, int64_t d,
                              char number[SMR_NUMBER_MAX])
{
    const smr_dim *dim = &space->dims[d];
    uint64_t a = (uint64_t)i, b = 2 * (uint64_t)d;
    bool open = false;
    for (int64_t k = 0; k < dim->n_parts; k++) {
        const smr_space_part *part = &dim->parts[k];
        open |= !part->value && !(part->step > 0) && !part->count;
    }
    if (!open)
        return dim->values[smr_random_below(ctx->seed, SMR_STREAM_SEARCH, a, b, dim->n_values)];
    int64_t k = smr_random_below(ctx->seed, SMR_STREAM_SEARCH, a, b, dim->n_parts);
    if (dim->parts[k].value) return dim->parts[k].value;
    draw_number(dim, &dim->parts[k], smr_random_unit(ctx->seed, SMR_STREAM_SEARCH, a, b + 1),
                number);
    return number;
}

smr_status smr_space_draw(smr_ctx *ctx, const smr_space *space, int64_t n, smr_space_points *out)
{
    smr_status st = SMR_OK;
    struct gathering g;
    char(*number)[SMR_NUMBER_MAX] = NULL;
    int64_t misses = 0;
    TRY(begin_points(ctx, space, out, &g));
    TRY_NEW(number, space->n_dims);
    for (int64_t i = 0; out->n < n && misses < MOST_MISSES; i++) {
        bool is_new;
        for (int64_t d = 0; d < space->n_dims; d++)
            g.value[d] = draw_value(ctx, space, i, d, number[d]);
        TRY(add_point(ctx, &g, &is_new));
        misses = is_new ? 0 : misses + 1;
    }
out:
    smr_free(number);
    end_points(&g, st);
    return st;
}
