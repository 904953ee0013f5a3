#!/bin/sh
# The figures and pictures of README.md, from the root of the repository after `make`.  The pictures
# are not in the repository: SAMARA_DATA names a folder with cifar-10/*.bin.gz.
set -e
samara=build/samara
data=${SAMARA_DATA:-../shared/data}/cifar-10
train=$data/data_batch_1.bin.gz
test=$data/test_batch_first2000.bin.gz
epochs=${EPOCHS:-12}
[ -e "$train" ] || { echo "no $train: set SAMARA_DATA" >&2; exit 1; }
out=build/small-pictures
mkdir -p "$out"

# Three times: filters over windows of 3 x 3, what MIDDLE says, and the largest of each 2 x 2.
# chain MIDDLE AFTER END
chain() {
    for filters in 32 64 128; do
        printf 'conv %d 3 pad=1 | %s | maxpool 2%s | ' "$filters" "$1" "$2"
    done
    printf 'dense 128 | relu%s' "$3"
}

# learn NAME CHAIN SETTINGS: a tenth of the pictures is kept apart, to watch and to choose the best
# epoch; then all 2000 test pictures are asked about.
learn() {
    "$samara" train "scale | net ($2) epochs=$epochs batch=64 schedule=cosine patience=$epochs validation=0.1 $3" \
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

learn plain "$(chain relu '' '')"
learn decay "$(chain relu '' '')" decay=0.001
learn norm "$(chain 'norm | relu' '' '')"
learn dropout "$(chain 'norm | relu' ' | dropout 0.2' ' | dropout 0.5')"
learn changed "$(chain 'norm | relu' '' '')" "flip=yes shift=4"
learn both "$(chain 'norm | relu' ' | dropout 0.1' ' | dropout 0.3')" "flip=yes shift=4"
"$samara" inspect "$out/both.smr" --plot "filters=$out/filters.svg" -q > /dev/null
"$samara" explain maps "$out/both.smr" "$test" --row 1 --plot "input=$out/input.svg" \
    --plot "maps-relu1=$out/maps.svg" -q > /dev/null
"$samara" evaluate "$out/both.smr" "$test" --plot "mistakes=$out/mistakes.svg" \
    --plot "confusion=$out/confusion.svg" -q > /dev/null
