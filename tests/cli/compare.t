# A league table on the same folds, with a yardstick.
$ samara compare data/iris.csv --target species "knn 5" "standardize | knn 5" "knn 100"
data      data/iris.csv: 150 rows, 4 features
rounds    5 folds, stratified
decided   by accuracy, higher is better
  rank  model                          accuracy       low      high     behind  verdict       won *fit ms *predict ms
     1  knn 5                          0.966667  0.922767         1          -  best          - *
     2  standardize | knn 5                0.94  0.888057  0.991943  0.0266667  within noise  1 of 5 *
     3  knn 100                        0.646667  0.612662  0.680671       0.32  worse         0 of 5 *
     -  baseline: most frequent class  0.333333  0.333333  0.333333   0.633333  worse         0 of 5 *
best      knn 5; not clearly better than: standardize | knn 5
low and high: the mean's interval at 95 %; behind: how much worse than the best; won: rounds against the best; fit, predict: per round
$ samara compare data/diabetes.csv -t progression --all --measure r2 | grep -o "  standardize | knn \|  standardize | ridge \|  linear \|  baseline: mean " | sort | tr -d " "
baseline:mean
linear
standardize|knn
standardize|ridge

# Of all learners, those that refuse the targets are left out, with a word; so is one that equals another by default.
$ samara make linear n=60 d=2 --seed 3 -o sums.csv -q; samara compare sums.csv -t y --all 2>&1 > league.txt | grep 'left out'; grep -c 'poisson\|gamma\|quantile\| ova\|failed' league.txt
samara: warning: left out, because the target has values that are not positive: gamma, poisson
0
[status 1]

# One that fails is listed and does not stop the others.
$ samara compare "knn 5" data/iris.csv ridge -t species --measure log_loss
data      data/iris.csv: 150 rows, 4 features
rounds    5 folds, stratified
decided   by log_loss, lower is better
  rank  model                          log_loss      low     high    behind  verdict       won *fit ms *predict ms
     1  knn 5                          0.311625        0  1.28144         -  best          - *
     -  baseline: most frequent class   1.09861  1.09861  1.09861  0.786987  too variable  1 of 5 *
failed    ridge: ridge does not classify; it predicts numbers
best      knn 5
too variable to tell: baseline: most frequent class (single rounds decide the means; --json has them)
low and high: the mean's interval at 95 %; behind: how much worse than the best; won: rounds against the best; fit, predict: per round
samara: warning: no model is clearly better than the baseline, which looks at no column; more rounds (--repeats 5) can detect smaller differences
$ samara compare data/iris.csv -t species "standardize"
samara: no model could be measured; standardize: standardize predicts nothing that could be measured; end the sentence with a learner
[status 1]

# Where nothing can be told apart, it is said.
$ samara make linear n=40 d=3 noise=40 --seed 6 -o noise.csv -q; samara compare noise.csv -t y linear "knn 3"
data      noise.csv: 40 rows, 3 features
rounds    5 folds
decided   by rmse, lower is better
  rank  model              rmse      low     high    behind  verdict       won *fit ms *predict ms
     1  linear          36.4765  19.3032  53.6497         -  best          - *
     -  baseline: mean  37.2725  23.6838  50.8612  0.796035  within noise  1 of 5 *
     2  knn 3           46.1076  25.5118  66.7035   9.63117  within noise  0 of 5 *
best      linear; not clearly better than: baseline: mean, knn 3
low and high: the mean's interval at 95 %; behind: how much worse than the best; won: rounds against the best; fit, predict: per round
samara: warning: no model is clearly better than the baseline, which looks at no column; more rounds (--repeats 5) can detect smaller differences

# One round in which a model goes astray does not hide that it lost every round, nor call it the same as the best.
$ samara make linear n=100 d=2 noise=1 --seed 5 -o tame.csv -q; awk -F, -v OFS=, 'NR==40{$1=5000} {print}' tame.csv > slope.csv
$ samara compare slope.csv -t y linear "knn 5"
data      slope.csv: 100 rows, 2 features
rounds    5 folds
decided   by rmse, lower is better
  rank  model              rmse       low     high   behind  verdict  won *fit ms *predict ms
     1  knn 5            2.7083  0.997402  4.41921        -  best     - *
     -  baseline: mean   11.188   9.27315  13.1028  8.47968  worse    0 of 5 *
     2  linear          2200.41         0  11321.7  2197.71  worse    0 of 5 *
best      knn 5
low and high: the mean's interval at 95 %; behind: how much worse than the best; won: rounds against the best; fit, predict: per round
$ awk -F, -v OFS=, 'NR==1{print $0,"z"} NR>1{print $0,NR==40?1e6:NR==41?1:0}' tame.csv > leap.csv
$ samara compare leap.csv -t y linear "knn 5" lad
data      leap.csv: 100 rows, 3 features
rounds    5 folds
decided   by rmse, lower is better
          fitted to other losses: lad to mae; --measure names another
  rank  model              rmse      low     high   behind  verdict       won *fit ms *predict ms
     1  knn 5           2.36471   1.6744  3.05503        -  best          - *
     -  baseline: mean   11.188  9.27315  13.1028  8.82327  worse         0 of 5 *
     2  lad             48743.7        0   251741  48741.4  too variable  4 of 5 *
     3  linear          51483.2        0   265889  51480.8  too variable  4 of 5 *
