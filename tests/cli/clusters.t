# Merges: a tree, cut by number, by height, or at its widest gap.
$ samara train "agglomerate 3" data/iris.csv --target species --task cluster --holdout 0 -o tree.smr -q
$ samara inspect tree.smr | sed -n '/   linkage/,/ 290 /p'
   linkage              ward
   clusters_found       3
   cut_at_height        9.3499
   rows                 150
   merges_before_these  49
   clusters
     cluster  rows     share
           0    50  0.333333
           1    64  0.426667
           2    36      0.24
   merges
     merge  left  right    height  rows  clusters_left
       298   294    297   32.4476   150              1
       297   295    296   12.3004   100              2
       296   292    293   6.39941    64              3
       295   287    288   4.84771    36              4
       294   282    290   3.82805    50              5
$ samara train "agglomerate height=20" data/iris.csv --ignore species --holdout 0 -o high.smr -q; samara inspect high.smr | grep -E 'clusters_found|cut_at'
   clusters_found       2
   cut_at_height        20
$ printf 'sepal_length,sepal_width,petal_length,petal_width\n5,3.4,1.5,0.2\n7,3,6,2\n' > new.csv; samara predict tree.smr new.csv --score
cluster,score
0,0
2,-0.17320508075688737

# Density: noise has the label -1, and is a cluster of its own where it is measured.
$ printf 'x\n1\n1.2\n1.4\n1.6\n9\n9.1\n9.3\n9.4\n50\n' > line.csv; samara train "dbscan 0.5 min_rows=3" line.csv --holdout 0 -o line.smr -q
$ samara inspect line.smr | sed -n '/clusters_found/,$p'
   clusters_found  2
   eps             0.5
   min_rows        3
   rows            9
   core_rows       8
   edge_rows       0
   noise_rows      1
   clusters
     cluster  rows     share
           0     4  0.444444
           1     4  0.444444
$ printf 'x\n2\n2.2\n8.6\n30\n' > points.csv; samara predict line.smr points.csv --score
cluster,score
0,-0.3999999999999999
-1,-0.6000000000000001
1,-0.40000000000000036
-1,-20.6
$ samara evaluate line.smr line.csv -q --json | grep -A1 sizes
    "sizes": [4, 4, 1],
    "found": ["0", "1", "noise"]
--
      "name": "sizes",
      "title": "Number of rows in each",

# What cannot be done is said.
$ samara train "agglomerate 10" line.csv
samara: agglomerate: 7 distinct rows cannot make k=10 clusters; give a k from 1 to 7
[status 1]
$ samara train "agglomerate 3" line.csv --memory 1K --holdout 0
samara: out of memory: 1.0 kB more were asked for, past the memory budget; raise --memory or use less data
[status 1]
$ samara make blobs n=4000 -o blobs.csv -q; samara train "agglomerate linkage=average" blobs.csv --ignore y --memory 32M --holdout 0
samara: agglomerate: the table of distances of 4000 rows needs 64.3 MB, and the memory budget leaves 31.6 MB; linkage=ward and linkage=single need no table; or take fewer rows
[status 1]
$ samara train "dbscan 0" line.csv
samara: dbscan: eps = 0 is outside (0, inf)
[status 2]
$ samara train "dbscan 0.01" line.csv --holdout 0 -o none.smr > none.txt; samara predict none.smr points.csv
samara: warning: dbscan: no row has a weight of 5 within eps 0.01, so all rows are noise; raise eps or lower min_rows
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
cluster
-1
-1
-1
-1
$ printf 'x,k\n1,a\n,b\n2,a\nnan,b\n1.5,a\n' > gaps.csv; samara train "dbscan 1 min_rows=2" gaps.csv --holdout 0 | grep model
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
model     columns unseen=missing dates=days target=as_is | impute number=mean category=keep indicator=no | onehot max_levels=100 drop=none | dbscan eps=1 min_rows=2 metric=euclidean
not saved; -o FILE keeps the model
$ printf 'x\n5\n5\n5\n5\n' > same.csv; samara train dbscan same.csv --holdout 0 -o same.smr -q; samara predict same.smr same.csv | uniq -c
      1 cluster
      4 -1
$ samara train "agglomerate 2" same.csv --holdout 0
samara: agglomerate: 1 distinct row cannot make k=2 clusters; give a k from 1 to 1
[status 1]
$ printf 'x\n1e308\n-1e308\n3\ninf\n' > far.csv; samara train agglomerate far.csv --holdout 0
samara: column 'x' is infinite in row 4; mark such values as missing with --missing inf, or leave the column out with --ignore 'x'
[status 1]
$ printf 'x\n1\n' > one.csv; samara train agglomerate one.csv --holdout 0 -o one.smr -q; samara predict one.smr one.csv --score
cluster,score
0,0

# Merges one by one, with the rows that merge where there are two features.
$ printf "x,y\\n0,0\\n0,1\\n5,5\\n5,7\\n9,0\\n" > five.csv; samara trace "agglomerate 2 linkage=single" five.csv --plot step-3-merge=merge.svg
agglomerate 2 linkage=single on five.csv: the merges, the nearest first
  step  what                            height  weight  clusters_left
     1  clusters 0 and 1 merge into 5        1       2              4
     2  clusters 2 and 3 merge into 6        2       2              3
     3  clusters 5 and 6 merge into 7  6.40312       4              2
     4  clusters 4 and 7 merge into 8  6.40312       5              1
