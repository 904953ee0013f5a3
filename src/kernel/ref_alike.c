/* ref_alike.c -- the plain forms of kernel/alike.h: see ref.h. */
#include "kernel/ref.h"

#include <math.h>

#define real float
#define NAME(name) smr_ref_##name##_f32
#define FMA fmaf
#include "kernel/ref_alike.inl"
#undef real
#undef NAME
#undef FMA

#define real double
#define NAME(name) smr_ref_##name##_f64
#define FMA fma
#include "kernel/ref_alike.inl"

/* Cell by cell, a level after the other; the levels lie in work. */
static double subsequences_of(int64_t length, double decay, const smr_string_pairs *p, int lane)
{
    double total = 0;
    for (int64_t i = 0; i < p->n_inner * (length - 1); i++) p->work[i] = 0;
    for (int64_t a = 0; a < p->n_outer; a++) {
        double chain[SMR_SUBSEQUENCE_MOST] = {0}, before[SMR_SUBSEQUENCE_MOST] = {0};
        for (int64_t b = 0; b < p->n_inner; b++) {
            double *level = p->work + b * (length - 1);
            bool same = p->outer[a * SMR_SUBSEQUENCE_LANES + lane] ==
                        p->inner[b * SMR_SUBSEQUENCE_LANES + lane];
            total += !same ? 0 : length > 1 ? before[length - 2] : 1;
            for (int64_t i = length - 2; i >= 0; i--)
                chain[i] = fma(decay, chain[i], !same ? 0 : i > 0 ? before[i - 1] : 1);
            for (int64_t i = 0; i < length - 1; i++) {
                before[i] = level[i];
                level[i] = fma(decay, before[i], chain[i]);
            }
        }
    }
    return total;
}

void smr_ref_subsequences_f64(int64_t length, double decay, const smr_string_pairs *pairs,
                              double *total)
{
    for (int l = 0; l < SMR_SUBSEQUENCE_LANES; l++)
        total[l] = subsequences_of(length, decay, pairs, l);
}
