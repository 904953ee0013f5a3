/* threshold.c -- rules for a threshold: see threshold.h. */
#include "study/threshold.h"

#include "core/number.h"
#include "study/cv.h"
#include "study/judge.h"

#include <math.h>
#include <string.h>

/* ---- the rule as text ------------------------------------------------------------------- */

static const struct {
    const char *name;
    smr_threshold_kind kind;
} WORDS[] = {{"cost", SMR_THRESHOLD_COST},
             {"recall", SMR_THRESHOLD_RECALL},
             {"precision", SMR_THRESHOLD_PRECISION},
             {"fpr", SMR_THRESHOLD_FPR},
             {"f1", SMR_THRESHOLD_F1},
             {"youden", SMR_THRESHOLD_YOUDEN},
             {"share", SMR_THRESHOLD_SHARE}};

static const char RULES[] = "a number, cost=FP:FN, recall=R, precision=P, fpr=F, f1, youden, and "
                            "share=S of outliers";

static smr_status wrong_word(smr_ctx *ctx, const char *text, int64_t length)
{
    const char *names[SMR_COUNT(WORDS)];
    char word[32] = "";
    for (int64_t i = 0; i < SMR_COUNT(WORDS); i++) names[i] = WORDS[i].name;
    if (length < (int64_t)sizeof word) memcpy(word, text, (size_t)length);
    int64_t near = smr_nearest(word, names, SMR_COUNT(WORDS));
    if (near >= 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "--threshold: '%s' is not a rule; did you mean '%s'?",
                        text, names[near]);
    return smr_fail(ctx, SMR_ERR_PARAM, "--threshold: '%s' is not a rule; there are %s", text,
                    RULES);
}

/* "5:1": what a false positive and a false negative cost. */
static bool read_costs(const char *text, smr_threshold_rule *rule)
{
    const char *end = text + strlen(text), *at = smr_parse_double(text, end, &rule->cost_fp);
    if (!at || *at != ':' || smr_parse_double(at + 1, end, &rule->cost_fn) != end) return false;
    return rule->cost_fp >= 0 && rule->cost_fn >= 0 && isfinite(rule->cost_fp + rule->cost_fn) &&
           rule->cost_fp + rule->cost_fn > 0;
}

static smr_status read_value(smr_ctx *ctx, const char *text, const char *value,
                             smr_threshold_rule *rule)
{
    const char *end = value + strlen(value);
    if (rule->kind == SMR_THRESHOLD_COST) {
        if (read_costs(value, rule)) return SMR_OK;
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--threshold %s: two costs >= 0 are wanted, of a false positive and of a "
                        "false negative, such as cost=1:5",
                        text);
    }
    bool good = smr_parse_double(value, end, &rule->value) == end && rule->value >= 0 &&
                rule->value <= 1 && (rule->kind == SMR_THRESHOLD_FPR || rule->value > 0);
    if (good) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM, "--threshold %s: a share between 0 and 1 is wanted", text);
}

smr_status smr_threshold_parse(smr_ctx *ctx, const char *text, smr_threshold_rule *out)
{
    const char *end = text + strlen(text), *equals = strchr(text, '=');
    int64_t length = equals ? equals - text : end - text;
    *out = (smr_threshold_rule){0};
    if (length && smr_parse_double(text, end, &out->value) == end) {
        if (isfinite(out->value)) return SMR_OK;
        return smr_fail(ctx, SMR_ERR_PARAM, "--threshold: %s is not a finite number", text);
    }
    for (int64_t i = 0; i < SMR_COUNT(WORDS); i++) {
        if ((int64_t)strlen(WORDS[i].name) != length ||
            memcmp(WORDS[i].name, text, (size_t)length) != 0)
            continue;
        out->kind = WORDS[i].kind;
        bool needs = out->kind != SMR_THRESHOLD_F1 && out->kind != SMR_THRESHOLD_YOUDEN;
        if (needs != (equals != NULL))
            return smr_fail(ctx, SMR_ERR_PARAM, "--threshold: %s takes %s value; there are %s",
                            WORDS[i].name, needs ? "a" : "no", RULES);
        return needs ? read_value(ctx, text, equals + 1, out) : SMR_OK;
    }
    return wrong_word(ctx, text, length);
}

