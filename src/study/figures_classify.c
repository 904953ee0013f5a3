/* figures_classify.c -- what a report draws of predicted classes: see figures.h. */
#include "core/figure.h"
#include "core/parallel.h"
#include "study/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_CELLS = 200, /* classes of a confusion matrix                                  */
    MOST_TEXT = 30,   /* ... whose counts are written into the cells                    */
    MOST_CURVES = 10, /* classes with a curve of their own                              */
    MOST_RANKED = 60, /* classes whose mean curve is drawn                              */
    POINTS = 400,     /* of a curve                                                     */
    GRID = 201,       /* of a mean curve and of the sweep                               */
    SCORE_BINS = 40,  /* of the scores' histogram                                       */
    RELIABLE = 10,    /* bins of the reliability diagram                                */
    MOST_BARS = 40,   /* classes with bars                                              */
};

static int64_t positive_class(const smr_classify_input *in)
{
    return in->positive < 0 ? in->n_classes - 1 : in->positive;
}

static const double *scores_of(const smr_classify_input *in)
{
    return in->proba ? in->proba : in->decision;
}

static void add_class(smr_text *text, const smr_classify_input *in, int64_t k)
{
    int64_t length;
    if (!in->class_names) {
        smr_text_printf(text, "%lld", (long long)k);
        return;
    }
    const char *name = smr_strings_get(in->class_names, k, &length);
    smr_text_add_bytes(text, name, length);
}

/* An axis whose places are the classes. */
static smr_status class_axis(smr_ctx *ctx, const smr_classify_input *in, smr_json *figure,
                             const char *which, const char *label)
{
    smr_json *axis = smr_figure_axis(figure, which, label, "names");
    smr_json *names = smr_json_add_array(axis, "names");
    smr_text name = {.ctx = ctx};
    for (int64_t k = 0; k < in->n_classes; k++) {
        name.length = 0;
        smr_text_add(&name, "");
        add_class(&name, in, k);
        smr_json_add_bytes(names, NULL, name.bytes ? name.bytes : "", name.length);
    }
    smr_status st = smr_text_done(&name);
    smr_text_release(&name);
    return st;
}

/* An axis from 0 to 1. */
static smr_json *unit_axis(smr_json *figure, const char *which, const char *label)
{
    smr_json *axis = smr_figure_axis(figure, which, label, "linear");
    smr_json_add_number(axis, "min", 0);
    smr_json_add_number(axis, "max", 1);
    return axis;
}

/* ---- counts ----------------------------------------------------------------------------- */

static smr_status draw_confusion(smr_ctx *ctx, const smr_classify_input *in, smr_json *figures)
{
    smr_status st = SMR_OK;
    int64_t K = in->n_classes;
    double *matrix = NULL;
    if (K > MOST_CELLS) return SMR_OK;
    TRY_NEW(matrix, K * K);
    TRY(smr_confusion(ctx, in, matrix));
    smr_json *figure = smr_figure_add(figures, "confusion", "Confusion matrix",
                                      "Each row of the chart is a true class, each column a "
                                      "predicted one; correct predictions lie on the diagonal.");
    TRY(class_axis(ctx, in, figure, "x", "predicted class"));
    TRY(class_axis(ctx, in, figure, "y", "true class"));
    smr_json *cells = smr_figure_series(figure, "rows", "cells", 0, NULL, NULL);
    smr_json_add_number(cells, "nx", (double)K);
    smr_json_add_number(cells, "ny", (double)K);
    smr_json_add_numbers(cells, "value", matrix, K * K);
    smr_json_add_bool(cells, "text", K <= MOST_TEXT);
out:
    smr_free(matrix);
    return st;
}

