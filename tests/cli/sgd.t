# Any loss by stochastic gradients, for classes and numbers.
$ samara train "standardize | sgd" data/iris.csv --target species --holdout 0 -o s.smr | grep -v -e read -e fitted
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
task      classify species: setosa, versicolor, virginica
model     columns unseen=missing dates=days target=as_is | standardize center=yes scale=yes | sgd loss=auto l1=0 tol=0.001 fit_intercept=yes class_weight=none method=plain schedule=auto rate=0 offset=0 batch=1 passes=1000 patience=3 average=no shuffle=yes watch=no
measured  on 150 training rows themselves: an optimistic figure
  accuracy           0.986667 (0.953 to 0.996)    kappa              0.98
  error              0.0133333                    log_loss           0.041174
  precision          0.986667                     brier              0.0252684
  recall             0.986667                     calibration_error  0.0137266
  f1                 0.986667                     auc                0.999067
  balanced_accuracy  0.986667                     auc_ovo            0.999067
  matthews           0.98                         average_precision  0.998196
baseline  always 'setosa': accuracy 0.333333
saved     s.smr
$ samara inspect s.smr | grep -A12 "loss "
   log_loss           0.041174
   brier              0.0252684
   calibration_error  0.0137266
   auc                0.999067
   auc_ovo            0.999067
   average_precision  0.998196

0  columns unseen=missing dates=days target=as_is  (inserted)
   columns
     name          kind
     sepal_length  number
     sepal_width   number
     petal_length  number
--
   loss  cross_entropy
   passes
     pass       loss  rate
        1   0.369271   0.2
        2   0.206598   0.2
        3   0.156957   0.2
        4   0.131251   0.2
        5   0.118436   0.2
        6   0.102176   0.2
        7   0.102125   0.2
        8  0.0937515   0.2
        9  0.0891072   0.2
       10   0.082116   0.2
       11  0.0861985   0.2
       12  0.0829203   0.2
$ samara train "standardize | sgd hinge average=yes" data/breast_cancer.csv --target diagnosis | grep accuracy
  accuracy   0.95614 (0.901 to 0.981)     balanced_accuracy  0.946446
baseline  always 'benign': accuracy 0.622807
$ samara train "standardize | sgd huber delta=50" data/diabetes.csv --target progression | grep rmse
  rmse                53.8178 (44.3 to 61.9)
baseline  always the mean, 151.85: rmse 75.7206
$ samara train "standardize | sgd watch=yes passes=3" data/breast_cancer.csv -t diagnosis -o w.smr -q; samara inspect w.smr | grep -A4 "gradient_variance"
     pass       loss       rate  gradient_variance  mean_gradient_square     radius
        1   0.111029  0.0645161           0.558293            0.00438517  0.0482058
        2  0.0746878  0.0645161           0.367906           0.000393249  0.0391324
   coefficients
     feature                     estimate

# What cannot be learned is refused, with the reason.
$ samara train "sgd zero_one" data/iris.csv --target species
samara: sgd: the 0-1 loss has slope 0 everywhere, so no gradient leads anywhere; take hinge, logistic or perceptron
[status 2]
$ samara train "sgd hinge" data/diabetes.csv --target bmi
samara: the target 'bmi' holds numbers (32.1 in row 1), and sgd with these parameters classifies; choose a learner that predicts numbers, such as linear, or say --task classify
[status 1]
$ samara train "sgd squared" data/iris.csv --target species
samara: the target 'species' holds text, and sgd with these parameters predicts numbers; choose a learner that classifies, such as logistic or knn
[status 1]
$ samara train "sgd rate=10" data/diabetes.csv --target progression
samara: sgd: the weights have grown beyond all bounds (at row 91); put standardize before it, lower the rate (it is 10), or leave it out: it is then chosen
[status 1]
$ samara train "sgd l2=-1" data/iris.csv --target species
samara: sgd: l2 = -1 is outside [0, inf)
[status 2]
$ samara train "sgd delta=2" data/iris.csv --target species
samara: sgd: delta is used only with loss=huber
[status 2]
$ samara train "sgd schedule=roots" data/iris.csv --target species
samara: sgd: schedule = roots is none of constant, per_step, root, inverse, step, cosine, adaptive or auto; did you mean 'root'?
[status 2]
$ samara train "standardize | sgd passes=1" data/iris.csv --target species --quiet -o q.smr; samara predict q.smr data/iris.csv --proba | head -n 3
species,p(setosa),p(versicolor),p(virginica)
setosa,0.9860493475483594,0.013904829892236828,4.582255940376377e-5
setosa,0.9320033622470585,0.06789720345463822,9.943429830323146e-5

