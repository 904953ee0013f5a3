/* bag_fit.c -- fitting the bags and judging them out of bag: see bag.c. */
#include "core/number.h"
#include "core/rng.h"
#include "core/span.h"
#include "core/text.h"
#include "data/row_subset.h"
#include "learn/adapter.h"
#include "learn/checkpoint.h"
#include "learn/ensemble/bag.h"
#include "learn/spec.h"
#include "learn/stages.h"

#include <math.h>
#include <string.h>

static const char FITTING[] = "fitting bags", JUDGING[] = "judging bags";

/* Out-of-bag answers of one bag. */
struct outside {
    int64_t n;
    int64_t *rows;
    double *answers; /* n x what a member is asked for */
};

struct bagging {
    const struct smr_bag_params *params;
    const smr_data *data;
    struct smr_bag_state *state;
    smr_bag_units units;
    bool counts_as_weights; /* members take weights: a row drawn twice is one of weight 2 */
    int64_t first;          /* the bag of outside[0] */
    smr_fit_report *reports;
    bool *is_fitted;                 /* n_bags: each set by the thread that fitted it */
    int64_t from;                    /* the first bag of the wave at hand             */
    int64_t n_fitted;                /* how many bags, the first ones, are fitted     */
    int64_t *iterations, *converged; /* n_bags, for checkpoints: what reports say     */
    struct outside *outside;         /* of the bags under way */
    double scale;                    /* of the target */
    /* What the bags so far say about each row that they do not hold. */
    double *sums;    /* n x n_answers; for a median: n x n_answers x n_bags, NaN where held */
    double *total;   /* n: their weight */
    double *answers; /* n x n_answers, NaN where there are none */
};

static smr_status check_weights(smr_ctx *ctx, struct bagging *b)
{
    smr_status st = SMR_OK;
    char *of = NULL;
    b->counts_as_weights = smr_spec_takes(b->params->of.spec[0], SMR_TAKES_WEIGHTS);
    if (!b->data->weight || b->counts_as_weights || b->params->weights != SMR_BAG_PASS)
        return SMR_OK;
    TRY(smr_spec_text(ctx, b->params->of.spec[0], &of));
    st = smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                  "bag: %.100s does not take row weights; draw rows by them: weights=draw", of);
out:
    smr_free(of);
    return st;
}

/* ---- one bag ---------------------------------------------------------------------------- */

/* The rows of a bag: each once with its count as a weight, or as often as it was drawn. */
struct inside {
    int64_t n;
    int64_t *rows;
    double *weight; /* NULL: all 1 */
};

static smr_status list_inside(smr_ctx *ctx, const struct bagging *b, const int32_t *count,
                              struct inside *in)
{
    smr_status st = SMR_OK;
    int64_t n = b->data->n_rows, drawn = 0;
    bool pass = b->params->weights == SMR_BAG_PASS && b->data->weight, weighted = pass;
    for (int64_t i = 0; i < n; i++) {
        drawn += b->counts_as_weights ? count[i] > 0 : count[i];
        weighted = weighted || (b->counts_as_weights && count[i] > 1);
    }
    TRY_NEW(in->rows, drawn + 1);
    if (weighted) TRY_NEW(in->weight, drawn + 1);
    for (int64_t i = 0; i < n; i++) {
        int32_t times = b->counts_as_weights ? count[i] > 0 : count[i];
        for (int32_t k = 0; k < times; k++) {
            double w = pass ? b->data->weight[i] : 1;
            if (weighted) in->weight[in->n] = b->counts_as_weights ? w * (double)count[i] : w;
            in->rows[in->n++] = i;
        }
    }
out:
    return st;
}

/* The features of a bag, as a fitted stage; left alone where it has all of them. */
static smr_status draw_features(smr_ctx *ctx, const struct bagging *b, int64_t bag,
                                const smr_data *data, smr_stage **front, int64_t *n)
{
    const struct smr_bag_params *p = b->params;
    smr_status st = SMR_OK;
    smr_tailor next = {.share = p->columns, .parts = p->parts, .draw = bag};
    smr_spec *spec = NULL;
    smr_fit_report ignored = {0};
    if (p->parts <= 0 && p->columns >= 1) return SMR_OK;
    TRY(smr_adapter_make(ctx, SMR_NEED_DRAWN, &next, &spec));
    TRY(smr_stages_fit(ctx, spec, data->features, data, &ignored, front, n));
    (*front)[0].inserted = true;
out:
    smr_fit_report_release(&ignored);
    smr_spec_free(spec);
    return st;
}

