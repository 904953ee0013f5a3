/* recession.h -- does a likelihood grow for ever in some direction?
 *
 * A maximum likelihood fit of a linear model has a list of demands, one a pair (row i, class c):
 * a direction V of the coefficients along which the margin m_ic(V) is not negative costs nothing,
 * one along which it is positive gains.  For two classes (k = 1) m_i = +-V'z_i; for k classes
 * m_ic = (V_y - V_c)'z_i, c not the row's own class y.  A direction of recession has
 *
 *     m_ic(V) >= 0 for all pairs, > 0 for one,                                                  (1)
 *
 * and there is none exactly if there are numbers l_ic > 0 with sum l_ic grad m_ic = 0 (Stiemke).
 * Pairs are of two kinds: those whose margin is 0 in every direction of recession (they have an
 * l > 0 among numbers l >= 0 that sum to 0), and those that one such direction lifts all at once.
 *
 * The pairs of the first kind are found in rounds, each with its proof, and V is held to the space
 * where their margins are 0: first from the probabilities of the fit, which balance at its
 * optimum, moved until they do so exactly; then from the point nearest to 0 of the hull of the
 * gradients that are left (math/optimize/hulls.h): it is 0, and the rows of it are of the first
 * kind, or it is a V that lifts all that are left.  (1) is checked on all pairs before it is said.
 *
 * Cost: a weighted Gram matrix of all pairs and its eigenvectors, (k p)^3, for classes that
 * overlap; a few passes more where they do not.  Memory: (k p)^2, 3 n k.  Above SMR_HULLS_MOST
 * dimensions that are left nothing is decided unless the start is such a V.
 * References: Albert & Anderson, Biometrika 71:1-10, 1984; Stiemke, Math. Ann. 76:340-342, 1915;
 * Konis, Linear programming algorithms for detecting separated data, Oxford, 2007. */
#ifndef SMR_LEARN_LINEAR_RECESSION_H
#define SMR_LEARN_LINEAR_RECESSION_H

#include "learn/linear/design.h"

enum smr_pair_role {
    SMR_PAIR_NONE, /* the row's own class, or weight 0 */
    SMR_PAIR_OPEN,
    SMR_PAIR_HELD /* margin 0 in every direction      */
};

enum smr_recession {
    SMR_RECEDES_NOT,
    SMR_RECEDES_ALL,  /* every pair has a positive margin */
    SMR_RECEDES_SOME, /* some have 0                      */
    SMR_RECEDES_MAYBE /* not decided                      */
};

typedef struct smr_recession_problem {
    const smr_design *design; /* its rows are z */
    int64_t k;                /* 1: two classes; else classes                              */
    const int32_t *label;     /* n                                                         */
    const double *share;      /* n x k: l of the fit, nearly balanced; NULL: there are none,
                                 and `role` says which pairs are held                      */
    unsigned char *role;      /* n x k: NONE or OPEN; changed                              */
    const double *start;      /* k' x p, k' = 1 or k: the fit's coefficients, or NULL      */
} smr_recession_problem;

/* moved (p): where it recedes, the columns of the design whose coefficients have no finite value:
 * those that the pairs of the first kind do not tell, while others do. */
smr_status smr_recession_find(smr_ctx *ctx, const smr_recession_problem *problem, bool *moved,
                              enum smr_recession *out);

#endif
