/* measures.c -- the list of measures: names for the command, the reports and tuning. */
#include "metric/metric_parts.h"

#include <math.h>
#include <string.h>

/* ---- counting ------------------------------------------------------------------------- */

static smr_status accuracy(smr_ctx *ctx, smr_classified *c, double *out)
{
    (void)ctx;
    *out = smr_tally_accuracy(&c->tally);
    return SMR_OK;
}

static smr_status error(smr_ctx *ctx, smr_classified *c, double *out)
{
    (void)ctx;
    *out = 1 - smr_tally_accuracy(&c->tally);
    return SMR_OK;
}

static smr_status balanced_accuracy(smr_ctx *ctx, smr_classified *c, double *out)
{
    (void)ctx;
    *out = smr_tally_balanced_accuracy(&c->tally);
    return SMR_OK;
}

static smr_status matthews(smr_ctx *ctx, smr_classified *c, double *out)
{
    (void)ctx;
    *out = smr_tally_matthews(&c->tally);
    return SMR_OK;
}

static smr_status kappa(smr_ctx *ctx, smr_classified *c, double *out)
{
    (void)ctx;
    *out = smr_tally_kappa(&c->tally);
    return SMR_OK;
}

/* Two classes: the positive one's; more: the mean over classes. */
static smr_status usual_rate(smr_classified *c, smr_rate rate, double *out)
{
    *out = c->in->n_classes == 2 ? smr_tally_rate(&c->tally, rate, positive_of(c->in))
                                 : smr_tally_average(&c->tally, rate, SMR_AVERAGE_MACRO);
    return SMR_OK;
}

static smr_status precision(smr_ctx *ctx, smr_classified *c, double *out)
{
    (void)ctx;
    return usual_rate(c, SMR_RATE_PRECISION, out);
}

static smr_status recall(smr_ctx *ctx, smr_classified *c, double *out)
{
    (void)ctx;
    return usual_rate(c, SMR_RATE_RECALL, out);
}

static smr_status f1(smr_ctx *ctx, smr_classified *c, double *out)
{
    (void)ctx;
    return usual_rate(c, SMR_RATE_F1, out);
}

#define AVERAGED(name_, rate_, average_)                                  \
    static smr_status name_(smr_ctx *ctx, smr_classified *c, double *out) \
    {                                                                     \
        (void)ctx;                                                        \
        *out = smr_tally_average(&c->tally, rate_, average_);             \
        return SMR_OK;                                                    \
    }
AVERAGED(precision_macro, SMR_RATE_PRECISION, SMR_AVERAGE_MACRO)
AVERAGED(precision_micro, SMR_RATE_PRECISION, SMR_AVERAGE_MICRO)
AVERAGED(precision_weighted, SMR_RATE_PRECISION, SMR_AVERAGE_WEIGHTED)
AVERAGED(recall_macro, SMR_RATE_RECALL, SMR_AVERAGE_MACRO)
AVERAGED(recall_micro, SMR_RATE_RECALL, SMR_AVERAGE_MICRO)
AVERAGED(recall_weighted, SMR_RATE_RECALL, SMR_AVERAGE_WEIGHTED)
AVERAGED(f1_macro, SMR_RATE_F1, SMR_AVERAGE_MACRO)
AVERAGED(f1_micro, SMR_RATE_F1, SMR_AVERAGE_MICRO)
AVERAGED(f1_weighted, SMR_RATE_F1, SMR_AVERAGE_WEIGHTED)

/* ---- order ---------------------------------------------------------------------------- */

static smr_status auc(smr_ctx *ctx, smr_classified *c, double *out)
{
    smr_status st = smr_ranks(ctx, c);
    double sum = 0, n = 0;
    if (st != SMR_OK) return st;
    if (c->in->n_classes == 2) {
        *out = c->ranks[positive_of(c->in)].auc;
        return SMR_OK;
    }
    for (int64_t k = 0; k < c->in->n_classes; k++) {
        if (isnan(c->ranks[k].auc)) continue;
        sum += c->ranks[k].auc;
        n += 1;
    }
    *out = n > 0 ? sum / n : NAN;
    return SMR_OK;
}

