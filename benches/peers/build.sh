#!/usr/bin/env bash
# Compiles the C peers, each for f64 and f32, into the folder given (by default
# target/peers). CC and CFLAGS choose the compiler; the default is gcc -O2.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../target/peers}
mkdir -p "$out"
for source in "$here"/*.c; do
    name=$(basename "$source" .c)
    for type in double:f64 float:f32; do
        # shellcheck disable=SC2086 # CFLAGS is a list
        ${CC:-gcc} -std=c11 -D_POSIX_C_SOURCE=199309L ${CFLAGS:--O2} -Wall -Wextra -Wno-unused-function \
            "-DREAL=${type%%:*}" "$source" -o "$out/$name-${type##*:}" -lm
    done
done
echo "$out"
