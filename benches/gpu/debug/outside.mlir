// A kernel that stores far behind its array, for debuggers to name the line.
func.func @outside(%A: memref<?xf32> {terrace.name = "A", terrace.dims = ["N"], terrace.init = "random:1000000:1"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4096 = arith.constant 4096 : index
  %two = arith.constant 2.0 : f32
  %n = memref.dim %A, %c0 : memref<?xf32>
  %far = arith.constant 100000000 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %old = memref.load %A[%tx] : memref<?xf32>
    %new = arith.mulf %old, %two : f32
    %at = arith.addi %far, %tx : index
    memref.store %new, %A[%at] : memref<?xf32>
    gpu.terminator
  }
  return
}
