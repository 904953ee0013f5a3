/* roles.c -- see roles.h. */
#include "learn/roles.h"

#include "core/sort.h"
#include "data/pick.h"
#include "data/vocab.h"
#include "learn/schema.h"

#include <math.h>
#include <string.h>

const char *smr_role_name(smr_role role)
{
    static const char *const names[SMR_ROLES] = {"sequence", "time", "user", "item"};
    return names[role];
}

bool smr_roles_any(const smr_role_column roles[SMR_ROLES])
{
    for (int r = 0; r < SMR_ROLES; r++)
        if (roles[r].name) return true;
    return false;
}

void smr_roles_release(smr_role_column roles[SMR_ROLES])
{
    for (int r = 0; r < SMR_ROLES; r++) {
        smr_free(roles[r].name);
        smr_strings_release(&roles[r].levels);
        roles[r] = (smr_role_column){0};
    }
}

smr_status smr_roles_copy(smr_ctx *ctx, const smr_role_column from[SMR_ROLES],
                          smr_role_column to[SMR_ROLES])
{
    smr_status st = SMR_OK;
    for (int r = 0; r < SMR_ROLES; r++) to[r] = (smr_role_column){0};
    for (int r = 0; r < SMR_ROLES; r++) {
        if (!from[r].name) continue;
        to[r].name = smr_strdup(ctx, from[r].name);
        if (!to[r].name) TRY(SMR_ERR_NOMEM);
        TRY(smr_strings_copy(ctx, &from[r].levels, NULL, &to[r].levels));
    }
out:
    if (st != SMR_OK) smr_roles_release(to);
    return st;
}

/* ---- taking columns --------------------------------------------------------------------- */

/* Codes of all rows of a column, which may hold strings or numbers, and what they mean. */
static smr_status code_column(smr_ctx *ctx, const smr_column *col, int64_t n, smr_strings *levels,
                              int32_t **codes)
{
    smr_status st = SMR_OK;
    if (col->kind == SMR_NUMBER || col->kind == SMR_DATE)
        return smr_codes_from_numbers(ctx, col, n, n, levels, codes);
    TRY_NEW(*codes, n);
    for (int64_t i = 0; i < n; i++) (*codes)[i] = smr_column_code(col, i);
    TRY(smr_strings_copy(ctx, &col->levels, NULL, levels));
out:
    return st;
}

static smr_status check_once(smr_ctx *ctx, const smr_role_column roles[SMR_ROLES], int r)
{
    for (int k = 0; k < r; k++)
        if (roles[k].name && strcmp(roles[k].name, roles[r].name) == 0)
            return smr_fail(ctx, SMR_ERR_PARAM, "column '%s' is named as %s and as %s",
                            roles[r].name, smr_role_name((smr_role)k), smr_role_name((smr_role)r));
    return SMR_OK;
}

smr_status smr_roles_infer(smr_ctx *ctx, const smr_table *table, const char *const names[SMR_ROLES],
                           smr_role_column out[SMR_ROLES])
{
    smr_status st = SMR_OK;
    int32_t *codes = NULL;
    for (int r = 0; r < SMR_ROLES; r++) out[r] = (smr_role_column){0};
    for (int r = 0; r < SMR_ROLES; r++) {
        int64_t j = 0;
        if (!names[r]) continue;
        TRY(smr_pick_column(ctx, table, names[r], &j));
        const smr_column *col = &table->cols[j];
        out[r].name = smr_strdup(ctx, col->name);
        if (!out[r].name) TRY(SMR_ERR_NOMEM);
        TRY(check_once(ctx, out, r));
        if (r == SMR_ROLE_TIME && col->kind != SMR_NUMBER && col->kind != SMR_DATE)
            TRY(smr_fail(ctx, SMR_ERR_DATA,
                         "the times in column '%s' are text; numbers and dates have an order",
                         col->name));
        if (r < SMR_ROLE_USER) continue;
        TRY(code_column(ctx, col, table->n_rows, &out[r].levels, &codes));
        smr_free(codes);
        codes = NULL;
    }
out:
    smr_free(codes);
    if (st != SMR_OK) smr_roles_release(out);
    return st;
}

/* ---- order ------------------------------------------------------------------------------ */

