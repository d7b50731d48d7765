#!/bin/sh
# Builds vkdml and runs all its tests; the last line counts the test cases. Ends with an error where a test fails, or is
# skipped that should not be.
#
# sh tools/check.sh [--full]
#   --full (or CI=true in the environment): also the suites that take long, all profiles, SwiftShader, lavapipe of Debian
#   testing, a bare Debian stable with its compilers and its validation layer, ONNX models through ONNX Runtime and behind Ray
#   Serve, sanitizers, the ABI, Debian packages and a Python wheel. Warnings are errors.
#   $VKDML_ROTATION: which tests run on which profile, and which operators on SwiftShader; the number of commits. A failure is
#   repeated with the number that the run printed.
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

failed=
logs=
table=$log.parts
trap 'rm -f "$log" "$table"' EXIT
begun=$(date +%s)
part=0
# They share the tests: each test runs on one of them, another one each time.
profiles="minimum mali windows"
parts=4
# Processor minutes of a run; 0: any. A person's machine may be slower than CI's.
budget=0
if [ -n "$full" ]; then
    profiles="minimum adreno mali powervr intel apple amd nvidia windows processor"
    parts=14
    # 50 minutes of two cores, and a tenth more since busy cores share what they have.
    budget=110
fi
# Changes which of them runs which test; $VKDML_ROTATION runs those of an earlier commit again.
rotation=${VKDML_ROTATION:-$(git -C "$root" rev-list --count HEAD 2>/dev/null || echo 0)}

# since TIME: how long that is, as people say it.
since() {
    seconds=$(($(date +%s) - $1))
    if [ "$seconds" -lt 60 ]; then
        echo "$seconds s"
    else
        echo "$((seconds / 60)) min $((seconds % 60)) s"
    fi
}

# read_processor: sets $processor to the seconds of processor time of all commands that this shell has waited for. Unlike the
# time on the clock it does not depend on what else the machine does.
read_processor() {
    times >"$log.times"
    processor=$(tr 'ms' '  ' <"$log.times" | awk 'NR == 2 { printf "%d\n", 60 * $1 + $2 + 60 * $3 + $4 }')
    rm -f "$log.times"
}

# begin WHAT: starts a part.
begin() {
    part=$((part + 1))
    part_name=$1
    part_begun=$(date +%s)
    read_processor
    part_processor=$processor
    echo "$part of $parts: $1"
}

# end: ends it, and adds its line to the table of parts.
end() {
    hide
    echo "    $(since "$part_begun"); $(since "$begun") in all"
    read_processor
    echo "$(($(date +%s) - part_begun)) $((processor - part_processor)) $part_name" >>"$table"
}

# report_time: prints minutes per part. A run that took more processor time than its budget fails.
report_time() {
    read_processor
    awk -v budget="$budget" -v all="$(($(date +%s) - begun))" -v all_processor="$processor" '
        BEGIN { print "minutes  of processors" }
        {
            seconds = $1; processor = $2
            sub(/^[0-9]+ [0-9]+ /, "")
            printf "%7.1f %14.1f  %s\n", seconds / 60, processor / 60, $0
        }
        END {
            printf "%7.1f %14.1f  in all", all / 60, all_processor / 60
            print ((budget > 0) ? "; the budget is " budget " processor minutes" : "")
            exit (budget > 0 && all_processor > 60 * budget)
        }' "$table" || {
        failed=1
        echo "The tests took more processor time than their budget in tools/check.sh. Make them cheaper." >&2
    }
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
    while kill -0 $$ 2>/dev/null && [ -e "$log.watched" ]; do
        told=$("$1")
        show "${told:+$told, }$(since "$part_begun")"
        sleep 1
    done
}

