#!/bin/sh
# Builds vkdml and runs all its tests; the last line counts the test cases. Ends with an error where a test fails, or is
# skipped that should not be.
#
# sh tools/check.sh [--full]
#   --full (or CI=true in the environment): also with clang, with sanitizers, under the Vulkan validation layer, some
#   operators on SwiftShader, Debian packages and a Python wheel; warnings are errors
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"

full=
case ${1-} in
--full) full=1 ;;
'') [ "${CI-}" != true ] || full=1 ;;
*)
    echo "Usage: sh tools/check.sh [--full]" >&2
    exit 1
    ;;
esac

# shellcheck disable=SC2086 # lists of packages
require $packages $check_packages
require_meson

failed=
logs=

# run FOLDER WHAT OPTION..: builds, tests with the options of `meson test`, remembers the log.
run() {
    tested=$1
    setup=
    [ "${3-}" != --setup ] || setup=-$4
    echo "Building and testing: $2"
    shift 2
    quietly "the build of $tested" ninja -C "$root/$tested"
    # A log of an earlier run must not be counted.
    rm -f "$root/$tested/meson-logs/testlog$setup.json"
    # cmocka then prints a line per test case; summary.py counts them.
    CMOCKA_MESSAGE_OUTPUT=TAP meson test -C "$root/$tested" --no-rebuild --quiet --print-errorlogs "$@" \
        >"$log" 2>&1 </dev/null || {
        failed=1
        cat "$log"
        echo "tests failed in $tested"
    }
    logs="$logs $root/$tested/meson-logs/testlog$setup.json"
}

# run_profiles FOLDER: every test that opens a device, on each of the profiles.
run_profiles() {
    for profile in minimum adreno mali powervr intel apple amd nvidia windows processor; do
        run "$1" "as profile $profile" --setup "profile_$profile"
    done
}

# run_swiftshader FOLDER: some operators of each family on another Vulkan implementation; all: tools/check/swiftshader.sh.
run_swiftshader() {
    echo "Testing: on SwiftShader"
    VKDML_SWIFTSHADER_SECONDS=150 VKDML_SWIFTSHADER_OPERATORS="$swiftshader_operators" \
        sh "$root/tools/check/swiftshader.sh" --build "$root/$1" --cases 1 >"$log" 2>&1 || {
        failed=1
        cat "$log"
        echo "tests failed on SwiftShader"
    }
    logs="$logs $root/build-swiftshader/testlog.json"
}
swiftshader_operators="ACTIVATION_HARDMAX1 ACTIVATION_LOG_SOFTMAX1 ACTIVATION_RELU ACTIVATION_SOFTMAX1 ACTIVATION_TANH ARGMAX ARGMIN CAST CONVOLUTION
CUMULATIVE_PRODUCT CUMULATIVE_SUMMATION DEPTH_TO_SPACE1 DIAGONAL_MATRIX1 DYNAMIC_QUANTIZE_LINEAR ELEMENT_WISE_ADD
ELEMENT_WISE_BIT_XOR ELEMENT_WISE_DIVIDE ELEMENT_WISE_EXP ELEMENT_WISE_IF ELEMENT_WISE_LOGICAL_LESS_THAN
ELEMENT_WISE_QUANTIZE_LINEAR ELEMENT_WISE_ROUND ELEMENT_WISE_SQRT ELEMENT_WISE_TAN FILL_VALUE_SEQUENCE FOLD GATHER GATHER_ELEMENTS
GATHER_ND1 GEMM JOIN LOCAL_RESPONSE_NORMALIZATION LP_NORMALIZATION MAX_POOLING2 MEAN_VARIANCE_NORMALIZATION1 NONZERO_COORDINATES ONE_HOT
PADDING1 REDUCE RESAMPLE3 REVERSE_SUBSEQUENCES ROI_POOLING SCATTER_ELEMENTS SCATTER_ND SLICE1 SLICE_GRAD SPACE_TO_DEPTH SPLIT TILE TOP_K1 UNFOLD UPSAMPLE_2D"

if [ -z "$full" ]; then
    configure build
    run build "all tests"
    run_profiles build
else
    configure build-gcc -Dwerror=true
    run build-gcc "gcc, warnings are errors"
    run_profiles build-gcc
    rm -f "$root/build-swiftshader/testlog.json"
    run_swiftshader build-gcc
    (
        CC=clang
        CXX=clang++
        export CC CXX
        configure build-clang -Dwerror=true -Dvalidation=true
    )
    run build-clang "clang, warnings are errors, under the validation layer with synchronization validation" \
        --no-suite large --no-suite profiles --no-suite docs --no-suite browser
    mkdir -p "$root/build-keep"
    quietly "the build of keep_loaded.c" cc -c -o "$root/build-keep/keep_loaded.o" "$root/tools/check/keep_loaded.c"
    configure build-sanitize -Db_sanitize=address,undefined -Dbuildtype=debugoptimized -Ddefault_library=static \
        "-Dc_link_args=$root/build-keep/keep_loaded.o -Wl,--export-dynamic-symbol=dlclose"
    ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
    export ASAN_OPTIONS UBSAN_OPTIONS
    run build-sanitize "with address and undefined behaviour sanitizers" --suite unit --suite invalid --suite tool
    echo "Building: Debian packages"
    sh "$root/tools/build/deb.sh" || failed=1
    echo "Building: a Python wheel"
    sh "$root/tools/build/wheel.sh" || failed=1
fi

# shellcheck disable=SC2086 # a list of files
python3 "$root/tools/check/summary.py" --root "$root" $logs || failed=1
[ -z "$failed" ]
