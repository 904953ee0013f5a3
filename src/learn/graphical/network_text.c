/* network_text.c -- samara's own form of a network, line by line.
 *
 *     file     := line*                     '#' begins a comment
 *     line     := "network" NAME
 *               | "variable" NAME ":" NAME ("," NAME)*            its levels
 *               | "P" "(" NAME ")" "=" row
 *               | "P" "(" NAME "|" NAME ("," NAME)* ")"           and lines of its table:
 *               | NAME ("," NAME)* ":" row                        levels of the parents
 *               | "*" ":" row                                     all combinations not named
 *     row      := NUMBER ("," NUMBER)*        one for each level; 1/3 is a number
 *     NAME     := characters except blanks and , : ; | ( ) { } [ ] = # " *, or "in quotes"
 *
 * A level that is called network, variable or P is quoted where a line begins with it. */
#include "learn/graphical/network_scan.h"

#include <string.h>

/* The family whose rows are being read. */
struct reading {
    smr_net_scan s;
    smr_net_draft d;
    int64_t node; /* -1: none */
    bool has_rest;
    int64_t rest_line;
    double *rest; /* the row of "*" */
};

static bool at_word(const smr_net_scan *s, const char *word)
{
    int64_t n = (int64_t)strlen(word);
    return s->end - s->p >= n && memcmp(s->p, word, (size_t)n) == 0 &&
           (s->end - s->p == n || !smr_scan_is_bare(s->p[n]));
}

/* The rows that no line named. */
static void fill_rest(struct reading *r)
{
    if (r->node < 0 || !r->has_rest) return;
    smr_net_family *f = &r->d.family[r->node];
    int64_t levels = r->d.net.levels[r->node];
    for (int64_t row = 0; row < f->n_rows; row++) {
        if (f->set[row]) continue;
        f->set[row] = true;
        memcpy(f->p + row * levels, r->rest, (size_t)levels * sizeof *f->p);
    }
}

static smr_status read_variable(smr_ctx *ctx, struct reading *r)
{
    smr_status st = SMR_OK;
    smr_net_scan *s = &r->s;
    int64_t node;
    TRY(smr_scan_name(ctx, s, "the name of a variable"));
    TRY(smr_draft_variable(ctx, &r->d, s->line, s->word.bytes, s->word.length, &node));
    if (!smr_scan_sign(s, ':')) TRY(smr_scan_fail(ctx, s, "':' and the levels of the variable"));
    do {
        TRY(smr_scan_name(ctx, s, "a level"));
        TRY(smr_draft_level(ctx, &r->d, s->line, node, s->word.bytes, s->word.length));
    } while (smr_scan_sign(s, ','));
out:
    return st;
}

/* After "P": the family, and its only row if it has no parents. */
static smr_status read_family(smr_ctx *ctx, struct reading *r)
{
    smr_status st = SMR_OK;
    smr_net_scan *s = &r->s;
    int32_t *parent = NULL;
    int64_t n = 0, node, one;
    TRY_NEW(parent, r->d.net.n);
    if (!smr_scan_sign(s, '(')) TRY(smr_scan_fail(ctx, s, "'(' after P"));
    TRY(smr_scan_variable(ctx, s, &r->d.net, &node));
    if (smr_scan_sign(s, '|')) do {
            TRY(smr_scan_variable(ctx, s, &r->d.net, &one));
            if (n == r->d.net.n) TRY(smr_scan_fail(ctx, s, "fewer parents"));
            parent[n++] = (int32_t)one;
        } while (smr_scan_sign(s, ','));
    if (!smr_scan_sign(s, ')')) TRY(smr_scan_fail(ctx, s, n ? "',' or ')'" : "'|' or ')'"));
    TRY(smr_draft_family(ctx, &r->d, s->line, node, n, parent));
    if (n == 0) {
        if (!smr_scan_sign(s, '=')) TRY(smr_scan_fail(ctx, s, "'=' and probabilities"));
        TRY(smr_scan_row(ctx, s, r->d.net.levels[node], r->d.family[node].p));
        r->d.family[node].set[0] = true;
    }
    fill_rest(r);
    r->node = n ? node : -1;
    r->has_rest = false;
    smr_free(r->rest);
    r->rest = NULL;
    TRY_NEW(r->rest, r->d.net.levels[node]);
out:
    smr_free(parent);
    return st;
}

static smr_status read_row(smr_ctx *ctx, struct reading *r)
{
    smr_status st = SMR_OK;
    smr_net_scan *s = &r->s;
    int64_t row = 0, level;
    if (r->node < 0)
        return smr_scan_fail(ctx, s, "'variable NAME: LEVEL, LEVEL' or 'P(NAME | PARENT)'");
    smr_net_family *f = &r->d.family[r->node];
    int64_t levels = r->d.net.levels[r->node];
    bool rest = smr_scan_sign(s, '*');
    for (int64_t j = 0; !rest && j < f->n_parents; j++) {
        if (j && !smr_scan_sign(s, ',')) TRY(smr_scan_fail(ctx, s, "',' and the next level"));
        TRY(smr_scan_level(ctx, s, &r->d.net, f->parent[j], &level));
        row = row * r->d.net.levels[f->parent[j]] + level;
    }
    if (!smr_scan_sign(s, ':')) TRY(smr_scan_fail(ctx, s, "':' and probabilities"));
    if (rest ? r->has_rest : f->set[row])
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s:%lld: this row of the table is there twice",
                     s->source, (long long)s->line));
    TRY(smr_scan_row(ctx, s, levels, rest ? r->rest : f->p + row * levels));
    if (rest)
        r->has_rest = true;
    else
        f->set[row] = true;
