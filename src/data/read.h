/* read.h -- from a file to a table.
 *
 * A reader never guesses silently: what it inferred (format, delimiter, header, types, missing
 * marks) is in table->notes.  The error for a broken file has file:line, the column's name, the
 * offending text and a hint.  Numbers are read exactly and without a locale. */
#ifndef SMR_DATA_READ_H
#define SMR_DATA_READ_H

#include "data/picture.h"
#include "data/table.h"

typedef enum smr_format {
    SMR_FORMAT_AUTO = 0, /* by name, then by the first bytes                       */
    SMR_FORMAT_CSV,
    SMR_FORMAT_LIBSVM,
    SMR_FORMAT_ARFF,
    SMR_FORMAT_NPY,
    SMR_FORMAT_IDX,
    SMR_FORMAT_JSONL,
    SMR_FORMAT_SQLITE,
    SMR_FORMAT_PICTURE, /* PNG, JPEG, PBM, PGM, PPM: a row; a folder of them          */
    SMR_FORMAT_CIFAR10,
    SMR_FORMAT_CIFAR100,
    SMR_FORMAT_CIFAR100_COARSE
} smr_format;

/* How a column must be read, whatever its values look like (--type, or a model's schema). */
typedef struct smr_column_rule {
    const char *name; /* column name, or "#3", "#-1" for a position                        */
    bool ignore;      /* skip the column: its values are not even stored                   */
    bool optional;    /* the file need not have such a column; else that is an error       */
    smr_kind kind;
    /* With a model's schema: the strings that code 0, 1, ... stand for (NULL: free).  Others get
     * the code -1 and are counted; the caller decides what that means. */
    const smr_strings *levels;
} smr_column_rule;

typedef struct smr_read_opts {
    smr_format format;
    int header;          /* -1: detect, 0: none, 1: the first row                         */
    char delimiter;      /* 0: sniff                                                      */
    char decimal;        /* CSV: '.' or ','; 0: found in the columns (csv.h)               */
    bool expects_comma;  /* CSV, decimal 0: the table of a model had decimal commas       */
    const char *missing; /* extra marks, comma-separated; NULL: none                      */
    const char *labels;  /* IDX: the file of labels; becomes the column "label"           */
    const char *query;   /* SQLite: rows of a SELECT; NULL: of a table                    */
    smr_picture_how how; /* pictures: the shape that they get                             */
    bool skip_bad;       /* a folder of pictures: those that cannot be read are left out  */
    const smr_column_rule *rules;
    int64_t n_rules;
    bool only_ruled; /* read only the columns that have a rule (a model's schema)          */
} smr_read_opts;

/* Reads `path` ("-": standard input; gzip, zstd and xz recognised by their first bytes), a file or
 * a folder of pictures.  opts may be NULL. */
smr_status smr_table_read(smr_ctx *ctx, const char *path, const smr_read_opts *opts,
                          smr_table **out);

/* Writes a table; the format follows the name (.csv .tsv .jsonl .svm .libsvm .arff .npy, and
 * .gz, .zst or .xz after it) unless given.  "-" is standard output.  The old file stays until
 * the new one is whole: written beside it, synced, renamed. */
smr_status smr_table_write(smr_ctx *ctx, const smr_table *table, const char *path,
                           smr_format format);

#endif
