// RUN: terrace-opt %s --apply-schedule | FileCheck %s

// The second loop never runs, but it counts in the box of what is touched, which reaches
// past both ends of the array; the copies do not.

// CHECK-LABEL: func.func @f
// CHECK: affine.for %{{.*}} = 0 to 8 {
// CHECK-NEXT: affine.load
schedule.sequence @s on @f {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  %r = schedule.stage %l array "A"
}
func.func @f(%A: memref<8xi64>) {
  affine.for %i = 0 to 4 {
    %v = affine.load %A[%i] : memref<8xi64>
    affine.store %v, %A[%i + 1] : memref<8xi64>
    affine.for %j = 3 to 3 {
      %w = affine.load %A[%j - 9] : memref<8xi64>
      affine.store %w, %A[%j + 19] : memref<8xi64>
    }
  }
  return
}
