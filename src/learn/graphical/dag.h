/* dag.h -- directed acyclic graphs: order, cycles, and which variables tell about which.
 *
 * Node i has the parents parent[start[i] .. start[i+1]), in the order of its table.  Two nodes are
 * separated by others (d-separation) if every path between them is blocked: at a node that is given
 * and is no collider (-> node <-) of the path, or at a collider that is neither given nor has a
 * descendant that is.  Separated nodes are independent in every distribution that has this graph.
 * Reference: Pearl, Probabilistic Reasoning in Intelligent Systems (1988), section 3.3; the search
 * is Shachter's, Bayes-ball, UAI 1998. */
#ifndef SMR_LEARN_GRAPHICAL_DAG_H
#define SMR_LEARN_GRAPHICAL_DAG_H

#include "core/ctx.h"

typedef struct smr_dag {
    int64_t n;
    const int64_t *start;
    const int32_t *parent;
} smr_dag;

static inline int64_t smr_dag_n_parents(const smr_dag *dag, int64_t i)
{
    return dag->start[i + 1] - dag->start[i];
}

/* Is there an edge from a to b? */
bool smr_dag_has_edge(const smr_dag *dag, int64_t a, int64_t b);

/* order[0..n) = the nodes, parents before children; of those that may come next, the lowest.
 * Where there is a cycle, *n_cycle of its nodes are in order[], each the parent of the next and the
 * last the parent of the first; else *n_cycle is 0. */
smr_status smr_dag_order(smr_ctx *ctx, const smr_dag *dag, int32_t *order, int64_t *n_cycle);

/* A path between two nodes, and where it is blocked. */
typedef struct smr_trail {
    int64_t n;
    int32_t *node;
    int64_t blocked_at; /* place in the path; -1: it is open */
} smr_trail;

/* What the search found: open, with one shortest open path; or separated, with paths that are
 * blocked (the first in the order of nodes, at most SMR_MOST_TRAILS). */
enum { SMR_MOST_TRAILS = 12 };

typedef struct smr_separation {
    bool separated;
    int64_t n_trails;
    smr_trail trail[SMR_MOST_TRAILS];
    bool more; /* there are, or may be, other paths */
} smr_separation;

/* Are a and b separated by the nodes that given[] marks?  a, b: distinct and not given. */
smr_status smr_dag_separated(smr_ctx *ctx, const smr_dag *dag, int64_t a, int64_t b,
                             const bool *given, smr_separation *out);
void smr_separation_release(smr_separation *s);

/* Is place k of a path, neither its first nor its last, a collider there? */
bool smr_trail_collides(const smr_dag *dag, const smr_trail *trail, int64_t k);

#endif
