/* mutate_model.h -- changes a model file as a file, not as bytes: its tensors, shapes and numbers,
 * its metadata and its members.  The container is written anew, so that offsets and checksum are
 * right and the change reaches the code behind them. */
#ifndef SMR_FUZZ_MUTATE_MODEL_H
#define SMR_FUZZ_MUTATE_MODEL_H

#include "mutant_file.h"

/* See mutant.h. */
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("address", "undefined", "coverage"))), \
                             apply_to = function)
#endif

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* ---- text ------------------------------------------------------------------------------- */

static const char *const mutant_words[] = {
    "adaboost",    "bag",         "baseline", "boost",    "calibrate", "conformal", "elastic",
    "experts",     "forest",      "gamma",    "huber",    "impute",    "knn",       "lad",
    "lasso",       "linear",      "logistic", "majority", "onehot",    "ova",       "ovo",
    "perceptron",  "poisson",     "poly",     "quantile", "ridge",     "select",    "sgd",
    "stack",       "standardize", "stump",    "subset",   "subspace",  "svm",       "tree",
    "vote",        "words",       "classify", "regress",  "none",      "cluster",   "sequence",
    "number",      "category",    "text",     "date",     "yes",       "no",        "true",
    "false",       "null",        "exact",    "sgd",      "gd",        "isotonic",  "platt",
    "temperature", "voted",       "averaged", "squared",  "hinge",     "absolute",  "huber",
    "quantile",    "median",      "mean",     "mode",     "constant",  "first",     "auto",
    "brute",       "tree",        "distance", "uniform"};

