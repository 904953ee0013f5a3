/* Pictures: samples against PIL's, sizes, and files that are not as they should be. */
#include "formats_check.h"

#include "data/picture.h"
#include "truth/pictures.h"

/* CRC-32 of the samples, those of 16 bits with their upper byte first, a bit at a time. */
static unsigned crc_byte(unsigned crc, unsigned byte)
{
    crc ^= byte;
    for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
    return crc;
}

static unsigned crc_of(const smr_picture *p)
{
    unsigned crc = ~0U;
    for (int64_t i = 0; i < smr_picture_samples(p); i++) {
        unsigned x = p->bits == 16 ? ((uint16_t *)p->values)[i] : ((uint8_t *)p->values)[i];
        if (p->bits == 16) crc = crc_byte(crc, x >> 8);
        crc = crc_byte(crc, x & 255);
    }
    return ~crc;
}

enum { N_FILES = SMR_COUNT(picture_truth) };

static const char *bytes_of(int64_t k)
{
    return (const char *)picture_bytes + picture_truth[k].at;
}

static int64_t find_file(const char *name)
{
    for (int64_t k = 0; k < N_FILES; k++)
        if (!strcmp(picture_truth[k].name, name)) return k;
    fail_msg("there is no file '%s'", name);
    return -1;
}

static void samples_are_those_that_other_programs_show(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    for (int64_t k = 0; k < N_FILES; k++) {
        smr_picture p;
        check_ok(ctx, smr_picture_decode(ctx, picture_truth[k].name, bytes_of(k),
                                         picture_truth[k].n, &p));
        assert_string_equal(p.format, picture_truth[k].format);
        assert_int_equal(p.height, picture_truth[k].height);
        assert_int_equal(p.width, picture_truth[k].width);
        assert_int_equal(p.channels, picture_truth[k].channels);
        assert_int_equal(p.bits, picture_truth[k].bits);
        assert_int_equal(p.trailing, 0);
        if (crc_of(&p) != picture_truth[k].crc)
            fail_msg("%s: other samples", picture_truth[k].name);
        smr_picture_release(&p);
    }
    check_ctx_end(ctx);
}

/* Every shorter file is refused, and says that it is truncated or damaged: none is shown in part,
 * but for a JPEG without its last marker, which is refused too. */
static void every_truncated_file_is_refused(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    for (int64_t k = 0; k < N_FILES; k++) {
        bool digits = picture_truth[k].name[0] == 'P' && picture_truth[k].name[1] <= '3';
        for (int n = 3; n < picture_truth[k].n; n += 1 + n / 40) {
            smr_picture p;
            smr_status st = smr_picture_decode(ctx, "cut", bytes_of(k), n, &p);
            if (st == SMR_OK && digits && n + 3 > picture_truth[k].n) { /* a digit less */
                smr_picture_release(&p);
                continue;
            }
            const char *said = smr_ctx_message(ctx);
            if (st != SMR_ERR_FORMAT || strncmp(said, "cut: ", 5) != 0)
                fail_msg("%s of %d bytes: status %d, '%s'", picture_truth[k].name, n, (int)st,
                         said);
            assert_null(p.values);
            smr_ctx_clear(ctx);
        }
    }
    check_ctx_end(ctx);
}

/* Changes of single bytes: a picture or a sentence, and PNG notices each one. */
static void changed_bytes_are_noticed(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    char file[4096];
    int64_t k = find_file("type 2 depth 8");
    int n = picture_truth[k].n;
    for (int i = 8; i < n; i++) {
        smr_picture p;
        memcpy(file, bytes_of(k), (size_t)n);
        file[i] ^= 16;
        check_fails(ctx, smr_picture_decode(ctx, "png", file, n, &p), SMR_ERR_FORMAT, "png: a ");
    }
    k = find_file("subsampling 2 progressive");
    n = picture_truth[k].n;
    for (int i = 3; i < n; i++) {
        smr_picture p;
        memcpy(file, bytes_of(k), (size_t)n);
        file[i] ^= 16;
        if (smr_picture_decode(ctx, "jpeg", file, n, &p) != SMR_OK)
            assert_memory_equal(smr_ctx_message(ctx), "jpeg: ", 6);
        smr_picture_release(&p);
        smr_ctx_clear(ctx);
    }
    check_ctx_end(ctx);
}

