# Logistic regression: a table of counts, what inspect shows, separated classes, bad input.
$ printf 'x,t,n\n0,no,37\n0,yes,11\n1,no,19\n1,yes,52\n' > counts.csv
$ samara train "logistic l2=0" counts.csv --target t --weight n --holdout 0 -o counts.smr -q > /dev/null
$ samara inspect counts.smr | sed -n '/^1 /,$p'
1  logistic l2=0 l1=0 solver=auto class_weight=none fit_intercept=yes tol=1e-6 max_iter=1000
   solver         newton
   rows           119
   deviance       134.156
   null_deviance  164.557
   mcfadden_r2    0.184743
   df             2
   aic            138.156
   separated      no
   std_errors     Wald
   coefficients
     feature      estimate  std_error        z            p  odds_ratio    low_95   high_95
     (intercept)  -1.21302   0.343418  -3.5322  0.000412115    0.297297  0.151661  0.582786
     x             2.21983   0.435659  5.09534   3.48123e-7     9.20574   3.91945   21.6218
$ printf 'x,t\n1,a\n2,a\n3,a\n4,b\n5,b\n7,b\n' > apart.csv
$ samara train "logistic l2=0" apart.csv --target t --holdout 0 -o apart.smr | sed -n '/^fitted/p'
samara: warning: logistic: a plane separates the classes, so without a penalty the coefficients grow for ever; the model has the values at which the solver stopped, without standard errors: give l2 a value (l2=1)
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
samara: warning: 6 rows were measured: the true accuracy lies anywhere between 61 % and 100 % (95 % interval); measure on more rows, or with samara cv
fitted    6 rows, 1 feature, * s, 15 iterations, not converged
$ samara inspect apart.smr | grep separated
   separated      a plane separates the classes
$ printf 'x,t\n1,a\n2,a\n3,a\n3,b\n5,b\n7,b\n' > touching.csv
$ samara train "logistic l2=0" touching.csv --target t --holdout 0 > /dev/null
samara: warning: logistic: a plane has no row on its wrong side (some lie on it), so without a penalty the coefficients grow for ever; the model has the values at which the solver stopped, without standard errors: give l2 a value (l2=1)
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
samara: warning: 6 rows were measured: the true accuracy lies anywhere between 43.6 % and 97 % (95 % interval); measure on more rows, or with samara cv
$ samara train "standardize | logistic" data/breast_cancer.csv --target diagnosis | sed -n '/^measured/,/recall/p'
measured  on 114 held-out rows that this fit did not see
  accuracy           0.964912 (0.913 to 0.986)    kappa              0.924628
  error              0.0350877                    log_loss           0.0896612
  precision          0.97561 (0.874 to 0.996)     brier              0.0250278
  recall             0.930233 (0.814 to 0.976)    calibration_error  0.0414516
$ samara train "standardize | logistic l1=5 l2=0" data/breast_cancer.csv --target diagnosis --holdout 0 -o sparse.smr -q > /dev/null
$ samara inspect sparse.smr | sed -n '/^2 /,/worst_radius/p'
2  logistic l2=0 l1=5 solver=auto class_weight=none fit_intercept=yes tol=1e-6 max_iter=1000
   solver         coordinate
   rows           569
   deviance       98.0788
   null_deviance  751.44
   mcfadden_r2    0.869479
   df             11
   aic            120.079
   coefficients
     feature                    estimate  odds_ratio
     (intercept)               -0.588963    0.554902
     mean_radius                       0           1
     mean_texture              0.0643463     1.06646
     mean_perimeter                    0           1
     mean_area                         0           1
     mean_smoothness                   0           1
     mean_compactness                  0           1
     mean_concavity                    0           1
     mean_concave_points        0.485807     1.62549
     mean_symmetry                     0           1
     mean_fractal_dimension            0           1
     radius_error               0.897414     2.45325
     texture_error                     0           1
     perimeter_error                   0           1
     area_error                        0           1
     smoothness_error                  0           1
     compactness_error                 0           1
     concavity_error                   0           1
     concave_points_error              0           1
     symmetry_error                    0           1
     fractal_dimension_error  -0.0572471    0.944361
     worst_radius                2.97006     19.4931
