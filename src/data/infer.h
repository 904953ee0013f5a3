/* infer.h -- what a field's text is, and what a column of fields is.
 *
 * A column's kind follows from counts over the whole file, never from a sample:
 *
 *     numbers only                            number
 *     dates only (date.h)                     date
 *     >= 99 % numbers (or dates), some text   an error that lists the strays: either a mark for
 *                                             missing values that is not known, or a category
 *     only missing values                     number
 *     anything else                           category
 *
 * Missing in every column are the empty field, NA N/A n/a na #N/A <NA> NaN nan NAN null NULL Null
 * and ? and the marks of --missing.  `-` `--` `.` None none and NaT are missing in number and date
 * columns only: in a column of text they are values ("+" and "-" are a classic pair of classes, and
 * "None" a classic level).  A mark is compared byte by byte, after blanks around it are dropped. */
#ifndef SMR_DATA_INFER_H
#define SMR_DATA_INFER_H

#include "core/ctx.h"
#include "data/table.h"

enum { SMR_MARKS_MAX = 64 };

/* The marks of --missing. */
typedef struct smr_marks {
    char *text; /* owned copy, cut into marks */
    int64_t n;
    const char *mark[SMR_MARKS_MAX];
    int64_t length[SMR_MARKS_MAX];
    bool has_numbers; /* some marks read as numbers: these      */
    int64_t n_numbers;
    double number[SMR_MARKS_MAX];
} smr_marks;

/* `list` is comma-separated, or NULL. */
smr_status smr_marks_init(smr_ctx *ctx, const char *list, smr_marks *out);
void smr_marks_release(smr_marks *m);

typedef enum smr_field {
    SMR_FIELD_MISSING, /* in every column                        */
    SMR_FIELD_DASH,    /* missing among numbers and dates only   */
    SMR_FIELD_NUMBER,
    SMR_FIELD_DATE,
    SMR_FIELD_TEXT,
    /* Texts that would be numbers, if commas meant something (SMR_DECIMAL_FIND, _POINT): */
    SMR_FIELD_COMMA,  /* decimals: 42,5 0,123 1.234,5           */
    SMR_FIELD_GROUPS, /* thousands: 1,234.5 1,234,567           */
    SMR_FIELD_EITHER, /* one or the other: 1,234                */
    /* A text that would be a number if commas did not separate decimals (SMR_DECIMAL_COMMA): */
    SMR_FIELD_POINTED, /* 42.5                                   */
    SMR_FIELD_KINDS
} smr_field;

/* What separates the decimals of a column.  Thousands may be separated by the other mark, where all
 * groups after the first have three digits, and the first one to three, not beginning with 0. */
typedef enum smr_decimal {
    SMR_DECIMAL_FIND,   /* 1234.5; what commas could mean is told apart */
    SMR_DECIMAL_POINT,  /* 1234.5                                       */
    SMR_DECIMAL_GROUPS, /* 1234.5 and 1,234.5                           */
    SMR_DECIMAL_COMMA   /* 1234,5 and 1.234,5                           */
} smr_decimal;

/* True for the marks that are missing in every column, blanks around them dropped; *which numbers
 * the mark. */
bool smr_field_is_missing(const smr_marks *m, const char *text, int64_t n, int *which);
/* The text of a mark that smr_field_is_missing numbered; number 0 is the empty field. */
const char *smr_mark_text(const smr_marks *m, int which);

/* What the text is.  NUMBER and DATE set *value, else it is NaN. */
smr_field smr_field_classify(const smr_marks *m, const char *text, int64_t n, double *value,
                             bool *has_time);

/* The same with another decimal mark, or in search of one. */
smr_field smr_field_read(const smr_marks *m, smr_decimal decimal, const char *text, int64_t n,
                         double *value, bool *has_time);
/* Is the text, blanks around it dropped, a number that has thousands and no decimals, such as 1.234
 * or 1,234? */
bool smr_field_is_grouped(const char *text, int64_t n);

/* How many fields of each kind a column has. */
typedef struct smr_tally {
    int64_t n[SMR_FIELD_KINDS];
} smr_tally;

typedef enum smr_verdict {
    SMR_VERDICT_NUMBER,
    SMR_VERDICT_DATE,
    SMR_VERDICT_CATEGORY,
    SMR_VERDICT_STRAYS /* numbers or dates (whichever prevail) and stray text */
} smr_verdict;

smr_verdict smr_tally_judge(const smr_tally *t);
/* What commas mean in a column that was read with SMR_DECIMAL_FIND, if nearly all of its fields are
 * numbers with that meaning and no field contradicts; else SMR_DECIMAL_FIND.  Where each may be
 * either, `comma` says whether other columns have decimal commas. */
smr_decimal smr_tally_decimal(const smr_tally *t, bool comma);
/* Is it a column of numbers, even if fields with the other decimal mark are counted as such? */
bool smr_tally_is_mixed(const smr_tally *t);
/* The kind that a reader tries first after a sample: wrong guesses cost time, nothing else. */
smr_kind smr_tally_guess(const smr_tally *t);

/* True when the n bytes are UTF-8; else *at is the first byte that is not. */
bool smr_is_utf8(const char *text, int64_t n, int64_t *at);

/* For messages: the text in at most 40 bytes, control characters as '?', characters kept whole. */
enum { SMR_EXCERPT_MAX = 48 };
const char *smr_excerpt(const char *text, int64_t n, char out[SMR_EXCERPT_MAX]);

#endif
