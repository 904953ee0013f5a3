/* Pictures in few colours through the public header alone. */
#include "check.h"

#include "samara.h"

#include <unistd.h>

enum { H = 6, W = 4, ROOM = 32 + 3 * H * W };

/* A PPM of three colours and shades of them; its length. */
static int64_t make(char bytes[ROOM])
{
    static const uint8_t colour[3][3] = {{200, 30, 30}, {20, 160, 40}, {240, 240, 230}};
    int64_t n = snprintf(bytes, ROOM, "P6\n%d %d\n255\n", W, H);
    for (int i = 0; i < H * W; i++)
        for (int e = 0; e < 3; e++) bytes[n++] = (char)(colour[i * 3 / (H * W)][e] + i % 3);
    return n;
}

static double member(const char *json, const char *key)
{
    char find[64];
    snprintf(find, sizeof find, "\"%s\":", key);
    const char *at = strstr(json, find);
    assert_non_null(at);
    return atof(at + strlen(find));
}

static void colours_are_means_of_what_they_stand_for(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_quantize_opts how = {.size = sizeof how, .k = 3};
    smr_quantized *q = NULL;
    char bytes[ROOM], *json = NULL;
    uint8_t got[3 * H * W];
    int64_t n = make(bytes), size[3], length;
    double off = 0;
    (void)state;
    check_ok(ctx, smr_quantize_read(ctx, bytes, n, &how, &q, &json));
    check_ok(ctx, smr_quantized_pixels(ctx, q, size, NULL));
    assert_true(size[0] == H && size[1] == W && size[2] == 3);
    check_ok(ctx, smr_quantized_pixels(ctx, q, size, got));
    const uint8_t *was = (const uint8_t *)bytes + n - 3 * H * W;
    for (int i = 0; i < 3 * H * W; i++) {
        /* 8 pixels of one colour: shades 0, 1 and 2, whose mean is 1 rounded */
        int part = i / 3 * 3 / (H * W);
        assert_int_equal(got[i], was[3 * 8 * part + i % 3] - 8 * part % 3 + 1);
        off += (got[i] - was[i]) * (got[i] - was[i]);
    }
    check_near("mse", member(json, "mse"), off / (3 * H * W), 1e-12);
    const char *png = smr_quantized_file(q, SMR_QUANTIZED_PICTURE, &length);
    assert_int_equal(member(json, "bytes"), length);
    assert_memory_equal(png, "\x89PNG", 4);
    assert_memory_equal(smr_quantized_file(q, SMR_QUANTIZED_PALETTE, &length), "\x89PNG", 4);
    assert_null(smr_quantized_file(q, SMR_QUANTIZED_CODE, &length));
    assert_int_equal(length, 0);
    assert_null(smr_quantized_file(q, (smr_quantized_part)3, &length));
    smr_quantized_free(q);
    smr_string_free(json);
    check_ok(ctx, smr_quantize_read(ctx, bytes, n, NULL, &q, NULL)); /* 16: all of them */
    check_ok(ctx, smr_quantized_pixels(ctx, q, size, got));
    assert_memory_equal(got, was, sizeof got);
    smr_quantized_free(q);
    smr_quantized_free(NULL);
    check_ctx_end(ctx);
}

static void a_code_of_blocks_opens_again(void **state)
{
    smr_ctx *ctx = check_ctx(2);
    smr_quantize_opts how = {.size = sizeof how, .k = 4, .block_height = 2, .block_width = 2};
    smr_quantized *q = NULL, *back = NULL;
    char bytes[ROOM], path[64];
    uint8_t one[3 * H * W], two[3 * H * W];
    int64_t n = make(bytes), size[3], length;
    (void)state;
    check_ok(ctx, smr_quantize_read(ctx, bytes, n, &how, &q, NULL));
    const char *code = smr_quantized_file(q, SMR_QUANTIZED_CODE, &length);
    snprintf(path, sizeof path, "/tmp/smr-api-quantize-%d.vq", (int)getpid());
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(code, 1, (size_t)length, f), length);
    fclose(f);
    check_ok(ctx, smr_quantize_open(ctx, path, NULL, &back, NULL));
    check_ok(ctx, smr_quantized_pixels(ctx, q, size, one));
    check_ok(ctx, smr_quantized_pixels(ctx, back, size, two));
    assert_memory_equal(one, two, sizeof one);
    smr_quantized_free(back);
    check_fails(ctx, smr_quantize_open(ctx, path, &how, &back, NULL), SMR_ERR_PARAM,
                "is a code of blocks, and becomes a picture as it is; give no settings");
    assert_null(back);
    unlink(path);
    smr_quantized_free(q);
    check_ctx_end(ctx);
}

