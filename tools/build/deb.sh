#!/bin/sh
# Makes Debian packages of this tree by packaging/debian/ and the distribution's tools, holds them to lintian, and builds and
# runs a program against what they bring. The packages lie in build-deb/ afterwards.
#
# sh tools/build/deb.sh
#
# Debian and Ubuntu. Nothing of vkdml is installed; what the packages need to be built is, as root or with sudo.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tools/build/setup.sh
. "$root/tools/build/setup.sh"
# shellcheck disable=SC2086 # lists of packages
require $packages $package_packages g++ directx-headers-dev

version=$(sed -n 's/^#define VKDML_VERSION_STRING "\(.*\)"/\1/p' "$root/include/vkdml/version.h")
folder=$root/build-deb
source=$folder/vkdml-$version
rm -rf "$folder"
mkdir -p "$source"

# The files of the tree as they are: those that git knows, or in a tree without git all but builds.
cd "$root"
if git rev-parse --git-dir >/dev/null 2>&1; then
    git ls-files >"$folder/files"
else
    find . -path './build*' -prune -o -type f -print >"$folder/files"
fi
tar -cf - -T "$folder/files" | tar -xf - -C "$source"
rm "$folder/files"
tar -cJf "$folder/vkdml_$version.orig.tar.xz" -C "$folder" "vkdml-$version"

cp -r "$root/packaging/debian" "$source/debian"
cat >"$source/debian/changelog" <<EOF
vkdml ($version-1) unstable; urgency=medium

  * A package of this version: see CHANGELOG.md.

 -- $(sed -n 's/^Maintainer: //p' "$source/debian/control")  $(date -R)
EOF

cd "$source"
quietly "dpkg-buildpackage" dpkg-buildpackage -us -uc
cd "$folder"
# No bug asks for a package that is not on its way into Debian.
lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs ./*.changes
echo "lintian finds no error and no warning."

# A program against the packages' files, without installing them.
installed=$folder/installed
mkdir "$installed"
for package in libvkdml0.1 libvkdml-dev vkdml-tools; do
    dpkg -x "$package"_*.deb "$installed"
done
libraries=$(dirname "$(find "$installed" -name libvkdml.a)")
PKG_CONFIG_PATH=$libraries/pkgconfig
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # flags
cc -std=c11 -o "$folder/reference" "$root/tests/consumers/programs/reference.c" \
    $(pkg-config --define-variable=prefix="$installed/usr" --cflags --libs vkdml)
printed=$(LD_LIBRARY_PATH=$libraries "$folder/reference")
[ "$printed" = "11 22 33 44" ] || {
    echo "a program built with the packages prints: $printed" >&2
    exit 1
}
"$installed/usr/bin/vkdml" check "$root/examples/models/padding_reflection.json"
# shellcheck disable=SC2016 # the program's variable
found=$("$installed/usr/bin/vkdml" exec sh -c 'echo "$TF_DIRECTML_PATH"')
[ "$found" = "$libraries/vkdml/directml" ] || {
    echo "vkdml exec gives a program the libraries of '$found'" >&2
    exit 1
}
ls -l "$folder"/*.deb
