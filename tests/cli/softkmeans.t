# Memberships; every row of them adds up to 1.
$ samara train "standardize | softkmeans 3" data/wine.csv --target cultivar --task cluster --holdout 0 -o soft.smr -q
$ samara inspect soft.smr | grep -E ' beta | variance | energy '
   beta         0.905371
   variance     0.55226
   energy       1274.15
$ samara predict soft.smr data/wine.csv --proba -o memberships.csv -q; head -n 3 memberships.csv
cluster,p(0),p(1),p(2)
2,1.2896614927070866e-14,9.572396957335087e-9,0.9999999904275901
2,1.647959520485899e-10,0.0015378907231403689,0.9984621091120637

# As the stiffness grows, the groups are those of k-means.
$ printf 'x,y\n1,1\n1,2\n8,8\n9,8\n' > four.csv; samara train "softkmeans 2 beta=50" four.csv --holdout 0 -o four.smr -q; samara predict four.smr four.csv --score
cluster,score
1,-0.25
1,-0.25
0,-0.25
0,-0.25
$ samara train "kmeans 2" four.csv --holdout 0 -o hard.smr -q; samara predict hard.smr four.csv
cluster
1
1
0
0

# With little stiffness all centres are the mean; annealing begins there.
$ samara train "softkmeans 2 beta=0.001" four.csv --holdout 0 -o loose.smr -q; samara inspect loose.smr | grep -A5 '^   centres'
   centres
     cluster  feature  value
           0  x         4.75
           0  y         4.75
           1  x         4.75
           1  y         4.75
$ samara train "softkmeans 2 anneal=4" four.csv --holdout 0 -o annealed.smr -q; samara inspect annealed.smr | grep -A9 '^   stages'
   stages
          beta    energy
     0.0201005  -38.4363
      0.080402   65.0159
      0.321608         1
       1.28643         1
             4         1
$ samara trace "softkmeans 2 beta=1" four.csv
softkmeans 2 beta=1 on four.csv: memberships and centres after each iteration
  step  what                                      energy  membership(0)  membership(1)
     1  stiffness 1: rows are shared out to the~       1              2              2
     2  stiffness 1, iteration 1: centres move ~       1              2              2
2 steps

# It goes on from an earlier model.
$ samara train "softkmeans 2 beta=50" four.csv --holdout 0 --warm-start annealed.smr 2>/dev/null | grep began
began at  annealed.smr

# Fewer places than clusters, and what cannot be.
$ printf 'x,y\n1,1\n1,1\n8,8\n9,8\n' > three.csv; samara train "softkmeans 4" three.csv --holdout 0 -o three.smr | grep -v fitted; samara inspect three.smr | grep n_clusters
samara: warning: softkmeans: k=4, and the rows have 3 different places; so many clusters are kept
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
read      three.csv: 4 rows, 2 columns, * s
task      cluster
model     columns unseen=missing dates=days target=as_is | softkmeans k=4 beta=auto start=auto anneal=1 max_iter=300 tol=1e-10
measured  on 4 training rows themselves: an optimistic figure
  silhouette      0.5
  davies_bouldin  0
  undefined: calinski_harabasz; rows of the same cluster do not differ
baseline  two clusters at random: silhouette -0.475919
saved     three.smr
   n_clusters   3
$ samara train "softkmeans 2 beta=0" four.csv
samara: softkmeans: beta = 0 is outside (0, 1e100], auto
[status 2]
$ samara train "softkmeans 2 anneal=0.5" four.csv
samara: softkmeans: anneal = 0.5 is outside [1, 1000000]
[status 2]
$ samara train "softkmeans 2 anneal=1.0000001" four.csv --holdout 0
samara: softkmeans: by anneal = 1.0000001 it takes more than 65536 stages from the stiffness 0.0201005 to 4; take a larger factor
[status 2]
$ samara train "softkmeans 2000" four.csv
samara: softkmeans: k = 2000 is outside [1, 1024]
[status 2]
$ samara train "softkmeans 2 beta=1e99" data/diabetes.csv --ignore progression --holdout 0 -q -o stiff.smr; samara inspect stiff.smr | grep ' energy '
   energy       673278
$ printf 'x,y\n1,inf\n2,3\n5,6\n' > inf.csv; samara train "softkmeans 2" inf.csv --holdout 0
samara: column 'y' is infinite in row 1; mark such values as missing with --missing inf, or leave the column out with --ignore 'y'
[status 1]
$ printf 'x,y\n1e200,1\n-1e200,2\n3,3\n' > wide.csv; samara train "softkmeans 2" wide.csv --holdout 0
samara: softkmeans: squared distances of these columns overflow: rescale them
[status 1]
$ printf 'x,y\n1,5\n2,5\n9,5\n' > still.csv; samara train "softkmeans 2" still.csv --holdout 0 -o still.smr -q; samara predict still.smr still.csv
cluster
1
1
0
$ samara train "softkmeans 2 start=farthest anneal=2" four.csv --holdout 0
samara: softkmeans: start is used only with anneal=1
[status 2]
$ samara train "softkmeans 2" four.csv --task classify
samara: softkmeans has no task 'classify'
[status 2]
