/* picture_filter.c -- see picture_filter.h. */
#include "study/picture_filter.h"

#include "core/figure.h"
#include "core/number.h"
#include "math/stencil.h"

#include <math.h>
#include <string.h>

enum { MOST_NUMBERS = 255 * 255, SHOWN = 20, FIGURE_SIDE = 512 };

static const struct {
    const char *name, *rows;
    double divide;
} known[] = {
    {"identity", "0 0 0; 0 1 0; 0 0 0", 1},
    {"blur", "1 1 1; 1 1 1; 1 1 1", 9},
    {"gauss", "1 4 6 4 1; 4 16 24 16 4; 6 24 36 24 6; 4 16 24 16 4; 1 4 6 4 1", 256},
    {"sharpen", "0 -1 0; -1 5 -1; 0 -1 0", 1},
    {"edges", "-1 -1 -1; -1 8 -1; -1 -1 -1", 1},
    {"laplace", "0 1 0; 1 -4 1; 0 1 0", 1},
    {"sobel_x", "-1 0 1; -2 0 2; -1 0 1", 1},
    {"sobel_y", "-1 -2 -1; 0 0 0; 1 2 1", 1},
    {"emboss", "-2 -1 0; -1 1 1; 0 1 2", 1},
};

struct kernel {
    double *value;
    int64_t height, width;
};

const char *smr_filter_names(smr_text *out)
{
    for (int64_t i = 0; i < SMR_COUNT(known); i++)
        smr_text_printf(out, "%s%s", i ? ", " : "", known[i].name);
    return smr_text_done(out) == SMR_OK ? out->bytes : "";
}

/* ---- the kernel --------------------------------------------------------------------------- */

static smr_status no_kernel(smr_ctx *ctx, const char *text, const char *why)
{
    smr_text names = {.ctx = ctx};
    smr_status st =
        smr_fail(ctx, SMR_ERR_PARAM,
                 "'%.60s' is no kernel: %s; write its rows, as in \"0 1 0; 1 -4 1; 0 1 0\", or one "
                 "of %s",
                 text, why, smr_filter_names(&names));
    smr_text_release(&names);
    return st;
}

/* One row up to its ';'; *n numbers are added. */
static const char *read_row(const char *at, const char *end, double *to, int64_t room, int64_t *n)
{
    for (*n = 0;;) {
        while (at < end && (*at == ' ' || *at == ',' || *at == '\t' || *at == '\n')) at++;
        if (at == end || *at == ';') return at;
        if (*n == room) return NULL;
        const char *stop = smr_parse_double(at, end, &to[*n]);
        if (!stop || stop == at || !isfinite(to[*n])) return NULL;
        at = stop;
        ++*n;
    }
}

static smr_status read_rows(smr_ctx *ctx, const char *text, struct kernel *out)
{
    const char *at = text, *end = text + strlen(text);
    smr_status st = SMR_OK;
    int64_t room = (end - at) / 2 + 1, used = 0, n;
    TRY_NEW(out->value, SMR_MIN(room, MOST_NUMBERS) + 1);
    while (at < end) {
        at = read_row(at, end, out->value + used, SMR_MIN(room, MOST_NUMBERS) - used, &n);
        if (!at) return no_kernel(ctx, text, "it has something else than finite numbers");
        if (n == 0 && at == end) break;
        if (n == 0) return no_kernel(ctx, text, "a row is empty");
        if (out->height && n != out->width)
            return no_kernel(ctx, text, "its rows are not equally long");
        out->width = n;
        out->height++;
        used += n;
        at += at < end;
    }
    if (used == 0) return no_kernel(ctx, text, "it is empty");
out:
    return st;
}

static smr_status read_kernel(smr_ctx *ctx, const char *text, bool flip, struct kernel *out)
{
    smr_status st = SMR_OK;
    const char *rows = text;
    double divide = 1;
    for (int64_t i = 0; i < SMR_COUNT(known); i++) {
        if (strcmp(text, known[i].name) != 0) continue;
        rows = known[i].rows;
        divide = known[i].divide;
    }
    if (rows == text && *text >= 'a' && *text <= 'z')
        return no_kernel(ctx, text, "there is none of that name");
    TRY(read_rows(ctx, rows, out));
    int64_t n = out->height * out->width;
    for (int64_t i = 0; i < n; i++) out->value[i] /= divide;
    for (int64_t i = 0; flip && i < n / 2; i++) {
        double v = out->value[i];
        out->value[i] = out->value[n - 1 - i];
        out->value[n - 1 - i] = v;
    }
out:
    return st;
}

/* ---- pixels ------------------------------------------------------------------------------- */

struct filtered {
    const smr_picture_filter *how;
    smr_picture picture; /* 8 bits, 1 or 3 channels */
    struct kernel kernel;
    int64_t height, width, n; /* of the result; n: its numbers */
    double *x, *y, least, largest;
    uint8_t *values;
};

static smr_status find_range(smr_ctx *ctx, struct filtered *f)
{
    f->least = f->largest = f->y[0];
    for (int64_t i = 0; i < f->n; i++) {
        if (!isfinite(f->y[i]))
            return smr_fail(ctx, SMR_ERR_PARAM,
                            "the filtered numbers are not finite: those of the kernel are too "
                            "large");
        f->least = smr_fmin(f->least, f->y[i]);
        f->largest = smr_fmax(f->largest, f->y[i]);
    }
    return SMR_OK;
}

