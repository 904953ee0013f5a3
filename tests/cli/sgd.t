# Any loss by stochastic gradients, for classes and numbers.
$ samara train "standardize | sgd" data/iris.csv --target species --holdout 0 -o s.smr | grep -v -e read -e fitted
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
task      classify species: setosa, versicolor, virginica
model     columns unseen=missing dates=days target=as_is | standardize center=yes scale=yes | sgd loss=auto l1=0 l2=1 tol=0.001 fit_intercept=yes class_weight=none method=plain schedule=root rate=0 offset=0 power=0.75 period=0 momentum=0.9 batch=1 passes=100 patience=3 average=no shuffle=yes watch=no
measured  on 150 training rows themselves: an optimistic figure
  accuracy           0.973333 (0.933 to 0.99)    kappa              0.96
  error              0.0266667                   log_loss           0.134151
  precision          0.973825                    brier              0.0586667
  recall             0.973333                    calibration_error  0.0882151
  f1                 0.973323                    auc                0.9984
  balanced_accuracy  0.973333                    auc_ovo            0.9984
  matthews           0.960256                    average_precision  0.996936
baseline  always 'setosa': accuracy 0.333333
saved     s.smr
$ samara inspect s.smr | grep -A12 "loss "
   log_loss           0.134151
   brier              0.0586667
   calibration_error  0.0882151
   auc                0.9984
   auc_ovo            0.9984
   average_precision  0.996936

0  columns unseen=missing dates=days target=as_is  (inserted)
   columns
     name          kind
     sepal_length  number
     sepal_width   number
     petal_length  number
--
   loss  cross_entropy
   passes
     pass      loss       rate
        1  0.406192   0.141658
        2  0.278336   0.115599
        3  0.246632   0.100083
        4  0.236596  0.0895024
        5  0.229439  0.0816951
        6  0.223571  0.0756289
        7  0.221443  0.0707402
        8  0.219018  0.0666914
        9  0.218151  0.0632666
       10  0.217685  0.0603206
       11  0.217118  0.0577511
       12  0.215297  0.0554842
$ samara train "standardize | sgd hinge average=yes" data/breast_cancer.csv --target diagnosis | grep accuracy
  accuracy   0.982456 (0.938 to 0.995)    balanced_accuracy  0.976744
baseline  always 'benign': accuracy 0.622807
$ samara train "standardize | sgd huber delta=50" data/diabetes.csv --target progression | grep rmse
  rmse                54.2788 (45.3 to 62)
baseline  always the mean, 151.85: rmse 75.7206
$ samara train "standardize | sgd watch=yes passes=3" data/breast_cancer.csv -t diagnosis -o w.smr -q; samara inspect w.smr | grep -A4 "gradient_variance"
     pass       loss       rate  gradient_variance  mean_gradient_square     radius
        1   0.117065  0.0456398           0.561086            0.00480593  0.0341868
        2  0.0824359  0.0372593            0.36034           0.000513544  0.0223662
        3  0.0774564  0.0322652           0.318977            0.00026265  0.0182227
   coefficients

# What cannot be learned is refused, with the reason.
$ samara train "sgd zero_one" data/iris.csv --target species
samara: sgd: the 0-1 loss has slope 0 everywhere, so no gradient leads anywhere; take hinge, logistic or perceptron
[status 2]
$ samara train "sgd hinge" data/diabetes.csv --target progression
samara: sgd: loss=hinge is of classes, the target is a number; take squared, huber or another loss of numbers, or --task classify
[status 2]
$ samara train "sgd squared" data/iris.csv --target species
samara: sgd: loss=squared is of numbers, the target is a class; take logistic, hinge or another loss of classes, or --task regress
[status 2]
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
samara: sgd: schedule = roots is none of constant, per_step, root, inverse, step, cosine or adaptive
[status 2]
$ samara train "standardize | sgd passes=1" data/iris.csv --target species --quiet -o q.smr; samara predict q.smr data/iris.csv --proba | head -n 3
species,p(setosa),p(versicolor),p(virginica)
setosa,0.9757046132814752,0.024103523621727692,0.00019186309679714405
setosa,0.8967987640492671,0.10282396413838504,0.00037727181234807296
