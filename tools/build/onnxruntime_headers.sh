#!/bin/sh
# Puts the headers of ONNX Runtime 1.23, whose API has number 23, into build-onnxruntime/include/: those that the plugin of
# integrations/onnxruntime/ is built against. They are in a package of Debian testing, which is unpacked, not installed.
#
# sh tools/build/onnxruntime_headers.sh      then: meson setup -Donnxruntime=$PWD/build-onnxruntime/include BUILD
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"
# shellcheck source=tools/build/debian.sh
. "$root/tools/build/debian.sh"

folder=$root/build-onnxruntime
[ ! -e "$folder/include/onnxruntime_ep_c_api.h" ] || exit 0
rm -rf "$folder"
mkdir -p "$folder/include"
begin_debian testing "$folder/apt"
download_debian libonnxruntime-dev
dpkg-deb --fsys-tarfile libonnxruntime-dev_*.deb | tar -xf - --wildcards --strip-components=4 -C "$folder/include" './usr/include/onnxruntime/*.h'
cd "$root"
rm -rf "$folder/apt"
ls "$folder/include"