best      knn 5
too variable to tell: lad, linear (single rounds decide the means; --json has them)
low and high: the mean's interval at 95 %; behind: how much worse than the best; won: rounds against the best; fit, predict: per round
$ samara compare leap.csv -t y linear "knn 5" lad --json | grep '"won"\|"lost"\|"verdict"' | tr -d '\n'
      "verdict": "best",      "won": null,      "lost": null,      "verdict": "worse",      "won": 0,      "lost": 5,      "verdict": "too variable",      "won": 4,      "lost": 1,      "verdict": "too variable",      "won": 4,      "lost": 1,

# What several models warn of is one line, after the table; --json has each of them in full.
$ awk -F, -v OFS=, 'NR==1{print $0,"c","twin"} NR>1{print $0,5,$1}' tame.csv > twins.csv
$ samara compare twins.csv -t y linear huber lad "quantile 0.3" > league.txt; tail -1 league.txt | cut -c1-20
samara: warning: every model: 2 of 4 columns add nothing to the others, and the like; --json has all 3 of these warnings
low and high: the me
$ samara compare twins.csv -t y linear huber lad "quantile 0.3" --json -q | sed -n '/"notes"/,/"advice"/p' | grep message | sort | uniq -c | sed 's/^ *//'
1       "message": "2 of 4 columns add nothing to the others: 'c' is constant; 'twin' = 'x0'. Of all coefficients that fit equally well, the smallest were taken; drop columns to be able to interpret them (in every round)"
1       "message": "2 of 4 columns add nothing to the others: 'c', 'twin'. They got the coefficient 0; drop columns to choose which (in every round)"
1       "message": "3 of 4 columns add nothing to the others: 'x0', 'c', 'twin'. Their coefficients are one choice of many; drop columns, or set l2 > 0 (in every round)"

# Of all learners, one that is hopeless after two rounds is stopped and said so; one that is named is not.
$ samara make linear n=90 d=2 noise=1 --seed 4 -q -o line.csv; awk -F, -v OFS=, 'NR==1{print} NR>1{$3=(NR*7919%89)/9+1; print}' line.csv > chance.csv
$ samara compare chance.csv -t y --all 2> /dev/null | grep '^stopped' | cut -c1-60
stopped   tree: hopeless after 2 rounds, rmse 3.57287 and 4.
$ samara compare chance.csv -t y --all --no-stop 2> /dev/null | grep -c '^stopped'
0
[status 1]
$ samara compare chance.csv -t y tree linear 2> /dev/null | grep -c '^stopped'
0
[status 1]
$ samara compare chance.csv -t y tree linear --no-stop
samara: --no-stop is for --all: a model that is named is never stopped
[status 2]

# A comparison that was interrupted goes on from its log; the times of models that it has are the log's.
$ samara compare line.csv -t y linear "knn 3" tree --log three.log --json | grep -v '_seconds\|memory' > whole; head -2 three.log > two.log; samara compare line.csv -t y linear "knn 3" tree --resume two.log --json | grep -v '_seconds\|memory' > resumed; cmp whole resumed; wc -l < two.log
4
$ samara compare line.csv -t y linear tree --log three.log
samara: three.log: there is a log already; --resume three.log continues it, or choose another name
[status 3]
$ samara compare line.csv -t y linear tree --resume three.log --measure mae
samara: three.log is the log of another comparison and cannot be resumed: its measure is "rmse", and now it is "mae"
[status 1]
$ samara tune knn line.csv -t y --resume three.log
samara: three.log is not the log of a search
[status 1]
$ samara compare line.csv -t y linear tree --resume line.csv
samara: --resume: line.csv is what this command reads, not a log
[status 2]
$ samara compare line.csv -t y linear --time soon
samara: --time: 'soon' is not a time such as 60s, 5m or 1h
[status 2]

# Ctrl-C leaves what is finished, and the status says that it was interrupted.
$ samara compare line.csv -t y linear "boost rounds=1000000" --log cut.log > cut.txt 2>&1 & until [ "$(cat cut.log 2> /dev/null | wc -l)" = 2 ]; do sleep 0.1; done; kill -INT $!; wait $!; echo "status $?"; sed -n '/^left out/p; /^best/p; /^samara: cancelled/p' cut.txt
status 130
left out  boost rounds=1000000: cancelled
best      linear
samara: cancelled after 1 of 2 models; the same command with --resume cut.log instead of --log continues it

# When the time is up, what was not finished is named; where that is everything, so is the way out.
$ samara compare line.csv -t y linear "boost rounds=1000000" --resume cut.log --time 0.3s 2>&1 | grep -E "^(left out|best)"
left out  boost rounds=1000000: the time was up
best      linear
$ samara compare line.csv -t y "boost rounds=1000000" "boost rounds=999999" --time 0.3s
samara: the time was up before a model was finished; allow more (--time), or measure on fewer folds (--folds 2)
[status 130]

# What cannot be compared is refused with the way out.
$ samara compare data/iris.csv -t species
samara: compare needs models: samara compare data/iris.csv --target COL "knn 5" ridge, or --all
[status 2]
$ samara compare data/iris.csv -t species knn rigde
samara: there is no learner 'rigde'; did you mean 'ridge'?
[status 2]
$ samara compare data/iris.csv -t species knn --measure acuracy,f1
samara: there is no measure 'acuracy'; did you mean 'accuracy'?
[status 2]
$ samara compare data/iris.csv -t species knn --measure accuracy,f1
samara: one measure decides; 2 are named
[status 2]
$ samara compare data/iris.csv knn
samara: knn learns from examples with an answer: name its column with --target (a name, a position, or last)
[status 2]
$ samara compare nowhere.csv -t y knn
samara: nowhere.csv: cannot be opened: No such file or directory
[status 3]
