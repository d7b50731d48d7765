# Shared by the scripts that need packages of another Debian beside the system's own: sourced after setup.sh. They are
# downloaded and unpacked, not installed, and no rights are needed.
# shellcheck shell=sh disable=SC2154

# debian_archive: prints the address of the archive that this system uses, or ends the script.
debian_archive() {
    archive=$(sed -n 's/^URIs: *\(.*debian\)\/* *$/\1/p' /etc/apt/sources.list.d/debian.sources 2>/dev/null | head -n 1)
    [ -n "$archive" ] || archive=$(sed -n 's/^deb \(\[.*\] \)*\([^ ]*debian\)\/* .*/\2/p' /etc/apt/sources.list 2>/dev/null | head -n 1)
    [ -n "$archive" ] || {
        echo "The system's list of packages names no archive of Debian" >&2
        exit 1
    }
    echo "$archive"
}

# begin_debian SUITE FOLDER: reads the list of packages of `stable`, `testing` or another suite, of the archive that this system
# uses, into FOLDER; the working folder from then on. To be removed when all is unpacked.
begin_debian() {
    suite=$1
    shift
    command -v apt-get >/dev/null 2>&1 || {
        echo "There is no apt-get, by which packages of Debian $suite are found" >&2
        exit 1
    }
    rm -rf "$1"
    mkdir -p "$1/lists/partial" "$1/cache/archives/partial"
    archive=$(debian_archive)
    cd "$1"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive $suite main" >sources.list
    : >status # nothing is installed
    debian_options="-o Dir::Etc::SourceList=$1/sources.list -o Dir::Etc::SourceParts=/dev/null
        -o Dir::State::Lists=$1/lists -o Dir::State::status=$1/status -o Dir::Cache=$1/cache"
    # shellcheck disable=SC2086 # options
    quietly "apt-get update" apt-get -qq $debian_options update
}

# download_debian PACKAGE..: into the working folder.
download_debian() {
    # shellcheck disable=SC2086
    quietly "apt-get download" apt-get -qq $debian_options download "$@"
}

# download_debian_with_all PACKAGE..: with all that they need, down to the C library, into the working folder.
download_debian_with_all() {
    # shellcheck disable=SC2086
    quietly "apt-get install --download-only" \
        apt-get -qq -y $debian_options --no-install-recommends --download-only install "$@"
    mv cache/archives/*.deb .
}

# unpack_lavapipe SUITE FOLDER: Mesa's lavapipe of that suite, and what it needs down to the C library: some 40 packages of 64 MB.
# Done once.
unpack_lavapipe() {
    [ ! -e "$2/usr/share/vulkan/icd.d/lvp_icd.json" ] || return 0
    echo "Downloading lavapipe of Debian $1 into $(basename "$2")/" >&2
    rm -rf "$2" "$2.partial"
    mkdir -p "$2.partial"
    (
        begin_debian "$1" "$2.partial/apt"
        download_debian_with_all mesa-vulkan-drivers libvulkan1 libjson-c5 libstdc++6
        for package in *.deb; do
            dpkg-deb -x "$package" "$2.partial"
        done
    )
    rm -rf "$2.partial/apt"
    # By one name, whatever the processor: stable's ends with the architecture.
    icd=$(echo "$2.partial"/usr/share/vulkan/icd.d/lvp_icd*.json)
    [ "${icd%/lvp_icd.json}" != "$icd" ] || cp "$icd" "$2.partial/usr/share/vulkan/icd.d/lvp_icd.json"
    mv "$2.partial" "$2"
}

# use_lavapipe FOLDER: what programs need to run on it. $libraries is the folder with its ld.so, by which this system's programs
# run; without it they would get this system's C library, which is older than what the driver was built for.
use_lavapipe() {
    libraries=$(echo "$1"/usr/lib/*-linux-gnu)
    loader=$(echo "$libraries"/ld-linux*.so.?)
    VK_DRIVER_FILES=$1/usr/share/vulkan/icd.d/lvp_icd.json
    VK_ICD_FILENAMES=$VK_DRIVER_FILES # for older loaders
    VKDML_DEVICE=llvmpipe
    export VK_DRIVER_FILES VK_ICD_FILENAMES VKDML_DEVICE
    # LLVM 21's fault (docs/PORTING.md), unless the caller wants to see it.
    if [ -z "${GALLIUM_OVERRIDE_CPU_CAPS-}" ] && [ -e "$libraries/libLLVM.so.21.1" ]; then
        GALLIUM_OVERRIDE_CPU_CAPS=avx
        export GALLIUM_OVERRIDE_CPU_CAPS
    fi
}