$ printf 'x,t\n1,a\n2,a\n3,a\n' > one.csv
$ samara train logistic one.csv --target t --holdout 0
samara: the target 't' has one class only, 'a': there is nothing to tell apart
[status 1]
$ samara train "logistic l2=-1" data/iris.csv --target species
samara: logistic: l2 = -1 is outside [0, inf)
[status 2]
$ samara train "logistic l1=1 solver=newton" data/iris.csv --target species
samara: logistic: solver=newton cannot take l1; use solver=coordinate, owlqn or sgd
[status 2]
$ samara train "logistic step=1" data/iris.csv --target species
samara: logistic: step is used only with solver=gd
[status 2]

# Numbers that are not classes are doubted; what other programs call a parameter is known.
$ samara train logistic data/diabetes.csv --target bmi
samara: the target 'bmi' holds numbers (32.1 in row 1), and logistic classifies; choose a learner that predicts numbers, such as linear, or say --task classify
[status 1]
$ samara train "logistic max_iter=5" data/diabetes.csv --target progression -q --json | grep -A 1 warnings
  "warnings": [
    "the target 'progression' holds 214 different numbers, and logistic takes each as a class; use linear or ridge to predict numbers, or --task classify if classes are meant",
$ samara train "logistic C=10" data/breast_cancer.csv --target diagnosis
samara: logistic has no parameter 'C'; did you mean 'l2' (l2 = 1 / C)?
[status 2]
$ samara train "logreg" data/breast_cancer.csv --target diagnosis
samara: there is no learner 'logreg'; did you mean 'logistic'?
[status 2]

# Without a penalty a category leaves out its first level, and columns that say the same are named.
$ samara make twoclass n=300 d=2 --seed 3 -o t.csv -q; awk -F, 'NR == 1 {print "x0,x1,copy,hue,y"} NR > 1 {print $1 "," $2 "," $2 "," (NR % 3 ? NR % 3 > 1 ? "red" : "blue" : "green") "," $3}' t.csv > c.csv; samara train "logistic 0" c.csv --target y -o c.smr -q --json | grep -A 1 '"warnings"'; samara inspect c.smr | grep -A 5 'std_error  *z' | awk '{print $1, $3}'
  "warnings": [
    "logistic: the rows do not determine the coefficients of 2 of 5 columns ('x1', ...): these columns are constant, or combinations of others; they have no standard errors; drop columns, or give l2 a value (l2=1)"
feature std_error
(intercept) 0.303856
x0 0.19647
x1 -
copy -
hue=green 0.432549

# One rare level that one class alone has: its coefficient grows, the others have their errors.
$ printf 'x,c,t\n1,u,a\n2,u,a\n3,u,b\n4,u,a\n5,u,b\n6,u,b\n2,v,a\n3,v,b\n4,v,a\n5,v,b\n3,w,b\n4,w,b\n' > rare.csv
$ samara train "logistic 0" rare.csv --target t --holdout 0 -o rare.smr 2>&1 > /dev/null | grep logistic
samara: warning: logistic: a plane has no row on its wrong side (some lie on it), so without a penalty the coefficients of 1 of 3 columns ('c=w') grow for ever; the model has the values at which the solver stopped, without standard errors: give l2 a value (l2=1)
$ samara inspect rare.smr | sed -n '/separated/,$p'
   separated      a plane parts the classes, with rows on it
   std_errors     Wald
   coefficients
     feature         estimate  std_error            z         p  odds_ratio       low_95  high_95
     (intercept)     -3.84808    2.61953       -1.469  0.141834   0.0213207  0.000125619  3.61866
     x                1.09945   0.681063      1.61432  0.106459     3.00252     0.790249  11.4079
     c=v          2.89041e-16    1.59414  1.81315e-16         1           1    0.0439612  22.7473
     c=w              14.2998          -            -         -     1623020            -        -

# What has not converged is told what would help it: the penalty that it has.
$ for p in "0 solver=lbfgs" "l1=1 l2=0 solver=owlqn"; do samara train "logistic $p max_iter=2" data/iris.csv --target species --holdout 0 2>&1 > /dev/null | grep 'not converged'; done
samara: warning: logistic: not converged after 2 iterations; raise max_iter, put standardize before it, or raise l2
samara: warning: logistic: not converged after 2 iterations; raise max_iter, put standardize before it, or raise l1
