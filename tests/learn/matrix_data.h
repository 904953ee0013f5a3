/* matrix_data.h -- a matrix in memory as a learner's data, and a learner run by its descriptor. */
#ifndef SMR_TESTS_MATRIX_DATA_H
#define SMR_TESTS_MATRIX_DATA_H

#include "check.h"

#include "core/params.h"
#include "core/rng.h"
#include "learn/learner.h"
#include "learn/state.h"

enum { MATRIX_COLUMNS = 144 };

struct matrix_data {
    smr_feature features[MATRIX_COLUMNS];
    char names[MATRIX_COLUMNS][24];
    smr_data data;
};

/* x is n x d, y n x q; features are named x0, x1 ... */
static inline void matrix_data(struct matrix_data *m, int64_t n, int64_t d, int64_t q,
                               const double *x, const double *y, const double *weight)
{
    assert_true(d <= MATRIX_COLUMNS);
    for (int64_t j = 0; j < d; j++) {
        snprintf(m->names[j], sizeof m->names[j], "x%lld", (long long)j);
        m->features[j] = (smr_feature){.name = m->names[j],
                                       .kind = SMR_NUMBER,
                                       .dtype = SMR_F64,
                                       .values = x + j,
                                       .stride = d};
    }
    m->data = (smr_data){.size = sizeof m->data,
                         .n_rows = n,
                         .n_features = d,
                         .features = m->features,
                         .refuse_missing = true,
                         .task = SMR_TASK_REGRESS,
                         .n_outputs = q,
                         .y = y,
                         .weight = weight};
}

/* Sets "key=value" words, separated by spaces. */
static inline void *make_params(smr_ctx *ctx, const smr_learner *learner, const char *words)
{
    void *params = NULL;
    char copy[256], *save = NULL;
    check_ok(ctx, smr_params_create(ctx, learner->word, &params));
    snprintf(copy, sizeof copy, "%s", words);
    for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        char *value = strchr(w, '=');
        assert_non_null(value);
        *value = '\0';
        const smr_param *p = smr_param_find(learner->word, w);
        if (!p) fail_msg("%s has no parameter %s", learner->word->name, w);
        check_ok(ctx, smr_param_set(ctx, learner->word, params, p, value + 1));
    }
    return params;
}

/* A fitted learner with its context. */
struct fitted {
    smr_ctx *ctx;
    const smr_learner *learner;
    void *params, *state;
    smr_fit_report report;
};

static inline struct fitted fit_matrix(const smr_learner *learner, const char *words,
                                       const smr_data *data, int threads)
{
    struct fitted f = {.ctx = check_ctx(threads), .learner = learner};
    f.params = make_params(f.ctx, learner, words);
    check_ok(f.ctx, smr_state_create(f.ctx, learner, &f.state));
    check_ok(f.ctx, smr_learner_fit(f.ctx, learner, f.params, data, f.state, &f.report));
    return f;
}

static inline void end_fitted(struct fitted *f)
{
    smr_fit_report_release(&f->report);
    smr_state_free(f->learner, f->state);
    smr_params_free(f->learner->word, f->params);
    check_ctx_end(f->ctx);
}

/* An array of the state, by name. */
static inline const double *state_array(const struct fitted *f, const char *name)
{
    for (int64_t i = 0; i < f->learner->fitted->n_state; i++)
        if (!strcmp(f->learner->fitted->state[i].name, name))
            return smr_state_values(&f->learner->fitted->state[i], f->state);
    fail_msg("%s has no state %s", f->learner->word->name, name);
    return NULL;
}

static inline void predict_matrix(const struct fitted *f, int64_t n, int64_t d, const double *x,
                                  double *out)
{
    smr_rows rows = {.n = n, .d = d, .form = SMR_FORM_F64, .x = x, .stride = d};
    check_ok(f->ctx, f->learner->fitted->predict(f->ctx, f->params, f->state, &rows,
                                                 SMR_OUTPUT_VALUE, out, NULL));
}

/* What inspect would show; free with smr_json_free. */
static inline smr_json_doc *describe_fitted(const struct fitted *f, const smr_data *data)
{
    smr_json_doc *doc = NULL;
    check_ok(f->ctx, smr_json_create(f->ctx, &doc));
    check_ok(f->ctx, f->learner->fitted->describe(f->ctx, f->params, f->state, data->features,
                                                  data->n_features, smr_json_root(doc)));
    check_ok(f->ctx, smr_json_done(doc));
    return doc;
}

/* n numbers of mean 0 and variance about 1. */
static inline double *random_matrix(int64_t n, uint64_t seed)
{
    double *x = malloc((size_t)SMR_MAX(n, 1) * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++) {
        x[i] = -2;
        for (uint64_t k = 0; k < 4; k++)
            x[i] += smr_random_unit(seed, SMR_STREAM_TEST, k, (uint64_t)i);
        x[i] *= sqrt(3);
    }
    return x;
}

/* Every n-th allocation of a fit is made to fail, until it succeeds. */
static inline void check_failing_fits(const smr_learner *learner, const char *words,
                                      const smr_data *data)
{
    smr_ctx *ctx = check_ctx(1);
    void *params = make_params(ctx, learner, words);
    int64_t before = smr_ctx_memory(ctx, NULL), n = 0;
    for (bool done = false; !done; n++) {
        void *state = NULL;
        smr_fit_report report = {0};
        smr_memory_fail_at(ctx, n);
        smr_status st = smr_state_create(ctx, learner, &state);
        if (st == SMR_OK) st = smr_learner_fit(ctx, learner, params, data, state, &report);
        smr_memory_fail_at(ctx, -1);
        smr_fit_report_release(&report);
        smr_state_free(learner, state);
        assert_int_equal(smr_ctx_memory(ctx, NULL), before);
        done = st == SMR_OK;
        if (!done) assert_int_equal(st, SMR_ERR_NOMEM);
        smr_ctx_clear(ctx);
    }
    assert_true(n > 10);
    smr_params_free(learner->word, params);
    check_ctx_end(ctx);
}

#endif
