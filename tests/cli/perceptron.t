# The truth tables of the course: 18 mistakes for AND, none too many.
$ printf 'a,b,y\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n' > and.csv
$ samara train "perceptron plain" and.csv --target y --holdout 0 -o and.smr -q; samara inspect and.smr | sed -n '/mistakes/,$p'
   mistakes  18
   passes    9
   separated
     radius          1.73205
     margin_found    0.185695
     bound_by_it     87
     largest_margin  0.242536
     bound           51
   coefficients
     feature      estimate
     (intercept)        -4
     a                   3
     b                   2
$ printf 'a,b,y\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n' > xor.csv
$ samara train "perceptron plain" xor.csv --target y --holdout 0 | grep -e fitted -e accuracy
samara: warning: perceptron: 100 passes, and the last still made 4 mistakes: the classes cannot be separated, or need more passes (max_iter); variant=averaged or logistic handle that better
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
samara: warning: every row was predicted as 'no': the model does not tell the classes apart; try other parameters or another learner, or a lower --threshold
samara: warning: 4 rows were measured: the true accuracy lies anywhere between 15 % and 85 % (95 % interval); measure on more rows, or with samara cv
fitted    4 rows, 2 features, * s, 100 iterations, not converged
  accuracy           0.5 (0.15 to 0.85)
  balanced_accuracy  0.5
baseline  always 'no': accuracy 0.5
$ samara train "standardize | perceptron voted" data/wine.csv --target cultivar -o v.smr | grep accuracy; samara inspect v.smr | sed -n '/mistakes/,$p'
  accuracy           0.944444 (0.819 to 0.985)    matthews           0.915888
  balanced_accuracy  0.942857
baseline  always 'class_1': accuracy 0.388889
   mistakes  34
   passes    6
   vectors   35
   separated
     radius        6.24753
     margin_found  0.00564491
     bound_by_it   2449810
$ samara train "perceptron margin=2" data/iris.csv --target species
samara: perceptron: margin is used only with variant=margin
[status 2]
