#!/bin/sh
# The story of README.md, from the root of the repository after `make`.  Pictures go to the folder
# that is named, or to a temporary one.
set -e
samara=build/samara
pictures=${1:-$(mktemp -d)}
for shape in "moons noise=0.08" "circles noise=0.05" "spirals noise=0.02"; do
    name=${shape%% *}
    "$samara" make $shape n=600 --seed 2 -o "$pictures/$name.csv" > /dev/null 2>&1
    for sentence in "kmeans 2" "gmm 2" "agglomerate 2" "agglomerate 2 linkage=single" dbscan \
        "spectral 2"; do
        "$samara" train "$sentence" "$pictures/$name.csv" --target y --task cluster --holdout 0 \
            -o "$pictures/model.smr" > /dev/null 2>&1
        printf '%-8s %-29s' "$name" "$sentence"
        "$samara" evaluate "$pictures/model.smr" "$pictures/$name.csv" -q 2> /dev/null |
            grep adjusted_rand | head -1
        method=${sentence%% *}
        case $sentence in "kmeans 2" | "spectral 2")
            "$samara" inspect "$pictures/model.smr" -q \
                --plot "clusters=$pictures/$name-$method.svg" > /dev/null ;;
        esac
    done
done
printf '\npictures are in %s\n' "$pictures"
