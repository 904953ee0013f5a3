# Layers of sequences are told as others are.
$ samara net shapes "embed 65 16 | lstm 32 direction=both | gru 8 | last" --input 50 --outputs 3
embed symbols=65 units=16 pad=-1 | lstm units=32 direction=both give=all forget=1 | gru units=8 direction=forward give=all | last

input 50

  place  name    layer          shape                parameters  multiply_adds  bytes  sees
  1      embed1  embed 65 16    50 x 1 x 16 in time        1040              0   3200  1 x 1
  2      lstm1   lstm 32 both   50 x 1 x 64 in time       12544         614400  12800  all
  3      gru1    gru 8 forward  50 x 1 x 8 in time         1760          86400   1600  all
  4      last1   last           8                             0              0     32  all
  5      out1    out            3                            27             24     12  all

  parameters, bytes        15371, 61484
  multiply-adds for a row  700824
  numbers of a row, bytes  4461, 17844
$ samara net shapes "rnn 7 give=last" --input 20x4
rnn units=7 direction=forward give=last

input 20 x 4 x 1

  place  name  layer                    shape  parameters  multiply_adds  bytes  sees
  1      rnn1  rnn 7 forward give=last  7              84           1540     28  all

  parameters, bytes        84, 336
  multiply-adds for a row  1540
  numbers of a row, bytes  87, 348

# What is no sequence, or no longer one, is told with the layer and what comes in.
$ samara net shapes "lstm 5" --input 30
samara: layer 1 (lstm units=5 direction=forward give=all forget=1), on 30: a vector of 30 numbers is no sequence of steps; embed makes steps of symbols, and an input of steps x numbers is one (input=50,20, --input 50x20)
[status 2]
$ samara net shapes "embed 9 4 | mean | gru 5" --input 30
samara: layer 3 (gru units=5 direction=forward give=all), on 4: a vector of 4 numbers is no sequence of steps; embed makes steps of symbols, and an input of steps x numbers is one (input=50,20, --input 50x20)
[status 2]
$ samara net shapes "embed 9 4 pad=9" --input 30
samara: layer 1 (embed symbols=9 units=4 pad=9), on 30: pad=9 is not among the symbols 0 .. 8
[status 2]
$ samara net shapes "gru 5 | conv 3 3" --input 30x4
samara: layer 2 (conv filters=3 size=3 stride=1 pad=0 groups=1 bias=yes round=exact), on 30 x 1 x 5 in time: a window of 3 is larger than the 1 columns that come in; pad= adds zeros around them
[status 2]
$ samara net shapes "LSTM 5" --input 30x4
samara: in the net "LSTM 5" at character 1: there is no layer 'LSTM'; did you mean 'lstm'?
[status 2]

# Rows that are steps of sequences: levels are symbols, and a memory goes on to the end.
$ samara train "net (embed 3 4 | gru 8) epochs=60 rate=0.01" data/rainy_days.csv --target weather --sequence week --time-column day -o rain.smr | grep -E "^fitted|^  accuracy"
fitted    210 rows, 1 feature, * s, 60 iterations, not converged
  accuracy           0.738095 (0.589 to 0.847)    kappa              0.453901
$ samara inspect rain.smr | grep -E "steps|embed1|gru1|out1"
spec       columns unseen=missing dates=days target=as_is | net layers=(embed symbols=3 units=4 pad=-1 | gru units=8 direction=forward give=all) loss=auto epochs=60 batch=0 method=adam rate=0.01 b1=0.9 b2=0.999 eps=1e-8 schedule=constant warmup=0 decay_l1=0 clip=0 patience=0 tol=0.0001 init=auto class_weight=none shift=0 flip=no noise=0 steps=0 memory=sequence
1  net layers=(embed symbols=3 units=4 pad=-1 | gru units=8 direction=forward give=all) loss=auto epochs=60 batch=0 method=adam rate=0.01 b1=0.9 b2=0.999 eps=1e-8 schedule=constant warmup=0 decay_l1=0 clip=0 patience=0 tol=0.0001 init=auto class_weight=none shift=0 flip=no noise=0 steps=0 memory=sequence
   steps          7
     embed1  7 x 1 x 4 in time       12       0.990559       1.13289     0.0262736     0.026145
     gru1    7 x 1 x 8 in time      320       0.399139      0.365948     0.0311127     0.029558
     out1    7 x 1 x 1 in time        9         0.4448       1.40639     0.0750395    0.0576651
