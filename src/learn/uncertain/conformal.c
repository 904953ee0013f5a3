/* conformal.c -- intervals and sets that hold the answer as often as they say.
 *
 * The rows are divided at random: on the greater part a member is fitted, on the other it is put to
 * the test.  A score says how badly an answer y fits the row x; with q the (n + 1)(coverage) / n
 * quantile of the test rows' scores (conformal_quantile.h), a new row gets all answers whose score
 * is at most q, and the right one is among them with probability at least `coverage` over the draw
 * of all rows.  This needs no assumption except that the rows are exchangeable; a poor member gives
 * wide answers, not wrong ones.
 *
 *     absolute    s = |y - f(x)|                        f(x) -+ q                            (1)
 *     scaled      s = |y - f(x)| / (m + g(x))           f(x) -+ q (m + g(x))                 (2)
 *     proba       s = 1 - p_y(x)                        {c : p_c >= 1 - q}                   (3)
 *     adaptive    s = sum of the p_c above p_y          {c : the more probable weigh <= q}   (4)
 *
 * g in (2) is a second member that predicts |y - f(x)|, fitted on residuals of the greater part's
 * rows out of fold (residuals of rows that f was fitted on would be too small), and taken as at
 * least 0.  Alone it would give scores without bound where it is near 0, and a tenth of such rows
 * would make all intervals wide; so m is added, of 0.1, 0.3, 1, 3, 10 and 100 times the mean
 * residual the one that makes intervals of 0.9 least wide on these rows, with g out of fold
 * too.  The member that is kept is fitted to m + |y - f(x)|.  (3) gives the smallest sets on
 * average, and may give none at all; (4) gives larger sets to harder rows, and always holds the
 * most probable class.  No random number enters (4): the same row gets the same set.  With
 * by_class there is a q for each class, and the promise holds within each class.
 *
 * The member is not fitted again on all rows: the promise holds for the one that was tested.
 * Classes are not spread evenly over the two parts, unless by_class, since that would break the
 * exchangeability; groups stay whole.  Too few rows for the coverage: q is infinite, with a
 * warning.
 *
 * Cost: one fit (scaled: twelve), a prediction of the test rows, a sort.
 *
 * References: Vovk, Gammerman & Shafer, Algorithmic Learning in a Random World, 2005; Papadopoulos,
 * Vovk & Gammerman, JAIR 40 (2011); Sadinle, Lei & Wasserman, JASA 114 (2019); Romano, Sesia &
 * Candes, NeurIPS 2020. */
#include "core/number.h"
#include "data/row_subset.h"
#include "learn/out_of_fold.h"
#include "learn/uncertain/conformal_quantile.h"

#include <math.h>
#include <string.h>

enum { FOLDS = 5 }; /* of the residuals */
/* The coverage for which m is chosen: one for all, so that more coverage holds less. */
static const double USUAL = 0.9;

/* ---- parameters ------------------------------------------------------------------------- */

enum { SCORE_AUTO, SCORE_ABSOLUTE, SCORE_SCALED, SCORE_PROBA, SCORE_ADAPTIVE };

struct conformal_params {
    double coverage, share;
    int score;
    bool by_class;
    smr_specs of, spread;
};

static const smr_choice scores[] = {
    [SCORE_AUTO] = {"auto", "absolute for numbers, proba for classes"},
    [SCORE_ABSOLUTE] = {"absolute", "numbers: intervals of the same width for all rows"},
    [SCORE_SCALED] = {"scaled", "numbers: wider where a second learner expects larger errors"},
    [SCORE_PROBA] = {"proba",
                     "classes: all that are probable enough; the smallest sets, possibly empty"},
    [SCORE_ADAPTIVE] = {"adaptive",
                        "classes: the most probable ones, more of them for difficult rows"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct conformal_params, coverage), .def = 0.9, .min = 0, .max = 1, .min_open = true,
     .max_open = true, .primary = true,
     .doc = "Share of the intervals or sets that should contain the true answer."},
    {SMR_FIELD(struct conformal_params, share), .def = 0.25, .min = 0, .max = 1, .min_open = true,
     .max_open = true,
     .doc = "Share of the rows set aside for calibration, on which the member is not fitted."},
    {SMR_FIELD(struct conformal_params, score), .def = SCORE_AUTO, .choices = scores,
     .doc = "How to measure how badly a prediction misses."},
    {SMR_FIELD(struct conformal_params, by_class), .tasks = SMR_DOES_CLASSIFY, .def = false,
     .doc = "For classes: guarantee the coverage within each class, not only overall."},
    {SMR_FIELD(struct conformal_params, of), .grammar = &smr_sentences, .least = 1, .most = 1,
     .doc = "The learner whose predictions get intervals or sets."},
    {SMR_FIELD(struct conformal_params, spread), .grammar = &smr_sentences, .least = 0, .most = 1,
     .when = "score=scaled", .member_tasks = SMR_DOES_REGRESS,
     .doc = "The learner that predicts the size of the errors; default: the same as of."},
};

