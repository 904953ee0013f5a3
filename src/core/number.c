/* number.c -- decimal text to doubles, exactly rounded.  See number.h; writing is number_format.c.
 *
 * A decimal is w * 10^q with w its digits.  Three ways, each exact where it is taken:
 *
 *   1. w <= 2^53 and |q| <= 22: both w and 10^|q| are doubles, so one multiplication or division
 *      rounds once (Clinger 1990).  Nearly every number in a table ends here.
 *   2. w < 2^64: w times the 128 leading bits of 10^q (Lemire 2021).  The product's error never
 *      reaches the rounding bit (Mushtak & Lemire 2023), and the only ties, -4 <= q <= 23, are seen
 *      in the product itself.
 *   3. More than 19 digits: the first 19 give w, and the number lies in [w, w+1) * 10^q.  If both
 *      ends round to one double, that is it; else they are neighbours and the whole text is
 *      compared with their middle (number_exact.c).
 *
 * Digits are read eight at a time: a word of text is checked, cut after its last digit and summed
 * in a register, so that runs of any length below eight cost the same and mispredict nothing.
 *
 * References: Clinger, PLDI 1990; Lemire, "Number parsing at a gigabyte per second", Software:
 * Practice and Experience 51(8), 2021; Mushtak & Lemire, "Fast number parsing without fallback",
 * Software: Practice and Experience 53(7), 2023. */
#include "core/number.h"

#include "core/number_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { WORD_DIGITS = 19 }; /* that always fit a uint64_t */

/* ---- digits ----------------------------------------------------------------------------- */

