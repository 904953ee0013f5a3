/* explain_linear.c -- the part that a column has in the scores of a linear model.
 *
 * Where the scores are b + x'w and every feature of x is made from one column of the same row, a
 * score is a sum over columns, and shuffling the values of a column shuffles its part,
 *
 *     score'_i = score_i + (part_order(i) - part_i),  part_i = sum of w_f x_if over its features:
 *
 * two numbers for a row in place of a whole prediction.  What the scores become, values or
 * probabilities of classes, is checked, not assumed: of the rows as they are it must give the
 * model's own answers, bit for bit; else the model is asked in the usual way. */
#include "core/parallel.h"
#include "core/rng.h"
#include "learn/apply_parts.h"
#include "learn/chain.h"
#include "learn/linear/affine.h"
#include "learn/linear/scores.h"
#include "learn/views.h"
#include "study/explain_parts.h"

#include <string.h>

enum { BLOCK = 1024 };

/* One pass over the rows. */
struct pass {
    const smr_linear_parts *of;
    const smr_data *data;    /* what the last stage reads                                  */
    const int64_t *place;    /* n_features: the place of its column among `part`, -1: none */
    double *part;            /* columns x n x n_scores; NULL: scores are wanted            */
    double *score, *nothing; /* n x n_scores; n_scores zeros, in place of no intercepts    */
    smr_reader **readers;    /* one per lane                                               */
};

/* ---- which models ----------------------------------------------------------------------- */

/* Do the scores, spread over classes where the target has them, have the shape of the answers? */
static bool suits(const smr_model *m, const smr_linear_view *view, smr_output output)
{
    bool classes = m->target.task == SMR_TASK_CLASSIFY;
    if (!view->w || m->schema.n_sparse || smr_roles_any(m->schema.roles)) return false;
    if (!classes)
        return m->target.task == SMR_TASK_REGRESS && output == SMR_OUTPUT_VALUE &&
               view->n_scores == m->target.n;
    return view->n_scores == smr_scores_of(m->target.classes.n);
}

/* input[f] = the input that feature f of the last stage was made from; false: some was made from
 * several. */
static smr_status trace_features(smr_ctx *ctx, const smr_model *m, int64_t n_first, int64_t n_last,
                                 int64_t *input, bool *all)
{
    smr_status st = SMR_OK;
    int64_t *of_first = NULL, *from = NULL, n = 0;
    TRY_NEW(of_first, n_first + 1);
    smr_schema_inputs_of(&m->schema, smr_model_columns(m), of_first);
    TRY(smr_stages_origins(ctx, m->stages, m->n_stages - 1, n_first, &from, &n));
    *all = n == n_last;
    for (int64_t f = 0; f < n && *all; f++) {
        *all = from[f] >= 0;
        input[f] = *all ? of_first[from[f]] : -1;
    }
out:
    smr_free(of_first);
    smr_free(from);
    return st;
}

/* ---- rows ------------------------------------------------------------------------------- */

static double value_at(const smr_rows *rows, int64_t i, int64_t f)
{
    int64_t at = i * rows->stride + f;
    if (rows->form == SMR_FORM_F64) return ((const double *)rows->x)[at];
    if (rows->form == SMR_FORM_F32) return (double)((const float *)rows->x)[at];
    return ((const uint8_t *)rows->x)[at];
}

/* part += w_f x for each score. */
static void add_value(const struct pass *p, int64_t row, int64_t f, double x)
{
    const smr_linear_view *v = &p->of->view;
    if (p->place[f] < 0) return;
    double *part = p->part + (p->place[f] * p->of->n + row) * v->n_scores;
    for (int64_t s = 0; s < v->n_scores; s++) part[s] += v->w[s * v->n_features + f] * x;
}

static void add_parts(const struct pass *p, const smr_rows *rows, int64_t lo)
{
    for (int64_t i = 0; i < rows->n; i++) {
        if (rows->form == SMR_FORM_SPARSE)
            for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
                add_value(p, lo + i, rows->column[e], rows->value[e]);
        else
            for (int64_t f = 0; f < p->of->view.n_features; f++)
                if (p->place[f] >= 0) add_value(p, lo + i, f, value_at(rows, i, f));
    }
}

