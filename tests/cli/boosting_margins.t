# The three ways down the exponential loss of examples/boosting-margins, on a small table.
$ cc -O2 -std=gnu11 -o margins data/../examples/boosting-margins/margins.c -lm
$ ./margins rows=200 test=1000 features=500 repeats=2 least=40 json=margins.json table=rows.csv > table.txt
$ grep -A2 exhaustive table.txt | cut -c1-68
exhaustive AdaBoost  1e-10   0.0 (0.0 to 0.0)            94 (94 to 9
                     1e-20   0.0 (0.0 to 0.0)            190 (190 to
                     1e-40   0.0 (0.0 to 0.0)            382 (381 to
$ awk '/^(gradient|random)/ {method = $1} /1e-/ && method {error = $0; sub(/.*1e-[0-9]+ +/, "", error); print method, (error + 0 > 20 ? "does not learn" : "learns")}' table.txt
gradient does not learn
gradient does not learn
gradient does not learn
random does not learn
random does not learn
random does not learn
$ samara plot margins.json
boosting-margins: 2 figures
  margins              Margins of the training rows at a loss of 1e-40
  error                Test error as the loss goes down
$ ./margins colour=blue
margins: 'colour=blue' is none of rows=, test=, features=, repeats=, least= (10 to 100: the loss 1e-that), seed=, json=FILE, table=FILE
[status 2]

# samara's own AdaBoost of stumps goes the way of the exhaustive one: the same loss after the same rounds, from three features.
$ samara train "adaboost 190" rows.csv --target y --holdout 0 -o stumps.smr --quiet
$ samara inspect stumps.smr | grep -E "ln_loss|training_error  "
   training_error      0
   ln_loss             -46.1992
$ samara inspect stumps.smr --json --rows 0 | grep -A2 '"least"' | tail -3
          "least": 0.3288322860892801,
          "tenth": 0.3288322860892801,
          "median": 0.3366295395133156,
