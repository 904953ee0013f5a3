/* network_bif.c -- the Bayesian interchange format (BIF 0.15).
 *
 *     network NAME { property ... ; }
 *     variable NAME { type discrete [ 2 ] { yes, no }; property ... ; }
 *     probability ( NAME | PARENT, PARENT ) {
 *         table 0.1, 0.9;          all cells: the level of NAME changes slowest, the last parent's
 *                                  fastest
 *         (yes, no) 0.1, 0.9;      one row
 *         default 0.5, 0.5;        the rows that are not named
 *     }
 *
 * Commas may be left out, and names may be quoted; in files of the 1990s the first name of a list
 * without a bar is the child, and some write '= {' before levels and '};' after blocks.  Properties
 * are skipped.  Reference: Cozman, The interchange format
 * for Bayesian networks, 1998. */
#include "learn/graphical/network_scan.h"

#include "core/number.h"

#include <string.h>

struct reading {
    smr_net_scan s;
    smr_net_draft d;
};

static bool is_word(const smr_net_scan *s, const char *word)
{
    return s->word.length == (int64_t)strlen(word) &&
           memcmp(s->word.bytes, word, (size_t)s->word.length) == 0;
}

static smr_status need(smr_ctx *ctx, smr_net_scan *s, char sign, const char *what)
{
    return smr_scan_sign(s, sign) ? SMR_OK : smr_scan_fail(ctx, s, what);
}

/* A property, to its semicolon; a quoted part may hold one. */
static smr_status skip_property(smr_ctx *ctx, smr_net_scan *s)
{
    bool quoted = false;
    for (; s->p < s->end; s->p++) {
        s->line += *s->p == '\n';
        quoted ^= *s->p == '"';
        if (*s->p == ';' && !quoted) {
            s->p++;
            return SMR_OK;
        }
    }
    return smr_scan_fail(ctx, s, "';' at the end of a property");
}

static smr_status read_network(smr_ctx *ctx, struct reading *r)
{
    smr_status st = SMR_OK;
    smr_net_scan *s = &r->s;
    TRY(smr_scan_name(ctx, s, "the name of the network"));
    smr_free(r->d.net.name);
    r->d.net.name = smr_strdup(ctx, s->word.bytes);
    if (!r->d.net.name) TRY(SMR_ERR_NOMEM);
    TRY(need(ctx, s, '{', "'{' after the name of the network"));
    while (!smr_scan_sign(s, '}')) {
        TRY(smr_scan_name(ctx, s, "'property' or '}'"));
        TRY(skip_property(ctx, s));
    }
out:
    return st;
}

static smr_status read_levels(smr_ctx *ctx, struct reading *r, int64_t node)
{
    smr_status st = SMR_OK;
    smr_net_scan *s = &r->s;
    int64_t said = -1;
    TRY(smr_scan_name(ctx, s, "'discrete'"));
    if (!is_word(s, "discrete"))
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                     "%s:%lld: a variable of type '%s'; only 'discrete' can be read", s->source,
                     (long long)s->line, s->word.bytes));
    TRY(need(ctx, s, '[', "'[' and the number of levels"));
    smr_scan_blanks(s);
    const char *next = smr_parse_int(s->p, s->end, &said);
    if (!next || said < 1) TRY(smr_scan_fail(ctx, s, "the number of levels"));
    s->p = next;
    TRY(need(ctx, s, ']', "']'"));
    smr_scan_sign(s, '=');
    TRY(need(ctx, s, '{', "'{' and the levels"));
    while (!smr_scan_sign(s, '}')) {
        TRY(smr_scan_name(ctx, s, "a level or '}'"));
        TRY(smr_draft_level(ctx, &r->d, s->line, node, s->word.bytes, s->word.length));
        smr_scan_sign(s, ',');
    }
    if (r->d.net.levels[node] != said)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s:%lld: %lld levels are announced and %lld listed",
                     s->source, (long long)s->line, (long long)said,
                     (long long)r->d.net.levels[node]));
    TRY(need(ctx, s, ';', "';' after the levels"));
out:
    return st;
}

static smr_status read_variable(smr_ctx *ctx, struct reading *r)
{
    smr_status st = SMR_OK;
    smr_net_scan *s = &r->s;
    int64_t node;
    TRY(smr_scan_name(ctx, s, "the name of a variable"));
    TRY(smr_draft_variable(ctx, &r->d, s->line, s->word.bytes, s->word.length, &node));
    TRY(need(ctx, s, '{', "'{' after the name of the variable"));
    while (!smr_scan_sign(s, '}')) {
        TRY(smr_scan_name(ctx, s, "'type', 'property' or '}'"));
        if (is_word(s, "type"))
            TRY(read_levels(ctx, r, node));
        else if (is_word(s, "property"))
            TRY(skip_property(ctx, s));
        else
            TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s:%lld: '%s' in a variable", s->source,
                         (long long)s->line, s->word.bytes));
    }
