/* file.c -- reading; see file.h.
 *
 * A source is one of
 *
 *     memory    bytes that lie in memory, lent or kept                        } any place, any
 *     file      a descriptor, read with pread                                 } thread
 *     packed    one of the above, unpacked on the way; forward only
 *
 * A pipe becomes memory or a temporary file when it is opened, and so do packed bytes when they are
 * settled: everything above this file knows one kind of random access only. */
#define _GNU_SOURCE /* O_TMPFILE, pread */
#include "data/file.h"

#include "core/parallel.h"
#include "data/packing.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEP = 256 << 10, UNPACK_STEP = 1 << 20, KEEP_IN_MEMORY = 16 << 20, MAGIC_MAX = 8 };
enum { UNPACKED_SHARE = 4 }; /* at most this many times the memory limit is unpacked */

/* Bytes at random places. */
struct store {
    int fd;             /* -1: memory                                */
    bool owns_fd;       /* else it is standard input                 */
    int64_t base;       /* place of the first byte in the file       */
    int64_t size;       /* bytes                                     */
    const char *memory; /* fd < 0                                    */
    char *kept;         /* owned memory that `memory` points to      */
};

struct smr_source {
    char *name;
    struct store store;     /* packed bytes, or the bytes themselves      */
    int64_t at;             /* next byte of the store to be read         */
    const smr_codec *codec; /* NULL: plain                           */
    void *unpacker;
    char *packed; /* STEP bytes of input for it                      */
    smr_pack_io io;
    bool ended; /* it has delivered everything                       */
};

/* ---- stores ------------------------------------------------------------------------------ */

static void release_store(struct store *t)
{
    if (t->fd >= 0 && t->owns_fd) close(t->fd);
    smr_free(t->kept);
    *t = (struct store){.fd = -1};
}

static smr_status fail_reading(smr_ctx *ctx, const char *name)
{
    return smr_fail(ctx, SMR_ERR_IO, "%s: cannot be read: %s", name, strerror(errno));
}

static smr_status read_store(smr_ctx *ctx, const struct store *t, const char *name, int64_t at,
                             char *buffer, int64_t n)
{
    if (at < 0 || n < 0 || n > t->size - at)
        return smr_fail(ctx, SMR_ERR_IO, "%s: %" PRId64 " bytes at %" PRId64 " are past its end",
                        name, n, at);
    if (t->fd < 0) {
        if (n) memcpy(buffer, t->memory + at, (size_t)n);
        return SMR_OK;
    }
    while (n > 0) {
        ssize_t got = pread(t->fd, buffer, (size_t)n, (off_t)(t->base + at));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail_reading(ctx, name);
        if (got == 0)
            return smr_fail(ctx, SMR_ERR_IO, "%s: became shorter while it was being read", name);
        at += got;
        buffer += got;
        n -= got;
    }
    return SMR_OK;
}

static int open_unnamed(const char *folder)
{
#ifdef O_TMPFILE
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0) return fd;
#endif
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/samara-XXXXXX", folder);
    if (n < 0 || (size_t)n >= sizeof path) return -1;
    int named = mkstemp(path);
    if (named >= 0) unlink(path);
    return named;
}

/* /var/tmp is on a disk where /tmp may be memory. */
static int open_temporary(void)
{
    int fd = open_unnamed("/var/tmp");
    return fd >= 0 ? fd : open_unnamed("/tmp");
}

static smr_status fail_keeping(smr_ctx *ctx, const char *name)
{
    return smr_fail(
        ctx, SMR_ERR_IO,
        "%s: cannot be kept in a temporary file in /var/tmp: %s; save it, unpacked, as a "
        "file of its own",
        name, strerror(errno));
}

static smr_status write_all(smr_ctx *ctx, int fd, const char *name, const char *bytes, int64_t n)
{
    while (n > 0) {
        ssize_t put = write(fd, bytes, (size_t)n);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return fail_keeping(ctx, name);
        bytes += put;
        n -= put;
    }
    return SMR_OK;
}

