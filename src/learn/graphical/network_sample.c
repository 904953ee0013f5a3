/* network_sample.c -- rows drawn from a network, and answers from weighted ones. */
#include "core/parallel.h"
#include "core/rng.h"
#include "kernel/kernel.h"
#include "learn/graphical/network_weighting.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 4096 }; /* samples of a task */

static int32_t draw_level(const double *p, int64_t levels, double u)
{
    double sum = 0;
    int32_t last = 0;
    for (int64_t k = 0; k < levels; k++) {
        if (p[k] > 0) last = (int32_t)k; /* rounding may leave u above the sum of all */
        sum += p[k];
        if (u < sum) return (int32_t)k;
    }
    return last;
}

double smr_net_draw(const smr_tables *tables, const int32_t *order, uint64_t seed, uint64_t sample,
                    const int32_t *evidence, int32_t *level)
{
    const smr_dag *dag = &tables->dag;
    double weight = 1;
    for (int64_t k = 0; k < dag->n; k++) {
        int64_t i = order[k], row = 0, levels = tables->levels[i];
        for (int64_t e = dag->start[i]; e < dag->start[i + 1]; e++)
            row = row * tables->levels[dag->parent[e]] + level[dag->parent[e]];
        const double *p = tables->p + tables->at[i] + row * levels;
        if (evidence && evidence[i] >= 0) {
            level[i] = evidence[i];
            weight *= p[evidence[i]];
        } else {
            level[i] = draw_level(p, levels,
                                  smr_random_unit(seed, SMR_STREAM_NETWORK, sample, (uint64_t)i));
        }
    }
    return weight;
}

/* ---- rows ------------------------------------------------------------------------------- */

struct rows {
    const smr_network *net;
    smr_tables tables;
    smr_table *table;
    int32_t *level; /* n for each lane */
};

static smr_status draw_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct rows *r = arg;
    int32_t *level = r->level + lane * r->net->n;
    int64_t hi = smr_block_end(r->table->n_rows, BLOCK, task);
    for (int64_t row = task * BLOCK; row < hi; row++) {
        smr_net_draw(&r->tables, r->net->order, ctx->seed, (uint64_t)row, NULL, level);
        for (int64_t i = 0; i < r->net->n; i++)
            ((int32_t *)r->table->cols[i].values)[row] = level[i];
    }
    return SMR_OK;
}

static smr_status make_columns(smr_ctx *ctx, const smr_network *net, smr_table *table)
{
    smr_status st = SMR_OK;
    table->has_header = true;
    for (int64_t i = 0; i < net->n; i++) {
        smr_column *col = &table->cols[i];
        int64_t length;
        const char *name = smr_strings_get(&net->names.strings, i, &length);
        col->kind = SMR_CATEGORY;
        col->dtype = SMR_I32;
        col->owns_values = true;
        col->name = smr_strndup(ctx, name, (size_t)length);
        if (!col->name) TRY(SMR_ERR_NOMEM);
        TRY(smr_strings_copy(ctx, &net->level[i], NULL, &col->levels));
        int32_t *values;
        TRY_NEW(values, table->n_rows);
        col->values = values;
    }
out:
    return st;
}

smr_status smr_net_sample(smr_ctx *ctx, const smr_network *net, int64_t n_rows, smr_table **out)
{
    smr_status st = SMR_OK;
    struct rows r = {.net = net, .tables = smr_net_tables(net)};
    *out = NULL;
    TRY(smr_memory_check(ctx, 4.0 * (double)n_rows * (double)net->n, "a table of the rows",
                         "draw fewer"));
    TRY(smr_table_new(ctx, n_rows, net->n, &r.table));
    TRY(make_columns(ctx, net, r.table));
    TRY_NEW(r.level, smr_lanes(ctx) * net->n);
    TRY(smr_parallel(ctx, "sampling", smr_block_count(n_rows, BLOCK), draw_block, &r));
    *out = r.table;
    r.table = NULL;
out:
    smr_free(r.level);
    smr_table_free(r.table);
    return st;
}

/* ---- weighted samples ------------------------------------------------------------------- */

/* Of each block: for every cell sum w and sum w^2 of the samples in it, then both of all, and the
 * largest w. */
struct weighing {
    const smr_network *net;
    const smr_net_query *q;
    smr_tables tables;
    int64_t samples, n;
    int32_t *level;
    double *sums;   /* blocks x (2 n + 3) */
    int64_t *first; /* all: the first cell of each variable */
};

