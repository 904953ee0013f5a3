/* specs.c -- see specs.h. */
#include "learn/specs.h"

#include "learn/registry.h"
#include "learn/spec.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 60 }; /* characters of a sentence in a message */

void smr_specs_release(smr_specs *specs)
{
    for (int64_t i = 0; i < specs->n; i++) smr_free(specs->text[i]);
    smr_free(specs->text);
    *specs = (smr_specs){.tasks = ~0u};
}

void smr_specs_write(const smr_specs *specs, smr_text *out)
{
    for (int64_t i = 0; i < specs->n; i++) {
        smr_text_add(out, i ? ",(" : "(");
        smr_text_add(out, specs->text[i]);
        smr_text_add(out, ")");
    }
    if (specs->n == 0) smr_text_add(out, "none");
}

static void name_tasks(unsigned tasks, smr_text *out)
{
    static const char *const names[] = {"classify", "regress", "transform", "cluster"};
    bool some = false;
    for (int k = 0; k < 4; k++) {
        if (!(tasks & 1u << k)) continue;
        smr_text_printf(out, "%s%s", some ? " or " : "", names[k]);
        some = true;
    }
}

/* ---- one sentence ----------------------------------------------------------------------- */

/* Puts where the mistake is before what it is. */
static void name_path(smr_ctx *ctx, const smr_learner *learner, const smr_param *p,
                      const char *sentence)
{
    char cause[SMR_MESSAGE_MAX];
    bool cut = strlen(sentence) > SHOWN;
    memcpy(cause, ctx->message, sizeof cause);
    int n = snprintf(ctx->message, sizeof ctx->message, "%s %s=(%.*s%s): ", learner->word->name,
                     p->name, SHOWN, sentence, cut ? "..." : "");
    size_t used = (size_t)SMR_MAX(n, 0);
    if (used >= sizeof ctx->message) used = 0;
    snprintf(ctx->message + used, sizeof ctx->message - used, "%s", cause);
}

static smr_status wrong_task(smr_ctx *ctx, const smr_learner *last, unsigned does, unsigned wanted)
{
    smr_text can = {.ctx = ctx}, must = {.ctx = ctx};
    smr_status st = SMR_OK;
    name_tasks(does, &can);
    name_tasks(wanted, &must);
    TRY(smr_text_done(&can));
    TRY(smr_text_done(&must));
    st = smr_fail(ctx, SMR_ERR_PARAM, "%s can %s; here a learner must stand that can %s",
                  last->word->name, can.bytes ? can.bytes : "do nothing", must.bytes);
out:
    smr_text_release(&can);
    smr_text_release(&must);
    return st;
}

static smr_status check_member(smr_ctx *ctx, const smr_learner *learner, const smr_param *p,
                               const smr_stage *stages, int64_t n, unsigned *tasks)
{
    unsigned wanted = p->member_tasks ? p->member_tasks : learner->tasks;
    if (strcmp(stages[0].learner->word->name, "columns") == 0)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "columns can only be the first stage of the whole sentence");
    *tasks = smr_stage_tasks(&stages[n - 1]);
    return *tasks & wanted ? SMR_OK : wrong_task(ctx, stages[n - 1].learner, *tasks, wanted);
}

/* One sentence, parsed and written again. */
static smr_status add_sentence(smr_ctx *ctx, const smr_learner *learner, const smr_param *p,
                               const char *sentence, smr_specs *specs)
{
    smr_status st = SMR_OK;
    smr_stage *stages = NULL;
    int64_t n = 0;
    unsigned tasks = 0;
    smr_text canonical = {.ctx = ctx};
    TRY(smr_spec_parse(ctx, sentence, &stages, &n));
    TRY(check_member(ctx, learner, p, stages, n, &tasks));
    smr_spec_write(stages, n, &canonical);
    TRY(smr_text_done(&canonical));
    specs->text[specs->n++] = canonical.bytes;
    specs->tasks &= tasks;
    specs->numbers_first &= smr_stage_numbers_first(&stages[n - 1]);
    canonical.bytes = NULL;
out:
    if (st == SMR_ERR_PARAM) name_path(ctx, learner, p, sentence);
    smr_text_release(&canonical);
    smr_stages_free(stages, n);
    return st;
}

