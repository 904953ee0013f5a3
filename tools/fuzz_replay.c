/* fuzz_replay.c -- gives every file of a corpus to a fuzz target, once, and reports in TAP.
 *
 * Linked with a target in place of libFuzzer, so that any compiler can run the corpora as tests:
 *
 *     replay_csv tests/fuzz/corpus/csv
 *
 * Where the target has a mutator of its own, it also gets some files changed by it.
 *
 * A target that crashes takes the program with it; the line printed before names the file. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Of a target that changes its inputs itself; else there is none. */
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                                                     unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* A target that does a part of what it can with each input does all of it here. */
extern const int fuzz_uses_all;
const int fuzz_uses_all = 1;

enum { LARGEST = 100000, CHANGED = 12 };

/* What libFuzzer has, for a target's mutator: one byte becomes another, always the same one. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    (void)max_size;
    if (size) data[size * 7 / 11] ^= (uint8_t)(1 + size % 255);
    return size;
}

/* Some inputs that the target's mutator makes of one: the same ones every time. */
static void replay_changed(const uint8_t *bytes, size_t size, unsigned number)
{
    uint8_t *changed = LLVMFuzzerCustomMutator && size <= LARGEST ? malloc(LARGEST) : NULL;
    for (unsigned k = 0; changed && k < CHANGED; k++) {
        memcpy(changed, bytes, size);
        size_t n = LLVMFuzzerCustomMutator(changed, size, LARGEST, CHANGED * number + k);
        uint8_t *exact = malloc(n ? n : 1);
        if (exact) {
            memcpy(exact, changed, n);
            LLVMFuzzerTestOneInput(exact, n);
        }
        free(exact);
    }
    free(changed);
}

/* The bytes of a file, or NULL; *size receives their number.  The block has exactly that size, so
 * that a sanitizer sees a read past its end. */
static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    long length = ftell(f);
    rewind(f);
    uint8_t *bytes = length >= 0 ? malloc(length ? (size_t)length : 1) : NULL;
    if (bytes && fread(bytes, 1, (size_t)length, f) != (size_t)length) {
        free(bytes);
        bytes = NULL;
    }
    fclose(f);
    *size = (size_t)length;
    return bytes;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int replay(const char *folder, const char *name, int number)
{
    char path[4096];
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    uint8_t *bytes = read_file(path, &size);
    if (!bytes) {
        printf("not ok %d - %s cannot be read\n", number, path);
        return 1;
    }
    printf("# %s, %zu bytes\n", name, size);
    fflush(stdout);
    LLVMFuzzerTestOneInput(bytes, size);
    replay_changed(bytes, size, (unsigned)number);
    free(bytes);
    printf("ok %d - %s\n", number, name);
    return 0;
}

int main(int argc, char **argv)
{
    int n_failed = 0, n_tests = 1;

    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    printf("ok 1 - the empty input\n");
    for (int a = 1; a < argc; a++) {
        struct dirent **entries = NULL;
        int n = scandir(argv[a], &entries, is_visible, alphasort);
        for (int i = 0; i < n; i++) {
            n_failed += replay(argv[a], entries[i]->d_name, ++n_tests);
            free(entries[i]);
        }
        free(entries);
    }
    printf("1..%d\n", n_tests);
    return n_failed != 0;
}
