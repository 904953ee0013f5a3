/* flow.h -- rows through fitted stages: the only code that carries them.
 *
 * A flow is a run of stages and room for a block of rows on their way.  Each stage is given its
 * rows in the form that it asks for (chain.h): doubles, floats, bytes or sparse.  Its callers are
 * readers of computed data, models, the one-row predictor, members, streams and streams of members.
 *
 *     smr_flow_plan      lays out the room for blocks of a given number of rows
 *     smr_flow_open      allocates it; or the caller gives room of flow.bytes, aligned to 64
 *     smr_flow_...       a block of rows, in any form
 *     smr_flow_back      a block of doubles, from the last stage to the first
 *     smr_flow_close     frees what was allocated, including sparse rows in between
 *
 * With room of the caller's nothing is allocated except sparse rows that one stage hands to
 * another.
 */
#ifndef SMR_LEARN_FLOW_H
#define SMR_LEARN_FLOW_H

#include "learn/learner.h"

enum { SMR_ALL_ROUNDS = -1 };

typedef struct smr_flow {
    const smr_stage *stages;
    int64_t n;             /* stages                                                             */
    int64_t rows;          /* of a block, at most                                                */
    const smr_feature *in; /* names of the features that come in, for messages; NULL: none       */
    bool refuse_gaps;      /* before each stage except the first that cannot take them           */
    bool as_asked;         /* rows are known to come in the first stage's form                   */
    int64_t even, odd, scratch, bytes; /* where the parts of the room begin, after the block in
                                          the first stage's form; all of it                      */
    char *room;
    bool owns_room;
    smr_entries entries[2]; /* sparse rows on their way */
} smr_flow;

/* Rows that a block through these stages should have: what the last one prefers, but no more than a
 * few megabytes of features anywhere on the way. */
int64_t smr_flow_block(const smr_stage *stages, int64_t n, int64_t n_features);
/* No more of them than answers of this width fill 4 MB with, so that work of very many classes can
 * be stopped. */
static inline int64_t smr_flow_answers(int64_t rows, int64_t width)
{
    return SMR_MAX(1, SMR_MIN(rows, (1 << 19) / SMR_MAX(1, width)));
}

/* Does some stage take sequences, so that blocks must hold them whole? */
bool smr_flow_of_sequences(const smr_stage *stages, int64_t n);

/* n_features: that come in; 0: they always come in the form that the first stage asks for.  rows:
 * at most in a block.  answers: the last stage predicts or learns; else it transforms like the
 * others. */
void smr_flow_plan(const smr_stage *stages, int64_t n, int64_t n_features, int64_t rows,
                   bool answers, smr_flow *out);
smr_status smr_flow_open(smr_ctx *ctx, smr_flow *flow);
/* Accepts a zeroed one. */
void smr_flow_close(smr_flow *flow);

/* Through all stages, which are transforms; *rows becomes what they give, valid until the next
 * call. */
smr_status smr_flow_transform(smr_ctx *ctx, smr_flow *flow, smr_rows *rows);
/* Through all; the last one's answer.  output: one that it gives itself, see smr_output_asked.
 * round: SMR_ALL_ROUNDS, or the answer after that many (smr_can_grow). */
smr_status smr_flow_predict(smr_ctx *ctx, smr_flow *flow, const smr_rows *rows, smr_output output,
                            int64_t round, double *out);
/* Through all, and each learns from each row: transforms before they answer it, the last after. */
smr_status smr_flow_learn(smr_ctx *ctx, smr_flow *flow, const smr_rows *rows,
                          const smr_truths *truths, int64_t n_outputs, double *out);

/* The same of a clusterer: out[2 i] is row i's cluster and out[2 i + 1] its score before it is
 * learned. */
smr_status smr_flow_learn_found(smr_ctx *ctx, smr_flow *flow, const smr_rows *rows,
                                const smr_truths *truths, double *out);

/* ---- back (flow_back.c) ---- */

/* Fails, naming the stage and the reason, where one of these stages cannot be undone. */
smr_status smr_flow_check_back(smr_ctx *ctx, const smr_stage *stages, int64_t n);
/* Rows that a block back through these stages should have. */
int64_t smr_flow_block_back(const smr_stage *stages, int64_t n);
/* Room for blocks of at most this many rows on their way back; opened and closed as any other. */
void smr_flow_plan_back(const smr_stage *stages, int64_t n, int64_t rows, smr_flow *out);
/* Undoes the stages, the last one first: doubles that the last one gives become those that come
 * into the first, valid until the next call.  n = 0: they stay what they are. */
smr_status smr_flow_back(smr_ctx *ctx, smr_flow *flow, smr_rows *rows);

/* How data that a run of stages gives are computed. */
extern const smr_computing smr_flow_computing;

#endif
