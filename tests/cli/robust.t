# The minutes of six years among the calls of twenty-four: least squares follows them, the others do not.
$ for s in linear huber lad; do samara train "$s" data/phones.csv -t calls --holdout 0 -q -o m.smr; samara predict m.smr data/phones.csv -q | sed -n '2p;25p' | cut -c 1-4 | paste -sd ' '; done
-7.9 107.
-0.5 43.5
0.11 37.4
$ samara train lad data/phones.csv -t calls --holdout 0 -q -o lad.smr; samara inspect lad.smr | sed -n '/^1  lad/,$p'
1  lad l1=0 fit_intercept=yes
   quantile        0.5
   rows            24
   objective       844
   r1              0.153291
   zero_residuals  2
   share_below     0.458333
   duality_gap     0
   dual_balance    0
   interior_steps  7
   pivots          0
   coefficients
     feature      estimate
     (intercept)  -3163.22
     year          1.62222
$ samara train huber data/phones.csv -t calls --holdout 0 -q -o h.smr; samara inspect h.smr | sed -n '/^1  huber/,$p'
1  huber epsilon=1.35 scale=joint l2=0 fit_intercept=yes max_iter=200 tol=1e-7
   rows               24
   objective          1117.94
   sigma              5.63955
   threshold          7.61339
   share_of_outliers  0.375
   coefficients
     feature      estimate  std_error         z           p
     (intercept)  -3739.21    749.465  -4.98917  6.06377e-7
     year          1.91727   0.382887    5.0074  5.51715e-7
$ samara cv "quantile 0.9" data/diabetes.csv -t progression --measure pinball_90,mae | grep -e pinball -e mae
  pinball_90  10.0099  0.469612  9.13529  10.8846  10.0078
  mae         76.8478    5.4548  66.6883  87.0074  76.8498
baseline  always the 0.9-quantile: pinball_90 14.0555

# Positive means: factors, deviance, and measures of their own.
$ samara train "gamma" data/diabetes.csv -t progression --holdout 0 -q -o g.smr; samara inspect g.smr | sed -n '/^1  gamma/,/bmi/p'
1  gamma l2=0 l1=0 fit_intercept=yes max_iter=1000 tol=1e-10
   rows           442
   objective      33.0098
   mean_deviance  0.149366
   d2             0.479327
   dispersion     0.141792
   coefficients
     feature         estimate    factor   std_error            z            p
     (intercept)      1.77918   5.92501    0.469035      3.79329  0.000148667
     age          -0.00017544  0.999825  0.00150916     -0.11625     0.907455
     sex            -0.186358  0.829976   0.0405784     -4.59254   4.37888e-6
     bmi            0.0319791    1.0325  0.00498627      6.41343  1.42285e-10
$ samara cv "standardize | poisson 1" data/diabetes.csv -t progression --measure poisson_deviance | grep deviance
  poisson_deviance  20.6219  3.2859  14.5019  26.7418  20.6209
baseline  always the mean: poisson_deviance 39.4232

# The error for bad input names the row and the way out.
$ printf 'x,y\n1,2\n2,-3\n3,1\n4,4\n5,1\n' > n.csv; samara train poisson n.csv -t y --holdout 0
samara: poisson: the target of row 2 is -3, and must be 0 or more; huber and linear take any number
[status 1]
$ samara train gamma n.csv -t y --holdout 0
samara: gamma: the target of row 2 is -3, and must be more than 0; huber and linear take any number
[status 1]
$ printf 'x,y\n1,0\n2,0\n3,0\n' > z.csv; samara train poisson z.csv -t y --holdout 0 --task regress
samara: poisson: every target is 0: no finite coefficients give a mean of 0
[status 1]
$ samara train "huber 0.5" data/phones.csv -t calls
samara: huber: epsilon=0.5 with scale=joint: it must be more than 1, or no scale is the best; use scale=fixed for a threshold in the target's units
[status 2]
$ samara train "huber 0.5 scale=fixed" data/phones.csv -t calls --holdout 0 -q; samara train "huber scale=both" data/phones.csv -t calls
measured  on 24 training rows themselves: an optimistic figure
  mse                 4487.42 (695 to 8280)
  rmse                66.9882 (26.4 to 91)
  mae                 35.1667 (10.6 to 59.8)
  median_ae           2.93049
  max_error           182.155
  r2                  -0.0903648
  explained_variance  0.151748
  mape                0.39457
