#!/bin/sh
# The figures of README.md, from the root of the repository after `make`.
set -e
samara=build/samara
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
python3 examples/dishonest-casino/make_table.py > "$out/casino.csv"
how="--sequence evening --type roll=category"
echo "known dice, ten folds"
# shellcheck disable=SC2086
"$samara" cv "hmm" "$out/casino.csv" --target die $how --folds 10 -q
echo "hidden dice: two states that nobody has named"
# shellcheck disable=SC2086
"$samara" train "hmm 2 restarts=10" "$out/casino.csv" --ignore die $how -o "$out/casino.smr" --holdout 0 -q
"$samara" inspect "$out/casino.smr" -q | sed -n '/emissions/,$p'
echo "how many rolls have the state that is most often the loaded die"
"$samara" predict "$out/casino.smr" "$out/casino.csv" --keep die -q | sort | uniq -c
