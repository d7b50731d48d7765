#!/bin/sh
# Cross-builds vkdml for aarch64 Linux, warnings as errors, and runs the tests under qemu-user on the arm64 lavapipe; the
# last line counts the test cases. For persons, not for CI: it takes about five minutes and downloads 70 MB the first time.
#
# sh tools/check/aarch64.sh [DIFFERENTIAL OPTION..]     e.g.: sh tools/check/aarch64.sh --cases 20
#
# test_differential runs the cases of tools/check.sh on the serial kernels: lavapipe's shader compiler is emulated too, and
# takes 0.4 s for an average case of ELEMENT_WISE_IDENTITY. Everything else runs as there. Debian and
# Ubuntu only: compiler and qemu are installed; what is of arm64 is unpacked into build-aarch64/, nothing of it installed.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"

# shellcheck source=tools/build/arm64.sh
. "$root/tools/build/arm64.sh"

build=$root/build-aarch64

# run_tests NAME OPTION..: `meson test`, its log is NAME.json.
run_tests() {
    logbase=$1
    shift
    rm -f "$build/meson-logs/$logbase.json"
    meson test -C "$build" --no-rebuild --quiet --print-errorlogs --timeout-multiplier 10 --logbase "$logbase" "$@" \
        >"$log" 2>&1 </dev/null || {
        failed=1
        cat "$log"
    }
    logs="$logs $build/meson-logs/$logbase.json"
}

# run_scripts SUITE: its tests are scripts that start arm64 programs. Meson emulates the programs that it starts itself;
# here each such program becomes a script that emulates it. The log is SUITE.json.
run_scripts() {
    python3 - "$build" "$sysroot" "$1" <<'EOF' || failed=1
import json, os, subprocess, sys

build, sysroot, suite = sys.argv[1:]


def emulated(word):
    """The word of a command, or a script that emulates it where it is an arm64 program."""
    program = os.path.join(build, word)
    if not os.path.isfile(program):
        return word
    with open(program, "rb") as file:
        if file.read(4) != b"\x7fELF":
            return word
    script = program + ".emulated"
    with open(script, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nexec qemu-aarch64 -L "{sysroot}" "{program}" "$@"\n')
    os.chmod(script, 0o755)
    return script


failed = False
with open(f"{build}/meson-info/intro-tests.json", encoding="utf-8") as file:
    tests = [test for test in json.load(file) if f"vkdml:{suite}" in test["suite"]]
with open(f"{build}/meson-logs/{suite}.json", "w", encoding="utf-8") as log:
    for test in tests:
        command = test["cmd"][:1] + [emulated(word) for word in test["cmd"][1:]]  # the first is python
        done = subprocess.run(command, env=os.environ | test["env"], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)
        result = "FAIL" if done.returncode else "OK"
        print(json.dumps({"name": test["name"], "result": result, "stdout": done.stdout, "stderr": done.stderr}), file=log)
        if done.returncode:
            failed = True
            print(test["name"], "failed:", done.stdout, done.stderr, sep="\n")
sys.exit(failed)
EOF
    logs="$logs $build/meson-logs/$1.json"
}

arm64_sysroot "$build" libvulkan-dev libvulkan-volk-dev mesa-vulkan-drivers vulkan-validationlayers libcmocka-dev libjson-c-dev
echo "Building"
configure build-aarch64 --cross-file "$root/cross/aarch64-linux-gnu.ini" --cross-file "$build/sysroot.ini" -Dwerror=true
quietly "the build" ninja -C "$build"

use_arm64_driver
CMOCKA_MESSAGE_OUTPUT=TAP
export CMOCKA_MESSAGE_OUTPUT
failed=
logs=
# Not emulated: the profiles and the 1.5 GiB tensors, which take minutes natively and prove nothing about a processor.
echo "Testing: all but test_differential, the command and the examples"
run_tests most --no-suite tool --no-suite differential --no-suite profiles --no-suite large
run_tests harness harness
[ $# -ne 0 ] || set -- --cases 2
echo "Testing: test_differential $*"
run_tests differential --test-args="$*" "differential, serial kernels, first half" \
    "differential, serial kernels, second half" "differential, transfer commands allowed"
echo "Testing: the command and the examples"
run_scripts tool

# shellcheck disable=SC2086 # a list of files
python3 "$root/tools/check/summary.py" --root "$root" $logs || failed=1
[ -z "$failed" ]
