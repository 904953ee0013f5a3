/* bayes_tables.c -- the logarithms that prediction reads; see bayes.h for what each array is.
 *
 *     cell   log(count + a)                      a count of 0 with a = 0 is -inf: predict takes the
 *                                                limit of ever smaller a
 *     norm   log(sum of the cells + a levels)    levels that some class has; of bits always 2
 *     total  log(sum of all counts + a d)
 *
 * complement: cell and total are those of all other classes, with the sign turned.
 * A class that has no value of a number has the mean and variance of the others'. */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "learn/bayes/bayes.h"

#include <math.h>
#include <string.h>

#define HALF_LOG_2PI 0.918938533204672741780329736406

void smr_bayes_release(void *state_)
{
    struct smr_bayes_state *s = state_;
    struct smr_bayes_tables *t = s->tables;
    if (!t) return;
    smr_free(t->base);
    smr_free(t->cell);
    smr_free(t->norm);
    smr_free(t->seen);
    smr_free(t->total);
    smr_free(t->all_zero);
    smr_free(t->mean);
    smr_free(t->scale);
    smr_free(t->level);
    smr_free(t->levels);
    smr_free(t->top);
    smr_free(t->floor);
    smr_free(t->place);
    smr_free(t);
    s->tables = NULL;
}

/* One block for the cells and their bytes, as pages of large blocks cost less. */
static smr_status make_cells(smr_ctx *ctx, struct smr_bayes_state *s)
{
    smr_status st = SMR_OK;
    struct smr_bayes_tables *t = s->tables;
    int64_t size = s->n_cells * t->ld;
    TRY_NEW(t->cell, size + (s->n_cells * t->ldq + 7) / 8);
    t->quick = (uint8_t *)(t->cell + size);
out:
    return st;
}

static smr_status make_tables(smr_ctx *ctx, struct smr_bayes_state *s)
{
    smr_status st = SMR_OK;
    struct smr_bayes_tables *t;
    int64_t n = 0, bits = 0;
    smr_bayes_release(s);
    TRY_NEW(s->tables, 1);
    t = s->tables;
    t->ld = (s->n_classes + 7) / 8 * 8;
    TRY_NEW(t->base, t->ld);
    TRY_NEW(t->seen, s->n_cells);
    TRY_NEW(t->total, t->ld);
    TRY_NEW(t->mean, s->n_numbers * t->ld);
    TRY_NEW(t->scale, s->n_numbers * t->ld);
    TRY_NEW(t->level, s->n_numbers * t->ld);
    TRY_NEW(t->levels, t->ld);
    TRY_NEW(t->top, t->ld);
    TRY_NEW(t->floor, s->n_numbers);
    TRY_NEW(t->place, s->n_features);
    for (int64_t j = 0; j < s->n_features; j++) {
        t->place[j] = s->kind[j] == SMR_BAYES_NUMBER ? n++ : -1;
        bits += s->kind[j] == SMR_BAYES_BIT;
    }
    t->is_all_numbers = n == s->n_features;
    if (!smr_bayes_counts(s)) TRY_NEW(t->norm, s->n_features * t->ld);
    if (bits == s->n_features && bits > 0) TRY_NEW(t->all_zero, t->ld);
out:
    return st;
}

/* ---- priors ------------------------------------------------------------------------------ */

void smr_bayes_renew_base(const struct smr_bayes_params *p, struct smr_bayes_state *s)
{
    smr_class_prior how = {p->prior, &p->priors};
    smr_class_prior_log(how, s->n_classes, s->weight, s->tables->base);
}

/* ---- cells ------------------------------------------------------------------------------- */

/* log(count + a) of a cell for every class, or its complement. */
static void renew_count(const struct smr_bayes_params *p, struct smr_bayes_state *s, int64_t c)
{
    struct smr_bayes_tables *t = s->tables;
    double *to = t->cell + c * t->ld, before = 0, after = 0;
    int64_t k = s->n_classes;
    if (p->model != SMR_BAYES_COMPLEMENT) {
        for (int64_t i = 0; i < k; i++) to[i] = s->count[i * s->n_cells + c] + p->smoothing;
        smr_log_f64(k, to, to);
        return;
    }
    for (int64_t i = 0; i < k; i++) { /* others: added, never subtracted, so that 0 stays 0 */
        to[i] = before;
        before += s->count[i * s->n_cells + c];
    }
    for (int64_t i = k - 1; i >= 0; i--) {
        to[i] += after + p->smoothing;
        after += s->count[i * s->n_cells + c];
    }
    smr_log_f64(k, to, to);
    for (int64_t i = 0; i < k; i++) to[i] = -to[i];
}

