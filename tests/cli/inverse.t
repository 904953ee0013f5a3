# Features go back to the columns that they were made of.
$ samara train standardize data/iris.csv --ignore species -o scale.smr -q
$ samara predict scale.smr data/iris.csv -o z.csv -q && samara predict scale.smr z.csv --inverse -o back.csv && head -n 3 back.csv
wrote     back.csv
sepal_length,sepal_width,petal_length,petal_width
5.1,3.5,1.4,0.19999999999999993
4.9,3,1.4,0.19999999999999993
$ samara convert data/diabetes.csv d.csv -q; samara train "columns dates=days | impute | onehot | standardize" d.csv --ignore progression --type sex=category -o chain.smr -q
$ samara predict chain.smr d.csv -o z.csv -q; head -n 1 z.csv; samara predict chain.smr z.csv --inverse | head -n 2; head -n 2 d.csv
age,sex=1,sex=2,bmi,bp,s1,s2,s3,s4,s5,s6
age,sex,bmi,bp,s1,s2,s3,s4,s5,s6
59,2,32.1,101,157,93.2,38,4,4.8598,87
age,sex,bmi,bp,s1,s2,s3,s4,s5,s6,progression
59,2,32.1,101,157,93.2,38,4,4.8598,87,151

# Of a model that predicts, the features before its last stage; a mean of coded rows shows its most frequent level, and the mean of all rows, which is what an unknown level becomes, none.
$ printf 'a,colour,y\n1,red,1\n2,red,2\n3,blue,3\n4,red,5\n' > few.csv; samara train "standardize | ridge" few.csv --target y --holdout 0 -o ridge.smr -q
$ printf 'a,colour=blue,colour=red\n0,0.3,0.7\n1,1,0\n-1,0.25,0.75\n' > rows.csv; samara predict ridge.smr rows.csv --inverse
a,colour
2.5,red
3.618033988749895,blue
1.381966011250105,
$ samara predict ridge.smr rows.csv --inverse --keep a
a,inverse of a,colour
0,2.5,red
1,3.618033988749895,blue
-1,1.381966011250105,
$ samara predict ridge.smr rows.csv --inverse --json -o out.csv | grep -A4 columns
  "columns": ["a", "colour"],
  "predict_seconds": *,
  "peak_memory_bytes": *,
  "output": "out.csv",
  "warnings": []

# What cannot be undone says why.
$ samara train "standardize | poly 2" data/iris.csv --ignore species -o poly.smr -q; samara predict poly.smr data/iris.csv --inverse
samara: stage 2, poly, cannot be undone: products of features that were changed on their own belong to no row
[status 1]
$ samara train "select correlation k=2" data/diabetes.csv --target progression -o some.smr -q; samara predict some.smr data/diabetes.csv --inverse
samara: stage 1, select, cannot be undone: the features that it dropped are not in its answer
[status 1]
$ samara train knn data/iris.csv --target species -o knn.smr -q; samara predict knn.smr data/iris.csv --inverse
samara: a knn model has no transform to undo
[status 1]
$ samara predict scale.smr data/wine.csv --inverse
samara: data/wine.csv lacks 4 of the columns that the model needs: 'sepal_length', 'sepal_width', 'petal_length', 'petal_width'
[status 1]
$ samara predict ridge.smr rows.csv --inverse --proba
samara: --inverse turns features back into columns and predicts nothing: leave out --proba
[status 2]
$ samara predict ridge.smr rows.csv --inverse --threshold 0.5
samara: --inverse turns features back into columns and predicts nothing: leave out --threshold
[status 2]
