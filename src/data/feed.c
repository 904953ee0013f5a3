/* feed.c -- see feed.h. */
#include "data/feed.h"

#include "data/file.h"
#include "data/packing.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEP = 256 << 10, LONGEST_WAIT = 500 };

struct smr_feed {
    char *name;
    int fd; /* -1: memory */
    bool owns_fd, is_file;
    const char *memory;
    int64_t n_memory, at, step;
    char *raw; /* STEP bytes as they came: the first few, or the input of the unpacker */
    int64_t n_raw;
    bool is_known; /* packed or not */
    bool raw_ended;
    const smr_codec *codec; /* NULL: plain */
    void *unpacker;
    smr_pack_io io;
    bool ended; /* the unpacker has delivered everything */
};

/* ---- opening ------------------------------------------------------------------------------ */

static smr_status open_path(smr_ctx *ctx, smr_feed *f, const char *path)
{
    struct stat info;
    bool standard = !strcmp(path, "-");
    f->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    f->owns_fd = !standard;
    if (f->fd < 0) return smr_fail_opening(ctx, f->name);
    if (fstat(f->fd, &info))
        return smr_fail(ctx, SMR_ERR_IO, "%s: cannot be read: %s", f->name, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return smr_fail(ctx, SMR_ERR_IO, "%s: is a folder; name a file in it", f->name);
    f->is_file = S_ISREG(info.st_mode) && !standard;
    return SMR_OK;
}

static smr_status create(smr_ctx *ctx, const char *name, smr_feed **out)
{
    smr_status st = SMR_OK;
    TRY_NEW(*out, 1);
    (*out)->fd = -1;
    (*out)->name = smr_strdup(ctx, name);
    if (!(*out)->name) TRY(SMR_ERR_NOMEM);
out:
    return st;
}

smr_status smr_feed_open(smr_ctx *ctx, const char *path, smr_feed **out)
{
    smr_status st = SMR_OK;
    smr_feed *f = NULL;
    *out = NULL;
    TRY(create(ctx, strcmp(path, "-") ? path : "standard input", &f));
    TRY(open_path(ctx, f, path));
    TRY_NEW(f->raw, STEP);
    *out = f;
    f = NULL;
out:
    smr_feed_close(f);
    return st;
}

smr_status smr_feed_memory(smr_ctx *ctx, const char *name, const char *bytes, int64_t n,
                           int64_t step, smr_feed **out)
{
    smr_status st = SMR_OK;
    smr_feed *f = NULL;
    *out = NULL;
    TRY(create(ctx, name, &f));
    f->memory = bytes;
    f->n_memory = n;
    f->step = step > 0 ? step : INT64_MAX;
    f->is_known = f->is_file = true;
    *out = f;
    f = NULL;
out:
    smr_feed_close(f);
    return st;
}

void smr_feed_close(smr_feed *f)
{
    if (!f) return;
    if (f->fd >= 0 && f->owns_fd) close(f->fd);
    if (f->codec) f->codec->free_unpacker(f->unpacker);
    smr_free(f->raw);
    smr_free(f->name);
    smr_free(f);
}

const char *smr_feed_name(const smr_feed *f)
{
    return f->name;
}

bool smr_feed_is_file(const smr_feed *f)
{
    return f->is_file;
}

/* ---- reading ------------------------------------------------------------------------------ */

/* Waits until bytes are there; false when the time is up.  A signal ends the wait at once. */
static smr_status wait_for_bytes(smr_ctx *ctx, const smr_feed *f, double seconds, bool *there)
{
    smr_status st = SMR_OK;
    double until = smr_now() + seconds;
    *there = f->is_file;
    while (!*there) {
        struct pollfd one = {.fd = f->fd, .events = POLLIN};
        double left = smr_fmax(0, until - smr_now()) * 1000;
        int got = poll(&one, 1, left < LONGEST_WAIT ? (int)ceil(left) : LONGEST_WAIT);
        TRY(smr_tick(ctx, NULL, 0, 0, NAN));
        if (got < 0 && errno != EINTR)
            TRY(smr_fail(ctx, SMR_ERR_IO, "%s: cannot be read: %s", f->name, strerror(errno)));
        *there = got > 0;
        if (!*there && smr_now() >= until) break;
    }
out:
    return st;
}

/* Bytes as they lie in the file or come through the pipe. */
static smr_status read_raw(smr_ctx *ctx, smr_feed *f, char *buffer, int64_t room, double seconds,
                           int64_t *got)
{
    smr_status st = SMR_OK;
    *got = 0;
    if (f->fd < 0) {
        *got = SMR_MIN(SMR_MIN(room, f->step), f->n_memory - f->at);
        if (*got) memcpy(buffer, f->memory + f->at, (size_t)*got);
        f->at += *got;
        f->raw_ended = f->at == f->n_memory;
        return SMR_OK;
    }
    for (;;) {
        bool there;
        TRY(wait_for_bytes(ctx, f, seconds, &there));
        if (!there) return SMR_OK;
        ssize_t n = read(f->fd, buffer, (size_t)room);
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (n < 0)
            TRY(smr_fail(ctx, SMR_ERR_IO, "%s: cannot be read: %s", f->name, strerror(errno)));
        f->raw_ended = n == 0;
        *got = n;
        return SMR_OK;
    }
out:
    return st;
}

/* Reads until the first bytes tell, or no more will come. */
static smr_status recognise(smr_ctx *ctx, smr_feed *f, double seconds)
{
    smr_status st = SMR_OK;
    int64_t got;
    bool more;
    const smr_packing *packing = NULL;
    while (!(packing = smr_packing_of(f->raw, f->n_raw, &more)) && more && !f->raw_ended) {
        TRY(read_raw(ctx, f, f->raw + f->n_raw, STEP - f->n_raw, seconds, &got));
        if (got == 0 && !f->raw_ended) return SMR_OK;
        f->n_raw += got;
    }
    f->is_known = true;
    if (!packing) return SMR_OK;
    TRY(smr_packing_codec(ctx, packing, f->name, &f->codec));
    TRY(f->codec->unpacker(ctx, f->name, &f->unpacker));
    f->io = (smr_pack_io){.in = f->raw, .n_in = f->n_raw, .in_ends = f->raw_ended};
out:
    return st;
}

static smr_status unpack(smr_ctx *ctx, smr_feed *f, char *buffer, int64_t room, double seconds,
                         int64_t *got)
{
    smr_status st = SMR_OK;
    smr_pack_io *io = &f->io;
    io->out = buffer;
    io->room = room;
    while (io->room == room && !f->ended) { /* some input gives no output at all */
        if (io->n_in == 0 && !f->raw_ended) {
            TRY(read_raw(ctx, f, f->raw, STEP, seconds, &io->n_in));
            if (io->n_in == 0 && !f->raw_ended) break;
            io->in = f->raw;
            io->in_ends = f->raw_ended;
        }
        TRY(f->codec->unpack(ctx, f->unpacker, io, &f->ended));
    }
    *got = room - io->room;
out:
    return st;
}

smr_status smr_feed_read(smr_ctx *ctx, smr_feed *f, char *buffer, int64_t room, double seconds,
                         int64_t *got, bool *ended)
{
    smr_status st = SMR_OK;
    *got = 0;
    *ended = false;
    if (!f->is_known) TRY(recognise(ctx, f, seconds));
    if (!f->is_known) return SMR_OK;
    if (f->codec) {
        TRY(unpack(ctx, f, buffer, room, seconds, got));
        *ended = f->ended && *got == 0;
        return SMR_OK;
    }
    if (f->n_raw) { /* what was looked at */
        *got = SMR_MIN(room, f->n_raw);
        memcpy(buffer, f->raw, (size_t)*got);
        f->n_raw -= *got;
        memmove(f->raw, f->raw + *got, (size_t)f->n_raw);
        return SMR_OK;
    }
    if (!f->raw_ended) TRY(read_raw(ctx, f, buffer, room, seconds, got));
    *ended = f->raw_ended && *got == 0;
out:
    return st;
}
