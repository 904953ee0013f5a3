/* reading.h -- reading a tree: indented text, rules, DOT, a figure, and the way of one row.
 *
 * A reading is one tree of a model with the names that people know it by.  Only a part of a large
 * tree is shown: from the root on, the nodes with the most rows first, and a mark where something
 * is left out, so that what is written is bounded whatever the tree.  Names of any length and
 * content are safe: they are shortened, and control characters become blanks.
 *
 * Cost: O(nodes) for a reading; writing what is shown; O(depth) for a rule and for a way. */
#ifndef SMR_LEARN_TREES_READING_H
#define SMR_LEARN_TREES_READING_H

#include "learn/trees/trees.h"

/* What the numbers of a model of trees are called. */
typedef struct smr_tree_names {
    const smr_feature *in; /* what the trees ask about                                          */
    int64_t n_in;
    const smr_strings *classes; /* NULL: there are none, or they are not known                 */
    const double *mean, *sd;    /* values to predict are v sd + mean; NULL: as they are        */
    const bool *has_gaps;       /* n_in: values were missing in training; NULL: not known      */
} smr_tree_names;

typedef struct smr_reading {
    smr_tree_view view;
    smr_tree_names names;
    int64_t tree;
    int64_t first, n;       /* nodes first .. first + n - 1 of the whole array are its own      */
    int64_t width;          /* numbers of a node                                                */
    double *value;          /* n x width, in the units of the target                            */
    int64_t *parent, *nth;  /* n: the parent, -1 for the root; which of its children it is      */
    int64_t *below, *depth; /* n: nodes below it; questions above it                            */
} smr_reading;

/* The view must be of prepared trees; fails with SMR_ERR_PARAM where there is no such tree. */
smr_status smr_reading_open(smr_ctx *ctx, const smr_tree_view *view, const smr_tree_names *names,
                            int64_t tree, smr_reading *out);
void smr_reading_close(smr_reading *reading);

/* How much of it is shown; 0: all. */
typedef struct smr_reading_limits {
    int64_t nodes, depth;
} smr_reading_limits;

/* ---- ways to see it --------------------------------------------------------------------- */

/* Adds a line for each node that is shown, as strings to an array:
 *
 *     150 rows, setosa 33.3 %
 *     petal_width <= 0.8 -> setosa  (50 rows, 100 %)
 *     petal_width > 0.8  (100 rows, versicolor 50 %)
 *     |  petal_width <= 1.75 -> versicolor  (54 rows, 90.7 %)
 *     |  petal_width > 1.75  (46 rows, virginica 97.8 %)  ... 2 more nodes
 *
 * Where only some of many ways are shown, the rest has a line of its own.                        */
smr_status smr_reading_text(smr_ctx *ctx, const smr_reading *r, smr_reading_limits limits,
                            smr_json *lines);

/* A graph for graphviz; nodes are named n0, n1 ... by their place in the tree. */
smr_status smr_reading_dot(smr_ctx *ctx, const smr_reading *r, smr_reading_limits limits,
                           smr_text *out);

/* A figure of kind tree (core/figure.h). */
smr_status smr_reading_figure(smr_ctx *ctx, const smr_reading *r, smr_reading_limits limits,
                              const char *name, smr_json *figures);

/* Adds an object for each leaf to an array, those with the most rows first (most 0: all):
 *
 *     {"if": "0.8 < petal_width <= 1.75 and petal_length <= 4.95",
 *      "then": "versicolor", "rows": 48, "coverage": 0.32, "confidence": 0.979,
 *      "conditions": [{"feature": "petal_width", "above": 0.8, "to": 1.75, "missing": false}, ...],
 *      "leaf": 3}
 *
 * A row is covered where all conditions hold: feature > above, feature <= to, its level among
 * "levels"; a missing value where "missing" is true.  Every row, even with missing values, is
 * covered by exactly one rule, unless rows with missing values go all ways (is_shared).  then: the
 * class, or the numbers of the leaf; confidence: the class' share; leaf: among all leaves. */
smr_status smr_reading_rules(smr_ctx *ctx, const smr_reading *r, int64_t most, smr_json *rules);

/* ---- the way of one row ----------------------------------------------------------------- */

/* The child of an inner node that a row with value x goes to, 0 ...; without is_shared. */
int64_t smr_tree_way(const smr_trees *trees, int64_t node, double x);

