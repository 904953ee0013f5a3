/* net_chain.c -- from text to a chain of layers, and back: see net_chain.h. */
#include "nn/net_chain.h"

#include "core/synonyms.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NESTING = 16, MAX_LAYERS = 4096, SHOWN = 200 };

/* How far reading has come.  Chains inside are read by parsers of their own, of the same text. */
struct parser {
    smr_ctx *ctx;
    const char *begin, *at;
    bool saved;    /* it comes out of a model file */
    int depth;     /* of chains in chains, and of what abbreviations mean */
    smr_text word; /* the last name or value */
};

static smr_status read_chain(struct parser *p, smr_nn_chain *out);
static smr_status read_chains(struct parser *p, int64_t most, smr_nn_chains *out);

/* ---- chains as values ------------------------------------------------------------------- */

void smr_nn_chain_release(smr_nn_chain *chain)
{
    for (int64_t i = 0; i < chain->n; i++)
        smr_params_free(&chain->link[i].layer->word, chain->link[i].params);
    smr_free(chain->link);
    *chain = (smr_nn_chain){0};
}

static void release_all(void *at)
{
    smr_nn_chains *chains = at;
    for (int64_t i = 0; i < chains->n; i++) smr_nn_chain_release(&chains->chain[i]);
    smr_free(chains->chain);
    *chains = (smr_nn_chains){0};
}

static smr_status make_room(smr_ctx *ctx, smr_nn_chain *chain)
{
    if (chain->n < chain->room) return SMR_OK;
    int64_t room = chain->room ? 2 * chain->room : 8;
    smr_nn_link *more = smr_realloc(ctx, chain->link, room, sizeof *more);
    if (!more) return SMR_ERR_NOMEM;
    chain->link = more;
    chain->room = room;
    return SMR_OK;
}

static smr_status copy_chain(smr_ctx *ctx, const smr_nn_chain *from, smr_nn_chain *to)
{
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < from->n; i++) {
        const smr_layer *layer = from->link[i].layer;
        void *params = NULL;
        TRY(make_room(ctx, to));
        TRY(smr_params_copy(ctx, &layer->word, from->link[i].params, &params));
        to->link[to->n++] = (smr_nn_link){layer, params};
    }
out:
    return st;
}

static smr_status copy_all(smr_ctx *ctx, const void *from_, void *to_)
{
    const smr_nn_chains *from = from_;
    smr_nn_chains *to = to_;
    smr_status st = SMR_OK;
    TRY_NEW(to->chain, from->n + 1);
    for (to->n = 0; to->n < from->n;) {
        int64_t i = to->n++;
        TRY(copy_chain(ctx, &from->chain[i], &to->chain[i]));
    }
out:
    return st;
}

void smr_nn_chain_write(const smr_nn_chain *chain, smr_text *out)
{
    for (int64_t i = 0; i < chain->n; i++) {
        if (i) smr_text_add(out, " | ");
        smr_word_write(&chain->link[i].layer->word, chain->link[i].params, out);
    }
}

static void write_all(const void *at, smr_text *out)
{
    const smr_nn_chains *chains = at;
    for (int64_t i = 0; i < chains->n; i++) {
        smr_text_add(out, i ? ",(" : "(");
        smr_nn_chain_write(&chains->chain[i], out);
        smr_text_add(out, ")");
    }
    if (chains->n == 0) smr_text_add(out, "none");
}

static int64_t count_all(const void *at)
{
    return ((const smr_nn_chains *)at)->n;
}

static bool find_word(const void *at, int64_t i, smr_inner *out)
{
    const smr_nn_chains *chains = at;
    for (int64_t k = 0; k < chains->n; k++) {
        const smr_nn_chain *chain = &chains->chain[k];
        if (i < chain->n) {
            *out = (smr_inner){.word = &chain->link[i].layer->word,
                               .params = chain->link[i].params,
                               .phrase = k,
                               .place = i + 1};
            return true;
        }
        i -= chain->n;
    }
    return false;
}

/* Layers of a chain, those of its branches too. */
static int64_t layers_in(const smr_nn_chain *chain)
{
    int64_t sum = chain->n;
    for (int64_t i = 0; i < chain->n; i++) {
        const smr_layer *layer = chain->link[i].layer;
        const smr_nn_chain *part;
        for (int64_t k = 0; layer->part && (part = layer->part(chain->link[i].params, k)); k++)
            sum += layers_in(part);
    }
    return sum;
}

/* ---- mistakes --------------------------------------------------------------------------- */

