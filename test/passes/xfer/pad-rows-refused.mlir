// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-pad-rows{notes=true}))" 2>&1 | FileCheck %s

// What stays as it is, and why.

func.func private @use(memref<64x301xf64, #xfer.device>)

// CHECK-DAG: pad-rows-refused.mlir:[[#@LINE+2]]:8: remark: its rows stay as they are: 'func.call' uses it
func.func @called(%i: index, %v: f64) {
  %d = xfer.alloc() : memref<64x301xf64, #xfer.device>
  func.call @use(%d) : (memref<64x301xf64, #xfer.device>) -> ()
  xfer.free %d : memref<64x301xf64, #xfer.device>
  return
}

// CHECK-DAG: pad-rows-refused.mlir:[[#@LINE+2]]:8: remark: its rows stay as they are: 'memref.collapse_shape' uses it
func.func @flat(%i: index, %v: f64) {
  %d = xfer.alloc() : memref<64x301xf64, #xfer.device>
  %f = memref.collapse_shape %d [[0, 1]] : memref<64x301xf64, #xfer.device> into memref<19264xf64, #xfer.device>
  xfer.free %d : memref<64x301xf64, #xfer.device>
  return
}

// CHECK-DAG: pad-rows-refused.mlir:[[#@LINE+2]]:8: remark: its rows stay as they are: they are short, or multiples of 32 bytes
func.func @short(%i: index, %v: f64) {
  %d = xfer.alloc() : memref<64x251xf64, #xfer.device>
  gpu.launch blocks(%b, %by, %bz) in (%gx = %i, %gy = %i, %gz = %i)
      threads(%t, %ty, %tz) in (%bx = %i, %bdy = %i, %bdz = %i) {
    memref.store %v, %d[%by, %b] : memref<64x251xf64, #xfer.device>
    gpu.terminator
  }
  xfer.free %d : memref<64x251xf64, #xfer.device>
  return
}

// CHECK-DAG: pad-rows-refused.mlir:[[#@LINE+2]]:8: remark: its rows stay as they are: they are short, or multiples of 32 bytes
func.func @fits(%i: index, %v: f64) {
  %d = xfer.alloc() : memref<64x304xf64, #xfer.device>
  gpu.launch blocks(%b, %by, %bz) in (%gx = %i, %gy = %i, %gz = %i)
      threads(%t, %ty, %tz) in (%bx = %i, %bdy = %i, %bdz = %i) {
    memref.store %v, %d[%by, %b] : memref<64x304xf64, #xfer.device>
    gpu.terminator
  }
  xfer.free %d : memref<64x304xf64, #xfer.device>
  return
}

// CHECK-DAG: pad-rows-refused.mlir:[[#@LINE+2]]:8: remark: its rows stay as they are: no kernel uses it
func.func @on_host(%i: index, %v: f64) {
  %d = xfer.alloc() : memref<64x301xf64, #xfer.device>
  xfer.free %d : memref<64x301xf64, #xfer.device>
  return
}

// CHECK-DAG: pad-rows-refused.mlir:[[#@LINE+2]]:8: remark: its rows stay as they are: no number of its elements fills a sector of 32 bytes
func.func @other_elements(%i: index, %v: i24) {
  %d = xfer.alloc() : memref<64x3001xi24, #xfer.device>
  gpu.launch blocks(%b, %by, %bz) in (%gx = %i, %gy = %i, %gz = %i)
      threads(%t, %ty, %tz) in (%bx = %i, %bdy = %i, %bdz = %i) {
    memref.store %v, %d[%by, %b] : memref<64x3001xi24, #xfer.device>
    gpu.terminator
  }
  xfer.free %d : memref<64x3001xi24, #xfer.device>
  return
}

// CHECK-DAG: pad-rows-refused.mlir:[[#@LINE+2]]:8: remark: its rows stay as they are: kernels use it once, who gain less than copies of rows lose
func.func @once(%i: index, %v: f64, %A: memref<64x301xf64>) {
  %d = xfer.alloc() : memref<64x301xf64, #xfer.device>
  gpu.launch blocks(%b, %by, %bz) in (%gx = %i, %gy = %i, %gz = %i)
      threads(%t, %ty, %tz) in (%bx = %i, %bdy = %i, %bdz = %i) {
    memref.store %v, %d[%by, %b] : memref<64x301xf64, #xfer.device>
    gpu.terminator
  }
  xfer.copy %d to %A : memref<64x301xf64, #xfer.device> to memref<64x301xf64>
  xfer.free %d : memref<64x301xf64, #xfer.device>
  return
}

// CHECK-DAG: pad-rows-refused.mlir:[[#@LINE+2]]:8: remark: its rows stay as they are: they are short, or multiples of 32 bytes
func.func @in_a_loop(%i: index, %v: f64, %A: memref<64x3001xf64>) {
  %d = xfer.alloc() : memref<64x3001xf64, #xfer.device>
  scf.for %s = %i to %i step %i {
    gpu.launch blocks(%b, %by, %bz) in (%gx = %i, %gy = %i, %gz = %i)
        threads(%t, %ty, %tz) in (%bx = %i, %bdy = %i, %bdz = %i) {
      %y = gpu.rows_aligned %d to 16 : memref<64x3001xf64, #xfer.device>
      memref.store %v, %d[%by, %b] : memref<64x3001xf64, #xfer.device>
      gpu.terminator
    }
  }
  xfer.copy %d to %A : memref<64x3001xf64, #xfer.device> to memref<64x3001xf64>
  xfer.free %d : memref<64x3001xf64, #xfer.device>
  return
}
