#!/bin/sh
# Tests ONNX models (onnx.sh) on other drivers than the system's: lavapipe of Debian testing, and SwiftShader. What a driver's
# compiler is not done with in three minutes fails, by name. A line for each driver is printed at the end.
#
# sh tools/check/onnx_drivers.sh [--driver testing|swiftshader] [TEXT..]     both; TEXT: as onnx.sh has it
#   $VKDML_ONNX_SECONDS        instead of 180
#
# lavapipe and what it needs down to the C library, 39 packages of 64 MB, are unpacked into build-mesa/: its ld.so, with its
# libraries, runs this system's programs. Mesa built with LLVM 21 is told to do without AVX-512 (docs/PORTING.md says why), unless
# $GALLIUM_OVERRIDE_CPU_CAPS says otherwise.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"
# shellcheck source=tools/build/testing.sh
. "$root/tools/build/testing.sh"

folder=$root/build-mesa
build=$root/build-onnx/build
drivers="testing swiftshader"
if [ "${1-}" = --driver ]; then
    drivers=$2
    shift 2
fi

unpack_testing() {
    [ ! -e "$folder/usr/share/vulkan/icd.d/lvp_icd.json" ] || return 0
    echo "Downloading lavapipe of Debian testing into build-mesa/" >&2
    rm -rf "$folder" "$folder.partial"
    mkdir -p "$folder.partial"
    begin_testing "$folder.partial/apt"
    download_testing_with_all mesa-vulkan-drivers libvulkan1 libjson-c5
    for package in *.deb; do
        dpkg-deb -x "$package" "$folder.partial"
    done
    cd "$root"
    rm -rf "$folder.partial/apt"
    mv "$folder.partial" "$folder"
}

# on_testing, on_swiftshader COMMAND..: with the driver that the name says.
on_testing() {
    libraries=$(echo "$folder"/usr/lib/*-linux-gnu)
    VKDML_ONNX_LOADER="$(echo "$libraries"/ld-linux*.so.?) --library-path $libraries"
    icd=$folder/usr/share/vulkan/icd.d/lvp_icd.json
    caps=${GALLIUM_OVERRIDE_CPU_CAPS-}
    [ -n "$caps" ] || [ ! -e "$libraries/libLLVM.so.21.1" ] || caps=avx
    env VKDML_ONNX_LOADER="$VKDML_ONNX_LOADER" VK_DRIVER_FILES="$icd" VK_ICD_FILENAMES="$icd" VKDML_DEVICE=llvmpipe \
        ${caps:+GALLIUM_OVERRIDE_CPU_CAPS="$caps"} GALLIVM_PERF= "$@"
}

on_swiftshader() {
    icd=$(sh "$root/tools/check/swiftshader.sh" --setup-only)
    env VK_DRIVER_FILES="$icd" VK_ICD_FILENAMES="$icd" VKDML_DEVICE=SwiftShader "$@"
}

sh "$root/tools/check/onnx.sh" --setup-only
lines=
failed=
for driver in $drivers; do
    [ "$driver" != testing ] || unpack_testing
    # shellcheck disable=SC2016 # of the shell that runs it
    name=$(on_"$driver" sh -c '${VKDML_ONNX_LOADER-} "$1" devices' sh "$build/tools/vkdml" | sed -n 's/^  driver: *//p' | head -n 1)
    echo "Testing on $name"
    on_"$driver" env VKDML_ONNX_SECONDS="${VKDML_ONNX_SECONDS:-180}" sh "$root/tools/check/onnx.sh" "$@" >"$root/build-onnx/$driver.log" || failed=1
    cat "$root/build-onnx/$driver.log"
    lines="$lines$name: $(tail -n 1 "$root/build-onnx/$driver.log")
"
done
printf '%s' "$lines"
[ -z "$failed" ]
