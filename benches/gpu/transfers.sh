#!/usr/bin/env bash
# How many bytes move between host and device for the programs of examples/polybench, by
# each of the plain schemes and as xfer-optimize places the copies:
#
#     benches/gpu/transfers.sh FOLDER          FOLDER has terrace and terrace-opt
#
# Runs on the emulator, so it needs no GPU. Prints a line a program: its arrays, once each;
# then copies and bytes by scheme, where a run takes at most LIMIT seconds (20). The exit status is 1 if the placement moves more than
# a plain scheme.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
tools=$(realpath "${1:?the folder of terrace and terrace-opt}")
limit=${LIMIT:-20}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
before='func.func(affine-parallelize,xfer-mark-overwritten),lower-affine,canonicalize,cse,loop-invariant-code-motion'
failed=0

# What `terrace run` counts: copies and bytes, both directions together.
moved() {
    timeout "$limit" "$tools/terrace" run "$1" --target emulator >"$work/out" || { echo - -; return; }
    awk '/^(host to device|device to host)/ { bytes += $4; copies += $5 } END { printf "%.0f %d\n", bytes, copies }' "$work/out"
}

printf '%-16s %12s' program 'arrays once'
printf ' %9s %14s' kernel bytes host bytes mixed bytes placed bytes
echo
for file in "$here"/examples/polybench/*.mlir; do
    name=$(basename "$file" .mlir)
    least=
    line=
    for passes in 'xfer-insert{scheme=kernel}' 'xfer-insert{scheme=host}' 'xfer-insert{scheme=mixed}' xfer-insert,xfer-optimize; do
        pipeline="builtin.module($before,func.func(map-parallel-to-gpu,$passes,xfer-check,xfer-lower-mirrors))"
        "$tools/terrace-opt" "$file" --pass-pipeline="$pipeline" -o "$work/$name.mlir"
        read -r bytes copies < <(moved "$work/$name.mlir")
        line+=$(printf ' %9s %14s' "$copies" "$bytes")
        if [ "$bytes" = - ]; then
            [ "$passes" = xfer-insert,xfer-optimize ] && failed=1
        elif [ "$passes" != xfer-insert,xfer-optimize ]; then
            if [ -z "$least" ] || [ "$bytes" -lt "$least" ]; then least=$bytes; fi
        elif [ -n "$least" ] && [ "$bytes" -gt "$least" ]; then
            failed=1
        fi
    done
    arrays=$("$tools/terrace" run "$file" --target emulator | awk '
        /^array/ {
            match($0, /[0-9]+(x[0-9]+)*xf(32|64)/)
            n = split(substr($0, RSTART, RLENGTH), part, "x")
            size = part[n] == "f64" ? 8 : 4
            for (i = 1; i < n; i++) size *= part[i]
            sum += size
        }
        END { printf "%.0f", sum }')
    printf '%-16s %12d%s\n' "$name" "$arrays" "$line"
done
exit $failed
