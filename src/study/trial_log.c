/* trial_log.c -- see trial_log.h. */
#define _GNU_SOURCE /* flock */
#include "study/trial_log.h"

#include "core/sha256.h"
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

struct smr_trial_log {
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

static smr_status damaged(smr_ctx *ctx, const smr_trial_log *log, int64_t line, const char *why)
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

/* What the log of these is called. */
static const char *work_of(const smr_json *header)
{
    return strcmp(smr_json_get_string(header, "samara", ""), "compare") == 0 ? "comparison"
                                                                             : "search";
}

static smr_status not_a_log(smr_ctx *ctx, const smr_trial_log *log, const smr_json *header)
{
    return smr_fail(ctx, SMR_ERR_FORMAT, "%s is not the log of a %s", log->path, work_of(header));
}

/* Every member of the header must be the same, byte for byte. */
static smr_status compare_headers(smr_ctx *ctx, const smr_trial_log *log, const smr_json *got,
                                  const smr_json *wanted)
{
    smr_status st = SMR_OK;
    smr_text a = {.ctx = ctx}, b = {.ctx = ctx};
    const char *kind = smr_json_get_string(got, "samara", NULL);
    if (!kind || strcmp(kind, smr_json_get_string(wanted, "samara", "")) != 0) {
        st = not_a_log(ctx, log, wanted);
        goto out;
    }
    for (const smr_json *m = wanted->first; m; m = m->next) {
        a.length = b.length = 0;
        write_member(smr_json_get(got, m->key), &a);
        write_member(m, &b);
        TRY(smr_text_done(&a));
        TRY(smr_text_done(&b));
        if (a.length == b.length && !memcmp(a.bytes, b.bytes, (size_t)a.length)) continue;
        st = smr_fail(ctx, SMR_ERR_STATE,
                      "%s is the log of another %s and cannot be resumed: its %s is \"%.160s\", "
                      "and now it is \"%.160s\"",
                      log->path, work_of(wanted), in_words(m->key), a.bytes, b.bytes);
        goto out;
    }
out:
    smr_text_release(&a);
    smr_text_release(&b);
    return st;
}

void smr_trial_log_scores(const double *score, int64_t n, smr_json *line)
{
    smr_json *scores = smr_json_add_array(line, "scores");
    for (int64_t k = 0; k < n; k++)
        if (isinf(score[k]))
            smr_json_add_string(scores, NULL, score[k] > 0 ? "inf" : "-inf");
        else
            smr_json_add_number(scores, NULL, score[k]);
}

/* Is it a score, as they are written? */
static bool read_score(const smr_json *s, double *out)
{
    *out = s->type == SMR_JSON_NUMBER ? s->number : NAN;
    if (s->type != SMR_JSON_STRING) return s->type == SMR_JSON_NUMBER || s->type == SMR_JSON_NULL;
    bool plus = strcmp(s->string, "inf") == 0, minus = strcmp(s->string, "-inf") == 0;
    *out = plus ? INFINITY : -INFINITY;
    return plus || minus;
}

static smr_status read_scores(smr_ctx *ctx, const smr_json *scores, int64_t n_rounds,
                              smr_logged *entry, bool *good)
{
    smr_status st = SMR_OK;
    *good = scores->type == SMR_JSON_ARRAY && scores->n == n_rounds;
    if (!*good) return SMR_OK;
    TRY_NEW(entry->score, n_rounds);
    for (const smr_json *s = scores->first; s; s = s->next) {
        *good &= read_score(s, &entry->score[entry->n_scores++]);
    }
out:
    return st;
}

static void release_entry(smr_logged *entry)
{
    smr_free(entry->score);
    smr_free(entry->error);
    smr_json_free(entry->doc);
    *entry = (smr_logged){0};
}

/* Keeps an entry under its key; of two with the same key, the first. */
static smr_status keep_entry(smr_ctx *ctx, smr_trial_log *log, const char *sentence, double share,
                             smr_json_doc **doc, smr_logged *entry)
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
        if (entry->more) {
            entry->doc = *doc;
            *doc = NULL;
        }
        log->entries[log->n++] = *entry;
        *entry = (smr_logged){0};
    }
