/* predictor.c -- predicting one row at a time, without allocating.
 *
 * The row lies in the predictor: numbers, codes and dates as doubles, texts as strings of the
 * caller's.  The rest is what apply.c does with a block of one row, so the bits are the same. */
#include "learn/apply_parts.h"
#include "learn/cells.h"

#include <math.h>
#include <string.h>

struct smr_predictor {
    smr_ctx *ctx;
    struct smr_applying a;
    struct smr_lane lane;
    smr_data first;
    smr_feature *features; /* over `x` and the codes of texts; names are the model's */
    double *x;             /* one value for each input column */
    int64_t n_inputs;
    const smr_schema *schema;
    bool has_categories;
    smr_cells cells;
    smr_rows row; /* what the reader makes of the row */
    bool is_view; /* that is `x` itself, so that it need not be read again */
};

/* Features as the table's would be, but over the predictor's own row: codes are numbers here,
 * except those of texts. */
static void lay_out_features(const smr_model *m, smr_predictor *p)
{
    int64_t at = 0, text = 0;
    memcpy(p->features, m->features, (size_t)m->n_features * sizeof *p->features);
    for (int64_t j = 0; j < m->n_features; j++) {
        smr_feature *f = &p->features[j];
        bool next = j > 0 && f->part <= SMR_PART_DAYS; /* parts share their column */
        at += next;
        f->stride = p->n_inputs;
        if (f->kind == SMR_TEXT) {
            f->dtype = SMR_I32;
            f->values = p->cells.code + text;
            f->levels = p->cells.texts[text++];
            f->n_levels = 1;
        } else {
            f->kind = SMR_NUMBER;
            f->dtype = SMR_F64;
            f->values = p->x + at;
        }
    }
}

static smr_status lay_out_row(smr_ctx *ctx, const smr_model *m, smr_predictor *p)
{
    smr_status st = SMR_OK;
    if (smr_roles_any(m->schema.roles))
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "this model reads sequences, or users and items, which a row of numbers "
                        "cannot hold; predict from a table with smr_predict");
    p->n_inputs = m->schema.n_sparse ? m->schema.n_sparse : m->schema.n_inputs;
    p->schema = &m->schema;
    for (int64_t j = 0; j < m->schema.n_inputs; j++)
        p->has_categories |= m->schema.inputs[j].kind == SMR_CATEGORY;
    TRY(smr_cells_open(ctx, m, &p->cells));
    TRY_NEW(p->x, p->n_inputs + 1);
    TRY_NEW(p->features, m->n_features + 1);
    lay_out_features(m, p);
    p->first = (smr_data){.size = sizeof p->first,
                          .n_rows = 1,
                          .n_features = m->n_features,
                          .features = p->features,
                          .texts = p->cells.texts,
                          .n_texts = p->cells.n_texts};
out:
    return st;
}

smr_status smr_predictor_create(smr_ctx *ctx, const smr_model *m, smr_output output,
                                smr_predictor **out)
{
    smr_status st = SMR_OK;
    smr_predictor *p = NULL;
    smr_begin_call(ctx);
    *out = NULL;
    TRY_NEW(p, 1);
    p->ctx = ctx;
    p->a.round = SMR_ALL_ROUNDS;
    TRY(lay_out_row(ctx, m, p));
    TRY(smr_apply_set_up(ctx, m, &p->first, output, &p->a));
    TRY(smr_apply_open(ctx, &p->a, &p->lane, 1));
    TRY(smr_reader_rows(ctx, p->lane.reader, 0, 1, &p->row));
    p->is_view = p->row.form == SMR_FORM_F64 && p->row.x == p->x;
    *out = p;
    p = NULL;
out:
    smr_predictor_free(p);
    return st;
}

/* Codes of categories in the predictor's row: -1 is one that training never saw. */
static smr_status take_codes(smr_predictor *p)
{
    smr_status st = SMR_OK;
    for (int64_t j = 0; j < p->schema->n_inputs; j++) {
        const smr_input *in = &p->schema->inputs[j];
        double x = p->x[j];
        bool known = x >= 0 && x < (double)in->levels.n && x == floor(x);
        if (in->kind != SMR_CATEGORY || known) continue;
        if (isnan(x)) {
            smr_cells_note_gap(p->ctx, &p->cells, in);
            continue;
        }
        if (x != -1)
            return smr_fail(p->ctx, SMR_ERR_DATA,
                            "input '%s' has codes 0 to %lld, -1 for a category that did not occur "
                            "in training, or NaN for a missing one",
                            in->name, (long long)in->levels.n - 1);
        TRY(smr_unseen_code(p->ctx, p->cells.columns, in->name));
        p->x[j] = NAN;
    }
out:
    return st;
}

static smr_status refuse_text(const smr_predictor *p)
{
    int64_t j = 0;
    while (p->schema->inputs[j].kind != SMR_TEXT) j++;
    return smr_fail(p->ctx, SMR_ERR_UNSUPPORTED,
                    "input '%s' is text, which a row of numbers cannot hold; give the row as "
                    "strings to smr_predictor_cells",
                    p->schema->inputs[j].name);
}

/* The answer to the row that lies in the predictor. */
static smr_status answer(smr_predictor *p, double *out)
{
    smr_status st = SMR_OK;
    if (!p->is_view) return smr_apply_rows(p->ctx, &p->a, &p->lane, 0, 1, out);
    if (p->a.data.refuse_missing) TRY(smr_rows_complete(p->ctx, &p->row, p->a.data.features));
    TRY(smr_apply_block(p->ctx, &p->a, &p->lane, &p->row, out));
out:
    return st;
}

smr_status smr_predictor_row(smr_predictor *p, const double *x, double *out)
{
    smr_begin_call(p->ctx);
    if (p->cells.n_texts) return refuse_text(p);
    memcpy(p->x, x, (size_t)p->n_inputs * sizeof *x);
    smr_status st = p->has_categories ? take_codes(p) : SMR_OK;
    return st == SMR_OK ? answer(p, out) : st;
}

smr_status smr_predictor_cells(smr_predictor *p, const char *const *cells, double *out)
{
    smr_begin_call(p->ctx);
    smr_status st = smr_cells_read(p->ctx, &p->cells, cells, p->x);
    return st == SMR_OK ? answer(p, out) : st;
}

void smr_predictor_free(smr_predictor *p)
{
    if (!p) return;
    smr_apply_close(&p->lane);
    smr_cells_close(&p->cells);
    smr_free(p->features);
    smr_free(p->x);
    smr_free(p);
}
