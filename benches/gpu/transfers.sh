#!/usr/bin/env bash
# How many bytes move between host and device for the programs of examples/polybench and
# examples/solvers and for Himeno, by each of the plain schemes and as they are placed for
# the GPU:
#
#     benches/gpu/transfers.sh FOLDER [PPCG]   FOLDER has terrace, terrace-opt and
#                                              examples/least_transfers, PPCG the
#                                              NAME_host.cu that PPCG makes of the
#                                              programs in examples/c/polybench
#
# Runs on the emulator, so it needs no GPU; with PROGRAMS="NAME..." only those programs. Prints a
# line a program: its arrays, once each; the least, where each array comes in at most once and
# goes out at most once (see test/transfers/least.rs); then copies and bytes by scheme, where a
# run takes at most LIMIT seconds (20); then the copies in PPCG's host code, all outside of loops,
# and what they move of arrays of these sizes. "above" stands where more is placed than the
# least, "no kernel" where nothing moves. The exit status is 1 if the placement moves more than
# the least or a plain scheme.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
tools=$(realpath "${1:?the folder of terrace and terrace-opt}")
ppcg=${2:-}
limit=${LIMIT:-20}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
before='func.func(xfer-mark-dead-on-entry,offload-parallelize{reassociate=false reductions=none},xfer-mark-overwritten),terrace-gpu-pipeline{first=scalars last=scalars}'
failed=0

# What `terrace run` counts: copies and bytes, both directions together.
moved() {
    timeout "$limit" "$tools/terrace" run "$@" --target emulator >"$work/out" || { echo - -; return; }
    awk '/^(host to device|device to host)/ { bytes += $4; copies += $5 } END { printf "%.0f %d\n", bytes, copies }' "$work/out"
}

# Copies and bytes of PPCG's code for a program: its arrays have the bytes that the list on
# standard input says, scalars 8; y_1 is the same as y1. Nothing is said of copies that stand in
# loops.
peer() {
    local host
    host=$(find "$ppcg" -name "$1_host.cu" -print -quit)
    [ -n "$host" ] || { cat >/dev/null; echo - -; return; }
    awk '
        FNR == NR { gsub(/_/, "", $1); if (FNR > 1) size[$1] = $2; next }
        /cudaMemcpy\(/ {
            match($0, /^ */)
            if (copies++ == 0) outside = RLENGTH
            if (RLENGTH != outside) inside = 1
            match($0, /dev_[A-Za-z_0-9]+/)
            name = substr($0, RSTART + 4, RLENGTH - 4)
            gsub(/_/, "", name)
            bytes += name in size ? size[name] : 8
        }
        END { if (inside) print "- -"; else printf "%.0f %d\n", bytes, copies }' - "$host"
}

printf '%-16s %12s %12s' program 'arrays once' least
printf ' %9s %14s' kernel bytes host bytes mixed bytes placed bytes
[ -n "$ppcg" ] && printf ' %9s %14s' PPCG bytes
echo
for file in "$here"/examples/polybench/*.mlir "$here"/examples/himeno.mlir "$here"/examples/solvers/*.mlir; do
    name=$(basename "$file" .mlir)
    [[ -z ${PROGRAMS:-} || " $PROGRAMS " == *" $name "* ]] || continue
    # The emulator would take too long for Himeno at its own sizes.
    sizes=()
    [ "$name" = himeno ] && sizes=(I=17 J=17 K=33)
    "$tools/examples/least_transfers" "$file" "${sizes[@]}" >"$work/arrays"
    read -r arrays least _ <"$work/arrays"
    best=
    line=
    for passes in 'xfer-insert{scheme=kernel}' 'xfer-insert{scheme=host}' 'xfer-insert{scheme=mixed}' 'func.func(xfer-offload-fragments),xfer-insert,xfer-optimize'; do
        pipeline="builtin.module($before,func.func(xfer-keep-on-host,map-parallel-to-gpu),$passes,xfer-check,xfer-lower-mirrors)"
        "$tools/terrace-opt" "$file" --pass-pipeline="$pipeline" -o "$work/$name.mlir"
        read -r bytes copies < <(moved "$work/$name.mlir" "${sizes[@]/#/--size=}")
        line+=$(printf ' %9s %14s' "$copies" "$bytes")
        case $passes in
        *xfer-optimize)
            if [ "$bytes" = - ]; then
                failed=1
            elif [ "$bytes" = 0 ]; then
                line+='  no kernel'
            elif [ "$bytes" -gt "$least" ]; then
                line+='  above'
                failed=1
            fi
            if [ -n "$best" ] && [ "$bytes" != - ] && [ "$bytes" -gt "$best" ]; then
                failed=1
            fi
            ;;
        *)
            if [ "$bytes" != - ] && { [ -z "$best" ] || [ "$bytes" -lt "$best" ]; }; then best=$bytes; fi
            ;;
        esac
    done
    if [ -n "$ppcg" ]; then
        read -r bytes copies < <(peer "$name" <"$work/arrays")
        line+=$(printf ' %9s %14s' "$copies" "$bytes")
    fi
    printf '%-16s %12d %12d%s\n' "$name" "$arrays" "$least" "$line"
done
exit $failed
