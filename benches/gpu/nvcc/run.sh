#!/usr/bin/env bash
# Compiles every kernel of kernels/ with nvcc -O3 and with terrace, both through the same
# ptxas, and runs them side by side on a GPU:
#
#     benches/gpu/nvcc/run.sh TERRACE [OUTDIR]
#
# TERRACE is a build of the tool; TERRACE_FLAGS has more options of `terrace compile`,
# ARCH the architecture (by default the GPU's). OUTDIR keeps the PTX, the binaries and
# what the assembler said. Prints a line a kernel and the geometric mean; the exit status
# is 1 if a result is wrong. For a kernel alone: OUTDIR/run OUTDIR NAME.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
terrace=$(realpath "${1:?the terrace binary}")
work=${2:-$(mktemp -d)}
mkdir -p "$work"
arch=${ARCH:-sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)}
export here terrace work arch

# Lines such as `// @N@ = 4096, small 64` are the sizes of a static kernel.
compile() {
    name=$(basename "$1" .mlir)
    values=$(sed -n 's|^// @\([A-Z]*\)@ = \([0-9]*\), small.*|\1=\2|p' "$1")
    edits='' defines=''
    for v in $values; do
        edits+="s/@${v%=*}@/${v#*=}/g;"
        defines+=" -D$v"
    done
    sed "$edits" "$1" >"$work/$name.mlir"
    "$terrace" compile --emit ptx --arch "$arch" ${TERRACE_FLAGS:-} "$work/$name.mlir" -o "$work/$name.terrace.ptx"
    nvcc -O3 -arch="$arch" $defines -ptx "$here/kernels/$name.cu" -o "$work/$name.nvcc.ptx"
    for compiler in nvcc terrace; do
        stem=$work/$name.$compiler
        ptxas -O3 -arch="$arch" -v "$stem.ptx" -o "$stem.cubin" 2>"$stem.log" || cat "$stem.log" >&2
    done
}
export -f compile
printf '%s\0' "$here"/kernels/*.mlir | xargs -0 -P "$(nproc)" -I{} bash -c 'set -euo pipefail; compile {}' ||
    echo "some kernels were not compiled" >&2
for file in "$here"/kernels/*.mlir; do
    name=$(basename "$file" .mlir)
    sed -n "s|^// @\([A-Z]*\)@ = \([0-9]*\), small.*|#define ${name}_\1 \2|p" "$file"
done >"$work/sizes.h"
nvcc -O2 -std=c++17 -arch="$arch" -I"$work" -I"$here" "$here/run.cu" -o "$work/run" -lcuda
"$work/run" "$work"
