/* test_draw_tiles.c -- pictures side by side: the pixels of a drawing are those of the figure, as a
 * PNG reader finds them; broken figures are refused. */
#include "figure_file.h"

#include "core/rng.h"
#include "data/picture.h"
#include "report/draw_parts.h"
#include "report/well_formed.h"

enum { MOST = 1 << 20 };

static int letter(char c)
{
    const char *all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(all, c) : NULL;
    return at ? (int)(at - all) : -1;
}

/* The bytes of the next picture of the drawing, and where the search goes on. */
static int64_t next_file(const char **at, char *bytes)
{
    const char *from = strstr(*at, "base64,");
    int64_t n = 0;
    if (!from) return 0;
    for (from += 7; letter(*from) >= 0; from += 4) {
        uint32_t all = 0;
        int left = 4;
        for (int k = 0; k < 4; k++) {
            int v = letter(from[k]);
            if (v < 0) left--;
            all = all << 6 | (uint32_t)(v < 0 ? 0 : v);
        }
        for (int k = 0; k + 1 < left; k++) bytes[n++] = (char)(all >> (16 - 8 * k));
        assert_true(n < MOST - 4);
    }
    *at = from;
    return n;
}

static uint8_t draw_byte(uint64_t seed, int64_t i, int kind)
{
    if (kind == 0) return 77;                     /* one colour */
    if (kind == 1) return (uint8_t)(i / 9 * 20);  /* runs       */
    if (kind == 2) return (uint8_t)(i % 24 * 10); /* rows alike */
    return (uint8_t)(256 * smr_random_unit(seed, SMR_STREAM_TEST, 71, (uint64_t)i));
}

/* Draws, decodes, and looks at every pixel of the enlarged picture. */
static void check_pixels(smr_ctx *ctx, int64_t h, int64_t w, int channels, int64_t times, int kind)
{
    uint8_t values[64 * 64 * 3];
    static char bytes[MOST];
    const double box[4] = {1, 2, 30, 40};
    smr_text svg = {.ctx = ctx};
    smr_picture got = {0};
    for (int64_t i = 0; i < h * w * channels; i++)
        values[i] = draw_byte((uint64_t)(h * 100 + w), i, kind);
    const struct pixels p = {values, h, w, times, channels};
    check_ok(ctx, smr_pixels_draw(ctx, &p, box, &svg));
    check_ok(ctx, smr_text_done(&svg));
    const char *at = svg.bytes;
    int64_t n = next_file(&at, bytes);
    check_ok(ctx, smr_picture_decode(ctx, "drawn", bytes, n, &got));
    assert_int_equal(got.height, h * times);
    assert_int_equal(got.width, w * times);
    assert_int_equal(got.channels, channels);
    for (int64_t r = 0; r < got.height; r++)
        for (int64_t c = 0; c < got.width; c++)
            for (int k = 0; k < channels; k++) {
                int have = ((uint8_t *)got.values)[(r * got.width + c) * channels + k];
                int want = values[(r / times * w + c / times) * channels + k];
                if (have != want)
                    fail_msg("%d x %d, kind %d: pixel %d, %d is %d, not %d", (int)h, (int)w, kind,
                             (int)r, (int)c, have, want);
            }
    smr_picture_release(&got);
    smr_text_release(&svg);
}

static void pixels_are_read_back_as_they_are(void **state)
{
    static const int64_t sides[] = {1, 2, 7, 24, 64};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t a = 0; a < SMR_COUNT(sides); a++)
        for (int64_t b = 0; b < SMR_COUNT(sides); b++)
            for (int kind = 0; kind < 4; kind++)
                for (int channels = 1; channels <= 3; channels += 2)
                    check_pixels(ctx, sides[a], sides[b], channels, kind % 3 + 1, kind);
    check_ctx_end(ctx);
}

