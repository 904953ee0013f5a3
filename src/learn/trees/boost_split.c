/* boost_split.c -- the best split of a node by one feature's histogram.
 *
 * With sums G and H of the rows' gradients and curvatures, a leaf of value w changes the penalised
 * objective, to second order, by
 *
 *     J(w) = G w + (H + l2) / 2 w^2 + l1 |w|,   least at  w = -sign(G) max(|G| - l1, 0) / (H + l2)
 *
 * kept within the node's bounds, and a split gains J(node) - J(first) - J(second), each at its own
 * w.  Without l1 and bounds that is (G1^2/(H1+l2) + G2^2/(H2+l2) - G^2/(H+l2)) / 2.
 *
 * Numbers: every cut between two bins, with the missing values on either side.  Categories: the
 * levels in the node by ascending G / (H + smooth), the missing value as one more level, cut
 * everywhere; with at most FEW levels also each against the rest.  Without smoothing and penalties
 * no subset of levels is better than the best of these cuts.  The first child of a set is the
 * smaller one, so that levels that were not seen here follow the larger.
 * References: Chen & Guestrin, XGBoost, KDD 2016; Fisher, J. Am. Stat. Assoc. 53, 1958. */
#include "learn/trees/boost.h"

#include <math.h>

enum { FEW = 4, MOST = 256 };

struct column {
    int32_t n;
    smr_boost_sums bin[MOST];
};

/* ---- one leaf --------------------------------------------------------------------------- */

static inline double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

double smr_boost_value(const smr_boost_judge *j, double G, double H)
{
    double size = fabs(G) - j->l1;
    double w = size > 0 && H + j->l2 > 0 ? -copysign(size, G) / (H + j->l2) : 0;
    return clamp(w, j->low, j->high);
}

/* -J(w). */
static inline double fall(const smr_boost_judge *j, double G, double H, double w)
{
    return -(G * w + 0.5 * (H + j->l2) * w * w + j->l1 * fabs(w));
}

static inline bool is_plain(const smr_boost_judge *j)
{
    return j->l1 == 0 && j->monotone == 0 && isinf(j->low) && isinf(j->high);
}

/* ---- candidates ------------------------------------------------------------------------- */

struct search {
    const smr_boost_judge *j;
    double G, H, before; /* of the node; -J of it unsplit */
    int64_t least_h, least_w;
    double least; /* gain that a split must exceed */
    smr_boost_split *best;
    int32_t number;
};

static int64_t at_least(double limit, double unit)
{
    double units = ceil(limit / unit * (1 - 1e-9));
    return units < 1 ? 1 : units > 4e18 ? INT64_MAX : (int64_t)units;
}

void smr_boost_least(const smr_boost_judge *j, int64_t *h, int64_t *w)
{
    double limit = j->is_flat ? smr_fmax(j->min_child, j->min_leaf) : j->min_child;
    *h = at_least(limit, j->of->h_unit);
    *w = j->of->counts ? at_least(j->min_leaf, j->of->w_unit) : INT64_MIN;
}

static void begin(struct search *s, const smr_boost_judge *j, int32_t number, smr_boost_split *best)
{
    *s = (struct search){.j = j, .best = best, .number = number};
    s->G = (double)j->all.g * j->of->g_unit;
    s->H = (double)j->all.h * j->of->h_unit;
    s->before = fall(j, s->G, s->H, smr_boost_value(j, s->G, s->H));
    smr_boost_least(j, &s->least_h, &s->least_w);
    s->least = smr_fmax(j->min_gain, 1e-12 * fabs(s->before));
}

static inline bool is_enough(const struct search *s, const smr_boost_sums *a)
{
    return a->h >= s->least_h && s->j->all.h - a->h >= s->least_h && a->w >= s->least_w &&
           s->j->all.w - a->w >= s->least_w;
}

/* What the split into `a` and the rest gains; 0 where it is not allowed. */
static inline __attribute__((always_inline)) double
gain_of(const struct search *s, const smr_boost_sums *a, const bool plain)
{
    const smr_boost_judge *j = s->j;
    double G = (double)a->g * j->of->g_unit, H = (double)a->h * j->of->h_unit;
    double G2 = s->G - G, H2 = s->H - H;
    if (!is_enough(s, a)) return 0;
    if (plain) return 0.5 * (G * G / (H + j->l2) + G2 * G2 / (H2 + j->l2)) - s->before;
    double w = smr_boost_value(j, G, H), w2 = smr_boost_value(j, G2, H2);
    if (j->monotone * (w2 - w) < 0) return 0;
    return fall(j, G, H, w) + fall(j, G2, H2, w2) - s->before;
}

