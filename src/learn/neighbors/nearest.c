/* nearest.c -- see nearest.h.
 *
 * Invariant: every row offered so far that belongs to the K nearest of them is kept.  A row is
 * dropped only when K others have upper bounds below its lower bound, or when an exact comparison
 * has put K others before it. */
#include "learn/neighbors/nearest.h"

#include "kernel/kernel.h"

#include <math.h>

int64_t smr_near_size(int64_t K)
{
    int64_t room = 2 * K + 32;
    return room * (int64_t)sizeof(smr_near_row) + K * (int64_t)sizeof(double);
}

void smr_near_begin(smr_near_set *nearest, const smr_query *query, int64_t K, void *memory)
{
    *nearest = (smr_near_set){.query = *query,
                              .kernels = smr_near(),
                              .K = K,
                              .room = 2 * K + 32,
                              .bound = INFINITY,
                              .kept = memory,
                              .last.row = -1};
    nearest->top = (double *)(void *)(nearest->kept + nearest->room);
}

/* ---- the K smallest upper bounds ---- */

static void sift_down(double *heap, int64_t n, int64_t i)
{
    double moved = heap[i];
    for (int64_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && heap[child + 1] > heap[child]) child++;
        if (heap[child] <= moved) break;
        heap[i] = heap[child];
    }
    heap[i] = moved;
}

static void note_upper(smr_near_set *s, double up)
{
    if (s->n_top < s->K) {
        int64_t i = s->n_top++;
        for (; i > 0 && s->top[(i - 1) / 2] < up; i = (i - 1) / 2) s->top[i] = s->top[(i - 1) / 2];
        s->top[i] = up;
        if (s->n_top < s->K) return;
    } else if (up < s->top[0]) {
        s->top[0] = up;
        sift_down(s->top, s->K, 0);
    }
    if (s->top[0] < s->bound) s->bound = s->top[0];
}

static void drop_far(smr_near_set *s)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (s->kept[i].low <= s->bound) s->kept[n++] = s->kept[i];
    }
    s->n = n;
}

/* ---- sorting ---- */

typedef bool (*order_fn)(const smr_near_set *s, const smr_near_row *a, const smr_near_row *b);

static bool by_bound(const smr_near_set *s, const smr_near_row *a, const smr_near_row *b)
{
    (void)s;
    return a->low < b->low || (a->low == b->low && a->row < b->row);
}

static bool by_row(const smr_near_set *s, const smr_near_row *a, const smr_near_row *b)
{
    (void)s;
    return a->row < b->row;
}

/* Decided by the bounds where they do not overlap, else exactly. */
static bool by_truth(const smr_near_set *s, const smr_near_row *a, const smr_near_row *b)
{
    if (a->up < b->low) return true;
    if (b->up < a->low) return false;
    if (a->low == a->up && b->low == b->up && a->low == b->low) return a->row < b->row;
    return smr_query_before(&s->query, a->place, b->place);
}

/* Heapsort; insertion for short lists. */
static void sort(const smr_near_set *s, smr_near_row *x, int64_t n, order_fn before)
{
    if (n <= 24) {
        for (int64_t i = 1; i < n; i++) {
            smr_near_row moved = x[i];
            int64_t j = i;
            for (; j > 0 && before(s, &moved, &x[j - 1]); j--) x[j] = x[j - 1];
            x[j] = moved;
        }
        return;
    }
    for (int64_t start = n / 2, end = n; end > 1;) {
        smr_near_row moved;
        if (start > 0) {
            moved = x[--start];
        } else {
            moved = x[--end];
            x[end] = x[0];
        }
        int64_t i = start;
        for (int64_t child; (child = 2 * i + 1) < end; i = child) {
            if (child + 1 < end && before(s, &x[child], &x[child + 1])) child++;
            if (!before(s, &moved, &x[child])) break;
            x[i] = x[child];
        }
        x[i] = moved;
    }
}

/* ---- deciding ---- */

static void sharpen(smr_near_set *s)
{
    bool changed = false;
    for (int64_t i = 0; i < s->n; i++) {
        smr_near_row *r = &s->kept[i];
        if (r->sharp) continue;
        smr_query_bounds(&s->query, smr_query_distance(&s->query, r->place), &r->low, &r->up);
        r->sharp = 1;
        changed = true;
    }
    if (!changed) return;
    s->n_top = 0;
    for (int64_t i = 0; i < s->n; i++) note_upper(s, s->kept[i].up);
    drop_far(s);
}

/* Puts the K nearest first.  Only rows whose bounds overlap at the K-th place need the truth. */
static void choose(smr_near_set *s)
{
    int64_t K = s->K, begin = 0, end = K;
    if (s->n <= K) return;
    sort(s, s->kept, s->n, by_bound);
    double reach = s->kept[0].up; /* the largest upper bound of the run that begins at `begin` */
    for (int64_t i = 1; i < s->n; i++) {
        if (s->kept[i].low > reach) {
            if (i >= K) break;
            begin = i;
        }
        reach = smr_fmax(reach, s->kept[i].up);
        end = i + 1;
    }
    if (end > K) {
        sort(s, s->kept + begin, end - begin, by_truth);
        s->last = s->kept[K - 1];
    }
    s->n = K;
}

