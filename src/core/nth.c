/* nth.c -- see nth.h.
 *
 * A sample tells where most numbers lie; between its ends they are counted in buckets of equal
 * width.  Only what lies in a bucket with a wanted rank goes on, as integers of the same order
 * (sort.h), which are counted by the leading bits in which they differ, then by the next, until few
 * are left, which are sorted.  The sample decides how fast this is, not what comes of it. */
#include "core/nth.h"

#include "core/sort.h"

enum { BITS = 11, BUCKETS = 1 << BITS, FEW = 256, SAMPLE = 256, TAIL = 3, MANY = 16 * SAMPLE };

struct ranks {
    int64_t n;
    const int64_t *rank;
    double *out;
};

/* How many keys a bucket has, and where the next goes; those that nobody asks for, all to one
 * place. */
struct places {
    int64_t count[BUCKETS], to[BUCKETS];
    uint8_t step[BUCKETS];
};

/* Lays the buckets with wanted ranks out one after another; `below` keys are less than all. */
static void lay_out(const struct ranks *want, int64_t below, struct places *p)
{
    int64_t kept = 0, r = 0;
    for (int b = 0; b < BUCKETS; below += p->count[b++]) {
        int64_t first = r;
        while (r < want->n && want->rank[r] < below + p->count[b]) r++;
        p->step[b] = r > first;
        p->to[b] = kept;
        if (r > first) kept += p->count[b];
    }
    for (int b = 0; b < BUCKETS; b++)
        if (!p->step[b]) p->to[b] = kept;
}

static void select_keys(int64_t n, uint64_t *a, uint64_t *b, int64_t below,
                        const struct ranks *want);

/* Goes on in each bucket that was laid out in a; single: its keys are equal. */
static void go_on(const struct places *p, bool single, uint64_t *a, uint64_t *b, int64_t below,
                  const struct ranks *want)
{
    for (int64_t k = 0, r = 0; k < BUCKETS && r < want->n; below += p->count[k++]) {
        struct ranks its = {0, want->rank + r, want->out + r};
        int64_t n = p->count[k];
        if (!p->step[k]) continue;
        while (r + its.n < want->n && its.rank[its.n] < below + n) its.n++;
        for (int64_t i = 0; single && i < its.n; i++) its.out[i] = smr_sort_value(a[0]);
        if (!single) select_keys(n, a, b, below, &its);
        a += n;
        b += n;
        r += its.n;
    }
}

/* Ranks of n keys, of which `below` others are less than all; b: as many words. */
static void select_keys(int64_t n, uint64_t *a, uint64_t *b, int64_t below,
                        const struct ranks *want)
{
    struct places p;
    uint64_t differ = 0;
    int shift = 0;
    if (n <= FEW) {
        const uint64_t *sorted = smr_sort_keys(n, a, b);
        for (int64_t r = 0; r < want->n; r++)
            want->out[r] = smr_sort_value(sorted[want->rank[r] - below]);
        return;
    }
    for (int64_t i = 1; i < n; i++) differ |= a[i] ^ a[0];
    while (differ >> shift >> BITS) shift++;
    memset(p.count, 0, sizeof p.count);
    for (int64_t i = 0; i < n; i++) p.count[a[i] >> shift & (BUCKETS - 1)]++;
    lay_out(want, below, &p);
    for (int64_t i = 0; i < n; i++) {
        uint64_t bucket = a[i] >> shift & (BUCKETS - 1);
        b[p.to[bucket]] = a[i];
        p.to[bucket] += p.step[bucket];
    }
    go_on(&p, shift == 0, b, a, below, want);
}

/* ---- numbers ---------------------------------------------------------------------------- */

/* It ascends with x. */
static inline int64_t bucket_of(double x, double from, double scale)
{
    double at = (x - from) * scale;
    at = at > 0 ? at : 0;
    return (int64_t)(at < BUCKETS - 1 ? at : BUCKETS - 1);
}

/* Buckets of equal width between the ends of a sample; false: they would say nothing. */
static bool find_scale(int64_t n, const double *x, double *from, double *scale)
{
    uint64_t key[2 * SAMPLE];
    if (n < MANY) return false;
    for (int64_t i = 0; i < SAMPLE; i++) key[i] = smr_sort_key(x[i * (n / SAMPLE)]);
    const uint64_t *sorted = smr_sort_keys(SAMPLE, key, key + SAMPLE);
    *from = smr_sort_value(sorted[TAIL]);
    *scale = (BUCKETS - 1) / (smr_sort_value(sorted[SAMPLE - 1 - TAIL]) - *from);
    return *scale > 0 && isfinite(*scale) && isfinite(*from);
}

void smr_select_f64(int64_t n, const double *x, int64_t n_ranks, const int64_t *rank,
                    uint64_t *room, double *out)
{
    struct ranks want = {n_ranks, rank, out};
    struct places p;
    double from, scale;
    if (n <= 0 || n_ranks <= 0) return;
    if (!find_scale(n, x, &from, &scale)) {
        for (int64_t i = 0; i < n; i++) room[i] = smr_sort_key(x[i]);
        select_keys(n, room, room + n, 0, &want);
        return;
    }
    memset(p.count, 0, sizeof p.count);
    for (int64_t i = 0; i < n; i++) p.count[bucket_of(x[i], from, scale)]++;
    lay_out(&want, 0, &p);
    for (int64_t i = 0; i < n; i++) {
        int64_t bucket = bucket_of(x[i], from, scale);
        room[p.to[bucket]] = smr_sort_key(x[i]);
        p.to[bucket] += p.step[bucket];
    }
    go_on(&p, false, room, room + n, 0, &want);
}
