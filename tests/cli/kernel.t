# Kernel matrices: check on a matrix that is given, and on a table.
$ printf '0,1\n1,0\n' > swap.csv; samara kernel check swap.csv
$ samara kernel check data/iris.csv --kernel "2*rbf(gamma=0.1) + poly(degree=2)*linear" --target species
$ samara kernel check data/iris.csv --kernel "linear - 2*rbf(gamma=0.5)" --target species
$ printf '1,2\n3,4\n' > skew.csv; samara kernel check skew.csv --json

# gram writes the matrix; check reads it.
$ printf 'x,y\n1,2\n0,1\n' > two.csv; samara kernel gram two.csv --kernel "(linear + 1)^2"
$ samara kernel gram two.csv --kernel "rbf(gamma=1)" -o K.csv && samara kernel check K.csv
$ samara kernel gram two.csv --kernel quadratic -o K.npy && samara kernel check K.npy

# Texts are read as they are; an empty one is like no other.
$ printf 'word\ncat\ncar\n""\n' > words.csv; samara kernel gram words.csv --type word=text --kernel "subsequence(2 normal=no)"
$ samara kernel gram words.csv --kernel "subsequence(2 column=word)"

# Mistakes.
$ samara kernel check two.csv --kernel "2*rbg"
$ samara kernel check two.csv --kernel "rbf(gamma=0)"
$ samara kernel check two.csv --kernel "linear + (rbf"
$ samara kernel check words.csv --kernel rbf --type word=text
$ samara kernel check two.csv --kernel spectrum
$ printf 'a,b\n1,2\n,3\n' > gap.csv; samara kernel check gap.csv --kernel linear
$ printf 'a,b\n1,2\n-1,3\n' > below.csv; samara kernel check below.csv --kernel chi2
$ printf '1,2\n3,4\n5,6\n' > tall.csv; samara kernel check tall.csv
$ samara kernel det two.csv
$ samara kernel check swap.csv --ignore 0
$ samara kernel check swap.csv -o K.csv
