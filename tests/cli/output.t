# Output that cannot be written leaves the old file and nothing else.
$ samara train knn data/iris.csv -t species -o nowhere/iris.smr
samara: nowhere/iris.smr: cannot be written: No such file or directory
[status 3]
$ samara train knn data/iris.csv -t species -o iris.smr -q; cp iris.smr old.smr
$ (ulimit -f 1; samara train "knn 3" data/iris.csv -t species -o iris.smr -q); cmp iris.smr old.smr && ls
samara: iris.smr: cannot be written: File too large
data
iris.smr
old.smr
$ (ulimit -f 1; samara convert data/digits.csv out.csv); ls out.csv
samara: out.csv: cannot be written: File too large
ls: cannot access 'out.csv': No such file or directory
[status 2]
$ samara describe data/iris.csv > /dev/full
samara: standard output cannot be written: No space left on device
[status 3]

# Ctrl-C during long work leaves nothing behind.
$ samara make linear n=120000 d=60 --seed 2 -o big.npy -q
$ timeout --foreground --preserve-status -s INT 1 samara train "knn algorithm=brute metric=manhattan" big.npy -t last -o big.smr; ls big.smr*
samara: cancelled*: what was done is lost, and no file was written
/ls:\ cannot\ access\ 'big\.smr\*':\ No\ such\ file\ or\ directory/
[status 2]

# The same bytes at 1, 2 and 7 threads, and on every CPU tier.
# Not under a sanitizer.
$ for n in 1 2 7; do samara train "standardize | knn 7" data/digits.csv -t digit -o t$n.smr --threads $n -q; done; cmp t1.smr t2.smr && cmp t1.smr t7.smr && echo same
same
$ for n in 1 2 7; do samara train "poly 2 | ridge path=5" data/diabetes.csv -t progression -o r$n.smr --threads $n -q; done; cmp r1.smr r2.smr && cmp r1.smr r7.smr && echo same
same
$ for t in base v3 v4; do SAMARA_TIER=$t samara predict t1.smr data/digits.csv --proba | md5sum; done | uniq | wc -l
1

# Too little memory is a sentence with the figure.
$ samara make linear n=20000 d=40 -o b.npy -q; samara train knn b.npy -t last --memory 4M
samara: out of memory: 6.6 MB more were asked for, past the memory budget; raise --memory or use less data
[status 1]

# So is a table of very many classes, before the fit: a score for each class of each held-out row.
$ awk 'BEGIN { print "a,y"; for (i = 0; i < 6000; i++) print i * 0.37 ",k" int(i / 2) }' > k.csv; samara train tree k.csv -t y --memory 20M
samara: measuring 1200 rows by a score for each of 3000 classes needs 28.8 MB, and the memory budget leaves * MB; measure fewer rows, such as --holdout 0.001
[status 1]

# The result never replaces what it is made from.
$ cp data/iris.csv mine.csv; samara train knn mine.csv -t species -o mine.csv -q; cmp mine.csv data/iris.csv && echo kept
samara: mine.csv would be replaced by the result; choose another -o
kept
$ samara predict iris.smr mine.csv -o mine.csv; cmp mine.csv data/iris.csv && echo kept
samara: mine.csv would be replaced by the result; choose another -o
kept

# Large numbers that are not whole have an exponent, their intervals too.
$ awk -F, -v OFS=, 'NR > 1 { $NF = $NF * 1000 } 1' data/diabetes.csv > large.csv; samara train ridge large.csv -t last | grep mse
  mse                 2.87111e9 (1.96e9 to 3.78e9)
  rmse                53582.8 (44300 to 61500)
baseline  always the mean, 151850: rmse 75720.6