static void what_cannot_be_read_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        int64_t n;
        smr_status status;
        const char *part;
    } cases[] = {
        {"GIF89a.....", 11, SMR_ERR_FORMAT, "is not a PNG, JPEG, PBM, PGM or PPM picture"},
        {"\x89PNG\r\n\x1a\n", 8, SMR_ERR_FORMAT, "a truncated PNG picture: 8 bytes"},
        {"P5\n0 3\n255\n", 11, SMR_ERR_FORMAT, "a picture of 0 x 3 pixels, which shows nothing"},
        {"P5\n70000 70000\n255\nx", 20, SMR_ERR_FORMAT,
         "a truncated P5 picture: its header promises 70000 x 70000 pixels"},
        {"P5\n20000 20000\n255\nx", 20, SMR_ERR_FORMAT,
         "a truncated P5 picture: its header promises 20000 x 20000 pixels"},
        {"P5\n1 1\n70000\nx", 14, SMR_ERR_FORMAT, "the number is too large"},
        {"P5\n1 1\n0\nx", 10, SMR_ERR_FORMAT, "its largest sample is 0"},
        {"P5\n1 1\n9\nx", 10, SMR_ERR_FORMAT, "the sample is larger than the header allows"},
        {"P5\n1 1\n255\nxP5", 14, SMR_ERR_FORMAT, "2 bytes follow the picture"},
        {"P2 1 1 255 x", 12, SMR_ERR_FORMAT, "byte 11: this is not a number"},
        {"P1 2 1 02", 9, SMR_ERR_FORMAT, "neither 0 nor 1"},
        {"\xff\xd8\xff\xd9", 4, SMR_ERR_FORMAT, "it ends without a picture"},
        {"\xff\xd8\xff\xc0\0\x0b\x08\xff\xff\xff\xff\x01\x01\x11\0\xff\xd9", 17, SMR_ERR_FORMAT,
         "a truncated JPEG picture: 17 bytes"},
        {"\xff\xd8\xff\xc0\0\x0b\x0c\0\1\0\1\x01\x01\x11\0\xff\xd9", 17, SMR_ERR_UNSUPPORTED,
         "of 12 bits a sample; 8 can be read"},
        {"\xff\xd8\xff\xc0\0\x0e\x08\0\1\0\1\x02\x01\x11\0\x02\x11\0\xff\xd9", 20,
         SMR_ERR_UNSUPPORTED, "of 2 components; 1 (grey), 3 (colours) and 4 (inks)"},
    };
    smr_ctx *ctx = check_ctx(1);
    smr_picture p;
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        int64_t peak;
        check_fails(ctx, smr_picture_decode(ctx, "in", cases[k].bytes, cases[k].n, &p),
                    cases[k].status, cases[k].part);
        smr_ctx_memory(ctx, &peak);
        assert_true(peak < 100000);
    }
    check_fails(ctx,
                smr_picture_decode(ctx, "in", (const char *)picture_arithmetic,
                                   sizeof picture_arithmetic, &p),
                SMR_ERR_UNSUPPORTED, "of a rare kind (arithmetically coded)");
    check_ctx_end(ctx);
}

/* Bytes after the end: of a PNG an error, of a JPEG, which cameras do, a number. */
static void bytes_after_the_end_are_seen(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_picture p;
    char file[4096];
    int64_t k = find_file("type 0 depth 8"), n = picture_truth[k].n;
    memcpy(file, bytes_of(k), (size_t)n);
    memcpy(file + n, "tail", 4);
    check_fails(ctx, smr_picture_decode(ctx, "in", file, n + 4, &p), SMR_ERR_FORMAT,
                "in: 4 bytes follow the end of the PNG picture");
    k = find_file("grey");
    n = picture_truth[k].n;
    memcpy(file, bytes_of(k), (size_t)n);
    memcpy(file + n, "tail", 4);
    check_ok(ctx, smr_picture_decode(ctx, "in", file, n + 4, &p));
    assert_int_equal(p.trailing, 4);
    assert_int_equal(crc_of(&p), picture_truth[k].crc);
    smr_picture_release(&p);
    check_ctx_end(ctx);
}

