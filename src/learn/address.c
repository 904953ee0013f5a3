/* address.c -- see address.h. */
#include "learn/address.h"

#include "core/number.h"
#include "learn/params.h"
#include "learn/spec.h"

#include <string.h>

/* ---- sentences within parameters -------------------------------------------------------- */

static const smr_specs *sentences(const smr_param *param, const void *params)
{
    if (param->type != SMR_PARAM_SPECS) return NULL;
    return (const smr_specs *)(const void *)((const char *)params + param->offset);
}

static int64_t n_members(const smr_param *param, const void *params)
{
    const smr_specs *specs = sentences(param, params);
    return specs ? specs->n : 0;
}

static const char *member(const smr_param *param, const void *params, int64_t m)
{
    return sentences(param, params)->text[m];
}

static smr_status replace_member(smr_ctx *ctx, smr_stage *stage, const smr_param *param, int64_t m,
                                 const char *sentence)
{
    const smr_specs *specs = sentences(param, stage->params);
    smr_status st = SMR_OK;
    smr_text value = {.ctx = ctx};
    for (int64_t i = 0; i < specs->n; i++) {
        smr_text_add(&value, i ? ",(" : "(");
        smr_text_add(&value, i == m ? sentence : specs->text[i]);
        smr_text_add(&value, ")");
    }
    TRY(smr_text_done(&value));
    TRY(smr_param_set(ctx, stage->learner, stage->params, param, value.bytes));
out:
    smr_text_release(&value);
    return st;
}

/* ---- listing ---------------------------------------------------------------------------- */

/* Stages are counted from 1, unless the sentence begins with columns, which is 0. */
static int64_t position(const smr_stage *stages, int64_t s)
{
    return strcmp(stages[0].learner->word->name, "columns") == 0 ? s : s + 1;
}

static bool name_is_unique(const smr_stage *stages, int64_t n, int64_t s)
{
    for (int64_t t = 0; t < n; t++)
        if (t != s && stages[t].learner == stages[s].learner) return false;
    return true;
}

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

/* Adds the parameters of a sentence whose own address is `prefix` (text: "stack.of.0." or ""). */
static smr_status list_sentence(smr_ctx *ctx, const char *sentence, smr_address *prefix,
                                smr_text *text, smr_addresses *list);

static smr_status list_members(smr_ctx *ctx, const smr_stage *stage, smr_address *prefix,
                               smr_text *text, smr_addresses *list)
{
    smr_step *step = &prefix->step[prefix->n_steps - 1];
    int64_t length = text->length, n = n_members(step->param, stage->params);
    smr_status st = SMR_OK;
    for (int64_t m = 0; m < n; m++) {
        step->member = m;
        smr_text_printf(text, ".%lld.", (long long)m);
        TRY(smr_text_done(text));
        TRY(list_sentence(ctx, member(step->param, stage->params, m), prefix, text, list));
        cut(text, length);
    }
    step->member = -1;
out:
    return st;
}

static smr_status list_stage(smr_ctx *ctx, const smr_stage *stage, smr_address *prefix,
                             smr_text *text, smr_addresses *list)
{
    const smr_learner *learner = stage->learner;
    smr_step *step = &prefix->step[prefix->n_steps - 1];
    int64_t length = text->length;
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < learner->word->n_params; i++) {
        step->param = &learner->word->params[i];
        smr_text_add(text, learner->word->params[i].name);
        TRY(smr_text_done(text));
        TRY(add_address(ctx, list, prefix, text));
        TRY(list_members(ctx, stage, prefix, text, list));
        cut(text, length);
    }
out:
    return st;
}

static smr_status list_sentence(smr_ctx *ctx, const char *sentence, smr_address *prefix,
                                smr_text *text, smr_addresses *list)
{
    smr_status st = SMR_OK;
    smr_stage *stages = NULL;
    int64_t n = 0, length = text->length;
    if (prefix->n_steps == SMR_ADDRESS_STEPS)
        return smr_fail(ctx, SMR_ERR_PARAM, "sentences are nested more than %d levels deep",
                        (int)SMR_ADDRESS_STEPS);
    TRY(smr_spec_parse(ctx, sentence, &stages, &n));
    prefix->n_steps++;
    for (int64_t s = 0; s < n; s++) {
        prefix->step[prefix->n_steps - 1] = (smr_step){.stage = s,
                                                       .position = position(stages, s),
                                                       .learner = stages[s].learner,
                                                       .member = -1};
        if (name_is_unique(stages, n, s))
            smr_text_printf(text, "%s.", stages[s].learner->word->name);
        else
            smr_text_printf(text, "%lld.", (long long)position(stages, s));
        TRY(smr_text_done(text));
        TRY(list_stage(ctx, &stages[s], prefix, text, list));
        cut(text, length);
    }
    prefix->n_steps--;
out:
    smr_stages_free(stages, n);
    return st;
}

smr_status smr_addresses_of(smr_ctx *ctx, const char *sentence, smr_addresses *out)
{
    smr_address prefix = {0};
    smr_text text = {.ctx = ctx};
    *out = (smr_addresses){0};
    smr_status st = list_sentence(ctx, sentence, &prefix, &text, out);
    if (st != SMR_OK) smr_addresses_release(out);
    smr_text_release(&text);
    return st;
}

void smr_addresses_release(smr_addresses *list)
{
    for (int64_t i = 0; i < list->n; i++) smr_free(list->at[i].text);
    smr_free(list->at);
    *list = (smr_addresses){0};
}

