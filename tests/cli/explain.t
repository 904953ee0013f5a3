# Importance: what is lost when a column is shuffled; the same at any thread count.
$ samara train "knn 5" data/iris.csv -t species -o iris.smr -q; samara explain importance iris.smr data/iris.csv
samara: warning: these are the rows that the model was fitted on: what is shown is what the model leans on, not what generalises; explain it on other rows
iris.smr, data/iris.csv: importance

error: 0.0333333; how much worse when a column is shuffled
  column              mean         sd
  petal_length    0.582667  0.0247855
  petal_width     0.102667  0.0213611
  sepal_length  0.00666667  0.0121716
  sepal_width        0.002  0.0129767
$ samara explain importance iris.smr data/iris.csv --columns petal_length,petal_width --measure error,auc --repeats 4 --seed 3
samara: warning: these are the rows that the model was fitted on: what is shown is what the model leans on, not what generalises; explain it on other rows
iris.smr, data/iris.csv: importance

error: 0.0333333; how much worse when a column is shuffled
  column                          mean         sd
  petal_length + petal_width      0.63  0.0280212
  petal_length                0.556667  0.0689605
  petal_width                    0.115  0.0263172

auc: 0.998333; how much worse when a column is shuffled
  column                           mean         sd
  petal_length + petal_width   0.502642  0.0234608
  petal_length                  0.42465  0.0557676
  petal_width                 0.0482667  0.0121642
$ for n in 1 2 7; do samara explain importance iris.smr data/iris.csv --threads $n --json | grep -v '"seconds"' | md5sum; done | uniq | wc -l
samara: warning: these are the rows that the model was fitted on: what is shown is what the model leans on, not what generalises; explain it on other rows
samara: warning: these are the rows that the model was fitted on: what is shown is what the model leans on, not what generalises; explain it on other rows
samara: warning: these are the rows that the model was fitted on: what is shown is what the model leans on, not what generalises; explain it on other rows
1

# Dependence: the mean prediction when a column has one value in every row.
$ samara train ridge data/diabetes.csv -t progression -o d.smr -q; samara explain dependence d.smr data/diabetes.csv --columns bmi --grid 5
samara: warning: these are the rows that the model was fitted on: what is shown is what the model leans on, not what generalises; explain it on other rows
d.smr, data/diabetes.csv: dependence

mean prediction by bmi
   value  predicted
      18    104.891
    23.2    134.221
    25.7    148.322
  29.275    168.486
    42.2    241.388
$ samara explain dependence iris.smr data/iris.csv --columns petal_length --grid 4 --positive virginica
samara: warning: these are the rows that the model was fitted on: what is shown is what the model leans on, not what generalises; explain it on other rows
iris.smr, data/iris.csv: dependence

mean prediction by petal_length
    value  p(virginica)
        1             0
  2.63333             0
      4.9      0.326667
      6.9      0.946667
$ samara explain dependence iris.smr data/iris.csv --columns petal_length,petal_width --grid 2 --use-rows 50
samara: warning: these are the rows that the model was fitted on: what is shown is what the model leans on, not what generalises; explain it on other rows
iris.smr, data/iris.csv: dependence

mean prediction by petal_length (x) and petal_width (y)
      x    y  p(setosa)  p(versicolor)  p(virginica)
  2.475  0.7      0.592          0.408             0
  5.425  0.7          0          0.684         0.316
  2.475  1.9       0.12           0.88             0
  5.425  1.9          0           0.08          0.92
$ samara explain dependence iris.smr data/iris.csv --columns petal_length --grid 5 --ice 3 --json | grep -c '"single rows"'
samara: warning: these are the rows that the model was fitted on: what is shown is what the model leans on, not what generalises; explain it on other rows
1

# Regions: the plane of two columns, the others at their middle.
$ samara explain regions iris.smr data/iris.csv --columns petal_length,petal_width --grid 40
iris.smr, data/iris.csv: regions

petal_length (x) and petal_width (y), 40 x 40 cells
  class          share
  setosa          0.25
  versicolor  0.424375
  virginica   0.325625

all other columns at
  column        value
  sepal_length    5.8
  sepal_width       3
$ samara explain regions d.smr data/diabetes.csv --columns bmi,s5 --grid 10 -n 3
d.smr, data/diabetes.csv: regions

bmi (x) and s5 (y), 10 x 10 cells
  predictions from 28.3861 to 341.71

all other columns at
  column  value
  age        50
  sex         1
  bp         93
  ... and 5 more

