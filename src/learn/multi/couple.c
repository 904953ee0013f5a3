/* couple.c -- see couple.h. */
#include "learn/multi/couple.h"

#include <math.h>
#include <string.h>

/* ---- votes: (1) ------------------------------------------------------------------------- */

/* Pairs' scores of a row -> decisions. */
void smr_pairs_vote(const smr_class_pairs *s, const double *pair, double *out)
{
    for (int64_t c = 0; c < s->n_classes; c++) {
        double votes = 0, sum = 0;
        bool is_present = false;
        for (int64_t m = 0; m < s->n; m++) {
            bool is_first = s->first[m] == c, is_second = s->second[m] == c;
            is_present |= is_first || is_second;
            if (is_first) {
                votes += !(pair[m] > 0);
                sum -= pair[m];
            } else if (is_second) {
                votes += pair[m] > 0;
                sum += pair[m];
            }
        }
        out[c] = is_present ? votes + sum / (3 * (fabs(sum) + 1)) : -1;
    }
}

/* ---- coupling: (2) ---------------------------------------------------------------------- */

/* Q and the border of ones, n + 1 columns and the right side, from the pairs' probabilities of
 * their second class; place[c]: the position of class c among those present. */
static void fill_system(const smr_class_pairs *s, const double *pair, int64_t n,
                        const int64_t *place, double *a)
{
    int64_t w = n + 2;
    memset(a, 0, (size_t)((n + 1) * w) * sizeof *a);
    for (int64_t m = 0; m < s->n; m++) {
        int64_t i = place[s->first[m]], j = place[s->second[m]];
        double r_ji = smr_fmin(smr_fmax(pair[m], 1e-7), 1 - 1e-7), r_ij = 1 - r_ji;
        a[i * w + i] += r_ji * r_ji;
        a[j * w + j] += r_ij * r_ij;
        a[i * w + j] = a[j * w + i] = -r_ji * r_ij;
    }
    for (int64_t i = 0; i < n; i++) a[i * w + n] = a[n * w + i] = 1;
    a[n * w + n + 1] = 1;
}

/* Solves the rows of a (n x (n + 1)) in place; the answers end up in the last column. */
static void solve(int64_t n, double *a)
{
    int64_t w = n + 1;
    for (int64_t c = 0; c < n; c++) {
        int64_t p = c;
        for (int64_t i = c + 1; i < n; i++)
            if (fabs(a[i * w + c]) > fabs(a[p * w + c])) p = i;
        for (int64_t j = c; j < w && p != c; j++) {
            double t = a[c * w + j];
            a[c * w + j] = a[p * w + j];
            a[p * w + j] = t;
        }
        for (int64_t i = c + 1; i < n; i++) {
            double by = a[i * w + c] / a[c * w + c];
            for (int64_t j = c; j < w && by != 0; j++) a[i * w + j] -= by * a[c * w + j];
        }
    }
    for (int64_t c = n - 1; c >= 0; c--) {
        double x = a[c * w + n];
        for (int64_t j = c + 1; j < n; j++) x -= a[c * w + j] * a[j * w + n];
        a[c * w + n] = x / a[c * w + c];
    }
}

void smr_pairs_couple(const smr_class_pairs *s, const double *pair, int64_t *place, double *a,
                      double *out)
{
    int64_t n = 0;
    double sum = 0;
    for (int64_t c = 0; c < s->n_classes; c++) place[c] = -1;
    for (int64_t m = 0; m < s->n; m++) place[s->first[m]] = place[s->second[m]] = 0;
    for (int64_t c = 0; c < s->n_classes; c++)
        if (place[c] == 0) place[c] = n++;
    fill_system(s, pair, n, place, a);
    solve(n + 1, a);
    for (int64_t c = 0; c < s->n_classes; c++) {
        out[c] = place[c] >= 0 ? smr_fmax(0, a[place[c] * (n + 2) + n + 1]) : 0;
        sum += out[c];
    }
    for (int64_t c = 0; c < s->n_classes; c++) out[c] /= sum;
}
