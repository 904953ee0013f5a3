# Counted weather: tables, the likeliest path, chances and the log-likelihood of each sequence.
$ samara train "hmm smoothing=0" data/rainy_days.csv --target weather --sequence week --time-column day -o rainy.smr --holdout 0 -q
$ samara inspect rainy.smr | sed -n '/emissions/,$p'
   emissions
     state     share  activity
     rainy  0.571429  clean 0.5, shop 0.4, walk 0.1
     sunny  0.428571  walk 0.6, shop 0.3, clean 0.1
   moves
     from   rainy  sunny
     start    0.6    0.4
     rainy    0.7    0.3
     sunny    0.4    0.6
   levels
     column    level  rainy  sunny
     activity  clean    0.5    0.1
     activity  shop     0.4    0.3
     activity  walk     0.1    0.6
$ printf 'week,day,activity\n1,1,clean\n1,2,shop\n1,3,walk\n' > days.csv; samara predict rainy.smr days.csv --proba --score
weather,p(rainy),p(sunny),score
rainy,0.87651598676957,0.12348401323043,-3.3164886537352007
rainy,0.6229327453142227,0.3770672546857773,-3.3164886537352007
sunny,0.21212789415656008,0.7878721058434398,-3.3164886537352007

# Rows in another order are the same sequence; a gap and an unseen symbol are no evidence.
$ printf 'week,day,activity\n1,3,walk\n1,1,clean\n1,2,shop\n' > mixed.csv; samara predict rainy.smr mixed.csv --score
weather,score
sunny,-3.3164886537352007
rainy,-3.3164886537352007
rainy,-3.3164886537352007
$ printf 'week,day,activity\n1,1,clean\n1,2,dance\n1,3,walk\n' > dance.csv; samara predict rainy.smr dance.csv --score
samara: warning: column 'activity' has 1 level not seen in training, such as 'dance'; it counts as missing
weather,score
rainy,-2.2818025538115174
rainy,-2.2818025538115174
sunny,-2.2818025538115174

# The likeliest path, and the likeliest state of each step: the second day was rainy with 0.53.
$ printf 'week,day,activity\n1,1,walk\n1,2,shop\n' > walk.csv; samara predict rainy.smr walk.csv --proba
weather,p(rainy),p(sunny)
sunny,0.21387283236994217,0.7861271676300577
sunny,0.5317919075144509,0.468208092485549
$ samara train "hmm smoothing=0 decode=posterior" data/rainy_days.csv --target weather --sequence week --time-column day -o steps.smr --holdout 0 -q; samara predict steps.smr walk.csv
weather
sunny
rainy
$ samara evaluate rainy.smr data/rainy_days.csv -q
rainy.smr on 210 rows of data/rainy_days.csv
  accuracy           0.771429
  sequence_accuracy  0.133333
  log_likelihood     -1.09662
baseline  most frequent class (of the measured rows): accuracy 0.571429

a row is a known class, a column what was found
  known  rainy  sunny
  rainy    102     18
  sunny     30     60

# A sequence step by step: sums over all paths, the best so far; and the passes of EM.
$ samara trace "hmm smoothing=0" data/rainy_days.csv --target weather --sequence week --time-column day --row 8 -n 3
hmm smoothing=0 on data/rainy_days.csv: the passes of EM, or the sequence of a row step by step, row 8
  step  what    activity  sum(rainy)  sum(sunny)  best(rainy)  best(sunny)  chance(rainy)  chance(sunny)  path
     1  step 1  walk            0.06        0.24         0.06         0.24       0.221639       0.778361  sunny
     2  step 2  shop          0.0552      0.0486       0.0384       0.0432        0.57198        0.42802  rainy
     3  step 3  shop        0.023232    0.013716     0.010752     0.007776       0.692135       0.307865  rainy
  ... and 5 more
  8: all paths together have 0.000332832, the likeliest 4.87711e-05
