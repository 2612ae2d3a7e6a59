// RUN: terrace-opt %s -split-input-file -verify-diagnostics -gpu-persistent-kernels='notes=true' -o /dev/null

// What becomes one kernel, and what does not, with the reason.

func.func @kernel(%A: memref<64xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f64
  // expected-remark @+1 {{one kernel of the loop and its launches}}
  scf.for %t = %c0 to %c64 step %c1 {
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %c64, %nty = %c1, %ntz = %c1) {
      memref.store %one, %A[%i] : memref<64xf64>
      gpu.terminator
    }
  }
  return
}

// -----

func.func @number(%A: memref<?xf64>, %n: index, %p: memref<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %t = %c0 to %n step %c1 {
    // expected-remark @+1 {{the loop around launches stays: the host does 'memref.load' between launches}}
    %x = memref.load %p[] : memref<f64>
    gpu.launch blocks(%b, %by, %bz) in (%nb = %n, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %c64, %nty = %c1, %ntz = %c1) {
      memref.store %x, %A[%b] : memref<?xf64>
      gpu.terminator
    }
  }
  return
}

// -----

func.func @results(%A: memref<?xf64>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  // expected-remark @+1 {{the loop around launches stays: the host needs its results}}
  %last = scf.for %t = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %c1, %nty = %c1, %ntz = %c1) {
      memref.store %one, %A[%t] : memref<?xf64>
      gpu.terminator
    }
    scf.yield %t : index
  }
  return %last : index
}

// -----

func.func @together(%A: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f64
  scf.for %t = %c0 to %n step %c1 {
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %c64, %nty = %c1, %ntz = %c1) {
      memref.store %one, %A[%i] : memref<?xf64>
      // expected-remark @+1 {{the loop around launches stays: threads of a launch work together by 'gpu.barrier'}}
      gpu.barrier
      gpu.terminator
    }
  }
  return
}

// -----

func.func @own(%A: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f64
  scf.for %t = %c0 to %n step %c1 {
    // expected-remark @+1 {{the loop around launches stays: blocks of a launch have memory of their own}}
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %c64, %nty = %c1, %ntz = %c1)
        workgroup(%s : memref<64xf64, #gpu.address_space<workgroup>>) {
      memref.store %one, %s[%i] : memref<64xf64, #gpu.address_space<workgroup>>
      gpu.terminator
    }
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %c64, %nty = %c1, %ntz = %c1) {
      memref.store %one, %A[%i] : memref<?xf64>
      gpu.terminator
    }
  }
  return
}

// -----

// The size of a block is the program's to say.
func.func @size(%A: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  scf.for %t = %c0 to %n step %c1 {
    // expected-remark @+1 {{the loop around launches stays: a launch's block has no constant size}}
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %n, %nty = %c1, %ntz = %c1) {
      memref.store %one, %A[%i] : memref<?xf64>
      gpu.terminator
    }
  }
  return
}

// -----

func.func @large(%A: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c65536 = arith.constant 65536 : index
  %one = arith.constant 1.0 : f64
  // expected-remark @+1 {{the loop around launches stays: its steps are too large for that}}
  scf.for %t = %c0 to %c256 step %c1 {
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c65536, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %c256, %nty = %c1, %ntz = %c1) {
      %first = arith.muli %b, %nt : index
      %k = arith.addi %first, %i : index
      memref.store %one, %A[%k] : memref<?xf64>
      gpu.terminator
    }
  }
  return
}

// -----

// How far the loop of a thread goes only memory tells.
func.func @data(%A: memref<?xf64>, %H: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f64
  scf.for %t = %c0 to %n step %c1 {
    gpu.launch blocks(%b, %by, %bz) in (%nb = %n, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %c64, %nty = %c1, %ntz = %c1) {
      %m = memref.load %H[%i] : memref<?xindex>
      // expected-remark @+1 {{the loop around launches stays: how often a loop in it runs is not known before}}
      scf.for %j = %c0 to %m step %c1 {
        memref.store %one, %A[%j] : memref<?xf64>
      }
      gpu.terminator
    }
  }
  return
}

// -----

// A thread walks through memory that it stores to: launches say of arrays that they only read
// them, which one kernel of all steps cannot.

func.func @walks(%A: memref<400x400xf64>, %q: memref<400xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c100 = arith.constant 100 : index
  %c400 = arith.constant 400 : index
  // expected-remark @+1 {{the loop around launches stays: a thread goes through memory in a loop that stores to it, which launches are faster at}}
  scf.for %t = %c0 to %c400 step %c1 {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%sx = %c100, %sy = %c1, %sz = %c1) {
      %b = arith.muli %bx, %c100 : index
      %j = arith.addi %b, %tx : index
      scf.for %i = %c0 to %c400 step %c1 {
        %a = memref.load %A[%i, %j] : memref<400x400xf64>
        %x = memref.load %q[%i] : memref<400xf64>
        %s = arith.subf %a, %x : f64
        memref.store %s, %A[%i, %j] : memref<400x400xf64>
      }
      gpu.terminator
    }
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%sx = %c100, %sy = %c1, %sz = %c1) {
      %b = arith.muli %bx, %c100 : index
      %j = arith.addi %b, %tx : index
      %a = memref.load %A[%t, %j] : memref<400x400xf64>
      memref.store %a, %q[%j] : memref<400xf64>
      gpu.terminator
    }
  }
  return
}
