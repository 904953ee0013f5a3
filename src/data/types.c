/* types.c -- see types.h. */
#include "data/types.h"

#include "core/text.h"

#include <string.h>

static const char *const kinds[] = {"number", "category", "text", "date", "ignore"};

static smr_status set_kind(smr_ctx *ctx, smr_column_rule *rule, const char *kind)
{
    for (int k = 0; k < 5; k++) {
        if (strcmp(kind, kinds[k]) != 0) continue;
        rule->ignore = k == 4;
        rule->kind = k == 4 ? SMR_NUMBER : (smr_kind)k;
        return SMR_OK;
    }
    int64_t near = smr_nearest(kind, kinds, 5);
    return smr_fail(
        ctx, SMR_ERR_PARAM,
        "column '%s': '%s' is not a type; %s%s%schoose number, category, text, date or ignore",
        rule->name, kind, near >= 0 ? "did you mean '" : "", near >= 0 ? kinds[near] : "",
        near >= 0 ? "'? " : "");
}

/* Splits "name=kind" in place at its last '='; the name loses its quotes. */
static smr_status read_rule(smr_ctx *ctx, char *item, smr_column_rule *rule)
{
    char *eq = strrchr(item, '=');
    if (!eq || eq == item)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "'%s' is not a type rule; write COLUMN=number, COLUMN=category ...", item);
    *eq = '\0';
    size_t n = strlen(item);
    if (n >= 2 && item[0] == '"' && item[n - 1] == '"') {
        item[n - 1] = '\0';
        item++;
    }
    *rule = (smr_column_rule){.name = item};
    return set_kind(ctx, rule, eq + 1);
}

smr_status smr_rules_parse(smr_ctx *ctx, const char *types, smr_rule_list *out)
{
    smr_status st = SMR_OK;
    *out = (smr_rule_list){0};
    if (!types || !*types) return SMR_OK;
    out->text = smr_strdup(ctx, types);
    if (!out->text) return SMR_ERR_NOMEM;
    TRY_NEW(out->rules, (int64_t)strlen(types) + 1);
    bool quoted = false;
    char *begin = out->text;
    for (char *c = out->text;; c++) {
        if (*c == '"') quoted = !quoted;
        if (*c && (*c != ',' || quoted)) continue;
        bool end = *c == '\0';
        *c = '\0';
        if (*begin) TRY(read_rule(ctx, begin, &out->rules[out->n++]));
        begin = c + 1;
        if (end) break;
    }
out:
    if (st != SMR_OK) smr_rules_release(out);
    return st;
}

const char *smr_kind_name(smr_kind kind)
{
    return kinds[kind];
}

void smr_rules_release(smr_rule_list *list)
{
    smr_free(list->rules);
    smr_free(list->text);
    *list = (smr_rule_list){0};
}

smr_status smr_format_by_name(smr_ctx *ctx, const char *name, smr_format *out)
{
    static const char *const names[] = {
        "auto", "csv",   "libsvm", "arff",    "npy",     "idx",      "tsv",
        "svm",  "jsonl", "sqlite", "picture", "cifar10", "cifar100", "cifar100-coarse"};
    static const smr_format formats[] = {SMR_FORMAT_AUTO,     SMR_FORMAT_CSV,
                                         SMR_FORMAT_LIBSVM,   SMR_FORMAT_ARFF,
                                         SMR_FORMAT_NPY,      SMR_FORMAT_IDX,
                                         SMR_FORMAT_CSV,      SMR_FORMAT_LIBSVM,
                                         SMR_FORMAT_JSONL,    SMR_FORMAT_SQLITE,
                                         SMR_FORMAT_PICTURE,  SMR_FORMAT_CIFAR10,
                                         SMR_FORMAT_CIFAR100, SMR_FORMAT_CIFAR100_COARSE};
    *out = SMR_FORMAT_AUTO;
    if (!name) return SMR_OK;
    for (int64_t i = 0; i < SMR_COUNT(names); i++)
        if (strcmp(name, names[i]) == 0) {
            *out = formats[i];
            return SMR_OK;
        }
    return smr_fail(
        ctx, SMR_ERR_PARAM,
        "'%s' is not a format; choose csv, jsonl, libsvm, arff, npy, idx, sqlite, picture, "
        "cifar10, cifar100 or cifar100-coarse",
        name);
}

smr_status smr_read_opts_from(smr_ctx *ctx, const smr_open_opts *from, smr_read_opts *out,
                              smr_rule_list *rules)
{
    smr_status st = SMR_OK;
    *rules = (smr_rule_list){0};
    *out = (smr_read_opts){.header = from->header,
                           .delimiter = from->delimiter,
                           .decimal = from->decimal,
                           .query = from->query,
                           .missing = from->missing,
                           .labels = from->labels,
                           .skip_bad = from->skip_bad};
    TRY(smr_picture_how_read(ctx, from->picture_size, from->picture_fit, from->grey, &out->how));
    TRY(smr_format_by_name(ctx, from->format, &out->format));
    TRY(smr_rules_parse(ctx, from->types, rules));
    out->rules = rules->rules;
    out->n_rules = rules->n;
out:
    return st;
}
