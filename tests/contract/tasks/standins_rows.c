/* standins_rows.c -- ratings and sequences: see standins.h. */
#include "standins.h"

#include "core/sort.h"

#include <math.h>
#include <string.h>

/* ---- z_rate ----------------------------------------------------------------------------- */

struct rates {
    int64_t rated, n_users, n_items, n_had;
    double mean;
    double *user, *item;
    int64_t *start; /* of each user's items */
    int32_t *had;
    int64_t n_start;
};

static const smr_state rates_state[] = {
    {SMR_KEPT(struct rates, rated), .max = 1, .doc = "Were there ratings?"},
    {SMR_KEPT(struct rates, n_users), .min = 1, .doc = "Users."},
    {SMR_KEPT(struct rates, n_items), .min = 1, .doc = "Items."},
    {SMR_KEPT(struct rates, n_had), .doc = "Items that users had."},
    {SMR_KEPT(struct rates, n_start), .min = 2, .doc = "Users and one."},
    {SMR_KEPT(struct rates, mean), .doc = "Of all ratings."},
    {SMR_KEPT(struct rates, user), .dims = {"n_users"}, .doc = "How much higher users rate."},
    {SMR_KEPT(struct rates, item), .dims = {"n_items"}, .doc = "How much higher items are rated."},
    {SMR_KEPT(struct rates, start), .dims = {"n_start"}, .doc = "Where a user's items begin."},
    {SMR_KEPT(struct rates, had), .dims = {"n_had"}, .doc = "Items, ascending for each user."},
};

static int by_user_and_item(const void *roles_, int64_t a, int64_t b)
{
    const smr_roles *r = roles_;
    if (r->user[a] != r->user[b]) return r->user[a] < r->user[b] ? -1 : 1;
    return r->item[a] == r->item[b] ? 0 : r->item[a] < r->item[b] ? -1 : 1;
}

static smr_status note_had(smr_ctx *ctx, const smr_data *data, struct rates *s)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL;
    s->n_start = s->n_users + 1;
    TRY_NEW(order, data->n_rows);
    TRY_NEW(s->start, s->n_start);
    TRY_NEW(s->had, data->n_rows);
    TRY(smr_argsort(ctx, data->n_rows, by_user_and_item, (void *)(uintptr_t)&data->roles, order));
    for (int64_t i = 0; i < data->n_rows; i++) {
        int32_t user = data->roles.user[order[i]], item = data->roles.item[order[i]];
        if (user < 0 || item < 0) continue;
        bool again = s->start[user + 1] && s->had[s->n_had - 1] == item;
        if (again) continue;
        s->had[s->n_had++] = item;
        s->start[user + 1]++;
    }
    for (int64_t u = 0; u < s->n_users; u++) s->start[u + 1] += s->start[u];
out:
    smr_free(order);
    return st;
}

/* Mean of what `of` has for each code, less what is explained by the mean and `other`. */
static smr_status find_means(smr_ctx *ctx, const smr_data *data, const struct rates *s,
                             const int32_t *code, int64_t n, const int32_t *other,
                             const double *explained, double *out)
{
    smr_status st = SMR_OK;
    double *weight = NULL;
    TRY_NEW(weight, n);
    for (int64_t i = 0; i < data->n_rows; i++) {
        double w = smr_data_weight(data, i);
        if (code[i] < 0) continue;
        weight[code[i]] += w;
        double left = s->rated ? data->y[i] - s->mean : 1;
        if (explained && other[i] >= 0) left -= explained[other[i]];
        out[code[i]] += w * left;
    }
    for (int64_t k = 0; s->rated && k < n; k++) out[k] = weight[k] > 0 ? out[k] / weight[k] : 0;
out:
    smr_free(weight);
    return st;
}

