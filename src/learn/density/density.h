/* density.h -- densities of rows: what its files share.
 *
 *     density.c           parameters, state, descriptor, answers
 *     density_fit.c       the training rows; parametric densities
 *     density_kernels.c   Parzen windows: bandwidths by rule, the points that are kept
 *     density_search.c    the bandwidth under which rows that are left out are likeliest
 *     density_bins.c      histograms
 *     density_gaps.c      rows with gaps: the density of the other features
 *     density_rows.c      rows drawn from a density
 *     density_describe.c, density_draw.c     words and pictures
 *     parzen.h            sums over a tree */
#ifndef SMR_LEARN_DENSITY_DENSITY_H
#define SMR_LEARN_DENSITY_DENSITY_H

#include "learn/density/parzen.h"
#include "learn/learner.h"

enum {
    SMR_DENSITY_PARZEN,
    SMR_DENSITY_HISTOGRAM,
    SMR_DENSITY_NORMAL,
    SMR_DENSITY_LOGNORMAL,
    SMR_DENSITY_EXPONENTIAL,
    SMR_DENSITY_GAMMA
};
enum {
    SMR_DENSITY_AUTO,
    SMR_DENSITY_SCOTT,
    SMR_DENSITY_SILVERMAN,
    SMR_DENSITY_ROBUST,
    SMR_DENSITY_LIKELIHOOD
};
enum { SMR_DENSITY_DIAGONAL, SMR_DENSITY_FULL };
enum { SMR_DENSITY_BARS = 30 };

/* A feature that varies by less has bins as if it were constant: shares of its range are then
 * numbers. */
#define SMR_DENSITY_LEAST_RANGE 1e-150

struct smr_density_params {
    int model, kernel;
    smr_reals bandwidth, bins;
    int rule;
    double adjust;
    int covariance;
    double smoothing, rtol, atol;
};

struct smr_density_state {
    int64_t n_features;
    double total;   /* weight of the training rows */
    double *centre; /* n_features: means; of logarithms: lognormal                             */
    double *width;  /* n_features: bandwidths; deviations; scales                             */
    double *shape;  /* n_features: gamma                                                       */
    double *root; /* n_features x n_features, by rows: the lower triangle L, L L' the covariance */
    int64_t n_shown;                  /* parametric, for pictures: bars of each feature */
    double *least, *most;             /* n_features: from where to where                */
    double *shown;                    /* n_features x n_shown: the weight in each       */
    int64_t n_points, n_groups, lane; /* parzen */
    double *point;                    /* n_groups x n_features x 16 */
    double *weight;                   /* n_groups x 16              */
    int64_t n_tried;                  /* search                     */
    double *tried, *likelihood;       /* n_tried                    */
    int64_t n_cells;                  /* histogram                  */
    double *low, *high;               /* n_features                 */
    int64_t *bins;                    /* n_features                 */
    int32_t *cell;                    /* n_cells x n_features, in lexicographic order */
    double *count;                    /* n_cells                                      */
    double log_norm; /* of what sums are divided by: made by prepare, as the tree is */
    smr_parzen tree;
};

/* The training rows that count: those with a weight and without a gap. */
struct smr_density_rows {
    const smr_data *data;
    int64_t n, d;
    double *x; /* n x d */
    double *w; /* n     */
    double total;
};

/* log 2 pi. */
#define SMR_LOG_2PI 1.83787706640934548356065947281

static inline bool smr_density_is_full(const struct smr_density_params *p)
{
    bool has = p->model == SMR_DENSITY_PARZEN || p->model == SMR_DENSITY_NORMAL ||
               p->model == SMR_DENSITY_LOGNORMAL;
    return has && p->covariance == SMR_DENSITY_FULL;
}

/* ---- fitting ---- */

smr_status smr_density_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                           smr_fit_report *report);

/* Moments of column j: the mean, and the deviation, with `less` (0 or 1) taken from the weight.  A
 * column that never changes has the deviation 1e-6 (1 + |mean|). */
struct smr_density_moments {
    double mean, sd, quartiles; /* quartiles: the distance between them, in units of a normal
                                   deviation; 0: they coincide                                 */
    bool constant;
};
smr_status smr_density_moments_of(smr_ctx *ctx, const struct smr_density_rows *rows, int less,
                                  struct smr_density_moments *of);

/* root = the lower triangle L of the covariance of these rows, column j in units of sd[j] / what it
 * was in them: constant columns are independent of the others.  Refuses one that is singular, by
 * the names of its columns. */
smr_status smr_density_find_root(smr_ctx *ctx, const struct smr_density_rows *rows,
                                 const struct smr_density_moments *of, int less, const double *sd,
                                 double *root);

/* The rows in lexicographic order, equal ones joined to one that weighs as much: so the order of
 * the rows leaves no trace, and weight 2 is the row twice. */
smr_status smr_density_join(smr_ctx *ctx, struct smr_density_rows *rows);

smr_status smr_density_fit_parzen(smr_ctx *ctx, const struct smr_density_params *p,
                                  struct smr_density_rows *rows, struct smr_density_state *s,
                                  smr_fit_report *report);
smr_status smr_density_fit_bins(smr_ctx *ctx, const struct smr_density_params *p,
                                struct smr_density_rows *rows, struct smr_density_state *s,
                                smr_fit_report *report);

/* ---- Parzen windows ---- */

smr_status smr_density_build_tree(smr_ctx *ctx, const struct smr_density_params *p,
                                  const struct smr_density_state *s, smr_parzen *tree);
/* log of the integral of the kernel over d features, with bandwidths 1. */
double smr_density_volume(smr_window kernel, int64_t d);
/* The factor by which all widths are multiplied, so that points that are left out are likeliest;
 * `tree` has the points, and gets those widths. */
smr_status smr_density_search(smr_ctx *ctx, struct smr_density_state *s, smr_parzen *tree,
                              double *factor, smr_fit_report *report);
/* y = L^-1 (x - centre). */
void smr_density_whiten(const struct smr_density_state *s, const double *x, double *y);

/* ---- histograms ---- */

/* The logarithm of the density at x. */
double smr_density_of_bins(const struct smr_density_params *p, const struct smr_density_state *s,
                           const double *x);
/* The bin of x in feature j, or -1; how many cells there are in all. */
int64_t smr_density_bin(const struct smr_density_state *s, int64_t j, double x);
double smr_density_all_bins(const struct smr_density_state *s);

/* ---- answers ---- */

/* What is derived from the state. */
smr_status smr_density_prepare(smr_ctx *ctx, const void *params, void *state);
void smr_density_release(void *state);

/* Log-density of a row; of the features that are no gaps (NaN), if some are.  room:
 * smr_density_room numbers. */
double smr_density_at(const struct smr_density_params *p, const struct smr_density_state *s,
                      const double *x, double *room);
int64_t smr_density_room(const struct smr_density_params *p, const struct smr_density_state *s);
double smr_density_with_gaps(const struct smr_density_params *p, const struct smr_density_state *s,
                             const double *x, double *room);
/* Log-density of number x in column j, of parametric models and diagonal covariances. */
double smr_density_of_column(const struct smr_density_params *p, const struct smr_density_state *s,
                             int64_t j, double x);

smr_status smr_density_describe(smr_ctx *ctx, const void *params, const void *state,
                                const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_density_draw(smr_ctx *ctx, const void *params, const void *state,
                            const smr_feature *in, int64_t n_in, const char *prefix,
                            smr_json *figures);
smr_status smr_density_draw_rows(smr_ctx *ctx, const void *params, const void *state,
                                 const smr_drawing *of, double *x, int32_t *hidden);

#endif