/* Learners inside a bag draw numbers of their own: the seed of the whole gives each bag one. */
static smr_status fit_member(smr_ctx *ctx, const struct bagging *b, int64_t bag,
                             const smr_data *data)
{
    smr_status st = SMR_OK;
    smr_stage *front = NULL;
    int64_t n_front = 0;
    uint64_t seed = ctx->seed;
    smr_log_fn log = ctx->log;
    const smr_spec *spec = b->params->of.spec[0];
    smr_member *member = &b->state->of.member[bag];
    TRY(draw_features(ctx, b, bag, data, &front, &n_front));
    ctx->log = NULL; /* what one bag warns of, all would; other lanes are silent too */
    ctx->seed = smr_random_bits(seed, SMR_STREAM_BAG, (uint64_t)bag, UINT64_MAX);
    if (front)
        st = smr_member_fit_behind(ctx, &front[0], spec, data, member, &b->reports[bag]);
    else
        st = smr_member_fit(ctx, spec, data, member, &b->reports[bag]);
    ctx->seed = seed;
    ctx->log = log;
out:
    smr_stages_free(front, n_front);
    return st;
}

static smr_status draw_rows(smr_ctx *ctx, const struct bagging *b, int64_t bag, int32_t *count)
{
    return smr_bag_draw(ctx, &b->units, b->params->rows, b->params->bootstrap, bag, count);
}

static smr_status fit_bag(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct bagging *b = arg;
    int64_t bag = b->from + task;
    smr_status st = SMR_OK;
    int32_t *count = NULL;
    struct inside in = {0};
    smr_subset subset = {0};
    (void)lane;
    TRY_NEW(count, b->data->n_rows);
    TRY(draw_rows(ctx, b, bag, count));
    TRY(list_inside(ctx, b, count, &in));
    smr_data rows = *b->data;
    if (b->params->weights == SMR_BAG_DRAW) rows.weight = NULL;
    smr_subset_with with = {.weight = in.weight};
    TRY(smr_subset_make(ctx, &rows, in.rows, in.n, &with, &subset));
    subset.data.spend = NULL;
    st = fit_member(ctx, b, bag, &subset.data);
    b->is_fitted[bag] = st == SMR_OK;
    smr_member_blame(ctx, st, "of", bag, b->params->of.spec[0]);
out:
    smr_free(count);
    smr_free(in.rows);
    smr_free(in.weight);
    smr_subset_release(&subset);
    return st;
}

/* ---- checkpoints ------------------------------------------------------------------------ */

/* Bags that are fitted; what was under way begins anew. */
struct kept {
    int64_t n_fitted;
    int64_t *iterations, *converged;
    smr_members of;
};

static const smr_state kept_state[] = {
    {SMR_KEPT(struct kept, n_fitted), .min = 1, .doc = "Bags that are fitted."},
    {SMR_KEPT(struct kept, iterations), .dims = {"n_fitted"}, .doc = "Of each bag's fit."},
    {SMR_KEPT(struct kept, converged), .max = 1, .dims = {"n_fitted"}, .doc = "1: it did."},
    {SMR_KEPT(struct kept, of), .same = true, .dims = {"n_fitted"}, .doc = "The bags."},
};

static smr_status suspend(smr_ctx *ctx, void *work, void *kept_)
{
    const struct bagging *b = work;
    struct kept *k = kept_;
    (void)ctx;
    for (int64_t i = 0; i < b->n_fitted; i++) {
        b->iterations[i] = b->reports[i].n_iter;
        b->converged[i] = b->reports[i].converged;
    }
    *k = (struct kept){.n_fitted = b->n_fitted,
                       .iterations = b->iterations,
                       .converged = b->converged,
                       .of = {b->n_fitted, b->state->of.member}};
    return SMR_OK;
}

static bool fits(const smr_member *m, const struct bagging *b)
{
    return m->shape.n_features == b->data->n_features && m->shape.task == b->data->task &&
           m->shape.n_outputs == b->data->n_outputs && m->shape.n_classes == b->state->n_classes;
}

