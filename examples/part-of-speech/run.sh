#!/bin/sh
# The figures of README.md, from the root of the repository after `make`.  The sentences are not in
# the repository: SAMARA_DATA names a folder with ud-english-ewt/en_ewt-ud-{train,dev,test}.conllu.gz
# (Universal Dependencies, English Web Treebank, CC BY-SA 4.0).
set -e
samara=build/samara
from=${SAMARA_DATA:-../shared/data}/ud-english-ewt
[ -e "$from/en_ewt-ud-train.conllu.gz" ] || { echo "no $from: set SAMARA_DATA" >&2; exit 1; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
here=$(dirname "$0")
for part in train dev test; do
    python3 "$here/make_table.py" "$from/en_ewt-ud-train.conllu.gz" "$from/en_ewt-ud-$part.conllu.gz" \
        > "$out/$part.csv"
done
how="--target tag --sequence sentence --type word=category --type ending=category \
    --type shape=category --type tag=category"

# measure SENTENCE PART WHICH [OPTIONS]: after fitting on train, the share of right words of that
# part (WHICH: accuracy), or of the most frequent tag (baseline)
measure() {
    sentence=$1 part=$2 which=$3
    shift 3
    # shellcheck disable=SC2086
    "$samara" train "$sentence" "$out/train.csv" --test "$out/$part.csv" $how "$@" 2> /dev/null |
        awk -v which="$which" '$1 == which { print $NF }'
}

echo "chosen on dev:"
for decode in viterbi posterior; do
    for smoothing in 0.001 0.003 0.01 0.03 0.1; do
        sentence="hmm smoothing=$smoothing decode=$decode"
        echo "$(measure "$sentence" dev accuracy) $sentence"
    done
done | tee "$out/tried"
best=$(sort -r "$out/tried" | head -1 | cut -d ' ' -f 2-)
echo "test, $best: $(measure "$best" test accuracy)"
echo "test, the same with viterbi: $(measure "${best%decode=*}decode=viterbi" test accuracy)"
for part in dev test; do
    echo "$part, words alone, unknown ones as gaps: $(measure "$best" $part accuracy \
        --ignore ending,shape --missing "<rare>")"
    echo "$part, always the most frequent tag: $(measure "$best" $part baseline)"
done
