#!/bin/sh
# Builds vkdml and runs all its tests; the last line counts the test cases. Ends with an error where a test fails, or is
# skipped that should not be.
#
# sh tools/check.sh [--full]
#   --full (or CI=true in the environment): also the suites that take long, all profiles, with clang, with sanitizers,
#   under the Vulkan validation layer, some operators on SwiftShader, all on newer lavapipes, with Debian stable's
#   compilers, driver and layer, ONNX models through ONNX Runtime, one behind Ray Serve, the ABI, Debian packages and a
#   Python wheel; warnings are errors
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
begun=$(date +%s)
part=0
profiles="minimum mali windows"
parts=4
if [ -n "$full" ]; then
    profiles="minimum adreno mali powervr intel apple amd nvidia windows processor"
    parts=21
fi

# since TIME: how long that is, as people say it.
since() {
    seconds=$(($(date +%s) - $1))
    if [ "$seconds" -lt 60 ]; then
        echo "$seconds s"
    else
        echo "$((seconds / 60)) min $((seconds % 60)) s"
    fi
}

# begin WHAT: a part begins.
begin() {
    part=$((part + 1))
    part_begun=$(date +%s)
    echo "$part of $parts: $1"
}

# end: it is done.
end() {
    hide
    echo "    $(since "$part_begun"); $(since "$begun") in all"
}

# On a terminal what is going on has a line of its own, each time in the place of the one before; elsewhere one a minute.
show() {
    if [ -t 1 ]; then
        printf '\r\033[K    %s' "$1"
    elif [ $(($(date +%s) - shown)) -ge 60 ]; then
        shown=$(date +%s)
        echo "    $1"
    fi
}
hide() { [ ! -t 1 ] || printf '\r\033[K'; }

# What is told of a command that runs: of ninja and of `meson test` by their output, of SwiftShader's tests by their log.
built() { tr '\r' '\n' <"$log" | sed -n 's/^\[\([0-9]*\)\/\([0-9]*\)\].*/built \1 of \2/p' | tail -n 1; }
tested() { sed -n 's/^ *\([0-9]*\)\/\([0-9]*\) .*/\1 of \2 tests/p' "$log" | tail -n 1; }

# watch HOW: shows what that function tells, as often as eyes follow, until it is ended or check.sh is no more.
watch() {
    shown=$(date +%s)
    while kill -0 $$ 2>/dev/null; do
        told=$("$1")
        show "${told:+$told, }$(since "$part_begun")"
        sleep 1
    done
}

# watched HOW COMMAND..: runs the command, and shows meanwhile how far it is.
watched() {
    : >"$log"
    watch "$1" &
    watcher=$!
    shift
    status=0
    "$@" >"$log" 2>&1 </dev/null || status=$?
    kill "$watcher" 2>/dev/null || :
    wait "$watcher" 2>/dev/null || :
    hide
    return $status
}

# build FOLDER: or shows why not, and ends.
build() {
    watched built ninja -C "$root/$1" || {
        cat "$log" >&2
        echo "the build of $1 failed" >&2
        exit 1
    }
}

# run FOLDER WHAT OPTION..: builds, tests with the options of `meson test`, remembers the log.
run() {
    folder=$1
    setup=
    [ "${3-}" != --setup ] || setup=-$4
    begin "$2"
    shift 2
    build "$folder"
    results=$root/$folder/meson-logs/testlog$setup.json
    # A log of an earlier run must not be counted.
    rm -f "$results"
    # cmocka then prints a line per test case; summary.py counts them. A test may take ten times as long as its entry says:
    # machines are busy, and nothing but what hangs is to be ended.
    watched tested env CMOCKA_MESSAGE_OUTPUT=TAP meson test -C "$root/$folder" --no-rebuild --print-errorlogs \
        --timeout-multiplier 10 "$@" || {
        failed=1
        grep -v '^ *[0-9]*/[0-9]* .* OK  ' "$log" || :
        echo "tests failed in $folder"
    }
    logs="$logs $results"
    end
}

# run_profiles FOLDER: every test that opens a device, on each of the profiles.
run_profiles() {
    for profile in $profiles; do
        run "$1" "tests as profile $profile" --setup "profile_$profile"
    done
}

# run_script WHAT FOLDER HOW COMMAND..: a script of check/, which lists results in FOLDER/testlog.json; HOW: as watched has it.
run_script() {
    begin "$1"
    results=$root/$2/testlog.json
    how=$3
    shift 3
    rm -f "$results"
    watched "$how" "$@" || {
        failed=1
        cat "$log"
        echo "failed: $*"
    }
    logs="$logs $results"
    end
}
ended() { echo "$(cat "$results" 2>/dev/null | wc -l) of them"; }
ended_debian() (
    log=$root/build-debian/log
    [ ! -e "$log" ] || { built && tested; } | tail -n 1
)
ended_serve() { echo "$(grep -c '^ok ' "$root/build-serve/output" 2>/dev/null || :) cases"; }

