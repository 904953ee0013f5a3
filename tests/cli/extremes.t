# Values beyond the reach of sums of squares are refused with what to do, and never fitted to nonsense.
$ printf 'x,z,t,y\n1e300,2,a,1\n-3e300,1,b,2\n2e300,4,a,2.5\n-1e300,3,a,4\n1e299,1,b,3\n-2e300,5,b,1\n' > huge.csv
$ samara train ridge huge.csv --target y --ignore t --holdout 0 -q
samara: sums of squares overflow: rescale the columns
[status 1]
$ samara train logistic huge.csv --target t --ignore y --holdout 0 -q
samara: logistic: the features are so large that sums of squares overflow: rescale the columns
[status 1]
$ samara train perceptron huge.csv --target t --ignore y --holdout 0 -q
samara: perceptron: the score of a row is not finite: a value is infinite, or the values are too large; rescale the columns
[status 1]
$ samara train svm huge.csv --target t --ignore y --holdout 0 -q
samara: svm: sums of squares overflow: rescale the columns
[status 1]
$ printf '1 1:2 2:1\n0 1:inf 2:3\n1 1:1\n0 2:2\n' > huge.libsvm
$ samara train perceptron huge.libsvm --holdout 0 -q
samara: perceptron: the score of a row is not finite: a value is infinite, or the values are too large; rescale the columns
[status 1]
$ samara train logistic huge.libsvm --holdout 0 -q
samara: row 2, column '0': the value is not finite
[status 1]

# Columns far from 0 keep their spread: years, counters and times are fitted as their differences are.
$ printf 'x,t\n1000000001,a\n1000000002,a\n1000000003,b\n1000000004,a\n1000000005,b\n1000000006,b\n' > far.csv
$ sed 's/^100000000//' far.csv > near.csv
$ for m in logistic svm 'svm loss=squared_hinge' 'logistic l2=0'; do for f in near far; do samara train "$m" $f.csv --target t --holdout 0 -q -o m.smr > /dev/null; samara inspect m.smr --json | grep -A1 '"feature": "x"\|{"feature": "x"' | grep -o '"estimate": [-0-9.]\{1,6\}' ; done; done
"estimate": 0.7670
"estimate": 0.7670
"estimate": 0.6666
"estimate": 0.6666
"estimate": 0.3888
"estimate": 0.3888
"estimate": 1.2140
"estimate": 1.2140
