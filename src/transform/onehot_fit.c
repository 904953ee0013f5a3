/* onehot_fit.c -- which levels get a feature: see onehot.c for what the features mean.
 *
 * Of a feature with more than max_levels levels those of the greatest weight in the training rows
 * are kept (ties: the earlier level); the rest share one feature, `other`.  Levels of fewer than
 * min_rows rows join it.  A level without a training row has no feature: it is unknown.
 *
 * Where min_rows is unset and drop=frequent, the coding before learners without a penalty, a
 * warning names the levels of one or two rows: their coefficients are fitted to those rows alone.
 * They keep them all the same. Joined, the error of a level is its own effect; kept, it is the
 * noise of its rows: which is less depends on the table. And rows that are joined to others decide
 * between columns that agree on all rows but these, where a coefficient of their own takes them out
 * of the fit of the others.
 *
 * A gap is a level too, if it has the rows (min_rows, or three): `missing` of a coding that leaves
 * a level out, zeros of one that does not.  Else it is unknown. */
#include "core/sort.h"
#include "core/text.h"
#include "data/infer.h"
#include "transform/onehot.h"

enum { JOINED = INT32_MAX, MOST_NAMED = 3 };

struct level {
    double weight;
    int64_t rows; /* of a weight above 0 */
};

/* The levels of one feature, and the gaps after them. */
struct levels {
    const smr_data *data;
    int64_t j, m;
    struct level *of; /* m + 1 */
    double total;
    int32_t *slot; /* m */
    bool joins;    /* some share `other` */
};

/* ---- counting --------------------------------------------------------------------------- */

static smr_status count_levels(smr_ctx *ctx, struct levels *l)
{
    smr_status st = SMR_OK;
    double *column = NULL;
    TRY_NEW(column, l->data->n_rows);
    TRY(smr_data_column(ctx, l->data, l->j, column));
    for (int64_t i = 0; i < l->data->n_rows; i++) {
        struct level *at = &l->of[isnan(column[i]) ? l->m : (int64_t)column[i]];
        double w = smr_data_weight(l->data, i);
        at->weight += w;
        at->rows += w > 0;
        l->total += w;
    }
out:
    smr_free(column);
    return st;
}

/* Fewer than `least` rows, where weight 2 is the row twice, and three rows of little weight are
 * still three. */
static bool is_below(const struct level *level, int64_t least)
{
    return level->rows < least && level->weight < (double)least;
}

/* ---- choosing --------------------------------------------------------------------------- */

/* Marks those beyond the `most` heaviest; the order is stable: among equals the earlier stay. */
static smr_status join_lightest(smr_ctx *ctx, struct levels *l, int64_t most)
{
    smr_status st = SMR_OK;
    double *lightness = NULL;
    int64_t *order = NULL;
    if (l->m <= most) return SMR_OK;
    TRY_NEW(lightness, l->m);
    TRY_NEW(order, l->m);
    for (int64_t k = 0; k < l->m; k++) lightness[k] = -l->of[k].weight;
    TRY(smr_argsort_f64(ctx, l->m, lightness, order));
    for (int64_t r = most; r < l->m; r++)
        if (l->of[order[r]].rows) l->slot[order[r]] = JOINED;
    smr_warn(ctx,
             "column '%s' has %lld levels; the %lld most frequent get a feature, the rest 'other'",
             l->data->features[l->j].name, (long long)l->m, (long long)most);
out:
    smr_free(lightness);
    smr_free(order);
    return st;
}

static void join_below(struct levels *l, int64_t least)
{
    for (int64_t k = 0; k < l->m; k++)
        if (l->of[k].rows && is_below(&l->of[k], least)) l->slot[k] = JOINED;
}

/* Levels of one or two rows, which are not joined to others already. */
static bool is_rare(const struct levels *l, int64_t k)
{
    return l->slot[k] != JOINED && l->of[k].rows && is_below(&l->of[k], SMR_ONEHOT_FEW);
}

