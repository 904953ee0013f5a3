/* arrow_write.c -- a table as a record batch of the Arrow C data interface.
 *
 * Every array and every schema owns what it points to through its private_data, and depends on
 * nothing else: the consumer may move children out of their parent and release them on their own,
 * and the table and the context may be freed first.  samara.h says what a column becomes. */
#include "data/arrow.h"

#include "core/parallel.h"
#include "data/build.h"

#include <math.h>
#include <string.h>

enum { MOST_BUFFERS = 3, PADDING = 64, DAY_SECONDS = 86400 };

static const double MICROSECONDS = 1e6;

/* ---- what is handed over ---------------------------------------------------------------- */

struct owned_array {
    const void *buffer[MOST_BUFFERS]; /* each a block of its own */
    struct ArrowArray *child;         /* n_children              */
    struct ArrowArray **children;     /* pointers to them        */
    struct ArrowArray dictionary;
};

struct owned_schema {
    char *name;
    struct ArrowSchema *child;
    struct ArrowSchema **children;
    struct ArrowSchema dictionary;
};

/* Parts that were moved out no longer have a release function. */
static void release_array(struct ArrowArray *a)
{
    struct owned_array *o = a->private_data;
    for (int64_t j = 0; j < a->n_children; j++)
        if (a->children[j]->release) a->children[j]->release(a->children[j]);
    if (a->dictionary && a->dictionary->release) a->dictionary->release(a->dictionary);
    for (int k = 0; k < MOST_BUFFERS; k++) smr_free((void *)(uintptr_t)o->buffer[k]);
    smr_free(o->child);
    smr_free(o->children);
    smr_free(o);
    a->release = NULL;
}

static void release_schema(struct ArrowSchema *s)
{
    struct owned_schema *o = s->private_data;
    for (int64_t j = 0; j < s->n_children; j++)
        if (s->children[j]->release) s->children[j]->release(s->children[j]);
    if (s->dictionary && s->dictionary->release) s->dictionary->release(s->dictionary);
    smr_free(o->name);
    smr_free(o->child);
    smr_free(o->children);
    smr_free(o);
    s->release = NULL;
}

/* From here on release_array frees whatever has been added, even when the rest fails. */
static smr_status begin_array(smr_ctx *ctx, struct ArrowArray *a, int64_t length, int n_buffers,
                              int64_t n_children)
{
    smr_status st = SMR_OK;
    struct owned_array *o = NULL;
    TRY_NEW(o, 1);
    *a = (struct ArrowArray){.length = length,
                             .n_buffers = n_buffers,
                             .buffers = o->buffer,
                             .release = release_array,
                             .private_data = o};
    TRY_NEW(o->child, n_children);
    TRY_NEW(o->children, n_children);
    for (int64_t j = 0; j < n_children; j++) o->children[j] = &o->child[j];
    a->children = n_children ? o->children : NULL;
    a->n_children = n_children;
out:
    return st;
}

static smr_status begin_schema(smr_ctx *ctx, struct ArrowSchema *s, const char *format,
                               const char *name, int64_t n_children)
{
    smr_status st = SMR_OK;
    struct owned_schema *o = NULL;
    TRY_NEW(o, 1);
    *s = (struct ArrowSchema){.format = format, .release = release_schema, .private_data = o};
    o->name = smr_strdup(ctx, name);
    if (!o->name) TRY(SMR_ERR_NOMEM);
    s->name = o->name;
    TRY_NEW(o->child, n_children);
    TRY_NEW(o->children, n_children);
    for (int64_t j = 0; j < n_children; j++) o->children[j] = &o->child[j];
    s->children = n_children ? o->children : NULL;
    s->n_children = n_children;
out:
    return st;
}

/* Buffer k of an array: zeros, up to a whole number of cache lines. */
static void *add_buffer(smr_ctx *ctx, struct ArrowArray *a, int k, int64_t n, size_t size)
{
    if (n > INT64_MAX / 16 - PADDING) n = INT64_MAX / 16 - PADDING; /* refused below */
    int64_t bytes = (n * (int64_t)size + PADDING - 1) / PADDING * PADDING;
    void *block = smr_alloc(ctx, bytes, 1);
    ((struct owned_array *)a->private_data)->buffer[k] = block;
    return block;
}

/* ---- missing values --------------------------------------------------------------------- */

static bool holds_strings(const smr_column *c)
{
    return c->kind == SMR_CATEGORY || c->kind == SMR_TEXT;
}

static bool is_missing(const smr_column *c, int64_t i)
{
    return holds_strings(c) ? smr_column_code(c, i) < 0 : isnan(smr_column_number(c, i)) != 0;
}

