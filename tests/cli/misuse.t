# One file is not written twice, nor written over what it is made from, by whatever path.
$ samara tune knn data/iris.csv -t species --over k=1,3 --log F -o F
samara: F is asked for twice, by -o and by --log; choose another name
[status 2]
$ samara tune knn data/iris.csv -t species --over k=1,3 --log F --report ./F; ls F 2> /dev/null
samara: ./F is asked for twice, by --log and by --report; choose another name
[status 2]
$ samara tune knn data/iris.csv -t species --over k=1,3 --log F -q > /dev/null; samara tune knn data/iris.csv -t species --over k=1,3 --resume F -o F; grep -c trial F
samara: F is asked for twice, by -o and by --resume; choose another name
3
$ samara cv knn data/iris.csv -t species -o p.svg --plot folds=p.svg
samara: p.svg is asked for twice, by -o and by --plot; choose another name
[status 2]
$ samara train knn data/iris.csv -t species --test data/wine.csv -o data/wine.csv
samara: data/wine.csv would be replaced by the result; choose another -o
[status 2]
$ samara convert data/iris.csv ./data/iris.csv
samara: data/iris.csv would be replaced by the result; choose another name
[status 2]
$ cp data/iris.csv mine.csv; samara predict mine.csv mine.csv -o mine.csv
samara: mine.csv would be replaced by the result; choose another -o
[status 2]

# What is asked for is looked at before any file is.
$ samara curve steep ridge nowhere.csv
samara: a curve is learning, validation, training, rounds, threshold or elbow, not 'steep'
[status 2]
$ samara explain importanc nowhere.smr nowhere.csv
samara: explain shows importance, dependence, regions, path, shapley, proximity or maps, not 'importanc'; did you mean 'importance'?
[status 2]

# Sizes without sense and options that are not read are refused.
$ samara train knn data/iris.csv -t species -q -o iris.smr > /dev/null
$ samara explain dependence iris.smr data/iris.csv --columns petal_length --grid 1000000000
samara: --grid: at most 1000, not 1000000000
[status 2]
$ samara explain dependence iris.smr data/iris.csv --columns petal_length,petal_width --grid 1000
samara: --grid: at most 200 along each of two columns, not 1000
[status 2]
$ samara explain dependence iris.smr data/iris.csv --grid 0
samara: --grid: at least 1
[status 2]
$ samara explain dependence iris.smr data/iris.csv --ice 1000000
samara: --ice: at most 1000, not 1000000
[status 2]
$ samara explain importance iris.smr data/iris.csv --repeats 100000000
samara: --repeats: at most 10000, not 100000000
[status 2]
$ samara explain importance iris.smr data/iris.csv --repeats 0
samara: --repeats: at least 1
[status 2]
$ samara explain importance iris.smr data/iris.csv --use-rows 0
samara: --use-rows: at least 1
[status 2]
$ samara explain importance iris.smr data/iris.csv --positive zzz
samara: the target 'species' has no class 'zzz'
[status 2]
$ samara explain regions iris.smr data/iris.csv --columns petal_length,petal_width --positive nope
samara: explain regions does not take --positive
[status 2]
$ samara bias-variance knn --generator moons --rows 0
samara: --rows: at least 2 rows per sample
[status 2]
$ samara cv knn data/iris.csv -t species --folds 99999999999999999999
samara: --folds: 99999999999999999999 is too large
[status 2]
$ samara tune knn data/iris.csv -t species --nested 5 --time 5s
samara: --nested and --time exclude each other: --nested repeats the whole search, which --time may cut short
[status 2]
$ samara compare data/iris.csv -t species knn "knn 5"
samara: 'knn' and 'knn 5' are the same model: name it once
[status 2]

# The positive class of importance is that of its measures.
$ samara train "knn 5" data/breast_cancer.csv -t diagnosis -q -o b.smr > /dev/null; for c in benign malignant; do samara explain importance b.smr data/breast_cancer.csv --measure recall --positive $c --repeats 2 | grep recall; done
samara: warning: these are the rows that the model was fitted on: what is shown is what the model leans on, not what generalises; explain it on other rows
recall: 0.97479; how much worse when a column is shuffled
samara: warning: these are the rows that the model was fitted on: what is shown is what the model leans on, not what generalises; explain it on other rows
recall: 0.900943; how much worse when a column is shuffled

