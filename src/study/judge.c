/* judge.c -- see judge.h. */
#include "study/judge.h"

#include "learn/chain.h"

#include <stdio.h>
#include <string.h>

static const char blind[] = "which looks at no column", plain[] = "which takes each column alone";

static const smr_judge_facts facts[SMR_TASKS] = {
    [SMR_TASK_NONE] = {.as = SMR_JUDGED_NOT, .predicts = "features", .to = "transform"},
    [SMR_TASK_CLASSIFY] = {.as = SMR_JUDGED_AS_CLASSES,
                           .predicts = "classes",
                           .to = "classify",
                           .usual = "accuracy",
                           .shown = "error",
                           .baseline = "baseline: most frequent class",
                           .simple = blind},
    [SMR_TASK_REGRESS] = {.as = SMR_JUDGED_AS_NUMBERS,
                          .predicts = "numbers",
                          .to = "predict numbers",
                          .usual = "rmse",
                          .baseline = "baseline: mean",
                          .simple = blind},
    [SMR_TASK_CLUSTER] = {.as = SMR_JUDGED_AS_FOUND,
                          .predicts = "clusters",
                          .to = "find clusters",
                          .usual = "adjusted_rand",
                          .alone = "silhouette",
                          .baseline = "baseline: two clusters at random",
                          .baseline_alone = "baseline: two clusters at random",
                          .simple = blind},
    [SMR_TASK_SEQUENCE] = {.as = SMR_JUDGED_AS_FOUND,
                           .predicts = "sequences",
                           .to = "label sequences",
                           .usual = "accuracy",
                           .alone = "log_likelihood",
                           .baseline = "baseline: most frequent class",
                           .simple = blind},
    [SMR_TASK_RECOMMEND] = {.as = SMR_JUDGED_AS_NUMBERS,
                            .predicts = "ratings",
                            .to = "recommend",
                            .usual = "rmse",
                            .baseline = "baseline: mean",
                            .simple = blind},
    [SMR_TASK_DENSITY] = {.as = SMR_JUDGED_AS_FOUND,
                          .predicts = "densities",
                          .to = "estimate a density",
                          .usual = "log_density",
                          .alone = "log_density",
                          .baseline = "baseline: a Gaussian for each column",
                          .baseline_alone = "baseline: a Gaussian for each column",
                          .simple = plain},
    [SMR_TASK_OUTLIERS] = {.as = SMR_JUDGED_AS_FOUND,
                           .predicts = "outliers",
                           .to = "find outliers",
                           .usual = "auc",
                           .baseline = "baseline: a Gaussian for each column",
                           .simple = plain},
};

const smr_judge_facts *smr_judge_of(smr_task task)
{
    return &facts[task];
}

bool smr_judge_joins(smr_task task)
{
    return facts[task].as != SMR_JUDGED_AS_FOUND;
}

const smr_measure *smr_judge_usual(smr_task task, bool known)
{
    const char *name = known ? facts[task].usual : facts[task].alone;
    return name ? smr_measure_find(name, task) : NULL;
}

bool smr_judge_can(const smr_target *t)
{
    return t->n ? facts[t->task].usual : facts[t->task].alone;
}

smr_status smr_judge_check(smr_ctx *ctx, const smr_target *t)
{
    if (smr_judge_can(t)) return SMR_OK;
    if (t->task == SMR_TASK_NONE)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "there is no target to measure with; name its column with --target");
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "without a target, %s cannot be measured; name the column with --target",
                    facts[t->task].predicts);
}

smr_status smr_judge_supervised(smr_ctx *ctx, const smr_target *t, const char *what)
{
    smr_judged_as as = facts[t->task].as;
    if (as == SMR_JUDGED_AS_CLASSES || (as == SMR_JUDGED_AS_NUMBERS && t->n)) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "%s is for predicted classes and numbers, and the task is to %s", what,
                    facts[t->task].to);
}

/* ---- what a model found ------------------------------------------------------------------ */

/* The rows as the last stage gets them. */
static smr_status read_inputs(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                              smr_found *f)
{
    enum { BLOCK = 256 };
    smr_status st = SMR_OK;
    smr_binding binding = {0};
    smr_data *data = NULL;
    smr_reader *reader = NULL;
    int64_t n = f->in.n, last = m->n_stages - 1;
    TRY_NEW(data, m->n_stages);
    TRY(smr_schema_bind(ctx, &m->schema, smr_model_columns(m), table, &binding));
    data[0] = binding.data;
    data[0].rows = f->rows;
    data[0].n_rows = n;
    for (int64_t s = 0; s < last; s++) smr_chain(&data[s], &m->stages[s], &data[s + 1]);
    int64_t d = f->in.d = data[last].n_features;
    TRY_NEW(f->x, n * d + 1);
    TRY(smr_reader_open(ctx, &data[last], SMR_FORM_F64, BLOCK, &reader));
    for (int64_t lo = 0; lo < n; lo += BLOCK) {
        smr_rows rows;
        int64_t hi = SMR_MIN(lo + BLOCK, n);
        TRY(smr_reader_rows(ctx, reader, lo, hi, &rows));
        for (int64_t i = lo; i < hi; i++)
            memcpy(f->x + i * d, (const double *)rows.x + (i - lo) * rows.stride,
                   (size_t)d * sizeof *f->x);
    }
    f->in.x = f->x;
out:
    smr_reader_close(reader);
    smr_binding_release(&binding);
    smr_free(data);
    return st;
}