/* Buffer 0: a bit for each value that is there; none when all are. */
static smr_status write_validity(smr_ctx *ctx, const smr_column *c, struct ArrowArray *a)
{
    for (int64_t i = 0; i < a->length; i++) a->null_count += is_missing(c, i);
    if (a->null_count == 0) return SMR_OK;
    uint8_t *bits = add_buffer(ctx, a, 0, a->length / 8 + 1, 1);
    if (!bits) return SMR_ERR_NOMEM;
    for (int64_t i = 0; i < a->length; i++)
        if (!is_missing(c, i)) bits[i >> 3] = (uint8_t)(bits[i >> 3] | 1u << (i & 7));
    return SMR_OK;
}

/* ---- numbers ---------------------------------------------------------------------------- */

static smr_status write_numbers(smr_ctx *ctx, const smr_column *c, struct ArrowSchema *schema,
                                struct ArrowArray *a)
{
    static const char *const format[] = {"g", "f", "C", "i", "l"};
    size_t size = smr_dtype_size(c->dtype);
    schema->format = format[c->dtype];
    char *to = add_buffer(ctx, a, 1, a->length, size);
    if (!to) return SMR_ERR_NOMEM;
    const char *from = c->values;
    for (int64_t i = 0; i < a->length; i++)
        memcpy(to + i * (int64_t)size, from + i * c->stride * (int64_t)size, size);
    return SMR_OK;
}

/* ---- dates ------------------------------------------------------------------------------ */

static bool are_days(const smr_column *c, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double day = smr_column_number(c, i) / DAY_SECONDS;
        if (!isnan(day) && (day != floor(day) || fabs(day) > INT32_MAX)) return false;
    }
    return true;
}

static smr_status write_days(smr_ctx *ctx, const smr_column *c, struct ArrowArray *a)
{
    int32_t *day = add_buffer(ctx, a, 1, a->length, sizeof *day);
    if (!day) return SMR_ERR_NOMEM;
    for (int64_t i = 0; i < a->length; i++) {
        double x = smr_column_number(c, i);
        day[i] = isnan(x) ? 0 : (int32_t)(x / DAY_SECONDS);
    }
    return SMR_OK;
}

/* The nearest microsecond: for dates of our time a double is finer, so readers of microseconds get
 * the same moment back. */
static smr_status write_stamps(smr_ctx *ctx, const smr_column *c, struct ArrowArray *a)
{
    int64_t *stamp = add_buffer(ctx, a, 1, a->length, sizeof *stamp);
    if (!stamp) return SMR_ERR_NOMEM;
    for (int64_t i = 0; i < a->length; i++) {
        double x = smr_column_number(c, i), whole = floor(x);
        if (isnan(x)) continue;
        if (!(fabs(x) < 9e12))
            return smr_fail(ctx, SMR_ERR_DATA,
                            "column '%.200s', row %lld: Arrow's timestamps in microseconds do not "
                            "reach this date",
                            c->name, (long long)i + 1);
        stamp[i] = (int64_t)whole * 1000000 + (int64_t)floor((x - whole) * MICROSECONDS + 0.5);
    }
    return SMR_OK;
}

static smr_status write_dates(smr_ctx *ctx, const smr_column *c, struct ArrowSchema *schema,
                              struct ArrowArray *a)
{
    bool days = !c->has_time && are_days(c, a->length);
    schema->format = days ? "tdD" : "tsu:UTC";
    return days ? write_days(ctx, c, a) : write_stamps(ctx, c, a);
}

/* ---- strings ---------------------------------------------------------------------------- */

/* String i of n: level code[i * stride], or level i where code is NULL. */
struct list {
    const smr_strings *levels;
    const smr_column *col;
    int64_t n;
};

static const char *string_of(const struct list *l, int64_t i, int64_t *length)
{
    int64_t k = l->col ? smr_column_code(l->col, i) : i;
    *length = 0;
    return k < 0 ? "" : smr_strings_get(l->levels, k, length);
}

/* Buffers 1 and 2: offsets of 4 bytes, or of 8 where the strings pass `most` bytes, and bytes. */
static smr_status write_list(smr_ctx *ctx, const struct list *l, int64_t most,
                             struct ArrowSchema *schema, struct ArrowArray *a)
{
    int64_t total = 0, at = 0, length;
    for (int64_t i = 0; i < l->n; i++) {
        (void)string_of(l, i, &length);
        total += length;
    }
    bool large = total > most;
    schema->format = large ? "U" : "u";
    char *offset = add_buffer(ctx, a, 1, l->n + 1, large ? 8 : 4);
    char *bytes = offset ? add_buffer(ctx, a, 2, total, 1) : NULL;
    if (!bytes) return SMR_ERR_NOMEM;
    for (int64_t i = 0; i < l->n; i++) {
        const char *text = string_of(l, i, &length);
        if (length) memcpy(bytes + at, text, (size_t)length);
        at += length;
        int32_t narrow = (int32_t)at;
        memcpy(offset + (i + 1) * (large ? 8 : 4), large ? (const void *)&at : &narrow,
               large ? 8 : 4);
    }
    return SMR_OK;
}

