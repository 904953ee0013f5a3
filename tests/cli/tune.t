# A grid: the space, the best trials, the winner, and its score on rows that the search never saw.
$ samara tune knn data/iris.csv -t species --over "k=1,3,5,9 weight=*"
model     knn k=5 metric=euclidean weight=uniform algorithm=auto
data      data/iris.csv: 150 rows
space     knn.k: 1, 3, 5, 9
          knn.weight: uniform, distance
search    grid, 8 candidates by accuracy (higher is better) on 5 folds of 120 rows
done      8 trials in * s

the best trials
  trial  k  weight    accuracy  std error
      7  9  uniform   0.966667  0.0155902
      8  9  distance  0.966667  0.0155902
      1  1  uniform   0.958333  0.0131762
      2  1  distance  0.958333  0.0131762
      3  3  uniform   0.958333  0.0131762
      4  3  distance  0.958333  0.0131762
      5  5  uniform   0.958333  0.0186339
      6  5  distance  0.958333  0.0186339

winner    knn k=9 metric=euclidean weight=uniform algorithm=auto
          one of 2 with this score: the simplest, else the first
  sentence  validation  unseen rows
  winner      0.966667            1
  as given    0.958333            1
On 30 rows that the search never saw, the winner's accuracy is no worse than its validation score (0.0333 better): choosing the best of 8 has not flattered it here; the standard error of a share of this many rows is 0.032.
Tuning did not help here: on the unseen rows the winner's accuracy is 1, and that of the sentence as given 1.
not saved; -o FILE keeps the winner, fitted on all rows

# The same command writes a model fitted on all rows, and the JSON holds everything.
$ samara tune "poly 2 | ridge" data/diabetes.csv -t progression --over "degree=1,2 l2=1e-2..1e2/5" -o best.smr > /dev/null; samara inspect best.smr | head -3
command    inspect
model      best.smr
spec       columns unseen=missing dates=days target=as_is | poly degree=1 interactions=no | ridge l2=1 path=0 fit_intercept=yes
$ samara tune knn data/iris.csv -t species --over "k=1,2" --json | python3 -c "import json,sys; r=json.load(sys.stdin); print(sorted(r)); print(r['winner']['params'], [f['name'] for f in r['figures']])"
['advice', 'command', 'data', 'figures', 'help_text', 'helped', 'higher_is_better', 'json_version', 'measure', 'model', 'optimism', 'over', 'peak_memory_bytes', 'read_seconds', 'rows', 'scores', 'scoring', 'search', 'search_rows', 'search_seconds', 'seed', 'space', 'spec', 'start', 'target', 'task', 'test', 'threads', 'top', 'trials', 'warnings', 'winner']
{'knn.k': 1} ['trials', 'search_k']

# Numbers are compared by rmse by default, and one measure decides.
$ samara tune ridge data/diabetes.csv -t progression --over "l2=0.1,10" | grep search
search    grid, 2 candidates by rmse (lower is better) on 5 folds of 354 rows
On 88 rows that the search never saw, the winner's rmse is no worse than its validation score (1.98 better): choosing the best of 2 has not flattered it here; the 95 % interval of the score on this many rows is 44.2 to 61.4.
$ samara tune ridge data/diabetes.csv -t progression --over "l2=0.1,10" --measure r2 | grep search
search    grid, 2 candidates by r2 (higher is better) on 5 folds of 354 rows
On 88 rows that the search never saw, the winner's r2 is no worse than its validation score (0.0324 better); how much of that is chance is not known.
$ samara tune ridge data/diabetes.csv -t progression --over "l2=0.1,10" --measure r3
samara: there is no measure 'r3'; did you mean 'r2'?
[status 2]
$ samara tune ridge data/diabetes.csv -t progression --over "l2=0.1,10" --measure accuracy
samara: accuracy measures predicted classes, and the task is to predict numbers
[status 2]

# Random search, halving, and the descriptors' own ranges.
$ samara tune "standardize | knn" data/iris.csv -t species --search random --trials 6 --seed 3
model     standardize center=yes scale=yes | knn k=5 metric=euclidean weight=uniform algorithm=auto
data      data/iris.csv: 150 rows
space     knn.k: 1 to 100 on a logarithmic scale
          knn.metric: euclidean, manhattan, chebyshev, minkowski, cosine
          knn.p: 1 to 8 on a logarithmic scale
          knn.weight: uniform, distance
