/* csv_rules.c -- which columns are read, and as what: unique names, and the caller's rules. */
#include "data/csv_private.h"

#include "core/number.h"
#include "data/pick.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The columns' names, and which column has each. */
struct names {
    smr_dict dict;
    int64_t *column;    /* of each distinct name: the first column that has it    */
    bool *is_ambiguous; /* some later column has the name as well                 */
};

static smr_status fail_duplicate(const csv *r, int64_t first, int64_t second)
{
    const char *name = r->columns[first].name;
    return smr_fail(r->ctx, SMR_ERR_FORMAT,
                    "%s: columns %" PRId64 " and %" PRId64
                    " (counted from 0) have the same name '%s'; rename one",
                    r->name, first, second,
                    smr_excerpt(name, (int64_t)strlen(name), (char[SMR_EXCERPT_MAX]){0}));
}

/* A column without a name is named after its position, or where another has that name,
 * "unnamed_3". */
static smr_status rename_unnamed(csv *r, int64_t j)
{
    char name[40];
    snprintf(name, sizeof name, "unnamed_%" PRId64, j);
    smr_free(r->columns[j].name);
    r->columns[j].name = smr_strdup(r->ctx, name);
    return r->columns[j].name ? SMR_OK : SMR_ERR_NOMEM;
}

static bool is_called_by_position(const csv *r, int64_t j)
{
    char position[24];
    snprintf(position, sizeof position, "%" PRId64, j);
    return !strcmp(r->columns[j].name, position);
}

static smr_status collect_names(csv *r, struct names *names)
{
    smr_status st = SMR_OK;
    smr_ctx *ctx = r->ctx;
    TRY_NEW(names->column, r->n_fields);
    TRY_NEW(names->is_ambiguous, r->n_fields);
    for (int64_t j = 0; j < r->n_fields; j++) {
        int32_t code;
        int64_t known = names->dict.strings.n;
        const char *name = r->columns[j].name;
        TRY(smr_dict_merge(ctx, &names->dict, NULL, name, (int64_t)strlen(name),
                           &(smr_dict_entry){0}, &code));
        if (code == known) {
            names->column[code] = j;
            continue;
        }
        int64_t first = names->column[code];
        if (is_called_by_position(r, first) && r->has_header) {
            TRY(rename_unnamed(r, first));
            names->column[code] = j;
            continue;
        }
        if (is_called_by_position(r, j) && r->has_header) {
            TRY(rename_unnamed(r, j));
            continue;
        }
        if (!r->opts.only_ruled) TRY(fail_duplicate(r, first, j));
        names->is_ambiguous[first] = true;
    }
out:
    return st;
}

/* The column that a rule is about, or -1: by name, or #3, or #-1 from the end. */
static int64_t find_column(const csv *r, const struct names *names, const char *name)
{
    int32_t code = smr_dict_find(&names->dict, name, (int64_t)strlen(name));
    if (code >= 0) return names->column[code];
    int64_t position;
    const char *end = name + strlen(name);
    if (name[0] != '#' || smr_parse_int(name + 1, end, &position) != end) return -1;
    if (position < 0) position += r->n_fields;
    return position >= 0 && position < r->n_fields ? position : -1;
}

static smr_status learn_levels(smr_ctx *ctx, column *c)
{
    smr_status st = SMR_OK;
    smr_dict_release(&c->given);
    for (int64_t i = 0; i < c->levels->n; i++) {
        int64_t n;
        int32_t code;
        const char *text = smr_strings_get(c->levels, i, &n);
        TRY(smr_dict_merge(ctx, &c->given, NULL, text, n, &(smr_dict_entry){0}, &code));
        if (code != i)
            TRY(smr_fail(ctx, SMR_ERR_PARAM, "the level '%s' of column '%s' is given twice",
                         smr_excerpt(text, n, (char[SMR_EXCERPT_MAX]){0}), c->name));
    }
out:
    return st;
}

static smr_status fail_absent(const csv *r, const smr_column_rule *rule)
{
    smr_status st = SMR_OK;
    smr_ctx *ctx = r->ctx;
    const char **names = NULL;
    TRY_NEW(names, r->n_fields + 1);
    for (int64_t j = 0; j < r->n_fields; j++) names[j] = r->columns[j].name;
    st = smr_no_such_column(ctx, r->name, names, r->n_fields, rule->name);
out:
    smr_free(names);
    return st;
}

static smr_status apply_rule(csv *r, const struct names *names, const smr_column_rule *rule)
{
    int64_t j = find_column(r, names, rule->name);
    if (j < 0) return rule->optional ? SMR_OK : fail_absent(r, rule);
    column *c = &r->columns[j];
    if (names->is_ambiguous[j] && rule->name[0] != '#')
        return smr_fail(r->ctx, SMR_ERR_FORMAT,
                        "%s: several columns are named '%s'; rename all but one", r->name,
                        rule->name);
    c->wanted = !rule->ignore;
    c->forced = true;
    c->kind = rule->kind;
    bool coded = rule->kind == SMR_CATEGORY || rule->kind == SMR_TEXT;
    c->levels = coded ? rule->levels : NULL;
    return c->levels && c->wanted ? learn_levels(r->ctx, c) : SMR_OK;
}

smr_status smr_csv_apply_rules(csv *r)
{
    smr_status st = SMR_OK;
    struct names names = {0};
    for (int64_t j = 0; j < r->n_fields; j++) r->columns[j].wanted = !r->opts.only_ruled;
    TRY(collect_names(r, &names));
    for (int64_t i = 0; i < r->opts.n_rules; i++) TRY(apply_rule(r, &names, &r->opts.rules[i]));
out:
    smr_dict_release(&names.dict);
    smr_free(names.column);
    smr_free(names.is_ambiguous);
    return st;
}
