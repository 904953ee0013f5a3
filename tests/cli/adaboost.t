# Boosting, round by round: what each member weighs, what bounds the error, and the rows that became heavy.
$ samara train "adaboost 6 of=(logistic)" data/breast_cancer.csv --target diagnosis -o boosted.smr --holdout 0 --quiet
$ samara inspect boosted.smr | sed -n "/^1  adaboost/,/^1.of.0/p" | grep -v "^1\|^$"
   method          discrete
   rounds          6
   ended           all rounds were made
   gamma           0.142129
   training_error  0.0456942
   bound           0.233764
   loss            0.233764
   ln_loss         -1.45344
   by_round
     round     alpha  weighted_error      loss     bound  gamma_bound  training_error
         1   1.56137       0.0421793  0.401996  0.401996     0.657573       0.0421793
         2  0.568346        0.242928  0.344793  0.344793      0.76771       0.0421793
         3  0.582654        0.237704  0.293541  0.293541      0.67266       0.0421793
         4  0.489473        0.273101  0.261576  0.261576     0.662413        0.056239
         5  0.379333        0.318936  0.243822  0.243822     0.720477       0.0456942
         6  0.292309        0.357871  0.233764  0.233764     0.784735       0.0456942
   margins
     round      least     tenth  median  greatest
         1         -1         1       1         1
         2         -1         1       1         1
         5  -0.726641  0.726641       1         1
         6  -0.596341  0.596341       1         1
   heaviest_rows
     row  times_its_first_weight
     298                 43.0929
     537                 43.0929
      74                  35.766
     239                 30.0526
     414                 30.0526
     456                 30.0526
     492                 30.0526
     477                  24.811
      40                 16.7489
     291                 16.7489

# Error after each number of rounds: of a model on rows, of a sentence over folds; a prediction by the first rounds alone.
$ samara curve rounds boosted.smr data/breast_cancer.csv
rounds curve of boosted.smr on data/breast_cancer.csv, error
  rounds      error  log_loss
       1  0.0421793  0.174809
       2  0.0421793  0.147389
       3  0.0421793  0.140206
       5  0.0456942  0.127176
       6  0.0456942  0.128204
best error 0.0421793 after 1 of 6 rounds
$ samara curve rounds boosted.smr data/breast_cancer.csv --measure auc --json | grep -A3 '"best"'
  "best": {
    "rounds": 6,
    "auc": 0.9952367739548649
  },
$ samara curve rounds "adaboost 5 of=(logistic)" data/breast_cancer.csv --target diagnosis --folds 3 --quiet
rounds curve of adaboost 5 of=(logistic) on data/breast_cancer.csv, error
rounds    3 folds, stratified
  rounds      train    train_sd  validation  validation_sd
       1  0.0369092  0.00952598   0.0457069     0.00816182
       2  0.0369092  0.00952598   0.0457069     0.00816182
       3  0.0369092  0.00952598   0.0492342      0.0134226
       5  0.0404319   0.0119345   0.0562517      0.0122523
best error 0.0457069 after 1 of 5 rounds
$ samara predict boosted.smr data/breast_cancer.csv --rounds 2 --decision | head -3
diagnosis,score(benign),score(malignant)
malignant,-2.1297122453738844,2.1297122453738844
malignant,-2.1297122453738844,2.1297122453738844
$ samara predict boosted.smr data/breast_cancer.csv --rounds 7
samara: this adaboost model has 6 rounds, not 7
[status 2]
$ samara train "knn 3" data/iris.csv --target species -o knn.smr --quiet
$ samara predict knn.smr data/iris.csv --rounds 1
samara: a knn model does not grow in rounds; boosting, forests and bagging do
[status 2]
$ samara curve rounds knn.smr data/iris.csv
samara: a knn model does not grow in rounds; boosting, forests and bagging do
[status 2]

# Numbers, by the median of the members; a learner that stops being useful ends it, and what there is is kept.
$ samara train "adaboost 30 loss=square of=(knn 5)" data/diabetes.csv --target progression --holdout 0 -o r2.smr --verbose 2>&1 | grep -E "ended|^fitted|saved"
samara: adaboost: ended after 23 of 30 rounds: the next learner's mean loss was half the largest or more
fitted    442 rows, 10 features, * s, 23 iterations
saved     r2.smr
$ samara inspect r2.smr | grep -A8 "method "
   method             R2
   rounds             23
   ended              the next learner's mean loss was half the largest or more
   members_not_shown  3
   by_round
     round     alpha  mean_loss  largest_error
         1    2.4834  0.0770301            198
         2   1.96762   0.122645         168.78
         3   1.06071   0.257173        120.387

# For classes, a warning says so.
$ samara train "adaboost 60 of=(logistic)" data/breast_cancer.csv --target diagnosis --holdout 0 | grep fitted
samara: warning: adaboost: ended after 16 of 60 rounds: the next learner was no better than chance on the weighted rows
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
fitted    569 rows, 30 features, * s, 16 iterations

# Stumps by default; tune reaches the members' parameters.
$ samara train adaboost data/wine.csv --target cultivar | grep -E "^model|^fitted"
model     columns unseen=missing dates=days target=as_is | adaboost rounds=50 method=discrete loss=linear step=error rate=1 resample=no of=(stump criterion=auto min_leaf=0 categories=binary missing=direction class_weight=none search=auto)
fitted    178 rows, 13 features, * s, 50 iterations
$ samara tune "adaboost 10 of=(tree max_depth=1)" data/wine.csv --target cultivar --over "of.max_depth=1,2 rate=0.5,1" --holdout 0 --quiet | head -4
model     adaboost rounds=10 method=discrete loss=linear step=error rate=1 resample=no of=(tree max_depth=1 criterion=auto max_leaves=0 min_split=0 min_leaf=0 min_gain=0 chi2=0 categories=binary missing=direction class_weight=none search=auto ties=first prune=none)
data      data/wine.csv: 178 rows
space     adaboost.of.0.tree.max_depth: 1, 2
          adaboost.rate: 0.5, 1

# What cannot be boosted says why.
$ samara train "adaboost of=(standardize)" data/iris.csv --target species
samara: adaboost of=(standardize): standardize can transform; a learner that can classify or regress is needed here
[status 2]
$ samara train "adaboost of=(ridge)" data/iris.csv --target species
samara: the target 'species' holds text, and adaboost of=(ridge) predicts numbers; choose a learner that classifies, such as logistic or knn
[status 1]
$ samara train "adaboost method=real of=(perceptron)" data/iris.csv --target species
samara: adaboost method=real needs probabilities, which perceptron does not give; take method=discrete, or of=(calibrate of=(...))
[status 2]
$ samara train "adaboost rate=0.5 step=fixed of=(logistic)" data/iris.csv --target species
samara: adaboost: rate is used only with step=error
[status 2]
$ printf 'x,y\n0,a\n0,b\n1,a\n1,b\n0,a\n0,b\n1,a\n1,b\n' > chance.csv
$ samara train "adaboost of=(logistic)" chance.csv --target y --holdout 0 --quiet
samara: adaboost: its first learner, logistic, is no better than chance: it gets 0.5 of the weight wrong; give of= one that can tell these classes apart, such as a deeper tree, or better features
[status 1]

# The same bytes at 1, 2 and 7 threads, even where rows are drawn.
$ for j in 1 2 7; do samara train "adaboost 5 resample=yes of=(standardize | knn 9)" data/wine.csv --target cultivar -j $j -o w$j.smr --quiet; done; cmp w1.smr w2.smr && cmp w1.smr w7.smr && echo same
same
