#!/bin/sh
# Tests on other drivers than the system's: Mesa's lavapipe of Debian stable and of testing, which are unpacked beside it into
# build-drivers/ (tools/build/debian.sh), 64 MB each; nothing is installed, no rights are needed. On each: every operator by
# `vkdml selftest`, in three variants of the kernels, then the differential suite, the command's tests and the examples. Where
# it has matrix cores, in testing, also what multiplies FLOAT16 and INT8, on these, and by dot products. The last line counts the test cases.
#
# sh tools/check/drivers.sh [--quick] [--build FOLDER] [--driver stable|testing] [DIFFERENTIAL OPTION..]    e.g.: .. --cases 40
#   --quick                  no more than CI does: the self-test, a variant in one driver only, examples, and a case of each kernel on matrix cores
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
        drivers=${2-}
        case $drivers in
        stable | testing) ;;
        *)
            echo "--driver is '$drivers', must be stable or testing" >&2
            exit 2
            ;;
        esac
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

# differential KERNELS OPERATORS OPTION..: each operator is a process, of which one that crashes takes no other along.
differential() {
    kernels=$1
    operators=$2
    shift 2
    for operator in $operators; do
        logged "$operator on $what, $kernels" timeout "${VKDML_DRIVER_SECONDS:-600}" \
            "$loader" --library-path "${before:+$before:}$libraries" \
            "$build/tests/differential/test_differential" --no-skips --operator "$operator" "$@"
    done
}

# test_cores OPTION..: with FLOAT16's denormals, as lavapipe keeps them and does not state, without which there would be no
# products of FLOAT16 on matrix cores. That a product is made there is tested too.
test_cores() {
    before=$build/tests/tool/wrong
    VKDML_TEST_KEEPS_HALVES=1
    VKDML_TEST_VULKAN_LOADER=$libraries/libvulkan.so.1
    VKDML_KERNEL_VARIANT=subgroup
    export VKDML_TEST_KEEPS_HALVES VKDML_TEST_VULKAN_LOADER VKDML_KERNEL_VARIANT
    logged "a product on matrix cores of $what" is_made GEMM FLOAT16 FLOAT16 "on matrix cores"
    if [ -n "$quick" ]; then
        run_cases "on matrix cores of $what" core_cases
    else
        differential "matrix cores" "$multiplying" "$@"
    fi
    unset VKDML_TEST_KEEPS_HALVES VKDML_TEST_VULKAN_LOADER VKDML_KERNEL_VARIANT
    before=
}

# One of each kernel on matrix cores; execution=1: DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION.
core_cases() {
    cat <<'END'
GEMM seed=1 ATensor=FLOAT16[1,1,64,128] ATensor.fill=UNIT BTensor=FLOAT16[1,1,128,64] BTensor.fill=UNIT OutputTensor=FLOAT16[1,1,64,64] TransA=NONE TransB=NONE Alpha=1 Beta=0
GEMM seed=2 execution=1 ATensor=FLOAT32[1,1,70,40] ATensor.fill=UNIT BTensor=FLOAT32[1,1,50,40] BTensor.fill=UNIT OutputTensor=FLOAT32[1,1,70,50] TransA=NONE TransB=TRANSPOSE Alpha=1 Beta=0
CONVOLUTION seed=2 InputTensor=FLOAT16[2,32,8,8] InputTensor.fill=UNIT FilterTensor=FLOAT16[64,32,3,3] FilterTensor.fill=UNIT OutputTensor=FLOAT16[2,64,8,8] Mode=CROSS_CORRELATION Direction=FORWARD DimensionCount=2 Strides=1,1 Dilations=1,1 StartPadding=1,1 EndPadding=1,1 OutputPadding=0,0 GroupCount=1
MULTIHEAD_ATTENTION seed=2 QueryTensor=FLOAT16[1,128,128] QueryTensor.fill=UNIT KeyTensor=FLOAT16[1,128,128] KeyTensor.fill=UNIT ValueTensor=FLOAT16[1,128,128] ValueTensor.fill=UNIT OutputTensor=FLOAT16[1,128,128] Scale=0.125 MaskFilterValue=-10000 HeadCount=2 MaskType=NONE
MATRIX_MULTIPLY_INTEGER seed=3 ATensor=INT8[1,1,40,72] BTensor=INT8[1,1,72,40] OutputTensor=INT32[1,1,40,40]
CONVOLUTION_INTEGER seed=8 InputTensor=UINT8[2,32,9,10] FilterTensor=INT8[48,32,3,3] OutputTensor=INT32[2,48,9,10] DimensionCount=2 Strides=1,1 Dilations=1,1 StartPadding=1,1 EndPadding=1,1 GroupCount=1
END
}

