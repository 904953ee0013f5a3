/* kernel_tile_f64.c -- kernel_tile.inl in double. */
#include "learn/kernels/kernel_tile.h"

#include "kernel/alike.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

#define real double
#define K(name) name##_f64
#define PRODUCT smr_product_f64
#define PANELS_SIZE smr_panels_size_f64
#define EXP smr_exp_f64
#define RBF smr_rbf_f64
#define L1 smr_l1_sum_f64
#define CHI2 smr_chi2_sum_f64
#define ENTRIES smr_entries_panel_f64
#define ENTRIES_PRODUCT smr_entries_product_f64
#define SQRT sqrt

#include "learn/kernels/kernel_tile.inl"
