/* fuzz_words.c -- any bytes as a text: the walk ends, n-grams are whole UTF-8 characters within
 * their limits, and a text cut at white space gives the words of its parts. */
#include "core/text.h"
#include "transform/tokens.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good)
{
    if (!good) abort();
}

/* Number of n-grams; each of them is looked at. */
static int64_t walk_over(const smr_token_rule *rule, const char *text, int64_t length)
{
    smr_tokens walk;
    const char *gram;
    int32_t n;
    int64_t count = 0;
    smr_tokens_begin(&walk, rule, text, length);
    while (smr_tokens_next(&walk, &gram, &n)) {
        must(n > 0 && n <= SMR_GRAM_MOST * (SMR_TOKEN_MAX + 1));
        for (const char *p = gram; p < gram + n;) {
            int step = smr_utf8_step(p, gram + n);
            must(step > 0);
            p += step;
        }
        must(++count <= (length + 1) * (rule->max_n - rule->min_n + 1));
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const stop[] = {"a", "the"};
    if (size < 2) return 0;
    smr_token_rule rule = {.chars = data[0] & 1, .lower = data[0] & 2, .min_length = 1};
    rule.min_n = 1 + (data[0] >> 2) % 4;
    rule.max_n = rule.min_n + (data[0] >> 4) % 5;
    if (data[1] & 1) {
        rule.stop = stop;
        rule.n_stop = 2;
    }
    smr_token_rule_fill(&rule);
    const char *text = (const char *)data + 2;
    int64_t n = (int64_t)size - 2;
    walk_over(&rule, text, n);
    const char *space = memchr(text, ' ', (size_t)n);
    if (!space || rule.chars) return 0;
    rule.min_n = rule.max_n = 1;
    int64_t at = space - text;
    must(walk_over(&rule, text, at) + walk_over(&rule, space, n - at) == walk_over(&rule, text, n));
    return 0;
}