search    random, 6 candidates by accuracy (higher is better) on 5 folds of 120 rows
done      6 trials in * s

the best trials
  trial   k  metric         p  weight    accuracy  std error
      4   4  minkowski  1.051  uniform       0.95  0.0204124
      2  31  euclidean      -  distance  0.941667  0.0212459
      6  62  minkowski  2.528  distance  0.941667  0.0311805
      3   3  minkowski  6.904  uniform      0.925  0.0242956
      5   1  minkowski  6.813  distance     0.925  0.0306186
      1  83  manhattan      -  uniform   0.716667  0.0333333

winner    standardize center=yes scale=yes | knn k=4 metric=minkowski p=1.051 weight=uniform algorithm=auto
  sentence  validation  unseen rows
  winner          0.95     0.933333
  as given        0.95     0.933333
On 30 rows that the search never saw, the winner's accuracy is worse than its validation score by 0.0167: being the best of 6 flatters a score; the standard error of a share of this many rows is 0.053.
Tuning did not help here: on the unseen rows the winner's accuracy is 0.9333, and that of the sentence as given 0.9333.
not saved; -o FILE keeps the winner, fitted on all rows
$ samara tune "standardize | knn" data/digits.csv -t digit --over "k=1..9" --search halving | grep -E "search|rung"
search    halving, 9 candidates by accuracy (higher is better) on 5 folds of 1438 rows
rung 1    9 candidates, each fitted on 128 rows
rung 2    3 candidates, each fitted on 384 rows
rung 3    1 candidate, each fitted on 1151 rows
On 359 rows that the search never saw, the winner's accuracy is no worse than its validation score (0.00763 better): choosing the best of 9 has not flattered it here; the standard error of a share of this many rows is 0.0082.

# Parameters of stages and of nested sentences; the simplest within one standard error.
$ samara tune "standardize | calibrate of=(knn)" data/iris.csv -t species --over "of.k=1,5,15,25 method=platt,isotonic" --measure log_loss --one-se | tail -7
          the simplest within one standard error of the best, trial 3
  sentence  validation  unseen rows
  winner      0.144527      0.10376
  as given    0.144527      0.10376
On 30 rows that the search never saw, the winner's log_loss is no worse than its validation score (0.0408 better); how much of that is chance is not known.
Tuning did not help here: on the unseen rows the winner's log_loss is 0.1038, and that of the sentence as given 0.1038.
not saved; -o FILE keeps the winner, fitted on all rows

# Validation parts instead of folds, and rows for the last word.
$ samara tune knn data/iris.csv -t species --over "k=1,3" --validation 0.25 --holdout 0 | tail -7

winner    knn k=3 metric=euclidean weight=uniform algorithm=auto
  sentence  validation
  winner      0.972973
  as given    0.945946
No rows were held out: the validation score is that of the best of many, and too good.
not saved; -o FILE keeps the winner, fitted on all rows
$ samara tune knn data/iris.csv -t species --over "k=1,3" --validation data/iris.csv --test data/iris.csv | tail -6
winner    knn k=1 metric=euclidean weight=uniform algorithm=auto
  sentence  validation  unseen rows
  winner             1            1
  as given    0.966667     0.966667
On 150 rows that the search never saw, the winner's accuracy is no worse than its validation score: choosing the best of 2 has not flattered it here; the standard error of a share of this many rows is 0.0066.
not saved; -o FILE keeps the winner, fitted on all rows

# Nested folds judge the search, not one winner.
$ samara tune knn data/iris.csv -t species --over "k=1,9" --nested 3 | tail -7
the search repeated, each time without the rows it is measured on
  fold  k  validation  unseen rows
     1  9        0.94         0.94
     2  9        0.97         0.96
     3  9        0.97         0.98
What this search finds has a mean accuracy of 0.96 on rows it never saw, with a standard error of 0.018 over 3 folds.
not saved; -o FILE keeps the winner, fitted on all rows
$ samara tune knn data/iris.csv -t species --over "k=1,9" --nested 1
samara: --nested: at least 2 folds
[status 2]

# A candidate that fails is listed; the others go on.
$ samara tune "calibrate of=(knn)" data/iris.csv -t species --over "folds=3,500" | grep -A2 failed
done      2 trials in * s, 1 failed

