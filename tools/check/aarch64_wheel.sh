#!/bin/sh
# Cross-builds the Python wheels for aarch64 Linux and tests them under qemu-user, on the arm64 Python, lavapipe and ONNX
# Runtime. They are in build-wheel/wheel/ afterwards; the last line counts the test cases. For persons, not for CI: it
# takes some minutes and downloads about 150 MB the first time.
#
# sh tools/check/aarch64_wheel.sh
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"
# shellcheck source=tools/build/arm64.sh
. "$root/tools/build/arm64.sh"

folder=$root/build-aarch64-wheel
mkdir -p "$folder"
arm64_sysroot "$folder" libvulkan-dev mesa-vulkan-drivers python3
sh "$root/tools/build/onnxruntime_headers.sh" >/dev/null
configure build-aarch64-wheel/build --cross-file "$root/cross/aarch64-linux-gnu.ini" --cross-file "$folder/sysroot.ini" \
    -Dwerror=true -Dtests=false -Dtools=false -Dexamples=false "-Donnxruntime=$root/build-onnxruntime/include"
echo "Building"
sh "$root/tools/build/wheel.sh" --build "$folder/build"

onnx_environment
emulated=$(echo "$sysroot"/usr/bin/python3.[0-9]*[0-9])
version=${emulated##*python}
packages=$folder/packages
for package in numpy onnxruntime==1.32.0; do
    target=$packages/${package%==*}
    [ -d "$target" ] || quietly "pip install" "$python" -m pip install --quiet --disable-pip-version-check --target "$target" \
        --only-binary=:all: --python-version "$version" --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 \
        --platform manylinux2014_aarch64 "$package"
done

# ONNX Runtime reads the processor from /proc/cpuinfo and ends where there is no aarch64 one. qemu before 8.1 shows the file of
# this machine unless the sysroot has one.
QEMU_CPU=cortex-a72
export QEMU_CPU
mkdir -p "$sysroot/proc"
for number in $(seq 0 $(($(nproc) - 1))); do
    printf '%s\t: %s\n' processor "$number" Features "fp asimd evtstrm aes pmull sha1 sha2 crc32 cpuid" "CPU implementer" 0x41 \
        "CPU architecture" 8 "CPU variant" 0x0 "CPU part" 0xd08 "CPU revision" 3
    echo
done >"$sysroot/proc/cpuinfo"

results=$folder/testlog.json
: >"$results"
use_arm64_driver
# shellcheck source=tools/check/logged.sh
. "$root/tools/check/logged.sh"
echo "Testing"
logged "Python wheels of aarch64" env GALLIVM_PERF=nopt "PYTHONPATH=$root/tests/python" python3 "$root/tests/python/test_wheel.py" \
    "$root" "$python" "$packages" qemu-aarch64 -L "$sysroot" "$emulated"
python3 "$root/tools/check/summary.py" --root "$root" "$results"
