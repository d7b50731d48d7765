#!/bin/sh
# Which lines of src/ the tests run, by gcov and gcovr: at least 95 % of them, and the others each explained in
# tests/coverage/explained.txt. For persons, not for CI: a build without optimization, the unit tests, those of refusals,
# graphs and mathematics, and every operator's cases by two variants of the kernels.
#
# sh tools/check/coverage.sh [--report]      --report: of what was run last; nothing is built or run
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"

build=$root/build-coverage
case ${1-} in
--report) ;;
'')
    # shellcheck disable=SC2086 # lists of packages
    require $packages gcovr
    require_meson
    # Threads count the same lines.
    configure build-coverage -Dbuildtype=debug -Db_coverage=true -Ddefault_library=static -Dtools=false \
        -Dexamples=false -Donnx=false -Dpython=false -Dc_args=-fprofile-update=atomic
    quietly "the build" ninja -C "$build"
    find "$build" -name '*.gcda' -exec rm -f {} +
    # Kernels that are compiled once and run on little need no optimizer.
    export GALLIVM_PERF=nopt
    quietly "the tests" meson test -C "$build" --no-rebuild --timeout-multiplier 20 \
        --suite unit --suite invalid --suite graph --suite math --suite specialize
    for variant in serial portable; do
        quietly "the differential suite, $variant kernels" env VKDML_KERNEL_VARIANT=$variant \
            "$build/tests/differential/test_differential" --no-skips --cases 1
    done
    ;;
*)
    sed -n '6s/^# //p' "$0" >&2
    exit 2
    ;;
esac

(cd "$build" && gcovr --root "$root" --filter "$root/src/" --exclude-unreachable-branches --json \
    --output coverage.json .)
python3 "$root/tools/check/coverage.py" --root "$root" "$build/coverage.json"