/* Gains that differ by no more than the rounding of gradients can make them are equal, so that a
 * tie stays a tie; before: -J of the node. */
static inline bool replaces(double gain, int32_t feature, double before, const smr_boost_split *b)
{
    double slack = 1e-7 * gain + 1e-9 * before;
    return gain > b->gain + slack || (gain >= b->gain - slack && feature < b->feature);
}

/* A better one than the best, or as good and of a lower feature? */
static inline bool is_better(const struct search *s, double gain)
{
    return gain > s->least && replaces(gain, s->number, s->before, s->best);
}

bool smr_boost_replaces(const smr_boost_judge *j, const smr_boost_split *a,
                        const smr_boost_split *b)
{
    double G = (double)j->all.g * j->of->g_unit, H = (double)j->all.h * j->of->h_unit;
    double before = fall(j, G, H, smr_boost_value(j, G, H));
    return a->gain > 0 && replaces(a->gain, a->feature, before, b);
}

static inline void keep(struct search *s, double gain, const smr_boost_sums *left)
{
    s->best->gain = gain;
    s->best->feature = s->number;
    s->best->left = *left;
}

/* The rest of the best split, once it is known: no bins yet, and the children's values. */
static void fill(const struct search *s)
{
    smr_boost_split *b = s->best;
    double G = (double)b->left.g * s->j->of->g_unit, H = (double)b->left.h * s->j->of->h_unit;
    for (int i = 0; i < 8; i++) b->first[i] = 0;
    b->is_set = false;
    b->step[0] = smr_boost_value(s->j, G, H);
    b->step[1] = smr_boost_value(s->j, s->G - G, s->H - H);
}

static void add(smr_boost_sums *to, const smr_boost_sums *from)
{
    to->g += from->g, to->h += from->h, to->w += from->w;
}

/* ---- numbers ---------------------------------------------------------------------------- */

/* What G1^2 (H2 + l2) + G2^2 (H1 + l2) must exceed, in units of (H1 + l2) (H2 + l2), for a plain
 * split to be worth its divisions: a little less than is_better asks for. */
static inline double bar_of(const struct search *s)
{
    double gain = smr_fmax(s->least, s->best->gain * (1 - 1e-6) - 1e-8 * s->before);
    return 2 * (s->before + gain) * (1 - 1e-12);
}

static inline bool may_be_better(const struct search *s, const smr_boost_sums *a, double bar)
{
    const smr_boost_judge *j = s->j;
    double G = (double)a->g * j->of->g_unit, H = (double)a->h * j->of->h_unit;
    double G2 = s->G - G, one = H + j->l2, two = s->H - H + j->l2;
    return G * G * two + G2 * G2 * one > bar * (one * two);
}

/* Cuts after bins 0 .. n-1, with `start` already in the first child; the best one, or -1. */
static inline __attribute__((always_inline)) int32_t
scan(struct search *s, const struct column *c, int32_t n, smr_boost_sums start, const bool plain)
{
    int32_t found = -1;
    double bar = plain ? bar_of(s) : 0;
    for (int32_t b = 0; b < n; b++) {
        add(&start, &c->bin[b]);
        if (plain && (!is_enough(s, &start) || !may_be_better(s, &start, bar))) continue;
        double gain = gain_of(s, &start, plain);
        if (!is_better(s, gain)) continue;
        keep(s, gain, &start);
        found = b;
        if (plain) bar = bar_of(s);
    }
    return found;
}

static void find_cut(struct search *s, const smr_boost_feature *f, const struct column *c)
{
    int32_t n = c->n - f->has_missing;
    bool plain = is_plain(s->j);
    smr_boost_sums none = {0}, missing = f->has_missing ? c->bin[n] : none;
    bool both = missing.h > 0;
    int32_t last = both ? n : n - 1;
    int32_t cut = plain ? scan(s, c, last, none, true) : scan(s, c, last, none, false);
    bool first = false;
    if (both) {
        int32_t other =
            plain ? scan(s, c, n - 1, missing, true) : scan(s, c, n - 1, missing, false);
        if (other >= 0) cut = other, first = true;
    }
    if (cut < 0) return;
    smr_boost_split *b = s->best;
    fill(s);
    if (!both) first = 2 * b->left.h > s->j->all.h; /* none here: where most rows go */
    b->bin = cut;
    b->missing_first = first;
    for (int32_t i = 0; i <= cut; i++) b->first[i / 32] |= UINT32_C(1) << i % 32;
    if (first && f->has_missing) b->first[n / 32] |= UINT32_C(1) << n % 32;
}

