/* Pictures in few colours and in few blocks: errors against scikit-learn's, files that read back,
 * the same bytes on any number of threads, hostile codes. */
#include "check.h"

#include "core/text.h"
#include "data/block_code.h"
#include "math/colour.h"
#include "study/quantize.h"
#include "truth/pictures.h"

#include <unistd.h>

enum { WIDTH = 24, HEIGHT = 20 };

/* A PNG of samples in a temporary file, which the caller removes. */
static void write_png(smr_ctx *ctx, int64_t w, int64_t h, int channels, const uint8_t *values,
                      char path[64])
{
    smr_text out = {.ctx = ctx};
    smr_png png = {.height = h, .width = w, .channels = channels, .values = values};
    check_ok(ctx, smr_png_write(ctx, &png, &out));
    snprintf(path, 64, "/tmp/samara-test-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, out.bytes, (size_t)out.length), out.length);
    close(fd);
    smr_text_release(&out);
}

struct done {
    smr_json_doc *doc;
    const smr_json *root;
    smr_quantized q;
};

static smr_status quantise(smr_ctx *ctx, const char *path, const smr_quantize_opts *o,
                           struct done *d)
{
    smr_quantized_init(ctx, &d->q);
    smr_status st = smr_json_create(ctx, &d->doc);
    if (st != SMR_OK) return st;
    d->root = smr_json_root(d->doc);
    st = smr_quantize(ctx, path, o, &d->q, smr_json_root(d->doc));
    return st == SMR_OK ? smr_json_done(d->doc) : st;
}

static void release(struct done *d)
{
    smr_json_free(d->doc);
    smr_quantized_release(&d->q);
    *d = (struct done){0};
}

static double number(const struct done *d, const char *key)
{
    return smr_json_get_number(d->root, key, NAN);
}

/* The pictures as they would be read. */
static smr_picture decoded(smr_ctx *ctx, const smr_text *file)
{
    smr_picture p;
    check_ok(ctx, smr_picture_decode(ctx, "out", file->bytes, file->length, &p));
    return p;
}

static double mse_of(const smr_picture *p, const uint8_t *want)
{
    double sum = 0;
    for (int64_t i = 0; i < smr_picture_samples(p); i++) {
        double off = ((uint8_t *)p->values)[i] - want[i];
        sum += off * off;
    }
    return sum / (double)smr_picture_samples(p);
}

static void errors_are_those_of_the_best_clusters(void **state)
{
    (void)state;
    static const int colours[] = {2, 3, 5};
    smr_ctx *ctx = check_ctx(2);
    char path[64];
    write_png(ctx, WIDTH, HEIGHT, 3, picture_wide, path);
    for (int64_t k = 0; k < SMR_COUNT(colours); k++) {
        struct done d = {0};
        smr_quantize_opts o = {.k = colours[k], .settings = "starts=50 tol=0"};
        check_ok(ctx, quantise(ctx, path, &o, &d));
        smr_picture p = decoded(ctx, &d.q.picture);
        check_near("mse", number(&d, "mse"), mse_of(&p, picture_wide), 1e-12);
        /* rounding the palette to 8 bits adds at most 1/4 */
        assert_true(number(&d, "mse") >= picture_colours_mse[k] * (1 - 1e-9));
        assert_true(number(&d, "mse") <= picture_colours_mse[k] + 0.25);
        assert_int_equal(number(&d, "colours"), colours[k]);
        check_near("psnr", number(&d, "psnr"), 10 * log10(65025 / number(&d, "mse")), 1e-12);
        assert_int_equal(number(&d, "bytes"), d.q.picture.length);
        smr_picture_release(&p);
        release(&d);
    }
    unlink(path);
    check_ctx_end(ctx);
}

static void every_pixel_has_the_nearest_colour(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    struct done d = {0};
    char path[64];
    write_png(ctx, WIDTH, HEIGHT, 3, picture_wide, path);
    check_ok(ctx, quantise(ctx, path, &(smr_quantize_opts){.k = 7}, &d));
    smr_picture p = decoded(ctx, &d.q.picture);
    const uint8_t *got = p.values;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        int own = 0;
        for (int e = 0; e < 3; e++) {
            int off = got[3 * i + e] - picture_wide[3 * i + e];
            own += off * off;
        }
        for (int j = 0; j < WIDTH * HEIGHT; j++) {
            int other = 0;
            for (int e = 0; e < 3; e++) {
                int off = got[3 * j + e] - picture_wide[3 * i + e];
                other += off * off;
            }
            assert_true(own <= other);
        }
    }
    smr_picture_release(&p);
    release(&d);
    unlink(path);
    check_ctx_end(ctx);
}