static smr_status fit_rates(smr_ctx *ctx, const void *params, const smr_data *data, void *state_,
                            smr_fit_report *report)
{
    struct rates *s = state_;
    const smr_roles *r = &data->roles;
    smr_status st = SMR_OK;
    double total = 0;
    (void)params, (void)report;
    if (!r->user || !r->item)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "z_rate learns who likes what: name the columns with --user and --item");
    s->rated = data->y != NULL;
    s->n_users = data->n_users;
    s->n_items = data->n_items;
    TRY_NEW(s->user, s->n_users);
    TRY_NEW(s->item, s->n_items);
    for (int64_t i = 0; i < data->n_rows; i++) total += smr_data_weight(data, i);
    for (int64_t i = 0; s->rated && i < data->n_rows; i++)
        s->mean += smr_data_weight(data, i) / total * data->y[i];
    TRY(find_means(ctx, data, s, r->user, s->n_users, NULL, NULL, s->user));
    TRY(find_means(ctx, data, s, r->item, s->n_items, r->user, s->rated ? s->user : NULL, s->item));
    TRY(note_had(ctx, data, s));
out:
    return st;
}

static smr_status check_rates(smr_ctx *ctx, const void *params, const void *state_,
                              const smr_shape *shape)
{
    const struct rates *s = state_;
    (void)params;
    bool good = s->n_users == shape->n_users && s->n_items == shape->n_items &&
                s->n_start == s->n_users + 1 && s->start[0] == 0 &&
                s->start[s->n_users] == s->n_had;
    for (int64_t u = 0; good && u < s->n_users; u++) good = s->start[u] <= s->start[u + 1];
    for (int64_t i = 0; good && i < s->n_had; i++) good = s->had[i] >= 0 && s->had[i] < s->n_items;
    if (good) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_FORMAT, "the model file is damaged: its users and items");
}

static double rate(const struct rates *s, int64_t user, int64_t item)
{
    double of_item = item < 0 ? 0 : s->item[item];
    return s->rated ? s->mean + (user < 0 ? 0 : s->user[user]) + of_item : of_item;
}

static smr_status predict_rates(smr_ctx *ctx, const void *params, const void *state,
                                const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    (void)ctx, (void)params, (void)output, (void)scratch;
    for (int64_t i = 0; i < rows->n; i++)
        out[i] = rate(state, rows->roles.user[i], rows->roles.item[i]);
    return SMR_OK;
}

static unsigned rates_give(const void *params, const void *state)
{
    (void)params;
    return ((const struct rates *)state)->rated ? SMR_GIVES_VALUE : SMR_GIVES_SCORE;
}

struct ranked {
    const struct rates *s;
    int64_t user;
};

static int by_rate(const void *ranked_, int64_t a, int64_t b)
{
    const struct ranked *r = ranked_;
    double x = rate(r->s, r->user, a), y = rate(r->s, r->user, b);
    return x > y ? -1 : x < y;
}

static smr_status best_rates(smr_ctx *ctx, const void *params, const void *state, int64_t user,
                             const bool *skip, int64_t *n, int32_t *item, double *score)
{
    struct ranked r = {state, user};
    smr_status st = SMR_OK;
    int64_t *order = NULL, most = *n;
    (void)params;
    *n = 0;
    TRY_NEW(order, r.s->n_items);
    TRY(smr_argsort(ctx, r.s->n_items, by_rate, &r, order));
    for (int64_t k = 0; k < r.s->n_items && *n < most; k++) {
        if (skip && skip[order[k]]) continue;
        score[*n] = rate(state, user, order[k]);
        item[(*n)++] = (int32_t)order[k];
    }
out:
    smr_free(order);
    return st;
}

static const int32_t *had_rates(const void *params, const void *state_, int64_t user, int64_t *n)
{
    const struct rates *s = state_;
    (void)params;
    *n = user < 0 ? 0 : s->start[user + 1] - s->start[user];
    return user < 0 ? s->had : s->had + s->start[user];
}

