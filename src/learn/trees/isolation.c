/* isolation.c -- isolation forest: outliers are the rows that a few random questions set apart.
 *
 * Each tree draws `sample` rows.  A node with more than one row, less than log2(sample) questions
 * below the root, draws one of the features in which its rows differ; and a cut between the least
 * and the largest value, or, of a category, one of the levels that its rows have.  With h_t(x) the
 * questions on the way of x through tree t, and c(m) those that are left in a leaf with m rows,
 *
 *     c(n) = 2 H(n - 1) - 2 (n - 1) / n,   H(m) = 1 + 1/2 + ... + 1/m,  c(1) = 0              (1)
 *     E(x) = mean_t (h_t(x) + c(rows in its leaf))                                            (2)
 *     score(x) = -2^(-E(x) / c(sample))                                                       (3)
 *
 * (1) is what a search in a tree of n random values asks on average, so that -1/2 is a row like
 * any other, and a row that is set apart at once has -1.  Where the rows do not differ (one of
 * them, or copies of one) all have -1/2.
 *
 * A gap tells nothing: each node sends it to either side with chance 1/2, and a feature in which
 * the rows of a node differ only by gaps is not asked.  A level that no row of the node had goes
 * with the other levels.  Sparse rows are taken as they are, and make the trees of the same rows
 * that are dense.
 *
 * Rows are drawn without repeats, by their weight: the weights lie side by side on a line that is
 * cut into W pieces of length 1, W the sum of weights, or into as many as there are rows if that is
 * more.  A tree draws some of the pieces, and in each a place, whose row it takes: a row of weight
 * 2 has two pieces, as two rows of weight 1.
 *
 * Cost: fit sample log2(sample) steps a tree, whatever the number of rows; memory: the rows that
 * are drawn.  A row asks at most log2(sample) questions a tree.
 * Symbols: n rows, d features, H harmonic numbers.
 * Reference: Liu, Ting & Zhou, Isolation forest, ICDM 2008. */
#include "learn/trees/isolation.h"

#include "core/figure.h"
#include "core/text.h"
#include "core/try.h"
#include "kernel/kernel.h"
#include "learn/trees/importance.h"

#include <math.h>

/* ---- parameters ------------------------------------------------------------------------- */

#define P(field_) SMR_FIELD(struct smr_isolation_params, field_)

static const smr_param params[] = {
    {P(trees), .def = 100, .min = 1, .max = 1e6, .search = SMR_SEARCH_LOG, .search_min = 30,
     .search_max = 300, .simpler = SMR_SIMPLER_LOW, .primary = true,
     .doc = "Number of trees. More make scores steadier, and cost time."},
    {P(sample), .def = 256, .min = 2, .max = 1 << 24, .search = SMR_SEARCH_LOG, .search_min = 32,
     .search_max = 2048, .simpler = SMR_SIMPLER_LOW,
     .doc = "Rows that each tree draws. Few rows keep outliers apart that lie together."},
};

/* ---- state ------------------------------------------------------------------------------ */

#define KEPT(field_) SMR_KEPT(struct smr_isolation_state, field_)

static const smr_state state[] = {
    SMR_TREES_STATE(struct smr_isolation_state, trees),
    {KEPT(n_features), .is = "features", .min = 1, .doc = "Features."},
    {KEPT(form), .max = SMR_FORM_SPARSE, .doc = "Form of the rows in training."},
    {KEPT(drawn), .min = 1, .max = 1 << 24, .doc = "Rows of each tree."},
};

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_isolation_params *p = params_;
    const struct smr_isolation_state *s = state_;
    if (s->trees.n_scores != 1 || s->trees.width != 1 || s->trees.n_trees != p->trees ||
        s->trees.is_shared || s->drawn > p->sample)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "the model file is damaged: isolation: its sizes do not fit each other");
    for (int64_t i = 0; i < s->trees.n_leaves; i++)
        if (!(s->trees.value[i] >= 0) || s->trees.value[i] > 1e9)
            return smr_fail(ctx, SMR_ERR_FORMAT,
                            "the model file is damaged: isolation: a way has no length");
    return smr_trees_check(ctx, "isolation", &s->trees, shape);
}

/* ---- predict ---------------------------------------------------------------------------- */

/* (1): exact up to here, from there on by Euler and Maclaurin's sum. */
enum { SUMMED = 256 };

double smr_isolation_usual(int64_t n)
{
    double h = 0, m = (double)(n - 1);
    if (n < 2) return 0;
    if (n <= SUMMED)
        for (int64_t i = n - 1; i > 0; i--) h += 1 / (double)i;
    else
        h = smr_log(m) + 0.57721566490153286 + 1 / (2 * m) - 1 / (12 * m * m);
    return 2 * h - 2 * m / (double)n;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct smr_isolation_state *s = state_;
    double usual = smr_isolation_usual(s->drawn), n = (double)s->trees.n_trees;
    double unit = usual > 0 ? -0.69314718055994531 / (usual * n) : 0;
    (void)ctx, (void)params_, (void)output;
    for (int64_t i = 0; i < rows->n; i++) out[i] = 0;
    smr_trees_answer(&s->trees, rows, 0, s->trees.n_trees, out, scratch);
    for (int64_t i = 0; i < rows->n; i++) out[i] = usual > 0 ? -smr_exp(unit * out[i]) : -0.5;
    return SMR_OK;
}

