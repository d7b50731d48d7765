#!/bin/sh
# Tests vkdml's DirectML libraries with the unmodified packages torch-directml and torchvision: operations and their
# gradients (tests/directml/torch_operations.py), training and networks (torch_training.py), training on two devices and
# under the validation layer, and the commands of docs/PYTORCH.md. The packages need about 12 GB in two environments.
# The last line counts the tests.
#
# sh tools/check/torch_directml.sh [--quick] [--build FOLDER] FOLDER
#   --quick          one sample of each operation, in FLOAT32; no large networks; not the commands of the page
#   --build FOLDER   a configured build folder with -Ddirectml_abi=true; else FOLDER/build
#   FOLDER           gets the environments and the results
#   $PYTHON          a Python 3.8 to 3.12, as torch-directml has packages for; python3
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"

build=
samples=
trainings=
while [ $# -gt 1 ]; do
    case $1 in
    --quick)
        samples="--samples 1 --type float32"
        trainings="MLP CNN transformer resnet18 GPT-2 save devices threads"
        shift
        ;;
    --build)
        build=$(cd "$2" && pwd)
        shift 2
        ;;
    *) break ;;
    esac
done
[ $# -eq 1 ] && [ "${1#-}" = "$1" ] || {
    sed -n '/^# sh tools/,/^set/s/^# //p' "$0" >&2
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
has_packages() {
    "$python" - torch_directml torchvision expecttest transformers scipy >/dev/null 2>&1 <<'END'
import importlib.util, sys
sys.exit(not all(map(importlib.util.find_spec, sys.argv[1:])))
END
}
if ! has_packages; then
    quietly "the environment" "${PYTHON:-python3}" -m venv "$folder/venv"
    quietly "pip install" "$python" -m pip install --quiet torch==2.4.1 torch-directml==0.2.5.dev240914 \
        torchvision==0.19.1 'numpy<2' expecttest==0.3.0 transformers==4.44.2 scipy
fi

# Compiling is most of what small operations cost on lavapipe.
GALLIVM_PERF=${GALLIVM_PERF-nopt}
VKDML_SOFTWARE=1
export GALLIVM_PERF VKDML_SOFTWARE

# client PROGRAM ARGUMENT..: by the environment's Python, on the libraries built.
client() {
    timeout 3600 env "LD_LIBRARY_PATH=$libraries:$build/src${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
        "LD_PRELOAD=$libraries/libdirectml.so $libraries/libd3d12.so $libraries/libdxcore.so" \
        "$python" -W ignore "$@"
}

# silent PROGRAM ARGUMENT..: under the validation layer, which must report nothing.
silent() {
    VKDML_VALIDATION=1 client "$@" 2>"$folder/validation" || return 1
    ! grep -i 'validation\|VUID\|SYNC-HAZARD' "$folder/validation" >&2
}

# result STATUS NAME
result() {
    [ "$1" -eq 0 ] && echo "ok - $2" || echo "not ok - $2"
}

# Trains on the devices and on SwiftShader, if the devices are one.
two_devices() {
    driver=$(sh "$root/tools/check/swiftshader.sh" --setup-only | tail -n 1) || driver=
    if [ -z "$driver" ]; then
        echo "ok - several devices, one of them SwiftShader # SKIP without SwiftShader"
    else
        VK_ADD_DRIVER_FILES=$driver client "$tests/torch_training.py" "several devices"
    fi
}

# Prints block N (from 0) of a language on docs/PYTORCH.md.
block() {
    python3 - "$root" "$1" "$2" <<'END'
import pathlib, sys
root, language, number = sys.argv[1:]
sys.path.insert(0, root + "/tests/docs")
import snippets
blocks = snippets.blocks_of(pathlib.Path(root, "docs/PYTORCH.md"))
print([block.text for block in blocks if block.language == language][int(number)], end="")
END
}

# The commands for installing and the program, as the page has them. The wheel is built in the tree, the program runs in
# the folder.
page_commands() {
    rm -rf "$folder/page"
    "${PYTHON:-python3}" -m venv "$folder/page"
    block python 0 >"$folder/page/train.py"
    (
        cd "$root"
        PATH=$folder/page/bin:$PATH
        export PATH
        {
            echo set -e
            block sh 0 | sed "s|^python |cd '$folder/page' \&\& &|"
        } | timeout 3600 sh
    ) >"$folder/page.log" 2>&1 && grep -q "^vkdml: using" "$folder/page.log"
}

tests=$root/tests/directml
{
    # shellcheck disable=SC2086 # lists of words
    client "$tests/torch_operations.py" $samples --json "$folder/operations.json" || :
    # shellcheck disable=SC2086
    client "$tests/torch_operations.py" --gradients $samples --json "$folder/gradients.json" || :
    # shellcheck disable=SC2086
    client "$tests/torch_training.py" $trainings >"$folder/training" || :
    cat "$folder/training"
    ! grep -q 'several devices # SKIP' "$folder/training" || two_devices || :
    if ! has_validation_layer; then
        echo "ok - the validation layer is silent # SKIP without the layer"
    else
        status=0
        silent "$tests/torch_training.py" MLP CNN transformer save threads >"$folder/validated" || status=1
        result $status "the validation layer is silent over training"
    fi
    if [ -z "$samples" ]; then
        status=0
        page_commands || status=1
        result $status "the commands of docs/PYTORCH.md"
    fi
} >"$folder/output"
cat "$folder/output"
skipped=$(grep -c '^ok.*# SKIP' "$folder/output" || :)
failed=$(grep -c '^not ok' "$folder/output" || :)
echo "$(($(grep -c '^ok' "$folder/output" || :) - skipped)) passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ -s "$folder/operations.json" ] && [ -s "$folder/gradients.json" ]