8 steps
$ samara trace "hmm 2" data/rainy_days.csv --ignore weather --sequence week --time-column day -n 2
hmm 2 on data/rainy_days.csv: the passes of EM, or the sequence of a row step by step
  step  what             start  pass  objective    0 to 0    0 to 1    1 to 0    1 to 1
     1  start 1, pass 1      1     1   -235.121  0.475952  0.524048  0.384666  0.615334
     2  start 1, pass 2      1     2   -232.286  0.489978  0.510022  0.433859  0.566141
  ... and 74 more
  76: start 2, pass 46: start 2, pass 46, objective -231.097, 0 to 0 0.525637, 0 to 1 0.474363, 1 to 0 0.569113, 1 to 1 0.430887
76 steps
$ samara trace "hmm 2" data/rainy_days.csv --ignore weather --sequence week --row 211
samara: row 211: the table has rows 1 to 210
[status 2]

# A sequence that no state can have made.
$ printf 'week,weather,activity\n1,rainy,clean\n1,rainy,clean\n2,sunny,walk\n2,sunny,walk\n' > apart.csv; samara train "hmm smoothing=0" apart.csv --target weather --sequence week -o apart.smr --holdout 0 > /dev/null
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
$ printf 'week,weather,activity\n1,rainy,clean\n1,sunny,walk\n' > both.csv; samara evaluate apart.smr both.csv
samara: warning: 2 of 2 measured rows are in sequences of probability 0, so that the log-likelihood is -infinity
apart.smr on 2 rows of both.csv
  accuracy           0.5
  sequence_accuracy  0
baseline  most frequent class (of the measured rows): accuracy 0.5

a row is a known class, a column what was found
  known  rainy  sunny
  rainy      1      0
  sunny      1      0
$ samara tune hmm data/rainy_days.csv --target weather --sequence week --time-column day | sed -n '/space/,/search/p'
space     hmm.smoothing: 0.0001 to 10 on a logarithmic scale
search    random, 50 candidates by accuracy (higher is better) on 5 folds of 168 rows

# Hidden states, and what is refused.
$ samara train "hmm 2" data/rainy_days.csv --sequence week --time-column day --ignore weather --holdout 0 | grep -c log_likelihood
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
1
$ samara train hmm data/rainy_days.csv --target weather
samara: hmm reads sequences: name the column that tells them apart with --sequence; one that has the same value in all rows makes them one
[status 2]
$ samara train "hmm 3" data/rainy_days.csv --target weather --sequence week
samara: hmm: k=3 is for fits without a target, whose classes are what is fitted; leave it out, or train without --target
[status 2]
$ samara train "hmm moves=step" data/rainy_days.csv --target weather --sequence week --time-column day
samara: hmm: row 7 goes from 'sunny' to 'rainy', which `moves` does not allow
[status 1]
$ samara train "hmm moves=step allow='0>1'" data/rainy_days.csv --sequence week
samara: hmm: allow is used only with moves=any
[status 2]
$ samara train "hmm allow='rainy>rainy,rainy>snow'" data/rainy_days.csv --target weather --sequence week
samara: hmm: allow has 'rainy>snow'; it lists moves from>to of states, rainy to sunny, with commas between
[status 2]

# Only models that say how well a row fits have a score.
$ samara train knn data/iris.csv --target species -o iris.smr -q > /dev/null; samara predict iris.smr data/iris.csv --score
samara: this knn model does not say how well a row fits; densities and models of sequences do
[status 2]

# A model of sequences makes new ones.
$ samara make rainy.smr sequences=2 length=3 --seed 4
week,day,weather,activity
1,1,sunny,walk
1,2,sunny,walk
1,3,rainy,shop
2,1,rainy,clean
2,2,rainy,shop
2,3,rainy,clean
$ samara make rainy.smr weeks=2
samara: make MODEL has no 'weeks'; it takes sequences=N and length=N
[status 2]
$ samara make rainy.smr length=0
samara: length=0: a whole number from 1 to 1000000000
[status 2]
$ samara make iris.smr
samara: a knn model does not say how rows come about: none can be drawn from it
[status 2]
