/* spectral.c -- clusters of rows that are linked: the graph of near rows is divided where few links
 * are cut.
 *
 *     w_ij     from the distance of rows i and j, by the rule graph (near_graph.h)
 *     L        a Laplacian of the weights (math/graph.h): D - W, or divided by degrees
 *     u_1 ..   eigenvectors of its k smallest eigenvalues: as if k indicators of clusters were
 *              allowed to be any real numbers, they minimise RatioCut or Ncut                  (1)
 *     clusters k-means of the n rows (u_1i, ..., u_ki); for two the sign of u_2 may be taken  (2)
 *
 * k=auto takes as many as there are eigenvalues before the widest gap of their roots, up to k_most.
 * A graph that is in several parts has as many eigenvalues 0, and no cluster has rows of two parts;
 * if there are more parts than k, rows of all but the k largest join the cluster of the nearest row
 * of these.
 *
 * A row of weight w counts as w rows: near_graph.h.
 *
 * Equal rows share a cluster.  Clusters are numbered by the first of their rows.  A row that is
 * predicted belongs to the cluster of the nearest training row, of equally near ones of the first:
 * so training rows get their own labels again.  Its score is that distance, negated.
 *
 * Cost: n log n for the neighbours with few features; some hundred to thousand products with the
 * links.  Memory: the rows, 12 bytes for each direction of a link, some 40 vectors; no table of n^2
 * but for graph=full.
 * References: von Luxburg, Statistics and Computing 17 (2007); Shi & Malik, IEEE PAMI 22 (2000). */
#include "learn/cluster/spectral.h"

#include <math.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice counts[] = {
    {"auto", "the number of eigenvalues before the widest gap between their roots"},
    {NULL, NULL},
};

static const smr_choice assigns[] = {
    [SMR_DIVIDE_KMEANS] = {"kmeans", "rows of the eigenvectors are grouped by k-means"},
    [SMR_DIVIDE_SIGN] = {"sign", "two clusters, by the sign of the second eigenvector"},
    {NULL, NULL},
};

#define P(field_) SMR_FIELD(struct smr_spectral_params, field_)

static const smr_param params[] = {
    {P(k), .def = SMR_SPECTRAL_AUTO, .min = 1, .max = 10000, .whole = true, .choices = counts,
     .primary = true, .search = SMR_SEARCH_LINEAR, .search_min = 2, .search_max = 20,
     .simpler = SMR_SIMPLER_LOW, .doc = "Clusters."},
    {P(k_most), .def = 10, .min = 2, .max = 1000, .when = "k=auto",
     .doc = "Clusters that k=auto chooses at most."},
    SMR_GRAPH_PARAMS(struct smr_spectral_params),
    {P(assign), .def = SMR_DIVIDE_KMEANS, .choices = assigns, .when = "k=2",
     .doc = "How two clusters follow from eigenvectors."},
    {P(starts), .def = 10, .min = 1, .max = 10000, .when = "assign=kmeans",
     .doc = "Starts of k-means, of which the best is taken."},
};

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    const struct smr_spectral_params *p = params_;
    return smr_graph_check(ctx, "spectral", p->graph, p->weights);
}

/* ---- state ------------------------------------------------------------------------------ */

#define KEPT(field_) SMR_KEPT(struct smr_spectral_state, field_)

