# Columns without names are known by their positions, even where the target's is not there.
$ printf 'a,1.5,2\nb,2,3\na,1,2\nb,2.5,3.5\na,1,1\nb,3,3\na,2,1\nb,2,4\n' > plain.csv; cut -d , -f 2,3 plain.csv > inputs.csv
$ samara train "knn 1" plain.csv --header no --target 0 --holdout 0 -o plain.smr -q
$ samara predict plain.smr plain.csv --header no > with.csv; samara predict plain.smr inputs.csv --header no > without.csv; cmp with.csv without.csv && echo the same
samara: warning: inputs.csv: its columns have no names and there is none for the target: they are taken as the training columns without the target
the same
$ samara predict plain.smr - --header no < inputs.csv | cmp - with.csv
samara: warning: -: its columns have no names and there is none for the target: they are taken as the training columns without the target
$ cut -d , -f 2 plain.csv | samara predict plain.smr - --header no
samara: standard input lacks 2 of the columns that the model needs: '1', '2'; its columns have no names (--header yes takes them from the first row)
[status 1]

# What training never saw is the average, not the level that comes first: a roof of one house does not speak for all others.
$ (echo roof,size,price; for i in $(seq 1 30); do echo "shingle,$i,$((100 + 10 * i))"; done; for i in $(seq 1 9); do echo "gravel,$i,$((90 + 10 * i))"; done; echo clay,20,140) > roofs.csv
$ samara train linear roofs.csv --target price --holdout 0 -o roofs.smr > log.txt
samara: warning: column 'roof' has 1 level of only one or two rows, 'clay': its coefficient is fitted to them alone; 'onehot drop=frequent min_rows=3 | ...' joins such levels, a penalty shrinks them
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
$ printf 'roof,size\nshingle,5\ngravel,5\nslate,5\n,5\n' > ask.csv; samara predict roofs.smr ask.csv --keep roof
samara: warning: column 'roof' is missing in 1 row, and training had no gap to learn from: it counts as unknown
samara: warning: column 'roof' has 1 level not seen in training, such as 'slate'; it counts as missing
roof,price
shingle,150
gravel,140
slate,143.75
,143.75
$ samara inspect roofs.smr | grep -A3 '^1 '
1  onehot max_levels=100 drop=frequent  (inserted)
   coded
     feature  levels  features  left_out  unknown
     roof          3         2  shingle   average

# Whole numbers of a file of labels are classes, however many, and also for linear; --task overrules it.
$ (printf '\000\000\010\003\000\000\000\064\000\000\000\001\000\000\000\002'; for i in $(seq 1 52); do k=$((i % 26 * 9)); printf "\\$(printf %03o $k)\\$(printf %03o $((255 - k)))"; done) > im.idx
$ (printf '\000\000\010\001\000\000\000\064'; for i in $(seq 1 52); do printf "\\$(printf %03o $((i % 26 + 1)))"; done) > la.idx
$ for l in "knn 1" linear "logistic 0.1"; do samara train "$l" im.idx --labels la.idx --holdout 0 2> log.txt | grep task; done
task      classify label: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ... (26 classes)
task      classify label: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ... (26 classes)
task      classify label: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ... (26 classes)
$ samara train "knn 1" im.idx --labels la.idx --holdout 0 --task regress 2> log.txt | grep task
task      regress label
