// Kernels that call device functions.
gpu.module @calls {
  gpu.func @one(%m: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %x = memref.load %m[%c0] : memref<4xf32>
    %y = func.call @square(%x) : (f32) -> f32
    memref.store %y, %m[%c0] : memref<4xf32>
    %p, %q = func.call @both(%m, %c3) : (memref<4xf32>, index) -> (i1, f32)
    %z = arith.select %p, %q, %y : f32
    memref.store %z, %m[%c3] : memref<4xf32>
    gpu.return
  }
  gpu.func @two(%f: i1, %h: f16, %n: i8) kernel { gpu.return }
  func.func @square(%x: f32) -> f32 {
    %y = arith.mulf %x, %x : f32
    return %y : f32
  }
  func.func @both(%m: memref<4xf32>, %i: index) -> (i1, f32) {
    %x = memref.load %m[%i] : memref<4xf32>
    %zero = arith.constant 0.0 : f32
    %p = arith.cmpf ogt, %x, %zero : f32
    return %p, %x : i1, f32
  }
}
