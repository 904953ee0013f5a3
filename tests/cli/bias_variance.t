# Bias, variance and noise by repeated sampling, and their sum beside the measured error.
$ samara bias-variance "knn 5" --generator friedman --samples 50
knn 5, 50 samples of 100 rows from friedman, squared loss at 1000 test points
  bias2          7.57678
  variance       3.37119
  noise          1
  sum            11.948
  measured       11.9466
  difference     -0.00136243
  difference_se  0.165194
  bias_se        0.157266
  variance_se    0.06983
$ samara bias-variance linear --generator linear d=4 --noise 2 --rows 30 --samples 100 --test-rows 500
linear, 100 samples of 30 rows from linear, squared loss at 500 test points
  bias2          -0.0028528
  variance       0.847736
  noise          4
  sum            4.84488
  measured       4.40465
  difference     -0.440238
  difference_se  0.212658
  bias_se        0.0134327
  variance_se    0.0623793
$ samara bias-variance "knn 3" --generator moons noise=0.3 --samples 40 --rows 60 --test-rows 300
knn 3, 40 samples of 60 rows from moons, zero-one loss at 300 test points
  bias           0.0133333
  variance       0.0695833
  variance_up    0.06375
  variance_down  -0.00583333
  noise          0.0779296
  noise_effect   0.0400295
  sum            0.11128
  measured       0.12675
  difference     0.0154705
  difference_se  0.0112073
  bias_se        0.00662207
  variance_se    0.00479522
$ for n in 1 2 7; do samara bias-variance "knn 3" --generator xor --samples 20 --bag 3 --threads $n --json | grep -v '"seconds"' | md5sum; done | uniq | wc -l
1

# Bagging: the variance of the mean of m replicates.
$ samara bias-variance "knn 1" --generator friedman --samples 60 --rows 60 --test-rows 200 --bag 10
knn 1, 60 samples of 60 rows from friedman, squared loss at 200 test points
  bias2          7.2896
  variance       14.8759
  noise          1
  sum            23.1655
  measured       23.0692
  difference     -0.0963201
  difference_se  0.452881
  bias_se        0.447278
  variance_se    0.293899

bagging: one replicate has variance 15.7978, two on one sample have correlation 0.444811
  variance of the mean of m, measured over the samples and by (1 - rho) s2 / m + rho s2
   m  variance  variance_se  formula    error
   1   15.6097     0.363476  15.7978  24.3271
   2    11.363     0.282166  11.4124   20.151
   5   8.76339     0.215265  8.78117  17.6412
  10    7.9041      0.18822   7.9041  16.9698

# The trade-off over a parameter.
$ samara bias-variance knn --generator friedman --over "k=1,3,10,30" --samples 40 --test-rows 200
knn, 40 samples of 100 rows from friedman, squared loss at 200 test points
best knn.k: 10
  value    bias2  variance  noise      sum  measured
      1    6.095   14.3521      1  21.4471    21.392
      3  7.17323   5.29296      1  13.4662   13.4084
     10  9.83655   1.87118      1  12.7077   12.6979
     30  14.0109  0.737732      1  15.7487   15.7853

# A file has bias and noise together.
$ samara bias-variance "knn 5" data/iris.csv -t species --samples 30
knn 5, 30 samples of 50 rows from data/iris.csv, zero-one loss at 50 test points
  bias_and_noise  0.02
  variance        0.032
  variance_up     0.0226667
  variance_down   -0.00933333
  sum             0.0333333
  measured        0.0333333
  bias_se         0.019799
  variance_se     0.00326599
samples are random parts of one file, which share rows; noise cannot be told apart and is counted with the bias
$ samara bias-variance ridge data/diabetes.csv -t progression --samples 30
ridge, 30 samples of 147 rows from data/diabetes.csv, squared loss at 147 test points
  bias2_and_noise  3093.97
  variance         109.489
  sum              3203.46
  measured         3203.46
  bias_se          24.2132
  variance_se      8.29628
samples are random parts of one file, which share rows; noise cannot be told apart and is counted with the bias

# Bad input.
$ samara bias-variance knn --generator friedman --samples 1
samara: --samples: a variance needs at least 2 samples, not 1
[status 2]
$ samara bias-variance knn --generator fridman1
samara: there is no generator 'fridman1'; did you mean friedman1?
[status 2]
$ samara bias-variance knn --generator friedman n=50
samara: the rows of a sample are set by --rows, not by n=50
[status 2]
$ samara bias-variance knn --generator friedman nois=1
samara: friedman1 has no setting 'nois'; did you mean noise?
[status 2]
$ samara bias-variance knn --generator friedman data/iris.csv
samara: --generator and DATA (data/iris.csv) exclude each other: samples are drawn either by the generator or from the file
[status 2]
$ samara bias-variance knn --generator blobs --noise 1
samara: blobs has no setting 'noise'; it has n, d, classes, sd, spread, centres
[status 2]
$ samara bias-variance knn
samara: bias-variance needs a source of samples: --generator NAME, or one file
[status 2]
$ samara bias-variance knn data/iris.csv -t species --noise 1
samara: --noise is a setting of generators; a file has the noise it has
[status 2]
$ samara bias-variance knn data/iris.csv -t species --rows 100
samara: --rows: samples of 100 rows cannot differ, as 100 rows are there to draw them from; ask for fewer
[status 2]
$ samara bias-variance knn --generator sine --over "k=1,2 weight=*"
/samara:\ \-\-over\ varies\ one\ parameter\ here;\ 'k=1,2\ weight=\*'\ has\ 2/
[status 2]
$ samara bias-variance knn --generator sine --over k=1,2 --bag 5
samara: --bag and --over answer different questions; ask them one by one
[status 2]
$ samara bias-variance "knn 0" --generator sine
samara: knn: k = 0 is outside [1, 2147483647]
[status 2]
