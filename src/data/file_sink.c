/* file_sink.c -- writing; see file.h.
 *
 * Bytes are collected in a buffer, packed if asked for, and written to a temporary file in the
 * folder of the target, so that the rename at the end stays within one file system and is atomic.
 * The temporary file is synced before the rename, and the folder after it: after a power cut there
 * is the old file or the new one. */
#define _GNU_SOURCE /* O_CLOEXEC, realpath */
#include "data/file.h"

#include "data/packing.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 256 << 10, NAME_TRIES = 100, SUFFIX_MAX = 48 };

struct smr_sink {
    char *path;      /* as given, for messages                                             */
    char *target;    /* the file that is replaced (symbolic links followed); NULL: direct  */
    char *temporary; /* NULL: direct                                                       */
    int fd;
    bool owns_fd;
    bool exists_temporary;  /* there is something to remove   */
    const smr_codec *codec; /* NULL: plain                    */
    void *packer;
    char *buffer; /* ROOM bytes on their way out    */
    int64_t used;
};

static smr_status fail_writing(smr_ctx *ctx, const smr_sink *s)
{
    return smr_fail(ctx, SMR_ERR_IO, "%s: cannot be written: %s", s->path, strerror(errno));
}

/* ---- opening ----------------------------------------------------------------------------- */

