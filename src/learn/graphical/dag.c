/* dag.c -- order of the nodes, and cycles. */
#include "learn/graphical/dag.h"

bool smr_dag_has_edge(const smr_dag *dag, int64_t a, int64_t b)
{
    for (int64_t e = dag->start[b]; e < dag->start[b + 1]; e++)
        if (dag->parent[e] == a) return true;
    return false;
}

/* From a node that is not placed, parent by parent among those that are not: the walk comes back.
 * Leaves the cycle in walk[0..n), children last. */
static int64_t find_cycle(const smr_dag *dag, const bool *placed, int32_t *walk, int64_t *seen)
{
    int64_t at = 0, n = 0;
    while (placed[at]) at++;
    while (!seen[at]) {
        seen[at] = ++n;
        walk[n - 1] = (int32_t)at;
        for (int64_t e = dag->start[at]; e < dag->start[at + 1]; e++)
            if (!placed[dag->parent[e]]) {
                at = dag->parent[e];
                break;
            }
    }
    int64_t first = seen[at] - 1, m = n - first;
    for (int64_t k = 0; k < m; k++) walk[k] = walk[first + k];
    for (int64_t k = 0; k < m / 2; k++) {
        int32_t held = walk[k];
        walk[k] = walk[m - 1 - k];
        walk[m - 1 - k] = held;
    }
    return m;
}

/* The lowest node of a heap, which shrinks by it. */
static int32_t heap_pop(int32_t *heap, int64_t *n)
{
    int32_t least = heap[0], last = heap[--*n];
    int64_t at = 0;
    for (int64_t child; (child = 2 * at + 1) < *n; at = child) {
        if (child + 1 < *n && heap[child + 1] < heap[child]) child++;
        if (heap[child] >= last) break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return least;
}

static void heap_push(int32_t *heap, int64_t *n, int32_t node)
{
    int64_t at = (*n)++;
    for (; at > 0 && heap[(at - 1) / 2] > node; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = node;
}

smr_status smr_dag_order(smr_ctx *ctx, const smr_dag *dag, int32_t *order, int64_t *n_cycle)
{
    smr_status st = SMR_OK;
    int64_t n = dag->n, done = 0, n_heap = 0;
    int64_t *waits = NULL, *start = NULL;
    int32_t *child = NULL, *heap = NULL;
    bool *placed = NULL;
    *n_cycle = 0;
    TRY_NEW(waits, n);
    TRY_NEW(start, n + 2);
    TRY_NEW(child, dag->start[n]);
    TRY_NEW(heap, n);
    TRY_NEW(placed, n);
    for (int64_t e = 0; e < dag->start[n]; e++) start[dag->parent[e] + 2]++;
    for (int64_t i = 0; i < n; i++) start[i + 2] += start[i + 1];
    for (int64_t i = 0; i < n; i++) {
        waits[i] = smr_dag_n_parents(dag, i);
        if (waits[i] == 0) heap_push(heap, &n_heap, (int32_t)i);
        for (int64_t e = dag->start[i]; e < dag->start[i + 1]; e++)
            child[start[dag->parent[e] + 1]++] = (int32_t)i;
    }
    while (n_heap > 0) {
        int32_t i = order[done++] = heap_pop(heap, &n_heap);
        placed[i] = true;
        for (int64_t c = start[i]; c < start[i + 1]; c++)
            if (--waits[child[c]] == 0) heap_push(heap, &n_heap, child[c]);
    }
    if (done == n) goto out;
    for (int64_t i = 0; i < n; i++) waits[i] = 0;
    *n_cycle = find_cycle(dag, placed, order, waits);
out:
    smr_free(waits);
    smr_free(start);
    smr_free(child);
    smr_free(heap);
    smr_free(placed);
    return st;
}
