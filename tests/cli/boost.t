# Gradient boosting: early stopping, staged answers, importances, monotone columns, bad input.
$ samara train "boost 300 patience=20" data/breast_cancer.csv --target diagnosis --holdout 0 -o b.smr -q
$ samara inspect b.smr | sed -n '/^1 /,$p' | head -28
1  boost rounds=300 rate=0.1 loss=auto growth=leaf max_leaves=31 max_depth=0 min_child=1 min_gain=0 l1=0 l2=1 sampling=uniform rows=1 columns=1 features=1 smooth=10 monotone='' max_bins=255 patience=20 validation=0.1 class_weight=none
   loss             logistic
   rows             512
   validation_rows  57
   rounds           53
   rounds_fitted    73
   rate             0.1
   trees            53
   leaves           479
   loss_of_base     0.660557
   loss_at_end      0.0196012
   validation_loss  0.118846
   base  -0.519168
   importance
     feature                         gain      splits        cover
     worst_area                  0.330855   0.0938967     0.145235
     worst_perimeter             0.314965   0.0469484     0.101444
     mean_concave_points         0.101386   0.0774648    0.0728448
     worst_concave_points       0.0976072    0.103286     0.162523
     worst_texture              0.0602754    0.140845    0.0832465
     mean_texture                0.020238   0.0539906    0.0375258
     area_error                 0.0126778     0.07277    0.0840782
     worst_radius               0.0114257   0.0352113    0.0221451
     worst_concavity            0.0105002   0.0352113     0.038424
     mean_concavity            0.00557737   0.0328638    0.0253277
     compactness_error         0.00550152   0.0234742     0.011943
     worst_smoothness          0.00539175   0.0399061    0.0231986
     radius_error              0.00459744   0.0258216    0.0289871
$ samara train "boost loss=poisson monotone='+bmi,+bp' max_leaves=8" data/diabetes.csv --target progression --holdout 0 -o d.smr -q
$ samara inspect d.smr | sed -n '/loss  /,/base/p'
   loss          poisson
   rows          442
   rounds        100
   rate          0.1
   trees         100
   leaves        800
   loss_of_base  19.6699
$ samara train "boost monotone='+bmi,-agee'" data/diabetes.csv --target progression
samara: boost: monotone names 'agee', which is not a feature; did you mean 'age'?
[status 2]
$ samara train "boost monotone=bmi" data/diabetes.csv --target progression
samara: boost: monotone="bmi": each name has a sign before it, as in "+age,-price"
[status 2]
$ samara train "boost loss=logistic" data/diabetes.csv --target progression
samara: boost: loss=logistic is for classes, and the target is a number
[status 2]
$ samara train "boost loss=logistic" data/iris.csv --target species
samara: boost: loss=logistic is for two classes, and there are 3; use loss=softmax
[status 2]
$ samara train xgboost data/iris.csv --target species
samara: there is no learner 'xgboost'; did you mean 'boost'?
[status 2]
$ samara train "boost n_estimators=50" data/iris.csv --target species
samara: boost has no parameter 'n_estimators'; did you mean 'rounds'?
[status 2]
$ samara train "boost rate=2" data/iris.csv --target species
samara: boost: rate = 2 is outside (0, 1]
[status 2]
$ samara train "boost rows=0.5 sampling=goss" data/iris.csv --target species
samara: boost: rows is used only with sampling=uniform
[status 2]
$ samara train "boost sampling=goss top=0.8 other=0.5" data/iris.csv --target species
samara: boost: top and other are shares of the rows; together they are above 1
[status 2]
$ printf 'a,b,t\n1,x,3\n1,x,4\n1,x,5\n' > constant.csv
$ samara train boost constant.csv --target t --holdout 0 -o c.smr | grep -v '^read'
samara: warning: boost: all features are constant, so the model predicts the same for every row
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
samara: warning: every row was predicted as '3': the model does not tell the classes apart; try other parameters or another learner
samara: warning: 3 rows were measured: the true accuracy lies anywhere between 6.15 % and 79.2 % (95 % interval); measure on more rows, or with samara cv
task      classify t: 3, 4, 5
model     columns unseen=missing dates=days target=as_is | boost rounds=100 rate=0.1 loss=auto growth=leaf max_leaves=31 max_depth=0 min_child=1 min_gain=0 l1=0 l2=1 sampling=uniform rows=1 columns=1 features=1 smooth=10 monotone='' max_bins=255 patience=0 class_weight=none
fitted    3 rows, 2 features, * s
measured  on 3 training rows themselves: an optimistic figure
  accuracy           0.333333 (0.0615 to 0.792)    log_loss           1.09861
  error              0.666667                      brier              0.666667
  precision          0.111111                      calibration_error  0
  recall             0.333333                      auc                0.5
  f1                 0.166667                      auc_ovo            0.5
  balanced_accuracy  0.333333                      average_precision  0.333333
  kappa              0
baseline  always '3': accuracy 0.333333
saved     c.smr
$ samara predict c.smr constant.csv
t
3
3
3
$ printf 'a,t\n1,3\n' > one.csv
$ samara train boost one.csv --target t --task regress --holdout 0 -o o.smr -q
$ samara predict o.smr one.csv
t
3
$ printf 'a,w,t\n1,0,3\n2,0,4\n3,0,5\n' > weightless.csv
$ samara train boost weightless.csv --target t --weight w --holdout 0
samara: all weights in column 'w' are zero
[status 1]
$ printf 'a,t\n1,-3\n2,4\n3,5\n' > negative.csv
$ samara train "boost loss=poisson" negative.csv --target t --task regress --holdout 0
samara: boost: the target of row 1 is outside what the loss takes: loss=poisson needs numbers >= 0
[status 1]
$ awk 'BEGIN { print "name,t"; for (i = 0; i < 120000; i++) print "n" (i % 3 ? (i * 7919) % 100000 : i % 6) "," (i % 6 == 3 ? 5 : 0) }' > levels.csv
$ samara train "boost 5 rate=1" levels.csv --target t --task regress --type name=category --holdout 0 -o l.smr -q
$ printf 'name\nn3\nn100\nunheard\n' > ask.csv
$ samara predict l.smr ask.csv
samara: warning: column 'name' has 1 level not seen in training, such as 'unheard'; it counts as missing
t
5
1.0029956676378402e-23
1.0029956676378402e-23
