/* svm_share.c -- the values of K that machines of pairs have in common; see svm_parts.h.
 *
 * Of k classes each is in k - 1 machines, and each machine asks for K between points of one class
 * and between those of two.  The former are computed once, before the machines are fitted, and
 * copied from there: of the rows of K half of the products, and of a block of a working set, which
 * is symmetric, three quarters.  Entries have the same bits wherever they come from. */
#include "core/parallel.h"
#include "learn/svm/svm_parts.h"

#include <string.h>

/* With fewer classes than these, K within them is more than what the machines would ask for. */
enum { LEAST_CLASSES = 5, ROWS = 128, TILE = 32 };

/* ---- within the classes ----------------------------------------------------------------- */

static void mirror(float *K, int64_t n)
{
    for (int64_t i0 = 0; i0 < n; i0 += TILE)
        for (int64_t j0 = i0; j0 < n; j0 += TILE)
            for (int64_t i = i0; i < SMR_MIN(i0 + TILE, n); i++)
                for (int64_t j = SMR_MAX(j0, i + 1); j < SMR_MIN(j0 + TILE, n); j++)
                    K[i * n + j] = K[j * n + i];
}

/* K between the points of class c: up to the diagonal, and mirrored. */
static smr_status fill_class(smr_ctx *ctx, void *arg, int64_t c, int lane)
{
    const smr_svm_points *p = arg;
    int32_t row[ROWS];
    smr_status st = SMR_OK;
    int64_t first = p->start[c], n = p->start[c + 1] - first;
    float *K = p->within[c];
    (void)lane;
    for (int64_t lo = 0; lo < n; lo += ROWS) {
        int64_t hi = SMR_MIN(n, lo + ROWS);
        for (int64_t i = lo; i < hi; i++) row[i - lo] = (int32_t)(first + i);
        TRY(smr_kernel_span(ctx, &p->set, row, hi - lo, first, hi, K + lo * n, n));
    }
    mirror(K, n);
out:
    return st;
}

smr_status smr_svm_share(smr_ctx *ctx, smr_svm_points *p, double bytes, double *used)
{
    smr_status st = SMR_OK;
    double need = 0;
    *used = 0;
    if (!p->start || p->n_classes < LEAST_CLASSES) return SMR_OK;
    for (int64_t c = 0; c < p->n_classes; c++) {
        double n = (double)(p->start[c + 1] - p->start[c]);
        need += n * n * (double)sizeof(float);
    }
    if (need > bytes) return SMR_OK;
    TRY_NEW(p->within, p->n_classes);
    for (int64_t c = 0; c < p->n_classes; c++) {
        int64_t n = p->start[c + 1] - p->start[c];
        p->within[c] = smr_alloc_raw(ctx, n * n, sizeof(float));
        if (!p->within[c]) TRY(SMR_ERR_NOMEM);
    }
    TRY(smr_parallel(ctx, "svm: kernel", p->n_classes, fill_class, p));
    *used = need;
out:
    return st;
}

/* ---- a machine's values ----------------------------------------------------------------- */

/* Which span a point of the view is in, and where in that. */
static int span_of(const smr_svm_view *v, int32_t point)
{
    return point >= v->n_first;
}

static int64_t place_in(const smr_svm_view *v, int32_t point)
{
    return point - (span_of(v, point) ? v->n_first : 0);
}

static int64_t span_size(const smr_svm_view *v, int span)
{
    return span ? v->base.n - v->n_first : v->n_first;
}

/* Row `point` of K within its own span. */
static const float *own_row(const smr_svm_view *v, int32_t point)
{
    int span = span_of(v, point);
    return v->within[span] + place_in(v, point) * span_size(v, span);
}

/* Rows that are asked for. */
struct asked {
    const smr_svm_view *v;
    const int32_t *row;
    int64_t n;
    float *out;
    int64_t stride;
    int32_t *at; /* n                                  */
    float *work; /* n rows as long as the longer span */
};

