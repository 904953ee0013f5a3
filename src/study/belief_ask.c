/* belief_ask.c -- queries, likeliest levels and d-separation as JSON. */
#include "kernel/kernel.h"
#include "learn/graphical/network_figure.h"
#include "study/belief.h"

#include <string.h>

/* ---- query ------------------------------------------------------------------------------ */

static void add_name(smr_json *to, const char *key, const smr_strings *all, int64_t i)
{
    int64_t length;
    const char *name = smr_strings_get(all, i, &length);
    smr_json_add_bytes(to, key, name, length);
}

/* Every variable on its own, a row for each level. */
static void add_marginals(const smr_network *net, const smr_net_answer *a, smr_json *root)
{
    smr_json *list = smr_json_add_array(root, "probabilities");
    for (int64_t i = 0, at = 0; i < net->n; i++)
        for (int64_t k = 0; k < net->levels[i]; k++, at++) {
            smr_json *row = smr_json_add_object(list, NULL);
            add_name(row, "variable", &net->names.strings, i);
            add_name(row, "level", &net->level[i], k);
            smr_json_add_number(row, "probability", a->p[at]);
            if (a->error) smr_json_add_number(row, "standard_error", a->error[at]);
        }
}

/* The levels of a cell of the joint table; false: it was not asked for. */
static bool is_asked(const smr_network *net, const smr_net_query *q, int64_t cell, int64_t n,
                     int64_t *level)
{
    bool asked = true;
    for (int64_t i = 0; i < q->n_of; i++) {
        n /= net->levels[q->of[i]];
        level[i] = cell / n % net->levels[q->of[i]];
        asked = asked && (q->of_level[i] < 0 || q->of_level[i] == level[i]);
    }
    return asked;
}

/* The joint table: a row for each combination that was asked for. */
static smr_status add_joint(smr_ctx *ctx, const smr_network *net, const smr_net_query *q,
                            const smr_net_answer *a, smr_json *root)
{
    smr_status st = SMR_OK;
    smr_json *list = smr_json_add_array(root, "probabilities");
    smr_text name = {.ctx = ctx};
    int64_t *level = NULL;
    TRY_NEW(level, q->n_of);
    for (int64_t cell = 0; cell < a->n; cell++) {
        if (!is_asked(net, q, cell, a->n, level)) continue;
        smr_json *row = smr_json_add_object(list, NULL);
        for (int64_t i = 0; i < q->n_of; i++) {
            name.length = 0;
            smr_net_say(net, q->of[i], &name);
            TRY(smr_text_done(&name));
            add_name(row, name.bytes, &net->level[q->of[i]], level[i]);
        }
        smr_json_add_number(row, "probability", a->p[cell]);
        if (a->error) smr_json_add_number(row, "standard_error", a->error[cell]);
    }
out:
    smr_free(level);
    smr_text_release(&name);
    return st;
}

static smr_status add_query(smr_ctx *ctx, const smr_network *net, const smr_net_query *q,
                            smr_json *root)
{
    smr_text text = {.ctx = ctx};
    smr_net_query_write(net, q, &text);
    smr_status st = smr_text_done(&text);
    if (st == SMR_OK) smr_json_add_string(root, "query", text.bytes);
    smr_text_release(&text);
    return st;
}

static bool has_evidence(const smr_network *net, const smr_net_query *q)
{
    for (int64_t i = 0; i < net->n; i++)
        if (q->evidence[i] >= 0) return true;
    return false;
}

static smr_status add_heading(smr_ctx *ctx, const smr_network *net, const smr_net_query *q,
                              const smr_net_answer *a, smr_json *root)
{
    smr_status st = SMR_OK;
    TRY(add_query(ctx, net, q, root));
    smr_json_add_string(root, "method", a->samples ? "likelihood weighting" : "exact");
    if (a->samples) {
        smr_json_add_number(root, "samples", (double)a->samples);
        smr_json_add_number(root, "effective_samples", a->effective);
        smr_json_add_number(root, "unseen", a->unseen);
    } else {
        smr_json_add_number(root, "inference_bytes", a->plan.bytes);
    }
    if (has_evidence(net, q)) smr_json_add_number(root, "log_evidence", a->log_evidence);
out:
    return st;
}

smr_status smr_belief_ask(smr_ctx *ctx, const smr_network *net, const char *query, int64_t samples,
                          bool figures, smr_json *root)
{
    smr_status st = SMR_OK;
    smr_net_query q = {0};
    smr_net_answer answer = {0};
    TRY(smr_net_query_read(ctx, net, query, &q));
    TRY(smr_net_ask(ctx, net, &q, samples > 0 ? SMR_NET_SAMPLING : SMR_NET_AUTO,
                    samples > 0 ? samples : SMR_BELIEF_SAMPLES, &answer));
    TRY(add_heading(ctx, net, &q, &answer, root));
    if (q.all)
        add_marginals(net, &answer, root);
    else
        TRY(add_joint(ctx, net, &q, &answer, root));
    smr_json *list = figures ? smr_json_add_array(root, "figures") : NULL;
    if (list && net->n <= SMR_FIGURE_MOST_NODES)
        TRY(smr_net_figure(ctx, net, q.evidence, "graph", list));
out:
    smr_net_answer_release(&answer);
    smr_net_query_release(&q);
    return st;
}

