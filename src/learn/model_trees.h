/* model_trees.h -- the trees of a model, for reading: its own, or those of its members.
 *
 * Trees are counted from 0: those of the last stage, or, where it is made of members, those of the
 * first member, of the second ... */
#ifndef SMR_LEARN_MODEL_TREES_H
#define SMR_LEARN_MODEL_TREES_H

#include "learn/member.h"
#include "learn/model.h"
#include "learn/trees/reading.h"

typedef struct smr_model_tree {
    smr_tree_view view;
    smr_tree_names names;
    int64_t tree; /* its number among those of the view                        */
    const smr_member *way[SMR_MEMBER_DEPTH]; /* the members that lead to it                     */
    int64_t n_way;
    bool *gaps; /* names.has_gaps; owned                                     */
} smr_model_tree;

/* The trees of a stage; trees is NULL where it has none of its own. */
smr_tree_view smr_stage_trees(const smr_stage *stage);
int64_t smr_model_count_trees(const smr_model *model);

/* Fails with SMR_ERR_PARAM where there is no such tree, SMR_ERR_UNSUPPORTED where there is none at
 * all. */
smr_status smr_model_find_tree(smr_ctx *ctx, const smr_model *model, int64_t number,
                               smr_model_tree *out);
void smr_model_tree_release(smr_model_tree *tree);

/* Adds to what a stage learned the tree that is asked for: "tree", its number where there are
 * several, and "tree_text", lines of text; and to figures the figure "tree". */
smr_status smr_describe_tree(smr_ctx *ctx, const smr_model *model, const smr_tree_how *how,
                             smr_json *stage);
smr_status smr_draw_tree(smr_ctx *ctx, const smr_model *model, const smr_tree_how *how,
                         smr_json *figures);
/* Is there a tree to be drawn? */
bool smr_tree_is_drawn(const smr_model *model, const smr_tree_how *how);
/* The same for the only tree of a member, if it has one and it is small. */
smr_status smr_describe_member_tree(smr_ctx *ctx, const smr_stage *stage, const smr_feature *in,
                                    const smr_strings *classes, smr_json *row);

/* *x (owned by the caller): row `row` of the table as that tree gets it. */
smr_status smr_model_tree_row(smr_ctx *ctx, const smr_model *model, const smr_model_tree *tree,
                              const smr_table *table, int64_t row, double **x);

#endif
