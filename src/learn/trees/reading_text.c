/* reading_text.c -- a tree as indented lines, and as a graph for graphviz.
 *
 * Both go through the nodes that are shown in the order of reading, without recursion: the depth of
 * a tree is bounded by its nodes only.  Lines deeper than MOST_BARS say their depth instead of
 * being indented further, so that n lines never take n^2 bytes. */
#include "learn/trees/reading.h"

enum { MOST_BARS = 40 };

/* ---- in the order of reading ------------------------------------------------------------ */

typedef void (*visit_fn)(void *arg, int64_t node);

/* Calls `visit` for every node that is shown, parents first, children in their order; `leave` for
 * every inner one after what lies below it. */
static void walk(const smr_reading *r, const bool *shown, visit_fn visit, visit_fn leave, void *arg)
{
    int64_t at = 0;
    visit(arg, 0);
    while (at >= 0) {
        smr_tree_node node = smr_reading_node(r, at);
        int64_t next = -1;
        for (int64_t k = 0; k < node.n_children && next < 0; k++)
            if (shown[node.child + k]) next = node.child + k;
        while (next < 0 && at >= 0) { /* up, until there is a sibling to the right */
            if (r->below[at] > 0) leave(arg, at);
            int64_t parent = r->parent[at];
            if (parent < 0) return;
            smr_tree_node above = smr_reading_node(r, parent);
            for (int64_t k = r->nth[at] + 1; k < above.n_children && next < 0; k++)
                if (shown[above.child + k]) next = above.child + k;
            at = parent;
        }
        if (next >= 0) visit(arg, next);
        at = next;
    }
}

/* ---- lines ------------------------------------------------------------------------------ */

struct lines {
    const smr_reading *r;
    const bool *shown;
    smr_json *into;
    smr_text line;
};

static void indent(struct lines *l, int64_t depth)
{
    l->line.length = 0;
    for (int64_t k = 0; k < SMR_MIN(depth, MOST_BARS); k++) smr_text_add(&l->line, "|  ");
    if (depth > MOST_BARS) smr_text_printf(&l->line, "(depth %lld) ", (long long)depth);
}

static void end_line(struct lines *l)
{
    if (smr_text_done(&l->line) == SMR_OK)
        smr_json_add_bytes(l->into, NULL, l->line.bytes, l->line.length);
}

/* Is nothing shown below an inner node? */
static bool hides_all(const struct lines *l, int64_t node)
{
    return smr_reading_hidden(l->r, l->shown, node) == l->r->below[node];
}

static void add_line(void *arg, int64_t node)
{
    struct lines *l = arg;
    const smr_reading *r = l->r;
    bool root = node == 0, leaf = r->below[node] == 0;
    indent(l, SMR_MAX(0, r->depth[node] - 1));
    if (!root) smr_say_answer(r, r->parent[node], r->nth[node], &l->line);
    if (leaf) {
        smr_text_add(&l->line, root ? "-> " : " -> ");
        smr_say_what(r, node, &l->line);
    }
    if (!root || leaf) smr_text_add(&l->line, "  (");
    smr_say_counts(r, node, leaf, &l->line);
    if (!root || leaf) smr_text_add(&l->line, ")");
    if (!leaf && hides_all(l, node))
        smr_text_printf(&l->line, "  ... %lld more node%s", (long long)r->below[node],
                        smr_plural(r->below[node], "", "s"));
    end_line(l);
}

static void add_rest(void *arg, int64_t node)
{
    struct lines *l = arg;
    int64_t hidden = smr_reading_hidden(l->r, l->shown, node);
    if (hidden == 0 || hidden == l->r->below[node]) return;
    indent(l, l->r->depth[node]);
    smr_text_printf(&l->line, "... %lld more node%s", (long long)hidden,
                    smr_plural(hidden, "", "s"));
    end_line(l);
}

smr_status smr_reading_text(smr_ctx *ctx, const smr_reading *r, smr_reading_limits limits,
                            smr_json *into)
{
    smr_status st = SMR_OK;
    bool *shown = NULL;
    struct lines l = {.r = r, .into = into, .line = {.ctx = ctx}};
    if (!into) return SMR_ERR_NOMEM;
    TRY(smr_reading_choose(ctx, r, limits, &shown));
    l.shown = shown;
    walk(r, shown, add_line, add_rest, &l);
    TRY(smr_text_done(&l.line));
    st = smr_json_done(into->doc);
out:
    smr_text_release(&l.line);
    smr_free(shown);
    return st;
}

/* ---- DOT -------------------------------------------------------------------------------- */

struct graph {
    const smr_reading *r;
    const bool *shown;
    smr_text *out;
    smr_text words;
};

/* Adds the words to a quoted string of DOT, in which only quotes and backslashes mean something. */
static void add_words(struct graph *g)
{
    for (int64_t i = 0; i < g->words.length; i++) {
        char c = g->words.bytes[i];
        if (c == '"' || c == '\\') smr_text_add_bytes(g->out, "\\", 1);
        smr_text_add_bytes(g->out, &c, 1);
    }
    if (g->words.failed) g->out->failed = true;
    g->words.length = 0;
}

static void add_node(void *arg, int64_t node)
{
    struct graph *g = arg;
    const smr_reading *r = g->r;
    bool leaf = r->below[node] == 0;
    smr_text_printf(g->out, "  n%lld [label=\"", (long long)node);
    if (leaf)
        smr_say_what(r, node, &g->words);
    else
        smr_say_question(r, node, &g->words);
    add_words(g);
    smr_text_add(g->out, "\\n");
    smr_say_counts(r, node, leaf, &g->words);
    add_words(g);
    smr_text_add(g->out, leaf ? "\", style=\"rounded,bold\"];\n" : "\"];\n");
    if (node == 0) return;
    smr_text_printf(g->out, "  n%lld -> n%lld [label=\"", (long long)r->parent[node],
                    (long long)node);
    smr_say_edge(r, node, &g->words);
    add_words(g);
    smr_text_add(g->out, "\"];\n");
}

static void add_mark(void *arg, int64_t node)
{
    struct graph *g = arg;
    long long hidden = (long long)smr_reading_hidden(g->r, g->shown, node), n = (long long)node;
    if (hidden == 0) return;
    smr_text_printf(g->out,
                    "  m%lld [label=\"... %lld more node%s\", shape=plaintext];\n"
                    "  n%lld -> m%lld [style=dashed];\n",
                    n, hidden, smr_plural(hidden, "", "s"), n, n);
}

smr_status smr_reading_dot(smr_ctx *ctx, const smr_reading *r, smr_reading_limits limits,
                           smr_text *out)
{
    smr_status st = SMR_OK;
    bool *shown = NULL;
    struct graph g = {.r = r, .out = out, .words = {.ctx = ctx}};
    TRY(smr_reading_choose(ctx, r, limits, &shown));
    g.shown = shown;
    smr_text_add(out, "digraph tree {\n"
                      "  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n"
                      "  edge [fontname=\"sans-serif\"];\n");
    walk(r, shown, add_node, add_mark, &g);
    smr_text_add(out, "}\n");
    st = smr_text_done(out);
out:
    smr_text_release(&g.words);
    smr_free(shown);
    return st;
}
