#!/bin/sh
# spirv-val over every module that pipelines are made of, each once: what the differential suite and random graphs
# compile on the device at hand, in each variant of the kernels, and what planners ask for on the unit tests' invented
# devices. CI has forty of each kernel and variant (tests/specialize); this is for persons.
#
# sh tools/check/modules.sh [DIFFERENTIAL OPTION..]     e.g.: sh tools/check/modules.sh --cases 5 --seed 2
#   Modules of matrix cores need a newer spirv-val than Debian's: sh tools/build/newer_glslang.sh brings one.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"
# shellcheck disable=SC2086 # a list of packages
require $packages spirv-tools
require_meson
configure build
quietly "the build" ninja -C "$root/build" tests/differential/test_differential tests/graph/test_graphs \
    tests/specialize/planned_kernels

folder=$root/build/modules
rm -rf "$folder"
mkdir -p "$folder/planned"
export GALLIVM_PERF=nopt VKDML_TEST_MODULES="$folder"
for variant in serial portable subgroup; do
    export VKDML_KERNEL_VARIANT=$variant
    quietly "the differential suite, $variant kernels" "$root/build/tests/differential/test_differential" --cases 2 "$@"
    quietly "random graphs, $variant kernels" "$root/build/tests/graph/test_graphs" --graphs 100
done
quietly "planning" "$root/build/tests/specialize/planned_kernels" "$folder/planned" 1 20 1000000

validator=spirv-val
[ ! -x "$root/build-glslang/spirv-val" ] || validator=$root/build-glslang/spirv-val
# Each prints its name where it is refused.
# shellcheck disable=SC2016 # expanded by the inner shell
find "$folder" -name '*.spv' | xargs -P "$(nproc)" -n 1 \
    sh -c '"$0" --target-env vulkan1.2 "$1" >"$1.txt" 2>&1 || echo "$1"' "$validator" >"$folder/refused"
failed=0
unknown=0
while read -r module; do
    if grep -q 'Invalid capability operand: 6022' "$module.txt"; then # CooperativeMatrixKHR
        unknown=$((unknown + 1))
    else
        failed=$((failed + 1))
        echo "$module: $(cat "$module.txt")"
    fi
done <"$folder/refused"
count=$(find "$folder" -name '*.spv' | wc -l)
compiled=$(find "$folder" -maxdepth 1 -name '*.spv' | wc -l)
echo "$compiled modules compiled, $((count - compiled)) planned: $((count - failed - unknown)) passed," \
    "$failed failed, $unknown of matrix cores not known to $validator"
[ "$compiled" -gt 0 ] && [ "$failed" -eq 0 ]