/* A store that grows: memory first, a temporary file when it becomes large. */
static smr_status append(smr_ctx *ctx, struct store *t, const char *name, const char *bytes,
                         int64_t n, int64_t *room)
{
    smr_status st = SMR_OK;
    if (t->fd < 0 && t->size + n > *room && t->size + n <= KEEP_IN_MEMORY) {
        int64_t grown = SMR_MAX(4 * (t->size + n), STEP);
        char *moved = smr_realloc(ctx, t->kept, grown, 1);
        if (!moved) return SMR_ERR_NOMEM;
        t->memory = t->kept = moved;
        *room = grown;
    }
    if (t->fd < 0 && t->size + n > *room) {
        t->fd = open_temporary();
        if (t->fd < 0) return fail_keeping(ctx, name);
        t->owns_fd = true;
        TRY(write_all(ctx, t->fd, name, t->kept, t->size));
        smr_free(t->kept);
        t->memory = t->kept = NULL;
    }
    if (t->fd < 0)
        memcpy(t->kept + t->size, bytes, (size_t)n);
    else
        TRY(write_all(ctx, t->fd, name, bytes, n));
    t->size += n;
out:
    return st;
}

/* Everything that a pipe still delivers. */
static smr_status keep_pipe(smr_ctx *ctx, int fd, const char *name, struct store *out)
{
    smr_status st = SMR_OK;
    struct store t = {.fd = -1};
    int64_t room = 0;
    char *buffer = NULL;
    TRY_NEW(buffer, STEP);
    for (;;) {
        TRY(smr_tick(ctx, name, t.size, 0, NAN));
        ssize_t got = read(fd, buffer, STEP);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) TRY(fail_reading(ctx, name));
        if (got == 0) break;
        TRY(append(ctx, &t, name, buffer, got, &room));
    }
    *out = t;
    t = (struct store){.fd = -1};
out:
    release_store(&t);
    smr_free(buffer);
    return st;
}

/* ---- opening ----------------------------------------------------------------------------- */

/* What fetches the kinds of addresses that curl does not; others it does. */
static const struct {
    const char *kind, *fetch, *here, *pipe, *out; /* the address stands between the two */
} fetchers[] = {
    {"s3://", "aws s3 cp", " .", "aws s3 cp", " -"},
    {"gs://", "gcloud storage cp", " .", "gcloud storage cat", ""},
    {"hdfs://", "hdfs dfs -get", "", "hdfs dfs -cat", ""},
    {"", "curl -fLO", "", "curl -fL", ""},
};

/* "https://..." and its kin: letters, then "://". */
static bool is_url(const char *name)
{
    const char *colon = strstr(name, "://");
    if (!colon || colon == name) return false;
    for (const char *p = name; p < colon; p++)
        if (!((*p | 32) >= 'a' && (*p | 32) <= 'z') && !(*p >= '0' && *p <= '9')) return false;
    return true;
}

static smr_status fail_address(smr_ctx *ctx, const char *name)
{
    int k = 0;
    while (strncmp(name, fetchers[k].kind, strlen(fetchers[k].kind)) != 0) k++;
    return smr_fail(ctx, SMR_ERR_IO,
                    "%s: is a web address, and samara reads files; %s '%s'%s fetches it, and with "
                    "- for the file a pipe is read: %s '%s'%s | samara ...",
                    name, fetchers[k].fetch, name, fetchers[k].here, fetchers[k].pipe, name,
                    fetchers[k].out);
}

smr_status smr_fail_opening(smr_ctx *ctx, const char *name)
{
    if (is_url(name)) return fail_address(ctx, name);
    return smr_fail(ctx, SMR_ERR_IO, "%s: cannot be opened: %s", name, strerror(errno));
}

static smr_status open_store(smr_ctx *ctx, const char *path, const char *name, struct store *t)
{
    bool standard = !strcmp(path, "-");
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return smr_fail_opening(ctx, name);
    *t = (struct store){.fd = fd, .owns_fd = !standard};

    struct stat info;
    if (fstat(fd, &info)) return fail_reading(ctx, name);
    if (S_ISDIR(info.st_mode))
        return smr_fail(ctx, SMR_ERR_IO, "%s: is a folder; name a file in it", name);
    if (S_ISREG(info.st_mode)) {
        off_t place = standard ? lseek(fd, 0, SEEK_CUR) : 0; /* a shell may have read a part */
        t->base = place > 0 ? place : 0;
        t->size = SMR_MAX((int64_t)info.st_size - t->base, 0);
        return SMR_OK;
    }
    struct store kept;
    smr_status st = keep_pipe(ctx, fd, name, &kept);
    if (st != SMR_OK) return st;
    release_store(t);
    *t = kept;
    return SMR_OK;
}

