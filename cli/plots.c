/* plots.c -- see plots.h. */
#include "plots.h"

#include "data/file.h"
#include "outputs.h"
#include "report/draw.h"
#include "report/html.h"
#include "session.h"
#include "study/judge.h"

#include <string.h>

/* One --plot: NAME=FILE, or FILE, whose stem is the name. */
struct wish {
    char name[128];
    const char *path;
    bool png, named; /* named: by NAME=, not by the file */
};

static smr_status read_wish(smr_ctx *ctx, const char *text, struct wish *w)
{
    *w = (struct wish){.path = outputs_plot_path(text)};
    bool named = w->named = w->path != text;
    w->png = outputs_ends_in(w->path, ".png");
    if (!w->png && !outputs_ends_in(w->path, ".svg"))
        return smr_fail(ctx, SMR_ERR_PARAM, "--plot: '%s' ends neither in .svg nor in .png",
                        w->path);
    const char *slash = strrchr(w->path, '/'), *from = named ? text : slash ? slash + 1 : w->path;
    size_t n = named ? (size_t)(w->path - text) - 1 : strlen(from) - 4;
    if (n == 0 || n >= sizeof w->name)
        return smr_fail(ctx, SMR_ERR_PARAM, "--plot: '%s' names no figure; try NAME=FILE", text);
    memcpy(w->name, from, n);
    return SMR_OK;
}

/* ---- before the work -------------------------------------------------------------------- */

/* The figures of commands that work for long and draw several; a name that ends in * begins so
 * (several targets, searched parameters, views of a report).  Others draw one, which any name
 * means, or what depends on the model. */
enum {
    JUDGES = CMD_TRAIN | CMD_EVALUATE | CMD_CV,
    NAMED_FIGURES = JUDGES | CMD_TUNE | CMD_DESCRIBE | CMD_TRACE
};

/* What a target must be for a figure to be drawn. */
enum figure_of { OF_ANY, OF_CLASSES, OF_TWO_CLASSES, OF_NUMBERS, OF_FOUND };

static const struct {
    const char *name;
    unsigned commands;
    enum figure_of of;
} drawn[] = {
    {"folds", CMD_CV, OF_ANY},
    {"confusion", JUDGES, OF_CLASSES},
    {"classes", JUDGES, OF_CLASSES},
    {"mistakes", CMD_TRAIN | CMD_EVALUATE, OF_CLASSES},
    {"roc", JUDGES, OF_CLASSES},
    {"precision_recall", JUDGES, OF_CLASSES},
    {"gain", JUDGES, OF_TWO_CLASSES},
    {"lift", JUDGES, OF_TWO_CLASSES},
    {"threshold", JUDGES, OF_TWO_CLASSES},
    {"calibration", JUDGES, OF_CLASSES},
    {"scores", JUDGES, OF_CLASSES},
    {"predicted*", JUDGES, OF_NUMBERS},
    {"residuals*", JUDGES, OF_NUMBERS},
    {"residual_histogram*", JUDGES, OF_NUMBERS},
    {"normal_quantiles*", JUDGES, OF_NUMBERS},
    {"sizes", JUDGES, OF_FOUND},
    {"contingency", JUDGES, OF_FOUND},
    {"silhouettes", JUDGES, OF_FOUND},
    {"row_scores", JUDGES, OF_FOUND},
    {"importance*", CMD_TRAIN, OF_ANY},
    {"dependence*", CMD_TRAIN, OF_ANY},
    {"trials", CMD_TUNE, OF_ANY},
    {"search_*", CMD_TUNE, OF_ANY},
    {"distribution-*", CMD_DESCRIBE, OF_ANY},
    {"relevance", CMD_DESCRIBE, OF_ANY},
    {"correlations", CMD_DESCRIBE, OF_ANY},
    {"step-*", CMD_TRACE, OF_ANY},
};

