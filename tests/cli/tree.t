# Decision trees: worked tables, stopping and pruning, bad input.
$ printf 'outlook,temperature,humidity,windy,play\nsunny,hot,high,no,no\nsunny,hot,high,yes,no\novercast,hot,high,no,yes\nrainy,mild,high,no,yes\nrainy,cool,normal,no,yes\nrainy,cool,normal,yes,no\novercast,cool,normal,yes,yes\nsunny,mild,high,no,no\nsunny,cool,normal,no,yes\nrainy,mild,normal,no,yes\nsunny,mild,normal,yes,yes\novercast,mild,high,yes,yes\novercast,hot,normal,no,yes\nrainy,mild,high,yes,no\n' > tennis.csv
$ samara train "tree criterion=entropy categories=multiway" tennis.csv --target play --holdout 0 -o tennis.smr -q > /dev/null
$ samara inspect tennis.smr | sed -n '/^1 /,$p'
1  tree max_depth=0 criterion=entropy max_leaves=0 min_split=0 min_leaf=0 min_gain=0 chi2=0 categories=multiway missing=direction class_weight=none search=auto ties=first prune=none
   criterion           entropy
   search              exact
   impurity            0.940286
   nodes               8
   leaves              5
   depth               2
   features_not_asked  1
   importance
     feature      gain    share
     humidity  4.85475  0.36879
     windy     4.85475  0.36879
     outlook    3.4545  0.26242
   tree
     14 rows, yes 64.3 %
     outlook = overcast -> yes  (4 rows, 100 %)
     outlook = rainy  (5 rows, yes 60 %)
     |  windy = no -> yes  (3 rows, 100 %)
     |  windy = yes -> no  (2 rows, 100 %)
     outlook = sunny  (5 rows, no 60 %)
     |  humidity = high -> no  (3 rows, 100 %)
     |  humidity = normal -> yes  (2 rows, 100 %)
$ samara train "tree criterion=gain_ratio" tennis.csv --target play --holdout 0 -o ratio.smr -q > /dev/null
$ samara inspect ratio.smr | sed -n '/^   tree/,$p'
   tree
     14 rows, yes 64.3 %
     outlook != overcast  (10 rows, no 50 %)
     |  temperature = hot -> no  (2 rows, 100 %)
     |  temperature != hot  (8 rows, yes 62.5 %)
     |  |  humidity = high  (3 rows, no 66.7 %)
     |  |  |  outlook = sunny -> no  (1 row, 100 %)
     |  |  |  outlook != sunny  (2 rows, no 50 %)
     |  |  |  |  windy = yes -> no  (1 row, 100 %)
     |  |  |  |  windy = no -> yes  (1 row, 100 %)
     |  |  humidity = normal  (5 rows, yes 80 %)
     |  |  |  windy = yes  (2 rows, no 50 %)
     |  |  |  |  outlook != sunny -> no  (1 row, 100 %)
     |  |  |  |  outlook = sunny -> yes  (1 row, 100 %)
     |  |  |  windy = no -> yes  (3 rows, 100 %)
     outlook = overcast -> yes  (4 rows, 100 %)
$ printf 'a,b,t\n1,1,no\n1,0,yes\n0,1,yes\n0,0,no\n' > xor.csv
$ samara train tree xor.csv --target t --holdout 0 2> /dev/null | grep -E '  accuracy'
  accuracy           1 (0.51 to 1)     kappa              1
$ samara train "tree min_gain=0.01" xor.csv --target t --holdout 0 2> /dev/null | grep -E '  accuracy'
  accuracy           0.5 (0.15 to 0.85)    log_loss           0.693147
$ samara train "tree prune=cost" data/iris.csv --target species -o iris.smr -q > /dev/null
$ samara inspect iris.smr | sed -n '/^1 /,$p'
1  tree max_depth=0 criterion=auto max_leaves=0 min_split=0 min_leaf=0 min_gain=0 chi2=0 categories=binary missing=direction class_weight=none search=auto ties=first prune=cost alpha=-1 folds=5 one_se=yes
   criterion              gini
   search                 exact
   impurity               0.666667
   nodes                  5
   leaves                 3
   depth                  2
   leaves_before_pruning  9
   features_not_asked     2
   alpha                  0.0296605
   pruning_steps          7
   importance
     feature          gain     share
     petal_length       50  0.561991
     petal_width   38.9694  0.438009
   pruning
          alpha  leaves   impurity   cv_error         se
              0       9          0  0.0733333  0.0212847
     0.00652174       7  0.0130435  0.0733333  0.0212847
     0.00888889       5  0.0308213  0.0933333  0.0237518
      0.0130556       4  0.0438768  0.0866667  0.0229718
      0.0296605       3  0.0735373  0.0933333  0.0237518
       0.259796       2   0.333333       0.34  0.0386782
       0.333333       1   0.666667   0.666667    0.03849
   tree
     150 rows, setosa 33.3 %
     petal_length <= 2.45 -> setosa  (50 rows, 100 %)
     petal_length > 2.45  (100 rows, versicolor 50 %)
     |  petal_width <= 1.75 -> versicolor  (54 rows, 90.7 %)
     |  petal_width > 1.75 -> virginica  (46 rows, 97.8 %)
