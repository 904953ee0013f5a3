/* entries.c -- sparse rows that grow: see data.h. */
#include "data/data.h"

smr_status smr_entries_begin(smr_ctx *ctx, smr_entries *e, int64_t rows)
{
    smr_status st = SMR_OK;
    e->n_rows = e->n = 0;
    if (!e->start || rows > e->row_room) {
        smr_free(e->start);
        e->start = NULL;
        TRY_NEW(e->start, rows + 1);
        e->row_room = rows;
    }
    e->start[0] = 0;
    if (!e->column)
        TRY(smr_entries_reserve(ctx, e, 1)); /* even no entries at all need an
                                                            address */
out:
    return st;
}

smr_status smr_entries_reserve(smr_ctx *ctx, smr_entries *e, int64_t more)
{
    /* One more than needed: an entry of 0 is written before it is known to be left out. */
    if (e->column && e->value && e->n + more < e->room) return SMR_OK;
    int64_t room = SMR_MAX(e->n + more + 1, e->room + e->room / 2);
    int32_t *column = smr_realloc(ctx, e->column, room, sizeof *column);
    if (column) e->column = column;
    double *value = column ? smr_realloc(ctx, e->value, room, sizeof *value) : NULL;
    if (!value) return SMR_ERR_NOMEM;
    e->value = value;
    e->room = room;
    return SMR_OK;
}

void smr_entries_release(smr_entries *e)
{
    smr_free(e->start);
    smr_free(e->column);
    smr_free(e->value);
    *e = (smr_entries){0};
}
