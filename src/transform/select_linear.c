/* select_linear.c -- features by their weights in a linear fit: over a threshold, or not 0.
 *
 * Features are first coded as a linear learner needs them, in a member of their own: gaps filled,
 * categories as indicators, everything standardised, so that weights can be compared (sparse
 * features are only scaled).  A feature's weight is the largest |w| of its columns, over all
 * classes or targets.
 *
 *     weight   the weights of `of`, fitted on the coded features
 *     l1       min_w 1/2 sum weight (y - b - x'w)^2 + l1 |w|_1, for numbers, or for classes with
 *              an indicator of each class as y (of the second for two), along a path of penalties
 *
 * The path falls from the penalty where all weights are 0 by 1000 times, in 60 steps, each from the
 * answer before; a feature's score is the largest penalty at which it is in.  Without l1 and k, the
 * penalty with the least squared error on the folds is taken, the larger of equals. */
#include "core/text.h"
#include "data/subset.h"
#include "kernel/kernel.h"
#include "learn/chain.h"
#include "learn/linear/fold_grams.h"
#include "learn/member.h"
#include "learn/out_of_fold.h"
#include "learn/state.h"
#include "transform/select.h"

#include <math.h>
#include <string.h>

enum { STEPS = 60 };

/* ---- coded columns ---------------------------------------------------------------------- */

/* An array of a fitted stage, by its name in the state table; NULL: it has none. */
static const void *array_of(const smr_stage *stage, const char *name, int64_t shape[3])
{
    const smr_learner *l = stage->learner;
    int64_t count = 0;
    for (int64_t i = 0; i < l->n_state; i++)
        if (strcmp(l->state[i].name, name) == 0 && !smr_state_is_scalar(&l->state[i])) {
            (void)smr_state_shape(l, &l->state[i], stage->state, shape, &count);
            return smr_state_values(&l->state[i], stage->state);
        }
    return NULL;
}

static const char *coding_of(const smr_data *data)
{
    if (smr_data_is_sparse(data)) return "standardize center=no";
    return smr_data_has_categories(data) ? "onehot | standardize" : "standardize";
}

/* feature[c] = the feature that coded column c was made of. */
static smr_status map_columns(smr_ctx *ctx, const smr_member *m, int64_t d, int64_t n_columns,
                              int32_t **feature)
{
    smr_status st = SMR_OK;
    const int64_t *first = NULL;
    int64_t shape[3];
    TRY_NEW(*feature, n_columns);
    for (int64_t s = 0; s < m->n_stages; s++)
        if (strcmp(m->stages[s].learner->name, "onehot") == 0)
            first = array_of(&m->stages[s], "first", shape);
    for (int64_t j = 0; j < d; j++) {
        int64_t lo = first ? first[j] : j;
        int64_t hi = !first ? j + 1 : j + 1 < d ? first[j + 1] : n_columns;
        for (int64_t c = lo; c < hi && c < n_columns; c++) (*feature)[c] = (int32_t)j;
    }
out:
    return st;
}

/* score[feature] = max(score, value) */
static void lift(double *score, double value)
{
    if (isnan(*score) || value > *score) *score = value;
}

/* ---- weights ---------------------------------------------------------------------------- */

static smr_status no_weights(smr_ctx *ctx, const smr_stage *last)
{
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "select by=weight: %s has no weight for each feature; use a linear learner "
                    "alone, such as of=(ridge 1)",
                    last->learner->name);
}

smr_status smr_select_weight(smr_ctx *ctx, const struct smr_select_params *p, const smr_data *data,
                             struct smr_select_state *s)
{
    smr_status st = SMR_OK;
    smr_member member = {0};
    smr_text sentence = {.ctx = ctx};
    int32_t *feature = NULL;
    const char *of = NULL;
    int64_t shape[3] = {0}, coded = 0;
    TRY(smr_select_sentence(ctx, p, data, &of));
    smr_text_printf(&sentence, "%s | %s", coding_of(data), of);
    TRY(smr_text_done(&sentence));
    TRY(smr_member_fit(ctx, sentence.bytes, data, &member, NULL));
    for (int64_t k = 0; k < member.n_stages; k++)
        if (strcmp(member.stages[k].learner->name, "standardize") == 0 && coded == 0)
            coded = member.stages[k].n_out;
    const smr_stage *last = smr_member_last(&member);
    const double *w = array_of(last, "coef", shape);
    if (!w || shape[1] != coded) TRY(no_weights(ctx, last));
    TRY(map_columns(ctx, &member, data->n_features, coded, &feature));
    for (int64_t k = 0; k < shape[0]; k++)
        for (int64_t c = 0; c < coded; c++) lift(&s->score[feature[c]], fabs(w[k * coded + c]));
    for (int64_t j = 0; j < s->n_features; j++) lift(&s->score[j], 0);
    s->n_fits = 1;
out:
    smr_text_release(&sentence);
    smr_free(feature);
    smr_member_release(&member);
    return st;
}

