/* calibrate.c -- probabilities that come true as often as they say.
 *
 * A learner's scores s, for rows that it was not fitted on, are mapped to probabilities by
 *
 *     platt         p = 1 / (1 + exp(-(a s + b)))                                          (1)
 *     isotonic      p = the non-decreasing function of s nearest to the answers             (2)
 *     temperature   p = softmax(z / T)                                                     (3)
 *
 * each fitted to the answers by its own criterion (maps.h).  The scores come from folds: every row
 * is scored by a member fitted without it, so that all rows serve both ends, and the member that
 * the model keeps is fitted on all rows.  Scores of rows that a member was fitted on would be too
 * sure, and a calibration on them would learn to believe that; hence there is no folds=0.
 *
 * s is the learner's decision score where it gives one, else its probability: as it is for
 * isotonic, its log-odds for platt, its logarithm for temperature, where probabilities are kept
 * away from 0 and 1 by 1 / (W + 2), W the weight of all rows: nothing that W rows support is surer.
 * What isotonic gives is kept away by its blocks' own weights (maps.h).
 * Two classes have one map, for the second class; more have one per class against the rest for (1)
 * and (2), whose answers are divided by their sum; where all are 0, the classes are equally
 * probable.  A class without rows has probability 0 and no say in the others'.
 *
 * Learners give two classes the scores -f and f.  The state's numbers belong to their difference,
 * 2 f; what is shown, and what (1) and (3) mean, belongs to f = s: a is twice and T half of what
 * the state says (calibrate_describe.c), and (3) has z = (0, f).
 *
 * Cost: folds + 1 fits of the member, and O(n classes) per iteration, or a sort.
 *
 * Symbols: n rows, k classes, W their weight, s scores, z the scores of all classes. */
#include "learn/uncertain/calibrate.h"
#include "kernel/kernel.h"
#include "learn/out_of_fold.h"
#include "learn/present.h"

#include <math.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice methods[] = {
    [SMR_CALIBRATE_PLATT] = {"platt",
                             "a sigmoid of the score: two parameters per class, good for few rows"},
    [SMR_CALIBRATE_ISOTONIC] = {"isotonic",
                                "any non-decreasing function: for about 1000 rows and more"},
    [SMR_CALIBRATE_TEMPERATURE] =
        {"temperature", "all scores divided by one number, which keeps the order of the classes"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct smr_calibrate_params, method), .def = SMR_CALIBRATE_PLATT, .choices = methods,
     .primary = true, .search = SMR_SEARCH_VALUES,
     .doc = "How scores are turned into probabilities."},
    {SMR_FIELD(struct smr_calibrate_params, folds), .def = 5, .min = 2, .max = 1000,
     .doc = "Number of folds; each fold is scored by a member fitted on the others."},
    {SMR_FIELD(struct smr_calibrate_params, of), .grammar = &smr_sentences, .least = 1, .most = 1,
     .doc = "The learner whose scores to calibrate."},
};

/* ---- state ------------------------------------------------------------------------------ */

