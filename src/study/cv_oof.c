/* cv_oof.c -- out-of-fold predictions as a table: see cv_report.h. */
#include "data/vocab.h"
#include "learn/answer.h"
#include "learn/target_map.h"
#include "study/cv_report.h"

#include <math.h>
#include <string.h>

struct writing {
    const smr_train_set *set;
    const smr_cv_scores *scores;
    const char *second; /* column: what round_of numbers, or counts */
    int64_t *rows, n;   /* of the training table that were measured */
    smr_table *table;
    int64_t next; /* the column to fill */
};

/* The next column, named "before NAME after". */
static smr_status begin_column(smr_ctx *ctx, struct writing *w, const char *before,
                               const char *name, int64_t length, const char *after,
                               smr_column **out)
{
    smr_text text = {.ctx = ctx};
    smr_text_add(&text, before);
    smr_text_add_bytes(&text, name, length);
    smr_text_add(&text, after);
    smr_status st = smr_text_done(&text);
    if (st != SMR_OK) {
        smr_text_release(&text);
        return st;
    }
    *out = &w->table->cols[w->next++];
    (*out)->name = text.bytes;
    return SMR_OK;
}

static smr_status take_numbers(smr_ctx *ctx, const struct writing *w, smr_column *col,
                               double **values)
{
    *values = smr_alloc_raw(ctx, w->n, sizeof **values);
    if (!*values) return SMR_ERR_NOMEM;
    col->kind = SMR_NUMBER;
    col->dtype = SMR_F64;
    col->values = *values;
    col->owns_values = true;
    return SMR_OK;
}

/* 0, 1, ... become 1, 2, ...: as people count rows and rounds. */
static smr_status add_places(smr_ctx *ctx, struct writing *w)
{
    smr_status st = SMR_OK;
    smr_column *col = NULL;
    double *x = NULL;
    TRY(begin_column(ctx, w, "row", "", 0, "", &col));
    TRY(take_numbers(ctx, w, col, &x));
    for (int64_t i = 0; i < w->n; i++) x[i] = (double)w->rows[i] + 1;
    TRY(begin_column(ctx, w, w->second, "", 0, "", &col));
    TRY(take_numbers(ctx, w, col, &x));
    for (int64_t i = 0; i < w->n; i++) x[i] = (double)w->scores->round_of[w->rows[i]] + 1;
out:
    return st;
}

static smr_status add_classes(smr_ctx *ctx, struct writing *w, const char *name, bool truth)
{
    int64_t K = w->scores->width;
    smr_status st = SMR_OK;
    smr_column *col = NULL;
    int32_t *codes = NULL;
    TRY(begin_column(ctx, w, name, "", 0, "", &col));
    TRY_NEW(codes, w->n);
    col->kind = SMR_CATEGORY;
    col->dtype = SMR_I32;
    col->values = codes;
    col->owns_values = true;
    for (int64_t i = 0; i < w->n; i++) {
        const double *score = w->scores->prediction + w->rows[i] * K;
        int32_t best = 0;
        for (int32_t k = 1; k < K; k++)
            if (score[k] > score[best]) best = k;
        codes[i] = truth ? w->set->label[w->rows[i]] : best;
    }
    TRY(smr_strings_copy(ctx, &w->set->target.classes, NULL, &col->levels));
out:
    return st;
}

/* Column k of a table-rows x width matrix. */
static smr_status add_values(smr_ctx *ctx, const struct writing *w, smr_column *col,
                             const double *from, int64_t k, int64_t width)
{
    smr_status st = SMR_OK;
    double *x = NULL;
    TRY(take_numbers(ctx, w, col, &x));
    for (int64_t i = 0; i < w->n; i++) x[i] = from[w->rows[i] * width + k];
out:
    return st;
}

static smr_status add_class_columns(smr_ctx *ctx, struct writing *w)
{
    const smr_cv_scores *s = w->scores;
    smr_status st = SMR_OK;
    TRY(add_classes(ctx, w, "truth", true));
    TRY(add_classes(ctx, w, "prediction", false));
    for (int64_t k = 0; k < s->width; k++) {
        smr_column *col = &w->table->cols[w->next++];
        TRY(smr_answer_class_name(ctx, &w->set->target, s->output, k, &col->name));
        TRY(add_values(ctx, w, col, s->prediction, k, s->width));
    }
out:
    return st;
}

