/* arrow_number.c -- Arrow's numbers and dates as columns.
 *
 * Where the only batch has a column's values as a table stores them, aligned and without nulls, the
 * column views them; else values are copied, nulls as NaN. */
#include "data/arrow_private.h"

#include "data/block.h"
#include "data/build.h"

#include <math.h>
#include <string.h>

enum { DAY_SECONDS = 86400 };

/* Value i, of any width; bytes may lie anywhere. */
static const void *place(const smr_arrow_values *v, int64_t i)
{
    return (const char *)v->data + (v->offset + i) * v->layout.width;
}

int64_t smr_arrow_integer(const smr_arrow_values *v, int64_t i)
{
    const void *at = place(v, i);
    bool sign = v->layout.class != SMR_ARROW_UNSIGNED;
    uint8_t b;
    uint16_t h;
    uint32_t w;
    int64_t q;
    switch (v->layout.width) {
    case 1: memcpy(&b, at, 1); return sign ? (int8_t)b : b;
    case 2: memcpy(&h, at, 2); return sign ? (int16_t)h : h;
    case 4: memcpy(&w, at, 4); return sign ? (int32_t)w : (int64_t)w;
    default: memcpy(&q, at, 8); return q;
    }
}

/* ---- one value as a double -------------------------------------------------------------- */

static double float_at(const smr_arrow_values *v, int64_t i)
{
    const void *at = place(v, i);
    uint16_t h;
    float f;
    double d;
    switch (v->layout.width) {
    case 2: memcpy(&h, at, 2); return smr_half_value(h);
    case 4: memcpy(&f, at, 4); return f;
    default: memcpy(&d, at, 8); return d;
    }
}

/* Whole seconds and a fraction of one, added up as the readers of dates do. */
static double moment_at(const smr_arrow_type *type, const smr_arrow_values *v, int64_t i)
{
    int64_t x = smr_arrow_integer(v, i), per = type->per_second;
    if (per == 0) return (double)x * DAY_SECONDS;
    int64_t rest = x % per, whole = x / per;
    if (rest < 0) rest += per, whole--;
    return (double)whole + (double)rest / (double)per;
}

static double value_at(smr_arrow_column *c, const smr_arrow_values *v, int64_t i)
{
    const smr_arrow_type *t = &c->type;
    int64_t integer;
    double x;
    switch (t->layout.class) {
    case SMR_ARROW_BOOL: return smr_arrow_bit(v->data, v->offset + i);
    case SMR_ARROW_FLOAT: return float_at(v, i);
    case SMR_ARROW_DATE: return moment_at(t, v, i);
    case SMR_ARROW_DECIMAL: return smr_arrow_decimal(place(v, i), t->layout.width, t->scale);
    case SMR_ARROW_SIGNED:
    case SMR_ARROW_UNSIGNED:
        integer = smr_arrow_integer(v, i);
        x = t->layout.class == SMR_ARROW_SIGNED ? (double)integer : (double)(uint64_t)integer;
        if (fabs(x) >= 0x1p53) c->n_large++;
        return x;
    case SMR_ARROW_NULL:
    case SMR_ARROW_STRING:
    case SMR_ARROW_STRING_VIEW: break;
    }
    return NAN;
}

/* ---- columns ---------------------------------------------------------------------------- */

static int64_t count_absent(const smr_arrow_column *c)
{
    int64_t n = 0;
    if (c->type.layout.class == SMR_ARROW_NULL) return c->n_rows;
    for (int64_t b = 0; b < c->n_parts; b++) {
        if (!c->parts[b].valid && !c->rows[b].valid) continue;
        for (int64_t i = 0; i < c->parts[b].n; i++) n += !smr_arrow_present(c, b, i);
    }
    return n;
}

/* How the values are stored: F64, F32, U8 and I32 stay, where no integer is null. */
static smr_dtype stored_as(const smr_arrow_type *t, int64_t n_absent)
{
    if (t->layout.class == SMR_ARROW_FLOAT && t->layout.width == 4) return SMR_F32;
    if (n_absent > 0) return SMR_F64;
    if (t->layout.class == SMR_ARROW_BOOL) return SMR_U8;
    if (t->layout.class == SMR_ARROW_UNSIGNED && t->layout.width == 1) return SMR_U8;
    if (t->layout.class == SMR_ARROW_SIGNED && t->layout.width == 4) return SMR_I32;
    return SMR_F64;
}