/* ---- l1 --------------------------------------------------------------------------------- */

struct path {
    const struct smr_select_params *p;
    const smr_data *data; /* as it came */
    struct smr_select_state *s;
    smr_member coding;
    smr_data *links;    /* the coded data: the last of them */
    smr_subset numbers; /* with numbers as targets */
    double *y;          /* n x q */
    smr_parts parts;
    smr_fold_grams grams;
    smr_fold_gram sum;
    int32_t *feature; /* of each coded column */
    double l1[STEPS], error[STEPS];
    double *B;               /* STEPS x coded columns */
    smr_elastic_result *out; /* STEPS */
    int32_t *columns;        /* 0, 1, 2 ... */
};

/* Codes the features; classes become indicators. */
static smr_status code_data(smr_ctx *ctx, struct path *f)
{
    smr_status st = SMR_OK;
    const smr_data *data = f->data;
    bool classes = data->task == SMR_TASK_CLASSIFY;
    int64_t n = data->n_rows, K = data->n_classes, q = classes ? (K == 2 ? 1 : K) : data->n_outputs;
    TRY(smr_member_fit(ctx, coding_of(data), data, &f->coding, NULL));
    TRY_NEW(f->links, f->coding.n_stages);
    for (int64_t k = 0; k < f->coding.n_stages; k++)
        smr_chain(k ? &f->links[k - 1] : data, &f->coding.stages[k], &f->links[k]);
    smr_subset_with with = {.task = SMR_TASK_REGRESS, .n_outputs = q};
    if (classes) {
        TRY_NEW(f->y, n * q);
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < q; k++) f->y[i * q + k] = data->label[i] == (K == 2 ? 1 : k);
        with.y = f->y;
    }
    smr_data *coded = &f->links[f->coding.n_stages - 1];
    TRY(smr_subset_make(ctx, coded, NULL, n, classes ? &with : NULL, &f->numbers));
    TRY(map_columns(ctx, &f->coding, data->n_features, coded->n_features, &f->feature));
    TRY_NEW(f->columns, coded->n_features);
    for (int64_t c = 0; c < coded->n_features; c++) f->columns[c] = (int32_t)c;
out:
    return st;
}

/* The penalties: from where the first weight of any output enters. */
static void make_penalties(struct path *f)
{
    double most = 0, least = f->p->l1;
    for (int64_t k = 0; k < f->grams.q; k++) {
        smr_gram_problem problem = smr_fold_grams_problem(&f->grams, &f->sum, k);
        most = fmax(most, smr_elastic_l1_max(problem.d, problem.c, NULL));
    }
    if (!(least > 0)) least = most * 1e-3;
    for (int64_t i = 0; i < STEPS; i++)
        f->l1[i] = most > least && least > 0
                       ? most * smr_pow(least / most, (double)i / (double)(STEPS - 1))
                       : fmax(most, least);
}

/* The path of output k by the sum's matrix. */
static smr_status follow(smr_ctx *ctx, struct path *f, int64_t k)
{
    smr_gram_problem problem = smr_fold_grams_problem(&f->grams, &f->sum, k);
    smr_elastic_opts opts = {.what = "choosing features", .tol = 1e-8};
    smr_elastic_path path = {.n = STEPS, .l1 = f->l1};
    if (!(problem.yy > 0)) {
        memset(f->B, 0, (size_t)(STEPS * problem.d) * sizeof *f->B);
        return SMR_OK;
    }
    return smr_elastic_gram_path(ctx, &problem, &opts, &path, f->B, f->out);
}

