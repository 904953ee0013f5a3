/* bin.c -- numbers cut into bins.
 *
 *     b(x) = how many of the edges e_1 < e_2 < ... are <= x                                 (1)
 *
 * so that bin b holds e_b <= x < e_(b+1), and the first and the last have no outer end.  Edges are
 * given; or by=frequency the quantiles 1/k, 2/k ... of the training rows, which count weights
 * (math/stats.h); or by=width equally spaced between the least and the greatest value.  Edges that
 * coincide, or lie at the ends, are one edge or none: a column of few values has fewer bins.
 *
 * code=ordinal gives b, code=onehot one feature per bin, of which one is 1, and zeros for a gap.
 * The inverse is a value that stands for the bin, the mean of its training rows, or where there are
 * none a value inside.  Cost: one pass for widths, a sort of each column for frequencies; a
 * bisection per value.
 *
 * Symbols: x a value of feature j, k bins. */
#include "core/number.h"
#include "core/text.h"
#include "learn/member.h"
#include "math/stats.h"
#include "transform/each.h"

#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

struct bin_params {
    int64_t k;
    int by;
    smr_reals edges;
    int code;
    char *column;
};

enum { BY_FREQUENCY, BY_WIDTH };
enum { CODE_ORDINAL, CODE_ONEHOT };

static const smr_choice by[] = {
    {"frequency", "bins with equally many training rows"},
    {"width", "bins of equal width"},
    {NULL, NULL},
};
static const smr_choice code[] = {
    {"ordinal", "the number of the bin, from 0"},
    {"onehot", "one 0/1 feature per bin"},
    {NULL, NULL},
};

static const smr_param params[] = {
    {SMR_FIELD(struct bin_params, k), .def = 5, .min = 2, .max = 10000, .primary = true,
     .when = "edges=none", .search = SMR_SEARCH_LOG, .search_min = 2, .search_max = 64,
     .simpler = SMR_SIMPLER_LOW, .doc = "Maximum number of bins per column."},
    {SMR_FIELD(struct bin_params, by), .choices = by, .when = "edges=none",
     .search = SMR_SEARCH_VALUES, .doc = "How the edges are chosen."},
    {SMR_FIELD(struct bin_params, edges), .unset = true, .min = -INFINITY, .max = INFINITY,
     .min_open = true, .max_open = true,
     .doc = "The edges between bins, in ascending order, for all columns: 18,65 makes three bins; "
            "unset: as k and by say."},
    {SMR_FIELD(struct bin_params, code), .choices = code, .search = SMR_SEARCH_VALUES,
     .doc = "How a bin is encoded."},
    {SMR_FIELD(struct bin_params, column),
     .doc = "Columns to change, several in quotes separated by commas; default: all numbers."},
};

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    const struct bin_params *p = params_;
    for (int64_t i = 1; i < p->edges.n; i++) {
        char before[SMR_NUMBER_MAX], after[SMR_NUMBER_MAX];
        if (p->edges.value[i] > p->edges.value[i - 1]) continue;
        smr_format_double(p->edges.value[i - 1], before);
        smr_format_double(p->edges.value[i], after);
        return smr_fail(ctx, SMR_ERR_PARAM, "bin: the edges must ascend, and %s comes before %s",
                        before, after);
    }
    return SMR_OK;
}

/* ---- state ------------------------------------------------------------------------------ */

struct bin_state {
    int64_t n_features;
    uint8_t *changed;
    int64_t n_starts; /* n_features + 1 */
    int64_t *start;   /* the edges of feature j are start[j] .. start[j + 1] - 1       */
    int64_t n_edges;
    double *edge;
    int64_t n_bins; /* of features that are changed: each has one more than it has edges */
    double *within; /* n_bins: what stands for a bin                                     */
};

