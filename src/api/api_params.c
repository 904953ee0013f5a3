/* api_params.c -- the sentence of a fitted model, and its parameters by their addresses. */
#include "api/api_parts.h"
#include "core/number.h"
#include "learn/address.h"
#include "learn/model.h"

#include <math.h>

smr_status smr_model_sentence(smr_ctx *ctx, const smr_model *m, char **text)
{
    smr_text out = {.ctx = ctx};
    smr_begin_call(ctx);
    smr_stages_write(&m->head, m->stages, m->n_stages, &out);
    smr_status st = smr_text_done(&out);
    *text = st == SMR_OK ? out.bytes : NULL;
    if (st != SMR_OK) smr_text_release(&out);
    return st;
}

/* ---- the parameters of a sentence ------------------------------------------------------- */

/* A model's sentence, parsed, with the addresses in it. */
struct said {
    smr_spec *spec;
    smr_addresses addresses;
};

static void release_said(struct said *s)
{
    smr_addresses_release(&s->addresses);
    smr_spec_free(s->spec);
}

static smr_status say_again(smr_ctx *ctx, const smr_model *m, struct said *s)
{
    smr_status st = SMR_OK;
    char *sentence = NULL;
    TRY(smr_model_sentence(ctx, m, &sentence));
    TRY(smr_spec_parse_saved(ctx, sentence, &s->spec));
    TRY(smr_addresses_of(ctx, s->spec, &s->addresses));
out:
    smr_free(sentence);
    return st;
}

static smr_param_kind kind_of(const smr_param *param)
{
    switch (param->type) {
    case SMR_PARAM_REAL: return SMR_PARAM_NUMBER;
    case SMR_PARAM_INT: return SMR_PARAM_WHOLE;
    case SMR_PARAM_BOOL: return SMR_PARAM_YES_NO;
    case SMR_PARAM_CHOICE: return SMR_PARAM_ONE_OF;
    case SMR_PARAM_REALS: return SMR_PARAM_NUMBERS;
    case SMR_PARAM_STRING: return SMR_PARAM_TEXT;
    case SMR_PARAM_PHRASE: return SMR_PARAM_SENTENCES;
    }
    return SMR_PARAM_TEXT;
}

/* The value as a number, as a sentence writes it; NaN: it is not a number. */
static double number_in(smr_param_kind kind, const char *text)
{
    double x = NAN;
    const char *end = text + strlen(text);
    if (kind == SMR_PARAM_YES_NO) return strcmp(text, "yes") == 0;
    if (kind != SMR_PARAM_NUMBER && kind != SMR_PARAM_WHOLE && kind != SMR_PARAM_NUMBERS)
        return NAN;
    return smr_parse_double(text, end, &x) == end ? x : NAN;
}

/* ---- one of them ------------------------------------------------------------------------ */

static smr_status refuse_unread(smr_ctx *ctx, const smr_address *a)
{
    smr_text when = {.ctx = ctx};
    smr_param_write_when(smr_address_last(a)->param, &when);
    smr_status st = smr_text_done(&when);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_PARAM, "the model's sentence does not use '%s'%s%s", a->text,
                      when.length ? ": it applies " : "", when.length ? when.bytes : "");
    smr_text_release(&when);
    return st;
}

/* Appends its value, and returns its kind. */
static smr_status get_param(smr_ctx *ctx, const smr_model *m, const char *address,
                            smr_param_kind *kind, smr_text *value)
{
    smr_status st = SMR_OK;
    struct said said = {0};
    const smr_address *a;
    bool is_read;
    TRY(say_again(ctx, m, &said));
    TRY(smr_address_find(ctx, &said.addresses, address, &a));
    TRY(smr_address_get(ctx, said.spec, a, &is_read, value));
    if (!is_read) TRY(refuse_unread(ctx, a));
    *kind = kind_of(smr_address_last(a)->param);
out:
    release_said(&said);
    return st;
}

