/* predict.c -- loads a model that somebody trained and asks it for probabilities.
 *
 * It needs no training code, so the small library will do, with libm and nothing else:
 *
 *     cc predict.c libsamara-predict.a -lm -o predict
 *     ./predict iris.smr
 */
#include <samara.h>

#include <stdio.h>
#include <stdlib.h>

/* One row of zeros: every input is a number, and a model takes any. */
static int show(smr_ctx *ctx, const smr_model *model)
{
    int64_t n = smr_model_n_inputs(model), k = smr_model_n_classes(model);
    double *x = calloc((size_t)n, sizeof *x), *p = calloc((size_t)k, sizeof *p);
    smr_status st = x && p ? SMR_OK : SMR_ERR_NOMEM;

    if (st == SMR_OK) st = smr_predict_matrix(ctx, model, x, 1, n, SMR_OUTPUT_PROBA, p);
    for (int64_t c = 0; st == SMR_OK && c < k; c++) {
        char name[64];
        smr_model_class_name(model, c, name, sizeof name);
        printf("%-16s %.2f\n", name, p[c]);
    }
    free(p);
    free(x);
    return st;
}

int main(int argc, char **argv)
{
    smr_ctx *ctx = NULL;
    smr_model *model = NULL;

    if (argc != 2) {
        fprintf(stderr, "usage: predict MODEL\n");
        return 2;
    }
    if (smr_ctx_create(NULL, &ctx) != SMR_OK) return 1;
    int failed = smr_model_load(ctx, argv[1], &model) || show(ctx, model);
    if (failed) fprintf(stderr, "predict: %s\n", smr_ctx_message(ctx));
    smr_model_free(model);
    smr_ctx_destroy(ctx);
    return failed;
}
