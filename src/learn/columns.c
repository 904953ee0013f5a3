/* columns.c -- see columns.h. */
#include "learn/columns.h"

#include "core/params.h"

static const smr_choice unseen[] = {
    {"missing", "it counts as missing, with a warning"},
    {"error", "prediction fails and names it"},
    {NULL, NULL},
};
static const smr_choice dates[] = {
    {"days", "one number: days since 1970-01-01"},
    {"parts", "days, year, month, day, weekday (1 = Monday), and hour where times are given"},
    {NULL, NULL},
};
static const smr_choice target[] = {
    {"as_is", "numbers are predicted as they are"},
    {"standardize", "fitted on (y - mean) / sd of the training rows, undone when predicting"},
    {"log", "fitted on log y, of targets above 0; predictions are exp of what is fitted"},
    {"log1p", "fitted on sign(y) log(1 + |y|), of any numbers"},
    {"power", "fitted on the power of y that is most normal (Yeo-Johnson)"},
    {"rank", "fitted on the place of y among the training rows, from 0 to 1"},
    {"normal", "fitted on that place as the quantile of a standard normal variable"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct smr_columns_params, unseen), .choices = unseen,
     .doc = "What a category that training never saw counts as."},
    {SMR_FIELD(struct smr_columns_params, dates), .choices = dates,
     .doc = "What features a date becomes."},
    {SMR_FIELD(struct smr_columns_params, target), .choices = target,
     .doc = "What numeric targets are fitted as; undone when predicting."},
};

const smr_word smr_columns_word = {
    .name = "columns",
    .family = "head",
    .title = "Columns of a table",
    .brief = "Turns the table's columns into features; the head of every sentence.",
    .objective = "number -> itself; category -> code; date -> days or parts",
    .details =
        "Appears in a sentence only where its parameters are changed, and then first. Types, "
        "category codes and what was set aside are kept with the model, so that it predicts "
        "straight from raw rows, matched by column name.",
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
