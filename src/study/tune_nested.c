/* tune_nested.c -- nested cross-validation: how good is what this search finds?
 *
 * One held-out part judges one winner, with the noise of that part.  Here the rows are cut into
 * outer folds; for each of them the whole search runs on the others, and its winner is measured on
 * the fold.  No row that measures a winner had a part in choosing it, and every row measures once.
 * The mean of these scores estimates how well the search's winners predict; the winners' parameters
 * show how firmly the data decide.  Cost: as many searches as folds.
 * Reference: Varma & Simon, BMC Bioinformatics 7:91, 2006. */
#include "study/tune_parts.h"

#include <math.h>
#include <string.h>

/* One outer fold: the search on `train`, its winner on the rows of the fold. */
static smr_status run_fold(smr_ctx *ctx, const smr_tuning *t, smr_tuning *u, smr_json *row,
                           double *score)
{
    smr_status st = SMR_OK;
    TRY(smr_tune_plan(ctx, u));
    TRY(smr_tune_run(ctx, u));
    TRY(smr_tune_unseen(ctx, u, u->winner->spec, score, NULL, NULL));
    for (int64_t d = 0; d < t->space->n_dims; d++) {
        const char *name = smr_dim_name(t->space, d), *value = u->winner->point->value[d];
        double x = smr_dim_number(t->space, u->winner->point, d);
        if (!isnan(x))
            smr_json_add_number(row, name, x);
        else
            smr_json_add_string(row, name, value ? value : "-");
    }
    smr_json_add_number(row, "validation", u->winner->mean);
    smr_json_add_number(row, "unseen rows", *score);
out:
    return st;
}

/* The searches share rows, so their scores are not independent draws: the corrected standard error
 * of cv.h. */
static smr_status tell(smr_ctx *ctx, const smr_tuning *t, const smr_cv_plan *outer,
                       const double *score, smr_json *nested)
{
    smr_text text = {.ctx = ctx};
    int64_t n = smr_cv_rounds(outer);
    smr_cv_summary all = smr_cv_summary_of(score, n, 1, smr_cv_test_over_train(outer), 0.95);
    smr_json_add_number(nested, "mean", all.mean);
    smr_json_add_number(nested, "sd", all.sd);
    smr_json_add_number(nested, "se", all.se);
    smr_json_add_numbers(nested, "rounds", score, n);
    smr_text_printf(&text, "What this search finds has a mean %s of ", t->measure->name);
    smr_text_rounded(&text, all.mean, 4);
    smr_text_add(&text, " on rows it never saw, with a standard error of ");
    smr_text_rounded(&text, all.se, 2);
    smr_text_printf(&text, " over %lld fold%s.", (long long)n, smr_plural(n, "", "s"));
    smr_status st = smr_text_done(&text);
    if (st == SMR_OK) smr_json_add_string(nested, "text", text.bytes);
    smr_text_release(&text);
    return st;
}

smr_status smr_tune_nested(smr_ctx *ctx, const smr_tuning *t, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_cv_plan *outer = NULL;
    smr_cv_ask ask = t->ask;
    double *score = NULL;
    int64_t *train = NULL, *test = NULL, n = 0;
    smr_tuning u = {0};
    ask.folds = t->opts.nested;
    ask.repeats = 1;
    ask.leave_one_out = false;
    TRY(smr_cv_ask_plan(ctx, &ask, t->whole, &outer));
    n = smr_cv_rounds(outer);
    TRY_NEW(score, n);
    TRY_NEW(train, smr_cv_most_train(outer));
    TRY_NEW(test, t->whole->n_rows);
    smr_json *nested = smr_json_add_object(into, "nested");
    smr_json_add_number(nested, "folds", (double)n);
    smr_json *table = smr_json_add_array(nested, "table");
    for (int64_t k = 0; k < n; k++) {
        const int64_t *fold;
        u = *t; /* borrowed, except what the run makes */
        u.plan = NULL;
        u.trials = NULL;
        u.log = NULL;
        u.opts.test = NULL;
        u.out_of_time = false;
        smr_cv_round(outer, k, train, &u.set.n_rows, &fold, &u.n_test);
        u.set.usable = train;
        memcpy(test, fold, (size_t)u.n_test * sizeof *test);
        u.test_rows = test;
        smr_json *row = smr_json_add_object(table, NULL);
        smr_json_add_number(row, "fold", (double)(k + 1));
        st = run_fold(ctx, t, &u, row, &score[k]);
        smr_tune_release_run(&u);
        if (st != SMR_OK) goto out;
    }
    TRY(tell(ctx, t, outer, score, nested));
out:
    smr_cv_plan_free(outer);
    smr_free(score);
    smr_free(train);
    smr_free(test);
    return st;
}