static smr_status resume(smr_ctx *ctx, void *kept_, void *work)
{
    struct bagging *b = work;
    struct kept *k = kept_;
    bool same = k->n_fitted <= b->params->bags;
    for (int64_t i = 0; i < k->n_fitted && same; i++)
        same = fits(&k->of.member[i], b) && k->iterations[i] >= 0 && k->iterations[i] <= INT32_MAX;
    if (!same)
        return smr_fail(ctx, SMR_ERR_FORMAT, "bag: the bags of the checkpoint do not fit the data");
    for (int64_t i = 0; i < k->n_fitted; i++) {
        b->reports[i].n_iter = k->iterations[i];
        b->reports[i].converged = k->converged[i] != 0;
        b->state->of.member[i] = k->of.member[i];
        k->of.member[i] = (smr_member){0};
    }
    b->n_fitted = k->n_fitted;
    return SMR_OK;
}

const smr_can_resume smr_bag_resume = {.state = kept_state,
                                       .n_state = SMR_COUNT(kept_state),
                                       .state_size = sizeof(struct kept),
                                       .suspend = suspend,
                                       .resume = resume};

/* With a checkpoint in waves, between which it is written; else all at once. */
static smr_status fit_bags(smr_ctx *ctx, struct bagging *b, smr_fit_report *report)
{
    enum { WAVE_LEAST = 4, WAVE_PER_LANE = 2 };
    smr_status st = SMR_OK;
    int64_t n = b->state->n_bags, wave = SMR_MAX(WAVE_LEAST, WAVE_PER_LANE * smr_lanes(ctx));
    smr_span span;
    if (!report->checkpoint) return smr_members_each(ctx, FITTING, n, fit_bag, b);
    smr_span_open(ctx, &span, FITTING, n);
    TRY_NEW(b->iterations, n);
    TRY_NEW(b->converged, n);
    TRY(smr_checkpoint_begin(ctx, report, b));
    while (b->n_fitted < n) {
        b->from = b->n_fitted;
        TRY(smr_span_from(ctx, &span, b->n_fitted, NAN));
        TRY(smr_members_each(ctx, FITTING, SMR_MIN(wave, n - b->from), fit_bag, b));
        b->n_fitted = SMR_MIN(n, b->from + wave);
        TRY(smr_checkpoint_at(ctx, report, b->n_fitted, n, b));
    }
out:
    smr_span_close(ctx, &span);
    while (b->n_fitted < n && b->is_fitted[b->n_fitted]) b->n_fitted++;
    if (b->n_fitted > 0) st = smr_checkpoint_end(ctx, report, st, b->n_fitted, n, b);
    return st;
}

/* ---- out of bag ------------------------------------------------------------------------- */

/* What a bag says about the rows that it does not hold. */
static smr_status ask_bag(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct bagging *b = arg;
    smr_status st = SMR_OK;
    int32_t *count = NULL;
    struct outside *out = &b->outside[task];
    smr_subset subset = {0};
    smr_combine c = smr_bag_combine(b->state);
    int64_t bag = b->first + task, n = b->data->n_rows;
    (void)lane;
    TRY_NEW(count, n);
    TRY(draw_rows(ctx, b, bag, count));
    TRY_NEW(out->rows, n);
    for (int64_t i = 0; i < n; i++)
        if (count[i] == 0 && smr_data_weight(b->data, i) > 0) out->rows[out->n++] = i;
    if (out->n == 0) goto out;
    TRY(smr_subset_make(ctx, b->data, out->rows, out->n, NULL, &subset));
    subset.data.spend = NULL;
    TRY_NEW(out->answers, out->n * smr_combine_asked_width(&c));
    TRY(smr_member_apply(ctx, &b->state->of.member[bag], &subset.data, smr_combine_asked(&c),
                         out->answers));
out:
    smr_free(count);
    smr_subset_release(&subset);
    return st;
}

static void answer_medians(struct bagging *b, int64_t bag, double *pairs)
{
    const struct smr_bag_state *s = b->state;
    int64_t n = b->data->n_rows * s->n_answers;
    for (int64_t i = 0; i < n; i++) {
        int64_t known = 0;
        const double *said = b->sums + i * s->n_bags;
        for (int64_t k = 0; k <= bag; k++) {
            if (isnan(said[k]) || !(s->weight[k] > 0)) continue;
            pairs[known] = said[k];
            pairs[s->n_bags + known++] = s->weight[k];
        }
        b->answers[i] = known ? smr_combine_median(known, pairs, pairs + s->n_bags) : NAN;
    }
}