static smr_status draw_classes(smr_ctx *ctx, const smr_classify_input *in, smr_json *figures)
{
    static const struct {
        const char *name;
        smr_rate rate;
    } rates[] = {
        {"precision", SMR_RATE_PRECISION}, {"recall", SMR_RATE_RECALL}, {"F1", SMR_RATE_F1}};
    smr_status st = SMR_OK;
    smr_tally tally = {0};
    double *value = NULL, *place = NULL;
    int64_t K = in->n_classes;
    if (K > MOST_BARS) return SMR_OK;
    TRY(smr_tally_make(ctx, in, &tally));
    TRY_NEW(value, K);
    TRY_NEW(place, K);
    for (int64_t k = 0; k < K; k++) place[k] = (double)k;
    smr_json *figure =
        smr_figure_add(figures, "classes", "Precision, recall and F1 of each class", NULL);
    unit_axis(figure, "x", "share");
    TRY(class_axis(ctx, in, figure, "y", "class"));
    for (int64_t r = 0; r < SMR_COUNT(rates); r++) {
        for (int64_t k = 0; k < K; k++) value[k] = smr_tally_rate(&tally, rates[r].rate, k);
        smr_figure_series(figure, rates[r].name, "hbars", K, value, place);
    }
out:
    smr_tally_release(&tally);
    smr_free(value);
    smr_free(place);
    return st;
}

/* ---- one curve per class ---------------------------------------------------------------- */

/* The thinned curves of one class against the rest, and both on a grid, for the mean. */
struct curves {
    bool there;
    double auc, average_precision;
    int64_t n;
    double fpr[POINTS], tpr[POINTS], precision[POINTS];
    double tpr_at[GRID], precision_at[GRID];
};

struct ranking_job {
    const smr_classify_input *in;
    struct curves *curves;
};

/* tpr where fpr is g, and the best precision from recall g on. */
static void read_grid(const smr_ranking *r, struct curves *c)
{
    double best = 0;
    for (int64_t g = 0, i = 0; g < GRID; g++) {
        double wanted = (double)g / (GRID - 1) * r->negatives;
        while (i + 1 < r->n && r->fp[i + 1] <= wanted) i++;
        double tp = r->tp[i];
        if (i + 1 < r->n)
            tp += (wanted - r->fp[i]) / (r->fp[i + 1] - r->fp[i]) * (r->tp[i + 1] - r->tp[i]);
        c->tpr_at[g] = tp / r->positives;
    }
    for (int64_t g = GRID, i = r->n - 1; g-- > 0;) {
        double wanted = (double)g / (GRID - 1) * r->positives;
        for (; i >= 1 && r->tp[i] >= wanted; i--)
            best = smr_fmax(best, r->tp[i] / (r->tp[i] + r->fp[i]));
        c->precision_at[g] = best;
    }
}

static void read_curves(const smr_ranking *r, struct curves *c)
{
    int64_t kept[POINTS];
    c->there = r->positives > 0 && r->negatives > 0;
    if (!c->there) return;
    c->auc = smr_ranking_auc(r);
    c->average_precision = smr_ranking_average_precision(r);
    c->n = smr_ranking_thin(r, POINTS, kept);
    for (int64_t i = 0; i < c->n; i++) {
        double tp = r->tp[kept[i]], fp = r->fp[kept[i]];
        c->fpr[i] = fp / r->negatives;
        c->tpr[i] = tp / r->positives;
        c->precision[i] = tp + fp > 0 ? tp / (tp + fp) : NAN;
    }
    if (c->n > 1) c->precision[0] = c->precision[1];
    read_grid(r, c);
}

static smr_status rank_class(smr_ctx *ctx, void *arg, int64_t k, int lane)
{
    const struct ranking_job *job = arg;
    const smr_classify_input *in = job->in;
    smr_ranking r = {0};
    (void)lane;
    smr_status st = smr_ranking_make(ctx, in->n, scores_of(in) + k, in->n_classes, in->label, k,
                                     in->weight, &r);
    if (st == SMR_OK) read_curves(&r, &job->curves[k]);
    smr_ranking_release(&r);
    return st;
}

/* "setosa (area 0.987)" */
static void curve_name(smr_text *name, const char *word, double area)
{
    smr_text_printf(name, " (%s ", word);
    smr_text_rounded(name, area, 4);
    smr_text_add(name, ")");
}

