/* bag_columns.c -- a member that reads some of the features: see bag.h. */
#include "data/keep.h"
#include "learn/chain.h"
#include "learn/ensemble/bag.h"
#include "learn/views.h"

#include <string.h>

/* The features that the stage keeps, of data that lie in memory: views, not copies. */
static smr_status pick_features(smr_ctx *ctx, const smr_stage *front, const smr_data *data,
                                smr_feature **features, smr_data *out)
{
    smr_status st = SMR_OK;
    int64_t *from = NULL, n = 0;
    TRY(smr_stages_origins(ctx, front, 1, data->n_features, &from, &n));
    TRY_NEW(*features, n);
    for (int64_t k = 0; k < n; k++) (*features)[k] = data->features[from[k]];
    *out = *data;
    out->features = *features;
    out->n_features = n;
    out->shared = NULL; /* of all features */
out:
    smr_free(from);
    return st;
}

/* The member's stages after the front, which is taken over. */
static smr_status join(smr_ctx *ctx, smr_stage *front, smr_member *m)
{
    smr_stage *all = smr_alloc(ctx, m->n_stages + 1, sizeof *all);
    if (!all) return SMR_ERR_NOMEM;
    all[0] = *front;
    memcpy(all + 1, m->stages, (size_t)m->n_stages * sizeof *all);
    smr_free(m->stages);
    m->stages = all;
    m->n_stages++;
    m->shape.n_features = front->n_in;
    *front = (smr_stage){0};
    return SMR_OK;
}

smr_status smr_member_fit_behind(smr_ctx *ctx, smr_stage *front, const smr_spec *spec,
                                 const smr_data *data, smr_member *member, smr_fit_report *report)
{
    smr_status st = SMR_OK;
    smr_data seen;
    smr_feature *features = NULL;
    smr_keep kept = {0};
    smr_member m = {0};
    if (!data->source && !data->sparse) {
        TRY(pick_features(ctx, front, data, &features, &seen));
    } else {
        smr_chain(data, front, &seen);
        if (smr_data_is_sparse(&seen)) TRY(smr_data_keep(ctx, &seen, SMR_FORM_SPARSE, true, &kept));
    }
    TRY(smr_member_fit(ctx, spec, &seen, &m, report));
    TRY(join(ctx, front, &m));
    *member = m;
    m = (smr_member){0};
out:
    smr_member_release(&m);
    smr_keep_release(&kept);
    smr_free(features);
    return st;
}
