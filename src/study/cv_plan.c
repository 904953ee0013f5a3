/* cv_plan.c -- which rows each round fits on and which it measures on: see cv.h.
 *
 * A plan keeps the partitions of its repetitions, 8 bytes per row each, and makes the training rows
 * of a round when asked: those of the set that the round does not measure, ascending, so that a
 * fit reads the table in its own order. */
#include "study/cv_plan.h"

#include "data/split_groups.h"
#include "study/holdout.h"

#include <string.h>

enum { DEFAULT_FOLDS = 5 };
static const double DEFAULT_HOLDOUT = 0.2;
enum { MOST_REPEATS = 1000000 }; /* each keeps its rows */

static smr_status check_opts(smr_ctx *ctx, const smr_train_set *set, const smr_cv_opts *o)
{
    bool once = o->kind == SMR_CV_EACH || o->kind == SMR_CV_ORDERED;
    bool folds = o->kind == SMR_CV_FOLDS || o->kind == SMR_CV_ORDERED;
    int64_t n_folds = o->folds ? o->folds : DEFAULT_FOLDS;
    if (folds && n_folds < 2)
        return smr_fail(ctx, SMR_ERR_PARAM, "%lld fold%s: at least 2 are needed, one to measure on",
                        (long long)n_folds, smr_plural(n_folds, "", "s"));
    if (folds && set->n_rows < 2)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "folds need at least 2 rows with an answer, and there %s %lld",
                        set->n_rows == 1 ? "is" : "are", (long long)set->n_rows);
    if (folds && !set->group && n_folds > set->n_rows)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "%lld fold%s cannot be made of %lld row%s; ask for at most %lld",
                        (long long)n_folds, smr_plural(n_folds, "", "s"), (long long)set->n_rows,
                        smr_plural(set->n_rows, "", "s"), (long long)set->n_rows);
    if (o->repeats < 0 || (once && o->repeats > 1))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        o->repeats < 0 ? "repeats: at least 1"
                        : o->kind == SMR_CV_EACH
                            ? "leaving one out gives the same rounds every time; leave out repeats"
                            : "rounds in order of time are the same every time; leave out repeats");
    if (o->repeats > MOST_REPEATS)
        return smr_fail(ctx, SMR_ERR_PARAM, "repeats: at most %d, not %lld", MOST_REPEATS,
                        (long long)o->repeats);
    if (o->kind == SMR_CV_HOLDOUT && o->holdout != 0 && !(o->holdout > 0 && o->holdout < 1))
        return smr_fail(ctx, SMR_ERR_PARAM, "the share held out lies between 0 and 1");
    if (o->kind == SMR_CV_ORDERED && set->schema.roles[SMR_ROLE_SEQUENCE].name)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "rounds in order of time may cut a sequence; leave out the order, or the "
                        "sequence column");
    if (o->kind == SMR_CV_ORDERED && set->group)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "rounds in order of time may divide a group; leave out either the group "
                        "column or the order");
    return SMR_OK;
}

/* Some folds do without such a class, and measures that need it are undefined there. */
static smr_status warn_of_rare_classes(smr_ctx *ctx, const smr_train_set *set, int64_t folds)
{
    const smr_strings *classes = &set->target.classes;
    enum { SHOWN = 5 };
    smr_status st = SMR_OK;
    int64_t *count = NULL, rare = 0;
    TRY_NEW(count, classes->n + 1);
    for (int64_t i = 0; i < set->n_rows; i++) count[set->label[smr_train_set_row(set, i)]]++;
    for (int64_t k = 0; k < classes->n; k++) rare += count[k] > 0 && count[k] < folds;
    if (rare > SHOWN)
        smr_warn(
            ctx,
            "%lld of %lld classes have fewer rows than there are folds (%lld): some folds have "
            "none of them, and measures that need them are undefined there; use fewer folds",
            (long long)rare, (long long)classes->n, (long long)folds);
    for (int64_t k = 0; k < classes->n && rare <= SHOWN; k++) {
        int64_t length;
        const char *name = smr_strings_get(classes, k, &length);
        if (count[k] > 0 && count[k] < folds)
            smr_warn(ctx,
                     "class '%.*s' has %lld row%s for %lld fold%s: some folds have none of it, and "
                     "measures that need it are undefined there; use fewer folds",
                     (int)length, name, (long long)count[k], smr_plural(count[k], "", "s"),
                     (long long)folds, smr_plural(folds, "", "s"));
    }
out:
    smr_free(count);
    return st;
}

/* Partition of repetition r: among the usable rows first, then rows of the table. */
static smr_status split(smr_ctx *ctx, const smr_cv_plan *plan, const smr_split_rows *rows,
                        const smr_cv_opts *o, smr_parts *parts)
{
    double share = o->holdout > 0 ? o->holdout : DEFAULT_HOLDOUT;
    int64_t folds = o->folds ? o->folds : DEFAULT_FOLDS;
    smr_status st = SMR_OK;
    switch (plan->kind) {
    case SMR_CV_FOLDS: st = smr_split_folds(ctx, rows, folds, parts); break;
    case SMR_CV_EACH: st = smr_split_each(ctx, rows, parts); break;
    case SMR_CV_ORDERED: st = smr_split_time(ctx, rows, folds, parts); break;
    case SMR_CV_HOLDOUT: st = smr_split_holdout(ctx, rows, &share, 1, parts); break;
    }
    if (st == SMR_OK) smr_set_split_rows(plan->set, parts);
    return st;
}

