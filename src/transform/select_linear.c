/* select_linear.c -- features by their weights in a linear fit: over a threshold, or not 0.
 *
 * Features are first coded as a linear learner needs them, in a member of their own: gaps filled,
 * categories as indicators, everything standardised, so that weights can be compared (sparse
 * features are only scaled).  A feature's weight is the largest |w| of its columns, over all
 * classes or targets.
 *
 *     weight   the weights of `of`, fitted on the coded features
 *     l1       min_w sum weight loss(y, b + x'w) + l1 |w|_1 along a path of penalties: half the
 *              square for numbers; for classes the logistic loss, of two or each against the rest
 *
 * The path falls from the penalty where all weights are 0 by 1000 times, in 60 steps, each from the
 * answer before; a feature's score is the largest penalty at which it is in.  Without l1 and k, the
 * penalty with the least loss on the folds is taken, among equals the larger.  Numbers go by Gram
 * matrices up to SMR_GRAM_MOST coded columns; beyond, and for classes, select_columns.c goes by
 * columns. */
#include "core/span.h"
#include "core/text.h"
#include "data/row_subset.h"
#include "kernel/kernel.h"
#include "learn/adapter.h"
#include "learn/chain.h"
#include "learn/linear/fold_grams.h"
#include "learn/member.h"
#include "learn/out_of_fold.h"
#include "learn/views.h"
#include "transform/select_path.h"

#include <math.h>
#include <string.h>

/* ---- coded columns ---------------------------------------------------------------------- */

/* The sentence before the learner: everything as numbers in comparable units. */
static smr_status write_coding(smr_ctx *ctx, const smr_data *data, smr_text *out)
{
    smr_status st = SMR_OK;
    smr_tailor next = {.sparse = smr_data_is_sparse(data)};
    if (!next.sparse && smr_data_has_categories(data)) {
        TRY(smr_adapter_write(ctx, SMR_NEED_NUMBERS, &next, out));
        smr_text_add(out, " | ");
    }
    TRY(smr_adapter_write(ctx, SMR_NEED_SCALED, &next, out));
out:
    return st;
}

/* feature[c] = the feature from which column c, an output of these stages, was made; *made_of_one
 * false: some column was made from several. */
static smr_status map_columns(smr_ctx *ctx, const smr_stage *stages, int64_t n_stages, int64_t d,
                              int32_t **feature, bool *made_of_one)
{
    smr_status st = SMR_OK;
    int64_t *from = NULL, n = 0;
    TRY(smr_stages_origins(ctx, stages, n_stages, d, &from, &n));
    TRY_NEW(*feature, n);
    for (int64_t c = 0; c < n; c++) {
        (*feature)[c] = (int32_t)from[c];
        *made_of_one &= from[c] >= 0;
    }
out:
    smr_free(from);
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
                    last->learner->word->name);
}

smr_status smr_select_weight(smr_ctx *ctx, const struct smr_select_params *p, const smr_data *data,
                             struct smr_select_state *s)
{
    smr_status st = SMR_OK;
    smr_member member = {0};
    smr_text sentence = {.ctx = ctx};
    int32_t *feature = NULL;
    smr_spec *of = NULL, *spec = NULL;
    bool made_of_one = true;
    TRY(smr_select_spec(ctx, p, data, &of));
    TRY(write_coding(ctx, data, &sentence));
    smr_text_add(&sentence, " | ");
    smr_spec_write(of, &sentence);
    TRY(smr_text_done(&sentence));
    TRY(smr_spec_parse(ctx, sentence.bytes, &spec));
    TRY(smr_member_fit(ctx, spec, data, &member, NULL));
    const smr_stage *last = smr_member_last(&member);
    smr_linear_view view = smr_stage_linear(last);
    TRY(map_columns(ctx, member.stages, member.n_stages - 1, data->n_features, &feature,
                    &made_of_one));
    if (!view.w || !made_of_one) TRY(no_weights(ctx, last));
    for (int64_t k = 0; k < view.n_scores; k++)
        for (int64_t c = 0; c < view.n_features; c++)
            lift(&s->score[feature[c]], fabs(view.w[k * view.n_features + c]));
    for (int64_t j = 0; j < s->n_features; j++) lift(&s->score[j], 0);
    s->n_fits = 1;
out:
    smr_spec_free(of);
    smr_spec_free(spec);
    smr_text_release(&sentence);
    smr_free(feature);
    smr_member_release(&member);
    return st;
}

/* ---- l1 --------------------------------------------------------------------------------- */

