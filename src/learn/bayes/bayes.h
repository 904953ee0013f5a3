/* bayes.h -- naive Bayes: what its files share.
 *
 *     bayes.c           parameters, state, descriptor
 *     bayes_fit.c       which kind each column is; counts and moments of the rows of a table
 *     bayes_entries.c   the same of sparse rows
 *     bayes_zeros.c     says that with smoothing=0 there are shares of 0
 *     bayes_learn.c     row by row, in a stream
 *     bayes_tables.c    the logarithms that prediction reads, from the counts
 *     bayes_predict.c   from rows to scores, probabilities and labels
 *     bayes_labels.c    labels of counts, most of them from a table of bytes
 *     bayes_rows.c      rows drawn from the model
 *     bayes_describe.c  what tells the classes apart, in words and pictures */
#ifndef SMR_LEARN_BAYES_BAYES_H
#define SMR_LEARN_BAYES_BAYES_H

#include "learn/bayes/class_prior.h"
#include "learn/learner.h"

enum {
    SMR_BAYES_AUTO,
    SMR_BAYES_GAUSSIAN,
    SMR_BAYES_BERNOULLI,
    SMR_BAYES_CATEGORICAL,
    SMR_BAYES_MULTINOMIAL,
    SMR_BAYES_COMPLEMENT
};

struct smr_bayes_params {
    double smoothing;
    int model;
    int prior;
    smr_reals priors;
    double var_smoothing, threshold;
};

/* How a column is modelled. */
enum {
    SMR_BAYES_NUMBER = 0, /* a normal density                                       */
    SMR_BAYES_BIT = 1,    /* 0 or 1: cells 0 and 1                                  */
    SMR_BAYES_LEVELS = 2, /* a category: a cell for each level                      */
    SMR_BAYES_COUNT = 3,  /* how often a word occurs: one cell, the sum of its counts */
    SMR_BAYES_KINDS
};

/* The logarithms that prediction reads, built from the counts and never saved.  Classes lie next to
 * each other, ld of them, a multiple of 8. */
struct smr_bayes_tables {
    int64_t ld;
    double *base;     /* ld: log prior; -inf: the class was never seen             */
    double *cell;     /* n_cells x ld: log(count + smoothing); infinite where that is 0 */
    double *norm;     /* n_features x ld: log of what a bit's or a category's cells are
                                     divided by                                                  */
    uint8_t *seen;    /* n_cells: some class has it                                  */
    double *total;    /* ld: the same of all counts together                         */
    double *all_zero; /* ld: what the bits of a sparse row say if all are 0; NULL: no bits */
    double *mean, *scale,
        *level;     /* n_numbers x ld: mean, 1 / deviation, log of the density there */
    double *levels; /* ld: the sum of `level`                                      */
    double *top;    /* ld: base + levels                                           */
    double *floor;  /* n_numbers: added to the variances of each                    */
    int64_t *place; /* n_features: its number among the numbers, -1: not one       */
    bool is_all_numbers;
    /* Counts of words: the cells in a byte, for labels where they are clear (bayes_labels.c). */
    uint8_t *quick; /* n_cells x ldq: (cell - least) / step, rounded; after the cells      */
    int64_t ldq;    /* 0: there is none, or a stream has changed the cells                 */
    double step, least, furthest, priors; /* furthest: the largest |cell| and |total| there can be;
                                             priors: the largest |log prior|, if finite */
};

struct smr_bayes_state {
    int64_t n_features, n_classes, n_cells, n_numbers, n_starts;
    int64_t has_rows;                /* some row was learned */
    uint8_t *kind;                   /* n_features */
    int64_t *start;                  /* n_features + 1: cells start[j] .. start[j+1]-1 are of j */
    double *weight;                  /* n_classes                                           */
    double *count;                   /* n_classes x n_cells                                 */
    double *filled, *mean, *square;  /* n_classes x n_numbers: weight of the values, mean, sum of
                                         squared deviations                                  */
    struct smr_bayes_tables *tables; /* derived */
};