static void enough_colours_lose_nothing(void **state)
{
    (void)state;
    static const uint8_t flag[] = {200, 0, 0, 200, 0, 0, 255, 255, 255, 255, 255, 255,
                                   0,   0, 9, 0,   0, 9, 200, 0,   0,   255, 255, 255};
    smr_ctx *ctx = check_ctx(1);
    struct done d = {0};
    char path[64];
    write_png(ctx, 4, 2, 3, flag, path);
    check_ok(ctx, quantise(ctx, path, &(smr_quantize_opts){.k = 16, .lab = true}, &d));
    assert_int_equal(number(&d, "colours_before"), 3);
    assert_int_equal(number(&d, "colours"), 3);
    assert_true(number(&d, "mse") == 0);
    assert_int_equal(smr_json_get(d.root, "psnr")->type, SMR_JSON_NULL);
    const smr_json *first = smr_json_get(d.root, "palette")->first;
    assert_string_equal(smr_json_get_string(first, "colour", ""), "#000009");
    assert_true(smr_json_get_number(first, "share", 0) == 0.25);
    smr_picture p = decoded(ctx, &d.q.picture);
    assert_memory_equal(p.values, flag, sizeof flag);
    smr_picture_release(&p);
    release(&d);
    unlink(path);
    check_ctx_end(ctx);
}

/* Of two colours a slope becomes one step; dithered, every part of it is as bright as before. */
static void dithering_keeps_the_brightness(void **state)
{
    (void)state;
    enum { W = 64, H = 32 };
    uint8_t slope[W * H];
    double off[2] = {0, 0};
    smr_ctx *ctx = check_ctx(1);
    char path[64];
    for (int i = 0; i < W * H; i++) slope[i] = (uint8_t)(70 + 2 * (i % W));
    write_png(ctx, W, H, 1, slope, path);
    for (int dithered = 0; dithered < 2; dithered++) {
        struct done d = {0};
        check_ok(ctx, quantise(ctx, path, &(smr_quantize_opts){.k = 2, .dither = dithered}, &d));
        smr_picture p = decoded(ctx, &d.q.picture);
        for (int part = 1; part < 7; part++) { /* between the two colours */
            double was = 0, is = 0;
            for (int y = 0; y < H; y++)
                for (int x = 8 * part; x < 8 * part + 8; x++) {
                    was += slope[y * W + x];
                    is += ((uint8_t *)p.values)[3 * (y * W + x)];
                }
            double now = fabs(was - is) / (8 * H);
            if (part > 1 && part < 6 && now > off[dithered]) off[dithered] = now;
        }
        smr_picture_release(&p);
        release(&d);
    }
    assert_true(off[0] > 15);
    /* errors move a pixel or two past the edge of a part */
    if (!(off[1] < 4)) fail_msg("off by %g", off[1]);
    unlink(path);
    check_ctx_end(ctx);
}

static void threads_change_no_byte(void **state)
{
    (void)state;
    static const smr_quantize_opts ways[] = {{.k = 6},
                                             {.k = 6, .lab = true},
                                             {.k = 4, .dither = true},
                                             {.k = 9, .block_height = 2, .block_width = 3}};
    char path[64];
    smr_ctx *ctx = check_ctx(1);
    write_png(ctx, WIDTH, HEIGHT, 3, picture_wide, path);
    for (int64_t w = 0; w < SMR_COUNT(ways); w++) {
        struct done one = {0};
        check_ok(ctx, quantise(ctx, path, &ways[w], &one));
        for (int threads = 2; threads <= 7; threads += 5) {
            smr_ctx *many = check_ctx(threads);
            struct done d = {0};
            check_ok(many, quantise(many, path, &ways[w], &d));
            assert_int_equal(d.q.picture.length, one.q.picture.length);
            assert_memory_equal(d.q.picture.bytes, one.q.picture.bytes, one.q.picture.length);
            assert_int_equal(d.q.code.length, one.q.code.length);
            if (one.q.code.length)
                assert_memory_equal(d.q.code.bytes, one.q.code.bytes, one.q.code.length);
            release(&d);
            check_ctx_end(many);
        }
        release(&one);
    }
    unlink(path);
    check_ctx_end(ctx);
}

