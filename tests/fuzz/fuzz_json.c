/* JSON: reading never crashes or takes more memory than the text justifies; what was read, written
 * (on one line or for people) and read again is the same tree. */
#include "core/json.h"

#include <stdlib.h>
#include <string.h>

static bool same(const smr_json *a, const smr_json *b)
{
    if (a->type != b->type || a->n != b->n || !a->key != !b->key) return false;
    if (a->key && strcmp(a->key, b->key) != 0) return false;
    if (memcmp(&a->number, &b->number, sizeof a->number) != 0) return false;
    if (a->type == SMR_JSON_STRING && memcmp(a->string, b->string, (size_t)a->n) != 0) return false;
    const smr_json *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next)
        if (!same(x, y)) return false;
    return !x && !y;
}

static void check_rewrite(smr_ctx *ctx, smr_json_doc *doc, int indent)
{
    smr_text text = {.ctx = ctx}, twice = {.ctx = ctx};
    smr_json_doc *again = NULL;
    smr_json_write(smr_json_root(doc), indent, &text);
    if (smr_json_parse(ctx, text.bytes, text.length, &again) != SMR_OK) abort();
    if (!same(smr_json_root(doc), smr_json_root(again))) abort();
    smr_json_write(smr_json_root(again), indent, &twice);
    if (strcmp(text.bytes, twice.bytes) != 0) abort();
    smr_json_free(again);
    smr_text_release(&text);
    smr_text_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1};
    smr_ctx *ctx = NULL;
    smr_json_doc *doc = NULL;
    if (smr_ctx_create(&opts, &ctx) != SMR_OK) return 0;
    smr_status st = smr_json_parse(ctx, (const char *)data, (int64_t)size, &doc);
    int64_t peak;
    smr_ctx_memory(ctx, &peak);
    if (peak > 80 * (int64_t)size + 4096) abort();
    if ((st == SMR_OK) != (doc != NULL) || st != smr_ctx_status(ctx)) abort();
    if (doc) {
        check_rewrite(ctx, doc, 0);
        check_rewrite(ctx, doc, 2);
    }
    smr_json_free(doc);
    if (smr_ctx_memory(ctx, NULL) != 0) abort();
    smr_ctx_destroy(ctx);
    return 0;
}