smr_status smr_found_sequences(smr_ctx *ctx, const smr_schema *schema, const smr_table *table,
                               smr_found *f)
{
    smr_status st = SMR_OK;
    smr_ordered o = {0};
    if (!schema->roles[SMR_ROLE_SEQUENCE].name) return SMR_OK;
    TRY(smr_roles_order(ctx, schema->roles, table, f->rows, f->in.n, &o));
    TRY_NEW(f->sequence, f->in.n + 1);
    for (int64_t q = 0; q < o.n_sequences; q++)
        for (int64_t i = o.border[q]; i < o.border[q + 1]; i++) f->sequence[o.place[i]] = q;
    f->in.sequence = f->sequence;
    f->in.n_sequences = o.n_sequences;
out:
    smr_ordered_release(&o);
    return st;
}

/* One row of density 0 decides the mean of all. */
static void warn_of_nothing(smr_ctx *ctx, smr_task task, const smr_found *f)
{
    int64_t n = 0;
    for (int64_t i = 0; i < f->in.n; i++) n += f->score[i] == -INFINITY;
    if (n > 0 && task == SMR_TASK_SEQUENCE)
        smr_warn(ctx,
                 "%lld of %lld measured rows %s in sequences of probability 0, so that the "
                 "log-likelihood is -infinity",
                 (long long)n, (long long)f->in.n, smr_plural(n, "is", "are"));
    if (task != SMR_TASK_DENSITY) return;
    if (n > 0)
        smr_warn(ctx,
                 "%lld of %lld measured rows %s density 0, so that the mean log-density is "
                 "-infinity",
                 (long long)n, (long long)f->in.n, smr_plural(n, "has", "have"));
}

static smr_status name_clusters(smr_ctx *ctx, smr_found *f)
{
    smr_status st = SMR_OK;
    int32_t code;
    for (int64_t c = 0; c < f->in.n_found && st == SMR_OK; c++) {
        char name[24];
        snprintf(name, sizeof name, "%lld", (long long)c);
        const char *text = c == f->in.n_found - 1 ? "noise" : name;
        st = smr_vocab_add(ctx, &f->names, text, (int64_t)strlen(text), &code);
    }
    return st;
}

/* Rows outside all clusters, -1, are one of their own, after the others. */
static smr_status gather(smr_ctx *ctx, const double *label, int64_t n, smr_found *f)
{
    bool outside = false;
    for (int64_t i = 0; i < n; i++) {
        outside = outside || label[i] < 0;
        f->found[i] = (int32_t)(label[i] < 0 ? (double)f->in.n_found : label[i]);
    }
    f->in.n_found += outside;
    f->in.outside = outside;
    return outside ? name_clusters(ctx, f) : SMR_OK;
}

static smr_status predict(smr_ctx *ctx, const smr_model *m, const smr_table *table, smr_found *f)
{
    smr_status st = SMR_OK;
    unsigned gives = smr_model_gives(m);
    int64_t n = f->in.n;
    double *label = NULL, began = smr_now();
    if (gives & 1u << SMR_OUTPUT_LABEL) {
        smr_shape shape = smr_model_shape(m);
        TRY_NEW(label, n + 1);
        TRY_NEW(f->found, n + 1);
        TRY(smr_model_apply(ctx, m, table, f->rows, n, SMR_OUTPUT_LABEL, label));
        f->in.found = f->found;
        f->in.n_found =
            m->target.task == SMR_TASK_OUTLIERS ? 2 : smr_stage_classes(smr_model_last(m), &shape);
        TRY(gather(ctx, label, n, f));
    }
    if (m->target.task != SMR_TASK_CLUSTER && gives & 1u << SMR_OUTPUT_SCORE) {
        TRY_NEW(f->score, n + 1);
        TRY(smr_model_apply(ctx, m, table, f->rows, n, SMR_OUTPUT_SCORE, f->score));
        f->in.score = f->score;
        warn_of_nothing(ctx, m->target.task, f);
    }
    f->seconds = smr_now() - began;
out:
    smr_free(label);
    return st;
}

smr_status smr_found_begin(smr_ctx *ctx, const int64_t *rows, int64_t n, const int32_t *label,
                           const double *weight, smr_found *out)
{
    smr_status st = SMR_OK;
    *out = (smr_found){.in = {.n = n}};
    TRY_NEW(out->rows, n + 1);
    for (int64_t i = 0; i < n; i++) out->rows[i] = rows ? rows[i] : i;
    if (label) TRY_NEW(out->label, n + 1);
    if (weight) TRY_NEW(out->weight, n + 1);
    for (int64_t i = 0; i < n; i++) {
        if (label) out->label[i] = label[out->rows[i]];
        if (weight) out->weight[i] = weight[out->rows[i]];
    }
    out->in.label = out->label;
    out->in.weight = out->weight;
out:
    return st;
}

smr_status smr_found_make(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                          const int64_t *rows, int64_t n, const int32_t *label,
                          const double *weight, smr_found *out)
{
    smr_status st = SMR_OK;
    if (!rows) n = table->n_rows;
    TRY(smr_found_begin(ctx, rows, n, label, weight, out));
    out->in.n_classes = m->target.classes.n;
    out->in.outlying = m->target.positive;
    if (m->target.task == SMR_TASK_OUTLIERS && m->target.has_threshold)
        out->in.threshold = &m->target.threshold;
    out->in.seed = m->seed;
    TRY(predict(ctx, m, table, out));
    if (m->target.task == SMR_TASK_CLUSTER) TRY(read_inputs(ctx, m, table, out));
    TRY(smr_found_sequences(ctx, &m->schema, table, out));
out:
    return st;
}

void smr_found_release(smr_found *f)
{
    smr_free(f->found);
    smr_free(f->label);
    smr_free(f->rows);
    smr_free(f->sequence);
    smr_free(f->score);
    smr_free(f->x);
    smr_free(f->weight);
    smr_vocab_release(&f->names);
    *f = (smr_found){0};
}
