/* predict.c -- loads a trained model and asks it about one row.
 *
 * It needs no training code, so the small library will do, with libm and nothing else:
 *
 *     cc predict.c libsamara-predict.a -lm -o predict
 *     ./predict iris.smr 6.1 2.9 4.7 1.4
 *
 * The row is given as text, one argument for each input; those that are left out are missing, but
 * with none at all the row is all zeros. */
#include <samara.h>

#include <stdio.h>
#include <stdlib.h>

/* Classes with their probabilities, or the number that it predicts. */
static void show(const smr_model *model, const double *answer)
{
    int64_t n_classes = smr_model_n_classes(model);
    for (int64_t c = 0; c < n_classes; c++) {
        char name[64];
        smr_model_class_name(model, c, name, sizeof name);
        printf("%-16s %.2f\n", name, answer[c]);
    }
    if (n_classes == 0) printf("%g\n", answer[0]);
}

static smr_status ask(smr_ctx *ctx, const smr_model *model, char **words, int64_t n_words)
{
    smr_output output = smr_model_n_classes(model) ? SMR_OUTPUT_PROBA : SMR_OUTPUT_VALUE;
    int64_t n = smr_model_n_inputs(model), width = smr_model_n_outputs(model, output);
    const char **cells = calloc((size_t)n + 1, sizeof *cells);
    double *answer = calloc((size_t)width + 1, sizeof *answer);
    smr_predictor *predictor = NULL;
    smr_status st = cells && answer ? SMR_OK : SMR_ERR_NOMEM;

    for (int64_t j = 0; st == SMR_OK && j < n; j++)
        cells[j] = j < n_words ? words[j] : n_words ? NULL : "0";
    if (st == SMR_OK) st = smr_predictor_create(ctx, model, output, &predictor);
    if (st == SMR_OK) st = smr_predictor_cells(predictor, cells, answer);
    if (st == SMR_OK) show(model, answer);
    for (int64_t i = 0; i < smr_ctx_n_warnings(ctx); i++)
        fprintf(stderr, "predict: warning: %s\n", smr_ctx_warning(ctx, i));
    smr_predictor_free(predictor);
    free(answer);
    free(cells);
    return st;
}

int main(int argc, char **argv)
{
    smr_ctx *ctx = NULL;
    smr_model *model = NULL;

    if (argc < 2) {
        fprintf(stderr, "usage: predict MODEL [CELL ...]\n");
        return 2;
    }
    if (smr_ctx_create(NULL, &ctx) != SMR_OK) return 1;
    int failed = smr_model_load(ctx, argv[1], &model) || ask(ctx, model, argv + 2, argc - 2);
    if (failed)
        fprintf(stderr, "predict: %s: %s\n", smr_status_name(smr_ctx_status(ctx)),
                smr_ctx_message(ctx));
    smr_model_free(model);
    smr_ctx_destroy(ctx);
    return failed;
}
