/* warnings.h -- what would make the figures of an evaluation mean less than they seem to.
 *
 * Each finding is one sentence with the way out: a warning of the context, and a member of the
 * array `advice`: {"kind": ..., "message": ..., "column": ... where it is about one}.  Findings are
 * few, and made from the rows, never from a column's name alone:
 *
 *     leakage            one column orders the classes with an area above 0.99 (of every pair of
 *                        them), correlates with the target by more than 0.999, in values or in
 *                        ranks, or has levels that name the class (fewer than 1 % and a tenth of
 *                        the baseline's mistakes); missing values may be what tells the classes
 *     imbalance          nine rows of ten are of one class: the baseline's accuracy
 *     conflicts          rows equal in every input with different answers: the least error there is
 *     duplicates         measured rows that equal fitted ones in every input (from 1 %)
 *     wide               more features than rows
 *     no_rows            a class without rows in one of the parts
 *     extrapolation      measured values far outside the range of the fitted ones
 *     missing            a share of missing values that differs between the parts
 *     tiny_test          fewer than 30 measured rows: how wide the accuracy's interval is
 *     constant           every prediction is the same
 *     training_rows      the measured rows are those that were fitted
 *
 * Rows are compared by 64-bit hashes of their inputs: O(rows x columns), a part of a fit's time;
 * tables of more than 5e8 values are not looked at.  Columns are screened on some thousands of
 * rows, and only suspects on all.  Same findings at any thread count. */
#ifndef SMR_SELECT_WARNINGS_H
#define SMR_SELECT_WARNINGS_H

#include "learn/model.h"
#include "metric/metric.h"

/* About the rows to be fitted: leakage, imbalance, conflicts, wide. */
smr_status smr_advise_set(smr_ctx *ctx, const smr_train_set *set, smr_json *advice);

/* The same as the member "advice" of a result. */
smr_status smr_advice_json(smr_ctx *ctx, const smr_train_set *set, smr_json *into);

/* Rows that are fitted, and rows that are measured on. */
typedef struct smr_advice_parts {
    const smr_train_set *set;
    const int64_t *train; /* rows of the set's table; NULL: the usable ones                */
    int64_t n_train;
    const smr_table *test_table; /* NULL: the set's                                        */
    const int64_t *test;         /* its rows; NULL: all                                    */
    int64_t n_test;
} smr_advice_parts;

/* duplicates, no_rows, extrapolation, missing. */
smr_status smr_advise_parts(smr_ctx *ctx, const smr_advice_parts *parts, smr_json *advice);

/* About predictions beside answers: tiny_test, constant, and where `alone` (nobody looked at the
 * training rows) imbalance and no_rows. */
smr_status smr_advise_classified(smr_ctx *ctx, const smr_classify_input *in, bool alone,
                                 smr_json *advice);
smr_status smr_advise_regressed(smr_ctx *ctx, const smr_regress_input *in, smr_json *advice);

/* training_rows, when the table is the one the model was fitted on (by the hash it keeps). */
smr_status smr_advise_same_data(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                                smr_json *advice);

/* ---- for the files of warnings ---- */

/* Adds a finding and warns of it; column NULL: none. */
void smr_advise(smr_ctx *ctx, smr_json *advice, const char *kind, const char *column,
                const char *format, ...) SMR_PRINTF(5, 6);
/* A number for such a sentence, rounded to three digits; `room` is at least 32 bytes. */
const char *smr_advise_number(double x, char *room);
/* leakage alone. */
smr_status smr_advise_leakage(smr_ctx *ctx, const smr_train_set *set, smr_json *advice);
/* conflicts alone. */
smr_status smr_advise_conflicts(smr_ctx *ctx, const smr_train_set *set, smr_json *advice);

#endif