static void name_rare(const struct levels *l, int64_t n, smr_text *out)
{
    const smr_strings *names = l->data->features[l->j].levels;
    int64_t named = 0;
    for (int64_t k = 0; names && k < l->m && named < MOST_NAMED; k++) {
        int64_t length;
        if (!is_rare(l, k)) continue;
        const char *text = smr_strings_get(names, k, &length);
        smr_text_printf(out, "%s'%s'", named++ ? ", " : "",
                        smr_excerpt(text, length, (char[SMR_EXCERPT_MAX]){0}));
    }
    if (n > named) smr_text_add(out, ", ...");
}

/* A level of one or two rows has its coefficient to itself. */
static smr_status warn_of_rare(smr_ctx *ctx, const struct levels *l)
{
    smr_status st = SMR_OK;
    smr_text names = {.ctx = ctx};
    int64_t n = 0;
    for (int64_t k = 0; k < l->m; k++) n += is_rare(l, k);
    if (n == 0) return SMR_OK;
    name_rare(l, n, &names);
    TRY(smr_text_done(&names));
    smr_warn(ctx,
             "column '%s' has %lld level%s of only one or two rows, %s: %s fitted to them alone; "
             "'onehot drop=frequent min_rows=3 | ...' joins such levels, a penalty shrinks them",
             l->data->features[l->j].name, (long long)n, smr_plural(n, "", "s"), names.bytes,
             smr_plural(n, "its coefficient is", "their coefficients are"));
out:
    smr_text_release(&names);
    return st;
}

/* The level that is left out, or -1. */
static int64_t find_left_out(const struct levels *l, int drop)
{
    int64_t best = -1;
    for (int64_t k = 0; drop != SMR_ONEHOT_ALL && k < l->m; k++) {
        if (l->slot[k] == JOINED || l->slot[k] == SMR_ONEHOT_UNKNOWN) continue;
        if (best < 0 || (drop == SMR_ONEHOT_BUT_FREQUENT && l->of[k].weight > l->of[best].weight))
            best = k;
    }
    return best;
}

/* Numbers the outputs in the order of the levels, `other` last; their count. */
static int64_t number_outputs(struct levels *l, int drop)
{
    int64_t left_out = find_left_out(l, drop);
    int32_t at = 0;
    for (int64_t k = 0; k < l->m; k++) {
        l->joins |= l->slot[k] == JOINED;
        if (l->slot[k] == JOINED || l->slot[k] == SMR_ONEHOT_UNKNOWN) continue;
        l->slot[k] = k == left_out ? SMR_ONEHOT_NONE : at++;
    }
    for (int64_t k = 0; k < l->m; k++)
        if (l->slot[k] == JOINED) l->slot[k] = at;
    return at + l->joins;
}

static smr_status choose_levels(smr_ctx *ctx, const struct smr_onehot_params *p, bool is_free,
                                struct levels *l, int64_t *width)
{
    smr_status st = SMR_OK;
    for (int64_t k = 0; k < l->m; k++) l->slot[k] = l->of[k].rows ? 0 : SMR_ONEHOT_UNKNOWN;
    TRY(join_lightest(ctx, l, p->max_levels));
    if (p->min_rows != SMR_UNSET_INT)
        join_below(l, p->min_rows);
    else if (is_free)
        TRY(warn_of_rare(ctx, l));
    *width = number_outputs(l, p->drop);
out:
    return st;
}

/* Do gaps teach something of their own? */
static bool gaps_are_a_level(const struct smr_onehot_params *p, const struct levels *l)
{
    int64_t least = p->min_rows != SMR_UNSET_INT ? p->min_rows : SMR_ONEHOT_FEW;
    const struct level *gaps = &l->of[l->m];
    return gaps->rows && !is_below(gaps, least);
}

/* ---- fit -------------------------------------------------------------------------------- */

static smr_status fit_category(smr_ctx *ctx, const struct smr_onehot_params *p, bool is_free,
                               const smr_data *data, int64_t j, struct smr_onehot_state *s)
{
    smr_status st = SMR_OK;
    int64_t width = 0;
    struct levels l = {
        .data = data, .j = j, .m = s->offset[j + 1] - s->offset[j], .slot = s->slot + s->offset[j]};
    TRY_NEW(l.of, l.m + 1);
    TRY(count_levels(ctx, &l));
    TRY(choose_levels(ctx, p, is_free, &l, &width));
    bool gaps = l.m > 0 && gaps_are_a_level(p, &l);
    if (s->missing) s->missing[j] = gaps ? (int32_t)width++ : -1;
    double *weight = s->weight + s->n_outputs;
    for (int64_t k = 0; k < l.m; k++) {
        if (l.slot[k] >= 0) weight[l.slot[k]] += l.of[k].weight;
        if (l.slot[k] != SMR_ONEHOT_UNKNOWN && !gaps) s->known[j] += l.of[k].weight;
    }
    if (gaps && s->missing) weight[width - 1] = l.of[l.m].weight;
    s->n_outputs += width;
out:
    smr_free(l.of);
    return st;
}

