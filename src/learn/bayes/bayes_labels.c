/* bayes_labels.c -- labels of counts of words, most of them from a table of bytes.
 *
 * A row's score of class k is, before the rounding of doubles,
 *
 *     S_k = log P(k) + sum_j x_j cell_jk - size total_k,   size = sum_j x_j                     (1)
 *
 * A cell is the least one + step (q + r), a byte q and |r| <= 1/2, step = their range / 255.  So
 *
 *     Q_k = log P(k) + step sum_j x_j q_jk - size total_k                                       (2)
 *
 * is off by the same number for all classes and by at most size step / 2 more, and a class whose
 * Q_k is more than size step above all others has the largest S_k too.  Both sides are rounded:
 * n + 8 operations at most, each by 2^-53 of numbers up to |log P| + size (|cell| + |total|); four
 * times that is added.  Where the best two are closer, or a count is not whole, the row is scored
 * in doubles: the label is always that of doubles.
 *
 * The sums of (2) are whole numbers.  A row reads 32 bytes per word of up to 32 classes, where
 * doubles of 20 classes are three lines of the cache. */
#include "kernel/kernel.h"
#include "learn/bayes/bayes.h"

#include <math.h>
#include <string.h>

enum { MOST_CLASSES = 256, MOST_WORDS = 4096, AHEAD = 1024 };
#define MOST_SIZE 16777216 /* 2^32 / 256: sums of (2) stay below 2^32 */

/* ---- the table --------------------------------------------------------------------------- */

/* Counts of a class are at most its total: so the range of cells is known before them. */
void smr_bayes_plan_quick(const struct smr_bayes_params *p, struct smr_bayes_state *s)
{
    struct smr_bayes_tables *t = s->tables;
    int64_t k = s->n_classes;
    double most = 0, others = 0;
    bool complement = p->model == SMR_BAYES_COMPLEMENT;
    t->ldq = 0;
    if (!smr_bayes_counts(s) || !(p->smoothing > 0) || k < 2 || k > MOST_CLASSES) return;
    for (int64_t c = 0; c < k; c++) {
        most = smr_fmax(most, t->total[c]);
        others += t->total[c];
    }
    double low = smr_log(p->smoothing), high = smr_log((complement ? others : most) + p->smoothing);
    t->step = (high - low) * (1 + 1e-9) / UINT8_MAX;
    t->least = complement ? -high : low;
    t->furthest = smr_fmax(fabs(low), fabs(high));
    if (!(t->step > 1e-9 && t->step < INFINITY)) return; /* all words say the same */
    t->ldq = k <= 8 ? 8 : k <= 16 ? 16 : (k + 31) / 32 * 32;
}

void smr_bayes_fill_quick(const struct smr_bayes_state *s, int64_t lo, int64_t hi)
{
    const struct smr_bayes_tables *t = s->tables;
    double by = 1 / t->step;
    for (int64_t c = lo; c < hi && t->ldq > 0; c++) {
        const double *cell = t->cell + c * t->ld;
        uint8_t *quick = t->quick + c * t->ldq;
        for (int64_t k = 0; k < s->n_classes; k++)
            quick[k] = (uint8_t)(int)((cell[k] - t->least) * by + 0.5);
    }
}

/* The largest |total| and |log prior|. */
void smr_bayes_finish_quick(struct smr_bayes_state *s)
{
    struct smr_bayes_tables *t = s->tables;
    t->priors = 0;
    for (int64_t k = 0; k < s->n_classes; k++) {
        t->furthest = smr_fmax(t->furthest, fabs(t->total[k]));
        if (isfinite(t->base[k])) t->priors = smr_fmax(t->priors, fabs(t->base[k]));
    }
}

/* ---- labels ------------------------------------------------------------------------------ */

/* Entries that are soon to come are fetched meanwhile: rows are short, and what fetches by itself
 * begins anew with each. */
static void fetch_ahead(const smr_rows *rows, int64_t lo, int64_t hi)
{
    int64_t end = rows->start[rows->n];
    for (int64_t e = lo + AHEAD; e < SMR_MIN(end, hi + AHEAD); e += 8) {
        __builtin_prefetch(rows->value + e);
        if (e % 16 < 8) __builtin_prefetch(rows->column + e);
    }
}

int smr_bayes_quick_label(const struct smr_bayes_state *s, const smr_rows *rows, int64_t i)
{
    const struct smr_bayes_tables *t = s->tables;
    int64_t lo = rows->start[i], n = rows->start[i + 1] - lo;
    int32_t times[MOST_WORDS];
    uint32_t sum[MOST_CLASSES];
    double best = -INFINITY, second = -INFINITY, score[MOST_CLASSES];
    fetch_ahead(rows, lo, lo + n);
    int64_t whole = n <= MOST_WORDS ? smr_whole_f64(n, rows->value + lo, times) : -1;
    if (whole < 0 || whole > MOST_SIZE) return -1;
    smr_entries_pick_u8(n, rows->column + lo, times, t->quick, t->ldq, sum);
    double size = (double)whole;
    for (int64_t k = 0; k < s->n_classes; k++)
        score[k] = t->base[k] + (t->step * (double)(int64_t)sum[k] - size * t->total[k]);
    for (int64_t k = 0; k < s->n_classes; k++) {
        double least = score[k] < best ? score[k] : best;
        second = least > second ? least : second;
        best = score[k] > best ? score[k] : best;
    }
    double rounding = (double)(n + 8) * 0x1p-51 * (t->priors + size * 2 * t->furthest);
    if (!(best - second > size * t->step + rounding)) return -1;
    for (int k = 0;; k++)
        if (score[k] == best) return k;
}
