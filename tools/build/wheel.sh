#!/bin/sh
# Builds the Python wheels, in build-wheel/wheel/:
#
# - vkdml: the Python module with its libraries, ONNX Runtime's plugin and DirectML's libraries, for any Python 3
# - onnxruntime-ep-vkdml: the functions by which applications find a plugin of ONNX Runtime; requires vkdml
#
# sh tools/build/wheel.sh [--build FOLDER]
#   --build FOLDER   a configured build folder, with -Donnxruntime; build-wheel/library. Of a cross build the wheels are for
#                    its machine. Without -Ddirectml_abi the wheel has no DirectML's libraries
#
# The libraries are linked again, against the symbols of glibc 2.28, so that the wheel is a manylinux_2_28 one wherever it was
# built. A library that needs newer symbols has the tag of the newest (PEP 600), and one that needs more than glibc has the tag
# linux. Python with setuptools and wheel is needed in addition to what the build needs, and no index of packages.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"

build=
if [ "${1-}" = --build ]; then
    build=$(cd "$2" && pwd)
    shift 2
fi
if [ $# -ne 0 ]; then
    echo "Usage: sh tools/build/wheel.sh [--build FOLDER]" >&2
    exit 1
fi
# shellcheck disable=SC2086 # lists of packages
require $packages $python_packages
[ -n "$build" ] || require g++ directx-headers-dev
require_meson

python=python3
"$python" -c "import setuptools, wheel" >/dev/null 2>&1 || python=/usr/bin/python3

out=$root/build-wheel
rm -rf "$out/wheel" "$out/module" "$out/link"
mkdir -p "$out/link"
if [ -z "$build" ]; then
    sh "$root/tools/build/onnxruntime_headers.sh" >/dev/null
    # Warnings are errors: the same commands as check.sh's, which a compiler cache knows.
    configure build-wheel/library -Dwerror=true -Dtests=false -Dtools=false -Dexamples=false -Dpython=false \
        -Ddirectml_abi=true "-Donnxruntime=$root/build-onnxruntime/include"
    build=$out/library
fi

# target NAME: the target of a shared library, whose name may end in a version.
target() {
    ninja -C "$build" -t targets all | sed -n "s|^\(.*$1\.so[.0-9]*\): c\(pp\)\{0,1\}_LINKER.*|\1|p"
}
module=$(target src/libvkdml)
models=$(target integrations/onnx/libvkdml_onnx)
plugin=$(target integrations/onnxruntime/libonnxruntime_ep_vkdml)
if [ -z "$module" ] || [ -z "$models" ] || [ -z "$plugin" ]; then
    echo "$build does not build the shared libraries and the plugin: meson setup -Donnxruntime=HEADERS" >&2
    exit 1
fi
dxcore=$(target integrations/directml/libdxcore)
d3d12=$(target integrations/directml/libd3d12)
directml=$(target integrations/directml/libdirectml)
# shellcheck disable=SC2086 # targets or none
quietly "the build of $build" ninja -C "$build" "$module" "$models" "$plugin" $dxcore $d3d12 $directml

# ---- glibc 2.28 ----

# The compiler of the build, which may be a cross compiler.
linking=$(ninja -C "$build" -t commands "$module" | tail -n 1)
compiler=${linking%% *}
machine=$("$compiler" -dumpmachine)
machine=${machine%%-*}
case $machine in
x86_64) first=GLIBC_2.2.5 stat_version=1 ;;
aarch64) first=GLIBC_2.17 stat_version=0 ;;
*) first= ;;
esac

# glibc has kept the versions that functions had before, though a program that is linked today gets the newest. Until 2.34
# there were libraries of their own for threads and for opening libraries.
#
# stub SONAME FUNCTION..: a library to link against, which has the functions with their first version.
stub() {
    soname=$1
    shift
    for function in "$@"; do
        echo "void $function(void) {}"
    done >"$out/link/stub.c"
    echo "$first { global: *; };" >"$out/link/stub.map"
    quietly "the stub of $soname" "$compiler" -shared -nostdlib -fno-builtin -w "-Wl,-soname,$soname" \
        "-Wl,--version-script=$out/link/stub.map" -o "$out/link/$soname" "$out/link/stub.c"
    stubs="$stubs $out/link/$soname"
}

