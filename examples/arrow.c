/* arrow.c -- columns that another library holds, by the Arrow C data interface: in and out.
 *
 *     cc arrow.c $(pkg-config --cflags --libs samara) -o arrow
 *     ./arrow                  # in the repository's root, where data/iris.csv is
 *
 * Here the other library is samara itself, which reads a file and exports it.  Anything that speaks
 * the interface (pyarrow, polars, DuckDB, nanoarrow ...) fills the same two structs. */
#include <samara.h>

#include <stdio.h>

/* The record batch of some producer. */
static smr_status produce(smr_ctx *ctx, struct ArrowSchema *schema, struct ArrowArray *array)
{
    smr_table *table = NULL;
    smr_status st = smr_table_open(ctx, "data/iris.csv", NULL, &table);
    if (st == SMR_OK) st = smr_table_to_arrow(ctx, table, schema, array);
    smr_table_free(table);
    return st;
}

/* A consumer that reads the buffers: the mean of every column of float64. */
static void show(const struct ArrowSchema *schema, const struct ArrowArray *array)
{
    for (int64_t j = 0; j < schema->n_children; j++) {
        const double *x = (const double *)array->children[j]->buffers[1];
        double sum = 0;
        for (int64_t i = 0; i < array->length; i++) sum += x[i];
        printf("%-16s %.4f\n", schema->children[j]->name, sum / (double)array->length);
    }
}

int main(void)
{
    smr_ctx *ctx = NULL;
    smr_table *table = NULL;
    smr_model *model = NULL;
    struct ArrowSchema schema = {0};
    struct ArrowArray array = {0};

    if (smr_ctx_create(NULL, &ctx) != SMR_OK) return 1;
    smr_train_opts opts = {.size = sizeof opts, .target = "species"};
    if (produce(ctx, &schema, &array) ||
        smr_table_from_arrow(ctx, &schema, &array, &table) || /* both are the table's now */
        smr_train(ctx, "standardize | logistic", table, &opts, &model) ||
        smr_predict_arrow(ctx, model, table, SMR_OUTPUT_PROBA, &schema, &array))
        fprintf(stderr, "arrow: %s\n", smr_ctx_message(ctx));
    else
        show(&schema, &array);

    int failed = smr_ctx_status(ctx) != SMR_OK;
    if (schema.release) schema.release(&schema);
    if (array.release) array.release(&array);
    smr_model_free(model);
    smr_table_free(table);
    smr_ctx_destroy(ctx);
    return failed;
}
