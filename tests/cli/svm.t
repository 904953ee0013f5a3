# Support vector machines: the course's gates, real tables, bad input.
$ printf 'a,b,t\n1,1,yes\n1,0,no\n0,1,no\n0,0,no\n' > and.csv
$ printf 'a,b,t\n1,1,no\n1,0,yes\n0,1,yes\n0,0,no\n' > xor.csv
$ samara train "svm margin=hard" and.csv --target t --holdout 0 -o and.smr -q > /dev/null
$ samara inspect and.smr | sed -n '/^1 /,$p' | grep -v '  gap  '
1  svm kernel=linear loss=hinge margin=hard multi=auto solver=auto epsilon=0.1 proba=no fit_intercept=yes tol=0 max_iter=1000
   kernel             linear
   loss               none: hard margin
   width              0.707107
   functional_margin  1
   geometric_margin   0.353553
   objective          4
   dual               4
   support_vectors    3
   slack_0            4
   slack_0_to_1       0
   slack_above_1      0
   support
     row  alpha
       1      4
       2      2
       3      2
   coefficients
     feature      estimate
     (intercept)        -3
     a                   2
     b                   2
$ samara train "svm margin=hard" xor.csv --target t --holdout 0
samara: svm: margin=hard, but not separable: no hyperplane divides class 'no' from class 'yes', as a mixture of rows 2 and 3 equals one of rows 1 and 4; it takes leaving out 1 of the 4 rows, the fewest found; take margin=soft
[status 1]
$ samara train "standardize | svm margin=hard" data/iris.csv --target species --holdout 0
samara: svm: margin=hard, but not separable: no hyperplane divides class 'versicolor' from the others, as a mixture of rows 51, 58, 69 and 86 equals one of rows 1, 115, 119, 120 and 1 more; it takes leaving out 37 of the 150 rows, the fewest found; take margin=soft (while fitting stage 2, svm)
[status 1]
$ samara train "standardize | svm" data/breast_cancer.csv --target diagnosis -o s.smr | sed -n '/^measured/,/recall/p'
measured  on 114 held-out rows that this fit did not see
  accuracy   0.982456 (0.938 to 0.995)    balanced_accuracy  0.98133
  error      0.0175439                    matthews           0.96266
  precision  0.976744 (0.879 to 0.996)    kappa              0.96266
  recall     0.976744 (0.879 to 0.996)    auc                0.993449 (0.969 to 0.999)
$ samara inspect s.smr | grep -A 12 'kernel ' | grep -v '  gap  '
   kernel             linear
   loss               hinge
   C                  1
   width              0.652308
   functional_margin  -3.53786
   geometric_margin   -1.15389
   objective          26.5255
   dual               26.5255
   support_vectors    40
   slack_0            546
   slack_0_to_1       16
   slack_above_1      7
$ samara predict s.smr data/breast_cancer.csv | head -3
diagnosis
malignant
malignant
$ samara train "calibrate of=(standardize | svm)" data/breast_cancer.csv --target diagnosis -o c.smr | grep log_loss
  error              0.0263158                    log_loss           0.104313
$ samara predict c.smr data/breast_cancer.csv --proba | head -3
diagnosis,p(benign),p(malignant)
malignant,6.069342883829876e-8,0.9999999393065712
malignant,0.0001722759662189377,0.9998277240337811
$ samara train "standardize | svm multi=max" data/wine.csv --target cultivar -o w.smr | grep ' accuracy'
  accuracy           0.972222 (0.858 to 0.995)    matthews           0.959161
baseline  always 'class_1': accuracy 0.388889
$ samara inspect w.smr --json | grep -o '"functional_margin": [0-9.]\{6\}'
"functional_margin": 0.9999

# Mistakes.
$ samara train "svm C=2 l2=3" and.csv --target t
samara: svm: C and l2 are both given; give one of them
[status 2]
$ samara train "svm C=-1" and.csv --target t
samara: svm: C = -1 is outside [0, inf]
[status 2]
$ samara train "svm solver=primal" and.csv --target t
samara: svm: solver=primal needs a smooth loss: loss=squared_hinge
[status 2]
$ samara train "svm los=hinge" and.csv --target t
samara: svm has no parameter 'los'; did you mean 'loss'?
[status 2]
$ printf 'a,b,t\n1,1,yes\n1,0,no\n0,1,no\n1,1,no\n' > twins.csv; samara train "svm C=inf" twins.csv --target t --holdout 0
samara: svm: margin=hard, but not separable: row 1 of class 'yes' and row 4 of class 'no' are the same; it takes leaving out 1 of the 4 rows, the fewest found; take margin=soft
[status 1]
$ samara train "svm margin=hard class_weight=balanced" and.csv --target t
samara: svm: class_weight is used only with margin=soft
[status 2]
$ samara train "svm nu=0.5 multi=max" and.csv --target t
samara: svm: multi=max is for kernel=linear, and not with nu; take multi=ovo or ova
[status 2]

