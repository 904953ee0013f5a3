# Choosing features: filters, weights, l1, searches; best-subset regression.
$ samara train "select k=3 | logistic" data/breast_cancer.csv --target diagnosis -o m.smr | grep -E '^(task|fitted|saved)' | sed 's/, [0-9.e-]* s$//'
task      classify diagnosis: benign, malignant
fitted    569 rows, 30 features (3 for logistic), * s, 7 iterations
saved     m.smr
$ samara inspect m.smr | grep -A 9 '^1 '
1  select by=correlation k=3 at_least=0 p=0
   features_in    30
   features_kept  3
   kept  mean_concave_points, worst_perimeter, worst_concave_points
   scores
     feature                  correlation             p  kept
     worst_concave_points        0.793566   1.9691e-124   yes
     worst_perimeter             0.782914   5.7714e-119   yes
     mean_concave_points         0.776614  7.10115e-116   yes
     worst_radius                0.776454  8.48229e-116    no
$ samara predict m.smr data/breast_cancer.csv | head -2
diagnosis
malignant
$ samara train "select gain k=4 | knn 5" data/iris.csv --target species -o m.smr -q > /dev/null; samara inspect m.smr | grep -A 9 '^1 '
1  select by=gain k=4 at_least=0 p=0 bins=10
   features_in    4
   features_kept  4
   kept  sepal_length, sepal_width, petal_length, petal_width
   scores
     feature       gain_bits            p  kept
     petal_width     1.34936  2.62581e-50   yes
     petal_length    1.34391  7.91592e-49   yes
     sepal_length    0.73017  3.26883e-23   yes
     sepal_width    0.403933  3.14499e-11   yes
$ samara train "select weight | linear" data/diabetes.csv --target progression -o m.smr -q > /dev/null; samara inspect m.smr | grep -A 8 '^1 '
1  select by=weight k=0 at_least=0 of=none
   features_in    10
   features_kept  5
   fits           1
   kept  bmi, bp, s1, s2, s5
   scores
     feature    weight  kept
     s5        32.8438   yes
     s1        30.0884   yes
$ samara train "select l1 k=4 | linear" data/diabetes.csv --target progression -o m.smr -q > /dev/null; samara inspect m.smr | grep -A 9 '^1 '
1  select by=l1 k=4 l1=0 folds=5
   features_in    10
   features_kept  4
   l1             6190.16
   fits           60
   kept  bmi, bp, s3, s5
   scores
     feature  enters_at_l1  kept
     bmi           17755.3   yes
     s5            17755.3   yes
$ for l1 in 5 20 60; do samara train "select l1 l1=$l1 | logistic" data/breast_cancer.csv --target diagnosis -o m.smr -q > /dev/null; samara inspect m.smr | grep '^   kept'; done
   kept  mean_texture, mean_concave_points, radius_error, fractal_dimension_error, worst_radius, worst_texture, worst_smoothness, worst_concavity, worst_concave_points, worst_symmetry
   kept  mean_concave_points, worst_radius, worst_texture, worst_concave_points, worst_symmetry
   kept  mean_concave_points, worst_radius, worst_concave_points
$ for n in 1 2 7; do samara train "select l1 | logistic" data/wine.csv --target cultivar -o $n.smr -q --threads $n > /dev/null; done; cmp 1.smr 2.smr && cmp 1.smr 7.smr && echo the same
the same
$ awk 'BEGIN { for (i = 0; i < 300; i++) { a = sin(i * i); b = cos(i * i * 3); printf "%.4f 7:%.4f %d:1 %d:1 9001:%.4f\n", 3 * a - 2 * b, a, 10 + i * 37 % 4000, 5000 + i * 53 % 4000, b } }' > wide.svm; sed 's/^-[0-9.]* /-1 /; t; s/^[0-9.]* /1 /' wide.svm > wide_classes.svm
$ for data in wide wide_classes; do samara train "select l1 k=2 | knn" $data.svm -o m.smr -q > /dev/null; samara inspect m.smr | grep -A 5 '^1 ' | grep -E 'features_|kept'; done
   features_in    9001
   features_kept  2
   kept  6, 9000
   features_in    9001
   features_kept  2
   kept  6, 9000
$ samara train "select forward | linear" data/diabetes.csv --target progression -o m.smr -q > /dev/null; samara inspect m.smr | grep -A 26 '^1 '
1  select by=forward k=0 of=none judge=cv folds=5 penalty=0 improve=0 patience=0
   features_in             10
   features_kept           7
   score_without_features  1
   fits                    260
   kept  sex, bmi, bp, s1, s2, s3, s5
   scores
     feature  score_alone  kept
     age         0.972821    no
     sex           1.0068   yes
     bmi         0.656982   yes
     bp          0.815466   yes
     s1          0.961562   yes
     s2          0.975112   yes
     s3          0.848678   yes
     s4          0.821938    no
     s5          0.685759   yes
     s6          0.861709    no
   steps
     features  added     score
            1  bmi    0.656982
            2  s5     0.543139
            3  bp     0.529555
            4  s3     0.518787
            5  sex    0.503081
            6  s1     0.500867
            7  s2      0.49927