static smr_status auc_ovo(smr_ctx *ctx, smr_classified *c, double *out)
{
    smr_status st = smr_ranks(ctx, c);
    double sum = 0, n = 0;
    if (c->in->n_classes == 2) return auc(ctx, c, out);
    for (int64_t k = 0; st == SMR_OK && k < c->in->n_classes; k++) {
        sum += c->ranks[k].pairs;
        n += c->ranks[k].n_pairs;
    }
    *out = n > 0 ? sum / n : NAN;
    return st;
}

static smr_status average_precision(smr_ctx *ctx, smr_classified *c, double *out)
{
    smr_status st = smr_ranks(ctx, c);
    double sum = 0, n = 0;
    if (st != SMR_OK) return st;
    if (c->in->n_classes == 2) {
        *out = c->ranks[positive_of(c->in)].average_precision;
        return SMR_OK;
    }
    for (int64_t k = 0; k < c->in->n_classes; k++) {
        if (isnan(c->ranks[k].average_precision)) continue;
        sum += c->ranks[k].average_precision;
        n += 1;
    }
    *out = n > 0 ? sum / n : NAN;
    return SMR_OK;
}

static smr_status top3_error(smr_ctx *ctx, smr_classified *c, double *out)
{
    return smr_top_k_error(ctx, c->in, 3, out);
}

static smr_status top5_error(smr_ctx *ctx, smr_classified *c, double *out)
{
    return smr_top_k_error(ctx, c->in, 5, out);
}

/* ---- probabilities -------------------------------------------------------------------- */

static smr_status log_loss(smr_ctx *ctx, smr_classified *c, double *out)
{
    return smr_log_loss(ctx, c->in, out);
}

static smr_status brier(smr_ctx *ctx, smr_classified *c, double *out)
{
    return smr_brier(ctx, c->in, out);
}

static smr_status calibration_error(smr_ctx *ctx, smr_classified *c, double *out)
{
    smr_calibration_bin bins[10];
    return smr_calibration(ctx, c->in, SMR_COUNT(bins), bins, out);
}

/* ---- the list ------------------------------------------------------------------------- */

#define CLASSIFY .task = SMR_TASK_CLASSIFY
#define HIGHER .higher_is_better = true
#define REGRESS(field_) .task = SMR_TASK_REGRESS, .regress = offsetof(smr_regress_row, field_)
#define RATING(field_) .task = SMR_TASK_RECOMMEND, .regress = offsetof(smr_regress_row, field_)
#define CLUSTER .task = SMR_TASK_CLUSTER
#define SEQUENCE .task = SMR_TASK_SEQUENCE
#define OUTLIERS .task = SMR_TASK_OUTLIERS

