/* checkpoint.h -- a long fit saves how far it has come, and goes on from there after whatever ended
 * it, with the same bits as a fit that was never interrupted.
 *
 * A learner takes part with a table (smr_can_resume) and three calls, each of which does nothing if
 * no checkpoint was asked for:
 *
 *     set up everything that follows from data and parameters
 *     smr_checkpoint_begin(ctx, report, work)             takes up what was kept, if anything was
 *     each round:
 *         the round
 *         smr_checkpoint_at(ctx, report, done, total, work)      keeps it, where it is time to
 *     smr_checkpoint_end(ctx, report, st, done, total, work)     keeps it, where it was cancelled
 *
 * At the calls of _at and _end, work and report must be those between two rounds: a learner whose
 * round can be cancelled in the middle leaves its work as it was before that round, or does not
 * call _end.
 *
 * Also kept: the report (iterations, objective, curve), and a key, which says which fit this
 * belongs to.  Stages before the one at work are fitted again.  Until the stage that was at work is
 * reached, nothing is written over what is kept.  A checkpoint that cannot be written is a warning,
 * and the fit goes on.
 *
 * Where it is kept is up to a store: a file (model/checkpoint_file.h), which lies above
 * learners. */
#ifndef SMR_LEARN_CHECKPOINT_H
#define SMR_LEARN_CHECKPOINT_H

#include "learn/learner.h"
#include "learn/spec.h"

typedef struct smr_checkpoint smr_checkpoint;

enum { SMR_CHECKPOINT_HASH = 65 };

/* What must be the same for two fits to have the same rounds; "": not known yet. */
typedef struct smr_checkpoint_key {
    char *spec; /* the canonical sentence; owned */
    uint64_t seed;
    char data[SMR_CHECKPOINT_HASH];    /* the table, as model files know it             */
    char rows[SMR_CHECKPOINT_HASH];    /* which of its rows, in which order             */
    char columns[SMR_CHECKPOINT_HASH]; /* what the columns are read as                  */
    char target[SMR_CHECKPOINT_HASH];  /* task, targets, weights and groups of the rows */
} smr_checkpoint_key;

typedef struct smr_checkpoint_store {
    /* Once the key is known: looks for something to go on from, and sets is_waiting.  If what is
     * there belongs to another fit, that is an error. */
    smr_status (*open)(smr_ctx *ctx, smr_checkpoint *c);
    /* Does what is there belong to the stage at work?  Then kept->state is made from it, with
     * memory of its own, and report is what it was. */
    smr_status (*take)(smr_ctx *ctx, smr_checkpoint *c, smr_stage *kept, smr_fit_report *report,
                       bool *found);
    smr_status (*put)(smr_ctx *ctx, smr_checkpoint *c, const smr_stage *kept,
                      const smr_fit_report *report, int64_t done, int64_t total);
} smr_checkpoint_store;

struct smr_checkpoint {
    const smr_checkpoint_store *store; /* its own fields come after these */
    double seconds;                    /* between two; 0: after every round */
    smr_checkpoint_key key;
    bool is_waiting; /* something was kept that no stage has taken up yet */
    /* The stage at work. */
    int64_t place; /* its number, from 1, adapters counted */
    const void *params;
    const smr_feature *in;
    smr_shape shape;    /* what its states must fit               */
    double last;        /* when one was written, or the fit began */
    int64_t n_put;      /* written                                */
    int64_t resumed_at; /* rounds of the fit that it went on from */
    bool warned;
};

/* ---- for learners ----------------------------------------------------------------------- */

smr_status smr_checkpoint_begin(smr_ctx *ctx, smr_fit_report *report, void *work);
smr_status smr_checkpoint_at(smr_ctx *ctx, smr_fit_report *report, int64_t done, int64_t total,
                             void *work);
/* Returns st; if the fit was cancelled, the message says what was kept. */
smr_status smr_checkpoint_end(smr_ctx *ctx, smr_fit_report *report, smr_status st, int64_t done,
                              int64_t total, void *work);

/* ---- for code that fits ----------------------------------------------------------------- */

/* Does a step of the sentence take part?  If none does, the message names learners that do. */
smr_status smr_checkpoint_check(smr_ctx *ctx, const smr_spec *spec);
/* Begins a fit: the key, and what there is to go on from.  data NULL: nothing begins yet; what is
 * there is compared with what is known, so that the wrong file is refused before any work. */
smr_status smr_checkpoint_open(smr_ctx *ctx, smr_checkpoint *c, const smr_spec *spec,
                               const smr_data *data, const char *data_hash);
/* Begins a stage of it.  c may be NULL. */
void smr_checkpoint_stage(smr_checkpoint *c, int64_t place, const smr_stage *stage,
                          const smr_feature *in, const smr_data *data);

#endif
