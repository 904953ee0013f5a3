/* items.c -- see items.h. */
#include "data/items.h"

#include "data/vocab.h"

#include <stdio.h>
#include <string.h>

enum { COLUMN_BYTES = sizeof(smr_column) + 192 }; /* with its name */

int64_t smr_items_size(const smr_items *items)
{
    int64_t n = 1;
    for (int k = 0; k < 4 && items->shape[k]; k++) n *= items->shape[k];
    return n;
}

smr_status smr_items_check(smr_ctx *ctx, const char *name, const smr_items *items)
{
    char what[512];
    double n = (double)smr_items_size(items);
    double bytes = n * (double)items->n_rows * (double)smr_dtype_size(items->dtype);
    snprintf(what, sizeof what,
             "%.300s: a table of %lld picture%s with a column for each of %lld samples", name,
             (long long)items->n_rows, items->n_rows == 1 ? "" : "s",
             (long long)smr_items_size(items));
    return smr_memory_check(ctx, bytes + n * COLUMN_BYTES, what,
                            "--size makes pictures smaller, --memory raises the limit");
}

smr_status smr_items_table(smr_ctx *ctx, smr_items *items, int64_t more, smr_table **out)
{
    smr_status st = SMR_OK;
    smr_table *t = NULL;
    int64_t n = smr_items_size(items), size = (int64_t)smr_dtype_size(items->dtype);
    TRY(smr_table_new(ctx, items->n_rows, n + more, &t));
    TRY(smr_table_number_names(ctx, t, 0, n, 0));
    for (int64_t j = 0; j < n; j++) {
        smr_column *c = &t->cols[j];
        c->kind = SMR_NUMBER;
        c->dtype = items->dtype;
        c->stride = n;
        c->values = (char *)items->values + j * size;
    }
    memcpy(t->item_shape, items->shape, sizeof t->item_shape);
    TRY(smr_table_own(ctx, t, items->values));
    items->values = NULL;
    *out = t;
    t = NULL;
out:
    smr_table_free(t);
    return st;
}

smr_status smr_items_sign(smr_table *t, const char *source, smr_text *notes)
{
    smr_status st = smr_text_done(notes);
    if (st != SMR_OK) return st;
    t->source = smr_strdup(notes->ctx, source);
    if (!t->source) return SMR_ERR_NOMEM;
    t->notes = notes->bytes;
    *notes = (smr_text){.ctx = notes->ctx};
    return SMR_OK;
}

smr_status smr_items_label(smr_ctx *ctx, smr_table *t, int64_t j, const char *name, uint8_t **label)
{
    smr_column *c = &t->cols[j];
    c->name = smr_strdup(ctx, name);
    if (!c->name) return SMR_ERR_NOMEM;
    c->kind = SMR_NUMBER;
    c->dtype = SMR_U8;
    c->values = *label;
    c->owns_values = true;
    c->names_classes = true;
    *label = NULL;
    return SMR_OK;
}

smr_status smr_items_strings(smr_ctx *ctx, smr_table *t, int64_t j, const char *name,
                             smr_strings *levels, int32_t **code)
{
    smr_column *c = &t->cols[j];
    c->name = smr_strdup(ctx, name);
    if (!c->name) return SMR_ERR_NOMEM;
    c->kind = SMR_CATEGORY;
    c->dtype = SMR_I32;
    c->values = *code;
    c->owns_values = true;
    c->levels = *levels;
    *code = NULL;
    *levels = (smr_strings){0};
    return SMR_OK;
}
