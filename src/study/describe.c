/* describe.c -- see describe.h. */
#include "study/describe.h"

#include "core/figure.h"
#include "core/sort.h"
#include "data/apart.h"
#include "data/formats.h"
#include "data/pick.h"
#include "learn/model.h"
#include "study/describe_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_LEVELS = 1000, MOST_CORRELATED = 40, SHOWN_PAIRS = 20, SHOWN_BARS = 40 };

static const char *const KINDS[] = {"number", "category", "text", "date"};

/* ---- columns ---------------------------------------------------------------------------- */

static void add_date(smr_json *row, const char *key, double seconds, bool time, smr_text *text)
{
    text->length = 0;
    smr_text_add_bytes(text, "", 0);
    if (isfinite(seconds)) smr_text_date(text, seconds, time);
    if (text->length)
        smr_json_add_string(row, key, text->bytes);
    else
        smr_json_add_null(row, key);
}

static void add_levels(const smr_column *col, const smr_column_summary *s, smr_json *row)
{
    smr_json_add_number(row, "levels", (double)s->n_levels);
    if (s->most_frequent >= 0) {
        int64_t length;
        const char *name = smr_strings_get(&col->levels, s->most_frequent, &length);
        smr_json_add_bytes(row, "most_frequent", name, length);
        smr_json_add_number(row, "most_frequent_share",
                            (double)s->level_count[s->most_frequent] / (double)s->n);
    }
    smr_json *list = smr_json_add_array(row, "counts");
    for (int64_t k = 0; k < s->n_levels && k < MOST_LEVELS; k++) {
        int64_t length;
        const char *name = smr_strings_get(&col->levels, k, &length);
        smr_json *level = smr_json_add_object(list, NULL);
        smr_json_add_bytes(level, "level", name, length);
        smr_json_add_number(level, "rows", (double)s->level_count[k]);
    }
}

static void add_column(const smr_column *col, const smr_column_summary *s, smr_json *list,
                       smr_text *text)
{
    smr_json *row = smr_json_add_object(list, NULL);
    smr_json_add_string(row, "name", col->name);
    smr_json_add_string(row, "kind", KINDS[col->kind]);
    smr_json_add_number(row, "missing", (double)s->n_missing);
    smr_json_add_number(row, "distinct", (double)s->n_distinct);
    if (col->kind == SMR_NUMBER) {
        smr_json_add_number(row, "mean", s->mean);
        smr_json_add_number(row, "sd", s->sd);
        smr_json_add_number(row, "min", s->min);
        smr_json_add_number(row, "q1", s->q1);
        smr_json_add_number(row, "median", s->median);
        smr_json_add_number(row, "q3", s->q3);
        smr_json_add_number(row, "max", s->max);
        smr_json_add_number(row, "skewness", s->skewness);
        smr_json_add_number(row, "zeros", (double)s->n_zero);
        smr_json_add_bool(row, "whole", s->is_whole);
    } else if (col->kind == SMR_DATE) {
        add_date(row, "first", s->min, col->has_time, text);
        add_date(row, "last", s->max, col->has_time, text);
    } else {
        add_levels(col, s, row);
    }
}

/* "format: csv" lines of the reader become members of one object. */
static void add_notes(const smr_table *table, smr_json *root)
{
    smr_json *notes = smr_json_add_object(root, "read_as");
    for (const char *line = table->notes; line && *line;) {
        const char *end = strchr(line, '\n'), *colon = strstr(line, ": ");
        if (!end) end = line + strlen(line);
        char key[64];
        if (colon && colon < end && (size_t)(colon - line) < sizeof key) {
            memcpy(key, line, (size_t)(colon - line));
            key[colon - line] = '\0';
            if (!smr_json_get(notes, key))
                smr_json_add_bytes(notes, key, colon + 2, end - colon - 2);
        }
        line = *end ? end + 1 : end;
    }
}

static void add_sparse(const smr_table *t, const smr_summary *s, smr_json *root)
{
    if (!t->sparse.n_cols) return;
    smr_json *sparse = smr_json_add_object(root, "sparse");
    smr_json_add_number(sparse, "features", (double)t->sparse.n_cols);
    smr_json_add_number(sparse, "entries", (double)s->n_entries);
    smr_json_add_number(sparse, "entries_a_row", (double)s->n_entries / (double)t->n_rows);
    smr_json_add_number(sparse, "missing", (double)s->n_sparse_missing);
    smr_json_add_number(sparse, "empty_features", (double)s->n_empty_features);
    smr_json_add_number(sparse, "empty_rows", (double)s->n_empty_rows);
    smr_json_add_number(sparse, "min", s->sparse_min);
    smr_json_add_number(sparse, "max", s->sparse_max);
}

