#!/bin/sh
# Runs the unmodified tensorflow-directml-plugin on vkdml's libraries, on a Vulkan device: its operations, training and
# networks compared with TensorFlow's CPU, and networks under the validation layer, which must report nothing. Outside
# CI: the wheels need about 2 GB of disk.
#
# sh tools/check/tensorflow_directml.sh [--python PATH] [--environment FOLDER] [--build FOLDER] [TEXT..]
#   --python PATH         a CPython 3.10, which TensorFlow 2.10 needs; python3.10
#   --environment FOLDER  the virtual environment, made if it is missing; build-tensorflow/
#   --build FOLDER        a build folder configured with -Ddirectml_abi=true; build-directml/, made if it is missing
#   TEXT                  only operations and tests whose name contains it; validation_is_silent is a test
#
# $VKDML_DEVICE chooses the device. Without a GPU set VKDML_SOFTWARE=1.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"
python=python3.10
environment=$root/build-tensorflow
build=
while [ $# -gt 0 ]; do
    case $1 in
    --python) python=$2 ;;
    --environment) environment=$2 ;;
    --build) build=$2 ;;
    *) break ;;
    esac
    shift 2
done

if [ -z "$build" ]; then
    build=$root/build-directml
    [ -f "$build/build.ninja" ] || meson setup "$build" "$root" -Ddirectml_abi=true >/dev/null
fi
build=$(cd "$build" && pwd)
libraries=$build/integrations/directml
ninja -C "$build" integrations/directml/libdxcore.so integrations/directml/libd3d12.so \
    integrations/directml/libdirectml.so >/dev/null

if [ ! -x "$environment/bin/python" ]; then
    "$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 10))' 2>/dev/null || {
        echo "$python is not CPython 3.10: name one with --python" >&2
        exit 1
    }
    "$python" -m venv "$environment"
fi
if ! "$environment/bin/python" -m pip show --quiet tensorflow-directml-plugin 2>/dev/null; then
    echo "# installing tensorflow-directml-plugin"
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check tensorflow-cpu==2.10.0 'numpy<2' \
        tensorflow-directml-plugin==0.4.0.dev230202
fi

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
TF_DIRECTML_PATH=$libraries
LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
TF_CPP_MIN_LOG_LEVEL=${TF_CPP_MIN_LOG_LEVEL:-1}
export TF_DIRECTML_PATH LD_LIBRARY_PATH TF_CPP_MIN_LOG_LEVEL

# client PROGRAM ARGUMENT..
client() {
    program=$1
    shift
    "$environment/bin/python" "$root/tests/directml/tensorflow_$program.py" "$@"
}

# compare PROGRAM TEXT..: a program that ends early has no plan, and counts as one failure.
compare() {
    client "$@" >"$results/program" || :
    cat "$results/program"
    grep -q '^1\.\.' "$results/program" || echo "not ok - $1 ended early"
}

# is_wanted NAME TEXT..
is_wanted() {
    name=$1
    shift
    [ $# -gt 0 ] || return 0
    for text in "$@"; do
        case $name in *"$text"*) return 0 ;; esac
    done
    return 1
}

# Whether training and networks pass under the validation layer, and it reports nothing.
is_silent() {
    VKDML_VALIDATION=1 VKDML_LOG=1 client training keras_trains resnet50 densenet121 updated_in_place \
        >"$results/validated" 2>"$results/messages" || return 1
    grep -q '^ok' "$results/validated" || return 1
    ! grep -i 'validation\|VUID\|SYNC-HAZARD' "$results/messages" >&2
}

validate() {
    if ! has_validation_layer; then
        echo "ok - validation_is_silent # SKIP without the layer"
    elif is_silent; then
        echo "ok - validation_is_silent"
    else
        echo "not ok - validation_is_silent"
    fi
}

{
    compare operations "$@"
    compare training "$@"
    ! is_wanted validation_is_silent "$@" || validate
} | tee "$results/log"
count() { # PATTERN
    grep -c "$1" "$results/log" || :
}
skipped=$(count '^ok .* # SKIP')
passed=$(($(count '^ok ') - skipped))
failed=$(count '^not ok ')
echo "# $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
