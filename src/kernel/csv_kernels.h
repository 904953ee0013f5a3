/* csv_kernels.h -- the three inner loops of the CSV reader: counting rows, finding fields, reading
 * numbers.
 *
 * Text is looked at 64 bytes at a time as bit masks (which bytes are newlines, quotes, ...), made
 * with the widest vectors of the tier; all that follows is arithmetic on 64-bit words.  All tiers
 * give the same answers.
 *
 * A quote opens a quoted field only where the field begins (blanks before it are allowed);
 * elsewhere it is a plain character.  Within quotes "" is a quote, and newlines and delimiters are
 * text.  After the closing quote only blanks may come before the next delimiter. */
#ifndef SMR_KERNEL_CSV_KERNELS_H
#define SMR_KERNEL_CSV_KERNELS_H

#include "samara.h"

enum { SMR_CSV_BLANK = 1, SMR_CSV_SEPARATOR = 2 };

typedef struct smr_csv_syntax {
    char delimiter;    /* ' ': runs of blanks separate                                        */
    char newline;      /* '\n', or '\r' in files without any '\n'                             */
    char quote;        /* '"', or 0: quotes are plain characters                              */
    bool by_blanks;    /* delimiter is ' '                                                    */
    uint8_t kind[256]; /* SMR_CSV_BLANK: trimmed from fields; SMR_CSV_SEPARATOR: ends a field */
} smr_csv_syntax;

/* Where a piece of text begins or ends. */
typedef enum smr_csv_place {
    SMR_CSV_AT_FIELD,      /* only blanks since the last separator                */
    SMR_CSV_IN_FIELD,      /* in an unquoted field                                */
    SMR_CSV_IN_QUOTES,     /* in a quoted field                                   */
    SMR_CSV_AT_QUOTE,      /* after a quote in quotes: the closing one, or first of two */
    SMR_CSV_BEHIND_QUOTES, /* after a closing quote and blanks                    */
} smr_csv_place;

/* What one piece of text holds.  Offsets count from its first byte, lines from 0; -1: none.
 * A row ends at each newline outside quotes; it is blank when only blank bytes precede it. */
typedef struct smr_csv_count {
    smr_csv_place start, stop;
    bool used_start;  /* whether it began at or in a field made a difference               */
    bool has_quotes;  /* as characters of any meaning                                      */
    bool has_content; /* after the last row end there is something that is not blank       */
    bool first_blank; /* the first row that ends here has all its content before this piece */
    int64_t n_rows;   /* row ends that are not blank, seen from here                       */
    int64_t n_ends;   /* row ends                                                          */
    int64_t n_lines;  /* newlines, including those in quotes                               */
    int64_t first_end, last_end;  /* offsets of newlines                                    */
    int64_t lines_to_last_end;    /* newlines up to and including last_end                  */
    int64_t open_at, open_line;   /* the quote that opened last                             */
    int64_t nul_at, nul_line;     /* the first NUL byte                                     */
    int64_t stray_at, stray_line; /* the first text after a closing quote                  */
} smr_csv_count;

/* Finds separators outside quotes, piece by piece.  The text begins at a row's first byte. */
typedef struct smr_csv_index {
    int64_t at; /* next byte to look at; a multiple of 64 until the end */
    bool in_quotes, skip;
    int64_t n_ends; /* row ends among the separators found so far */
} smr_csv_index;

/* One column of a batch of rows: field i is text[begin[i * begin_step] + begin_add ..
 * end[i * end_step]).  16 bytes before the text must be readable. */
typedef struct smr_csv_fields {
    const char *text;
    const uint32_t *begin, *end;
    int64_t begin_step, end_step;
    uint32_t begin_add;
} smr_csv_fields;

typedef struct smr_csv_kernels {
    const char *tier;
    /* c->start is set by the caller, the rest by the call. */
    void (*count)(const smr_csv_syntax *x, const char *text, int64_t n, smr_csv_count *c);
    /* Appends offsets of separators until at least `want` are there or the text ends; out has room
     * for want + 64.  64 bytes after the text must be readable.  Returns how many. */
    int64_t (*index)(const smr_csv_syntax *x, const char *text, int64_t n, smr_csv_index *state,
                     int64_t want, uint32_t *out);
    /* out[i] for i in [from, n) while the fields are plain decimal numbers that are converted with
     * one exact division (at most 16 bytes; sign, digits, point); returns the first i that is not,
     * or n. */
    int64_t (*numbers)(const smr_csv_fields *f, int64_t from, int64_t n, double *out);
} smr_csv_kernels;

/* The kernels of the best tier that this CPU has. */
const smr_csv_kernels *smr_csv_kernels_best(void);
/* For tests: tier 0, 1, ... of those that this CPU has, the baseline first; NULL after the last. */
const smr_csv_kernels *smr_csv_kernels_tier(int i);

/* kind[] from the other fields. */
void smr_csv_syntax_init(smr_csv_syntax *x, char delimiter, char newline, bool quotes);

#endif
