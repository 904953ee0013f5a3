/* read.c -- from a file to a table: finds the format, calls its reader, applies the rules. */
#define _GNU_SOURCE /* S_ISDIR */
#include "data/read.h"

#include "data/csv.h"
#include "data/formats.h"
#include "data/items.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOK = 4096 }; /* bytes that are looked at to find the format */

smr_status smr_table_sign(smr_table *t, const smr_source *source, smr_text *notes)
{
    return smr_items_sign(t, smr_source_name(source), notes);
}

/* ---- the format ------------------------------------------------------------------------- */

static smr_status look(smr_ctx *ctx, smr_source *source, char bytes[LOOK], int64_t *n)
{
    smr_status st = SMR_OK;
    *n = 0;
    for (int64_t got = 1; got > 0 && *n < LOOK; *n += got)
        TRY(smr_source_read(ctx, source, bytes + *n, LOOK - *n, &got));
    TRY(smr_source_rewind(ctx, source));
out:
    return st;
}

static bool is_binary(smr_format format)
{
    return format == SMR_FORMAT_NPY || format == SMR_FORMAT_IDX || format >= SMR_FORMAT_SQLITE;
}

/* A format that was asked for is believed; one that the name promises must agree with the bytes on
 * being text or binary; else the bytes decide. */
static smr_status find_format(smr_ctx *ctx, smr_source *source, const char *path,
                              const smr_read_opts *opts, smr_format *format)
{
    smr_status st = SMR_OK;
    char bytes[LOOK];
    int64_t n = 0;
    smr_format promised = smr_format_of_path(path), shown;
    *format = opts->format;
    TRY(look(ctx, source, bytes, &n));
    if (n == 0)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s: the file is empty", smr_source_name(source)));
    if (*format != SMR_FORMAT_AUTO) goto out;
    *format = promised;
    if (is_binary(promised)) goto out; /* its reader checks every byte of the header */
    TRY(smr_format_of_bytes(ctx, smr_source_name(source), bytes, n, &shown));
    if (promised != SMR_FORMAT_AUTO && is_binary(shown))
        TRY(smr_fail(ctx, SMR_ERR_FORMAT,
                     "%s: named like a %s file, but holds %s data; rename it or use --format %s",
                     smr_source_name(source), smr_format_name(promised), smr_format_name(shown),
                     smr_format_name(shown)));
    if (promised == SMR_FORMAT_AUTO) *format = shown;
out:
    return st;
}

/* A file, and after a '?' the table of it that is meant, which a database can have. */
struct place {
    char *file;        /* owned       */
    const char *table; /* or NULL     */
};

static smr_status find_place(smr_ctx *ctx, const char *path, struct place *out)
{
    out->file = smr_strdup(ctx, path);
    if (!out->file) return SMR_ERR_NOMEM;
    char *mark = strrchr(out->file, '?');
    if (!mark || mark == out->file || access(path, F_OK) == 0) return SMR_OK;
    *mark = '\0';
    if (access(out->file, F_OK) != 0) /* then the whole name is the one that is not there */
        *mark = '?';
    else
        out->table = mark + 1;
    return SMR_OK;
}

static smr_status read_database(smr_ctx *ctx, const smr_source *source, const struct place *at,
                                const smr_read_opts *opts, smr_table **out)
{
    smr_sqlite_fn read = smr_sqlite_reader();
    if (smr_source_file(source) < 0 || strcmp(at->file, "-") == 0)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "%s: an SQLite database is read from a file of its own, not packed and not "
                        "through a pipe",
                        smr_source_name(source));
    if (read) return read(ctx, at->file, at->table, opts, out);
    return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                    "%s: is an SQLite database, which this build does not read; sqlite3 -header "
                    "-csv FILE 'select * from TABLE' > FILE.csv makes a CSV file of it",
                    at->file);
}

static smr_status check_place(smr_ctx *ctx, const struct place *at, const smr_read_opts *opts,
                              smr_format format)
{
    if (format == SMR_FORMAT_SQLITE || (!at->table && !opts->query)) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM, "%s: is %s; %s for SQLite databases", at->file,
                    smr_format_name(format), at->table ? "FILE?TABLE is" : "a query is");
}

/* An option of another format would be ignored. */
smr_status smr_read_opts_suit(smr_ctx *ctx, const char *name, const smr_read_opts *opts,
                              smr_format format)
{
    bool marks =
        format == SMR_FORMAT_CSV || format == SMR_FORMAT_JSONL || format == SMR_FORMAT_SQLITE;
    bool csv = format == SMR_FORMAT_CSV;
    const char *what = opts->delimiter && !csv     ? "a delimiter is for CSV files"
                       : opts->decimal && !csv     ? "a decimal point or comma is for CSV files"
                       : opts->header == 1 && !csv ? "a header is for CSV files"
                       : opts->missing && !marks
                           ? "marks of missing values are for CSV, JSON lines and SQLite"
                       : format == SMR_FORMAT_PICTURE    ? NULL
                       : smr_picture_changes(&opts->how) ? "--size and --grey are for pictures"
                       : opts->skip_bad                  ? "--bad skip is for folders of pictures"
                                                         : NULL;
    if (!what) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM, "%s: is %s; %s", name, smr_format_name(format), what);
}