/* Those of one span against the columns of the other. */
static smr_status cross_rows(smr_ctx *ctx, const struct asked *r, int span)
{
    smr_status st = SMR_OK;
    const smr_svm_view *v = r->v;
    int64_t other = span ? 0 : v->n_first, width = span_size(v, !span), n = 0;
    for (int64_t a = 0; a < r->n; a++)
        if (span_of(v, r->row[a]) == span) r->at[n++] = v->of[r->row[a]];
    if (n == 0 || width == 0) goto out;
    TRY(smr_kernel_span(ctx, v->set, r->at, n, v->of[other], width, r->work, width));
    n = 0;
    for (int64_t a = 0; a < r->n; a++)
        if (span_of(v, r->row[a]) == span)
            memcpy(r->out + a * r->stride + other, r->work + n++ * width,
                   (size_t)width * sizeof *r->out);
out:
    return st;
}

smr_status smr_svm_shared_rows(smr_ctx *ctx, const smr_svm_view *v, const int32_t *row,
                               int64_t n_rows, float *out, int64_t stride)
{
    smr_status st = SMR_OK;
    struct asked r = {.v = v, .row = row, .n = n_rows, .out = out, .stride = stride};
    int64_t wide = SMR_MAX(span_size(v, 0), span_size(v, 1));
    r.work = smr_alloc_raw(ctx, n_rows * wide + 1, sizeof *r.work);
    if (!r.work) return SMR_ERR_NOMEM;
    TRY_NEW(r.at, n_rows);
    for (int span = 0; span < 2; span++) TRY(cross_rows(ctx, &r, span));
    for (int64_t a = 0; a < n_rows; a++) {
        int span = span_of(v, row[a]);
        memcpy(out + a * stride + (span ? v->n_first : 0), own_row(v, row[a]),
               (size_t)span_size(v, span) * sizeof *out);
    }
out:
    smr_free(r.at);
    smr_free(r.work);
    return st;
}

/* Points of one span: where they are in the block, in all and in the span. */
struct side {
    int64_t n;
    int32_t *at, *of, *place;
};

/* Row a of the block: what is in its own span, and what is not, which lies `step` apart. */
static void put_row(const struct side *own, const float *values, const struct side *other,
                    const float *cross, int64_t step, float *out)
{
    for (int64_t k = 0; k < own->n; k++) out[own->at[k]] = values[own->place[k]];
    for (int64_t k = 0; k < other->n; k++) out[other->at[k]] = cross[k * step];
}

smr_status smr_svm_shared_block(smr_ctx *ctx, const smr_svm_view *v, const int32_t *point,
                                int64_t n, float *out, int64_t stride)
{
    smr_status st = SMR_OK;
    struct side side[2] = {{0}};
    int32_t *room = NULL;
    float *K = NULL;
    TRY_NEW(room, 6 * n);
    for (int k = 0; k < 2; k++)
        side[k] =
            (struct side){0, room + 3 * k * n, room + (3 * k + 1) * n, room + (3 * k + 2) * n};
    for (int64_t a = 0; a < n; a++) {
        struct side *to = &side[span_of(v, point[a])];
        to->at[to->n] = (int32_t)a;
        to->of[to->n] = v->of[point[a]];
        to->place[to->n++] = (int32_t)place_in(v, point[a]);
    }
    int64_t m = side[1].n;
    K = smr_alloc_raw(ctx, side[0].n * m + 1, sizeof *K);
    if (!K) TRY(SMR_ERR_NOMEM);
    if (side[0].n > 0 && m > 0)
        TRY(v->set->rows.block(ctx, &v->set->rows, side[0].of, side[0].n, side[1].of, m, K, m));
    for (int64_t k = 0; k < side[0].n; k++) {
        int32_t a = side[0].at[k];
        put_row(&side[0], own_row(v, point[a]), &side[1], K + k * m, 1, out + a * stride);
    }
    for (int64_t k = 0; k < m; k++) {
        int32_t a = side[1].at[k];
        put_row(&side[1], own_row(v, point[a]), &side[0], K + k, m, out + a * stride);
    }
out:
    smr_free(room);
    smr_free(K);
    return st;
}
