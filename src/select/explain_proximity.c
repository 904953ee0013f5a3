/* explain_proximity.c -- which rows a model of trees takes for alike.
 *
 *     proximity(i, j) = share of the trees in which rows i and j come to the same leaf
 *
 * Told of each row: the nearest other row, and the mean over all others, which is low for a row
 * that is like no other; --json holds the whole matrix.  Of one row (how->row): all rows, the
 * nearest first.  A row on which trees were grown is as near to itself as can be, and rows that a
 * tree parted to be right about them are apart in it, so distances are those that matter for the
 * target.  Where rows with missing values go all ways, the leaf of largest share counts.
 *
 * Cost: rows x rows x trees comparisons (one row: rows x trees); 4 bytes a row and tree, 8 a pair.
 * Reference: Breiman & Cutler, Random Forests, Manual v4 (2003). */
#include "core/figure.h"
#include "core/parallel.h"
#include "core/sort.h"
#include "learn/chain.h"
#include "learn/trees/trees.h"
#include "select/explain_parts.h"

#include <stdio.h>

enum { BLOCK = 64, MOST_ROWS = 1000, MOST_CELLS = 300, MOST_BARS = 30 };

struct proximity {
    const smr_model *model;
    const smr_trees *trees;
    smr_data *data; /* data[s]: what stage s reads */
    int64_t *rows;  /* n: of the table             */
    int64_t n, of;  /* of: the place in rows that is asked for, or -1: all */
    int32_t *leaf;  /* n x trees                   */
    double *near;   /* n x n, or n                 */
};

/* ---- leaves ----------------------------------------------------------------------------- */

static smr_status refuse(smr_ctx *ctx, const smr_learner *learner)
{
    return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                    "a %s model has no trees whose leaves rows could share; forest, boost and tree "
                    "have",
                    learner->name);
}

/* The stages before the last over the table. */
static smr_status chain_stages(smr_ctx *ctx, struct proximity *p, const smr_binding *binding)
{
    const smr_model *m = p->model;
    smr_status st = SMR_OK;
    TRY_NEW(p->data, m->n_stages + 1);
    p->data[1] = binding->data;
    p->data[1].rows = p->rows;
    p->data[1].n_rows = p->n;
    for (int64_t k = 1; k < m->n_stages; k++) {
        if (k > 1) smr_chain(&p->data[k - 1], &m->stages[k - 1], &p->data[k]);
        smr_chain_guard(&p->data[k], &m->stages[k]);
    }
out:
    return st;
}

static smr_status find_leaves(smr_ctx *ctx, struct proximity *p)
{
    const smr_stage *last = smr_model_last(p->model);
    const smr_data *data = &p->data[p->model->n_stages - 1];
    int64_t n_trees = p->trees->n_trees;
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    TRY_NEW(p->leaf, p->n * n_trees);
    TRY(smr_reader_open(ctx, data, smr_stage_form(last, data), BLOCK, &reader));
    for (int64_t lo = 0; lo < p->n; lo += BLOCK) {
        smr_rows rows;
        TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(p->n, lo + BLOCK), &rows));
        smr_trees_leaves(p->trees, &rows, 0, n_trees, p->leaf + lo * n_trees);
    }
out:
    smr_reader_close(reader);
    return st;
}

/* ---- proximities ------------------------------------------------------------------------ */

static double share_of_trees(const struct proximity *p, int64_t i, int64_t j)
{
    int64_t n_trees = p->trees->n_trees, same = 0;
    const int32_t *a = p->leaf + i * n_trees, *b = p->leaf + j * n_trees;
    for (int64_t t = 0; t < n_trees; t++) same += a[t] == b[t];
    return n_trees ? (double)same / (double)n_trees : 1;
}

static smr_status compare_row(smr_ctx *ctx, void *arg, int64_t i, int lane)
{
    struct proximity *p = arg;
    (void)ctx, (void)lane;
    for (int64_t j = 0; j < p->n; j++) p->near[i * p->n + j] = share_of_trees(p, i, j);
    return SMR_OK;
}

static smr_status compare(smr_ctx *ctx, struct proximity *p)
{
    smr_status st = SMR_OK;
    TRY_NEW(p->near, p->of < 0 ? p->n * p->n : p->n);
    if (p->of < 0)
        TRY(smr_parallel(ctx, NULL, p->n, compare_row, p));
    else
        for (int64_t j = 0; j < p->n; j++) p->near[j] = share_of_trees(p, p->of, j);
out:
    return st;
}

/* ---- telling ---------------------------------------------------------------------------- */

