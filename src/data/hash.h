/* hash.h -- 128 bits that stand for a table's typed values. */
#ifndef SMR_DATA_HASH_H
#define SMR_DATA_HASH_H

#include "data/table.h"

/* Hashes every value with its row, column, kind and width, the level names, and the sparse block;
 * not the columns' names.  The same at any thread count, on every CPU, and wherever the values lie
 * (a row-major block or columns of their own).  All NaN count as one value.  Made to notice change,
 * not to withstand forgery.  Missing values are counted on the way. */
smr_status smr_table_hash(smr_ctx *ctx, const smr_table *table, uint64_t hash[2]);

/* The same pass, with counts for every column: missing values, and infinite ones (may be NULL). */
smr_status smr_table_examine(smr_ctx *ctx, const smr_table *table, uint64_t hash[2],
                             int64_t *missing, int64_t *infinite);

/* As smr_table_hash, and sets every column's n_missing; hash may be NULL. */
smr_status smr_table_scan(smr_ctx *ctx, smr_table *table, uint64_t hash[2]);

/* For tests: without the wide instructions of this CPU. */
smr_status smr_table_hash_plain(smr_ctx *ctx, const smr_table *table, uint64_t hash[2]);

#endif
