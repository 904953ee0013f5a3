/* test_draw_axis.c -- ranges and ticks: texts read back as the numbers they are at. */
#include "check.h"

#include "core/number.h"
#include "core/rng.h"
#include "report/draw_parts.h"

/* Reads a tick's text as people do: minus sign, thousands, M, powers of ten. */
static double read_tick(const char *text)
{
    static const char *const raised[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    char plain[80] = "";
    int n = 0;
    const char *p = text;
    if (strncmp(p, "\u2212", 3) == 0) {
        plain[n++] = '-';
        p += 3;
    }
    const char *times = strstr(p, "\u00d7");
    bool power = times || strncmp(p, "10\u207b", 5) == 0;
    for (int k = 0; k < 10 && !power; k++)
        power = strncmp(p, "10", 2) == 0 && strncmp(p + 2, raised[k], strlen(raised[k])) == 0;
    if (!power)
        for (; *p; p++) {
            if (*p == 'M')
                n += snprintf(plain + n, 4, "e6");
            else if (*p != ',')
                plain[n++] = *p;
        }
    if (power) {
        if (times) {
            memcpy(plain + n, p, (size_t)(times - p));
            n += (int)(times - p);
            p = times + 2;
        } else {
            plain[n++] = '1';
        }
        p += 2;
        plain[n++] = 'e';
        if (strncmp(p, "\u207b", 3) == 0) {
            plain[n++] = '-';
            p += 3;
        }
        while (*p) {
            int k = 0;
            while (k < 10 && strncmp(p, raised[k], strlen(raised[k])) != 0) k++;
            if (k == 10) fail_msg("'%s' cannot be read", text);
            plain[n++] = (char)('0' + k);
            p += strlen(raised[k]);
        }
    }
    double value = 0;
    if (smr_parse_double(plain, plain + n, &value) != plain + n)
        fail_msg("'%s' was read as '%s'", text, plain);
    return value;
}

/* Uniform in [0, 1). */
static double draw(int round, int k)
{
    return smr_random_unit(20261115, SMR_STREAM_TEST, (uint64_t)round, (uint64_t)k);
}

static struct plot_axis axis_of(enum plot_scale scale)
{
    return (struct plot_axis){.scale = scale, .min = NAN, .max = NAN};
}

static void check_texts(struct plot_axis *a, double lo, double hi, int most, const char *wanted)
{
    static struct plot_ticks ticks;
    char got[400] = "";
    smr_axis_fit(a, lo, hi);
    smr_axis_ticks(a, most, &ticks);
    for (int64_t i = 0; i < ticks.n; i++) {
        if (ticks.at[i].minor) continue;
        if (*got) strncat(got, " ", sizeof got - strlen(got) - 1);
        strncat(got, ticks.at[i].text, sizeof got - strlen(got) - 1);
    }
    assert_string_equal(got, wanted);
}

static void linear_axes_have_round_ends_and_short_texts(void **state)
{
    (void)state;
    struct plot_axis a = axis_of(SCALE_LINEAR);
    check_texts(&a, 0.03, 0.97, 5, "0 0.2 0.4 0.6 0.8 1.0");
    check_texts(&a, 12, 87312, 5, "0 20,000 40,000 60,000 80,000 100,000");
    check_texts(&a, -3.2, 4.1, 5, "\u22124 \u22122 0 2 4 6");
    check_texts(&a, 0, 7.3e6, 5, "0 2M 4M 6M 8M");
    check_texts(&a, 0, 3e12, 3, "0 10\u00b9\u00b2 2\u00d710\u00b9\u00b2 3\u00d710\u00b9\u00b2");
    check_texts(&a, 1e-7, 9e-7, 5,
                "0 2\u00d710\u207b\u2077 4\u00d710\u207b\u2077 6\u00d710\u207b\u2077 "
                "8\u00d710\u207b\u2077 10\u207b\u2076");
    a.min = 0.5;
    check_texts(&a, 0.6, 0.93, 5, "0.5 0.6 0.7 0.8 0.9 1.0");
    assert_true(a.from == 0.5);
}

static void log_axes_tick_decades_and_what_fits_between(void **state)
{
    (void)state;
    struct plot_axis a = axis_of(SCALE_LOG);
    check_texts(&a, 1, 1000, 5, "1 10 100 1000");
    check_texts(&a, 60, 3200, 12, "50 100 200 500 1000 2000 5000");
    check_texts(&a, 1e-9, 1e3, 6,
                "10\u207b\u2078 10\u207b\u2076 10\u207b\u2074 10\u207b\u00b2 10\u2070 10\u00b2");
    check_texts(&a, 21, 29, 5, "20 30 40 50"); /* less than a decade */
}

static void degenerate_ranges_become_ranges(void **state)
{
    static const double cases[][2] = {{0, 0},
                                      {3.7, 3.7},
                                      {-5, -5},
                                      {1e300, 1e300},
                                      {-1.7e308, 1.7e308},
                                      {5e-324, 5e-324},
                                      {1, 1 + 1e-15},
                                      {INFINITY, -INFINITY},
                                      {1e-310, 3e-310}};
    (void)state;
    static struct plot_ticks ticks;
    for (int64_t i = 0; i < SMR_COUNT(cases); i++)
        for (int scale = SCALE_LINEAR; scale <= SCALE_LOG; scale++) {
            struct plot_axis a = axis_of((enum plot_scale)scale);
            bool log = scale == SCALE_LOG;
            if (log && !(cases[i][0] > 0)) continue;
            smr_axis_fit(&a, cases[i][0], cases[i][1]);
            if (!(a.from < a.to) || !isfinite(a.from) || !isfinite(a.to))
                fail_msg("case %lld: %g to %g", (long long)i, a.from, a.to);
            smr_axis_ticks(&a, 5, &ticks);
            assert_true(ticks.n >= 1 && ticks.n <= MOST_TICKS);
        }
}

/* For random ranges of all sizes: ticks ascend, lie where their text says, and are few. */
static void ticks_stand_where_their_texts_say(void **state)
{
    static struct plot_ticks ticks;
    (void)state;
    for (int round = 0; round < 4000; round++) {
        struct plot_axis a = axis_of(round % 3 == 2 ? SCALE_LOG : SCALE_LINEAR);
        double size = pow(10, 600 * draw(round, 0) - 300);
        double lo = size * (draw(round, 1) - (a.scale == SCALE_LOG ? 0 : 0.5));
        double hi = lo + size * pow(10, -6 * draw(round, 2));
        if (round % 5 == 0) {
            a.min = lo;
            a.max = hi;
        }
        smr_axis_fit(&a, lo, hi);
        int most = 2 + round % 9;
        smr_axis_ticks(&a, most, &ticks);
        double last = -1, named = 0;
        for (int64_t i = 0; i < ticks.n; i++) {
            const struct plot_tick *t = &ticks.at[i];
            if (!(t->place > last) || t->place > 1) fail_msg("round %d: places", round);
            last = t->place;
            if (t->minor) continue;
            named++;
            double at = smr_axis_place(&a, read_tick(t->text));
            if (!(fabs(at - t->place) < 1e-6))
                fail_msg("round %d: '%s' of %g..%g is at %g, not %g", round, t->text, a.from, a.to,
                         t->place, at);
        }
        if (named > 2 * most + 3) fail_msg("round %d: %g ticks for %d", round, named, most);
    }
}

static void numbers_keep_four_digits(void **state)
{
    static const struct {
        double x;
        const char *text;
    } known[] = {{0, "0"},
                 {150, "150"},
                 {0.953333, "0.9533"},
                 {-0.25, "\u22120.25"},
                 {1234567.8, "1,234,568"},
                 {53.558, "53.56"},
                 {2868.5, "2868"},
                 {123456, "123,456"},
                 {0.00031, "0.00031"},
                 {1e-9, "10\u207b\u2079"},
                 {NAN, "-"},
                 {0.99996, "1"}};
    char text[TICK_TEXT];
    (void)state;
    for (int64_t i = 0; i < SMR_COUNT(known); i++) {
        smr_plot_number(known[i].x, text);
        assert_string_equal(text, known[i].text);
    }
    for (int round = 0; round < 3000; round++) {
        double x = (draw(round, 3) - 0.5) * pow(10, 616 * draw(round, 4) - 308);
        smr_plot_number(x, text);
        if (!(fabs(read_tick(text) - x) <= 6e-4 * fabs(x))) fail_msg("%.17g: '%s'", x, text);
    }
    smr_plot_fixed(1234.5678, 2, text);
    assert_string_equal(text, "1234.57");
    smr_plot_fixed(-0.0004, 3, text);
    assert_string_equal(text, "0.000");
    smr_plot_fixed(-12345.5, 1, text);
    assert_string_equal(text, "\u221212,345.5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_axes_have_round_ends_and_short_texts),
        cmocka_unit_test(log_axes_tick_decades_and_what_fits_between),
        cmocka_unit_test(degenerate_ranges_become_ranges),
        cmocka_unit_test(ticks_stand_where_their_texts_say),
        cmocka_unit_test(numbers_keep_four_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
