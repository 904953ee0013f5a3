# A perceptron's mistakes as a table, and a page with a slider.
$ samara make blobs n=60 d=2 classes=2 sd=6 --seed 3 -o blobs.csv --quiet
$ samara trace "perceptron plain" blobs.csv --target y -n 3 --html page.html
samara: warning: perceptron: 100 passes, and the last still made 4 mistakes: the classes cannot be separated, or need more passes (max_iter); variant=averaged or logistic handle that better
perceptron plain on blobs.csv: the weights after each mistake
  step  what                 pass  row  class    score     w(x0)     w(x1)   b
     1  row 1 is a mistake      1    1  1            0  -7.51403   -15.325   1
     2  row 7 is a mistake      1    7  0      25.1685  -4.21053  -15.3677   0
     3  row 60 is a mistake     1   60  0      120.246   5.63207  -10.2399  -1
  ... and 197 more
  200: row 4 is a mistake: pass 64, row 4, score -85.5551, w(x0) -4.23399, w(x1) -20.4488, b -40
310 steps, of which the first 200 are kept (--steps)
wrote     page.html
$ grep -c 'section class="step"' page.html
200
$ grep -c '<input id="slider" type="range"' page.html
1

# The mean of the weights, which is what train saves, ends the steps of the default.
$ samara trace perceptron blobs.csv --target y -n 2 --steps 5
samara: warning: perceptron: 100 passes, and the last still made 4 mistakes: the classes cannot be separated, or need more passes (max_iter); logistic may handle that better
perceptron on blobs.csv: the weights after each mistake
  step  what                 pass  row  class    score     w(x0)     w(x1)  b
     1  row 56 is a mistake     1   56  1            0  -9.79587  -14.3268  1
     2  row 27 is a mistake     1   27  0      1.47123  -3.45534  -18.6292  0
  ... and 4 more
  344: the mean of the weights, which is the model: w(x0) -7.76908, w(x1) -14.0131, b -31.9845
344 steps, of which the first 5 and the last are kept (--steps)
$ samara train perceptron blobs.csv --target y -q --holdout 0 -o p.smr && samara inspect p.smr | grep -e " x[01] " -e intercept
spec       columns unseen=missing dates=days target=as_is | perceptron rate=1 max_iter=100 tol=0 shuffle=auto fit_intercept=yes
     x0    number
     x1    number
1  perceptron rate=1 max_iter=100 tol=0 shuffle=auto fit_intercept=yes
     (intercept)  -31.9845
     x0           -7.76908
     x1           -14.0131
$ samara trace "perceptron voted" blobs.csv --target y -n 2 --steps 2
samara: warning: perceptron: 100 passes, and the last still made 4 mistakes: the classes cannot be separated, or need more passes (max_iter); logistic may handle that better
perceptron voted on blobs.csv: the weights after each mistake
  step  what                pass  row  class    score  votes_before     w(x0)     w(x1)  b  vectors  votes
     1  row 1 is a mistake     1    1  1            0             0  -7.51403   -15.325  1        -      -
     2  row 7 is a mistake     1    7  0      25.1685             6  -4.21053  -15.3677  0        -      -
  ... and 1 more
  311: 311 vectors of weights vote, which are the model: vectors 311, votes 6000
311 steps, of which the first 2 and the last are kept (--steps)

# In the page each value stands under its name, as it is written, and the row that was asked about is told.
$ samara trace "standardize | knn 5" data/iris.csv --target species --row 71 --html near.html --quiet
standardize | knn 5 on data/iris.csv: the neighbours of a row, the nearest first, row 71
  step  what         row  distance  counts  class       votes(setosa)  votes(versicolor)  votes(virginica)
     1  neighbour 1   71         0       1  versicolor              0                  1                 0
     2  neighbour 2  139  0.476071       1  virginica               0                  1                 1
     3  neighbour 3  150  0.490955       1  virginica               0                  1                 2
     4  neighbour 4  128  0.523373       1  virginica               0                  1                 3
     5  neighbour 5   86  0.570111       1  versicolor              0                  2                 3
