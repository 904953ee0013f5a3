/* train_set.c -- what a table offers for training: see model.h. */
#include "core/text.h"
#include "data/hash.h"
#include "data/pick.h"
#include "learn/model.h"
#include "learn/registry.h"
#include "learn/spec.h"

#include <math.h>
#include <string.h>

enum { SUPERVISED = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS };

static smr_status pick_targets(smr_ctx *ctx, const smr_table *table, const smr_set_opts *opts,
                               unsigned tasks, const char *learner, int64_t **cols, int64_t *n)
{
    bool supervised = tasks & SUPERVISED;
    *n = 0;
    *cols = NULL;
    const char *wanted = opts->target;
    if (!wanted && tasks != SMR_DOES_TRANSFORM && smr_table_find(table, "label") >= 0)
        wanted = "label";
    smr_status st = wanted ? smr_pick_columns(ctx, table, wanted, cols, n) : SMR_OK;
    if (st != SMR_OK || *n > 0 || !supervised ||
        tasks & ~(unsigned)(SUPERVISED | SMR_DOES_TRANSFORM))
        return st;
    return smr_fail(
        ctx, SMR_ERR_PARAM,
        "%s learns from examples with an answer: name its column with --target (a name, a "
        "position, or last)",
        learner);
}

smr_status smr_weights_read(smr_ctx *ctx, const smr_table *table, int64_t col, double **out)
{
    const smr_column *c = &table->cols[col];
    smr_status st = SMR_OK;
    double *w = NULL, total = 0;
    if (c->kind != SMR_NUMBER)
        return smr_fail(ctx, SMR_ERR_DATA, "the weights in column '%s' are not numbers", c->name);
    TRY_NEW(w, table->n_rows);
    for (int64_t i = 0; i < table->n_rows; i++) {
        w[i] = smr_column_number(c, i);
        total += w[i];
        if (!(w[i] >= 0) || isinf(w[i])) {
            st = smr_fail(ctx, SMR_ERR_DATA,
                          "the weight in column '%s', row %lld is missing, negative or infinite; "
                          "weights are numbers >= 0",
                          c->name, (long long)i + 1);
            goto out;
        }
    }
    if (total <= 0) {
        st = smr_fail(ctx, SMR_ERR_DATA, "all weights in column '%s' are zero", c->name);
        goto out;
    }
    *out = w;
    w = NULL;
out:
    smr_free(w);
    return st;
}

smr_status smr_weights_named(smr_ctx *ctx, const smr_table *table, const char *name, double **out)
{
    smr_status st = SMR_OK;
    int64_t col = 0;
    *out = NULL;
    if (!name) return SMR_OK;
    TRY(smr_pick_column(ctx, table, name, &col));
    TRY(smr_weights_read(ctx, table, col, out));
out:
    return st;
}

/* what: what they are called, "group" or "sequence". */
static smr_status read_groups(smr_ctx *ctx, const smr_table *table, int64_t col, const char *what,
                              int64_t **out)
{
    const smr_column *c = &table->cols[col];
    smr_status st = SMR_OK;
    smr_strings levels = {0};
    int32_t *codes = NULL;
    int64_t *group = NULL;
    TRY_NEW(group, table->n_rows);
    if (c->kind == SMR_NUMBER || c->kind == SMR_DATE)
        TRY(smr_codes_from_numbers(ctx, c, table->n_rows, table->n_rows, &levels, &codes));
    for (int64_t i = 0; i < table->n_rows; i++) {
        group[i] = codes ? codes[i] : smr_column_code(c, i);
        if (group[i] < 0) {
            st = smr_fail(ctx, SMR_ERR_DATA, "the %s in column '%s', row %lld is missing", what,
                          c->name, (long long)i + 1);
            goto out;
        }
    }
    *out = group;
    group = NULL;
out:
    smr_free(group);
    smr_free(codes);
    smr_strings_release(&levels);
    return st;
}