static int64_t scratch_bytes(const void *params_, const void *state_, int64_t n)
{
    const struct smr_isolation_state *s = state_;
    (void)params_, (void)n;
    return smr_trees_scratch(s->n_features); /* rows may come sparse, whatever the fit had */
}

static smr_form form(const void *state_)
{
    return (smr_form)((const struct smr_isolation_state *)state_)->form;
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_isolation_state *s = state_;
    (void)params_, (void)in, (void)n_in;
    smr_json_add_number(into, "rows_per_tree", (double)s->drawn);
    smr_json_add_number(into, "usual_questions", smr_isolation_usual(s->drawn));
    return smr_trees_describe(ctx, &s->trees, into);
}

static smr_tree_view view_of(const void *params_, const void *state_)
{
    const struct smr_isolation_state *s = state_;
    (void)params_;
    return (smr_tree_view){.trees = &s->trees, .says = SMR_SAYS_VALUES, .is_mean = true};
}

/* Shares of the rows that the trees drew, by how many questions set them apart: those of the last
 * place need as many or more. */
enum { MOST_WAYS = 64 };

static int64_t count_ways(const struct smr_isolation_state *s, double share[MOST_WAYS])
{
    int64_t n = 0;
    double all = 0;
    for (int64_t i = 0; i < s->trees.n_nodes; i++) {
        smr_tree_node node = smr_trees_node(&s->trees, i);
        if (node.kind != SMR_SPLIT_LEAF) continue;
        double way = smr_fmin(floor(s->trees.value[node.leaf] + 0.5), MOST_WAYS - 1);
        int64_t at = (int64_t)way;
        for (; n <= at; n++) share[n] = 0;
        share[at] += node.cover;
        all += node.cover;
    }
    for (int64_t k = 0; k < n && all > 0; k++) share[k] /= all;
    return n;
}

static smr_status draw(smr_ctx *ctx, const void *params_, const void *state_, const smr_feature *in,
                       int64_t n_in, const char *prefix, smr_json *figures)
{
    const struct smr_isolation_state *s = state_;
    smr_status st = SMR_OK;
    smr_text name = {.ctx = ctx};
    double share[MOST_WAYS], way[MOST_WAYS];
    (void)params_, (void)in, (void)n_in;
    if (s->drawn < 2) return SMR_OK;
    int64_t n = count_ways(s, share);
    for (int64_t k = 0; k < n; k++) way[k] = (double)k;
    smr_text_printf(&name, "%sways", prefix);
    TRY(smr_text_done(&name));
    smr_json *figure = smr_figure_add(
        figures, name.bytes, "Questions until a row is alone",
        "Of the rows that the trees drew; those far to the left are set apart soon.");
    smr_json_add_number(smr_figure_axis(figure, "x", "questions", "linear"), "min", 0);
    smr_json_add_number(smr_figure_axis(figure, "y", "share of the rows", "linear"), "min", 0);
    smr_figure_series(figure, "rows", "bars", n, way, share);
    smr_figure_mark(figure, "vline", smr_isolation_usual(s->drawn), "usual: score -0.5");
out:
    smr_text_release(&name);
    return st;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "isolation",
    .synonyms = "isolation_forest iforest IsolationForest anomaly",
    .family = "trees",
    .title = "Isolation forest",
    .brief = "Finds outliers: the rows that a few random questions set apart from the others.",
    .objective = "score(x) = -2^(-E(x) / c(sample)), E the mean number of random questions until x "
                 "is alone, c that of a usual row",
    .details =
        "Scores are from -1 to 0: near -0.5 a row is like any other, lower ones are outliers. "
        "Which rows are called so the threshold says: 5 % of the training rows, or --threshold "
        "share=S. Each tree sees few rows, so that many rows cost the fit nothing, and outliers "
        "that lie together stay apart. The units of the columns do not matter, nor do gaps: these "
        "go to either side by chance. Of a category one level at a time is set apart from the "
        "others. A row of weight 2 is drawn as two rows are. With a target that is named, known "
        "outliers are told from other rows by AUC; it is not learned from.",
    .reference = "Liu, Ting & Zhou, Isolation forest, ICDM (2008)",
    .example = "samara train isolation data/breast_cancer.csv --target diagnosis",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_isolation_params),
};

static const smr_can_explain explains = {.trees = view_of};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_isolation_state),
    .gives = SMR_GIVES_SCORE,
    .prepare = smr_trees_prepare_state,
    .check = check,
    .release = smr_trees_release_state,
    .predict = predict,
    .scratch = scratch_bytes,
    .form = form,
    .describe = describe,
    .draw = draw,
    .explain = &explains,
};

const smr_learner smr_isolation = {
    .word = &about,
    .tasks = SMR_DOES_OUTLIERS,
    .takes = SMR_TAKES_F64 | SMR_TAKES_F32 | SMR_TAKES_U8 | SMR_TAKES_SPARSE | SMR_TAKES_CODES |
             SMR_TAKES_MISSING | SMR_TAKES_WEIGHTS,
    .traits = SMR_DRAWS_ROWS,
    .fit = SMR_TRAINING(smr_isolation_fit),
    .fitted = &fitted,
};
