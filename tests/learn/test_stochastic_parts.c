/* test_stochastic_parts.c -- the full gradients that finish a stochastic fit, on rows enough to be
 * cut into parts: the bits do not depend on the threads, and the point is the optimum.
 *
 * Truth: the gradient of the stated objective, added up here row by row in long double. */
#include "learn/matrix_data.h"

#include "math/loss.h"

extern const smr_learner smr_sgd;

enum { N = 20011, D = 3, K = 3 };

struct rows {
    struct matrix_data m;
    double *x, *weight;
    int32_t *label;
};

/* Every seventh row has no weight, and values that would show if it were read. */
static void make_rows(struct rows *r, int64_t n_classes)
{
    double *noise = random_matrix(N, 17);
    r->x = random_matrix((int64_t)N * D, 23);
    r->weight = random_matrix(N, 29);
    r->label = calloc(N, sizeof *r->label);
    for (int64_t i = 0; i < N; i++) {
        double *x = r->x + i * D, s = 0.7 * x[0] - 0.9 * x[1] + noise[i];
        r->label[i] = s > 0.2 ? 1 : n_classes > 2 && s < -0.6 ? 2 : 0;
        r->weight[i] = i % 7 == 3 ? 0 : 0.5 + fabs(r->weight[i]);
        for (int j = 0; j < D && i % 7 == 3; j++) x[j] = 1e6;
    }
    matrix_data(&r->m, N, D, 1, r->x, NULL, r->weight);
    r->m.data.task = SMR_TASK_CLASSIFY;
    r->m.data.label = r->label;
    r->m.data.n_classes = n_classes;
    free(noise);
}

static void end_rows(struct rows *r)
{
    free(r->x);
    free(r->weight);
    free(r->label);
}

/* The largest entry of the gradient over the rows' weight. */
static double gradient_of(const struct rows *r, const smr_loss *loss, const double *w,
                          const double *b, double l2, int64_t q)
{
    long double g[K * (D + 1)] = {0}, total = 0;
    double most = 0;
    for (int64_t i = 0; i < N; i++) {
        double f[K], slope[K];
        const double *x = r->x + i * D;
        if (r->weight[i] == 0) continue;
        for (int64_t c = 0; c < q; c++) {
            f[c] = b[c];
            for (int j = 0; j < D; j++) f[c] += w[c * D + j] * x[j];
        }
        if (q > 1)
            smr_loss_classes(loss, 1, q, &r->label[i], f, NULL, slope);
        else
            slope[0] = smr_loss_at(loss, 0, r->label[i] == 1 ? 1 : -1, f[0]).slope;
        total += r->weight[i];
        for (int64_t c = 0; c < q; c++) {
            for (int j = 0; j < D; j++) g[c * (D + 1) + j] += r->weight[i] * slope[c] * x[j];
            g[c * (D + 1) + D] += r->weight[i] * slope[c];
        }
    }
    for (int64_t c = 0; c < q; c++)
        for (int j = 0; j <= D; j++) {
            double at = (double)g[c * (D + 1) + j] + (j < D ? l2 * w[c * D + j] : 0);
            most = fmax(most, fabs(at) / (double)total);
        }
    return most;
}

static void check(const char *words, smr_loss_id id, int64_t n_classes)
{
    struct rows r;
    int64_t q = n_classes == 2 ? 1 : n_classes;
    double first[K * (D + 1)];
    make_rows(&r, n_classes);
    for (int threads = 1; threads <= 7; threads += CHECK_LESS ? 6 : 2) {
        struct fitted f = fit_matrix(&smr_sgd, words, &r.m.data, threads);
        double now[K * (D + 1)];
        memcpy(now, state_array(&f, "coef"), (size_t)(q * D) * sizeof *now);
        memcpy(now + q * D, state_array(&f, "intercept"), (size_t)q * sizeof *now);
        if (threads == 1) memcpy(first, now, sizeof now);
        assert_memory_equal(now, first, (size_t)(q * (D + 1)) * sizeof *now);
        end_fitted(&f);
    }
    /* tol=1e-7 of the gradient of the model without coefficients, whose entries are below 1 */
    double g = gradient_of(&r, &smr_losses[id], first, first + q * D, 3, q);
    if (!(g < 1e-6)) fail_msg("%s: gradient %g", words, g);
    end_rows(&r);
}

static void full_gradients_of_parts_lead_to_the_optimum(void **unused)
{
    (void)unused;
    check("loss=logistic l2=3 tol=1e-7", SMR_LOSS_LOGISTIC, 2);
    check("loss=cross_entropy l2=3 tol=1e-7", SMR_LOSS_CROSS_ENTROPY, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_gradients_of_parts_lead_to_the_optimum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
