/* calendar.c -- see calendar.h.
 *
 * Years are counted from March, so that the leap day is the last of its year; 400 years have
 * 146097 days, and the days before month m (0 = March) are (153 m + 2) / 5. */
#include "data/calendar.h"

#include <math.h>

enum { DAYS_400 = 146097, EPOCH = 719468 }; /* EPOCH: days from 0000-03-01 to 1970-01-01 */
static const double DAY_SECONDS = 86400, LAST_HOUR = 0x1.7ffffffffffffp4; /* just below 24 */

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

int64_t smr_days_from_date(int64_t year, int month, int day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t era = floor_div(y, 400), of_era = y - era * 400;
    int64_t m = (month + 9) % 12;
    int64_t of_year = (153 * m + 2) / 5 + day - 1;
    return era * DAYS_400 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - EPOCH;
}

void smr_date_from_days(int64_t days, int64_t *year, int *month, int *day)
{
    int64_t z = days + EPOCH, era = floor_div(z, DAYS_400), of_era = z - era * DAYS_400;
    int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * y + y / 4 - y / 100);
    int64_t m = (5 * of_year + 2) / 153;
    *day = (int)(of_year - (153 * m + 2) / 5 + 1);
    *month = (int)(m < 10 ? m + 3 : m - 9);
    *year = y + era * 400 + (*month <= 2);
}

double smr_date_part(double seconds, smr_part part)
{
    if (isnan(seconds) || part == SMR_PART_WHOLE) return seconds;
    if (part == SMR_PART_DAYS) return seconds / DAY_SECONDS;
    double of_day = fmod(seconds, DAY_SECONDS); /* exact: a quotient could round to the next day */
    if (of_day < 0) of_day += DAY_SECONDS;
    if (part == SMR_PART_HOUR)
        return of_day / 3600 < 24 || isnan(of_day) ? of_day / 3600 : LAST_HOUR;
    double whole = (seconds - of_day) / DAY_SECONDS;
    if (!(fabs(whole) < 1e12)) return NAN;
    int64_t days = (int64_t)whole, year;
    int month, day;
    smr_date_from_days(days, &year, &month, &day);
    if (part == SMR_PART_YEAR) return (double)year;
    if (part == SMR_PART_MONTH) return month;
    if (part == SMR_PART_DAY) return day;
    return (double)(((days + 3) % 7 + 7) % 7 + 1); /* 1970-01-01 was a Thursday */
}

const char *smr_part_name(smr_part part)
{
    static const char *const names[] = {"", "days", "year", "month", "day", "weekday", "hour"};
    return names[part];
}
