// RUN: terrace-opt %s --verify-diagnostics --xfer-check

// Ends of boxes that different ops make of the same numbers are the same: all of these copies
// are of one box.

!a = memref<?x?xf32>
!d = memref<?x?xf32, #xfer.device>
!h = memref<?x?xf32, strided<[?, 1], offset: ?>>
!m = memref<?x?xf32, strided<[?, 1], offset: ?>, #xfer.device>

func.func @same_ends(%A: !a, %n: index, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = xfer.create %A : !a to !d
  %h0 = memref.dim %A, %c0 : !a
  %w0 = memref.dim %A, %c1 : !a
  %low0 = arith.minsi %c1, %h0 : index
  %e0 = arith.minsi %n, %h0 : index
  %end0 = arith.maxsi %e0, %low0 : index
  %rows0 = arith.subi %end0, %low0 : index
  %f0 = arith.minsi %n, %w0 : index
  %columns0 = arith.maxsi %f0, %c0 : index
  %v0 = memref.subview %A[%low0, 0] [%rows0, %columns0] [1, 1] : !a to !h
  %x0 = memref.subview %d[%low0, 0] [%rows0, %columns0] [1, 1] : !d to !m
  xfer.copy %v0 to %x0 : !h to !m
  gpu.launch blocks(%i, %by, %bz) in (%nb = %n, %nby = %c1, %nbz = %c1)
      threads(%j, %ty, %tz) in (%nt = %n, %nty = %c1, %ntz = %c1) {
    %inside = arith.cmpi sge, %i, %c1 : index
    scf.if %inside {
      %z = memref.load %d[%i, %j] : !d
      memref.store %z, %d[%i, %j] : !d
    }
    gpu.terminator
  }
  %h1 = memref.dim %A, %c0 : !a
  %w1 = memref.dim %A, %c1 : !a
  %low1 = arith.minsi %c1, %h1 : index
  %e1 = arith.minsi %n, %h1 : index
  %end1 = arith.maxsi %e1, %low1 : index
  %rows1 = arith.subi %end1, %low1 : index
  %f1 = arith.minsi %n, %w1 : index
  %columns1 = arith.maxsi %f1, %c0 : index
  %v1 = memref.subview %A[%low1, 0] [%rows1, %columns1] [1, 1] : !a to !h
  %x1 = memref.subview %d[%low1, 0] [%rows1, %columns1] [1, 1] : !d to !m
  xfer.copy %x1 to %v1 : !m to !h
  %h2 = memref.dim %A, %c0 : !a
  %w2 = memref.dim %A, %c1 : !a
  %low2 = arith.minsi %c1, %h2 : index
  %e2 = arith.minsi %n, %h2 : index
  %end2 = arith.maxsi %e2, %low2 : index
  %rows2 = arith.subi %end2, %low2 : index
  %f2 = arith.minsi %n, %w2 : index
  %columns2 = arith.maxsi %f2, %c0 : index
  %v2 = memref.subview %A[%low2, 0] [%rows2, %columns2] [1, 1] : !a to !h
  %x2 = memref.subview %d[%low2, 0] [%rows2, %columns2] [1, 1] : !d to !m
  xfer.copy %v2 to %x2 : !h to !m
  gpu.launch blocks(%i, %by, %bz) in (%nb = %n, %nby = %c1, %nbz = %c1)
      threads(%j, %ty, %tz) in (%nt = %n, %nty = %c1, %ntz = %c1) {
    %inside = arith.cmpi sge, %i, %c1 : index
    scf.if %inside {
      %z = memref.load %d[%i, %j] : !d
      memref.store %z, %d[%i, %j] : !d
    }
    gpu.terminator
  }
  %h3 = memref.dim %A, %c0 : !a
  %w3 = memref.dim %A, %c1 : !a
  %low3 = arith.minsi %h3, %c1 : index
  %e3 = arith.minsi %n, %h3 : index
  %end3 = arith.maxsi %e3, %low3 : index
  %rows3 = arith.subi %end3, %low3 : index
  %f3 = arith.minsi %n, %w3 : index
  %columns3 = arith.maxsi %f3, %c0 : index
  %v3 = memref.subview %A[%low3, 0] [%rows3, %columns3] [1, 1] : !a to !h
  %x3 = memref.subview %d[%low3, 0] [%rows3, %columns3] [1, 1] : !d to !m
  xfer.copy %x3 to %v3 : !m to !h
  %h4 = memref.dim %A, %c0 : !a
  %w4 = memref.dim %A, %c1 : !a
  %low4 = arith.minsi %c1, %h4 : index
  %e4 = arith.minsi %n, %h4 : index
  %end4 = arith.maxsi %e4, %low4 : index
  %rows4 = arith.subi %end4, %low4 : index
  %f4 = arith.minsi %n, %w4 : index
  %columns4 = arith.maxsi %f4, %c0 : index
  %v4 = memref.subview %A[%low4, 0] [%rows4, %columns4] [1, 1] : !a to !h
  %x4 = memref.subview %d[%low4, 0] [%rows4, %columns4] [1, 1] : !d to !m
  xfer.copy %v4 to %x4 : !h to !m
  gpu.launch blocks(%i, %by, %bz) in (%nb = %n, %nby = %c1, %nbz = %c1)
      threads(%j, %ty, %tz) in (%nt = %n, %nty = %c1, %ntz = %c1) {
    %inside = arith.cmpi sge, %i, %c1 : index
    scf.if %inside {
      %z = memref.load %d[%i, %j] : !d
      memref.store %z, %d[%i, %j] : !d
    }
    gpu.terminator
  }
  %h5 = memref.dim %A, %c0 : !a
  %w5 = memref.dim %A, %c1 : !a
  %low5 = arith.minsi %c1, %h5 : index
  %e5 = arith.minsi %n, %h5 : index
  %end5 = arith.maxsi %e5, %low5 : index
  %rows5 = arith.subi %end5, %low5 : index
  %f5 = arith.minsi %n, %w5 : index
  %columns5 = arith.maxsi %f5, %c0 : index
  %v5 = memref.subview %A[%low5, 0] [%rows5, %columns5] [1, 1] : !a to !h
  %x5 = memref.subview %d[%low5, 0] [%rows5, %columns5] [1, 1] : !d to !m
  xfer.copy %x5 to %v5 : !m to !h
  return
}
