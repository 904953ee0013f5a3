/* reading_path.c -- the way of one row through a tree, and through all of them.
 *
 * What a tree would say if it ended at a node is the mean of the leaves below, so that along the
 * way of a row
 *
 *     answer = value(root) + sum over questions of [value(child) - value(node)]                 (1)
 *
 * and the bracket is credited to the feature that was asked.  Summed over all trees these are the
 * contributions of Saabas; they add up to the score, but unlike Shapley values they depend on the
 * order of the questions: features near the root get too little.
 * Reference: A. Saabas, Interpreting random forests (2014). */
#include "core/sort.h"
#include "learn/trees/reading.h"

#include <math.h>

enum { MOST_STEPS = 1000 }; /* that are told of one way */

/* ---- one tree --------------------------------------------------------------------------- */

static smr_status add_words(smr_json *into, const char *key, smr_text *words)
{
    smr_status st = smr_text_done(words);
    if (st == SMR_OK) smr_json_add_bytes(into, key, words->bytes, words->length);
    words->length = 0;
    return st;
}

/* The row's value of a feature: a number, the name of a level, or null. */
static smr_status add_value(const smr_tree_names *names, int64_t feature, double x, smr_text *words,
                            smr_json *into)
{
    const smr_feature *f = &names->in[feature];
    bool named = f->kind == SMR_CATEGORY && f->levels && x >= 0 && x < (double)f->levels->n;
    int64_t length;
    if (isnan(x)) {
        smr_json_add_null(into, "value");
    } else if (named) {
        const char *name = smr_strings_get(f->levels, (int64_t)x, &length);
        smr_json_add_bytes(into, "value", name, length);
    } else if (smr_names_date(names, feature)) {
        smr_say_value(names, feature, x, words);
        return add_words(into, "value", words);
    } else {
        smr_json_add_number(into, "value", x);
    }
    return SMR_OK;
}

/* For shares that of class k, else all numbers of the node. */
static void add_said(const smr_reading *r, int64_t node, int64_t k, const char *key, smr_json *into)
{
    if (r->view.says == SMR_SAYS_SHARES)
        smr_json_add_number(into, key, r->value[node * r->width + k]);
    else
        smr_reading_add_what(r, node, key, into);
}

static smr_status add_step(const smr_reading *r, int64_t node, const double *x, int64_t k,
                           smr_text *words, smr_json *list)
{
    smr_status st = SMR_OK;
    int64_t above = r->parent[node];
    smr_tree_node asked = smr_reading_node(r, above);
    const char *name = r->names.in[asked.feature].name;
    smr_json *one = smr_json_add_object(list, NULL);
    smr_say_question(r, above, words);
    TRY(add_words(one, "question", words));
    smr_json_add_string(one, "feature", name ? name : "");
    TRY(add_value(&r->names, asked.feature, x[asked.feature], words, one));
    smr_say_edge(r, node, words);
    TRY(add_words(one, "answer", words));
    add_said(r, above, k, "before", one);
    add_said(r, node, k, "after", one);
    smr_json_add_number(one, "rows", (double)r->view.trees->cover[r->first + node]);
out:
    return st;
}

static int64_t leaf_of(const smr_reading *r, const double *x)
{
    int64_t at = 0;
    while (r->below[at] > 0) {
        smr_tree_node node = smr_reading_node(r, at);
        at = node.child + smr_tree_way(r->view.trees, r->first + at, x[node.feature]);
    }
    return at;
}

/* What the leaf says, with the weight of each class in it. */
static void add_leaf(const smr_reading *r, int64_t leaf, smr_json *into)
{
    const smr_strings *classes = r->names.classes;
    double rows = (double)r->view.trees->cover[r->first + leaf];
    smr_json_add_number(into, "leaf", (double)smr_reading_node(r, leaf).leaf);
    smr_reading_add_what(r, leaf, "then", into);
    smr_json_add_number(into, "rows", rows);
    if (r->view.says != SMR_SAYS_SHARES) return;
    smr_json *list = smr_json_add_array(into, "classes");
    for (int64_t k = 0; k < r->width; k++) {
        double share = r->value[leaf * r->width + k];
        smr_json *one = smr_json_add_object(list, NULL);
        int64_t length;
        if (classes && k < classes->n) {
            const char *name = smr_strings_get(classes, k, &length);
            smr_json_add_bytes(one, "class", name, length);
        } else {
            smr_json_add_number(one, "class", (double)k);
        }
        smr_json_add_number(one, "rows", share * rows);
        smr_json_add_number(one, "share", share);
    }
}