static bool fits(const char *pattern, const char *name)
{
    size_t n = strlen(pattern) - 1;
    return pattern[n] == '*' ? strncmp(pattern, name, n) == 0 : strcmp(pattern, name) == 0;
}

/* target NULL: not known yet. */
static bool is_drawn(int64_t i, unsigned by, const smr_target *target)
{
    if (!(drawn[i].commands & by)) return false;
    if (!target || drawn[i].of == OF_ANY) return true;
    smr_judged_as as = smr_judge_of(target->task)->as;
    if (as == SMR_JUDGED_AS_CLASSES)
        return drawn[i].of == OF_CLASSES ||
               (drawn[i].of == OF_TWO_CLASSES && target->classes.n == 2);
    return drawn[i].of == (as == SMR_JUDGED_AS_NUMBERS ? OF_NUMBERS : OF_FOUND);
}

static smr_status check_name(smr_ctx *ctx, const command *c, const smr_target *target,
                             const char *name)
{
    smr_text list = {.ctx = ctx};
    smr_status st = SMR_OK;
    if (!(c->bit & NAMED_FIGURES)) return SMR_OK;
    for (int64_t i = 0; i < SMR_COUNT(drawn); i++) {
        if (!is_drawn(i, c->bit, target)) continue;
        if (fits(drawn[i].name, name)) goto out;
        smr_text_printf(&list, "%s%s", list.length ? ", " : "", drawn[i].name);
    }
    TRY(smr_text_done(&list));
    if (target)
        st = smr_fail(ctx, SMR_ERR_PARAM,
                      "--plot: %s draws no figure '%s' of this target; it draws %s", c->name, name,
                      list.bytes);
    else
        st = smr_fail(ctx, SMR_ERR_PARAM, "--plot: %s draws no figure '%s'; %sit draws %s", c->name,
                      name, c->bit & JUDGES ? "depending on the task " : "", list.bytes);
out:
    smr_text_release(&list);
    return st;
}

smr_status plots_check_target(smr_ctx *ctx, const args *a, const smr_target *target)
{
    smr_status st = SMR_OK;
    struct wish w;
    for (int i = 0; i < a->n_plots && smr_judge_can(target); i++) {
        TRY(read_wish(ctx, a->plots[i], &w));
        TRY(check_name(ctx, cli_find_command(a->words[0]), target, w.name));
    }
out:
    return st;
}

/* A table of one column has one figure, which any name means. */
smr_status plots_check_columns(smr_ctx *ctx, const args *a, const smr_table *table)
{
    static const char stem[] = "distribution-";
    smr_status st = SMR_OK;
    struct wish w;
    for (int i = 0; i < a->n_plots && table->n_cols > 1; i++) {
        int64_t j = 0;
        TRY(read_wish(ctx, a->plots[i], &w));
        TRY(check_name(ctx, cli_find_command(a->words[0]), NULL, w.name));
        if (!a->target && strcmp(w.name, "relevance") == 0)
            TRY(smr_fail(ctx, SMR_ERR_PARAM, "--plot relevance: name the target with --target"));
        if (!fits("distribution-*", w.name)) continue;
        while (j < table->n_cols && strcmp(table->cols[j].name, w.name + strlen(stem)) != 0) j++;
        if (j == table->n_cols)
            TRY(smr_fail(ctx, SMR_ERR_PARAM, "--plot %s: %s has no column '%s'", w.name,
                         a->words[1], w.name + strlen(stem)));
    }
out:
    return st;
}

smr_status plots_check_stem(smr_ctx *ctx, const args *a, const char *stem)
{
    smr_status st = SMR_OK;
    struct wish w;
    for (int i = 0; i < a->n_plots; i++) {
        TRY(read_wish(ctx, a->plots[i], &w));
        if (strncmp(w.name, stem, strlen(stem)) != 0)
            TRY(smr_fail(ctx, SMR_ERR_PARAM,
                         "--plot: there is no figure '%s' in this result; their "
                         "names begin with %s",
                         w.name, stem));
    }
out:
    return st;
}

