/* cmd_split.c -- samara split: the rows of a table in files of their own, to train, validate and
 * test with.
 *
 * The parts are those of the library: two files have the rows that `train --holdout` fits on and
 * measures with the same target, groups, shares and seed.  A row without a target is in the first
 * part, since nothing can be measured on it. */
#include "commands.h"
#include "core/number.h"
#include "core/sort.h"
#include "data/pick.h"
#include "data/take.h"
#include "learn/registry.h"
#include "learn/spec.h"
#include "session.h"
#include "study/holdout.h"
#include "training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 8 };
static const double USUAL_SHARE = 0.2;

struct splitting {
    const args *a;
    smr_table *table;
    smr_train_set *set; /* NULL: no target */
    smr_spec *spec;
    double *time;
    double share[MOST_PARTS]; /* of the parts after the first */
    int64_t n_parts;
    bool ordered, stratified;
    smr_parts parts;
};

static const char *file_of(const args *a, int64_t part)
{
    return a->words[2 + part];
}

static smr_status read_shares(smr_ctx *ctx, struct splitting *s)
{
    const char *at = s->a->shares;
    int64_t n = 0;
    for (int64_t p = 0; p < s->n_parts - 1; p++) s->share[p] = USUAL_SHARE;
    while (at) {
        const char *comma = strchr(at, ','), *end = comma ? comma : at + strlen(at);
        double value;
        if (smr_parse_double(at, end, &value) != end || !(value > 0 && value < 1))
            return smr_fail(ctx, SMR_ERR_PARAM,
                            "--shares: '%s' is not a list of shares between 0 and 1, such as "
                            "0.2,0.2",
                            s->a->shares);
        if (n < MOST_PARTS) s->share[n] = value;
        n++;
        at = comma ? comma + 1 : NULL;
    }
    if (s->a->shares && n != s->n_parts - 1)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--shares has %lld share%s, and %lld file%s come%s after the first, which "
                        "has the rest",
                        (long long)n, smr_plural(n, "", "s"), (long long)(s->n_parts - 1),
                        smr_plural(s->n_parts - 1, "", "s"), s->n_parts == 2 ? "s" : "");
    return SMR_OK;
}

static smr_status check_wishes(smr_ctx *ctx, struct splitting *s)
{
    const args *a = s->a;
    s->n_parts = a->n_words - 2;
    s->ordered = a->ordered || a->order_by;
    if (s->n_parts > MOST_PARTS)
        return smr_fail(ctx, SMR_ERR_PARAM, "split makes at most %d files, not %lld", MOST_PARTS,
                        (long long)s->n_parts);
    if (s->ordered && a->group)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "parts in order of time may divide a group; leave out either the group or "
                        "the order");
    if (s->ordered && a->strata)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "parts in order of time cannot be stratified; leave out --strata");
    if (a->strata && strcmp(a->strata, "yes") != 0 && strcmp(a->strata, "no") != 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "--strata: yes or no, not '%s'", a->strata);
    if (a->strata && strcmp(a->strata, "yes") == 0 && !a->target)
        return smr_fail(
            ctx, SMR_ERR_PARAM,
            "--strata yes needs --target, whose classes are spread evenly over the parts");
    if (a->task && !a->target)
        return smr_fail(ctx, SMR_ERR_PARAM, "--task says how to take --target, which is not given");
    for (int64_t p = 0; p < s->n_parts; p++)
        if (strcmp(file_of(a, p), "-") == 0)
            return smr_fail(ctx, SMR_ERR_PARAM,
                            "the parts of a split are files, not standard output");
    return read_shares(ctx, s);
}

/* A learner for which the target decides whether there are classes. */
static smr_status find_spec(smr_ctx *ctx, smr_spec **out)
{
    int64_t n;
    const smr_learner *const *all = smr_registry(&n);
    unsigned both = SMR_DOES_CLASSIFY | SMR_DOES_REGRESS;
    for (int64_t i = 0; i < n; i++)
        if ((all[i]->tasks & both) == both) return smr_spec_parse(ctx, all[i]->word->name, out);
    return smr_fail(ctx, SMR_ERR_INTERNAL, "no learner takes both classes and numbers");
}

