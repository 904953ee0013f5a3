/* versions.c -- see versions.h.
 *
 * A sentence of an older file is taken apart into settings, which go through the rules of their
 * learner, and is put together again; the parser then reads it like any other.  What is not a
 * proper sentence passes as it is: the parser says what is wrong with it. */
#include "learn/versions.h"

#include "core/number.h"
#include "learn/registry.h"
#include "learn/specs.h"
#include "learn/state.h"

#include <string.h>

enum { NESTED = 16, LATEST = 1000000 };

void smr_versions_release(smr_versions *v)
{
    smr_free(v->of);
    *v = (smr_versions){0};
}

/* ---- writing ---------------------------------------------------------------------------- */

/* Marks the learners that a step mentions, by their places in the registry. */
static void mark_step(const smr_step *step, bool *seen)
{
    int64_t n_all;
    const smr_learner *const *all = smr_registry(&n_all);
    for (int64_t i = 0; i < n_all; i++) seen[i] |= all[i] == step->learner;
    for (int64_t i = 0; i < step->learner->word->n_params; i++) {
        const smr_specs *specs = smr_step_specs(step, i);
        for (int64_t k = 0; specs && k < specs->n; k++)
            for (int64_t s = 0; s < specs->spec[k]->n; s++)
                mark_step(&specs->spec[k]->steps[s], seen);
    }
}

/* The same for stages, and for the members in their states. */
static void mark_stages(const smr_stage *stages, int64_t n, bool *seen)
{
    for (int64_t s = 0; s < n; s++) {
        const smr_fitted *f = stages[s].learner->fitted;
        smr_step step = smr_stage_step(&stages[s]);
        mark_step(&step, seen);
        for (int64_t i = 0; stages[s].state && i < f->n_state; i++) {
            const smr_members *list = smr_state_members(&f->state[i], stages[s].state);
            for (int64_t k = 0; list && k < list->n; k++)
                mark_stages(list->member[k].stages, list->member[k].n_stages, seen);
        }
    }
}

static bool none_is_versioned(void)
{
    int64_t n;
    const smr_learner *const *all = smr_registry(&n);
    for (int64_t i = 0; i < n; i++)
        if (smr_learner_version(all[i]) > 1) return false;
    return true;
}

smr_status smr_versions_write(smr_ctx *ctx, const smr_stage *head, const smr_stage *stages,
                              int64_t n, smr_text *out)
{
    smr_status st = SMR_OK;
    int64_t n_all;
    const smr_learner *const *all = smr_registry(&n_all);
    bool *seen = NULL;
    const char *before = "{";
    if (none_is_versioned()) return SMR_OK;
    TRY_NEW(seen, n_all);
    mark_stages(head, head != NULL, seen);
    mark_stages(stages, n, seen);
    for (int64_t i = 0; i < n_all; i++) { /* sorted by name */
        if (!seen[i] || smr_learner_version(all[i]) == 1) continue;
        smr_text_printf(out, "%s\"%s\":%d", before, all[i]->word->name,
                        smr_learner_version(all[i]));
        before = ",";
    }
    if (*before == ',') smr_text_add(out, "}");
out:
    smr_free(seen);
    return st;
}

/* ---- reading ---------------------------------------------------------------------------- */

static smr_status read_version(smr_ctx *ctx, const smr_json *v, struct smr_version_of *out)
{
    out->learner = smr_registry_find(v->key);
    if (v->type != SMR_JSON_NUMBER || !(v->number >= 2 && v->number <= LATEST) ||
        v->number != floor(v->number))
        return smr_fail(ctx, SMR_ERR_FORMAT, "the model file is damaged: the version of %.200s",
                        v->key);
    if (!out->learner)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "the model file holds %.200s, which this samara (%s) does not know: use a "
                        "newer samara",
                        v->key, smr_version());
    out->version = (int)v->number;
    if (out->version > smr_learner_version(out->learner))
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "the model file was written by version %d of %s, and this samara (%s) "
                        "knows up to version %d: use a newer samara",
                        out->version, v->key, smr_version(), smr_learner_version(out->learner));
    return SMR_OK;
}

smr_status smr_versions_read(smr_ctx *ctx, const char *text, smr_versions *out)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    smr_versions v = {0};
    *out = v;
    if (!text) return SMR_OK;
    TRY(smr_json_parse(ctx, text, (int64_t)strlen(text), &doc));
    const smr_json *root = smr_json_root(doc);
    if (root->type != SMR_JSON_OBJECT || root->n == 0)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT,
                     "the model file is damaged: the versions of its "
                     "learners"));
    TRY_NEW(v.of, root->n);
    for (const smr_json *m = root->first; m; m = m->next) TRY(read_version(ctx, m, &v.of[v.n++]));
    *out = v;
    v = (smr_versions){0};
