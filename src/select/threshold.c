/* threshold.c -- rules for a threshold: see threshold.h. */
#include "select/threshold.h"

#include "core/number.h"
#include "data/split.h"

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
             {"youden", SMR_THRESHOLD_YOUDEN}};

static const char RULES[] = "a number, cost=FP:FN, recall=R, precision=P, fpr=F, f1 or youden";

static smr_status wrong_word(smr_ctx *ctx, const char *text, int64_t length)
{
    const char *names[SMR_COUNT(WORDS)];
    char word[32] = "";
    for (int64_t i = 0; i < SMR_COUNT(WORDS); i++) names[i] = WORDS[i].name;
    if (length < (int64_t)sizeof word) memcpy(word, text, (size_t)length);
    int64_t near = smr_nearest(word, names, SMR_COUNT(WORDS));
    if (near >= 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "--threshold: '%s' is no rule; did you mean '%s'?",
                        text, names[near]);
    return smr_fail(ctx, SMR_ERR_PARAM, "--threshold: '%s' is no rule; there are %s", text, RULES);
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
        return smr_fail(ctx, SMR_ERR_PARAM, "--threshold: %s is no finite number", text);
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
    if (t->task != SMR_TASK_CLASSIFY)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "a threshold is for telling two classes apart; this model predicts %s",
                        t->task == SMR_TASK_REGRESS ? "numbers" : "nothing");
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

