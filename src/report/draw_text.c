/* draw_text.c -- see draw_text.h.
 *
 * Widths are upper bounds over the sans-serif fonts that browsers and desktops come with, by
 * groups of letters: a layout made with them holds whichever font is there. */
#include "report/draw_text.h"

#include <string.h>

smr_words smr_words_of(const char *text)
{
    return (smr_words){text ? text : "", text ? (int64_t)strlen(text) : 0};
}

smr_words smr_words_json(const smr_json *value)
{
    if (!value || value->type != SMR_JSON_STRING) return (smr_words){"", 0};
    return (smr_words){value->string, value->n};
}

/* ---- characters ------------------------------------------------------------------------- */

/* The character at p; its bytes in *step.  Broken UTF-8 is U+FFFD, one byte at a time. */
static uint32_t char_at(const char *p, const char *end, int *step)
{
    static const unsigned char lead[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    int n = smr_utf8_step(p, end);
    *step = n ? n : 1;
    if (n == 0) return 0xFFFD;
    uint32_t c = (unsigned char)p[0] & lead[n];
    for (int i = 1; i < n; i++) c = c << 6 | ((unsigned char)p[i] & 0x3F);
    return c;
}

static bool in_xml(uint32_t c)
{
    if (c < 0x20) return c == '\t' || c == '\n';
    return c < 0x7F || (c > 0x9F && c != 0xFFFE && c != 0xFFFF);
}

void smr_xml_add(smr_text *out, smr_words words)
{
    const char *p = words.at, *end = words.at + words.n;
    while (p < end) {
        int step;
        uint32_t c = char_at(p, end, &step);
        if (c == '&')
            smr_text_add(out, "&amp;");
        else if (c == '<')
            smr_text_add(out, "&lt;");
        else if (c == '>')
            smr_text_add(out, "&gt;");
        else if (c == '"')
            smr_text_add(out, "&quot;");
        else if (!in_xml(c) || c == 0xFFFD)
            smr_text_add(out, "\xEF\xBF\xBD");
        else
            smr_text_add_bytes(out, p, step);
        p += step;
    }
}

void smr_xml_string(smr_text *out, const char *text)
{
    smr_xml_add(out, smr_words_of(text));
}

/* ---- widths ----------------------------------------------------------------------------- */

struct group {
    const char *letters;
    double width;
};

static double ascii_width(char c)
{
    static const struct group groups[] = {
        {"ijlI'|.,:;", 0.34}, {"ftrJ()[]/\\- !", 0.42}, {"\"`_*", 0.52},
        {"csvxyzk?", 0.6},    {"mMW@%", 1.0},           {"w", 0.83},
        {"+=<>~#&^", 0.84},
    };
    for (int64_t g = 0; g < SMR_COUNT(groups); g++)
        if (strchr(groups[g].letters, c)) return groups[g].width;
    return c >= 'A' && c <= 'Z' ? 0.79 : 0.645;
}

struct span {
    uint32_t from, to;
    double width;
};

static double wide_width(uint32_t c)
{
    static const struct span spans[] = {
        {0x0300, 0x036F, 0},      {0x0370, 0x058F, 0.86}, {0x0590, 0x074F, 0.75},
        {0x1100, 0x115F, 1.05},   {0x200B, 0x200F, 0},    {0x2010, 0x2027, 1.0},
        {0x2070, 0x209F, 0.5},    {0x20D0, 0x20FF, 0},    {0x2E80, 0xA4CF, 1.05},
        {0xAC00, 0xD7A3, 1.05},   {0xF900, 0xFAFF, 1.05}, {0xFE00, 0xFE0F, 0},
        {0xFE30, 0xFE4F, 1.05},   {0xFF00, 0xFF60, 1.05}, {0x1F000, 0x1FAFF, 1.4},
        {0x20000, 0x3FFFD, 1.05},
    };
    for (int64_t s = 0; s < SMR_COUNT(spans); s++)
        if (c >= spans[s].from && c <= spans[s].to) return spans[s].width;
    if (c == 0xB2 || c == 0xB3 || c == 0xB9) return 0.5;
    return c < 0x0250 ? 0.85 : 1.05;
}

static double width_of(uint32_t c)
{
    if (c == 0 || !in_xml(c)) return 1.05;
    return c < 0x7F ? ascii_width((char)c) : wide_width(c);
}

double smr_words_width(smr_words words)
{
    const char *p = words.at, *end = words.at + words.n;
    double width = 0;
    while (p < end) {
        int step;
        width += width_of(char_at(p, end, &step));
        p += step;
    }
    return width;
}

smr_words smr_words_fit(smr_words words, double width, bool *cut)
{
    const double ellipsis = 1.0;
    const char *p = words.at, *end = words.at + words.n, *kept = words.at;
    double used = 0;
    *cut = false;
    while (p < end) {
        int step;
        used += width_of(char_at(p, end, &step));
        p += step;
        if (used + ellipsis <= width) kept = p;
        if (used > width) {
            while (kept > words.at && kept[-1] == ' ') kept--;
            *cut = true;
            return (smr_words){words.at, kept - words.at};
        }
    }
    return words;
}

smr_words smr_words_line(smr_words *rest, double width)
{
    const char *p = rest->at, *end = rest->at + rest->n, *blank = NULL;
    while (p < end && *p == ' ') p++;
    const char *from = p;
    double used = 0;
    while (p < end) {
        int step;
        if (*p == ' ') blank = p;
        used += width_of(char_at(p, end, &step));
        if (used > width && p > from) break;
        p += step;
    }
    if (p < end && blank && blank > from) p = blank;
    *rest = (smr_words){p, end - p};
    return (smr_words){from, p - from};
}