static const smr_state state[] = {
    {SMR_KEPT(struct smr_calibrate_state, n_classes), .is = "classes", .min = 2, .doc = "Classes."},
    {SMR_KEPT(struct smr_calibrate_state, n_maps), .min = 1,
     .doc = "Maps: one for two classes or a temperature, else one per class."},
    {SMR_KEPT(struct smr_calibrate_state, n_offsets), .is = "n_maps + 1", .min = 2,
     .doc = "n_maps + 1."},
    {SMR_KEPT(struct smr_calibrate_state, n_knots), .min = 0, .doc = "Points of all maps."},
    {SMR_KEPT(struct smr_calibrate_state, from_scores), .min = 0, .max = 1,
     .doc = "1: from the member's decision scores, 0: from its probabilities."},
    {SMR_KEPT(struct smr_calibrate_state, floor), .reals = SMR_REALS_ABOVE_0,
     .doc = "The member's probabilities are clipped to at least this, and at most 1 minus this."},
    {SMR_KEPT(struct smr_calibrate_state, beta), .reals = SMR_REALS_FROM_0,
     .doc = "1 / T of a temperature T."},
    {SMR_KEPT(struct smr_calibrate_state, loss_before),
     .doc = "Log loss of the member's own probabilities, out of fold; NaN without any."},
    {SMR_KEPT(struct smr_calibrate_state, loss_after),
     .doc = "Log loss of the calibrated ones, on the same rows."},
    {SMR_KEPT(struct smr_calibrate_state, low), .doc = "Least score that was seen."},
    {SMR_KEPT(struct smr_calibrate_state, high), .doc = "Greatest score that was seen."},
    {SMR_KEPT(struct smr_calibrate_state, a), .with = "method=platt", .reals = SMR_REALS_FINITE,
     .dims = {"n_maps"}, .optional = true, .doc = "Platt: slopes."},
    {SMR_KEPT(struct smr_calibrate_state, b), .with = "method=platt", .reals = SMR_REALS_FINITE,
     .dims = {"n_maps"}, .optional = true, .doc = "Platt: intercepts."},
    {SMR_KEPT(struct smr_calibrate_state, offset), .with = "method=isotonic", .below = "n_knots",
     .order = SMR_ORDER_STARTS, .dims = {"n_offsets"}, .optional = true,
     .doc = "Isotonic: where a map's points begin."},
    {SMR_KEPT(struct smr_calibrate_state, knot_x), .with = "method=isotonic", .dims = {"n_knots"},
     .optional = true, .doc = "Isotonic: scores of the points, ascending in a map."},
    {SMR_KEPT(struct smr_calibrate_state, knot_y), .with = "method=isotonic", .dims = {"n_knots"},
     .optional = true, .doc = "Isotonic: probabilities there, non-decreasing in a map."},
    {SMR_KEPT(struct smr_calibrate_state, absent), .max = 1, .dims = {"n_classes"},
     .optional = true, .doc = "1 for classes without rows, where there are any."},
    {SMR_KEPT(struct smr_calibrate_state, of), .same = true,
     .doc = "The learner, fitted on all rows."},
};

/* ---- scores ----------------------------------------------------------------------------- */

/* What the member is asked for. */
static smr_output asked(const struct smr_calibrate_state *s)
{
    return s->from_scores ? SMR_OUTPUT_DECISION : SMR_OUTPUT_PROBA;
}

static double kept_away(double p, double floor)
{
    return smr_fmin(smr_fmax(p, floor), 1 - floor);
}

static bool is_absent(const struct smr_calibrate_state *s, int64_t c)
{
    return s->absent && s->absent[c];
}

/* The class that alone has rows besides class c; -1: there are more, or none. */
static int64_t only_other(const struct smr_calibrate_state *s, int64_t c)
{
    int64_t other = -1;
    for (int64_t k = 0; k < s->n_classes && (s->absent || s->n_classes == 2); k++) {
        if (k == c || is_absent(s, k)) continue;
        if (other >= 0) return -1;
        other = k;
    }
    return other;
}

/* The score of map m from a row of the member's answers. */
static double score_of(const struct smr_calibrate_params *p, const struct smr_calibrate_state *s,
                       const double *row, int64_t m)
{
    int64_t c = s->n_classes == 2 ? 1 : m;
    int64_t other = s->from_scores ? only_other(s, c) : -1;
    if (s->from_scores) return other >= 0 ? row[c] - row[other] : row[c];
    if (p->method == SMR_CALIBRATE_ISOTONIC) return row[c];
    double q = kept_away(row[c], s->floor);
    return smr_log(q / (1 - q));
}

/* What a temperature divides. */
static void logits(const struct smr_calibrate_state *s, const double *row, double *z)
{
    for (int64_t c = 0; c < s->n_classes; c++) {
        z[c] = s->from_scores ? row[c] : smr_log(kept_away(row[c], s->floor));
        if (is_absent(s, c)) z[c] = SMR_ABSENT;
    }
}