static const smr_state state[] = {
    {SMR_KEPT(struct bin_state, n_features), .is = "features", .min = 1, .doc = "Features."},
    {SMR_KEPT(struct bin_state, n_starts), .is = "n_features + 1", .min = 2,
     .doc = "n_features + 1."},
    {SMR_KEPT(struct bin_state, n_edges), .min = 0, .doc = "Edges of all features together."},
    {SMR_KEPT(struct bin_state, n_bins), .min = 0, .doc = "Bins of all features together."},
    {SMR_KEPT(struct bin_state, changed), .max = 1, .dims = {"n_features"},
     .doc = "1 where a feature is cut into bins, else 0."},
    {SMR_KEPT(struct bin_state, start), .below = "n_edges", .order = SMR_ORDER_STARTS,
     .dims = {"n_starts"}, .doc = "Where the edges of a feature begin."},
    {SMR_KEPT(struct bin_state, edge), .reals = SMR_REALS_NOT_NAN, .dims = {"n_edges"},
     .doc = "Edges, ascending in a feature."},
    {SMR_KEPT(struct bin_state, within), .dims = {"n_bins"}, .doc = "A value inside each bin."},
};

static int64_t edges_of(const struct bin_state *s, int64_t j)
{
    return s->start[j + 1] - s->start[j];
}

/* ---- fit -------------------------------------------------------------------------------- */

struct cuts {
    int64_t n;             /* edges                                 */
    double *edge, *within; /* n and n + 1, owned                    */
};

struct fitting {
    const struct bin_params *p;
    struct cuts *cuts; /* one per feature */
};

/* How many of n ascending edges are <= x: halves that no jump decides, which would be guessed wrong
 * half the time. */
static inline int64_t bin_at(const double *edge, int64_t n, double x)
{
    const double *at = edge; /* edges before it are <= x */
    for (; n > 1; n -= n / 2) at += (at[n / 2 - 1] <= x) * (n / 2);
    return at - edge + (n > 0 && *at <= x);
}

/* Edges strictly between the least and the greatest value, each once. */
static smr_status find_edges(smr_ctx *ctx, const struct bin_params *p, const smr_values *v,
                             double *edge, int64_t *n)
{
    smr_status st = SMR_OK;
    double *q = NULL, least = v->x[0], greatest = v->x[0];
    int64_t k = p->k, kept = 0;
    for (int64_t i = 1; i < v->n; i++) {
        least = v->x[i] < least ? v->x[i] : least;
        greatest = v->x[i] > greatest ? v->x[i] : greatest;
    }
    TRY_NEW(q, k);
    for (int64_t i = 1; i < k; i++) q[i - 1] = (double)i / (double)k;
    if (p->by == BY_FREQUENCY) TRY(smr_each_quantiles(ctx, v, k - 1, q, edge));
    for (int64_t i = 0; i + 1 < k; i++) {
        double e = p->by == BY_FREQUENCY ? edge[i] : (1 - q[i]) * least + q[i] * greatest;
        if (e > least && e < greatest && (!kept || e > edge[kept - 1])) edge[kept++] = e;
    }
    *n = kept;
out:
    smr_free(q);
    return st;
}

/* A value of bin b where training had none. */
static double inside(const double *edge, int64_t n, int64_t b)
{
    if (n == 0) return 0;
    if (b == 0) return edge[0] - smr_fmax(1, fabs(edge[0]));
    return edge[b - 1]; /* it is <= itself, and below the next edge */
}

static smr_status find_within(smr_ctx *ctx, const smr_values *v, struct cuts *c)
{
    smr_status st = SMR_OK;
    double *weight = NULL;
    TRY_NEW(weight, c->n + 1);
    for (int64_t i = 0; i < v->n; i++) {
        double w = v->w ? v->w[i] : 1;
        int64_t b = bin_at(c->edge, c->n, v->x[i]);
        weight[b] += w;
        c->within[b] += (v->x[i] - c->within[b]) * (w / weight[b]);
    }
    for (int64_t b = 0; b <= c->n; b++)
        if (!(weight[b] > 0) || bin_at(c->edge, c->n, c->within[b]) != b)
            c->within[b] = inside(c->edge, c->n, b);
out:
    smr_free(weight);
    return st;
}

