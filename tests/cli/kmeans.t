# Clusters beside known classes, and what a model tells.
$ samara train "standardize | kmeans 3" data/wine.csv --target cultivar --task cluster --holdout 0 -o wine.smr -q
$ samara evaluate wine.smr data/wine.csv
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
wine.smr on 178 rows of data/wine.csv
  adjusted_rand      0.897495
  nmi                0.875894
  purity             0.966292
  silhouette         0.284859
  davies_bouldin     1.38919
  calinski_harabasz  70.94
baseline  two clusters at random (of the measured rows): adjusted_rand -0.00287404

a row is a known class, a column what was found
  class     0   1   2
  class_0   0   0  59
  class_1   3  65   3
  class_2  48   0   0
$ samara inspect wine.smr | sed -n '/n_clusters/,/centres/p'
   n_clusters   3
   metric       euclidean
   weight       178
   error        1277.93
   clusters
     cluster  weight    error   radius
           0      51  328.198  2.53678
           1      65  561.854  2.94005
           2      62  387.877  2.50122
   centres
$ printf 'x,y\n1,1\n1,2\n8,8\n9,8\n' > four.csv; samara train "kmeans 2" four.csv --holdout 0 -o four.smr -q; samara predict four.smr four.csv --score
cluster,score
1,-0.25
1,-0.25
0,-0.25
0,-0.25

# Solvers give the same answer.
$ for s in lloyd bounds; do samara train "kmeans 5 solver=$s tol=0" data/diabetes.csv --ignore progression --holdout 0 -o $s.smr -q; samara predict $s.smr data/diabetes.csv -o $s.csv; done; cmp lloyd.csv bounds.csv
wrote     lloyd.csv
wrote     bounds.csv

# More clusters than rows have places.
$ printf 'x,y\n1,1\n1,1\n8,8\n9,8\n' > three.csv; samara train "kmeans 4" three.csv --holdout 0 -o three.smr | grep -v fitted; samara inspect three.smr | grep n_clusters
samara: warning: kmeans: k=4, and the 4 rows have 3 different places; so many clusters are kept
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
read      three.csv: 4 rows, 2 columns, * s
task      cluster
model     columns unseen=missing dates=days target=as_is | kmeans k=4 start=auto starts=auto metric=euclidean max_iter=300 tol=0.0001 moves=0 solver=auto gives=distances
measured  on 4 training rows themselves: an optimistic figure
  silhouette      0.5
  davies_bouldin  0
  undefined: calinski_harabasz; rows of the same cluster do not differ
baseline  two clusters at random: silhouette -0.475919
saved     three.smr
   n_clusters   3
$ samara train "kmeans 9" four.csv --holdout 0 -o nine.smr 2>&1 | grep warning
samara: warning: kmeans: k=9, and the 4 rows have 4 different places; so many clusters are kept
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv

# What is refused.
$ samara train "kmeans 0" four.csv
samara: kmeans: k = 0 is outside [1, 2147483647]
[status 2]
$ samara train "kmeans 2 start=middle" four.csv
samara: kmeans: start = middle is none of auto, random, farthest, plusplus or parallel
[status 2]
$ samara train "kmeans 2 starts=0" four.csv
samara: kmeans: starts = 0 is outside [1, 1000000], auto
[status 2]
$ printf 'x,y\n' > none.csv; samara train "kmeans 2" none.csv
samara: none.csv: has a header and no rows of data; if its one row is data, say that there is no header
[status 1]
$ printf 'x,y\n1,inf\n2,3\n5,6\n' > inf.csv; samara train "kmeans 2" inf.csv --holdout 0
samara: column 'y' is infinite in row 1; mark such values as missing with --missing inf, or leave the column out with --ignore 'y'
[status 1]
$ printf 'x,y\n1,\n2,3\n5,6\n5,7\n' > gap.csv; samara train "kmeans 2" gap.csv --holdout 0 -o gap.smr | grep fitted
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
fitted    4 rows, 2 features, * s, 1 iteration
$ samara train "kmeans 2" four.csv --task classify
samara: kmeans has no task 'classify'
[status 2]

# As a stage before others, and in a stream.
$ samara cv "standardize | kmeans 12 | logistic" data/wine.csv --target cultivar | grep -E 'accuracy '
  accuracy            0.983333   0.0248452   0.937059          1   0.983146
  balanced_accuracy   0.983016   0.0254686   0.935581          1   0.982711
baseline  always the most frequent class: accuracy 0.399048
$ samara stream "standardize | kmeans 6 | sgd" data/iris.csv --target species -o stream.smr | grep -E 'accuracy'
measured  error 0.05333, accuracy 0.9467, log_loss 0.3454, each row before it was learned

