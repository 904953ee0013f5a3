# Random forests: what they report, and bad input.
$ samara train "forest 50" data/iris.csv --target species -o iris.smr 2>&1 | grep -E '^  (accuracy|rmse)|samara:'
  accuracy           0.966667 (0.833 to 0.994)    kappa              0.95
$ samara inspect iris.smr | sed -n '/^1 /,/permut/p'
1  forest trees=50 mode=forest criterion=auto features=auto max_depth=0 max_leaves=0 min_split=2 min_leaf=1 min_gain=0 bootstrap=auto class_weight=none importance=gain max_bins=255
   trees               50
   nodes               834
   leaves              442
   depth               9
   mean_depth          5.44
   features_per_node   2
   out_of_bag_error    0.06
   out_of_bag_share    1
   features_not_asked  0
   importance
     feature          gain      share
     petal_length  2739.74   0.550607
     petal_width   1729.38   0.347554
     sepal_length  394.218  0.0792262
     sepal_width    112.52  0.0226132
   --tree 0 to 49 shows one of the trees
$ samara train "forest 30 mode=extra criterion=entropy" data/wine.csv --target cultivar --holdout 0 2>&1 | grep -E '^  (accuracy|rmse)|samara:'
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
  accuracy           1 (0.979 to 1)    kappa              1
$ samara train "forest 30 importance=permutation" data/diabetes.csv --target progression -o d.smr 2>&1 | grep -E '^  (accuracy|rmse)|samara:'
  rmse                55.0796 (46.8 to 62.2)
$ samara inspect d.smr | grep -A 4 permutation_importance
   permutation_importance
     feature  error_growth
     s5            1464.45
     bmi           1214.79
     s4             341.81
$ samara train "forest features=half" data/iris.csv --target species
samara: forest: features=half is none of auto, sqrt, log2, third, all, or a share of the features above 0 and up to 1
[status 2]
$ samara train "forest importance=permutation bootstrap=no" data/iris.csv --target species
samara: forest: importance=permutation needs rows that trees left out; set bootstrap=yes
[status 2]
$ samara train "forest criterion=gini" data/diabetes.csv --target progression
samara: forest: criterion=gini is for classes; numbers take squared
[status 2]
$ samara train "forest trees=0" data/iris.csv --target species
samara: forest: trees = 0 is outside [1, 1000000]
[status 2]

# Out-of-bag predictions: for each row by the trees grown without it.
$ samara train "forest 50" data/iris.csv --target species --oob oob.csv | grep oob.csv
saved     oob.csv, the out-of-bag predictions of 150 rows
$ head -2 oob.csv
row,trees,truth,prediction,p(setosa),p(versicolor),p(virginica)
1,22,setosa,setosa,1,0,0
$ awk -F, 'NR > 1 { n++; wrong += $3 != $4 } END { print n, wrong / n }' oob.csv
150 0.06
$ samara train "columns target=standardize | forest 5" data/diabetes.csv --target progression --oob oob.csv --json | grep -A 3 out_of_bag
  "out_of_bag": {
    "file": "oob.csv",
    "rows": 395
  },
$ head -3 oob.csv
row,trees,truth,prediction
1,2,151,299.5
2,3,75,138
$ samara train "forest mode=extra" data/iris.csv --target species --oob oob.csv
samara: forest: without bags no row is left out of a tree; set bootstrap=yes to have out-of-bag predictions
[status 2]
$ samara train knn data/iris.csv --target species --oob oob.csv
samara: out-of-bag predictions come from the parts of a model that were fitted without the row, and knn has none; learners that do: forest; samara cv has such predictions for any learner
[status 2]

# Targets as large as numbers go.
$ printf 'x,y\n1,1e300\n2,-1e300\n3,5e299\n4,2e300\n5,1e300\n6,3e300\n' > big.csv
$ samara train "forest 20" big.csv --target y --task regress --holdout 0 -o big.smr 2>&1 | grep forest:
samara: warning: forest: squares of the target overflow: the out-of-bag error is reported only if it is a number, and importances are those of the target divided by 2^998
$ samara predict big.smr big.csv | head -3
y
5.000000000000001e299
-5.500000000000001e299
$ printf 'x,y\n1,1e308\n2,-1e300\n3,5e299\n' > big.csv
$ samara train "forest 20" big.csv --target y --task regress --holdout 0
samara: forest: sums over 20 trees of targets beyond 2.25e306 overflow; divide the target by a constant
[status 1]

# One row, rows that are all alike, constant features, weights of zero.
$ printf 'a,t\n1,x\n' > one.csv
$ samara train "forest 3" one.csv --target t --task classify --holdout 0
samara: the target 't' has one class only, 'x': there is nothing to tell apart
[status 1]
$ printf 'a,b,t\n1,2,x\n1,2,y\n1,2,y\n1,2,y\n' > alike.csv
$ samara train "forest 3 bootstrap=no" alike.csv --target t --holdout 0 -o alike.smr 2>&1 | grep -E '^  (accuracy|rmse)|samara:'
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
samara: warning: every row was predicted as 'y': the model does not tell the classes apart; try other parameters or another learner, or a higher --threshold
samara: warning: 4 rows were measured: the true accuracy lies anywhere between 30.1 % and 95.4 % (95 % interval); measure on more rows, or with samara cv
  accuracy           0.75 (0.301 to 0.954)    kappa              0
$ samara predict alike.smr alike.csv --proba | head -2
t,p(x),p(y)
y,0.25,0.75
$ printf 'a,w,t\n1,0,x\n2,0,y\n3,0,y\n' > nil.csv
$ samara train "forest 3" nil.csv --target t --weight w --holdout 0
samara: all weights in column 'w' are zero
[status 1]

# A column of 100,000 levels.
$ awk 'BEGIN { print "c,z,t"; for (i = 0; i < 100000; i++) print "v" i "," i % 7 "," (i % 7 < 3 ? "yes" : "no") }' > levels.csv
$ samara train "forest 3" levels.csv --target t --type c=category 2>&1 | grep -E '^  (accuracy|rmse)|samara:'
samara: warning: 'z' alone predicts 't' almost perfectly (area 1): if it is not known before the answer is, leave it out with --ignore
  accuracy           1 (1 to 1)    kappa              1