out:
    smr_text_release(&key);
    return st;
}

/* *doc: taken where the entry keeps a part of it. */
static smr_status read_trial(smr_ctx *ctx, smr_trial_log *log, smr_json_doc **doc, int64_t line,
                             int64_t n_rounds)
{
    smr_status st = SMR_OK;
    const smr_json *root = smr_json_root(*doc);
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
    entry.more = smr_json_get(root, "more");
    TRY(keep_entry(ctx, log, sentence, share, doc, &entry));
out:
    release_entry(&entry);
    return st;
}

static smr_status read_line(smr_ctx *ctx, smr_trial_log *log, const char *text, int64_t length,
                            int64_t line, const smr_json *header, int64_t n_rounds)
{
    smr_status st = SMR_OK;
    smr_json_doc *doc = NULL;
    st = smr_json_parse(ctx, text, length, &doc);
    if (st == SMR_ERR_NOMEM) return st;
    if (st != SMR_OK || smr_json_root(doc)->type != SMR_JSON_OBJECT) {
        smr_begin(ctx);
        st = line == 1 ? not_a_log(ctx, log, header)
                       : damaged(ctx, log, line, "it is not a JSON object");
        goto out;
    }
    TRY(line == 1 ? compare_headers(ctx, log, smr_json_root(doc), header)
                  : read_trial(ctx, log, &doc, line, n_rounds));
out:
    smr_json_free(doc);
    return st;
}

static smr_status new_log(smr_ctx *ctx, const char *path, smr_trial_log **out)
{
    smr_status st = SMR_OK;
    smr_trial_log *log = NULL;
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
    smr_trial_log_close(log);
    return st;
}

void smr_trial_log_close(smr_trial_log *log)
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

const char *smr_trial_log_path(const smr_trial_log *log)
{
    return log->path;
}

/* A text whose first line is cut is a log only if it is the beginning of the header's. */
static smr_status check_beginning(smr_ctx *ctx, const smr_trial_log *log, const char *text,
                                  int64_t length, const smr_json *header)
{
    smr_text line = {.ctx = ctx};
    smr_json_write(header, 0, &line);
    smr_status st = smr_text_done(&line);
    if (st == SMR_OK && (length > line.length || memcmp(text, line.bytes, (size_t)length) != 0))
        st = smr_fail(ctx, SMR_ERR_FORMAT, "%s is not the log of this %s", log->path,
                      work_of(header));
    smr_text_release(&line);
    return st;
}

smr_status smr_trial_log_read(smr_ctx *ctx, const char *name, const char *text, int64_t length,
                              const smr_json *header, int64_t n_rounds, smr_trial_log **out,
                              int64_t *kept)
{
    smr_status st = SMR_OK;
    smr_trial_log *log = NULL;
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
    smr_trial_log_close(log);
    return st;
}

/* ---- opening ---------------------------------------------------------------------------- */

/* Reads the log that is there and cuts off what comes after its last whole line. */
static smr_status continue_log(smr_ctx *ctx, const char *path, const smr_json *header,
                               int64_t n_rounds, smr_trial_log **out)
{
    smr_status st = SMR_OK;
    smr_source *source = NULL;
    char *text = NULL;
    int64_t length = 0, kept = 0;
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd < 0) return cannot(ctx, path, "opened to resume");
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        st = smr_fail(ctx, SMR_ERR_STATE, "%s is being written by another %s", path,
                      work_of(header));
        goto out;
    }
    TRY(smr_source_open(ctx, path, &source));
    TRY(smr_source_whole(ctx, source, MOST_BYTES, &text, &length));
    if (length == 0) {
        st = smr_fail(ctx, SMR_ERR_FORMAT,
                      "%s is empty: there is no %s to continue; --log FILE begins a new one", path,
                      work_of(header));
        goto out;
    }
    TRY(smr_trial_log_read(ctx, path, text, length, header, n_rounds, out, &kept));
    (*out)->fd = fd;
    fd = -1;
    if (kept < length && ftruncate((*out)->fd, kept) != 0) st = cannot(ctx, path, "cut");
    if (st == SMR_OK && kept == 0) st = smr_trial_log_write(ctx, *out, header);
    if (st != SMR_OK) {
        smr_trial_log_close(*out);
        *out = NULL;
    }
