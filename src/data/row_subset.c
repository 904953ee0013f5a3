/* row_subset.c -- see row_subset.h. */
#include "data/row_subset.h"

#include <math.h>
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
        s->links[at].border = NULL; /* the subset's own data knows those of the subset */
        s->links[at].roles = (smr_roles){0};
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

static smr_status gather_roles(smr_ctx *ctx, const smr_data *data, const int64_t *rows, int64_t n,
                               smr_subset *s)
{
    smr_status st = SMR_OK;
    const smr_roles *of = &data->roles;
    if (!rows) return SMR_OK;
    if (of->user) TRY_NEW(s->user, n);
    if (of->item) TRY_NEW(s->item, n);
    if (of->time) TRY_NEW(s->time, n);
    for (int64_t i = 0; i < n; i++) {
        if (s->user) s->user[i] = of->user[rows[i]];
        if (s->item) s->item[i] = of->item[rows[i]];
        if (s->time) s->time[i] = of->time[rows[i]];
    }
    s->data.roles = (smr_roles){s->user, s->item, s->time};
out:
    return st;
}

/* Sequences among the rows; each must come whole. */
static smr_status gather_borders(smr_ctx *ctx, const smr_data *data, const int64_t *rows, int64_t n,
                                 smr_subset *s)
{
    smr_status st = SMR_OK;
    int64_t *of = NULL, q = 0; /* of[row]: its sequence */
    if (!rows || !data->border) return SMR_OK;
    TRY_NEW(of, data->n_rows + 1);
    TRY_NEW(s->border, n + 1);
    for (int64_t k = 0; k < data->n_sequences; k++)
        for (int64_t i = data->border[k]; i < data->border[k + 1]; i++) of[i] = k;
    for (int64_t i = 0; i < n; q++) {
        int64_t k = of[rows[i]], length = data->border[k + 1] - data->border[k];
        for (int64_t j = 0; j < length; j++)
            if (i + j >= n || rows[i + j] != data->border[k] + j)
                TRY(smr_fail(ctx, SMR_ERR_INTERNAL, "sequence %lld would be cut", (long long)k));
        i += length;
        s->border[q + 1] = i;
    }
    s->data.border = s->border;
    s->data.n_sequences = q;
out:
    smr_free(of);
    return st;
}

static void count_unlabelled(smr_data *data)
{
    int64_t before = data->n_unlabelled;
    data->n_unlabelled = 0;
    for (int64_t i = 0; before && i < data->n_rows; i++)
        data->n_unlabelled += !smr_data_is_labelled(data, i);
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
    TRY(gather_roles(ctx, data, rows, n, out));
    TRY(gather_borders(ctx, data, rows, n, out));
    count_unlabelled(&out->data);
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
    smr_free(s->user);
    smr_free(s->item);
    smr_free(s->time);
    smr_free(s->group);
    smr_free(s->border);
    *s = (smr_subset){0};
}
