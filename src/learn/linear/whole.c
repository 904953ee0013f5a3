/* whole.c -- see whole.h. */
#include "learn/linear/whole.h"

#include "core/parallel.h"
#include "learn/linear/affine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 256, CHUNK = 65536 };

/* ---- are all values finite? ------------------------------------------------------------- */

struct scan {
    const smr_whole *whole;
    bool *is_bad; /* by chunk */
};

/* x - x is 0 for finite x, NaN else; the sum keeps a NaN.  Four sums, that none waits. */
static bool all_finite_f64(int64_t n, const double *x)
{
    double a = 0, b = 0, c = 0, d = 0;
    int64_t e = 0;
    for (; e + 4 <= n; e += 4) {
        a += x[e] - x[e];
        b += x[e + 1] - x[e + 1];
        c += x[e + 2] - x[e + 2];
        d += x[e + 3] - x[e + 3];
    }
    for (; e < n; e++) a += x[e] - x[e];
    return (a + b) + (c + d) == 0;
}

static bool all_finite_f32(int64_t n, const float *x)
{
    float sum = 0;
    for (int64_t e = 0; e < n; e++) sum += x[e] - x[e];
    return sum == 0;
}

static smr_status scan_entries(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct scan *s = arg;
    int64_t lo = task * CHUNK,
            hi = smr_block_end(s->whole->sparse.start[s->whole->sparse.n_rows], CHUNK, task);
    (void)ctx, (void)lane;
    s->is_bad[task] = !all_finite_f64(hi - lo, s->whole->sparse.value + lo);
    return SMR_OK;
}

static smr_status scan_rows(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct scan *s = arg;
    const smr_dense *m = &s->whole->dense;
    bool is_good = true;
    (void)ctx, (void)lane;
    for (int64_t i = task * BLOCK; i < smr_block_end(s->whole->n_rows, BLOCK, task); i++) {
        int64_t at = (s->whole->rows ? s->whole->rows[i] : i) * m->stride;
        is_good &= m->dtype == SMR_F64 ? all_finite_f64(m->n_cols, (const double *)m->values + at)
                                       : all_finite_f32(m->n_cols, (const float *)m->values + at);
    }
    s->is_bad[task] = !is_good;
    return SMR_OK;
}

/* Names the first value that is not finite among the data's own rows; none may be (an entry of a
 * row that the index leaves out). */
static smr_status name_it(smr_ctx *ctx, const char *learner, const smr_data *data)
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    TRY(smr_reader_open(ctx, data, SMR_FORM_SPARSE, BLOCK, &reader));
    for (int64_t lo = 0; lo < data->n_rows; lo += BLOCK) {
        smr_rows b;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(data->n_rows, lo + BLOCK), &b));
        for (int64_t i = 0; i < b.n; i++)
            for (int64_t e = b.start[i]; e < b.start[i + 1]; e++) {
                char name[32];
                if (isfinite(b.value[e])) continue;
                TRY(smr_fail(ctx, SMR_ERR_DATA,
                             "%s: row %lld, column '%s': the value is not finite", learner,
                             (long long)(data->rows ? data->rows[lo + i] : lo + i) + 1,
                             smr_affine_name(data->features, b.column[e], name)));
            }
    }
out:
    smr_reader_close(reader);
    return st;
}

static smr_status refuse_not_finite(smr_ctx *ctx, const char *learner, const smr_data *data,
                                    const smr_whole *w)
{
    smr_status st = SMR_OK;
    struct scan s = {.whole = w};
    bool is_bad = false;
    if (!w->is_sparse && w->dense.dtype == SMR_U8) return SMR_OK;
    int64_t n = w->is_sparse ? smr_block_count(w->sparse.start[w->sparse.n_rows], CHUNK)
                             : smr_block_count(w->n_rows, BLOCK);
    TRY_NEW(s.is_bad, n);
    TRY(smr_parallel(ctx, NULL, n, w->is_sparse ? scan_entries : scan_rows, &s));
    for (int64_t b = 0; b < n; b++) is_bad |= s.is_bad[b];
    if (is_bad) TRY(name_it(ctx, learner, data));
out:
    smr_free(s.is_bad);
    return st;
}

/* ---- copies ----------------------------------------------------------------------------- */

struct copy {
    const smr_data *data;
    smr_reader **readers; /* one a lane */
    int n_readers;
    smr_whole *to;
};

static smr_status copy_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct copy *c = arg;
    smr_rows b;
    int64_t d = c->to->n_cols;
    smr_status st = smr_reader_rows(ctx, c->readers[lane], task * BLOCK,
                                    smr_block_end(c->to->n_rows, BLOCK, task), &b);
    for (int64_t i = 0; st == SMR_OK && i < b.n; i++)
        memcpy(c->to->value + (task * BLOCK + i) * d, (const double *)b.x + i * b.stride,
               (size_t)d * sizeof *c->to->value);
    return st;
}

