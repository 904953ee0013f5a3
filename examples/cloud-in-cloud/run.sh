#!/bin/sh
# The story of README.md, from the root of the repository after `make`.  Pictures go to the folder
# that is named, or to a temporary one.
set -e
samara=build/samara
out=${1:-$(mktemp -d)}
"$samara" make blobs n=400 d=2 classes=1 sd=3 centres=0,0 --seed 1 -o "$out/wide.csv" -q
"$samara" make blobs n=200 d=2 classes=1 sd=0.5 centres=3,1 --seed 2 -o "$out/dense.csv" -q
awk 'FNR == NR { print; next } FNR > 1 { sub(/[^,]*$/, "1"); print }' \
    "$out/wide.csv" "$out/dense.csv" > "$out/clouds.csv"
for sentence in "kmeans 2" dbscan "spectral 2" "gmm 2 covariance=tied" "gmm 2"; do
    "$samara" train "$sentence" "$out/clouds.csv" --target y --task cluster --holdout 0 \
        -o "$out/model.smr" -q 2> /dev/null
    printf '%-22s' "$sentence"
    "$samara" evaluate "$out/model.smr" "$out/clouds.csv" -q | grep adjusted_rand | head -1
    case $sentence in
        "kmeans 2") "$samara" inspect "$out/model.smr" -q --plot "clusters=$out/kmeans.svg" > /dev/null ;;
        "gmm 2") "$samara" inspect "$out/model.smr" -q --plot "ellipses=$out/gmm.svg" > /dev/null ;;
    esac
done
printf '\n=== the components\n'
"$samara" inspect "$out/model.smr" -q | sed -n '/^ *components$/,$p'
printf '\n=== on the way from one cloud into the other: memberships, and how usual such a row is\n'
printf 'x0,x1\n3,1\n2.2,1\n1.8,1\n1.4,1\n0,0\n12,1\n' > "$out/way.csv"
"$samara" predict "$out/model.smr" "$out/way.csv" --proba --score -q
printf '\n=== how many?\n'
"$samara" train gmm "$out/clouds.csv" --ignore y --holdout 0 -o "$out/chosen.smr" -q
"$samara" inspect "$out/chosen.smr" -q --plot "criterion=$out/criterion.svg" |
    sed -n '/^ *tried/,$p' | head -6
printf '\n=== three new rows\n'
"$samara" make "$out/model.smr" rows=3 --seed 5 -q
printf '\npictures are in %s\n' "$out"
