/* network_query.h -- what a network says: P(A, B=yes | C=no), and rows drawn from it.
 *
 *     query := "P(" of ("|" evidence)? ")"          the P and its parentheses may be left out
 *     of    := "*" | term ("," term)*               "*": every variable on its own
 *     term  := NAME ("=" LEVEL)?
 *     evidence := NAME "=" LEVEL ("," NAME "=" LEVEL)*
 *
 * Answers are exact (jtree.h) where the memory budget allows; past it they come from likelihood
 * weighting: sample i draws every variable that is not evidence from its table, parents first, and
 * weighs w_i = product of P(evidence | its parents).  With f_i the indicator of what is asked,
 *
 *     p = sum w_i f_i / sum w_i,   s.e. = sqrt(sum w_i^2 (f_i - p)^2) / sum w_i               (1)
 *
 * but at least that of m samples of equal weight, m = sum w_i / max w_i, of which two more hit and
 * two more miss: a few heavy samples say less than (1) believes, and none that hit do not mean
 * that there is nothing to hit.
 *
 * What has probability 3 / N escapes N samples in one of 20 cases, and its weight is at most W, the
 * product over the evidence of its largest probability in its table.  So up to the share
 *
 *     3 W / (3 W + sum w_i)                                                                   (2)
 *
 * of the answer may lie where no sample came.  Where that is more than 0.05 a warning says so.
 *
 * Draws depend on the seed, the sample and the variable alone.  Reference: Fung & Chang, UAI 1989;
 * Shachter & Peot, UAI 1989. */
#ifndef SMR_LEARN_GRAPHICAL_NETWORK_QUERY_H
#define SMR_LEARN_GRAPHICAL_NETWORK_QUERY_H

#include "learn/graphical/jtree.h"

typedef struct smr_net_query {
    bool all; /* every variable on its own */
    int64_t n_of;
    int32_t *of;       /* n_of, distinct                     */
    int32_t *of_level; /* n_of: the level asked for; -1: all */
    int32_t *evidence; /* n: the level; -1: none             */
} smr_net_query;

smr_status smr_net_query_read(smr_ctx *ctx, const smr_network *net, const char *text,
                              smr_net_query *out);
void smr_net_query_release(smr_net_query *q);
/* In the form that is read. */
void smr_net_query_write(const smr_network *net, const smr_net_query *q, smr_text *out);

typedef enum smr_net_method {
    SMR_NET_AUTO,  /* exact where it fits into memory, else sampling */
    SMR_NET_EXACT, /* or an error that names the memory              */
    SMR_NET_SAMPLING
} smr_net_method;

typedef struct smr_net_answer {
    int64_t n; /* probabilities: of all variables one after the other, or of the joint table of
                    `of`, the last changing fastest */
    double *p;
    double *error; /* standard errors; NULL: p is exact */
    double log_evidence;
    int64_t samples;  /* 0: exact */
    double effective; /* samples of equal weight that would say as much */
    double unseen;    /* (2) */
    smr_jtree_plan plan;
} smr_net_answer;

/* Evidence of probability 0 is an error. */
smr_status smr_net_ask(smr_ctx *ctx, const smr_network *net, const smr_net_query *q,
                       smr_net_method method, int64_t samples, smr_net_answer *out);
void smr_net_answer_release(smr_net_answer *a);
/* The error of evidence that has probability 0, which it names. */
smr_status smr_net_refuse_evidence(smr_ctx *ctx, const smr_network *net, const smr_net_query *q);

/* level (n): the likeliest levels of the variables asked for, together; of the others the evidence,
 * or -1.  *log_p: the logarithm of their probability given the evidence.  Exact. */
smr_status smr_net_likeliest(smr_ctx *ctx, const smr_network *net, const smr_net_query *q,
                             int32_t *level, double *log_p, double *log_evidence);

/* Levels of all variables for one sample, evidence[i] >= 0 kept; returns the sample's weight. */
double smr_net_draw(const smr_tables *tables, const int32_t *order, uint64_t seed, uint64_t sample,
                    const int32_t *evidence, int32_t *level);
/* code[i * n_rows + r]: rows by ancestral sampling. */
smr_status smr_net_sample(smr_ctx *ctx, const smr_network *net, int64_t n_rows, smr_table **out);

#endif
