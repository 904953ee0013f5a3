/* draw_layers.c -- a graph in layers (Sugiyama's method).
 *
 * 1. A node's layer is below those of all its parents, and as low as its children allow, so that
 *    edges are short.  2. An edge over several layers gets a place in each between.  3. Layers are
 * sorted by the mean position of the neighbours above, then below, some rounds; the order with
 * fewest crossings is kept.  4. Every node moves towards the mean of its neighbours, with the gaps
 * kept: the mean of pushing all to the left and all to the right keeps them too.
 * Reference: Sugiyama, Tagawa & Toda, IEEE Trans. Systems, Man & Cybernetics 11 (1981). */
#include "report/draw_parts.h"

#include <string.h>

enum { ROUNDS = 12, MOVES = 24 };

/* The links between neighbouring layers, and where everything is. */
struct sorting {
    struct layers *l;
    int64_t n_links;
    int32_t *above, *below; /* n_links                            */
    int64_t *first;         /* n_layers + 1: of `row`             */
    int32_t *row, *best;    /* n_all: members of layers, in order */
    int64_t *place;         /* n_all: in its layer                */
    double *wish;           /* n_all                              */
    double *left, *right;   /* n_all                              */
};

void smr_layers_release(struct layers *l)
{
    smr_free(l->layer);
    smr_free(l->x);
    smr_free(l->chain);
}

/* Parents before children; false: there is a cycle. */
static bool sort_nodes(const struct layers *l, int64_t *waits, int32_t *order)
{
    int64_t n = 0;
    for (int64_t e = 0; e < l->n_edges; e++) waits[l->to[e]]++;
    for (int64_t i = 0; i < l->n; i++)
        if (waits[i] == 0) order[n++] = (int32_t)i;
    for (int64_t k = 0; k < n; k++)
        for (int64_t e = 0; e < l->n_edges; e++)
            if (l->from[e] == order[k] && --waits[l->to[e]] == 0) order[n++] = l->to[e];
    return n == l->n;
}

static void set_layers(struct layers *l, const int32_t *order, int64_t *layer)
{
    for (int64_t k = 0; k < l->n; k++)
        for (int64_t e = 0; e < l->n_edges; e++)
            if (l->from[e] == order[k])
                layer[l->to[e]] = SMR_MAX(layer[l->to[e]], layer[order[k]] + 1);
    for (int64_t k = l->n - 1; k >= 0; k--) {
        int64_t least = INT64_MAX;
        for (int64_t e = 0; e < l->n_edges; e++)
            if (l->from[e] == order[k]) least = SMR_MIN(least, layer[l->to[e]] - 1);
        if (least < INT64_MAX) layer[order[k]] = least;
    }
    for (int64_t i = 0; i < l->n; i++) l->n_layers = SMR_MAX(l->n_layers, layer[i] + 1);
}

static smr_status find_layers(smr_ctx *ctx, struct layers *l)
{
    smr_status st = SMR_OK;
    int64_t *waits = NULL, *layer = NULL;
    int32_t *order = NULL;
    TRY_NEW(waits, l->n);
    TRY_NEW(order, l->n);
    TRY_NEW(layer, l->n);
    TRY_NEW(l->chain, l->n_edges + 1);
    if (!sort_nodes(l, waits, order))
        TRY(smr_fail(ctx, SMR_ERR_PARAM, "a figure of a graph cannot be drawn: it has a cycle"));
    set_layers(l, order, layer);
    for (int64_t e = 0; e < l->n_edges; e++)
        l->chain[e + 1] = l->chain[e] + layer[l->to[e]] - layer[l->from[e]] - 1;
    l->n_all = l->n + l->chain[l->n_edges];
    TRY_NEW(l->layer, l->n_all);
    TRY_NEW(l->x, l->n_all);
    memcpy(l->layer, layer, (size_t)l->n * sizeof *layer);
    for (int64_t e = 0; e < l->n_edges; e++)
        for (int64_t k = l->chain[e]; k < l->chain[e + 1]; k++)
            l->layer[l->n + k] = layer[l->from[e]] + 1 + k - l->chain[e];
out:
    smr_free(waits);
    smr_free(order);
    smr_free(layer);
    return st;
}

/* ---- order ------------------------------------------------------------------------------ */

static void add_links(struct sorting *s)
{
    const struct layers *l = s->l;
    for (int64_t e = 0; e < l->n_edges; e++) {
        int32_t at = l->from[e];
        for (int64_t k = l->chain[e]; k <= l->chain[e + 1]; k++) {
            int32_t next = k < l->chain[e + 1] ? (int32_t)(l->n + k) : l->to[e];
            s->above[s->n_links] = at;
            s->below[s->n_links++] = next;
            at = next;
        }
    }
}

static void number_places(struct sorting *s)
{
    for (int64_t d = 0; d < s->l->n_layers; d++)
        for (int64_t k = s->first[d]; k < s->first[d + 1]; k++)
            s->place[s->row[k]] = k - s->first[d];
}

static int64_t count_crossings(const struct sorting *s)
{
    int64_t n = 0;
    for (int64_t a = 0; a < s->n_links; a++)
        for (int64_t b = 0; b < a; b++) {
            if (s->l->layer[s->above[a]] != s->l->layer[s->above[b]]) continue;
            int64_t up = s->place[s->above[a]] - s->place[s->above[b]];
            int64_t down = s->place[s->below[a]] - s->place[s->below[b]];
            n += (up < 0 && down > 0) || (up > 0 && down < 0);
        }
    return n;
}

