/* test_draw_text.c -- escaping, widths without a font, shortening, lines. */
#include "check.h"

#include "report/draw_text.h"
#include "report/well_formed.h"

static void check_escaped(smr_ctx *ctx, const char *bytes, int64_t n, const char *wanted)
{
    smr_text out = {.ctx = ctx};
    smr_text_add(&out, "");
    smr_xml_add(&out, (smr_words){bytes, n});
    assert_string_equal(out.bytes ? out.bytes : "", wanted);
    smr_text_release(&out);
}

static void xml_takes_any_bytes_and_keeps_what_it_can(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    check_escaped(ctx, "a<b>&\"c'", 8, "a&lt;b&gt;&amp;&quot;c'");
    check_escaped(ctx, "x\0y\x01z\x7f", 6, "x\xEF\xBF\xBDy\xEF\xBF\xBDz\xEF\xBF\xBD");
    check_escaped(ctx, "\xff\xc3", 2, "\xEF\xBF\xBD\xEF\xBF\xBD");                 /* no UTF-8 */
    check_escaped(ctx, "\xed\xa0\x80", 3, "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"); /* surrogate */
    check_escaped(ctx, "\xEF\xBF\xBE\xEF\xBF\xBF", 6, "\xEF\xBF\xBD\xEF\xBF\xBD");
    check_escaped(ctx, "\u00e9\u540d\U0001f600\t\n", 11, "\u00e9\u540d\U0001f600\t\n");
    check_ctx_end(ctx);
}

static void every_byte_pair_is_well_formed_when_escaped(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    for (int a = 0; a < 256; a++)
        for (int b = 0; b < 256; b++) {
            char bytes[3] = {(char)a, (char)b, 'x'};
            smr_text out = {.ctx = ctx};
            smr_xml_add(&out, (smr_words){bytes, 3});
            if (wf_text(out.bytes, out.bytes + out.length)) fail_msg("bytes %d %d", a, b);
            smr_text_release(&out);
        }
    check_ctx_end(ctx);
}

/* Widths in DejaVu Sans, the widest of the usual fonts, in thousandths of its size: measureText of
 * Chromium 156's canvas at 1000 px. */
static void widths_are_never_below_those_of_a_wide_font(void **state)
{
    static const struct {
        const char *text;
        int width;
    } known[] = {{"0123456789", 6362},
                 {"sepal_length", 6349},
                 {"WMmw@%", 5594},
                 {"illicit", 2331},
                 {"Quick fox.", 4988},
                 {"ROC curve", 5300},
                 {"\u2212\u00d7", 1676},
                 {"gamma=0.05", 6873},
                 {"^{}$!\"`", 3917},
                 {"ABCDEFGHIJKLMNOPQRSTUVWXYZ", 17472},
                 {"abcdefghijklmnopqrstuvwxyz", 14646}};
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(known); i++) {
        double width = smr_words_width(smr_words_of(known[i].text));
        double real = known[i].width / 1000.0;
        if (!(width >= real) || width > 1.45 * real)
            fail_msg("'%s': %g em, the font has %g", known[i].text, width, real);
    }
}

static void shortened_text_fits_and_ends_between_characters(void **state)
{
    const char *text = "na\u00efve \u540d\u524d caf\u00e9 and co";
    (void)state;
    for (double width = 0; width < 16; width += 0.13) {
        bool cut = false;
        smr_words all = smr_words_of(text), part = smr_words_fit(all, width, &cut);
        assert_true(cut == (part.n < all.n));
        assert_ptr_equal(part.at, all.at);
        assert_null(wf_text(part.at, part.at + (part.n > 0 && cut ? part.n : 0)));
        if (cut && width > 1) assert_true(smr_words_width(part) + 1.0 <= width + 1e-9);
        if (!cut) assert_true(smr_words_width(all) <= width);
    }
}

static void lines_hold_every_word_once_and_fit(void **state)
{
    const char *text = "one two  three-and-a-half incomprehensibilities at the end";
    (void)state;
    for (double width = 2; width < 40; width += 0.37) {
        smr_words rest = smr_words_of(text);
        int64_t letters = 0, lines = 0;
        while (rest.n > 0 && lines < 100) {
            smr_words line = smr_words_line(&rest, width);
            for (int64_t i = 0; i < line.n; i++) letters += line.at[i] != ' ';
            assert_true(smr_words_width(line) <= width);
            lines++;
        }
        assert_int_equal(letters, 51);
        if (width > 39) assert_int_equal(lines, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xml_takes_any_bytes_and_keeps_what_it_can),
        cmocka_unit_test(every_byte_pair_is_well_formed_when_escaped),
        cmocka_unit_test(widths_are_never_below_those_of_a_wide_font),
        cmocka_unit_test(shortened_text_fits_and_ends_between_characters),
        cmocka_unit_test(lines_hold_every_word_once_and_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
