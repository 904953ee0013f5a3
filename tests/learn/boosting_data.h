/* boosting_data.h -- rows for the tests of boosting: four features, a target that is not linear in
 * them, and weights. */
#ifndef SMR_TESTS_BOOSTING_DATA_H
#define SMR_TESTS_BOOSTING_DATA_H

#include "learn/matrix_data.h"
#include "said.h"

#include "learn/member.h"

enum { N = 151, D = 4 };

struct problem {
    struct matrix_data m;
    double *x, *weight, *y;
    int32_t label[N];
};

static inline void make_problem(struct problem *p, int64_t n_classes)
{
    double *noise = random_matrix(N, 12);
    p->x = random_matrix(N * D, 31);
    p->weight = random_matrix(N, 13);
    p->y = random_matrix(N, 77);
    for (int64_t i = 0; i < N; i++) {
        const double *r = p->x + i * D;
        double s = r[0] - 0.6 * r[1] + 0.7 * r[2] * r[3] + 0.8 * noise[i];
        p->label[i] = (int32_t)(s > 0);
        if (n_classes > 2) p->label[i] += (int32_t)(r[2] + 0.3 * noise[i] > 0.2);
        p->weight[i] = 0.3 + fabs(p->weight[i]);
        p->y[i] = s + 0.3 * r[0] * r[0] + 0.2 * p->y[i];
    }
    matrix_data(&p->m, N, D, 1, p->x, n_classes ? NULL : p->y, p->weight);
    if (n_classes) {
        p->m.data.task = SMR_TASK_CLASSIFY;
        p->m.data.label = p->label;
        p->m.data.n_classes = n_classes;
    }
    free(noise);
}

static inline void end_problem(struct problem *p)
{
    free(p->x);
    free(p->weight);
    free(p->y);
}

static inline smr_member train(smr_ctx *ctx, const char *sentence, const smr_data *data)
{
    smr_member m = {0};
    check_ok(ctx, said_member(ctx, sentence, data, &m, NULL));
    return m;
}

#endif