static smr_status weigh_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct weighing *w = arg;
    const smr_network *net = w->net;
    int32_t *level = w->level + lane * net->n;
    double *sum = w->sums + task * (2 * w->n + 3), *squares = sum + w->n + 1;
    int64_t hi = smr_block_end(w->samples, BLOCK, task);
    for (int64_t s = task * BLOCK; s < hi; s++) {
        double weight =
            smr_net_draw(&w->tables, net->order, ctx->seed, (uint64_t)s, w->q->evidence, level);
        int64_t cell = 0;
        for (int64_t i = 0; w->q->all && i < net->n; i++) {
            sum[w->first[i] + level[i]] += weight;
            squares[w->first[i] + level[i]] += weight * weight;
        }
        for (int64_t a = 0; a < w->q->n_of; a++)
            cell = cell * net->levels[w->q->of[a]] + level[w->q->of[a]];
        if (!w->q->all) {
            sum[cell] += weight;
            squares[cell] += weight * weight;
        }
        sum[w->n] += weight;
        squares[w->n] += weight * weight;
        squares[w->n + 1] = smr_fmax(squares[w->n + 1], weight);
    }
    return SMR_OK;
}

/* The product over the evidence of the largest probability that it has in its table, in rows that
 * agree with the rest of the evidence: no sample weighs more. */
static double most_weight(const smr_tables *t, const int32_t *evidence)
{
    double most = 1;
    for (int64_t i = 0; i < t->dag.n; i++) {
        double top = 0;
        if (evidence[i] < 0) continue;
        for (int64_t at = t->at[i], row = 0; at < t->at[i + 1]; at += t->levels[i], row++) {
            bool agrees = true;
            int64_t rest = row;
            for (int64_t e = t->dag.start[i + 1] - 1; e >= t->dag.start[i]; e--) {
                int32_t parent = t->dag.parent[e];
                agrees = agrees &&
                         (evidence[parent] < 0 || rest % t->levels[parent] == evidence[parent]);
                rest /= t->levels[parent];
            }
            if (agrees) top = smr_fmax(top, t->p[at + evidence[i]]);
        }
        most *= top;
    }
    return most;
}

/* The squared standard error of a share p of m samples, with two more that hit and two that
 * miss. */
static double spread_of_few(double p, double m)
{
    double q = (p * m + 2) / (m + 4);
    return q * (1 - q) / (m + 1);
}

/* (1): sum w^2 (f - p)^2 = sum_in w^2 (1 - 2p) + p^2 sum w^2, f being 0 or 1. */
static void conclude(struct weighing *w, int64_t blocks, smr_net_answer *out)
{
    double *sum = w->sums, *squares = sum + w->n + 1, most = squares[w->n + 1];
    for (int64_t b = 1; b < blocks; b++) {
        const double *more = w->sums + b * (2 * w->n + 3);
        for (int64_t k = 0; k < 2 * w->n + 2; k++) sum[k] += more[k];
        most = smr_fmax(most, more[2 * w->n + 2]);
    }
    double all = sum[w->n], all2 = squares[w->n];
    double heaviest = 3 * most_weight(&w->tables, w->q->evidence);
    out->samples = w->samples;
    out->log_evidence = all > 0 ? smr_log(all / (double)w->samples) : -INFINITY;
    out->effective = all > 0 ? all * all / all2 : 0;
    out->unseen = heaviest > 0 ? heaviest / (heaviest + all) : 0;
    for (int64_t k = 0; all > 0 && k < w->n; k++) {
        double p = sum[k] / all, spread = squares[k] * (1 - 2 * p) + p * p * all2;
        out->p[k] = p;
        out->error[k] = sqrt(smr_fmax(spread / (all * all), spread_of_few(p, all / most)));
    }
}

static smr_status warn_of_unseen(smr_ctx *ctx, const smr_net_answer *a)
{
    smr_text share = {.ctx = ctx};
    smr_text_rounded(&share, 100 * a->unseen, 2);
    smr_status st = smr_text_done(&share);
    if (st == SMR_OK)
        smr_warn(
            ctx,
            "the evidence is too unlikely for %lld samples: up to %s %% of the answer may lie "
            "where none of them came, so that standard errors are too small; more samples help",
            (long long)a->samples, share.bytes);
    smr_text_release(&share);
    return st;
}

smr_status smr_net_weigh(smr_ctx *ctx, const smr_network *net, const smr_net_query *q,
                         int64_t samples, smr_net_answer *out)
{
    smr_status st = SMR_OK;
    struct weighing w = {
        .net = net, .q = q, .tables = smr_net_tables(net), .samples = samples, .n = out->n};
    int64_t blocks = smr_block_count(samples, BLOCK);
    TRY_NEW(w.first, net->n + 1);
    for (int64_t i = 0; i < net->n; i++) w.first[i + 1] = w.first[i] + net->levels[i];
    TRY_NEW(w.level, smr_lanes(ctx) * net->n);
    TRY_NEW(w.sums, blocks * (2 * w.n + 3));
    TRY_NEW(out->error, out->n);
    TRY(smr_parallel(ctx, "sampling", blocks, weigh_block, &w));
    conclude(&w, blocks, out);
    if (out->log_evidence > -INFINITY && out->unseen > 0.05) TRY(warn_of_unseen(ctx, out));
out:
    smr_free(w.first);
    smr_free(w.level);
    smr_free(w.sums);
    return st;
}
