/* test_stencil.c -- filtering against the definition written out, worked figures, the same bytes on
 * any number of threads, sizes that do not fit. */
#include "check.h"

#include "core/rng.h"
#include "math/stencil.h"

enum { SIDE = 12, ALL = SIDE * SIDE * 3 };

static double number(uint64_t which, int64_t i)
{
    return 2 * smr_random_unit(5, SMR_STREAM_TEST, which, (uint64_t)i) - 1;
}

/* x with its border written out, then windows. */
static double plain(const smr_stencil *s, const double *x, const double *kernel, int64_t r,
                    int64_t c, int64_t k)
{
    int64_t top = s->edge == SMR_FILTER_WHOLE ? 0 : s->k_height / 2;
    int64_t left = s->edge == SMR_FILTER_WHOLE ? 0 : s->k_width / 2;
    double sum = 0;
    for (int64_t i = 0; i < s->k_height; i++)
        for (int64_t j = 0; j < s->k_width; j++) {
            int64_t row = r * s->stride + i - top, col = c * s->stride + j - left;
            bool out = row < 0 || row >= s->height || col < 0 || col >= s->width;
            if (out && s->edge == SMR_FILTER_ZERO) continue;
            row = SMR_MAX(0, SMR_MIN(s->height - 1, row));
            col = SMR_MAX(0, SMR_MIN(s->width - 1, col));
            sum += kernel[i * s->k_width + j] * x[(row * s->width + col) * s->channels + k];
        }
    return sum;
}

static void it_is_what_its_definition_says(void **state)
{
    double x[ALL], kernel[36], y[ALL], other[ALL];
    smr_ctx *ctx = check_ctx(1), *seven = check_ctx(7);
    (void)state;
    for (int64_t i = 0; i < ALL; i++) x[i] = number(81, i);
    for (int64_t i = 0; i < 36; i++) kernel[i] = number(82, i);
    for (int edge = 0; edge < 3; edge++)
        for (int64_t kh = 1; kh <= 5; kh++)
            for (int64_t kw = 1; kw <= 6; kw += 2)
                for (int64_t stride = 1; stride <= 3; stride++) {
                    const smr_stencil s = {.height = SIDE,
                                           .width = SIDE - 3,
                                           .channels = 1 + edge,
                                           .k_height = kh,
                                           .k_width = kw,
                                           .stride = stride,
                                           .edge = (smr_filter_edge)edge};
                    int64_t h, w;
                    check_ok(ctx, smr_stencil_size(ctx, &s, &h, &w));
                    check_ok(ctx, smr_stencil_apply(ctx, &s, x, kernel, y));
                    check_ok(seven, smr_stencil_apply(seven, &s, x, kernel, other));
                    assert_memory_equal(y, other, (size_t)(h * w * s.channels) * sizeof *y);
                    for (int64_t e = 0; e < h * w * s.channels; e++) {
                        int64_t k = e % s.channels, c = e / s.channels % w, r = e / s.channels / w;
                        check_near("y", y[e], plain(&s, x, kernel, r, c, k), 1e-14);
                    }
                }
    check_ctx_end(seven);
    check_ctx_end(ctx);
}

/* The second derivative of a square, and the edge of a step. */
static void worked_figures(void **state)
{
    const double square[5] = {0, 1, 4, 9, 16}, second[3] = {1, -2, 1};
    const double steps[6] = {0, 0, 9, 0, 0, 9}, sobel[9] = {-1, 0, 1, -2, 0, 2, -1, 0, 1};
    smr_ctx *ctx = check_ctx(1);
    smr_filter_opts opts = {.size = sizeof opts, .edge = SMR_FILTER_WHOLE};
    const int64_t line[2] = {1, 5}, three[2] = {1, 3}, two[2] = {2, 3}, nine[2] = {3, 3};
    double y[6];
    int64_t got[2];
    (void)state;
    check_ok(ctx, smr_filter_grid(ctx, line, square, three, second, &opts, got, y));
    assert_true(got[0] == 1 && got[1] == 3);
    for (int i = 0; i < 3; i++) check_near("second derivative", y[i], 2, 0);
    opts.edge = SMR_FILTER_REPEAT;
    check_ok(ctx, smr_filter_grid(ctx, two, steps, nine, sobel, &opts, got, y));
    const double want[3] = {0, 36, 36};
    for (int i = 0; i < 6; i++) check_near("sobel", y[i], want[i % 3], 0);
    check_ok(ctx, smr_filter_grid(ctx, two, steps, nine, sobel, NULL, got, NULL));
    assert_true(got[0] == 2 && got[1] == 3);
    check_ctx_end(ctx);
}

static void what_does_not_fit_is_refused(void **state)
{
    const double x[4] = {1, 2, 3, 4}, kernel[6] = {0};
    smr_ctx *ctx = check_ctx(1);
    smr_filter_opts opts = {.size = sizeof opts, .edge = SMR_FILTER_WHOLE};
    const int64_t two[2] = {2, 2};
    int64_t got[2];
    (void)state;
#define REFUSES(kh, kw, code, part)                                                                \
    check_fails(ctx,                                                                               \
                smr_filter_grid(ctx, two, x, (const int64_t[]){kh, kw}, kernel, &opts, got, NULL), \
                code, part)
    REFUSES(1, 3, SMR_ERR_SHAPE, "does not fit into a picture of 2 x 2");
    REFUSES(0, 3, SMR_ERR_SHAPE, "at least one number");
    REFUSES(300, 1, SMR_ERR_SHAPE, "at most 255 x 255");
    opts.stride = -1;
    REFUSES(1, 1, SMR_ERR_PARAM, "a stride of -1");
    opts = (smr_filter_opts){.size = sizeof opts, .edge = (smr_filter_edge)7};
    REFUSES(1, 1, SMR_ERR_PARAM, "edge 7 is none of 0 to 2");
    opts = (smr_filter_opts){.size = sizeof opts, .channels = -2};
    REFUSES(1, 1, SMR_ERR_SHAPE, "at least one number");
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_what_its_definition_says),
        cmocka_unit_test(worked_figures),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
