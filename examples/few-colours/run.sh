#!/bin/sh
# The figures of README.md, from the root of the repository after `make`.
set -e
samara=build/samara
out=build/few-colours
mkdir -p "$out"

# figure KEY < RESULT.json
figure() {
    sed -n "s/^  \"$1\": \([0-9.]*\),*\$/\1/p"
}

echo 'colours    error     PSNR  bits/pixel'
for k in 2 4 8 16 32 64; do
    "$samara" quantize data/scene.png -k $k --json -o "$out/colours-$k.png" > "$out/result.json"
    printf '%7d %8.2f %8.2f %11.3f\n' $k "$(figure mse < "$out/result.json")" \
        "$(figure psnr < "$out/result.json")" "$(figure bits_per_pixel < "$out/result.json")"
done
echo
echo ' blocks    error     PSNR  bits/pixel'
for k in 16 64 256; do
    "$samara" quantize data/scene.png --block 4x4 -k $k --json -o "$out/blocks-$k.vq" > "$out/result.json"
    printf '%7d %8.2f %8.2f %11.3f\n' $k "$(figure mse < "$out/result.json")" \
        "$(figure psnr < "$out/result.json")" "$(figure bits_per_pixel < "$out/result.json")"
    "$samara" quantize "$out/blocks-$k.vq" -o "$out/blocks-$k.png" -q > "$out/log"
done
