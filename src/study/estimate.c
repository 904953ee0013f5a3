/* estimate.c -- see estimate.h: columns, families, priors. */
#include "study/estimate.h"

#include "core/number.h"
#include "core/sort.h"
#include "core/try.h"
#include "data/pick.h"
#include "data/types.h"
#include "learn/model.h"
#include "math/stats.h"
#include "study/estimate_parts.h"

#include <string.h>

enum { MOST_LEVELS = 1000, N_FAMILIES = 6 };

enum family { BERNOULLI, CATEGORICAL, POISSON, EXPONENTIAL, GAUSSIAN, MULTIVARIATE };

static const struct {
    const char *name, *prior, *prior_params;
    int64_t n_prior; /* 0: one or more */
} FAMILIES[N_FAMILIES] = {
    {"bernoulli", "beta", "a b", 2},
    {"categorical", "dirichlet", "a, or one for each level", 0},
    {"poisson", "gamma", "shape rate", 2},
    {"exponential", "gamma", "shape rate", 2},
    {"gaussian", "nig", "mean strength shape scale", 4},
    {"multivariate-gaussian", "niw", "mean strength df scale", 4},
};

void smr_estimate_row(smr_json *rows, const smr_estimated *e)
{
    static const char *const keys[] = {
        "ml",           "unbiased",      "map",           "mean",
        "credible_low", "credible_high", "confident_low", "confident_high"};
    const double values[] = {e->ml, e->unbiased, e->map, e->mean, e->low, e->high, e->from, e->to};
    smr_json *row = smr_json_add_object(rows, NULL);
    smr_json_add_string(row, "parameter", e->parameter);
    for (int k = 0; k < SMR_COUNT(keys); k++) smr_json_add_number(row, keys[k], values[k]);
}

/* A limit of laws that is none itself, as its density has no finite sum: a shape, a strength or a
 * scale is 0, and all of a normal-inverse-Wishart law need more degrees of freedom than columns but
 * one, which is not known here. */
static bool is_improper(const char *name, int64_t n, const double *p)
{
    for (int64_t k = strcmp(name, "nig") == 0 || strcmp(name, "niw") == 0; k < n; k++)
        if (!(p[k] > 0)) return true;
    return false;
}

void smr_estimate_law(smr_json *into, const char *key, const char *name, int64_t n, const double *p)
{
    smr_json *law = smr_json_add_object(into, key);
    smr_json_add_string(law, "name", name);
    smr_json_add_numbers(law, "parameters", p, n);
    if (is_improper(name, n, p)) smr_json_add_bool(law, "improper", true);
}

/* ---- options ---------------------------------------------------------------------------- */

static smr_status find_family(smr_ctx *ctx, const char *name, int *family)
{
    const char *names[N_FAMILIES];
    for (int k = 0; k < N_FAMILIES; k++) {
        names[k] = FAMILIES[k].name;
        *family = k;
        if (strcmp(name, names[k]) == 0) return SMR_OK;
    }
    int64_t near = smr_nearest(name, names, N_FAMILIES);
    return smr_fail(ctx, SMR_ERR_PARAM, "there is no family '%s'; %s%s%s", name,
                    near >= 0 ? "did you mean '" : "",
                    near >= 0 ? names[near]
                              : "there are bernoulli, categorical, exponential, gaussian, "
                                "multivariate-gaussian and poisson",
                    near >= 0 ? "'?" : "");
}

/* A prior as it is written: "beta 2 2", "beta(2, 2)". */
struct prior {
    char name[32];
    int64_t n;
    double p[MOST_PRIOR];
};

