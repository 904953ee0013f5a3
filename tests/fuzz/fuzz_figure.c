/* A figure read from JSON: drawing it, giving it as a table and putting it into a page never crash
 * or leak; what comes out is well-formed, and the same when drawn again. */
#include "core/json.h"
#include "report/draw.h"
#include "report/html.h"
#include "report/well_formed.h"

#include <stdlib.h>

static bool draw(smr_ctx *ctx, const smr_json *figure, double width, bool inside)
{
    smr_text once = {.ctx = ctx}, twice = {.ctx = ctx};
    smr_figure_opts opts = {.width = width, .height = inside ? 0 : 300, .inside = inside};
    smr_status st = smr_figure_svg(ctx, figure, &opts, &once);
    if (st == SMR_OK) {
        if (wf_check(once.bytes, once.length, false)) abort();
        if (smr_figure_svg(ctx, figure, &opts, &twice) != SMR_OK) abort();
        if (once.length != twice.length || memcmp(once.bytes, twice.bytes, (size_t)once.length))
            abort();
    } else if (st != SMR_ERR_PARAM && st != SMR_ERR_NOMEM) {
        abort();
    }
    smr_text_release(&once);
    smr_text_release(&twice);
    smr_ctx_clear(ctx);
    return st == SMR_OK;
}

static void tell(smr_ctx *ctx, const smr_json *figure)
{
    smr_json_doc *doc = NULL;
    smr_text page = {.ctx = ctx};
    if (smr_json_create(ctx, &doc) == SMR_OK) {
        smr_json *root = smr_json_root(doc);
        smr_json_add_copy(smr_json_add_array(root, "figures"), NULL, figure);
        smr_json_add_copy(root, "anything", figure);
        if (smr_figure_table(ctx, figure, smr_json_add_array(root, "rows")) != SMR_OK) abort();
        if (smr_report_html(ctx, root, &page) != SMR_OK) abort();
        if (wf_check(page.bytes, page.length, true)) abort();
    }
    smr_text_release(&page);
    smr_json_free(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    smr_ctx_opts opts = {.size = sizeof opts, .n_threads = 1};
    smr_ctx *ctx = NULL;
    smr_json_doc *doc = NULL;
    if (smr_ctx_create(&opts, &ctx) != SMR_OK) return 0;
    if (smr_json_parse(ctx, (const char *)data, (int64_t)size, &doc) == SMR_OK) {
        const smr_json *figure = smr_json_root(doc);
        bool drawn = draw(ctx, figure, 640, false);
        if (draw(ctx, figure, 200, true) != drawn) abort();
        if (drawn) tell(ctx, figure);
    }
    smr_json_free(doc);
    if (smr_ctx_memory(ctx, NULL) != 0) abort();
    smr_ctx_destroy(ctx);
    return 0;
}