static smr_status add_number_columns(smr_ctx *ctx, struct writing *w)
{
    const smr_target *t = &w->set->target;
    smr_status st = SMR_OK;
    smr_column *col = NULL;
    for (int64_t k = 0; k < t->n; k++) {
        const char *name = t->n > 1 ? t->names[k] : "";
        int64_t length = (int64_t)strlen(name);
        const char *space = t->n > 1 ? " " : "";
        TRY(begin_column(ctx, w, "truth", space, *space != 0, name, &col));
        TRY(add_values(ctx, w, col, w->set->y, k, t->n));
        TRY(begin_column(ctx, w, t->n > 1 ? "prediction " : "prediction", name, length, "", &col));
        TRY(add_values(ctx, w, col, w->scores->prediction, k, t->n));
    }
out:
    return st;
}

static smr_status write_table(smr_ctx *ctx, const smr_train_set *set, const smr_cv_scores *scores,
                              const char *second, smr_table **out)
{
    smr_status st = SMR_OK;
    struct writing w = {.set = set, .scores = scores, .second = second};
    bool classify = set->target.task == SMR_TASK_CLASSIFY;
    int64_t n_cols = classify ? 4 + scores->width : 2 + 2 * set->target.n;
    *out = NULL;
    TRY_NEW(w.rows, set->n_rows);
    for (int64_t i = 0; i < set->n_rows; i++)
        if (scores->round_of[smr_train_set_row(set, i)] >= 0)
            w.rows[w.n++] = smr_train_set_row(set, i);
    TRY(smr_table_new(ctx, w.n, n_cols, &w.table));
    TRY(add_places(ctx, &w));
    TRY(classify ? add_class_columns(ctx, &w) : add_number_columns(ctx, &w));
    w.table->has_header = true;
    *out = w.table;
    w.table = NULL;
out:
    smr_free(w.rows);
    smr_table_free(w.table);
    return st;
}

smr_status smr_cv_oof(smr_ctx *ctx, const smr_train_set *set, const smr_cv_scores *scores,
                      smr_table **out)
{
    return write_table(ctx, set, scores, "round", out);
}

/* Numbers are reported in the target's own unit, whatever was fitted. */
static smr_status take_left_out(smr_ctx *ctx, const smr_train_set *set, const smr_model *model,
                                smr_cv_scores *s)
{
    const smr_target *t = &model->target;
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < set->n_rows; i++) {
        int64_t row = smr_train_set_row(set, i);
        double *out = s->prediction + row * s->width;
        s->round_of[row] = model->fit.left_out_by[i] - 1; /* counted from 1 in the table */
        for (int64_t k = 0; k < s->width; k++) {
            double x = model->fit.left_out[i * s->width + k];
            bool is_standard = s->output == SMR_OUTPUT_VALUE && t->sd;
            out[k] = is_standard ? t->mean[k] + t->sd[k] * x : x;
        }
        if (model->target_map) TRY(smr_target_map_back(ctx, model->target_map, 1, out));
    }
out:
    return st;
}

smr_status smr_oob_table(smr_ctx *ctx, const smr_train_set *set, const smr_model *model,
                         smr_table **out)
{
    smr_status st = SMR_OK;
    bool classify = set->target.task == SMR_TASK_CLASSIFY;
    smr_cv_scores scores = {.output = classify ? SMR_OUTPUT_PROBA : SMR_OUTPUT_VALUE,
                            .width = classify ? set->target.classes.n : set->target.n};
    *out = NULL;
    TRY_NEW(scores.prediction, set->table->n_rows * scores.width);
    TRY_NEW(scores.round_of, set->table->n_rows);
    TRY(take_left_out(ctx, set, model, &scores));
    TRY(write_table(ctx, set, &scores, "trees", out));
out:
    smr_free(scores.prediction);
    smr_free(scores.round_of);
    return st;
}
