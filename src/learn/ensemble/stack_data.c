/* stack_data.c -- answers, and features after them, as data: see stack.h.
 *
 * Features that lie in memory in the order of the rows are taken where they are; others (through a
 * row index, or computed by stages) are read once and kept, 8 bytes per number and 4 per code.
 * Sparse rows become sparse rows, 12 bytes per entry. */
#include "learn/ensemble/stack.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 256 };

/* Feature j of the data, as it is called. */
static smr_status name_feature(smr_ctx *ctx, const smr_data *data, int64_t j, char **out)
{
    char place[32];
    snprintf(place, sizeof place, "%lld", (long long)j);
    *out =
        smr_strdup(ctx, data->features && data->features[j].name ? data->features[j].name : place);
    return *out ? SMR_OK : SMR_ERR_NOMEM;
}

/* ---- sparse rows ------------------------------------------------------------------------ */

smr_status smr_stack_append(smr_ctx *ctx, const smr_rows *rows, int64_t w, const double *z,
                            int64_t stride, smr_entries *out)
{
    smr_status st = SMR_OK;
    TRY(smr_entries_reserve(ctx, out, rows->n * w + rows->start[rows->n] - rows->start[0] + 1));
    for (int64_t i = 0; i < rows->n; i++) {
        for (int64_t j = 0; j < w; j++) smr_entries_add(out, j, z[i * stride + j]);
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
            smr_entries_add(out, w + rows->column[e], rows->value[e]);
        smr_entries_end_row(out);
    }
out:
    return st;
}

static smr_status stack_sparse(smr_ctx *ctx, const smr_data *data, int64_t w, const double *z,
                               smr_stacked *s)
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    TRY(smr_reader_open(ctx, data, SMR_FORM_SPARSE, BLOCK, &reader));
    TRY(smr_entries_begin(ctx, &s->entries, data->n_rows));
    for (int64_t lo = 0; lo < data->n_rows; lo += BLOCK) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(data->n_rows, lo + BLOCK), &rows));
        TRY(smr_stack_append(ctx, &rows, w, z + lo * w, w, &s->entries));
    }
    s->csr = (smr_csr){.n_rows = data->n_rows,
                       .n_cols = w + data->n_features,
                       .start = s->entries.start,
                       .column = s->entries.column,
                       .value = s->entries.value};
    s->data.sparse = &s->csr;
out:
    smr_reader_close(reader);
    return st;
}

/* The parent's features after w others. */
static smr_status pass(smr_ctx *ctx, const smr_data *data, int64_t w, const double *z,
                       smr_stacked *s)
{
    smr_status st = SMR_OK;
    smr_feature *behind = s->features + w;
    for (int64_t j = 0; j < data->n_features; j++) {
        TRY(name_feature(ctx, data, j, &s->names[j]));
        behind[j] = (smr_feature){.name = s->names[j], .kind = SMR_NUMBER, .stride = 1};
    }
    s->data.texts = data->texts;
    s->data.n_texts = data->n_texts;
    s->data.gaps_in_numbers = data->gaps_in_numbers;
    s->data.gaps_in_categories = data->gaps_in_categories;
    if (smr_data_is_sparse(data)) return stack_sparse(ctx, data, w, z, s);
    smr_data there = *data;
    if (data->source || data->rows) TRY(smr_data_keep(ctx, &there, SMR_FORM_F64, true, &s->kept));
    for (int64_t j = 0; j < data->n_features; j++) {
        behind[j] = there.features[j];
        behind[j].name = s->names[j];
    }
out:
    return st;
}

smr_status smr_stacked_make(smr_ctx *ctx, const smr_data *data, int64_t w, const double *z,
                            char *const *names, bool passes, smr_stacked *s)
{
    smr_status st = SMR_OK;
    *s = (smr_stacked){.n_names = passes ? data->n_features : 0};
    s->data = (smr_data){.size = sizeof s->data,
                         .n_rows = data->n_rows,
                         .n_features = w + s->n_names,
                         .task = data->task,
                         .n_outputs = data->n_outputs,
                         .y = data->y,
                         .label = data->label,
                         .n_classes = data->n_classes,
                         .classes = data->classes,
                         .weight = data->weight,
                         .group = data->group};
    TRY_NEW(s->features, s->data.n_features);
    TRY_NEW(s->names, s->n_names + 1);
    s->data.features = s->features;
    for (int64_t j = 0; j < w; j++)
        s->features[j] = (smr_feature){
            .name = names[j], .kind = SMR_NUMBER, .dtype = SMR_F64, .values = z + j, .stride = w};
    if (passes) TRY(pass(ctx, data, w, z, s));
out:
    return st;
}

void smr_stacked_release(smr_stacked *s)
{
    for (int64_t j = 0; s->names && j < s->n_names; j++) smr_free(s->names[j]);
    smr_free(s->names);
    smr_free(s->features);
    smr_keep_release(&s->kept);
    smr_entries_release(&s->entries);
    *s = (smr_stacked){0};
}
