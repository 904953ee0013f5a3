# Kernel matrices: check on a matrix that is given, and on a table.
$ printf '0,1\n1,0\n' > swap.csv; samara kernel check swap.csv
2 rows

  smallest eigenvalue  -1
  largest eigenvalue   1
  asymmetry            0

Not positive semi-definite: not a Mercer kernel. Its smallest eigenvalue is -1.
$ samara kernel check data/iris.csv --kernel "2*rbf(gamma=0.1) + poly(degree=2)*linear" --target species
/2\*rbf\(gamma=0\.1\)\ \+\ poly\(degree=2\ gamma=0\.06416744863614975\ coef0=1\)\*linear/
150 rows

  smallest eigenvalue  1.20445e-11
  largest eigenvalue   306804
  asymmetry            0

Symmetric and positive semi-definite: a Mercer kernel on these rows, and by its form on any others.
$ samara kernel check data/iris.csv --kernel "linear - 2*rbf(gamma=0.5)" --target species
/linear\ \+\ \-2\*rbf\(gamma=0\.5\)/
150 rows

  smallest eigenvalue  -45.2065
  largest eigenvalue   9123.15
  asymmetry            0

Not positive semi-definite: not a Mercer kernel. Its smallest eigenvalue is -45.2065.
$ printf '1,2\n3,4\n' > skew.csv; samara kernel check skew.csv --json
{
  "json_version": 1,
  "command": "kernel",
  "rows": 2,
  "symmetric": false,
  "asymmetry": 1,
  "at_row": 1,
  "at_column": 2,
  "smallest_eigenvalue": -0.41547594742265037,
  "largest_eigenvalue": 5.41547594742265,
  "mercer": false,
  "figures": [
    {
      "name": "kernel",
      "title": "kernel matrix",
      "x": {
        "label": "row",
        "scale": "linear",
        "min": -0.5,
        "max": 1.5,
        "equal": true
      },
      "y": {
        "label": "row",
        "scale": "linear",
        "min": -0.5,
        "max": 1.5
      },
      "series": [
        {
          "name": "K",
          "kind": "cells",
          "x": [],
          "nx": 2,
          "ny": 2,
          "value": [1, 2, 3, 4]
        }
      ]
    }
  ]
}

# gram writes the matrix; check reads it.
$ printf 'x,y\n1,2\n0,1\n' > two.csv; samara kernel gram two.csv --kernel "(linear + 1)^2"
36,9
9,4
$ samara kernel gram two.csv --kernel "rbf(gamma=1)" -o K.csv && samara kernel check K.csv
wrote     K.csv
2 rows

  smallest eigenvalue  0.864665
  largest eigenvalue   1.13534
  asymmetry            0

Symmetric and positive semi-definite: a Mercer kernel on these rows.
$ samara kernel gram two.csv --kernel quadratic -o K.npy && samara kernel check K.npy
K.npy: 2 rows of quadratic(coef0=1)
2 rows

  smallest eigenvalue  1.64244
  largest eigenvalue   38.3576
  asymmetry            0

Symmetric and positive semi-definite: a Mercer kernel on these rows.

# Texts are read as they are; an empty one is like no other.
$ printf 'word\ncat\ncar\n""\n' > words.csv; samara kernel gram words.csv --type word=text --kernel "subsequence(2 normal=no)"
0.140625,0.0625,0
0.0625,0.140625,0
0,0,0
$ samara kernel gram words.csv --kernel "subsequence(2 column=word)"
1,0.4444444444444444,0
0.4444444444444444,1,0
0,0,0

