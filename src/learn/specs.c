/* specs.c -- see specs.h. */
#include "learn/specs.h"

#include "learn/registry.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 60 }; /* characters of a sentence in a message */

/* ---- the field -------------------------------------------------------------------------- */

static void release(void *at)
{
    smr_specs *specs = at;
    for (int64_t i = 0; i < specs->n; i++) smr_spec_free(specs->spec[i]);
    smr_free(specs->spec);
    *specs = (smr_specs){0};
}

static void write_all(const void *at, smr_text *out)
{
    const smr_specs *specs = at;
    for (int64_t i = 0; i < specs->n; i++) {
        smr_text_add(out, i ? ",(" : "(");
        smr_spec_write(specs->spec[i], out);
        smr_text_add(out, ")");
    }
    if (specs->n == 0) smr_text_add(out, "none");
}

static smr_status copy_all(smr_ctx *ctx, const void *from_, void *to_)
{
    const smr_specs *from = from_;
    smr_specs *to = to_;
    smr_status st = SMR_OK;
    TRY_NEW(to->spec, from->n + 1);
    for (; to->n < from->n; to->n++) TRY(smr_spec_copy(ctx, from->spec[to->n], &to->spec[to->n]));
out:
    return st;
}

static int64_t count(const void *at)
{
    return ((const smr_specs *)at)->n;
}

static bool find(const void *at, int64_t i, smr_inner *out)
{
    const smr_specs *specs = at;
    for (int64_t k = 0; k < specs->n; k++) {
        const smr_spec *spec = specs->spec[k];
        if (i < spec->n) {
            *out = (smr_inner){.word = spec->steps[i].learner->word,
                               .params = spec->steps[i].params,
                               .phrase = k,
                               .place = i + 1};
            return true;
        }
        i -= spec->n;
    }
    return false;
}

/* ---- what is checked -------------------------------------------------------------------- */

unsigned smr_specs_tasks(const smr_specs *specs)
{
    unsigned tasks = ~0u;
    for (int64_t i = 0; i < specs->n; i++) tasks &= smr_step_tasks(smr_spec_last(specs->spec[i]));
    return tasks;
}

void smr_specs_name(const smr_spec *spec, smr_text *out)
{
    for (int64_t s = 0; s < spec->n; s++)
        smr_text_printf(out, "%s%s", s ? " | " : "", spec->steps[s].learner->word->name);
}

static void name_tasks(unsigned tasks, smr_text *out)
{
    static const char *const names[] = {"classify", "regress",   "transform", "cluster",
                                        "sequence", "recommend", "density"};
    bool some = false;
    for (int k = 0; k < SMR_COUNT(names); k++) {
        if (!(tasks & 1u << k)) continue;
        smr_text_printf(out, "%s%s", some ? " or " : "", names[k]);
        some = true;
    }
}

/* Puts where the mistake is before what it is. */
static void name_path(smr_ctx *ctx, const smr_word *word, const smr_param *p, const char *sentence)
{
    char cause[SMR_MESSAGE_MAX];
    bool cut = strlen(sentence) > SHOWN;
    memcpy(cause, ctx->message, sizeof cause);
    int n = snprintf(ctx->message, sizeof ctx->message, "%s %s=(%.*s%s): ", word->name, p->name,
                     SHOWN, sentence, cut ? "..." : "");
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
    st = smr_fail(ctx, SMR_ERR_PARAM, "%s can %s; a learner that can %s is needed here",
                  last->word->name, can.bytes ? can.bytes : "do nothing", must.bytes);
out:
    smr_text_release(&can);
    smr_text_release(&must);
    return st;
}

static smr_status check_tasks(smr_ctx *ctx, const smr_learner *learner, const void *params,
                              const smr_param *p, const smr_spec *spec)
{
    smr_status st = SMR_OK;
    smr_text names = {.ctx = ctx};
    unsigned wanted = p->member_tasks ? p->member_tasks : smr_nature_of(learner, params).tasks;
    const smr_step *last = smr_spec_last(spec);
    unsigned does = smr_step_tasks(last);
    if (does & wanted) return SMR_OK;
    smr_specs_name(spec, &names);
    TRY(smr_text_done(&names));
    st = wrong_task(ctx, last->learner, does, wanted);
    if (st == SMR_ERR_PARAM) name_path(ctx, learner->word, p, names.bytes);
out:
    smr_text_release(&names);
    return st;
}

static smr_status missing(smr_ctx *ctx, const smr_learner *learner, const smr_param *p)
{
    const smr_learner *one = smr_specs_example(learner, p, learner->tasks);
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "%s: %s is missing: it names the learner%s that %s is made of, as in %s=(%s)",
                    learner->word->name, p->name, p->most > 1 ? "s" : "", learner->word->name,
                    p->name, one ? one->word->name : "...");
}