/* Zeros pack to a thousandth: the file can be what it says, and the budget is asked first. */
static void large_pictures_are_asked_of_the_budget(void **state)
{
    (void)state;
    enum { SIDE = 4000 };
    smr_ctx *ctx = check_ctx(1), *small = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1, .memory_limit = 4 << 20};
    smr_text out = {.ctx = ctx};
    smr_picture p;
    int64_t peak;
    uint8_t *values = calloc(SIDE, SIDE);
    assert_non_null(values);
    smr_png png = {.height = SIDE, .width = SIDE, .channels = 1, .values = values};
    check_ok(ctx, smr_png_write(ctx, &png, &out));
    assert_true(out.length < 100000);
    assert_int_equal(smr_ctx_create(&opts, &small), SMR_OK);
    check_fails(small, smr_picture_decode(small, "zeros.png", out.bytes, out.length, &p),
                SMR_ERR_NOMEM,
                "zeros.png: the picture of 4000 x 4000 pixels needs 16.0 MB, and the memory budget "
                "leaves 4.2 MB; make the picture smaller or raise --memory");
    smr_ctx_memory(small, &peak);
    assert_true(peak < 10000);
    check_ok(ctx, smr_picture_decode(ctx, "zeros.png", out.bytes, out.length, &p));
    assert_int_equal(p.width, SIDE);
    smr_picture_release(&p);
    smr_text_release(&out);
    free(values);
    check_ctx_end(small);
    check_ctx_end(ctx);
}

/* ---- writing ---- */

static void written_pictures_read_back(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    uint8_t values[23 * 17 * 4], palette[256 * 3];
    for (int i = 0; i < SMR_COUNT(palette); i++) palette[i] = (uint8_t)(i * 101);
    static const int colours[] = {0, 0, 0, 0, 1, 2, 3, 16, 17, 256};
    for (int64_t k = 0; k < SMR_COUNT(colours); k++) {
        int n = colours[k], channels = n ? 1 : (int)k + 1;
        smr_text out = {.ctx = ctx};
        smr_picture p;
        for (int i = 0; i < SMR_COUNT(values); i++)
            values[i] = (uint8_t)((i * i / 7 + i) % (n ? n : 256));
        smr_png png = {.height = 23,
                       .width = 17,
                       .channels = channels,
                       .values = values,
                       .palette = palette,
                       .n_colours = n};
        check_ok(ctx, smr_png_write(ctx, &png, &out));
        check_ok(ctx, smr_picture_decode(ctx, "out", out.bytes, out.length, &p));
        assert_int_equal(p.channels, n ? 3 : channels);
        for (int i = 0; i < 23 * 17; i++) {
            const uint8_t *got = (uint8_t *)p.values + (ptrdiff_t)i * p.channels;
            const uint8_t *want =
                n ? palette + (ptrdiff_t)3 * values[i] : values + (ptrdiff_t)i * channels;
            assert_memory_equal(got, want, (size_t)p.channels);
        }
        smr_picture_release(&p);
        smr_text_release(&out);
    }
    check_ctx_end(ctx);
}

/* ---- other sizes ---- */

static smr_picture copy_of_shade(smr_ctx *ctx)
{
    smr_picture p = {.height = 21, .width = 19, .channels = 3, .bits = 8};
    p.values = smr_alloc(ctx, sizeof picture_shade, 1);
    assert_non_null(p.values);
    memcpy(p.values, picture_shade, sizeof picture_shade);
    return p;
}

static void sizes_are_those_of_a_tent_filter(void **state)
{
    (void)state;
    static const struct {
        const char *size;
        const unsigned char *want;
        size_t n;
        int most;
    } cases[] = {
        /* PIL rounds weights, and the picture between the two directions, to 8 bits */
        {"6x8", picture_small, sizeof picture_small, 1},
        {"3x40x31", picture_large, sizeof picture_large, 1},
        {"1x21x19", picture_grey, sizeof picture_grey, 0},
    };
    smr_ctx *ctx = check_ctx(1);
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        smr_picture p = copy_of_shade(ctx);
        smr_picture_how how;
        check_ok(ctx, smr_picture_how_read(ctx, cases[k].size, NULL, false, &how));
        check_ok(ctx, smr_picture_fit(ctx, &how, &p));
        assert_int_equal(smr_picture_samples(&p), cases[k].n);
        for (size_t i = 0; i < cases[k].n; i++)
            assert_in_range(((uint8_t *)p.values)[i] - cases[k].want[i] + cases[k].most, 0,
                            2 * cases[k].most);
        smr_picture_release(&p);
    }
    check_ctx_end(ctx);
}