out:
    if (fd >= 0) close(fd);
    smr_free(text);
    smr_source_close(source);
    return st;
}

static smr_status begin_log(smr_ctx *ctx, const char *path, const smr_json *header,
                            smr_trial_log **out)
{
    smr_status st = SMR_OK;
    smr_trial_log *log = NULL;
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
    TRY(smr_trial_log_write(ctx, log, header));
    *out = log;
    log = NULL;
out:
    smr_trial_log_close(log);
    return st;
}

smr_status smr_trial_log_open(smr_ctx *ctx, const char *path, bool resume, const smr_json *header,
                              int64_t n_rounds, smr_trial_log **out)
{
    *out = NULL;
    return resume ? continue_log(ctx, path, header, n_rounds, out)
                  : begin_log(ctx, path, header, out);
}

/* ---- using ------------------------------------------------------------------------------ */

smr_status smr_trial_log_find(smr_ctx *ctx, const smr_trial_log *log, const char *sentence,
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

static smr_status write_all(smr_ctx *ctx, const smr_trial_log *log, const smr_text *text)
{
    for (int64_t at = 0; at < text->length;) {
        ssize_t n = write(log->fd, text->bytes + at, (size_t)(text->length - at));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return cannot(ctx, log->path, "written");
        at += n;
    }
    return SMR_OK;
}

smr_status smr_trial_log_write(smr_ctx *ctx, smr_trial_log *log, const smr_json *line)
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

/* ---- what a header says ----------------------------------------------------------------- */

/* What the options made of the table: rows, weights, groups, answers, inputs. */
static void hash_set(const smr_train_set *set, char out[17])
{
    smr_sha256 s;
    char hex[65];
    int64_t n = set->table->n_rows;
    smr_sha256_begin(&s);
    smr_sha256_add(&s, &set->n_rows, sizeof set->n_rows);
    if (set->usable) smr_sha256_add(&s, set->usable, (size_t)set->n_rows * sizeof *set->usable);
    if (set->weight) smr_sha256_add(&s, set->weight, (size_t)n * sizeof *set->weight);
    if (set->group) smr_sha256_add(&s, set->group, (size_t)n * sizeof *set->group);
    if (set->label) smr_sha256_add(&s, set->label, (size_t)n * sizeof *set->label);
    if (set->y) smr_sha256_add(&s, set->y, (size_t)(n * set->target.n) * sizeof *set->y);
    smr_sha256_add(&s, &set->target.positive, sizeof set->target.positive);
    for (int64_t j = 0; j < set->schema.n_inputs; j++) {
        const smr_input *in = &set->schema.inputs[j];
        smr_sha256_add(&s, in->name, strlen(in->name) + 1);
        smr_sha256_add(&s, &in->kind, sizeof in->kind);
    }
    smr_sha256_hex(&s, hex);
    memcpy(out, hex, 16);
    out[16] = '\0';
}

void smr_trial_log_header(const smr_ctx *ctx, const char *who, const smr_train_set *set,
                          smr_json *header)
{
    smr_json_add_string(header, "samara", who);
    smr_json_add_string(header, "version", smr_version());
    smr_json_add_string(header, "data", set->data_hash);
    smr_json *target = smr_json_add_array(header, "target");
    for (int64_t j = 0; j < set->target.n; j++)
        smr_json_add_string(target, NULL, set->target.names[j]);
    smr_json_add_string(header, "task", smr_task_name(set->target.task));
    smr_json_add_number(header, "seed", (double)ctx->seed);
}

void smr_trial_log_header_rows(const smr_train_set *set, smr_json *header)
{
    char hash[17];
    hash_set(set, hash);
    smr_json_add_string(header, "rows_and_columns", hash);
}