static smr_status read_prior(smr_ctx *ctx, const char *text, struct prior *prior)
{
    static const char between[] = " ,()\t";
    size_t length = strcspn(text, between);
    *prior = (struct prior){.n = 0};
    if (length < sizeof prior->name) memcpy(prior->name, text, length);
    for (const char *at = text + length; *(at += strspn(at, between));) {
        size_t n = strcspn(at, between);
        double value;
        if (smr_parse_double(at, at + n, &value) != at + n || !isfinite(value))
            return smr_fail(ctx, SMR_ERR_PARAM, "--prior: '%.*s' is not a number", (int)n, at);
        if (prior->n == MOST_PRIOR)
            return smr_fail(ctx, SMR_ERR_PARAM, "--prior has more than %d numbers", MOST_PRIOR);
        prior->p[prior->n++] = value;
        at += n;
    }
    return SMR_OK;
}

/* Is the prior one of this family, with numbers in their range?  The means of nig and niw may be
 * any; strengths, shapes and scales are not negative, so that some improper priors are left. */
static smr_status check_prior(smr_ctx *ctx, const struct prior *prior, int family,
                              const char *column)
{
    const char *its = FAMILIES[family].prior, *params = FAMILIES[family].prior_params;
    int64_t want = FAMILIES[family].n_prior;
    if (strcmp(prior->name, its) != 0)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "the prior of '%s', which is taken as %s, is %s %s, not '%s'", column,
                        FAMILIES[family].name, its, params, prior->name);
    if (want ? prior->n != want : prior->n < 1)
        return smr_fail(ctx, SMR_ERR_PARAM, "the prior %s has %s numbers (%s), not %lld", its,
                        want == 2   ? "2"
                        : want == 4 ? "4"
                                    : "1 or more",
                        params, (long long)prior->n);
    for (int64_t k = family >= GAUSSIAN; k < prior->n; k++)
        if (!(prior->p[k] >= 0 && prior->p[k] <= 1e12))
            return smr_fail(ctx, SMR_ERR_PARAM,
                            "number %lld of the prior %s is %g; it is from 0 to 1e12 (%s)",
                            (long long)(k + 1), its, prior->p[k], params);
    return SMR_OK;
}

/* ---- samples ---------------------------------------------------------------------------- */

static void sample_free(smr_sample *s)
{
    smr_free(s->x);
    smr_free(s->w);
    smr_free(s->count);
}

/* The rows for which there[i] (NULL: all) with a weight; gaps are counted. */
static smr_status take_rows(smr_ctx *ctx, const smr_table *table, const smr_column *col,
                            const double *weights, const bool *there, smr_sample *s)
{
    smr_status st = SMR_OK;
    bool coded = col->kind != SMR_NUMBER;
    dd weight = {0, 0}, sum = {0, 0};
    s->name = col->name;
    TRY_NEW(s->x, table->n_rows + 1);
    if (weights) TRY_NEW(s->w, table->n_rows + 1);
    for (int64_t i = 0; i < table->n_rows; i++) {
        if (weights && weights[i] == 0) continue;
        double v = coded ? (double)smr_column_code(col, i) : smr_column_number(col, i);
        bool gap = there ? !there[i] : coded ? v < 0 : isnan(v);
        s->n_gaps += gap;
        if (gap) continue;
        if (isinf(v))
            return smr_fail(ctx, SMR_ERR_DATA, "'%s' is infinite in row %lld", col->name,
                            (long long)(i + 1));
        if (weights) s->w[s->n] = weights[i];
        s->x[s->n++] = v;
        dd_add(&weight, weights ? weights[i] : 1);
        dd_add_product(&sum, weights ? weights[i] : 1, v);
    }
    s->weight = dd_value(weight);
    s->sum = dd_value(sum);
    if (s->n == 0) return smr_fail(ctx, SMR_ERR_DATA, "'%s' has no value in any row", col->name);
out:
    return st;
}

