/* lof.c -- local outlier factor: outliers are the rows around which the others lie thinner than
 * around their neighbours.
 *
 * For a row q let N be the other training rows that are nearest to it, with k places in all, and
 * far(q) the distance of the last.
 *
 *     score(q) = -reach(q) mean_{i in N} 1 / reach(x_i)                                      (1)
 *     reach(q) = mean_{i in N} max(far(x_i), dist(q, x_i))                                   (2)
 *
 * (2) is how far it is to the neighbours, where none counts as nearer than it is to its own: this
 * keeps (1) steady.  About -1 is a row like its neighbours.
 *
 * Neighbours, places and weights are those of knn: of rows at distance 0 the weight 1 is the row
 * itself, so that a training row has the score that it has among the others; rows at the same
 * distance are taken in the order of their numbers; a row of weight 2 takes two places.  Copies of
 * a row may have a reach of 0, which counts as 1e-10 of the mean of far.  With no more rows than k,
 * all others count; a row alone has -1.
 *
 * Cost: fit two searches for each training row, predict one; memory as knn, and two numbers for
 * each row.
 * Symbols: q query, x_i training rows.
 * Reference: Breunig, Kriegel, Ng & Sander, LOF, SIGMOD 2000. */
#include "core/parallel.h"
#include "core/try.h"
#include "learn/neighbors/knn.h"

/* ---- parameters and state --------------------------------------------------------------- */

static const smr_param params[] = {
    {SMR_FIELD(struct smr_knn_params, k), .def = 20, .min = 1, .max = SMR_MAX_DIM, .primary = true,
     .search = SMR_SEARCH_LOG, .search_min = 5, .search_max = 100, .simpler = SMR_SIMPLER_HIGH,
     .doc = "Number of neighbours: more than the outliers that may lie together."},
    SMR_KNN_METRIC_ROWS,
    {SMR_FIELD(struct smr_knn_params, algorithm), .def = SMR_KNN_AUTO,
     .choices = smr_knn_algorithms,
     .doc = "How neighbours are searched; the results are the same."},
};

static const smr_state state[] = {
    {SMR_KEPT(struct smr_knn_state, n), .min = 1, .doc = "Training rows."},
    {SMR_KEPT(struct smr_knn_state, d), .is = "features", .min = 1, .doc = "Features."},
    SMR_KNN_STATE_ROWS,
    {SMR_KEPT(struct smr_knn_state, weight), .reals = SMR_REALS_ABOVE_0, .dims = {"n"},
     .optional = true, .doc = "Weight of each row, when they are not all 1."},
    {SMR_KEPT(struct smr_knn_state, far), .reals = SMR_REALS_FROM_0, .dims = {"n"},
     .doc = "Distance of each row to the last of its neighbours."},
    {SMR_KEPT(struct smr_knn_state, reach), .reals = SMR_REALS_ABOVE_0, .dims = {"n"},
     .doc = "Mean distance of each row to its neighbours, none nearer than to its own."},
};

static const smr_word about = {
    .name = "lof",
    .synonyms = "LocalOutlierFactor local_outlier_factor",
    .family = "neighbors",
    .title = "Local outlier factor",
    .brief = "Finds outliers: rows around which the others lie thinner than around their "
             "neighbours.",
    .objective = "score(q) = -reach(q) mean 1 / reach(x_i) over the k nearest rows; reach: mean "
                 "distance to the neighbours, none counted nearer than it is to its own",
    .details =
        "Near -1 a row is like its neighbours, -2 lies twice as thin as these. Unlike distances "
        "(knn with --task outliers) it compares each row with the rows around it, so that a thin "
        "cloud beside a dense one is no outlier. k must be more than the outliers that may lie "
        "together. The neighbours are exact. A training row is not its own neighbour, and has the "
        "score that it has among the others. A row of weight 2 takes two of the k places. Give "
        "features comparable scales first: standardize | lof. The model holds the training rows.",
    .reference = "Breunig, Kriegel, Ng & Sander, LOF: identifying density-based local outliers, "
                 "SIGMOD (2000)",
    .example = "samara train \"standardize | lof 20\" data/breast_cancer.csv --target diagnosis",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_knn_params),
};