static smr_status add_table(smr_ctx *ctx, const smr_table *t, const smr_summary *s, smr_json *root)
{
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    smr_json_add_number(root, "rows", (double)t->n_rows);
    smr_json_add_number(root, "columns", (double)(t->n_cols + t->sparse.n_cols));
    add_notes(t, root);
    if (t->item_shape[0]) {
        smr_json *shape = smr_json_add_array(root, "item_shape");
        for (int k = 0; k < 4 && t->item_shape[k]; k++)
            smr_json_add_number(shape, NULL, (double)t->item_shape[k]);
    }
    add_sparse(t, s, root);
    smr_json *list = smr_json_add_array(root, "table");
    for (int64_t j = 0; j < t->n_cols; j++) {
        TRY(smr_tick(ctx, "describing columns", j, t->n_cols, NAN));
        add_column(&t->cols[j], &s->columns[j], list, &text);
    }
    for (int64_t k = 0; k < s->n_warnings; k++) smr_warn(ctx, "%s", s->warnings[k]);
    TRY(smr_text_done(&text));
out:
    smr_text_release(&text);
    return st;
}

/* ---- against the target ----------------------------------------------------------------- */

static void add_target(const smr_relevances *r, smr_json *root)
{
    smr_json *target = smr_json_add_object(root, "target");
    smr_json_add_string(target, "name", r->target.names[0]);
    smr_json_add_string(target, "task", smr_task_name(r->target.task));
    smr_json_add_number(target, "rows", r->n);
    smr_json_add_number(target, "entropy", r->target_entropy);
    if (r->target.task == SMR_TASK_CLASSIFY) {
        smr_json_add_number(target, "classes", (double)r->target.classes.n);
    } else {
        smr_json_add_number(target, "mean", r->mean);
        smr_json_add_number(target, "sd", r->sd);
    }
}

static void add_level_entropies(const smr_relevance *c, const smr_column *col, smr_json *row)
{
    smr_json *list = c->n_levels ? smr_json_add_array(row, "levels") : NULL;
    for (int64_t l = 0; l < c->n_levels; l++) {
        int64_t length = 0;
        if (c->level_weight[l] == 0) continue;
        smr_json *level = smr_json_add_object(list, NULL);
        if (l < col->levels.n) {
            const char *name = smr_strings_get(&col->levels, l, &length);
            smr_json_add_bytes(level, "level", name, length);
        } else {
            smr_json_add_null(level, "level");
        }
        smr_json_add_number(level, "rows", c->level_weight[l]);
        smr_json_add_number(level, "entropy", c->level_entropy[l]);
    }
}

static void add_tests(const smr_relevance *c, bool number, bool classes, smr_json *row)
{
    if (number && !classes) {
        smr_json_add_number(row, "pearson", c->pearson);
        smr_json_add_number(row, "pearson_p", c->pearson_p);
        smr_json_add_number(row, "spearman", c->spearman);
        smr_json_add_number(row, "spearman_p", c->spearman_p);
    } else if (number || !classes) {
        smr_json_add_number(row, "f", c->anova.f);
        smr_json_add_number(row, "df1", c->anova.df1);
        smr_json_add_number(row, "df2", c->anova.df2);
        smr_json_add_number(row, "p", c->anova.p);
    } else {
        smr_json_add_number(row, "chi2", c->chi.statistic);
        smr_json_add_number(row, "df", c->chi.df);
        smr_json_add_number(row, "p", c->chi.p);
        smr_json_add_number(row, "cramers_v", c->chi.v);
    }
    smr_json_add_number(row, "correlation_ratio", sqrt(c->anova.eta2));
}