static void what_is_no_picture_is_refused(void **state)
{
    smr_ctx *ctx = check_ctx(1);
    smr_quantize_opts how = {.size = sizeof how, .k = 257};
    smr_quantized *q = NULL;
    char bytes[ROOM], *json = NULL;
    int64_t n = make(bytes);
    (void)state;
#define REFUSED(call, status, part)             \
    do {                                        \
        check_fails(ctx, (call), status, part); \
        assert_null(q);                         \
        assert_null(json);                      \
    } while (0)
    REFUSED(smr_quantize_open(ctx, NULL, NULL, &q, &json), SMR_ERR_PARAM, "picture is NULL");
    REFUSED(smr_quantize_open(ctx, "/nowhere/x.png", NULL, &q, &json), SMR_ERR_IO,
            "/nowhere/x.png: cannot be opened");
    REFUSED(smr_quantize_read(ctx, NULL, 4, NULL, &q, &json), SMR_ERR_PARAM, "has bytes");
    REFUSED(smr_quantize_read(ctx, bytes, -1, NULL, &q, &json), SMR_ERR_PARAM, "a length of 0");
    REFUSED(smr_quantize_read(ctx, bytes, 0, NULL, &q, &json), SMR_ERR_FORMAT, "picture: ");
    REFUSED(smr_quantize_read(ctx, "a,b\n1,2\n", 8, NULL, &q, &json), SMR_ERR_FORMAT,
            "is not a PNG, JPEG, PBM, PGM or PPM picture by its first bytes");
    REFUSED(smr_quantize_read(ctx, bytes, n - 1, NULL, &q, &json), SMR_ERR_FORMAT, "picture: ");
    REFUSED(smr_quantize_read(ctx, bytes, n, &how, &q, &json), SMR_ERR_PARAM,
            "k: 1 to 256 colours, which a palette can hold, not 257");
    how.k = 2;
    how.settings = "start=nowhere";
    REFUSED(smr_quantize_read(ctx, bytes, n, &how, &q, &json), SMR_ERR_PARAM, "nowhere");
    check_ctx_end(ctx);
}

static void survives_failing_memory(void **state)
{
    smr_quantize_opts how = {.size = sizeof how, .k = 2, .settings = "starts=1 max_iter=2"};
    char bytes[ROOM];
    int64_t n = make(bytes), size[3];
    (void)state;
    for (int64_t k = 0;; k++) {
        smr_ctx *ctx = check_ctx(1);
        smr_quantized *q = NULL;
        char *json = NULL;
        uint8_t got[3 * H * W];
        smr_memory_fail_at(ctx, k);
        smr_status st = smr_quantize_read(ctx, bytes, n, &how, &q, &json);
        if (st == SMR_OK) st = smr_quantized_pixels(ctx, q, size, got);
        if (st != SMR_OK) assert_int_equal(st, SMR_ERR_NOMEM);
        smr_quantized_free(q);
        smr_string_free(json);
        check_ctx_end(ctx);
        if (st == SMR_OK) break;
        assert_true(k < 5000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_means_of_what_they_stand_for),
        cmocka_unit_test(a_code_of_blocks_opens_again),
        cmocka_unit_test(what_is_no_picture_is_refused),
        cmocka_unit_test(survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
