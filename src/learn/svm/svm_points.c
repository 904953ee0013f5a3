/* svm_points.c -- what kernel machines learn from; see svm_parts.h.
 *
 * Rows that are the same to the kernel and have the same target are one point, with the sum of
 * their weights: variables of the dual that only their sum tells apart are one variable whose bound
 * is the sum of theirs.  Scores, objective and conditions are those of all rows.
 *
 * A machine of some of the points has a copy of them where memory allows, so that what its products
 * read lies together; else it reads them where they are.  The values are the same. */
#include "learn/linear/scores.h"
#include "learn/svm/svm_parts.h"

#include <string.h>

/* ---- rows and points -------------------------------------------------------------------- */

/* Which points are the first of their kind, and what all of it weigh. */
static smr_status merge(smr_ctx *ctx, const smr_data *data, const double *weight,
                        smr_svm_points *out)
{
    smr_status st = SMR_OK;
    int64_t n = data->n_rows, kept = 0;
    int32_t *first = NULL, *place = NULL;
    double *mark = NULL;
    TRY_NEW(first, n);
    TRY_NEW(place, n);
    TRY_NEW(mark, n);
    for (int64_t i = 0; i < n; i++)
        mark[i] = data->task == SMR_TASK_CLASSIFY  ? (double)data->label[i]
                  : data->task == SMR_TASK_REGRESS ? data->y[i]
                                                   : 0;
    TRY(smr_kernel_twins(ctx, &out->set, mark, first));
    for (int64_t i = 0; i < n; i++) {
        if (first[i] == i) {
            out->row[kept] = (int32_t)i;
            place[i] = (int32_t)kept++;
        }
        out->weight[place[first[i]]] += weight ? weight[i] : 1;
        out->plain[place[first[i]]] += smr_data_weight(data, i);
    }
    if (kept < n) TRY(smr_kernel_narrow(ctx, &out->set, out->row, kept));
out:
    smr_free(first);
    smr_free(place);
    smr_free(mark);
    return st;
}

smr_status smr_svm_points_open(smr_ctx *ctx, const struct smr_svm_params *p, const smr_data *data,
                               smr_svm_points *out)
{
    smr_status st = SMR_OK;
    double *own = NULL;
    int64_t n = data->n_rows;
    if (data->task == SMR_TASK_CLASSIFY)
        TRY(smr_classifier_weights(ctx, "svm", data, p->class_weight, &own));
    const double *weight = own ? own : data->weight;
    TRY(smr_kernel_open(ctx, "svm", &p->kernel, data, SMR_KERNEL_F32, &out->set));
    TRY_NEW(out->row, n);
    TRY_NEW(out->weight, n);
    TRY_NEW(out->plain, n);
    /* Folds keep groups whole: rows of two groups cannot be one. */
    if (smr_kernel_is_of_numbers(&out->set) && !(p->proba && data->group)) {
        TRY(merge(ctx, data, weight, out));
        goto out;
    }
    for (int64_t i = 0; i < n; i++) {
        out->row[i] = (int32_t)i;
        out->weight[i] = weight ? weight[i] : 1;
        out->plain[i] = smr_data_weight(data, i);
    }
out:
    smr_free(own);
    return st;
}

void smr_svm_points_close(smr_svm_points *points)
{
    smr_kernel_close(&points->set);
    smr_free(points->row);
    smr_free(points->weight);
    smr_free(points->plain);
    *points = (smr_svm_points){0};
}

/* ---- some of the points ----------------------------------------------------------------- */

static smr_status some_block(smr_ctx *ctx, const smr_kernel_rows *self, const int32_t *row,
                             int64_t n_rows, const int32_t *column, int64_t n_columns, float *out,
                             int64_t stride)
{
    const smr_svm_view *v = (const smr_svm_view *)(const void *)self;
    smr_status st = SMR_OK;
    int32_t *at = NULL;
    TRY_NEW(at, n_rows + n_columns);
    for (int64_t a = 0; a < n_rows; a++) at[a] = v->of[row[a]];
    for (int64_t b = 0; b < n_columns; b++) at[n_rows + b] = v->of[column ? column[b] : (int32_t)b];
    TRY(v->all->block(ctx, v->all, at, n_rows, at + n_rows, n_columns, out, stride));
out:
    smr_free(at);
    return st;
}

static smr_status some_diagonal(smr_ctx *ctx, const smr_kernel_rows *self, double *out)
{
    const smr_svm_view *v = (const smr_svm_view *)(const void *)self;
    smr_status st = SMR_OK;
    double *all = NULL;
    TRY_NEW(all, v->all->n);
    TRY(v->all->diagonal(ctx, v->all, all));
    for (int64_t i = 0; i < self->n; i++) out[i] = all[v->of[i]];
out:
    smr_free(all);
    return st;
}

smr_status smr_svm_view_open(smr_ctx *ctx, const smr_svm_points *points, const int32_t *of,
                             int64_t n, bool is_copy, smr_svm_view *out)
{
    smr_status st = SMR_OK;
    *out = (smr_svm_view){.base = {n, some_block, some_diagonal}, .all = &points->set.rows};
    out->of = of;
    out->rows = of ? &out->base : out->all;
    if (!of || !is_copy) return SMR_OK;
    TRY(smr_kernel_some(ctx, &points->set, of, n, &out->own));
    out->rows = &out->own.rows;
out:
    return st;
}

void smr_svm_view_close(smr_svm_view *view)
{
    smr_kernel_close(&view->own);
    *view = (smr_svm_view){0};
}