static smr_status recognise_packing(smr_ctx *ctx, smr_source *s)
{
    smr_status st = SMR_OK;
    char magic[MAGIC_MAX];
    int64_t n = SMR_MIN(s->store.size, MAGIC_MAX);
    bool more;
    TRY(read_store(ctx, &s->store, s->name, 0, magic, n));
    const smr_packing *packing = smr_packing_of(magic, n, &more);
    if (!packing) return SMR_OK;
    TRY(smr_packing_codec(ctx, packing, s->name, &s->codec));
    TRY_NEW(s->packed, STEP);
    TRY(s->codec->unpacker(ctx, s->name, &s->unpacker));
out:
    return st;
}

smr_status smr_source_open(smr_ctx *ctx, const char *path, smr_source **out)
{
    smr_status st = SMR_OK;
    smr_source *s = NULL;
    *out = NULL;
    TRY_NEW(s, 1);
    s->store.fd = -1;
    s->name = smr_strdup(ctx, strcmp(path, "-") ? path : "standard input");
    if (!s->name) TRY(SMR_ERR_NOMEM);
    TRY(open_store(ctx, path, s->name, &s->store));
    TRY(recognise_packing(ctx, s));
    *out = s;
    s = NULL;
out:
    smr_source_close(s);
    return st;
}

smr_status smr_source_memory(smr_ctx *ctx, const char *name, const char *bytes, int64_t n,
                             smr_source **out)
{
    smr_status st = SMR_OK;
    smr_source *s = NULL;
    *out = NULL;
    TRY_NEW(s, 1);
    s->store = (struct store){.fd = -1, .size = n, .memory = bytes};
    s->name = smr_strdup(ctx, name);
    if (!s->name) TRY(SMR_ERR_NOMEM);
    *out = s;
    s = NULL;
out:
    smr_source_close(s);
    return st;
}

static void forget_packing(smr_source *s)
{
    if (s->codec) s->codec->free_unpacker(s->unpacker);
    smr_free(s->packed);
    s->codec = NULL;
    s->unpacker = NULL;
    s->packed = NULL;
}

void smr_source_close(smr_source *s)
{
    if (!s) return;
    forget_packing(s);
    release_store(&s->store);
    smr_free(s->name);
    smr_free(s);
}

/* ---- reading ----------------------------------------------------------------------------- */

static smr_status read_packed(smr_ctx *ctx, smr_source *s, char *buffer, int64_t room, int64_t *got)
{
    smr_status st = SMR_OK;
    smr_pack_io *io = &s->io;
    io->out = buffer;
    io->room = room;
    while (io->room > 0 && !s->ended) {
        if (io->n_in == 0) {
            io->in = s->packed;
            io->n_in = SMR_MIN(STEP, s->store.size - s->at);
            TRY(read_store(ctx, &s->store, s->name, s->at, s->packed, io->n_in));
            s->at += io->n_in;
            io->in_ends = s->at == s->store.size;
        }
        TRY(s->codec->unpack(ctx, s->unpacker, io, &s->ended));
    }
    *got = room - io->room;
out:
    return st;
}

smr_status smr_source_read(smr_ctx *ctx, smr_source *s, char *buffer, int64_t room, int64_t *got)
{
    *got = 0;
    if (s->codec) return read_packed(ctx, s, buffer, room, got);
    int64_t n = SMR_MIN(room, s->store.size - s->at);
    smr_status st = read_store(ctx, &s->store, s->name, s->at, buffer, n);
    if (st != SMR_OK) return st;
    s->at += n;
    *got = n;
    return SMR_OK;
}

smr_status smr_source_rewind(smr_ctx *ctx, smr_source *s)
{
    s->at = 0;
    s->io = (smr_pack_io){0};
    s->ended = false;
    return s->codec ? s->codec->restart(ctx, s->unpacker) : SMR_OK;
}

