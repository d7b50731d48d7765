#!/bin/sh
# Measures the mathematics over all arguments: the figures of docs/OPERATORS.md. About a minute a function on two cores.
#
# sh tools/check/math.sh [BUILD] [OPTION..] [FUNCTION ..]     options: see tests/math/exhaustive.c
#   BUILD is a configured build folder, build by default. With libmpfr-dev also results that are nearly in the middle between
#   two floats are known to be rounded right or not.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$root/build
if [ -f "${1-}/build.ninja" ]; then
    build=$1
    shift
fi
ninja -C "$build" tests/math/exhaustive >/dev/null
exec "$build/tests/math/exhaustive" --threads "$(getconf _NPROCESSORS_ONLN)" "$@"
