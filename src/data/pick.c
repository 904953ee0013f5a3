/* pick.c -- see pick.h. */
#include "data/pick.h"

#include "core/number.h"
#include "core/text.h"

#include <string.h>

enum { MOST_LISTED = 20 };

/* Names all columns, where there are few. */
static smr_status list_columns(smr_ctx *ctx, const char *source, const char *const *names,
                               int64_t n, const char *text)
{
    smr_text list = {.ctx = ctx};
    for (int64_t j = 0; j < n; j++)
        smr_text_printf(&list, "%s%s", j == 0 ? "" : j + 1 == n ? " and " : ", ", names[j]);
    smr_status st = smr_text_done(&list);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_PARAM, "%s has no column '%s'; it has %s", source, text,
                      list.bytes);
    smr_text_release(&list);
    return st;
}

smr_status smr_no_such_column(smr_ctx *ctx, const char *source, const char *const *names, int64_t n,
                              const char *text)
{
    int64_t near = smr_nearest(text, names, n);
    if (near >= 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "%s has no column '%s'; did you mean '%s'?", source,
                        text, names[near]);
    if (n > 0 && n <= MOST_LISTED) return list_columns(ctx, source, names, n, text);
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "%s has no column '%s'; its %lld columns are named by 'samara describe'",
                    source, text, (long long)n);
}

static smr_status no_such_column(smr_ctx *ctx, const smr_table *table, const char *text)
{
    smr_status st = SMR_OK;
    const char **names = NULL;
    TRY_NEW(names, table->n_cols + 1);
    for (int64_t j = 0; j < table->n_cols; j++) names[j] = table->cols[j].name;
    st = smr_no_such_column(ctx, table->source ? table->source : "the table", names, table->n_cols,
                            text);
out:
    smr_free(names);
    return st;
}

smr_status smr_pick_column(smr_ctx *ctx, const smr_table *table, const char *text, int64_t *col)
{
    int64_t at = smr_table_find(table, text);
    bool forced = text[0] == '#';
    const char *digits = forced ? text + 1 : text, *end = digits + strlen(digits);
    if (at < 0 && strcmp(text, "last") == 0) at = table->n_cols - 1;
    int64_t position = 0;
    if (at < 0 && *digits && smr_parse_int(digits, end, &position) == end) {
        at = position < 0 ? table->n_cols + position : position;
        if (at < 0 || at >= table->n_cols)
            return smr_fail(ctx, SMR_ERR_PARAM,
                            "there is no column at position %s; %s has %lld column%s, "
                            "counted from 0",
                            digits, table->source ? table->source : "the table",
                            (long long)table->n_cols, smr_plural(table->n_cols, "", "s"));
    }
    if (at < 0) return no_such_column(ctx, table, text);
    *col = at;
    return SMR_OK;
}

/* The next item of a list; quotes protect commas.  Returns what follows, or NULL at the end. */
static const char *next_item(const char *list, smr_text *item)
{
    item->length = 0;
    smr_text_add_bytes(item, "", 0);
    bool quoted = false;
    for (; *list; list++) {
        if (*list == '"')
            quoted = !quoted;
        else if (*list == ',' && !quoted)
            return list + 1;
        else
            smr_text_add_bytes(item, list, 1);
    }
    return NULL;
}

smr_status smr_pick_columns(smr_ctx *ctx, const smr_table *table, const char *text, int64_t **cols,
                            int64_t *n)
{
    smr_status st = SMR_OK;
    smr_text item = {.ctx = ctx};
    int64_t *list = NULL, count = 0;
    *cols = NULL;
    *n = 0;
    TRY_NEW(list, (int64_t)strlen(text) + 1);
    for (const char *at = text; at;) {
        if (smr_table_find(table, text) >= 0) { /* the whole text is one name, commas included */
            smr_text_add(&item, text);
            at = NULL;
        } else {
            at = next_item(at, &item);
        }
        TRY(smr_text_done(&item));
        if (item.length == 0) continue;
        TRY(smr_pick_column(ctx, table, item.bytes, &list[count]));
        bool seen = false;
        for (int64_t i = 0; i < count; i++) seen |= list[i] == list[count];
        if (!seen) count++;
    }
    *cols = list;
    *n = count;
    list = NULL;
out:
    smr_free(list);
    smr_text_release(&item);
    return st;
}