static void lab_is_that_of_the_standard(void **state)
{
    (void)state;
    static const double known[][6] = {/* by the published matrices, four digits */
                                      {255, 255, 255, 100, 0, 0},
                                      {0, 0, 0, 0, 0, 0},
                                      {255, 0, 0, 53.24, 80.09, 67.20},
                                      {0, 255, 0, 87.73, -86.18, 83.18},
                                      {0, 0, 255, 32.30, 79.19, -107.86}};
    for (int64_t k = 0; k < SMR_COUNT(known); k++) {
        double lab[3], back[3];
        smr_lab_of_rgb(known[k], lab);
        smr_rgb_of_lab(lab, back);
        for (int e = 0; e < 3; e++) {
            assert_true(fabs(lab[e] - known[k][3 + e]) < 0.02);
            assert_true(fabs(back[e] - known[k][e]) < 0.02);
        }
    }
}

/* ---- blocks ---- */

static void blocks_are_those_of_the_best_clusters(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(2);
    struct done d = {0};
    char path[64];
    write_png(ctx, WIDTH, HEIGHT, 3, picture_wide, path);
    smr_quantize_opts o = {
        .k = 3, .block_height = 4, .block_width = 4, .settings = "starts=300 tol=0"};
    check_ok(ctx, quantise(ctx, path, &o, &d));
    assert_true(number(&d, "mse") >= picture_blocks_mse * (1 - 1e-9));
    assert_true(number(&d, "mse") <= picture_blocks_mse + 0.25);
    assert_int_equal(number(&d, "blocks_before"), 30);
    check_near("bits", number(&d, "code_bits_per_pixel"), 30 * 2.0 / (WIDTH * HEIGHT), 1e-15);
    check_near("bits", number(&d, "book_bits_per_pixel"), 3 * 48 * 8.0 / (WIDTH * HEIGHT), 1e-15);
    smr_picture p = decoded(ctx, &d.q.picture), q;
    smr_block_code code;
    check_ok(ctx, smr_block_code_read(ctx, "code", d.q.code.bytes, d.q.code.length, &code));
    check_ok(ctx, smr_block_code_paint(ctx, &code, &q));
    assert_memory_equal(p.values, q.values, WIDTH * HEIGHT * 3);
    smr_picture_release(&p);
    smr_picture_release(&q);
    smr_block_code_release(&code);
    release(&d);
    unlink(path);
    check_ctx_end(ctx);
}

/* 5 x 3 in blocks of 2 x 2: those at the edge reach over it. */
static void blocks_at_the_edge_repeat_it(void **state)
{
    (void)state;
    static const uint8_t values[] = {1, 2, 9, 9, 7, 3, 4, 9, 9, 7, 5, 5, 8, 8, 6};
    smr_ctx *ctx = check_ctx(1);
    struct done d = {0};
    char path[64];
    write_png(ctx, 5, 3, 1, values, path);
    smr_quantize_opts o = {.k = 6, .block_height = 2, .block_width = 2};
    check_ok(ctx, quantise(ctx, path, &o, &d));
    assert_true(number(&d, "mse") == 0);
    smr_picture p = decoded(ctx, &d.q.picture);
    assert_memory_equal(p.values, values, sizeof values);
    smr_picture_release(&p);
    release(&d);
    o.k = 7;
    check_fails(ctx, quantise(ctx, path, &o, &d), SMR_ERR_DATA,
                "5 x 3 pixels have 6 blocks of 2 x 2, of which k = 7 cannot be made");
    release(&d);
    unlink(path);
    check_ctx_end(ctx);
}

static void hostile_codes_are_refused(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    struct done d = {0};
    char path[64], file[4096];
    smr_block_code code;
    write_png(ctx, WIDTH, HEIGHT, 3, picture_wide, path);
    smr_quantize_opts o = {.k = 5, .block_height = 4, .block_width = 4};
    check_ok(ctx, quantise(ctx, path, &o, &d));
    int n = (int)d.q.code.length;
    assert_true(n + 1 < (int)sizeof file);
    for (int cut = 0; cut < n; cut++) {
        assert_int_equal(smr_block_code_read(ctx, "cut", d.q.code.bytes, cut, &code),
                         SMR_ERR_FORMAT);
        smr_ctx_clear(ctx);
    }
    for (int i = 8; i < n; i++)
        for (int bit = 0; bit < 8; bit++) {
            memcpy(file, d.q.code.bytes, (size_t)n);
            file[i] ^= (char)(1 << bit);
            smr_status st = smr_block_code_read(ctx, "changed", file, n, &code);
            if (st != SMR_OK) assert_memory_equal(smr_ctx_message(ctx), "changed: ", 9);
            smr_block_code_release(&code);
            smr_ctx_clear(ctx);
        }
    memcpy(file, d.q.code.bytes, (size_t)n);
    file[n] = 'x';
    check_fails(
        ctx, smr_block_code_read(ctx, "more", file, n + 1, &code), SMR_ERR_FORMAT,
        "more: a damaged code of blocks: its packed bytes are cut off, changed or followed");
    memset(file + 10, 0x7f, 8); /* 2^31 x 2^31 pixels */
    int64_t peak;
    smr_ctx *other = check_ctx(1);
    check_fails(other, smr_block_code_read(other, "huge", file, n, &code), SMR_ERR_FORMAT,
                "huge: a picture of 2139062143 x 2139062143 pixels");
    smr_ctx_memory(other, &peak);
    assert_true(peak < 10000);
    check_ctx_end(other);
    release(&d);
    unlink(path);
    check_ctx_end(ctx);
}

