/* trig.h -- sine and cosine of multiples of pi, arc tangent, and normal random numbers, with the
 * same bits on every machine: only + - * / sqrt and the kernel's log. */
#ifndef SMR_MATH_TRIG_H
#define SMR_MATH_TRIG_H

#include "core/rng.h"

/* sin(pi x) and cos(pi x): the reduction is exact, whole and half numbers give exact answers; error
 * below 2 ulp.  NaN for infinite x. */
double smr_sin_pi(double x);
double smr_cos_pi(double x);
/* Error below 4 ulp. */
double smr_atan(double x);

/* Two independent standard normal draws for the counter (a, b), by Box and Muller's transform. */
void smr_random_normals(uint64_t seed, smr_stream stream, uint64_t a, uint64_t b, double out[2]);

#endif