static const smr_measure measures[] = {
    {"accuracy", "Accuracy", "weight of correct rows / weight of rows",
     "Share of the rows whose class was predicted correctly.", CLASSIFY, HIGHER,
     .classify = accuracy},
    {"error", "Error", "1 - accuracy", "Share of the rows whose class was predicted wrongly.",
     CLASSIFY, .classify = error},
    {"precision", "Precision", "tp / (tp + fp)",
     "Of the rows predicted to be in a class, the share that really are; for the positive one of "
     "two classes, else the mean over classes.",
     CLASSIFY, HIGHER, .of_one_class = true, .classify = precision},
    {"recall", "Recall", "tp / (tp + fn)",
     "Of the rows that are in a class, the share predicted to be; for the positive one of two "
     "classes, else the mean over classes.",
     CLASSIFY, HIGHER, .of_one_class = true, .classify = recall},
    {"f1", "F1", "2 tp / (2 tp + fp + fn)",
     "Harmonic mean of precision and recall; for the positive one of two classes, else the mean "
     "over classes.",
     CLASSIFY, HIGHER, .of_one_class = true, .classify = f1},
    {"balanced_accuracy", "Balanced accuracy", "mean over classes of recall",
     "Mean of the classes' recalls: accuracy with every class counting the same.", CLASSIFY, HIGHER,
     .classify = balanced_accuracy},
    {"matthews", "Matthews correlation",
     "(W sum tp - sum p_k s_k) / sqrt((W^2 - sum p_k^2)(W^2 - sum s_k^2))",
     "Correlation between true and predicted classes (phi): 1 is perfect, 0 no better than "
     "guessing, however unequal the classes.",
     CLASSIFY, HIGHER, .classify = matthews},
    {"kappa", "Cohen's kappa", "(a - e) / (1 - e), e = sum p_k s_k / W^2",
     "Agreement with the true classes beyond what chance would give: 1 is perfect, 0 is chance.",
     CLASSIFY, HIGHER, .classify = kappa},
    {"log_loss", "Log loss", "-mean log p(label), p >= 2^-52",
     "Mean of -log(probability given to the true class); confident mistakes cost most.", CLASSIFY,
     .needs_scores = true, .needs_proba = true, .classify = log_loss},
    {"brier", "Brier score",
     "mean (p - [positive])^2; more than two classes: mean sum_k (p_k - [k])^2",
     "Mean squared difference between the predicted probabilities and what happened (1 or 0).",
     CLASSIFY, .needs_scores = true, .needs_proba = true, .classify = brier},
    {"calibration_error", "Expected calibration error",
     "sum over 10 bins of weight |mean probability - share that came true|",
     "Mean gap between predicted probabilities and how often they came true.", CLASSIFY,
     .needs_scores = true, .needs_proba = true, .classify = calibration_error},
    {"auc", "Area under the ROC curve", "P(score of a positive > score of a negative) + P(equal)/2",
     "Probability that a positive row scores higher than a negative one; with more than two "
     "classes, the mean of each class against the rest.",
     CLASSIFY, HIGHER, .needs_scores = true, .classify = auc},
    {"auc_ovo", "Area under the ROC curve, by pairs", "mean over ordered pairs j, k of A(j|k)",
     "Hand and Till's measure: the mean over all pairs of classes, unaffected by their sizes; the "
     "same as auc for two classes.",
     CLASSIFY, HIGHER, .needs_scores = true, .classify = auc_ovo},
    {"average_precision", "Average precision", "sum over thresholds of (recall gained) precision",
     "Area under the precision-recall curve; with more than two classes, the mean of each class "
     "against the rest.",
     CLASSIFY, HIGHER, .needs_scores = true, .of_one_class = true, .classify = average_precision},
    {"top3_error", "Top-3 error", "share of rows whose class is not among the 3 best",
     "Error when three guesses are allowed; undefined for three classes or fewer.", CLASSIFY,
     .needs_scores = true, .classify = top3_error},
    {"top5_error", "Top-5 error", "share of rows whose class is not among the 5 best",
     "Error when five guesses are allowed; undefined for five classes or fewer.", CLASSIFY,
     .needs_scores = true, .classify = top5_error},
    {"precision_macro", "Precision, macro", "mean over classes of tp / (tp + fp)",
     "Every class counts the same.", CLASSIFY, HIGHER, .on_request = true,
     .classify = precision_macro},
    {"precision_micro", "Precision, micro", "sum tp / sum (tp + fp)",
     "Every row counts the same; equals accuracy.", CLASSIFY, HIGHER, .on_request = true,
     .classify = precision_micro},
    {"precision_weighted", "Precision, weighted", "mean over classes, weighted by support",
     "Classes count in proportion to their rows.", CLASSIFY, HIGHER, .on_request = true,
     .classify = precision_weighted},
    {"recall_macro", "Recall, macro", "mean over classes of tp / (tp + fn)",
     "Every class counts the same.", CLASSIFY, HIGHER, .on_request = true,
     .classify = recall_macro},
    {"recall_micro", "Recall, micro", "sum tp / sum (tp + fn)",
     "Every row counts the same; equals accuracy.", CLASSIFY, HIGHER, .on_request = true,
     .classify = recall_micro},
    {"recall_weighted", "Recall, weighted", "mean over classes, weighted by support",
     "Classes count in proportion to their rows; equals accuracy.", CLASSIFY, HIGHER,
     .on_request = true, .classify = recall_weighted},
    {"f1_macro", "F1, macro", "mean over classes of 2 tp / (2 tp + fp + fn)",
     "Every class counts the same.", CLASSIFY, HIGHER, .on_request = true, .classify = f1_macro},
    {"f1_micro", "F1, micro", "2 sum tp / sum (2 tp + fp + fn)",
     "Every row counts the same; equals accuracy.", CLASSIFY, HIGHER, .on_request = true,
     .classify = f1_micro},
    {"f1_weighted", "F1, weighted", "mean over classes, weighted by support",
     "Classes count in proportion to their rows.", CLASSIFY, HIGHER, .on_request = true,
     .classify = f1_weighted},

    {"mse", "Mean squared error", "mean (y - f)^2",
     "Mean of the squared errors, in squared units of the target.", REGRESS(mse)},
    {"rmse", "Root mean squared error", "sqrt(mean (y - f)^2)",
     "Typical size of an error, in units of the target; large errors count more.", REGRESS(rmse)},
    {"mae", "Mean absolute error", "mean |y - f|",
     "Mean size of the errors, in units of the target.", REGRESS(mae), .level = 0.5},
    {"median_ae", "Median absolute error", "median |y - f|",
     "Half of the errors are smaller than this; outliers hardly affect it.", REGRESS(median_ae)},
    {"max_error", "Largest error", "max |y - f|",
     "The largest single error, over all targets if there are several.", REGRESS(max_error)},
    {"r2", "R squared", "1 - sum (y - f)^2 / sum (y - mean y)^2",
     "Share of the target's variance that the model explains; always predicting the mean gives 0.",
     HIGHER, REGRESS(r2)},
    {"explained_variance", "Explained variance", "1 - var(y - f) / var y",
     "Like R squared, but a constant offset in the predictions is not held against the model.",
     HIGHER, REGRESS(explained_variance)},
    {"mape", "Mean absolute percentage error", "mean |(y - f) / y|",
     "Mean error relative to the target (0.1 is 10 %); undefined if any target is 0.",
     REGRESS(mape)},
    {"pinball_05", "Pinball loss at 0.05",
     "mean of 0.05 (y - f), or (0.05 - 1) (y - f) where y < f",
     "Lowest when the 0.05 quantile of the target is predicted.", REGRESS(pinball_05),
     .level = 0.05, .on_request = true},
    {"pinball_10", "Pinball loss at 0.10",
     "mean of 0.10 (y - f), or (0.10 - 1) (y - f) where y < f",
     "Lowest when the 0.10 quantile of the target is predicted.", REGRESS(pinball_10),
     .level = 0.10, .on_request = true},
    {"pinball_25", "Pinball loss at 0.25",
     "mean of 0.25 (y - f), or (0.25 - 1) (y - f) where y < f",
     "Lowest when the 0.25 quantile of the target is predicted.", REGRESS(pinball_25),
     .level = 0.25, .on_request = true},
    {"pinball_50", "Pinball loss at 0.50",
     "mean of 0.50 (y - f), or (0.50 - 1) (y - f) where y < f",
     "Lowest when the median is predicted; half the mean absolute error.", REGRESS(pinball_50),
     .level = 0.50, .on_request = true},
    {"pinball_75", "Pinball loss at 0.75",
     "mean of 0.75 (y - f), or (0.75 - 1) (y - f) where y < f",
     "Lowest when the 0.75 quantile of the target is predicted.", REGRESS(pinball_75),
     .level = 0.75, .on_request = true},
    {"pinball_90", "Pinball loss at 0.90",
     "mean of 0.90 (y - f), or (0.90 - 1) (y - f) where y < f",
     "Lowest when the 0.90 quantile of the target is predicted.", REGRESS(pinball_90),
     .level = 0.90, .on_request = true},
    {"pinball_95", "Pinball loss at 0.95",
     "mean of 0.95 (y - f), or (0.95 - 1) (y - f) where y < f",
     "Lowest when the 0.95 quantile of the target is predicted; pinball_01 to pinball_99 exist for "
     "the other quantiles.",
     REGRESS(pinball_95), .level = 0.95, .on_request = true},
    {"poisson_deviance", "Mean Poisson deviance", "mean 2 (y log(y / f) - y + f)",
     "Error of predicted counts; undefined if a target is negative, infinite if a prediction is 0 "
     "or less.",
     REGRESS(poisson_deviance), .on_request = true},
    {"gamma_deviance", "Mean gamma deviance", "mean 2 (y / f - 1 - log(y / f))",
     "Relative error of predicted positive amounts; undefined if a target is 0 or less, infinite "
     "if a prediction is.",
     REGRESS(gamma_deviance), .on_request = true},
    {"rmsle", "Root mean squared logarithmic error", "sqrt(mean (log(1 + y) - log(1 + f))^2)",
     "Error on a logarithmic scale, for amounts of very different sizes; undefined if a target is "
     "-1 or less, infinite if a prediction is.",
     REGRESS(rmsle), .on_request = true},
    {"adjusted_rand", "Adjusted Rand index", "(s - e) / ((a + b) / 2 - e), e = a b / pairs(n)",
     "How often clusters and known classes agree on whether two rows belong together, beyond "
     "chance; s, a and b count the pairs together in both, in a cluster, in a class.",
     CLUSTER, HIGHER, .found = smr_adjusted_rand},
    {"nmi", "Normalised mutual information", "2 I(c; k) / (H(c) + H(k))",
     "Information that clusters and known classes share, relative to what each contains: 0 to 1.",
     CLUSTER, HIGHER, .found = smr_normalized_information},
    {"purity", "Purity", "sum_c max_k n_ck / n",
     "Share of the rows that are of their cluster's most frequent class; rises with the number of "
     "clusters.",
     CLUSTER, HIGHER, .found = smr_purity},
    {"silhouette", "Silhouette", "mean (b - a) / max(a, b)",
     "How much closer a row is to its own cluster (a) than to the next one (b), by mean distance; "
     "estimated on a sample of more than 4000 rows.",
     CLUSTER, HIGHER, .found = smr_silhouette},
    {"davies_bouldin", "Davies-Bouldin index", "mean_c max_c' (s_c + s_c') / |m_c - m_c'|",
     "Spread of two clusters relative to the distance between their centres, for each cluster's "
     "worst neighbour.",
     CLUSTER, .found = smr_davies_bouldin},
    {"calinski_harabasz", "Calinski-Harabasz index",
     "(sum n_c |m_c - m|^2 / (K - 1)) / (sum |x - m_c|^2 / (n - K))",
     "Variance between clusters relative to the variance within them.", CLUSTER, HIGHER,
     .found = smr_calinski_harabasz},
    {"accuracy", "Accuracy", "weight of correct steps / weight of steps",
     "Share of the steps whose class was predicted correctly.", SEQUENCE, HIGHER,
     .found = smr_step_accuracy},
    {"sequence_accuracy", "Accuracy of sequences", "sequences without a mistake / sequences",
     "Share of the sequences in which every step was predicted correctly.", SEQUENCE, HIGHER,
     .found = smr_sequence_accuracy},
    {"log_likelihood", "Log-likelihood per step", "sum of log p(sequence) / steps",
     "How probable the model finds the sequences; comparable between models of the same symbols.",
     SEQUENCE, HIGHER, .found = smr_step_likelihood},
    {"rmse", "Root mean squared error", "sqrt(mean (y - f)^2)",
     "Typical size of an error, in units of the ratings; large errors count more.", RATING(rmse)},
    {"mae", "Mean absolute error", "mean |y - f|",
     "Mean size of the errors, in units of the ratings.", RATING(mae)},
    {"mse", "Mean squared error", "mean (y - f)^2", "Mean of the squared errors of the ratings.",
     RATING(mse)},
    {"log_density", "Mean log-density", "mean log p(x)",
     "How probable the model finds the rows; comparable between models of the same features.",
     .task = SMR_TASK_DENSITY, HIGHER, .found = smr_mean_score},
    {"auc", "Area under the ROC curve", "P(an outlier fits worse than another row)",
     "How well the scores put known outliers before the other rows, whatever the threshold; 0.5 is "
     "chance.",
     OUTLIERS, HIGHER, .found = smr_outliers_auc},
    {"average_precision", "Average precision", "sum (R_i - R_i-1) P_i",
     "Area under precision against recall of the outliers, the worst fitting rows first.", OUTLIERS,
     HIGHER, .found = smr_outliers_average_precision},
    {"precision", "Precision", "tp / (tp + fp)",
     "Share of the rows called outliers that are known ones.", OUTLIERS, HIGHER,
     .found = smr_outliers_precision},
    {"recall", "Recall", "tp / (tp + fn)", "Share of the known outliers that are called such.",
     OUTLIERS, HIGHER, .found = smr_outliers_recall},
};

