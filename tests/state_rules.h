/* state_rules.h -- what a state table and the rules between versions must fulfil, whatever the
 * learner. */
#ifndef SMR_TESTS_STATE_RULES_H
#define SMR_TESTS_STATE_RULES_H

#include "check.h"

#include "learn/state.h"
#include "learn/state_check.h"

/* Does a whole number of that name come before row i in files of that version? */
static inline bool has_dimension(const smr_fitted *f, int64_t i, const char *name, int version)
{
    for (int64_t j = 0; j < i; j++)
        if (f->state[j].type == SMR_STATE_INT && strcmp(f->state[j].name, name) == 0 &&
            smr_state_is_in(&f->state[j], version))
            return true;
    return false;
}

/* Every file of every version: dimensions are named by numbers that it has, and no two rows have
 * one name. */
static inline void check_rows_of_version(const smr_learner *l, int version)
{
    const smr_fitted *f = l->fitted;
    for (int64_t i = 0; i < f->n_state; i++) {
        const smr_state *row = &f->state[i];
        if (!smr_state_is_in(row, version)) continue;
        for (int k = 0; k < SMR_RANK_MAX && row->dims[k]; k++)
            if (!has_dimension(f, i, row->dims[k], version))
                fail_msg("%s.%s: dimension %s in version %d", l->word->name, row->name,
                         row->dims[k], version);
        for (int64_t j = 0; j < i; j++)
            if (smr_state_is_in(&f->state[j], version) &&
                strcmp(smr_state_name(row, version), smr_state_name(&f->state[j], version)) == 0)
                fail_msg("%s: two rows '%s' in version %d", l->word->name, row->name, version);
    }
}

/* Sizes and conditions name what there is, and are said of rows that can have them. */
static inline void check_said_of_row(const smr_learner *l, const smr_state *row, const void *zeros)
{
    smr_shape shape = {0};
    int64_t value;
    bool whole =
        row->type == SMR_STATE_I64S || row->type == SMR_STATE_I32S || row->type == SMR_STATE_U8S;
    bool real =
        row->type == SMR_STATE_REAL || row->type == SMR_STATE_F64S || row->type == SMR_STATE_F32S;
    const char *sizes[] = {row->is, row->most, row->below};
    bool right = (!(row->is || row->most) || row->type == SMR_STATE_INT) &&
                 (!row->below || whole || row->type == SMR_STATE_INT) && (!row->reals || real) &&
                 (!(row->with || row->needs) || row->optional) &&
                 (!row->same || row->type == SMR_STATE_MEMBERS) &&
                 (row->order != SMR_ORDER_STARTS || (whole && row->below)) &&
                 (row->order != SMR_ORDER_ASCENDS || whole || row->type == SMR_STATE_F64S);
    if (!right) fail_msg("%s.%s: what is said of it", l->word->name, row->name);
    for (int k = 0; k < 3; k++)
        if (sizes[k] && !smr_state_size(l, zeros, &shape, sizes[k], &value))
            fail_msg("%s.%s: the size '%s'", l->word->name, row->name, sizes[k]);
    const char *names[] = {row->with, row->needs};
    for (int k = 0; k < 2; k++) {
        bool known = !names[k] || smr_state_size(l, zeros, &shape, names[k], &value);
        for (int64_t i = 0; !known && i < l->fitted->n_state; i++)
            known = l->fitted->state[i].optional && strcmp(l->fitted->state[i].name, names[k]) == 0;
        size_t n = known ? 0 : strcspn(names[k], "=<!");
        for (int64_t i = 0; !known && i < l->word->n_params; i++)
            known = strlen(l->word->params[i].name) == n &&
                    strncmp(l->word->params[i].name, names[k], n) == 0;
        if (!known) fail_msg("%s.%s: there is no '%s'", l->word->name, row->name, names[k]);
    }
}

static inline void check_state_rules(const smr_learner *l)
{
    const smr_fitted *f = l->fitted;
    int version = smr_learner_version(l);
    void *zeros = calloc(1, f->state_size ? f->state_size : 1);
    assert_true(l->version >= 0 && zeros);
    for (int64_t i = 0; i < f->n_state; i++) {
        const smr_state *row = &f->state[i];
        bool list = row->type == SMR_STATE_STRINGS || row->type == SMR_STATE_TENSORS ||
                    row->type == SMR_STATE_MEMBERS;
        bool right = row->since <= version && row->until <= version &&
                     (!row->until || row->until > SMR_MAX(row->since, 1)) &&
                     (row->was != NULL) == (row->renamed != 0) && row->renamed <= version &&
                     (!row->was || row->renamed > SMR_MAX(row->since, 1)) &&
                     (!list || !row->dims[0] || !row->dims[1]);
        if (row->raw || row->unique) right &= row->type == SMR_STATE_STRINGS;
        if (!right) fail_msg("%s.%s: its versions, or its shape", l->word->name, row->name);
        check_said_of_row(l, row, zeros);
    }
    free(zeros);
    for (int v = 1; v <= version; v++) check_rows_of_version(l, v);
    for (int64_t i = 0; i < l->n_old_params; i++) {
        const smr_old_param *rule = &l->old_params[i];
        bool right = rule->until >= 2 && rule->until <= version &&
                     (i == 0 || rule->until >= l->old_params[i - 1].until) &&
                     (rule->name || (rule->now && !rule->value));
        if (!right) fail_msg("%s: rule %d of its old parameters", l->word->name, (int)i);
    }
}

#endif