static const smr_state state[] = {
    {KEPT(n_clusters), .min = 1, .doc = "Clusters."},
    {KEPT(n_values), .min = 1, .doc = "Eigenvalues that are known."},
    {KEPT(n_parts), .min = 1, .max = SMR_SPECTRAL_PARTS, .doc = "Parts of the graph."},
    {KEPT(n_coordinates), .min = 0, .max = 2, .doc = "Eigenvectors of the picture."},
    {KEPT(eps), .reals = SMR_REALS_FROM_0, .doc = "How near linked rows are; 0 for other graphs."},
    {KEPT(sigma), .reals = SMR_REALS_FROM_0, .doc = "Width of the weights; 0 for others."},
    {KEPT(n_rows), .reals = SMR_REALS_FROM_0, .since = 2,
     .doc = "The weight of the rows; 0: one each."},
    {KEPT(links), .reals = SMR_REALS_FROM_0, .doc = "Links between rows."},
    {KEPT(cut), .reals = SMR_REALS_NOT_NAN, .doc = "Weight of the links that are cut."},
    {KEPT(ratio_cut), .reals = SMR_REALS_NOT_NAN, .doc = "RatioCut."},
    {KEPT(ncut), .reals = SMR_REALS_NOT_NAN, .doc = "Ncut."},
    {KEPT(min_max_cut), .reals = SMR_REALS_NOT_NAN, .doc = "MinMaxCut."},
    {KEPT(value), .dims = {"n_values"}, .reals = SMR_REALS_FROM_0,
     .doc = "The smallest eigenvalues, ascending."},
    {KEPT(size), .dims = {"n_clusters"}, .reals = SMR_REALS_FROM_0, .doc = "Rows of clusters."},
    {KEPT(part), .dims = {"n_parts"}, .reals = SMR_REALS_FROM_0,
     .doc = "Rows of parts of the graph, by weight; of the first 100."},
    SMR_SITES_STATE(struct smr_spectral_state),
    SMR_SITES_HOME(struct smr_spectral_state),
    SMR_VIEW_STATE(struct smr_spectral_state),
    {KEPT(coordinate), .dims = {"n_shown", "n_coordinates"}, .optional = true,
     .with = "n_coordinates", .reals = SMR_REALS_FINITE,
     .doc = "Entries of the second and third eigenvector for the rows of pictures."},
};

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_spectral_state *s = state_;
    (void)params_, (void)shape;
    if (s->sites.n_sites < 1)
        return smr_fail(ctx, SMR_ERR_FORMAT, "spectral: there are no training rows");
    return smr_sites_check(ctx, "spectral", &s->sites);
}

static smr_status prepare(smr_ctx *ctx, const void *params_, void *state_)
{
    const struct smr_spectral_params *p = params_;
    struct smr_spectral_state *s = state_;
    return smr_sites_search(ctx, (smr_metric_name)p->metric, &s->sites, &s->search);
}

static void release(void *state_)
{
    struct smr_spectral_state *s = state_;
    smr_site_search_close(&s->search);
}

/* ---- fit -------------------------------------------------------------------------------- */

struct fitting {
    const struct smr_spectral_params *p;
    struct smr_spectral_state *s;
    smr_rows_graph g;
    smr_division division; /* nodes are places */
};

smr_status smr_spectral_graph(smr_ctx *ctx, const void *params_, const smr_data *data,
                              smr_rows_graph *out)
{
    const struct smr_spectral_params *p = params_;
    const smr_graph_opts o = SMR_GRAPH_OPTS("spectral", p);
    return smr_rows_graph_make(ctx, data, &o, out);
}

/* Rows of small parts join the nearest row of the large ones. */
static smr_status place_rest(smr_ctx *ctx, struct fitting *f)
{
    smr_status st = SMR_OK;
    smr_division *v = &f->division;
    int64_t n = f->g.tree.rows.n, d = f->g.tree.rows.d, m = 0;
    const smr_points *p = &f->g.tree.search.points;
    double *x = NULL, *q = NULL;
    int32_t *home = NULL;
    smr_sites sites = {0};
    smr_site_search search = {0};
    if (v->n_left == 0) return SMR_OK;
    TRY_NEW(x, smr_block_count(n, SMR_SITES_LANE) * SMR_SITES_LANE * d);
    TRY_NEW(home, n);
    for (int64_t i = 0; i < n; i++) {
        if (v->label[i] < 0) continue;
        smr_layout_row(&p->layout, p->x, i, x + m * d);
        home[m++] = v->label[i];
    }
    double *given = x;
    x = NULL;
    TRY(smr_sites_keep(ctx, m, d, given, home, &sites));
    TRY(smr_site_search_open(ctx, (smr_metric_name)f->p->metric, m, d, sites.site, sites.order,
                             &search));
    TRY_NEW(q, d + smr_site_room(&search, 1));
    for (int64_t i = 0; i < n; i++) {
        int64_t place;
        if (v->label[i] >= 0) continue;
        smr_layout_row(&p->layout, p->x, i, q);
        smr_site_nearest(&search, q, 1, q + d, &place, NULL);
        v->label[i] = sites.home[place];
    }
    smr_warn(ctx,
             "spectral: the graph is in %lld parts without links between them, and only k=%lld "
             "clusters are wanted: %lld %s of its smaller parts joined the nearest of the others",
             (long long)v->n_parts, (long long)v->k, (long long)v->n_left,
             smr_plural(v->n_left, "row", "rows"));
out:
    smr_site_search_close(&search);
    smr_free(sites.site);
    smr_free(sites.order);
    smr_free(sites.home);
    smr_free(x);
    smr_free(home);
    smr_free(q);
    return st;
}

