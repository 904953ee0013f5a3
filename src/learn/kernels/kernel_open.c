/* kernel_open.c -- from training rows to points: see kernel_points.h.  Columns, numbers and gamma
 * have files of their own; here are the texts, a matrix that is given, and the whole. */
#include "learn/kernels/kernel_open.h"

#include "learn/kernels/kernel_tile.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256, EXPONENTIAL = 8 };

/* ---- texts ------------------------------------------------------------------------------ */

/* The texts of one block of rows: their lengths, or their bytes from *at on. */
static void copy_texts(const smr_kernel_points *p, const smr_rows *rows, bool bytes)
{
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t t = 0; t < p->n_texts; t++) {
            int64_t place = (rows->first + i) * p->n_texts + t, n = 0;
            const double *x = (const double *)rows->x + i * rows->stride;
            double code = x[p->text_feature[t]];
            const char *text = "";
            if (code >= 0)
                text = smr_strings_get(rows->texts[p->text_number[t]], (int64_t)code, &n);
            if (bytes)
                memcpy(p->strings.bytes + p->strings.start[place], text, (size_t)n);
            else
                p->strings.start[place + 1] = n;
        }
}

static smr_status keep_texts(smr_ctx *ctx, const smr_kernel_opening *o)
{
    smr_status st = SMR_OK;
    smr_kernel_points *p = o->points;
    smr_strings *s = &p->strings;
    smr_reader *reader = NULL;
    smr_rows rows;
    p->n_strings = p->n * p->n_texts;
    TRY_NEW(s->start, p->n_strings + 1);
    if (p->n_texts == 0) return SMR_OK;
    TRY(smr_reader_open(ctx, o->data, SMR_FORM_F64, BLOCK, &reader));
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t lo = 0; lo < p->n; lo += BLOCK) {
            TRY(smr_reader_rows(ctx, reader, lo, SMR_MIN(p->n, lo + BLOCK), &rows));
            copy_texts(p, &rows, pass == 1);
            TRY(smr_tick(ctx, "reading texts", lo, p->n, NAN));
        }
        if (pass == 1) break;
        for (int64_t i = 0; i < p->n_strings; i++) s->start[i + 1] += s->start[i];
        TRY_NEW(s->bytes, s->start[p->n_strings] + 1);
    }
    s->n = p->n_strings;
out:
    smr_reader_close(reader);
    return st;
}

/* ---- a matrix that is given ------------------------------------------------------------- */

static smr_status refuse_asymmetry(smr_ctx *ctx, const smr_kernel_opening *o, int64_t i, int64_t j)
{
    smr_text pair = {.ctx = ctx};
    const smr_kernel_points *p = o->points;
    smr_text_printf(&pair, "K(%d, %d) is ", (int)p->place[i] + 1, (int)p->place[j] + 1);
    smr_text_number(&pair, p->x_f64[i * p->d + p->place[j]]);
    smr_text_printf(&pair, " and K(%d, %d) is ", (int)p->place[j] + 1, (int)p->place[i] + 1);
    smr_text_number(&pair, p->x_f64[j * p->d + p->place[i]]);
    smr_status st = smr_text_done(&pair);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_DATA, "%s: the precomputed matrix is not symmetric: %s", o->who,
                      pair.bytes);
    smr_text_release(&pair);
    return st;
}

/* Square, and symmetric to 1e-8 of its largest value; then exactly so. */
static smr_status check_given(smr_ctx *ctx, const smr_kernel_opening *o)
{
    smr_status st = SMR_OK;
    const smr_kernel_points *p = o->points;
    double largest = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (p->place[i] >= p->d)
            return smr_fail(ctx, SMR_ERR_SHAPE,
                            "%s: a precomputed kernel has a column for every row of the table; row "
                            "%lld has none, as there are %lld columns",
                            o->who, (long long)p->place[i] + 1, (long long)p->d);
    if (!o->data->rows && p->n != p->d && !o->data->source)
        return smr_fail(ctx, SMR_ERR_SHAPE,
                        "%s: a precomputed kernel has a column for every row of the table; there "
                        "are %lld rows and %lld columns",
                        o->who, (long long)p->n, (long long)p->d);
    for (int64_t i = 0; i < p->n * p->d; i++) largest = SMR_MAX(largest, fabs(p->x_f64[i]));
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < i; j++) {
            double *a = &p->x_f64[i * p->d + p->place[j]], *b = &p->x_f64[j * p->d + p->place[i]];
            if (fabs(*a - *b) > 1e-8 * largest) TRY(refuse_asymmetry(ctx, o, i, j));
            *a = *b = (*a + *b) / 2;
        }
