/* kernel_matrix.c -- see kernel_matrix.h.
 *
 * The matrix is the state of a learner that is in no list: so the table's columns come to it as
 * they come to any learner with that kernel. */
#include "study/kernel_matrix.h"

#include "core/figure.h"
#include "learn/kernels/kernel_points.h"
#include "math/factor.h"

#include <math.h>
#include <string.h>

/* ---- a learner whose state is the matrix ------------------------------------------------ */

struct params {
    smr_kernel kernel; /* first: smr_kernelled_nature */
};

struct state {
    int64_t n;
    double *K;
    double *gamma; /* of each word */
};

static const smr_param params[] = {
    {SMR_FIELD(struct params, kernel), .grammar = &smr_kernel_grammar, .least = 1, .most = 1,
     .def_text = "linear", .primary = true, .doc = "The kernel."},
};

static void release(void *state_)
{
    struct state *s = state_;
    smr_free(s->K);
    smr_free(s->gamma);
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct params *p = params_;
    struct state *s = state_;
    smr_status st = SMR_OK;
    smr_kernel_set set = {0};
    (void)report;
    s->n = data->n_rows;
    TRY(smr_memory_check(ctx, (double)s->n * (double)s->n * 8, "the kernel matrix",
                         "fewer rows need less"));
    TRY(smr_kernel_open(ctx, "kernel", &p->kernel, data, SMR_KERNEL_F64, &set));
    TRY_NEW(s->K, s->n * s->n + 1);
    TRY(smr_kernel_gram(ctx, &set, s->K, s->n));
    s->gamma = set.points.gamma;
    set.points.gamma = NULL;
out:
    smr_kernel_close(&set);
    return st;
}

static const smr_word about = {
    .name = "kernel",
    .family = "kernel",
    .title = "Kernel matrix",
    .brief = "The kernel matrix of a table.",
    .objective = "K_ij",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct params),
};

static const smr_can_transform transforms = {.no_inverse = "it is a matrix"};

static const smr_fitted fitted = {
    .state_size = sizeof(struct state),
    .gives = SMR_GIVES_TRANSFORM,
    .release = release,
    .transform = &transforms,
};

static const smr_learner matrix = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes = SMR_KERNEL_TAKES | SMR_TAKES_MISSING,
    .nature = smr_kernelled_nature,
    .texts = smr_kernelled_texts,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
};

/* ---- the matrix ------------------------------------------------------------------------- */

/* The expression with the gammas that were found. */
static smr_status write_form(smr_ctx *ctx, smr_kernel *kernel, const double *gamma, char **out)
{
    smr_text text = {.ctx = ctx};
    for (int64_t i = 0; i < kernel->n; i++)
        if (kernel->node[i].op == SMR_KERNEL_WORD && kernel->node[i].params->gamma < 0)
            kernel->node[i].params->gamma = gamma[kernel->node[i].leaf];
    smr_kernel_write(kernel, &text);
    smr_status st = smr_text_done(&text);
    if (st == SMR_OK)
        *out = text.bytes;
    else
        smr_text_release(&text);
    return st;
}

smr_status smr_kernel_matrix(smr_ctx *ctx, const smr_table *table, const char *text,
                             const smr_set_opts *opts, double **K, int64_t *n, char **form)
{
    smr_status st = SMR_OK;
    smr_step step = {.learner = &matrix};
    smr_spec spec = {.steps = &step, .n = 1};
    smr_train_set *set = NULL;
    smr_model *model = NULL;
    *K = NULL;
    TRY(smr_params_begin(ctx, &smr_columns_word, &spec.head.columns));
    TRY(smr_params_create(ctx, &about, &step.params));
    TRY(smr_kernel_read(ctx, text, &((struct params *)step.params)->kernel));
    TRY(smr_train_set_create(ctx, table, &spec, opts, &set));
    TRY(smr_fit(ctx, &spec, set, NULL, 0, &model));
    struct state *s = model->stages[model->n_stages - 1].state;
    *K = s->K;
    *n = s->n;
    s->K = NULL;
    if (form) st = write_form(ctx, &((struct params *)step.params)->kernel, s->gamma, form);
out:
    smr_model_free(model);
    smr_train_set_free(set);
    smr_params_free(&about, step.params);
    smr_params_release(&smr_columns_word, &spec.head.columns);
    if (st != SMR_OK) {
        smr_free(*K);
        *K = NULL;
    }
    return st;
}