/* ---- state ------------------------------------------------------------------------------ */

struct conformal_state {
    int64_t score;
    int64_t n_outputs, n_classes, n_quantiles;
    double rows;   /* weight of those tested on */
    double *q;     /* n_quantiles               */
    double *least; /* scaled: n_outputs, the least spread */
    smr_members of, spread;
};

static const smr_state state[] = {
    {SMR_KEPT(struct conformal_state, score), .min = SCORE_ABSOLUTE, .max = SCORE_ADAPTIVE,
     .doc = "1 absolute, 2 scaled, 3 proba, 4 adaptive."},
    {SMR_KEPT(struct conformal_state, n_outputs), .is = "targets", .min = 0,
     .doc = "Targets; 0 for classes."},
    {SMR_KEPT(struct conformal_state, n_classes), .is = "classes", .min = 0,
     .doc = "Classes; 0 for numbers."},
    {SMR_KEPT(struct conformal_state, n_quantiles), .min = 1,
     .doc = "Quantiles: one per target, or one for all classes, or one per class."},
    {SMR_KEPT(struct conformal_state, rows), .doc = "Weight of the rows that were tested on."},
    {SMR_KEPT(struct conformal_state, q), .reals = SMR_REALS_NOT_NAN, .dims = {"n_quantiles"},
     .doc = "Quantiles of the scores; infinite where the rows were too few."},
    {SMR_KEPT(struct conformal_state, least), .reals = SMR_REALS_ABOVE_0, .dims = {"n_outputs"},
     .optional = true,
     .doc = "Scaled: the smallest size of errors that is assumed, for each target."},
    {SMR_KEPT(struct conformal_state, of), .same = true,
     .doc = "The learner, fitted on the other rows."},
    {SMR_KEPT(struct conformal_state, spread), .optional = true,
     .doc = "Scaled: the learner of the errors' size."},
};

/* ---- scores ----------------------------------------------------------------------------- */

/* (4): what comes before class c. */
static double mass_above(const double *p, int64_t k, int64_t c)
{
    double sum = 0;
    for (int64_t j = 0; j < k; j++)
        if (p[j] > p[c]) sum += p[j];
    return sum;
}

static double class_score(const struct conformal_state *s, const double *p, int64_t c)
{
    return s->score == SCORE_ADAPTIVE ? mass_above(p, s->n_classes, c) : 1 - p[c];
}

/* ---- predict ---------------------------------------------------------------------------- */

static int64_t scratch(const void *params_, const void *state_, int64_t n)
{
    const struct conformal_state *s = state_;
    int64_t members = smr_member_scratch(&s->of.member[0], n);
    (void)params_;
    if (s->spread.n) members = SMR_MAX(members, smr_member_scratch(&s->spread.member[0], n));
    return 2 * smr_answers_bytes(n, SMR_MAX(s->n_outputs, s->n_classes)) + members;
}

/* out: n x n_outputs x 2, from values and, scaled, the errors' size. */
static void make_intervals(const struct conformal_state *s, int64_t n, const double *value,
                           const double *spread, double *out)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < s->n_outputs; j++) {
            int64_t at = i * s->n_outputs + j;
            double half = s->q[j];
            if (spread) half *= smr_fmax(spread[at], s->least[j]);
            out[2 * at] = value[at] - half;
            out[2 * at + 1] = value[at] + half;
        }
}

