/* cmd_matrix.c -- samara matrix: determinant, inverse, solution, rank and factorisations of a
 * table.
 *
 * A table without a header is a matrix as it is; the answer is a CSV table without a header, or
 * JSON.  A singular matrix is an error that names its condition number. */
#include "commands.h"
#include "math/linalg.h"
#include "matrices.h"
#include "report/render.h"
#include "session.h"

#include <math.h>
#include <string.h>

static void add_values(smr_json *into, const char *key, const double *x, int64_t n)
{
    smr_json *list = smr_json_add_array(into, key);
    for (int64_t i = 0; i < n; i++) smr_json_add_number(list, NULL, x[i]);
}

/* The second file, with as many rows as the matrix. */
static smr_status read_second(smr_ctx *ctx, const args *a, const struct matrix *m, struct matrix *b)
{
    smr_status st = SMR_OK;
    TRY(matrices_read(ctx, a, a->words[3], b));
    if (b->n_rows != m->n_rows)
        TRY(smr_fail(ctx, SMR_ERR_SHAPE, "the right-hand side has %lld row%s, the matrix %lld",
                     (long long)b->n_rows, smr_plural(b->n_rows, "", "s"), (long long)m->n_rows));
out:
    return st;
}

/* Work of a command: three arrays of the matrix's size are enough for each. */
struct parts {
    int64_t k;
    double *values, *left, *right;
    int64_t *order;
};

static smr_status run_eigen(smr_ctx *ctx, const args *a, const struct matrix *m, struct parts *p,
                            smr_json *root)
{
    smr_status st = SMR_OK;
    struct matrix b = {0};
    if (a->n_words > 3) {
        TRY(read_second(ctx, a, m, &b));
        TRY(matrices_need_square(ctx, &b, "eigen"));
        TRY(smr_matrix_eigen_general(ctx, m->n_rows, m->x, b.x, p->values, p->left));
    } else {
        TRY(smr_matrix_eigen(ctx, m->n_rows, m->x, p->values, p->left));
    }
    add_values(root, "values", p->values, p->k);
    st = matrices_add_rows(ctx, st, root, "vectors", p->left, m->n_rows, p->k);
out:
    smr_free(b.x);
    return st;
}

static smr_status run_svd(smr_ctx *ctx, const struct matrix *m, struct parts *p, smr_json *root)
{
    smr_status st = smr_matrix_svd(ctx, m->n_rows, m->n_cols, m->x, p->left, p->values, p->right);
    add_values(root, "values", p->values, p->k);
    st = matrices_add_rows(ctx, st, root, "U", p->left, m->n_rows, p->k);
    st = matrices_add_rows(ctx, st, root, "Vt", p->right, p->k, m->n_cols);
    return st;
}

static smr_status run_lu(smr_ctx *ctx, const struct matrix *m, struct parts *p, smr_json *root)
{
    smr_status st = smr_matrix_lu(ctx, m->n_rows, m->x, p->order, p->left, p->right);
    for (int64_t i = 0; i < p->k; i++) p->values[i] = (double)p->order[i] + 1;
    add_values(root, "rows", p->values, p->k);
    st = matrices_add_rows(ctx, st, root, "L", p->left, p->k, p->k);
    st = matrices_add_rows(ctx, st, root, "U", p->right, p->k, p->k);
    return st;
}

static smr_status run_qr(smr_ctx *ctx, const struct matrix *m, struct parts *p, smr_json *root)
{
    smr_status st = smr_matrix_qr(ctx, m->n_rows, m->n_cols, m->x, p->left, p->right);
    st = matrices_add_rows(ctx, st, root, "Q", p->left, m->n_rows, p->k);
    st = matrices_add_rows(ctx, st, root, "R", p->right, p->k, m->n_cols);
    return st;
}

static smr_status run_rank(smr_ctx *ctx, const struct matrix *m, struct parts *p, smr_json *root)
{
    int64_t rank = 0;
    double condition = 0;
    smr_status st = smr_matrix_rank(ctx, m->n_rows, m->n_cols, m->x, p->values, &rank, &condition);
    smr_json_add_number(root, "rank", (double)rank);
    smr_json_add_number(root, "condition", condition);
    return st;
}