/* ---- state (bayes.c) ---- */

/* Room for these kinds (n_features, with the levels of each category); counts are 0. */
smr_status smr_bayes_make_room(smr_ctx *ctx, const smr_feature *features, int64_t n_features,
                               int64_t n_classes, const uint8_t *kind, struct smr_bayes_state *s);

static inline bool smr_bayes_counts(const struct smr_bayes_state *s)
{
    return s->n_features > 0 && s->kind[0] == SMR_BAYES_COUNT;
}

/* ---- fitting ---- */
smr_status smr_bayes_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                         smr_fit_report *report);
/* Counts of sparse rows; the kinds are bits or counts.  plain, if not NULL: whether they are counts
 * at all, all finite and above 0 and not all 1; where they are not, *s is to be made anew. */
smr_status smr_bayes_count_entries(smr_ctx *ctx, const struct smr_bayes_params *p,
                                   const smr_data *data, struct smr_bayes_state *s, bool *plain);
/* "bayes: row 3: 'x' is -1; ..." */
smr_status smr_bayes_refuse_count(smr_ctx *ctx, const smr_feature *features, int64_t row, int64_t j,
                                  double value);
/* Warns of shares of 0, which smoothing=0 leaves. */
smr_status smr_bayes_say_zeros(smr_ctx *ctx, const struct smr_bayes_params *p, const smr_data *data,
                               const struct smr_bayes_state *s);
smr_status smr_bayes_refuse_number(smr_ctx *ctx, const smr_feature *features, int64_t j);
smr_status smr_bayes_begin(smr_ctx *ctx, const void *params, const smr_shape *shape, void *state);
smr_status smr_bayes_learn(smr_ctx *ctx, const void *params, void *state, const smr_rows *rows,
                           const smr_truths *truths, double *out);

/* ---- tables ---- */
smr_status smr_bayes_prepare(smr_ctx *ctx, const void *params, void *state);
void smr_bayes_release(void *state);
/* Parts of it, for a stream: after the counts of these cells of class k have changed. */
void smr_bayes_renew_base(const struct smr_bayes_params *p, struct smr_bayes_state *s);
void smr_bayes_renew_feature(const struct smr_bayes_params *p, struct smr_bayes_state *s,
                             int64_t j);
void smr_bayes_renew_totals(const struct smr_bayes_params *p, struct smr_bayes_state *s);
void smr_bayes_renew_zero(struct smr_bayes_state *s);
void smr_bayes_renew_numbers(const struct smr_bayes_params *p, struct smr_bayes_state *s);

/* ---- prediction ---- */
smr_status smr_bayes_predict(smr_ctx *ctx, const void *params, const void *state,
                             const smr_rows *rows, smr_output output, double *out, void *scratch);
/* The label of row i of counts, where a look at bytes makes it certain; else -1. */
int smr_bayes_quick_label(const struct smr_bayes_state *s, const smr_rows *rows, int64_t i);
/* Its table: whether there is one, from the sums of counts in total; cells lo .. hi-1; the rest,
 * from the final totals. */
void smr_bayes_plan_quick(const struct smr_bayes_params *p, struct smr_bayes_state *s);
void smr_bayes_fill_quick(const struct smr_bayes_state *s, int64_t lo, int64_t hi);
void smr_bayes_finish_quick(struct smr_bayes_state *s);
int64_t smr_bayes_scratch(const void *params, const void *state, int64_t n);

smr_status smr_bayes_draw_rows(smr_ctx *ctx, const void *params, const void *state,
                               const smr_drawing *of, double *x, int32_t *hidden);

/* ---- inspect ---- */
smr_status smr_bayes_describe(smr_ctx *ctx, const void *params, const void *state,
                              const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_bayes_draw(smr_ctx *ctx, const void *params, const void *state,
                          const smr_feature *in, int64_t n_in, const char *prefix,
                          smr_json *figures);

#endif
