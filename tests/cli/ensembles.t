# Learners made of many learners: bag, vote, stack.
$ samara train "bag 25" data/iris.csv --target species -o b.smr | grep -e '^fitted' -e 'accuracy  ' | sed 's/features, .*, 25/features, 25/'
fitted    150 rows, 4 features, 25 iterations
  accuracy           0.966667 (0.833 to 0.994)    kappa              0.95
  balanced_accuracy  0.966667                     auc_ovo            1
$ samara inspect b.smr | grep -A 7 '^1 ' | tail -7
   bags                  25
   combined_by           mean
   rows_in_a_bag         0.626667
   rows_out_of_some_bag  1
   oob_error             0.0466667
   oob_log_loss          0.552611
   features_not_asked    0
$ samara inspect b.smr --json | grep -o '"name": "oob_error"'
"name": "oob_error"
$ samara train "bag 6 parts=3 of=(standardize | logistic)" data/wine.csv --target cultivar -o p.smr -q > /dev/null
$ samara inspect p.smr | grep -A 2 'of.[0-5].0 '
1.of.0.0  subspace parts=3 draw=0  (inserted)
   kept  8
   of    13
--
1.of.1.0  subspace parts=3 draw=1  (inserted)
   kept  9
   of    13
--
1.of.2.0  subspace parts=3 draw=2  (inserted)
   kept  9
   of    13
--
1.of.3.0  subspace parts=3 draw=3  (inserted)
   kept  8
   of    13
--
1.of.4.0  subspace parts=3 draw=4  (inserted)
   kept  9
   of    13
--
1.of.5.0  subspace parts=3 draw=5  (inserted)
   kept  9
   of    13
$ samara train "bag 12 combine=median columns=0.6 of=(knn 3)" data/diabetes.csv --target progression -o m.smr | grep 'r2  '
  r2                  0.253377
$ samara predict m.smr data/diabetes.csv | head -3
progression
196.16666666666669
77.83333333333334
$ samara train "vote weigh=cv of=(knn 5),(standardize | logistic),(tree)" data/iris.csv --target species -o v.smr | grep 'accuracy  '
  accuracy           0.966667 (0.833 to 0.994)    kappa              0.95
  balanced_accuracy  0.966667                     auc_ovo            1
$ samara inspect v.smr | grep -A 5 'combined_by'
   combined_by  mean
   learners
     learner  is         cv_error    weight
     of.0     knn       0.0333333   1.09225
     of.1     logistic  0.0466667   1.00308
     of.2     tree      0.0666667  0.904662
$ samara predict v.smr data/iris.csv --proba | head -2
species,p(setosa),p(versicolor),p(virginica)
setosa,0.9948827923059551,0.005117186958104808,2.0735940149880854e-8
$ samara tune "vote of=(knn 5),(standardize | logistic)" data/iris.csv --target species --over "of.0.k=1,15 of.1.l2=0.1,10" | grep -e best
the best trials
On 30 rows that the search never saw, the winner's accuracy is no worse than its validation score (0.0333 better): choosing the best of 4 has not flattered it here; the standard error of a share of this many rows is 0.032.
$ samara train "stack passthrough=yes of=(tree),(standardize | knn 5) final=(standardize | logistic)" data/breast_cancer.csv --target diagnosis -o s.smr | grep 'accuracy  '
  accuracy           0.973684 (0.925 to 0.991)    kappa              0.943731
  balanced_accuracy  0.969702                     average_precision  0.995295
$ samara inspect s.smr | grep -A 8 'features_passed'
   features_passed_through  30
   learners
     learner  is    gives           cv_error
     of.0     tree  probabilities  0.0632689
     of.1     knn   probabilities  0.0316344
   final_reads
     answer
     tree: malignant
     knn: malignant
$ samara inspect s.smr | grep -A 3 '  feature  *estimate' | cut -c1-45
     feature                    estimate  std
     (intercept)               -0.315941   0.
     tree: malignant            0.562101    0
     knn: malignant              1.08917   0.

