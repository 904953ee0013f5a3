/* registry.c -- an explicit, sorted list: adding a learner touches its own file and this one. */
#include "learn/registry.h"

#include "learn/columns.h"
#include "learn/task.h"

#include <string.h>

#define LEARNERS(X)       \
    X(smr_adaboost)       \
    X(smr_agglomerate)    \
    X(smr_bag)            \
    X(smr_baseline)       \
    X(smr_bayes)          \
    X(smr_bayesnet)       \
    X(smr_bin_learner)    \
    X(smr_boost)          \
    X(smr_calibrate)      \
    X(smr_clip)           \
    X(smr_conformal)      \
    X(smr_dbscan)         \
    X(smr_density)        \
    X(smr_eigenmap)       \
    X(smr_elastic)        \
    X(smr_encode)         \
    X(smr_experts)        \
    X(smr_factor_learner) \
    X(smr_fisher)         \
    X(smr_forest)         \
    X(smr_fourier)        \
    X(smr_gamma)          \
    X(smr_gauss)          \
    X(smr_gmm)            \
    X(smr_hash)           \
    X(smr_hmm)            \
    X(smr_huber)          \
    X(smr_impute)         \
    X(smr_isolation)      \
    X(smr_klogistic)      \
    X(smr_kmeans)         \
    X(smr_knn)            \
    X(smr_kperceptron)    \
    X(smr_krr)            \
    X(smr_lad)            \
    X(smr_lasso)          \
    X(smr_linear)         \
    X(smr_lof)            \
    X(smr_log_learner)    \
    X(smr_logistic)       \
    X(smr_majority)       \
    X(smr_net)            \
    X(smr_nystrom)        \
    X(smr_onehot)         \
    X(smr_ova)            \
    X(smr_ovo)            \
    X(smr_pca)            \
    X(smr_perceptron)     \
    X(smr_poisson)        \
    X(smr_poly)           \
    X(smr_power)          \
    X(smr_quantile)       \
    X(smr_ranks_learner)  \
    X(smr_ridge)          \
    X(smr_scale)          \
    X(smr_select)         \
    X(smr_sgd)            \
    X(smr_softkmeans)     \
    X(smr_spectral)       \
    X(smr_stack)          \
    X(smr_standardize)    \
    X(smr_stump)          \
    X(smr_subset_learner) \
    X(smr_subspace)       \
    X(smr_svm)            \
    X(smr_tree)           \
    X(smr_vote)           \
    X(smr_words)

#ifndef SMR_MORE_LEARNERS /* a test that compiles this file into itself may have some */
#define SMR_MORE_LEARNERS(X)
#endif

#define DECLARE(learner) extern const smr_learner learner;
LEARNERS(DECLARE)
SMR_MORE_LEARNERS(DECLARE)
#define POINT(learner) &(learner),
static const smr_learner *const all[] = {LEARNERS(POINT) SMR_MORE_LEARNERS(POINT)};

const smr_learner *const *smr_registry(int64_t *n)
{
    *n = SMR_COUNT(all);
    return all;
}

const smr_learner *smr_registry_find(const char *name)
{
    int64_t lo = 0, hi = SMR_COUNT(all);
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        int way = strcmp(all[middle]->word->name, name);
        if (way == 0) return all[middle];
        if (way < 0)
            lo = middle + 1;
        else
            hi = middle;
    }
    return NULL;
}

const smr_learner *smr_registry_adapter(smr_need need)
{
    for (int64_t i = 0; i < SMR_COUNT(all); i++)
        if (smr_transforms(all[i]) && all[i]->fitted->transform->adapts == need) return all[i];
    return NULL;
}

const smr_learner *smr_registry_trait(smr_task task, unsigned trait)
{
    unsigned does = smr_task_of(task)->does;
    for (int64_t i = 0; i < SMR_COUNT(all); i++)
        if ((all[i]->traits & trait) && (all[i]->tasks & does)) return all[i];
    return NULL;
}

bool smr_learner_called(const char *name, char out[SMR_SYNONYM_MAX])
{
    for (int64_t i = 0; i < SMR_COUNT(all); i++)
        if (smr_word_called(all[i]->word, name, out)) return true;
    return false;
}

static smr_status unknown(smr_ctx *ctx, const char *name)
{
    const char *names[SMR_COUNT(all) + 1];
    char same[SMR_SYNONYM_MAX];
    if (smr_learner_called(name, same))
        return smr_fail(ctx, SMR_ERR_PARAM, "there is no learner '%s'; did you mean '%s'?", name,
                        same);
    for (int64_t i = 0; i < SMR_COUNT(all); i++) names[i] = all[i]->word->name;
    names[SMR_COUNT(all)] = smr_columns_word.name; /* the head of a sentence may be meant too */
    int64_t near = smr_nearest(name, names, SMR_COUNT(names));
    if (near >= 0)
        return smr_fail(ctx, SMR_ERR_PARAM, "there is no learner '%s'; did you mean '%s'?", name,
                        names[near]);
    return smr_fail(ctx, SMR_ERR_PARAM, "there is no learner '%s'; 'samara list' names them all",
                    name);
}

smr_status smr_registry_get(smr_ctx *ctx, const char *name, const smr_learner **out)
{
    *out = smr_registry_find(name);
    return *out ? SMR_OK : unknown(ctx, name);
}