/* ---- predict: (1), (2), (3) ------------------------------------------------------------- */

static double map(const struct smr_calibrate_params *p, const struct smr_calibrate_state *s,
                  int64_t m, double score)
{
    if (p->method == SMR_CALIBRATE_PLATT) return smr_sigmoid(s->a[m] * score + s->b[m]);
    int64_t lo = s->offset[m], n = s->offset[m + 1] - lo;
    return smr_isotonic(n, s->knot_x + lo, s->knot_y + lo, score);
}

/* One row of the member's answers -> probabilities; `out` may be the row itself. */
static void calibrate_row(const struct smr_calibrate_params *p, const struct smr_calibrate_state *s,
                          const double *row, double *out)
{
    int64_t k = s->n_classes;
    if (p->method == SMR_CALIBRATE_TEMPERATURE) {
        logits(s, row, out);
        smr_softmax(k, out, s->beta, out);
        return;
    }
    if (k == 2) {
        double yes = map(p, s, 0, score_of(p, s, row, 0));
        out[0] = 1 - yes;
        out[1] = yes;
        return;
    }
    double sum = 0;
    int64_t there = 0;
    for (int64_t c = 0; c < k; c++) {
        out[c] = is_absent(s, c) ? 0 : map(p, s, c, score_of(p, s, row, c));
        sum += out[c];
        there += !is_absent(s, c);
    }
    for (int64_t c = 0; c < k; c++)
        out[c] = sum > 0 ? out[c] / sum : is_absent(s, c) ? 0 : 1 / (double)there;
}

static int64_t scratch(const void *params_, const void *state_, int64_t n)
{
    const struct smr_calibrate_state *s = state_;
    (void)params_;
    return smr_answers_bytes(n, s->n_classes) + smr_member_scratch(&s->of.member[0], n);
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch_)
{
    const struct smr_calibrate_state *s = state_;
    double *answers = scratch_;
    smr_status st = SMR_OK;
    (void)output;
    TRY(smr_member_predict(ctx, &s->of.member[0], rows, asked(s), answers,
                           (char *)scratch_ + smr_answers_bytes(rows->n, s->n_classes)));
    for (int64_t i = 0; i < rows->n; i++)
        calibrate_row(params_, s, answers + i * s->n_classes, out + i * s->n_classes);
out:
    return st;
}

/* ---- fit -------------------------------------------------------------------------------- */

/* Out-of-fold answers of the member, and what is made of them. */
struct fitting {
    const struct smr_calibrate_params *params;
    struct smr_calibrate_state *state;
    const smr_data *data;
    smr_fit_report *report;
    double *answers; /* n x k                                              */
    double *told;    /* n x k: probabilities, where answers are scores and the member has both */
    double *scores;  /* n x n_maps: row i of map m at i * n_maps + m; n x k for a temperature */
    double total;    /* weight */
};

static smr_status check_finite(smr_ctx *ctx, const struct fitting *f)
{
    int64_t n = f->data->n_rows * f->state->n_classes;
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(f->answers[i]))
            return smr_fail(ctx, SMR_ERR_NUMERIC,
                            "calibrate: a score of the learner is not a finite number");
    return SMR_OK;
}

static smr_status take_scores(smr_ctx *ctx, struct fitting *f)
{
    const struct smr_calibrate_params *p = f->params;
    struct smr_calibrate_state *s = f->state;
    int64_t n = f->data->n_rows, k = s->n_classes;
    bool temperature = p->method == SMR_CALIBRATE_TEMPERATURE;
    int64_t width = temperature ? k : s->n_maps;
    smr_status st = SMR_OK;
    TRY_NEW(f->scores, n * width);
    s->low = INFINITY;
    s->high = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        if (temperature) logits(s, f->answers + i * k, f->scores + i * k);
        for (int64_t m = 0; m < width; m++) {
            double *x = &f->scores[i * width + m];
            if (!temperature) *x = score_of(p, s, f->answers + i * k, m);
            if (k > 2 && is_absent(s, m)) continue;
            s->low = smr_fmin(s->low, *x);
            s->high = smr_fmax(s->high, *x);
        }
    }