static smr_status read_format(smr_ctx *ctx, smr_source *source, const struct place *at,
                              smr_format format, const smr_read_opts *opts, smr_table **out)
{
    switch (format) {
    case SMR_FORMAT_CSV: return smr_csv_read(ctx, source, opts, out);
    case SMR_FORMAT_LIBSVM: return smr_libsvm_read(ctx, source, opts, out);
    case SMR_FORMAT_ARFF: return smr_arff_read(ctx, source, opts, out);
    case SMR_FORMAT_NPY: return smr_npy_read(ctx, source, opts, out);
    case SMR_FORMAT_IDX: return smr_idx_read(ctx, source, opts, out);
    case SMR_FORMAT_JSONL: return smr_jsonl_read(ctx, source, opts, out);
    case SMR_FORMAT_SQLITE: return read_database(ctx, source, at, opts, out);
    case SMR_FORMAT_PICTURE: return smr_picture_table(ctx, source, opts, out);
    case SMR_FORMAT_CIFAR10:
    case SMR_FORMAT_CIFAR100:
    case SMR_FORMAT_CIFAR100_COARSE: return smr_cifar_read(ctx, source, opts, out);
    case SMR_FORMAT_AUTO: break;
    }
    return smr_fail(ctx, SMR_ERR_PARAM, "%s: format %d is unknown", smr_source_name(source),
                    (int)format);
}

/* ---- labels ----------------------------------------------------------------------------- */

static smr_status check_labels(smr_ctx *ctx, const smr_table *t, const smr_table *labels)
{
    if (labels->n_cols != 1 || labels->sparse.n_cols)
        return smr_fail(ctx, SMR_ERR_SHAPE, "%s: a file of labels has one column, not %" PRId64,
                        labels->source, labels->n_cols + labels->sparse.n_cols);
    if (labels->n_rows != t->n_rows)
        return smr_fail(ctx, SMR_ERR_SHAPE,
                        "%s has %" PRId64 " label%s, and %s has %" PRId64 " row%s; do they belong "
                        "together?",
                        labels->source, labels->n_rows, smr_plural(labels->n_rows, "", "s"),
                        t->source, t->n_rows, smr_plural(t->n_rows, "", "s"));
    return SMR_OK;
}

/* Moves the only column of `labels` after those of the table, as "label". */
static smr_status append_labels(smr_ctx *ctx, smr_table *t, smr_table *labels)
{
    smr_status st = SMR_OK;
    char *name = NULL;
    TRY(check_labels(ctx, t, labels));
    smr_column *cols = smr_realloc(ctx, t->cols, t->n_cols + 1, sizeof *cols);
    if (!cols) return SMR_ERR_NOMEM;
    t->cols = cols;
    name = smr_strdup(ctx, "label");
    if (!name) TRY(SMR_ERR_NOMEM);
    if (labels->n_blocks) TRY(smr_table_own(ctx, t, labels->blocks[0]));
    labels->n_blocks = 0;
    smr_column *c = &cols[t->n_cols++];
    *c = labels->cols[0];
    labels->cols[0] = (smr_column){0};
    smr_free(c->name);
    c->name = name;
    c->names_classes = true;
    name = NULL;
out:
    smr_free(name);
    return st;
}

static smr_status read_labels(smr_ctx *ctx, smr_table *t, smr_format format, const char *path)
{
    smr_status st = SMR_OK;
    smr_table *labels = NULL;
    if (format != SMR_FORMAT_IDX && format != SMR_FORMAT_NPY)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "%s: a file of labels goes with IDX and NPY files; a %s file holds its own",
                     t->source, smr_format_name(format)));
    TRY(smr_table_read(ctx, path, NULL, &labels));
    TRY(append_labels(ctx, t, labels));
out:
    smr_table_free(labels);
    return st;
}

/* A folder holds pictures, whatever format is asked for otherwise. */
static bool holds_pictures(const char *path, const smr_read_opts *opts)
{
    struct stat s;
    bool may = opts->format == SMR_FORMAT_AUTO || opts->format == SMR_FORMAT_PICTURE;
    return may && !opts->query && stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static smr_status read_folder(smr_ctx *ctx, const char *path, const smr_read_opts *opts,
                              smr_table **out)
{
    smr_status st = SMR_OK;
    smr_table *t = NULL;
    TRY(smr_folder_table(ctx, path, opts, &t));
    if (opts->labels) TRY(read_labels(ctx, t, SMR_FORMAT_PICTURE, opts->labels));
    TRY(smr_table_apply_rules(ctx, t, opts));
    TRY(smr_table_check_names(ctx, t));
    *out = t;
    t = NULL;
out:
    smr_table_free(t);
    return st;
}

smr_status smr_table_read(smr_ctx *ctx, const char *path, const smr_read_opts *opts,
                          smr_table **out)
{
    static const smr_read_opts defaults = {.header = -1};
    smr_status st = SMR_OK;
    smr_source *source = NULL;
    smr_table *t = NULL;
    smr_format format;
    struct place at = {0};
    if (!opts) opts = &defaults;
    *out = NULL;
    if (holds_pictures(path, opts)) return read_folder(ctx, path, opts, out);
    TRY(find_place(ctx, path, &at));
    TRY(smr_source_open(ctx, at.file, &source));
    TRY(find_format(ctx, source, at.file, opts, &format));
    TRY(check_place(ctx, &at, opts, format));
    TRY(smr_read_opts_suit(ctx, smr_source_name(source), opts, format));
    TRY(read_format(ctx, source, &at, format, opts, &t));
    if (opts->labels) TRY(read_labels(ctx, t, format, opts->labels));
    if (format != SMR_FORMAT_CSV) TRY(smr_table_apply_rules(ctx, t, opts));
    TRY(smr_table_check_names(ctx, t));
    *out = t;
    t = NULL;
out:
    smr_table_free(t);
    smr_source_close(source);
    smr_free(at.file);
    return st;
}
