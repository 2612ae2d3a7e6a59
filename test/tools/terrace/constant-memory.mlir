// Tables that are only read, at the same index by all threads of a warp, lie in constant
// memory as long as there is room; others in global memory.
//
// RUN: terrace compile %s --emit ptx | FileCheck %s
// RUN: terrace run %s --target emulator --verify | FileCheck %s --check-prefix=RESULT

// RESULT: verify   passed

// CHECK-DAG: .const .align 16 .f32 weights[5] =
// CHECK-DAG: .const .align 16 .f32 half[8192];
// 28 bytes more than there is room for.
// CHECK-DAG: .global .align 16 .f32 rest[8191];
// CHECK-DAG: .const .align 16 .f32 small[4] =
// CHECK-DAG: .global .align 16 .f32 scattered[8] =
// CHECK-DAG: .global .align 16 .f32 variable[4] =
// CHECK-DAG: .global .align 16 .f32 handed_on[4] =
module attributes {gpu.container_module} {
func.func @f(%a: memref<256xf32> {terrace.init = "random:256:1"}, %b: memref<256xf32> {terrace.init = "zeros:256"}) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  %d = gpu.alloc () : memref<256xf32>
  %e = gpu.alloc () : memref<256xf32>
  gpu.memcpy %d, %a : memref<256xf32>, memref<256xf32>
  gpu.launch_func @m::@k blocks in (%c2, %c1, %c1) threads in (%c128, %c1, %c1)
    args(%d : memref<256xf32>, %e : memref<256xf32>, %c2 : index)
  gpu.memcpy %b, %e : memref<256xf32>, memref<256xf32>
  return
}
gpu.module @m {
  memref.global "private" constant @weights : memref<5xf32> = dense<[1.0, 2.0, 3.0, 4.0, 5.0]>
  memref.global "private" constant @half : memref<8192xf32> = dense<0.0>
  memref.global "private" constant @rest : memref<8191xf32> = dense<0.0>
  memref.global "private" constant @small : memref<4xf32> = dense<[1.5, 2.5, 3.5, 4.5]>
  memref.global "private" constant @scattered : memref<8xf32> = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]>
  memref.global "private" @variable : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
  memref.global "private" constant @handed_on : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
  func.func private @first(%m: memref<4xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %x = memref.load %m[%c0] : memref<4xf32>
    return %x : f32
  }
  // CHECK-LABEL: .entry k
  gpu.func @k(%a: memref<256xf32>, %b: memref<256xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %weights = memref.get_global @weights : memref<5xf32>
    %half = memref.get_global @half : memref<8192xf32>
    %rest = memref.get_global @rest : memref<8191xf32>
    %small = memref.get_global @small : memref<4xf32>
    %scattered = memref.get_global @scattered : memref<8xf32>
    %variable = memref.get_global @variable : memref<4xf32>
    %handed_on = memref.get_global @handed_on : memref<4xf32>
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %bd = gpu.block_dim x
    %o = arith.muli %bx, %bd : index
    %i = arith.addi %o, %t : index
    %x = memref.load %a[%i] : memref<256xf32>
    // CHECK: ld.const.f32
    %c = memref.load %weights[%n] : memref<5xf32>
    %d = memref.load %half[%bx] : memref<8192xf32>
    %e = memref.load %rest[%bx] : memref<8191xf32>
    // The variable of a loop that all threads go round together.
    %s = scf.for %k = %c0 to %c3 step %c1 iter_args(%acc = %x) -> (f32) {
      %w = memref.load %small[%k] : memref<4xf32>
      %p = arith.mulf %acc, %w : f32
      scf.yield %p : f32
    }
    %r = arith.remui %i, %c8 : index
    // CHECK: ld.global.nc.f32
    %v = memref.load %scattered[%r] : memref<8xf32>
    %y = memref.load %variable[%c1] : memref<4xf32>
    %z = func.call @first(%handed_on) : (memref<4xf32>) -> f32
    %s1 = arith.addf %s, %c : f32
    %s2 = arith.addf %s1, %d : f32
    %s3 = arith.addf %s2, %e : f32
    %s4 = arith.addf %s3, %v : f32
    %s5 = arith.addf %s4, %y : f32
    %s6 = arith.addf %s5, %z : f32
    memref.store %s6, %b[%i] : memref<256xf32>
    gpu.return
  }
}
}