out:
    return st;
}

/* ---- tables ----------------------------------------------------------------------------- */

/* All cells, the child's level slowest. */
static smr_status read_table(smr_ctx *ctx, struct reading *r, int64_t node)
{
    smr_status st = SMR_OK;
    smr_net_family *f = &r->d.family[node];
    int64_t levels = r->d.net.levels[node];
    for (int64_t k = 0; k < levels; k++)
        for (int64_t row = 0; row < f->n_rows; row++) {
            TRY(smr_scan_number(ctx, &r->s, &f->p[row * levels + k]));
            f->set[row] = true;
            smr_scan_sign(&r->s, ',');
        }
out:
    return st;
}

/* After '(': the levels of the parents, and a row. */
static smr_status read_row(smr_ctx *ctx, struct reading *r, int64_t node)
{
    smr_status st = SMR_OK;
    smr_net_family *f = &r->d.family[node];
    int64_t row = 0, level, levels = r->d.net.levels[node];
    for (int64_t j = 0; j < f->n_parents; j++) {
        TRY(smr_scan_level(ctx, &r->s, &r->d.net, f->parent[j], &level));
        row = row * r->d.net.levels[f->parent[j]] + level;
        smr_scan_sign(&r->s, ',');
    }
    TRY(need(ctx, &r->s, ')', "')' after the levels of the parents"));
    if (f->set[row])
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s:%lld: this row of the table is there twice",
                     r->s.source, (long long)r->s.line));
    TRY(smr_scan_row(ctx, &r->s, levels, f->p + row * levels));
    f->set[row] = true;
out:
    return st;
}

static smr_status read_default(smr_ctx *ctx, struct reading *r, int64_t node, double *rest,
                               bool *has_rest)
{
    smr_status st = SMR_OK;
    TRY(smr_scan_row(ctx, &r->s, r->d.net.levels[node], rest));
    *has_rest = true;
out:
    return st;
}

static smr_status read_entries(smr_ctx *ctx, struct reading *r, int64_t node)
{
    smr_status st = SMR_OK;
    smr_net_scan *s = &r->s;
    int64_t levels = r->d.net.levels[node];
    bool has_rest = false;
    double *rest = NULL;
    TRY_NEW(rest, levels);
    while (!smr_scan_sign(s, '}')) {
        if (smr_scan_sign(s, '(')) {
            TRY(read_row(ctx, r, node));
        } else {
            TRY(smr_scan_name(ctx, s, "'table', 'default', a row or '}'"));
            if (is_word(s, "property")) {
                TRY(skip_property(ctx, s));
                continue;
            }
            if (is_word(s, "table"))
                TRY(read_table(ctx, r, node));
            else if (is_word(s, "default"))
                TRY(read_default(ctx, r, node, rest, &has_rest));
            else
                TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s:%lld: '%s' in a table", s->source,
                             (long long)s->line, s->word.bytes));
        }
        TRY(need(ctx, s, ';', "';' after probabilities"));
    }
    smr_net_family *f = &r->d.family[node];
    for (int64_t row = 0; has_rest && row < f->n_rows; row++) {
        if (f->set[row]) continue;
        f->set[row] = true;
        memcpy(f->p + row * levels, rest, (size_t)levels * sizeof *rest);
    }
out:
    smr_free(rest);
    return st;
}

static smr_status read_probability(smr_ctx *ctx, struct reading *r)
{
    smr_status st = SMR_OK;
    smr_net_scan *s = &r->s;
    int32_t *parent = NULL;
    int64_t n = 0, node, one;
    TRY_NEW(parent, r->d.net.n);
    TRY(need(ctx, s, '(', "'(' after probability"));
    TRY(smr_scan_variable(ctx, s, &r->d.net, &node));
    smr_scan_sign(s, '|');
    while (!smr_scan_sign(s, ')')) {
        TRY(smr_scan_variable(ctx, s, &r->d.net, &one));
        if (n == r->d.net.n) TRY(smr_scan_fail(ctx, s, "fewer parents"));
        parent[n++] = (int32_t)one;
        smr_scan_sign(s, ',');
    }
    TRY(smr_draft_family(ctx, &r->d, s->line, node, n, parent));
    TRY(need(ctx, s, '{', "'{' and the table"));
    TRY(read_entries(ctx, r, node));
out:
    smr_free(parent);
    return st;
}