static void add_relevance(const smr_relevance *c, const smr_table *t, bool classes, smr_json *list)
{
    const smr_column *col = &t->cols[c->col];
    bool number = col->kind == SMR_NUMBER || col->kind == SMR_DATE;
    smr_json *row = smr_json_add_object(list, NULL);
    smr_json_add_string(row, "name", col->name);
    smr_json_add_string(row, "kind", KINDS[col->kind]);
    smr_json_add_number(row, "strength", c->strength);
    smr_json_add_number(row, "rows", c->n);
    smr_json_add_number(row, "missing", (double)c->n_missing);
    smr_json_add_number(row, number ? "bins" : "occurring", (double)c->n_bins);
    smr_json_add_number(row, "entropy", c->info.x);
    smr_json_add_number(row, "joint_entropy", c->info.joint);
    smr_json_add_number(row, "conditional_entropy", c->info.y_given_x);
    smr_json_add_number(row, "entropy_given_target", c->info.x_given_y);
    smr_json_add_number(row, "mutual_information", c->info.gain);
    smr_json_add_number(row, "gain_ratio", c->info.gain_ratio);
    if (classes) smr_json_add_number(row, "gain", number ? c->split_gain : c->info.gain);
    if (classes && number) smr_json_add_number(row, "split", c->split);
    add_tests(c, number, classes, row);
    add_level_entropies(c, col, row);
}

static smr_status draw_relevance(smr_ctx *ctx, const smr_relevances *r, const smr_table *t,
                                 smr_json *figures)
{
    smr_status st = SMR_OK;
    double value[SHOWN_BARS], place[SHOWN_BARS];
    smr_text title = {.ctx = ctx};
    int64_t n = 0;
    smr_text_printf(&title, "What each column alone tells about %s", r->target.names[0]);
    TRY(smr_text_done(&title));
    smr_json *figure = smr_figure_add(figures, "relevance", title.bytes, NULL);
    smr_json *x = smr_figure_axis(figure, "x",
                                  r->target.task == SMR_TASK_CLASSIFY
                                      ? "share of the target's entropy explained"
                                      : "share of the target's variance explained",
                                  "linear");
    smr_json_add_number(x, "min", 0);
    smr_json *names = smr_json_add_array(smr_figure_axis(figure, "y", "column", "names"), "names");
    for (int64_t k = 0; k < r->n_cols && n < SHOWN_BARS; k++) {
        if (isnan(r->columns[k].strength)) continue;
        smr_json_add_string(names, NULL, t->cols[r->columns[k].col].name);
        value[n] = r->columns[k].strength;
        place[n] = (double)n;
        n++;
    }
    smr_figure_series(figure, "strength", "hbars", n, value, place);
out:
    smr_text_release(&title);
    return st;
}

static smr_status add_relation(smr_ctx *ctx, const smr_table *t, const smr_relevances *r,
                               smr_json *root, smr_json *figures)
{
    add_target(r, root);
    smr_json *list = smr_json_add_array(root, "relevance");
    smr_status st = SMR_OK;
    for (int64_t k = 0; k < r->n_cols && st == SMR_OK; k++) {
        st = smr_tick(ctx, "describing columns", k, r->n_cols, NAN);
        add_relevance(&r->columns[k], t, r->target.task == SMR_TASK_CLASSIFY, list);
    }
    if (st == SMR_OK && figures) st = draw_relevance(ctx, r, t, figures);
    return st;
}

/* ---- among themselves ------------------------------------------------------------------- */

struct ranked_pair {
    int64_t a, b;
    double r;
};

static int closer(const void *items, int64_t i, int64_t j)
{
    const struct ranked_pair *p = items;
    double x = fabs(p[i].r), y = fabs(p[j].r);
    return x > y ? -1 : x < y;
}

static smr_status add_pairs(smr_ctx *ctx, const smr_table *t, const int64_t *cols, int64_t C,
                            const double *r, const double *n, smr_json *root)
{
    smr_status st = SMR_OK;
    struct ranked_pair *pairs = NULL;
    int64_t *order = NULL, found = 0;
    TRY_NEW(pairs, C * C);
    TRY_NEW(order, C * C);
    for (int64_t a = 0; a < C; a++)
        for (int64_t b = a + 1; b < C; b++)
            if (!isnan(r[a * C + b])) pairs[found++] = (struct ranked_pair){a, b, r[a * C + b]};
    TRY(smr_argsort(ctx, found, closer, pairs, order));
    smr_json *list = smr_json_add_array(root, "correlations");
    for (int64_t k = 0; k < SMR_MIN(found, SHOWN_PAIRS); k++) {
        const struct ranked_pair *p = &pairs[order[k]];
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "a", t->cols[cols[p->a]].name);
        smr_json_add_string(row, "b", t->cols[cols[p->b]].name);
        smr_json_add_number(row, "pearson", p->r);
        smr_json_add_number(row, "p", smr_correlation_p(p->r, n[p->a * C + p->b]));
    }
