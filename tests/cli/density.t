# Windows of one bandwidth to either side: three of four rows near 0.5, none near 4.5.
$ printf 'x\n0\n1\n1\n3\n' > four.csv; printf 'x,y\n0.5,a\n4.5,b\n,c\n' > asked.csv
$ samara train "density 1 kernel=box" four.csv -o box.smr --holdout 0 -q > /dev/null; samara predict box.smr asked.csv
score
-0.980829253011726
-inf
0

# Cells of a grid: one row of four in [0, 1), two in [1, 2), one in [2, 3].
$ samara train "density model=histogram bins=3" four.csv -o bins.smr --holdout 0 -q > /dev/null; samara predict bins.smr asked.csv; samara inspect bins.smr | tail -5
score
-1.3862943611198906
-inf
0
   cells            3
   cells_with_rows  3
   features
     feature  from  to  bins  width
     x           0   3     3      1

# The bandwidth is searched, and inspect says what came of it.
$ samara train density data/iris.csv --ignore species -o iris.smr
read      data/iris.csv: 150 rows, 5 columns, * s
task      density
model     columns unseen=missing dates=days target=as_is | density model=parzen kernel=gaussian covariance=diagonal rule=auto adjust=1 rtol=1e-6 atol=0
fitted    150 rows, 4 features, * s, 18 iterations
measured  on 30 held-out rows that this fit did not see
  log_density  -2.28835
baseline  a Gaussian for each column: log_density -5.05181
saved     iris.smr
$ samara inspect iris.smr | sed -n '/1  density/,$p'
1  density model=parzen kernel=gaussian covariance=diagonal rule=auto adjust=1 rtol=1e-6 atol=0
   model                      parzen
   weight_of_rows             150
   kernel                     gaussian
   distinct_rows              149
   times_the_rule             0.413962
   mean_log_density_left_out  -2.1409
   relative_error_at_most     1e-6
   features
     feature       bandwidth
     sepal_length   0.183237
     sepal_width   0.0964501
     petal_length   0.390632
     petal_width    0.168671

# Rows drawn from a density have its columns.
$ samara make iris.smr rows=2 --seed 3
sepal_length,sepal_width,petal_length,petal_width
4.794044390161511,3.2571574185000274,0.909360652635722,0.32879038455216963
4.900674176576676,3.1285325341528525,2.4873773309170866,-0.15596966343318208
$ samara make iris.smr length=2
samara: make MODEL has no 'length'; it takes rows=N
[status 2]
$ samara train "standardize | density" data/iris.csv --ignore species -o scaled.smr -q > /dev/null; samara make scaled.smr rows=2
samara: this model changes its columns before density learns from them: its rows cannot be drawn; train density alone
[status 2]

# Models are compared by the log-density of rows that they have not seen; rows of density 0 are counted.
$ samara compare density "density model=normal covariance=full" "density kernel=box bandwidth=0.3" data/iris.csv --ignore species
data      data/iris.csv: 150 rows, 4 features
rounds    5 folds
decided   by log_density, higher is better
  rank  model                                 log_density       low      high    behind  verdict  won *
     1  density                                  -2.18835   -2.7728  -1.60389         -  best     - *
     2  density model=normal covariance=full     -2.63449  -3.05647  -2.21251  0.446143  worse    0 of 5 *
     -  baseline: a Gaussian for each column     -4.98129  -5.56349  -4.39908   2.79294  worse    0 of 5 *
     3  density kernel=box bandwidth=0.3                -         -         -         -  worse    0 of 5 *
best      density
low and high: the mean's interval at 95 %; behind: how much worse than the best; won: rounds against the best; fit, predict: per round
samara: warning: density kernel=box bandwidth=0.3: 5 of 30 measured rows have density 0, so that the mean log-density is -infinity, and the like; --json has all 2 of these warnings
samara: warning: density kernel=box bandwidth=0.3: 1 of 30 measured rows has density 0, so that the mean log-density is -infinity (in 2 of 5 rounds)

# A category that is new, and an empty one.
$ printf 'x,c\n1,a\n2,b\n3,a\n4,b\n6,a\n' > mixed.csv; printf 'x,c\n2,a\n2,z\n2,\n' > new.csv
$ samara train "density rule=scott" mixed.csv -o mixed.smr --holdout 0 -q > /dev/null; samara predict mixed.smr new.csv
samara: warning: column 'c' is missing in 1 row, and training had no gap to learn from: it counts as unknown
samara: warning: column 'c' has 1 level not seen in training, such as 'z'; it counts as missing
score
-2.6232040749290135
-3.2092381795393297
-3.2092381795393297

# What cannot be is said.
$ samara train "density bins=4" data/iris.csv
samara: density: bins is used only with model=histogram
[status 2]
$ samara train "density model=gamma" four.csv
samara: density: model=gamma is for numbers above 0, and 'x' has 0; use model=parzen, or leave the column out
[status 1]
$ samara train "density bandwidth=-1" four.csv
samara: density: bandwidth = -1 is outside (0, inf)
[status 2]
$ samara train "density model=histogram bins=2.5" four.csv
samara: density: bins = 2.5 is not a list of whole numbers in [1, 1048576]
[status 2]
$ samara train "density model=normal rtol=1e-3" four.csv
samara: density: rtol is used only with model=parzen
[status 2]
$ samara train density four.csv --target x
samara: no columns are left to learn from beside the target
[status 1]
$ printf 'a,b\n1,2\n2,4\n3,6\n' > line.csv; samara train "density model=normal covariance=full" line.csv
samara: density: the covariance is singular: 'b' depends on the features before it; use covariance=diagonal, or leave columns out
[status 1]
$ printf 'x\n' > none.csv; samara train density none.csv
samara: none.csv: has a header and no rows of data; if its one row is data, say that there is no header
[status 1]
$ printf 'x\n5\n' > one.csv; samara train density one.csv --holdout 0
samara: warning: density: 'x' never changes and counts with the deviation 1e-6 (1 + |value|)
samara: warning: density: all rows are equal, so none can be left out; the bandwidth is that of rule=scott
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
read      one.csv: 1 row, 1 column, * s
task      density
model     columns unseen=missing dates=days target=as_is | density model=parzen kernel=gaussian covariance=diagonal rule=auto adjust=1 rtol=1e-6 atol=0
fitted    1 row, 1 feature, * s
measured  on 1 training row itself: an optimistic figure
  log_density  11.1048
baseline  a Gaussian for each column: log_density 11.1048
not saved; -o FILE keeps the model
$ printf 'c\na\nb\na\n' > words.csv; samara train density words.csv --holdout 0 -o words.smr
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
read      words.csv: 3 rows, 1 column, * s
task      density
model     columns unseen=missing dates=days target=as_is | onehot max_levels=100 drop=none | density model=parzen kernel=gaussian covariance=diagonal rule=auto adjust=1 rtol=1e-6 atol=0
fitted    3 rows, 1 feature (2 for density), * s, 18 iterations
measured  on 3 training rows themselves: an optimistic figure
  log_density  -2.17705
saved     words.smr
