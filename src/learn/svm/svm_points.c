/* svm_points.c -- what kernel machines learn from; see svm_parts.h.
 *
 * Rows that are the same to the kernel and have the same target are one point, with the sum of
 * their weights: variables of the dual that only their sum tells apart are one variable whose bound
 * is the sum of theirs.  Scores, objective and conditions are those of all rows.
 *
 * Where there is a machine for each pair of classes, points are in the order of their classes: the
 * columns of a machine's rows of K are then two spans of all points, and its products read the
 * points where they are. */
#include "learn/linear/scores.h"
#include "learn/svm/svm_parts.h"

#include <string.h>

/* ---- rows and points -------------------------------------------------------------------- */

/* Which rows are the first of their kind, into row; and of which of these each one is. */
static smr_status merge(smr_ctx *ctx, const smr_data *data, const smr_kernel_set *set, int32_t *row,
                        int32_t *place, int64_t *n_kept)
{
    smr_status st = SMR_OK;
    int64_t n = data->n_rows, kept = 0;
    int32_t *first = NULL;
    double *mark = NULL;
    TRY_NEW(first, n);
    TRY_NEW(mark, n);
    for (int64_t i = 0; i < n; i++)
        mark[i] = data->task == SMR_TASK_CLASSIFY  ? (double)data->label[i]
                  : data->task == SMR_TASK_REGRESS ? data->y[i]
                                                   : 0;
    TRY(smr_kernel_twins(ctx, set, mark, first));
    for (int64_t i = 0; i < n; i++) {
        if (first[i] == i) row[kept++] = (int32_t)i;
        place[i] = first[i] == i ? (int32_t)kept - 1 : place[first[i]];
    }
    *n_kept = kept;
out:
    smr_free(first);
    smr_free(mark);
    return st;
}

/* The rows in the order of their classes; place follows. */
static smr_status order(smr_ctx *ctx, const smr_data *data, smr_svm_points *points, int64_t n_kept,
                        int32_t *place)
{
    smr_status st = SMR_OK;
    int32_t *at = NULL, *sorted = NULL, *new_place = NULL, *row = points->row;
    TRY_NEW(at, data->n_classes + 1);
    TRY_NEW(sorted, n_kept);
    TRY_NEW(new_place, n_kept);
    for (int64_t i = 0; i < n_kept; i++) at[data->label[row[i]] + 1]++;
    for (int64_t c = 0; c < data->n_classes; c++) at[c + 1] += at[c];
    points->n_classes = data->n_classes;
    TRY_NEW(points->start, data->n_classes + 1);
    memcpy(points->start, at, (size_t)(data->n_classes + 1) * sizeof *at);
    for (int64_t i = 0; i < n_kept; i++) {
        new_place[i] = at[data->label[row[i]]]++;
        sorted[new_place[i]] = row[i];
    }
    memcpy(row, sorted, (size_t)n_kept * sizeof *row);
    for (int64_t i = 0; i < data->n_rows; i++) place[i] = new_place[place[i]];
out:
    smr_free(at);
    smr_free(sorted);
    smr_free(new_place);
    return st;
}

/* Points of numbers in place of rows. */
static smr_status arrange(smr_ctx *ctx, const struct smr_svm_params *p, const smr_data *data,
                          smr_svm_points *out, int32_t *place)
{
    smr_status st = SMR_OK;
    int64_t n = data->n_rows, n_kept = n;
    bool pairs = data->task == SMR_TASK_CLASSIFY && data->n_classes > 2 && p->multi != SMR_SVM_OVA;
    if (!smr_kernel_is_of_numbers(&out->set)) return SMR_OK;
    /* Folds keep groups whole: rows of two groups cannot be one. */
    if (!(p->proba && data->group)) TRY(merge(ctx, data, &out->set, out->row, place, &n_kept));
    if (pairs) TRY(order(ctx, data, out, n_kept, place));
    if (pairs || n_kept < n) TRY(smr_kernel_narrow(ctx, &out->set, out->row, n_kept));
out:
    return st;
}

smr_status smr_svm_points_open(smr_ctx *ctx, const struct smr_svm_params *p, const smr_data *data,
                               smr_svm_points *out)
{
    smr_status st = SMR_OK;
    double *own = NULL;
    int64_t n = data->n_rows;
    int32_t *place = NULL;
    if (data->task == SMR_TASK_CLASSIFY)
        TRY(smr_classifier_weights(ctx, "svm", data, p->class_weight, &own));
    const double *weight = own ? own : data->weight;
    TRY(smr_kernel_collect(ctx, "svm", &p->kernel, data, SMR_KERNEL_F32, &out->set));
    TRY_NEW(place, n);
    TRY_NEW(out->row, n);
    TRY_NEW(out->weight, n);
    TRY_NEW(out->plain, n);
    for (int64_t i = 0; i < n; i++) out->row[i] = place[i] = (int32_t)i;
    TRY(arrange(ctx, p, data, out, place));
    TRY(smr_kernel_start(ctx, "svm", &out->set, out->row));
    for (int64_t i = 0; i < n; i++) {
        out->weight[place[i]] += weight ? weight[i] : 1;
        out->plain[place[i]] += smr_data_weight(data, i);
    }
out:
    smr_free(own);
    smr_free(place);
    return st;
}