out:
    return st;
}

static smr_scored rows_of_map(const struct fitting *f, int64_t m)
{
    return (smr_scored){.n = f->data->n_rows,
                        .x = f->scores + m,
                        .stride = f->state->n_maps,
                        .label = f->data->label,
                        .yes = f->state->n_classes == 2 ? 1 : (int32_t)m,
                        .weight = f->data->weight};
}

/* All classes step together, so that the training curve is one: the sum of their losses. */
static smr_status fit_platt(smr_ctx *ctx, struct fitting *f)
{
    enum { MOST_STEPS = 100 };
    struct smr_calibrate_state *s = f->state;
    smr_status st = SMR_OK;
    smr_scored *rows = NULL;
    smr_platt *maps = NULL;
    bool done = false;
    TRY_NEW(rows, s->n_maps);
    TRY_NEW(maps, s->n_maps);
    TRY_NEW(s->a, s->n_maps);
    TRY_NEW(s->b, s->n_maps);
    for (int64_t m = 0; m < s->n_maps; m++) {
        rows[m] = rows_of_map(f, m);
        if (is_absent(s, m))
            maps[m] = (smr_platt){.sd = 1, .converged = true};
        else
            smr_platt_begin(&rows[m], &maps[m]);
    }
    for (int t = 0; t < MOST_STEPS && !done; t++) {
        double loss = 0;
        done = true;
        TRY(smr_tick(ctx, "calibrating", t, MOST_STEPS, NAN));
        for (int64_t m = 0; m < s->n_maps; m++) {
            if (!maps[m].converged) smr_platt_step(&maps[m]);
            done = done && maps[m].converged;
            loss += maps[m].loss / f->total;
        }
        TRY(smr_fit_step(ctx, f->report, loss));
    }
    f->report->converged = done;
    for (int64_t m = 0; m < s->n_maps; m++) {
        smr_platt_end(&maps[m], &s->a[m], &s->b[m]);
        if (s->a[m] < 0)
            smr_warn(
                ctx,
                "calibrate: for class %lld a higher score means a lower probability; the learner's "
                "scores point the wrong way: check the target, or choose another learner",
                (long long)rows[m].yes);
    }
out:
    smr_free(rows);
    smr_free(maps);
    return st;
}

static smr_status fit_isotonic(smr_ctx *ctx, struct fitting *f)
{
    struct smr_calibrate_state *s = f->state;
    smr_status st = SMR_OK;
    double *x = NULL, *y = NULL;
    TRY_NEW(s->offset, s->n_offsets);
    TRY_NEW(s->knot_x, 1);
    TRY_NEW(s->knot_y, 1);
    for (int64_t m = 0; m < s->n_maps; m++) {
        smr_scored rows = rows_of_map(f, m);
        int64_t n = 0, at = s->n_knots;
        if (is_absent(s, m)) rows.n = 0;
        TRY(smr_isotonic_fit(ctx, &rows, &n, &x, &y));
        double *more_x = smr_realloc(ctx, s->knot_x, at + n + 1, sizeof *x);
        if (more_x) s->knot_x = more_x;
        double *more_y = more_x ? smr_realloc(ctx, s->knot_y, at + n + 1, sizeof *y) : NULL;
        if (more_y) s->knot_y = more_y;
        if (!more_y) {
            st = SMR_ERR_NOMEM;
            goto out;
        }
        memcpy(s->knot_x + at, x, (size_t)n * sizeof *x);
        memcpy(s->knot_y + at, y, (size_t)n * sizeof *y);
        s->offset[m + 1] = s->n_knots = at + n;
        smr_free(x);
        smr_free(y);
        x = y = NULL;
    }
out:
    smr_free(x);
    smr_free(y);
    return st;
}

