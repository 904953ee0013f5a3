/* letters.c -- see letters.h. */
#include "core/letters.h"

#include <string.h>

smr_letter smr_letter_class(uint32_t code)
{
    if (code < 0x80) {
        bool letter = (code | 0x20) >= 'a' && (code | 0x20) <= 'z';
        return letter || (code >= '0' && code <= '9') ? SMR_LETTER_WORD : SMR_LETTER_NONE;
    }
    int64_t lo = 0, hi = smr_n_letter_ranges;
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        if (smr_letter_ranges[mid].last < code)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == smr_n_letter_ranges || smr_letter_ranges[lo].first > code) return SMR_LETTER_NONE;
    return (smr_letter)smr_letter_ranges[lo].class;
}

uint32_t smr_letter_lower(uint32_t code)
{
    if (code < 0x80) return code >= 'A' && code <= 'Z' ? code + 32 : code;
    int64_t lo = 0, hi = smr_n_lower_ranges;
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        if (smr_lower_ranges[mid].last < code)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == smr_n_lower_ranges || smr_lower_ranges[lo].first > code) return code;
    const smr_lower_range *r = &smr_lower_ranges[lo];
    return (code - r->first) % r->step ? code : (uint32_t)((int64_t)code + r->distance);
}

/* From range to range, since a model of words fills a table each time that it is loaded. */
static void fill_classes(smr_letters *letters)
{
    enum { ASCII = 0x80 };
    memset(letters->class, SMR_LETTER_NONE, sizeof letters->class);
    for (uint32_t c = 0; c < ASCII; c++) letters->class[c] = (uint8_t)smr_letter_class(c);
    for (const smr_letter_range *r = smr_letter_ranges;
         r < smr_letter_ranges + smr_n_letter_ranges && r->first < SMR_LETTERS_NEAR; r++)
        for (uint32_t c = SMR_MAX(r->first, (uint32_t)ASCII); c <= r->last && c < SMR_LETTERS_NEAR;
             c++)
            letters->class[c] = r->class;
}

static void fill_lower(smr_letters *letters)
{
    for (uint32_t c = 'A'; c <= 'Z'; c++) letters->lower[c] = (uint16_t)smr_letter_lower(c);
    for (const smr_lower_range *r = smr_lower_ranges;
         r < smr_lower_ranges + smr_n_lower_ranges && r->first < SMR_LETTERS_NEAR; r++)
        for (uint32_t c = r->first; c <= r->last && c < SMR_LETTERS_NEAR; c += r->step)
            if (c >= 0x80) letters->lower[c] = (uint16_t)((int64_t)c + r->distance);
}

void smr_letters_fill(smr_letters *letters, bool lower)
{
    fill_classes(letters);
    for (uint32_t c = 0; c < SMR_LETTERS_NEAR; c++) letters->lower[c] = (uint16_t)c;
    if (lower) fill_lower(letters);
}

int smr_utf8_write(uint32_t code, char *out)
{
    unsigned char *p = (unsigned char *)out;
    if (code < 0x80) {
        p[0] = (unsigned char)code;
        return 1;
    }
    if (code < 0x800) {
        p[0] = (unsigned char)(0xc0 | code >> 6);
        p[1] = (unsigned char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        p[0] = (unsigned char)(0xe0 | code >> 12);
        p[1] = (unsigned char)(0x80 | (code >> 6 & 0x3f));
        p[2] = (unsigned char)(0x80 | (code & 0x3f));
        return 3;
    }
    p[0] = (unsigned char)(0xf0 | code >> 18);
    p[1] = (unsigned char)(0x80 | (code >> 12 & 0x3f));
    p[2] = (unsigned char)(0x80 | (code >> 6 & 0x3f));
    p[3] = (unsigned char)(0x80 | (code & 0x3f));
    return 4;
}
