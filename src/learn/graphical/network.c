/* network.c -- names, and a network as it is put together and checked. */
#include "learn/graphical/network.h"

#include <math.h>
#include <string.h>

void smr_net_release(smr_network *net)
{
    for (int64_t i = 0; net->level && i < net->n; i++) {
        smr_free(net->level[i].start);
        smr_free(net->level[i].bytes);
    }
    smr_free(net->name);
    smr_vocab_release(&net->names);
    smr_free(net->level);
    smr_free(net->levels);
    smr_free(net->start);
    smr_free(net->parent);
    smr_free(net->at);
    smr_free(net->p);
    smr_free(net->order);
    *net = (smr_network){0};
}

/* ---- names ------------------------------------------------------------------------------ */

void smr_net_say(const smr_network *net, int64_t node, smr_text *out)
{
    int64_t length;
    const char *name = smr_strings_get(&net->names.strings, node, &length);
    smr_text_add_bytes(out, name, length);
}

void smr_net_say_level(const smr_network *net, int64_t node, int64_t level, smr_text *out)
{
    int64_t length;
    const char *name = smr_strings_get(&net->level[node], level, &length);
    smr_text_add_bytes(out, name, length);
}

/* The string that is nearest to a name, as a part of a message; "" where none is near. */
static void say_near(smr_ctx *ctx, const smr_strings *all, const char *name, int64_t length,
                     smr_text *out)
{
    const char **list = smr_alloc(ctx, all->n, sizeof *list);
    smr_text joined = {.ctx = ctx};
    char *word = smr_strndup(ctx, name, (size_t)length);
    if (!list || !word) goto out;
    for (int64_t i = 0; i < all->n; i++) {
        int64_t n;
        const char *s = smr_strings_get(all, i, &n);
        smr_text_add_bytes(&joined, s, n);
        smr_text_add_bytes(&joined, "", 1);
    }
    if (smr_text_done(&joined) != SMR_OK || !joined.bytes) goto out;
    const char *at = joined.bytes;
    for (int64_t i = 0; i < all->n; i++, at += strlen(at) + 1) list[i] = at;
    int64_t near = smr_nearest(word, list, all->n);
    if (near >= 0) smr_text_printf(out, "; did you mean '%s'?", list[near]);
out:
    smr_free(word);
    smr_free(list);
    smr_text_release(&joined);
}

static smr_status not_found(smr_ctx *ctx, const smr_strings *all, const char *where,
                            const char *what, const char *name, int64_t length)
{
    smr_text near = {.ctx = ctx};
    say_near(ctx, all, name, length, &near);
    smr_status st = smr_fail(ctx, where ? SMR_ERR_FORMAT : SMR_ERR_PARAM, "%s%s%s '%.*s'%s",
                             where ? where : "", where ? ": " : "", what, (int)SMR_MIN(length, 100),
                             name, near.bytes ? near.bytes : "");
    smr_text_release(&near);
    return st;
}

smr_status smr_net_find(smr_ctx *ctx, const smr_network *net, const char *where, const char *name,
                        int64_t length, int64_t *node)
{
    *node = smr_vocab_find(&net->names, name, length);
    if (*node >= 0) return SMR_OK;
    return not_found(ctx, &net->names.strings, where, "the network has no variable", name, length);
}

static int64_t level_of(const smr_strings *all, const char *name, int64_t length)
{
    for (int64_t k = 0; k < all->n; k++) {
        int64_t n;
        const char *s = smr_strings_get(all, k, &n);
        if (n == length && memcmp(s, name, (size_t)n) == 0) return k;
    }
    return -1;
}

smr_status smr_net_find_level(smr_ctx *ctx, const smr_network *net, int64_t node, const char *where,
                              const char *name, int64_t length, int64_t *level)
{
    *level = level_of(&net->level[node], name, length);
    if (*level >= 0) return SMR_OK;
    smr_text what = {.ctx = ctx};
    smr_text_add(&what, "variable '");
    smr_net_say(net, node, &what);
    smr_text_add(&what, "' has no level");
    smr_status st = not_found(ctx, &net->level[node], where, what.bytes ? what.bytes : "no level",
                              name, length);
    smr_text_release(&what);
    return st;
}

void smr_net_say_row(const smr_network *net, const int32_t *parent, int64_t n_parents, int64_t node,
                     int64_t row, smr_text *out)
{
    int64_t below = 1;
    for (int64_t j = 0; j < n_parents; j++) below *= net->levels[parent[j]];
    smr_text_add(out, "P(");
    smr_net_say(net, node, out);
    for (int64_t j = 0; j < n_parents; j++) {
        below /= net->levels[parent[j]];
        smr_text_add(out, j ? ", " : " | ");
        smr_net_say(net, parent[j], out);
        smr_text_add(out, "=");
        smr_net_say_level(net, parent[j], row / below % net->levels[parent[j]], out);
    }
    smr_text_add(out, ")");
}

/* ---- building --------------------------------------------------------------------------- */

