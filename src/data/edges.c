/* edges.c -- see edges.h. */
#include "data/edges.h"

#include "core/number.h"
#include "data/file.h"

#include <math.h>
#include <string.h>

enum { FIELDS = 3 };

/* A file under way, line by line. */
struct lines {
    const char *path;
    const char *at, *end;
    int64_t number; /* of the line */
    int n;
    const char *field[FIELDS + 1];
    int64_t length[FIELDS + 1];
};

static bool is_apart(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r';
}

/* The next line that holds fields; false at the end. */
static bool next_line(struct lines *l)
{
    while (l->at < l->end) {
        const char *stop = memchr(l->at, '\n', (size_t)(l->end - l->at)), *p = l->at;
        if (!stop) stop = l->end;
        l->at = stop + 1;
        l->number++;
        l->n = 0;
        while (p < stop && is_apart(*p)) p++;
        if (p == stop || *p == '#' || *p == '%') continue;
        while (p < stop && l->n <= FIELDS) {
            const char *from = p;
            while (p < stop && !is_apart(*p)) p++;
            l->field[l->n] = from;
            l->length[l->n++] = p - from;
            while (p < stop && is_apart(*p)) p++;
        }
        return true;
    }
    return false;
}

static struct lines lines_of(const char *path, const char *bytes, int64_t n)
{
    bool mark = n >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3);
    return (struct lines){.path = path, .at = bytes + (mark ? 3 : 0), .end = bytes + n};
}

static smr_status read_whole(smr_ctx *ctx, const char *path, char **bytes, int64_t *n)
{
    smr_status st = SMR_OK;
    smr_source *source = NULL;
    *bytes = NULL;
    TRY(smr_source_open(ctx, path, &source));
    TRY(smr_source_whole(ctx, source, INT64_MAX / 4, bytes, n));
out:
    smr_source_close(source);
    return st;
}

static bool is_word(const struct lines *l, int k, const char *word)
{
    return l->length[k] == (int64_t)strlen(word) &&
           !memcmp(l->field[k], word, (size_t)l->length[k]);
}

/* Do the fields name columns? */
static bool is_header(const struct lines *l)
{
    static const char *const words[][2] = {
        {"from", "to"}, {"source", "target"}, {"src", "dst"}, {"node1", "node2"}};
    if (l->n == FIELDS && (is_word(l, 2, "weight") || is_word(l, 2, "w"))) return true;
    for (int64_t k = 0; k < SMR_COUNT(words) && l->n >= 2; k++)
        if (is_word(l, 0, words[k][0]) && is_word(l, 1, words[k][1])) return true;
    return false;
}

static smr_status read_edge(smr_ctx *ctx, const struct lines *l, smr_edges *e)
{
    smr_status st = SMR_OK;
    double w = 1;
    if (l->n < 2 || l->n > FIELDS)
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "%s:%lld: an edge has two nodes, and may have a weight; here %s", l->path,
                     (long long)l->number, l->n < 2 ? "is one word" : "are more than three words"));
    if (l->n == FIELDS &&
        smr_parse_double(l->field[2], l->field[2] + l->length[2], &w) != l->field[2] + l->length[2])
        TRY(smr_fail(ctx, SMR_ERR_DATA, "%s:%lld: the weight '%.*s' is not a number", l->path,
                     (long long)l->number, (int)SMR_MIN(l->length[2], 60), l->field[2]));
    if (!(w > 0 && w < INFINITY))
        TRY(smr_fail(
            ctx, SMR_ERR_DATA,
            "%s:%lld: the weight of an edge is a number above 0, not %.*s; leave out edges "
            "that are none",
            l->path, (long long)l->number, (int)SMR_MIN(l->length[2], 60), l->field[2]));
    if (e->nodes.strings.n >= SMR_MAX_DIM - 2)
        TRY(smr_fail(ctx, SMR_ERR_SHAPE, "%s has too many nodes", l->path));
    TRY(smr_vocab_add(ctx, &e->nodes, l->field[0], l->length[0], &e->a[e->n]));
    TRY(smr_vocab_add(ctx, &e->nodes, l->field[1], l->length[1], &e->b[e->n]));
    e->weight[e->n++] = w;
