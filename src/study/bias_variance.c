/* bias_variance.c -- samples, fits and predictions: see bias_variance.h. */
#include "study/bias_variance.h"

#include "core/number.h"
#include "core/parallel.h"
#include "core/rng.h"
#include "core/text.h"
#include "study/bias_parts.h"
#include "study/holdout.h"
#include "study/judge.h"
#include "study/space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 200, ROWS = 100, TEST_ROWS = 1000, MOST_SETTINGS = 64 };

/* ---- the study -------------------------------------------------------------------------- */

/* All that is owned for the length of a call. */
struct source {
    smr_table *table; /* of a generator */
    smr_train_set *set;
    smr_truth known;
    smr_study study;
};

static void release(struct source *s)
{
    smr_free(s->study.pool);
    smr_free(s->study.test);
    smr_free(s->study.y);
    smr_free(s->study.truth);
    smr_truth_release(&s->known);
    smr_train_set_free(s->set);
    smr_table_free(s->table);
}

static smr_status check_how(smr_ctx *ctx, const smr_bias_how *how, const smr_train_set *set)
{
    for (int64_t k = 0; k < how->n_settings; k++)
        if (how->generator && strcmp(how->settings[k].key, "n") == 0)
            return smr_fail(ctx, SMR_ERR_PARAM,
                            "the rows of a sample are set by --rows, not by n=%s",
                            how->settings[k].value);
    if (how->samples == 1)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--samples: a variance needs at least 2 samples, not 1");
    if (how->rows == 1)
        return smr_fail(ctx, SMR_ERR_PARAM, "--rows: a sample needs at least 2 rows, not 1");
    if (how->bag == 1)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--bag: a correlation needs at least 2 replicates, not 1");
    if (how->bag && how->over)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--bag and --over answer different questions; ask them one by one");
    smr_status st = set && set->target.task != SMR_TASK_NONE
                        ? smr_judge_supervised(ctx, &set->target, "bias-variance")
                        : SMR_OK;
    if (st != SMR_OK) return st;
    if (set && (set->target.task == SMR_TASK_NONE || set->target.n != 1))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "bias and variance are reported for one target, not %lld",
                        (long long)set->target.n);
    return SMR_OK;
}

/* One table holds all samples, one after another, and then the test rows: so they share what the
 * generator draws once (coefficients, centres), and are otherwise independent. */
static smr_status draw_samples(smr_ctx *ctx, const smr_spec *spec, const smr_bias_how *how,
                               struct source *s)
{
    smr_status st = SMR_OK;
    smr_study *study = &s->study;
    smr_setting settings[MOST_SETTINGS];
    char digits[SMR_NUMBER_MAX];
    study->drawn = true;
    study->n_rows = how->rows ? how->rows : ROWS;
    study->n_test = how->test_rows ? how->test_rows : TEST_ROWS;
    double total = (double)study->n_samples * (double)study->n_rows + (double)study->n_test;
    if (total > 1e9)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "%lld samples of %lld rows are more than a billion rows; ask for fewer",
                        (long long)study->n_samples, (long long)study->n_rows);
    if (how->n_settings + 1 > MOST_SETTINGS)
        return smr_fail(ctx, SMR_ERR_PARAM, "too many settings of %s", how->generator);
    for (int64_t k = 0; k < how->n_settings; k++) settings[k] = how->settings[k];
    smr_format_double(total, digits);
    settings[how->n_settings] = (smr_setting){.key = "n", .value = digits};
    int64_t first = study->n_samples * study->n_rows;
    TRY(smr_generate_known(ctx, how->generator, settings, how->n_settings + 1, ctx->seed, first,
                           &s->table, &s->known));
    smr_set_opts opts = {
        .target = "y", .task = smr_generator_find(how->generator)->task, .keep_all = true};
    TRY(smr_train_set_create(ctx, s->table, spec, &opts, &s->set));
    study->set = s->set;
    study->truth = s->known.f;
    s->known.f = NULL;
    study->noise = s->known.noise;
    TRY_NEW(study->test, study->n_test);
    for (int64_t t = 0; t < study->n_test; t++) study->test[t] = first + t;
out:
    return st;
}