struct curve_figures {
    smr_json *roc, *pr;
};

static smr_status draw_class_curve(smr_ctx *ctx, const smr_classify_input *in, int64_t k,
                                   const struct curves *c, struct curve_figures f)
{
    smr_text name = {.ctx = ctx};
    smr_status st = SMR_OK;
    add_class(&name, in, k);
    curve_name(&name, "area", c->auc);
    TRY(smr_text_done(&name));
    smr_figure_series(f.roc, name.bytes, "line", c->n, c->fpr, c->tpr);
    name.length = 0;
    add_class(&name, in, k);
    curve_name(&name, "average", c->average_precision);
    TRY(smr_text_done(&name));
    smr_figure_series(f.pr, name.bytes, "line", c->n, c->tpr, c->precision);
out:
    smr_text_release(&name);
    return st;
}

/* The mean of the classes' curves that are there. */
static smr_status draw_mean_curve(smr_ctx *ctx, int64_t K, const struct curves *curves,
                                  struct curve_figures f)
{
    double grid[GRID], tpr[GRID] = {0}, precision[GRID] = {0}, n = 0, auc = 0, average = 0;
    smr_text name = {.ctx = ctx};
    smr_status st = SMR_OK;
    for (int64_t k = 0; k < K; k++) {
        if (!curves[k].there) continue;
        n++;
        auc += curves[k].auc;
        average += curves[k].average_precision;
        for (int64_t g = 0; g < GRID; g++) {
            tpr[g] += curves[k].tpr_at[g];
            precision[g] += curves[k].precision_at[g];
        }
    }
    if (n == 0) return SMR_OK;
    for (int64_t g = 0; g < GRID; g++) {
        grid[g] = (double)g / (GRID - 1);
        tpr[g] /= n;
        precision[g] /= n;
    }
    smr_text_add(&name, "mean over classes");
    curve_name(&name, "area", auc / n);
    TRY(smr_text_done(&name));
    smr_figure_series(f.roc, name.bytes, "line", GRID, grid, tpr);
    name.length = 0;
    smr_text_add(&name, "mean over classes");
    curve_name(&name, "average", average / n);
    TRY(smr_text_done(&name));
    smr_figure_series(f.pr, name.bytes, "line", GRID, grid, precision);
out:
    smr_text_release(&name);
    return st;
}

/* share: of the positives, for two classes; the titles then say what a legend would. */
static struct curve_figures curve_figures(const smr_classify_input *in, smr_json *figures,
                                          const char *roc, const char *pr, double share)
{
    struct curve_figures f;
    f.roc =
        smr_figure_add(figures, "roc", roc,
                       "Share of the positives found, against the share of the negatives wrongly "
                       "flagged, as the threshold moves; random guessing lies on the diagonal.");
    smr_json *x = unit_axis(f.roc, "x", "false positive rate");
    smr_json_add_bool(x, "equal", true);
    unit_axis(f.roc, "y", "true positive rate");
    smr_figure_mark(f.roc, "diagonal", 0, NULL);
    f.pr = smr_figure_add(figures, "precision_recall", pr,
                          "How many of the flagged rows are really positive, against how many of "
                          "the positives are found, as the threshold moves.");
    unit_axis(f.pr, "x", "recall");
    unit_axis(f.pr, "y", "precision");
    if (in->n_classes == 2) smr_figure_mark(f.pr, "hline", share, "guessing");
    return f;
}