/* PATH.tmp-<pid>, or with a count after it when two sinks of this process have one target. */
static smr_status create_temporary(smr_ctx *ctx, smr_sink *s)
{
    size_t length = strlen(s->target) + SUFFIX_MAX;
    s->temporary = smr_alloc(ctx, (int64_t)length, 1);
    if (!s->temporary) return SMR_ERR_NOMEM;
    for (int k = 0; k < NAME_TRIES; k++) {
        if (k == 0)
            snprintf(s->temporary, length, "%s.tmp-%ld", s->target, (long)getpid());
        else
            snprintf(s->temporary, length, "%s.tmp-%ld-%d", s->target, (long)getpid(), k);
        s->fd = open(s->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (s->fd >= 0 || errno != EEXIST) break;
    }
    if (s->fd < 0) return fail_writing(ctx, s);
    s->owns_fd = s->exists_temporary = true;
    return SMR_OK;
}

static smr_status open_device(smr_ctx *ctx, smr_sink *s)
{
    s->fd = open(s->path, O_WRONLY | O_CLOEXEC);
    if (s->fd < 0) return fail_writing(ctx, s);
    s->owns_fd = true;
    return SMR_OK;
}

static smr_status open_target(smr_ctx *ctx, smr_sink *s)
{
    smr_status st = SMR_OK;
    struct stat old;
    char real[PATH_MAX];
    if (stat(s->path, &old)) {
        if (errno != ENOENT && errno != ENOTDIR) return fail_writing(ctx, s);
        s->target = smr_strdup(ctx, s->path);
        return s->target ? create_temporary(ctx, s) : SMR_ERR_NOMEM;
    }
    if (S_ISDIR(old.st_mode))
        return smr_fail(ctx, SMR_ERR_IO, "%s: is a folder; name a file in it", s->path);
    if (!S_ISREG(old.st_mode)) return open_device(ctx, s);
    if (access(s->path, W_OK) || !realpath(s->path, real)) return fail_writing(ctx, s);
    s->target = smr_strdup(ctx, real);
    if (!s->target) TRY(SMR_ERR_NOMEM);
    TRY(create_temporary(ctx, s));
    if (fchmod(s->fd, old.st_mode & 07777)) TRY(fail_writing(ctx, s));
out:
    return st;
}

smr_status smr_sink_open_packed(smr_ctx *ctx, const char *path, const smr_packing *packing,
                                smr_sink **out)
{
    smr_status st = SMR_OK;
    smr_sink *s = NULL;
    *out = NULL;
    TRY_NEW(s, 1);
    s->fd = -1;
    bool standard = !strcmp(path, "-");
    s->path = smr_strdup(ctx, standard ? "standard output" : path);
    if (!s->path) TRY(SMR_ERR_NOMEM);
    TRY_NEW(s->buffer, ROOM);
    if (packing) TRY(smr_packing_codec(ctx, packing, s->path, &s->codec));
    if (packing) TRY(s->codec->packer(ctx, &s->packer));
    if (standard)
        s->fd = STDOUT_FILENO;
    else
        TRY(open_target(ctx, s));
    *out = s;
    s = NULL;
out:
    smr_sink_close(s);
    return st;
}

smr_status smr_sink_open(smr_ctx *ctx, const char *path, bool gzip, smr_sink **out)
{
    return smr_sink_open_packed(ctx, path, gzip ? smr_packing_of_path("x.gz") : NULL, out);
}

/* ---- writing ----------------------------------------------------------------------------- */

static smr_status flush(smr_ctx *ctx, smr_sink *s)
{
    const char *bytes = s->buffer;
    while (s->used > 0) {
        ssize_t put = write(s->fd, bytes, (size_t)s->used);
        if (put < 0 && errno == EINTR) continue;
        if (put == 0) errno = ENOSPC;
        if (put <= 0) return fail_writing(ctx, s);
        bytes += put;
        s->used -= put;
    }
    return SMR_OK;
}

static smr_status pack(smr_ctx *ctx, smr_sink *s, const void *bytes, int64_t n, bool ends)
{
    smr_status st = SMR_OK;
    smr_pack_io io = {.in = bytes, .n_in = n, .in_ends = ends};
    for (bool ended = false; ends ? !ended : io.n_in > 0;) {
        if (s->used == ROOM) TRY(flush(ctx, s));
        io.out = s->buffer + s->used;
        io.room = ROOM - s->used;
        TRY(s->codec->pack(ctx, s->packer, &io, &ended));
        s->used = ROOM - io.room;
    }
out:
    return st;
}

smr_status smr_sink_write(smr_ctx *ctx, smr_sink *s, const void *bytes, int64_t n)
{
    smr_status st = SMR_OK;
    const char *from = bytes;
    if (s->codec) return pack(ctx, s, bytes, n, false);
    while (n > 0) {
        if (s->used == ROOM) TRY(flush(ctx, s));
        int64_t part = SMR_MIN(n, ROOM - s->used);
        memcpy(s->buffer + s->used, from, (size_t)part);
        s->used += part;
        from += part;
        n -= part;
    }
out:
    return st;
}

/* Makes the rename durable.  Best effort: some file systems cannot sync a folder. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;
    if (n >= sizeof folder) return;
    if (!slash)
        memcpy(folder, ".", 2);
    else if (n == 0)
        memcpy(folder, "/", 2);
    else {
        memcpy(folder, path, n);
        folder[n] = '\0';
    }
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    (void)!fsync(fd);
    close(fd);
}

smr_status smr_sink_commit(smr_ctx *ctx, smr_sink *s)
{
    smr_status st = SMR_OK;
    if (s->codec) TRY(pack(ctx, s, NULL, 0, true));
    TRY(flush(ctx, s));
    if (s->exists_temporary && fsync(s->fd)) TRY(fail_writing(ctx, s));
    if (s->owns_fd) {
        int fd = s->fd;
        s->fd = -1;
        s->owns_fd = false;
        if (close(fd)) TRY(fail_writing(ctx, s)); /* network file systems report here */
    }
    if (s->exists_temporary) {
        if (rename(s->temporary, s->target)) TRY(fail_writing(ctx, s));
        s->exists_temporary = false;
        sync_folder(s->target);
    }
out:
    return st;
}

void smr_sink_close(smr_sink *s)
{
    if (!s) return;
    if (s->owns_fd) close(s->fd);
    if (s->exists_temporary) unlink(s->temporary);
    if (s->codec) s->codec->free_packer(s->packer);
    smr_free(s->buffer);
    smr_free(s->temporary);
    smr_free(s->target);
    smr_free(s->path);
    smr_free(s);
}
