/* arrow_make.h -- Arrow arrays for tests: exact copies of their buffers, and every release counted.
 *
 * A buffer is a malloc of just its bytes, freed by the release, so that a sanitizer sees reads past
 * its end and after the release.  arrow_done checks that each array and each schema was released
 * once. */
#ifndef SMR_TESTS_ARROW_MAKE_H
#define SMR_TESTS_ARROW_MAKE_H

#include <samara.h>

#include <stdlib.h>
#include <string.h>

enum { MADE_MOST = 4096, MADE_BUFFERS = 6 };

/* One array or schema; the record outlives it. */
struct record {
    int released;
    void *buffer[MADE_BUFFERS];
    void *children, *pointers, *dictionary, *list;
    int64_t n_children;
    char *name, *format;
};

static struct record records[MADE_MOST];
static int n_records;

static struct record *new_record(void)
{
    if (n_records == MADE_MOST) abort();
    records[n_records] = (struct record){0};
    return &records[n_records++];
}

static void free_record(struct record *r)
{
    for (int k = 0; k < MADE_BUFFERS; k++) free(r->buffer[k]);
    free(r->children);
    free(r->pointers);
    free(r->dictionary);
    free(r->list);
    free(r->name);
    free(r->format);
}

/* By the record, since tests spoil what the structs say. */
static void release_made_array(struct ArrowArray *a)
{
    struct record *r = a->private_data;
    struct ArrowArray **child = r->pointers, *dictionary = r->dictionary;
    if (r->released++) abort();
    for (int64_t j = 0; j < r->n_children; j++)
        if (child[j]->release) child[j]->release(child[j]);
    if (dictionary && dictionary->release) dictionary->release(dictionary);
    free_record(r);
    a->release = NULL;
}

static void release_made_schema(struct ArrowSchema *s)
{
    struct record *r = s->private_data;
    struct ArrowSchema **child = r->pointers, *dictionary = r->dictionary;
    if (r->released++) abort();
    for (int64_t j = 0; j < r->n_children; j++)
        if (child[j]->release) child[j]->release(child[j]);
    if (dictionary && dictionary->release) dictionary->release(dictionary);
    free_record(r);
    s->release = NULL;
}

struct buffer {
    const void *data;
    size_t bytes;
};

#define BUFFER(x) ((struct buffer){(x), sizeof(x)})
#define NO_BUFFER ((struct buffer){0})
/* A literal without its NUL. */
#define TEXT_BUFFER(x) ((struct buffer){(x), sizeof(x) - 1})

struct made {
    struct ArrowSchema schema;
    struct ArrowArray array;
};

static char *copy_text(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    if (!copy) abort();
    return memcpy(copy, text, strlen(text) + 1);
}

static struct ArrowSchema make_schema(const char *name, const char *format)
{
    struct record *r = new_record();
    r->name = name ? copy_text(name) : NULL;
    r->format = copy_text(format);
    return (struct ArrowSchema){.format = r->format,
                                .name = r->name,
                                .flags = ARROW_FLAG_NULLABLE,
                                .release = release_made_schema,
                                .private_data = r};
}

/* length values from the offset on; null_count -1: not known. */
static struct ArrowArray make_array(int64_t length, int64_t offset, int64_t null_count,
                                    int64_t n_buffers, const struct buffer *buffers)
{
    struct record *r = new_record();
    const void **list = calloc((size_t)n_buffers + 1, sizeof *list);
    if (!list) abort();
    r->list = list;
    for (int64_t k = 0; k < n_buffers && k < MADE_BUFFERS; k++) {
        if (!buffers[k].data) continue;
        r->buffer[k] = malloc(buffers[k].bytes ? buffers[k].bytes : 1);
        if (!r->buffer[k]) abort();
        if (buffers[k].bytes) memcpy(r->buffer[k], buffers[k].data, buffers[k].bytes);
        list[k] = r->buffer[k];
    }
    return (struct ArrowArray){.length = length,
                               .offset = offset,
                               .null_count = null_count,
                               .n_buffers = n_buffers,
                               .buffers = list,
                               .release = release_made_array,
                               .private_data = r};
}

