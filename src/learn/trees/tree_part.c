/* tree_part.c -- the rows of a subtree copied together.
 *
 * A node far from the root has few rows, spread over all of memory: each byte of a column then
 * costs a cache line.  A subtree's rows are copied once, by column and for the features that still
 * differ, and everything below works on the copy.  Cost: one pass; memory: that of the part, while
 * it is grown. */
#include "learn/trees/tree_sparse.h"

static smr_status copy_codes(smr_ctx *ctx, const smr_tree_codes *from, const int32_t *row,
                             int64_t n, const int32_t *active, int64_t n_active,
                             smr_tree_part *part)
{
    smr_status st = SMR_OK;
    smr_tree_codes *to = &part->codes;
    int64_t narrow = 0, wide = 0;
    uint8_t *bytes = NULL;
    uint32_t *words = NULL;
    *to = *from;
    to->n = n;
    if (from->sparse) {
        TRY(smr_tree_sparse_part(ctx, from, row, n, active, n_active, &part->sparse));
        to->sparse = part->sparse;
        return SMR_OK;
    }
    for (int64_t a = 0; a < n_active; a++) {
        narrow += from->wide[active[a]] == NULL;
        wide += from->wide[active[a]] != NULL;
    }
    TRY_NEW(to->narrow, from->d);
    part->blocks[0] = to->narrow;
    TRY_NEW(to->wide, from->d);
    part->blocks[1] = to->wide;
    TRY_NEW(to->order, from->d);
    part->blocks[2] = to->order;
    part->blocks[3] = bytes = smr_alloc_raw(ctx, narrow * n, sizeof *bytes);
    part->blocks[4] = words = smr_alloc_raw(ctx, wide * n, sizeof *words);
    if (!bytes || !words) TRY(SMR_ERR_NOMEM);
    for (int64_t a = 0; a < n_active; a++) {
        int64_t j = active[a];
        const uint8_t *code = from->narrow[j];
        if (code) {
            for (int64_t i = 0; i < n; i++) bytes[i] = code[row[i]];
            to->narrow[j] = bytes;
            bytes += n;
        } else {
            for (int64_t i = 0; i < n; i++) words[i] = from->wide[j][row[i]];
            to->wide[j] = words;
            words += n;
        }
    }
out:
    return st;
}

static smr_status copy_target(smr_ctx *ctx, const smr_tree_target *from, const int32_t *row,
                              int64_t n, smr_tree_part *part)
{
    smr_status st = SMR_OK;
    smr_tree_target *to = &part->target;
    int64_t q = from->n_outputs;
    int32_t *label = NULL;
    double *y = NULL;
    *to = *from;
    to->n = n;
    to->w = to->wy = NULL;
    TRY_NEW(to->w, n);
    part->blocks[5] = to->w;
    if (from->n_classes > 0) {
        TRY_NEW(label, n);
        part->blocks[6] = label;
    } else {
        TRY_NEW(to->wy, n * q);
        part->blocks[6] = to->wy;
        TRY_NEW(y, n * q);
        part->blocks[7] = y;
    }
    for (int64_t i = 0; i < n; i++) {
        to->w[i] = from->w[row[i]];
        if (label) label[i] = from->label[row[i]];
        for (int64_t k = 0; k < q; k++) {
            to->wy[i * q + k] = from->wy[row[i] * q + k];
            y[i * q + k] = from->y[row[i] * q + k];
        }
    }
    to->label = label;
    to->y = y;
out:
    return st;
}

smr_status smr_tree_part_make(smr_ctx *ctx, const smr_tree_plan *plan, const int32_t *row,
                              int64_t n, const int32_t *active, int64_t n_active,
                              smr_tree_part *out)
{
    smr_status st = SMR_OK;
    *out = (smr_tree_part){.plan = *plan};
    out->plan.codes = &out->codes;
    out->plan.target = &out->target;
    TRY(copy_codes(ctx, plan->codes, row, n, active, n_active, out));
    TRY(copy_target(ctx, plan->target, row, n, out));
out:
    if (st != SMR_OK) smr_tree_part_release(out);
    return st;
}

void smr_tree_part_release(smr_tree_part *part)
{
    smr_tree_sparse_free(part->sparse);
    part->sparse = NULL;
    for (int64_t b = 0; b < SMR_COUNT(part->blocks); b++) {
        smr_free(part->blocks[b]);
        part->blocks[b] = NULL;
    }
}
