/* items.h -- tables whose rows are items, pictures above all: their elements in one block, and what
 * is known about each beside them. */
#ifndef SMR_DATA_ITEMS_H
#define SMR_DATA_ITEMS_H

#include "core/text.h"
#include "data/read.h"

/* Elements of n_rows items, and their shape: height, width, channels; 0-terminated. */
typedef struct smr_items {
    int64_t n_rows;
    int64_t shape[4];
    smr_dtype dtype; /* U8, I32     */
    void *values;    /* n_rows x elements */
} smr_items;

int64_t smr_items_size(const smr_items *items);
/* Fails for items of more elements than a table has columns, or than the budget has room for, where
 * each is one. */
smr_status smr_items_check(smr_ctx *ctx, const char *name, const smr_items *items);

/* A table of these columns ("0", "1", ...), which takes the block, with `more` columns after them
 * that the caller fills. */
smr_status smr_items_table(smr_ctx *ctx, smr_items *items, int64_t more, smr_table **out);
/* Column j: a number for each row, which names a class; takes the block. */
smr_status smr_items_label(smr_ctx *ctx, smr_table *t, int64_t j, const char *name,
                           uint8_t **label);
/* Column j: levels and codes, both taken. */
smr_status smr_items_strings(smr_ctx *ctx, smr_table *t, int64_t j, const char *name,
                             smr_strings *levels, int32_t **code);

/* Moves the text into table->notes, and keeps where the table is from. */
smr_status smr_items_sign(smr_table *t, const char *source, smr_text *notes);

/* The readers that make such tables; read.c calls them.  A folder is read by its name. */
smr_status smr_picture_table(smr_ctx *ctx, smr_source *source, const smr_read_opts *opts,
                             smr_table **out);
smr_status smr_folder_table(smr_ctx *ctx, const char *path, const smr_read_opts *opts,
                            smr_table **out);
smr_status smr_cifar_read(smr_ctx *ctx, smr_source *source, const smr_read_opts *opts,
                          smr_table **out);
/* The records of several files, one after another. */
smr_status smr_cifar_table(smr_ctx *ctx, const char *const *paths, int64_t n, smr_format format,
                           const char *source, smr_table **out);
/* What the name of a file of CIFAR-10 begins with. */
bool smr_cifar_names(const char *name, bool training);

#endif
