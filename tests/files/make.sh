#!/bin/sh
# make.sh -- writes the model files of one format and what they answer: sh make.sh SAMARA FOLDER.
#
# Run once, with the samara that introduces a format.  The files then stay as they are: a test
# (tests/unit/model/test_old_files.c) loads each and compares its answers bit for bit.
set -eu
samara=$1 folder=$2
rows=../ledger/houses.csv
mkdir -p "$folder"

make() { # NAME TARGET SENTENCE ROWS [HOW]
    "$samara" train "$3" "$4" --target "$2" --holdout 0 -q -j 1 -o "$folder/$1.model" >/dev/null
    head -n 9 "$4" | "$samara" predict "$folder/$1.model" - ${5-} -q -o "$folder/$1.csv"
}

make ridge price 'standardize | ridge 0.1,1' $rows
make knn sold 'standardize | knn 3' $rows --proba
make linear price 'poly 2 | linear' $rows
make logistic sold logistic $rows --proba
make tree sold 'tree 4' $rows --proba
make forest price 'forest 5' $rows
make boost price 'boost 6' $rows
make sgd price 'standardize | sgd' $rows
make select price 'select k=3 | ridge' $rows
make calibrate sold 'calibrate of=(tree 3)' $rows --proba
make conformal price 'conformal 0.5 of=(standardize | knn 5)' $rows
make nested price 'bag 3 of=(vote of=(ridge),(tree 2))' $rows
make words topic 'words min_count=12 | logistic' ../../data/messages.csv --proba
make svm sold 'standardize | svm 2' $rows --decision

# Of versions of a learner, by the samara before the next (FOLDER: versions):
# make svm-2 price 'standardize | svm 2 kernel=linear' $rows       points in place of weights