/* error[i] = squared error of step i on the rows of the folds. */
static smr_status validate(smr_ctx *ctx, struct path *f)
{
    smr_status st = SMR_OK;
    int64_t d = f->grams.d;
    for (int64_t p = 0; p < f->grams.n; p++) {
        TRY(smr_tick(ctx, "fitting on folds", p, f->grams.n, NAN));
        smr_fold_grams_sum(&f->grams, p, &f->sum);
        for (int64_t k = 0; k < f->grams.q; k++) {
            TRY(follow(ctx, f, k));
            for (int64_t i = 0; i < STEPS; i++)
                f->error[i] +=
                    smr_fold_grams_error(&f->grams, &f->sum, p, k, d, f->columns, f->B + i * d);
        }
    }
    smr_fold_grams_sum(&f->grams, -1, &f->sum);
out:
    return st;
}

/* Scores, and which features are in at each step: in[i * d + j]. */
static smr_status enter(smr_ctx *ctx, struct path *f, bool *in)
{
    smr_status st = SMR_OK;
    int64_t columns = f->grams.d, d = f->s->n_features;
    for (int64_t k = 0; k < f->grams.q; k++) {
        TRY(follow(ctx, f, k));
        for (int64_t i = 0; i < STEPS; i++)
            for (int64_t c = 0; c < columns; c++)
                if (f->B[i * columns + c] != 0) {
                    in[i * d + f->feature[c]] = true;
                    lift(&f->s->score[f->feature[c]], f->l1[i]);
                }
    }
    for (int64_t j = 0; j < d; j++) lift(&f->s->score[j], 0);
out:
    return st;
}

/* The first k to enter; of those that enter at one step, the ones before. */
static smr_status keep_first(smr_ctx *ctx, struct path *f, bool *kept)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL, n = 0;
    TRY_NEW(order, f->s->n_features);
    TRY(smr_select_order(ctx, f->s, order));
    for (int64_t i = 0; i < f->p->k; i++) {
        if (!(f->s->score[order[i]] > 0)) break;
        kept[order[i]] = true;
        f->s->l1 = f->s->score[order[i]];
        n++;
    }
    if (n > 0 && n < f->p->k)
        smr_warn(ctx,
                 "select by=l1: %lld features were asked for and %lld ever enter; the others "
                 "add nothing to them",
                 (long long)f->p->k, (long long)n);
out:
    smr_free(order);
    return st;
}

static smr_status choose(smr_ctx *ctx, struct path *f, bool *kept)
{
    smr_status st = SMR_OK;
    int64_t d = f->s->n_features, best = STEPS - 1;
    bool *in = NULL;
    TRY_NEW(in, STEPS * d);
    if (f->parts.n_parts > 0) {
        TRY(validate(ctx, f));
        best = 0;
        for (int64_t i = 1; i < STEPS; i++)
            if (f->error[i] < f->error[best]) best = i;
    }
    TRY(enter(ctx, f, in));
    if (f->p->k > 0) {
        TRY(keep_first(ctx, f, kept));
        goto out;
    }
    f->s->l1 = f->l1[best];
    memcpy(kept, in + best * d, (size_t)d * sizeof *kept);
out:
    smr_free(in);
    return st;
}

smr_status smr_select_l1(smr_ctx *ctx, const struct smr_select_params *p, const smr_data *data,
                         struct smr_select_state *s, bool *kept)
{
    smr_status st = SMR_OK;
    struct path f = {.p = p, .data = data, .s = s};
    bool cv = p->l1 == 0 && p->k == 0;
    TRY(code_data(ctx, &f));
    smr_split_rows of = smr_data_split_rows(ctx, data);
    if (cv) TRY(smr_split_folds(ctx, &of, p->folds, &f.parts));
    TRY(smr_fold_grams_create(ctx, "select by=l1", &f.numbers.data, cv ? &f.parts : NULL, true,
                              &f.grams));
    TRY(smr_fold_gram_create(ctx, f.grams.m, &f.sum));
    smr_fold_grams_sum(&f.grams, -1, &f.sum);
    make_penalties(&f);
    TRY_NEW(f.B, STEPS * f.grams.d);
    TRY_NEW(f.out, STEPS);
    TRY(choose(ctx, &f, kept));
    s->n_fits = (cv ? f.grams.n + 1 : 1) * f.grams.q * STEPS;
out:
    smr_free(f.B);
    smr_free(f.out);
    smr_fold_gram_release(&f.sum);
    smr_fold_grams_release(&f.grams);
    smr_parts_release(&f.parts);
    smr_subset_release(&f.numbers);
    smr_free(f.y);
    smr_free(f.links);
    smr_free(f.feature);
    smr_free(f.columns);
    smr_member_release(&f.coding);
    return st;
}