/* Adds "steps": the questions that are asked of row x (n_in doubles, codes as numbers, NaN
 * missing), its answers, and what the tree would say before and after each; then "leaf", "then",
 * "rows".  Where rows with missing values go all ways, it is the way of the largest share. */
smr_status smr_reading_path(smr_ctx *ctx, const smr_reading *r, const double *x, smr_json *into);

/* Adds what all trees make of row x: "questions" and, for each score, how much it moved where each
 * feature was asked (Saabas): base + sum of all contributions = the score. */
smr_status smr_trees_paths(smr_ctx *ctx, const smr_tree_view *view, const smr_tree_names *names,
                           const double *x, smr_json *into);

/* ---- words, for the files of reading ---------------------------------------------------- */

/* Which nodes are shown: a node's parent always is. */
smr_status smr_reading_choose(smr_ctx *ctx, const smr_reading *r, smr_reading_limits limits,
                              bool **shown);
/* Nodes below a node that are left out between it and those that are shown. */
int64_t smr_reading_hidden(const smr_reading *r, const bool *shown, int64_t node);

smr_tree_node smr_reading_node(const smr_reading *r, int64_t node); /* its child: in the tree */
/* Text on one line, at most this many characters. */
void smr_say_text(smr_text *out, const char *bytes, int64_t length, int64_t most);
void smr_say_feature(const smr_reading *r, int64_t feature, smr_text *out);
void smr_say_level(const smr_reading *r, int64_t feature, int64_t code, smr_text *out);
/* Is the feature a date, in days? */
bool smr_names_date(const smr_tree_names *names, int64_t feature);
/* A threshold or a value of the feature: "24.35", "2024-02-18", "2024-02-18 12:00". */
void smr_say_value(const smr_tree_names *names, int64_t feature, double x, smr_text *out);
/* "petal_width <= 0.8": what holds for rows that go from `node` to its child c. */
void smr_say_answer(const smr_reading *r, int64_t node, int64_t c, smr_text *out);
/* The question of an inner node, which its first child answers with yes; for a multiway split the
 * feature. */
void smr_say_question(const smr_reading *r, int64_t node, smr_text *out);
/* "yes", "no", or the level: the answer that leads to a node. */
void smr_say_edge(const smr_reading *r, int64_t node, smr_text *out);
/* Adds the class, or the number or numbers, that a node says. */
void smr_reading_add_what(const smr_reading *r, int64_t node, const char *key, smr_json *into);
/* Adds "score_of": whose score the tree adds to, where each class has trees of its own. */
void smr_reading_add_score(const smr_reading *r, smr_json *into);
/* "setosa", "24.6", "+0.31". */
void smr_say_what(const smr_reading *r, int64_t node, smr_text *out);
/* "50 rows". */
void smr_say_rows(const smr_reading *r, int64_t node, smr_text *out);
/* "100 rows, versicolor 50 %"; for a leaf, whose answer is given separately, "100 rows, 50 %". */
void smr_say_counts(const smr_reading *r, int64_t node, bool leaf, smr_text *out);
/* "98.7 %"; less than all is never 100 %. */
void smr_say_share(double share, smr_text *out);
/* The class with the largest share at a node, among equals the first. */
int64_t smr_reading_class(const smr_reading *r, int64_t node);
/* Codes that go to child c of a node. */
typedef struct smr_code_test {
    smr_tree_node node;
    int64_t c, n_levels, covered; /* codes of the feature; those that training saw here */
    bool rest;                    /* do the others pass?                                */
} smr_code_test;

smr_code_test smr_reading_test(const smr_reading *r, const smr_tree_node *node, int64_t c);
bool smr_code_passes(const void *test, int64_t code);
/* Some of n levels: "= red", "in {red, blue}", "not in {red}". */
void smr_say_set(const smr_reading *r, int64_t feature, bool (*has)(const void *set, int64_t code),
                 const void *set, int64_t n, smr_text *out);
/* Is the node asked in codes: a set, or a cut through a category? */
bool smr_reading_asks_codes(const smr_reading *r, const smr_tree_node *node);
/* Does a missing value go to child c? */
bool smr_reading_missing_goes(const smr_reading *r, const smr_tree_node *node, int64_t c);

#endif
