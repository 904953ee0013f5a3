/* columns.c -- the first stage of every model: what it reads from a table, and how.
 *
 * Its work is done by learn/schema.c and learn/bind.c, which tie a model to a table; this file
 * holds its parameters.  It stands in a sentence only to change them: "columns unseen=error | knn
 * 5". */
#include "learn/learner.h"
#include "learn/schema.h"

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
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct smr_columns_params, unseen), .choices = unseen,
     .doc = "What a category means that training never saw."},
    {SMR_FIELD(struct smr_columns_params, dates), .choices = dates,
     .doc = "What features a date becomes."},
    {SMR_FIELD(struct smr_columns_params, target), .choices = target,
     .doc = "Whether numeric targets are standardised."},
};

static const smr_word about = {
    .name = "columns",
    .family = "transform",
    .title = "Columns of a table",
    .brief = "Turns the table's columns into features; the first stage of every model.",
    .objective = "number -> itself; category -> code; date -> days or parts",
    .details = "Inserted by itself. Types, category codes and what was set aside are kept with the "
               "model, so that it predicts straight from raw rows, matched by column name.",
    .reference = "samara, docs/columns.md",
    .example = "samara train \"columns unseen=error | knn 5\" data/iris.csv --target species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_columns_params),
};

static const smr_can_transform transforms = {
    .n_out = NULL,
};

static const smr_fitted fitted = {
    .gives = SMR_GIVES_TRANSFORM,
    .transform = &transforms,
};

const smr_learner smr_columns = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes = SMR_TAKES_F64 | SMR_TAKES_CODES | SMR_TAKES_MISSING | SMR_TAKES_WEIGHTS,
    .fitted = &fitted,
};
