/* outputs.c -- see outputs.h. */
#define _GNU_SOURCE /* realpath */
#include "outputs.h"

#include "data/file.h"
#include "learn/registry.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_FILES = MAX_PLOTS + 24 };

struct output {
    const char *option, *path;
};

const char *outputs_plot_path(const char *text)
{
    const char *equals = strchr(text, '=');
    size_t before = equals ? (size_t)(equals - text) : 0;
    bool named = equals && before > 0 && !memchr(text, '/', before) && !memchr(text, '.', before);
    return named ? equals + 1 : text;
}

bool outputs_ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n >= m && strcmp(path + n - m, ending) == 0;
}

smr_status outputs_write(smr_ctx *ctx, const char *path, const smr_text *bytes)
{
    smr_status st = SMR_OK;
    smr_sink *sink = NULL;
    TRY(smr_sink_open(ctx, path, false, &sink));
    TRY(smr_sink_write(ctx, sink, bytes->bytes, bytes->length));
    TRY(smr_sink_commit(ctx, sink));
out:
    smr_sink_close(sink);
    return st;
}

/* The folder a file would be in, without links, and the file's name in it. */
static bool place(const char *path, char folder[PATH_MAX], const char **name)
{
    char text[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 1;
    if (n >= sizeof text) return false;
    memcpy(text, slash ? path : ".", n);
    text[n] = '\0';
    if (n == 0) memcpy(text, "/", 2);
    *name = slash ? slash + 1 : path;
    return realpath(text, folder) != NULL;
}

/* One file, there or yet to be made; a device such as /dev/null may be written twice. */
static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    char of_a[PATH_MAX], of_b[PATH_MAX];
    const char *name_a, *name_b;
    bool has_a = stat(a, &x) == 0, has_b = stat(b, &y) == 0;
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0 || has_a != has_b) return false;
    if (has_a) return x.st_dev == y.st_dev && x.st_ino == y.st_ino && S_ISREG(x.st_mode);
    return place(a, of_a, &name_a) && place(b, of_b, &name_b) && strcmp(name_a, name_b) == 0 &&
           strcmp(of_a, of_b) == 0;
}

static int gather(const command *c, const args *a, struct output list[MOST_FILES])
{
    const struct output fixed[] = {{"-o", a->output},
                                   {"--log", a->log},
                                   {"--checkpoint", a->checkpoint},
                                   {"--resume", c->bit == CMD_STREAM ? NULL : a->resume},
                                   {"--predictions", a->predictions},
                                   {"--report", a->report},
                                   {"--html", a->html},
                                   {"--palette", a->palette},
                                   {"OUT", c->bit == CMD_CONVERT ? a->words[2] : NULL}};
    int n = 0;
    for (int64_t i = 0; i < SMR_COUNT(fixed); i++)
        if (fixed[i].path) list[n++] = fixed[i];
    for (int i = 2; c->bit == CMD_SPLIT && i < a->n_words; i++)
        list[n++] = (struct output){"OUT", a->words[i]};
    for (int i = 0; i < a->n_plots; i++)
        list[n++] = (struct output){"--plot", outputs_plot_path(a->plots[i])};
    return n;
}

static smr_status check_input(smr_ctx *ctx, const struct output *o, const char *input)
{
    struct stat s;
    if (!input || stat(input, &s) != 0 || !same_file(o->path, input)) return SMR_OK;
    if (strcmp(o->option, "--resume") == 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "--resume: %s is what this command reads, not a log",
                        input);
    bool picture = strcmp(o->option, "--plot") == 0;
    return smr_fail(ctx, SMR_ERR_PARAM, "%s would be replaced by the %s; choose another %s", input,
                    picture ? "picture" : "result", o->option[0] == '-' ? o->option : "name");
}

static smr_status asked_twice(smr_ctx *ctx, const struct output *a, const struct output *b)
{
    if (strcmp(a->option, b->option) == 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "%s is asked for twice; choose another name", b->path);
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "%s is asked for twice, by %s and by %s; choose another name", b->path,
                    a->option, b->option);
}

smr_status outputs_check(smr_ctx *ctx, const command *c, const args *a)
{
    struct output list[MOST_FILES];
    smr_status st = SMR_OK;
    const char *const others[] = {a->test, a->test_labels, a->labels, a->validation};
    int n = gather(c, a, list), words = c->bit == CMD_MAKE ? 1 : a->n_words;
    if (c->bit == CMD_CONVERT || c->bit == CMD_SPLIT) words = SMR_MIN(words, 2);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            if (same_file(list[i].path, list[k].path)) return asked_twice(ctx, &list[k], &list[i]);
        for (int k = 1; k < words; k++)
            if (!smr_registry_find(a->words[k])) TRY(check_input(ctx, &list[i], a->words[k]));
        for (int64_t k = 0; k < SMR_COUNT(others); k++) TRY(check_input(ctx, &list[i], others[k]));
    }
out:
    return st;
}
