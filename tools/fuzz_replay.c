/* fuzz_replay.c -- gives every file of a corpus to a fuzz target, once, and reports in TAP.
 *
 * Linked with a target in place of libFuzzer, so that any compiler can run the corpora as tests:
 *
 *     replay_csv tests/fuzz/corpus/csv
 *
 * A target that crashes takes the program with it; the line printed before names the file. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