/* ---- the list --------------------------------------------------------------------------- */

/* End of the atom that begins here, and the sentence inside it; NULL: there is none.  Quotes keep
 * their parentheses. */
static const char *atom_end(const char *at, const char **from, const char **to)
{
    if (*at != '(') {
        const char *end = at + strcspn(at, ",()'\"");
        *from = at;
        *to = end;
        return end > at && (*end == ',' || !*end) ? end : NULL;
    }
    int depth = 0;
    char quote = 0;
    for (const char *c = at; *c; c++) {
        if (quote) {
            if (*c == quote) quote = 0;
        } else if (*c == '\'' || *c == '"') {
            quote = *c;
        } else if (*c == '(') {
            depth++;
        } else if (*c == ')' && --depth == 0) {
            *from = at + 1;
            *to = c;
            return c[1] == ',' || !c[1] ? c + 1 : NULL;
        }
    }
    return NULL;
}

static smr_status refuse_count(smr_ctx *ctx, const smr_learner *learner, const smr_param *p)
{
    return smr_fail(ctx, SMR_ERR_PARAM, "%s: %s takes at most %lld sentence%s", learner->word->name,
                    p->name, (long long)p->most, smr_plural(p->most, "", "s"));
}

smr_status smr_specs_read(smr_ctx *ctx, const smr_learner *learner, const smr_param *p,
                          const char *value, smr_specs *out)
{
    smr_status st = SMR_OK;
    smr_specs specs = {.tasks = ~0u, .numbers_first = true};
    smr_text sentence = {.ctx = ctx};
    bool none = p->least == 0 && strcmp(value, "none") == 0;
    TRY_NEW(specs.text, p->most + 1);
    for (const char *at = value; !none;) {
        const char *from = NULL, *to = NULL, *end = atom_end(at, &from, &to);
        if (!end) {
            st = smr_fail(ctx, SMR_ERR_PARAM,
                          "%s: %s = %.200s is not a list of sentences in parentheses, as in "
                          "%s=(knn 5)",
                          learner->word->name, p->name, value, p->name);
            goto out;
        }
        if (specs.n == p->most) TRY(refuse_count(ctx, learner, p));
        sentence.length = 0;
        smr_text_add_bytes(&sentence, from, to - from);
        TRY(smr_text_done(&sentence));
        TRY(add_sentence(ctx, learner, p, sentence.bytes, &specs));
        if (!*end) break;
        at = end + 1;
        while (*at == ' ') at++;
    }
    if (!p->member_tasks && !(specs.tasks & learner->tasks)) {
        st = smr_fail(ctx, SMR_ERR_PARAM,
                      "%s: the learners of %s must share a task: some only "
                      "classify, some only predict numbers",
                      learner->word->name, p->name);
        goto out;
    }
    smr_specs_release(out);
    *out = specs;
    specs = (smr_specs){0};
out:
    smr_text_release(&sentence);
    smr_specs_release(&specs);
    return st;
}

const smr_learner *smr_specs_example(const smr_learner *learner, const smr_param *p, unsigned tasks)
{
    int64_t n;
    const smr_learner *const *all = smr_registry(&n), *best = NULL;
    unsigned wanted = p->member_tasks ? p->member_tasks : learner->tasks;
    if (!(tasks & wanted)) tasks = wanted;
    for (int64_t i = 0; i < n; i++) {
        bool plain = true;
        for (int64_t k = 0; k < all[i]->word->n_params; k++)
            plain = plain && all[i]->word->params[k].type != SMR_PARAM_SPECS;
        bool is_large = strcmp(all[i]->word->family, "trees") == 0; /* an example is short to fit */
        if (!plain || is_large || !(all[i]->tasks & wanted)) continue;
        if ((all[i]->tasks & tasks) == tasks) return all[i];
        if (!best) best = all[i];
    }
    return best;
}

smr_status smr_specs_missing(smr_ctx *ctx, const smr_learner *learner, const smr_param *p)
{
    const smr_learner *one = smr_specs_example(learner, p, learner->tasks);
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "%s: %s is missing: it names the learner%s that %s is made of, as in %s=(%s)",
                    learner->word->name, p->name, p->most > 1 ? "s" : "", learner->word->name,
                    p->name, one ? one->word->name : "...");
}