5 steps
$ grep -c '^<div><dt>' near.html
35
$ grep '<dt>' near.html | grep -vc '^<div><dt>.*</dt><dd>.*</dd></div>$'
0
[status 1]
$ grep -c '<svg' near.html
10
$ grep -c 'the nearest first · row 71 ·' near.html
1
$ grep -c '<div class="asis">' page.html
200

# Pictures of every step, in a folder.
$ samara trace "standardize | logistic 1 solver=gd max_iter=2" blobs.csv --target y --frames steps --quiet
...
$ ls steps
step-1-descent.svg
step-1-line.svg
step-2-descent.svg
step-2-line.svg
step-3-descent.svg
step-3-line.svg

# The folder of pictures is new or empty, and a picture is one that a trace can have, before the work.
$ samara trace "standardize | logistic 1 solver=gd max_iter=2" blobs.csv --target y --frames steps --quiet
samara: --frames: the folder steps is not empty; name a new one, or empty it
[status 2]
$ mkdir empty && samara trace "tree max_depth=1" data/iris.csv --target species --frames empty --quiet > /dev/null && ls empty
step-1-gains.svg
$ samara trace tree data/iris.csv --target species --frames blobs.csv
samara: --frames blobs.csv: Not a directory
[status 3]
$ samara trace tree nothing.csv --target species --plot nosuch.svg
samara: --plot: trace draws no figure 'nosuch'; it draws step-*
[status 2]

# Shades of the objective are said to be what they are.
$ samara trace "standardize | linear solver=gd rule=fixed max_iter=30" data/diabetes.csv --target progression --ignore age,sex,bp,s2,s3,s4,s5,s6 --plot step-4-descent=d.svg --quiet | tail -1
21 steps
$ grep -o 'above the lowest, as a logarithm' d.svg
above the lowest, as a logarithm
above the lowest, as a logarithm

# What a tree could ask at each node.
$ samara trace "tree max_depth=2" data/iris.csv --target species
tree max_depth=2 on data/iris.csv: what each question would gain at each node
  step  what                    rows  chosen          at  gain(sepal_length)  gain(sepal_width)  gain(petal_length)  gain(petal_width)
     1  ask about petal_length   150  petal_length  2.45             0.22776           0.126923            0.333333           0.333333
     2  ask about petal_width    100  petal_width   1.75            0.106869          0.0355556            0.373535           0.389694
2 steps

# The neighbours of a row.
$ samara trace "standardize | knn 3" data/iris.csv --target species --row 71
standardize | knn 3 on data/iris.csv: the neighbours of a row, the nearest first, row 71
  step  what         row  distance  counts  class       votes(setosa)  votes(versicolor)  votes(virginica)
     1  neighbour 1   71         0       1  versicolor              0                  1                 0
     2  neighbour 2  139  0.476071       1  virginica               0                  1                 1
     3  neighbour 3  150  0.490955       1  virginica               0                  1                 2
3 steps

# What cannot be watched says so, before the file is fitted.
$ samara trace forest data/iris.csv --target species
samara: forest has no steps to show; these do: adaboost, agglomerate, elastic, factor, gmm, hmm, kmeans, knn, kperceptron, lasso, linear, logistic, pca, perceptron, softkmeans, stump, tree
[status 1]
$ samara trace linear data/diabetes.csv --target progression
samara: linear: its steps are those of solver=gd
[status 2]
$ samara trace knn data/iris.csv --target species --row 0
samara: --row: at least 1
[status 2]
$ samara trace tree data/iris.csv --target species --steps 0
samara: --steps: at least 1
[status 2]
$ samara trace tree data/iris.csv --target species --html /nowhere/page.html
samara: *
[status 3]
