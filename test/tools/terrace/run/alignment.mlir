// RUN: terrace run %s --target emulator --arg n=4 2>&1 | FileCheck %s
// RUN: not terrace run %s --target emulator --arg n=3 2>&1 | FileCheck %s --check-prefix=ODD

// A launch that breaks what the kernel takes for granted is an error of its own, not
// a misaligned access somewhere in the kernel.
// CHECK-NOT: error
// ODD: alignment.mlir:[[@LINE+9]]:5: error: {{.*}}argument 0 of kernel k is at address 0x{{.*}}, 12 bytes past a multiple of 16; the kernel takes it to be aligned to 16 bytes
module attributes {gpu.container_module} {
  func.func @main(%n: index {terrace.name = "n"}) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %bytes = gpu.alloc () : memref<512xi8>
    %shift = arith.muli %n, %c4 : index
    // Lines up with the address of the array plus 4 n bytes.
    %v = memref.view %bytes[%shift][] : memref<512xi8> to memref<64xf32>
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
      args(%v : memref<64xf32>)
    gpu.dealloc %bytes : memref<512xi8>
    return
  }
  gpu.module @m {
    gpu.func @k(%a: memref<64xf32> {llvm.align = 16 : i64}) kernel {
      %x = arith.constant 1.0 : f32
      %t = gpu.thread_id x
      memref.store %x, %a[%t] : memref<64xf32>
      gpu.return
    }
  }
}
