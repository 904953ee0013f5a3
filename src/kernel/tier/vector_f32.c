/* vector_f32.c -- dot products, squared distances and updates of float vectors. */
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

#define real float
#define K(name) name##_f32
#include "kernel/tier/reduce.inl"