smr_status smr_model_param_text(smr_ctx *ctx, const smr_model *m, const char *address, char **text)
{
    smr_text value = {.ctx = ctx};
    smr_param_kind kind;
    smr_begin_call(ctx);
    smr_text_add(&value, "");
    smr_status st = get_param(ctx, m, address, &kind, &value);
    *text = st == SMR_OK ? value.bytes : NULL;
    if (st != SMR_OK) smr_text_release(&value);
    return st;
}

smr_status smr_model_param_number(smr_ctx *ctx, const smr_model *m, const char *address,
                                  double *value)
{
    smr_text text = {.ctx = ctx};
    smr_param_kind kind = SMR_PARAM_TEXT;
    smr_status st = SMR_OK;
    smr_begin_call(ctx);
    *value = NAN;
    smr_text_add(&text, "");
    TRY(get_param(ctx, m, address, &kind, &text));
    *value = number_in(kind, text.bytes);
    if (isnan(*value) && strcmp(text.bytes, "none") != 0)
        st = smr_fail(ctx, SMR_ERR_PARAM,
                      "parameter '%.200s' is '%.200s', which is not a number; smr_model_param_text "
                      "gives it",
                      address, text.bytes);
out:
    smr_text_release(&text);
    return st;
}

/* ---- all of them ------------------------------------------------------------------------ */

struct one_param {
    char *address, *text;
    smr_param_kind kind;
    double number;
};

struct smr_param_list {
    int64_t n;
    struct one_param *at;
};

void smr_param_list_free(smr_param_list *list)
{
    if (!list) return;
    for (int64_t i = 0; i < list->n; i++) {
        smr_free(list->at[i].address);
        smr_free(list->at[i].text);
    }
    smr_free(list->at);
    smr_free(list);
}

static smr_status add_param(smr_ctx *ctx, const struct said *said, const smr_address *a,
                            smr_param_list *list)
{
    smr_status st = SMR_OK;
    smr_text value = {.ctx = ctx};
    bool is_read;
    smr_text_add(&value, "");
    TRY(smr_address_get(ctx, said->spec, a, &is_read, &value));
    if (!is_read) goto out;
    struct one_param *p = &list->at[list->n++];
    p->kind = kind_of(smr_address_last(a)->param);
    p->number = number_in(p->kind, value.bytes);
    p->text = value.bytes;
    value = (smr_text){0};
    p->address = smr_strdup(ctx, a->text);
    if (!p->address) st = SMR_ERR_NOMEM;
out:
    smr_text_release(&value);
    return st;
}

smr_status smr_model_params(smr_ctx *ctx, const smr_model *m, smr_param_list **out)
{
    smr_status st = SMR_OK;
    struct said said = {0};
    smr_param_list *list = NULL;
    smr_begin_call(ctx);
    *out = NULL;
    TRY(say_again(ctx, m, &said));
    TRY_NEW(list, 1);
    TRY_NEW(list->at, said.addresses.n + 1);
    for (int64_t i = 0; i < said.addresses.n; i++)
        TRY(add_param(ctx, &said, &said.addresses.at[i], list));
    *out = list;
    list = NULL;
out:
    smr_param_list_free(list);
    release_said(&said);
    return st;
}

static const struct one_param *param_at(const smr_param_list *list, int64_t i)
{
    return i >= 0 && i < list->n ? &list->at[i] : NULL;
}

int64_t smr_param_list_n(const smr_param_list *list)
{
    return list->n;
}

const char *smr_param_list_address(const smr_param_list *list, int64_t i)
{
    const struct one_param *p = param_at(list, i);
    return p ? p->address : NULL;
}

int smr_param_list_kind(const smr_param_list *list, int64_t i)
{
    const struct one_param *p = param_at(list, i);
    return p ? (int)p->kind : -1;
}

const char *smr_param_list_text(const smr_param_list *list, int64_t i)
{
    const struct one_param *p = param_at(list, i);
    return p ? p->text : NULL;
}

double smr_param_list_number(const smr_param_list *list, int64_t i)
{
    const struct one_param *p = param_at(list, i);
    return p ? p->number : NAN;
}
