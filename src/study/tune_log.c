/* tune_log.c -- see tune_log.h. */
#define _GNU_SOURCE /* flock */
#include "study/tune_log.h"

#include "data/file.h"
#include "data/vocab.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const int64_t MOST_BYTES = INT64_C(1) << 30;

struct smr_tune_log {
    char *path;
    int fd;
    pthread_mutex_t lock;
    bool has_lock;
    smr_vocab keys; /* sentence and share: the number of its entry */
    int64_t n, room;
    smr_logged *entries;
};

static smr_status cannot(smr_ctx *ctx, const char *path, const char *what)
{
    return smr_fail(ctx, SMR_ERR_IO, "%s: cannot be %s: %s", path, what, strerror(errno));
}

static void add_key(smr_text *key, const char *sentence, double share)
{
    smr_text_number(key, share);
    smr_text_printf(key, " %s", sentence);
}

/* ---- reading ---------------------------------------------------------------------------- */

static smr_status damaged(smr_ctx *ctx, const smr_tune_log *log, int64_t line, const char *why)
{
    return smr_fail(ctx, SMR_ERR_FORMAT, "%s, line %lld: the log is damaged: %s", log->path,
                    (long long)line, why);
}

/* The values of a member as people read them. */
static void write_member(const smr_json *value, smr_text *out)
{
    if (value && value->type == SMR_JSON_STRING)
        smr_text_add(out, value->string);
    else
        smr_json_write(value, 0, out);
}

/* A member in words, where its name does not say enough. */
static const char *in_words(const char *key)
{
    static const char *const words[][2] = {
        {"data", "hash of the data"},
        {"held_out", "number of held-out rows"},
        {"rows_and_columns", "hash of rows, weights, groups and input columns"},
        {"version", "version of samara"}};
    for (int64_t i = 0; i < SMR_COUNT(words); i++)
        if (strcmp(words[i][0], key) == 0) return words[i][1];
    return key;
}

/* Every member of the header must be the same, byte for byte. */
static smr_status compare_headers(smr_ctx *ctx, const smr_tune_log *log, const smr_json *got,
                                  const smr_json *wanted)
{
    smr_status st = SMR_OK;
    smr_text a = {.ctx = ctx}, b = {.ctx = ctx};
    const char *kind = smr_json_get_string(got, "samara", NULL);
    if (!kind || strcmp(kind, "tune") != 0) {
        st = smr_fail(ctx, SMR_ERR_FORMAT, "%s is not the log of a search", log->path);
        goto out;
    }
    for (const smr_json *m = wanted->first; m; m = m->next) {
        a.length = b.length = 0;
        write_member(smr_json_get(got, m->key), &a);
        write_member(m, &b);
        TRY(smr_text_done(&a));
        TRY(smr_text_done(&b));
        if (a.length == b.length && !memcmp(a.bytes, b.bytes, (size_t)a.length)) continue;
        st =
            smr_fail(ctx, SMR_ERR_STATE,
                     "%s is the log of another search and cannot be resumed: its %s is \"%.160s\", "
                     "and now it is \"%.160s\"",
                     log->path, in_words(m->key), a.bytes, b.bytes);
        goto out;
    }
out:
    smr_text_release(&a);
    smr_text_release(&b);
    return st;
}

static smr_status read_scores(smr_ctx *ctx, const smr_json *scores, int64_t n_rounds,
                              smr_logged *entry, bool *good)
{
    smr_status st = SMR_OK;
    *good = scores->type == SMR_JSON_ARRAY && scores->n == n_rounds;
    if (!*good) return SMR_OK;
    TRY_NEW(entry->score, n_rounds);
    for (const smr_json *s = scores->first; s; s = s->next) {
        *good &= s->type == SMR_JSON_NUMBER || s->type == SMR_JSON_NULL;
        entry->score[entry->n_scores++] = s->type == SMR_JSON_NUMBER ? s->number : NAN;
    }
out:
    return st;
}

static void release_entry(smr_logged *entry)
{
    smr_free(entry->score);
    smr_free(entry->error);
    *entry = (smr_logged){0};
}

/* Keeps an entry under its key; of two with the same key, the first. */
static smr_status keep_entry(smr_ctx *ctx, smr_tune_log *log, const char *sentence, double share,
                             smr_logged *entry)
{
    smr_status st = SMR_OK;
    smr_text key = {.ctx = ctx};
    int32_t code = 0;
    if (log->n == log->room) {
        int64_t room = log->room ? 2 * log->room : 16;
        smr_logged *more = smr_realloc(ctx, log->entries, room, sizeof *more);
        if (!more) return SMR_ERR_NOMEM;
        log->entries = more;
        log->room = room;
    }
    add_key(&key, sentence, share);
    TRY(smr_text_done(&key));
    TRY(smr_vocab_add(ctx, &log->keys, key.bytes, key.length, &code));
    if (code == log->n) {
        log->entries[log->n++] = *entry;
        *entry = (smr_logged){0};
    }
out:
    smr_text_release(&key);
    return st;
}