stubs=
if [ -n "$first" ]; then
    quietly "first_versions.c" "$compiler" -O2 -fPIC -fno-builtin -Wall -Wextra -Werror "-DFIRST_VERSION=\"$first\"" \
        "-DSTAT_VERSION=$stat_version" -c -o "$out/link/first_versions.o" "$root/tools/build/first_versions.c"
    quietly "libfirst.a" "$("$compiler" -print-prog-name=ar)" rcs "$out/link/libfirst.a" "$out/link/first_versions.o"
    stubs=" $out/link/libfirst.a"
    stub libdl.so.2 dladdr dlclose dlopen dlsym
    stub libpthread.so.0 __pthread_key_create pthread_create pthread_detach pthread_getspecific pthread_join pthread_key_create \
        pthread_key_delete pthread_once pthread_setspecific pthread_sigmask
fi

# link TARGET FILE [OTHERS [LIBRARIES]]: links a library of the build again: by its name in the wheel, where it finds the others
# in the folder OTHERS, before the system's libraries with the stubs, and without symbols for debuggers.
link() {
    command=$(ninja -C "$build" -t commands "$1" | tail -n 1 | sed -e "s| -o [^ ]* | -s -o '$out/$2' |" \
        -e "s|'\{0,1\}-Wl,-rpath,[^ ]*||" -e "s|-Wl,-soname,[^ ]*||" -e "s| $module | '$out/libvkdml.so' |" \
        -e "s| -static-libgcc||" \
        -e "s| -pthread| -Wl,-soname,${2##*/} '-Wl,-rpath,\$ORIGIN${3-}'${4-}$stubs -pthread|")
    (cd "$build" && quietly "linking $2" sh -c "$command")
}
link "$module" libvkdml.so
link "$models" libvkdml_onnx.so
link "$plugin" libonnxruntime_ep_vkdml.so
libraries="$out/libvkdml.so $out/libvkdml_onnx.so $out/libonnxruntime_ep_vkdml.so"
rm -rf "$out/_directml"
if [ -n "$directml" ]; then
    mkdir "$out/_directml"
    # The C++ library's archive comes before the stubs. A newer GCC's unwinder needs a newer glibc: the system's is used.
    cpp=" -Wl,-Bstatic -lstdc++ -Wl,-Bdynamic"
    link "$dxcore" _directml/libdxcore.so /.. "$cpp"
    link "$d3d12" _directml/libd3d12.so /.. "$cpp"
    link "$directml" _directml/libdirectml.so /.. "$cpp"
    libraries="$libraries $out/_directml/libdxcore.so $out/_directml/libd3d12.so $out/_directml/libdirectml.so"
fi

# ---- the tag ----

# manylinux allows glibc's libraries and GCC's unwinder; no other library is present on all systems.
# shellcheck disable=SC2086 # a list
needed=$(readelf -d $libraries | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
others=$(echo "$needed" | grep -Ev '^(libc|libm|libdl|libpthread|librt|libgcc_s|ld-linux.*)\.so\.[0-9]+$|^libvkdml\.so$' || true)
# shellcheck disable=SC2086 # a list
newest=$({ readelf -V $libraries | grep -o 'GLIBC_[0-9][0-9.]*' && echo GLIBC_2.28; } | sort -uV | tail -n 1)
platform=manylinux_$(echo "${newest#GLIBC_}" | cut -d. -f1,2 | tr . _)_$machine
if [ -n "$others" ]; then
    echo "The wheel is for this system alone: a library needs $others"
    platform=linux_$machine
elif [ "$newest" != GLIBC_2.28 ]; then
    echo "The wheel needs a newer glibc than 2.28: a library has symbols of $newest"
fi

# ---- the wheels ----

# pack FOLDER PLATFORM: builds the wheel of a copy, so that nothing is written to the sources.
pack() {
    rm -rf "$out/module"
    mkdir "$out/module"
    cp -r "$root/python/." "$root/LICENSE" "$out/module"
    cp "$root/LICENSE" "$out/module/onnxruntime_ep"
    rm -rf "$out/module/build"
    (
        cd "$out/module/$1"
        export VKDML_LIBRARY="$out/libvkdml.so" VKDML_ONNX_LIBRARY="$out/libvkdml_onnx.so" \
            VKDML_ONNXRUNTIME_PLUGIN="$out/libonnxruntime_ep_vkdml.so"
        [ -z "$directml" ] || export VKDML_PACKED_DIRECTML="$out/_directml"
        quietly "the build of the wheel" "$python" setup.py -q bdist_wheel --plat-name "$2" --dist-dir "$out/wheel"
    )
    rm -r "$out/module"
}
pack . "$platform"
pack onnxruntime_ep any
ls -l "$out/wheel"