$ samara predict rain.smr data/three_days.csv --keep activity --proba
activity,weather,p(rainy),p(sunny)
clean,rainy,0.8596934028412802,0.14030659715871976
shop,rainy,0.6996462110230048,0.3003537889769951
walk,sunny,0.21234768964663145,0.7876523103533685
$ sed s/shop/sail/ data/three_days.csv > sail.csv
$ samara predict rain.smr sail.csv --proba
samara: warning: column 'activity' has 1 level not seen in training, such as 'sail'; it counts as missing
weather,p(rainy),p(sunny)
rainy,0.8596934028412802,0.14030659715871976
rainy,0.7421582375898416,0.25784176241015844
sunny,0.22842824303399845,0.7715717569660014
$ samara cv "net (embed 3 4 | gru 8) epochs=60 rate=0.01" data/rainy_days.csv --target weather --sequence week --time-column day | grep -E "^  accuracy"
  accuracy           0.761905  0.0168359   0.730548  0.793262   0.761905

# It stops anywhere and goes on with the same bytes.
$ samara train "net (lstm 6 direction=both | dropout 0.2) steps=3 epochs=40" data/rainy_days.csv --target weather --sequence week --time-column day --holdout 0 -q -o whole.smr
$ samara train "net (lstm 6 direction=both | dropout 0.2) steps=3 epochs=40" data/rainy_days.csv --target weather --sequence week --time-column day --holdout 0 -q -o parts.smr --checkpoint net.ck --resume
$ cmp whole.smr parts.smr && echo the same
the same

# A row may be a sequence: steps x numbers, or symbols filled up with -1.
$ samara train "scale | net (gru 24 give=last) input=8,8 epochs=20" data/digits.csv --target digit | grep -E "^fitted|^  accuracy"
fitted    1797 rows, 64 features, * s, 20 iterations, not converged
  accuracy           0.966574 (0.942 to 0.981)    log_loss           0.188484
$ printf 'a,b,c,word\n0,1,2,low\n2,1,-1,high\n1,-1,-1,high\n0,0,2,low\n1,2,-1,low\n2,2,1,high\n0,2,1,high\n1,1,2,low\n' > words.csv
$ samara train "net (embed 3 4 | rnn 6 | last) rate=0.05 epochs=60" words.csv --target word --holdout 0 -o words.smr | grep -E "^  accuracy"
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
samara: warning: 8 rows were measured: the true accuracy lies anywhere between 67.6 % and 100 % (95 % interval); measure on more rows, or with samara cv
  accuracy           1 (0.676 to 1)    kappa              1
$ printf 'a,b,c\n2,-1,-1\n1,-1,-1\n-1,-1,-1\n7,1,-1\n' > short.csv
$ samara predict words.smr short.csv
word
low
high
high
high

# What cannot be trained is told before it is tried.
$ samara train "net (gru 3) steps=9" data/iris.csv --target species
samara: net: steps=9 cuts sequences, and these rows are alone; --sequence names the column that tells sequences apart
[status 2]
$ samara train "net (gru 3 | last)" data/rainy_days.csv --target weather --sequence week
samara: net: rows are steps of sequences, and each is answered: no layer may end or shorten the sequence, and of 7 steps that come in the last layer answers 1 (while fitting stage 2, net)
[status 2]
$ samara train "net (embed 2 4 | gru 3)" data/rainy_days.csv --target weather --sequence week
samara: net: row 2, column 'day': 2 is no symbol of layer 1 (embed1), which knows 0 .. 1, and -1 for none; give it more symbols, or number them from 0
[status 1]
$ samara train "net (embed 9 4 | mean)" data/iris.csv --target species
samara: net: row 2, column 'sepal_length': 4.9 is no symbol of layer 1 (embed1), which knows 0 .. 8, and -1 for none; give it more symbols, or number them from 0
[status 1]
$ samara train "net (gru 3) input=2,2" data/iris.csv --target species
samara: net: the last layer answers each of the 2 steps of a row, and a row has one answer; put last, mean or max before it, or give=last
[status 2]
$ samara train "net (gru 3 bi=yes)" data/iris.csv --target species
samara: in the net "(gru 3 bi=yes)" at character 8: gru has no parameter 'bi'
[status 2]
$ samara train "net (gru 3) shift=1" data/rainy_days.csv --target weather --sequence week
samara: net: shift changes pictures, and these rows are vectors of 4 numbers; input=28,28 makes pictures of 28 x 28 of them (while fitting stage 2, net)
[status 2]
$ samara train "net (lstm 500) batch=64" data/rainy_days.csv --target weather --sequence week --memory 8M
samara: net: training with batches of 24 windows needs 40.1 MB, and the memory budget leaves 7.9 MB; no batch fits: take smaller layers, or give more memory (while fitting stage 2, net)
[status 1]
