#!/usr/bin/env bash
# Shows that debuggers name lines of the source: a kernel that stores outside its array,
# from MLIR and from C, under compute-sanitizer and cuda-gdb.
#
#     benches/gpu/debug/run.sh TERRACE
#
# The exit status is 1 where a tool that is there does not name the line.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
terrace=${1:?the terrace binary}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# Runs a tool and looks for a line of the source in what it says.
names() {
    local what=$1 line=$2
    shift 2
    local out
    out=$(timeout 120 "$@" 2>&1)
    if grep -qF "$line" <<<"$out"; then
        echo "$what: names $line"
        grep -m 3 -F "$line" <<<"$out" | sed 's/^/    /'
    else
        echo "$what: does NOT name $line"
        head -n 40 <<<"$out" | sed 's/^/    /'
        failed=1
    fi
}

"$terrace" cc -O2 "$here/outside.c" -o "$work/outside" || exit 1
mlir=("$terrace" run "$here/outside.mlir" --target gpu --size N=1000)
line_mlir=outside.mlir:$(grep -n 'memref.store' "$here/outside.mlir" | cut -d: -f1)
line_c=outside.c:$(grep -n 'b\[at' "$here/outside.c" | cut -d: -f1)
export TERRACE_TARGET=gpu
if command -v compute-sanitizer >/dev/null; then
    names "compute-sanitizer, MLIR" "$line_mlir" compute-sanitizer "${mlir[@]}"
    names "compute-sanitizer, C" "$line_c" compute-sanitizer "$work/outside"
else
    echo "compute-sanitizer: not found"
fi
if command -v cuda-gdb >/dev/null; then
    gdb=(cuda-gdb -batch -ex run -ex "info line *\$pc" -ex bt --args)
    names "cuda-gdb, MLIR" "$line_mlir" "${gdb[@]}" "${mlir[@]}"
    names "cuda-gdb, C" "$line_c" "${gdb[@]}" "$work/outside"
else
    echo "cuda-gdb: not found"
fi
exit $failed
