/* sqlite_find.c -- whether this program has the reader of SQLite databases (formats.h). */
#include "data/formats.h"

#if !defined(SMR_PREDICT_ONLY) && defined(__ELF__)
/* Weak: an archive's member is not linked for its sake, and it is then NULL. */
extern smr_status smr_sqlite_read(smr_ctx *ctx, const char *path, const char *table,
                                  const smr_read_opts *opts, smr_table **out) __attribute__((weak));
#define READER smr_sqlite_read
#else
#define READER NULL
#endif

smr_sqlite_fn smr_sqlite_reader(void)
{
    return READER;
}