const smr_measure *smr_measures(int64_t *n)
{
    *n = SMR_COUNT(measures);
    return measures;
}

const smr_measure *smr_measure_find(const char *name, smr_task task)
{
    for (int64_t m = 0; m < SMR_COUNT(measures); m++)
        if (measures[m].task == task && strcmp(measures[m].name, name) == 0) return &measures[m];
    return task == SMR_TASK_REGRESS ? smr_pinball_find(name) : NULL;
}

void smr_measure_bounds(const smr_measure *measure, double *least, double *most)
{
    static const struct {
        const char *name;
        double least, most;
    } others[] = {{"matthews", -1, 1},
                  {"kappa", -1, 1},
                  {"brier", 0, 2},
                  {"log_loss", 0, INFINITY},
                  {"r2", -INFINITY, 1},
                  {"explained_variance", -INFINITY, 1},
                  {"set_size", 0, INFINITY},
                  {"interval_coverage", 0, 1},
                  {"adjusted_rand", -0.5, 1},
                  {"nmi", 0, 1},
                  {"purity", 0, 1},
                  {"silhouette", -1, 1},
                  {"accuracy", 0, 1},
                  {"sequence_accuracy", 0, 1},
                  {"log_likelihood", -INFINITY, INFINITY},
                  {"log_density", -INFINITY, INFINITY},
                  {"auc", 0, 1},
                  {"average_precision", 0, 1},
                  {"precision", 0, 1},
                  {"recall", 0, 1}};
    *least = 0;
    *most = measure->task == SMR_TASK_CLASSIFY ? 1 : INFINITY;
    for (int64_t i = 0; i < SMR_COUNT(others); i++)
        if (strcmp(others[i].name, measure->name) == 0) {
            *least = others[i].least;
            *most = others[i].most;
        }
}