out:
    return st;
}

/* ---- the whole -------------------------------------------------------------------------- */

static smr_status narrow_diagonal(smr_ctx *ctx, const smr_kernel_rows *rows, double *out)
{
    return smr_kernel_diagonal(ctx, (const smr_kernel_set *)rows, out);
}

/* K(x, x) bounds all values of a kernel. */
static smr_status check_size(smr_ctx *ctx, const char *who, const smr_kernel_set *set,
                             const int32_t *row)
{
    smr_status st = SMR_OK;
    bool narrow = set->points.x_f32 || set->points.value_f32;
    double *diagonal = NULL, most = narrow ? 1e37 : 1e300;
    TRY_NEW(diagonal, set->points.n + 1);
    TRY(smr_kernel_diagonal(ctx, set, diagonal));
    for (int64_t i = 0; i < set->points.n; i++)
        if (!(fabs(diagonal[i]) <= most))
            TRY(smr_fail(ctx, SMR_ERR_NUMERIC,
                         "%s: K(x, x) of row %lld is too large; scale the features, or lower the "
                         "kernel's degree or gamma",
                         who, (long long)(row ? row[i] : i) + 1));
out:
    smr_free(diagonal);
    return st;
}

double smr_kernel_cost(const smr_kernel_set *set)
{
    const smr_kernel *k = set->kernel;
    const smr_kernel_points *p = &set->points;
    double n = (double)SMR_MAX(p->n, 1), cost = 0;
    double numbers = p->start ? (double)p->n_entries / n : (double)p->d;
    for (int64_t i = 0; i < k->n; i++) {
        const smr_kernel_node *node = &k->node[i];
        cost += 1;
        if (node->op == SMR_KERNEL_EXP) cost += EXPONENTIAL;
        if (node->op != SMR_KERNEL_WORD || node->kind == SMR_KERNEL_PRECOMPUTED) continue;
        if (!smr_kernel_is_of_text(node->kind)) {
            cost += numbers + EXPONENTIAL;
            continue;
        }
        double bytes = (double)p->strings.start[p->n_strings] / (n * (double)p->n_texts);
        bool cells = node->kind == SMR_KERNEL_SUBSEQUENCE;
        cost += cells ? 3 * bytes * bytes * (double)node->params->length : bytes;
    }
    return cost;
}

smr_status smr_kernel_collect(smr_ctx *ctx, const char *who, const smr_kernel *kernel,
                              const smr_data *data, smr_kernel_precision precision,
                              smr_kernel_set *out)
{
    smr_status st = SMR_OK;
    smr_kernel_points *p = &out->points;
    smr_data all = *data;
    smr_kernel_opening o = {
        .who = who, .kernel = kernel, .data = &all, .precision = precision, .points = p};
    all.refuse_missing = false; /* they are refused here, by name */
    if (data->n_rows > SMR_MAX_DIM)
        return smr_fail(ctx, SMR_ERR_SHAPE, "%s: %lld rows are too many for a kernel", who,
                        (long long)data->n_rows);
    out->kernel = kernel;
    out->rows = (smr_kernel_rows){
        .n = data->n_rows, .block = smr_kernel_block_f32, .diagonal = narrow_diagonal};
    p->n = data->n_rows;
    p->n_words = kernel->n_words;
    TRY_NEW(p->gamma, p->n_words + 1);
    TRY(smr_kernel_link(ctx, &o));
    TRY(smr_kernel_read_numbers(ctx, &o));
    TRY(keep_texts(ctx, &o));
    if (p->place) TRY(check_given(ctx, &o));
out:
    smr_free(o.is_text);
    return st;
}

smr_status smr_kernel_start(smr_ctx *ctx, const char *who, smr_kernel_set *set, const int32_t *row)
{
    smr_status st = smr_kernel_prepare(ctx, set->kernel, &set->points);
    return st == SMR_OK ? check_size(ctx, who, set, row) : st;
}

smr_status smr_kernel_open(smr_ctx *ctx, const char *who, const smr_kernel *kernel,
                           const smr_data *data, smr_kernel_precision precision,
                           smr_kernel_set *out)
{
    smr_status st = smr_kernel_collect(ctx, who, kernel, data, precision, out);
    return st == SMR_OK ? smr_kernel_start(ctx, who, out, NULL) : st;
}
