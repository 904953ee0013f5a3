/* Decimal text and doubles: every answer is compared, bit for bit, with the C library's strtod and
 * printf, which are exact in glibc; the C library is given the "C" locale for that. */
#include "check.h"

#include "core/number.h"
#include "core/number_parts.h"
#include "core/rng.h"

#include <float.h>
#include <locale.h>

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Of the many numbers that are tried; a sanitizer has seen all there is in a part of them. */
enum { SHARE = CHECK_LESS ? 10 : 1 };

static uint64_t draw(uint64_t a, uint64_t b)
{
    return smr_random_bits(20240229, SMR_STREAM_TEST, a, b);
}

/* The text, in a block of exactly its size (so that a sanitizer sees a byte too far), gives what
 * strtod gives, and all of it is read. */
static void check_parse(const char *text)
{
    size_t n = strlen(text);
    char *exact = malloc(n ? n : 1);
    memcpy(exact, text, n);
    double got = -1, want = strtod(text, NULL);
    const char *after = smr_parse_double(exact, exact + n, &got);
    if (after != exact + n)
        fail_msg("'%.60s': %s", text, after ? "not all of it was read" : "refused");
    if (bits_of(got) != bits_of(want)) fail_msg("'%.900s': got %a, wanted %a", text, got, want);
    free(exact);
}

/* ---- reading ---------------------------------------------------------------------------- */

static void torture_strings_read_as_strtod_reads_them(void **state)
{
    (void)state;
    static const char *const text[] = {
        "0", "-0", "+0.0", "0e999999999999999999999", "000000000000000000000000000000", "1", "-1",
        "+1", "1.", ".5", "-.5e1", "0.1", "0.3", "3.14159265358979323846264338327950288",
        /* ends of the range and their neighbourhoods */
        "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308",
        "179769313486231580793e289", "1.797693134862315807e308", "1e308", "1e309", "1e310",
        "9e99999", "-1e400", "2.2250738585072014e-308", "2.2250738585072011e-308",
        "2.2250738585072012e-308", "2.225073858507201e-308", "4.9406564584124654e-324", "4.9e-324",
        "5e-324", "3e-324", "2.5e-324", "2.4703282292062328e-324", "2.4703282292062327e-324",
        "2.47e-324", "2e-324", "1e-325", "1e-400", "1e-99999999999",
        "17976931348623157000000000000000000000000e267", "9.99999999999999999e-324",
        /* ties and near ties: 2^53 + 1, 2^54 + 2, and decimals cut one digit before the end */
        "9007199254740993", "9007199254740992.999999999999999999",
        "9007199254740993.00000000000000000000000000001", "9007199254740995", "18014398509481986",
        "18014398509481990", "9007199254740991.4999999999999999999999999999999995", "5e-1",
        "9214843084008499", "0.500000000000000166533453693773481063544750213623046875",
        "3.518437208883201171875e13", "62.5364939768271845828", "8.10109172351e-10",
        "1.50000000000000011102230246251565", "1.4999999999999998", "0.9999999999999999999999999",
        "30078505129381147446200", "1777820000000000000001", "0.000000000000000000000000001234567",
        /* known to have broken other readers */
        "2.2250738585072011360574097967091319759348195463516456480234261097248222220210769455165"
        "29523908135087914149158913039621106870086438694594645527657207407820621743379988141063267"
        "32925355228688137214901298112245145188984905722230728525513315575501591439747639798341180"
        "19993239625482890171070818506906306666559949382757725720157630626906633326475653000092458"
        "88316433037779791869612049497390377829704905051080609940730262937128958950003583799967207"
        "25430436028407889577179615094551674824347103070260914462157228988025818254518032570701886"
        "08721131280795122334262883686223215037756666225039825343359745688844239002654981983854879"
        "48292206894721689831099698365846814022854243330660339850886445804001034933970427567186443"
        "383770486037861622771738545623065874679014086723327636718751234567890123456789012345e-308",
        "6.9294956446009195e15", "3.5844466002796428e298", "1090544144181609348671888949248",
        "1090544144181609348835077142190", "8.98846567431157953864652595394512e307",
        "1.1897314953572317650857593266280070162E+4932", "2.34567890123456789e-310",
        "7.2057594037927933e16", "1.00000005960464477539062499", "1.000000059604644775390625",
        "0.000000000000000000000000000000000000000000000000000000000000000000000000000000000001e84",
        "100000000000000000000000000000000000000000000000000000000000000000000000000000000000e-83",
        "12345678", "123456789", "1234567.8", "12345678.87654321", "1234567812345678123",
        "12345678123456781234", "12345678123456781234.5", "1e23", "8.5e22", "4503599627370497.5",
        "1e-22", "9007199254740992e22", "9007199254740993e-22", "1e22", "18446744073709551615",
        "18446744073709551616", "9999999999999999999", "10000000000000000000e-19"};
    for (int64_t i = 0; i < SMR_COUNT(text); i++) check_parse(text[i]);
}