static smr_status note_step(smr_ctx *ctx, void *user, double loss)
{
    const struct fitting *f = user;
    return smr_fit_step(ctx, f->report, loss / f->total);
}

static double log_loss(const struct fitting *f, const double *p)
{
    double loss = 0;
    int64_t k = f->state->n_classes;
    for (int64_t i = 0; i < f->data->n_rows; i++)
        loss -=
            smr_data_weight(f->data, i) * smr_log(smr_fmax(p[i * k + f->data->label[i]], 0x1p-52));
    return loss / f->total;
}

static smr_status fit_map(smr_ctx *ctx, struct fitting *f)
{
    struct smr_calibrate_state *s = f->state;
    int64_t k = s->n_classes;
    smr_status st = SMR_OK;
    TRY(check_finite(ctx, f));
    TRY(take_scores(ctx, f));
    smr_logits rows = {.n = f->data->n_rows,
                       .k = k,
                       .z = f->scores,
                       .label = f->data->label,
                       .weight = f->data->weight};
    switch (f->params->method) {
    case SMR_CALIBRATE_PLATT: TRY(fit_platt(ctx, f)); break;
    case SMR_CALIBRATE_ISOTONIC: TRY(fit_isotonic(ctx, f)); break;
    default: TRY(smr_temperature_fit(ctx, &rows, &s->beta, note_step, f));
    }
    const double *own = s->from_scores ? f->told : f->answers;
    s->loss_before = own ? log_loss(f, own) : NAN;
    for (int64_t i = 0; i < f->data->n_rows; i++)
        calibrate_row(f->params, s, f->answers + i * k, f->answers + i * k);
    s->loss_after = log_loss(f, f->answers);
    if (f->params->method == SMR_CALIBRATE_ISOTONIC) f->report->objective = s->loss_after;
out:
    return st;
}

static smr_status find_absent(smr_ctx *ctx, const smr_data *data, struct smr_calibrate_state *s)
{
    smr_status st = SMR_OK;
    smr_present present = {0};
    TRY(smr_present_find(ctx, data, &present));
    if (present.is_all) goto out;
    TRY_NEW(s->absent, data->n_classes);
    for (int64_t c = 0; c < data->n_classes; c++) s->absent[c] = present.place[c] < 0;
out:
    smr_present_release(&present);
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct smr_calibrate_params *p = params_;
    struct smr_calibrate_state *s = state_;
    struct fitting f = {.params = p, .state = s, .data = data, .report = report};
    smr_status st = SMR_OK;
    s->n_classes = data->n_classes;
    s->n_maps =
        data->n_classes == 2 || p->method == SMR_CALIBRATE_TEMPERATURE ? 1 : data->n_classes;
    s->n_offsets = s->n_maps + 1;
    for (int64_t i = 0; i < data->n_rows; i++) f.total += smr_data_weight(data, i);
    s->floor = 1 / (f.total + 2);
    TRY(find_absent(ctx, data, s));
    TRY(smr_members_create(ctx, 1, &s->of));
    TRY(smr_member_fit(ctx, p->of.spec[0], data, &s->of.member[0], NULL));
    unsigned gives = smr_member_gives(&s->of.member[0]);
    s->from_scores = (gives & SMR_GIVES_DECISION) != 0;
    TRY_NEW(f.answers, data->n_rows * s->n_classes);
    if (s->from_scores && (gives & SMR_GIVES_PROBA)) TRY_NEW(f.told, data->n_rows * s->n_classes);
    const smr_output outputs[] = {asked(s), SMR_OUTPUT_PROBA};
    double *const answers[] = {f.answers, f.told};
    TRY(smr_out_of_fold_each(ctx, p->of.spec[0], data, p->folds, 2, outputs, answers));
    TRY(fit_map(ctx, &f));
out:
    smr_free(f.answers);
    smr_free(f.told);
    smr_free(f.scores);
    return st;
}

