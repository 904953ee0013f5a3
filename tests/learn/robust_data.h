/* robust_data.h -- the table on which the robust and generalised linear learners are compared with
 * other programs; robust_data() of tests/truth/truth.py is the same in Python. */
#ifndef SMR_TESTS_ROBUST_DATA_H
#define SMR_TESTS_ROBUST_DATA_H

#include "learn/matrix_data.h"

enum { ROBUST_N = 211, ROBUST_D = 6 };

struct robust_data {
    double x[ROBUST_N * ROBUST_D], y[ROBUST_N], weight[ROBUST_N];
    double counts[ROBUST_N], sizes[ROBUST_N];
};

static inline void robust_data(struct robust_data *t)
{
    for (int i = 0; i < ROBUST_N; i++) {
        double *x = t->x + i * ROBUST_D;
        t->y[i] = 3 + tan(1.3 * i);
        for (int j = 0; j < ROBUST_D; j++) {
            x[j] = sin(1.7 * i + 2.3 * j * j + 0.4 * i * j) * (1 + j);
            t->y[i] += x[j] * cos(j);
        }
        double mean = exp(0.3 * x[0] + 0.1 * x[1] + 0.5);
        t->weight[i] = 1 + i % 3;
        t->counts[i] = floor(mean * (1 + sin(7.1 * i)) + 0.3);
        t->sizes[i] = mean * (1.05 + sin(7.1 * i));
    }
}

#endif
