/* gmm_pass.c -- a pass of EM over the rows.
 *
 *     r_ic = exp(l_ic) / sum_b exp(l_ib)   of row i, its weight in component c times w_i        (1)
 *     value = sum_i w_i log sum_c exp(l_ic)                                                    (2)
 *
 * and of each component the sums of r, r (x - mean) and of r (x - mean)(x - mean)', or of its
 * diagonal.  A share below FAINT is none: what it would add is rounding of the rest, and most
 * shares are such.  Rows are cut into tasks by their number alone, and sums are added in that
 * order. */
#include "core/parallel.h"
#include "core/try.h"
#include "kernel/kernel.h"
#include "learn/cluster/gmm.h"

#include <math.h>
#include <string.h>

static const double FAINT = 0x1p-60;

/* ---- sums and room ---------------------------------------------------------------------- */

int64_t smr_gmm_sums_size(int64_t k, int64_t d, int64_t width, bool whitens)
{
    return 1 + width + (whitens ? k * (d + 1) * (d + 1) : 2 * k * d);
}

smr_status smr_gmm_sums_create(smr_ctx *ctx, int64_t k, int64_t d, int64_t width, bool whitens,
                               struct smr_gmm_sums *out)
{
    smr_status st = SMR_OK;
    struct smr_gmm_sums s = {.n = smr_gmm_sums_size(k, d, width, whitens)};
    TRY_NEW(s.all, s.n);
    s.value = s.all;
    s.weight = s.value + 1;
    s.gram = s.sum = s.weight + width;
    s.square = s.sum + k * d;
    if (whitens)
        s.sum = s.square = NULL;
    else
        s.gram = NULL;
    *out = s;
out:
    return st;
}

void smr_gmm_room_release(struct smr_gmm_room *r)
{
    smr_free(r->p);
    smr_free(r->top);
    smr_free(r->z);
    smr_free(r->work);
    *r = (struct smr_gmm_room){0};
}

smr_status smr_gmm_room_create(smr_ctx *ctx, int64_t d, int64_t width, bool whitens,
                               struct smr_gmm_room *out)
{
    smr_status st = SMR_OK;
    struct smr_gmm_room r = {0};
    TRY_NEW(r.p, SMR_GMM_BLOCK * width);
    TRY_NEW(r.top, 2 * SMR_GMM_BLOCK);
    r.total = r.top + SMR_GMM_BLOCK;
    if (whitens) {
        TRY_NEW(r.z, SMR_GMM_BLOCK * (d + 1));
        TRY_NEW(r.work, (smr_gram_work(d + 1) + 7) / 8);
    }
    *out = r;
    r = (struct smr_gmm_room){0};
out:
    smr_gmm_room_release(&r);
    return st;
}

/* ---- counting --------------------------------------------------------------------------- */

void smr_gmm_count(const struct smr_gmm_tables *t, int64_t n, const double *X, int64_t ldx,
                   const double *p, struct smr_gmm_room *room, struct smr_gmm_sums *to)
{
    const struct smr_gmm_parts *s = t->parts;
    int64_t m = s->d + 1;
    smr_lanes_sum_f64(n, t->width, p, to->weight);
    if (!t->whitens) {
        smr_class_sums sums = {s->mean, to->sum, to->square, s->d, s->k};
        smr_mix_sums_f64(n, s->d, X, ldx, p, t->width, &sums);
        return;
    }
    for (int64_t c = 0; c < s->k; c++) {
        int64_t rows =
            smr_weigh_rows_f64(n, s->d, X, ldx, p + c, t->width, s->mean + c * s->d, room->z);
        if (rows > 0) smr_gram_f64(rows, m, room->z, m, to->gram + c * m * m, m, room->work);
    }
}

static smr_status count_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct smr_gmm_fit *f = arg;
    struct smr_gmm_room *room = &f->rooms[lane];
    struct smr_gmm_sums *to = &f->sums[task];
    smr_status st = SMR_OK;
    int64_t blocks = smr_block_count(f->n, SMR_GMM_BLOCK), width = f->tables->width;
    int64_t lo = blocks * task / f->n_tasks * SMR_GMM_BLOCK;
    int64_t hi = SMR_MIN(f->n, blocks * (task + 1) / f->n_tasks * SMR_GMM_BLOCK);
    double value = 0;
    memset(to->all, 0, (size_t)to->n * sizeof *to->all);
    for (; lo < hi; lo += SMR_GMM_BLOCK) {
        smr_rows rows;
        TRY(smr_held_block(ctx, &f->held, lane, lo, SMR_MIN(hi, lo + SMR_GMM_BLOCK), &rows));
        const double *weight = f->data.weight ? f->data.weight + lo : NULL;
        smr_gmm_rows(f->tables, rows.n, rows.x, rows.stride, room->p, room->top);
        smr_mix_shares_f64(rows.n, width, weight, FAINT, room->p, room->total);
        smr_log_f64(rows.n, room->total, room->total);
        for (int64_t i = 0; i < rows.n; i++) {
            double w = weight ? weight[i] : 1;
            if (w > 0) value += w * (room->top[i] + room->total[i]);
        }
        smr_gmm_count(f->tables, rows.n, rows.x, rows.stride, room->p, room, to);
    }
    *to->value = value;
out:
    return st;
}

smr_status smr_gmm_pass(smr_ctx *ctx, struct smr_gmm_fit *f, double *value)
{
    smr_status st = SMR_OK;
    TRY(smr_gmm_tables_fill(ctx, f->params->covariance, f->tables));
    TRY(smr_parallel(ctx, NULL, f->n_tasks, count_task, f));
    for (int64_t t = 1; t < f->n_tasks; t++)
        for (int64_t i = 0; i < f->sums[0].n; i++) f->sums[0].all[i] += f->sums[t].all[i];
    *value = *f->sums[0].value;
    if (!isfinite(*value)) {
        TRY(smr_held_explain(ctx, &f->held));
        TRY(smr_fail(ctx, SMR_ERR_NUMERIC, "gmm: densities overflow: rescale the columns"));
    }
out:
    return st;
}
