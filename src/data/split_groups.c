/* split_groups.c -- see split_groups.h.
 *
 * Groups are placed one after another, large ones first, because small ones can still even out
 * what they leave: sizes are compared by their power of two only, and groups of one power come
 * in random order, so that another seed gives another split.  A group goes to the part p that
 * minimises the growth of
 *
 *     sum_p sum_c count_pc^2 / (f_p n_c)
 *
 * (f_p the part's share, n_c the rows of class c, one class without labels): least when every
 * part has its share of every class.  Equal growth goes to the emptier part.  Should a part of a
 * small share stay empty, it gets the smallest group of the part with the most groups. */
#include "data/split_groups.h"

#include "core/rng.h"

#include <inttypes.h>
#include <string.h>

/* ---- distinct groups ------------------------------------------------------------------ */

/* Merges the sorted runs [lo, mid) and [mid, hi) of `from` into `to`. */
static void merge(const int64_t *key, const int64_t *from, int64_t *to, int64_t lo, int64_t mid,
                  int64_t hi)
{
    int64_t a = lo, b = mid;
    for (int64_t r = lo; r < hi; r++)
        to[r] = b >= hi || (a < mid && key[from[a]] <= key[from[b]]) ? from[a++] : from[b++];
}

/* The rows by ascending key; stable.  Returns which of the two arrays holds them. */
static int64_t *sort_rows(int64_t n, const int64_t *key, int64_t *a, int64_t *b)
{
    for (int64_t i = 0; i < n; i++) a[i] = i;
    for (int64_t run = 1; run < n; run *= 2) {
        for (int64_t lo = 0; lo < n; lo += 2 * run)
            merge(key, a, b, lo, SMR_MIN(lo + run, n), SMR_MIN(lo + 2 * run, n));
        int64_t *t = a;
        a = b;
        b = t;
    }
    return a;
}

smr_status smr_number_groups(smr_ctx *ctx, int64_t n, const int64_t *group, int64_t *number,
                             int64_t *n_groups)
{
    smr_status st = SMR_OK;
    int64_t *a = NULL, *b = NULL;
    *n_groups = 0;
    TRY_NEW(a, n);
    TRY_NEW(b, n);
    const int64_t *order = sort_rows(n, group, a, b);
    for (int64_t r = 0; r < n; r++) {
        if (r == 0 || group[order[r]] != group[order[r - 1]]) ++*n_groups;
        number[order[r]] = *n_groups - 1;
    }
out:
    smr_free(b);
    smr_free(a);
    return st;
}

/* ---- assignment ----------------------------------------------------------------------- */

/* Rows of each group by class, and what each part holds so far. */
struct groups {
    int64_t n, n_classes, n_parts;
    int64_t *number; /* rows: which group              */
    int64_t *size;   /* n                              */
    int64_t *order;  /* n: the order of placing        */
    int64_t *part;   /* n: where it was placed         */
    int64_t *start;  /* n + 1: its entries in class_of and count */
    int32_t *class_of;
    int64_t *count;
    double *class_rows; /* n_classes                   */
    double *held;       /* n_parts x n_classes         */
    double *fill;       /* n_parts: rows               */
};

static void release(struct groups *g)
{
    smr_free(g->number);
    smr_free(g->size);
    smr_free(g->order);
    smr_free(g->part);
    smr_free(g->start);
    smr_free(g->class_of);
    smr_free(g->count);
    smr_free(g->class_rows);
    smr_free(g->held);
    smr_free(g->fill);
}

/* The rows sorted by (group, class) give each group's classes and counts as runs. */
static smr_status count_rows(smr_ctx *ctx, const smr_split_rows *of, struct groups *g)
{
    smr_status st = SMR_OK;
    int64_t *key = NULL, *a = NULL, *b = NULL, entries = 0;
    TRY_NEW(key, of->n);
    TRY_NEW(a, of->n);
    TRY_NEW(b, of->n);
    for (int64_t i = 0; i < of->n; i++) {
        int64_t c = of->label ? of->label[i] : 0;
        key[i] = g->number[i] * g->n_classes + c;
        g->size[g->number[i]]++;
        g->class_rows[c] += 1;
    }
    const int64_t *order = sort_rows(of->n, key, a, b);
    for (int64_t r = 0; r < of->n; r++) {
        int64_t k = key[order[r]];
        if (r == 0 || k != key[order[r - 1]]) {
            g->class_of[entries] = (int32_t)(k % g->n_classes);
            g->start[k / g->n_classes + 1] = ++entries;
        }
        g->count[entries - 1]++;
    }
out:
    smr_free(b);
    smr_free(a);
    smr_free(key);
    return st;
}

static int power_of(int64_t size)
{
    int power = 0;
    while (size >>= 1) power++;
    return power;
}

