#!/bin/sh
# Tests ONNX models (onnx.sh) on other drivers than the system's: lavapipe of Debian testing, and SwiftShader. What a driver's
# compiler is not done with in three minutes fails, by name. A line for each driver is printed at the end.
#
# sh tools/check/onnx_drivers.sh [--driver testing|swiftshader] [TEXT..]     both; TEXT: as onnx.sh has it
#   $VKDML_ONNX_SECONDS        instead of 180
#
# lavapipe and what it needs down to the C library, 39 packages of 64 MB, are unpacked into build-drivers/testing/: its ld.so, with its
# libraries, runs this system's programs. Mesa built with LLVM 21 is told to do without AVX-512 (docs/PORTING.md says why), unless
# $GALLIUM_OVERRIDE_CPU_CAPS says otherwise.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"
# shellcheck source=tools/build/debian.sh
. "$root/tools/build/debian.sh"

folder=$root/build-drivers/testing
build=$root/build-onnx/build
drivers="testing swiftshader"
if [ "${1-}" = --driver ]; then
    drivers=$2
    shift 2
fi

# on_testing, on_swiftshader COMMAND..: with the driver that the name says.
on_testing() (
    use_lavapipe "$folder"
    env VKDML_ONNX_LOADER="$loader --library-path $libraries" GALLIVM_PERF= "$@"
)

on_swiftshader() {
    icd=$(sh "$root/tools/check/swiftshader.sh" --setup-only)
    env VK_DRIVER_FILES="$icd" VK_ICD_FILENAMES="$icd" VKDML_DEVICE=SwiftShader "$@"
}

sh "$root/tools/check/onnx.sh" --setup-only
lines=
failed=
for driver in $drivers; do
    [ "$driver" != testing ] || unpack_lavapipe testing "$folder"
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
