/* subset.c -- see subset.h. */
#include "data/subset.h"

#include <string.h>

static int64_t row_of(const smr_data *data, const int64_t *rows, int64_t i)
{
    int64_t r = rows ? rows[i] : i;
    return data->rows ? data->rows[r] : r;
}

/* Copies the data and all they are computed from, with the new index at every link: the reader
 * applies it at the root, messages use it everywhere. */
static smr_status relink(smr_ctx *ctx, const smr_data *data, int64_t n, smr_subset *s)
{
    smr_status st = SMR_OK;
    int64_t depth = 0, at = 0;
    for (const smr_data *d = data->source; d; d = d->source) depth++;
    TRY_NEW(s->links, depth + 1);
    s->data = *data;
    smr_data *link = &s->data;
    for (;; link = &s->links[at++]) {
        link->n_rows = n;
        link->rows = s->rows;
        if (!link->source) break;
        s->links[at] = *link->source;
        link->source = &s->links[at];
    }
out:
    return st;
}

static smr_status gather_targets(smr_ctx *ctx, const smr_data *data, const int64_t *rows, int64_t n,
                                 smr_subset *s)
{
    smr_status st = SMR_OK;
    int64_t t = data->n_outputs;
    if (!rows) return SMR_OK; /* the data's own */
    if (data->y) {
        s->y = smr_alloc_raw(ctx, n * t, sizeof *s->y);
        if (!s->y) return SMR_ERR_NOMEM;
        for (int64_t i = 0; i < n; i++)
            memcpy(s->y + i * t, data->y + rows[i] * t, (size_t)t * sizeof *s->y);
    }
    if (data->label) {
        TRY_NEW(s->label, n);
        for (int64_t i = 0; i < n; i++) s->label[i] = data->label[rows[i]];
    }
    s->data.y = s->y;
    s->data.label = s->label;
out:
    return st;
}

static smr_status gather_others(smr_ctx *ctx, const smr_data *data, const int64_t *rows, int64_t n,
                                bool weights, smr_subset *s)
{
    smr_status st = SMR_OK;
    if (!rows) return SMR_OK;
    if (weights && data->weight) {
        TRY_NEW(s->weight, n);
        for (int64_t i = 0; i < n; i++) s->weight[i] = data->weight[rows[i]];
        s->data.weight = s->weight;
    }
    if (data->group) {
        TRY_NEW(s->group, n);
        for (int64_t i = 0; i < n; i++) s->group[i] = data->group[rows[i]];
        s->data.group = s->group;
    }
out:
    return st;
}

static void replace_targets(const smr_subset_with *with, smr_data *data)
{
    data->task = with->task;
    data->y = with->y;
    data->n_outputs = with->y ? with->n_outputs : 1;
    data->label = with->label;
    data->n_classes = with->label ? with->n_classes : 0;
    data->classes = NULL;
}

smr_status smr_subset_make(smr_ctx *ctx, const smr_data *data, const int64_t *rows, int64_t n,
                           const smr_subset_with *with, smr_subset *out)
{
    smr_status st = SMR_OK;
    smr_subset_with nothing = {0};
    if (!with) with = &nothing;
    *out = (smr_subset){0};
    if (rows || data->rows) {
        TRY_NEW(out->rows, n);
        for (int64_t i = 0; i < n; i++) out->rows[i] = row_of(data, rows, i);
    }
    TRY(relink(ctx, data, n, out));
    if (rows) out->data.shared = NULL; /* what depends on the features of all rows */
    if (with->y || with->label)
        replace_targets(with, &out->data);
    else
        TRY(gather_targets(ctx, data, rows, n, out));
    TRY(gather_others(ctx, data, rows, n, !with->weight, out));
    if (with->weight) out->data.weight = with->weight;
out:
    if (st != SMR_OK) smr_subset_release(out);
    return st;
}

void smr_subset_release(smr_subset *s)
{
    smr_free(s->links);
    smr_free(s->rows);
    smr_free(s->y);
    smr_free(s->weight);
    smr_free(s->label);
    smr_free(s->group);
    *s = (smr_subset){0};
}
