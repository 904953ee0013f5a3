/* draw_axis.c -- ranges, places and ticks of one axis.
 *
 * Ticks are whole multiples of 1, 2 or 5 times a power of ten; their text is made from the
 * multiple and the exponent, never from the rounded double, so it is exact. */
#include "core/number.h"
#include "kernel/kernel.h"
#include "report/draw_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double LN10 = 2.302585092994046;
/* A range narrower than this share of its ends has no ticks that differ. */
static const double NARROWEST = 1e-11;

/* 10^e, the nearest double; e from -323 to 308. */
static double power_of_ten(int e)
{
    char text[16] = "1e";
    int n = 2;
    double value = 0;
    if (e < 0) text[n++] = '-';
    int digits = e < 0 ? -e : e;
    if (digits >= 100) text[n++] = (char)('0' + digits / 100);
    if (digits >= 10) text[n++] = (char)('0' + digits / 10 % 10);
    text[n++] = (char)('0' + digits % 10);
    smr_parse_double(text, text + n, &value);
    return value;
}

/* The largest e with 10^e <= x, for 0 < x < inf. */
static int exponent_of(double x)
{
    int e = (int)floor(smr_log(x) / LN10);
    e = SMR_MAX(-323, SMR_MIN(308, e));
    if (e < 308 && power_of_ten(e + 1) <= x) e++;
    if (e > -323 && power_of_ten(e) > x) e--;
    return e;
}

/* ---- text ------------------------------------------------------------------------------- */

struct writer {
    char *out;
    int n;
};

static void put(struct writer *w, const char *text)
{
    for (; *text && w->n < TICK_TEXT - 1; text++) w->out[w->n++] = *text;
    w->out[w->n] = '\0';
}

static void put_char(struct writer *w, char c)
{
    char text[2] = {c, '\0'};
    put(w, text);
}

