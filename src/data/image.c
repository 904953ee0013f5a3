/* image.c -- see image.h. */
#define _GNU_SOURCE /* MAP_NORESERVE */
#include "data/image.h"

#include "data/file.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAP_FROM = 1 << 20 };

struct smr_image {
    char *bytes;
    int64_t length;
    bool mapped; /* else a block of core/mem.h */
    _Atomic int64_t holders;
};

static smr_status create(smr_ctx *ctx, smr_image **out)
{
    *out = smr_alloc(ctx, 1, sizeof **out);
    if (!*out) return SMR_ERR_NOMEM;
    atomic_init(&(*out)->holders, 1);
    return SMR_OK;
}

/* Others could change the file, and thereby what has been checked. */
static bool is_ours(const struct stat *info)
{
    return (info->st_uid == geteuid() || info->st_uid == 0) && !(info->st_mode & S_IWOTH);
}

/* False: the file is to be read. */
static bool map(int fd, int64_t most, smr_image *image)
{
    struct stat info;
    if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || !is_ours(&info)) return false;
    if (info.st_size < MAP_FROM || info.st_size > most) return false;
    void *at = mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE,
                    fd, 0);
    if (at == MAP_FAILED) return false;
    image->bytes = at;
    image->length = info.st_size;
    image->mapped = true;
    return true;
}

smr_status smr_image_open(smr_ctx *ctx, const char *path, int64_t most, smr_image **out)
{
    smr_status st = SMR_OK;
    smr_source *source = NULL;
    smr_image *image = NULL;
    *out = NULL;
    TRY(smr_source_open(ctx, path, &source));
    TRY(create(ctx, &image));
    if (!map(smr_source_file(source), most, image))
        TRY(smr_source_whole(ctx, source, most, &image->bytes, &image->length));
    *out = image;
    image = NULL;
out:
    smr_image_free(image);
    smr_source_close(source);
    return st;
}

smr_status smr_image_copy(smr_ctx *ctx, const void *bytes, int64_t length, smr_image **out)
{
    smr_status st = SMR_OK;
    smr_image *image = NULL;
    *out = NULL;
    TRY(create(ctx, &image));
    image->bytes = smr_alloc_raw(ctx, length, 1);
    if (!image->bytes) TRY(SMR_ERR_NOMEM);
    memcpy(image->bytes, bytes, (size_t)length);
    image->length = length;
    *out = image;
    image = NULL;
out:
    smr_image_free(image);
    return st;
}

char *smr_image_bytes(const smr_image *image)
{
    return image->bytes;
}

int64_t smr_image_length(const smr_image *image)
{
    return image->length;
}

bool smr_image_is_mapped(const smr_image *image)
{
    return image->mapped;
}

bool smr_image_has(const smr_image *image, const void *p)
{
    return image && (uintptr_t)p - (uintptr_t)image->bytes <= (uintptr_t)image->length;
}

smr_image *smr_image_hold(smr_image *image)
{
    if (image) atomic_fetch_add(&image->holders, 1);
    return image;
}

void smr_image_free(smr_image *image)
{
    if (!image || atomic_fetch_sub(&image->holders, 1) > 1) return;
    if (image->mapped)
        munmap(image->bytes, (size_t)image->length);
    else
        smr_free(image->bytes);
    smr_free(image);
}