# Converged is what the objective's gradient says, and steep losses stay within bounds.
$ for s in "linear" "linear solver=sgd" "sgd huber" "huber 1.35 scale=fixed l2=1" "sgd huber l2=1"; do samara train "standardize | $s" data/diabetes.csv --target progression --holdout 0 -q --json 2> /dev/null | grep -m 2 -e '"objective": [0-9]' -e '"converged"' | sed 's/\([0-9]\{5\}\)[0-9.]*,/\1.../' | tr -d '\n'; echo; done
    "objective": 63199...    "converged": true
    "objective": 63199...    "converged": true,
    "objective": 25290...    "converged": true,
    "objective": 26252...    "converged": true,
    "objective": 26252...    "converged": true,
$ samara train "standardize | sgd schedule=constant passes=5" data/diabetes.csv --target progression 2>&1 > /dev/null | grep converged
samara: warning: sgd: not converged after 5 passes: the gradient is 0.49 of that of the model without coefficients, and should be 0.001; raise passes, leave the schedule out, or raise l2 or tol
$ samara train "standardize | linear solver=sgd schedule=constant passes=5" data/diabetes.csv --target progression 2>&1 > /dev/null | grep converged
samara: warning: linear: not converged after 5 passes: the gradient is 0.49 of that of the model without coefficients, and should be 1e-6; raise passes, or leave the schedule out
$ samara train "standardize | sgd hinge_sum" data/wine.csv --target cultivar 2>&1 > /dev/null | grep converged
samara: warning: sgd: not converged after 1000 passes: all that is proven is that the objective is at most 1.6 of itself above its least, and that should be 0.001; raise passes, or raise l2 or tol
$ for s in "l1=1" "method=momentum" "method=nesterov" "batch=8"; do samara train "standardize | sgd poisson $s" data/diabetes.csv --target progression | grep rmse | head -1; done
  rmse              52.5932 (43.6 to 60.2)    explained_variance  0.517454
  rmse              52.59 (43.6 to 60.2)      explained_variance  0.517514
  rmse              52.5899 (43.6 to 60.2)    explained_variance  0.517517
  rmse              52.5899 (43.6 to 60.2)    explained_variance  0.517517

# A penalty that is not given knows the target's unit.
$ samara train "standardize | sgd absolute" data/diabetes.csv --target progression --seed 1 | grep rmse | head -1; awk -F, 'NR == 1 {print} NR > 1 {print $1","$2","$3","$4","$5","$6","$7","$8","$9","$10","$11 * 1000000}' data/diabetes.csv > big.csv; samara train "standardize | sgd absolute" big.csv --target progression --seed 1 | grep rmse | head -1
  rmse                64.1675 (55.7 to 71.6)
  rmse                6.41675e7 (5.57e7 to 7.16e7)

# Work that takes long is told before it begins, by whatever asks for the fit.
# Not under a sanitizer.
$ awk 'BEGIN { print "a,b,y"; for (i = 0; i < 60000; i++) print i % 97 / 10 "," i % 89 / 10 ",k" i % 20000 }' > many.csv
$ timeout -s INT 3 samara train sgd many.csv --target y --holdout 0.01
...
samara: warning: sgd: a pass is about 24 billion multiplications, roughly 24 seconds of processor time, and there are up to 1000 passes (7 hours); every row is compared with every class: join classes, or take knn or tree
samara: cancelled (passing over the rows: * of *): what was done is lost, and no file was written
[status 124]
$ timeout -s INT 4 samara tune sgd many.csv --target y 2>&1 | grep -c "sgd: a pass is about"
1
$ samara train sgd many.csv --target y --holdout 0.01 -q & p=$!; sleep 2; kill -INT $p; kill -INT $p; wait $p; echo "status $?"
samara: cancelled (passing over the rows: * of *): what was done is lost, and no file was written
status 130
