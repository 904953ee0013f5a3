/* flow.c -- see flow.h.
 *
 * Room, in order: the block in the first stage's form, two buffers that the stages write in turn
 * (what one wrote is read while the next writes the other), and the scratch of the hungriest. */
#include "learn/flow.h"

#include "learn/chain.h"

#include <math.h>

enum { BLOCK_BYTES = 4 << 20, LEAST_ROWS = 16, SPARSE_FEATURES = 512 /* of a row, at most */ };

/* ---- room ------------------------------------------------------------------------------- */

static int64_t round_up(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Does stage s hand sparse rows to the next?  The last of a run of transforms does where it can. */
static bool hands_sparse(const smr_stage *stages, int64_t n, int64_t s, bool from_sparse)
{
    return smr_stage_is_sparse(&stages[s], from_sparse) &&
           (s + 1 == n || smr_stage_takes(&stages[s + 1]) & SMR_TAKES_SPARSE);
}

/* Doubles of a row that stage s writes for the next, given dense rows: with sparse ones there are
 * no more. */
static int64_t width_of(const smr_stage *stages, int64_t n, int64_t s)
{
    bool sparse = false;
    for (int64_t k = 0; k <= s; k++) sparse = hands_sparse(stages, n, k, sparse);
    return sparse ? 0 : stages[s].n_out;
}

static int64_t rows_that_fit(int64_t n_features)
{
    return SMR_MAX(LEAST_ROWS, BLOCK_BYTES / (8 * SMR_MAX(1, n_features)));
}

int64_t smr_flow_block(const smr_stage *stages, int64_t n, int64_t n_features)
{
    int64_t d = n_features;
    if (smr_stage_takes(&stages[0]) & SMR_TAKES_SPARSE) d = SMR_MIN(d, SPARSE_FEATURES);
    for (int64_t s = 0; s + 1 < n; s++) d = SMR_MAX(d, width_of(stages, n, s));
    return SMR_MAX(1, SMR_MIN(smr_stage_rows_liked(&stages[n - 1]), rows_that_fit(d)));
}

bool smr_flow_of_sequences(const smr_stage *stages, int64_t n)
{
    for (int64_t s = 0; s < n; s++)
        if (smr_stage_takes(&stages[s]) & SMR_TAKES_SEQUENCES) return true;
    return false;
}

void smr_flow_plan(const smr_stage *stages, int64_t n, int64_t n_features, int64_t rows,
                   bool answers, smr_flow *out)
{
    int64_t most = 0, width[2] = {0, 0};
    for (int64_t s = 0; s < n; s++) {
        const smr_fitted *f = stages[s].learner->fitted;
        if (f->scratch) most = SMR_MAX(most, f->scratch(stages[s].params, stages[s].state, rows));
        if (s + 1 < n || !answers) width[s % 2] = SMR_MAX(width[s % 2], width_of(stages, n, s));
    }
    *out = (smr_flow){.stages = stages, .n = n, .rows = rows};
    out->even = round_up(8 * rows * n_features);
    out->odd = out->even + round_up(8 * rows * width[0]);
    out->scratch = out->odd + round_up(8 * rows * width[1]);
    out->bytes = out->scratch + round_up(most);
}

smr_status smr_flow_open(smr_ctx *ctx, smr_flow *f)
{
    f->room = smr_alloc_raw(ctx, SMR_MAX(1, f->bytes), 1);
    f->owns_room = f->room != NULL;
    return f->room ? SMR_OK : SMR_ERR_NOMEM;
}

void smr_flow_close(smr_flow *f)
{
    if (f->owns_room) smr_free(f->room);
    smr_entries_release(&f->entries[0]);
    smr_entries_release(&f->entries[1]);
    *f = (smr_flow){0};
}

/* ---- one stage -------------------------------------------------------------------------- */

static double *buffer_of(const smr_flow *f, int64_t s)
{
    return (double *)(void *)(f->room + (s % 2 ? f->odd : f->even));
}

static const smr_feature *features_at(const smr_flow *f, int64_t s)
{
    return s ? f->stages[s - 1].features : f->in;
}

static smr_status check_gaps(smr_ctx *ctx, const smr_flow *f, int64_t s, const smr_rows *rows)
{
    if (!s || !f->refuse_gaps || smr_stage_takes(&f->stages[s]) & SMR_TAKES_MISSING) return SMR_OK;
    return smr_rows_complete(ctx, rows, features_at(f, s));
}

/* Sparse rows of a transform; to learn, one after another, each before it is answered. */
static smr_status pass_sparse(smr_ctx *ctx, smr_flow *f, int64_t s, smr_rows *rows,
                              const smr_truths *truths, int64_t n_outputs)
{
    smr_status st = SMR_OK;
    const smr_stage *stage = &f->stages[s];
    smr_entries *to = &f->entries[s % 2];
    void *scratch = f->room + f->scratch;
    TRY(smr_entries_begin(ctx, to, rows->n));
    for (int64_t i = 0; truths && i < rows->n; i++) {
        smr_rows one = smr_rows_slice(rows, i, i + 1);
        smr_truths its = {.y = truths->y ? truths->y + i * n_outputs : NULL,
                          .label = truths->label ? truths->label + i : NULL,
                          .weight = truths->weight ? truths->weight + i : NULL};
        TRY(stage->learner->stream->learn(ctx, stage->params, stage->state, &one, &its, NULL));
        TRY(smr_stage_append(ctx, stage, &one, to, scratch));
    }
    if (!truths) TRY(smr_stage_append(ctx, stage, rows, to, scratch));
    smr_rows_of_entries(rows, to, stage->n_out);
out:
    return st;
}

/* Dense rows of a transform, in the form that the next stage asks for. */
static smr_status pass_dense(smr_ctx *ctx, smr_flow *f, int64_t s, smr_rows *rows,
                             const smr_truths *truths)
{
    smr_status st = SMR_OK;
    const smr_stage *stage = &f->stages[s];
    double *out = buffer_of(f, s);
    smr_form given = truths ? SMR_FORM_F64 : smr_stage_form_out(stage, rows->form), form = given;
    if (s + 1 < f->n) form = smr_stage_form_of(&f->stages[s + 1], given);
    smr_form written = SMR_MIN(form, given); /* a narrower one is made from it */
    if (truths)
        TRY(stage->learner->stream->learn(ctx, stage->params, stage->state, rows, truths, out));
    else
        TRY(smr_stage_transform(ctx, stage, rows, written, out, f->room + f->scratch));
    rows->form = written;
    rows->x = out;
    rows->d = rows->stride = stage->n_out;
    smr_rows_convert(rows, form, out);
out:
    return st;
}

static smr_status pass(smr_ctx *ctx, smr_flow *f, int64_t s, smr_rows *rows,
                       const smr_truths *truths, int64_t n_outputs)
{
    smr_status st = check_gaps(ctx, f, s, rows);
    if (st != SMR_OK) return st;
    if (hands_sparse(f->stages, f->n, s, rows->form == SMR_FORM_SPARSE))
        return pass_sparse(ctx, f, s, rows, truths, n_outputs);
    return pass_dense(ctx, f, s, rows, truths);
}

/* Into the form of the first stage. */
static void enter(const smr_flow *f, smr_rows *rows)
{
    if (!f->as_asked) smr_rows_convert(rows, smr_stage_form_of(&f->stages[0], rows->form), f->room);
}

/* ---- all of them ------------------------------------------------------------------------ */

smr_status smr_flow_transform(smr_ctx *ctx, smr_flow *f, smr_rows *rows)
{
    smr_status st = SMR_OK;
    enter(f, rows);
    for (int64_t s = 0; s < f->n; s++) TRY(pass(ctx, f, s, rows, NULL, 0));
out:
    return st;
}

static double value_at(const smr_rows *rows, int64_t i, int64_t j)
{
    int64_t at = i * rows->stride + j;
    if (rows->form == SMR_FORM_F64) return ((const double *)rows->x)[at];
    return rows->form == SMR_FORM_F32 ? (double)((const float *)rows->x)[at] : 0;
}

/* A learner that refused its rows knows features by their place only: where one is infinite, the
 * message names row and column instead. */
static void name_infinite(smr_ctx *ctx, const smr_flow *f, const smr_rows *rows)
{
    const smr_feature *features = features_at(f, f->n - 1);
    bool dense = rows->form == SMR_FORM_F64 || rows->form == SMR_FORM_F32;
    for (int64_t i = 0; features && dense && i < rows->n; i++)
        for (int64_t j = 0; j < rows->d; j++) {
            if (!isinf(value_at(rows, i, j)) || !features[j].name) continue;
            int64_t row = (rows->numbers ? rows->numbers[i] : rows->first + i) + 1;
            smr_begin(ctx);
            smr_fail(ctx, SMR_ERR_DATA,
                     "row %lld, column '%s': the value is infinite, and %s needs finite numbers",
                     (long long)row, features[j].name, f->stages[f->n - 1].learner->word->name);
            return;
        }
}

smr_status smr_flow_predict(smr_ctx *ctx, smr_flow *f, const smr_rows *in, smr_output output,
                            int64_t round, double *out)
{
    smr_status st = SMR_OK;
    smr_rows rows;
    const smr_stage *last = &f->stages[f->n - 1];
    const smr_fitted *fitted = last->learner->fitted;
    void *scratch = f->room + f->scratch;
    if (f->n > 1 || !f->as_asked) {
        rows = *in;
        in = &rows;
        enter(f, &rows);
        for (int64_t s = 0; s + 1 < f->n; s++) TRY(pass(ctx, f, s, &rows, NULL, 0));
        TRY(check_gaps(ctx, f, f->n - 1, &rows));
    }
    if (output == SMR_OUTPUT_TRANSFORM)
        st = smr_stage_transform(ctx, last, in, SMR_FORM_F64, out, scratch);
    else if (round == SMR_ALL_ROUNDS)
        st = fitted->predict(ctx, last->params, last->state, in, output, out, scratch);
    else
        st = fitted->rounds->predict_after(ctx, last->params, last->state, in, output, round, out,
                                           scratch);
    if (st == SMR_ERR_DATA) name_infinite(ctx, f, in);
out:
    return st;
}

smr_status smr_flow_learn(smr_ctx *ctx, smr_flow *f, const smr_rows *in, const smr_truths *truths,
                          int64_t n_outputs, double *out)
{
    smr_status st = SMR_OK;
    smr_rows rows = *in;
    const smr_stage *last = &f->stages[f->n - 1];
    enter(f, &rows);
    for (int64_t s = 0; s + 1 < f->n; s++) TRY(pass(ctx, f, s, &rows, truths, n_outputs));
    TRY(last->learner->stream->learn(ctx, last->params, last->state, &rows, truths, out));
out:
    return st;
}

smr_status smr_flow_learn_found(smr_ctx *ctx, smr_flow *f, const smr_rows *in,
                                const smr_truths *truths, double *out)
{
    smr_status st = SMR_OK;
    smr_rows rows = *in;
    const smr_stage *last = &f->stages[f->n - 1];
    const smr_learner *learner = last->learner;
    void *scratch = f->room + f->scratch;
    enter(f, &rows);
    for (int64_t s = 0; s + 1 < f->n; s++) TRY(pass(ctx, f, s, &rows, truths, 0));
    for (int64_t i = 0; i < rows.n; i++) {
        smr_rows one = smr_rows_slice(&rows, i, i + 1);
        smr_truths its = {.weight = truths->weight ? truths->weight + i : NULL};
        TRY(learner->fitted->predict(ctx, last->params, last->state, &one, SMR_OUTPUT_LABEL,
                                     out + 2 * i, scratch));
        TRY(learner->fitted->predict(ctx, last->params, last->state, &one, SMR_OUTPUT_SCORE,
                                     out + 2 * i + 1, scratch));
        TRY(learner->stream->learn(ctx, last->params, last->state, &one, &its, NULL));
    }
out:
    return st;
}

/* ---- for readers ------------------------------------------------------------------------ */

static smr_status open_run(smr_ctx *ctx, const smr_data *data, int64_t max_rows, void **work)
{
    smr_status st = SMR_OK;
    smr_flow *f = NULL;
    TRY_NEW(f, 1);
    smr_flow_plan(data->stages, data->n_stages, 0, max_rows, false, f);
    f->refuse_gaps = data->refuse_missing;
    TRY(smr_flow_open(ctx, f));
    *work = f;
    f = NULL;
out:
    smr_free(f);
    return st;
}

static smr_status run_rows(smr_ctx *ctx, void *work, smr_rows *rows)
{
    return smr_flow_transform(ctx, work, rows);
}

static void close_run(void *work)
{
    if (work) smr_flow_close(work);
    smr_free(work);
}

const smr_computing smr_flow_computing = {open_run, run_rows, close_run};