# The same fault has the same status: 1 where the data do not suit.
$ samara make moons -q -o moons.csv
$ samara predict iris.smr moons.csv
samara: moons.csv lacks 4 of the columns that the model needs: 'sepal_length', 'sepal_width', 'petal_length', 'petal_width'
[status 1]
$ samara explain importance iris.smr moons.csv
samara: moons.csv lacks the column 'sepal_length' that the model needs
[status 1]
$ samara cv knn data/iris.csv -t species --folds 151
samara: 151 folds cannot be made of 150 rows; ask for at most 150
[status 1]

# And 2 where an option asks for what the data or the learner cannot give.
$ samara curve learning knn data/iris.csv -t species --sizes 100000
samara: --sizes: a round has 120 rows to fit on, not 100000
[status 2]
$ samara bias-variance knn data/iris.csv -t species --rows 1000
samara: --rows: samples of 1000 rows cannot differ, as 100 rows are there to draw them from; ask for fewer
[status 2]
$ samara train ridge data/iris.csv -t sepal_length --threshold 0.5
samara: a threshold is for telling two classes apart, or outliers from other rows; this model predicts numbers
[status 2]
$ samara curve threshold ridge data/iris.csv -t sepal_length
samara: a threshold divides two classes, and the target 'sepal_length' is a number
[status 2]

# Messages name the thing and the way out.
$ samara tune knn data/iris.csv -t species --holdout 0.999
samara: 149 of 150 rows are held out, which leaves 1 for 5 folds; hold out fewer with --holdout
[status 1]
$ samara cv knn iris.smr -t x
samara: iris.smr: not a table, but a samara model (or another safetensors file)
[status 1]
$ samara inspect data/iris.csv
samara: data/iris.csv is not a samara model file (it looks like CSV)
[status 1]
$ printf '{"a": [1, 2, 3]}\n' > j.json; samara inspect j.json
samara: j.json is not a samara model file (it looks like JSON)
[status 1]
$ awk -F, -v OFS=, 'NR == 5 { $3 = "inf" } { print }' data/iris.csv > inf.csv; samara predict iris.smr inf.csv
samara: row 4, column 'petal_length': the value is infinite, and knn needs finite numbers
[status 1]
$ samara cv knn data/iris.csv -t nope
samara: data/iris.csv has no column 'nope'; it has sepal_length, sepal_width, petal_length, petal_width and species
[status 2]
$ : > empty.log; samara tune knn data/iris.csv -t species --over k=1,3 --resume empty.log; wc -c < empty.log
samara: empty.log is empty: there is no search to continue; --log FILE begins a new one
0

# What there is to measure with is listed.
$ samara cv knn data/iris.csv -t species --measure nope
samara: there is no measure 'nope'; 'samara list measures' names them all
[status 2]
$ samara list measures
Measures of predicted classes (--measure)
  accuracy           Accuracy; higher is better
  error              Error; lower is better
  precision          Precision; higher is better
  recall             Recall; higher is better
  f1                 F1; higher is better
  balanced_accuracy  Balanced accuracy; higher is better
  matthews           Matthews correlation; higher is better
  kappa              Cohen's kappa; higher is better
  log_loss           Log loss; lower is better
  brier              Brier score; lower is better
  calibration_error  Expected calibration error; lower is better
  auc                Area under the ROC curve; higher is better
  auc_ovo            Area under the ROC curve, by pairs; higher is better
  average_precision  Average precision; higher is better
  top3_error         Top-3 error; lower is better
  top5_error         Top-5 error; lower is better
  precision_macro    Precision, macro; higher is better
  precision_micro    Precision, micro; higher is better
  precision_weighted Precision, weighted; higher is better
  recall_macro       Recall, macro; higher is better
  recall_micro       Recall, micro; higher is better
  recall_weighted    Recall, weighted; higher is better
  f1_macro           F1, macro; higher is better
  f1_micro           F1, micro; higher is better
  f1_weighted        F1, weighted; higher is better

Measures of predicted numbers (--measure)
  mse                Mean squared error; lower is better
  rmse               Root mean squared error; lower is better
  mae                Mean absolute error; lower is better
  median_ae          Median absolute error; lower is better
  max_error          Largest error; lower is better
  r2                 R squared; higher is better
  explained_variance Explained variance; higher is better
  mape               Mean absolute percentage error; lower is better
  pinball_05         Pinball loss at 0.05; lower is better
  pinball_10         Pinball loss at 0.10; lower is better
  pinball_25         Pinball loss at 0.25; lower is better
  pinball_50         Pinball loss at 0.50; lower is better
  pinball_75         Pinball loss at 0.75; lower is better
  pinball_90         Pinball loss at 0.90; lower is better
  pinball_95         Pinball loss at 0.95; lower is better
  poisson_deviance   Mean Poisson deviance; lower is better
  gamma_deviance     Mean gamma deviance; lower is better
  rmsle              Root mean squared logarithmic error; lower is better

