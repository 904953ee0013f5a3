# A score that is too good is doubted, and the columns that hold the answer are named.
$ awk 'BEGIN{srand(7); print "day,part,rest,heat,total"; for(i=0;i<300;i++){a=int(rand()*900); b=int(rand()*400); printf "2022-%02d-%02d,%d,%d,%.3f,%d\n", 1+int(i/28), 1+i%28, a, b, a/90+rand()*9, a+b}}' > days.csv
$ samara compare days.csv -t total linear ridge 2>&1 | grep warning
$ samara cv linear days.csv -t total --order-by day 2>&1 | grep warning
$ samara train linear days.csv -t total -q --json | grep '"kind"'
$ samara tune ridge days.csv -t total --over l2=0.01,1 -q --json | grep '"kind": "t'
$ samara train linear days.csv -t total --ignore part --test days.csv -q --json | grep '"kind": "t'

# Data that are easy are believed.
$ for g in blobs moons circles spirals xor parity twoclass; do samara make $g n=300 -o g.csv -q; samara cv "knn 3" g.csv -t last --json -q; samara train "standardize | knn 1" g.csv -t last --json -q; done | grep -c '"too_good"\|"time_order"'
[status 1]

# The way out of a constant prediction goes the right way.
$ samara train knn data/breast_cancer.csv -t diagnosis --threshold recall=1 2>&1 | grep -o 'every row.*'
$ samara train knn data/breast_cancer.csv -t diagnosis --threshold 1 -q --json | grep -c 'a lower --threshold'

# Rows that were fitted are known again wherever a model is looked at.
$ samara train "knn 9" data/breast_cancer.csv -t diagnosis -o m.smr -q
$ samara explain importance m.smr data/breast_cancer.csv 2>&1 | grep warning
$ samara explain dependence m.smr data/breast_cancer.csv --columns mean_radius -q --json | grep '"kind": "training_rows"'
$ samara curve threshold m.smr data/breast_cancer.csv 2>&1 | grep warning
$ samara train "knn 9" data/breast_cancer.csv -t diagnosis --holdout 0 -q --json | grep '"kind"'

# The baseline stands beside the measures, and a cost beside that of the larger score.
$ samara train "knn 9" data/breast_cancer.csv -t diagnosis --threshold cost=1:5 | grep 'baseline\|cost  '
$ samara train ridge data/diabetes.csv -t progression -q --json | grep -A6 '"baseline"'
$ samara evaluate m.smr data/breast_cancer.csv -q | grep baseline

# No warning is given twice.
$ awk 'BEGIN{srand(3); print "code,x,name,y"; for(i=0;i<400;i++) printf "c%d,%d,n%d,%s\n", int(rand()*150), int(rand()*40), i, rand()<0.5?"a":"b"}' > odd.csv
$ samara compare odd.csv -t y knn "knn 9" "standardize | knn" --type code=category 2>&1 | grep -o 'warning: [a-z]*[^;]*'
$ for c in "train knn odd.csv --test odd.csv" "train knn odd.csv --threshold f1" "tune knn odd.csv --over k=3,5" "cv knn odd.csv" "compare odd.csv knn linear"; do samara $c -t y --type code=category 2>&1 | grep warning | sed 's/.*warning: //; s/^[^:]*models*: //' | sort | uniq -d; done
