/* csv_private.h -- what the parts of the CSV reader share.
 *
 *     csv_sniff.c    the first rows: syntax, header, names, first guesses
 *     csv_rules.c    names and rules: which columns, read as what
 *     csv_split.c    rows into fields, a byte at a time: for the first rows and for odd ones
 *     csv_count.c    pass 1: where the rows are
 *     csv_parse.c    pass 2: fields into columns
 *     csv_levels.c   strings of all threads into sorted levels and codes
 *     csv_judge.c    kinds from the whole file's counts; strays
 *     csv_decimal.c  decimal commas and points
 *     csv.c          the order of all this, and the table */
#ifndef SMR_DATA_CSV_PRIVATE_H
#define SMR_DATA_CSV_PRIVATE_H

#include "core/parallel.h"
#include "core/text.h"
#include "data/csv.h"
#include "data/csv_dict.h"
#include "data/infer.h"
#include "kernel/csv_kernels.h"

enum { PAD_BEFORE = 64, PAD_BEHIND = 128 }; /* readable bytes around a piece of text */

/* How a column of the file is read in the pass that runs. */
typedef enum how {
    HOW_SKIP, /* not wanted, or already read     */
    HOW_NUMBER,
    HOW_DATE,
    HOW_STRINGS, /* codes of a dictionary        */
    HOW_CODES,   /* codes of given levels        */
    HOW_STRAYS,  /* what is not `usual`, into a dictionary; no values */
} how;

/* What was met in a column; summed over threads, so only sums, minima and unions. */
typedef struct column_tally {
    smr_tally fields;
    int64_t n_unseen;
    int64_t n_large, first_large; /* whole numbers beyond 2^53: how many, the row of the first */
    int64_t first_grouped;        /* the first row with thousands and no decimals              */
    bool has_time;
} column_tally;

extern const column_tally smr_csv_no_tally;

typedef struct column {
    char *name; /* owned until the table takes it */
    bool wanted;
    bool forced; /* by a rule                     */
    bool done;   /* read in its final kind        */
    smr_kind kind;
    smr_decimal decimal;
    bool by_file;      /* decimal commas because of other columns or the options           */
    bool is_apart;     /* has decimal points, where other columns have commas              */
    bool is_pointed;   /* there are commas, but some fields are numbers with points only   */
    int64_t n_pointed; /* fields that were numbers before commas were tried; -1: they were not */
    const smr_strings *levels; /* of the rule     */
    smr_dict given;            /* look-up of `levels`                        */
    void *values;              /* n_rows doubles or int32_t, in a block      */
    bool room_for_double;
    column_tally tally;
    smr_strings sorted; /* the levels found, sorted                          */
    int32_t **recode;   /* for each lane: its code -> the final one          */
    int64_t bad_row;    /* the first row with a level that is not UTF-8, or -1 */
    int64_t n_bad;      /* fields with such a level                            */
    int64_t bad_level;
    char *own_values; /* `values`, when no block has room for them         */
} column;

/* A piece of the file.  Its task in pass 2 reads the rows that end in it: bytes [begin, end). */
typedef struct piece {
    smr_csv_count count;
    int64_t begin, end;
    int64_t first_row, n_rows;
    int64_t first_line; /* of `begin`, from 1                        */
    bool plain;         /* no blank rows: every newline ends a row   */
    int lane;           /* that read it in pass 2                    */
} piece;

/* One thread's own memory. */
typedef struct lane {
    char *block, *text; /* PAD_BEFORE, room, PAD_BEHIND              */
    int64_t room;
    uint32_t *index; /* separators of a batch of rows, one before    */
    uint32_t *begin, *end;
    uint32_t *row_end;
    uint32_t *trim_begin, *trim_end; /* one column, blanks removed */
    char *unquoted;                  /* a field without its doubled quotes            */
    int64_t unquoted_room;
    column_tally *tally; /* n_fields   */
    smr_dict *dicts;     /* n_fields   */
    uint64_t marks_seen;
} lane;

typedef struct csv {
    smr_ctx *ctx;
    smr_source *source;
    const char *name;
    smr_read_opts opts;
    smr_csv_limits limits;
    const smr_csv_kernels *kernels;
    smr_marks marks;
    int64_t size; /* of the source */

    smr_csv_syntax syntax;
    bool is_crlf;
    int64_t stray_line; /* why quotes are plain characters; 0: they are not */
    bool has_header;
    bool comma; /* some column has decimal commas */
    int64_t n_fields;
    int64_t data_begin, data_line; /* the first row of data */
    column *columns;               /* n_fields              */

    piece *pieces;
    int64_t n_pieces, n_rows;
    int64_t max_piece; /* longest [begin, end)              */
    lane *lanes;
    int n_lanes;
    how *hows;          /* n_fields, for the pass that runs */
    int64_t batch_rows; /* rows that are indexed at once    */
    smr_field usual;    /* for HOW_STRAYS                   */
    uint64_t marks_seen;
    smr_table *table;
} csv;