/* ---- Mercer ----------------------------------------------------------------------------- */

smr_status smr_mercer_of(smr_ctx *ctx, int64_t n, const double *K, smr_mercer *out)
{
    smr_status st = SMR_OK;
    double *A = NULL, *w = NULL, largest = 0;
    *out = (smr_mercer){0};
    if (n < 1)
        return smr_fail(ctx, SMR_ERR_SHAPE, "a kernel matrix has at least one row, not %lld",
                        (long long)n);
    if (n > SMR_MAX_DIM)
        return smr_fail(ctx, SMR_ERR_SHAPE, "%lld rows are too many for a kernel matrix",
                        (long long)n);
    TRY(smr_memory_check(ctx, 2.0 * 8 * (double)n * (double)n, "the eigenvalues of a kernel matrix",
                         "fewer rows need less"));
    TRY_NEW(A, n * n + 1);
    TRY_NEW(w, n + 1);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double x = K[i * n + j], y = K[j * n + i];
            if (!isfinite(x))
                TRY(smr_fail(ctx, SMR_ERR_DATA,
                             "the kernel matrix has no finite number in row %lld, column %lld",
                             (long long)i + 1, (long long)j + 1));
            largest = SMR_MAX(largest, fabs(x));
            A[i * n + j] = x / 2 + y / 2;
            if (!(fabs(x - y) > out->asymmetry)) continue;
            out->asymmetry = fabs(x - y);
            out->row = i + 1;
            out->column = j + 1;
        }
    TRY(smr_eigen_values(ctx, n, A, n, w));
    for (int64_t k = 0; k < n; k++) {
        out->smallest = k == 0 || w[k] < out->smallest ? w[k] : out->smallest;
        out->largest = k == 0 || w[k] > out->largest ? w[k] : out->largest;
    }
    out->least = -(double)n * 0x1p-50 * SMR_MAX(fabs(out->largest), fabs(out->smallest));
    out->symmetric = out->asymmetry <= 1e-8 * largest;
    out->positive = out->smallest >= out->least;
out:
    smr_free(A);
    smr_free(w);
    return st;
}

/* ---- picture ---------------------------------------------------------------------------- */

void smr_kernel_figure(smr_ctx *ctx, int64_t n, const double *K, int64_t most, const char *title,
                       smr_json *figures)
{
    int64_t m = SMR_MIN(n, most);
    double *shown = smr_alloc(ctx, m * m + 1, sizeof *shown);
    smr_json *figure = smr_figure_add(figures, "kernel", title,
                                      m < n ? "Some rows, evenly over the table." : NULL);
    const char *const axes[] = {"x", "y"};
    for (int k = 0; k < 2; k++) {
        smr_json *axis = smr_figure_axis(figure, axes[k], "row", "linear");
        smr_json_add_number(axis, "min", -0.5);
        smr_json_add_number(axis, "max", (double)n - 0.5);
        if (k == 0) smr_json_add_bool(axis, "equal", true);
    }
    for (int64_t i = 0; shown && i < m; i++)
        for (int64_t j = 0; j < m; j++) shown[i * m + j] = K[i * n / m * n + j * n / m];
    smr_json *cells = smr_figure_series(figure, "K", "cells", 0, NULL, NULL);
    smr_json_add_number(cells, "nx", (double)m);
    smr_json_add_number(cells, "ny", (double)m);
    if (shown) smr_json_add_numbers(cells, "value", shown, m * m);
    smr_free(shown);
}