the best trials
--
failed
  trial 2: 500 parts cannot be made of 96 rows; ask for at most 96 (while cross-validating, round 1 of 5)

$ samara tune "calibrate of=(knn)" data/iris.csv -t species --over "folds=400,500"
samara: every trial failed; the first: 400 parts cannot be made of 96 rows; ask for at most 96 (while cross-validating, round 1 of 5)
[status 1]

# The space is checked before anything starts.
$ samara tune knn data/iris.csv -t species --over "k=0..10"
samara: knn: k = 0 is outside [1, 2147483647]
[status 2]
$ samara tune knn data/iris.csv -t species --over "kk=1,2"
samara: the sentence has no parameter 'kk'; did you mean 'k'?
[status 2]
$ samara tune "poly | poly | ridge" data/diabetes.csv -t progression --over "degree=1,2"
samara: 'degree' means several parameters; say which: 1.degree, 2.degree
[status 2]
$ samara tune knn data/iris.csv -t species --over "weight=heavy"
samara: knn: weight = heavy is none of uniform or distance
[status 2]
$ samara tune knn data/iris.csv -t species --over ""
samara: the search space is empty; write --over "k=1,3,5", or --over auto
[status 2]
$ samara tune linear data/diabetes.csv -t progression
samara: no parameter of "linear fit_intercept=yes solver=exact method=auto" has a search range of its own; name what to search, such as --over "NAME=VALUE,VALUE"
[status 2]
$ samara tune knn data/iris.csv -t species --over "p=1,2"
samara: knn: p is used only with metric=minkowski, which no point of the space has; search that too, or leave p out
[status 2]
$ samara tune ridge data/diabetes.csv -t progression --over "l2=0..10"
samara: ridge.l2: the range 0..10 is on a logarithmic scale and must begin above 0; write linear(FROM..TO)
[status 2]

# Options that do not fit.
$ samara tune knn data/iris.csv -t species --trials 0
samara: --trials: at least 1
[status 2]
$ samara tune knn data/iris.csv -t species --over "k=1,2" --search grid --trials 3
samara: a grid tries every point; trials are for random and halving
[status 2]
$ samara tune knn data/iris.csv -t species --search annealing
samara: there is no search 'annealing'; grid, random or halving
[status 2]
$ samara tune knn data/iris.csv -t species --time soon
samara: --time: 'soon' is not a time such as 60s, 5m or 1h
[status 2]
$ samara tune knn data/iris.csv -t species --validation 1.5
samara: --validation: a share between 0 and 1, not 1.5, or a file
[status 2]
$ samara tune knn data/iris.csv -t species --validation nothing.csv
samara: nothing.csv: cannot be opened: No such file or directory
[status 3]
$ samara tune knn data/iris.csv -t species --over "k=1,2" --validation 0.3 --folds 3
samara: scores come from folds or from a validation part, not from both
[status 2]
$ samara tune knn data/iris.csv -t species --over "k=1,2" --folds 1000
samara: 1000 folds cannot be made of 120 rows; ask for at most 120
[status 1]
$ samara tune knn data/iris.csv -t species --over "weight=*" --one-se
samara: the one-standard-error rule takes the simplest model, but no searched parameter (knn.weight=uniform,distance) says which values are simpler
[status 2]
$ samara tune knn data/iris.csv -t species --over "k=1,2" -o nowhere/best.smr
samara: nowhere/best.smr: cannot be written: No such file or directory
[status 3]

# A log is written as trials end, and continued from wherever it was cut.
$ samara tune knn data/iris.csv -t species --over "k=1..7 weight=*" --log a.log -o a.smr > a.txt; wc -l < a.log
15
$ for n in 1 400 700 1500; do head -c $n a.log > b.log; samara tune knn data/iris.csv -t species --over "k=1..7 weight=*" --resume b.log -o b.smr > b.txt; sed "s/^done.*//; s/a.smr/b.smr/" a.txt > c.txt; sed "s/^done.*//" b.txt | cmp - c.txt && cmp a.smr b.smr && wc -l < b.log; done
15
15
15
15

