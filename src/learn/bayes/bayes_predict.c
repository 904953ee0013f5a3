/* bayes_predict.c -- from rows to scores log P(class) + sum_j log P(x_j | class), and to answers.
 *
 * What is skipped, for all classes alike: a gap, a value that is not finite, a level that training
 * never saw.  With smoothing = 0 a factor may be 0.  Then the answer is the limit of ever smaller
 * smoothing: the classes with the fewest such factors (of counts: the least sum of them) share the
 * probability, each by its other factors and 1 / its total for every factor of 0. */
#include "kernel/kernel.h"
#include "learn/bayes/bayes.h"

#include <math.h>
#include <string.h>

/* One row under way: scores, and how many factors were 0. */
struct sums {
    double *score, *zeros; /* n_classes; zeros NULL: no factor can be 0 */
};

static void start(const struct smr_bayes_state *s, const double *base, struct sums *to)
{
    memcpy(to->score, base, (size_t)s->n_classes * sizeof *base);
    if (to->zeros) memset(to->zeros, 0, (size_t)s->n_classes * sizeof *base);
}

/* times `cell`, a logarithm per class, less `norm`. */
static void add(const struct smr_bayes_state *s, const double *cell, const double *norm,
                double times, struct sums *to)
{
    if (!to->zeros) {
        for (int64_t k = 0; k < s->n_classes; k++) to->score[k] += times * (cell[k] - norm[k]);
        return;
    }
    for (int64_t k = 0; k < s->n_classes; k++) {
        bool is_zero = isinf(cell[k]);
        if (is_zero) to->zeros[k] += cell[k] < 0 ? times : -times; /* complement turns the sign */
        to->score[k] += times * ((is_zero ? 0 : cell[k]) - norm[k]);
    }
}

/* Only the classes with the fewest factors of 0 remain. */
static void settle(const struct smr_bayes_state *s, struct sums *to)
{
    double fewest = INFINITY;
    if (!to->zeros) return;
    for (int64_t k = 0; k < s->n_classes; k++)
        if (to->score[k] > -INFINITY) fewest = smr_fmin(fewest, to->zeros[k]);
    for (int64_t k = 0; k < s->n_classes; k++)
        if (to->zeros[k] > fewest) to->score[k] = -INFINITY;
}

/* ---- a value ----------------------------------------------------------------------------- */

/* A level, or a bit: its cell, if training saw it. */
static void add_level(const struct smr_bayes_state *s, int64_t j, int64_t level, struct sums *to)
{
    const struct smr_bayes_tables *t = s->tables;
    int64_t c = s->start[j] + level;
    if (level < 0 || c >= s->start[j + 1] || !t->seen[c]) return;
    add(s, t->cell + c * t->ld, t->norm + j * t->ld, 1, to);
}

static void add_number(const struct smr_bayes_state *s, int64_t j, double x, struct sums *to)
{
    const struct smr_bayes_tables *t = s->tables;
    int64_t at = t->place[j] * t->ld;
    for (int64_t k = 0; k < s->n_classes; k++) {
        double off = (x - t->mean[at + k]) * t->scale[at + k];
        to->score[k] += t->level[at + k] - 0.5 * off * off;
    }
}

static void add_value(const struct smr_bayes_params *p, const struct smr_bayes_state *s, int64_t j,
                      double x, struct sums *to)
{
    const struct smr_bayes_tables *t = s->tables;
    if (!isfinite(x)) return;
    switch (s->kind[j]) {
    case SMR_BAYES_NUMBER: add_number(s, j, x, to); break;
    case SMR_BAYES_BIT: add_level(s, j, x > p->threshold, to); break;
    case SMR_BAYES_LEVELS: add_level(s, j, (int64_t)x, to); break;
    default:
        if (x > 0) add(s, t->cell + s->start[j] * t->ld, t->total, x, to);
        break;
    }
}

/* ---- rows -------------------------------------------------------------------------------- */

static void score_row(const struct smr_bayes_params *p, const struct smr_bayes_state *s,
                      const double *x, struct sums *to)
{
    start(s, s->tables->base, to);
    for (int64_t j = 0; j < s->n_features; j++) add_value(p, s, j, x[j], to);
    settle(s, to);
}

/* An entry in place of a 0 among bits. */
static void add_bit(const struct smr_bayes_params *p, const struct smr_bayes_state *s, int64_t j,
                    double x, struct sums *to)
{
    struct smr_bayes_tables *t = s->tables;
    const double *zero = t->cell + s->start[j] * t->ld, *norm = t->norm + j * t->ld;
    if (isfinite(x) && !(x > p->threshold)) return;
    add(s, zero, norm, -1, to);
    if (isfinite(x)) add(s, zero + t->ld, norm, 1, to);
}

