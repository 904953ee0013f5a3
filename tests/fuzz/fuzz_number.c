/* Numbers: any text reads as the C library's strtod reads it (which the test may call, in the "C"
 * locale), as far as strtod's grammar is ours; what was read survives writing and reading. */
#include "core/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_value(double x)
{
    char text[SMR_NUMBER_MAX];
    double again = 0;
    int n = smr_format_double(x, text);
    if (n <= 0 || n >= SMR_NUMBER_MAX || text[n] != '\0') abort();
    if (smr_parse_double(text, text + n, &again) != text + n) abort();
    if (memcmp(&x, &again, sizeof x) != 0 && !isnan(x)) abort();
    for (int digits = 1; digits <= 17; digits++) {
        n = smr_format_rounded(x, digits, text);
        if (n <= 0 || n >= SMR_NUMBER_MAX || text[n] != '\0') abort();
        if (smr_parse_double(text, text + n, &again) != text + n) abort();
        if (digits == 17 && isfinite(x) && again != x) abort();
    }
}

/* strtod also takes white space, hexadecimal and nan(...): then only our own rules are checked. */
static void check_against_strtod(const char *text, const char *after, double x)
{
    char *end = NULL;
    double want = strtod(text, &end);
    const char *p = text + (*text == '-' || *text == '+');
    if (p[0] == '0' && (p[1] | 0x20) == 'x') return;
    if (after && isnan(x)) return;
    if (*text == ' ' || (*text >= '\t' && *text <= '\r')) return;
    if (after != (end == text ? NULL : end)) abort();
    if (after && memcmp(&x, &want, sizeof x) != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double x = 0;
    if (size == sizeof x) {
        memcpy(&x, data, sizeof x);
        check_value(x);
    }
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    const char *at = (const char *)data, *after = smr_parse_double(at, at + size, &x);
    check_against_strtod(text, after ? text + (after - at) : NULL, x);
    if (after) check_value(x);

    int64_t whole = 0;
    after = smr_parse_int(at, at + size, &whole);
    if (after && whole != strtoll(text, NULL, 10)) abort();
    free(text);
    return 0;
}