/* ---- csv_split.c ---- */

typedef struct splitter {
    const smr_csv_syntax *syntax;
    const char *text;
    int64_t at, n;
    bool ends; /* the text's end is the file's  */
} splitter;

typedef enum split {
    SPLIT_ROW,
    SPLIT_END,       /* no further row begins                        */
    SPLIT_UNFINISHED /* a row begins that does not end in the text   */
} split;

/* The next row that is not blank: its first `most` fields as raw spans (quotes included), and how
 * many it has.  *row_at is its first byte. */
split smr_csv_split(splitter *s, uint32_t *begin, uint32_t *end, int64_t most, int64_t *n_fields,
                    int64_t *row_at);

/* The text of a raw field: blanks around it and quotes removed.  Points into `raw`, or into
 * *scratch, which grows. */
smr_status smr_csv_text(smr_ctx *ctx, const smr_csv_syntax *x, const char *raw, int64_t n,
                        char **scratch, int64_t *scratch_room, const char **text, int64_t *length);

int64_t smr_csv_lines(const smr_csv_syntax *x, const char *text, int64_t n);

/* ---- the steps ---- */

/* A reader without a source; to be released even when this fails. */
smr_status smr_csv_begin(smr_ctx *ctx, const char *name, const smr_read_opts *opts,
                         const smr_csv_limits *limits, csv *r);
/* All steps, from r->source of r->size bytes to r->table. */
smr_status smr_csv_whole(csv *r);
void smr_csv_release(csv *r);
/* Room for r->n_rows rows of the wanted columns. */
smr_status smr_csv_make_table(csv *r);
/* Names, values and levels of the wanted columns become the table's. */
smr_status smr_csv_hand_over(csv *r);
how smr_csv_how(const column *c);
smr_status smr_csv_fail_nul(const csv *r, int64_t line);
smr_status smr_csv_sniff(csv *r, bool quotes);
smr_status smr_csv_apply_rules(csv *r);
smr_status smr_csv_count_rows(csv *r, bool *quotes_are_plain);
smr_status smr_csv_parse(csv *r);
/* Its two halves: a task for each piece (arg: the csv), then the sums of what they met. */
smr_status smr_csv_parse_piece(smr_ctx *ctx, void *arg, int64_t task, int lane_number);
void smr_csv_gather(csv *r);
smr_status smr_csv_make_lanes(csv *r);
void smr_csv_free_lanes(csv *r);
/* The lanes' dictionaries of column j as one, codes of lane i recoded by map[i] (NULL: no map). */
smr_status smr_csv_merge_dicts(smr_ctx *ctx, csv *r, int64_t j, int32_t **map, smr_dict *out);
/* Levels of the string columns of this pass, sorted, with maps; tallies of free columns. */
smr_status smr_csv_sort_levels(csv *r);
/* Codes of the threads' dictionaries into those of the sorted levels. */
smr_status smr_csv_recode(csv *r);
void smr_csv_free_levels(csv *r, column *c);
/* Decides the kinds of the columns read in this pass; *again: some must be read once more. */
smr_status smr_csv_judge(csv *r, bool *again);
/* Room for numbers, where the column has none. */
smr_status smr_csv_give_room(csv *r, column *c);
/* After a pass: columns whose decimal mark was not the right one; *again: column c, or (c NULL)
 * any, is to be read once more. */
smr_status smr_csv_reconsider(csv *r, column *c, bool *again);
/* From the sample: n_points[j] fields of column j are numbers with a point alone. */
void smr_csv_choose_decimals(csv *r, const smr_tally *sample, const int64_t *n_points);
/* Do some fields of the column, as it was read, have decimal points and others decimal commas? */
bool smr_csv_mixes_decimals(const column *c);
bool smr_csv_has_commas(const csv *r);
/* What was found out about commas and points: warnings, and a line of the notes. */
smr_status smr_csv_tell_decimals(csv *r, smr_text *notes);
/* The physical line of a row, by reading its piece again. */
smr_status smr_csv_line_of_row(csv *r, int64_t row, int64_t *line);

#endif