static smr_status find_column(smr_ctx *ctx, const smr_table *table, const smr_role_column *of,
                              smr_role role, const smr_column **out)
{
    int64_t j = smr_table_find(table, of->name);
    *out = j < 0 ? NULL : &table->cols[j];
    if (*out) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_STATE, "%s has no column '%s', which holds the model's %ss",
                    table->source ? table->source : "the table", of->name, smr_role_name(role));
}

/* What rows are sorted by. */
struct keys {
    const int32_t *sequence; /* by rows of the table */
    const double *time;      /* the same, or NULL    */
    const int64_t *rows;
};

static int by_sequence(const void *items, int64_t a, int64_t b)
{
    const struct keys *k = items;
    int64_t i = k->rows[a], j = k->rows[b];
    if (k->sequence[i] != k->sequence[j]) return k->sequence[i] < k->sequence[j] ? -1 : 1;
    if (!k->time || k->time[i] == k->time[j]) return 0;
    return k->time[i] < k->time[j] ? -1 : 1;
}

static smr_status missing(smr_ctx *ctx, const smr_column *col, smr_role role, int64_t row)
{
    return smr_fail(ctx, SMR_ERR_DATA, "the %s in column '%s', row %lld is missing",
                    smr_role_name(role), col->name, (long long)row + 1);
}

static smr_status read_times(smr_ctx *ctx, const smr_column *col, const smr_table *table,
                             double **out)
{
    smr_status st = SMR_OK;
    if (col->kind != SMR_NUMBER && col->kind != SMR_DATE)
        return smr_fail(ctx, SMR_ERR_DATA, "the times in column '%s' are text", col->name);
    TRY_NEW(*out, table->n_rows);
    for (int64_t i = 0; i < table->n_rows; i++) (*out)[i] = smr_column_number(col, i);
out:
    return st;
}

/* A sequence is read whole: rows of the table that belong to one of those asked for are among
 * them. */
static smr_status refuse_cut(smr_ctx *ctx, const smr_column *col, const smr_table *table,
                             const int32_t *sequence, int64_t n_sequences, const smr_ordered *o)
{
    smr_status st = SMR_OK;
    bool *wanted = NULL, *there = NULL;
    if (o->n == table->n_rows) return SMR_OK;
    TRY_NEW(wanted, n_sequences + 1);
    TRY_NEW(there, table->n_rows);
    for (int64_t i = 0; i < o->n; i++) there[o->rows[i]] = wanted[sequence[o->rows[i]]] = true;
    for (int64_t i = 0; i < table->n_rows; i++)
        if (!there[i] && sequence[i] >= 0 && wanted[sequence[i]])
            TRY(smr_fail(ctx, SMR_ERR_DATA,
                         "row %lld belongs to a sequence in column '%s' whose other rows are taken "
                         "without it; a sequence is read whole",
                         (long long)i + 1, col->name));
out:
    smr_free(wanted);
    smr_free(there);
    return st;
}

/* Sorts the rows and finds the borders; time: of the table's rows, or NULL. */
static smr_status sort_rows(smr_ctx *ctx, const smr_role_column *of, const smr_table *table,
                            const double *time, smr_ordered *o)
{
    smr_status st = SMR_OK;
    const smr_column *col = NULL;
    smr_strings levels = {0};
    int32_t *sequence = NULL;
    int64_t *asked = NULL, q = 0;
    TRY(find_column(ctx, table, of, SMR_ROLE_SEQUENCE, &col));
    TRY(code_column(ctx, col, table->n_rows, &levels, &sequence));
    TRY_NEW(asked, o->n + 1);
    TRY_NEW(o->border, o->n + 1);
    for (int64_t i = 0; i < o->n; i++) {
        asked[i] = o->rows[i];
        if (sequence[asked[i]] < 0) TRY(missing(ctx, col, SMR_ROLE_SEQUENCE, asked[i]));
    }
    TRY(refuse_cut(ctx, col, table, sequence, levels.n, o));
    struct keys keys = {sequence, time, asked};
    TRY(smr_argsort(ctx, o->n, by_sequence, &keys, o->place));
    for (int64_t i = 0; i < o->n; i++) {
        o->rows[i] = asked[o->place[i]];
        if (i && sequence[o->rows[i]] != sequence[o->rows[i - 1]]) o->border[++q] = i;
    }
    o->n_sequences = o->n ? q + 1 : 0;
    o->border[o->n_sequences] = o->n;
out:
    smr_free(sequence);
    smr_free(asked);
    smr_strings_release(&levels);
    return st;
}