static smr_status copy_dense(smr_ctx *ctx, const char *learner, const smr_data *data, smr_whole *to)
{
    smr_status st = SMR_OK;
    struct copy c = {.data = data, .to = to};
    char what[64];
    snprintf(what, sizeof what, "%s's copy of the rows", learner);
    TRY(smr_memory_check(ctx, 8.0 * (double)to->n_rows * (double)to->n_cols, what,
                         "take fewer rows or columns, or loss=squared_hinge solver=primal, which "
                         "reads the rows as they come"));
    to->value = smr_alloc_raw(ctx, SMR_MAX(to->n_rows * to->n_cols, 1), sizeof *to->value);
    if (!to->value) st = SMR_ERR_NOMEM;
    if (!to->value) goto out;
    TRY_NEW(c.readers, smr_lanes(ctx));
    for (; c.n_readers < smr_lanes(ctx); c.n_readers++)
        TRY(smr_reader_open(ctx, data, SMR_FORM_F64, BLOCK, &c.readers[c.n_readers]));
    TRY(smr_parallel(ctx, NULL, smr_block_count(to->n_rows, BLOCK), copy_block, &c));
    to->dense = (smr_dense){to->value, SMR_F64, to->n_rows, to->n_cols, to->n_cols};
out:
    for (int i = 0; i < c.n_readers; i++) smr_reader_close(c.readers[i]);
    smr_free(c.readers);
    return st;
}

static smr_status grow(smr_ctx *ctx, smr_whole *to, int64_t *room, int64_t wanted)
{
    if (wanted <= *room) return SMR_OK;
    int64_t next = SMR_MAX(wanted, *room + *room / 2);
    int32_t *column = smr_realloc(ctx, to->column, next, sizeof *column);
    if (column) to->column = column;
    double *value = column ? smr_realloc(ctx, to->value, next, sizeof *value) : NULL;
    if (!value) return SMR_ERR_NOMEM;
    to->value = value;
    *room = next;
    return SMR_OK;
}

/* Copies sparse rows; *is_dense if the first block says that they are not. */
static smr_status copy_sparse(smr_ctx *ctx, const smr_data *data, smr_whole *to, bool *is_dense)
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    int64_t room = 1024;
    *is_dense = false;
    TRY_NEW(to->start, to->n_rows + 1);
    TRY_NEW(to->column, room);
    TRY_NEW(to->value, room);
    TRY(smr_reader_open(ctx, data, SMR_FORM_SPARSE, BLOCK, &reader));
    for (int64_t lo = 0; lo < to->n_rows; lo += BLOCK) {
        smr_rows b;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(to->n_rows, lo + BLOCK), &b));
        int64_t n = b.start[b.n] - b.start[0], used = to->start[lo];
        *is_dense = lo == 0 && 3 * n > b.n * b.d;
        if (*is_dense) goto out;
        TRY(grow(ctx, to, &room, used + n));
        memcpy(to->column + used, b.column + b.start[0], (size_t)n * sizeof *to->column);
        memcpy(to->value + used, b.value + b.start[0], (size_t)n * sizeof *to->value);
        for (int64_t i = 0; i < b.n; i++)
            to->start[lo + i + 1] = used + b.start[i + 1] - b.start[0];
    }
    to->sparse = (smr_csr){to->n_rows, to->n_cols, to->start, to->column, to->value};
    to->is_sparse = true;
out:
    smr_reader_close(reader);
    return st;
}

/* ---- together --------------------------------------------------------------------------- */

static bool is_view(const smr_data *data, smr_whole *out)
{
    if (data->sparse && !data->source) {
        out->sparse = *data->sparse;
        out->rows = data->rows;
        out->is_sparse = true;
        return true;
    }
    smr_data all = *data; /* the rows that the index chooses from */
    all.rows = NULL;
    out->rows = data->rows;
    return smr_data_whole(&all, SMR_FORM_F64, &out->dense) ||
           smr_data_whole(&all, SMR_FORM_F32, &out->dense) ||
           smr_data_whole(&all, SMR_FORM_U8, &out->dense);
}

smr_status smr_whole_open(smr_ctx *ctx, const char *learner, const smr_data *data, smr_whole *out)
{
    smr_status st = SMR_OK;
    bool is_dense = true;
    *out = (smr_whole){.n_rows = data->n_rows, .n_cols = data->n_features};
    if (!is_view(data, out)) {
        out->rows = NULL;
        if (data->source) TRY(copy_sparse(ctx, data, out, &is_dense));
        if (is_dense) {
            smr_whole_close(out);
            *out = (smr_whole){.n_rows = data->n_rows, .n_cols = data->n_features};
            TRY(copy_dense(ctx, learner, data, out));
        }
    }
    TRY(refuse_not_finite(ctx, learner, data, out));
out:
    if (st != SMR_OK) smr_whole_close(out);
    return st;
}

void smr_whole_close(smr_whole *whole)
{
    smr_free(whole->start);
    smr_free(whole->column);
    smr_free(whole->value);
    *whole = (smr_whole){0};
}
