/* address.c -- see address.h. */
#include "learn/address.h"

#include "core/number.h"

#include <string.h>

/* ---- words, and words inside their parameters ------------------------------------------- */

/* Word i of a sentence: the head, if it was written, and the steps; false: there are no more.  Its
 * place is 0 for the head, and the first step's is 1. */
static bool word_of(const smr_spec *spec, int64_t i, smr_inner *out)
{
    int64_t s = spec ? i - spec->head.written : 0;
    if (!spec || s >= spec->n) return false;
    if (s < 0)
        *out = (smr_inner){.word = &smr_columns_word, .params = (void *)&spec->head.columns};
    else
        *out = (smr_inner){
            .word = spec->steps[s].learner->word, .params = spec->steps[s].params, .place = s + 1};
    return true;
}

/* Word i of a parameter's phrases, or (param NULL) of the sentence. */
static bool word_in(const smr_spec *spec, const smr_param *param, const void *params, int64_t i,
                    smr_inner *out)
{
    if (!param) return word_of(spec, i, out);
    return param->grammar && param->grammar->find(smr_param_in(param, params), i, out);
}

/* ---- listing ---------------------------------------------------------------------------- */

static smr_status add_address(smr_ctx *ctx, smr_addresses *list, const smr_address *address,
                              const smr_text *text)
{
    if (list->n == list->room) {
        int64_t room = list->room ? 2 * list->room : 32;
        smr_address *more = smr_realloc(ctx, list->at, room, sizeof *more);
        if (!more) return SMR_ERR_NOMEM;
        list->at = more;
        list->room = room;
    }
    smr_address *a = &list->at[list->n];
    *a = *address;
    a->text = smr_strdup(ctx, text->bytes);
    if (!a->text) return SMR_ERR_NOMEM;
    list->n++;
    return SMR_OK;
}

static void cut(smr_text *text, int64_t length)
{
    text->length = length;
    if (text->bytes) text->bytes[length] = '\0';
}

/* A sentence, or the phrases of a parameter, whose words are listed. */
struct listing {
    const smr_spec *spec;
    smr_address prefix;
    smr_text text; /* of the prefix: "stack.of.0." or "" */
    smr_addresses *list;
};

static bool name_is_unique(const smr_spec *spec, const smr_param *param, const void *params,
                           const smr_inner *word)
{
    smr_inner other;
    int64_t same = 0;
    for (int64_t i = 0; word_in(spec, param, params, i, &other); i++)
        same += other.phrase == word->phrase && other.word == word->word;
    return same == 1;
}

static smr_status list_words(smr_ctx *ctx, struct listing *l, const smr_param *param,
                             const void *params);

/* Every parameter of the word at the end of the prefix, and what is inside it. */
static smr_status list_params(smr_ctx *ctx, struct listing *l, const smr_inner *word)
{
    smr_status st = SMR_OK;
    int64_t length = l->text.length, last = l->prefix.n_steps - 1;
    for (int64_t i = 0; i < word->word->n_params; i++) {
        const smr_param *param = &word->word->params[i];
        l->prefix.step[last].param = param;
        smr_text_add(&l->text, param->name);
        TRY(smr_text_done(&l->text));
        TRY(add_address(ctx, l->list, &l->prefix, &l->text));
        if (param->grammar) TRY(list_words(ctx, l, param, word->params));
        cut(&l->text, length);
    }
out:
    return st;
}

/* The words of the sentence (param NULL), or of the parameter's phrases. */
static smr_status list_words(smr_ctx *ctx, struct listing *l, const smr_param *param,
                             const void *params)
{
    smr_status st = SMR_OK;
    int64_t length = l->text.length;
    smr_inner word;
    for (int64_t i = 0; word_in(l->spec, param, params, i, &word); i++) {
        if (l->prefix.n_steps == SMR_ADDRESS_STEPS)
            return smr_fail(ctx, SMR_ERR_PARAM, "sentences are nested more than %d levels deep",
                            (int)SMR_ADDRESS_STEPS);
        l->prefix.step[l->prefix.n_steps++] =
            (smr_address_step){.phrase = word.phrase, .place = word.place, .word = word.word};
        if (param) smr_text_printf(&l->text, ".%lld.", (long long)word.phrase);
        if (name_is_unique(l->spec, param, params, &word))
            smr_text_printf(&l->text, "%s.", word.word->name);
        else
            smr_text_printf(&l->text, "%lld.", (long long)word.place);
        TRY(smr_text_done(&l->text));
        TRY(list_params(ctx, l, &word));
        l->prefix.n_steps--;
        cut(&l->text, length);
    }
out:
    return st;
}

