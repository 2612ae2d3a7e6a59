// The dynamic memory of the launch fits a block by itself, but not beside the static.
module attributes {gpu.container_module} {
func.func @main() {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %bytes = arith.constant 230000 : i32
  gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) dynamic_shared_memory_size %bytes
  return
}

gpu.module @m {
  gpu.func @k() workgroup(%s: memref<1024xf32, 3>) kernel {
    %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %c0 = arith.constant 0 : index
    %x = arith.constant 1.0 : f32
    memref.store %x, %s[%c0] : memref<1024xf32, 3>
    gpu.return
  }
}
}