/* Random order, then stably by descending power of two of the size. */
static void order_groups(const smr_split_rows *of, struct groups *g, int64_t *scratch)
{
    int64_t next[65] = {0}; /* of power 63 - i */
    if (of->in_order)
        for (int64_t k = 0; k < g->n; k++) scratch[k] = k;
    else
        smr_random_permutation(of->seed, SMR_STREAM_SPLIT, (uint64_t)of->repetition, g->n, scratch);
    for (int64_t k = 0; k < g->n; k++) next[64 - power_of(g->size[k])]++;
    for (int i = 0; i < 64; i++) next[i + 1] += next[i];
    for (int64_t k = 0; k < g->n; k++)
        g->order[next[63 - power_of(g->size[scratch[k]])]++] = scratch[k];
}

/* Growth of the sum in the file's comment when group k joins part p. */
static double growth(const struct groups *g, int64_t k, int64_t p, double fraction)
{
    double sum = 0;
    const double *held = g->held + p * g->n_classes;
    for (int64_t e = g->start[k]; e < g->start[k + 1]; e++) {
        double c = (double)g->count[e], h = held[g->class_of[e]];
        sum += c * (2 * h + c) / g->class_rows[g->class_of[e]];
    }
    return sum / fraction;
}

static void place(struct groups *g, int64_t k, int64_t p, double sign)
{
    g->part[k] = p;
    g->fill[p] += sign * (double)g->size[k];
    for (int64_t e = g->start[k]; e < g->start[k + 1]; e++)
        g->held[p * g->n_classes + g->class_of[e]] += sign * (double)g->count[e];
}

static void place_all(struct groups *g, const double *fraction)
{
    double equal = 1 / (double)g->n_parts;
    for (int64_t r = 0; r < g->n; r++) {
        int64_t k = g->order[r], best = 0;
        double least = 0, fullness = 0;
        for (int64_t p = 0; p < g->n_parts; p++) {
            double f = fraction ? fraction[p] : equal, grows = growth(g, k, p, f);
            double full = g->fill[p] / f;
            if (p == 0 || grows < least || (grows == least && full < fullness)) {
                best = p;
                least = grows;
                fullness = full;
            }
        }
        place(g, k, best, 1);
    }
}

/* Gives each empty part the smallest group of the part with the most groups. */
static void mend_empty_parts(struct groups *g, int64_t *n_in)
{
    memset(n_in, 0, (size_t)g->n_parts * sizeof *n_in);
    for (int64_t k = 0; k < g->n; k++) n_in[g->part[k]]++;
    for (int64_t p = 0; p < g->n_parts; p++) {
        if (n_in[p] > 0) continue;
        int64_t from = 0, smallest = -1;
        for (int64_t q = 1; q < g->n_parts; q++)
            if (n_in[q] > n_in[from]) from = q;
        for (int64_t k = 0; k < g->n; k++)
            if (g->part[k] == from && (smallest < 0 || g->size[k] < g->size[smallest]))
                smallest = k;
        place(g, smallest, from, -1);
        place(g, smallest, p, 1);
        n_in[from]--;
        n_in[p]++;
    }
}

smr_status smr_assign_groups(smr_ctx *ctx, const smr_split_rows *of, const double *fraction,
                             int64_t n_parts, int64_t *part)
{
    smr_status st = SMR_OK;
    struct groups g = {.n_parts = n_parts, .n_classes = of->label ? of->n_classes : 1};
    int64_t *scratch = NULL;

    TRY_NEW(g.number, of->n);
    TRY(smr_number_groups(ctx, of->n, of->group, g.number, &g.n));
    if (n_parts > g.n) {
        st = smr_fail(ctx, SMR_ERR_DATA,
                      "%" PRId64 " parts cannot be made of %" PRId64
                      " groups; ask for at most as many parts as groups",
                      n_parts, g.n);
        goto out;
    }
    TRY_NEW(g.size, g.n);
    TRY_NEW(g.order, g.n);
    TRY_NEW(g.part, g.n);
    TRY_NEW(g.start, g.n + 1);
    TRY_NEW(g.class_of, of->n);
    TRY_NEW(g.count, of->n);
    TRY_NEW(g.class_rows, g.n_classes);
    TRY_NEW(g.held, n_parts * g.n_classes);
    TRY_NEW(g.fill, n_parts);
    TRY_NEW(scratch, SMR_MAX(g.n, n_parts));
    TRY(count_rows(ctx, of, &g));
    order_groups(of, &g, scratch);
    place_all(&g, fraction);
    mend_empty_parts(&g, scratch);
    for (int64_t i = 0; i < of->n; i++) part[i] = g.part[g.number[i]];
out:
    smr_free(scratch);
    release(&g);
    return st;
}
