/* agglomerate.c -- a tree of clusters: the two nearest merge, until one is left.
 *
 * What is near is said by the linkage (linkage.h); the tree is cut where k clusters are left, or
 * below a height.  k=auto cuts where the heights of successive merges are farthest apart: with
 * heights h_1 <= h_2 <= ... <= h_(n-1), after the m <= n - 2 for which h_(m+1) - h_m is largest,
 * which leaves n - m >= 2 clusters.                                                            (1)
 *
 * Clusters are numbered by the first of their rows.  A row that is predicted belongs to the cluster
 * of the nearest training row, of equally near ones of the first: so training rows get their own
 * labels again.  Its score is that distance, negated.
 *
 * A row of weight 2 is the row twice: it counts in means and sizes.
 *
 * Cost: n^2 d / 2 multiply-adds and about 4 n^2 more; ward about 3 n^2 d.  Memory: the rows, twice;
 * for average and complete n^2 floats, which are asked for first.
 * Symbols: n rows, d features.
 * References: Ward, JASA 58 (1963); Murtagh, The Computer Journal 26 (1983). */
#include "learn/cluster/agglomerate.h"

#include <math.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice counts[] = {
    {"auto", "the number above which the heights of merges are farthest apart"},
    {NULL, NULL},
};

static const smr_choice linkages[] = {
    [SMR_LINKAGE_WARD] = {"ward", "how much the sum of squares grows"},
    [SMR_LINKAGE_AVERAGE] = {"average", "the mean distance of their rows"},
    [SMR_LINKAGE_COMPLETE] = {"complete", "the distance of their farthest rows"},
    [SMR_LINKAGE_SINGLE] = {"single", "the distance of their nearest rows"},
    {NULL, NULL},
};

static const smr_choice metrics[] = {
    [SMR_METRIC_EUCLIDEAN] = {"euclidean", "the length of the difference"},
    [SMR_METRIC_MANHATTAN] = {"manhattan", "the sum of the differences' magnitudes"},
    [SMR_METRIC_CHEBYSHEV] = {"chebyshev", "the largest difference"},
    {NULL, NULL},
};

#define P(field_) SMR_FIELD(struct smr_agglomerate_params, field_)

static const smr_param params[] = {
    {P(k), .def = SMR_AGGLOMERATE_AUTO, .min = 1, .max = SMR_MAX_DIM, .whole = true,
     .choices = counts, .when = "height=none", .primary = true, .search = SMR_SEARCH_LINEAR,
     .search_min = 2, .search_max = 20, .simpler = SMR_SIMPLER_LOW,
     .doc = "Clusters that are left."},
    {P(height), .unset = true, .min = 0, .max = INFINITY, .max_open = true,
     .doc = "Clusters merge up to this height; unset: until k are left."},
    {P(linkage), .def = SMR_LINKAGE_WARD, .choices = linkages, .search = SMR_SEARCH_VALUES,
     .doc = "What the distance between two clusters is."},
    {P(metric), .def = SMR_METRIC_EUCLIDEAN, .choices = metrics, .when = "linkage!=ward",
     .search = SMR_SEARCH_VALUES, .doc = "How the distance between rows is measured."},
};

/* ---- state ------------------------------------------------------------------------------ */

#define KEPT(field_) SMR_KEPT(struct smr_agglomerate_state, field_)

static const smr_state state[] = {
    {KEPT(n_clusters), .min = 1, .most = "n_merges + 1", .doc = "Clusters."},
    {KEPT(n_merges), .doc = "Merges: rows less one."},
    {KEPT(cut), .reals = SMR_REALS_FROM_0, .doc = "The height at which the tree is cut."},
    {KEPT(left), .dims = {"n_merges"}, .optional = true, .with = "n_merges",
     .below = "n_merges + n_merges",
     .doc = "What merged: rows from 0 on, then what the merges made, in their order."},
    {KEPT(right), .dims = {"n_merges"}, .optional = true, .with = "n_merges",
     .below = "n_merges + n_merges", .doc = "What it merged with."},
    {KEPT(height), .dims = {"n_merges"}, .optional = true, .with = "n_merges",
     .reals = SMR_REALS_FROM_0, .doc = "Their distance."},
    {KEPT(weight), .dims = {"n_merges"}, .optional = true, .with = "n_merges",
     .reals = SMR_REALS_FROM_0, .doc = "Weight of what they made."},
    {KEPT(size), .dims = {"n_clusters"}, .reals = SMR_REALS_FROM_0,
     .doc = "Weight of the rows of each cluster."},
    SMR_SITES_STATE(struct smr_agglomerate_state),
    SMR_SITES_HOME(struct smr_agglomerate_state),
    SMR_VIEW_STATE(struct smr_agglomerate_state),
};

