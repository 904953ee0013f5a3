/* mem.c -- see mem.h.
 *
 * A block is one system allocation:
 *
 *     raw ... | 64-byte head: raw pointer, account ... | the caller's bytes, aligned to 64
 *
 * AddressSanitizer knows the allocation, not the block: there it is told that nobody may touch what
 * lies next to the caller's bytes on both sides.
 *
 * Large blocks ask for huge pages: first-touch faults otherwise cost as much as reading the
 * data. */
#define _GNU_SOURCE /* madvise */
#include "core/mem.h"

#include "core/ctx.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FENCED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define FENCED
#endif
#ifdef FENCED
#include <sanitizer/asan_interface.h>
#endif

enum { ALIGN = 64, HUGE_FROM = 4 << 20, SMALL_PAGE = 64 << 10 }; /* no system has larger ones */

static const uintptr_t MARK = (uintptr_t)0x5ca1ab1e0ddba11ull;

struct head {
    void *raw;
    struct smr_memory *memory;
    int64_t bytes; /* of the block              */
    int64_t given; /* of these, released early */
    _Atomic int64_t holders;
    uintptr_t mark; /* of a block: its address, veiled */
};

static struct head *head_of(void *block)
{
    return (struct head *)(void *)((char *)block - ALIGN);
}

static bool is_block(void *p)
{
    return (uintptr_t)p % ALIGN == 0 && head_of(p)->mark == ((uintptr_t)p ^ MARK);
}

static void count(struct smr_memory *m, int64_t bytes)
{
    int64_t now = atomic_fetch_add(&m->held, bytes) + bytes;
    int64_t peak = atomic_load(&m->peak);
    while (now > peak && !atomic_compare_exchange_weak(&m->peak, &peak, now)) {
    }
}

/* What no one uses of a small block: the end of its head, and what is left over after its bytes. */
static void close_fence(struct head *h)
{
#ifdef FENCED
    char *last = (char *)h + ALIGN + h->bytes, *end = (char *)h->raw + h->bytes + 2 * ALIGN;
    if (h->bytes >= HUGE_FROM) return;
    ASAN_POISON_MEMORY_REGION((char *)h + sizeof *h, ALIGN - sizeof *h);
    ASAN_POISON_MEMORY_REGION(last, (size_t)(end - last));
#endif
    (void)h;
}

/* The C library's free does it by itself. */
static void open_fence(struct head *h)
{
#ifdef FENCED
    if (h->bytes < HUGE_FROM && h->memory->from.alloc)
        ASAN_UNPOISON_MEMORY_REGION(h->raw, (size_t)h->bytes + 2 * ALIGN);
#endif
    (void)h;
}

/* ---- the allocator ---------------------------------------------------------------------- */

static void *take(const smr_allocator *from, size_t bytes, bool zeroed)
{
    if (!from->alloc) return zeroed ? calloc(1, bytes) : malloc(bytes);
    void *raw = from->alloc(from->user, bytes);
    if (raw && zeroed) memset(raw, 0, bytes);
    return raw;
}

static void drop(const smr_allocator *from, void *raw)
{
    if (from->alloc)
        from->release(from->user, raw);
    else
        free(raw);
}

void *smr_memory_take(struct smr_memory *m, size_t bytes)
{
    return take(&m->from, bytes, false);
}

void smr_memory_drop(struct smr_memory *m, void *block)
{
    if (block) drop(&m->from, block);
}

/* ---- accounts --------------------------------------------------------------------------- */

struct smr_memory *smr_memory_create(int64_t limit, const smr_allocator *from)
{
    struct smr_memory *m = take(from, sizeof *m, true);
    if (!m) return NULL;
    m->limit = limit;
    m->from = *from;
    atomic_store(&m->refs, 1);
    atomic_store(&m->fail_at, -1);
    return m;
}

void smr_memory_release(struct smr_memory *m)
{
    if (!m || atomic_fetch_sub(&m->refs, 1) > 1) return;
    smr_allocator from = m->from;
    drop(&from, m);
}

