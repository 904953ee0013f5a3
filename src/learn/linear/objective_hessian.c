/* objective_hessian.c -- the dense Hessian of a linear model's loss; see objective.h.
 *
 *     one score   sum_i s_i z_i z_i',  z = (x, 1),  s_i = weight_i loss''(y_i, f_i)
 *     classes     block (c, e) is sum_i weight_i p_ic (delta_ce - p_ie) z_i z_i'
 *
 * Each block of the matrix is a Gram matrix of rows times the root of |s|, off the diagonal with
 * its sign turned.  Some chunks of rows, a task of their own, have one matrix a pair of classes;
 * the tasks' matrices are added in their order.  A pass that evaluates may make the matrix as well,
 * while a block is in the cache.  Cost: n d^2 / 2 multiply-adds a pair. */
#include "learn/linear/objective_parts.h"

#include <math.h>
#include <string.h>

struct smr_linear_room {
    double *Z;    /* block x ld */
    double *root; /* block      */
    void *work;   /* of smr_gram_f64 */
};

/* Row i of Z = by x_i, for sparse rows. */
static void spread(const smr_rows *rows, int64_t i, double by, double *z)
{
    memset(z, 0, (size_t)rows->d * sizeof *z);
    for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
        z[rows->column[e]] = by * rows->value[e];
}

/* s of row i for the classes c <= e. */
static double bend(const struct smr_linear_curving *j, int64_t i, int64_t c, int64_t e)
{
    const smr_linear_objective *o = j->o;
    const double *p = j->curve + i * o->k;
    if (o->loss->kind != SMR_LOSS_CLASSES) return p[0];
    return smr_linear_weight(o, i) * p[c] * (c == e ? 1 - p[c] : p[e]);
}

void smr_linear_curving_add(const struct smr_linear_curving *j, int lane, int64_t task,
                            const smr_rows *rows)
{
    const smr_linear_objective *o = j->o;
    const struct smr_linear_room *room = &j->rooms[lane];
    int64_t pair = 0, width = j->width, ld = j->ld, size = width * width;
    double *G = j->G + task * j->n_pairs * size;
    smr_ahead next = {NULL, 0};
    if (o->lies_in_place && o->every == 1)
        next = (smr_ahead){(const double *)rows->x + rows->n * rows->stride, rows->stride};
    for (int64_t c = 0; c < o->k; c++)
        for (int64_t e = c; e < o->k; e++, pair++) {
            for (int64_t i = 0; i < rows->n; i++) {
                double root = sqrt(smr_fmax(0, bend(j, rows->first + i, c, e)));
                room->root[i] = root;
                if (o->fit_intercept) room->Z[i * ld + o->d] = root;
                if (rows->form == SMR_FORM_SPARSE) spread(rows, i, root, room->Z + i * ld);
            }
            if (rows->form != SMR_FORM_SPARSE)
                smr_rows_scale_f64(rows->n, o->d, rows->x, rows->stride, room->root, room->Z, ld);
            smr_gram_ahead_f64(rows->n, width, room->Z, ld, G + pair * size, width, room->work,
                               next);
        }
}

static smr_status take_chunk(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    smr_status st = SMR_OK;
    const struct smr_linear_curving *j = arg;
    const smr_linear_objective *o = j->o;
    int64_t size = j->group * o->chunk, end = smr_block_end(o->n, size, task);
    for (int64_t lo = smr_linear_first(o, task * size); lo < end; lo += smr_linear_step(o)) {
        smr_rows rows;
        TRY(smr_linear_rows(ctx, o, lane, lo, smr_linear_end(o, lo, end), &rows));
        rows.first = lo;
        smr_linear_curving_add(j, lane, task, &rows);
    }
out:
    return st;
}

/* The place of variable j (d: the intercept) of class c. */
static int64_t place(const smr_linear_objective *o, int64_t c, int64_t j)
{
    return j < o->d ? c * o->d + j : o->k * o->d + c;
}

/* The tasks' matrices, added in their order, into their places in H. */
void smr_linear_curving_settle(const struct smr_linear_curving *j, double *H)
{
    const smr_linear_objective *o = j->o;
    int64_t n = o->function.n, width = j->width, size = width * width, pair = 0;
    for (int64_t t = 1; t < j->n_tasks; t++)
        smr_axpy_f64(j->n_pairs * size, 1, j->G + t * j->n_pairs * size, j->G);
    for (int64_t c = 0; c < o->k; c++)
        for (int64_t e = c; e < o->k; e++, pair++)
            for (int64_t a = 0; a < width; a++)
                for (int64_t b = a; b < width; b++) {
                    double h = (c == e ? 1 : -1) * j->G[pair * size + a * width + b];
                    int64_t ca = place(o, c, a), eb = place(o, e, b);
                    int64_t cb = place(o, c, b), ea = place(o, e, a);
                    H[ca * n + eb] = H[eb * n + ca] = h;
                    H[cb * n + ea] = H[ea * n + cb] = h;
                }
}

smr_status smr_linear_curving_open(smr_ctx *ctx, smr_linear_objective *o, const double *curve,
                                   struct smr_linear_curving *j)
{
    smr_status st = SMR_OK;
    *j = (struct smr_linear_curving){.o = o, .curve = curve, .width = o->d + o->fit_intercept};
    j->n_pairs = o->k * (o->k + 1) / 2;
    j->ld = (j->width + 7) / 8 * 8;
    int64_t size = j->n_pairs * j->width * j->width;
    int64_t most = SMR_MIN(32, SMR_MAX(4, (1 << 22) / SMR_MAX(1, size)));
    j->group = smr_block_count(o->n_chunks, most);
    j->n_tasks = smr_block_count(o->n_chunks, j->group);
    TRY_NEW(j->G, SMR_MAX(1, j->n_tasks * size));
    TRY_NEW(j->rooms, o->n_lanes);
    j->n_rooms = o->n_lanes;
    for (int i = 0; i < j->n_rooms; i++) {
        TRY_NEW(j->rooms[i].Z, SMR_MAX(1, o->block * j->ld));
        TRY_NEW(j->rooms[i].root, o->block);
        j->rooms[i].work = smr_alloc(ctx, SMR_MAX(1, smr_gram_work(j->width)), 1);
        if (!j->rooms[i].work) TRY(SMR_ERR_NOMEM);
    }
out:
    if (st != SMR_OK) smr_linear_curving_close(j);
    return st;
}

void smr_linear_curving_close(struct smr_linear_curving *j)
{
    for (int i = 0; i < j->n_rooms; i++) {
        smr_free(j->rooms[i].Z);
        smr_free(j->rooms[i].root);
        smr_free(j->rooms[i].work);
    }
    smr_free(j->rooms);
    smr_free(j->G);
    *j = (struct smr_linear_curving){0};
}

smr_status smr_linear_hessian(smr_ctx *ctx, smr_linear_objective *o, double *H)
{
    smr_status st = SMR_OK;
    struct smr_linear_curving j = {0};
    TRY(smr_linear_curving_open(ctx, o, o->curve, &j));
    TRY(smr_parallel(ctx, NULL, j.n_tasks, take_chunk, &j));
    smr_linear_curving_settle(&j, H);
out:
    smr_linear_curving_close(&j);
    return st;
}
