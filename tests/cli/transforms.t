# A strongly skewed column is told with the words that change it.
$ samara make friedman1 n=300 --seed 2 -o f.csv -q && awk -F, 'NR==1{print $1",amount,left";next}{print $1","exp(19*$2)","1-exp(19*$3)}' f.csv > tail.csv && samara describe tail.csv 2>&1 >/dev/null | grep suit
samara: warning: column 'amount' is strongly skewed (skewness 4.22); the transforms log and ranks may suit it better
samara: warning: column 'left' is strongly skewed (skewness -3.13); the transforms power and ranks may suit it better

# An exponent is found for each column, and inspect shows it.
$ samara train power tail.csv -o p.smr -q && samara inspect p.smr | sed -n "/^1/,$ p"
1  power method=yeo_johnson standardize=yes column=''
   features
     feature      lambda      mean        sd
     x0         0.594894  0.449136  0.257591
     amount   -0.0101026   8.92526   4.79632
     left         2.0031  -9.51686   5.37315

# What is one to one comes back.
$ samara predict p.smr tail.csv -o z.csv -q && samara predict p.smr z.csv --inverse -o back.csv -q && paste -d, tail.csv back.csv | awk -F, 'NR>1{for(j=1;j<=3;j++){e=($j-$(j+3))/(1+($j<0?-$j:$j));if(e<0)e=-e;if(e>m)m=e}}END{print (m<1e-12?"the same":m)}'
the same

# Columns are named; one that does not come in is an error.
$ samara train "log amount" tail.csv -q && samara train "log price" tail.csv
samara: log: no column 'price' comes in
[status 1]

# Plain logarithms refuse what has none.
$ samara train "log shift=0" tail.csv
samara: log shift=0: column 'left' holds -175999000, and there is no logarithm of -175999000 + 0; name other columns in column=, take a larger shift, or leave shift= out for sign(x) log(1 + |x|)
[status 1]

# What was only a synonym is a word of its own, and words from elsewhere are understood.
$ samara help scale | head -3
scale - Scaling

  Brings features to comparable scales: by their range, their interquartile range or
$ samara train QuantileTransformer tail.csv
samara: there is no learner 'QuantileTransformer'; did you mean 'ranks'?
[status 2]

# Both ways to say the limits are one too many.
$ samara train "clip 0.05 low=0" tail.csv
samara: clip: share and low are both given; give one of them
[status 2]

# A stream takes what needs no second look.
$ samara stream "log | sgd absolute" tail.csv --target left -q; samara stream "ranks | sgd" tail.csv --target left
read      300 rows in * s; learned from 300
measured  mse 884000000000000, rmse 29730000, mae 13030000, each row before it was learned
samara: ranks needs all rows at once and cannot learn from a stream; these can: bin, clip, encode, hash, impute, kmeans, log, onehot, pca, poly, scale, standardize, words
[status 1]

# A measure of relative errors.
$ samara cv gamma tail.csv --target amount --ignore left --measure rmsle | tail -4
  measure     mean        sd      low     high   pooled
  rmsle    8.29191  0.510426  7.34125  9.24258  8.30447
baseline  always the mean: rmsle 8.30061
low and high: the mean's interval at 95 %; pooled: of all predictions together

# Categories become means of the target, which no training row sees of itself; new levels are the mean of all.
$ awk 'BEGIN{print "city,amount";for(i=0;i<600;i++){c=i*7%40;print "c" c "," c+i*13%9+0.25}}' > city.csv && samara train "encode | linear" city.csv --target amount -o e.smr -q && printf 'city\nc3\nc39\nelsewhere\n' | samara predict e.smr - -q | awk 'NR>1{printf "%.0f\n",$1}'
7
43
24

# What the levels became is in the model.
$ samara inspect e.smr | sed -n "/^1/,/c1 /p"
1  encode folds=5 missing=prior column=''
   levels
     feature  level                       code
     city     c0                       4.31748
     city     c1                        4.9154

# A target must be named.
$ samara train encode city.csv
samara: encode learns from examples with an answer: name its column with --target (a name, a position, or last)
[status 2]

# Hashing takes values that training never saw.
$ samara train "hash 512 column=city | ridge" city.csv --target amount -o h.smr -q && printf 'city\nc3\nc39\nelsewhere\n' | samara predict h.smr - -q | wc -l
4

# Neither can be undone, and each says why.
$ printf 'a,b\n1,2\n' > z.csv; samara predict e.smr z.csv --inverse
samara: stage 1, encode, cannot be undone: levels may share a mean
[status 1]

# The target too can be fitted as something else; predictions and measures are in its own unit.
$ awk 'BEGIN{print "x,price";for(i=1;i<=80;i++)print i "," exp(i/20+(i*7%5)/10)}' > p.csv && samara train "columns target=log | linear" p.csv --target price --holdout 0 -o p.smr -q && printf 'x\n40\n' | samara predict p.smr - -q | awk 'NR>1{printf "%.3f\n",$1}'
9.026

# What has no logarithm is named, and what takes its place.
$ printf 'x,y\n1,2.5\n2,0\n3,4\n' > z.csv; samara train "columns target=log | linear" z.csv --target y
samara: columns target=log: the target 'y' is 0 in row 2, which has no logarithm; target=log1p takes sign(y) log(1 + |y|) of any number
[status 1]
$ samara train "columns target=log | tree" data/iris.csv --target species
samara: columns target=log is for targets that are numbers, and 'species' has classes; leave it out, or say --task regress where numbers are meant
[status 2]

# The head of the model says what was fitted.
$ samara inspect p.smr | grep fitted_to
   fitted_to  log y

# Far outside the training rows an answer is a guess.
$ printf 'x\n40\n400\n-900\n' | samara predict p.smr - -o far.csv
samara: warning: values far outside the training rows: 'x' in 2 rows, as far as -900 (training: 1 to 80); what is predicted there is a guess
wrote     far.csv
$ samara train "columns target=log | stump" p.csv --target price --holdout 0 -o s.smr -q; samara explain path s.smr p.csv --row 3 -q | sed -n 2p
row 3: predicted 3.40417; fitted to log y, in whose unit trees answer
