/* training.h -- how every command that fits begins: with a sentence, a file, a training set. */
#ifndef SMR_CLI_TRAINING_H
#define SMR_CLI_TRAINING_H

#include "args.h"
#include "learn/model.h"

typedef struct training_input {
    const char *sentence, *path;
    smr_spec *spec; /* the sentence, parsed: by training_open, or by training_parse before it */
    smr_table *table;
    smr_train_set *set;
    double read_seconds;
    bool spend; /* set before opening: the first fit is the table's last use */
} training_input;

/* SPEC and DATA, the first two words after the command, in either order: the one that names a file
 * is the data. */
void training_words(const args *a, training_input *in);
/* --test, --test-labels and --holdout: what goes together. */
smr_status training_check_test(smr_ctx *ctx, const args *a);
/* Is the sentence right?  A file in its place is named as one. */
smr_status training_check_sentence(smr_ctx *ctx, const char *sentence);
/* What the options say about the training set. */
smr_status training_how(smr_ctx *ctx, const args *a, smr_train_opts *how);
/* The same for the functions below the public ones. */
smr_status training_opts(smr_ctx *ctx, const args *a, smr_set_opts *how);
/* Checks the sentence, then reads in->path. */
smr_status training_read(smr_ctx *ctx, const args *a, training_input *in, smr_train_opts *how);
/* Reads the sentence, unless it was read before. */
smr_status training_parse(smr_ctx *ctx, training_input *in);
/* Reads in->path and makes the training set as the options say.  A wrong sentence is reported
 * before the file is read. */
smr_status training_open(smr_ctx *ctx, const args *a, training_input *in);
void training_close(training_input *in);
/* --task: NULL leaves it to the rule. */
smr_status training_task(smr_ctx *ctx, const char *text, smr_task *task);

#endif