/* Labels and groups, as train finds them; what it says about columns is of no use here. */
static smr_status make_set(smr_ctx *ctx, struct splitting *s)
{
    const args *a = s->a;
    smr_status st = SMR_OK;
    smr_set_opts about = {.target = a->target, .group = a->group, .keep_all = true};
    if (!a->target) return SMR_OK;
    TRY(find_spec(ctx, &s->spec));
    TRY(training_task(ctx, a->task, &about.task));
    session_mute(true);
    st = smr_train_set_create(ctx, s->table, s->spec, &about, &s->set);
    session_mute(false);
out:
    return st;
}

/* Group numbers without a training set: codes, or the places of the numbers in their order. */
static smr_status read_groups(smr_ctx *ctx, struct splitting *s, int64_t **out)
{
    smr_status st = SMR_OK;
    int64_t j, n = s->table->n_rows, *order = NULL;
    double *value = NULL;
    TRY(smr_pick_column(ctx, s->table, s->a->group, &j));
    const smr_column *col = &s->table->cols[j];
    TRY_NEW(*out, n);
    if (col->kind == SMR_CATEGORY || col->kind == SMR_TEXT) {
        for (int64_t i = 0; i < n; i++) (*out)[i] = smr_column_code(col, i);
        goto out;
    }
    TRY_NEW(order, n);
    TRY_NEW(value, n);
    for (int64_t i = 0; i < n; i++) {
        order[i] = i;
        value[i] = smr_column_number(col, i);
        if (isnan(value[i])) value[i] = -INFINITY; /* rows without a group are one */
    }
    TRY(smr_argsort_f64(ctx, n, value, order));
    for (int64_t i = 1; i < n; i++)
        (*out)[order[i]] = (*out)[order[i - 1]] + (value[order[i]] > value[order[i - 1]]);
out:
    smr_free(order);
    smr_free(value);
    return st;
}

static smr_status read_time(smr_ctx *ctx, struct splitting *s)
{
    smr_status st = SMR_OK;
    int64_t j;
    if (!s->a->order_by) return SMR_OK;
    TRY(smr_pick_column(ctx, s->table, s->a->order_by, &j));
    const smr_column *col = &s->table->cols[j];
    if (col->kind != SMR_NUMBER && col->kind != SMR_DATE)
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "column '%s' cannot order the rows: it holds no numbers or dates", col->name));
    TRY_NEW(s->time, s->table->n_rows);
    for (int64_t i = 0; i < s->table->n_rows; i++) s->time[i] = smr_column_number(col, i);
out:
    return st;
}

static smr_status divide(smr_ctx *ctx, struct splitting *s)
{
    smr_status st = SMR_OK;
    smr_set_split of = {.of = {.n = s->table->n_rows, .seed = ctx->seed, .time = s->time}};
    int64_t n = s->n_parts - 1;
    if (s->ordered) return smr_split_holdout_time(ctx, &of.of, s->share, n, &s->parts);
    if (s->set) TRY(smr_set_split_make(ctx, s->set, &of));
    if (!s->set && s->a->group) TRY(read_groups(ctx, s, &of.group));
    of.of.group = of.group;
    if (s->a->strata && strcmp(s->a->strata, "no") == 0)
        of.of.label = NULL;
    else if (s->a->strata && !of.of.label)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "--strata yes: every part has its share of each class, and the target has no "
                     "classes here; leave it out"));
    s->stratified = of.of.label != NULL;
    TRY(smr_split_holdout(ctx, &of.of, s->share, n, &s->parts));
    if (s->set) smr_set_split_rows(s->set, &s->parts);
out:
    smr_set_split_release(&of);
    return st;
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Rows of a part in the table's order; the first has those without a target as well. */
static smr_status rows_of(smr_ctx *ctx, const struct splitting *s, int64_t p, int64_t **rows,
                          int64_t *n)
{
    smr_status st = SMR_OK;
    bool *taken = NULL;
    int64_t size = smr_part_size(&s->parts, p), total = s->table->n_rows;
    TRY_NEW(*rows, total + 1);
    TRY_NEW(taken, total + 1);
    memcpy(*rows, smr_part_rows(&s->parts, p), (size_t)size * sizeof **rows);
    *n = size;
    if (p == 0 && s->parts.n_rows < total) {
        for (int64_t i = 0; i < s->parts.n_rows; i++) taken[s->parts.rows[i]] = true;
        for (int64_t i = 0; i < total; i++)
            if (!taken[i]) (*rows)[(*n)++] = i;
    }
    qsort(*rows, (size_t)*n, sizeof **rows, ascending);
out:
    smr_free(taken);
    return st;
}

