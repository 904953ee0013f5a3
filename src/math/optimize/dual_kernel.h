/* dual_kernel.h -- the dual problem of kernel machines, by working sets.
 *
 *     minimise  1/2 a'Q a + p'a   over  0 <= a_t <= C_t,  y'a = what it is at the start        (1)
 *     Q_ts = y_t y_s K(point_t, point_s),   y_t = -1 or 1
 *
 * and with by_class also the sums of a over y_t = 1 and over y_t = -1, each for itself.  C_t may be
 * infinite (hard margins).  With F_i = sum_t y_t a_t K(point_t, i) the gradient of (1) is
 * g_t = p_t + y_t F_i, and v_t = -y_t g_t.  An a is optimal if and only if
 *
 *     m(a) = max over U of v  <=  M(a) = min over L of v,                                       (2)
 *     U: y_t a_t may grow, L: y_t a_t may fall
 *
 * and m - M, the largest violation of the conditions, is what tol bounds (by_class: in each class).
 * The gap to the minimum is at most sum_t a_t max(s_t, 0) + (C_t - a_t) max(-s_t, 0),
 * s_t = g_t + b y_t, for every b.
 *
 * Work goes in rounds.  A round takes the variables that violate (2) most, next to those that
 * came in last, in all an eighth of all within bounds; solves (1) over them alone, pair by pair
 * with the second-order choice, on their block of K; and then adds what has changed to F for all
 * points, reading or computing the rows of K of the changed variables only.  Rows are kept in a
 * cache of cache_bytes, the least recently used making place.  No result depends on the size of the
 * cache or on the threads: entries of K have the same bits wherever they come from, and sums run in
 * an order that the data give.
 *
 * F is kept in double; the errors that rounding may have left in it are bounded on the way, and
 * where the bound is not far below tol, F is computed anew before the end is believed.
 *
 * Where K is not positive semi-definite (1) has many local minima; a pair whose curvature is not
 * positive goes to a bound, so the work ends at one of the points with (2).  With infinite C_t such
 * a pair has no minimum: is_unbounded, with the two variables.
 *
 * Cost: n entries of K for each variable that moved, computed about once if the cache holds them;
 * memory: the cache, up to 32 MB of rows at work, a block of SET^2 floats, 5 numbers a variable.
 * References: Fan, Chen & Lin, JMLR 6:1889-1918, 2005 (second order, (2)); Serafini & Zanni,
 * Optim. Methods Softw. 20:583-596, 2005 (working sets); Wen et al., JMLR 19(21), 2018. */
#ifndef SMR_MATH_OPTIMIZE_DUAL_KERNEL_H
#define SMR_MATH_OPTIMIZE_DUAL_KERNEL_H

#include "math/kernel_rows.h"

typedef struct smr_kernel_dual {
    const smr_kernel_rows *rows;
    int64_t n;            /* variables                                    */
    const int32_t *point; /* n: of which point; NULL: variable t of point t */
    const double *y;      /* n: -1 or 1                                   */
    const double *p;      /* n                                            */
    const double *most;   /* n: C_t >= 0, or infinite                     */
    bool by_class;
} smr_kernel_dual;

typedef struct smr_kernel_dual_opts {
    double tol;         /* 0: 1e-3                                      */
    int64_t max_steps;  /* pairs that are moved; 0: no limit            */
    double cache_bytes; /* 0: nothing is kept between rounds            */
    bool is_warm;       /* a is not 0 at the start                      */
    double *score;      /* receives F, one for each point; may be NULL  */
    const char *what;   /* names the work; NULL: "kernel machine"       */
} smr_kernel_dual_opts;

typedef struct smr_kernel_dual_result {
    double objective, violation, gap; /* of (1); m - M; the bound above at b, infinite where some
                                         C_t is and its variable may still grow               */
    double b[2];                      /* by_class: of y = -1 and of y = 1; else both the same:
                                         the mean v of variables between their bounds, or the
                                         middle between m and M.  A row's decision is F + b    */
    double square;                    /* a'Qa                                                  */
    int64_t rounds, steps;            /* pairs that were moved                                 */
    int64_t n_support, n_bounded;     /* a_t > 0; of these at C_t                              */
    int64_t n_entries;                /* of K, as far as whole rows were computed              */
    bool converged;
    bool is_unbounded; /* (1) has no minimum: these two variables can grow for ever */
    int32_t pair[2];
} smr_kernel_dual_result;

/* a (n): the start, within its bounds, on entry; the answer on return. */
smr_status smr_kernel_dual_solve(smr_ctx *ctx, const smr_kernel_dual *problem,
                                 const smr_kernel_dual_opts *opts, double *a,
                                 smr_kernel_dual_result *out);

#endif