4 steps
wrote     merge.svg
$ grep -o "cluster [0-9]*\|other rows" merge.svg | sort -u
cluster 5
cluster 6
other rows

# Beside known classes: noise is a cluster of its own, one class will do, and what has no value is named.
$ awk -F, 'NR == 1 { print $0 ",kind,same,part" } NR > 1 { print $0 "," ($1 < 5 ? "low" : "high") ",s,0.1" }' line.csv > known.csv; samara evaluate line.smr known.csv --target kind -q
line.smr on 9 rows of known.csv
  adjusted_rand      0.769231
  nmi                0.831711
  purity             1
  silhouette         0.856986
  davies_bouldin     0.0309048
  calinski_harabasz  19048.8
baseline  two clusters at random (of the measured rows): adjusted_rand -0.125

a row is a known class, a column what was found
  known  0  1  noise
  high   0  4      1
  low    4  0      0
$ samara evaluate line.smr known.csv --target kind -q --json | grep -A3 '"contingency": '
    "contingency": [[0, 4, 1], [4, 0, 0]],
    "known": ["high", "low"],
    "found": ["0", "1", "noise"]
  },
$ samara evaluate line.smr known.csv --target same -q
line.smr on 9 rows of known.csv
  adjusted_rand      0
  nmi                0
  purity             1
  silhouette         0.856986
  davies_bouldin     0.0309048
  calinski_harabasz  19048.8
baseline  two clusters at random (of the measured rows): adjusted_rand 0

a row is a known class, a column what was found
  known  0  1  noise
  s      4  4      1
$ samara evaluate line.smr known.csv --target kind --weight part -q
line.smr on 9 rows of known.csv
  nmi     0.831711
  purity  1
  undefined: adjusted_rand, silhouette, davies_bouldin, calinski_harabasz; there are no more rows than clusters, and a weight is a number of rows

a row is a known class, a column what was found
  known    0    1  noise
  high     0  0.4    0.1
  low    0.4    0      0
$ samara train "kmeans 1" known.csv --target same --ignore kind,part --task cluster --holdout 0 -q -o one.smr; samara evaluate one.smr known.csv -q
one.smr on 9 rows of known.csv
  adjusted_rand  1
  nmi            1
  purity         1
  undefined: silhouette, davies_bouldin, calinski_harabasz; all measured rows are in one cluster
baseline  two clusters at random (of the measured rows): adjusted_rand 0

a row is a known class, a column what was found
  class  0
  s      9
$ head -2 known.csv > first.csv; samara evaluate one.smr first.csv -q
one.smr on 1 row of first.csv
  nmi     1
  purity  1
  undefined: adjusted_rand, silhouette, davies_bouldin, calinski_harabasz; there are no more rows than clusters, and a weight is a number of rows

a row is a known class, a column what was found
  class  0
  s      1
$ samara train "kmeans 2" line.csv --test first.csv -o two.smr | grep -A1 measured
measured  on 1 row of --test
  undefined: silhouette, davies_bouldin, calinski_harabasz; there are no more rows than clusters, and a weight is a number of rows
$ samara evaluate line.smr known.csv --plot sizes=sizes.svg --plot silhouettes=silhouettes.svg -q > out.txt; grep -c '>noise<' sizes.svg silhouettes.svg
sizes.svg:1
silhouettes.svg:1

# A cloud within a cloud: what examples/cloud-in-cloud says.
$ samara make blobs n=400 d=2 classes=1 sd=3 centres=0,0 --seed 1 -o wide.csv -q; samara make blobs n=200 d=2 classes=1 sd=0.5 centres=3,1 --seed 2 -o dense.csv -q; awk 'FNR == NR { print; next } FNR > 1 { sub(/[^,]*$/, "1"); print }' wide.csv dense.csv > clouds.csv
$ for s in "kmeans 2" dbscan "spectral 2" "gmm 2 covariance=tied" "gmm 2"; do samara train "$s" clouds.csv --target y --task cluster --holdout 0 -o clouds.smr -q; samara evaluate clouds.smr clouds.csv -q | grep adjusted_rand | head -1; done
  adjusted_rand      0.132593
  adjusted_rand      -0.0519622
  adjusted_rand      0.479899
  adjusted_rand      0.0448716
  adjusted_rand      0.844836
$ samara inspect clouds.smr -q | sed -n '/^ *components$/,$p'
   components
     component     share
             0  0.664729
             1  0.335271
   means
     component  feature       mean  deviation
             0  x0        0.146773    2.89655
             0  x1       -0.144786    3.06738
             1  x0         2.99308   0.497118
             1  x1        0.922086   0.541924
$ printf 'x0,x1\n3,1\n2.2,1\n1.8,1\n1.4,1\n12,1\n' > way.csv; samara predict clouds.smr way.csv --proba --score -q
cluster,p(0),p(1),score
1,0.03315985036381094,0.966840149636189,-1.5953731954427508
1,0.1338221954856161,0.8661778045143839,-2.751601759540353
1,0.4572437768424421,0.5427562231575578,-3.88949612538969
0,0.8960179654417998,0.10398203455820022,-4.490537304423567
0,1,3.3074133204423885e-67,-12.956460158655101
$ samara evaluate clouds.smr clouds.csv -q | sed -n '/a row is/,$p'
a row is a known class, a column what was found
  class    0    1
  0      380   20
  1        4  196
