/* entry_products.c -- sparse rows against packed ones: kernel/alike.h.
 *
 * Two panels at a time stay in the first-level cache while all rows run through them: an entry is
 * one step of the chains of all their columns. */
#include "kernel/alike.h"
#include "kernel/tier/simd.h"
#include "kernel/tier/tier.h"

#define real float
#define K(name) name##_f32
#define PRODUCT TIER(entries_product_f32)
#include "kernel/tier/entry_products.inl"
#undef real
#undef K
#undef PRODUCT

#define real double
#define K(name) name##_f64
#define PRODUCT TIER(entries_product_f64)
#include "kernel/tier/entry_products.inl"