void smr_threshold_write(const smr_threshold_rule *rule, smr_text *out)
{
    if (rule->kind == SMR_THRESHOLD_GIVEN) {
        smr_text_number(out, rule->value);
        return;
    }
    for (int64_t i = 0; i < SMR_COUNT(WORDS); i++)
        if (WORDS[i].kind == rule->kind) smr_text_add(out, WORDS[i].name);
    if (rule->kind == SMR_THRESHOLD_COST) {
        smr_text_add(out, "=");
        smr_text_number(out, rule->cost_fp);
        smr_text_add(out, ":");
        smr_text_number(out, rule->cost_fn);
    } else if (rule->kind != SMR_THRESHOLD_F1 && rule->kind != SMR_THRESHOLD_YOUDEN) {
        smr_text_add(out, "=");
        smr_text_number(out, rule->value);
    }
}

smr_status smr_threshold_check(smr_ctx *ctx, const smr_threshold_rule *rule, const smr_target *t,
                               bool proba)
{
    bool shares = rule->kind == SMR_THRESHOLD_SHARE, outliers = t->task == SMR_TASK_OUTLIERS;
    if (outliers && rule->kind == SMR_THRESHOLD_GIVEN) return SMR_OK;
    if (outliers && shares)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--threshold: the share of outliers is that of the training rows: train "
                        "takes it, here it is a score");
    if (outliers)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--threshold: outliers are rows whose score is below a number, or below "
                        "that of share=S of the training rows; there is no other rule");
    if (shares && t->task == SMR_TASK_CLASSIFY)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--threshold: share=S is for outliers, and this model tells classes "
                        "apart; there are cost=FP:FN, recall=R, precision=P, fpr=F, f1 and youden");
    if (t->task != SMR_TASK_CLASSIFY)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "a threshold is for telling two classes apart, or outliers from other "
                        "rows; this model predicts %s",
                        t->task == SMR_TASK_NONE ? "nothing" : smr_judge_of(t->task)->predicts);
    if (t->classes.n != 2)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "a threshold is for telling two classes apart, and '%s' has %lld",
                        t->names[0], (long long)t->classes.n);
    if (rule->kind == SMR_THRESHOLD_GIVEN && proba && !(rule->value >= 0 && rule->value <= 1))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--threshold: this model gives probabilities, so from 0 to 1");
    return SMR_OK;
}

/* ---- choosing --------------------------------------------------------------------------- */

/* What the rule wants as much of as possible; a point that does not reach its target has -inf. */
static double worth(const smr_threshold_rule *rule, const smr_threshold_row *t)
{
    switch (rule->kind) {
    case SMR_THRESHOLD_GIVEN:
    case SMR_THRESHOLD_SHARE: return 0;
    case SMR_THRESHOLD_COST: return -(rule->cost_fp * t->fp + rule->cost_fn * t->fn);
    case SMR_THRESHOLD_RECALL: return t->tpr >= rule->value ? -t->fpr : -INFINITY;
    case SMR_THRESHOLD_PRECISION: return t->precision >= rule->value ? t->tpr : -INFINITY;
    case SMR_THRESHOLD_FPR: return t->fpr <= rule->value && t->tp + t->fp > 0 ? t->tpr : -INFINITY;
    case SMR_THRESHOLD_F1: return t->tp + t->fp > 0 ? t->f1 : -INFINITY;
    case SMR_THRESHOLD_YOUDEN: return t->tpr - t->fpr;
    }
    return 0;
}

/* Point i of the ranking as a row; its threshold half way to the next lower score, so that a score
 * in between goes to the nearer side.  Point 0 takes no row: just above the highest score. */
static smr_threshold_row row_of(const smr_ranking *r, int64_t i)
{
    smr_threshold_row t = smr_ranking_at(r, r->threshold[i]);
    if (i == 0)
        t.threshold = r->n > 1 ? nextafter(r->threshold[1], INFINITY) : 0;
    else if (i + 1 < r->n)
        t.threshold = r->threshold[i + 1] + 0.5 * (r->threshold[i] - r->threshold[i + 1]);
    if (i > 0 && i + 1 < r->n && !(t.threshold > r->threshold[i + 1]))
        t.threshold = r->threshold[i]; /* neighbours in floating point */
    return t;
}

