#!/bin/sh
# The figures of README.md, from the root of the repository after `make`.
set -e
samara=build/samara
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$samara" train "hmm smoothing=0" data/rainy_days.csv --target weather --sequence week \
    --time-column day -o "$out/rainy.smr" --holdout 0 -q
"$samara" inspect "$out/rainy.smr" -q | sed -n '/emissions/,$p'
"$samara" predict "$out/rainy.smr" data/three_days.csv --keep activity --proba --score -q
