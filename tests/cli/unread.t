# A parameter that would not be read is refused: beside another, in another task, in a stream.
$ samara train "lasso 100 folds=7" data/diabetes.csv --target progression
samara: lasso: folds is not used when l1 has 1 value; leave folds out
[status 2]
$ samara train "lasso 100 ratio=0.1" data/diabetes.csv --target progression
samara: lasso: ratio and l1 are both given; give one of them
[status 2]
$ samara train "elastic 100 l2=1 one_se=yes" data/diabetes.csv --target progression
samara: elastic: one_se is not used when l1 has 1 value; leave one_se out
[status 2]
$ samara train "lasso folds=0 one_se=yes" data/diabetes.csv --target progression
samara: lasso: one_se is used only with folds>0
[status 2]
$ samara train "subset 3 by=aic" data/diabetes.csv --target progression
samara: subset: by is used only with k=0
[status 2]
$ samara train "boost validation=0.5" data/diabetes.csv --target progression
samara: boost: validation is used only with patience>0
[status 2]
$ samara train "tree prune=cost alpha=1 folds=3" data/diabetes.csv --target progression
samara: tree: folds is used only with alpha=-1
[status 2]
$ samara train "sgd squared momentum=0.5" data/diabetes.csv --target progression
samara: sgd: momentum is used only with method=momentum|nesterov
[status 2]
$ samara train "sgd squared power=0.6" data/diabetes.csv --target progression
samara: sgd: power is used only with schedule=inverse
[status 2]
$ samara train "sgd squared period=7" data/diabetes.csv --target progression
samara: sgd: period is used only with schedule=step|cosine
[status 2]
$ samara train "sgd squared offset=7" data/diabetes.csv --target progression
samara: sgd: offset is read with schedule=root, inverse or per_step; in a fit schedule=auto sets its rate by itself: give one of those, or leave offset out
[status 2]
$ samara train "poisson l1=1 errors=quasi" data/diabetes.csv --target progression
samara: poisson: errors is used only with l1=0
[status 2]
$ samara train "logistic solver=sgd max_iter=5" data/iris.csv --target species
samara: logistic: max_iter is not used with solver=sgd; leave it out
[status 2]
$ samara train "majority hedge eta=1 horizon=9 of=(knn),(tree)" data/iris.csv --target species
samara: majority: horizon is used only with eta=0
[status 2]
$ samara train "select forward k=2 patience=3 | ridge" data/diabetes.csv --target progression
samara: select: patience is used only with k=0
[status 2]
$ samara train "boost class_weight=balanced" data/diabetes.csv --target progression
samara: boost: class_weight is for classes, and the target has numbers; leave it out
[status 2]
$ samara train "sgd squared class_weight=balanced" data/diabetes.csv --target progression
samara: sgd: class_weight is for classes, and the target has numbers; leave it out
[status 2]
$ samara train "adaboost method=real" data/diabetes.csv --target progression
samara: adaboost: method is for classes, and the target has numbers; leave it out
[status 2]
$ samara train "adaboost loss=square" data/iris.csv --target species
samara: adaboost: loss is for numbers, and the target has classes; leave it out
[status 2]
$ samara train "stack inputs=decision of=(ridge)" data/diabetes.csv --target progression
samara: stack: inputs is for classes, and the target has numbers; leave it out
[status 2]
$ samara train "baseline median" data/iris.csv --target species
samara: baseline: by is for numbers, and the target has classes; leave it out
[status 2]
$ samara train "bag of=(tree chi2=0.1)" data/diabetes.csv --target progression
samara: tree: chi2 is for classes, and the target has numbers; leave it out (while fitting of.0, tree max_depth=0 criterion=auto max_leaves=0 min_split=0 min_leaf=0 min_gain=0 chi2=0.1 categories=b...)
[status 2]
$ samara stream "sgd passes=7" data/iris.csv --target species -q
samara: sgd: passes is for a fit, which may read its rows again, and a stream has each row once; leave it out
[status 2]
$ samara stream "perceptron shuffle=yes" data/iris.csv --target species -q
samara: perceptron: shuffle is for a fit, which may read its rows again, and a stream has each row once; leave it out
[status 2]

# The default may stand, and automatic search keeps to what the task reads.
$ samara train "boost 3 class_weight=none" data/diabetes.csv --target progression -q > /dev/null && echo fitted
fitted
$ samara tune "adaboost 5" data/diabetes.csv -t progression --trials 3 -q | grep -E "^(space|over|search)"
space     adaboost.rounds: 10 to 500 on a logarithmic scale
search    random, 3 candidates by rmse (lower is better) on 5 folds of 354 rows

# Labelled states are counted: what belongs to EM is read for mixtures alone.
$ samara train "hmm max_iter=5" data/rainy_days.csv --target weather --sequence week --time-column day -o no.smr
samara: hmm: max_iter=5 is for fits without a target, or with mixtures>1, whose classes are what is fitted; leave it out, or train without --target
[status 2]
$ samara train "hmm tol=0.1" data/rainy_days.csv --target weather --sequence week --time-column day -o no.smr
samara: hmm: tol=0.1 is for fits without a target, or with mixtures>1, whose classes are what is fitted; leave it out, or train without --target
[status 2]
$ samara help hmm | grep -A 1 "^  max_iter"
  max_iter        [1, 1000000], default 200; without a target, or if mixtures>1
                  Maximum number of iterations of EM.

# Without columns of numbers, what is for numbers is not read, nor searched.
$ for p in floor=0.1 mixtures=2 covariance=full; do samara train "hmm $p" data/rainy_days.csv --target weather --sequence week --time-column day -o no.smr; done
samara: hmm: floor=0.1 is for columns of numbers, and all columns are categories; leave it out, or read one with --type COL=number
samara: hmm: mixtures=2 is for columns of numbers, and all columns are categories; leave it out, or read one with --type COL=number
samara: hmm: covariance=full is for columns of numbers, and all columns are categories; leave it out, or read one with --type COL=number
[status 2]
$ samara tune hmm data/rainy_days.csv --target weather --sequence week --time-column day --trials 3 -q | grep -E "^(space|over|search)"
space     hmm.smoothing: 0.0001 to 10 on a logarithmic scale
search    random, 3 candidates by accuracy (higher is better) on 5 folds of 168 rows
$ samara tune hmm data/rainy_days.csv --target weather --sequence week --trials 3 -q | grep -E "^(space|over|search|  )" | sed -n 1,4p
space     hmm.smoothing: 0.0001 to 10 on a logarithmic scale
          hmm.covariance: diagonal, full
          hmm.mixtures: 1 to 4
search    random, 3 candidates by accuracy (higher is better) on 5 folds of 168 rows