static smr_status not_reached(smr_ctx *ctx, const smr_threshold_rule *rule, const smr_ranking *r)
{
    char wanted[SMR_NUMBER_MAX], reached[SMR_NUMBER_MAX], found[SMR_NUMBER_MAX];
    bool precision = rule->kind == SMR_THRESHOLD_PRECISION;
    smr_threshold_row best = smr_ranking_at(r, r->threshold[1]);
    for (int64_t i = 2; i < r->n; i++) {
        smr_threshold_row t = smr_ranking_at(r, r->threshold[i]);
        if (precision ? t.precision > best.precision : t.fpr < best.fpr) best = t;
    }
    smr_format_rounded(rule->value, 4, wanted);
    smr_format_rounded(precision ? best.precision : best.fpr, 4, reached);
    smr_format_rounded(best.tpr, 4, found);
    return smr_fail(ctx, SMR_ERR_DATA,
                    "no threshold reaches a %s of %s; the %s is %s, which finds the share %s of "
                    "the positives",
                    precision ? "precision" : "false positive rate", wanted,
                    precision ? "best" : "lowest that takes any row", reached, found);
}

smr_status smr_threshold_choose(smr_ctx *ctx, const smr_threshold_rule *rule, const smr_ranking *r,
                                smr_threshold_row *out)
{
    int64_t best = -1;
    double most = -INFINITY;
    if (rule->kind == SMR_THRESHOLD_GIVEN) {
        *out = smr_ranking_at(r, rule->value);
        return SMR_OK;
    }
    if (!(r->positives > 0 && r->negatives > 0))
        return smr_fail(ctx, SMR_ERR_DATA,
                        "a threshold can only be chosen on rows of both classes");
    for (int64_t i = 0; i < r->n; i++) {
        double tp = r->tp[i], fp = r->fp[i], fn = r->positives - tp;
        smr_threshold_row t = {.tp = tp,
                               .fp = fp,
                               .fn = fn,
                               .tpr = tp / r->positives,
                               .fpr = fp / r->negatives,
                               .precision = tp + fp > 0 ? tp / (tp + fp) : NAN,
                               .f1 = 2 * tp / (2 * tp + fp + fn)};
        double w = worth(rule, &t);
        if (w > most) {
            most = w;
            best = i;
        }
    }
    if (best < 0) return not_reached(ctx, rule, r);
    *out = row_of(r, best);
    return SMR_OK;
}

bool smr_threshold_of_outliers(const smr_threshold_rule *rule, smr_train_set *set)
{
    if (rule->kind != SMR_THRESHOLD_SHARE || set->target.task != SMR_TASK_OUTLIERS) return false;
    set->outlier_share = rule->value;
    return true;
}

/* ---- out of fold ------------------------------------------------------------------------ */

enum { FOLDS = 5 };

/* As many folds as the rarer class has rows, at most five. */
static smr_status count_folds(smr_ctx *ctx, const smr_train_set *on, int64_t *folds)
{
    int64_t count[2] = {0, 0};
    for (int64_t i = 0; i < on->n_rows; i++) count[on->label[smr_train_set_row(on, i)]]++;
    *folds = SMR_MIN(FOLDS, SMR_MIN(count[0], count[1]));
    if (*folds >= 2) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_DATA,
                    "a threshold is chosen on out-of-fold predictions, which needs two rows of "
                    "each class");
}

static smr_status cross_validate(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *on,
                                 smr_cv_scores *scores)
{
    smr_status st = SMR_OK;
    smr_cv_plan *plan = NULL;
    smr_cv_opts how = {.kind = SMR_CV_FOLDS};
    const smr_measure *one = smr_measure_find("accuracy", SMR_TASK_CLASSIFY);
    smr_cv_run_opts run = {.keep_predictions = true, .measures = &one, .n_measures = 1};
    smr_log_fn log = ctx->log; /* what these fits would warn of is not about the model kept */
    TRY(count_folds(ctx, on, &how.folds));
    ctx->log = NULL;
    TRY(smr_cv_plan_create(ctx, on, &how, &plan));
    TRY(smr_cv_run(ctx, spec, on, plan, &run, scores));
out:
    ctx->log = log;
    smr_cv_plan_free(plan);
    return st;
}

