/* rank.c -- measures of order: ROC, precision and recall at every threshold, areas.
 *
 * Rows are sorted by score once per class and walked from the highest down, equal scores together.
 * With tp the weight of positives above and g that of positives in the group, a negative of
 * weight w in the group adds w (tp + g/2) to the area: it is below tp and level with g.  Kept
 * apart by the negative's class, the same walk gives the areas against each class in turn,
 * A(j|k), and so
 *
 *     one against the rest (macro):   mean_j  area_j / (P_j (W - P_j))
 *     Hand & Till:                    mean over ordered pairs j != k of A(j|k)
 *
 * in O(classes * n log n). References: Fawcett, Pattern Recogn. Lett. 27 (2006); Hand & Till,
 * Mach. Learn. 45 (2001). */
#include "core/parallel.h"
#include "core/sort.h"
#include "math/dd.h"
#include "metric/metric_parts.h"

#include <string.h>

/* ---- one curve ------------------------------------------------------------------------ */

/* The rows with a weight, highest score first: `score` and `row` receive *kept entries. */
static smr_status sort_down(smr_ctx *ctx, int64_t n, const double *from, int64_t stride,
                            const double *weight, double *score, int64_t *row, int64_t *kept)
{
    smr_status st = SMR_OK;
    double *key = NULL;
    TRY_NEW(key, n);
    for (int64_t i = 0; i < n; i++) key[i] = -from[i * stride];
    TRY(smr_argsort_f64(ctx, n, key, row));
    *kept = 0;
    for (int64_t r = 0; r < n; r++) {
        int64_t i = row[r];
        if (row_weight(weight, i) == 0) continue;
        score[*kept] = from[i * stride];
        row[(*kept)++] = i;
    }
out:
    smr_free(key);
    return st;
}

/* The end of the group of equal scores that begins at r. */
static int64_t group_end(int64_t n, const double *score, int64_t r)
{
    int64_t end = r + 1;
    while (end < n && score[end] == score[r]) end++;
    return end;
}

smr_status smr_ranking_make(smr_ctx *ctx, int64_t n, const double *from, int64_t stride,
                            const int32_t *label, int64_t positive, const double *weight,
                            smr_ranking *out)
{
    smr_status st = SMR_OK;
    double *score = NULL;
    int64_t *row = NULL, kept;
    dd tp = {0, 0}, fp = {0, 0};

    *out = (smr_ranking){.n = 1};
    TRY_NEW(score, n);
    TRY_NEW(row, n);
    TRY(sort_down(ctx, n, from, stride, weight, score, row, &kept));
    TRY_NEW(out->threshold, 3 * (kept + 1)); /* one block for the three arrays */
    out->tp = out->threshold + kept + 1;
    out->fp = out->tp + kept + 1;
    out->threshold[0] = INFINITY;
    for (int64_t r = 0; r < kept;) {
        int64_t end = group_end(kept, score, r), first = r;
        for (; r < end; r++)
            dd_add(label[row[r]] == positive ? &tp : &fp, row_weight(weight, row[r]));
        out->threshold[out->n] = score[first];
        out->tp[out->n] = dd_value(tp);
        out->fp[out->n++] = dd_value(fp);
    }
    out->positives = dd_value(tp);
    out->negatives = dd_value(fp);
out:
    smr_free(row);
    smr_free(score);
    if (st != SMR_OK) smr_ranking_release(out);
    return st;
}

void smr_ranking_release(smr_ranking *ranking)
{
    smr_free(ranking->threshold);
    *ranking = (smr_ranking){0};
}

double smr_ranking_auc(const smr_ranking *r)
{
    dd area = {0, 0};
    if (!(r->positives > 0 && r->negatives > 0)) return NAN;
    for (int64_t i = 1; i < r->n; i++)
        dd_add_product(&area, r->fp[i] - r->fp[i - 1], 0.5 * (r->tp[i] + r->tp[i - 1]));
    return dd_value(area) / r->positives / r->negatives;
}

