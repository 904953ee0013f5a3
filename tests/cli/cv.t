# Cross-validation reports every measure with its spread.
$ samara cv "standardize | knn 5" data/iris.csv --target species
model     standardize center=yes scale=yes | knn k=5 metric=euclidean weight=uniform algorithm=auto
data      data/iris.csv: 150 rows, 4 features
rounds    5 folds, stratified
fitted    * s, predicted * s, all rounds together
  measure                 mean          sd         low       high      pooled
  accuracy                0.94   0.0278887    0.888057   0.991943        0.94
  error                   0.06   0.0278887  0.00805747   0.111943        0.06
  precision           0.950272    0.019762    0.913465   0.987079    0.940988
  recall                  0.94   0.0278887    0.888057   0.991943        0.94
  f1                  0.939237   0.0287559    0.885679   0.992795    0.939946
  balanced_accuracy       0.94   0.0278887    0.888057   0.991943        0.94
  matthews            0.915668   0.0371963     0.84639   0.984946    0.910546
  kappa                   0.91    0.041833    0.832086   0.987914        0.91
  log_loss            0.108613   0.0274652   0.0574587   0.159766    0.108613
  brier              0.0741333   0.0189877   0.0387688   0.109498   0.0741333
  calibration_error      0.028    0.014453  0.00108137  0.0549186  0.00933333
  auc                 0.995833      0.0025    0.991177          1    0.994033
  auc_ovo             0.995833      0.0025    0.991177          1    0.994033
  average_precision    0.98688  0.00599502    0.975714   0.998046    0.984771
baseline  always the most frequent class: accuracy 0.333333
low and high: the mean's interval at 95 %; pooled: of all predictions together
$ samara cv ridge data/diabetes.csv -t progression --folds 10 --repeats 3 --measure r2,rmse --confidence 0.9
model     ridge l2=1 path=0 fit_intercept=yes
data      data/diabetes.csv: 442 rows, 10 features
rounds    10 folds, 3 times
fitted    * s, predicted * s, all rounds together
  measure      mean        sd       low     high    pooled
  r2       0.466953  0.103902  0.399857  0.53405  0.490242
  rmse      54.7622   4.92749   51.5801  57.9442   54.9799
baseline  always the mean: rmse 76.9204
low and high: the mean's interval at 90 %; pooled: of all predictions together
$ samara cv linear data/diabetes.csv -t progression --leave-one-out --measure mae,r2
model     linear fit_intercept=yes solver=exact method=auto
data      data/diabetes.csv: 442 rows, 10 features
rounds    442, leaving one row out at a time
fitted    * s, predicted * s, all rounds together
  measure     mean       sd      low     high    pooled  rounds
  mae      44.3557  32.1973  40.0967  48.6148   44.3557     442
  r2             -        -        -        -  0.493792       0
baseline  always the median: mae 65.543
low and high: the mean's interval at 95 %; pooled: of all predictions together

# The out-of-fold predictions go to a file, whole or not at all.
$ samara cv "knn 3" data/iris.csv -t species --measure accuracy -o oof.csv | tail -1; head -3 oof.csv; wc -l < oof.csv
saved     oof.csv, the predictions of the rounds
row,round,truth,prediction,p(setosa),p(versicolor),p(virginica)
1,2,setosa,setosa,1,0,0
2,3,setosa,setosa,1,0,0
151
$ samara cv "knn 3" data/iris.csv -t species -o nowhere/oof.csv --measure accuracy
samara: nowhere/oof.csv: cannot be written: No such file or directory
[status 3]
$ cp data/iris.csv mine.csv; samara cv knn mine.csv -t species -o mine.csv; cmp mine.csv data/iris.csv && echo kept
samara: mine.csv would be replaced by the result; choose another -o
kept

# The same figures at any number of threads, byte for byte.
$ for n in 1 2 7; do samara cv "poly 2 | ridge 1" data/diabetes.csv -t progression --repeats 2 -o o$n.csv --threads $n --json | grep -v "seconds\|threads\|memory\|output" | md5sum; done | uniq | wc -l
1
$ cmp o1.csv o2.csv && cmp o1.csv o7.csv && echo same
same

