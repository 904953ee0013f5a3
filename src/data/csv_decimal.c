/* csv_decimal.c -- decimal commas and points: what the sample shows, what the whole file says of
 * it, and what is told.
 *
 * A column is searched for commas (SMR_DECIMAL_FIND) until its own fields, or those of other
 * columns, decide.  Each column changes its mark at most twice, so the passes end. */
#include "data/csv_private.h"

#include <inttypes.h>
#include <string.h>

/* ---- the sample --------------------------------------------------------------------------- */

static void take_comma(column *c, bool by_file)
{
    c->decimal = SMR_DECIMAL_COMMA;
    c->by_file = by_file;
}

void smr_csv_choose_decimals(csv *r, const smr_tally *sample, const int64_t *n_points)
{
    char given = r->opts.decimal;
    r->comma = given == ',' || (!given && r->opts.expects_comma && r->syntax.delimiter != ',');
    for (int64_t j = 0; j < r->n_fields; j++)
        r->comma |= !given && smr_tally_decimal(&sample[j], false) == SMR_DECIMAL_COMMA &&
                    sample[j].n[SMR_FIELD_COMMA] > n_points[j];
    for (int64_t j = 0; j < r->n_fields; j++) {
        column *c = &r->columns[j];
        smr_decimal own = smr_tally_decimal(&sample[j], r->comma);
        bool shows = sample[j].n[SMR_FIELD_COMMA] + sample[j].n[SMR_FIELD_EITHER] > 0;
        c->n_pointed = -1;
        if (given == '.')
            c->decimal = SMR_DECIMAL_GROUPS;
        else if (own == SMR_DECIMAL_GROUPS && !given)
            c->decimal = own;
        else if (r->comma && n_points[j] > 0 && !shows)
            c->is_apart = c->is_pointed = true;
        else if (r->comma)
            take_comma(c, own != SMR_DECIMAL_COMMA);
        if (c->is_apart) c->decimal = SMR_DECIMAL_POINT;
    }
}

/* ---- the whole file ----------------------------------------------------------------------- */

static smr_status read_again(csv *r, column *c, bool *again)
{
    c->kind = SMR_NUMBER;
    c->done = false;
    *again = true;
    smr_csv_free_levels(r, c);
    return smr_csv_give_room(r, c);
}

/* Commas were tried, and fewer fields are numbers with them than with points. */
static bool was_wrong(const column *c)
{
    const int64_t *n = c->tally.fields.n, points = n[SMR_FIELD_POINTED];
    if (c->decimal != SMR_DECIMAL_COMMA || c->kind != SMR_NUMBER || n[SMR_FIELD_TEXT] + points == 0)
        return false;
    return c->by_file || n[SMR_FIELD_NUMBER] < SMR_MAX(c->n_pointed, points);
}

bool smr_csv_mixes_decimals(const column *c)
{
    const int64_t *n = c->tally.fields.n;
    bool shows_both = c->decimal == SMR_DECIMAL_COMMA ? !c->by_file && n[SMR_FIELD_POINTED] > 0
                                                      : c->is_pointed && n[SMR_FIELD_COMMA] > 0;
    return c->kind == SMR_NUMBER && shows_both && smr_tally_is_mixed(&c->tally.fields);
}

static smr_status reconsider(csv *r, column *c, bool *again)
{
    smr_decimal found = SMR_DECIMAL_FIND;
    if (c->decimal == SMR_DECIMAL_FIND) found = smr_tally_decimal(&c->tally.fields, r->comma);
    if (found != SMR_DECIMAL_FIND) {
        if (c->kind == SMR_NUMBER) c->n_pointed = c->tally.fields.n[SMR_FIELD_NUMBER];
        c->decimal = found;
        r->comma |= found == SMR_DECIMAL_COMMA;
        return read_again(r, c, again);
    }
    if (!was_wrong(c)) return SMR_OK;
    c->is_pointed = c->tally.fields.n[SMR_FIELD_POINTED] > 0;
    c->decimal = SMR_DECIMAL_POINT;
    c->by_file = false;
    c->is_apart = true;
    return read_again(r, c, again);
}

/* Decimal commas came to light late: columns of numbers are read again with them. */
static smr_status follow_others(csv *r, bool *again)
{
    smr_status st = SMR_OK;
    for (int64_t j = 0; j < r->n_fields; j++) {
        column *c = &r->columns[j];
        if (!c->wanted || c->forced || c->decimal != SMR_DECIMAL_FIND) continue;
        bool either = smr_tally_decimal(&c->tally.fields, true) == SMR_DECIMAL_COMMA;
        if (c->kind != SMR_NUMBER && !either) continue;
        take_comma(c, !either);
        TRY(read_again(r, c, again));
    }
out:
    return st;
}

smr_status smr_csv_reconsider(csv *r, column *c, bool *again)
{
    if (c) return reconsider(r, c, again);
    return r->comma ? follow_others(r, again) : SMR_OK;
}

