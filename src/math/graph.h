/* graph.h -- undirected graphs with weights: their parts, what a division cuts, and the smallest
 * eigenvalues of their Laplacians.
 *
 * With weights w_ij = w_ji > 0 and degrees d_i = sum_j w_ij, D = diag(d):
 *
 *     L = D - W                   f'L f = 1/2 sum_ij w_ij (f_i - f_j)^2,  L 1 = 0            (1)
 *     symmetric   I - D^-1/2 W D^-1/2
 *     walk        I - D^-1 W: the same eigenvalues; eigenvectors D^-1/2 u of those of symmetric
 *
 * A node without edges is a part of its own, with a row of zeros.  For a division into A_1 .. A_k:
 *
 *     cut(A) = sum of w_ij, i in A, j not;  W(A) = sum of w_ij, i and j in A, each edge twice
 *     cut = 1/2 sum cut(A_i)        RatioCut = sum cut(A_i) / |A_i|                          (2)
 *     Ncut = sum cut(A_i) / vol(A_i), vol the sum of degrees    MinMaxCut = sum cut(A_i) / W(A_i)
 *
 * Terms 0 / 0 are 0.  A node may stand for m_i equal ones, which have the same links (and may be
 * linked among each other): its links are those of all of them, w_ij = m_i m_j times that of two,
 * |A| is the sum of m_i, and eigenvectors are those of the graph of all that give equal ones the
 * same entry; of D - W they satisfy L f = value diag(m) f.
 *
 * Memory: 12 bytes for each direction of an edge, and eigenvectors; never n^2
 * of a sparse graph.  Reference: von Luxburg, Statistics and Computing 17 (2007). */
#ifndef SMR_MATH_GRAPH_H
#define SMR_MATH_GRAPH_H

#include "math/lanczos.h"

typedef struct smr_graph {
    int64_t n;
    int64_t *start;  /* n + 1: entries start[i] .. start[i+1] - 1 are of node i */
    int32_t *to;     /* ascending for each node, never the node itself */
    double *weight;  /* > 0 */
    double *degree;  /* n */
    double *mass;    /* n: how many nodes each stands for; NULL: one           */
    double *own;     /* n: of the degree, links among these; NULL: none        */
    int64_t n_loops; /* that were given, and left out                          */
    int64_t n_again; /* edges that came again, one way or the other            */
} smr_graph;

/* Of m edges between nodes below n; parallel ones add up, and so do both directions.  w NULL: all
 * 1; weights that are not above 0 are the caller's to refuse. */
smr_status smr_graph_of_edges(smr_ctx *ctx, int64_t n, int64_t m, const int32_t *a,
                              const int32_t *b, const double *w, smr_graph *out);
/* Entries that point one way, k of each node (to < 0: none) with weights, the same both ways: both
 * count, w where both nodes point at each other; else w / 2, or nothing (mutual).  A share below 1
 * (NULL: all 1) says that an entry points at that part of the nodes that the other stands for. */
typedef struct smr_arrows {
    int64_t n, k;
    const int32_t *to;   /* n x k */
    const double *w;     /* n x k; NULL: all 1 */
    const double *share; /* n x k */
} smr_arrows;
smr_status smr_graph_of_arrows(smr_ctx *ctx, const smr_arrows *arrows, bool mutual, smr_graph *out);
/* Makes node i stand for mass[i] nodes, with `own` between these; both are copied. */
smr_status smr_graph_weigh(smr_ctx *ctx, smr_graph *g, const double *mass, const double *own);
/* Fills degree, of the other fields. */
smr_status smr_graph_finish(smr_ctx *ctx, smr_graph *g);
void smr_graph_release(smr_graph *g);

/* part[i] of each node, numbered by their lowest nodes; *n_parts. */
smr_status smr_graph_parts(smr_ctx *ctx, const smr_graph *g, int32_t *part, int64_t *n_parts);

typedef struct smr_cut_values {
    double cut, ratio, normalised, min_max;
} smr_cut_values;

/* label: n numbers below k. */
smr_status smr_graph_cuts(smr_ctx *ctx, const smr_graph *g, int64_t k, const int32_t *label,
                          smr_cut_values *out);

typedef enum smr_laplacian {
    SMR_LAPLACIAN_WALK = 0,
    SMR_LAPLACIAN_SYMMETRIC,
    SMR_LAPLACIAN_PLAIN
} smr_laplacian;

/* f'L f by (1), and y = L f (of D - W with mass: diag(m)^-1 L f). */
double smr_graph_form(const smr_graph *g, const double *f);
void smr_graph_times(const smr_graph *g, smr_laplacian kind, const double *f, double *y);

typedef struct smr_graph_vectors {
    int64_t n, k;
    double *value;  /* k, ascending */
    double *vector; /* n x k by columns: of walk u with u'D u = sum d, else u with u'u = n (and
                       squares counted by mass)                                               */
    bool converged;
} smr_graph_vectors;

/* The k <= n smallest eigenvalues, each of a part's own 0 first: parts and n_parts are those of
 * smr_graph_parts.  tol: of residuals, in units of the largest eigenvalue. */
smr_status smr_graph_spectrum(smr_ctx *ctx, const smr_graph *g, smr_laplacian kind,
                              const int32_t *part, int64_t n_parts, int64_t k, double tol,
                              smr_graph_vectors *out);
void smr_graph_vectors_release(smr_graph_vectors *s);

#endif