/* ---- the likeliest levels --------------------------------------------------------------- */

smr_status smr_belief_likeliest(smr_ctx *ctx, const smr_network *net, const char *query,
                                smr_json *root)
{
    smr_status st = SMR_OK;
    smr_net_query q = {0};
    int32_t *level = NULL;
    double log_p, log_evidence;
    TRY(smr_net_query_read(ctx, net, query, &q));
    TRY_NEW(level, net->n);
    TRY(smr_net_likeliest(ctx, net, &q, level, &log_p, &log_evidence));
    TRY(add_query(ctx, net, &q, root));
    smr_json_add_number(root, "probability", smr_exp(log_p));
    if (has_evidence(net, &q)) smr_json_add_number(root, "log_evidence", log_evidence);
    smr_json *list = smr_json_add_array(root, "levels");
    for (int64_t i = 0; i < net->n; i++) {
        if (level[i] < 0 || q.evidence[i] >= 0) continue;
        smr_json *row = smr_json_add_object(list, NULL);
        add_name(row, "variable", &net->names.strings, i);
        add_name(row, "level", &net->level[i], level[i]);
    }
out:
    smr_free(level);
    smr_net_query_release(&q);
    return st;
}

/* ---- separated -------------------------------------------------------------------------- */

static smr_status find(smr_ctx *ctx, const smr_network *net, const char *word, int64_t *node)
{
    return smr_net_find(ctx, net, NULL, word, (int64_t)strlen(word), node);
}

/* "a -> b <- c", and what happens on the way. */
static smr_status add_trail(smr_ctx *ctx, const smr_network *net, const smr_trail *t,
                            const bool *given, smr_json *list)
{
    smr_dag dag = smr_net_dag(net);
    smr_text path = {.ctx = ctx}, why = {.ctx = ctx};
    for (int64_t k = 0; k < t->n; k++) {
        if (k)
            smr_text_add(&path,
                         smr_dag_has_edge(&dag, t->node[k - 1], t->node[k]) ? " -> " : " <- ");
        smr_net_say(net, t->node[k], &path);
        bool collides = k > 0 && k + 1 < t->n && smr_trail_collides(&dag, t, k);
        if (t->blocked_at >= 0 ? k != t->blocked_at : !collides) continue;
        if (why.length) smr_text_add(&why, "; ");
        smr_net_say(net, t->node[k], &why);
        smr_text_add(&why, t->blocked_at < 0
                               ? given[t->node[k]]
                                     ? " is a collider, and given: it opens the path"
                                     : " is a collider with a descendant that is given"
                           : collides ? " is a collider, and neither it nor a descendant is given"
                                      : " is given");
    }
    smr_status st = smr_text_done(&path);
    if (st == SMR_OK) st = smr_text_done(&why);
    smr_json *row = smr_json_add_object(list, NULL);
    if (st == SMR_OK) {
        smr_json_add_string(row, "path", path.bytes);
        smr_json_add_string(row, t->blocked_at < 0 ? "open" : "blocked",
                            why.bytes ? why.bytes : "nothing on it is given");
    }
    smr_text_release(&path);
    smr_text_release(&why);
    return st;
}

smr_status smr_belief_separated(smr_ctx *ctx, const smr_network *net, const char *a, const char *b,
                                const char *const *given, int64_t n_given, smr_json *root)
{
    smr_status st = SMR_OK;
    smr_dag dag = smr_net_dag(net);
    smr_separation s = {0};
    bool *is_given = NULL;
    int64_t from, to, node;
    TRY_NEW(is_given, net->n);
    TRY(find(ctx, net, a, &from));
    TRY(find(ctx, net, b, &to));
    smr_json_add_string(root, "a", a);
    smr_json_add_string(root, "b", b);
    smr_json *list = smr_json_add_array(root, "given");
    for (int64_t k = 0; k < n_given; k++) {
        TRY(find(ctx, net, given[k], &node));
        is_given[node] = true;
        smr_json_add_string(list, NULL, given[k]);
    }
    if (from == to || is_given[from] || is_given[to])
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "separated needs two different variables, neither of them given"));
    TRY(smr_dag_separated(ctx, &dag, from, to, is_given, &s));
    smr_json_add_bool(root, "separated", s.separated);
    list = smr_json_add_array(root, "paths");
    for (int64_t k = 0; k < s.n_trails; k++) TRY(add_trail(ctx, net, &s.trail[k], is_given, list));
    smr_json_add_bool(root, "more_paths", s.more);
out:
    smr_free(is_given);
    smr_separation_release(&s);
    return st;
}
