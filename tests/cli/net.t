# A network is told layer by layer.
$ samara net shapes lenet5
LeNet-5

input 28 x 28 x 1

  place  name      layer           shape         parameters  multiply_adds  bytes  sees
  1      conv1     conv 6 5 pad=2  28 x 28 x 6          156         117600  18816  5 x 5
  2      tanh1     tanh            28 x 28 x 6            0              0      0  5 x 5
  3      avgpool1  avgpool 2       14 x 14 x 6            0              0   4704  6 x 6
  4      conv2     conv 16 5       10 x 10 x 16        2416         240000   6400  14 x 14
  5      tanh2     tanh            10 x 10 x 16           0              0      0  14 x 14
  6      avgpool2  avgpool 2       5 x 5 x 16             0              0   1600  16 x 16
  7      dense1    dense 120       120                48120          48000    480  all
  8      tanh3     tanh            120                    0              0      0  all
  9      dense2    dense 84        84                 10164          10080    336  all
  10     tanh4     tanh            84                     0              0      0  all
  11     out1      out             10                   850            840     40  all

  parameters, bytes        61706, 246824
  multiply-adds for a row  416520
  numbers of a row, bytes  8878, 35512
$ samara net shapes "conv 8 3 pad=1 | relu | residual (conv 8 3 pad=1)" --input 3x9x9 --outputs 4
conv filters=8 size=3 stride=1 pad=1 groups=1 bias=yes round=exact | relu | residual of=(conv filters=8 size=3 stride=1 pad=1 groups=1 bias=yes round=exact)

input 9 x 9 x 3

  place  name       layer           shape      parameters  multiply_adds  bytes  sees
  1      conv1      conv 8 3 pad=1  9 x 9 x 8         224          17496   2592  3 x 3
  2      relu1      relu            9 x 9 x 8           0              0      0  3 x 3
  3.0.1  conv2      conv 8 3 pad=1  9 x 9 x 8         584          46656   2592  5 x 5
  3      residual1  residual        9 x 9 x 8           0              0      0  5 x 5
  4      out1       out             4                2596           2592     16  all

  parameters, bytes        3404, 13616
  multiply-adds for a row  66744
  numbers of a row, bytes  1543, 6172
$ samara net shapes alexnet_two --json | grep -o '"parameters": *[0-9]*' | tail -1
"parameters": 60965224

# What does not fit is told with the layer and both shapes.
$ samara net shapes "conv 8 3 stride=3" --input 7x7
samara: layer 1 (conv filters=8 size=3 stride=3 pad=0 groups=1 bias=yes round=exact), on 7 x 7 x 1: windows of 3, 3 apart, leave 1 of 7 rows over; stride=2 or pad=1 would fit, round=down leaves them out, round=up adds a window
[status 2]
$ samara net shapes "conv 8 3 | dens 5" --input 7x7
samara: in the net "conv 8 3 | dens 5" at character 12: there is no layer 'dens'; did you mean 'dense'?
[status 2]
$ samara net shapes "residual (conv 8 3)" --input 3x7x7
samara: layer 1 (residual of=(conv filters=8 size=3 stride=1 pad=0 groups=1 bias=yes round=exact)), on 5 x 5 x 8 and 7 x 7 x 3: only equal shapes can be added: chain 1 gives 5 x 5 x 8, chain 2 gives 7 x 7 x 3, what comes in; skip=(conv ...) can change that
[status 2]
$ samara net shapes "dense 10"
samara: --input is missing: the shape of an item, as in --input 3x224x224 (channels x height x width) or --input 784
[status 2]
$ samara net shapes "dense 10" --input 3x
samara: --input '3x' is not a shape: 3x224x224 is channels x height x width, 28x28 a picture of one channel, 784 a vector
[status 2]
$ samara net shape lenet5
samara: net knows shapes, not 'shape'
[status 2]
$ samara net shapes lenet6
samara: in the net "lenet6" at character 1: there is no layer 'lenet6'; did you mean 'lenet5'?
[status 2]

# Layers have pages of their own.
$ samara help avgpool
avgpool - Average pooling

  The mean of each window of each channel.

      y = mean over the window of x


Parameters
  size            [1, 4096], global, default 2
                  Height and width of a window: one number for both, two, or global.
                    global: the whole picture
  stride          [1, 4096], default unset
                  How far apart the windows are; unset: side by side.
  pad             [0, 4096], default 0
                  Rows and columns around the picture that windows may lie in.
  round           exact, down or up, default exact
                  What becomes of rows and columns that the windows do not fill.
                    exact: the windows must fill the picture; only padding may be left
                      over
                    down: rows and columns that are left over are not seen
                    up: one more window, part of which lies outside
  padding         yes or no, default no
                  Divide by the whole window, its padding as zeros, not by the part in
                  the picture.