/* [at, at + n) of a text becomes `by`. */
static char *replaced(struct mutant *m, const char *text, size_t at, size_t n, const char *by)
{
    size_t length = strlen(text), more = strlen(by);
    char *out = copy_of(m, NULL, 0, length - n + more + 1);
    if (!out) return NULL;
    memcpy(out, text, at);
    memcpy(out + at, by, more);
    memcpy(out + at + more, text + at + n, length - at - n + 1);
    return out;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_number(char c)
{
    return (c >= '0' && c <= '9') || c == '.' || c == '-';
}

/* The run of such letters at or after a random place; its length, or 0. */
static size_t find_run(struct mutant *m, const char *text, bool (*is)(char), size_t *at)
{
    size_t length = strlen(text), n = 0;
    *at = length ? roll(m, length) : 0;
    while (*at < length && !is(text[*at])) ++*at;
    while (*at > 0 && is(text[*at - 1])) --*at;
    while (*at + n < length && is(text[*at + n])) n++;
    return n;
}

static void change_text(struct mutant *m, const char **text)
{
    size_t at = 0, n = 0, length = strlen(*text);
    char buffer[64] = "";
    const char *by = buffer;
    if (length > 20000) return;
    switch (roll(m, 8)) {
    case 0:
    case 1:
    case 2:
        n = find_run(m, *text, is_number, &at);
        snprintf(buffer, sizeof buffer, roll(m, 3) ? "%.0f" : "%g",
                 n ? odd_real(m, atof(*text + at)) : 1);
        if (roll(m, 2))
            snprintf(buffer, sizeof buffer, "%lld", (long long)odd_whole(m, atoi(*text + at)));
        break;
    case 3:
    case 4:
        n = find_run(m, *text, is_word, &at);
        by = mutant_words[roll(m, SMR_COUNT(mutant_words))];
        break;
    case 5: /* a part again */
        at = length ? roll(m, length) : 0;
        snprintf(buffer, sizeof buffer, "%.*s", (int)roll(m, 60), *text + at);
        break;
    case 6: /* a part is gone */
        at = length ? roll(m, length) : 0;
        n = roll(m, SMR_MIN(length - at, 40) + 1);
        break;
    default:
        at = length ? roll(m, length) : 0;
        n = at < length;
        snprintf(buffer, sizeof buffer, "%c", "{}[]\"\\:,|=() 0a"[roll(m, 15)]);
    }
    char *now = replaced(m, *text, at, n, by);
    if (now) *text = now;
}

static void drop_meta(struct mutant *m, int64_t k)
{
    m->meta[k] = m->meta[--m->n_meta];
}

static void change_meta(struct mutant *m)
{
    if (!m->n_meta) return;
    uint64_t k = roll(m, (uint64_t)m->n_meta);
    if (roll(m, 30) == 0) {
        change_text(m, &m->meta[k].key);
        m->renamed = true;
    } else if (roll(m, 40) == 0) {
        drop_meta(m, (int64_t)k);
    } else {
        change_text(m, &m->meta[k].value);
    }
}

/* Everywhere, in names and in texts: a word becomes another, as if another learner had written the
 * file, or a place another, as if members were nested in another way. */
static void change_everywhere(struct mutant *m)
{
    static const char *const inner[] = {".0.", ".1.", ".of.0.", ".of.1.", ".of.0.0.bag.of.0."};
    smr_file_tensor *t = any_tensor(m);
    char from[64] = "", to[64] = "";
    size_t at = 0;
    if (!t) return;
    if (roll(m, 2)) {
        size_t n = find_run(m, t->name, is_word, &at);
        snprintf(from, sizeof from, "%.*s", (int)n, t->name + at);
        snprintf(to, sizeof to, "%s", mutant_words[roll(m, SMR_COUNT(mutant_words))]);
    } else {
        snprintf(from, sizeof from, "%s", inner[roll(m, SMR_COUNT(inner))]);
        snprintf(to, sizeof to, "%s", inner[roll(m, SMR_COUNT(inner))]);
    }
    if (!from[0]) return;
    for (int64_t k = 0; k < m->n_tensors + m->n_meta; k++) {
        const char **text =
            k < m->n_tensors ? &m->tensor[k].name : &m->meta[k - m->n_tensors].value;
        const char *found = strstr(*text, from);
        if (!found || strlen(*text) > 20000) continue;
        char *now = replaced(m, *text, (size_t)(found - *text), strlen(from), to);
        if (now) *text = now;
    }
    m->renamed = true;
}

/* Tensors of one place once more at another: members and stages that come again. */
static void copy_place(struct mutant *m)
{
    const smr_file_tensor *from = any_tensor(m), *to = any_tensor(m);
    char prefix[MUTATED_NAME], place[MUTATED_NAME], name[2 * MUTATED_NAME];
    if (!from) return;
    snprintf(prefix, sizeof prefix, "%.*s", (int)stage_of(from->name), from->name);
    snprintf(place, sizeof place, "%.*s", (int)stage_of(to->name), to->name);
    int64_t n = m->n_tensors;
    for (int64_t k = 0; k < n; k++) {
        if (strncmp(m->tensor[k].name, prefix, strlen(prefix)) != 0) continue;
        snprintf(name, sizeof name, "%s%s", place, m->tensor[k].name + strlen(prefix));
        add_tensor(m, &m->tensor[k], name);
    }
    m->renamed = true;
}

static void swap_data(struct mutant *m)
{
    smr_file_tensor *a = any_tensor(m), *b = any_tensor(m);
    if (!a || a == b) return;
    const char *name = a->name;
    a->name = b->name;
    b->name = name;
}

/* ---- the whole -------------------------------------------------------------------------- */

/* Tensors of another file: those that both have, or others too. */
static void mix(struct mutant *m)
{
    if (!mutant_n_good || m->alone) return;
    const struct mutant_kept *k = &mutant_good[roll(m, mutant_n_good)].now;
    bool others = roll(m, 4) == 0;
    for (int64_t i = 0; i < k->n_tensors; i++) {
        int64_t at = 0;
        if (roll(m, 4)) continue;
        while (at < m->n_tensors && strcmp(m->tensor[at].name, k->tensor[i].name) != 0) at++;
        if (at < m->n_tensors) drop_tensor(m, at);
        if (at < m->n_tensors || others) add_tensor(m, &k->tensor[i], k->tensor[i].name);
    }
    if (roll(m, 4) == 0 && k->n_meta && m->n_meta) {
        char *value = copy_text(m, k->meta[roll(m, (uint64_t)k->n_meta)].value);
        if (value) m->meta[roll(m, (uint64_t)m->n_meta)].value = value;
    }
    m->renamed = true;
}

/* What seldom leaves a file that can be loaded. */
static void change_much(struct mutant *m)
{
    smr_file_tensor *t = any_tensor(m);
    switch (roll(m, 8)) {
    case 0: swap_data(m); break;
    case 6: mix(m); break;
    case 1: copy_place(m); break;
    case 2: change_everywhere(m); break;
    case 3: change_type(m); break;
    case 4: change_shape(m); break;
    case 5:
        if (t) drop_tensor(m, t - m->tensor);
        break;
    default:
        if (t) change_text(m, &t->name);
        m->renamed = true;
    }
}

static void change(struct mutant *m)
{
    uint64_t die = roll(m, 24);
    if (die == 0)
        change_much(m);
    else if (die < 3)
        change_meta(m);
    else if (die < 6)
        change_size(m);
    else if (die < 10)
        shuffle_numbers(m);
    else
        change_numbers(m);
}

/* Names occur once: of those that came twice, the first stays. */
static void drop_twins(struct mutant *m)
{
    for (int64_t i = 0; i < m->n_tensors; i++)
        for (int64_t k = m->n_tensors - 1; k > i; k--)
            if (strcmp(m->tensor[i].name, m->tensor[k].name) == 0) drop_tensor(m, k);
    for (int64_t k = m->n_tensors - 1; k >= 0; k--)
        if (strcmp(m->tensor[k].name, "__metadata__") == 0) drop_tensor(m, k);
    for (int64_t i = 0; i < m->n_meta; i++)
        for (int64_t k = m->n_meta - 1; k >= i; k--)
            if (strcmp(m->meta[k].key, "sha256") == 0 ||
                (k > i && strcmp(m->meta[i].key, m->meta[k].key) == 0))
                drop_meta(m, k);
}

const char *__asan_default_options(void);

/* Stacks of every allocation would take a third of the time, and so would memory that is never in
 * the cache: what a file took is all freed before the next one, so that little need be
 * set aside. */
const char *__asan_default_options(void)
{
    return "malloc_context_size=1:quarantine_size_mb=2:thread_local_quarantine_size_kb=512";
}

void fuzz_no_hook(void);

/* What the fuzzer would learn from the texts that a loader compares, the mutator knows; to tell it
 * takes a tenth of the time.  cmake/fuzz.cmake puts this in the place of libFuzzer's hooks. */
void fuzz_no_hook(void)
{
}

/* Measures of the training are a tenth of a small file, and all read by the same few lines. */
static void drop_summary(struct mutant *m)
{
    for (int64_t k = 0; k < m->n_meta; k++)
        if (strcmp(m->meta[k].key, "summary") == 0) {
            drop_meta(m, k);
            return;
        }
}

/* Of a file that was loaded, or of the one that is given; its place among the former, or -1. */
static bool choose(struct mutant *m, const uint8_t *data, size_t size, int64_t *place)
{
    *place = -1;
    if (mutant_n_good && roll(m, 8)) {
        *place = any_good(m);
        restore(m, roll(m, 8) ? &mutant_good[*place].now : &mutant_good[*place].first);
        if (roll(m, 16)) drop_summary(m);
        return true;
    }
    if (!was_written(data, size)) return open_mutant(data, size, m);
    *place = mutant_written.place;
    return true;
}

/* Some changes, and the file that they make; 0: there is no room for it. */
static size_t change_and_write(struct mutant *m, uint8_t *out, size_t room)
{
    for (uint64_t k = 1 + (roll(m, 3) == 0 ? roll(m, 4) : 0); k > 0; k--) change(m);
    if (m->renamed) drop_twins(m);
    return write_mutant(m, out, room);
}

static uint64_t mutant_seed(uint64_t seed)
{
    return UINT64_C(0x9E3779B97F4A7C15) * (seed + 1) | 1;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    struct mutant *m = &mutant_now;
    size_t made = 0;
    int64_t place = -1;
    m->random = mutant_seed(seed);
    if (roll(m, 60) && choose(m, data, size, &place)) {
        made = change_and_write(m, data, max_size);
        mutant_written.place = place;
        if (made) return made;
    }
    mutant_written.size = 0;
    made = LLVMFuzzerMutate(data, size, max_size);
    mend_checksum((char *)data, (int64_t)made);
    return made;
}

/* Mutants of a file, one after another, made of its bytes alone, so that who has the file has them
 * too.  begin: may there be any? */
static struct mutant_kept sibling_of;

static inline bool begin_siblings(const uint8_t *data, size_t size)
{
    if (!was_written(data, size)) {
        mutant_written.place = -1;
        if (!open_mutant(data, size, &mutant_now)) return false;
    }
    return keep(&sibling_of, &mutant_now);
}

static inline size_t next_sibling(uint64_t seed, uint8_t *out, size_t room)
{
    restore(&mutant_now, &sibling_of);
    mutant_now.random = mutant_seed(seed);
    mutant_now.alone = true;
    return change_and_write(&mutant_now, out, room);
}

#ifdef __clang__
#pragma clang attribute pop
#endif

#endif