static smr_status read_targets(smr_ctx *ctx, smr_train_set *set)
{
    const smr_table *table = set->table;
    smr_status st = SMR_OK;
    if (set->target.n == 0 || set->target.task == SMR_TASK_NONE) return SMR_OK;
    if (smr_task_of(set->target.task)->of_classes) {
        TRY_NEW(set->label, table->n_rows);
        TRY(smr_target_labels(ctx, &set->target, table, set->label));
        return SMR_OK;
    }
    if (!set->spend) TRY(smr_target_view(ctx, &set->target, table, &set->y));
    if (set->y) return SMR_OK;
    set->owned_y = smr_alloc_raw(ctx, table->n_rows * set->target.n, sizeof *set->owned_y);
    if (!set->owned_y) return SMR_ERR_NOMEM;
    TRY(smr_target_values(ctx, &set->target, table, set->owned_y));
    set->y = set->owned_y;
out:
    return st;
}

static bool has_target(const smr_train_set *set, int64_t i)
{
    if (set->label) return set->label[i] >= 0;
    for (int64_t j = 0; set->y && j < set->target.n; j++)
        if (isnan(set->y[i * set->target.n + j])) return false;
    return true;
}

/* Is row i to be fitted on, and folded?  A sequence keeps all its rows, and a target that is held
 * back may be missing. */
static bool usable(const smr_train_set *set, int64_t i)
{
    if (set->schema.roles[SMR_ROLE_SEQUENCE].name) return true;
    if (set->weight && set->weight[i] <= 0) return false;
    return set->target.held || has_target(set, i);
}

static smr_status refuse_gaps_in_sequences(smr_ctx *ctx, const smr_train_set *set)
{
    for (int64_t i = 0; i < set->table->n_rows; i++)
        if (!set->target.held && !has_target(set, i))
            return smr_fail(ctx, SMR_ERR_DATA,
                            "row %lld has no target, and a sequence cannot be fitted without one "
                            "of its steps; leave the whole sequence out",
                            (long long)i + 1);
    return SMR_OK;
}

static smr_status keep_unlabelled(smr_ctx *ctx, smr_train_set *set, int64_t n)
{
    smr_status st = SMR_OK;
    TRY_NEW(set->unlabelled, n);
    for (int64_t i = 0; i < set->table->n_rows; i++)
        if (!usable(set, i) && !(set->weight && set->weight[i] <= 0))
            set->unlabelled[set->n_unlabelled++] = i;
out:
    return st;
}

static smr_status keep_usable_rows(smr_ctx *ctx, smr_train_set *set, unsigned takes)
{
    int64_t n = set->table->n_rows, unweighted = 0, at = 0;
    smr_status st = SMR_OK;
    bool sequences = set->schema.roles[SMR_ROLE_SEQUENCE].name;
    if (sequences && !(takes & SMR_TAKES_UNLABELLED)) TRY(refuse_gaps_in_sequences(ctx, set));
    for (int64_t i = 0; i < n; i++) {
        set->n_rows += usable(set, i);
        unweighted += !sequences && set->weight && set->weight[i] <= 0;
    }
    if (set->n_rows < n) TRY_NEW(set->usable, set->n_rows);
    for (int64_t i = 0; at < set->n_rows && set->usable; i++)
        if (usable(set, i)) set->usable[at++] = i;
    int64_t unlabelled = n - set->n_rows - unweighted;
    if (set->n_rows == 0)
        return smr_fail(ctx, SMR_ERR_DATA, "no row has both a target and a weight");
    if (unlabelled > 0 && takes & SMR_TAKES_UNLABELLED)
        return keep_unlabelled(ctx, set, unlabelled);
    if (unlabelled > 0)
        smr_warn(ctx, "%lld of %lld rows %s no target and %s left out", (long long)unlabelled,
                 (long long)n, smr_plural(unlabelled, "has", "have"),
                 smr_plural(unlabelled, "is", "are"));
out:
    return st;
}

/* One pass over the table: its hash, and what is missing in the columns. */
static smr_status examine(smr_ctx *ctx, smr_train_set *set, smr_schema_opts *how)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t hash[2];
    smr_status st = SMR_OK;
    TRY_NEW(set->n_missing, set->table->n_cols + 1);
    TRY_NEW(set->n_infinite, set->table->n_cols + 1);
    TRY(smr_table_examine(ctx, set->table, hash, set->n_missing, set->n_infinite));
    for (int i = 0; i < 32; i++)
        set->data_hash[i] = digits[hash[i / 16] >> (60 - 4 * (i % 16)) & 15];
    how->n_missing = set->n_missing;
    how->n_infinite = set->n_infinite;
