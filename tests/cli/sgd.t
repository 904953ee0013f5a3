# Any loss by stochastic gradients, for classes and numbers.
$ samara train "standardize | sgd" data/iris.csv --target species --holdout 0 -o s.smr | grep -v -e read -e fitted
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
task      classify species: setosa, versicolor, virginica
model     columns unseen=missing dates=days target=as_is | standardize center=yes scale=yes | sgd loss=auto l1=0 l2=1 tol=0.001 fit_intercept=yes class_weight=none method=plain schedule=auto rate=0 offset=0 power=0.75 period=0 momentum=0.9 batch=1 passes=100 patience=3 average=no shuffle=yes watch=no
measured  on 150 training rows themselves: an optimistic figure
  accuracy           0.973333 (0.933 to 0.99)    kappa              0.96
  error              0.0266667                   log_loss           0.127471
  precision          0.973825                    brier              0.0551694
  recall             0.973333                    calibration_error  0.0780577
  f1                 0.973323                    auc                0.998267
  balanced_accuracy  0.973333                    auc_ovo            0.998267
  matthews           0.960256                    average_precision  0.996681
baseline  always 'setosa': accuracy 0.333333
saved     s.smr
$ samara inspect s.smr | grep -A12 "loss "
   log_loss           0.127471
   brier              0.0551694
   calibration_error  0.0780577
   auc                0.998267
   auc_ovo            0.998267
   average_precision  0.996681

0  columns unseen=missing dates=days target=as_is  (inserted)
   columns
     name          kind
     sepal_length  number
     sepal_width   number
     petal_length  number
--
   loss  cross_entropy
   passes
     pass      loss     rate
        1  0.405353      0.2
        2  0.273321      0.2
        3  0.243362      0.2
        4  0.237144      0.2
        5  0.229586      0.2
        6  0.223161      0.2
        7  0.227572      0.2
        8  0.226531      0.2
        9  0.218294      0.2
       10  0.223327      0.2
       26  0.209425   0.0016
       27    0.2094   0.0016
$ samara train "standardize | sgd hinge average=yes" data/breast_cancer.csv --target diagnosis | grep accuracy
  accuracy   0.973684 (0.925 to 0.991)    balanced_accuracy  0.969702
baseline  always 'benign': accuracy 0.622807
$ samara train "standardize | sgd huber delta=50" data/diabetes.csv --target progression | grep rmse
  rmse                53.875 (44.4 to 61.9)
baseline  always the mean, 151.85: rmse 75.7206
$ samara train "standardize | sgd watch=yes passes=3" data/breast_cancer.csv -t diagnosis -o w.smr -q; samara inspect w.smr | grep -A4 "gradient_variance"
     pass       loss       rate  gradient_variance  mean_gradient_square     radius
        1   0.115966  0.0645161           0.563509            0.00451789  0.0484305
        2  0.0817065  0.0645161           0.366706           0.000433316  0.0390685
        3  0.0786317  0.0645161             0.3918           0.000283783  0.0403832
   coefficients

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
samara: sgd: the weights have grown beyond all bounds (at row 91); put standardize before it, lower the rate, or let rate=0 choose it
[status 1]
$ samara train "sgd l2=-1" data/iris.csv --target species
samara: sgd: l2 = -1 is outside [0, inf)
[status 2]
$ samara train "sgd delta=2" data/iris.csv --target species
samara: sgd: delta is read only with loss=huber
[status 2]
$ samara train "sgd schedule=roots" data/iris.csv --target species
samara: sgd: schedule = roots is none of constant, per_step, root, inverse, step, cosine, adaptive or auto; did you mean 'root'?
[status 2]
$ samara train "standardize | sgd passes=1" data/iris.csv --target species --quiet -o q.smr; samara predict q.smr data/iris.csv --proba | head -n 3
species,p(setosa),p(versicolor),p(virginica)
setosa,0.9785298054879908,0.0213705632712183,9.96312407908393e-5
setosa,0.9090915679200954,0.09072503042282277,0.00018340165708187223