/* A long run, and distances and lengths of every class: what a shorter picture does not reach. */
static void long_runs_are_read_back_as_they_are(void **state)
{
    enum { SIDE = 400 };
    static uint8_t values[SIDE * SIDE * 3];
    static char bytes[MOST];
    const double box[4] = {0, 0, 9, 9};
    smr_ctx *ctx = check_ctx(1);
    (void)state;
    for (int64_t width = 100; width <= SIDE; width += 75)
        for (int64_t run = 1; run < 300; run += 13) {
            smr_text svg = {.ctx = ctx};
            smr_picture got = {0};
            for (int64_t i = 0; i < 40 * width * 3; i++)
                values[i] = (uint8_t)(i / run * 31 % 251 + (i / (width * 6) % 2));
            const struct pixels p = {values, 40, width, 1, 3};
            check_ok(ctx, smr_pixels_draw(ctx, &p, box, &svg));
            const char *at = svg.bytes;
            int64_t n = next_file(&at, bytes);
            check_ok(ctx, smr_picture_decode(ctx, "drawn", bytes, n, &got));
            assert_memory_equal(got.values, values, (size_t)(40 * width * 3));
            smr_picture_release(&got);
            smr_text_release(&svg);
        }
    check_ctx_end(ctx);
}

static smr_status draw(smr_ctx *ctx, const char *text, double width, smr_text *svg)
{
    smr_json_doc *doc = read_json_text(ctx, text);
    const smr_figure_opts opts = {.width = width};
    smr_status st = smr_figure_svg(ctx, smr_json_root(doc), &opts, svg);
    smr_json_free(doc);
    return st;
}

/* Grey from the least to the greatest of all tiles; signed numbers around white. */
static void tiles_of_a_figure_have_one_scale(void **state)
{
    static char bytes[MOST];
    smr_ctx *ctx = check_ctx(1);
    smr_text svg = {.ctx = ctx};
    smr_picture got = {0};
    (void)state;
    check_ok(ctx, draw(ctx,
                       "{\"name\": \"t\", \"title\": \"a < b\", \"tiles\": [{\"label\": \"<one>\", "
                       "\"height\": 1, \"width\": 2, \"value\": [0, 5]}, {\"label\": \"two\", "
                       "\"height\": 1, \"width\": 2, \"value\": [10, null]}]}",
                       0, &svg));
    assert_null(wf_check(svg.bytes, svg.length, false));
    assert_non_null(strstr(svg.bytes, "&lt;one&gt;"));
    const char *at = svg.bytes;
    static const int want[2][2] = {{0, 128}, {255, 255}};
    for (int k = 0; k < 2; k++) {
        int64_t n = next_file(&at, bytes);
        check_ok(ctx, smr_picture_decode(ctx, "drawn", bytes, n, &got));
        assert_int_equal(((uint8_t *)got.values)[0], want[k][0]);
        assert_int_equal(((uint8_t *)got.values)[got.width - 1], want[k][1]);
        smr_picture_release(&got);
    }
    svg.length = 0;
    check_ok(ctx, draw(ctx,
                       "{\"tiles\": [{\"height\": 1, \"width\": 3, \"value\": [-2, 0, 1]}], "
                       "\"signed\": true}",
                       0, &svg));
    at = svg.bytes;
    check_ok(ctx, smr_picture_decode(ctx, "drawn", bytes, next_file(&at, bytes), &got));
    const uint8_t *v = got.values, *middle = v + got.width / 2 * 3, *last = v + got.width * 3 - 3;
    assert_int_equal(got.channels, 3);
    assert_true(v[0] > v[2] && v[2] < 60);                                 /* brown */
    assert_true(middle[0] == 255 && middle[1] == 255 && middle[2] == 255); /* white */
    assert_true(last[0] < last[2] && last[0] > 120);                       /* half of blue */
    smr_picture_release(&got);
    smr_text_release(&svg);
    check_ctx_end(ctx);
}

