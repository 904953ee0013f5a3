/* infer.c -- see infer.h. */
#include "data/infer.h"

#include "core/number.h"
#include "core/text.h"
#include "data/date.h"

#include <math.h>
#include <string.h>

/* ---- marks ------------------------------------------------------------------------------- */

static const char *const missing_marks[] = {"",    "NA",  "N/A", "n/a",  "na",   "#N/A", "<NA>",
                                            "NaN", "nan", "NAN", "null", "NULL", "Null", "?"};
static const char *const dash_marks[] = {"-", "--", ".", "None", "none", "NaT"};
enum { MARK_LENGTH_MAX = 4, EXCERPT_SHOWN = 40 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void add_mark(smr_marks *m, char *begin, char *end)
{
    while (begin < end && is_blank(*begin)) begin++;
    while (begin < end && is_blank(end[-1])) end--;
    *end = '\0';
    double value;
    m->mark[m->n] = begin;
    m->length[m->n++] = end - begin;
    if (end > begin && smr_parse_double(begin, end, &value) == end && !isnan(value)) {
        m->has_numbers = true;
        m->number[m->n_numbers++] = value;
    }
}

smr_status smr_marks_init(smr_ctx *ctx, const char *list, smr_marks *out)
{
    *out = (smr_marks){0};
    if (!list || !*list) return SMR_OK;
    out->text = smr_strdup(ctx, list);
    if (!out->text) return SMR_ERR_NOMEM;
    for (char *begin = out->text; begin;) {
        char *comma = strchr(begin, ',');
        if (out->n == SMR_MARKS_MAX) {
            smr_marks_release(out);
            return smr_fail(ctx, SMR_ERR_PARAM,
                            "more than %d marks for missing values were given: '%.100s'",
                            SMR_MARKS_MAX, list);
        }
        add_mark(out, begin, comma ? comma : begin + strlen(begin));
        begin = comma ? comma + 1 : NULL;
    }
    return SMR_OK;
}

void smr_marks_release(smr_marks *m)
{
    smr_free(m->text);
    *m = (smr_marks){0};
}

static bool is_same(const char *text, int64_t n, const char *mark)
{
    return (size_t)n == strlen(mark) && !memcmp(text, mark, (size_t)n);
}

/* The first bytes that a built-in mark can have, which tell most fields from marks. */
static bool may_be_mark(const char *text, int64_t n)
{
    if (n == 0) return true;
    char c = *text;
    return n <= MARK_LENGTH_MAX && (c == 'N' || c == 'n' || c == '?' || c == '#' || c == '<');
}

bool smr_field_is_missing(const smr_marks *m, const char *text, int64_t n, int *which)
{
    while (n > 0 && is_blank(*text)) text++, n--;
    while (n > 0 && is_blank(text[n - 1])) n--;
    if (may_be_mark(text, n))
        for (int i = 0; i < (int)SMR_COUNT(missing_marks); i++)
            if (is_same(text, n, missing_marks[i])) {
                *which = i;
                return true;
            }
    for (int i = 0; i < (int)m->n; i++)
        if (m->length[i] == n && !memcmp(text, m->mark[i], (size_t)n)) {
            *which = (int)SMR_COUNT(missing_marks) + i;
            return true;
        }
    return false;
}

const char *smr_mark_text(const smr_marks *m, int which)
{
    if (which < SMR_COUNT(missing_marks)) return missing_marks[which];
    return m->mark[which - (int)SMR_COUNT(missing_marks)];
}

/* ---- fields ------------------------------------------------------------------------------ */

static bool is_dash(const char *text, int64_t n)
{
    if (n > MARK_LENGTH_MAX) return false;
    for (int i = 0; i < (int)SMR_COUNT(dash_marks); i++)
        if (is_same(text, n, dash_marks[i])) return true;
    return false;
}

smr_field smr_field_classify(const smr_marks *m, const char *text, int64_t n, double *value,
                             bool *has_time)
{
    int which;
    while (n > 0 && is_blank(*text)) text++, n--;
    while (n > 0 && is_blank(text[n - 1])) n--;
    if (!smr_field_is_missing(m, text, n, &which)) {
        if (smr_parse_double(text, text + n, value) == text + n && !isnan(*value))
            return SMR_FIELD_NUMBER;
        if (smr_date_parse(text, n, value, has_time)) return SMR_FIELD_DATE;
        *value = NAN;
        return is_dash(text, n) ? SMR_FIELD_DASH : SMR_FIELD_TEXT;
    }
    *value = NAN;
    return SMR_FIELD_MISSING;
}

/* ---- decimals ---------------------------------------------------------------------------- */

enum { SPELLED_MAX = 512 }; /* bytes of a number with a comma in it */

static void trim(const char **text, int64_t *n)
{
    while (*n > 0 && is_blank(**text)) (*text)++, (*n)--;
    while (*n > 0 && is_blank((*text)[*n - 1])) (*n)--;
}

/* Copies a number without the marks between its thousands, its decimal mark as a point.  false: a
 * mark is where none may be. */
static bool spell_plainly(const char *text, int64_t n, char decimal, char *out, int64_t *length)
{
    char group = decimal == ',' ? '.' : ',';
    int64_t at = 0, digits = 0, first = -1;
    bool fraction = false;
    if (n > SPELLED_MAX) return false;
    for (int64_t i = 0; i < n; i++) {
        char c = text[i];
        bool digit = c >= '0' && c <= '9';
        if (c == group) {
            bool begins = first < 0;
            if (begins) first = digits;
            if (fraction || (begins ? digits < 1 || digits > 3 : digits != 3)) return false;
            if (begins && text[i - digits] == '0') return false;
            digits = 0;
            continue;
        }
        if (first >= 0 && !fraction && !digit && digits != 3) return false;
        if (first >= 0 && !digit && c != decimal) return false; /* groups go with no exponent */
        fraction |= c == decimal;
        digits = digit ? digits + 1 : 0;
        out[at++] = (char)(c == decimal ? '.' : c);
    }
    *length = at;
    return first < 0 || fraction || digits == 3;
}

static bool parse_with(const char *text, int64_t n, char decimal, double *value)
{
    char plain[SPELLED_MAX];
    int64_t length;
    return spell_plainly(text, n, decimal, plain, &length) && length > 0 &&
           smr_parse_double(plain, plain + length, value) == plain + length && !isnan(*value);
}

/* Of a text that is not a number with a point. */
static smr_field what_commas_mean(const char *text, int64_t n)
{
    double value;
    if (n == 0 || n > SPELLED_MAX || !memchr(text, ',', (size_t)n)) return SMR_FIELD_TEXT;
    bool decimals = parse_with(text, n, ',', &value), groups = parse_with(text, n, '.', &value);
    if (decimals) return groups ? SMR_FIELD_EITHER : SMR_FIELD_COMMA;
    return groups ? SMR_FIELD_GROUPS : SMR_FIELD_TEXT;
}

smr_field smr_field_read(const smr_marks *m, smr_decimal decimal, const char *text, int64_t n,
                         double *value, bool *has_time)
{
    smr_field field = smr_field_classify(m, text, n, value, has_time);
    if (field == SMR_FIELD_MISSING || field == SMR_FIELD_DASH || field == SMR_FIELD_DATE)
        return field;
    if (decimal != SMR_DECIMAL_COMMA && field == SMR_FIELD_NUMBER) return field;
    trim(&text, &n);
    if (decimal == SMR_DECIMAL_FIND || decimal == SMR_DECIMAL_POINT)
        return what_commas_mean(text, n);
    if (parse_with(text, n, decimal == SMR_DECIMAL_COMMA ? ',' : '.', value))
        return SMR_FIELD_NUMBER;
    *value = NAN;
    return field == SMR_FIELD_NUMBER ? SMR_FIELD_POINTED : SMR_FIELD_TEXT;
}

bool smr_field_is_grouped(const char *text, int64_t n)
{
    double value;
    trim(&text, &n);
    if (n == 0) return false;
    bool point = memchr(text, '.', (size_t)n), comma = memchr(text, ',', (size_t)n);
    return point != comma && parse_with(text, n, point ? ',' : '.', &value);
}

/* ---- columns ----------------------------------------------------------------------------- */

/* Fields that are neither numbers nor dates as they stand. */
static int64_t other_texts(const smr_tally *t)
{
    return t->n[SMR_FIELD_TEXT] + t->n[SMR_FIELD_COMMA] + t->n[SMR_FIELD_GROUPS] +
           t->n[SMR_FIELD_EITHER] + t->n[SMR_FIELD_POINTED];
}

static bool prevails(int64_t part, int64_t total)
{
    return part >= total - total / 100;
}

bool smr_tally_is_mixed(const smr_tally *t)
{
    int64_t numbers = t->n[SMR_FIELD_NUMBER] + t->n[SMR_FIELD_COMMA] + t->n[SMR_FIELD_POINTED];
    return prevails(numbers, t->n[SMR_FIELD_NUMBER] + t->n[SMR_FIELD_DATE] + other_texts(t));
}

smr_verdict smr_tally_judge(const smr_tally *t)
{
    int64_t numbers = t->n[SMR_FIELD_NUMBER], dates = t->n[SMR_FIELD_DATE];
    int64_t total = numbers + dates + other_texts(t);
    if (total == 0) return t->n[SMR_FIELD_DASH] ? SMR_VERDICT_CATEGORY : SMR_VERDICT_NUMBER;
    if (numbers == total) return SMR_VERDICT_NUMBER;
    if (dates == total) return SMR_VERDICT_DATE;
    if (prevails(numbers, total) || prevails(dates, total)) return SMR_VERDICT_STRAYS;
    return SMR_VERDICT_CATEGORY;
}

smr_decimal smr_tally_decimal(const smr_tally *t, bool comma)
{
    int64_t commas = t->n[SMR_FIELD_COMMA], groups = t->n[SMR_FIELD_GROUPS];
    int64_t either = t->n[SMR_FIELD_EITHER], numbers = t->n[SMR_FIELD_NUMBER];
    int64_t total = numbers + t->n[SMR_FIELD_DATE] + other_texts(t);
    bool decides = (commas > 0) != (groups > 0) || (commas + groups == 0 && either > 0 && comma);
    if (!decides || !prevails(numbers + commas + groups + either, total)) return SMR_DECIMAL_FIND;
    return groups > 0 ? SMR_DECIMAL_GROUPS : SMR_DECIMAL_COMMA;
}

smr_kind smr_tally_guess(const smr_tally *t)
{
    int64_t dates = t->n[SMR_FIELD_DATE], total = t->n[SMR_FIELD_NUMBER] + dates + other_texts(t);
    int64_t numbers = total - dates - t->n[SMR_FIELD_TEXT];
    if (2 * numbers >= total) return SMR_NUMBER;
    return 2 * dates >= total ? SMR_DATE : SMR_CATEGORY;
}

/* ---- text -------------------------------------------------------------------------------- */

bool smr_is_utf8(const char *text, int64_t n, int64_t *at)
{
    const char *p = text, *end = text + n;
    while (p < end) {
        int length = smr_utf8_step(p, end);
        if (length == 0) {
            *at = p - text;
            return false;
        }
        p += length;
    }
    return true;
}

const char *smr_excerpt(const char *text, int64_t n, char out[SMR_EXCERPT_MAX])
{
    int64_t at = 0, shown = 0;
    while (at < n) {
        int step = smr_utf8_step(text + at, text + n), length = SMR_MAX(step, 1);
        if (shown + length > EXCERPT_SHOWN) break;
        bool printable = step > 0 && (uint8_t)text[at] >= 0x20 && text[at] != 0x7f;
        if (printable) {
            memcpy(out + shown, text + at, (size_t)length);
            shown += length;
        } else
            out[shown++] = '?';
        at += length;
    }
    memcpy(out + shown, at < n ? "..." : "", at < n ? 4 : 1);
    return out;
}