# Kernels.
$ printf 'a,b,t\n1,1,no\n1,-1,yes\n-1,1,yes\n-1,-1,no\n' > signs.csv
$ samara train "svm kernel=quadratic margin=hard tol=1e-6" signs.csv --target t --holdout 0 -o signs.smr -q > /dev/null
$ samara inspect signs.smr | sed -n '/^1 /,$p' | grep -v -E '  gap  |violation|intercept  '
1  svm kernel=quadratic(coef0=1) margin=hard multi=auto epsilon=0.1 proba=no tol=1e-6 max_iter=1000
   kernel             quadratic(coef0=1)
   learns             classes
   points             4
   width              2.82843
   functional_margin  1
   geometric_margin   1.41421
   objective          0.25
   dual               0.25
   support_vectors    4
   free               4
   bounded            0
   slack_0            4
   slack_0_to_1       0
   slack_above_1      0
   support
     row  alpha
       1  0.125
       2  0.125
       3  0.125
       4  0.125
$ samara train "svm kernel=rbf margin=hard" signs.csv --target t --holdout 0 -q -o signs.smr > /dev/null
$ printf '1,1,yes\n' >> signs.csv
$ samara train "svm kernel=rbf margin=hard" signs.csv --target t --holdout 0
samara: svm: margin=hard, but not separable: row 1 of class 'no' and row 5 of class 'yes' are the same to the kernel; take margin=soft
[status 1]
$ samara train "standardize | svm 10 kernel=rbf(gamma=0.02) proba=yes" data/breast_cancer.csv --target diagnosis -o k.smr | sed -n '/^measured/,/recall/p'
measured  on 114 held-out rows that this fit did not see
  accuracy           0.973684 (0.925 to 0.991)    kappa              0.944245
  error              0.0263158                    log_loss           0.0647441
  precision          0.954545 (0.849 to 0.987)    brier              0.0169771
  recall             0.976744 (0.879 to 0.996)    calibration_error  0.0309763
$ samara inspect k.smr | grep -E '^   (kernel|learns|C|points|support_vectors|free|bounded|slack)'
   kernel             rbf(gamma=0.02)
   learns             classes
   C                  10
   points             77
   support_vectors    77
   free               57
   bounded            20
   slack_0            549
   slack_0_to_1       14
   slack_above_1      6
$ samara predict k.smr data/breast_cancer.csv --proba | head -2
diagnosis,p(benign),p(malignant)
malignant,0.014915738967156034,0.985084261032844
$ samara train "standardize | svm 50 kernel=rbf" data/diabetes.csv --target progression -o n.smr | sed -n '/^measured/,/r2/p'
measured  on 88 held-out rows that this fit did not see
  mse                 2807.32 (1980 to 3640)
  rmse                52.9841 (44.5 to 60.3)
  mae                 40.7099 (33.5 to 47.9)
  median_ae           29.892
  max_error           131.528
  r2                  0.510202
$ samara train "standardize | svm nu=0.05 kernel=rbf" data/wine.csv --ignore cultivar -o one.smr -q > /dev/null
$ samara predict one.smr data/wine.csv | sort | uniq -c | sed 's/^ *//'
17 0
161 1
1 cluster
$ samara train "svm kernel=rbf(gamma=-1)" data/iris.csv --target species
samara: in kernel "rbf(gamma=-1)" at character 11: rbf: gamma = -1 is outside (0, inf), scale, auto or median
[status 2]
$ samara train "svm kernel=rbf loss=squared_hinge" data/iris.csv --target species
samara: svm: loss is used only with kernel=linear
[status 2]
$ samara train "svm epsilon=0.5" data/iris.csv --target species
samara: svm: epsilon is for numbers, and the target has classes; leave it out
[status 2]
$ samara train "svm kernel=rbf nu=0.9" data/breast_cancer.csv --target diagnosis
samara: svm: nu=0.9 is more than the smaller class has room for: at most 0.7428571428571429 here
[status 1]
$ samara train "standardize | svm kernel=sigmoid(gamma=1)" data/iris.csv --target species --holdout 0 -o sig.smr | grep fitted | sed 's/,.*//'
samara: warning: svm: this kernel is not positive semi-definite: an eigenvalue of its matrix of 149 rows is -18.342706421420168; the fit ends at one of several optima
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
fitted    150 rows