static void exponent_and_zeros_balance_at_any_length(void **state)
{
    (void)state;
    static char text[4200];
    for (int zeros = 1; zeros < 4000; zeros += 37) {
        int n = snprintf(text, sizeof text, "0.");
        memset(text + n, '0', (size_t)zeros);
        snprintf(text + n + zeros, sizeof text - (size_t)(n + zeros), "123456789e%d", zeros + 3);
        check_parse(text);
        memset(text, '7', 1);
        memset(text + 1, '0', (size_t)zeros);
        snprintf(text + 1 + zeros, 20, "e%d", 5 - zeros);
        check_parse(text);
    }
}

static void random_bit_patterns_come_back(void **state)
{
    (void)state;
    char text[40];
    for (uint64_t i = 0; i < 1500000 / SHARE; i++) {
        uint64_t bits = draw(1, i) & INT64_MAX;
        if (i % 4 == 0) bits &= (UINT64_C(1) << (i / 4 % 63)) - 1; /* subnormal, and small */
        double x = from_bits(bits), got = -1;
        if (!isfinite(x)) continue;
        int n = snprintf(text, sizeof text, "%.*e", 16 + (int)(i % 3), x); /* 17 .. 19 digits */
        assert_ptr_equal(smr_parse_double(text, text + n, &got), text + n);
        if (bits_of(got) != bits) fail_msg("%s: got %a, wanted %a", text, got, x);
    }
}

static void random_decimals_read_as_strtod_reads_them(void **state)
{
    (void)state;
    char text[128];
    for (uint64_t i = 0; i < 400000 / SHARE; i++) {
        uint64_t r = draw(2, i);
        int n_digits = 1 + (int)(r % 45), point = (int)(r >> 8) % (n_digits + 1), n = 0;
        for (int j = 0; j < n_digits; j++) {
            if (j == point) text[n++] = '.';
            text[n++] = (char)('0' + draw(3 + (uint64_t)j, i) % 10);
        }
        int wide = (int)(r >> 16 & 1) ? 700 : 30;
        if (r >> 17 & 1)
            snprintf(text + n, 12, "e%d", (int)((r >> 20) % (uint64_t)wide) - wide / 2);
        else
            text[n] = '\0';
        check_parse(text);
    }
}

/* The middle of a double and its successor, which a long double holds exactly; then the same digits
 * a little below and above it, far to the right. */
static void middles_of_two_doubles_go_to_even(void **state)
{
    (void)state;
    if (LDBL_MANT_DIG < 64) skip();
    static char text[2600];
    for (uint64_t i = 0; i < 3000; i++) {
        uint64_t bits = draw(50, i) & INT64_MAX;
        if (i % 5 == 0) bits >>= 11 + i % 53; /* subnormals */
        if (i % 5 == 1) bits = (UINT64_C(1023) << 52) + (draw(51, i) >> 10 >> i % 50);
        if (i == 2) bits = bits_of(DBL_MAX) - 1;
        if (i == 3) bits = 0;
        double low = from_bits(bits), high = from_bits(bits + 1);
        if (!isfinite(low) || !isfinite(high)) continue;
        long double middle = ((long double)low + (long double)high) / 2;
        snprintf(text, sizeof text, "%.1100Le", middle);
        char *e = strchr(text, 'e');
        char exponent[16];
        snprintf(exponent, sizeof exponent, "%s", e);
        check_parse(text);
        int after = (int)(draw(52, i) % 900);
        memset(e, '0', (size_t)after);
        snprintf(e + after, 20, "1%s", exponent);
        check_parse(text); /* above */

        char *p = e - 1; /* below: the last digit that is not zero less one, then nines */
        while (*p == '0') p--;
        if (*p == '.') p--;
        --*p;
        for (char *d = p + 1; d < e + after; d++)
            if (*d != '.') *d = '9';
        snprintf(e + after, 20, "%s", exponent);
        check_parse(text);
    }
}