smr_status smr_net_read_bif(smr_ctx *ctx, const char *source, const char *text, int64_t length,
                            smr_network *out)
{
    smr_status st = SMR_OK;
    struct reading r = {
        .s = {.p = text, .end = text + length, .source = source, .line = 1, .bif = true},
        .d = {.source = source}};
    smr_net_scan *s = &r.s;
    s->word.ctx = ctx;
    for (smr_scan_blanks(s); s->p < s->end; smr_scan_blanks(s)) {
        if (smr_scan_sign(s, ';')) continue;
        TRY(smr_scan_name(ctx, s, "'network', 'variable' or 'probability'"));
        if (is_word(s, "network"))
            TRY(read_network(ctx, &r));
        else if (is_word(s, "variable"))
            TRY(read_variable(ctx, &r));
        else if (is_word(s, "probability"))
            TRY(read_probability(ctx, &r));
        else
            TRY(smr_fail(ctx, SMR_ERR_FORMAT,
                         "%s:%lld: expected 'network', 'variable' or 'probability', found '%.40s'",
                         s->source, (long long)s->line, s->word.bytes));
    }
    TRY(smr_draft_finish(ctx, &r.d, out));
out:
    smr_text_release(&r.s.word);
    smr_draft_release(&r.d);
    return st;
}

/* ---- writing ---------------------------------------------------------------------------- */

/* Letters, digits, '_' and '-' are bare; all else is quoted. */
static void write_word(const char *name, int64_t length, smr_text *out)
{
    bool bare = length > 0;
    for (int64_t k = 0; k < length; k++)
        bare = bare && ((name[k] >= 'a' && name[k] <= 'z') || (name[k] >= 'A' && name[k] <= 'Z') ||
                        (name[k] >= '0' && name[k] <= '9') || name[k] == '_' || name[k] == '-');
    if (!bare) smr_text_add(out, "\"");
    for (int64_t k = 0; k < length; k++) {
        if (name[k] == '"' || name[k] == '\\') smr_text_add(out, "\\");
        smr_text_add_bytes(out, name + k, 1);
    }
    if (!bare) smr_text_add(out, "\"");
}

static void write_name(const smr_strings *all, int64_t i, smr_text *out)
{
    int64_t length;
    const char *name = smr_strings_get(all, i, &length);
    write_word(name, length, out);
}

static void write_row(const smr_network *net, int64_t i, int64_t row, smr_text *out)
{
    for (int64_t k = 0; k < net->levels[i]; k++) {
        smr_text_add(out, k ? ", " : " ");
        smr_text_number(out, net->p[net->at[i] + row * net->levels[i] + k]);
    }
    smr_text_add(out, ";\n");
}

static void write_family(const smr_network *net, int64_t i, smr_text *out)
{
    int64_t n = net->start[i + 1] - net->start[i];
    const int32_t *parent = net->parent + net->start[i];
    int64_t rows = (net->at[i + 1] - net->at[i]) / net->levels[i];
    smr_text_add(out, "probability ( ");
    write_name(&net->names.strings, i, out);
    for (int64_t j = 0; j < n; j++) {
        smr_text_add(out, j ? ", " : " | ");
        write_name(&net->names.strings, parent[j], out);
    }
    smr_text_add(out, " ) {\n");
    for (int64_t row = 0; row < rows; row++) {
        int64_t below = rows;
        smr_text_add(out, n ? "  (" : "  table");
        for (int64_t j = 0; j < n; j++) {
            below /= net->levels[parent[j]];
            smr_text_add(out, j ? ", " : "");
            write_name(&net->level[parent[j]], row / below % net->levels[parent[j]], out);
        }
        smr_text_add(out, n ? ")" : "");
        write_row(net, i, row, out);
    }
    smr_text_add(out, "}\n");
}

void smr_net_write_bif(const smr_network *net, smr_text *out)
{
    const char *name = net->name ? net->name : "unknown";
    smr_text_add(out, "network ");
    write_word(name, (int64_t)strlen(name), out);
    smr_text_add(out, " {\n}\n");
    for (int64_t i = 0; i < net->n; i++) {
        smr_text_add(out, "variable ");
        write_name(&net->names.strings, i, out);
        smr_text_printf(out, " {\n  type discrete [ %lld ] { ", (long long)net->levels[i]);
        for (int64_t k = 0; k < net->levels[i]; k++) {
            smr_text_add(out, k ? ", " : "");
            write_name(&net->level[i], k, out);
        }
        smr_text_add(out, " };\n}\n");
    }
    for (int64_t i = 0; i < net->n; i++) write_family(net, i, out);
}
