/* stream_put.c -- predictions of a stream, as CSV. */
#include "study/stream_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A text as a CSV field. */
static void add_field(smr_text *out, const char *before, const char *text, int64_t n,
                      const char *behind)
{
    bool plain = true;
    for (int64_t i = 0; i < n; i++) plain = plain && !strchr(",\"\n\r", text[i]) && text[i] != '\0';
    plain = plain && !(n > 0 && (text[0] == ' ' || text[n - 1] == ' '));
    if (!plain) smr_text_add(out, "\"");
    smr_text_add(out, before);
    for (int64_t i = 0; i < n; i++) {
        if (text[i] == '"') smr_text_add(out, "\"");
        smr_text_add_bytes(out, text + i, 1);
    }
    smr_text_add(out, behind);
    if (!plain) smr_text_add(out, "\"");
}

static smr_status put(smr_ctx *ctx, streaming *s)
{
    smr_status st = smr_text_done(&s->text);
    if (st == SMR_OK && s->text.length)
        st = s->ask->put(ctx, s->ask->user, s->text.bytes, s->text.length);
    s->text.length = 0;
    return st;
}

smr_status smr_streaming_put_header(smr_ctx *ctx, streaming *s)
{
    const smr_target *t = &s->model->target;
    s->text.ctx = ctx;
    bool finds = smr_online_finds(t->task);
    smr_text_add(&s->text, finds ? "row,cluster,score" : "row");
    for (int64_t j = 0; !finds && j < t->n; j++) {
        smr_text_add(&s->text, ",");
        add_field(&s->text, "", t->names[j], (int64_t)strlen(t->names[j]), "");
    }
    bool proba = smr_model_gives(s->model) & 1u << SMR_OUTPUT_PROBA;
    for (int64_t k = 0; !finds && s->ask->proba && k < t->classes.n; k++) {
        int64_t n;
        const char *name = smr_strings_get(&t->classes, k, &n);
        smr_text_add(&s->text, ",");
        add_field(&s->text, proba ? "p(" : "score(", name, n, ")");
    }
    smr_text_add(&s->text, "\n");
    return put(ctx, s);
}

static void put_row(streaming *s, const smr_online_rows *rows, int64_t i)
{
    const smr_target *t = &s->model->target;
    const double *score = rows->score + i * rows->width;
    if (rows->label) {
        int64_t n;
        const char *name = smr_strings_get(&t->classes, smr_target_label(t, score), &n);
        smr_text_add(&s->text, ",");
        add_field(&s->text, "", name, n, "");
    }
    for (int64_t k = 0; (!rows->label || s->ask->proba) && k < rows->width; k++) {
        smr_text_add(&s->text, ",");
        if (smr_online_finds(t->task) && isnan(score[1])) continue; /* nothing was found yet */
        smr_text_number(&s->text, score[k]);
    }
}

smr_status smr_streaming_put(smr_ctx *ctx, streaming *s, const smr_online_rows *rows, int64_t lo,
                             int64_t hi)
{
    int64_t first = s->n_read - (hi - lo);
    s->text.ctx = ctx;
    for (int64_t i = lo; i < hi; i++) {
        if (rows->state[i] == SMR_ROW_BAD) continue;
        smr_text_printf(&s->text, "%" PRId64, first + (i - lo) + 1);
        put_row(s, rows, i);
        smr_text_add(&s->text, "\n");
    }
    return put(ctx, s);
}
