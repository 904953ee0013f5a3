#!/bin/sh
# The table of README.md, from the root of the repository after `make`.  The sequences are not in
# the repository: SAMARA_DATA names a folder with splice-junction/splice.data.gz, lines of
# class,name,sequence (UCI's set of primate splice junctions, its letters joined).
set -e
samara=build/samara
file=${SAMARA_DATA:-../shared/data}/splice-junction/splice.data.gz
[ -e "$file" ] || { echo "no $file: set SAMARA_DATA" >&2; exit 1; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# cut_at NAME END...: a table of the parts of each sequence that end there, as columns p1, p2 ...
cut_at() {
    name=$1
    shift
    gzip -dc "$file" | awk -F, -v ends="$*" 'BEGIN {
        n = split(ends, end, " ")
        printf "class"; for (i = 1; i <= n; i++) printf ",p%d", i; print ""
    } {
        gsub(" ", "", $3); printf "%s", $1; from = 1
        for (i = 1; i <= n; i++) { printf ",%s", substr($3, from, end[i] - from + 1); from = end[i] + 1 }
        print ""
    }' > "$out/$name.csv"
}

# judge NAME PARTS WORD: the sum of that kernel over all parts, ten folds.
judge() {
    kernel= types=
    for i in $(seq "$2"); do
        kernel="$kernel${kernel:+ + }$(printf '%s' "$3" | sed "s/)/ column=p$i)/")"
        types="$types --type p$i=text"
    done
    # shellcheck disable=SC2086
    "$samara" cv "svm 10 kernel=\"$kernel\"" "$out/$1.csv" --target class $types --folds 10 -q |
        awk -v row="$(printf '%-12s %-20s' "$1" "$3")" '$1 == "accuracy" { print row, $2 }'
}

printf '%-12s %-20s %s\n' sequence kernel accuracy
cut_at whole 60
cut_at halves 30 60
cut_at eight-parts 10 20 26 30 34 40 50 60
judge whole 1 "spectrum(k=3)"
judge whole 1 "wspectrum(length=6)"
judge halves 2 "spectrum(k=3)"
judge halves 2 "wspectrum(length=4)"
judge eight-parts 8 "wspectrum(length=4)"
