/* proximity.c -- see proximity.h. */
#include "learn/trees/proximity.h"

#include "core/ctx.h"
#include "core/mem.h"
#include "core/parallel.h"
#include "core/sort.h"
#include "core/try.h"

#include <math.h>

enum { BLOCK = 64 }; /* rows */

/* ---- rows by leaf ----------------------------------------------------------------------- */

smr_status smr_proximity_room(smr_ctx *ctx, const smr_trees *trees, int64_t n, smr_proximity *out)
{
    smr_status st = SMR_OK;
    *out = (smr_proximity){.n = n, .n_trees = trees->n_trees, .n_leaves = trees->n_leaves};
    double bytes = 8.0 * (double)n * (double)trees->n_trees + 8.0 * (double)trees->n_leaves;
    TRY(smr_memory_check(ctx, bytes, "the leaves of these rows", "use fewer with --use-rows"));
    TRY_NEW(out->leaf, n * trees->n_trees);
    TRY_NEW(out->row, n * trees->n_trees);
    TRY_NEW(out->first, trees->n_leaves + 1);
out:
    if (st != SMR_OK) smr_proximity_release(out);
    return st;
}

void smr_proximity_release(smr_proximity *p)
{
    smr_free(p->leaf);
    smr_free(p->row);
    smr_free(p->first);
    *p = (smr_proximity){0};
}

smr_status smr_proximity_list(smr_ctx *ctx, smr_proximity *p)
{
    smr_status st = SMR_OK;
    int64_t *next = NULL, cells = p->n * p->n_trees;
    TRY_NEW(next, p->n_leaves + 1);
    for (int64_t c = 0; c < cells; c++) p->first[p->leaf[c] + 1]++;
    for (int64_t l = 0; l < p->n_leaves; l++) {
        p->first[l + 1] += p->first[l];
        next[l] = p->first[l];
    }
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t t = 0; t < p->n_trees; t++)
            p->row[next[p->leaf[i * p->n_trees + t]]++] = (int32_t)i;
out:
    smr_free(next);
    return st;
}

int64_t smr_proximity_count(const smr_proximity *p, int64_t i, int32_t *together, int32_t *met)
{
    int64_t n = 0;
    for (int64_t t = 0; t < p->n_trees; t++) {
        int32_t leaf = p->leaf[i * p->n_trees + t];
        for (int64_t c = p->first[leaf]; c < p->first[leaf + 1]; c++) {
            int32_t other = p->row[c];
            if (together[other]++ == 0) met[n++] = other;
        }
    }
    return n;
}

/* ---- nearest rows ----------------------------------------------------------------------- */

struct nearest_job {
    const smr_proximity *p;
    const int64_t *asked;
    int64_t n_asked, k;
    const int32_t *group;
    smr_mate *nearest;
    double *squares;
    int32_t *together, *met; /* lanes x n */
};

static bool is_nearer(smr_mate a, smr_mate b)
{
    if (b.row < 0) return true;
    return a.together > b.together || (a.together == b.together && a.row < b.row);
}

/* best[k] stays sorted. */
static void insert(smr_mate *best, int64_t k, smr_mate one)
{
    int64_t at = k;
    if (k == 0 || !is_nearer(one, best[k - 1])) return;
    for (at = k - 1; at > 0 && is_nearer(one, best[at - 1]); at--) best[at] = best[at - 1];
    best[at] = one;
}

static smr_status find_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct nearest_job *job = arg;
    const smr_proximity *p = job->p;
    int32_t *together = job->together + lane * p->n, *met = job->met + lane * p->n;
    int64_t end = smr_block_end(job->n_asked, BLOCK, task);
    double trees = (double)p->n_trees;
    (void)ctx;
    for (int64_t a = task * BLOCK; a < end; a++) {
        int64_t i = job->asked ? job->asked[a] : a, m = smr_proximity_count(p, i, together, met);
        int64_t squares = 0;
        smr_mate *best = job->nearest + a * job->k;
        for (int64_t k = 0; k < job->k; k++) best[k] = (smr_mate){.row = -1};
        for (int64_t c = 0; c < m; c++) {
            int64_t other = met[c], count = together[other];
            together[other] = 0;
            if (!job->group || job->group[other] == job->group[i]) squares += count * count;
            if (other != i) insert(best, job->k, (smr_mate){met[c], (int32_t)count});
        }
        if (job->squares) job->squares[a] = (double)squares / (trees * trees);
    }
    return SMR_OK;
}

smr_status smr_proximity_nearest(smr_ctx *ctx, const smr_proximity *p, const int64_t *asked,
                                 int64_t n_asked, const int32_t *group, int64_t k,
                                 smr_mate *nearest, double *squares)
{
    smr_status st = SMR_OK;
    struct nearest_job job = {.p = p,
                              .asked = asked,
                              .n_asked = asked ? n_asked : p->n,
                              .k = k,
                              .group = group,
                              .nearest = nearest,
                              .squares = squares};
    int64_t lanes = smr_lanes(ctx);
    TRY_NEW(job.together, lanes * p->n);
    TRY_NEW(job.met, lanes * p->n);
    TRY(smr_parallel(ctx, "rows", smr_block_count(job.n_asked, BLOCK), find_block, &job));
out:
    smr_free(job.together);
    smr_free(job.met);
    return st;
}

/* ---- outliers --------------------------------------------------------------------------- */

/* raw[m] of a group becomes its rows' measures; order: room for m. */
static smr_status measure_group(smr_ctx *ctx, int64_t m, double *raw, int64_t *order)
{
    smr_status st = smr_argsort_f64(ctx, m, raw, order);
    if (st != SMR_OK || m == 0) return st;
    double median = (raw[order[(m - 1) / 2]] + raw[order[m / 2]]) / 2, spread = 0;
    for (int64_t k = 0; k < m; k++) spread += fabs(raw[k] - median) / (double)m;
    for (int64_t k = 0; k < m; k++) raw[k] = spread > 0 ? (raw[k] - median) / spread : 0;
    return SMR_OK;
}

smr_status smr_proximity_outliers(smr_ctx *ctx, int64_t n, const double *squares,
                                  const int32_t *group, int64_t n_groups, double *measure)
{
    smr_status st = SMR_OK;
    double *raw = NULL;
    int64_t *order = NULL;
    TRY_NEW(raw, n + 1);
    TRY_NEW(order, n + 1);
    for (int64_t i = 0; i < n; i++) measure[i] = NAN;
    for (int64_t g = 0; g < (group ? n_groups : 1); g++) {
        int64_t m = 0, size = 0;
        for (int64_t i = 0; i < n; i++) size += !group || group[i] == g;
        for (int64_t i = 0; i < n; i++)
            if (!group || group[i] == g) raw[m++] = (double)size / squares[i];
        TRY(measure_group(ctx, m, raw, order));
        m = 0;
        for (int64_t i = 0; i < n; i++)
            if (!group || group[i] == g) measure[i] = raw[m++];
    }
out:
    smr_free(raw);
    smr_free(order);
    return st;
}
