/* csv.h -- tables from text: CSV, TSV and their relatives.
 *
 * RFC 4180 and what people make of it: fields in quotes with doubled quotes, newlines and
 * delimiters in them; LF, CRLF or CR; a byte-order mark; blank lines (skipped); blanks around
 * fields (dropped, unless quoted).  The delimiter is found among , ; tab | and runs of blanks, the
 * header by comparing the first row with the others, the kinds by all values (infer.h).  In
 * tab-separated files whose quotes do not follow the rules, quotes are plain characters.
 * Everything found is said in table->notes.
 *
 * Decimals.  A column whose fields have commas where numbers have decimals (42,5) is read as
 * numbers, with a warning; so is one whose commas separate thousands (1,234.5).  In a file that has
 * such decimals, points that can separate thousands (1.234) do, in every column where all can, and
 * a warning names the first.  Commas that may be one or the other (1,234) are decided by the other
 * columns; where these say nothing, the column stays a category, with a warning.
 *
 * How it runs.  Pass 1 counts rows in pieces of the file, in parallel; where rows begin, and their
 * numbers, is then known.  Pass 2 reads the pieces again, finds the fields, and converts them
 * column by column straight into the table's arrays.  A sample of the first rows gives each
 * column's kind as a guess; where the whole file contradicts, another pass reads those columns
 * only.  The result does not depend on threads or pieces.
 *
 * Memory: the table, and for each thread a piece of text with its index (about 0.5 MB); strings
 * once more while their codes are put in order.  Time: the file is read twice; see
 * kernel/csv_kernels.h. */
#ifndef SMR_DATA_CSV_H
#define SMR_DATA_CSV_H

#include "data/file.h"
#include "data/read.h"

/* Reads a table.  opts may be NULL. */
smr_status smr_csv_read(smr_ctx *ctx, smr_source *s, const smr_read_opts *opts, smr_table **out);

/* How the file is cut; for tests. */
typedef struct smr_csv_limits {
    int64_t piece;    /* bytes read at once              */
    int64_t line_max; /* longest row, in bytes           */
    int tier;         /* of the kernels; -1: the best    */
} smr_csv_limits;

smr_status smr_csv_read_limited(smr_ctx *ctx, smr_source *s, const smr_read_opts *opts,
                                const smr_csv_limits *limits, smr_table **out);

#endif
