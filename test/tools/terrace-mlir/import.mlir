// Upstream's parser and passes, by terrace-mlir, between terrace's own.
//
// REQUIRES: terrace-mlir
// RUN: terrace-mlir %s --bytecode -o %t.mlirbc
//
// Bytecode and text are read, and locations are those of the file.
// RUN: terrace-opt --load-mlir=lower %t.mlirbc --mlir-print-debuginfo | FileCheck %s
// RUN: terrace-opt --load-mlir=lower %s --mlir-print-debuginfo | FileCheck %s
// RUN: terrace-opt --load-mlir=lower - --mlir-print-debuginfo < %t.mlirbc | FileCheck %s
// CHECK: func.func @product(%arg0: memref<4x6xf32> loc("{{.*}}import.mlir":[[FUNC:[0-9]+]]:20), %arg1: memref<6x5xf32>
// CHECK: affine.load %arg0[{{.*}}] : memref<4x6xf32> loc("{{.*}}import.mlir":[[LINE:[0-9]+]]:8)
// CHECK: affine.store {{.*}} loc("{{.*}}import.mlir":[[LINE]]:8)
// CHECK: return {{.*}} loc("{{.*}}import.mlir":{{[0-9]+}}:3)

// RUN: terrace run --mlir-import %t.mlirbc --arg 0=random --arg 1=random --verify | FileCheck %s --check-prefix=RESULT
// RUN: terrace run --mlir-import %s --arg 0=random --arg 1=random --target emulator --verify | FileCheck %s --check-prefix=RESULT
// RUN: terrace compile --mlir-import %t.mlirbc --emit ptx | FileCheck %s --check-prefix=PTX
// RUN: terrace-mlir %s --pipeline='builtin.module(linalg-generalize-named-ops)' --plain | FileCheck %s --check-prefix=GENERAL
// RUN: terrace-mlir %s --lower --say-pipelines -o %t.out 2>&1 | FileCheck %s --check-prefix=SAID
// RESULT: result   0        4x5xf32
// RESULT: verify   passed
// PTX: .visible .entry
// GENERAL: linalg.generic
// SAID: note: ran 'builtin.module({{.*}}one-shot-bufferize
// SAID: note: ran 'builtin.module({{.*}}convert-linalg-to-affine-loops

// Bytecode alone is no text.
// RUN: not terrace run %t.mlirbc 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not terrace-opt %t.mlirbc 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: .mlirbc: error: found MLIR's bytecode, which --{{mlir-import|load-mlir}} reads

// Passes of upstream's in the middle of a pipeline. What upstream does not know stays.
// RUN: terrace-opt --load-mlir=lower %s -p 'builtin.module(upstream{pipeline=builtin.module(func.func(affine-loop-tile{tile-size=2}))},func.func(affine-parallelize))' | FileCheck %s --check-prefix=MIDDLE
// RUN: terrace-opt %s --load-mlir --allow-unregistered-dialect --upstream | FileCheck %s --check-prefix=LOWERED
// RUN: not terrace-opt --load-mlir=lower %s --upstream=pipeline='builtin.module(no-such-pass)' 2>&1 | FileCheck %s --check-prefix=NOPASS
// MIDDLE: affine.parallel (%{{.*}}) = (0) to (4) step (2)
// MIDDLE: affine.parallel (%{{.*}}) = (%{{.*}}) to (%{{.*}} + 2)
// LOWERED: affine.for
// NOPASS: import.mlir:{{.*}}: error: 'builtin.module' op is not taken by upstream: error: failed to parse pass pipeline:
// NOPASS-NEXT: error: 'no-such-pass' does not refer to a registered pass

func.func @product(%a: tensor<4x6xf32>, %b: tensor<6x5xf32>) -> tensor<4x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x5xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %r = linalg.matmul ins(%a, %b : tensor<4x6xf32>, tensor<6x5xf32>) outs(%i : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
