/* ranks.c -- where a value stands among the training rows, in place of the value.
 *
 *     u(x) = (weight of the rows below x + half the weight of the rows at x) / weight of all (1)
 *     z = u, or with to=normal the number below which a standard normal variable lies with
 *         probability u
 *
 * at each value x of the training rows, linearly between neighbours; below the least and above the
 * greatest value z stays what it is there.  u lies strictly between 0 and 1 (Hazen's positions), so
 * that z is finite.  Of a column with more than `knots` different values, those are kept that stand
 * nearest to evenly spaced shares of the weight, and the ends.  What is kept ascends strictly in
 * both, so that the inverse reads it the other way; what lay outside the training rows comes back
 * as the nearest end.  Cost: a sort of each column; a bisection per value, in steps that no jump
 * decides.
 *
 * Symbols: x a value of a feature, z what becomes of it, knots the pairs (x, z) that are kept. */
#include "core/sort.h"
#include "math/special.h"
#include "transform/each.h"

#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

struct ranks_params {
    int to;
    int64_t knots;
    char *column;
};

enum { TO_UNIFORM, TO_NORMAL };

static const smr_choice to[] = {
    {"uniform", "the share of the training rows below, between 0 and 1"},
    {"normal", "the value of a standard normal variable with that share below it"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct ranks_params, to), .choices = to, .primary = true,
     .search = SMR_SEARCH_VALUES,
     .doc = "The distribution that the training rows have afterwards."},
    {SMR_FIELD(struct ranks_params, knots), .def = 1000, .min = 2, .max = 1e6,
     .doc =
         "Maximum number of values kept per column; ranks are interpolated linearly between them."},
    {SMR_FIELD(struct ranks_params, column),
     .doc = "Columns to change, several in quotes separated by commas; default: all numbers."},
};

/* ---- state ------------------------------------------------------------------------------ */

struct ranks_state {
    int64_t n_features;
    uint8_t *changed;
    int64_t n_starts; /* n_features + 1 */
    int64_t *start;   /* the knots of feature j are start[j] .. start[j + 1] - 1 */
    int64_t n_knots;
    double *x, *z; /* n_knots each */
};

static const smr_state state[] = {
    {SMR_KEPT(struct ranks_state, n_features), .is = "features", .min = 1, .doc = "Features."},
    {SMR_KEPT(struct ranks_state, n_starts), .is = "n_features + 1", .min = 2,
     .doc = "n_features + 1."},
    {SMR_KEPT(struct ranks_state, n_knots), .min = 0, .doc = "Knots of all features together."},
    {SMR_KEPT(struct ranks_state, changed), .max = 1, .dims = {"n_features"},
     .doc = "1 where ranks take the place of values, else 0."},
    {SMR_KEPT(struct ranks_state, start), .below = "n_knots", .order = SMR_ORDER_STARTS,
     .dims = {"n_starts"}, .doc = "Where the knots of a feature begin."},
    {SMR_KEPT(struct ranks_state, x), .dims = {"n_knots"},
     .doc = "Values of the training rows, ascending in a feature."},
    {SMR_KEPT(struct ranks_state, z), .dims = {"n_knots"}, .doc = "What becomes of them."},
};

/* ---- fit -------------------------------------------------------------------------------- */

struct curve {
    int64_t n;
    double *x, *z; /* n each, owned */
};

struct fitting {
    const struct ranks_params *p;
    struct curve *curve; /* one per feature */
};

/* x, z = the n different values in order, and their u of (1); n <= v->n. */
static int64_t positions(const smr_values *v, const int64_t *order, double *x, double *z)
{
    double total = 0, below = 0;
    int64_t n = 0;
    for (int64_t i = 0; i < v->n; i++) total += v->w[i];
    for (int64_t i = 0; i < v->n;) {
        double at = v->x[order[i]], weight = 0;
        for (; i < v->n && v->x[order[i]] == at; i++) weight += v->w[order[i]];
        double u = (below + weight / 2) / total;
        below += weight;
        if (n && !(u > z[n - 1])) continue; /* a weight too small to count */
        x[n] = at;
        z[n++] = u;
    }
    return n;
}

