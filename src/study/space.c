/* space.c -- see space.h: reading and checking.  Its points: space_points.c. */
#include "study/space.h"

#include "core/number.h"
#include "core/params.h"
#include "learn/spec.h"
#include "learn/task_params.h"
#include "study/space_parts.h"

#include <string.h>

struct parser {
    smr_ctx *ctx;
    const char *begin, *at;
    smr_space *space;
    bool wants_auto;
    smr_space_on on;
};

static smr_status complain(const struct parser *p, const char *what)
{
    return smr_fail(p->ctx, SMR_ERR_PARAM, "in the space \"%.200s\" at character %lld: %s",
                    p->begin, (long long)(p->at - p->begin + 1), what);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_blanks(struct parser *p)
{
    while (is_blank(*p->at)) p->at++;
}

static bool is_number_type(const smr_param *param)
{
    return param->type == SMR_PARAM_REAL || param->type == SMR_PARAM_INT ||
           param->type == SMR_PARAM_REALS;
}

/* A text that may be a number, such as a share, has a range to be searched. */
static bool has_range(const smr_param *param)
{
    return is_number_type(param) || param->search == SMR_SEARCH_LINEAR ||
           param->search == SMR_SEARCH_LOG;
}

/* ---- one value -------------------------------------------------------------------------- */

/* The value as the parameter would write it; refused with the range if it is outside. */
static smr_status canonical_value(smr_ctx *ctx, const smr_address_step *step, const char *value,
                                  char **out)
{
    smr_status st = SMR_OK;
    void *params = NULL;
    smr_text text = {.ctx = ctx};
    *out = NULL;
    TRY(smr_params_create(ctx, step->word, &params));
    TRY(smr_param_set(ctx, step->word, params, step->param, value));
    if (step->param->type == SMR_PARAM_STRING) { /* as it is: quotes belong to the sentence */
        smr_text_add(&text, value);
    } else {
        smr_param_write(step->param, params, &text);
    }
    TRY(smr_text_done(&text));
    *out = text.bytes;
    text.bytes = NULL;
out:
    smr_text_release(&text);
    smr_params_free(step->word, params);
    return st;
}

static smr_status add_part(smr_ctx *ctx, smr_dim *dim, smr_space_part part)
{
    smr_space_part *more = smr_realloc(ctx, dim->parts, dim->n_parts + 1, sizeof *more);
    if (!more) {
        smr_free(part.value);
        return SMR_ERR_NOMEM;
    }
    dim->parts = more;
    dim->parts[dim->n_parts++] = part;
    return SMR_OK;
}

static smr_status add_value(smr_ctx *ctx, smr_dim *dim, const char *value)
{
    smr_space_part part = {0};
    smr_status st = canonical_value(ctx, smr_address_last(dim->address), value, &part.value);
    return st == SMR_OK ? add_part(ctx, dim, part) : st;
}

/* ---- ranges ----------------------------------------------------------------------------- */

static smr_status bad_range(smr_ctx *ctx, const smr_dim *dim, const char *text, const char *why)
{
    return smr_fail(ctx, SMR_ERR_PARAM, "%s: the range %.100s %s", dim->address->text, text, why);
}

static bool read_number(const char *text, const char *end, double *x)
{
    return text < end && smr_parse_double(text, end, x) == end && isfinite(*x);
}

/* Both ends must be values of the parameter. */
static smr_status check_ends(smr_ctx *ctx, const smr_dim *dim, const smr_space_part *part)
{
    smr_status st = SMR_OK;
    char number[SMR_NUMBER_MAX], *value = NULL;
    for (int side = 0; side < 2; side++) {
        smr_format_double(side ? part->to : part->from, number);
        TRY(canonical_value(ctx, smr_address_last(dim->address), number, &value));
        smr_free(value);
        value = NULL;
    }
out:
    return st;
}

static smr_status check_range(smr_ctx *ctx, const smr_dim *dim, const char *text,
                              const smr_space_part *part)
{
    bool whole = smr_param_is_whole(smr_address_last(dim->address)->param);
    if (!(part->from < part->to))
        return bad_range(ctx, dim, text, "is empty: it ends before it begins");
    smr_status st = check_ends(ctx, dim, part);
    if (st != SMR_OK) return st;
    if (part->scale == SMR_SEARCH_LOG && !(part->from > 0))
        return bad_range(
            ctx, dim, text,
            "is on a logarithmic scale and must begin above 0; write linear(FROM..TO)");
    if (part->step != 0 && whole && part->step != floor(part->step))
        return bad_range(ctx, dim, text, "needs a whole step: the parameter is a whole number");
    if (part->step != 0 && (part->to - part->from) / part->step > SMR_DIM_MOST)
        return bad_range(ctx, dim, text, "has too many steps");
    return SMR_OK;
}

/* from..to[:step|/count] in [text, end). */
static smr_status add_range(smr_ctx *ctx, smr_dim *dim, const char *text, const char *end,
                            smr_search scale)
{
    smr_space_part part = {.scale = scale};
    smr_status st = SMR_OK;
    char *copy = smr_strndup(ctx, text, (size_t)(end - text));
    if (!copy) return SMR_ERR_NOMEM;
    char *dots = strstr(copy, ".."), *to = dots ? dots + 2 : NULL;
    char *mark = to ? to + strcspn(to, ":/") : NULL, *stop = copy + strlen(copy);
    if (!has_range(smr_address_last(dim->address)->param)) {
        st = smr_fail(ctx, SMR_ERR_PARAM,
                      "%s is not a number and has no range; list its values, or *",
                      dim->address->text);
    } else if (!dots || !read_number(copy, dots, &part.from) || !read_number(to, mark, &part.to)) {
        st = bad_range(ctx, dim, copy, "is not FROM..TO in numbers");
    } else if (*mark == ':' && (!read_number(mark + 1, stop, &part.step) || !(part.step > 0))) {
        st = bad_range(ctx, dim, copy, "needs a step above 0 after ':'");
    } else if (*mark == '/' && (smr_parse_int(mark + 1, stop, &part.count) != stop ||
                                part.count < 2 || part.count > SMR_DIM_MOST)) {
        st = bad_range(ctx, dim, copy, "needs the number of points after '/', at least 2");
    }
    if (part.step > 0) part.scale = SMR_SEARCH_LINEAR; /* steps are even */
    if (st == SMR_OK) st = check_range(ctx, dim, copy, &part);
    if (st == SMR_OK) st = add_part(ctx, dim, part);
    smr_free(copy);
    return st;
}

/* ---- '*' -------------------------------------------------------------------------------- */

static smr_status add_all(smr_ctx *ctx, smr_dim *dim)
{
    const smr_param *param = smr_address_last(dim->address)->param;
    smr_status st = SMR_OK;
    if (param->type == SMR_PARAM_CHOICE) {
        for (const smr_choice *c = param->choices; c->name; c++) TRY(add_value(ctx, dim, c->name));
    } else if (param->type == SMR_PARAM_BOOL) {
        TRY(add_value(ctx, dim, "no"));
        TRY(add_value(ctx, dim, "yes"));
    } else if (param->search == SMR_SEARCH_LINEAR || param->search == SMR_SEARCH_LOG) {
        smr_space_part part = {
            .from = param->search_min, .to = param->search_max, .scale = param->search};
        TRY(add_part(ctx, dim, part));
    } else {
        st = smr_fail(ctx, SMR_ERR_PARAM,
                      "%s has no search range of its own; write %s=FROM..TO, or its values",
                      dim->address->text, param->name);
    }
out:
    return st;
}

/* ---- elements --------------------------------------------------------------------------- */

/* The end of the element that begins here: a comma or a blank outside quotes and parentheses. */
static const char *element_end(const struct parser *p)
{
    int depth = 0;
    char quote = 0;
    const char *c = p->at;
    for (; *c; c++) {
        if (quote) {
            if (*c == quote) quote = 0;
        } else if (*c == '\'' || *c == '"') {
            quote = *c;
        } else if (*c == '(') {
            depth++;
        } else if (*c == ')') {
            if (--depth < 0) return NULL;
        } else if (depth == 0 && (*c == ',' || is_blank(*c))) {
            break;
        }
    }
    return depth == 0 && !quote ? c : NULL;
}

static bool wrapped(const char *text, const char *end, const char *head)
{
    size_t n = strlen(head);
    return (size_t)(end - text) > n && memcmp(text, head, n) == 0 && end[-1] == ')';
}

static smr_status add_text(smr_ctx *ctx, smr_dim *dim, const char *text, const char *end)
{
    bool quoted = (*text == '\'' || *text == '"') && end - text >= 2 && end[-1] == *text;
    const smr_grammar *grammar = smr_address_last(dim->address)->param->grammar;
    bool listed =
        *text == '(' && end[-1] == ')' && (!grammar || (!grammar->expression && text[1] == '('));
    char *value = quoted || listed ? smr_strndup(ctx, text + 1, (size_t)(end - text - 2))
                                   : smr_strndup(ctx, text, (size_t)(end - text));
    if (!value) return SMR_ERR_NOMEM;
    smr_status st = add_value(ctx, dim, value);
    smr_free(value);
    return st;
}

static smr_status read_element(struct parser *p, smr_dim *dim)
{
    const char *text = p->at, *end = element_end(p);
    const smr_param *param = smr_address_last(dim->address)->param;
    smr_search scale = param->search == SMR_SEARCH_LOG ? SMR_SEARCH_LOG : SMR_SEARCH_LINEAR;
    if (!end) return complain(p, "a quote or a parenthesis has no partner");
    if (end == text) return complain(p, "a value is missing");
    p->at = end;
    if (end - text == 1 && *text == '*') return add_all(p->ctx, dim);
    if (wrapped(text, end, "log("))
        return add_range(p->ctx, dim, text + 4, end - 1, SMR_SEARCH_LOG);
    if (wrapped(text, end, "linear("))
        return add_range(p->ctx, dim, text + 7, end - 1, SMR_SEARCH_LINEAR);
    for (const char *c = text; has_range(param) && c + 1 < end; c++)
        if (c[0] == '.' && c[1] == '.') return add_range(p->ctx, dim, text, end, scale);
    return add_text(p->ctx, dim, text, end);
}

/* ---- items ------------------------------------------------------------------------------ */

static smr_status new_dim(struct parser *p, const smr_address *address, smr_dim **out)
{
    smr_space *space = p->space;
    const smr_param *param = smr_address_last(address)->param;
    smr_dim *more = smr_realloc(p->ctx, space->dims, space->n_dims + 1, sizeof *more);
    if (!more) return SMR_ERR_NOMEM;
    space->dims = more;
    *out = &space->dims[space->n_dims++];
    **out = (smr_dim){.address = address, .is_number = is_number_type(param)};
    return SMR_OK;
}

static bool is_searched(const smr_space *space, const smr_address *address)
{
    for (int64_t d = 0; d < space->n_dims; d++)
        if (space->dims[d].address == address) return true;
    return false;
}

static smr_status read_item(struct parser *p)
{
    smr_ctx *ctx = p->ctx;
    smr_status st = SMR_OK;
    smr_dim *dim = NULL;
    const smr_address *address = NULL;
    const char *begin = p->at;
    while (*p->at && *p->at != '=' && !is_blank(*p->at)) p->at++;
    char *name = smr_strndup(ctx, begin, (size_t)(p->at - begin));
    if (!name) return SMR_ERR_NOMEM;
    skip_blanks(p);
    if (*p->at != '=' && strcmp(name, "auto") == 0) {
        p->wants_auto = true;
        goto out;
    }
    if (*p->at != '=' || !*name) {
        st = complain(p, "NAME=VALUES is expected, such as k=1,3,5");
        goto out;
    }
    p->at++;
    TRY(smr_address_find(ctx, &p->space->addresses, name, &address));
    if (is_searched(p->space, address)) {
        st = smr_fail(ctx, SMR_ERR_PARAM, "%s is searched twice in the space", address->text);
        goto out;
    }
    TRY(new_dim(p, address, &dim));
    for (;;) {
        skip_blanks(p);
        TRY(read_element(p, dim));
        const char *behind = p->at;
        skip_blanks(p);
        if (*p->at != ',') {
            p->at = behind;
            break;
        }
        p->at++;
    }
out:
    smr_free(name);
    return st;
}

static smr_status add_automatic(struct parser *p)
{
    smr_status st = SMR_OK;
    const smr_addresses *all = &p->space->addresses;
    for (int64_t i = 0; p->wants_auto && i < all->n; i++) {
        smr_dim *dim = NULL;
        const smr_param *param = smr_address_last(&all->at[i])->param;
        if (param->search == SMR_SEARCH_NONE || !smr_param_is_for(param, p->on.does) ||
            (param->no_target && p->on.with_target) || (param->of_numbers && p->on.no_numbers) ||
            is_searched(p->space, &all->at[i]))
            continue;
        TRY(new_dim(p, &all->at[i], &dim));
        TRY(add_all(p->ctx, dim));
        bool is_read = false;
        TRY(smr_dim_is_read(p->ctx, p->space, p->space->n_dims - 1, &is_read));
        if (!is_read) smr_dim_release(&p->space->dims[--p->space->n_dims]);
    }
out:
    return st;
}

static smr_status check_all_read(smr_ctx *ctx, const smr_space *space)
{
    smr_status st = SMR_OK;
    smr_text when = {.ctx = ctx};
    for (int64_t d = 0; d < space->n_dims; d++) {
        const smr_address_step *last = smr_address_last(space->dims[d].address);
        bool is_read = false;
        TRY(smr_dim_is_read(ctx, space, d, &is_read));
        if (is_read) continue;
        smr_param_write_when(last->param, &when);
        TRY(smr_text_done(&when));
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "%s: %s is used only %s, which no point of the space has; search that too, or "
                     "leave %s out",
                     last->word->name, last->param->name, when.bytes, last->param->name));
    }
