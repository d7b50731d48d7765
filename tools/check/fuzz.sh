#!/bin/sh
# Bad input, for long: the fuzz targets of tests/fuzz and changed ONNX models, with address and undefined behaviour
# sanitizers, in as many processes as there are processors. CI tries so many of each that no minute is lost; this is for
# persons. Without libFuzzer, whose coverage costs more than half of the inputs (tests/README.md says how to have it).
#
# sh tools/check/fuzz.sh [--seconds N] [--jobs N] [--seed N]        600 seconds, each processor, the time of day
#   build-fuzz/found/NAME    what a process was aborted by; `build-fuzz/tests/fuzz/fuzz_TARGET_inputs FILE` tries it again
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"

seconds=600
jobs=$(nproc)
seed=$(date +%s)
while [ $# -gt 0 ]; do
    case ${2-} in
    '' | *[!0-9]*)
        echo "$1 is '${2-}', must be a number" >&2
        exit 2
        ;;
    esac
    case $1 in
    --seconds) seconds=$2 ;;
    --jobs) jobs=$2 ;;
    --seed) seed=$2 ;;
    *)
        sed -n '6s/^# //p' "$0" >&2
        exit 2
        ;;
    esac
    shift 2
done

# What a process tries, and the hundredths of its time: descriptors have the most to go wrong.
shares="descriptor 66
model 12
graph 8
onnx 8
rows 2
npy 2
cache 2"

build=$root/build-fuzz
# shellcheck disable=SC2086 # a list of packages
require $packages
require_meson
configure build-fuzz -Dbuildtype=release -Db_sanitize=address,undefined -Db_lundef=false -Ddefault_library=static \
    -Dexamples=false -Dpython=false
# shellcheck disable=SC2046 # a list of targets
quietly "the build" ninja -C "$build" tools/vkdml tests/onnx/change_models \
    $(echo "$shares" | sed '/onnx/d; s:\([a-z]*\) .*:tests/fuzz/fuzz_\1_inputs:')
rm -rf "$build/found" "$build/fuzzed"
mkdir -p "$build/found" "$build/fuzzed" "$build/templates"
# A model of each operator, of which most of the changed ones are about its tensors and attributes.
for operator in $("$build/tools/vkdml" operators --names); do
    "$build/tools/vkdml" template "$operator" >"$build/templates/$operator.json"
done

# try TARGET SEED SECONDS FOUND: what hangs is ended after a minute, and kept as well.
try() {
    target=$1
    set -- --seed "$2" --seconds "$3" --found "$4"
    program=$build/tests/fuzz/fuzz_${target}_inputs
    case $target in
    onnx)
        # Models of its own, unless tools/check/onnx.sh brought ONNX's.
        program=$build/tests/onnx/change_models
        set -- "$@" --count 1000000000 --limit 10000
        [ ! -d "$root/build-onnx/nodes" ] || set -- "$@" "$root/build-onnx/nodes"
        ;;
    model) set -- "$@" "$root"/examples/models/*.json "$build"/templates/*.json ;;
    npy) set -- "$@" "$root"/examples/models/*.npy ;;
    esac
    timeout $((seconds + 60)) "$program" "$@"
}

# work NUMBER: a process's share of everything.
work() {
    echo "$shares" | while read -r target share; do
        name=$target.$1
        status=0
        (try "$target" $((seed * 1000 + $1)) $(((seconds * share + 99) / 100)) "$build/found/$name") \
            >"$build/fuzzed/$name" 2>&1 </dev/null || status=$?
        [ "$status" -eq 0 ] || echo "$name ended with $status" >>"$build/fuzzed/failed"
    done
}

number=0
while [ "$number" -lt "$jobs" ]; do
    work "$number" &
    number=$((number + 1))
done
wait

echo "$shares" | while read -r target share; do
    count=$(cat "$build/fuzzed/$target".* |
        awk '/ random inputs$/ { sum += $4 } /^# .* changes of / { sum += $2 } END { printf "%.0f", sum }')
    echo "$target: $count"
done
[ ! -e "$build/fuzzed/failed" ] || {
    while read -r name rest; do
        echo "not ok - $name $rest"
        tail -n 40 "$build/fuzzed/$name"
    done <"$build/fuzzed/failed"
    exit 1
}