double smr_ranking_average_precision(const smr_ranking *r)
{
    dd area = {0, 0};
    if (!(r->positives > 0)) return NAN;
    for (int64_t i = 1; i < r->n; i++)
        dd_add_product(&area, r->tp[i] - r->tp[i - 1], r->tp[i] / (r->tp[i] + r->fp[i]));
    return dd_value(area) / r->positives;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

smr_threshold_row smr_ranking_at(const smr_ranking *r, double threshold)
{
    int64_t lo = 0, hi = r->n - 1; /* the last point whose threshold is >= the one asked for */
    while (lo < hi) {
        int64_t middle = lo + (hi - lo + 1) / 2;
        if (r->threshold[middle] >= threshold)
            lo = middle;
        else
            hi = middle - 1;
    }
    double tp = r->tp[lo], fp = r->fp[lo], fn = r->positives - tp, tn = r->negatives - fp;
    return (smr_threshold_row){
        .threshold = threshold,
        .tp = tp,
        .fp = fp,
        .tn = tn,
        .fn = fn,
        .tpr = ratio(tp, r->positives),
        .fpr = ratio(fp, r->negatives),
        .precision = ratio(tp, tp + fp),
        .f1 = ratio(2 * tp, 2 * tp + fp + fn),
        .accuracy = ratio(tp + tn, r->positives + r->negatives),
    };
}

smr_gain_row smr_ranking_gain(const smr_ranking *r, double share)
{
    double all = r->positives + r->negatives, wanted = share * all;
    int64_t lo = 0, hi = r->n - 1; /* the first point with at least the wanted weight */
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        if (r->tp[middle] + r->fp[middle] >= wanted)
            hi = middle;
        else
            lo = middle + 1;
    }
    double tp = r->tp[lo];
    if (lo > 0) {
        double before = r->tp[lo - 1] + r->fp[lo - 1], after = r->tp[lo] + r->fp[lo];
        double part = smr_fmin(1, (wanted - before) / (after - before));
        tp = r->tp[lo - 1] + part * (r->tp[lo] - r->tp[lo - 1]);
    }
    double found = ratio(tp, r->positives);
    return (smr_gain_row){.share = share, .found = found, .lift = ratio(found, share)};
}

double smr_ranking_auc_variance(const smr_ranking *r)
{
    double P = r->positives, N = r->negatives, area = smr_ranking_auc(r);
    dd of_positives = {0, 0}, of_negatives = {0, 0};
    if (!(P > 1 && N > 1)) return NAN;
    for (int64_t i = 1; i < r->n; i++) {
        double dtp = r->tp[i] - r->tp[i - 1], dfp = r->fp[i] - r->fp[i - 1];
        double below = (N - r->fp[i] + 0.5 * dfp) / N - area; /* of a positive of this score */
        double above = (r->tp[i - 1] + 0.5 * dtp) / P - area; /* of a negative               */
        dd_add(&of_positives, dtp * below * below);
        dd_add(&of_negatives, dfp * above * above);
    }
    return dd_value(of_positives) / (P - 1) / P + dd_value(of_negatives) / (N - 1) / N;
}

/* The point between a and b that is farthest from the line through them; a when none is off it. */
static int64_t corner_between(const smr_ranking *r, int64_t a, int64_t b)
{
    double right = (r->fp[b] - r->fp[a]) / r->negatives, most = 0;
    double up = (r->tp[b] - r->tp[a]) / r->positives;
    int64_t corner = a;
    for (int64_t i = a + 1; i < b; i++) {
        double away = fabs(right * ((r->tp[i] - r->tp[a]) / r->positives) -
                           up * ((r->fp[i] - r->fp[a]) / r->negatives));
        if (away > most) {
            most = away;
            corner = i;
        }
    }
    return corner;
}

int64_t smr_ranking_thin(const smr_ranking *r, int64_t most, int64_t *kept)
{
    double step = 4.0 / (double)(most - 3), last = 0;
    int64_t n = 0, end = r->n - 1;
    kept[n++] = 0;
    for (int64_t i = 1; i <= end; i++) {
        double way = r->fp[i] / r->negatives + r->tp[i] / r->positives;
        bool stands = r->n <= most || (way - last >= step && n + 4 <= most);
        if (!stands && i != end) continue;
        int64_t corner = corner_between(r, kept[n - 1], i);
        if (corner > kept[n - 1]) kept[n++] = corner;
        kept[n++] = i;
        last = way;
    }
    return n;
}

