/* words.c -- texts as bags of words: how often each word or n-gram of a vocabulary occurs.
 *
 *     x_w = c_w                 weight=count        c_w: how often w occurs in the text
 *           1                          binary
 *           c_w / sum_v c_v            tf           v over the vocabulary's words in the text
 *           1 + ln c_w                 log
 *           c_w idf_w                  tfidf        idf_w = ln((1 + n) / (1 + n_w)) + 1       (1)
 *
 * with n training rows, n_w of which hold w.  norm=l1, l2 then divides a text's features by the sum
 * of their magnitudes, or by their length.
 *
 * The vocabulary is that of the training texts: n-grams (tokens.h) that at least min_count rows and
 * at most the share max_share of the rows hold; of more than max_features the most frequent, ties
 * bytewise.  Features are sorted bytewise.  With hash=B there is none: an n-gram is one of B
 * buckets by its hash, another bit of which gives its sign (Weinberger et al.); then nothing is
 * learned except idf, and a stream can begin with it.
 *
 * Rows are sparse.  Inputs that are not text pass through, before the words; a missing text is
 * empty.  Each text column has a vocabulary of its own.  Cost: texts are read twice in training,
 * once in prediction, at a few nanoseconds per byte; the state holds the words, and 24 bytes more
 * for each. */
#include "transform/words.h"

#include "core/sort.h"
#include "core/text.h"
#include "data/infer.h"
#include "kernel/kernel.h"

#include <string.h>

enum { MOST_BUCKETS = 1 << 24, SHOWN = 25 };

/* ---- parameters ------------------------------------------------------------------------- */

static const smr_choice unit[] = {
    {"word", "runs of letters and digits; an ideograph is a word of its own"},
    {"char", "characters, with white space as one space"},
    {NULL, NULL},
};
static const smr_choice weight[] = {
    {"count", "how often it occurs in the text"},
    {"binary", "1 if it occurs"},
    {"tf", "its share of the text's counted words"},
    {"log", "1 + ln(count)"},
    {"tfidf", "count * (ln((1 + rows) / (1 + rows that hold it)) + 1)"},
    {NULL, NULL},
};
static const smr_choice norm[] = {
    {"auto", "l2 with weight=tfidf, else none"},
    {"none", "as they are"},
    {"l1", "magnitudes of a text's features sum to 1"},
    {"l2", "squares of a text's features sum to 1"},
    {NULL, NULL},
};

#define FIELD(name_) SMR_FIELD(struct smr_words_params, name_)
static const smr_param params[] = {
    {FIELD(column), .primary = true,
     .doc = "Text columns, several in quotes separated by commas; default: all texts."},
    {FIELD(unit), .choices = unit, .doc = "What n-grams are made of."},
    {FIELD(lower), .def = true, .doc = "Convert to lower case."},
    {FIELD(min_length), .def = 1, .min = 1, .max = SMR_TOKEN_MAX, .when = "unit=word",
     .doc = "Minimum length of a word, in characters."},
    {FIELD(min_n), .def = 1, .min = 1, .max = SMR_GRAM_MOST,
     .doc = "Length of the shortest n-grams."},
    {FIELD(max_n), .def = 1, .min = 1, .max = SMR_GRAM_MOST, .search = SMR_SEARCH_LINEAR,
     .search_min = 1, .search_max = 3, .simpler = SMR_SIMPLER_LOW,
     .doc = "Length of the longest n-grams: 2 adds pairs of words to single words."},
    {FIELD(min_count), .def = 1, .min = 1, .max = 1e15, .search = SMR_SEARCH_LOG, .search_min = 1,
     .search_max = 20, .simpler = SMR_SIMPLER_HIGH,
     .doc = "Minimum number of training rows that contain a word for it to be kept."},
    {FIELD(max_share), .def = 1, .min = 0, .max = 1, .min_open = true,
     .doc = "Maximum share of the training rows that contain a word for it to be kept."},
    {FIELD(max_features), .def = 0, .min = 0, .max = 1e9,
     .doc = "Maximum size of a column's vocabulary, the most frequent words first; 0: no limit."},
    {FIELD(stop), .when = "unit=word",
     .doc = "Words to leave out, in quotes; english: a short list of function words."},
    {FIELD(weight), .choices = weight, .search = SMR_SEARCH_VALUES,
     .doc = "How a word is counted."},
    {FIELD(norm), .choices = norm, .doc = "How the features of a text are normalised."},
    {FIELD(hash), .def = 0, .min = 0, .max = MOST_BUCKETS,
     .doc = "Number of hash buckets to use instead of a vocabulary, for streams and huge "
            "vocabularies; 0: a vocabulary."},
};

