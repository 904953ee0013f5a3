/* product_f64.c -- the product kernel for double. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

#define real double
#define K(name) name##_f64
#include "kernel/tier/tile.inl"

#include "kernel/tier/product_float.inl"
