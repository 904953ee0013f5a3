/* real.inl -- code for floats and for doubles: defines, for SMR_REAL_IS_F32 or not,
 *
 *     R            the type
 *     K(name)      the kernel of that type: smr_product_f32
 *     L(name)      a name of this file for that type: forward_f32
 *
 * A layer's file includes its body twice, each time after this. */
#undef R
#undef K
#undef L
#ifdef SMR_REAL_IS_F32
#define R float
#define K(name) smr_##name##_f32
#define L(name) name##_f32
#else
#define R double
#define K(name) smr_##name##_f64
#define L(name) name##_f64
#endif
