#!/bin/sh
# Runs the unmodified tensorflow-directml-plugin on vkdml's libraries, on a Vulkan device: its operations and a training
# run, compared with TensorFlow's CPU. Outside CI: the wheels need about 2 GB of disk.
#
# sh tools/check/tensorflow_directml.sh [--python PATH] [--environment FOLDER] [--build FOLDER] [TEXT..]
#   --python PATH         a CPython 3.10, which TensorFlow 2.10 needs; python3.10
#   --environment FOLDER  the virtual environment, made if it is missing; build-tensorflow/
#   --build FOLDER        a build folder configured with -Ddirectml_abi=true; build-directml/, made if it is missing
#   TEXT                  only operations and tests whose name contains it
#
# $VKDML_DEVICE chooses the device. Without a GPU set VKDML_SOFTWARE=1.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
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

log=$(mktemp)
trap 'rm -f "$log"' EXIT
TF_DIRECTML_PATH=$libraries
LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
TF_CPP_MIN_LOG_LEVEL=${TF_CPP_MIN_LOG_LEVEL:-1}
export TF_DIRECTML_PATH LD_LIBRARY_PATH TF_CPP_MIN_LOG_LEVEL
for program in operations training; do
    "$environment/bin/python" "$root/tests/directml/tensorflow_$program.py" "$@" >"$log.part" || true
    cat "$log.part"
    # A program that ends early has no plan; it counts as one failure.
    grep -q '^1\.\.' "$log.part" || echo "not ok - $program ended early"
    cat "$log.part" >>"$log"
    grep -q '^1\.\.' "$log.part" || echo "not ok - $program ended early" >>"$log"
    rm -f "$log.part"
done
count() { # PATTERN
    grep -c "$1" "$log" || true
}
skipped=$(count '^ok .* # SKIP')
passed=$(($(count '^ok ') - skipped))
failed=$(count '^not ok ')
echo "# $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
