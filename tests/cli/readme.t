# The README's commands work as they stand there.
$ samara describe data/wine.csv
data/wine.csv: 178 rows, 14 columns
  format     csv
  delimiter  comma
  header     yes
  columns    13 numbers, 1 category
  missing    0 values in 0 columns

numbers
  name                          missing  distinct      mean        sd    min       q1  median       q3    max
  alcohol                             0       126   13.0006  0.811827  11.03  12.3625   13.05  13.6775  14.83
  malic_acid                          0       133   2.33635   1.11715   0.74   1.6025   1.865   3.0825    5.8
  ash                                 0        79   2.36652  0.274344   1.36     2.21    2.36   2.5575   3.23
  alcalinity_of_ash                   0        63   19.4949   3.33956   10.6     17.2    19.5     21.5     30
  magnesium                           0        53   99.7416   14.2825     70       88      98      107    162
  total_phenols                       0        97   2.29511  0.625851   0.98   1.7425   2.355      2.8   3.88
  flavanoids                          0       132   2.02927  0.998859   0.34    1.205   2.135    2.875   5.08
  nonflavanoid_phenols                0        39  0.361854  0.124453   0.13     0.27    0.34   0.4375   0.66
  proanthocyanins                     0       101    1.5909  0.572359   0.41     1.25   1.555     1.95   3.58
  color_intensity                     0       132   5.05809   2.31829   1.28     3.22    4.69      6.2     13
  hue                                 0        78  0.957449  0.228572   0.48   0.7825   0.965     1.12   1.71
  od280_od315_of_diluted_wines        0       122   2.61169   0.70999   1.27   1.9375    2.78     3.17      4
  proline                             0       121   746.893   314.907    278    500.5   673.5      985   1680

categories
  name      missing  levels  rows by level
  cultivar        0       3  class_0 59, class_1 71, class_2 48

strongest correlations
  a              b                              pearson
  total_phenols  flavanoids                    0.864564
  flavanoids     od280_od315_of_diluted_wines  0.787194
  total_phenols  od280_od315_of_diluted_wines  0.699949
  flavanoids     proanthocyanins               0.652692
  alcohol        proline                        0.64372
  ... and 15 more
$ samara train "standardize | knn 5" data/iris.csv --target species -o iris.smr
read      data/iris.csv: 150 rows, 5 columns, * s
task      classify species: setosa, versicolor, virginica
model     columns unseen=missing dates=days target=as_is | standardize center=yes scale=yes | knn k=5 metric=euclidean weight=uniform algorithm=auto
fitted    150 rows, 4 features, * s
measured  on 30 held-out rows that this fit did not see
  accuracy           0.966667 (0.833 to 0.994)    kappa              0.95
  error              0.0333333                    log_loss           0.0794743
  precision          0.969697                     brier              0.0506667
  recall             0.966667                     calibration_error  0.02
  f1                 0.966583                     auc                0.996667
  balanced_accuracy  0.966667                     auc_ovo            0.996667
  matthews           0.951587                     average_precision  0.988384
saved     iris.smr
$ samara predict iris.smr data/iris.csv --proba -o out.csv
$ head -3 out.csv
species,p(setosa),p(versicolor),p(virginica)
setosa,1,0,0
setosa,1,0,0
$ samara evaluate iris.smr data/iris.csv
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
iris.smr on 150 rows of data/iris.csv
  accuracy           0.953333 (0.907 to 0.977)    kappa              0.93
  error              0.0466667                    log_loss           0.0866091
  precision          0.953448                     brier              0.0592
  recall             0.953333                     calibration_error  0.00666667
  f1                 0.953329                     auc                0.996333
  balanced_accuracy  0.953333                     auc_ovo            0.996333
  matthews           0.930062                     average_precision  0.990523

classes
  class          precision    recall        f1  rows
  setosa                 1         1         1    50
  versicolor      0.921569      0.94  0.930693    50
  virginica       0.938776      0.92  0.929293    50
  mean            0.953448  0.953333  0.953329     -
  weighted mean   0.953448  0.953333  0.953329     -

