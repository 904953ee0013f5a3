# Learners made of learners: calibrated probabilities, conformal intervals and sets.
$ samara train "calibrate of=(standardize | knn 15)" data/iris.csv --target species -o c.smr --json | grep -o '"spec": "[^"]*"'
"spec": "columns unseen=missing dates=days target=as_is | calibrate method=platt folds=5 of=(standardize center=yes scale=yes | knn k=15 metric=euclidean weight=uniform algorithm=auto)"
$ samara predict c.smr data/iris.csv --proba | head -2
species,p(setosa),p(versicolor),p(virginica)
setosa,0.9983663459110691,0.0006947877669135858,0.0009388663220173198
$ samara inspect c.smr | grep -A 12 '^1 '
1  calibrate method=platt folds=5 of=(standardize center=yes scale=yes | knn k=15 metric=euclidean weight=uniform algorithm=auto)
   method           platt
   from             probabilities
   log_loss_before  0.144369
   log_loss_after   0.127534
   sigmoids
     class              a          b
     setosa      0.867985  -0.228594
     versicolor   1.42803  -0.120748
     virginica    1.41322   0.106247

1.of.0.0  standardize center=yes scale=yes
   features
$ printf 'x,y\n' > counts.csv; for i in $(seq 60); do echo "$i,$((i % 7))" >> counts.csv; done; for of in linear knn 'calibrate of=(knn)'; do samara train "conformal of=($of)" counts.csv --target y --json 2>/dev/null | grep '"task"'; done
  "task": "regress",
  "task": "classify",
  "task": "classify",
$ samara train "conformal 0.8 of=(standardize | ridge 1)" data/diabetes.csv --target progression -o i.smr | grep interval
  mae        40.6893 (33.3 to 48.1)    interval_promised   0.8
  median_ae  31.3681                   interval_coverage   0.795455
  max_error  143.635                   interval_width      148.314
  r2         0.502692                  interval_score      197.24
$ samara predict i.smr data/diabetes.csv --interval | head -3
progression,progression_low,progression_high
206.06486125905457,140.93372119289177,271.19600132521737
70.76530699315441,5.634166926991611,135.8964470593172
$ samara evaluate i.smr data/diabetes.csv | grep interval_
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
  mae        43.3473 (40.4 to 46.3)    interval_promised   0.8
  median_ae  38.562                    interval_coverage   0.782805
  max_error  157.297                   interval_width      130.262
  r2         0.515938                  interval_score      186.721
$ samara train "conformal 0.95 score=adaptive of=(calibrate temperature of=(knn 15))" data/iris.csv --target species -o s.smr -q > /dev/null
$ samara predict s.smr data/iris.csv --interval | sort | uniq -c
     50 setosa,setosa
      1 species,set
     48 versicolor,versicolor
      5 versicolor,versicolor|virginica
      2 virginica,versicolor|virginica
     45 virginica,virginica
$ samara inspect s.smr --json | grep -o '"name": "of.0.calibration_map"'
"name": "of.0.calibration_map"

# Two classes: a and T belong to the decision score, so that 1 leaves a logistic model as it is; and the log loss before is there.
$ for m in platt temperature; do samara train "calibrate $m of=(standardize | logistic)" data/breast_cancer.csv --target diagnosis -q -o t.smr > /dev/null; samara inspect t.smr | grep 'log_loss_\|^     malignant\|^   temperature'; done
   log_loss_before  0.0720645
   log_loss_after   0.0742378
     malignant  0.90135  8.99237e-5
   log_loss_before  0.0720645
   log_loss_after   0.0707156
   temperature      0.840833
$ samara train "calibrate isotonic of=(standardize | svm)" data/breast_cancer.csv --target diagnosis -q -o t.smr > /dev/null; samara predict t.smr data/breast_cancer.csv --proba | cut -d, -f3 | sort -g | sed -n '2p;$p'
0.00423728813559322
0.9922480620155039

# Models without intervals, and mistakes.
$ samara predict c.smr data/iris.csv --interval
samara: this calibrate model gives no intervals; train "conformal of=(calibrate of=(standardize | knn))" for them
[status 2]
$ samara train calibrate data/iris.csv --target species
samara: calibrate: of is missing: it names the learner that calibrate is made of, as in of=(bayes)
[status 2]
$ samara train "calibrate of=(ridge)" data/iris.csv --target species
samara: calibrate of=(ridge): ridge can regress; a learner that can classify is needed here
[status 2]
$ samara train "calibrate of=(knn kk=3)" data/iris.csv --target species
samara: calibrate of=(knn kk=3): knn has no parameter 'kk'; did you mean 'k'?
[status 2]
$ samara train "calibrate folds=0 of=(knn)" data/iris.csv --target species
samara: calibrate: folds = 0 is outside [2, 1000]
[status 2]
$ samara train "conformal of=(ridge)" data/iris.csv --target species
samara: the target 'species' holds text, and conformal of=(ridge) predicts numbers; choose a learner that classifies, such as logistic or knn
[status 1]
$ samara train "conformal 1.5 of=(knn)" data/iris.csv --target species
samara: conformal: coverage = 1.5 is outside (0, 1)
[status 2]
$ samara train "conformal score=absolute of=(knn)" data/iris.csv --target species
samara: conformal: score=absolute is for numbers; use proba or adaptive
[status 2]
$ samara train "conformal of=(calibrate of=(knn k=x))" data/iris.csv --target species
samara: conformal of=(calibrate of=(knn k=x)): calibrate of=(knn k=x): knn: k = x is not a number in [1, 2147483647]
[status 2]
$ samara train "conformal of=(knn),(knn)" data/iris.csv --target species
samara: conformal: of takes at most 1 sentence
[status 2]
$ samara train "conformal of=(columns | knn)" data/iris.csv --target species
samara: conformal of=(columns | knn): columns can only be the first stage of the whole sentence
[status 2]
$ samara train "conformal of=(knn) spread=(knn)" data/iris.csv --target species
samara: conformal: spread is used only with score=scaled
[status 2]
$ samara train "conformal 0.99 of=(knn)" data/iris.csv --target species --holdout 0.5 | grep set_
samara: warning: conformal: 37 test rows are too few for a coverage of 0.99, which needs 99, so every set contains all classes; lower the coverage or raise share (now 0.25); at this share 396 rows in all suffice
  f1                 0.973291                     set_promised       0.99
  balanced_accuracy  0.973333                     set_coverage       1
  matthews           0.961026                     set_size           3
  kappa              0.96                         set_empty          0
  log_loss           0.0733657                    set_single         0