void smr_svm_points_close(smr_svm_points *points)
{
    smr_kernel_close(&points->set);
    smr_free(points->row);
    smr_free(points->weight);
    smr_free(points->plain);
    smr_free(points->start);
    for (int64_t c = 0; points->within && c < points->n_classes; c++) smr_free(points->within[c]);
    smr_free(points->within);
    *points = (smr_svm_points){0};
}

/* ---- some of the points ----------------------------------------------------------------- */

/* Columns of every point: of two spans where they are. */
static smr_status spans(smr_ctx *ctx, const smr_svm_view *v, const int32_t *at, int64_t n_rows,
                        float *out, int64_t stride)
{
    smr_status st = SMR_OK;
    int64_t n = v->base.n;
    TRY(smr_kernel_span(ctx, v->set, at, n_rows, v->of[0], v->n_first, out, stride));
    if (v->n_first < n)
        TRY(smr_kernel_span(ctx, v->set, at, n_rows, v->of[v->n_first], n - v->n_first,
                            out + v->n_first, stride));
out:
    return st;
}

static smr_status some_block(smr_ctx *ctx, const smr_kernel_rows *self, const int32_t *row,
                             int64_t n_rows, const int32_t *column, int64_t n_columns, float *out,
                             int64_t stride)
{
    const smr_svm_view *v = (const smr_svm_view *)(const void *)self;
    smr_status st = SMR_OK;
    bool all = !column && n_columns == self->n;
    int32_t *at = NULL;
    if (all && v->within[0]) return smr_svm_shared_rows(ctx, v, row, n_rows, out, stride);
    if (column == row && n_columns == n_rows && v->within[0])
        return smr_svm_shared_block(ctx, v, row, n_rows, out, stride);
    TRY_NEW(at, n_rows + n_columns);
    for (int64_t a = 0; a < n_rows; a++) at[a] = v->of[row[a]];
    if (all && v->n_first > 0) {
        TRY(spans(ctx, v, at, n_rows, out, stride));
        goto out;
    }
    for (int64_t b = 0; b < n_columns; b++) at[n_rows + b] = v->of[column ? column[b] : (int32_t)b];
    TRY(v->set->rows.block(ctx, &v->set->rows, at, n_rows, at + n_rows, n_columns, out, stride));
out:
    smr_free(at);
    return st;
}

static smr_status some_diagonal(smr_ctx *ctx, const smr_kernel_rows *self, double *out)
{
    const smr_svm_view *v = (const smr_svm_view *)(const void *)self;
    smr_status st = SMR_OK;
    double *all = NULL;
    TRY_NEW(all, v->set->rows.n);
    TRY(v->set->rows.diagonal(ctx, &v->set->rows, all));
    for (int64_t i = 0; i < self->n; i++) out[i] = all[v->of[i]];
out:
    smr_free(all);
    return st;
}

/* How many points are neighbours of the first, if the others are neighbours as well; else 0. */
static int64_t first_span(const int32_t *of, int64_t n)
{
    int64_t first = 1, i;
    while (first < n && of[first] == of[first - 1] + 1) first++;
    for (i = first + 1; i < n && of[i] == of[i - 1] + 1;) i++;
    return i < n ? 0 : first;
}

/* K between all points of a class, if it is there and the span is that. */
static const float *within(const smr_svm_points *points, int32_t first, int64_t n)
{
    for (int64_t c = 0; points->within && c < points->n_classes; c++)
        if (points->start[c] == first && points->start[c + 1] - first == n)
            return points->within[c];
    return NULL;
}

smr_svm_view smr_svm_view_of(const smr_svm_points *points, const int32_t *of, int64_t n)
{
    smr_svm_view v = {.base = {n, some_block, some_diagonal}, .set = &points->set, .of = of};
    v.n_first = of && n > 0 ? first_span(of, n) : 0;
    if (v.n_first > 0 && v.n_first < n) {
        v.within[0] = within(points, of[0], v.n_first);
        v.within[1] = within(points, of[v.n_first], n - v.n_first);
    }
    if (!v.within[0] || !v.within[1]) v.within[0] = v.within[1] = NULL;
    return v;
}
