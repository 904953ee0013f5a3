# Weighted majority: experts judged by their mistakes, in a fit and on a stream.
$ samara train "majority of=(knn 5),(standardize | logistic),(perceptron averaged)" data/iris.csv --target species -o m.smr | grep -e accuracy -e saved
samara: warning: perceptron: 100 passes, and the last still made 10 mistakes: the classes cannot be separated, or need more passes (max_iter); logistic may handle that better
samara: warning: perceptron: 100 passes, and the last still made 8 mistakes: the classes cannot be separated, or need more passes (max_iter); logistic may handle that better
samara: warning: perceptron: 100 passes, and the last still made 5 mistakes: the classes cannot be separated, or need more passes (max_iter); logistic may handle that better
samara: warning: perceptron: 100 passes, and the last still made 7 mistakes: the classes cannot be separated, or need more passes (max_iter); logistic may handle that better
  accuracy           1 (0.886 to 1)    kappa              1
  balanced_accuracy  1                 auc_ovo            1
baseline  always 'setosa': accuracy 0.333333
saved     m.smr
$ samara inspect m.smr | grep -A10 "method  "
   method                majority
   rounds                150
   mistakes              6
   best_expert_mistakes  4
   mistake_bound         13.4565
   experts
     expert                  mistakes      share
     knn                            5   0.307692
     standardize | logistic         7  0.0769231
     perceptron                     4   0.615385

$ samara train "majority hedge of=(knn 5),(standardize | logistic)" data/iris.csv --target species -o h.smr -q; samara inspect h.smr | grep -A10 "method  "
   method                hedge
   rounds                150
   mistakes              6
   best_expert_mistakes  5
   mistake_bound         12.2101
   regret                1
   rate                  0.19227
   experts
     expert                  mistakes     share
     knn                            5  0.594968
     standardize | logistic         7  0.405032

# A stream: the experts learn too.  A fitted model goes on by its weights.
$ samara stream "majority of=(sgd),(perceptron),(standardize | logistic)" data/breast_cancer.csv --target diagnosis -o s.smr | grep measured; samara inspect s.smr | grep -A9 "method  "
measured  error 0.04569, accuracy 0.9543, log_loss 1.352, each row before it was learned
   method                majority
   rounds                569
   mistakes              26
   best_expert_mistakes  25
   mistake_bound         64.0544
   experts
     expert                  mistakes        share
     sgd                          185  6.84228e-49
     perceptron                   168  8.96831e-44
     standardize | logistic        25            1
$ samara stream --from m.smr data/iris.csv -o m2.smr | grep measured; samara inspect m2.smr | grep -e rounds -e mistake_bound
measured  error 0.02, accuracy 0.98, log_loss 0.5032, each row before it was learned
   rounds                300
   mistake_bound         20.6848

# What cannot be.
$ samara stream "majority of=(sgd),(knn 3)" data/iris.csv --target species
samara: knn needs all rows at once and cannot learn from a stream; these can: baseline, bayes, kmeans, kperceptron, linear, logistic, majority, perceptron, sgd
[status 1]
$ samara train "majority" data/iris.csv --target species 2>&1 | sed "s/, as in .*//"
samara: majority: of is missing: it names the learners that majority is made of
$ samara train "majority of=(ridge)" data/iris.csv --target species
samara: majority of=(ridge): ridge can regress; a learner that can classify is needed here
[status 2]
$ samara train "majority beta=1 of=(knn)" data/iris.csv --target species
samara: majority: beta = 1 is outside (0, 1)
[status 2]
$ samara train "majority hedge beta=0.3 of=(knn)" data/iris.csv --target species
samara: majority: beta is used only with method=majority|random
[status 2]
