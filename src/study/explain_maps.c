/* explain_maps.c -- what each layer of a net makes of one row: its maps as pictures, its units as
 * bars.
 *
 * The row goes through the stages before the net; what comes in is shown first, then each layer,
 * or those that are asked for.  Maps of a layer share one scale; a channel is dead where it is 0
 * all over. */
#include "core/figure.h"
#include "core/number.h"
#include "core/text.h"
#include "learn/chain.h"
#include "learn/registry.h"
#include "study/explain_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_MAPS = 64, MOST_UNITS = 400, NAME = 128, MOST_ASKED = 64 };

struct maps {
    smr_json *layers, *figures;
    smr_text *names; /* of all layers, for messages */
    const char *asked[MOST_ASKED];
    int64_t length[MOST_ASKED], n_asked;
    bool found[MOST_ASKED];
};

/* ---- which learners can ------------------------------------------------------------------- */

static smr_status refuse(smr_ctx *ctx, const smr_learner *learner)
{
    smr_text names = {.ctx = ctx};
    int64_t n, count = 0;
    const smr_learner *const *all = smr_registry(&n);
    for (int64_t k = 0; k < n; k++)
        if (smr_explains(all[k])->layers)
            smr_text_printf(&names, "%s%s", count++ ? ", " : "", all[k]->word->name);
    smr_status st = smr_text_done(&names);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                      "the model ends in '%s', which has no layers; maps are those of %s",
                      learner->word->name, count ? names.bytes : "none");
    smr_text_release(&names);
    return st;
}

/* ---- which layers ------------------------------------------------------------------------- */

static smr_status read_asked(smr_ctx *ctx, const char *text, struct maps *s)
{
    for (const char *at = text; at && *at;) {
        size_t n = strcspn(at, ",");
        if (n == 0) return smr_fail(ctx, SMR_ERR_PARAM, "--layer: a name is empty in '%s'", text);
        if (s->n_asked == MOST_ASKED)
            return smr_fail(ctx, SMR_ERR_PARAM, "--layer: at most %d layers", MOST_ASKED);
        s->asked[s->n_asked] = at;
        s->length[s->n_asked++] = (int64_t)n;
        at += n + (at[n] == ',');
    }
    if (text && s->n_asked == 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "--layer: the name of a layer is missing");
    return SMR_OK;
}

/* Named; or none is, and it gives pictures. */
static bool is_shown(struct maps *s, const smr_layer_answer *a)
{
    bool shown = s->n_asked == 0 && a->height * a->width > 1;
    for (int64_t k = 0; a->name && k < s->n_asked; k++) {
        if ((int64_t)strlen(a->name) != s->length[k]) continue;
        if (memcmp(a->name, s->asked[k], (size_t)s->length[k]) != 0) continue;
        shown = s->found[k] = true;
    }
    return shown;
}

/* ---- pictures ----------------------------------------------------------------------------- */

static void add_tile(const smr_layer_answer *a, const char *label, int64_t channel, int64_t n,
                     smr_json *figure)
{
    smr_json *value = smr_figure_tile(figure, label, a->height, a->width, n);
    for (int64_t e = 0; e < a->height * a->width; e++)
        for (int64_t k = 0; k < n; k++)
            smr_json_add_number(value, NULL, (double)a->y[e * a->channels + channel + k]);
}

static void draw_units(const smr_layer_answer *a, smr_json *figure)
{
    double x[MOST_UNITS], y[MOST_UNITS];
    int64_t n = SMR_MIN(a->channels, MOST_UNITS);
    for (int64_t k = 0; k < n; k++) {
        x[k] = (double)(k + 1);
        y[k] = (double)a->y[k];
    }
    smr_figure_axis(figure, "x", "unit", "linear");
    smr_figure_axis(figure, "y", "answer", "linear");
    smr_figure_series(figure, a->name, "bars", n, x, y);
}

static void draw_maps(const smr_layer_answer *a, smr_json *figure)
{
    char number[24];
    if (!a->name && a->channels == 3) { /* a picture in colours comes in */
        add_tile(a, NULL, 0, 3, figure);
        return;
    }
    for (int64_t k = 0; k < SMR_MIN(a->channels, MOST_MAPS); k++) {
        snprintf(number, sizeof number, "%lld", (long long)(k + 1));
        add_tile(a, a->channels > 1 ? number : NULL, k, 1, figure);
    }
}

static bool has_signs(const smr_layer_answer *a)
{
    for (int64_t e = 0; e < a->height * a->width * a->channels; e++)
        if (a->y[e] < 0) return true;
    return false;
}

