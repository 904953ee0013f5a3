/* solve_f64.c -- triangular solves for double. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

#define real double
#define K(name) name##_f64
#include "kernel/tier/tile.inl"

#include "kernel/tier/solve.inl"