static smr_status set_edges(smr_ctx *ctx, const struct bin_params *p, struct cuts *c)
{
    smr_status st = SMR_OK;
    c->n = p->edges.n;
    TRY_NEW(c->edge, SMR_MAX(c->n, p->k) + 1);
    if (c->n) memcpy(c->edge, p->edges.value, (size_t)c->n * sizeof *c->edge);
    TRY_NEW(c->within, SMR_MAX(c->n, p->k) + 1);
out:
    return st;
}

static smr_status fit_column(smr_ctx *ctx, void *arg, smr_values *v)
{
    const struct fitting *f = arg;
    struct cuts *c = &f->cuts[v->feature];
    smr_status st = SMR_OK;
    TRY(set_edges(ctx, f->p, c));
    if (v->n && !f->p->edges.n) TRY(find_edges(ctx, f->p, v, c->edge, &c->n));
    TRY(find_within(ctx, v, c));
out:
    return st;
}

static smr_status join(smr_ctx *ctx, const struct cuts *cuts, struct bin_state *s)
{
    smr_status st = SMR_OK;
    int64_t d = s->n_features, b = 0;
    s->n_starts = d + 1;
    TRY_NEW(s->start, d + 1);
    for (int64_t j = 0; j < d; j++) {
        s->start[j + 1] = s->start[j] + cuts[j].n;
        s->n_bins += s->changed[j] ? cuts[j].n + 1 : 0;
    }
    s->n_edges = s->start[d];
    TRY_NEW(s->edge, s->n_edges);
    TRY_NEW(s->within, s->n_bins);
    for (int64_t j = 0; j < d; j++) {
        if (!s->changed[j]) continue;
        for (int64_t e = 0; e < cuts[j].n; e++) s->edge[s->start[j] + e] = cuts[j].edge[e];
        for (int64_t e = 0; e <= cuts[j].n; e++) s->within[b++] = cuts[j].within[e];
    }
out:
    return st;
}

static void release_cuts(struct cuts *cuts, int64_t d)
{
    for (int64_t j = 0; cuts && j < d; j++) {
        smr_free(cuts[j].edge);
        smr_free(cuts[j].within);
    }
    smr_free(cuts);
}

/* data NULL: there are no rows yet. */
static smr_status make(smr_ctx *ctx, const struct bin_params *p, const smr_feature *features,
                       int64_t d, const smr_data *data, struct bin_state *s)
{
    struct fitting f = {.p = p};
    smr_status st = SMR_OK;
    s->n_features = d;
    TRY_NEW(s->changed, d);
    TRY_NEW(f.cuts, d);
    TRY(smr_each_choose(ctx, "bin", p->column, features, d, s->changed));
    if (data) TRY(smr_each_column(ctx, "cutting", data, s->changed, false, fit_column, &f));
    for (int64_t j = 0; !data && j < d; j++) {
        smr_values none = {.feature = j};
        if (s->changed[j]) TRY(fit_column(ctx, &f, &none));
    }
    TRY(join(ctx, f.cuts, s));
out:
    release_cuts(f.cuts, d);
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    (void)report;
    return make(ctx, params_, data->features, data->n_features, data, state_);
}

static smr_status begin(smr_ctx *ctx, const void *params_, const smr_shape *shape, void *state_)
{
    const struct bin_params *p = params_;
    if (!p->edges.n)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "bin finds edges in all rows, which a stream does not have; give them: bin "
                        "edges=18,65");
    return make(ctx, p, shape->features, shape->n_features, NULL, state_);
}

