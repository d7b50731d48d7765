#!/bin/sh
# Puts the headers of ONNX Runtime 1.23, whose API has number 23, into build-onnxruntime/include/: those that the plugin of
# integrations/onnxruntime/ is built against. They are in a package of Debian testing, which is unpacked, not installed.
#
# sh tools/build/onnxruntime_headers.sh      then: meson setup -Donnxruntime=$PWD/build-onnxruntime/include BUILD
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"

folder=$root/build-onnxruntime
[ ! -e "$folder/include/onnxruntime_ep_c_api.h" ] || exit 0
command -v apt-get >/dev/null 2>&1 || {
    echo "There is no apt-get: unpack ONNX Runtime's headers into $folder/include yourself" >&2
    exit 1
}
rm -rf "$folder"
mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$folder/include"
# The archive that this system uses, but testing.
archive=$(sed -n 's/^URIs: *\(.*debian\)\/* *$/\1/p' /etc/apt/sources.list.d/debian.sources 2>/dev/null | head -n 1)
[ -n "$archive" ] || archive=$(sed -n 's/^deb \(\[.*\] \)*\([^ ]*debian\)\/* .*/\2/p' /etc/apt/sources.list 2>/dev/null | head -n 1)
[ -n "$archive" ] || {
    echo "The system's list of packages names no archive of Debian" >&2
    exit 1
}
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive testing main" >"$folder/apt/sources.list"
options="-o Dir::Etc::SourceList=$folder/apt/sources.list -o Dir::Etc::SourceParts=/dev/null
    -o Dir::State::Lists=$folder/apt/lists -o Dir::Cache=$folder/apt/cache"
cd "$folder/apt"
# shellcheck disable=SC2086 # options
quietly "apt-get update" apt-get -qq $options update
# shellcheck disable=SC2086
quietly "apt-get download" apt-get -qq $options download libonnxruntime-dev
dpkg-deb --fsys-tarfile libonnxruntime-dev_*.deb | tar -xf - --wildcards --strip-components=4 -C "$folder/include" './usr/include/onnxruntime/*.h'
cd "$root"
rm -rf "$folder/apt"
ls "$folder/include"
