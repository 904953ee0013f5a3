# Rows are predicted, measured and learned; drift is reported; a stream is resumed bit for bit.
$ samara make blobs n=4000 d=2 classes=2 sd=4 --seed 1 -o first.csv -q
$ samara make blobs n=4000 d=2 classes=2 sd=4 --seed 5 -o second.csv -q
$ (cat first.csv; tail -n +2 second.csv) > both.csv
$ samara stream "standardize | sgd logistic" both.csv --target y --window 500 -o whole.smr
model     standardize center=yes scale=yes | sgd loss=logistic l1=0 tol=0.001 fit_intercept=yes class_weight=none method=plain schedule=auto rate=0 offset=0 batch=1 passes=1000 patience=3 average=no shuffle=yes watch=no
data      both.csv: 2 features, target y of 2 classes
        rows       error   in window    log loss
        1000       0.024       0.026     0.07833
        2000      0.0285       0.026     0.07818
        4000       0.031       0.022     0.08421
drift     suspected at row 4022: error 0.909 since row 4001, 0.031 before
        8000     0.05887       0.074      0.1539
read      8000 rows in * s; learned from 8000
measured  error 0.05887, accuracy 0.9411, log_loss 0.1539, each row before it was learned
saved     whole.smr
$ head -n 2222 both.csv | samara stream "standardize | sgd logistic" - --target y --warm-up 3000 -o cut.smr -q
read      2221 rows in * s; learned from 2221
measured  error 0.02882, accuracy 0.9712, log_loss 0.07909, each row before it was learned
saved     cut.smr
$ samara stream "standardize | sgd logistic" both.csv --target y --warm-up 3000 -o whole.smr -q
read      8000 rows in * s; learned from 8000
measured  error 0.05887, accuracy 0.9411, log_loss 0.1539, each row before it was learned
saved     whole.smr
$ samara stream --resume cut.smr both.csv -q
read      8000 rows in * s; learned from 5779
measured  error 0.05887, accuracy 0.9411, log_loss 0.1539, each row before it was learned
saved     cut.smr
$ cmp whole.smr cut.smr && echo the same
the same
$ gzip -c both.csv | samara stream "standardize | sgd logistic" - --target y --warm-up 3000 -o packed.smr -q --threads 1
read      8000 rows in * s; learned from 8000
measured  error 0.05887, accuracy 0.9411, log_loss 0.1539, each row before it was learned
saved     packed.smr
$ cmp whole.smr packed.smr && echo the same
the same
$ samara stream --from whole.smr --no-learn first.csv --predictions - --proba -q 2>/dev/null | tail -n 2
3999,1,0.0023318339450649275,0.997668166054935
4000,0,0.9906936539573538,0.009306346042646397
$ samara predict whole.smr first.csv --proba | tail -n 2
1,0.0023318339450649275,0.997668166054935
0,0.9906936539573538,0.009306346042646397
$ samara stream "standardize | sgd squared" data/diabetes.csv --target progression --every 150
model     standardize center=yes scale=yes | sgd loss=squared l1=0 tol=0.001 fit_intercept=yes class_weight=none method=plain schedule=auto rate=0 offset=0 batch=1 passes=1000 patience=3 average=no shuffle=yes watch=no
data      data/diabetes.csv: 10 features, target progression
        rows         mse   in window         mae
         150        4296        4296       50.74
         300        4222        4222       51.56
read      442 rows in * s; learned from 442
measured  mse 4060, rmse 63.72, mae 50.76, each row before it was learned
$ samara stream "standardize | linear solver=sgd" data/diabetes.csv --target progression -q
read      442 rows in * s; learned from 442
measured  mse 4060, rmse 63.72, mae 50.76, each row before it was learned
$ samara stream "onehot | sgd logistic" data/iris.csv --target species --classes setosa,versicolor,virginica --passes 2 -q
read      300 rows in * s; learned from 300
measured  error 0.03333, accuracy 0.9667, log_loss 0.1796, each row before it was learned
$ samara stream --from whole.smr first.csv --json | grep -E '^  "(command|rows|learned|measured_rows)"'
  "command": "stream",
  "rows": 4000,
  "learned": 4000,
  "measured_rows": 4000,