/* Of n points those nearest to evenly spaced u, `most` of them at most; the ends stay. */
static int64_t thin(int64_t n, int64_t most, double *x, double *z)
{
    double lo = z[0], hi = z[n - 1];
    int64_t kept = 0, at = 0;
    for (int64_t k = 0; k < most; k++) {
        double u = lo + (hi - lo) * ((double)k / (double)(most - 1));
        int64_t next = k + 1 == most ? n - 1 : at;
        while (next + 1 < n && fabs(z[next + 1] - u) < fabs(z[next] - u)) next++;
        if (kept && next <= at) continue;
        at = next;
        x[kept] = x[at];
        z[kept++] = z[at];
    }
    return kept;
}

/* The rows of x, ascending, that hold the value at row i: [*lo, *hi). */
static void find_ties(int64_t n, const double *x, int64_t i, int64_t *lo, int64_t *hi)
{
    int64_t below = 0, above = i; /* rows before `below` are less, those from `above` on are not */
    while (below < above) {
        int64_t middle = below + (above - below) / 2;
        if (x[middle] < x[i])
            below = middle + 1;
        else
            above = middle;
    }
    *lo = below;
    for (below = i, above = n; below < above;) { /* less or equal */
        int64_t middle = below + (above - below) / 2;
        if (x[middle] <= x[i])
            below = middle + 1;
        else
            above = middle;
    }
    *hi = below;
}

/* u of (1) for a value that rows [lo, hi) of n hold. */
static double middle_of(int64_t lo, int64_t hi, int64_t n)
{
    return ((double)lo + (double)(hi - lo) / 2) / (double)n;
}

/* As thin, of all different values of n ascending rows that count once: those nearest to a u are
 * looked up, as u ascends with the row. */
static int64_t thin_sorted(int64_t n, const double *x, int64_t most, double *to_x, double *to_z)
{
    int64_t lo, hi, next, end, kept = 0, at = -1;
    find_ties(n, x, 0, &lo, &hi);
    double first = middle_of(lo, hi, n);
    find_ties(n, x, n - 1, &lo, &hi);
    double last = middle_of(lo, hi, n);
    for (int64_t k = 0; k < most; k++) {
        double u = first + (last - first) * ((double)k / (double)(most - 1));
        int64_t i = k + 1 == most ? n - 1 : (int64_t)(u * (double)n) - 1;
        find_ties(n, x, SMR_MAX(0, SMR_MIN(n - 1, i)), &lo, &hi);
        if (lo && middle_of(lo, hi, n) > u) find_ties(n, x, lo - 1, &lo, &hi);
        for (; hi < n; lo = next, hi = end) {
            find_ties(n, x, hi, &next, &end);
            if (!(fabs(middle_of(next, end, n) - u) < fabs(middle_of(lo, hi, n) - u))) break;
        }
        if (lo <= at) continue;
        at = lo;
        to_x[kept] = x[lo];
        to_z[kept++] = middle_of(lo, hi, n);
    }
    return kept;
}

/* The knots of rows that all count once: their order alone is needed, not whose the values are. */
static smr_status fit_plain(smr_ctx *ctx, const struct fitting *f, smr_values *v, struct curve *c)
{
    smr_status st = SMR_OK;
    const double *x = smr_sort_f64(v->n, v->x, v->spare);
    int64_t n = v->n, different = 1, hi;
    for (int64_t i = 1; i < n; i++) different += x[i] != x[i - 1];
    TRY_NEW(c->x, SMR_MIN(different, f->p->knots));
    TRY_NEW(c->z, SMR_MIN(different, f->p->knots));
    if (different > f->p->knots) c->n = thin_sorted(n, x, f->p->knots, c->x, c->z);
    for (int64_t i = 0; different <= f->p->knots && i < n; i = hi) {
        for (hi = i + 1; hi < n && x[hi] == x[i];) hi++;
        c->x[c->n] = x[i];
        c->z[c->n++] = middle_of(i, hi, n);
    }
out:
    return st;
}

