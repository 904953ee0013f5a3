/* network_file.c -- network files: which form it is, reading and writing them whole. */
#include "data/file.h"
#include "learn/graphical/network_scan.h"

#include <string.h>

/* BIF: after comments comes a word and a name (or only a word) with '{' or '(' after it.  In
 * samara's own form a line never begins like that. */
static bool looks_like_bif(const char *text, int64_t length)
{
    smr_net_scan s = {.p = text, .end = text + length, .bif = true};
    static const char *const words[] = {"network", "variable", "probability"};
    smr_scan_blanks(&s);
    for (int k = 0; k < SMR_COUNT(words); k++) {
        int64_t n = (int64_t)strlen(words[k]);
        if (s.end - s.p < n || memcmp(s.p, words[k], (size_t)n) != 0) continue;
        const char *brace = memchr(s.p, '{', (size_t)(s.end - s.p));
        const char *line = memchr(s.p, '\n', (size_t)(s.end - s.p));
        if (!brace) return false;
        if (!line || brace < line) return true;
        for (const char *p = line; p < brace; p++) /* the brace may begin the next line */
            if (*p != ' ' && *p != '\t' && *p != '\r' && *p != '\n') return false;
        return true;
    }
    return false;
}

smr_status smr_net_parse(smr_ctx *ctx, const char *source, const char *text, int64_t length,
                         smr_network *out)
{
    *out = (smr_network){0};
    if (looks_like_bif(text, length)) return smr_net_read_bif(ctx, source, text, length, out);
    return smr_net_read_text(ctx, source, text, length, out);
}

smr_status smr_net_read(smr_ctx *ctx, const char *path, smr_network *out)
{
    smr_status st = SMR_OK;
    smr_source *file = NULL;
    char *bytes = NULL;
    int64_t length = 0;
    *out = (smr_network){0};
    TRY(smr_source_open(ctx, path, &file));
    TRY(smr_source_whole(ctx, file, SMR_NET_MOST_BYTES, &bytes, &length));
    TRY(smr_net_parse(ctx, smr_source_name(file), bytes, length, out));
out:
    smr_free(bytes);
    smr_source_close(file);
    return st;
}

smr_status smr_net_save(smr_ctx *ctx, const smr_network *net, const char *path)
{
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    smr_sink *sink = NULL;
    size_t n = strlen(path);
    if (n > 4 && strcmp(path + n - 4, ".bif") == 0)
        smr_net_write_bif(net, &text);
    else
        smr_net_write_text(net, &text);
    TRY(smr_text_done(&text));
    TRY(smr_sink_open(ctx, path, false, &sink));
    TRY(smr_sink_write(ctx, sink, text.bytes, text.length));
    TRY(smr_sink_commit(ctx, sink));
out:
    smr_sink_close(sink);
    smr_text_release(&text);
    return st;
}