static void *refuse(smr_ctx *ctx, double bytes, const char *why)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    int unit = 0;
    for (; bytes >= 1e3 && unit < SMR_COUNT(units) - 1; unit++) bytes /= 1e3;
    smr_fail(ctx, SMR_ERR_NOMEM, "out of memory: %.*f %s more were asked for%s", unit ? 1 : 0,
             bytes, units[unit], why);
    return NULL;
}

/* The bytes of a request, of which `held` are already held; -1 where it is refused. */
static int64_t grant(smr_ctx *ctx, int64_t n, size_t size, int64_t held)
{
    struct smr_memory *m = ctx->memory;
    const char *why = NULL;
    if (n < 0 || (size && (uint64_t)n > (uint64_t)(INT64_MAX - 4 * SMR_HUGE_PAGE) / size))
        why = ", more than can be addressed";
    else if (atomic_fetch_add(&m->requests, 1) == atomic_load(&m->fail_at))
        why = " (refused by a test)";
    else if (n * (int64_t)size - held > m->limit - atomic_load(&m->held))
        why = ", past the memory budget; raise --memory or use less data";
    if (why) refuse(ctx, (double)n * (double)size - (double)held, why);
    return why ? -1 : n * (int64_t)size;
}

/* Of a large block, with a whole huge page at its end where the block fills most of it: in pages of
 * 4 kB, that end would take longer than all before it. */
static int64_t in_huge_pages(int64_t bytes)
{
    int64_t rest = bytes % SMR_HUGE_PAGE;
    return rest > SMR_HUGE_PAGE / 2 ? bytes - rest + SMR_HUGE_PAGE : bytes;
}

/* Only for memory of the C library: a caller's pages are the caller's. */
static void advise_huge(const struct smr_memory *m, char *block, int64_t bytes)
{
    if (m->from.alloc) return;
    uintptr_t page = SMALL_PAGE, skip = (page - (uintptr_t)block % page) % page;
    (void)madvise(block + skip, (size_t)bytes - skip, MADV_HUGEPAGE); /* advice only */
}

static void *allocate(smr_ctx *ctx, int64_t n, size_t size, bool zeroed)
{
    struct smr_memory *m = ctx->memory;
    int64_t bytes = grant(ctx, n, size, 0);
    if (bytes < 0) return NULL;
    size_t align = bytes >= HUGE_FROM ? SMR_HUGE_PAGE : ALIGN;
    int64_t room = bytes >= HUGE_FROM ? in_huge_pages(bytes) : bytes;
    size_t total = (size_t)room + align + ALIGN;
    char *raw = take(&m->from, total, zeroed);
    if (!raw) return refuse(ctx, (double)bytes, ", and the system has none left");

    uintptr_t at = ((uintptr_t)raw + ALIGN + align - 1) / align * align;
    char *block = raw + (at - (uintptr_t)raw);
    struct head *h = head_of(block);
    h->raw = raw;
    h->memory = m;
    atomic_fetch_add(&m->refs, 1);
    h->bytes = bytes;
    h->given = 0;
    atomic_init(&h->holders, 1);
    h->mark = (uintptr_t)block ^ MARK;
    if (bytes >= HUGE_FROM) advise_huge(m, block, room);
    close_fence(h);
    count(m, bytes);
    return block;
}

void *smr_alloc(smr_ctx *ctx, int64_t n, size_t size)
{
    return allocate(ctx, n, size, true);
}

void *smr_alloc_raw(smr_ctx *ctx, int64_t n, size_t size)
{
    return allocate(ctx, n, size, false);
}

/* Moves the head and the first n bytes of a block, which now lie `before` bytes after raw, nearer
 * to raw, to where a block may begin. */
static char *align_again(char *raw, size_t before, int64_t n)
{
    size_t off = (uintptr_t)(raw + before) % ALIGN;
    memmove(raw + before - off - ALIGN, raw + before - ALIGN, ALIGN + (size_t)n);
    return raw + before - off;
}

