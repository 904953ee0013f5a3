/* sums.h -- a grammar that is not samara's, for tests of code that knows grammars by their table: a
 * sum of numbers, "1+2.5+3", each of which is a word `term` with a parameter `by`. */
#ifndef SMR_TESTS_SUMS_H
#define SMR_TESTS_SUMS_H

#include "check.h"

#include "core/number.h"
#include "core/params.h"

struct term {
    double by;
};

struct sum {
    int64_t n;
    struct term *term;
};

static const smr_param term_params[] = {
    {SMR_FIELD(struct term, by), .def = 1, .min = 0, .max = 100, .doc = "d"}};
static const smr_word term_word = {
    .name = "term", .params = term_params, .n_params = 1, .params_size = sizeof(struct term)};

static void sum_release(void *at)
{
    struct sum *sum = at;
    smr_free(sum->term);
    *sum = (struct sum){0};
}

static smr_status sum_read(smr_ctx *ctx, const smr_word *word, const smr_param *p, const char *text,
                           bool saved, void *at)
{
    struct sum sum = {.term = smr_alloc(ctx, 8, sizeof *sum.term)};
    (void)saved;
    if (!sum.term) return SMR_ERR_NOMEM;
    for (const char *c = text; sum.n < 8; c++) {
        const char *end = c + strcspn(c, "+");
        if (smr_parse_double(c, end, &sum.term[sum.n++].by) != end) {
            sum_release(&sum);
            return smr_fail(ctx, SMR_ERR_PARAM, "%s: %s is not a sum", word->name, p->name);
        }
        c = end;
        if (!*c) break;
    }
    sum_release(at);
    *(struct sum *)at = sum;
    return SMR_OK;
}

static void sum_write(const void *at, smr_text *out)
{
    const struct sum *sum = at;
    for (int64_t i = 0; i < sum->n; i++) {
        if (i) smr_text_add(out, "+");
        smr_text_number(out, sum->term[i].by);
    }
}

static smr_status sum_copy(smr_ctx *ctx, const void *from, void *to)
{
    const struct sum *old = from;
    struct sum *sum = to;
    if (!old->n) return SMR_OK;
    sum->term = smr_alloc(ctx, 8, sizeof *sum->term);
    if (!sum->term) return SMR_ERR_NOMEM;
    sum->n = old->n;
    memcpy(sum->term, old->term, (size_t)old->n * sizeof *sum->term);
    return SMR_OK;
}

static int64_t sum_count(const void *at)
{
    return ((const struct sum *)at)->n > 0;
}

static bool sum_find(const void *at, int64_t i, smr_inner *out)
{
    const struct sum *sum = at;
    if (i >= sum->n) return false;
    *out = (smr_inner){.word = &term_word, .params = &sum->term[i], .place = i + 1};
    return true;
}

static const smr_grammar sums = {.size = sizeof(struct sum),
                                 .read = sum_read,
                                 .write = sum_write,
                                 .copy = sum_copy,
                                 .release = sum_release,
                                 .count = sum_count,
                                 .find = sum_find,
                                 .one = "a sum",
                                 .several = "sums"};

/* A word with a sum, unset until it is set, and one that must be given. */
struct made {
    double alone; /* only without a sum */
    struct sum sum, must;
};

static const smr_param made_params[] = {
    {SMR_FIELD(struct made, alone), .def = 3, .min = 0, .max = 9, .when = "sum=none", .doc = "d"},
    {SMR_FIELD(struct made, sum), .grammar = &sums, .unset = true, .most = 1, .doc = "d"},
    {SMR_FIELD(struct made, must), .grammar = &sums, .least = 1, .most = 1, .doc = "d"},
};
static const smr_word made_word = {
    .name = "made", .params = made_params, .n_params = 3, .params_size = sizeof(struct made)};

#endif
