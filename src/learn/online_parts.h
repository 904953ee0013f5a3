/* online_parts.h -- what online.c and online_rows.c share. */
#ifndef SMR_LEARN_ONLINE_PARTS_H
#define SMR_LEARN_ONLINE_PARTS_H

#include "learn/flow.h"
#include "learn/online.h"

enum { SMR_ONLINE_BLOCK = 256, SMR_ONLINE_WHY = 400 };

struct smr_online {
    smr_model *model;
    smr_online_opts opts;
    bool refuses_numbers, refuses_categories; /* gaps in them */
    smr_flow flow;
    double *class_value; /* the classes as numbers, NaN where they are not; made when needed */

    /* For the table at hand. */
    const smr_table *table;
    smr_binding binding;
    smr_reader *reader;
    int64_t room; /* rows that the arrays below have room for */
    int32_t *label;
    double *y, *weight;
    double
        *z; /* of a block of targets, what the learner is given for them; NULL: they themselves */
    uint8_t *state;
    int64_t before;
    char why[SMR_ONLINE_WHY];
    smr_online_rows rows;
};

#endif