static void make_sets(const struct conformal_state *s, int64_t n, const double *p, double *out)
{
    int64_t k = s->n_classes;
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < k; c++) {
            double q = s->q[s->n_quantiles > 1 ? c : 0];
            out[i * k + c] = class_score(s, p + i * k, c) <= q;
        }
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch_)
{
    const struct conformal_state *s = state_;
    const smr_member *of = &s->of.member[0];
    int64_t part = smr_answers_bytes(rows->n, SMR_MAX(s->n_outputs, s->n_classes));
    double *first = scratch_, *second = (double *)(void *)((char *)scratch_ + part);
    char *rest = (char *)scratch_ + 2 * part;
    smr_status st = SMR_OK;
    (void)params_;
    if (output == SMR_OUTPUT_VALUE || output == SMR_OUTPUT_PROBA)
        return smr_member_predict(ctx, of, rows, output, out, rest);
    bool classes = output == SMR_OUTPUT_SET;
    TRY(smr_member_predict(ctx, of, rows, classes ? SMR_OUTPUT_PROBA : SMR_OUTPUT_VALUE, first,
                           rest));
    if (s->spread.n)
        TRY(smr_member_predict(ctx, &s->spread.member[0], rows, SMR_OUTPUT_VALUE, second, rest));
    if (classes)
        make_sets(s, rows->n, first, out);
    else
        make_intervals(s, rows->n, first, s->spread.n ? second : NULL, out);
out:
    return st;
}

/* ---- fit -------------------------------------------------------------------------------- */

struct fitting {
    const struct conformal_params *params;
    struct conformal_state *state;
    smr_subset train, test;
    double *answers; /* of the test rows */
    double *spread;
    double *scores;
};

static smr_status choose_score(smr_ctx *ctx, const struct conformal_params *p, smr_task task,
                               struct conformal_state *s)
{
    bool classify = task == SMR_TASK_CLASSIFY;
    s->score = p->score;
    if (p->score == SCORE_AUTO) s->score = classify ? SCORE_PROBA : SCORE_ABSOLUTE;
    if (classify != (s->score >= SCORE_PROBA))
        return smr_fail(ctx, SMR_ERR_PARAM, "conformal: score=%s is for %s; use %s",
                        scores[p->score].name, classify ? "numbers" : "classes",
                        classify ? "proba or adaptive" : "absolute or scaled");
    return SMR_OK;
}

static smr_status divide(smr_ctx *ctx, const smr_data *data, struct fitting *f)
{
    smr_status st = SMR_OK;
    smr_parts parts = {0};
    smr_split_rows of = smr_data_split_rows(ctx, data);
    if (!f->params->by_class) of.label = NULL;
    TRY(smr_split_holdout(ctx, &of, &f->params->share, 1, &parts));
    TRY(smr_subset_make(ctx, data, smr_part_rows(&parts, 0), smr_part_size(&parts, 0), NULL,
                        &f->train));
    TRY(smr_subset_make(ctx, data, smr_part_rows(&parts, 1), smr_part_size(&parts, 1), NULL,
                        &f->test));
out:
    smr_parts_release(&parts);
    return st;
}

/* Of the rows of the greater part, by targets, both out of fold. */
struct errors {
    double *size;  /* |y - f(x)|             */
    double *guess; /* what g says about them */
};

/* The mean width, up to a factor, of (2) with this m: q (m + g), g and the errors out of fold. */
static smr_status width_with(smr_ctx *ctx, const struct fitting *f, const struct errors *e,
                             int64_t j, double m, double *score, double *out)
{
    const smr_data *train = &f->train.data;
    int64_t t = train->n_outputs;
    smr_tested rows = {.n = train->n_rows, .score = score, .weight = train->weight};
    smr_status st = SMR_OK;
    double q = 0, sum = 0, total = 0;
    for (int64_t i = 0; i < rows.n; i++)
        score[i] = e->size[i * t + j] / (m + smr_fmax(0, e->guess[i * t + j]));
    TRY(smr_conformal_quantile(ctx, &rows, USUAL, &q, NULL));
    for (int64_t i = 0; i < rows.n; i++) {
        double w = smr_data_weight(train, i);
        sum += w * (m + smr_fmax(0, e->guess[i * t + j]));
        total += w;
    }
    *out = q * sum / total;
out:
    return st;
}

/* The m of target j: of some shares of the mean error, the one with the least width. */
static smr_status choose_offset(smr_ctx *ctx, const struct fitting *f, const struct errors *e,
                                int64_t j, double mean, double *score, double *out)
{
    static const double shares[] = {0.1, 0.3, 1, 3, 10, 100};
    smr_status st = SMR_OK;
    double least = INFINITY, width = 0;
    *out = mean;
    for (int64_t k = 0; k < SMR_COUNT(shares); k++) {
        TRY(width_with(ctx, f, e, j, shares[k] * mean, score, &width));
        if (!(width < least)) continue;
        least = width;
        *out = shares[k] * mean;
    }
out:
    return st;
}