/* Codes in place of numbers; the text of the levels is kept in `text`, owned. */
static smr_status code_numbers(smr_ctx *ctx, smr_sample *s, smr_text *text, int64_t start[])
{
    smr_status st = SMR_OK;
    double *room = NULL;
    int64_t n = 0;
    TRY_NEW(room, 2 * s->n);
    memcpy(room, s->x, (size_t)s->n * sizeof *room);
    double *sorted = (double *)smr_sort_f64(s->n, room, room + s->n);
    for (int64_t i = 0; i < s->n; i++)
        if (n == 0 || sorted[i] != sorted[n - 1]) {
            if (n == MOST_LEVELS)
                TRY(smr_fail(ctx, SMR_ERR_DATA,
                             "'%s' has more than %d distinct numbers, too many for shares", s->name,
                             MOST_LEVELS));
            sorted[n++] = sorted[i];
        }
    for (int64_t k = 0; k < n; k++) {
        start[k] = text->length;
        smr_text_number(text, sorted[k]);
    }
    TRY(smr_text_done(text));
    start[n] = text->length;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t lo = 0, hi = n - 1;
        while (lo < hi) {
            int64_t middle = (lo + hi + 1) / 2;
            if (sorted[middle] <= s->x[i])
                lo = middle;
            else
                hi = middle - 1;
        }
        s->x[i] = (double)lo;
    }
    s->levels = (smr_strings){.n = n, .start = start, .bytes = text->bytes};
out:
    smr_free(room);
    return st;
}

static smr_status count_levels(smr_ctx *ctx, smr_sample *s)
{
    smr_status st = SMR_OK;
    s->n_levels = s->levels.n;
    TRY_NEW(s->count, s->n_levels + 2);
    for (int64_t i = 0; i < s->n; i++) s->count[(int64_t)s->x[i]] += s->w ? s->w[i] : 1;
out:
    return st;
}

/* ---- which family ----------------------------------------------------------------------- */

static int family_of_numbers(const smr_sample *s, const char **why)
{
    smr_numbers_summary m;
    bool whole = true, binary = true;
    smr_summarize(s->n, s->x, s->w, &m);
    for (int64_t i = 0; i < s->n; i++) {
        whole &= s->x[i] == floor(s->x[i]) && s->x[i] >= 0;
        binary &= s->x[i] == 0 || s->x[i] == 1;
    }
    double dispersion = m.variance / m.mean, variation = sqrt(m.variance) / m.mean;
    *why = "numbers";
    if (binary) {
        *why = "every value is 0 or 1";
        return BERNOULLI;
    }
    if (whole && dispersion > 0.5 && dispersion < 2) {
        *why = "whole numbers from 0 whose variance is about their mean";
        return POISSON;
    }
    if (m.min >= 0 && !whole && variation > 0.8 && variation < 1.25 && m.min < 0.2 * m.mean) {
        *why = "numbers from 0 whose deviation is about their mean";
        return EXPONENTIAL;
    }
    if (whole && m.variance > 0) *why = "whole numbers, but not spread as counts are";
    return GAUSSIAN;
}

static int family_of(const smr_column *col, const smr_sample *s, const char **why)
{
    if (col->kind == SMR_NUMBER) return family_of_numbers(s, why);
    *why = col->levels.n == 2 ? "a category of two levels" : "a category";
    return col->levels.n == 2 ? BERNOULLI : CATEGORICAL;
}

/* Can the family be that of these values? */
static smr_status check_values(smr_ctx *ctx, const smr_column *col, const smr_sample *s, int family)
{
    bool shares = family == BERNOULLI || family == CATEGORICAL;
    if (!shares && col->kind != SMR_NUMBER)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "'%s' is a category, which has no %s distribution; bernoulli and "
                        "categorical have",
                        col->name, FAMILIES[family].name);
    for (int64_t i = 0; i < s->n && !shares; i++) {
        bool below = family != GAUSSIAN && s->x[i] < 0;
        if (below || (family == POISSON && s->x[i] != floor(s->x[i])))
            return smr_fail(ctx, SMR_ERR_DATA, "'%s' has the value %g, which no %s variable has",
                            col->name, s->x[i], FAMILIES[family].name);
    }
    return SMR_OK;
}

/* ---- one column ------------------------------------------------------------------------- */

