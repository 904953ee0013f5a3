/* out_of_fold.c -- see out_of_fold.h. */
#include "learn/out_of_fold.h"

#include "core/span.h"
#include "data/row_subset.h"

#include <math.h>
#include <string.h>

/* Far from the repetitions that cross-validation counts from 0. */
static const int64_t REPETITION = INT64_C(1) << 40;

smr_split_rows smr_data_split_rows(const smr_ctx *ctx, const smr_data *data)
{
    return (smr_split_rows){.n = data->n_rows,
                            .label = data->label,
                            .n_classes = data->n_classes,
                            .classes = data->classes,
                            .group = data->group,
                            .seed = ctx->seed,
                            .repetition = REPETITION};
}

/* What is asked of each fold's member. */
struct wanted {
    int n;
    const smr_output *output;
    double *const *out;
};

/* One output for all rows of a fold. */
static smr_status tell(smr_ctx *ctx, const smr_member *member, const smr_data *asked,
                       const int64_t *rows, smr_output output, double *out)
{
    smr_status st = SMR_OK;
    int64_t n = asked->n_rows, width = smr_member_width(member, output);
    double *answers = NULL;
    TRY_NEW(answers, n * width);
    TRY(smr_member_apply(ctx, member, asked, output, answers));
    for (int64_t i = 0; i < n; i++)
        memcpy(out + rows[i] * width, answers + i * width, (size_t)width * sizeof *out);
out:
    smr_free(answers);
    return st;
}

/* Fits without fold p and predicts its rows. */
static smr_status do_fold(smr_ctx *ctx, const smr_spec *spec, const smr_data *data,
                          const smr_parts *parts, int64_t p, int64_t *train,
                          const struct wanted *wanted)
{
    smr_status st = SMR_OK;
    smr_subset fit_on = {0}, asked = {0};
    smr_member member = {0};
    const int64_t *rows = smr_part_rows(parts, p);
    int64_t n = smr_part_size(parts, p), n_train = smr_parts_without(parts, p, train);
    TRY(smr_subset_make(ctx, data, train, n_train, NULL, &fit_on));
    TRY(smr_member_fit(ctx, spec, &fit_on.data, &member, NULL));
    TRY(smr_subset_make(ctx, data, rows, n, NULL, &asked));
    for (int k = 0; k < wanted->n; k++)
        if (wanted->out[k])
            TRY(tell(ctx, &member, &asked.data, rows, wanted->output[k], wanted->out[k]));
out:
    smr_member_release(&member);
    smr_subset_release(&asked);
    smr_subset_release(&fit_on);
    return st;
}

smr_status smr_out_of_fold_each(smr_ctx *ctx, const smr_spec *spec, const smr_data *data,
                                int64_t folds, int n_outputs, const smr_output *output,
                                double *const *out)
{
    const struct wanted wanted = {n_outputs, output, out};
    smr_status st = SMR_OK;
    smr_parts parts = {0};
    int64_t *train = NULL;
    smr_split_rows of = smr_data_split_rows(ctx, data);
    static const char what[] = "fitting on folds";
    smr_span span = {0};
    TRY_NEW(train, data->n_rows);
    TRY(smr_split_folds(ctx, &of, folds, &parts));
    smr_span_open(ctx, &span, what, parts.n_parts);
    for (int64_t p = 0; p < parts.n_parts; p++) {
        TRY(smr_span_at(ctx, &span, p, NAN));
        TRY(do_fold(ctx, spec, data, &parts, p, train, &wanted));
    }
out:
    smr_span_close(ctx, &span);
    smr_free(train);
    smr_parts_release(&parts);
    return st;
}

smr_status smr_out_of_fold(smr_ctx *ctx, const smr_spec *spec, const smr_data *data, int64_t folds,
                           smr_output output, double *out)
{
    return smr_out_of_fold_each(ctx, spec, data, folds, 1, &output, &out);
}