/* The sizes of the residuals out of fold, and their means. */
static void take_sizes(const smr_data *train, double *size, double *mean)
{
    int64_t n = train->n_rows, t = train->n_outputs;
    double total = 0;
    for (int64_t i = 0; i < n; i++) {
        double w = smr_data_weight(train, i);
        total += w;
        for (int64_t j = 0; j < t; j++) {
            size[i * t + j] = fabs(train->y[i * t + j] - size[i * t + j]);
            mean[j] += w * size[i * t + j];
        }
    }
    for (int64_t j = 0; j < t; j++) {
        mean[j] /= total;
        if (!(mean[j] > 0)) mean[j] = 1; /* no error at all: as absolute */
    }
}

/* (2): the member of the errors' size, from residuals out of fold; it says m + g. */
static smr_status fit_spread(smr_ctx *ctx, struct fitting *f)
{
    const struct conformal_params *p = f->params;
    struct conformal_state *s = f->state;
    const smr_data *train = &f->train.data;
    const smr_spec *spread = p->spread.n ? p->spread.spec[0] : p->of.spec[0];
    int64_t n = train->n_rows, t = train->n_outputs, folds = SMR_MIN(FOLDS, n);
    smr_status st = SMR_OK;
    smr_subset sizes = {0}, moved = {0};
    double *score = NULL;
    struct errors e = {0};
    TRY_NEW(e.size, n * t);
    TRY_NEW(e.guess, n * t);
    TRY_NEW(score, n);
    TRY_NEW(s->least, t);
    TRY(smr_out_of_fold(ctx, p->of.spec[0], train, folds, SMR_OUTPUT_VALUE, e.size));
    take_sizes(train, e.size, s->least);
    smr_subset_with with = {.task = SMR_TASK_REGRESS, .y = e.size, .n_outputs = t};
    TRY(smr_subset_make(ctx, train, NULL, n, &with, &sizes));
    TRY(smr_out_of_fold(ctx, spread, &sizes.data, folds, SMR_OUTPUT_VALUE, e.guess));
    for (int64_t j = 0; j < t; j++) {
        TRY(choose_offset(ctx, f, &e, j, s->least[j], score, &s->least[j]));
        for (int64_t i = 0; i < n; i++) e.guess[i * t + j] = e.size[i * t + j] + s->least[j];
    }
    with.y = e.guess;
    TRY(smr_subset_make(ctx, train, NULL, n, &with, &moved));
    TRY(smr_members_create(ctx, 1, &s->spread));
    TRY(smr_member_fit(ctx, spread, &moved.data, &s->spread.member[0], NULL));
out:
    smr_subset_release(&sizes);
    smr_subset_release(&moved);
    smr_free(e.size);
    smr_free(e.guess);
    smr_free(score);
    return st;
}

static smr_status fit_members(smr_ctx *ctx, struct fitting *f)
{
    struct conformal_state *s = f->state;
    smr_status st = SMR_OK;
    TRY(smr_members_create(ctx, 1, &s->of));
    TRY(smr_member_fit(ctx, f->params->of.spec[0], &f->train.data, &s->of.member[0], NULL));
    if (s->n_classes && !(smr_member_gives(&s->of.member[0]) & SMR_GIVES_PROBA))
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "conformal: %s gives no probabilities; calibrate it: of=(calibrate "
                        "of=(%s))",
                        smr_member_last(&s->of.member[0])->learner->word->name,
                        smr_member_last(&s->of.member[0])->learner->word->name);
    if (s->score == SCORE_SCALED) TRY(fit_spread(ctx, f));
out:
    return st;
}

/* ---- the test rows' scores -------------------------------------------------------------- */

static smr_status ask_members(smr_ctx *ctx, struct fitting *f)
{
    const struct conformal_state *s = f->state;
    const smr_data *test = &f->test.data;
    int64_t width = SMR_MAX(s->n_outputs, s->n_classes);
    smr_output output = s->n_classes ? SMR_OUTPUT_PROBA : SMR_OUTPUT_VALUE;
    smr_status st = SMR_OK;
    TRY_NEW(f->answers, test->n_rows * width);
    TRY_NEW(f->scores, test->n_rows);
    TRY(smr_member_apply(ctx, &s->of.member[0], test, output, f->answers));
    if (!s->spread.n) return SMR_OK;
    TRY_NEW(f->spread, test->n_rows * width);
    TRY(smr_member_apply(ctx, &s->spread.member[0], test, SMR_OUTPUT_VALUE, f->spread));
out:
    return st;
}

