#!/usr/bin/env bash
# Shows that debuggers name lines of the source: a kernel that stores outside its array,
# from MLIR and from C, under compute-sanitizer and cuda-gdb.
#
#     benches/gpu/debug/run.sh TERRACE [PROGRAM]
#
# PROGRAM is what `terrace cc` made of outside.c; it is made here where it is not given.
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

program=${2:-$work/outside}
[ -n "${2:-}" ] || "$terrace" cc -O2 "$here/outside.c" -o "$program" || exit 1
mlir=("$terrace" run "$here/outside.mlir" --target gpu --size N=1000)
line_mlir=outside.mlir:$(grep -n 'memref.store' "$here/outside.mlir" | cut -d: -f1)
line_c=outside.c:$(grep -n 'b\[at' "$here/outside.c" | cut -d: -f1)
export TERRACE_TARGET=gpu
if command -v compute-sanitizer >/dev/null; then
    names "compute-sanitizer, MLIR" "$line_mlir" compute-sanitizer "${mlir[@]}"
    names "compute-sanitizer, C" "$line_c" compute-sanitizer "$program"
else
    echo "compute-sanitizer: not found"
fi
if command -v cuda-gdb >/dev/null; then
    gdb=(cuda-gdb -batch -ex "set pagination off" -ex run -ex bt --args)
    names "cuda-gdb, MLIR" "$line_mlir" "${gdb[@]}" "${mlir[@]}"
    names "cuda-gdb, C" "$line_c" "${gdb[@]}" "$program"
else
    echo "cuda-gdb: not found"
fi
exit $failed
