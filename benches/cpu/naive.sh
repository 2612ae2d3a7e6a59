#!/usr/bin/env bash
# Times every example on the CPU, with one thread and with all, beside the same
# program in C compiled with gcc -O2, in turn.
#
#     benches/cpu/naive.sh TERRACE [RUNS]
#
# Prints a table row per program and type: median seconds, and the ratio of gcc's time
# to terrace's on one thread. The checksums of the results must agree.
set -uo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
terrace=${1:?the terrace binary}
runs=${2:-5}
peers=$here/target/peers
"$here/benches/peers/build.sh" "$peers" >/dev/null || exit 1

# Arguments of the C peer, and of terrace.
row() {
    local name=$1 sizes=$2
    shift 2
    for type in f64 f32; do
        local file=$here/examples/$name.mlir
        [ $type = f32 ] && file=$here/examples/f32/$name.mlir
        # shellcheck disable=SC2086 # sizes is a list
        local c=$(REPEAT=$runs "$peers/$name-$type" $sizes)
        local gcc=$(sed 's/.*median \([^ ]*\).*/\1/' <<<"$c")
        local one=$(TERRACE_NUM_THREADS=1 "$terrace" run "$file" --repeat "$runs" "$@" | grep '^@')
        local all=$("$terrace" run "$file" --repeat "$runs" "$@" | grep '^@')
        python3 - "$name" "$sizes" $type "$gcc" "$one" "$all" <<'P'
import re, sys
name, sizes, type, gcc, one, all = sys.argv[1:]
unit = {'ms': 1e-3, 'us': 1e-6, 's': 1}
def median(line):
    # count total min median max
    t = re.findall(r'([0-9.]+) (ms|us|s)\b', line)
    return float(t[2][0]) * unit[t[2][1]]
g, o, a = float(gcc), median(one), median(all)
print(f'| {name} | {sizes.replace(" ", "x")} | {type} | {g:.4f} | {o:.4f} | {a:.4f} | {g / o:.2f} |')
P
    done
}

echo '| program | sizes | type | gcc -O2, s | terrace, 1 thread, s | all threads, s | gcc / 1 thread |'
echo '| --- | --- | --- | --- | --- | --- | --- |'
row gemm "512 512 512" --size M=512 --size N=512 --size K=512
row atax "1900 2100" --size M=1900 --size N=2100
row gesummv "1300" --size N=1300
row jacobi-2d "1300 50" --size N=1300 --arg T=50
row heat-3d "120 20" --size N=120 --arg T=20
row lu "500" --size N=500
row doitgen "70 60 80" --size R=70 --size Q=60 --size P=80
row covariance "400 500" --size M=400 --size N=500
row himeno "65 65 129 10" --size I=65 --size J=65 --size K=129 --arg T=10