out:
    smr_free(pairs);
    smr_free(order);
    return st;
}

static void draw_correlations(const smr_table *t, const int64_t *cols, int64_t C, const double *r,
                              smr_json *figures)
{
    smr_json *figure =
        smr_figure_add(figures, "correlations", "Correlations of the numeric columns",
                       "Pearson's r, between -1 and 1.");
    for (int axis = 0; axis < 2; axis++) {
        smr_json *names = smr_json_add_array(
            smr_figure_axis(figure, axis ? "y" : "x", "column", "names"), "names");
        for (int64_t c = 0; c < C; c++) smr_json_add_string(names, NULL, t->cols[cols[c]].name);
    }
    smr_json *cells = smr_figure_series(figure, "r", "cells", 0, NULL, NULL);
    smr_json_add_number(cells, "nx", (double)C);
    smr_json_add_number(cells, "ny", (double)C);
    smr_json *values = smr_json_add_array(cells, "value");
    for (int64_t k = 0; k < C * C; k++) /* two decimals, as they are written */
        smr_json_add_number(values, NULL, round(r[k] * 100) / 100);
    smr_json_add_bool(cells, "text", C <= 12);
}

static smr_status add_correlations(smr_ctx *ctx, const smr_table *t, const smr_relevance_opts *opts,
                                   const smr_summary *s, smr_json *root, smr_json *figures)
{
    smr_status st = SMR_OK;
    int64_t *cols = NULL, *left_out = NULL, C = 0, n = 0, weight = -1;
    double *r = NULL, *pairs = NULL, *w = NULL;
    TRY_NEW(cols, t->n_cols + 1);
    if (opts->ignore) TRY(smr_pick_columns(ctx, t, opts->ignore, &left_out, &n));
    if (opts->weight) {
        TRY(smr_pick_column(ctx, t, opts->weight, &weight));
        TRY(smr_weights_read(ctx, t, weight, &w));
    }
    for (int64_t j = 0; j < t->n_cols; j++) {
        bool skip = t->cols[j].kind != SMR_NUMBER || j == weight;
        for (int64_t k = 0; k < n; k++) skip |= left_out[k] == j;
        if (!skip) cols[C++] = j;
    }
    if (C < 2 || C > MOST_CORRELATED) goto out;
    TRY_NEW(r, C * C);
    TRY_NEW(pairs, C * C);
    TRY(smr_correlations(ctx, t, cols, C, w, s->columns, r, pairs));
    TRY(add_pairs(ctx, t, cols, C, r, pairs, root));
    if (figures) draw_correlations(t, cols, C, r, figures);
out:
    smr_free(cols);
    smr_free(left_out);
    smr_free(r);
    smr_free(pairs);
    smr_free(w);
    return st;
}

smr_status smr_describe_table(smr_ctx *ctx, const smr_table *table, const smr_relevance_opts *opts,
                              smr_json *into, smr_json *figures)
{
    smr_status st = SMR_OK;
    smr_apart apart;
    smr_summary *s = NULL;
    smr_column_summary *known = NULL;
    smr_relevances r = {0};
    TRY(smr_apart_open(ctx, table, &apart));
    const smr_table *t = &apart.table;
    TRY_NEW(known, t->n_cols + 1);
    if (opts->target) TRY(smr_relate(ctx, t, opts, &r, known)); /* sorts; the summary need not */
    TRY(smr_table_summarize(ctx, t, known, &s));
    TRY(add_table(ctx, t, s, into));
    if (opts->target) TRY(add_relation(ctx, t, &r, into, figures));
    TRY(add_correlations(ctx, t, opts, s, into, figures));
    if (figures) TRY(smr_describe_draw(ctx, t, s, opts->target ? &r : NULL, into, figures));
    TRY(smr_json_done(into->doc));
    TRY(smr_tick(ctx, NULL, 0, 1, NAN)); /* what follows reads all of it */
out:
    smr_relevances_release(&r);
    smr_summary_free(s);
    smr_free(known);
    smr_apart_close(&apart);
    return st;
}
