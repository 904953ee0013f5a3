# A mixture of experts: two lines in two regions, and what the gate made of them.
$ printf 'x,y\n' > d.csv; for i in $(seq 0 59); do if [ $i -lt 30 ]; then echo "$i,$((2 * i + i % 3))"; else echo "$i,$((150 - 3 * i + i % 4))"; fi; done >> d.csv
$ samara train "standardize | experts 2 l2=0.01" d.csv --target y -o e.smr | grep -e r2 -e saved
samara: warning: 12 rows were measured: figures from so few rows are unreliable; measure on more rows, or with samara cv
  r2                  0.993868
saved     e.smr
$ samara inspect e.smr | grep -A7 "iterations  "
   iterations  9
   objective   101.928
   converged   yes

measured when it was trained
   measured_on         holdout
   measured_rows       12
   mse                 1.65313
--
   iterations                   9
   log_likelihood               -88.3746
   mean_largest_responsibility  0.991797
   experts
     expert  learner  responsibility  noise_sd
     of.0    ridge          0.508941   1.03086
     of.1    ridge          0.491059   1.47582

$ samara train "standardize | ridge" d.csv --target y | grep r2
samara: warning: 12 rows were measured: figures from so few rows are unreliable; measure on more rows, or with samara cv
  r2                  -0.236425
$ samara train "standardize | experts 2" data/iris.csv --target species | grep accuracy
  accuracy           0.966667 (0.833 to 0.994)    kappa              0.95
  balanced_accuracy  0.966667                     auc_ovo            0.996667
baseline  always 'setosa': accuracy 0.333333

# The same bytes at 1, 2 and 7 threads.
# Not under a sanitizer.
$ for j in 1 2 7; do samara train "standardize | experts 3" data/diabetes.csv --target progression --holdout 0 -j $j -o t$j.smr -q; done; cmp t1.smr t2.smr && cmp t1.smr t7.smr && echo same
same

# What cannot be.
$ samara train "experts of=(svm)" data/breast_cancer.csv --target diagnosis
samara: experts: svm gives no probabilities, which a mixture is made of; 'calibrate of=(svm)' does
[status 1]
$ samara train "experts of=(ridge)" data/iris.csv --target species
samara: the target 'species' holds text, and experts of=(ridge) predicts numbers; choose a learner that classifies, such as logistic or knn
[status 1]
$ samara train "experts 5 of=(knn),(logistic)" data/iris.csv --target species
samara: experts: k is not used when of has 2 members; leave k out
[status 2]
