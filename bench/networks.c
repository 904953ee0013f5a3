/* networks.c -- exact marginals of a network given evidence: bench/networks.py calls it.
 *
 *     networks FILE QUERY        seconds for making the tree and one run; for one run alone */
#include "learn/graphical/network_query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void must(smr_ctx *ctx, smr_status st)
{
    if (st == SMR_OK) return;
    fprintf(stderr, "networks: %s\n", smr_ctx_message(ctx));
    exit(1);
}

/* The least of several rounds, each long enough to be timed. */
static double run_alone(const smr_network *net, const smr_jtree *tree, const int32_t *evidence,
                        double *work, double *p)
{
    double least = INFINITY;
    for (int round = 0; round < 20; round++) {
        double began = smr_now();
        for (int k = 0; k < 200; k++) {
            double *to = p;
            smr_jtree_run(tree, evidence, true, work);
            for (int64_t i = 0; i < net->n; to += net->levels[i++])
                smr_jtree_marginal(tree, work, i, to);
        }
        least = smr_fmin(least, (smr_now() - began) / 200);
    }
    return least;
}

int main(int argc, char **argv)
{
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1};
    smr_network net;
    smr_net_query q;
    smr_net_answer a;
    smr_jtree tree;
    double whole = INFINITY;
    if (argc != 3 || smr_ctx_create(&opts, &ctx) != SMR_OK) return 2;
    must(ctx, smr_net_read(ctx, argv[1], &net));
    must(ctx, smr_net_query_read(ctx, &net, argv[2], &q));
    for (int round = 0; round < 200; round++) {
        double began = smr_now();
        must(ctx, smr_net_ask(ctx, &net, &q, SMR_NET_EXACT, 0, &a));
        whole = smr_fmin(whole, smr_now() - began);
        smr_net_answer_release(&a);
    }
    smr_tables tables = smr_net_tables(&net);
    must(ctx, smr_jtree_make(ctx, &tables, NULL, 0, "", &tree));
    double *work = smr_alloc(ctx, smr_jtree_work(&tree), sizeof *work);
    double *p = smr_alloc(ctx, net.at[net.n], sizeof *p);
    if (!work || !p) return 1;
    printf("%.3g %.3g\n", whole, run_alone(&net, &tree, q.evidence, work, p));
    smr_free(work);
    smr_free(p);
    smr_jtree_release(&tree);
    smr_net_query_release(&q);
    smr_net_release(&net);
    smr_ctx_destroy(ctx);
    return 0;
}
