/* iris.c -- trains a model, asks it about one flower, and keeps it for another program.
 *
 *     cc iris.c $(pkg-config --cflags --libs samara) -o iris
 *     ./iris iris.smr          # in the repository's root, where data/iris.csv is
 */
#include <samara.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    smr_ctx *ctx = NULL;
    smr_table *table = NULL;
    smr_model *model = NULL;
    smr_predictor *predictor = NULL;
    double flower[4] = {6.1, 2.9, 4.7, 1.4}, answer;
    char name[64];

    if (smr_ctx_create(NULL, &ctx) != SMR_OK) return 1;
    smr_train_opts opts = {.size = sizeof opts, .target = "species"};
    if (smr_table_open(ctx, "data/iris.csv", NULL, &table) ||
        smr_train(ctx, "standardize | knn 5", table, &opts, &model) ||
        smr_predictor_create(ctx, model, SMR_OUTPUT_LABEL, &predictor) ||
        smr_predictor_row(predictor, flower, &answer) ||
        (argc > 1 && smr_model_save(ctx, model, argv[1]))) {
        fprintf(stderr, "iris: %s\n", smr_ctx_message(ctx));
    } else {
        smr_model_class_name(model, (int64_t)answer, name, sizeof name);
        printf("%s\n", name);
    }

    int failed = smr_ctx_status(ctx) != SMR_OK;
    smr_predictor_free(predictor);
    smr_model_free(model);
    smr_table_free(table);
    smr_ctx_destroy(ctx);
    return failed;
}
