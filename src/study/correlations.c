/* correlations.c -- all pairs of number columns: see relevance.h.
 *
 * With z = (x - mean) / sd where x is there and 0 where it is not, and m = 1 or 0 alike, the sums
 * over the rows that have both of a pair are plain products of whole columns:
 *
 *     n = sum w m_a m_b,  S_a = sum w z_a m_b,  S_aa = sum w z_a^2 m_b,  S_ab = sum w z_a z_b
 *     r = (S_ab - S_a S_b / n) / sqrt((S_aa - S_a^2 / n) (S_bb - S_b^2 / n))
 *
 * and for columns without gaps only S_ab is left to do.  Rows go in chunks that stay in the cache;
 * a task's sums are kept apart and added in order. */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "math/dd.h"
#include "study/relevance.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 512, TASKS = 64, SUMS = 6 };
enum { N, A, B, AA, BB, AB }; /* the six sums of a pair */

struct correlating {
    const smr_table *table;
    const int64_t *cols;
    int64_t n_cols, task_rows;
    const double *weight;
    const smr_column_summary *known;
    double *mean, *scale; /* n_cols: 1 / sd, 0 for a constant column */
    bool *gaps;           /* n_cols                                  */
    bool plain;           /* neither weights nor gaps                */
    double *sums;         /* tasks x pairs x SUMS                    */
};

struct moments {
    dd weight, sum, squares;
};

static double find_deviation(const struct correlating *job, const smr_column *col, int64_t c)
{
    struct moments m = {0};
    double x[CHUNK];
    for (int64_t lo = 0, n; lo < job->table->n_rows; lo += n) {
        n = SMR_MIN(CHUNK, job->table->n_rows - lo);
        smr_column_numbers(col, lo, n, x);
        for (int64_t k = 0; k < n; k++) {
            double w = job->weight ? job->weight[lo + k] : 1;
            job->gaps[c] |= !isfinite(x[k]);
            if (!isfinite(x[k])) continue;
            dd_add(&m.weight, w);
            dd_add(&m.sum, w * x[k]);
        }
    }
    double mean = job->mean[c] = dd_value(m.sum) / dd_value(m.weight);
    for (int64_t lo = 0, n; lo < job->table->n_rows; lo += n) {
        n = SMR_MIN(CHUNK, job->table->n_rows - lo);
        smr_column_numbers(col, lo, n, x);
        for (int64_t k = 0; k < n; k++) {
            double w = job->weight ? job->weight[lo + k] : 1;
            if (isfinite(x[k])) dd_add(&m.squares, w * (x[k] - mean) * (x[k] - mean));
        }
    }
    return sqrt(dd_value(m.squares) / dd_value(m.weight));
}

static smr_status take_moments(smr_ctx *ctx, void *arg, int64_t c, int lane)
{
    struct correlating *job = arg;
    int64_t j = job->cols[c], n = job->table->n_rows;
    const smr_column_summary *known = job->known ? &job->known[j] : NULL;
    double sd;
    (void)ctx, (void)lane;
    if (known && !job->weight && known->n == n && known->n_infinite == 0) {
        job->mean[c] = known->mean;
        sd = known->sd * sqrt((double)(n - 1) / (double)n);
    } else {
        sd = find_deviation(job, &job->table->cols[j], c);
    }
    job->scale[c] = sd > 1e-12 * fabs(job->mean[c]) && isfinite(sd) ? 1 / sd : 0;
    return SMR_OK;
}

/* A chunk of one column: z, w z, m, w m; without weights and gaps only z is read. */
struct chunk {
    double z[CHUNK], wz[CHUNK], m[CHUNK], wm[CHUNK], wzz[CHUNK];
};

static void fill_chunk(const struct correlating *job, int64_t c, int64_t lo, int64_t n,
                       struct chunk *out)
{
    const smr_column *col = &job->table->cols[job->cols[c]];
    double mean = job->mean[c], scale = job->scale[c];
    smr_column_numbers(col, lo, n, out->z);
    if (job->plain) {
        for (int64_t k = 0; k < n; k++) out->z[k] = (out->z[k] - mean) * scale;
        return;
    }
    for (int64_t k = 0; k < n; k++) {
        double x = out->z[k], w = job->weight ? job->weight[lo + k] : 1;
        bool there = isfinite(x);
        out->m[k] = there;
        out->z[k] = there ? (x - mean) * scale : 0;
        out->wm[k] = w * out->m[k];
        out->wz[k] = w * out->z[k];
        out->wzz[k] = out->wz[k] * out->z[k];
    }
}