static smr_status check_levels(smr_ctx *ctx, const smr_column *c)
{
    smr_status st = SMR_OK;
    for (int64_t k = 0; k < c->levels.n; k++) {
        int64_t n;
        const char *text = smr_strings_get(&c->levels, k, &n);
        TRY(smr_build_check_utf8(ctx, c->name, text, n));
    }
out:
    return st;
}

/* An order that readers would not give the levels by themselves was meant. */
static smr_status mark_order(smr_ctx *ctx, const smr_column *c, struct ArrowSchema *schema)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL;
    TRY_NEW(order, c->levels.n);
    TRY(smr_levels_order(ctx, &c->levels, order));
    for (int64_t k = 0; k < c->levels.n; k++)
        if (order[k] != k) schema->flags |= ARROW_FLAG_DICTIONARY_ORDERED;
out:
    smr_free(order);
    return st;
}

static smr_status write_category(smr_ctx *ctx, const smr_column *c, int64_t most,
                                 struct ArrowSchema *schema, struct ArrowArray *a)
{
    smr_status st = SMR_OK;
    struct owned_schema *s = schema->private_data;
    struct owned_array *o = a->private_data;
    struct list levels = {.levels = &c->levels, .n = c->levels.n};
    int32_t *code = add_buffer(ctx, a, 1, a->length, sizeof *code);
    if (!code) TRY(SMR_ERR_NOMEM);
    for (int64_t i = 0; i < a->length; i++) code[i] = SMR_MAX(0, smr_column_code(c, i));
    schema->format = "i";
    schema->dictionary = &s->dictionary;
    a->dictionary = &o->dictionary;
    TRY(begin_schema(ctx, schema->dictionary, "u", "", 0));
    TRY(begin_array(ctx, a->dictionary, levels.n, 3, 0));
    TRY(write_list(ctx, &levels, most, schema->dictionary, a->dictionary));
    TRY(mark_order(ctx, c, schema));
out:
    return st;
}

/* ---- columns ---------------------------------------------------------------------------- */

struct writing {
    const smr_table *table;
    int64_t utf8_most;
    struct ArrowSchema *schema;
    struct ArrowArray *array;
};

static smr_status write_column(smr_ctx *ctx, void *arg, int64_t j, int lane)
{
    smr_status st = SMR_OK;
    const struct writing *w = arg;
    const smr_column *c = &w->table->cols[j];
    struct ArrowSchema *schema = w->schema->children[j];
    struct ArrowArray *a = w->array->children[j];
    struct list texts = {.levels = &c->levels, .col = c, .n = w->table->n_rows};
    (void)lane;
    TRY(begin_schema(ctx, schema, "", c->name, 0));
    schema->flags = ARROW_FLAG_NULLABLE;
    TRY(begin_array(ctx, a, w->table->n_rows, c->kind == SMR_TEXT ? 3 : 2, 0));
    if (holds_strings(c)) TRY(check_levels(ctx, c));
    TRY(write_validity(ctx, c, a));
    switch (c->kind) {
    case SMR_NUMBER: TRY(write_numbers(ctx, c, schema, a)); break;
    case SMR_DATE: TRY(write_dates(ctx, c, schema, a)); break;
    case SMR_TEXT: TRY(write_list(ctx, &texts, w->utf8_most, schema, a)); break;
    case SMR_CATEGORY: TRY(write_category(ctx, c, w->utf8_most, schema, a)); break;
    }
out:
    return st;
}

smr_status smr_arrow_write(smr_ctx *ctx, const smr_table *t, int64_t utf8_most,
                           struct ArrowSchema *schema, struct ArrowArray *array)
{
    smr_status st = SMR_OK;
    struct writing w = {.table = t, .utf8_most = utf8_most, .schema = schema, .array = array};
    *schema = (struct ArrowSchema){0};
    *array = (struct ArrowArray){0};
    if (t->sparse.n_cols)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "the table has %lld sparse columns, whose zeros Arrow's arrays would spell "
                        "out; save it as a .svm file, or read single values with "
                        "smr_table_sparse_number",
                        (long long)t->sparse.n_cols);
    TRY(begin_schema(ctx, schema, "+s", "", t->n_cols));
    TRY(begin_array(ctx, array, t->n_rows, 1, t->n_cols));
    TRY(smr_parallel(ctx, "writing", t->n_cols, write_column, &w));
out:
    if (st != SMR_OK && schema->release) schema->release(schema);
    if (st != SMR_OK && array->release) array->release(array);
    return st;
}
