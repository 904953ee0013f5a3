# Eight rows near each other and one far away: the row that is first alone.
$ printf 'x,kind,bad\n1,a,n\n1.1,a,n\n,b,n\n1.3,a,n\n1.2,b,n\n0.9,a,n\n1.05,b,n\n0.95,a,n\n9,c,y\n' > nine.csv
$ samara train isolation nine.csv --target bad --threshold share=0.15 --holdout 0 -o nine.smr
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
read      nine.csv: 9 rows, 3 columns, * s
task      outliers, beside bad: n, y
model     columns unseen=missing dates=days target=as_is | isolation trees=100 sample=256
fitted    9 rows, 2 features, * s
measured  on 9 training rows themselves: an optimistic figure
  threshold  -0.636071 (share=0.15 of 9 training rows)
  auc                1
  average_precision  1
  precision          1
  recall             1
  outliers           1
saved     nine.smr

# A row is an outlier or not, and has a score, whoever found it.
$ samara predict nine.smr nine.csv --keep x
x,outlier,score
1,no,-0.39501827965370734
1.1,no,-0.4293653627136727
,no,-0.5181270246327015
1.3,no,-0.5177998594064841
1.2,no,-0.5093656946221776
0.9,no,-0.4554866203569364
1.05,no,-0.5179634161883567
0.95,no,-0.39526786690730586
9,yes,-0.7540157279753084
$ samara predict nine.smr nine.csv --threshold -0.99
outlier,score
no,-0.39501827965370734
no,-0.4293653627136727
no,-0.5181270246327015
no,-0.5177998594064841
no,-0.5093656946221776
no,-0.4554866203569364
no,-0.5179634161883567
no,-0.39526786690730586
no,-0.7540157279753084
$ printf 'x,kind\n,\n-1e300,never seen\n1,a\n' > asked.csv; samara predict nine.smr asked.csv -q
outlier,score
no,-0.5656740753655508
no,-0.5334022167824309
no,-0.39501827965370734

# The threshold is part of the model.
$ samara inspect nine.smr | grep outlier
task       outliers
outlier   where the score is below -0.636071 (share=0.15 of 9 training rows)
   outliers           1

# Known outliers are the rows of the rarer class, of the one that is named, or of another column.
$ samara evaluate nine.smr nine.csv
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
nine.smr on 9 rows of nine.csv
  threshold  -0.636071 (share=0.15 of 9 training rows)
  auc                1
  average_precision  1
  precision          1
  recall             1
  outliers           1

a row is a known class, a column what was found
  known  no  yes
  n       8    0
  y       0    1
$ samara evaluate nine.smr nine.csv --threshold -1 -q
nine.smr on 9 rows of nine.csv
  threshold  -1 (given)
  auc                1
  average_precision  1
  recall             0
  outliers           0

a row is a known class, a column what was found
  known  no  yes
  n       8    0
  y       1    0
$ samara train isolation nine.csv --target bad --positive n --holdout 0 -q | head -1
measured  on 9 training rows themselves: an optimistic figure
$ samara train isolation data/wine.csv --target cultivar --holdout 0 -q
measured  on 178 training rows themselves: an optimistic figure
  threshold  -0.522138 (share=0.05 of 178 training rows)
  auc                0.485981
  average_precision  0.583505
  precision          0.375
  recall             0.0280374
  outliers           8
baseline  a Gaussian for each column: auc 0.576148

# Without known ones there is nothing to measure.
$ samara cv isolation nine.csv --ignore bad
samara: without a target, outliers cannot be measured; name the column with --target
[status 2]
$ samara train isolation nine.csv --ignore bad --threshold share=0.15 -o alone.smr -q; samara evaluate alone.smr nine.csv -q 2> /dev/null
alone.smr on 9 rows of nine.csv
  threshold  -0.636071 (share=0.15 of 9 training rows)
  outliers  1
$ samara train "isolation 2 sample=2" nine.csv --ignore bad -o pairs.smr -q; samara inspect pairs.smr --tree 1 | grep -c "(1 row)"
2
$ samara inspect pairs.smr --plot ways=ways.svg -q > /dev/null; grep -o "usual: score -0.5" ways.svg | head -1
usual: score -0.5

