/* eigenmap.c -- Laplacian eigenmaps: rows as points of a few dimensions, near rows near each other.
 *
 *     w_ij    links of near rows (cluster/near_graph.h), d_i = sum_j w_ij
 *     f_c     minimises 1/2 sum w_ij (f_i - f_j)^2 under sum d_i f_i^2 = sum d_i, and
 *             sum d_i f_i g_i = 0 for constant g and all before it                             (1)
 *
 * which are the eigenvectors of I - D^-1 W after the first (laplacian=walk; the others likewise).
 * Signs: of the entries that are as large as the largest, the first is positive.  A graph in
 * several parts has as many eigenvalues 0: the first coordinates then tell its parts apart.
 *
 * A new row is placed at the mean of its nearest training rows, as many as `neighbors` (64 for
 * epsilon and full), weighted by its links to them; one that equals a training row, at that row's
 * place.  A row of weight w counts as w rows.  Cost and memory: those of spectral.
 * Symbols: n rows.  Reference: Belkin & Niyogi, Neural Computation 15 (2003). */
#include "core/figure.h"
#include "learn/cluster/cluster_view.h"
#include "learn/cluster/divide_graph.h"
#include "learn/cluster/near_graph.h"
#include "learn/made_features.h"

#include <math.h>
#include <string.h>

enum { AROUND = 64, SHOWN = 3000 };

/* ---- parameters ------------------------------------------------------------------------- */

struct eigenmap_params {
    int64_t k;
    SMR_GRAPH_FIELDS
};

static const smr_param params[] = {
    {SMR_FIELD(struct eigenmap_params, k), .def = 2, .min = 1, .max = 1000, .primary = true,
     .search = SMR_SEARCH_LINEAR, .search_min = 1, .search_max = 20, .simpler = SMR_SIMPLER_LOW,
     .doc = "Coordinates."},
    SMR_GRAPH_PARAMS(struct eigenmap_params),
};

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    const struct eigenmap_params *p = params_;
    return smr_graph_check(ctx, "eigenmap", p->graph, p->weights);
}

/* ---- state ------------------------------------------------------------------------------ */

struct eigenmap_state {
    int64_t n_out, n_parts;
    double eps, sigma;  /* that were used; 0: none                       */
    double links;       /* of the graph                                  */
    double *value;      /* n_out: eigenvalues                            */
    double *coordinate; /* n_sites x n_out, at the places of the sites */
    int64_t n_weights;  /* n_sites, or 0: all 1                        */
    double *weight;     /* n_weights                                   */
    smr_sites sites;
    smr_site_search search; /* made by prepare */
};

#define KEPT(field_) SMR_KEPT(struct eigenmap_state, field_)

static const smr_state state[] = {
    {KEPT(n_out), .min = 1, .doc = "Coordinates."},
    {KEPT(n_parts), .min = 1, .doc = "Parts of the graph."},
    {KEPT(eps), .reals = SMR_REALS_FROM_0, .doc = "How near linked rows are; 0 for other graphs."},
    {KEPT(sigma), .reals = SMR_REALS_FROM_0, .doc = "Width of the weights; 0 for others."},
    {KEPT(links), .reals = SMR_REALS_FROM_0, .doc = "Links between rows."},
    {KEPT(value), .dims = {"n_out"}, .reals = SMR_REALS_FROM_0, .doc = "Their eigenvalues."},
    SMR_SITES_STATE(struct eigenmap_state),
    {KEPT(coordinate), .dims = {"n_sites", "n_out"}, .reals = SMR_REALS_FINITE,
     .doc = "Where the rows lie."},
    {KEPT(n_weights), .since = 2, .most = "n_sites", .doc = "Rows with weights: all or none."},
    {KEPT(weight), .since = 2, .dims = {"n_weights"}, .optional = true, .with = "n_weights",
     .reals = SMR_REALS_ABOVE_0, .doc = "Weights of the rows."},
};

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct eigenmap_params *p = params_;
    const struct eigenmap_state *s = state_;
    (void)shape;
    if (s->sites.n_sites < 2 || s->n_out >= s->sites.n_sites)
        return smr_fail(ctx, SMR_ERR_FORMAT, "eigenmap: %lld rows do not have %lld coordinates",
                        (long long)s->sites.n_sites, (long long)s->n_out);
    if (s->n_weights != 0 && s->n_weights != s->sites.n_sites)
        return smr_fail(ctx, SMR_ERR_FORMAT, "eigenmap: %lld of %lld rows have a weight",
                        (long long)s->n_weights, (long long)s->sites.n_sites);
    if (smr_graph_weighs(p->graph, p->weights, p->sigma) == SMR_GRAPH_GAUSSIAN && !(s->sigma > 0))
        return smr_fail(ctx, SMR_ERR_FORMAT, "eigenmap: gaussian weights need a width above 0");
    return smr_sites_check(ctx, "eigenmap", &s->sites);
}