static smr_status check_params(smr_ctx *ctx, const void *params_)
{
    const struct smr_words_params *p = params_;
    if (p->min_n > p->max_n)
        return smr_fail(ctx, SMR_ERR_PARAM, "words: min_n=%lld is more than max_n=%lld",
                        (long long)p->min_n, (long long)p->max_n);
    if (p->hash && (p->min_count > 1 || p->max_share < 1 || p->max_features))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "words: hash= keeps no vocabulary, so min_count, max_share and "
                        "max_features have nothing to choose from; leave them out");
    return SMR_OK;
}

/* ---- state ------------------------------------------------------------------------------ */

#define KEPT(name_) SMR_KEPT(struct smr_words_state, name_)
static const smr_state state[] = {
    {KEPT(n_inputs), .is = "features", .min = 1, .doc = "Features that come in."},
    {KEPT(n_texts), .most = "n_inputs", .min = 1, .doc = "Of these, texts that are read."},
    {KEPT(n_kept), .most = "n_inputs", .min = 0,
     .doc = "And others, which pass through, before the texts."},
    {KEPT(n_words), .min = 1, .doc = "Words of all texts, or buckets."},
    {KEPT(n_firsts), .is = "n_texts + 1", .min = 2, .doc = "n_texts + 1."},
    {KEPT(n_starts), .min = 0, .doc = "n_words + 1; 0 with hash."},
    {KEPT(n_bytes), .min = 0, .doc = "Bytes of all words."},
    {KEPT(text_input), .below = "n_inputs", .order = SMR_ORDER_ASCENDS, .dims = {"n_texts"},
     .doc = "Which input a text is."},
    {KEPT(text), .dims = {"n_texts"}, .doc = "Which of the table's texts it is."},
    {KEPT(kept), .below = "n_inputs", .order = SMR_ORDER_ASCENDS, .dims = {"n_kept"},
     .doc = "Inputs that pass through, ascending."},
    {KEPT(first), .below = "n_words", .order = SMR_ORDER_STARTS, .dims = {"n_firsts"},
     .doc = "Where a text's words begin."},
    {KEPT(start), .below = "n_bytes", .order = SMR_ORDER_STARTS, .dims = {"n_starts"},
     .optional = true, .doc = "Where a word's bytes begin."},
    {KEPT(bytes), .dims = {"n_bytes"}, .optional = true,
     .doc = "The words, UTF-8, each text's sorted bytewise."},
    {KEPT(rows), .reals = SMR_REALS_FROM_0, .doc = "Weight of the training rows."},
    {KEPT(documents), .reals = SMR_REALS_FROM_0, .dims = {"n_words"}, .optional = true,
     .doc = "Weight of the training rows that hold a word."},
    {KEPT(counts), .reals = SMR_REALS_FROM_0, .dims = {"n_words"}, .optional = true,
     .doc = "How often a word occurs in the training rows, weighted."},
};

static void release(void *state_)
{
    struct smr_words_state *s = state_;
    for (int64_t k = 0; s->books && k < s->n_texts; k++) smr_wordbook_release(&s->books[k]);
    smr_free(s->books);
    smr_free(s->idf);
    smr_free(s->stop_bytes);
    smr_free((void *)s->stop);
}

static smr_status prepare_rule(smr_ctx *ctx, const struct smr_words_params *p,
                               struct smr_words_state *s)
{
    if (s->rule.max_n) return SMR_OK; /* fit has done it */
    s->rule.chars = p->unit == SMR_UNIT_CHAR;
    s->rule.lower = p->lower;
    s->rule.min_length = p->min_length;
    s->rule.min_n = p->min_n;
    s->rule.max_n = p->max_n;
    smr_token_rule_fill(&s->rule);
    smr_status st = smr_words_stop(ctx, p, &s->stop_bytes, &s->stop, &s->rule.n_stop);
    s->rule.stop = s->stop;
    return st;
}

static smr_status prepare(smr_ctx *ctx, const void *params_, void *state_)
{
    const struct smr_words_params *p = params_;
    struct smr_words_state *s = state_;
    smr_status st = SMR_OK;
    TRY(prepare_rule(ctx, p, s));
    if (p->weight == SMR_WEIGHT_TFIDF && s->documents) {
        TRY_NEW(s->idf, s->n_words);
        for (int64_t w = 0; w < s->n_words; w++) /* (1) */
            s->idf[w] = smr_log((1 + s->rows) / (1 + s->documents[w])) + 1;
    }
    if (p->hash) return SMR_OK;
    TRY_NEW(s->books, s->n_texts);
    for (int64_t k = 0; k < s->n_texts; k++)
        TRY(smr_wordbook_over(ctx, s->first[k + 1] - s->first[k], s->start + s->first[k], s->bytes,
                              &s->books[k]));
out:
    return st;
}