/* ---- every class ---------------------------------------------------------------------- */

/* Scratch of a lane. */
struct rank_work {
    double *score;
    int64_t *row;
    dd *area; /* n_classes: of class j against class k */
};

struct rank_job {
    smr_classified *c;
    struct rank_work *work; /* one per lane */
};

/* areas[k] = sum over rows of class k of w (weight of class j above + half the weight level). */
static void walk(const smr_classify_input *in, int64_t j, int64_t n, const struct rank_work *work,
                 double *average_precision)
{
    dd above = {0, 0}, all = {0, 0}, precision = {0, 0};
    memset(work->area, 0, (size_t)in->n_classes * sizeof *work->area);
    for (int64_t r = 0, end; r < n; r = end) {
        dd group = {0, 0};
        end = group_end(n, work->score, r);
        for (int64_t s = r; s < end; s++) {
            double w = row_weight(in->weight, work->row[s]);
            dd_add(&all, w);
            if (in->label[work->row[s]] == j) dd_add(&group, w);
        }
        double g = dd_value(group), level = dd_value(above) + 0.5 * g;
        for (int64_t s = r; s < end; s++) {
            int32_t k = in->label[work->row[s]];
            if (k != j) dd_add_product(&work->area[k], row_weight(in->weight, work->row[s]), level);
        }
        dd_add(&above, g);
        dd_add_product(&precision, g, dd_value(above) / dd_value(all));
    }
    *average_precision = dd_value(precision);
}

static smr_status rank_class(smr_ctx *ctx, void *arg, int64_t j, int lane)
{
    struct rank_job *job = arg;
    const smr_classify_input *in = job->c->in;
    const smr_tally *t = &job->c->tally;
    struct rank_work *work = &job->work[lane];
    struct class_rank *out = &job->c->ranks[j];
    smr_status st = SMR_OK;
    int64_t kept;
    double P = t->support[j];

    *out = (struct class_rank){.auc = NAN, .average_precision = NAN};
    if (!(P > 0) || (in->n_classes == 2 && j != positive_of(in))) return SMR_OK;
    if (!work->score) TRY_NEW(work->score, in->n);
    if (!work->row) TRY_NEW(work->row, in->n);
    if (!work->area) TRY_NEW(work->area, in->n_classes);
    TRY(sort_down(ctx, in->n, scores_of(in) + j, in->n_classes, in->weight, work->score, work->row,
                  &kept));
    walk(in, j, kept, work, &out->average_precision);
    out->average_precision /= P;
    dd rest = {0, 0}, area = {0, 0}, pairs = {0, 0};
    for (int64_t k = 0; k < in->n_classes; k++) {
        if (k == j || t->support[k] == 0) continue;
        double a = dd_value(work->area[k]);
        dd_add(&area, a);
        dd_add(&rest, t->support[k]);
        dd_add(&pairs, a / P / t->support[k]);
        out->n_pairs += 1;
    }
    out->pairs = dd_value(pairs);
    out->auc = out->n_pairs > 0 ? dd_value(area) / P / dd_value(rest) : NAN;
out:
    return st;
}

smr_status smr_ranks(smr_ctx *ctx, smr_classified *c)
{
    smr_status st = SMR_OK;
    struct rank_job job = {.c = c};
    int lanes = smr_lanes(ctx);

    if (c->ranks) return SMR_OK;
    TRY_NEW(c->ranks, c->in->n_classes);
    TRY_NEW(job.work, lanes);
    TRY(smr_parallel(ctx, NULL, c->in->n_classes, rank_class, &job));
out:
    for (int l = 0; job.work && l < lanes; l++) {
        smr_free(job.work[l].area);
        smr_free(job.work[l].row);
        smr_free(job.work[l].score);
    }
    smr_free(job.work);
    if (st != SMR_OK) {
        smr_free(c->ranks);
        c->ranks = NULL;
    }
    return st;
}