static smr_status complain_at(struct parser *p, const char *where, const char *what)
{
    return smr_fail(p->ctx, SMR_ERR_PARAM, "in the net \"%.*s%s\" at character %lld: %s", SHOWN,
                    p->begin, strlen(p->begin) > SHOWN ? "..." : "",
                    (long long)(where - p->begin + 1), what);
}

/* Puts the place before what a word's own table said of its settings. */
static smr_status place_before(struct parser *p, const char *where, smr_status st)
{
    char cause[SMR_MESSAGE_MAX];
    if (st != SMR_ERR_PARAM || strncmp(p->ctx->message, "in the net", 10) == 0) return st;
    memcpy(cause, p->ctx->message, sizeof cause);
    smr_begin(p->ctx);
    cause[SMR_MESSAGE_MAX - SHOWN - 100] = '\0';
    return complain_at(p, where, cause);
}

static smr_status unknown_layer(struct parser *p, const char *where)
{
    const char *names[64], *same = NULL;
    char what[300], called[SMR_SYNONYM_MAX];
    int64_t n, n_known;
    const smr_layer *const *all = smr_layers(&n);
    const smr_known_net *known = smr_nn_zoo(&n_known);
    for (int64_t i = 0; i < n; i++) {
        names[i] = all[i]->word.name;
        if (!same && smr_word_called(&all[i]->word, p->word.bytes, called)) same = called;
    }
    /* The whole text may be meant as the name of a known net. */
    for (int64_t i = 0; !*p->at && where == p->begin && i < n_known; i++)
        names[n++] = known[i].name;
    int64_t near = smr_nearest(p->word.bytes, names, n);
    if (!same && near >= 0) same = names[near];
    snprintf(what, sizeof what, "there is no layer '%.60s'%s%s%s", p->word.bytes,
             same ? "; did you mean '" : "; 'samara list layers' shows those there are",
             same ? same : "", same ? "'?" : "");
    return complain_at(p, where, what);
}

static smr_status unknown_param(struct parser *p, const smr_word *word, const char *where)
{
    const char *names[32], *note = "", *same = smr_param_called(word, p->word.bytes, &note);
    char what[300];
    int64_t n = 0;
    for (; n < word->n_params && n < SMR_COUNT(names); n++) names[n] = word->params[n].name;
    int64_t near = smr_nearest(p->word.bytes, names, n);
    if (!same && near >= 0) same = names[near];
    snprintf(what, sizeof what, "%s has no parameter '%.60s'%s%s%s", word->name, p->word.bytes,
             same ? "; did you mean '" : "", same ? same : "", same ? "'?" : "");
    return complain_at(p, where, what);
}

/* ---- pieces ----------------------------------------------------------------------------- */