out:
    smr_text_release(&when);
    return st;
}

static smr_status read_space(struct parser *p)
{
    smr_ctx *ctx = p->ctx;
    smr_status st = SMR_OK;
    for (skip_blanks(p); *p->at; skip_blanks(p)) TRY(read_item(p));
    TRY(add_automatic(p));
    TRY(check_all_read(ctx, p->space));
    if (p->space->n_dims == 0) {
        st =
            p->wants_auto
                ? smr_fail(ctx, SMR_ERR_PARAM,
                           "no parameter of \"%.200s\" has a search range of its own; name what to "
                           "search, such as --over \"NAME=VALUE,VALUE\"",
                           p->space->sentence)
                : smr_fail(ctx, SMR_ERR_PARAM,
                           "the search space is empty; write --over \"k=1,3,5\", or --over auto");
        goto out;
    }
    for (int64_t d = 0; d < p->space->n_dims; d++) TRY(smr_dim_finish(ctx, &p->space->dims[d]));
    TRY(smr_space_write(ctx, p->space, &p->space->text));
out:
    return st;
}

smr_status smr_space_parse(smr_ctx *ctx, const smr_spec *spec, const char *over, smr_space **out)
{
    return smr_space_parse_for(ctx, spec, over, NULL, out);
}

smr_status smr_space_parse_for(smr_ctx *ctx, const smr_spec *spec, const char *over,
                               const smr_space_on *on, smr_space **out)
{
    smr_status st = SMR_OK;
    smr_space *space = NULL;
    *out = NULL;
    if (!over) over = "auto";
    TRY_NEW(space, 1);
    TRY(smr_spec_copy(ctx, spec, &space->spec));
    TRY(smr_spec_text(ctx, spec, &space->sentence));
    TRY(smr_addresses_of(ctx, space->spec, &space->addresses));
    struct parser p = {.ctx = ctx, .begin = over, .at = over, .space = space};
    if (on) p.on = *on;
    TRY(read_space(&p));
    *out = space;
    space = NULL;
out:
    smr_space_free(space);
    return st;
}

void smr_dim_release(smr_dim *dim)
{
    for (int64_t i = 0; i < dim->n_parts; i++) smr_free(dim->parts[i].value);
    for (int64_t i = 0; i < dim->n_values; i++) smr_free(dim->values[i]);
    smr_free(dim->parts);
    smr_free(dim->values);
    *dim = (smr_dim){0};
}

void smr_space_free(smr_space *space)
{
    if (!space) return;
    for (int64_t d = 0; d < space->n_dims; d++) smr_dim_release(&space->dims[d]);
    smr_free(space->dims);
    smr_addresses_release(&space->addresses);
    smr_spec_free(space->spec);
    smr_free(space->sentence);
    smr_free(space->text);
    smr_free(space);
}