Measures of predicted clusters (--measure)
  adjusted_rand      Adjusted Rand index; higher is better
  nmi                Normalised mutual information; higher is better
  purity             Purity; higher is better
  silhouette         Silhouette; higher is better
  davies_bouldin     Davies-Bouldin index; lower is better
  calinski_harabasz  Calinski-Harabasz index; higher is better

Measures of predicted sequences (--measure)
  accuracy           Accuracy; higher is better
  sequence_accuracy  Accuracy of sequences; higher is better
  log_likelihood     Log-likelihood per step; higher is better

Measures of predicted ratings (--measure)
  rmse               Root mean squared error; lower is better
  mae                Mean absolute error; lower is better
  mse                Mean squared error; lower is better

Measures of predicted densities (--measure)
  log_density        Mean log-density; higher is better

Measures of predicted outliers (--measure)
  auc                Area under the ROC curve; higher is better
  average_precision  Average precision; higher is better
  precision          Precision; higher is better
  recall             Recall; higher is better
$ samara list generators | grep friedman1
  friedman1       Friedman's first function (also: friedman)
$ samara list gizmos
samara: list knows learners, transforms, generators, measures, layers and nets, not 'gizmos'
[status 2]
$ samara list measures --json | python3 -c "import json, sys; print(sorted(json.load(sys.stdin)))"
['command', 'json_version', 'measures']

# Of equal scores the simplest wins; a search that gains nothing says so; chance is given by measure.
$ samara tune "standardize | knn" data/iris.csv -t species --over "k=1,3,5,9,15 weight=*" | tail -7
          one of 4 with this score: the simplest, else the first
  sentence  validation  unseen rows
  winner          0.95     0.966667
  as given    0.933333     0.966667
On 30 rows that the search never saw, the winner's accuracy is no worse than its validation score (0.0167 better): choosing the best of 10 has not flattered it here; the standard error of a share of this many rows is 0.044.
Tuning did not help here: on the unseen rows the winner's accuracy is 0.9667, and that of the sentence as given 0.9667.
not saved; -o FILE keeps the winner, fitted on all rows
$ samara tune knn data/breast_cancer.csv -t diagnosis --over "k=1,3,9" --measure auc | tail -5
  winner      0.964232     0.973469
  as given      0.9577     0.975925
On 114 rows that the search never saw, the winner's auc is no worse than its validation score (0.00924 better): choosing the best of 3 has not flattered it here; the 95 % interval of the score on this many rows is 0.915 to 0.992.
Tuning did not help here: on the unseen rows the winner's auc is 0.9735, and that of the sentence as given 0.9759.
not saved; -o FILE keeps the winner, fitted on all rows
$ samara tune knn data/breast_cancer.csv -t diagnosis --over "k=1,3,9" --measure f1 | tail -5
  sentence  validation  unseen rows
  winner      0.898495     0.904762
  as given    0.898631     0.891566
On 114 rows that the search never saw, the winner's f1 is no worse than its validation score (0.00627 better); how much of that is chance is not known.
not saved; -o FILE keeps the winner, fitted on all rows