Example
  avgpool 2
$ samara list nets
Known networks (samara net shapes NAME)
  alexnet         AlexNet, on one device; Krizhevsky, Sutskever & Hinton, NIPS 2012
  alexnet_two     AlexNet, in two groups as it was trained; Krizhevsky, Sutskever & Hinton, NIPS 2012
  googlenet       GoogLeNet (Inception v1); Szegedy et al., CVPR 2015
  lenet5          LeNet-5; LeCun, Bottou, Bengio & Haffner, Proceedings of the IEEE 86(11), 1998
  resnet18        ResNet-18; He, Zhang, Ren & Sun, CVPR 2016
  resnet34        ResNet-34; He, Zhang, Ren & Sun, CVPR 2016
  resnet50        ResNet-50; He, Zhang, Ren & Sun, CVPR 2016
  vgg_a           VGG, configuration A; Simonyan & Zisserman, ICLR 2015
  vgg_a_lrn       VGG, configuration A-LRN; Simonyan & Zisserman, ICLR 2015
  vgg_b           VGG, configuration B; Simonyan & Zisserman, ICLR 2015
  vgg_c           VGG, configuration C; Simonyan & Zisserman, ICLR 2015
  vgg_d           VGG, configuration D (VGG-16); Simonyan & Zisserman, ICLR 2015
  vgg_e           VGG, configuration E (VGG-19); Simonyan & Zisserman, ICLR 2015
  zfnet           ZFNet; Zeiler & Fergus, ECCV 2014

'samara help NAME' explains a learner, transform or generator.

# A network is trained, stops early, and tells of its layers.
$ samara train "standardize | net (dense 12 | tanh) patience=8" data/wine.csv --target cultivar -o wine.smr | grep -E "^fitted|^  accuracy"
fitted    178 rows, 13 features, * s, 200 iterations, not converged
  accuracy           0.972222 (0.858 to 0.995)    kappa              0.958042
$ samara inspect wine.smr | grep -A20 "^2  net" | tail -n +2
   weights          207
   multiply_adds    192
   batch            16
   epochs           200
   best_epoch       200
   rows_kept_apart  18
   train_loss       0.0355976
   train_error      0
   held_loss        0.0224085
   held_error       0
   layers
     layer   shape  weights  answers_first  answers_last  slopes_first  slopes_last
     dense1  12         168        1.03639       1.01572       0.22701    0.0321317
     tanh1   12           0       0.629205      0.699588      0.373559    0.0398915
     out1    3           39       0.843035       2.50268      0.604359    0.0400975
$ samara predict wine.smr data/wine.csv --proba | head -3
cultivar,p(class_0),p(class_1),p(class_2)
class_0,0.9952036435319699,0.0026276512806241306,0.0021687051874061526
class_0,0.9829238920834787,0.014345601231826564,0.002730506684694638

# It stops anywhere and goes on with the same bytes.
$ samara train "standardize | net (dense 6 | relu) epochs=40" data/iris.csv --target species --holdout 0 -q -o whole.smr
$ samara train "standardize | net (dense 6 | relu) epochs=40" data/iris.csv --target species --holdout 0 -q -o parts.smr --checkpoint net.ck --resume
$ cmp whole.smr parts.smr && echo the same
the same
$ samara train "net (dense 6 | relu)" data/iris.csv --target species --resume
samara: --resume needs --checkpoint FILE
[status 2]