void smr_draft_release(smr_net_draft *d)
{
    for (int64_t i = 0; d->family && i < d->net.n; i++) {
        smr_free(d->family[i].parent);
        smr_free(d->family[i].p);
        smr_free(d->family[i].set);
    }
    smr_free(d->family);
    smr_net_release(&d->net);
    *d = (smr_net_draft){0};
}

static smr_status make_room(smr_ctx *ctx, smr_net_draft *d)
{
    int64_t room = SMR_MAX(16, 2 * d->room);
    if (d->net.n < d->room) return SMR_OK;
    smr_net_family *family = smr_realloc(ctx, d->family, room, sizeof *family);
    if (!family) return SMR_ERR_NOMEM;
    d->family = family;
    smr_strings *level = smr_realloc(ctx, d->net.level, room, sizeof *level);
    if (!level) return SMR_ERR_NOMEM;
    d->net.level = level;
    int64_t *levels = smr_realloc(ctx, d->net.levels, room, sizeof *levels);
    if (!levels) return SMR_ERR_NOMEM;
    d->net.levels = levels;
    d->room = room;
    return SMR_OK;
}

smr_status smr_draft_variable(smr_ctx *ctx, smr_net_draft *d, int64_t line, const char *name,
                              int64_t length, int64_t *node)
{
    smr_status st = SMR_OK;
    int32_t code = -1;
    if (smr_vocab_find(&d->net.names, name, length) >= 0)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s:%lld: there are two variables '%.*s'", d->source,
                     (long long)line, (int)SMR_MIN(length, 100), name));
    if (d->net.n >= SMR_NET_MOST_NODES)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s:%lld: more than %d variables", d->source,
                     (long long)line, SMR_NET_MOST_NODES));
    TRY(make_room(ctx, d));
    TRY(smr_vocab_add(ctx, &d->net.names, name, length, &code));
    d->family[code] = (smr_net_family){0};
    d->net.level[code] = (smr_strings){0};
    d->net.levels[code] = 0;
    d->net.n = code + 1;
    *node = code;
out:
    return st;
}

smr_status smr_draft_level(smr_ctx *ctx, smr_net_draft *d, int64_t line, int64_t node,
                           const char *name, int64_t length)
{
    smr_status st = SMR_OK;
    smr_strings *s = &d->net.level[node];
    if (level_of(s, name, length) >= 0)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s:%lld: a variable has the level '%.*s' twice",
                     d->source, (long long)line, (int)SMR_MIN(length, 100), name));
    if (s->n >= SMR_NET_MOST_LEVELS)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s:%lld: a variable has more than %d levels", d->source,
                     (long long)line, SMR_NET_MOST_LEVELS));
    if (s->n == 0) TRY_NEW(s->start, 2);
    if (s->n > 0 && (s->n & (s->n - 1)) == 0) {
        int64_t *start = smr_realloc(ctx, s->start, 2 * s->n + 1, sizeof *start);
        if (!start) return SMR_ERR_NOMEM;
        s->start = start;
    }
    char *bytes = smr_realloc(ctx, s->bytes, s->start[s->n] + length + 1, 1);
    if (!bytes) return SMR_ERR_NOMEM;
    s->bytes = bytes;
    memcpy(bytes + s->start[s->n], name, (size_t)length);
    s->start[s->n + 1] = s->start[s->n] + length;
    d->net.levels[node] = ++s->n;
out:
    return st;
}

smr_status smr_draft_family(smr_ctx *ctx, smr_net_draft *d, int64_t line, int64_t node,
                            int64_t n_parents, const int32_t *parent)
{
    smr_status st = SMR_OK;
    smr_net_family *f = &d->family[node];
    smr_text what = {.ctx = ctx};
    double cells = (double)d->net.levels[node];
    int64_t rows = 1;
    smr_net_say(&d->net, node, &what);
    TRY(smr_text_done(&what));
    if (f->p)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT,
                     "%s:%lld: '%s' has a second table; its first is in line "
                     "%lld",
                     d->source, (long long)line, what.bytes, (long long)f->line));
    for (int64_t j = 0; j < n_parents; j++) {
        for (int64_t i = 0; i <= j; i++)
            if (parent[j] == (i < j ? parent[i] : node))
                TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s:%lld: %s of '%s'", d->source, (long long)line,
                             i < j ? "a parent occurs twice in the table"
                                   : "a variable is its own parent in the table",
                             what.bytes));
        cells *= (double)d->net.levels[parent[j]];
        if (cells <= (double)SMR_NET_MOST_CELLS) rows *= d->net.levels[parent[j]];
    }
    if (cells > (double)SMR_NET_MOST_CELLS)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s:%lld: the table of '%s' has more than %lld cells",
                     d->source, (long long)line, what.bytes, (long long)SMR_NET_MOST_CELLS));
    f->line = line;
    f->n_rows = rows;
    f->n_parents = n_parents;
    TRY_NEW(f->parent, n_parents);
    for (int64_t j = 0; j < n_parents; j++) f->parent[j] = parent[j];
    TRY_NEW(f->set, rows);
    TRY_NEW(f->p, rows * d->net.levels[node]);
out:
    smr_text_release(&what);
    return st;
}

