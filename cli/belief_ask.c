/* belief_ask.c -- samara belief query and separated. */
#include "belief.h"
#include "learn/graphical/network_figure.h"
#include "report/render.h"

#include <math.h>
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
            smr_network_say(net, q->of[i], &name);
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

static smr_status add_heading(smr_ctx *ctx, const smr_network *net, const smr_net_query *q,
                              const smr_net_answer *a, smr_json *root)
{
    smr_text text = {.ctx = ctx};
    smr_net_query_write(net, q, &text);
    smr_status st = smr_text_done(&text);
    if (st == SMR_OK) smr_json_add_string(root, "query", text.bytes);
    smr_text_release(&text);
    smr_json_add_string(root, "method", a->samples ? "likelihood weighting" : "exact");
    if (a->samples) {
        smr_json_add_number(root, "samples", (double)a->samples);
        smr_json_add_number(root, "effective_samples", a->effective);
    } else {
        smr_json_add_number(root, "inference_bytes", a->plan.bytes);
    }
    for (int64_t i = 0; i < net->n; i++)
        if (q->evidence[i] >= 0) {
            smr_json_add_number(root, "log_evidence", a->log_evidence);
            break;
        }
    return st;
}

smr_status belief_query(smr_ctx *ctx, const args *a, const smr_network *net, smr_json *root)
{
    smr_status st = SMR_OK;
    smr_net_query q = {0};
    smr_net_answer answer = {0};
    TRY(smr_net_query_read(ctx, net, a->n_words > 3 ? a->words[3] : "P(*)", &q));
    TRY(smr_network_ask(ctx, net, &q, belief_method(a), belief_samples(a), &answer));
    TRY(add_heading(ctx, net, &q, &answer, root));
    if (q.all)
        add_marginals(net, &answer, root);
    else
        TRY(add_joint(ctx, net, &q, &answer, root));
    smr_json *figures = smr_json_add_array(root, "figures");
    if (net->n <= SMR_FIGURE_MOST_NODES)
        TRY(smr_network_figure(ctx, net, q.evidence, "graph", figures));
out:
    smr_net_answer_release(&answer);
    smr_net_query_release(&q);
    return st;
}

void belief_show_query(const smr_json *root, int64_t most, smr_text *out)
{
    double log_evidence = smr_json_get_number(root, "log_evidence", NAN);
    smr_text_printf(out, "%s, %s", smr_json_get_string(root, "query", ""),
                    smr_json_get_string(root, "method", ""));
    if (smr_json_get(root, "samples")) {
        smr_text_add(out, ": ");
        smr_text_number(out, smr_json_get_number(root, "samples", 0));
        smr_text_add(out, " samples, worth ");
        smr_text_rounded(out, smr_json_get_number(root, "effective_samples", 0), 4);
    }
    smr_text_add(out, "\n");
    if (!isnan(log_evidence)) {
        smr_text_add(out, "log P(evidence) ");
        smr_text_rounded(out, log_evidence, 6);
        smr_text_add(out, "\n");
    }
    smr_text_add(out, "\n");
    smr_render_table(smr_json_get(root, "probabilities"), 2, most, out);
}

/* ---- separated -------------------------------------------------------------------------- */

static smr_status find(smr_ctx *ctx, const smr_network *net, const char *word, int64_t *node)
{
    return smr_network_find(ctx, net, NULL, word, (int64_t)strlen(word), node);
}

/* "a -> b <- c", and what happens on the way. */
static smr_status add_trail(smr_ctx *ctx, const smr_network *net, const smr_trail *t,
                            const bool *given, smr_json *list)
{
    smr_dag dag = smr_network_dag(net);
    smr_text path = {.ctx = ctx}, why = {.ctx = ctx};
    for (int64_t k = 0; k < t->n; k++) {
        if (k)
            smr_text_add(&path,
                         smr_dag_has_edge(&dag, t->node[k - 1], t->node[k]) ? " -> " : " <- ");
        smr_network_say(net, t->node[k], &path);
        bool collides = k > 0 && k + 1 < t->n && smr_trail_collides(&dag, t, k);
        if (t->blocked_at >= 0 ? k != t->blocked_at : !collides) continue;
        if (why.length) smr_text_add(&why, "; ");
        smr_network_say(net, t->node[k], &why);
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

smr_status belief_separated(smr_ctx *ctx, const args *a, const smr_network *net, smr_json *root)
{
    smr_status st = SMR_OK;
    smr_dag dag = smr_network_dag(net);
    smr_separation s = {0};
    bool *given = NULL;
    int64_t from, to, node;
    TRY_NEW(given, net->n);
    TRY(find(ctx, net, a->words[3], &from));
    TRY(find(ctx, net, a->words[4], &to));
    smr_json_add_string(root, "a", a->words[3]);
    smr_json_add_string(root, "b", a->words[4]);
    smr_json *list = smr_json_add_array(root, "given");
    for (int k = 5; k < a->n_words; k++) {
        if (k == 5 && strcmp(a->words[k], "given") == 0) continue;
        TRY(find(ctx, net, a->words[k], &node));
        given[node] = true;
        smr_json_add_string(list, NULL, a->words[k]);
    }
    if (from == to || given[from] || given[to])
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "separated needs two different variables, neither of them given"));
    TRY(smr_dag_separated(ctx, &dag, from, to, given, &s));
    smr_json_add_bool(root, "separated", s.separated);
    list = smr_json_add_array(root, "paths");
    for (int64_t k = 0; k < s.n_trails; k++) TRY(add_trail(ctx, net, &s.trail[k], given, list));
    smr_json_add_bool(root, "more_paths", s.more);
out:
    smr_free(given);
    smr_separation_release(&s);
    return st;
}

void belief_show_separated(const smr_json *root, int64_t most, smr_text *out)
{
    bool separated = smr_json_get_bool(root, "separated", false);
    const smr_json *given = smr_json_get(root, "given"), *paths = smr_json_get(root, "paths");
    (void)most;
    smr_text_printf(out, "%s and %s are %s", smr_json_get_string(root, "a", ""),
                    smr_json_get_string(root, "b", ""),
                    separated ? "independent" : "not separated: they may depend on each other");
    for (const smr_json *g = given ? given->first : NULL; g; g = g->next)
        smr_text_printf(out, "%s%s", g == given->first ? " given " : ", ", g->string);
    smr_text_add(out, ".\n");
    if (separated && paths && !paths->first) smr_text_add(out, "No path joins them.\n");
    for (const smr_json *p = paths ? paths->first : NULL; p; p = p->next) {
        const char *open = smr_json_get_string(p, "open", NULL);
        smr_text_printf(out, "  %s\n    %s: %s\n", smr_json_get_string(p, "path", ""),
                        open ? "open" : "blocked",
                        open ? open : smr_json_get_string(p, "blocked", ""));
    }
    if (smr_json_get_bool(root, "more_paths", false))
        smr_text_add(out, "There are more paths, blocked too.\n");
}
