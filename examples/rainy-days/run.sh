#!/bin/sh
# The figures of README.md, from the root of the repository after `make`.
set -e
samara=build/samara
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$samara" train "hmm smoothing=0" data/rainy_days.csv --target weather --sequence week \
    --time-column day -o "$out/rainy.smr" --holdout 0 -q
"$samara" inspect "$out/rainy.smr" -q | sed -n '/emissions/,$p'
printf 'week,day,activity\n1,1,clean\n1,2,shop\n1,3,walk\n' > "$out/days.csv"
"$samara" predict "$out/rainy.smr" "$out/days.csv" --keep activity --proba --score -q