out:
    smr_versions_release(&v);
    smr_json_free(doc);
    return st;
}

int smr_versions_get(smr_versions *v, const smr_learner *learner)
{
    for (int64_t i = 0; i < v->n; i++)
        if (v->of[i].learner == learner) {
            v->of[i].used = true;
            return v->of[i].version;
        }
    return 1;
}

bool smr_versions_all_used(const smr_versions *v)
{
    bool all = true;
    for (int64_t i = 0; i < v->n; i++) all = all && v->of[i].used;
    return all;
}

/* ---- settings --------------------------------------------------------------------------- */

struct setting {
    char *key; /* "": a value without a key */
    char *value;
};

struct settings {
    struct setting *at;
    int64_t n, room;
};

static void release_settings(struct settings *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        smr_free(s->at[i].key);
        smr_free(s->at[i].value);
    }
    smr_free(s->at);
    *s = (struct settings){0};
}

/* Puts a setting before the one at `place`. */
static smr_status insert(smr_ctx *ctx, struct settings *s, int64_t place, const char *key,
                         int64_t n_key, const char *value, int64_t n_value)
{
    if (s->n == s->room) {
        struct setting *more = smr_realloc(ctx, s->at, 2 * s->room + 16, sizeof *more);
        if (!more) return SMR_ERR_NOMEM;
        s->at = more;
        s->room = 2 * s->room + 16;
    }
    struct setting one = {.key = smr_strndup(ctx, key, (size_t)n_key)};
    if (one.key) one.value = smr_strndup(ctx, value, (size_t)n_value);
    if (!one.value) {
        smr_free(one.key);
        return SMR_ERR_NOMEM;
    }
    memmove(s->at + place + 1, s->at + place, (size_t)(s->n - place) * sizeof *s->at);
    s->at[place] = one;
    s->n++;
    return SMR_OK;
}

static void take_out(struct settings *s, int64_t place)
{
    smr_free(s->at[place].key);
    smr_free(s->at[place].value);
    s->n--;
    memmove(s->at + place, s->at + place + 1, (size_t)(s->n - place) * sizeof *s->at);
}

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') at++;
    return at;
}

/* Where a setting ends: at a blank or '|' outside quotes and parentheses. */
static const char *end_of_setting(const char *at)
{
    int depth = 0;
    char quote = 0;
    for (; *at; at++) {
        if (quote) {
            if (*at == quote) quote = 0;
        } else if (*at == '\'' || *at == '"') {
            quote = *at;
        } else if (*at == '(' || *at == ')') {
            depth += *at == '(' ? 1 : -1;
        } else if (depth <= 0 && (*at == '|' || skip_blanks(at) > at)) {
            break;
        }
    }
    return at;
}

/* Settings "a=1 b='x y' 3" from *at up to a '|' or the end, put before `place`.  kept: the value of
 * those that name none ("a="). */
static smr_status read_settings(smr_ctx *ctx, const char **at, int64_t place, const char *kept,
                                struct settings *s)
{
    smr_status st = SMR_OK;
    for (*at = skip_blanks(*at); **at && **at != '|'; *at = skip_blanks(*at)) {
        const char *end = end_of_setting(*at), *eq = *at + strcspn(*at, "='\"( ");
        bool keyed = eq < end && *eq == '=';
        const char *value = keyed ? eq + 1 : *at;
        bool keep = kept && value == end;
        TRY(insert(ctx, s, place++, *at, keyed ? eq - *at : 0, keep ? kept : value,
                   keep ? (int64_t)strlen(kept) : end - value));
        *at = end;
    }
out:
    return st;
}

static smr_status apply_rule(smr_ctx *ctx, const smr_old_param *rule, struct settings *s)
{
    smr_status st = SMR_OK;
    int64_t place = s->n;
    char *kept = NULL;
    const char *now = rule->now;
    if (rule->name) {
        for (place = 0; place < s->n; place++)
            if (strcmp(s->at[place].key, rule->name) == 0 &&
                (!rule->value || strcmp(s->at[place].value, rule->value) == 0))
                break;
        if (place == s->n) return SMR_OK;
        kept = smr_strdup(ctx, s->at[place].value);
        if (!kept) return SMR_ERR_NOMEM;
        take_out(s, place);
    }
    if (now) TRY(read_settings(ctx, &now, place, kept, s));
out:
    smr_free(kept);
    return st;
}