# Bad input.
$ samara explain importanse iris.smr data/iris.csv
samara: explain shows importance, dependence, regions, path, shapley, proximity or maps, not 'importanse'; did you mean 'importance'?
[status 2]
$ samara explain importance iris.smr data/iris.csv --columns petal_lenght
samara: data/iris.csv has no column 'petal_lenght'; did you mean 'petal_length'?
[status 2]
$ samara explain dependence iris.smr data/iris.csv --columns species
samara: column 'species' is what the model predicts, not what it reads
[status 2]
$ samara explain regions iris.smr data/iris.csv
samara: regions lie in the plane of two columns; name them with --columns X,Y (the model reads 4)
[status 2]
$ samara explain regions iris.smr data/iris.csv --columns petal_length
samara: regions lie in the plane of two columns; name them with --columns X,Y (the model reads 4)
[status 2]
$ samara explain importance iris.smr data/iris.csv --measure acuracy
samara: there is no measure 'acuracy'; did you mean 'accuracy'?
[status 2]
$ samara explain importance iris.smr data/iris.csv --measure rmse
samara: rmse measures predicted numbers, and the task is to classify
[status 2]
$ samara explain importance iris.smr nowhere.csv
samara: nowhere.csv: cannot be opened: No such file or directory
[status 3]
$ samara explain importance iris.smr
samara: explain needs more words: samara explain importance|dependence|regions|path|shapley|proximity|maps MODEL DATA
[status 2]

# Shapley values: what each column adds to the score of a row, exactly, for models made of trees.
$ samara train "tree max_depth=3" data/diabetes.csv -t progression -o tree.smr -q; samara explain shapley tree.smr data/diabetes.csv -n 4
samara: warning: these are the rows that the model was fitted on: what is shown is what the model leans on, not what generalises; explain it on other rows
tree.smr, data/diabetes.csv: shapley

predicted: 152.133 before any column is known; what each adds, over all rows
  column  mean_size       mean
  s5        34.6613   0.799494
  bmi       28.0099   -1.76695
  s3        4.72172   0.890464
  age       1.24314  0.0769943
  sex             0          0
  bp              0          0
  s1              0          0
  s2              0          0
  s4              0          0
  s6              0          0

and row by row
  row    score  largest    second      third
    1  208.571  s5 +32.67  bmi +22.75  s3 +1.611
    2   83.369  s5 -34.7   bmi -24.97  s3 -8.738
    3  208.571  s5 +32.67  bmi +22.75  s3 +1.611
    4  176.865  s5 +35.49  bmi -17.45  age +4.05
  ... and 438 more
$ samara explain shapley tree.smr data/diabetes.csv --row 4 -q
tree.smr, data/diabetes.csv: shapley

row 4, predicted: 176.865; 152.133 before any column is known, and what each adds
  column   value      adds
  s5      4.8903   35.4898
  bmi       25.3  -17.4466
  age         24   4.04977
  s3          40   2.63839
  sex          1         0
  bp          84         0
  s1         198         0
  s2       131.4         0
  s4           5         0
  s6          89         0
$ samara explain shapley tree.smr data/diabetes.csv --row 4 -q --columns s5,age --json | sed -n '/"shapley": /,/^  ]/p'
  "shapley": [
    {
      "score": "predicted",
      "base": 152.1334841628959,
      "total": 176.86486486486484,
      "columns": [
        {"column": "s5", "value": 4.8903, "adds": 35.48979314581629},
        {"column": "age", "value": 24, "adds": 4.04977375565611}
      ],
      "other_columns_add": -14.808186199503472
    }
  ],
$ samara explain shapley tree.smr data/diabetes.csv --row 443
samara: --row: there is no row 443; data/diabetes.csv has rows 1 to 442
[status 2]
$ samara explain shapley tree.smr data/diabetes.csv --row 4 --use-rows 9
samara: --row and --use-rows exclude each other: one row is explained, or a sample
[status 2]
$ samara train "boost rounds=10" data/breast_cancer.csv -t diagnosis -o boost.smr -q; samara explain shapley boost.smr data/breast_cancer.csv -n 3 --use-rows 20 --columns worst_area,worst_texture,mean_texture -q
boost.smr, data/breast_cancer.csv: shapley

score(malignant), log-odds: -0.68254 before any column is known; what each adds, over all rows
  column         mean_size         mean
  worst_area      0.163466   -0.0580994
  worst_texture   0.121286    -0.037005
  mean_texture   0.0408574  -0.00551116

and row by row
  row     score  largest             second                  third
   12   1.22878  worst_area +0.2088  worst_texture +0.09903  mean_texture +0.009125
   35   1.22878  worst_area +0.2209  worst_texture +0.06296  mean_texture +0.01148
   49  -1.82706  worst_area -0.1376  mean_texture -0.12      worst_texture -0.02602
  ... and 17 more
$ for n in 1 2 7; do samara explain shapley boost.smr data/breast_cancer.csv --threads $n --json -q | grep -v '"seconds"' | md5sum; done | uniq | wc -l
1
$ samara explain shapley iris.smr data/iris.csv
samara: exact Shapley values of a knn model are not known; learners that have them: boost, forest, isolation, stump, tree. 'samara explain importance' works for all
[status 1]
$ samara explain shapley tree.smr data/diabetes.csv --grid 5
samara: explain shapley does not take --grid
[status 2]
$ samara explain shapley tree.smr data/diabetes.csv --positive high
samara: --positive names a class, and the model predicts numbers
[status 2]