static smr_status pass_block(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    struct pass *p = arg;
    const smr_linear_view *v = &p->of->view;
    const smr_stage *last = smr_model_last(p->of->model);
    int64_t lo = block * BLOCK, hi = SMR_MIN(p->of->n, lo + BLOCK);
    smr_status st = SMR_OK;
    smr_rows rows;
    if (!p->readers[lane])
        TRY(smr_reader_open(ctx, p->data, smr_stage_form(last, p->data), BLOCK, &p->readers[lane]));
    TRY(smr_reader_rows(ctx, p->readers[lane], lo, hi, &rows));
    if (p->part)
        add_parts(p, &rows, lo);
    else
        smr_affine_predict(v->n_features, v->n_scores, v->w, v->b ? v->b : p->nothing, &rows,
                           p->score + lo * v->n_scores);
out:
    return st;
}

static smr_status pass_over(smr_ctx *ctx, struct pass *p)
{
    smr_status st = SMR_OK;
    int lanes = smr_lanes(ctx);
    TRY_NEW(p->readers, lanes);
    TRY_NEW(p->nothing, p->of->view.n_scores);
    TRY(smr_parallel(ctx, NULL, smr_block_count(p->of->n, BLOCK), pass_block, p));
out:
    for (int k = 0; p->readers && k < lanes; k++) smr_reader_close(p->readers[k]);
    smr_free(p->readers);
    smr_free(p->nothing);
    return st;
}

/* ---- what importance asks for ----------------------------------------------------------- */

/* Scores, in the first places of `out`, become answers. */
static void answer(const smr_linear_parts *of, double *out)
{
    const smr_target *t = &of->model->target;
    if (t->task == SMR_TASK_CLASSIFY)
        smr_classifier_spread(t->classes.n, of->n, of->output, out);
    else
        smr_apply_undo_standardizing(t, of->n, 1, out);
}

smr_status smr_linear_parts_open(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                                 const smr_answers *a, const double *predicted,
                                 smr_linear_parts *out)
{
    smr_status st = SMR_OK;
    double *own = NULL;
    bool traced = false;
    *out = (smr_linear_parts){.model = m, .n = a->n, .output = a->output};
    out->view = smr_stage_linear(smr_model_last(m));
    if (!suits(m, &out->view, a->output)) return SMR_OK;
    TRY(smr_schema_bind(ctx, &m->schema, smr_model_columns(m), table, &out->binding));
    TRY(smr_explain_chain(ctx, m, &out->binding, a->rows, a->n, &out->data));
    int64_t d = out->data[m->n_stages - 1].n_features, S = out->view.n_scores;
    if (d != out->view.n_features) goto out;
    TRY_NEW(out->input, d + 1);
    TRY(trace_features(ctx, m, out->binding.n_features, d, out->input, &traced));
    if (!traced) goto out;
    TRY_NEW(out->score, a->n * S);
    struct pass p = {.of = out, .data = &out->data[m->n_stages - 1], .score = out->score};
    TRY(pass_over(ctx, &p));
    TRY_NEW(own, a->n * a->width);
    memcpy(own, out->score, (size_t)(a->n * S) * sizeof *own);
    answer(out, own);
    out->serves = memcmp(own, predicted, (size_t)(a->n * a->width) * sizeof *own) == 0;
out:
    smr_free(own);
    return st;
}

void smr_linear_parts_close(smr_linear_parts *of)
{
    smr_free(of->score);
    smr_free(of->input);
    smr_free(of->data);
    smr_binding_release(&of->binding);
    *of = (smr_linear_parts){0};
}

smr_status smr_linear_parts_of(smr_ctx *ctx, const smr_linear_parts *of, const int64_t *inputs,
                               int64_t n, double *part)
{
    smr_status st = SMR_OK;
    int64_t d = of->view.n_features, *place = NULL;
    TRY_NEW(place, d + 1);
    for (int64_t f = 0; f < d; f++) {
        place[f] = -1;
        for (int64_t k = 0; k < n; k++)
            if (inputs[k] == of->input[f]) place[f] = k;
    }
    memset(part, 0, (size_t)(n * of->n * of->view.n_scores) * sizeof *part);
    struct pass p = {
        .of = of, .data = &of->data[of->model->n_stages - 1], .place = place, .part = part};
    TRY(pass_over(ctx, &p));
out:
    smr_free(place);
    return st;
}

void smr_linear_parts_shuffle(const smr_linear_parts *of, const double *part, uint64_t seed,
                              uint64_t key, double *work, double *out)
{
    int64_t n = of->n * of->view.n_scores;
    memcpy(work, part, (size_t)n * sizeof *work);
    smr_random_shuffle(seed, SMR_STREAM_EXPLAIN, key, of->n, of->view.n_scores, work);
    for (int64_t i = 0; i < n; i++) out[i] = of->score[i] + (work[i] - part[i]);
    answer(of, out);
}