/* ---- which columns ---------------------------------------------------------------------- */

/* Is the feature's name in the comma-separated list? */
static bool is_named(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = list; *at;) {
        const char *end = strchr(at, ',');
        size_t length = end ? (size_t)(end - at) : strlen(at);
        if (length == n && memcmp(at, name, n) == 0) return true;
        at += length + (end != NULL);
    }
    return false;
}

static smr_status find_texts(smr_ctx *ctx, const struct smr_words_params *p,
                             const smr_feature *features, int64_t n, struct smr_words_state *s)
{
    smr_status st = SMR_OK;
    s->n_inputs = n;
    TRY_NEW(s->text_input, n);
    TRY_NEW(s->text, n);
    TRY_NEW(s->kept, n);
    for (int64_t j = 0; j < n; j++) {
        bool text = features && features[j].kind == SMR_TEXT;
        if (text && (!*p->column || is_named(p->column, features[j].name))) {
            s->text_input[s->n_texts] = j;
            s->text[s->n_texts++] = features[j].text;
        } else {
            s->kept[s->n_kept++] = j;
        }
    }
    if (s->n_texts == 0 && *p->column)
        return smr_fail(ctx, SMR_ERR_DATA, "words: no text '%s' comes in", p->column);
    if (s->n_texts == 0)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "words: no column is taken as text; name one: \"words COLUMN\", or --type "
                        "COLUMN=text");
    s->n_firsts = s->n_texts + 1;
    TRY_NEW(s->first, s->n_firsts);
    s->n_words = p->hash * s->n_texts;
    for (int64_t k = 0; k <= s->n_texts; k++) s->first[k] = p->hash * k;
out:
    return st;
}

/* ---- fit -------------------------------------------------------------------------------- */

static smr_status fit(smr_ctx *ctx, const void *params_, const smr_data *data, void *state_,
                      smr_fit_report *report)
{
    const struct smr_words_params *p = params_;
    struct smr_words_state *s = state_;
    smr_status st = SMR_OK;
    (void)report;
    TRY(find_texts(ctx, p, data->features, data->n_features, s));
    TRY(prepare_rule(ctx, p, s));
    TRY(smr_words_learn(ctx, p, data, s));
out:
    return st;
}

static smr_status begin(smr_ctx *ctx, const void *params_, const smr_shape *shape, void *state_)
{
    const struct smr_words_params *p = params_;
    if (!p->hash || p->weight == SMR_WEIGHT_TFIDF)
        return smr_fail(ctx, SMR_ERR_UNSUPPORTED,
                        "words learns %s from all rows, which a stream does not have; use words "
                        "hash=65536 with weight=count, binary, tf or log",
                        p->hash ? "the rows of each bucket" : "its vocabulary");
    smr_status st = find_texts(ctx, p, shape->features, shape->n_features, state_);
    return st == SMR_OK ? prepare_rule(ctx, p, state_) : st;
}

/* There is nothing to learn: hashing knows every word. */
static smr_status learn(smr_ctx *ctx, const void *params_, void *state_, const smr_rows *rows,
                        const smr_truths *truths, double *out)
{
    (void)truths;
    if (!out) return SMR_OK;
    return smr_words_predict(ctx, params_, state_, rows, SMR_OUTPUT_TRANSFORM, out, NULL);
}

/* ---- check ------------------------------------------------------------------------------ */

static bool inputs_are_right(const struct smr_words_state *s, const smr_shape *shape)
{
    bool right = s->n_texts + s->n_kept == s->n_inputs;
    int64_t t = 0, k = 0;
    for (int64_t j = 0; right && j < s->n_inputs; j++) {
        if (t < s->n_texts && s->text_input[t] == j) {
            const smr_feature *f = shape->features ? &shape->features[j] : NULL;
            right = !f || (f->kind == SMR_TEXT && f->text == s->text[t]);
            t++;
        } else {
            right = k < s->n_kept && s->kept[k++] == j;
        }
    }
    return right && t == s->n_texts && k == s->n_kept;
}

