/* hmm_count.c -- what is counted in the steps of sequences, by how likely each state is. */
#include "learn/graphical/hmm.h"

#include "core/try.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

void smr_hmm_counts_release(struct smr_hmm_counts *c)
{
    smr_free(c->all);
    *c = (struct smr_hmm_counts){0};
}

smr_status smr_hmm_counts_create(smr_ctx *ctx, const struct smr_hmm_state *s, int64_t width,
                                 struct smr_hmm_counts *out)
{
    smr_status st = SMR_OK;
    int64_t parts = s->n_states * s->n_mix, d = s->n_numbers;
    struct smr_hmm_counts c = {.n = width * (3 + width + s->n_levels + 2 * d) +
                                    parts * (1 + 2 * d + s->n_spread)};
    TRY_NEW(c.all, c.n);
    c.start = c.all;
    c.state = c.start + width;
    c.move = c.state + width;
    c.emit = c.move + width * width;
    c.part = c.emit + width * s->n_levels;
    c.seen = c.part + parts;
    c.sum = c.seen + parts * d;
    c.cross = c.sum + parts * d;
    c.lane_state = c.cross + parts * s->n_spread;
    c.lane_sum = c.lane_state + width;
    c.lane_square = c.lane_sum + width * d;
    *out = c;
out:
    return st;
}

void smr_hmm_counts_add(struct smr_hmm_counts *counts, int64_t n)
{
    for (int64_t t = 1; t < n; t++)
        for (int64_t i = 0; i < counts[0].n; i++) counts[0].all[i] += counts[t].all[i];
}

void smr_hmm_counts_settle(const struct smr_hmm_emits *e, struct smr_hmm_counts *c)
{
    int64_t d = e->normals.d, width = e->width;
    for (int64_t j = 0; d && j < e->s->n_states; j++) {
        c->part[j] += c->lane_state[j];
        for (int64_t k = 0; k < d; k++) {
            c->seen[j * d + k] += c->lane_state[j];
            c->sum[j * d + k] += c->lane_sum[k * width + j];
            c->cross[j * d + k] += c->lane_square[k * width + j];
        }
    }
    memset(c->lane_state, 0, (size_t)(width * (1 + 2 * d)) * sizeof *c->lane_state);
}

void smr_hmm_counting_release(struct smr_hmm_counting *c)
{
    smr_free(c->X);
    smr_free(c->z);
    smr_free(c->share);
    smr_free(c->weight);
    smr_free(c->product);
    *c = (struct smr_hmm_counting){0};
}

smr_status smr_hmm_counting_create(smr_ctx *ctx, const struct smr_hmm_state *s, int64_t n,
                                   struct smr_hmm_counting *out)
{
    smr_status st = SMR_OK;
    struct smr_hmm_counting c = {0};
    TRY_NEW(c.X, n * s->n_numbers);
    TRY_NEW(c.z, n * s->n_numbers);
    TRY_NEW(c.share, n * s->n_mix);
    TRY_NEW(c.weight, n);
    TRY_NEW(c.product, n);
    *out = c;
    c = (struct smr_hmm_counting){0};
out:
    smr_hmm_counting_release(&c);
    return st;
}

static void count_symbols(const struct smr_hmm_steps *steps, int64_t lo, int64_t n,
                          const double *posterior, struct smr_hmm_counts *to)
{
    const struct smr_hmm_emits *e = steps->emits;
    const struct smr_hmm_state *s = e->s;
    int64_t width = e->width;
    for (int64_t c = 0; c < s->n_symbols; c++) {
        const double *x = steps->x + lo * steps->stride + s->symbol[c];
        for (int64_t i = 0; i < n; i++) {
            double code = x[i * steps->stride];
            if (isnan(code)) continue;
            double *row = to->emit + (s->first[c] + (int64_t)code) * width;
            for (int64_t j = 0; j < width; j++) row[j] += posterior[i * width + j];
        }
    }
}