void smr_reading_add_score(const smr_reading *r, smr_json *into)
{
    const smr_strings *classes = r->names.classes;
    int64_t n = r->view.trees->n_scores, length;
    if (r->width > 1 || n < 2 || !classes || classes->n != n) return;
    const char *name = smr_strings_get(classes, r->tree % n, &length);
    smr_json_add_bytes(into, "score_of", name, length);
}

/* The steps from the root on, where they are very many the first and the last of them. */
static smr_status add_steps(const smr_reading *r, const double *x, const int64_t *way, int64_t n,
                            smr_text *words, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_json *list = smr_json_add_array(into, "steps");
    int64_t class = smr_reading_class(r, way[n]), left_out = SMR_MAX(0, n - MOST_STEPS);
    for (int64_t i = 0; i < n; i++) {
        if (left_out && i == MOST_STEPS / 2) i += left_out;
        TRY(add_step(r, way[i], x, class, words, list));
    }
    if (left_out) smr_json_add_number(into, "steps_left_out", (double)left_out);
out:
    return st;
}

smr_status smr_reading_path(smr_ctx *ctx, const smr_reading *r, const double *x, smr_json *into)
{
    smr_status st = SMR_OK;
    int64_t leaf = leaf_of(r, x), n = r->depth[leaf], *way = NULL;
    smr_text words = {.ctx = ctx};
    if (!into) return SMR_ERR_NOMEM;
    TRY_NEW(way, n + 1);
    way[n] = leaf;
    for (int64_t at = leaf, i = n; at > 0; at = r->parent[at]) way[--i] = at;
    if (r->view.says == SMR_SAYS_SHARES) smr_reading_add_what(r, leaf, "share_of", into);
    smr_reading_add_score(r, into);
    TRY(add_steps(r, x, way, n, &words, into));
    bool parted = false;
    for (int64_t i = 0; i < n; i++)
        parted |= isnan(x[smr_reading_node(r, r->parent[way[i]]).feature]);
    add_leaf(r, leaf, into);
    if (parted && r->view.trees->is_shared)
        smr_json_add_string(into, "note",
                            "a value is missing, and the row goes all ways: this is the way of its "
                            "largest part");
    st = smr_json_done(into->doc);
out:
    smr_text_release(&words);
    smr_free(way);
    return st;
}

/* ---- all trees -------------------------------------------------------------------------- */

struct credit {
    int64_t n_in, n_scores, n_questions;
    int64_t *asked; /* n_in                                                               */
    double *moved;  /* n_in x n_scores: the brackets of (1)                               */
    double *start;  /* n_scores: base and roots                                           */
    double *score;  /* n_scores: with all that was moved                                  */
};

static void release_credit(struct credit *c)
{
    smr_free(c->asked);
    smr_free(c->moved);
    smr_free(c->start);
    smr_free(c->score);
}

/* Credits the questions of one tree; part: 1, or 1 / trees where the answer is their mean. */
static void credit_tree(const smr_reading *r, const double *x, double part, struct credit *c)
{
    int64_t leaf = leaf_of(r, x), first = r->width > 1 ? 0 : r->tree % c->n_scores;
    for (int64_t k = 0; k < r->width; k++) c->start[first + k] += part * r->value[k];
    for (int64_t at = leaf; at > 0; at = r->parent[at]) {
        int64_t above = r->parent[at], j = smr_reading_node(r, above).feature;
        c->asked[j]++;
        c->n_questions++;
        for (int64_t k = 0; k < r->width; k++)
            c->moved[j * c->n_scores + first + k] +=
                part * (r->value[at * r->width + k] - r->value[above * r->width + k]);
    }
}

