/* date.c -- see date.h. */
#include "data/date.h"

#include "core/ctx.h"
#include "data/calendar.h"

enum { DAY_SECONDS = 86400, FRACTION_DIGITS = 15 };

/* What is left of the text; every reader below advances `at` only when it succeeds. */
struct cursor {
    const char *at, *end;
};

/* Exactly n digits. */
static bool read_digits(struct cursor *c, int n, int *value)
{
    if (c->end - c->at < n) return false;
    int v = 0;
    for (int i = 0; i < n; i++) {
        if (c->at[i] < '0' || c->at[i] > '9') return false;
        v = 10 * v + (c->at[i] - '0');
    }
    c->at += n;
    *value = v;
    return true;
}

static bool read_char(struct cursor *c, char wanted)
{
    if (c->at == c->end || *c->at != wanted) return false;
    c->at++;
    return true;
}

static int days_of_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

/* YYYY-MM-DD, YYYY/MM/DD or YYYY-MM. */
static bool read_day(struct cursor *c, int64_t *days, bool *whole_month)
{
    int year, month, day = 1;
    if (!read_digits(c, 4, &year) || year < 1 || c->at == c->end) return false;
    char mark = *c->at;
    if ((mark != '-' && mark != '/') || !read_char(c, mark)) return false;
    if (!read_digits(c, 2, &month) || month < 1 || month > 12) return false;
    *whole_month = c->at == c->end && mark == '-';
    if (!*whole_month) {
        if (!read_char(c, mark) || !read_digits(c, 2, &day)) return false;
        if (day < 1 || day > days_of_month(year, month)) return false;
    }
    *days = smr_days_from_date(year, month, day);
    return true;
}

/* Digits after a point or comma, at least one; those that a double cannot show are passed over. */
static bool read_fraction(struct cursor *c, double *fraction)
{
    double digits = 0, scale = 1;
    const char *first = c->at;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
        if (c->at - first < FRACTION_DIGITS) {
            digits = 10 * digits + (*c->at - '0');
            scale *= 10;
        }
    *fraction = digits / scale;
    return c->at > first;
}

/* HH:MM, HH:MM:SS, HH:MM:SS.fff; 24:00:00 ends a day, and :60 is a leap second. */
static bool read_time(struct cursor *c, int64_t *seconds, double *fraction)
{
    int hour, minute, second = 0;
    *fraction = 0;
    if (!read_digits(c, 2, &hour) || !read_char(c, ':') || !read_digits(c, 2, &minute))
        return false;
    if (read_char(c, ':')) {
        if (!read_digits(c, 2, &second)) return false;
        if ((read_char(c, '.') || read_char(c, ',')) && !read_fraction(c, fraction)) return false;
    }
    if (hour > 24 || minute > 59 || second > 60) return false;
    if (hour == 24 && (minute > 0 || second > 0 || *fraction > 0)) return false;
    *seconds = 3600 * (int64_t)hour + 60 * minute + second;
    return true;
}

/* Z, +HH:MM, +HHMM or +HH, or nothing: seconds that the clock is ahead of UTC. */
static bool read_zone(struct cursor *c, int64_t *ahead)
{
    *ahead = 0;
    if (c->at == c->end || read_char(c, 'Z') || read_char(c, 'z')) return true;
    int hour, minute = 0, sign = *c->at == '-' ? -1 : 1;
    if (!read_char(c, '+') && !read_char(c, '-')) return false;
    if (!read_digits(c, 2, &hour)) return false;
    if (c->at < c->end) {
        (void)read_char(c, ':');
        if (!read_digits(c, 2, &minute)) return false;
    }
    if (hour > 23 || minute > 59) return false;
    *ahead = sign * (3600 * (int64_t)hour + 60 * minute);
    return true;
}

bool smr_date_parse(const char *text, int64_t n, double *seconds, bool *has_time)
{
    struct cursor c = {text, text + n};
    int64_t days, of_day = 0, ahead = 0;
    double fraction = 0;
    bool whole_month;
    if (n < 7 || !read_day(&c, &days, &whole_month)) return false;
    *has_time = c.at < c.end;
    if (*has_time) {
        if (!read_char(&c, 'T') && !read_char(&c, 't') && !read_char(&c, ' ')) return false;
        if (!read_time(&c, &of_day, &fraction) || !read_zone(&c, &ahead)) return false;
    }
    if (c.at != c.end) return false;
    *seconds = (double)(days * DAY_SECONDS + of_day - ahead) + fraction;
    return true;
}
