/* tally.h -- what a run did: how many files the loader was given, how many passed, which learners
 * these held, and which uses were made of them.  SMR_FUZZ_TALLY names the file that says so; it is
 * written again after every few thousand files, so that a run that is stopped has one too. */
#ifndef SMR_FUZZ_TALLY_H
#define SMR_FUZZ_TALLY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { TALLIED = 160, TALLY_EVERY = 4096 };

struct tally_row {
    const char *name; /* a constant, known by its address */
    int64_t n, worked, last;
};

static struct {
    int64_t n_files, n_loaded;
    struct tally_row learners[TALLIED], uses[TALLIED];
} tally;

static struct tally_row *tally_row(struct tally_row *rows, const char *name)
{
    int k = 0;
    while (k < TALLIED - 1 && rows[k].name && rows[k].name != name) k++;
    rows[k].name = name;
    return &rows[k];
}

/* A model that was loaded holds this learner, once or more. */
static inline void count_learner(const char *name)
{
    struct tally_row *row = tally_row(tally.learners, name);
    if (row->last == tally.n_files) return;
    row->last = tally.n_files;
    row->n++;
}

/* It was used in this way; worked: and had an answer, not a refusal. */
static inline void count_use(const char *name, bool worked)
{
    struct tally_row *row = tally_row(tally.uses, name);
    row->n++;
    row->worked += worked;
}

static void write_tally(void)
{
    const char *path = getenv("SMR_FUZZ_TALLY");
    char aside[4096];
    if (!path || snprintf(aside, sizeof aside, "%s.new", path) >= (int)sizeof aside) return;
    FILE *f = fopen(aside, "w");
    if (!f) return;
    fprintf(f, "files %lld\nloaded %lld\n", (long long)tally.n_files, (long long)tally.n_loaded);
    for (int k = 0; k < TALLIED && tally.learners[k].name; k++)
        fprintf(f, "learner %s %lld\n", tally.learners[k].name, (long long)tally.learners[k].n);
    for (int k = 0; k < TALLIED && tally.uses[k].name; k++)
        fprintf(f, "use %s %lld %lld\n", tally.uses[k].name, (long long)tally.uses[k].n,
                (long long)tally.uses[k].worked);
    if (fclose(f) == 0) (void)rename(aside, path);
}

/* Each target calls it once for each file, when the loader has it. */
static void count_file(bool loaded)
{
    if (!tally.n_files) atexit(write_tally);
    if (++tally.n_files % TALLY_EVERY == 0) write_tally();
    tally.n_loaded += loaded;
}

#endif
