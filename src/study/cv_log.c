/* cv_log.c -- see cv_log.h. */
#include "study/cv_log.h"

#include "core/text.h"

#include <string.h>

enum { MOST_TOLD = 8 };

struct sentence {
    struct sentence *next;
    char *text;
};

struct round_log {
    smr_ctx *ctx; /* that the round works with */
    struct sentence *first, **end;
};

struct smr_cv_log {
    int64_t n_rounds;
    struct round_log *rounds;
};

smr_status smr_cv_log_create(smr_ctx *ctx, int64_t n_rounds, smr_cv_log **out)
{
    smr_status st = SMR_OK;
    smr_cv_log *log = NULL;
    *out = NULL;
    TRY_NEW(log, 1);
    log->n_rounds = n_rounds;
    TRY_NEW(log->rounds, SMR_MAX(1, n_rounds));
    *out = log;
    log = NULL;
out:
    smr_cv_log_free(log);
    return st;
}

void smr_cv_log_free(smr_cv_log *log)
{
    if (!log) return;
    for (int64_t r = 0; log->rounds && r < log->n_rounds; r++)
        for (struct sentence *s = log->rounds[r].first, *next; s; s = next) {
            next = s->next;
            smr_free(s->text);
            smr_free(s);
        }
    smr_free(log->rounds);
    smr_free(log);
}

void *smr_cv_log_round(smr_cv_log *log, smr_ctx *ctx, int64_t round)
{
    struct round_log *r = &log->rounds[round];
    r->ctx = ctx;
    r->end = &r->first;
    return r;
}

static bool holds(const struct round_log *r, const char *text)
{
    for (const struct sentence *s = r->first; s; s = s->next)
        if (strcmp(s->text, text) == 0) return true;
    return false;
}

/* Without memory the round's context has failed, which the round asks at its end. */
void smr_cv_log_hear(void *user, smr_log_level level, const char *message)
{
    struct round_log *r = user;
    if (level != SMR_LOG_WARNING || holds(r, message)) return;
    struct sentence *s = smr_alloc(r->ctx, 1, sizeof *s);
    if (!s) return;
    s->text = smr_strdup(r->ctx, message);
    if (!s->text) {
        smr_free(s);
        return;
    }
    *r->end = s;
    r->end = &s->next;
}

static bool was_told(const smr_cv_log *log, int64_t round, const char *text)
{
    for (int64_t r = 0; r < round; r++)
        if (holds(&log->rounds[r], text)) return true;
    return false;
}

void smr_cv_log_tell(smr_ctx *ctx, const smr_cv_log *log)
{
    int64_t told = 0;
    for (int64_t r = 0; r < log->n_rounds; r++)
        for (const struct sentence *s = log->rounds[r].first; s; s = s->next) {
            int64_t n = 0;
            if (was_told(log, r, s->text)) continue;
            if (told++ == MOST_TOLD) {
                smr_warn(ctx, "and other warnings in some of the %lld round%s",
                         (long long)log->n_rounds, smr_plural(log->n_rounds, "", "s"));
                return;
            }
            for (int64_t k = r; k < log->n_rounds; k++) n += holds(&log->rounds[k], s->text);
            if (n == log->n_rounds)
                smr_warn(ctx, "%s (in every round)", s->text);
            else
                smr_warn(ctx, "%s (in %lld of %lld round%s)", s->text, (long long)n,
                         (long long)log->n_rounds, smr_plural(log->n_rounds, "", "s"));
        }
}