out:
    return st;
}

static smr_status read_line(smr_ctx *ctx, struct reading *r)
{
    smr_status st = SMR_OK;
    smr_net_scan *s = &r->s;
    if (at_word(s, "network")) {
        s->p += strlen("network");
        TRY(smr_scan_name(ctx, s, "the name of the network"));
        smr_free(r->d.net.name);
        r->d.net.name = smr_strdup(ctx, s->word.bytes);
        if (!r->d.net.name) TRY(SMR_ERR_NOMEM);
    } else if (at_word(s, "variable")) {
        s->p += strlen("variable");
        TRY(read_variable(ctx, r));
    } else if (at_word(s, "P")) {
        s->p++;
        TRY(read_family(ctx, r));
    } else {
        TRY(read_row(ctx, r));
    }
    if (!smr_scan_at_end(s)) TRY(smr_scan_fail(ctx, s, "the end of the line"));
out:
    return st;
}

smr_status smr_net_read_text(smr_ctx *ctx, const char *source, const char *text, int64_t length,
                             smr_network *out)
{
    smr_status st = SMR_OK;
    struct reading r = {.s = {.p = text, .end = text + length, .source = source, .line = 1},
                        .d = {.source = source},
                        .node = -1};
    r.s.word.ctx = ctx;
    while (smr_scan_line(&r.s)) TRY(read_line(ctx, &r));
    fill_rest(&r);
    TRY(smr_draft_finish(ctx, &r.d, out));
out:
    smr_text_release(&r.s.word);
    smr_free(r.rest);
    smr_draft_release(&r.d);
    return st;
}

/* ---- writing ---------------------------------------------------------------------------- */

void smr_net_write_name(const char *name, int64_t length, smr_text *out)
{
    static const char *const words[] = {"network", "variable", "P", "given"};
    bool bare = length > 0;
    for (int64_t i = 0; i < length; i++) bare = bare && smr_scan_is_bare(name[i]);
    for (int k = 0; k < SMR_COUNT(words); k++)
        if ((int64_t)strlen(words[k]) == length && memcmp(words[k], name, (size_t)length) == 0)
            bare = false;
    for (int64_t i = 0; i + 1 < length; i++) bare = bare && !(name[i] == '-' && name[i + 1] == '>');
    if (bare) {
        smr_text_add_bytes(out, name, length);
        return;
    }
    smr_text_add(out, "\"");
    for (int64_t i = 0; i < length; i++) {
        if (name[i] == '"' || name[i] == '\\') smr_text_add(out, "\\");
        smr_text_add_bytes(out, name + i, 1);
    }
    smr_text_add(out, "\"");
}

static void write_string(const smr_strings *all, int64_t i, smr_text *out)
{
    int64_t length;
    const char *name = smr_strings_get(all, i, &length);
    smr_net_write_name(name, length, out);
}

static void write_family(const smr_network *net, int64_t i, smr_text *out)
{
    int64_t n = net->start[i + 1] - net->start[i], levels = net->levels[i];
    const int32_t *parent = net->parent + net->start[i];
    int64_t rows = (net->at[i + 1] - net->at[i]) / levels;
    smr_text_add(out, "\nP(");
    write_string(&net->names.strings, i, out);
    for (int64_t j = 0; j < n; j++) {
        smr_text_add(out, j ? ", " : " | ");
        write_string(&net->names.strings, parent[j], out);
    }
    smr_text_add(out, n ? ")\n" : ") =");
    for (int64_t row = 0; row < rows; row++) {
        int64_t below = rows;
        for (int64_t j = 0; j < n; j++) {
            below /= net->levels[parent[j]];
            smr_text_add(out, j ? ", " : "  ");
            write_string(&net->level[parent[j]], row / below % net->levels[parent[j]], out);
        }
        smr_text_add(out, n ? ":" : "");
        for (int64_t k = 0; k < levels; k++) {
            smr_text_add(out, k ? ", " : " ");
            smr_text_number(out, net->p[net->at[i] + row * levels + k]);
        }
        smr_text_add(out, "\n");
    }
}

void smr_net_write_text(const smr_network *net, smr_text *out)
{
    if (net->name) {
        smr_text_add(out, "network ");
        smr_net_write_name(net->name, (int64_t)strlen(net->name), out);
        smr_text_add(out, "\n\n");
    }
    for (int64_t i = 0; i < net->n; i++) {
        smr_text_add(out, "variable ");
        write_string(&net->names.strings, i, out);
        for (int64_t k = 0; k < net->levels[i]; k++) {
            smr_text_add(out, k ? ", " : ": ");
            write_string(&net->level[i], k, out);
        }
        smr_text_add(out, "\n");
    }
    for (int64_t i = 0; i < net->n; i++) write_family(net, i, out);
}

void smr_net_write_edges(const smr_network *net, smr_text *out)
{
    bool some = false;
    for (int64_t i = 0; i < net->n; i++)
        for (int64_t e = net->start[i]; e < net->start[i + 1]; e++) {
            smr_text_add(out, some ? ", " : "");
            write_string(&net->names.strings, net->parent[e], out);
            smr_text_add(out, " -> ");
            write_string(&net->names.strings, i, out);
            some = true;
        }
}
