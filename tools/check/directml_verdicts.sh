#!/bin/sh
# Compares what Microsoft's DirectML and vkdml accept and refuse: random descriptors of all operators and their
# neighbors. Microsoft's library comes from the torch-directml wheel on PyPI (MIT), which is downloaded to FOLDER; it
# validates on vkdml's libd3d12.so and executes nothing. Fails if a difference is not in
# tests/directml/verdicts_known.inc, whose rows docs/DIRECTML.md lists. Not part of CI. x86-64 only.
#
# sh tools/check/directml_verdicts.sh FOLDER [--cases N] [--walk N] [--seed N] [--minimum LEVEL] [OPERATOR..]
#   FOLDER     for the wheel and the build, which are kept for the next run
#   --cases    random cases of each operator, 24 if not stated: 3 million descriptors, some minutes
#   --walk     steps from each case to a neighbor, whose neighbors are compared, too; 2 if not stated
#   --seed     of the random numbers, 1 if not stated
#   --minimum  the level for DMLCreateDevice1(), 1_0 if not stated
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"

if [ $# -eq 0 ]; then
    sed -n '7,12s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
require gcc g++ libc6-dev meson ninja-build pkg-config python3 python3-pip libvulkan-dev mesa-vulkan-drivers \
    directx-headers-dev

wheel=torch_directml-0.2.5.dev240914-cp311-cp311-manylinux2010_x86_64.whl
if [ ! -e "$folder/wheel/torch_directml/libdirectml.so" ]; then
    python3 -m pip download --quiet --no-deps --only-binary :all: --python-version 3.11 --implementation cp --abi cp311 \
        --platform manylinux2010_x86_64 --dest "$folder" torch-directml==0.2.5.dev240914
    python3 -m zipfile -e "$folder/$wheel" "$folder/wheel"
fi

build=$folder/build
[ -e "$build/build.ninja" ] || meson setup "$build" "$root" -Ddirectml_abi=true >/dev/null
cases="cases/libvkdml-case-list.a cases/libvkdml-case-families.a cases/libvkdml-case-runner.a"
# shellcheck disable=SC2086 # a list
ninja -C "$build" --quiet integrations/directml/libdxcore.so integrations/directml/libd3d12.so $cases
cd "$build"
for name in neighbours documented sample; do
    cc -std=c11 -O1 -I"$root" -I"$root/tests" -I"$root/include" -I"$root/src" -c "$root/tests/invalid/$name.c" -o "$name.o"
done
# shellcheck disable=SC2046,SC2086 # lists
c++ -std=c++17 -O1 -I"$root" -I"$root/tests" -I"$root/include" -I"$root/src" $(pkg-config --cflags DirectX-Headers) \
    "$root/tests/directml/verdicts.cpp" "$root/tests/directml/verdicts_known.cpp" neighbours.o documented.o sample.o \
    -o verdicts -Wl,--start-group $cases -Wl,--end-group -Lsrc -lvkdml -Wl,-rpath,"$build/src" -ldl -lpthread -lm
VKDML_SOFTWARE=1 VKDML_LOG=0 LD_LIBRARY_PATH=$build/integrations/directml \
    ./verdicts "$folder/wheel/torch_directml/libdirectml.so" "$@"