static bool is_out(const smr_near_set *s, double low)
{
    return low > s->bound || (s->ascending && low == s->bound && s->n_top == s->K);
}

/* After the row that was the K-th when that was last decided: out, though the bounds cannot tell. K
 * rows come before it, whatever was added since. */
static bool is_after_last(const smr_near_set *s, int64_t place, double low, double up)
{
    if (s->last.row < 0 || low > s->last.up || up < s->last.low) return false;
    if (low == up && s->last.low == s->last.up)
        return low == s->last.low && s->last.row < smr_points_number(s->query.points, place);
    return smr_query_before(&s->query, s->last.place, place);
}

/* The room is used up: drops what is out, by ever sharper means. */
static void make_room(smr_near_set *s)
{
    drop_far(s);
    if (s->n <= s->K + 16) return;
    sharpen(s);
    s->eager = true;
    if (s->n > s->K + 16) choose(s);
}

void smr_near_add(smr_near_set *s, int64_t place, double low, double up, bool sharp)
{
    if (is_out(s, low)) return;
    if (s->n == s->room) make_room(s);
    if (s->eager && !sharp) {
        smr_query_bounds(&s->query, smr_query_distance(&s->query, place), &low, &up);
        sharp = true;
    }
    if (is_out(s, low) || (sharp && is_after_last(s, place, low, up))) return;
    s->settled = false;
    s->kept[s->n++] = (smr_near_row){.low = low,
                                     .up = up,
                                     .row = (int32_t)smr_points_number(s->query.points, place),
                                     .place = (uint32_t)place & INT32_MAX,
                                     .sharp = sharp};
    note_upper(s, up);
}

bool smr_near_settle(smr_near_set *s)
{
    if (s->n < s->K) return false;
    if (!s->settled) smr_near_finish(s, true);
    s->settled = true;
    return true;
}

void smr_near_finish(smr_near_set *s, bool ordered)
{
    drop_far(s);
    if (s->n > s->K || ordered) sharpen(s);
    choose(s);
    sort(s, s->kept, s->n, ordered ? by_truth : by_row);
}

/* ---- groups ---- */

double smr_near_limit(const smr_near_set *s)
{
    const smr_points *p = s->query.points;
    if (p->metric == SMR_METRIC_MINKOWSKI) {
        /* c |x|_2 <= |x|_p,  c = 1 for p <= 2, else d^(1/p - 1/2) */
        double c2 = p->p > 2 ? smr_pow((double)p->width, 2 / p->p - 1) : 1;
        return s->bound * s->bound / c2 * (1 + 1e-9) + 1e-280;
    }
    double limit = s->bound * (1 + ((double)p->width + 8) * 0x1p-51);
    return p->metric == SMR_METRIC_CHEBYSHEV ? limit : limit + 1e-279; /* where squares vanish */
}

static unsigned group_distances(const smr_near_set *s, int64_t first, double limit, double *wide,
                                double *dist)
{
    const smr_near_kernels *kernels = s->kernels;
    const smr_points *p = s->query.points;
    const smr_layout *l = &p->layout;
    const double *q = s->query.q;
    smr_near_kind kind = p->length ? SMR_NEAR_DOT : smr_points_kind(p);
    const void *x = smr_layout_at(l, p->x, first);
    if (l->form == SMR_FORM_F64) return kernels->points_f64(kind, p->d, x, q, limit, dist);
    if (l->form == SMR_FORM_F32) return kernels->points_f32(kind, p->d, x, l->lane, q, limit, dist);
    if (!l->panels) return kernels->points_u8(kind, p->d, x, q, limit, dist);
    return kernels->points_f64(kind, p->d, smr_layout_group(l, p->x, first, wide), q, limit, dist);
}

void smr_near_add_group(smr_near_set *s, int64_t first, double limit, double *wide)
{
    const smr_points *p = s->query.points;
    double dist[SMR_NEAR_GROUP], low, up;
    unsigned mask = group_distances(s, first, limit, wide, dist);
    if (p->length) mask = 0xffff;
    mask &= (1U << SMR_MIN(p->n - first, SMR_NEAR_GROUP)) - 1;
    for (; mask; mask &= mask - 1) {
        int i = __builtin_ctz(mask);
        int64_t place = first + i;
        if (p->length) {
            smr_query_angle_bounds(&s->query, place, dist[i], &low, &up);
            smr_near_add(s, place, low, up, false);
            continue;
        }
        if (p->metric == SMR_METRIC_MINKOWSKI) dist[i] = smr_query_distance(&s->query, place);
        smr_query_bounds(&s->query, dist[i], &low, &up);
        smr_near_add(s, place, low, up, true);
    }
}
