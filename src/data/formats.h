/* formats.h -- one reader and one writer for each file format; read.c and write.c choose among
 * them.
 *
 * A reader takes the source from its current place to its end and delivers a whole table, or
 * nothing and one sentence.  It sets values, names, source and notes; column rules (--type, a
 * model's schema) are applied afterwards by smr_table_apply_rules, except for CSV, whose reader
 * follows them while it parses. */
#ifndef SMR_DATA_FORMATS_H
#define SMR_DATA_FORMATS_H

#include "core/text.h"
#include "data/file.h"
#include "data/read.h"

/* ---- readers ---- */
smr_status smr_libsvm_read(smr_ctx *ctx, smr_source *source, const smr_read_opts *opts,
                           smr_table **out);
smr_status smr_arff_read(smr_ctx *ctx, smr_source *source, const smr_read_opts *opts,
                         smr_table **out);
smr_status smr_npy_read(smr_ctx *ctx, smr_source *source, const smr_read_opts *opts,
                        smr_table **out);
smr_status smr_idx_read(smr_ctx *ctx, smr_source *source, const smr_read_opts *opts,
                        smr_table **out);
smr_status smr_jsonl_read(smr_ctx *ctx, smr_source *source, const smr_read_opts *opts,
                          smr_table **out);
/* A table or view of a database, or the rows of opts->query; table NULL: the only one. */
smr_status smr_sqlite_read(smr_ctx *ctx, const char *path, const char *table,
                           const smr_read_opts *opts, smr_table **out);
/* NULL where SQLite is not built in or not linked (packing.h says when). */
typedef smr_status (*smr_sqlite_fn)(smr_ctx *, const char *, const char *, const smr_read_opts *,
                                    smr_table **);
smr_sqlite_fn smr_sqlite_reader(void);

/* ---- which format ---- */

/* The format that a file's name promises (a .gz, .zst or .xz after it is ignored), or
 * SMR_FORMAT_AUTO. */
smr_format smr_format_of_path(const char *path);
/* The format that the first bytes show.  Fails for what is known not to be a table, with its name
 * ("a PNG image"), and for other binary data. */
smr_status smr_format_of_bytes(smr_ctx *ctx, const char *name, const char *bytes, int64_t n,
                               smr_format *out);
const char *smr_format_name(smr_format format);
/* What a file with these first bytes is, and the command that makes a table of it, where it is
 * known not to be one that samara reads; else NULL. */
const char *smr_foreign_file(const char *bytes, int64_t n);

/* ---- after reading ---- */

/* Fails where an option is given that this format does not read. */
smr_status smr_read_opts_suit(smr_ctx *ctx, const char *name, const smr_read_opts *opts,
                              smr_format format);
/* Leaves out ignored columns (and, with only_ruled, those without a rule), and turns the others
 * into the kind that their rule asks for.  A rule whose column is absent is passed over: code that
 * needs the column says so. */
smr_status smr_table_apply_rules(smr_ctx *ctx, smr_table *table, const smr_read_opts *opts);

/* Moves the text into table->notes and the source's name into table->source. */
smr_status smr_table_sign(smr_table *table, const smr_source *source, smr_text *notes);

/* ---- writers ---- */

smr_status smr_csv_write(smr_ctx *ctx, const smr_table *table, char delimiter, smr_sink *sink);
smr_status smr_libsvm_write(smr_ctx *ctx, const smr_table *table, smr_sink *sink);
smr_status smr_jsonl_write(smr_ctx *ctx, const smr_table *table, smr_sink *sink);
smr_status smr_arff_write(smr_ctx *ctx, const smr_table *table, smr_sink *sink);
smr_status smr_npy_write(smr_ctx *ctx, const smr_table *table, smr_sink *sink);
smr_status smr_idx_write(smr_ctx *ctx, const smr_table *table, smr_sink *sink);

/* Formats rows [lo, hi), after what `out` holds. */
typedef void (*smr_format_rows_fn)(const void *arg, int64_t lo, int64_t hi, smr_text *out);

/* Formats n_rows rows in parallel, `block` rows at a time, and writes them in order.  Holds at most
 * four blocks per lane. */
smr_status smr_write_rows(smr_ctx *ctx, smr_sink *sink, int64_t n_rows, int64_t block,
                          smr_format_rows_fn fn, const void *arg);

/* Rows of `width` values that make a block of useful size. */
int64_t smr_write_block(int64_t width);

/* Makes room for `more` bytes: text->bytes + text->length may then be written to directly.  False
 * when memory ran out, which the text remembers. */
bool smr_text_reserve(smr_text *text, int64_t more);

/* Appends the shortest decimal of value i of a number column, which is not missing. */
void smr_text_value(smr_text *out, const smr_column *col, int64_t i);

/* Seconds since 1970 as a year and the part of it that has passed, for an axis. */
static inline double smr_year_of(double seconds)
{
    return 1970 + seconds / (365.2425 * 86400);
}

/* Appends a date: 2020-02-29, and with has_time 2020-02-29T12:30:05 and, where the value has a
 * fraction of a second, 3, 6 or 9 decimals. */
void smr_text_date(smr_text *out, double seconds, bool has_time);

/* Appends a string as it is written in the file. */
typedef void (*smr_spell_fn)(smr_text *out, const char *s, int64_t n, char delimiter);

/* The levels of every category and text column as they are written in the file: n_cols lists, to be
 * released with smr_spelled_release. */
smr_status smr_spell_levels(smr_ctx *ctx, const smr_table *table, smr_spell_fn fn, char delimiter,
                            smr_strings **out);
void smr_spelled_release(const smr_table *table, smr_strings *spelled);

/* Refuses to spell out a sparse block of more than a billion values. */
smr_status smr_write_check_sparse(smr_ctx *ctx, const smr_table *table, const char *format);

#endif