static bool words_are_right(const struct smr_words_params *p, const struct smr_words_state *s)
{
    int64_t at = 0;
    bool right = s->n_words < INT32_MAX - s->n_kept;
    for (int64_t k = 0; right && p->hash && k < s->n_texts; k++)
        right = s->first[k + 1] - s->first[k] == p->hash;
    if (right && p->weight == SMR_WEIGHT_TFIDF) right = s->documents != NULL;
    for (int64_t w = 0; right && s->documents && w < s->n_words; w++)
        right = s->documents[w] <= s->rows;
    if (!right || p->hash) return right;
    right = s->n_starts == s->n_words + 1 && s->start && s->bytes;
    for (int64_t w = 0; right && w < s->n_words; w++) {
        int64_t n = s->start[w + 1] - s->start[w];
        right = n > 0 && n <= (SMR_TOKEN_MAX + 1) * SMR_GRAM_MOST &&
                !memchr(s->bytes + s->start[w], 0, (size_t)n) &&
                smr_is_utf8((const char *)s->bytes + s->start[w], n, &at);
    }
    return right;
}

static smr_status check(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_shape *shape)
{
    const struct smr_words_state *s = state_;
    if (!inputs_are_right(s, shape) || !words_are_right(params_, s))
        return smr_fail(ctx, SMR_ERR_FORMAT, "words does not fit the %lld features that come in",
                        (long long)shape->n_features);
    return SMR_OK;
}

/* ---- what goes out ---------------------------------------------------------------------- */

static int64_t n_out(const void *params_, const void *state_, int64_t n_in)
{
    const struct smr_words_state *s = state_;
    (void)params_, (void)n_in;
    return s->n_kept + s->n_words;
}

static bool is_sparse(const void *params_, const void *state_, bool from_sparse)
{
    (void)params_, (void)state_, (void)from_sparse;
    return true;
}

/* "free", or where there is more than one input "subject=free"; a bucket is "#17". */
static smr_status name_word(smr_ctx *ctx, const struct smr_words_state *s, const smr_feature *in,
                            int64_t k, int64_t w, const char **out)
{
    smr_text name = {.ctx = ctx};
    if (s->n_inputs > 1) smr_text_printf(&name, "%s=", in[s->text_input[k]].name);
    if (s->start)
        smr_text_add_bytes(&name, (const char *)s->bytes + s->start[w],
                           s->start[w + 1] - s->start[w]);
    else
        smr_text_printf(&name, "#%lld", (long long)(w - s->first[k]));
    smr_status st = smr_text_done(&name);
    if (st == SMR_OK)
        *out = name.bytes;
    else
        smr_text_release(&name);
    return st;
}

static smr_status outputs(smr_ctx *ctx, const void *params_, const void *state_,
                          const smr_feature *in, int64_t n_in, smr_feature *out, int64_t n)
{
    const struct smr_words_state *s = state_;
    smr_status st = SMR_OK;
    (void)params_, (void)n_in, (void)n;
    for (int64_t j = 0; j < s->n_kept; j++) {
        const smr_feature *from = &in[s->kept[j]];
        out[j] = (smr_feature){.kind = from->kind,
                               .n_levels = from->n_levels,
                               .levels = from->levels,
                               .text = from->text};
        out[j].name = smr_strdup(ctx, from->name);
        if (!out[j].name) return SMR_ERR_NOMEM;
    }
    for (int64_t k = 0; k < s->n_texts; k++)
        for (int64_t w = s->first[k]; w < s->first[k + 1]; w++)
            TRY(name_word(ctx, s, in, k, w, &out[s->n_kept + w].name));
out:
    return st;
}

/* ---- describe --------------------------------------------------------------------------- */

/* The words that the most rows hold, ties bytewise. */
static smr_status describe_words(smr_ctx *ctx, const struct smr_words_state *s, int64_t k,
                                 const char *column, smr_json *list)
{
    smr_status st = SMR_OK;
    int64_t n = s->first[k + 1] - s->first[k], *order = NULL;
    double *rarity = NULL;
    TRY_NEW(rarity, n + 1);
    TRY_NEW(order, n + 1);
    for (int64_t i = 0; i < n; i++) rarity[i] = -s->documents[s->first[k] + i];
    TRY(smr_argsort_f64(ctx, n, rarity, order));
    for (int64_t r = 0; r < SMR_MIN(n, SHOWN); r++) {
        int64_t w = s->first[k] + order[r];
        smr_json *row = smr_json_add_object(list, NULL);
        if (s->n_texts > 1) smr_json_add_string(row, "column", column);
        smr_json_add_bytes(row, "word", (const char *)s->bytes + s->start[w],
                           s->start[w + 1] - s->start[w]);
        smr_json_add_number(row, "rows", s->documents[w]);
        if (s->counts) smr_json_add_number(row, "count", s->counts[w]);
    }
out:
    smr_free(rarity);
    smr_free(order);
    return st;
}

