#!/bin/sh
# Tests vkdml's DirectML libraries with the unmodified packages torch-directml and torchvision: operations, gradients,
# training, networks (tests/directml/torch_operations.py, torch_training.py), and training under the validation layer. The packages go
# into an environment of their own, and are some gigabytes. The last line counts the tests.
#
# sh tools/check/torch_directml.sh [--build FOLDER] FOLDER
#   --build FOLDER   a configured build folder with -Ddirectml_abi=true; else FOLDER/build
#   FOLDER           gets the environment and the results
#   $PYTHON          a Python 3.8 to 3.12, as torch-directml has packages for; python3
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"

build=
if [ "${1-}" = --build ]; then
    build=$(cd "$2" && pwd)
    shift 2
fi
[ $# -eq 1 ] || {
    sed -n '/^# sh tools/s/^# //p' "$0" >&2
    exit 2
}
mkdir -p "$1"
folder=$(cd "$1" && pwd)
if [ -z "$build" ]; then
    build=$folder/build
    [ -e "$build/build.ninja" ] || quietly "meson setup" meson setup "$build" "$root" -Ddirectml_abi=true
fi
libraries=$build/integrations/directml
quietly "the build" ninja -C "$build" integrations/directml/libdxcore.so integrations/directml/libd3d12.so \
    integrations/directml/libdirectml.so

python=$folder/venv/bin/python
if ! "$python" -c "import torch_directml, torchvision, expecttest, transformers" >/dev/null 2>&1; then
    quietly "the environment" "${PYTHON:-python3}" -m venv "$folder/venv"
    quietly "pip install" "$python" -m pip install --quiet torch==2.4.1 torch-directml==0.2.5.dev240914 torchvision==0.19.1 \
        'numpy<2' expecttest==0.3.0 transformers==4.44.2 scipy
fi

# Compiling is most of what small operations cost on lavapipe.
GALLIVM_PERF=${GALLIVM_PERF-nopt}
VKDML_SOFTWARE=1
export GALLIVM_PERF VKDML_SOFTWARE

# client PROGRAM ARGUMENT..: by the environment's Python, on the libraries built.
client() {
    LD_LIBRARY_PATH=$libraries:$build/src${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
        LD_PRELOAD="$libraries/libdirectml.so $libraries/libd3d12.so $libraries/libdxcore.so" "$python" -W ignore "$@"
}

# silent PROGRAM ARGUMENT..: under the validation layer, which must report nothing.
silent() {
    VKDML_VALIDATION=1 client "$@" 2>"$folder/validation" || return 1
    ! grep -i 'validation\|VUID\|SYNC-HAZARD' "$folder/validation" >&2
}

tests=$root/tests/directml
{
    client "$tests/torch_operations.py" --json "$folder/operations.json" || :
    client "$tests/torch_operations.py" --gradients --json "$folder/gradients.json" || :
    client "$tests/torch_training.py" || :
    if ! has_validation_layer; then
        echo "ok - the validation layer is silent # SKIP without the layer"
    elif silent "$tests/torch_training.py" train >"$folder/validated"; then
        echo "ok - the validation layer is silent over training"
    else
        echo "not ok - the validation layer is silent over training"
    fi
} >"$folder/output"
cat "$folder/output"
skipped=$(grep -c '^ok.*# SKIP' "$folder/output" || :)
failed=$(grep -c '^not ok' "$folder/output" || :)
echo "$(($(grep -c '^ok' "$folder/output" || :) - skipped)) passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ -s "$folder/operations.json" ] && [ -s "$folder/gradients.json" ]