static void answer_means(struct bagging *b)
{
    int64_t width = b->state->n_answers;
    for (int64_t i = 0; i < b->data->n_rows; i++)
        for (int64_t j = 0; j < width; j++)
            b->answers[i * width + j] =
                b->total[i] > 0 ? b->sums[i * width + j] / b->total[i] : NAN;
}

/* Adds what bag k says about the rows outside it, in the order of the bags. */
static smr_status take_answers(smr_ctx *ctx, struct bagging *b, int64_t bag,
                               const struct outside *out, smr_fit_report *report, double *pairs)
{
    struct smr_bag_state *s = b->state;
    smr_combine c = smr_bag_combine(s);
    smr_judgement own = {0}, all;
    if (out->n > 0)
        own = s->way == SMR_COMBINE_VOTE
                  ? smr_judge_labels(b->data, out->n, out->rows, out->answers)
                  : smr_judge_answers(b->data, out->n, out->rows, out->answers);
    s->bag_error[bag] = out->n > 0 ? own.error : NAN;
    s->weight[bag] = 1;
    if (b->params->weigh == SMR_BAG_OOB)
        s->weight[bag] = smr_combine_weight(b->data, b->scale, &own);
    double w = isnan(s->weight[bag]) ? 0 : s->weight[bag];
    s->held += 1 - (double)out->n / (double)b->units.n_rows;
    if (s->way == SMR_COMBINE_MEDIAN) {
        for (int64_t i = 0; i < out->n; i++)
            for (int64_t j = 0; j < s->n_answers; j++)
                b->sums[(out->rows[i] * s->n_answers + j) * s->n_bags + bag] =
                    out->answers[i * s->n_answers + j];
        answer_medians(b, bag, pairs);
    } else {
        smr_combine_add(&c, out->n, out->rows, out->answers, w, b->sums);
        for (int64_t i = 0; i < out->n; i++) b->total[out->rows[i]] += w;
        answer_means(b);
    }
    all = smr_judge_answers(b->data, b->data->n_rows, NULL, b->answers);
    s->curve[bag] = s->oob_error = all.error;
    s->oob_loss = all.loss;
    s->oob_rows = all.weight;
    return isnan(all.error) ? SMR_OK : smr_fit_step(ctx, report, all.error);
}

static smr_status begin_judging(smr_ctx *ctx, struct bagging *b)
{
    smr_status st = SMR_OK;
    struct smr_bag_state *s = b->state;
    int64_t n = b->data->n_rows * s->n_answers;
    bool median = s->way == SMR_COMBINE_MEDIAN;
    TRY_NEW(b->sums, median ? n * s->n_bags : n);
    TRY_NEW(b->total, b->data->n_rows);
    TRY_NEW(b->answers, n);
    for (int64_t i = 0; median && i < n * s->n_bags; i++) b->sums[i] = NAN;
out:
    return st;
}

static void release_outside(struct outside *out, int64_t n)
{
    for (int64_t k = 0; out && k < n; k++) {
        smr_free(out[k].rows);
        smr_free(out[k].answers);
        out[k] = (struct outside){0};
    }
}

/* ---- all bags --------------------------------------------------------------------------- */

/* Bags asked at a time: as many as their answers leave room for; depends on the data alone. */
static int64_t at_a_time(const struct bagging *b)
{
    double bytes = 4.0 * (double)b->data->n_rows * (double)(b->state->n_answers + 2);
    return (int64_t)smr_fmin(64, smr_fmax(8, 256e6 / bytes));
}

static smr_status judge_bags(smr_ctx *ctx, struct bagging *b, smr_fit_report *report)
{
    smr_status st = SMR_OK;
    struct smr_bag_state *s = b->state;
    int64_t step = at_a_time(b);
    double *pairs = NULL;
    smr_span span;
    smr_span_open(ctx, &span, JUDGING, s->n_bags);
    TRY(begin_judging(ctx, b));
    TRY_NEW(b->outside, step);
    TRY_NEW(pairs, 2 * s->n_bags);
    for (int64_t lo = 0; lo < s->n_bags; lo += step) {
        int64_t n = SMR_MIN(step, s->n_bags - lo);
        b->first = lo;
        TRY(smr_span_from(ctx, &span, lo, s->oob_error));
        TRY(smr_members_each(ctx, JUDGING, n, ask_bag, b));
        for (int64_t k = 0; k < n; k++)
            TRY(take_answers(ctx, b, lo + k, &b->outside[k], report, pairs));
        release_outside(b->outside, n);
    }
out:
    smr_span_close(ctx, &span);
    release_outside(b->outside, step);
    smr_free(b->outside);
    b->outside = NULL;
    smr_free(pairs);
    return st;
}

