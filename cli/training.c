/* training.c -- see training.h. */
#include "training.h"

#include "api/api_parts.h"
#include "learn/spec.h"
#include "session.h"

#include <math.h>
#include <string.h>

void training_words(const args *a, training_input *in)
{
    bool swapped = session_is_file(a->words[1]) && !session_is_file(a->words[2]);
    in->sentence = a->words[swapped ? 2 : 1];
    in->path = a->words[swapped ? 1 : 2];
}

smr_status training_task(smr_ctx *ctx, const char *text, smr_task *task)
{
    *task = SMR_TASK_NONE;
    if (!text || (smr_task_find(text, task) && *task != SMR_TASK_NONE)) return SMR_OK;
    return smr_fail(
        ctx, SMR_ERR_PARAM,
        "--task: classify, regress, cluster, sequence, recommend, density or outliers, not '%s'",
        text);
}

smr_status training_check_test(smr_ctx *ctx, const args *a)
{
    if (a->test_labels && !a->test)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--test-labels are the labels of --test FILE, which is not given; for "
                        "those of DATA use --labels");
    if (a->test && !isnan(a->holdout))
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "--test and --holdout exclude each other: the model is measured on the "
                        "rows of a file, or on a share of DATA");
    return SMR_OK;
}

smr_status training_how(smr_ctx *ctx, const args *a, smr_train_opts *how)
{
    *how = (smr_train_opts){.size = sizeof *how,
                            .target = a->target,
                            .weight = a->weight,
                            .sequence = a->sequence,
                            .time = a->time_column,
                            .user = a->user,
                            .item = a->item,
                            .ignore = a->ignore,
                            .types = a->types,
                            .positive = a->positive,
                            .classes = a->classes};
    return training_task(ctx, a->task, &how->task);
}

smr_status training_opts(smr_ctx *ctx, const args *a, smr_set_opts *out)
{
    smr_train_opts how;
    smr_fold_opts folds = {.size = sizeof folds, .group = a->group};
    smr_status st = training_how(ctx, a, &how);
    return st == SMR_OK ? smr_api_set_opts(ctx, &how, &folds, out) : st;
}

smr_status training_check_sentence(smr_ctx *ctx, const char *sentence)
{
    smr_status st = smr_sentence_check(ctx, sentence);
    if (st != SMR_ERR_PARAM || !session_is_file(sentence)) return st;
    smr_ctx_clear(ctx);
    return smr_fail(ctx, SMR_ERR_PARAM,
                    "'%s' is a file, where a sentence such as \"knn 5\" is needed; 'samara "
                    "evaluate' measures a saved model",
                    sentence);
}

smr_status training_read(smr_ctx *ctx, const args *a, training_input *in, smr_train_opts *how)
{
    smr_status st = SMR_OK;
    TRY(training_how(ctx, a, how));
    TRY(training_check_sentence(ctx, in->sentence));
    double began = smr_now();
    TRY(session_read(ctx, a, in->path, &in->table));
    in->read_seconds = smr_now() - began;
out:
    return st;
}

smr_status training_parse(smr_ctx *ctx, training_input *in)
{
    if (in->spec) return SMR_OK;
    smr_status st = training_check_sentence(ctx, in->sentence);
    return st == SMR_OK ? smr_spec_parse(ctx, in->sentence, &in->spec) : st;
}

smr_status training_open(smr_ctx *ctx, const args *a, training_input *in)
{
    smr_status st = SMR_OK;
    smr_set_opts how;
    TRY(training_opts(ctx, a, &how));
    how.spend = in->spend;
    TRY(training_parse(ctx, in));
    double began = smr_now();
    TRY(session_read(ctx, a, in->path, &in->table));
    in->read_seconds = smr_now() - began;
    TRY(smr_train_set_create(ctx, in->table, in->spec, &how, &in->set));
    in->set->tells = a->verbose;
out:
    return st;
}

void training_close(training_input *in)
{
    smr_spec_free(in->spec);
    smr_train_set_free(in->set);
    smr_table_free(in->table);
}
