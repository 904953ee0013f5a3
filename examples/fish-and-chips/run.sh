#!/bin/sh
# The story of README.md, from the root of the repository after `make`.
set -e
samara=build/samara
table=data/stomach.csv
model=$(mktemp)
trap 'rm -f "$model"' EXIT
for sentence in "linear" "ridge 1" "lasso" "select correlation | linear" \
    "poly 2 interactions=yes | standardize | lasso one_se=yes"; do
    printf '\n=== %s\n' "$sentence"
    "$samara" train "$sentence" "$table" --target upset --holdout 0 -o "$model" > /dev/null
    "$samara" inspect "$model" | sed -n '/^ *feature  /,/^ *\(path\|left_out\)/p'
done