/* ---- loading ---------------------------------------------------------------------------- */

static bool knots_ascend(const struct smr_calibrate_state *s)
{
    if (s->offset[0] != 0 || s->offset[s->n_maps] != s->n_knots) return false;
    for (int64_t m = 0; m < s->n_maps; m++) {
        if (s->offset[m + 1] < s->offset[m] || s->offset[m + 1] > s->n_knots) return false;
        for (int64_t i = s->offset[m]; i < s->offset[m + 1]; i++) {
            bool first = i == s->offset[m];
            if (!isfinite(s->knot_x[i]) || !(s->knot_y[i] >= 0 && s->knot_y[i] <= 1)) return false;
            if (!first && !(s->knot_x[i] > s->knot_x[i - 1] && s->knot_y[i] >= s->knot_y[i - 1]))
                return false;
        }
    }
    return true;
}

static bool map_is_sound(const struct smr_calibrate_params *p, const struct smr_calibrate_state *s)
{
    return s->floor <= 0.5 && (p->method != SMR_CALIBRATE_ISOTONIC || knots_ascend(s));
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_calibrate_params *p = params_;
    const struct smr_calibrate_state *s = state_;
    const smr_member *m = &s->of.member[0];
    int64_t maps = s->n_classes == 2 || p->method == SMR_CALIBRATE_TEMPERATURE ? 1 : s->n_classes;
    (void)shape;
    if (!(smr_member_gives(m) & 1u << asked(s)))
        return smr_fail(ctx, SMR_ERR_FORMAT, "calibrate: its learner does not give what it needs");
    if (s->n_maps != maps || !map_is_sound(p, s))
        return smr_fail(ctx, SMR_ERR_FORMAT, "calibrate: its map is damaged");
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

double smr_calibrate_map(const struct smr_calibrate_params *p, const struct smr_calibrate_state *s,
                         int64_t m, double score)
{
    return p->method == SMR_CALIBRATE_TEMPERATURE ? smr_sigmoid(s->beta * score)
                                                  : map(p, s, m, score);
}

static const smr_word about = {
    .name = "calibrate",
    .synonyms = "platt isotonic CalibratedClassifierCV",
    .family = "uncertain",
    .title = "Calibrated probabilities",
    .brief = "Turns a learner's scores into well-calibrated probabilities.",
    .objective = "platt: p = 1 / (1 + exp(-(a s + b))); isotonic: the non-decreasing p(s) nearest "
                 "to the answers; temperature: softmax(z / T)",
    .details =
        "The map is fitted on out-of-fold scores: every row is scored by a member fitted on the "
        "other folds, and the member that is kept is fitted on all rows. Folds keep the shares "
        "of the classes, and groups whole. A learner with decision scores is calibrated from "
        "them, any other from its probabilities. With more than two classes, each is calibrated "
        "against the rest, and the results are divided by their sum. isotonic is linear between "
        "its points and constant outside; its ends are kept away from 0 and 1 by 1 / (W + 2), "
        "where W is the weight of the rows there. The score of two classes is that of the "
        "second, and temperature is 1 / (1 + exp(-s / T)).",
    .reference = "Platt, Advances in Large Margin Classifiers, 1999; Zadrozny & Elkan, KDD 2002; "
                 "Guo et al., ICML 2017",
    .example =
        "samara train \"calibrate of=(standardize | knn 15)\" data/iris.csv --target species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_calibrate_params),
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_calibrate_state),
    .gives = SMR_GIVES_PROBA,
    .check = check,
    .predict = predict,
    .scratch = scratch,
    .describe = smr_calibrate_describe,
    .draw = smr_calibrate_figures,
};

const smr_learner smr_calibrate = {
    .word = &about,
    .tasks = SMR_DOES_CLASSIFY,
    .takes = SMR_TAKES_ANYTHING & ~SMR_TAKES_MANY_TARGETS,
    .traits = SMR_DRAWS_ROWS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
};
