#!/bin/sh
# Tests on other drivers than the system's: Mesa's lavapipe of Debian stable and of testing, which are unpacked beside it into
# build-drivers/ (tools/build/debian.sh), 64 MB each; nothing is installed, no rights are needed. On each: every operator by
# `vkdml selftest`, in three variants of the kernels, then the differential suite, the command's tests and the examples. Where
# the driver has matrix cores also what multiplies FLOAT16 and INT8, on these. The last line counts the test cases.
#
# sh tools/check/drivers.sh [--quick] [--build FOLDER] [--driver stable|testing] [DIFFERENTIAL OPTION..]    e.g.: .. --cases 40
#   --quick                  no more than CI does: the self-test, examples, and products on matrix cores
#   --build FOLDER           a configured build folder; build-drivers/build
#   --driver NAME            only that one
#   $VKDML_DRIVER_SECONDS    an operator's tests fail after so long; 600
#   $GALLIUM_OVERRIDE_CPU_CAPS  instead of avx, which Mesa with LLVM 21 is told (docs/PORTING.md)
#
# One random case of each operator unless told otherwise.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"
# shellcheck source=tools/build/debian.sh
. "$root/tools/build/debian.sh"
# shellcheck source=tools/check/logged.sh
. "$root/tools/check/logged.sh"

folder=$root/build-drivers
build=
quick=
drivers="stable testing"
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=1 ;;
    --build)
        build=$(cd "$2" && pwd)
        shift
        ;;
    --driver)
        drivers=$2
        shift
        ;;
    *) break ;;
    esac
    shift
done
[ $# -ne 0 ] || set -- --cases 1

# What multiplies by matrix cores.
multiplying="GEMM CONVOLUTION MULTIHEAD_ATTENTION MULTIHEAD_ATTENTION1 MATRIX_MULTIPLY_INTEGER CONVOLUTION_INTEGER
QUANTIZED_LINEAR_MATRIX_MULTIPLY QUANTIZED_LINEAR_CONVOLUTION MATRIX_MULTIPLY_INTEGER_TO_FLOAT"

# on COMMAND..: by the driver's ld.so, with the folder $before, where it is set, before its libraries.
on() {
    program=$1
    shift
    "$loader" --library-path "${before:+$before:}$libraries" --argv0 "$program" "$program" "$@"
}

# differential WHAT OPERATORS OPTION..: each operator is a process, of which one that crashes takes no other along.
differential() {
    what=$1
    operators=$2
    shift 2
    for operator in $operators; do
        logged "$operator on $what" timeout "${VKDML_DRIVER_SECONDS:-600}" "$loader" --library-path "${before:+$before:}$libraries" \
            "$build/tests/differential/test_differential" --no-skips --operator "$operator" "$@"
    done
}

# test_cores WHAT OPTION..: with FLOAT16's denormals as lavapipe keeps them and does not state, without which there would be no
# products of FLOAT16 on matrix cores. That these are used is tested too.
test_cores() {
    what=$1
    shift
    before=$build/tests/tool/wrong
    VKDML_TEST_KEEPS_HALVES=1
    VKDML_TEST_VULKAN_LOADER=$libraries/libvulkan.so.1
    VKDML_KERNEL_VARIANT=subgroup
    export VKDML_TEST_KEEPS_HALVES VKDML_TEST_VULKAN_LOADER VKDML_KERNEL_VARIANT
    if on "$build/tools/vkdml" selftest --quick --operator ELEMENT_WISE_IDENTITY | grep -q 'using matrix cores.*FLOAT16.*INT8'; then
        differential "$what, matrix cores" "$multiplying" "$@"
    fi
    unset VKDML_TEST_KEEPS_HALVES VKDML_TEST_VULKAN_LOADER VKDML_KERNEL_VARIANT
    before=
}

# test_driver NAME OPTION..
test_driver() {
    unpack_lavapipe "$1" "$folder/$1"
    use_lavapipe "$folder/$1"
    shift
    before=
    what=$(on "$build/tools/vkdml" devices | sed -n 's/^  driver: *//p' | head -n 1)
    echo "Testing on $what"
    case $what in
    llvmpipe*) ;;
    *)
        echo "The driver must be lavapipe" >&2
        exit 1
        ;;
    esac
    for variant in serial subgroup portable; do
        logged "selftest on $what, $variant kernels" on "$build/tools/vkdml" selftest --quick --variant "$variant"
    done
    for example in hello import network chain graph nonzero dynamic_shape host_services; do
        logged "example $example on $what" on "$build/examples/$example"
    done
    test_cores "$what" "$@"
    [ -z "$quick" ] || return 0
    # The scripts of the command's tests start it themselves.
    cat >"$folder/vkdml" <<END
#!/bin/sh
exec "$loader" --library-path "$libraries" --argv0 "$build/tools/vkdml" "$build/tools/vkdml" "\$@"
END
    chmod +x "$folder/vkdml"
    for test in command command_line results; do
        logged "$test on $what" python3 "$root/tests/tool/test_$test.py" "$folder/vkdml" "$root/examples/models"
    done
    for variant in serial subgroup portable; do
        VKDML_KERNEL_VARIANT=$variant
        export VKDML_KERNEL_VARIANT
        differential "$what, $variant kernels" "$("$build/tools/vkdml" operators --names)" "$@"
        unset VKDML_KERNEL_VARIANT
    done
}

# shellcheck disable=SC2086 # a list of packages
require $packages
require_meson
mkdir -p "$folder"
if [ -z "$build" ]; then
    echo "Building"
    configure build-drivers/build
    build=$folder/build
fi
quietly "the build" ninja -C "$build"
# Compiling is most of what tests cost on lavapipe.
GALLIVM_PERF=${GALLIVM_PERF-nopt}
export GALLIVM_PERF
results=$folder/testlog.json
: >"$results"
for driver in $drivers; do
    (test_driver "$driver" "$@")
done
python3 "$root/tools/check/summary.py" --root "$root" "$results"
