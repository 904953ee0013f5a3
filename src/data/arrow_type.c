/* arrow_type.c -- Arrow's format strings: what a table can hold, and the rest in words. */
#include "data/arrow_private.h"

#include "core/number.h"

#include <string.h>

/* Types of one fixed string. */
static const struct plain {
    const char *format;
    smr_arrow_class class;
    int width;
    int64_t per_second;
} plain[] = {
    {"n", SMR_ARROW_NULL, 0, 0},   {"b", SMR_ARROW_BOOL, 0, 0},
    {"c", SMR_ARROW_SIGNED, 1, 0}, {"C", SMR_ARROW_UNSIGNED, 1, 0},
    {"s", SMR_ARROW_SIGNED, 2, 0}, {"S", SMR_ARROW_UNSIGNED, 2, 0},
    {"i", SMR_ARROW_SIGNED, 4, 0}, {"I", SMR_ARROW_UNSIGNED, 4, 0},
    {"l", SMR_ARROW_SIGNED, 8, 0}, {"L", SMR_ARROW_UNSIGNED, 8, 0},
    {"e", SMR_ARROW_FLOAT, 2, 0},  {"f", SMR_ARROW_FLOAT, 4, 0},
    {"g", SMR_ARROW_FLOAT, 8, 0},  {"u", SMR_ARROW_STRING, 4, 0},
    {"U", SMR_ARROW_STRING, 8, 0}, {"vu", SMR_ARROW_STRING_VIEW, 16, 0},
    {"tdD", SMR_ARROW_DATE, 4, 0}, {"tdm", SMR_ARROW_DATE, 8, 1000},
};

/* Timestamps: what follows the colon is the zone, which does not change the moment. */
static const struct stamp {
    const char *begin;
    int64_t per_second;
} stamps[] = {{"tss:", 1}, {"tsm:", 1000}, {"tsu:", 1000000}, {"tsn:", 1000000000}};

/* What cannot be a column, by the beginning of its format. */
static const struct foreign {
    const char *begin, *words;
} foreign[] = {
    {"z", "binary"},
    {"Z", "large binary"},
    {"vz", "binary view"},
    {"w:", "fixed-size binary"},
    {"tt", "time of day"},
    {"tD", "duration"},
    {"ti", "interval"},
    {"+l", "list"},
    {"+L", "large list"},
    {"+vl", "list view"},
    {"+vL", "large list view"},
    {"+w:", "fixed-size list"},
    {"+s", "struct"},
    {"+m", "map"},
    {"+ud:", "dense union"},
    {"+us:", "sparse union"},
    {"+r", "run-end encoded"},
};

static bool begins_with(const char *text, const char *begin)
{
    return strncmp(text, begin, strlen(begin)) == 0;
}

static smr_status refuse(smr_ctx *ctx, const char *format, const char *column)
{
    for (int64_t k = 0; k < SMR_COUNT(foreign); k++)
        if (begins_with(format, foreign[k].begin))
            return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                            "column '%.200s' is of the Arrow type %s ('%.40s'), which a table "
                            "cannot hold; leave it out, or convert it to numbers, strings or dates",
                            column, foreign[k].words, format);
    return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                    "column '%.200s' has the Arrow format '%.40s', which is not known", column,
                    format);
}

/* "d:precision,scale" or "d:precision,scale,bits" */
static bool read_decimal(const char *format, smr_arrow_type *out)
{
    const char *p = format + 2, *end = format + strlen(format);
    int64_t precision, bits = 128;
    p = smr_parse_int(p, end, &precision);
    if (!p || *p != ',') return false;
    p = smr_parse_int(p + 1, end, &out->scale);
    if (p && *p == ',') p = smr_parse_int(p + 1, end, &bits);
    bool width_known = bits == 32 || bits == 64 || bits == 128 || bits == 256;
    bool scale_known = out->scale >= -1000 && out->scale <= 1000;
    if (!p || *p || !width_known || !scale_known) return false;
    out->layout = (smr_arrow_layout){SMR_ARROW_DECIMAL, (int)(bits / 8)};
    return true;
}

static bool read_format(const char *format, smr_arrow_type *out)
{
    for (int64_t k = 0; k < SMR_COUNT(plain); k++)
        if (!strcmp(format, plain[k].format)) {
            out->layout = (smr_arrow_layout){plain[k].class, plain[k].width};
            out->per_second = plain[k].per_second;
            return true;
        }
    for (int64_t k = 0; k < SMR_COUNT(stamps); k++)
        if (begins_with(format, stamps[k].begin)) {
            out->layout = (smr_arrow_layout){SMR_ARROW_DATE, 8};
            out->per_second = stamps[k].per_second;
            return true;
        }
    return begins_with(format, "d:") && read_decimal(format, out);
}

static bool is_integer(const smr_arrow_type *t)
{
    return t->layout.class == SMR_ARROW_SIGNED || t->layout.class == SMR_ARROW_UNSIGNED;
}

static bool is_string(const smr_arrow_type *t)
{
    return t->layout.class == SMR_ARROW_STRING || t->layout.class == SMR_ARROW_STRING_VIEW;
}

static smr_status read_dictionary(smr_ctx *ctx, const struct ArrowSchema *schema,
                                  const char *column, smr_arrow_type *out)
{
    const struct ArrowSchema *of = schema->dictionary;
    const char *format = of->format ? of->format : "";
    smr_arrow_type strings = {0};
    if (!is_integer(out))
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "column '%.200s' is a dictionary whose indices have the Arrow format "
                        "'%.40s'; they must be integers",
                        column, schema->format);
    if (of->dictionary || !read_format(format, &strings) || !is_string(&strings))
        return smr_fail(
            ctx, SMR_ERR_UNSUPPORTED,
            "column '%.200s' is a dictionary of the Arrow format '%.40s'; a table holds "
            "dictionaries of strings: decode the others first",
            column, of->dictionary ? "dictionary" : format);
    out->dictionary = true;
    out->ordered = schema->flags & ARROW_FLAG_DICTIONARY_ORDERED;
    out->strings = strings.layout;
    return SMR_OK;
}

smr_status smr_arrow_type_of(smr_ctx *ctx, const struct ArrowSchema *schema, const char *column,
                             smr_arrow_type *out)
{
    *out = (smr_arrow_type){0};
    if (!schema->format)
        return smr_fail(ctx, SMR_ERR_FORMAT, "column '%.200s' has no Arrow format", column);
    if (!read_format(schema->format, out)) return refuse(ctx, schema->format, column);
    if (schema->n_children != 0)
        return smr_fail(
            ctx, SMR_ERR_FORMAT,
            "column '%.200s' of the Arrow format '%.40s' has %lld children; it can have "
            "none",
            column, schema->format, (long long)schema->n_children);
    return schema->dictionary ? read_dictionary(ctx, schema, column, out) : SMR_OK;
}