out:
    return st;
}

static smr_status refuse_target(smr_ctx *ctx, const smr_table *table, int64_t col,
                                const int64_t *targets, int64_t n, const char *what)
{
    for (int64_t j = 0; j < n; j++)
        if (targets[j] == col)
            return smr_fail(ctx, SMR_ERR_PARAM,
                            "column '%s' is the target; it cannot be the %s too",
                            table->cols[col].name, what);
    return SMR_OK;
}

static smr_status refuse_roles(smr_ctx *ctx, const smr_table *table, const smr_set_opts *opts,
                               const int64_t *targets, int64_t n_targets)
{
    smr_status st = SMR_OK;
    for (int r = 0; r < SMR_ROLES; r++) {
        int64_t col = 0;
        if (!opts->roles[r]) continue;
        TRY(smr_pick_column(ctx, table, opts->roles[r], &col));
        TRY(refuse_target(ctx, table, col, targets, n_targets, smr_role_name((smr_role)r)));
    }
out:
    return st;
}

/* Roles are for learners that take them. */
static smr_status check_roles(smr_ctx *ctx, const smr_spec *spec, const smr_set_opts *opts)
{
    unsigned takes = 0;
    for (int64_t s = 0; s < spec->n; s++)
        takes |= smr_nature_of(spec->steps[s].learner, spec->steps[s].params).takes;
    const char *last = smr_spec_last(spec)->learner->word->name;
    if (opts->roles[SMR_ROLE_SEQUENCE] && !(takes & SMR_TAKES_SEQUENCES))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "%s takes each row by itself, not sequences; --group keeps rows that "
                        "belong together on one side of a split",
                        last);
    if ((opts->roles[SMR_ROLE_USER] || opts->roles[SMR_ROLE_ITEM]) && !(takes & SMR_TAKES_ROLES))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "%s knows no users and items; without --user and --item these columns are "
                        "features",
                        last);
    if (opts->roles[SMR_ROLE_TIME] && !opts->roles[SMR_ROLE_SEQUENCE] &&
        !(takes & (SMR_TAKES_ROLES | SMR_TAKES_SEQUENCES)))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "%s takes each row by itself, in no order; --order-by divides the rows by "
                        "time, --ignore leaves the column out",
                        last);
    return SMR_OK;
}

/* What is said about classes needs classes. */
static smr_status check_said(smr_ctx *ctx, const smr_train_set *set, const smr_set_opts *opts)
{
    const char *named = opts->classes ? "classes are" : opts->positive ? "a positive class is" : "";
    if (!*named || set->target.classes.n) return SMR_OK;
    if (!set->predicts)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "%s named, and this sentence predicts nothing; leave that out", named);
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "%s named, and the target has numbers here; leave that out, or ask for the "
                    "task classify",
                    named);
}

/* Which task: the one that is asked for; else the target's, where the learner has one for it; else
 * the first of its own that needs none. */
static smr_status choose_task(smr_ctx *ctx, const smr_set_opts *opts, unsigned tasks,
                              int64_t n_targets, const char *learner, smr_task *out)
{
    *out = SMR_TASK_NONE;
    if (opts->task != SMR_TASK_NONE && !(tasks & smr_task_of(opts->task)->does) &&
        !(tasks & SUPERVISED && smr_task_of(opts->task)->does & SUPERVISED))
        return smr_fail(ctx, SMR_ERR_PARAM, "%s has no task '%s'", learner,
                        smr_task_name(opts->task));
    if (opts->task > SMR_TASK_REGRESS) *out = opts->task;
    if (opts->task != SMR_TASK_NONE || (n_targets && tasks & SUPERVISED)) return SMR_OK;
    for (int k = SMR_TASKS - 1; k > SMR_TASK_REGRESS; k--)
        if (tasks & smr_task_of((smr_task)k)->does) *out = (smr_task)k;
    return SMR_OK;
}

