/* links_rows.c -- the graph of the rows of a table: links.h.
 *
 * It is the state of a learner that is in no list, with the parameters of the one that divides
 * graphs of rows: so the table's columns come to it as they come to that one. */
#include "learn/cluster/spectral.h"
#include "learn/registry.h"
#include "study/links.h"

#include <string.h>

/* ---- a learner whose state is the graph ------------------------------------------------- */

struct state {
    smr_graph graph; /* of the rows in their order */
    double eps, sigma;
};

static void release(void *state_)
{
    smr_graph_release(&((struct state *)state_)->graph);
}

/* Of the graph whose node i is row order[i], the one whose node i is row i. */
static smr_status renumber(smr_ctx *ctx, const smr_graph *g, const int32_t *order, smr_graph *out)
{
    smr_status st = SMR_OK;
    int64_t m = 0, most = g->start[g->n] / 2;
    int32_t *a = NULL, *b = NULL;
    double *w = NULL;
    TRY_NEW(a, most + 1);
    TRY_NEW(b, most + 1);
    TRY_NEW(w, most + 1);
    for (int64_t i = 0; i < g->n; i++)
        for (int64_t e = g->start[i]; e < g->start[i + 1]; e++) {
            if (g->to[e] < i) continue;
            a[m] = order[i];
            b[m] = order[g->to[e]];
            w[m++] = g->weight[e];
        }
    TRY(smr_graph_of_edges(ctx, g->n, m, a, b, w, out));
    if (!g->mass) goto out;
    TRY_NEW(out->mass, g->n);
    TRY_NEW(out->own, g->n);
    for (int64_t i = 0; i < g->n; i++) {
        out->mass[order[i]] = g->mass[i];
        out->own[order[i]] = g->own[i];
    }
    TRY(smr_graph_finish(ctx, out));
out:
    smr_free(a);
    smr_free(b);
    smr_free(w);
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    struct state *s = state_;
    smr_status st = SMR_OK;
    smr_rows_graph g = {0};
    (void)report;
    TRY(smr_spectral_graph(ctx, params, data, &g));
    s->eps = g.eps;
    s->sigma = g.sigma;
    TRY(renumber(ctx, &g.graph, g.tree.order, &s->graph));
out:
    smr_rows_graph_release(&g);
    return st;
}

static const smr_fitted fitted = {
    .state_size = sizeof(struct state),
    .gives = SMR_GIVES_LABEL,
    .release = release,
};

/* ---- the graph -------------------------------------------------------------------------- */

static smr_status check_sentence(smr_ctx *ctx, const smr_spec *spec, const char *sentence)
{
    const smr_learner *last = spec->steps[spec->n - 1].learner;
    if (last == &smr_spectral) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "a graph of rows is that of a sentence that ends in %s, such as "
                    "\"standardize | %s neighbors=5\", not '%.80s'",
                    smr_spectral.word->name, smr_spectral.word->name, sentence);
}

static smr_status take_labels(smr_ctx *ctx, const smr_train_set *set, int32_t **label,
                              smr_strings *classes)
{
    smr_status st = SMR_OK;
    *label = NULL;
    if (set->target.n == 0 || !set->label) return SMR_OK;
    TRY_NEW(*label, set->n_rows);
    for (int64_t i = 0; i < set->n_rows; i++) {
        int64_t row = set->usable ? set->usable[i] : i;
        (*label)[i] = set->label[row];
        if (set->label[row] < 0)
            TRY(smr_fail(ctx, SMR_ERR_DATA,
                         "row %lld has no value in column '%s', and so no group; leave such rows "
                         "out",
                         (long long)row + 1, set->target.names[0]));
    }
    TRY(smr_strings_copy(ctx, &set->target.classes, NULL, classes));
out:
    return st;
}

smr_status smr_links_from_rows(smr_ctx *ctx, const smr_table *table, const char *sentence,
                               const smr_set_opts *opts, smr_links *out, int32_t **label,
                               smr_strings *classes)
{
    smr_status st = SMR_OK;
    smr_learner maker = smr_spectral;
    smr_set_opts about = *opts;
    smr_spec *spec = NULL;
    smr_train_set *set = NULL;
    smr_model *model = NULL;
    *out = (smr_links){0};
    if (!sentence) sentence = smr_spectral.word->name;
    TRY(smr_spec_parse(ctx, sentence, &spec));
    TRY(check_sentence(ctx, spec, sentence));
    maker.fit = fit;
    maker.fitted = &fitted;
    spec->steps[spec->n - 1].learner = &maker;
    about.task = SMR_TASK_CLUSTER;
    TRY(smr_train_set_create(ctx, table, spec, &about, &set));
    if (label) TRY(take_labels(ctx, set, label, classes));
    TRY(smr_fit(ctx, spec, set, NULL, 0, &model));
    struct state *s = model->stages[model->n_stages - 1].state;
    out->graph = s->graph;
    out->eps = s->eps;
    out->sigma = s->sigma;
    s->graph = (smr_graph){0};
    TRY(smr_links_name(ctx, set->usable, out));
out:
    smr_model_free(model);
    smr_train_set_free(set);
    smr_spec_free(spec);
    if (st != SMR_OK) smr_links_release(out);
    return st;
}