static smr_status fit_weighted(smr_ctx *ctx, const struct fitting *f, smr_values *v,
                               struct curve *c)
{
    int64_t *order = NULL, n;
    double *x = NULL, *z = NULL;
    smr_status st = SMR_OK;
    TRY_NEW(order, v->n);
    TRY_NEW(x, v->n);
    TRY_NEW(z, v->n);
    TRY(smr_argsort_f64(ctx, v->n, v->x, order));
    n = positions(v, order, x, z);
    if (n > f->p->knots) n = thin(n, f->p->knots, x, z);
    TRY_NEW(c->x, n);
    TRY_NEW(c->z, n);
    memcpy(c->x, x, (size_t)n * sizeof *x);
    memcpy(c->z, z, (size_t)n * sizeof *z);
    c->n = n;
out:
    smr_free(order);
    smr_free(x);
    smr_free(z);
    return st;
}

static smr_status fit_column(smr_ctx *ctx, void *arg, smr_values *v)
{
    const struct fitting *f = arg;
    struct curve *c = &f->curve[v->feature];
    if (v->n == 0) return SMR_OK;
    smr_status st = v->w ? fit_weighted(ctx, f, v, c) : fit_plain(ctx, f, v, c);
    for (int64_t k = 0; st == SMR_OK && f->p->to == TO_NORMAL && k < c->n; k++)
        c->z[k] = smr_normal_quantile(c->z[k]);
    return st;
}

static smr_status join(smr_ctx *ctx, const struct curve *curve, struct ranks_state *s)
{
    smr_status st = SMR_OK;
    int64_t d = s->n_features;
    s->n_starts = d + 1;
    TRY_NEW(s->start, d + 1);
    for (int64_t j = 0; j < d; j++) s->start[j + 1] = s->start[j] + curve[j].n;
    s->n_knots = s->start[d];
    TRY_NEW(s->x, s->n_knots);
    TRY_NEW(s->z, s->n_knots);
    for (int64_t j = 0; j < d; j++) {
        if (curve[j].n == 0) continue;
        memcpy(s->x + s->start[j], curve[j].x, (size_t)curve[j].n * sizeof *s->x);
        memcpy(s->z + s->start[j], curve[j].z, (size_t)curve[j].n * sizeof *s->z);
    }
out:
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    struct fitting f = {.p = params_};
    struct ranks_state *s = state_;
    smr_status st = SMR_OK;
    int64_t d = data->n_features;
    (void)report;
    s->n_features = d;
    TRY_NEW(s->changed, d);
    TRY_NEW(f.curve, d);
    TRY(smr_each_choose(ctx, "ranks", f.p->column, data->features, d, s->changed));
    TRY(smr_each_column(ctx, "ranking", data, s->changed, false, fit_column, &f));
    TRY(join(ctx, f.curve, s));
out:
    for (int64_t j = 0; f.curve && j < d; j++) {
        smr_free(f.curve[j].x);
        smr_free(f.curve[j].z);
    }
    smr_free(f.curve);
    return st;
}

static bool ascends(const double *x, int64_t lo, int64_t hi)
{
    for (int64_t k = lo; k < hi; k++)
        if (isnan(x[k]) || (k > lo && !(x[k] > x[k - 1]))) return false;
    return true;
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct ranks_state *s = state_;
    int64_t d = s->n_features;
    (void)params_;
    bool right = true;
    for (int64_t j = 0; right && j < d; j++)
        right = ascends(s->x, s->start[j], s->start[j + 1]) &&
                ascends(s->z, s->start[j], s->start[j + 1]);
    if (!right) return smr_fail(ctx, SMR_ERR_FORMAT, "ranks: the knots do not ascend");
    return smr_each_check(ctx, s->changed, shape);
}

/* ---- predict ---------------------------------------------------------------------------- */

/* The straight line through neighbours of (x, y), n of them; n = 0: NaN. */
static double read_curve(const double *x, const double *y, int64_t n, double at)
{
    int64_t lo = 0, hi = n - 1;
    if (n == 0) return NAN;
    if (!(at > x[0])) return y[0];
    if (!(at < x[hi])) return y[hi];
    for (n = hi; n > 1; n -= n / 2) lo += (x[lo + n / 2] <= at) * (n / 2); /* x[lo] <= at */
    hi = lo + 1;
    if (x[lo] == at) return y[lo];
    double share = (at - x[lo]) / (x[hi] - x[lo]); /* neighbours may lie 1e308 apart: */
    if (!isfinite(x[hi] - x[lo])) share = (at / 2 - x[lo] / 2) / (x[hi] / 2 - x[lo] / 2);
    return isfinite(y[hi] - y[lo]) ? y[lo] + share * (y[hi] - y[lo])
                                   : (1 - share) * y[lo] + share * y[hi];
}

