/* arrow_read.c -- record batches of the Arrow C data interface as one table.
 *
 * A batch is a struct array: row i is element offset + i of every child, counted from the child's
 * own offset.  All batches are held until the columns are made, each column by one task; a column
 * of a single batch may view its memory, and the table then keeps the batch.
 *
 * Callbacks are called on the calling thread alone: their owner may hold a lock there that it also
 * takes in them. */
#include "data/arrow.h"

#include "core/parallel.h"
#include "core/text.h"
#include "data/arrow_private.h"
#include "data/build.h"
#include "data/infer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct reading {
    const struct ArrowSchema *schema;
    struct ArrowArray *batches;
    int64_t n_batches, n_rows, n_cols;
    smr_arrow_column *columns;
    smr_arrow_values *parts; /* n_cols x n_batches */
    smr_arrow_rows *rows;    /* n_batches          */
    smr_table *table;
};

/* ---- releases --------------------------------------------------------------------------- */

void smr_arrow_release_schema(struct ArrowSchema *schema)
{
    if (schema && schema->release) schema->release(schema);
    if (schema) schema->release = NULL;
}

void smr_arrow_release_array(struct ArrowArray *array)
{
    if (array && array->release) array->release(array);
    if (array) array->release = NULL;
}

/* What a table does with a batch that its columns view, when it is freed. */
static void let_go(void *batch)
{
    smr_arrow_release_array(batch);
    smr_free(batch);
}

/* ---- shapes ----------------------------------------------------------------------------- */

static smr_status check_schema(smr_ctx *ctx, const struct ArrowSchema *s)
{
    if (!s || !s->release)
        return smr_fail(ctx, SMR_ERR_STATE, "the Arrow schema is %s",
                        s ? "released already" : "NULL");
    if (!s->format || strcmp(s->format, "+s") != 0 || s->dictionary)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "the Arrow schema has the format '%.40s'; a table is a record batch, a "
                        "struct ('+s') with a child for each column",
                        s->format ? s->format : "");
    if (s->n_children < 0 || s->n_children > SMR_MAX_DIM || (s->n_children > 0 && !s->children))
        return smr_fail(ctx, SMR_ERR_FORMAT, "the Arrow schema has %lld columns at %s",
                        (long long)s->n_children, s->children ? "its children" : "NULL");
    for (int64_t j = 0; j < s->n_children; j++)
        if (!s->children[j] || !s->children[j]->release)
            return smr_fail(ctx, SMR_ERR_STATE,
                            "column %lld (counted from 0) of the Arrow schema "
                            "is %s",
                            (long long)j, s->children[j] ? "released already" : "NULL");
    return SMR_OK;
}

static smr_status check_batch(smr_ctx *ctx, const struct reading *r, int64_t b)
{
    const struct ArrowArray *a = &r->batches[b];
    if (!a->release) return smr_fail(ctx, SMR_ERR_STATE, "the Arrow array is released already");
    if (a->length < 0 || a->offset < 0 || a->offset > INT64_MAX - a->length)
        return smr_fail(ctx, SMR_ERR_SHAPE,
                        "an Arrow array of length %lld at offset %lld is impossible",
                        (long long)a->length, (long long)a->offset);
    if (a->length > SMR_MAX_DIM - r->n_rows)
        return smr_fail(ctx, SMR_ERR_SHAPE, "a table has at most %lld rows",
                        (long long)SMR_MAX_DIM);
    if (a->n_children != r->n_cols || (r->n_cols > 0 && !a->children))
        return smr_fail(ctx, SMR_ERR_SHAPE,
                        "batch %lld of the Arrow data has %lld columns%s, its schema %lld",
                        (long long)b + 1, (long long)a->n_children,
                        a->children || a->n_children == 0 ? "" : " at NULL", (long long)r->n_cols);
    bool bitmap = a->n_buffers == 1 && a->buffers && a->buffers[0];
    if (a->n_buffers != 1 || !a->buffers || (a->null_count > 0 && !bitmap))
        return smr_fail(
            ctx, SMR_ERR_FORMAT,
            "batch %lld of the Arrow data has %lld buffers%s; a struct needs one, which "
            "tells the rows that are null",
            (long long)b + 1, (long long)a->n_buffers,
            a->n_buffers == 1 ? ", but none of nulls" : "");
    return SMR_OK;
}

