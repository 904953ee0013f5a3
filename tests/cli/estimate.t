# Distributions of columns, and Bayes' rule.
$ samara estimate data/coin.csv --prior "beta 2 2"
data/coin.csv: 3 rows; intervals of 95%

coin: bernoulli (every value is 0 or 1), 3 rows
  parameter        ML  MAP  post. mean  credible from        to  confidence from     up to
  p(1)       0.666667  0.6    0.571429       0.222778  0.881883        0.0942993  0.991596
  prior      beta 2 2
  posterior  beta 4 3
  log likelihood -1.90954 (likelihood 0.148148)
  fit: chi-square of equal shares, statistic 0.3333, df 1, p 0.5637
    (shares fit any column by construction; fewer than 5 rows are expected of a level, so p is rough)
$ samara estimate data/iris.csv sepal_length species --confidence 0.9
data/iris.csv: 150 rows; intervals of 90%

sepal_length: gaussian (numbers), 150 rows
  parameter        ML  unbiased      MAP  post. mean  credible from       to  confidence from    up to
  mean        5.84333   5.84333  5.84333     5.84333        5.73143  5.95524          5.73143  5.95524
  variance   0.681122  0.685694  0.67216    0.695023       0.572419  0.83891         0.572419  0.83891
  sd         0.825301         -        -    0.832264       0.756583  0.91592         0.756583  0.91592
  prior      1 / variance
  posterior  nig 5.84333 150 74.5 51.0842
  log likelihood -184.04
  fit: Anderson-Darling, statistic 0.8937, p 0.02251
    (p allows for parameters that come from the same rows; with many rows a small p may be a small departure)

species: categorical (a category), 150 rows
  parameter            ML       MAP  post. mean  credible from        to  confidence from     up to
  p(setosa)      0.333333  0.333333    0.333333       0.272089  0.397063          0.26961  0.402078
  p(versicolor)  0.333333  0.333333    0.333333       0.272089  0.397063          0.26961  0.402078
  p(virginica)   0.333333  0.333333    0.333333       0.272089  0.397063          0.26961  0.402078
  prior      dirichlet 1 1 1
  posterior  dirichlet 51 51 51
  log likelihood -164.792
  fit: chi-square of equal shares, statistic 0, df 2, p 1
    (shares fit any column by construction; this asks whether they are equal)
$ samara estimate data/iris.csv petal_length petal_width --family multivariate-gaussian
data/iris.csv: 150 rows; intervals of 95%

petal_length, petal_width: multivariate-gaussian, 150 rows
  parameter                                     ML  unbiased       MAP  post. mean  credible from        to  confidence from     up to
  mean(petal_length)                         3.758     3.758     3.758       3.758        3.47221   4.04379          3.47319   4.04281
  mean(petal_width)                        1.19933   1.19933   1.19933     1.19933        1.07593   1.32273          1.07635   1.32231
  variance(petal_length)                    3.0955   3.11628   3.03481     3.18031        2.52938   3.99551          2.51412   3.96527
  covariance(petal_length, petal_width)    1.28697   1.29561   1.26174     1.32223              -         -                -         -
  variance(petal_width)                   0.577133  0.581006  0.565817    0.592945       0.471583  0.744932         0.468739  0.739295
  correlation(petal_length, petal_width)  0.962865         -         -           -              -         -         0.949052  0.972985
  prior      |covariance|^(-(d+1)/2)
  log likelihood -272.792
  fit: Mardia's kurtosis, statistic 7.272, expected 8, p 0.2654
    (approximate, for many rows; it sees tails that are heavy or light, not every departure)
$ printf 'n,t\n0,0.3\n2,1.7\n1,0.2\n3,2.9\n1,0.8\n,1.1\n0,4.1\n2,0.1\n' > counts.csv; samara estimate counts.csv n t --prior "gamma 2 1" --family poisson
samara: 't' has the value 0.3, which no poisson variable has
[status 1]
$ samara estimate counts.csv n --prior "gamma 2 1" --family poisson
counts.csv: 8 rows; intervals of 95%

n: poisson (given), 7 rows, 1 gap left out
  parameter       ML   MAP  post. mean  credible from       to  confidence from    up to
  rate       1.28571  1.25       1.375       0.686395  2.29879          0.58791  2.44069
  prior      gamma 2 1
  posterior  gamma 11 8
  log likelihood -9.91622
  fit: chi-square of counts
    (too few rows for three values of which 5 are expected)
$ samara estimate counts.csv t --json | grep -c figures
1
$ samara estimate counts.csv n --family gamma
samara: there is no family 'gamma'; there are bernoulli, categorical, exponential, gaussian, multivariate-gaussian and poisson
[status 2]
$ samara estimate data/iris.csv species --family poisson
samara: 'species' is a category, which has no poisson distribution; bernoulli and categorical have
[status 1]
$ samara estimate data/coin.csv --confidence 0
samara: --confidence: 0 is not between 0 and 1
[status 2]
$ samara bayes-rule --prior 0.001 --sensitivity 0.99 --specificity 0.995 --classes ill,well
positive test
  hypothesis  prior  likelihood   product  posterior
  ill         0.001        0.99   0.00099   0.165414
  well        0.999       0.005  0.004995   0.834586
  in all its probability is 0.005985, the sum of the products