/* A feature without a value in training has no ranks: the middle. */
static double rank(const void *params_, const void *state_, int64_t j, double x)
{
    const struct ranks_params *p = params_;
    const struct ranks_state *s = state_;
    int64_t at = s->start[j], n = s->start[j + 1] - at;
    if (n == 0) return p->to == TO_NORMAL ? 0 : 0.5;
    return read_curve(s->x + at, s->z + at, n, x);
}

static double value(const void *params_, const void *state_, int64_t j, double z)
{
    const struct ranks_state *s = state_;
    int64_t at = s->start[j];
    (void)params_;
    return read_curve(s->z + at, s->x + at, s->start[j + 1] - at, z);
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct ranks_state *s = state_;
    (void)ctx, (void)output, (void)scratch;
    smr_each_rows(rank, params_, s, s->changed, rows, out);
    return SMR_OK;
}

static smr_status inverse(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, double *out, void *scratch)
{
    const struct ranks_state *s = state_;
    (void)ctx, (void)scratch;
    smr_each_rows(value, params_, s, s->changed, rows, out);
    return SMR_OK;
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct ranks_params *p = params_;
    const struct ranks_state *s = state_;
    smr_json *list = smr_json_add_array(into, "features");
    (void)ctx;
    for (int64_t j = 0; j < n_in; j++) {
        int64_t lo = s->start[j], n = s->start[j + 1] - lo;
        if (!s->changed[j]) continue;
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "feature", in[j].name);
        smr_json_add_number(row, "knots", (double)n);
        smr_json_add_number(row, "least", n ? s->x[lo] : NAN);
        smr_json_add_number(row, "median", value(p, s, j, p->to == TO_NORMAL ? 0 : 0.5));
        smr_json_add_number(row, "greatest", n ? s->x[lo + n - 1] : NAN);
    }
    return SMR_OK;
}

static void tailor(void *params_, const smr_tailor *next)
{
    struct ranks_params *p = params_;
    if (next->normal) p->to = TO_NORMAL;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "ranks",
    .synonyms = "rank quantile_transform rankgauss gaussrank QuantileTransformer",
    .family = "transform",
    .title = "Ranks",
    .brief = "Replaces each value by its rank among the training rows.",
    .objective = "z = (weight below x + half the weight at x) / weight of all rows; or the normal "
                 "quantile of that",
    .details =
        "Whatever a column's distribution, its training rows are evenly spread afterwards, or "
        "normally distributed; outliers, units and logarithms no longer matter. Between training "
        "values z is interpolated linearly; a later value outside them counts as the nearest "
        "end, which is also what predict --inverse returns for it. Equal values share their "
        "rank. Categories and gaps pass through. Elsewhere this is called a quantile transform; "
        "here quantile is a learner.",
    .reference = "Conover & Iman, Rank transformations as a bridge, The American Statistician 35 "
                 "(1981); Beasley, Erickson & Allison, Behavior Genetics 39 (2009)",
    .example = "samara train \"ranks normal | ridge\" data/diabetes.csv --target progression",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct ranks_params),
};

static const smr_can_transform transforms = {
    .outputs = smr_each_outputs,
    .inverse = inverse,
    .approximates = true,
    .adapts = SMR_NEED_RANKED,
    .tailor = tailor,
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct ranks_state),
    .gives = SMR_GIVES_TRANSFORM,
    .check = check,
    .predict = predict,
    .describe = describe,
    .transform = &transforms,
};

const smr_learner smr_ranks_learner = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes =
        SMR_TAKES_F64 | SMR_TAKES_CODES | SMR_TAKES_MISSING | SMR_TAKES_WEIGHTS | SMR_TAKES_TEXT,
    .traits = SMR_PASSES_CONTRASTS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
};