# What a stream cannot do is said before it begins.
$ samara stream "standardize | linear" data/diabetes.csv --target progression
samara: linear: solver=exact needs all rows at once; a stream is learned by 'linear solver=sgd'
[status 2]
$ samara train linear data/diabetes.csv --target progression -q -o exact.smr
$ samara stream --from exact.smr data/diabetes.csv -q
samara: linear: solver=exact needs all rows at once; a stream is learned by 'linear solver=sgd'
[status 2]
$ samara stream "standardize | knn" first.csv --target y
samara: knn needs all rows at once and cannot learn from a stream; these can: baseline, bayes, kmeans, kperceptron, linear, logistic, majority, perceptron, sgd
[status 1]
$ samara stream "impute median | sgd" first.csv --target y
samara: impute median needs all rows at once; on a stream use mean or constant, and category=keep
[status 1]
$ samara stream standardize first.csv --target y
samara: a stream is learned by a learner, and 'standardize' ends with the transform standardize
[status 2]
$ samara stream "sgd logistic" first.csv --target z
samara: first.csv has no column 'z'; it has x0, x1 and y
[status 2]
$ samara stream "sgd logistic" first.csv --target y --no-learn
samara: --no-learn needs a model: --from MODEL
[status 2]
$ samara stream "sgd logistic" first.csv --target y --bad perhaps
samara: --bad: stop or skip, not 'perhaps'
[status 2]
$ cat first.csv | samara stream "sgd logistic" - --target y --passes 2
samara: standard input can be read once only; --passes needs a file
[status 2]
$ samara stream --from whole.smr "sgd logistic" first.csv
samara: the model already has a sentence: leave out 'sgd logistic', or --from
[status 2]
$ samara stream "sgd logistic" first.csv --target y --predictions - --json
samara: --json and --predictions - both want standard output; give the predictions a file
[status 2]
$ samara stream --resume whole.smr data/iris.csv
model     standardize center=yes scale=yes | sgd loss=logistic l1=0 tol=0.001 fit_intercept=yes class_weight=none method=plain schedule=auto rate=0 offset=0 batch=1 passes=1000 patience=3 average=no shuffle=yes watch=no
data      data/iris.csv: 2 features, target y of 2 classes
        rows       error   in window    log loss
samara: data/iris.csv ends before the 8000 rows that whole.smr has already read: is this another file? --from learns from all rows of new data
[status 1]

# Bad rows end the stream after the rows before them, or are left out.
$ (cat first.csv; echo 1,2) | samara stream "sgd logistic" - --target y --warm-up 500 -o bad.smr -q
samara: standard input:4002: wanted 3 fields as in the first row, got 2 in '1,2'; is the row cut off, or the delimiter another one? (the model of the 4000 rows before it is saved in bad.smr)
[status 1]
$ (cat first.csv; echo 1,2,7) | samara stream "sgd logistic" - --target y --warm-up 500 -q
samara: standard input: row 4001: the target 'y' has the class '7', which the model does not know; name all classes with --classes when the stream begins
[status 1]
$ (cat first.csv second.csv) | samara stream "sgd logistic" - --target y --warm-up 500 -q
samara: standard input:4002: the header occurs again; a stream has one, at its beginning: remove this line, or add --bad skip
[status 1]
$ (cat first.csv; echo a,b,c) | samara stream "sgd logistic" - --target y --warm-up 500 -q
samara: standard input:4002: another header comes here ('a,b,c'); the columns of a stream must stay the same: begin a new stream with --from MODEL, or add --bad skip
[status 1]
$ (cat first.csv; echo 1,x,1) | samara stream "sgd logistic" - --target y --warm-up 500 -q
samara: standard input:4002: column 'x1' must hold numbers, but here it has 'x'; correct it, or if it stands for a missing value add --missing 'x'
[status 1]
$ (cat first.csv; echo ,2,1) | samara stream "sgd logistic" - --target y --warm-up 500 -q
samara: standard input: row 4001: the value of column 'x0' is missing, and the warm-up had no gap in a number; put 'impute |' in front of the sentence to allow them
[status 1]
$ (cat first.csv second.csv; printf '1,2\n1,2,7\n') | samara stream "sgd logistic" - --target y --warm-up 500 -q --bad skip
read      8001 rows in * s, 3 bad rows left out; learned from 8000
measured  error 0.0615, accuracy 0.9385, log_loss 0.1566, each row before it was learned
$ printf 'x,y\n' | samara stream "sgd logistic" - --target y
samara: standard input: has a header and no rows of data; if its one row is data, say that there is no header
[status 1]
$ printf '' | samara stream "sgd logistic" - --target y
samara: standard input: the file is empty
[status 1]
$ printf 'x,y\n1,a\n2,a\n' | samara stream "sgd logistic" - --target y
samara: the target 'y' has one class only, 'a': there is nothing to tell apart
[status 1]

# The model of a stream shows what was measured.
$ samara stream "standardize | sgd" data/diabetes.csv --target progression -o p.smr > out.txt; samara inspect p.smr | grep -A 5 '^measured'
measured when it was trained
   measured_on    stream
   measured_rows  442
   mse            4059.94
   rmse           63.7177
   mae            50.7571

# A bad row, even among the first ones, loses nothing of those before it.
$ (cat data/breast_cancer.csv; echo "a,b,c") | samara stream "standardize | sgd logistic" - -t diagnosis -o cut.smr -q
samara: standard input:571: wanted 31 fields as in the first row, got 3 in 'a,b,c'; is the row cut off, or the delimiter another one? (the model of the 569 rows before it is saved in cut.smr)
[status 1]
$ samara inspect cut.smr | grep -m1 '^rows'
rows      569
$ (head -300 data/breast_cancer.csv; echo; echo; cut -d, -f2- data/breast_cancer.csv) | samara stream sgd - -t diagnosis -o cut.smr -q
samara: standard input:303: wanted 31 fields as in the first row, got 30 in 'mean_texture,mean_perimeter,mean_area,me...'; is the row cut off, or the delimiter another one? (the model of the 299 rows before it is saved in cut.smr)
[status 1]
$ (head -30 data/breast_cancer.csv; echo "a,b") | samara stream sgd - -t diagnosis -o cut.smr -q
samara: standard input:31: wanted 31 fields as in the first row, got 2 in 'a,b'; is the row cut off, or the delimiter another one?
[status 1]