smr_status smr_onehot_fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                          smr_fit_report *report)
{
    const struct smr_onehot_params *p = params_;
    struct smr_onehot_state *s = state_;
    int64_t d = data->n_features;
    smr_status st = SMR_OK;
    s->n_features = d;
    s->n_offsets = d + 1;
    TRY_NEW(s->offset, d + 1);
    TRY_NEW(s->first, d);
    TRY_NEW(s->known, d);
    for (int64_t j = 0; j < d; j++) {
        bool category = data->features && data->features[j].kind == SMR_CATEGORY;
        s->offset[j + 1] = s->offset[j] + (category ? data->features[j].n_levels : 0);
    }
    s->n_slots = s->offset[d];
    TRY_NEW(s->slot, s->n_slots);
    TRY_NEW(s->weight, s->n_slots + d); /* there are no more outputs */
    if (p->drop != SMR_ONEHOT_ALL) TRY_NEW(s->missing, d);
    for (int64_t j = 0; j < d; j++) {
        bool category = data->features && data->features[j].kind == SMR_CATEGORY;
        s->first[j] = s->n_outputs;
        if (category) {
            TRY(fit_category(ctx, p, report->is_free, data, j, s));
            continue;
        }
        s->n_outputs++;
        if (s->missing) s->missing[j] = -1;
    }
out:
    return st;
}

/* ---- from a stream ---------------------------------------------------------------------- */

/* The levels are the schema's, all of them, since their weights are not known yet: the level that
 * is left out is the first.  What is left out has its `missing`, since a gap may come at any time:
 * it is set once there have been some. */
smr_status smr_onehot_begin(smr_ctx *ctx, const void *params_, const smr_shape *shape, void *state_)
{
    const struct smr_onehot_params *p = params_;
    struct smr_onehot_state *s = state_;
    int64_t d = shape->n_features, dropped = p->drop != SMR_ONEHOT_ALL;
    smr_status st = SMR_OK;
    if (p->min_rows != SMR_UNSET_INT && p->min_rows > 1)
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                     "onehot min_rows=%lld needs all rows at once: how many rows a level has is "
                     "not known of a stream",
                     (long long)p->min_rows));
    s->n_features = d;
    s->n_offsets = d + 1;
    TRY_NEW(s->offset, d + 1);
    TRY_NEW(s->first, d);
    TRY_NEW(s->known, d);
    TRY_NEW(s->gaps, d);
    if (dropped) TRY_NEW(s->missing, d);
    for (int64_t j = 0; j < d; j++) {
        const smr_feature *f = shape->features ? &shape->features[j] : NULL;
        bool category = f && f->kind == SMR_CATEGORY;
        int64_t m = category ? f->n_levels : 0, width = category ? SMR_MAX(0, m - dropped) : 1;
        if (m > p->max_levels)
            TRY(smr_fail(ctx, SMR_ERR_DATA,
                         "column '%s' has %lld levels, and which %lld are the most frequent is not "
                         "known of a stream; raise onehot max_levels, or leave the column out with "
                         "--ignore",
                         f->name, (long long)m, (long long)p->max_levels));
        s->offset[j + 1] = s->offset[j] + m;
        s->first[j] = s->n_outputs;
        if (s->missing) s->missing[j] = m > 0 ? (int32_t)width++ : -1;
        s->n_outputs += width;
    }
    s->n_slots = s->offset[d];
    TRY_NEW(s->slot, s->n_slots);
    TRY_NEW(s->weight, s->n_outputs);
    for (int64_t j = 0; j < d; j++)
        for (int64_t k = s->offset[j]; k < s->offset[j + 1]; k++)
            s->slot[k] = (int32_t)(k - s->offset[j] - dropped);
out:
    return st;
}
