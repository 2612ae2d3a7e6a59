#!/usr/bin/env bash
# Checks every example on a GPU against the interpreter at three sizes, then times
# gemm and jacobi-2d beside hand-written CUDA in the same run.
#
#     benches/gpu/naive.sh TERRACE [CUDA_PEERS]
#
# TERRACE is a release build of the tool; CUDA_PEERS a build of benches/gpu/peers.cu,
# made here with nvcc where it is not given. Prints one line per check and per timing;
# the exit status is 1 if a check fails.
set -uo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
terrace=${1:?the terrace binary}
peers=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "$peers" ] && command -v nvcc >/dev/null; then
    nvcc -O3 -arch=native "$here/benches/gpu/peers.cu" -o "$work/peers" && peers=$work/peers
fi

# Sizes: tiny, one that no block shape divides, and one of several blocks.
sizes() {
    case $1 in
    gemm) echo "M=5,N=3,K=7 M=33,N=70,K=45 M=130,N=257,K=96" ;;
    atax) echo "M=5,N=3 M=37,N=129 M=300,N=517" ;;
    gesummv) echo "N=5 N=129 N=517" ;;
    jacobi-2d) echo "N=5,T=2 N=71,T=3 N=259,T=4" ;;
    heat-3d) echo "N=5,T=2 N=19,T=3 N=45,T=2" ;;
    lu) echo "N=5 N=37 N=97" ;;
    doitgen) echo "R=3,Q=2,P=5 R=9,Q=10,P=33 R=20,Q=21,P=50" ;;
    covariance) echo "M=3,N=5 M=33,N=40 M=90,N=131" ;;
    himeno) echo "I=5,J=4,K=6,T=1 I=9,J=17,K=35,T=2 I=33,J=20,K=65,T=2" ;;
    esac
}

failed=0
for folder in examples examples/f32; do
    for file in "$here/$folder"/*.mlir; do
        name=$(basename "$file" .mlir)
        for size in $(sizes "$name"); do
            options=()
            for s in ${size//,/ }; do
                case $s in
                T=*) options+=(--arg "$s") ;;
                *) options+=(--size "$s") ;;
                esac
            done
            for target in cpu gpu; do
                out=$("$terrace" run "$file" --target "$target" --verify "${options[@]}" 2>&1)
                code=$?
                line=$(grep -E '^verify|error' <<<"$out" | tail -n 1)
                echo "check $folder/$name $size $target: $line"
                [ $code -eq 0 ] || failed=1
            done
        done
    done
done
for file in "$here"/examples/static/*.mlir; do
    out=$("$terrace" run "$file" --target gpu --verify 2>&1) || failed=1
    echo "check examples/static/$(basename "$file") gpu: $(grep -E '^verify|error' <<<"$out" | tail -n 1)"
done

# One line of a kernel's median time.
kernels() { grep -E '_kernel' | sed 's/  */ /g' | sed 's/^/    /'; }
for n in 1024 2048 4096; do
    for type in "" f32/; do
        echo "time gemm ${type:-f64/} n=$n"
        "$terrace" run "$here/examples/${type}gemm.mlir" --target gpu --repeat 7 \
            --size M=$n --size N=$n --size K=$n | kernels
    done
    [ -n "$peers" ] && REPEAT=7 "$peers" gemm $n $n $n
done
for n in 4096 16384; do
    for type in "" f32/; do
        echo "time jacobi-2d ${type:-f64/} n=$n, 10 steps of two launches"
        "$terrace" run "$here/examples/${type}jacobi-2d.mlir" --target gpu --repeat 3 \
            --size N=$n --arg T=10 | kernels
    done
    [ -n "$peers" ] && REPEAT=5 "$peers" jacobi-2d $n 10
done
exit $failed