baseline  always the mean, 49.9917: rmse 64.1523
samara: huber: scale = both is none of joint or fixed
[status 2]
$ samara train "quantile 1" data/phones.csv -t calls
samara: quantile: q = 1 is outside (0, 1)
[status 2]
$ samara train "lad l1=-1" data/phones.csv -t calls
samara: lad: l1 = -1 is outside [0, inf)
[status 2]
$ printf 'a,b,c,y\n1,2,5,1\n2,4,5,3\n3,6,5,2\n4,8,5,9\n5,10,5,4\n' > c.csv; samara train lad c.csv -t y --holdout 0 --quiet -o c.smr; samara train lad c.csv -t y --holdout 0 2>&1 | grep 'add nothing'
samara: warning: lad: 2 of 3 columns add nothing to the others: 'b', 'c'. They got the coefficient 0; drop columns to choose which

# Several targets are reported one after another, and so is a variance above the mean.
$ samara train poisson data/diabetes.csv --target progression,s1 -o two.smr -q; samara inspect two.smr | grep -A 9 '^1 '; samara inspect two.smr | grep -A 6 'outputs s1'
1  poisson l2=0 l1=0 fit_intercept=yes max_iter=1000 tol=1e-10 errors=model
   caveat  the variance is 19.8 times the mean: true standard errors are some 4.45 times these (errors=quasi)
   rows    442
   outputs progression
     objective      4342.38
     mean_deviance  19.6488
     d2             0.500536
     dispersion     19.7897
     coefficients
       feature         estimate    factor    std_error         z             p
   outputs s1
     objective      39.7483
     mean_deviance  0.179856
     d2             0.971361
     dispersion     0.183781
     coefficients
       feature          estimate    factor    std_error          z             p

# A quantile is judged by its own loss.
$ samara train "quantile 0.9" data/diabetes.csv --target progression | grep -e pinball
  pinball_90  9.63806                    max_error           228.081
baseline  always the 0.9-quantile, 268: pinball_90 14.4273
$ samara cv "quantile 0.9" data/diabetes.csv --target progression | grep -A1 "measure  "
  measure                  mean         sd        low       high     pooled
  pinball_90            10.0099   0.469612    9.13529    10.8846    10.0078
$ samara compare data/diabetes.csv --target progression "quantile 0.9" "standardize | quantile 0.9 l1=1" | grep decided
decided   by pinball_90, lower is better
$ samara compare data/diabetes.csv --target progression "quantile 0.9" linear | grep -A1 decided
decided   by rmse, lower is better
          fitted to other losses: quantile to pinball_90; --measure names another
$ samara compare data/diabetes.csv --target progression "boost 20 loss=quantile q=0.9" "bag 3 of=(standardize | sgd quantile tau=0.9 l2=0.01)" | grep -e decided -e baseline
decided   by pinball_90, lower is better
     -  baseline: 0.9-quantile *14.0555 *12.499 *15.612 *worse *0 of 5 *
$ samara tune "boost 20 loss=quantile q=0.37" data/diabetes.csv --target progression --over rate=0.05,0.2 | grep ^search
search    grid, 2 candidates by pinball_37 (lower is better) on 5 folds of 354 rows
$ samara cv lad data/diabetes.csv --target progression | grep -A1 "measure  "
  measure                 mean         sd       low      high    pooled
  mae                  46.3526    5.66342   35.8045   56.9007   46.3516
$ samara curve learning poisson data/diabetes.csv --target progression | head -1
learning curve of poisson on data/diabetes.csv, poisson_deviance
$ samara train lad data/diabetes.csv --target progression | grep baseline
baseline  always the median, 141: mae 63
$ samara tune "quantile 0.9" data/diabetes.csv --target progression --over l1=0,1 | grep search
search    grid, 2 candidates by pinball_90 (lower is better) on 5 folds of 354 rows
On 88 rows that the search never saw, the winner's pinball_90 is no worse than its validation score (0.553 better); how much of that is chance is not known.
