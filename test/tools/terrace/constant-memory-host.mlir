// Tables of the program that kernels read become theirs, instead of being copied to the
// device before each launch. The second kernel's has a name of its own.
//
// RUN: terrace compile %s --emit ptx | FileCheck %s
// RUN: terrace run %s --target emulator --verify | FileCheck %s --check-prefix=RESULT

// RESULT: verify   passed

// CHECK: .const .align 16 .f32 w[5] =
// CHECK: .entry f_kernel(
// CHECK: ld.const.f32
// CHECK: .const .align 16 .f32 f_kernel_0_w[5] =
// CHECK: .entry
// CHECK: ld.const.f32
memref.global "private" constant @w : memref<5xf32> = dense<[1.0, 2.0, 3.0, 4.0, 5.0]>
func.func @f(%a: memref<256xf32> {terrace.init = "random:256:1"}, %b: memref<256xf32> {terrace.init = "zeros:256"}, %d: memref<256xf32> {terrace.init = "zeros:256"}) {
  %w = memref.get_global @w : memref<5xf32>
  affine.parallel (%i) = (2) to (254) {
    %z = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 5 iter_args(%acc = %z) -> (f32) {
      %x = affine.load %a[%i + %k - 2] : memref<256xf32>
      %c = affine.load %w[%k] : memref<5xf32>
      %p = arith.mulf %x, %c : f32
      %n = arith.addf %acc, %p : f32
      affine.yield %n : f32
    }
    affine.store %s, %b[%i] : memref<256xf32>
  }
  affine.parallel (%i) = (0) to (256) {
    // Another iteration's, so that this stays a kernel of its own.
    %x = affine.load %b[-%i + 255] : memref<256xf32>
    %s = affine.for %k = 0 to 4 iter_args(%acc = %x) -> (f32) {
      %c = affine.load %w[%k + 1] : memref<5xf32>
      %p = arith.mulf %acc, %c : f32
      affine.yield %p : f32
    }
    affine.store %s, %d[%i] : memref<256xf32>
  }
  return
}
