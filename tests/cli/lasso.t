# A penalty that is not given is chosen along a path, by cross-validation inside the fit.
$ samara train "standardize | lasso one_se=yes" data/diabetes.csv --target progression -o m.smr --holdout 0
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
read      data/diabetes.csv: 442 rows, 11 columns, * s
task      regress progression
model     columns unseen=missing dates=days target=as_is | standardize center=yes scale=yes | lasso path=0 ratio=0.001 folds=5 one_se=yes fit_intercept=yes max_iter=10000 tol=1e-8
fitted    442 rows, 10 features, * s, 206 iterations
measured  on 442 training rows themselves: an optimistic figure
  mse                 3199.54 (2850 to 3550)
  rmse                56.5645 (53.4 to 59.6)
  mae                 47.2011 (44.3 to 50.1)
  median_ae           42.3393
  max_error           144.67
  r2                  0.460438
  explained_variance  0.460438
  mape                0.432471
baseline  always the mean, 152.133: rmse 77.0057
saved     m.smr
$ samara inspect m.smr | sed -n "/^2/,/left_out/p"
2  lasso path=0 ratio=0.001 folds=5 one_se=yes fit_intercept=yes max_iter=10000 tol=1e-8
   method       gram
   rows         442
   folds        5
   l1           4300.41
   nonzero      4
   r2           0.460438
   objective    933309
   duality_gap  *
   cv_mse       3365.02
   coefficients
     feature      estimate
     (intercept)   152.133
     bmi           22.7022
     bp            6.96489
     s3            -3.2551
     s5            19.6801
   left_out  age, sex, s1, s2, s4, s6
$ samara inspect m.smr --plot path=p.svg --plot cv=c.svg > /dev/null && grep -c "<svg" p.svg c.svg
p.svg:2
c.svg:2

# One penalty, several, and both kinds of them.
$ samara train "lasso 1000" data/diabetes.csv --target progression -o m.smr --holdout 0 --quiet
$ samara inspect m.smr | sed -n "/duality_gap/d;/^1/,/left_out/p"
1  lasso l1=1000 path=0 fit_intercept=yes max_iter=10000 tol=1e-8
   method       gram
   rows         442
   l1           1000
   nonzero      7
   r2           0.491401
   objective    690164
   coefficients
     feature      estimate
     (intercept)  -95.5501
     sex          -11.2593
     bmi           6.11965
     bp            1.08011
     s1            1.24201
     s2           -1.34669
     s3           -2.23773
     s6           0.356512
   left_out  age, s4, s5
$ samara train "lasso 100,1000,10000 folds=3" data/diabetes.csv --target progression -o m.smr --holdout 0 --quiet
$ samara inspect m.smr | tail -4 | awk '{print $1, $2, $NF}'
l1 nonzero chosen
10000 6 no
1000 7 no
100 10 yes
$ samara train "elastic l1=800 l2=500" data/diabetes.csv --target progression -o m.smr --holdout 0 --quiet
$ samara inspect m.smr | sed -n "/estimate/,/left_out/p"
     feature        estimate
     (intercept)    -105.746
     age          -0.0354148
     sex            -2.07199
     bmi             5.85223
     bp              1.04832
     s1              1.25568
     s2             -1.35867
     s3             -2.13409
     s5             0.377948
     s6             0.360557
   left_out  s4

# What cannot be is refused with the way out.
$ samara train "lasso -1" data/diabetes.csv --target progression
samara: lasso: l1 = -1 is outside [0, inf)
[status 2]
$ samara train "lasso 1 path=20" data/diabetes.csv --target progression
samara: lasso: path=20 and 1 value of l1 are given; use one or the other
[status 2]
$ samara train "elastic l2=1,2" data/diabetes.csv --target progression
samara: elastic: 2 values of l2 are given; give one, or several of l1
[status 2]
$ samara train "elastic mix=0" data/diabetes.csv --target progression
samara: elastic: mix = 0 is outside (0, 1]
[status 2]
$ samara train "lasso folds=101" data/diabetes.csv --target progression
samara: lasso: folds = 101 is outside [0, 100]
[status 2]
$ samara train lasso data/iris.csv --target species
samara: the target 'species' holds text, and lasso predicts numbers; choose a learner that classifies, such as logistic or knn
[status 1]

# A constant target has nothing to explain.
$ printf 'a,b,y\n1,2,7\n2,1,7\n5,3,7\n4,4,7\n' > constant.csv
$ samara train lasso constant.csv --target y --task regress --holdout 0 -o m.smr | grep -v "  "
samara: warning: lasso: target 1 is constant: all coefficients are 0
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
samara: warning: 4 rows were measured: figures from so few rows are unreliable; measure on more rows, or with samara cv
[status 1]
$ samara inspect m.smr | grep -A3 coefficients
   coefficients
     feature      estimate
     (intercept)         7
   left_out  a, b