/* Equal rows share a cluster, that of the first: as new rows they would. */
static smr_status join_twins(smr_ctx *ctx, struct fitting *f, const int32_t *twin)
{
    int64_t n = f->g.tree.rows.n;
    int32_t *label = f->division.label;
    for (int64_t i = 0; i < n; i++)
        if (twin[i] != i) label[i] = label[twin[i]];
    f->division.k = smr_renumber(ctx, n, f->g.tree.order, label);
    return f->division.k < 0 ? SMR_ERR_NOMEM : SMR_OK;
}

static smr_status divide(smr_ctx *ctx, struct fitting *f)
{
    smr_status st = SMR_OK;
    const struct smr_spectral_params *p = f->p;
    smr_divide_opts o = {.k = p->k == SMR_SPECTRAL_AUTO ? 0 : (int64_t)p->k,
                         .k_most = SMR_MAX(2, p->k_most),
                         .laplacian = (smr_laplacian)p->laplacian,
                         .assign = p->k == 2 ? p->assign : SMR_DIVIDE_KMEANS,
                         .starts = SMR_MAX(1, p->starts),
                         .number = f->g.tree.order};
    int64_t n = f->g.tree.rows.n, distinct;
    int32_t *twin = NULL;
    TRY_NEW(twin, n);
    TRY(smr_site_tree_twins(ctx, &f->g.tree, twin, &distinct));
    if (o.k > distinct)
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "spectral: %lld distinct row%s cannot make k=%lld clusters; give a k from 1 "
                     "to %lld",
                     (long long)distinct, smr_plural(distinct, "", "s"), (long long)o.k,
                     (long long)distinct));
    TRY(smr_divide_graph(ctx, &f->g.graph, &o, &f->division));
    smr_division_warn(ctx, "spectral", &f->division);
    TRY(place_rest(ctx, f));
    TRY(join_twins(ctx, f, twin));
    if (f->division.k < o.k)
        smr_warn(ctx, "spectral: the rows make only %lld clusters, not k=%lld: many are equal",
                 (long long)f->division.k, (long long)o.k);
    if (!f->division.spectrum.converged)
        smr_warn(ctx, "spectral: the eigenvectors are not there to the last digits; clusters may "
                      "cut more than they need");
out:
    smr_free(twin);
    return st;
}

static smr_status keep_numbers(smr_ctx *ctx, struct fitting *f)
{
    smr_status st = SMR_OK;
    struct smr_spectral_state *s = f->s;
    const smr_division *v = &f->division;
    smr_cut_values cuts;
    s->n_clusters = v->k;
    s->n_values = v->spectrum.k;
    s->n_parts = SMR_MIN(v->n_parts, SMR_SPECTRAL_PARTS);
    TRY_NEW(s->value, s->n_values);
    TRY_NEW(s->size, s->n_clusters);
    TRY_NEW(s->part, s->n_parts);
    memcpy(s->value, v->spectrum.value, (size_t)s->n_values * sizeof *s->value);
    for (int64_t i = 0; i < f->g.tree.rows.n; i++) {
        double weight = f->g.weight ? f->g.weight[i] : 1;
        s->size[v->label[i]] += weight;
        s->n_rows += weight;
    }
    for (int64_t p = 0; p < s->n_parts; p++) s->part[p] = v->part_size[p];
    TRY(smr_graph_cuts(ctx, &f->g.graph, v->k, v->label, &cuts));
    s->cut = cuts.cut;
    s->ratio_cut = cuts.ratio;
    s->ncut = cuts.normalised;
    s->min_max_cut = cuts.min_max;
out:
    return st;
}

