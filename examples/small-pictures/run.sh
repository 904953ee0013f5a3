#!/bin/sh
# The figures and pictures of README.md, from the root of the repository after `make`.  The pictures
# are not in the repository: SAMARA_DATA names a folder with cifar-10/*.bin.gz.
set -e
samara=build/samara
data=${SAMARA_DATA:-../shared/data}/cifar-10
train=$data/data_batch_1.bin.gz
test=$data/test_batch_first2000.bin.gz
[ -e "$train" ] || { echo "no $train: set SAMARA_DATA" >&2; exit 1; }
out=build/small-pictures
mkdir -p "$out"

# chain MIDDLE END: three times filters over windows of 3 x 3, what MIDDLE says, and the largest of
# each 2 x 2.
chain() {
    for filters in 32 64 128; do
        printf 'conv %d 3 pad=1 | %s | maxpool 2 | ' "$filters" "$1"
    done
    printf 'dense 128 | relu%s' "$2"
}

# learn NAME EPOCHS CHAIN SETTINGS: a tenth of the pictures is kept apart, to watch and to choose the
# best epoch; then all 2000 test pictures are asked about.
learn() {
    "$samara" train "scale | net ($3) epochs=$2 patience=$2 validation=0.1 batch=64 schedule=cosine $4" \
        "$train" --target label --test "$test" -o "$out/$1.smr" --json > "$out/$1.json"
    "$samara" inspect "$out/$1.smr" --plot "errors=$out/$1.svg" -q > /dev/null
    "$samara" inspect "$out/$1.smr" --json > "$out/$1-inside.json"
    python3 - "$1" "$out" << 'END'
import json
import sys
name, out = sys.argv[1:]
measured = json.load(open(f"{out}/{name}.json"))["measures"]
inside = json.load(open(f"{out}/{name}-inside.json"))["stages"][-1]
print(f"{name:10} accuracy {measured['accuracy']:.4f}   training error {inside['train_error']:.4f}   "
      f"kept apart {inside['held_error']:.4f}   best epoch {inside['best_epoch']}")
END
}

learn plain 12 "$(chain relu '')"
learn decay 12 "$(chain relu '')" decay=0.001
learn norm 12 "$(chain 'norm | relu' '')"
learn dropout 12 "$(chain 'norm | relu' ' | dropout 0.5')"
learn changed 12 "$(chain 'norm | relu' '')" "flip=yes shift=4"
learn longer 30 "$(chain 'norm | relu' '')" "flip=yes shift=4"
"$samara" inspect "$out/longer.smr" --plot "filters=$out/filters.svg" -q > /dev/null
"$samara" explain maps "$out/longer.smr" "$test" --row 1 --plot "input=$out/input.svg" \
    --plot "maps-relu1=$out/maps.svg" -q > /dev/null
"$samara" evaluate "$out/longer.smr" "$test" --plot "mistakes=$out/mistakes.svg" \
    --plot "confusion=$out/confusion.svg" -q > /dev/null
