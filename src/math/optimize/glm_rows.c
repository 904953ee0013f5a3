/* glm_rows.c -- sparse rows for glm_columns.c, and the columns that it asks for.
 *
 * Of most columns, which stay at 0, only x_j's is asked for.  The rows give that as they lie: parts
 * of them add to sums of their own, which are added up in their order.  Columns that may move are
 * copied out of the rows when they first do, some at a time; so no copy is made of most columns and
 * many of the entries.  How many entries each part of the rows has of each column is counted once:
 * it says where the parts' entries of a new column go.
 *
 * Cost: a multiply-add per entry for x_j's, a look at each entry's column number for each copy;
 * memory a copy of the entries of the columns that move, 3 parts d / 2 numbers. */
#include "core/parallel.h"
#include "math/optimize/glm_parts.h"

#include <string.h>

/* Parts of the rows: so many that sums of their own cost little against the entries. */
enum { MOST_PARTS = 16, ENTRIES_PER_SUM = 7 };
/* Columns with a slope above this share of l1 are near to moving. */
#define NEAR 0.9

struct smr_glm_chunk {
    struct smr_glm_chunk *next;
    int32_t *row;
    double *value;
};

static int64_t row_at(const smr_glm *m, int64_t i)
{
    return m->rows ? m->rows[i] : i;
}

static int64_t part_begin(const struct smr_glm_work *t, int64_t part)
{
    return t->n * part / t->picked.n_parts;
}

smr_status smr_glm_rows_open(smr_ctx *ctx, struct smr_glm_work *t)
{
    smr_status st = SMR_OK;
    const smr_csr *s = t->m->sparse;
    struct smr_glm_picked *c = &t->picked;
    int64_t d = s->n_cols, entries = 0;
    for (int64_t i = 0; i < t->m->n_rows; i++)
        entries += s->start[row_at(t->m, i) + 1] - s->start[row_at(t->m, i)];
    t->n = t->m->n_rows;
    t->d = d;
    c->n_parts = SMR_MIN(MOST_PARTS, entries / (ENTRIES_PER_SUM * SMR_MAX(d, 1)));
    c->n_parts = SMR_MAX(c->n_parts, 1);
    TRY_NEW(c->sums, c->n_parts * d);
    TRY_NEW(c->count, c->n_parts * d);
    TRY_NEW(c->place, d);
    for (int64_t j = 0; j < d; j++) c->place[j] = -1;
out:
    return st;
}

void smr_glm_rows_close(struct smr_glm_work *t)
{
    struct smr_glm_picked *c = &t->picked;
    while (c->chunks) {
        struct smr_glm_chunk *chunk = c->chunks;
        c->chunks = chunk->next;
        smr_free(chunk->value);
        smr_free(chunk);
    }
    smr_free(c->at);
    smr_free(c->column);
    smr_free(c->place);
    smr_free(c->count);
    smr_free(c->sums);
}

/* ---- sums over all rows ----------------------------------------------------------------- */

/* Columns of a row are distinct. */
static void count_entries(int64_t n, const int32_t *column, int32_t *count)
{
    int64_t e = 0;
    for (; e + 4 <= n; e += 4) {
        int32_t *a = &count[column[e]], *b = &count[column[e + 1]];
        int32_t *c = &count[column[e + 2]], *d = &count[column[e + 3]];
        int32_t of_a = *a + 1, of_b = *b + 1, of_c = *c + 1, of_d = *d + 1;
        *a = of_a;
        *b = of_b;
        *c = of_c;
        *d = of_d;
    }
    for (; e < n; e++) count[column[e]]++;
}

static smr_status add_part(smr_ctx *ctx, void *arg, int64_t part, int lane)
{
    struct smr_glm_work *t = arg;
    const smr_csr *s = t->m->sparse;
    double *sum = t->picked.sums + part * t->d;
    int32_t *count = t->picked.count + part * t->d;
    bool is_counted = t->picked.is_counted;
    (void)ctx, (void)lane;
    memset(sum, 0, (size_t)t->d * sizeof *sum);
    for (int64_t i = part_begin(t, part); i < part_begin(t, part + 1); i++) {
        int64_t r = row_at(t->m, i), lo = s->start[r], n = s->start[r + 1] - lo;
        smr_sparse_add(n, s->column + lo, s->value + lo, t->s[i], sum);
        if (!is_counted) count_entries(n, s->column + lo, count);
    }
    return SMR_OK;
}

/* Columns of a task when the parts are added up. */
enum { BLOCK = 4096 };

static smr_status add_up_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct smr_glm_work *t = arg;
    int64_t lo = task * BLOCK, n = smr_block_end(t->d, BLOCK, task) - lo;
    (void)ctx, (void)lane;
    memcpy(t->g + lo, t->picked.sums + lo, (size_t)n * sizeof *t->g);
    for (int64_t p = 1; p < t->picked.n_parts; p++)
        smr_axpy_f64(n, 1, t->picked.sums + p * t->d + lo, t->g + lo);
    return SMR_OK;
}

smr_status smr_glm_slopes(smr_ctx *ctx, struct smr_glm_work *t)
{
    smr_status st = SMR_OK;
    if (!t->m->sparse) return smr_columns_products(ctx, t->m->X, t->s, NULL, t->g);
    TRY(smr_parallel(ctx, NULL, t->picked.n_parts, add_part, t));
    TRY(smr_parallel(ctx, NULL, smr_block_count(t->d, BLOCK), add_up_block, t));
    t->picked.is_counted = true;
out:
    return st;
}