# watched HOW COMMAND..: runs the command, and shows meanwhile how far it is.
watched() {
    : >"$log"
    : >"$log.watched"
    watch "$1" &
    watcher=$!
    shift
    status=0
    "$@" >"$log" 2>&1 </dev/null || status=$?
    # A signal that reaches the new process before it has reset its traps is lost: the file ends it too.
    rm -f "$log.watched"
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

# run_profiles FOLDER: every test that opens a device on one of $profiles.
run_profiles() {
    build_folder=$1
    for profile in $profiles; do
        # shellcheck disable=SC2086 # a list
        names=$(python3 "$root/tools/check/rotate.py" "$root/$build_folder" "$profile" "$rotation" $profiles)
        # Names have spaces: one per line.
        old_separators=$IFS
        IFS='
'
        # shellcheck disable=SC2086 # a list of lines
        set -- $names
        IFS=$old_separators
        run "$build_folder" "a share of the tests as profile $profile" --setup "profile_$profile" "$@"
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
ended_debian() (
    log=$root/build-debian/log
    [ ! -e "$log" ] || { built && tested; } | tail -n 1
)

# A lane is a function that runs scripts one after the other. Each script is one process most of the time, so that two lanes take
# half as long as one.

# in_lane WHAT COMMAND..: a script of a lane. What it prints is shown where it fails.
in_lane() {
    what=$1
    shift
    part_begun=$(date +%s)
    read_processor
    part_processor=$processor
    "$@" >"$log" 2>&1 </dev/null || {
        lane_failed=1
        cat "$log"
        echo "failed: $*"
    }
    read_processor
    echo "$(($(date +%s) - part_begun)) $((processor - part_processor)) $what" >>"$table"
}

# run_lane FUNCTION: in a process of its own.
run_lane() (
    log=$log.$1
    trap 'rm -f "$log"' EXIT
    lane_failed=
    "$1"
    [ -z "$lane_failed" ]
)

both_lanes() {
    run_lane "$1" &
    first=$!
    status=0
    run_lane "$2" || status=1
    wait "$first" || status=1
    return $status
}
ended_lanes() { echo "$(wc -l <"$table") parts ended"; }

# run_lanes WHAT FUNCTION FUNCTION
run_lanes() {
    begin "$1"
    watched ended_lanes both_lanes "$2" "$3" || {
        failed=1
        cat "$log"
    }
    end
}

# One to three operators of each kernel family. SwiftShader's compiler is slow: a run takes a third of them, another one each time.
swiftshader_operators() {
    for operator in ACTIVATION_HARDMAX1 ACTIVATION_LOG_SOFTMAX1 ACTIVATION_RELU ACTIVATION_SOFTMAX1 ACTIVATION_TANH ARGMAX ARGMIN \
        BATCH_NORMALIZATION_GRAD BATCH_NORMALIZATION_TRAINING BATCH_NORMALIZATION_TRAINING_GRAD CAST CONVOLUTION \
        CUMULATIVE_PRODUCT CUMULATIVE_SUMMATION DEPTH_TO_SPACE1 DIAGONAL_MATRIX1 DYNAMIC_QUANTIZE_LINEAR ELEMENT_WISE_ADD \
        ELEMENT_WISE_BIT_XOR ELEMENT_WISE_DIVIDE ELEMENT_WISE_EXP ELEMENT_WISE_IF ELEMENT_WISE_LOGICAL_LESS_THAN \
        ELEMENT_WISE_QUANTIZE_LINEAR ELEMENT_WISE_ROUND ELEMENT_WISE_SQRT ELEMENT_WISE_TAN FILL_VALUE_SEQUENCE FOLD GATHER \
        GATHER_ELEMENTS GATHER_ND1 GEMM GRU JOIN LOCAL_RESPONSE_NORMALIZATION LOCAL_RESPONSE_NORMALIZATION_GRAD \
        LP_NORMALIZATION LSTM MAX_POOLING2 MAX_POOLING_GRAD MEAN_VARIANCE_NORMALIZATION1 MULTIHEAD_ATTENTION \
        MULTIHEAD_ATTENTION1 NONZERO_COORDINATES ONE_HOT PADDING1 REDUCE RESAMPLE3 RESAMPLE_GRAD RESAMPLE_GRAD1 \
        REVERSE_SUBSEQUENCES RNN ROI_ALIGN_GRAD ROI_POOLING SCATTER_ELEMENTS SCATTER_ND SLICE1 SLICE_GRAD SPACE_TO_DEPTH \
        SPLIT TILE TOP_K1 UNFOLD UPSAMPLE_2D; do
        echo "$operator"
    done | awk -v rotation="$rotation" 'NR % 3 == rotation % 3'
}

# The scripts of both lanes take about as long.
lane_of_drivers() {
    in_lane "$(swiftshader_operators | wc -l) operators on SwiftShader" env VKDML_SWIFTSHADER_SECONDS=1500 \
        VKDML_SWIFTSHADER_OPERATORS="$(swiftshader_operators)" \
        sh "$root/tools/check/swiftshader.sh" --build "$root/build-gcc" --cases 1
    in_lane "lavapipe of Debian testing" env VKDML_DRIVER_SECONDS=1500 \
        sh "$root/tools/check/drivers.sh" --quick --driver testing --build "$root/build-gcc"
    in_lane "the ABI, against the last one" sh "$root/tools/check/abi.sh" --libraries "$root/build-gcc"
    in_lane "Debian packages" sh "$root/tools/build/deb.sh"
    in_lane "an ONNX model behind Ray Serve, on two replicas" sh "$root/tools/check/serve.sh" --build "$root/build-gcc"
}
lane_of_models() {
    in_lane "ONNX models, by themselves and through ONNX Runtime" sh "$root/tools/check/onnx.sh" --build "$root/build-gcc"
    in_lane "Python wheels" sh "$root/tools/check/wheel.sh" --build "$root/build-gcc"
}

# shellcheck disable=SC2086 # lists of packages
[ -z "$full" ] || check_packages="$check_packages $package_packages $full_packages"
require $packages $check_packages
require_meson
echo "Rotation $rotation"

if [ -z "$full" ]; then
    configure build
    run build "build, and all tests but the longest" --no-suite long --no-suite large --no-suite browser --no-suite site \
        --no-suite "headers c++"
    run_profiles build
else
    quietly "ONNX Runtime's headers" sh "$root/tools/build/onnxruntime_headers.sh"
    configure build-gcc -Dwerror=true -Ddirectml_threads=true "-Donnxruntime=$root/build-onnxruntime/include"
    others=
    for quarter in 0 1 2 3; do
        [ $((rotation % 4)) -eq $quarter ] || others="$others --no-suite quarter_$quarter"
    done
    # shellcheck disable=SC2086 # a list of options
    run build-gcc "build by gcc, warnings are errors, and all tests" $others
    for folder in build-swiftshader build-drivers build-serve build-onnx build-wheel; do
        rm -f "$root/$folder/testlog.json"
        logs="$logs $root/$folder/testlog.json"
    done
    run_lanes "scripts, in two lanes" lane_of_drivers lane_of_models
    mkdir -p "$root/build-keep"
    quietly "the build of keep_loaded.c" cc -c -o "$root/build-keep/keep_loaded.o" "$root/tools/check/keep_loaded.c"
    keep="$root/build-keep/keep_loaded.o -Wl,--export-dynamic-symbol=dlclose"
    configure build-sanitize -Db_sanitize=address,undefined -Dbuildtype=debugoptimized -Ddefault_library=static \
        "-Dc_link_args=$keep" "-Dcpp_link_args=$keep"
    ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
    export ASAN_OPTIONS UBSAN_OPTIONS
    # Without epilogues and benchmarks: minutes, of code that the other tests run too. Fault points and specialized modules, more
    # than a minute each, take turns.
    turn=counted
    [ $((rotation % 2)) -eq 0 ] || turn=modules
    run build-sanitize "tests with address and undefined behaviour sanitizers" --suite unit --suite invalid --suite graph \
        --suite tool --suite onnx --no-suite tails --no-suite bench --no-suite $turn
    unset ASAN_OPTIONS UBSAN_OPTIONS
    # A bare system: README's first command, then all tests that use a device, under a newer validation layer than this system's.
    run_script "quickstart.sh, built and tested in a bare Debian stable" build-debian ended_debian sh "$root/tools/check/debian.sh"
    run_profiles build-gcc
fi

report_time
# shellcheck disable=SC2086 # a list of files
python3 "$root/tools/check/summary.py" --root "$root" $logs || failed=1
[ -z "$failed" ]
