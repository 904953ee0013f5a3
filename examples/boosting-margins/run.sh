#!/bin/sh
# The table and the pictures of README.md, from the root of the repository after `make`.  Words are
# handed on: `sh examples/boosting-margins/run.sh rows=200 features=500 repeats=2 least=40`.
set -e
here=examples/boosting-margins
out=build/boosting-margins
mkdir -p "$out"
${CC:-cc} -O3 -march=native -std=gnu11 "$here/margins.c" -lm -o "$out/margins" ||
    ${CC:-cc} -O3 -std=gnu11 "$here/margins.c" -lm -o "$out/margins"
"$out/margins" json="$out/margins.json" "$@"
build/samara plot "$out/margins.json" --plot margins="$out/margins.svg" --plot error="$out/error.svg"
