#!/usr/bin/env bash
# Checks on a GPU, against the interpreter, what MLIR's own tools print for linalg
# programs (test/real): affine loops, parallel loops, and sequential scf loops. The
# last form says nothing of what is parallel, so all of it runs on the host.
#
#     benches/gpu/real.sh TERRACE
#
# Prints one line per check; the exit status is 1 if one fails.
set -uo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
terrace=${1:?the terrace binary}

# A function of a file of test/real, and its arguments in order.
functions="
batch_matmul batch_matmul random random zeros
batch_matmul batch_matmul_dynamic random:2x3x4 random:2x4x5 zeros:2x3x5
batch_matmul batch_matmul_dynamic random:5x67x33 random:5x33x129 zeros:5x67x129
conv_2d conv_2d random random zeros
conv_2d conv_2d_strided random random zeros
matmul matmul random random zeros
matmul matmul_dynamic random:4x6 random:6x5 random:4x5
matmul matmul_dynamic random:67x33 random:33x129 random:67x129
reductions reductions_rows random zeros zeros
reductions norm random:5x6 zeros
reductions norm random:67x129 zeros
"

failed=0
while read -r file function values; do
    [ -n "$file" ] || continue
    options=()
    i=0
    for value in $values; do
        options+=("--arg=$i=$value")
        i=$((i + 1))
    done
    for form in affine parallel lowered; do
        out=$("$terrace" run "$here/test/real/$file-$form.mlir" --entry "$function" \
            --target gpu --verify "${options[@]}" 2>&1)
        code=$?
        kernels=$(grep -cE '_kernel(_[0-9]+)? +gpu' <<<"$out")
        line=$(grep -E '^verify|error' <<<"$out" | tail -n 1)
        echo "check $file-$form @$function $values, $kernels kernels: $line"
        [ $code -eq 0 ] || failed=1
    done
done <<<"$functions"
exit $failed
