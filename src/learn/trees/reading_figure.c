/* reading_figure.c -- a tree as a figure of nodes (core/figure.h). */
#include "core/figure.h"
#include "learn/trees/reading.h"

#include <math.h>
#include <stdio.h>

/* Where a value lies among those of the tree: 0 .. 1; for parts of scores, which have a sign, -1 ..
 * 1. */
static double shade_of(const smr_reading *r, int64_t node, double low, double high)
{
    double v = r->value[node * r->width];
    if (r->view.says == SMR_SAYS_SCORES) {
        double most = smr_fmax(fabs(low), fabs(high));
        return most > 0 ? v / most : 0;
    }
    return high > low ? (v - low) / (high - low) : 0.5;
}

struct picture {
    const smr_reading *r;
    const bool *shown;
    double low, high; /* of the values of all nodes */
    smr_text line;
};

static void add_line(struct picture *p, smr_json *lines)
{
    if (smr_text_done(&p->line) == SMR_OK)
        smr_json_add_bytes(lines, NULL, p->line.bytes, p->line.length);
    p->line.length = 0;
}

static void add_node(struct picture *p, int64_t node, const int64_t *place, smr_json *list)
{
    const smr_reading *r = p->r;
    double rows = (double)r->view.trees->cover[r->first + node];
    double all = (double)r->view.trees->cover[r->first];
    bool leaf = r->below[node] == 0;
    smr_json *one = smr_json_add_object(list, NULL);
    if (node > 0) {
        smr_json_add_number(one, "parent", (double)place[r->parent[node]]);
        smr_say_edge(r, node, &p->line);
        if (smr_text_done(&p->line) == SMR_OK)
            smr_json_add_bytes(one, "edge", p->line.bytes, p->line.length);
        p->line.length = 0;
    }
    smr_json_add_number(one, "rows", rows);
    smr_json_add_number(one, "share", all > 0 ? rows / all : 0);
    smr_json_add_bool(one, "leaf", leaf);
    smr_json *lines = smr_json_add_array(one, "lines");
    if (leaf)
        smr_say_what(r, node, &p->line);
    else
        smr_say_question(r, node, &p->line);
    add_line(p, lines);
    smr_say_counts(r, node, leaf, &p->line);
    add_line(p, lines);
    if (r->view.says == SMR_SAYS_SHARES)
        smr_json_add_numbers(one, "bars", r->value + node * r->width, r->width);
    else if (r->width == 1)
        smr_json_add_number(one, "shade", shade_of(r, node, p->low, p->high));
    int64_t hidden = smr_reading_hidden(r, p->shown, node);
    if (hidden) smr_json_add_number(one, "more", (double)hidden);
}

static void add_classes(const smr_reading *r, smr_json *figure)
{
    if (r->view.says != SMR_SAYS_SHARES) return;
    smr_json *names = smr_json_add_array(figure, "classes");
    const smr_strings *classes = r->names.classes;
    for (int64_t k = 0; k < r->width; k++) {
        char other[32];
        int64_t length;
        snprintf(other, sizeof other, "class %lld", (long long)k);
        const char *name = classes && k < classes->n ? smr_strings_get(classes, k, &length) : other;
        if (name == other)
            smr_json_add_string(names, NULL, name);
        else
            smr_json_add_bytes(names, NULL, name, length);
    }
}

/* For many classes: whose score the tree is a part of. */
static void add_score(const smr_reading *r, smr_text *title)
{
    const smr_strings *classes = r->names.classes;
    int64_t n = r->view.trees->n_scores, length;
    if (r->width > 1 || n < 2 || !classes || classes->n != n) return;
    const char *name = smr_strings_get(classes, r->tree % n, &length);
    smr_text_add(title, ": score of ");
    smr_text_add_bytes(title, name, length);
}

smr_status smr_reading_figure(smr_ctx *ctx, const smr_reading *r, smr_reading_limits limits,
                              const char *name, smr_json *figures)
{
    smr_status st = SMR_OK;
    bool *shown = NULL;
    int64_t *place = NULL, n = 0;
    struct picture p = {.r = r, .low = INFINITY, .high = -INFINITY, .line = {.ctx = ctx}};
    smr_text title = {.ctx = ctx}, note = {.ctx = ctx};
    if (!figures) return SMR_ERR_NOMEM;
    TRY(smr_reading_choose(ctx, r, limits, &shown));
    TRY_NEW(place, r->n);
    p.shown = shown;
    for (int64_t i = 0; i < r->n; i++) {
        p.low = smr_fmin(p.low, r->value[i * r->width]);
        p.high = smr_fmax(p.high, r->value[i * r->width]);
        place[i] = n;
        n += shown[i];
    }
    smr_text_add(&title, "Tree");
    if (r->view.trees->n_trees > 1)
        smr_text_printf(&title, " %lld of %lld", (long long)r->tree,
                        (long long)r->view.trees->n_trees);
    add_score(r, &title);
    smr_text_add(&note, "The thicker a line, the more rows take that branch.");
    if (n < r->n)
        smr_text_printf(&note, " Drawn: %lld of %lld node%s.", (long long)n, (long long)r->n,
                        smr_plural(r->n, "", "s"));
    TRY(smr_text_done(&title));
    TRY(smr_text_done(&note));
    smr_json *figure = smr_figure_add(figures, name, title.bytes, note.bytes);
    add_classes(r, figure);
    smr_json *list = smr_json_add_array(figure, "tree");
    for (int64_t i = 0; i < r->n; i++)
        if (shown[i]) add_node(&p, i, place, list);
    TRY(smr_text_done(&p.line));
    st = smr_json_done(figures->doc);
out:
    smr_text_release(&p.line);
    smr_text_release(&title);
    smr_text_release(&note);
    smr_free(place);
    smr_free(shown);
    return st;
}
