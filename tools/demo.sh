#!/bin/sh
# demo.sh -- a first walk: look at a table, train, measure, inspect, predict.
#
#     tools/demo.sh build/samara
#
# Everything it writes goes to build/demo.
set -eu
samara=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
out=build/demo
mkdir -p "$out"

bold=
plain=
if [ -t 1 ]; then
    bold=$(printf '\033[1m')
    plain=$(printf '\033[0m')
fi

# Shows a command as a user would type it, and runs it.
show() {
    printf '\n%s$ samara' "$bold"
    for word in "$@"; do
        case "$word" in
        *[!A-Za-z0-9_./=,:-]*) printf ' "%s"' "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '%s\n' "$plain"
    "$samara" "$@"
}

say() { printf '\n# %s\n' "$*"; }

say "What is in the table?"
show describe data/iris.csv

say "Train on all rows; the measures come from a fifth that a second fit did not see."
show train "standardize | knn 5" data/iris.csv --target species -o "$out/iris.smr"

say "What did it learn?"
show inspect "$out/iris.smr"

say "Ask it."
show predict "$out/iris.smr" data/iris.csv --proba -o "$out/iris-predictions.csv"
head -n 4 "$out/iris-predictions.csv"

say "A regression, with the standard errors of its coefficients."
show train linear data/diabetes.csv --target progression -o "$out/diabetes.smr"
show inspect "$out/diabetes.smr"

say "Its measures on all rows (it was trained on them: compare with the held-out ones)."
show evaluate "$out/diabetes.smr" data/diabetes.csv

say "Which model? The same folds for all, and a yardstick."
show compare data/wine.csv --target cultivar "knn 5" "standardize | knn 5" "calibrate of=(standardize | knn 15)"

say "Which parameters? The winner is measured on rows that the search never saw."
show tune "standardize | knn" data/wine.csv --target cultivar --over "k=1..25:2 weight=*" -o "$out/wine.smr"

say "How good, and why: a page to look at in a browser."
show train "standardize | knn 15" data/breast_cancer.csv --target diagnosis --report "$out/report.html"

say "The same seed gives the same bytes, whatever the number of threads."
for threads in 1 2 7; do
    "$samara" train "standardize | knn 5" data/iris.csv --target species --quiet \
        --threads "$threads" -o "$out/threads-$threads.smr"
done
cksum "$out"/threads-*.smr
cmp "$out/threads-1.smr" "$out/threads-2.smr"
cmp "$out/threads-1.smr" "$out/threads-7.smr"

printf '\nModels, predictions and the report are in %s.\n' "$out"