/* A large block: the system moves its pages, not its bytes, and clears only new ones. */
static void *resize(smr_ctx *ctx, void *block, int64_t n, size_t size)
{
    struct head *h = head_of(block);
    int64_t old = h->bytes, bytes = grant(ctx, n, size, old);
    if (bytes < 0) return NULL;
    size_t before = (size_t)((char *)block - (char *)h->raw);
    const smr_allocator *from = &h->memory->from;
    char *raw = from->alloc ? from->resize(from->user, h->raw, before + (size_t)bytes)
                            : realloc(h->raw, before + (size_t)bytes);
    if (!raw) return refuse(ctx, (double)bytes, ", and the system has none left");
    char *moved = raw + before;
    if ((uintptr_t)moved % ALIGN) moved = align_again(raw, before, SMR_MIN(old, bytes));
    h = head_of(moved);
    h->raw = raw;
    h->bytes = bytes;
    h->mark = (uintptr_t)moved ^ MARK;
    advise_huge(h->memory, moved, bytes);
    count(h->memory, bytes - old);
    return moved;
}

void *smr_realloc(smr_ctx *ctx, void *block, int64_t n, size_t size)
{
    if (block && !is_block(block)) {
        smr_fail(ctx, SMR_ERR_INTERNAL, "an array that is not a block of memory cannot be resized");
        return NULL;
    }
    bool large = block && head_of(block)->bytes >= HUGE_FROM &&
                 (double)n * (double)size >= HUGE_FROM &&
                 (char *)block - (char *)head_of(block)->raw >= 2 * ALIGN;
    if (large) return resize(ctx, block, n, size);
    void *grown = allocate(ctx, n, size, false);
    if (!grown || !block) return grown;
    int64_t kept = SMR_MIN(head_of(block)->bytes, head_of(grown)->bytes);
    memcpy(grown, block, (size_t)kept);
    smr_free(block);
    return grown;
}

void smr_free(void *block)
{
    if (!block || !is_block(block)) return;
    struct head *h = head_of(block);
    if (atomic_fetch_sub(&h->holders, 1) > 1) return;
    struct smr_memory *memory = h->memory;
    count(memory, h->given - h->bytes);
    h->mark = 0;
    open_fence(h);
    drop(&memory->from, h->raw);
    smr_memory_release(memory);
}

bool smr_hold(const void *block)
{
    void *p = (void *)(uintptr_t)block;
    if (!is_block(p)) return false;
    atomic_fetch_add(&head_of(p)->holders, 1);
    return true;
}

bool smr_is_within(const void *block, const void *p)
{
    void *b = (void *)(uintptr_t)block;
    return is_block(b) && (uintptr_t)p - (uintptr_t)b < (uintptr_t)head_of(b)->bytes;
}

/* In huge pages, except at the block's end: smaller pieces would break them up, and the system then
 * keeps them for a while. */
void smr_give_back(void *block, int64_t lo, int64_t hi)
{
    struct head *h = head_of(block);
    uintptr_t at = (uintptr_t)block, page = SMR_HUGE_PAGE;
    if (SMR_MIN(hi, h->bytes) <= lo || h->memory->from.alloc) return;
    uintptr_t from = (at + (uintptr_t)lo + page - 1) / page * page;
    if (hi >= h->bytes) page = SMALL_PAGE;
    uintptr_t to = (at + (uintptr_t)SMR_MIN(hi, h->bytes)) / page * page;
    if (to <= from || madvise((char *)block + (from - at), to - from, MADV_DONTNEED) != 0) return;
    h->given += (int64_t)(to - from);
    count(h->memory, -(int64_t)(to - from));
}

char *smr_strndup(smr_ctx *ctx, const char *text, size_t length)
{
    char *copy = smr_alloc_raw(ctx, (int64_t)length + 1, 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *smr_strdup(smr_ctx *ctx, const char *text)
{
    return smr_strndup(ctx, text, strlen(text));
}

smr_status smr_memory_check(smr_ctx *ctx, double bytes, const char *what, const char *hint)
{
    double left = (double)(ctx->memory->limit - atomic_load(&ctx->memory->held));
    if (bytes <= left) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_NOMEM,
                    "%s needs %.1f MB, and the memory budget leaves %.1f MB; %s", what, bytes / 1e6,
                    left / 1e6, hint);
}

void smr_memory_fail_at(smr_ctx *ctx, int64_t n)
{
    struct smr_memory *m = ctx->memory;
    atomic_store(&m->fail_at, n < 0 ? -1 : atomic_load(&m->requests) + n);
}
