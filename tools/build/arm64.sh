# Shared by the scripts that build for aarch64 Linux, which source it after setup.sh with $root set: the cross compiler, qemu,
# and a folder of arm64 packages. Debian and Ubuntu only: compiler and qemu are installed; what is of arm64 is unpacked, and
# nothing of it installed.
# shellcheck shell=sh disable=SC2034,SC2154

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
    apt=$arm64/apt
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
    for package in "$arm64"/apt/cache/archives/*.deb; do
        case ${package##*/} in
        libc6-dev_* | linux-libc-dev_*) continue ;;
        esac
        dpkg-deb --fsys-tarfile "$package" | tar -xf - -C "$sysroot.partial" --keep-directory-symlink --no-same-owner
    done
    mv "$sysroot.partial" "$sysroot"
    rm -rf "$arm64/apt"
}

# Beside the cross file: where the packages are, and that their headers are a system's, whose warnings are not ours.
describe_sysroot() {
    cat >"$arm64/sysroot.ini" <<EOF
[constants]
sysroot = '$sysroot'
[built-in options]
c_args = ['-isystem', sysroot + '/usr/include']
EOF
}

# arm64_sysroot FOLDER PACKAGE..: sets $sysroot to FOLDER/sysroot, with the packages and all they depend on, which are
# downloaded the first time, and writes FOLDER/sysroot.ini for Meson. Brings compiler and qemu, too.
arm64_sysroot() {
    arm64=$1
    shift
    arm64_packages=$*
    sysroot=$arm64/sysroot
    programs=
    command -v aarch64-linux-gnu-gcc >/dev/null 2>&1 || programs="gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
    command -v qemu-aarch64 >/dev/null 2>&1 || programs="$programs qemu-user"
    # shellcheck disable=SC2086 # lists of packages
    require gcc g++ meson ninja-build pkg-config python3 glslang-tools spirv-tools $header_packages $programs
    require_meson
    if [ ! -d "$sysroot" ]; then
        echo "Downloading arm64 packages into $sysroot"
        download
        unpack
    fi
    describe_sysroot
}

# Emulated programs see the sysroot's files first, so this is the arm64 driver. The second name is for older loaders.
use_arm64_driver() {
    VK_DRIVER_FILES=/usr/share/vulkan/icd.d/$(basename "$sysroot"/usr/share/vulkan/icd.d/lvp_icd*.json)
    VK_ICD_FILENAMES=$VK_DRIVER_FILES
    export VK_DRIVER_FILES VK_ICD_FILENAMES
}
