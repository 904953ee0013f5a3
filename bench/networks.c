/* networks.c -- exact marginals of all variables of a network, given evidence.
 *
 *     networks --data FILE --query "P(* | A=a)" [--predictions OUT]
 *
 * Seconds: `anew`, making the tree of cliques and one run; `kept`, one run over a tree that is
 * there. */
#include "bench.h"
#include "learn/graphical/network_query.h"

#include <math.h>

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
    smr_ctx *ctx = bench_ctx(argc, argv);
    const char *out = bench_option(argc, argv, "--predictions", NULL);
    smr_network net;
    smr_net_query q;
    smr_net_answer a;
    smr_jtree tree;
    double anew = INFINITY, sum = 0;
    int64_t n_levels = 0;
    bench_check(ctx, smr_net_read(ctx, bench_option(argc, argv, "--data", ""), &net));
    bench_check(ctx, smr_net_query_read(ctx, &net, bench_option(argc, argv, "--query", "*"), &q));
    for (int round = 0; round < 200; round++) {
        double began = smr_now();
        bench_check(ctx, smr_net_ask(ctx, &net, &q, SMR_NET_EXACT, 0, &a));
        anew = smr_fmin(anew, smr_now() - began);
        smr_net_answer_release(&a);
    }
    for (int64_t i = 0; i < net.n; i++) n_levels += net.levels[i];
    smr_tables tables = smr_net_tables(&net);
    bench_check(ctx, smr_jtree_make(ctx, &tables, NULL, 0, "", &tree));
    double *work = smr_alloc(ctx, smr_jtree_work(&tree), sizeof *work);
    double *p = smr_alloc(ctx, n_levels, sizeof *p);
    if (!work || !p) return 1;
    double kept = run_alone(&net, &tree, q.evidence, work, p);
    FILE *file = out ? fopen(out, "wb") : NULL;
    if (file) fwrite(p, sizeof *p, (size_t)n_levels, file);
    if (file) fclose(file);
    for (int64_t i = 0; i < n_levels; i++) sum += p[i];
    printf("{\"seconds\": {\"anew\": %.9f, \"kept\": %.9f}, \"sum\": %.12g, "
           "\"peak_memory_bytes\": %lld}\n",
           anew, kept, sum, bench_memory("VmHWM"));
    smr_free(work);
    smr_free(p);
    smr_jtree_release(&tree);
    smr_net_query_release(&q);
    smr_net_release(&net);
    smr_ctx_destroy(ctx);
    return 0;
}
