/* spectral_given.c -- the settings of spectral for a graph that is given. */
#include "core/text.h"
#include "learn/cluster/spectral.h"
#include "learn/spec.h"

#include <math.h>
#include <string.h>

static bool is_about_rows(const struct smr_spectral_params *p)
{
    return p->graph != SMR_GRAPH_KNN || p->neighbors != 10 || p->weights != SMR_GRAPH_AUTO ||
           !isnan(p->eps) || !isnan(p->sigma) || p->metric != SMR_METRIC_EUCLIDEAN;
}

smr_status smr_spectral_settings(smr_ctx *ctx, const char *settings, smr_divide_opts *out)
{
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    smr_spec *spec = NULL;
    bool named = !strncmp(settings, "spectral", strlen("spectral"));
    smr_text_printf(&text, "%s%s", named ? "" : "spectral ", settings);
    TRY(smr_text_done(&text));
    TRY(smr_spec_parse(ctx, text.bytes, &spec));
    if (spec->n != 1 || strcmp(spec->steps[0].learner->word->name, "spectral") != 0)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "a graph that is given is divided by spectral alone, not by '%.80s'",
                     settings));
    const struct smr_spectral_params *p = spec->steps[0].params;
    if (is_about_rows(p))
        TRY(smr_fail(
            ctx, SMR_ERR_PARAM,
            "the graph is given: graph, neighbors, eps, weights, sigma and metric make one "
            "of rows, and are not used here"));
    *out = (smr_divide_opts){.k = p->k == SMR_SPECTRAL_AUTO ? 0 : (int64_t)p->k,
                             .k_most = SMR_MAX(2, p->k_most),
                             .laplacian = (smr_laplacian)p->laplacian,
                             .assign = p->k == 2 ? p->assign : SMR_DIVIDE_KMEANS,
                             .starts = SMR_MAX(1, p->starts)};
out:
    smr_text_release(&text);
    smr_spec_free(spec);
    return st;
}
