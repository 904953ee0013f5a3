/* csv_judge.c -- kinds from the counts of the whole file, and the errors that follow from them. */
#include "data/csv_private.h"

#include "core/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRAYS_SHOWN = 5 };

/* ---- lines -------------------------------------------------------------------------------- */

smr_status smr_csv_line_of_row(csv *r, int64_t row, int64_t *line)
{
    smr_status st = SMR_OK;
    int64_t i = 0, fields, row_at = 0;
    while (i < r->n_pieces && row >= r->pieces[i].first_row + r->pieces[i].n_rows) i++;
    const piece *p = &r->pieces[i];
    lane *l = &r->lanes[0];
    int64_t n = p->end - p->begin;
    TRY(smr_source_read_at(r->ctx, r->source, p->begin, l->text, n));
    splitter s = {.syntax = &r->syntax, .text = l->text, .n = n, .ends = true};
    for (int64_t k = p->first_row; k <= row; k++)
        if (smr_csv_split(&s, NULL, NULL, 0, &fields, &row_at) != SPLIT_ROW) break;
    *line = p->first_line + smr_csv_lines(&r->syntax, l->text, row_at);
out:
    return st;
}

/* ---- strays ------------------------------------------------------------------------------- */

struct stray {
    int64_t code;
    smr_dict_entry met;
};

static int by_first_row(const void *a, const void *b)
{
    int64_t ra = ((const struct stray *)a)->met.first_row;
    int64_t rb = ((const struct stray *)b)->met.first_row;
    return (ra > rb) - (ra < rb);
}

/* Reads column j once more for its strays only, in the order of the file. */
static smr_status find_strays(csv *r, int64_t j, smr_dict *all, struct stray **list)
{
    smr_status st = SMR_OK;
    smr_ctx *ctx = r->ctx;
    const smr_tally *t = &r->columns[j].tally.fields;
    r->usual = t->n[SMR_FIELD_NUMBER] > t->n[SMR_FIELD_DATE] ? SMR_FIELD_NUMBER : SMR_FIELD_DATE;
    for (int64_t i = 0; i < r->n_fields; i++) r->hows[i] = HOW_SKIP;
    r->hows[j] = HOW_STRAYS;
    for (int i = 0; i < r->n_lanes; i++) smr_dict_release(&r->lanes[i].dicts[j]);
    TRY(smr_csv_parse(r));
    TRY(smr_csv_merge_dicts(ctx, r, j, NULL, all));
    TRY_NEW(*list, all->strings.n);
    for (int64_t k = 0; k < all->strings.n; k++) (*list)[k] = (struct stray){k, all->entries[k]};
    /* lint: allow qsort, a row has one field of the column: no two are equal. */
    qsort(*list, (size_t)all->strings.n, sizeof **list, by_first_row);
out:
    return st;
}

/* "'n.k.' (line 17, 3 times), 'x' (line 40), and 7 others" */
static smr_status list_strays(csv *r, const smr_dict *all, const struct stray *list, smr_text *out)
{
    smr_status st = SMR_OK;
    int64_t shown = SMR_MIN(all->strings.n, STRAYS_SHOWN);
    for (int64_t k = 0; k < shown; k++) {
        char excerpt[SMR_EXCERPT_MAX];
        int64_t n, line;
        const char *text = smr_strings_get(&all->strings, list[k].code, &n);
        TRY(smr_csv_line_of_row(r, list[k].met.first_row, &line));
        smr_text_printf(out, "%s'%s' (line %" PRId64, k ? ", " : "", smr_excerpt(text, n, excerpt),
                        line);
        if (list[k].met.count > 1) smr_text_printf(out, ", %" PRId64 " times", list[k].met.count);
        smr_text_add(out, ")");
    }
    if (all->strings.n > shown)
        smr_text_printf(out, " and %" PRId64 " other%s", all->strings.n - shown,
                        smr_plural(all->strings.n - shown, "", "s"));
out:
    return st;
}

/* Would the text be a number with the other decimal mark? */
static bool is_mixed(const csv *r, const column *c, const char *text, int64_t n)
{
    double value;
    bool has_time;
    smr_decimal other = c->decimal == SMR_DECIMAL_COMMA ? SMR_DECIMAL_POINT : SMR_DECIMAL_COMMA;
    return smr_field_read(&r->marks, other, text, n, &value, &has_time) == SMR_FIELD_NUMBER;
}

