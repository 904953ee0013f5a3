/* arrow_private.h -- what the files that read Arrow arrays share. */
#ifndef SMR_DATA_ARROW_PRIVATE_H
#define SMR_DATA_ARROW_PRIVATE_H

#include "data/arrow.h"

typedef enum smr_arrow_class {
    SMR_ARROW_NULL,
    SMR_ARROW_BOOL,
    SMR_ARROW_SIGNED,
    SMR_ARROW_UNSIGNED,
    SMR_ARROW_FLOAT,
    SMR_ARROW_DECIMAL,
    SMR_ARROW_DATE, /* integers of `width` bytes that count `per_second`, or days */
    SMR_ARROW_STRING,
    SMR_ARROW_STRING_VIEW
} smr_arrow_class;

typedef struct smr_arrow_layout {
    smr_arrow_class class;
    int width; /* bytes of a value, of an offset (STRING) or of a view; BOOL, NULL: 0 */
} smr_arrow_layout;

typedef struct smr_arrow_type {
    smr_arrow_layout layout;
    int64_t per_second;       /* DATE: 0 counts days                               */
    int64_t scale;            /* DECIMAL: the value is the integer times 10^-scale */
    bool dictionary;          /* values are codes of strings:                      */
    bool ordered;             /* whose order has a meaning                         */
    smr_arrow_layout strings; /* and which are laid out like this                  */
} smr_arrow_type;

/* What the schema of a column says.  Fails, naming the column and its type in words, when a table
 * cannot hold it. */
smr_status smr_arrow_type_of(smr_ctx *ctx, const struct ArrowSchema *schema, const char *column,
                             smr_arrow_type *out);

/* Rows of one array: value i is element offset + i of its buffers.  `valid` is NULL when no value
 * is null. */
typedef struct smr_arrow_values {
    const char *column; /* its name, for messages */
    smr_arrow_layout layout;
    int64_t offset, n;
    const uint8_t *valid;
    const void *data;          /* values, offsets or views                 */
    const char *bytes;         /* STRING                                   */
    const void *const *blocks; /* STRING_VIEW: n_blocks, of these lengths: */
    const int64_t *block_bytes;
    int64_t n_blocks;
    const struct ArrowArray *dictionary;
} smr_arrow_values;

/* Fills the rest of `out`, whose column, layout, offset and n say which values of the array are
 * wanted (for a dictionary array: which codes).  Fails when the array lacks what the layout
 * needs. */
smr_status smr_arrow_take(smr_ctx *ctx, const struct ArrowArray *array, smr_arrow_values *out);

/* Bit i of a bitmap. */
static inline bool smr_arrow_bit(const uint8_t *bits, int64_t i)
{
    return bits[i >> 3] >> (i & 7) & 1;
}

/* Is value i there? */
static inline bool smr_arrow_has(const smr_arrow_values *v, int64_t i)
{
    return !v->valid || smr_arrow_bit(v->valid, v->offset + i);
}

/* One column of all batches.  rows[b] are the rows of the batch that are null as a whole, a bitmap
 * and its offset; NULL: none. */
typedef struct smr_arrow_rows {
    const uint8_t *valid;
    int64_t offset;
} smr_arrow_rows;

typedef struct smr_arrow_column {
    const char *name;
    smr_arrow_type type;
    const smr_arrow_values *parts; /* n_parts, one per batch */
    const smr_arrow_rows *rows;
    int64_t n_parts, n_rows;
    int64_t n_large; /* whole numbers that doubles cannot hold, found on the way */
} smr_arrow_column;

/* Is value i of a part there, and the row as a whole? */
static inline bool smr_arrow_present(const smr_arrow_column *c, int64_t part, int64_t i)
{
    const smr_arrow_rows *r = &c->rows[part];
    return smr_arrow_has(&c->parts[part], i) &&
           (!r->valid || smr_arrow_bit(r->valid, r->offset + i));
}

/* Integer i, whatever its width; an unsigned one of 64 bits has the same bits.  For strings: their
 * offset. */
int64_t smr_arrow_integer(const smr_arrow_values *v, int64_t i);

/* Numbers and dates into `out`, whose name is set; values are a view of the only part where the
 * layout allows. */
smr_status smr_arrow_numbers(smr_ctx *ctx, smr_arrow_column *c, smr_column *out);
/* Strings and dictionaries into `out`. */
smr_status smr_arrow_strings(smr_ctx *ctx, smr_arrow_column *c, smr_column *out);

/* The double nearest to a two's complement integer of `width` bytes times 10^-scale. */
double smr_arrow_decimal(const unsigned char *integer, int width, int64_t scale);

/* Calls the callbacks of what is not released yet. */
void smr_arrow_release_schema(struct ArrowSchema *schema);
void smr_arrow_release_array(struct ArrowArray *array);

#endif