/* One part of the file is for testing; the samples are parts of the rest. */
static smr_status part_samples(smr_ctx *ctx, const smr_train_set *set, const smr_bias_how *how,
                               struct source *s)
{
    smr_status st = SMR_OK;
    smr_study *study = &s->study;
    smr_parts parts = {0};
    double share = how->test_rows ? (double)how->test_rows / (double)set->n_rows : 1.0 / 3;
    study->set = set;
    if (share >= 1)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--test-rows: %lld of %lld rows leave none to learn from",
                        (long long)how->test_rows, (long long)set->n_rows);
    TRY(smr_set_holdout(ctx, set, &share, 1, &parts));
    study->n_pool = smr_part_size(&parts, 0);
    study->n_test = smr_part_size(&parts, 1);
    study->n_rows = how->rows ? how->rows : SMR_MAX(1, study->n_pool / 2);
    if (study->n_rows >= study->n_pool) {
        st = smr_fail(ctx, SMR_ERR_PARAM,
                      "--rows: samples of %lld rows cannot differ, as %lld rows are there to draw "
                      "them from; ask for fewer",
                      (long long)study->n_rows, (long long)study->n_pool);
        goto out;
    }
    TRY_NEW(study->pool, study->n_pool);
    TRY_NEW(study->test, study->n_test);
    memcpy(study->pool, smr_part_rows(&parts, 0), (size_t)study->n_pool * sizeof *study->pool);
    memcpy(study->test, smr_part_rows(&parts, 1), (size_t)study->n_test * sizeof *study->test);
out:
    smr_parts_release(&parts);
    return st;
}

void smr_study_rows(uint64_t seed, const smr_study *study, int64_t s, int64_t *rows, int64_t *work)
{
    if (study->drawn) {
        for (int64_t i = 0; i < study->n_rows; i++) rows[i] = s * study->n_rows + i;
        return;
    }
    smr_random_permutation(seed, SMR_STREAM_SAMPLES, (uint64_t)s, study->n_pool, work);
    int64_t n = 0;
    for (int64_t i = 0; i < study->n_pool; i++)
        if (work[i] < study->n_rows) rows[n++] = study->pool[i];
}

static smr_status open_study(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                             const smr_bias_how *how, struct source *s)
{
    smr_status st = SMR_OK;
    smr_study *study = &s->study;
    study->n_samples = how->samples ? how->samples : SAMPLES;
    TRY(how->generator ? draw_samples(ctx, spec, how, s) : part_samples(ctx, set, how, s));
    TRY_NEW(study->y, study->n_test);
    for (int64_t t = 0; t < study->n_test; t++) {
        int64_t i = study->test[t];
        study->y[t] = study->set->label ? (double)study->set->label[i] : study->set->y[i];
    }
out:
    return st;
}

/* ---- fits ------------------------------------------------------------------------------- */

struct fitting {
    const smr_spec *spec;
    const smr_study *study;
    double *predicted; /* samples x points */
};

static smr_status fit_sample(smr_ctx *ctx, void *arg, int64_t s, int lane)
{
    const struct fitting *f = arg;
    const smr_study *study = f->study;
    smr_status st = SMR_OK;
    smr_model *model = NULL;
    int64_t *rows = NULL, *work = NULL;
    (void)lane;
    TRY_NEW(rows, study->n_rows);
    TRY_NEW(work, study->n_pool + 1);
    smr_study_rows(ctx->seed, study, s, rows, work);
    TRY(smr_fit(ctx, f->spec, study->set, rows, study->n_rows, &model));
    smr_output output = study->set->label ? SMR_OUTPUT_LABEL : SMR_OUTPUT_VALUE;
    TRY(smr_model_apply(ctx, model, study->set->table, study->test, study->n_test, output,
                        f->predicted + s * study->n_test));
out:
    if (st != SMR_OK && st != SMR_ERR_CANCELLED && st != SMR_ERR_NOMEM)
        smr_while(ctx, "fitting sample %lld", (long long)s + 1);
    smr_model_free(model);
    smr_free(rows);
    smr_free(work);
    return st;
}

static smr_status decompose(smr_ctx *ctx, const smr_spec *spec, const smr_study *study,
                            double *predicted, smr_decomposition *out)
{
    smr_status st = SMR_OK;
    struct fitting f = {.spec = spec, .study = study, .predicted = predicted};
    TRY(smr_parallel(ctx, "fitting samples", study->n_samples, fit_sample, &f));
    smr_bias_points points = {.n_samples = study->n_samples,
                              .n = study->n_test,
                              .n_classes = study->set->target.classes.n,
                              .predicted = predicted,
                              .y = study->y,
                              .truth = study->truth,
                              .noise = study->noise};
    TRY(smr_bias_decompose(ctx, &points, out));
out:
    return st;
}

/* ---- over a parameter ------------------------------------------------------------------- */

