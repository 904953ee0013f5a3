# A threshold is chosen on out-of-fold predictions, kept, shown, and used.
$ samara train "standardize | knn 15" data/breast_cancer.csv -t diagnosis --positive malignant --threshold recall=0.99 -o t.smr
read      data/breast_cancer.csv: 569 rows, 31 columns, * s
task      classify diagnosis: benign, malignant
model     columns unseen=missing dates=days target=as_is | standardize center=yes scale=yes | knn k=15 metric=euclidean weight=uniform algorithm=auto
fitted    569 rows, 30 features, * s
measured  on 114 held-out rows that this fit did not see
  threshold  0.0333333 (recall=0.99, on the out-of-fold predictions of 455 rows)
  accuracy           0.850877 (0.774 to 0.905)    kappa              0.705561
  error              0.149123                     log_loss           0.119062
  precision          0.716667 (0.592 to 0.815)    brier              0.0345809
  recall             1 (0.918 to 1)               calibration_error  0.074269
  f1                 0.834951                     auc                0.995742 (0.969 to 0.999)
  balanced_accuracy  0.880282                     average_precision  0.993411
  matthews           0.738289
baseline  always 'benign': accuracy 0.622807
threshold 0.1 in the saved model: recall=0.99, on the out-of-fold predictions of 569 rows
saved     t.smr
$ samara inspect t.smr | grep positive
positive  malignant, where its score is at least 0.1 (recall=0.99, on the out-of-fold predictions of 569 rows)
$ samara predict t.smr data/breast_cancer.csv | sort | uniq -c
    304 benign
      1 diagnosis
    265 malignant
$ samara predict t.smr data/breast_cancer.csv --threshold 0.99 | sort | uniq -c
    435 benign
      1 diagnosis
    134 malignant
$ samara evaluate t.smr data/breast_cancer.csv -q | head -2
t.smr on 569 rows of data/breast_cancer.csv
  threshold  0.1 (recall=0.99, on the out-of-fold predictions of 569 rows)

# Evaluating with another threshold, given or chosen on the rows at hand.
$ samara evaluate t.smr data/breast_cancer.csv --threshold 0.5 -q | head -3
t.smr on 569 rows of data/breast_cancer.csv
  threshold  0.5 (given)
  accuracy           0.97188 (0.955 to 0.983)    kappa              0.939156
$ samara evaluate t.smr data/breast_cancer.csv --threshold cost=1:5 | head -2
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
samara: warning: the threshold was chosen on the rows it is measured on, which flatters it; train --threshold chooses on others
t.smr on 569 rows of data/breast_cancer.csv
  threshold  0.166667 (cost=1:5, chosen on the measured rows)

# The measures of a held-out part come with a threshold that its rows had no say in.
$ samara train "standardize | knn 15" data/breast_cancer.csv -t diagnosis --threshold cost=1:5 | grep threshold
  threshold  0.3 (cost=1:5, on the out-of-fold predictions of 455 rows)
  cost       0.0614 per row at this threshold, 0.175 where the larger score decides
threshold 0.366667 in the saved model: cost=1:5, on the out-of-fold predictions of 569 rows

# A threshold that cannot be is refused with the reason.
$ samara train knn data/iris.csv -t species --threshold 0.3
samara: a threshold is for telling two classes apart, and 'species' has 3
[status 2]
$ samara train ridge data/diabetes.csv -t progression --threshold f1
samara: a threshold is for telling two classes apart, or outliers from other rows; this model predicts numbers
[status 2]
$ samara train knn data/breast_cancer.csv -t diagnosis --threshold recal=0.9
samara: --threshold: 'recal=0.9' is not a rule; did you mean 'recall'?
[status 2]
$ samara train knn data/breast_cancer.csv -t diagnosis --threshold recall=90
samara: --threshold recall=90: a share between 0 and 1 is wanted
[status 2]
$ samara train knn data/breast_cancer.csv -t diagnosis --threshold 1.5
samara: --threshold: this model gives probabilities, so from 0 to 1
[status 2]
$ samara predict t.smr data/breast_cancer.csv --threshold f1
samara: --threshold f1: a rule needs rows with known answers, so train and evaluate take it; predict takes a number
[status 2]
$ samara train "knn 400" data/breast_cancer.csv -t diagnosis --threshold precision=0.99
samara: no threshold reaches a precision of 0.99; the best is 0.3714, which finds the share 1 of the positives
[status 1]
