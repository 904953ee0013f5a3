#!/bin/sh
# The story of README.md, from the root of the repository after `make`.  Pictures go to the folder
# that is named, or to a temporary one.
set -e
samara=build/samara
pictures=${1:-$(mktemp -d)}
points=$pictures/points.csv
mkdir -p "$pictures"
"$samara" make blobs n=300 d=2 classes=5 spread=8 --seed 11 -o "$points" > /dev/null
for start in random farthest; do
    for seed in 1 2; do
        printf '\n=== start=%s, seed %s\n' "$start" "$seed"
        "$samara" curve elbow "kmeans start=$start starts=1" "$points" --ignore y --over k=2..10 \
            --seed $seed --plot "elbow=$pictures/elbow-$start-$seed.svg" | grep -v wrote
    done
done
printf '\n=== the best of ten starts, and moves\n'
"$samara" curve elbow "kmeans starts=10 moves=20" "$points" --ignore y --over k=2..10 \
    --plot "elbow=$pictures/elbow-best.svg" --plot "silhouette=$pictures/silhouette.svg" | grep -v wrote
"$samara" train "kmeans 5" "$points" --target y --task cluster --holdout 0 \
    -o "$pictures/five.smr" > /dev/null 2>&1
"$samara" inspect "$pictures/five.smr" --plot "clusters=$pictures/clusters.svg" > /dev/null
printf '\n=== two moons: k-means, and clusters by density\n'
"$samara" make moons n=600 noise=0.08 --seed 2 -o "$pictures/moons.csv" > /dev/null
for sentence in "kmeans 2" "dbscan 0.15"; do
    "$samara" train "$sentence" "$pictures/moons.csv" --target y --task cluster --holdout 0 \
        -o "$pictures/moons.smr" > /dev/null 2>&1
    printf '%s: ' "$sentence"
    "$samara" evaluate "$pictures/moons.smr" "$pictures/moons.csv" -q 2> /dev/null |
        grep adjusted_rand | head -1
done
printf '\npictures are in %s\n' "$pictures"