# Categories: codes for the one, indicators for the other.
$ printf 'x,c,y\n' > mixed.csv; for i in $(seq 90); do echo "$((i * 37 % 41)),$((i * 7 % 5))c,$((i * 7 % 5 + i * 37 % 101 / 20))" >> mixed.csv; done; samara train "stack of=(tree),(ridge 1)" mixed.csv --target y --task regress -o c.smr -q > /dev/null; samara inspect c.smr | grep -o '^1.of[^ ]*  [a-z]*'
1.of.0.0  tree
1.of.1.0  onehot
1.of.1.1  ridge
$ awk -F, 'NR == 1 { print } NR > 1 { print $1 "," $2 "," ($3 > 3 ? "high" : "low") }' mixed.csv > classes.csv; samara train "stack of=(forest 20),(svm)" classes.csv --target y -o f.smr -q > /dev/null; samara inspect f.smr | grep -o -e '^1.of[^ ]*  [a-z]*' -e 'svm  decision scores' -e '^     svm: low *[-0-9.]*'
     svm: low
1.of.0.0  forest
1.of.1.0  onehot
1.of.1.1  svm
     svm: low      0.860583

# Mistakes.
$ samara train "vote of=(knn),(ridge)" data/iris.csv --target species
samara: the target 'species' holds text, and vote of=(knn),(ridge) predicts numbers; choose a learner that classifies, such as logistic or knn
[status 1]
$ samara train "vote of=(ridge),(logistic)" data/iris.csv --target species
samara: vote: the learners of of must share a task: some only classify, some only predict numbers
[status 2]
$ samara train "vote mean of=(knn),(svm)" data/iris.csv --target species
samara: vote: svm gives no probabilities to average; count votes with combine=vote, or calibrate it: of=(calibrate of=(svm))
[status 1]
$ samara train "vote weights=1,2 of=(knn),(logistic),(tree)" data/iris.csv --target species
samara: vote: 2 weights for 3 learners
[status 2]
$ samara train "vote weights=0,0 of=(knn),(logistic)" data/iris.csv --target species
samara: vote: the weights are all 0; one must be more
[status 2]
$ samara train vote data/iris.csv --target species
samara: vote: of is missing: it names the learners that vote is made of, as in of=(knn)
[status 2]
$ samara train "stack of=(knn),(logistic) final=(ridge)" data/iris.csv --target species
samara: stack: the final learner, ridge l2=1 path=0 fit_intercept=yes, predicts numbers, and those of `of` classify
[status 2]
$ samara train "stack of=(knn 3),(gamma) final=(linear)" mixed.csv --target y --task regress
samara: gamma: the target of row 55 is 0, and must be more than 0; huber and linear take any number (while fitting stage 2, gamma) (while fitting of.1, gamma l2=0 l1=0 fit_intercept=yes max_iter=1000 tol=1e-10)
[status 1]
$ samara train "bag columns=0.5 parts=3" data/iris.csv --target species
samara: bag: columns and parts are both given; give one of them
[status 2]
$ samara train "bag 5 of=(standardize)" data/iris.csv --target species
samara: bag of=(standardize): standardize can transform; a learner that can classify or regress is needed here
[status 2]
$ printf 'a,y\n1,2.5\n' > one.csv; samara train "stack of=(knn 1)" one.csv --target y --task regress --holdout 0
samara: stack needs 2 rows at least: each is answered by learners fitted on others
[status 1]
$ printf 'a,w,y\n1,0,2.5\n2,0,3.5\n3,0,1.5\n' > zero.csv; samara train bag zero.csv --target y --weight w --task regress
samara: all weights in column 'w' are zero
[status 1]

# Nets in an ensemble: the warning names the parameter that they have.
$ samara train "bag 3 of=(scale | net (dense 20 | relu) epochs=10)" data/digits.csv -t digit | grep -E "warning|^  accuracy"
samara: warning: bag: 3 of 3 learners did not converge, so the answers may still change; raise epochs or tol in of=(...)
  accuracy           0.930362 (0.899 to 0.952)    log_loss           0.495157
$ samara train "vote of=(scale | net (dense 20 | relu) epochs=10),(scale | net (conv 8 3 | relu) input=8,8 epochs=10),(knn 3)" data/digits.csv -t digit | grep -E "warning|^  accuracy"
samara: warning: vote: 2 of 3 learners did not converge, so the answers may still change; raise epochs or tol in of=(...)
  accuracy           0.980501 (0.96 to 0.991)    log_loss           0.140302
$ samara train "ova of=(logistic max_iter=2)" data/iris.csv -t species | grep warning
samara: warning: logistic: not converged after 2 iterations; raise max_iter, put standardize before it, or raise l2
samara: warning: ova: 3 of 3 learners did not converge, so the answers may still change; raise max_iter or tol in of=(...)
[status 1]
