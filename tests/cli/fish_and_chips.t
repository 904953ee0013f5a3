# Least squares names the columns that say the same thing, and shares their weight.
$ samara train linear data/stomach.csv --target upset -o linear.smr --holdout 0 | grep -v "^  "
samara: warning: 22 rows (11 %) equal another row in every input but not in 'upset': no model of these columns reaches an r2 above 0.987 on these rows
samara: warning: linear: 1 of 6 columns add nothing to the others: 'friday' = 'fish_and_chips'. Of all coefficients that fit equally well, the smallest were taken; drop columns to be able to interpret them
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
read      data/stomach.csv: 200 rows, 7 columns, * s
task      regress upset
model     columns unseen=missing dates=days target=as_is | linear fit_intercept=yes solver=exact method=auto
fitted    200 rows, 6 features, * s
measured  on 200 training rows themselves: an optimistic figure
baseline  always the mean, 1.9527: rmse 2.1011
saved     linear.smr
$ samara inspect linear.smr | grep -A8 "feature  "
     feature           estimate  std_error         t           p
     (intercept)       0.681261   0.568842   1.19763    0.232523
     fish_and_chips     2.12367          -         -           -
     friday             2.12367          -         -           -
     diet_coke          0.98003   0.198396   4.93975  1.68389e-6
     mentos             1.33876   0.211215   6.33841  1.59007e-9
     coffee           0.0430279   0.067436  0.638056     0.52419
     sleep           -0.0242563  0.0776697   -0.3123    0.755148

# Ridge shares it too, without a word: nothing is undetermined now.
$ samara train "ridge 1" data/stomach.csv --target upset -o ridge.smr --holdout 0 --quiet
$ samara inspect ridge.smr | grep -A8 "feature  "
     feature           estimate
     (intercept)       0.714249
     fish_and_chips     2.08039
     friday             2.08039
     diet_coke         0.953558
     mentos             1.30382
     coffee           0.0447656
     sleep           -0.0248936

# The lasso takes one of them, and says that it could have been the other.
$ samara train lasso data/stomach.csv --target upset -o lasso.smr --holdout 0 | grep saved
samara: warning: 22 rows (11 %) equal another row in every input but not in 'upset': no model of these columns reaches an r2 above 0.987 on these rows
samara: warning: lasso: 'fish_and_chips' and 'friday' say the same thing, and the penalty does not choose between them: any split of the weight between them fits equally well; drop one, or use elastic or ridge, which share it evenly
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
saved     lasso.smr
$ samara inspect lasso.smr | grep -A8 "feature  "
     feature           estimate
     (intercept)       0.694469
     fish_and_chips     4.14644
     diet_coke         0.911428
     mentos             1.26389
     coffee           0.0371246
     sleep           -0.0155313
   left_out  friday
   path

# A correlation for each column by itself keeps both, and blames Diet Coke and Mentos each for a little.
$ samara train "select correlation | linear" data/stomach.csv --target upset -o m.smr --holdout 0 --quiet
$ samara inspect m.smr | grep -A8 "correlation  "
     feature         correlation            p  kept
     fish_and_chips      0.71006  5.44875e-32   yes
     friday              0.71006  5.44875e-32   yes
     mentos             0.269055  0.000116943   yes
     diet_coke           0.16156    0.0222823   yes
     coffee            0.0923548     0.193365    no
     sleep             0.0326889     0.645864    no

2  linear fit_intercept=yes solver=exact method=auto

# Their product is what upsets the stomach; the lasso finds it among all products.
$ samara train "poly 2 interactions=yes | standardize | lasso one_se=yes" data/stomach.csv --target upset -o m.smr --holdout 0 --quiet
$ samara inspect m.smr | sed -n "/nonzero  /p;/estimate/,/left_out/p" | cut -c 1-60 | head -6
   nonzero      2
     feature           estimate
     (intercept)         1.9527
     fish_and_chips      1.2056
     diet_coke*mentos   1.01388
   left_out  friday, diet_coke, mentos, coffee, sleep, fish_
$ samara cv "linear" data/stomach.csv --target upset | grep "rmse"
samara: warning: linear: 1 of 6 columns add nothing to the others: 'friday' = 'fish_and_chips'. Of all coefficients that fit equally well, the smallest were taken; drop columns to be able to interpret them (in every round)
samara: warning: 22 rows (11 %) equal another row in every input but not in 'upset': no model of these columns reaches an r2 above 0.987 on these rows
  rmse                 1.31396   0.223566  0.897571   1.73035   1.32909       5
baseline  always the mean: rmse 2.09949
$ samara cv "poly 2 interactions=yes | standardize | lasso one_se=yes" data/stomach.csv --target upset | grep "rmse"
samara: warning: lasso: 'fish_and_chips' and 'friday' say the same thing, and the penalty does not choose between them: any split of the weight between them fits equally well; drop one, or use elastic or ridge, which share it evenly (in every round)
samara: warning: 22 rows (11 %) equal another row in every input but not in 'upset': no model of these columns reaches an r2 above 0.987 on these rows
  rmse                0.880854   0.103826  0.687478   1.07423  0.885735       5
baseline  always the mean: rmse 2.09949