# Mistakes.
$ samara kernel check two.csv --kernel "2*rbg"
/samara:\ in\ kernel\ "2\*rbg"\ at\ character\ 3:\ there\ is\ no\ kernel\ 'rbg';\ did\ you\ mean\ 'rbf'\?/
[status 2]
$ samara kernel check two.csv --kernel "rbf(gamma=0)"
samara: in kernel "rbf(gamma=0)" at character 11: rbf: gamma = 0 is outside (0, inf), scale, auto or median
[status 2]
$ samara kernel check two.csv --kernel "rbf(sigma=2)"
samara: in kernel "rbf(sigma=2)" at character 5: rbf has no parameter 'sigma'; did you mean 'gamma' (gamma = 1 / (2 sigma^2))?
[status 2]
$ samara kernel check two.csv --kernel "poly(deg=2)"
samara: in kernel "poly(deg=2)" at character 6: poly has no parameter 'deg'; did you mean 'degree'?
[status 2]
$ samara kernel check two.csv --kernel "linear(gamma=2)"
samara: in kernel "linear(gamma=2)" at character 8: linear has no parameter 'gamma' or other
[status 2]
$ samara kernel check two.csv --kernel "linear^2.5"
samara: in kernel "linear^2.5" at character 8: a power is a whole number from 1 to 64
[status 2]
$ samara train "svm kernel=rbf gamma=0.1" data/iris.csv --target species
samara: svm has no parameter 'gamma'; did you mean 'kernel' (a kernel has its own, as rbf(gamma=0.1))?
[status 2]
$ samara kernel check two.csv --kernel "linear + (rbf"
samara: in kernel "linear + (rbf" at character 10: this parenthesis is never closed
[status 2]
$ samara kernel check words.csv --kernel rbf --type word=text
rbf(gamma=2.25)
3 rows

  smallest eigenvalue  0.856394
  largest eigenvalue   1.15471
  asymmetry            0

Symmetric and positive semi-definite: a Mercer kernel on these rows, and by its form on any others.
$ samara kernel check two.csv --kernel spectrum
samara: kernel: the kernel spectrum reads a text, but no column is one; --type NAME=text makes one
[status 1]
$ printf 'a,b\n1,2\n,3\n' > gap.csv; samara kernel check gap.csv --kernel linear
samara: kernel: row 2 has no value in column 'a'
[status 1]
$ printf 'a,b\n1,2\n-1,3\n' > below.csv; samara kernel check below.csv --kernel chi2
samara: kernel: row 2 has a value below 0 in column 'a', and chi2 is for histograms, without negative numbers
[status 1]
$ printf '1,2\n3,4\n5,6\n' > tall.csv; samara kernel check tall.csv
samara: a kernel matrix that is given needs a square matrix, and this one is 3 x 2
[status 1]
$ samara kernel det two.csv
samara: there is no 'kernel det'; choose check or gram
[status 2]
$ samara kernel check swap.csv --ignore 0
samara: --ignore has nothing to leave out where the file is the matrix itself; --kernel EXPR computes one of a table
[status 2]
$ samara kernel check swap.csv -o K.csv
samara: kernel check writes no file; kernel gram does
[status 2]

# A kernel that is none is told by every learner, with an eigenvalue, and fits end.
$ samara train 'standardize | klogistic kernel="linear - 2*rbf(gamma=0.5)"' data/iris.csv --target species --holdout 0 -o k.smr > /dev/null
samara: warning: klogistic: this kernel is not positive semi-definite: an eigenvalue of its matrix of 150 rows is -75.6906110186752; there need not be a best model
samara: warning: klogistic: after 2 steps of Newton the kernel matrix led nowhere, as it is not positive semi-definite: take another kernel, or a larger l2
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
$ samara train 'standardize | kperceptron kernel="linear - 2*rbf(gamma=0.5)"' data/iris.csv --target species --holdout 0 -o k.smr > /dev/null
samara: warning: kperceptron: this kernel is not positive semi-definite: an eigenvalue of its matrix of 150 rows is -75.6906110186752; passes need not come to an end
samara: warning: kperceptron: 100 passes, and the last still made 68 mistakes: the kernel does not separate the classes, or they need more passes (max_iter)
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
$ samara train 'standardize | nystrom 20 kernel=sigmoid(gamma=2) | logistic' data/iris.csv --target species --holdout 0 -o k.smr > /dev/null
samara: warning: nystrom: this kernel is not positive semi-definite: an eigenvalue of its matrix of 150 rows is -24.115741529696713; what is negative of it is left out
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
$ samara train 'standardize | krr 99 kernel="linear - 2*rbf(gamma=0.5)"' data/diabetes.csv --target progression --holdout 0 -o k.smr > /dev/null
samara: warning: krr: this kernel is not positive semi-definite: an eigenvalue of its matrix of 300 rows is -13.536657882241546; a best model needs an l2 above its size
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
$ samara train 'svm margin=hard kernel="linear - 2*rbf(gamma=0.5)"' data/iris.csv --target species --holdout 0
samara: warning: svm: this kernel is not positive semi-definite: an eigenvalue of its matrix of 149 rows is -45.16030562798733; the fit ends at one of several optima
samara: svm: margin=hard, but not separable: row 24 of class 'setosa' and row 99 of class 'versicolor' are no distance apart to the kernel, which is not positive semi-definite; take margin=soft
[status 1]

