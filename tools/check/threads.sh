#!/bin/sh
# Threads and memory: the tests that use a device by several threads in a build with ThreadSanitizer, 1,000,000 cycles of
# creating, compiling, binding, recording and destroying in memory that does not grow, and a small set of tests, a
# driver among them, under valgrind. For persons, not for CI: three minutes.
#
# sh tools/check/threads.sh
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"
# shellcheck disable=SC2086 # lists of packages
require $packages valgrind
require_meson

without="-Dtools=false -Dexamples=false -Dpython=false -Ddefault_library=static"
races="unit/test_threads onnx/test_onnx_threads unit/test_faults unit/test_handles graph/test_graph_faults"
leaks="unit/test_report unit/test_schema unit/test_instance unit/test_infos unit/test_binding_check unit/test_inflate
unit/test_specialize unit/test_reference unit/test_threads onnx/test_onnx_plan onnx/test_onnx_file"

failed=
# check WHAT COMMAND..: says what passed, and shows what failed.
check() {
    what=$1
    shift
    if "$@" >"$log" 2>&1; then
        echo "ok - $what"
    else
        cat "$log"
        echo "not ok - $what"
        failed=1
    fi
}
# arguments_of TEST ROUNDS: of a test that does the same again and again.
arguments_of() {
    case $1 in
    unit/test_threads) echo "$2 $2" ;;
    onnx/test_onnx_threads) echo 20 ;;
    esac
}
# Without LLVM's optimizer the driver's compiler takes a third less.
export GALLIVM_PERF=nopt

# shellcheck disable=SC2086 # lists of options and of targets
configure build-threads -Dbuildtype=debugoptimized -Db_sanitize=thread -Db_lundef=false $without
# shellcheck disable=SC2086,SC2046
quietly "the build" ninja -C "$root/build-threads" $(printf 'tests/%s ' $races)
# shellcheck disable=SC2154
export TSAN_OPTIONS="halt_on_error=0:exitcode=66:suppressions=$root/tests/unit/tsan.supp"
# ThreadSanitizer ends a process that unloads a library of a suppression: they stay.
driver=$(sed -n 's/.*"library_path" *: *"\([^"]*\)".*/\1/p' /usr/share/vulkan/icd.d/lvp_icd*.json | head -n 1)
for test in $races; do
    # shellcheck disable=SC2046 # arguments or none
    check "$test, ThreadSanitizer" env "LD_PRELOAD=libvulkan.so.1 $driver" "$root/build-threads/tests/$test" $(arguments_of "$test" 400)
done

# shellcheck disable=SC2086 # lists of options and of targets
configure build-plain -Dbuildtype=debugoptimized $without
# shellcheck disable=SC2086,SC2046
quietly "the build" ninja -C "$root/build-plain" $(printf 'tests/%s ' $leaks)
check "1,000,000 cycles in flat memory" "$root/build-plain/tests/unit/test_threads" 1000000
for test in $leaks; do
    # shellcheck disable=SC2046 # arguments or none
    check "$test, valgrind" valgrind -q --error-exitcode=67 --leak-check=full --errors-for-leak-kinds=definite \
        --suppressions="$root/tests/unit/valgrind.supp" "$root/build-plain/tests/$test" $(arguments_of "$test" 20)
done
[ -z "$failed" ]
