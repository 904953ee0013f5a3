/* relevance.c -- all columns against the target: see relevance.h. */
#include "study/relevance.h"

#include "core/parallel.h"
#include "core/sort.h"
#include "data/pick.h"
#include "kernel/kernel.h"
#include "learn/learner.h"
#include "learn/model.h"
#include "math/stats.h"
#include "study/relevance_parts.h"

#include <math.h>
#include <string.h>

/* What a relation owns while it runs. */
struct work {
    struct relating with;
    int64_t *rows;
    int32_t *code, *labels, *centred;
    double *weights, *weight, *y, *values, *rank, *xlogx;
    uint32_t *order;
    smr_moments moments;
    bool *skip;
};

static void release_work(struct work *w)
{
    smr_free(w->rows);
    smr_free(w->code);
    smr_free(w->labels);
    smr_free(w->weights);
    smr_free(w->weight);
    smr_free(w->y);
    smr_free(w->values);
    smr_free(w->rank);
    smr_free(w->xlogx);
    smr_free(w->skip);
    smr_free(w->centred);
    smr_free(w->order);
}

static smr_status pick(smr_ctx *ctx, const smr_table *table, const smr_relevance_opts *opts,
                       struct work *w, int64_t *target)
{
    smr_status st = SMR_OK;
    int64_t *cols = NULL, n = 0, col;
    TRY_NEW(w->skip, table->n_cols + 1);
    TRY(smr_pick_columns(ctx, table, opts->target, &cols, &n));
    if (n != 1) {
        st =
            smr_fail(ctx, SMR_ERR_PARAM,
                     "--target: describe relates columns to one target, not to %lld", (long long)n);
        goto out;
    }
    *target = cols[0];
    w->skip[*target] = true;
    if (opts->weight) {
        TRY(smr_pick_column(ctx, table, opts->weight, &col));
        TRY(smr_weights_read(ctx, table, col, &w->weights));
        w->skip[col] = true;
    }
    smr_free(cols);
    cols = NULL;
    if (opts->ignore) TRY(smr_pick_columns(ctx, table, opts->ignore, &cols, &n));
    for (int64_t k = 0; opts->ignore && k < n; k++) w->skip[cols[k]] = true;
out:
    smr_free(cols);
    return st;
}

/* The rows with a target and a weight, and what they have of both. */
static smr_status collect_rows(smr_ctx *ctx, const smr_table *table, const smr_target *target,
                               struct work *w)
{
    smr_status st = SMR_OK;
    int64_t n = table->n_rows, kept = 0;
    bool classify = target->task == SMR_TASK_CLASSIFY;
    TRY_NEW(w->rows, n + 1);
    TRY_NEW(w->code, n + 1);
    if (w->weights) TRY_NEW(w->weight, n + 1);
    if (classify) {
        TRY_NEW(w->labels, n + 1);
        TRY(smr_target_labels(ctx, target, table, w->labels));
    } else {
        TRY_NEW(w->values, n + 1);
        TRY_NEW(w->y, n + 1);
        TRY(smr_target_values(ctx, target, table, w->values));
    }
    for (int64_t i = 0; i < n; i++) {
        bool there = classify ? w->labels[i] >= 0 : !isnan(w->values[i]);
        if (!there || (w->weights && w->weights[i] == 0)) continue;
        w->rows[kept] = i;
        if (classify) w->code[kept] = w->labels[i];
        if (!classify) w->y[kept] = w->values[i];
        if (w->weights) w->weight[kept] = w->weights[i];
        kept++;
    }
    w->with = (struct relating){.table = table,
                                .n = kept,
                                .rows = w->rows,
                                .n_y = classify ? target->classes.n : SMR_BINS,
                                .aims = {.weight = w->weight, .code = w->code, .y = w->y}};
    if (kept == 0)
        st = smr_fail(ctx, SMR_ERR_DATA, "no row has a value of the target '%s'", target->names[0]);
out:
    return st;
}

/* Ranks, bins and moments of a numeric target. */
static smr_status rank_target(smr_ctx *ctx, struct work *w, smr_relevances *out,
                              const smr_column *col, smr_column_summary *summary)
{
    struct relating *with = &w->with;
    smr_status st = SMR_OK;
    uint64_t *room = smr_alloc_raw(ctx, 2 * with->n, sizeof *room);
    w->order = smr_alloc_raw(ctx, with->n, sizeof *w->order);
    if (!room || !w->order) TRY(SMR_ERR_NOMEM);
    int64_t distinct = smr_sort_rows(with->n, w->y, w->order, room);
    smr_bin(with->n, w->y, w->weight, w->order, w->code);
    if (w->weight) {
        TRY_NEW(w->rank, with->n);
        smr_weigh_ranks(with->n, w->order, w->weight, w->rank);
        with->aims.rank = w->rank;
        out->mean = smr_mean(with->n, w->y, w->weight);
        out->sd = sqrt(smr_variance(with->n, w->y, w->weight, 1));
    } else {
        TRY_NEW(w->centred, with->n);
        with->aims.centred_squares = smr_centre_ranks(with->n, w->order, NULL, with->n, w->centred);
        smr_moments_of(with->n, w->y, &w->moments);
        with->order = w->order;
        with->aims.centred = w->centred;
        with->aims.moment = &w->moments;
        out->mean = w->moments.mean;
        out->sd = w->moments.sd;
        if (summary && with->n == with->table->n_rows) {
            smr_summary_begin(col->kind, with->n, w->y, with->n, &w->moments, summary);
            smr_summary_end(w->y, w->order, distinct, summary);
        }
    }
out:
    smr_free(room);
    return st;
}

