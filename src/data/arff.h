/* arff.h -- the parts of the ARFF reader; private to it. */
#ifndef SMR_DATA_ARFF_H
#define SMR_DATA_ARFF_H

#include "core/text.h"
#include "data/file.h"
#include "data/vocab.h"

/* What an attribute was declared as. */
typedef enum smr_arff_type {
    SMR_ARFF_NUMERIC = 0, /* numeric, real, integer */
    SMR_ARFF_NOMINAL,
    SMR_ARFF_STRING,
    SMR_ARFF_DATE
} smr_arff_type;

typedef struct smr_arff_attribute {
    char *name;
    smr_arff_type type;
    char *date_format; /* as Java's SimpleDateFormat writes it */
    smr_vocab dict;    /* nominal: the declared values; string: those met */
    double *number;    /* numeric, date: its values                       */
    int32_t *code;     /* nominal, string                                 */
    int64_t room;
    bool in_csr; /* its values are in the sparse block, as feature `feature` */
    int64_t feature;
} smr_arff_attribute;

/* A file taken line by line. */
typedef struct smr_arff_lines {
    smr_source *source;
    char *bytes;
    int64_t from, to, room; /* bytes[from..to) are still to be taken */
    bool ended;
    int64_t number; /* of the line last taken, from 1 */
} smr_arff_lines;

/* A line being taken apart. */
typedef struct smr_arff_scan {
    const char *p, *end;
    smr_arff_lines *lines; /* for messages */
    smr_text token;        /* the last token, without its quotes */
    bool quoted;
} smr_arff_scan;

typedef struct smr_arff_header {
    smr_arff_attribute *attributes;
    int64_t n, room;
    char *relation;
} smr_arff_header;

/* The next line without its end, readable for SMR_SCAN_PAD bytes more; NULL after the last. */
smr_status smr_arff_next_line(smr_ctx *ctx, smr_arff_lines *lines, const char **line,
                              int64_t *length);
void smr_arff_lines_release(smr_arff_lines *lines);

/* "FILE:LINE: " and the sentence. */
smr_status smr_arff_fail(smr_ctx *ctx, const smr_arff_lines *lines, const char *format, ...)
    SMR_PRINTF(3, 4);

/* True when only blanks and a comment are left. */
bool smr_arff_at_end(smr_arff_scan *s);
/* The next value, quoted or bare; a bare one ends at a blank, a comma, a brace or a comment. */
smr_status smr_arff_token(smr_ctx *ctx, smr_arff_scan *s);
/* Skips blanks and takes c if it is next. */
bool smr_arff_accept(smr_arff_scan *s, char c);

/* Reads the declarations, up to and including @data. */
smr_status smr_arff_read_header(smr_ctx *ctx, smr_arff_lines *lines, smr_arff_header *h);
void smr_arff_header_release(smr_arff_header *h);

/* The moment that `text` means in the given format; false if it does not fit. */
bool smr_arff_date(const char *format, const char *text, int64_t n, double *seconds);
/* The first letter of the format that is not known, or 0. */
char smr_arff_date_unknown(const char *format);

#endif