static bool is_first(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_inner(char c)
{
    return is_first(c) || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+';
}

static void skip_blanks(struct parser *p)
{
    while (*p->at && strchr(" \t\r\n", *p->at)) p->at++;
}

static smr_status keep_word(struct parser *p, const char *from, const char *to)
{
    p->word.length = 0;
    smr_text_add_bytes(&p->word, from, to - from);
    return smr_text_done(&p->word);
}

static smr_status read_name(struct parser *p)
{
    const char *start = p->at;
    if (!is_first(*p->at)) return complain_at(p, p->at, "the name of a layer is missing");
    while (is_inner(*p->at)) p->at++;
    return keep_word(p, start, p->at);
}

/* Is there a key here: a name followed by '='? */
static bool at_key(const struct parser *p)
{
    const char *c = p->at;
    if (!is_first(*c)) return false;
    while (is_inner(*c)) c++;
    while (*c == ' ' || *c == '\t') c++;
    return *c == '=';
}

/* Numbers and words, with commas between them. */
static smr_status read_value(struct parser *p)
{
    const char *start = p->at;
    for (;;) {
        const char *atom = p->at;
        while (is_inner(*p->at)) p->at++;
        if (p->at == atom)
            return complain_at(p, atom,
                               *atom == '(' ? "a number or a word is expected here, not a chain"
                                            : "a value is missing");
        if (*p->at != ',') break;
        p->at++;
        skip_blanks(p);
    }
    return keep_word(p, start, p->at);
}

/* ---- a layer with its settings ---------------------------------------------------------- */

/* The row that a value without a key is for: the first that was not given. */
static const smr_param *next_row(const smr_word *word, const bool *given)
{
    for (int64_t i = 0; i < word->n_params; i++)
        if (!given[i]) return &word->params[i];
    return NULL;
}

static smr_status read_setting(struct parser *p, const smr_layer *layer, void *params, bool *given)
{
    smr_status st = SMR_OK;
    const smr_word *word = &layer->word;
    const char *where = p->at;
    const smr_param *param = next_row(word, given);
    if (at_key(p)) {
        TRY(read_name(p));
        param = smr_param_find(word, p->word.bytes);
        if (!param) return unknown_param(p, word, where);
        skip_blanks(p);
        p->at++; /* '=' */
        skip_blanks(p);
        if (given[param - word->params]) return complain_at(p, where, "this is given twice");
    } else if (!param) {
        return complain_at(p, where,
                           word->n_params ? "there are more values than parameters"
                                          : "this layer has no parameters");
    }
    given[param - word->params] = true;
    where = p->at;
    if (param->type == SMR_PARAM_PHRASE && *p->at == '(') {
        smr_nn_chains *field = smr_param_at(param, params);
        release_all(field);
        return read_chains(p, param->most, field);
    }
    TRY(read_value(p));
    st = smr_param_read(p->ctx, word, params, param, p->word.bytes, p->saved);
    return place_before(p, where, st);
out:
    return st;
}

static smr_status read_settings(struct parser *p, const smr_layer *layer, void *params)
{
    smr_ctx *ctx = p->ctx;
    smr_status st = SMR_OK;
    const smr_word *word = &layer->word;
    const char *where = p->at;
    bool *given = NULL;
    TRY_NEW(given, word->n_params + 1);
    for (skip_blanks(p); *p->at && *p->at != '|' && *p->at != ')'; skip_blanks(p))
        TRY(read_setting(p, layer, params, given));
    for (int64_t i = 0; i < word->n_params; i++) {
        const smr_param *row = &word->params[i];
        if (row->type != SMR_PARAM_PHRASE || smr_param_count(row, params) >= row->least) continue;
        char what[200];
        snprintf(what, sizeof what, "%s needs %s, as in %s", word->name,
                 row->least > 1 ? "chains in parentheses" : "a chain in parentheses",
                 word->example);
        TRY(complain_at(p, where, what));
    }
    st = smr_params_check(ctx, word, params, p->saved ? NULL : given);
    st = place_before(p, where, st);
out:
    smr_free(given);
    return st;
}

/* Puts what an abbreviation means in its place. */
static smr_status expand(struct parser *p, const smr_nn_link *link, smr_nn_chain *out)
{
    smr_status st = SMR_OK;
    smr_text text = {.ctx = p->ctx};
    struct parser inner = {
        .ctx = p->ctx, .saved = p->saved, .depth = p->depth + 1, .word = {.ctx = p->ctx}};
    if (inner.depth > MAX_NESTING) TRY(complain_at(p, p->at, "chains are nested too deeply"));
    TRY(link->layer->expand(link->params, &text));
    TRY(smr_text_done(&text));
    inner.begin = inner.at = text.bytes ? text.bytes : "";
    TRY(read_chain(&inner, out));
out:
    smr_text_release(&inner.word);
    smr_text_release(&text);
    return st;
}

static smr_status read_layer(struct parser *p, smr_nn_chain *out)
{
    smr_status st = SMR_OK;
    smr_nn_link link = {0};
    const char *where = p->at;
    TRY(read_name(p));
    link.layer = smr_layer_find(p->word.bytes);
    if (!link.layer) return unknown_layer(p, where);
    TRY(smr_params_create(p->ctx, &link.layer->word, &link.params));
    TRY(read_settings(p, link.layer, link.params));
    if (link.layer->traits & SMR_LAYER_IS_SHORT) {
        TRY(place_before(p, where, expand(p, &link, out)));
    } else {
        TRY(make_room(p->ctx, out));
        out->link[out->n++] = link;
        link.params = NULL;
    }
    if (layers_in(out) > MAX_LAYERS)
        TRY(complain_at(p, where, "a net has at most 4096 layers, and this one has more"));
out:
    if (link.params) smr_params_free(&link.layer->word, link.params);
    return st;
}

/* Up to its end, or to a closing parenthesis. */
static smr_status read_chain(struct parser *p, smr_nn_chain *out)
{
    smr_status st = SMR_OK;
    skip_blanks(p);
    if (!*p->at || *p->at == ')') return SMR_OK;
    for (;;) {
        TRY(read_layer(p, out));
        if (*p->at != '|') break;
        p->at++;
        skip_blanks(p);
    }
out:
    return st;
}

/* '(' chain ')' (',' '(' chain ')')* */
static smr_status read_chains(struct parser *p, int64_t most, smr_nn_chains *out)
{
    smr_ctx *ctx = p->ctx;
    smr_status st = SMR_OK;
    char what[80];
    if (++p->depth > MAX_NESTING) TRY(complain_at(p, p->at, "chains are nested too deeply"));
    TRY_NEW(out->chain, most + 1);
    for (;;) {
        const char *open = p->at;
        if (*open != '(') TRY(complain_at(p, open, "a chain in parentheses is expected here"));
        snprintf(what, sizeof what, "at most %lld chain%s can be here", (long long)most,
                 smr_plural(most, "", "s"));
        if (out->n == most) TRY(complain_at(p, open, what));
        p->at++;
        out->n++;
        TRY(read_chain(p, &out->chain[out->n - 1]));
        if (*p->at != ')')
            TRY(*p->at ? complain_at(p, p->at, "'|' or ')' is expected here")
                       : complain_at(p, open, "this parenthesis is never closed"));
        p->at++;
        skip_blanks(p);
        if (*p->at != ',') break;
        p->at++;
        skip_blanks(p);
    }
    p->depth--;
out:
    return st;
}

/* ---- the grammar ------------------------------------------------------------------------ */

static smr_status expect_end(struct parser *p)
{
    if (!*p->at) return SMR_OK;
    return complain_at(
        p, p->at, *p->at == ')' ? "this parenthesis was never opened" : "'|' is expected here");
}

smr_status smr_nn_chain_read(smr_ctx *ctx, const char *text, smr_nn_chain *out)
{
    smr_status st = SMR_OK;
    const smr_known_net *known = smr_nn_zoo_find(text);
    struct parser p = {.ctx = ctx, .word = {.ctx = ctx}};
    smr_nn_chain chain = {0};
    p.begin = p.at = known ? known->chain : text;
    TRY(read_chain(&p, &chain));
    TRY(expect_end(&p));
    *out = chain;
    chain = (smr_nn_chain){0};
out:
    smr_text_release(&p.word);
    smr_nn_chain_release(&chain);
    return st;
}

static smr_status unknown_net(smr_ctx *ctx, const smr_word *word, const smr_param *param,
                              const char *text)
{
    const char *names[32];
    int64_t n;
    const smr_known_net *all = smr_nn_zoo(&n);
    for (int64_t i = 0; i < n; i++) names[i] = all[i].name;
    int64_t near = smr_nearest(text, names, n);
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "%s: %s = %.60s is neither a chain in parentheses, as in %s=(dense 10 | relu), "
                    "nor a known net%s%s%s",
                    word->name, param->name, text, param->name,
                    near >= 0 ? "; did you mean '" : "; 'samara list nets' shows those there are",
                    near >= 0 ? names[near] : "", near >= 0 ? "'?" : "");
}