# Step by step.
$ samara trace "kmeans 2 starts=1 start=farthest" four.csv | head -30
kmeans 2 starts=1 start=farthest on four.csv: clusters and centres after each iteration
  step  what                                      error  changed     moved
     1  start 1, iteration 1: 4 rows change the~      1        4  0.707107
1 step

# The elbow: what is left of the error, and the silhouette.
$ samara curve elbow kmeans data/iris.csv --ignore species --over k=1..4
elbow curve of kmeans on data/iris.csv
  value  objective  silhouette  converged
      1    681.371           -        yes
      2    152.348    0.681046        yes
      3    78.8514    0.552819        yes
      4    57.2285    0.498051        yes
The objective bends most at kmeans.k = 2; the silhouette is largest at kmeans.k = 2 (0.681).
$ samara curve elbow "kmeans start=farthest" four.csv --over k=1,2 --json | grep -E 'bend|best'
  "bend": null,
  "best": 2,
    "text": "The objective has no bend over kmeans.k; the silhouette is largest at kmeans.k = 2 (0.8992)."
      "note": "Where the curve bends, more clusters help less.",
$ samara curve elbow logistic data/iris.csv --target species
samara: an elbow curve is of clusters, and this sentence classifies
[status 2]
$ samara curve elbow kmeans data/iris.csv --ignore species --folds 3
samara: an elbow curve does not take --folds: it shows the objectives of fits on all rows
[status 2]
$ samara curve elbow kmeans data/iris.csv --ignore species --over metric=euclidean,cosine
samara: an elbow curve varies one number, such as --over "k=2..10", not 'metric=euclidean,cosine'
[status 2]
$ samara curve elbow "dbscan 0.5" data/iris.csv --ignore species
samara: the sentence has no parameter 'k'; 'samara help NAME' shows those of a stage
[status 2]

# A stream without a target; after its first rows, one centre is their running mean, as awk sums it.
$ samara make blobs n=2000 d=2 classes=3 --seed 3 -o blobs.csv -q; samara stream "kmeans 1" blobs.csv --ignore y -o one.smr --predictions one.csv
model     kmeans k=1 start=auto starts=auto metric=euclidean max_iter=300 tol=0.0001 moves=0 solver=auto gives=distances
data      blobs.csv: 2 features
        rows       error   in window
        1000       92.67       92.67
read      2000 rows in * s; learned from 2000
measured  error 92.38, each row before it was learned
saved     one.smr
$ tail -n 1 one.csv; awk -F, 'NR > 1 { n++; d = 0; for (j = 1; j < 3; j++) { d += ($j - c[j]) ^ 2; c[j] += ($j - c[j]) / n } } END { printf "%d,0,-%.10f\n", n, d; printf "%.6f %.6f\n", c[1], c[2] }' blobs.csv; samara inspect one.smr | grep ' x[01] '
2000,0,-75.06529194995643
2000,0,-75.0652919500
-2.682851 2.088230
     x0    number
     x1    number
           0  x0       -2.68285
           0  x1        2.08823
$ samara stream "standardize | kmeans 3" blobs.csv --target y -o three.smr -q; samara evaluate three.smr blobs.csv | grep -E 'adjusted|purity'
read      2000 rows in * s; learned from 2000
measured  error 0.09282, each row before it was learned
saved     three.smr
  adjusted_rand      1
  purity             1
baseline  two clusters at random (of the measured rows): adjusted_rand 9.55805e-5
$ head -n 1001 blobs.csv | samara stream "kmeans 3" - --ignore y -o half.smr -q; samara stream --resume half.smr blobs.csv -q; samara stream "kmeans 3" blobs.csv --ignore y -o all.smr -q; cmp half.smr all.smr && echo the same
read      1000 rows in * s; learned from 1000
measured  error 3.193, each row before it was learned
saved     half.smr
read      2000 rows in * s; learned from 1000
measured  error 2.611, each row before it was learned
saved     half.smr
read      2000 rows in * s; learned from 2000
measured  error 2.611, each row before it was learned
saved     all.smr
the same
$ samara stream "kmeans 3" blobs.csv --ignore y --proba --predictions p.csv
samara: kmeans gives a cluster and a score for each row, and no probabilities: leave out --proba
[status 2]

# Columns of one value make one cluster, and one row too.
$ printf 'a,b\n5,2\n5,2\n5,2\n' > same.csv; samara train "kmeans 2" same.csv --task cluster --holdout 0 2>&1 | grep place
samara: warning: kmeans: k=2, and the 3 rows have 1 different place; so many clusters are kept
$ printf 'a,b\n5,2\n' > one.csv; samara train "kmeans 2" one.csv --task cluster --holdout 0 2>&1 | grep place
samara: warning: kmeans: k=2, and the 1 row has 1 different place; so many clusters are kept
