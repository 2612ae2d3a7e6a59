#!/bin/sh
# Expressions over arrays beside what others have: benches/array/run.sh cpu|gpu|emulator [MOST [WORK]].
# The table of works (array_table) is put beside numpy, numba, numexpr and scipy where $PYTHON
# (python3) has them, and on a GPU beside CUB, cuFFT, cuSPARSE, cuRAND and CUDA by hand where there
# is nvcc. What has more than MOST elements is left out. Then come rows beside plain Rust loops:
# WORK is array_speed or array_irregular for those alone.
set -e
cd "$(dirname "$0")/../.."
target=${1:-cpu}
most=${2:-1000000000000}
export TERRACE_TARGET="$target"
case "$3" in
array_*) ;;
*)
    cargo build --release --example array_table
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    case "$target" in
    gpu)
        nvcc -O3 -arch=native benches/array/table_peers.cu -o "$work/peers" \
            -lcufft -lcusparse -lcurand
        "$work/peers" "$most" $3 >"$work/theirs"
        ;;
    *) "${PYTHON:-python3}" benches/array/table_peers.py "$most" $3 >"$work/theirs" || true ;;
    esac
    target/release/examples/array_table "$most" $3 >"$work/ours"
    "${PYTHON:-python3}" benches/array/together.py "$work/ours" "$work/theirs"
    [ -z "$3" ] || exit 0
    ;;
esac
cargo build --release --example array_speed --example array_irregular
for part in ${3:-array_speed array_irregular}; do
    "target/release/examples/$part"
    echo
done