/* share (m x n): of each part of state j's mixture in its steps. */
static void share_parts(const struct smr_hmm_emits *e, int64_t j, const double *X, int64_t n,
                        bool gaps, double *share)
{
    int64_t m = e->s->n_mix;
    for (int64_t p = 0; p < m; p++) smr_hmm_part(e, j * m + p, X, n, gaps, share + p * n);
    for (int64_t i = 0; i < n; i++) {
        double top = share[i], sum = 0;
        for (int64_t p = 1; p < m; p++) top = smr_fmax(top, share[p * n + i]);
        for (int64_t p = 0; p < m; p++)
            sum += share[p * n + i] = top > -INFINITY ? smr_exp(share[p * n + i] - top) : 1;
        for (int64_t p = 0; p < m; p++) share[p * n + i] /= sum;
    }
}

/* Sums over the numbers of part p; work->weight: how much of it each step is. */
static void count_part(const struct smr_hmm_emits *e, int64_t p, int64_t n, bool gaps,
                       struct smr_hmm_counting *work, struct smr_hmm_counts *to)
{
    const struct smr_hmm_state *s = e->s;
    const double *X = work->X;
    double *weight = work->weight, *z = work->z, *product = work->product;
    int64_t d = s->n_numbers;
    for (int64_t i = 0; gaps && e->is_full && i < n; i++)
        for (int64_t k = 0; k < d; k++)
            if (isnan(X[k * n + i])) weight[i] = 0;
    to->part[p] += smr_sum_f64(n, weight);
    for (int64_t k = 0; k < d; k++) {
        double mean = s->mean[p * d + k], *zk = z + k * n, *seen = &to->seen[p * d + k];
        const double *x = X + k * n;
        for (int64_t i = 0; i < n; i++) zk[i] = x[i] - mean;
        for (int64_t i = 0; gaps && i < n; i++) {
            if (isnan(x[i]))
                zk[i] = 0;
            else
                *seen += weight[i];
        }
        if (!gaps) *seen += smr_sum_f64(n, weight);
        to->sum[p * d + k] += smr_dot_f64(n, weight, zk);
    }
    for (int64_t k = 0; k < d; k++) {
        double *zk = z + k * n;
        int64_t at = e->is_full ? p * d * d + k * d : p * d + k;
        for (int64_t i = 0; i < n; i++) product[i] = weight[i] * zk[i];
        for (int64_t l = e->is_full ? 0 : k; l <= k; l++)
            to->cross[e->is_full ? at + l : at] += smr_dot_f64(n, product, z + l * n);
    }
}

void smr_hmm_count_rows(const struct smr_hmm_steps *steps, int64_t lo, int64_t n,
                        const double *posterior, struct smr_hmm_counting *work,
                        struct smr_hmm_counts *to)
{
    const struct smr_hmm_emits *e = steps->emits;
    const struct smr_hmm_state *s = e->s;
    int64_t width = e->width, m = s->n_mix;
    int64_t ld;
    smr_lanes_sum_f64(n, width, posterior, to->state);
    count_symbols(steps, lo, n, posterior, to);
    if (s->n_numbers == 0) return;
    const double *x = smr_hmm_plain(steps, lo, n, work->X, &ld);
    if (x) {
        smr_lanes_sum_f64(n, width, posterior, to->lane_state);
        smr_normals_moments_f64(n, &e->normals, x, ld, posterior, to->lane_sum, to->lane_square);
        return;
    }
    bool gaps = smr_hmm_numbers(steps, lo, n, work->X);
    for (int64_t j = 0; j < s->n_states; j++) {
        if (m > 1) share_parts(e, j, work->X, n, gaps, work->share);
        for (int64_t p = 0; p < m; p++) {
            for (int64_t i = 0; i < n; i++)
                work->weight[i] = posterior[i * width + j] * (m > 1 ? work->share[p * n + i] : 1);
            count_part(e, j * m + p, n, gaps, work, to);
        }
    }
}
