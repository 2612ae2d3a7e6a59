// A sum in memory stays in a register of the thread while its loop runs: subscripts tell that
// what the loop reads besides are other elements of the same array.
//
// RUN: terrace compile %s --emit ptx | FileCheck %s
// RUN: terrace run %s --target emulator --verify | FileCheck %s --check-prefix=VERIFY
//
// CHECK-LABEL: .entry splits_kernel(
// CHECK: ld.global.f64 [[V:%[a-z0-9_]+]]
// CHECK: $for_body
// CHECK-NOT: st.global
// CHECK: $for_end
// CHECK: st.global.f64
// CHECK-NOT: st.global
// CHECK: ret;
//
// VERIFY: verify   passed
func.func @splits(
    %i: index {terrace.name = "i", terrace.init = "7"},
    %best: memref<?x?xf64> {terrace.name = "best", terrace.dims = ["N", "N"], terrace.init = "random:60x60:1"}
) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %best, %c0 : memref<?x?xf64>
  affine.parallel (%j) = (0) to (symbol(%n)) {
    affine.for %k = affine_map<()[i] -> (i + 1)>()[%i] to affine_map<()[n] -> (n - 1)>()[%n] {
      %old = affine.load %best[symbol(%i), %j] : memref<?x?xf64>
      %a = affine.load %best[%k, %j] : memref<?x?xf64>
      %b = affine.load %best[%k + 1, %j] : memref<?x?xf64>
      %s = arith.addf %a, %b : f64
      %new = arith.addf %old, %s : f64
      affine.store %new, %best[symbol(%i), %j] : memref<?x?xf64>
    }
  }
  return
}
