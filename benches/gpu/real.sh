#!/usr/bin/env bash
# Checks on a GPU, against the interpreter, what MLIR's own tools print for linalg
# programs (test/real): affine loops, parallel loops, and sequential scf loops. The
# last form says nothing of what is parallel, so all of it runs on the host. Then
# programs on tensors and models brought down by MLIR's passes, and C as Polygeist prints it.
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

# A file of one form, its function and its arguments.
others="
imported/attention attention random random random
imported/batch_products batch_products random random
imported/convolution convolution random random
imported/linear linear random:5x7 random:7x9 random:9
imported/softmax softmax random:5x16
imported/cnn forward random
imported/embedding forward iota random
imported/lstm forward random random random
imported/mlp forward random:3x8
imported/norm forward random
imported/residual forward random:2x3x6x5
c/gemm gemm 9 11 13 1.5 1.25 random:9x11 random:9x13 random:13x11
c/histogram histogram 50 zeros:50 zeros:8
c/jacobi jacobi 3 20 random:20x20 random:20x20
c/last last random:9 9
c/pi pi 100
c/root root 10 random:10 zeros:10
c/trisolv trisolv 17 random:17x17 random:17 random:17
"

failed=0
# The file without its ending, the function, and its arguments.
check() {
    local file=$1 function=$2
    shift 2
    local options=() i=0
    for value in "$@"; do
        options+=("--arg=$i=$value")
        i=$((i + 1))
    done
    out=$("$terrace" run "$here/test/real/$file.mlir" --entry "$function" \
        --target gpu --verify "${options[@]}" 2>&1)
    code=$?
    kernels=$(grep -cE '_kernel(_[0-9]+)? +gpu' <<<"$out")
    line=$(grep -E '^verify|error' <<<"$out" | tail -n 1)
    echo "check $file @$function $*, $kernels kernels: $line"
    [ $code -eq 0 ] || failed=1
}
while read -r file function values; do
    [ -n "$file" ] || continue
    for form in affine parallel lowered; do
        # shellcheck disable=SC2086
        check "$file-$form" "$function" $values
    done
done <<<"$functions"
while read -r file function values; do
    [ -n "$file" ] || continue
    # shellcheck disable=SC2086
    check "$file" "$function" $values
done <<<"$others"
exit $failed