static smr_status check_merges(smr_ctx *ctx, const struct smr_agglomerate_state *s)
{
    smr_status st = SMR_OK;
    int64_t n = s->sites.n_sites;
    bool *merged = NULL;
    if (n != s->n_merges + 1)
        return smr_fail(ctx, SMR_ERR_FORMAT, "agglomerate: %lld rows do not make %lld merges",
                        (long long)n, (long long)s->n_merges);
    TRY_NEW(merged, 2 * n);
    for (int64_t m = 0; m < s->n_merges; m++) {
        int32_t a = s->left[m], b = s->right[m];
        bool falls = m > 0 && s->height[m] < s->height[m - 1];
        if (a >= b || b >= n + m || merged[a] || merged[b] || falls)
            TRY(smr_fail(ctx, SMR_ERR_FORMAT,
                         "agglomerate: merge %lld is not one of what is left, at a height that "
                         "does not fall",
                         (long long)m));
        merged[a] = merged[b] = true;
    }
out:
    smr_free(merged);
    return st;
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_agglomerate_state *s = state_;
    (void)params_, (void)shape;
    smr_status st = smr_sites_check(ctx, "agglomerate", &s->sites);
    return st == SMR_OK ? check_merges(ctx, s) : st;
}

static smr_metric_name metric_of(const struct smr_agglomerate_params *p)
{
    return p->linkage == SMR_LINKAGE_WARD ? SMR_METRIC_EUCLIDEAN : (smr_metric_name)p->metric;
}

static smr_status prepare(smr_ctx *ctx, const void *params_, void *state_)
{
    struct smr_agglomerate_state *s = state_;
    return smr_sites_search(ctx, metric_of(params_), &s->sites, &s->search);
}

static void release(void *state_)
{
    struct smr_agglomerate_state *s = state_;
    smr_site_search_close(&s->search);
}

/* ---- fit -------------------------------------------------------------------------------- */

/* (1). */
static int64_t widest_gap(const struct smr_agglomerate_state *s)
{
    int64_t n = s->n_merges + 1, k = SMR_MIN(n, 2);
    double widest = 0;
    for (int64_t m = s->n_merges - 1; m >= 0; m--) {
        double gap = s->height[m] - (m > 0 ? s->height[m - 1] : 0);
        if (m == 0 && k < n) break; /* something merges, if there are three rows */
        if (!(gap > widest)) continue;
        widest = gap;
        k = n - m;
    }
    return widest > 0 ? k : 1; /* all rows are equal */
}

static smr_status choose_count(smr_ctx *ctx, const struct smr_agglomerate_params *p,
                               struct smr_agglomerate_state *s)
{
    int64_t n = s->n_merges + 1, m = 0, distinct = n;
    while (m < s->n_merges && !(s->height[m] > 0)) m++;
    distinct = n - m;
    if (!isnan(p->height)) {
        while (m < s->n_merges && s->height[m] <= p->height) m++;
        s->n_clusters = n - m;
        s->cut = p->height;
        return SMR_OK;
    }
    if (p->k > (double)distinct)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "agglomerate: %lld distinct row%s cannot make k=%lld clusters; give a k "
                        "from 1 to %lld",
                        (long long)distinct, smr_plural(distinct, "", "s"), (long long)p->k,
                        (long long)distinct);
    s->n_clusters = p->k == SMR_AGGLOMERATE_AUTO ? widest_gap(s) : (int64_t)p->k;
    m = n - s->n_clusters; /* merges that are done */
    double below = m > 0 ? s->height[m - 1] : 0, above = m < n - 1 ? s->height[m] : below;
    s->cut = below + (above - below) / 2;
    return SMR_OK;
}

static int32_t top_of(int32_t *up, int32_t i)
{
    while (up[i] != i) i = up[i] = up[up[i]];
    return i;
}

