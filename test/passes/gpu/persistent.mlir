// RUN: terrace-opt %s -gpu-persistent-kernels -canonicalize -cse | FileCheck %s
// RUN: not terrace-opt %s -gpu-persistent-kernels='threads=96' 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: threads is 96, expected a power of two from 32 to 1024

// Two sweeps a step, of sizes that the run knows: one kernel of one block where there
// are few elements, of many where there are more, the launches where there are most. The sweeps wait for one another.

// CHECK-LABEL: func @sweeps(
// CHECK-SAME:    %[[A:[^:]*]]: memref<?xf64>, %[[B:[^:]*]]: memref<?xf64>, %[[N:[^:]*]]: index, %[[T:[^:]*]]: index
// CHECK:         %[[SMALL:.*]] = arith.cmpf ogt, %{{.*}}, %{{.*}} : f64
// CHECK-NEXT:    scf.if %[[SMALL]] {
// CHECK-NEXT:      gpu.launch blocks({{.*}}) in ({{.*}} = %c1, {{.*}} = %c1, {{.*}} = %c1) threads(%[[I:[^,]*]], {{.*}}) in ({{.*}} = %c1024, {{.*}} = %c1, {{.*}} = %c1) {
// CHECK-NEXT:        scf.for %{{.*}} = %c0 to %[[T]] step %c1 {
// CHECK-NEXT:          gpu.barrier
// CHECK:               scf.for %[[X:.*]] = %[[I]] to %{{.*}} step %c1024 {
// CHECK-NEXT:            %[[IN:.*]] = arith.cmpi slt, %[[X]], %[[N]]
// CHECK-NEXT:            scf.if %[[IN]] {
// CHECK-NEXT:              memref.load %[[A]][%[[X]]]
// CHECK:                   memref.store %{{.*}}, %[[B]][%[[X]]]
// CHECK:               gpu.barrier
// CHECK:               scf.for
// CHECK:                   memref.store %{{.*}}, %[[A]]
// CHECK:           gpu.terminator
// CHECK:         } else {
// CHECK:           %[[SOME:.*]] = arith.cmpf ogt, %{{.*}}, %{{.*}} : f64
// CHECK:           scf.if %[[SOME]] {
// CHECK:             gpu.grid_barrier
// CHECK:             gpu.grid_barrier
// CHECK:           } else {
// CHECK-NEXT:        scf.for
// CHECK-NEXT:          gpu.launch
// CHECK:               gpu.launch
func.func @sweeps(%A: memref<?xf64>, %B: memref<?xf64>, %n: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %blocks = arith.ceildivsi %n, %c256 : index
  scf.for %t = %c0 to %steps step %c1 {
    gpu.launch blocks(%b, %by, %bz) in (%nb = %blocks, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %c256, %nty = %c1, %ntz = %c1) {
      %first = arith.muli %b, %nt : index
      %k = arith.addi %first, %i : index
      %in = arith.cmpi slt, %k, %n : index
      scf.if %in {
        %x = memref.load %A[%k] : memref<?xf64>
        %y = arith.addf %x, %x : f64
        memref.store %y, %B[%k] : memref<?xf64>
      }
      gpu.terminator
    }
    gpu.launch blocks(%b, %by, %bz) in (%nb = %blocks, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %c256, %nty = %c1, %ntz = %c1) {
      %first = arith.muli %b, %nt : index
      %k = arith.addi %first, %i : index
      %in = arith.cmpi slt, %k, %n : index
      scf.if %in {
        %x = memref.load %B[%k] : memref<?xf64>
        %last = arith.subi %n, %k : index
        memref.store %x, %A[%last] : memref<?xf64>
      }
      gpu.terminator
    }
  }
  return
}

// Constants tell that it pays. Threads go along x as in the launch, the rest along y; what
// uses a block's number by itself gets it. Of launches of one thread the first thread does all,
// and waits for nobody between two of them.

// CHECK-LABEL: func @small(
// CHECK-NOT:     scf.if
// CHECK:         gpu.launch blocks({{.*}}) threads(%[[I:[^,]*]], {{.*}}) in ({{.*}} = %c1024, {{.*}}) {
// CHECK-NEXT:      scf.for %[[K:.*]] = %c0 to %c100 step %c1 {
// CHECK-NEXT:        gpu.barrier
// CHECK-NEXT:        %[[FIRST:.*]] = arith.cmpi eq, %[[I]], %c0
// CHECK-NEXT:        scf.if %[[FIRST]] {
// CHECK-NEXT:          memref.load %{{.*}}[%[[K]], %[[K]]]
// CHECK-NOT:         gpu.barrier
// CHECK:             scf.if %[[FIRST]] {
// CHECK:             gpu.barrier
// CHECK-DAG:         %[[Y:.*]] = arith.divui %[[I]], %c32
// CHECK-DAG:         %[[X:.*]] = arith.remui %[[I]], %c32
// CHECK:             scf.for %[[J:.*]] = %[[Y]] to %{{.*}} step %c32 {
// CHECK-NEXT:          scf.for %[[L:.*]] = %[[X]] to %c64 step %c32 {
// CHECK-NEXT:            %[[BLOCK:.*]] = arith.divui %[[L]], %c32
// CHECK-NEXT:            memref.load %{{.*}}[%[[BLOCK]]]
// CHECK:                 memref.store %{{.*}}, %{{.*}}[%[[J]], %[[L]]]
// CHECK-NOT:         gpu.barrier
// CHECK:           gpu.terminator
func.func @small(%A: memref<64x64xf64>, %p: memref<f64>, %w: memref<2xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c100 = arith.constant 100 : index
  scf.for %k = %c0 to %c100 step %c1 {
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %c1, %nty = %c1, %ntz = %c1) {
      %x = memref.load %A[%k, %k] : memref<64x64xf64>
      memref.store %x, %p[] : memref<f64>
      gpu.terminator
    }
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %c1, %nty = %c1, %ntz = %c1) {
      %x = memref.load %p[] : memref<f64>
      %y = arith.negf %x : f64
      memref.store %y, %p[] : memref<f64>
      gpu.terminator
    }
    %rows = arith.ceildivsi %k, %c8 : index
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c2, %nby = %rows, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %c32, %nty = %c8, %ntz = %c1) {
      %r0 = arith.muli %by, %nty : index
      %r = arith.addi %r0, %iy : index
      %c = arith.muli %b, %nt : index
      %d = arith.addi %c, %i : index
      %u = memref.load %w[%b] : memref<2xf64>
      %x = memref.load %p[] : memref<f64>
      %y = arith.mulf %x, %u : f64
      memref.store %y, %A[%r, %d] : memref<64x64xf64>
      gpu.terminator
    }
  }
  return
}

