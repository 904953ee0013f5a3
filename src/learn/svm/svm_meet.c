/* svm_meet.c -- why a kernel machine has no hard margin; see svm_parts.h.
 *
 * The classes can be separated if and only if the hulls of phi(x) over either class do not meet.
 * With shares a >= 0 that sum to 1 in each class, p and q the means of phi over them,
 *
 *     |p - q|^2 = a'Qa                                                                          (1)
 *
 * is above the squared distance of the hulls for every a.  It is made smaller and smaller by the
 * dual's solver, without the bounds and the linear term, until it is nothing beside the rounding of
 * the kernel's values, or until the plane across p - q has all rows on their side: then there is a
 * margin.  Entries of K are floats: each is off by up to 2^-24 of itself, and (1), a sum of them
 * with weights of sum 4, by up to 2^-22 of the largest K(x, x). */
#include "core/text.h"
#include "learn/linear/scores.h"
#include "learn/svm/svm_parts.h"
#include "math/optimize/dual_kernel.h"

enum { SHOWN = 4 };
#define ROUNDING 0x1p-22
#define FIRST_TOL 1e-2 /* of the violation, over the largest K(x, x) */
#define LAST_TOL 1e-8
#define STEP_TOL 0.25

/* What stays of a share beside the largest: the others are on their way to 0. */
#define SHARE 1e-3

struct hulls {
    const smr_svm_machine *m;
    double *most, *zero, *a, *score;
    double largest; /* K(x, x) */
};

static smr_status open_hulls(smr_ctx *ctx, struct hulls *h)
{
    smr_status st = SMR_OK;
    int64_t n = h->m->rows->n;
    bool begun[2] = {false, false};
    TRY_NEW(h->most, 4 * n);
    h->zero = h->most + n;
    h->a = h->zero + n;
    h->score = h->a + n;
    TRY(h->m->rows->diagonal(ctx, h->m->rows, h->score));
    for (int64_t i = 0; i < n; i++) {
        bool plus = h->m->y[i] > 0;
        h->most[i] = !h->m->weight || h->m->weight[i] > 0 ? 1 : 0;
        if (h->most[i] > 0 && !begun[plus]) h->a[i] = 1;
        begun[plus] |= h->most[i] > 0;
        h->largest = smr_fmax(h->largest, fabs(h->score[i]));
    }
out:
    return st;
}

/* Does the plane across p - q have all rows of one class before those of the other? */
static bool divides(const struct hulls *h)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < h->m->rows->n; i++) {
        if (!(h->most[i] > 0)) continue;
        if (h->m->y[i] > 0)
            low = smr_fmin(low, h->score[i]);
        else
            high = smr_fmax(high, h->score[i]);
    }
    return low > high;
}

/* "a mixture of rows 2 and 3 of class 'a'": the most of those with this sign. */
static void say_rows(const struct hulls *h, double sign, const smr_svm_names *names, smr_text *text)
{
    int64_t n = 0, said = 0, class = -1;
    double top = 0;
    bool one = true; /* one against all others: these have no name */
    char name[64];
    for (int64_t i = 0; i < h->m->rows->n; i++) {
        if (h->m->y[i] != sign) continue;
        top = smr_fmax(top, h->a[i]);
        int32_t label = names->data->label[smr_svm_row(names, (int32_t)i)];
        one &= class < 0 || class == label;
        class = label;
    }
    for (int64_t i = 0; i < h->m->rows->n; i++) n += h->m->y[i] == sign && h->a[i] > SHARE * top;
    smr_text_add(text, n == 1 ? "row" : "a mixture of rows");
    for (int64_t i = 0; i < h->m->rows->n && said < SHOWN; i++) {
        if (!(h->m->y[i] == sign && h->a[i] > SHARE * top)) continue;
        smr_text_add(text, said == 0 ? " " : said == n - 1 ? " and " : ", ");
        smr_text_printf(text, "%lld", (long long)smr_svm_row_number(names, (int32_t)i));
        said++;
    }
    if (n > SHOWN) smr_text_printf(text, " and %lld more", (long long)(n - SHOWN));
    smr_class_name(names->data, class, name);
    smr_text_printf(text, " of %s%s", one ? "class " : "the other classes", one ? name : "");
}

static smr_status refuse(smr_ctx *ctx, const struct hulls *h, const smr_svm_names *names)
{
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    smr_text_add(&text, "svm: margin=hard, but not separable: to the kernel, ");
    say_rows(h, 1, names, &text);
    smr_text_add(&text, " is the same as ");
    say_rows(h, -1, names, &text);
    smr_text_add(&text, "; take margin=soft, or a kernel that bends more");
    TRY(smr_text_done(&text));
    TRY(smr_fail(ctx, SMR_ERR_DATA, "%s", text.bytes));
out:
    smr_text_release(&text);
    return st;
}

smr_status smr_svm_check_hulls(smr_ctx *ctx, const smr_svm_machine *m, const smr_svm_names *names)
{
    smr_status st = SMR_OK;
    struct hulls h = {.m = m};
    double steps = (double)m->max_iter * (double)m->rows->n;
    TRY(open_hulls(ctx, &h));
    smr_kernel_dual problem = {
        .rows = m->rows, .n = m->rows->n, .y = m->y, .p = h.zero, .most = h.most, .by_class = true};
    for (double tol = FIRST_TOL; tol >= LAST_TOL; tol *= STEP_TOL) {
        smr_kernel_dual_result result;
        smr_kernel_dual_opts opts = {.tol = tol * h.largest,
                                     .max_steps = steps < 0x1p62 ? (int64_t)steps : 0,
                                     .cache_bytes = m->cache,
                                     .is_warm = true,
                                     .score = h.score,
                                     .what = "svm"};
        TRY(smr_kernel_dual_solve(ctx, &problem, &opts, h.a, &result));
        if (result.square < -ROUNDING * h.largest) break; /* no kernel: there are no hulls */
        if (result.square <= ROUNDING * h.largest) TRY(refuse(ctx, &h, names));
        if (divides(&h) || !result.converged) break;
    }
out:
    smr_free(h.most);
    return st;
}