static void drawings_stay_within_their_width(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_text text = {.ctx = ctx}, svg = {.ctx = ctx};
    (void)state;
    smr_text_add(&text, "{\"title\": \"many\", \"tiles\": [");
    for (int i = 0; i < 50; i++)
        smr_text_printf(&text,
                        "%s{\"label\": \"a label that is rather long %d\", \"height\": 2, "
                        "\"width\": 2, \"value\": [0, 1, 2, %d]}",
                        i ? ", " : "", i, i);
    smr_text_add(&text, "]}");
    check_ok(ctx, smr_text_done(&text));
    for (double width = 200; width < 900; width += 130) {
        svg.length = 0;
        check_ok(ctx, draw(ctx, text.bytes, width, &svg));
        assert_null(wf_check(svg.bytes, svg.length, false));
        double wide = strtod(strstr(svg.bytes, " width=\"") + 8, NULL);
        assert_true(wide <= smr_fmax(width, 392 + 1));
        for (const char *at = strstr(svg.bytes, "<image x=\""); at;
             at = strstr(at + 1, "<image x=\""))
            assert_true(strtod(at + 10, NULL) + 84 <= wide);
    }
    smr_text_release(&text);
    smr_text_release(&svg);
    check_ctx_end(ctx);
}

static void a_table_has_a_row_for_each(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_json_doc *out = NULL;
    (void)state;
    smr_json_doc *doc = read_json_text(
        ctx, "{\"tiles\": [{\"label\": \"a\", \"height\": 1, \"width\": 2, \"value\": [3, 5]}, "
             "{\"height\": 1, \"width\": 1, \"value\": [null]}]}");
    check_ok(ctx, smr_json_create(ctx, &out));
    smr_json *rows = smr_json_add_array(smr_json_root(out), "rows");
    check_ok(ctx, smr_figure_table(ctx, smr_json_root(doc), rows));
    assert_int_equal(rows->n, 2);
    assert_string_equal(smr_json_get_string(rows->first, "label", ""), "a");
    check_near("mean", smr_json_get_number(rows->first, "mean", NAN), 4, 0);
    assert_int_equal(smr_json_get(rows->first->next, "least")->type, SMR_JSON_NULL);
    smr_json_free(out);
    smr_json_free(doc);
    check_ctx_end(ctx);
}

static void broken_tiles_are_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_text svg = {.ctx = ctx};
    (void)state;
#define REFUSES(text_, part_) check_fails(ctx, draw(ctx, text_, 0, &svg), SMR_ERR_PARAM, part_)
    REFUSES("{\"tiles\": []}", "it has none");
    REFUSES("{\"tiles\": [1]}", "a tile is no object");
    REFUSES("{\"tiles\": [{\"height\": 1, \"value\": [1]}]}", "not 1 to 4096 pixels");
    REFUSES("{\"tiles\": [{\"height\": 1.5, \"width\": 1, \"value\": [1]}]}", "not 1 to 4096");
    REFUSES("{\"tiles\": [{\"height\": 5000, \"width\": 1, \"value\": [1]}]}", "not 1 to 4096");
    REFUSES("{\"tiles\": [{\"height\": 1, \"width\": 1, \"channels\": 2, \"value\": [1, 1]}]}",
            "neither one channel nor three");
    REFUSES("{\"tiles\": [{\"height\": 2, \"width\": 2, \"value\": [1]}]}", "as many values");
    REFUSES("{\"tiles\": [{\"height\": 2, \"width\": 2}]}", "as many values");
    smr_text_release(&svg);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixels_are_read_back_as_they_are),
        cmocka_unit_test(long_runs_are_read_back_as_they_are),
        cmocka_unit_test(tiles_of_a_figure_have_one_scale),
        cmocka_unit_test(drawings_stay_within_their_width),
        cmocka_unit_test(a_table_has_a_row_for_each),
        cmocka_unit_test(broken_tiles_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