static bool edges_are_right(const struct bin_state *s)
{
    int64_t d = s->n_features, bins = 0;
    bool right = true;
    for (int64_t j = 0; right && j < d; j++) {
        right = s->changed[j] || edges_of(s, j) == 0;
        for (int64_t e = s->start[j] + 1; right && e < s->start[j + 1]; e++)
            right = s->edge[e] > s->edge[e - 1];
        if (right && s->changed[j]) bins += edges_of(s, j) + 1;
    }
    return right && bins == s->n_bins;
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct bin_state *s = state_;
    (void)params_;
    if (!edges_are_right(s)) return smr_fail(ctx, SMR_ERR_FORMAT, "bin: the edges do not ascend");
    return smr_each_check(ctx, s->changed, shape);
}

/* ---- predict: (1) ----------------------------------------------------------------------- */

/* Features that feature j becomes. */
static int64_t width_of(const struct bin_params *p, const struct bin_state *s, int64_t j)
{
    return p->code == CODE_ONEHOT && s->changed[j] ? edges_of(s, j) + 1 : 1;
}

static int64_t n_out(const void *params_, const void *state_, int64_t n_in)
{
    int64_t n = 0;
    for (int64_t j = 0; j < n_in; j++) n += width_of(params_, state_, j);
    return n;
}

static smr_status predict(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct bin_params *p = params_;
    const struct bin_state *s = state_;
    (void)ctx, (void)output, (void)scratch;
    for (int64_t i = 0; i < rows->n; i++) {
        const double *x = (const double *)rows->x + i * rows->stride;
        for (int64_t j = 0; j < s->n_features; j++) {
            int64_t width = width_of(p, s, j);
            bool cut = s->changed[j] && !isnan(x[j]);
            int64_t b = cut ? bin_at(s->edge + s->start[j], edges_of(s, j), x[j]) : -1;
            if (p->code == CODE_ONEHOT && s->changed[j])
                for (int64_t k = 0; k < width; k++) out[k] = k == b;
            else
                *out = cut ? (double)b : x[j];
            out += width;
        }
    }
    return SMR_OK;
}

/* The bin of ordinal z, or the largest of the bins' shares; -1: a gap. */
static int64_t bin_of(const struct bin_params *p, const double *z, int64_t bins)
{
    int64_t best = -1;
    if (p->code == CODE_ORDINAL)
        return isnan(*z) ? -1 : (int64_t)smr_fmax(0, smr_fmin((double)bins - 1, rint(*z)));
    for (int64_t k = 0; k < bins; k++)
        if (z[k] > (best < 0 ? 0 : z[best])) best = k;
    return best;
}

static smr_status inverse(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_rows *rows, double *out, void *scratch)
{
    const struct bin_params *p = params_;
    const struct bin_state *s = state_;
    (void)ctx, (void)scratch;
    for (int64_t i = 0; i < rows->n; i++) {
        const double *z = (const double *)rows->x + i * rows->stride, *within = s->within;
        for (int64_t j = 0; j < s->n_features; j++) {
            int64_t b = s->changed[j] ? bin_of(p, z, edges_of(s, j) + 1) : -1;
            *out++ = !s->changed[j] ? *z : b < 0 ? NAN : within[b];
            z += width_of(p, s, j);
            if (s->changed[j]) within += edges_of(s, j) + 1;
        }
    }
    return SMR_OK;
}

static smr_status learn(smr_ctx *ctx, const void *params_, void *state_, const smr_rows *rows,
                        const smr_truths *truths, double *out)
{
    (void)truths;
    if (!out) return SMR_OK;
    return predict(ctx, params_, state_, rows, SMR_OUTPUT_TRANSFORM, out, NULL);
}

/* ---- outputs ---------------------------------------------------------------------------- */

/* "age<18", "age in 18..65", "age>=65". */
static smr_status name_bin(smr_ctx *ctx, const struct bin_state *s, const char *name, int64_t j,
                           int64_t b, const char **out)
{
    const double *edge = s->edge + s->start[j];
    int64_t n = edges_of(s, j);
    smr_text text = {.ctx = ctx};
    smr_text_add(&text, name);
    if (n) smr_text_add(&text, b == 0 ? "<" : b == n ? ">=" : " in ");
    if (n) smr_text_number(&text, edge[b == 0 ? 0 : b - 1]);
    if (b > 0 && b < n) {
        smr_text_add(&text, "..");
        smr_text_number(&text, edge[b]);
    }
    smr_status st = smr_text_done(&text);
    if (st != SMR_OK)
        smr_text_release(&text);
    else
        *out = text.bytes;
    return st;
}