/* What the rule wants most of; a point that does not reach its target is -inf. */
static double worth(const smr_threshold_rule *rule, const smr_threshold_row *t)
{
    switch (rule->kind) {
    case SMR_THRESHOLD_GIVEN: return 0;
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

/* ---- out of fold ------------------------------------------------------------------------ */

enum { FOLDS = 5 };

/* The rows to choose on, in their order, with the positive score of each. */
struct chosen_on {
    const smr_train_set *set;
    const int64_t *rows;
    int64_t n;
    int32_t *label;
    int64_t *group;
    double *weight, *score;
};

/* Row i among those chosen on, as a row of the table. */
static int64_t table_row(const struct chosen_on *c, int64_t i)
{
    return c->rows ? c->rows[i] : smr_train_set_row(c->set, i);
}

static int64_t smallest_class(const struct chosen_on *c)
{
    int64_t count[2] = {0, 0};
    for (int64_t i = 0; i < c->n; i++) count[c->label[i]]++;
    return SMR_MIN(count[0], count[1]);
}

/* One fold's scores from a fit on the others. */
static smr_status score_fold(smr_ctx *ctx, const char *sentence, struct chosen_on *c,
                             const smr_parts *parts, int64_t p, int64_t *train, int64_t *test)
{
    smr_status st = SMR_OK;
    smr_model *model = NULL;
    double *scores = NULL;
    int64_t n_train = smr_parts_without(parts, p, train), n_test = smr_part_size(parts, p);
    const int64_t *part = smr_part_rows(parts, p);
    for (int64_t i = 0; i < n_train; i++) train[i] = table_row(c, train[i]);
    for (int64_t i = 0; i < n_test; i++) test[i] = table_row(c, part[i]);
    TRY(smr_fit(ctx, sentence, c->set, train, n_train, &model));
    TRY_NEW(scores, 2 * n_test + 1);
    bool proba = smr_model_gives(model) & 1u << SMR_OUTPUT_PROBA;
    TRY(smr_model_apply(ctx, model, c->set->table, test, n_test,
                        proba ? SMR_OUTPUT_PROBA : SMR_OUTPUT_DECISION, scores));
    for (int64_t i = 0; i < n_test; i++)
        c->score[part[i]] = scores[2 * i + c->set->target.positive];
out:
    smr_free(scores);
    smr_model_free(model);
    return st;
}

static smr_status score_out_of_fold(smr_ctx *ctx, const char *sentence, struct chosen_on *c)
{
    smr_status st = SMR_OK;
    smr_parts parts = {0};
    int64_t *train = NULL, *test = NULL, folds = SMR_MIN(FOLDS, smallest_class(c));
    smr_log_fn log = ctx->log; /* what these fits would warn of is not about the model kept */
    smr_split_rows of = {
        .n = c->n, .label = c->label, .n_classes = 2, .group = c->group, .seed = ctx->seed};
    if (folds < 2)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "a threshold is chosen on out-of-fold predictions, which needs two rows of "
                        "each class");
    ctx->log = NULL;
    TRY(smr_split_folds(ctx, &of, folds, &parts));
    TRY_NEW(train, c->n);
    TRY_NEW(test, c->n);
    for (int64_t p = 0; p < folds; p++) TRY(score_fold(ctx, sentence, c, &parts, p, train, test));
out:
    ctx->log = log;
    smr_free(train);
    smr_free(test);
    smr_parts_release(&parts);
    return st;
}

static smr_status gather(smr_ctx *ctx, struct chosen_on *c)
{
    const smr_train_set *set = c->set;
    smr_status st = SMR_OK;
    TRY_NEW(c->label, c->n + 1);
    TRY_NEW(c->score, c->n + 1);
    if (set->group) TRY_NEW(c->group, c->n + 1);
    if (set->weight) TRY_NEW(c->weight, c->n + 1);
    for (int64_t i = 0; i < c->n; i++) {
        c->label[i] = set->label[table_row(c, i)];
        if (set->group) c->group[i] = set->group[table_row(c, i)];
        if (set->weight) c->weight[i] = set->weight[table_row(c, i)];
    }
out:
    return st;
}

smr_status smr_threshold_fit(smr_ctx *ctx, const char *sentence, const smr_train_set *set,
                             const int64_t *rows, int64_t n_rows, const smr_threshold_rule *rule,
                             smr_threshold_row *out, int64_t *used)
{
    smr_status st = SMR_OK;
    smr_ranking r = {0};
    struct chosen_on c = {.set = set, .rows = rows, .n = rows ? n_rows : set->n_rows};
    *used = 0;
    TRY(smr_threshold_check(ctx, rule, &set->target, false));
    if (rule->kind == SMR_THRESHOLD_GIVEN) {
        *out = (smr_threshold_row){.threshold = rule->value};
        return SMR_OK;
    }
    TRY(gather(ctx, &c));
    TRY(score_out_of_fold(ctx, sentence, &c));
    TRY(smr_ranking_make(ctx, c.n, c.score, 1, c.label, set->target.positive, c.weight, &r));
    TRY(smr_threshold_choose(ctx, rule, &r, out));
    *used = c.n;
out:
    smr_ranking_release(&r);
    smr_free(c.label);
    smr_free(c.group);
    smr_free(c.weight);
    smr_free(c.score);
    return st;
}

/* ---- telling ---------------------------------------------------------------------------- */

smr_status smr_threshold_keep(smr_ctx *ctx, const smr_threshold_rule *rule,
                              const smr_threshold_row *row, int64_t used, smr_target *target)
{
    smr_text how = {.ctx = ctx};
    if (rule->kind == SMR_THRESHOLD_GIVEN) {
        smr_text_add(&how, "given");
    } else {
        smr_threshold_write(rule, &how);
        smr_text_printf(&how, ", on the out-of-fold predictions of %lld rows", (long long)used);
    }
    smr_status st = smr_text_done(&how);
    if (st == SMR_OK) st = smr_target_set_threshold(ctx, target, row->threshold, how.bytes);
    smr_text_release(&how);
    return st;
}

smr_status smr_threshold_train(smr_ctx *ctx, const char *sentence, const smr_train_set *set,
                               const char *text, smr_model *model)
{
    smr_status st = SMR_OK;
    smr_threshold_rule rule;
    smr_threshold_row row;
    int64_t used;
    bool proba = smr_model_gives(model) & 1u << SMR_OUTPUT_PROBA;
    TRY(smr_threshold_parse(ctx, text, &rule));
    TRY(smr_threshold_check(ctx, &rule, &model->target, proba));
    TRY(smr_threshold_fit(ctx, sentence, set, NULL, 0, &rule, &row, &used));
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
