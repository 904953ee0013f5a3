/* cmd_kernel.c -- samara kernel: the kernel matrix of a table, and whether it is a Mercer kernel's.
 *
 * Without --kernel the file is the matrix itself, a table of numbers without a header.  gram writes
 * the matrix in that form. */
#include "commands.h"
#include "data/read.h"
#include "learn/kernels/kernel_expr.h"
#include "matrices.h"
#include "report/render.h"
#include "session.h"
#include "study/kernel_matrix.h"

#include <math.h>
#include <string.h>

enum { MOST_SHOWN = 80 }; /* rows of a picture */

/* A matrix, and what it is of. */
struct made {
    int64_t n;
    double *K;
    char *form; /* the kernel; NULL: the file is the matrix */
};

static smr_status make(smr_ctx *ctx, const args *a, struct made *m)
{
    smr_status st = SMR_OK;
    smr_table *table = NULL;
    struct matrix given = {0};
    smr_set_opts opts = {.target = a->target, .ignore = a->ignore, .types = a->types};
    if (a->kernel) {
        TRY(session_read(ctx, a, a->words[2], &table));
        TRY(smr_kernel_matrix(ctx, table, a->kernel, &opts, &m->K, &m->n, &m->form));
        goto out;
    }
    if (a->target || a->ignore)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "--%s has nothing to leave out where the file is the matrix itself; --kernel "
                     "EXPR computes one of a table",
                     a->target ? "target" : "ignore"));
    TRY(matrices_read(ctx, a, a->words[2], &given));
    TRY(matrices_need_square(ctx, &given, "a kernel matrix that is given"));
    m->K = given.x;
    m->n = given.n_rows;
    given.x = NULL;
out:
    smr_table_free(table);
    smr_free(given.x);
    return st;
}

/* ---- check ------------------------------------------------------------------------------ */

static bool is_by_form(smr_ctx *ctx, const struct made *m)
{
    smr_kernel kernel = {0};
    bool yes = m->form && smr_kernel_read(ctx, m->form, &kernel) == SMR_OK &&
               smr_kernel_has_mercer_form(&kernel);
    smr_kernel_free(&kernel);
    return yes;
}

static smr_status check(smr_ctx *ctx, const struct made *m, smr_json *root)
{
    smr_status st = SMR_OK;
    smr_mercer found;
    TRY(smr_mercer_of(ctx, m->n, m->K, &found));
    if (m->form) smr_json_add_bool(root, "kernel_by_form", is_by_form(ctx, m));
    smr_json_add_bool(root, "symmetric", found.symmetric);
    smr_json_add_number(root, "asymmetry", found.asymmetry);
    if (!found.symmetric) {
        smr_json_add_number(root, "at_row", (double)found.row);
        smr_json_add_number(root, "at_column", (double)found.column);
    }
    smr_json_add_number(root, "smallest_eigenvalue", found.smallest);
    smr_json_add_number(root, "largest_eigenvalue", found.largest);
    smr_json_add_bool(root, "mercer", found.symmetric && found.positive);
out:
    return st;
}

static void show_verdict(const smr_json *root, smr_text *out)
{
    double smallest = smr_json_get_number(root, "smallest_eigenvalue", 0);
    if (smr_json_get_bool(root, "mercer", false)) {
        smr_text_add(out, "Symmetric and positive semi-definite: a Mercer kernel on these rows");
        bool form = smr_json_get_bool(root, "kernel_by_form", false);
        smr_text_add(out, form ? ", and by its form on any others.\n" : ".\n");
    } else if (!smr_json_get_bool(root, "symmetric", false)) {
        smr_text_add(out, "Not symmetric: not a kernel. Row ");
        smr_text_number(out, smr_json_get_number(root, "at_row", 0));
        smr_text_add(out, ", column ");
        smr_text_number(out, smr_json_get_number(root, "at_column", 0));
        smr_text_add(out, " differs from its mirror by ");
        smr_text_rounded(out, smr_json_get_number(root, "asymmetry", 0), 4);
        smr_text_add(out, ".\n");
    } else {
        smr_text_add(out, "Not positive semi-definite: not a Mercer kernel. Its smallest "
                          "eigenvalue is ");
        smr_text_rounded(out, smallest, 6);
        smr_text_add(out, ".\n");
    }
}

