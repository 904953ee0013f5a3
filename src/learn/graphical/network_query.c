/* network_query.c -- queries in words, and their exact answers. */
#include "learn/graphical/network_query.h"

#include "learn/graphical/network_scan.h"
#include "learn/graphical/network_weighting.h"

#include <math.h>
#include <string.h>

void smr_net_query_release(smr_net_query *q)
{
    smr_free(q->of);
    smr_free(q->of_level);
    smr_free(q->evidence);
    *q = (smr_net_query){0};
}

static smr_status twice(smr_ctx *ctx, const smr_network *net, int64_t node)
{
    smr_text name = {.ctx = ctx};
    smr_net_say(net, node, &name);
    smr_status st = smr_text_done(&name);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_PARAM, "'%s' occurs twice in the query", name.bytes);
    smr_text_release(&name);
    return st;
}

static smr_status read_of(smr_ctx *ctx, const smr_network *net, smr_net_scan *s, smr_net_query *q)
{
    smr_status st = SMR_OK;
    int64_t node, level;
    if (smr_scan_sign(s, '*')) {
        q->all = true;
        return SMR_OK;
    }
    do {
        TRY(smr_scan_variable(ctx, s, net, &node));
        for (int64_t a = 0; a < q->n_of; a++)
            if (q->of[a] == node) TRY(twice(ctx, net, node));
        level = -1;
        if (smr_scan_sign(s, '=')) TRY(smr_scan_level(ctx, s, net, node, &level));
        q->of[q->n_of] = (int32_t)node;
        q->of_level[q->n_of++] = (int32_t)level;
    } while (smr_scan_sign(s, ','));
out:
    return st;
}

static smr_status read_evidence(smr_ctx *ctx, const smr_network *net, smr_net_scan *s,
                                smr_net_query *q)
{
    smr_status st = SMR_OK;
    int64_t node, level;
    do {
        TRY(smr_scan_variable(ctx, s, net, &node));
        if (!smr_scan_sign(s, '=')) TRY(smr_scan_fail(ctx, s, "'=' and a level of the evidence"));
        TRY(smr_scan_level(ctx, s, net, node, &level));
        if (q->evidence[node] >= 0) TRY(twice(ctx, net, node));
        q->evidence[node] = (int32_t)level;
    } while (smr_scan_sign(s, ','));
    for (int64_t a = 0; a < q->n_of; a++)
        if (q->evidence[q->of[a]] >= 0) TRY(twice(ctx, net, q->of[a]));
out:
    return st;
}

smr_status smr_net_query_read(smr_ctx *ctx, const smr_network *net, const char *text,
                              smr_net_query *out)
{
    smr_status st = SMR_OK;
    smr_net_scan s = {.p = text, .end = text + strlen(text), .word = {.ctx = ctx}};
    bool closed = false;
    *out = (smr_net_query){0};
    TRY_NEW(out->of, net->n);
    TRY_NEW(out->of_level, net->n);
    TRY_NEW(out->evidence, net->n);
    for (int64_t i = 0; i < net->n; i++) out->evidence[i] = -1;
    smr_scan_blanks(&s);
    if (s.p < s.end && *s.p == 'P') {
        smr_net_scan ahead = s;
        ahead.p++;
        if (smr_scan_sign(&ahead, '(')) {
            s.p = ahead.p;
            closed = true;
        }
    }
    TRY(read_of(ctx, net, &s, out));
    if (smr_scan_sign(&s, '|')) TRY(read_evidence(ctx, net, &s, out));
    if (closed && !smr_scan_sign(&s, ')')) TRY(smr_scan_fail(ctx, &s, "'|', ',' or ')'"));
    smr_scan_blanks(&s);
    if (s.p != s.end) TRY(smr_scan_fail(ctx, &s, "the end of the query"));
out:
    smr_text_release(&s.word);
    if (st != SMR_OK) {
        smr_while(ctx, "reading the query %.200s", text);
        smr_net_query_release(out);
    }
    return st;
}

static void write_term(const smr_network *net, int64_t node, int64_t level, smr_text *out)
{
    int64_t length;
    const char *name = smr_strings_get(&net->names.strings, node, &length);
    smr_net_write_name(name, length, out);
    if (level < 0) return;
    smr_text_add(out, "=");
    name = smr_strings_get(&net->level[node], level, &length);
    smr_net_write_name(name, length, out);
}

void smr_net_query_write(const smr_network *net, const smr_net_query *q, smr_text *out)
{
    bool some = false;
    smr_text_add(out, q->all ? "P(*" : "P(");
    for (int64_t a = 0; a < q->n_of; a++) {
        smr_text_add(out, a ? ", " : "");
        write_term(net, q->of[a], q->of_level[a], out);
    }
    for (int64_t i = 0; i < net->n; i++) {
        if (q->evidence[i] < 0) continue;
        smr_text_add(out, some ? ", " : " | ");
        write_term(net, i, q->evidence[i], out);
        some = true;
    }
    smr_text_add(out, ")");
}

