/* arff_date.c -- dates in the formats that ARFF files declare (Java's SimpleDateFormat).
 *
 * Letters: y year, M month, d day, H hour, m minute, s second, S the decimals of a second; text in
 * single quotes and other signs stand for themselves, '' for a quote.  All times are UTC. */
#include "data/arff.h"
#include "data/calendar.h"

#include <string.h>

struct moment {
    int64_t year, month, day, hour, minute, second;
    double fraction;
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

char smr_arff_date_unknown(const char *f)
{
    bool quoted = false;
    for (; *f; f++) {
        if (*f == '\'')
            quoted = !quoted;
        else if (!quoted && is_letter(*f) && !strchr("yMdHmsS", *f))
            return *f;
    }
    return 0;
}

/* Digits at *p, at least one and at most `most`. */
static bool take_digits(const char **p, const char *end, int most, int64_t *value, int *count)
{
    *value = 0;
    for (*count = 0; *p < end && *count < most && **p >= '0' && **p <= '9'; ++*count)
        *value = 10 * *value + (*(*p)++ - '0');
    return *count > 0;
}

/* A run of `n` equal letters; digits that touch other digits take exactly n. */
static bool take_field(char letter, int n, bool touches, const char **p, const char *end,
                       struct moment *m)
{
    static const double scale[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    int64_t value;
    int count;
    if (!take_digits(p, end, touches ? n : 9, &value, &count)) return false;
    switch (letter) {
    case 'y': m->year = n == 2 && count == 2 ? value + (value < 70 ? 2000 : 1900) : value; break;
    case 'M': m->month = value; break;
    case 'd': m->day = value; break;
    case 'H': m->hour = value; break;
    case 'm': m->minute = value; break;
    case 's': m->second = value; break;
    default: m->fraction = (double)value / scale[count];
    }
    return true;
}

static bool match(const char *f, const char **p, const char *end, struct moment *m)
{
    bool quoted = false;
    while (*f) {
        if (*f == '\'' && f[1] != '\'') {
            quoted = !quoted;
            f++;
            continue;
        }
        if (!quoted && is_letter(*f)) {
            int n = 1;
            while (f[n] == *f) n++;
            if (!take_field(*f, n, is_letter(f[n]), p, end, m)) return false;
            f += n;
            continue;
        }
        if (*f == '\'') f++; /* '' is one quote */
        if (*p == end || *(*p)++ != *f++) return false;
    }
    return *p == end;
}

bool smr_arff_date(const char *format, const char *text, int64_t n, double *seconds)
{
    static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    struct moment m = {.year = 1970, .month = 1, .day = 1};
    if (!match(format, &text, text + n, &m)) return false;
    if (m.month < 1 || m.month > 12 || m.day < 1 || m.day > days[m.month - 1] || m.hour > 23 ||
        m.minute > 59 || m.second > 59)
        return false;
    bool leap = m.year % 4 == 0 && (m.year % 100 != 0 || m.year % 400 == 0);
    if (m.month == 2 && m.day == 29 && !leap) return false;
    int64_t day = smr_days_from_date(m.year, (int)m.month, (int)m.day);
    *seconds = (double)(day * 86400 + m.hour * 3600 + m.minute * 60 + m.second) + m.fraction;
    return true;
}