/* ---- categories ------------------------------------------------------------------------- */

/* Levels of the node by ascending key, equal ones in their order. */
static void sort_levels(int32_t n, int32_t *level, const double *key)
{
    int32_t other[MOST];
    for (int32_t width = 1; width < n; width *= 2) {
        for (int32_t lo = 0; lo < n; lo += 2 * width) {
            int32_t mid = SMR_MIN(lo + width, n), hi = SMR_MIN(lo + 2 * width, n);
            for (int32_t a = lo, b = mid, at = lo; at < hi; at++) {
                bool takes_b = a >= mid || (b < hi && key[level[b]] < key[level[a]]);
                other[at] = takes_b ? level[b++] : level[a++];
            }
        }
        for (int32_t i = 0; i < n; i++) level[i] = other[i];
    }
}

/* The set is level[from .. to). */
static void keep_set(struct search *s, const smr_boost_feature *f, const struct column *c,
                     const int32_t *level, int32_t n, int32_t from, int32_t to)
{
    smr_boost_split *b = s->best;
    bool is_larger = 2 * b->left.h > s->j->all.h;
    smr_boost_sums all = s->j->all, left = b->left;
    fill(s);
    b->is_set = true;
    if (is_larger) {
        double step = b->step[0];
        b->left = (smr_boost_sums){all.g - left.g, all.h - left.h, all.w - left.w};
        b->step[0] = b->step[1], b->step[1] = step;
    }
    for (int32_t i = 0; i < n; i++) {
        bool is_in = i >= from && i < to;
        if (is_in != is_larger) b->first[level[i] / 32] |= UINT32_C(1) << level[i] % 32;
    }
    int32_t missing = c->n - 1;
    b->missing_first = f->has_missing && (b->first[missing / 32] >> missing % 32 & 1);
}

static void find_set(struct search *s, const smr_boost_feature *f, const struct column *c)
{
    int32_t level[MOST], n = 0;
    double key[MOST];
    bool plain = is_plain(s->j);
    const smr_boost_gradients *of = s->j->of;
    for (int32_t b = 0; b < c->n; b++) {
        if (c->bin[b].h == 0) continue;
        key[b] =
            (double)c->bin[b].g * of->g_unit / ((double)c->bin[b].h * of->h_unit + s->j->smooth);
        level[n++] = b;
    }
    if (n < 2) return;
    sort_levels(n, level, key);
    smr_boost_sums left = {0};
    for (int32_t i = 0; i + 1 < n; i++) {
        add(&left, &c->bin[level[i]]);
        double gain = gain_of(s, &left, plain);
        if (!is_better(s, gain)) continue;
        keep(s, gain, &left);
        keep_set(s, f, c, level, n, 0, i + 1);
    }
    for (int32_t i = 0; i < n && n <= FEW; i++) {
        double gain = gain_of(s, &c->bin[level[i]], plain);
        if (!is_better(s, gain)) continue;
        keep(s, gain, &c->bin[level[i]]);
        keep_set(s, f, c, level, n, i, i + 1);
    }
}

/* ---- both ------------------------------------------------------------------------------- */

static inline smr_boost_sums read_cell(const int64_t *hist, int fields, int64_t cell)
{
    const int64_t *at = hist + cell * fields;
    return (smr_boost_sums){at[0], at[1], fields == 3 ? at[2] : 0};
}

/* The feature's own bins: the common one of a bundled feature is what the others leave. */
static void unfold(const smr_boost_judge *j, const smr_boost_feature *f, const int64_t *hist,
                   int fields, struct column *c)
{
    smr_boost_sums rest = j->all;
    c->n = f->n_bins;
    if (!f->is_bundled) {
        for (int32_t b = 0; b < f->n_bins; b++) c->bin[b] = read_cell(hist, fields, b);
        return;
    }
    for (int32_t b = 0; b < f->n_bins; b++) {
        if (b == f->common) continue;
        smr_boost_sums *s = &c->bin[b];
        *s = read_cell(hist, fields, smr_boost_cell(f, b));
        rest.g -= s->g, rest.h -= s->h, rest.w -= s->w;
    }
    c->bin[f->common] = rest;
}

void smr_boost_find(const smr_boost_judge *judge, const smr_boost_feature *f, int32_t number,
                    const int64_t *hist, int fields, smr_boost_split *best)
{
    struct column c;
    struct search s;
    begin(&s, judge, number, best);
    unfold(judge, f, hist, fields, &c);
    if (f->is_category)
        find_set(&s, f, &c);
    else
        find_cut(&s, f, &c);
}
