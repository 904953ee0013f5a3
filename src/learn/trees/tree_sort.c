/* tree_sort.c -- the rows of a node in the order of a feature's codes.
 *
 * A key is code << 32 | number of the row in the node.  Few keys are sorted by insertion, many by
 * counting digits of their codes, the lowest first: one pass for few codes, two for up to four
 * million.  At the root wide features come in the order that was made once. */
#include "learn/trees/tree_parts.h"

#include <string.h>

enum { FEW = 32, MANY = 1024 };

static void insert(uint64_t *key, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        uint64_t k = key[i];
        int64_t at = i;
        for (; at > 0 && key[at - 1] > k; at--) key[at] = key[at - 1];
        key[at] = k;
    }
}

static void by_digit(const uint64_t *from, uint64_t *to, int64_t n, int shift, int bits)
{
    uint32_t start[2048];
    uint64_t mask = (1u << bits) - 1;
    uint32_t at = 0;
    memset(start, 0, (mask + 1) * sizeof *start);
    for (int64_t i = 0; i < n; i++) start[from[i] >> shift & mask]++;
    for (uint64_t v = 0; v <= mask; v++) {
        uint32_t count = start[v];
        start[v] = at;
        at += count;
    }
    for (int64_t i = 0; i < n; i++) to[start[from[i] >> shift & mask]++] = from[i];
}

uint64_t *smr_tree_sort(uint64_t *key, uint64_t *spare, int64_t n, int64_t n_codes)
{
    if (n <= FEW) {
        insert(key, n);
        return key;
    }
    int bits = n < MANY ? 8 : 11, all = 1;
    while (n_codes >> all > 0) all++;
    if (all <= 11 && (1 << all) <= 512 + 2 * n) bits = all; /* one pass, of counts that pay */
    for (int shift = 32; shift < 64 && n_codes >> (shift - 32) > 0; shift += bits) {
        by_digit(key, spare, n, shift, bits);
        uint64_t *turn = key;
        key = spare;
        spare = turn;
    }
    return key;
}

uint64_t *smr_tree_keys(const smr_tree_plan *plan, const smr_tree_node_rows *rows, int64_t j,
                        smr_tree_scratch *s)
{
    const smr_tree_codes *codes = plan->codes;
    const uint32_t *wide = codes->wide[j];
    const uint8_t *cell = codes->narrow[j];
    if (rows->is_root && codes->order[j]) {
        const uint32_t *order = codes->order[j];
        for (int64_t i = 0; i < rows->n; i++) {
            uint32_t row = order[i] & SMR_TREE_ROW;
            s->key[i] = (uint64_t)wide[row] << 32 | row;
        }
        return s->key;
    }
    for (int64_t i = 0; i < rows->n && wide; i++)
        s->key[i] = (uint64_t)wide[rows->row[i]] << 32 | (uint64_t)i;
    for (int64_t i = 0; i < rows->n && !wide; i++)
        s->key[i] = (uint64_t)cell[rows->row[i]] << 32 | (uint64_t)i;
    return smr_tree_sort(s->key, s->spare, rows->n, codes->n_codes[j]);
}

void smr_tree_tally_keys(const smr_tree_plan *plan, const smr_tree_node_rows *rows,
                         const uint64_t *key, int64_t lo, int64_t hi, int64_t *out)
{
    const smr_tree_target *t = plan->target;
    int64_t q = t->n_outputs;
    memset(out, 0, (size_t)t->width * sizeof *out);
    for (int64_t e = lo; e < hi; e++) {
        int64_t i = (int64_t)(uint32_t)key[e];
        if (t->n_classes > 0) {
            out[rows->label[i]] += rows->w[i];
            continue;
        }
        out[0] += rows->w[i];
        for (int64_t k = 0; k < q; k++) out[1 + k] += rows->wy[i * q + k];
    }
}