$ samara inspect m.smr --json | grep -o '"name": "[a-z]*s*e*arch"\|"name": "scores"'
"name": "scores"
"name": "search"
$ samara train "select backward k=4 of=(knn 9) | knn 9" data/diabetes.csv --target progression -o m.smr -q > /dev/null; samara inspect m.smr | grep -E 'kept  |fits'
   features_kept           4
   fits                    230
   kept  bmi, s1, s2, s3
$ samara train "select exhaustive k=2 | linear" data/diabetes.csv --target progression -o m.smr -q > /dev/null; samara inspect m.smr | grep -E 'kept  |fits|best' -A 1 | head -8
   features_kept           2
   score_without_features  1
   fits                    225
   kept  bmi, s5
   scores
--
     features     score  best
            2  0.543139  bmi, s5

# A stage alone gives features; a search over its parameters reaches them by their addresses.
$ samara train "select k=2" data/diabetes.csv --target progression -o m.smr | grep -E '^(task|measured|saved)'
task      regress progression
saved     m.smr
$ samara predict m.smr data/diabetes.csv | head -2
bmi,s5
32.1,4.8598
$ samara tune "select | linear" data/diabetes.csv --target progression --over "select.k=2,5,8" -q | grep -E '^(space|winner)'
space     select.k: 2, 5, 8
winner    select by=correlation k=5 at_least=0 p=0 | linear fit_intercept=yes solver=exact method=auto
$ samara tune "select weight k=3 of=(ridge) | linear" data/diabetes.csv --target progression --over "1.of.0.l2=0.1,10" -q | grep -E '^(space|winner)'
space     select.of.0.ridge.l2: 0.1, 10
winner    select by=weight k=3 at_least=0 of=(ridge l2=10 path=0 fit_intercept=yes) | linear fit_intercept=yes solver=exact method=auto

# Best subsets.
$ samara train subset data/diabetes.csv --target progression -o m.smr -q > /dev/null; samara inspect m.smr | grep -A 28 '^1 ' | cut -c 1-76
1  subset k=0 by=bic max_size=0 search=auto fit_intercept=yes
   search     exhaustive
   exact      yes
   chosen_by  bic
   rows       442
   size       5
   r2         0.508632
   caveat     errors and p values are those of a subset given beforehand; th
   coefficients
     feature      estimate  std_error         t            p
     (intercept)  -217.685    35.7638  -6.08674   2.52738e-9
     sex          -22.4742    5.76403  -3.89905  0.000111782
     bmi           5.64308   0.703741   8.01869  9.92909e-15
     bp            1.12316   0.217188   5.17141   3.54811e-7
     s3           -1.06442   0.241683  -4.40418   1.33763e-5
     s5            43.2344    5.98745   7.22084   2.3172e-12
   sizes
     size      rss      aic      bic    score  chosen  features
        0  2621010  3841.99  3846.08  3846.08      no  (none)
        1  1719580   3657.7  3665.88  3665.88      no  bmi
        2  1416690  3574.06  3586.33  3586.33      no  bmi, s5
        3  1362710  3558.88  3575.25  3575.25      no  bmi, bp, s5
        4  1331430  3550.62  3571.08  3571.08      no  bmi, bp, s1, s5
        5  1287880  3537.92  3562.47  3562.47     yes  sex, bmi, bp, s3, s5
        6  1271490  3534.26   3562.9   3562.9      no  sex, bmi, bp, s1, s2,
        7  1267810  3534.98  3567.71  3567.71      no  sex, bmi, bp, s1, s2,
        8  1264710   3535.9  3572.72  3572.72      no  sex, bmi, bp, s1, s2,
        9  1264070  3537.67  3578.59  3578.59      no  sex, bmi, bp, s1, s2,
       10  1263990  3539.64  3584.65  3584.65      no  age, sex, bmi, bp, s1
$ samara train "subset 2" data/diabetes.csv --target progression -o m.smr -q > /dev/null; samara inspect m.smr | grep -E 'chosen_by|size |r2 ' | tail -3
   size       2
   r2         0.459485
     size      rss      aic      bic    score  chosen  features
$ samara train "subset by=cv" data/diabetes.csv --target progression -o m.smr -q > /dev/null; samara inspect m.smr | grep -E 'chosen_by|   size '
   chosen_by  cv
   size       8
     size      rss      aic      bic    score  chosen  features
$ samara train "subset by=l0 l0=50000 search=swap" data/diabetes.csv --target progression -o m.smr -q > /dev/null; samara inspect m.smr | grep -E 'chosen_by|   size |exact'
   exact      no
   chosen_by  l0
   size       2
     size      rss      aic      bic    score  chosen  features

