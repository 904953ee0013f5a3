/* dual_kernel.c -- the rounds of dual_kernel.h: what violates, which variables go next, the end. */
#include "math/optimize/dual_kernel.h"

#include "core/parallel.h"
#include "kernel/smo_kernels.h"
#include "math/optimize/dual_kernel_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Variables of a round: this share of all, within these bounds.  A larger set takes fewer rounds,
 * and computes more of K between variables that then do not move. */
enum { SHARE = 8, LEAST_SET = 256 };
enum { STEPS = 20 }; /* pairs of a round, for each variable */
/* A round ends at this share of the violation that it began with, and not below this share of
 * tol. */
#define INNER 0.05
#define LAST 0.5

/* A variable and how much it violates. */
struct candidate {
    double key;
    int32_t t;
};

struct solver {
    const smr_kernel_dual *p;
    const smr_kernel_dual_opts *opts;
    smr_kernel_dual_result *out;
    double tol;
    double *a;                /* n                                             */
    double *F;                /* one for each point                            */
    double *v;                /* n                                             */
    double top[2], bottom[2]; /* m and M, by class                 */
    struct smr_row_cache cache;
    struct smr_small_dual small;
    float *block;
    int64_t size; /* variables of a round at most */
    int32_t *set; /* those of the last round, the newest last */
    int64_t n_set;
    uint8_t *in_set;        /* n                                   */
    struct candidate *best; /* SMR_KERNEL_SET                      */
    int32_t *point;         /* SMR_KERNEL_SET: of the set; n for sums over all */
    double *by;             /* how much y a of these has changed   */
    double largest;         /* K_ii                                */
    double drift;           /* a bound on the errors of F          */
};

static int32_t point_of(const smr_kernel_dual *p, int64_t t)
{
    return p->point ? p->point[t] : (int32_t)t;
}

static bool may_rise(const struct solver *s, int64_t t)
{
    return s->p->y[t] > 0 ? s->a[t] < s->p->most[t] : s->a[t] > 0;
}

static bool may_fall(const struct solver *s, int64_t t)
{
    return s->p->y[t] > 0 ? s->a[t] > 0 : s->a[t] < s->p->most[t];
}

/* ---- the conditions --------------------------------------------------------------------- */

static void look(struct solver *s)
{
    const smr_kernel_dual *p = s->p;
    for (int g = 0; g < 2; g++) {
        s->top[g] = -INFINITY;
        s->bottom[g] = INFINITY;
    }
    for (int64_t t = 0; t < p->n; t++) {
        int g = p->by_class && p->y[t] > 0;
        double v = -p->y[t] * p->p[t] - s->F[point_of(p, t)];
        s->v[t] = v;
        if (may_rise(s, t) && v > s->top[g]) s->top[g] = v;
        if (may_fall(s, t) && v < s->bottom[g]) s->bottom[g] = v;
    }
    s->out->violation = 0;
    for (int g = 0; g < 2; g++)
        s->out->violation = smr_fmax(s->out->violation, s->top[g] - s->bottom[g]);
}

/* ---- which variables -------------------------------------------------------------------- */

static bool is_worse(struct candidate a, struct candidate b)
{
    return a.key < b.key || (a.key == b.key && a.t > b.t);
}