/* The target of a task that can do without one: learned where that is possible, else held back. */
static smr_status infer_other(smr_ctx *ctx, const smr_table *table, smr_task task,
                              const int64_t *targets, int64_t n, smr_target_opts *about,
                              smr_target *out)
{
    smr_status st = SMR_OK;
    const smr_task_facts *facts = smr_task_of(task);
    about->tasks = facts->of_classes ? SMR_DOES_CLASSIFY : SMR_DOES_REGRESS;
    about->compared = task == SMR_TASK_CLUSTER;
    about->forced = facts->of_classes ? SMR_TASK_CLASSIFY : SMR_TASK_REGRESS;
    if (n) TRY(smr_target_infer(ctx, table, targets, n, about, out));
    out->task = task;
    out->held = n && !facts->may_learn_target;
    if (n && task == SMR_TASK_OUTLIERS)
        TRY(smr_target_find_outliers(ctx, table, about->positive, out));
out:
    return st;
}

/* What the stages read as texts, members' stages included. */
struct texts {
    bool read;      /* some stage does             */
    bool any;       /* and does not say of which columns */
    smr_text names; /* else of these               */
};

static void note_texts(const char *names, struct texts *t)
{
    t->read = true;
    t->any |= !*names;
    if (*names) smr_text_printf(&t->names, "%s%s", t->names.length ? "," : "", names);
}

static void find_texts(const smr_spec *spec, struct texts *t)
{
    for (int64_t s = 0; s < spec->n; s++) {
        const smr_step *step = &spec->steps[s];
        const char *names = step->learner->texts ? step->learner->texts(step->params) : NULL;
        if (names) note_texts(names, t);
        for (int64_t i = 0; i < step->learner->word->n_params; i++) {
            const smr_specs *specs = smr_step_specs(step, i);
            for (int64_t k = 0; specs && k < specs->n; k++) find_texts(specs->spec[k], t);
        }
    }
}

/* Sequences are never cut: they are the groups, or each lies in one. */
static smr_status group_sequences(smr_ctx *ctx, smr_train_set *set)
{
    smr_status st = SMR_OK;
    const char *name = set->schema.roles[SMR_ROLE_SEQUENCE].name;
    int64_t *sequence = NULL, *first = NULL;
    if (!name) return SMR_OK;
    TRY(read_groups(ctx, set->table, smr_table_find(set->table, name), "sequence", &sequence));
    if (!set->group) {
        set->group = sequence;
        return SMR_OK;
    }
    TRY_NEW(first, set->table->n_rows + 1); /* there are no more sequences than rows */
    for (int64_t i = 0; i < set->table->n_rows; i++) {
        int64_t *row = &first[sequence[i]];
        if (!*row) *row = i + 1;
        if (set->group[*row - 1] != set->group[i])
            TRY(smr_fail(ctx, SMR_ERR_DATA,
                         "rows %lld and %lld are of one sequence in column '%s' and of two groups; "
                         "a sequence lies in one group",
                         (long long)*row, (long long)i + 1, name));
    }
out:
    smr_free(sequence);
    smr_free(first);
    return st;
}

static smr_status infer_inputs(smr_ctx *ctx, smr_train_set *set, const smr_set_opts *opts,
                               const struct texts *texts, const int64_t *targets, int64_t n_targets)
{
    const smr_table *table = set->table;
    smr_status st = SMR_OK;
    bool *skip = NULL;
    int64_t *ignored = NULL, n_ignored = 0, col = 0;
    TRY_NEW(skip, table->n_cols + 1);
    for (int64_t j = 0; j < n_targets; j++) skip[targets[j]] = true;
    if (opts->ignore) TRY(smr_pick_columns(ctx, table, opts->ignore, &ignored, &n_ignored));
    for (int64_t j = 0; j < n_ignored; j++) skip[ignored[j]] = true;
    if (opts->weight) {
        TRY(smr_pick_column(ctx, table, opts->weight, &col));
        TRY(refuse_target(ctx, table, col, targets, n_targets, "weight"));
        skip[col] = true;
        TRY(smr_weights_read(ctx, table, col, &set->weight));
    }
    if (opts->group) {
        TRY(smr_pick_column(ctx, table, opts->group, &col));
        TRY(refuse_target(ctx, table, col, targets, n_targets, "group"));
        skip[col] = true;
        TRY(read_groups(ctx, table, col, "group", &set->group));
    }
    smr_schema_opts how = {.skip = skip,
                           .types = opts->types,
                           .keep_all = opts->keep_all,
                           .reads_text = texts->read,
                           .texts = texts->any ? NULL : texts->names.bytes};
    memcpy(how.roles, opts->roles, sizeof how.roles);
    TRY(refuse_roles(ctx, table, opts, targets, n_targets));
    TRY(examine(ctx, set, &how));
    TRY(smr_schema_infer(ctx, table, &how, &set->schema));
    TRY(group_sequences(ctx, set));
out:
    smr_free(skip);
    smr_free(ignored);
    return st;
}

