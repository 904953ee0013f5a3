#!/bin/sh
# setup.sh -- installs the packages of the named sections of packages.txt that are missing.
#
#     tools/setup.sh [-n] BUILD_DIR SECTION...
#
# -n only says what is missing (status 1 if anything is).  On Debian and Ubuntu missing packages are
# installed with apt-get, as root or through sudo; on other systems the list is printed and the work
# goes on.  Packages marked "?" that the distribution does not have are remembered in
# BUILD_DIR/.setup, together with the list's checksum, so that they are not asked for again.
# Plain POSIX sh and dpkg: nothing else may be assumed on a fresh machine.
set -eu
cd "$(dirname "$0")/.."

only_say=no
if [ "${1:-}" = "-n" ]; then
    only_say=yes
    shift
fi
build=$1
shift
list=packages.txt
stamp=$build/.setup
checksum=$(cksum <"$list")

say() { printf 'setup: %s\n' "$*" >&2; }

# Lines "name|other ?" of the named sections, without comments, each once.
wanted() {
    awk -v sections=" $* " '
        { sub(/#.*/, "") }
        /^\[/ { gsub(/[][ \t]/, ""); on = index(sections, " " $0 " "); next }
        on && NF { optional = sub(/\?/, ""); gsub(/[ \t]/, "")
                   line = $0 (optional ? " ?" : ""); if (!seen[line]++) print line }' "$list"
}

# The wanted lines of which no alternative is installed.
missing() {
    names=$(wanted "$@" | sed 's/ ?$//; s/|/ /g')
    # shellcheck disable=SC2086
    installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $names 2>/dev/null |
        awk '$1 == "installed" { printf " %s ", $2 }')
    wanted "$@" | while read -r names mark; do
        found=no
        for name in $(echo "$names" | tr '|' ' '); do
            case "$installed" in *" $name "*) found=yes ;; esac
        done
        [ $found = yes ] || echo "${names%%|*} $mark"
    done
}

# apt-get, as root or through sudo; what it says goes to a log, which is shown when it fails.
apt() {
    mkdir -p "$build"
    sudo=
    if [ "$(id -u)" != 0 ]; then sudo=sudo; fi
    if ! $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" >"$build/setup.log" 2>&1; then
        tail -n 20 "$build/setup.log" >&2
        return 1
    fi
}

is_known() { apt-cache show --no-all-versions "$1" >/dev/null 2>&1; }

if ! command -v dpkg-query >/dev/null 2>&1; then
    [ -e "$stamp" ] && exit 0
    say "this is not Debian or Ubuntu, so nothing was installed; needed are (by their Debian names):"
    wanted "$@" | sed 's/ ?$/ (optional)/; s/|/ or /g; s/^/    /' >&2
    mkdir -p "$build"
    echo "$checksum" >"$stamp"
    exit 0
fi

# Optional packages that were looked for with this very list and are not available.
given_up=" "
if [ -e "$stamp" ] && [ "$(head -n 1 "$stamp")" = "$checksum" ]; then
    given_up=" $(sed 1d "$stamp" | tr '\n' ' ') "
fi
needed=
optional=
while read -r name mark; do
    [ -n "$name" ] || continue
    case "$given_up" in *" $name "*) continue ;; esac
    if [ -n "$mark" ]; then optional="$optional $name"; else needed="$needed $name"; fi
done <<EOF
$(missing "$@")
EOF
if [ -z "$needed$optional" ]; then exit 0; fi

if [ $only_say = yes ]; then
    say "missing:$needed$optional"
    exit 1
fi
if ! command -v apt-get >/dev/null 2>&1; then
    say "these packages are missing and there is no apt-get to install them:$needed$optional"
    exit 1
fi
if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null 2>&1; then
    say "these packages are missing:$needed$optional"
    say "run this again as root, or install sudo, or ask an administrator for: apt-get install$needed"
    [ -z "$needed" ] && exit 0
    exit 1
fi

say "installing:$needed$optional"
for name in $needed $optional; do # an empty or old index: fetch it once
    if ! is_known "$name"; then
        apt update
        break
    fi
done
gone=
for name in $optional; do
    if is_known "$name"; then
        needed="$needed $name"
    else
        say "$name is not in this distribution; going on without it"
        gone="$gone $name"
    fi
done
# shellcheck disable=SC2086
if [ -n "$needed" ] && ! apt install --no-install-recommends $needed; then
    apt update # versions in the index may have been replaced on the mirror since
    apt install --no-install-recommends $needed
fi
rm -f build*/CMakeCache.txt # what was missing may be found now: configure again
mkdir -p "$build"
{
    echo "$checksum"
    for name in $gone; do echo "$name"; done
    if [ "$given_up" != " " ]; then for name in $given_up; do echo "$name"; done; fi
} >"$stamp.new"
mv "$stamp.new" "$stamp"