negative test
  hypothesis  prior  likelihood   product   posterior
  ill         0.001        0.01      1e-5  1.00602e-5
  well        0.999       0.995  0.994005     0.99999
  in all its probability is 0.994015, the sum of the products
$ samara bayes-rule --prior 0.5,0.3,0.2 --likelihood 0.1,0.4,0.7
what was seen
  hypothesis  prior  likelihood  product  posterior
  1             0.5         0.1     0.05    0.16129
  2             0.3         0.4     0.12   0.387097
  3             0.2         0.7     0.14   0.451613
  in all its probability is 0.31, the sum of the products
$ samara bayes-rule --prior 0.5,0.3 --likelihood 0.1,0.4
samara: the priors sum to 0.8, not to 1
[status 2]
$ samara bayes-rule --prior 0.5,0.5
samara: bayes-rule needs --likelihood P,..., or --sensitivity and --specificity of a test
[status 2]
$ samara bayes-rule --prior 0.5,0.5 --likelihood 1,x
samara: --likelihood: 'x' is not a number
[status 2]
$ samara bayes-rule --prior 0.5,0.5 --likelihood 1
samara: there must be a likelihood for each prior: the priors are 2, the likelihoods 1
[status 2]
$ samara bayes-rule --prior 0.5 --sensitivity 0.9
samara: a test needs one --prior, --sensitivity and --specificity, and no --likelihood
[status 2]
$ samara bayes-rule --prior 0.5 --sensitivity 1.9 --specificity 0.5
samara: --sensitivity: 1.9 is not between 0 and 1
[status 2]
$ samara bayes-rule --prior 0.5,0.5 --likelihood 1,0.5 --classes a
samara: --classes names 1, and the hypotheses are 2
[status 2]
$ samara bayes-rule --likelihood 1,0.5
samara: bayes-rule needs --prior P, how probable a hypothesis is beforehand
[status 2]
$ samara bayes-rule --prior 0.5,0.5 --likelihood 1.5,0.2
samara: --likelihood: 1.5 is not between 0 and 1, as the probability of what was seen is; divide densities by the largest
[status 2]
$ samara bayes-rule --prior 0.5,0.5 --likelihood 0.5,-0.2
samara: --likelihood: -0.2 is not between 0 and 1
[status 2]
$ samara bayes-rule --prior 0.5,0.5 --likelihood 0.5,nan
samara: --likelihood: 'nan' is not a number
[status 2]
$ samara bayes-rule --prior 0.5,0.5 --likelihood 0.5,inf
samara: --likelihood: inf is not between 0 and 1, as the probability of what was seen is; divide densities by the largest
[status 2]
$ samara bayes-rule --prior 0.5,0.5 --likelihood 0.5,
samara: --likelihood: '' is not a number
[status 2]
$ samara bayes-rule --prior 1.5 --sensitivity 0.9 --specificity 0.9
samara: --prior: 1.5 is not between 0 and 1
[status 2]
$ samara bayes-rule --prior "" --sensitivity 0.9 --specificity 0.9
samara: --prior: '' is not a number
[status 2]
$ samara bayes-rule --prior 0.1 --sensitivity 0.9 --specificity -0.1
samara: --specificity: -0.1 is not between 0 and 1
[status 2]
$ samara bayes-rule --prior 0.5,0.5 --likelihood 0.5,0.2 --classes a,a
samara: --classes names 'a' twice
[status 2]
$ samara bayes-rule --prior 0.5,0.5 --likelihood 0.5,0.2 --classes a,
samara: --classes: name 2 is empty
[status 2]
$ samara bayes-rule --prior 0.1 --sensitivity -0 --specificity 1 | head -3
negative test
  hypothesis  prior  likelihood  product  posterior
  true          0.1           1      0.1        0.1
$ samara bayes-rule --prior 0.5,0.5 --likelihood 0,0
samara: what was seen has probability 0 under every hypothesis of a prior above 0
[status 1]

# A prior that is a limit of priors is said to be one, and a posterior that the rows leave without a finite sum.
$ samara estimate data/coin.csv --prior "beta 0 1" | grep -E "prior|posterior"
  prior      beta 0 1 (improper: a limit of priors, not one)
  posterior  beta 2 2
$ printf 'x\n1\n1\n1\n' > ones.csv; samara estimate ones.csv --type x=number --prior "beta 0 0" | grep -E "p\(1|prior|posterior"
  p(1)        1    1           1              -   -         0.292402      1
  prior      beta 0 0 (improper: a limit of priors, not one)
  posterior  beta 3 0 (improper: the rows leave it without intervals)
$ samara estimate data/coin.csv --prior "beta 0 1" --json | grep -A 5 '"prior": {' | tr -d ' \n'; echo
"prior":{"name":"beta","parameters":[0,1],"improper":true},"posterior":{
