/* bayesnet_tables.c -- conditional tables from rows: by counting, and by EM where values are
 * missing.
 *
 *     theta_ijk = (N_ijk + a) / (N_ij + a r_i)                                                (1)
 *
 * with N_ijk the weight of rows and a the smoothing; a combination of parents that no row has, with
 * a = 0, gets equal shares.  Where values are missing, N_ijk is the expected weight given what is
 * there, from exact inference with the tables so far (E), and (1) follows (M): the penalised
 * likelihood
 *
 *     L = sum_rows w log P(what is there) + a sum_ijk log theta_ijk                           (2)
 *
 * never falls.  It starts at the counts of the rows that have a whole family, smoothed by at least
 * 1, so that no row is impossible.  Rows are cut into at most 32 parts, whatever the threads, whose
 * sums are added in order.  References: Dempster, Laird & Rubin, J. R. Stat. Soc. B 39 (1977);
 * Lauritzen, Comp. Stat. Data Anal. 19 (1995). */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "learn/graphical/bayesnet.h"

#include <math.h>
#include <string.h>

enum { PARTS = 32 };

struct learning {
    const struct smr_bn_rows *rows;
    struct smr_bayesnet_state *s;
    smr_tables tables;
    int64_t *at;
    int64_t n_parts;
    double *count;         /* n_parts x n_cells   */
    double *log_p;         /* n_parts             */
    smr_jtree made;        /* for EM                                       */
    const smr_jtree *tree; /* it; NULL: count only rows that have the family */
    double *work;          /* for each lane: smr_jtree_work */
    int64_t n_work;
    int32_t *level; /* for each lane: n_nodes */
};

/* Cell of a node's table in a row; -1: some of the family is missing. */
static int64_t cell_of(const struct learning *l, int64_t node, const int32_t *level)
{
    const smr_dag *dag = &l->tables.dag;
    int64_t row = 0;
    for (int64_t e = dag->start[node]; e < dag->start[node + 1]; e++) {
        int32_t k = level[dag->parent[e]];
        if (k < 0) return -1;
        row = row * l->tables.levels[dag->parent[e]] + k;
    }
    return level[node] < 0 ? -1 : l->at[node] + row * l->tables.levels[node] + level[node];
}

/* One row: its log P, and the expected counts of what is not known. */
static double add_row(const struct learning *l, const int32_t *level, double weight, double *work,
                      double *count)
{
    double log_p = 0;
    bool whole = true;
    for (int64_t i = 0; i < l->tables.dag.n; i++) {
        int64_t cell = cell_of(l, i, level);
        if (cell < 0) {
            whole = false;
            continue;
        }
        count[cell] += weight;
        if (l->tree) log_p += smr_log(l->s->p[cell]);
    }
    if (whole || !l->tree) return weight * log_p;
    log_p = smr_jtree_run(l->tree, level, true, work);
    for (int64_t i = 0; i < l->tables.dag.n && log_p > -INFINITY; i++)
        if (cell_of(l, i, level) < 0)
            smr_jtree_add_family(l->tree, work, i, weight, count + l->at[i]);
    return weight * log_p;
}

static smr_status add_part(smr_ctx *ctx, void *arg, int64_t part, int lane)
{
    struct learning *l = arg;
    int64_t n = l->rows->n, nodes = l->rows->n_nodes;
    int64_t lo = part * n / l->n_parts, hi = (part + 1) * n / l->n_parts;
    int32_t *level = l->level + lane * nodes;
    double *count = l->count + part * l->s->n_cells, log_p = 0;
    memset(count, 0, (size_t)l->s->n_cells * sizeof *count);
    for (int64_t r = lo; r < hi; r++) {
        double weight = smr_bn_weight(l->rows, r);
        if (!(weight > 0)) continue;
        for (int64_t i = 0; i < nodes; i++) level[i] = l->rows->code[i * n + r];
        log_p += add_row(l, level, weight, l->tree ? l->work + lane * l->n_work : NULL, count);
        if (l->tree && r % 256 == 0 && smr_tick(ctx, NULL, r - lo, hi - lo, NAN) != SMR_OK)
            return SMR_ERR_CANCELLED;
    }
    l->log_p[part] = log_p;
    return SMR_OK;
}

/* (1) from the counts of all parts, added in order. */
static void set_tables(struct learning *l, double smoothing)
{
    double *count = l->count;
    for (int64_t part = 1; part < l->n_parts; part++)
        for (int64_t c = 0; c < l->s->n_cells; c++) count[c] += l->count[part * l->s->n_cells + c];
    for (int64_t i = 0; i < l->tables.dag.n; i++) {
        int64_t levels = l->tables.levels[i];
        for (int64_t at = l->at[i]; at < l->at[i + 1]; at += levels) {
            double sum = smoothing * (double)levels;
            for (int64_t k = 0; k < levels; k++) sum += count[at + k];
            for (int64_t k = 0; k < levels; k++)
                l->s->p[at + k] = sum > 0 ? (count[at + k] + smoothing) / sum : 1 / (double)levels;
        }
    }
}

static double sum_parts(const struct learning *l)
{
    double sum = 0;
    for (int64_t part = 0; part < l->n_parts; part++) sum += l->log_p[part];
    return sum;
}