static smr_status prepare(smr_ctx *ctx, const void *params_, void *state_)
{
    const struct eigenmap_params *p = params_;
    struct eigenmap_state *s = state_;
    return smr_sites_search(ctx, (smr_metric_name)p->metric, &s->sites, &s->search);
}

static void release(void *state_)
{
    struct eigenmap_state *s = state_;
    smr_site_search_close(&s->search);
}

/* ---- fit -------------------------------------------------------------------------------- */

struct mapping {
    const struct eigenmap_params *p;
    struct eigenmap_state *s;
    smr_rows_graph g;
    int32_t *part;
    smr_graph_vectors found;
};

static smr_status find_map(smr_ctx *ctx, struct mapping *m)
{
    smr_status st = SMR_OK;
    struct eigenmap_state *s = m->s;
    int64_t n = m->g.tree.rows.n, k = m->p->k;
    if (k >= n)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "eigenmap: %lld row%s cannot have k=%lld coordinates; give a k below the "
                        "number of rows",
                        (long long)n, smr_plural(n, "", "s"), (long long)k);
    TRY_NEW(m->part, n);
    TRY(smr_graph_parts(ctx, &m->g.graph, m->part, &s->n_parts));
    if (s->n_parts > 1)
        smr_warn(ctx,
                 "eigenmap: the graph is in %lld parts without links between them, and the first "
                 "coordinates only tell these apart; raise neighbors, or eps",
                 (long long)s->n_parts);
    TRY(smr_graph_spectrum(ctx, &m->g.graph, (smr_laplacian)m->p->laplacian, m->part, s->n_parts,
                           k + 1, n <= 2000 ? 1e-10 : 1e-7, &m->found));
    if (!m->found.converged)
        smr_warn(ctx, "eigenmap: the eigenvectors are not there to the last digits");
    s->n_out = k;
    TRY_NEW(s->value, k);
    TRY_NEW(s->coordinate, n * k);
    memcpy(s->value, m->found.value + 1, (size_t)k * sizeof *s->value);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < k; c++) s->coordinate[i * k + c] = m->found.vector[i + (c + 1) * n];
out:
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    struct mapping m = {.p = params_, .s = state_};
    smr_status st = SMR_OK;
    const smr_graph_opts o = SMR_GRAPH_OPTS("eigenmap", m.p);
    TRY(smr_rows_graph_make(ctx, data, &o, &m.g));
    m.s->links = m.g.links;
    m.s->eps = m.g.eps;
    m.s->sigma = m.g.sigma;
    TRY(find_map(ctx, &m));
    m.s->weight = m.g.weight;
    m.s->n_weights = m.g.weight ? m.g.tree.rows.n : 0;
    smr_sites_adopt(m.g.tree.rows.n, m.g.tree.rows.d, m.g.tree.rows.x, m.g.tree.order, NULL,
                    &m.s->sites);
    m.g.weight = m.g.tree.rows.x = NULL;
    m.g.tree.order = NULL;
    report->objective = NAN;
    report->converged = m.found.converged;
