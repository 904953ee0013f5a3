/* cmd_trace.c -- samara trace: a learner's method step by step. */
#define _GNU_SOURCE /* mkdir */
#include "commands.h"
#include "core/text.h"
#include "outputs.h"
#include "plots.h"
#include "report/draw.h"
#include "report/html_trace.h"
#include "report/render.h"
#include "session.h"
#include "training.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* What the steps end in, in one line, where the table is cut before it. */
static void show_last(const smr_json *last, smr_text *out)
{
    int64_t n = 0;
    smr_text_printf(out, "  %lld: %s", (long long)smr_json_get_number(last, "step", 0),
                    smr_json_get_string(last, "what", ""));
    for (const smr_json *m = last->first; m; m = m->next) {
        if (m->type != SMR_JSON_NUMBER || strcmp(m->key, "step") == 0) continue;
        smr_text_printf(out, "%s%s %.6g", n++ ? ", " : ": ", m->key, m->number);
    }
    smr_text_add(out, "\n");
}

static void show(const smr_json *root, int64_t most, smr_text *out)
{
    const smr_json *steps = smr_json_get(root, "steps"), *row = smr_json_get(root, "row");
    double told = smr_json_get_number(root, "n_steps", 0);
    smr_text_printf(out, "%s on %s: %s", smr_json_get_string(root, "spec", ""),
                    smr_json_get_string(root, "data", ""), smr_json_get_string(root, "shows", ""));
    if (row) smr_text_printf(out, ", row %lld", (long long)row->number);
    smr_text_add(out, "\n");
    if (steps && steps->n) smr_render_table(steps, 2, most, out);
    if (steps && steps->n > most) show_last(steps->last, out);
    smr_render_count(root, "n_steps", "step", out);
    if (steps && told > (double)steps->n) {
        smr_text_add(out, ", of which ");
        smr_trace_kept(root, out);
        smr_text_add(out, " kept (--steps)");
    }
    smr_text_add(out, "\n");
}

/* ---- files ------------------------------------------------------------------------------ */

static smr_status make_folder(smr_ctx *ctx, const char *path)
{
    struct stat s;
    if (mkdir(path, 0777) == 0) return SMR_OK;
    if (errno == EEXIST && stat(path, &s) == 0 && S_ISDIR(s.st_mode)) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_IO, "%s: the folder cannot be made: %s", path, strerror(errno));
}

/* Before the work: pictures of another fit must not be left among those of this one. */
static smr_status check_folder(smr_ctx *ctx, const char *path)
{
    struct stat s;
    int64_t n = 0;
    if (stat(path, &s) != 0 && errno == ENOENT) return SMR_OK;
    DIR *folder = opendir(path);
    if (!folder) return smr_fail(ctx, SMR_ERR_IO, "--frames %s: %s", path, strerror(errno));
    for (const struct dirent *e; (e = readdir(folder));)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(folder);
    if (n == 0) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "--frames: the folder %s is not empty; name a new one, or empty it", path);
}

/* Every figure as FOLDER/step-K-NAME.svg. */
static smr_status write_frames(smr_ctx *ctx, const char *folder, const smr_json *root)
{
    smr_status st = SMR_OK;
    smr_text svg = {.ctx = ctx};
    const smr_json *figures = smr_json_get(root, "figures");
    TRY(make_folder(ctx, folder));
    for (const smr_json *f = figures ? figures->first : NULL; f; f = f->next) {
        char path[4096];
        smr_figure_opts opts = {0};
        if (snprintf(path, sizeof path, "%s/%s.svg", folder, smr_json_get_string(f, "name", "")) >=
            (int)sizeof path)
            TRY(smr_fail(ctx, SMR_ERR_PARAM, "--frames: the folder's name is too long"));
        svg.length = 0;
        TRY(smr_figure_svg(ctx, f, &opts, &svg));
        TRY(smr_text_done(&svg));
        TRY(outputs_write(ctx, path, &svg));
    }
out:
    smr_text_release(&svg);
    return st;
}

static smr_status write_page(smr_ctx *ctx, const char *path, const smr_json *root)
{
    smr_status st = SMR_OK;
    smr_text page = {.ctx = ctx};
    TRY(smr_trace_html(ctx, root, &page));
    TRY(outputs_write(ctx, path, &page));
out:
    smr_text_release(&page);
    return st;
}

/* ---- the command ------------------------------------------------------------------------ */

smr_status run_trace(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    training_input in = {0};
    smr_train_opts how;
    smr_trace_opts opts = {
        .size = sizeof opts, .steps = SMR_MAX(0, a->steps), .row = SMR_MAX(0, a->row)};
    char *json = NULL;
    if (a->steps == 0) return smr_fail(ctx, SMR_ERR_PARAM, "--steps: at least 1");
    if (a->row == 0) return smr_fail(ctx, SMR_ERR_PARAM, "--row: at least 1");
    if (a->frames) TRY(check_folder(ctx, a->frames));
    TRY(smr_json_create(ctx, &doc));
    smr_json *root = smr_json_root(doc);
    training_words(a, &in);
    smr_json_add_string(root, "command", "trace");
    smr_json_add_string(root, "spec", in.sentence);
    smr_json_add_string(root, "data", in.path);
    TRY(training_read(ctx, a, &in, &how));
    TRY(smr_trace_steps(ctx, in.sentence, in.table, &how, &opts, &json));
    TRY(session_add_result(ctx, json, root));
    smr_json_add_number(root, "seed", (double)smr_ctx_seed(ctx));
    session_add_warnings(root);
    TRY(session_finish(ctx, a, root, show));
    if (a->html) TRY(write_page(ctx, a->html, root));
    if (a->html) TRY(session_wrote(ctx, a, a->html));
    if (a->frames) TRY(write_frames(ctx, a->frames, root));
    if (a->frames) TRY(session_wrote(ctx, a, a->frames));
out:
    training_close(&in);
    smr_json_free(doc);
    return st;
}