static smr_status describe(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_feature *in, int64_t n_in, smr_json *into)
{
    const struct smr_words_state *s = state_;
    smr_status st = SMR_OK;
    (void)params_, (void)n_in;
    smr_json_add_number(into, "passed_through", (double)s->n_kept);
    smr_json *list = smr_json_add_array(into, "texts");
    for (int64_t k = 0; k < s->n_texts; k++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "column", in[s->text_input[k]].name);
        smr_json_add_number(row, s->start ? "words" : "buckets",
                            (double)(s->first[k + 1] - s->first[k]));
    }
    if (!s->start || !s->documents) return SMR_OK;
    list = smr_json_add_array(into, "most_frequent");
    for (int64_t k = 0; k < s->n_texts; k++)
        TRY(describe_words(ctx, s, k, in[s->text_input[k]].name, list));
out:
    return st;
}

/* ---- descriptor ------------------------------------------------------------------------- */

static const smr_word about = {
    .name = "words",
    .synonyms = "tfidf bow text vectorize count TfidfVectorizer CountVectorizer",
    .family = "transform",
    .title = "Bag of words",
    .brief = "Turns texts into counts of their words and n-grams, as sparse features.",
    .objective = "x_w = count of w in the text; tfidf: count * (ln((1 + n) / (1 + n_w)) + 1)",
    .details =
        "A word is a run of letters and digits of any script, with apostrophes between letters; "
        "a Han or Hiragana character is a word of its own; everything else separates words, as "
        "do bytes that are not UTF-8. Upper case becomes lower case, character by character. The "
        "vocabulary comes from the training rows alone; other words are ignored. Columns that "
        "are not text pass through and come first; a missing text counts as empty. max_n=2 adds "
        "pairs of neighbouring words, and poly after it adds products of counts. With hash= no "
        "vocabulary is kept. Inserted automatically before a stage that cannot read texts.",
    .reference = "Salton & Buckley, Term-weighting approaches in automatic text retrieval, "
                 "Information Processing & Management 24 (1988); Weinberger et al., Feature "
                 "hashing for large scale multitask learning, ICML 2009",
    .example = "samara train \"words weight=tfidf | knn 5 metric=cosine\" data/messages.csv "
               "--target topic",
    .params = params,
    .n_params = SMR_COUNT(params),
    .params_size = sizeof(struct smr_words_params),
    .check_params = check_params,
};

static const char *texts(const void *params_)
{
    return ((const struct smr_words_params *)params_)->column;
}

static void origins(const void *params_, const void *state_, int64_t n_in, int64_t *from, int64_t n)
{
    const struct smr_words_state *s = state_;
    (void)params_, (void)n_in, (void)n;
    for (int64_t j = 0; j < s->n_kept; j++) from[j] = s->kept[j];
    for (int64_t k = 0; k < s->n_texts; k++)
        for (int64_t w = s->first[k]; w < s->first[k + 1]; w++)
            from[s->n_kept + w] = s->text_input[k];
}

static const smr_can_transform transforms = {
    .origins = origins,
    .adapts = SMR_NEED_WORDS,
    .n_out = n_out,
    .outputs = outputs,
    .is_sparse = is_sparse,
    .append = smr_words_append,
    .no_inverse = "a bag of words does not keep their order",
};

static const smr_fitted fitted = {
    .state = state,
    .n_state = SMR_COUNT(state),
    .state_size = sizeof(struct smr_words_state),
    .gives = SMR_GIVES_TRANSFORM,
    .prepare = prepare,
    .check = check,
    .release = release,
    .predict = smr_words_predict,
    .describe = describe,
    .transform = &transforms,
};

static const smr_can_stream streams = {
    .begin = SMR_TRAINING(begin),
    .learn = SMR_TRAINING(learn),
};

const smr_learner smr_words = {
    .word = &about,
    .tasks = SMR_DOES_TRANSFORM,
    .takes = SMR_TAKES_F64 | SMR_TAKES_SPARSE | SMR_TAKES_WEIGHTS | SMR_TAKES_TEXT,
    .texts = texts,
    .fit = SMR_TRAINING(fit),
    .fitted = &fitted,
    .stream = SMR_TRAINING(&streams),
};