smr_status smr_measures_classify(smr_ctx *ctx, const smr_measure *const *list, int64_t n,
                                 const smr_classify_input *in, double *out)
{
    smr_status st = SMR_OK;
    smr_classified c = {0};
    for (int64_t i = 0; i < n; i++) out[i] = NAN;
    for (int64_t i = 0; i < n; i++)
        if (!list[i]->classify)
            return smr_fail(ctx, SMR_ERR_PARAM, "%s measures numbers, not classes", list[i]->name);
    TRY(smr_classified_open(ctx, in, &c));
    for (int64_t i = 0; i < n; i++)
        if (list[i]->needs_proba ? in->proba != NULL : !list[i]->needs_scores || scores_of(in))
            TRY(list[i]->classify(ctx, &c, &out[i]));
out:
    smr_classified_close(&c);
    return st;
}

static double figure_of(const smr_measure *measure, const smr_regress_row *row)
{
    double value;
    if (measure->regress == offsetof(smr_regress_row, above))
        return measure->level * row->above + (1 - measure->level) * row->below;
    memcpy(&value, (const char *)row + measure->regress, sizeof value);
    return value;
}

/* What must be computed for the figure at this place of a row. */
static unsigned needed_for(size_t at)
{
    if (at >= offsetof(smr_regress_row, poisson_deviance)) return SMR_WANTS_DEVIANCES;
    if (at == offsetof(smr_regress_row, mse) || at == offsetof(smr_regress_row, rmse)) return 0;
    if (at == offsetof(smr_regress_row, median_ae)) return SMR_WANTS_MEDIAN;
    if (at == offsetof(smr_regress_row, r2) || at == offsetof(smr_regress_row, explained_variance))
        return SMR_WANTS_SPREAD;
    return SMR_WANTS_SIZES;
}