/* The n best of all that are offered, in a heap whose root is the worst of them. */
static void offer(struct candidate *heap, int64_t *n, int64_t room, struct candidate new)
{
    int64_t at;
    if (*n < room) {
        for (at = (*n)++; at > 0 && is_worse(new, heap[(at - 1) / 2]); at = (at - 1) / 2)
            heap[at] = heap[(at - 1) / 2];
        heap[at] = new;
        return;
    }
    if (room == 0 || !is_worse(heap[0], new)) return;
    for (at = 0; 2 * at + 1 < *n;) {
        int64_t child = 2 * at + 1;
        if (child + 1 < *n && is_worse(heap[child + 1], heap[child])) child++;
        if (!is_worse(heap[child], new)) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = new;
}

/* Adds up to `room` variables that may go this way (1 up, -1 down) and violate most. */
static void add_most_violating(struct solver *s, int g, int sign, int64_t room)
{
    const smr_kernel_dual *p = s->p;
    int64_t n = 0;
    for (int64_t t = 0; t < p->n; t++) {
        if (s->in_set[t] || (p->by_class && (p->y[t] > 0) != g)) continue;
        if (sign > 0 ? !(may_rise(s, t) && s->v[t] > s->bottom[g])
                     : !(may_fall(s, t) && s->v[t] < s->top[g]))
            continue;
        offer(s->best, &n, room, (struct candidate){sign * s->v[t], (int32_t)t});
    }
    for (int64_t k = 0; k < n; k++) {
        s->set[s->n_set++] = s->best[k].t;
        s->in_set[s->best[k].t] = 1;
    }
}

/* Those that came in last stay, up to half of the set: they have just moved, and what comes in
 * moves them again. */
static void choose_set(struct solver *s)
{
    int64_t kept = SMR_MIN(s->n_set, s->size / 2), groups = 1 + s->p->by_class;
    int64_t room = (s->size - kept) / (2 * groups);
    for (int64_t k = 0; k < s->n_set - kept; k++) s->in_set[s->set[k]] = 0;
    memmove(s->set, s->set + (s->n_set - kept), (size_t)kept * sizeof *s->set);
    s->n_set = kept;
    for (int g = 0; g < groups; g++)
        for (int sign = 1; sign >= -1; sign -= 2) add_most_violating(s, g, sign, room);
}

/* ---- a round ---------------------------------------------------------------------------- */

/* F += sum by K of n rows, and what rounding may have done to it. */
static smr_status add_rows(smr_ctx *ctx, struct solver *s, const int32_t *point, const double *by,
                           int64_t n)
{
    double moved = 0, reach = 0;
    for (int64_t k = 0; k < n; k++) moved += fabs(by[k]);
    for (int64_t i = 0; i < s->p->rows->n; i++) reach = smr_fmax(reach, fabs(s->F[i]));
    s->drift += DBL_EPSILON * (double)n * (reach + moved * s->largest);
    return smr_row_cache_add(ctx, &s->cache, point, by, n, s->F);
}

/* Solves over the set, and takes what has changed into F. */
static smr_status move_set(smr_ctx *ctx, struct solver *s)
{
    smr_status st = SMR_OK;
    struct smr_small_dual *small = &s->small;
    const smr_kernel_dual *p = s->p;
    int64_t n = 0;
    double tol = smr_fmax(LAST * s->tol, INNER * s->out->violation);
    small->n = s->n_set;
    small->padded = smr_block_count(s->n_set, SMR_SMO_PAD) * SMR_SMO_PAD;
    small->block = s->block;
    small->most_steps = STEPS * s->n_set;
    for (int64_t k = 0; k < s->n_set; k++) {
        int32_t t = s->set[k];
        s->point[k] = point_of(p, t);
        small->a[k] = s->a[t];
        small->y[k] = p->y[t];
        small->most[k] = p->most[t];
        small->v[k] = s->v[t];
    }
    TRY(smr_row_cache_block(ctx, &s->cache, s->point, s->n_set, s->block, small->padded));
    smr_small_dual_solve(small, tol);
    s->out->steps += small->steps;
    if (small->is_unbounded) {
        s->out->is_unbounded = true;
        for (int k = 0; k < 2; k++) s->out->pair[k] = s->set[small->pair[k]];
    }
    for (int64_t k = 0; k < s->n_set; k++) {
        int32_t t = s->set[k];
        double change = small->a[k] - s->a[t];
        if (change == 0) continue;
        s->a[t] = small->a[k];
        s->point[n] = point_of(p, t);
        s->by[n++] = p->y[t] * change;
    }
    TRY(add_rows(ctx, s, s->point, s->by, n));
out:
    return st;
}

/* ---- the beginning and the end ---------------------------------------------------------- */

/* F from a alone. */
static smr_status renew(smr_ctx *ctx, struct solver *s)
{
    smr_status st = SMR_OK;
    const smr_kernel_dual *p = s->p;
    int64_t n = 0;
    int32_t *point = NULL;
    double *by = NULL;
    TRY_NEW(point, p->n);
    TRY_NEW(by, p->n);
    for (int64_t t = 0; t < p->n; t++) {
        if (s->a[t] == 0) continue;
        point[n] = point_of(p, t);
        by[n++] = p->y[t] * s->a[t];
    }
    memset(s->F, 0, (size_t)p->rows->n * sizeof *s->F);
    s->drift = 0;
    for (int64_t r = 0; r < n; r += SMR_KERNEL_SET) {
        TRY(smr_tick(ctx, s->opts->what, r, n, s->out->violation));
        TRY(add_rows(ctx, s, point + r, by + r, SMR_MIN(SMR_KERNEL_SET, n - r)));
    }
out:
    smr_free(point);
    smr_free(by);
    return st;
}

static void conclude(struct solver *s)
{
    const smr_kernel_dual *p = s->p;
    smr_kernel_dual_result *out = s->out;
    double sum[2] = {0, 0}, n_free[2] = {0, 0}, linear = 0;
    for (int64_t t = 0; t < p->n; t++) {
        int g = p->by_class && p->y[t] > 0;
        bool bounded = s->a[t] >= p->most[t];
        out->square += p->y[t] * s->a[t] * s->F[point_of(p, t)];
        linear += p->p[t] * s->a[t];
        if (!(s->a[t] > 0)) continue;
        out->n_support++;
        out->n_bounded += bounded;
        if (bounded) continue;
        sum[g] += s->v[t];
        n_free[g]++;
    }
    for (int g = 0; g < 2; g++)
        out->b[g] = n_free[g] > 0                             ? sum[g] / n_free[g]
                    : isinf(s->top[g]) && isinf(s->bottom[g]) ? 0
                    : isinf(s->top[g])                        ? s->bottom[g]
                    : isinf(s->bottom[g])                     ? s->top[g]
                                                              : 0.5 * (s->top[g] + s->bottom[g]);
    if (!p->by_class) out->b[1] = out->b[0];
    out->objective = 0.5 * out->square + linear;
    out->gap = 0;
    for (int64_t t = 0; t < p->n; t++) {
        double slope = p->y[t] * (out->b[p->y[t] > 0] - s->v[t]), room = p->most[t] - s->a[t];
        if (slope > 0) out->gap += s->a[t] * slope;
        if (slope < 0 && room > 0) out->gap -= room * slope;
    }
}

static smr_status make_room(smr_ctx *ctx, struct solver *s)
{
    smr_status st = SMR_OK;
    const smr_kernel_dual *p = s->p;
    s->size = SMR_MAX(LEAST_SET, SMR_MIN(SMR_KERNEL_SET, p->n / SHARE / 8 * 8));
    TRY_NEW(s->F, p->rows->n);
    TRY_NEW(s->v, p->n);
    TRY_NEW(s->in_set, p->n);
    TRY_NEW(s->set, SMR_KERNEL_SET);
    TRY_NEW(s->best, SMR_KERNEL_SET);
    TRY_NEW(s->point, SMR_KERNEL_SET);
    TRY_NEW(s->by, SMR_KERNEL_SET);
    TRY_NEW(s->block, SMR_KERNEL_SET * SMR_KERNEL_SET);
    TRY(smr_small_dual_open(ctx, p->by_class, &s->small));
    TRY(smr_row_cache_open(ctx, p->rows, s->opts->cache_bytes, &s->cache));
    TRY(p->rows->diagonal(ctx, p->rows, s->F));
    for (int64_t i = 0; i < p->rows->n; i++) s->largest = smr_fmax(s->largest, fabs(s->F[i]));
    memset(s->F, 0, (size_t)p->rows->n * sizeof *s->F);
out:
    return st;
}

static smr_status run(smr_ctx *ctx, struct solver *s)
{
    smr_status st = SMR_OK;
    smr_kernel_dual_result *out = s->out;
    const char *what = s->opts->what ? s->opts->what : "kernel machine";
    int64_t most = s->opts->max_steps;
    if (s->opts->is_warm) TRY(renew(ctx, s));
    for (;; out->rounds++) {
        look(s);
        TRY(smr_tick(ctx, what, out->steps, most, out->violation));
        if (!(out->violation > s->tol)) {
            if (!(s->drift > 0.01 * s->tol)) break;
            TRY(renew(ctx, s));
            look(s);
            if (!(out->violation > s->tol)) break;
        }
        if (out->is_unbounded || (most > 0 && out->steps >= most)) break;
        choose_set(s);
        TRY(move_set(ctx, s));
    }
    out->converged = !(out->violation > s->tol) && !out->is_unbounded;
    out->n_entries = s->cache.n_entries;
    conclude(s);
    if (s->opts->score) memcpy(s->opts->score, s->F, (size_t)s->p->rows->n * sizeof *s->F);
out:
    return st;
}

smr_status smr_kernel_dual_solve(smr_ctx *ctx, const smr_kernel_dual *problem,
                                 const smr_kernel_dual_opts *opts, double *a,
                                 smr_kernel_dual_result *out)
{
    smr_status st = SMR_OK;
    struct solver s = {.p = problem, .opts = opts, .out = out, .a = a};
    *out = (smr_kernel_dual_result){0};
    s.tol = opts->tol > 0 ? opts->tol : 1e-3;
    TRY(make_room(ctx, &s));
    TRY(run(ctx, &s));
out:
    smr_row_cache_close(&s.cache);
    smr_small_dual_close(&s.small);
    smr_free(s.F);
    smr_free(s.v);
    smr_free(s.in_set);
    smr_free(s.set);
    smr_free(s.best);
    smr_free(s.point);
    smr_free(s.by);
    smr_free(s.block);
    return st;
}
