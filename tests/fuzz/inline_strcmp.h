/* inline_strcmp.h -- included before the library's sources in fuzz builds (cmake/library.cmake).
 *
 * A loader compares names all the time, and AddressSanitizer's strcmp takes ten times as long as to
 * look at the first letters.  This one is checked letter by letter, as any other code. */
#ifndef SMR_FUZZ_INLINE_STRCMP_H
#define SMR_FUZZ_INLINE_STRCMP_H

#include <string.h>

static inline int fuzz_strcmp(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return (int)(unsigned char)*a - (int)(unsigned char)*b;
}

#undef strcmp
#define strcmp fuzz_strcmp

#endif