/* Codes of the rows in the model's numbering. */
static smr_status code_role(smr_ctx *ctx, const smr_role_column *of, smr_role role,
                            const smr_table *table, const smr_ordered *o, int32_t **out)
{
    smr_status st = SMR_OK;
    const smr_column *col = NULL;
    smr_strings levels = {0};
    smr_vocab known = {0};
    int32_t *codes = NULL, *map = NULL;
    int64_t unknown = 0;
    TRY(find_column(ctx, table, of, role, &col));
    TRY(code_column(ctx, col, table->n_rows, &levels, &codes));
    TRY_NEW(map, levels.n + 1);
    TRY(smr_vocab_fill(ctx, &known, &of->levels));
    for (int64_t k = 0; k < levels.n; k++) {
        int64_t length;
        const char *name = smr_strings_get(&levels, k, &length);
        map[k] = smr_vocab_find(&known, name, length);
    }
    TRY_NEW(*out, o->n + 1);
    for (int64_t i = 0; i < o->n; i++) {
        int32_t code = codes[o->rows[i]];
        (*out)[i] = code < 0 ? -1 : map[code];
        unknown += (*out)[i] < 0;
    }
    if (unknown)
        smr_warn(ctx,
                 "%lld of %lld rows %s a missing %s in column '%s', or one that did not occur in "
                 "training",
                 (long long)unknown, (long long)o->n, smr_plural(unknown, "has", "have"),
                 smr_role_name(role), col->name);
out:
    smr_free(codes);
    smr_free(map);
    smr_vocab_release(&known);
    smr_strings_release(&levels);
    return st;
}

smr_status smr_roles_order(smr_ctx *ctx, const smr_role_column roles[SMR_ROLES],
                           const smr_table *table, const int64_t *rows, int64_t n, smr_ordered *out)
{
    smr_status st = SMR_OK;
    smr_ordered o = {.n = rows ? n : table->n_rows};
    const smr_column *col = NULL;
    double *time = NULL;
    TRY_NEW(o.rows, o.n + 1);
    TRY_NEW(o.place, o.n + 1);
    for (int64_t i = 0; i < o.n; i++) {
        o.rows[i] = rows ? rows[i] : i;
        o.place[i] = i;
    }
    if (roles[SMR_ROLE_TIME].name) {
        TRY(find_column(ctx, table, &roles[SMR_ROLE_TIME], SMR_ROLE_TIME, &col));
        TRY(read_times(ctx, col, table, &time));
        for (int64_t i = 0; roles[SMR_ROLE_SEQUENCE].name && i < o.n; i++)
            if (isnan(time[o.rows[i]])) TRY(missing(ctx, col, SMR_ROLE_TIME, o.rows[i]));
    }
    if (roles[SMR_ROLE_SEQUENCE].name)
        TRY(sort_rows(ctx, &roles[SMR_ROLE_SEQUENCE], table, time, &o));
    if (roles[SMR_ROLE_USER].name)
        TRY(code_role(ctx, &roles[SMR_ROLE_USER], SMR_ROLE_USER, table, &o, &o.user));
    if (roles[SMR_ROLE_ITEM].name)
        TRY(code_role(ctx, &roles[SMR_ROLE_ITEM], SMR_ROLE_ITEM, table, &o, &o.item));
    if (time) TRY_NEW(o.time, o.n + 1);
    for (int64_t i = 0; time && i < o.n; i++) o.time[i] = time[o.rows[i]];
    *out = o;
    o = (smr_ordered){0};
out:
    smr_free(time);
    smr_ordered_release(&o);
    return st;
}

void smr_ordered_release(smr_ordered *o)
{
    smr_free(o->rows);
    smr_free(o->place);
    smr_free(o->border);
    smr_free(o->user);
    smr_free(o->item);
    smr_free(o->time);
    *o = (smr_ordered){0};
}

void smr_ordered_apply(const smr_ordered *o, const smr_role_column roles[SMR_ROLES], smr_data *data)
{
    data->rows = o->rows;
    data->n_rows = o->n;
    data->border = o->border;
    data->n_sequences = o->n_sequences;
    data->roles = (smr_roles){o->user, o->item, o->time};
    data->n_users = roles[SMR_ROLE_USER].levels.n;
    data->n_items = roles[SMR_ROLE_ITEM].levels.n;
}
