#!/bin/sh
# Tests ONNX models: ONNX's own node tests by the runner, and through ONNX Runtime by the plugin. What they need of the Python
# package index, onnx and onnxruntime, goes into an environment of its own in build-onnx/. The last line counts the test cases.
#
# sh tools/check/onnx.sh [--setup-only | --build FOLDER] [TEXT..]     e.g.: .. conv pool
#   --setup-only              only brings and builds what is needed, into build-onnx/
#   --build FOLDER            a configured build folder, with -Donnxruntime; build-onnx/build
#   TEXT..                    only node tests whose names contain one
#   $VKDML_ONNX_PACKAGES      what is installed from the index, e.g. onnxruntime==1.23.2 onnx numpy
#   $VKDML_ONNX_LOADER        runs all programs: an ld.so, with the libraries of another system
#   $VKDML_ONNX_SECONDS       a node test that takes longer fails, and the next one runs
#   $VKDML_ROTATION           even: profile amd, odd: profile nvidia; the number of commits
# onnx_drivers.sh runs it on other drivers.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"

build=
setup_only=
if [ "${1-}" = --setup-only ]; then
    setup_only=1
    shift
elif [ "${1-}" = --build ]; then
    build=$(cd "$2" && pwd)
    shift 2
fi
onnxruntime_build build-onnx
onnx_environment
quietly "the build" ninja -C "$build"
[ -z "$setup_only" ] || exit 0
[ -e "$folder/nodes" ] || quietly "writing the node tests" "$python" "$root/tests/onnx/node_tests.py" "$folder/nodes"

results=$folder/testlog.json
: >"$results"
failed=
# Those that take seconds; models.py --list names the others, of which light_vgg19 takes minutes.
models="tagger bert_128 decoder mobilenet_v2 resnet50 resnet50_int8 unet light_squeezenet light_shufflenet light_resnet50 \
light_bvlc_alexnet mobilenet_v3_small"

# logged NAME COMMAND..: a line of the log, as of `meson test`.
logged() {
    name=$1
    shift
    status=0
    # shellcheck disable=SC2086 # a program and its options
    ${VKDML_ONNX_LOADER:+$VKDML_ONNX_LOADER --argv0 "$1"} "$@" >"$folder/output" 2>&1 </dev/null || status=$?
    grep -v '^ok ' "$folder/output" || :
    [ "$status" -eq 0 ] || failed=1
    python3 - "$name" "$status" "$folder/output" >>"$results" <<'END'
import json, sys

name, status, path = sys.argv[1:]
with open(path, encoding="utf-8", errors="replace") as file:
    print(json.dumps({"name": name, "result": "OK" if status == "0" else "FAIL", "stdout": file.read(), "stderr": ""}))
END
}

# Compiling is most of what they cost on lavapipe.
GALLIVM_PERF=${GALLIVM_PERF-nopt}
export GALLIVM_PERF
PYTHONPATH=$root/python
PYTHONWARNINGS=ignore
VKDML_LIBRARY=$build/src/libvkdml.so
VKDML_ONNX_LIBRARY=$build/integrations/onnx/libvkdml_onnx.so
VKDML_ONNXRUNTIME_PLUGIN=$build/integrations/onnxruntime/libonnxruntime_ep_vkdml.so
VKDML_ONNXRUNTIME_SOFTWARE=1
export VKDML_ONNXRUNTIME_SOFTWARE PYTHONPATH PYTHONWARNINGS VKDML_LIBRARY VKDML_ONNX_LIBRARY VKDML_ONNXRUNTIME_PLUGIN
seconds=${VKDML_ONNX_SECONDS:-0}
runner_least=1604 ours_least=1332
[ $# -eq 0 ] || runner_least=0 ours_least=0
logged "the Python module, with ONNX Runtime" "$python" "$root/tests/onnx/test_onnxruntime.py"
# Memory as cards have it, by turns: mapped and not cached, and not mapped.
rotation=${VKDML_ROTATION:-$(git -C "$root" rev-list --count HEAD 2>/dev/null || echo 0)}
profile=amd
[ $((rotation % 2)) -eq 0 ] || profile=nvidia
logged "the Python module, profile $profile" env "LD_LIBRARY_PATH=$build/tests/profiles" "VKDML_TEST_PROFILE=$profile" \
    "$python" "$root/tests/onnx/test_onnxruntime.py"
if [ $# -eq 0 ]; then
    logged "models with open sizes" "$python" "$root/tests/onnx/test_open_sizes.py"
    [ -n "${VKDML_ONNX_PACKAGES-}" ] || logged "ONNX Runtime GenAI" "$python" "$root/tests/onnx/test_genai.py"
    logged "decoders as exporters write them" "$python" "$root/tests/onnx/test_growing.py"
    logged "random models whose sizes grow" "$python" "$root/tests/onnx/test_growing_random.py"
    logged "the plugin, where devices and models fail" env "LD_LIBRARY_PATH=$build/tests/onnx" "$python" \
        "$root/tests/onnx/test_onnxruntime_faults.py"
    logged "changes of ONNX's node tests, planned and compiled" "$build/tests/onnx/change_models" --count 60000 --seconds 20 \
        --found "$folder/found.onnx" "$folder/nodes"
    logged "ONNX's node tests, where memory is out" "$build/tests/onnx/change_models" --memory --seconds 30 \
        --found "$folder/found.onnx" "$folder/nodes"
    rm -rf "$folder/changed"
    mkdir -p "$folder/changed"
    "$build/tests/onnx/change_models" --count 3000 --seed 77 --write "$folder/changed" "$folder/nodes"
    logged "changes of ONNX's node tests, by ONNX Runtime" "$python" "$root/tests/onnx/ort_changed.py" "$VKDML_ONNXRUNTIME_PLUGIN" \
        "$folder/changed" --seconds 20
fi
logged "ONNX's node tests, by the runner" "$build/tests/onnx/onnx_nodes" "$folder/nodes" "--least=$runner_least" \
    "--seconds=$seconds" "$@"
logged "the example in Python" "$python" "$root/examples/onnx_model.py"
runtime=$("$python" -c 'import glob, onnxruntime, os
print(glob.glob(os.path.dirname(onnxruntime.__file__) + "/capi/libonnxruntime.so.*")[0])')
logged "the example in C" "$build/examples/onnx_runtime" "$runtime" "$VKDML_ONNXRUNTIME_PLUGIN" \
    "$root/examples/models/classify.onnx"
# cases NAME COUNT: what a script of tests/onnx adds to them.
cases() {
    [ -e "$folder/cases_$1" ] ||
        quietly "writing cases_$1" "$python" "$root/tests/onnx/cases_$1.py" "$folder/cases_$1"
    logged "more cases of operators: $1" "$build/tests/onnx/onnx_nodes" "$folder/cases_$1" "--least=$2" "--seconds=$seconds"
}
if [ $# -eq 0 ]; then
    cases elements 384
    cases move 388
    cases network 289
    cases contrib 230
fi
[ $# -ne 0 ] || logged "claims of operators, by types" "$python" "$root/tests/onnx/ort_types.py" "$VKDML_ONNXRUNTIME_PLUGIN"
logged "ONNX's node tests, by ONNX Runtime" "$python" "$root/tests/onnx/ort_nodes.py" "$VKDML_ONNXRUNTIME_PLUGIN" \
    --least "$ours_least" --seconds "$seconds" "$@"
[ $# -ne 0 ] || logged "whole models, layer by layer" "$python" "$root/tests/onnx/models.py" $models
python3 "$root/tools/check/summary.py" --root "$root" "$results" || failed=1
[ -z "$failed" ]
