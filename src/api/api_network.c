/* api_network.c -- Bayesian networks. */
#include "api/api_parts.h"
#include "study/belief.h"

#include <math.h>

/* ---- making and writing ----------------------------------------------------------------- */

/* Moves a network to memory of its own; it is released where that fails. */
static smr_status hand_over(smr_ctx *ctx, smr_network *net, smr_network **out)
{
    smr_network *made = smr_alloc(ctx, 1, sizeof *made);
    if (!made) {
        smr_net_release(net);
        return SMR_ERR_NOMEM;
    }
    *made = *net;
    *out = made;
    return SMR_OK;
}

smr_status smr_network_open(smr_ctx *ctx, const char *path, smr_network **out)
{
    smr_network net;
    smr_begin_call(ctx);
    *out = NULL;
    smr_status st = smr_belief_open(ctx, path, &net, NULL);
    return st == SMR_OK ? hand_over(ctx, &net, out) : st;
}

smr_status smr_network_read(smr_ctx *ctx, const char *text, int64_t length, smr_network **out)
{
    smr_network net;
    smr_begin_call(ctx);
    *out = NULL;
    if (length < 0) return smr_fail(ctx, SMR_ERR_PARAM, "a text has no length below 0");
    smr_status st = smr_net_parse(ctx, "network", text, length, &net);
    return st == SMR_OK ? hand_over(ctx, &net, out) : st;
}

smr_status smr_network_of_model(smr_ctx *ctx, const smr_model *model, smr_network **out)
{
    smr_network net;
    smr_begin_call(ctx);
    *out = NULL;
    smr_status st = smr_belief_of_model(ctx, model, NULL, &net, NULL);
    return st == SMR_OK ? hand_over(ctx, &net, out) : st;
}

void smr_network_free(smr_network *net)
{
    if (!net) return;
    smr_net_release(net);
    smr_free(net);
}

smr_status smr_network_save(smr_ctx *ctx, const smr_network *net, const char *path)
{
    smr_begin_call(ctx);
    return smr_net_save(ctx, net, path);
}

smr_status smr_network_write(smr_ctx *ctx, const smr_network *net, bool bif, char **text)
{
    smr_text out = {.ctx = ctx};
    smr_begin_call(ctx);
    *text = NULL;
    (bif ? smr_net_write_bif : smr_net_write_text)(net, &out);
    smr_status st = smr_text_done(&out);
    if (st != SMR_OK)
        smr_text_release(&out);
    else
        *text = out.bytes;
    return st;
}

/* ---- looking into one ------------------------------------------------------------------- */

static bool is_node(const smr_network *net, int64_t i)
{
    return i >= 0 && i < net->n;
}

int64_t smr_network_n_variables(const smr_network *net)
{
    return net->n;
}

const char *smr_network_variable(const smr_network *net, int64_t i, int64_t *length)
{
    return is_node(net, i) ? smr_strings_get(&net->names.strings, i, length) : NULL;
}

int64_t smr_network_find(const smr_network *net, const char *variable)
{
    return smr_vocab_find(&net->names, variable, (int64_t)strlen(variable));
}

int64_t smr_network_n_levels(const smr_network *net, int64_t i)
{
    return is_node(net, i) ? net->levels[i] : 0;
}

const char *smr_network_level(const smr_network *net, int64_t i, int64_t k, int64_t *length)
{
    if (!is_node(net, i) || k < 0 || k >= net->levels[i]) return NULL;
    return smr_strings_get(&net->level[i], k, length);
}

int64_t smr_network_find_level(const smr_network *net, int64_t i, const char *level)
{
    int64_t n = (int64_t)strlen(level), length;
    for (int64_t k = 0; is_node(net, i) && k < net->levels[i]; k++) {
        const char *name = smr_strings_get(&net->level[i], k, &length);
        if (length == n && memcmp(name, level, (size_t)n) == 0) return k;
    }
    return -1;
}

int64_t smr_network_n_parents(const smr_network *net, int64_t i)
{
    return is_node(net, i) ? net->start[i + 1] - net->start[i] : 0;
}

int64_t smr_network_parent(const smr_network *net, int64_t i, int64_t k)
{
    return k >= 0 && k < smr_network_n_parents(net, i) ? net->parent[net->start[i] + k] : -1;
}

const double *smr_network_table(const smr_network *net, int64_t i)
{
    return is_node(net, i) ? net->p + net->at[i] : NULL;
}

/* ---- answers ---------------------------------------------------------------------------- */