static const smr_can_rank ranks = {.best = best_rates, .had = had_rates};
static const smr_fitted rates = {
    .state = rates_state,
    .n_state = SMR_COUNT(rates_state),
    .state_size = sizeof(struct rates),
    .gives = SMR_GIVES_VALUE | SMR_GIVES_SCORE,
    .gives_with = rates_give,
    .check = check_rates,
    .predict = predict_rates,
    .rank = &ranks,
};
static const smr_word rates_word = {
    .name = "z_rate",
    .family = "standin",
    .title = "Ratings of a stand-in",
    .brief = "The overall mean, the user's and the item's.",
    .objective = "mean + user + item",
    .example = "samara train z_rate ratings.csv --target rating --user who --item what",
};
const smr_learner smr_z_rate = {
    .word = &rates_word,
    .tasks = SMR_DOES_RECOMMEND,
    .takes =
        SMR_TAKES_F64 | SMR_TAKES_WEIGHTS | SMR_TAKES_ROLES | SMR_TAKES_MISSING | SMR_TAKES_CODES,
    .fit = fit_rates,
    .fitted = &rates,
};

/* ---- z_steps ---------------------------------------------------------------------------- */

enum { SYMBOLS = 4 };

/* A symbol is the first feature, cut at its mean and one deviation to either side. */
struct steps {
    int64_t k, found, symbols, before; /* classes; 1: states of its own; 4; k + 1 */
    double mean, sd;
    double *emits; /* k x symbols: counts, and 1            */
    double *moves; /* k + 1 x k: from a class, or the start */
};

static const smr_state steps_state[] = {
    {SMR_KEPT(struct steps, k), .min = 1, .doc = "Classes, or states."},
    {SMR_KEPT(struct steps, found), .max = 1, .doc = "States of its own?"},
    {SMR_KEPT(struct steps, symbols), .min = SYMBOLS, .max = SYMBOLS, .doc = "Symbols."},
    {SMR_KEPT(struct steps, before), .min = 2, .doc = "Classes and the start."},
    {SMR_KEPT(struct steps, mean), .doc = "Of the first feature."},
    {SMR_KEPT(struct steps, sd), .doc = "The same."},
    {SMR_KEPT(struct steps, emits), .dims = {"k", "symbols"}, .doc = "Symbols of each class."},
    {SMR_KEPT(struct steps, moves), .dims = {"before", "k"}, .doc = "Classes after each class."},
};

static int64_t symbol(const struct steps *s, double x)
{
    return (x >= s->mean - s->sd) + (x >= s->mean) + (x >= s->mean + s->sd);
}

/* Share of column j among n counts. */
static double share(const double *count, int64_t n, int64_t j)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += count[i];
    return count[j] / sum;
}

static void find_moments(const smr_data *data, const double *x, struct steps *s)
{
    double total = 0;
    for (int64_t i = 0; i < data->n_rows; i++) {
        double w = smr_data_weight(data, i), off = x[i * data->n_features] - s->mean;
        total += w;
        if (w <= 0) continue;
        s->mean += w / total * off;
        s->sd += w * off * (x[i * data->n_features] - s->mean);
    }
    s->sd = sqrt(s->sd / total);
}

static smr_status fit_steps(smr_ctx *ctx, const void *params, const smr_data *data, void *state_,
                            smr_fit_report *report)
{
    struct steps *s = state_;
    smr_status st = SMR_OK;
    double *x = NULL;
    (void)params, (void)report;
    s->found = data->n_classes == 0;
    s->k = s->found ? 2 : data->n_classes;
    s->before = s->k + 1;
    s->symbols = SYMBOLS;
    TRY_NEW(s->emits, s->k * SYMBOLS);
    TRY_NEW(s->moves, s->before * s->k);
    TRY(standin_rows(ctx, data, &x));
    find_moments(data, x, s);
    for (int64_t i = 0; i < s->k * SYMBOLS; i++) s->emits[i] = 1;
    for (int64_t i = 0; i < s->before * s->k; i++) s->moves[i] = 1;
    for (int64_t q = 0; q < (data->border ? data->n_sequences : data->n_rows); q++) {
        int64_t from = data->border ? data->border[q] : q, last = s->k;
        int64_t to = data->border ? data->border[q + 1] : q + 1;
        for (int64_t i = from; i < to; i++) {
            double w = smr_data_weight(data, i), v = x[i * data->n_features];
            int64_t c = s->found ? v >= s->mean : data->label[i];
            s->emits[c * SYMBOLS + symbol(s, v)] += w;
            s->moves[last * s->k + c] += w;
            last = c;
        }
    }
out:
    smr_free(x);
    return st;
}