static smr_status read_known(smr_ctx *ctx, const char *text, smr_nn_chains *out)
{
    smr_status st = SMR_OK;
    TRY_NEW(out->chain, 1);
    out->n = 1;
    TRY(smr_nn_chain_read(ctx, text, &out->chain[0]));
out:
    return st;
}

static smr_status read_all(smr_ctx *ctx, const smr_word *word, const smr_param *param,
                           const char *text, bool saved, void *at)
{
    smr_status st = SMR_OK;
    smr_nn_chains chains = {0}, *out = at;
    struct parser p = {.ctx = ctx, .begin = text, .at = text, .saved = saved, .word = {.ctx = ctx}};
    if (*text == '(') {
        TRY(read_chains(&p, param->most, &chains));
        TRY(expect_end(&p));
    } else if (smr_nn_zoo_find(text)) {
        TRY(read_known(ctx, text, &chains));
    } else if (param->least > 0 || strcmp(text, "none") != 0) {
        TRY(unknown_net(ctx, word, param, text));
    }
    release_all(out);
    *out = chains;
    chains = (smr_nn_chains){0};
out:
    smr_text_release(&p.word);
    release_all(&chains);
    return st;
}

const smr_grammar smr_nn_chain_grammar = {
    .size = sizeof(smr_nn_chains),
    .read = read_all,
    .write = write_all,
    .copy = copy_all,
    .release = release_all,
    .count = count_all,
    .find = find_word,
    .one = "a chain of layers (...), or a known net",
    .several = "chains of layers (...),(...)",
    .noun = "layers",
    .example = "(dense 10 | relu)",
};