static void wrong_wishes_are_refused(void **state)
{
    (void)state;
    static const struct {
        smr_quantize_opts o;
        smr_status status;
        const char *part;
    } cases[] = {
        {{.k = -1}, SMR_ERR_PARAM, "k: 1 to 256 colours, which a palette can hold, not -1"},
        {{.k = 257}, SMR_ERR_PARAM, "k: 1 to 256 colours, which a palette can hold, not 257"},
        {{.k = 4, .settings = "2 | knn"}, SMR_ERR_PARAM, "settings are those of kmeans alone"},
        {{.k = 4, .settings = "nonsense=3"}, SMR_ERR_PARAM, "nonsense"},
        {{.k = 4, .settings = "k=3"}, SMR_ERR_PARAM, "given twice"},
        {{.k = 2, .block_height = 300, .block_width = 1},
         SMR_ERR_PARAM,
         "sides are 1 to 256 pixels, not 300 x 1"},
        {{.k = 2, .block_height = 4}, SMR_ERR_PARAM, "sides are 1 to 256 pixels, not 4 x 0"},
        {{.block_height = 2, .block_width = 2, .lab = true}, SMR_ERR_PARAM, "space lab is for"},
        {{.block_height = 2, .block_width = 2, .dither = true}, SMR_ERR_PARAM, "dither is for"},
        {{.picture_size = "4"}, SMR_ERR_PARAM, "4"},
        {{.picture_fit = "crop"}, SMR_ERR_PARAM, "which is not given"},
        {{.k = 70000, .block_height = 1, .block_width = 1},
         SMR_ERR_PARAM,
         "k: 1 to 65536 blocks, not 70000"},
    };
    smr_ctx *ctx = check_ctx(1);
    char path[64];
    write_png(ctx, WIDTH, HEIGHT, 3, picture_wide, path);
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        struct done d = {0};
        check_fails(ctx, quantise(ctx, path, &cases[k].o, &d), cases[k].status, cases[k].part);
        release(&d);
    }
    unlink(path);
    struct done d = {0};
    check_fails(ctx, quantise(ctx, path, &(smr_quantize_opts){.k = 2}, &d), SMR_ERR_IO,
                "cannot be opened");
    release(&d);
    check_ctx_end(ctx);
}

static void survives_failing_memory(void **state)
{
    (void)state;
    static const smr_quantize_opts ways[] = {
        {.k = 3, .settings = "starts=1 max_iter=2"},
        {.k = 3, .settings = "starts=1 max_iter=2", .block_height = 2, .block_width = 2}};
    static const uint8_t values[] = {1, 90, 3, 40, 25, 66, 7, 80, 9, 10, 41, 12, 13, 114, 15, 16};
    char path[64];
    smr_ctx *first = check_ctx(1);
    write_png(first, 4, 4, 1, values, path);
    check_ctx_end(first);
    for (int64_t w = 0; w < SMR_COUNT(ways); w++)
        for (int64_t k = 0;; k++) {
            smr_ctx *ctx = check_ctx(1);
            struct done d = {0};
            smr_memory_fail_at(ctx, k);
            smr_status st = quantise(ctx, path, &ways[w], &d);
            if (st != SMR_OK) assert_int_equal(st, SMR_ERR_NOMEM);
            release(&d);
            check_ctx_end(ctx);
            if (st == SMR_OK) break;
            assert_true(k < 5000);
        }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_those_of_the_best_clusters),
        cmocka_unit_test(every_pixel_has_the_nearest_colour),
        cmocka_unit_test(enough_colours_lose_nothing),
        cmocka_unit_test(dithering_keeps_the_brightness),
        cmocka_unit_test(threads_change_no_byte),
        cmocka_unit_test(lab_is_that_of_the_standard),
        cmocka_unit_test(blocks_are_those_of_the_best_clusters),
        cmocka_unit_test(blocks_at_the_edge_repeat_it),
        cmocka_unit_test(hostile_codes_are_refused),
        cmocka_unit_test(wrong_wishes_are_refused),
        cmocka_unit_test(survives_failing_memory),
    };
    return cmocka_run_group_tests_name("quantize", tests, NULL, NULL);
}