static void make_values(struct filtered *f)
{
    double from = 0, to = 255;
    if (f->how->values == SMR_VALUES_STRETCH) {
        from = f->least;
        to = f->largest;
    }
    if (f->how->values == SMR_VALUES_SIZE) to = smr_fmax(fabs(f->least), fabs(f->largest));
    double scale = to > from ? 255 / (to - from) : 0;
    for (int64_t i = 0; i < f->n; i++) {
        double v = f->how->values == SMR_VALUES_SIZE ? fabs(f->y[i]) : f->y[i];
        f->values[i] = (uint8_t)nearbyint(smr_fmax(0, smr_fmin(255, scale * (v - from))));
    }
}

static smr_status filter(smr_ctx *ctx, struct filtered *f)
{
    smr_status st = SMR_OK;
    const smr_picture *p = &f->picture;
    const smr_stencil s = {.height = p->height,
                           .width = p->width,
                           .channels = p->channels,
                           .k_height = f->kernel.height,
                           .k_width = f->kernel.width,
                           .stride = f->how->stride,
                           .edge = f->how->edge};
    TRY(smr_stencil_size(ctx, &s, &f->height, &f->width));
    f->n = f->height * f->width * p->channels;
    int64_t n = smr_picture_samples(p);
    TRY(smr_memory_check(ctx, 8.0 * (double)n + 9.0 * (double)f->n, "filtering this picture",
                         "make it smaller with --size"));
    TRY_NEW(f->x, n);
    TRY_NEW(f->y, f->n);
    TRY_NEW(f->values, f->n);
    for (int64_t i = 0; i < n; i++) f->x[i] = ((const uint8_t *)p->values)[i];
    TRY(smr_stencil_apply(ctx, &s, f->x, f->kernel.value, f->y));
    TRY(find_range(ctx, f));
    make_values(f);
out:
    return st;
}

/* ---- what is told ------------------------------------------------------------------------- */

static void add_rows(smr_json *into, const char *key, const double *x, int64_t height,
                     int64_t width)
{
    smr_json *list = smr_json_add_array(into, key);
    for (int64_t r = 0; r < height; r++) smr_json_add_numbers(list, NULL, x + r * width, width);
}

/* Numbers where they can be read, for grey pictures. */
static void tell(const struct filtered *f, smr_json *into)
{
    const smr_picture *p = &f->picture;
    smr_json_add_number(into, "height", (double)p->height);
    smr_json_add_number(into, "width", (double)p->width);
    smr_json_add_number(into, "channels", p->channels);
    add_rows(into, "kernel", f->kernel.value, f->kernel.height, f->kernel.width);
    smr_json_add_number(into, "new_height", (double)f->height);
    smr_json_add_number(into, "new_width", (double)f->width);
    smr_json_add_number(into, "least", f->least);
    smr_json_add_number(into, "largest", f->largest);
    if (p->channels == 1 && f->height <= SHOWN && f->width <= SHOWN)
        add_rows(into, "filtered", f->y, f->height, f->width);
}

static void add_tile(const char *label, const uint8_t *values, int64_t height, int64_t width,
                     int channels, smr_json *figure)
{
    smr_json *list = smr_figure_tile(figure, label, height, width, channels);
    for (int64_t i = 0; i < height * width * channels; i++)
        smr_json_add_number(list, NULL, values[i]);
}

/* Before and after, and the kernel. */
static void draw(const struct filtered *f, smr_json *into)
{
    const smr_picture *p = &f->picture;
    smr_json *figures = smr_json_add_array(into, "figures");
    if (p->height <= FIGURE_SIDE && p->width <= FIGURE_SIDE) {
        smr_json *figure =
            smr_figure_tiles(figures, "filtered", "Before and after", NULL, 0, 255, false);
        add_tile("before", p->values, p->height, p->width, p->channels, figure);
        add_tile("after", f->values, f->height, f->width, p->channels, figure);
    }
    smr_json *figure =
        smr_figure_tiles(figures, "kernel", "The kernel",
                         "White where a weight is 0, blue above, brown below.", 0, 0, true);
    smr_json *list = smr_figure_tile(figure, NULL, f->kernel.height, f->kernel.width, 1);
    for (int64_t i = 0; i < f->kernel.height * f->kernel.width; i++)
        smr_json_add_number(list, NULL, f->kernel.value[i]);
}

smr_status smr_filter_picture(smr_ctx *ctx, const char *path, const smr_picture_filter *how,
                              smr_text *picture, smr_json *into)
{
    smr_status st = SMR_OK;
    struct filtered f = {.how = how};
    TRY(read_kernel(ctx, how->kernel, how->flip, &f.kernel));
    TRY(smr_picture_open(ctx, path, &f.picture));
    TRY(smr_picture_make_plain(ctx, path, "filtered", how->how, &f.picture));
    TRY(filter(ctx, &f));
    const smr_png png = {
        .height = f.height, .width = f.width, .channels = f.picture.channels, .values = f.values};
    TRY(smr_png_write(ctx, &png, picture));
    tell(&f, into);
    if (how->figures) draw(&f, into);
    st = smr_json_done(into->doc);
out:
    smr_picture_release(&f.picture);
    smr_free(f.kernel.value);
    smr_free(f.x);
    smr_free(f.y);
    smr_free(f.values);
    return st;
}
