/* kernel_columns.c -- which features are texts, and which word of a kernel reads which: see
 * kernel_points.h. */
#include "learn/kernels/kernel_open.h"

#include <string.h>

enum { NAMES_SHOWN = 6 };

void smr_kernel_name_feature(const smr_data *data, int64_t j, smr_text *out)
{
    if (data->features && data->features[j].name)
        smr_text_printf(out, "'%s'", data->features[j].name);
    else
        smr_text_printf(out, "%lld", (long long)j);
}

/* Some features by name: texts, or numbers. */
static smr_status refuse_columns(smr_ctx *ctx, const smr_kernel_opening *o, bool texts,
                                 const char *why)
{
    smr_status st = SMR_OK;
    smr_text names = {.ctx = ctx};
    int64_t n = 0;
    for (int64_t j = 0; j < o->data->n_features; j++) {
        if (o->is_text[j] != texts) continue;
        if (++n > NAMES_SHOWN) continue;
        if (n > 1) smr_text_add(&names, ", ");
        smr_kernel_name_feature(o->data, j, &names);
    }
    if (n > NAMES_SHOWN) smr_text_printf(&names, " and %lld more", (long long)(n - NAMES_SHOWN));
    TRY(smr_text_done(&names));
    st = smr_fail(ctx, SMR_ERR_DATA, "%s: %s: %s", o->who, why, names.bytes ? names.bytes : "none");
out:
    smr_text_release(&names);
    return st;
}

static smr_status list_texts(smr_ctx *ctx, smr_kernel_opening *o)
{
    smr_status st = SMR_OK;
    const smr_data *data = o->data;
    smr_kernel_points *p = o->points;
    TRY_NEW(o->is_text, data->n_features + 1);
    for (int64_t j = 0; data->features && j < data->n_features; j++)
        p->n_texts += o->is_text[j] = data->features[j].kind == SMR_TEXT;
    p->d = data->n_features - p->n_texts;
    TRY_NEW(p->text_feature, p->n_texts + 1);
    TRY_NEW(p->text_number, p->n_texts + 1);
    for (int64_t j = 0, t = 0; j < data->n_features; j++)
        if (o->is_text[j]) {
            p->text_feature[t] = (int32_t)j;
            p->text_number[t++] = (int32_t)data->features[j].text;
        }
out:
    return st;
}

/* The text that a word reads. */
static smr_status text_of(smr_ctx *ctx, const smr_kernel_opening *o, const smr_kernel_node *node,
                          int32_t *out)
{
    const smr_kernel_points *p = o->points;
    const char *column = node->params->column;
    if (p->n_texts == 0)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "%s: the kernel %s reads a text, but no column is one; --type NAME=text "
                        "makes one",
                        o->who, smr_kernel_word(node->kind)->name);
    *out = 0;
    if (!*column)
        return p->n_texts == 1 ? SMR_OK
                               : refuse_columns(ctx, o, true,
                                                "a kernel of texts must name its column, as in "
                                                "spectrum(k=3 column=NAME), where there are "
                                                "several");
    for (int64_t t = 0; t < p->n_texts; t++)
        if (strcmp(o->data->features[p->text_feature[t]].name, column) == 0) {
            *out = (int32_t)t;
            return SMR_OK;
        }
    return smr_fail(ctx, SMR_ERR_DATA, "%s: the kernel %s reads the text '%s', which is not there",
                    o->who, smr_kernel_word(node->kind)->name, column);
}

static smr_status link_words(smr_ctx *ctx, const smr_kernel_opening *o)
{
    smr_status st = SMR_OK;
    smr_kernel_points *p = o->points;
    bool *read = NULL;
    TRY_NEW(read, p->n_texts + 1);
    TRY_NEW(p->word_text, p->n_words + 1);
    for (int64_t i = 0; i < o->kernel->n; i++) {
        const smr_kernel_node *node = &o->kernel->node[i];
        if (node->op != SMR_KERNEL_WORD) continue;
        p->word_text[node->leaf] = -1;
        if (!smr_kernel_is_of_text(node->kind)) continue;
        TRY(text_of(ctx, o, node, &p->word_text[node->leaf]));
        read[p->word_text[node->leaf]] = true;
    }
    for (int64_t t = 0; t < p->n_texts; t++)
        if (!read[t])
            TRY(smr_fail(ctx, SMR_ERR_DATA,
                         "%s: no kernel reads the text '%s'; add one, or leave the column out",
                         o->who, o->data->features[p->text_feature[t]].name));
    if (p->d == 0 && smr_kernel_reads_numbers(o->kernel))
        TRY(smr_fail(ctx, SMR_ERR_DATA, "%s: a kernel reads numbers, but no column holds them",
                     o->who));
    if (p->d > 0 && !smr_kernel_reads_numbers(o->kernel))
        TRY(refuse_columns(ctx, o, false,
                           "the kernel reads texts alone, and these columns are numbers; add a "
                           "kernel that reads them, as rbf, or leave them out"));
out:
    smr_free(read);
    return st;
}

smr_status smr_kernel_link(smr_ctx *ctx, smr_kernel_opening *o)
{
    smr_status st = SMR_OK;
    TRY(list_texts(ctx, o));
    TRY(link_words(ctx, o));
out:
    return st;
}