static void neighbours_of_powers_are_told_apart(void **state)
{
    (void)state;
    char text[40];
    for (int e = -1074; e < 1024; e++) {
        double x = ldexp(1, e);
        double near[] = {nextafter(x, 0), x, nextafter(x, INFINITY)};
        for (int j = 0; j < 3; j++) {
            snprintf(text, sizeof text, "%.17g", near[j]);
            check_parse(text);
            snprintf(text, sizeof text, "%.15g", near[j]);
            check_parse(text);
        }
    }
    for (int e = -345; e <= 312; e++)
        for (int d = 1; d < 20; d++) {
            snprintf(text, sizeof text, "%de%d", d, e);
            check_parse(text);
        }
}

static void reading_stops_where_the_number_ends(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int used; /* -1: refused */
        double value;
    } row[] = {{"1.5,2.5", 3, 1.5},
               {"12 ", 2, 12},
               {"1e", 1, 1},
               {"1e+", 1, 1},
               {"1e-x", 1, 1},
               {"1.5e3.5", 5, 1500},
               {"1.2.3", 3, 1.2},
               {"0x10", 1, 0},
               {"1_000", 1, 1},
               {"7..", 2, 7},
               {"-5-5", 2, -5},
               {"2E2", 3, 200},
               {"12345678;12345678", 8, 12345678},
               {"0.1234567,0.12345678", 9, 0.1234567},
               {"1\xb2\xb3\xb4\xb5\xb6\xb7\xb8", 1, 1},
               {"1\xba\xbb\xfa\xff\x80\xb0\xb9", 1, 1},
               {"99:99/99", 2, 99},
               {"99/99:99", 2, 99},
               {".5,and sixteen bytes more", 2, 0.5},
               {"-.25;and sixteen bytes more", 4, -0.25},
               {"nan,and sixteen bytes more", 3, NAN},
               {"7,and sixteen bytes more", 1, 7},
               {"7.,and sixteen bytes more", 2, 7},
               {"1234567.,and sixteen bytes", 8, 1234567},
               {"12345678.5,and sixteen bytes", 10, 12345678.5},
               {"1.2345678901234,and more", 15, 1.2345678901234},
               {"1.23456789012345,and more", 16, 1.23456789012345},
               {"1.5e3,and sixteen bytes more", 5, 1500},
               {"a word and sixteen bytes more", -1, 0},
               {",,,,,,,,,,,,,,,,,,,,,,,,,", -1, 0},
               {"-.,and sixteen bytes more", -1, 0},
               {"", -1, 0},
               {"-", -1, 0},
               {"+", -1, 0},
               {".", -1, 0},
               {"-.", -1, 0},
               {".e5", -1, 0},
               {"e5", -1, 0},
               {" 1", -1, 0},
               {"--1", -1, 0},
               {"abc", -1, 0},
               {",", -1, 0},
               {"in", -1, 0},
               {"na", -1, 0},
               {"i", -1, 0},
               {"inf", 3, INFINITY},
               {"-INF", 4, -INFINITY},
               {"+Infinity", 9, INFINITY},
               {"infinit", 3, INFINITY},
               {"-iNfInItY ", 9, -INFINITY},
               {"nan", 3, NAN},
               {"-NaN,", 4, NAN},
               {"nan(12)", 3, NAN}};
    for (int64_t i = 0; i < SMR_COUNT(row); i++) {
        size_t n = strlen(row[i].text);
        char *exact = malloc(n ? n : 1);
        memcpy(exact, row[i].text, n);
        double got = 77;
        const char *after = smr_parse_double(exact, exact + n, &got);
        int used = after ? (int)(after - exact) : -1;
        if (used != row[i].used) fail_msg("'%s': %d bytes used", row[i].text, used);
        if (used >= 0) check_near(row[i].text, got, row[i].value, 0);
        free(exact);
    }
}