static smr_status read_trial(smr_ctx *ctx, smr_tune_log *log, const smr_json *root, int64_t line,
                             int64_t n_rounds)
{
    smr_status st = SMR_OK;
    smr_logged entry = {.seconds = smr_json_get_number(root, "seconds", 0)};
    const char *sentence = smr_json_get_string(root, "sentence", NULL);
    const char *error = smr_json_get_string(root, "error", NULL);
    const smr_json *scores = smr_json_get(root, "scores");
    double share = smr_json_get_number(root, "share", NAN);
    bool good = true;
    if (!sentence || !(share > 0 && share <= 1) || !scores == !error)
        return damaged(ctx, log, line, "it is not a trial");
    if (scores) TRY(read_scores(ctx, scores, n_rounds, &entry, &good));
    if (!good) {
        st = damaged(ctx, log, line, "it does not have one score for each round");
        goto out;
    }
    if (error && !(entry.error = smr_strdup(ctx, error))) {
        st = SMR_ERR_NOMEM;
        goto out;
    }
    TRY(keep_entry(ctx, log, sentence, share, &entry));
out:
    release_entry(&entry);
    return st;
}

static smr_status read_line(smr_ctx *ctx, smr_tune_log *log, const char *text, int64_t length,
                            int64_t line, const smr_json *header, int64_t n_rounds)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    st = smr_json_parse(ctx, text, length, &doc);
    if (st == SMR_ERR_NOMEM) return st;
    if (st != SMR_OK || smr_json_root(doc)->type != SMR_JSON_OBJECT) {
        smr_begin(ctx);
        st = line == 1 ? smr_fail(ctx, SMR_ERR_FORMAT, "%s is not the log of a search", log->path)
                       : damaged(ctx, log, line, "it is not a JSON object");
        goto out;
    }
    TRY(line == 1 ? compare_headers(ctx, log, smr_json_root(doc), header)
                  : read_trial(ctx, log, smr_json_root(doc), line, n_rounds));
out:
    smr_json_free(doc);
    return st;
}

static smr_status new_log(smr_ctx *ctx, const char *path, smr_tune_log **out)
{
    smr_status st = SMR_OK;
    smr_tune_log *log = NULL;
    *out = NULL;
    TRY_NEW(log, 1);
    log->fd = -1;
    log->path = smr_strdup(ctx, path);
    if (!log->path) {
        st = SMR_ERR_NOMEM;
        goto out;
    }
    pthread_mutex_init(&log->lock, NULL);
    log->has_lock = true;
    *out = log;
    log = NULL;
out:
    smr_tune_log_close(log);
    return st;
}

void smr_tune_log_close(smr_tune_log *log)
{
    if (!log) return;
    if (log->fd >= 0) close(log->fd); /* every line has already been handed to the system */
    if (log->has_lock) pthread_mutex_destroy(&log->lock);
    for (int64_t i = 0; i < log->n; i++) release_entry(&log->entries[i]);
    smr_free(log->entries);
    smr_vocab_release(&log->keys);
    smr_free(log->path);
    smr_free(log);
}

const char *smr_tune_log_path(const smr_tune_log *log)
{
    return log->path;
}

/* A text whose first line is cut is a log only if it is the beginning of the header's. */
static smr_status check_beginning(smr_ctx *ctx, const smr_tune_log *log, const char *text,
                                  int64_t length, const smr_json *header)
{
    smr_text line = {.ctx = ctx};
    smr_json_write(header, 0, &line);
    smr_status st = smr_text_done(&line);
    if (st == SMR_OK && (length > line.length || memcmp(text, line.bytes, (size_t)length) != 0))
        st = smr_fail(ctx, SMR_ERR_FORMAT, "%s is not the log of this search", log->path);
    smr_text_release(&line);
    return st;
}