smr_status smr_specs_check(smr_ctx *ctx, const smr_learner *learner, const void *params)
{
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < learner->word->n_params; i++) {
        const smr_param *p = &learner->word->params[i];
        if (p->grammar != &smr_sentences || !smr_param_is_read(learner->word, params, p)) continue;
        const smr_specs *specs = smr_param_in(p, params);
        if (specs->n < p->least) TRY(missing(ctx, learner, p));
        for (int64_t k = 0; k < specs->n; k++)
            TRY(check_tasks(ctx, learner, params, p, specs->spec[k]));
        if (!p->member_tasks && !(smr_specs_tasks(specs) & smr_nature_of(learner, params).tasks))
            TRY(smr_fail(ctx, SMR_ERR_PARAM,
                         "%s: the learners of %s must share a task: some only "
                         "classify, some only predict numbers",
                         learner->word->name, p->name));
    }
out:
    return st;
}

/* ---- reading ---------------------------------------------------------------------------- */

static smr_status add_sentence(smr_ctx *ctx, const smr_word *word, const smr_param *p,
                               const char *sentence, bool saved, smr_specs *specs)
{
    smr_status st = SMR_OK;
    smr_spec *spec = NULL;
    TRY(saved ? smr_spec_parse_saved(ctx, sentence, &spec) : smr_spec_parse(ctx, sentence, &spec));
    if (spec->head.written)
        TRY(smr_fail(ctx, SMR_ERR_PARAM, "%s can only be the first stage of the whole sentence",
                     smr_columns_word.name));
    specs->spec[specs->n++] = spec;
    spec = NULL;
out:
    if (st == SMR_ERR_PARAM) name_path(ctx, word, p, sentence);
    smr_spec_free(spec);
    return st;
}

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

static smr_status refuse_count(smr_ctx *ctx, const smr_word *word, const smr_param *p)
{
    return smr_fail(ctx, SMR_ERR_PARAM, "%s: %s takes at most %lld sentence%s", word->name, p->name,
                    (long long)p->most, smr_plural(p->most, "", "s"));
}

static smr_status read_all(smr_ctx *ctx, const smr_word *word, const smr_param *p,
                           const char *value, bool saved, void *at_)
{
    smr_status st = SMR_OK;
    smr_specs specs = {0}, *out = at_;
    smr_text sentence = {.ctx = ctx};
    bool none = p->least == 0 && strcmp(value, "none") == 0;
    TRY_NEW(specs.spec, p->most + 1);
    for (const char *at = value; !none;) {
        const char *from = NULL, *to = NULL, *end = atom_end(at, &from, &to);
        if (!end)
            TRY(smr_fail(ctx, SMR_ERR_PARAM,
                         "%s: %s = %.200s is not a list of sentences in parentheses, as in "
                         "%s=(knn 5)",
                         word->name, p->name, value, p->name));
        if (specs.n == p->most) TRY(refuse_count(ctx, word, p));
        sentence.length = 0;
        smr_text_add_bytes(&sentence, from, to - from);
        TRY(smr_text_done(&sentence));
        TRY(add_sentence(ctx, word, p, sentence.bytes, saved, &specs));
        if (!*end) break;
        at = end + 1;
        while (*at == ' ') at++;
    }
    release(out);
    *out = specs;
    specs = (smr_specs){0};
out:
    smr_text_release(&sentence);
    release(&specs);
    return st;
}

const smr_grammar smr_sentences = {
    .size = sizeof(smr_specs),
    .read = read_all,
    .write = write_all,
    .copy = copy_all,
    .release = release,
    .count = count,
    .find = find,
    .one = "a sentence (...)",
    .several = "sentences (...),(...)",
    .noun = "specs",
    .example = "(tree 2)",
};

const smr_learner *smr_specs_example(const smr_learner *learner, const smr_param *p, unsigned tasks)
{
    int64_t n;
    const smr_learner *const *all = smr_registry(&n), *best = NULL;
    unsigned wanted = p->member_tasks ? p->member_tasks : learner->tasks;
    if (!(tasks & wanted)) tasks = wanted;
    for (int64_t i = 0; i < n; i++) {
        bool plain = !(all[i]->comparing && all[i]->comparing->stands_aside);
        for (int64_t k = 0; k < all[i]->word->n_params; k++)
            plain = plain && all[i]->word->params[k].type != SMR_PARAM_PHRASE;
        bool is_large = strcmp(all[i]->word->family, "trees") == 0; /* an example is short to fit */
        if (!plain || is_large || !(all[i]->tasks & wanted)) continue;
        if ((all[i]->tasks & tasks) == tasks) return all[i];
        if (!best) best = all[i];
    }
    return best;
}
