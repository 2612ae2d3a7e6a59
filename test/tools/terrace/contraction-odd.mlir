// RUN: terrace compile %s --emit ptx --arch sm_90 | FileCheck %s

// Columns that begin at the second element never lie at multiples of 16 bytes: all copies are
// of one element, and there is no other form for the assembler to find fault with.
// CHECK-NOT: cp.async.cg
// CHECK: cp.async.ca
// CHECK-NOT: cp.async.cg
func.func @odd(%A: memref<100x2400xf64>, %B: memref<2400x2400xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 2399 {
    affine.for %j = affine_map<(i) -> (i + 1)>(%i) to 2400 {
      affine.store %zero, %B[%i, %j] : memref<2400x2400xf64>
      affine.for %k = 0 to 100 {
        %a = affine.load %A[%k, %i] : memref<100x2400xf64>
        %c = affine.load %A[%k, %j] : memref<100x2400xf64>
        %b = affine.load %B[%i, %j] : memref<2400x2400xf64>
        %0 = arith.mulf %a, %c : f64
        %1 = arith.addf %b, %0 : f64
        affine.store %1, %B[%i, %j] : memref<2400x2400xf64>
      }
    }
  }
  return
}
