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
 *                        apart
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
 *     too_good           r2 above 0.999, or no mistake, on at least 30 rows that were not fitted;
 *                        for classes only where a few columns stand out
 *     time_order         rows lie in order of a date column, and the parts are shuffled
 *
 * Rows are compared by 64-bit hashes of their inputs: O(rows x columns), a part of a fit's time;
 * tables of more than 5e8 values are not looked at.  Columns are screened on some thousands of
 * rows, and only suspects on all.  Same findings at any thread count. */
#ifndef SMR_STUDY_WARNINGS_H
#define SMR_STUDY_WARNINGS_H

#include "learn/model.h"
#include "metric/metric.h"

/* About the rows to be fitted: leakage, imbalance, conflicts, wide. */
smr_status smr_advise_set(smr_ctx *ctx, const smr_train_set *set, smr_json *advice);

/* The same as the member "advice" of a result, which *advice receives. */
smr_status smr_advice_json(smr_ctx *ctx, const smr_train_set *set, smr_json *into,
                           smr_json **advice);

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

/* About predictions beside answers: tiny_test, constant, and with `alone` (the training rows were
 * not checked) imbalance and no_rows. */
smr_status smr_advise_classified(smr_ctx *ctx, const smr_classify_input *in, bool alone,
                                 smr_json *advice);
smr_status smr_advise_regressed(smr_ctx *ctx, const smr_regress_input *in, smr_json *advice);

/* training_rows, when the table is the one the model was fitted on (by the hash it keeps).  so:
 * what follows from that, and the way out; NULL: that the figures flatter the model. */
smr_status smr_advise_same_data(smr_ctx *ctx, const smr_model *model, const smr_table *table,
                                const char *so, smr_json *advice);

/* training_rows, for a fit that is measured on its own rows. */
void smr_advise_fitted(smr_ctx *ctx, const char *so, smr_json *advice);
/* Is there a finding of this kind? */
bool smr_advised(const smr_json *advice, const char *kind);

/* Rows of a table with their answers. */
typedef struct smr_answered {
    const smr_schema *schema;
    const smr_target *target;
    const smr_table *table;
    const int64_t *rows; /* NULL: all                                                   */
    int64_t n;
    const int32_t *label; /* classes; else NULL                                         */
    const double *y;      /* x targets                                                  */
    bool by_row;          /* label and y have an entry for each row of the table, not of `rows` */
} smr_answered;

/* too_good: `left` is what the model leaves unexplained on `n` rows that it was not fitted on:
 * 1 - r2, or the share of mistakes; NaN: not known.  Nothing is said where `leakage` was found.
 * For numbers it names the columns that a least-squares fit takes up one after another, up to five;
 * for classes those that order every pair of them best.  Cost: a few passes over 2e6 values. */
smr_status smr_advise_too_good(smr_ctx *ctx, const smr_answered *answered, double left, int64_t n,
                               smr_json *advice);
/* The same, about the rows of a set. */
smr_status smr_advise_set_too_good(smr_ctx *ctx, const smr_train_set *set, double left, int64_t n,
                                   smr_json *advice);
/* `left` of a measure: from the spread of the targets where it is an error in their units; NaN
 * where it cannot be told. */
double smr_left_by(const smr_measure *measure, double value, const smr_train_set *set);

/* time_order, for parts that are shuffled; instead: what to do about it, in words that the column's
 * name follows ("--ordered or --order-by"). */
void smr_advise_order(smr_ctx *ctx, const smr_train_set *set, const char *instead,
                      smr_json *advice);

/* ---- for the files of warnings ---- */

/* How well each feature knows the answer, in [0, 1]: the smallest area of a pair of classes, or the
 * correlation; NaN: unknown.  Features whose figure is infinite are passed over. */
smr_status smr_column_figures(smr_ctx *ctx, const smr_target *target, const smr_data *data,
                              const int32_t *label, const double *y, double *figure);

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