static uint64_t load_text(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* The number whose eight digits are the bytes of x, the lowest byte first. */
static uint64_t sum_of_eight(uint64_t x)
{
    const uint64_t mask = UINT64_C(0x000000FF000000FF);
    x = x * 10 + (x >> 8); /* pairs of digits in bytes 0, 2, 4, 6 */
    return ((x & mask) * UINT64_C(0x000F424000000064) +
            ((x >> 16) & mask) * UINT64_C(0x0000271000000001)) >>
           32;
}

static const uint64_t power_of_ten[] = {1,      10,      100,      1000,     10000,
                                        100000, 1000000, 10000000, 100000000};

/* Eight bytes of text with the digits as 0 .. 9. */
static uint64_t load_digits(const char *p)
{
    return load_text(p) ^ UINT64_C(0x3030303030303030);
}

/* The top bit of each byte above 9.  Right up to the first byte of 0x8A or more, whose carry may
 * spoil those after it; a point is not such a byte. */
static uint64_t not_digits(uint64_t x)
{
    return ((x + UINT64_C(0x7676767676767676)) | x) & UINT64_C(0x8080808080808080);
}

/* *w <- *w followed by the digits at p, modulo 2^64; returns the byte after them. */
static const char *read_digits(const char *p, const char *end, uint64_t *w)
{
    while (end - p >= 8) {
        uint64_t x = load_digits(p), others = not_digits(x);
        if (!others) {
            *w = *w * 100000000 + sum_of_eight(x);
            p += 8;
            continue;
        }
        int n = __builtin_ctzll(others) >> 3;
        if (!n) return p;
        *w = *w * power_of_ten[n] + sum_of_eight(x << (64 - 8 * n));
        return p + n;
    }
    for (; p < end && (unsigned)(*p - '0') < 10; p++) *w = *w * 10 + (uint64_t)(*p - '0');
    return p;
}

/* The number at p when it has up to 15 digits with a point in the first eight bytes, or up to 7
 * digits without one, and 16 bytes of text follow: w, and *q <- minus the digits after the point.
 * Returns the byte after it, or NULL when it has another form.
 *
 * Nearly all numbers of tables are read here.  Few steps lie between p and the end of the number,
 * for which reading the next one waits. */
static const char *read_short(const char *p, uint64_t *w, int64_t *q)
{
    uint64_t x = load_digits(p), others = not_digits(x);
    if (!others || others & 0x80) return NULL;
    int before = __builtin_ctzll(others) >> 3; /* digits before the point: 1 .. 7 */
    if (p[before] != '.') {
        *w = sum_of_eight(x << (64 - 8 * before));
        return p + before;
    }
    uint64_t low = (UINT64_C(1) << 8 * before) - 1, rest = others & (others - 1);
    uint64_t joined = (x & low) | (x >> 8 & ~low); /* the point taken out: 7 bytes */
    if (rest) {
        int length = __builtin_ctzll(rest) >> 3;
        *w = sum_of_eight(joined << (72 - 8 * length));
        *q = before + 1 - length;
        return p + length;
    }
    uint64_t y = load_digits(p + 8), others_y = not_digits(y);
    if (!others_y) return NULL;
    int more = __builtin_ctzll(others_y) >> 3; /* digits in the second word: 0 .. 7 */
    if (more == 0) {
        *w = sum_of_eight(joined << 8);
    } else {
        uint64_t tail = more > 1 ? sum_of_eight(y >> 8 << (72 - 8 * more)) : 0;
        *w = sum_of_eight(joined | y << 56) * power_of_ten[more - 1] + tail;
    }
    *q = before + 1 - 8 - more;
    return p + 8 + more;
}

/* Digits of any number, perhaps with a point: w modulo 2^64. */
static const char *read_any(const char *first, const char *end, uint64_t *w, int64_t *q,
                            int64_t *n_digits)
{
    const char *p = read_digits(first, end, w);
    *n_digits = p - first;
    if (p == end || *p != '.') return p;
    const char *point = p++;
    p = read_digits(p, end, w);
    *q = point + 1 - p;
    *n_digits -= *q;
    return p;
}

/* Adds the exponent at p ("e-12") to *exponent; what is not an exponent is left unread. */
static const char *read_exponent(const char *p, const char *end, int64_t *exponent)
{
    const int64_t ample = INT64_C(100000000000000000); /* more digits than memory has bytes */
    const char *q = p + 1;
    bool negative = q < end && *q == '-';
    if (q < end && (*q == '-' || *q == '+')) q++;
    if (q == end || (unsigned)(*q - '0') > 9) return p;
    int64_t e = 0;
    for (; q < end && (unsigned)(*q - '0') < 10; q++)
        if (e < ample) e = 10 * e + (*q - '0');
    *exponent += negative ? -e : e;
    return q;
}

/* ---- rounding --------------------------------------------------------------------------- */

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The 128 leading bits of w * 10^q, w normalised; the low word only as far as it can matter. */
static smr_u128 product_with_power(uint64_t w, int q)
{
    const uint64_t *power = smr_powers_of_ten[q - SMR_POWER_LEAST];
    const uint64_t undecided = UINT64_MAX >> 55; /* bits below the 53 + 2 that rounding reads */
    smr_u128 product = (smr_u128)w * power[0];
    if (((uint64_t)(product >> 64) & undecided) == undecided)
        product += (smr_u128)w * power[1] >> 64;
    return product;
}

/* The double nearest to w * 10^q. */
static double round_product(uint64_t w, int64_t q)
{
    if (w == 0 || q < SMR_POWER_LEAST)
        return 0; /* 2^64 * 10^-343 is below half of the least double */
    if (q > 308) return INFINITY;

    int zeros = __builtin_clzll(w);
    smr_u128 product = product_with_power(w << zeros, (int)q);
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    int top = (int)(high >> 63);
    uint64_t m = high >> (top + 9); /* 54 bits: the mantissa and the bit that rounds it */
    int biased = smr_log2_of_power((int)q) + 63 + top - zeros + 1023;

    if (biased <= 0) { /* subnormal; no ties here, their 5^-q does not divide w */
        if (biased <= -63) return 0;
        m >>= 1 - biased;
        m = (m + (m & 1)) >> 1;
        return from_bits(m); /* a carry into bit 52 is the exponent of the least normal number */
    }
    /* An exact tie goes to even: round down when the mantissa's last bit is 0. */
    if (low <= 1 && q >= -4 && q <= 23 && (m & 3) == 1 && m << (top + 9) == high) m &= ~UINT64_C(1);
    m = (m + (m & 1)) >> 1;
    if (m >> 53) {
        m >>= 1;
        biased++;
    }
    if (biased >= 0x7FF) return INFINITY;
    return from_bits((uint64_t)biased << 52 | (m & ((UINT64_C(1) << 52) - 1)));
}

static double round_short(uint64_t w, int64_t q)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (FLT_EVAL_METHOD == 0 && w <= UINT64_C(1) << 53 && q >= -22 && q <= 22)
        return q < 0 ? (double)w / power[-q] : (double)w * power[q];
    return round_product(w, q);
}

