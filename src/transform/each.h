/* each.h -- transforms that change each number by a function of its own: log, power, ranks, clip,
 * scale, bin.
 *
 * They share which features are changed (numbers, all or those that a list names), rows dense and
 * sparse, names, checks, and how columns are read to be fitted.  Other features and gaps pass
 * through. */
#ifndef SMR_TRANSFORM_EACH_H
#define SMR_TRANSFORM_EACH_H

#include "learn/learner.h"

/* Is the name in the list, which has commas? */
bool smr_each_named(const char *list, const char *name);
/* changed[j] = is feature j a number, and in the list (empty: all are)?  A name in the list that
 * does not come in, or is no number, is an error.  features NULL: numbers without names. */
smr_status smr_each_choose(smr_ctx *ctx, const char *word, const char *list,
                           const smr_feature *features, int64_t n, uint8_t *changed);
/* After load: are those that are changed numbers?  The table says that there is one for each
 * feature. */
smr_status smr_each_check(smr_ctx *ctx, const uint8_t *changed, const smr_shape *shape);

/* What becomes of x in feature j, which is changed; never asked for a gap. */
typedef double (*smr_each_fn)(const void *params, const void *state, int64_t j, double x);

void smr_each_rows(smr_each_fn fn, const void *params, const void *state, const uint8_t *changed,
                   const smr_rows *rows, double *out);
/* Sparse rows, where 0 becomes 0. */
smr_status smr_each_append(smr_ctx *ctx, smr_each_fn fn, const void *params, const void *state,
                           const uint8_t *changed, const smr_rows *rows, smr_entries *out);
/* Names, kinds and levels of those that come in. */
smr_status smr_each_outputs(smr_ctx *ctx, const void *params, const void *state,
                            const smr_feature *in, int64_t n_in, smr_feature *out, int64_t n_out);

/* ---- fitting ---- */

/* The values of one feature in the rows that count: weight above 0, no gaps, in their order. */
typedef struct smr_values {
    int64_t feature;
    int64_t n;
    double *x;       /* n; the callee may change them */
    const double *w; /* n, or NULL: all 1             */
    double *spare;   /* room for 2 n where w is NULL  */
} smr_values;

typedef smr_status (*smr_each_fit)(smr_ctx *ctx, void *arg, smr_values *values);

/* Calls fn for each feature that is changed, side by side; `fn` may use threads where `alone`: then
 * one feature comes after another.  Cost: one pass over the rows where they are in memory, else a
 * copy of them by columns; 24 bytes per row and thread. */
smr_status smr_each_column(smr_ctx *ctx, const char *what, const smr_data *data,
                           const uint8_t *changed, bool alone, smr_each_fit fn, void *arg);

/* Quantiles of the values (math/stats.h). */
smr_status smr_each_quantiles(smr_ctx *ctx, const smr_values *values, int64_t n, const double *q,
                              double *out);

/* The least and the greatest value of each feature in the rows that count: of sparse rows zeros
 * too; NaN where it has none.  One pass. */
smr_status smr_each_range(smr_ctx *ctx, const smr_data *data, double *least, double *greatest);

#endif
