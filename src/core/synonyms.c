/* synonyms.c -- see synonyms.h.  A name is looked for in every row; of several rows, the first
 * whose parameter the word has is taken, its primary parameter before others.  Names are compared
 * without regard to case, '_' and '-': RandomForest is random_forest. */
#include "core/synonyms.h"

#include "core/params.h"

#include <stdio.h>
#include <string.h>

/* The next character that counts, in lower case; for the first of names, up to the blank. */
static char next_letter(const char **at)
{
    while (**at == '_' || **at == '-') (*at)++;
    char c = **at;
    if (c == '\0' || c == ' ') return '\0';
    (*at)++;
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The first of names (up to a blank), and the whole of name. */
static bool is_same(const char *names, const char *name)
{
    for (;;) {
        char one = next_letter(&names), other = next_letter(&name);
        if (one != other) return false;
        if (one == '\0') return *name == '\0';
    }
}

/* Names between blanks. */
static bool holds(const char *names, const char *name)
{
    while (*names) {
        if (is_same(names, name)) return true;
        names += strcspn(names, " ");
        names += strspn(names, " ");
    }
    return false;
}

static const struct {
    const char *name, *elsewhere, *note;
} params[] = {
    {"l2", "C", " (l2 = 1 / C)"},
    {"rounds", "n_estimators trees num_round num_boost_round num_iterations iterations", ""},
    {"trees", "n_estimators num_trees ntree rounds", ""},
    {"max_leaves", "num_leaves max_leaf_nodes leaves", ""},
    {"min_child", "min_child_weight min_sum_hessian_in_leaf", ""},
    {"min_leaf", "min_samples_leaf min_data_in_leaf", ""},
    {"min_gain", "gamma min_split_loss min_impurity_decrease", ""},
    {"columns", "colsample colsample_bytree feature_fraction", ""},
    {"rows", "subsample bagging_fraction", ""},
    {"patience", "early_stopping_rounds n_iter_no_change", ""},
    {"monotone", "monotone_constraints monotonic_cst", ""},
    {"loss", "objective", ""},
    {"growth", "grow_policy", ""},
    {"features", "max_features mtry colsample_bynode feature_fraction_bynode", ""},
    {"class_weight", "scale_pos_weight is_unbalance", ""},
    {"validation", "validation_fraction", ""},
    {"method", "algorithm", ""},
    {"l2", "reg_lambda lambda_l2", ""},
    {"l1", "reg_alpha lambda_l1", ""},
    {"l2", "alpha lambda lamda reg penalty regularization weight_decay", ""},
    {"l1", "alpha lambda lamda reg penalty regularization", ""},
    {"mix", "l1_ratio", ""},
    {"k", "n_neighbors neighbors neighbours n_features_to_select", ""},
    {"q", "quantile tau alpha", ""},
    {"rate", "eta eta0 lr learning_rate", ""},
    {"step", "eta eta0 lr learning_rate rate", ""},
    {"passes", "epochs n_epochs n_iter iterations max_iter", ""},
    {"max_iter", "epochs n_epochs n_iter iterations passes", ""},
    {"batch", "batch_size minibatch", ""},
    {"tol", "eps tolerance", ""},
    {"delta", "epsilon", ""},
    {"epsilon", "delta", ""},
    {"max_n", "ngram ngrams ngram_range n", ""},
    {"min_count", "min_df", ""},
    {"max_share", "max_df", ""},
    {"max_features", "vocabulary max_words", ""},
    {"stop", "stop_words stopwords", ""},
    {"unit", "analyzer", ""},
    {"lower", "lowercase", ""},
    {"hash", "n_features buckets", ""},
    {"weight", "use_idf tfidf", ""},
    {"of", "estimator base base_estimator learner estimators learners", ""},
    {"bags", "n_estimators trees rounds", ""},
    {"combine", "voting", ""},
    {"rows", "max_samples subsample", ""},
    {"columns", "max_features", ""},
    {"final", "final_estimator meta", ""},
    {"folds", "cv", ""},
    {"by", "score_func criterion method", ""},
    {"number", "strategy", ""},
    {"min_leaf", "min_samples_leaf min_child_weight", ""},
    {"min_split", "min_samples_split", ""},
    {"max_leaves", "max_leaf_nodes num_leaves", ""},
    {"max_depth", "depth", ""},
    {"alpha", "ccp_alpha", ""},
    {"bandwidth", "sigma gamma h", ""},
    {"gamma", "sigma bandwidth length_scale", " (gamma = 1 / (2 sigma^2))"},
    {"kernel", "gamma degree coef0 sigma", " (a kernel has its own, as rbf(gamma=0.1))"},
};

/* Choices; then sentences about what is not a parameter here. */
static const struct {
    const char *name, *elsewhere;
} values[] = {
    {"squared", "mse squared_error friedman_mse l2 ls least_squares variance"},
    {"absolute", "mae absolute_error l1 lad"},
    {"logistic", "log_loss logloss deviance binary cross_entropy binomial"},
    {"softmax", "log_loss logloss deviance multiclass cross_entropy multinomial"},
    {"entropy", "log_loss information information_gain id3"},
    {"gain_ratio", "c4.5 c45"},
    {"error", "misclassification"},
    {"exponential", "adaboost"},
    {"yes", "true 1 on"},
    {"no", "false 0 off"},
    {"none", "null"},
    {"balanced", "balanced_subsample"},
    {"level", "depthwise depth"},
    {"leaf", "lossguide leafwise"},
    {"mean", "soft average"},
    {"vote", "hard majority"},
    {"discrete", "samme"},
    {"real", "samme.r"},
};

static const struct {
    const char *elsewhere, *sentence;
    bool out_of_bag; /* only for learners that report such an error; else for all */
} beside[] = {
    {"random_state seed random_seed", "the seed is given beside the sentence: --seed N", false},
    {"n_jobs nthread num_threads n_threads threads",
     "threads are given beside the sentence: --threads N", false},
    {"warm_start init_model xgb_model",
     "the model to start from is given beside the sentence: "
     "--warm-start MODEL",
     false},
    {"oob_score", "it is always computed, and 'samara inspect' shows it", true},
};

bool smr_word_called(const smr_word *word, const char *name, char out[SMR_SYNONYM_MAX])
{
    const char *with = NULL;
    for (const char *at = word->synonyms; at && *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (memchr(at, '=', length)) {
            with = at;
        } else if (is_same(at, name)) {
            snprintf(out, SMR_SYNONYM_MAX, "%s%s%.*s", word->name, with ? " " : "",
                     with ? (int)strcspn(with, " ") : 0, with ? with : "");
            return true;
        }
        at += length;
    }
    return false;
}

static bool has(const smr_word *word, const char *name)
{
    for (int64_t i = 0; i < word->n_params; i++)
        if (strcmp(word->params[i].name, name) == 0) return true;
    return false;
}

const char *smr_param_called(const smr_word *word, const char *name, const char **note)
{
    const smr_param *primary = smr_param_primary(word);
    const char *found = NULL;
    for (int64_t i = 0; i < SMR_COUNT(params); i++) {
        bool is_primary = primary && strcmp(primary->name, params[i].name) == 0;
        if (!holds(params[i].elsewhere, name) || !has(word, params[i].name)) continue;
        if (found && !is_primary) continue;
        found = params[i].name;
        *note = params[i].note;
        if (is_primary) break;
    }
    return found;
}

const char *smr_choice_called(const smr_choice *choices, const char *name)
{
    for (const smr_choice *c = choices; c->name; c++)
        if (is_same(c->name, name)) return c->name;
    for (int64_t i = 0; i < SMR_COUNT(values); i++)
        for (const smr_choice *c = choices; holds(values[i].elsewhere, name) && c->name; c++)
            if (strcmp(c->name, values[i].name) == 0) return c->name;
    return NULL;
}

const char *smr_param_beside(const char *name, bool *out_of_bag)
{
    for (int64_t i = 0; i < SMR_COUNT(beside); i++) {
        if (!holds(beside[i].elsewhere, name)) continue;
        *out_of_bag = beside[i].out_of_bag;
        return beside[i].sentence;
    }
    return NULL;
}