static smr_status check_groups(smr_ctx *ctx, const smr_split_rows *rows, int64_t folds)
{
    smr_status st = SMR_OK;
    int64_t *number = NULL, n = 0;
    TRY_NEW(number, rows->n);
    TRY(smr_number_groups(ctx, rows->n, rows->group, number, &n));
    if (folds > n)
        st = smr_fail(ctx, SMR_ERR_DATA,
                      "%lld fold%s cannot be made of %lld group%s; ask for at most %lld",
                      (long long)folds, smr_plural(folds, "", "s"), (long long)n,
                      smr_plural(n, "", "s"), (long long)n);
out:
    smr_free(number);
    return st;
}

static smr_status split_all(smr_ctx *ctx, smr_cv_plan *plan, const smr_cv_opts *o)
{
    const smr_train_set *set = plan->set;
    smr_status st = SMR_OK;
    smr_set_split of = {0};
    double *time = NULL;
    smr_log_fn log = ctx->log;
    TRY(smr_set_split_make(ctx, set, &of));
    if (o->no_strata) of.of.label = NULL;
    if (o->kind == SMR_CV_FOLDS && of.of.group)
        TRY(check_groups(ctx, &of.of, o->folds ? o->folds : DEFAULT_FOLDS));
    if (o->kind == SMR_CV_ORDERED && o->time) {
        TRY_NEW(time, set->n_rows);
        for (int64_t i = 0; i < set->n_rows; i++) time[i] = o->time[smr_train_set_row(set, i)];
        of.of.time = time;
    }
    ctx->log = NULL; /* the split knows classes by number, and would warn at each repetition */
    for (int64_t r = 0; r < plan->n_repeats; r++) {
        of.of.repetition = r;
        TRY(split(ctx, plan, &of.of, o, &plan->parts[r]));
    }
out:
    ctx->log = log;
    smr_free(time);
    smr_set_split_release(&of);
    return st;
}

int64_t smr_cv_part(const smr_cv_plan *plan, int64_t round)
{
    bool skips_first = plan->kind == SMR_CV_ORDERED || plan->kind == SMR_CV_HOLDOUT;
    return round % plan->per_repeat + skips_first;
}

static void take_sizes(smr_cv_plan *plan)
{
    double train = 0, test = 0;
    for (int64_t r = 0; r < plan->n_rounds; r++) {
        const smr_parts *parts = &plan->parts[r / plan->per_repeat];
        int64_t p = smr_cv_part(plan, r), n_test = smr_part_size(parts, p);
        int64_t n_train =
            plan->kind == SMR_CV_ORDERED ? parts->start[p] : plan->set->n_rows - n_test;
        plan->most_train = SMR_MAX(plan->most_train, n_train);
        train += (double)n_train;
        test += (double)n_test;
    }
    plan->test_over_train = test / train;
}

smr_status smr_cv_plan_create(smr_ctx *ctx, const smr_train_set *set, const smr_cv_opts *opts,
                              smr_cv_plan **out)
{
    smr_status st = SMR_OK;
    smr_cv_plan *plan = NULL;
    smr_cv_opts o = opts ? *opts : (smr_cv_opts){0};
    *out = NULL;
    TRY(check_opts(ctx, set, &o));
    TRY_NEW(plan, 1);
    plan->kind = o.kind;
    plan->set = set;
    plan->n_repeats = SMR_MAX(1, o.repeats);
    plan->stratified = smr_train_set_has_strata(set) && !o.no_strata &&
                       (o.kind == SMR_CV_FOLDS || o.kind == SMR_CV_HOLDOUT);
    TRY_NEW(plan->parts, plan->n_repeats);
    TRY(split_all(ctx, plan, &o));
    if (o.kind == SMR_CV_FOLDS && smr_train_set_has_strata(set))
        TRY(warn_of_rare_classes(ctx, set, plan->parts[0].n_parts));
    plan->per_repeat = plan->parts[0].n_parts;
    if (o.kind == SMR_CV_ORDERED || o.kind == SMR_CV_HOLDOUT) plan->per_repeat--;
    plan->n_rounds = plan->per_repeat * plan->n_repeats;
    take_sizes(plan);
    *out = plan;
    plan = NULL;
out:
    smr_cv_plan_free(plan);
    return st;
}

void smr_cv_plan_free(smr_cv_plan *plan)
{
    if (!plan) return;
    for (int64_t r = 0; plan->parts && r < plan->n_repeats; r++) smr_parts_release(&plan->parts[r]);
    smr_free(plan->parts);
    smr_free(plan);
}

int64_t smr_cv_rounds(const smr_cv_plan *plan)
{
    return plan->n_rounds;
}

int64_t smr_cv_most_train(const smr_cv_plan *plan)
{
    return plan->most_train;
}

/* out = rows less test, both ascending. */
static int64_t rows_without(const smr_train_set *set, const int64_t *test, int64_t n_test,
                            int64_t *out)
{
    int64_t n = 0, next = 0;
    for (int64_t i = 0; i < set->n_rows; i++) {
        bool measured = next < n_test && test[next] == smr_train_set_row(set, i);
        next += measured;
        if (!measured) out[n++] = smr_train_set_row(set, i);
    }
    return n;
}

void smr_cv_round(const smr_cv_plan *plan, int64_t round, int64_t *train, int64_t *n_train,
                  const int64_t **test, int64_t *n_test)
{
    const smr_parts *parts = &plan->parts[round / plan->per_repeat];
    int64_t p = smr_cv_part(plan, round);
    *test = smr_part_rows(parts, p);
    *n_test = smr_part_size(parts, p);
    *n_train = plan->kind == SMR_CV_ORDERED ? smr_parts_before(parts, p, train)
                                            : rows_without(plan->set, *test, *n_test, train);
}