static void renew_levels(const struct smr_bayes_params *p, struct smr_bayes_state *s, int64_t j)
{
    struct smr_bayes_tables *t = s->tables;
    int64_t lo = s->start[j], hi = s->start[j + 1], n_seen = 0;
    double *norm = t->norm + j * t->ld;
    for (int64_t c = lo; c < hi; c++) {
        double all = 0;
        for (int64_t k = 0; k < s->n_classes; k++) all += s->count[k * s->n_cells + c];
        t->seen[c] = s->kind[j] == SMR_BAYES_BIT || all > 0;
        n_seen += t->seen[c];
    }
    for (int64_t k = 0; k < s->n_classes; k++) {
        double sum = 0;
        for (int64_t c = lo; c < hi; c++) sum += s->count[k * s->n_cells + c];
        norm[k] = smr_log(sum + p->smoothing * (double)n_seen);
        if (sum > 0 || p->smoothing > 0) continue;
        norm[k] = smr_log((double)SMR_MAX(1, n_seen)); /* 0 / 0: all levels are equal */
    }
    for (int64_t c = lo; c < hi; c++) {
        renew_count(p, s, c);
        for (int64_t k = 0; k < s->n_classes && p->smoothing == 0; k++) {
            double sum = 0;
            for (int64_t i = lo; i < hi; i++) sum += s->count[k * s->n_cells + i];
            if (sum == 0) t->cell[c * t->ld + k] = 0;
        }
    }
}

void smr_bayes_renew_feature(const struct smr_bayes_params *p, struct smr_bayes_state *s, int64_t j)
{
    if (s->kind[j] == SMR_BAYES_COUNT)
        renew_count(p, s, s->start[j]);
    else if (s->kind[j] != SMR_BAYES_NUMBER)
        renew_levels(p, s, j);
}

/* The logarithm of what counts are divided by.  Without a count and smoothing, all words are
 * equal; the cells are then 0, and a stream renews them all. */
static void settle_totals(const struct smr_bayes_params *p, struct smr_bayes_state *s)
{
    struct smr_bayes_tables *t = s->tables;
    double all = 0, spread = p->smoothing * (double)s->n_cells;
    bool complement = p->model == SMR_BAYES_COMPLEMENT;
    for (int64_t k = 0; k < s->n_classes; k++) all += t->total[k];
    for (int64_t k = 0; k < s->n_classes; k++) {
        double sum = complement ? all - t->total[k] : t->total[k];
        t->total[k] = smr_log(sum + spread);
        if (complement) t->total[k] = -t->total[k];
        if (sum > 0 || spread > 0) continue;
        t->total[k] = smr_log((double)SMR_MAX(1, s->n_cells)) * (complement ? -1 : 1);
        for (int64_t c = 0; c < s->n_cells; c++) t->cell[c * t->ld + k] = 0;
    }
}

static void sum_class(struct smr_bayes_state *s, int64_t k)
{
    s->tables->total[k] = smr_sum_f64(s->n_cells, s->count + k * s->n_cells);
}

void smr_bayes_renew_totals(const struct smr_bayes_params *p, struct smr_bayes_state *s)
{
    for (int64_t k = 0; k < s->n_classes; k++) sum_class(s, k);
    settle_totals(p, s);
}

void smr_bayes_renew_zero(struct smr_bayes_state *s)
{
    struct smr_bayes_tables *t = s->tables;
    if (!t->all_zero) return;
    memset(t->all_zero, 0, (size_t)t->ld * sizeof *t->all_zero);
    for (int64_t j = 0; j < s->n_features; j++) {
        const double *cell = t->cell + s->start[j] * t->ld, *norm = t->norm + j * t->ld;
        for (int64_t k = 0; k < s->n_classes; k++) t->all_zero[k] += cell[k] - norm[k];
    }
}

/* ---- numbers ----------------------------------------------------------------------------- */

/* Mean and variance of number c over all classes. */
static double pool(const struct smr_bayes_state *s, int64_t c, double *mean)
{
    double weight = 0, sum = 0, square = 0;
    for (int64_t k = 0; k < s->n_classes; k++) weight += s->filled[k * s->n_numbers + c];
    *mean = 0;
    if (weight == 0) return 0;
    for (int64_t k = 0; k < s->n_classes; k++)
        sum += s->filled[k * s->n_numbers + c] / weight * s->mean[k * s->n_numbers + c];
    *mean = sum;
    for (int64_t k = 0; k < s->n_classes; k++) {
        int64_t at = k * s->n_numbers + c;
        double off = s->mean[at] - *mean;
        if (s->filled[at] > 0) square += s->square[at] + s->filled[at] * off * off;
    }
    return square / weight;
}