/* Opening a sink makes its file beside the old one; closing takes it away again. */
static smr_status check_path(smr_ctx *ctx, const char *path)
{
    smr_sink *sink = NULL;
    smr_status st = smr_sink_open(ctx, path, false, &sink);
    smr_sink_close(sink);
    return st;
}

smr_status plots_check(smr_ctx *ctx, const command *c, const args *a)
{
    smr_status st = SMR_OK;
    struct wish w;
    for (int i = 0; i < a->n_plots; i++) {
        TRY(read_wish(ctx, a->plots[i], &w));
        if (c->bit != CMD_DESCRIBE) TRY(check_name(ctx, c, NULL, w.name));
        if (w.png && !plots_have_png())
            return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                            "%s: this samara was built without PNG; install librsvg2-dev and "
                            "build it again, or ask for .svg",
                            w.path);
        TRY(check_path(ctx, w.path));
    }
    if (a->report) TRY(check_path(ctx, a->report));
    if (a->html) TRY(check_path(ctx, a->html));
out:
    return st;
}

/* ---- after it --------------------------------------------------------------------------- */

static smr_status no_such_figure(smr_ctx *ctx, const smr_json *figures, const char *name)
{
    enum { NAMED = 24 };
    smr_text list = {.ctx = ctx};
    smr_status st = SMR_ERR_PARAM;
    int64_t i = 0, all = figures ? figures->n : 0;
    for (const smr_json *f = all ? figures->first : NULL; f && i < NAMED; f = f->next, i++)
        smr_text_printf(&list, "%s%s", i ? ", " : "", smr_json_get_string(f, "name", "?"));
    if (i < all) smr_text_printf(&list, " and %lld more", (long long)(all - i));
    if (list.length == 0)
        st = smr_fail(ctx, st, "--plot %s: this result has no figures", name);
    else
        st = smr_fail(ctx, st, "--plot: there is no figure '%s' in this result; there is %s", name,
                      list.bytes);
    smr_text_release(&list);
    return st;
}

/* Where there is but one, a file of any name means it. */
static smr_status find_figure(smr_ctx *ctx, const smr_json *root, const struct wish *w,
                              const smr_json **out)
{
    const smr_json *figures = smr_json_get(root, "figures");
    if (figures && figures->type != SMR_JSON_ARRAY) figures = NULL;
    *out = NULL;
    for (const smr_json *f = figures ? figures->first : NULL; f && !*out; f = f->next)
        if (strcmp(smr_json_get_string(f, "name", ""), w->name) == 0) *out = f;
    if (!*out && figures && figures->n == 1 && !w->named) *out = figures->first;
    return *out ? SMR_OK : no_such_figure(ctx, figures, w->name);
}

static smr_status draw(smr_ctx *ctx, const smr_json *figure, const struct wish *w)
{
    smr_status st = SMR_OK;
    smr_text svg = {.ctx = ctx};
    TRY(smr_figure_svg(ctx, figure, NULL, &svg));
    if (w->png)
        TRY(plots_write_png(ctx, &svg, w->path));
    else
        TRY(outputs_write(ctx, w->path, &svg));
out:
    smr_text_release(&svg);
    return st;
}

smr_status plots_write(smr_ctx *ctx, const args *a, const smr_json *root)
{
    smr_status st = SMR_OK;
    smr_text page = {.ctx = ctx};
    for (int i = 0; i < a->n_plots; i++) {
        struct wish w;
        const smr_json *figure = NULL;
        TRY(read_wish(ctx, a->plots[i], &w));
        TRY(find_figure(ctx, root, &w, &figure));
        TRY(draw(ctx, figure, &w));
        TRY(session_wrote(ctx, a, w.path));
    }
    if (a->report) {
        TRY(smr_report_html(ctx, root, &page));
        TRY(outputs_write(ctx, a->report, &page));
        TRY(session_wrote(ctx, a, a->report));
    }
out:
    smr_text_release(&page);
    return st;
}
