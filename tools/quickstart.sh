#!/bin/sh
# Builds vkdml and runs every example model, a small network, and at last an ONNX model, on this machine's best Vulkan device
# (or $VKDML_DEVICE).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"

# shellcheck disable=SC2086 # a list of packages
require $packages
require_meson
echo "Building the vkdml command and examples/network"
configure build
quietly "the build" ninja -C "$root/build" tools/vkdml examples/network

# Where models write their files.
mkdir -p "$root/build/quickstart"
named=
for model in "$root"/examples/models/*.json; do
    "$root/build/tools/vkdml" run --output_path "$root/build/quickstart" "$model" >"$log" || {
        cat "$log"
        echo "$model failed" >&2
        exit 1
    }
    [ -n "$named" ] || sed -n 1p "$log"
    named=1
    echo
    basename "$model" .json
    # Without the line that names the device, and the times, which are for benchmarks.
    sed -e 1d -e '/^Dispatch /d' -e 's/^/  /' "$log"
done
echo
"$root/build/examples/network"
echo
echo "classify.onnx, three pictures of random numbers, held to the CPU reference node by node"
"$root/build/tools/vkdml" run --size batch=3 --compare cpu "$root/examples/models/classify.onnx" >"$log" || {
    cat "$log"
    echo "classify.onnx failed" >&2
    exit 1
}
sed -e 1d -e 's/^/  /' "$log"
echo
echo "All example models ran, and two networks. Yours: build/tools/vkdml run MODEL.onnx"