static void numbers_in_the_middle_of_a_block_read_alike(void **state)
{
    (void)state;
    char text[64], block[128];
    for (uint64_t i = 0; i < 200000 / SHARE; i++) {
        double x = (double)((int64_t)draw(60, i) >> (i % 50)) * pow(10, -(double)(i % 13)), a, b;
        int n = snprintf(text, sizeof text, "%.*g", 1 + (int)(i % 17), x);
        memset(block, "0189,;:/.x\n \xb1\xff"[i % 14 + (i % 14 < 4 ? 4 : 0)], sizeof block);
        memcpy(block + i % 9, text, (size_t)n);
        if (block[i % 9 + (uint64_t)n] == '.') continue;
        smr_parse_double(text, text + n, &a);
        const char *after = smr_parse_double(block + i % 9, block + sizeof block, &b);
        assert_ptr_equal(after, block + i % 9 + n);
        assert_true(bits_of(a) == bits_of(b) && bits_of(a) == bits_of(strtod(text, NULL)));
    }
}

static void whole_numbers_read_to_the_last_one_that_fits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int used;
        int64_t value;
    } row[] = {{"0", 1, 0},
               {"-0", 2, 0},
               {"+17", 3, 17},
               {"42.5", 2, 42},
               {"007x", 3, 7},
               {"9223372036854775807", 19, INT64_MAX},
               {"-9223372036854775807", 20, -INT64_MAX},
               {"-9223372036854775808", 20, INT64_MIN},
               {"9223372036854775808", -1, 0},
               {"-9223372036854775809", -1, 0},
               {"99999999999999999999999", -1, 0},
               {"000000000000000000000000012", 27, 12},
               {"", -1, 0},
               {"-", -1, 0},
               {"x", -1, 0},
               {"+-1", -1, 0}};
    for (int64_t i = 0; i < SMR_COUNT(row); i++) {
        size_t n = strlen(row[i].text);
        int64_t got = -99;
        const char *after = smr_parse_int(row[i].text, row[i].text + n, &got);
        int used = after ? (int)(after - row[i].text) : -1;
        if (used != row[i].used || (used >= 0 && got != row[i].value))
            fail_msg("'%s': %d bytes used, %lld", row[i].text, used, (long long)got);
    }
}

/* ---- writing ---------------------------------------------------------------------------- */

static void check_format(double x, const char *want)
{
    char text[SMR_NUMBER_MAX];
    int n = smr_format_double(x, text);
    assert_string_equal(text, want);
    assert_int_equal(n, strlen(want));
}

static void shortest_form_is_as_documented(void **state)
{
    (void)state;
    check_format(0, "0");
    check_format(-0.0, "-0");
    check_format(0.1, "0.1");
    check_format(0.1 + 0.2, "0.30000000000000004");
    check_format(-2.385, "-2.385");
    check_format(100, "100");
    check_format(1e14, "100000000000000");
    check_format(999999999999999, "999999999999999");
    check_format(1e15, "1e15");
    check_format(1234567890123456, "1234567890123456");
    check_format(1234567890123450, "1.23456789012345e15");
    check_format(1234567890123456.5, "1234567890123456.5");
    check_format(9007199254740991, "9007199254740991");
    check_format(9007199254740994, "9007199254740994");
    check_format(123456789012345.67, "123456789012345.67");
    check_format(0.0001, "0.0001");
    check_format(0.00012345678901234567, "0.00012345678901234567");
    check_format(0.00001, "1e-5");
    check_format(0.0000125, "1.25e-5");
    check_format(1e23, "1e23");
    check_format(9.5e-7, "9.5e-7");
    check_format(5e-324, "5e-324");
    check_format(2.2250738585072014e-308, "2.2250738585072014e-308");
    check_format(DBL_MAX, "1.7976931348623157e308");
    check_format(-DBL_MAX, "-1.7976931348623157e308");
    check_format(-0x1.a74fe1c1e8908p-997, "-1.2345678901234568e-300");
    check_format(NAN, "nan");
    check_format(-NAN, "nan");
    check_format(INFINITY, "inf");
    check_format(-INFINITY, "-inf");
    check_format(9.0071992547409920e15 * 3, "27021597764222976");
    check_format(2e22, "2e22");
}

/* Significant digits of a formatted number, and their count. */
static int digits_of(const char *text, char *digits)
{
    int n = 0;
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (n || *text != '0')) digits[n++] = *text;
    while (n > 1 && digits[n - 1] == '0') n--;
    digits[n] = '\0';
    return n;
}

