# A score that is too good is doubted, and the columns that hold the answer are named.
$ awk 'function r(){s=(s*16807)%2147483647; return s/2147483647} BEGIN{s=7; print "day,part,rest,heat,total"; for(i=0;i<300;i++){a=int(r()*900); b=int(r()*400); printf "2022-%02d-%02d,%d,%d,%.3f,%d\n", 1+int(i/28), 1+i%28, a, b, a/90+r()*9, a+b}}' > days.csv
$ samara compare days.csv -t total linear ridge 2>&1 | grep warning
samara: warning: the rows seem to be in time order by 'day', and shuffled parts measure on rows between the fitted ones: to measure how well later rows are predicted, use --ordered or --order-by day
samara: warning: r2 is 1 on 300 rows that were not fitted, which is too good unless the columns hold the answer: 'part' and 'rest' together give 'total' almost exactly, as a weighted sum; leave out columns that are not known before the answer is: --ignore part,rest
$ samara cv linear days.csv -t total --order-by day 2>&1 | grep warning
samara: warning: r2 is 1 on 240 rows that were not fitted, which is too good unless the columns hold the answer: 'part' and 'rest' together give 'total' almost exactly, as a weighted sum; leave out columns that are not known before the answer is: --ignore part,rest
$ samara train linear days.csv -t total -q --json | grep '"kind": "t'
      "kind": "time_order",
      "kind": "too_good",
$ samara tune ridge days.csv -t total --over l2=0.01,1 -q --json | grep '"kind": "t'
      "kind": "time_order",
      "kind": "too_good",
$ samara train linear days.csv -t total --ignore part --test days.csv -q --json | grep '"kind": "t'
[status 1]

# Data that are easy are believed.
$ for g in blobs moons circles spirals xor parity twoclass; do samara make $g n=300 -o g.csv -q; samara cv "knn 3" g.csv -t last --json -q; samara train "standardize | knn 1" g.csv -t last --json -q; done | grep -c '"too_good"\|"time_order"'
0
[status 1]

# The way out of a constant prediction goes the right way.
$ samara train knn data/breast_cancer.csv -t diagnosis --threshold recall=1 2>&1 | grep -o 'every row.*'
every row was predicted as 'malignant': the model does not tell the classes apart; try other parameters or another learner, or a higher --threshold

# Rows that were fitted are recognised wherever a model is looked at.
$ samara train "knn 9" data/breast_cancer.csv -t diagnosis -o m.smr -q
$ samara explain importance m.smr data/breast_cancer.csv 2>&1 | grep warning
samara: warning: these are the rows that the model was fitted on: what is shown is what the model leans on, not what generalises; explain it on other rows
$ samara explain dependence m.smr data/breast_cancer.csv --columns mean_radius -q --json | grep '"kind": "training_rows"'
      "kind": "training_rows",
$ samara curve threshold m.smr data/breast_cancer.csv 2>&1 | grep warning
samara: warning: these are the rows that the model was fitted on: a threshold chosen on them is too sure of itself; use other rows, or name the sentence in place of the model
$ samara train "knn 9" data/breast_cancer.csv -t diagnosis --holdout 0 -q --json | grep '"kind": "t'
      "kind": "training_rows",

# The baseline is shown beside the measures, and a cost beside that of the larger score.
$ samara train "knn 9" data/breast_cancer.csv -t diagnosis --threshold cost=1:5 | grep 'baseline\|cost  '
  cost       0.228 per row at this threshold, 0.289 where the larger score decides
baseline  always 'benign': accuracy 0.622807
$ samara train ridge data/diabetes.csv -t progression -q --json | grep -A6 '"baseline"'
  "baseline": {
    "what": "always the mean",
    "from": "the fitted rows",
    "value": 151.85028248587588,
    "rmse": 75.7205920467837,
    "mae": 64.10914227015925
  },
$ samara evaluate m.smr data/breast_cancer.csv -q | grep baseline
baseline  always 'benign' (of the measured rows): accuracy 0.627417

# No warning is given twice.
$ awk 'function r(){s=(s*16807)%2147483647; return s/2147483647} BEGIN{s=3; print "code,x,name,y"; for(i=0;i<400;i++) printf "c%d,%d,n%d,%s\n", int(r()*150), int(r()*40), i, r()<0.5?"a":"b"}' > odd.csv
$ samara compare odd.csv -t y knn "knn 9" "standardize | knn" --type code=category 2>&1 | grep -o 'warning: [a-z]*[^;]*'
warning: column 'name' is set aside: 400 of its 400 values are distinct, like names or free text
warning: every model: column 'code' has 138 levels
warning: no model is clearly better than the baseline, which looks at no column
warning: 12 rows (3 %) equal another row in every input but not in the target: no model of these columns can be right for more than 98.5 % of the rows
$ for c in "train knn odd.csv --test odd.csv" "train knn odd.csv --threshold f1" "tune knn odd.csv --over k=3,5" "cv knn odd.csv" "compare odd.csv knn linear"; do samara $c -t y --type code=category 2>&1 | grep warning | sed 's/.*warning: //; s/^[^:]*models*: //' | sort | uniq -d; done
