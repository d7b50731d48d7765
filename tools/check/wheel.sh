#!/bin/sh
# Builds the Python wheels and tests them: what is in them, what they need, and that they run, with ONNX Runtime and without.
# The last line counts the test cases.
#
# sh tools/check/wheel.sh [--build FOLDER]
#   --build FOLDER   a configured build folder, with -Donnxruntime; build-wheel/library
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"

results=$root/build-wheel/testlog.json
mkdir -p "$root/build-wheel"
: >"$results"
sh "$root/tools/build/wheel.sh" "$@"
onnx_environment
# shellcheck source=tools/check/logged.sh
. "$root/tools/check/logged.sh"
numpy_python=python3
"$numpy_python" -c "import numpy" >/dev/null 2>&1 || numpy_python=/usr/bin/python3
failed=
logged "Python wheels" env GALLIVM_PERF=nopt "PYTHONPATH=$root/tests/python" "$numpy_python" "$root/tests/python/test_wheel.py" \
    "$root" "$python"
python3 "$root/tools/check/summary.py" --root "$root" "$results"