swiftshader_operators="ACTIVATION_HARDMAX1 ACTIVATION_LOG_SOFTMAX1 ACTIVATION_RELU ACTIVATION_SOFTMAX1 ACTIVATION_TANH ARGMAX ARGMIN CAST CONVOLUTION
CUMULATIVE_PRODUCT CUMULATIVE_SUMMATION DEPTH_TO_SPACE1 DIAGONAL_MATRIX1 DYNAMIC_QUANTIZE_LINEAR ELEMENT_WISE_ADD
ELEMENT_WISE_BIT_XOR ELEMENT_WISE_DIVIDE ELEMENT_WISE_EXP ELEMENT_WISE_IF ELEMENT_WISE_LOGICAL_LESS_THAN
ELEMENT_WISE_QUANTIZE_LINEAR ELEMENT_WISE_ROUND ELEMENT_WISE_SQRT ELEMENT_WISE_TAN FILL_VALUE_SEQUENCE FOLD GATHER GATHER_ELEMENTS
GATHER_ND1 GEMM JOIN LOCAL_RESPONSE_NORMALIZATION LP_NORMALIZATION MAX_POOLING2 MEAN_VARIANCE_NORMALIZATION1 NONZERO_COORDINATES ONE_HOT
PADDING1 REDUCE RESAMPLE3 REVERSE_SUBSEQUENCES ROI_POOLING SCATTER_ELEMENTS SCATTER_ND SLICE1 SLICE_GRAD SPACE_TO_DEPTH SPLIT TILE TOP_K1 UNFOLD UPSAMPLE_2D
BATCH_NORMALIZATION_GRAD BATCH_NORMALIZATION_TRAINING BATCH_NORMALIZATION_TRAINING_GRAD GRU LOCAL_RESPONSE_NORMALIZATION_GRAD
LSTM MAX_POOLING_GRAD MULTIHEAD_ATTENTION MULTIHEAD_ATTENTION1 RESAMPLE_GRAD RESAMPLE_GRAD1 RNN ROI_ALIGN_GRAD"

if [ -z "$full" ]; then
    configure build
    run build "build, and all tests but the longest" --no-suite long --no-suite large --no-suite browser --no-suite site \
        --no-suite "headers c++"
    run_profiles build
else
    quietly "ONNX Runtime's headers" sh "$root/tools/build/onnxruntime_headers.sh"
    configure build-gcc -Dwerror=true "-Donnxruntime=$root/build-onnxruntime/include"
    run build-gcc "build by gcc, warnings are errors, and all tests"
    run_profiles build-gcc
    run_script "some operators on SwiftShader" build-swiftshader ended env VKDML_SWIFTSHADER_SECONDS=1500 \
        VKDML_SWIFTSHADER_OPERATORS="$swiftshader_operators" sh "$root/tools/check/swiftshader.sh" --build "$root/build-gcc" --cases 1
    run_script "lavapipe of Debian stable and testing" build-drivers ended env VKDML_DRIVER_SECONDS=1500 \
        sh "$root/tools/check/drivers.sh" --quick --build "$root/build-gcc"
    run_script "built and tested in Debian stable" build-debian ended_debian sh "$root/tools/check/debian.sh"
    run_script "ONNX models, by themselves and through ONNX Runtime" build-onnx ended \
        sh "$root/tools/check/onnx.sh" --build "$root/build-gcc"
    run_script "an ONNX model behind Ray Serve, on two replicas" build-serve ended_serve \
        sh "$root/tools/check/serve.sh" --build "$root/build-gcc"
    (
        CC=clang
        CXX=clang++
        export CC CXX
        configure build-clang -Dwerror=true -Dvalidation=true "-Donnxruntime=$root/build-onnxruntime/include"
    )
    # The differential suite runs under Debian stable's layer, which is newer.
    run build-clang "tests of a build by clang, warnings are errors, under the validation layer with synchronization validation" \
        --no-suite differential --no-suite large --no-suite profiles --no-suite docs --no-suite browser --no-suite long
    mkdir -p "$root/build-keep"
    quietly "the build of keep_loaded.c" cc -c -o "$root/build-keep/keep_loaded.o" "$root/tools/check/keep_loaded.c"
    keep="$root/build-keep/keep_loaded.o -Wl,--export-dynamic-symbol=dlclose"
    configure build-sanitize -Db_sanitize=address,undefined -Dbuildtype=debugoptimized -Ddefault_library=static \
        "-Dc_link_args=$keep" "-Dcpp_link_args=$keep"
    ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
    export ASAN_OPTIONS UBSAN_OPTIONS
    run build-sanitize "tests with address and undefined behaviour sanitizers" --suite unit --suite invalid --suite graph --suite tool --suite onnx
    begin "the ABI, against the last one"
    sh "$root/tools/check/abi.sh" --libraries "$root/build-gcc" || failed=1
    end
    begin "Debian packages"
    sh "$root/tools/build/deb.sh" || failed=1
    end
    begin "a Python wheel"
    sh "$root/tools/build/wheel.sh" || failed=1
    end
fi

# shellcheck disable=SC2086 # a list of files
python3 "$root/tools/check/summary.py" --root "$root" $logs || failed=1
[ -z "$failed" ]
