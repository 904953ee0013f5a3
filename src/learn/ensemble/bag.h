/* bag.h -- bagging: its parameters and state, for bag*.c. */
#ifndef SMR_LEARN_ENSEMBLE_BAG_H
#define SMR_LEARN_ENSEMBLE_BAG_H

#include "learn/ensemble/combine.h"

enum smr_bag_weights { SMR_BAG_PASS, SMR_BAG_DRAW };
enum smr_bag_weigh { SMR_BAG_EQUAL, SMR_BAG_OOB };

struct smr_bag_params {
    int64_t bags;
    double rows, columns;
    bool bootstrap;
    int64_t parts;
    int combine, weigh, weights;
    smr_specs of;
};

struct smr_bag_state {
    int64_t n_bags, n_classes, n_outputs, n_answers; /* n_answers: classes, or targets */
    int64_t way;
    double oob_error, oob_loss, oob_rows, oob_r2, held;
    double *prior;     /* n_answers: what no bag at all says                     */
    double *weight;    /* n_bags: how much their answers weigh                   */
    double *bag_error; /* n_bags: of each alone, on the rows that it did not see */
    double *curve;     /* n_bags: of the first 1, 2 ... together                 */
    smr_members of;
};

smr_combine smr_bag_combine(const struct smr_bag_state *s);

extern const smr_can_resume smr_bag_resume;
smr_status smr_bag_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                       smr_fit_report *report);

/* ---- drawing rows ------------------------------------------------------------------------ */

/* What is drawn: rows, or whole groups of them.  Rows of weight 0 count as absent. */
typedef struct smr_bag_units {
    int64_t n, n_rows; /* units; rows of the data                                  */
    int64_t *start;    /* n + 1: unit u has rows row[start[u]] .. row[start[u+1]-1] */
    int64_t *row;
    double *up_to; /* n: weight of units 0 .. u together; NULL: all are equally likely */
} smr_bag_units;

smr_status smr_bag_units_make(smr_ctx *ctx, const smr_data *data, bool by_weight,
                              smr_bag_units *out);
void smr_bag_units_release(smr_bag_units *units);

/* count[r] (n_rows of the data) = how often bag `bag` holds row r. */
smr_status smr_bag_draw(smr_ctx *ctx, const smr_bag_units *units, double share, bool bootstrap,
                        int64_t bag, int32_t *count);

/* ---- fitting on some features ------------------------------------------------------------ */

/* Fits the sentence on the features that the fitted stage `front` keeps, and makes one member of
 * both; front is taken over.  Features that lie in memory are read where they are, in their own
 * form. */
smr_status smr_member_fit_behind(smr_ctx *ctx, smr_stage *front, const smr_spec *spec,
                                 const smr_data *data, smr_member *member, smr_fit_report *report);

smr_status smr_bag_describe(smr_ctx *ctx, const void *params, const void *state,
                            const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_bag_figures(smr_ctx *ctx, const void *params, const void *state,
                           const smr_feature *in, int64_t n_in, const char *prefix,
                           smr_json *figures);

#endif
