/* jtree.h -- exact inference: a tree of cliques that pass messages (Lauritzen & Spiegelhalter).
 *
 * The graph is moralised (parents of a child are joined) and made chordal by eliminating nodes one
 * by one; each leaves a clique.  Two orders are tried, the node that adds fewest edges first
 * (min-fill) and the one whose clique is smallest (min-weight), ties by the other measure and then
 * by the lower number; the one with fewer cells is kept.  The cliques form a tree in which those
 * that hold a variable are connected.
 *
 *     psi_C = product of the tables assigned to C                                             (1)
 *     mu_S  = sum over C \ S of psi_C, from the leaves to the root: psi_parent *= mu_S        (2)
 *     from the root back: psi_C *= mu'_S / mu_S with 0 / 0 = 0                                (3)
 *
 * after which psi_C is proportional to P(C, evidence).  Messages are divided by their sums, whose
 * logarithms add up to log P(evidence), so nothing underflows.  Memory is known before any of it is
 * taken (smr_jtree_plan).  References: Lauritzen & Spiegelhalter, J. R. Stat. Soc. B 50 (1988);
 * Jensen, Lauritzen & Olesen, Comp. Stat. Quart. 4 (1990). */
#ifndef SMR_LEARN_GRAPHICAL_JTREE_H
#define SMR_LEARN_GRAPHICAL_JTREE_H

#include "learn/graphical/network.h"

typedef struct smr_jtree {
    const smr_tables *of;
    int64_t n_cliques;
    int64_t *var_at; /* n_cliques + 1: variables of a clique, ascending                 */
    int32_t *var;
    int64_t *cell_at; /* n_cliques + 1: its cells, the last variable changing fastest    */
    int32_t *up;      /* the next clique towards the root, a higher number; the last: -1 */
    int64_t *sep_at;  /* n_cliques + 1: cells of the message to it                       */
    int32_t *own;     /* cell of a clique -> cell of its message up                      */
    int64_t *over_at; /* n_cliques + 1                                                   */
    int32_t *over;    /* cell of clique up[c] -> cell of c's message; from over_at[c]    */
    int32_t *home;    /* n: the smallest clique that holds the node and its parents      */
    int64_t *step;    /* n: cells of the home from one level of the node to the next     */
    int64_t *from_at; /* n + 1                                                           */
    int32_t *from;    /* cell of a node's home -> cell of its table; from from_at[node]  */
    double *base;     /* (1), without evidence                                           */
} smr_jtree;

/* What a tree would take, without making it. */
typedef struct smr_jtree_plan {
    double cells, bytes; /* of all cliques; of everything, with one work */
    int64_t widest;
    double largest; /* cells of the largest clique */
} smr_jtree_plan;

/* With the nodes of `together` (n_together; may be 0) in one clique, towards whose root messages
 * go: the last clique of the tree.  The plan alone, or the tree too (out NULL: not); `tables` stays
 * where it is.  Fails where the plan passes the memory budget; `hint` says what to do then. */
smr_status smr_jtree_plan_for(smr_ctx *ctx, const smr_tables *tables, const int32_t *together,
                              int64_t n_together, smr_jtree_plan *plan);
smr_status smr_jtree_make(smr_ctx *ctx, const smr_tables *tables, const int32_t *together,
                          int64_t n_together, const char *hint, smr_jtree *out);
/* The same, which fails where the plan passes `most` bytes too. */
smr_status smr_jtree_make_within(smr_ctx *ctx, double most, const smr_tables *tables,
                                 const int32_t *together, int64_t n_together, const char *hint,
                                 smr_jtree *out);
void smr_jtree_release(smr_jtree *t);
/* Other numbers in the same tables: `base` is computed anew. */
void smr_jtree_refresh(smr_jtree *t);

/* Doubles that one work needs: cells, and messages. */
int64_t smr_jtree_work(const smr_jtree *t);

/* (1) with evidence[i] the level of node i or -1 (NULL: none), before any message. */
void smr_jtree_enter(const smr_jtree *t, const int32_t *evidence, double *work);

/* Messages to the root, with evidence[i] the level of node i or -1; then, if `all`, back.
 * log P(evidence), or -INFINITY: it has probability 0, and the work holds nothing. */
double smr_jtree_run(const smr_jtree *t, const int32_t *evidence, bool all, double *work);

/* After a run: P(node = k | evidence), k < levels.  Without `all` only for nodes of the root. */
void smr_jtree_marginal(const smr_jtree *t, const double *work, int64_t node, double *out);
/* The joint probabilities of nodes that share the root clique, the last changing fastest. */
void smr_jtree_joint(const smr_jtree *t, const double *work, const int32_t *node, int64_t n,
                     double *out);
/* level: the likeliest levels of all nodes given the evidence (jtree_best.c); false: the evidence
 * has probability 0.  No run is needed before, and none is left in the work. */
bool smr_jtree_best(const smr_jtree *t, const int32_t *evidence, double *work, int32_t *level);
/* log P(all levels). */
double smr_tables_log_joint(const smr_tables *tables, const int32_t *level);

/* Adds weight * P(parents, node | evidence) to a table of counts like the node's own. */
void smr_jtree_add_family(const smr_jtree *t, const double *work, int64_t node, double weight,
                          double *counts);

#endif