out:
    return st;
}

smr_status smr_edges_parse(smr_ctx *ctx, const char *name, const char *bytes, int64_t n,
                           smr_edges *out)
{
    smr_status st = SMR_OK;
    struct lines l = lines_of(name, bytes, n);
    int64_t most = 1;
    bool first = true;
    *out = (smr_edges){0};
    for (const char *p = l.at; p < l.end; p++) most += *p == '\n';
    TRY_NEW(out->a, most);
    TRY_NEW(out->b, most);
    TRY_NEW(out->weight, most);
    for (; next_line(&l); first = false) {
        if (first && is_header(&l)) continue;
        TRY(read_edge(ctx, &l, out));
    }
    if (out->n == 0) st = smr_fail(ctx, SMR_ERR_DATA, "%s has no edges", name);
out:
    if (st != SMR_OK) smr_edges_release(out);
    return st;
}

smr_status smr_edges_read(smr_ctx *ctx, const char *path, smr_edges *out)
{
    char *bytes;
    int64_t n = 0;
    *out = (smr_edges){0};
    smr_status st = read_whole(ctx, path, &bytes, &n);
    if (st == SMR_OK) st = smr_edges_parse(ctx, path, bytes, n, out);
    smr_free(bytes);
    return st;
}

void smr_edges_release(smr_edges *e)
{
    smr_vocab_release(&e->nodes);
    smr_free(e->a);
    smr_free(e->b);
    smr_free(e->weight);
    *e = (smr_edges){0};
}

smr_status smr_edges_parse_labels(smr_ctx *ctx, const char *path, const char *bytes, int64_t n,
                                  const smr_vocab *nodes, smr_vocab *groups, int32_t *label)
{
    smr_status st = SMR_OK;
    struct lines l = lines_of(path, bytes, n);
    int64_t length;
    bool first = true;
    for (int64_t i = 0; i < nodes->strings.n; i++) label[i] = -1;
    for (; next_line(&l); first = false) {
        int32_t node = smr_vocab_find(nodes, l.field[0], l.length[0]);
        int shown = (int)SMR_MIN(l.length[0], 60);
        if (first && (is_header(&l) ||
                      (node < 0 && l.n == 2 && l.length[0] == 4 && !memcmp(l.field[0], "node", 4))))
            continue;
        if (l.n != 2)
            TRY(smr_fail(ctx, SMR_ERR_DATA, "%s:%lld: a line has a node and its group", path,
                         (long long)l.number));
        if (node < 0)
            TRY(smr_fail(ctx, SMR_ERR_DATA, "%s:%lld: the graph has no node '%.*s'", path,
                         (long long)l.number, shown, l.field[0]));
        if (label[node] >= 0)
            TRY(smr_fail(ctx, SMR_ERR_DATA, "%s:%lld: node '%.*s' has a group already", path,
                         (long long)l.number, shown, l.field[0]));
        TRY(smr_vocab_add(ctx, groups, l.field[1], l.length[1], &label[node]));
    }
    for (int64_t i = 0; i < nodes->strings.n; i++) {
        if (label[i] >= 0) continue;
        const char *name = smr_strings_get(&nodes->strings, i, &length);
        TRY(smr_fail(ctx, SMR_ERR_DATA, "%s: node '%.*s' of the graph has no group", path,
                     (int)SMR_MIN(length, 60), name));
    }
out:
    return st;
}

smr_status smr_edges_read_labels(smr_ctx *ctx, const char *path, const smr_vocab *nodes,
                                 smr_vocab *groups, int32_t *label)
{
    char *bytes;
    int64_t n = 0;
    smr_status st = read_whole(ctx, path, &bytes, &n);
    if (st == SMR_OK) st = smr_edges_parse_labels(ctx, path, bytes, n, nodes, groups, label);
    smr_free(bytes);
    return st;
}
