/* csv_dict.h -- the distinct strings of a column, numbered as they come.
 *
 * Open addressing over 64-bit hashes; strings lie one after another in one block. */
#ifndef SMR_DATA_CSV_DICT_H
#define SMR_DATA_CSV_DICT_H

#include "data/infer.h"
#include "data/table.h"

typedef struct smr_dict_entry {
    int64_t count;     /* how often it was met                   */
    int64_t first_row; /* where it was met first                 */
} smr_dict_entry;

typedef struct smr_dict_slot {
    uint32_t hash; /* upper half                                            */
    int32_t code;  /* of the string; below 0: a missing mark, or none at all */
} smr_dict_slot;

/* Missing marks are kept in the table as well, so that a field needs one look-up only. */
typedef struct smr_dict {
    smr_dict_slot *slots; /* n_slots, a power of two; NULL while empty */
    int64_t n_slots, n_used;
    smr_strings strings; /* n codes, in the order of coming           */
    smr_dict_entry *entries;
    int64_t room, bytes_room;
} smr_dict;

void smr_dict_release(smr_dict *d);
/* Code of the string, which is added when it is new; -1 when it is a missing mark, whose number is
 * set in *marks_seen. */
smr_status smr_dict_add(smr_ctx *ctx, smr_dict *d, const smr_marks *marks, const char *text,
                        int64_t n, int64_t row, int32_t *code, uint64_t *marks_seen);
/* Adds a string that is not a mark, with its count and first row.  `marks` may be NULL where the
 * dictionary was made without any. */
smr_status smr_dict_merge(smr_ctx *ctx, smr_dict *d, const smr_marks *marks, const char *text,
                          int64_t n, const smr_dict_entry *entry, int32_t *code);
/* Room for n more strings, so that adding them moves nothing. */
smr_status smr_dict_reserve(smr_ctx *ctx, smr_dict *d, int64_t n);
/* Fetches the place of a string that will be looked for soon. */
void smr_dict_expect(const smr_dict *d, const char *text, int64_t n);
/* Code of the string, or -1.  For dictionaries without marks. */
int32_t smr_dict_find(const smr_dict *d, const char *text, int64_t n);

#endif