# A log that cannot grow ends the search, and what it holds is continued.
$ (ulimit -f 1; samara tune knn data/iris.csv -t species --over "k=1..7 weight=*" --log full.log)
samara: full.log: cannot be written: File too large
[status 3]
$ samara tune knn data/iris.csv -t species --over "k=1..7 weight=*" --resume full.log > d.txt; sed "s/^done.*//; s/^saved.*//" a.txt > c.txt; sed "s/^done.*//; s/^not saved.*//" d.txt | cmp - c.txt && wc -l < full.log
15

# A log that does not fit is refused with the reason.
$ samara tune knn data/iris.csv -t species --over "k=1..7 weight=*" --log a.log
samara: a.log: there is a log already; --resume a.log continues it, or choose another name
[status 3]
$ samara tune knn data/iris.csv -t species --over "k=1..8 weight=*" --resume a.log
samara: a.log is the log of another search and cannot be resumed: its space is "knn.k=log(1..7) knn.weight=uniform,distance", and now it is "knn.k=log(1..8) knn.weight=uniform,distance"
[status 1]
$ samara tune knn data/iris.csv -t species --over "k=1..7 weight=*" --resume a.log --seed 4
samara: a.log is the log of another search and cannot be resumed: its seed is "0", and now it is "4"
[status 1]
$ sed 's/5\.1/5.2/' data/iris.csv > other.csv; samara tune knn other.csv -t species --over "k=1..7 weight=*" --resume a.log
samara: a.log is the log of another search and cannot be resumed: its hash of the data is "3b40e7411b57af5f2c3f27604ee37a3d", and now it is "99252a1530e472100084881cc6f7985b"
[status 1]
$ sed '3s/./x/' a.log > bad.log; samara tune knn data/iris.csv -t species --over "k=1..7 weight=*" --resume bad.log
samara: bad.log, line 3: the log is damaged: it is not a JSON object
[status 1]
$ samara tune knn data/iris.csv -t species --over "k=1..7 weight=*" --resume data/iris.csv; samara tune knn data/iris.csv -t species --over "k=1,2" --resume none.log
samara: --resume: data/iris.csv is what this command reads, not a log
samara: none.log: cannot be opened to resume: No such file or directory
[status 3]
$ samara tune knn data/iris.csv -t species --over "k=1,2" --log nowhere/a.log
samara: nowhere/a.log: cannot be written: No such file or directory
[status 3]

# Ctrl-C ends at once with status 130, keeps the log, and says how to go on.
$ samara make linear n=20000 d=40 --seed 2 -o big.npy -q
$ timeout --foreground --preserve-status -s INT 1 samara tune "knn algorithm=brute metric=manhattan" big.npy -t last --over "k=1..40" --log big.log
samara: cancelled after * of 40 trials; the same command with --resume big.log instead of --log continues it
[status 130]

# Out of time, the best so far wins.
$ samara tune knn data/iris.csv -t species --over "k=1..7 weight=*" --log t.log -q > /dev/null; head -5 t.log > u.log; samara tune knn data/iris.csv -t species --over "k=1..7 weight=*" --resume u.log --time 0.000001s | grep -E "^(done|The time)"
done      4 trials in * s, 4 of them from the log; the time was up, and the rest was not tried
The time was up before the winner was measured on rows that the search never saw: the validation score is that of the best of many, and too good.

# Without time for anything, or for the winner on all rows, nothing is written, and the way out is said.
$ samara tune "knn algorithm=brute metric=manhattan" big.npy -t last --over "k=6..40" --time 0.01s -o late.smr
samara: the time was up before a candidate was scored; allow more (--time), or score on fewer folds (--folds 2) or on a part of the rows (--validation 0.2)
[status 130]
$ samara tune knn data/iris.csv -t species --over "k=1..7 weight=*" --resume u.log --time 0.000001s -o late.smr; ls late.smr
samara: the time was up while the winner was fitted on all rows; the same command with --resume u.log instead of --log, and more --time, continues it
ls: cannot access 'late.smr': No such file or directory
[status 2]

# The same bytes at 1, 2 and 7 threads.
# Not under a sanitizer.
$ for n in 1 2 7; do samara tune "standardize | knn" data/digits.csv -t digit --over "k=1..5 weight=*" --threads $n -o t$n.smr | grep -v "^done\|^saved" | md5sum; done | uniq | wc -l; cmp t1.smr t2.smr && cmp t1.smr t7.smr && echo same
1
same
