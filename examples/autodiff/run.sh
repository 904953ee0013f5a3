#!/bin/sh
# What README.md shows, from the root of the repository; needs a C compiler alone.
set -e
here=examples/autodiff
out=build/autodiff
mkdir -p "$out"
${CC:-cc} -O2 -std=c11 "$here/autodiff.c" -lm -o "$out/autodiff"
"$out/autodiff"