/* a sum log theta. */
static double prior_of(const struct learning *l, double smoothing)
{
    double sum = 0;
    for (int64_t c = 0; smoothing > 0 && c < l->s->n_cells; c++) sum += smr_log(l->s->p[c]);
    return smoothing * sum;
}

/* log P of the rows with the tables of the counts, without gaps. */
static double likelihood_of(const struct learning *l)
{
    double sum = 0;
    for (int64_t c = 0; c < l->s->n_cells; c++)
        if (l->count[c] > 0) sum += l->count[c] * smr_log(l->s->p[c]);
    return sum;
}

static smr_status run_em(smr_ctx *ctx, const struct smr_bayesnet_params *p, struct learning *l,
                         smr_fit_report *report)
{
    smr_status st = SMR_OK;
    double before = -INFINITY;
    TRY(smr_jtree_make(ctx, &l->tables, NULL, 0,
                       "fewer parents or bins make smaller cliques; or fill the gaps: impute |",
                       &l->made));
    l->n_work = smr_jtree_work(&l->made);
    TRY_NEW(l->work, smr_lanes(ctx) * l->n_work);
    l->tree = &l->made;
    report->converged = false;
    for (int64_t iter = 0; iter <= p->max_iter; iter++) {
        smr_jtree_refresh(&l->made);
        TRY(smr_tick(ctx, "EM", iter, p->max_iter, before));
        TRY(smr_parallel(ctx, NULL, l->n_parts, add_part, l));
        double now = sum_parts(l) + prior_of(l, p->smoothing);
        l->s->log_likelihood = sum_parts(l);
        if (iter) TRY(smr_fit_step(ctx, report, -now / l->rows->total));
        report->converged = now - before <= p->tol * l->rows->total;
        if (report->converged || iter == p->max_iter) break; /* the tables are those of `now` */
        before = now;
        set_tables(l, p->smoothing);
    }
    if (!report->converged && p->max_iter > 0)
        smr_warn(ctx, "bayesnet: EM has not converged after %lld iterations; raise max_iter",
                 (long long)p->max_iter);
out:
    l->tree = NULL;
    smr_jtree_release(&l->made);
    return st;
}

static smr_status open_learning(smr_ctx *ctx, const struct smr_bn_rows *rows,
                                struct smr_bayesnet_state *s, struct learning *l)
{
    smr_status st = SMR_OK;
    l->rows = rows;
    l->s = s;
    l->n_parts = SMR_MAX(1, SMR_MIN(PARTS, rows->n / 64));
    l->tables = (smr_tables){{s->n_nodes, s->start, s->parent}, s->levels, NULL, NULL};
    TRY_NEW(l->at, s->n_starts);
    for (int64_t i = 0; i < s->n_nodes; i++) {
        double cells = (double)s->levels[i];
        for (int64_t e = s->start[i]; e < s->start[i + 1]; e++)
            cells *= (double)s->levels[s->parent[e]];
        if (cells + (double)l->at[i] > (double)SMR_NET_MOST_CELLS)
            TRY(smr_fail(ctx, SMR_ERR_NOMEM,
                         "bayesnet: the tables have more than %lld cells; use fewer parents, fewer "
                         "bins or columns of fewer levels",
                         (long long)SMR_NET_MOST_CELLS));
        l->at[i + 1] = l->at[i] + (int64_t)cells;
    }
    s->n_cells = l->at[s->n_nodes];
    if ((double)s->n_cells * (double)l->n_parts > 1 << 24)
        l->n_parts = SMR_MAX(1, (1 << 24) / s->n_cells);
    l->tables.at = l->at;
    TRY_NEW(s->p, s->n_cells);
    l->tables.p = s->p;
    TRY_NEW(l->count, l->n_parts * s->n_cells);
    TRY_NEW(l->log_p, l->n_parts);
    TRY_NEW(l->level, smr_lanes(ctx) * s->n_nodes);
out:
    return st;
}

smr_status smr_bn_learn_tables(smr_ctx *ctx, const struct smr_bayesnet_params *p,
                               const struct smr_bn_rows *rows, struct smr_bayesnet_state *s,
                               smr_fit_report *report)
{
    smr_status st = SMR_OK;
    struct learning l = {0};
    int64_t free = 0;
    TRY(open_learning(ctx, rows, s, &l));
    TRY(smr_parallel(ctx, "counting", l.n_parts, add_part, &l));
    set_tables(&l, rows->gaps ? smr_fmax(p->smoothing, 1) : p->smoothing);
    if (rows->gaps)
        TRY(run_em(ctx, p, &l, report));
    else
        s->log_likelihood = likelihood_of(&l);
    for (int64_t i = 0; i < s->n_nodes; i++)
        free += (l.at[i + 1] - l.at[i]) / s->levels[i] * (s->levels[i] - 1);
    s->weight = rows->total;
    s->bic = s->log_likelihood - smr_log(smr_fmax(rows->total, 1)) / 2 * (double)free;
out:
    smr_free(l.at);
    smr_free(l.count);
    smr_free(l.log_p);
    smr_free(l.work);
    smr_free(l.level);
    return st;
}