/* "P(*)" given these levels. */
static smr_status make_query(smr_ctx *ctx, const smr_network *net, const int64_t *evidence,
                             smr_net_query *out)
{
    smr_status st = SMR_OK;
    *out = (smr_net_query){.all = true};
    TRY_NEW(out->evidence, net->n);
    for (int64_t i = 0; i < net->n; i++) {
        out->evidence[i] = evidence ? (int32_t)SMR_MAX(-2, SMR_MIN(INT32_MAX, evidence[i])) : -1;
        if (out->evidence[i] >= -1 && out->evidence[i] < net->levels[i]) continue;
        int64_t length;
        const char *name = smr_strings_get(&net->names.strings, i, &length);
        TRY(smr_fail(ctx, SMR_ERR_PARAM, "evidence: '%.*s' has no level %lld; it has %lld, from 0",
                     (int)SMR_MIN(length, 200), name, (long long)evidence[i],
                     (long long)net->levels[i]));
    }
out:
    return st;
}

smr_status smr_network_marginals(smr_ctx *ctx, const smr_network *net, const int64_t *evidence,
                                 double *p, double *log_evidence)
{
    smr_status st = SMR_OK;
    smr_net_query q = {0};
    smr_net_answer a = {0};
    smr_begin_call(ctx);
    TRY(make_query(ctx, net, evidence, &q));
    TRY(smr_net_ask(ctx, net, &q, SMR_NET_EXACT, 0, &a));
    memcpy(p, a.p, (size_t)a.n * sizeof *p);
    if (log_evidence) *log_evidence = a.log_evidence;
out:
    smr_net_answer_release(&a);
    smr_net_query_release(&q);
    return st;
}

smr_status smr_network_likeliest(smr_ctx *ctx, const smr_network *net, const int64_t *evidence,
                                 int64_t *level, double *log_p)
{
    smr_status st = SMR_OK;
    smr_net_query q = {0};
    int32_t *found = NULL;
    double likely, log_evidence;
    smr_begin_call(ctx);
    TRY(make_query(ctx, net, evidence, &q));
    TRY_NEW(found, net->n);
    TRY(smr_net_likeliest(ctx, net, &q, found, &likely, &log_evidence));
    for (int64_t i = 0; i < net->n; i++) level[i] = found[i];
    if (log_p) *log_p = likely;
out:
    smr_free(found);
    smr_net_query_release(&q);
    return st;
}

smr_status smr_network_query(smr_ctx *ctx, const smr_network *net, const char *query,
                             const smr_query_opts *opts, char **json)
{
    smr_query_opts o = {.size = sizeof o};
    smr_json_doc *doc = NULL;
    smr_status st = SMR_OK;
    smr_begin_call(ctx);
    *json = NULL;
    TRY(SMR_TAKE_OPTS(ctx, smr_query_opts, opts, &o));
    if (o.samples < 0) TRY(smr_fail(ctx, SMR_ERR_PARAM, "samples: at least 0"));
    const smr_unread unread[] = {
        {o.likeliest && o.samples > 0, "samples", "the likeliest levels are found exactly"},
        {o.likeliest && o.figures, "figures", "the likeliest levels are not drawn"},
    };
    TRY(smr_api_refuse(ctx, unread, SMR_COUNT(unread)));
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    if (o.likeliest)
        TRY(smr_belief_likeliest(ctx, net, query, root));
    else
        TRY(smr_belief_ask(ctx, net, query, o.samples, o.figures, root));
    TRY(smr_api_hand_over(ctx, doc, json));
out:
    smr_json_free(doc);
    return st;
}

smr_status smr_network_separated(smr_ctx *ctx, const smr_network *net, const char *a, const char *b,
                                 const char *const *given, int64_t n_given, bool *separated,
                                 char **json)
{
    smr_json_doc *doc = NULL;
    smr_status st = SMR_OK;
    smr_begin_call(ctx);
    if (json) *json = NULL;
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    TRY(smr_belief_separated(ctx, net, a, b, given, n_given, root));
    if (separated) *separated = smr_json_get_bool(root, "separated", false);
    if (json) TRY(smr_api_hand_over(ctx, doc, json));
out:
    smr_json_free(doc);
    return st;
}

smr_status smr_network_sample(smr_ctx *ctx, const smr_network *net, int64_t n_rows, smr_table **out)
{
    smr_begin_call(ctx);
    *out = NULL;
    if (n_rows < 1) return smr_fail(ctx, SMR_ERR_PARAM, "%lld rows: at least 1", (long long)n_rows);
    return smr_net_sample(ctx, net, n_rows, out);
}

smr_status smr_network_predict(smr_ctx *ctx, const smr_network *net, const smr_table *table,
                               const char *variable, smr_table **out)
{
    smr_begin_call(ctx);
    *out = NULL;
    return smr_belief_predict(ctx, net, table, variable, true, out);
}
