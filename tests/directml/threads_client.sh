#!/bin/sh
# Runs the binary client under ThreadSanitizer, on lavapipe: threads_client.sh CLIENT SUPPRESSIONS
set -eu
manifest=$(find /usr/share/vulkan/icd.d -name 'lvp_icd*.json' | head -n 1)
driver=$(sed -n 's/.*"library_path" *: *"\([^"]*\)".*/\1/p' "$manifest")
export VK_DRIVER_FILES="$manifest" VK_ICD_FILENAMES="$manifest"
export TSAN_OPTIONS="exitcode=66:suppressions=$2"
LD_PRELOAD="libvulkan.so.1 $driver" exec "$1"
