/* kernel_tile_f32.c -- kernel_tile.inl in float. */
#include "learn/kernels/kernel_tile.h"

#include "kernel/alike.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

#define real float
#define K(name) name##_f32
#define PRODUCT smr_product_f32
#define PANELS_SIZE smr_panels_size_f32
#define EXP smr_exp_f32
#define RBF smr_rbf_f32
#define L1 smr_l1_sum_f32
#define CHI2 smr_chi2_sum_f32
#define ENTRIES smr_entries_panel_f32
#define ENTRIES_PRODUCT smr_entries_product_f32
#define SQRT sqrtf

#include "learn/kernels/kernel_tile.inl"
