/* synonyms.c -- see synonyms.h.  A name is looked for in every row; of several rows the first whose
 * parameter the learner has is taken, its primary parameter before others. */
#include "learn/synonyms.h"

#include "learn/params.h"

#include <string.h>

/* Names between blanks. */
static bool holds(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(names, name); length && at; at = strstr(at + 1, name)) {
        char after = at[length];
        if ((at == names || at[-1] == ' ') && (after == ' ' || after == '\0')) return true;
    }
    return false;
}

static const struct {
    const char *name, *elsewhere;
} learners[] = {
    {"adaboost", "boosting AdaBoostClassifier AdaBoostRegressor"},
    {"bag", "bagging BaggingClassifier BaggingRegressor"},
    {"boost", "xgboost xgb lightgbm lgbm catboost gbm gbt gbdt gbrt XGBClassifier XGBRegressor "
              "LGBMClassifier LGBMRegressor GradientBoostingClassifier GradientBoostingRegressor "
              "HistGradientBoostingClassifier HistGradientBoostingRegressor"},
    {"calibrate", "platt isotonic CalibratedClassifierCV"},
    {"impute", "imputer fillna SimpleImputer"},
    {"knn", "neighbors neighbours kneighbors KNeighborsClassifier KNeighborsRegressor"},
    {"lad", "median l1_regression"},
    {"linear", "ols lm linreg regression least_squares LinearRegression"},
    {"logistic", "logreg logit lr softmax LogisticRegression"},
    {"onehot", "ohe dummies get_dummies OneHotEncoder"},
    {"ova", "ovr one_vs_rest OneVsRestClassifier"},
    {"ovo", "one_vs_one OneVsOneClassifier"},
    {"poly", "polynomial PolynomialFeatures"},
    {"quantile", "QuantileRegressor"},
    {"ridge", "tikhonov RidgeCV"},
    {"select", "filter kbest rfe SelectKBest RFE"},
    {"sgd", "SGDClassifier SGDRegressor"},
    {"stack", "stacking blend StackingClassifier StackingRegressor"},
    {"standardize", "scale scaler standard zscore normalize StandardScaler"},
    {"svm", "svc LinearSVC SVC"},
    {"tree", "cart id3 c45 C4.5 decision_tree DecisionTreeClassifier DecisionTreeRegressor"},
    {"vote", "voting average VotingClassifier VotingRegressor"},
    {"words", "tfidf bow text vectorize count TfidfVectorizer CountVectorizer"},
};

static const struct {
    const char *name, *elsewhere, *note;
} params[] = {
    {"l2", "C", " (l2 = 1 / C)"},
    {"rounds", "n_estimators trees num_round num_boost_round num_iterations iterations", ""},
    {"max_leaves", "num_leaves max_leaf_nodes leaves", ""},
    {"min_child", "min_child_weight min_sum_hessian_in_leaf", ""},
    {"min_leaf", "min_samples_leaf min_data_in_leaf", ""},
    {"min_gain", "gamma min_split_loss min_impurity_decrease", ""},
    {"columns", "colsample colsample_bytree feature_fraction", ""},
    {"rows", "subsample bagging_fraction", ""},
    {"patience", "early_stopping_rounds n_iter_no_change", ""},
    {"monotone", "monotone_constraints monotonic_cst", ""},
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
};

const char *smr_learner_called(const char *name)
{
    for (int64_t i = 0; i < SMR_COUNT(learners); i++)
        if (holds(learners[i].elsewhere, name)) return learners[i].name;
    return NULL;
}

static bool has(const smr_learner *learner, const char *name)
{
    for (int64_t i = 0; i < learner->n_params; i++)
        if (strcmp(learner->params[i].name, name) == 0) return true;
    return false;
}

const char *smr_param_called(const smr_learner *learner, const char *name, const char **note)
{
    const smr_param *primary = smr_param_primary(learner);
    const char *found = NULL;
    for (int64_t i = 0; i < SMR_COUNT(params); i++) {
        bool is_primary = primary && strcmp(primary->name, params[i].name) == 0;
        if (!holds(params[i].elsewhere, name) || !has(learner, params[i].name)) continue;
        if (found && !is_primary) continue;
        found = params[i].name;
        *note = params[i].note;
        if (is_primary) break;
    }
    return found;
}