static void tell_rows(const smr_sample *s, smr_json *into)
{
    smr_json_add_number(into, "rows", (double)s->n);
    if (s->w) smr_json_add_number(into, "weight", s->weight);
    if (s->n_gaps) smr_json_add_number(into, "gaps", (double)s->n_gaps);
}

typedef smr_status (*estimator)(smr_ctx *, const smr_sample *, smr_json *, smr_json *);

static smr_status estimate_sample(smr_ctx *ctx, const smr_column *col, int family, smr_sample *s,
                                  smr_json *into, smr_json *figures)
{
    static const estimator each[] = {smr_estimate_bernoulli, smr_estimate_categorical,
                                     smr_estimate_poisson, smr_estimate_exponential,
                                     smr_estimate_gaussian};
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    int64_t *start = NULL;
    if (family > CATEGORICAL) return each[family](ctx, s, into, figures);
    if (col->kind == SMR_NUMBER) {
        TRY_NEW(start, MOST_LEVELS + 1);
        TRY(code_numbers(ctx, s, &text, start));
    } else
        s->levels = col->levels;
    if (family == BERNOULLI && s->levels.n == 1 && col->kind == SMR_NUMBER) {
        /* all 0 or all 1: the other value is a level too */
        bool ones = text.bytes[0] == '1' && !text.bytes[1];
        for (int64_t i = 0; i < s->n; i++) s->x[i] = ones;
        smr_text_release(&text);
        text = (smr_text){.ctx = ctx};
        smr_text_add(&text, "01");
        TRY(smr_text_done(&text));
        start[1] = 1;
        start[2] = 2;
        s->levels = (smr_strings){.n = 2, .start = start, .bytes = text.bytes};
    }
    if (family == BERNOULLI && s->levels.n != 2)
        TRY(smr_fail(ctx, SMR_ERR_DATA, "'%s' has %lld distinct values; bernoulli needs two",
                     s->name, (long long)s->levels.n));
    TRY(count_levels(ctx, s));
    st = each[family](ctx, s, into, figures);
out:
    smr_free(start);
    smr_text_release(&text);
    return st;
}

/* What all columns are asked. */
struct asked {
    const smr_table *table;
    const double *weights;
    int family; /* -1: by the values */
    struct prior *prior;
    double tail;
};

static smr_status estimate_column(smr_ctx *ctx, const struct asked *a, int64_t col_, smr_json *list,
                                  smr_json *figures)
{
    smr_status st = SMR_OK;
    smr_sample s = {.tail = a->tail};
    const smr_column *col = &a->table->cols[col_];
    const char *why = "given";
    if (col->kind != SMR_NUMBER && col->kind != SMR_CATEGORY)
        return smr_fail(ctx, SMR_ERR_DATA, "'%s' is a column of kind %s, which has no family",
                        col->name, smr_kind_name(col->kind));
    TRY(take_rows(ctx, a->table, col, a->weights, NULL, &s));
    int family = a->family >= 0 ? a->family : family_of(col, &s, &why);
    TRY(check_values(ctx, col, &s, family));
    if (a->prior) {
        TRY(check_prior(ctx, a->prior, family, col->name));
        s.prior = a->prior->p;
        s.n_prior = a->prior->n;
    }
    smr_json *into = smr_json_add_object(list, NULL);
    smr_json_add_string(into, "column", col->name);
    smr_json_add_string(into, "family", FAMILIES[family].name);
    smr_json_add_string(into, "because", why);
    tell_rows(&s, into);
    TRY(estimate_sample(ctx, col, family, &s, into, figures));
out:
    sample_free(&s);
    return st;
}

/* ---- several columns together ----------------------------------------------------------- */