static void draw(const struct maps *s, const smr_layer_answer *a)
{
    char name[NAME] = "input", title[NAME] = "What comes in", note[NAME];
    bool maps = a->height * a->width > 1, colours = !a->name && a->channels == 3;
    int64_t most = maps ? MOST_MAPS : MOST_UNITS;
    if (a->name) {
        snprintf(name, sizeof name, "maps-%s", a->name);
        snprintf(title, sizeof title, "What %s makes of it", a->name);
    }
    snprintf(note, sizeof note, "The first %lld of %lld %s.", (long long)most,
             (long long)a->channels, maps ? "maps" : "units");
    const char *told = a->channels > most && !colours ? note : NULL;
    if (maps)
        draw_maps(a,
                  smr_figure_tiles(s->figures, name, title, told, 0, 0, a->name && has_signs(a)));
    else
        draw_units(a, smr_figure_add(s->figures, name, title, told));
}

/* ---- words -------------------------------------------------------------------------------- */

static void tell(const struct maps *s, const smr_layer_answer *a)
{
    int64_t n = a->height * a->width, dead = 0, zeros = 0;
    double least = INFINITY, largest = -INFINITY, sum = 0;
    char shape[NAME];
    for (int64_t k = 0; k < a->channels; k++) {
        int64_t none = 0;
        for (int64_t e = 0; e < n; e++) {
            double v = (double)a->y[e * a->channels + k];
            least = smr_fmin(least, v);
            largest = smr_fmax(largest, v);
            sum += v;
            none += v == 0;
        }
        zeros += none;
        dead += none == n;
    }
    if (n > 1)
        snprintf(shape, sizeof shape, "%lld x %lld x %lld", (long long)a->height,
                 (long long)a->width, (long long)a->channels);
    else
        snprintf(shape, sizeof shape, "%lld", (long long)a->channels);
    double all = (double)n * (double)a->channels;
    smr_json *row = smr_json_add_object(s->layers, NULL);
    smr_json_add_string(row, "layer", a->name ? a->name : "input");
    smr_json_add_string(row, "shape", shape);
    smr_json_add_number(row, "least", least);
    smr_json_add_number(row, "mean", sum / all);
    smr_json_add_number(row, "largest", largest);
    smr_json_add_number(row, "zeros", (double)zeros / all);
    smr_json_add_number(row, "dead", (double)dead);
}

static smr_status see(smr_ctx *ctx, void *arg, const smr_layer_answer *a)
{
    struct maps *s = arg;
    (void)ctx;
    if (a->name) smr_text_printf(s->names, "%s%s", s->names->length ? ", " : "", a->name);
    bool shown = is_shown(s, a);
    if (a->name && s->n_asked && !shown) return SMR_OK;
    tell(s, a);
    if (shown || (!a->name && a->height * a->width > 1)) draw(s, a);
    return SMR_OK;
}

/* ---- the row ------------------------------------------------------------------------------ */

static smr_status look(smr_ctx *ctx, const smr_model *m, const smr_table *table, int64_t row,
                       struct maps *s)
{
    const smr_stage *last = smr_model_last(m);
    smr_status st = SMR_OK;
    smr_binding binding = {0};
    smr_data *data = NULL;
    smr_reader *reader = NULL;
    smr_rows rows;
    TRY(smr_schema_bind(ctx, &m->schema, smr_model_columns(m), table, &binding));
    TRY(smr_explain_chain(ctx, m, &binding, &row, 1, &data));
    const smr_data *in = &data[m->n_stages - 1];
    TRY(smr_reader_open(ctx, in, smr_stage_form(last, in), 1, &reader));
    TRY(smr_reader_rows(ctx, reader, 0, 1, &rows));
    TRY(smr_explains(last->learner)->layers(ctx, last->params, last->state, &rows, see, s));
out:
    smr_reader_close(reader);
    smr_binding_release(&binding);
    smr_free(data);
    return st;
}

static smr_status check_found(smr_ctx *ctx, const struct maps *s)
{
    for (int64_t k = 0; k < s->n_asked; k++)
        if (!s->found[k])
            return smr_fail(ctx, SMR_ERR_PARAM, "--layer: the net has no layer '%.*s'; it has %s",
                            (int)s->length[k], s->asked[k], s->names->bytes);
    return SMR_OK;
}

smr_status smr_explain_maps(smr_ctx *ctx, const smr_model *m, const smr_sample *sample,
                            const smr_explain_how *how, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_text names = {.ctx = ctx};
    struct maps s = {.names = &names};
    int64_t row = how->row ? how->row : 1;
    const smr_learner *last = smr_model_last(m)->learner;
    if (!smr_explains(last)->layers) return refuse(ctx, last);
    TRY(read_asked(ctx, how->layer, &s));
    TRY(smr_explain_check_row(ctx, sample->table, row));
    smr_json_add_number(into, "row", (double)row);
    TRY(smr_explain_predicted(ctx, m, sample->table, row - 1, into));
    s.layers = smr_json_add_array(into, "layers");
    s.figures = smr_json_add_array(into, "figures");
    TRY(look(ctx, m, sample->table, row - 1, &s));
    TRY(smr_text_done(&names));
    TRY(check_found(ctx, &s));
    st = smr_json_done(into->doc);
out:
    smr_text_release(&names);
    return st;
}