smr_status smr_tune_log_read(smr_ctx *ctx, const char *name, const char *text, int64_t length,
                             const smr_json *header, int64_t n_rounds, smr_tune_log **out,
                             int64_t *kept)
{
    smr_status st = SMR_OK;
    smr_tune_log *log = NULL;
    int64_t at = 0, line = 0;
    *out = NULL;
    *kept = 0;
    TRY(new_log(ctx, name, &log));
    while (at < length) {
        const char *end = memchr(text + at, '\n', (size_t)(length - at));
        if (!end) break;
        TRY(read_line(ctx, log, text + at, end - text - at, ++line, header, n_rounds));
        at = end - text + 1;
    }
    if (line == 0 && length > 0) TRY(check_beginning(ctx, log, text, length, header));
    *kept = at;
    *out = log;
    log = NULL;
out:
    smr_tune_log_close(log);
    return st;
}

/* ---- opening ---------------------------------------------------------------------------- */

/* Reads the log that is there and cuts off what comes after its last whole line. */
static smr_status continue_log(smr_ctx *ctx, const char *path, const smr_json *header,
                               int64_t n_rounds, smr_tune_log **out)
{
    smr_status st = SMR_OK;
    smr_source *source = NULL;
    char *text = NULL;
    int64_t length = 0, kept = 0;
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd < 0) return cannot(ctx, path, "opened to resume");
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        st = smr_fail(ctx, SMR_ERR_STATE, "%s is written by another search at this moment", path);
        goto out;
    }
    TRY(smr_source_open(ctx, path, &source));
    TRY(smr_source_whole(ctx, source, MOST_BYTES, &text, &length));
    if (length == 0) {
        st = smr_fail(ctx, SMR_ERR_FORMAT,
                      "%s is empty: there is no search to continue; --log FILE begins a new one",
                      path);
        goto out;
    }
    TRY(smr_tune_log_read(ctx, path, text, length, header, n_rounds, out, &kept));
    (*out)->fd = fd;
    fd = -1;
    if (kept < length && ftruncate((*out)->fd, kept) != 0) st = cannot(ctx, path, "cut");
    if (st == SMR_OK && kept == 0) st = smr_tune_log_write(ctx, *out, header);
    if (st != SMR_OK) {
        smr_tune_log_close(*out);
        *out = NULL;
    }
out:
    if (fd >= 0) close(fd);
    smr_free(text);
    smr_source_close(source);
    return st;
}

static smr_status begin_log(smr_ctx *ctx, const char *path, const smr_json *header,
                            smr_tune_log **out)
{
    smr_status st = SMR_OK;
    smr_tune_log *log = NULL;
    TRY(new_log(ctx, path, &log));
    log->fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (log->fd < 0 && errno == EEXIST)
        st =
            smr_fail(ctx, SMR_ERR_IO,
                     "%s: there is a log already; --resume %s continues it, or choose another name",
                     path, path);
    else if (log->fd < 0)
        st = cannot(ctx, path, "written");
    if (st != SMR_OK) goto out;
    flock(log->fd, LOCK_EX | LOCK_NB);
    TRY(smr_tune_log_write(ctx, log, header));
    *out = log;
    log = NULL;
out:
    smr_tune_log_close(log);
    return st;
}

smr_status smr_tune_log_open(smr_ctx *ctx, const char *path, bool resume, const smr_json *header,
                             int64_t n_rounds, smr_tune_log **out)
{
    *out = NULL;
    return resume ? continue_log(ctx, path, header, n_rounds, out)
                  : begin_log(ctx, path, header, out);
}

/* ---- using ------------------------------------------------------------------------------ */

smr_status smr_tune_log_find(smr_ctx *ctx, const smr_tune_log *log, const char *sentence,
                             double share, const smr_logged **found)
{
    smr_text key = {.ctx = ctx};
    add_key(&key, sentence, share);
    smr_status st = smr_text_done(&key);
    int32_t code = st == SMR_OK ? smr_vocab_find(&log->keys, key.bytes, key.length) : -1;
    smr_text_release(&key);
    *found = code >= 0 && code < log->n ? &log->entries[code] : NULL;
    return st;
}

static smr_status write_all(smr_ctx *ctx, const smr_tune_log *log, const smr_text *text)
{
    for (int64_t at = 0; at < text->length;) {
        ssize_t n = write(log->fd, text->bytes + at, (size_t)(text->length - at));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return cannot(ctx, log->path, "written");
        at += n;
    }
    return SMR_OK;
}

smr_status smr_tune_log_write(smr_ctx *ctx, smr_tune_log *log, const smr_json *line)
{
    smr_text text = {.ctx = ctx};
    smr_json_write(line, 0, &text);
    smr_text_add(&text, "\n");
    smr_status st = smr_text_done(&text);
    pthread_mutex_lock(&log->lock);
    if (st == SMR_OK) st = write_all(ctx, log, &text);
    pthread_mutex_unlock(&log->lock);
    smr_text_release(&text);
    return st;
}