/* More than two classes: each against the rest. */
static smr_status draw_many_curves(smr_ctx *ctx, const smr_classify_input *in, smr_json *figures)
{
    smr_status st = SMR_OK;
    struct curves *curves = NULL;
    if (in->n_classes > MOST_RANKED) return SMR_OK;
    TRY_NEW(curves, in->n_classes);
    struct ranking_job job = {in, curves};
    TRY(smr_parallel(ctx, NULL, in->n_classes, rank_class, &job));
    struct curve_figures f = curve_figures(in, figures, "ROC curve", "Precision and recall", NAN);
    for (int64_t k = 0; k < in->n_classes && in->n_classes <= MOST_CURVES; k++)
        if (curves[k].there) TRY(draw_class_curve(ctx, in, k, &curves[k], f));
    TRY(draw_mean_curve(ctx, in->n_classes, curves, f));
out:
    smr_free(curves);
    return st;
}

/* ---- two classes ------------------------------------------------------------------------ */

static void draw_gain(const smr_ranking *r, smr_json *figures)
{
    double share[POINTS], found[POINTS], lift[POINTS], all = r->positives + r->negatives;
    int64_t kept[POINTS], n = smr_ranking_thin(r, POINTS, kept);
    for (int64_t i = 0; i < n; i++) {
        share[i] = (r->tp[kept[i]] + r->fp[kept[i]]) / all;
        found[i] = r->tp[kept[i]] / r->positives;
        lift[i] = found[i] / share[i]; /* NaN, a gap, for no rows */
    }
    smr_json *gain = smr_figure_add(figures, "gain", "Cumulative gain",
                                    "Share of all positives found by taking the rows with the "
                                    "highest scores first; a random order lies on the diagonal.");
    unit_axis(gain, "x", "share of rows selected");
    unit_axis(gain, "y", "share of positives found");
    smr_figure_series(gain, "by score", "line", n, share, found);
    double px[3] = {0, r->positives / all, 1}, py[3] = {0, 1, 1};
    smr_figure_series(gain, "perfect", "line", 3, px, py);
    smr_figure_mark(gain, "diagonal", 0, "random");
    smr_json *figure =
        smr_figure_add(figures, "lift", "Lift",
                       "How many times more positives there are among the highest-scoring rows "
                       "than among equally many rows chosen at random.");
    unit_axis(figure, "x", "share of rows selected");
    smr_json_add_number(smr_figure_axis(figure, "y", "lift", "linear"), "min", 0);
    smr_figure_series(figure, "by score", "line", n, share, lift);
    smr_figure_mark(figure, "hline", 1, "random");
}

/* The bias beta is the threshold with its sign turned. */
void smr_figure_sweep(const smr_classify_input *in, const smr_ranking *r, smr_json *figures)
{
    double x[GRID], tpr[GRID], fpr[GRID], precision[GRID], f1[GRID], accuracy[GRID];
    double lo = in->proba ? 0 : r->threshold[r->n - 1], hi = in->proba ? 1 : r->threshold[1];
    for (int64_t g = 0; g < GRID; g++) {
        x[g] = lo + (hi - lo) * ((double)g / (GRID - 1));
        smr_threshold_row t = smr_ranking_at(r, x[g]);
        tpr[g] = t.tpr;
        fpr[g] = t.fpr;
        precision[g] = t.precision;
        f1[g] = t.f1;
        accuracy[g] = t.accuracy;
    }
    smr_json *figure =
        smr_figure_add(figures, "threshold", "Effect of the threshold",
                       "Rows that score at or above the threshold are called positive; lowering it "
                       "finds more positives but also flags more negatives.");
    smr_figure_axis(figure, "x",
                    in->proba ? "threshold on the probability" : "threshold on the score",
                    "linear");
    unit_axis(figure, "y", "rate");
    smr_figure_series(figure, "true positive rate", "line", GRID, x, tpr);
    smr_figure_series(figure, "false positive rate", "line", GRID, x, fpr);
    smr_figure_series(figure, "precision", "line", GRID, x, precision);
    smr_figure_series(figure, "F1", "line", GRID, x, f1);
    smr_figure_series(figure, "accuracy", "line", GRID, x, accuracy);
    if (in->threshold) smr_figure_mark(figure, "vline", *in->threshold, "in use");
}

