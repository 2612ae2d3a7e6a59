#!/usr/bin/env bash
# How many machine instructions functions of f32 are, computed in f32 and in f64:
#
#     benches/gpu/math/instructions.sh TERRACE PTXAS NVDISASM [ARCH]
#
# The instructions of a kernel that applies the function to elements of arrays, less those
# of one that copies them; in f64 the function stands between two conversions. Prints a row of
# docs/math.md's table for each function: in f32, in f64, and how many of the latter are f64's.
set -euo pipefail
terrace=${1:?the terrace binary} ptxas=${2:?ptxas} nvdisasm=${3:?nvdisasm} arch=${4:-sm_90}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Instructions of a kernel whose body makes %r of %a and %b; then those of f64.
count() {
    cat >"$work/k.mlir" <<END
gpu.module @m {
  gpu.func @k(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) kernel {
    %i = gpu.global_id x
    %a = memref.load %x[%i] : memref<?xf32>
    %b = memref.load %y[%i] : memref<?xf32>
$1
    memref.store %r, %z[%i] : memref<?xf32>
    gpu.return
  }
}
END
    "$terrace" compile --emit ptx --arch "$arch" "$work/k.mlir" -o "$work/k.ptx"
    "$ptxas" -O3 -arch="$arch" "$work/k.ptx" -o "$work/k.cubin"
    "$nvdisasm" "$work/k.cubin" | awk '
        /^ *\/\*[0-9a-f]+\*\// {
            for (i = 2; i <= NF; i++) if ($i !~ /^[@{]/) { op = $i; break }
            if (op !~ /^[A-Z]/ || op ~ /^NOP/) next
            all++
            if (op ~ /^(DADD|DMUL|DFMA|DSETP|DMNMX)|64H|F64/) wide++
        }
        END { print all + 0, wide + 0 }'
}

read -r one _ < <(count '    %r = arith.addf %a, %b : f32')
one=$((one - 1))
read -r load _ < <(count '    %r = math.absf %a : f32')
load=$((load - 1))

row() {
    local op=$1 operands=$2 base=$3 wide='    %c = arith.extf %a : f32 to f64
    %d = arith.extf %b : f32 to f64'
    read -r narrow _ < <(count "    %r = $op $operands : f32")
    read -r double parts < <(count "$wide
    %e = $op $(tr ab cd <<<"$operands") : f64
    %r = arith.truncf %e : f64 to f32")
    echo "| \`${op#math.}\` | $((narrow - base)) | $((double - base)) | $parts |"
}

for f in sin cos tan atan tanh cbrt expm1 log1p asin acos sinh cosh asinh acosh atanh erfc; do
    row "math.$f" %a "$load"
done
for f in math.powf math.atan2 arith.remf; do
    row "$f" '%a, %b' "$one"
done