static smr_status credit_all(smr_ctx *ctx, const smr_tree_view *view, const smr_tree_names *names,
                             const double *x, struct credit *c)
{
    smr_status st = SMR_OK;
    smr_reading r = {0};
    double part = view->is_mean ? 1 / (double)SMR_MAX(1, view->trees->n_trees) : 1;
    bool scaled = names->mean && names->sd && !names->classes;
    c->n_in = names->n_in;
    c->n_scores = view->trees->n_scores;
    TRY_NEW(c->asked, c->n_in + 1);
    TRY_NEW(c->moved, (c->n_in + 1) * c->n_scores);
    TRY_NEW(c->start, c->n_scores);
    TRY_NEW(c->score, c->n_scores);
    for (int64_t k = 0; k < c->n_scores; k++) {
        c->start[k] = view->base ? view->base[k] : 0;
        if (scaled && view->says == SMR_SAYS_SCORES)
            c->start[k] = c->start[k] * names->sd[k] + names->mean[k];
    }
    for (int64_t t = 0; t < view->trees->n_trees; t++) {
        TRY(smr_reading_open(ctx, view, names, t, &r));
        credit_tree(&r, x, part, c);
        smr_reading_close(&r);
    }
    for (int64_t k = 0; k < c->n_scores; k++) {
        c->score[k] = c->start[k];
        for (int64_t j = 0; j < c->n_in; j++) c->score[k] += c->moved[j * c->n_scores + k];
    }
out:
    return st;
}

/* The score that is explained: the largest, among equals the first. */
static int64_t best_score(const struct credit *c)
{
    int64_t best = 0;
    for (int64_t k = 1; k < c->n_scores; k++)
        if (c->score[k] > c->score[best]) best = k;
    return best;
}

/* A row for each feature that was asked, those that moved the score most first. */
static smr_status add_features(smr_ctx *ctx, const smr_tree_names *names, const double *x,
                               const struct credit *c, smr_json *into)
{
    smr_status st = SMR_OK;
    double *falling = NULL;
    int64_t *order = NULL, best = best_score(c);
    smr_text words = {.ctx = ctx};
    smr_json *list = smr_json_add_array(into, "contributions");
    TRY_NEW(falling, c->n_in + 1);
    TRY_NEW(order, c->n_in + 1);
    for (int64_t j = 0; j < c->n_in; j++)
        falling[j] = c->asked[j] ? -fabs(c->moved[j * c->n_scores + best]) : INFINITY;
    TRY(smr_argsort_f64(ctx, c->n_in, falling, order));
    for (int64_t i = 0; i < c->n_in && c->asked[order[i]] > 0; i++) {
        int64_t j = order[i];
        smr_json *one = smr_json_add_object(list, NULL);
        smr_json_add_string(one, "feature", names->in[j].name ? names->in[j].name : "");
        TRY(add_value(names, j, x[j], &words, one));
        smr_json_add_number(one, "questions", (double)c->asked[j]);
        smr_json_add_number(one, "contribution", c->moved[j * c->n_scores + best]);
        if (c->n_scores > 1)
            smr_json_add_numbers(one, "of_all", c->moved + j * c->n_scores, c->n_scores);
    }
out:
    smr_text_release(&words);
    smr_free(falling);
    smr_free(order);
    return st;
}

smr_status smr_trees_paths(smr_ctx *ctx, const smr_tree_view *view, const smr_tree_names *names,
                           const double *x, smr_json *into)
{
    smr_status st = SMR_OK;
    struct credit c = {0};
    int64_t length;
    if (!into) return SMR_ERR_NOMEM;
    TRY(credit_all(ctx, view, names, x, &c));
    int64_t best = best_score(&c);
    smr_json_add_number(into, "trees", (double)view->trees->n_trees);
    smr_json_add_number(into, "questions", (double)c.n_questions);
    if (c.n_scores > 1 && names->classes && best < names->classes->n) {
        const char *name = smr_strings_get(names->classes, best, &length);
        smr_json_add_bytes(into, "score_of", name, length);
    }
    if (view->unit) smr_json_add_string(into, "unit", view->unit);
    smr_json_add_number(into, "start", c.start[best]);
    TRY(add_features(ctx, names, x, &c, into));
    smr_json_add_number(into, "score", c.score[best]);
    if (c.n_scores > 1) {
        smr_json_add_numbers(into, "starts", c.start, c.n_scores);
        smr_json_add_numbers(into, "scores", c.score, c.n_scores);
    }
    st = smr_json_done(into->doc);
out:
    release_credit(&c);
    return st;
}
