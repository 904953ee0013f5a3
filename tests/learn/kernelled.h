/* kernelled.h -- learners of kernels on a matrix in memory: fitted, prepared, asked. */
#ifndef SMR_TESTS_KERNELLED_H
#define SMR_TESTS_KERNELLED_H

#include "learn/matrix_data.h"

static inline void class_data(struct matrix_data *m, int64_t n, int64_t d, int64_t k,
                              const double *x, const int32_t *label, const double *weight)
{
    matrix_data(m, n, d, 1, x, NULL, weight);
    m->data.task = SMR_TASK_CLASSIFY;
    m->data.label = label;
    m->data.n_classes = k;
}

/* Fits and prepares. */
static inline struct fitted fit_ready(const smr_learner *learner, const char *words,
                                      const smr_data *data, int threads)
{
    struct fitted f = fit_matrix(learner, words, data, threads);
    if (learner->fitted->prepare)
        check_ok(f.ctx, learner->fitted->prepare(f.ctx, f.params, f.state));
    return f;
}

static inline void ask(const struct fitted *f, int64_t n, int64_t d, const double *x,
                       smr_output output, double *out)
{
    smr_rows rows = {.n = n, .d = d, .form = SMR_FORM_F64, .x = x, .stride = d};
    const smr_fitted *is = f->learner->fitted;
    int64_t bytes = is->scratch ? is->scratch(f->params, f->state, n) : 0;
    void *scratch = smr_alloc(f->ctx, bytes + 1, 1);
    assert_non_null(scratch);
    check_ok(f->ctx, is->predict(f->ctx, f->params, f->state, &rows, output, out, scratch));
    smr_free(scratch);
}

static inline double number(const struct fitted *f, const char *name)
{
    return *state_array(f, name);
}

static inline int64_t whole(const struct fitted *f, const char *name)
{
    return *(const int64_t *)(const void *)state_array(f, name);
}

/* What a fit that fails says. */
static inline void check_refused(const smr_learner *learner, const char *words,
                                 const smr_data *data, int64_t limit, const char *part)
{
    smr_ctx *ctx = check_ctx(1);
    void *params = make_params(ctx, learner, words), *state = NULL;
    smr_fit_report report = {0};
    check_ok(ctx, smr_state_create(ctx, learner, &state));
    if (limit) check_ok(ctx, smr_ctx_set_memory_limit(ctx, limit));
    assert_int_not_equal(smr_learner_fit(ctx, learner, params, data, state, &report), SMR_OK);
    if (!strstr(smr_ctx_message(ctx), part)) fail_msg("no '%s' in: %s", part, smr_ctx_message(ctx));
    smr_fit_report_release(&report);
    smr_state_free(learner, state);
    smr_params_free(learner->word, params);
    check_ctx_end(ctx);
}

/* phi with phi(u)'phi(v) = (u v + 1)^2 - 1: d + d (d + 1) / 2 features; the constant, which an
 * intercept makes useless, is left out. */
static inline double *quadratic_features(int64_t n, int64_t d, const double *x, int64_t *width)
{
    *width = d + d * (d + 1) / 2;
    double *phi = malloc((size_t)(n * *width) * sizeof *phi);
    assert_non_null(phi);
    for (int64_t i = 0; i < n; i++) {
        const double *u = x + i * d;
        double *to = phi + i * *width;
        for (int64_t j = 0; j < d; j++) {
            *to++ = sqrt(2) * u[j];
            for (int64_t k = 0; k <= j; k++) *to++ = (k < j ? sqrt(2) : 1) * u[j] * u[k];
        }
    }
    return phi;
}

#endif
