/* jtree_run.c -- messages through the tree of cliques, and what is read off afterwards.
 *
 * A clique that many messages reach could underflow: where its largest cell falls below 2^-256, all
 * are multiplied by 2^512, exactly, and the logarithm is taken back. */
#include "kernel/kernel.h"
#include "learn/graphical/jtree.h"

#include <math.h>
#include <string.h>

static const double TINY = 0x1p-256, LIFT = 0x1p512;

int64_t smr_jtree_work(const smr_jtree *t)
{
    int64_t widest = 0;
    for (int64_t c = 0; c < t->n_cliques; c++)
        widest = SMR_MAX(widest, t->sep_at[c + 1] - t->sep_at[c]);
    return t->cell_at[t->n_cliques] + t->sep_at[t->n_cliques] + widest;
}

void smr_jtree_refresh(smr_jtree *t)
{
    int64_t n = t->of->dag.n;
    for (int64_t cell = 0; cell < t->cell_at[t->n_cliques]; cell++) t->base[cell] = 1;
    for (int64_t i = 0; i < n; i++) {
        const double *p = t->of->p + t->of->at[i];
        const int32_t *from = t->from + t->from_at[i];
        double *base = t->base + t->cell_at[t->home[i]];
        int64_t cells = t->from_at[i + 1] - t->from_at[i];
        for (int64_t cell = 0; cell < cells; cell++) base[cell] *= p[from[cell]];
    }
}

/* Leaves the cells where node i has its level. */
static void observe(const smr_jtree *t, int64_t i, int32_t level, double *work)
{
    int64_t c = t->home[i], step = t->step[i], round = step * t->of->levels[i];
    int64_t cells = t->cell_at[c + 1] - t->cell_at[c];
    double *x = work + t->cell_at[c];
    for (int64_t at = 0; at < cells; at += round) {
        memset(x + at, 0, (size_t)(level * step) * sizeof *x);
        memset(x + at + (level + 1) * step, 0, (size_t)(round - (level + 1) * step) * sizeof *x);
    }
}

void smr_jtree_enter(const smr_jtree *t, const int32_t *evidence, double *work)
{
    memcpy(work, t->base, (size_t)t->cell_at[t->n_cliques] * sizeof *work);
    for (int64_t i = 0; evidence && i < t->of->dag.n; i++)
        if (evidence[i] >= 0) observe(t, i, evidence[i], work);
}

/* Sums the cells of clique c by the cells of the message; the sum of all. */
static double sum_onto(int64_t cells, const double *x, const int32_t *map, int64_t n, double *out)
{
    double sum = 0;
    memset(out, 0, (size_t)n * sizeof *out);
    for (int64_t cell = 0; cell < cells; cell++) out[map[cell]] += x[cell];
    for (int64_t s = 0; s < n; s++) sum += out[s];
    return sum;
}

/* Message up; returns the logarithm of what was taken out, or -INFINITY. */
static double send_up(const smr_jtree *t, int64_t c, double *work, double *message)
{
    int64_t up = t->up[c], n = t->sep_at[c + 1] - t->sep_at[c];
    int64_t above = t->cell_at[up + 1] - t->cell_at[up];
    const int32_t *over = t->over + t->over_at[c];
    double *to = work + t->cell_at[up], most = 0;
    double sum = sum_onto(t->cell_at[c + 1] - t->cell_at[c], work + t->cell_at[c],
                          t->own + t->cell_at[c], n, message);
    if (!(sum > 0)) return -INFINITY;
    double scale = 1 / sum;
    for (int64_t cell = 0; cell < above; cell++) {
        to[cell] *= message[over[cell]] * scale;
        most = smr_fmax(most, to[cell]);
    }
    if (!(most > 0)) return -INFINITY;
    if (most >= TINY) return smr_log(sum);
    for (int64_t cell = 0; cell < above; cell++) to[cell] *= LIFT;
    return smr_log(sum) - 512 * 0.693147180559945309417;
}

