#!/bin/sh
# has_arm64.sh -- whether samara can be built for arm64 and run here; if not, it says why.
#
#     tools/has_arm64.sh BUILD_DIR
#
# Where it cannot, BUILD_DIR/test-summary.txt says "skipped".
set -eu
cd "$(dirname "$0")/.."

skip() {
    printf 'arm64: skipped, %s\n' "$1"
    mkdir -p "$2"
    echo skipped >"$2/test-summary.txt"
    exit 1
}

for tool in aarch64-linux-gnu-gcc qemu-aarch64; do
    command -v $tool >/dev/null 2>&1 || skip "there is no $tool" "$1"
done
