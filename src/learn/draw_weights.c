/* draw_weights.c -- see draw_weights.h. */
#include "learn/draw_weights.h"

#include "core/figure.h"
#include "core/sort.h"
#include "core/text.h"
#include "learn/views.h"

#include <string.h>

enum { MANY = 100, EACH = 12 };

/* The weights, one for each feature that comes in; NULL where there are others, or none. */
static const double *weights_of(const smr_stage *stage)
{
    smr_linear_view view = smr_stage_linear(stage);
    return view.n_scores == 1 && view.n_features == stage->n_in ? view.w : NULL;
}

bool smr_weights_are_many(const smr_stage *stage)
{
    return stage->n_in >= MANY && weights_of(stage);
}

bool smr_weights_are_drawn(const smr_stage *stage)
{
    return stage->n_in > 1 && weights_of(stage);
}

/* If there are few weights, only those of a model's own stages are drawn, unless the learner drew
 * them itself. */
static bool is_wanted(const smr_stage *stage, const char *prefix, const smr_json *figures)
{
    bool wanted = smr_weights_are_drawn(stage) && !*prefix;
    for (const smr_json *f = figures ? figures->first : NULL; f && wanted; f = f->next)
        wanted = strcmp(smr_json_get_string(f, "name", ""), "coefficients") != 0;
    return wanted || smr_weights_are_many(stage);
}

/* What the weights push towards: the classes' names where there are two. */
static void label_weights(const smr_strings *classes, smr_text *out)
{
    if (!classes || classes->n != 2) {
        smr_text_add(out, "weight");
        return;
    }
    smr_text_add(out, "weight: ");
    for (int64_t c = 0; c < 2; c++) {
        int64_t length;
        const char *name = smr_strings_get(classes, c, &length);
        smr_text_add_bytes(out, name, length);
        smr_text_add(out, c == 0 ? " below 0, " : " above");
    }
}

smr_status smr_draw_weights(smr_ctx *ctx, const smr_stage *stage, const smr_feature *in,
                            const smr_strings *classes, const char *prefix, smr_json *figures)
{
    smr_status st = SMR_OK;
    const double *coef = weights_of(stage);
    int64_t *order = NULL, n = stage->n_in;
    smr_text name = {.ctx = ctx}, note = {.ctx = ctx}, label = {.ctx = ctx};
    int64_t shown = SMR_MIN(n, 2 * EACH);
    double value[2 * EACH];
    if (!in || !is_wanted(stage, prefix, figures)) return SMR_OK;
    TRY_NEW(order, n);
    TRY(smr_argsort_f64(ctx, n, coef, order));
    smr_text_printf(&name, "%sweights", prefix);
    if (shown < n)
        smr_text_printf(&note, "The %d lowest and the %d highest of %lld weights.", EACH, EACH,
                        (long long)n);
    else
        smr_text_add(&note, "Lengths can be compared only if the features have the same unit, as "
                            "after standardize.");
    label_weights(classes, &label);
    TRY(smr_text_done(&name));
    TRY(smr_text_done(&note));
    TRY(smr_text_done(&label));
    smr_json *figure =
        smr_figure_add(figures, name.bytes, shown < n ? "Largest weights" : "Weights", note.bytes);
    smr_figure_axis(figure, "x", label.bytes, "linear");
    smr_json *names = smr_json_add_array(smr_figure_axis(figure, "y", "feature", "names"), "names");
    for (int64_t i = 0; i < shown; i++) {
        int64_t j = order[i < EACH ? i : n - shown + i];
        value[i] = coef[j];
        smr_json_add_string(names, NULL, in[j].name);
    }
    smr_figure_series(figure, "weight", "hbars", shown, value, NULL);
    st = smr_json_done(figures->doc);
out:
    smr_text_release(&name);
    smr_text_release(&note);
    smr_text_release(&label);
    smr_free(order);
    return st;
}