# run_cases WHERE HOW: of which HOW prints the lines.
run_cases() {
    "$2" | while read -r line; do
        logged "${line%% *} $1" on "$build/tests/differential/test_differential" --case "$line"
    done
}

# Products of bytes, with matrix cores left out.
test_dots() {
    VKDML_KERNEL_VARIANT=portable
    export VKDML_KERNEL_VARIANT
    logged "a product by dot products of $what" is_made MATRIX_MULTIPLY_INTEGER INT8 INT32 "by dot products"
    # Else they are among all operators by portable kernels.
    [ -z "$quick" ] || run_cases "by dot products of $what" integer_cases
    unset VKDML_KERNEL_VARIANT
}

integer_cases() { core_cases | grep INTEGER; }

# Mesa 26.1 crashed where windows of more steps than a dispatch takes load results again (glsl/neighbours/pool.comp), and
# flushes denormals, as the inverse of a large norm.
special_cases() {
    cat <<'END'
LP_POOLING seed=3 InputTensor=FLOAT32[1,1,97,251] InputTensor.fill=UNIT OutputTensor=FLOAT32[1,1,1,2] DimensionCount=2 Strides=1,1 WindowSize=97,250 StartPadding=0,0 EndPadding=0,0 P=4
MAX_POOLING2 seed=4 InputTensor=FLOAT32[1,1,97,251] InputTensor.fill=SMALL OutputTensor=FLOAT32[1,1,1,2] OutputIndicesTensor=UINT32[1,1,1,2] DimensionCount=2 Strides=1,1 WindowSize=97,250 StartPadding=0,0 EndPadding=0,0 Dilations=1,1
LP_NORMALIZATION seed=1 InputTensor=FLOAT32[1,4] InputTensor.data=0x7f000000,0xff000000,0x7e000000,0x3f800000 OutputTensor=FLOAT32[1,4] Axis=1 Epsilon=0x0 P=2
END
}

# is_made OPERATOR TYPE TYPE_OF_RESULTS HOW: a product, as `vkdml explain` tells it.
is_made() {
    more=
    [ "$1" != GEMM ] || more=', "TransA": "NONE", "TransB": "NONE", "Alpha": 1, "Beta": 0'
    cat >"$folder/product.json" <<END
{"resources": {}, "commands": [], "dispatchables": {"product": {"type": "DML_OPERATOR_$1", "desc": {
  "ATensor": {"DataType": "$2", "Sizes": [1, 1, 64, 128]}, "BTensor": {"DataType": "$2", "Sizes": [1, 1, 128, 64]},
  "OutputTensor": {"DataType": "$3", "Sizes": [1, 1, 64, 64]}$more}}}}
END
    on "$build/tools/vkdml" explain "$folder/product.json" >"$folder/product.txt"
    cat "$folder/product.txt"
    grep -q "^ .*[, ]$4" "$folder/product.txt"
}

# test_driver NAME OPTION..
test_driver() {
    driver=$1
    shift
    unpack_lavapipe "$driver" "$folder/$driver"
    use_lavapipe "$folder/$driver"
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
    variants="serial subgroup portable"
    [ -z "$quick" ] || variants=$([ "$driver" = stable ] && echo serial || echo "subgroup portable")
    for variant in $variants; do
        logged "selftest on $what, $variant kernels" on "$build/tools/vkdml" selftest --quick --variant "$variant"
    done
    for example in hello import network chain graph nonzero dynamic_shape host_services; do
        logged "example $example on $what" on "$build/examples/$example"
    done
    # Mesa 25.0, of Debian 13, has no matrix cores.
    [ "$driver" = stable ] || test_cores "$@"
    test_dots
    run_cases "by numbers or sizes of note on $what" special_cases
    [ -z "$quick" ] || return 0
    # The scripts of the command's tests start it themselves, some with a folder of libraries before all others.
    cat >"$folder/vkdml" <<END
#!/bin/sh
exec "$loader" --library-path "\${LD_LIBRARY_PATH:+\$LD_LIBRARY_PATH:}$libraries" --argv0 "$build/tools/vkdml" "$build/tools/vkdml" "\$@"
END
    chmod +x "$folder/vkdml"
    for test in command command_line results; do
        logged "$test on $what" python3 "$root/tests/tool/test_$test.py" "$folder/vkdml" "$root/examples/models"
    done
    for variant in $variants; do
        VKDML_KERNEL_VARIANT=$variant
        export VKDML_KERNEL_VARIANT
        differential "$variant kernels" "$("$build/tools/vkdml" operators --names)" "$@"
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
results=$folder/testlog.json
: >"$results"
for driver in $drivers; do
    (test_driver "$driver" "$@")
done
python3 "$root/tools/check/summary.py" --root "$root" "$results"
