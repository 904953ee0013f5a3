/* test_letters.c -- classes and small letters, against Python 3.11's unicodedata 14.0.0. */
#include "check.h"

#include "core/letters.h"
#include "core/text.h"

static void classes_are_those_of_unicode(void **state)
{
    static const struct {
        uint32_t code;
        smr_letter class;
    } wanted[] = {
        {'a', SMR_LETTER_WORD},      {'Z', SMR_LETTER_WORD},      {'7', SMR_LETTER_WORD},
        {'_', SMR_LETTER_NONE},      {'\'', SMR_LETTER_NONE},     {0x7f, SMR_LETTER_NONE},
        {0xdf, SMR_LETTER_WORD},     {0xd7, SMR_LETTER_NONE},     {0xb2, SMR_LETTER_WORD},
        {0x301, SMR_LETTER_MARK},    {0x3a9, SMR_LETTER_WORD},    {0x378, SMR_LETTER_NONE},
        {0x5d0, SMR_LETTER_WORD},    {0x64b, SMR_LETTER_MARK},    {0x905, SMR_LETTER_WORD},
        {0x93e, SMR_LETTER_MARK},    {0x200d, SMR_LETTER_MARK},   {0x2014, SMR_LETTER_NONE},
        {0x3042, SMR_LETTER_ALONE},  {0x30ab, SMR_LETTER_WORD},   {0x4e2d, SMR_LETTER_ALONE},
        {0xac00, SMR_LETTER_WORD},   {0xd7a3, SMR_LETTER_WORD},   {0xd800, SMR_LETTER_NONE},
        {0xf900, SMR_LETTER_ALONE},  {0xfffd, SMR_LETTER_NONE},   {0x1d7d8, SMR_LETTER_WORD},
        {0x1f600, SMR_LETTER_NONE},  {0x20000, SMR_LETTER_ALONE}, {0xe0100, SMR_LETTER_MARK},
        {0x10ffff, SMR_LETTER_NONE}, {0xfe0f, SMR_LETTER_MARK},
    };
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(wanted); i++)
        if (smr_letter_class(wanted[i].code) != wanted[i].class)
            fail_msg("U+%04X has class %d, wanted %d", (unsigned)wanted[i].code,
                     (int)smr_letter_class(wanted[i].code), (int)wanted[i].class);
}

/* sum(unicodedata.category(chr(c))[0] in "LN" for c in range(0x110000)) = 133547, and the like. */
static void every_character_has_its_class(void **state)
{
    int64_t n[4] = {0};
    (void)state;
    for (uint32_t c = 0; c < 0x110000; c++) n[smr_letter_class(c)]++;
    assert_int_equal(n[SMR_LETTER_WORD] + n[SMR_LETTER_ALONE], 133547);
    assert_int_equal(n[SMR_LETTER_MARK], 2410);
    assert_int_equal(n[SMR_LETTER_ALONE], 93959);
}

/* sum(ord(l) for c in range(0x110000) if len(l := chr(c).lower()) == 1 and ord(l) != c), with the
 * two exceptions of letters.h. */
static void small_letters_are_those_of_unicode(void **state)
{
    static const uint32_t wanted[][2] = {
        {'A', 'a'},       {'Z', 'z'},      {'a', 'a'},         {'[', '['},         {0xc4, 0xe4},
        {0xd7, 0xd7},     {0xdf, 0xdf},    {0x1e9e, 0xdf},     {0x100, 0x101},     {0x101, 0x101},
        {0x130, 'i'},     {0x131, 0x131},  {0x178, 0xff},      {0x3a3, 0x3c3},     {0x3c2, 0x3c3},
        {0x3c3, 0x3c3},   {0x410, 0x430},  {0x42f, 0x44f},     {0x10a0, 0x2d00},   {0x2126, 0x3c9},
        {0x212a, 'k'},    {0x23a, 0x2c65}, {0x10400, 0x10428}, {0x1e900, 0x1e922}, {0xff21, 0xff41},
        {0x4e2d, 0x4e2d},
    };
    int64_t n = 0, sum = 0;
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(wanted); i++)
        assert_int_equal(smr_letter_lower(wanted[i][0]), wanted[i][1]);
    for (uint32_t c = 0; c < 0x110000; c++) {
        uint32_t small = smr_letter_lower(c);
        if (small == c) continue;
        n++;
        sum += small;
        assert_int_equal(smr_letter_lower(small), small); /* once is enough */
    }
    assert_int_equal(n, 1434);
    assert_int_equal(sum, 34915134);
}

static void the_near_table_says_the_same(void **state)
{
    static smr_letters near;
    (void)state;
    for (int lower = 0; lower < 2; lower++) {
        smr_letters_fill(&near, lower);
        for (uint32_t c = 0; c < SMR_LETTERS_NEAR; c++) {
            assert_int_equal(near.class[c], smr_letter_class(c));
            assert_int_equal(near.lower[c], lower ? smr_letter_lower(c) : c);
        }
    }
}

static void characters_are_written_as_they_are_read(void **state)
{
    (void)state;
    for (uint32_t c = 1; c < 0x110000; c++) {
        char bytes[4];
        if (c >= 0xd800 && c < 0xe000) continue;
        int n = smr_utf8_write(c, bytes);
        assert_int_equal(smr_utf8_step(bytes, bytes + n), n);
        assert_int_equal(smr_utf8_code(bytes, n), c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_those_of_unicode),
        cmocka_unit_test(every_character_has_its_class),
        cmocka_unit_test(small_letters_are_those_of_unicode),
        cmocka_unit_test(the_near_table_says_the_same),
        cmocka_unit_test(characters_are_written_as_they_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
