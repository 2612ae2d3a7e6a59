// memref.assume_alignment in a kernel: the parameter says it, accesses are as wide, and
// launches are checked.
//
// RUN: terrace compile %s --emit ptx | FileCheck %s
// RUN: terrace run %s --target emulator --arg n=4 2>&1 | FileCheck %s --check-prefix=EVEN
// RUN: not terrace run %s --target emulator --arg n=3 2>&1 | FileCheck %s --check-prefix=ODD

// CHECK: .param .u64 .ptr .global .align 16 arg0
// CHECK: st.global.v4.f32
// EVEN-NOT: error
// ODD: assume-alignment.mlir:[[@LINE+8]]:5: error: {{.*}}argument 0 of kernel k is at address 0x{{.*}}, 12 bytes past a multiple of 16; the kernel takes it to be aligned to 16 bytes
module attributes {gpu.container_module} {
  func.func @main(%n: index {terrace.name = "n"}) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %bytes = gpu.alloc () : memref<512xi8>
    %shift = arith.muli %n, %c4 : index
    %v = memref.view %bytes[%shift][] : memref<512xi8> to memref<64xf32>
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
      args(%v : memref<64xf32>)
    gpu.dealloc %bytes : memref<512xi8>
    return
  }
  gpu.module @m {
    gpu.func @k(%a: memref<64xf32>) kernel {
      %b = memref.assume_alignment %a, 16 : memref<64xf32>
      %c4 = arith.constant 4 : index
      %x = arith.constant dense<1.0> : vector<4xf32>
      %t = gpu.thread_id x
      %i = arith.muli %t, %c4 : index
      vector.store %x, %b[%i] : memref<64xf32>, vector<4xf32>
      gpu.return
    }
  }
}