struct coded {
    const struct smr_select_params *p;
    const smr_data *data; /* as it came */
    struct smr_select_state *s;
    smr_member coding;
    smr_data *links;    /* the coded data: the last of them */
    smr_subset numbers; /* with numbers as targets */
    double *y;          /* n x q */
    smr_parts parts;
    int32_t *fold;    /* of each row; NULL: no folds */
    int32_t *feature; /* of each coded column */
    struct smr_select_path path;
    /* For a path by Gram matrices. */
    smr_fold_grams grams;
    smr_fold_gram sum;
    double *B;               /* steps x coded columns */
    smr_elastic_result *out; /* steps */
    int32_t *columns;        /* 0, 1, 2 ... */
};

static void release(struct coded *f)
{
    smr_free(f->B);
    smr_free(f->out);
    smr_free(f->path.in);
    smr_fold_gram_release(&f->sum);
    smr_fold_grams_release(&f->grams);
    smr_parts_release(&f->parts);
    smr_subset_release(&f->numbers);
    smr_free(f->y);
    smr_free(f->links);
    smr_free(f->fold);
    smr_free(f->feature);
    smr_free(f->columns);
    smr_member_release(&f->coding);
}

/* Codes the features; classes become indicators. */
static smr_status code_data(smr_ctx *ctx, struct coded *f)
{
    smr_status st = SMR_OK;
    const smr_data *data = f->data;
    bool classes = data->task == SMR_TASK_CLASSIFY;
    bool made_of_one = true; /* whatever coding does */
    smr_text sentence = {.ctx = ctx};
    int64_t n = data->n_rows, K = data->n_classes, q = classes ? (K == 2 ? 1 : K) : data->n_outputs;
    smr_spec *coding = NULL;
    TRY(write_coding(ctx, data, &sentence));
    TRY(smr_spec_parse(ctx, sentence.bytes, &coding));
    TRY(smr_member_fit(ctx, coding, data, &f->coding, NULL));
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
    TRY(map_columns(ctx, f->coding.stages, f->coding.n_stages, data->n_features, &f->feature,
                    &made_of_one));
out:
    smr_text_release(&sentence);
    smr_spec_free(coding);
    return st;
}

static smr_status open_path(smr_ctx *ctx, struct coded *f)
{
    smr_status st = SMR_OK;
    smr_split_rows of = smr_data_split_rows(ctx, f->data);
    f->path = (struct smr_select_path){.data = &f->numbers.data,
                                       .of_classes = f->data->task == SMR_TASK_CLASSIFY,
                                       .feature = f->feature,
                                       .n_features = f->s->n_features,
                                       .least = f->p->l1,
                                       .most_in = f->p->k};
    TRY_NEW(f->path.in, SMR_SELECT_STEPS * f->s->n_features);
    if (f->p->l1 > 0 || f->p->k > 0) return SMR_OK;
    TRY(smr_split_folds(ctx, &of, f->p->folds, &f->parts));
    TRY_NEW(f->fold, f->data->n_rows);
    for (int64_t p = 0; p < f->parts.n_parts; p++)
        for (int64_t i = 0; i < smr_part_size(&f->parts, p); i++)
            f->fold[smr_part_rows(&f->parts, p)[i]] = (int32_t)p;
    f->path.fold = f->fold;
    f->path.n_folds = f->parts.n_parts;
out:
    return st;
}

void smr_select_penalties(struct smr_select_path *path, double most)
{
    double least = path->least > 0 ? path->least : most * 1e-3;
    for (int64_t i = 0; i < SMR_SELECT_STEPS; i++)
        path->l1[i] = most > least && least > 0
                          ? most * smr_pow(least / most, (double)i / (double)(SMR_SELECT_STEPS - 1))
                          : smr_fmax(most, least);
}

/* ---- by Gram matrices: numbers ---------------------------------------------------------- */

/* The path of output k by the sum's matrix. */
static smr_status follow(smr_ctx *ctx, struct coded *f, int64_t k)
{
    smr_gram_problem problem = smr_fold_grams_problem(&f->grams, &f->sum, k);
    smr_elastic_opts opts = {.what = "choosing features", .tol = 1e-8};
    smr_elastic_path path = {.n = SMR_SELECT_STEPS, .l1 = f->path.l1};
    if (!(problem.yy > 0)) {
        memset(f->B, 0, (size_t)(SMR_SELECT_STEPS * problem.d) * sizeof *f->B);
        return SMR_OK;
    }
    return smr_elastic_gram_path(ctx, &problem, &opts, &path, f->B, f->out);
}

