/* figure_file.h -- the hand-made figures and results of tests/report. */
#ifndef SMR_TESTS_FIGURE_FILE_H
#define SMR_TESTS_FIGURE_FILE_H

#include "check.h"

#include "core/json.h"

#include <dirent.h>

static inline smr_json_doc *read_json_file(smr_ctx *ctx, const char *path)
{
    FILE *f = fopen(path, "rb");
    smr_json_doc *doc = NULL;
    if (!f) fail_msg("%s cannot be read", path);
    char *bytes = malloc(1 << 22);
    size_t n = fread(bytes, 1, 1 << 22, f);
    fclose(f);
    check_ok(ctx, smr_json_parse(ctx, bytes, (int64_t)n, &doc));
    free(bytes);
    return doc;
}

static inline smr_json_doc *read_json_text(smr_ctx *ctx, const char *text)
{
    smr_json_doc *doc = NULL;
    check_ok(ctx, smr_json_parse(ctx, text, (int64_t)strlen(text), &doc));
    return doc;
}

/* Calls `look` with each file of a folder of tests/report; there must be at least `least`. */
static inline void each_json_file(smr_ctx *ctx, const char *folder, int least,
                                  void (*look)(smr_ctx *ctx, const char *name,
                                               const smr_json *root))
{
    char path[300];
    snprintf(path, sizeof path, "tests/report/%s", folder);
    DIR *dir = opendir(path);
    int n = 0;
    if (!dir) fail_msg("%s is not there", path);
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        if (!strstr(e->d_name, ".json")) continue;
        snprintf(path, sizeof path, "tests/report/%s/%s", folder, e->d_name);
        smr_json_doc *doc = read_json_file(ctx, path);
        look(ctx, e->d_name, smr_json_root(doc));
        smr_json_free(doc);
        n++;
    }
    closedir(dir);
    if (n < least) fail_msg("only %d files in %s", n, folder);
}

#endif
