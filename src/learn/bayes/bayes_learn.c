/* bayes_learn.c -- naive Bayes row by row.
 *
 * Counts are added to; means and squared deviations move by Welford's recursion, so that nothing
 * cancels.  After each row the logarithms that it changed are renewed, and so predictions are those
 * of a model of the rows so far.
 *
 * Cost: the row's values times the classes; numbers: all of them times the classes.
 * Reference: Welford, Technometrics 4(3):419-420, 1962. */
#include "learn/bayes/bayes.h"
#include "learn/linear/held_rows.h"

#include <math.h>

/* What a column of this kind is in a stream, where no row has been seen. */
static int first_kind(const struct smr_bayes_params *p, const smr_feature *in)
{
    if (in && in->kind == SMR_CATEGORY) return SMR_BAYES_LEVELS;
    if (p->model == SMR_BAYES_BERNOULLI) return SMR_BAYES_BIT;
    if (p->model == SMR_BAYES_MULTINOMIAL || p->model == SMR_BAYES_COMPLEMENT)
        return SMR_BAYES_COUNT;
    return SMR_BAYES_NUMBER;
}

smr_status smr_bayes_begin(smr_ctx *ctx, const void *params_, const smr_shape *shape, void *state_)
{
    const struct smr_bayes_params *p = params_;
    struct smr_bayes_state *s = state_;
    smr_status st = SMR_OK;
    uint8_t *kind = NULL;
    TRY_NEW(kind, shape->n_features);
    for (int64_t j = 0; j < shape->n_features; j++) {
        kind[j] = (uint8_t)first_kind(p, shape->features ? &shape->features[j] : NULL);
        if (p->model == SMR_BAYES_CATEGORICAL && kind[j] != SMR_BAYES_LEVELS)
            TRY(smr_bayes_refuse_number(ctx, shape->features, j));
    }
    TRY(smr_class_prior_check(ctx, "bayes", &p->priors, shape->n_classes));
    TRY(smr_bayes_make_room(ctx, shape->features, shape->n_features, shape->n_classes, kind, s));
out:
    smr_free(kind);
    return st;
}

/* Words as normal numbers are hardly what was meant. */
static void warn_of_words(smr_ctx *ctx, const struct smr_bayes_params *p, const smr_rows *rows,
                          struct smr_bayes_state *s)
{
    if (s->has_rows || rows->n == 0) return;
    s->has_rows = 1;
    if (rows->form == SMR_FORM_SPARSE && p->model == SMR_BAYES_AUTO)
        smr_warn(ctx, "bayes: a stream of sparse rows is taken as normal numbers, since it cannot "
                      "look ahead; for counts of words say model=multinomial");
}

/* ---- a row ------------------------------------------------------------------------------- */

static void learn_number(struct smr_bayes_state *s, int64_t at, double x, double weight)
{
    if (weight == 0) return;
    double off = x - s->mean[at];
    s->filled[at] += weight;
    s->mean[at] += off * (weight / s->filled[at]);
    s->square[at] += weight * off * (x - s->mean[at]);
}

static smr_status learn_value(smr_ctx *ctx, const struct smr_bayes_params *p,
                              struct smr_bayes_state *s, int64_t row, int64_t j, double x,
                              int64_t k, double weight)
{
    int64_t c = s->start[j];
    if (!isfinite(x)) return SMR_OK;
    if (s->kind[j] == SMR_BAYES_NUMBER) {
        learn_number(s, k * s->n_numbers + s->tables->place[j], x, weight);
        return SMR_OK;
    }
    if (s->kind[j] == SMR_BAYES_COUNT) {
        if (x < 0) return smr_bayes_refuse_count(ctx, NULL, row, j, x);
        s->count[k * s->n_cells + c] += weight * x;
    } else {
        int64_t level = s->kind[j] == SMR_BAYES_BIT ? x > p->threshold : (int64_t)x;
        if (level < 0 || c + level >= s->start[j + 1]) return SMR_OK;
        s->count[k * s->n_cells + c + level] += weight;
    }
    smr_bayes_renew_feature(p, s, j);
    return SMR_OK;
}

static smr_status learn_dense(smr_ctx *ctx, const struct smr_bayes_params *p,
                              struct smr_bayes_state *s, const smr_rows *rows, int64_t i, int64_t k,
                              double weight)
{
    const double *x = (const double *)rows->x + i * rows->stride;
    smr_status st = SMR_OK;
    for (int64_t j = 0; j < s->n_features && st == SMR_OK; j++)
        st = learn_value(ctx, p, s, rows->first + i, j, x[j], k, weight);
    return st;
}

/* Bits of a sparse row are 0 where there is no entry. */
static smr_status learn_entries(smr_ctx *ctx, const struct smr_bayes_params *p,
                                struct smr_bayes_state *s, const smr_rows *rows, int64_t i,
                                int64_t k, double weight)
{
    smr_status st = SMR_OK;
    int64_t e = rows->start[i], end = rows->start[i + 1];
    if (smr_bayes_counts(s)) {
        for (; e < end && st == SMR_OK; e++)
            st =
                learn_value(ctx, p, s, rows->first + i, rows->column[e], rows->value[e], k, weight);
        return st;
    }
    for (int64_t j = 0; j < s->n_features && st == SMR_OK; j++) {
        bool is_entry = e < end && rows->column[e] == j;
        st = learn_value(ctx, p, s, rows->first + i, j, is_entry ? rows->value[e] : 0, k, weight);
        e += is_entry;
    }
    return st;
}

/* What the row changed besides its own cells. */
static void renew(const struct smr_bayes_params *p, struct smr_bayes_state *s)
{
    bool counts = smr_bayes_counts(s);
    smr_bayes_renew_base(p, s);
    for (int64_t j = 0; j < s->n_features && counts && p->smoothing == 0; j++)
        smr_bayes_renew_feature(p, s, j);
    if (counts) smr_bayes_renew_totals(p, s);
    smr_bayes_renew_zero(s);
    if (s->n_numbers > 0) smr_bayes_renew_numbers(p, s);
}

smr_status smr_bayes_learn(smr_ctx *ctx, const void *params_, void *state_, const smr_rows *rows,
                           const smr_truths *truths, double *out)
{
    const struct smr_bayes_params *p = params_;
    struct smr_bayes_state *s = state_;
    smr_status st = SMR_OK;
    double *scratch = NULL;
    TRY(smr_held_check_weights(ctx, "bayes", rows->first, rows->n, truths->weight, NULL));
    warn_of_words(ctx, p, rows, s);
    s->tables->ldq = 0; /* cells change now */
    scratch = smr_alloc(ctx, smr_bayes_scratch(p, s, 1), 1);
    if (!scratch) TRY(SMR_ERR_NOMEM);
    for (int64_t i = 0; i < rows->n; i++) {
        int64_t k = truths->label[i];
        double weight = truths->weight ? truths->weight[i] : 1;
        if (out) {
            smr_rows one = smr_rows_slice(rows, i, i + 1);
            TRY(smr_bayes_predict(ctx, p, s, &one, SMR_OUTPUT_PROBA, out + i * s->n_classes,
                                  scratch));
        }
        s->weight[k] += weight;
        if (rows->form == SMR_FORM_SPARSE)
            TRY(learn_entries(ctx, p, s, rows, i, k, weight));
        else
            TRY(learn_dense(ctx, p, s, rows, i, k, weight));
        renew(p, s);
    }
out:
    smr_free(scratch);
    return st;
}
