/* product_f32.c -- the product kernel for float. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

#define real float
#define K(name) name##_f32
#include "kernel/tier/tile.inl"

#include "kernel/tier/product_float.inl"
