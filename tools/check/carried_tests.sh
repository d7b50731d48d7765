#!/bin/sh
# Runs the tests of a build folder that was carried to another machine: no Meson, no compiler, only the built programs,
# the libraries they load (cmocka, json-c) and python3. The last line counts the test cases.
#
# sh tools/check/carried_tests.sh BUILD [DIFFERENTIAL OPTION..]     e.g.: sh tools/check/carried_tests.sh build --cases 4000 --seed 2
#   The device is the best one, or the one that $VKDML_DEVICE names. $VKDML_TEST_VULKAN_LOADER names the Vulkan loader
#   where the profiles' own does not find it. $VKDML_TEST_JOBS programs run side by side, one by default: compiling takes
#   most of the time on some drivers.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:?Usage: sh tools/check/carried_tests.sh BUILD [DIFFERENTIAL OPTION..]}" && pwd)
shift
jobs=${VKDML_TEST_JOBS:-1}
logs=$(mktemp -d "${TMPDIR:-/tmp}/vkdml-carried.XXXXXX")
trap 'rm -rf "$logs"' EXIT
started=0

# cmocka prints a skipped case as "not ok .. # SKIP".
skips() { grep -i '^\(not \)\{0,1\}ok.*# *skip' "$1" || true; }
failed() { grep '^not ok' "$1" | grep -vic '# *skip' || true; }
passed() { grep '^ok' "$1" | grep -vic '# *skip' || true; }
count() { echo "$(passed "$1") passed, $(failed "$1") failed, $(skips "$1" | wc -l) skipped"; }

# count_run LOG NAME COMMAND..: counts the program's TAP lines; one that ends badly without a failed case is a failed case.
count_run() {
    log=$1
    name=$2
    shift 2
    status=0
    CMOCKA_MESSAGE_OUTPUT=TAP "$@" >"$log" 2>&1 </dev/null || status=$?
    if [ "$status" -ne 0 ]; then
        cat "$log"
        [ "$(failed "$log")" -ne 0 ] || echo "not ok - $name ended with $status" >>"$log"
    fi
    grep -q '^\(not \)\{0,1\}ok' "$log" || echo "ok - $name" >>"$log"
    echo "$name: $(count "$log")"
    skips "$log"
}

# run NAME COMMAND..: the same, beside up to $jobs - 1 others.
run() {
    started=$((started + 1))
    count_run "$logs/run.$started" "$@" &
    [ $((started % jobs)) -ne 0 ] || wait
}

# run_tools SUFFIX: the programs that open their devices by themselves.
run_tools() {
    run "command$1" python3 "$root/tests/tool/test_command.py" "$build/tools/vkdml" "$root/examples/models"
    run "command line$1" python3 "$root/tests/tool/test_command_line.py" "$build/tools/vkdml" "$root/examples/models"
    run "results$1" python3 "$root/tests/tool/test_results.py" "$build/tools/vkdml" "$root/examples/models"
    for example in hello import network; do
        run "example $example$1" "$build/examples/$example"
    done
}

found=${LD_LIBRARY_PATH-}
for program in "$build"/tests/*/test_*; do
    [ -f "$program" ] && [ -x "$program" ] || continue
    case $program in
    */test_differential) run test_differential "$program" --no-skips "$@" ;;
    */test_loader) run test_loader "$program" "$build/tests/profiles/libvulkan.so.1" ;;
    *) run "$(basename "$program")" "$program" ;;
    esac
done
for variant in portable subgroup serial; do
    VKDML_KERNEL_VARIANT=$variant
    export VKDML_KERNEL_VARIANT
    run "test_differential with the $variant kernels" "$build/tests/differential/test_differential" --no-skips --cases 500
done
unset VKDML_KERNEL_VARIANT
for profile in ${VKDML_TEST_PROFILES-minimum adreno mali powervr intel apple amd nvidia windows processor}; do
    VKDML_TEST_PROFILE=$profile
    LD_LIBRARY_PATH=$build/tests/profiles${found:+:$found}
    export VKDML_TEST_PROFILE LD_LIBRARY_PATH
    run "test_differential as $profile" "$build/tests/differential/test_differential" --no-skips --cases 150
    for name in api binding initializer faults recording; do
        run "test_$name as $profile" "$build/tests/unit/test_$name"
    done
    run_tools " as $profile"
done
unset VKDML_TEST_PROFILE
LD_LIBRARY_PATH=$found
run_tools ""
wait

cat "$logs"/run.* >"$logs/all"
count "$logs/all"
[ "$(failed "$logs/all")" -eq 0 ]
