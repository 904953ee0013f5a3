/* Dates; seconds are those of GNU date: date -u -d '2024-02-29 12:34:56' +%s and the like. */
#include "check.h"

#include "data/date.h"

static void dates_become_seconds_since_1970(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double seconds;
        bool has_time;
    } cases[] = {
        {"1970-01-01", 0, false},
        {"1969-12-31", -86400, false},
        {"2024-02-29", 1709164800, false},
        {"2024/02/29", 1709164800, false},
        {"2000-02-29", 951782400, false},
        {"0001-01-01", -62135596800, false},
        {"9999-12-31", 253402214400, false},
        {"1749-01", -6974035200, false},
        {"2024-02-29T12:34:56", 1709210096, true},
        {"2024-02-29 12:34:56", 1709210096, true},
        {"2024-02-29t12:34", 1709210040, true},
        {"2024-02-29T12:34:56Z", 1709210096, true},
        {"2024-02-29T12:34:56.25Z", 1709210096.25, true},
        {"2024-02-29T12:34:56,125", 1709210096.125, true},
        {"2024-02-29T12:34:56+02:00", 1709202896, true},
        {"2024-02-29T12:34:56-0530", 1709229896, true},
        {"2024-02-29T12:34+01", 1709206440, true},
        {"2016-12-31T23:59:60Z", 1483228800, true}, /* a leap second is the second after it */
        {"2024-02-29T24:00", 1709251200, true},
        {"2024-02-29T00:00:00", 1709164800, true},
    };
    for (int64_t k = 0; k < SMR_COUNT(cases); k++) {
        double seconds = NAN;
        bool has_time = !cases[k].has_time;
        if (!smr_date_parse(cases[k].text, (int64_t)strlen(cases[k].text), &seconds, &has_time))
            fail_msg("'%s' was not read", cases[k].text);
        check_near(cases[k].text, seconds, cases[k].seconds, 0);
        assert_int_equal(has_time, cases[k].has_time);
    }
}

static void what_is_no_date_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "2024",
        "20240131",
        "2024-1-31",
        "2024-13-01",
        "2024-00-10",
        "2024-02-30",
        "2023-02-29",
        "1900-02-29",
        "2024-04-31",
        "2024-01-00",
        "0000-01-01",
        "2024-01/31",
        "2024/01",
        "31/01/2024",
        "24-01-31",
        "2024-01-31T",
        "2024-01-31 ",
        "2024-01-31T1:00",
        "2024-01-31T25:00",
        "2024-01-31T12:60",
        "2024-01-31T12:00:61",
        "2024-01-31T24:01",
        "2024-01-31T12:00:00.",
        "2024-01-31T12:00+2",
        "2024-01-31T12:00+24:00",
        "2024-01-31T12:00 x",
        "2024-01-31x",
        "-2024-01-31",
        "12:30",
        "2024-0a-01",
        "2024-01-31Z",
    };
    for (int64_t k = 0; k < SMR_COUNT(texts); k++) {
        double seconds;
        bool has_time;
        if (smr_date_parse(texts[k], (int64_t)strlen(texts[k]), &seconds, &has_time))
            fail_msg("'%s' was read as a date", texts[k]);
    }
}

/* The text need not end with a NUL: no byte past it is looked at. */
static void every_prefix_is_safe(void **state)
{
    (void)state;
    static const char text[] = "2024-02-29T12:34:56.250+02:00";
    for (size_t n = 0; n < sizeof text; n++) {
        char *copy = malloc(n ? n : 1);
        double seconds;
        bool has_time;
        memcpy(copy, text, n);
        bool got = smr_date_parse(copy, (int64_t)n, &seconds, &has_time);
        bool whole = n == 7 || n == 10 || n == 16 || n == 19 || n == 21 || n == 22 || n == 23 ||
                     n == 26 || n == 29;
        if (got != whole) fail_msg("prefix of %d bytes: %d", (int)n, got);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_become_seconds_since_1970),
        cmocka_unit_test(what_is_no_date_is_refused),
        cmocka_unit_test(every_prefix_is_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
