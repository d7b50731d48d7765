# Shared by the scripts that need packages of Debian testing beside the system's own: sourced after setup.sh. They are
# downloaded and unpacked, not installed, and no rights are needed.
# shellcheck shell=sh disable=SC2154

# begin_testing FOLDER: reads testing's list of packages, of the archive that this system uses, into FOLDER; the working folder
# from then on. To be removed when all is unpacked.
begin_testing() {
    command -v apt-get >/dev/null 2>&1 || {
        echo "There is no apt-get, by which packages of Debian testing are found" >&2
        exit 1
    }
    rm -rf "$1"
    mkdir -p "$1/lists/partial" "$1/cache/archives/partial"
    archive=$(sed -n 's/^URIs: *\(.*debian\)\/* *$/\1/p' /etc/apt/sources.list.d/debian.sources 2>/dev/null | head -n 1)
    [ -n "$archive" ] || archive=$(sed -n 's/^deb \(\[.*\] \)*\([^ ]*debian\)\/* .*/\2/p' /etc/apt/sources.list 2>/dev/null | head -n 1)
    [ -n "$archive" ] || {
        echo "The system's list of packages names no archive of Debian" >&2
        exit 1
    }
    cd "$1"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive testing main" >sources.list
    : >status # nothing is installed
    testing_options="-o Dir::Etc::SourceList=$1/sources.list -o Dir::Etc::SourceParts=/dev/null
        -o Dir::State::Lists=$1/lists -o Dir::State::status=$1/status -o Dir::Cache=$1/cache"
    # shellcheck disable=SC2086 # options
    quietly "apt-get update" apt-get -qq $testing_options update
}

# download_testing PACKAGE..: into the working folder.
download_testing() {
    # shellcheck disable=SC2086
    quietly "apt-get download" apt-get -qq $testing_options download "$@"
}

# download_testing_with_all PACKAGE..: with all that they need, down to the C library, into the working folder.
download_testing_with_all() {
    # shellcheck disable=SC2086
    quietly "apt-get install --download-only" \
        apt-get -qq -y $testing_options --no-install-recommends --download-only install "$@"
    mv cache/archives/*.deb .
}
