/* matrix.c -- samara matrix: determinant, inverse, solution, eigen and singular values of a table.
 *
 * A table without a header is a matrix as it stands; the answer is a CSV table without a header, or
 * JSON.  A singular matrix is an error, told with its condition number. */
#include "commands.h"
#include "math/linalg.h"
#include "report/render.h"
#include "session.h"

#include <string.h>

struct matrix {
    int64_t n_rows, n_cols;
    double *x; /* row-major */
};

static smr_status read_matrix(smr_ctx *ctx, const args *a, const char *path, struct matrix *m)
{
    smr_status st = SMR_OK;
    smr_table *t = NULL;
    args how = *a;
    if (!how.header) how.header = "no";
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

static void add_rows(smr_json *into, const char *key, const double *x, int64_t n_rows,
                     int64_t n_cols)
{
    smr_json *list = smr_json_add_array(into, key);
    for (int64_t i = 0; i < n_rows; i++) {
        smr_json *row = smr_json_add_array(list, NULL);
        for (int64_t j = 0; j < n_cols; j++) smr_json_add_number(row, NULL, x[i * n_cols + j]);
    }
}

static void add_values(smr_json *into, const char *key, const double *x, int64_t n)
{
    smr_json *list = smr_json_add_array(into, key);
    for (int64_t i = 0; i < n; i++) smr_json_add_number(list, NULL, x[i]);
}

static smr_status need_square(smr_ctx *ctx, const struct matrix *m, const char *what)
{
    if (m->n_rows == m->n_cols) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_SHAPE, "%s needs a square matrix, and this one is %lld x %lld",
                    what, (long long)m->n_rows, (long long)m->n_cols);
}

static smr_status factorise(smr_ctx *ctx, const struct matrix *m, bool eigen, smr_json *root)
{
    int64_t k = SMR_MIN(m->n_rows, m->n_cols);
    smr_status st = SMR_OK;
    double *values = NULL, *left = NULL, *right = NULL;
    TRY_NEW(values, k);
    TRY_NEW(left, m->n_rows * k);
    TRY_NEW(right, k * m->n_cols);
    if (eigen) {
        TRY(smr_matrix_eigen(ctx, m->n_rows, m->x, values, left));
        add_values(root, "values", values, k);
        add_rows(root, "vectors", left, m->n_rows, k);
    } else {
        TRY(smr_matrix_svd(ctx, m->n_rows, m->n_cols, m->x, left, values, right));
        add_values(root, "values", values, k);
        add_rows(root, "U", left, m->n_rows, k);
        add_rows(root, "Vt", right, k, m->n_cols);
    }
out:
    smr_free(values);
    smr_free(left);
    smr_free(right);
    return st;
}

static smr_status solve(smr_ctx *ctx, const args *a, const struct matrix *m, bool inverse,
                        smr_json *root)
{
    smr_status st = SMR_OK;
    struct matrix b = {0};
    double *x = NULL;
    if (inverse) {
        TRY_NEW(x, m->n_rows * m->n_rows);
        TRY(smr_matrix_inverse(ctx, m->n_rows, m->x, x));
        add_rows(root, "inverse", x, m->n_rows, m->n_rows);
        goto out;
    }
    if (a->n_words < 4)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "matrix solve needs two files: A and the right-hand side");
    TRY(read_matrix(ctx, a, a->words[3], &b));
    if (b.n_rows != m->n_rows) {
        st = smr_fail(ctx, SMR_ERR_SHAPE, "the right-hand side has %lld row%s, the matrix %lld",
                      (long long)b.n_rows, smr_plural(b.n_rows, "", "s"), (long long)m->n_rows);
        goto out;
    }
    TRY_NEW(x, b.n_rows * b.n_cols);
    TRY(smr_matrix_solve(ctx, m->n_rows, b.n_cols, m->x, b.x, x));
    add_rows(root, "solution", x, b.n_rows, b.n_cols);
out:
    smr_free(b.x);
    smr_free(x);
    return st;
}

static smr_status compute(smr_ctx *ctx, const args *a, const struct matrix *m, smr_json *root)
{
    static const char *const verbs[] = {"det", "inv", "solve", "eigen", "svd"};
    const char *verb = a->words[1];
    smr_status st = SMR_OK;
    int64_t v = 0;
    while (v < 5 && strcmp(verb, verbs[v]) != 0) v++;
    if (v == 5)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "there is no 'matrix %s'; choose det, inv, solve, eigen or svd", verb);
    if (v != 4) TRY(need_square(ctx, m, verb));
    if (v == 0) {
        double det = 0;
        TRY(smr_matrix_det(ctx, m->n_rows, m->x, &det, NULL));
        smr_json_add_number(root, "determinant", det);
    } else if (v <= 2) {
        TRY(solve(ctx, a, m, v == 1, root));
    } else {
        TRY(factorise(ctx, m, v == 3, root));
    }
out:
    return st;
}

/* Rows as CSV with every digit; a list on one line. */
static void show(const smr_json *root, int64_t most, smr_text *out)
{
    (void)most;                 /* a matrix is shown whole */
    bool several = root->n > 2; /* the command and one answer */
    for (const smr_json *m = root->first; m; m = m->next) {
        if (m->type == SMR_JSON_STRING) continue;
        if (several) smr_text_printf(out, "%s\n", m->key);
        if (m->type == SMR_JSON_NUMBER) {
            smr_text_number(out, m->number);
            smr_text_add(out, "\n");
            continue;
        }
        bool rows = m->first && m->first->type == SMR_JSON_ARRAY;
        for (const smr_json *row = rows ? m->first : m; row; row = rows ? row->next : NULL) {
            for (const smr_json *v = row->first; v; v = v->next) {
                if (v != row->first) smr_text_add(out, ",");
                smr_text_number(out, v->number);
            }
            smr_text_add(out, "\n");
        }
    }
}

smr_status run_matrix(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    struct matrix m = {0};
    smr_json_doc *doc = NULL;
    TRY(read_matrix(ctx, a, a->words[2], &m));
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "matrix");
    TRY(compute(ctx, a, &m, root));
    TRY(session_finish(ctx, a, root, show));
out:
    smr_free(m.x);
    smr_json_free(doc);
    return st;
}
