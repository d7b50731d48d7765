# Shared by the scripts beside it, which source it with $root set: brings what the build needs and configures builds.
# On Debian and Ubuntu missing packages are installed, elsewhere named.
# shellcheck shell=sh disable=SC2034,SC2154

log=${TMPDIR:-/tmp}/vkdml-setup.$$
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM

# quietly WHAT COMMAND..: its output is shown only where it fails, and then the script ends.
quietly() {
    what=$1
    shift
    "$@" >"$log" 2>&1 </dev/null || {
        cat "$log" >&2
        echo "$what failed" >&2
        exit 1
    }
}

has_header() {
    echo "#include <$1>" | cc -E - >/dev/null 2>&1
}

has_vulkan_driver() {
    for file in /usr/share/vulkan/icd.d/*.json /etc/vulkan/icd.d/*.json /usr/local/share/vulkan/icd.d/*.json \
        ${VK_DRIVER_FILES:-} ${VK_ICD_FILENAMES:-}; do
        [ ! -e "$file" ] || return 0
    done
    return 1
}

has_validation_layer() {
    for place in /usr/share /etc /usr/local/share; do
        [ ! -e "$place/vulkan/explicit_layer.d/VkLayer_khronos_validation.json" ] || return 0
    done
    return 1
}

# Some Python, as tests/python/meson.build looks for it, has what the tests of the Python module import and install with.
has_python_modules() {
    for program in python3 /usr/bin/python3; do
        ! "$program" -c "import numpy, setuptools, wheel, ensurepip" >/dev/null 2>&1 || return 0
    done
    return 1
}

# has PACKAGE: whether what the Debian package of that name brings is there, from wherever it came.
has() {
    case $1 in
    meson | clang | cmake | lintian | debhelper | doxygen | make | glslang-tools | spirv-tools | ninja-build | pkg-config | gcc | g++ | python3 | groff-base | mandoc | zsh)
        case $1 in
        ninja-build) program=ninja ;;
        debhelper) program=dh ;;
        gcc) program=cc ;;
        glslang-tools) program=glslangValidator ;;
        spirv-tools) program=spirv-val ;;
        groff-base) program=groff ;;
        *) program=$1 ;;
        esac
        command -v "$program" >/dev/null 2>&1
        ;;
    # Elsewhere Meson knows the folders without it.
    dpkg-dev) ! command -v dpkg >/dev/null 2>&1 || command -v dpkg-architecture >/dev/null 2>&1 ;;
    libc6-dev) has_header stdio.h ;;
    libvulkan-dev) pkg-config --exists vulkan 2>/dev/null ;;
    libvulkan-volk-dev) has_header volk.h ;;
    libcmocka-dev) pkg-config --exists cmocka 2>/dev/null ;;
    libjson-c-dev) pkg-config --exists json-c 2>/dev/null ;;
    abigail-tools) command -v abidiff >/dev/null 2>&1 ;;
    gcovr) command -v gcovr >/dev/null 2>&1 ;;
    valgrind) command -v valgrind >/dev/null 2>&1 ;;
    debootstrap) command -v debootstrap >/dev/null 2>&1 || [ -x /usr/sbin/debootstrap ] ;;
    directx-headers-dev) pkg-config --exists DirectX-Headers 2>/dev/null ;;
    libx11-dev) pkg-config --exists x11 2>/dev/null ;;
    chromium)
        [ -n "${VKDML_BROWSER-}" ] || command -v chromium >/dev/null 2>&1 ||
            command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1
        ;;
    python3-numpy | python3-setuptools | python3-wheel | python3-venv) has_python_modules ;;
    doxygen-awesome-css) [ -d /usr/share/doxygen-awesome-css ] ;;
    libjs-chart.js) [ -e /usr/share/javascript/chart.js/chart.min.js ] ;;
    mesa-vulkan-drivers) has_vulkan_driver ;;
    vulkan-validationlayers) has_validation_layer ;;
    *) false ;;
    esac
}

# missing PACKAGE..: those of them that are not there.
missing() {
    for package in "$@"; do
        has "$package" || printf '%s ' "$package"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo -n env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

# require PACKAGE..: installs what is missing, or says what is and ends the script.
require() {
    lacking=$(missing "$@")
    [ -n "$lacking" ] || return 0
    if ! command -v apt-get >/dev/null 2>&1 || ! as_root true >/dev/null 2>&1; then
        echo "Missing, by the names of their Debian packages: $lacking" >&2
        echo "Install them and run this again." >&2
        exit 1
    fi
    echo "Installing: $lacking"
    quietly "apt-get update" as_root apt-get -qq update
    # shellcheck disable=SC2086 # a list of packages
    quietly "apt-get install" as_root apt-get -qq install --no-install-recommends $lacking
}

require_meson() {
    version=$(meson --version 2>/dev/null) || version=0
    case $version in
    0*)
        echo "meson is $version, must be 1.0 or newer: python3 -m pip install --user meson" >&2
        exit 1
        ;;
    esac
}

# dpkg-dev: without it Meson installs into lib64 on Debian, where no linker and no CMake looks.
packages="gcc libc6-dev dpkg-dev meson ninja-build pkg-config python3 libvulkan-dev libvulkan-volk-dev mesa-vulkan-drivers
vulkan-validationlayers libcmocka-dev libjson-c-dev"
# What the tests of the headers put beside them.
header_packages="directx-headers-dev libx11-dev"
# What draws the page of benchmarks, and what the tests open pages in.
browser_packages="libjs-chart.js chromium"
# What the documentation's site is made with.
site_packages="doxygen doxygen-awesome-css"
# What reads the man page, and the shells that complete; bash is there.
manual_packages="groff-base mandoc zsh"
# What the Python module needs, and to be installed.
python_packages="python3-numpy python3-setuptools python3-wheel python3-venv"
# What makes and checks Debian packages (tools/build/deb.sh).
package_packages="debhelper lintian"
# What else CI needs, installed before anything runs: two scripts at a time cannot both install.
full_packages="abigail-tools debootstrap"
check_packages="clang g++ cmake make glslang-tools spirv-tools $header_packages $browser_packages $manual_packages $site_packages
$python_packages"

# configure FOLDER OPTION..: a build folder under the root. A folder that exists is configured again, because packages may have
# been installed since: Meson remembers the ones that it did not find. Nothing is compiled again for that.
# $VKDML_MESON_OPTIONS: options for every folder.
configure() {
    configured=$root/$1
    shift
    # shellcheck disable=SC2086 # a list of options
    set -- ${VKDML_MESON_OPTIONS-} "$@"
    if [ -e "$configured/build.ninja" ]; then
        quietly "meson configure" meson configure --clearcache "$configured"
        quietly "meson setup" meson setup --reconfigure "$@" "$configured" "$root"
    else
        quietly "meson setup" meson setup "$@" "$configured" "$root"
    fi
}

# python_environment FOLDER: a fresh environment of Python's in FOLDER/venv, for packages of the index.
python_environment() {
    maker=python3
    "$maker" -c "import ensurepip" >/dev/null 2>&1 || maker=/usr/bin/python3
    quietly "python -m venv" timeout 120 "$maker" -m venv "$1/venv"
}

# onnx_environment: sets $python to a Python that has ONNX, ONNX Runtime and its GenAI, in an environment of its own in
# build-onnx/. Brings them from the Python package index, or what $VKDML_ONNX_PACKAGES lists instead, which may leave out GenAI.
onnx_environment() {
    python=$root/build-onnx/venv/bin/python
    modules="onnx, onnxruntime"
    [ -n "${VKDML_ONNX_PACKAGES-}" ] || modules="$modules, onnxruntime_genai"
    if ! "$python" -c "import $modules" >/dev/null 2>&1; then
        mkdir -p "$root/build-onnx"
        python_environment "$root/build-onnx"
        # shellcheck disable=SC2086 # a list
        quietly "pip install" "$python" -m pip install --quiet \
            ${VKDML_ONNX_PACKAGES:-onnx==1.23.2 onnxruntime==1.32.0 onnxruntime-genai==0.18.0 numpy}
    fi
}

# onnxruntime_build NAME: sets $folder to NAME/, and $build, where it is empty, to a build folder in it, which is configured with
# ONNX Runtime's plugin. Brings what they need.
onnxruntime_build() {
    folder=$root/$1
    # shellcheck disable=SC2086 # lists of packages
    require $packages $python_packages
    require_meson
    mkdir -p "$folder"
    sh "$root/tools/build/onnxruntime_headers.sh" >/dev/null
    if [ -z "$build" ]; then
        configure "$1/build" "-Donnxruntime=$root/build-onnxruntime/include"
        build=$folder/build
    fi
}