static smr_status outputs(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_feature *in, int64_t n_in, smr_feature *out, int64_t n)
{
    const struct bin_params *p = params_;
    const struct bin_state *s = state_;
    smr_status st = SMR_OK;
    (void)n;
    for (int64_t j = 0; j < n_in; j++) {
        int64_t width = width_of(p, s, j);
        if (p->code == CODE_ORDINAL || !s->changed[j])
            TRY(smr_each_outputs(ctx, p, s, in + j, 1, out, 1));
        else
            for (int64_t b = 0; b < width; b++)
                TRY(name_bin(ctx, s, in[j].name, j, b, &out[b].name));
        out += width;
    }
out:
    return st;
}

static void origins(const void *params_, const void *state_, int64_t n_in, int64_t *from, int64_t n)
{
    (void)n;
    for (int64_t j = 0; j < n_in; j++)
        for (int64_t k = width_of(params_, state_, j); k > 0; k--) *from++ = j;
}

/* A gap is no bin; in columns that are not cut it stays. */
static unsigned fills(const void *params_)
{
    const struct bin_params *p = params_;
    return p->code == CODE_ONEHOT && !*p->column ? SMR_FILLS_NUMBERS : 0;
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct bin_state *s = state_;
    smr_json *list = smr_json_add_array(into, "features");
    (void)ctx, (void)params_;
    for (int64_t j = 0; j < n_in; j++) {
        if (!s->changed[j]) continue;
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "feature", in[j].name);
        smr_json_add_number(row, "bins", (double)(edges_of(s, j) + 1));
        smr_json *edges = smr_json_add_array(row, "edges");
        for (int64_t e = s->start[j]; e < s->start[j + 1]; e++)
            smr_json_add_number(edges, NULL, s->edge[e]);
    }
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "bin",
    .synonyms = "bins discretize discretise cut qcut KBinsDiscretizer",
    .family = "transform",
    .title = "Bins",
    .brief = "Cuts numbers into bins with equally many rows, of equal width, or at given edges.",
    .objective = "b(x) = how many edges are <= x; or one 0/1 feature per bin",
    .details =
        "With code=onehot a linear model becomes a step function of each feature. A column with "
        "few distinct values gets fewer than k bins. The outer bins are open-ended, so that "
        "every later row falls into a bin. A gap stays a gap with code=ordinal, and is in no bin "
        "with code=onehot; categories pass through. predict --inverse gives the mean of the "
        "bin's training rows.",
    .reference = "Dougherty, Kohavi & Sahami, Supervised and unsupervised discretization of "
                 "continuous features, ICML 1995",
    .example = "samara train \"bin 8 code=onehot | ridge\" data/diabetes.csv --target progression",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct bin_params),
    .check_params = check_params,
};

static const smr_can_transform transforms = {
    .n_out = n_out,
    .outputs = outputs,
    .origins = origins,
    .fills = fills,
    .inverse = inverse,
    .approximates = true,
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct bin_state),
    .gives = SMR_GIVES_TRANSFORM,
    .check = check,
    .predict = predict,
    .describe = describe,
    .transform = &transforms,
};

static const smr_can_stream streams = {
    .begin = SMR_TRAINING(begin),
    .learn = SMR_TRAINING(learn),
};

const smr_learner smr_bin_learner = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes =
        SMR_TAKES_F64 | SMR_TAKES_CODES | SMR_TAKES_MISSING | SMR_TAKES_WEIGHTS | SMR_TAKES_TEXT,
    .traits = SMR_PASSES_CONTRASTS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .stream = SMR_TRAINING(&streams),
};
