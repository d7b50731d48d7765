#!/bin/sh
# Runs the tests of a build folder that was carried to another machine: no Meson, no compiler, only the built programs,
# the libraries they load (cmocka, json-c) and python3. The last line counts the test cases.
#
# sh tools/carried_tests.sh BUILD [DIFFERENTIAL OPTION..]     e.g.: sh tools/carried_tests.sh build --cases 4000 --seed 2
#   The device is the best one, or the one that $VKDML_DEVICE names.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:?Usage: sh tools/carried_tests.sh BUILD [DIFFERENTIAL OPTION..]}" && pwd)
shift
log=${TMPDIR:-/tmp}/vkdml-carried.$$
trap 'rm -f "$log" "$log.all"' EXIT
: >"$log.all"

# run NAME COMMAND..: counts the program's TAP lines; one that ends badly without a failed case is a failed case.
run() {
    name=$1
    shift
    status=0
    CMOCKA_MESSAGE_OUTPUT=TAP "$@" >"$log" 2>&1 </dev/null || status=$?
    if [ "$status" -ne 0 ]; then
        cat "$log"
        grep -q '^not ok' "$log" || echo "not ok - $name ended with $status" >>"$log"
    fi
    grep -q '^\(not \)\{0,1\}ok' "$log" || echo "ok - $name" >>"$log"
    echo "$name: $(grep -c '^ok' "$log" || true) passed, $(grep -c '^not ok' "$log" || true) failed"
    cat "$log" >>"$log.all"
}

for program in "$build"/tests/*/test_*; do
    [ -f "$program" ] && [ -x "$program" ] || continue
    case $program in
    */test_differential) run test_differential "$program" --no-skips "$@" ;;
    *) run "$(basename "$program")" "$program" ;;
    esac
done
run command python3 "$root/tests/tool/test_command.py" "$build/tools/vkdml" "$root/examples/models"
for example in hello import; do
    run "example $example" "$build/examples/$example"
done

failed=$(grep -c '^not ok' "$log.all" || true)
echo "$(grep -c '^ok' "$log.all" || true) passed, $failed failed, $(grep -ci '^ok.*# skip' "$log.all" || true) skipped"
[ "$failed" -eq 0 ]
