# A league table on the same folds, with a yardstick.
$ samara compare data/iris.csv --target species "knn 5" "standardize | knn 5" "knn 100"
data      data/iris.csv: 150 rows, 4 features
rounds    5 folds, stratified
decided   by accuracy, higher is better
  rank  model                          accuracy       low      high     behind  verdict       wins *fit ms *predict ms
     1  knn 5                          0.966667  0.922767         1          -  best             4 *
     2  standardize | knn 5                0.94  0.888057  0.991943  0.0266667  within noise     2 *
     3  knn 100                        0.646667  0.612662  0.680671       0.32  worse            0 *
     -  baseline: most frequent class  0.333333  0.333333  0.333333   0.633333  worse            0 *
best      knn 5; not clearly better than: standardize | knn 5
low and high: the mean's interval at 95 %; behind: how much worse than the best; fit, predict: per round
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
samara: warning: no model is clearly better than the baseline, which looks at no column; more rounds (--repeats 5) tell smaller differences apart
data      data/iris.csv: 150 rows, 4 features
rounds    5 folds, stratified
decided   by log_loss, lower is better
  rank  model                          log_loss      low     high    behind  verdict       wins *fit ms *predict ms
     1  knn 5                          0.311625        0  1.28144         -  best             4 *
     -  baseline: most frequent class   1.09861  1.09861  1.09861  0.786987  within noise     1 *
failed    ridge: ridge does not classify; it predicts numbers
best      knn 5; not clearly better than: baseline: most frequent class
low and high: the mean's interval at 95 %; behind: how much worse than the best; fit, predict: per round
$ samara compare data/iris.csv -t species "standardize"
samara: no model could be measured; standardize: standardize predicts nothing that could be measured; end the sentence with a learner
[status 1]

# Where nothing can be told apart, it is said.
$ samara make linear n=40 d=3 noise=40 --seed 6 -o noise.csv -q; samara compare noise.csv -t y linear "knn 3"
samara: warning: no model is clearly better than the baseline, which looks at no column; more rounds (--repeats 5) tell smaller differences apart
data      noise.csv: 40 rows, 3 features
rounds    5 folds
decided   by rmse, lower is better
  rank  model              rmse      low     high    behind  verdict       wins *fit ms *predict ms
     1  linear          36.4765  19.3032  53.6497         -  best             4 *
     -  baseline: mean  37.2725  23.6838  50.8612  0.796035  within noise     1 *
     2  knn 3           46.1076  25.5118  66.7035   9.63117  within noise     0 *
best      linear; not clearly better than: baseline: mean, knn 3
low and high: the mean's interval at 95 %; behind: how much worse than the best; fit, predict: per round

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