static smr_status draw_two_classes(smr_ctx *ctx, const smr_classify_input *in, smr_json *figures)
{
    smr_status st = SMR_OK;
    smr_ranking r = {0};
    struct curves *c = NULL;
    smr_text roc = {.ctx = ctx}, pr = {.ctx = ctx};
    int64_t k = positive_class(in);
    TRY_NEW(c, 1);
    TRY(smr_ranking_make(ctx, in->n, scores_of(in) + k, 2, in->label, k, in->weight, &r));
    read_curves(&r, c);
    if (!c->there) goto out;
    smr_text_add(&roc, "ROC curve");
    curve_name(&roc, "area", c->auc);
    smr_text_add(&pr, "Precision and recall");
    curve_name(&pr, "average", c->average_precision);
    TRY(smr_text_done(&roc));
    TRY(smr_text_done(&pr));
    struct curve_figures f =
        curve_figures(in, figures, roc.bytes, pr.bytes, r.positives / (r.positives + r.negatives));
    TRY(draw_class_curve(ctx, in, k, c, f));
    draw_gain(&r, figures);
    smr_figure_sweep(in, &r, figures);
out:
    smr_text_release(&roc);
    smr_text_release(&pr);
    smr_free(c);
    smr_ranking_release(&r);
    return st;
}

/* ---- scores ----------------------------------------------------------------------------- */

static smr_status draw_calibration(smr_ctx *ctx, const smr_classify_input *in, smr_json *figures)
{
    smr_calibration_bin bins[RELIABLE];
    double x[RELIABLE], y[RELIABLE], low[RELIABLE], high[RELIABLE], middle[RELIABLE];
    double share[RELIABLE], total = 0, ece;
    smr_text note = {.ctx = ctx};
    smr_status st = SMR_OK;
    TRY(smr_calibration(ctx, in, RELIABLE, bins, &ece));
    for (int b = 0; b < RELIABLE; b++) total += bins[b].weight;
    for (int b = 0; b < RELIABLE; b++) {
        smr_interval i = smr_wilson(bins[b].observed * bins[b].weight, bins[b].weight, 0.95);
        x[b] = bins[b].predicted;
        y[b] = bins[b].observed;
        low[b] = i.low;
        high[b] = i.high;
        middle[b] = 0.5 * (bins[b].lo + bins[b].hi);
        share[b] = bins[b].weight / total;
    }
    smr_text_add(&note, "Expected calibration error ");
    smr_text_rounded(&note, ece, 3);
    smr_text_add(&note,
                 in->n_classes == 2
                     ? "; well-calibrated probabilities lie on the diagonal."
                     : " of the largest probability; well-calibrated ones lie on the diagonal.");
    TRY(smr_text_done(&note));
    smr_json *figure = smr_figure_add(figures, "calibration", "Calibration", note.bytes);
    unit_axis(figure, "x", "predicted probability");
    unit_axis(figure, "y", "observed share");
    smr_figure_series(figure, "share of rows", "bars", RELIABLE, middle, share);
    smr_json *points = smr_figure_series(figure, "came true", "points", RELIABLE, x, y);
    smr_json_add_numbers(points, "low", low, RELIABLE);
    smr_json_add_numbers(points, "high", high, RELIABLE);
    smr_figure_mark(figure, "diagonal", 0, NULL);
out:
    smr_text_release(&note);
    return st;
}

/* Shares instead of weights, so that a rare class is seen beside a frequent one. */
static void as_shares(int64_t n, double *x)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i];
    for (int64_t i = 0; i < n && sum > 0; i++) x[i] /= sum;
}

static smr_bins score_bins(const smr_classify_input *in, int64_t k)
{
    const double *s = scores_of(in);
    smr_bins bins = {.lo = 0, .hi = 1, .n = SCORE_BINS};
    if (in->proba) return bins;
    bins.lo = INFINITY;
    bins.hi = -INFINITY;
    for (int64_t i = 0; i < in->n; i++) {
        bins.lo = smr_fmin(bins.lo, s[i * in->n_classes + k]);
        bins.hi = smr_fmax(bins.hi, s[i * in->n_classes + k]);
    }
    if (!(bins.lo < bins.hi)) bins.hi = bins.lo + 1;
    return bins;
}