void smr_glm_scores(struct smr_glm_work *t, const double *b, double *z)
{
    const smr_csr *s = t->m->sparse;
    bool is_zero = true;
    for (int64_t j = 0; j < t->d; j++) {
        is_zero = is_zero && b[j] == 0;
        if (!s && b[j] != 0) smr_column_add(t->m->X, j, b[j], z);
    }
    for (int64_t i = 0; s && !is_zero && i < t->n; i++) {
        int64_t r = row_at(t->m, i), lo = s->start[r];
        z[i] += smr_sparse_dot(s->start[r + 1] - lo, s->column + lo, s->value + lo, b);
    }
}

/* ---- columns ---------------------------------------------------------------------------- */

/* Entries of a row that are looked at before the new ones among them are copied: which these are
 * cannot be foretold, and a jump for each would cost more than to write them all down. */
enum { LOOK = 256 };

/* Entries of the new columns go where at[part][new column] says. */
static smr_status copy_part(smr_ctx *ctx, void *arg, int64_t part, int lane)
{
    struct smr_glm_work *t = arg;
    const smr_csr *s = t->m->sparse;
    const struct smr_glm_picked *c = &t->picked;
    const int32_t *place = c->place;
    int32_t *row = c->chunks->row, first = (int32_t)c->first_new, found[LOOK];
    double *value = c->chunks->value;
    int64_t *at = c->at + part * (c->n - c->first_new);
    (void)ctx, (void)lane;
    for (int64_t i = part_begin(t, part); i < part_begin(t, part + 1); i++) {
        int64_t r = row_at(t->m, i), end = s->start[r + 1];
        for (int64_t lo = s->start[r]; lo < end; lo += LOOK) {
            int32_t n = (int32_t)SMR_MIN(LOOK, end - lo), n_found = 0;
            for (int32_t e = 0; e < n; e++) {
                found[n_found] = e;
                n_found += place[s->column[lo + e]] >= first;
            }
            for (int32_t f = 0; f < n_found; f++) {
                int64_t e = lo + found[f], to = at[place[s->column[e]] - first]++;
                row[to] = (int32_t)i;
                value[to] = s->value[e];
            }
        }
    }
    return SMR_OK;
}

/* Numbers the new columns. */
static void number(struct smr_glm_work *t, bool ahead)
{
    struct smr_glm_picked *c = &t->picked;
    c->first_new = c->n;
    for (int64_t a = 0; a < t->k; a++)
        if (c->place[t->index[a]] < 0) c->place[t->index[a]] = (int32_t)c->n++;
    for (int64_t j = 0; j < t->d && ahead && c->n > c->first_new; j++)
        if (c->place[j] < 0 && fabs(t->g[j]) > NEAR * t->l1[j]) c->place[j] = (int32_t)c->n++;
}

/* The chunk for their entries. */
static smr_status make_room(smr_ctx *ctx, struct smr_glm_work *t)
{
    smr_status st = SMR_OK;
    struct smr_glm_picked *c = &t->picked;
    struct smr_glm_chunk *chunk = NULL;
    int64_t entries = 0;
    for (int64_t j = 0; j < t->d; j++)
        for (int64_t p = 0; p < c->n_parts && c->place[j] >= c->first_new; p++)
            entries += c->count[p * t->d + j];
    TRY_NEW(chunk, 1);
    chunk->next = c->chunks;
    c->chunks = chunk;
    /* one block: large ones have large pages */
    chunk->value = smr_alloc_raw(ctx, entries, sizeof *chunk->value + sizeof *chunk->row);
    TRY(chunk->value ? SMR_OK : SMR_ERR_NOMEM);
    chunk->row = (int32_t *)(void *)(chunk->value + entries);
    struct smr_glm_column *column = smr_realloc(ctx, c->column, c->n, sizeof *column);
    TRY(column ? SMR_OK : SMR_ERR_NOMEM);
    c->column = column;
    smr_free(c->at);
    TRY_NEW(c->at, c->n_parts * (c->n - c->first_new));
out:
    return st;
}

smr_status smr_glm_pick(smr_ctx *ctx, struct smr_glm_work *t, bool ahead)
{
    smr_status st = SMR_OK;
    struct smr_glm_picked *c = &t->picked;
    int64_t sum = 0;
    if (!t->m->sparse) return SMR_OK;
    number(t, ahead);
    if (c->n == c->first_new) return SMR_OK;
    TRY(make_room(ctx, t));
    for (int64_t j = 0; j < t->d; j++) {
        int64_t b = c->place[j] - c->first_new, n = sum;
        if (b < 0) continue;
        c->column[c->place[j]] =
            (struct smr_glm_column){0, c->chunks->row + sum, c->chunks->value + sum};
        for (int64_t p = 0; p < c->n_parts; p++) {
            c->at[p * (c->n - c->first_new) + b] = sum;
            sum += c->count[p * t->d + j];
        }
        c->column[c->place[j]].n = sum - n;
    }
    TRY(smr_parallel(ctx, NULL, c->n_parts, copy_part, t));
out:
    return st;
}
