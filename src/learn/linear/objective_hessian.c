/* objective_hessian.c -- the dense Hessian of a linear model's loss; see objective.h.
 *
 *     one score   sum_i s_i z_i z_i',  z = (x, 1),  s_i = weight_i loss''(y_i, f_i)
 *     classes     block (c, e) is sum_i weight_i p_ic (delta_ce - p_ie) z_i z_i'
 *
 * Each block of the matrix is a Gram matrix of rows times the root of |s|, off the diagonal with
 * its sign turned.  A chunk of rows, a task of its own, has one matrix a pair of classes; the
 * chunks' matrices are added in their order.  Cost: n d^2 / 2 multiply-adds a pair. */
#include "learn/linear/objective_parts.h"

#include <math.h>
#include <string.h>

struct room {
    double *Z;  /* block x width */
    void *work; /* of smr_gram_f64 */
};

struct job {
    smr_linear_objective *o;
    int64_t width, ld, n_pairs; /* columns; of Z, rows begin where a cache line does */
    int64_t chunk, n_chunks;
    double *G; /* n_chunks x n_pairs x width x width, upper triangles */
    struct room *rooms;
    int n_rooms;
};

/* z = by x_i. */
static void spread(const smr_rows *rows, int64_t i, double by, double *z)
{
    memset(z, 0, (size_t)rows->d * sizeof *z);
    if (rows->form == SMR_FORM_SPARSE)
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
            z[rows->column[e]] = by * rows->value[e];
    else
        smr_axpy_f64(rows->d, by, (const double *)rows->x + i * rows->stride, z);
}

/* s of row i for the classes c <= e. */
static double bend(const smr_linear_objective *o, int64_t i, int64_t c, int64_t e)
{
    const double *p = o->curve + i * o->k;
    if (o->loss->kind != SMR_LOSS_CLASSES) return p[0];
    return smr_linear_weight(o, i) * p[c] * (c == e ? 1 - p[c] : p[e]);
}

static void add_block(const struct job *j, struct room *room, const smr_rows *rows, double *G)
{
    const smr_linear_objective *o = j->o;
    int64_t pair = 0, width = j->width, ld = j->ld;
    for (int64_t c = 0; c < o->k; c++)
        for (int64_t e = c; e < o->k; e++, pair++) {
            for (int64_t i = 0; i < rows->n; i++) {
                double root = sqrt(fmax(0, bend(o, rows->first + i, c, e)));
                spread(rows, i, root, room->Z + i * ld);
                if (o->fit_intercept) room->Z[i * ld + o->d] = root;
            }
            smr_gram_f64(rows->n, width, room->Z, ld, G + pair * width * width, width, room->work);
        }
}

static smr_status take_chunk(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    smr_status st = SMR_OK;
    struct job *j = arg;
    smr_linear_objective *o = j->o;
    double *G = j->G + task * j->n_pairs * j->width * j->width;
    int64_t end = smr_block_end(o->n, j->chunk, task);
    for (int64_t lo = task * j->chunk; lo < end; lo += o->block) {
        smr_rows rows;
        TRY(smr_linear_rows(ctx, o, lane, lo, SMR_MIN(end, lo + o->block), &rows));
        rows.first = lo;
        add_block(j, &j->rooms[lane], &rows, G);
    }
out:
    return st;
}

/* The place of variable j (d: the intercept) of class c. */
static int64_t place(const smr_linear_objective *o, int64_t c, int64_t j)
{
    return j < o->d ? c * o->d + j : o->k * o->d + c;
}

/* The chunks' matrices, added in their order, into their places in H. */
static void settle(const struct job *j, double *H)
{
    const smr_linear_objective *o = j->o;
    int64_t n = o->function.n, width = j->width, size = width * width, pair = 0;
    for (int64_t t = 1; t < j->n_chunks; t++)
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

smr_status smr_linear_hessian(smr_ctx *ctx, smr_linear_objective *o, double *H)
{
    smr_status st = SMR_OK;
    struct job j = {.o = o, .width = o->d + o->fit_intercept, .n_pairs = o->k * (o->k + 1) / 2};
    int64_t size = j.n_pairs * j.width * j.width;
    j.ld = (j.width + 7) / 8 * 8;
    if (size == 0) return SMR_OK;
    int64_t most = SMR_MIN(32, SMR_MAX(4, (1 << 22) / size));
    int64_t blocks = smr_block_count(smr_block_count(o->n, o->block), most);
    j.chunk = SMR_MAX(1, blocks) * o->block;
    j.n_chunks = smr_block_count(o->n, j.chunk);
    TRY_NEW(j.G, j.n_chunks * size);
    TRY_NEW(j.rooms, o->n_lanes);
    j.n_rooms = o->n_lanes;
    for (int i = 0; i < j.n_rooms; i++) {
        TRY_NEW(j.rooms[i].Z, o->block * j.ld);
        j.rooms[i].work = smr_alloc(ctx, smr_gram_work(j.width), 1);
        if (!j.rooms[i].work) TRY(SMR_ERR_NOMEM);
    }
    TRY(smr_parallel(ctx, NULL, j.n_chunks, take_chunk, &j));
    settle(&j, H);
out:
    for (int i = 0; i < j.n_rooms; i++) {
        smr_free(j.rooms[i].Z);
        smr_free(j.rooms[i].work);
    }
    smr_free(j.rooms);
    smr_free(j.G);
    return st;
}