static void show_check(const smr_json *root, int64_t most, smr_text *out)
{
    static const char *const shown[] = {"smallest_eigenvalue", "largest_eigenvalue", "asymmetry"};
    static const char *const words[] = {"smallest eigenvalue", "largest eigenvalue", "asymmetry"};
    const char *form = smr_json_get_string(root, "kernel", NULL);
    (void)most;
    if (form) smr_text_printf(out, "%s\n", form);
    smr_text_count(out, (int64_t)smr_json_get_number(root, "rows", 0), "row");
    smr_text_add(out, "\n\n");
    for (int i = 0; i < SMR_COUNT(shown); i++) {
        smr_text_printf(out, "  %-20s ", words[i]);
        smr_text_rounded(out, smr_json_get_number(root, shown[i], 0), 6);
        smr_text_add(out, "\n");
    }
    smr_text_add(out, "\n");
    show_verdict(root, out);
}

/* ---- gram ------------------------------------------------------------------------------- */

static bool is_npy(const char *path)
{
    size_t n = path ? strlen(path) : 0;
    return n > 4 && strcmp(path + n - 4, ".npy") == 0;
}

static smr_status write_npy(smr_ctx *ctx, const struct made *m, const char *path)
{
    smr_status st = SMR_OK;
    smr_table *table = NULL;
    smr_dense X = {
        .values = m->K, .dtype = SMR_F64, .n_rows = m->n, .n_cols = m->n, .stride = m->n};
    TRY(smr_table_view(ctx, &X, NULL, &table));
    TRY(smr_table_write(ctx, table, path, SMR_FORMAT_NPY));
out:
    smr_table_free(table);
    return st;
}

static void show_gram(const smr_json *root, int64_t most, smr_text *out)
{
    (void)most; /* a matrix is shown whole */
    const smr_json *rows = smr_json_get(root, "gram");
    for (const smr_json *row = rows ? rows->first : NULL; row; row = row->next) {
        for (const smr_json *v = row->first; v; v = v->next) {
            if (v != row->first) smr_text_add(out, ",");
            smr_text_number(out, v->number);
        }
        smr_text_add(out, "\n");
    }
}

static void show_written(const smr_json *root, int64_t most, smr_text *out)
{
    (void)most;
    smr_text_printf(out, "%s: ", smr_json_get_string(root, "output", ""));
    smr_text_count(out, (int64_t)smr_json_get_number(root, "rows", 0), "row");
    smr_text_printf(out, " of %s\n", smr_json_get_string(root, "kernel", "a matrix"));
}

/* To a file of bytes or of text, or as text to standard output. */
static smr_status gram(smr_ctx *ctx, const args *a, const struct made *m, smr_json *root)
{
    smr_status st = SMR_OK;
    if (is_npy(a->output)) {
        TRY(write_npy(ctx, m, a->output));
        smr_json_add_string(root, "output", a->output);
        TRY(session_finish(ctx, a, root, show_written));
    } else {
        st = matrices_add_rows(ctx, SMR_OK, root, "gram", m->K, m->n, m->n);
        if (st == SMR_OK) st = session_finish_in(ctx, a, root, show_gram, a->output);
    }
out:
    return st;
}

smr_status run_kernel(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    struct made m = {0};
    smr_json_doc *doc = NULL;
    bool checks = strcmp(a->words[1], "check") == 0;
    if (!checks && strcmp(a->words[1], "gram") != 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "there is no 'kernel %s'; choose check or gram",
                        a->words[1]);
    if (checks && a->output)
        return smr_fail(ctx, SMR_ERR_PARAM, "kernel check writes no file; kernel gram does");
    TRY(make(ctx, a, &m));
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "kernel");
    if (m.form) smr_json_add_string(root, "kernel", m.form);
    smr_json_add_number(root, "rows", (double)m.n);
    if (checks) TRY(check(ctx, &m, root));
    smr_json *figures = smr_json_add_array(root, "figures");
    smr_kernel_figure(ctx, m.n, m.K, MOST_SHOWN, m.form ? m.form : "kernel matrix", figures);
    TRY(checks ? session_finish(ctx, a, root, show_check) : gram(ctx, a, &m, root));
out:
    smr_free(m.K);
    smr_free(m.form);
    smr_json_free(doc);
    return st;
}
