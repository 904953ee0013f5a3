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