static void put_power(struct writer *w, int e)
{
    static const char *const raised[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    put(w, "10");
    if (e < 0) put(w, "\u207b");
    int digits = e < 0 ? -e : e;
    if (digits >= 100) put(w, raised[digits / 100]);
    if (digits >= 10) put(w, raised[digits / 10 % 10]);
    put(w, raised[digits % 10]);
}

/* Digits with commas between thousands, from five digits on. */
static void put_grouped(struct writer *w, const char *digits, int n)
{
    for (int i = 0; i < n; i++) {
        if (i > 0 && n > 4 && (n - i) % 3 == 0) put_char(w, ',');
        put_char(w, digits[i]);
    }
}

/* k 10^e for a whole k, with -e decimals where there are some. */
static void put_decimal(struct writer *w, double k, int e)
{
    char digits[SMR_NUMBER_MAX + 24] = "";
    int n = smr_format_double(fabs(k), digits);
    if (k < 0) put(w, "\u2212");
    for (; e > 0; e--) digits[n++] = '0';
    if (e == 0) {
        put_grouped(w, digits, n);
        return;
    }
    int whole = n + e;
    if (whole > 0)
        put_grouped(w, digits, whole);
    else
        put_char(w, '0');
    put_char(w, '.');
    for (int i = whole; i < 0; i++) put_char(w, '0');
    for (int i = SMR_MAX(whole, 0); i < n; i++) put_char(w, digits[i]);
}

/* k 10^e as m.mm x 10^p. */
static void put_scientific(struct writer *w, double k, int e)
{
    char digits[SMR_NUMBER_MAX] = "";
    int n = smr_format_double(fabs(k), digits);
    int power = e + n - 1;
    while (n > 1 && digits[n - 1] == '0') n--;
    if (k < 0) put(w, "\u2212");
    if (n > 1 || digits[0] != '1') {
        put_char(w, digits[0]);
        if (n > 1) put_char(w, '.');
        for (int i = 1; i < n; i++) put_char(w, digits[i]);
        put(w, "\u00d7");
    }
    put_power(w, power);
}

/* k 10^e, |k| < 2^53, in the form that suits an axis whose largest number is `largest`. */
static void put_number(struct writer *w, double k, int e, double largest)
{
    if (k == 0)
        put(w, "0");
    else if (largest < 1e9 && e >= -5 && (largest < 1e6 || e < 3))
        put_decimal(w, k, e);
    else if (largest < 1e9 && e >= 3) {
        for (; e > 6; e--) k *= 10;
        put_decimal(w, k, e - 6);
        put(w, "M");
    } else
        put_scientific(w, k, e);
}

void smr_plot_number(double x, char out[TICK_TEXT])
{
    struct writer w = {out, 0};
    out[0] = '\0';
    if (!isfinite(x)) {
        put(&w, isnan(x) ? "-" : x > 0 ? "inf" : "\u2212inf");
        return;
    }
    if (x == 0 || (x == floor(x) && fabs(x) < 1e9) || (fabs(x) >= 1000 && fabs(x) < 1e7)) {
        put_decimal(&w, nearbyint(x), 0);
        return;
    }
    enum { DIGITS = 4 };
    int e = exponent_of(fabs(x)) - DIGITS + 1;
    double k = e > -300 ? x / power_of_ten(e) : x * 1e300 * power_of_ten(-e - 300);
    k = nearbyint(k);
    while (k != 0 && fmod(k, 10) == 0) {
        k /= 10;
        e++;
    }
    if (e >= -7 && fabs(x) < 1e7)
        put_decimal(&w, k, e);
    else
        put_scientific(&w, k, e);
}

void smr_plot_fixed(double x, int decimals, char out[TICK_TEXT])
{
    struct writer w = {out, 0};
    out[0] = '\0';
    double k = x;
    for (int i = 0; i < decimals; i++) k *= 10;
    k = nearbyint(k);
    if (k == 0 && decimals > 0) {
        put(&w, "0.");
        for (int i = 0; i < decimals; i++) put_char(&w, '0');
    } else {
        put_decimal(&w, k, -decimals);
    }
}

/* ---- ranges ----------------------------------------------------------------------------- */

struct step {
    double m; /* 1, 2 or 5 */
    int e;
    double size;
};

/* The smallest step with at most `most` intervals in the range. */
static struct step nice_step(double range, int most, bool whole)
{
    double raw = range / most;
    struct step s = {1, -323, 0};
    if (raw > power_of_ten(-323)) s.e = exponent_of(raw);
    double unit = power_of_ten(s.e), ratio = raw / unit;
    s.m = ratio <= 1.000001 ? 1 : ratio <= 2.000001 ? 2 : ratio <= 5.000001 ? 5 : 10;
    if (s.m > 5) {
        s.m = 1;
        s.e = SMR_MIN(308, s.e + 1);
    }
    if (whole && s.e < 0) s = (struct step){1, 0, 1};
    s.size = s.m * power_of_ten(s.e);
    return s;
}

static void fit_linear(struct plot_axis *a, double lo, double hi)
{
    const double most = 8e307; /* so that to - from is finite */
    lo = smr_fmax(-most, smr_fmin(most, lo));
    hi = smr_fmax(-most, smr_fmin(most, hi));
    double size = smr_fmax(fabs(lo), fabs(hi));
    if (hi - lo <= NARROWEST * size || hi - lo < 1e-300) {
        double half = size > 1e-290 ? 0.05 * size : 0;
        if (a->whole && half > 0) half = smr_fmax(half, 1);
        lo -= half;
        hi += half > 0 ? half : 1;
    }
    struct step s = nice_step(hi - lo, 5, a->whole);
    a->from = s.size * floor(lo / s.size + 1e-9);
    a->to = s.size * ceil(hi / s.size - 1e-9);
    if (!isfinite(a->from)) a->from = lo;
    if (!isfinite(a->to)) a->to = hi;
}

/* The largest of 1, 2, 5 times a power of ten at or below x; `up`: the smallest at or above. */
static double round_125(double x, bool up)
{
    static const double m[] = {1, 2, 5};
    int e = exponent_of(x);
    double unit = power_of_ten(e), best = unit;
    for (int i = 0; i < 3; i++) {
        if (up && m[i] * unit >= x * (1 - 1e-12)) return m[i] * unit;
        if (!up && m[i] * unit <= x * (1 + 1e-12)) best = m[i] * unit;
    }
    if (!up) return best;
    return e < 308 ? power_of_ten(e + 1) : DBL_MAX;
}

static void fit_log(struct plot_axis *a, double lo, double hi)
{
    lo = smr_fmax(lo, 1e-307);
    hi = smr_fmax(hi, lo);
    if (hi / lo < 1.0000001) {
        lo /= 2;
        hi = smr_fmin(hi * 2, DBL_MAX);
    }
    a->from = round_125(lo, false);
    a->to = round_125(hi, true);
}

void smr_axis_fit(struct plot_axis *a, double lo, double hi)
{
    if (a->scale == SCALE_NAMES) {
        a->from = -0.5;
        a->to = (double)SMR_MAX(a->n_names, 1) - 0.5;
        return;
    }
    bool log = a->scale == SCALE_LOG;
    double min = a->min, max = a->max;
    if (log && !(min > 0)) min = NAN;
    if (log && !(max > 0)) max = NAN;
    if (min >= max || max - min <= NARROWEST * smr_fmax(fabs(min), fabs(max))) min = max = NAN;
    if (!(lo <= hi)) { /* no data: the range asked for, or any */
        lo = !isnan(min)   ? min
             : !isnan(max) ? smr_fmin(max, log ? max / 10 : max - 1)
             : log         ? 1
                           : 0;
        hi = !isnan(max) ? max : log ? smr_fmin(lo * 10, DBL_MAX) : lo + 1;
    }
    if (!isnan(min)) lo = min;
    if (!isnan(max)) hi = max;
    if (lo > hi) lo = hi = isnan(min) ? hi : lo;
    if (log)
        fit_log(a, lo, hi);
    else
        fit_linear(a, lo, hi);
    /* an end that was asked for is kept as it is */
    if (!isnan(min) && min < a->to && (log || fabs(min) <= 8e307)) a->from = min;
    if (!isnan(max) && max > a->from && (log || fabs(max) <= 8e307)) a->to = max;
    a->lfrom = log ? smr_log(a->from) : 0;
    a->lto = log ? smr_log(a->to) : 1;
}

double smr_axis_place(const struct plot_axis *a, double v)
{
    if (isnan(v)) return NAN;
    if (a->scale != SCALE_LOG) {
        v = smr_fmax(-8e307, smr_fmin(8e307, v));
        return (v - a->from) / (a->to - a->from);
    }
    if (!(v > 0)) return NAN;
    return (smr_log(smr_fmin(v, DBL_MAX)) - a->lfrom) / (a->lto - a->lfrom);
}

/* ---- ticks ------------------------------------------------------------------------------ */

static void add_tick(const struct plot_axis *a, double value, bool minor, struct plot_ticks *out)
{
    double place = smr_axis_place(a, value);
    if (out->n == MOST_TICKS || !(place > -1e-9 && place < 1 + 1e-9)) return;
    struct plot_tick *t = &out->at[out->n++];
    *t = (struct plot_tick){.place = smr_fmax(0, smr_fmin(1, place)), .minor = minor};
}

/* The text of the tick that was added last: k 10^e. */
static void name_tick(struct plot_ticks *ticks, double k, int e, double largest)
{
    struct plot_tick *t = &ticks->at[ticks->n - 1];
    struct writer w = {t->text, 0};
    put_number(&w, k, e, largest);
}

static void linear_ticks(const struct plot_axis *a, int most, struct plot_ticks *out)
{
    struct step s = nice_step(a->to - a->from, SMR_MAX(1, most), a->whole);
    double largest = smr_fmax(fabs(a->from), fabs(a->to));
    double k = ceil(a->from / s.size - 1e-9), last = floor(a->to / s.size + 1e-9);
    for (; k <= last && out->n < MOST_TICKS; k++) {
        int64_t before = out->n;
        double value = s.e < 0 && s.e > -300 ? k * s.m / power_of_ten(-s.e) : k * s.size;
        add_tick(a, value, false, out);
        if (out->n > before) name_tick(out, k * s.m, s.e, largest);
    }
}

/* Decades, every stride-th with text; with fine, 2 and 5 in between have text too. */
static void log_ticks(const struct plot_axis *a, int most, struct plot_ticks *out)
{
    int low = exponent_of(a->from), high = exponent_of(a->to);
    double decades = (a->lto - a->lfrom) / LN10;
    int stride = 1;
    while (decades / stride > most) stride++;
    bool fine = decades * 3 <= most + 1, plain = low >= -4 && high <= 5;
    for (int e = low; e <= high; e++) {
        for (int m = 1; m <= 9 && (m == 1 || (stride == 1 && decades <= 8)); m++) {
            bool named = m == 1 ? (e % stride) == 0 : fine && (m == 2 || m == 5);
            int64_t before = out->n;
            if (m > 1 && e == 308) break;
            if (m == 1 && !named && decades > 40) continue;
            add_tick(a, m * power_of_ten(e), !named, out);
            if (out->n > before && named) name_tick(out, m, e, plain ? 1 : 1e300);
        }
    }
}

static int64_t named_ticks(const struct plot_ticks *ticks)
{
    int64_t n = 0;
    for (int64_t i = 0; i < ticks->n; i++) n += !ticks->at[i].minor;
    return n;
}

static void name_ticks(const struct plot_axis *a, int most, struct plot_ticks *out)
{
    int64_t n = SMR_MAX(a->n_names, 1), stride = 1;
    most = SMR_MIN(most, MOST_TICKS);
    while ((n + stride - 1) / stride > SMR_MAX(most, 1)) stride++;
    for (int64_t i = 0; i < n; i += stride) {
        int64_t before = out->n;
        add_tick(a, (double)i, false, out);
        if (out->n == before) continue;
        name_tick(out, (double)i, 0, (double)n);
        out->at[before].words = a->names ? a->names[i] : smr_words_of(out->at[before].text);
    }
}

void smr_axis_ticks(const struct plot_axis *a, int most, struct plot_ticks *out)
{
    out->n = 0;
    if (a->scale == SCALE_NAMES) {
        name_ticks(a, most, out);
        return;
    }
    if (a->scale == SCALE_LOG) log_ticks(a, most, out);
    bool narrow = a->lto - a->lfrom < 3 && named_ticks(out) < 3;
    if (a->scale == SCALE_LINEAR || narrow) {
        out->n = 0;
        linear_ticks(a, most, out);
    }
    for (int64_t i = 0; i < out->n; i++) out->at[i].words = smr_words_of(out->at[i].text);
}
