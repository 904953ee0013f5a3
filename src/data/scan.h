/* scan.h -- numbers out of text that lies in memory, as fast as the text can be loaded.
 *
 * Eight bytes are looked at together.  With x the bytes, the byte of index k in bits 8k..8k+7:
 *
 *     t = x ^ "00000000"                       a digit's byte becomes 0..9
 *     ((t + 0x76..76) | t) & 0x80..80          has the top bit of every byte that is not a digit
 *
 * so the number of leading digits is a count of trailing zeros, and the digits' value comes from
 * three multiplications that join neighbours (10 a + b, then 100, then 10^4).
 *
 * The text must be readable for SMR_SCAN_PAD bytes past its end and hold a byte there that is not
 * part of a number (a newline): then no loop needs to compare with the end. */
#ifndef SMR_DATA_SCAN_H
#define SMR_DATA_SCAN_H

#include "core/number.h"

#include <string.h>

enum { SMR_SCAN_PAD = 32 };

static inline uint64_t smr_scan_load(const char *p)
{
    uint64_t x;
    memcpy(&x, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x;
}

/* How many of the 8 bytes are digits, counted from the first. */
static inline int smr_scan_digit_count(uint64_t x)
{
    uint64_t t = x ^ 0x3030303030303030u;
    uint64_t other = ((t + 0x7676767676767676u) | t) & 0x8080808080808080u;
    return other ? __builtin_ctzll(other) >> 3 : 8;
}

/* The value of the first n digits, 1 <= n <= 8. */
static inline uint64_t smr_scan_digits(uint64_t x, int n)
{
    x = (x ^ 0x3030303030303030u) << (64 - 8 * n); /* leading zeros in the low bytes */
    x = x * 10 + (x >> 8);
    x = ((x & 0x000000ff000000ffu) * 0x000f424000000064u +
         ((x >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u) >>
        32;
    return x & 0xffffffffu;
}

/* Digits at p, at most 16 of them, into *value; returns the byte after them. */
static inline const char *smr_scan_unsigned(const char *p, uint64_t *value)
{
    static const uint64_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    uint64_t x = smr_scan_load(p);
    int n = smr_scan_digit_count(x);
    uint64_t v = n ? smr_scan_digits(x, n) : 0;
    if (n == 8) {
        x = smr_scan_load(p + 8);
        int more = smr_scan_digit_count(x);
        if (more) v = v * power[more] + smr_scan_digits(x, more);
        n += more;
    }
    *value = v;
    return p + n;
}

/* As smr_parse_double, inlined into the reader's loop.  The fast path takes up to 15
 * digits without an exponent, where value = digits / 10^decimals has two exact operands and is
 * therefore rounded once, correctly. */
static inline __attribute__((always_inline)) const char *
smr_scan_double(const char *p, const char *end, double *value)
{
    static const double power[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    static const uint64_t whole_power[] = {1,
                                           10,
                                           100,
                                           1000,
                                           10000,
                                           100000,
                                           1000000,
                                           10000000,
                                           100000000,
                                           1000000000,
                                           10000000000,
                                           100000000000,
                                           1000000000000,
                                           10000000000000,
                                           100000000000000,
                                           1000000000000000};
    const char *from = p;
    bool minus = *p == '-';
    p += minus || *p == '+';
    uint64_t whole = 0, decimals = 0;
    const char *q = p + 1;
    if ((unsigned char)(*p - '0') < 10 && p[1] == '.') /* 0.25: the most frequent form */
        whole = (uint64_t)(*p - '0');
    else
        q = smr_scan_unsigned(p, &whole);
    int64_t n_whole = q - p, n_decimals = 0;
    if (*q == '.') {
        p = q + 1;
        q = smr_scan_unsigned(p, &decimals);
        n_decimals = q - p;
    }
    bool fast = n_whole > 0 && n_whole + n_decimals <= 15 && (*q | 0x20) != 'e';
    if (__builtin_expect(!fast, 0)) return smr_parse_double(from, end, value);
    double x = (double)(whole * whole_power[n_decimals] + decimals) / power[n_decimals];
    *value = minus ? -x : x;
    return q;
}

/* The bytes at p up to a blank or the end, for a message: at most 40, unprintable ones as '?'. */
static inline const char *smr_scan_show(const char *p, const char *end, char out[48])
{
    int n = 0;
    for (; p < end && n < 40 && *p != ' ' && *p != '\t' && *p != '\n' && *p != '\r'; p++)
        out[n++] = (unsigned char)*p < 0x20 || *p == 0x7f ? '?' : *p;
    if (n == 40) {
        while (n > 36 && ((unsigned char)out[n - 1] & 0xc0) == 0x80) n--; /* no half characters */
        if ((unsigned char)out[n - 1] >= 0xc0) n--;
        memcpy(out + n, "...", 3);
        n += 3;
    }
    out[n] = '\0';
    return out;
}

#endif
