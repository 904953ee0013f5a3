# Support vector machines: the course's gates, real tables, bad input.
$ printf 'a,b,t\n1,1,yes\n1,0,no\n0,1,no\n0,0,no\n' > and.csv
$ printf 'a,b,t\n1,1,no\n1,0,yes\n0,1,yes\n0,0,no\n' > xor.csv
$ samara train "svm margin=hard" and.csv --target t --holdout 0 -o and.smr -q > /dev/null
$ samara inspect and.smr | sed -n '/^1 /,$p' | grep -v '  gap  '
1  svm kernel=linear loss=hinge margin=hard multi=ova solver=auto fit_intercept=yes class_weight=none tol=0.0001 max_iter=1000
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
samara: svm: margin=hard, but not separable: no hyperplane divides the two classes, as a mixture of rows 2 and 3 equals one of rows 1 and 4; it takes leaving out 1 of the 4 rows, the fewest found; take margin=soft
[status 1]
$ samara train "standardize | svm margin=hard" data/iris.csv --target species --holdout 0
samara: svm: margin=hard, but not separable: no hyperplane divides class 1 from the others, as a mixture of rows 51, 58, 69 and 86 equals one of rows 1, 115, 119, 120 and 1 more; it takes leaving out 37 of the 150 rows, the fewest found; take margin=soft (while fitting stage 2, svm)
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
$ samara train "svm kernel=rbf" and.csv --target t
samara: svm: kernel = rbf is not the only one there is: linear
[status 2]
$ samara train "svm solver=primal" and.csv --target t
samara: svm: solver=primal needs a smooth loss: loss=squared_hinge
[status 2]
$ samara train "svm los=hinge" and.csv --target t
samara: svm has no parameter 'los'; did you mean 'loss'?
[status 2]
$ samara train svm data/diabetes.csv --target progression --task regress
samara: svm does not predict numbers; it classifies
[status 2]