static void find_prior(const smr_data *data, struct smr_bag_state *s)
{
    double total = 0;
    for (int64_t i = 0; i < data->n_rows; i++) {
        double w = smr_data_weight(data, i);
        total += w;
        if (s->n_classes) s->prior[data->label[i]] += w;
        for (int64_t j = 0; j < s->n_outputs; j++) s->prior[j] += w * data->y[i * s->n_outputs + j];
    }
    for (int64_t j = 0; j < s->n_answers; j++) s->prior[j] /= total;
}

/* Once all bags are known. */
static void sum_up(smr_ctx *ctx, struct bagging *b, smr_fit_report *report)
{
    struct smr_bag_state *s = b->state;
    double total = 0;
    smr_fit_report members = {0};
    for (int64_t i = 0; i < b->data->n_rows; i++) total += smr_data_weight(b->data, i);
    s->oob_rows /= total;
    s->held /= (double)s->n_bags;
    s->oob_r2 = s->n_outputs && b->scale > 0 ? 1 - s->oob_error / b->scale : NAN;
    if (b->params->weigh == SMR_BAG_OOB) smr_combine_scale(ctx, "bag", s->n_bags, s->weight);
    smr_members_sum_up(ctx, "bag", &s->of, b->reports, &members);
    report->converged = members.converged;
    if (report->n_iter == 0) report->n_iter = s->n_bags;
}

/* Only fitted bags are kept: the judging is done again. */
static smr_status judge_kept(smr_ctx *ctx, struct bagging *b, smr_fit_report *report)
{
    smr_status st = judge_bags(ctx, b, report);
    if (st != SMR_ERR_CANCELLED) return st;
    smr_fit_report_release(report);
    report->n_iter = 0;
    report->objective = NAN;
    return smr_checkpoint_end(ctx, report, st, b->n_fitted, b->state->n_bags, b);
}

smr_status smr_bag_fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                       smr_fit_report *report)
{
    const struct smr_bag_params *p = params_;
    struct smr_bag_state *s = state_;
    struct bagging b = {.params = p, .data = data, .state = s};
    smr_status st = SMR_OK;
    bool classes = data->task == SMR_TASK_CLASSIFY;
    s->n_classes = classes ? data->n_classes : 0;
    s->n_outputs = classes ? 0 : data->n_outputs;
    s->n_answers = s->n_classes + s->n_outputs;
    s->oob_error = s->oob_loss = s->oob_r2 = NAN;
    TRY(smr_target_scale(ctx, data, &b.scale));
    TRY(smr_bag_units_make(ctx, data, p->weights == SMR_BAG_DRAW, &b.units));
    TRY(check_weights(ctx, &b));
    TRY_NEW(s->prior, s->n_answers);
    TRY_NEW(s->weight, p->bags);
    TRY_NEW(s->bag_error, p->bags);
    TRY_NEW(s->curve, p->bags);
    TRY_NEW(b.reports, p->bags);
    TRY(smr_members_create(ctx, p->bags, &s->of));
    s->n_bags = p->bags;
    find_prior(data, s);
    TRY_NEW(b.is_fitted, p->bags);
    TRY(smr_member_warn_of_levels(ctx, p->of.spec[0], data));
    TRY(fit_bags(ctx, &b, report));
    TRY(smr_combine_choose(ctx, "bag", p->combine, data->task, &s->of, &s->way));
    TRY(judge_kept(ctx, &b, report));
    sum_up(ctx, &b, report);
out:
    for (int64_t k = 0; b.reports && k < p->bags; k++) smr_fit_report_release(&b.reports[k]);
    smr_free(b.reports);
    smr_free(b.is_fitted);
    smr_free(b.iterations);
    smr_free(b.converged);
    smr_bag_units_release(&b.units);
    smr_free(b.sums);
    smr_free(b.total);
    smr_free(b.answers);
    return st;
}