static smr_status draw_scores(smr_ctx *ctx, const smr_classify_input *in, smr_json *figures)
{
    double height[SCORE_BINS + 1], edges[SCORE_BINS + 1];
    smr_status st = SMR_OK;
    smr_text name = {.ctx = ctx};
    int64_t k = positive_class(in);
    smr_bins bins = score_bins(in, k);
    smr_text_printf(&name, "%s of ", in->proba ? "probability" : "score");
    add_class(&name, in, k);
    TRY(smr_text_done(&name));
    smr_json *figure = smr_figure_add(
        figures, "scores", "Scores by true class",
        "The less the classes' scores overlap, the fewer mistakes a threshold between them makes.");
    smr_figure_axis(figure, "x", name.bytes, "linear");
    smr_json_add_number(smr_figure_axis(figure, "y", "share of the class", "linear"), "min", 0);
    for (int32_t c = 0; c < 2; c++) {
        smr_figure_bins(in->n, scores_of(in) + k, 2, in->weight, in->label, c, bins, height);
        as_shares(SCORE_BINS, height);
        name.length = 0;
        add_class(&name, in, c);
        TRY(smr_text_done(&name));
        smr_figure_steps(figure, name.bytes, bins, edges, height);
    }
    if (in->threshold) smr_figure_mark(figure, "vline", *in->threshold, "threshold");
out:
    smr_text_release(&name);
    return st;
}

/* More classes: how sure the model is where it is right, and where it is wrong. */
static smr_status draw_confidence(smr_ctx *ctx, const smr_classify_input *in, smr_json *figures)
{
    static const char *const names[] = {"wrong", "right"};
    double height[SCORE_BINS + 1], edges[SCORE_BINS + 1], *top = NULL;
    int32_t *right = NULL;
    int64_t K = in->n_classes;
    smr_bins bins = {.lo = 0, .hi = 1, .n = SCORE_BINS};
    smr_status st = SMR_OK;
    TRY_NEW(top, in->n);
    TRY_NEW(right, in->n);
    for (int64_t i = 0; i < in->n; i++) {
        const double *p = in->proba + i * K;
        int64_t best = 0;
        for (int64_t k = 1; k < K; k++)
            if (p[k] > p[best]) best = k;
        top[i] = p[best];
        right[i] = in->label[i] == (in->predicted ? in->predicted[i] : best);
    }
    smr_json *figure = smr_figure_add(
        figures, "scores", "Confidence of the model",
        "The probability of the predicted class, for correct and for wrong predictions.");
    smr_figure_axis(figure, "x", "largest probability", "linear");
    smr_json_add_number(smr_figure_axis(figure, "y", "rows", "linear"), "min", 0);
    for (int32_t c = 2; c-- > 0;) {
        smr_figure_bins(in->n, top, 1, in->weight, right, c, bins, height);
        smr_figure_steps(figure, names[c], bins, edges, height);
    }
out:
    smr_free(top);
    smr_free(right);
    return st;
}

smr_status smr_figures_classify(smr_ctx *ctx, const smr_classify_input *in, smr_json *figures)
{
    smr_status st = SMR_OK;
    TRY(draw_confusion(ctx, in, figures)); /* checks the input */
    TRY(draw_classes(ctx, in, figures));
    if (scores_of(in))
        TRY(in->n_classes == 2 ? draw_two_classes(ctx, in, figures)
                               : draw_many_curves(ctx, in, figures));
    if (in->proba) TRY(draw_calibration(ctx, in, figures));
    if (scores_of(in) && in->n_classes == 2) TRY(draw_scores(ctx, in, figures));
    if (in->proba && in->n_classes > 2) TRY(draw_confidence(ctx, in, figures));
    TRY(smr_json_done(figures->doc));
out:
    return st;
}
