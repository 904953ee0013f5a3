#!/bin/sh
# uninstall.sh -- removes what the last `make install` put there.
#
#     tools/uninstall.sh BUILD/install_manifest.txt [DESTDIR]
set -eu
manifest=$1
root=${2:-}
if [ ! -e "$manifest" ]; then
    echo "uninstall: $manifest is not there: nothing was installed from this tree" >&2
    exit 1
fi
# The manifest has no newline after its last line.
while read -r file || [ -n "$file" ]; do
    [ -e "$root$file" ] || [ -L "$root$file" ] || continue
    rm -f "$root$file"
    echo "removed $root$file"
done <"$manifest"
# Folders of samara's own go when they are empty, the inner ones first.
sed 's|/[^/]*$||' "$manifest" | sort -ru | while read -r folder; do
    case "$folder" in
    */samara | */samara/* | */.debug) rmdir "$root$folder" 2>/dev/null || true ;;
    esac
done
