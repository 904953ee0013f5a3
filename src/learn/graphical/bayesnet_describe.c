/* bayesnet_describe.c -- a fitted network in words, as a picture, and as a network for others. */
#include "learn/graphical/bayesnet.h"

#include "core/figure.h"
#include "core/number.h"
#include "learn/graphical/network_figure.h"

#include <stdio.h>
#include <string.h>

static const char *name_of(const struct smr_bayesnet_state *s, const smr_feature *in, int64_t i,
                           char out[32])
{
    if (i == s->n_features) return "target";
    if (in && in[i].name) return in[i].name;
    snprintf(out, 32, "%lld", (long long)i);
    return out;
}

smr_status smr_bayesnet_describe(smr_ctx *ctx, const void *params, const void *state,
                                 const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_bayesnet_state *s = state;
    char other[32];
    (void)ctx, (void)params, (void)n_in;
    smr_json_add_number(into, "rows", s->weight);
    smr_json_add_number(into, "edges", (double)s->n_edges);
    smr_json_add_number(into, "cells", (double)s->n_cells);
    smr_json_add_number(into, "log_likelihood", s->log_likelihood);
    smr_json_add_number(into, "bic", s->bic);
    smr_json *list = smr_json_add_array(into, "variables");
    for (int64_t i = 0; i < s->n_nodes; i++) {
        smr_json *one = smr_json_add_object(list, NULL);
        smr_text parents = {.ctx = ctx};
        smr_json_add_string(one, "variable", name_of(s, in, i, other));
        smr_json_add_number(one, "levels", (double)s->levels[i]);
        for (int64_t e = s->start[i]; e < s->start[i + 1]; e++)
            smr_text_printf(&parents, "%s%s", e > s->start[i] ? ", " : "",
                            name_of(s, in, s->parent[e], other));
        if (smr_text_done(&parents) == SMR_OK)
            smr_json_add_string(one, "parents", parents.bytes ? parents.bytes : "");
        smr_text_release(&parents);
    }
    return SMR_OK;
}

/* ---- as a network ----------------------------------------------------------------------- */

/* "<2.5", "2.5..4", ">=4". */
static void name_bin(const double *cut, int64_t n, int64_t k, smr_text *out)
{
    out->length = 0;
    if (k == 0 || n == 0) {
        smr_text_add(out, n ? "<" : "any");
        if (n) smr_text_number(out, cut[0]);
        return;
    }
    smr_text_add(out, k == n ? ">=" : "");
    smr_text_number(out, cut[k - 1]);
    if (k == n) return;
    smr_text_add(out, "..");
    smr_text_number(out, cut[k]);
}

static smr_status add_levels(smr_ctx *ctx, const struct smr_bayesnet_state *s,
                             const smr_strings *names, int64_t i, smr_net_draft *d)
{
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    for (int64_t k = 0; k < s->levels[i]; k++) {
        int64_t length = 0;
        const char *name = NULL;
        int64_t number = i == s->n_features ? s->present[k] : k;
        if (names && number < names->n) name = smr_strings_get(names, number, &length);
        if (!name) {
            name_bin(s->cut + s->cut_at[i], s->cut_at[i + 1] - s->cut_at[i], k, &text);
            if (names || i == s->n_features) { /* a category whose levels have no names here */
                text.length = 0;
                smr_text_printf(&text, "level %lld", (long long)k);
            }
            TRY(smr_text_done(&text));
            name = text.bytes;
            length = text.length;
        }
        TRY(smr_draft_level(ctx, d, 0, i, name, length));
    }
out:
    smr_text_release(&text);
    return st;
}

static smr_status add_family(smr_ctx *ctx, const struct smr_bayesnet_state *s, int64_t i,
                             smr_net_draft *d)
{
    smr_status st = SMR_OK;
    TRY(smr_draft_family(ctx, d, 0, i, s->start[i + 1] - s->start[i], s->parent + s->start[i]));
    smr_net_family *f = &d->family[i];
    memcpy(f->p, s->p + s->ready->at[i], (size_t)(f->n_rows * s->levels[i]) * sizeof *f->p);
    memset(f->set, 1, (size_t)f->n_rows * sizeof *f->set);
out:
    return st;
}

smr_status smr_bayesnet_network(smr_ctx *ctx, const void *params, const void *state,
                                const smr_feature *in, int64_t n_in, const char *target,
                                const smr_strings *classes, struct smr_network *out)
{
    smr_status st = SMR_OK;
    const struct smr_bayesnet_state *s = state;
    smr_net_draft d = {.source = "model"};
    char other[32];
    int64_t node;
    (void)params, (void)n_in;
    for (int64_t i = 0; i < s->n_nodes; i++) {
        const char *name = name_of(s, in, i, other);
        const smr_strings *levels = NULL;
        if (i == s->n_features) {
            name = target ? target : name;
            levels = classes ? classes : s->n_names ? &s->names : NULL;
        } else if (in && in[i].kind == SMR_CATEGORY) {
            levels = in[i].levels;
        }
        TRY(smr_draft_variable(ctx, &d, 0, name, (int64_t)strlen(name), &node));
        TRY(add_levels(ctx, s, levels, i, &d));
    }
    for (int64_t i = 0; i < s->n_nodes; i++) TRY(add_family(ctx, s, i, &d));
    TRY(smr_draft_finish(ctx, &d, out));
out:
    smr_draft_release(&d);
    return st;
}

smr_status smr_bayesnet_draw(smr_ctx *ctx, const void *params, const void *state,
                             const smr_feature *in, int64_t n_in, const char *prefix,
                             smr_json *figures)
{
    smr_status st = SMR_OK;
    const struct smr_bayesnet_state *s = state;
    smr_network net = {0};
    char name[64];
    if (s->n_nodes > SMR_FIGURE_MOST_NODES) return SMR_OK;
    snprintf(name, sizeof name, "%sgraph", prefix);
    TRY(smr_bayesnet_network(ctx, params, state, in, n_in, NULL, NULL, &net));
    TRY(smr_net_figure(ctx, &net, NULL, name, figures));
out:
    smr_net_release(&net);
    return st;
}
