/* measure_names.c -- see measure_names.h. */
#include "select/measure_names.h"

#include "core/text.h"

#include <string.h>

enum { MOST_MEASURES = 64 };

static smr_status unknown_measure(smr_ctx *ctx, const char *name, smr_task task)
{
    const char *names[MOST_MEASURES];
    int64_t n, count = 0;
    const smr_measure *all = smr_measures(&n);
    const char *of = task == SMR_TASK_CLASSIFY ? "classes" : "numbers";
    for (int64_t m = 0; m < n && count < MOST_MEASURES; m++)
        if (all[m].task == task) names[count++] = all[m].name;
    int64_t near = smr_nearest(name, names, count);
    if (near >= 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "there is no measure '%s' of %s; did you mean '%s'?",
                        name, of, names[near]);
    return smr_fail(ctx, SMR_ERR_PARAM, "there is no measure '%s' of %s; 'samara list' names them",
                    name, of);
}

smr_status smr_measures_named(smr_ctx *ctx, const char *text, smr_task task,
                              const smr_measure ***out, int64_t *n)
{
    smr_status st = SMR_OK;
    const smr_measure **list = NULL;
    char name[64];
    int64_t count = 0;
    *out = NULL;
    if (!text) text = task == SMR_TASK_CLASSIFY ? "error" : "rmse";
    TRY_NEW(list, (int64_t)strlen(text) + 1);
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, ",");
        size_t kept = SMR_MIN(length, sizeof name - 1);
        memcpy(name, at, kept);
        name[kept] = '\0';
        list[count] = smr_measure_find(name, task);
        if (!list[count]) {
            st = unknown_measure(ctx, name, task);
            goto out;
        }
        count++;
        at += length;
        at += *at == ',';
    }
    if (count == 0) {
        st = smr_fail(ctx, SMR_ERR_PARAM, "no measure is named");
        goto out;
    }
    *out = list;
    *n = count;
    list = NULL;
out:
    smr_free(list);
    return st;
}
