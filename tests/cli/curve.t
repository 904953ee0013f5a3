# Learning: training rows against the error on them and on others, and what that says.
$ samara curve learning "knn 5" data/digits.csv -t digit --sizes 0.1,300,1
learning curve of knn 5 on data/digits.csv, error
rounds    5 folds, stratified
  rows     share       train    train_sd  validation  validation_sd
   143       0.1   0.0597222   0.0105318   0.0968261     0.00907606
   300  0.208768       0.026  0.00641179   0.0445265     0.00905907
  1437         1  0.00987792   0.0013414   0.0161359      0.0036177
At 1437 rows the loss (error) is 0.00988 on the rows fitted and 0.0161 on others, against 0.899 for a constant. The gap is large: variance; more rows or a simpler model help. The curve still falls: more rows may help.
$ samara curve learning ridge data/diabetes.csv -t progression --folds 3 --measure r2 --sizes 50,100,200
learning curve of ridge on data/diabetes.csv, r2
rounds    3 folds
  rows     share     train   train_sd  validation  validation_sd
    50  0.170068  0.570402   0.133734    0.405418      0.0646168
   100  0.340136  0.511938   0.074369     0.46698      0.0504193
   200  0.680272  0.483336  0.0364586    0.476686      0.0416819
At 200 rows the loss (1 - r2) is 0.517 on the rows fitted and 0.523 on others, against 1.02 for a constant. They are close and both high: bias, or noise; more rows do not help, a more flexible model or other columns may. The curve has flattened.
$ for n in 1 2 7; do samara curve learning "knn 3" data/iris.csv -t species --threads $n --json | grep -v '"seconds"' | md5sum; done | uniq | wc -l
1

# Validation: a parameter against both errors, with the sides of the best region.
$ samara curve validation knn data/breast_cancer.csv -t diagnosis --over "k=1,3,9,30,100,300" --repeats 2
validation curve of knn on data/breast_cancer.csv, error
rounds    5 folds, stratified, 2 times
  value      train    train_sd  validation  validation_sd         se
      1          0           0   0.0852352       0.023764   0.014059
      3  0.0454743  0.00475002   0.0755783      0.0172192   0.010187
      9  0.0588756  0.00546109     0.07297      0.0253483  0.0149963
     30  0.0768898  0.00497728   0.0773638      0.0234843  0.0138935
    100  0.0902916  0.00564847   0.0931843      0.0279734  0.0165493
    300   0.191566  0.00857974    0.191608      0.0226539  0.0134022
Best at knn.k = 9 (error 0.07297); from 1 to 30 it is within one standard error of that; above, underfitting.
$ samara curve validation "knn 9" data/iris.csv -t species --over "weight=uniform,distance"
validation curve of knn 9 on data/iris.csv, error
rounds    5 folds, stratified
  value         train    train_sd  validation  validation_sd         se
  uniform   0.0266667  0.00697217   0.0333333      0.0333333  0.0223607
  distance          0           0   0.0266667      0.0149071       0.01
Best at knn.weight = distance (error 0.02667).

# Training: iterations against the objective; what is fitted in one step has none.
$ samara train "calibrate of=(knn 9)" data/breast_cancer.csv -t diagnosis -o c.smr -q; samara curve training c.smr
training curve of c.smr
  iteration  objective
          1   0.272514
          2   0.228217
          3   0.219529
          4   0.218752
          5   0.218742
          6   0.218742
          7   0.218742
$ samara curve training "calibrate of=(knn 9)" data/breast_cancer.csv -t diagnosis -n 2
training curve of calibrate of=(knn 9) on data/breast_cancer.csv
  iteration  objective
          1   0.272514
          2   0.228217
  ... and 5 more
$ samara curve training ridge data/diabetes.csv -t progression
samara: a ridge model is fitted in one step: it has no curve of iterations
[status 1]
$ samara train ridge data/diabetes.csv -t progression -o r.smr -q; samara curve training r.smr
samara: a ridge model is fitted in one step: it has no curve of iterations
[status 1]

# Threshold: the rates as it moves, of a model or out of fold.
$ samara curve threshold "knn 9" data/breast_cancer.csv -t diagnosis -n 5
threshold curve of knn 9 on data/breast_cancer.csv, class malignant against the rest
rounds    5 folds, stratified
  threshold   tp   fp   tn  fn       tpr       fpr  precision        f1  accuracy
          0  212  357    0   0         1         1   0.372583  0.542894  0.372583
      0.025  203   83  274   9  0.957547  0.232493    0.70979  0.815261  0.838313
       0.05  203   83  274   9  0.957547  0.232493    0.70979  0.815261  0.838313
      0.075  203   83  274   9  0.957547  0.232493    0.70979  0.815261  0.838313
        0.1  203   83  274   9  0.957547  0.232493    0.70979  0.815261  0.838313
  ... and 36 more
largest f1 0.916468 at the threshold 0.444444
largest accuracy 0.938489 at the threshold 0.444444
$ samara train "knn 5" data/iris.csv -t species -o iris.smr -q; samara curve threshold iris.smr data/iris.csv --positive virginica -n 4
samara: warning: these are the rows that the model was fitted on: a threshold chosen on them is too sure of itself; use other rows, or name the sentence in place of the model
threshold curve of iris.smr on data/iris.csv, class virginica against the rest
  threshold  tp   fp  tn  fn  tpr   fpr  precision        f1  accuracy
          0  50  100   0   0    1     1   0.333333       0.5  0.333333
      0.025  50    6  94   0    1  0.06   0.892857  0.943396      0.96
       0.05  50    6  94   0    1  0.06   0.892857  0.943396      0.96
      0.075  50    6  94   0    1  0.06   0.892857  0.943396      0.96
  ... and 37 more
largest f1 0.960784 at the threshold 0.4
largest accuracy 0.973333 at the threshold 0.8

# Bad input.
$ samara curve threshold ridge data/diabetes.csv -t progression
samara: a threshold divides two classes, and the target 'progression' is a number
[status 2]
$ samara curve threshold r.smr data/diabetes.csv
samara: a threshold divides two classes, and the target 'progression' is a number
[status 2]
$ samara curve threshold iris.smr data/iris.csv
samara: 'species' has 3 classes; --positive CLASS sets one against the rest
[status 2]
$ samara curve threshold iris.smr data/iris.csv --positive rosa
samara: the target 'species' has no class 'rosa'
[status 2]
$ samara curve validation knn data/iris.csv -t species --over "k=1..9 weight=*"
/samara:\ a\ validation\ curve\ varies\ one\ parameter,\ and\ 'k=1\.\.9\ weight=\*'\ names\ 2;\ 'samara\ tune'\ searches\ several/
[status 2]
$ samara curve validation knn data/iris.csv -t species
samara: a validation curve varies a parameter: --over "k=1..50"
[status 2]
$ samara curve validation knn data/iris.csv -t species --over "kk=1..9"
samara: the sentence has no parameter 'kk'; did you mean 'k'?
[status 2]
$ samara curve learning knn data/iris.csv -t species --sizes 0.5,200
samara: --sizes: a round has 120 rows to fit on, not 200
[status 2]
$ samara curve learning knn data/iris.csv -t species --sizes half
samara: --sizes: 'half' is not a number
[status 2]
$ samara curve learning knn data/iris.csv -t species --measure error,auc
samara: a curve shows one measure; 2 were named
[status 2]
$ samara curve lerning knn data/iris.csv -t species
samara: a curve is learning, validation, training, rounds, threshold or elbow, not 'lerning'; did you mean 'learning'?
[status 2]
$ samara curve learning knn
samara: a learning curve needs SPEC and DATA
[status 2]
