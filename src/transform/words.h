/* words.h -- the parts of words.c: parameters, state, and what its files share. */
#ifndef SMR_TRANSFORM_WORDS_H
#define SMR_TRANSFORM_WORDS_H

#include "learn/learner.h"
#include "transform/tokens.h"
#include "transform/wordbook.h"

struct smr_words_params {
    char *column;
    int unit; /* SMR_UNIT_*   */
    bool lower;
    int64_t min_length;
    int64_t min_n, max_n;
    int64_t min_count;
    double max_share;
    int64_t max_features;
    char *stop;
    int weight; /* SMR_WEIGHT_* */
    int norm;   /* SMR_NORM_*   */
    int64_t hash;
};

enum { SMR_UNIT_WORD, SMR_UNIT_CHAR };
enum { SMR_WEIGHT_COUNT, SMR_WEIGHT_BINARY, SMR_WEIGHT_TF, SMR_WEIGHT_LOG, SMR_WEIGHT_TFIDF };
enum { SMR_NORM_AUTO, SMR_NORM_NONE, SMR_NORM_L1, SMR_NORM_L2 };

struct smr_words_state {
    int64_t n_inputs;
    int64_t n_texts;
    int64_t *text_input; /* n_texts: which input it is                                      */
    int64_t *text;       /* n_texts: where its strings are (smr_rows.texts)                 */
    int64_t n_kept;
    int64_t *kept; /* n_kept: inputs that pass through, ascending                           */
    int64_t n_words;
    int64_t n_firsts; /* n_texts + 1                                                        */
    int64_t *first;   /* the words of text k are first[k] .. first[k+1]-1                   */
    int64_t n_starts; /* n_words + 1; 0 with hash                                           */
    int64_t *start;   /* word w is bytes[start[w] .. start[w+1])                            */
    int64_t n_bytes;
    uint8_t *bytes;
    double rows;       /* weight of the training rows                                       */
    double *documents; /* n_words: weight of the rows that hold it; NULL: not counted       */
    double *counts;    /* n_words: how often it occurs, weighted; NULL: not counted         */
    /* Derived. */
    smr_token_rule rule;
    char *stop_bytes;
    const char **stop;
    smr_wordbook *books; /* n_texts; NULL with hash */
    double *idf;         /* n_words; NULL: not wanted */
};

/* The stop words that the parameter names, sorted, lower-cased like the words; *bytes holds
 * them. */
smr_status smr_words_stop(smr_ctx *ctx, const struct smr_words_params *params, char **bytes,
                          const char ***words, int64_t *n);

/* Finds the vocabulary of every text: first, start, bytes, documents, counts, rows. */
smr_status smr_words_learn(smr_ctx *ctx, const struct smr_words_params *params,
                           const smr_data *data, struct smr_words_state *state);

/* ---- rows ---- */

/* The text of row i, or NULL where it is missing. */
const char *smr_words_text(const struct smr_words_state *state, const smr_rows *rows, int64_t i,
                           int64_t k, int64_t *length);
smr_status smr_words_append(smr_ctx *ctx, const void *params, const void *state,
                            const smr_rows *rows, smr_entries *out, void *scratch);
smr_status smr_words_predict(smr_ctx *ctx, const void *params, const void *state,
                             const smr_rows *rows, smr_output output, double *out, void *scratch);

static inline int64_t smr_words_bucket(uint64_t hash, int64_t buckets)
{
    return (int64_t)((hash >> 32) * (uint64_t)buckets >> 32);
}

#endif
