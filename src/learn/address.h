/* address.h -- one parameter of a sentence, by its address.
 *
 *     k            the parameter of that name, if only one stage has it
 *     knn.k        of the stage knn
 *     2.k          of the stage at position 2: the first is 1, as `columns` is 0
 *     of.k         of a sentence held by the parameter `of`
 *     of.0.k       of the first one of several
 *
 * The full address is made of all steps, "stack.of.0.knn.k"; any of them may be left out as long as
 * only one parameter is meant.  Values are changed in a copy of the sentence, in which a value that
 * is not read (its `when`) leaves no trace. */
#ifndef SMR_LEARN_ADDRESS_H
#define SMR_LEARN_ADDRESS_H

#include "learn/spec.h"

enum { SMR_ADDRESS_STEPS = 8 };

/* A word and one of its parameters. */
typedef struct smr_address_step {
    int64_t phrase; /* which phrase of the parameter before it holds it; 0: the first */
    int64_t place;  /* there, as it is written: 1 for the first stage                            */
    const smr_word *word;
    const smr_param *param;
} smr_address_step;

typedef struct smr_address {
    char *text; /* in full; owned by the list */
    int64_t n_steps;
    smr_address_step step[SMR_ADDRESS_STEPS];
} smr_address;

typedef struct smr_addresses {
    int64_t n, room;
    smr_address *at;
} smr_addresses;

/* Every parameter of the sentence, including those that its values leave unread. */
smr_status smr_addresses_of(smr_ctx *ctx, const smr_spec *spec, smr_addresses *out);
void smr_addresses_release(smr_addresses *list);

/* The parameter that `text` means.  The error for one that is not there gives the nearest name, for
 * one that several stages have their full addresses. */
smr_status smr_address_find(smr_ctx *ctx, const smr_addresses *list, const char *text,
                            const smr_address **out);
/* What the address points at. */
const smr_address_step *smr_address_last(const smr_address *address);

/* Appends the parameter's value in the sentence.  *is_read: false when the sentence has no such
 * parameter, or does not read it; then nothing is appended. */
smr_status smr_address_get(smr_ctx *ctx, const smr_spec *spec, const smr_address *address,
                           bool *is_read, smr_text *value);

/* A copy of the sentence with the n values set, all at once: the rules between parameters hold for
 * the result, not for the steps between.  An address whose word is no longer there, because another
 * value replaced it, is passed over. */
smr_status smr_address_set(smr_ctx *ctx, const smr_spec *spec, int64_t n,
                           const smr_address *const *addresses, const char *const *values,
                           smr_spec **out);

#endif