# What was inserted is shown, and what was written is named; not with --quiet, nor with --json.
$ samara cv ridge data/iris.csv -t sepal_length --measure r2 | head -3
model     ridge l2=1 path=0 fit_intercept=yes
as fitted onehot max_levels=100 drop=none | ridge l2=1 path=0 fit_intercept=yes
data      data/iris.csv: 150 rows, 4 features
$ samara compare data/iris.csv -t sepal_length ridge "knn 3" | grep fitted
as fitted with onehot inserted: ridge, knn 3; -v shows all of it
$ samara compare data/iris.csv -t sepal_length ridge "knn 3" -v 2> /dev/null | grep fitted
as fitted ridge: onehot max_levels=100 drop=none | ridge l2=1 path=0 fit_intercept=yes
as fitted knn 3: onehot max_levels=100 drop=none | knn k=3 metric=euclidean weight=uniform algorithm=auto
$ samara tune ridge data/iris.csv -t sepal_length --over l2=1,10 | grep fitted
as fitted onehot max_levels=100 drop=none | ridge l2=1 path=0 fit_intercept=yes
not saved; -o FILE keeps the winner, fitted on all rows
$ samara predict iris.smr data/iris.csv -o p.csv; samara predict iris.smr data/iris.csv -o p.csv --quiet; samara convert p.csv p.arff
wrote     p.csv
wrote     p.arff
$ samara evaluate iris.smr data/iris.csv --plot confusion.svg --report e.html | tail -2; samara evaluate iris.smr data/iris.csv --plot confusion.svg --json | tail -1
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
wrote     confusion.svg
wrote     e.html
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
}
$ samara help explain | grep -e --repeats; samara help cv | grep -e --repeats -e --rows; samara help bias-variance | grep -e --rows
      --repeats N               Importance: how often to shuffle each column, 10 by
      --repeats N               How many times to repeat with new folds, 1 by default.
  -n  --rows N                  Show at most N rows of each table; 0 for all.
  -n  --rows N                  Rows of a sample, 100 by default, or half of a file's.

# An option that has no effect where it is given is refused, with the reason.
$ samara train "standardize | ridge" data/diabetes.csv -t progression -o d.smr -q; samara train logistic data/breast_cancer.csv -t diagnosis -o c.smr -q; samara train "boost 3" data/diabetes.csv -t progression -o b.smr -q; samara train standardize data/diabetes.csv -o s.smr -q; samara convert data/diabetes.csv d.npy -q
$ samara describe d.npy --delimiter ';'; samara describe d.npy --decimal ,; samara describe d.npy --header no; samara describe d.npy --header yes; samara describe d.npy --missing NA
samara: d.npy: is npy; a delimiter is for CSV files
samara: d.npy: is npy; a decimal point or comma is for CSV files
samara: d.npy: --header is for CSV files, and this is another format
samara: d.npy: is npy; a header is for CSV files
samara: d.npy: is npy; marks of missing values are for CSV, JSON lines and SQLite
[status 2]
$ samara train ridge data/diabetes.csv -t progression --test data/diabetes.csv --holdout 0.3
samara: --test and --holdout exclude each other: the model is measured on the rows of a file, or on a share of DATA
[status 2]
$ samara train ridge data/diabetes.csv -t progression --test-labels l.idx
samara: --test-labels are the labels of --test FILE, which is not given; for those of DATA use --labels
[status 2]
$ samara train standardize data/diabetes.csv --holdout 0.3
samara: --holdout: this sentence predicts nothing that could be measured; leave it out
[status 2]
$ samara train ridge data/diabetes.csv -t progression --positive yes; samara train ridge data/diabetes.csv -t progression --classes a,b; samara train standardize data/diabetes.csv --positive yes
samara: a positive class is named, and the target has numbers here; leave that out, or ask for the task classify
samara: classes are named, and the target has numbers here; leave that out, or ask for the task classify
samara: a positive class is named, and this sentence predicts nothing; leave that out
[status 2]
$ samara compare data/breast_cancer.csv -t diagnosis knn --positive benign; samara cv knn data/iris.csv -t species --positive setosa
samara: accuracy is the same whichever class is the positive one; precision, recall, f1 and average_precision depend on it
samara: the target has 3 classes, and measures are means over all of them, so none is the positive one; leave out the positive class
[status 2]
$ samara cv ridge data/diabetes.csv -t progression --ordered --strata yes; samara cv ridge data/diabetes.csv -t progression --leave-one-out --strata no
samara: --strata spreads classes over folds, which is not possible in order of time; leave it out
samara: --strata spreads classes over folds, which is not possible with one row at a time; leave it out
[status 2]
$ samara cv ridge data/diabetes.csv -t progression --time-column age
samara: ridge takes each row by itself, in no order; --order-by divides the rows by time, --ignore leaves the column out
[status 2]
$ samara tune "ridge 1" data/diabetes.csv -t progression --over l2=1,2 --validation data/diabetes.csv --strata no
samara: --strata: scores come from the rows of data/diabetes.csv, so there are no folds to divide; leave it out
[status 2]
$ samara tune ridge data/diabetes.csv -t progression --confidence 0.9
samara: tune does not take --confidence; 'samara help tune' lists what it takes
[status 2]
$ samara curve learning ridge data/diabetes.csv -t progression --over l2=1; samara curve rounds "boost 3" data/diabetes.csv -t progression --sizes 0.5; samara curve training logistic data/iris.csv -t species --folds 3; samara curve threshold c.smr data/breast_cancer.csv --measure auc
samara: a learning curve does not take --over: a validation or elbow curve varies a parameter
samara: a rounds curve does not take --sizes: a learning curve has sizes
samara: a training curve does not take --folds: it shows the objective of one fit on all rows
samara: a threshold curve does not take --measure: it shows every rate there is
[status 2]
$ samara curve rounds b.smr data/diabetes.csv --target progression; samara curve training c.smr --delimiter ,; samara curve rounds b.smr data/diabetes.csv --positive x
samara: a rounds curve does not take --target: the model is fitted, and knows its columns
samara: a training curve does not take --delimiter: it needs no rows
samara: a rounds curve does not take --positive: the model has its own
[status 2]
$ samara predict d.smr data/diabetes.csv --type age=category; samara evaluate d.smr data/diabetes.csv --type age=ignore
samara: column 'age' was a number when the model was trained, and is read as one: leave out its type here, or train with it
samara: column 'age' was a number when the model was trained, and is read as one: leave out its type here, or train with it
[status 2]
$ samara explain path b.smr data/diabetes.csv --weight age; samara explain regions d.smr data/diabetes.csv --columns age,bmi --use-rows 5
samara: explain path does not take --weight
samara: explain regions does not take --use-rows
[status 2]
$ samara inspect d.smr --depth 2; samara inspect b.smr --depth 2
samara: --depth: this model has no tree that could be shown
samara: --depth: the model has 3 trees, of which none is shown; choose one with --tree 0 to 2
[status 2]
$ samara describe data/iris.csv --task classify; samara split data/iris.csv a.csv b.csv --task classify
samara: --task says how to take --target, which is not given
samara: --task says how to take --target, which is not given
[status 2]
$ samara bias-variance ridge --generator linear --target y; samara make -o x.csv
samara: --target describes a file; the columns and the target of --generator linear are known: leave it out
samara: make needs the NAME of what to make: samara make NAME [key=value ...] [-o FILE]
[status 2]
$ samara train "select l1 k=2 folds=7 | linear" data/diabetes.csv -t progression
samara: select: folds choose how many features are kept, and k says it; give one of the two
[status 2]
$ samara train ridge data/diabetes.csv -t progression --holdout nan; samara cv ridge data/diabetes.csv -t progression --repeats 99999999
samara: --holdout: 'nan' is not a number
samara: repeats: at most 1000000, not 99999999
[status 2]