smr_status smr_addresses_of(smr_ctx *ctx, const smr_spec *spec, smr_addresses *out)
{
    struct listing l = {.spec = spec, .text = {.ctx = ctx}, .list = out};
    *out = (smr_addresses){0};
    smr_status st = list_words(ctx, &l, NULL, NULL);
    if (st != SMR_OK) smr_addresses_release(out);
    smr_text_release(&l.text);
    return st;
}

void smr_addresses_release(smr_addresses *list)
{
    for (int64_t i = 0; i < list->n; i++) smr_free(list->at[i].text);
    smr_free(list->at);
    *list = (smr_addresses){0};
}

const smr_address_step *smr_address_last(const smr_address *address)
{
    return &address->step[address->n_steps - 1];
}

/* ---- finding ---------------------------------------------------------------------------- */

/* What an address is made of: a stage, a parameter, a member, a stage, a parameter ... */
struct part {
    enum { STAGE, PARAM, MEMBER } kind;
    const char *name; /* of a stage or a parameter          */
    int64_t number;   /* a stage's position, or the member  */
};

static int64_t parts_of(const smr_address *a, struct part parts[3 * SMR_ADDRESS_STEPS])
{
    int64_t n = 0;
    for (int64_t i = 0; i < a->n_steps; i++) {
        const smr_address_step *s = &a->step[i];
        if (i > 0) parts[n++] = (struct part){MEMBER, "", s->phrase};
        parts[n++] = (struct part){STAGE, s->word->name, s->place};
        parts[n++] = (struct part){PARAM, s->param->name, -1};
    }
    return n;
}

/* Is part j meant by the word [word, end), when the word before it meant part `before` (-1: none)?
 * A number means a member only directly after its parameter, and a stage only at the front or
 * directly after a member. */
static bool means(const struct part *parts, int64_t j, const char *word, const char *end,
                  int64_t before)
{
    size_t n = (size_t)(end - word);
    int64_t number;
    if (parts[j].kind != MEMBER && strlen(parts[j].name) == n && !memcmp(parts[j].name, word, n))
        return true;
    if (parts[j].kind == PARAM || before != j - 1) return false;
    return smr_parse_int(word, end, &number) == end && number == parts[j].number;
}

/* Do the words of `text` mean some of the parts from e on, in their order, and the last one? */
static bool leads(const struct part *parts, int64_t n, int64_t e, const char *text, int64_t before)
{
    const char *end = text + strcspn(text, ".");
    if (!*end) return e < n && means(parts, n - 1, text, end, -2);
    for (int64_t j = e; j < n - 1; j++)
        if (means(parts, j, text, end, before) && leads(parts, n, j + 1, end + 1, j)) return true;
    return false;
}

static bool is_meant(const smr_address *a, const char *text)
{
    struct part parts[3 * SMR_ADDRESS_STEPS];
    return leads(parts, parts_of(a, parts), 0, text, -1);
}

static smr_status not_there(smr_ctx *ctx, const smr_addresses *list, const char *text)
{
    smr_status st = SMR_OK;
    const char **names = NULL, *dot = strrchr(text, '.');
    TRY_NEW(names, list->n + 1);
    for (int64_t i = 0; i < list->n; i++)
        names[i] = dot ? list->at[i].text : smr_address_last(&list->at[i])->param->name;
    int64_t near = smr_nearest(text, names, list->n);
    if (near < 0 && dot) { /* the stage may be wrong and the parameter right */
        for (int64_t i = 0; i < list->n; i++)
            names[i] = smr_address_last(&list->at[i])->param->name;
        near = smr_nearest(dot + 1, names, list->n);
        if (near >= 0) names[near] = list->at[near].text;
    }
    st = near >= 0
             ? smr_fail(ctx, SMR_ERR_PARAM,
                        "the sentence has no parameter '%.200s'; did you mean '%s'?", text,
                        names[near])
             : smr_fail(ctx, SMR_ERR_PARAM,
                        "the sentence has no parameter '%.200s'; 'samara help NAME' shows those of "
                        "a stage",
                        text);
out:
    smr_free(names);
    return st;
}