smr_status smr_measures_regress(smr_ctx *ctx, const smr_measure *const *list, int64_t n,
                                const smr_regress_input *in, double *out)
{
    smr_status st = SMR_OK;
    smr_regress_row *rows = NULL, mean;
    unsigned wants = 0;
    for (int64_t i = 0; i < n; i++) {
        out[i] = NAN;
        wants |= needed_for(list[i]->regress);
    }
    for (int64_t i = 0; i < n; i++)
        if (list[i]->classify || list[i]->found)
            return smr_fail(ctx, SMR_ERR_PARAM, "%s measures classes, not numbers", list[i]->name);
    TRY(smr_regress_check(ctx, in));
    TRY_NEW(rows, in->n_outputs);
    TRY(smr_regress_measure(ctx, in, wants, rows));
    smr_regress_mean(in->n_outputs, rows, &mean);
    for (int64_t i = 0; i < n; i++) out[i] = figure_of(list[i], &mean);
out:
    smr_free(rows);
    return st;
}

smr_status smr_measure_classify(smr_ctx *ctx, const smr_measure *measure,
                                const smr_classify_input *in, double *out)
{
    return smr_measures_classify(ctx, &measure, 1, in, out);
}

smr_status smr_measure_regress(smr_ctx *ctx, const smr_measure *measure,
                               const smr_regress_input *in, double *out)
{
    return smr_measures_regress(ctx, &measure, 1, in, out);
}
