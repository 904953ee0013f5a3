/* compare_notes.c -- what the fits of several models warn of, once: see compare.h. */
#include "study/compare.h"

#include "core/text.h"

#include <string.h>

struct smr_note {
    smr_note *next;
    char *text;
    smr_text models; /* that gave it, with commas */
    int64_t n;
    const char *last;
};

void smr_compare_note(void *user, smr_log_level level, const char *message)
{
    smr_notes *notes = user;
    smr_note **at = &notes->first;
    if (level != SMR_LOG_WARNING) return;
    while (*at && strcmp((*at)->text, message) != 0) at = &(*at)->next;
    if (!*at) {
        smr_note *made = smr_alloc(notes->ctx, 1, sizeof *made);
        char *text = smr_strdup(notes->ctx, message);
        if (!made || !text) {
            smr_free(made);
            smr_free(text);
            notes->failed = true;
            return;
        }
        made->text = text;
        made->models.ctx = notes->ctx;
        *at = made;
    }
    smr_note *note = *at;
    if (note->last == notes->model) return;
    note->last = notes->model;
    smr_text_printf(&note->models, "%s%s", note->n++ ? ", " : "", notes->model);
}

smr_status smr_compare_tell_notes(smr_ctx *ctx, smr_notes *notes, int64_t n_models)
{
    smr_status st = notes->failed ? SMR_ERR_NOMEM : SMR_OK;
    for (smr_note *note = notes->first; note && st == SMR_OK; note = note->next) {
        st = smr_text_done(&note->models);
        if (st != SMR_OK) break;
        if (note->n == n_models && n_models > 1)
            smr_warn(ctx, "every model: %s", note->text);
        else
            smr_warn(ctx, "%s: %s", note->models.bytes, note->text);
    }
    return st;
}

void smr_compare_release_notes(smr_notes *notes)
{
    for (smr_note *note = notes->first, *next; note; note = next) {
        next = note->next;
        smr_text_release(&note->models);
        smr_free(note->text);
        smr_free(note);
    }
    notes->first = NULL;
}
