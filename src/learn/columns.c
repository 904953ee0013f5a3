/* columns.c -- see columns.h. */
#include "learn/columns.h"

#include "core/params.h"

static const smr_choice unseen[] = {
    {"missing", "as a gap, with a warning"},
    {"error", "prediction fails and names the level"},
    {NULL, NULL},
};
static const smr_choice dates[] = {
    {"days", "one number: days since 1970-01-01"},
    {"parts", "days, year, month, day, weekday (1 = Monday), and hour where times are given"},
    {NULL, NULL},
};
static const smr_choice target[] = {
    {"as_is", "numbers are predicted as they are"},
    {"standardize",
     "fitted on (y - mean) / sd of the training rows and scaled back when predicting"},
    {"log", "fitted on log y, which needs targets above 0; predictions are exp of the fit"},
    {"log1p", "fitted on sign(y) log(1 + |y|), for any numbers"},
    {"power", "fitted on the power of y that is closest to normal (Yeo-Johnson)"},
    {"rank", "fitted on the rank of y among the training rows, from 0 to 1"},
    {"normal", "fitted on that rank as a quantile of the standard normal distribution"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct smr_columns_params, unseen), .choices = unseen,
     .doc = "How to treat a level that did not occur in training."},
    {SMR_FIELD(struct smr_columns_params, dates), .choices = dates,
     .doc = "How dates become features."},
    {SMR_FIELD(struct smr_columns_params, target), .choices = target,
     .doc = "How numeric targets are transformed for the fit; predictions are transformed back."},
};

const smr_word smr_columns_word = {
    .name = "columns",
    .family = "head",
    .title = "Columns of a table",
    .brief = "Turns the table's columns into features; the head of every sentence.",
    .objective = "number -> itself; category -> code; date -> days or parts",
    .details =
        "Appears in a sentence only if its parameters are changed, and then comes first. Types, "
        "category codes and the columns set aside are kept with the model, so that it predicts "
        "directly from raw rows, whose columns it finds by name.",
    .reference = "samara, docs/columns.md",
    .example = "samara train \"columns unseen=error | knn 5\" data/iris.csv --target species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_columns_params),
};

const char *smr_target_how(int value)
{
    return target[value].name;
}

smr_status smr_head_copy(smr_ctx *ctx, const smr_head *from, smr_head *to)
{
    to->written = from->written;
    return smr_params_assign(ctx, &smr_columns_word, &from->columns, &to->columns);
}
