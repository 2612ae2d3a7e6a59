// RUN: terrace run %s --target emulator --verify | FileCheck %s
// RUN: not terrace compile %S/Inputs/too-much-shared-memory.mlir --emit ptx --target-arch sm_90 2>&1 | FileCheck %s --check-prefix=MUCH

// Memory of a block whose size the launch says, seen as two arrays: more than what a
// kernel can have without asking for it, and beside a static buffer.

// CHECK: result 0: 0{{$}}
// CHECK: verify   passed

// MUCH: too-much-shared-memory.mlir:7:3: error: the launch of 'k': found 230000 bytes of dynamic workgroup (shared) memory beside 4096 static ones of the kernel, expected at most 232448 in all on sm_90
func.func @reverse(
    %A: memref<64x128xf32> {terrace.name = "A", terrace.init = "iota:64x128"},
    %B: memref<64x128xf32> {terrace.name = "B", terrace.init = "zeros:64x128"}) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %bytes = arith.constant 65536 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c128, %sy = %c1, %sz = %c1)
             dynamic_shared_memory_size %bytes
             workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>) {
    %half = arith.constant 32768 : index
    %all = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %all[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64x128xf32, #gpu.address_space<workgroup>>
    %b = memref.view %all[%half][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64x128xf32, #gpu.address_space<workgroup>>
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    scf.for %i = %c0 to %c64 step %c1 {
      %x = memref.load %A[%i, %t] : memref<64x128xf32>
      memref.store %x, %a[%i, %t] : memref<64x128xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %c127 = arith.constant 127 : index
    %u = arith.subi %c127, %t : index
    scf.for %i = %c0 to %c64 step %c1 {
      %j = arith.subi %c63, %i : index
      %x = memref.load %a[%j, %u] : memref<64x128xf32, #gpu.address_space<workgroup>>
      memref.store %x, %b[%i, %t] : memref<64x128xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %z = memref.load %s[%u] : memref<128xf32, #gpu.address_space<workgroup>>
    scf.for %i = %c0 to %c64 step %c1 {
      %x = memref.load %b[%i, %t] : memref<64x128xf32, #gpu.address_space<workgroup>>
      %y = arith.addf %x, %z : f32
      memref.store %y, %B[%i, %t] : memref<64x128xf32>
    }
    gpu.terminator
  }
  %zero = arith.constant 0.0 : f32
  %c127 = arith.constant 127 : index
  %diff = scf.for %i = %c0 to %c64 step %c1 iter_args(%sum = %zero) -> (f32) {
    %inner = scf.for %j = %c0 to %c128 step %c1 iter_args(%s = %sum) -> (f32) {
      %k = arith.subi %c63, %i : index
      %l = arith.subi %c127, %j : index
      %x = memref.load %A[%k, %l] : memref<64x128xf32>
      %y = memref.load %B[%i, %j] : memref<64x128xf32>
      %e = arith.subf %x, %y : f32
      %abs = math.absf %e : f32
      %next = arith.addf %s, %abs : f32
      scf.yield %next : f32
    }
    scf.yield %inner : f32
  }
  return %diff : f32
}
