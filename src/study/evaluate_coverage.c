/* evaluate_coverage.c -- see evaluate_coverage.h. */
#include "study/evaluate_coverage.h"

#include "learn/chain.h"

#include <math.h>
#include <string.h>

double smr_model_coverage(const smr_model *m)
{
    const smr_stage *last = smr_model_last(m);
    double (*promised)(const void *params) = smr_explains(last->learner)->promised;
    return promised ? promised(last->params) : NAN;
}

/* Intervals or sets beside the answers they should hold. */
struct held {
    double *answers; /* owned */
    smr_interval_input intervals;
    smr_set_input sets;
};

static smr_status ask(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                      const smr_answers *a, struct held *h)
{
    smr_status st = SMR_OK;
    smr_output output = a->label ? SMR_OUTPUT_SET : SMR_OUTPUT_INTERVAL;
    TRY_NEW(h->answers, a->n * smr_model_width(m, output));
    TRY(smr_model_apply(ctx, m, table, a->rows, a->n, output, h->answers));
    h->sets = (smr_set_input){.n = a->n,
                              .n_classes = m->target.classes.n,
                              .label = a->label,
                              .set = h->answers,
                              .weight = a->weight,
                              .promised = smr_model_coverage(m)};
    h->intervals = (smr_interval_input){.n = a->n,
                                        .n_outputs = m->target.n,
                                        .y = a->y,
                                        .interval = h->answers,
                                        .weight = a->weight,
                                        .promised = smr_model_coverage(m)};
out:
    return st;
}

smr_status smr_evaluate_coverage(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                                 const smr_answers *a, smr_json *into)
{
    struct held h = {0};
    smr_output output = a->label ? SMR_OUTPUT_SET : SMR_OUTPUT_INTERVAL;
    if (!(smr_model_gives(m) & 1u << output)) return SMR_OK;
    smr_status st = ask(ctx, m, table, a, &h);
    if (st == SMR_OK && a->label) smr_metric_sets(&h.sets, into);
    if (st == SMR_OK && !a->label) smr_metric_intervals(&h.intervals, into);
    smr_free(h.answers);
    return st;
}

/* ---- for cross-validation --------------------------------------------------------------- */

static const smr_measure of_intervals[SMR_COVERAGE_MEASURES] = {
    {.name = "interval_coverage",
     .title = "Coverage of the intervals",
     .formula = "share of y in [low, high]",
     .doc = "Share of the rows whose answer lies in its interval.",
     .task = SMR_TASK_REGRESS,
     .higher_is_better = true},
    {.name = "interval_width",
     .title = "Width of the intervals",
     .formula = "mean (high - low)",
     .doc = "Mean width of the intervals.",
     .task = SMR_TASK_REGRESS},
};

static const smr_measure of_sets[SMR_COVERAGE_MEASURES] = {
    {.name = "set_coverage",
     .title = "Coverage of the sets",
     .formula = "share of classes in their set",
     .doc = "Share of the rows whose class is in its set.",
     .task = SMR_TASK_CLASSIFY,
     .higher_is_better = true},
    {.name = "set_size",
     .title = "Size of the sets",
     .formula = "mean number of classes",
     .doc = "Mean number of classes in a set.",
     .task = SMR_TASK_CLASSIFY},
};

const smr_measure *smr_coverage_measures(const smr_learner *last, smr_task task)
{
    static const struct {
        unsigned gives;
        const smr_measure *measures;
    } kinds[] = {{SMR_GIVES_SET, of_sets}, {SMR_GIVES_INTERVAL, of_intervals}};
    for (int64_t k = 0; k < SMR_COUNT(kinds); k++)
        if (smr_task_gives(task, last->fitted->gives) & kinds[k].gives) return kinds[k].measures;
    return NULL;
}

static smr_status gather(smr_ctx *ctx, const smr_train_set *set, smr_answers *a)
{
    int64_t t = set->target.n;
    smr_status st = SMR_OK;
    if (set->label) TRY_NEW(a->label, a->n);
    if (set->y) TRY_NEW(a->y, a->n * t);
    if (set->weight) TRY_NEW(a->weight, a->n);
    for (int64_t i = 0; i < a->n; i++) {
        int64_t row = a->rows[i];
        if (a->label) a->label[i] = set->label[row];
        if (a->y) memcpy(a->y + i * t, set->y + row * t, (size_t)t * sizeof *a->y);
        if (a->weight) a->weight[i] = set->weight[row];
    }
out:
    return st;
}

smr_status smr_coverage_of_rows(smr_ctx *ctx, const smr_model *m, const smr_train_set *set,
                                const int64_t *rows, int64_t n, double out[SMR_COVERAGE_MEASURES])
{
    smr_status st = SMR_OK;
    struct held h = {0};
    smr_answers a = {.n = n};
    TRY_NEW(a.rows, n);
    memcpy(a.rows, rows, (size_t)n * sizeof *rows);
    TRY(gather(ctx, set, &a));
    TRY(ask(ctx, m, set->table, &a, &h));
    if (a.label) {
        smr_set_measures s = smr_set_measure(&h.sets);
        out[0] = s.coverage;
        out[1] = s.size;
    } else {
        smr_interval_measures s = smr_interval_measure(&h.intervals);
        out[0] = s.coverage;
        out[1] = s.width;
    }
out:
    smr_free(h.answers);
    smr_answers_release(&a);
    return st;
}