static smr_status check_steps(smr_ctx *ctx, const void *params, const void *state_,
                              const smr_shape *shape)
{
    const struct steps *s = state_;
    bool good = s->before == s->k + 1 && (s->found ? s->k == 2 : s->k == shape->n_classes);
    (void)params;
    for (int64_t i = 0; good && i < s->k * SYMBOLS; i++) good = s->emits[i] > 0;
    for (int64_t i = 0; good && i < s->before * s->k; i++) good = s->moves[i] > 0;
    if (good) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_FORMAT, "the model file is damaged: its steps");
}

/* One sequence: the path that is best step by step, or chances without the class before, or how
 * likely that path is. */
static void walk(const struct steps *s, const smr_rows *rows, int64_t from, int64_t to,
                 smr_output output, double *out)
{
    int64_t last = s->k;
    double likely = 0;
    for (int64_t i = from; i < to; i++) {
        int64_t at = symbol(s, standin_row(rows, i)[0]), best = 0;
        double most = -1, sum = 0, *proba = out + i * s->k;
        for (int64_t c = 0; c < s->k; c++) {
            double emit = share(s->emits + c * SYMBOLS, SYMBOLS, at);
            double both = emit * share(s->moves + last * s->k, s->k, c);
            if (both > most) {
                most = both;
                best = c;
            }
            if (output == SMR_OUTPUT_PROBA) sum += proba[c] = emit;
        }
        likely += log(most);
        last = best;
        for (int64_t c = 0; output == SMR_OUTPUT_PROBA && c < s->k; c++) proba[c] /= sum;
        if (output == SMR_OUTPUT_LABEL) out[i] = (double)best;
    }
    for (int64_t i = from; output == SMR_OUTPUT_SCORE && i < to; i++) out[i] = likely;
}

static smr_status predict_steps(smr_ctx *ctx, const void *params, const void *state,
                                const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    (void)ctx, (void)params, (void)scratch;
    if (!rows->border)
        for (int64_t i = 0; i < rows->n; i++) walk(state, rows, i, i + 1, output, out);
    for (int64_t q = 0; rows->border && q < rows->n_sequences; q++)
        walk(state, rows, rows->border[q] - rows->border[0], rows->border[q + 1] - rows->border[0],
             output, out);
    return SMR_OK;
}

static int64_t count_states(const void *params, const void *state)
{
    (void)params;
    return ((const struct steps *)state)->k;
}

static const smr_can_cluster states = {.count = count_states};
static const smr_fitted steps = {
    .state = steps_state,
    .n_state = SMR_COUNT(steps_state),
    .state_size = sizeof(struct steps),
    .gives = SMR_GIVES_LABEL | SMR_GIVES_PROBA | SMR_GIVES_SCORE,
    .check = check_steps,
    .predict = predict_steps,
    .clusters = &states,
    .block_rows = 16, /* so that small tables have several blocks */
};
static const smr_word steps_word = {
    .name = "z_steps",
    .family = "standin",
    .title = "Steps of a stand-in",
    .brief = "Classes of steps from a symbol and the class before; without classes, two states.",
    .objective = "argmax P(symbol | class) P(class | class before)",
    .example = "samara train z_steps walks.csv --target kind --sequence walk --time minute",
};
const smr_learner smr_z_steps = {
    .word = &steps_word,
    .tasks = SMR_DOES_SEQUENCE,
    .takes = SMR_TAKES_F64 | SMR_TAKES_WEIGHTS | SMR_TAKES_SEQUENCES,
    .fit = fit_steps,
    .fitted = &steps,
};
