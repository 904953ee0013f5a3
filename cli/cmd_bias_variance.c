/* cmd_bias_variance.c -- samara bias-variance: bias, variance and noise by repeated sampling. */
#include "commands.h"
#include "report/render.h"
#include "session.h"
#include "study/bias_variance.h"
#include "training.h"

#include <math.h>
#include <string.h>

static void show_bagging(const smr_json *bag, smr_text *out)
{
    smr_text_add(out, "\nbagging: one replicate has variance ");
    smr_render_value(smr_json_get(bag, "variance_of_one"), out);
    smr_text_add(out, ", two on one sample have correlation ");
    smr_render_value(smr_json_get(bag, "rho"), out);
    smr_text_add(out, "\n  variance of the mean of m, measured over the samples and by (1 - rho) "
                      "s2 / m + rho s2\n");
    smr_render_table(smr_json_get(bag, "sizes"), 2, 0, out);
}

static void show(const smr_json *root, int64_t most, smr_text *out)
{
    const smr_json *parts = smr_json_get(root, "decomposition");
    const smr_json *trade = smr_json_get(root, "trade_off"), *bag = smr_json_get(root, "bagging");
    const char *note = smr_json_get_string(root, "note", NULL);
    (void)most; /* -n is the rows of a sample here */
    smr_text_printf(out, "%s, ", smr_json_get_string(root, "spec", ""));
    smr_render_count(root, "samples", "sample", out);
    smr_text_add(out, " of ");
    smr_render_count(root, "rows", "row", out);
    smr_text_printf(out, " from %s, %s loss at ", smr_json_get_string(root, "source", ""),
                    smr_json_get_string(root, "loss", ""));
    smr_render_count(root, "test_rows", "test point", out);
    smr_text_add(out, "\n");
    if (parts) smr_render_pairs(parts, 2, out);
    if (bag) show_bagging(bag, out);
    if (trade) {
        smr_text_printf(out, "best %s: %s\n", smr_json_get_string(trade, "parameter", ""),
                        smr_json_get_string(trade, "best", ""));
        smr_render_table(smr_json_get(trade, "values"), 2, 0, out);
    }
    if (note) smr_text_printf(out, "%s\n", note);
}

/* The settings of the generator: the words after the sentence, and --noise, which is `noise`. */
static smr_status read_settings(smr_ctx *ctx, const args *a, const char *settings[MAX_WORDS],
                                smr_text *noise, smr_bias_variance_opts *opts)
{
    for (int i = 2; i < a->n_words; i++) settings[opts->n_settings++] = a->words[i];
    opts->settings = settings;
    *noise = (smr_text){.ctx = ctx};
    if (!a->noise) return SMR_OK;
    smr_text_printf(noise, "noise=%s", a->noise);
    smr_status st = smr_text_done(noise);
    settings[opts->n_settings++] = noise->bytes;
    return st;
}

/* What is about a file's columns means nothing to a generator. */
static smr_status check_generator(smr_ctx *ctx, const args *a)
{
    const struct {
        const char *name;
        bool given;
    } options[] = {{"target", a->target != NULL},
                   {"task", a->task != NULL},
                   {"group", a->group != NULL},
                   {"ignore", a->ignore != NULL}};
    const char *name = NULL;
    for (int64_t i = 0; i < SMR_COUNT(options) && !name; i++)
        if (options[i].given) name = options[i].name;
    if (!name) name = cli_file_option(a);
    if (!name) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "--%s describes a file; the columns and the target of --generator %s "
                    "are known: leave it out",
                    name, a->generator);
}

static smr_status open_source(smr_ctx *ctx, const args *a, training_input *in, smr_train_opts *how)
{
    smr_status st = SMR_OK;
    in->sentence = a->words[1];
    for (int i = 2; a->generator && i < a->n_words; i++)
        if (!strchr(a->words[i], '=') && session_is_file(a->words[i]))
            return smr_fail(ctx, SMR_ERR_PARAM,
                            "--generator and DATA (%s) exclude each other: samples are drawn "
                            "either by the generator or from the file",
                            a->words[i]);
    if (a->generator) TRY(check_generator(ctx, a));
    if (a->generator) TRY(training_how(ctx, a, how));
    if (a->generator) return smr_sentence_check(ctx, in->sentence);
    if (a->n_words != 3)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "bias-variance needs a source of samples: --generator NAME, or one file");
    if (a->noise)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--noise is a setting of generators; a file has the noise it has");
    training_words(a, in);
    TRY(training_read(ctx, a, in, how));
out:
    return st;
}

static smr_status check_counts(smr_ctx *ctx, const args *a)
{
    if (a->rows == 0) return smr_fail(ctx, SMR_ERR_PARAM, "--rows: at least 2 rows per sample");
    if (a->samples == 0) return smr_fail(ctx, SMR_ERR_PARAM, "--samples: at least 2");
    if (a->test_rows == 0) return smr_fail(ctx, SMR_ERR_PARAM, "--test-rows: at least 1");
    if (a->bag == 0) return smr_fail(ctx, SMR_ERR_PARAM, "--bag: at least 2 replicates");
    return SMR_OK;
}

smr_status run_bias_variance(smr_ctx *ctx, args *a)
{
    smr_status st = SMR_OK;
    const char *settings[MAX_WORDS + 1];
    smr_text noise = {0};
    training_input in = {0};
    smr_train_opts how;
    smr_json_doc *doc = NULL;
    char *json = NULL;
    smr_bias_variance_opts opts = {.size = sizeof opts,
                                   .generator = a->generator,
                                   .samples = SMR_MAX(0, a->samples),
                                   .rows = SMR_MAX(0, a->rows),
                                   .test_rows = SMR_MAX(0, a->test_rows),
                                   .bag = SMR_MAX(0, a->bag),
                                   .over = a->over,
                                   .group = a->group};
    TRY(check_counts(ctx, a));
    TRY(open_source(ctx, a, &in, &how));
    if (a->generator) TRY(read_settings(ctx, a, settings, &noise, &opts));
    TRY(smr_json_create(ctx, &doc));
    double began = smr_now();
    smr_json *root = smr_json_root(doc);
    smr_json_add_string(root, "command", "bias-variance");
    smr_json_add_string(root, "spec", in.sentence);
    smr_json_add_string(root, "source", a->generator ? a->generator : in.path);
    TRY(smr_bias_variance(ctx, in.sentence, in.table, &how, &opts, &json));
    TRY(session_add_result(ctx, json, root));
    smr_json_add_number(root, "seed", (double)smr_ctx_seed(ctx));
    smr_json_add_number(root, "seconds", smr_now() - began);
    session_add_warnings(root);
    TRY(session_finish(ctx, a, root, show));
out:
    smr_json_free(doc);
    training_close(&in);
    smr_text_release(&noise);
    return st;
}