# A precomputed matrix must have a column for each row.
$ printf 'a,b,y\n1,0.5,1\n0.5,1,2\n0.25,0.5,3\n' > tall.csv; samara train 'krr kernel=precomputed' tall.csv --target y --task regress --holdout 0
samara: krr: a precomputed kernel has a column for every row of the table; row 3 has none, as there are 2 columns
[status 1]

# A stream of texts: every mistake becomes a point.
$ printf 'word,kind\ncat,a\ndog,b\ncar,a\ndot,b\n,a\ncap,a\ndoe,b\n' > stream.csv; samara stream 'kperceptron kernel=spectrum(k=2)' stream.csv --type word=text --target kind -o s.smr -q
read      7 rows in * s; learned from 7
measured  error 0.4286, accuracy 0.5714, each row before it was learned
saved     s.smr
$ samara inspect s.smr
command   inspect
model     s.smr
spec      columns unseen=missing dates=days target=as_is | kperceptron variant=averaged kernel=spectrum(k=2 mismatch=0 normal=yes) max_iter=100 shuffle=auto fit_intercept=yes
task      classify
rows      7
features  1
seed      0
target    kind
classes   a, b

measured when it was trained
   measured_on    stream
   measured_rows  7
   error          0.428571
   accuracy       0.571429

0  columns unseen=missing dates=days target=as_is  (inserted)
   columns
     name  kind  missing
     word  text      yes

1  kperceptron variant=averaged kernel=spectrum(k=2 mismatch=0 normal=yes) max_iter=100 shuffle=auto fit_intercept=yes
   variant          averaged
   kernel           spectrum(k=2 mismatch=0 normal=yes)
   points           4
   support_vectors  4
   rows             7
   mistakes         4
$ samara stream 'kperceptron' stream.csv --type word=text --target kind
samara: words learns its vocabulary from all rows, which a stream does not have; use words hash=65536 with weight=count, binary, tf or log
[status 1]
$ samara stream 'kperceptron kernel=rbf+spectrum' stream.csv --type word=text --target kind
samara: kperceptron: a kernel reads numbers, but no column holds them
[status 1]

# A gap in it is not filled; the learner that is asked says where it is.
$ printf 'a,b,c,y\n1,0.5,0.2,yes\n0.5,,0.1,no\n0.2,0.1,1,yes\n' > hole.csv; samara train 'svm kernel=precomputed' hole.csv --target y --holdout 0
samara: svm: row 2 has no value in column 'b', and a kernel matrix has no gaps
[status 1]
$ samara train 'nystrom 2 kernel=precomputed | logistic' hole.csv --target y --holdout 0
samara: nystrom: row 2 has no value in column 'b', and a kernel matrix has no gaps (while fitting stage 1, nystrom)
[status 1]

# Numbers whose squares no double holds.
$ printf 'a,b,y\n1,1e160,yes\n2,-1e160,no\n3,2e160,yes\n' > far.csv; samara train 'svm kernel=rbf' far.csv --target y --holdout 0
samara: svm: the squares of the rows' numbers are too large for a kernel; rescale the columns: put standardize before it
[status 1]
$ samara train 'standardize | svm kernel=rbf' far.csv --target y --holdout 0 -q -o far.smr > /dev/null

# What goes with a target goes with none.
$ samara train 'svm epsilon=1 kernel=rbf' data/iris.csv --ignore species
samara: svm: epsilon is for numbers, and there is no target; leave it out
[status 2]
