#!/bin/sh
# What README.md shows, from the root of the repository after `make`.  With the word `all` it reads
# the plays of tiny-shakespeare, which are not in the repository: SAMARA_DATA names a folder with
# tiny-shakespeare/input.txt.gz.
set -e
here=examples/characters
out=build/characters
mkdir -p "$out"
${CC:-cc} -O2 -std=gnu11 -Iinclude "$here/characters.c" build/libsamara.so -lm \
    -Wl,-rpath,"$PWD/build" -o "$out/characters"
if [ "$1" = all ]; then
    data=${SAMARA_DATA:-../shared/data}/tiny-shakespeare/input.txt.gz
    [ -e "$data" ] || { echo "no $data: set SAMARA_DATA" >&2; exit 1; }
    gzip -dc "$data" > "$out/plays.txt"
    "$out/characters" "$out/plays.txt" 256 100 5 700
else
    "$out/characters" "$here/sonnets.txt" 64 25 500 400
fi
