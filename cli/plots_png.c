/* plots_png.c -- SVG to PNG through librsvg and cairo, where they were found.
 *
 * Their headers are needed to build this, the libraries only when a picture is drawn: they are
 * opened then.  Linked, they would bring some forty libraries into every call of the command,
 * which takes 6 ms and 9 MB. */
#define _GNU_SOURCE /* asked for by the headers of glib */
#include "plots.h"

#include "data/file.h"

#ifndef SMR_HAVE_RSVG
#define SMR_HAVE_RSVG 0
#endif

#if SMR_HAVE_RSVG

/* glib's headers are not written for our warnings */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <cairo.h>
#include <librsvg/rsvg.h>
#pragma GCC diagnostic pop

#include <dlfcn.h>
#include <string.h>

enum { SCALE = 2 };

const char *plots_png_info(void)
{
    return "librsvg " LIBRSVG_VERSION;
}

/* What is called of librsvg, cairo and glib: the types are those of the headers. */
#define CALLS(X)                                \
    X(rsvg_handle_new_from_data)                \
    X(rsvg_handle_get_intrinsic_size_in_pixels) \
    X(rsvg_handle_render_document)              \
    X(cairo_image_surface_create)               \
    X(cairo_create)                             \
    X(cairo_destroy)                            \
    X(cairo_set_source_rgb)                     \
    X(cairo_paint)                              \
    X(cairo_status)                             \
    X(cairo_status_to_string)                   \
    X(cairo_surface_destroy)                    \
    X(cairo_surface_write_to_png_stream)        \
    X(g_object_unref)                           \
    X(g_error_free)

struct calls {
#define FIELD(name) __typeof__(&name) name;
    CALLS(FIELD)
#undef FIELD
};

/* librsvg brings the others with it; a name is looked for in all of them. */
static smr_status open_library(smr_ctx *ctx, struct calls *c)
{
    static const char file[] = "librsvg-2.so.2";
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "PNG needs %s, which is not there: install librsvg2-2, or ask for .svg",
                        file);
    const char *missing = NULL;
    void *found;
#define FIND(name)                 \
    found = dlsym(library, #name); \
    if (!found) missing = #name;   \
    memcpy(&c->name, &found, sizeof found);
    CALLS(FIND)
#undef FIND
    if (missing)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED, "%s has no %s; ask for .svg", file, missing);
    return SMR_OK;
}

bool plots_have_png(void)
{
    return true;
}

struct writer {
    smr_ctx *ctx;
    smr_sink *sink;
};

static cairo_status_t write_bytes(void *closure, const unsigned char *bytes, unsigned n)
{
    struct writer *w = closure;
    smr_status st = smr_sink_write(w->ctx, w->sink, bytes, (int64_t)n);
    return st == SMR_OK ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* The drawing on white, at SCALE times its size. */
static smr_status render(smr_ctx *ctx, const struct calls *c, RsvgHandle *svg,
                         cairo_surface_t **out)
{
    gdouble width = 0, height = 0;
    GError *error = NULL;
    if (!c->rsvg_handle_get_intrinsic_size_in_pixels(svg, &width, &height))
        return smr_fail(ctx, SMR_ERR_INTERNAL, "a drawing has no size");
    int w = (int)(SCALE * width + 0.5), h = (int)(SCALE * height + 0.5);
    *out = c->cairo_image_surface_create(CAIRO_FORMAT_RGB24, w, h);
    cairo_t *to = c->cairo_create(*out);
    RsvgRectangle box = {0, 0, w, h};
    c->cairo_set_source_rgb(to, 1, 1, 1);
    c->cairo_paint(to);
    bool drawn = c->rsvg_handle_render_document(svg, to, &box, &error);
    if (c->cairo_status(to) != CAIRO_STATUS_SUCCESS) drawn = false;
    c->cairo_destroy(to);
    if (drawn) return SMR_OK;
    smr_status st = smr_fail(ctx, SMR_ERR_INTERNAL, "librsvg cannot draw a figure: %s",
                             error ? error->message : "out of memory");
    if (error) c->g_error_free(error);
    return st;
}

smr_status plots_write_png(smr_ctx *ctx, const smr_text *svg, const char *path)
{
    smr_status st = SMR_OK;
    struct writer w = {.ctx = ctx};
    cairo_surface_t *surface = NULL;
    GError *error = NULL;
    struct calls c = {0};
    RsvgHandle *handle = NULL;
    TRY(open_library(ctx, &c));
    handle = c.rsvg_handle_new_from_data((const guint8 *)svg->bytes, (gsize)svg->length, &error);
    if (!handle) {
        st = smr_fail(ctx, SMR_ERR_INTERNAL, "librsvg cannot read a figure: %s", error->message);
        c.g_error_free(error);
        goto out;
    }
    TRY(render(ctx, &c, handle, &surface));
    TRY(smr_sink_open(ctx, path, false, &w.sink));
    cairo_status_t wrote = c.cairo_surface_write_to_png_stream(surface, write_bytes, &w);
    if (wrote != CAIRO_STATUS_SUCCESS) {
        st = smr_fail(ctx, SMR_ERR_IO, "%s: cannot be written: %s", path,
                      c.cairo_status_to_string(wrote));
        goto out;
    }
    TRY(smr_sink_commit(ctx, w.sink));
out:
    smr_sink_close(w.sink);
    if (surface) c.cairo_surface_destroy(surface);
    if (handle) c.g_object_unref(handle);
    return st;
}

#else

const char *plots_png_info(void)
{
    return "no, librsvg2-dev was not there";
}

bool plots_have_png(void)
{
    return false;
}

smr_status plots_write_png(smr_ctx *ctx, const smr_text *svg, const char *path)
{
    (void)svg;
    return smr_fail(ctx, SMR_ERR_UNSUPPORTED, "%s: this samara was built without PNG", path);
}

#endif