# Gradient descent says why it ended, and for a step that is too long which one is not.
$ samara train "standardize | linear solver=gd" data/diabetes.csv --target progression -o m.smr --holdout 0
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
read      data/diabetes.csv: 442 rows, 11 columns, * s
task      regress progression
model     columns unseen=missing dates=days target=as_is | standardize center=yes scale=yes | linear fit_intercept=yes solver=gd rule=barzilai step=0 max_iter=1000 tol=1e-8
fitted    442 rows, 10 features, * s, 217 iterations
measured  on 442 training rows themselves: an optimistic figure
  mse                 2859.7 (2510 to 3210)
  rmse                53.4761 (50.1 to 56.7)
  mae                 43.2775 (40.3 to 46.2)
  median_ae           38.5248
  max_error           155.827
  r2                  0.517748
  explained_variance  0.517748
  mape                0.387862
baseline  always the mean, 152.133: rmse 77.0057
saved     m.smr
$ samara inspect m.smr | sed -n "/^2/,/r2/p"
2  linear fit_intercept=yes solver=gd rule=barzilai step=0 max_iter=1000 tol=1e-8
   solver               gd
   rows                 442
   ended                the gradient is small enough
   gradient             *
   largest_curvature    1778.7
   largest_stable_step  0.00112442
   r2                   0.517748
$ samara curve training m.smr | head -12
training curve of m.smr
  iteration  objective
          1    1270190
          2     774541
          3     705391
          4     646804
          5     639842
          6     648102
          7     636965
          8     636872
          9     636761
         10     636448
$ samara train "standardize | linear solver=gd rule=fixed step=0.01" data/diabetes.csv --target progression --holdout 0 | grep saved
samara: warning: linear: step=0.01 is too long: the objective grows. Steps below 2 / L = 0.00112442 converge; step=0 takes 1 / L
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
samara: warning: every row has the same prediction: the model has learned one number for all and nothing from the columns; lower its penalty, or try another learner
not saved; -o FILE keeps the model
$ samara train "standardize | linear solver=gd max_iter=10" data/diabetes.csv --target progression --holdout 0 | grep saved
samara: warning: linear: not converged after 10 iterations (the gradient is 224); raise max_iter, or put standardize before it
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
not saved; -o FILE keeps the model
$ samara train "linear step=0.1" data/diabetes.csv --target progression
samara: linear: step is used only with solver=gd
[status 2]

# The least-squares classifier; a few whole numbers are numbers until --task says classes.
$ samara train linear data/iris.csv --target species --holdout 0 -o m.smr
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
read      data/iris.csv: 150 rows, 5 columns, * s
task      classify species: setosa, versicolor, virginica
model     columns unseen=missing dates=days target=as_is | linear fit_intercept=yes solver=exact method=auto
fitted    150 rows, 4 features, * s
measured  on 150 training rows themselves: an optimistic figure
  accuracy           0.846667 (0.78 to 0.896)    matthews           0.774192
  error              0.153333                    kappa              0.77
  precision          0.852694                    auc                0.935933
  recall             0.846667                    auc_ovo            0.935933
  f1                 0.845415                    average_precision  0.873535
  balanced_accuracy  0.846667
baseline  always 'setosa': accuracy 0.333333
saved     m.smr
$ samara predict m.smr data/iris.csv | head -3
species
setosa
setosa
$ samara train linear data/digits.csv --target digit --holdout 0 | sed -n 2p
samara: warning: linear: 3 of 64 columns add nothing to the others: 'pixel_0_0' is constant; 'pixel_4_0' is constant; 'pixel_4_7' is constant. Of all coefficients that fit equally well, the smallest were taken; drop columns to be able to interpret them
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
task      regress digit
$ samara train linear data/digits.csv --target digit --task classify --holdout 0 | grep -E "task|accuracy"
samara: warning: linear: 3 of 64 columns add nothing to the others: 'pixel_0_0' is constant; 'pixel_4_0' is constant; 'pixel_4_7' is constant. Of all coefficients that fit equally well, the smallest were taken; drop columns to be able to interpret them
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
task      classify digit: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
  accuracy           0.947134 (0.936 to 0.957)    kappa              0.941257
  balanced_accuracy  0.946858                     top5_error         0.00111297
baseline  always '3': accuracy 0.101836