/* For target j, or for classes. */
static void score_rows(const struct fitting *f, int64_t j)
{
    const struct conformal_state *s = f->state;
    const smr_data *test = &f->test.data;
    for (int64_t i = 0; i < test->n_rows; i++) {
        if (s->n_classes) {
            f->scores[i] = class_score(s, f->answers + i * s->n_classes, test->label[i]);
        } else {
            int64_t at = i * s->n_outputs + j;
            f->scores[i] = fabs(test->y[at] - f->answers[at]);
            if (f->spread) f->scores[i] /= smr_fmax(f->spread[at], s->least[j]);
        }
    }
}

static void warn_of_few_rows(smr_ctx *ctx, const struct fitting *f, int64_t n_infinite,
                             double least)
{
    const struct conformal_state *s = f->state;
    char coverage[SMR_NUMBER_MAX], share[SMR_NUMBER_MAX];
    double needed = smr_conformal_least(f->params->coverage);
    smr_format_double(f->params->coverage, coverage);
    smr_format_double(f->params->share, share);
    if (s->n_quantiles > 1 && s->n_classes)
        smr_warn(ctx,
                 "conformal: %lld %s too few test rows (%lld at least) for a coverage of "
                 "%s, which needs %lld of each, so every set contains them; lower the coverage, "
                 "raise share, or leave out by_class",
                 (long long)n_infinite, smr_plural(n_infinite, "class has", "classes have"),
                 (long long)least, coverage, (long long)needed);
    else
        smr_warn(ctx,
                 "conformal: %lld test %s too few for a coverage of %s, which needs %lld, so %s; "
                 "lower the coverage or raise share (now %s); at this share %lld rows in "
                 "all suffice",
                 (long long)s->rows, smr_plural((int64_t)s->rows, "row is", "rows are"), coverage,
                 (long long)needed,
                 s->n_classes ? "every set contains all classes" : "all intervals are infinite",
                 share, (long long)ceil(needed / f->params->share));
}

static smr_status find_quantiles(smr_ctx *ctx, struct fitting *f)
{
    struct conformal_state *s = f->state;
    const smr_data *test = &f->test.data;
    int64_t n_infinite = 0;
    double least = INFINITY;
    smr_status st = SMR_OK;
    bool by_class = s->n_classes && f->params->by_class;
    TRY(ask_members(ctx, f));
    for (int64_t i = 0; i < test->n_rows; i++) s->rows += smr_data_weight(test, i);
    TRY_NEW(s->q, s->n_quantiles);
    for (int64_t j = 0; j < s->n_quantiles; j++) {
        double weight = 0;
        score_rows(f, j);
        for (int64_t i = 0; i < test->n_rows; i++)
            if (!isfinite(f->scores[i]))
                return smr_fail(ctx, SMR_ERR_NUMERIC,
                                "conformal: an answer of the learner is not a finite number");
        smr_tested rows = {.n = test->n_rows,
                           .score = f->scores,
                           .weight = test->weight,
                           .pick = by_class ? test->label : NULL,
                           .which = (int32_t)j};
        TRY(smr_conformal_quantile(ctx, &rows, f->params->coverage, &s->q[j], &weight));
        n_infinite += s->q[j] == INFINITY;
        least = smr_fmin(least, weight);
    }
    if (n_infinite) warn_of_few_rows(ctx, f, n_infinite, least);
out:
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct conformal_params *p = params_;
    struct conformal_state *s = state_;
    struct fitting f = {.params = p, .state = s};
    smr_status st = SMR_OK;
    bool classify = data->task == SMR_TASK_CLASSIFY;
    (void)report;
    TRY(choose_score(ctx, p, data->task, s));
    s->n_classes = classify ? data->n_classes : 0;
    s->n_outputs = classify ? 0 : data->n_outputs;
    s->n_quantiles = !classify ? data->n_outputs : p->by_class ? data->n_classes : 1;
    TRY(divide(ctx, data, &f));
    TRY(fit_members(ctx, &f));
    TRY(find_quantiles(ctx, &f));
out:
    smr_subset_release(&f.train);
    smr_subset_release(&f.test);
    smr_free(f.answers);
    smr_free(f.spread);
    smr_free(f.scores);
    return st;
}

/* ---- loading ---------------------------------------------------------------------------- */