/* Some rows in their order, with their entries of eigenvectors. */
static smr_status keep_view(smr_ctx *ctx, struct fitting *f)
{
    smr_status st = SMR_OK;
    struct smr_spectral_state *s = f->s;
    const smr_division *v = &f->division;
    int64_t n = f->g.tree.rows.n;
    int32_t *place = NULL;
    TRY(smr_cluster_view_of_tree(ctx, &f->g.tree, v->label, s->n_clusters, &s->view));
    s->n_coordinates = SMR_MIN(2, v->spectrum.k - 1);
    if (s->n_coordinates == 0) return SMR_OK;
    TRY_NEW(place, n);
    for (int64_t i = 0; i < n; i++) place[f->g.tree.order[i]] = (int32_t)i;
    TRY_NEW(s->coordinate, s->view.n_shown * s->n_coordinates);
    for (int64_t k = 0; k < s->view.n_shown; k++) {
        const double *u = v->spectrum.vector + place[smr_cluster_view_row(&s->view, k, n)];
        for (int64_t c = 0; c < s->n_coordinates; c++)
            s->coordinate[k * s->n_coordinates + c] = u[(c + 1) * n];
    }
out:
    smr_free(place);
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    struct fitting f = {.p = params_, .s = state_};
    smr_status st = SMR_OK;
    TRY(smr_spectral_graph(ctx, params_, data, &f.g));
    f.s->links = f.g.links;
    f.s->eps = f.g.eps;
    f.s->sigma = f.g.sigma;
    TRY(divide(ctx, &f));
    TRY(keep_numbers(ctx, &f));
    TRY(keep_view(ctx, &f));
    smr_sites_adopt(f.g.tree.rows.n, f.g.tree.rows.d, f.g.tree.rows.x, f.g.tree.order,
                    f.division.label, &f.s->sites);
    f.g.tree.rows.x = NULL;
    f.g.tree.order = NULL;
    f.division.label = NULL;
    report->objective = NAN;
    report->converged = f.division.spectrum.converged;
out:
    smr_rows_graph_release(&f.g);
    smr_division_release(&f.division);
    return st;
}

/* ---- predict ---------------------------------------------------------------------------- */

static int64_t scratch(const void *params_, const void *state_, int64_t n)
{
    const struct smr_spectral_state *s = state_;
    (void)params_, (void)n;
    return smr_sites_scratch(&s->sites, &s->search);
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch_)
{
    const struct smr_spectral_state *s = state_;
    (void)ctx, (void)params_;
    smr_sites_predict(&s->sites, &s->search, rows, output, out, scratch_);
    return SMR_OK;
}

static int64_t count(const void *params_, const void *state_)
{
    (void)params_;
    return ((const struct smr_spectral_state *)state_)->n_clusters;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "spectral",
    .synonyms = "SpectralClustering spectral_clustering ncut graph_cut",
    .family = "cluster",
    .title = "Spectral clustering",
    .brief = "Divides the graph of near rows where few links are cut: clusters of any shape.",
    .objective =
        "Ncut = sum cut(A_i) / vol(A_i), relaxed: eigenvectors of the smallest eigenvalues "
        "of I - D^-1 W",
    .details =
        "Each row is linked to its nearest rows (or to those within eps, or to all); the "
        "eigenvectors of the graph's Laplacian with the smallest eigenvalues place rows that are "
        "well linked near each other, and k-means groups them there. k=auto takes as many clusters "
        "as there are eigenvalues before the widest gap between their roots. A graph in several "
        "parts is said, and "
        "parts are never joined unless there are more than k: then rows of the smaller ones join "
        "the nearest row of the others. inspect tells the eigenvalues, and what the clusters cut: "
        "cut, RatioCut, Ncut, MinMaxCut. Clusters are numbered by their first row. A new row "
        "belongs to the cluster of the nearest training row; its score is that distance, negated. "
        "A row of weight 2 is the row twice. "
        "samara graph does the same for a graph that is given. Give features comparable scales "
        "first: standardize | spectral.",
    .reference = "von Luxburg, A tutorial on spectral clustering, Statistics and Computing 17 "
                 "(2007) 395-416",
    .example = "samara train \"standardize | spectral 3\" data/wine.csv --target cultivar --task "
               "cluster",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_spectral_params),
    .check_params = check_params,
};

static const smr_can_cluster clusters = {.count = count};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_spectral_state),
    .gives = SMR_GIVES_LABEL | SMR_GIVES_SCORE,
    .prepare = prepare,
    .check = check,
    .release = release,
    .predict = predict,
    .scratch = scratch,
    .describe = smr_spectral_describe,
    .draw = smr_spectral_draw,
    .clusters = &clusters,
};

const smr_learner smr_spectral = {
    .word = &about,
    .tasks = SMR_DOES_CLUSTER,
    .takes = SMR_TAKES_F64 | SMR_TAKES_WEIGHTS,
    .traits = SMR_SCALE_MATTERS | SMR_KEEPS_DATA | SMR_DRAWS_ROWS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .version = 2,
};
