/* compare_notes.c -- what the fits of several models warn of, once: see compare.h.
 *
 * Two sentences are of one kind when they begin alike, numbers and quoted names aside, up to the
 * first full stop, semicolon, colon or bracket: "1 of 94 columns add nothing to the others".  A
 * kind is told in one line. */
#include "study/compare.h"

#include "core/text.h"
#include "learn/spec.h"

#include <string.h>

enum { NAMED_FIRST = 3 }; /* more models than this are counted first, and named last */

struct smr_note {
    smr_note *next;
    char *text;
    int64_t opening; /* length of what its kind has in common, as it stands in the text */
    char *kind;
    int64_t n; /* models that gave it, and what they are called */
    const char **model;
    bool told;
};

/* ---- hearing ---------------------------------------------------------------------------- */

/* A learner's warnings begin with its name, which a model's name ends in. */
static const char *without_name(const smr_notes *notes, const char *message)
{
    if (!notes->spec) return message;
    const char *name = smr_spec_last(notes->spec)->learner->word->name;
    size_t n = strlen(name);
    return strncmp(message, name, n) == 0 && strncmp(message + n, ": ", 2) == 0 ? message + n + 2
                                                                                : message;
}

static bool ends_opening(const char *at)
{
    return !*at || (strchr(".;:", *at) && (at[1] == ' ' || !at[1])) || strncmp(at, " (", 2) == 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits, and the point before one. */
static bool is_of_number(const char *at)
{
    return is_digit(*at) || (*at == '.' && is_digit(at[1]));
}

/* The opening with # for every number and quoted name; returns its length in the text. */
static int64_t write_kind(const char *text, smr_text *kind)
{
    const char *at = text;
    while (!ends_opening(at)) {
        const char *quoted =
            *at == '\'' && at > text && at[-1] == ' ' ? strchr(at + 1, '\'') : NULL;
        if (quoted) {
            smr_text_add(kind, "#");
            at = quoted + 1;
        } else if (is_of_number(at)) {
            smr_text_add(kind, "#");
            while (is_of_number(at)) at++;
        } else {
            smr_text_add_bytes(kind, at++, 1);
        }
    }
    return at - text;
}

static void release_note(smr_note *note)
{
    if (!note) return;
    smr_free(note->text);
    smr_free(note->kind);
    smr_free(note->model);
    smr_free(note);
}

static smr_note *new_note(smr_ctx *ctx, const char *text)
{
    smr_text kind = {.ctx = ctx};
    smr_note *note = smr_alloc(ctx, 1, sizeof *note);
    if (!note) return NULL;
    note->text = smr_strdup(ctx, text);
    note->opening = write_kind(text, &kind);
    if (!note->text || smr_text_done(&kind) != SMR_OK) {
        smr_text_release(&kind);
        release_note(note);
        return NULL;
    }
    note->kind = kind.bytes;
    return note;
}

static bool add_model(smr_notes *notes, smr_note *note)
{
    if (note->n && note->model[note->n - 1] == notes->model) return true;
    const char **more = smr_realloc(notes->ctx, note->model, note->n + 1, sizeof *more);
    if (!more) return false;
    note->model = more;
    note->model[note->n++] = notes->model;
    return true;
}

void smr_compare_note(void *user, smr_log_level level, const char *message)
{
    smr_notes *notes = user;
    smr_note **at = &notes->first;
    if (level != SMR_LOG_WARNING) return;
    const char *text = without_name(notes, message);
    while (*at && strcmp((*at)->text, text) != 0) at = &(*at)->next;
    if (!*at) *at = new_note(notes->ctx, text);
    if (!*at || !add_model(notes, *at)) notes->failed = true;
}

/* ---- telling ---------------------------------------------------------------------------- */

/* Models of all notes of a kind, each once, in the order of the notes. */
static int64_t gather_models(const smr_note *first, const char **models, int64_t *n_notes)
{
    int64_t n = 0;
    *n_notes = 0;
    for (const smr_note *note = first; note; note = note->next) {
        if (strcmp(note->kind, first->kind) != 0) continue;
        ++*n_notes;
        for (int64_t i = 0; i < note->n; i++) {
            int64_t k = 0;
            while (k < n && models[k] != note->model[i]) k++;
            if (k == n) models[n++] = note->model[i];
        }
    }
    return n;
}

static void add_names(const char **models, int64_t n, smr_text *out)
{
    for (int64_t i = 0; i < n; i++) smr_text_printf(out, "%s%s", i ? ", " : "", models[i]);
}

/* One line for a kind: who, and what; of several sentences what they have in common. */
static smr_status tell_kind(smr_ctx *ctx, smr_note *first, const char **models, int64_t n_models)
{
    int64_t n_notes, n = gather_models(first, models, &n_notes);
    smr_text line = {.ctx = ctx};
    bool every = n == n_models && n_models > 1, named_last = !every && n > NAMED_FIRST;
    if (every)
        smr_text_add(&line, "every model: ");
    else if (named_last)
        smr_text_printf(&line, "%lld models: ", (long long)n);
    else
        add_names(models, n, &line);
    if (!every && !named_last) smr_text_add(&line, ": ");
    if (n_notes == 1)
        smr_text_add(&line, first->text);
    else
        smr_text_printf(&line, "%.*s, and the like; --json has all %lld of these warnings",
                        (int)first->opening, first->text, (long long)n_notes);
    if (named_last) {
        smr_text_add(&line, " [");
        add_names(models, n, &line);
        smr_text_add(&line, "]");
    }
    smr_status st = smr_text_done(&line);
    if (st == SMR_OK) smr_warn(ctx, "%s", line.bytes);
    smr_text_release(&line);
    return st;
}

smr_status smr_compare_tell_notes(smr_ctx *ctx, smr_notes *notes, int64_t n_models)
{
    smr_status st = SMR_OK;
    const char **models = NULL;
    if (notes->failed) return SMR_ERR_NOMEM;
    TRY_NEW(models, n_models + 1);
    for (smr_note *note = notes->first; note; note = note->next) {
        if (note->told) continue;
        TRY(tell_kind(ctx, note, models, n_models));
        for (smr_note *same = note; same; same = same->next)
            same->told |= strcmp(same->kind, note->kind) == 0;
    }
out:
    smr_free(models);
    return st;
}

void smr_compare_json_notes(const smr_notes *notes, smr_json *into)
{
    smr_json *list = smr_json_add_array(into, "notes");
    for (const smr_note *note = notes->first; note; note = note->next) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json *models = smr_json_add_array(row, "models");
        for (int64_t i = 0; i < note->n; i++) smr_json_add_string(models, NULL, note->model[i]);
        smr_json_add_string(row, "message", note->text);
    }
}

void smr_compare_release_notes(smr_notes *notes)
{
    for (smr_note *note = notes->first, *next; note; note = next) {
        next = note->next;
        release_note(note);
    }
    notes->first = NULL;
}