// Steps of 16 million elements.

// CHECK-LABEL: func @large(
// CHECK-NOT:     scf.if
// CHECK:         scf.for
// CHECK-NEXT:      gpu.launch
// CHECK-NOT:     gpu.barrier
// CHECK:         return
func.func @large(%A: memref<16777216xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c65536 = arith.constant 65536 : index
  scf.for %t = %c0 to %c256 step %c1 {
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c65536, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %c256, %nty = %c1, %ntz = %c1) {
      %first = arith.muli %b, %nt : index
      %k = arith.addi %first, %i : index
      %x = memref.load %A[%k] : memref<16777216xf64>
      %y = arith.addf %x, %x : f64
      memref.store %y, %A[%k] : memref<16777216xf64>
      gpu.terminator
    }
  }
  return
}

// Loops that are not one kernel hold loops that are. Arrays of different launches do not
// make them wait; a condition's branches do as the host's, and what follows waits for either.

// CHECK-LABEL: func @inside(
// CHECK:         scf.for
// CHECK-NEXT:      memref.store
// CHECK-NEXT:      gpu.launch
// CHECK-NEXT:        scf.for
// CHECK-NEXT:          gpu.barrier
// CHECK:               scf.if %{{.*}} {
// CHECK-NOT:             gpu.barrier
// CHECK:               } else {
// CHECK-NOT:             gpu.barrier
// CHECK:               gpu.barrier
// CHECK:               memref.load
// CHECK:             gpu.terminator
func.func @inside(%A: memref<64xf64>, %B: memref<64xf64>, %C: memref<64xf64>, %H: memref<64xindex>, %if: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f64
  scf.for %t = %c0 to %c64 step %c1 {
    memref.store %t, %H[%c0] : memref<64xindex>
    scf.for %s = %c0 to %c64 step %c1 {
      gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
          threads(%i, %iy, %iz) in (%nt = %c64, %nty = %c1, %ntz = %c1) {
        memref.store %one, %A[%i] : memref<64xf64>
        gpu.terminator
      }
      scf.if %if {
        gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
            threads(%i, %iy, %iz) in (%nt = %c64, %nty = %c1, %ntz = %c1) {
          memref.store %one, %B[%i] : memref<64xf64>
          gpu.terminator
        }
      } else {
        gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
            threads(%i, %iy, %iz) in (%nt = %c64, %nty = %c1, %ntz = %c1) {
          memref.store %one, %C[%i] : memref<64xf64>
          gpu.terminator
        }
      }
      gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
          threads(%i, %iy, %iz) in (%nt = %c64, %nty = %c1, %ntz = %c1) {
        %j = arith.subi %c64, %i : index
        %x = memref.load %C[%j] : memref<64xf64>
        memref.store %x, %B[%i] : memref<64xf64>
        gpu.terminator
      }
    }
  }
  return
}

// Nothing is written that the next launch reads, but what the first has read is overwritten
// by the second: both wait.

// CHECK-LABEL: func @overwritten(
// CHECK:         scf.for
// CHECK-NEXT:      gpu.barrier
// CHECK:           memref.load %{{.*}} : memref<64xf64>
// CHECK:           memref.store %{{.*}} : memref<64xf32>
// CHECK:           gpu.barrier
// CHECK:           memref.store %{{.*}} : memref<64xf64>
// CHECK:           gpu.terminator
func.func @overwritten(%A: memref<64xf64>, %B: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %c100 = arith.constant 100 : index
  scf.for %t = %c0 to %c100 step %c1 {
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %c64, %nty = %c1, %ntz = %c1) {
      %x = memref.load %A[%i] : memref<64xf64>
      %y = arith.truncf %x : f64 to f32
      memref.store %y, %B[%i] : memref<64xf32>
      gpu.terminator
    }
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %c64, %nty = %c1, %ntz = %c1) {
      %sum = arith.addi %i, %t : index
      %z = arith.index_cast %sum : index to i64
      %f = arith.sitofp %z : i64 to f64
      %last = arith.subi %c63, %i : index
      memref.store %f, %A[%last] : memref<64xf64>
      gpu.terminator
    }
  }
  return
}
