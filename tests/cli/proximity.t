# Which rows a forest takes to be alike: the share of trees in which two come to the same leaf.
$ samara train "forest 50" data/iris.csv --target species -o iris.smr -q; samara explain proximity iris.smr data/iris.csv -n 4
iris.smr, data/iris.csv: proximity
150 rows in 50 trees; classes and values of the data

the oddest rows, and the one nearest to each
  row  class       outlier  nearest_row    at  its_class
   71  versicolor  17.0634          139  0.56  virginica
   44  setosa      16.3989            1  0.78  setosa
  107  virginica   14.8418           58  0.34  versicolor
  120  virginica   13.5327           84  0.36  versicolor
  ... and 146 more
$ samara explain proximity iris.smr data/iris.csv --row 107 --nearest 3
iris.smr, data/iris.csv: proximity
150 rows in 50 trees; classes and values of the data

nearest to row 107 (virginica): share of the trees in which both come to one leaf
  row  class       proximity
   58  versicolor       0.34
   85  versicolor       0.26
   60  versicolor       0.22
$ samara explain proximity iris.smr data/iris.csv --row 107 --nearest 2 --json | grep -v seconds
{
  "json_version": 1,
  "command": "explain",
  "what": "proximity",
  "model": "iris.smr",
  "data": "data/iris.csv",
  "task": "classify",
  "rows": 150,
  "trees": 50,
  "answers": "of the data",
  "row": 107,
  "class": "virginica",
  "nearest": [
    {"row": 58, "class": "versicolor", "proximity": 0.34},
    {"row": 85, "class": "versicolor", "proximity": 0.26}
  ],
  "seed": 0,
  "warnings": []
}
$ samara explain proximity iris.smr data/iris.csv --nearest 1 --use-rows 12 --json | grep -c '"outlier"'
12
$ for n in 1 2 7; do samara explain proximity iris.smr data/iris.csv --threads $n --json | grep -v '"seconds"' | md5sum; done | uniq | wc -l
1

# Numbers: all rows are one group. Data without the target: what is predicted is shown.
$ samara train "forest 20" data/diabetes.csv --target progression -o d.smr -q; samara explain proximity d.smr data/diabetes.csv -n 2
d.smr, data/diabetes.csv: proximity
442 rows in 20 trees; classes and values of the data

the oddest rows, and the one nearest to each
  row  value  outlier  nearest_row    at  its_value
  412    136  2.17504           35  0.05         65
   62    144  2.07543           40  0.05         90
  ... and 440 more
$ cut -d, -f1-10 data/diabetes.csv > bare.csv; samara explain proximity d.smr bare.csv --row 5 --nearest 2
d.smr, bare.csv: proximity
442 rows in 20 trees; classes and values predicted

nearest to row 5 (117.6): share of the trees in which both come to one leaf
  row  value  proximity
   46   63.2        0.1
  232  128.4        0.1

# Refused.
$ samara train knn data/iris.csv --target species -o knn.smr -q; samara explain proximity knn.smr data/iris.csv
samara: proximity is the share of trees in which two rows come to the same leaf, and a knn model has none; learners that have: boost, forest, isolation, stump, tree
[status 1]
$ samara explain proximity iris.smr data/iris.csv --row 151
samara: --row: there is no row 151; data/iris.csv has rows 1 to 150
[status 2]
$ samara explain proximity iris.smr data/iris.csv --grid 3
samara: explain proximity does not take --grid
[status 2]
$ samara explain proximity iris.smr data/iris.csv --nearest 0
samara: --nearest: at least 1
[status 2]
$ samara explain path iris.smr data/iris.csv --nearest 3
samara: explain path does not take --nearest
[status 2]
$ samara explain proximty iris.smr data/iris.csv
samara: explain shows importance, dependence, regions, path, shapley, proximity or maps, not 'proximty'; did you mean 'proximity'?
[status 2]