confusion: a row is the true class, a column the predicted one
                  setosa  versicolor   virginica
  setosa              50           0           0
  versicolor           0          47           3
  virginica            0           4          46
$ samara inspect iris.smr
command    inspect
model      iris.smr
spec       columns unseen=missing dates=days target=as_is | standardize center=yes scale=yes | knn k=5 metric=euclidean weight=uniform algorithm=auto
task       classify
rows       150
features   4
seed       0
data_hash  3b40e7411b57af5f2c3f27604ee37a3d
target    species
classes   setosa, versicolor, virginica

measured when it was trained
   measured_on        holdout
   measured_rows      30
   accuracy           0.966667
   error              0.0333333
   precision          0.969697
   recall             0.966667
   f1                 0.966583
   balanced_accuracy  0.966667
   matthews           0.951587
   kappa              0.95
   log_loss           0.0794743
   brier              0.0506667
   calibration_error  0.02
   auc                0.996667
   auc_ovo            0.996667
   average_precision  0.988384

0  columns unseen=missing dates=days target=as_is  (inserted)
   columns
     name          kind
     sepal_length  number
     sepal_width   number
     petal_length  number
     petal_width   number

1  standardize center=yes scale=yes
   features
     feature          mean        sd
     sepal_length  5.84333  0.825301
     sepal_width   3.05733  0.434411
     petal_length    3.758    1.7594
     petal_width   1.19933  0.759693

2  knn k=5 metric=euclidean weight=uniform algorithm=auto
   rows          150
   features      4
   k             5
   metric        euclidean
   algorithm     tree
   stored_as     double
   stored_bytes  4800
   search_bytes  1088
   tree
     leaves            10
     points_in_a_leaf  16
     levels            1
   class_weights  50, 50, 50
$ samara make moons n=500 noise=0.2 --seed 1 -o moons.csv
moons.csv: 500 rows, 3 columns
generator: moons
seed: 1
$ samara convert moons.csv moons.npy

# JSON says what the text says.
$ samara train "poly 2 | ridge path=30" data/diabetes.csv --target progression --json
{
  "command": "train",
  "spec": "columns unseen=missing dates=days target=as_is | poly degree=2 interactions=no | ridge l2=1 path=30 fit_intercept=yes",
  "data": "data/diabetes.csv",
  "task": "regress",
  "target": ["progression"],
  "columns": 11,
  "rows": 442,
  "features": 10,
  "seed": 0,
  "threads": *,
  "read_seconds": *,
  "fit_seconds": *,
  "fit": {
    "iterations": 0,
    "objective": 609896.335058027,
    "converged": true
  },
  "measures": {
    "mse": 3062.9907783558415,
    "rmse": 55.34429309654105,
    "mae": 41.218750154175005,
    "median_ae": 33.660037801554324,
    "max_error": 141.17315590713307,
    "r2": 0.4655944327902378,
    "explained_variance": 0.4656615205980813,
    "mape": 0.3733382053900158
  },
  "intervals": {
    "confidence": 0.95,
    "mae": [33.34866886105555, 49.08883144729446],
    "mse": [2133.3399880399766, 3992.6415686717064],
    "rmse": [46.18809357442648, 63.18735291711235]
  },
  "advice": [],
  "predict_seconds": *,
  "measured_on": "holdout",
  "measured_rows": 88,
  "peak_memory_bytes": *,
  "model": null,
  "warnings": [],
...
}

# Words may come in any order, and a model may be trained without being kept.
$ samara data/iris.csv train knn -t last -q
samara: there is no command 'data/iris.csv'; 'samara help' lists them
[status 2]
$ samara train data/iris.csv "knn 3" --target=species --quiet
$ samara --seed 3 train knn data/iris.csv -t species --holdout 0 | tail -3
  balanced_accuracy  0.966667                     auc_ovo            0.998333
  matthews           0.950063                     average_precision  0.995473
not saved; -o FILE keeps the model
