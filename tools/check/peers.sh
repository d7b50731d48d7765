#!/bin/sh
# Holds the CPU reference to other implementations (tools/check/peers/compare.py): NumPy, mpmath, ONNX Runtime and PyTorch, those of
# them that install, in a virtual environment of its own, build-peers/. Needs no GPU. Without options the networks of
# examples/networks are held to the last two (tools/check/networks.py), on a Vulkan device, lavapipe if need be.
#
# sh tools/check/peers.sh [BUILD] [OPTION..]     options: see tools/check/peers/compare.py
#   BUILD is a configured build folder, build by default. PyTorch comes last: of some machines it is several gigabytes.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$root/build
if [ -f "${1-}/build.ninja" ]; then
    build=$(cd "$1" && pwd)
    shift
fi
[ -f "$build/build.ninja" ] || meson setup "$build" "$root" >/dev/null
meson compile -C "$build" vkdml:shared_library >/dev/null
environment=$root/build-peers
[ -x "$environment/bin/python" ] || python3 -m venv "$environment"
python=$environment/bin/python
for package in numpy gmpy2 mpmath onnx onnxruntime torch; do
    if ! "$python" -c "import $package" 2>/dev/null; then
        echo "# installing $package"
        "$python" -m pip install --quiet --disable-pip-version-check "$package" >"$environment/$package.log" 2>&1 ||
            echo "# $package did not install: $environment/$package.log"
    fi
done
networks() { # PEER MODULES
    if "$python" -c "import $2" 2>/dev/null; then
        echo "# networks beside $1"
        VKDML_LIBRARY="$build/src/libvkdml.so" PYTHONPATH="$root/python" "$python" "$root/tools/check/networks.py" --peer "$1"
    fi
}
if [ $# = 0 ]; then
    networks onnx onnx,onnxruntime
    networks torch torch
fi
exec "$python" "$root/tools/check/peers/compare.py" --library "$build/src/libvkdml.so" "$@"