#define MAKE(name, format, length, offset, nulls, ...)                                        \
    ((struct made){make_schema((name), (format)),                                             \
                   make_array((length), (offset), (nulls),                                    \
                              sizeof((struct buffer[]){__VA_ARGS__}) / sizeof(struct buffer), \
                              (struct buffer[]){__VA_ARGS__})})

/* The codes of `m` are of these strings. */
static void give_dictionary(struct made *m, struct made strings)
{
    struct record *s = m->schema.private_data, *a = m->array.private_data;
    struct ArrowSchema *schema = malloc(sizeof *schema);
    struct ArrowArray *array = malloc(sizeof *array);
    if (!schema || !array) abort();
    *schema = strings.schema;
    *array = strings.array;
    s->dictionary = m->schema.dictionary = schema;
    a->dictionary = m->array.dictionary = array;
}

/* A record batch; valid: a bit for each row that is not null, or no buffer. */
static struct made make_batch(const struct made *columns, int64_t n, int64_t length, int64_t offset,
                              int64_t null_count, struct buffer valid)
{
    struct made m = {make_schema("", "+s"), make_array(length, offset, null_count, 1, &valid)};
    struct record *s = m.schema.private_data, *a = m.array.private_data;
    struct ArrowSchema *schemas = calloc((size_t)n + 1, sizeof *schemas);
    struct ArrowArray *arrays = calloc((size_t)n + 1, sizeof *arrays);
    m.schema.children = calloc((size_t)n + 1, sizeof *m.schema.children);
    m.array.children = calloc((size_t)n + 1, sizeof *m.array.children);
    if (!schemas || !arrays || !m.schema.children || !m.array.children) abort();
    for (int64_t j = 0; j < n; j++) {
        schemas[j] = columns[j].schema;
        arrays[j] = columns[j].array;
        m.schema.children[j] = &schemas[j];
        m.array.children[j] = &arrays[j];
    }
    m.schema.n_children = m.array.n_children = n;
    s->n_children = a->n_children = n;
    s->children = schemas;
    s->pointers = m.schema.children;
    a->children = arrays;
    a->pointers = m.array.children;
    return m;
}

/* A batch of one column, all of its values. */
static inline struct made batch_of(struct made column)
{
    return make_batch(&column, 1, column.array.length, 0, 0, NO_BUFFER);
}

/* How many were released, of all that were made. */
static inline int arrow_released(void)
{
    int n = 0;
    for (int k = 0; k < n_records; k++) n += records[k].released;
    return n;
}

/* Everything made so far was released, each once; the next test begins anew. */
static inline bool arrow_done(void)
{
    bool all = arrow_released() == n_records;
    n_records = 0;
    return all;
}

/* ---- streams ---------------------------------------------------------------------------- */

/* Batches, then an end; fails with `error` instead of giving batch fail_at (-1: the schema; more
 * than there are: never). */
struct made_stream {
    struct made *batches;
    int64_t n, next, fail_at;
    const char *error;
    int released;
};

static int stream_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    struct made_stream *m = s->private_data;
    if (m->fail_at == -1) return 5;
    *out = m->batches[0].schema;
    m->batches[0].schema.release = NULL;
    return 0;
}

static int stream_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    struct made_stream *m = s->private_data;
    if (m->next == m->fail_at) return 5;
    *out = (struct ArrowArray){0};
    if (m->next >= m->n) return 0;
    *out = m->batches[m->next].array;
    m->batches[m->next++].array.release = NULL;
    return 0;
}

static const char *stream_error(struct ArrowArrayStream *s)
{
    return ((struct made_stream *)s->private_data)->error;
}

static void stream_release(struct ArrowArrayStream *s)
{
    struct made_stream *m = s->private_data;
    m->released++;
    for (int64_t b = 0; b < m->n; b++) {
        if (m->batches[b].schema.release) m->batches[b].schema.release(&m->batches[b].schema);
        if (m->batches[b].array.release) m->batches[b].array.release(&m->batches[b].array);
    }
    s->release = NULL;
}

static inline struct ArrowArrayStream make_stream(struct made_stream *m)
{
    return (struct ArrowArrayStream){.get_schema = stream_schema,
                                     .get_next = stream_next,
                                     .get_last_error = stream_error,
                                     .release = stream_release,
                                     .private_data = m};
}

#endif