static bool gives(const smr_member *m, smr_task task, int64_t outputs, int64_t classes,
                  smr_output output)
{
    bool fits = m->shape.task == task && m->shape.n_classes == classes;
    if (task == SMR_TASK_REGRESS) fits = fits && m->shape.n_outputs == outputs;
    return fits && !m->features && (smr_member_gives(m) & 1u << output);
}

static bool members_fit(const struct conformal_state *s, const smr_shape *shape)
{
    bool classify = shape->task == SMR_TASK_CLASSIFY, scaled = s->score == SCORE_SCALED;
    if (!gives(&s->of.member[0], shape->task, s->n_outputs, s->n_classes,
               classify ? SMR_OUTPUT_PROBA : SMR_OUTPUT_VALUE))
        return false;
    if ((s->spread.n == 1) != scaled || !!s->least != scaled) return false;
    return !scaled ||
           gives(&s->spread.member[0], SMR_TASK_REGRESS, s->n_outputs, 0, SMR_OUTPUT_VALUE);
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct conformal_params *p = params_;
    const struct conformal_state *s = state_;
    bool classify = shape->task == SMR_TASK_CLASSIFY;
    int64_t quantiles = !classify ? s->n_outputs : p->by_class ? s->n_classes : 1;
    if (s->n_quantiles != quantiles)
        return smr_fail(ctx, SMR_ERR_FORMAT, "conformal has %lld quantiles, and needs %lld",
                        (long long)s->n_quantiles, (long long)quantiles);
    if (classify != (s->score >= SCORE_PROBA) || !members_fit(s, shape))
        return smr_fail(ctx, SMR_ERR_FORMAT, "conformal: its learners do not give what it needs");
    for (int64_t j = 0; j < s->n_quantiles; j++)
        if (!classify && s->q[j] < 0)
            return smr_fail(ctx, SMR_ERR_FORMAT, "conformal: a quantile is below 0");
    return SMR_OK;
}

/* ---- describe --------------------------------------------------------------------------- */

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct conformal_params *p = params_;
    const struct conformal_state *s = state_;
    (void)ctx, (void)in, (void)n_in;
    smr_json_add_number(into, "coverage", p->coverage);
    smr_json_add_string(into, "score", scores[s->score].name);
    smr_json_add_number(into, "test_rows", s->rows);
    smr_json *list = smr_json_add_array(into, "quantiles");
    for (int64_t j = 0; j < s->n_quantiles; j++) {
        smr_json *row = smr_json_add_object(list, NULL);
        bool classes = s->n_classes > 0;
        if (s->n_quantiles > 1) smr_json_add_number(row, classes ? "class" : "target", (double)j);
        smr_json_add_number(row, "quantile", s->q[j]);
        smr_json_add_bool(row, "infinite", s->q[j] == INFINITY);
    }
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "conformal",
    .family = "uncertain",
    .title = "Conformal intervals and sets",
    .brief =
        "Gives any learner prediction intervals, or sets of classes, with guaranteed coverage.",
    .objective = "all answers y with s(x, y) <= q, q the ceil((n + 1) coverage)-th smallest score "
                 "of n test rows",
    .details =
        "Split-conformal: the learner is fitted on one part of the rows and tested on the other, "
        "and the fitted learner is kept as it is. If the rows are exchangeable, the true answer "
        "is covered with probability at least coverage, for any learner and any distribution. "
        "Values and probabilities are the learner's own; --interval asks for intervals or sets. "
        "If there are too few test rows for the coverage, intervals are infinite, and a warning "
        "says how many rows are needed. The guarantee is an average over all rows; with "
        "by_class=yes it holds within each class.",
    .reference = "Vovk, Gammerman & Shafer, Algorithmic Learning in a Random World, 2005; Romano, "
                 "Sesia & Candes, NeurIPS 2020",
    .example =
        "samara train \"conformal 0.9 of=(standardize | ridge 1)\" data/diabetes.csv --target "
        "progression",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct conformal_params),
};

static double promised(const void *params_)
{
    return ((const struct conformal_params *)params_)->coverage;
}

static const smr_can_explain explains = {
    .promised = promised,
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct conformal_state),
    .gives = SMR_GIVES_VALUE | SMR_GIVES_PROBA | SMR_GIVES_INTERVAL | SMR_GIVES_SET,
    .check = check,
    .predict = predict,
    .scratch = scratch,
    .describe = describe,
    .explain = &explains,
};

const smr_learner smr_conformal = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS,
    .takes = SMR_TAKES_ANYTHING,
    .traits = SMR_DRAWS_ROWS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
};
