/* csv_levels.c -- the strings that the threads found, as one sorted list of levels.
 *
 * Each thread numbers the strings of a column as it meets them, so its codes depend on chance.  The
 * union of the dictionaries does not, nor does its order: sorted numerically where all levels are
 * numbers, else bytewise.  Codes are then rewritten piece by piece, by the map of the thread that
 * read the piece. */
#include "data/csv_private.h"

#include <math.h>
#include <string.h>

enum {
    AHEAD = 12,     /* strings, about as many as are fetched from memory at once */
    PAUSE = 1 << 16 /* strings between two looks at whether to stop              */
};

smr_status smr_csv_merge_dicts(smr_ctx *ctx, csv *r, int64_t j, int32_t **map, smr_dict *out)
{
    smr_status st = SMR_OK;
    for (int i = 0; i < r->n_lanes; i++) {
        smr_dict *d = &r->lanes[i].dicts[j];
        int64_t n_codes = d->strings.n;
        bool first = out->strings.n == 0; /* moves as a whole, its codes stay */
        if (map) TRY_NEW(map[i], n_codes);
        if (!first) TRY(smr_dict_reserve(ctx, out, n_codes));
        for (int64_t k = 0; k < n_codes; k++) {
            int64_t n;
            int32_t code = (int32_t)k;
            const char *text = smr_strings_get(&d->strings, SMR_MIN(k + AHEAD, n_codes - 1), &n);
            if (!first) smr_dict_expect(out, text, n);
            text = smr_strings_get(&d->strings, k, &n);
            if (!first) TRY(smr_dict_merge(ctx, out, &r->marks, text, n, &d->entries[k], &code));
            if (map) map[i][k] = code;
        }
        if (first) {
            smr_dict_release(out);
            *out = *d;
            *d = (smr_dict){0};
        }
        smr_dict_release(d);
    }
out:
    return st;
}

/* c->sorted = the strings in this order. */
static smr_status copy_sorted(smr_ctx *ctx, const smr_strings *from, const int64_t *order,
                              column *c)
{
    smr_status st = SMR_OK;
    int64_t at = 0;
    TRY_NEW(c->sorted.start, from->n + 1);
    c->sorted.bytes = smr_alloc_raw(ctx, from->n ? from->start[from->n] : 0, 1);
    if (!c->sorted.bytes) TRY(SMR_ERR_NOMEM);
    c->sorted.n = from->n;
    for (int64_t i = 0; i < from->n; i++) {
        int64_t n;
        const char *text = smr_strings_get(from, order[i], &n);
        if (i % PAUSE == 0) TRY(smr_tick(ctx, NULL, i, from->n, NAN));
        memcpy(c->sorted.bytes + at, text, (size_t)n);
        at += n;
        c->sorted.start[i + 1] = at;
    }
out:
    return st;
}

/* What the levels say about the column: a tally of its fields, and the first that is not UTF-8. */
static smr_status look_at_levels(smr_ctx *ctx, const csv *r, const smr_dict *d, column *c)
{
    smr_status st = SMR_OK;
    c->bad_row = -1;
    c->n_bad = 0;
    for (int64_t k = 0; k < d->strings.n; k++) {
        int64_t n, bad, row = d->entries[k].first_row;
        double value;
        bool has_time;
        const char *text = smr_strings_get(&d->strings, k, &n);
        if (k % PAUSE == 0) TRY(smr_tick(ctx, NULL, k, d->strings.n, NAN));
        bool good = smr_is_utf8(text, n, &bad);
        if (!good) c->n_bad += d->entries[k].count;
        if (!good && (c->bad_row < 0 || row < c->bad_row)) {
            c->bad_row = row;
            c->bad_level = k;
        }
        if (!c->forced)
            c->tally.fields.n[smr_field_read(&r->marks, c->decimal, text, n, &value, &has_time)] +=
                d->entries[k].count;
    }
out:
    return st;
}

static smr_status sort_column(smr_ctx *ctx, void *arg, int64_t j, int lane_number)
{
    smr_status st = SMR_OK;
    csv *r = arg;
    column *c = &r->columns[j];
    smr_dict all = {0};
    int64_t *order = NULL, *n_codes = NULL;
    int32_t *rank = NULL;
    (void)lane_number;
    if (r->hows[j] != HOW_STRINGS) return SMR_OK;
    TRY_NEW(c->recode, r->n_lanes);
    TRY_NEW(n_codes, r->n_lanes);
    for (int i = 0; i < r->n_lanes; i++) n_codes[i] = r->lanes[i].dicts[j].strings.n;
    TRY(smr_csv_merge_dicts(ctx, r, j, c->recode, &all));
    TRY(look_at_levels(ctx, r, &all, c));
    TRY_NEW(order, all.strings.n);
    TRY_NEW(rank, all.strings.n);
    TRY(smr_levels_order(ctx, &all.strings, order));
    for (int64_t k = 0; k < all.strings.n; k++) rank[order[k]] = (int32_t)k;
    if (c->bad_row >= 0) c->bad_level = rank[c->bad_level];
    for (int i = 0; i < r->n_lanes; i++)
        for (int64_t k = 0; k < n_codes[i]; k++) c->recode[i][k] = rank[c->recode[i][k]];
    TRY(copy_sorted(ctx, &all.strings, order, c));
out:
    smr_free(n_codes);
    smr_free(order);
    smr_free(rank);
    smr_dict_release(&all);
    return st;
}

smr_status smr_csv_sort_levels(csv *r)
{
    return smr_parallel(r->ctx, "sorting levels", r->n_fields, sort_column, r);
}

static smr_status recode_piece(smr_ctx *ctx, void *arg, int64_t task, int lane_number)
{
    csv *r = arg;
    const piece *p = &r->pieces[task];
    (void)ctx, (void)lane_number;
    for (int64_t j = 0; j < r->n_fields; j++) {
        const column *c = &r->columns[j];
        if (!c->recode) continue;
        const int32_t *map = c->recode[p->lane];
        int32_t *code = (int32_t *)c->values + p->first_row;
        for (int64_t i = 0; i < p->n_rows; i++)
            if (code[i] >= 0) code[i] = map[code[i]];
    }
    return SMR_OK;
}

static void free_maps(const csv *r, column *c)
{
    for (int i = 0; c->recode && i < r->n_lanes; i++) smr_free(c->recode[i]);
    smr_free(c->recode);
    c->recode = NULL;
}

smr_status smr_csv_recode(csv *r)
{
    smr_status st = smr_parallel(r->ctx, "sorting levels", r->n_pieces, recode_piece, r);
    if (st != SMR_OK) return st;
    for (int64_t j = 0; j < r->n_fields; j++) free_maps(r, &r->columns[j]);
    return SMR_OK;
}

void smr_csv_free_levels(csv *r, column *c)
{
    free_maps(r, c);
    smr_free(c->sorted.start);
    smr_free(c->sorted.bytes);
    c->sorted = (smr_strings){0};
}