/* Every threshold's figures on out-of-fold predictions of the set's rows. */
static smr_status rank_out_of_fold(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *on,
                                   smr_ranking *out)
{
    smr_status st = SMR_OK;
    smr_cv_scores scores = {0};
    double *score = NULL, *weight = NULL;
    int32_t *label = NULL;
    TRY(cross_validate(ctx, spec, on, &scores));
    TRY_NEW(score, on->n_rows);
    TRY_NEW(label, on->n_rows);
    if (on->weight) TRY_NEW(weight, on->n_rows);
    for (int64_t i = 0; i < on->n_rows; i++) {
        int64_t row = smr_train_set_row(on, i);
        score[i] = scores.prediction[row * scores.width + on->target.positive];
        label[i] = on->label[row];
        if (weight) weight[i] = on->weight[row];
    }
    TRY(smr_ranking_make(ctx, on->n_rows, score, 1, label, on->target.positive, weight, out));
out:
    smr_cv_scores_release(&scores);
    smr_free(score);
    smr_free(label);
    smr_free(weight);
    return st;
}

smr_status smr_threshold_fit(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                             const int64_t *rows, int64_t n_rows, const smr_threshold_rule *rule,
                             smr_threshold_row *out, int64_t *used)
{
    smr_status st = SMR_OK;
    smr_ranking r = {0};
    smr_train_set on = *set; /* borrowed: never released */
    if (rows) {
        on.usable = (int64_t *)(uintptr_t)rows; /* read only */
        on.n_rows = n_rows;
    }
    on.spend = false; /* one part is fitted at a time */
    *used = 0;
    TRY(smr_threshold_check(ctx, rule, &set->target, false));
    if (rule->kind == SMR_THRESHOLD_GIVEN) {
        *out = (smr_threshold_row){.threshold = rule->value};
        return SMR_OK;
    }
    TRY(rank_out_of_fold(ctx, spec, &on, &r));
    TRY(smr_threshold_choose(ctx, rule, &r, out));
    *used = on.n_rows;
out:
    smr_ranking_release(&r);
    return st;
}

/* ---- reporting -------------------------------------------------------------------------- */

smr_status smr_threshold_keep(smr_ctx *ctx, const smr_threshold_rule *rule,
                              const smr_threshold_row *row, int64_t used, smr_target *target)
{
    smr_text how = {.ctx = ctx};
    if (rule->kind == SMR_THRESHOLD_GIVEN) {
        smr_text_add(&how, "given");
    } else {
        smr_threshold_write(rule, &how);
        smr_text_printf(&how, ", on the out-of-fold predictions of %lld row%s", (long long)used,
                        smr_plural(used, "", "s"));
    }
    smr_status st = smr_text_done(&how);
    if (st == SMR_OK) st = smr_target_set_threshold(ctx, target, row->threshold, how.bytes);
    smr_text_release(&how);
    return st;
}

smr_status smr_threshold_train(smr_ctx *ctx, const smr_spec *spec, smr_train_set *set,
                               const char *text, smr_model *model)
{
    smr_status st = SMR_OK;
    smr_threshold_rule rule;
    smr_threshold_row row;
    int64_t used;
    bool proba = smr_model_gives(model) & 1u << SMR_OUTPUT_PROBA;
    TRY(smr_threshold_parse(ctx, text, &rule));
    if (smr_threshold_of_outliers(&rule, set)) return SMR_OK; /* fitted with it */
    TRY(smr_threshold_check(ctx, &rule, &model->target, proba));
    TRY(smr_threshold_fit(ctx, spec, set, NULL, 0, &rule, &row, &used));
    TRY(smr_threshold_keep(ctx, &rule, &row, used, &model->target));
out:
    return st;
}

void smr_threshold_to_json(smr_ctx *ctx, const smr_threshold_rule *rule,
                           const smr_threshold_row *row, const char *chosen_on, int64_t used,
                           smr_json *into)
{
    smr_json *t = smr_json_add_object(into, "threshold");
    smr_text text = {.ctx = ctx};
    smr_threshold_write(rule, &text);
    smr_json_add_number(t, "value", row->threshold);
    smr_json_add_string(t, "rule", text.bytes ? text.bytes : "");
    if (chosen_on) smr_json_add_string(t, "chosen_on", chosen_on);
    smr_text_release(&text);
    if (rule->kind == SMR_THRESHOLD_GIVEN) return;
    smr_json_add_number(t, "rows", (double)used);
    smr_json_add_number(t, "tpr", row->tpr);
    smr_json_add_number(t, "fpr", row->fpr);
    smr_json_add_number(t, "precision", row->precision);
    smr_json_add_number(t, "f1", row->f1);
    smr_json_add_number(t, "accuracy", row->accuracy);
}