# A file in the wrong place, a model of another task.
$ samara cv d.smr data/diabetes.csv -t progression; samara compare data/diabetes.csv -t progression d.smr
samara: 'd.smr' is a file, where a sentence such as "knn 5" is needed; 'samara evaluate' measures a saved model
samara: 'd.smr' is a file, where a sentence such as "knn 5" is needed; 'samara evaluate' measures a saved model
[status 2]
$ samara plot d.smr
samara: d.smr is not JSON; plot draws what a command printed with --json
[status 1]
$ samara predict d.smr data/diabetes.csv --proba; samara predict s.smr data/diabetes.csv --proba; samara predict s.smr data/diabetes.csv --interval
samara: this ridge model predicts numbers, and gives no probabilities
samara: this standardize model predicts nothing, and gives no probabilities
samara: this standardize model predicts nothing, and has no intervals
[status 2]
$ samara curve threshold s.smr data/diabetes.csv; samara explain shapley s.smr data/diabetes.csv
samara: a threshold divides two classes, and this model predicts nothing
samara: this model predicts nothing that could be explained
[status 1]
$ printf 'a,y\n1,2\n' > one.csv; samara split one.csv p.csv q.csv
samara: one row cannot be divided into parts
[status 1]

# What describe and matrix find can go to a file; make and help have JSON too.
$ printf '2,1\n1,3\n' > m.csv; samara matrix det m.csv -o det.csv; cat det.csv; samara describe one.csv -q --json -o d.json; grep -c json_version d.json
wrote     det.csv
5
1
$ samara help matrix --json | sed -n 1,9p; samara help moons --json | sed -n 3p; samara make --json | sed -n 3p
{
  "json_version": 1,
  "command": "help",
  "commands": [
    {
      "name": "matrix",
      "usage": "det|inv|solve|eigen|svd|lu|qr|cholesky|rank FILE [FILE]",
      "brief": "Do linear algebra on a table of numbers.",
      "options": [
  "name": "moons",
  "command": "make",