/* What is known of a numeric target; k log k for class counts. */
static smr_status prepare(smr_ctx *ctx, struct work *w, smr_relevances *out, const smr_column *col,
                          smr_column_summary *summary)
{
    struct relating *with = &w->with;
    smr_status st = SMR_OK;
    double *count = NULL;
    if (w->y) {
        TRY(rank_target(ctx, w, out, col, summary));
    } else if (!w->weight) {
        TRY_NEW(w->xlogx, with->n + 1);
        for (int64_t k = 2; k <= with->n; k++) w->xlogx[k] = (double)k;
        smr_log_f64(with->n - 1, w->xlogx + 2, w->xlogx + 2);
        for (int64_t k = 2; k <= with->n; k++) w->xlogx[k] *= (double)k;
        with->xlogx = w->xlogx;
    }
    TRY_NEW(count, with->n_y);
    for (int64_t i = 0; i < with->n; i++) {
        count[w->code[i]] += w->weight ? w->weight[i] : 1;
        out->n += w->weight ? w->weight[i] : 1;
    }
    out->target_entropy = smr_entropy(with->n_y, count);
out:
    smr_free(count);
    return st;
}

struct relate_job {
    const struct relating *with;
    smr_relevance *columns;
    smr_column_summary *summaries; /* of the table's columns, or NULL */
    struct pairs *pairs;           /* one per lane */
};

static smr_status relate_column(smr_ctx *ctx, void *arg, int64_t k, int lane)
{
    const struct relate_job *job = arg;
    smr_relevance *r = &job->columns[k];
    const smr_column *col = &job->with->table->cols[r->col];
    if (col->kind == SMR_NUMBER || col->kind == SMR_DATE)
        return smr_relate_number(ctx, job->with, col, &job->pairs[lane], r,
                                 job->summaries ? &job->summaries[r->col] : NULL);
    return smr_relate_category(ctx, job->with, col, r);
}

static int stronger(const void *items, int64_t a, int64_t b)
{
    const smr_relevance *r = items;
    double x = isnan(r[a].strength) ? -1 : r[a].strength;
    double y = isnan(r[b].strength) ? -1 : r[b].strength;
    return x > y ? -1 : x < y;
}

static smr_status sort_columns(smr_ctx *ctx, smr_relevances *out)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL;
    smr_relevance *sorted = NULL;
    TRY_NEW(order, out->n_cols + 1);
    TRY_NEW(sorted, out->n_cols + 1);
    TRY(smr_argsort(ctx, out->n_cols, stronger, out->columns, order));
    for (int64_t k = 0; k < out->n_cols; k++) sorted[k] = out->columns[order[k]];
    smr_free(out->columns);
    out->columns = sorted;
    sorted = NULL;
out:
    smr_free(order);
    smr_free(sorted);
    return st;
}

static const smr_relevance UNKNOWN = {.strength = NAN,
                                      .split = NAN,
                                      .split_gain = NAN,
                                      .info = {NAN, NAN, NAN, NAN, NAN, NAN, NAN},
                                      .anova = {NAN, NAN, NAN, NAN, NAN, NAN},
                                      .chi = {NAN, NAN, NAN, NAN},
                                      .pearson = NAN,
                                      .pearson_p = NAN,
                                      .spearman = NAN,
                                      .spearman_p = NAN};

smr_status smr_relate(smr_ctx *ctx, const smr_table *table, const smr_relevance_opts *opts,
                      smr_relevances *out, smr_column_summary *summaries)
{
    smr_status st = SMR_OK;
    struct work w = {0};
    struct relate_job job = {0};
    int64_t target = 0;
    smr_target_opts how = {
        .forced = opts->task, .tasks = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS, .learner = "describe"};
    *out = (smr_relevances){.mean = NAN, .sd = NAN};
    if (opts->task > SMR_TASK_REGRESS)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "columns are related to classes and numbers, and the task '%s' has neither",
                     smr_task_name(opts->task)));
    if (table->n_rows > SMR_SORT_ROWS)
        TRY(smr_fail(
            ctx, SMR_ERR_UNSUPPORTED,
            "%lld rows are more than %lld, the most that are related to a target; describe "
            "some of them",
            (long long)table->n_rows, (long long)SMR_SORT_ROWS));
    TRY(pick(ctx, table, opts, &w, &target));
    TRY(smr_target_infer(ctx, table, &target, 1, &how, &out->target));
    TRY(collect_rows(ctx, table, &out->target, &w));
    TRY(prepare(ctx, &w, out, &table->cols[target], summaries ? &summaries[target] : NULL));
    TRY_NEW(out->columns, table->n_cols + 1);
    for (int64_t j = 0; j < table->n_cols; j++) {
        if (w.skip[j]) continue;
        out->columns[out->n_cols] = UNKNOWN;
        out->columns[out->n_cols++].col = j;
    }
    job = (struct relate_job){.with = &w.with, .columns = out->columns, .summaries = summaries};
    TRY_NEW(job.pairs, smr_lanes(ctx));
    TRY(smr_parallel(ctx, "relating", out->n_cols, relate_column, &job));
    TRY(sort_columns(ctx, out));
out:
    for (int k = 0; job.pairs && k < smr_lanes(ctx); k++) smr_column_pairs_release(&job.pairs[k]);
    smr_free(job.pairs);
    release_work(&w);
    if (st != SMR_OK) smr_relevances_release(out);
    return st;
}

void smr_relevances_release(smr_relevances *r)
{
    for (int64_t k = 0; r->columns && k < r->n_cols; k++) {
        smr_free(r->columns[k].level_weight);
        smr_free(r->columns[k].level_entropy);
    }
    smr_free(r->columns);
    smr_target_release(&r->target);
    *r = (smr_relevances){0};
}