/* What the zeros of a sparse row of bits say: the sum that is kept, or where factors may be 0 one
 * by one. */
static void start_bits(const struct smr_bayes_state *s, struct sums *to)
{
    struct smr_bayes_tables *t = s->tables;
    for (int64_t k = 0; k < s->n_classes && !to->zeros; k++) to->score[k] += t->all_zero[k];
    for (int64_t j = 0; j < s->n_features && to->zeros; j++) add_level(s, j, 0, to);
}

static void score_entries(const struct smr_bayes_params *p, const struct smr_bayes_state *s,
                          const smr_rows *rows, int64_t i, struct sums *to)
{
    bool counts = smr_bayes_counts(s);
    start(s, s->tables->base, to);
    if (!counts && s->n_features > 0) start_bits(s, to);
    for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++) {
        int64_t j = rows->column[e];
        if (counts)
            add_value(p, s, j, rows->value[e], to);
        else
            add_bit(p, s, j, rows->value[e], to);
    }
    settle(s, to);
}

/* Is there a score to go by, and none that is not a number? */
static bool is_sound(int64_t n, const double *score)
{
    double top = -INFINITY;
    bool sound = true;
    for (int64_t k = 0; k < n; k++) {
        sound = sound && score[k] < INFINITY;
        top = smr_fmax(top, score[k]);
    }
    return sound && top > -INFINITY;
}

/* Densities that are 0 in every class. */
static void say_priors(const struct smr_bayes_state *s, double *score)
{
    memcpy(score, s->tables->base, (size_t)s->n_classes * sizeof *score);
}

/* Is some value below 0?  Signs are gathered four at a time, as hardly a row has any. */
static bool has_negative(int64_t n, const double *value)
{
    typedef int64_t pair_i64 __attribute__((vector_size(16)));
    pair_i64 even = {0, 0}, odd = {0, 0}, a, b;
    int64_t e = 0;
    for (; e + 4 <= n; e += 4) {
        memcpy(&a, value + e, sizeof a);
        memcpy(&b, value + e + 2, sizeof b);
        even |= a;
        odd |= b;
    }
    even |= odd;
    bool any = (even[0] | even[1]) < 0;
    for (; e < n; e++) any = any || value[e] < 0;
    for (e = 0; e < n && any && !(value[e] < 0);) e++;
    return any && e < n;
}

/* Prior and totals; true where all scores are finite, and so sound. */
static bool finish_words(const struct smr_bayes_state *s, double size, double *score)
{
    const struct smr_bayes_tables *t = s->tables;
    double even = 0, odd = 0;
    int64_t k = 0;
    for (; k + 2 <= s->n_classes; k += 2) {
        score[k] = t->base[k] + (score[k] - size * t->total[k]);
        score[k + 1] = t->base[k + 1] + (score[k + 1] - size * t->total[k + 1]);
        even += score[k];
        odd += score[k + 1];
    }
    if (k < s->n_classes) even += score[k] = t->base[k] + (score[k] - size * t->total[k]);
    return isfinite(even + odd) || is_sound(s->n_classes, score);
}

/* Counts: the kernel, and entry by entry where it meets a gap or a factor of 0. */
static void score_row_of_words(const struct smr_bayes_params *p, const struct smr_bayes_state *s,
                               const smr_rows *rows, int64_t i, double *zeros, double *out)
{
    const struct smr_bayes_tables *t = s->tables;
    int64_t lo = rows->start[i], n = rows->start[i + 1] - lo;
    double size = smr_sum_f64(n, rows->value + lo);
    smr_entries_times_f64(n, rows->column + lo, rows->value + lo, s->n_classes, t->cell, t->ld,
                          out);
    if (finish_words(s, size, out) && p->smoothing > 0 && isfinite(size) &&
        !has_negative(n, rows->value + lo))
        return;
    struct sums to = {out, p->smoothing > 0 ? NULL : zeros};
    score_entries(p, s, rows, i, &to);
    if (!is_sound(s->n_classes, out)) say_priors(s, out);
}

static void score_words(const struct smr_bayes_params *p, const struct smr_bayes_state *s,
                        const smr_rows *rows, double *zeros, double *out)
{
    for (int64_t i = 0; i < rows->n; i++)
        score_row_of_words(p, s, rows, i, zeros, out + i * s->n_classes);
}