# Many features and few rows: sizes are limited, and where the limit decides, it is said.
$ samara make sparse_linear n=60 d=170 informative=9 -o wide.csv -q; samara train subset wide.csv -t y -o wide.smr > /dev/null; samara inspect wide.smr | grep -E "^   (chosen_by|size) "
samara: warning: there are 170 features and 60 rows: a model can fit these rows by chance; trust only rows it did not see, and prefer a penalty or fewer columns
samara: warning: 12 rows were measured: figures from so few rows are unreliable; measure on more rows, or with samara cv
samara: warning: subset: by=bic chose the largest size that it tries for 170 features and 60 rows, 5; a larger one may be better: raise max_size=, or use by=cv, which judges sizes on held-out rows
   chosen_by  bic
   size       5
$ samara train "subset 40" wide.csv -t y > /dev/null
samara: warning: there are 170 features and 60 rows: a model can fit these rows by chance; trust only rows it did not see, and prefer a penalty or fewer columns
samara: warning: 12 rows were measured: figures from so few rows are unreliable; measure on more rows, or with samara cv
samara: warning: subset: 40 features were chosen for 60 rows, which leaves little to judge them by; ask for fewer

# Mistakes.
$ samara train "select k=30 | linear" data/diabetes.csv --target progression
samara: select: k=30 is more than the 10 features (while fitting stage 1, select)
[status 2]
$ samara train "select at_least=0.9 | linear" data/diabetes.csv --target progression -o m.smr > /dev/null; samara inspect m.smr | grep 'kept  '
samara: warning: select by=correlation: no feature passes; the best, 'bmi' (score 0.5865, p 3.47e-42), is kept alone
   features_kept  1
   kept  bmi
$ samara train select data/diabetes.csv
samara: select learns from examples with an answer: name its column with --target (a name, a position, or last)
[status 2]
$ samara train "select by=correlaton | linear" data/diabetes.csv --target progression
samara: select: by = correlaton is none of correlation, gain, weight, l1, forward, backward or exhaustive; did you mean 'correlation'?
[status 2]
$ samara train "select weight of=(knn 3) | linear" data/diabetes.csv --target progression
samara: select by=weight: knn has no weight for each feature; use a linear learner alone, such as of=(ridge 1) (while fitting stage 1, select)
[status 2]
$ samara train "select forward of=(ridge) | knn" data/iris.csv --target species
samara: select by=forward: the target has classes, and its learner, of=, predicts numbers; name another, such as of=(knn 5) (while fitting stage 1, select)
[status 2]
$ samara train "select exhaustive | logistic" data/breast_cancer.csv --target diagnosis
samara: select: exhaustive tries all subsets of up to 12 features, and there are 30; use forward or backward (while fitting stage 1, select)
[status 2]
$ samara train "select k=1 p=2 | linear" data/diabetes.csv --target progression
samara: select: p = 2 is outside [0, 1]
[status 2]
$ samara train "subset 11" data/diabetes.csv --target progression
samara: subset: k=11 is more than the 10 features
[status 2]
$ samara train "subset k=3 max_size=2" data/diabetes.csv --target progression
samara: subset: max_size is used only with k=0
[status 2]
$ samara train subset data/iris.csv --target species
samara: the target 'species' holds text, and subset predicts numbers; choose a learner that classifies, such as logistic or knn
[status 1]
$ printf 'a,b,c,y\n1,5,2,no\n2,5,4,no\n3,5,1,no\n' > one.csv; samara train "select | knn 1" one.csv --target y
samara: the target 'y' has one class only, 'no': there is nothing to tell apart
[status 1]
$ printf 'a,b,y\n1,5,1.5\n1,5,2.5\n1,5,4.5\n1,5,1.25\n' > flat.csv; samara train "select | linear" flat.csv --target y --holdout 0 -o m.smr > /dev/null; samara inspect m.smr | grep 'kept  '
samara: warning: select by=correlation: no feature passes; the best, 'a', is kept alone
samara: warning: linear: 1 of 1 columns add nothing to the others: 'a' is constant. Of all coefficients that fit equally well, the smallest were taken; drop columns to be able to interpret them
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
samara: warning: every row has the same prediction: the model has learned one number for all and nothing from the columns; lower its penalty, or try another learner
samara: warning: 4 rows were measured: figures from so few rows are unreliable; measure on more rows, or with samara cv
   features_kept  1
   kept  a

# How subset searches by default depends on the number of features alone, so that none takes long.
# Not under a sanitizer.
$ for d in 30 31 200 201; do samara make linear n=300 d=$d -o wide.csv -q; samara train subset wide.csv -t y -o wide.smr -q > out; samara inspect wide.smr | sed -n "s/^ *search */$d: /p"; done
30: exhaustive
31: swap
200: swap
201: forward
