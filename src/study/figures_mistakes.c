/* figures_mistakes.c -- the worst mistakes of a model of pictures as a contact sheet.
 *
 * Pictures are the rows of a table of pictures, or those of a net that was told their shape; shown
 * as they came in, before any stage. */
#include "core/figure.h"
#include "core/sort.h"
#include "learn/views.h"
#include "study/figures.h"

#include <math.h>
#include <string.h>

enum { MOST = 36 };

struct sheet {
    const smr_model *model;
    const smr_answers *answers;
    const smr_classify_input *in;
    int64_t item[3], n; /* height, width, channels; mistakes that are shown */
    int64_t at[MOST];   /* among the answers, the worst first */
};

/* ---- whether rows are pictures ------------------------------------------------------------ */

static smr_status keep_item(smr_ctx *ctx, void *arg, const smr_layer_answer *answer)
{
    int64_t *item = arg;
    (void)ctx;
    item[0] = answer->height;
    item[1] = answer->width;
    item[2] = answer->channels;
    return SMR_OK;
}

/* Of n_features numbers. */
static smr_status find_item(smr_ctx *ctx, const smr_model *m, const smr_data *data, int64_t item[3])
{
    const smr_stage *last = smr_model_last(m);
    const smr_can_explain *can = smr_explains(last->learner);
    smr_status st = SMR_OK;
    for (int k = 0; k < 3; k++) item[k] = data->item_shape[k];
    if (item[0] == 0 && can->layers)
        TRY(can->layers(ctx, last->params, last->state, NULL, keep_item, item));
    if (item[2] == 0) item[2] = 1;
    if (data->item_shape[3] || item[0] * item[1] <= 1 || (item[2] != 1 && item[2] != 3) ||
        item[0] * item[1] * item[2] != data->n_features)
        item[0] = 0;
out:
    return st;
}

/* ---- which mistakes ----------------------------------------------------------------------- */

/* The score of the true class less that of the one it was taken for, as probabilities where there
 * are some: the lower, the surer the model was of its mistake. */
static double margin(const struct sheet *s, int64_t i, int64_t said)
{
    const double *score = s->in->proba ? s->in->proba : s->in->decision;
    if (!score) return 0;
    return score[i * s->in->n_classes + s->in->label[i]] - score[i * s->in->n_classes + said];
}

static int64_t said_of(const struct sheet *s, int64_t i)
{
    const double *score = s->in->proba ? s->in->proba : s->in->decision;
    int64_t best = 0;
    if (s->in->predicted) return s->in->predicted[i];
    for (int64_t k = 1; score && k < s->in->n_classes; k++)
        if (score[i * s->in->n_classes + k] > score[i * s->in->n_classes + best]) best = k;
    return best;
}

static smr_status find_mistakes(smr_ctx *ctx, struct sheet *s)
{
    smr_status st = SMR_OK;
    double *by = NULL;
    int64_t *which = NULL, *order = NULL, n = 0;
    TRY_NEW(by, s->in->n + 1);
    TRY_NEW(which, s->in->n + 1);
    TRY_NEW(order, s->in->n + 1);
    for (int64_t i = 0; i < s->in->n; i++) {
        int64_t said = said_of(s, i);
        if (said == s->in->label[i]) continue;
        by[n] = margin(s, i, said);
        which[n++] = i;
    }
    TRY(smr_argsort_f64(ctx, n, by, order));
    s->n = SMR_MIN(n, MOST);
    for (int64_t k = 0; k < s->n; k++) s->at[k] = which[order[k]];
out:
    smr_free(by);
    smr_free(which);
    smr_free(order);
    return st;
}

/* ---- the sheet ---------------------------------------------------------------------------- */

/* "7, not 1 (12)". */
static smr_status label_of(const struct sheet *s, int64_t i, smr_text *out)
{
    const smr_strings *classes = &s->model->target.classes;
    int64_t n;
    out->length = 0;
    const char *name = smr_strings_get(classes, s->in->label[i], &n);
    smr_text_add_bytes(out, name, n);
    smr_text_add(out, ", not ");
    name = smr_strings_get(classes, said_of(s, i), &n);
    smr_text_add_bytes(out, name, n);
    smr_text_printf(out, " (%lld)", (long long)s->answers->rows[i] + 1);
    return smr_text_done(out);
}

static smr_status draw(smr_ctx *ctx, const struct sheet *s, const smr_data *data, smr_json *figures)
{
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    smr_rows rows;
    smr_text label = {.ctx = ctx};
    smr_json *figure = smr_figure_tiles(
        figures, "mistakes", "Worst mistakes",
        "The class that is right, the one that was said, and the row's number; those of which the "
        "model was surest come first.",
        0, 0, false);
    TRY(smr_reader_open(ctx, data, SMR_FORM_F64, 1, &reader));
    for (int64_t k = 0; k < s->n; k++) {
        TRY(label_of(s, s->at[k], &label));
        smr_json *value = smr_figure_tile(figure, label.bytes, s->item[0], s->item[1], s->item[2]);
        TRY(smr_reader_rows(ctx, reader, k, k + 1, &rows));
        for (int64_t j = 0; j < rows.d; j++)
            smr_json_add_number(value, NULL, ((const double *)rows.x)[j]);
    }
    if (figures) st = smr_json_done(figures->doc);
out:
    smr_reader_close(reader);
    smr_text_release(&label);
    return st;
}

smr_status smr_figure_mistakes(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                               const smr_answers *answers, const smr_classify_input *in,
                               smr_json *figures)
{
    smr_status st = SMR_OK;
    smr_binding binding = {0};
    int64_t rows[MOST];
    struct sheet s = {.model = m, .answers = answers, .in = in};
    TRY(smr_schema_bind(ctx, &m->schema, smr_model_columns(m), table, &binding));
    TRY(find_item(ctx, m, &binding.data, s.item));
    if (s.item[0] == 0) goto out;
    TRY(find_mistakes(ctx, &s));
    if (s.n == 0) goto out;
    for (int64_t k = 0; k < s.n; k++) rows[k] = answers->rows[s.at[k]];
    binding.data.rows = rows;
    binding.data.n_rows = s.n;
    TRY(draw(ctx, &s, &binding.data, figures));
out:
    smr_binding_release(&binding);
    return st;
}