static smr_status take_batches(smr_ctx *ctx, struct reading *r)
{
    smr_status st = SMR_OK;
    TRY_NEW(r->rows, r->n_batches);
    for (int64_t b = 0; b < r->n_batches; b++) {
        const struct ArrowArray *a = &r->batches[b];
        TRY(check_batch(ctx, r, b));
        if (a->null_count != 0) r->rows[b].valid = a->buffers[0];
        r->rows[b].offset = a->offset;
        r->n_rows += a->length;
    }
out:
    return st;
}

/* ---- columns ---------------------------------------------------------------------------- */

/* A column without a name is named after its position. */
static smr_status name_column(smr_ctx *ctx, const struct reading *r, int64_t j)
{
    const char *name = r->schema->children[j]->name;
    smr_column *col = &r->table->cols[j];
    int64_t bad;
    if (!name || !name[0]) return smr_table_number_names(ctx, r->table, j, j + 1, 0);
    if (!smr_is_utf8(name, (int64_t)strlen(name), &bad))
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "column %lld (counted from 0) of the Arrow schema has a name that is not "
                        "UTF-8, from byte %lld on",
                        (long long)j, (long long)bad);
    col->name = smr_strdup(ctx, name);
    return col->name ? SMR_OK : SMR_ERR_NOMEM;
}

static smr_status take_column(smr_ctx *ctx, struct reading *r, int64_t j)
{
    smr_status st = SMR_OK;
    smr_arrow_column *c = &r->columns[j];
    smr_arrow_values *parts = r->parts + j * r->n_batches;
    TRY(name_column(ctx, r, j));
    *c = (smr_arrow_column){.name = r->table->cols[j].name,
                            .parts = parts,
                            .rows = r->rows,
                            .n_parts = r->n_batches,
                            .n_rows = r->n_rows};
    TRY(smr_arrow_type_of(ctx, r->schema->children[j], c->name, &c->type));
    for (int64_t b = 0; b < r->n_batches; b++) {
        const struct ArrowArray *a = &r->batches[b];
        parts[b] = (smr_arrow_values){
            .column = c->name, .layout = c->type.layout, .offset = a->offset, .n = a->length};
        TRY(smr_arrow_take(ctx, a->children[j], &parts[b]));
    }
out:
    return st;
}

static smr_status make_column(smr_ctx *ctx, void *arg, int64_t j, int lane)
{
    struct reading *r = arg;
    smr_arrow_column *c = &r->columns[j];
    smr_arrow_class class = c->type.layout.class;
    bool strings = class == SMR_ARROW_STRING || class == SMR_ARROW_STRING_VIEW;
    (void)lane;
    return c->type.dictionary || strings ? smr_arrow_strings(ctx, c, &r->table->cols[j])
                                         : smr_arrow_numbers(ctx, c, &r->table->cols[j]);
}

/* A table that views the only batch keeps it. */
static smr_status keep_batch(smr_ctx *ctx, struct reading *r)
{
    smr_status st = SMR_OK;
    struct ArrowArray *kept = NULL;
    bool views = false;
    for (int64_t j = 0; j < r->n_cols; j++) views |= !r->table->cols[j].owns_values;
    if (!views) return SMR_OK;
    TRY_NEW(kept, 1);
    *kept = r->batches[0];
    r->batches[0].release = NULL;
    r->table->lender = kept;
    r->table->give_back = let_go;
out:
    return st;
}

static smr_status read_batches(smr_ctx *ctx, struct reading *r)
{
    smr_status st = SMR_OK;
    TRY(check_schema(ctx, r->schema));
    r->n_cols = r->schema->n_children;
    TRY(take_batches(ctx, r));
    TRY_NEW(r->columns, r->n_cols);
    r->parts = smr_alloc(ctx, r->n_cols * r->n_batches, sizeof *r->parts);
    if (!r->parts) TRY(SMR_ERR_NOMEM);
    TRY(smr_table_new(ctx, r->n_rows, r->n_cols, &r->table));
    for (int64_t j = 0; j < r->n_cols; j++) TRY(take_column(ctx, r, j));
    TRY(smr_table_check_names(ctx, r->table));
    TRY(smr_parallel(ctx, "reading", r->n_cols, make_column, r));
    for (int64_t j = 0; j < r->n_cols; j++)
        smr_build_warn_large(ctx, r->columns[j].name, r->columns[j].n_large);
    TRY(keep_batch(ctx, r));
    r->table->has_header = true;
out:
    return st;
}