/* ---- what is told ------------------------------------------------------------------------- */

bool smr_csv_has_commas(const csv *r)
{
    for (int64_t j = 0; j < r->n_fields; j++) {
        const column *c = &r->columns[j];
        if (c->wanted && c->kind == SMR_NUMBER && c->decimal == SMR_DECIMAL_COMMA) return true;
    }
    return false;
}

/* 1.234 in a column of its own could be a number with three decimals. */
static smr_status warn_grouped(csv *r, const column *c)
{
    int64_t line;
    if (c->tally.first_grouped == INT64_MAX || r->opts.decimal) return SMR_OK;
    smr_status st = smr_csv_line_of_row(r, c->tally.first_grouped, &line);
    if (st == SMR_OK)
        smr_warn(r->ctx,
                 "%s:%" PRId64 ": decimals have commas in this file, so points separate thousands "
                 "in column '%s' (1.234 is 1234); --decimal . reads points as decimals, "
                 "--decimal , confirms it",
                 r->name, line, c->name);
    return st;
}

/* A category all of whose fields are numbers in one way or another. */
static bool is_unclear(const column *c)
{
    const int64_t *n = c->tally.fields.n;
    int64_t spelled = n[SMR_FIELD_COMMA] + n[SMR_FIELD_GROUPS] + n[SMR_FIELD_EITHER];
    return c->kind == SMR_CATEGORY && !c->forced && c->decimal == SMR_DECIMAL_FIND && spelled > 0 &&
           n[SMR_FIELD_TEXT] + n[SMR_FIELD_DATE] == 0;
}

static void warn_unclear(const csv *r, const column *c)
{
    double value;
    bool has_time;
    const char *text = "";
    int64_t n = 0;
    for (int64_t k = 0; k < c->sorted.n; k++) {
        text = smr_strings_get(&c->sorted, k, &n);
        if (smr_field_read(&r->marks, SMR_DECIMAL_FIND, text, n, &value, &has_time) >
            SMR_FIELD_TEXT)
            break;
    }
    smr_warn(r->ctx,
             "%s: column '%s' is read as a category: whether a comma separates decimals or "
             "thousands in '%s' is not clear; --decimal , says decimals, --decimal . thousands",
             r->name, c->name, smr_excerpt(text, n, (char[SMR_EXCERPT_MAX]){0}));
}

/* The columns of one mark: how many, and the first. */
static int64_t count_columns(const csv *r, smr_decimal decimal, bool apart, const char **first)
{
    int64_t count = 0;
    for (int64_t j = r->n_fields - 1; j >= 0; j--) {
        const column *c = &r->columns[j];
        if (!c->wanted || c->kind != SMR_NUMBER || c->decimal != decimal) continue;
        if ((apart && !c->is_apart) || c->by_file) continue;
        count++;
        *first = c->name;
    }
    return count;
}

static void warn_found(const csv *r, int64_t n, const char *first, bool comma)
{
    smr_warn(r->ctx, "%s: %s%s%s%s read as numbers; --decimal %c confirms it", r->name,
             n == 1 ? "column '" : "columns such as '", first,
             comma ? "' with decimal commas (42,5)" : "' with commas between thousands (1,234)",
             n == 1 ? " is" : " are", comma ? ',' : '.');
}

smr_status smr_csv_tell_decimals(csv *r, smr_text *notes)
{
    smr_status st = SMR_OK;
    const char *comma_name = NULL, *group_name = NULL, *apart_name = NULL;
    int64_t commas = count_columns(r, SMR_DECIMAL_COMMA, false, &comma_name);
    int64_t groups = count_columns(r, SMR_DECIMAL_GROUPS, false, &group_name);
    int64_t apart = count_columns(r, SMR_DECIMAL_POINT, true, &apart_name);
    char given = r->opts.decimal;
    if (given)
        smr_text_printf(notes, "decimal: %s (given)\n", given == ',' ? "comma" : "point");
    else if (smr_csv_has_commas(r))
        smr_text_printf(notes, "decimal: comma%s\n",
                        r->opts.expects_comma ? ", as the model's table had" : "");
    else if (groups)
        smr_text_add(notes, "decimal: point, with commas between thousands\n");
    if (!given && commas && !r->opts.expects_comma) warn_found(r, commas, comma_name, true);
    if (!given && groups) warn_found(r, groups, group_name, false);
    if (apart)
        smr_warn(r->ctx,
                 "%s: other columns have decimal commas, but column '%s'%s decimal points; they "
                 "are read as decimals there, so correct the file if they separate thousands",
                 r->name, apart_name, apart == 1 ? " has" : " and others have");
    for (int64_t j = 0; j < r->n_fields; j++) {
        const column *c = &r->columns[j];
        if (!c->wanted) continue;
        if (c->kind == SMR_NUMBER && c->decimal == SMR_DECIMAL_COMMA) TRY(warn_grouped(r, c));
        if (is_unclear(c)) warn_unclear(r, c);
    }
out:
    return st;
}
