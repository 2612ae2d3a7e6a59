// RUN: terrace-opt %s -split-input-file -verify-diagnostics -map-parallel-to-gpu -offload-map

// expected-error @+1 {{'func.func' op has branches between blocks; offloading needs loops and conditions as scf ops}}
func.func @graph(%a: memref<4xf64>, %c: i1) attributes {acc.region = {construct = "auto"}} {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  cf.br ^bb2
^bb2:
  return
}

// -----

// Both are reported.
func.func @private(%a: memref<?xf64>, %n: index) attributes {acc.region = {construct = "parallel"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    // expected-error @+1 {{'memref.alloca' op is an array of its own for each iteration of a parallel loop, and its size is not a constant; the GPU has such arrays only with constant sizes}}
    %p = memref.alloca(%n) : memref<?xf64>
    // expected-error @+1 {{'memref.alloca' op is an array of 800000 bytes for each iteration of a parallel loop; at most 524288 fit a thread of the GPU}}
    %q = memref.alloca() : memref<100000xf64>
    %v = memref.load %p[%c0] : memref<?xf64>
    memref.store %v, %q[%c0] : memref<100000xf64>
    memref.store %v, %a[%i] : memref<?xf64>
  }
  return
}

// -----

func.func @realloc(%n: index) attributes {acc.region = {construct = "parallel"}} {
  %a = memref.alloc(%n) : memref<?xf64>
  // expected-error @+1 {{'memref.realloc' op cannot be offloaded; allocate an array of the largest size}}
  %b = memref.realloc %a(%n) : memref<?xf64> to memref<?xf64>
  return
}

// -----

func.func @other_op(%a: memref<?xf64>, %n: index) attributes {acc.region = {construct = "parallel"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f64
  // expected-error @+1 {{'memref.alloca_scope' op holds parallel loops, which cannot be offloaded from it; scf loops and conditions may hold them}}
  memref.alloca_scope {
    scf.parallel (%i) = (%c0) to (%n) step (%c1) {
      memref.store %z, %a[%i] : memref<?xf64>
    }
  }
  return
}

// -----

func.func @guarded_maximum(%a: memref<?x?xf64>, %n: index, %x: vector<2xf32>) -> vector<2xf32> attributes {acc.region = {construct = "parallel"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'scf.parallel' op reduces values of type 'vector<2xf32>'; numbers can be reduced on a device}}
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%x) -> vector<2xf32> {
    scf.reduce(%x : vector<2xf32>) {
    ^bb0(%p: vector<2xf32>, %q: vector<2xf32>):
      %o = arith.addf %p, %q : vector<2xf32>
      scf.reduce.return %o : vector<2xf32>
    }
  }
  return %r : vector<2xf32>
}

// -----

func.func @varying(%a: memref<?xf64>, %n: index, %x: f64) -> f64 attributes {acc.region = {construct = "parallel"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'scf.parallel' op combines values with one that differs between iterations}}
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%x) -> f64 {
    %v = memref.load %a[%i] : memref<?xf64>
    scf.reduce(%v : f64) {
    ^bb0(%p: f64, %q: f64):
      %o = arith.addf %p, %q : f64
      %o2 = arith.addf %o, %v : f64
      scf.reduce.return %o2 : f64
    }
  }
  return %r : f64
}

// -----

func.func @hands_on(%a: memref<4xf64>, %b: memref<4xf64>, %m: memref<4xi1>) attributes {acc.region = {construct = "parallel"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f64
  %c = memref.load %m[%c0] : memref<4xi1>
  // expected-error @+1 {{'scf.if' op hands on 'memref<4xf64>', which only the device knows; numbers can be handed on}}
  %p = scf.if %c -> memref<4xf64> {
    scf.yield %a : memref<4xf64>
  } else {
    scf.yield %b : memref<4xf64>
  }
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    memref.store %z, %p[%i] : memref<4xf64>
  }
  return
}

// -----

memref.global "private" @state : memref<4xf64> = dense<0.0>
func.func @global(%a: memref<4xf64>) attributes {acc.region = {construct = "parallel"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{'memref.get_global' op names memory of the host that may change; pass the array to the function of the region}}
  %t = memref.get_global @state : memref<4xf64>
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    %v = memref.load %t[%i] : memref<4xf64>
    memref.store %v, %a[%i] : memref<4xf64>
  }
  return
}

// -----

func.func @layout(%n: index, %s: index) attributes {acc.region = {construct = "parallel"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f64
  // expected-error @+1 {{'memref.alloc' op has a layout with symbols, which device memory cannot have}}
  %a = memref.alloc(%n)[%s] : memref<?xf64, affine_map<(d0)[s0] -> (d0 + s0)>>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %z, %a[%i] : memref<?xf64, affine_map<(d0)[s0] -> (d0 + s0)>>
  }
  return
}

// -----

func.func @local(%n: index, %b: memref<?xf64>, %c: i1) attributes {acc.region = {construct = "parallel"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f64
  %p = scf.if %c -> memref<?xf64> {
    %t = memref.alloc(%n) : memref<?xf64>
    scf.parallel (%i) = (%c0) to (%n) step (%c1) {
      memref.store %z, %t[%i] : memref<?xf64>
    }
    // expected-error @+1 {{'scf.yield' op hands on a local array, which ends here}}
    scf.yield %t : memref<?xf64>
  } else {
    scf.yield %b : memref<?xf64>
  }
  return
}

// -----

func.func @shared(%t: tensor<4xf64>) -> tensor<4xf64> attributes {acc.region = {construct = "parallel"}} {
  // expected-error @+1 {{'scf.forall' op has shared outputs, which only tensors are}}
  %r = scf.forall (%i) in (4) shared_outs(%o = %t) -> (tensor<4xf64>) {
    scf.forall.in_parallel {
    }
  }
  return %r : tensor<4xf64>
}