static smr_status factorise(smr_ctx *ctx, const args *a, const struct matrix *m, smr_json *root)
{
    const char *verb = a->words[1];
    smr_status st = SMR_OK;
    struct parts p = {.k = SMR_MIN(m->n_rows, m->n_cols)};
    TRY_NEW(p.values, p.k);
    TRY_NEW(p.left, m->n_rows * p.k);
    TRY_NEW(p.right, p.k * m->n_cols);
    TRY_NEW(p.order, p.k);
    if (!strcmp(verb, "eigen")) TRY(run_eigen(ctx, a, m, &p, root));
    if (!strcmp(verb, "svd")) TRY(run_svd(ctx, m, &p, root));
    if (!strcmp(verb, "lu")) TRY(run_lu(ctx, m, &p, root));
    if (!strcmp(verb, "qr")) TRY(run_qr(ctx, m, &p, root));
    if (!strcmp(verb, "rank")) TRY(run_rank(ctx, m, &p, root));
    if (!strcmp(verb, "cholesky")) {
        TRY(smr_matrix_cholesky(ctx, m->n_rows, m->x, p.left));
        st = matrices_add_rows(ctx, st, root, "L", p.left, p.k, p.k);
    }
out:
    smr_free(p.values);
    smr_free(p.left);
    smr_free(p.right);
    smr_free(p.order);
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
        st = matrices_add_rows(ctx, st, root, "inverse", x, m->n_rows, m->n_rows);
        goto out;
    }
    if (a->n_words < 4)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "matrix solve needs two files: A and the right-hand side");
    TRY(read_second(ctx, a, m, &b));
    TRY_NEW(x, b.n_rows * b.n_cols);
    TRY(smr_matrix_solve(ctx, m->n_rows, b.n_cols, m->x, b.x, x));
    st = matrices_add_rows(ctx, st, root, "solution", x, b.n_rows, b.n_cols);
out:
    smr_free(b.x);
    smr_free(x);
    return st;
}

/* The verbs; those up to LAST_SQUARE need a square matrix. */
static const char *const verbs[] = {"det",      "inv", "solve", "eigen", "lu",
                                    "cholesky", "svd", "qr",    "rank"};
enum { DET, INV, SOLVE, EIGEN, LAST_SQUARE = 5 };

static smr_status compute(smr_ctx *ctx, const args *a, const struct matrix *m, smr_json *root)
{
    const char *verb = a->words[1];
    smr_status st = SMR_OK;
    int64_t v = 0;
    while (v < SMR_COUNT(verbs) && strcmp(verb, verbs[v]) != 0) v++;
    if (v == SMR_COUNT(verbs))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "there is no 'matrix %s'; choose det, inv, solve, eigen, svd, lu, qr, "
                        "cholesky or rank",
                        verb);
    if (a->n_words > 3 && v != SOLVE && v != EIGEN)
        return smr_fail(ctx, SMR_ERR_PARAM, "matrix %s takes one file, and '%s' is a second", verb,
                        a->words[3]);
    if (v <= LAST_SQUARE) TRY(matrices_need_square(ctx, m, verb));
    if (v == DET) {
        double det = 0;
        TRY(smr_matrix_det(ctx, m->n_rows, m->x, &det, NULL));
        smr_json_add_number(root, "determinant", det);
    } else if (v == INV || v == SOLVE) {
        TRY(solve(ctx, a, m, v == INV, root));
    } else {
        TRY(factorise(ctx, a, m, root));
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
            if (smr_tick(out->ctx, NULL, 0, 1, NAN) != SMR_OK) {
                out->failed = true; /* cancelled: half a matrix is shown to nobody */
                return;
            }
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
    TRY(matrices_read(ctx, a, a->words[2], &m));
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "matrix");
    TRY(compute(ctx, a, &m, root));
    TRY(session_finish_in(ctx, a, root, show, a->output));
out:
    smr_free(m.x);
    smr_json_free(doc);
    return st;
}