/* ---- answers ---------------------------------------------------------------------------- */

void smr_net_answer_release(smr_net_answer *a)
{
    smr_free(a->p);
    smr_free(a->error);
    *a = (smr_net_answer){0};
}

smr_status smr_net_refuse_evidence(smr_ctx *ctx, const smr_network *net, const smr_net_query *q)
{
    smr_text what = {.ctx = ctx};
    for (int64_t i = 0; i < net->n; i++) {
        if (q->evidence[i] < 0) continue;
        if (what.length) smr_text_add(&what, ", ");
        write_term(net, i, q->evidence[i], &what);
    }
    smr_status st = smr_text_done(&what);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_DATA,
                      "the evidence has probability 0 in this network, so nothing follows from it: "
                      "%.600s",
                      what.bytes);
    smr_text_release(&what);
    return st;
}

static smr_status ask_exactly(smr_ctx *ctx, const smr_network *net, const smr_tables *tables,
                              const smr_net_query *q, const char *hint, smr_net_answer *out)
{
    smr_status st = SMR_OK;
    smr_jtree tree = {0};
    double *work = NULL, *to = out->p;
    TRY(smr_jtree_make(ctx, tables, q->of, q->n_of, hint, &tree));
    TRY_NEW(work, smr_jtree_work(&tree));
    out->log_evidence = smr_jtree_run(&tree, q->evidence, q->all, work);
    if (!(out->log_evidence > -INFINITY)) TRY(smr_net_refuse_evidence(ctx, net, q));
    for (int64_t i = 0; q->all && i < net->n; to += net->levels[i++])
        smr_jtree_marginal(&tree, work, i, to);
    if (!q->all) smr_jtree_joint(&tree, work, q->of, q->n_of, out->p);
out:
    smr_free(work);
    smr_jtree_release(&tree);
    return st;
}

/* Does the exact way fit?  If not, and another is allowed, says so. */
static smr_status judge(smr_ctx *ctx, const smr_tables *tables, const smr_net_query *q,
                        smr_net_method method, int64_t samples, smr_net_answer *out, bool *exact)
{
    smr_status st = SMR_OK;
    *exact = false;
    if (method == SMR_NET_SAMPLING) return SMR_OK;
    TRY(smr_jtree_plan_for(ctx, tables, q->of, q->n_of, &out->plan));
    *exact = true;
    if (method == SMR_NET_EXACT) return SMR_OK;
    if (smr_memory_check(ctx, out->plan.bytes, "exact inference", "") == SMR_OK &&
        out->plan.largest <= (double)(INT32_MAX / 2))
        return SMR_OK;
    smr_begin(ctx);
    *exact = false;
    smr_text need = {.ctx = ctx};
    bool many = out->plan.bytes >= 1e9;
    smr_text_rounded(&need, out->plan.bytes / (many ? 1e9 : 1e6), 3);
    if (smr_text_done(&need) == SMR_OK)
        smr_warn(ctx,
                 "exact inference needs %s %s (a clique of %lld variables), more than the budget "
                 "leaves: answered by likelihood weighting with %lld samples",
                 need.bytes, many ? "GB" : "MB", (long long)out->plan.widest, (long long)samples);
    smr_text_release(&need);
out:
    return st;
}

smr_status smr_net_ask(smr_ctx *ctx, const smr_network *net, const smr_net_query *q,
                       smr_net_method method, int64_t samples, smr_net_answer *out)
{
    smr_status st = SMR_OK;
    smr_tables tables = smr_net_tables(net);
    bool exact;
    double cells = 1;
    *out = (smr_net_answer){0};
    for (int64_t i = 0; q->all && i < net->n; i++) out->n += net->levels[i];
    for (int64_t a = 0; a < q->n_of; a++) cells *= (double)net->levels[q->of[a]];
    TRY(smr_memory_check(ctx, 16 * cells, "the joint table of the query",
                         "ask for fewer variables "
                         "at once, or for each on its own"));
    if (!q->all) out->n = (int64_t)cells;
    TRY_NEW(out->p, out->n);
    TRY(judge(ctx, &tables, q, method, samples, out, &exact));
    if (exact)
        TRY(ask_exactly(ctx, net, &tables, q, "give more memory or answer by sampling", out));
    else
        TRY(smr_net_weigh(ctx, net, q, samples, out));
    if (!exact && !(out->log_evidence > -INFINITY))
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "none of %lld samples agrees with the evidence: it has probability 0, or too "
                     "small a one to be sampled",
                     (long long)samples));
out:
    if (st != SMR_OK) smr_net_answer_release(out);
    return st;
}