$ samara train stump data/iris.csv --target species -o stump.smr -q > /dev/null
$ samara inspect stump.smr | sed -n '/^   tree/,$p'
   tree
     150 rows, setosa 33.3 %
     petal_length <= 2.45 -> setosa  (50 rows, 100 %)
     petal_length > 2.45 -> versicolor  (100 rows, 50 %)
$ samara train "tree criterion=squared" data/iris.csv --target species
samara: tree: criterion=squared is for numbers, and the target has classes; use gini, entropy, error or gain_ratio
[status 2]
$ samara train "tree chi2=0.05" data/diabetes.csv --target progression
samara: tree: chi2 is for classes, and the target has numbers; leave it out
[status 2]
$ samara train "tree confidence=0.1" data/iris.csv --target species
samara: tree: confidence is used only with prune=pessimistic
[status 2]
$ samara train "tree min_samples_leaf=3" data/iris.csv --target species
samara: tree has no parameter 'min_samples_leaf'; did you mean 'min_leaf'?
[status 2]
$ printf 'x,t,w\n1,a,0\n2,b,0\n3,a,0\n' > zero.csv
$ samara train tree zero.csv --target t --weight w --holdout 0
samara: all weights in column 'w' are zero
[status 1]
$ printf 'x,y,t\n5,1,a\n5,1,b\n5,1,a\n5,1,b\n5,1,a\n' > same.csv
$ samara train tree same.csv --target t --holdout 0 -q -o same.smr > /dev/null
$ samara inspect same.smr | sed -n '/^   tree/,$p'
   tree
     -> a  (5 rows, 60 %)

# Dates are asked about, and shown, as dates; after a transform that changes them, as numbers.
$ printf 'day,y\n2024-01-03,a\n2024-01-09,a\n2024-02-29,b\n1969-12-31,a\n2024-03-01,b\n' > days.csv
$ samara train tree days.csv --target y --holdout 0 -q -o days.smr; samara inspect days.smr --rules | grep day
days.smr: 2 rules, those that cover most rows first
if day <= 2024-02-03 12:00
if day > 2024-02-03 12:00
$ samara explain path days.smr days.csv --row 4 | grep -A 1 question
  question                 value       answer  before  after  rows
  day <= 2024-02-03 12:00  1969-12-31  yes        0.6      1     3
$ samara train "standardize | tree" days.csv --target y --holdout 0 -q -o z.smr; samara inspect z.smr --rules | grep day
if day <= 0.500156
if day > 0.500156
$ printf 'at,y\n2024-01-03 10:00:00,a\n2024-01-03 10:00:30,b\n2024-01-03 10:00:01,a\n' > times.csv; samara train tree times.csv --target y --holdout 0 -q -o times.smr; samara inspect times.smr --rules | grep at
times.smr: 2 rules, those that cover most rows first
if at <= 2024-01-03 10:00:16
if at > 2024-01-03 10:00:16

# A split may separate rows without a value from all others; it is shown in words.
$ (echo a,c,y; for i in 1 2 3; do echo $i,x,no; echo ,x,gap; echo 2.$i,z,no; echo 1.$i,,none; done) > gaps.csv; samara train tree gaps.csv --target y -o gaps.smr --holdout 0 -q > /dev/null; samara inspect gaps.smr --rules; samara inspect gaps.smr | tail -5
gaps.smr: 3 rules, those that cover most rows first

if a is known and c in {x, z}
then no  (6 of 12 rows, 100 %)

if a is missing
then gap  (3 of 12 rows, 100 %)

if a is known and c is missing
then none  (3 of 12 rows, 100 %)
     12 rows, no 50 %
     a is known  (9 rows, no 66.7 %)
     |  c is known -> no  (6 rows, 100 %)
     |  c is missing -> none  (3 rows, 100 %)
     a is missing -> gap  (3 rows, 100 %)

# A target that is the same number everywhere is called a number.
$ printf 'a,y\n1,5\n2,5\n3,5\n4,5\n' > same.csv; samara train tree same.csv -t y; samara train logistic same.csv -t y
samara: the target 'y' is 5 in every row that has one: there is nothing to learn; --task regress takes it as a number all the same
samara: the target 'y' is 5 in every row that has one: there is nothing to learn
[status 1]
$ samara train tree same.csv -t y --task classify
samara: the target 'y' has one class only, '5': there is nothing to tell apart
[status 1]
$ samara train tree same.csv -t y --task regress --holdout 0 -q -o same.smr > /dev/null; samara predict same.smr same.csv | tail -1
5
