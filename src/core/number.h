/* number.h -- decimal text and doubles, exactly and without a locale. */
#ifndef SMR_CORE_NUMBER_H
#define SMR_CORE_NUMBER_H

#include "samara.h"

/* Reads the longest decimal number at [text, end): sign, digits, point, exponent; also inf,
 * infinity and nan in any case.  The value is the double nearest to the decimal (ties to even);
 * too large gives inf, too small 0.  Returns the byte after it, or NULL if none begins here.  Needs
 * no NUL and no copy. */
const char *smr_parse_double(const char *text, const char *end, double *value);

/* Reads a whole number, digits with an optional sign; NULL if none begins here, or it does not
 * fit. */
const char *smr_parse_int(const char *text, const char *end, int64_t *value);

enum { SMR_NUMBER_MAX = 32 };

/* Writes the shortest decimal that reads back as x, the nearest to x if there are several
 * (NUL-terminated; "nan", "inf", "-inf", "-0"), and returns its length.  Plain from 1e-4 up, whole
 * numbers below 1e15 without a point, and larger ones as long as no zero must be invented; an
 * exponent otherwise ("1e15", "2.5e-7"): a JSON number in any case. */
int smr_format_double(double x, char out[SMR_NUMBER_MAX]);

/* Writes x rounded to `digits` significant digits (1..17, ties to even), trailing zeros dropped, in
 * the same form, and returns the length.  For people: zero has no sign. */
int smr_format_rounded(double x, int digits, char out[SMR_NUMBER_MAX]);

/* 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150 ...: a few in each power of ten, for a text that
 * shows some steps of many. */
bool smr_is_round_number(int64_t n);

#endif
