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

build=$root/build-aarch64
sysroot=$build/sysroot
arm64_packages="libvulkan-dev libvulkan-volk-dev mesa-vulkan-drivers vulkan-validationlayers libcmocka-dev libjson-c-dev"

# shellcheck source=/dev/null
[ ! -r /etc/os-release ] || . /etc/os-release
case ${ID-} in
debian)
    keys=/usr/share/keyrings/debian-archive-keyring.gpg
    archive="http://deb.debian.org/debian $VERSION_CODENAME main"
    ;;
ubuntu)
    keys=/usr/share/keyrings/ubuntu-archive-keyring.gpg
    archive="http://ports.ubuntu.com/ubuntu-ports $VERSION_CODENAME main universe"
    ;;
*)
    echo "This needs Debian or Ubuntu. Elsewhere: docs/PORTING.md" >&2
    exit 1
    ;;
esac

# An apt of its own, with an empty database of installed arm64 packages: it downloads them and all they depend on.
download() {
    apt=$build/apt
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    : >"$apt/status"
    echo "deb [signed-by=$keys] $archive" >"$apt/sources.list"
    cat >"$apt/apt.conf" <<EOF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "root";
Debug::NoLocking "true";
Dir::State::status "$apt/status";
Dir::State::lists "$apt/lists";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
EOF
    quietly "apt-get update" env APT_CONFIG="$apt/apt.conf" apt-get -qq update
    # shellcheck disable=SC2086 # a list of packages
    quietly "downloading" env APT_CONFIG="$apt/apt.conf" \
        apt-get -qq -y --download-only --no-install-recommends install $arm64_packages
}

# The C library's headers are the cross compiler's own.
unpack() {
    rm -rf "$sysroot.partial"
    mkdir -p "$sysroot.partial/usr/lib"
    ln -s usr/lib "$sysroot.partial/lib"
    for package in "$build"/apt/cache/archives/*.deb; do
        case ${package##*/} in
        libc6-dev_* | linux-libc-dev_*) continue ;;
        esac
        dpkg-deb --fsys-tarfile "$package" | tar -xf - -C "$sysroot.partial" --keep-directory-symlink --no-same-owner
    done
    mv "$sysroot.partial" "$sysroot"
    rm -rf "$build/apt"
}

# Beside the cross file: where the packages are, and that their headers are a system's, whose warnings are not ours.
describe_sysroot() {
    cat >"$build/sysroot.ini" <<EOF
[constants]
sysroot = '$sysroot'
[built-in options]
c_args = ['-isystem', sysroot + '/usr/include']
EOF
}

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

programs=
command -v aarch64-linux-gnu-gcc >/dev/null 2>&1 || programs="gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
command -v qemu-aarch64 >/dev/null 2>&1 || programs="$programs qemu-user"
# shellcheck disable=SC2086 # lists of packages
require gcc g++ meson ninja-build pkg-config python3 glslang-tools spirv-tools $header_packages $programs
require_meson
if [ ! -d "$sysroot" ]; then
    echo "Downloading arm64 packages into build-aarch64/sysroot"
    download
    unpack
fi

describe_sysroot
echo "Building"
configure build-aarch64 --cross-file "$root/cross/aarch64-linux-gnu.ini" --cross-file "$build/sysroot.ini" -Dwerror=true
quietly "the build" ninja -C "$build"

# Emulated programs see the sysroot's files first, so this is the arm64 driver. The second name is for older loaders.
VK_DRIVER_FILES=/usr/share/vulkan/icd.d/$(basename "$sysroot"/usr/share/vulkan/icd.d/lvp_icd*.json)
VK_ICD_FILENAMES=$VK_DRIVER_FILES
CMOCKA_MESSAGE_OUTPUT=TAP
export VK_DRIVER_FILES VK_ICD_FILENAMES CMOCKA_MESSAGE_OUTPUT
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