smr_status smr_train_set_create(smr_ctx *ctx, const smr_table *table, const smr_spec *spec,
                                const smr_set_opts *opts, smr_train_set **out)
{
    smr_status st = SMR_OK;
    smr_train_set *set = NULL;
    smr_text name = {.ctx = ctx};
    struct texts texts = {.names = {.ctx = ctx}};
    const smr_step *last = smr_spec_last(spec);
    int64_t *targets = NULL, n_targets = 0;
    *out = NULL;
    smr_step_name(last, &name);
    if (smr_nature_of(last->learner, last->params).tasks != last->learner->tasks)
        smr_text_add(&name, " with these parameters");
    TRY(smr_text_done(&name));
    if (table->n_rows == 0) {
        st = smr_fail(ctx, SMR_ERR_DATA, "%s has no rows",
                      table->source ? table->source : "the table");
        goto out;
    }
    TRY_NEW(set, 1);
    set->table = table;
    set->spend = opts->spend;
    unsigned tasks = smr_step_tasks(last);
    unsigned traits = smr_nature_of(last->learner, last->params).traits;
    if (opts->task == SMR_TASK_NONE && traits & SMR_TRANSFORMS_FIRST) tasks = SMR_DOES_TRANSFORM;
    smr_task task = SMR_TASK_NONE; /* unless it is a supervised one */
    set->predicts = tasks & ~(unsigned)SMR_DOES_TRANSFORM;
    for (int64_t s = 0; s < spec->n && !set->predicts; s++)
        if (smr_nature_of(spec->steps[s].learner, spec->steps[s].params).traits & SMR_NEEDS_TARGET)
            tasks |= SUPERVISED;
    if (tasks & SUPERVISED && opts->task != SMR_TASK_OUTLIERS)
        tasks &= ~(unsigned)SMR_DOES_OUTLIERS; /* a target that is not named may be forgotten */
    TRY(check_roles(ctx, spec, opts));
    TRY(pick_targets(ctx, table, opts, tasks, name.bytes, &targets, &n_targets));
    TRY(choose_task(ctx, opts, tasks, n_targets, name.bytes, &task));
    bool supervised = tasks & SUPERVISED;
    smr_target_opts about = {.forced = opts->task,
                             .tasks = tasks,
                             .numbers_first = smr_step_numbers_first(last),
                             .learner = name.bytes,
                             .positive = opts->positive,
                             .classes = opts->classes};
    if (task != SMR_TASK_NONE)
        TRY(infer_other(ctx, table, task, targets, n_targets, &about, &set->target));
    else if (n_targets && supervised) /* a transform's target is only left out of the features */
        TRY(smr_target_infer(ctx, table, targets, n_targets, &about, &set->target));
    TRY(check_said(ctx, set, opts));
    find_texts(spec, &texts);
    TRY(smr_text_done(&texts.names));
    TRY(infer_inputs(ctx, set, opts, &texts, targets, n_targets));
    TRY(read_targets(ctx, set));
    TRY(keep_usable_rows(ctx, set, smr_nature_of(last->learner, last->params).takes));
    *out = set;
    set = NULL;
out:
    smr_text_release(&name);
    smr_text_release(&texts.names);
    smr_free(targets);
    smr_train_set_free(set);
    return st;
}

void smr_train_set_free(smr_train_set *set)
{
    if (!set) return;
    smr_schema_release(&set->schema);
    smr_target_release(&set->target);
    smr_free(set->usable);
    smr_free(set->unlabelled);
    smr_free(set->owned_y);
    smr_free(set->label);
    smr_free(set->weight);
    smr_free(set->group);
    smr_free(set->n_missing);
    smr_free(set->n_infinite);
    smr_free(set);
}

bool smr_train_set_has_strata(const smr_train_set *set)
{
    if (!set->label || set->target.held) return false;
    for (int64_t i = 0; i < set->n_rows; i++)
        if (set->label[smr_train_set_row(set, i)] < 0) return false;
    return true;
}
