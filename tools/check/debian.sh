#!/bin/sh
# Builds and tests vkdml in a newer Debian than the system's: stable, bootstrapped into build-debian/stable (1.4 GB). Nothing else
# of the system is touched.
#
# 1. tools/quickstart.sh, on the bare system that debootstrap leaves.
# 2. GCC builds everything in the folder that the quick start configured, as C23, with warnings as errors, and the tests that use
#    no device run. They find what was installed since: a test that is skipped fails the script.
# 3. Clang does the same, and the tests that use a device run on that system's lavapipe under its validation layer with
#    synchronization validation.
# 4. A few cases run under GPU-assisted validation, which finds shaders that reach beyond what is bound.
#
# The last line counts the test cases.
#
# sh tools/check/debian.sh [--suite SUITE]       stable, or e.g. testing, another release of Debian
#
# Needs root, by sudo for others, for debootstrap and chroot. What was bootstrapped and built stays for the next time.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"
# shellcheck source=tools/build/debian.sh
. "$root/tools/build/debian.sh"
# shellcheck source=tools/check/logged.sh
. "$root/tools/check/logged.sh"

suite=stable
if [ "${1-}" = --suite ]; then
    suite=$2
    shift 2
fi
[ $# -eq 0 ] || {
    sed -n '/^# sh tools/s/^# //p' "$0" >&2
    exit 2
}

folder=$root/build-debian
system=$folder/$suite
results=$folder/testlog.json
mkdir -p "$folder"
: >"$results"

# inside COMMAND..: with $CC and $CXX, where they are set, in the other system's copy of the project.
inside() {
    as_root chroot "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        CMOCKA_MESSAGE_OUTPUT=TAP ${CC:+CC=$CC CXX=$CXX} sh -c 'cd /vkdml && exec "$@"' sh "$@"
}

CC=
CXX=
require debootstrap
if [ ! -e "$system/bootstrapped" ]; then
    echo "Bootstrapping Debian $suite"
    as_root rm -rf "$system"
    quietly debootstrap as_root debootstrap --variant=minbase "$suite" "$system" "$(debian_archive)"
    as_root mkdir "$system/vkdml"
    as_root touch "$system/bootstrapped"
fi

# What git knows, as it is here now; builds of the last time stay, and build again what is newer.
as_root find "$system/vkdml" -mindepth 1 -maxdepth 1 ! -name 'build*' -exec rm -rf {} +
(cd "$root" && git ls-files -z | tar --null -T - -c) | as_root tar -x --no-same-owner -C "$system/vkdml"
sh "$root/tools/build/onnxruntime_headers.sh" >/dev/null
as_root mkdir -p "$system/vkdml/build-headers"
as_root cp -R "$root/build-onnxruntime/include/." "$system/vkdml/build-headers"

options="-Dwerror=true -Dc_std=c23 -Dpython=false -Donnxruntime=/vkdml/build-headers"
logged "quickstart.sh on a bare Debian $suite" inside env "VKDML_MESON_OPTIONS=$options" sh tools/quickstart.sh
# shellcheck disable=SC2086 # a list of packages
quietly "apt-get install" inside apt-get -qq install --no-install-recommends $packages clang g++ spirv-tools $header_packages

# Both show what failed; $folder/log has what is going on.
shown() {
    status=0
    "$@" >"$folder/log" 2>&1 </dev/null || status=$?
    [ "$status" -eq 0 ] || grep -v '^ *[0-9]*/[0-9]* .* OK  \|^\[[0-9/]*\]' "$folder/log" || :
    return "$status"
}

# build FOLDER OPTION..
build() {
    echo "Building by $(inside "$CC" --version | head -n 1)"
    # shellcheck disable=SC2016 # the inner shell's variables
    shown inside sh -c 'root=/vkdml; . tools/build/setup.sh; configure "$@" && ninja -C "$1"' sh "$@"
}

# run FOLDER OPTION..: of `meson test`.
run() {
    tested=$1
    shift
    shown inside meson test -C "$tested" --no-rebuild --print-errorlogs --timeout-multiplier 10 "$@" || :
    cat "$system/vkdml/$tested/meson-logs/testlog.json" >>"$results"
}

CC=gcc
CXX=g++
# shellcheck disable=SC2086 # a list of options
build build $options
run build --suite host --no-suite source --no-suite docs --no-suite browser --no-suite consumers --no-suite python --no-suite tool \
    --no-suite "headers c++"
CC=clang
CXX=clang++
# shellcheck disable=SC2086 # a list of options
build build-clang $options -Dvalidation=true
# The second half of the serial kernels' cases and the varied ones run elsewhere: they take minutes here.
run build-clang --suite unit --suite graph --suite differential --suite onnx --no-suite host --no-suite long --no-suite appended \
    --no-suite tails --no-suite halves --no-suite varied

# What once loaded beyond what is bound, and nothing but this validation told of it.
assisted_cases() {
    cat <<'END'
CONVOLUTION seed=17 InputTensor=FLOAT16[1,2000,3,3] InputTensor.fill=UNIT FilterTensor=FLOAT16[3,2000,3,3] FilterTensor.fill=UNIT OutputTensor=FLOAT16[1,3,3,3] Mode=CROSS_CORRELATION Direction=FORWARD DimensionCount=2 Strides=1,1 Dilations=1,1 StartPadding=1,1 EndPadding=1,1 OutputPadding=0,0 GroupCount=1
QUANTIZED_LINEAR_MATRIX_MULTIPLY seed=1 ATensor=UINT8[1,1,8,16] AScaleTensor=FLOAT32[1,1,8,1] AScaleTensor.fill=UNIT AZeroPointTensor=UINT8[1,1,8,1] BTensor=INT8[1,1,16,8] BScaleTensor=FLOAT32[1,1,1,8] BScaleTensor.fill=UNIT BZeroPointTensor=INT8[1,1,1,8] OutputScaleTensor=FLOAT32[1,1,1,1] OutputScaleTensor.data=0.5 OutputZeroPointTensor=UINT8[1,1,1,1] OutputTensor=UINT8[1,1,8,8]
MAX_POOLING2 InputTensor=FLOAT32[1,2,5,6] OutputTensor=FLOAT32[1,2,5,3] OutputIndicesTensor=UINT32[1,2,5,3] DimensionCount=2 Strides=1,2 WindowSize=1,1 StartPadding=0,0 EndPadding=0,0 Dilations=1,1
END
}
assisted_cases | while read -r line; do
    logged "${line%% *}, GPU-assisted" inside env VKDML_TEST_VALIDATION=gpu VKDML_KERNEL_VARIANT=portable GALLIVM_PERF=nopt \
        build-clang/tests/differential/test_differential --case "$line"
done
python3 "$root/tools/check/summary.py" --root "$root" "$results"