static smr_status estimate_together(smr_ctx *ctx, const struct asked *a, int64_t d,
                                    const int64_t *cols, smr_json *list)
{
    smr_status st = SMR_OK;
    smr_sample *s = NULL;
    bool *there = NULL;
    TRY_NEW(s, d);
    TRY_NEW(there, a->table->n_rows + 1);
    for (int64_t i = 0; i < a->table->n_rows; i++) {
        there[i] = true;
        for (int64_t j = 0; j < d; j++) {
            const smr_column *col = &a->table->cols[cols[j]];
            if (col->kind != SMR_NUMBER)
                TRY(smr_fail(ctx, SMR_ERR_DATA,
                             "'%s' is not a column of numbers, as multivariate-gaussian needs",
                             col->name));
            there[i] &= !isnan(smr_column_number(col, i));
        }
    }
    smr_json *into = smr_json_add_object(list, NULL);
    smr_json *names = smr_json_add_array(into, "columns");
    for (int64_t j = 0; j < d; j++) {
        s[j].tail = a->tail;
        TRY(take_rows(ctx, a->table, &a->table->cols[cols[j]], a->weights, there, &s[j]));
        smr_json_add_string(names, NULL, s[j].name);
    }
    if (a->prior) {
        TRY(check_prior(ctx, a->prior, MULTIVARIATE, s[0].name));
        s[0].prior = a->prior->p;
        s[0].n_prior = a->prior->n;
    }
    smr_json_add_string(into, "family", FAMILIES[MULTIVARIATE].name);
    smr_json_add_string(into, "because", "given");
    tell_rows(&s[0], into);
    TRY(smr_estimate_gaussians(ctx, d, s, into));
out:
    for (int64_t j = 0; s && j < d; j++) sample_free(&s[j]);
    smr_free(s);
    smr_free(there);
    return st;
}

/* The columns that are named, or all that have a family, without the one of weights. */
static smr_status pick(smr_ctx *ctx, const smr_table *table, const char *columns,
                       const char *weight, int64_t **cols, int64_t *n)
{
    smr_status st = SMR_OK;
    int64_t weights = -1;
    if (columns) return smr_pick_columns(ctx, table, columns, cols, n);
    if (weight) TRY(smr_pick_column(ctx, table, weight, &weights));
    *n = 0;
    TRY_NEW(*cols, table->n_cols + 1);
    for (int64_t j = 0; j < table->n_cols; j++) {
        smr_kind kind = table->cols[j].kind;
        if (j != weights && (kind == SMR_NUMBER || kind == SMR_CATEGORY)) (*cols)[(*n)++] = j;
    }
    if (*n == 0) TRY(smr_fail(ctx, SMR_ERR_DATA, "no column has numbers or categories"));
out:
    return st;
}

smr_status smr_estimate_table(smr_ctx *ctx, const smr_table *table, const char *columns,
                              const smr_estimate_opts *opts, smr_json *into, smr_json *figures)
{
    smr_status st = SMR_OK;
    double *weights = NULL, level = opts->level == 0 ? 0.95 : opts->level;
    int64_t *cols = NULL, n = 0;
    struct prior *prior = NULL;
    struct asked a = {.table = table, .family = -1, .tail = 0.5 * (1 - level)};
    if (!(level > 0 && level < 1))
        return smr_fail(ctx, SMR_ERR_PARAM, "a level of %g is not between 0 and 1", level);
    if (opts->family) TRY(find_family(ctx, opts->family, &a.family));
    if (opts->prior) {
        TRY_NEW(prior, 1);
        TRY(read_prior(ctx, opts->prior, prior));
        a.prior = prior;
    }
    TRY(pick(ctx, table, columns, opts->weight, &cols, &n));
    TRY(smr_weights_named(ctx, table, opts->weight, &weights));
    a.weights = weights;
    smr_json_add_number(into, "level", level);
    smr_json *list = smr_json_add_array(into, "estimates");
    if (a.family == MULTIVARIATE)
        TRY(estimate_together(ctx, &a, n, cols, list));
    else
        for (int64_t j = 0; j < n; j++) TRY(estimate_column(ctx, &a, cols[j], list, figures));
out:
    smr_free(prior);
    smr_free(weights);
    smr_free(cols);
    return st;
}
