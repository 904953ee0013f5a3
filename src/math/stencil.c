/* stencil.c -- see stencil.h. */
#include "math/stencil.h"

#include "core/parallel.h"

#include <math.h>

enum { MOST_KERNEL = 255 };

static int64_t size_of(const smr_stencil *s, int64_t side, int64_t kernel)
{
    int64_t room = s->edge == SMR_FILTER_WHOLE ? side - kernel : side - 1;
    return room < 0 ? 0 : room / s->stride + 1;
}

smr_status smr_stencil_size(smr_ctx *ctx, const smr_stencil *s, int64_t *height, int64_t *width)
{
    if (s->height < 1 || s->width < 1 || s->channels < 1 || s->k_height < 1 || s->k_width < 1)
        return smr_fail(ctx, SMR_ERR_SHAPE, "a picture and a kernel have at least one number");
    if (s->k_height > MOST_KERNEL || s->k_width > MOST_KERNEL)
        return smr_fail(ctx, SMR_ERR_SHAPE, "a kernel of %lld x %lld: at most %d x %d",
                        (long long)s->k_height, (long long)s->k_width, MOST_KERNEL, MOST_KERNEL);
    if (s->stride < 1)
        return smr_fail(ctx, SMR_ERR_PARAM, "a stride of %lld: at least 1", (long long)s->stride);
    *height = size_of(s, s->height, s->k_height);
    *width = size_of(s, s->width, s->k_width);
    if (*height > 0 && *width > 0) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_SHAPE,
                    "a kernel of %lld x %lld does not fit into a picture of %lld x %lld; with "
                    "edges filled in (zero, repeat) it does",
                    (long long)s->k_height, (long long)s->k_width, (long long)s->height,
                    (long long)s->width);
}

struct job {
    const smr_stencil *s;
    const double *x, *kernel;
    double *y;
    int64_t width, top, left;
};

/* Where row or column `at` of the picture is read; -1: beyond the edge, where it is 0. */
static int64_t place(const smr_stencil *s, int64_t at, int64_t side)
{
    if (at >= 0 && at < side) return at;
    if (s->edge == SMR_FILTER_ZERO) return -1;
    return at < 0 ? 0 : side - 1;
}

static double pixel(const struct job *job, int64_t r, int64_t c, int64_t k)
{
    const smr_stencil *s = job->s;
    double sum = 0;
    for (int64_t i = 0; i < s->k_height; i++) {
        int64_t row = place(s, r * s->stride + i - job->top, s->height);
        for (int64_t j = 0; j < s->k_width && row >= 0; j++) {
            int64_t column = place(s, c * s->stride + j - job->left, s->width);
            if (column < 0) continue;
            sum = fma(job->kernel[i * s->k_width + j],
                      job->x[(row * s->width + column) * s->channels + k], sum);
        }
    }
    return sum;
}

static smr_status run_row(smr_ctx *ctx, void *arg, int64_t r, int lane)
{
    const struct job *job = arg;
    double *to = job->y + r * job->width * job->s->channels;
    (void)ctx, (void)lane;
    for (int64_t c = 0; c < job->width; c++)
        for (int64_t k = 0; k < job->s->channels; k++) *to++ = pixel(job, r, c, k);
    return SMR_OK;
}

smr_status smr_stencil_apply(smr_ctx *ctx, const smr_stencil *s, const double *x,
                             const double *kernel, double *y)
{
    smr_status st = SMR_OK;
    bool whole = s->edge == SMR_FILTER_WHOLE;
    struct job job = {.s = s,
                      .x = x,
                      .kernel = kernel,
                      .y = y,
                      .top = whole ? 0 : s->k_height / 2,
                      .left = whole ? 0 : s->k_width / 2};
    int64_t height;
    TRY(smr_stencil_size(ctx, s, &height, &job.width));
    TRY(smr_parallel(ctx, "filtering", height, run_row, &job));
out:
    return st;
}