/* ---- sentences -------------------------------------------------------------------------- */

static smr_status translate(smr_ctx *ctx, smr_versions *v, const char *sentence, int depth,
                            smr_text *out);

/* "(knn k=5),(ridge)": each in parentheses is a sentence of its own. */
static smr_status translate_list(smr_ctx *ctx, smr_versions *v, const char *value, int depth,
                                 smr_text *out)
{
    smr_status st = SMR_OK;
    char *inside = NULL;
    for (const char *at = value; *at;) {
        const char *open = strchr(at, '(');
        if (!open) open = at + strlen(at);
        smr_text_add_bytes(out, at, open - at);
        if (!*open) break;
        const char *c = open;
        int level = 0;
        char quote = 0;
        for (; *c; c++) {
            if (quote) {
                if (*c == quote) quote = 0;
            } else if (*c == '\'' || *c == '"') {
                quote = *c;
            } else if (*c == '(') {
                level++;
            } else if (*c == ')' && --level == 0) {
                break;
            }
        }
        inside = smr_strndup(ctx, open + 1, (size_t)(c - open - 1));
        if (!inside) return SMR_ERR_NOMEM;
        smr_text_add(out, "(");
        TRY(translate(ctx, v, inside, depth + 1, out));
        if (*c) smr_text_add(out, ")");
        smr_free(inside);
        inside = NULL;
        at = *c ? c + 1 : c;
    }
out:
    smr_free(inside);
    return st;
}

static smr_status write_setting(smr_ctx *ctx, smr_versions *v, const smr_word *word,
                                const struct setting *s, int depth, smr_text *out)
{
    const smr_param *p = *s->key ? smr_param_find(word, s->key) : smr_param_primary(word);
    smr_text_add(out, " ");
    if (*s->key) smr_text_printf(out, "%s=", s->key);
    if (p && p->grammar == &smr_sentences) return translate_list(ctx, v, s->value, depth, out);
    smr_text_add(out, s->value);
    return SMR_OK;
}

/* The settings of a word, from *at on; l: the learner that it is, NULL: the head, which has no
 * versions. */
static smr_status translate_word(smr_ctx *ctx, smr_versions *v, const smr_word *word,
                                 const smr_learner *l, const char **at, int depth, smr_text *out)
{
    smr_status st = SMR_OK;
    struct settings s = {0};
    int from = l ? smr_versions_get(v, l) : 1;
    TRY(read_settings(ctx, at, 0, NULL, &s));
    for (int64_t i = 0; l && i < l->n_old_params; i++)
        if (from < l->old_params[i].until) TRY(apply_rule(ctx, &l->old_params[i], &s));
    for (int64_t i = 0; i < s.n; i++) TRY(write_setting(ctx, v, word, &s.at[i], depth, out));
out:
    release_settings(&s);
    return st;
}

static smr_status translate(smr_ctx *ctx, smr_versions *v, const char *sentence, int depth,
                            smr_text *out)
{
    smr_status st = SMR_OK;
    char *name = NULL;
    for (const char *at = skip_blanks(sentence); *at;) {
        const char *end = at + strcspn(at, " \t\n\r|");
        smr_free(name);
        name = smr_strndup(ctx, at, (size_t)(end - at));
        if (!name) return SMR_ERR_NOMEM;
        const smr_learner *l = smr_registry_find(name);
        bool head = strcmp(name, smr_columns_word.name) == 0;
        if ((!l && !head) || depth == NESTED) {
            smr_text_add(out, at);
            break;
        }
        smr_text_add(out, name);
        at = end;
        TRY(translate_word(ctx, v, l ? l->word : &smr_columns_word, l, &at, depth, out));
        if (!*at) break;
        smr_text_add(out, " | ");
        at = skip_blanks(at + 1);
    }
    TRY(smr_text_done(out));
out:
    smr_free(name);
    return st;
}

/* A sentence of today's versions stays as it is, unless it names a learner that had others. */
static bool may_change(const smr_versions *v, const char *sentence)
{
    int64_t n;
    const smr_learner *const *all = smr_registry(&n);
    for (int64_t i = 0; i < n; i++)
        if (all[i]->n_old_params && strstr(sentence, all[i]->word->name)) return true;
    return v->n > 0;
}

smr_status smr_versions_translate(smr_ctx *ctx, smr_versions *v, const char *sentence,
                                  smr_text *out)
{
    if (may_change(v, sentence)) return translate(ctx, v, sentence, 0, out);
    smr_text_add(out, sentence);
    return smr_text_done(out);
}
