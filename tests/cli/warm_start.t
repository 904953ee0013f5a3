# A fit begins at a saved model: at its own answer it has nothing left to do.
$ samara train logistic data/iris.csv --target species --holdout 0 -o first.smr | grep fitted
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
fitted    150 rows, 4 features, * s, 7 iterations
$ samara train logistic data/iris.csv --target species --holdout 0 --warm-start first.smr -o second.smr | grep 'fitted\|began'
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
fitted    150 rows, 4 features, * s
began at  first.smr
$ samara train logistic data/iris.csv --target species --holdout 0 --warm-start first.smr --json | grep -A1 'iterations\|warm_start'
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
    "iterations": 0,
    "objective": 28.88631660410304,
--
  "warm_start": "first.smr",
  "warnings": [

# The fit that is measured begins at the beginning where the model has seen these rows.
$ samara train logistic data/iris.csv --target species -q --json | grep '"log_loss"\|"measured_on"' > cold; samara train logistic data/iris.csv --target species -q --json --warm-start first.smr | grep '"log_loss"\|"measured_on"' | diff cold - && echo the same
the same

# In batches, with all classes named.
$ head -n 101 data/iris.csv > two.csv; samara train sgd two.csv --target species --holdout 0 --warm-start first.smr
samara: the model to start from ends in logistic, and the sentence in sgd: they must be the same learner
[status 2]
$ samara train sgd data/iris.csv --target species --holdout 0 -o all.smr -q; samara train sgd two.csv --target species --holdout 0 --warm-start all.smr
samara: class 'virginica' of the model to start from is not among those of 'species'; name all classes (--classes), or fit without the model
[status 1]
$ samara train sgd two.csv --target species --holdout 0 --warm-start all.smr --classes setosa,versicolor,virginica | grep 'task\|began'
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
task      classify species: setosa, versicolor, virginica
began at  all.smr

# Who has no use for it refuses it.
$ samara train knn data/iris.csv --target species --warm-start first.smr
samara: knn cannot start from another model; learners that can: gmm, kmeans, linear, logistic, sgd, softkmeans, svm
[status 2]
$ samara train "logistic solver=dual" data/iris.csv --target species --warm-start first.smr
samara: logistic with these parameters cannot start from another model; with an iterative solver it can
[status 2]
$ samara train logistic data/iris.csv --target species --warm-start first.smr --ignore sepal_width
samara: column 'sepal_width' of the model to start from is not among the columns here
[status 1]
$ samara train logistic data/wine.csv --target cultivar --warm-start first.smr
samara: the model to start from knows no class 'class_0' of 'cultivar'; fit without it
[status 1]
$ samara train logistic data/iris.csv --target species --warm-start nothing.smr
samara: nothing.smr: cannot be opened: No such file or directory
[status 3]
$ samara train "logistic warm_start=yes" data/iris.csv --target species
samara: logistic has no parameter 'warm_start'; the model to start from is given beside the sentence: --warm-start MODEL
[status 2]
$ samara cv logistic data/iris.csv --target species --warm-start first.smr
samara: cv does not take --warm-start; 'samara help cv' lists what it takes
[status 2]
