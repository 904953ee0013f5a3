# On a terminal tables fit its width, heads are bold, and long lines are broken between words.
$ script -qc "stty cols 60; TERM=xterm samara describe data/wine.csv -q -n 2" /dev/null | tr -d '\r' | sed 's/\x1b\[1m/<b>/; s/\x1b\[0m/<\/b>/' | head -20
data/wine.csv: 178 rows, 14 columns
  format     csv
  delimiter  comma
  header     yes
  columns    13 numbers, 1 category
  missing    0 values in 0 columns

numbers
  <b>name        missing  distinct     mean        sd    min</b>
  alcohol           0       126  13.0006  0.811827  11.03
  malic_acid        0       133  2.33635   1.11715   0.74

  <b>name             q1  median       q3    max</b>
  alcohol     12.3625   13.05  13.6775  14.83
  malic_acid   1.6025   1.865   3.0825    5.8
  ... and 11 more

categories
  <b>name      missing  levels  rows by level</b>
  cultivar        0       3  class_0 59, class_1 71, class_~
$ script -qc "stty cols 60; TERM=xterm NO_COLOR=1 samara describe data/wine.csv -q -n 2" /dev/null | grep -c "$(printf '\033')"
0
[status 1]
$ script -qc "stty cols 50; TERM=dumb samara help cv" /dev/null | tr -d '\r' | grep -A2 -e --delimiter
      --delimiter C             The CSV delimiter:
                                one character, or
                                tab, space, comma,
$ script -qc "TERM=xterm samara cv nothing data/iris.csv -t species" /dev/null | tr -d '\r' | sed 's/\x1b\[31m/<red>/; s/\x1b\[0m/<\/red>/'
<red>samara:</red> there is no learner 'nothing'; 'samara list' names them all
$ script -qc "stty cols 50; TERM=dumb samara train ridge data/diabetes.csv -t progression -q --seed 3" /dev/null | tr -d '\r' | head -3
measured  on 88 held-out rows that this fit did
  not see
  mse                 3203 (2330 to 4070)

# Pipes do not depend on it.
$ COLUMNS=40 TERM=xterm samara list learners | awk '{ if (length($0) > n) n = length($0) } END { print (n > 80) }'
1

# Saying more, and less.
$ samara train "standardize | ridge" data/diabetes.csv -t progression -v -o r.smr 2>&1 > /dev/null | sed 's/[0-9]* ms/T ms/; s/0\.1\.0 (.*), [0-9]* thread.*, seed/VERSION, THREADS, seed/'
samara: VERSION, THREADS, seed 0
samara: data/diabetes.csv: 442 rows, 11 columns, read in T ms
samara: standardize: fitted to 442 rows of 10 features in T ms
samara: ridge: fitted to 442 rows of 10 features in T ms
$ samara train "bag 4 of=(ridge)" data/diabetes.csv -t progression -v -o r.smr 2>&1 > /dev/null | grep -c fitted
1
$ samara train ridge data/diabetes.csv -t progression -q -o r.smr
$ samara train ridge data/diabetes.csv -t progression -q | head -2
measured  on 88 held-out rows that this fit did not see
  mse                 2871.11 (1960 to 3780)

# The line of progress says after some seconds how long the rest takes, also before one per cent.
# Not under a sanitizer.
$ awk 'BEGIN { print "a,b,y"; for (i = 0; i < 40000; i++) print i % 97 / 10 "," i % 89 / 10 ",k" i % 20000 }' > many.csv
$ script -qc "stty cols 80; TERM=dumb timeout -s INT 7 samara train sgd many.csv --target y --holdout 0" /dev/null | tr '\r' '\n' | grep -a left | tail -1 | sed 's/[0-9][0-9]*/N/g'
/.*passing over the rows \[ *\] N of N  N (h N min|days N h) left/

# The figure of work that has one is drawn beside it as a curve, where the terminal shows more than ASCII.
# Not under a sanitizer.
$ script -qc "stty cols 120; LC_ALL=C.UTF-8 TERM=xterm samara train 'scale | net (dense 60 | relu) epochs=1500 tol=0' data/digits.csv -t digit" /dev/null | tr '\r' '\n' | grep -a 'training.*#' | tail -1 | grep -ac '█.*▁'
1
$ script -qc "stty cols 120; LC_ALL=C TERM=xterm samara train 'scale | net (dense 60 | relu) epochs=1500 tol=0' data/digits.csv -t digit" /dev/null | tr '\r' '\n' | grep -ac '▁'
0
[status 1]
