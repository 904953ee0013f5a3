/* said.h -- what takes a parsed sentence, for tests that write it down: each of these parses it,
 * calls, and frees it again. */
#ifndef SMR_TESTS_SAID_H
#define SMR_TESTS_SAID_H

#include "check.h"

#include "learn/model.h"
#include "learn/online.h"
#include "learn/out_of_fold.h"

static inline smr_spec *parsed(smr_ctx *ctx, const char *sentence)
{
    smr_spec *spec = NULL;
    check_ok(ctx, smr_spec_parse(ctx, sentence, &spec));
    return spec;
}

#define SAID(call)                                        \
    smr_spec *spec = NULL;                                \
    smr_status st = smr_spec_parse(ctx, sentence, &spec); \
    if (st == SMR_OK) st = (call);                        \
    smr_spec_free(spec);                                  \
    return st

static inline smr_status said_set(smr_ctx *ctx, const smr_table *table, const char *sentence,
                                  const smr_set_opts *opts, smr_train_set **out)
{
    SAID(smr_train_set_create(ctx, table, spec, opts, out));
}

static inline smr_status said_fit(smr_ctx *ctx, const char *sentence, const smr_train_set *set,
                                  const int64_t *rows, int64_t n_rows, smr_model **out)
{
    SAID(smr_fit(ctx, spec, set, rows, n_rows, out));
}

static inline smr_status said_member(smr_ctx *ctx, const char *sentence, const smr_data *data,
                                     smr_member *member, smr_fit_report *report)
{
    SAID(smr_member_fit(ctx, spec, data, member, report));
}

static inline smr_status said_member_begin(smr_ctx *ctx, const char *sentence,
                                           const smr_shape *shape, smr_member *member)
{
    SAID(smr_member_begin(ctx, spec, shape, member));
}

static inline smr_status said_online(smr_ctx *ctx, const char *sentence, const smr_train_set *set,
                                     smr_model **out)
{
    SAID(smr_online_begin(ctx, spec, set, out));
}

static inline smr_status said_out_of_fold(smr_ctx *ctx, const char *sentence, const smr_data *data,
                                          int64_t folds, smr_output output, double *out)
{
    SAID(smr_out_of_fold(ctx, spec, data, folds, output, out));
}

#endif
