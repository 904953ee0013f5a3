/* nist.h -- reads a data set of tests/golden/nist. */
#ifndef SMR_TESTS_NIST_H
#define SMR_TESTS_NIST_H

#include "check.h"

enum { NIST_MAX = 128, NIST_COLUMNS = 12 };

struct nist {
    int n, p, degree; /* rows; parameters with the intercept; of the polynomial, or 0 */
    double sd, r2;
    double estimate[NIST_COLUMNS], error[NIST_COLUMNS]; /* intercept first */
    double x[NIST_MAX * NIST_COLUMNS];                  /* n x (p - 1)     */
    double y[NIST_MAX];
};

/* The tests run in the C locale, where fscanf reads what the files hold. */
static inline void nist_read(const char *name, struct nist *s)
{
    char path[128], line[256];
    snprintf(path, sizeof path, "tests/golden/nist/%s.txt", name);
    FILE *f = fopen(path, "r");
    if (!f) fail_msg("cannot open %s: run the tests in the root of the repository", path);
    long at = 0;
    while (fgets(line, sizeof line, f) && line[0] == '#') at = ftell(f);
    fseek(f, at, SEEK_SET);
    assert_int_equal(fscanf(f, "%d %d %d %lf %lf", &s->n, &s->p, &s->degree, &s->sd, &s->r2), 5);
    assert_true(s->n <= NIST_MAX && s->p <= NIST_COLUMNS);
    for (int j = 0; j < s->p; j++)
        assert_int_equal(fscanf(f, "%lf %lf", &s->estimate[j], &s->error[j]), 2);
    for (int i = 0; i < s->n; i++) {
        assert_int_equal(fscanf(f, "%lf", &s->y[i]), 1);
        double *row = s->x + i * (s->p - 1);
        for (int j = 0; j < (s->degree ? 1 : s->p - 1); j++)
            assert_int_equal(fscanf(f, "%lf", &row[j]), 1);
        long double power = row[0];
        for (int j = 1; j < s->degree; j++) row[j] = (double)(power *= (long double)row[0]);
    }
    fclose(f);
}

/* Digits that agree: -log10 of the relative error (of the absolute one where the value is 0), at
 * most 15. */
static inline double nist_digits(double got, double want)
{
    double error = want != 0 ? fabs(got - want) / fabs(want) : fabs(got);
    return error <= 1e-15 ? 15 : isnan(error) ? 0 : -log10(error);
}

#endif