smr_status smr_arrow_read(smr_ctx *ctx, struct ArrowSchema *schema, struct ArrowArray *batches,
                          int64_t n, smr_table **out)
{
    struct reading r = {.schema = schema, .batches = batches, .n_batches = n};
    *out = NULL;
    smr_status st =
        batches ? read_batches(ctx, &r) : smr_fail(ctx, SMR_ERR_STATE, "the Arrow array is NULL");
    if (st == SMR_OK) {
        *out = r.table;
        r.table = NULL;
    }
    smr_table_free(r.table); /* before the batches that its columns view */
    smr_free(r.columns);
    smr_free(r.parts);
    smr_free(r.rows);
    for (int64_t b = 0; batches && b < n; b++) smr_arrow_release_array(&batches[b]);
    smr_arrow_release_schema(schema);
    return st;
}

/* ---- streams ---------------------------------------------------------------------------- */

enum { TOLD = 300 };

/* The stream's own words, as part of one line. */
static smr_status stream_failed(smr_ctx *ctx, struct ArrowArrayStream *s, const char *what,
                                int64_t number, int code)
{
    const char *words = s->get_last_error ? s->get_last_error(s) : NULL;
    char text[TOLD + 1] = "no reason was given", place[32] = "";
    if (number > 0) snprintf(place, sizeof place, " %" PRId64, number);
    if (words && words[0]) {
        snprintf(text, sizeof text, "%s", words);
        for (char *p = text; *p; p++)
            if ((unsigned char)*p < ' ') *p = ' ';
    }
    return smr_fail(ctx, SMR_ERR_IO, "the Arrow stream did not give its %s%s: %s (error %d)", what,
                    place, text, code);
}

/* The batches so far; the caller releases them. */
struct batches {
    struct ArrowArray *list;
    int64_t n, room;
};

static smr_status next_batch(smr_ctx *ctx, struct ArrowArrayStream *s, struct batches *all,
                             bool *more)
{
    struct ArrowArray batch = {0};
    if (all->n == all->room) {
        int64_t room = 2 * all->room + 16;
        struct ArrowArray *grown = smr_realloc(ctx, all->list, room, sizeof *grown);
        if (!grown) return SMR_ERR_NOMEM;
        all->list = grown;
        all->room = room;
    }
    int code = s->get_next(s, &batch);
    if (code) return stream_failed(ctx, s, "batch", all->n + 1, code);
    *more = batch.release != NULL;
    if (*more) all->list[all->n++] = batch;
    return smr_tick(ctx, "reading", all->n, 0, NAN);
}

smr_status smr_arrow_read_stream(smr_ctx *ctx, struct ArrowArrayStream *s, smr_table **out)
{
    smr_status st = SMR_OK;
    struct ArrowSchema schema = {0};
    struct batches all = {0};
    bool more = true;
    *out = NULL;
    if (!s || !s->release)
        return smr_fail(ctx, SMR_ERR_STATE, "the Arrow stream is %s",
                        s ? "released already" : "NULL");
    if (!s->get_schema || !s->get_next)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "the Arrow stream lacks its functions"));
    int code = s->get_schema(s, &schema);
    if (code) {
        schema.release = NULL;
        TRY(stream_failed(ctx, s, "schema", 0, code));
    }
    while (more) TRY(next_batch(ctx, s, &all, &more));
    TRY(smr_arrow_read(ctx, &schema, all.list, all.n, out));
out:
    for (int64_t b = 0; b < all.n; b++) smr_arrow_release_array(&all.list[b]);
    smr_arrow_release_schema(&schema);
    s->release(s);
    s->release = NULL;
    smr_free(all.list);
    return st;
}