/* The density of number c in class k: (x - mean) scale is squared, halved, and taken from level. */
static void renew_number(struct smr_bayes_state *s, int64_t c, int64_t k, double mean, double var)
{
    struct smr_bayes_tables *t = s->tables;
    int64_t at = k * s->n_numbers + c, to = c * t->ld + k;
    if (s->filled[at] > 0) {
        mean = s->mean[at];
        var = s->square[at] / s->filled[at];
    }
    var += t->floor[c];
    t->mean[to] = mean;
    t->scale[to] = var > 0 ? 1 / sqrt(var) : 0; /* the same value everywhere: it says nothing */
    t->level[to] = var > 0 ? -HALF_LOG_2PI - smr_log(var) / 2 : 0;
}

void smr_bayes_renew_numbers(const struct smr_bayes_params *p, struct smr_bayes_state *s)
{
    struct smr_bayes_tables *t = s->tables;
    memset(t->levels, 0, (size_t)t->ld * sizeof *t->levels);
    for (int64_t c = 0; c < s->n_numbers; c++) {
        double mean, var = pool(s, c, &mean);
        t->floor[c] = p->var_smoothing * var;
        for (int64_t k = 0; k < s->n_classes; k++) renew_number(s, c, k, mean, var);
        for (int64_t k = 0; k < s->n_classes; k++) t->levels[k] += t->level[c * t->ld + k];
    }
    for (int64_t k = 0; k < s->n_classes; k++) t->top[k] = t->base[k] + t->levels[k];
}

/* ---- all of it --------------------------------------------------------------------------- */

enum { FEATURES = 256, ACROSS = 8 };

struct renewing {
    const struct smr_bayes_params *p;
    struct smr_bayes_state *s;
};

/* A block of word counts: logarithms class by class, so that counts are read in their order; eight
 * classes are then written at a time, a line of the cache each. */
static void renew_block(const struct renewing *r, int64_t lo, int64_t hi)
{
    struct smr_bayes_state *s = r->s;
    struct smr_bayes_tables *t = s->tables;
    double log_of[ACROSS][FEATURES] = {{0}};
    for (int64_t from = 0; from < s->n_classes; from += ACROSS) {
        int64_t classes = SMR_MIN(ACROSS, s->n_classes - from);
        for (int64_t k = 0; k < classes; k++) {
            const double *count = s->count + (from + k) * s->n_cells + lo;
            for (int64_t c = 0; c < hi - lo; c++) log_of[k][c] = count[c] + r->p->smoothing;
            smr_log_f64(hi - lo, log_of[k], log_of[k]);
        }
        for (int64_t k = classes; k < ACROSS; k++) memset(log_of[k], 0, sizeof log_of[k]);
        for (int64_t c = 0; c < hi - lo; c++) {
            double *to = t->cell + (lo + c) * t->ld + from;
            for (int64_t k = 0; k < ACROSS; k++) to[k] = log_of[k][c];
        }
    }
}

static smr_status renew_features(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct renewing *r = arg;
    int64_t lo = task * FEATURES, hi = SMR_MIN(r->s->n_features, lo + FEATURES);
    (void)ctx, (void)lane;
    if (smr_bayes_counts(r->s) && r->p->model != SMR_BAYES_COMPLEMENT)
        renew_block(r, lo, hi);
    else
        for (int64_t j = lo; j < hi; j++) smr_bayes_renew_feature(r->p, r->s, j);
    smr_bayes_fill_quick(r->s, lo, hi); /* counts have a cell each */
    return SMR_OK;
}

static smr_status sum_classes(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    (void)ctx, (void)lane;
    sum_class(((const struct renewing *)arg)->s, task);
    return SMR_OK;
}

smr_status smr_bayes_prepare(smr_ctx *ctx, const void *params_, void *state_)
{
    smr_status st = SMR_OK;
    struct renewing r = {params_, state_};
    TRY(make_tables(ctx, r.s));
    smr_bayes_renew_base(r.p, r.s);
    if (smr_bayes_counts(r.s)) TRY(smr_parallel(ctx, NULL, r.s->n_classes, sum_classes, &r));
    smr_bayes_plan_quick(r.p, r.s);
    TRY(make_cells(ctx, r.s));
    TRY(smr_parallel(ctx, NULL, smr_block_count(r.s->n_features, FEATURES), renew_features, &r));
    if (smr_bayes_counts(r.s)) {
        settle_totals(r.p, r.s);
        smr_bayes_finish_quick(r.s);
    }
    smr_bayes_renew_zero(r.s);
    smr_bayes_renew_numbers(r.p, r.s);
out:
    return st;
}