/* Unpacking and keeping at the same time: while one buffer is filled, the other is written. */
struct unpacking {
    smr_source *source;
    struct store store;
    int64_t room;
    char *buffer[2];
    int64_t got[2];
    int turn; /* the buffer that is filled */
};

static smr_status unpack_task(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    struct unpacking *u = arg;
    int fill = u->turn, keep = 1 - fill;
    (void)lane;
    if (task == 0)
        return smr_source_read(ctx, u->source, u->buffer[fill], UNPACK_STEP, &u->got[fill]);
    if (u->got[keep] == 0) return SMR_OK;
    return append(ctx, &u->store, u->source->name, u->buffer[keep], u->got[keep], &u->room);
}

smr_status smr_source_settle(smr_ctx *ctx, smr_source *s)
{
    smr_status st = SMR_OK;
    struct unpacking u = {.source = s, .store = {.fd = -1}};
    int64_t limit = smr_ctx_memory_limit(ctx);
    int64_t most = limit > INT64_MAX / UNPACKED_SHARE ? INT64_MAX : limit * UNPACKED_SHARE;
    TRY(smr_source_rewind(ctx, s));
    if (!s->codec) return SMR_OK;
    TRY_NEW(u.buffer[0], UNPACK_STEP);
    TRY_NEW(u.buffer[1], UNPACK_STEP);
    for (;; u.turn = 1 - u.turn) {
        TRY(smr_tick(ctx, "unpacking", s->at, s->store.size, NAN));
        TRY(smr_parallel(ctx, NULL, 2, unpack_task, &u));
        if (u.got[u.turn] == 0) break;
        if (u.store.size > most)
            TRY(smr_fail(ctx, SMR_ERR_NOMEM,
                         "%s: unpacks to more than %.1f GB, %d times the memory that may be used; "
                         "raise --memory, or use 'samara stream', which reads it row by row",
                         s->name, (double)most / 1e9, UNPACKED_SHARE));
    }
    forget_packing(s);
    release_store(&s->store);
    s->store = u.store;
    u.store = (struct store){.fd = -1};
    TRY(smr_source_rewind(ctx, s));
out:
    release_store(&u.store);
    smr_free(u.buffer[0]);
    smr_free(u.buffer[1]);
    return st;
}

int64_t smr_source_size(const smr_source *s)
{
    return s->codec ? -1 : s->store.size;
}

smr_status smr_source_read_at(smr_ctx *ctx, smr_source *s, int64_t at, char *buffer, int64_t n)
{
    if (s->codec)
        return smr_fail(ctx, SMR_ERR_INTERNAL,
                        "%s: packed bytes are read at places before they are settled", s->name);
    return read_store(ctx, &s->store, s->name, at, buffer, n);
}

int smr_source_file(const smr_source *s)
{
    return s->codec || s->store.base ? -1 : s->store.fd;
}

const char *smr_source_name(const smr_source *s)
{
    return s->name;
}

smr_status smr_source_whole(smr_ctx *ctx, smr_source *s, int64_t most, char **bytes,
                            int64_t *length)
{
    smr_status st = SMR_OK;
    char *all = NULL;
    int64_t n = 0, room = s->codec ? STEP : SMR_MIN(s->store.size, most) + 1, got = 1;
    *bytes = NULL;
    *length = 0;
    TRY(smr_source_rewind(ctx, s));
    TRY_NEW(all, room + 1);
    while (got > 0) {
        if (n == room) {
            char *moved = smr_realloc(ctx, all, 2 * room + 1, 1);
            if (!moved) TRY(SMR_ERR_NOMEM);
            all = moved;
            room *= 2;
        }
        TRY(smr_source_read(ctx, s, all + n, room - n, &got));
        n += got;
        if (n > most)
            TRY(smr_fail(ctx, SMR_ERR_FORMAT,
                         "%s: is longer than the %" PRId64 " bytes that are read at once", s->name,
                         most));
    }
    all[n] = '\0';
    *bytes = all;
    *length = n;
    all = NULL;
out:
    smr_free(all);
    return st;
}