const smr_step *smr_address_last(const smr_address *address)
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
        const smr_step *s = &a->step[i];
        parts[n++] = (struct part){STAGE, s->learner->word->name, s->position};
        parts[n++] = (struct part){PARAM, s->param->name, -1};
        if (s->member >= 0) parts[n++] = (struct part){MEMBER, "", s->member};
    }
    return n;
}

/* Is part j meant by the word [word, end), when the word before it meant part `before` (-1: none)?
 * A number means a member only directly behind its parameter, and a stage only in front or
 * directly behind a member. */
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

/* The stage of step i among n stages, or NULL when another one stands there. */
static smr_stage *stage_of(const smr_address *a, int64_t i, smr_stage *stages, int64_t n)
{
    const smr_step *step = &a->step[i];
    return step->stage < n && stages[step->stage].learner == step->learner ? &stages[step->stage]
                                                                           : NULL;
}

static smr_status get_from(smr_ctx *ctx, const char *sentence, const smr_address *a, int64_t i,
                           bool *is_read, smr_text *value)
{
    smr_status st = SMR_OK;
    smr_stage *stages = NULL;
    const smr_step *step = &a->step[i];
    int64_t n = 0;
    *is_read = false;
    TRY(smr_spec_parse(ctx, sentence, &stages, &n));
    const smr_stage *stage = stage_of(a, i, stages, n);
    if (!stage || !smr_param_is_read(stage->learner, stage->params, step->param)) goto out;
    if (i + 1 == a->n_steps) {
        *is_read = true;
        smr_param_write(step->param, stage->params, value);
        TRY(smr_text_done(value));
    } else if (step->member < n_members(step->param, stage->params)) {
        TRY(get_from(ctx, member(step->param, stage->params, step->member), a, i + 1, is_read,
                     value));
    }
out:
    smr_stages_free(stages, n);
    return st;
}

smr_status smr_address_get(smr_ctx *ctx, const char *sentence, const smr_address *address,
                           bool *is_read, smr_text *value)
{
    return get_from(ctx, sentence, address, 0, is_read, value);
}

/* What is to be set in a sentence at depth `depth`: assignments [0, n), of which those are left out
 * whose `skip` is set because they belong to another member. */
struct assignments {
    int64_t n;
    const smr_address *const *address;
    const char *const *value;
    bool *skip;
};

static bool same_way(const smr_address *a, const smr_address *b, int64_t depth)
{
    const smr_step *x = &a->step[depth], *y = &b->step[depth];
    return a->n_steps > depth + 1 && b->n_steps > depth + 1 && x->stage == y->stage &&
           x->param == y->param && x->member == y->member;
}

static smr_status set_in(smr_ctx *ctx, const char *sentence, const struct assignments *set,
                         int64_t depth, smr_text *out);

/* Sets all that lies within the member to which assignment `first` leads. */
static smr_status set_in_member(smr_ctx *ctx, smr_stage *stage, const struct assignments *set,
                                int64_t first, int64_t depth)
{
    const smr_step *step = &set->address[first]->step[depth];
    smr_status st = SMR_OK;
    smr_text changed = {.ctx = ctx};
    struct assignments inner = *set;
    inner.skip = NULL;
    if (step->member >= n_members(step->param, stage->params)) return SMR_OK;
    TRY_NEW(inner.skip, set->n);
    for (int64_t i = 0; i < set->n; i++)
        inner.skip[i] = set->skip[i] || !same_way(set->address[first], set->address[i], depth);
    TRY(set_in(ctx, member(step->param, stage->params, step->member), &inner, depth + 1, &changed));
    TRY(replace_member(ctx, stage, step->param, step->member, changed.bytes));
out:
    smr_free(inner.skip);
    smr_text_release(&changed);
    return st;
}

static smr_status set_values(smr_ctx *ctx, smr_stage *stages, int64_t n,
                             const struct assignments *set, int64_t depth)
{
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < set->n; i++) {
        const smr_address *a = set->address[i];
        if (set->skip[i] || a->n_steps != depth + 1) continue;
        smr_stage *stage = stage_of(a, depth, stages, n);
        if (stage)
            TRY(smr_param_set(ctx, stage->learner, stage->params, a->step[depth].param,
                              set->value[i]));
    }
    for (int64_t i = 0; i < set->n; i++) {
        const smr_address *a = set->address[i];
        if (set->skip[i] || a->n_steps <= depth + 1) continue;
        bool done = false;
        for (int64_t j = 0; j < i; j++)
            done |= !set->skip[j] && same_way(a, set->address[j], depth);
        smr_stage *stage = stage_of(a, depth, stages, n);
        if (stage && !done) TRY(set_in_member(ctx, stage, set, i, depth));
    }
out:
    return st;
}

static smr_status set_in(smr_ctx *ctx, const char *sentence, const struct assignments *set,
                         int64_t depth, smr_text *out)
{
    smr_status st = SMR_OK;
    smr_stage *stages = NULL;
    int64_t n = 0;
    TRY(smr_spec_parse(ctx, sentence, &stages, &n));
    TRY(set_values(ctx, stages, n, set, depth));
    for (int64_t s = 0; s < n; s++)
        TRY(smr_params_check(ctx, stages[s].learner, stages[s].params, NULL));
    smr_spec_write(stages, n, out);
    TRY(smr_text_done(out));
out:
    smr_stages_free(stages, n);
    return st;
}

smr_status smr_address_set(smr_ctx *ctx, const char *sentence, int64_t n,
                           const smr_address *const *addresses, const char *const *values,
                           smr_text *out)
{
    smr_status st = SMR_OK;
    struct assignments all = {.n = n, .address = addresses, .value = values};
    TRY_NEW(all.skip, n + 1);
    TRY(set_in(ctx, sentence, &all, 0, out));
out:
    smr_free(all.skip);
    return st;
}
