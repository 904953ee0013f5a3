# Evaluating reports measures with intervals, classes, and the confusion matrix.
$ samara train "standardize | knn 5" data/breast_cancer.csv -t diagnosis -o m.smr -q
$ samara evaluate m.smr data/breast_cancer.csv
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
m.smr on 569 rows of data/breast_cancer.csv
  accuracy           0.980668 (0.966 to 0.989)    kappa              0.958291
  error              0.0193322                    log_loss           0.0535154
  precision          0.995074 (0.973 to 0.999)    brier              0.0163093
  recall             0.95283 (0.915 to 0.974)     calibration_error  0.0154657
  f1                 0.973494                     auc                0.998329 (0.996 to 0.999)
  balanced_accuracy  0.975015                     average_precision  0.995726
  matthews           0.958849
baseline  always 'benign' (of the measured rows): accuracy 0.627417

classes
  class          precision    recall        f1  rows
  benign          0.972678  0.997199  0.984786   357
  malignant       0.995074   0.95283  0.973494   212
  mean            0.983876  0.975015   0.97914     -
  weighted mean   0.981022  0.980668  0.980579     -

confusion: a row is the true class, a column the predicted one
                benign  malignant
  benign           356          1
  malignant         10        202
$ samara evaluate m.smr data/breast_cancer.csv --json -q | grep '^      "name": "'
      "name": "confusion",
      "name": "classes",
      "name": "roc",
      "name": "precision_recall",
      "name": "gain",
      "name": "lift",
      "name": "threshold",
      "name": "calibration",
      "name": "scores",

# Regression has its own figures.
$ samara train "standardize | ridge" data/diabetes.csv -t progression -o r.smr -q
$ samara evaluate r.smr data/diabetes.csv -q
r.smr on 442 rows of data/diabetes.csv
  mse                 2860.68 (2510 to 3210)
  rmse                53.4853 (50.1 to 56.7)
  mae                 43.2816 (40.3 to 46.2)
  median_ae           38.9589
  max_error           154.975
  r2                  0.517582
  explained_variance  0.517582
  mape                0.387637
baseline  always the mean, 152.133 (of the measured rows): rmse 77.0057
$ samara evaluate r.smr data/diabetes.csv --json -q | grep '^      "name": "'
      "name": "predicted",
      "name": "residuals",
      "name": "residual_histogram",
      "name": "normal_quantiles",

# The same bytes at 1, 2 and 7 threads.
$ for n in 1 2 7; do samara evaluate m.smr data/breast_cancer.csv --json -q --threads $n | grep -v 'seconds\|memory'; done | sort | uniq -c | awk '$1 % 3' | wc -l
0

# What makes the figures mean less than they seem to is reported.
$ awk -F, 'NR==1{print $0",answer"} NR>1{print $0","($5=="setosa" ? 1 : $5=="virginica" ? 3 : 2)*10}' data/iris.csv > leak.csv; samara train knn leak.csv -t species -q --json | grep -A4 '"advice"'
  "advice": [
    {
      "kind": "leakage",
      "message": "'answer' alone predicts 'species' almost perfectly (area 1): if it is not known before the answer is, leave it out with --ignore",
      "column": "answer"
$ (head -1 data/wine.csv; tail -n +2 data/wine.csv; tail -n +2 data/wine.csv) > twice.csv; samara train knn twice.csv -t cultivar 2>&1 | grep warning
samara: warning: 67 of the 71 measured rows (94.4 %) equal a fitted row in every input: if they are copies, the figures flatter the model; remove them, or keep copies together with --group
$ samara make circles n=400 --seed 1 -o all.csv -q; awk -F, 'NR==1 || $NF!="1" || NR%25==0' all.csv > rare.csv; samara train knn rare.csv -t last 2>&1 | grep warning
samara: warning: always answering '0' would be right for 95.7 % of the rows: judge by recall, precision and auc rather than by accuracy, and consider --threshold
$ head -40 data/iris.csv > few.csv; tail -12 data/iris.csv >> few.csv; samara train knn few.csv -t species 2>&1 | grep warning
samara: warning: 10 rows were measured: the true accuracy lies anywhere between 72.2 % and 100 % (95 % interval); measure on more rows, or with samara cv
