/* near.h -- inner loops of nearest-neighbour search, in tiers like those of kernel.h.
 *
 * A group is 16 points or 16 boxes that are compared with one query at a time, coordinate by
 * coordinate: coordinate j of member i lies at j * 16 + i (in a wider panel of floats, at
 * j * next + i).  Sums run over ascending j; whether an addition is fused with its product depends
 * on the tier, so a caller must take the results as approximate: within a relative (d + 3) 2^-53 of
 * the truth; products relative to the sum of the terms' magnitudes.
 *
 * A scan looks through a row of products for the few that may belong to near neighbours: positions
 * j where a key, base[j] - 2 c[j] or c[j] scale[j], is on the near side of a limit. */
#ifndef SMR_KERNEL_NEAR_H
#define SMR_KERNEL_NEAR_H

#include <stdint.h>

enum { SMR_NEAR_GROUP = 16 };

/* What a group's distances are: sum of squares, sum of magnitudes, largest magnitude; or no
 * distances but products q x, which no limit sorts out. */
typedef enum smr_near_kind {
    SMR_NEAR_L2 = 0,
    SMR_NEAR_L1 = 1,
    SMR_NEAR_LINF = 2,
    SMR_NEAR_DOT = 3
} smr_near_kind;

typedef struct smr_near_kernels {
    /* dist[i] = distance of q to point i; bit i of the answer: dist[i] <= limit. */
    unsigned (*points_f64)(smr_near_kind kind, int64_t d, const double *points, const double *q,
                           double limit, double *dist);
    unsigned (*points_f32)(smr_near_kind kind, int64_t d, const float *points, int64_t next,
                           const double *q, double limit, double *dist);
    unsigned (*points_u8)(smr_near_kind kind, int64_t d, const uint8_t *points, const double *q,
                          double limit, double *dist);
    /* The same for boxes: at j * 32 the 16 lower ends of coordinate j, then the 16 upper ends. */
    unsigned (*boxes_f64)(smr_near_kind kind, int64_t d, const double *boxes, const double *q,
                          double limit, double *dist);
    unsigned (*boxes_f32)(smr_near_kind kind, int64_t d, const float *boxes, const double *q,
                          double limit, double *dist);
    unsigned (*boxes_u8)(smr_near_kind kind, int64_t d, const uint8_t *boxes, const double *q,
                         double limit, double *dist);

    /* Half a panel of floats: out[j * 32 + i] = (x[j * 16 + i] / length[i] - center[j]) unit; a
     * length of NULL divides by nothing. */
    void (*center)(int64_t d, const double *x, const double *length, const double *center,
                   double unit, float *out);

    /* hits[0..answer) = the positions j < n, ascending, with base[j] - 2 c[j] <= limit. */
    int64_t (*scan_f32)(int64_t n, const float *c, const float *base, float limit, int32_t *hits);
    int64_t (*scan_i32)(int64_t n, const int32_t *c, const int32_t *base, int32_t limit,
                        int32_t *hits);
    /* The same with c[j] scale[j] >= limit. */
    int64_t (*scan_scaled_f32)(int64_t n, const float *c, const float *scale, float limit,
                               int32_t *hits);
    int64_t (*scan_scaled_i32)(int64_t n, const int32_t *c, const float *scale, float limit,
                               int32_t *hits);
} smr_near_kernels;

/* The functions of the tier in use (smr_kernel_tier). */
const smr_near_kernels *smr_near(void);

#endif
