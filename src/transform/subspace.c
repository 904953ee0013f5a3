/* subspace.c -- keeps some of the features, drawn at random.
 *
 *     share=s   round(s d) of the d features, at least one
 *     parts=K   the features are dealt into K parts as even as they can be, and one part is left
 *               out: draws 0 .. K-1 leave out one each, draws K .. 2K-1 deal anew, and so on
 *
 * What is kept is a function of the seed, `draw` and d: no value and no target is looked at.  With
 * `bag`, each member reads another draw; alone it is the random subspace of one learner.  Names,
 * kinds and levels stay; categories and texts stay what they are, missing values stay missing,
 * sparse rows stay sparse.  Order stays.  Cost: O(d) to fit, a copy of what is kept to apply.
 * Reference: Ho, IEEE PAMI 20:832-844, 1998. */
#include "transform/subspace.h"

#include "transform/kept.h"

#include "core/rng.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_param params[] = {
    {SMR_FIELD(struct smr_subspace_params, share), .def = 0.5, .min = 0, .max = 1, .min_open = true,
     .primary = true, .search = SMR_SEARCH_LINEAR, .search_min = 0.2, .search_max = 1,
     .simpler = SMR_SIMPLER_LOW, .when = "parts=none", .doc = "Share of the features to keep."},
    {SMR_FIELD(struct smr_subspace_params, parts), .unset = true, .none = "0", .min = 1,
     .max = SMR_MAX_DIM,
     .doc = "Divide the features into this many parts and leave one out, instead of using share; "
            "unset: use share."},
    {SMR_FIELD(struct smr_subspace_params, draw), .def = 0, .min = 0, .max = SMR_MAX_DIM,
     .doc = "Which of the seed's random draws to use."},
};

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    const struct smr_subspace_params *p = params_;
    if (p->parts == 1)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "subspace: parts=1 would leave out every feature; 2 is the least, 0 none");
    return SMR_OK;
}

/* ---- state ------------------------------------------------------------------------------ */

static const smr_state state[] = {
    {SMR_KEPT(struct smr_subspace_state, n_features), .is = "features", .min = 1,
     .doc = "Features that come in."},
    {SMR_KEPT(struct smr_subspace_state, n_kept), .most = "n_features", .min = 1,
     .doc = "Features that go out."},
    {SMR_KEPT(struct smr_subspace_state, kept), .below = "n_features", .order = SMR_ORDER_ASCENDS,
     .dims = {"n_kept"}, .doc = "Numbers of the features that go out."},
};

/* ---- fit -------------------------------------------------------------------------------- */

smr_status smr_subspace_draw(smr_ctx *ctx, const struct smr_subspace_params *p, int64_t d,
                             struct smr_subspace_state *s)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL, parts = SMR_MIN(p->parts, d);
    bool *out = NULL;
    /* With one feature nothing can be left out. */
    int64_t deal = parts > 1 ? p->draw / parts : p->draw, part = parts > 1 ? p->draw % parts : 0;
    int64_t keep = SMR_MAX(1, (int64_t)floor(p->share * (double)d + 0.5));
    TRY_NEW(order, d);
    TRY_NEW(out, d);
    smr_random_permutation(ctx->seed, SMR_STREAM_SUBSPACE, (uint64_t)deal, d, order);
    for (int64_t i = 0; i < d; i++)
        out[order[i]] = p->parts > 0 ? parts > 1 && i % parts == part : i >= keep;
    s->n_features = d;
    TRY_NEW(s->kept, d);
    for (int64_t j = 0; j < d; j++)
        if (!out[j]) s->kept[s->n_kept++] = (int32_t)j;
out:
    smr_free(order);
    smr_free(out);
    return st;
}

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    (void)report;
    return smr_subspace_draw(ctx, params_, data->n_features, state_);
}

static smr_kept keeps(const void *state_)
{
    const struct smr_subspace_state *s = state_;
    return (smr_kept){s->n_features, s->n_kept, s->kept};
}

/* ---- predict ---------------------------------------------------------------------------- */

static smr_form form(const void *state_)
{
    (void)state_;
    return SMR_FORM_U8; /* whatever there is: nothing is computed */
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    enum { SHOWN = 100 };
    const struct smr_subspace_state *s = state_;
    (void)ctx, (void)params_, (void)n_in;
    smr_json_add_number(into, "kept", (double)s->n_kept);
    smr_json_add_number(into, "of", (double)s->n_features);
    smr_json *list = in ? smr_json_add_array(into, "features") : NULL;
    for (int64_t k = 0; in && k < SMR_MIN(s->n_kept, SHOWN); k++)
        smr_json_add_string(smr_json_add_object(list, NULL), "feature", in[s->kept[k]].name);
    return SMR_OK;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "subspace",
    .family = "transform",
    .title = "Random subspace",
    .brief = "Keeps some of the features, drawn at random, and drops the others.",
    .objective = "round(share d) of the d features, or all but one of `parts` random parts",
    .details =
        "The draw depends on the seed, on draw and on the number of features; neither values nor "
        "targets matter. bag puts this stage before each of its members when columns or parts is "
        "given. As the first stage of a member it gives each member of a vote a different view: "
        "vote of=(subspace draw=0 | knn),(subspace draw=1 | knn). At least one feature is kept; "
        "with parts, draws 0 to parts - 1 leave out every feature exactly once.",
    .reference = "Ho, IEEE Transactions on Pattern Analysis and Machine Intelligence 20 (1998)",
    .example = "samara train \"subspace 0.6 | knn 5\" data/iris.csv --target species",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_subspace_params),
    .check_params = check_params,
};

static void tailor(void *params_, const smr_tailor *next)
{
    struct smr_subspace_params *p = params_;
    if (next->parts > 0)
        p->parts = next->parts;
    else
        p->share = next->share;
    p->draw = next->draw;
}

static const smr_can_transform transforms = {
    .adapts = SMR_NEED_DRAWN,
    .tailor = tailor,
    .keeps = keeps,
    .no_inverse = "the features that it dropped are not in its answer",
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_subspace_state),
    .gives = SMR_GIVES_TRANSFORM,
    .form = form,
    .describe = describe,
    .transform = &transforms,
};

const smr_learner smr_subspace = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes = SMR_TAKES_ANYTHING,
    .traits = SMR_PASSES_CONTRASTS,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
};