/* Do Arrow's values have the bytes of the column's? */
static bool same_bytes(const smr_arrow_type *t, smr_dtype dtype)
{
    switch (dtype) {
    case SMR_F64: return t->layout.class == SMR_ARROW_FLOAT && t->layout.width == 8;
    case SMR_F32: return t->layout.class == SMR_ARROW_FLOAT && t->layout.width == 4;
    case SMR_U8: return t->layout.class == SMR_ARROW_UNSIGNED && t->layout.width == 1;
    case SMR_I32: return t->layout.class == SMR_ARROW_SIGNED && t->layout.width == 4;
    case SMR_I64:
    case SMR_F16:
    case SMR_BF16: break;
    }
    return false;
}

static bool can_view(const smr_arrow_column *c, smr_dtype dtype, int64_t n_absent)
{
    return same_bytes(&c->type, dtype) && c->n_parts == 1 && n_absent == 0 && c->n_rows > 0 &&
           (uintptr_t)c->parts[0].data % smr_dtype_size(dtype) == 0;
}

static void view(const smr_arrow_column *c, smr_column *out)
{
    const smr_arrow_values *v = &c->parts[0];
    out->values = (void *)(uintptr_t)place(v, 0); /* never written through: owns_values is false */
    out->n_missing = out->dtype == SMR_F64 || out->dtype == SMR_F32 ? -1 : 0;
}

static void put(smr_column *out, int64_t at, double x)
{
    switch (out->dtype) {
    case SMR_F64: ((double *)out->values)[at] = x; break;
    case SMR_F32: ((float *)out->values)[at] = (float)x; break;
    case SMR_U8: ((uint8_t *)out->values)[at] = (uint8_t)x; break;
    case SMR_I32: ((int32_t *)out->values)[at] = (int32_t)x; break;
    case SMR_I64:
    case SMR_F16:
    case SMR_BF16: break; /* no column is stored like that */
    }
    out->n_missing += isnan(x) != 0;
}

static smr_status check_moment(smr_ctx *ctx, const smr_arrow_column *c, int64_t row, double x)
{
    if (x >= SMR_DATE_FIRST && x < SMR_DATE_END) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_DATA,
                    "column '%.200s', row %lld: a date lies in the years 1 to 9999, this one does "
                    "not",
                    c->name, (long long)row + 1);
}

static int64_t count_nan(const smr_column *col, int64_t lo, int64_t hi)
{
    int64_t n = 0;
    for (int64_t i = lo; col->dtype == SMR_F64 && i < hi; i++)
        n += isnan(((const double *)col->values)[i]) != 0;
    for (int64_t i = lo; col->dtype == SMR_F32 && i < hi; i++)
        n += isnan(((const float *)col->values)[i]) != 0;
    return n;
}

/* Part b becomes rows [at, at + n) of the column. */
static smr_status copy_part(smr_ctx *ctx, smr_arrow_column *c, int64_t b, int64_t at,
                            smr_column *out)
{
    smr_status st = SMR_OK;
    const smr_arrow_values *v = &c->parts[b];
    int64_t size = (int64_t)smr_dtype_size(out->dtype);
    if (v->n > 0 && !v->valid && !c->rows[b].valid && same_bytes(&c->type, out->dtype)) {
        memcpy((char *)out->values + at * size, place(v, 0), (size_t)(v->n * size));
        out->n_missing += count_nan(out, at, at + v->n);
        return SMR_OK;
    }
    for (int64_t i = 0; i < v->n; i++) {
        bool present = smr_arrow_present(c, b, i);
        double x = present ? value_at(c, v, i) : NAN;
        put(out, at + i, x);
        if (out->kind != SMR_DATE || !present) continue;
        TRY(check_moment(ctx, c, at + i, x));
        if (fmod(x, DAY_SECONDS) != 0) out->has_time = true;
    }
out:
    return st;
}

static smr_status copy(smr_ctx *ctx, smr_arrow_column *c, smr_column *out)
{
    smr_status st = SMR_OK;
    int64_t at = 0;
    out->values = smr_alloc_raw(ctx, c->n_rows, smr_dtype_size(out->dtype));
    if (!out->values) return SMR_ERR_NOMEM;
    out->owns_values = true;
    for (int64_t b = 0; b < c->n_parts; at += c->parts[b++].n) TRY(copy_part(ctx, c, b, at, out));
out:
    return st;
}

smr_status smr_arrow_numbers(smr_ctx *ctx, smr_arrow_column *c, smr_column *out)
{
    int64_t n_absent = count_absent(c);
    out->kind = c->type.layout.class == SMR_ARROW_DATE ? SMR_DATE : SMR_NUMBER;
    out->dtype = stored_as(&c->type, n_absent);
    if (!can_view(c, out->dtype, n_absent)) return copy(ctx, c, out);
    view(c, out);
    return SMR_OK;
}
