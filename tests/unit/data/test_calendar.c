/* test_calendar.c -- days, dates and their parts, against a calendar that counts day by day. */
#include "check.h"

#include "data/calendar.h"

static bool is_leap(int64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* The day after, by the lengths of the months: the independent truth of this file. */
static void step(int64_t *year, int *month, int *day)
{
    static const int length[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int last = length[*month - 1] + (*month == 2 && is_leap(*year));
    if (++*day <= last) return;
    *day = 1;
    if (++*month <= 12) return;
    *month = 1;
    ++*year;
}

/* Python 3.11: (date(y, m, d) - date(1970, 1, 1)).days and .isoweekday(). */
static void known_dates_have_their_days_and_weekdays(void **state)
{
    static const struct {
        int64_t year;
        int month, day;
        int64_t days;
        int weekday;
    } known[] = {
        {1970, 1, 1, 0, 4},         {1969, 12, 31, -1, 3},   {2000, 2, 29, 11016, 2},
        {1900, 2, 28, -25509, 3},   {1900, 3, 1, -25508, 4}, {1, 1, 1, -719162, 1},
        {9999, 12, 31, 2932896, 5}, {2024, 2, 29, 19782, 4}, {2026, 11, 15, 20772, 7},
        {1600, 2, 29, -135081, 2},  {2100, 3, 1, 47541, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int64_t year;
        int month, day;
        assert_int_equal(smr_days_from_date(known[i].year, known[i].month, known[i].day),
                         known[i].days);
        smr_date_from_days(known[i].days, &year, &month, &day);
        assert_int_equal(year, known[i].year);
        assert_int_equal(month, known[i].month);
        assert_int_equal(day, known[i].day);
        assert_int_equal(smr_date_part((double)known[i].days * 86400, SMR_PART_WEEKDAY),
                         known[i].weekday);
    }
}

static void check_years(int64_t year, int64_t n_days, int64_t first)
{
    int month = 1, day = 1;
    for (int64_t i = 0; i < n_days; i++, step(&year, &month, &day)) {
        int64_t y, days = first + i;
        int m, d;
        if (smr_days_from_date(year, month, day) != days)
            fail_msg("%lld-%d-%d is day %lld, wanted %lld", (long long)year, month, day,
                     (long long)smr_days_from_date(year, month, day), (long long)days);
        smr_date_from_days(days, &y, &m, &d);
        if (y != year || m != month || d != day)
            fail_msg("day %lld is %lld-%d-%d, wanted %lld-%d-%d", (long long)days, (long long)y, m,
                     d, (long long)year, month, day);
    }
    assert_int_equal(month, 1);
    assert_int_equal(day, 1);
}

static void four_hundred_years_round_trip_day_by_day(void **state)
{
    (void)state;
    check_years(1700, 146097, -98615); /* 1700-01-01 .. 2099-12-31 */
}

/* The calendar repeats after 400 years, also before year 0 and far ahead. */
static void negative_years_and_the_far_future_count_alike(void **state)
{
    (void)state;
    assert_int_equal(smr_days_from_date(0, 1, 1), -719528);
    assert_int_equal(smr_days_from_date(-1, 12, 31), -719529);
    check_years(-400, 146097, -719528 - 146097);
    check_years(1700 - 400 * 2500, 146097, -98615 - INT64_C(146097) * 2500);
    check_years(1700 + 400 * 2500, 146097, -98615 + INT64_C(146097) * 2500);
}

static void parts_show_year_month_day_and_hour(void **state)
{
    double noon = 11016 * 86400.0 + 12 * 3600 + 45 * 60; /* 2000-02-29 12:45 */
    (void)state;
    assert_true(smr_date_part(noon, SMR_PART_WHOLE) == noon);
    check_near("days", smr_date_part(noon, SMR_PART_DAYS), 11016 + 12.75 / 24, 1e-15);
    assert_true(smr_date_part(noon, SMR_PART_YEAR) == 2000);
    assert_true(smr_date_part(noon, SMR_PART_MONTH) == 2);
    assert_true(smr_date_part(noon, SMR_PART_DAY) == 29);
    assert_true(smr_date_part(noon, SMR_PART_WEEKDAY) == 2);
    assert_true(smr_date_part(noon, SMR_PART_HOUR) == 12.75);
}

static void moments_before_1970_belong_to_their_own_day(void **state)
{
    double t = -1.5 * 3600; /* 1969-12-31 22:30 */
    (void)state;
    assert_true(smr_date_part(t, SMR_PART_YEAR) == 1969);
    assert_true(smr_date_part(t, SMR_PART_MONTH) == 12);
    assert_true(smr_date_part(t, SMR_PART_DAY) == 31);
    assert_true(smr_date_part(t, SMR_PART_WEEKDAY) == 3);
    assert_true(smr_date_part(t, SMR_PART_HOUR) == 22.5);
}

static void weekdays_follow_each_other(void **state)
{
    (void)state;
    for (int64_t day = -800000, weekday = 0; day < 800000; day++) {
        double got = smr_date_part((double)day * 86400 + 43200, SMR_PART_WEEKDAY);
        if (day > -800000) assert_int_equal(got, weekday % 7 + 1);
        weekday = (int64_t)got;
    }
}

/* The last moment of a day that a double can hold is still of that day: hour in [0, 24). */
static void the_last_moment_of_a_day_is_not_the_next_day(void **state)
{
    static const int64_t days[] = {-1, 0, 1, 7, 11015, 19782, -25509, 2932896};
    (void)state;
    for (size_t k = 0; k < sizeof days / sizeof *days; k++) {
        double midnight = (double)(days[k] + 1) * 86400;
        double last = nextafter(midnight, -INFINITY);
        double hour = smr_date_part(last, SMR_PART_HOUR);
        double next = smr_date_part(midnight, SMR_PART_DAY);
        if (!(hour >= 0 && hour < 24))
            fail_msg("the hour before day %d is %.17g", (int)days[k] + 1, hour);
        assert_true(smr_date_part(last, SMR_PART_DAY) != next);
        assert_true(smr_date_part(midnight, SMR_PART_HOUR) == 0);
    }
}

static void what_is_no_moment_has_no_parts(void **state)
{
    static const smr_part parts[] = {SMR_PART_DAYS, SMR_PART_YEAR,    SMR_PART_MONTH,
                                     SMR_PART_DAY,  SMR_PART_WEEKDAY, SMR_PART_HOUR};
    (void)state;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        assert_true(isnan(smr_date_part(NAN, parts[k])));
    for (size_t k = 1; k < sizeof parts / sizeof *parts; k++) {
        assert_true(isnan(smr_date_part(INFINITY, parts[k])));
        assert_true(isnan(smr_date_part(-INFINITY, parts[k])));
    }
    assert_true(isnan(smr_date_part(1e300, SMR_PART_YEAR)));
}

static void parts_have_names(void **state)
{
    (void)state;
    assert_string_equal(smr_part_name(SMR_PART_WHOLE), "");
    assert_string_equal(smr_part_name(SMR_PART_DAYS), "days");
    assert_string_equal(smr_part_name(SMR_PART_YEAR), "year");
    assert_string_equal(smr_part_name(SMR_PART_MONTH), "month");
    assert_string_equal(smr_part_name(SMR_PART_DAY), "day");
    assert_string_equal(smr_part_name(SMR_PART_WEEKDAY), "weekday");
    assert_string_equal(smr_part_name(SMR_PART_HOUR), "hour");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_dates_have_their_days_and_weekdays),
        cmocka_unit_test(four_hundred_years_round_trip_day_by_day),
        cmocka_unit_test(negative_years_and_the_far_future_count_alike),
        cmocka_unit_test(parts_show_year_month_day_and_hour),
        cmocka_unit_test(moments_before_1970_belong_to_their_own_day),
        cmocka_unit_test(weekdays_follow_each_other),
        cmocka_unit_test(the_last_moment_of_a_day_is_not_the_next_day),
        cmocka_unit_test(what_is_no_moment_has_no_parts),
        cmocka_unit_test(parts_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
