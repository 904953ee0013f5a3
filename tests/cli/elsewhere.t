# The words of other libraries lead to ours: learners, parameters, values, and what is given beside them.
$ samara train RandomForestClassifier data/iris.csv --target species
samara: there is no learner 'RandomForestClassifier'; did you mean 'forest'?
[status 2]
$ samara train random_forest data/iris.csv --target species
samara: there is no learner 'random_forest'; did you mean 'forest'?
[status 2]
$ samara train extra_trees data/iris.csv --target species
samara: there is no learner 'extra_trees'; did you mean 'forest mode=extra'?
[status 2]
$ samara train gradient_boosting data/iris.csv --target species
samara: there is no learner 'gradient_boosting'; did you mean 'boost'?
[status 2]
$ samara train hedge data/iris.csv --target species
samara: there is no learner 'hedge'; did you mean 'majority method=hedge'?
[status 2]
$ samara train "forest n_estimators=10" data/iris.csv --target species
samara: forest has no parameter 'n_estimators'; did you mean 'trees'?
[status 2]
$ samara train "forest max_depth=None" data/iris.csv --target species
samara: forest: max_depth = None is not a number in [0, 1000000]; 0 sets no limit
[status 2]
$ samara train "tree -1" data/iris.csv --target species
samara: tree: max_depth = -1 is outside [0, 2147483647]; 0 sets no limit
[status 2]
$ samara train "boost learning_rate=0.1" data/iris.csv --target species
samara: boost has no parameter 'learning_rate'; did you mean 'rate'?
[status 2]
$ samara train "boost reg_lambda=1" data/iris.csv --target species
samara: boost has no parameter 'reg_lambda'; did you mean 'l2'?
[status 2]
$ samara train "boost objective=x" data/iris.csv --target species
samara: boost has no parameter 'objective'; did you mean 'loss'?
[status 2]
$ samara train "forest random_state=1" data/iris.csv --target species
samara: forest has no parameter 'random_state'; the seed is given beside the sentence: --seed N
[status 2]
$ samara train "forest n_jobs=2" data/iris.csv --target species
samara: forest has no parameter 'n_jobs'; threads are given beside the sentence: --threads N
[status 2]
$ samara train "forest oob_score=yes" data/iris.csv --target species
samara: forest has no parameter 'oob_score'; it is always computed, and 'samara inspect' shows it
[status 2]
$ samara train "knn oob_score=yes" data/iris.csv --target species
samara: knn has no parameter 'oob_score'; 'samara help knn' shows those it has
[status 2]
$ samara train "tree criterion=mse" data/iris.csv --target species
samara: tree: criterion = mse is none of auto, gini, entropy, error, gain_ratio, squared or absolute; did you mean 'squared'?
[status 2]
$ samara train "tree criterion=log_loss" data/iris.csv --target species
samara: tree: criterion = log_loss is none of auto, gini, entropy, error, gain_ratio, squared or absolute; did you mean 'entropy'?
[status 2]
$ samara train "tree criterion=entropi" data/iris.csv --target species
samara: tree: criterion = entropi is none of auto, gini, entropy, error, gain_ratio, squared or absolute; did you mean 'entropy'?
[status 2]
$ samara train "boost loss=log_loss" data/iris.csv --target species
samara: boost: loss = log_loss is none of auto, squared, absolute, huber, quantile, poisson, gamma, logistic, softmax or exponential; did you mean 'logistic'?
[status 2]
$ samara train "boost growth=depthwise" data/iris.csv --target species
samara: boost: growth = depthwise is none of leaf or level; did you mean 'level'?
[status 2]
$ samara train "forest bootstrap=True" data/iris.csv --target species
samara: forest: bootstrap = True is none of auto, yes or no; did you mean 'yes'?
[status 2]
$ samara train "bag bootstrap=False" data/iris.csv --target species
samara: bag: bootstrap = False is not yes or no; did you mean 'no'?
[status 2]
$ samara train "vote combine=soft of=(knn)" data/iris.csv --target species
samara: vote: combine = soft is none of auto, mean, vote or median; did you mean 'mean'?
[status 2]
$ samara train "adaboost method=SAMME.R" data/iris.csv --target species
samara: adaboost: method = SAMME.R is none of discrete or real; did you mean 'real'?
[status 2]
$ samara train "vote (knn),(tree)" data/iris.csv --target species
samara: vote: learners in parentheses need a name before them: of=(...),(...)
[status 2]
$ samara train "adaboost (tree)" data/iris.csv --target species
samara: adaboost: learners in parentheses need a name before them: of=(...)
[status 2]

# Help by such a name, a learner that leaves nothing to boost, and what is shown of many trees and members.
$ samara help random_forest
samara: there is no help on 'random_forest'; did you mean 'forest'?
[status 2]
$ samara train "adaboost of=(tree)" data/iris.csv --target species --holdout 0 > /dev/null
samara: warning: adaboost: the first learner makes no error on its rows, so there is nothing to boost and it is the whole model; boost a weaker one, such as of=(tree max_depth=3)
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
$ samara train "forest 20" data/iris.csv --target species -q --holdout 0 -o f.smr
$ samara inspect f.smr | tail -1
   --tree 0 to 19 shows one of the trees
$ samara train "bag 30" data/iris.csv --target species -q --holdout 0 -o b.smr
$ samara inspect b.smr | grep -e "^1.of" -e shown | sed 's/ tree .*/ tree/'
   members_not_shown     10
1.of.0.0  tree
1.of.1.0  tree
1.of.2.0  tree
3 of 30 members are shown; --rows 0 shows 20
$ samara inspect b.smr --rows 0 | grep -c "^1.of"
20

# With many classes a tree is a part of one class's score, and its rules and picture say whose.
$ samara train "boost 3" data/iris.csv --target species -q --holdout 0 -o s.smr
$ samara inspect s.smr --tree 4 --rules | head -1
s.smr: 6 rules of tree 4, parts of the score of versicolor, those that cover most rows first
$ samara inspect s.smr --tree 4 --plot tree.svg > /dev/null; grep -o 'Tree 4 of 9[^<]*' tree.svg | head -1
Tree 4 of 9: score of versicolor

# Figures of members say whose they are; of many members the first three are drawn.
$ samara train "adaboost 12" data/breast_cancer.csv --target diagnosis -q --holdout 0 -o m.smr
$ samara inspect m.smr --json | grep -o '"title": "Importance[^"]*"'
"title": "Importance by gain"
"title": "Importance by gain: of.0"
"title": "Importance by gain: of.1"
"title": "Importance by gain: of.2"
$ samara inspect m.smr --report m.html > /dev/null; grep -o '<summary>of[^<]*' m.html | head -2
<summary>of.0 stump: Decision stump
<summary>of.1 stump: Decision stump