out:
    smr_rows_graph_release(&m.g);
    smr_graph_vectors_release(&m.found);
    smr_free(m.part);
    return st;
}

/* ---- predict ---------------------------------------------------------------------------- */

static int64_t near_weight(const struct eigenmap_params *p)
{
    bool fixed = p->graph == SMR_GRAPH_KNN || p->graph == SMR_GRAPH_MUTUAL;
    return fixed ? p->neighbors : AROUND;
}

static int64_t count_near(const struct eigenmap_params *p, const struct eigenmap_state *s)
{
    return SMR_MIN(s->sites.n_sites, near_weight(p));
}

static int64_t scratch(const void *params_, const void *state_, int64_t n)
{
    const struct eigenmap_state *s = state_;
    int64_t K = count_near(params_, s);
    (void)n;
    return (s->sites.n_features + 2 * K + smr_site_room(&s->search, K)) * (int64_t)sizeof(double);
}

/* The mean of the places of its K neighbours, of the weight `most` together; that of the nearest
 * where it has links to none. */
static void place_row(const smr_graph_opts *o, const struct eigenmap_state *s, int64_t K,
                      double most, const int64_t *place, const double *far, double *out)
{
    double total = 0, left = most;
    for (int64_t c = 0; c < s->n_out; c++) out[c] = 0;
    for (int64_t e = 0; e < K && left > 0; e++) {
        bool linked = o->graph != SMR_GRAPH_EPSILON || far[e] <= s->eps;
        double rows = smr_fmin(left, s->weight ? s->weight[place[e]] : 1);
        double w = linked ? rows * smr_near_weight(o, far[e]) : 0;
        left -= rows;
        total += w;
        for (int64_t c = 0; c < s->n_out; c++) out[c] += w * s->coordinate[place[e] * s->n_out + c];
    }
    const double *first = s->coordinate + place[0] * s->n_out;
    bool alone = !(total > 0) || !(far[0] > 0);
    for (int64_t c = 0; c < s->n_out; c++) out[c] = alone ? first[c] : out[c] / total;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch_)
{
    const struct eigenmap_params *p = params_;
    const struct eigenmap_state *s = state_;
    int64_t K = count_near(p, s);
    double *q = scratch_, *far = q + s->sites.n_features;
    int64_t *place = (int64_t *)(void *)(far + K);
    smr_graph_opts o = SMR_GRAPH_OPTS("eigenmap", p);
    (void)ctx, (void)output;
    o.sigma = s->sigma;
    for (int64_t i = 0; i < rows->n; i++) {
        memcpy(q, (const double *)rows->x + i * rows->stride, (size_t)rows->d * sizeof *q);
        smr_site_nearest(&s->search, q, K, far + 2 * K, place, far);
        place_row(&o, s, K, (double)near_weight(p), place, far, out + i * s->n_out);
    }
    return SMR_OK;
}

/* ---- what is told ----------------------------------------------------------------------- */

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct eigenmap_params *p = params_;
    const struct eigenmap_state *s = state_;
    (void)ctx, (void)in;
    smr_json_add_number(into, "features_in", (double)n_in);
    smr_json_add_number(into, "features_out", (double)s->n_out);
    double rows = s->n_weights > 0 ? 0 : (double)s->sites.n_sites;
    for (int64_t i = 0; i < s->n_weights; i++) rows += s->weight[i];
    smr_json_add_number(into, "rows", rows);
    smr_json_add_string(into, "graph", smr_graph_choices[p->graph].name);
    if (s->eps > 0) smr_json_add_number(into, "eps", s->eps);
    if (s->sigma > 0) smr_json_add_number(into, "sigma", s->sigma);
    smr_json_add_number(into, "links", s->links);
    smr_json_add_number(into, "parts", (double)s->n_parts);
    smr_json_add_numbers(into, "eigenvalues", s->value, s->n_out);
    return SMR_OK;
}