/* home[i] = the cluster of row i; sizes. */
static smr_status cut_tree(smr_ctx *ctx, const smr_site_rows *rows, struct smr_agglomerate_state *s,
                           int32_t *home)
{
    smr_status st = SMR_OK;
    int64_t n = rows->n, done = n - s->n_clusters;
    int32_t *up = NULL, *number = NULL, next = 0;
    TRY_NEW(up, 2 * n);
    TRY_NEW(number, 2 * n);
    TRY_NEW(s->size, s->n_clusters);
    for (int64_t i = 0; i < 2 * n; i++) up[i] = (int32_t)i;
    for (int64_t m = 0; m < done; m++) up[s->left[m]] = up[s->right[m]] = (int32_t)(n + m);
    for (int64_t i = 0; i < 2 * n; i++) number[i] = -1;
    for (int64_t i = 0; i < n; i++) {
        int32_t top = top_of(up, (int32_t)i);
        if (number[top] < 0) number[top] = next++;
        home[i] = number[top];
        s->size[home[i]] += rows->w ? rows->w[i] : 1;
    }
out:
    smr_free(up);
    smr_free(number);
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct smr_agglomerate_params *p = params_;
    struct smr_agglomerate_state *s = state_;
    smr_status st = SMR_OK;
    smr_site_rows rows = {0};
    int32_t *home = NULL;
    TRY(smr_site_rows_read(ctx, "agglomerate", data, &rows));
    s->n_merges = rows.n - 1;
    if (s->n_merges > 0) {
        TRY_NEW(s->left, s->n_merges);
        TRY_NEW(s->right, s->n_merges);
        TRY_NEW(s->height, s->n_merges);
        TRY_NEW(s->weight, s->n_merges);
    }
    TRY_NEW(home, rows.n);
    TRY(smr_link_rows(ctx, (smr_linkage)p->linkage, smr_metric_kind(metric_of(p)), &rows, s->left,
                      s->right, s->height, s->weight));
    TRY(choose_count(ctx, p, s));
    TRY(cut_tree(ctx, &rows, s, home));
    TRY(smr_agglomerate_watch(ctx, s, &rows, report->trace));
    TRY(smr_cluster_view_keep(ctx, rows.n, rows.d, rows.x, home, s->n_clusters, &s->view));
    double *x = rows.x;
    rows.x = NULL;
    TRY(smr_sites_keep(ctx, rows.n, rows.d, x, home, &s->sites));
    report->objective = NAN;
    report->converged = true;
out:
    smr_site_rows_release(&rows);
    smr_free(home);
    return st;
}

/* ---- predict ---------------------------------------------------------------------------- */

static int64_t scratch(const void *params_, const void *state_, int64_t n)
{
    const struct smr_agglomerate_state *s = state_;
    (void)params_, (void)n;
    return smr_sites_scratch(&s->sites, &s->search);
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch_)
{
    const struct smr_agglomerate_state *s = state_;
    (void)ctx, (void)params_;
    smr_sites_predict(&s->sites, &s->search, rows, output, out, scratch_);
    return SMR_OK;
}

static int64_t count(const void *params_, const void *state_)
{
    (void)params_;
    return ((const struct smr_agglomerate_state *)state_)->n_clusters;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "agglomerate",
    .synonyms = "AgglomerativeClustering hierarchical hclust linkage dendrogram ward",
    .family = "cluster",
    .title = "Clusters by merging",
    .brief = "Merges the two nearest clusters until k are left, and draws the tree.",
    .objective = "single: min dist(x_i, x_j); complete: max; average: mean; ward: sqrt(2 w_a w_b / "
                 "(w_a + w_b)) |m_a - m_b|",
    .details =
        "The tree of merges is the same whatever k is; inspect draws it, condensed to its last "
        "merges, and lists them: numbers below the number of rows are rows, from 0 on, others the "
        "merges in their order. k=auto cuts where the heights of successive merges are farthest "
        "apart. Clusters are numbered by their first row. A new row belongs to the cluster of the "
        "nearest training row; its score is that distance, negated. A row of weight 2 is the row "
        "twice. average and complete keep a table of n^2 floats while they are fitted; ward and "
        "single keep only the rows. Give features comparable scales first: standardize | "
        "agglomerate.",
    .reference = "Murtagh, A survey of recent advances in hierarchical clustering algorithms, The "
                 "Computer Journal 26 (1983) 354-359",
    .example =
        "samara train \"standardize | agglomerate 3\" data/wine.csv --target cultivar --task "
        "cluster",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_agglomerate_params),
};

static const smr_can_cluster clusters = {.count = count};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_agglomerate_state),
    .gives = SMR_GIVES_LABEL | SMR_GIVES_SCORE,
    .prepare = prepare,
    .check = check,
    .release = release,
    .predict = predict,
    .scratch = scratch,
    .describe = smr_agglomerate_describe,
    .draw = smr_agglomerate_draw,
    .clusters = &clusters,
};

static const smr_can_trace traces = {.shows = "the merges, the nearest first"};

const smr_learner smr_agglomerate = {
    .word = &about,
    .tasks = SMR_DOES_CLUSTER,
    .takes = SMR_TAKES_F64 | SMR_TAKES_WEIGHTS,
    .traits = SMR_SCALE_MATTERS | SMR_KEEPS_DATA,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .trace = SMR_TRAINING(&traces),
};
