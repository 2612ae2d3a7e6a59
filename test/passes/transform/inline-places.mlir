// RUN: terrace-opt %s -allow-unregistered-dialect -inline | FileCheck %s

// A symbol of the function would be a loop's variable.
// CHECK-LABEL: func.func @in_loop
// CHECK: affine.for
// CHECK-NEXT: call @symbol
func.func private @symbol(%a: memref<8xf32>, %k: index) {
  %x = affine.load %a[symbol(%k)] : memref<8xf32>
  affine.store %x, %a[symbol(%k) + 1] : memref<8xf32>
  return
}
func.func @in_loop(%a: memref<8xf32>) {
  affine.for %i = 0 to 4 {
    func.call @symbol(%a, %i) : (memref<8xf32>, index) -> ()
  }
  return
}

// An op that nobody knows, though of a dialect that is known, may want to see the call.
// CHECK-LABEL: func.func @in_unknown
// CHECK: call @one
func.func private @one(%x: i32) -> i32 {
  %y = arith.addi %x, %x : i32
  return %y : i32
}
func.func @in_unknown(%x: i32) -> i32 {
  %q = "scf.unknown"() ({
    %r = func.call @one(%x) : (i32) -> i32
    "test.yield"(%r) : (i32) -> ()
  }) : () -> i32
  return %q : i32
}
