# A perceptron's mistakes as a table, and a page with a slider.
$ samara make blobs n=60 d=2 classes=2 sd=2 --seed 3 -o blobs.csv --quiet
$ samara trace "perceptron plain" blobs.csv --target y --html page.html
perceptron plain on blobs.csv: the weights after each mistake
  step  what                pass  row  class  score     w(x0)     w(x1)  b
     1  row 1 is a mistake     1    1  1          0  -7.39294  -11.5888  1
1 step
wrote     page.html
$ grep -c 'section class="step"' page.html
1
$ grep -c '<input id="slider" type="range"' page.html
1

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
samara: forest has no steps to show; these do: adaboost, elastic, knn, lasso, linear, logistic, perceptron, stump, tree
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
