/* matrices.c -- see matrices.h. */
#define _GNU_SOURCE /* S_ISDIR */
#include "matrices.h"

#include "data/formats.h"
#include "session.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

smr_status matrices_read(smr_ctx *ctx, const args *a, const char *path, struct matrix *m)
{
    smr_status st = SMR_OK;
    smr_table *t = NULL;
    args how = *a;
    struct stat s;
    smr_format format = smr_format_of_path(path);
    bool text = format == SMR_FORMAT_AUTO || format == SMR_FORMAT_CSV; /* others have no header */
    bool folder = stat(path, &s) == 0 && S_ISDIR(s.st_mode);           /* of pictures */
    if (!how.header && text && !folder) how.header = "no";
    TRY(session_read(ctx, &how, path, &t));
    m->n_rows = t->n_rows;
    m->n_cols = t->n_cols;
    TRY_NEW(m->x, t->n_rows * t->n_cols);
    for (int64_t j = 0; j < t->n_cols; j++) {
        if (t->cols[j].kind != SMR_NUMBER) {
            st = smr_fail(ctx, SMR_ERR_DATA, "%s: column '%s' does not hold numbers%s", path,
                          t->cols[j].name, a->header ? "" : "; --header yes skips a line of names");
            goto out;
        }
        for (int64_t i = 0; i < t->n_rows; i++)
            m->x[i * t->n_cols + j] = smr_column_number(&t->cols[j], i);
    }
out:
    smr_table_free(t);
    return st;
}

smr_status matrices_add_rows(smr_ctx *ctx, smr_status st, smr_json *into, const char *key,
                             const double *x, int64_t n_rows, int64_t n_cols)
{
    if (st != SMR_OK) return st;
    smr_json *list = smr_json_add_array(into, key);
    for (int64_t i = 0; i < n_rows; i++) {
        TRY(smr_tick(ctx, NULL, i, n_rows, NAN));
        smr_json *row = smr_json_add_array(list, NULL);
        for (int64_t j = 0; j < n_cols; j++) smr_json_add_number(row, NULL, x[i * n_cols + j]);
    }
out:
    return st;
}

smr_status matrices_need_square(smr_ctx *ctx, const struct matrix *m, const char *what)
{
    if (m->n_rows == m->n_cols) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_SHAPE, "%s needs a square matrix, and this one is %lld x %lld",
                    what, (long long)m->n_rows, (long long)m->n_cols);
}
