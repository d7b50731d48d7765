#!/bin/sh
# Tests examples/serve: Ray Serve with two replicas on the Vulkan device that there is, lavapipe for one. Ray and ONNX Runtime come
# from the Python package index into an environment of their own in build-serve/ (600 MB). The last line counts the test cases.
# No process of Ray's is left, however it ends.
#
# sh tools/check/serve.sh [--build FOLDER]
#   --build FOLDER          a configured build folder, with -Donnxruntime; build-serve/build
#   $VKDML_SERVE_SECONDS    the tests fail after so long; 600
#   $VKDML_SERVE_PACKAGES   what is installed from the index; what examples/serve/requirements.txt lists
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"

build=
if [ "${1-}" = --build ]; then
    build=$(cd "$2" && pwd)
    shift 2
fi
onnxruntime_build build-serve
python=$folder/venv/bin/python
if ! "$python" -c "import numpy, onnxruntime, ray.serve" >/dev/null 2>&1; then
    python_environment "$folder"
    # shellcheck disable=SC2086 # a list
    quietly "pip install" timeout 900 "$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
        ${VKDML_SERVE_PACKAGES:--r "$root/examples/serve/requirements.txt"}
fi
quietly "the build" ninja -C "$build"

results=$folder/testlog.json
: >"$results"
: >"$folder/output"
# Ray's sockets are below it, whose paths may have 107 bytes; and its processes are known by it, as all inherit it.
place=$(mktemp -d /tmp/vkdml-serve.XXXXXX)

# left: the processes of this run.
left() { grep -lszxF "VKDML_SERVE_PLACE=$place" /proc/[0-9]*/environ | sed 's/[^0-9]//g'; }

# sweep: ends what is left, and removes what was written. Without effect where all went well.
sweep() {
    for turn in 1 2 3; do
        for process in $(left); do
            kill -9 "$process" 2>/dev/null || :
        done
        [ -n "$(left)" ] || break
        sleep "$turn"
    done
    rm -rf "$place"
}
trap 'sweep; rm -f "$log"' EXIT
trap 'exit 130' INT TERM

# Ray sends no usage statistics. Nothing goes through a proxy: all is on this machine. Compiling is most of what a model costs
# on lavapipe. In the background, as a shell hears no signal while it waits for what is not.
env GALLIVM_PERF=nopt "PYTHONPATH=$root/python" PYTHONWARNINGS=ignore RAY_USAGE_STATS_ENABLED=0 no_proxy='*' \
    "VKDML_LIBRARY=$build/src/libvkdml.so" "VKDML_SERVE_PLACE=$place" \
    "VKDML_ONNXRUNTIME_PLUGIN=$build/integrations/onnxruntime/libonnxruntime_ep_vkdml.so" \
    timeout -k 10 "${VKDML_SERVE_SECONDS:-600}" "$python" "$root/tests/onnx/test_serve.py" "$place" \
    >"$folder/output" 2>&1 </dev/null &
status=0
wait $! || status=$?
# The last processes may still be ending.
for turn in 1 2 3 4 5; do
    remaining=$(left)
    [ -n "$remaining" ] || break
    sleep "$turn"
done
if [ -z "$remaining" ]; then
    echo "ok - no process is left" >>"$folder/output"
else
    printf '%s\n' "not ok - no process is left" "# $(echo "$remaining" | wc -l) are" >>"$folder/output"
    status=1
fi
[ "$status" -eq 0 ] || grep -v '^ok ' "$folder/output" || :
python3 - "$status" "$folder/output" >>"$results" <<'END'
import json, sys

status, path = sys.argv[1:]
result = {"0": "OK", "124": "TIMEOUT"}.get(status, "FAIL")
with open(path, encoding="utf-8", errors="replace") as file:
    print(json.dumps({"name": "Ray Serve", "result": result, "stdout": file.read(), "stderr": ""}))
END
python3 "$root/tools/check/summary.py" --root "$root" "$results" || status=1
[ "$status" -eq 0 ]
