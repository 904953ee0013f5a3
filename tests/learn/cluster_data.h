/* cluster_data.h -- rows for clusterings, fits without a target, and labels that are asked for. */
#ifndef SMR_TESTS_CLUSTER_DATA_H
#define SMR_TESTS_CLUSTER_DATA_H

#include "learn/matrix_data.h"
#include "pipeline.h"

/* n rows of d numbers around k centres; every eighth row equals the one before it. */
static inline double *heaps(int64_t n, int64_t d, int64_t k, uint64_t seed)
{
    double *x = random_matrix(n * d, seed), *centre = random_matrix(k * d, seed + 1);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) {
            int64_t c = (int64_t)smr_random_below(seed, SMR_STREAM_TEST, 9, (uint64_t)i, k);
            x[i * d + j] = i % 8 == 7 ? x[(i - 1) * d + j] : x[i * d + j] + 5 * centre[c * d + j];
        }
    free(centre);
    return x;
}

static inline void cluster_data(struct matrix_data *m, int64_t n, int64_t d, const double *x,
                                const double *weight)
{
    matrix_data(m, n, d, 0, x, NULL, weight);
    m->data.task = SMR_TASK_CLUSTER;
}

static inline struct fitted fit_clusters(const smr_learner *learner, const char *words, int64_t n,
                                         int64_t d, const double *x, const double *weight,
                                         int threads)
{
    struct matrix_data m;
    cluster_data(&m, n, d, x, weight);
    struct fitted f = fit_matrix(learner, words, &m.data, threads);
    if (learner->fitted->prepare)
        check_ok(f.ctx, learner->fitted->prepare(f.ctx, f.params, f.state));
    return f;
}

static inline void ask_clusters(const struct fitted *f, int64_t n, int64_t d, const double *x,
                                smr_output output, double *out)
{
    smr_rows rows = {.n = n, .d = d, .form = SMR_FORM_F64, .x = x, .stride = d};
    void *scratch = smr_alloc(f->ctx, f->learner->fitted->scratch(f->params, f->state, n) + 1, 1);
    assert_non_null(scratch);
    check_ok(f->ctx,
             f->learner->fitted->predict(f->ctx, f->params, f->state, &rows, output, out, scratch));
    smr_free(scratch);
}

/* What a fit that fails says; limit: bytes that it may take, 0: any. */
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

#endif