static smr_status ambiguous(smr_ctx *ctx, const smr_addresses *list, const char *text)
{
    smr_text all = {.ctx = ctx};
    int64_t n = 0;
    for (int64_t i = 0; i < list->n; i++)
        if (is_meant(&list->at[i], text))
            smr_text_printf(&all, "%s%s", n++ ? ", " : "", list->at[i].text);
    smr_status st = smr_text_done(&all);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_PARAM, "'%.200s' means several parameters; say which: %s", text,
                      all.bytes);
    smr_text_release(&all);
    return st;
}

smr_status smr_address_find(smr_ctx *ctx, const smr_addresses *list, const char *text,
                            const smr_address **out)
{
    *out = NULL;
    for (int64_t i = 0; i < list->n; i++) {
        if (strcmp(list->at[i].text, text) == 0) {
            *out = &list->at[i];
            return SMR_OK;
        }
    }
    for (int64_t i = 0; i < list->n; i++) {
        if (!is_meant(&list->at[i], text)) continue;
        if (*out) {
            *out = NULL;
            return ambiguous(ctx, list, text);
        }
        *out = &list->at[i];
    }
    return *out ? SMR_OK : not_there(ctx, list, text);
}

/* ---- values ----------------------------------------------------------------------------- */

/* The word of a step, in a sentence or in a parameter's phrases; false: another word is there. */
static bool find_step(const smr_spec *spec, const smr_param *param, const void *params,
                      const smr_address_step *step, smr_inner *out)
{
    for (int64_t i = 0; word_in(spec, param, params, i, out); i++)
        if (out->phrase == step->phrase && out->place == step->place)
            return out->word == step->word;
    return false;
}

/* The word that the address ends in; false if the sentence no longer has it.  *is_read: all
 * parameters on the way are read, including the last. */
static bool follow(const smr_spec *spec, const smr_address *a, smr_inner *out, bool *is_read)
{
    const smr_param *param = NULL;
    *is_read = true;
    *out = (smr_inner){0};
    for (int64_t k = 0; k < a->n_steps; k++) {
        if (!find_step(spec, param, out->params, &a->step[k], out)) return false;
        param = a->step[k].param;
        *is_read = *is_read && smr_param_is_read(out->word, out->params, param);
    }
    return true;
}

smr_status smr_address_get(smr_ctx *ctx, const smr_spec *spec, const smr_address *address,
                           bool *is_read, smr_text *value)
{
    smr_inner word;
    (void)ctx;
    *is_read = follow(spec, address, &word, is_read) && *is_read;
    if (!*is_read) return SMR_OK;
    smr_param_write(smr_address_last(address)->param, word.params, value);
    return smr_text_done(value);
}

/* A value that is not read leaves no trace: it is the default again. */
static smr_status drop_unread(smr_ctx *ctx, const smr_inner *word)
{
    smr_status st = SMR_OK;
    smr_inner inner;
    for (int64_t i = 0; i < word->word->n_params; i++) {
        const smr_param *p = &word->word->params[i];
        for (int64_t k = 0; p->grammar && word_in(NULL, p, word->params, k, &inner); k++)
            TRY(drop_unread(ctx, &inner));
    }
    TRY(smr_params_drop_unread(ctx, word->word, word->params));
out:
    return st;
}

smr_status smr_address_set(smr_ctx *ctx, const smr_spec *spec, int64_t n,
                           const smr_address *const *addresses, const char *const *values,
                           smr_spec **out)
{
    smr_status st = SMR_OK;
    smr_spec *copy = NULL;
    smr_inner word;
    *out = NULL;
    TRY(smr_spec_copy(ctx, spec, &copy));
    for (int64_t depth = 1; depth <= SMR_ADDRESS_STEPS; depth++) /* whole members before parts */
        for (int64_t i = 0; i < n; i++) {
            bool is_read;
            if (addresses[i]->n_steps != depth || !follow(copy, addresses[i], &word, &is_read))
                continue;
            TRY(smr_param_set(ctx, word.word, word.params, smr_address_last(addresses[i])->param,
                              values[i]));
        }
    for (int64_t i = 0; word_of(copy, i, &word); i++) TRY(drop_unread(ctx, &word));
    TRY(smr_spec_check(ctx, copy));
    *out = copy;
    copy = NULL;
out:
    smr_spec_free(copy);
    return st;
}