# Groups stay whole; time goes one way.
$ samara make linear n=60 d=2 --seed 4 -o t.csv -q; awk -F, 'NR==1{print $0 ",site,day"} NR>1{print $0 ",s" NR%4 "," (NR*17)%61}' t.csv > sites.csv
$ samara cv linear sites.csv -t y --group site --leave-one-out --ignore day --measure r2 | head -3
model     linear fit_intercept=yes solver=exact method=auto
data      sites.csv: 60 rows, 2 features
rounds    4, leaving one group out at a time
$ samara cv linear sites.csv -t y --group site --folds 5 --ignore day
samara: 5 folds cannot be made of 4 groups; ask for at most 4
[status 1]
$ samara cv linear sites.csv -t y --group sight
samara: sites.csv has no column 'sight'; it has x0, x1, y, site and day
[status 2]
$ samara cv linear sites.csv -t y --order-by day --ignore day --folds 4 --measure r2 | grep ^rounds
rounds    3, each fitted on the past of the rows it is measured on
$ samara cv linear sites.csv -t y --order-by site --ignore day
samara: column 'site' holds text; rows are ordered by numbers or dates
[status 1]
$ samara cv linear sites.csv -t y --ordered --repeats 2 --ignore day
samara: rounds in order of time are the same every time; leave out repeats
[status 2]
$ samara cv linear sites.csv -t y --ordered --group site --ignore day
samara: rounds in order of time may divide a group; leave out either the group column or the order
[status 2]

# What cannot be done is refused with the way out.
$ samara cv knn data/iris.csv -t species --folds 1
samara: 1 fold: at least 2 are needed, one to measure on
[status 2]
$ samara cv knn data/iris.csv -t species --folds 0
samara: --folds: at least 2
[status 2]
$ samara cv knn data/iris.csv -t species --folds 151
samara: 151 folds cannot be made of 150 rows; ask for at most 150
[status 1]
$ samara cv knn data/iris.csv -t species --folds 5 --leave-one-out
samara: leaving one out cannot be combined with folds or an order
[status 2]
$ samara cv knn data/iris.csv -t species --measure acuracy
samara: there is no measure 'acuracy'; did you mean 'accuracy'?
[status 2]
$ samara cv knn data/iris.csv -t species --measure rmse
samara: rmse measures predicted numbers, and the task is to classify
[status 2]
$ samara cv knn data/iris.csv -t species --strata maybe
samara: --strata: yes or no, not 'maybe'
[status 2]
$ samara cv knn data/iris.csv -t species --confidence 95
samara: --confidence: between 0 and 1, such as 0.95
[status 2]
$ samara cv ridge data/iris.csv -t species
samara: the target 'species' holds text, and ridge predicts numbers; choose a learner that classifies, such as logistic or knn
[status 1]
$ samara cv standardize data/iris.csv -t species
samara: standardize predicts nothing that could be measured; end the sentence with a learner
[status 2]
$ printf 'x,k\n1,a\n2,a\n3.5,a\n' > one.csv; samara cv knn one.csv -t k
samara: the target 'k' has one class only, 'a': there is nothing to tell apart
[status 1]
$ printf 'x,k\n1.5,a\n2,a\n3,a\n4,b\n5,b\n6,b\n7,c\n8,a\n' > rare.csv; samara cv "knn 1" rare.csv -t k --folds 3 --measure accuracy,auc | tail -4
samara: warning: class 'c' has 1 row for 3 folds: some folds have none of it, and measures that need it are undefined there; use fewer folds
  accuracy  0.611111  0.096225  0.233162  0.989061     0.625
  auc       0.708333  0.190941         0         1  0.628968
baseline  always the most frequent class: accuracy 0.5
low and high: the mean's interval at 95 %; pooled: of all predictions together

# Numbers have no strata: to insist on them is refused, wherever rows are divided.
$ samara cv ridge data/diabetes.csv -t progression --strata yes; samara tune ridge data/diabetes.csv -t progression --over l2=1,2 --validation 0.2 --strata yes; samara split data/diabetes.csv a.csv b.csv -t progression --strata yes
samara: --strata yes: every part has its share of each class, and the target has no classes here; leave it out
samara: --strata yes: every part has its share of each class, and the target has no classes here; leave it out
samara: --strata yes: every part has its share of each class, and the target has no classes here; leave it out
[status 2]
$ samara cv knn data/iris.csv -t species --strata yes | grep ^rounds
rounds    5 folds, stratified