/* The values as numbers, or NULL where some are not numbers. */
static smr_status place_values(smr_ctx *ctx, const smr_space_points *points, bool numbers,
                               double **out)
{
    smr_status st = SMR_OK;
    TRY_NEW(*out, points->n);
    for (int64_t k = 0; numbers && k < points->n; k++) {
        const char *text = points->at[k].value[0], *end = text ? text + strlen(text) : NULL;
        numbers = text && smr_parse_double(text, end, &(*out)[k]) == end;
    }
    if (!numbers) {
        smr_free(*out);
        *out = NULL;
    }
out:
    return st;
}

static smr_status vary(smr_ctx *ctx, const smr_spec *spec, const smr_study *study, const char *over,
                       double *predicted, smr_json *into, smr_json *figures)
{
    smr_status st = SMR_OK;
    smr_space *space = NULL;
    smr_space_points points = {0};
    smr_trade trade = {0};
    TRY(smr_space_parse(ctx, spec, over, &space));
    if (space->n_dims != 1) {
        st = smr_fail(ctx, SMR_ERR_PARAM, "--over varies one parameter here; '%s' has %lld", over,
                      (long long)space->n_dims);
        goto out;
    }
    TRY(smr_space_grid(ctx, space, &points));
    trade.parameter = space->dims[0].address->text;
    trade.log = space->dims[0].scale == SMR_SEARCH_LOG;
    trade.n = points.n;
    TRY_NEW(trade.rows, points.n);
    for (int64_t k = 0; k < points.n; k++) {
        const smr_space_point *p = &points.at[k];
        if (!p->spec) {
            st = smr_fail(ctx, SMR_ERR_PARAM, "%s", p->refusal);
            goto out;
        }
        trade.rows[k].value = p->value[0] ? p->value[0] : "";
        TRY(decompose(ctx, p->spec, study, predicted, &trade.rows[k].d));
    }
    TRY(place_values(ctx, &points, space->dims[0].is_number, &trade.x));
    TRY(smr_bias_tell_trade(ctx, study, &trade, into, figures));
out:
    smr_free(trade.x);
    smr_free(trade.rows);
    smr_space_points_release(&points);
    smr_space_free(space);
    return st;
}

/* ---- all of it -------------------------------------------------------------------------- */

static void tell_study(const smr_study *study, smr_json *into)
{
    bool classes = study->set->target.classes.n > 0;
    smr_json_add_string(into, "task", smr_task_name(study->set->target.task));
    smr_json_add_string(into, "loss", classes ? "zero-one" : "squared");
    smr_json_add_number(into, "samples", (double)study->n_samples);
    smr_json_add_number(into, "rows", (double)study->n_rows);
    smr_json_add_number(into, "test_rows", (double)study->n_test);
    smr_json_add_bool(into, "truth_known", study->truth != NULL);
    if (!study->truth)
        smr_json_add_string(into, "note",
                            study->drawn
                                ? "the generator's truth is not known in closed form: noise is "
                                  "counted with the bias"
                                : "samples are random parts of one file, which share rows; noise "
                                  "cannot be told apart and is counted with the bias");
}

smr_status smr_bias_variance_fill(smr_ctx *ctx, const smr_spec *spec, const smr_train_set *set,
                                  const smr_bias_how *how, smr_json *into)
{
    smr_status st = SMR_OK;
    struct source s = {0};
    smr_decomposition d;
    smr_bagging bag;
    double *predicted = NULL;
    TRY(check_how(ctx, how, set));
    TRY(open_study(ctx, spec, set, how, &s));
    TRY(smr_memory_check(ctx, 8.0 * (double)s.study.n_samples * (double)s.study.n_test,
                         "the predictions of all samples", "ask for fewer samples or test rows"));
    predicted = smr_alloc_raw(ctx, s.study.n_samples * s.study.n_test, sizeof *predicted);
    if (!predicted) {
        st = SMR_ERR_NOMEM;
        goto out;
    }
    tell_study(&s.study, into);
    smr_json *figures = smr_json_add_array(into, "figures");
    if (how->over) {
        TRY(vary(ctx, spec, &s.study, how->over, predicted, into, figures));
        goto out;
    }
    TRY(decompose(ctx, spec, &s.study, predicted, &d));
    smr_bias_tell(&s.study, &d, into, figures);
    if (how->bag) {
        TRY(smr_bias_bag(ctx, spec, &s.study, how->bag, &bag));
        smr_bias_tell_bagging(&bag, into, figures);
    }
out:
    smr_free(predicted);
    release(&s);
    return st;
}