/* The digits of [first, last), perhaps with a point among them, times 10^q. */
static double round_long(const char *first, const char *last, int64_t q)
{
    while (first < last && (*first == '0' || *first == '.')) first++;
    const char *p = first;
    uint64_t w = 0;
    for (int n = 0; p < last && n < WORD_DIGITS; p++) {
        if (*p == '.') continue;
        w = 10 * w + (uint64_t)(*p - '0');
        n++;
    }
    int64_t dropped = last - p;
    if (dropped && memchr(p, '.', (size_t)dropped)) dropped--;

    double low = round_product(w, q + dropped);
    if (!dropped) return low;
    double high = round_product(w + 1, q + dropped);
    if (low == high) return low;

    uint64_t bits;
    memcpy(&bits, &low, sizeof bits);
    uint64_t middle = 2 * smr_mantissa(bits) + 1;
    int order = smr_compare_exactly(first, last, q, middle, smr_exponent(bits) - 1);
    return order > 0 || (order == 0 && bits & 1) ? high : low;
}

/* ---- the calls -------------------------------------------------------------------------- */

/* True when [p, end) begins with the lower-case letters of `word`, in any case. */
static bool begins_with(const char *p, const char *end, const char *word)
{
    for (; *word; word++, p++)
        if (p == end || (*p | 0x20) != *word) return false;
    return true;
}

static const char *parse_word(const char *p, const char *end, bool negative, double *value)
{
    if (begins_with(p, end, "nan")) {
        *value = NAN;
        return p + 3;
    }
    if (!begins_with(p, end, "inf")) return NULL;
    *value = negative ? -INFINITY : INFINITY;
    return p + (begins_with(p, end, "infinity") ? 8 : 3);
}

const char *smr_parse_double(const char *text, const char *end, double *value)
{
    if (text >= end) return NULL;
    bool negative = *text == '-';
    const char *first =
        text + (negative | (*text == '+')); /* signs are random: no branch on them */
    uint64_t w = 0;
    int64_t n_digits = 1, q = 0; /* n_digits matters where it is above WORD_DIGITS, or 0 */
    const char *p = end - first >= 16 ? read_short(first, &w, &q) : NULL;
    if (!p) p = read_any(first, end, &w, &q, &n_digits);
    if (!n_digits) return parse_word(first, end, negative, value);

    const char *last = p;
    if (p < end && (*p | 0x20) == 'e') p = read_exponent(p, end, &q);
    double x = n_digits <= WORD_DIGITS ? round_short(w, q) : round_long(first, last, q);
    *value = x * (1 - 2 * (double)negative);
    return p;
}

const char *smr_parse_int(const char *text, const char *end, int64_t *value)
{
    const char *p = text;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;

    const char *first = p;
    uint64_t w = 0, most = (uint64_t)INT64_MAX + negative;
    for (; p < end && (unsigned)(*p - '0') < 10; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (w > (most - digit) / 10) return NULL;
        w = 10 * w + digit;
    }
    if (p == first) return NULL;
    *value = negative ? (int64_t)(0 - w) : (int64_t)w;
    return p;
}

bool smr_is_round_number(int64_t n)
{
    static const int64_t shown[] = {1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70};
    while (n > 70 && n % 10 == 0) n /= 10;
    for (int64_t k = 0; k < (int64_t)(sizeof shown / sizeof *shown); k++)
        if (n == shown[k]) return true;
    return false;
}