/* Sorts a layer by the mean place of the neighbours on one side; those without stay. */
static void sort_layer(struct sorting *s, int64_t d, bool by_above)
{
    for (int64_t k = s->first[d]; k < s->first[d + 1]; k++) {
        int32_t i = s->row[k];
        double sum = 0, n = 0;
        for (int64_t e = 0; e < s->n_links; e++) {
            if ((by_above ? s->below : s->above)[e] != i) continue;
            sum += (double)s->place[(by_above ? s->above : s->below)[e]];
            n++;
        }
        s->wish[i] = n > 0 ? sum / n : (double)s->place[i];
    }
    for (int64_t k = s->first[d] + 1; k < s->first[d + 1]; k++) {
        int32_t i = s->row[k];
        int64_t to = k;
        for (; to > s->first[d] && s->wish[s->row[to - 1]] > s->wish[i]; to--)
            s->row[to] = s->row[to - 1];
        s->row[to] = i;
    }
    number_places(s);
}

static void sort_layers(struct sorting *s)
{
    int64_t least = INT64_MAX, n = s->l->n_layers;
    for (int64_t round = 0; round <= ROUNDS; round++) {
        number_places(s);
        int64_t crossings = count_crossings(s);
        if (crossings < least) {
            least = crossings;
            memcpy(s->best, s->row, (size_t)s->l->n_all * sizeof *s->best);
        }
        for (int64_t d = 1; d < n && round % 2 == 0; d++) sort_layer(s, d, true);
        for (int64_t d = n - 2; d >= 0 && round % 2; d--) sort_layer(s, d, false);
    }
    memcpy(s->row, s->best, (size_t)s->l->n_all * sizeof *s->row);
    number_places(s);
}

/* ---- positions -------------------------------------------------------------------------- */

static double half(const struct layers *l, int64_t i)
{
    return i < l->n ? l->width[i] / 2 : 3;
}

/* Wishes, with the gaps kept: pushed to the right, pushed to the left, and the mean of both. */
static void spread(struct sorting *s, int64_t d, double gap)
{
    const struct layers *l = s->l;
    int64_t lo = s->first[d], hi = s->first[d + 1];
    for (int64_t k = lo; k < hi; k++) {
        int32_t i = s->row[k];
        s->right[i] = s->wish[i];
        if (k > lo)
            s->right[i] = smr_fmax(s->right[i], s->right[s->row[k - 1]] + half(l, i) + gap +
                                                    half(l, s->row[k - 1]));
    }
    for (int64_t k = hi - 1; k >= lo; k--) {
        int32_t i = s->row[k];
        s->left[i] = s->wish[i];
        if (k + 1 < hi)
            s->left[i] = smr_fmin(s->left[i], s->left[s->row[k + 1]] - half(l, i) - gap -
                                                  half(l, s->row[k + 1]));
    }
    for (int64_t k = lo; k < hi; k++)
        l->x[s->row[k]] = (s->left[s->row[k]] + s->right[s->row[k]]) / 2;
}

/* The mean of the neighbours of all in a layer. */
static void wish_all(struct sorting *s, int64_t d)
{
    const struct layers *l = s->l;
    for (int64_t k = s->first[d]; k < s->first[d + 1]; k++) {
        int32_t i = s->row[k];
        double sum = 0, n = 0;
        for (int64_t e = 0; e < s->n_links; e++) {
            if (s->above[e] != i && s->below[e] != i) continue;
            sum += l->x[s->above[e] == i ? s->below[e] : s->above[e]];
            n++;
        }
        s->wish[i] = n > 0 ? sum / n : l->x[i];
    }
}

static void move_all(struct sorting *s, double gap)
{
    struct layers *l = s->l;
    double least = 0;
    for (int64_t d = 0; d < l->n_layers; d++) {
        for (int64_t k = s->first[d]; k < s->first[d + 1]; k++) s->wish[s->row[k]] = 0;
        spread(s, d, gap);
    }
    for (int64_t round = 0; round < MOVES; round++)
        for (int64_t turn = 0; turn < l->n_layers; turn++) {
            int64_t d = round % 2 ? l->n_layers - 1 - turn : turn;
            wish_all(s, d);
            spread(s, d, gap);
        }
    for (int64_t i = 0; i < l->n_all; i++) least = smr_fmin(least, l->x[i] - half(l, i));
    for (int64_t i = 0; i < l->n_all; i++) {
        l->x[i] -= least;
        l->right = smr_fmax(l->right, l->x[i] + half(l, i));
    }
}

smr_status smr_layers_find(smr_ctx *ctx, double gap, struct layers *l)
{
    smr_status st = SMR_OK;
    struct sorting s = {.l = l};
    TRY(find_layers(ctx, l));
    TRY_NEW(s.above, l->n_edges + l->n_all);
    TRY_NEW(s.below, l->n_edges + l->n_all);
    TRY_NEW(s.first, l->n_layers + 1);
    TRY_NEW(s.row, l->n_all);
    TRY_NEW(s.best, l->n_all);
    TRY_NEW(s.place, l->n_all);
    TRY_NEW(s.wish, l->n_all);
    TRY_NEW(s.left, l->n_all);
    TRY_NEW(s.right, l->n_all);
    add_links(&s);
    for (int64_t d = 0, m = 0; d < l->n_layers; d++) {
        for (int64_t i = 0; i < l->n_all; i++)
            if (l->layer[i] == d) s.row[m++] = (int32_t)i;
        s.first[d + 1] = m;
    }
    sort_layers(&s);
    move_all(&s, gap);
out:
    smr_free(s.above);
    smr_free(s.below);
    smr_free(s.first);
    smr_free(s.row);
    smr_free(s.best);
    smr_free(s.place);
    smr_free(s.wish);
    smr_free(s.left);
    smr_free(s.right);
    return st;
}