/* The matrix as shades, and each row with the one that is nearest. */
static void tell_all(const struct proximity *p, smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "proximity");
    smr_json *matrix = smr_json_add_array(into, "matrix");
    smr_json *figures = smr_json_add_array(into, "figures");
    for (int64_t i = 0; i < p->n; i++) {
        const double *near = p->near + i * p->n;
        int64_t best = -1;
        double sum = 0;
        for (int64_t j = 0; j < p->n; j++) {
            if (j == i) continue;
            sum += near[j];
            if (best < 0 || near[j] > near[best]) best = j;
        }
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "row", (double)(p->rows[i] + 1));
        if (best >= 0) smr_json_add_number(row, "nearest", (double)(p->rows[best] + 1));
        if (best >= 0) smr_json_add_number(row, "proximity", near[best]);
        if (best >= 0) smr_json_add_number(row, "mean", sum / (double)(p->n - 1));
        smr_json_add_numbers(matrix, NULL, near, p->n);
    }
    if (p->n > MOST_CELLS) return;
    smr_json *figure =
        smr_figure_add(figures, "proximity", "Proximities",
                       "The share of the trees in which two rows come to the same leaf.");
    for (int k = 0; k < 2; k++) {
        smr_json *axis = smr_figure_axis(figure, k ? "y" : "x", "rows, in their order", "linear");
        smr_json_add_number(axis, "min", 0.5);
        smr_json_add_number(axis, "max", (double)p->n + 0.5);
    }
    smr_json *cells = smr_figure_series(figure, "proximity", "cells", 0, NULL, NULL);
    smr_json_add_number(cells, "nx", (double)p->n);
    smr_json_add_number(cells, "ny", (double)p->n);
    smr_json_add_numbers(cells, "value", p->near, p->n * p->n);
}

/* All rows by their proximity to one. */
static smr_status tell_one(smr_ctx *ctx, const struct proximity *p, smr_json *into)
{
    smr_status st = SMR_OK;
    double *far = NULL, shown[MOST_BARS];
    int64_t *order = NULL, n_shown = 0;
    TRY_NEW(far, p->n);
    TRY_NEW(order, p->n);
    for (int64_t j = 0; j < p->n; j++) far[j] = -p->near[j];
    TRY(smr_argsort_f64(ctx, p->n, far, order));
    smr_json_add_number(into, "row", (double)(p->rows[p->of] + 1));
    smr_json *list = smr_json_add_array(into, "proximity");
    smr_json *figure = smr_figure_add(
        smr_json_add_array(into, "figures"), "proximity", "Proximities",
        "The share of the trees in which a row comes to the same leaf as the one asked about.");
    smr_figure_axis(figure, "x", "proximity", "linear");
    smr_json *names = smr_json_add_array(smr_figure_axis(figure, "y", "row", "names"), "names");
    for (int64_t k = 0; k < p->n; k++) {
        if (order[k] == p->of) continue;
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_number(row, "row", (double)(p->rows[order[k]] + 1));
        smr_json_add_number(row, "proximity", p->near[order[k]]);
        if (n_shown == MOST_BARS) continue;
        char name[32];
        int length = snprintf(name, sizeof name, "%lld", (long long)p->rows[order[k]] + 1);
        smr_json_add_bytes(names, NULL, name, length);
        shown[n_shown++] = p->near[order[k]];
    }
    smr_figure_series(figure, "proximity", "hbars", n_shown, shown, NULL);
out:
    smr_free(far);
    smr_free(order);
    return st;
}

/* ---- all of it -------------------------------------------------------------------------- */

/* The place of the row that is asked about among those that are looked at. */
static smr_status find_row(smr_ctx *ctx, struct proximity *p, const smr_sample *sample,
                           int64_t number)
{
    p->of = -1;
    if (number == 0) return SMR_OK;
    if (number > sample->table->n_rows)
        return smr_fail(ctx, SMR_ERR_PARAM, "--row: there is no row %lld; %s has %lld",
                        (long long)number, sample->table->source ? sample->table->source : "it",
                        (long long)sample->table->n_rows);
    for (int64_t i = 0; i < p->n; i++)
        if (p->rows[i] == number - 1) p->of = i;
    if (p->of >= 0) return SMR_OK;
    p->of = 0; /* not drawn, or without a target: in place of the first */
    p->rows[0] = number - 1;
    return SMR_OK;
}

smr_status smr_explain_proximity(smr_ctx *ctx, const smr_model *model, const smr_sample *sample,
                                 const smr_explain_how *how, smr_json *into)
{
    const smr_stage *last = smr_model_last(model);
    smr_status st = SMR_OK;
    struct proximity p = {.model = model};
    smr_binding binding = {0};
    if (!last->learner->trees) return refuse(ctx, last->learner);
    p.trees = last->learner->trees(last->params, last->state).trees;
    int64_t most = how->most_rows ? how->most_rows : how->row ? 0 : MOST_ROWS;
    TRY(smr_explain_rows(ctx, sample, most, &p.rows, &p.n));
    TRY(find_row(ctx, &p, sample, how->row));
    double pairs = (double)p.n * (p.of < 0 ? (double)p.n : 1);
    TRY(smr_memory_check(ctx, 4.0 * (double)p.n * (double)p.trees->n_trees + 60 * pairs,
                         "comparing these rows", "use fewer with --use-rows"));
    TRY(smr_schema_bind(ctx, &model->schema, smr_model_columns(model), sample->table, &binding));
    TRY(chain_stages(ctx, &p, &binding));
    TRY(find_leaves(ctx, &p));
    TRY(compare(ctx, &p));
    smr_json_add_number(into, "rows", (double)p.n);
    smr_json_add_number(into, "trees", (double)p.trees->n_trees);
    if (p.of < 0)
        tell_all(&p, into);
    else
        TRY(tell_one(ctx, &p, into));
out:
    smr_free(p.data);
    smr_free(p.rows);
    smr_free(p.leaf);
    smr_free(p.near);
    smr_binding_release(&binding);
    return st;
}