/* ---- finishing -------------------------------------------------------------------------- */

static smr_status row_is_wrong(smr_ctx *ctx, const smr_net_draft *d, int64_t node, int64_t row,
                               const char *why, double value)
{
    const smr_net_family *f = &d->family[node];
    smr_text what = {.ctx = ctx};
    smr_net_say_row(&d->net, f->parent, f->n_parents, node, row, &what);
    smr_text_printf(&what, " %s", why);
    if (!isnan(value)) {
        smr_text_add(&what, " ");
        smr_text_rounded(&what, value, 10);
    }
    smr_status st = smr_text_done(&what);
    if (st == SMR_OK)
        st =
            smr_fail(ctx, SMR_ERR_FORMAT, "%s:%lld: %s", d->source, (long long)f->line, what.bytes);
    smr_text_release(&what);
    return st;
}

static smr_status check_rows(smr_ctx *ctx, smr_net_draft *d, int64_t node)
{
    smr_net_family *f = &d->family[node];
    int64_t r = d->net.levels[node];
    for (int64_t row = 0; row < f->n_rows; row++) {
        double sum = 0, *p = f->p + row * r;
        if (!f->set[row]) return row_is_wrong(ctx, d, node, row, "is not given", NAN);
        for (int64_t k = 0; k < r; k++) {
            if (!(p[k] >= 0 && p[k] <= 1 + 1e-3))
                return row_is_wrong(ctx, d, node, row,
                                    "has a probability that is not in 0 .. 1:", p[k]);
            sum += p[k];
        }
        if (!(fabs(sum - 1) <= 1e-3))
            return row_is_wrong(ctx, d, node, row, "does not sum to 1 but to", sum);
        if (fabs(sum - 1) > 1e-9)
            for (int64_t k = 0; k < r; k++) p[k] /= sum;
    }
    return SMR_OK;
}

static smr_status check_variables(smr_ctx *ctx, smr_net_draft *d)
{
    smr_status st = SMR_OK;
    smr_text what = {.ctx = ctx};
    if (d->net.n == 0) TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s: there is no variable", d->source));
    for (int64_t i = 0; i < d->net.n; i++) {
        if (d->family[i].p && d->net.levels[i] > 0) continue;
        smr_net_say(&d->net, i, &what);
        TRY(smr_text_done(&what));
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s: variable '%s' has no %s", d->source, what.bytes,
                     d->net.levels[i] ? "table" : "levels"));
    }
    for (int64_t i = 0; i < d->net.n; i++) TRY(check_rows(ctx, d, i));
out:
    smr_text_release(&what);
    return st;
}

static smr_status refuse_cycle(smr_ctx *ctx, const smr_net_draft *d, const int32_t *node, int64_t n)
{
    smr_text what = {.ctx = ctx};
    for (int64_t k = 0; k <= n; k++) {
        if (k) smr_text_add(&what, " -> ");
        smr_net_say(&d->net, node[k % n], &what);
    }
    smr_status st = smr_text_done(&what);
    if (st == SMR_OK)
        st = smr_fail(ctx, SMR_ERR_FORMAT, "%s: the graph has a cycle: %.900s", d->source,
                      what.bytes);
    smr_text_release(&what);
    return st;
}

static smr_status join_families(smr_ctx *ctx, smr_net_draft *d)
{
    smr_status st = SMR_OK;
    smr_network *net = &d->net;
    int64_t n = net->n, cells = 0, n_cycle = 0;
    TRY_NEW(net->start, n + 1);
    TRY_NEW(net->at, n + 1);
    TRY_NEW(net->order, n);
    for (int64_t i = 0; i < n; i++) {
        net->start[i + 1] = net->start[i] + d->family[i].n_parents;
        net->at[i + 1] = cells += d->family[i].n_rows * net->levels[i];
    }
    TRY_NEW(net->parent, net->start[n]);
    TRY_NEW(net->p, cells);
    for (int64_t i = 0; i < n; i++) {
        const smr_net_family *f = &d->family[i];
        for (int64_t j = 0; j < f->n_parents; j++) net->parent[net->start[i] + j] = f->parent[j];
        memcpy(net->p + net->at[i], f->p, (size_t)(f->n_rows * net->levels[i]) * sizeof *f->p);
    }
    smr_dag dag = smr_net_dag(net);
    TRY(smr_dag_order(ctx, &dag, net->order, &n_cycle));
    if (n_cycle) TRY(refuse_cycle(ctx, d, net->order, n_cycle));
out:
    return st;
}

smr_status smr_draft_finish(smr_ctx *ctx, smr_net_draft *d, smr_network *out)
{
    smr_status st = SMR_OK;
    TRY(check_variables(ctx, d));
    TRY(join_families(ctx, d));
    for (int64_t i = 0; i < d->net.n; i++) {
        smr_free(d->family[i].parent);
        smr_free(d->family[i].p);
        smr_free(d->family[i].set);
    }
    smr_free(d->family);
    d->family = NULL;
    *out = d->net;
    d->net = (smr_network){0};
out:
    return st;
}
