/* affine.c -- see affine.h. */
#include "learn/linear/affine.h"

#include "core/text.h"
#include "kernel/kernel.h"
#include "math/special.h"

#include <math.h>
#include <stdio.h>

/* ---- prediction ------------------------------------------------------------------------- */

static double sparse_dot(const smr_rows *rows, int64_t i, const double *w)
{
    double s = 0;
    for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
        s += rows->value[e] * w[rows->column[e]];
    return s;
}

/* Floats or bytes: each piece of a row becomes doubles once, for all outputs. */
static void narrow_dots(const smr_rows *rows, int64_t i, int64_t q, const double *coef, double *f)
{
    enum { PIECE = 256 };
    double x[PIECE];
    int64_t at = i * rows->stride, d = rows->d;
    for (int64_t k = 0; k < q; k++) f[k] = 0;
    for (int64_t lo = 0; lo < d; lo += PIECE) {
        int64_t n = SMR_MIN(PIECE, d - lo);
        if (rows->form == SMR_FORM_F32)
            for (int64_t j = 0; j < n; j++) x[j] = (double)((const float *)rows->x)[at + lo + j];
        else
            for (int64_t j = 0; j < n; j++) x[j] = ((const uint8_t *)rows->x)[at + lo + j];
        for (int64_t k = 0; k < q; k++) f[k] += smr_dot_f64(n, x, coef + k * d + lo);
    }
}

void smr_affine_predict(int64_t d, int64_t q, const double *coef, const double *intercept,
                        const smr_rows *rows, double *out)
{
    if (rows->form == SMR_FORM_F64)
        smr_rows_times_f64(rows->n, d, q, rows->x, rows->stride, coef, d, out);
    for (int64_t i = 0; i < rows->n; i++) {
        double *f = out + i * q;
        if (rows->form == SMR_FORM_SPARSE)
            for (int64_t k = 0; k < q; k++) f[k] = sparse_dot(rows, i, coef + k * d);
        else if (rows->form != SMR_FORM_F64)
            narrow_dots(rows, i, q, coef, f);
        for (int64_t k = 0; k < q; k++) f[k] += intercept[k];
    }
}

/* ---- words ------------------------------------------------------------------------------ */

const char *smr_affine_name(const smr_feature *in, int64_t j, char buffer[32])
{
    if (in && in[j].name) return in[j].name;
    snprintf(buffer, 32, "%lld", (long long)j);
    return buffer;
}

void smr_affine_list(const char *key, int64_t c, int64_t d, const double *coef,
                     const double *intercept, const smr_feature *in, smr_json *list)
{
    for (int64_t j = intercept ? -1 : 0; j < d; j++) {
        char name[32];
        smr_json *row = smr_json_add_object(list, NULL);
        if (key) smr_json_add_number(row, key, (double)c);
        smr_json_add_string(row, "feature", j < 0 ? "(intercept)" : smr_affine_name(in, j, name));
        smr_json_add_number(row, "estimate", j < 0 ? *intercept : coef[j]);
    }
}

void smr_affine_describe(int64_t d, const double *coef, const double *intercept,
                         const smr_feature *in, smr_json *into)
{
    smr_affine_list(NULL, 0, d, coef, intercept, in, smr_json_add_array(into, "coefficients"));
}

void smr_affine_term(smr_json *list, const char *name, double estimate, double error, double df)
{
    smr_json *row = smr_json_add_object(list, NULL);
    double t = estimate / error, p = NAN;
    if (isfinite(t) && isinf(df)) p = 2 * smr_normal_cdf(-fabs(t));
    if (isfinite(t) && isfinite(df) && df > 0) p = smr_t_two_sided(t, df);
    smr_json_add_string(row, "feature", name);
    smr_json_add_number(row, "estimate", estimate);
    smr_json_add_number(row, "std_error", error);
    smr_json_add_number(row, isinf(df) ? "z" : "t", t);
    smr_json_add_number(row, "p", p);
}

void smr_affine_outputs(int64_t q, smr_describe_output describe, const void *params,
                        const void *state, const smr_feature *in, smr_json *into)
{
    if (q == 1) {
        describe(params, state, 0, in, into);
        return;
    }
    smr_json *list = smr_json_add_array(into, "outputs");
    for (int64_t k = 0; k < q; k++) describe(params, state, k, in, smr_json_add_object(list, NULL));
}

/* "'Friday' = 'Fish and Chips'", "'x4' = 2 'x1' - 0.5 'x2' + 7", "'c' is constant" */
static void say_dependency(const smr_dependency *dep, const smr_data *data, smr_text *text)
{
    char name[32];
    smr_text_printf(text, "'%s'", smr_affine_name(data->features, dep->column, name));
    if (dep->n_terms == 0) {
        smr_text_add(text, " is constant");
        return;
    }
    smr_text_add(text, " =");
    for (int64_t k = 0; k < SMR_MIN(dep->n_terms, SMR_DEPENDENCY_TERMS); k++) {
        double f = dep->factor[k];
        smr_text_add(text, f < 0 ? " -" : k > 0 ? " +" : "");
        if (fabs(fabs(f) - 1) > 1e-9) {
            smr_text_add(text, " ");
            smr_text_rounded(text, fabs(f), 6);
        }
        smr_text_printf(text, " '%s'", smr_affine_name(data->features, dep->on[k], name));
    }
    if (dep->n_terms > SMR_DEPENDENCY_TERMS)
        smr_text_printf(text, " + %lld more", (long long)dep->n_terms - SMR_DEPENDENCY_TERMS);
    if (dep->constant != 0) {
        smr_text_add(text, dep->constant < 0 ? " - " : " + ");
        smr_text_rounded(text, fabs(dep->constant), 6);
    }
}

static void say_all(const char *learner, const smr_data *data, const smr_lstsq *fit, smr_text *text)
{
    enum { SHOWN = 5 };
    int64_t n = fit->n_dependencies;
    if (fit->method == SMR_LSTSQ_SVD) {
        smr_text_printf(text,
                        "%s: %lld column%s and %lld row%s: the rows do not determine the "
                        "coefficients, the smallest that fit were taken; consider ridge",
                        learner, (long long)fit->d, smr_plural(fit->d, "", "s"),
                        (long long)data->n_rows, smr_plural(data->n_rows, "", "s"));
        return;
    }
    smr_text_printf(text, "%s: %lld of %lld columns add nothing to the others: ", learner,
                    (long long)n, (long long)fit->d);
    for (int64_t i = 0; i < SMR_MIN(n, SHOWN); i++) {
        if (i > 0) smr_text_add(text, "; ");
        say_dependency(&fit->dependencies[i], data, text);
    }
    if (n > SHOWN) smr_text_printf(text, "; and %lld more", (long long)n - SHOWN);
    smr_text_add(text, ". Of all coefficients that fit equally well, the smallest were taken; drop "
                       "columns to be able to interpret them");
}

smr_status smr_affine_warn_collinear(smr_ctx *ctx, const char *learner, const smr_data *data,
                                     const smr_lstsq *fit)
{
    smr_text text = {.ctx = ctx};
    if (fit->rank == fit->d) return SMR_OK;
    say_all(learner, data, fit, &text);
    smr_status st = smr_text_done(&text);
    if (st == SMR_OK) smr_warn(ctx, "%s", text.bytes);
    smr_text_release(&text);
    return st;
}