/* From the clique above: what it says now over what was told to it. */
static void send_down(const smr_jtree *t, int64_t c, double *work, double *message, double *now)
{
    int64_t up = t->up[c], n = t->sep_at[c + 1] - t->sep_at[c];
    const int32_t *own = t->own + t->cell_at[c];
    double *to = work + t->cell_at[c];
    sum_onto(t->cell_at[up + 1] - t->cell_at[up], work + t->cell_at[up], t->over + t->over_at[c], n,
             now);
    for (int64_t s = 0; s < n; s++) now[s] = message[s] > 0 ? now[s] / message[s] : 0;
    int64_t cells = t->cell_at[c + 1] - t->cell_at[c];
    for (int64_t cell = 0; cell < cells; cell++) to[cell] *= now[own[cell]];
}

double smr_jtree_run(const smr_jtree *t, const int32_t *evidence, bool all, double *work)
{
    int64_t last = t->n_cliques - 1, cells = t->cell_at[t->n_cliques];
    double *message = work + cells, *now = message + t->sep_at[t->n_cliques], log_p = 0, sum = 0;
    smr_jtree_enter(t, evidence, work);
    for (int64_t c = 0; c < last; c++) {
        log_p += send_up(t, c, work, message + t->sep_at[c]);
        if (!(log_p > -INFINITY)) return -INFINITY;
    }
    for (int64_t cell = t->cell_at[last]; cell < cells; cell++) sum += work[cell];
    if (!(sum > 0)) return -INFINITY;
    for (int64_t cell = t->cell_at[last]; cell < cells; cell++) work[cell] /= sum;
    for (int64_t c = last - 1; all && c >= 0; c--)
        send_down(t, c, work, message + t->sep_at[c], now);
    return log_p + smr_log(sum);
}

/* ---- reading off ------------------------------------------------------------------------ */

void smr_jtree_marginal(const smr_jtree *t, const double *work, int64_t node, double *out)
{
    int64_t c = t->home[node], step = t->step[node], levels = t->of->levels[node];
    int64_t cells = t->cell_at[c + 1] - t->cell_at[c];
    const double *x = work + t->cell_at[c];
    double sum = 0;
    for (int64_t k = 0; k < levels; k++) {
        double p = 0;
        for (int64_t at = k * step; at < cells; at += step * levels)
            for (int64_t a = 0; a < step; a++) p += x[at + a];
        out[k] = p;
        sum += p;
    }
    for (int64_t k = 0; k < levels; k++) out[k] /= sum;
}

void smr_jtree_joint(const smr_jtree *t, const double *work, const int32_t *node, int64_t n,
                     double *out)
{
    int64_t c = t->n_cliques - 1, cells = t->cell_at[c + 1] - t->cell_at[c], size = 1;
    for (int64_t a = 0; a < n; a++) size *= t->of->levels[node[a]];
    memset(out, 0, (size_t)size * sizeof *out);
    for (int64_t cell = 0; cell < cells; cell++) {
        int64_t at = 0;
        for (int64_t a = 0; a < n; a++) {
            int64_t step = 1, v = t->var_at[c + 1] - 1;
            for (; t->var[v] != node[a]; v--) step *= t->of->levels[t->var[v]];
            at = at * t->of->levels[node[a]] + cell / step % t->of->levels[node[a]];
        }
        out[at] += work[t->cell_at[c] + cell];
    }
}

void smr_jtree_add_family(const smr_jtree *t, const double *work, int64_t node, double weight,
                          double *counts)
{
    int64_t c = t->home[node], cells = t->cell_at[c + 1] - t->cell_at[c];
    const int32_t *from = t->from + t->from_at[node];
    const double *x = work + t->cell_at[c];
    for (int64_t cell = 0; cell < cells; cell++) counts[from[cell]] += weight * x[cell];
}