/* error[i] = squared error of step i on the rows of the folds. */
static smr_status validate(smr_ctx *ctx, struct coded *f)
{
    smr_status st = SMR_OK;
    int64_t d = f->grams.d;
    smr_span span;
    smr_span_open(ctx, &span, "fitting on folds", f->path.n_folds);
    for (int64_t p = 0; p < f->path.n_folds; p++) {
        TRY(smr_span_at(ctx, &span, p, NAN));
        smr_fold_grams_sum(&f->grams, p, &f->sum);
        for (int64_t k = 0; k < f->grams.q; k++) {
            TRY(follow(ctx, f, k));
            for (int64_t i = 0; i < SMR_SELECT_STEPS; i++)
                f->path.error[i] +=
                    smr_fold_grams_error(&f->grams, &f->sum, p, k, d, f->columns, f->B + i * d);
        }
    }
    smr_fold_grams_sum(&f->grams, -1, &f->sum);
out:
    smr_span_close(ctx, &span);
    return st;
}

static smr_status follow_grams(smr_ctx *ctx, struct coded *f)
{
    smr_status st = SMR_OK;
    int64_t d = f->numbers.data.n_features;
    double most = 0;
    TRY(smr_fold_grams_create(ctx, "select by=l1", &f->numbers.data,
                              f->path.n_folds ? &f->parts : NULL, true, &f->grams));
    TRY(smr_fold_gram_create(ctx, f->grams.m, &f->sum));
    TRY_NEW(f->B, SMR_SELECT_STEPS * d);
    TRY_NEW(f->out, SMR_SELECT_STEPS);
    TRY_NEW(f->columns, d);
    for (int64_t c = 0; c < d; c++) f->columns[c] = (int32_t)c;
    smr_fold_grams_sum(&f->grams, -1, &f->sum);
    for (int64_t k = 0; k < f->grams.q; k++) {
        smr_gram_problem problem = smr_fold_grams_problem(&f->grams, &f->sum, k);
        most = smr_fmax(most, smr_elastic_l1_max(problem.d, problem.c, NULL));
    }
    smr_select_penalties(&f->path, most);
    TRY(validate(ctx, f));
    for (int64_t k = 0; k < f->grams.q; k++) {
        TRY(follow(ctx, f, k));
        for (int64_t i = 0; i < SMR_SELECT_STEPS; i++)
            for (int64_t c = 0; c < d; c++)
                if (f->B[i * d + c] != 0) f->path.in[i * f->s->n_features + f->feature[c]] = true;
    }
    f->path.n_steps = SMR_SELECT_STEPS;
    f->path.n_fits = (f->path.n_folds + 1) * f->grams.q * SMR_SELECT_STEPS;
out:
    return st;
}

/* ---- what is kept ----------------------------------------------------------------------- */

/* The first k to enter; of those that enter at one step, the earlier ones. */
static smr_status keep_first(smr_ctx *ctx, struct coded *f, bool *kept)
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

static smr_status choose(smr_ctx *ctx, struct coded *f, bool *kept)
{
    const struct smr_select_path *p = &f->path;
    int64_t d = f->s->n_features, best = p->n_folds > 0 ? 0 : p->n_steps - 1;
    for (int64_t i = 0; i < p->n_steps; i++) {
        if (p->n_folds > 0 && p->error[i] < p->error[best]) best = i;
        for (int64_t j = 0; j < d; j++)
            if (p->in[i * d + j]) lift(&f->s->score[j], p->l1[i]);
    }
    for (int64_t j = 0; j < d; j++) lift(&f->s->score[j], 0);
    f->s->n_fits = p->n_fits;
    if (f->p->k > 0) return keep_first(ctx, f, kept);
    f->s->l1 = p->l1[best];
    memcpy(kept, p->in + best * d, (size_t)d * sizeof *kept);
    return SMR_OK;
}

smr_status smr_select_l1(smr_ctx *ctx, const struct smr_select_params *p, const smr_data *data,
                         struct smr_select_state *s, bool *kept)
{
    smr_status st = SMR_OK;
    struct coded f = {.p = p, .data = data, .s = s};
    TRY(code_data(ctx, &f));
    TRY(open_path(ctx, &f));
    bool by_columns = f.path.of_classes || f.numbers.data.n_features > SMR_GRAM_MOST;
    TRY(by_columns ? smr_select_walk(ctx, &f.path) : follow_grams(ctx, &f));
    TRY(choose(ctx, &f, kept));
out:
    release(&f);
    return st;
}