# Every learner that says how well a row fits finds outliers.
$ for s in "pca 3" "gmm 2" density "knn 3" "svm kernel=rbf" lof isolation; do samara train "standardize | $s" data/iris.csv --ignore species --task outliers --threshold share=0.02 -o iris.smr -q; samara predict iris.smr data/iris.csv | grep -c yes; done
3
3
3
3
3
3
3
$ samara train "lof 0" data/iris.csv --ignore species
samara: lof: k = 0 is outside [1, 2147483647]
[status 2]
$ samara train "lof weight=distance" data/iris.csv --ignore species
samara: lof has no parameter 'weight'; 'samara help lof' shows those it has
[status 2]
$ samara train kmeans data/iris.csv --task outliers
samara: kmeans has no task 'outliers'
[status 2]
$ samara compare isolation "standardize | pca 5" "standardize | knn 5" data/breast_cancer.csv --target diagnosis --task outliers -q | grep ^best
best      isolation; not clearly better than: standardize | knn 5

# A learner of targets finds outliers only where it is asked to.
$ samara train knn data/iris.csv --ignore species --holdout 0
samara: knn learns from examples with an answer: name its column with --target (a name, a position, or last)
[status 2]

# Thresholds that are no share and no score, and shares where there are none.
$ samara train isolation nine.csv --threshold share=2
samara: --threshold share=2: a share between 0 and 1 is wanted
[status 2]
$ samara train isolation nine.csv --target bad --threshold f1
samara: --threshold: outliers are rows whose score is below a number, or below that of share=S of the training rows; there is no other rule
[status 2]
$ samara train logistic data/iris.csv --target species --threshold share=0.1
samara: --threshold: share=S is for outliers, and this model tells classes apart; there are cost=FP:FN, recall=R, precision=P, fpr=F, f1 and youden
[status 2]
$ samara predict nine.smr nine.csv --threshold share=0.1
samara: --threshold: the share of outliers is that of the training rows: train takes it, here it is a score
[status 2]
$ samara evaluate nine.smr nine.csv --threshold share=0.1
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
samara: --threshold: the share of outliers is that of the training rows: train takes it, here it is a score
[status 2]
$ samara predict nine.smr nine.csv --proba
samara: this isolation model finds outliers, and gives no probabilities: a row has its score
[status 2]

# Tables that have nothing to draw.
$ printf 'x,w\n1,0\n2,0\n' > none.csv; samara train isolation none.csv --weight w
samara: all weights in column 'w' are zero
[status 1]
$ samara train "isolation sample=1" nine.csv
samara: isolation: sample = 1 is outside [2, 16777216]
[status 2]
$ samara train "isolation 0" nine.csv
samara: isolation: trees = 0 is outside [1, 1000000]
[status 2]
$ samara --memory 50MB train "isolation 100000 sample=1000" data/digits.csv --ignore digit
samara: isolation: drawing its rows needs 4000.0 MB, and the memory budget leaves 49.0 MB; draw fewer with sample= or trees=
[status 1]

# How scores depend on columns is shown for outliers; other views are refused, with what there is instead.
$ samara train isolation data/wine.csv --ignore cultivar --holdout 0 -o wine.smr -q; samara explain dependence wine.smr data/wine.csv --columns proline --grid 3 -q
wine.smr, data/wine.csv: dependence

mean prediction by proline
  value      score
    278  -0.464143
  673.5  -0.447014
   1680  -0.494727
$ samara explain path wine.smr data/wine.csv
samara: explain path is for models that predict classes or numbers, and this one finds outliers; 'explain dependence' shows how its scores depend on columns, and 'samara inspect' what it learned
[status 1]
$ samara explain dependence wine.smr data/wine.csv --columns proline --positive a
samara: --positive names a class, and the model finds outliers
[status 2]
$ samara train "gmm 2" data/wine.csv --ignore cultivar --holdout 0 -o wine.smr -q; samara explain dependence wine.smr data/wine.csv
samara: explain dependence is for models that predict classes or numbers, and this one finds clusters; 'samara inspect' shows what it found
[status 1]
