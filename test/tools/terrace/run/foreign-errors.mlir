// Arguments that a run has no values for.
//
// RUN: split-file %s %t
// RUN: not terrace run %t/arguments.mlir --entry tensors --arg 0=iota:4 2>&1 | FileCheck %s --check-prefix=TENSORS
// RUN: not terrace run %t/arguments.mlir --entry device --arg 0=iota:4 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not terrace run %t/arguments.mlir --entry mapped --arg 0=iota:4 2>&1 | FileCheck %s --check-prefix=MAPPED
// TENSORS: error: parameter 0 of @tensors has type 'tensor<4xf32>', which cannot be passed to a run: expected a number or a memref of numbers in memory of the host, its layout strides and an offset; mlir-opt --one-shot-bufferize={{.*}} gives tensors memory
// DEVICE: error: parameter 0 of @device has type 'memref<4xf32, 1>', which cannot be passed
// MAPPED: error: parameter 0 of @mapped has type 'memref<4xf32, affine_map<(d0) -> (d0 mod 3)>>', which cannot be passed

// An op that upstream has and terrace has not: the message says what brings it down.
// RUN: not terrace run %t/matmul.mlir 2>&1 | FileCheck %s --check-prefix=LINALG
// RUN: not terrace run %t/pooling.mlir 2>&1 | FileCheck %s --check-prefix=IMPORT
// RUN: not terrace-opt %t/pooling.mlir 2>&1 | FileCheck %s --check-prefix=POOLING
// RUN: not terrace-opt %t/generic.mlir 2>&1 | FileCheck %s --check-prefix=GENERIC
// RUN: terrace-opt %t/attributes.mlir | FileCheck %s --check-prefix=KEPT
// RUN: not terrace-opt %t/unknown.mlir 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
// LINALG: error: 'linalg.matmul' op cannot run as it is; --mlir-import brings it down, or by hand: mlir-opt --convert-linalg-to-affine-loops makes loops of it; on tensors, behind
// IMPORT: error: custom op 'linalg.pooling_nwc_sum' is unknown; mlir-opt {{.*}}; --mlir-import reads it
// POOLING: error: custom op 'linalg.pooling_nwc_sum' is unknown; mlir-opt --convert-linalg-to-affine-loops makes loops of it; on tensors, behind
// GENERIC: error: operation being parsed with an unregistered dialect. If this is intended, please use -allow-unregistered-dialect with the MLIR tool used (found 'complex.add'); mlir-opt --convert-complex-to-standard makes
// KEPT: module attributes {dlti.dl_spec = #dlti.dl_spec<i32 = 32 : i64>}
// ATTRIBUTE: error: `#other<"thing">` attribute created with unregistered dialect.

//--- arguments.mlir
func.func @tensors(%a: tensor<4xf32>) {
  return
}
func.func @device(%a: memref<4xf32, 1>) {
  return
}
func.func @mapped(%a: memref<4xf32, affine_map<(d0) -> (d0 mod 3)>>) {
  return
}

//--- matmul.mlir
func.func @f(%a: memref<4x6xf32>, %b: memref<6x5xf32>, %c: memref<4x5xf32>) {
  linalg.matmul ins(%a, %b : memref<4x6xf32>, memref<6x5xf32>) outs(%c : memref<4x5xf32>)
  return
}
//--- pooling.mlir
func.func @f(%a: memref<1x4x1xf32>, %w: memref<2xf32>, %o: memref<1x3x1xf32>) {
  linalg.pooling_nwc_sum ins(%a, %w : memref<1x4x1xf32>, memref<2xf32>) outs(%o : memref<1x3x1xf32>)
  return
}
//--- generic.mlir
%0 = "complex.add"() : () -> i32
//--- attributes.mlir
module attributes {dlti.dl_spec = #dlti.dl_spec<i32 = 32 : i64>} {}
//--- unknown.mlir
module attributes {other.a = #other.thing} {}
