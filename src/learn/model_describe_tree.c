/* model_describe_tree.c -- the tree that inspect shows: as lines of text, and as a figure. */
#include "learn/model_trees.h"

/* What is read at a glance: text, a picture, one of many members. */
static const smr_reading_limits text_limits = {.nodes = 60, .depth = 8};
static const smr_reading_limits figure_limits = {.nodes = 48, .depth = 5};
static const smr_reading_limits member_limits = {.nodes = 15, .depth = 4};
enum { MOST_DRAWN = 1000 }; /* nodes, however many are asked for */

/* -1: none is shown. */
static int64_t wanted(const smr_model *m, const smr_tree_how *how)
{
    if (how->tree >= 0) return how->tree;
    return smr_model_count_trees(m) == 1 && smr_stage_trees(smr_model_last(m)).trees ? 0 : -1;
}

/* If a depth is given, all nodes down to it are wanted. */
static smr_reading_limits limits_of(const smr_tree_how *how, smr_reading_limits usual)
{
    if (how->depth >= 0) {
        usual.depth = how->depth;
        usual.nodes = 0;
    }
    if (how->nodes >= 0) {
        usual.nodes = how->nodes;
        if (how->depth < 0) usual.depth = 0;
    }
    return usual;
}

static smr_status add_text(smr_ctx *ctx, const smr_reading *r, smr_reading_limits limits,
                           smr_json *row)
{
    return smr_reading_text(ctx, r, limits, smr_json_add_array(row, "tree_text"));
}

smr_status smr_describe_tree(smr_ctx *ctx, const smr_model *m, const smr_tree_how *how,
                             smr_json *row)
{
    smr_status st = SMR_OK;
    smr_model_tree tree = {0};
    smr_reading r = {0};
    int64_t number = wanted(m, how);
    if (number < 0) return SMR_OK;
    TRY(smr_model_find_tree(ctx, m, number, &tree));
    TRY(smr_reading_open(ctx, &tree.view, &tree.names, tree.tree, &r));
    if (smr_model_count_trees(m) > 1) smr_json_add_number(row, "tree", (double)number);
    smr_reading_add_score(&r, row);
    TRY(add_text(ctx, &r, limits_of(how, text_limits), row));
out:
    smr_reading_close(&r);
    smr_model_tree_release(&tree);
    return st;
}

bool smr_tree_is_drawn(const smr_model *m, const smr_tree_how *how)
{
    return wanted(m, how) >= 0;
}

smr_status smr_draw_tree(smr_ctx *ctx, const smr_model *m, const smr_tree_how *how,
                         smr_json *figures)
{
    smr_status st = SMR_OK;
    smr_model_tree tree = {0};
    smr_reading r = {0};
    smr_tree_how drawn = {how->tree, -1, how->depth}; /* a number of lines is not a number of
                                                         boxes */
    smr_reading_limits limits = limits_of(&drawn, figure_limits);
    if (limits.nodes == 0) limits.nodes = MOST_DRAWN;
    TRY(smr_model_find_tree(ctx, m, wanted(m, how), &tree));
    TRY(smr_reading_open(ctx, &tree.view, &tree.names, tree.tree, &r));
    TRY(smr_reading_figure(ctx, &r, limits, "tree", figures));
out:
    smr_reading_close(&r);
    smr_model_tree_release(&tree);
    return st;
}

smr_status smr_describe_member_tree(smr_ctx *ctx, const smr_stage *stage, const smr_feature *in,
                                    const smr_strings *classes, smr_json *row)
{
    smr_status st = SMR_OK;
    smr_tree_view view = smr_stage_trees(stage);
    smr_tree_names names = {.in = in, .n_in = stage->n_in, .classes = classes};
    smr_reading r = {0};
    if (!view.trees || view.trees->n_trees != 1 || !in) return SMR_OK;
    TRY(smr_reading_open(ctx, &view, &names, 0, &r));
    TRY(add_text(ctx, &r, member_limits, row));
out:
    smr_reading_close(&r);
    return st;
}
