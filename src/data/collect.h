/* collect.h -- a table from typed values that come row by row, for JSON lines and SQLite.
 *
 * A column exists from the row on in which its name first comes; a row that lacks it has a gap.
 *
 *     numbers               a column of numbers
 *     strings, true, false  a category (true and false by these names); dates where all are dates
 *     null, missing marks   gaps (infer.h; the marks that only numbers have are gaps among them)
 *
 * Numbers and strings in one column are an error that names both lines, unless a rule decides: read
 * as a category or text, a number is its shortest decimal; read as a number, a string must be
 * one. */
#ifndef SMR_DATA_COLLECT_H
#define SMR_DATA_COLLECT_H

#include "core/text.h"
#include "data/read.h"

typedef struct smr_collector smr_collector;

/* source, unit ("line", "row"): for messages; `opts` (marks, rules) must outlive the collector. */
smr_status smr_collector_create(smr_ctx *ctx, const char *source, const char *unit,
                                const smr_read_opts *opts, smr_collector **out);
/* Accepts NULL. */
void smr_collector_free(smr_collector *c);

/* Begins the next row, in that line, or with that number, which messages tell. */
smr_status smr_collect_row(smr_ctx *ctx, smr_collector *c, int64_t line);
/* The column of that name, which is made when it is new.  Its name must be UTF-8 without NUL. */
smr_status smr_collect_column(smr_ctx *ctx, smr_collector *c, const char *name, int64_t n,
                              int64_t *column);
/* A column that is not wanted needs no values. */
bool smr_collect_wants(const smr_collector *c, int64_t column);

/* The value of this row; a second one for the same column is an error. */
smr_status smr_collect_number(smr_ctx *ctx, smr_collector *c, int64_t column, double value);
smr_status smr_collect_string(smr_ctx *ctx, smr_collector *c, int64_t column, const char *text,
                              int64_t n);
smr_status smr_collect_bool(smr_ctx *ctx, smr_collector *c, int64_t column, bool value);
smr_status smr_collect_gap(smr_ctx *ctx, smr_collector *c, int64_t column);

/* All rows as a table, to which smr_table_apply_rules is applied afterwards, with "columns" and
 * "missing" after what `notes` holds. */
smr_status smr_collect_table(smr_ctx *ctx, smr_collector *c, smr_text *notes, smr_table **out);

#endif