static smr_status sum_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct correlating *job = arg;
    smr_status st = SMR_OK;
    int64_t C = job->n_cols, lo = task * job->task_rows;
    int64_t hi = SMR_MIN(job->table->n_rows, lo + job->task_rows);
    double *sums = job->sums + task * (C * (C + 1) / 2) * SUMS;
    struct chunk *chunks = NULL;
    (void)lane;
    TRY_NEW(chunks, C);
    for (; lo < hi; lo += CHUNK) {
        int64_t n = SMR_MIN(CHUNK, hi - lo);
        for (int64_t c = 0; c < C; c++) fill_chunk(job, c, lo, n, &chunks[c]);
        double *s = sums;
        for (int64_t a = 0; a < C; a++)
            for (int64_t b = a; b < C; b++, s += SUMS) {
                s[AB] += smr_dot_f64(n, job->plain ? chunks[a].z : chunks[a].wz, chunks[b].z);
                if (!job->gaps[a] && !job->gaps[b]) continue;
                s[N] += smr_dot_f64(n, chunks[a].wm, chunks[b].m);
                s[A] += smr_dot_f64(n, chunks[a].wz, chunks[b].m);
                s[B] += smr_dot_f64(n, chunks[b].wz, chunks[a].m);
                s[AA] += smr_dot_f64(n, chunks[a].wzz, chunks[b].m);
                s[BB] += smr_dot_f64(n, chunks[b].wzz, chunks[a].m);
            }
    }
out:
    smr_free(chunks);
    return st;
}

/* Adds the tasks' sums of a pair, in order. */
static void add_tasks(const struct correlating *job, int64_t n_tasks, int64_t pair, double *s)
{
    int64_t pairs = job->n_cols * (job->n_cols + 1) / 2;
    for (int k = 0; k < SUMS; k++) {
        dd sum = {0, 0};
        for (int64_t t = 0; t < n_tasks; t++)
            dd_add(&sum, job->sums[(t * pairs + pair) * SUMS + k]);
        s[k] = dd_value(sum);
    }
}

static double correlation_of(const double *s)
{
    double aa = s[AA] - s[A] * s[A] / s[N], bb = s[BB] - s[B] * s[B] / s[N];
    double ab = s[AB] - s[A] * s[B] / s[N];
    if (!(aa > 0 && bb > 0 && s[N] > 1)) return NAN;
    return smr_fmax(-1, smr_fmin(1, ab / (sqrt(aa) * sqrt(bb))));
}

smr_status smr_correlations(smr_ctx *ctx, const smr_table *table, const int64_t *cols, int64_t C,
                            const double *weight, const smr_column_summary *known, double *r,
                            double *pairs)
{
    smr_status st = SMR_OK;
    struct correlating job = {
        .table = table, .cols = cols, .n_cols = C, .weight = weight, .known = known};
    double total = 0;
    job.task_rows = SMR_MAX(4096, (table->n_rows + TASKS - 1) / TASKS);
    int64_t n_tasks = smr_block_count(table->n_rows, job.task_rows), pair = 0;
    TRY_NEW(job.mean, C + 1);
    TRY_NEW(job.scale, C + 1);
    TRY_NEW(job.gaps, C + 1);
    TRY_NEW(job.sums, n_tasks * (C * (C + 1) / 2) * SUMS + 1);
    TRY(smr_parallel(ctx, NULL, C, take_moments, &job));
    job.plain = !weight;
    for (int64_t c = 0; c < C; c++) job.plain &= !job.gaps[c];
    TRY(smr_parallel(ctx, NULL, n_tasks, sum_task, &job));
    for (int64_t i = 0; i < table->n_rows; i++) total += weight ? weight[i] : 1;
    for (int64_t a = 0; a < C; a++)
        for (int64_t b = a; b < C; b++, pair++) {
            double s[SUMS];
            bool whole = !job.gaps[a] && !job.gaps[b];
            add_tasks(&job, n_tasks, pair, s);
            if (whole) { /* z has mean 0 and variance 1 */
                s[N] = s[AA] = s[BB] = total;
                s[A] = s[B] = 0;
            }
            bool flat = job.scale[a] == 0 || job.scale[b] == 0;
            r[a * C + b] = r[b * C + a] = flat ? NAN : a == b ? 1 : correlation_of(s);
            if (pairs) pairs[a * C + b] = pairs[b * C + a] = s[N];
        }
out:
    smr_free(job.mean);
    smr_free(job.scale);
    smr_free(job.gaps);
    smr_free(job.sums);
    return st;
}