/* ---- fit -------------------------------------------------------------------------------- */

struct asking {
    const struct smr_knn_params *params;
    const struct smr_knn_state *state;
    double *out; /* n, by row number */
};

enum { TASK_ROWS = 4 * SMR_KNN_BATCH };

/* What smr_knn_outlying says of the training rows in some places. */
static smr_status ask(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct asking *a = arg;
    const struct smr_knn_state *s = a->state;
    const smr_points *points = &s->search->points;
    smr_status st = SMR_OK;
    int64_t lo = task * TASK_ROWS, n = SMR_MIN(s->n - lo, TASK_ROWS);
    double *x = NULL, *score = NULL;
    char *scratch = NULL;
    (void)lane;
    TRY_NEW(x, n * s->d);
    TRY_NEW(score, n);
    TRY_NEW(scratch, smr_knn_scratch(a->params, s, n));
    for (int64_t i = 0; i < n; i++)
        smr_layout_row(&points->layout, points->x, lo + i, x + i * s->d);
    smr_rows rows = {.n = n, .d = s->d, .first = lo, .form = SMR_FORM_F64, .x = x, .stride = s->d};
    TRY(smr_knn_predict(ctx, a->params, s, &rows, SMR_OUTPUT_SCORE, score, scratch));
    for (int64_t i = 0; i < n; i++) a->out[s->order ? s->order[lo + i] : lo + i] = -score[i];
out:
    smr_free(x);
    smr_free(score);
    smr_free(scratch);
    return st;
}

static smr_status compare_rows(smr_ctx *ctx, const struct smr_knn_params *p,
                               struct smr_knn_state *s)
{
    smr_status st = SMR_OK;
    struct asking asking = {p, s, NULL};
    double *far = NULL, *reach = NULL;
    int64_t tasks = smr_block_count(s->n, TASK_ROWS);
    TRY_NEW(far, s->n);
    TRY_NEW(reach, s->n);
    TRY(smr_knn_prepare(ctx, p, s));
    asking.out = far;
    TRY(smr_parallel(ctx, "neighbours", tasks, ask, &asking));
    s->far = far;
    far = NULL;
    s->search->least = smr_knn_least_reach(s);
    asking.out = reach;
    TRY(smr_parallel(ctx, "neighbours of neighbours", tasks, ask, &asking));
    s->reach = reach;
    reach = NULL;
out:
    smr_knn_release(s);
    smr_free(far);
    smr_free(reach);
    return st;
}

/* Each pass asks with the training rows themselves: first for far, then, of rows that have this,
 * for their reach. */
static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    smr_status st = SMR_OK;
    TRY(smr_knn_fit(ctx, params_, data, state_, report));
    TRY(compare_rows(ctx, params_, state_));
out:
    return st;
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    (void)shape;
    return smr_knn_check_rows(ctx, about.name, params_, state_);
}

static smr_status prepare(smr_ctx *ctx, const void *params_, void *state_)
{
    ((struct smr_knn_state *)state_)->who = about.name;
    return smr_knn_prepare(ctx, params_, state_);
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_knn_state),
    .gives = SMR_GIVES_SCORE,
    .prepare = prepare,
    .check = check,
    .release = smr_knn_release,
    .predict = smr_knn_predict,
    .scratch = smr_knn_scratch,
    .form = smr_knn_form,
    .block_rows = SMR_KNN_BATCH,
    .describe = smr_knn_describe,
};

const smr_learner smr_lof = {
    .word = &about,
    .tasks = SMR_DOES_OUTLIERS,
    .takes = SMR_TAKES_F64 | SMR_TAKES_F32 | SMR_TAKES_U8 | SMR_TAKES_WEIGHTS,
    .traits = SMR_SCALE_MATTERS | SMR_KEEPS_DATA,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
};
