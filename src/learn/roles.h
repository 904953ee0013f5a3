/* roles.h -- columns that say which user, item, time and sequence a row is about, beside its
 * features.
 *
 *     sequence   rows of one value belong together, in order of time, or else of the table
 *     time       a number or date: the order within a sequence; when a rating was given
 *     user       who; item: what: names of any number, coded in the order of smr_levels_sort
 *
 * The schema keeps the columns' names, and the names of users and items, so that a model finds them
 * in any later table.  A name that training never saw has the code -1. */
#ifndef SMR_LEARN_ROLES_H
#define SMR_LEARN_ROLES_H

#include "data/data.h"

typedef enum smr_role {
    SMR_ROLE_SEQUENCE = 0,
    SMR_ROLE_TIME,
    SMR_ROLE_USER,
    SMR_ROLE_ITEM
} smr_role;
enum { SMR_ROLES = SMR_ROLE_ITEM + 1 };

/* "sequence", "time", "user", "item". */
const char *smr_role_name(smr_role role);

typedef struct smr_role_column {
    char *name;         /* of the column; NULL: no column has this role; owned */
    smr_strings levels; /* user, item: code k is level k; owned             */
} smr_role_column;

/* Takes the columns of a table that have roles; names: by role, NULL: none. */
smr_status smr_roles_infer(smr_ctx *ctx, const smr_table *table, const char *const names[SMR_ROLES],
                           smr_role_column out[SMR_ROLES]);
smr_status smr_roles_copy(smr_ctx *ctx, const smr_role_column from[SMR_ROLES],
                          smr_role_column to[SMR_ROLES]);
void smr_roles_release(smr_role_column roles[SMR_ROLES]);
bool smr_roles_any(const smr_role_column roles[SMR_ROLES]);

/* The roles of chosen rows of a table, in the order in which they are to be read. */
typedef struct smr_ordered {
    int64_t n;
    int64_t *rows;  /* n: rows of the table                                                    */
    int64_t *place; /* n: row i of these is number place[i] of the rows that were asked for     */
    int64_t *border, n_sequences; /* NULL without sequences                                    */
    int32_t *user, *item;         /* n each, or NULL                                           */
    double *time;
} smr_ordered;

/* rows NULL: all, n is then ignored.  Without a sequence column they keep their order.  A row
 * without a sequence, or in a sequence without a time where there is a column of times, fails, and
 * so do rows that cut a sequence.  Warns of users and items that training never saw. */
smr_status smr_roles_order(smr_ctx *ctx, const smr_role_column roles[SMR_ROLES],
                           const smr_table *table, const int64_t *rows, int64_t n,
                           smr_ordered *out);
void smr_ordered_release(smr_ordered *ordered);
/* The data are these rows of a table; `ordered` must outlive them. */
void smr_ordered_apply(const smr_ordered *ordered, const smr_role_column roles[SMR_ROLES],
                       smr_data *data);

#endif
