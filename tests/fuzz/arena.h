/* arena.h -- memory for one file after another, each of which gives all of it back.
 *
 * AddressSanitizer's own allocator takes half of the time that a small file takes to load.  Here a
 * block is what comes next in an arena that is closed to everybody but where a block is held: what
 * is freed stays closed until the next file, so that no use of it is missed, and a block that is
 * never freed, or not one, ends the run.  What finds no room is the C library's.
 *
 * The sanitizer says of such a block only where it was touched, not where it was taken; the replay
 * of the file under asan says both. */
#ifndef SMR_FUZZ_ARENA_H
#define SMR_FUZZ_ARENA_H

#include "samara.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_CLOSES
#include <sanitizer/asan_interface.h>
#endif
#endif

/* The arena is what is looked after, not what is looked at. */
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("address", "undefined", "coverage"))), \
                             apply_to = function)
#endif

/* A block begins 16 bytes after a line of the cache: as core/mem.h lays it out, 16 bytes of it are
 * left over behind what its caller asked for, and 64 lie before.  Large ones lie as far apart as
 * the sanitizer's own, whose pages the system would have to clear for each file. */
enum { ARENA_ROOM = 8 << 20, ARENA_LINE = 64, ARENA_HEAD = 16 };
enum { ARENA_LARGE = 1 << 16, ARENA_APART = 2048 };

struct arena_head {
    size_t bytes;
    uint64_t mark;
};
static const uint64_t ARENA_MARK = UINT64_C(0xA5EA0B10C0000001);

static _Alignas(ARENA_LINE) char arena_room[ARENA_ROOM];
static size_t arena_used;
static int64_t arena_held; /* blocks, the C library's too */

static void arena_close(char *from, size_t n, bool closed)
{
#ifdef ARENA_CLOSES
    if (closed)
        ASAN_POISON_MEMORY_REGION(from, n);
    else
        ASAN_UNPOISON_MEMORY_REGION(from, n);
#endif
    (void)from;
    (void)n;
    (void)closed;
}

static bool arena_has(const void *block)
{
    return (uintptr_t)block - (uintptr_t)arena_room < ARENA_ROOM;
}

static void *arena_alloc(void *user, size_t bytes)
{
    size_t whole = (ARENA_HEAD + bytes + ARENA_LINE - 1) / ARENA_LINE * ARENA_LINE;
    size_t apart = bytes >= ARENA_LARGE ? ARENA_APART : 0;
    (void)user;
    whole += 2 * apart;
    if (bytes > ARENA_ROOM || whole > ARENA_ROOM - arena_used) {
        void *block = malloc(bytes);
        arena_held += block != NULL;
        return block;
    }
    struct arena_head *head = (void *)(arena_room + arena_used + apart);
    char *block = (char *)head + ARENA_HEAD;
    arena_used += whole;
    arena_held++;
    *head = (struct arena_head){bytes, ARENA_MARK ^ (uintptr_t)block};
    arena_close(block, bytes, false);
    return block;
}

static void arena_release(void *user, void *block)
{
    (void)user;
    arena_held--;
    if (!arena_has(block)) {
        free(block);
        return;
    }
    struct arena_head *head = (void *)((char *)block - ARENA_HEAD);
    if (head->mark != (ARENA_MARK ^ (uintptr_t)block)) abort(); /* freed twice, or never taken */
    head->mark = 0;
    arena_close(block, head->bytes, true);
}

/* core/mem.h asks for it where blocks are larger than the arena. */
static void *arena_resize(void *user, void *block, size_t bytes)
{
    (void)user;
    if (arena_has(block)) abort();
    return realloc(block, bytes);
}

/* What a block holds before anything is written to it does not depend on the files before it. */
static void arena_fill(size_t n)
{
    char *at = arena_room;
#if defined(__x86_64__)
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(n) : "a"(0xBE) : "memory");
#else
    for (volatile char *c = at; n > 0; n--) *c++ = (char)0xBE;
#endif
}

/* All blocks were given back, and the next file may have the memory. */
static void arena_begin(smr_ctx_opts *opts)
{
    static bool closed;
    if (arena_held) abort();
    arena_fill(closed ? arena_used : ARENA_ROOM);
    if (!closed) arena_close(arena_room, ARENA_ROOM, true);
    closed = true;
    arena_used = 0;
    opts->alloc = arena_alloc;
    opts->resize = arena_resize;
    opts->release = arena_release;
}

#ifdef __clang__
#pragma clang attribute pop
#endif

#endif