# What cannot be trained is told before it is tried.
$ samara train "net (dense 20 | relu) rate=1e20 method=sgd" data/diabetes.csv --target progression
samara: net: the loss is not finite after 1 step (epoch 1): layer 3 (out1) gives numbers that floats do not hold; take a smaller rate, say rate=1e19, cut long gradients with clip=1, or scale the features (standardize)
[status 1]
$ samara train "net lenet5" data/digits.csv --target digit
samara: layer 3 (avgpool size=2 pad=0 round=exact padding=no), on 6: a window of 2 is larger than the 1 rows that come in; pad= adds zeros around them (while taking rows as vectors: input=28,28 makes pictures of 28 x 28 of them)
[status 2]
$ samara train "scale | net lenet5 input=8,8" data/digits.csv --target digit
samara: layer 4 (conv filters=16 size=5 stride=1 pad=0 groups=1 bias=yes round=exact), on 4 x 4 x 6: a window of 5 is larger than the 4 rows that come in; pad= adds zeros around them (while fitting stage 2, net)
[status 2]
$ samara train "net (dense 5 | relu) input=4,4" data/digits.csv --target digit
samara: net: input says that a row has 16 numbers, and it has 64 features
[status 2]
$ samara train "net (dense 5 | rleu)" data/iris.csv --target species
samara: in the net "(dense 5 | rleu)" at character 12: there is no layer 'rleu'; did you mean 'relu'?
[status 2]
$ samara train "net (dense 5 units=3)" data/iris.csv --target species
samara: in the net "(dense 5 units=3)" at character 10: this is given twice
[status 2]
$ samara train "net decay=1,2,3" data/iris.csv --target species
samara: net: decay has 3 numbers, and 2 layers have weights (out is one of them); give one for each, or one for all
[status 2]
$ samara train "net (dropout 0.5) method=lbfgs" data/iris.csv --target species
samara: net: layer 1 (dropout1) draws random numbers, and method=lbfgs needs a loss that stays the same; take method=adam
[status 2]
$ samara train "net rate=0.1 method=lbfgs" data/iris.csv --target species
samara: net: rate is not used with method=lbfgs; leave it out
[status 2]
$ samara train "net validation=0.2" data/iris.csv --target species
samara: net: validation is used only with patience>0
[status 2]
$ samara train "net loss=squared" data/wine.csv --target cultivar
samara: the target 'cultivar' holds text, and net with these parameters predicts numbers; choose a learner that classifies, such as logistic or knn
[status 1]
$ samara train "net (dense 30000 | relu)" data/iris.csv --target species --memory 5M
samara: net: training with batches of 16 rows needs 30.1 MB, and the memory budget leaves 4.9 MB; no batch fits: take smaller layers, or give more memory
[status 1]
$ samara train "net epochs=0" data/iris.csv --target species
samara: net: epochs = 0 is outside [1, 1000000]
[status 2]
$ samara train net data/iris.csv --target species --ignore sepal_length,sepal_width,petal_length,petal_width
samara: no columns are left to learn from beside the target
[status 1]

# A word may be a learner, a layer and a command: help shows all of them, --help after a command that alone.
$ samara help net | grep -E '^(net -|The command|samara net)'
net - Neural network
The command net
samara net shapes NET [--input SHAPE] [--outputs N]
$ samara help logistic | grep -E '^(logistic -|The layer)'
logistic - Logistic regression
The layer logistic
logistic - Scaled logistic
$ samara net --help | head -1
samara net shapes NET [--input SHAPE] [--outputs N]

# What each layer makes of a picture, and the pictures that were taken for another class.
$ samara train "scale | net (conv 4 3 | relu | maxpool 2 | dense 12 | relu) input=8,8 epochs=12" data/digits.csv --target digit -o shapes.smr --plot mistakes=mistakes.svg | grep -E "^  accuracy"
  accuracy           0.880223 (0.843 to 0.91)    log_loss           0.537344
$ grep -o "<desc>[^.]*\.[^.]*\." mistakes.svg
<desc>36 pictures, values from 0 to 16. 1, not 5 (1265).
$ samara explain maps shapes.smr data/digits.csv --row 9 --plot maps-conv1=conv.svg --plot input=input.svg
shapes.smr, data/digits.csv: maps
row 9: predicted 8

what each layer gives; zeros: share of its numbers that are 0, dead: maps or units that are 0 all over
  layer     shape         least      mean  largest     zeros  dead
  input     8 x 8 x 1         0  0.348763        1   0.40625     0
  conv1     6 x 6 x 4  -2.12383  0.813017  3.61952         0     0
  relu1     6 x 6 x 4         0    1.0177  3.61952  0.270833     0
  maxpool1  3 x 3 x 4         0   1.62424  3.61952  0.111111     0
  dense1    12         -3.07395   2.52617  7.53539         0     0
  relu2     12                0   3.03368  7.53539      0.25     3
  out1      10         -5.93949  -1.53576  1.59991         0     0
wrote     conv.svg
wrote     input.svg
$ samara explain maps shapes.smr data/digits.csv --row 9 --layer out1 --json | grep -c '"name": "maps-'
1
$ samara explain maps shapes.smr data/digits.csv --layer conv2
samara: --layer: the net has no layer 'conv2'; it has conv1, relu1, maxpool1, dense1, relu2, out1
[status 2]
$ samara explain maps shapes.smr data/digits.csv --row 2000
samara: --row: there is no row 2000; data/digits.csv has rows 1 to 1797
[status 2]
$ samara explain maps shapes.smr data/digits.csv --grid 3
samara: explain maps does not take --grid
[status 2]
$ samara explain maps wine.smr data/wine.csv --row 1 | head -3
wine.smr, data/wine.csv: maps
row 1: predicted class_0

$ samara explain importance shapes.smr data/digits.csv --layer conv1
samara: explain importance does not take --layer
[status 2]
$ samara train "tree 2" data/iris.csv --target species -q -o tree.smr >/dev/null; samara explain maps tree.smr data/iris.csv
samara: the model ends in 'tree', which has no layers; maps are those of net
[status 1]