static smr_status write_part(smr_ctx *ctx, const struct splitting *s, int64_t p, smr_json *list)
{
    smr_status st = SMR_OK;
    int64_t *rows = NULL, n = 0;
    smr_table *part = NULL;
    TRY(rows_of(ctx, s, p, &rows, &n));
    TRY(smr_table_take(ctx, s->table, rows, n, &part));
    TRY(smr_table_save(ctx, part, file_of(s->a, p)));
    smr_json *row = smr_json_add_object(list, NULL);
    smr_json_add_string(row, "file", file_of(s->a, p));
    smr_json_add_number(row, "rows", (double)n);
out:
    smr_table_free(part);
    smr_free(rows);
    return st;
}

static void show(const smr_json *root, int64_t most, smr_text *out)
{
    (void)most;
    const smr_json *list = smr_json_get(root, "parts");
    smr_text_printf(out, "read      %s: ", smr_json_get_string(root, "data", ""));
    smr_text_count(out, (int64_t)smr_json_get_number(root, "rows", 0), "row");
    bool ordered = smr_json_get_bool(root, "ordered", false);
    smr_text_printf(out, "\ndivided   %s", ordered ? "in order of time" : "at random");
    if (smr_json_get_bool(root, "stratified", false)) smr_text_add(out, ", classes spread evenly");
    if (smr_json_get_bool(root, "grouped", false)) smr_text_add(out, ", groups whole");
    if (!ordered)
        smr_text_printf(out, ", seed %lld", (long long)smr_json_get_number(root, "seed", 0));
    int64_t unlabelled = (int64_t)smr_json_get_number(root, "rows_without_target", 0);
    if (unlabelled) {
        smr_text_add(out, "\nnote      ");
        smr_text_count(out, unlabelled, "row");
        smr_text_printf(out, " without a target %s in the first part",
                        smr_plural(unlabelled, "is", "are"));
    }
    smr_text_add(out, "\n");
    for (const smr_json *row = list ? list->first : NULL; row; row = row->next) {
        smr_text_printf(out, "wrote     %s: ", smr_json_get_string(row, "file", ""));
        smr_text_count(out, (int64_t)smr_json_get_number(row, "rows", 0), "row");
        smr_text_add(out, "\n");
    }
}

static smr_status tell(smr_ctx *ctx, struct splitting *s)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "split");
    smr_json_add_string(root, "data", s->a->words[1]);
    smr_json_add_number(root, "rows", (double)s->table->n_rows);
    if (s->a->target) smr_json_add_string(root, "target", s->a->target);
    smr_json_add_bool(root, "ordered", s->ordered);
    smr_json_add_bool(root, "stratified", s->stratified);
    smr_json_add_bool(root, "grouped", s->a->group != NULL);
    smr_json_add_number(root, "seed", (double)s->a->seed);
    smr_json_add_number(root, "rows_without_target", (double)(s->table->n_rows - s->parts.n_rows));
    smr_json *shares = smr_json_add_array(root, "shares");
    for (int64_t p = 0; p < s->n_parts - 1; p++) smr_json_add_number(shares, NULL, s->share[p]);
    smr_json *list = smr_json_add_array(root, "parts");
    for (int64_t p = 0; p < s->n_parts; p++) TRY(write_part(ctx, s, p, list));
    session_add_warnings(root);
    if (!s->a->quiet || s->a->json) TRY(session_finish(ctx, s->a, root, show));
out:
    smr_json_free(doc);
    return st;
}

smr_status run_split(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    struct splitting s = {.a = a};
    TRY(check_wishes(ctx, &s));
    TRY(session_read(ctx, a, a->words[1], &s.table));
    TRY(make_set(ctx, &s));
    TRY(read_time(ctx, &s));
    TRY(divide(ctx, &s));
    TRY(tell(ctx, &s));
out:
    smr_parts_release(&s.parts);
    smr_train_set_free(s.set);
    smr_spec_free(s.spec);
    smr_free(s.time);
    smr_table_free(s.table);
    return st;
}
