#!/bin/sh
# Makes a wheel of the Python module with its libraries in it, and runs it in a virtual environment that has nothing else of
# vkdml. The wheel lies in build-wheel/ afterwards.
#
# sh tools/build/wheel.sh
#
# Its tag is what the library allows: any Python 3 of this kind of machine, and manylinux_X_Y, a Linux with glibc X.Y or
# newer (PEP 600), which is the newest symbol version that the library names. So an older system makes a wheel that more
# can use. A library that needs more than glibc has the tag linux: it is for machines like this one.
# Python with setuptools, wheel and NumPy is needed beside what the build needs, and no index of packages.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"
# shellcheck disable=SC2086 # lists of packages
require $packages $python_packages
require_meson

python=python3
"$python" -c "import numpy, setuptools, wheel, ensurepip" >/dev/null 2>&1 || python=/usr/bin/python3

out=$root/build-wheel
rm -rf "$out/wheel" "$out/module" "$out/venv"
mkdir -p "$out"
sh "$root/tools/build/onnxruntime_headers.sh" >/dev/null
configure build-wheel/library -Ddefault_library=shared -Dtests=false -Dtools=false -Dexamples=false -Dpython=false \
    "-Donnxruntime=$root/build-onnxruntime/include"
quietly "the build of build-wheel/library" ninja -C "$out/library"
cp "$(readlink -f "$out/library/src/libvkdml.so")" "$out/libvkdml.so"
cp "$(readlink -f "$out/library/integrations/onnx/libvkdml_onnx.so")" "$out/libvkdml_onnx.so"
cp "$out/library/integrations/onnxruntime/libonnxruntime_ep_vkdml.so" "$out"
libraries="$out/libvkdml.so $out/libvkdml_onnx.so $out/libonnxruntime_ep_vkdml.so"
# shellcheck disable=SC2086 # a list
strip --strip-unneeded $libraries

# glibc's libraries, which manylinux allows, are one version; whatever else is needed is not everywhere.
# Those of ONNX models need the first, which the module has opened by then.
# shellcheck disable=SC2086 # a list
needed=$(readelf -d $libraries | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
machine=$(uname -m)
platform=linux_$machine
others=$(echo "$needed" | grep -Ev '^(libc|libm|libdl|libpthread|librt|ld-linux.*)\.so\.[0-9]+$|^libvkdml\.so\.' || true)
# shellcheck disable=SC2086 # a list
newest=$(readelf -V $libraries | grep -o 'GLIBC_[0-9][0-9.]*' | sort -uV | tail -n 1)
if [ -z "$others" ] && [ -n "$newest" ]; then
    platform=manylinux_$(echo "${newest#GLIBC_}" | cut -d. -f1,2 | tr . _)_$machine
else
    echo "Not manylinux: the library needs $others"
fi

# Built from a copy, with the library given: nothing is written beside the sources.
mkdir "$out/module"
cp -r "$root/python/." "$root/LICENSE" "$out/module"
rm -rf "$out/module/build"
cd "$out/module"
VKDML_LIBRARY=$out/libvkdml.so VKDML_ONNX_LIBRARY=$out/libvkdml_onnx.so \
    VKDML_ONNXRUNTIME_PLUGIN=$out/libonnxruntime_ep_vkdml.so quietly "the build of the wheel" \
    "$python" setup.py -q bdist_wheel --plat-name "$platform" --dist-dir "$out/wheel"
wheel=$(echo "$out"/wheel/vkdml-*.whl)

# Where auditwheel is installed it must come to the same.
if command -v auditwheel >/dev/null 2>&1 && [ "$platform" != "linux_$machine" ]; then
    auditwheel show "$wheel" | tr '\n' ' ' | grep -q "\"$platform\"" || {
        auditwheel show "$wheel" >&2
        echo "auditwheel finds another tag than $platform" >&2
        exit 1
    }
fi

quietly "python -m venv" "$python" -m venv --system-site-packages "$out/venv"
cd "$out"
quietly "pip install" "$out/venv/bin/python" -m pip install --no-index --disable-pip-version-check "$wheel"
printed=$(unset VKDML_LIBRARY VKDML_ONNX_LIBRARY VKDML_ONNXRUNTIME_PLUGIN PYTHONPATH LD_LIBRARY_PATH
    "$out/venv/bin/python" -c "
import numpy, vkdml
print(vkdml.run('ELEMENT_WISE_ADD', device='reference', ATensor=numpy.arange(3), BTensor=numpy.ones(3, int)))
print(vkdml._library.library().path)
print(vkdml._onnx.library().path)
import ctypes, vkdml.onnxruntime
print(ctypes.CDLL(vkdml.onnxruntime.plugin())._name)")
case $printed in
"[1 2 3]
$out/venv/"*"
$out/venv/"*"
$out/venv/"*) ;;
*)
    echo "the module of the wheel prints: $printed" >&2
    exit 1
    ;;
esac
rm -r "$out/module" "$out/venv"
ls -l "$wheel"