static void label_words(const struct smr_bayes_params *p, const struct smr_bayes_state *s,
                        const smr_rows *rows, double *zeros, double *score, double *out)
{
    for (int64_t i = 0; i < rows->n; i++) {
        int label = smr_bayes_quick_label(s, rows, i);
        out[i] = label;
        if (label >= 0) continue;
        score_row_of_words(p, s, rows, i, zeros, score);
        smr_class_answers(s->n_classes, 1, SMR_OUTPUT_LABEL, score, out + i);
    }
}

/* From distances to scores, two at a time. */
static void finish_numbers(int64_t n, const double *top, double *score)
{
    typedef double pair_f64 __attribute__((vector_size(16)));
    const pair_f64 half = {0.5, 0.5};
    pair_f64 a, b;
    int64_t k = 0;
    for (; k + 2 <= n; k += 2) {
        memcpy(&a, top + k, sizeof a);
        memcpy(&b, score + k, sizeof b);
        a -= half * b;
        memcpy(score + k, &a, sizeof a);
    }
    if (k < n) score[k] = top[k] - 0.5 * score[k];
}

/* Numbers alone: the kernel, and row by row where it meets a gap, which makes the distance from the
 * first class not a number as it does all others'. */
static void score_numbers(const struct smr_bayes_params *p, const struct smr_bayes_state *s,
                          const smr_rows *rows, double *out)
{
    const struct smr_bayes_tables *t = s->tables;
    smr_spread of = {t->mean, t->scale, t->ld};
    smr_spread_f64(rows->n, s->n_features, s->n_classes, rows->x, rows->stride, &of, out);
    for (int64_t i = 0; i < rows->n; i++, out += s->n_classes) {
        if (out[0] < INFINITY) {
            finish_numbers(s->n_classes, t->top, out);
            continue;
        }
        struct sums to = {out, NULL};
        score_row(p, s, (const double *)rows->x + i * rows->stride, &to);
        if (!is_sound(s->n_classes, out)) say_priors(s, out);
    }
}

static void score_dense(const struct smr_bayes_params *p, const struct smr_bayes_state *s,
                        const smr_rows *rows, double *zeros, double *out)
{
    if (s->tables->is_all_numbers && s->n_features > 0) {
        score_numbers(p, s, rows, out);
        return;
    }
    for (int64_t i = 0; i < rows->n; i++, out += s->n_classes) {
        struct sums to = {out, p->smoothing > 0 ? NULL : zeros};
        score_row(p, s, (const double *)rows->x + i * rows->stride, &to);
        if (!is_sound(s->n_classes, out)) say_priors(s, out);
    }
}

/* Sparse rows of bits; of numbers, whose zeros count as much as any value, one by one. */
static void score_sparse(const struct smr_bayes_params *p, const struct smr_bayes_state *s,
                         const smr_rows *rows, double *zeros, double *dense, double *out)
{
    for (int64_t i = 0; i < rows->n; i++, out += s->n_classes) {
        if (s->tables->all_zero) {
            struct sums to = {out, p->smoothing > 0 ? NULL : zeros};
            score_entries(p, s, rows, i, &to);
            if (!is_sound(s->n_classes, out)) say_priors(s, out);
            continue;
        }
        smr_rows one = {.n = 1, .d = s->n_features, .x = dense, .stride = s->n_features};
        memset(dense, 0, (size_t)s->n_features * sizeof *dense);
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
            dense[rows->column[e]] = rows->value[e];
        score_dense(p, s, &one, zeros, out);
    }
}

int64_t smr_bayes_scratch(const void *params_, const void *state_, int64_t n)
{
    const struct smr_bayes_state *s = state_;
    (void)params_;
    return ((n + 1) * s->n_classes + s->n_features) * (int64_t)sizeof(double);
}

smr_status smr_bayes_predict(smr_ctx *ctx, const void *params_, const void *state_,
                             const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct smr_bayes_state *s = state_;
    double *zeros = scratch, *dense = zeros + s->n_classes, *score = dense + s->n_features;
    bool sparse = rows->form == SMR_FORM_SPARSE;
    (void)ctx;
    if (sparse && output == SMR_OUTPUT_LABEL && s->tables->ldq > 0) {
        label_words(params_, s, rows, zeros, score, out);
        return SMR_OK;
    }
    if (output != SMR_OUTPUT_LABEL) score = out;
    if (sparse && smr_bayes_counts(s))
        score_words(params_, s, rows, zeros, score);
    else if (sparse)
        score_sparse(params_, s, rows, zeros, dense, score);
    else
        score_dense(params_, s, rows, zeros, score);
    smr_class_answers(s->n_classes, rows->n, output, score, out);
    return SMR_OK;
}
