#!/bin/sh
# After an install: tells the loader of the new shared library.  Only where it looks by itself (a
# standard prefix), where this user may (root), and never for a staged tree.
# Usage: refresh_loader.sh DESTDIR PREFIX
set -eu
[ -z "$1" ] || exit 0
case "$2" in
/usr | /usr/ | /usr/local | /usr/local/) ;;
*) exit 0 ;;
esac
[ "$(id -u)" = 0 ] || exit 0
PATH=$PATH:/sbin:/usr/sbin
if command -v ldconfig >/dev/null 2>&1; then ldconfig; fi
