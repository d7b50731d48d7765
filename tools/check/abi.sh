#!/bin/sh
# Holds the ABI to what it was, by abidiff (Debian's abigail-tools): functions, the structs and enumerations they take,
# as the public headers declare them. A second.
#
# sh tools/check/abi.sh [--accept | --since REVISION] [--libraries BUILD]
#   with neither  against tests/headers/vkdml.abi: any change fails; and, where there is a tag, as --since the last one
#   --accept      writes that file anew: the change is wanted, and its diff is for the reviewer
#   --since       against the headers of a release: any change but functions added fails, unless the SONAME is another
#                 (from 1.0 on structs that grew at their end, as version.h allows, are for a person to judge)
#   --libraries   where libvkdml.so and libvkdml_onnx.so were built: they export what the headers declare, no more
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"

stored=$root/tests/headers/vkdml.abi
suppress=$root/tests/headers/abi.suppress
accept=
since=
libraries=
while [ $# -gt 0 ]; do
    case $1 in
    --accept) accept=1 ;;
    --since | --libraries)
        [ $# -gt 1 ] || { echo "$1 needs an argument" >&2 && exit 2; }
        [ "$1" = --since ] && since=$2 || libraries=$2
        shift
        ;;
    *)
        sed -n '5,10s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
    esac
    shift
done
if [ "$(uname -m)" != x86_64 ]; then
    echo "skipped: the stored ABI is x86-64's"
    exit 0
fi
require gcc libc6-dev python3 libvulkan-dev abigail-tools

work=$(mktemp -d "${TMPDIR:-/tmp}/vkdml-abi.XXXXXX")
trap 'rm -rf "$work" "$log"' EXIT

# library TREE OUT: the functions that a tree's headers declare, with debug information.
library() {
    onnx=$1/integrations/onnx/vkdml_onnx.h
    [ -e "$onnx" ] || onnx=
    # shellcheck disable=SC2086 # one name or none
    python3 "$root/tests/headers/abi_stubs.py" "$1"/include/vkdml/*.h $onnx >"$work/stubs.c"
    cc -std=c11 -g -O0 -shared -fPIC -Wl,-soname,libvkdml.so -I"$1/include" -o "$2" "$work/stubs.c"
}

# compare OLD NEW OPTION..: abidiff's report, and its status: 0 where nothing changed, else 4 or 12.
compare() {
    status=0
    abidiff --no-show-locs --suppressions "$suppress" "$@" >"$work/report" || status=$?
    if [ $((status & 3)) -ne 0 ]; then
        cat "$work/report" >&2
        echo "abidiff failed" >&2
        exit 1
    fi
}

library "$root" "$work/new.so"
if [ -n "$accept" ]; then
    abidw --no-corpus-path --no-comp-dir-path --no-elf-needed --no-show-locs --type-id-style hash \
        --suppressions "$suppress" --out-file "$stored" "$work/new.so"
    echo "$stored: $(wc -c <"$stored") bytes"
    exit 0
fi

failed=
if [ -n "$libraries" ]; then
    nm -D --defined-only "$work/new.so" | awk '{ print $3 }' | sort >"$work/declared"
    for file in src/libvkdml.so integrations/onnx/libvkdml_onnx.so; do
        nm -D --defined-only "$libraries/$file" | awk '{ print $3 }'
    done | sort >"$work/exported"
    if ! diff "$work/declared" "$work/exported" >"$work/report"; then
        sed -n 's/^</declared, not exported:/p; s/^>/exported, not declared:/p' "$work/report"
        failed=1
    else
        echo "$(wc -l <"$work/exported") functions are exported, those that are declared"
    fi
fi

if [ -z "$since" ]; then
    compare "$stored" "$work/new.so"
    if [ "$status" -ne 0 ]; then
        cat "$work/report"
        echo "the ABI is not that of tests/headers/vkdml.abi: sh tools/check/abi.sh --accept, if that is wanted"
        failed=1
    else
        echo "the ABI is that of tests/headers/vkdml.abi"
    fi
    since=$(git -C "$root" describe --tags --abbrev=0 2>/dev/null) || since=
fi

# soname TREE: what the SONAME has of the version.
soname() {
    sed -n 's/^#define VKDML_VERSION_\(MAJOR\|MINOR\) \([0-9]*\).*/\2/p' "$1/include/vkdml/version.h" | {
        read -r major
        read -r minor
        [ "$major" -eq 0 ] && echo "0.$minor" || echo "$major"
    }
}

if [ -n "$since" ]; then
    mkdir "$work/old"
    git -C "$root" archive "$since" | tar -x -C "$work/old"
    library "$work/old" "$work/old.so"
    compare --no-added-syms "$work/old.so" "$work/new.so"
    before=$(soname "$work/old")
    now=$(soname "$root")
    if [ "$before" != "$now" ]; then
        echo "since $since the SONAME changed, from libvkdml.so.$before to libvkdml.so.$now"
    elif [ "$status" -ne 0 ]; then
        cat "$work/report"
        echo "declarations of $since changed, and the SONAME is as it was, libvkdml.so.$now"
        failed=1
    else
        echo "programs built with $since run on"
    fi
fi
[ -z "$failed" ]
