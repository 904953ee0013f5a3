/* measuring.h -- how every command that looks at a model with data begins. */
#ifndef SMR_CLI_MEASURING_H
#define SMR_CLI_MEASURING_H

#include "args.h"
#include "select/evaluate.h"

typedef struct measuring_input {
    smr_model *model;
    smr_table *table;
    double *weight;
    smr_sample sample; /* the table with its weights */
} measuring_input;

/* Loads the model. */
smr_status measuring_model(smr_ctx *ctx, const char *path, measuring_input *in);
/* Reads the data for it, with its schema, and --weight. */
smr_status measuring_data(smr_ctx *ctx, const args *a, const char *path, measuring_input *in);
void measuring_close(measuring_input *in);

#endif