static smr_status fail_strays(csv *r, int64_t j)
{
    smr_status st = SMR_OK;
    smr_ctx *ctx = r->ctx;
    smr_dict all = {0};
    struct stray *list = NULL;
    smr_text told = {.ctx = ctx};
    const char *name = r->columns[j].name;
    const smr_tally t = r->columns[j].tally.fields;
    int64_t total = 0;
    for (int f = SMR_FIELD_NUMBER; f < SMR_FIELD_KINDS; f++) total += t.n[f];
    TRY(find_strays(r, j, &all, &list));
    TRY(list_strays(r, &all, list, &told));
    TRY(smr_text_done(&told));
    const char *words = r->usual == SMR_FIELD_NUMBER ? "numbers" : "dates";
    int64_t first_n;
    const char *first = smr_strings_get(&all.strings, list[0].code, &first_n);
    bool in_first_row = !r->has_header && list[0].met.first_row == 0;
    char excerpt[SMR_EXCERPT_MAX], advice[SMR_EXCERPT_MAX + 64];
    snprintf(advice, sizeof advice, "if they stand for missing values add --missing '%s'",
             smr_excerpt(first, first_n, excerpt));
    if (r->usual == SMR_FIELD_NUMBER && is_mixed(r, &r->columns[j], first, first_n))
        snprintf(advice, sizeof advice, "write all decimals with points, or all with commas");
    st = smr_fail(ctx, SMR_ERR_DATA,
                  "%s: column '%s' holds %s, but %" PRId64 " of %" PRId64
                  " fields %s something else: %s; %s, if the column is a category add --type "
                  "%s=category%s",
                  r->name, name, words, total - t.n[r->usual], total,
                  total - t.n[r->usual] == 1 ? "is" : "are", told.bytes, advice, name,
                  in_first_row ? " (or is the first row a header?)" : "");
out:
    smr_text_release(&told);
    smr_free(list);
    smr_dict_release(&all);
    return st;
}

/* A text that is read as such may hold any bytes (transform/tokens.h says what they mean);
 * elsewhere they are refused. */
static smr_status answer_not_utf8(csv *r, const column *c)
{
    int64_t line, n;
    const char *text = smr_strings_get(&c->sorted, c->bad_level, &n);
    smr_status st = smr_csv_line_of_row(r, c->bad_row, &line);
    if (st != SMR_OK) return st;
    if (c->forced && c->kind == SMR_TEXT) {
        smr_warn(r->ctx,
                 "%s:%" PRId64 ": column '%s' has %" PRId64
                 " text%s not UTF-8 (here '%s'); words are split at such bytes: convert the file, "
                 "for example with iconv -f latin1 -t utf-8",
                 r->name, line, c->name, c->n_bad, c->n_bad == 1 ? " that is" : "s that are",
                 smr_excerpt(text, n, (char[SMR_EXCERPT_MAX]){0}));
        return SMR_OK;
    }
    return smr_fail(r->ctx, SMR_ERR_FORMAT,
                    "%s:%" PRId64 ": column '%s' has a text that is not UTF-8 ('%s'); convert the "
                    "file, for example with iconv -f latin1 -t utf-8, read the column as text with "
                    "--type '%s=text', or leave it out with --type '%s=ignore'",
                    r->name, line, c->name, smr_excerpt(text, n, (char[SMR_EXCERPT_MAX]){0}),
                    c->name, c->name);
}

/* ---- verdicts ----------------------------------------------------------------------------- */

/* Gives the column the kind that all of its content asks for; true if it must be read again. */
static bool change_kind(column *c, smr_kind kind)
{
    c->done = c->kind == kind;
    c->kind = kind;
    return !c->done;
}

smr_status smr_csv_give_room(csv *r, column *c)
{
    bool wide = c->kind == SMR_NUMBER || c->kind == SMR_DATE;
    if (!wide || c->room_for_double) return SMR_OK;
    c->own_values = smr_alloc_raw(r->ctx, r->n_rows, sizeof(double));
    if (!c->own_values) return SMR_ERR_NOMEM;
    c->values = c->own_values;
    c->room_for_double = true;
    return SMR_OK;
}

smr_status smr_csv_judge(csv *r, bool *again)
{
    static const smr_kind kinds[] = {SMR_NUMBER, SMR_DATE, SMR_CATEGORY};
    smr_status st = SMR_OK;
    *again = false;
    for (int64_t j = 0; j < r->n_fields; j++) {
        column *c = &r->columns[j];
        if (r->hows[j] == HOW_SKIP) continue;
        if (c->forced) {
            c->done = true;
            continue;
        }
        bool other = false;
        TRY(smr_csv_reconsider(r, c, &other));
        *again |= other;
        if (other) continue;
        smr_verdict verdict = smr_tally_judge(&c->tally.fields);
        if (verdict == SMR_VERDICT_STRAYS || smr_csv_mixes_decimals(c)) TRY(fail_strays(r, j));
        if (!change_kind(c, kinds[verdict])) continue;
        *again = true;
        smr_csv_free_levels(r, c);
        TRY(smr_csv_give_room(r, c));
    }
    TRY(smr_csv_reconsider(r, NULL, again));
    for (int64_t j = 0; j < r->n_fields; j++) {
        const column *c = &r->columns[j];
        if (r->hows[j] == HOW_STRINGS && c->done && c->bad_row >= 0) TRY(answer_not_utf8(r, c));
    }
    TRY(smr_csv_recode(r));
out:
    return st;
}