static smr_status draw(smr_ctx *ctx, const void *params_, const void *state_, const smr_feature *in,
                       int64_t n_in, const char *prefix, smr_json *figures)
{
    const struct eigenmap_state *s = state_;
    smr_status st = SMR_OK;
    int64_t n = SMR_MIN(SHOWN, s->sites.n_sites);
    double *x = NULL, *y = NULL;
    (void)params_, (void)in, (void)n_in;
    smr_json *values = smr_cluster_figure(figures, prefix, "eigenvalues", "Eigenvalues of the map",
                                          "A coordinate with a small one varies slowly along the "
                                          "links.");
    TRY(smr_eigenvalue_points(ctx, s->n_out, s->value, 0, values));
    if (s->n_out < 2) return SMR_OK;
    TRY_NEW(x, n);
    TRY_NEW(y, n);
    for (int64_t k = 0; k < n; k++) {
        int64_t i = (int64_t)((double)k * (double)s->sites.n_sites / (double)n);
        x[k] = s->coordinate[i * s->n_out];
        y[k] = s->coordinate[i * s->n_out + 1];
    }
    smr_json *figure = smr_cluster_figure(figures, prefix, "map", "Map of the rows",
                                          "Rows that are linked lie near each other.");
    smr_figure_axis(figure, "x", "map1", "linear");
    smr_figure_axis(figure, "y", "map2", "linear");
    smr_figure_series(figure, "rows", "points", n, x, y);
out:
    smr_free(x);
    smr_free(y);
    return st;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static int64_t n_out(const void *params_, const void *state_, int64_t n_in)
{
    (void)params_, (void)n_in;
    return ((const struct eigenmap_state *)state_)->n_out;
}

static smr_status outputs(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_feature *in, int64_t n_in, smr_feature *out, int64_t n)
{
    (void)params_, (void)state_, (void)in, (void)n_in;
    return smr_made_features(ctx, "map", out, n);
}

static const smr_can_transform transform = {
    .n_out = n_out,
    .outputs = outputs,
    .origins = smr_made_of_all,
    .no_inverse = "a place on the map does not tell the row",
};

static const smr_word about = {
    .name = "eigenmap",
    .synonyms = "SpectralEmbedding spectral_embedding laplacian_eigenmaps diffusion_map manifold",
    .family = "factor",
    .title = "Laplacian eigenmaps",
    .brief = "Rows as points of a few dimensions, rows that are near each other near again.",
    .objective = "min 1/2 sum w_ij |f_i - f_j|^2 under sum d_i f_i f_i' = I sum d_i",
    .details =
        "Each row is linked to its nearest rows (or to those within eps, or to all); coordinates "
        "are the eigenvectors of the graph's Laplacian with the smallest eigenvalues after the "
        "first. They unfold curved sheets that a plane cannot show. A new row is placed at the "
        "weighted mean of its nearest training rows, one that equals a training row at its place. "
        "A row of weight 2 is the row twice. A graph in several parts is said: the first "
        "coordinates then only tell the parts apart. "
        "Give features comparable scales first: standardize | eigenmap.",
    .reference = "Belkin & Niyogi, Laplacian eigenmaps for dimensionality reduction and data "
                 "representation, Neural Computation 15 (2003) 1373-1396",
    .example = "samara train \"standardize | eigenmap 2\" data/digits.csv --ignore digit",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct eigenmap_params),
    .check_params = check_params,
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct eigenmap_state),
    .gives = SMR_GIVES_TRANSFORM,
    .prepare = prepare,
    .check = check,
    .release = release,
    .predict = predict,
    .scratch = scratch,
    .describe = describe,
    .draw = draw,
    .transform = &transform,
};

const smr_learner smr_eigenmap = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes = SMR_TAKES_F64 | SMR_TAKES_WEIGHTS,
    /* of a neighbour that is needed in part, one of the equal rows is taken: near_graph.h */
    .traits = SMR_SCALE_MATTERS | SMR_KEEPS_DATA | SMR_DRAWS_ROWS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .version = 2,
};
