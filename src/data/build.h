/* build.h -- tables made column by column from a caller's arrays, which are copied.
 *
 * What the functions take and refuse is said in samara.h, at the public functions whose names end
 * the same.  A failing call leaves the table as it was. */
#ifndef SMR_DATA_BUILD_H
#define SMR_DATA_BUILD_H

#include "data/table.h"

/* Moments that a table holds: [0001-01-01, 10000-01-01) in seconds since 1970. */
#define SMR_DATE_FIRST (-62135596800.0)
#define SMR_DATE_END 253402300800.0

/* Adds a column with these values and levels, which become the table's; a failing call leaves them
 * to the caller.  The name is checked and copied. */
smr_status smr_build_append(smr_ctx *ctx, smr_table *table, const char *name, smr_column *made);

smr_status smr_build_f64(smr_ctx *ctx, smr_table *table, const char *name, const double *values);
smr_status smr_build_f32(smr_ctx *ctx, smr_table *table, const char *name, const float *values);
smr_status smr_build_i64(smr_ctx *ctx, smr_table *table, const char *name, const int64_t *values,
                         const bool *missing);
smr_status smr_build_strings(smr_ctx *ctx, smr_table *table, const char *name,
                             const char *const *values);
smr_status smr_build_categories(smr_ctx *ctx, smr_table *table, const char *name,
                                const int32_t *codes, const char *const *levels, int64_t n_levels);
smr_status smr_build_dates(smr_ctx *ctx, smr_table *table, const char *name, const double *seconds);
smr_status smr_build_csr(smr_ctx *ctx, const smr_csr *rows, const double *y, smr_table **out);

/* Fails, naming the column, unless the n bytes of one of its strings are UTF-8. */
smr_status smr_build_check_utf8(smr_ctx *ctx, const char *column, const char *text, int64_t n);
/* Warns of whole numbers that doubles cannot hold. */
void smr_build_warn_large(smr_ctx *ctx, const char *column, int64_t n_large);

#endif