/* Reads back; nothing shorter does; and of those as long, none is nearer to x. */
static void check_shortest(double x)
{
    char text[SMR_NUMBER_MAX], digits[40], other[64], other_digits[64];
    int length = smr_format_double(x, text);
    assert_int_equal(length, strlen(text));
    if (bits_of(strtod(text, NULL)) != bits_of(x)) fail_msg("%a became %s", x, text);
    int n = digits_of(text, digits);

    snprintf(other, sizeof other, "%.*e", n - 1, x); /* the nearest of that length */
    digits_of(other, other_digits);
    if (strtod(other, NULL) == x && strcmp(digits, other_digits) != 0)
        fail_msg("%a became %s, but %s is nearer", x, text, other);
    if (n == 1) return;
    for (int step = -1; step <= 1;
         step++) { /* the nearest with one digit less, and its neighbours */
        snprintf(other, sizeof other, "%.*e", n - 2, x);
        char *e = strchr(other, 'e');
        int exponent = atoi(e + 1);
        *e = '\0';
        char plain[64];
        digits_of(other, plain);
        for (int k = (int)strlen(plain); k < n - 1; k++) plain[k] = '0';
        plain[n - 1] = '\0';
        snprintf(other, sizeof other, "%llde%d", atoll(plain) + step, exponent - (n - 2));
        if (strtod(other, NULL) == fabs(x))
            fail_msg("%a became %s, but %s reads back", x, text, other);
    }
}

static void random_bit_patterns_are_written_shortest(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 150000 / SHARE; i++) {
        double x = from_bits(draw(70, i));
        if (i % 3 == 1) x = from_bits(draw(70, i) >> (1 + i % 63));
        if (i % 3 == 2) x = (double)((int64_t)draw(71, i) >> (i % 60)) / pow(10, (double)(i % 9));
        if (isfinite(x) && x != 0) check_shortest(x);
    }
    for (int e = -1074; e < 1024; e++) {
        double x = ldexp(1, e);
        check_shortest(x);
        check_shortest(nextafter(x, INFINITY));
        if (e > -1074) check_shortest(nextafter(x, 0));
    }
    for (int e = -323; e <= 308; e++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", e);
        check_shortest(strtod(text, NULL));
    }
}

static void millions_of_doubles_survive_writing_and_reading(void **state)
{
    (void)state;
    char text[SMR_NUMBER_MAX];
    for (uint64_t i = 0; i < 2000000 / SHARE; i++) {
        double x = from_bits(draw(80, i)), got = 0;
        if (!isfinite(x)) continue;
        int n = smr_format_double(x, text);
        assert_true(n < SMR_NUMBER_MAX && text[n] == '\0');
        assert_ptr_equal(smr_parse_double(text, text + n, &got), text + n);
        if (bits_of(got) != bits_of(x)) fail_msg("%a became %s became %a", x, text, got);
    }
}

/* The value is that of printf("%.*e"), and no trailing zero is left. */
static void check_rounded(double x, int digits)
{
    char text[SMR_NUMBER_MAX], want[64], want_digits[64], got_digits[40];
    int n = smr_format_rounded(x, digits, text);
    snprintf(want, sizeof want, "%.*e", digits - 1, x);
    assert_int_equal(n, strlen(text));
    digits_of(want, want_digits);
    digits_of(text, got_digits);
    if (strcmp(got_digits, want_digits) != 0 || strtod(text, NULL) != strtod(want, NULL))
        fail_msg("%a to %d digits: %s, wanted %s", x, digits, text, want);
}

static void rounding_agrees_with_printf(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 400000 / SHARE; i++) {
        double x = from_bits(draw(90, i));
        if (i % 4 == 1) x = from_bits(draw(90, i) >> (1 + i % 63));
        if (i % 4 == 2) x = (double)((int64_t)draw(91, i) >> (i % 62)) / ldexp(1, (int)(i % 11));
        if (i % 4 == 3) x = (double)(draw(92, i) % 1000000) * pow(10, (double)(i % 20)) / 2;
        if (isfinite(x) && x != 0) check_rounded(x, 1 + (int)(i / 4 % 17));
    }
    for (int digits = 1; digits <= 17; digits++)
        for (int e = -1074; e < 1024; e++) {
            check_rounded(ldexp(1, e), digits);
            check_rounded(nextafter(ldexp(1, e), 0) + 5e-324, digits);
        }
}