static void the_middle_is_cut_out(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_picture_how how;
    smr_picture p = copy_of_shade(ctx);
    check_ok(ctx, smr_picture_how_read(ctx, "21x7", "crop", false, &how));
    check_ok(ctx, smr_picture_fit(ctx, &how, &p));
    for (int y = 0; y < 21; y++)
        assert_memory_equal((uint8_t *)p.values + (ptrdiff_t)y * 21,
                            picture_shade + (ptrdiff_t)(y * 19 + 6) * 3, 21);
    smr_picture_release(&p);
    check_ctx_end(ctx);
}

static void opacity_shows_the_white_paper(void **state)
{
    (void)state;
    static const uint8_t from[] = {10, 20, 30, 255, 10, 20, 30, 0, 100, 0, 255, 51};
    static const uint8_t want[] = {10, 20, 30, 255, 255, 255, 224, 204, 255};
    smr_ctx *ctx = check_ctx(1);
    smr_picture p = {.height = 1, .width = 3, .channels = 4, .bits = 8};
    p.values = smr_alloc(ctx, sizeof from, 1);
    assert_non_null(p.values);
    memcpy(p.values, from, sizeof from);
    check_ok(ctx, smr_picture_fit(ctx, &(smr_picture_how){.channels = 3}, &p));
    assert_int_equal(p.channels, 3);
    assert_memory_equal(p.values, want, sizeof want);
    smr_picture_release(&p);
    check_ctx_end(ctx);
}

static void wrong_sizes_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *size, *fit;
        bool grey;
        const char *part;
    } cases[] = {
        {"28", NULL, false, "--size: '28' is not height x width"},
        {"28x", NULL, false, "--size: '28x' is not"},
        {"x28", NULL, false, "--size: 'x28' is not"},
        {"-1x28", NULL, false, "--size: '-1x28' is not"},
        {"3x28x28x2", NULL, false, "--size: '3x28x28x2' is not"},
        {"99999999999999999999x2", NULL, false, "is not height x width"},
        {"2x28x28", NULL, false, "pictures have 1 channel (grey) or 3 (red, green, blue), not 2"},
        {"0x28", NULL, false, "sides are 1 to 65535 pixels, not 0 x 28"},
        {"1x70000", NULL, false, "sides are 1 to 65535 pixels, not 1 x 70000"},
        {"3x8x8", NULL, true, "--grey makes 1 channel, and --size 3x8x8 asks for 3"},
        {NULL, "crop", false, "--fit says how pictures get the size of --size"},
        {"8x8", "pad", false, "--fit: stretch or crop, not 'pad'"},
    };
    smr_ctx *ctx = check_ctx(1);
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        smr_picture_how how;
        check_fails(ctx,
                    smr_picture_how_read(ctx, cases[k].size, cases[k].fit, cases[k].grey, &how),
                    SMR_ERR_PARAM, cases[k].part);
    }
    check_ctx_end(ctx);
}

static void survives_failing_memory(void **state)
{
    (void)state;
    static const char *const names[] = {"type 6 depth 8 interlaced", "subsampling 2 progressive",
                                        "P3 up to 255"};
    for (int64_t f = 0; f < SMR_COUNT(names); f++) {
        int64_t at = find_file(names[f]);
        for (int64_t k = 0;; k++) {
            smr_ctx *ctx = check_ctx(1);
            smr_picture p;
            smr_picture_how how = {.height = 7, .width = 5, .channels = 1};
            smr_memory_fail_at(ctx, k);
            smr_status st = smr_picture_decode(ctx, "in", bytes_of(at), picture_truth[at].n, &p);
            if (st == SMR_OK) st = smr_picture_fit(ctx, &how, &p);
            if (st != SMR_OK) assert_int_equal(st, SMR_ERR_NOMEM);
            smr_picture_release(&p);
            check_ctx_end(ctx);
            if (st == SMR_OK) break;
            assert_true(k < 1000);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_those_that_other_programs_show),
        cmocka_unit_test(every_truncated_file_is_refused),
        cmocka_unit_test(changed_bytes_are_noticed),
        cmocka_unit_test(what_cannot_be_read_is_said),
        cmocka_unit_test(bytes_after_the_end_are_seen),
        cmocka_unit_test(large_pictures_are_asked_of_the_budget),
        cmocka_unit_test(written_pictures_read_back),
        cmocka_unit_test(sizes_are_those_of_a_tent_filter),
        cmocka_unit_test(the_middle_is_cut_out),
        cmocka_unit_test(opacity_shows_the_white_paper),
        cmocka_unit_test(wrong_sizes_are_refused),
        cmocka_unit_test(survives_failing_memory),
    };
    return cmocka_run_group_tests_name("picture", tests, NULL, NULL);
}
