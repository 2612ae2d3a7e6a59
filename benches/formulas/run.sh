#!/bin/sh
# The atmosphere model of examples/formulas beside Fortran, and counts of operations beside sympy.cse
# where $PYTHON (python3) has sympy: benches/formulas/run.sh [FOLDER]
#
# FOLDER has terrace and terrace-opt, else target/release, which is built. Each line has nanoseconds a cell
# and step, the least of seven runs, on one thread and on two. Results of all are compared with the packed
# program of Fortran first.
set -e
cd "$(dirname "$0")/../.."
bin=$1
if [ -z "$bin" ]; then
    cargo build --release --bin terrace --bin terrace-opt
    bin=target/release
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
model=examples/formulas/atmosphere.tf
fortran="-O3 -march=native -fopenmp -ffree-line-length-none"
gfortran $fortran -c benches/formulas/plain.f90 -o "$work/plain.o"
gfortran $fortran -c benches/formulas/packed.f90 -o "$work/packed.o"

# form NAME SED [OPTIONS]: the model, changed by sed, as a program.
form() {
    name=$1 change=$2
    shift 2
    mkdir "$work/$name"
    sed "$change" $model > "$work/$name/atmosphere.tf"
    "$bin/terrace" compile "$work/$name/atmosphere.tf" --emit obj,header -o "$work/$name/atmosphere" "$@"
    gcc -O2 -c -I "$work/$name" benches/formulas/driver.c -o "$work/$name/driver.o"
    "$bin/terrace" cc "$work/$name/driver.o" "$work/$name/atmosphere.o" "$work/plain.o" "$work/packed.o" \
        -lgfortran -lgomp -lm -o "$work/$name/program"
}

form all ''
form no-vectors '' --without-pass affine-vectorize-innermost
form no-algebra 's/precision f32/precision f32 strict/'
form no-order 's/order k i/order i k/'

# line WHAT FORM KIND
line() {
    printf '%-44s' "$1"
    for size in '128 16 100' '512 256 10' '2048 1024 1'; do
        for threads in 1 2; do
            export OMP_NUM_THREADS=$threads TERRACE_NUM_THREADS=$threads
            set -- "$1" "$2" "$3" $("$work/$2/program" $size "$3")
            printf '%10s' "$4"
        done
    done
    echo
}

printf '%-44s%20s%20s%20s\n' 'ns a cell and step, on 1 and 2 threads' '128 x 16' '512 x 256' '2048 x 1024'
line 'terrace' all terrace
line 'without vectors' no-vectors terrace
line 'without algebra' no-algebra terrace
line 'with k innermost in memory' no-order turned
line 'gfortran, each second index' all plain
line 'gfortran, packed by hand' all packed
echo
if ${PYTHON:-python3} -c 'import sympy' 2> "$work/no-sympy"; then
    ${PYTHON:-python3} benches/formulas/operations.py "$bin"
else
    echo "SKIPPED operation counts beside sympy: ${PYTHON:-python3} has no sympy"
fi
