#!/usr/bin/env bash
# Makes the test inputs of this folder anew from the linalg programs in Inputs/,
# with MLIR 22's mlir-opt (MLIR_OPT names another one), and those of imported/ with
# the bridge, terrace-mlir (TERRACE_MLIR names it). Nobody here wrote the
# results, and nobody edits them: that is the point of them.
set -euo pipefail
cd "$(dirname "$0")"
opt=${MLIR_OPT:-/usr/lib/llvm-22/bin/mlir-opt}

# generate SUFFIX PASSES...: one file for each program.
generate() {
    local suffix=$1 input name output
    shift
    for input in Inputs/*.mlir; do
        name=$(basename "$input" .mlir)
        output=$name-$suffix.mlir
        {
            echo "// Printed by MLIR 22: mlir-opt $input $*"
            echo "// REQUIRES: mlir-opt"
            echo "// RUN: mlir-opt %s | mlir-opt -o %t && FileCheck %s --input-file=%t"
            echo "// CHECK: func.func @${name}"
            echo
            "$opt" "$input" "$@"
        } >"$output"
    done
}

generate affine -convert-linalg-to-affine-loops
generate lowered -convert-linalg-to-affine-loops -lower-affine
generate parallel -convert-linalg-to-parallel-loops

# What the bridge makes of programs on tensors: linalg, and models as torch-mlir prints them.
bridge=${TERRACE_MLIR:-../../mlir/target/debug/terrace-mlir}
mkdir -p imported
for input in Inputs/tensors/*.mlir Inputs/models/*.mlir; do
    output=imported/$(basename "$input")
    {
        echo "// Printed by MLIR 22: terrace-mlir --lower --plain $input"
        echo "// RUN: terrace-opt %s --verify-roundtrip | FileCheck %s"
        echo "// CHECK: func.func @"
        echo
        "$bridge" --lower --plain "$input"
    } >"$output"
done
