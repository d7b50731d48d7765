#!/bin/sh
# Runs the differential suite on SwiftShader, a CPU device of another maker than lavapipe's: without 8-, 16- and 64-bit features,
# without a promise about rounding or denormals, with a compiler of its own. The last line counts the test cases. Fails where
# the device is another one.
#
# sh tools/check/swiftshader.sh [--setup-only | --build FOLDER] [DIFFERENTIAL OPTION..]     e.g.: .. --cases 40 --seed 2
#   --setup-only                  only brings SwiftShader, and prints its ICD file
#   --build FOLDER                a configured build folder; build-swiftshader
#   $VKDML_SWIFTSHADER            another ICD file
#   $VKDML_SWIFTSHADER_SECONDS    an operator's tests fail after so long: its compiler may not come to an end; 300
#   $VKDML_SWIFTSHADER_OPERATORS  only these operators, without DML_OPERATOR_
#
# 6 random cases per operator, 30 of those with a frame of their own, unless told otherwise; two to ten seconds for most operators. SwiftShader is in Debian's package
# chromium-common (32 MB), of which the library and its ICD file (5 MB) are unpacked into build-swiftshader/; nothing else of
# chromium is downloaded, and nothing of it installed.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"
# shellcheck source=tools/check/logged.sh
. "$root/tools/check/logged.sh"

folder=$root/build-swiftshader
driver=$folder/driver
icd=${VKDML_SWIFTSHADER-$driver/usr/lib/chromium/vk_swiftshader_icd.json}

unpack_swiftshader() {
    [ ! -e "$icd" ] || return 0
    # Not through require(): the package would be installed, with a desktop's tools.
    if [ -n "${VKDML_SWIFTSHADER-}" ] || ! command -v apt-get >/dev/null 2>&1; then
        echo "There is no $icd: set VKDML_SWIFTSHADER to SwiftShader's ICD file" >&2
        exit 1
    fi
    echo "Downloading SwiftShader into build-swiftshader/" >&2
    rm -rf "$driver" "$driver.partial"
    mkdir -p "$driver.partial"
    cd "$driver.partial"
    # The lists of packages may be old, or not there.
    apt-get -qq download chromium-common >/dev/null 2>&1 || {
        quietly "apt-get update" as_root apt-get -qq update
        quietly "apt-get download" apt-get -qq download chromium-common
    }
    dpkg-deb --fsys-tarfile chromium-common_*.deb |
        tar -xf - ./usr/lib/chromium/libvk_swiftshader.so ./usr/lib/chromium/vk_swiftshader_icd.json
    rm chromium-common_*.deb
    cd "$root"
    mv "$driver.partial" "$driver"
}

if [ "${1-}" = --setup-only ]; then
    unpack_swiftshader
    echo "$icd"
    exit
fi

build=$folder
if [ "${1-}" = --build ]; then
    build=$(cd "$2" && pwd)
    shift 2
fi
# shellcheck disable=SC2086 # a list of packages
require $packages
require_meson
unpack_swiftshader
if [ "$build" = "$folder" ]; then
    echo "Building"
    configure build-swiftshader
fi
quietly "the build" ninja -C "$build" tests/differential/test_differential tools/vkdml

# The second name is for older loaders.
VK_DRIVER_FILES=$icd
VK_ICD_FILENAMES=$icd
VKDML_DEVICE=SwiftShader
export VK_DRIVER_FILES VK_ICD_FILENAMES VKDML_DEVICE
device=$("$build/tools/vkdml" devices | head -n 1)
case $device in
SwiftShader*) echo "Testing on $device" ;;
*)
    echo "The device is \"$device\", must be SwiftShader's" >&2
    exit 1
    ;;
esac

[ $# -ne 0 ] || set -- --cases 6
results=$folder/testlog.json
mkdir -p "$folder"
: >"$results"
operators=${VKDML_SWIFTSHADER_OPERATORS-$("$build/tools/vkdml" operators --names)}
for operator in $operators; do
    logged "$operator on SwiftShader" timeout "${VKDML_SWIFTSHADER_SECONDS:-300}" \
        "$build/tests/differential/test_differential" --no-skips --operator "$operator" "$@"
done
python3 "$root/tools/check/summary.py" --root "$root" "$results"