static void rounded_form_is_for_people(void **state)
{
    (void)state;
    static const struct {
        double x;
        int digits;
        const char *want;
    } row[] = {{2.5, 1, "2"},
               {3.5, 1, "4"},
               {25, 1, "20"},
               {35, 1, "40"},
               {0.125, 2, "0.12"},
               {9.996, 3, "10"},
               {99999, 3, "100000"},
               {0.1, 17, "0.10000000000000001"},
               {1.0 / 3, 4, "0.3333"},
               {1234567, 3, "1230000"},
               {-0.0, 3, "0"},
               {-0.00049, 1, "-0.0005"},
               {NAN, 3, "nan"},
               {-INFINITY, 3, "-inf"},
               {1e-7, 3, "1e-7"},
               {5e-324, 17, "4.9406564584124654e-324"},
               {DBL_MAX, 1, "2e308"},
               {0.5, 0, "0.5"},
               {1.0 / 3, 99, "0.33333333333333331"}};
    char text[SMR_NUMBER_MAX];
    for (int64_t i = 0; i < SMR_COUNT(row); i++) {
        smr_format_rounded(row[i].x, row[i].digits, text);
        assert_string_equal(text, row[i].want);
    }
}

static void logarithms_of_powers_are_exact(void **state)
{
    (void)state;
    for (int e = SMR_POWER_LEAST; e <= SMR_POWER_MOST;
         e++) /* e log2(10) is never near an integer */
        assert_int_equal(smr_log2_of_power(e), (int)floor(e * 3.3219280948873623));
}

static bool has_comma(const char *locale)
{
    return setlocale(LC_ALL, locale) && localeconv()->decimal_point[0] == ',';
}

/* Compiles a locale into a folder of its own, where the sources of locales are installed. */
static bool make_comma_locale(void)
{
    char folder[] = "/tmp/samara-locale-XXXXXX", command[200];
    if (!mkdtemp(folder)) return false;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1",
             folder, folder);
    bool made =
        system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 && has_comma("de_DE.UTF-8");
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 && made;
}

static void a_comma_locale_changes_nothing(void **state)
{
    (void)state;
    static const char *const name[] = {"de_DE.UTF-8", "de_DE.utf8",  "fr_FR.UTF-8", "nl_NL.UTF-8",
                                       "de_DE",       "es_ES.UTF-8", "pt_BR.UTF-8"};
    bool found = false;
    for (int64_t i = 0; i < SMR_COUNT(name) && !found; i++) found = has_comma(name[i]);
    if (!found && !make_comma_locale()) {
        setlocale(LC_ALL, "C");
        skip();
    }
    char text[SMR_NUMBER_MAX];
    double x = 0;
    const char *number = "-1234.5625e-2";
    const char *after = smr_parse_double(number, number + 13, &x);
    smr_format_double(x, text);
    char people[SMR_NUMBER_MAX];
    smr_format_rounded(1234567.25, 8, people);
    setlocale(LC_ALL, "C");
    assert_ptr_equal(after, number + 13);
    assert_string_equal(text, "-12.345625");
    assert_string_equal(people, "1234567.2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torture_strings_read_as_strtod_reads_them),
        cmocka_unit_test(exponent_and_zeros_balance_at_any_length),
        cmocka_unit_test(random_bit_patterns_come_back),
        cmocka_unit_test(random_decimals_read_as_strtod_reads_them),
        cmocka_unit_test(middles_of_two_doubles_go_to_even),
        cmocka_unit_test(neighbours_of_powers_are_told_apart),
        cmocka_unit_test(reading_stops_where_the_number_ends),
        cmocka_unit_test(numbers_in_the_middle_of_a_block_read_alike),
        cmocka_unit_test(whole_numbers_read_to_the_last_one_that_fits),
        cmocka_unit_test(shortest_form_is_as_documented),
        cmocka_unit_test(random_bit_patterns_are_written_shortest),
        cmocka_unit_test(millions_of_doubles_survive_writing_and_reading),
        cmocka_unit_test(rounding_agrees_with_printf),
        cmocka_unit_test(rounded_form_is_for_people),
        cmocka_unit_test(logarithms_of_powers_are_exact),
        cmocka_unit_test(a_comma_locale_changes_nothing),
    };
    return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
