#!/bin/sh
# The figures and pictures of README.md, from the root of the repository after `make`.  The pictures
# are not in the repository: SAMARA_DATA names a folder with fashion-mnist/*-ubyte.gz.
set -e
samara=build/samara
here=examples/shirts-and-trousers
data=${SAMARA_DATA:-../shared/data}/fashion-mnist
[ -e "$data/train-images-idx3-ubyte.gz" ] || { echo "no $data: set SAMARA_DATA" >&2; exit 1; }
out=build/shirts-and-trousers
mkdir -p "$out"
${CC:-cc} -O2 -std=gnu11 "$here/features.c" -lm -o "$out/features"
for part in train t10k; do
    gzip -dc "$data/$part-images-idx3-ubyte.gz" > "$out/images"
    gzip -dc "$data/$part-labels-idx1-ubyte.gz" > "$out/labels"
    "$out/features" "$out/images" "$out/labels" > "$out/$part.csv"
done
rm -f "$out/images" "$out/labels"

# judge NAME SENTENCE: fits all training rows, and says how many of the 2000 others are right.
judge() {
    "$samara" train "$2" "$out/train.csv" --target class --holdout 0 -o "$out/$1.smr" -q 2> "$out/$1.log" ||
        { cat "$out/$1.log" >&2; exit 1; }
    "$samara" predict "$out/$1.smr" "$out/t10k.csv" -o "$out/$1.csv" -q
    paste -d, "$out/t10k.csv" "$out/$1.csv" | awk -F, -v name="$2" 'NR == 1 {
            for (i = 1; i < NF; i++) if ($i == "class") truth = i
        } NR > 1 { right[$truth] += $NF == $truth; all[$truth]++ } END {
            printf "%-50s %4d of 2000 (shirts %d, trousers %d)\n", name, right["shirt"] + right["trouser"],
                   right["shirt"], right["trouser"]
        }'
}

judge naive "bayes"
judge full "gauss"
judge linear "gauss shared"
judge ascent "standardize | logistic 0 solver=gd max_iter=20000"
judge logistic "logistic 0"
echo
"$samara" inspect "$out/full.smr" | sed -n '/^   means/,/^   correlations/p;/^     class  *feature  *with/,$p'
"$samara" inspect "$out/logistic.smr" | grep -A 3 'feature *estimate'
"$samara" inspect "$out/full.smr" --plot "ellipses=$out/ellipses.svg" -q > /dev/null
for name in naive full logistic; do
    "$samara" explain regions "$out/$name.smr" "$out/t10k.csv" --columns mean,deviation \
        --plot "regions=$out/$name.svg" -q > /dev/null
done
"$samara" curve training "standardize | logistic 0 solver=gd max_iter=2000" "$out/train.csv" --target class \
    --plot "training=$out/ascent.svg" -q > /dev/null
