#!/bin/sh
# The figures of README.md, from the root of the repository after `make`.  The sentences are not in
# the repository: SAMARA_DATA names a folder with ud-english-ewt/en_ewt-ud-{train,test}.conllu.gz
# (Universal Dependencies, English Web Treebank, CC BY-SA 4.0).
set -e
samara=build/samara
from=${SAMARA_DATA:-../shared/data}/ud-english-ewt
[ -e "$from/en_ewt-ud-train.conllu.gz" ] || { echo "no $from: set SAMARA_DATA" >&2; exit 1; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
here=$(dirname "$0")
for part in train test; do
    python3 "$here/make_table.py" "$from/en_ewt-ud-train.conllu.gz" "$from/en_ewt-ud-$part.conllu.gz" \
        > "$out/$part.csv"
done
types="--type word=category --type ending=category --type shape=category --type tag=category"
for smoothing in 0.001 0.01 0.1; do
    echo "smoothing $smoothing"
    # shellcheck disable=SC2086
    "$samara" train "hmm smoothing=$smoothing" "$out/train.csv" --test "$out/test.csv" --target tag \
        --sequence sentence $types -o "$out/tags.smr" 2> /dev/null | grep -E 'accuracy|log_likelihood|fitted'
done
echo "words alone, unknown ones as gaps"
# shellcheck disable=SC2086
"$samara" train "hmm smoothing=0.01" "$out/train.csv" --test "$out/test.csv" --target tag \
    --sequence sentence $types --ignore ending,shape --missing "<rare>" 2> /dev/null | grep -E 'accuracy'
